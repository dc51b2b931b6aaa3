"""One row per topic and one column per run, with a header that names the runs."""

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import Notice, warning
from confint_cli.common.text import listed
from confint_cli.inputs.columns import OTHER_STATISTICS, SUMMARY
from confint_cli.inputs.layout import BY_RUN, Layout, fit_of, layout_of, problem_with
from confint_cli.inputs.matrix import NumberedTopics, read_matrix
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import Format, Reader, Reading, RowLabels, Series
from confint_cli.inputs.rows import Numerals, check_number_of_series
from confint_cli.inputs.source import Source


def read(source: Source, reader: Reader) -> Reading:
    """Read the topics, then row by row the scores."""
    return read_rows(layout_of(source, reader, BY_RUN), reader)


def read_rows(layout: Layout, reader: Reader) -> Reading:
    """Read a table whose layout is known: the topics, then row by row the scores."""
    source = layout.table.origin
    check_number_of_series(source, len(layout.values))
    topic_at = layout.topic
    names, labels = _names_of_rows(layout)
    topics = NumberedTopics(len(names)) if topic_at is None else names
    scores = itemgetter(*layout.values, layout.values[0])  # of several, so that it is a tuple
    rows = ((line, scores(cells)[:-1]) for line, cells in layout.rows())
    numerals = Numerals()
    reading = read_matrix(
        source,
        reader,
        rows,
        topics,
        layout.names,
        summary=frozenset() if topic_at is None else SUMMARY,
        statistics=frozenset() if topic_at is None else OTHER_STATISTICS,
        numerals=numerals,
        labels=labels if layout.has_labels else None,
    )
    reading = layout.told_of(reading)
    notices = [*reading.notices, *doubtful_runs(source, reading.series)]
    return replace(reading, counted=layout.counted, notices=notices)


def _names_of_rows(layout: Layout) -> tuple[list[str], list[RowLabels]]:
    """Return the topic, empty where no column has it, and the labels of each row, if it has any."""
    topics: list[str] = []
    labels: list[RowLabels] = []
    for _, cells in layout.rows():
        topics.append("" if layout.topic is None else cells[layout.topic].strip())
        if layout.has_labels:
            labels.append(layout.labels_of(cells))
    return topics, labels


def doubtful_runs(source: Origin, series: Sequence[Series]) -> list[Notice]:
    """Return a warning of runs with all scores above 1, if some other has them from 0 to 1."""
    if not any(each.values.min() > 1 for each in series):  # as nearly always, of many runs too
        return []
    scores: dict[str, list[FloatArray]] = {}
    for each in series:
        scores.setdefault(each.run or "", []).append(each.values)
    lowest = {run: min(float(values.min()) for values in parts) for run, parts in scores.items()}
    beyond = [run for run in scores if lowest[run] > 1]
    if not beyond or not any(
        lowest[run] >= 0 and all(values.max() <= 1 for values in parts)
        for run, parts in scores.items()
    ):
        return []
    noun = "column" if len(beyond) == 1 else "columns"
    text = f"all values of {noun} {listed(beyond, 5)} are above 1, those of others are from 0 to 1"
    return [warning(f"{text}: are these scores of runs?", source.name)]


FORMAT = Format(
    summary="topic-by-run table: a row for each topic, a column for each run",
    explanation="""\
A header that names the runs, then one row for each topic, separated by commas, tabs or semicolons.
The measure is the file's name without its ending, or --measure-name. The topics are in the first of
these that the table has:

- the column with a usual name: qid, query_id, topic, question_id, id, …
- the one column of different texts or whole numbers
- row numbers in a first column without a name, as pandas and R write them; this is for one file
  only, as confint does not join topics by row

Without any of these, confint numbers the rows. Columns that name collections, repeats or groups,
and hold no scores, are read as in long tables. Columns of texts are left out.

confint reads columns as runs unless one of them has the name of a measure (per_query). Where the
names leave it open, a message says so. To settle it, use --input-format, or an option that names a
column: --baseline for a run, -m for a measure.""",
    example="topic,bm25,rm3\n301,0.0372,0.3471\n302,0.3806,0.6155\n303,7e-04,1\n",
    sniff=fit_of(BY_RUN),
    read=read,
    doubt=problem_with,
    is_table=True,
    names_measures=False,
)
