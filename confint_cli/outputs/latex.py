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
    parts_in_text,
    text_rows,
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
    """Return a tabular; every character of a name is printed, none is obeyed."""
    parts = _without_empty_columns(parts_in_text(table))
    columns = parts[0].columns
    numbers = [all(map(is_number_column, column)) for column in zip(
        *(part.columns for part in parts), strict=True)]  # fmt: skip
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in numbers)}}}",
        r"\toprule",
        " & ".join(escape(column.name) for column in columns) + r" \\",
    ]
    for part in parts:
        lines.append(r"\midrule")
        if part.title:
            lines.append(rf"\multicolumn{{{len(columns)}}}{{l}}{{{escape(part.title)}}} \\")
        for place, row in enumerate(text_rows(part.columns, options.digits, escape, _beside)):
            if place in part.breaks:
                lines.append(r"\addlinespace")
            cells = (_math(text) if number else text for text, number in zip(row, numbers,
                     strict=True))  # fmt: skip
            lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    legends = dict.fromkeys(text for part in parts for text in _legends(part))  # each once
    if legends:
        lines.append(rf"\par\smallskip{{\footnotesize {escape(' '.join(legends))}\par}}")
    # What a paper may say about it, to be copied into the text as it is.
    for part in (part for part in parts if part.sentence):
        about = f"{escape(part.title)}: " if len(parts) > 1 else ""
        lines.append(f"% {about}{_sentence(part, options.digits)}")
    lines.append("")
    if not "".join(lines).isascii():
        lines.insert(0, "% has characters beyond ASCII: xelatex and lualatex print all of them")
    if options.signature:
        lines.insert(0, f"% {visible(table.signature_text)}")
    return "\n".join(lines)


def _without_empty_columns(parts: list[Table]) -> list[Table]:
    """Return the parts without columns in which no row of any has a value, unless chosen."""
    there = [
        any(value not in (None, "") for column in of_parts for value in column.values)
        or not any(column.values for column in of_parts)
        or parts[0].chosen
        for of_parts in zip(*(part.columns for part in parts), strict=True)
    ]
    return [replace(part, columns=list(compress(part.columns, there))) for part in parts]


def _legends(part: Table) -> list[str]:
    gap = [f"A gap: {part.breaks_mean}."] if part.breaks and part.breaks_mean else []
    return [*part.legends, *gap]


def _sentence(part: Table, digits: int) -> str:
    return "".join(
        escape(cell) if isinstance(cell, str) else _math(cell_text(cell, digits))
        for cell in part.sentence
    )


def _beside(mark: str) -> str:
    """Return a mark that takes no room, so that the digits of a column stay in line."""
    return rf"\rlap{{{escape(mark)}}}" if mark.strip() else ""


def _math(number: str) -> str:
    """Return a number with a minus sign, not a hyphen."""
    for plain, in_math in (("-", "$-$"), ("<", "$<$"), (">", "$>$"), ("inf", r"$\infty$")):
        number = number.replace(plain, in_math)
    return number


def escape(name: str) -> str:
    """Return a text that LaTeX prints as it is."""
    apart = _LIGATURE.sub(_NOTHING, visible(name))
    escaped = "".join(_SPECIAL.get(character, character) for character in apart)
    return escaped.replace(_NOTHING, "{}")


FORMAT = OutputFormat(render, endings=(".tex",), place=6, for_people=True, signed=True)
