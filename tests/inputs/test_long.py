"""Long tables: the fast way and the way row by row give the same."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs import read_scores
from confint_cli.inputs.formats import long as reader_module
from confint_cli.inputs.layout import layout_of
from confint_cli.inputs.reading import Reader
from confint_cli.inputs.rows import collect
from confint_cli.inputs.source import Source
from tests.conftest import Confint
from tests.inputs.test_all_formats import EVERYTHING, same

names = st.sampled_from(["a", "b", "run-1", "bm25 k=0.9", "été", "num_ret", "n" * 60])
topics = st.sampled_from(["1", "2", "301", "q-7"])
values = st.sampled_from(["0.0000", "0.1234", "1", "7e-04", "-0.5"])


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    delimiter = draw(st.sampled_from(["\t", ",", ";"]))
    columns = draw(st.permutations(["run", "topic", "measure", "score"]))
    rows = draw(st.dictionaries(st.tuples(names, topics, names), values, min_size=1, max_size=30))
    lines = [delimiter.join(columns)]
    for (run, topic, measure), value in rows.items():
        cells = {"run": run, "topic": topic, "measure": measure, "score": value}
        lines.append(delimiter.join(cells[column] for column in columns))
    return ("\n".join(lines) + "\n").encode()


@given(tables())
def test_the_fast_way_reads_what_the_slow_way_reads(data: bytes) -> None:
    source = Source("x.tsv", data)
    layout = layout_of(source, EVERYTHING, "long")
    fast = reader_module._read_regular(source, layout, "x", EVERYTHING)
    slow = list(reader_module._rows(layout, "x"))
    if all(measure == "num_ret" for _, _, measure, _, _ in slow):
        assert fast is None
        return
    assert fast is not None
    same(fast, collect(source, slow, EVERYTHING))


def test_a_name_with_blanks_around_it_is_the_same_name() -> None:
    data = b"run,topic,measure,score\nb,1,map,0.5\n b ,2,map,0.3\nb,3, map,0.1\n"
    (series,) = reader_module.read(Source("x.csv", data), EVERYTHING).series
    assert (series.run, list(series.topics)) == ("b", ["1", "2", "3"])


def test_what_is_quoted_or_irregular_goes_row_by_row() -> None:
    for rows in (b'"a, b",1,map,0.5\n', b"a,1,map,0.5\n\nb,1,map,0.2\n", b"'=a,1,map,0.5\n"):
        source = Source("x.csv", b"run,topic,measure,score\n" + rows)
        layout = layout_of(source, EVERYTHING, "long")
        assert reader_module._read_regular(source, layout, "x", EVERYTHING) is None
        assert len(reader_module.read(source, EVERYTHING).series) == rows.count(b"map")


def test_a_blank_score_beside_an_unnamed_column_is_no_second_header() -> None:
    data = b",run,topic,measure,score\n0,a,1,map,0.5\n1,a,2,map,\n"
    (series,) = reader_module.read(Source("x.csv", data), replace(EVERYTHING, gaps=True)).series
    assert ([*series.topics], [*series.gaps]) == (["1"], ["2"])


def test_names_that_a_spreadsheet_would_run_lose_the_quote_before_them() -> None:
    reading = reader_module.read(
        Source("x.csv", b"run,topic,measure,score\n'=cmd(),1,map,0.5\n'ok,1,map,0.5\n"), EVERYTHING
    )
    assert [series.run for series in reading.series] == ["=cmd()", "'ok"]


def test_a_table_without_measures_is_not_taken_for_trec_eval(
    tmp_path: Path, confint: Confint
) -> None:
    for header in ("run\ttopic\tscore", "system\tqid\tvalue", "topic\trun\tscore"):
        path = tmp_path / "AP.tsv"
        rows = [f"{run}\t{topic}\t0.{topic}" for run in ("12", "bm25") for topic in range(1, 9)]
        if header.startswith("topic"):
            rows = ["\t".join([*row.split("\t")[1::-1], row.split("\t")[2]]) for row in rows]
        path.write_text("\n".join([header, *rows, ""]))
        found = confint("score", path)
        assert (found.status, found.err) == (0, "")
        assert found.rows[0][0] in {"12", "bm25"}
        assert {row[2] for row in found.rows} == {"AP"}
        assert len(found.rows) == 16


def test_another_header_is_an_error_whichever_measures_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("run\ttopic\tmeasure\tscore\na\t1\tother\tscore\na\t1\tmap\t0.5\n")
    with pytest.raises(DataError, match="this header differs from the one above"):
        read_scores(str(path), Reader(lambda names: names[1:2]))
