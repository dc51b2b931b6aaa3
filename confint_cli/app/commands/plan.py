"""`confint plan`: how many topics do I need?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, Given, named, of_designs
from confint_cli.app.command import STATISTICS, Group, command_of, is_given
from confint_cli.app.options import for_new_options, judged_options, level_option, writing_options
from confint_cli.app.task import Task, Work
from confint_cli.common.errors import CallError
from confint_cli.common.text import number, quoted, share, split_at_commas
from confint_cli.studies.columns import PLANS

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
            yield name, "--half-width, --difference or --margin fills it"
    if given["assurance"] is None:
        yield "assurance", "--assurance fills it"


@command_of(
    judged_options,
    for_new_options,
    Group(STATISTICS, (level_option(),)),
    writing_options,
    short_help="How many topics do I need? For an interval of a given width, or to detect a given "
    "difference.",
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
    columns=Columns(of_designs(named(PLANS)), empty=_empty),
)
@click.option(
    "--half-width",
    multiple=True,
    metavar="H",
    callback=_targets,
    help="Plan for intervals no wider than ±H, of a run's mean and of the difference of two runs. "
    "Repeat the option, or separate numbers by commas.",
)
@click.option(
    "--difference",
    multiple=True,
    metavar="D",
    callback=_targets,
    help="Plan for a paired t test that finds a difference of D. Repeat the option, or separate "
    "numbers by commas.",
)
@click.option(
    "--margin",
    multiple=True,
    metavar="D",
    callback=_targets,
    help="Plan for showing that a run that is as good as another is not worse by more than D, as "
    "'confint compare --margin' does. Repeat the option, or separate numbers by commas.",
)
@click.option(
    "--power",
    default="0.8",
    show_default=True,
    metavar="P",
    callback=_power,
    help="Probability with which the test of --difference or --margin succeeds; a share, or a "
    "percentage such as 80%.",
)
@click.option(
    "--assurance",
    metavar="A",
    callback=_assurance,
    help="Probability that the interval of a new sample is no wider than ±H; a share of 0.5 or "
    "more, or a percentage such as 80%. Without this option, about every other sample has a wider "
    "one.",
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
    """Print how many topics you need, judging from the scores at hand.

    FILES are a pilot: one run, two runs that you want to tell apart, or all runs of a track. Give a
    half-width, a difference or a margin as the target. Without a target, confint prints what the
    topics at hand give.

    \b
    The column 'design' says what is planned:
      half-width of mean
                  of the t interval of a run's mean
      half-width of difference
                  of the t interval of the difference of two
                  runs on the same topics
      detectable difference
                  the difference that a paired t test
                  (two-sided, at 1 - level) detects with the
                  given --power
      non-inferiority margin
                  with --margin: the margin within which a run
                  that is as good as another is shown not to
                  be worse, by a one-sided test at 1 - level,
                  with --power

    \b
    The other main columns:
      sd             the standard deviation of the run's
                     scores, or of the differences of the two
                     runs
      topics_needed  the smallest number of topics that is
                     enough if 'sd' is right, by the exact
                     condition with t or noncentral t
      topics_needed_high
                     the same for the upper limit of 'sd'
      topics_now     the number of topics at hand
      attained       the half-width, difference or margin that
                     these give
      note           such as 'met already', 'out of reach' or
                     'small pilot' (fewer than 30 topics)

    With several runs, 'sd' is the square root of their mean variance. For differences, it is the
    square root of twice the residual mean square of runs and topics: what two runs such as these
    differ by, on average over all pairs.

    'topics_needed' is an estimate, because 'sd' is one. 'topics_needed_high' allows for that: if
    scores, or differences, are about normal, then with 80% confidence you need no more topics than
    that (the upper limit of 'sd' is by chi-squared, with one degree of freedom fewer than topics).

    With the number of topics that a half-width needs, about every other sample has a wider
    interval, because its own standard deviation is larger. --assurance asks for more certainty.

    With several collections (--labels, or a column of a table), the row 'macro' is about the mean
    of their means. For new topics of these collections, 'topics_needed' counts the topics of all
    collections together, in the proportion that they have now, and there is no single 'sd'. With
    --for-new collections, 'collections_needed' says how many collections like these you need.

    With topics in groups (--groups, or a column), 'groups_needed' says how many groups like these
    you need. 'group_share' is the part of the variance that longer groups would not remove.

    With repeats of runs ({repeat} in --labels, or a column), 'topics_needed' assumes the number of
    repeats that you have, and 'repeats_needed' the topics that you have. 'repeat_share' is the part
    of the variance that more topics would not remove.

    With a cheaper judge (--judge-qrels, --judge-scores), all topic counts are of human-judged
    topics, next to the judge's topics that you have ('judge_topics'). 'human_attained' is what the
    human-judged topics give without the judge. 'topics_for_same' says how many of them would give
    that with the judge.
    """  # noqa: D301
    from confint_cli.studies.checks import check_levels_of_margin, check_margin
    from confint_cli.studies.plan import Aim, plan

    has_power = is_given("power")
    tested = difference or margin
    if has_power and half_width and not tested:
        raise CallError("--power is for --difference and --margin; an interval has no power")
    if assurance is not None and not half_width:
        named = "--difference" if difference else "--margin"
        other = f"{named} has --power instead" if tested else "none is given"
        raise CallError(f"--assurance is for --half-width, but {other}")
    if margin:
        check_levels_of_margin(level)
    aim = Aim(half_width, difference, margin, power, level, assurance)

    def ask(work: Work) -> "Answer[PlanRow]":
        if has_power and not tested and len(work.scores.runs) == 1:
            raise CallError("--power is for differences, but there is only one run")
        for each in margin:
            check_margin(work.scores, each)
        return plan(work.scores, aim, for_new=for_new)

    return Task("plan", ask, designs=True, for_new=for_new)
