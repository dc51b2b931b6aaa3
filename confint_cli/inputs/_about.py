"""What is said about the way a table is read, where its header alone does not settle it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from confint_cli.errors import Level, Notice, detail, note
from confint_cli.inputs._columns import MEASURE, TOPIC
from confint_cli.inputs._sample import Column, Table
from confint_cli.inputs._topics import row_numbers
from confint_cli.text import listed, quoted


def about_others(table: Table, others: Sequence[Column]) -> Iterator[Notice]:
    """Say which columns are left out though they have a name."""
    named = [column.name for column in others if column.name]
    if named:
        text = f"{_columns(named)} {'is' if len(named) == 1 else 'are'} left out"
        yield note(text, table.source.name)


def about_names(table: Table, measure: Column | None) -> Iterator[Notice]:
    """Say which column names measures, if it is called as if it named runs."""
    if measure is not None and measure.folded not in MEASURE:
        yield note(f"column {quoted(measure.name)} is taken for measures", table.source.name)


def about_systems(table: Table, run: Column, names: Sequence[str]) -> Notice:
    """Say how columns are taken where none of them has the name of a measure."""
    text = f"column {quoted(run.name)} is taken for runs, {_columns(names)} for measures"
    return note(text, table.source.name)


def _columns(names: Sequence[str]) -> str:
    """Return `column 'a'` or `columns 'a', 'b' and 3 more`."""
    shown = [quoted(name, 40) for name in names]
    return f"{'column' if len(names) == 1 else 'columns'} {listed(shown, 5)}"


def about_topics(table: Table, topic: Column | None) -> Iterator[Notice]:
    """Say which column holds the topics, where its name does not, and which row numbers do not."""
    about = table.source.name
    if topic is None:
        yield note("no topic column; topics are numbered by their rows", about)
        return
    if not topic.name:
        yield note("column 1, which has no name, is taken for the topics", about)
    elif topic.folded not in TOPIC:
        yield note(f"column {quoted(topic.name)} is taken for the topics", about)
    numbers = [one for one in row_numbers(table) if one is not topic and not one.is_empty]
    if numbers:
        names = [one.name or "1, which has no name" for one in numbers]
        say = detail if all(one.counts for one in numbers) else note  # else maybe ids
        yield say(f"row numbers are left out: {_columns(names)}", about)


def about_columns(table: Table, names: Sequence[str], kind: str) -> Notice:
    """Say how columns are taken, and what turns it."""
    one = len(names) == 1
    columns = f"{_columns(names)} {'is' if one else 'are'}"
    taken, other, turn = "run", "measure", "per_query"
    if kind == turn:
        taken, other, turn = "measure", "run", "topic_by_run"
    text = f"{columns} taken for {_a(taken, one)}; if {'it is' if one else 'they are'} "
    return note(f"{text}{_a(other, one)}, say --input-format {turn}", table.source.name)


def in_one_line(*notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return what is to be said about a table with one line for all that everybody should know."""
    every = [one for some in notices for one in some]
    notes = [one for one in every if one.level is Level.NOTE]
    details = [one for one in every if one.level is not Level.NOTE]
    if notes:
        details.insert(0, replace(notes[0], text="; ".join(one.text for one in notes)))
    return tuple(details)


def _a(noun: str, one: bool) -> str:
    return f"a {noun}" if one else f"{noun}s"
