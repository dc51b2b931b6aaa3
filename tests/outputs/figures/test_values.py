"""`--plot FILE`: values are read back from what is drawn, and held to the table."""

from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from confint_cli.stats.methods import intervals
from tests.conftest import Confint, write
from tests.outputs.figures.reading import (
    COMMANDS,
    EVALS,
    TWO,
    Drawn,
    extent,
    labels,
    limits,
    marked,
    named,
    words,
)


def test_intervals_are_those_of_the_table(drawn: Drawn) -> None:
    figures, rows = drawn("interval", *EVALS, "-m", "map,P_10", "--method", "t,percentile",
                          "--level", "0.9,0.99")  # fmt: skip
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
    assert not named(figures, "line")  # nothing that invites to compare intervals by eye
    assert "means of 8 runs with 90% and 99% t and percentile intervals, 50 topics" in words(figure)


def test_of_one_run_the_measures_are_rows(drawn: Drawn) -> None:
    figures, rows = drawn("interval", EVALS[0], "-m", "map,P_10,Rprec", "--method", "t")
    assert labels(figures) == [row["measure"] for row in rows]
    assert limits(figures, "t 0.95") == [pytest.approx((row["low"], row["high"])) for row in rows]


def test_the_order_of_runs_is_that_of_the_table(drawn: Drawn) -> None:
    figures, rows = drawn("interval", *EVALS, "-m", "map", "--method", "t", "--sort", "name")
    assert labels(figures) == [row["run"] for row in rows] == sorted(row["run"] for row in rows)


def test_levels_are_told_by_thickness_and_methods_by_lanes(drawn: Drawn) -> None:
    (figure,), _ = drawn(
        "interval", *TWO, "-m", "map", "--method", "t,bca", "--level", "0.5,0.8,0.9,0.95",
        "--resamples", 2000,
    )  # fmt: skip
    for method in ("t", "bca"):
        widths = [
            named([figure], f"limits {method} {level}")[0].get_linewidths()[0]
            for level in (0.5, 0.8, 0.9, 0.95)
        ]
        assert widths == sorted(widths, reverse=True)
        assert len(set(widths)) == 4
    assert "From thick to thin: 50%, 80%, 90% and 95%." in words(figure)
    first, second = ([y for _, y in marked([figure], f"values {m} 0.5")] for m in ("t", "bca"))
    assert [above < below for above, below in zip(first, second, strict=True)] == [True, True]


def test_a_method_looks_the_same_in_every_figure_and_in_its_key(drawn: Drawn) -> None:
    looks: dict[str, set[tuple[object, ...]]] = {}
    for methods in ("percentile,bca", "all"):
        (figure,), rows = drawn("interval", *TWO, "-m", "map", "--method", methods)
        keys = {line.get_label(): line for legend in figure.legends for line in legend.get_lines()}
        for method in dict.fromkeys(row["method"] for row in rows):
            (marks,) = named([figure], f"values {method} 0.95")
            look = (marks.get_markeredgecolor(), marks.get_marker())
            looks.setdefault(method, set()).add(look)
            assert (keys[method].get_color(), keys[method].get_marker()) == look
            (line,) = named([figure], f"limits {method} 0.95")
            assert to_hex(line.get_colors()[0]) == look[0]
    assert {len(own) for own in looks.values()} == {1}
    assert len({look for own in looks.values() for look in own}) == len(looks) > 4
    assert len({color for own in looks.values() for color, _ in own}) > 4


def test_no_two_methods_have_the_same_number_of_a_style() -> None:
    numbers = [one.style for one in intervals().values() if one.style is not None]
    assert len({*numbers}) == len(numbers) > 9


def test_limits_without_bounds_end_in_arrows(drawn: Drawn, tmp_path: Path) -> None:
    scores = {"a": {"m": [0.0] * 8 + [0.5, 0.9]}, "b": {"m": [i / 10 for i in range(10)]}}
    path = write(tmp_path / "x.tsv", scores)
    figures, rows = drawn("interval", path, "--method", "bootstrap-t", "--level", 0.999)
    assert [row["high"] is None for row in rows] == [False, True]  # infinite in JSON
    (figure,) = figures
    (arrow,) = named(figures, "unbounded bootstrap-t 0.999")
    _, end = figure.axes[0].get_xlim()
    assert (arrow.get_marker(), arrow.get_xdata()[0]) == (">", end)
    assert "Arrow: no limit on that side." in words(figure)
    mirrored = {"a": {"m": [1.0] * 8 + [0.5, 0.1]}}
    path = write(tmp_path / "y.tsv", mirrored)
    (figure,), rows = drawn("interval", path, "--method", "bootstrap-t", "--level", 0.999)
    assert rows[0]["low"] is None
    (arrow,) = named([figure], "unbounded bootstrap-t 0.999")
    assert (arrow.get_marker(), arrow.get_xdata()[0]) == ("<", figure.axes[0].get_xlim()[0])
    assert limits(figures, "bootstrap-t 0.999")[1][1] == pytest.approx(end)


def test_one_topic_has_a_mean_without_limits(drawn: Drawn, tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.5]}, "b": {"m": [0.25]}})
    figures, _ = drawn("interval", path, "--method", "t")
    assert limits(figures, "t 0.95") == []
    assert [x for x, _ in marked(figures, "values t 0.95")] == [0.5, 0.25]


def test_coverage_is_that_of_the_table(drawn: Drawn) -> None:
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
    (axes,) = figures[0].axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["map", "P_10"]
    centres = [
        np.mean([box.get_x() + 0.36 for box in axes.patches
                 if (box.get_gid() or "").startswith(f"box {measure} ")])
        for measure in ("map", "P_10")
    ]  # fmt: skip
    assert list(axes.get_xticks()) == pytest.approx(centres)
    assert "8 runs, samples of 50 topics" in words(figures[0])
    assert "50 samples of each run, with replacement." in words(figures[0])
    others, _ = drawn(*call, "--level", 0.8)
    assert named(others, "level")[0].get_ydata()[0] == 0.8
    summary, _ = drawn(*call, "--summary")
    boxes = [
        [box.get_bbox().bounds for box in named(one, "box map t")] for one in (figures, summary)
    ]
    assert boxes[0] == boxes[1] != []


def test_runs_far_below_are_told_at_the_foot(drawn: Drawn, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    runs = {f"r{i}": {"m": random.uniform(0, 1, 40).round(3).tolist()} for i in range(12)}
    runs["poor"] = {"m": [0.0] * 38 + [0.4, 0.9]}
    path = write(tmp_path / "x.tsv", runs)
    call = ["coverage", path, "--method", "t", "--replicates", 200]
    (figure,), rows = drawn(*call)
    assert "Coverage of 95% t intervals" in words(figure)
    values = np.array([row["coverage"] for row in rows])
    (floor,) = named([figure], "floor")
    low = values[values < floor.get_ydata()[0]]
    assert len(low) >= 1
    (told,) = named([figure], "below m t")
    assert told.get_text() == f"{len(low)}: {low.min():.2f}"
    (axes,) = figure.axes
    assert min(axes.get_yticks()) > floor.get_ydata()[0]
    said = "▾ at the foot: the number of runs below the axis, and the lowest coverage."
    assert said in words(figure)
    (mean,) = named([figure], "mean m t")
    assert mean.get_ydata()[0] > floor.get_ydata()[0]
    (figure,), _ = drawn(*call[:1], *EVALS, "-m", "map", *call[2:])
    assert (named([figure], "floor") == []) == ("▾" not in words(figure))


def test_coverage_of_a_few_runs_is_points(drawn: Drawn) -> None:
    figures, rows = drawn("coverage", *TWO, *COMMANDS["coverage"])
    assert "Marks: one for each run." in words(figures[0])
    assert "Boxes" not in words(figures[0])
    (points,) = named(figures, "runs map t")
    expected = [row["coverage"] for row in rows if row["method"] == "t"]
    assert sorted(points.get_ydata()) == pytest.approx(sorted(expected))


def test_errors_by_level_are_those_of_the_table(drawn: Drawn) -> None:
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
        for bar, level in zip(named(figures, f"quartiles {method}"), (0.9, 0.8), strict=True):
            own = [1 - row["coverage"] for row in rows
                   if (row["method"], row["level"]) == (method, level)]  # fmt: skip
            assert list(bar.get_ydata()) == pytest.approx(np.quantile(own, [0.25, 0.75]))
    (ideal,) = named(figures, "alpha")
    assert list(ideal.get_xdata()) == list(ideal.get_ydata()) == [0.1, 0.2]


def test_errors_of_several_measures_share_their_axes(drawn: Drawn) -> None:
    call = ["coverage", *EVALS, "-m", "map,P_10,recip_rank", "--replicates", 20, "--resamples", 400]
    (figure,), _ = drawn(*call, "--method", "t,bootstrap-t", "--level", "0.8,0.99")
    assert len(figure.axes) == 3
    assert len({(axes.get_yscale(), axes.get_ylim()) for axes in figure.axes}) == 1


def test_coverage_of_constant_scores_is_nothing_to_draw(drawn: Drawn, tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.5] * 10}, "b": {"m": [0.25] * 10}})
    (figure,), _ = drawn("coverage", path, "--replicates", 10, "--resamples", 400)
    assert "Nothing to draw" in words(figure)


def test_comparisons_are_those_of_the_table(drawn: Drawn) -> None:
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
    assert [line.get_xdata()[0] for line in named(figures, "line")] == [0, 0]  # a sheet each
    (figure,) = figures
    said = "max-t intervals hold for all comparisons at once. Each t interval holds by itself."
    assert said in words(figure)
    assert "Filled marks: p ≤ 0.05 by max-t over 13 comparisons; open marks: p is not." in words(
        figure
    )
    assert "7 runs compared with bm25" in words(figure)
    assert "7 runs compared with dense" in words(figure)


def test_all_pairs_are_named_in_full(drawn: Drawn) -> None:
    figures, rows = drawn("compare", *EVALS, "-m", "map", "--all-pairs")
    assert labels(figures) == [f"{row['run']} − {row['baseline']}" for row in rows]
    assert len(rows) == 28


def test_titles_say_how_many_topics_and_on_which_scale(drawn: Drawn, tmp_path: Path) -> None:
    own = {"a": {"m": [0.1, 0.4, 0.3, 0.2] * 5}, "b": {"m": [0.5, 0.4, 0.1] * 10}}
    lines = (tmp_path / "x.tsv", tmp_path / "y.tsv")
    for path, run in zip(lines, own, strict=True):
        write(path, {run: own[run]})
    (figure,), _ = drawn("compare", *lines, "--baseline", "a", "--unpaired")
    assert "b minus a, with 95% welch intervals, 20 to 30 topics" in words(figure)
    (figure,), _ = drawn("interval", *EVALS, "-m", "map", "--standardize", "all", "--method", "t")
    assert "standardised map: means of 8 runs" in words(figure)
    assert figure.axes[0].get_xlabel() == "mean standardised map"


def test_published_results_have_the_same_figures(drawn: Drawn) -> None:
    two = ["--mean", 0.3, "--sd", 0.2, "--n", 50, "--mean", 0.2, "--sd", 0.1, "--n", 40]
    figures, rows = drawn("summary", *two)
    assert limits(figures, "t 0.95") == [pytest.approx((row["low"], row["high"])) for row in rows]
    figures, (row,) = drawn("summary", *two, "--baseline", 2)
    assert limits(figures, "welch 0.95") == [pytest.approx((row["low"], row["high"]))]


def test_pairs_without_limits_are_explained(drawn: Drawn, tmp_path: Path) -> None:
    base = np.linspace(0.1, 0.9, 30)
    near = base + np.where(np.arange(30) < 2, 0.1, 0.0)
    far = base + 0.05 * np.random.default_rng(0).normal(size=30)
    path = write(tmp_path / "x.tsv", {name: {"m": row.tolist()} for name, row in
                                      (("a", base), ("b", near), ("c", far))})  # fmt: skip
    (figure,), rows = drawn("compare", path, "--baseline", "a", "--simultaneous")
    assert len(limits([figure], "max-t 0.95")) == 1 < len(rows)
    assert "Mark without a line: no limits." in words(figure)
    (figure,), _ = drawn("compare", path, "--baseline", "a")
    assert "without a line" not in words(figure)


def test_ranks_and_their_sets_are_those_of_the_table(drawn: Drawn) -> None:
    figures, rows = drawn("rank", *EVALS, *COMMANDS["rank"])
    assert labels(figures) == [row["run"] for row in rows]
    for name, tied in (("rank set, tied with the best", True), ("rank set", False)):
        expected = [
            pytest.approx((row["rank_low"] - 0.35, row["rank_high"] + 0.35))
            for row in rows
            if row["tied_with_best"] is tied
        ]
        assert limits(figures, name) == expected != []
    alone = [pytest.approx((row["own_rank_low"], row["own_rank_high"])) for row in rows]
    assert limits(figures, "own rank set") == alone
    assert [x for x, _ in marked(figures, "values own rank set")] == [row["rank"] for row in rows]
    filled = [
        x
        for line in named(figures, "values own rank set")
        if line.get_markerfacecolor() != "white"
        for x in line.get_xdata()
    ]
    assert filled == [row["rank"] for row in rows if row["tied_with_best"]]
    assert list(figures[0].axes[0].get_xticks()) == list(range(1, 9))


def keys_of(figure: Figure) -> list[str]:
    """Return what the keys of a figure explain."""
    return [str(line.get_label()) for legend in figure.legends for line in legend.get_lines()]


def test_keys_explain_what_colours_mean_and_one_method_needs_none(drawn: Drawn) -> None:
    (figure,), _ = drawn("rank", *EVALS, *COMMANDS["rank"])
    assert keys_of(figure) == [
        "rank sets of runs that cannot be told apart from the best", "rank sets of other runs",
        "rank set of a run by itself",
    ]  # fmt: skip
    (figure,), _ = drawn("interval", *TWO, "-m", "map", "--method", "t,bca")
    assert keys_of(figure) == ["t", "bca"]
    (figure,), _ = drawn("interval", *TWO, "-m", "map")
    assert keys_of(figure) == []


def test_two_runs_in_panels_of_different_axes_are_told_of_it(drawn: Drawn) -> None:
    call = ("risk", *EVALS[:3], "-m", "map", "--r", 1, "--method", "t")
    (figure,), rows = drawn(*call, "--baseline", "bm25")
    assert len({row["run"] for row in rows}) == 2
    assert "Axes differ." in words(figure)
    (figure,), rows = drawn(*(one for one in call if one != EVALS[2]), "--baseline", "bm25")
    assert len({row["run"] for row in rows}) == 1
    assert "Axes differ." not in words(figure)


def test_groups_of_ranks_are_shaded(confint: Confint, drawn: Drawn) -> None:
    call = ["rank", *EVALS, *COMMANDS["rank"]]
    (figure,), _ = drawn(*call)
    lines = confint(*call, "-f", "table").out.splitlines()
    first = next(place for place, line in enumerate(lines) if "hybrid" in line)
    last = next(place for place, line in enumerate(lines) if "keyword" in line)
    assert ["┄┄┄" in line for line in lines[first : last + 1]].count(True) == 2
    shaded = {
        round(extent(patch).y0 + 0.5)
        for patch in figure.axes[0].patches
        if isinstance(patch, Rectangle | Polygon)  # which of them, is for matplotlib to choose
    }
    assert shaded == {0, 7}  # the first group and the third
    said = "every run of a group is shown to be better than every run of the groups below"
    assert said in words(figure)


def test_of_one_pair_every_quantity_has_its_density(drawn: Drawn) -> None:
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
        (credible,) = named([figure], f"credible {quantity}")
        assert list(credible.get_xdata()) == [row["low"], row["high"]]
        (inside_of,) = named([figure], f"inside {quantity}")
        shaded = inside_of.get_datalim(axes.transData)
        step_of_curve = x[1] - x[0]
        assert shaded.x0 == pytest.approx(row["low"], abs=step_of_curve)
        assert shaded.x1 == pytest.approx(row["high"], abs=step_of_curve)
        sign = "=" if row["probability"] < 0.99995 else ">"
        shown = min(f"{row['probability']:.4f}", "0.9999")
        assert axes.get_title(loc="left").endswith(f"{sign} {shown}")


def test_of_several_pairs_the_differences_are_those_of_the_table(drawn: Drawn) -> None:
    (figure,), rows = drawn("bayes", *EVALS, *COMMANDS["bayes"])
    differences = [row for row in rows if row["quantity"] == "difference"]
    expected = [pytest.approx((row["low"], row["high"])) for row in differences]
    assert limits([figure], "credible") == expected
    assert len(named([figure], "density")) == 7
    remarks = [text.get_text() for text in figure.axes[0].texts]
    assert remarks[1:6] == [f"{row['probability']:.4f}" for row in differences[1:6]]
    assert (remarks[0], remarks[6]) == (">0.9999", "<0.0001")
    assert [line.get_xdata()[0] for line in named([figure], "line")] == [0]
    assert "At the right: P(difference > 0, dashed)." in words(figure)
    for place, (row, curve) in enumerate(zip(differences, named([figure], "density"), strict=True)):
        (outline,) = curve.get_paths()
        corners = outline.vertices
        assert corners[:, 1].min() == pytest.approx(place + 0.02 - 0.46)  # all of one height
        top = corners[corners[:, 1].argmin(), 0]
        assert top == pytest.approx(row["eap"], abs=0.2 * row["sd"])


def test_thresholds_and_the_rope_are_drawn(drawn: Drawn) -> None:
    call = ["bayes", *EVALS, *COMMANDS["bayes"], "--rope", -0.02, 0.03]
    (figure,), rows = drawn(*call, "--threshold", "difference=0.05")
    assert [line.get_xdata()[0] for line in named([figure], "line")] == [0.05]
    assert "P(difference > 0.05, dashed) and P(within)." in words(figure)
    assert "practically equal, -0.02 to 0.03" in words(figure)
    (band,) = named([figure], "rope")
    assert (extent(band).x0, extent(band).x1) == pytest.approx((-0.02, 0.03))
    (_, row, *_) = [row for row in rows if row["quantity"] == "difference"]
    remark = figure.axes[0].texts[1].get_text()
    assert remark == f"{row['probability']:.4f}  {row['p_within']:.4f}"
    (pair,), rows = drawn("bayes", *TWO, "-m", "map", "--baseline", "bm25", "--rope", -0.02, 0.09)
    assert len(named([pair], "rope")) == 1
    said = pair.axes[0].get_title(loc="left")
    assert said.endswith(f", P(within) = {rows[0]['p_within']:.4f}")


def test_a_threshold_far_away_is_an_arrow(drawn: Drawn) -> None:
    call = ["bayes", *TWO, "-m", "map", "--baseline", "bm25", "--draws", 5000]
    (figure,), _ = drawn(*call, "--threshold", "difference=1e308")
    assert named([figure], "threshold difference") == []
    assert [text.get_text() for text in figure.axes[0].texts] == ["1e+308 →"]
    low, high = figure.axes[0].get_xlim()
    assert -1 < low < high < 1


def test_a_pair_without_posterior_says_why(drawn: Drawn, tmp_path: Path) -> None:
    scores = [0.1, 0.4, 0.2, 0.9, 0.5, 0.7, 0.3, 0.35, 0.6, 0.15]
    runs = {"a": scores, "copy": scores, "b": scores[::-1]}
    path = write(tmp_path / "x.tsv", {name: {"m": own} for name, own in runs.items()})
    (figure,), _ = drawn("bayes", path, "--baseline", "a", "--draws", 5000)
    assert "(identical)" in [text.get_text() for text in figure.axes[0].texts]
    assert len(named([figure], "density")) == 1


def test_risks_are_those_of_the_table_a_run_a_panel(drawn: Drawn) -> None:
    (figure,), rows = drawn("risk", *EVALS, *COMMANDS["risk"])
    runs = list(dict.fromkeys(row["run"] for row in rows))
    assert [axes.get_title(loc="left") for axes in figure.axes] == runs
    for method in ("t", "percentile", "basic", "bootstrap-t", "bca"):
        own = [row for row in rows if row["method"] == method]
        expected = [pytest.approx((row["low"], row["high"])) for row in own]
        assert limits([figure], f"{method} 0.95") == expected
        values = [x for x, _ in marked([figure], f"values {method} 0.95")]
        assert values == pytest.approx([row["urisk_minus"] for row in own])
    assert labels([figure])[:4] == ["r = 1", "r = 2", "r = 5", "r = 10"]
    assert [line.get_xdata()[0] for line in named([figure], "line")] == [0] * 7


def lane_of(axes: Axes, name: str) -> list[tuple[float, float]]:
    """Return the marks of a name in some axes."""
    lines = [line for line in axes.lines if line.get_gid() == name]
    return [(float(x), float(y)) for line in lines for x, y in zip(*line.get_data(), strict=True)]


def test_risks_in_summary_are_those_of_the_table_a_level_a_panel(drawn: Drawn) -> None:
    (figure,), rows = drawn("risk", *EVALS, *COMMANDS["risk"], "--summary", "--level", "0.9,0.95")
    assert len(figure.axes) == 2  # levels
    for method in ("t", "bca"):
        for level in (0.9, 0.95):
            own = [row for row in rows if (row["method"], row["level"]) == (method, level)]
            expected = [pytest.approx((row["low"], row["high"])) for row in own]
            assert limits([figure], f"{method} {level}") == expected
    for limit in ("low", "high"):
        for axes, level in zip(figure.axes, (0.9, 0.95), strict=True):
            lanes: list[float] = []
            for method in ("t", "percentile", "basic", "bootstrap-t", "bca"):
                lines = [line for line in axes.lines if line.get_gid() == f"notch {limit} {method}"]
                assert [tuple(line.get_xdata()) for line in lines] == [
                    pytest.approx((row[f"{limit}_notch_low"], row[f"{limit}_notch_high"]))
                    for row in rows
                    if (row["method"], row["level"]) == (method, level)
                ]
                places = [line.get_ydata()[0] for line in lines]
                bars = [y for _, y in lane_of(axes, f"values {method} {level}")]
                assert places == pytest.approx(bars)
                assert all(abs(place - row) <= 0.5 for row, place in enumerate(places))
                lanes.append(places[0])
            assert lanes == sorted(lanes)


def test_two_runs_that_are_each_the_baseline_have_a_figure_of_their_differences(
    drawn: Drawn,
) -> None:
    """Of several pairs, only differences have a density that is drawn."""
    two = [path for path in EVALS if path.stem in ("bm25", "hybrid")]
    figures, rows = drawn("bayes", *two, "-m", "map", "--baseline", "bm25,hybrid", "--draws", 2000)
    assert {(row["run"], row["baseline"]) for row in rows} == {
        ("bm25", "hybrid"), ("hybrid", "bm25"),
    }  # fmt: skip
    assert len(named(figures, "density")) == 2


def test_histograms_and_quantiles_are_those_of_the_scores(confint: Confint, drawn: Drawn) -> None:
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
        starts = [bar.get_x() for bar in left.patches if isinstance(bar, Rectangle)]
        assert starts == pytest.approx(np.arange(10) / 10)
        (dots,) = (line for line in right.lines if line.get_gid() == "scores")
        assert list(dots.get_ydata()) == pytest.approx(own)
        expected = NormalDist()
        quantiles_of_normal = [expected.inv_cdf((place + 0.5) / 50) for place in range(50)]
        assert list(dots.get_xdata()) == pytest.approx(quantiles_of_normal)
        (line,) = (line for line in right.lines if line.get_gid() == "normal")
        x, y = line.get_data()
        slope = (y[1] - y[0]) / (x[1] - x[0])
        assert slope == pytest.approx(row["sd"])
        assert np.interp(0, x, y) == pytest.approx(row["mean"])
        (mean,) = (line for line in left.lines if line.get_gid() == "mean")
        assert mean.get_xdata()[0] == row["mean"]


def test_histograms_of_differences_are_those_of_the_pairs(drawn: Drawn) -> None:
    (figure,), rows = drawn("describe", *EVALS, "-m", "map", "--differences", "--baseline", "bm25")
    assert len(rows) == len(EVALS) - 1
    for row, left, right in zip(rows, figure.axes[::2], figure.axes[1::2], strict=True):
        assert left.get_title(loc="left") == f"{row['run']} - bm25"
        assert left.get_xlabel() == right.get_ylabel() == "difference"
        heights = [round(bar.get_height()) for bar in left.patches if isinstance(bar, Rectangle)]
        assert sum(heights) == 50
        (mean,) = (line for line in left.lines if line.get_gid() == "mean")
        assert mean.get_xdata()[0] == row["mean"]
    said = words(figure)
    assert "what the differences of 7 pairs look like" in said
    assert "Differences are the first run minus the second." in said


def test_plans_are_those_of_the_table_with_the_topics_of_today(drawn: Drawn) -> None:
    (figure,), rows = drawn("plan", *EVALS, *COMMANDS["plan"])
    assert [line.get_xdata()[0] for line in named([figure], "now")] == [50]
    marks = {line.get_marker() for row in rows for line in named([figure], f"now {row['design']}")}
    assert len(marks) == 3
    numbers = [text.get_text() for text in figure.axes[0].texts]
    assert numbers == [*(f"{row['topics_needed']:,}" for row in rows), "50 now"]
    for row in rows:
        name = row["design"]
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
        (bound,) = named([figure], f"bound {name}")
        ends = [row["topics_needed"], row["topics_needed_high"]]
        assert [list(part) for part in bound.get_data()] == [ends, [row["target"]] * 2]
        assert bound.get_marker() == "|"
        assert bound.get_markevery() == [1]  # at the bound only
    said = "Short lines end at the number of topics that is enough with 80% confidence"
    assert said in words(figure)
    (today,), _ = drawn("plan", *EVALS, "-m", "map")
    assert not named([today], f"bound {rows[0]['design']}")
    assert "Short lines" not in words(today)


def test_plans_with_an_assurance_are_off_their_curves(drawn: Drawn) -> None:
    call = ("plan", EVALS[0], "-m", "map", "--half-width", 0.03)
    said = "reached in 80% of samples, so their open marks are not on the curves"
    (figure,), (row,) = drawn(*call, "--assurance", 0.8)
    (target,) = named([figure], f"target {row['design']}")
    assert target.get_xdata()[0] == row["topics_needed"]
    assert said in words(figure)
    (plain,), (other,) = drawn(*call)
    assert row["topics_needed"] > other["topics_needed"]
    assert "of samples" not in words(plain)


def test_all_bounds_of_plans_are_on_their_paper(drawn: Drawn, tmp_path: Path) -> None:
    """Of a pilot of two topics it is far from what is needed by its sd."""
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.1, 0.5]}})
    (figure,), (row,) = drawn("plan", path, "--half-width", 0.1)
    assert row["topics_needed_high"] > 4 * row["topics_needed"]
    assert figure.axes[0].get_xlim()[1] > row["topics_needed_high"]


def test_plans_say_what_they_cannot_draw(drawn: Drawn, tmp_path: Path) -> None:
    (figure,), _ = drawn("plan", EVALS[0], "-m", "map", "--half-width", 1e-9)
    (note,) = named([figure], "not there")
    assert note.get_text() == (
        "half-width of mean of 1e-09: no practical number of topics would be enough"
    )
    path = write(tmp_path / "y.tsv", {"a": {"m": [0.1, 0.5]}})
    (figure,), _ = drawn("plan", path, "--half-width", 2.5e-8)
    (note,) = named([figure], "not there")
    assert note.get_text() == "half-width of mean of 2.5e-08: perhaps out of reach"
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.5] * 10}})
    (figure,), _ = drawn("plan", path, "--half-width", 0.1)
    (note,) = named([figure], "not there")
    assert note.get_text() == "half-width of mean: no variance"


def test_scores_beyond_histograms_are_told(drawn: Drawn, tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [*range(50), 9999]}, "b": {"m": [7] * 51}})
    (figure,), _ = drawn("describe", path)
    assert "The outermost bins include all values beyond them." in words(figure)
    (alone,), _ = drawn("describe", write(tmp_path / "y.tsv", {"b": {"m": [7] * 51}}))
    (bar,) = alone.axes[0].patches
    assert bar.get_x() < 7 < bar.get_x() + bar.get_width()
