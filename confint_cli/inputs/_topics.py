"""Which column of a table holds the topics, where its name does not say so."""

import re
from collections.abc import Collection, Sequence

from confint_cli.errors import DataError
from confint_cli.inputs._columns import RUN, TOPIC, open_table
from confint_cli.inputs._numerals import is_gap, is_whole
from confint_cli.inputs._rows import Rules
from confint_cli.inputs._sample import Column, Table
from confint_cli.text import quoted

SUMMARY = frozenset(
    {"all", "amean", "mean", "average", "avg", "avg.", "overall", "mean:", "average:", "avg:",
     "all topics", "mittelwert", "durchschnitt", "moyenne", "media", "promedio"}
)  # fmt: skip
"""What people call a row of means, without regard to case; a topic has none of these names."""

OTHER_STATISTICS = frozenset(
    {"total", "total:", "grand total", "sum", "std", "sd", "stdev", "std dev", "var", "median",
     "min", "max", "count", "n", "se", "25%", "50%", "75%", "gesamt", "gesamtergebnis", "summe"}
)  # fmt: skip
"""What they call rows of other figures, which are no topics beside ids that have a digit each."""

NO_TOPICS = SUMMARY | OTHER_STATISTICS
TABLE_RULES = Rules(summary=SUMMARY, statistics=OTHER_STATISTICS, any_case=True, is_table=True)
"""What the rows of a table mean."""

_ROW_NUMBERS = re.compile(
    r"unnamed:_?[0-9.]+|(row_?)?index|__index_level_[0-9]__|level_[0-9]|\.\.\.[0-9]|row_?(names?|nr)"
)
_MAY_BE_ROW_NUMBERS = frozenset({"x", "x.1", "v1", "row", "rank", "no", "no.", "nr", "#"})
"""Names that pandas, R and people give to a column of row numbers, in small letters."""
_SAVED_TWICE = re.compile(r"\.[0-9]+$")  # pandas' `qid.1` for a second column of one name


def is_called_topics(column: Column) -> bool:
    """Say whether a column has a name of topics, also a second one of that name."""
    return _SAVED_TWICE.sub("", column.folded) in TOPIC


def check_says_the_same(table: Table, topic: Column, other: Column) -> None:
    """Refuse two columns of the same topics in different orders: two tables side by side.

    The whole table is looked at: the second may lack a topic far down. An `id` that counts rows
    says nothing.
    """
    if other.folded == "id" and other.counts:
        return
    width = len(table.header.cells)
    rows = [row for _, row in open_table(table.source)[1] if len(row) == width]
    pairs = [(row[topic.place].strip(), row[other.place].strip()) for row in rows]
    differ = any(one != another for one, another in pairs if not is_gap(another))
    if differ and not {one for one, _ in pairs}.isdisjoint(another for _, another in pairs):
        raise table.error(
            f"columns {topic.place + 1} ({quoted(topic.name)}) and {other.place + 1} "
            f"({quoted(other.name)}) both hold topics, and differ",
            "are these two tables side by side? save them as two files",
        )


def topics_by_content(table: Table) -> Column | None:
    """Return the column that holds the topics by what is in it; None: there is none."""
    first, *others = table.columns
    numbers = {column.place for column in row_numbers(table)}
    others = [one for one in others if one.place not in numbers]
    candidates = _all_different(table, [one for one in others if one.may_be_topics])
    if first.place in numbers and first.counts:
        if len(candidates) < 2:
            return candidates[0] if candidates else first
        raise _several_topics(table, candidates)
    if not first.name:
        if first.has_fractions:
            raise table.error("column 1 has scores, but no name", "give it one in the header")
        return first
    is_first = first.is_whole and len({*first.cells}) == len(first.cells)
    if first.may_be_topics or is_first:
        candidates = [*_all_different(table, [first]), *candidates]
    if len(candidates) > 1:
        raise _several_topics(table, candidates)
    if candidates:
        return candidates[0]
    return first if first.is_text else None


def _several_topics(table: Table, candidates: Sequence[Column]) -> DataError:
    names = [quoted(column.name) for column in candidates]
    return table.error(
        f"topics may be in column {' or '.join(names[:3])}",
        "call the one that holds them 'topic'",
    )


def _all_different(table: Table, columns: Sequence[Column]) -> list[Column]:
    """Return the columns whose cells are all different, and all of a kind, in the whole table."""
    seen: dict[int, set[str]] = {column.place: set() for column in columns}
    whole = {column.place for column in columns if column.is_whole}
    width = len(table.header.cells)
    for _, row in open_table(table.source)[1] if seen else ():
        for place in [*seen]:
            cell = row[place].strip() if len(row) == width else ""
            if cell in seen[place] or (place in whole and not is_whole(cell) and _is_no_mean(cell)):
                del seen[place]
            else:
                seen[place].add(cell)
    return [column for column in columns if column.place in seen]


def _is_no_mean(cell: str) -> bool:
    return cell.casefold() not in SUMMARY


def row_numbers(table: Table) -> list[Column]:
    """Return the columns of row numbers, by their names or, of the first one, for want of one.

    They need not count: rows may have been sorted since. A table that was read and saved again may
    have several.
    """
    numbers: list[Column] = []
    for place, column in enumerate(table.columns):
        is_among_first = place == len(numbers)
        if (
            (not place and not column.name)
            or (_ROW_NUMBERS.fullmatch(column.folded) and column.is_whole)
            or (is_among_first and column.folded in _MAY_BE_ROW_NUMBERS and column.counts)
        ):
            numbers.append(column)
    return numbers


def topics_of_runs(table: Table, used: Collection[Column]) -> Column:
    """Return the topics of a table with a column of runs, where none is called so."""
    first = table.columns[0]
    if first not in used and not first.name and not first.counts:
        return first
    names = [column for column in used if column.folded in RUN]
    raise table.error(
        f"column {quoted(names[0].name)} names runs, but no column names topics"
        if names
        else "no column names topics",
        "means of runs are no per-topic scores; if the columns are topics, turn the table round; "
        "if a column holds topics, call it 'topic'",
    )
