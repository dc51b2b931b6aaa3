"""One JSON object: the signature and the rows, at full precision."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from confint_cli.common.table import Cell
from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.format import OutputFormat

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer


def render(answer: "Answer[Any]", options: OutputOptions) -> str:  # noqa: ARG001
    """Return an object with `signature`, which is always there, and `rows`, one per line."""
    import json  # late, as every call looks at all formats

    from confint_cli.studies.facts import signature_of

    rows = ",\n".join(f"    {row}" for row in json_rows(answer))
    signature = json.dumps(signature_of(answer.facts))
    return f'{{\n  "signature": {signature},\n  "rows": [\n{rows}\n  ]\n}}\n'


def json_rows(answer: "Answer[Any]") -> Iterator[str]:
    """Yield each row as a JSON object at full precision; missing and infinite values are null."""
    import json

    def text_of(cell: Cell) -> str:
        if isinstance(cell, float) and not math.isfinite(cell):
            return "null"
        return json.dumps(cell, ensure_ascii=True)

    names = [json.dumps(name) for name in answer.names]
    for row in zip(*(column.values for column in answer.columns), strict=True):
        cells = (f"{name}: {text_of(cell)}" for name, cell in zip(names, row, strict=True))
        yield "{" + ", ".join(cells) + "}"


FORMAT = OutputFormat(
    render,
    summary="programs: numbers in full, the signature as an object; null for infinite values",
    endings=(".json",),
    place=3,
    exact=True,
)
