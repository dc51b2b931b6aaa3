"""A LaTeX table for the booktabs package."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress, groupby
from typing import TYPE_CHECKING, Any

from confint_cli.common.table import Table
from confint_cli.common.text import visible
from confint_cli.outputs.cells import (
    OutputOptions,
    cell_text,
    is_number_column,
    tables_in_text,
    text_rows,
)
from confint_cli.outputs.format import OutputFormat

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer

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
    "τ": r"$\tau$",
    "⁻": "$^-$",
    "√": r"$\surd$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "–": "--{}",
    "−": "$-$",
    **{character: f"{{{character}}}" for character in "[]*"},  # options of the \\ before them
    **{character: "\\" + character for character in "&%$#_{}"},
}

_PRINTED = frozenset(
    "¡¢£¤¥¦§¨©ª¬®¯°±²³´µ¶·¸¹º¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖ×ØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõö÷øùúûüýÿ"
    "ĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭİıĲĳĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪū"
    "ŬŭŮůŰűŴŵŶŷŸŹźŻżŽžȘșȚț‐–—‘’“”†‡•…‰€№™"
)
"""Letters beyond ASCII that pdflatex prints as it is."""

_OURS = {ord(letter): None for letter in _SPECIAL}  # has a command

_WITH_T1 = frozenset("«»ÐÞðþĄąĐđĘęĮįŊŋŲų‚„‹›")  # which it prints with this encoding of fonts

_NOTHING = "\0"  # between characters that would become one; no visible name has it
_LIGATURE = re.compile("(?<=')(?=')|(?<=`)(?=`)|(?<=,)(?=,)|(?<=-)(?=-)|(?<=[?!])(?=`)")


def render(answer: "Answer[Any]", options: OutputOptions) -> str:
    """Return one tabular with the rows of all tables; a name is printed as it is, never obeyed.

    Tables with other columns than the one before begin another tabular. Legends stand below.
    Sentences are comments, to be copied into the text of a paper.
    """
    every = tables_in_text(answer)
    lines = [r"% \usepackage{booktabs}"]
    for _, alike in groupby(every, lambda table: table.names):
        lines += _tabular(_without_empty_columns(list(alike)), options)
    legends = dict.fromkeys(text for table in every for text in _legends(table))  # each once
    if legends:
        lines.append(rf"\par\smallskip{{\footnotesize {escape(' '.join(legends))}\par}}")
    lines += [*sentences_as_comments(every, options.digits), ""]
    lines = [*about_letters("".join(lines)), *lines]
    if options.signature:
        lines.insert(0, f"% {visible(answer.signature)}")
    return "\n".join(lines)


def _tabular(tables: list[Table], options: OutputOptions) -> list[str]:
    """Return the lines of a tabular with the rows of tables that have the same columns."""
    columns = tables[0].columns
    flush_right = [all(map(is_number_column, column)) for column in zip(
        *(table.columns for table in tables), strict=True)]  # fmt: skip
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if is_right else 'l' for is_right in flush_right)}}}",
        r"\toprule",
        " & ".join(escape(column.name) for column in columns) + r" \\",
    ]
    for table in tables:
        lines.append(r"\midrule")
        if table.title:
            lines.append(rf"\multicolumn{{{len(columns)}}}{{l}}{{{escape(table.title)}}} \\")
        for place, row in enumerate(
            text_rows(table.columns, options.digits, escape, _without_width)
        ):
            if place in table.breaks:
                lines.append(r"\addlinespace")
            cells = (math(text) if is_right else text for text, is_right in zip(row, flush_right,
                     strict=True))  # fmt: skip
            lines.append(" & ".join(cells) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _without_empty_columns(tables: list[Table]) -> list[Table]:
    """Return the tables, all without the columns in which no table has a value.

    Views have the same columns, as they are set in one tabular. Columns that the user chose stay.
    """
    stays = [
        any(value not in (None, "") for column in same_columns for value in column.values)
        or not any(column.values for column in same_columns)
        or tables[0].chosen
        for same_columns in zip(*(table.columns for table in tables), strict=True)
    ]
    return [replace(table, columns=list(compress(table.columns, stays))) for table in tables]


def _legends(table: Table) -> list[str]:
    gap = [f"A gap: {table.breaks_mean}."] if table.breaks and table.breaks_mean else []
    return [*table.legends, *gap]


def sentences_as_comments(tables: Sequence[Table], digits: int) -> Iterator[str]:
    """Yield the result in words as comments; of several tables, each begins with its title."""
    for table in tables:
        if table.sentence:
            heading = f"{escape(table.title)}: " if len(tables) > 1 else ""
            yield f"% {heading}{_sentence(table, digits)}"


def _sentence(table: Table, digits: int) -> str:
    return "".join(
        escape(cell) if isinstance(cell, str) else math(cell_text(cell, digits))
        for cell in table.sentence
    )


def _without_width(mark: str) -> str:
    """Return a mark that takes no room, so that the digits of a column stay in line."""
    return rf"\rlap{{{escape(mark)}}}" if mark.strip() else ""


def math(number: str) -> str:
    """Return a number, its signs in math mode: a hyphen is no minus, and `inf` has a symbol."""
    for plain, in_math in (("-", "$-$"), ("<", "$<$"), (">", "$>$"), ("inf", r"$\infty$")):
        number = number.replace(plain, in_math)
    return number


def about_letters(text: str) -> list[str]:
    """Return comments on how to print a text that pdflatex stops at; none, if it prints all."""
    if beyond_pdflatex(text):
        return [
            "% has letters that pdflatex stops at: xelatex and lualatex print those that a font has"
        ]
    return [r"% \usepackage[T1]{fontenc}"] if _WITH_T1.intersection(text) else []


def beyond_pdflatex(text: str) -> bool:
    """Say whether a text has letters for which pdflatex has no command, so that it stops."""
    return any(
        not (letter.isascii() or letter in _PRINTED or letter in _WITH_T1) for letter in text
    )


def escape(name: str) -> str:
    """Return a text that LaTeX prints as it is."""
    separated = _LIGATURE.sub(_NOTHING, visible(name))
    special = _SPECIAL
    if beyond_pdflatex("".join(separated.split()).translate(_OURS)):  # Greek among other letters
        special = {key: text for key, text in _SPECIAL.items() if key not in "Δρατ"}
    escaped = "".join(special.get(character, character) for character in separated)
    return escaped.replace(_NOTHING, "{}")


def for_script() -> dict[str, Any]:
    """Return what the script of a page has to know to escape names as `escape` does."""
    return {
        "special": _SPECIAL,
        "greek": "Δρατ",
        "printed": "".join(sorted(_PRINTED | _WITH_T1)),
        "withT1": "".join(sorted(_WITH_T1)),
    }


FORMAT = OutputFormat(
    render,
    summary="papers: a booktabs table, the result in words as a comment",
    endings=(".tex",),
    place=6,
    for_people=True,
    signed=True,
)
