"""What people read: parts of a table with titles, intervals in a cell, pictures, sentences."""

import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from confint_cli.common.table import Column, Interval, Marked, Probability, Span, Strip, Table
from confint_cli.outputs import offered, render
from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.picture import draw
from confint_cli.studies.answer import Answer
from tests.outputs.answers import recorded, viewed_as
from tests.outputs.test_outputs import HOSTILE, check_it_compiles, needs_pdflatex

INFINITE = float("inf")


def part(title: str, runs: list[str]) -> Table:
    return Table(
        title,
        [
            Column("run", runs),
            Column("mean", [0.25] * len(runs)),
            Column("t 95%", [Interval(-0.125, 0.5)] * len(runs)),
            Column("", [Span(-0.125, 0.25, 0.5, mark=0.25)] * len(runs)),
        ],
        sentence=["The best is ", runs[0], " (", 0.25, ")."],
    )


def viewed(title: str, runs: list[str]) -> Answer[Any]:
    long = [Column("run", [*runs, *runs]), Column("level", [0.95] * 2 * len(runs), exact=True)]
    return viewed_as(
        part(title, runs), part("P_10", runs), columns=long, facts={"confint": "1"},
        sentence=["That is all."],
    )  # fmt: skip


def test_the_table_has_parts_with_titles_and_sentences() -> None:
    text = render(viewed("map", ["a"]), "table", OutputOptions(width=80))
    first = [
        "",
        "run    mean              t 95%  -0.1250                                   0.5000",
        "─" * 80,
        "a    0.2500  [-0.1250, 0.5000]  ├───────────────────────────●──────────────────┤",
        "",
        "The best is a (0.2500).",
        "",
    ]
    assert text.splitlines() == ["map", *first, "P_10", *first, "That is all.", "", "confint:1"]


def test_the_others_have_the_parts_without_pictures_or_the_long_rows() -> None:
    answer = viewed("map", ["a_1"])
    assert render(answer, "tsv", OutputOptions()) == "run\tlevel\na_1\t0.95\na_1\t0.95\n"
    assert render(answer, "markdown", OutputOptions()).splitlines()[:6] == [
        "**map**",
        "",
        "| run  |   mean |             t 95% |",
        "| ---- | -----: | ----------------: |",
        "| a\\_1 | 0.2500 | [-0.1250, 0.5000] |",
        "",
    ]
    assert "\n\nThe best is a\\_1 (0.2500).\n" in render(answer, "markdown", OutputOptions())
    assert render(answer, "latex", OutputOptions()).splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"run & mean & t 95\% \\",
        r"\midrule",
        r"\multicolumn{3}{l}{map} \\",
        r"a\_1 & 0.2500 & [$-$0.1250, 0.5000] \\",
        r"\midrule",
        r"\multicolumn{3}{l}{P\_10} \\",
        r"a\_1 & 0.2500 & [$-$0.1250, 0.5000] \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"% map: The best is a\_1 (0.2500).",
        r"% P\_10: The best is a\_1 (0.2500).",
    ]


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("output_format", offered())
def test_no_name_breaks_a_view(output_format: str, kind: str) -> None:
    """A measure in the title, a run in a cell and in the sentence: harmless text, in its place."""
    name = HOSTILE[kind]
    plain = render(viewed("map", ["run", "after"]), output_format, OutputOptions(width=80))
    text = render(viewed(name, [name, "after"]), output_format, OutputOptions(width=80))
    acting = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
    assert acting <= {"\n", "\t"}
    if output_format == "latex" and name:
        lines = [line for line in text.splitlines() if not line.startswith("% has ")]
        assert len(lines) == len(plain.splitlines())
    if output_format == "markdown":
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        assert all(len(re.findall(r"(?<!\\)\|", line)) == 4 for line in rows)
        assert not re.search(r"(?<!\\)<[a-z/]", text)
    if output_format == "table":
        assert all(cell_len(line) <= 80 for line in text.splitlines())
        assert text.count("[-0.1250, 0.5000]") == 4
        assert len(re.findall("├─+●─+┤", text)) == 4  # no picture is broken in two


@needs_pdflatex
def test_latex_of_a_view_compiles(tmp_path: Path) -> None:
    names = [name for name in HOSTILE.values() if name.isascii()]
    first = part(HOSTILE["latex"], names)
    limits = Column("t", [Interval(-INFINITE, INFINITE)] * len(names))
    wide = replace(first, columns=[*first.columns[:2], limits])
    body = render(viewed_as(wide), "latex", OutputOptions(signature=True))
    assert r"[$-$$\infty$, $\infty$]" in body
    check_it_compiles(body, tmp_path)


# Pictures


def drawn(cells: list[Span | None], width: int, digits: int) -> tuple[str, list[str]]:
    found = draw(Column("", cells), width, digits)
    assert found is not None
    return found


def test_a_picture_is_to_scale() -> None:
    spans = [Span(0.0, 0.5, 1.0, 0.5), Span(0.2, 0.2, 0.2, 0.5), Span(0.6, 0.7, 0.9, 0.5)]
    header, pictures = drawn(spans, 20, 1)
    assert header == "0.0" + " " * 14 + "1.0"
    assert pictures == ["├─────────●────────┤", "    ●     ┊         ", "          ┊ ├─●───┤ "]


def test_a_picture_has_arrows_for_infinite_limits_and_none_for_missing_ones() -> None:
    nan = float("nan")
    spans = [
        Span(-INFINITE, 0.5, INFINITE, 0.5),
        Span(0.0, 0.25, 1.0, 0.5),
        Span(nan, 0.9, nan, 0.5),
    ]
    _, pictures = drawn([*spans, None], 20, 1)
    assert pictures == [
        "◂─────────●────────▸",
        "├────●─────────────┤",
        "          ┊       ● ",
        "",
    ]


def test_a_picture_of_one_value_has_a_dot() -> None:
    header, pictures = drawn([Span(0.5, 0.5, 0.5, 0.5)] * 2, 20, 2)
    assert header == "0.50"
    assert [picture.strip() for picture in pictures] == ["●", "●"]


@pytest.mark.parametrize(("width", "shown"), [(120, True), (60, True), (51, False), (30, False)])
def test_a_picture_shows_where_there_is_space_for_it(width: int, shown: bool) -> None:
    text = render(viewed_as(part("map", ["a"])), "table", OutputOptions(width=width))
    assert ("●" in text) == shown
    assert "[-0.1250, 0.5000]" in text
    assert max(map(len, text.splitlines())) <= max(width, 30)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_long_names_are_broken_and_not_the_picture(width: int) -> None:
    name = "splade-cocondenser-ensembledistil-v2-with-a-long-name"
    text = render(viewed_as(part("map", [name, "short"])), "table", OutputOptions(width=width))
    assert len(re.findall("├─+●─+┤", text)) == 2
    assert all(len(line) <= width for line in text.splitlines())


def test_a_scale_that_has_no_space_leaves_the_picture_out() -> None:
    spans = [Span(1234977.608, 1235000.0, 1235211.0992, 1235000.0)]
    columns = [Column("run", ["a"]), Column("", spans)]
    table = viewed_as(Table("", columns))
    assert "●" not in render(table, "table", OutputOptions(width=27))
    text = render(table, "table", OutputOptions(width=30))
    assert "1234977.6080 1235211.0992" in text


def test_many_intervals_go_below_one_another_where_there_is_no_space_beside() -> None:
    columns = [
        Column("run", ["a", "b"]),
        Column("mean", [0.25, 0.125]),
        Column("t 95%", [Interval(0.0, 0.5), Interval(0.0, 0.25)]),
        Column("bca 95%", [Interval(0.1, 0.6), None]),
        Column("note", ["few topics", ""]),
    ]
    wide = render(viewed_as(Table("", columns)), "table", OutputOptions(width=80)).splitlines()
    assert wide[0].split() == ["run", "mean", "t", "95%", "bca", "95%", "note"]
    narrow = render(viewed_as(Table("", columns)), "table", OutputOptions(width=55)).splitlines()
    assert narrow == [
        "run    mean  interval            limits  note",
        "─" * 51,
        "a    0.2500  t 95%     [0.0000, 0.5000]  few topics",
        "             bca 95%   [0.1000, 0.6000]",
        "b    0.1250  t 95%     [0.0000, 0.2500]",
    ]


MARKED = Table(
    "map",
    [
        Column("run", ["a", "b"]),
        Column("t", [Marked(0.9, "<"), Marked(0.95)]),
        Column("bca", [Marked(0.94), Marked(0.95)]),
    ],
    legend="< covers less & misses more.",
    sentence=["Said."],
)


def test_marks_keep_numbers_in_line_and_are_explained_where_people_read_them() -> None:
    table = viewed_as(MARKED)
    assert render(table, "table", OutputOptions(digits=2)).splitlines()[2:] == [
        "run      t   bca",
        "────────────────",
        "a    0.90<  0.94",
        "b    0.95   0.95",
        "",
        "< covers less & misses more.",
        "",
        "Said.",
    ]
    markdown = render(table, "markdown", OutputOptions(digits=2)).splitlines()
    assert markdown[4:7] == [
        "| a   | 0.90\\< | 0.94 |",
        "| b   |   0.95 | 0.95 |",
        "",
    ]
    assert markdown[7] == "\\< covers less \\& misses more."
    latex = render(table, "latex", OutputOptions(digits=2))
    assert "a & 0.90\\rlap{\\textless{}} & 0.94 \\\\\n" in latex
    below = "\\end{tabular}\n\\par\\smallskip{\\footnotesize \\textless{} covers less \\& misses"
    assert below in latex


def test_marked_numbers_of_several_methods_are_folded_where_there_is_no_space() -> None:
    more = replace(MARKED, columns=[*MARKED.columns, replace(MARKED.columns[-1], name="basic")])
    table = viewed_as(more)
    narrow = render(table, "table", OutputOptions(digits=2, width=20)).splitlines()
    assert narrow[2:10] == [
        "run  method  value",
        "──────────────────",
        "a    t       0.90<",
        "     bca     0.94",
        "     basic   0.94",
        "b    t       0.95",
        "     bca     0.95",
        "     basic   0.95",
    ]


# P-values, strips, lines between groups, columns that may be left out


def standings() -> Table:
    alike = [(True, True, False), (True, True, False), (False, False, True)]
    return Table(
        "map",
        [
            Column("run", ["a", "b", "c"]),
            Column("p", [Probability(0.04812), Probability(0.00001), None]),
            Column("wide", [0.123456] * 3, optional=True),
            Column("set", ["1–2", "1–2", "3"]),
            Column("alike", [Strip(row, flags) for row, flags in enumerate(alike)], legend="■ so."),
            Column("", [Span(1, 1, 2), Span(1, 2, 2), Span(3, 3, 3)], legend="├ so."),
        ],
        legend="Δ is explained.",
        breaks=[2],
        breaks_mean="all differ",
    )


def test_the_first_picture_that_fits_is_drawn_with_its_legend() -> None:
    assert render(viewed_as(standings()), "table", OutputOptions(width=60)).splitlines() == [
        "map",
        "",
        "run        p    wide  set  alike",
        "────────────────────────────────",
        "a     0.0481  0.1235  1–2  ●■·",
        "b    <0.0001  0.1235  1–2  ■●·",
        "┄" * 32,
        "c             0.1235  3    ··●",
        "",
        "Δ is explained. ■ so. A line: all differ.",
    ]


def test_a_strip_that_is_too_long_gives_way_to_the_next_picture() -> None:
    table = standings()
    long = Column("alike", [Strip(0, (True,) * 40)] * 3, legend="■ so.")
    columns = [*table.columns[:4], long, table.columns[5]]
    text = render(viewed_as(replace(table, columns=columns)), "table", OutputOptions(width=60))
    assert "run        p    wide  set  1" in text
    assert "●─" in text
    assert "■" not in text
    assert "├ so." in text


def test_a_narrow_terminal_shows_fewer_columns_and_says_which() -> None:
    text = render(viewed_as(standings()), "table", OutputOptions(width=20))
    assert "0.1235" not in text
    assert "Not shown for lack of room: wide, alike." in " ".join(text.split())
    assert "0.0481" in text
    wide = render(viewed_as(standings()), "markdown", OutputOptions(width=20))
    assert "| a   |  0.0481 | 0.1235 | 1–2 |" in wide
    assert "Not shown" not in wide


def test_latex_shows_small_p_values_as_bounds_and_sets_groups_apart() -> None:
    lines = render(viewed_as(standings()), "latex", OutputOptions()).splitlines()
    assert lines[6:12] == [
        r"a & 0.0481 & 0.1235 & 1--{}2 \\",
        r"b & $<$0.0001 & 0.1235 & 1--{}2 \\",
        r"\addlinespace",
        r"c &  & 0.1235 & 3 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    legend = r"$\Delta$ is explained. A gap: all differ."
    assert lines[12] == rf"\par\smallskip{{\footnotesize {legend}\par}}"


@needs_pdflatex
def test_latex_of_standings_compiles(tmp_path: Path) -> None:
    check_it_compiles(render(viewed_as(standings()), "latex", OutputOptions()), tmp_path)


@pytest.mark.parametrize(
    ("p", "tsv", "people"),
    [
        (0.048123456, "0.04812", "0.0481"),
        (0.5, "0.5", "0.5000"),
        (1.0, "1", "1.0000"),
        (3.21987e-9, "3.22e-09", "<0.0001"),
        (0.0, "0", "<0.0001"),
        (0.99999, "1", ">0.9999"),
        (float("nan"), "", ""),
    ],
)
def test_a_probability_is_never_rounded_to_zero_or_one(p: float, tsv: str, people: str) -> None:
    answer = recorded([Column("p_t", [p], significant=True)])
    assert render(answer, "tsv", OutputOptions()).splitlines()[1:] == [tsv]
    shown = viewed_as(Table("", [Column("run", ["a"]), Column("p", [Probability(p)])]))
    row = render(shown, "markdown", OutputOptions()).splitlines()[2]
    assert row.split("|")[2].strip() == people


def test_a_p_value_in_a_sentence_is_never_zero() -> None:
    table = Table(
        "", [Column("run", ["a"])],
        sentence=[Probability(0.5, named=True), "; ", Probability(1e-9, named=True)],
    )  # fmt: skip
    assert "p = 0.5000; p < 0.0001" in render(viewed_as(table), "table", OutputOptions())


def test_rows_that_fit_in_no_way_are_shown_cell_by_cell_on_a_terminal() -> None:
    table = Table("", [
        Column("run", ["one", "another run with a name"]),
        Column("difference of means", [0.25, None]),
        Column("baseline", ["bm25", "a baseline of many words"]),
    ])  # fmt: skip
    assert render(viewed_as(table), "table", OutputOptions(digits=2, width=36)).splitlines() == [
        "run one",
        "  difference of means  0.25",
        "  baseline             bm25",
        "run another run with a name",
        "  baseline             a baseline of",
        "                       many words",
    ]
    in_a_file = render(viewed_as(table), "table", OutputOptions(digits=2)).splitlines()
    assert in_a_file[0].split() == ["run", "difference", "of", "means", "baseline"]


def test_a_row_without_a_name_goes_on_with_the_one_above() -> None:
    limits = [Column(name, [Interval(0.25, 0.75)]) for name in ("t 95%", "bca 95%")]
    table = Table("", [Column("run", ["a"]), Column("mean of all", [0.5]), *limits])
    text = render(viewed_as(table), "table", OutputOptions(digits=2, width=30))
    assert text.splitlines() == [
        "run a",
        "  mean of all  0.50",
        "  interval     t 95%",
        "  limits       [0.25, 0.75]",
        "  interval     bca 95%",
        "  limits       [0.25, 0.75]",
    ]
