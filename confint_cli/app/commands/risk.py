"""`confint risk`: does A hurt topics that the baseline did well?"""

from functools import partial
from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, named
from confint_cli.app.options import (
    NAME_OR_FILE,
    EstimatingOptions,
    WritingOptions,
    among_own,
    baseline_option,
    command_of,
    is_given,
    reading_options,
    statistics_options,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.common.errors import CallError
from confint_cli.common.text import number, quoted, share, split_at_commas
from confint_cli.scores.request import Request

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
    short_help="Does A hurt topics that the baseline did well? URisk, TRisk, GeoRisk.",
    examples="""\
  confint risk -m map --baseline bm25 evals/*.eval
  confint risk new.eval -m map --baseline old.eval --r 1,5 --method t,bca
  confint risk -q qrels.txt -m nDCG@10 --baseline bm25 runs/*.gz -o risk.tsv
  confint risk -m map --baseline bm25 --summary --level 0.95,0.999 --resamples 100000 evals/*
""",
    columns=Columns(
        named(
            "measure run baseline topics r method level urisk_minus trisk georisk low high wins",
            "losses shapiro_topics shapiro_bootstrap note",
        ),
        instead={
            "summary": named(
                "measure baseline topics runs r method level urisk_minus low low_notch_low",
                "low_notch_high high high_notch_low high_notch_high low_from_t high_from_t",
                "disagree shapiro_topics shapiro_bootstrap note",
            )
        },
    ),
    long_work=True,
)
@click.option(
    "--r",
    "r",
    multiple=True,
    default=(_USUAL_R,),
    metavar="R",
    help="How many times a loss counts as much as a win, from 1 on; repeat, or separate by commas. "
    f"[default: {_USUAL_R}]",
)
@click.option(
    "--alpha",
    multiple=True,
    metavar="A",
    help="The same as other papers say it: r = 1 + α. Instead of --r.",
)
@click.option(
    "--summary",
    is_flag=True,
    help="Over the best runs: the medians of the limits, and how far methods disagree.",
)
@click.option(
    "--top",
    metavar="SHARE",
    default="0.75",
    show_default=True,
    help="With --summary: this share of the runs, rounded up, the best by their means.",
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

    'urisk_minus' is the mean over topics of the weighted differences with the sign turned, so that
    above 0 is risky: losses, taken r-fold, outweigh wins. 'low' and 'high' are its interval.
    'trisk' is URisk over its standard error, its sign not turned: above 2 is called a risk-free
    improvement, below -2 is statistically risky (of fewer than 20 topics it takes more, the 97.5%
    quantile of t). 'georisk' joins a run's mean with how evenly it is earned, against all runs
    given, at this r; more is better, and it needs scores of 0 or more. 'wins' and 'losses' count
    topics. At r = 1, URisk is the mean difference and TRisk its paired t.

    'shapiro_topics' is Shapiro and Wilk's W of the topics' weighted differences,
    'shapiro_bootstrap' that of the bootstrap of their mean, from 5000 equally spaced quantiles or
    as many resamples: 1 is normal. The lower the latter is, the farther t intervals and TRisk may
    be off.

    The note says where to be careful: 'few losses' (so few topics decide that one of 100 resamples
    has none of them), 'no losses' (URisk and TRisk are the same at all r), 'no wins' (TRisk is the
    same at all r), 'skewed' (too much for this method: from r of 5 on, bootstrap-t comes closer),
    'identical' runs, 'mostly ties', 'mostly one value', 'few topics', 'no variance', 'unbounded',
    'N topics missing' of the run or the baseline (scored 0).

    --summary has a row for each r, method and level: medians of the limits over the best runs with
    McGill's notches (median ± 1.57 interquartile ranges over √runs), how far they are from those of
    t ('low_from_t', 'high_from_t', in half-widths of t, in the median), and of how many runs the
    method says otherwise than t does ('disagree': risky if all of the interval is above 0,
    risk-free if all of it is below, or undecided). Its notes count runs.
    """
    from confint_cli.app.names import estimation_asked_for
    from confint_cli.scores.naming import separated
    from confint_cli.studies.risk import risk, risk_summary

    if not separated(baseline):
        raise CallError("compare with what?", "--baseline RUN is what others are compared with")
    if not summary and is_given("top"):
        raise CallError("--top is for --summary")
    if alpha and is_given("r"):
        raise CallError("--r and --alpha: only one of them can be meant", _R_IS)
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
            raise CallError(f"--{name} {text} is above {_MOST_R - added}, the most there is")
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
