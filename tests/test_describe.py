"""`confint describe` through the command line."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from confint_cli.notes import skewed
from tests.conftest import SAMPLES, Confint, records, write

EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
HYBRID = SAMPLES / "trec_eval/hybrid.eval"
COLUMNS = [
    "measure", "run", "topics", "mean", "sd", "min", "q1", "median", "q3", "max", "zeros", "skew",
    "shapiro_w", "shapiro_p", "note",
]  # fmt: skip


def described(confint: Confint, tmp_path: Path, **runs: list[float]) -> dict[str, dict[str, str]]:
    path = write(tmp_path / "x.tsv", {name: {"m": values} for name, values in runs.items()})
    return {row["run"]: row for row in records(confint("describe", path))}


def test_every_figure_is_that_of_numpy_and_scipy(confint: Confint) -> None:
    result = confint("describe", *EVALS, "-m", "map,P_10", "--digits", 9)
    assert result.out.splitlines()[0].split("\t") == COLUMNS
    scores: dict[tuple[str, str], list[float]] = {}
    for run, _, measure, score in confint("score", *EVALS, "-m", "map,P_10").rows:
        scores.setdefault((measure, run), []).append(float(score))
    rows = records(result)
    assert len(rows) == len(scores) == 16
    for row in rows:
        x = np.array(scores[row["measure"], row["run"]])
        found = [float(row[name]) for name in COLUMNS[2:-1]]
        w, p = stats.shapiro(x)
        expected = [50, x.mean(), x.std(ddof=1), *np.quantile(x, [0, 0.25, 0.5, 0.75, 1]),
                    np.mean(x == 0), stats.skew(x), w]  # fmt: skip
        assert found[:-1] == pytest.approx(expected, abs=2e-9)
        assert found[-1] == pytest.approx(p, rel=2e-6)


def test_the_best_run_comes_first(confint: Confint) -> None:
    rows = records(confint("describe", *EVALS, "-m", "map"))
    means = [float(row["mean"]) for row in rows]
    assert means == sorted(means, reverse=True)
    by_name = records(confint("describe", *EVALS, "-m", "map", "--sort", "name"))
    assert [row["run"] for row in by_name] == sorted(row["run"] for row in rows)


def test_notes(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(0)
    normal = random.normal(0.5, 0.1, 50).tolist()
    rows = described(
        confint, tmp_path,
        normal=normal,
        copy=normal,
        skewed=(random.exponential(0.1, 50) ** 1.5).tolist(),
        zeros=[0.5, 0.3, 0.2, *[0.0] * 47],
        equal=[0.3] * 50,
        short=normal[:45],
    )  # fmt: skip
    assert {run: row["note"] for run, row in rows.items()} == {
        "copy": "",
        "normal": "same scores as copy",
        "skewed": "skewed",
        "zeros": "mostly zeros, skewed",
        "equal": "no variance",
        "short": "skewed, 5 topics missing",
    }
    assert rows["equal"]["skew"] == rows["equal"]["shapiro_w"] == rows["equal"]["shapiro_p"] == ""
    assert rows["zeros"]["zeros"] == "0.9400"


def test_few_topics(tmp_path: Path, confint: Confint) -> None:
    (row,) = described(confint, tmp_path, a=[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0]).values()
    assert row["note"] == "few topics"  # not skewed: nine topics do not show that
    (row,) = described(confint, tmp_path, a=[0.4]).values()
    assert (row["sd"], row["skew"], row["note"]) == ("", "", "one topic")
    assert (row["min"], row["median"], row["max"], row["zeros"]) == ("0.4000",) * 3 + ("0.0000",)
    (row,) = described(confint, tmp_path, a=[0.0]).values()
    assert row["note"] == "one topic"


def test_cochrans_rule() -> None:
    edge = math.sqrt(50 / 25)
    found = skewed(np.array([edge * 0.999, edge * 1.001, -edge * 1.001, np.nan]), 50)
    assert found.tolist() == [False, True, True, False]
    assert not skewed(np.array([9.0]), 9).any()
    assert skewed(np.array([9.0]), 10).all()


def topics(folder: Path, number: int) -> Path:
    path = folder / f"{number}.txt"
    path.write_text("\n".join(map(str, range(1, number + 1))))
    return path


def table(confint: Confint, path: Path, *options: object) -> str:
    return " ".join(confint("describe", path, "-f", "table", *options).out.split())


def test_the_sentence_says_which_interval_to_take(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(0)
    runs = {
        "normal": random.normal(0.5, 0.1, 50).tolist(),
        "tail": (random.exponential(0.1, 50) ** 1.5).tolist(),
        "zeros": [0.5, 0.3, 0.2, *[0.0] * 47],
        "equal": [0.3] * 50,
    }
    path = write(tmp_path / "x.tsv", {name: {"m": values} for name, values in runs.items()})
    assert (
        "t intervals can be trusted for 1 of 4 runs. tail is too skewed for 50 topics: "
        "bootstrap-t comes closer. zeros is zero on so many topics that no interval covers as it "
        "says. equal is without variance, so there is no interval."
    ) in table(confint, path)
    assert "t intervals can be trusted for all 8 runs." not in table(confint, path)
    both = write(tmp_path / "b.tsv", {"normal": {"m": runs["normal"], "n": runs["tail"]}})
    text = table(confint, both)
    assert "t intervals can be trusted for 1 of 2 measures. n is too skewed" in text
    good = write(tmp_path / "g.tsv", {"normal": {"m": runs["normal"]}})
    assert "t intervals can be trusted for normal." in table(confint, good)
    few = write(tmp_path / "f.tsv", {"a": {"m": runs["normal"][:5]}})
    said = "topics hardly show what scores are like. Of scores from 0 to 1, logit is"
    assert f"5 {said}" in table(confint, few)
    assert f"19 {said}" in table(confint, good, "--topics", topics(tmp_path, 19))
    assert said not in table(confint, good, "--topics", topics(tmp_path, 20))
    beyond = write(tmp_path / "b.tsv", {"a": {"m": [3 * value for value in runs["normal"]]}})
    assert "9 topics hardly show what scores are like." in table(
        confint, beyond, "--topics", topics(tmp_path, 9)
    )
    assert "can be trusted for a." in table(confint, beyond, "--topics", topics(tmp_path, 10))
    binary = write(tmp_path / "1.tsv", {"a": {"m": [0, 1] * 10}, "b": {"m": [0, 0, 0, 1] * 5}})
    text = table(confint, binary)
    assert "Where all scores are 0 or 1, wilson is the interval to take." in text
    assert "t intervals" not in text


def test_histograms(tmp_path: Path, confint: Confint) -> None:
    scores = [0.0] * 8 + [0.05] * 8 + [0.15] * 8 + [0.55] * 2 + [0.95, 1.0]
    path = write(tmp_path / "x.tsv", {"a": {"m": scores}})
    text = confint("describe", path, "-f", "table").out
    assert "█▄   ▁   ▁" in text
    assert "Histogram: topics in 10 bins from 0 to 1." in text
    values = [-2.0, *[-1.0] * 100, *[3.0] * 98, 1000.0]
    beyond = write(tmp_path / "y.tsv", {"a": {"m": values}})
    text = confint("describe", beyond, "-f", "table").out
    assert "█        █" in text  # of -1 to 3: what is beyond is in the outermost bins
    assert "from -1 to 3, what is beyond in the outermost." in text
    few = write(tmp_path / "w.tsv", {"a": {"m": [-2.0, 0.0, 3.0, 3.0]}})
    assert "▄  ▄     █" in confint("describe", few, "-f", "table").out
    same = write(tmp_path / "z.tsv", {"a": {"m": [7.0, 7.0]}})
    assert "█" in confint("describe", same, "-f", "table").out


def test_formats_without_pictures(confint: Confint) -> None:
    for name in ("markdown", "latex", "csv", "json"):
        text = confint("describe", *EVALS, "-m", "map", "-f", name).out
        assert not set(text) & set("▁▂▃▄▅▆▇█")
        assert "histogram" not in text.splitlines()[2].lower()
    rows = json.loads(confint("describe", HYBRID, "-m", "map", "-f", "json").out)["rows"]
    assert rows[0]["zeros"] == 0
    assert rows[0]["shapiro_p"] == pytest.approx(0.0045, abs=1e-4)
