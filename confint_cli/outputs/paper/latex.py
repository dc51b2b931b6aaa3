"""A paper's table in LaTeX: a float with booktabs or, beyond a page, a longtable."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from confint_cli.common.paper import PaperColumn, PaperTable, by_heading
from confint_cli.common.text import visible
from confint_cli.outputs.cells import OutputOptions, cell_text
from confint_cli.outputs.latex import about_letters, escape, math, sentences_as_comments
from confint_cli.outputs.paper import BEST, SECOND, About, about_standings

_A_PAGE = 45  # lines of a table that a page has room for, with a caption
_DAGGERS = {"†": r"\dagger", "‡": r"\ddagger"}
_MISSING = "--"


def render(tables: Sequence[PaperTable], options: OutputOptions, about: About) -> str:
    """Return a float for each table; names are printed as they are, never obeyed.

    Below them, comments have the result in words, to be copied into the text of the paper.
    """
    lines = []
    for number, table in enumerate(tables, 1):
        own = about.label if len(tables) == 1 else f"{about.label}-{number}"
        sentences = [*table.caption, about_standings(table)]
        signed = about.signature if options.signature else ""
        caption = [*_caption(table.title, filter(None, sentences), signed)]
        lines += [*_table(table, options.digits, own, caption), ""]
    is_long = any(map(_is_long, tables))
    packages = f"booktabs{',longtable' if is_long else ''}"
    comments = [f"% \\usepackage{{{packages}}}", *about_letters("".join(lines))]
    comments += [] if options.signature else [f"% {visible(about.signature)}"]
    told = [*sentences_as_comments(about.results, options.digits), ""]
    return "\n".join([*comments, *lines[:-1], *told])


def _is_long(table: PaperTable) -> bool:
    """Say whether a table has more lines than a page."""
    has_below = any(column.below for column in table.columns)
    return len(table.rows) * (2 if has_below else 1) > _A_PAGE


def _table(table: PaperTable, digits: int, label: str, caption: Sequence[str]) -> list[str]:
    """Return the lines of a table."""
    kinds = [*map(_kind, table.columns)]
    preamble = f"l{''.join(kinds)}"
    head = [f"  {line}" for line in (*_head(table, kinds), r"\midrule")]
    body = [f"  {line}" for line in _body(table, digits, kinds)]
    if _is_long(table):
        return _long(preamble, head, body, label, caption)
    return [
        r"\begin{table}",
        r"  \centering",
        *(f"  {line}" for line in caption),
        rf"  \label{{tab:{label}}}",
        r"  \medskip",
        rf"  \begin{{tabular}}{{{preamble}}}",
        r"  \toprule",
        *head,
        *body,
        r"  \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]


_TEXT, _PLAIN, _WITH_MARKS, _ABOVE = "l", "r", "r@{}l", "c"
"""How a column is set: words; numbers; and marks in a column behind; above intervals, centred.

Marks above intervals are daggers, which hang over, so that the numbers are what is centred.
"""


def _kind(column: PaperColumn) -> str:
    if column.below:
        return _ABOVE
    if any(isinstance(value, str) for value in column.values):
        return _TEXT
    return _WITH_MARKS if any(column.marks) else _PLAIN


def _width(kind: str) -> int:
    return 2 if kind == _WITH_MARKS else 1


def _long(
    preamble: str, head: Sequence[str], body: Sequence[str], label: str, caption: Sequence[str]
) -> list[str]:
    """Return the lines of a table that goes on over pages, with its head on each."""
    return [
        r"{\setlength{\LTcapwidth}{\linewidth}",
        rf"\begin{{longtable}}{{{preamble}}}",
        *(f"  {line}" for line in caption),
        rf"  \label{{tab:{label}}} \\",
        r"  \toprule",
        *head,
        r"  \endfirsthead",
        r"  \toprule",
        *head,
        r"  \endhead",
        rf"  \midrule \multicolumn{{{sum(map(preamble.count, 'lrc'))}}}{{r}}"
        r"{\footnotesize continued} \\",
        r"  \endfoot",
        r"  \bottomrule",
        r"  \endlastfoot",
        *body,
        r"\end{longtable}}",
    ]


def _caption(title: str, sentences: Iterable[str], signature: str) -> Iterator[str]:
    """Yield the lines of the caption, a sentence each; the list of tables has the title."""
    yield rf"\caption[{escape(title)}]{{%"
    for sentence in sentences:
        yield f"  {_with_daggers(escape(sentence))}"
    if signature:
        breakable = escape(signature).replace(r"\textbar{}", r"\textbar{} ")
        yield rf"  {{\scriptsize Signature: {breakable}}}"
    yield "}"


def _with_daggers(text: str) -> str:
    for dagger, command in _DAGGERS.items():
        text = text.replace(dagger, f"${command}$")
    return text


def _head(table: PaperTable, kinds: Sequence[str]) -> list[str]:
    """Return one line with what columns are of; two lines, if that has several columns."""
    widths = [*map(_width, kinds)]
    named = [(_heading(columns[0]), columns) for _, columns in by_heading(table.columns)]
    corner = table.head.capitalize()
    if not any(column.name for column in table.columns):
        cells = [
            _centred(heading, width) for (heading, _), width in zip(named, widths, strict=True)
        ]
        return [" & ".join([corner, *cells]) + r" \\"]
    ends = [0, *accumulate(len(columns) for _, columns in named)]
    spans = [sum(widths[start:end]) for start, end in pairwise(ends)]
    first = [_centred(heading, span) for (heading, _), span in zip(named, spans, strict=True)]
    places = [2, *accumulate(spans, initial=2)][1:]
    rules = " ".join(rf"\cmidrule(lr){{{start}-{end - 1}}}" for start, end in pairwise(places))
    second = [
        _centred(escape(column.name), width)
        for column, width in zip(table.columns, widths, strict=True)
    ]
    return [
        " & ".join(["", *first]).strip() + r" \\",
        rules,
        " & ".join([corner, *second]) + r" \\",
    ]


def _heading(column: PaperColumn) -> str:
    return _lettered(escape(column.heading), column.letter)


def _lettered(name: str, letter: str) -> str:
    """Return a name with the letter that marks name it by."""
    return rf"{name}\textsuperscript{{{letter}}}" if letter else name


def _centred(text: str, width: int) -> str:
    return rf"\multicolumn{{{width}}}{{c}}{{{text}}}"


def _body(table: PaperTable, digits: int, kinds: Sequence[str]) -> list[str]:
    """Return the rows, their cells below one another in the source too."""
    names = [escape(name) for name in table.rows]
    if table.letters:
        names = [*map(_lettered, names, table.letters)]
    columns = [names]
    for column, kind in zip(table.columns, kinds, strict=True):
        numbers = _numbers(column, table, digits)
        marks = [*map(_superscript, column.marks)]
        if kind == _ABOVE and marks:
            pairs = zip(numbers, marks, strict=True)
            numbers = [rf"{text}\rlap{{{mark}}}" if mark else text for text, mark in pairs]
        columns += [numbers, marks] if kind == _WITH_MARKS else [numbers]
    widths = [max(map(len, cells)) for cells in columns]
    has_below = any(column.below for column in table.columns)
    lines: list[str] = []
    for place, row in enumerate(zip(*columns, strict=True)):
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        if 0 < place == table.rule:
            lines.append(r"\midrule")
        elif place and has_below:
            lines.append(r"\addlinespace")
        goes_on = any(column.below and column.below[place] is not None for column in table.columns)
        end = r" \\*" if goes_on else r" \\"  # no page ends between a mean and its interval
        lines.append(" & ".join(padded).rstrip() + end)
        if goes_on:
            lines.append(_below(table, place, digits, kinds))
    return lines


def _numbers(column: PaperColumn, table: PaperTable, digits: int) -> list[str]:
    """Return the values of a column, the best in bold."""
    texts = []
    for value, standing in zip(column.values, column.standings, strict=True):
        shown = escape(value) if isinstance(value, str) else math(cell_text(value, digits))
        text = shown or _MISSING
        if standing == BEST:
            text = rf"\textbf{{{text}}}"
        elif standing == SECOND and table.second_best:
            text = rf"\underline{{{text}}}"
        texts.append(text)
    return texts


def _superscript(mark: str) -> str:
    if not mark:
        return ""
    if mark in _DAGGERS:
        return f"$^{{{_DAGGERS[mark]}}}$"
    return rf"\textsuperscript{{{mark}}}"


def _below(table: PaperTable, place: int, digits: int, kinds: Sequence[str]) -> str:
    """Return the line below a row, with intervals in small letters."""
    cells = [""]
    for column, kind in zip(table.columns, kinds, strict=True):
        value = column.below[place] if column.below else None
        text = "" if value is None else rf"\scriptsize {math(cell_text(value, digits))}"
        cells += [text, ""] if kind == _WITH_MARKS else [text]
    return " & ".join(cells).strip() + r" \\"
