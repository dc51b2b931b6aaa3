"""`confint plan`: how many topics do I need?"""

import click
from click.core import ParameterSource

from confint_cli.errors import CallError
from confint_cli.options import (
    ReadingOptions,
    WritingOptions,
    answering_options,
    level_option,
    reading_options,
)
from confint_cli.text import number, quoted, share, split_at_commas


def _targets(
    _context: click.Context, option: click.Parameter, texts: tuple[str, ...]
) -> tuple[float, ...]:
    """Return numbers above 0, each once."""
    found = []
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
        found.append(target)
    return tuple(dict.fromkeys(found))


def _power(_context: click.Context, _option: click.Parameter, text: str) -> float:
    """Return a probability, which may be a percentage."""
    try:
        power = share(text)
    except ValueError:
        raise CallError(f"--power {quoted(text)} is not a number") from None
    if not 0 < power < 1:
        raise CallError(f"--power {text} is not between 0 and 1", "0.8 and 80% both stand for 80%")
    return power


@click.command(
    short_help="How many topics do I need? For an interval so wide, or a difference so small.",
    epilog="""\b
Examples:
  confint plan evals/*.eval -m map
  confint plan evals/bm25.eval -m map --half-width 0.03
  confint plan evals/bm25.eval evals/bm25-rm3.eval -m map --difference 0.02,0.03 --power 0.9
  confint standardize evals/*.eval -m map | confint plan --half-width 0.2 -
""",
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
    "--power",
    default="0.8",
    show_default=True,
    metavar="P",
    callback=_power,
    help="How probably it is to be found; a share, or a percentage such as 80%.",
)
@reading_options
@level_option
@answering_options
@click.pass_context
def command(
    context: click.Context,
    half_width: tuple[float, ...],
    difference: tuple[float, ...],
    power: float,
    reading: ReadingOptions,
    level: tuple[float, ...],
    writing: WritingOptions,
) -> None:
    """Print how many topics it takes, judging from the scores at hand.

    FILES are a pilot: one run, two that you want to tell apart, or all runs of a track. 'design'
    says what is planned: the half-width of the t interval of a run's mean, that of the difference
    of two runs on the same topics, or the difference that a paired t test (two-sided, at 1 less
    --level) detects with the given power. 'sd' is the run's standard deviation, or that of the two
    runs' differences. Of several runs, it is that of the mean variance and, for differences, of
    twice the residual mean square of runs and topics: what two runs such as these differ by, on
    average over all pairs.

    'topics_needed' is the smallest number of topics that is enough, by the exact condition with t
    or noncentral t. 'attained' is the other way round: the half-width or the detectable difference
    that the topics at hand ('topics_now') give; without any target, that alone.
    """
    from confint_cli.commands import _run
    from confint_cli.studies.plan import Aim, plan

    given = context.get_parameter_source("power") is not ParameterSource.DEFAULT
    if given and half_width and not difference:
        raise CallError("--power is for --difference, and an interval has none")
    aim = Aim(half_width, difference, power, level)
    with _run.writer(writing, figure="plan") as write:
        scores = _run.read(reading, writing)
        signature = {
            **_run.signature("plan", scores, reading),
            "levels": ",".join(map(str, level)),
            **_run.computing(),
        }
        if difference or (len(scores.runs) > 1 and not half_width):
            signature["power"] = str(power)
        elif given:
            raise CallError("--power is for differences, and there is one run")
        table, notices = plan(scores, aim, signature)
        _run.tell(notices, writing)
        write(table)
