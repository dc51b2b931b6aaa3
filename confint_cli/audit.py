"""Are files what they seem? Their own means, and the scale of their scores, show if not."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from confint_cli.arrays import BoolArray
from confint_cli.errors import Notice, warning
from confint_cli.inputs import Reading, Series, name_of
from confint_cli.measures import is_share
from confint_cli.naming import NamedSeries
from confint_cli.text import count, have, listed, natural_key, quoted, rounding_of, visible


def check_means(named: Sequence[NamedSeries], topics_in_all: int) -> list[Notice]:
    """Warn of each file whose summary row is not the mean of its topics.

    trec_eval 9 -c divides by the judged topics but prints only those retrieved; where that many
    topics are known from elsewhere, the mean over all of them is right and nothing is amiss.
    """
    differing: dict[str, list[str]] = defaultdict(list)
    for one in named:
        series = one.series
        if series.summary is None:
            continue
        summary = float(series.summary)
        tolerance = 1e-9 * max(1.0, abs(summary))
        if series.rounding:
            tolerance += 1.0001 * (series.rounding + rounding_of(series.summary))
        topics = len(series.topics)
        with np.errstate(over="ignore"):  # infinite where scores are beyond all measure
            total = float(series.values.sum())
        if any(abs(total / n - summary) <= tolerance for n in {topics, max(topics_in_all, topics)}):
            continue
        text = (
            f"{visible(name_of(one.path))}: the mean of {quoted(series.measure)}{_of_run(series)} "
            f"over its {count(topics, 'topic')} is "
            f"{total / topics:.4f}, but its own summary row says {series.summary}"
        )
        differing[one.path].append(text + _as_if_over(total, topics, summary))
    return [warning(_first_and_more(texts)) for _, texts in sorted(differing.items())]


def _of_run(series: Series) -> str:
    return "" if series.run is None else f" of run {quoted(series.run)}"


def _as_if_over(total: float, topics: int, summary: float) -> str:
    """Say so where the summary is just the mean over some more topics, all of them 0."""
    if summary <= 0 or not abs(total / summary) < 1e9:
        return ""
    implied = round(total / summary)
    if implied > topics and abs(total / implied - summary) < 0.0001:
        return f", the mean over {implied} (trec_eval -c, or a file cut short?)"
    return " (was the file cut short?)"


def _first_and_more(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return f"{texts[0]}; {count(len(texts) - 1, 'more measure')} of it likewise"


def check_presence(readings: Sequence[Reading]) -> list[Notice]:
    """Warn of files without the summary row that their format ends with."""
    without = sorted(name_of(reading.path) for reading in readings if reading.lacks_summary)
    if not without:
        return []
    return [
        warning(
            f"{have(len(without), 'file')} no summary row to check against "
            f"(written without one, or cut short?): {listed(without, 3)}"
        )
    ]


def mixed_scales(
    measure: str, runs: Sequence[str], scales: Sequence[str | None], beyond: BoolArray
) -> list[Notice]:
    """Warn of runs whose scores cannot be compared, because they are not on one scale.

    `scales` are those of standardised scores (empty: of others; None: unknown); and if some runs,
    but not others, go beyond what a measure from 0 to 1 can be, these are standardised.
    """
    by_scale: dict[str, list[str]] = {}
    for run, scale in zip(runs, scales, strict=True):
        if scale is not None:
            by_scale.setdefault(f"standardised ({scale})" if scale else "not", []).append(run)
    if len(by_scale) > 1:
        kinds = [
            f"{listed(sorted(names, key=natural_key), 3)} {'is' if len(names) == 1 else 'are'} "
            f"{scale}"
            for scale, names in sorted(by_scale.items(), reverse=True)
        ]
        return [
            warning(
                f"by {visible(measure)}, runs are on different scales and cannot be compared: "
                f"{'; '.join(kinds)}"
            )
        ]
    if not is_share(measure):
        return []
    names = [run for run, here in zip(runs, beyond.tolist(), strict=True) if here]
    if not 0 < len(names) < len(runs):
        return []
    return [
        warning(
            f"the {visible(measure)} of {count(len(names), 'run')} goes beyond 0 to 1, and that of "
            f"{len(runs) - len(names)} does not: standardised scores, percentages and ids "
            f"cannot be compared with others: {listed(sorted(names, key=natural_key), 3)}"
        )
    ]
