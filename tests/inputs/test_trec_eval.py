"""The fast way through a trec_eval file and the slow one give the same."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs.formats import trec_eval as reader_module
from confint_cli.inputs.formats.trec_eval import _read_line_by_line, _read_regular, read
from confint_cli.inputs.reading import Reader
from confint_cli.inputs.source import Source
from tests.conftest import SAMPLES, Confint
from tests.fuzzing.targets import outcome
from tests.inputs.test_all_formats import EVERYTHING, same

names = st.sampled_from(
    ["map", "P_10", "P_100", "Rprec", "num_ret", "gm_map", "recip_rank", "x" * 63, "ndcg_cut_10"]
)
topics = st.sampled_from(["1", "2", "301", "q-7", "été", "T" * 40, "q 7"])
values = st.one_of(
    st.sampled_from(["0.0000", "0.1234", "1", "7e-04", "-0.5", "0.333333"]),
    st.integers(0, 99999).map(lambda number: f"{number / 10000:.4f}"),
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file as trec_eval writes it: the same measures for each topic, then `all`."""
    measures = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    ids = draw(st.lists(topics, min_size=1, max_size=5, unique=True))
    width = draw(st.sampled_from([0, 15, 22]))
    separator = "\t"
    lines = [
        f"{measure:<{width}}{separator}{topic}{separator}{draw(values)}"
        for topic in [*ids, *draw(st.sampled_from([[], ["all"]]))]
        for measure in measures
    ]
    lines += draw(st.sampled_from([[], [f"{'runid':<{width}}\tall\tBM25"]]))
    return ("\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n\n"]))).encode()


@given(files())
def test_the_fast_way_reads_what_the_slow_way_reads(data: bytes) -> None:
    source = Source("x.eval", data)
    fast = _read_regular(source, EVERYTHING)
    try:
        slow = _read_line_by_line(source, EVERYTHING)
    except DataError:
        assert fast is None
        return
    if fast is None:  # the fast way may always give up, but not on what trec_eval writes
        assert b"q 7" in data
        return
    same(fast, slow)
    assert fast.lacks_summary == slow.lacks_summary


def test_a_file_of_counts_only_has_no_scores() -> None:
    with pytest.raises(DataError, match="has no per-topic scores"):
        read(Source("x", b"num_ret\t1\t10\nnum_rel\t1\t3\n"), EVERYTHING)


@pytest.mark.parametrize("decimals", [1, 4, 6, 14])
def test_numbers_of_equal_length_are_read_to_the_last_bit(decimals: int) -> None:
    numbers = np.random.default_rng(0).random(2000) * 9.9
    texts = [f"{number:.{decimals}f}" for number in numbers]
    data = "".join(f"map\t{topic}\t{text}\n" for topic, text in enumerate(texts)).encode()
    (series,) = read(Source("x", data), EVERYTHING).series
    assert series.values.tolist() == [float(text) for text in texts]


def test_only_the_wanted_measures_are_read() -> None:
    source = Source("x", b"map \t1\t0.5\nrelstring\t1\t'01'\nP_10\t1\toops\nmap \t2\t0.25\n")
    reading = read(source, Reader(lambda measures: [m for m in measures if m == "map"]))
    assert [series.measure for series in reading.series] == ["map"]
    assert list(reading.measures) == ["map", "P_10"]
    np.testing.assert_array_equal(reading.series[0].values, [0.5, 0.25])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"map\t2", "x.eval:2: 3 fields are needed (measure, topic, value), not 2: 'map\\t2'"),
        (b"map\t2\t0.5\t7", "x.eval:2: 3 fields are needed (measure, topic, value), not 4"),
        (b"map\t1\t0.7", "x.eval:2: a second row for topic '1' and 'map'; the first is line 1"),
        (b"map\t2\tnan", "x.eval:2: the value of 'map' is not finite: 'nan'"),
        (b"map\t2\t-inf", "x.eval:2: the value of 'map' is not finite: '-inf'"),
        (b"map\t2\t1_0", "x.eval:2: the value of 'map' is not a number: '1_0'"),
        (b"map\t2\t0,5", "x.eval:2: the value of 'map' is not a number: '0,5'"),
        (b"map\t2\t\x1b[31m", "x.eval:2: the value of 'map' is not a number: '\\e[31m'"),
    ],
)
def test_a_fault_is_told_with_its_line(line: bytes, message: str) -> None:
    data = b"map\t1\t0.5\n" + line + b"\nmap\t3\t0.5\nmap\tall\t0.5\n"
    with pytest.raises(DataError) as caught:
        read(Source("x.eval", data), EVERYTHING)
    assert str(caught.value).startswith(message)


def test_blanks_may_separate_and_blank_lines_may_stand_anywhere() -> None:
    reading = read(Source("x", b"AP_1000 1 0.5417\n\nAP_1000 2 0.0154\n \n"), EVERYTHING)
    assert list(reading.series[0].topics) == ["1", "2"]
    np.testing.assert_array_equal(reading.series[0].values, [0.5417, 0.0154])


def test_a_measure_padded_differently_is_the_same_measure() -> None:
    (series,) = read(Source("x", b"map\t1\t0.5\nmap \t2\t0.3\nmap  \t3\t0.1\n"), EVERYTHING).series
    assert list(series.topics) == ["1", "2", "3"]


def test_every_file_of_a_real_track_goes_the_fast_way(data: Path) -> None:
    paths = sorted(data.glob("soboroff2014/trec*/*.eval"))
    assert len(paths) == 273
    for path in paths[::20]:
        source = reader_module.Source(str(path), path.read_bytes())
        fast = _read_regular(source, EVERYTHING)
        assert fast is not None, path
        same(fast, _read_line_by_line(source, EVERYTHING))


# Several outputs in one stream


def streamed(*names: str) -> bytes:
    return b"".join((SAMPLES / f"trec_eval/{name}.eval").read_bytes() for name in names)


def test_outputs_in_one_stream_are_several_runs(confint: Confint, tmp_path: Path) -> None:
    names = ["bm25", "dense", "hybrid"]
    files = [SAMPLES / f"trec_eval/{name}.eval" for name in names]
    apart = confint("score", "-m", "map,P_10", *files)
    together = confint("score", "-m", "map,P_10", "-", stdin=streamed(*names))
    assert together.status == 0
    assert (together.out, together.err) == (apart.out, apart.err)
    path = tmp_path / "all.eval"
    path.write_bytes(streamed(*names).replace(b"\t", b"  "))  # which goes line by line
    assert confint("score", "-m", "map,P_10", path).out == apart.out


def test_each_output_in_a_stream_is_checked_by_its_own_means(confint: Confint) -> None:
    data = streamed("bm25", "dense").replace(b"\t0.2507\n", b"\t0.2600\n")
    result = confint("score", "-m", "map", "-", stdin=data)
    assert result.status == 0
    assert "the mean of 'map' of run 'bm25' over its 50 topics is 0.2507" in result.err


@pytest.mark.parametrize(
    ("data", "problem", "hint"),
    [
        (b"map\t1\t0.5\nmap\tall\t0.5\nmap\t1\t0.4\nmap\tall\t0.4\n",
         "standard input:4: a second row for 'all' and 'map'", "-m runid adds it"),
        (b"map\t1\t0.5\nmap\t2\t0.5\nmap\t1\t0.4\nmap\t2\t0.4\n",
         "standard input:3: a second row for topic '1' and 'map'; the first is line 1",
         "give each output as a file"),
        (b"map\t1\t0.5\nrunid\tall\ta\nmap\tall\t0.5\nmap\t1\t0.4\nrunid\tall\ta\nmap\tall\t0.4\n",
         "standard input:5: a second run is called 'a'", "give each output as a file"),
        (b"map\t1\t0.5\nrunid\tall\ta\nmap\tall\t0.5\nmap\t1\t0.4\nrunid\tall\tb\nmap\tall\t0.4\n"
         b"map\t1\t0.3\n",
         "standard input:7: the last output has no runid line, unlike the 2 above", "cut short?"),
        (b"map\t1\t0.5\nmap\t1\t0.4\nrunid\tall\ta\nrunid\tall\tb\nmap\tall\t0.4\n",
         "standard input:4: a second runid 'b'", "give each output as a file"),
        (b"map\t1\t0.5\nrunid\tall\ta\nmap\tall\t0.5\nmap\t1\tx\nrunid\tall\tb\nmap\tall\t0.4\n",
         "standard input:4: the value of 'map' is not a number: 'x'", ""),
    ],
)  # fmt: skip
def test_streams_that_cannot_be_parted(
    data: bytes, problem: str, hint: str, confint: Confint
) -> None:
    result = confint("score", "-", stdin=data)
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines()[0] == f"confint: {problem}"
    assert hint in result.err


# The fast way and the slow one


@pytest.mark.parametrize(
    "line",
    [
        b"P_10\t30 1\t0.5",  # four words
        b"P_10\t \t0.5",  # two
        b"P_10\t301\t0 5",
        b"P_10 \t 301\t0.5",
        b"P_10\tall\tx",
        b"P_10\t301\tx",
        b"P_10\t301\t0.5\nP_10\t301\t0.5",
        b"P_10\tall\t0.5\nP_10\tall\t0.5",
        b"ndcg\tall\t0.5",  # a measure of which there is nothing but a mean
        b"num_q\tall\tx",
    ],
)
@pytest.mark.parametrize("chosen", ["map", "P_10", "everything"])
def test_both_ways_look_at_lines_whose_measure_is_not_wanted(line: bytes, chosen: str) -> None:
    data = b"map\t301\t0.25\nmap\t302\t0.5\n" + line + b"\nP_10\t302\t0.5\nmap\tall\t0.375\n"
    reader = Reader(lambda names: [name for name in names if chosen in (name, "everything")])
    source = Source("x.eval", data)
    fast, slow = (
        outcome(lambda way=way: way(source, reader)) for way in (read, _read_line_by_line)
    )
    assert fast == slow
    assert _read_regular(Source("x.eval", data.replace(line + b"\n", b"")), reader)
