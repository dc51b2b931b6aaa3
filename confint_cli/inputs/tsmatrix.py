"""Numbers only, one line a topic and one column a run: NTCIREVAL's .tsmatrix."""

from collections import Counter
from collections.abc import Iterator, Sequence

from confint_cli.errors import DataError
from confint_cli.inputs._format import Format, Head, Reader, Reading
from confint_cli.inputs._rows import Row, Rules, collect
from confint_cli.inputs._source import Source
from confint_cli.text import count, looks_numeric, quoted

_RULES = Rules(summary=frozenset(), named_measures=False)


def sniff(head: Head) -> bool:
    """All fields are numbers, separated by blanks, and the lines are no judgements."""
    rows = [line.split() for line in head.lines]
    return (
        len(rows) > 0
        and all(map(looks_numeric, rows[0]))
        and head.share(lambda line: all(map(looks_numeric, line.split()))) >= 0.5
        and not _looks_like_qrels(rows)
    )


def _looks_like_qrels(rows: list[list[str]]) -> bool:
    """Four whole numbers, the second 0: `301 0 17 1`, judgements of numbered documents."""
    if not all(len(row) == 4 and row[1] == "0" for row in rows):
        return False
    return all(field.isdigit() for row in rows for field in (row[0], row[2])) and any(
        int(field) > 1 for row in rows for field in (row[0], row[2])
    )


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line; a line's number among those that are not blank names its topic."""
    rows = [(number, line.split()) for number, line in source.lines()]
    if not rows:
        raise DataError(source.name, "has no per-topic scores")
    width = Counter(len(fields) for _, fields in rows).most_common(1)[0][0]
    names = reader.run_names
    if names is not None and len(names) != width:
        raise DataError(
            source.name,
            f"has {count(width, 'column')}, but --run-names gives {count(len(names), 'name')}",
        )
    runs = names or [str(column) for column in range(1, width + 1)]
    return collect(source, _rows(source, rows, runs, reader.measure_for(source)), reader, _RULES)


def _rows(
    source: Source, rows: list[tuple[int, list[str]]], runs: Sequence[str], measure: str
) -> Iterator[Row]:
    for topic, (number, fields) in enumerate(rows, start=1):
        if len(fields) != len(runs):
            raise source.error(
                number,
                f"{count(len(runs), 'column')} are needed, not {len(fields)}: "
                f"{quoted(' '.join(fields))}",
            )
        for run, value in zip(runs, fields, strict=True):
            yield number, run, measure, str(topic), value


FORMAT = Format(
    summary="numbers only: a line for each topic, a column for each run",
    explanation="""\
Numbers separated by blanks, one line a topic and one column a run, without any names, as
NTCIREVAL's topic-by-system matrices. Topics are called by the numbers of their lines, runs by
those of their columns unless --run-names FILE lists their names, one a line. The measure is the
file's name without its ending, or --measure-name. A single column of numbers is one run.""",
    example="0.2900 0.3100\n0.1389 0.1502\n0.5474 0.5001\n",
    sniff=sniff,
    read=read,
    names_measures=False,
    names_runs=False,
)
