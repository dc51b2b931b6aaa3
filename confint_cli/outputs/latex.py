"""A LaTeX table for the booktabs package."""

import re
from dataclasses import replace
from itertools import compress

from confint_cli.common.table import Table
from confint_cli.common.text import visible
from confint_cli.outputs.cells import (
    OutputOptions,
    cell_text,
    is_number_column,
    text_rows,
    views_in_text,
)
from confint_cli.outputs.format import OutputFormat

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",  # in every font encoding, and never a shorthand of babel
    "Δ": r"$\Delta$",
    "ρ": r"$\rho$",
    "α": r"$\alpha$",
    "⁻": "$^-$",
    "√": r"$\surd$",
    "±": r"$\pm$",
    "–": "--{}",
    "-": "-{}",  # two hyphens would become a dash
    **{character: f"{{{character}}}" for character in "[]*"},  # options of the \\ before them
    **{character: "\\" + character for character in "&%$#_{}"},
}

_NOTHING = "\0"  # between characters that would become one; no visible name has it
_LIGATURE = re.compile("(?<=')(?=')|(?<=`)(?=`)|(?<=,)(?=,)|(?<=[?!])(?=`)")


def render(table: Table, options: OutputOptions) -> str:
    """Return one tabular with the rows of all views; a name is printed as it is, never obeyed.

    Legends stand below it. Sentences are comments, to be copied into the text of a paper.
    """
    views = _without_empty_columns(views_in_text(table))
    columns = views[0].columns
    flush_right = [all(map(is_number_column, column)) for column in zip(
        *(view.columns for view in views), strict=True)]  # fmt: skip
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{''.join('r' if is_right else 'l' for is_right in flush_right)}}}",
        r"\toprule",
        " & ".join(escape(column.name) for column in columns) + r" \\",
    ]
    for view in views:
        lines.append(r"\midrule")
        if view.title:
            lines.append(rf"\multicolumn{{{len(columns)}}}{{l}}{{{escape(view.title)}}} \\")
        for place, row in enumerate(
            text_rows(view.columns, options.digits, escape, _without_width)
        ):
            if place in view.breaks:
                lines.append(r"\addlinespace")
            cells = (_math(text) if is_right else text for text, is_right in zip(row, flush_right,
                     strict=True))  # fmt: skip
            lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    legends = dict.fromkeys(text for view in views for text in _legends(view))  # each once
    if legends:
        lines.append(rf"\par\smallskip{{\footnotesize {escape(' '.join(legends))}\par}}")
    for view in views:
        if view.sentence:
            heading = f"{escape(view.title)}: " if len(views) > 1 else ""
            lines.append(f"% {heading}{_sentence(view, options.digits)}")
    lines.append("")
    if not "".join(lines).isascii():
        lines.insert(0, "% has characters beyond ASCII: xelatex and lualatex print all of them")
    if options.signature:
        lines.insert(0, f"% {visible(table.signature_text)}")
    return "\n".join(lines)


def _without_empty_columns(views: list[Table]) -> list[Table]:
    """Return the views, all without the columns in which no view has a value.

    Views have the same columns, as they are set in one tabular. Columns that the user chose stay.
    """
    stays = [
        any(value not in (None, "") for column in same_columns for value in column.values)
        or not any(column.values for column in same_columns)
        or views[0].chosen
        for same_columns in zip(*(view.columns for view in views), strict=True)
    ]
    return [replace(view, columns=list(compress(view.columns, stays))) for view in views]


def _legends(view: Table) -> list[str]:
    gap = [f"A gap: {view.breaks_mean}."] if view.breaks and view.breaks_mean else []
    return [*view.legends, *gap]


def _sentence(view: Table, digits: int) -> str:
    return "".join(
        escape(cell) if isinstance(cell, str) else _math(cell_text(cell, digits))
        for cell in view.sentence
    )


def _without_width(mark: str) -> str:
    """Return a mark that takes no room, so that the digits of a column stay in line."""
    return rf"\rlap{{{escape(mark)}}}" if mark.strip() else ""


def _math(number: str) -> str:
    """Return a number, its signs in math mode: a hyphen is no minus, and `inf` has a symbol."""
    for plain, in_math in (("-", "$-$"), ("<", "$<$"), (">", "$>$"), ("inf", r"$\infty$")):
        number = number.replace(plain, in_math)
    return number


def escape(name: str) -> str:
    """Return a text that LaTeX prints as it is."""
    separated = _LIGATURE.sub(_NOTHING, visible(name))
    escaped = "".join(_SPECIAL.get(character, character) for character in separated)
    return escaped.replace(_NOTHING, "{}")


FORMAT = OutputFormat(
    render,
    summary="papers: a booktabs table, the result in words as a comment",
    endings=(".tex",),
    place=6,
    for_people=True,
    signed=True,
)
