"""`confint bayes`, through the command line."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from confint_cli.outputs.figures import draw
from confint_cli.scores.scores import Scores
from confint_cli.stats.random import Drawing
from confint_cli.studies.answer import Answer
from confint_cli.studies.bayes import Question, bayes, with_densities
from confint_cli.studies.rows import BayesRow
from tests.conftest import SAMPLES, Confint, records, write

COLUMNS = "measure run baseline topics quantity eap sd low high threshold probability ess note"
QUANTITIES = ["difference", "glass_baseline", "glass_run", "correlation"]
EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
BM25, HYBRID, DENSE = (SAMPLES / f"trec_eval/{name}.eval" for name in ("bm25", "hybrid", "dense"))
PAIR = ("bayes", BM25, HYBRID, "-m", "map", "--baseline", "bm25")


def two(tmp_path: Path, topics: int = 20, seed: int = 1) -> tuple[Path, np.ndarray]:
    random = np.random.default_rng(seed)
    base = random.beta(2, 3, topics)
    better = (0.6 * base + 0.4 * random.beta(2, 3, topics) + 0.05).round(4)
    scores = np.array([better, base.round(4)])
    names = ("better", "base")
    runs = {name: {"m": row.tolist()} for name, row in zip(names, scores, strict=True)}
    return write(tmp_path / "x.tsv", runs), scores


def by_quantity(rows: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    return {row["quantity"]: row for row in rows}


# Numbers


def test_the_columns_and_what_they_say(tmp_path: Path, confint: Confint) -> None:
    path, (better, base) = two(tmp_path)
    result = confint("bayes", path, "--baseline", "base", "--digits", 7)
    assert result.out.splitlines()[0].split("\t") == COLUMNS.split()
    rows = by_quantity(records(result))
    assert [*rows] == QUANTITIES
    assert {(row["run"], row["baseline"], row["topics"]) for row in rows.values()} == {
        ("better", "base", "20")
    }
    difference = (better - base).mean()
    assert float(rows["difference"]["eap"]) == pytest.approx(difference, abs=1e-7)
    # A flat prior has the correlation a little nearer to 0 than the sample has it, and the
    # standard deviations a little larger.
    assert float(rows["correlation"]["eap"]) < np.corrcoef(better, base)[0, 1]
    assert float(rows["correlation"]["eap"]) > np.corrcoef(better, base)[0, 1] - 0.1
    for name, sd in (("glass_baseline", base.std(ddof=1)), ("glass_run", better.std(ddof=1))):
        assert 0.9 < float(rows[name]["eap"]) / (difference / sd) < 1
    assert [rows[name]["threshold"] for name in QUANTITIES] == ["0.0", "0.2", "0.2", "0.9"]
    for row in rows.values():
        assert float(row["low"]) < float(row["eap"]) < float(row["high"])
        assert 80_000 < int(row["ess"]) <= 100_000


def test_credible_and_confidence_intervals_nearly_agree_for_many_topics(
    tmp_path: Path, confint: Confint
) -> None:
    path, (better, base) = two(tmp_path, topics=400)
    args = ("bayes", path, "--baseline", "base", "--digits", 9, "--draws", 400_000)
    row = by_quantity(records(confint(*args)))["difference"]
    t = stats.ttest_rel(better, base, alternative="greater")
    interval = stats.ttest_rel(better, base).confidence_interval()
    half = (interval.high - interval.low) / 2
    assert float(row["low"]) == pytest.approx(interval.low, abs=0.02 * half)
    assert float(row["high"]) == pytest.approx(interval.high, abs=0.02 * half)
    assert 1 - float(row["probability"]) == pytest.approx(t.pvalue, abs=1e-4)


def test_what_stands_beside_it_is_what_scipy_says(tmp_path: Path, confint: Confint) -> None:
    path, (better, base) = two(tmp_path)
    args = ("bayes", path, "--baseline", "base", "--classical", "--digits", 9)
    rows = by_quantity(records(confint(*args, "--level", 0.9)))
    interval = stats.ttest_rel(better, base).confidence_interval(0.9)
    row = rows["difference"]
    assert float(row["sample"]) == pytest.approx((better - base).mean())
    assert float(row["confidence_low"]) == pytest.approx(interval.low)
    assert float(row["confidence_high"]) == pytest.approx(interval.high)
    p = stats.ttest_rel(better, base, alternative="greater").pvalue
    assert float(row["p_one_sided"]) == pytest.approx(p, rel=1e-8)
    assert float(rows["glass_baseline"]["sample"]) == pytest.approx(
        (better - base).mean() / base.std(ddof=1)
    )
    assert float(rows["glass_run"]["sample"]) == pytest.approx(
        (better - base).mean() / better.std(ddof=1)
    )
    assert float(rows["correlation"]["sample"]) == pytest.approx(np.corrcoef(better, base)[0, 1])
    assert {rows[name]["p_one_sided"] for name in QUANTITIES[1:]} == {""}
    by_more = records(confint(*args, "--threshold", "difference=0.03"))[0]
    p = stats.ttest_rel(better - 0.03, base, alternative="greater").pvalue
    assert float(by_more["p_one_sided"]) == pytest.approx(p, rel=1e-8)


def test_unpaired_runs_have_welchs_interval_beside_it(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(3)
    one, other = random.beta(2, 3, 12).round(4), random.beta(2, 4, 30).round(4)
    paths = [write(tmp_path / f"{name}.tsv", {name: {"m": row.tolist()}})
             for name, row in (("one", one), ("other", other))]  # fmt: skip
    args = ("bayes", *paths, "--baseline", "other", "--unpaired", "--classical", "--digits", 9)
    result = confint(*args)
    rows = by_quantity(records(result))
    assert [*rows] == QUANTITIES[:3]
    row = rows["difference"]
    assert (row["topics"], row["baseline_topics"], row["ess"]) == ("12", "30", "100000")
    welch = stats.ttest_ind(one, other, equal_var=False)
    assert float(row["confidence_low"]) == pytest.approx(welch.confidence_interval().low)
    assert float(row["p_one_sided"]) == pytest.approx(
        stats.ttest_ind(one, other, equal_var=False, alternative="greater").pvalue, rel=1e-8
    )
    variance = sum(x.var(ddof=1) * (len(x) - 1) / (len(x) * (len(x) - 4)) for x in (one, other))
    assert float(row["sd"]) == pytest.approx(math.sqrt(variance), rel=0.01)


def test_a_region_of_practical_equivalence(tmp_path: Path, confint: Confint) -> None:
    path, _ = two(tmp_path)
    args = ("bayes", path, "--baseline", "base", "--digits", 9)
    rows = by_quantity(records(confint(*args, "--rope", "-0.01", "0.04")))
    row = rows["difference"]
    assert {**row, "p_below": "", "p_within": "", "p_above": ""} == {
        **records(confint(*args))[0], "p_below": "", "p_within": "", "p_above": "",
    }  # fmt: skip
    below, within, above = (float(row[f"p_{name}"]) for name in ("below", "within", "above"))
    assert below + within + above == pytest.approx(1, abs=1e-8)
    for threshold, expected in (("-0.01", within + above), ("0.04", above)):
        same = records(confint(*args, "--threshold", f"difference={threshold}"))[0]
        assert float(same["probability"]) == pytest.approx(expected, abs=1e-8)
    assert 0.02 < within < 0.98
    assert {rows[name]["p_within"] for name in QUANTITIES[1:]} == {""}


def test_thresholds(confint: Confint) -> None:
    rows = records(confint(*PAIR, "--threshold", "glass=0.5,difference=0.1", "--threshold",
                           "correlation=-0.25"))  # fmt: skip
    assert [row["threshold"] for row in rows] == ["0.1", "0.5", "0.5", "-0.25"]
    apart = confint(*PAIR, "--threshold", "glass_run=0.4", "-f", "json")
    assert json.loads(apart.out)["signature"]["thresholds"] == (
        "difference=0,glass_baseline=0.2,glass_run=0.4,correlation=0.9"
    )
    usual = by_quantity(records(confint(*PAIR)))
    for row in rows:
        same = usual[row["quantity"]]
        assert row["eap"] == same["eap"]
        higher = float(row["threshold"]) > float(same["threshold"])
        assert (float(row["probability"]) < float(same["probability"])) == higher


# Which pairs


def test_a_pair_is_the_same_alone_among_others_and_the_other_way_round(confint: Confint) -> None:
    alone = records(confint(*PAIR, "--digits", 9))
    everything = records(confint("bayes", *EVALS, "-m", "P_10,map", "--all-pairs", "--digits", 9,
                                 "--quiet"))  # fmt: skip
    assert len(everything) == 2 * 28 * 4
    same = [row for row in everything if (row["measure"], row["run"], row["baseline"]) ==
            ("map", "hybrid", "bm25")]  # fmt: skip
    assert same == alone
    turned = by_quantity(records(confint(
        "bayes", BM25, HYBRID, "-m", "map", "--baseline", "hybrid", "--digits", 9,
        "--threshold", "glass=-0.2")))  # fmt: skip
    for row in alone:
        name = row["quantity"]
        other = {"glass_run": "glass_baseline", "glass_baseline": "glass_run"}.get(name, name)
        mirrored = turned[other]
        if name == "correlation":
            assert {**row, "run": "", "baseline": ""} == {**mirrored, "run": "", "baseline": ""}
            continue
        assert float(row["eap"]) == pytest.approx(-float(mirrored["eap"]), abs=2e-9)
        assert float(row["low"]) == pytest.approx(-float(mirrored["high"]), abs=2e-9)
        p = float(row["probability"]), float(mirrored["probability"])
        assert sum(p) == pytest.approx(1, abs=2e-9)


def test_several_baselines_and_a_baseline_by_its_file(confint: Confint) -> None:
    args = ("bayes", BM25, HYBRID, DENSE, "-m", "map", "--draws", 2000)
    rows = records(confint(*args, "--baseline", "bm25,dense"))
    pairs = dict.fromkeys((row["run"], row["baseline"]) for row in rows)
    assert [*pairs] == [("hybrid", "bm25"), ("dense", "bm25"), ("hybrid", "dense"),
                        ("bm25", "dense")]  # fmt: skip
    by_file = confint("bayes", HYBRID, DENSE, "-m", "map", "--draws", 2000, "--baseline", BM25)
    assert records(by_file) == [row for row in rows if row["baseline"] == "bm25"]


def test_the_signature_has_draws_seed_thresholds_and_the_error(confint: Confint) -> None:
    found = json.loads(confint(*PAIR, "--draws", 5000, "-f", "json").out)
    assert found["signature"]["draws"] == "5000"
    assert found["signature"]["seed"] == "0"
    assert found["signature"]["thresholds"] == "difference=0,glass=0.2,correlation=0.9"
    few = max(row["high"] - row["low"] for row in found["rows"]) * 0.02
    assert 0 < float(found["signature"]["error"]) < few


@pytest.mark.parametrize("draws", [390, 500, 1000])
def test_fewer_draws_are_warned_of(draws: int, confint: Confint) -> None:
    result = confint(*PAIR, "--draws", draws)
    warned = re.search(r"--draws (\d+) would be enough", result.err)
    assert warned, result.err
    assert "credible 95%, map of hybrid" in result.err
    assert confint(*PAIR, "--draws", warned[1]).err == ""


def test_the_error_in_the_signature_is_that_of_the_differences(confint: Confint) -> None:
    """Glass's Δ by a run that hardly varies has limits far apart, and a large error of its own."""
    found = json.loads(confint("bayes", *EVALS, "-m", "map", "--baseline", "keyword", "-f", "json",
                               "--quiet").out)  # fmt: skip
    assert 0 < float(found["signature"]["error"]) < 0.001


# In words


def test_the_sentence_for_a_paper(confint: Confint) -> None:
    text = " ".join(confint("bayes", BM25, SAMPLES / "trec_eval/bm25-rm3.eval", "-m", "map",
                            "--baseline", "bm25", "-f", "table").out.split())  # fmt: skip
    found = json.loads(confint("bayes", BM25, SAMPLES / "trec_eval/bm25-rm3.eval", "-m", "map",
                               "--baseline", "bm25", "-f", "json").out)  # fmt: skip
    difference, glass, *_ = found["rows"]
    assert (
        f"With normal scores and flat priors, the probability that bm25-rm3 is better than bm25 is "
        f"{100 * difference['probability']:.1f}%; the difference is {difference['eap']:.4f}, "
        f"95% credible interval [{difference['low']:.4f}, {difference['high']:.4f}]; Glass's Δ is "
        f"{glass['eap']:.4f} [{glass['low']:.4f}, {glass['high']:.4f}], above 0.2 with a "
        f"probability of {100 * glass['probability']:.1f}% (map on 50 topics; EAPs; Δ uses "
        "the standard deviation of bm25)."
    ) in text


SAID = {
    "certain": (("--baseline", "bm25"), "that hybrid is better than bm25 is above 99.9%"),
    "hopeless": (("--baseline", "hybrid"), "that bm25 is better than hybrid is below 0.1%"),
    "by more": (("--baseline", "bm25", "--threshold", "difference=0.1"),
                "that hybrid is better than bm25 by more than 0.1 is 5"),
    "not much worse": (("--baseline", "bm25", "--threshold", "difference=-0.1"),
                       "that hybrid is better than bm25, or worse by less than 0.1, is above 99."),
    "rope": (("--baseline", "bm25", "--rope", "0.05", "0.1"),
             "The difference is below 0.05 with a probability of 0.3%, within [0.05, 0.1] with a "
             "probability of 44"),
    "level": (("--baseline", "bm25", "--level", "99"), "99% credible interval ["),
    "own topics": (("--baseline", "bm25", "--unpaired"),
                   "map, hybrid (50 topics) compared with bm25 (50 topics)"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_what_is_said(case: str, confint: Confint) -> None:
    options, expected = SAID[case]
    result = confint("bayes", BM25, HYBRID, "-m", "map", *options, "-f", "table")
    assert expected in " ".join(result.out.split())


def test_many_runs_have_a_row_each_and_a_warning_about_chance(confint: Confint) -> None:
    args = ("bayes", *EVALS, "-m", "map", "--quiet", "--draws", 5000)
    text = " ".join(confint(*args, "--baseline", "bm25", "-f", "table").out.split())
    said = "credible interval of the difference is above 0 for 1 of 7 runs and below 0 for 2."
    assert f"The 95% {said}" in text
    assert "among many comparisons, some look good by chance" in text
    pairs = " ".join(confint(*args, "--all-pairs", "-f", "table").out.split())
    rows = records(confint(*args, "--all-pairs"))
    apart = sum(float(row["low"]) > 0 or float(row["high"]) < 0
                for row in rows if row["quantity"] == "difference")  # fmt: skip
    assert f"excludes 0 for {apart} of 28 pairs." in pairs


def cells(markdown: str) -> dict[str, dict[str, str]]:
    """The rows of a Markdown table by their first cell and the names of the columns."""
    header, _, *rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in markdown.splitlines()
        if line.startswith("| ")
    ]
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows}


def test_what_people_read_is_what_the_long_table_has(confint: Confint) -> None:
    args = ("bayes", BM25, HYBRID, DENSE, "-m", "map", "--baseline", "bm25", "--classical",
            "--rope", "-0.01", "0.03")  # fmt: skip
    shown = cells(confint(*args, "-f", "markdown").out)
    for run in ("hybrid", "dense"):
        rows = by_quantity([row for row in records(confint(*args)) if row["run"] == run])
        difference, glass, by_run = (rows[name] for name in QUANTITIES[:3])
        here = shown[run]
        assert here["difference"] == difference["eap"]
        assert here["credible 95%"] == f"[{difference['low']}, {difference['high']}]"
        assert here["t 95%"] == f"[{difference['confidence_low']}, {difference['confidence_high']}]"
        assert here["Glass's Δ"] == glass["eap"]
        assert here["sample Δ"] == glass["sample"] != by_run["sample"]
        assert here["correlation"] == rows["correlation"]["eap"]
        if run == "dense":
            assert here["P(within)"] == difference["p_within"]
            assert here[r"P(\<-0.01)"] == difference["p_below"]
            assert here[r"P(\>0.03)"] == difference["p_above"]
    alone = cells(confint(*PAIR, "--unpaired", "--classical", "-f", "markdown").out)
    rows = by_quantity(records(confint(*PAIR, "--unpaired", "--classical")))
    low, high = (rows["difference"][f"confidence_{end}"] for end in ("low", "high"))
    assert alone["difference"]["welch 95%"] == f"[{low}, {high}]"
    assert alone["Glass's Δ (bm25)"]["EAP"] == rows["glass_baseline"]["eap"]
    assert alone["Glass's Δ (hybrid)"]["sample"] == rows["glass_run"]["sample"]
    assert alone["difference"]["SD"] == rows["difference"]["sd"]


def test_nothing_is_certain(confint: Confint) -> None:
    markdown = confint(*PAIR[:1], *EVALS, *PAIR[3:], "-f", "markdown", "--quiet").out
    rows = [line.split("|") for line in markdown.splitlines() if line.startswith("| ")]
    shown = {row[1].strip(): row[5].strip() for row in rows}
    assert shown["hybrid"] == ">0.9999"
    assert shown["keyword"] == "<0.0001"


# Bad input


def copies(tmp_path: Path) -> Path:
    random = np.random.default_rng(2)
    own = random.beta(2, 3, 20).round(4)
    runs = {
        "a": own,
        "same": own,
        "shifted": (0.5 * own + 0.1).round(6),
        "turned": (1 - own).round(4),
        "flat": np.full(20, 0.3),
        "b": random.beta(2, 3, 20).round(4),
    }
    return write(tmp_path / "c.tsv", {name: {"m": row.tolist()} for name, row in runs.items()})


NO_POSTERIOR = {
    "same": "'same' and 'a' have the same m on all topics",
    "shifted": "the m scores of 'shifted' and 'a' have correlation 1, as one is the other shifted "
    "or stretched",
    "turned": "the m scores of 'turned' and 'a' have correlation -1, as one is the other shifted "
    "or stretched",
    "flat": "the m of 'flat' is the same on all topics",
}


@pytest.mark.parametrize("run", NO_POSTERIOR)
def test_two_runs_without_a_posterior(run: str, tmp_path: Path, confint: Confint) -> None:
    path = copies(tmp_path)
    lines = [line for line in path.read_text().splitlines()
             if line.split("\t")[0] in ("run", "a", run)]  # fmt: skip
    path.write_text("\n".join([*lines, ""]))
    result = confint("bayes", path, "--baseline", "a")
    so = "the difference of the runs has no posterior"
    assert (result.status, result.out) == (1, "")
    assert result.err == f"confint: {NO_POSTERIOR[run]}: {so}\n"
    other_way = confint("bayes", path, "--baseline", run)
    if run == "flat":
        assert other_way.err == result.err
    assert (other_way.status, other_way.out) == (1, "")


def test_pairs_without_a_posterior_among_others(tmp_path: Path, confint: Confint) -> None:
    path = copies(tmp_path)
    result = confint("bayes", path, "--baseline", "a", "--draws", 2000)
    assert "4 of 5 pairs have no posterior: " in result.err
    assert "and 1 more" in result.err
    rows = [row for row in records(result) if row["quantity"] == "difference"]
    assert {row["run"]: row["note"] for row in rows} == {
        "same": "identical", "shifted": "correlation 1", "turned": "correlation -1",
        "flat": "no variance", "b": "",
    }  # fmt: skip
    for row in rows:
        empty = row["run"] != "b"
        assert all((row[name] == "") == empty for name in ("eap", "low", "probability", "ess"))
    text = confint("bayes", path, "--baseline", "a", "--draws", 2000, "-f", "table").out
    assert "correlation -1" in text
    assert "nan" not in text
    assert "is above 0 for none of 1 run and below 0 for none; 4 more have no interval." in (
        " ".join(text.split())
    )
    as_json = json.loads(confint("bayes", path, "--baseline", "a", "-f", "json").out)
    for row in as_json["rows"]:
        assert (row["eap"] is None) == (row["run"] != "b")
        assert (row["low"] is None) == (row["run"] != "b")


def test_what_is_classical_of_pairs_without_a_posterior(tmp_path: Path, confint: Confint) -> None:
    args = ("bayes", copies(tmp_path), "--baseline", "a", "--draws", 2000, "--classical")
    rows = records(confint(*args))
    p = {row["run"]: row["p_one_sided"] for row in rows if row["quantity"] == "difference"}
    assert p["same"] == "0.5"  # no difference, and none to be tested
    r = {row["run"]: row["sample"] for row in rows if row["quantity"] == "correlation"}
    assert (r["same"], r["turned"], r["flat"]) == ("1.0000", "-1.0000", "")


def test_runs_of_the_same_mean_and_mostly_ties(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(4)
    base = random.beta(2, 3, 20).round(4)
    other = base.copy()
    other[3] += 0.1
    runs = {"base": {"m": base.tolist()}, "other": {"m": other.tolist()}}
    rows = records(confint("bayes", write(tmp_path / "t.tsv", runs), "--baseline", "base"))
    assert {row["note"] for row in rows} == {"mostly ties"}


def test_unpaired_runs_of_very_different_size(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(4)
    runs = {"large": {"m": (1e90 * random.random(20)).tolist()},
            "small": {"m": (1e-90 * random.random(20)).tolist()}}  # fmt: skip
    args = (write(tmp_path / "t.tsv", runs), "--baseline", "small", "--unpaired", "--draws", 2000)
    rows = json.loads(confint("bayes", *args, "-f", "json").out)["rows"]
    assert all(math.isfinite(row[name]) for row in rows for name in ("low", "high", "probability"))
    assert rows[0]["probability"] > 0.99


def test_thresholds_as_far_off_as_one_likes(confint: Confint) -> None:
    far = ("--threshold", "difference=1e308", "--rope", "-1e308", "1e308")
    row = records(confint(*PAIR, *far))[0]
    assert (row["probability"], row["p_within"]) == ("0.0000", "1.0000")


@pytest.mark.parametrize("shift", [0.03, 0.05, 0.07, 0.1, 0.2])
def test_a_copy_that_is_shifted_by_the_threshold(
    shift: float, tmp_path: Path, confint: Confint
) -> None:
    """The differences are the threshold, but for rounding: no evidence either way."""
    random = np.random.default_rng(6)
    base, other = random.beta(2, 3, (2, 20)).round(4)
    runs = {"base": base, "copy": (base + shift).round(4), "other": other}
    path = write(tmp_path / "s.tsv", {name: {"m": row.tolist()} for name, row in runs.items()})
    rows = records(confint("bayes", path, "--baseline", "base", "--classical", "--draws", 2000,
                           "--threshold", f"difference={shift}"))  # fmt: skip
    p = {row["run"]: row["p_one_sided"] for row in rows if row["quantity"] == "difference"}
    assert p["copy"] == "0.5"


def test_few_topics_leave_long_tails(tmp_path: Path, confint: Confint) -> None:
    few = {"a": {"m": [0.1, 0.5, 0.3, 0.8, 0.7]}, "b": {"m": [0.15, 0.42, 0.38, 0.69, 0.77]}}
    result = confint("bayes", write(tmp_path / "few.tsv", few), "--baseline", "a")
    assert "5 topics give the posterior such long tails that its sd is uncertain by " in result.err
    path, _ = two(tmp_path, topics=10)
    assert confint("bayes", path, "--baseline", "base").err == ""
    path, _ = two(tmp_path, topics=9)
    assert "tails" not in confint("bayes", path, "--baseline", "base", "--draws", 2000).err


def test_few_topics_of_one_run_are_few(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(4)
    paths = [write(tmp_path / f"{name}.tsv", {name: {"m": random.beta(2, 3, n).round(4).tolist()}})
             for name, n in (("few", 5), ("many", 50))]  # fmt: skip
    for baseline in ("few", "many"):
        result = confint("bayes", *paths, "--unpaired", "--baseline", baseline)
        assert {row["note"] for row in records(result)} == {"few topics"}


def test_latex_has_the_sentence_to_be_copied(confint: Confint) -> None:
    latex = confint(*PAIR, "--rope", "-0.01", "0.01", "-f", "latex").out
    (sentence,) = [line for line in latex.splitlines() if "flat priors, the probability" in line]
    assert r"is above 99.9\%; the difference is 0.1024, 95\% credible interval [0." in sentence
    assert r"is below -0.01 with a probability below 0.1\%, within" in sentence
    assert r"and above 0.01 with a probability above 99.9\%." in sentence
    several = confint("bayes", BM25, HYBRID, DENSE, "-m", "map,P_10", "--baseline", "bm25",
                      "-f", "latex").out.splitlines()  # fmt: skip
    said = [line for line in several if "flat priors, the probability" in line]
    assert [line.partition(":")[0] for line in said] == [
        "% map, 50 topics, compared with bm25",
        r"% P\_10, 50 topics, compared with bm25",
    ]
    assert said[0].endswith(
        r"the probability that hybrid is better than bm25 is above 99.9\% and that dense is better "
        r"than bm25 is 78.0\%."
    )
    files = [SAMPLES / "trec_eval" / f"{name}.eval" for name in ("bm25", "dense", "hybrid",
             "tfidf", "keyword")]  # fmt: skip
    many = confint("bayes", *files, "-m", "map", "--baseline", "bm25", "-f", "table").out
    assert "The 95% credible interval of the difference is above 0 for 1 of 4 runs" in many


def test_the_method_of_bayes_is_not_one_of_the_others(confint: Confint) -> None:
    result = confint("interval", BM25, "-m", "map", "--method", "credible")
    assert result.err == "confint: credible is not for --method: 'confint bayes' gives it\n"
    everything = confint("methods", "bayesian").err
    assert "credible" in everything


def test_advice_for_levels_that_hardly_anybody_means(confint: Confint) -> None:
    result = confint(*PAIR, "--level", "0.01")
    assert "choose a higher level" in result.err


def test_copies_on_topics_of_their_own_are_no_copies(tmp_path: Path, confint: Confint) -> None:
    path = copies(tmp_path)
    result = confint("bayes", path, "--baseline", "a", "--unpaired", "--draws", 2000)
    notes = {row["run"]: row["note"] for row in records(result)}
    assert notes == {"same": "", "shifted": "", "turned": "", "flat": "no variance", "b": ""}


@pytest.mark.parametrize("unpaired", [[], ["--unpaired"]])
def test_too_few_topics(unpaired: list[str], tmp_path: Path, confint: Confint) -> None:
    path, _ = two(tmp_path, topics=4)
    result = confint("bayes", path, "--baseline", "base", *unpaired)
    assert (result.status, result.out) == (1, "")
    assert result.err.endswith("has 4 topics, and a comparison needs 5\n")
    path, _ = two(tmp_path, topics=5)
    rows = records(confint("bayes", path, "--baseline", "base", *unpaired))
    assert {row["note"] for row in rows} == {"few topics"}


CALLS = {
    "no name": (["--threshold", "0.5"],
                "--threshold '0.5' is not NAME=X\n  hint: such as --threshold difference=0.02"),
    "no quantity": (["--threshold", "glas=0.5"],
                    "no quantity is called 'glas'\n  hint: did you mean glass? there are: "
                    "difference, glass_baseline, glass_run, correlation, glass"),
    "twice": (["--threshold", "glass=0.5", "--threshold", "glass_run=0.1"],
              "--threshold glass_run is given twice"),
    "no number": (["--threshold", "difference=x"], "--threshold difference: 'x' is not a number"),
    "infinite": (["--threshold", "glass=inf"], "--threshold glass: 'inf' is not a number"),
    "nothing": (["--threshold", "glass="], "--threshold glass: '' is not a number"),
    "no correlation": (["--threshold", "correlation=1"],
                       "--threshold correlation=1 is not between -1 and 1"),
    "none unpaired": (["--unpaired", "--threshold", "correlation=0.5"],
                      "--unpaired runs have no correlation, and no threshold of it"),
    "turned rope": (["--rope", "0.1", "-0.1"],
                    "--rope 0.1 -0.1: LOW is not below HIGH\n  hint: did you mean --rope -0.1 "
                    "0.1?"),
    "empty rope": (["--rope", "0.1", "0.1"], "--rope 0.1 0.1: LOW is not below HIGH"),
    "rope of words": (["--rope", "a", "b"],
                      "--rope 'a' is not a number\n  hint: 'confint bayes "
                      "--help' explains the options"),
    "half a rope": (["--rope", "0.1"],
                    "option '--rope' requires 2 arguments\n  hint: 'confint bayes --help' explains "
                    "the options"),
    "several levels": (["--level", "0.9,0.95"], "bayes takes one --level at a time, not 2"),
    "few draws": (["--draws", "20"],
                  "20 draws are too few for level 0.95\n  hint: --draws 390 is the minimum, "
                  "and ten times as many are better"),
    "level": (["--level", "0.99999"],
              "1000000 draws, the largest number allowed, are too few for level 0.99999"),
    "many draws": (["--draws", "10000000"], None),
    "both": (["--all-pairs"], "--baseline and --all-pairs: use only one of them"),
    "missing": (["--unpaired", "--missing", "zero"],
                "--missing is for runs on the same topics, not with --unpaired"),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_calls_that_cannot_be_meant(case: str, confint: Confint) -> None:
    options, expected = CALLS[case]
    result = confint(*PAIR, *options)
    assert (result.status, result.out) == (2, "")
    if expected:
        assert result.err == f"confint: {expected}\n"
    else:
        assert result.err.startswith("confint: ")
        assert len(result.err.splitlines()) <= 2


def test_compared_with_nothing(confint: Confint) -> None:
    result = confint("bayes", BM25, HYBRID, DENSE, "-m", "map")
    assert (result.status, result.out) == (2, "")
    assert "compare with what? There are 3 runs" in result.err
    two, named = (
        confint("bayes", BM25, HYBRID, "-m", "map", *more) for more in ([], ["--baseline", "bm25"])
    )
    assert (two.status, two.out) == (0, named.out)
    assert "'hybrid' is compared with 'bm25', whose mean map is lower or equal" in two.err


def test_a_run_that_lacks_topics_is_named_below_every_table(confint: Confint) -> None:
    files = [SAMPLES / f"trec_eval/{name}.eval" for name in ("bm25", "early-stop", "dense")]
    call = ("bayes", *files, "-m", "map", "--draws", 1000, "--quiet")
    shown = confint(*call, "--baseline", "bm25,early-stop", "-f", "markdown").out
    assert shown.count("early-stop (4 topics missing)") == 2  # he is in both tables


# For Python


def answer(runs: str, *, densities: bool = False) -> Answer[BayesRow]:
    """Return what is believed of some runs, each a letter, compared with the first."""
    values = np.random.default_rng(8).beta(2, 3, (20, len(runs), 1))
    topics = tuple(map(str, range(20)))
    scores = Scores(values, topics, tuple(runs), ("m",), np.zeros(values.shape, bool))
    thresholds = dict.fromkeys(QUANTITIES, 0.1)
    question = Question(0.95, Drawing(2000, 3), thresholds, (-0.1, 0.1), densities=densities)
    return bayes(scores, (runs[0],), question)


def test_records_and_facts_have_types() -> None:
    believed = answer("abc")
    assert len(believed.rows) == 2 * 4
    assert {row.level for row in believed.rows} == {0.95}
    first = believed.rows[0]
    assert first.rope is not None
    assert first.p_below == first.rope.below
    assert first.rope.below + first.rope.within + first.rope.above == pytest.approx(1)
    assert (believed.rows[1].rope, believed.rows[1].p_within) == (None, None)
    assert believed.facts["rope"] == (-0.1, 0.1)
    assert believed.facts["thresholds"]["correlation"] == 0.1
    assert believed.facts["draws"] == 2000
    errors = [row.error for row in believed.rows if row.quantity == "difference"]
    assert believed.facts["error"] == max(errors)


@pytest.mark.parametrize("runs", ["ab", "abc"])
def test_a_figure_needs_no_curves_that_were_asked_for_before(runs: str) -> None:
    """They are drawn once more, from the same random numbers."""
    later, at_once = answer(runs), answer(runs, densities=True)
    assert {row.density for row in later.rows} == {None}
    assert draw("bayes", later, "svg") == draw("bayes", at_once, "svg")
    curves = [
        [row.density for row in with_densities(believed.rows, believed.facts)]
        for believed in (later, at_once)
    ]
    for one, other in zip(*curves, strict=True):
        assert one is not None
        assert other is not None
        assert (one.at == other.at).all()
        assert (one.height == other.height).all()
