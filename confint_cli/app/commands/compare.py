"""`confint compare`: is A better than B, and by how much?"""

from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, empty_of_comparisons, named, of_designs, of_parts
from confint_cli.app.command import command_of, is_given
from confint_cli.app.options import (
    EstimatingOptions,
    PairingOptions,
    WritingOptions,
    about_differences,
    among_own,
    correct_option,
    deciding_options,
    for_new_options,
    pairing_options,
    paper_options,
    statistics_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.app.types import Choice
from confint_cli.common.errors import CallError
from confint_cli.common.text import split_at_commas
from confint_cli.scores.request import Request
from confint_cli.scores.treatments import BOUNDS
from confint_cli.stats.names import MAX_T
from confint_cli.studies.asked import GATES, INFERIOR
from confint_cli.studies.columns import OF_META, comparisons
from confint_cli.studies.scope import OF_REPEATS, designs_of, in_words
from confint_cli.studies.yardstick import Yardstick

if TYPE_CHECKING:
    from confint_cli.scores.scores import Scores
    from confint_cli.stats.comparison import Testing
    from confint_cli.stats.estimate import Estimation
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import CompareRow


_USUAL_TEST = "t"
NAMES_THEM = "--labels '{collection}/{run}.run' takes names of collections from the paths of FILES"
_TESTING = (
    click.Option(
        ["--test"],
        multiple=True,
        default=(_USUAL_TEST,),
        metavar="NAME",
        help="Tests to compute ('confint tests' lists them). Repeat the option, or separate names "
        "by commas; 'all' computes all. p_adjusted belongs to the first test. "
        f"[default: {_USUAL_TEST}]",
    ),
    correct_option(max_t=" [default: holm; with --simultaneous and the t test, max-t]"),
    click.Option(
        ["--simultaneous"],
        is_flag=True,
        help="Print intervals that hold for all comparisons in a measure at once (max-t). With "
        "--method, print them in addition to those of the method.",
    ),
    click.Option(
        ["--meta"],
        is_flag=True,
        help="With several collections: add a random-effects meta-analysis, by DerSimonian-Laird "
        "and by Hartung-Knapp.",
    ),
    *about_differences,
    click.Option(
        ["--fail-if"],
        type=Choice(list(GATES)),
        help="A gate for Makefiles and CI: exit with status 3 if some run's interval lies wholly "
        "below 0 (worse), does not lie wholly above 0 (not-better), or if some run is not shown to "
        "be at most --margin worse (inferior). Needs --baseline.",
    ),
)


@command_of(
    pairing_options(unpaired="use Welch's t test and interval"),
    among_own(*_TESTING),
    deciding_options,
    for_new_options,
    statistics_options(methods="t", drawing=True, differences=True),
    paper_options,
    short_help="Is A better than B, and by how much? Differences, intervals, tests, effect sizes.",
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
        (*of_designs(of_parts(comparisons())), *named(OF_META, "meta")),
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
    """Print how much better or worse each run is: differences, intervals, p-values, effect sizes.

    confint compares runs topic by topic. Each difference is run minus baseline, and each row is one
    interval of one difference.

    \b
    The main columns:
      difference     mean of the run minus mean of the
                     baseline
      low, high      the interval of the difference
      p_t and so on  two-sided p-values, one column for each
                     --test
      p_adjusted     p of the first test, corrected for all
                     comparisons in this measure; with max-t
                     it agrees with the intervals of
                     --simultaneous, and tukey needs no
                     correction
      glass_delta    the difference in standard deviations of
                     the baseline
      hedges_gz      the difference in standard deviations of
                     the differences, corrected for bias
      hedges_g       with --unpaired instead: in pooled
                     standard deviations
      wins, ties, losses
                     on how many topics the run is better,
                     equal, worse
      note           where to be careful; empty if there is
                     nothing to say

    \b
    What the note means:
      skewed            a few topics decide; see if --method
                        t,bootstrap-t agree (not with repeats
                        of runs, which only t is for)
      identical         both runs have the same scores
      mostly ties, mostly one value
                        nearly all topics have no difference,
                        or the same one
      few topics        fewer than 10 topics
      few differences   the runs differ on too few topics for
                        max-t to tell them apart
      no variance       all differences are equal
      unbounded         a limit is infinite
      N topics missing  the run or the baseline lacks N
                        topics, scored 0

    With --margin D, confint asks whether a difference matters. 'p_noninferior' is for a one-sided t
    test that the run is not worse by more than D; 'p_equivalent' is for a test that the two differ
    by less than D. 'verdict' is equivalent, superior, inferior (better or worse by more than D),
    not inferior, or undecided. These p-values are not corrected: each is for one comparison by
    itself.

    With --effect-intervals, each effect size has its limits in two more columns, such as
    'glass_low' and 'glass_high' or 'hedges_gz_low' and 'hedges_gz_high'.

    With --fail-if, the exit status is 3 if some run does not pass.

    With several collections (--labels, or a column of a table), each collection has a row. The row
    'macro' has the mean of their differences: each collection counts equally, and 'collections' is
    their number. The available tests are t and randomization. The interval of 'macro' is for new
    topics of these collections. With --for-new collections, it is for new collections like these:
    then the only method is t, and --simultaneous gives bonferroni-t. Nothing is corrected for the
    number of collections. With --meta, rows 'meta' add a random-effects meta-analysis; 'tau2' is
    the variance between collections, and 'i2' its share.

    With topics in groups (--groups, or a column), such as the turns of a conversation, topics are
    not independent. confint resamples and flips whole groups; the available tests are t and
    randomization. 'design_effect' says how many times as large the variance of the difference is as
    that of independent topics. 'wins', 'ties' and 'losses' still count topics.

    With repeats of runs ({repeat} in --labels, or a column), such as training seeds, the result is
    for new repeats as well as new topics. t is the only method and test, and --simultaneous gives
    bonferroni-t. 'repeat_share' is the part of the variance that more topics would not remove. The
    notes 'one repeat' and 'baseline: one repeat' mark a run without repeats among runs that have
    them; confint takes its scores as they are.

    With a cheaper judge (--judge-qrels, --judge-scores), such as a language model that judged these
    topics and more, the difference is the one that people would find. The interval is 'ppi' and the
    test is t; both use both judges, and all runs share one slope. The topics that people judged
    must be a random sample of all topics. There are no effect sizes, wins, ties or losses.

    \b
    Columns with a cheaper judge:
      human_topics      the topics that people judged
      human_difference  the difference from human judgements
                        only, with its interval human_low,
                        human_high
      judge_difference  the difference from the judge only
      bias, slope, correlation, effective_topics
                        as in 'confint interval', here for
                        differences

    With --qrels, a warning names decisions that change without the documents that nobody judged.
    With --unjudged bounds, 'least_difference' and 'largest_difference' say what the difference on
    these topics could be, whatever the judgements of such documents; a judgement counts for both
    runs. The interval is 'imbens-manski', and p is small only if the sign of the difference is
    certain.

    A terminal, Markdown and LaTeX show one row per run, and mark what is significant at the first
    --level. With --layout paper, they show the table of a paper, with systems in rows and measures
    in columns. † and ‡ mark what is significantly above or below the baseline. With --all-pairs,
    letters name the systems that a system is significantly above.
    """  # noqa: D301
    from confint_cli.app.names import estimation_asked_for, only_method, tests_asked_for
    from confint_cli.app.pairing import baselines_asked_for, baselines_of
    from confint_cli.app.workload import before_comparing, with_draws
    from confint_cli.stats.comparison import Testing
    from confint_cli.stats.pairs import pairs_among
    from confint_cli.studies.checks import check_levels_of_margin, check_margin
    from confint_cli.studies.compare import compare, deciding
    from confint_cli.studies.designs import check_has_repeats, tests_suited_to
    from confint_cli.studies.gate import with_gate
    from confint_cli.studies.unjudged import decided_otherwise, decisions_of_pairs

    names = baselines_asked_for(pairing, reading)
    tests = tests_asked_for(test)
    is_all = "all" in split_at_commas(test)
    if simultaneous and tests[0] == "t" and not is_given("correct"):
        correct = MAX_T  # or p might say otherwise than the intervals
    testing = Testing(
        tests, correct, simultaneous, estimating.strict,
        margin=margin, effect_intervals=effect_intervals,
    )  # fmt: skip
    _check_max_t(testing)
    _check_gate(fail_if, names, margin)
    if margin is not None:
        check_levels_of_margin(estimating.level)
    estimation = estimation_asked_for(estimating, reading.workers, only=only_method(reading))
    methods = estimation.methods if is_given("method") else None
    if pairing.unpaired:
        _check_unpaired(reading, testing, methods, estimating.standardize)
    elif simultaneous and methods is None:
        estimation = estimation.by(())

    def ask(work: Work) -> "Answer[CompareRow]":
        runs, every_two = len(work.scores.runs), pairing.all_pairs
        _check_meta_and_unpaired(work.scores, reading, meta=meta, unpaired=pairing.unpaired)
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

        def asked(
            scores: "Scores", estimation: "Estimation", testing: "Testing"
        ) -> "Answer[CompareRow]":
            return compare(
                scores,
                baselines,
                estimation,
                testing,
                paired=not pairing.unpaired,
                paired_repeats=paired_repeats,
                for_new=for_new,
                meta=meta,
                best_first=writing.sort == "mean",
                progress=progress,
            )

        answer = decided_otherwise(
            work.scores,
            asked(work.scores, full_estimation, full_testing),
            lambda scores: asked(scores, *deciding(full_estimation, full_testing)),
            decisions_of_pairs,
        )
        if fail_if is None:
            return answer
        unread = [path for path in reading.all_files if path not in work.scores.origins]
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
            f"--fail-if {fail_if} needs to know which run is the one to beat",
            "name it with --baseline RUN",
        )
    if fail_if == INFERIOR and margin is None:
        raise CallError(
            "--fail-if inferior: by how much may a run be worse?",
            "give --margin D, in the units of the measure",
        )


def _check_max_t(testing: "Testing") -> None:
    """Raise CallError for options that have no meaning with max-t, or without it."""
    if testing.correction == MAX_T and testing.tests[0] != "t":
        raise CallError(
            f"--correct max-t is for the t test, but the first --test is {testing.tests[0]}",
            "--correct holm is for any test",
        )
    if testing.strict and not testing.at_once:
        raise CallError(
            "--strict is for simultaneous intervals and their p-values",
            "use it with --simultaneous or --correct max-t",
        )


def _check_unpaired(
    reading: Request,
    testing: "Testing",
    methods: tuple[str, ...] | None,
    standardize: Yardstick | None,
) -> None:
    """Raise CallError for options that have no meaning for runs on topics of their own.

    `methods` are those of --method; None: the call has no such option.
    """
    if reading.has_judge:
        raise CallError(
            "--unpaired is for runs on different topics, but a cheaper judge is for runs on the "
            "same topics",
            "leave out --unpaired",
        )
    if reading.unjudged == BOUNDS:
        raise CallError(
            "--unpaired is for runs on different topics, but bounds are over judgements that both "
            "runs share",
            "leave out --unpaired",
        )
    if testing.tests != ("t",):
        raise CallError("--unpaired has only one test, Welch's t test", "leave out --test")
    if methods is not None and methods != ("t",):
        raise CallError(
            "--unpaired has only one interval, Welch's t interval", "leave out --method"
        )
    if testing.at_once:
        option = "--simultaneous" if testing.simultaneous else "--correct max-t"
        raise CallError(f"{option} is for runs on the same topics, not with --unpaired")
    if standardize is not None and standardize.path is None:
        raise CallError(
            "runs on different topics cannot standardise each other",
            "use --standardize FILE, with factors that 'confint standardize' saved",
        )


def _check_meta_and_unpaired(
    scores: "Scores", reading: Request, *, meta: bool, unpaired: bool
) -> None:
    """Raise CallError for --meta or --unpaired if the design of the scores rules it out."""
    if meta and not scores.several:
        raise CallError("--meta is for several collections, but there is only one", NAMES_THEM)
    designs = designs_of(scores)
    if designs and unpaired:
        raise CallError(
            f"--unpaired is for runs on different topics, not for {in_words(designs)}",
            "leave out --unpaired",
        )
    if not meta:
        return
    if reading.unjudged == BOUNDS:
        raise CallError(
            "--meta is not for bounds: it does not account for unjudged documents",
            "leave out --meta",
        )
    if reading.has_judge:
        raise CallError(
            "--meta is not for a cheaper judge: it uses only the variances of people's scores",
            "leave out --meta",
        )
    if OF_REPEATS in designs:
        raise CallError(
            "--meta treats collections as independent, but they share the repeats, which are "
            "trained models",
            "leave out --meta",
        )
