"""All collections of a page together: the means in each of them, and who is ahead where."""

from collections.abc import Iterator, Mapping, Sequence

from confint_cli.common.text import count
from confint_cli.outputs.cells import number_text
from confint_cli.outputs.page.markup import axis, heading, legend, name, scale_of
from confint_cli.outputs.page.tables import header, marked_number, run_cell, table_of
from confint_cli.outputs.page.topics import how_drawn, spread_cell
from confint_cli.outputs.page.views import View
from confint_cli.scores.labels import MACRO
from confint_cli.studies.report import TopicScores
from confint_cli.studies.rows import RankRow

_TIED = "*"

Standings = Mapping[str, Sequence[RankRow]]
"""The standings by one measure of each collection, and of all of them together."""


def collections(
    standings: Standings, scores: TopicScores, view: View, digits: int
) -> Iterator[str]:
    """Yield a table of runs by collections, and one of collections."""
    single = [collection for collection in standings if collection != MACRO]
    yield heading(f"{view.measure}: means in each of {count(len(single), 'collection')}")
    yield _runs_by_collections(standings, single, view, digits)
    seen = ["In colour: the best run of each column, and runs that cannot be told apart from it."]
    told = [
        f"{_TIED} cannot be told apart from the best run of the column. macro: the mean of the "
        "collections' means, each weighted equally."
    ]
    yield legend(seen, told)
    yield heading(f"{view.measure}: who is ahead in each collection")
    yield _ahead(standings, scores, view, digits)
    yield legend(
        [how_drawn(scores)],
        [
            "Tied: how many other runs cannot be told apart from the run that is ahead. The "
            "collection with the lowest means comes first."
        ],
    )


def _runs_by_collections(
    standings: Standings, single: Sequence[str], view: View, digits: int
) -> str:
    columns = [MACRO, *single]
    by_run = {collection: {row.run: row for row in standings[collection]} for collection in columns}
    has_ties = {
        collection: sum(row.tied_with_best for row in standings[collection]) > 1
        for collection in columns
    }
    rows = []
    for macro in standings[MACRO]:
        cells = [run_cell(macro.run)]
        for collection in columns:
            row = by_run[collection][macro.run]
            mark = _TIED if row.tied_with_best and has_ties[collection] else ""
            best = ["g"] if row.tied_with_best else []
            cells.append(marked_number(row.mean, mark, digits, best))
        rows.append(("", cells))
    headers = [
        header("run", is_words=True, is_name=True),
        *(
            header(
                collection,
                is_words=False,
                best_is_high=True,
                marks_mean=f"tied with best, {collection}",
            )
            for collection in columns
        ),
    ]
    return table_of(
        headers, rows, caption=f"Means of runs in each collection, on {view.measure}", kind="matrix"
    )


def _ahead(standings: Standings, scores: TopicScores, view: View, digits: int) -> str:
    scale = scale_of([0.0, 1.0] if scores.shares else scores.values.ravel().tolist())
    rows = []
    for place, collection in enumerate(scores.topics):
        if collection not in standings:  # too small for intervals of its own, as a caveat says
            continue
        best = min(standings[collection], key=lambda row: row.rank)
        tied = sum(row.tied_with_best for row in standings[collection]) - 1
        values = scores.values[place]
        rows.append(
            (
                "",
                [
                    f"<th scope=row>{name(collection)}",
                    f"<td>{best.topics}",
                    f"<td class=w>{name(best.run)}",
                    f"<td>{number_text(best.mean, digits)}",
                    f"<td>{tied}",
                    f"<td>{number_text(float(values.mean()), digits)}",
                    spread_cell(values, scale),
                ],
            )
        )
    headers = [
        header("collection", is_words=True, is_name=True),
        header("topics", is_words=False),
        header("ahead", is_words=True),
        header("its mean", is_words=False, best_is_high=True),
        header("tied", is_words=False),
        header("mean of runs", is_words=False),
        header("means of runs", axis(scale), is_words=False, is_wide=True, has_text=False),
    ]
    return table_of(
        headers,
        rows,
        caption=f"Who is ahead in each collection, on {view.measure}",
        kind="collections",
        of_runs=False,
    )
