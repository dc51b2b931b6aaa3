"""`confint risk`: does A hurt topics that the baseline did well?"""

from functools import partial
from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, named
from confint_cli.app.command import command_of, is_given
from confint_cli.app.options import (
    NAME_OR_FILE,
    EstimatingOptions,
    WritingOptions,
    among_own,
    baseline_option,
    reading_options,
    statistics_options,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.common.errors import CallError
from confint_cli.common.text import number, quoted, share, split_at_commas
from confint_cli.scores.request import Request
from confint_cli.studies.columns import RISKS, RISKS_OVER_RUNS

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import RiskRow, RiskSummaryRow

_MOST_R = 1_000_000  # the largest weight of a loss
_USUAL_R = "1,2,5,10"
_R_IS = "r = 1 + α is how many times a loss counts as much as a win, so α = 0 is r = 1"


@command_of(
    among_own(baseline_option(NAME_OR_FILE)),
    reading_options,
    statistics_options(
        methods="t,percentile,basic,bootstrap-t,bca", standardize="", differences=True
    ),
    writing_options,
    short_help="Does A hurt topics that the baseline did well on? URisk, TRisk and GeoRisk.",
    examples="""\
  confint risk -m map --baseline bm25 evals/*.eval
  confint risk new.eval -m map --baseline old.eval --r 1,5 --method t,bca
  confint risk -q qrels.txt -m nDCG@10 --baseline bm25 runs/*.gz -o risk.tsv
  confint risk -m map --baseline bm25 --summary --level 0.95,0.999 --resamples 100000 evals/*
""",
    columns=Columns(
        named(RISKS),
        instead={"summary": named(RISKS_OVER_RUNS)},
    ),
    long_work=True,
)
@click.option(
    "--r",
    "r",
    multiple=True,
    default=(_USUAL_R,),
    metavar="R",
    help="How many times as much a loss counts as a win: 1 or more. Repeat the option, or separate "
    f"numbers by commas. [default: {_USUAL_R}]",
)
@click.option(
    "--alpha",
    multiple=True,
    metavar="A",
    help="The same weight as other papers write it: r = 1 + α. Use it instead of --r.",
)
@click.option(
    "--summary",
    is_flag=True,
    help="Summarise the best runs: the medians of the limits, and how far the methods disagree.",
)
@click.option(
    "--top",
    metavar="SHARE",
    default="0.75",
    show_default=True,
    help="With --summary: the share of runs to take, rounded up, those with the best means first.",
)
def command(
    baseline: tuple[str, ...],
    r: tuple[str, ...],
    alpha: tuple[str, ...],
    summary: bool,
    top: str,
    reading: Request,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> Task:
    """Print what runs risk against a baseline, counting a loss r times as much as a win.

    A loss is a topic on which the run scores less than the baseline, a win one on which it scores
    more. There is one row per run, r, method and level.

    \b
    The main columns:
      urisk_minus     the mean of the weighted differences
                      over the topics, with its sign turned:
                      above 0 is risky, because losses, taken
                      r-fold, outweigh wins
      low, high       its interval
      trisk           URisk over its standard error, its sign
                      not turned: above 2 is called a
                      risk-free improvement, below -2 is
                      statistically risky
      georisk         a run's mean together with how evenly it
                      is earned, against all runs given, at
                      this r; more is better; needs scores of
                      0 or more
      wins, losses    the numbers of topics
      shapiro_topics  Shapiro and Wilk's W of the weighted
                      differences of the topics; 1 is normal
      shapiro_bootstrap
                      the same of the bootstrap of their mean,
                      from 5000 equally spaced quantiles or as
                      many resamples

    At r = 1, URisk is the mean difference and TRisk is its paired t. With fewer than 20 topics, the
    limit of TRisk is not 2 but more: the 97.5% quantile of t. The lower 'shapiro_bootstrap' is, the
    farther off t intervals and TRisk can be.

    \b
    What the note means:
      few losses        so few topics with losses decide that
                        one of 100 resamples has none of them
      no losses         URisk and TRisk are the same at all r
      no wins           TRisk is the same at all r
      skewed            too skewed for this method; from r of
                        5 on, bootstrap-t is usually more
                        accurate
      identical, mostly ties, mostly one value, few topics, no
      variance, unbounded
                        as in 'confint compare'
      N topics missing  the run or the baseline lacks N
                        topics, scored 0

    \b
    With --summary, there is one row per r, method and level:
      urisk_minus, low, high
                  medians over the best runs
      low_notch_low and so on
                  McGill's notches of the limits: median ±
                  1.57 interquartile ranges over √runs
      low_from_t, high_from_t
                  how far the limits are from those of t, in
                  half-widths of t; in the median run
      disagree    for how many runs the method and t disagree:
                  a run is risky if all of the interval is
                  above 0, risk-free if all of it is below,
                  and undecided otherwise
      note        as above, with the number of runs it is true
                  of
    """  # noqa: D301
    from confint_cli.app.names import estimation_asked_for
    from confint_cli.scores.naming import separated
    from confint_cli.studies.risk import risk, risk_summary

    if not separated(baseline):
        raise CallError("compare with what?", "name a run with --baseline RUN")
    if not summary and is_given("top"):
        raise CallError("--top is for --summary")
    if alpha and is_given("r"):
        raise CallError("--r and --alpha: use only one of them", _R_IS)
    top_share = _share(top)
    rs = _weights("alpha", alpha, 1) if alpha else _weights("r", r, 0)
    estimation = estimation_asked_for(estimating, reading.workers)

    def ask(work: Work) -> "Answer[RiskRow] | Answer[RiskSummaryRow]":
        best_first, progress = writing.sort == "mean", work.progress("resampling")
        study = partial(risk_summary, top=top_share) if summary else risk
        return study(
            work.scores, work.baselines, rs, estimation, best_first=best_first, progress=progress
        )

    return Task(
        "risk",
        ask,
        baselines=baseline,
        why_plain="risk is one of losing independent topics of one collection",
    )


def _weights(name: str, texts: tuple[str, ...], added: int) -> tuple[float, ...]:
    """Return the weights of losses, r, in the texts of option `name`, each once.

    They are the numbers in the texts plus `added`, which is 1 for α. Raise CallError for weights
    below 1, or too large.
    """
    weights = []
    for text in split_at_commas(texts):
        try:
            weight = number(text) + added
        except ValueError:
            raise CallError(f"--{name} {quoted(text)} is not a number", _R_IS) from None
        if weight < 1:
            raise CallError(f"--{name} {text} is below {1 - added}", _R_IS)
        if weight > _MOST_R:
            raise CallError(f"--{name} {text} is above {_MOST_R - added}, the largest allowed")
        weights.append(float(f"{weight:.15g}"))  # as the table shows it
    return tuple(dict.fromkeys(weights))


def _share(text: str) -> float:
    """Return the share of the runs in a text: above 0, and 1 at most."""
    hint = "0.75 and 75% both stand for three quarters of the runs"
    try:
        parsed = share(text.strip())
    except ValueError:
        raise CallError(f"--top {quoted(text)} is not a number", hint) from None
    if not 0 < parsed <= 1:
        raise CallError(f"--top {text} is not a share of the runs", hint)
    return parsed
