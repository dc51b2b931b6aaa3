"""The standings of a page, in each view."""

import math
from collections.abc import Iterator, Sequence

from confint_cli.common.table import Cell, Interval
from confint_cli.outputs.cells import sentence_text
from confint_cli.outputs.page.markup import heading, legend, prose
from confint_cli.outputs.page.tables import run_table
from confint_cli.outputs.page.views import View
from confint_cli.studies.facts import Facts
from confint_cli.studies.rank_view import standings_table
from confint_cli.studies.rows import RankRow


def standings(rows: Sequence[RankRow], facts: Facts, view: View, digits: int) -> Iterator[str]:
    """Yield the heading, the result in words and the table of the standings of a view."""
    table = standings_table(rows, facts, pictures=True)
    marked = [row.tied_with_best for row in rows]
    yield heading(table.title)
    yield f'<p class="result">{verdict(rows, facts, digits)}</p>'
    yield run_table(
        table,
        digits,
        marked=marked,
        marks_mean="tied with best",
        caption=f"Standings {view.on}",
        kind="standings",
    )
    seen = ["Dot and bar: the mean and its interval."]
    if sum(marked) > 1:
        seen.append("In colour: runs that cannot be told apart from the best.")
    if table.breaks:
        seen.append(f"Shading changes at a line: {table.breaks_mean}.")
    yield legend(seen, table.legends)


def verdict(rows: Sequence[RankRow], facts: Facts, digits: int) -> str:
    """Return the result of a view in words, with who has the highest mean, as HTML."""
    best = min(rows, key=lambda row: row.rank)
    highest: list[Cell] = [f"{best.run} has the highest mean, ", best.mean]
    if math.isfinite(best.low) and math.isfinite(best.high):
        highest += [" ", Interval(best.low, best.high)]
    result = standings_table(rows, facts, pictures=True).sentence
    return prose(sentence_text([*highest, ". ", *result], digits))
