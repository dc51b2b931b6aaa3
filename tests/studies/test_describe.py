"""`confint describe` through the command line."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.flags import skewed
from tests.conftest import SAMPLES, Confint, records, write
from tests.versions import IN_DOUBLE, W_ERROR

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
        assert found[:-2] == pytest.approx(expected[:-1], abs=2e-9)
        assert found[-2] == pytest.approx(expected[-1], abs=W_ERROR)
        assert found[-1] == pytest.approx(p, rel=2e-6 if IN_DOUBLE else 1e-3)


def test_the_best_run_comes_first(confint: Confint) -> None:
    rows = records(confint("describe", *EVALS, "-m", "map"))
    means = [float(row["mean"]) for row in rows]
    assert means == sorted(means, reverse=True)
    by_name = records(confint("describe", *EVALS, "-m", "map", "--sort", "name"))
    assert [row["run"] for row in by_name] == sorted(row["run"] for row in rows)


def test_each_shape_of_scores_has_its_note(tmp_path: Path, confint: Confint) -> None:
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
        "zeros": "mostly zeros",
        "equal": "no variance",
        "short": "skewed, 5 topics missing",
    }
    assert rows["equal"]["skew"] == rows["equal"]["shapiro_w"] == rows["equal"]["shapiro_p"] == ""
    assert rows["zeros"]["zeros"] == "0.9400"


def test_few_topics_are_not_judged_by_their_shape(tmp_path: Path, confint: Confint) -> None:
    (row,) = described(confint, tmp_path, a=[*[0.1] * 8, 1.0]).values()
    assert row["note"] == "few topics, mostly one value"
    tail = [0.1 + place / 1000 for place in range(29)]
    (row,) = described(confint, tmp_path, a=[*tail[:8], 1.0]).values()
    assert row["note"] == "few topics"  # not skewed: nine topics do not show that, …
    (row,) = described(confint, tmp_path, a=[*tail[:28], 1.0]).values()
    assert row["note"] == ""  # … nor 29
    (row,) = described(confint, tmp_path, a=[*tail, 1.0]).values()
    assert row["note"] == "skewed"
    (row,) = described(confint, tmp_path, a=[0.4]).values()
    assert (row["sd"], row["skew"], row["note"]) == ("", "", "one topic")
    assert (row["min"], row["median"], row["max"], row["zeros"]) == ("0.4000",) * 3 + ("0.0000",)
    (row,) = described(confint, tmp_path, a=[0.0]).values()
    assert row["note"] == "one topic"


def test_skewed_is_by_cochrans_rule_from_30_topics_on() -> None:
    edge = math.sqrt(50 / 25)
    found = skewed(np.array([edge * 0.999, edge * 1.001, -edge * 1.001, np.nan]), 50)
    assert found.tolist() == [False, True, True, False]
    assert not skewed(np.array([2.0]), 100).any()  # more than 25 skew², no fewer
    assert not skewed(np.array([9.0]), 29).any()
    assert skewed(np.array([9.0]), 30).all()


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
        "By Cochran's rule, 1 of 4 runs is not too skewed for t. tail is too skewed for t with 50 "
        "topics: bootstrap-t is usually more accurate. zeros has the same score on so many topics "
        "that no interval has its stated coverage. equal has no variance, so the interval is a "
        "point. confint:"
    ) in table(confint, path)
    several = {f"t{place}": {"m": runs["tail"]} for place in range(6)}
    text = table(confint, write(tmp_path / "t.tsv", several))
    assert "Cochran" not in text
    assert "t0, t1, t2, t3, t4 and 1 more are too skewed for t with 50 topics" in text
    both = write(tmp_path / "b.tsv", {"normal": {"m": runs["normal"], "n": runs["tail"]}})
    text = table(confint, both)
    assert "By Cochran's rule, 1 of 2 measures is not too skewed for t. n is too skewed" in text
    good = write(tmp_path / "g.tsv", {"normal": {"m": runs["normal"]}})
    assert "By Cochran's rule, normal is not too skewed for t." in table(confint, good)


def test_what_few_topics_are_good_for(tmp_path: Path, confint: Confint) -> None:
    normal = np.random.default_rng(0).normal(0.5, 0.1, 50).tolist()
    shares = write(tmp_path / "g.tsv", {"a": {"m": normal}, "b": {"m": normal[::-1]}})
    for number in (5, 29):
        assert (
            f"{number} topics say little about what scores are like: for scores from 0 to 1, logit "
            "is usually more accurate than t. confint:"
        ) in table(confint, shares, "--topics", topics(tmp_path, number))
    assert "By Cochran's rule, none of the 2 runs is too skewed for t. confint:" in table(
        confint, shares, "--topics", topics(tmp_path, 30)
    )
    beyond = write(tmp_path / "b.tsv", {"a": {"m": [3 * value for value in normal]}})
    text = table(confint, beyond, "--topics", topics(tmp_path, 29))
    assert "29 topics say little about what scores are like. confint:" in text


def test_each_measure_is_judged_by_its_own_topics(tmp_path: Path, confint: Confint) -> None:
    normal = np.random.default_rng(0).normal(0.5, 0.1, 50).tolist()
    scores = {"m": normal, "few": normal[:5], "one": [0.4], "hit": [0.0, 1.0] * 3}
    path = write(tmp_path / "x.tsv", {"a": scores})
    assert (
        "By Cochran's rule, 1 of 4 measures is not too skewed for t. 5 topics (few) say little "
        "about what scores are like: for scores from 0 to 1, logit is usually more accurate than "
        "t. Where scores are 0 or 1 (hit), wilson is the interval to use. One topic (one) says "
        "nothing about others: there is no interval. confint:"
    ) in table(confint, path)
    two = write(tmp_path / "y.tsv", {"a": {"m": normal[:5], "n": normal[:9]}})
    assert "5 to 9 topics say little about what scores are like" in table(confint, two)
    binary = write(tmp_path / "1.tsv", {"a": {"m": [0, 1] * 20}, "b": {"m": [0, 0, 0, 0] * 10}})
    text = table(confint, binary)
    assert "Where scores are 0 or 1, wilson is the interval to use. confint:" in text
    assert "Cochran" not in text


def histogram(confint: Confint, path: Path) -> str:
    """Return the picture of the only run."""
    header, _, row = confint("describe", path, "-f", "table").out.splitlines()[2:5]
    start = header.index("histogram")
    return row[start : start + 10]


def test_a_histogram_counts_scores_by_their_bins(tmp_path: Path, confint: Confint) -> None:
    scores = [0.0] * 8 + [0.05] * 8 + [0.15] * 8 + [0.55] * 2 + [0.95, 1.0]
    path = write(tmp_path / "x.tsv", {"a": {"m": scores}})
    assert histogram(confint, path) == "█▄   ▁   ▁"
    assert "bins from 0 to 1." in table(confint, path)
    edges = [place / 10 for place in range(10) for _ in range(place + 1)]
    path = write(tmp_path / "e.tsv", {"a": {"m": edges}})
    assert histogram(confint, path) == "▁▂▃▄▄▅▆▇██"  # a score on an edge is in the bin above
    values = [-2.0, *[-1.0] * 100, *[3.0] * 98, 1000.0]
    beyond = write(tmp_path / "y.tsv", {"a": {"m": values}})
    assert histogram(confint, beyond) == "█        █"  # what is beyond is in the outermost bins
    assert "bins from -1 to 3, values outside in the outermost." in table(confint, beyond)
    few = write(tmp_path / "w.tsv", {"a": {"m": [-2.0, 0.0, 3.0, 3.0]}})
    assert histogram(confint, few) == "▄  ▄     █"
    below = write(tmp_path / "n.tsv", {"a": {"m": [-1.0, -0.5, 0.0, 0.0]}})
    assert histogram(confint, below) == "▄   ▄    █"


def test_a_histogram_has_room_for_the_run_that_goes_farthest(
    tmp_path: Path, confint: Confint
) -> None:
    """Its better half would else be in one bin, as if most of its scores were equal."""
    runs = {f"r{place}": {"m": np.linspace(-1, 1, 50).tolist()} for place in range(40)}
    far = {"far": {"m": np.linspace(-1, 9, 50).tolist()}}
    text = table(confint, write(tmp_path / "x.tsv", far | runs))
    assert "far 4.0000 2.9750 ▇▇▇▇▇▆▇▇▇█" in text
    assert "r0 0.0000 0.5950 ██▁ " in text


def test_a_histogram_of_scores_that_hardly_differ(tmp_path: Path, confint: Confint) -> None:
    same = write(tmp_path / "z.tsv", {"a": {"m": [7.0, 7.0]}})
    assert histogram(confint, same) == "█         "
    assert "Histogram: topics in 10 bins. Zeros" in table(confint, same)
    last_bit = write(tmp_path / "l.tsv", {"a": {"m": [5.0, 5.000000000000001, 5.0]}})
    (row,) = records(confint("describe", last_bit))
    assert (row["note"], row["skew"], row["shapiro_w"]) == ("few topics, no variance", "", "")


def test_measures_of_different_ranges(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.1, 0.4, 0.9], "n": [-3.0, 2.0, 5.0]}})
    assert (
        "Histogram: topics in 10 bins from 0 to 1, or over the range of nearly all scores, values "
        "outside in the outermost."
    ) in table(confint, path)


def test_formats_without_pictures(confint: Confint) -> None:
    for name in ("markdown", "latex", "csv", "json"):
        text = confint("describe", *EVALS, "-m", "map", "-f", name).out
        assert not set(text) & set("▁▂▃▄▅▆▇█")
        assert "istogram" not in text
    rows = json.loads(confint("describe", HYBRID, "-m", "map", "-f", "json").out)["rows"]
    assert rows[0]["zeros"] == 0
    assert rows[0]["shapiro_p"] == pytest.approx(0.0045, abs=1e-4)


# Differences


def test_differences_are_those_of_compare(confint: Confint) -> None:
    args = (*EVALS, "-m", "map,P_10", "--quiet")
    for which in (["--baseline", "bm25,dense"], []):
        result = confint("describe", "--differences", *which, *args, "--digits", 9)
        assert result.out.splitlines()[0].split("\t") == [*COLUMNS[:2], "baseline", *COLUMNS[2:]]
        compared = records(confint("compare", *(which or ["--all-pairs"]), *args, "--digits", 9))
        rows = records(result)
        assert len(rows) == len(compared) > 0
        for row, other in zip(rows, compared, strict=True):
            for name in ("measure", "run", "baseline", "topics", "note"):
                assert row[name] == other[name]
            assert float(row["mean"]) == pytest.approx(float(other["difference"]), abs=2e-9)
            ties = int(other["ties"]) / int(other["topics"])
            assert float(row["zeros"]) == pytest.approx(ties, abs=1e-9)
    scores: dict[str, list[float]] = {}
    for run, _, _, score in confint("score", *EVALS, "-m", "map", "--quiet").rows:
        scores.setdefault(run, []).append(float(score))
    d = np.array(scores["hybrid"]) - np.array(scores["bm25"])
    (row,) = [one for one in rows if (one["measure"], one["run"], one["baseline"]) ==
              ("map", "hybrid", "bm25")]  # fmt: skip
    found = [float(row[name]) for name in ("min", "q1", "median", "q3", "max", "skew")]
    expected = [*np.quantile(d, [0, 0.25, 0.5, 0.75, 1]), stats.skew(d)]
    assert found == pytest.approx(expected, abs=2e-9)


def test_the_sentence_on_differences(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(0)
    base = random.random(40)
    runs = {
        "a base": base,
        "noise": base + random.normal(0, 0.1, 40),
        "wins": base - 0.03 + 0.9 * (np.arange(40) < 6),
        "shift": base + 0.125,
        "one": base + 0.125 * (np.arange(40) < 1),
    }
    path = write(tmp_path / "x.tsv", {run: {"m": own.tolist()} for run, own in runs.items()})
    text = table(confint, path, "--differences", "--baseline", "a base")
    assert (
        "By Cochran's rule, 1 of 4 pairs is not too skewed for t. wins and a base: so skewed that "
        "a few topics decide; where t and bootstrap-t disagree ('confint compare --method "
        "t,bootstrap-t'), look at those topics. one and a base: the same difference on so many "
        "topics that no interval has its stated coverage. shift and a base: the same difference on "
        "all topics. confint:"
    ) in text
    assert "|differences:to a base" in text
    assert "m, 40 topics, differences from a base run baseline mean sd histogram ties" in text
    every = table(confint, path, "--differences")
    assert "m, 40 topics, differences of all pairs run" in every
    two = write(tmp_path / "2.tsv", {run: {"m": runs[run].tolist()} for run in ("wins", "noise")})
    assert "By Cochran's rule, differences of" not in table(confint, two, "--differences")
    calm = write(tmp_path / "c.tsv", {run: {"m": runs[run].tolist()} for run in ("noise", "shift")})
    said = "By Cochran's rule, differences of shift and noise are not too skewed for t. confint:"
    assert said in table(confint, calm, "--differences")
    few = table(confint, path, "--differences", "--topics", topics(tmp_path, 12))
    assert "12 topics" in few
    assert "say little about what differences are like." in few
    whole = write(tmp_path / "w.tsv", {"a": {"m": [0.0, 1.0] * 10}, "z": {"m": [0.0] * 20}})
    said = table(confint, whole, "--differences")  # all of which are from 0 to 1
    assert "20 topics say little about what differences are like. confint:" in said
    both = {run: {"m": runs[run].tolist(), "n": runs[run][::-1].tolist()} for run in
            ("a base", "noise")}  # fmt: skip
    text = table(confint, write(tmp_path / "d.tsv", both), "--differences")
    assert text.startswith("differences noise - a base measure topics mean") or text.startswith(
        "differences a base - noise measure topics mean"
    )


def test_differences_need_two_runs_and_a_baseline_needs_differences(confint: Confint) -> None:
    result = confint("describe", HYBRID, "-m", "map", "--differences")
    assert result.status == 1
    assert "it is the only run" in result.err
    result = confint("describe", *EVALS, "-m", "map", "--baseline", "bm25")
    assert (result.status, result.err) == (
        2,
        "confint: --baseline is for differences: use it with --differences\n",
    )
