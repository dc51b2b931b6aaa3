"""A LaTeX table for the booktabs package."""

from confint_cli.outputs._cells import is_number_column, text_rows
from confint_cli.outputs._options import OutputOptions
from confint_cli.table import Table
from confint_cli.text import visible

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",  # in every font encoding, and never a shorthand of babel
    "-": "-{}",  # two hyphens would become a dash
    **{character: f"{{{character}}}" for character in "[]*"},  # options of the \\ before them
    **{character: "\\" + character for character in "&%$#_{}"},
}


def render(table: Table, options: OutputOptions) -> str:
    """Return a tabular; every character of a name is printed, none is obeyed."""
    alignment = "".join("r" if is_number_column(column) else "l" for column in table.columns)
    rows = text_rows(table.columns, options.digits, escape)
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        " & ".join(map(escape, table.names)) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ]
    if options.signature:
        lines.insert(0, f"% {visible(table.signature_text)}")
    return "\n".join(lines)


def escape(name: str) -> str:
    """Return a text that LaTeX prints as it is."""
    return "".join(_SPECIAL.get(character, character) for character in visible(name))
