"""`confint compare`: is A better than B, and by how much?"""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from confint_cli.app.options import (
    DRAWING,
    EstimatingOptions,
    PairingOptions,
    ReadingOptions,
    WritingOptions,
    answering_options,
    correct_option,
    estimating_options,
    is_given,
    pairing_options,
    reading_options,
)
from confint_cli.app.standardizing import Yardstick, standardize_option
from confint_cli.common.errors import CallError

if TYPE_CHECKING:
    from confint_cli.stats.comparison import Testing


@click.command(
    short_help="Is A better than B, and by how much? Differences, tests, effect sizes.",
    epilog="""\b
Examples:
  confint compare -m map --baseline bm25 evals/*.eval
  confint compare -q qrels.txt -m AP,nDCG@10 --baseline runs/bm25.gz runs/*.gz -o table.tex
  confint compare evals/*.eval -m map --all-pairs --test tukey,t --simultaneous
  confint compare trec7.eval trec8.eval -m map --baseline trec7 --unpaired
""",
)
@pairing_options(unpaired="Welch's t test and interval")
@click.option(
    "--test",
    multiple=True,
    default=("t",),
    metavar="NAME",
    help="Tests ('confint tests' lists them); repeat, or separate by commas; 'all' for all. "
    "p_adjusted is of the first. [default: t]",
)
@correct_option(max_t=" [default: holm; with --simultaneous and the t test, max-t]")
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Intervals that hold for all comparisons by a measure at once (max-t); with --method, "
    "beside others.",
)
@reading_options
@standardize_option()
@estimating_options(methods="t", resamples=10_000, more=DRAWING)
@answering_options
@click.pass_context
def command(
    context: click.Context,
    pairing: PairingOptions,
    test: tuple[str, ...],
    correct: str,
    simultaneous: bool,
    standardize: Yardstick | None,
    reading: ReadingOptions,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> None:
    """Print the differences of runs with intervals, p-values and effect sizes.

    Runs are compared topic by topic: 'difference' is the mean of run less baseline, 'low' and
    'high' its interval, 'glass_delta' the difference in standard deviations of the baseline,
    'hedges_gz' in standard deviations of the differences, without bias. 'wins', 'ties' and 'losses'
    count topics. With --unpaired, 'hedges_g' is the difference in pooled standard deviations, which
    is another quantity, so one of the two is always empty.

    'p_adjusted' is the p-value of the first test, corrected for all comparisons by that measure
    ('family' in the signature says how many); tukey's is of all runs at once, and stays as it is;
    that of --correct max-t agrees with the intervals of --simultaneous.
    The note says where to be careful: 'skewed' differences (a few topics decide: look at these
    where --method t,bootstrap-t disagree), 'identical' runs, 'mostly ties', 'mostly one value',
    'few topics', 'no variance' (all differences equal), 'unbounded', 'N topics missing' of the run
    or the baseline (scored 0), 'few differences': too few topics on which the two differ, so that
    max-t cannot tell them apart.

    A terminal, Markdown and LaTeX have a row for each run, with a mark for significance, at the
    first --level, that is explained below the table.
    """
    from confint_cli.common.parallel import prepare_for_arrays

    prepare_for_arrays()
    from confint_cli.app import conduct, standardizing
    from confint_cli.app.conduct import before_comparing, with_draws
    from confint_cli.app.messages import progress_line
    from confint_cli.stats.comparison import Testing
    from confint_cli.stats.pairs import pairs_among
    from confint_cli.stats.significance import asked_for
    from confint_cli.studies.compare import compare

    names = conduct.baselines_asked_for(pairing, reading)
    tests = asked_for(test)
    if simultaneous and tests[0] == "t" and not is_given("correct"):
        correct = "max-t"  # or p might say otherwise than the intervals
    testing = Testing(tests, correct, simultaneous, estimating.strict)
    _check_max_t(testing)
    how = conduct.estimation(estimating, reading.workers, differences=True)
    by_default = context.get_parameter_source("method") is ParameterSource.DEFAULT
    if pairing.unpaired:
        _check_unpaired(testing, None if by_default else how.methods, standardize)
    elif simultaneous and by_default:
        how = how.by(())
    with conduct.writer(writing, figure="compare") as write:
        scores = conduct.read(
            reading, writing, names, paired=not pairing.unpaired, standardize=standardize
        )
        scores, standardize = standardizing.standardized(
            scores, standardize, how.seed, reading, writing
        )
        baselines = conduct.runs_named(names, scores)
        runs, every_two = len(scores.runs), pairing.all_pairs
        how = with_draws(how, estimating, writing, runs, all_pairs=every_two, used=testing.draws)
        pairs = pairs_among(runs) if every_two else len(baselines) * (runs - 1)
        conduct.tell(before_comparing(scores, pairs, writing), writing)
        sampling = {"draws": str(how.draws)} if testing.draws else None
        signature = {
            **conduct.signature(
                "compare", scores, reading, how, sampling=sampling, standardize=standardize
            ),
            **conduct.pairs_signature(pairing, reading, baselines),
        }
        table, notices = compare(
            scores,
            baselines,
            how,
            testing,
            signature,
            paired=not pairing.unpaired,
            best_first=writing.sort == "mean",
            progress=progress_line("comparing", quiet=writing.quiet),
        )
        conduct.tell(notices, writing)
        write(standardizing.explained(table, standardize, scores))


def _check_max_t(testing: "Testing") -> None:
    """Refuse what has no meaning with max-t, or without it."""
    if testing.correction == "max-t" and testing.tests[0] != "t":
        raise CallError(
            f"--correct max-t is for the t test, and the first --test is {testing.tests[0]}",
            "--correct holm is for any test",
        )
    if testing.strict and not testing.at_once:
        raise CallError(
            "--strict is for simultaneous intervals and their p-values",
            "--simultaneous or --correct max-t asks for them",
        )


def _check_unpaired(
    testing: "Testing", methods: tuple[str, ...] | None, standardize: Yardstick | None
) -> None:
    """Refuse what runs without common topics have not."""
    if testing.tests != ("t",):
        raise CallError("--unpaired has one test, Welch's t test", "leave --test out")
    if methods is not None and methods != ("t",):
        raise CallError("--unpaired has one interval, Welch's t interval", "leave --method out")
    if testing.at_once:
        option = "--simultaneous" if testing.simultaneous else "--correct max-t"
        raise CallError(f"{option} is for runs on the same topics, not with --unpaired")
    if standardize is not None and standardize.path is None:
        raise CallError(
            "runs on topics of their own cannot standardise one another",
            "--standardize FILE takes factors that 'confint standardize' saved",
        )
