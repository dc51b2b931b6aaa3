"""`301 0.23`: a topic and its score on each line, and no header."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from confint_cli.common.errors import DataError, note
from confint_cli.common.measures import looks_like_a_measure
from confint_cli.common.text import quoted
from confint_cli.inputs.columns import SUMMARY, TABLE_RULES, counts_plainly
from confint_cli.inputs.layout import is_table
from confint_cli.inputs.reading import Fit, Format, Head, Reader, Reading, head_of, once
from confint_cli.inputs.rows import Row, collect, is_gap, is_number, is_whole
from confint_cli.inputs.source import Source

_NO_HEADER = "there is no header: column 1 is read as topics, column 2 as their scores"
_SEPARATORS = ("\t", ";", None, ",")  # None: blanks. In `301;0,5` and `301 0,5` a comma is decimal


@dataclass(frozen=True)
class _Pairs:
    """The topics and scores of the first lines, and what separates them."""

    separator: str | None
    topics: Sequence[str]
    scores: Sequence[str]

    @property
    def may_be_runs(self) -> bool:
        """Whether both columns may be scores of runs, as in a matrix."""
        return _are_shares(self.topics) or (are_ids(self.topics) and are_ids(self.scores))


def are_ids(texts: Sequence[str]) -> bool:
    """Say whether texts are different whole numbers beyond 0 and 1."""
    return all(map(is_whole, texts)) and len({*texts}) == len(texts) and not _are_shares(texts)


def _are_shares(texts: Sequence[str]) -> bool:
    """Say whether all texts are 0 or 1, as the scores of many runs are."""
    return {*texts} <= {"0", "1"}


@once
def pairs_in(head: Head) -> _Pairs | None:
    """Return the first lines as pairs of topic and score, or None for other lines."""
    lines = [line for line in head.lines if not line.startswith("#")]
    for separator in _SEPARATORS:
        fields = []
        for line in lines:
            row = _fields(line, separator)
            if len(row) != 2 or not row[0] or not _is_score(row[1]):
                break
            fields.append(row)
        if len(fields) < len(lines):
            continue
        rows = [row for row in fields if row[0].casefold() not in SUMMARY]
        topics, scores = [row[0] for row in rows], [row[1] for row in rows]
        may_be_topics = all(is_whole(topic) or not is_number(topic) for topic in topics)
        is_enough = len(topics) > 1 or (bool(topics) and is_whole(topics[0]))
        if may_be_topics and is_enough and len({*topics}) == len(topics):
            return _Pairs(separator, topics, scores)
    return None


def _is_score(text: str) -> bool:
    return is_number(text) or is_gap(text)


def _fields(line: str, separator: str | None) -> list[str]:
    fields = line.split() if separator is None else line.split(separator)
    return [field.strip().strip('"') for field in fields]


def sniff(head: Head) -> Fit:
    """Return how well lines fit that have a different text or whole number each, and a number."""
    pairs = pairs_in(head)
    if pairs is None or doubt(head) is not None or is_table(head):
        return Fit.NONE
    is_of_blanks = pairs.separator in (None, "\t")  # as matrices are
    return Fit.POSSIBLE if is_of_blanks and _are_shares(pairs.topics) else Fit.SHAPE


def doubt(head: Head) -> DataError | None:
    """Return the error for means of measures: `AP 0.25` is what ir_measures prints without -q."""
    pairs = pairs_in(head)
    if pairs is None or 2 * sum(map(looks_like_a_measure, pairs.topics)) <= len(pairs.topics):
        return None
    return DataError(
        head.source.name,
        "has only means over all topics",
        "confint needs the scores of every topic: use trec_eval -q or ir_measures -q",
    )


def read(source: Source, reader: Reader) -> Reading:
    """Read line by line; the file names run and measure."""
    pairs = pairs_in(head_of(source))
    separator = pairs.separator if pairs is not None else None
    rules = replace(TABLE_RULES, named_measures=False)
    measure = reader.measure_for(source)
    reading = collect(source, _rows(source, separator, measure), reader, rules)
    about_header = [] if reader.is_told else [note(_NO_HEADER, source.name)]
    counted = any(counts_plainly(series.topics) for series in reading.series)
    return replace(reading, counted=counted, notices=[*about_header, *reading.notices])


def _rows(source: Source, separator: str | None, measure: str) -> Iterator[Row]:
    for number, line in source.lines():
        if line.startswith("#"):
            continue
        fields = _fields(line, separator)
        if len(fields) != 2:
            raise source.error(number, f"a line has to be a topic and a score, not {quoted(line)}")
        topic, score = fields
        yield number, None, measure, topic, score


FORMAT = Format(
    summary="topic and score on each line, without a header",
    explanation="""\
A topic and its score on each line, separated by a tab, blanks, a comma or a semicolon, without a
header. Topics are texts or whole numbers, and each topic comes once. A row of topic 'all' or 'mean'
is the file's own mean. The run gets the name of the file, and so does the measure, unless you give
--measure-name.

Two columns of different whole numbers could also be two runs: --input-format tsmatrix reads them as
runs, --input-format topic_score as topics and scores.""",
    example="301\t0.0324\n302\t0.4175\n303\t0.0858\n",
    sniff=sniff,
    read=read,
    doubt=doubt,
    names_measures=False,
)
