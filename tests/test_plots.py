"""`--plot FILE`: figures, whose values are read back from what is drawn and held to the table."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from confint_cli.plots import _saving
from tests.conftest import SAMPLES, Confint, write

EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
TWO = [SAMPLES / "trec_eval" / f"{name}.eval" for name in ("bm25", "hybrid")]
COMMANDS: dict[str, list[object]] = {
    "interval": ["-m", "map"],
    "coverage": ["-m", "map", "--replicates", 20, "--resamples", 200],
    "compare": ["-m", "map", "--baseline", "bm25"],
    "rank": ["-m", "map", "--resamples", 500],
    "bayes": ["-m", "map", "--baseline", "bm25", "--draws", 5000],
    "risk": ["-m", "map", "--baseline", "bm25", "--resamples", 1000],
    "describe": ["-m", "map"],
    "plan": ["-m", "map", "--half-width", 0.03, "--difference", 0.02],
}

Row = dict[str, Any]
Drawn = Callable[..., tuple[list[Figure], list[Row]]]


@pytest.fixture
def drawn(confint: Confint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """What a call draws, and the rows of its table in full precision."""
    figures: list[Figure] = []
    draw = _saving.drawn

    def keep(*args: Any) -> Figure:
        figures.append(draw(*args))
        return figures[-1]

    monkeypatch.setattr(_saving, "drawn", keep)

    def call(*args: object, kind: str = "png") -> tuple[list[Figure], list[Row]]:
        figures.clear()
        result = confint(*args, "--plot", tmp_path / f"figure.{kind}", "-f", "json")
        assert result.status == 0, result.err
        return list(figures), json.loads(result.out)["rows"]

    return call


def named(figures: Sequence[Figure], name: str) -> list[Any]:
    """Return what has that name in figures, in the order in which it was drawn."""
    return [
        artist
        for figure in figures
        for axes in figure.axes
        for artist in axes.get_children()
        if artist.get_gid() == name
    ]


def limits(figures: Sequence[Figure], name: str) -> list[tuple[float, float]]:
    found = []
    for collection in named(figures, f"limits {name}"):
        assert isinstance(collection, LineCollection)
        found += [(low, high) for (low, _), (high, _) in collection.get_segments()]
    return found


def marked(figures: Sequence[Figure], name: str) -> list[tuple[float, float]]:
    """Return the marks of a name, from the first row down."""
    found = []
    for place, figure in enumerate(figures):
        for column, axes in enumerate(figure.axes):
            for line in axes.lines:
                if line.get_gid() == name:
                    xs, ys = (np.asarray(part, float) for part in line.get_data())
                    found += [((place, column, y), (x, y)) for x, y in zip(xs, ys, strict=True)]
    return [mark for _, mark in sorted(found)]


def labels(figures: Sequence[Figure]) -> list[str]:
    return [
        text.get_text()
        for figure in figures
        for axes in figure.axes
        for text in axes.get_yticklabels()
    ]


def words(figure: Figure) -> str:
    """Return all that stands in the heading."""
    return " ".join(text.get_text() for text in figure.texts)


# The values in each figure are those of the table.


def test_intervals(drawn: Drawn) -> None:
    figures, rows = drawn("interval", *EVALS, "-m", "map,P_10", "--level", "0.9,0.99")
    (figure,) = figures
    assert len(figure.axes) == 2  # measures
    for method in ("t", "percentile"):
        for level in (0.9, 0.99):
            own = [row for row in rows if (row["method"], row["level"]) == (method, level)]
            name = f"{method} {level}"
            expected = [(row["low"], row["high"]) for row in own]
            assert limits(figures, name) == [pytest.approx(pair) for pair in expected]
            means = [x for x, _ in marked(figures, f"values {name}")]
            assert means == pytest.approx([row["mean"] for row in own])
    runs = [row["run"] for row in rows if (row["method"], row["level"]) == ("t", 0.9)]
    assert labels(figures) == runs
    best = [max(row["mean"] for row in rows if row["measure"] == m) for m in ("map", "P_10")]
    assert [line.get_xdata()[0] for line in named(figures, "line")] == pytest.approx(best)
    assert "means of 8 runs with 90% and 99% t and percentile intervals, 50 topics" in words(figure)


def test_of_one_run_the_measures_are_rows(drawn: Drawn) -> None:
    figures, rows = drawn("interval", EVALS[0], "-m", "map,P_10,Rprec", "--method", "t")
    assert labels(figures) == [row["measure"] for row in rows]
    assert limits(figures, "t 0.95") == [pytest.approx((row["low"], row["high"])) for row in rows]


def test_the_order_of_runs_is_that_of_the_table(drawn: Drawn) -> None:
    figures, rows = drawn("interval", *EVALS, "-m", "map", "--method", "t", "--sort", "name")
    assert labels(figures) == [row["run"] for row in rows] == sorted(row["run"] for row in rows)


def test_limits_without_bounds_end_in_arrows(drawn: Drawn, tmp_path: Path) -> None:
    scores = {"a": {"m": [0.0] * 8 + [0.5, 0.9]}, "b": {"m": [i / 10 for i in range(10)]}}
    path = write(tmp_path / "x.tsv", scores)
    figures, rows = drawn("interval", path, "--method", "bootstrap-t", "--level", 0.999)
    assert [row["high"] is None for row in rows] == [False, True]  # infinite in JSON
    (figure,) = figures
    assert len(named(figures, "unbounded bootstrap-t 0.999")) == 1
    _, end = figure.axes[0].get_xlim()
    assert limits(figures, "bootstrap-t 0.999")[1][1] == pytest.approx(end)


def test_one_topic_has_a_mean_without_limits(drawn: Drawn, tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.5]}, "b": {"m": [0.25]}})
    figures, _ = drawn("interval", path, "--method", "t")
    assert limits(figures, "t 0.95") == []
    assert [x for x, _ in marked(figures, "values t 0.95")] == [0.5, 0.25]


def test_coverage(drawn: Drawn) -> None:
    call = ["coverage", *EVALS, "-m", "map,P_10", "--replicates", 50, "--resamples", 500]
    figures, rows = drawn(*call)
    for measure in ("map", "P_10"):
        for method in ("t", "percentile", "bootstrap-t", "bca"):
            values = np.array(
                [
                    row["coverage"]
                    for row in rows
                    if (row["measure"], row["method"]) == (measure, method)
                ]
            )
            assert len(values) == 8
            name = f"{measure} {method}"
            (box,) = named(figures, f"box {name}")
            assert isinstance(box, Rectangle)
            q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
            assert (box.get_y(), box.get_y() + box.get_height()) == pytest.approx((q1, q3))
            (middle,) = named(figures, f"median {name}")
            assert list(middle.get_ydata()) == pytest.approx([median, median])
            (mean,) = named(figures, f"mean {name}")
            assert mean.get_ydata()[0] == pytest.approx(values.mean())
            reach = 1.5 * (q3 - q1)
            inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
            ends = [line.get_ydata()[1] for line in named(figures, f"whisker {name}")]
            assert ends == pytest.approx([inside.min(), inside.max()])
            (beyond,) = named(figures, f"beyond {name}")
            below = sum(
                int(text.get_text().split(":")[0]) for text in named(figures, f"below {name}")
            )
            assert len(beyond.get_ydata()) + below == len(values) - len(inside)
    (level,) = named(figures, "level")
    assert level.get_ydata()[0] == 0.95
    summary, _ = drawn(*call, "--summary")
    boxes = [
        [box.get_bbox().bounds for box in named(one, "box map t")] for one in (figures, summary)
    ]
    assert boxes[0] == boxes[1] != []


def test_coverage_of_a_few_runs_is_points(drawn: Drawn) -> None:
    figures, rows = drawn("coverage", *TWO, *COMMANDS["coverage"])
    (points,) = named(figures, "runs map t")
    expected = [row["coverage"] for row in rows if row["method"] == "t"]
    assert sorted(points.get_ydata()) == pytest.approx(sorted(expected))


def test_errors_by_level(drawn: Drawn) -> None:
    figures, rows = drawn("coverage", *EVALS, *COMMANDS["coverage"], "--level", "0.8,0.9")
    for method in ("t", "percentile", "bootstrap-t", "bca"):
        expected = [
            1 - np.mean([row["coverage"] for row in rows
                         if (row["method"], row["level"]) == (method, level)])
            for level in (0.9, 0.8)
        ]  # fmt: skip
        (line,) = named(figures, f"error {method}")
        assert list(line.get_ydata()) == pytest.approx(expected)
        assert list(line.get_xdata()) == pytest.approx([0.1, 0.2], rel=0.04)  # side by side


def test_coverage_of_constant_scores_is_nothing_to_draw(drawn: Drawn, tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.5] * 10}, "b": {"m": [0.25] * 10}})
    (figure,), _ = drawn("coverage", path, "--replicates", 10, "--resamples", 400)
    assert "Nothing to draw" in words(figure)


def test_comparisons(drawn: Drawn) -> None:
    figures, rows = drawn(
        "compare", *EVALS, "-m", "map", "--baseline", "bm25,dense", "--simultaneous",
        "--method", "t",
    )  # fmt: skip
    for method in ("t", "max-t"):
        own = [row for row in rows if row["method"] == method]
        name = f"{method} 0.95"
        expected = [pytest.approx((row["low"], row["high"])) for row in own]
        assert limits(figures, name) == expected
        differences = [x for x, _ in marked(figures, f"values {name}")]
        assert differences == pytest.approx([row["difference"] for row in own])
        filled = [
            float(x)
            for line in named(figures, f"values {name}")
            if line.get_markerfacecolor() != "white"
            for x in line.get_xdata()
        ]
        significant = [row["difference"] for row in own if row["p_adjusted"] < 0.05]
        assert sorted(filled) == pytest.approx(sorted(significant))
        assert 0 < len(filled) < len(own)
    assert all(line.get_xdata()[0] == 0 for line in named(figures, "line"))
    (figure,) = figures
    assert "Holm over 13 comparisons" in words(figure)
    assert "7 runs less bm25" in words(figure)
    assert "7 runs less dense" in words(figure)


def test_all_pairs_are_named_in_full(drawn: Drawn) -> None:
    figures, rows = drawn("compare", *EVALS, "-m", "map", "--all-pairs")
    assert labels(figures) == [f"{row['run']} − {row['baseline']}" for row in rows]
    assert len(rows) == 28


def test_published_results_have_the_same_figures(drawn: Drawn) -> None:
    two = ["--mean", 0.3, "--sd", 0.2, "--n", 50, "--mean", 0.2, "--sd", 0.1, "--n", 40]
    figures, rows = drawn("summary", *two)
    assert limits(figures, "t 0.95") == [pytest.approx((row["low"], row["high"])) for row in rows]
    figures, (row,) = drawn("summary", *two, "--baseline", 2)
    assert limits(figures, "welch 0.95") == [pytest.approx((row["low"], row["high"]))]


def test_ranks(drawn: Drawn) -> None:
    figures, rows = drawn("rank", *EVALS, *COMMANDS["rank"])
    assert labels(figures) == [row["run"] for row in rows]
    for name, tied in (("rank set, tied with the best", True), ("rank set", False)):
        expected = [
            pytest.approx((row["rank_low"] - 0.35, row["rank_high"] + 0.35))
            for row in rows
            if row["tied_with_best"] is tied
        ]
        assert limits(figures, name) == expected != []
    alone = [pytest.approx((row["marginal_rank_low"], row["marginal_rank_high"])) for row in rows]
    assert limits(figures, "alone") == alone
    assert [x for x, _ in marked(figures, "values alone")] == [row["rank"] for row in rows]


def test_groups_of_ranks_are_shaded(confint: Confint, drawn: Drawn) -> None:
    call = ["rank", *EVALS, *COMMANDS["rank"]]
    (figure,), _ = drawn(*call)
    lines = confint(*call, "-f", "table").out.splitlines()
    first = next(place for place, line in enumerate(lines) if "hybrid" in line)
    last = next(place for place, line in enumerate(lines) if "keyword" in line)
    assert ["┄┄┄" in line for line in lines[first : last + 1]].count(True) == 2
    shaded = {
        round(patch.get_y() + 0.5)
        for patch in figure.axes[0].patches
        if isinstance(patch, Rectangle)
    }
    assert shaded == {0, 7}  # the first group and the third
    assert "all runs of a group are better" in words(figure)


def test_beliefs_of_one_pair(drawn: Drawn) -> None:
    call = ["bayes", *TWO, "-m", "map", "--baseline", "bm25"]
    (figure,), rows = drawn(*call)
    assert len(rows) == len(figure.axes) == 4
    for row, axes in zip(rows, figure.axes, strict=True):
        quantity = row["quantity"]
        (curve,) = named([figure], f"density {quantity}")
        x, y = curve.get_data()
        step = x[1] - x[0]
        assert float(y.sum() * step) == pytest.approx(1, abs=0.003)  # a density
        assert float((x * y).sum() * step) == pytest.approx(row["eap"], abs=0.02 * row["sd"])
        above = float(y[x > row["threshold"]].sum() * step)
        assert above == pytest.approx(row["probability"], abs=0.01)
        inside = float(y[(x >= row["low"]) & (x <= row["high"])].sum() * step)
        assert inside == pytest.approx(0.95, abs=0.01)
        (threshold,) = named([figure], f"threshold {quantity}")
        assert threshold.get_xdata()[0] == row["threshold"]
        (eap,) = named([figure], f"eap {quantity}")
        assert eap.get_xdata()[0] == row["eap"]
        sign = "=" if row["probability"] < 0.99995 else ">"
        shown = min(f"{row['probability']:.4f}", "0.9999")
        assert axes.get_title(loc="left").endswith(f"{sign} {shown}")


def test_beliefs_of_several_pairs(drawn: Drawn) -> None:
    (figure,), rows = drawn("bayes", *EVALS, *COMMANDS["bayes"])
    differences = [row for row in rows if row["quantity"] == "difference"]
    expected = [pytest.approx((row["low"], row["high"])) for row in differences]
    assert limits([figure], "credible") == expected
    assert len(named([figure], "density")) == 7
    remarks = [text.get_text() for text in figure.axes[0].texts]
    assert remarks[1:6] == [f"{row['probability']:.4f}" for row in differences[1:6]]
    assert (remarks[0], remarks[6]) == (">0.9999", "<0.0001")


def test_a_pair_without_posterior_says_why(drawn: Drawn, tmp_path: Path) -> None:
    scores = [0.1, 0.4, 0.2, 0.9, 0.5, 0.7, 0.3, 0.35, 0.6, 0.15]
    runs = {"a": scores, "copy": scores, "b": scores[::-1]}
    path = write(tmp_path / "x.tsv", {name: {"m": own} for name, own in runs.items()})
    (figure,), _ = drawn("bayes", path, "--baseline", "a", "--draws", 5000)
    assert "(identical)" in [text.get_text() for text in figure.axes[0].texts]
    assert len(named([figure], "density")) == 1


def test_risks(drawn: Drawn) -> None:
    (figure,), rows = drawn("risk", *EVALS, *COMMANDS["risk"])
    runs = list(dict.fromkeys(row["run"] for row in rows))
    assert [axes.get_title(loc="left") for axes in figure.axes] == runs
    for method in ("t", "percentile", "basic", "bootstrap-t", "bca"):
        own = [row for row in rows if row["method"] == method]
        expected = [pytest.approx((row["low"], row["high"])) for row in own]
        assert limits([figure], f"{method} 0.95") == expected
    assert labels([figure])[:4] == ["r = 1", "r = 2", "r = 5", "r = 10"]


def test_risks_in_summary(drawn: Drawn) -> None:
    (figure,), rows = drawn("risk", *EVALS, *COMMANDS["risk"], "--summary", "--level", "0.9,0.95")
    assert len(figure.axes) == 2  # levels
    for method in ("t", "bca"):
        for level in (0.9, 0.95):
            own = [row for row in rows if (row["method"], row["level"]) == (method, level)]
            expected = [pytest.approx((row["low"], row["high"])) for row in own]
            assert limits([figure], f"{method} {level}") == expected
    for limit in ("low", "high"):
        for axes, level in zip(figure.axes, (0.9, 0.95), strict=True):
            found = [
                tuple(line.get_xdata()) for line in axes.lines
                if line.get_gid() == f"notch {limit} t"
            ]  # fmt: skip
            assert found == [
                pytest.approx((row[f"{limit}_notch_low"], row[f"{limit}_notch_high"]))
                for row in rows
                if (row["method"], row["level"]) == ("t", level)
            ]


def test_descriptions(confint: Confint, drawn: Drawn) -> None:
    (figure,), rows = drawn("describe", *EVALS, "-m", "map")
    scores: dict[str, list[float]] = {}
    for run, _, _, score in confint("score", *EVALS, "-m", "map").rows:
        scores.setdefault(run, []).append(float(score))
    histograms, quantiles = figure.axes[::2], figure.axes[1::2]
    for row, left, right in zip(rows, histograms, quantiles, strict=True):
        assert left.get_title(loc="left") == row["run"]
        own = np.sort(scores[row["run"]])
        heights = [round(bar.get_height()) for bar in left.patches if isinstance(bar, Rectangle)]
        assert heights == np.histogram(own, np.linspace(0, 1, 11))[0].tolist()
        (dots,) = (line for line in right.lines if line.get_gid() == "scores")
        assert list(dots.get_ydata()) == pytest.approx(own)
        (line,) = (line for line in right.lines if line.get_gid() == "normal")
        x, y = line.get_data()
        slope = (y[1] - y[0]) / (x[1] - x[0])
        assert slope == pytest.approx(row["sd"])
        assert np.interp(0, x, y) == pytest.approx(row["mean"])
        (mean,) = (line for line in left.lines if line.get_gid() == "mean")
        assert mean.get_xdata()[0] == row["mean"]


def test_plans(drawn: Drawn) -> None:
    (figure,), rows = drawn("plan", *EVALS, *COMMANDS["plan"])
    for row in rows:
        name = f"{row['design']} {row['level']}"
        (now,) = named([figure], f"now {name}")
        assert [float(part[0]) for part in now.get_data()] == [50, row["attained"]]
        (target,) = named([figure], f"target {name}")
        assert [float(part[0]) for part in target.get_data()] == [
            row["topics_needed"], row["target"]
        ]  # fmt: skip
        (curve,) = named([figure], f"curve {name}")
        x, y = (np.log(part) for part in curve.get_data())
        assert np.interp(np.log(50), x, y) == pytest.approx(np.log(row["attained"]), abs=0.02)
        needed = np.interp(np.log(row["topics_needed"]), x, y)
        assert needed == pytest.approx(np.log(row["target"]), abs=0.02)


# Many runs: columns, then pages, and what is left out is said.


def many(tmp_path: Path, runs: int) -> Path:
    random = np.random.default_rng(0)
    values = random.beta(2, 5, (runs, 20)).round(4)
    path = tmp_path / f"{runs}.tsv"
    return write(path, {f"run{i}": {"m": own.tolist()} for i, own in enumerate(values)})


def test_130_runs_are_all_on_one_sheet(drawn: Drawn, tmp_path: Path) -> None:
    path = many(tmp_path, 130)
    for command in (["interval"], ["rank", "--resamples", 500], ["compare", "--baseline", "run3"],
                    ["bayes", "--baseline", "run3", "--draws", 2000]):  # fmt: skip
        (figure,), rows = drawn(command[0], path, *command[1:])
        shown = labels([figure])
        assert shown == list(dict.fromkeys(row["run"] for row in rows))
        assert len(shown) in (129, 130)
        assert len({axes.get_xlim() for axes in figure.axes}) == 1  # a shared axis


def test_more_runs_are_on_pages_of_a_pdf(confint: Confint, drawn: Drawn, tmp_path: Path) -> None:
    path = many(tmp_path, 200)
    pages, rows = drawn("interval", path, "--method", "t", kind="pdf")
    assert len(pages) == 2
    assert labels(pages) == [row["run"] for row in rows]
    assert "Runs 189 to 200 of 200." in words(pages[1])
    (figure,), _ = drawn("interval", path, "--method", "t", kind="svg")
    assert labels([figure]) == [row["run"] for row in rows][:188]
    assert "Runs 1 to 188 of 200; a PDF has the others on further pages." in words(figure)
    result = confint("interval", path, "--method", "t", "--plot", tmp_path / "x.png")
    assert "confint: the figure shows 188 of 200 runs; a PDF has all\n" in result.err


def test_descriptions_of_many_runs_are_spread_by_skew(drawn: Drawn, tmp_path: Path) -> None:
    path = many(tmp_path, 60)
    (figure,), rows = drawn("describe", path)
    by_skew = [row["run"] for row in sorted(rows, key=lambda row: row["skew"])]
    shown = [axes.get_title(loc="left") for axes in figure.axes[::2]]
    assert (shown[0], shown[-1]) == (by_skew[0], by_skew[-1])
    assert len(shown) == 15
    assert [by_skew.index(run) for run in shown] == sorted(by_skew.index(run) for run in shown)
    assert "15 of 60 runs" in words(figure)
    pages, _ = drawn("describe", path, kind="pdf")
    assert len(pages) == 4


def test_risks_of_many_runs_are_paged(drawn: Drawn, tmp_path: Path) -> None:
    call = ["risk", many(tmp_path, 20), "--baseline", "run0", "--method", "t", "--r", 2]
    (figure,), _ = drawn(*call)
    assert len(figure.axes) == 12
    assert "Runs 1 to 12 of 19; a PDF has the others, --summary sums them up." in words(figure)
    pages, _ = drawn(*call, kind="pdf")
    assert [len(page.axes) for page in pages] == [12, 7]


# Files.

MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", MAGIC)
def test_a_figure_is_the_same_bytes_each_time(
    confint: Confint, tmp_path: Path, command: str, kind: str
) -> None:
    call = [command, *EVALS, *COMMANDS[command]]
    paths = [tmp_path / f"{place}.{kind}" for place in range(2)]
    results = [confint(*call, "--plot", path) for path in paths]
    assert [result.status for result in results] == [0, 0]
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert first.startswith(MAGIC[kind])
    assert results[0].out == confint(*call).out  # the table is as without a figure
    assert sorted(path.name for path in tmp_path.iterdir()) == [path.name for path in paths]


def test_settings_of_the_user_make_no_difference(tmp_path: Path) -> None:
    """Neither a matplotlibrc nor the seed of hashes nor the date."""
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nlines.linewidth: 9\ntext.usetex: True\n")
    call = [sys.executable, "-m", "confint_cli", "interval", str(TWO[0]), "-m", "map"]
    made = []
    for place, extra in enumerate(({}, {"MATPLOTLIBRC": str(tmp_path), "SOURCE_DATE_EPOCH": "1"})):
        path = tmp_path / f"{place}.svg"
        env = {"PYTHONHASHSEED": str(place), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        subprocess.run([*call, "--plot", str(path)], env=env | extra, check=True,
                       capture_output=True)  # fmt: skip
        made.append(path.read_bytes())
    assert made[0] == made[1]


def test_a_figure_says_how_it_was_made(confint: Confint, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    confint("interval", TWO[0], "-m", "map", "--plot", path)
    text = path.read_text()
    assert "command:interval|topics:50|runs:1|measures:map" in text
    assert "http-equiv" not in text
    pdf = tmp_path / "x.pdf"
    confint("interval", TWO[0], "-m", "map", "--plot", pdf)
    content = pdf.read_bytes()
    assert b"command:interval" in content
    assert b"/FontFile2" in content  # TrueType, embedded
    assert b"/Type3" not in content
    assert b"CreationDate" not in content


HOSTILE = [
    "$\\frac{1}{0}$",
    "<script>alert(1)</script>",
    "--> & <x/>",
    "[red]",
    "\x1b[31m",
    "x" * 500,
    "走る",
    "a b‮c",
]


@pytest.mark.parametrize("kind", MAGIC)
def test_names_of_strangers_are_text(confint: Confint, tmp_path: Path, kind: str) -> None:
    scores = {name: {"$m_": [0.1, 0.5, 0.2 + i / 50, 0.9]} for i, name in enumerate(HOSTILE)}
    path = write(tmp_path / "x.tsv", scores)
    figure = tmp_path / f"figure.{kind}"
    for command in (["interval"], ["describe"], ["rank"], ["plan"], ["compare", "--all-pairs"]):
        result = confint(*command, path, "--plot", figure)
        assert result.status == 0, result.err
        said = "the figure's font lacks some letters of the names; □ stands for them" in result.err
        assert said is (command != ["plan"])  # which names no runs
        if kind == "svg":
            root = ET.parse(figure).getroot()  # well-formed
            assert not [tag for tag in root.iter() if str(tag.tag).endswith("}script")]


def test_long_names_keep_both_ends(drawn: Drawn, tmp_path: Path) -> None:
    names = ["x" * 60 + "1", "x" * 60 + "2"]
    path = write(tmp_path / "x.tsv", {name: {"m": [0.1, 0.5]} for name in names})
    figures, _ = drawn("interval", path)
    first, second = labels(figures)
    assert first != second
    assert len(first) < 35


def test_bad_calls(confint: Confint, tmp_path: Path) -> None:
    def refused(*args: object) -> str:
        result = confint("interval", *args)
        assert (result.status, result.out) == (2, "")
        return result.err

    assert "no kind of figure belongs to this ending" in refused(TWO[0], "--plot", "x.gif")
    assert ".png, .svg or .pdf" in refused(TWO[0], "--plot", "-")
    copy = tmp_path / "input.png"
    copy.write_bytes(TWO[0].read_bytes())
    assert "--plot would overwrite an input" in refused(copy, "-m", "map", "--plot", copy)
    assert copy.read_bytes() == TWO[0].read_bytes()
    both = tmp_path / "both.png"
    call = [TWO[0], "-m", "map", "-f", "tsv", "-o", both, "--plot", both]
    assert "-o and --plot are the same file" in refused(*call)
    missing = tmp_path / "no" / "x.png"
    assert "cannot write" in refused(TWO[0], "--plot", missing)
    assert not list(tmp_path.glob(".confint-*"))


def test_no_figure_is_left_where_the_data_are_at_fault(confint: Confint, tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    assert confint("interval", tmp_path / "nothing.eval", "--plot", path).status == 1
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_a_message_says_how_to_get_it(
    confint: Confint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("confint_cli.plots.find_spec", lambda _: None)
    result = confint("interval", TWO[0], "-m", "map", "--plot", tmp_path / "x.png")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "confint: --plot needs matplotlib, which is not installed\n"
        "  hint: pip install matplotlib, or with pipx: pipx inject confint-cli matplotlib\n"
    )


def test_matplotlib_is_imported_only_for_figures() -> None:
    code = (
        "import sys; from confint_cli.cli import run; "
        f"run(['interval', {str(TWO[0])!r}, '-m', 'map']); "
        "assert not [name for name in sys.modules if name.startswith('matplotlib')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_lines_are_told_apart_without_colours(drawn: Drawn) -> None:
    """Each method has a mark of its own."""
    (figure,), rows = drawn("interval", *TWO, "-m", "map", "--method", "all")
    methods = list(dict.fromkeys(row["method"] for row in rows))
    marks = {
        method: {line.get_marker() for line in named([figure], f"values {method} 0.95")}
        for method in methods
    }
    assert len({mark for own in marks.values() for mark in own}) == len(methods) > 4
    keys = [line for legend in figure.legends for line in legend.get_lines()]
    assert all(isinstance(key, Line2D) for key in keys)
    assert {key.get_marker() for key in keys} == {mark for own in marks.values() for mark in own}
