"""Tables that were once read in a wrong way, without an error."""

import json
from pathlib import Path

import pandas as pd
import pytest

from confint_cli.inputs.runs import read_run
from confint_cli.inputs.source import Source
from tests.conftest import Confint


def rows(confint: Confint, folder: Path, text: str, name: str = "x.csv") -> list[list[str]]:
    """Return what `confint score` prints of a file."""
    (folder / name).write_text(text)
    result = confint("score", folder / name)
    assert result.status == 0, result.err
    return result.rows


@pytest.mark.parametrize("corner", ["", "index"])
@pytest.mark.parametrize("last", ["mean", "all", "Total"])
def test_rows_of_means_do_not_make_topics_of_row_numbers(
    tmp_path: Path, confint: Confint, corner: str, last: str
) -> None:
    """Row 0 of one file need not be row 0 of another."""
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path in paths:
        path.write_text(f"{corner},{path.stem}\n0,0.5\n1,0.25\n{last},0.375\n")
    result = confint("score", *paths, "--measure-name", "AP")
    assert result.status == 1
    assert "topics cannot be joined by row number" in result.err
    for path in paths:  # 301 and 302 are topics, with a row of means or without
        path.write_text(f"{corner},{path.stem}\n301,0.5\n302,0.25\n{last},0.375\n")
    result = confint("score", *paths, "--measure-name", "AP")
    assert result.rows == [
        [run, topic, "AP", score]
        for run in ("one", "two")
        for topic, score in (("301", "0.5000"), ("302", "0.2500"))
    ]


BY_RUN = [
    ["bm25", "301", "AP", "0.5000"],
    ["bm25", "302", "AP", "0.2500"],
    ["dense", "301", "AP", "0.4000"],
    ["dense", "302", "AP", "0.1000"],
]


@pytest.mark.parametrize("separator", ["\t", ","])
@pytest.mark.parametrize("names", [[5, 3, 9, 7], [3, 4, 5, 6], [1, 2, 3, 4]])
@pytest.mark.parametrize("first", ["run", "system"])
def test_row_names_of_r_are_no_part_of_the_run(
    tmp_path: Path, confint: Confint, separator: str, names: list[int], first: str
) -> None:
    """R writes them without a header; after sorting they are in any order."""
    table = [[first, "topic", "AP"]]
    for name, (run, topic, _, score) in zip(names, BY_RUN, strict=True):
        table.append([str(name), run, topic, score])
    text = "".join(separator.join(row) + "\n" for row in table)
    assert rows(confint, tmp_path, text) == BY_RUN


def test_a_run_with_a_separator_is_an_error_but_in_the_files_of_gdeval(
    tmp_path: Path, confint: Confint
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("run,topic,AP\na,bm25,301,0.5\nb,bm25,302,0.25\n")
    result = confint("score", path)
    assert (result.status, f"{path}:2: 3 columns are needed, not 4" in result.err) == (1, True)
    text = "runid,topic,AP\nbm25,k=1,301,0.5\nbm25,k=1,302,0.25\n"
    assert rows(confint, tmp_path, text) == [
        ["bm25,k=1", "301", "AP", "0.5000"],
        ["bm25,k=1", "302", "AP", "0.2500"],
    ]


def test_percentages_are_as_precise_as_they_are_written(tmp_path: Path, confint: Confint) -> None:
    """50% is .50, so that a mean of .41 is not that of .50 and .25."""
    path = tmp_path / "AP.csv"
    path.write_text("topic,a,b\n301,50%,20%\n302,25%,30%\nall,41%,25%\n")
    assert "the mean of 'AP' of run 'a' over its 2 topics is 0.3750" in confint("score", path).err
    path.write_text("topic,a,b\n301,50%,20%\n302,25%,30%\nall,38%,25%\n")
    assert "the mean of" not in confint("score", path).err


def test_a_description_within_a_run_is_no_document() -> None:
    """As where runs were put one behind the other."""
    line = b"%d Q0 d1 1 0.5 x\n"
    text = line % 1 + b"<SYSDESC>BM25 with k1 = 0.9 </SYSDESC>\n" + line % 2
    assert [*read_run(Source("x", text)).rankings] == ["1", "2"]


def test_a_line_of_a_quoted_name_is_no_comment(tmp_path: Path, confint: Confint) -> None:
    text = 'qid,rel,"found\n# of them",P\n301,3,10,0.5\n302,5,20,0.25\n303,2,11,0.125\n'
    found = rows(confint, tmp_path, text)
    assert {row[1] for row in found} == {"301", "302", "303"}
    assert [row[3] for row in found if row[2] == "P" or row[0] == "P"] == [
        "0.5000", "0.2500", "0.1250",
    ]  # fmt: skip
    assert rows(confint, tmp_path, "topic;a,b,c\n#1;0.5\n#2;0.25\n")[0][1] == "#1"
    path = tmp_path / "comment.csv"
    path.write_text("topic,a\n# a comment\n301,0.5\n302,0.25\n")
    assert f"{path}:2: 2 columns are needed, not 1: '# a comment'" in confint("score", path).err


@pytest.mark.parametrize("name", ["Unnamed: 0", "index", "__index_level_0__"])
def test_row_numbers_are_no_measure_where_there_is_no_topic(
    tmp_path: Path, confint: Confint, name: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"AP,P_10,{name}\n0.25,0.1,0\n0.5,0.2,1\n0.1,0.1,2\n")
    result = confint("score", path)
    assert {row[2] for row in result.rows} == {"AP", "P_10"}
    assert "row numbers are left out" in confint("score", "-v", path).err


def test_blank_rows_are_not_numbered_and_have_no_group(tmp_path: Path, confint: Confint) -> None:
    """Whether a table is read by columns, as Parquet and JSON are, or by rows."""
    columns = {"AP": ["50%", "60%", None, "70%"], "P_10": [0.1, 0.2, None, 0.3]}
    pd.DataFrame(columns).to_parquet(tmp_path / "x.parquet", index=False)
    (tmp_path / "x.csv").write_text("AP,P_10\n50%,0.1\n60%,0.2\n,\n70%,0.3\n")
    for name in ("x.parquet", "x.csv"):
        result = confint("score", tmp_path / name, "-m", "P_10")
        assert result.status == 0, result.err
        assert [row[1] for row in result.rows] == ["1", "2", "3"]
    grouped = {
        "topic": ["301", "302", "303", "304", None],
        "AP": [0.1, 0.2, 0.3, 0.4, None],
        "session": ["a", "a", "b", "b", None],
    }
    (tmp_path / "y.json").write_text(json.dumps(grouped))
    result = confint("score", tmp_path / "y.json")
    assert result.status == 0, result.err
    assert [row[-1] for row in result.rows] == ["0.1000", "0.2000", "0.3000", "0.4000"]


def test_topics_of_several_collections_may_have_the_same_ids(
    tmp_path: Path, confint: Confint
) -> None:
    """A column with several values for each of them does not group topics."""
    path = tmp_path / "x.csv"
    lines = ["run,dataset,session,topic,score"]
    for collection in ("nq", "fiqa", "hq"):
        for run, groups in (("a", "xyz"), ("b", "yzx")):
            lines += [
                f"{run},{collection},{group},{topic},0.{topic}"
                for topic, group in enumerate(groups, 1)
            ]
    path.write_text("\n".join([*lines, ""]))
    result = confint("score", path)
    assert result.status == 0
    assert "does not group topics: left out" in result.err
