"""Numbers only, one line per topic and one column per run: NTCIREVAL's .tsmatrix."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from confint_cli.common.errors import DataError
from confint_cli.common.text import count, looks_numeric, quoted
from confint_cli.inputs.formats.topic_score import pairs_in
from confint_cli.inputs.matrix import NumberedTopics, read_matrix
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.rows import check_number_of_series
from confint_cli.inputs.source import Source

_ENORMOUS = 1 << 20  # characters of a line


def sniff(head: Head) -> bool:
    """Say whether fields are numbers, separated by blanks, and the lines are not judgements."""
    rows = [line.split() for line in head.lines]
    return (
        len(rows) > 0
        and all(map(looks_numeric, rows[0]))
        and not head.lines[0].startswith("\t")  # a header, whose corner is empty
        and head.share(lambda line: all(map(looks_numeric, line.split()))) >= 0.5
        and not _looks_like_qrels(rows)
        and ((pairs := pairs_in(head)) is None or pairs.may_be_runs)  # else topics and scores
    )


def doubt(head: Head) -> DataError | None:
    """Return the error for a matrix with a column that may be topics, or a header of numbers."""
    if not sniff(head):
        return None
    rows = [line.split() for line in head.lines]
    are_numbers = all(looks_numeric(field) for row in rows for field in row)
    if len({*map(len, rows)}) > 1 or not are_numbers:
        return None  # the reader says what is wrong
    columns = [[float(field) for field in column] for column in zip(*rows, strict=True)]
    if _may_be_a_run(columns):
        return DataError(
            head.source.name,
            "may be a run ('topic document rank'), or a matrix of whole numbers as scores of runs",
            "to score runs, give the judgements as --qrels FILE; --input-format tsmatrix reads it "
            "as scores",
        )
    ids = column_of_ids(columns)
    if ids is not None:
        return DataError(
            head.source.name,
            f"column {ids + 1} may be topics ({quoted(rows[0][ids])} is one) or the scores of a "
            "run",
            "if it holds topics, add a first line of 'topic' and the names of the runs, with tabs "
            "between them; --input-format tsmatrix reads it as scores",
        )
    if len(rows) > 1 and counts_columns(columns):
        return DataError(
            head.source.name,
            "the first line may be the numbers of the columns, or the scores of a topic",
            "remove it if it does not hold scores; --input-format tsmatrix reads it as scores",
        )
    return None


def column_of_ids(columns: Sequence[Sequence[float]]) -> int | None:
    """Return the place of a column that may be topics, beside others that may not; or None."""
    are_counts = [*map(_are_counts, columns)]
    if all(are_counts):
        return None
    found = zip(columns, are_counts, strict=True)
    return next(
        (place for place, (column, is_one) in enumerate(found) if is_one and max(column) > 1), None
    )


def _may_be_a_run(columns: Sequence[Sequence[float]]) -> bool:
    """Say whether three columns are whole numbers, with a topic and a document beyond 1."""
    if len(columns) != 3 or not all(map(_are_counts, columns)):
        return False
    return max(columns[0]) > 1 and max(columns[1]) > 1 and min(columns[2]) in (0, 1)


def counts_columns(columns: Sequence[Sequence[float]]) -> bool:
    """Say whether the first row is 0, 1, 2 … or 1, 2, 3 …, where not all columns are counts."""
    first = [column[0] for column in columns]
    is_range = first == [first[0] + place for place in range(len(first))]
    return is_range and first[0] in (0, 1) and first[-1] > 1 and not all(map(_are_counts, columns))


def _are_counts(values: Sequence[float]) -> bool:
    return all(value.is_integer() for value in values)


def _looks_like_qrels(rows: list[list[str]]) -> bool:
    """Say whether lines are `301 0 17 1`: judgements of numbered documents."""
    if not all(len(row) == 4 and row[1] == "0" for row in rows):
        return False
    numbers = [field for row in rows for field in (row[0], row[2])]
    whole = all(field.isdigit() for field in numbers)
    return whole and any(field.lstrip("0") not in ("", "1") for field in numbers)


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line; a line's number among those that are not blank names its topic."""
    widths = Counter(_number_of_fields(line) for _, line in source.lines())
    width = widths.most_common(1)[0][0] if widths else 0
    names = reader.run_names
    if names is not None and len(names) != width:
        raise DataError(
            source.name,
            f"has {count(width, 'column')}, but --run-names gives {count(len(names), 'name')}",
        )
    check_number_of_series(source, width)
    runs = names or [str(column) for column in range(1, width + 1)]
    topics = NumberedTopics(widths.total())
    return read_matrix(source, reader, _rows(source, width), topics, runs)


def _number_of_fields(line: str) -> int:
    """Return how many fields a line has; those of an enormous line are counted one by one."""
    if len(line) < _ENORMOUS:
        return len(line.split())
    return sum(1 for _ in re.finditer(r"\S+", line))


def _rows(source: Source, width: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in source.lines():
        fields = line.split()
        if len(fields) != width:
            raise source.error(
                number,
                f"{count(width, 'column')} {'is' if width == 1 else 'are'} needed, "
                f"not {len(fields)}: {quoted(' '.join(fields))}",
            )
        yield number, fields


FORMAT = Format(
    summary="numbers only: a line for each topic, a column for each run",
    explanation="""\
Numbers separated by blanks, one line per topic and one column per run, without any names, such as
NTCIREVAL's topic-by-system matrices. The number of a line is the name of its topic. The number of a
column is the name of its run, unless --run-names FILE lists the names of the runs, one per line.
The measure is the file's name without its ending, or --measure-name. A single column of numbers is
one run.""",
    example="0.2900 0.3100\n0.1389 0.1502\n0.5474 0.5001\n",
    sniff=sniff,
    read=read,
    doubt=doubt,
    names_measures=False,
    names_runs=False,
)
