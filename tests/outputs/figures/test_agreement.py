"""The figure of `confint agreement`: means by two judges, held to those of the scores."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from tests.conftest import write
from tests.outputs.figures.reading import Drawn, named, words


def judged(folder: Path, names: list[str], measures: list[str]) -> list[object]:
    """Write scores of runs by two judges; return how a call names them."""
    random = np.random.default_rng(0)
    people = random.uniform(0.1, 0.7, (len(names), 1)) + random.uniform(0, 0.3, (len(names), 20))
    judge = 0.2 + 0.7 * people + random.normal(0, 0.05, people.shape)
    paths = [
        write(folder / f"{kind}.tsv", {
            name: dict.fromkeys(measures, own) for name, own in
            zip(names, values.round(4).tolist(), strict=True)
        })
        for kind, values in (("people", people), ("judge", judge))
    ]  # fmt: skip
    return ["agreement", paths[0], "--judge-scores", paths[1], "--draws", 200]


def scores(path: Path) -> dict[str, np.ndarray]:
    lines = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    runs = dict.fromkeys(line[0] for line in lines)
    return {run: np.array([float(own[3]) for own in lines if own[0] == run]) for run in runs}


def segments(figure: Figure, name: str, axis: int) -> list[tuple[float, float]]:
    (lines,) = named([figure], name)
    return [(first[axis], last[axis]) for first, last in lines.get_segments()]


def test_means_and_intervals_are_those_of_the_scores(drawn: Drawn, tmp_path: Path) -> None:
    (figure,), _ = drawn(*judged(tmp_path, ["a", "b", "c"], ["m"]), "--level", 0.9)
    people, judge = (scores(tmp_path / f"{kind}.tsv") for kind in ("people", "judge"))
    (marks,) = named([figure], "runs")
    names = sorted(people, key=lambda run: -people[run].mean())
    for axis, (own, name, values) in enumerate(
        ((people, "limits human", marks.get_xdata()), (judge, "limits judge", marks.get_ydata()))
    ):
        assert values == pytest.approx([own[run].mean() for run in names])
        limits = [stats.t.interval(0.9, 19, own[run].mean(), stats.sem(own[run])) for run in names]
        assert segments(figure, name, axis) == [pytest.approx(pair) for pair in limits]
    (axes,) = figure.axes
    assert axes.get_xlim() == axes.get_ylim()
    (diagonal,) = named([figure], "diagonal")
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    assert sorted(text.get_text() for text in axes.texts) == ["a", "b", "c"]
    assert "m: means by people and by the judge, 3 runs, 20 topics judged by both" in words(figure)
    assert "90% t intervals" in words(figure)
    assert "room" not in words(figure)


def test_names_of_many_runs_lie_on_no_mark_and_on_no_other_name(
    drawn: Drawn, tmp_path: Path
) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    names = [f"team{run % 7}-a_very_long_name_of_some_run-{run}" for run in range(60)]
    (figure,), _ = drawn(*judged(tmp_path, names, ["m"]))
    (axes,) = figure.axes
    assert 10 < len(axes.texts) < 60
    assert "Runs have names where there is room." in words(figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [text.get_window_extent(renderer) for text in axes.texts]
    inside = axes.get_window_extent().padded(2)
    (marks,) = named([figure], "runs")
    points = axes.transData.transform(marks.get_xydata())
    for place, box in enumerate(boxes):
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
        assert not any(box.contains(x, y) for x, y in points)
        assert not [other for other in boxes[:place] if box.padded(-2).overlaps(other)]


def test_measures_are_panels(drawn: Drawn, tmp_path: Path) -> None:
    measures = [f"m{place}" for place in range(8)]
    call = judged(tmp_path, ["a", "b"], measures)
    (figure,), rows = drawn(*call, "-m", "all")
    assert [axes.get_title(loc="left") for axes in figure.axes] == measures
    assert [row["measure"] for row in rows] == measures
    pages, _ = drawn(*call, "-m", "all", kind="pdf")
    assert [len(page.axes) for page in pages] == [6, 2]


def test_one_run_and_equal_scores_have_a_figure(drawn: Drawn, tmp_path: Path) -> None:
    for place, name in enumerate(("people", "judge")):
        write(tmp_path / f"{name}.tsv", {"a": {"m": [0.5 + place / 4] * 6}})
    (figure,), (row,) = drawn("agreement", tmp_path / "people.tsv", "--judge-scores",
                              tmp_path / "judge.tsv")  # fmt: skip
    (marks,) = named([figure], "runs")
    assert marks.get_xydata().tolist() == [[0.5, 0.75]]
    assert (row["tau"], row["correlation"]) == (None, None)
