"""`confint plan`: how many topics do I need?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, Given, named, of_designs
from confint_cli.app.options import (
    STATISTICS,
    Group,
    command_of,
    for_new_options,
    is_given,
    judged_options,
    level_option,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.common.errors import CallError
from confint_cli.common.text import number, quoted, share, split_at_commas

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import PlanRow


def _targets(
    _context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Return the numbers in `texts`, each once; raise CallError for one that is not above 0."""
    targets = []
    for text in split_at_commas(texts):
        try:
            target = number(text)
        except ValueError:
            raise CallError(f"{option.opts[0]} {quoted(text)} is not a number") from None
        if target <= 0:
            raise CallError(
                f"{option.opts[0]} {text} is not above 0",
                "no number of topics would be enough",
            )
        targets.append(target)
    return tuple(dict.fromkeys(targets))


def _power(_context: click.Context, _option: click.Parameter, text: str) -> float:
    """Return the probability in a text, which may be a percentage: above 0 and below 1."""
    power = _share("--power", text)
    if not 0 < power < 1:
        raise CallError(f"--power {text} is not between 0 and 1", "0.8 and 80% both stand for 80%")
    return power


def _assurance(_context: click.Context, _option: click.Parameter, text: str | None) -> float | None:
    """Return the probability in a text, which may be a percentage: 0.5 or more, below 1."""
    if text is None:
        return None
    assurance = _share("--assurance", text)
    if assurance >= 1:
        raise CallError(f"--assurance {text} is not below 1", "0.8 and 80% both stand for 80%")
    if assurance < 0.5:
        raise CallError(
            f"--assurance {text} is less than one half",
            "without --assurance, about every other sample reaches the width",
        )
    return assurance


def _share(option: str, text: str) -> float:
    try:
        return share(text)
    except ValueError:
        raise CallError(f"{option} {quoted(text)} is not a number") from None


def _empty(given: Given) -> Iterator[tuple[str, str]]:
    """Yield the columns that no row will have a value in, each with the reason."""
    if not (given["half_width"] or given["difference"] or given["margin"]):
        for name in ("target", "topics_needed", "topics_needed_high"):
            yield name, "--half-width, --difference or --margin asks for it"
    if given["assurance"] is None:
        yield "assurance", "--assurance asks for it"


@command_of(
    judged_options,
    for_new_options,
    Group(STATISTICS, (level_option(),)),
    writing_options,
    short_help="How many topics do I need? For an interval so wide, or a difference so small.",
    examples="""\
  confint plan evals/*.eval -m map
  confint plan evals/bm25.eval -m map --half-width 0.03
  confint plan evals/bm25.eval -m map --half-width 0.03 --assurance 80%
  confint plan evals/bm25.eval evals/bm25-rm3.eval -m map --difference 0.02,0.03 --power 0.9
  confint plan evals/bm25.eval evals/bm25-rm3.eval -m map --margin 0.02
  confint standardize evals/*.eval -m map | confint plan --half-width 0.2 -
  confint plan --labels '{run}.seed{repeat}.eval' -m map seeds/*.seed*.eval --plot seeds.png
  confint plan -q human.qrels --judge-qrels llm.qrels -m nDCG@10 runs/* --half-width 0.03
""",
    columns=Columns(
        of_designs(
            named(
                "measure design sd target level power assurance topics_now topics_needed",
                "topics_needed_high attained runs note",
            )
        ),
        empty=_empty,
    ),
)
@click.option(
    "--half-width",
    multiple=True,
    metavar="H",
    callback=_targets,
    help="Topics for intervals no wider than ±H, of a run's mean and of the difference of two "
    "runs; repeat, or separate by commas.",
)
@click.option(
    "--difference",
    multiple=True,
    metavar="D",
    callback=_targets,
    help="Topics with which a paired t test finds a difference of D; repeat, or separate by "
    "commas.",
)
@click.option(
    "--margin",
    multiple=True,
    metavar="D",
    callback=_targets,
    help="Topics with which a run that is as good as another is shown not to be worse by more than "
    "D, as 'confint compare --margin' does; repeat, or separate by commas.",
)
@click.option(
    "--power",
    default="0.8",
    show_default=True,
    metavar="P",
    callback=_power,
    help="How probably it is to be found, or shown; a share, or a percentage such as 80%.",
)
@click.option(
    "--assurance",
    metavar="A",
    callback=_assurance,
    help="How probably a new sample's interval is to be no wider than ±H; a share of 0.5 or more, "
    "or a percentage such as 80%. Without it, about every other sample's is wider.",
)
def command(
    half_width: tuple[float, ...],
    difference: tuple[float, ...],
    margin: tuple[float, ...],
    power: float,
    assurance: float | None,
    for_new: str,
    level: tuple[float, ...],
) -> Task:
    """Print how many topics it takes, judging from the scores at hand.

    FILES are a pilot: one run, two that you want to tell apart, or all runs of a track. 'design'
    says what is planned: the half-width of the t interval of a run's mean, that of the difference
    of two runs on the same topics, or the difference that a paired t test (two-sided, at 1 less
    --level) detects with the given power; with --margin, the margin within which a run that is as
    good as another is shown not to be worse, by a one-sided test at 1 less --level. 'sd' is the
    run's standard deviation, or that of the two runs' differences. Of several runs, it is that of
    the mean variance and, for differences, of twice the residual mean square of runs and topics:
    what two runs such as these differ by, on average over all pairs.

    'topics_needed' is the smallest number of topics that is enough, by the exact condition with t
    or noncentral t, if 'sd' is right. It is an estimate: 'topics_needed_high' is the same for the
    upper limit of 'sd' (80%, by chi-squared with one degree of freedom less than topics), so that
    with 80% confidence no more are needed, if scores, or differences, are about normal. With as
    many topics as a half-width needs, about every other sample has a wider interval, as its own
    standard deviation is larger; --assurance asks for more.

    Of several collections (--labels, or a column of a table), 'macro' is the mean of their means.
    For new topics of these collections, 'topics_needed' are those of all together, in the
    proportion in which they have them, and there is no one 'sd'; with --for-new collections,
    'collections_needed' says how many collections like these it takes.

    With topics in groups (--groups, or a column), 'groups_needed' counts groups like these, and
    'group_share' is the part of the variance that longer groups would not remove. With repeats
    ({repeat} in --labels, or a column), 'topics_needed' is with as many repeats, 'repeats_needed'
    with the topics at hand, and 'repeat_share' the part that more topics would not remove.

    With a cheaper judge (--judge-qrels, --judge-scores), topics are those of people, beside as many
    of the judge as there are ('judge_topics'). 'human_attained' is what people's topics give
    without it, and 'topics_for_same' how many of them would give that with it.

    'attained' is the other way round: the half-width or the detectable difference that the topics
    at hand ('topics_now') give; without any target, that alone.
    """
    from confint_cli.studies.checks import check_levels_of_margin, check_margin
    from confint_cli.studies.plan import Aim, plan

    has_power = is_given("power")
    tested = difference or margin
    if has_power and half_width and not tested:
        raise CallError("--power is for --difference and --margin, and an interval has none")
    if assurance is not None and not half_width:
        named = "--difference" if difference else "--margin"
        other = f"{named} has --power" if tested else "there is none"
        raise CallError(f"--assurance is for --half-width, and {other}")
    if margin:
        check_levels_of_margin(level)
    aim = Aim(half_width, difference, margin, power, level, assurance)

    def ask(work: Work) -> "Answer[PlanRow]":
        if has_power and not tested and len(work.scores.runs) == 1:
            raise CallError("--power is for differences, and there is one run")
        for each in margin:
            check_margin(work.scores, each)
        return plan(work.scores, aim, for_new=for_new)

    return Task("plan", ask, designs=True, for_new=for_new)
