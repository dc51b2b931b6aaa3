"""The comparisons with baselines, in each view."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from confint_cli.outputs.cells import sentence_text
from confint_cli.outputs.page.markup import heading, legend, prose
from confint_cli.outputs.page.tables import run_table
from confint_cli.outputs.page.views import View
from confint_cli.studies.answer import Answer
from confint_cli.studies.compare_view import tables_by_measure
from confint_cli.studies.pairing_view import pairs_by_measure
from confint_cli.studies.rows import CompareRow

NO_BASELINE = (
    "<p>No baseline was chosen. <code>confint report --baseline RUN</code> compares all runs with "
    "a baseline.</p>"
)


def comparisons(
    compared: Answer[CompareRow],
    rows: Sequence[CompareRow],
    order: Sequence[str],
    view: View,
    digits: int,
) -> Iterator[str]:
    """Yield a heading, the result in words and a table for each baseline, of a view's records.

    Runs are in the `order` of the view's standings.
    """
    baselines = compared.facts["pairs"]
    places = {run: place for place, run in enumerate(order)}
    in_order = sorted(
        rows, key=lambda row: (baselines.index(row.baseline), places.get(row.run, len(order)))
    )
    of_view = replace(compared, rows=in_order)
    for pairs, (_, tables) in zip(
        pairs_by_measure(of_view), tables_by_measure(of_view, pictures=True), strict=True
    ):
        for place, (own, table) in enumerate(zip(pairs.tables(), tables, strict=True), 1):
            yield heading(table.title)
            yield f'<p class="result">{prose(sentence_text(table.sentence, digits))}</p>'
            yield run_table(
                table,
                digits,
                marked=[False, *(first.is_marked for first in own.firsts)],
                marks_mean="significant",
                caption=f"Comparisons with {own.pairs[0][0].baseline} {view.on}",
                kind=f"comparisons-{place}",
                below_baseline=True,
            )
            seen = [
                "Dot and bar: the difference and its interval. Above 0, the run is better than the "
                "baseline. Dashed line: no difference."
            ]
            yield legend(seen, table.legends)
