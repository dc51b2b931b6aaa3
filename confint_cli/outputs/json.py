"""One JSON object: the signature and the rows, at full precision."""

import json

from confint_cli.outputs._options import OutputOptions
from confint_cli.outputs._records import json_rows
from confint_cli.table import Table


def render(table: Table, options: OutputOptions) -> str:  # noqa: ARG001
    """Return the table with its signature, which JSON always has."""
    rows = ",\n".join(f"    {row}" for row in json_rows(table))
    signature = json.dumps(dict(table.signature))
    return f'{{\n  "signature": {signature},\n  "rows": [\n{rows}\n  ]\n}}\n'
