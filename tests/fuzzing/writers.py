"""Valid files of every format, made at random, with what is in them by their writer's own account.

A reader has to give back just these records: no line may be lost, joined or read as another.
"""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

from confint_cli.common.measures import looks_like_a_measure
from confint_cli.common.text import looks_numeric
from confint_cli.inputs.header import TOPIC

Record = tuple[str | None, str, str, float]
"""Run (None: the file names it), measure, topic, score."""

UNNAMED = "x"  # the measure of files that name none: the stem of their name

topics = st.one_of(
    st.integers(0, 10**6).map(str),
    st.text("abcXYZ0123456789-._:#é日", min_size=1, max_size=40).filter(
        lambda name: not name.startswith("#")
    ),
)
runs = st.text("abcXYZ0123456789-._+()é", min_size=1, max_size=60).filter(
    lambda name: not name.startswith(("#", "-", "+"))
)
measures = st.sampled_from(["map", "P_10", "P@5", "Rprec", "recip_rank", "ndcg", "ndcg_cut_10"])
values = st.one_of(
    st.integers(0, 10**4).map(lambda number: f"{number / 10**4:.4f}"),
    st.floats(-1e6, 1e6).map(repr),
    st.sampled_from(["0", "1", "-0.0", "7e-04", "1E-3", ".5", "1.", "+0.25", "1e-310", "00.5"]),
)


@dataclass(frozen=True)
class Material:
    """The scores of some runs on some topics by some measures, as they are to be written."""

    runs: list[str]
    measures: list[str]
    topics: list[str]
    texts: dict[tuple[str, str, str], str]  # by run, measure and topic

    def records(self, runs: list[str], measures: list[str]) -> list[Record]:
        """Return what a file with these runs and measures says."""
        return [
            (run, measure, topic, float(self.texts[run, measure, topic]))
            for run in runs
            for measure in measures
            for topic in self.topics
        ]

    def of(self, rows: "list[Row]") -> list[Record]:
        """Return what a file with these lines says."""
        return [(run, m, topic, float(self.texts[run, m, topic])) for run, m, topic in rows]

    def of_one_measure(self, named: bool = True) -> list[Record]:
        records = self.records(self.runs, self.measures[:1])
        names = {run: str(place) for place, run in enumerate(self.runs, start=1)}
        numbers = {topic: str(place) for place, topic in enumerate(self.topics, start=1)}
        if named:
            return [(run, UNNAMED, topic, value) for run, _, topic, value in records]
        return [(names[run], UNNAMED, numbers[topic], value) for run, _, topic, value in records]


@dataclass(frozen=True)
class Written:
    """A file and what is in it."""

    data: bytes
    records: list[Record]


@st.composite
def materials(draw: st.DrawFn) -> Material:
    """Draw scores; every name is there once, and none means something else to a reader."""
    special = {"all", "amean", "mean", "average", "avg", "topic", "score", "value", "rows"}
    fold = str.casefold
    names = draw(st.lists(runs, min_size=1, max_size=4, unique_by=fold))
    ids = draw(st.lists(topics.filter(lambda one: fold(one) not in special), min_size=2,
                        max_size=6, unique=True))  # fmt: skip
    chosen = draw(st.lists(measures, min_size=1, max_size=4, unique=True))
    texts = {
        (run, measure, topic): draw(values) for run in names for measure in chosen for topic in ids
    }
    return Material([name for name in names if fold(name) not in special] or ["a"], chosen, ids,
                    texts | {("a", m, t): "0.5" for m in chosen for t in ids
                             if ("a", m, t) not in texts})  # fmt: skip


Row = tuple[str, str, str]
"""Run, measure and topic of a line."""


def _rows(draw: st.DrawFn, one: Material, runs: list[str]) -> list[Row]:
    """Return what lines there are, in some order; not every run has all topics by all measures."""
    rows = [(run, m, topic) for run in runs for topic in one.topics for m in one.measures]
    order = draw(st.sampled_from(["by topic", "by measure", "any"]))
    if order == "by measure":
        rows.sort(key=lambda row: one.measures.index(row[1]))
    elif order == "any":
        rows = draw(st.permutations(rows))
        rows = rows[: draw(st.integers(2, len(rows)))]
    return rows


def _some(lines: list[str]) -> st.SearchStrategy[list[str]]:
    """Return a strategy for all of the lines or none."""
    return st.sampled_from([[], lines]).map(list)


def _of_one_run(draw: st.DrawFn, one: Material) -> tuple[list[Row], list[Record]]:
    """Return the lines of a file that names no run, and what they say."""
    rows = _rows(draw, one, one.runs[:1])
    return rows, [(None, m, topic, float(one.texts[run, m, topic])) for run, m, topic in rows]


def trec_eval(draw: st.DrawFn, one: Material) -> Written:
    width, tab = draw(st.sampled_from([(0, "\t"), (22, "\t"), (15, "\t"), (0, " ")]))
    rows, records = _of_one_run(draw, one)
    lines = [f"{m:<{width}}{tab}{t}{tab}{one.texts[run, m, t]}" for run, m, t in rows]
    lines += [f"{m:<{width}}{tab}all{tab}0.5" for m in draw(_some(one.measures))]
    return _finished(draw, lines, records)


def ir_measures(draw: st.DrawFn, one: Material) -> Written:
    rows, records = _of_one_run(draw, one)
    lines = [f"{t}\t{m}\t{one.texts[run, m, t]}" for run, m, t in rows]
    lines += [f"all\t{m}\t0.5" for m in draw(_some(one.measures))]
    return _finished(draw, lines, records)


def ntcireval(draw: st.DrawFn, one: Material) -> Written:
    rows, records = _of_one_run(draw, one)
    lines = draw(_some([f"{one.topics[0]} # syslen=9", "# made by hand"]))
    lines += [f"{t} {m}=   {one.texts[run, m, t]}" for run, m, t in rows]
    return _finished(draw, lines, records)


def cwl_eval(draw: st.DrawFn, one: Material) -> Written:
    rows, records = _of_one_run(draw, one)
    lines = draw(_some(["Topic\tMetric\tEU\tETU\tEC\tETC\tED"]))
    lines += [f"{t}\t{m}\t{one.texts[run, m, t]}\t1\t1.0\t2\t3" for run, m, t in rows]
    return _finished(draw, lines, records)


def rbp_eval(draw: st.DrawFn, one: Material) -> Written:
    depths = {measure: str(5 * place) for place, measure in enumerate(one.measures, start=1)}
    rows, records = _of_one_run(draw, one)
    lines = [
        f"p= 0.80 q= {t} d= {depths[m]} rbp= {one.texts[run, m, t]} +0.1" for run, m, t in rows
    ]
    records = [(run, f"RBP(p=0.80)@{depths[m]}", t, value) for run, m, t, value in records]
    residuals = [(run, f"{measure} residual", t, 0.1) for run, measure, t, _ in records]
    return _finished(draw, ["# rbp_eval version: 0.2", *lines], [*records, *residuals])


def long(draw: st.DrawFn, one: Material) -> Written:
    delimiter = draw(st.sampled_from("\t,;"))
    columns = draw(st.permutations(["run", "topic", "measure", "score"]))
    quote = draw(st.sampled_from(["", "", '"']))
    lines = [delimiter.join(columns)]
    rows = _rows(draw, one, one.runs)
    for run, measure, topic in rows:
        text = one.texts[run, measure, topic]
        cells = {"run": run, "topic": topic, "measure": measure, "score": text}
        lines.append(delimiter.join(f"{quote}{cells[column]}{quote}" for column in columns))
    comments = draw(_some(["# confint:1|command:score"]))
    return _finished(draw, comments + lines, one.of(rows))


def ndeval(draw: st.DrawFn, one: Material) -> Written:
    lines = [",".join(["runid", "topic", *one.measures])]
    lines += [
        ",".join([run, topic, *(one.texts[run, m, topic] for m in one.measures)])
        for run in one.runs
        for topic in one.topics
    ]
    lines += draw(st.sampled_from([[], [f"{one.runs[0]},amean" + ",0.5" * len(one.measures)]]))
    return _finished(draw, lines, one.records(one.runs, one.measures))


def per_query(draw: st.DrawFn, one: Material) -> Written:
    delimiter = draw(st.sampled_from("\t,;"))
    lines = [delimiter.join(["query_id", *one.measures])]
    lines += [
        delimiter.join([topic, *(one.texts[one.runs[0], m, topic] for m in one.measures)])
        for topic in one.topics
    ]
    records = [(None, *rest) for _, *rest in one.records(one.runs[:1], one.measures)]
    return _finished(draw, lines, records)


def topic_by_run(draw: st.DrawFn, one: Material) -> Written:
    delimiter, measure = draw(st.sampled_from("\t,;")), one.measures[0]
    is_matrix = any(map(looks_numeric, one.topics)) or all(map(looks_numeric, one.runs))
    corners = ["topic"] if is_matrix else ["topic", ""]
    lines = [delimiter.join([draw(st.sampled_from(corners)), *one.runs])]
    lines += [
        delimiter.join([topic, *(one.texts[run, measure, topic] for run in one.runs)])
        for topic in one.topics
    ]
    assume(not any(map(looks_like_a_measure, one.runs)))  # a column `acc` is rather a measure
    return _finished(draw, lines, one.of_one_measure())


def topic_score(draw: st.DrawFn, one: Material) -> Written:
    separator = draw(st.sampled_from(["\t", " ", ",", ";", "  "]))
    run, measure = one.runs[0], one.measures[0]
    topics = [t for t in one.topics if t.isdecimal() or not looks_numeric(t)]
    if topics and not looks_numeric(topics[0]):  # else the first line may be a header
        topics = [t for t in topics if not looks_numeric(t)]
    if len(topics) < 2 or {*topics} <= {"0", "1"}:  # which are rather scores
        topics = ["301", "302"]
    texts = [one.texts.get((run, measure, topic), "0.25") for topic in topics]
    lines = [f"{topic}{separator}{text}" for topic, text in zip(topics, texts, strict=True)]
    if len({*texts}) == len(texts) and all(text.isdecimal() for text in texts):
        lines.append(f"all{separator}0.5")  # else they might be topics too
    lines += draw(_some([f"mean{separator}0.5"]))[: int(not lines[-1].startswith("all"))]
    records: list[Record] = [
        (None, UNNAMED, topic, float(text)) for topic, text in zip(topics, texts, strict=True)
    ]
    return _finished(draw, lines, records)


def tsmatrix(draw: st.DrawFn, one: Material) -> Written:
    lines = [
        " ".join(one.texts[run, one.measures[0], topic] for run in one.runs) for topic in one.topics
    ]
    columns = [[one.texts[run, one.measures[0], t] for t in one.topics] for run in one.runs]
    assume(not any(map(_may_be_topics, columns)))
    return _finished(draw, lines, one.of_one_measure(named=False))


def _may_be_topics(texts: list[str]) -> bool:
    """Say whether numbers are whole, as those of topics are."""
    return max(map(float, texts)) > 1 and all(float(text).is_integer() for text in texts)


def jsonl(draw: st.DrawFn, one: Material) -> Written:
    ascii_only = draw(st.booleans())
    if draw(st.booleans()):
        rows = _rows(draw, one, one.runs)
        objects = _objects(one.of(rows))
        return _finished(draw, _dumped(objects, ascii_only), one.of(rows), blank_lines=False)
    records = [(None, *rest) for _, *rest in one.records(one.runs[:1], one.measures)]
    wide: list[dict[str, object]] = [{"qid": topic, "note": "a: b"} for topic in one.topics]
    for _, measure, topic, value in records:
        wide[one.topics.index(topic)][measure] = value
    return _finished(draw, _dumped(wide, ascii_only), records)


def json_(draw: st.DrawFn, one: Material) -> Written:
    ascii_only = draw(st.booleans())
    layout = draw(st.sampled_from(["rows", "list", "by topic", "by measure"]))
    if layout in ("rows", "list"):
        rows = _rows(draw, one, one.runs)
        content: object = _objects(one.of(rows))
        if layout == "rows":
            content = {"signature": {"rows": "no"}, "rows": content}
        return _finished(draw, [json.dumps(content, ensure_ascii=ascii_only)], one.of(rows))
    records = [(None, *rest) for _, *rest in one.records(one.runs[:1], one.measures)]
    nested: dict[str, dict[str, float]] = {}
    for _, measure, topic, value in records:
        outer, inner = (topic, measure) if layout == "by topic" else (measure, topic)
        nested.setdefault(outer, {})[inner] = value
    indent = draw(st.sampled_from([None, 1]))
    text = json.dumps(nested, ensure_ascii=ascii_only, indent=indent)
    assume(not any(map(looks_like_a_measure, one.topics)))
    assume(not {*map(str.casefold, one.topics)} & {*TOPIC})  # a table, with a column of topics
    return _finished(draw, text.split("\n"), records)


def parquet(draw: st.DrawFn, one: Material) -> Written:
    import pyarrow
    from pyarrow import feather
    from pyarrow.parquet import write_table

    rows = _rows(draw, one, one.runs)
    table = pyarrow.Table.from_pylist(_objects(one.of(rows)))
    packing = draw(st.sampled_from(["snappy", "none", "zstd", "lz4"]))
    out = pyarrow.BufferOutputStream()
    if draw(st.booleans()):
        write_table(table, out, compression=packing, row_group_size=draw(st.integers(1, 9)))
    else:
        feather.write_feather(table, out, compression="lz4", chunksize=draw(st.integers(1, 9)))
    data = out.getvalue().to_pybytes()
    return Written(draw(st.sampled_from([bytes, gzip.compress]))(data), one.of(rows))


def _objects(records: list[Record]) -> list[dict[str, object]]:
    return [
        {"run": run, "topic": topic, "measure": measure, "score": value}
        for run, measure, topic, value in records
    ]


def _dumped(objects: list[dict[str, object]], ascii_only: bool) -> list[str]:
    return [json.dumps(one, ensure_ascii=ascii_only) for one in objects]


def _finished(
    draw: st.DrawFn, lines: list[str], records: list[Record], blank_lines: bool = True
) -> Written:
    """Join the lines as one system or another does, and maybe pack them."""
    if blank_lines and draw(st.booleans()):
        lines = [*lines[:1], "", *lines[1:], "", ""]
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    text = end.join(lines) + draw(st.sampled_from([end, ""]))
    data = draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()
    return Written(draw(st.sampled_from([bytes, bytes, gzip.compress]))(data), records)


WRITERS: dict[str, Callable[[st.DrawFn, Material], Written]] = {
    write.__name__.rstrip("_"): write
    for write in (
        trec_eval, ir_measures, ntcireval, cwl_eval, rbp_eval, long, ndeval, per_query,
        topic_by_run, topic_score, tsmatrix, jsonl, json_, parquet,
    )
}  # fmt: skip


def files(name: str) -> st.SearchStrategy[Written]:
    """Return a strategy for valid files of a format."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Written:
        return WRITERS[name](draw, draw(materials()))

    return drawn()
