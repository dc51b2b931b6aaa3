"""Random tables, saved as pandas, R and Excel save them: scores come back by topic, not by row."""

import csv
import io
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs import read_scores
from confint_cli.inputs.reading import Reader
from tests.conftest import Confint
from tests.inputs.test_pitfalls import read

Scores = dict[tuple[str | None, str, str], float]
"""By run (None: the file names it), measure and topic."""

WITH_GAPS = Reader(lambda names: names, gaps=True)
STEM = "saved"  # of the file, which names the measure where columns are runs

RUNS = ("bm25", "dense-v2", "ColBERT k=0.9", "run, 3", "7", "MAP-tuned", "name=x")
MEASURES = ("AP", "nDCG@10", "P_10", "recip_rank")
TOPIC_NAMES = ("qid", "query_id", "topic", "topic_id", "query", "question_id", "id", "QID", "Topic")
TEXTS = ("question", "answer", "contexts", "notes")
RUN_NAMES = ("run", "runid", "system", "name", "model", "method", "System")

values = st.one_of(
    st.integers(0, 10_000).map(lambda number: number / 10_000), st.sampled_from([0.0, 1.0, 7e-04])
)
whole_topics = st.lists(st.integers(2, 100_000).map(str), min_size=3, max_size=12, unique=True)
text_topics = st.lists(
    st.text("abcxyz0123456789-_", min_size=2, max_size=12).map("q".__add__),
    min_size=3, max_size=12, unique=True,
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A table with a row a topic, or a row a run and topic, and what is in it."""

    frame: pd.DataFrame
    scores: Scores


def shuffled(draw: st.DrawFn, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in another order, each with its old row number or a new one."""
    order = draw(st.permutations(range(len(frame))))
    return frame.iloc[order].reset_index(drop=draw(st.booleans())) if draw(st.booleans()) else (
        frame.iloc[order]
    )  # fmt: skip


@st.composite
def wide(draw: st.DrawFn) -> Table:
    """A row a topic; columns are runs or measures, among columns of text, with blanks."""
    topics = draw(st.one_of(whole_topics, text_topics))
    columns = draw(st.lists(st.sampled_from(draw(st.sampled_from([RUNS, MEASURES]))),
                            min_size=1, max_size=4, unique=True))  # fmt: skip
    blanks = draw(st.booleans())
    scores: Scores = {}
    data: dict[str, list[object]] = {draw(st.sampled_from(TOPIC_NAMES)): [*topics]}
    for column in columns:
        cells = draw(st.lists(values, min_size=len(topics), max_size=len(topics)))
        gaps = draw(st.sets(st.integers(1, len(topics) - 1))) if blanks else set()
        data[column] = [None if place in gaps else one for place, one in enumerate(cells)]
        run, measure = (None, column) if column in MEASURES else (column, STEM)
        scores |= {(run, measure, topic): one for place, (topic, one) in
                   enumerate(zip(topics, cells, strict=True)) if place not in gaps}  # fmt: skip
    texts = draw(st.sets(st.sampled_from(TEXTS)))
    for text in sorted(texts):
        data[text] = [draw(st.sampled_from([f"a {text}?", "say \"x\", y", "two\nlines", "é; ü"]))
                      for _ in topics]  # fmt: skip
    frame = pd.DataFrame({name: data[name] for name in draw(st.permutations([*data]))})
    return Table(frame, scores)


@st.composite
def long(draw: st.DrawFn) -> Table:
    """A row a run, topic and measure, or a row a run and topic with a column a measure."""
    topics = draw(st.one_of(whole_topics, text_topics))
    runs = draw(st.lists(st.sampled_from(RUNS), min_size=1, max_size=3, unique=True))
    measures = draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=2, unique=True))
    topic, run = draw(st.sampled_from(TOPIC_NAMES)), draw(st.sampled_from(RUN_NAMES))
    scores: Scores = {(r, m, t): draw(values) for r in runs for m in measures for t in topics}
    if draw(st.booleans()):
        names = [run, topic, draw(st.sampled_from(["measure", "metric"])),
                 draw(st.sampled_from(["score", "value"]))]  # fmt: skip
        rows = [(r, t, m, one) for (r, m, t), one in scores.items()]
        frame = pd.DataFrame(rows, columns=names)
    else:
        rows = [(r, t, *(scores[r, m, t] for m in measures)) for r in runs for t in topics]
        frame = pd.DataFrame(rows, columns=[run, topic, *measures])
    return Table(frame[draw(st.permutations([*frame.columns]))], scores)


def of_pandas(draw: st.DrawFn, table: Table) -> str:
    frame = shuffled(draw, table.frame)
    separator, gap = draw(st.sampled_from([",", "\t"])), draw(st.sampled_from(["", "NA", "NaN"]))
    if "index" not in frame and draw(st.booleans()):  # topics are the index, which may have no name
        topics = next(name for name in frame.columns if name in TOPIC_NAMES)
        frame = frame.set_index(topics)
        if draw(st.booleans()):
            frame = frame.rename_axis(None)
        text_with_topics: str = frame.to_csv(sep=separator, na_rep=gap)
        return text_with_topics
    text: str = frame.to_csv(sep=separator, index=draw(st.booleans()), na_rep=gap)
    return text


def _of_r(frame: pd.DataFrame, separator: str, decimal: str, *, names: bool, corner: bool) -> str:
    """Write as R's write.csv, write.csv2 and write.table do: texts in quotes, rows numbered."""

    def cell(value: object) -> str:
        if value is None or value != value:
            return "NA"
        if isinstance(value, float):
            return f"{value:.15g}".replace(".", decimal)
        return '"' + str(value).replace('"', '""') + '"'

    header = [cell(name) for name in frame.columns]
    lines = [separator.join(['""', *header] if names and corner else header)]
    for number, row in enumerate(frame.itertuples(index=False, name=None), start=1):
        cells = [*map(cell, row)]
        lines.append(separator.join([f'"{number}"', *cells] if names else cells))
    return "\n".join([*lines, ""])


def of_r(draw: st.DrawFn, table: Table) -> str:
    separator, decimal = draw(st.sampled_from([(",", "."), (";", ","), ("\t", ".")]))
    return _of_r(shuffled(draw, table.frame), separator, decimal, names=draw(st.booleans()),
                 corner=draw(st.booleans()))  # fmt: skip


def of_excel(draw: st.DrawFn, table: Table) -> str:
    """Write as Excel does in half of Europe: semicolons, decimal commas, CR LF, maybe percent."""
    frame = shuffled(draw, table.frame)
    numbers = frame.select_dtypes("float").columns
    style = draw(st.sampled_from(["{}", "{} %", "{}%"]))

    def shown(value: float) -> str:
        if value != value:
            return ""
        plain = repr(value) if style == "{}" else f"{value * 100:.10f}".rstrip("0").rstrip(".")
        return style.format(plain.replace(".", ",").replace("e-", "E-"))

    frame = frame.astype(object).where(frame.notna(), None)
    for name in numbers:
        frame[name] = [shown(float("nan") if one is None else one) for one in frame[name]]
    buffer = io.StringIO()
    frame.to_csv(buffer, sep=";", index=False, lineterminator="\r\n")
    first = draw(st.sampled_from(["", "sep=;\r\n", "\ufeff"]))
    return first + buffer.getvalue() + draw(st.sampled_from(["", ";" * (len(frame.columns) - 1)]))


WRITERS: dict[str, Callable[[st.DrawFn, Table], str]] = {
    "pandas": of_pandas, "R": of_r, "Excel": of_excel,
}  # fmt: skip
SHAPES = {"wide": wide, "long": long}


def scores_in(path: Path, reader: Reader = WITH_GAPS) -> Scores:
    """Return all that is read of a file."""
    _, reading = read_scores(str(path), reader)
    return {
        (series.run, series.measure, topic): value
        for series in reading.series
        for topic, value in zip(series.topics, series.values.tolist(), strict=True)
    }


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tool", WRITERS)
def test_scores_come_back_by_topic_never_by_row(tool: str, shape: str, tmp_path: Path) -> None:
    path = tmp_path / f"{STEM}.csv"

    @settings(max_examples=80)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        table = data.draw(SHAPES[shape]())
        text = data.draw(st.composite(lambda draw: WRITERS[tool](draw, table))())
        path.write_text(text, encoding="utf-8", newline="")
        names = (
            next(csv.reader(io.StringIO(text), delimiter=text[0]))[1:] if text[0] in ",\t" else []
        )
        are_texts = not any(topic.isdecimal() for _, _, topic in table.scores)
        if names and are_texts and all(name == "7" or name in TEXTS for name in names):
            with pytest.raises(DataError, match="or the other way round"):
                scores_in(path)  # 7 may as well be a topic, and what has no name runs
            return
        found = scores_in(path)
        assert found.keys() == table.scores.keys()
        assert found == pytest.approx(table.scores, abs=1e-12)

    check()


@settings(max_examples=60)
@given(st.data())
def test_a_table_without_a_header_comes_back_by_topic(data: st.DataObject) -> None:
    topics = data.draw(st.one_of(whole_topics, text_topics))
    scores = [data.draw(values) for _ in topics]
    frame = pd.DataFrame({"topic": topics, "score": scores})
    frame = frame.iloc[data.draw(st.permutations(range(len(topics))))]
    separator = data.draw(st.sampled_from(["\t", ",", " "]))
    text = frame.to_csv(sep=separator, index=False, header=False)
    name, reading = read(text)
    assert name == "topic_score"
    (series,) = reading.series
    found = dict(zip(series.topics, series.values.tolist(), strict=True))
    assert found == dict(zip(topics, scores, strict=True))


def test_two_files_in_different_orders_are_compared_topic_by_topic(
    tmp_path: Path, confint: Confint
) -> None:
    """The fault that put a false p-value into a paper: tables sorted by score, with row numbers."""
    chance = random.Random(4)
    topics = [str(topic) for topic in range(301, 331)]
    one = {topic: chance.random() for topic in topics}
    other = {topic: min(1.0, one[topic] + chance.gauss(0.02, 0.05)) for topic in topics}
    for name, scores in (("a", one), ("b", other)):
        frame = pd.DataFrame({"qid": [*scores], "ndcg_cut_10": [*scores.values()]})
        frame.sort_values("ndcg_cut_10").reset_index(drop=True).to_csv(tmp_path / f"{name}.csv")
    calls = [["--baseline", "a"], ["--baseline", "a", "--input-format", "per_query"]]
    for call in calls:
        result = confint("compare", tmp_path / "a.csv", tmp_path / "b.csv", *call, "-f", "json")
        assert result.status == 0, result.err
        wins = sum(other[topic] > one[topic] for topic in topics)
        assert f'"wins": {wins}' in result.out
        assert '"topics": 30' in result.out
