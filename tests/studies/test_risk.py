"""`confint risk`: its numbers against longhand, R, scipy and gdeval, and what it says of them."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from confint_cli.scores.scores import Scores
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt
from confint_cli.stats.pairs import Paired, Pairs
from confint_cli.stats.random import Resamples
from confint_cli.stats.risk import RISKY, SAFE, georisk, weighted
from confint_cli.studies.risk import risk, risk_summary
from tests.conftest import SAMPLES, Confint, data_folder, records, write
from tests.reference import boot_ci
from tests.reference import risk as reference
from tests.versions import W_ERROR

COLUMNS = (
    "measure run baseline topics r method level urisk_minus trisk georisk low high wins losses "
    "shapiro_topics shapiro_bootstrap note"
)
SUMMARY = (
    "measure baseline topics runs r method level urisk_minus low low_notch_low low_notch_high high "
    "high_notch_low high_notch_high low_from_t high_from_t disagree shapiro_topics "
    "shapiro_bootstrap note"
)
METHODS = ["t", "percentile", "basic", "bootstrap-t", "bca"]
EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
BM25, HYBRID, DENSE = (SAMPLES / f"trec_eval/{name}.eval" for name in ("bm25", "hybrid", "dense"))
PAIR = ("risk", BM25, HYBRID, "-m", "map", "--baseline", "bm25")


def table(tmp_path: Path, runs: dict[str, list[float]]) -> Path:
    return write(tmp_path / "x.tsv", {run: {"m": scores} for run, scores in runs.items()})


def some_runs(tmp_path: Path, topics: int = 20) -> tuple[Path, dict[str, list[float]]]:
    random = np.random.default_rng(5)
    base = random.beta(2, 3, topics)
    runs = {
        name: np.clip(base + shift + random.normal(0, 0.1, topics), 0, 1).round(4).tolist()
        for name, shift in [("a", 0.05), ("b", 0.0), ("c", -0.02), ("d", 0.02), ("e", -0.3)]
    }
    runs["base"] = base.round(4).tolist()
    return table(tmp_path, runs), runs


# Numbers


def test_the_columns_and_what_they_say(tmp_path: Path, confint: Confint) -> None:
    path, runs = some_runs(tmp_path)
    result = confint("risk", path, "--baseline", "base", "--digits", 9)
    assert result.out.splitlines()[0].split("\t") == COLUMNS.split()
    rows = records(result)
    best_first = sorted("abcde", key=lambda run: -sum(runs[run]))
    assert [(row["run"], row["r"], row["method"]) for row in rows] == [
        (run, r, method) for run in best_first for r in ("1", "2", "5", "10") for method in METHODS
    ]
    for row in rows:
        d = [new - old for new, old in zip(runs[row["run"]], runs["base"], strict=True)]
        r = float(row["r"])
        wins, losses = [x for x in d if x > 0], [-x for x in d if x < 0]
        urisk = (sum(wins) - r * sum(losses)) / len(d)
        assert float(row["urisk_minus"]) == pytest.approx(-urisk, abs=1e-9)
        turned = [x if x > 0 else r * x for x in d]
        t = stats.ttest_1samp(turned, 0).statistic
        assert float(row["trisk"]) == pytest.approx(t, abs=1e-8)
        assert (int(row["wins"]), int(row["losses"])) == (len(wins), len(losses))
        w = stats.shapiro(turned).statistic
        assert float(row["shapiro_topics"]) == pytest.approx(w, abs=W_ERROR)
        assert (row["baseline"], row["topics"], row["level"]) == ("base", "20", "0.95")
        assert float(row["low"]) < float(row["urisk_minus"]) < float(row["high"])


def test_at_r_of_1_it_is_compare_with_the_sign_turned(tmp_path: Path, confint: Confint) -> None:
    path, _ = some_runs(tmp_path)
    how = (path, "--baseline", "base", "--digits", 12, "--level", "0.9,0.99")
    ours = records(confint("risk", *how, "--r", 1))
    theirs = records(confint("compare", *how, "--method", ",".join(METHODS)))
    for mine, other in zip(ours, theirs, strict=True):
        assert [mine[key] for key in ("run", "method", "level", "wins", "losses")] == [
            other[key] for key in ("run", "method", "level", "wins", "losses")
        ]
        for key, turned in (
            ("urisk_minus", "difference"), ("low", "high"), ("high", "low")
        ):  # fmt: skip
            assert float(mine[key]) == pytest.approx(-float(other[turned]), abs=2e-12)
        assert float(mine["trisk"]) == pytest.approx(float(other["t"]), abs=2e-12)


def test_trisk_of_another_program(data: Path, confint: Confint) -> None:
    """To the four decimals that it was published with, either run being the baseline."""
    with (data / "trisk/expected.tsv").open() as file:
        expected = [*csv.DictReader(file, delimiter="\t")]
    assert len(expected) == 6
    scores = np.loadtxt(data / "trisk/base_run.tsv", skiprows=1)[:, 1:]
    lines = [f"{t}\t{base!r}\t{run!r}" for t, (base, run) in enumerate(scores.tolist(), 1)]
    stdin = "\n".join(["topic\tbase\trun", *lines, ""]).encode()
    for row in expected:
        r = 1 + int(row["alpha"])
        found = confint("risk", "-", "--measure-name", "m", "--baseline", row["baseline"], "--r", r,
                        "--method", "t", stdin=stdin)  # fmt: skip
        (ours,) = records(found)
        assert ours["run"] == row["run"]
        assert ours["trisk"] == row["trisk_expected(ddof=1)"]
        assert float(ours["urisk_minus"]) == pytest.approx(-float(row["urisk_computed"]), abs=5e-5)


@pytest.mark.parametrize("measure", ["ndcg@20", "err@20"])
def test_gdevals_risk_mode_with_the_sign_turned(
    measure: str, data: Path, tmp_path: Path, confint: Confint
) -> None:
    """gdeval printed the run, and its weighted differences from a baseline for α = 1.

    The baseline itself is not among the data: it is what their weights leave, and has to be scores.
    """

    def printed(name: str) -> dict[str, float]:
        with (data / "formats" / name).open() as file:
            return {row["topic"]: float(row[measure]) for row in csv.DictReader(file)}

    run, theirs = printed("gdeval.csv"), printed("gdeval.risk-a1.csv")
    mean = theirs.pop("amean")
    assert min(theirs.values()) < 0 < max(theirs.values())
    baseline = {t: run[t] - (d if d > 0 else d / 2) for t, d in theirs.items()}
    assert all(-1e-9 < score < 1 for score in baseline.values())  # these are scores, then
    both = np.array([[run[topic], baseline[topic]] for topic in theirs])
    turned = weighted(Paired(both, Pairs.against([1], 2)).differences, 2)[:, 0]
    np.testing.assert_allclose(turned, [-d for d in theirs.values()], atol=1e-12)
    path = table(tmp_path, {"run": both[:, 0].tolist(), "base": both[:, 1].tolist()})
    found = confint("risk", path, "--baseline", "base", "--r", 2, "--method", "t", "--digits", 5)
    (ours,) = records(found)
    assert float(ours["urisk_minus"]) == pytest.approx(-mean, abs=1.1e-5)


@pytest.mark.parametrize(("run", "baseline", "measure", "r"), reference.PAIRS)
def test_boot_ci_and_shapiro_test_of_r(
    run: str, baseline: str, measure: str, r: int, confint: Confint
) -> None:
    """All four bootstrap intervals with the same resamples, wherever the definition is the same."""
    if not run.startswith("sample_runs") and not data_folder().is_dir():
        pytest.skip("needs real evaluation data: set CONFINT_DATA to their folder")
    folder = SAMPLES.parent if run.startswith("sample_runs") else data_folder()
    with (boot_ci.HERE / "risk.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t")
                if (row["run"], row["measure"], row["r"]) == (run, measure, str(r))]  # fmt: skip
    found = records(
        confint("risk", folder / run, "--baseline", folder / baseline, "-m", measure, "--r", r,
                "--level", ",".join(map(str, reference.LEVELS)), "--digits", 12, "--resamples",
                boot_ci.RESAMPLES, "--seed", boot_ci.SEED)
    )  # fmt: skip
    ours = {(row["method"], row["level"]): row for row in found}
    same = [row for row in rows if row["method"] != "bca" or row["ties"] == "0"]
    assert len(same) == (9 if measure == "map" else 7)
    for row in same:
        if row["method"] == "shapiro":
            w = float(found[0]["shapiro_topics"]), float(found[0]["shapiro_bootstrap"])
            assert w == pytest.approx((float(row["low"]), float(row["high"])), abs=2e-9)
            continue
        mine = ours[row["method"], row["level"]]
        for end in ("low", "high"):
            assert float(mine[end]) == pytest.approx(float(row[end]), abs=1e-9)


def longhand_georisk(values: list[list[float]], run: int, r: float) -> float:
    topics, runs = len(values), len(values[0])
    total = sum(sum(row) for row in values)
    own = sum(row[run] for row in values)
    z_risk = 0.0
    for row in values:
        expected = own * sum(row) / total
        if expected == 0:
            continue
        z = (row[run] - expected) / math.sqrt(expected)
        z_risk += z if z > 0 else r * z
    assert runs > run
    phi = 0.5 * (1 + math.erf(z_risk / topics / math.sqrt(2)))
    return math.sqrt(own / topics * phi)


def test_georisk_longhand(tmp_path: Path, confint: Confint) -> None:
    path, runs = some_runs(tmp_path)
    values = [list(row) for row in zip(*runs.values(), strict=True)]
    values[3] = [0.0] * len(runs)  # a topic that nobody has anything on
    path = table(tmp_path, dict(zip(runs, map(list, zip(*values, strict=True)), strict=True)))
    rows = records(confint("risk", path, "--baseline", "base", "--method", "t", "--digits", 9))
    assert len(rows) == 20
    for row in rows:
        expected = longhand_georisk(values, [*runs].index(row["run"]), float(row["r"]))
        assert float(row["georisk"]) == pytest.approx(expected, abs=1e-9)
    result = confint("risk", path, "--baseline", "base", "--r", 5, "-f", "table", "--method", "t")
    baseline = longhand_georisk(values, [*runs].index("base"), 5)
    (own,) = (line for line in result.out.splitlines() if line.startswith("base "))
    assert own.split()[-1] == f"{baseline:.4f}"


def test_georisk_of_a_run_without_any_score() -> None:
    values = np.array([[0.5, 0.0, 0.2], [0.1, 0.0, 0.3], [0.7, 0.0, 0.3]])
    found = georisk(values, 2.0)
    assert found[1] == 0
    assert (found[[0, 2]] > 0).all()
    assert np.isnan(georisk(np.zeros((3, 2)), 1.0)).all()


def test_negative_scores_have_no_georisk(tmp_path: Path, confint: Confint) -> None:
    path = table(tmp_path, {"a": [-0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.5]})
    result = confint("risk", path, "--baseline", "b", "--method", "t")
    assert {row["georisk"] for row in records(result)} == {""}
    assert "some scores on m are below 0, so there is no GeoRisk" in result.err
    shown = confint("risk", path, "--baseline", "b", "--method", "t", "-f", "table").out
    assert "GeoRisk" not in shown
    assert "GeoRisk" not in confint("risk", path, "--baseline", "b", "--summary").err


@pytest.mark.parametrize(("asked", "used"), [(999, 999), (5000, 5000), (7000, 5000)])
def test_normality_is_that_of_the_first_resamples(
    asked: int, used: int, tmp_path: Path, confint: Confint
) -> None:
    path, runs = some_runs(tmp_path)
    for methods in ("t", "bca"):
        rows = records(
            confint("risk", path, "--baseline", "base", "--r", 5, "--method", methods,
                    "--resamples", asked, "--seed", 3, "--digits", 9, "--sort", "name")
        )  # fmt: skip
        counts = np.vstack(list(Resamples(20, used, 3).counts()))
        for row in rows:
            d = np.subtract(runs["base"], runs[row["run"]])
            replicates = counts @ np.where(d > 0, 5 * d, d) / 20
            expected = stats.shapiro(replicates).statistic
            assert float(row["shapiro_bootstrap"]) == pytest.approx(expected, abs=2 * W_ERROR)


scores = arrays(float, (8, 2), elements=st.integers(0, 20).map(lambda x: x / 20))


@settings(max_examples=100, deadline=None)
@given(scores, st.floats(1, 50), st.floats(1, 50))
def test_a_higher_r_weighs_losses_and_nothing_else(
    values: np.ndarray, first: float, second: float
) -> None:
    paired = Paired(values, Pairs.against([1], 2))
    d = paired.differences
    low, high = sorted([first, second])
    less, more = weighted(d, low), weighted(d, high)
    assert (more >= less).all()
    np.testing.assert_array_equal(less[d >= 0], more[d >= 0])  # wins and ties stay as they are
    np.testing.assert_allclose(more[d < 0] * low, less[d < 0] * high)
    np.testing.assert_array_equal(weighted(d, 1), 0.0 - d)
    assert not np.signbit(less[less == 0]).any()


# Runs that r has nothing to weigh of, and others on the edge


def test_each_kind_of_differences_has_its_note(tmp_path: Path, confint: Confint) -> None:
    base = [0.1, 0.2, 0.3, 0.4, 0.5, 0.35, 0.25, 0.15, 0.45, 0.3]
    runs = {
        "base": base,
        "copy": base,
        "up": [x + y for x, y in zip(base, [0, 0.1, 0.2, 0.1, 0.3, 0.1, 0.1, 0, 0.1, 0.2],
                                     strict=True)],
        "down": [x / 2 for x in base],
        "shifted": [x + 0.25 for x in base],
    }  # fmt: skip
    path = table(tmp_path, runs)
    result = confint("risk", path, "--baseline", "base", "--method", "t,percentile")
    rows = {}
    for row in records(result):
        rows.setdefault(row["run"], {}).setdefault(row["r"], row)
    notes = {run: {row["note"] for row in own.values()} for run, own in rows.items()}
    assert notes == {
        "copy": {"identical"},
        "up": {"no losses"},
        "down": {"no wins"},
        "shifted": {"no variance, no losses"},
    }
    for key in ("urisk_minus", "trisk", "low", "high", "shapiro_topics"):
        assert len({row[key] for row in rows["up"].values()}) == 1  # whatever r is
    assert len({row["trisk"] for row in rows["down"].values()}) == 1
    assert float(rows["down"]["10"]["urisk_minus"]) == pytest.approx(
        10 * float(rows["down"]["1"]["urisk_minus"]), abs=6e-4
    )
    copy = rows["copy"]["5"]
    assert [copy[key] for key in ("urisk_minus", "trisk", "low", "high")] == ["0.0000"] * 4
    assert [copy[key] for key in ("shapiro_topics", "shapiro_bootstrap")] == ["", ""]
    assert rows["shifted"]["5"]["trisk"] == "inf"
    shown = confint("risk", path, "--baseline", "base", "--method", "t", "-f", "markdown").out
    assert "no losses: URisk⁻, its limits and TRisk are the same at all r." in shown
    assert "no wins: TRisk is the same at all r." in shown


def test_few_losses_are_noted_where_they_weigh_more(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(0)
    base = random.beta(2, 3, 50)
    runs = {"base": base.tolist()}
    for losses in (1, 4, 5):
        sign = np.where(np.arange(50) < losses, -1, 1)
        runs[f"loses{losses}"] = (base + sign * random.uniform(0.01, 0.1, 50)).tolist()
    rows = records(confint("risk", table(tmp_path, runs), "--baseline", "base", "--r", "1,2",
                           "--method", "t"))  # fmt: skip
    noted = {(row["run"], row["r"]) for row in rows if "few losses" in row["note"]}
    assert noted == {("loses1", "2"), ("loses4", "2")}  # .9 ** 50 is 0.5%, .92 ** 50 is 1.5%


def test_differences_that_are_equal_but_for_rounding_have_no_variance(
    tmp_path: Path, confint: Confint
) -> None:
    """However large r makes the last bits of the differences."""
    base = np.random.default_rng(1).random(12).round(3)
    path = table(tmp_path, {"base": base.tolist(), "worse": (base - 0.1).tolist()})
    assert len({*(base - (base - 0.1)).tolist()}) > 1
    rows = records(confint("risk", path, "--baseline", "base", "--r", "1,1000000"))
    assert {row["note"] for row in rows} == {"no variance, no wins"}
    assert {(row["shapiro_topics"], row["shapiro_bootstrap"]) for row in rows} == {("", "")}
    assert {row["low"] for row in rows if row["r"] == "1000000"} == {"100000.0000"}


def test_limits_of_0_are_0_at_every_r(tmp_path: Path, confint: Confint) -> None:
    """A last bit would say that the run is surely risky, or not."""
    path = table(tmp_path, {"base": [0.3, 0.7, 0.2, 0.6, 0.1], "a": [0.3, 0.7, 0.2, 0.6, 0.0]})
    how = (path, "--baseline", "base", "--r", "1,2,3,7")
    rows = json.loads(confint("risk", *how, "-f", "json").out)["rows"]
    lows = {(row["method"], row["r"]): row["low"] for row in rows}
    for method in ("percentile", "bca"):
        assert {lows[method, r] for r in (1, 2, 3, 7)} == {0}
    summary = records(confint("risk", *how, "--summary"))
    for method in METHODS:
        assert len({row["disagree"] for row in summary if row["method"] == method}) == 1


def test_wins_and_losses_that_cancel_out_are_no_risk(tmp_path: Path, confint: Confint) -> None:
    path = table(tmp_path, {"a": [0.3, 0.1, 0.3, 0.1], "b": [0.1, 0.2, 0.1, 0.2]})
    rows = records(confint("risk", path, "--baseline", "b", "--r", 2, "--method", "t", "-f", "tsv"))
    assert (rows[0]["urisk_minus"], rows[0]["trisk"]) == ("0.0000", "0.0000")
    exact = confint("risk", path, "--baseline", "b", "--r", 2, "--method", "t", "-f", "json")
    (row,) = json.loads(exact.out)["rows"]
    assert (row["urisk_minus"], row["trisk"]) == (0, 0)


# Choices


def test_the_baseline_by_file_and_several_of_them(confint: Confint) -> None:
    by_file = confint("risk", HYBRID, "-m", "map", "--baseline", BM25)
    assert by_file.out == confint(*PAIR).out
    rows = records(
        confint("risk", *EVALS, "-m", "map", "--baseline", "bm25,dense", "--r", 2, "--method", "t")
    )
    assert [row["baseline"] for row in rows] == ["bm25"] * 7 + ["dense"] * 7
    assert all(row["run"] != row["baseline"] for row in rows)


def test_rows_in_another_order_are_the_same_rows(confint: Confint) -> None:
    how = ("-m", "map,P_10", "--baseline", "bm25", "--level", "0.95,0.99", "-f", "json")
    by_name = [
        json.loads(confint("risk", *files, *how, "--sort", order).out)["rows"]
        for files, order in ((EVALS, "name"), (EVALS, "mean"), (EVALS[::-1], "input"))
    ]
    keys = ("measure", "run", "r", "method", "level")
    sorted_rows = [sorted(rows, key=lambda row: [str(row[key]) for key in keys])
                   for rows in by_name]  # fmt: skip
    assert sorted_rows[0] == sorted_rows[1] == sorted_rows[2]  # to the last bit
    runs = [row["run"] for row in by_name[0] if row["measure"] == "map"]
    assert runs == sorted(runs)


def test_alpha_is_r_less_1(confint: Confint) -> None:
    assert confint(*PAIR, "--alpha", "0,1", "--alpha", "4.5").out == confint(
        *PAIR, "--r", "1,2,5.5").out  # fmt: skip
    shown = confint("risk", *EVALS, "-m", "map", "--baseline", "bm25", "--alpha", 5, "-f", "table")
    assert "compared with bm25, r = 6 (α = 5)\n" in shown.out


@pytest.mark.parametrize(("alpha", "r"), [("0.118", "1.118"), ("1e-16,0", "1"), ("2.3", "3.3")])
def test_alpha_is_shown_as_r_is(alpha: str, r: str, confint: Confint) -> None:
    (row,) = records(confint(*PAIR, "--alpha", alpha, "--method", "t"))
    assert row["r"] == r


def test_an_unusual_level_is_questioned(confint: Confint) -> None:
    assert "misses more often than not" in confint(*PAIR, "--level", "1%", "--method", "t").err


def test_r_is_the_same_if_it_shows_the_same(confint: Confint) -> None:
    rows = records(confint(*PAIR, "--r", "1,1.0000000000000002,1000000", "--method", "t"))
    assert [row["r"] for row in rows] == ["1", "1000000"]


def test_levels_and_r_as_they_are_given(confint: Confint) -> None:
    rows = records(
        confint(*PAIR, "--r", "2.50,1", "--r", "1.0", "--level", "99.9,95", "--method", "t")
    )
    assert [(row["r"], row["level"]) for row in rows] == [
        ("2.5", "0.999"), ("2.5", "0.95"), ("1", "0.999"), ("1", "0.95")
    ]  # fmt: skip


def test_the_signature_has_what_it_takes_to_repeat_it(confint: Confint) -> None:
    line = confint(*PAIR, "--method", "t", "--signature", "--summary", "--top", "50%").out
    for entry in ("command:risk", "pairs:with bm25", "r:1,2,5,10", "top:0.5", "resamples:ideal",
                  "methods:t|"):  # fmt: skip
        assert entry in line.splitlines()[0]
    assert not {"seed:", "error:"} & {entry for entry in ("seed:", "error:") if entry in line}
    drawn = ("--resamples", 2000, "--seed", 3)
    line = confint(*PAIR, "--method", "t", "--signature", *drawn).out.splitlines()[0]
    assert "top:" not in line
    assert "resamples:2000|seed:3|" in line


# Bad input

R_IS = "r = 1 + α is how many times a loss counts as much as a win, so α = 0 is r = 1"


@pytest.mark.parametrize(
    ("args", "status", "problem", "hint"),
    [
        ([], 2, "compare with what?", "name a run with --baseline RUN"),
        (["--baseline", "bm52"], 2, "no run is called 'bm52'", "did you mean bm25? there are: "),
        (["--baseline", "bm25", "--r", "0.5"], 2, "--r 0.5 is below 1", R_IS),
        (["--baseline", "bm25", "--r", "0"], 2, "--r 0 is below 1", R_IS),
        (["--baseline", "bm25", "--r", "1,-2"], 2, "--r -2 is below 1", R_IS),
        (["--baseline", "bm25", "--r", "nan"], 2, "--r 'nan' is not a number", R_IS),
        (["--baseline", "bm25", "--r", "1,,2"], 2, "--r '' is not a number", R_IS),
        (["--baseline", "bm25", "--r", "2e6"], 2, "--r 2e6 is above 1000000, the largest allowed",
         ""),
        (["--baseline", "bm25", "--alpha", "-1"], 2, "--alpha -1 is below 0", R_IS),
        (["--baseline", "bm25", "--alpha", "1e6"], 2,
         "--alpha 1e6 is above 999999, the largest allowed", ""),
        (["--baseline", "bm25", "--alpha", "1", "--r", "2"], 2,
         "--r and --alpha: use only one of them", R_IS),
        (["--baseline", str(SAMPLES)], 2, f"'{SAMPLES}' is a folder, not a run", ""),
        (["--baseline", "bm25", "--summary", "--top", "101%"], 2,
         "--top 101% is not a share of the runs", "0.75 and 75% both stand for"),
        (["--baseline", "bm25", "--summary", "--top", "1.2"], 2,
         "--top 1.2 is not a share of the runs", "0.75 and 75% both stand for"),
        (["--baseline", "bm25", "--top", "0.5"], 2, "--top is for --summary", ""),
        (["--baseline", "bm25", "--summary", "--top", "0"], 2, "--top 0 is not a share of the runs",
         "0.75 and 75% both stand for three quarters of the runs"),
        (["--baseline", "bm25", "--summary", "--top", "75"], 2,
         "--top 75 is not a share of the runs", "0.75 and 75% both stand for"),
        (["--baseline", "bm25", "--method", "logit"], 2,
         "logit is only for scores from 0 to 1, not for differences of scores", ""),
        (["--baseline", "bm25", "--level", "0.9999", "--resamples", "10000"], 2,
         "10000 resamples are too few for level 0.9999", "--resamples 19999 is the minimum, and"),
        (["--baseline", "bm25", "--level", "0.9999999999"], 2,
         "level 0.9999999999 is too close to 1 for bootstrap limits",
         "choose a lower level or another method"),
    ],
)  # fmt: skip
def test_a_call_at_fault_is_refused_with_a_hint(
    args: list[str], status: int, problem: str, hint: str, confint: Confint
) -> None:
    result = confint("risk", BM25, HYBRID, "-m", "map", *args)
    lines = result.err.splitlines()
    assert (result.status, result.out, lines[0]) == (status, "", f"confint: {problem}")
    assert "".join(lines[1:]).startswith(f"  hint: {hint}" if hint else "")


@pytest.mark.parametrize("baseline", ["bm25", BM25])
def test_the_baseline_compared_with_itself(baseline: str | Path, confint: Confint) -> None:
    result = confint("risk", BM25, "-m", "map", "--baseline", baseline)
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        "confint: on map, there is nothing to compare 'bm25' with: it is the only run",
        "  hint: give the files of two runs or more",
    ]


def test_one_topic_is_too_few(tmp_path: Path, confint: Confint) -> None:
    path = table(tmp_path, {"a": [0.1], "b": [0.2]})
    result = confint("risk", path, "--baseline", "a")
    assert (result.status, result.out) == (1, "")
    assert "has 1 topic, and a comparison needs 2" in result.err


# Many runs in one table


def test_the_summary_longhand(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(2)
    base = random.beta(2, 3, 30)
    runs = {
        f"r{i}": np.clip(base + 0.03 * i - 0.2 + random.normal(0, 0.12, 30), 0, 1).tolist()
        for i in range(11)
    }
    path = table(tmp_path, {"base": base.tolist(), **runs})
    how = (path, "--baseline", "base", "--level", "0.9,0.95", "--r", "1,10", "--digits", 12)
    every = records(confint("risk", *how))
    result = confint("risk", *how, "--summary", "--top", "0.5", "--sort", "name")
    assert result.out.splitlines()[0].split("\t") == SUMMARY.split()
    best = sorted(runs, key=lambda run: -float(np.mean(runs[run])))[:6]  # half of 11, rounded up
    rows = records(result)
    assert len(rows) == 2 * 5 * 2
    for row in rows:
        assert (row["runs"], row["baseline"], row["topics"]) == ("6", "base", "30")

        def of_best(method: str, key: str, row: dict[str, str] = row) -> np.ndarray:
            return np.array([
                float(one[key]) for one in every
                if one["run"] in best
                and (one["r"], one["method"], one["level"]) == (row["r"], method, row["level"])
            ])  # fmt: skip

        t_low, t_high = of_best("t", "low"), of_best("t", "high")
        for end, of_t in (("low", t_low), ("high", t_high)):
            limits = of_best(row["method"], end)
            first, median, third = np.quantile(limits, [0.25, 0.5, 0.75])
            notch = 1.57 * (third - first) / math.sqrt(6)
            expected = (median, median - notch, median + notch)
            found = [float(row[key]) for key in (end, f"{end}_notch_low", f"{end}_notch_high")]
            assert found == pytest.approx(expected, abs=1e-10)
            apart = np.median((limits - of_t) / ((t_high - t_low) / 2))
            assert float(row[f"{end}_from_t"]) == pytest.approx(apart, abs=1e-9)
        low, high = of_best(row["method"], "low"), of_best(row["method"], "high")
        verdicts = np.sign(low) + np.sign(high), np.sign(t_low) + np.sign(t_high)
        assert int(row["disagree"]) == int((verdicts[0] != verdicts[1]).sum())
        for key in ("urisk_minus", "shapiro_topics", "shapiro_bootstrap"):
            assert float(row[key]) == pytest.approx(np.median(of_best("t", key)), abs=1e-11)
    assert any(int(row["disagree"]) > 0 for row in rows)


def test_the_summary_does_without_t_but_for_what_it_is_compared_with(confint: Confint) -> None:
    how = ("risk", *EVALS, "-m", "map", "--baseline", "bm25", "--summary")
    alone = records(confint(*how, "--method", "bca"))
    among = [row for row in records(confint(*how)) if row["method"] == "bca"]
    assert alone == among
    assert len(alone) == 4


@pytest.mark.parametrize(
    ("top", "runs"), [("0.75", 6), ("75%", 6), ("1", 7), ("100%", 7), ("0.01", 1), ("3/7", None)]
)
def test_the_share_of_runs(top: str, runs: int | None, confint: Confint) -> None:
    result = confint("risk", *EVALS, "-m", "map", "--baseline", "bm25", "--summary", "--top", top,
                     "--method", "t", "--r", 1)  # fmt: skip
    if runs is None:
        assert result.status == 2
        assert "--top '3/7' is not a number" in result.err
        return
    (row,) = records(result)
    assert row["runs"] == str(runs)
    notch = (row["low_notch_low"], row["low_notch_high"])
    assert (notch == ("", "")) == (runs == 1)  # one run has no spread


def test_a_share_is_not_rounded_up_for_its_last_bit(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(0)
    runs = {f"r{i}": random.random(5).tolist() for i in range(101)}
    path = table(tmp_path, runs)
    (row,) = records(
        confint("risk", path, "--baseline", "r0", "--summary", "--top", "0.07", "--r", 1,
                "--method", "t")
    )  # fmt: skip
    assert row["runs"] == "7"  # 0.07 · 100 is 7.000000000000001


def test_of_equal_means_at_the_cut_the_first_by_name_counts(
    tmp_path: Path, confint: Confint
) -> None:
    random = np.random.default_rng(4)
    base = (random.integers(10, 40, 8) / 64).tolist()
    shifts = np.array([1, 2, 3, 4, -1, -2, -3, -4]) / 64
    names = [f"r{place}" for place in random.permutation(40)]
    runs = {name: (base + random.permutation(shifts)).tolist() for name in names}  # equal means
    runs["best"] = (np.array(base) + 0.25).tolist()
    for order in (names, sorted(names)):
        path = table(tmp_path, {"base": base, "best": runs["best"], **{n: runs[n] for n in order}})
        every = records(confint("risk", path, "--baseline", "base", "--r", 5, "--method", "t"))
        chosen = {"best", *(f"r{place}" for place in range(9))}
        expected = np.median([float(row["low"]) for row in every if row["run"] in chosen])
        for sort in ("mean", "name", "input"):
            (row,) = records(confint("risk", path, "--baseline", "base", "--r", 5, "--summary",
                                     "--method", "t", "--top", "0.25", "--sort", sort)
                             )[-1:]  # fmt: skip
            assert (row["runs"], float(row["low"])) == ("11", pytest.approx(expected, abs=2e-4))


def test_the_summary_counts_what_there_is_to_note(tmp_path: Path, confint: Confint) -> None:
    path, runs = some_runs(tmp_path)
    up = [x + 0.01 * (place % 3) for place, x in enumerate(runs["base"])]
    path = table(tmp_path, {**runs, "copy": runs["base"], "up": up})
    (row,) = records(confint("risk", path, "--baseline", "base", "--summary", "--top", 1, "--r", 2,
                             "--method", "percentile"))  # fmt: skip
    assert row["runs"] == "7"
    words = row["note"].split(", ")
    assert "1 identical" in words
    assert "1 no losses" in words
    assert row["shapiro_topics"] != ""  # the copy has none
    few = table(tmp_path, {run: scores[:6] for run, scores in runs.items()})
    row = records(confint("risk", few, "--baseline", "base", "--summary", "--r", 1))[0]
    assert row["note"].split(", ")[0] == "few topics"


def test_the_sentence_of_the_summary_is_of_the_lowest_and_the_highest_r(confint: Confint) -> None:
    how = ("risk", *EVALS, "-m", "map", "--baseline", "bm25", "--summary", "-f", "table")
    out = " ".join(confint(*how, "--r", "2,10,1,5").out.split())
    said = out[out.index("For the median run") :]
    assert " of its half-width at r = 1 (" in said
    assert " of its half-width at r = 10 (" in said
    alone = " ".join(confint(*how, "--r", "5").out.split())
    assert alone.count("half-width at r = 5") == 1


def test_the_error_of_the_summary_is_that_of_the_median(confint: Confint) -> None:
    how = ("risk", *EVALS, "-m", "map", "--baseline", "bm25", "--level", "0.999", "--signature",
           "--resamples", 3000)  # fmt: skip
    every, summary = confint(*how), confint(*how, "--summary")
    errors = [float(one.out.splitlines()[0].split("error:")[1]) for one in (every, summary)]
    assert 0 < errors[1] < errors[0]
    assert "map of the median run" in summary.err


def test_limits_that_are_infinite_in_the_summary(tmp_path: Path, confint: Confint) -> None:
    runs = {"base": [0.1, 0.2, 0.3], "a": [0.2, 0.3, 0.5], "b": [0.3, 0.1, 0.2],
            "c": [0.5, 0.3, 0.1]}  # fmt: skip
    path = table(tmp_path, runs)
    how = (path, "--baseline", "base", "--summary", "--method", "bootstrap-t", "--r", 1)
    (row,) = records(confint("risk", *how))
    assert (row["low"], row["high"]) == ("-inf", "inf")
    assert (row["low_notch_low"], row["low_from_t"]) == ("", "-inf")
    shown = confint("risk", *how, "-f", "table")
    assert "differ from those of t infinitely at r = 1 (bootstrap-t)" in " ".join(shown.out.split())


# What people read


def test_trisk_is_read_for_one_run(confint: Confint) -> None:
    out = " ".join(confint(*PAIR, "-f", "table").out.split())
    assert (
        "By TRisk, hybrid is called a risk-free improvement on bm25 at r = 1 (5.7851) and r = 2 "
        "(4.3225), and called neither risky nor risk-free at r = 5 (1.6844) and r = 10 "
        "(0.0056). hybrid loses most on topics " in out
    )
    assert "counted r times (r = 1 + α) and the sign reversed, so above 0 is risky" in out
    assert "39 wins, 0 ties, 11 losses" in out
    turned = confint("risk", BM25, HYBRID, "-m", "map", "--baseline", "hybrid", "-f", "table").out
    assert "By TRisk, bm25 is called statistically risky against hybrid at r = 1" in turned


def test_intervals_that_say_otherwise_than_trisk_are_named(confint: Confint) -> None:
    rm3 = SAMPLES / "trec_eval/bm25-rm3.eval"
    shown = confint("risk", BM25, rm3, "-m", "map", "--baseline", "bm25", "--method",
                    "t,bootstrap-t,bca", "-f", "table").out  # fmt: skip
    said = "The 95% intervals disagree: risky with bootstrap-t and bca at r = 5."
    assert said in " ".join(shown.split())
    rows = records(confint("risk", BM25, rm3, "-m", "map", "--baseline", "bm25"))
    at_5 = {row["method"]: float(row["low"]) for row in rows if row["r"] == "5"}
    assert min(at_5["bca"], at_5["bootstrap-t"]) > 0 >= at_5["t"]
    how = ("risk", *EVALS, "-m", "map", "--baseline", "bm25", "--r", 5, "--method", "t,bca", "-f",
           "table")  # fmt: skip
    said = "The 95% intervals disagree: 1 run is risky with bca."
    for levels in ("0.95", "0.5,0.95"):
        assert said in " ".join(confint(*how, "--level", levels).out.split())
    for levels in ("0.5", "0.999,0.99"):  # TRisk's bound is for 95%
        assert "intervals disagree" not in confint(*how, "--level", levels).out
        alone = confint("risk", BM25, rm3, "-m", "map", "--baseline", "bm25", "--method", "t",
                        "--level", levels, "-f", "table").out  # fmt: skip
        assert "By TRisk" in alone
        assert "intervals disagree" not in alone


def test_it_is_said_what_intervals_say_otherwise(tmp_path: Path, confint: Confint) -> None:
    """Three losses among small wins: more than TRisk minds, or less."""
    random = np.random.default_rng(8)
    base = random.uniform(0.4, 0.6, 40)
    wins = random.uniform(0.02, 0.05, 40)
    runs = {"base": base.tolist()} | {
        name: (base + np.where(np.arange(40) < 3, -loss, wins)).tolist()
        for name, loss in (("small", 0.16), ("large", 0.18))
    }
    said = {
        "small": "The 95% intervals disagree: undecided with percentile, bootstrap-t and bca at "
        "r = 1.",
        "large": "The 95% intervals disagree: risk-free with basic at r = 1.",
    }
    for name, sentence in said.items():
        path = table(tmp_path, {"base": runs["base"], name: runs[name]})
        out = confint("risk", path, "--baseline", "base", "--r", "1", "-f", "table").out
        assert sentence in " ".join(out.split())
    out = confint(
        "risk", table(tmp_path, runs), "--baseline", "base", "--r", "1", "-f", "table"
    ).out
    assert (
        "At r = 1, 1 of 2 runs is called a risk-free improvement on base (TRisk above 2); none are "
        "called statistically risky (below -2). The 95% intervals disagree: 1 run is risk-free "
        "with basic; 1 run is undecided with percentile; 1 run is undecided with bootstrap-t; 1 "
        "run is undecided with bca." in " ".join(out.split())
    )


def test_topics_that_lose_most_and_how_many_there_are(tmp_path: Path, confint: Confint) -> None:
    base = [0.5, 0.4, 0.3, 0.2, 0.6, 0.7]
    lost = {"one": [0.6, 0.5, 0.4, 0.3, 0.1, 0.8], "more": [0.1, 0.3, 0.0, 0.15, 0.7, 0.8]}
    said = {
        "one": ["5 wins, 0 ties, 1 loss\n", "one loses most on topic 5 (from 0.6000 to 0.1000)."],
        "more": ["2 wins, 0 ties, 4 losses\n",
                 "more loses most on topics 1 (from 0.5000 to 0.1000), 3 (from 0.3000 to 0.0000) "
                 "and 2 (from 0.4000 to 0.3000)."],
    }  # fmt: skip
    for run, scores in lost.items():
        path = table(tmp_path, {"base": base, run: scores})
        out = confint("risk", path, "--baseline", "base", "--method", "t", "-f", "table").out
        assert said[run][0] in out
        assert said[run][1] in " ".join(out.split())
    tied = {"base": [0.8] * 30, "down": [0.7 if place % 2 else 0.8 + 1e-17 for place in range(30)]}
    tied["down"][4:20] = [0.9 - 0.2] * 16  # 0.7000000000000001
    path = table(tmp_path, tied)
    out = confint("risk", path, "--baseline", "base", "--method", "t", "-f", "table").out
    assert "down loses most on topics 2 (" in " ".join(out.split())
    assert ", 4 (" in out
    path = table(tmp_path, {"base": base, "copy": base})
    out = confint("risk", path, "--baseline", "base", "--method", "t", "-f", "table").out
    assert "copy and base have the same scores on all topics.\n" in out


def test_trisk_is_read_for_several_runs(confint: Confint) -> None:
    result = confint("risk", *EVALS, "-m", "map", "--baseline", "bm25", "--method", "t", "-f",
                     "table")  # fmt: skip
    out = " ".join(result.out.split())
    by = "called a risk-free improvement on bm25 (TRisk above 2)"
    assert f"At r = 1, 1 of 7 runs is {by}; 2 are called" in out
    assert f"At r = 10, none of 7 runs are {by}; 6 are called" in out
    marked = [line.split()[4] for line in result.out.splitlines() if line.startswith("hybrid")]
    assert [text[-1] for text in marked] == ["*", "*", "4", "6"]
    assert out.count("URisk⁻: the mean of all differences") == 1  # below the last table


def test_the_bound_of_trisk_is_for_many_topics(tmp_path: Path, confint: Confint) -> None:
    few = table(tmp_path, {"a": [0.1, 0.2, 0.3, 0.5, 0.2], "b": [0.2, 0.2, 0.5, 0.6, 0.3]})
    how = ("--baseline", "a", "--method", "t", "-f", "table")
    out = " ".join(confint("risk", few, *how).out.split())
    assert "(2 is the bound for many topics; with 5, 95% confidence takes 2.78.)" in out
    assert "a risk-free improvement on a at r = 1 (3.1623)" in out
    three = table(tmp_path, {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.25, 0.5]})
    out = " ".join(confint("risk", three, *how).out.split())  # TRisk 2.65 is below 4.30
    assert "called neither risky nor risk-free at r = 1 (2.6458)" in out
    assert "*" not in out.split("TRisk:", maxsplit=1)[0]
    random = np.random.default_rng(3)
    for topics, bound in ((19, "2.10"), (20, "2")):
        runs = {run: random.random(topics).round(4).tolist() for run in "ab"}
        out = " ".join(confint("risk", table(tmp_path, runs), *how).out.split())
        assert f"* above {bound}, called a risk-free improvement; ! below -{bound}," in out


# For Python


def scores_of(runs: dict[str, list[float]]) -> Scores:
    values = np.array([*runs.values()]).T[:, :, None]
    topics = tuple(str(place + 1) for place in range(len(values)))
    return Scores(values, topics, tuple(runs), ("m",), np.zeros(values.shape, bool))


def test_records_and_facts_have_types() -> None:
    base = [0.5, 0.4, 0.3, 0.2, 0.6, 0.7, 0.5, 0.4, 0.3, 0.2, 0.6]
    runs = {
        "base": base,
        "up": [score + 0.05 + place / 100 for place, score in enumerate(base)],
        "down": [score - 0.05 - place / 100 for place, score in enumerate(base)],
    }
    scores, estimation = scores_of(runs), Estimation(("t",), (0.95,), 200)
    answer = risk(scores, ("base",), (1.0, 2.5), estimation)
    assert [(row.run, row.r) for row in answer.rows] == [
        ("up", 1), ("up", 2.5), ("down", 1), ("down", 2.5)
    ]  # fmt: skip
    up, down = answer.rows[0], answer.rows[2]
    assert (up.by_trisk, up.by_interval, up.doubts) == (SAFE, SAFE, Doubt.NO_LOSSES)
    assert (down.by_trisk, down.by_interval, down.note) == (RISKY, RISKY, "no wins")
    assert [(loss.run, loss.topic) for loss in answer.details] == [
        ("down", "11"), ("down", "10"), ("down", "9")
    ]  # fmt: skip
    assert answer.facts["r"] == (1.0, 2.5)
    assert "paired" in answer.facts
    summary = risk_summary(scores, ("base",), (1.0, 2.5), estimation, 1.0)
    assert summary.rows[0].doubts_of_runs == (Doubt.NO_LOSSES, Doubt.NO_WINS)
    assert summary.rows[0].note == "1 no losses, 1 no wins"
    assert summary.facts["top"] == 1.0
