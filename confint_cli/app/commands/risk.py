"""`confint risk`: does A hurt topics that the baseline did well?"""

import click
from click.core import ParameterSource

from confint_cli.app.options import (
    EstimatingOptions,
    ReadingOptions,
    WritingOptions,
    answering_options,
    baseline_option,
    estimating_options,
    reading_options,
)
from confint_cli.common.errors import CallError
from confint_cli.common.text import number, quoted, share, split_at_commas

_MOST_R = 1_000_000
_R_IS = "r = 1 + α is how many times a loss counts as much as a win, so α = 0 is r = 1"


@click.command(
    short_help="Does A hurt topics that the baseline did well? URisk, TRisk, GeoRisk.",
    epilog="""\b
Examples:
  confint risk -m map --baseline bm25 evals/*.eval
  confint risk new.eval -m map --baseline old.eval --r 1,5 --method t,bca
  confint risk -q qrels.txt -m nDCG@10 --baseline bm25 runs/*.gz -o risk.tsv
  confint risk -m map --baseline bm25 --summary --level 0.95,0.999 --resamples 100000 evals/*
""",
)
@baseline_option("its name or its file, which need not be among FILES")
@click.option(
    "--r",
    "r",
    multiple=True,
    default=("1,2,5,10",),
    metavar="R",
    help="How many times a loss counts as much as a win, from 1 on; repeat, or separate by commas. "
    "[default: 1,2,5,10]",
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
@reading_options
@estimating_options(methods="t,percentile,basic,bootstrap-t,bca", resamples=10_000)
@answering_options
@click.pass_context
def command(
    context: click.Context,
    baseline: tuple[str, ...],
    r: tuple[str, ...],
    alpha: tuple[str, ...],
    summary: bool,
    top: str,
    reading: ReadingOptions,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> None:
    """Print what runs risk against a baseline, counting a loss r times as much as a win.

    'urisk_minus' is the mean over topics of the weighted differences with the sign turned, so that
    above 0 is risky: losses, taken r-fold, outweigh wins. 'low' and 'high' are its interval.
    'trisk' is URisk over its standard error, its sign not turned: above 2 is called a risk-free
    improvement, below -2 is statistically risky (of fewer than 20 topics it takes more, the 97.5%
    quantile of t). 'georisk' joins a run's mean with how evenly it is earned, against all runs
    given, at this r; more is better, and it needs scores of 0 or more. 'wins' and 'losses' count
    topics. At r = 1, URisk is the mean difference and TRisk its paired t.

    'shapiro_topics' is Shapiro and Wilk's W of the topics' weighted differences,
    'shapiro_bootstrap' that of the means of (up to 5000) resamples: 1 is normal. The lower the
    latter is, the farther t intervals and TRisk may be off.

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
    from confint_cli.common.parallel import prepare_for_arrays

    prepare_for_arrays()
    from confint_cli.app import conduct
    from confint_cli.app.messages import progress_line
    from confint_cli.studies.risk import risk

    if not conduct.separated(baseline):
        raise CallError("compare with what?", "--baseline RUN is what others are compared with")
    if not summary and context.get_parameter_source("top") is not ParameterSource.DEFAULT:
        raise CallError("--top is for --summary")
    if alpha and context.get_parameter_source("r") is not ParameterSource.DEFAULT:
        raise CallError("--r and --alpha: only one of them can be meant", _R_IS)
    best = _share(top)
    rs = _weights("alpha", alpha, 1) if alpha else _weights("r", r, 0)
    how = conduct.estimation(estimating, reading.workers, differences=True)
    with conduct.writer(writing, figure="risk") as write:
        scores = conduct.read(reading, writing, baseline)
        baselines = conduct.runs_named(baseline, scores)
        signature = {
            **conduct.signature(
                "risk", scores, reading, how, sampling={"resamples": str(how.resamples)}
            ),
            "pairs": f"with {','.join(baselines)}",
            "r": ",".join(f"{one:.15g}" for one in rs),
            **({"top": f"{best:.15g}"} if summary else {}),
        }
        table, notices = risk(
            scores,
            baselines,
            rs,
            how,
            signature,
            top=best if summary else None,
            best_first=writing.sort == "mean",
            progress=progress_line("resampling", quiet=writing.quiet),
        )
        conduct.tell(notices, writing)
        write(table)


def _weights(name: str, texts: tuple[str, ...], added: int) -> tuple[float, ...]:
    """Return the weights of losses, each once; `added` is what makes r of the numbers given."""
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
        weights.append(float(f"{weight:.15g}"))  # as it is shown
    return tuple(dict.fromkeys(weights))


def _share(text: str) -> float:
    """Return the share of the runs that a text shows."""
    hint = "0.75 and 75% both stand for three quarters of the runs"
    try:
        shown = share(text.strip())
    except ValueError:
        raise CallError(f"--top {quoted(text)} is not a number", hint) from None
    if not 0 < shown <= 1:
        raise CallError(f"--top {text} is not a share of the runs", hint)
    return shown
