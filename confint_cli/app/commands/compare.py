"""`confint compare`: is A better than B, and by how much?"""

from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import (
    Columns,
    comparisons,
    empty_of_comparisons,
    named,
    of_designs,
)
from confint_cli.app.options import (
    EstimatingOptions,
    PairingOptions,
    WritingOptions,
    about_differences,
    among_own,
    baselines_of,
    command_of,
    correct_option,
    deciding_options,
    for_new_options,
    is_given,
    pairing_options,
    paper_options,
    statistics_options,
)
from confint_cli.app.standardizing import Yardstick
from confint_cli.app.task import Task, Work
from confint_cli.app.types import Choice
from confint_cli.common.errors import CallError
from confint_cli.common.text import split_at_commas
from confint_cli.scores.request import Request
from confint_cli.studies.asked import ABOUT_MARGIN, EFFECT_LIMITS, GATES, INFERIOR

if TYPE_CHECKING:
    from confint_cli.scores.scores import Scores
    from confint_cli.stats.comparison import Testing
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import CompareRow


_USUAL_TEST = "t"
NAMES_THEM = "--labels '{collection}/{run}.run' takes their names from the paths of FILES"
_TESTING = (
    click.Option(
        ["--test"],
        multiple=True,
        default=(_USUAL_TEST,),
        metavar="NAME",
        help="Tests ('confint tests' lists them); repeat, or separate by commas; 'all' for all. "
        f"p_adjusted is of the first. [default: {_USUAL_TEST}]",
    ),
    correct_option(max_t=" [default: holm; with --simultaneous and the t test, max-t]"),
    click.Option(
        ["--simultaneous"],
        is_flag=True,
        help="Intervals that hold for all comparisons by a measure at once (max-t); with --method, "
        "beside others.",
    ),
    click.Option(
        ["--meta"],
        is_flag=True,
        help="Of several collections: what a random-effects meta-analysis says too, by "
        "DerSimonian-Laird and by Hartung-Knapp.",
    ),
    *about_differences,
    click.Option(
        ["--fail-if"],
        type=Choice(list(GATES)),
        help="Exit with status 3 if some run's interval lies wholly below 0, or not wholly above, "
        "or if a run is not shown to be within --margin: a gate for Makefiles and CI.",
    ),
)


@command_of(
    pairing_options(unpaired="Welch's t test and interval"),
    among_own(*_TESTING),
    deciding_options,
    for_new_options,
    statistics_options(methods="t", drawing=True, differences=True),
    paper_options,
    short_help="Is A better than B, and by how much? Differences, tests, effect sizes.",
    examples="""\
  confint compare -m map --baseline bm25 evals/*.eval
  confint compare -q qrels.txt -m AP,nDCG@10 --baseline runs/bm25.gz runs/*.gz -o table.tex
  confint compare evals/*.eval -m map --all-pairs --test tukey,t --simultaneous
  confint compare trec7.eval trec8.eval -m map --baseline trec7 --unpaired
  confint compare --labels '{collection}/{run}.run' -q '{collection}/qrels' --all-pairs */*.run
  confint compare --labels '{run}.seed{repeat}.eval' --baseline dense seeds/*.seed*.eval
  confint compare -q qrels.txt -m nDCG@10 --baseline bm25 runs/* --unjudged bounds
  confint compare -q human.qrels --judge-qrels llm.qrels --baseline bm25 runs/*
  confint compare -q qrels.txt -m AP,nDCG@10 --all-pairs runs/* --layout paper -o main.tex
  confint compare old.eval new.eval -m map --baseline old --margin 0.05 --fail-if worse
""",
    columns=Columns(
        (
            *of_designs(
                comparisons(
                    named(unpaired="baseline_topics"),
                    named(effect_intervals=EFFECT_LIMITS, margin=ABOUT_MARGIN),
                )
            ),
            *named(meta="tau2 i2"),
        ),
        empty=lambda given: empty_of_comparisons(given, paired=not given["unpaired"]),
    ),
    needs_less="fewer runs or measures (-m) at a time",
    long_work=True,
)
def command(
    pairing: PairingOptions,
    test: tuple[str, ...],
    correct: str,
    simultaneous: bool,
    meta: bool,
    paired_repeats: bool,
    effect_intervals: bool,
    margin: float | None,
    fail_if: str | None,
    for_new: str,
    reading: Request,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> Task:
    """Print the differences of runs with intervals, p-values and effect sizes.

    Runs are compared topic by topic: 'difference' is the mean of run less baseline, 'low' and
    'high' its interval, 'glass_delta' the difference in standard deviations of the baseline,
    'hedges_gz' in standard deviations of the differences, without bias ('hedges_g', of pooled ones,
    with --unpaired). 'wins', 'ties' and 'losses' count topics. 'p_adjusted' is that of the first
    test, corrected for all comparisons by a measure; by max-t it agrees with the intervals of
    --simultaneous, and tukey's needs no correction.

    The note says where to be careful: 'skewed' differences (a few topics decide: compare --method
    t,bootstrap-t), 'identical' runs, 'mostly ties', 'mostly one value', 'few topics', 'no variance'
    (all differences equal), 'unbounded', 'N topics missing' of the run or the baseline (scored 0),
    'few differences' (on too few topics for max-t to tell the two apart).

    Of several collections (--labels, or a column of a table), each has a row, and 'macro' is the
    mean of their differences, each of which counts alike: 'collections' says how many. It is for
    new topics of these collections, or with --for-new for new collections like these: then only t
    and randomization are there, and --simultaneous has bonferroni-t. Nothing is corrected for the
    number of collections. With --meta, 'meta' is a random-effects meta-analysis; 'tau2' and 'i2'
    are the variance between collections and its share.

    Topics in groups (--groups, or a column) are not independent: groups are what is resampled and
    flipped, and 'design_effect' says how many times as large the variance of the difference is.
    'wins', 'ties' and 'losses' count topics. Runs with repeats ({repeat} in --labels, or a column)
    are compared for new repeats too, by t alone: 'repeat_share' is the part of the variance that
    more topics would not remove, and --simultaneous has bonferroni-t.

    With a cheaper judge, such as a language model that judged these topics and more (--judge-qrels,
    --judge-scores), the interval is 'ppi', and the test t, of differences as people would find
    them, by both judges; all runs share one slope. 'human_difference', 'human_low' and 'human_high'
    are what people's topics say alone, 'judge_difference' what the judge says alone, and 'bias',
    'slope', 'correlation' and 'effective_topics' are as in 'confint interval'. There are no effect
    sizes, nor 'wins', 'ties' and 'losses'. People's topics must be a random sample of all.

    With --margin, 'p_noninferior' is of a one-sided t test that the run is not worse by more than
    the margin, 'p_equivalent' that the two differ by less; 'verdict' is equivalent, superior,
    inferior (each by the margin), not inferior or undecided. These are of one comparison each, not
    corrected. With --effect-intervals, 'glass_low', 'hedges_gz_high' and so on are the limits of
    effect sizes. With --fail-if, the exit status is 3 if some run does not pass.

    With --qrels, a warning says if runs would be told apart otherwise without the documents that
    nobody judged. With --unjudged bounds, 'least_difference' and 'largest_difference' are what the
    difference could be on these topics, however such documents are judged, in the same way for
    both runs; the interval is 'imbens-manski', and p is small only if the sign is sure.

    A terminal, Markdown and LaTeX have a row for each run, and mark what is significant at the
    first --level. With --layout paper they have the table of a paper: systems by measures, † and ‡
    for what is significantly above or below the baseline or, with --all-pairs, letters of the
    systems that one is significantly above.
    """
    from confint_cli.app.names import estimation_asked_for, tests_asked_for
    from confint_cli.app.options import baselines_asked_for
    from confint_cli.app.workload import before_comparing, with_draws
    from confint_cli.stats.comparison import Testing
    from confint_cli.stats.pairs import pairs_among
    from confint_cli.studies.checks import check_levels_of_margin, check_margin
    from confint_cli.studies.compare import compare
    from confint_cli.studies.designs import check_has_repeats, tests_suited_to
    from confint_cli.studies.gate import with_gate
    from confint_cli.studies.scope import designs_of, in_words
    from confint_cli.studies.unjudged import compared, decided_otherwise

    names = baselines_asked_for(pairing, reading)
    tests = tests_asked_for(test)
    is_all = "all" in split_at_commas(test)
    if simultaneous and tests[0] == "t" and not is_given("correct"):
        correct = "max-t"  # or p might say otherwise than the intervals
    testing = Testing(
        tests, correct, simultaneous, estimating.strict,
        margin=margin, effect_intervals=effect_intervals,
    )  # fmt: skip
    _check_max_t(testing)
    _check_gate(fail_if, names, margin)
    if margin is not None:
        check_levels_of_margin(estimating.level)
    estimation = estimation_asked_for(estimating, reading.workers, only=reading.only_method)
    methods = estimation.methods if is_given("method") else None
    if pairing.unpaired and reading.has_judge:
        raise CallError(
            "--unpaired is for runs on topics of their own, and a cheaper judge is for runs on the "
            "same topics",
            "leave --unpaired out",
        )
    if pairing.unpaired and reading.unjudged == "bounds":
        raise CallError(
            "--unpaired is for runs on topics of their own, and bounds are over judgements that "
            "both runs share",
            "leave --unpaired out",
        )
    if pairing.unpaired:
        _check_unpaired(testing, methods, estimating.standardize)
    elif simultaneous and methods is None:
        estimation = estimation.by(())

    def ask(work: Work) -> "Answer[CompareRow]":
        runs, every_two = len(work.scores.runs), pairing.all_pairs
        if meta and not work.scores.several:
            raise CallError("--meta is for several collections, and there is one", NAMES_THEM)
        designs = designs_of(work.scores)
        if designs and pairing.unpaired:
            raise CallError(
                f"--unpaired is for runs on topics of their own, not for {in_words(designs)}",
                "leave --unpaired out",
            )
        if meta and reading.unjudged == "bounds":
            raise CallError(
                "--meta is not for bounds: it knows nothing of documents that nobody judged",
                "leave --meta out",
            )
        if meta and reading.has_judge:
            raise CallError(
                "--meta is not for a cheaper judge: it knows no variances but those of people",
                "leave --meta out",
            )
        if meta and "repeats" in designs:
            raise CallError(
                "--meta takes collections for independent, and repeats are trained models that "
                "they share",
                "leave --meta out",
            )
        if paired_repeats:
            check_has_repeats(work.scores)
        full_testing = tests_suited_to(
            work.scores, testing, for_new, all_tests=is_all, chosen=is_given("correct")
        )
        full_estimation, about_draws = with_draws(
            estimation, estimating, runs, all_pairs=every_two, used=full_testing.draws
        )
        if margin is not None:
            check_margin(work.scores, margin)
        baselines = baselines_of(work, pairing, names, for_new)
        pairs = pairs_among(runs) if every_two else len(baselines) * (runs - 1)
        work.tell([*about_draws, *before_comparing(work.scores, pairs, writing)])
        progress = work.progress("comparing")

        def asked(scores: "Scores") -> "Answer[CompareRow]":
            return compare(
                scores,
                baselines,
                full_estimation,
                full_testing,
                paired=not pairing.unpaired,
                paired_repeats=paired_repeats,
                for_new=for_new,
                meta=meta,
                best_first=writing.sort == "mean",
                progress=progress,
            )

        answer = decided_otherwise(work.scores, asked(work.scores), asked, compared)
        if fail_if is None:
            return answer
        unread = [path for path in reading.files if path not in work.scores.origins]
        if "left_out" in work.facts:  # some are told of at the end, and the status is theirs
            unread = []
        return with_gate(answer, fail_if, work.scores, unread)

    return Task(
        "compare",
        ask,
        baselines=names,
        paired=not pairing.unpaired,
        estimating=estimating,
        designs=True,
        for_new=for_new,
    )


def _check_gate(fail_if: str | None, baselines: tuple[str, ...], margin: float | None) -> None:
    """Raise CallError for a gate that lacks what it is to be judged by."""
    if fail_if is not None and not baselines:
        raise CallError(
            f"--fail-if {fail_if} needs to know which run is the one to beat", "--baseline RUN"
        )
    if fail_if == INFERIOR and margin is None:
        raise CallError(
            "--fail-if inferior: by how much may a run be worse?",
            "--margin D says it, in the units of the measure",
        )


def _check_max_t(testing: "Testing") -> None:
    """Raise CallError for options that have no meaning with max-t, or without it."""
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
    """Raise CallError for options that have no meaning for runs on topics of their own.

    `methods` are those of --method; None: the call has no such option.
    """
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
