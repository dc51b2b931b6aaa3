"""Comparisons as a table: a row for each interval of a difference."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.arrays import FloatArray, Positions
from confint_cli.errors import Notice
from confint_cli.estimation import DRAWS, RESAMPLES, Estimation
from confint_cli.progress import Progress, no_progress
from confint_cli.significance import named_test, tests
from confint_cli.simultaneous import NAME as MAX_T
from confint_cli.studies._compared import Compared
from confint_cli.studies._comparison_view import in_general, judged_by, views
from confint_cli.studies._limits import Bounded, intervals_of, largest_error, too_uncertain
from confint_cli.table import Column, Table, columns_of, stacked


@dataclass(frozen=True)
class _Row(Bounded):
    """One interval of a difference."""

    baseline: str
    pair: int


def table_of(
    parts: Sequence[Compared],
    how: Estimation,
    signature: Mapping[str, str],
    progress: Progress = no_progress,
) -> tuple[Table, list[Notice]]:
    """Return a row for each pair, method and level; for people, one for each pair."""
    testing = parts[0].testing
    alone = all(len(part.pairs) == 1 for part in parts)
    by_part: list[list[_Row]] = []
    columns: list[Sequence[Column]] = []
    view: list[Table] = []
    for done, part in enumerate(parts):
        progress(done, len(parts))
        by_part.append(list(_rows(part)))
        columns.append(_columns(part, by_part[-1]))
        view += views(part, alone=alone)
    progress(len(parts), len(parts))
    rows = [(part, row) for part, own in zip(parts, by_part, strict=True) for row in own]
    family = ",".join(dict.fromkeys(str(part.family) for part in parts))
    signature = {
        **signature,
        "measures": ",".join(part.measure for part in parts),
        "methods": ",".join(parts[0].found.limits),
        "tests": ",".join(testing.tests),
        "correct": "none" if named_test(testing.tests[0]).simultaneous else testing.correction,
        "family": family,
    }
    if testing.strict:
        signature["max-t"] = "strict"
    notices: list[Notice] = []
    if how.resampling or testing.simultaneous:
        flat = [row for _, row in rows]
        signature["error"] = f"{largest_error(flat):.2g}"
        for names, number, kind in ((how.methods, how.resamples, RESAMPLES),
                                    ((MAX_T,), how.draws, DRAWS)):  # fmt: skip
            notices += too_uncertain([row for row in flat if row.method in names], number, kind)
    table = Table(
        title="",
        columns=stacked(columns),
        signature=signature,
        sentence=in_general(parts),
        view=view,
        for_figure={
            "significant": [bool(part.significant[row.pair]) for part, row in rows],
            "judged_by": [judged_by(part) for part, _ in rows],
        },
    )
    return table, notices


def _rows(part: Compared) -> Iterator[_Row]:
    found = part.found
    for pair in range(len(part.pairs)):
        run, baseline = part.names(pair)
        for interval in intervals_of(pair, found.limits, found.notes, part.levels):
            note = ", ".join(filter(None, [interval.pop("note"), *part.missing_of(pair)]))
            yield _Row(
                **interval,
                note=note,
                measure=part.measure,
                run=run,
                baseline=baseline,
                pair=pair,
            )


def _adjusted(part: Compared, rows: Sequence[_Row]) -> list[float]:
    """Return the corrected p-values; those of max-t agree with intervals of the row's level."""
    found = part.found
    if found.adjusted is None:
        return [math.nan] * len(rows)
    if not part.by_max_t or found.at_once is None:
        return [float(found.adjusted[row.pair]) for row in rows]
    p = dict(zip(part.levels, found.at_once.p, strict=True))
    return [float(p[row.level][row.pair]) for row in rows]


def _columns(part: Compared, rows: Sequence[_Row]) -> list[Column]:
    found = part.found
    pairs = [row.pair for row in rows]
    missing = np.full(len(part.pairs), np.nan)

    def of_pairs(name: str, values: FloatArray | Positions) -> Column:
        return Column(name, values[pairs].tolist(), significant=name.startswith("p_"))

    columns = [
        *columns_of(rows, ("measure", "run", "baseline")),
        of_pairs("topics", found.run.topics),
    ]
    if not found.paired:
        columns.append(of_pairs("baseline_topics", found.baseline.topics))
    columns += [
        of_pairs("mean", found.run.mean),
        of_pairs("baseline_mean", found.baseline.mean),
        of_pairs("difference", found.difference),
        *columns_of(rows, ("method", "level", "low", "high"), exact=["level"]),
        of_pairs("t", found.t),
        of_pairs("df", found.df.astype(np.intp) if found.paired else found.df),
        *(of_pairs(f"p_{name}", found.p.get(name, missing)) for name in tests()),
        Column("p_adjusted", _adjusted(part, rows), significant=True),
        of_pairs("glass_delta", found.glass_delta),
        of_pairs("hedges_gz", found.hedges_gz),
        of_pairs("hedges_g", found.hedges_g),
    ]
    for place, name in enumerate(("wins", "ties", "losses")):
        if found.outcomes is None:
            columns.append(Column(name, [None] * len(rows)))
        else:
            columns.append(of_pairs(name, found.outcomes[place]))
    return [*columns, *columns_of(rows, ["note"])]
