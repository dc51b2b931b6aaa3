"""What holds for every format, the next one included: its example is read, however it is packed."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from confint_cli.inputs import read_scores
from confint_cli.inputs.formats import formats
from confint_cli.inputs.reading import Fit, Format, Reader, Reading, head_of
from confint_cli.inputs.source import read_source
from tests.conftest import Confint

EVERYTHING = Reader(lambda names: names)
FORMATS = list(formats().items())
TEXTS = [(name, one) for name, one in FORMATS if one.is_text]  # binary ones have their own tests
each_format = pytest.mark.parametrize(("name", "one"), FORMATS, ids=[name for name, _ in FORMATS])
each_text = pytest.mark.parametrize(("name", "one"), TEXTS, ids=[name for name, _ in TEXTS])


def written(folder: Path, content: bytes, name: str = "sample.txt") -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def same(one: Reading, other: Reading) -> None:
    assert one.measures == other.measures
    assert one.tag == other.tag
    assert len(one.series) == len(other.series) > 0
    for left, right in zip(one.series, other.series, strict=True):
        assert (left.run, left.measure, left.summary) == (right.run, right.measure, right.summary)
        assert list(left.topics) == list(right.topics)
        np.testing.assert_array_equal(left.values, right.values)


@each_text
def test_the_example_is_recognised_as_no_other_format(
    name: str, one: Format, tmp_path: Path
) -> None:
    head = head_of(read_source(written(tmp_path, one.example.encode())))
    fits = {other: its.fit(head) for other, its in formats().items()}
    assert [other for other, fit in fits.items() if fit == max(fits.values())] == [name]
    assert one.fit(head) > Fit.NONE
    assert one.sniff(head)


@each_text
def test_the_example_has_two_topics_or_more(name: str, one: Format, tmp_path: Path) -> None:
    found, reading = read_scores(written(tmp_path, one.example.encode()), EVERYTHING)
    assert found == name
    assert all(len(series.topics) >= 2 for series in reading.series)
    assert all(np.isfinite(series.values).all() for series in reading.series)


@each_text
@pytest.mark.parametrize(
    "packed",
    [
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: b"\xef\xbb\xbf" + text,
        gzip.compress,
        lambda text: gzip.compress(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n")),
        lambda text: text + b"\n\n",
        lambda text: text.rstrip(b"\n"),
    ],
    ids=["crlf", "bom", "gzip", "gzip-bom-crlf", "blank-end", "no-newline"],
)
def test_line_ends_marks_and_compression_change_nothing(
    name: str, one: Format, packed, tmp_path: Path
) -> None:
    plain = read_scores(written(tmp_path, one.example.encode()), EVERYTHING)
    other = read_scores(written(tmp_path, packed(one.example.encode())), EVERYTHING)
    assert plain[0] == other[0] == name
    same(plain[1], other[1])


@each_text
def test_standard_input_reads_as_a_file_does(
    name: str, one: Format, tmp_path: Path, confint: Confint
) -> None:
    path = written(tmp_path, one.example.encode())
    from_file = confint("score", "-m", "all", "--quiet", path)
    from_pipe = confint("score", "-m", "all", "--quiet", "-", stdin=one.example.encode())
    assert from_file.status == from_pipe.status == 0, name
    assert [row[1] for row in from_file.rows] == [row[1] for row in from_pipe.rows]
    assert [row[3] for row in from_file.rows] == [row[3] for row in from_pipe.rows]


@each_text
def test_what_score_writes_reads_back_the_same(
    name: str, one: Format, tmp_path: Path, confint: Confint
) -> None:
    path = written(tmp_path, one.example.encode())
    first = confint("score", "-m", "all", "--quiet", path)
    assert first.status == 0, name
    for output_format in ("tsv", "csv", "json", "jsonl"):
        copy = tmp_path / f"copy.{output_format}"
        assert confint("score", "-m", "all", "--quiet", path, "-o", copy).status == 0
        again = confint("score", "-m", "all", "--quiet", copy)
        assert again.out == first.out, output_format


@each_text
def test_a_format_can_be_forced(name: str, one: Format, tmp_path: Path, confint: Confint) -> None:
    path = written(tmp_path, one.example.encode())
    forced = confint("score", "-m", "all", "--quiet", "--input-format", name, path)
    found = confint("score", "-m", "all", "--quiet", path)
    assert forced.status == 0
    assert forced.out == found.out


@each_format
def test_a_format_is_explained(name: str, one: Format, confint: Confint) -> None:
    explained = confint("formats", name)
    assert explained.status == 0
    assert one.example.splitlines()[0] in explained.out
    assert len(one.explanation) > 100, "say more in the explanation"


@each_text
def test_a_value_that_is_no_number_is_an_error_at_its_line(
    name: str, one: Format, tmp_path: Path, confint: Confint
) -> None:
    _, reading = read_scores(written(tmp_path, one.example.encode()), EVERYTHING)
    values = reading.series[0].values
    assert len(values) > 1, "the example needs two topics or more"
    value = re.escape(f"{values[1]:.4f}".rstrip("0"))  # of the second topic, so not in a header
    lines = one.example.split("\n")
    places = [number for number, line in enumerate(lines) if re.search(rf"\b{value}0*\b", line)]
    assert places, "scores of the example need as many decimals as there are, up to four"
    oops = '"oops"' if name in ("json", "jsonl") else "oops"
    lines[places[-1]] = re.sub(rf"\b{value}0*\b", oops, lines[places[-1]], count=1)
    result = confint("score", "-m", "all", written(tmp_path, "\n".join(lines).encode()))
    assert result.status == 1, "each score of the example should be there once"
    if name == "json":  # in one piece: keys say where it is, and a text is shown as one
        series = reading.series[0]
        place = f", topic '{series.topics[1]}', measure '{series.measure}': "
        assert place in result.err
        assert re.search(r"is not a number: '\W?oops", result.err)
        return
    assert f":{places[-1] + 1}: " in result.err
    assert "is not a number: 'oops" in result.err


def test_every_format_is_listed(confint: Confint) -> None:
    listed = confint("formats")
    assert [row[0] for row in listed.rows] == [name for name, _ in FORMATS]


@each_text
def test_line_ends_of_old_macintoshes(name: str, one: Format, tmp_path: Path) -> None:
    plain = read_scores(written(tmp_path, one.example.encode()), EVERYTHING)
    other = read_scores(written(tmp_path, one.example.replace("\n", "\r").encode()), EVERYTHING)
    assert plain[0] == other[0] == name
    same(plain[1], other[1])
