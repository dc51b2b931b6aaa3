"""Every output format: what it prints, and that no name can break it."""

import csv
import io
import json
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from confint_cli.common.table import FULL_PRECISION, Column, Table
from confint_cli.outputs import formats, offered, render
from confint_cli.outputs.cells import OutputOptions, number_text
from confint_cli.outputs.latex import escape
from tests.outputs.answers import recorded

ANSWER = recorded(
    [
        Column("run", ["bm25_a", "x & y"]),
        Column("topics", [50, 7]),
        Column("mean", [0.21754321, None]),
        Column("best", [True, False]),
    ],
    {"confint": "1.0", "seed": 0},
)

needs_pdflatex = pytest.mark.skipif(
    not shutil.which("pdflatex"), reason="needs pdflatex to compile the table"
)

HOSTILE = {
    "escape": "a\x1b[31mred\x1b[0m",
    "title": "\x1b]0;owned\x07",
    "markup": "[red]x[/red] [link=http://a]b[/link]",
    "tab": "a\tb",
    "newline": "a\nb\rc",
    "separator": "a\u2028b\u2029c\x85d",
    "bidi": "a\u202egnp.exe",
    "html": "<script>alert(1)</script>",
    "latex": r"\input{/etc/passwd} % $x$ a_b#c&d~e^f{g}",
    "markdown": "a | b `c` *d* [e](f) <g>",
    "csv": 'a,"b",c',
    "formula": "=cmd()|'/c calc'!A0",
    "long": "long" * 60,
    "empty": "",
    "quote": '"quoted"',
    "emoji": "a:smiley:b",
    "combining": "e\u0301\u0301\u0301",
}


def test_tsv_has_a_header_and_the_signature_if_asked_for() -> None:
    assert render(ANSWER, "tsv", OutputOptions()) == (
        "run\ttopics\tmean\tbest\nbm25_a\t50\t0.2175\tyes\nx & y\t7\t\tno\n"
    )
    signed = render(ANSWER, "tsv", OutputOptions(signature=True, digits=2))
    assert signed.splitlines()[:3] == [
        "# confint:1.0|seed:0", "run\ttopics\tmean\tbest", "bm25_a\t50\t0.22\tyes",
    ]  # fmt: skip


def test_csv_has_a_header_and_the_signature_if_asked_for() -> None:
    assert render(ANSWER, "csv", OutputOptions()) == (
        "run,topics,mean,best\nbm25_a,50,0.2175,yes\nx & y,7,,no\n"
    )
    assert render(ANSWER, "csv", OutputOptions(signature=True)).startswith("# confint:1.0|seed:0\n")


def test_json_has_full_precision_and_the_signature() -> None:
    assert json.loads(render(ANSWER, "json", OutputOptions(digits=2))) == {
        "signature": {"confint": "1.0", "seed": "0"},
        "rows": [
            {"run": "bm25_a", "topics": 50, "mean": 0.21754321, "best": True},
            {"run": "x & y", "topics": 7, "mean": None, "best": False},
        ],
    }


def test_jsonl_is_an_object_a_line() -> None:
    lines = render(ANSWER, "jsonl", OutputOptions()).splitlines()
    assert [json.loads(line)["mean"] for line in lines] == [0.21754321, None]


def test_json_has_no_numbers_that_json_does_not_know() -> None:
    answer = recorded([Column("low", [float("-inf"), float("nan"), float("inf"), -0.5])])
    rows = json.loads(render(answer, "json", OutputOptions()))["rows"]
    assert [row["low"] for row in rows] == [None, None, None, -0.5]


def test_markdown_lines_up_and_escapes_names() -> None:
    assert render(ANSWER, "markdown", OutputOptions()) == (
        "| run     | topics |   mean | best |\n"
        "| ------- | -----: | -----: | ---- |\n"
        "| bm25\\_a |     50 | 0.2175 | yes  |\n"
        "| x \\& y  |      7 |        | no   |\n"
    )


def test_latex_is_a_table_of_booktabs() -> None:
    assert render(ANSWER, "latex", OutputOptions()).splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{lrrl}",
        r"\toprule",
        r"run & topics & mean & best \\",
        r"\midrule",
        r"bm25\_a & 50 & 0.2175 & yes \\",
        r"x \& y & 7 &  & no \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_latex_says_what_characters_beyond_ascii_need() -> None:
    answer = recorded([Column("run", ["日本"]), Column("mean", [0.5])])
    first = render(answer, "latex", OutputOptions()).splitlines()[0]
    assert first.startswith("% has letters that pdflatex stops at: xelatex and lualatex")
    for letters, said in {"naïve–Ł": [], "Þór": [r"% \usepackage[T1]{fontenc}"]}.items():
        lines = render(recorded([Column("run", [letters])]), "latex", OutputOptions()).splitlines()
        assert lines[: lines.index(r"% \usepackage{booktabs}")] == said


def test_a_table_for_people_lines_up() -> None:
    assert render(ANSWER, "table", OutputOptions(width=60)).splitlines() == [
        "run     topics    mean  best",
        "─" * 28,
        "bm25_a      50  0.2175  yes",
        "x & y        7          no",
        "",
        "confint:1.0|seed:0",
    ]


def test_no_two_formats_have_an_ending_in_common() -> None:
    endings = [ending for one in formats().values() for ending in one.endings]
    assert len({*endings}) == len(endings)


@pytest.mark.parametrize("output_format", offered())
def test_a_table_without_rows_is_valid_in_every_format(output_format: str) -> None:
    empty = recorded([Column("run", []), Column("mean", [])], {"confint": "1"})
    text = render(empty, output_format, OutputOptions(width=60))
    if output_format == "jsonl":
        assert text == ""
    elif output_format == "json":
        assert json.loads(text) == {"signature": {"confint": "1"}, "rows": []}
    else:
        assert "run" in text
        assert "mean" in text


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("output_format", offered())
def test_no_name_breaks_a_table(output_format: str, kind: str) -> None:
    """As harmless text, in its place, the columns after it in theirs."""
    name = HOSTILE[kind]
    mean = Column("mean", [0.25, 0.5])
    options = OutputOptions(width=80, signature=True)
    answer = recorded([Column("run", [name, "after"]), mean], {"s": name})
    text = render(answer, output_format, options)
    acting = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
    assert acting <= {"\n", "\t"}
    body = [
        line
        for line in text.split("\n")
        if line and not line.startswith(("#", "<!--", "% s:", "% has "))
    ]
    if output_format in ("tsv", "csv"):
        delimiter = "\t" if output_format == "tsv" else ","
        rows = list(csv.reader(io.StringIO("\n".join(body) + "\n"), delimiter=delimiter))
        assert [len(row) for row in rows] == [2, 2, 2]
        assert [row[1] for row in rows] == ["mean", "0.2500", "0.5000"]
        assert not re.match(r"[=+\-@]", rows[1][0]) or output_format == "tsv"
    elif output_format in ("json", "jsonl"):
        rows = (json.loads(text)["rows"] if output_format == "json"
                else [json.loads(line) for line in body])  # fmt: skip
        assert rows == [{"run": name, "mean": 0.25}, {"run": "after", "mean": 0.5}]
    elif output_format == "markdown":
        assert len(body) == 4
        assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in body)
        assert not re.search(r"(?<!\\)<[a-z/]", "\n".join(body))
    elif output_format == "latex":
        assert len(body) == 9
        assert len(re.findall(r"(?<!\\)&", body[5])) == 1
        assert not re.search(r"\\(?!\\|text|char34|[&%$#_{}]|$)", body[5].removesuffix(r"\\"))
    elif output_format == "table":
        assert all(len(line) <= 80 for line in body[:-1])
        assert "0.2500" in text
        assert body[0].split() == ["run", "mean"]
    else:  # as many lines as with a harmless name, and the same beside it
        other = recorded([Column("run", ["x", "after"]), mean], {"s": "x"})
        harmless = render(other, output_format, options)
        assert text.count("\n") == harmless.count("\n")
        assert text.splitlines()[-1] == harmless.splitlines()[-1]
        assert "0.2500" in text


@given(st.text(max_size=40))
@example("Δ$ρ")
@example("⁻α√±-−")
@example("τ²")
def test_latex_commands_in_names_are_printed_not_obeyed(name: str) -> None:
    known = (
        r"\\(text[a-z]+|char34)\{\}|\$\\(Delta|rho|alpha|tau|surd|pm)\$|\$\^?-\$|\\[&%$#_{}]|-\{\}"
        r"|\{[][*]\}|(?<=['`,?!])\{\}(?=['`,])"
    )
    left = re.sub(known, "", escape(name))
    assert not set(left) & set("\\&%$#_{}~^")


@needs_pdflatex
def test_latex_compiles_whatever_the_names(tmp_path: Path) -> None:
    names = [name for name in HOSTILE.values() if name.isascii()]
    answer = recorded([Column("run", names), Column("mean", [0.5] * len(names))])
    check_it_compiles(render(answer, "latex", OutputOptions()), tmp_path)


def check_it_compiles(body: str, folder: Path) -> None:
    (folder / "t.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
        "\\begin{document}\n" + body + "\\end{document}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_hundred_runs_of_long_names_stay_readable_at_80_columns() -> None:
    names = [
        f"university-of-somewhere-department-of-search-run-{n:03d}-rm3-dense" for n in range(100)
    ]
    columns = [
        Column("run", names), Column("topic", ["301"] * 100), Column("measure", ["map"] * 100),
        Column("score", [n / 100 for n in range(100)]), Column("low", [0.12345] * 100),
    ]  # fmt: skip
    text = render(recorded(columns), "table", OutputOptions(width=80))
    lines = text.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert text.count("0.1235") == 100
    names_column = [line[: lines[0].index("topic")].strip() for line in lines]
    for name in names:  # no name is cut short, so no two look alike
        assert name in "".join(names_column)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.21754, 4, "0.2175"), (-0.00001, 4, "0.0000"), (0.5, 0, "0"), (1e-9, 2, "0.00"),
        (float("inf"), 4, "inf"), (float("-inf"), 4, "-inf"),
        (0.5, FULL_PRECISION, "0.5000"), (0.227937, FULL_PRECISION, "0.227937"),
        (1 / 3, FULL_PRECISION, "0.3333333333333333"), (-0.0, FULL_PRECISION, "0.0000"),
    ],
)  # fmt: skip
def test_a_number_has_the_digits_that_are_asked_for(value: float, digits: int, text: str) -> None:
    assert number_text(value, digits) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_full_precision_reads_back_the_same(value: float) -> None:
    assert float(number_text(value, FULL_PRECISION)) == value


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="columns of different lengths"):
        Table("", [Column("a", [1]), Column("b", [])])
