"""`confint compare`: is A better than B, and by how much?"""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from confint_cli.commands._standardizing import Yardstick, standardize_option
from confint_cli.errors import CallError
from confint_cli.options import (
    EstimatingOptions,
    PairingOptions,
    ReadingOptions,
    WritingOptions,
    answering_options,
    correct_option,
    estimating_options,
    pairing_options,
    reading_options,
)

if TYPE_CHECKING:
    from confint_cli.comparison import Testing


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
@correct_option
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Intervals that hold for all comparisons by a measure at once (max-T); with --method, "
    "beside others.",
)
@reading_options
@standardize_option()
@estimating_options(methods="t", resamples=10_000)
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
    'hedges_g' in standard deviations of the differences, without bias. 'wins', 'ties' and 'losses'
    count topics.

    'p_adjusted' is the p-value of the first test, corrected for all comparisons by that measure
    ('family' in the signature says how many); tukey's is of all runs at once, and stays as it is.
    The note says where to be careful: 'identical' runs, 'mostly ties', 'few topics', 'no variance'
    (all differences equal), 'unbounded', 'N topics missing' of the run or the baseline (scored 0).

    A terminal, Markdown and LaTeX have a row for each run, with a mark for significance, at the
    first --level, that is explained below the table.
    """
    from confint_cli.parallel import prepare_for_arrays

    prepare_for_arrays()
    from confint_cli.commands import _pairing, _run, _standardizing
    from confint_cli.comparison import Testing
    from confint_cli.messages import progress_line
    from confint_cli.significance import asked_for
    from confint_cli.studies.compare import compare

    names = _pairing.baselines_asked_for(pairing, reading)
    testing = Testing(asked_for(test), correct, simultaneous)
    how = _run.estimation(estimating, reading.jobs, differences=True)
    by_default = context.get_parameter_source("method") is ParameterSource.DEFAULT
    if pairing.unpaired:
        _check_unpaired(testing, None if by_default else how.methods, standardize)
    elif simultaneous and by_default:
        how = how.by(())
    with _run.writer(writing, figure="compare") as write:
        scores = _run.read(
            reading, writing, names, paired=not pairing.unpaired, standardize=standardize
        )
        scores, standardize = _standardizing.standardized(
            scores, standardize, how.seed, reading, writing
        )
        baselines = _run.runs_named(names, scores)
        drawn = testing.draws and not how.resampling
        sampling = {"resamples": str(how.resamples)} if drawn else None
        signature = {
            **_run.signature(
                "compare", scores, reading, how, sampling=sampling, standardize=standardize
            ),
            **_pairing.signature(pairing, reading, baselines),
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
        _run.tell(notices, writing)
        write(_standardizing.explained(table, standardize, scores))


def _check_unpaired(
    testing: "Testing", methods: tuple[str, ...] | None, standardize: Yardstick | None
) -> None:
    """Refuse what runs without common topics have not."""
    if testing.tests != ("t",):
        raise CallError("--unpaired has one test, Welch's t test", "leave --test out")
    if methods is not None and methods != ("t",):
        raise CallError("--unpaired has one interval, Welch's t interval", "leave --method out")
    if testing.simultaneous:
        raise CallError("--simultaneous is for runs on the same topics, not with --unpaired")
    if standardize is not None and standardize.path is None:
        raise CallError(
            "runs on topics of their own cannot standardise one another",
            "--standardize FILE takes factors that 'confint standardize' saved",
        )
