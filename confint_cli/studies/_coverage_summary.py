"""How coverage spreads over runs: as the papers' tables and boxplots have it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from confint_cli.errors import Notice, note
from confint_cli.studies._covered import Covered, columns_of_rows, how_often_closest, verdict
from confint_cli.studies._words import percent
from confint_cli.table import Cell, Column, Table
from confint_cli.text import count, listed, visible

_SUMMARY = (
    "measure", "method", "level", "sample_size", "runs", "mean", "sd", "min", "q1", "median", "q3",
    "max", "error_mean", "error_sd", "error_max", "width", "distance", "miss_low", "miss_high",
)  # fmt: skip
_ABOUT_DISTANCE = "Distance: how far the coverage of a run is from the level, on average."


def in_summary(
    parts: Sequence[Covered], signature: Mapping[str, str]
) -> tuple[Table, list[Notice]]:
    """Return a row for each measure, method, size and level: how coverage spreads over runs.

    Runs without variance are left out: theirs is 1 whatever the method.
    """
    rows: list[tuple[Cell, ...]] = []
    views, notices, coverages = [], [], []
    for _, together in groupby(parts, lambda part: part.measure):
        group = list(together)
        first = group[0]
        constant = [run for run, here in zip(first.runs, first.varies, strict=True) if not here]
        if constant:
            notices.append(
                note(
                    f"{count(len(constant), 'run')} without variance by {visible(first.measure)}, "
                    f"left out of the summary: {listed(constant, 5)}"
                )
            )
        if len(constant) < len(first.runs):
            own = [
                _over_runs(part, method) for method in range(len(first.methods)) for part in group
            ]
            rows += own
            coverages += [
                part.coverage[part.varies, method].tolist()
                for method in range(len(first.methods))
                for part in group
            ]
            views.append(_summary_view(group, own))
    table = Table(
        title="",
        columns=columns_of_rows(_SUMMARY, rows),
        signature=signature,
        sentence=how_often_closest(parts),
        view=views or [_nothing_varies(parts)],
        for_figure={"coverages": coverages},
    )
    return table, notices


def _nothing_varies(parts: Sequence[Covered]) -> Table:
    """Return what there is to say if no run's scores vary, by any measure."""
    runs = {part.measure: len(part.runs) for part in parts}
    columns = [Column("measure", [*runs]), Column("runs", [*runs.values()])]
    return Table("no variance", columns, sentence=verdict(parts[0]))


def _over_runs(part: Covered, method: int) -> tuple[Cell, ...]:
    values = part.coverage[part.varies, method]
    sd = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    spread = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    mean = float(values.mean())
    return (
        part.measure,
        part.methods[method],
        part.level,
        part.size,
        len(values),
        mean,
        sd,
        *spread,
        1 - mean,
        sd,
        1 - spread[0],
        float(part.width[part.varies, method].mean()),
        float(part.distance[method]),
        float(part.miss_low[part.varies, method].mean()),
        float(part.miss_high[part.varies, method].mean()),
    )


def _summary_view(parts: Sequence[Covered], rows: Sequence[tuple[Cell, ...]]) -> Table:
    """Return the summary by one measure; what is the same in all rows goes into the title."""
    first = parts[0]
    title = [first.measure, count(int(first.varies.sum()), "run")]
    left_out = {"measure", "runs", "error_mean", "error_sd", "error_max", "miss_low", "miss_high"}
    if len({part.level for part in parts}) == 1:
        title.append(percent(first.level))
        left_out.add("level")
    samples = count(first.replicates, "sample")
    if len({part.size for part in parts}) == 1:
        samples += f" of {count(first.size, 'topic')} each"
        left_out.add("sample_size")
    columns = [
        replace(
            column,
            name=column.name.removeprefix("sample_"),
            optional=column.name in ("sd", "q1", "q3"),
            legend=_ABOUT_DISTANCE if column.name == "distance" else "",
        )
        for column in columns_of_rows(_SUMMARY, rows)
        if column.name not in left_out
    ]
    sentence = verdict(first) if len(parts) == 1 else []
    return Table(", ".join([*title, samples]), columns, sentence=sentence)
