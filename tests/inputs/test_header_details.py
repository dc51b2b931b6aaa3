"""Headers of tables, what separates their cells, and what is in front of them and among rows.

Then tables of means: published results, and factors to standardise by.
"""

from pathlib import Path

import pytest

from confint_cli.common.errors import DataError
from confint_cli.inputs import find_format
from confint_cli.inputs.factors import read_factors
from confint_cli.inputs.formats import formats
from confint_cli.inputs.published import Published, read_published
from confint_cli.inputs.source import Source
from tests.inputs.test_all_formats import EVERYTHING

MIB = 1 << 20
NOT_KNOWN = "'confint formats' lists the formats that confint reads"

Scores = dict[tuple[str | None, str], dict[str, float]]


def scores(text: str | bytes) -> Scores:
    """Return the score of each topic by run and measure."""
    source = Source("x.csv", text if isinstance(text, bytes) else text.encode())
    reading = formats()[find_format(source, EVERYTHING)].read(source, EVERYTHING)
    return {
        (series.run, series.measure): dict(zip(series.topics, series.values.tolist(), strict=True))
        for series in reading.series
    }


def refused(text: str) -> tuple[str, str]:
    """Return the problem and the hint."""
    with pytest.raises(DataError) as caught:
        scores(text)
    return str(caught.value), caught.value.hint


AP = {(None, "AP"): {"301": 0.5, "302": 0.25}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # A letter of a name separates nothing, even if both lines have it.
        ("topic,MaXP\n30X1,0.5\n", {("MaXP", "x"): {"30X1": 0.5}}),
        # Tabs come before commas, however many of these both lines have.
        (
            "topic\ta,b,c\n1,2,3\t0.5\n2,3,4\t0.25\n",
            {("a,b,c", "x"): {"1,2,3": 0.5, "2,3,4": 0.25}},
        ),
        # Semicolons as many in each line, and commas that are not.
        (
            "topic;AP,short;b\n301;0,5;0,25\n302;0,25;1\n",
            {("AP,short", "x"): {"301": 0.5, "302": 0.25}, ("b", "x"): {"301": 0.25, "302": 1.0}},
        ),
        # R's write.table has no name over the names of rows, and no quotes around them if asked.
        ('"AP"\n"301",0.5\n"302",0.25\n', AP),
        ('"AP"\n301,0.5\n302,0.25\n', AP),
    ],
)
def test_what_separates_cells_is_seen_in_the_first_two_lines(text: str, found: Scores) -> None:
    assert scores(text) == found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("topic,a\n301,0.5\nfoo\n", "x.csv:3: 2 columns are needed, not 1: 'foo'"),
        ("topic,a\n301,0.5\nfoo\n302,x\n", "x.csv:3: 2 columns are needed, not 1: 'foo'"),
        # As many in neither: those count that the header has more of.
        (
            "topic;AP;P,5\n301;0,5,25\n302;0,25;1\n",
            "x.csv:2: 3 columns are needed, not 2: '301, 0,5,25'",
        ),
        ("topic;a;b\n301;0.5;1\n ;0.25;1\n", "x.csv:3: the topic is empty"),
        ("topic,a\n301,0.5\n ,\n302,1\n", "x.csv:3: the topic is empty"),
        # Lines are counted from the file's first one, with blank ones and comments.
        ("\n\ntopic,a\n301,0.5\n302,x\n", "x.csv:5: the value of 'a' is not a number: 'x'"),
        ("#\n#\ntopic,a\n301,0.5\n302,x\n", "x.csv:5: the value of 'a' is not a number: 'x'"),
        (
            'topic,"a\n(b)"\n301,0.5\n302,x\n',
            "x.csv:4: the value of 'a\\n(b)' is not a number: 'x'",
        ),
        ('"score"\n0.5\n0.25,1\n', "x.csv:3: 1 column is needed, not 2: '0.25, 1'"),
        # A row that is nearly the header.
        ("topic,AP\n301,0.5\nXtopic,AP\n", "x.csv:3: the value of 'AP' is not a number: 'AP'"),
    ],
)
def test_a_row_that_does_not_fit_is_told_with_its_line(text: str, problem: str) -> None:
    assert refused(text) == (problem, "")


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("AP\n301,0.5\n302,0.25\n", "AP"),  # a word without quotes
        ('a "b"\n301,0.5\n302,0.25\n', 'a "b"'),
        ('"AP" y\n"301",0.5\n"302",0.25\n', '"AP" y'),
        ('"AP"x y z\n"301",0.5\n"302",0.25\n', '"AP"x y z'),
    ],
)
def test_one_name_is_a_header_in_quotes_only(text: str, beginning: str) -> None:
    problem = f"x.csv: is not in a known format: it begins with '{beginning}'"
    assert refused(text) == (problem, NOT_KNOWN)


def test_a_single_quoted_name_without_rows() -> None:
    problem, _ = refused('"AP"\n')
    assert problem == (
        "x.csv: is not in a known format: it looks like a table with columns 'AP', but no column "
        "holds numbers"
    )


ROWS = "301,0.5\n302,0.25\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f'topic,"AP\n(short)"\n{ROWS}', "AP\n(short)"),
        (f'topic,"AP\n(a\nb)"\n{ROWS}', "AP\n(a\nb)"),
        (f'topic,"AP\n\n(short)"\n{ROWS}', "AP\n(short)"),
        (f'"query\nnumber",AP\n{ROWS}', "AP"),
        (f'# a comment\n"query\nnumber",AP\n{ROWS}', "AP"),
        (f'\n# a comment\n\n"query\nnumber",AP\n{ROWS}', "AP"),
        (f'sep=,\n"query\nnumber",AP\n{ROWS}', "AP"),
        ('topic;"AP\n(short)"\n301;0.5\n302;0.25\n', "AP\n(short)"),
        ('topic\t"AP\n(short)"\n301\t0.5\n302\t0.25\n', "AP\n(short)"),
        ('"topic", "AP\n(a, b)"\n"301", 0.5\n"302", 0.25\n', "AP\n(a, b)"),
    ],
)
def test_a_header_over_several_lines_is_no_row(text: str, name: str) -> None:
    ((names, values),) = scores(text).items()
    assert name in names
    assert values == AP[None, "AP"]


def test_a_carriage_return_in_quotes_is_no_line_end() -> None:
    found = scores('topic,"a\rb",score\n301,0.5,1\n302,0.25,0\n')
    assert found[None, "a\rb"] == {"301": 0.5, "302": 0.25}
    assert scores('topic,AP\n"30\r1",0.5\n302,0.25\n') == {
        (None, "AP"): {"30\r1": 0.5, "302": 0.25}
    }


def test_the_header_has_no_end() -> None:
    names = ["topic", *(f"r{number}".ljust(100_000, "a") for number in range(30))]
    long = ",".join(names)
    too_long = ("x.csv:1: the header is longer than 2 MiB", "")
    assert refused(f"{long}\n1{',0.5' * 30}\n") == too_long
    assert refused(long[: 2 * MIB])[0] == "x.csv: has no per-topic scores"
    assert refused("topic,a")[0] == "x.csv: has no per-topic scores"


def test_a_row_may_be_longer_than_a_header() -> None:
    texts = ",".join(["a" * 100_000] * 22)
    names = ",".join(f"text {number}" for number in range(22))
    text = f"topic,AP,{names}\n301,0.5,{texts}\n302,0.25{',a' * 22}\n"
    assert scores(text)[None, "AP"] == AP[None, "AP"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('"qid,a\n' + 20_000 * "301,0.5\n", 1),
        ('topic,AP\n301,0.5\n"' + 20_000 * "302,0.25\n", 14566),
    ],
    ids=["header", "row"],
)
def test_a_quote_that_does_not_end(text: str, line: int) -> None:
    problem = f"x.csv:{line}: is not a valid table: field larger than field limit (131072)"
    assert refused(text) == (problem, "")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('topic\ttext\tAP\n301\t"a\t0.5\n302\tb"\t0.25\n', 2),
        ('topic\ttext\tAP\n301\tq\t0.5\n302\t"a\t0.5\n303\tb"\t0.25\n', 3),
        ('# note\ntopic\ttext\tAP\n301\tq\t0.5\n302\tq\t0\n303\t"a\t0.5\n304\tb"\t0.25\n', 5),
    ],
)
def test_a_quote_that_swallows_a_row_is_told_where_it_begins(text: str, line: int) -> None:
    assert refused(text) == (
        f"x.csv:{line}: a cell that begins with a quote goes on over several rows",
        "double the quotes in texts, or leave them all out",
    )


@pytest.mark.parametrize(
    "text",
    [
        'topic\ttext\tAP\n301\t"a\tb\nc"\t0.5\n302\td\t0.25\n',
        'topic\ttext\tAP\n301\t"a\tb\nc\td\ne"\t0.5\n302\td\t0.25\n',
        'topic\ttext\tAP\n301\t"a\tb\tc"\t0.5\n302\t"d\te\tf"\t0.25\n',
        'topic,text,AP\n301,"a\t\t\t\nb",0.5\n302,x,0.25\n',
        "topic,text,AP\n301,a,0.5\n \n   \n302,b,0.25\n",
        "topic,text,AP\n301,a,0.5\n\ufefftopic,text,AP\n302,b,0.25\n",
    ],
)
def test_rows_are_read_whatever_is_in_their_texts_or_between(text: str) -> None:
    assert scores(text) == AP


def test_the_header_comes_again() -> None:
    found = scores("topic,RELAX\n301,0.5\ntopic,RELAX\n302,0.25\n")
    assert found == {("RELAX", "x"): {"301": 0.5, "302": 0.25}}


def test_names_that_are_no_utf_8() -> None:
    text = b"run,qid,measure,score,r\xe9sum\xe9\na,301,AP,0.5,x\na,302,AP,0.25,x\n"
    assert scores(text) == {("a", "AP"): {"301": 0.5, "302": 0.25}}


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_a_header_without_rows(end: str) -> None:
    assert refused(f"run,qid,measure,score{end}") == ("x.csv: has no per-topic scores", "")


# Tables of means


def published(text: str) -> list[Published]:
    return read_published(Source("x.csv", text.encode()))


MEANS = "run,measure,mean,sd,n\n"
FACTORS = "measure\ttopic\tmean\tsd\truns\n"
NO_HEADER = (
    "x.csv:1: a table needs a header of two or more columns, "
    "separated by commas, semicolons or tabs"
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hello world\n", NO_HEADER),
        ("# a comment only\n", NO_HEADER),
        ("run,measure,mean,n\n", "x.csv:1: the table has no column 'sd'"),
        ("measure,mean,sd\nAP,1,0\n", "x.csv:1: the table has no column 'run' and no column 'n'"),
        (f"{MEANS}a,AP,1,0\n", "x.csv:2: 5 columns are needed, not 4: 'a, AP, 1, 0'"),
        (f"{MEANS}a,AP,x,0,2\n", "x.csv:2: the mean is not a number: 'x'"),
        (f"{MEANS}a,AP,inf,0,2\n", "x.csv:2: the mean is not finite: 'inf'"),
        (f"{MEANS}a,AP,1,x,2\n", "x.csv:2: the sd is not a number: 'x'"),
        (f"{MEANS}a,AP,1,-0.5,2\n", "x.csv:2: the sd is -0.5, but it cannot be below 0"),
        (f"{MEANS}a,AP,1,0,x\n", "x.csv:2: the value of 'n' is not a number: 'x'"),
        (f"{MEANS}a,AP,1,0,1e400\n", "x.csv:2: the value of 'n' is not finite: '1e400'"),
        (
            f"{MEANS}\na,AP,1,0,1\n",
            "x.csv:3: n is '1', but has to be a whole number of 2 or more",
        ),
        (
            f"{MEANS}a,AP,1,0,2.5\n",
            "x.csv:2: n is '2.5', but has to be a whole number of 2 or more",
        ),
    ],
)
def test_means_that_are_refused(text: str, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        published(text)
    assert (str(caught.value), caught.value.hint) == (problem, "")


@pytest.mark.parametrize("columns", ["qid,score", "run,measure,n", "run", "a,b,c"])
def test_a_table_without_means(columns: str) -> None:
    with pytest.raises(DataError) as caught:
        published(f"{columns},more\n")
    assert (str(caught.value), caught.value.hint) == (
        "x.csv: is not a table of run, measure, mean, sd and n",
        "per-topic scores are for 'confint interval' and 'confint compare'",
    )


def test_means_are_as_they_are_in_the_table() -> None:
    text = f"{MEANS}a, AP ,-0.5,0,2\n'=b,AP,1e-3,0.25,3.0\n"
    assert published(text) == [
        Published("a", "AP", -0.5, 0.0, 2, None),
        Published("=b", "AP", 0.001, 0.25, 3, None),
    ]
    in_tabs = text.replace(",", "\t")  # no spreadsheet's formula there
    assert [one.run for one in published(in_tabs)] == ["a", "'=b"]


@pytest.mark.parametrize(
    ("signature", "measures", "scales"),
    [
        ("measures:AP,nDCG@10|scale:12345678,", ["map", "nDCG_10", "P"], ["12345678", "", ""]),
        ("measures:a\\x7cb,c|scale:12345678,abcdef01-cdf", ["a|b", "c"],
         ["12345678", "abcdef01-cdf"]),
        ("measures:a,c, d|scale:,12345678-cdf", ["a", "c, d"], ["", "12345678-cdf"]),
        ("measures:a,'=b|scale:12345678,", ["a", "'=b"], ["12345678", ""]),
        ("x:y:z|scale:12345678|measures:a:b", ["a:b"], ["12345678"]),
        ("measures:a,|scale:12345678", ["a"], ["12345678"]),
        ("measures:a", ["a"], [""]),  # confint would say so
        # What confint does not write says nothing.
        ("scale:12345678", ["a"], [None]),
        ("scale:", ["a"], [None]),
        ("measures:a,b|scale:12345678", ["a", "b"], [None, None]),
        ("measures:a|scale:12345678,12345678", ["a"], [None]),
        ("measures:a|scale:1234567x", ["a"], [None]),
        ("measures:a,b|scale:1234567x,12345678", ["a", "b"], [None, None]),
    ],
)  # fmt: skip
def test_scales_are_in_the_first_line(
    signature: str, measures: list[str], scales: list[str | None]
) -> None:
    rows = "".join(f'a,"{measure}",1,0,2\n' for measure in measures)
    text = f"# confint:1.0.0|{signature}\n{MEANS}{rows}"
    assert [one.scale for one in published(text)] == scales
    below = f"# of a paper\n# confint:1.0.0|{signature}\n{MEANS}{rows}"
    assert {one.scale for one in published(below)} == {None}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hello world\n", NO_HEADER.removeprefix("x.csv")),
        (FACTORS, ": has no rows"),
        (f"{FACTORS}m\t1\tx\t1\t3\n", ":2: the mean is not a number: 'x'"),
        (f"{FACTORS}m\t1\t0\tx\t3\n", ":2: the sd is not a number: 'x'"),
        (f"{FACTORS}m\t1\t0\t-1\t3\n", ":2: the sd is -1, but it cannot be below 0"),
        (f"{FACTORS}m\t1\t0\t0\tx\n", ":2: the value of 'runs' is not a number: 'x'"),
        (
            f"{FACTORS}m\t1\t0\t0\t1\n",
            ":2: runs is '1', but has to be a whole number of 2 or more",
        ),
        (f"{FACTORS}m\t\t0\t0\t2\n", ":2: the topic has no name"),
        (f"{FACTORS}\t1\t0\t0\t2\n", ":2: the measure has no name"),
        (f"{FACTORS}\t\t0\t0\t2\n", ":2: the measure has no name"),
        (
            f"{FACTORS}m\t1\t0\t1\t3\nm\t2\t0\t1\t4\n",
            ":3: on 'm', rows above have 3 runs, but this row has 4",
        ),
        (
            f"{FACTORS}m\t1\t0\t1\t3\nm\t1\t0\t2\t3\n",
            ":3: an earlier row for topic '1' and 'm' differs",
        ),
        (
            f"{FACTORS}m\t1\t0\t1\t3\nm\t1\t2\t1\t3\n",
            ":3: an earlier row for topic '1' and 'm' differs",
        ),
    ],
)
def test_factors_that_are_refused(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "f.tsv"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_factors(str(path))
    assert (str(caught.value), caught.value.hint) == (f"{path}{problem}", "")


def test_a_table_without_factors(tmp_path: Path) -> None:
    path = tmp_path / "f.tsv"
    path.write_text("run\ttopic\tmeasure\tscore\n")
    with pytest.raises(DataError) as caught:
        read_factors(str(path))
    assert (str(caught.value), caught.value.hint) == (
        f"{path}: is not a table of factors to standardise by",
        "'confint standardize --save-factors FILE' writes such a table",
    )


def test_factors_are_as_they_are_in_the_table(tmp_path: Path) -> None:
    path = tmp_path / "f.tsv"
    rows = ["map\t302\t0.5\t0.25\t3", "P_10\t301\t-1\t0\t2", "AP\t301\t0.125\t0\t3"]
    path.write_text(FACTORS + "".join(f"{row}\n" for row in [*rows, rows[0]]))  # one comes twice
    by_map, by_p = read_factors(str(path))
    assert (by_map.measure, by_map.topics, by_map.runs) == ("map", ("302", "301"), 3)
    assert (by_map.mean.tolist(), by_map.sd.tolist()) == ([0.5, 0.125], [0.25, 0.0])
    assert (by_p.measure, by_p.topics, by_p.runs) == ("P_10", ("301",), 2)
    assert (by_p.mean.tolist(), by_p.sd.tolist()) == ([-1.0], [0.0])
    assert by_map.source == by_p.source == str(path)
