"""Many runs: columns, then pages, and what is left out is said."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.conftest import Confint, write
from tests.outputs.figures.reading import Drawn, Row, extent, labels, limits, marked, named, words


def many(tmp_path: Path, runs: int) -> Path:
    random = np.random.default_rng(0)
    better = np.linspace(0, 0.5, runs)[:, None]  # so that some differences are significant
    values = (0.5 * random.beta(2, 5, (runs, 20)) + better).round(4)
    path = tmp_path / f"{runs}.tsv"
    return write(path, {f"run{i}": {"m": own.tolist()} for i, own in enumerate(values)})


def rounded(probability: float) -> str:
    if 0.99995 <= probability < 1:
        return ">0.9999"
    return "<0.0001" if 0 < probability < 0.00005 else f"{probability:.4f}"


def check_every_column(figure: Figure, command: str, rows: list[Row]) -> None:
    """Hold what is drawn in all columns to the table."""
    assert len(figure.axes) in (3, 4)
    names = {
        "interval": ("t 0.95", "low", "mean", "high"),
        "rank": ("own rank set", "own_rank_low", "rank", "own_rank_high"),
        "compare": ("t 0.95", "low", "difference", "high"),
        "bayes": ("credible", "low", "eap", "high"),
    }
    name, low, value, high = names[command]
    if command == "interval":
        rows = [row for row in rows if row["method"] == "t"]
    if command == "bayes":
        rows = [row for row in rows if row["quantity"] == "difference"]
        remarks = [text.get_text() for axes in figure.axes for text in axes.texts]
        assert remarks == [rounded(row["probability"]) for row in rows]
        assert len(set(remarks[40:])) > 20
        tops = [
            curve.get_paths()[0].vertices[curve.get_paths()[0].vertices[:, 1].argmin(), 0]
            for curve in named([figure], "density")
        ]
        means = [row["eap"] for row in rows]
        assert tops == pytest.approx(means, abs=max(row["sd"] for row in rows) / 4)
    assert limits([figure], name) == [pytest.approx((row[low], row[high])) for row in rows]
    places = marked([figure], f"values {name}")
    assert [x for x, _ in places] == pytest.approx([row[value] for row in rows])
    if command == "compare":
        filled = [
            x
            for line in named([figure], f"values {name}")
            if line.get_markerfacecolor() != "white"
            for x in line.get_xdata()
        ]
        expected = [row["difference"] for row in rows if row["p_adjusted"] < 0.05]
        assert sorted(filled) == pytest.approx(sorted(expected))
        assert 40 < len(filled) < len(rows)  # in more than one column


@pytest.mark.slow
def test_130_runs_are_all_on_one_sheet(drawn: Drawn, tmp_path: Path) -> None:
    path = many(tmp_path, 130)
    for command in (["interval"], ["rank", "--resamples", 500], ["compare", "--baseline", "run30"],
                    ["bayes", "--baseline", "run30", "--draws", 2000]):  # fmt: skip
        (figure,), rows = drawn(command[0], path, *command[1:])
        check_every_column(figure, command[0], rows)
        shown = labels([figure])
        assert shown == list(dict.fromkeys(row["run"] for row in rows))
        assert len(shown) in (129, 130)
        assert len({axes.get_xlim() for axes in figure.axes}) == 1  # a shared axis


def test_more_runs_are_on_pages_of_a_pdf(confint: Confint, drawn: Drawn, tmp_path: Path) -> None:
    path = many(tmp_path, 200)
    pages, rows = drawn("interval", path, "--method", "t", kind="pdf")
    assert [len(labels([page])) for page in pages] == [67, 67, 66]
    assert labels(pages) == [row["run"] for row in rows]
    assert limits(pages, "t 0.95") == [pytest.approx((row["low"], row["high"])) for row in rows]
    assert "Runs 135 to 200 of 200." in words(pages[2])
    assert all(page.get_figwidth() < 11 for page in pages)  # can be printed
    (figure,), _ = drawn("interval", path, "--method", "t", kind="svg")
    assert labels([figure]) == [row["run"] for row in rows][:188]
    assert "Runs 1 to 188 of 200; a PDF shows the others on further pages." in words(figure)
    result = confint("interval", path, "--method", "t", "--plot", tmp_path / "x.png")
    assert "confint: note: the figure shows 188 of 200 runs; a PDF shows all\n" in result.err


@pytest.mark.slow
def test_descriptions_of_many_runs_are_spread_by_skew(drawn: Drawn, tmp_path: Path) -> None:
    path = many(tmp_path, 31)
    (figure,), rows = drawn("describe", path)
    by_skew = [row["run"] for row in sorted(rows, key=lambda row: row["skew"])]
    shown = [axes.get_title(loc="left") for axes in figure.axes[::2]]
    assert (shown[0], shown[-1]) == (by_skew[0], by_skew[-1])
    assert len(shown) == 15
    assert [by_skew.index(run) for run in shown] == sorted(by_skew.index(run) for run in shown)
    assert "15 of 31 runs" in words(figure)
    pages, _ = drawn("describe", path, kind="pdf")
    assert len(pages) == 3


def test_risks_of_many_runs_are_paged(drawn: Drawn, tmp_path: Path) -> None:
    call = ["risk", many(tmp_path, 20), "--baseline", "run0", "--method", "t", "--r", 2]
    (figure,), _ = drawn(*call)
    assert len(figure.axes) == 12
    assert "Runs 1 to 12 of 19; a PDF shows the others, --summary sums them up." in words(figure)
    pages, _ = drawn(*call, kind="pdf")
    assert [len(page.axes) for page in pages] == [12, 7]


def test_groups_are_shaded_in_every_column(drawn: Drawn, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    shift = np.repeat([0.8, 0.4, 0.0], [40, 30, 30])
    values = (shift[:, None] + random.uniform(0, 0.1, (100, 30))).round(4)
    path = write(
        tmp_path / "x.tsv", {f"run{i}": {"m": own.tolist()} for i, own in enumerate(values)}
    )
    (figure,), rows = drawn("rank", path, "--resamples", 500)
    shaded = [
        axes.get_yticklabels()[round(extent(patch).y0 + 0.5)].get_text()
        for axes in figure.axes
        for patch in axes.patches
    ]
    numbers = {int(name.removeprefix("run")) for name in shaded}
    assert set(range(40)) <= numbers
    assert numbers.isdisjoint(range(40, 70))
    assert len(rows) == 100
