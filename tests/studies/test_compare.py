"""`confint compare`, through the command line."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import gamma

from confint_cli.app.options import correct_option
from confint_cli.stats.corrections import CORRECTIONS
from confint_cli.stats.methods import usual_methods
from confint_cli.stats.significance import tests as all_tests
from confint_cli.studies.compare_view import CORRECTION_NAMES
from tests.conftest import SAMPLES, Confint, records, write

COLUMNS = (
    "measure run baseline topics mean baseline_mean difference method level low high t df "
    f"{' '.join(f'p_{name}' for name in all_tests())} p_adjusted glass_delta hedges_gz hedges_g "
    "wins ties losses note"
)
EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
BM25, HYBRID, DENSE = (SAMPLES / f"trec_eval/{name}.eval" for name in ("bm25", "hybrid", "dense"))


def three(tmp_path: Path, topics: int = 20) -> tuple[Path, dict[str, list[float]]]:
    numbers = np.random.default_rng(1).beta(1, 2, (3, topics)).round(4)
    runs = {name: row.tolist() for name, row in zip(["one", "two", "base"], numbers, strict=True)}
    return write(tmp_path / "x.tsv", {run: {"m": row} for run, row in runs.items()}), runs


# Numbers


def test_the_columns_and_values_are_those_of_scipy(tmp_path: Path, confint: Confint) -> None:
    path, runs = three(tmp_path)
    result = confint("compare", path, "--baseline", "base", "--test", "t,wilcoxon", "--digits", 9)
    assert result.out.splitlines()[0].split("\t") == COLUMNS.split()
    rows = records(result)
    assert {row["run"] for row in rows} == {"one", "two"}
    for row in rows:
        own, base = np.array(runs[row["run"]]), np.array(runs["base"])
        t = stats.ttest_rel(own, base)
        interval = t.confidence_interval(0.95)
        assert float(row["difference"]) == pytest.approx((own - base).mean())
        assert float(row["mean"]) == pytest.approx(own.mean())
        assert float(row["baseline_mean"]) == pytest.approx(base.mean())
        assert float(row["t"]) == pytest.approx(t.statistic)
        assert row["df"] == "19"
        assert float(row["p_t"]) == pytest.approx(t.pvalue, rel=1e-7)
        assert float(row["p_wilcoxon"]) == pytest.approx(stats.wilcoxon(own, base).pvalue, rel=1e-7)
        assert (float(row["low"]), float(row["high"])) == pytest.approx(interval)
        assert float(row["glass_delta"]) == pytest.approx((own - base).mean() / base.std(ddof=1))
        factor = gamma(19 / 2) / (np.sqrt(19 / 2) * gamma(18 / 2))
        d = (own - base).mean() / (own - base).std(ddof=1)
        assert float(row["hedges_gz"]) == pytest.approx(d * factor)
        assert row["hedges_g"] == ""  # of two samples, which these are not
        assert int(row["wins"]) == (own > base).sum()
        assert int(row["losses"]) == (own < base).sum()
        assert row["p_tukey"] == row["p_randomization"] == ""
    p = sorted(float(row["p_t"]) for row in rows)
    adjusted = sorted(float(row["p_adjusted"]) for row in rows)
    assert adjusted == pytest.approx([min(1, 2 * p[0]), max(min(1, 2 * p[0]), p[1])])


def test_the_numbers_of_sakais_book(data: Path, confint: Confint) -> None:
    """X minus Y: mean .0750, t 2.116, p .048, margin of the 95% interval .0742."""
    folder = data / "sakai-book"
    files = [folder / f"{name}.csv" for name in "XYZ"]
    (row,) = records(confint("compare", *files[:2], "--baseline", "Y", "--digits", 5))
    assert float(row["difference"]) == pytest.approx(0.0750, abs=5e-5)
    assert float(row["t"]) == pytest.approx(2.116, abs=5e-4)
    assert float(row["p_t"]) == pytest.approx(0.048, abs=5e-4)
    margin = (float(row["high"]) - float(row["low"])) / 2
    assert margin == pytest.approx(0.0742, abs=5e-5)


def test_every_interval_method_is_that_of_the_differences(tmp_path: Path, confint: Confint) -> None:
    """`interval` on the differences themselves, written to a file, gives the same limits."""
    path, runs = three(tmp_path)
    difference = [a - b for a, b in zip(runs["one"], runs["base"], strict=True)]
    alone = write(tmp_path / "d.tsv", {"d": {"m": difference}})
    compared = records(confint("compare", path, "--baseline", "base", "--method", "all"))
    own = [row for row in compared if row["run"] == "one"]
    for_any_scores = {name for name, method in usual_methods().items() if not method.domain}
    assert {row["method"] for row in own} == for_any_scores
    names = ",".join(row["method"] for row in own)
    expected = records(confint("interval", alone, "--method", names))
    for row, other in zip(own, expected, strict=True):
        assert (row["low"], row["high"]) == (other["low"], other["high"])


def test_all_pairs_have_the_better_run_first(confint: Confint) -> None:
    rows = records(confint("compare", *EVALS, "-m", "map,P_10", "--all-pairs", "--quiet"))
    assert len(rows) == 2 * 28
    assert all(float(row["difference"]) >= 0 for row in rows)
    for measure in ("map", "P_10"):
        pairs = {frozenset((row["run"], row["baseline"])) for row in rows
                 if row["measure"] == measure}  # fmt: skip
        assert len(pairs) == 28


def test_the_first_tests_p_is_corrected_over_the_comparisons_by_a_measure(
    confint: Confint,
) -> None:
    args = ("compare", *EVALS, "-m", "map,P_10", "--baseline", "bm25", "--quiet")
    both = records(confint(*args, "--correct", "bh", "--test", "wilcoxon,t"))
    for measure in ("map", "P_10"):
        rows = [row for row in both if row["measure"] == measure]
        p = [float(row["p_wilcoxon"]) for row in rows]
        found = [float(row["p_adjusted"]) for row in rows]
        assert found == pytest.approx(stats.false_discovery_control(p), rel=1e-3)
        assert found != pytest.approx([float(row["p_t"]) for row in rows], rel=1e-3)
        by = [float(row["p_adjusted"]) for row in records(confint(*args, "--correct", "by"))
              if row["measure"] == measure]  # fmt: skip
        t = [float(row["p_t"]) for row in rows]
        assert by == pytest.approx(stats.false_discovery_control(t, method="by"), rel=1e-3)
    assert {row["p_adjusted"] for row in records(confint(*args, "--correct", "none"))} == {""}
    shown = confint(*args, "--correct", "by", "-f", "table").out
    assert "p Benjamini-Yekutieli" in shown
    assert "Benjamini-Yekutieli correction for 7 comparisons" in " ".join(shown.split())


BETTER = (
    "confint: note: Holm's correction gives the same guarantee as Bonferroni's, with p-values that "
    "are never larger; use --correct holm"
)


@pytest.mark.parametrize("options", [[], ["--unpaired"]])
def test_bonferronis_correction_multiplies_p_and_names_a_better_one(
    options: list[str], confint: Confint
) -> None:
    args = ("compare", BM25, HYBRID, DENSE, "-m", "map,P_10", "--all-pairs", *options)
    result = confint(*args, "--correct", "bonferroni")
    assert result.err.splitlines().count(BETTER) == 1
    rows = records(result)
    assert len(rows) == 6
    assert [float(row["p_adjusted"]) for row in rows] == pytest.approx(
        [min(1, 3 * float(row["p_t"])) for row in rows], rel=1e-3
    )
    holm = [float(row["p_adjusted"]) for row in records(confint(*args))]
    assert all(a <= float(b["p_adjusted"]) for a, b in zip(holm, rows, strict=True))
    shown = confint(*args, "--correct", "bonferroni", "-f", "table").out
    assert "Bonferroni correction for 3 comparisons" in " ".join(shown.split())
    assert "p Bonferroni" in shown
    assert "|correct:bonferroni|family:3" in shown


def test_a_better_correction_is_named_only_where_there_is_one(confint: Confint) -> None:
    args = ("compare", "-m", "map", "--correct", "bonferroni", BM25, HYBRID)
    assert confint(*args, "--all-pairs").err == ""  # one comparison
    assert confint(*args, "--baseline", "bm25,hybrid").err == ""  # in both directions
    assert confint(*args, DENSE, "--all-pairs").err == f"{BETTER}\n"
    assert confint(*args, DENSE, "--all-pairs", "--quiet").err == ""
    assert confint(*args, DENSE, "--all-pairs", "--test", "tukey").err == ""


def test_tukeys_p_is_not_corrected(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--quiet", "--test", "tukey,t")
    rows = records(confint(*args, "--baseline", "bm25", "--resamples", 999))
    assert all(row["p_adjusted"] == row["p_tukey"] for row in rows)
    everything = records(confint(*args, "--all-pairs", "--resamples", 999))
    of_pair = {frozenset((row["run"], row["baseline"])): row["p_tukey"] for row in everything}
    for row in rows:  # all runs count, with a baseline too
        assert of_pair[frozenset((row["run"], "bm25"))] == row["p_tukey"]


def test_several_baselines_make_one_family(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--quiet", "-f", "json")
    found = json.loads(confint(*args, "--baseline", "bm25", "--baseline", "dense").out)
    assert [row["baseline"] for row in found["rows"]] == ["bm25"] * 7 + ["dense"] * 7
    assert found["signature"]["family"] == "13"
    assert found["signature"]["pairs"] == "with bm25,dense"
    again = json.loads(confint(*args, "--baseline", "bm25", "--baseline", "bm25").out)
    assert again["signature"]["family"] == "7"


def test_two_baselines_are_compared_with_each_other_once(confint: Confint) -> None:
    """Twice in the table, in either direction, but once in the family of Holm's correction."""
    args = ("compare", BM25, HYBRID, DENSE, "-m", "map", "-f", "json")
    both = json.loads(confint(*args, "--baseline", "bm25", "--baseline", "dense").out)
    assert both["signature"]["family"] == "3"
    assert len(both["rows"]) == 4
    everything = json.loads(confint(*args, "--all-pairs").out)
    of_pair = {frozenset((row["run"], row["baseline"])): row for row in everything["rows"]}
    for row in both["rows"]:
        same = of_pair[frozenset((row["run"], row["baseline"]))]
        assert row["p_adjusted"] == pytest.approx(same["p_adjusted"])
        assert abs(row["difference"]) == pytest.approx(same["difference"])


OUT_OF_REACH = {
    "draws": (["--test", "randomization", "--draws", "100"],
              "with 100 draws, randomization cannot give a p-value below 0.05 after correction for "
              "28 comparisons, however large the difference; --draws 560 would be enough"),
    "topics": (["--test", "randomization", "--every", "10"],
               "with 5 topics, randomization cannot give a p-value below 0.05 after correction for "
               "28 comparisons, however large the difference; --test t has no such limit"),
    "wilcoxon": (["--test", "wilcoxon", "--every", "10", "--correct", "bh"],
                 "with 5 topics, wilcoxon cannot give a p-value below 0.05, however large the "
                 "difference; --test t has no such limit"),
    "bh": (["--test", "randomization", "--draws", "100", "--correct", "bh"], ""),
    "by": (["--test", "randomization", "--draws", "70", "--correct", "by"],
           "with 70 draws, randomization cannot give a p-value below 0.05 after correction for 28 "
           "comparisons, however large the difference; --draws 79 would be enough"),  # 3.93/0.05
    "by is fine": (["--test", "randomization", "--draws", "79", "--correct", "by"], ""),
    "tukey": (["--test", "tukey", "--draws", "10"],
              "with 10 draws, tukey cannot give a p-value below 0.05, however large the "
              "difference; --draws 20 would be enough"),
    "six topics": (["--test", "randomization", "--every", "9"],
                   "with 6 topics, randomization cannot give a p-value below 0.05 after correction "
                   "for 28 comparisons, however large the difference; --test t has no such limit"),
    "fine": (["--test", "randomization", "--draws", "560"], ""),
    "t": (["--every", "10"], ""),
}  # fmt: skip


@pytest.mark.parametrize("kind", OUT_OF_REACH)
def test_a_warning_if_no_difference_could_be_significant(kind: str, confint: Confint) -> None:
    args, text = OUT_OF_REACH[kind]
    about_data = ("lacks", "skewed")
    err = confint("compare", *EVALS, "-m", "map", "--all-pairs", *args).err
    lines = [line for line in err.splitlines() if not any(word in line for word in about_data)]
    assert lines == ([f"confint: warning: {text}"] if text else [])
    if "--correct" not in args and "tukey" not in args:  # the smallest p is raised as by Holm
        err = confint("compare", *EVALS, "-m", "map", "--all-pairs", *args,
                      "--correct", "bonferroni").err  # fmt: skip
        said = [line for line in err.splitlines() if not any(word in line for word in about_data)]
        assert said == [*lines, BETTER]


# Which run is the baseline


@pytest.mark.parametrize("how", ["name", "file", "other path", "symlink", "further file"])
def test_a_baseline_by_name_or_file(
    how: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SAMPLES)
    os.symlink(BM25, tmp_path / "link")
    files = ["trec_eval/hybrid.eval", "trec_eval/dense.eval", "trec_eval/bm25.eval"]
    given = {
        "name": "bm25",
        "file": "trec_eval/bm25.eval",
        "other path": "../sample_runs/trec_eval/bm25.eval",
        "symlink": tmp_path / "link",
        "further file": "trec_eval/bm25.eval",
    }[how]
    if how == "further file":
        files.pop()
    rows = records(confint("compare", *files, "-m", "map", "--baseline", given))
    assert [(row["run"], row["baseline"]) for row in rows] == [
        ("hybrid", "bm25"),
        ("dense", "bm25"),
    ]


def test_a_baseline_that_is_a_run_file(confint: Confint) -> None:
    runs = [SAMPLES / f"runs/{name}.run" for name in ("hybrid", "bm25")]
    args = ("compare", "-q", SAMPLES / "qrels.txt", "-m", "AP", "--baseline", runs[1])
    (row,) = records(confint(*args, *runs))
    assert (row["run"], row["baseline"]) == ("hybrid", "bm25")
    assert records(confint(*args, runs[0])) == [row]


def test_baselines_separated_by_commas(confint: Confint) -> None:
    args = ("compare", BM25, HYBRID, DENSE, "-m", "map")
    assert confint(*args, "--baseline", "bm25, dense").out == (
        confint(*args, "--baseline", "bm25", "--baseline", "dense").out
    )


def test_a_path_that_is_not_there_is_no_baseline(confint: Confint) -> None:
    result = confint("compare", BM25, DENSE, "-m", "map", "--baseline", "runs/bm25")
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines() == [
        "confint: there is no file 'runs/bm25', and no run of that name",
        "  hint: did you mean bm25? there are: dense, bm25",
    ]


def test_a_run_named_like_a_file_nearby_is_the_run(
    tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = three(tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("base").write_text("1 Q0 doc 1 0.5 base\n")
    rows = records(confint("compare", path.name, "--baseline", "base"))
    assert {row["baseline"] for row in rows} == {"base"}


ERRORS = {
    "neither": ([], 2, [
        "confint: compare with what? There are 3 runs",
        "  hint: use --baseline RUN for one run, or --all-pairs for all pairs"]),
    "both": (["--baseline", "bm25", "--all-pairs"], 2, [
        "confint: --baseline and --all-pairs: use only one of them"]),
    "nearest": (["--baseline", "bn25"], 2, [
        "confint: no run is called 'bn25'",
        "  hint: did you mean bm25? there are: hybrid, dense, bm25"]),
    "test": (["--all-pairs", "--test", "anova"], 2, [
        "confint: no test is called 'anova'",
        f"  hint: did you mean tukey? there are: {', '.join(all_tests())}"]),
    "no test": (["--all-pairs", "--test", ","], 2, [
        "confint: --test names no test",
        f"  hint: there are: {', '.join(all_tests())}, or all"]),
    "logit": (["--all-pairs", "--method", "logit"], 2, [
        "confint: logit is only for scores from 0 to 1, not for differences of scores"]),
    "draws": (["--all-pairs", "--simultaneous", "--draws", "10"], 2, [
        "confint: 10 draws are too few for simultaneous intervals at level 0.95",
        "  hint: --draws 19 is the minimum, and ten times as many are better"]),
    "a draw": (["--all-pairs", "--simultaneous", "--draws", "1"], 2, [
        "confint: 1 draw is too few for simultaneous intervals at level 0.95",
        "  hint: --draws 19 is the minimum, and ten times as many are better"]),
    "draws of p": (["--all-pairs", "--correct", "max-t", "--resamples", "10"], 2, [
        "confint: 10 draws are too few for simultaneous intervals at level 0.95",
        "  hint: --draws 19 is the minimum, and ten times as many are better"]),
    "level": (["--all-pairs", "--simultaneous", "--level", "99.9999999"], 2, [
        "confint: 10000000 draws, the largest number allowed, are too few for simultaneous "
        "intervals at level 0.999999999"]),
    "max-t of another test": (["--all-pairs", "--correct", "max-t", "--test", "wilcoxon,t"], 2, [
        "confint: --correct max-t is for the t test, but the first --test is wilcoxon",
        "  hint: --correct holm is for any test"]),
    "strict": (["--all-pairs", "--strict"], 2, [
        "confint: --strict is for simultaneous intervals and their p-values",
        "  hint: use it with --simultaneous or --correct max-t"]),
    "unpaired max-t": (["--all-pairs", "--unpaired", "--correct", "max-t"], 2, [
        "confint: --correct max-t is for runs on the same topics, not with --unpaired"]),
    "max-t": (["--all-pairs", "--method", "max-t"], 2, [
        "confint: max-t is not for --method: 'confint compare --simultaneous' gives it"]),
    "unpaired test": (["--all-pairs", "--unpaired", "--test", "wilcoxon"], 2, [
        "confint: --unpaired has only one test, Welch's t test", "  hint: leave out --test"]),
    "unpaired method": (["--all-pairs", "--unpaired", "--method", "bca"], 2, [
        "confint: --unpaired has only one interval, Welch's t interval",
        "  hint: leave out --method"]),
    "unpaired simultaneous": (["--all-pairs", "--unpaired", "--simultaneous"], 2, [
        "confint: --simultaneous is for runs on the same topics, not with --unpaired"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ERRORS)
def test_calls_that_cannot_be_meant(kind: str, confint: Confint) -> None:
    args, status, lines = ERRORS[kind]
    result = confint("compare", "-m", "map", BM25, HYBRID, DENSE, *args)
    assert (result.status, result.out, result.err.splitlines()) == (status, "", lines)


def test_a_file_of_several_runs_is_no_baseline(tmp_path: Path, confint: Confint) -> None:
    path, _ = three(tmp_path)
    result = confint("compare", path, "--baseline", path)
    assert (result.status, result.out) == (2, "")
    assert "holds 3 runs: name one of them" in result.err
    assert "there are: one, two, base" in result.err


def test_a_single_run_has_nothing_to_be_compared_with(confint: Confint) -> None:
    for args in (["--all-pairs"], ["--baseline", "bm25"], ["--all-pairs", "--unpaired"]):
        result = confint("compare", "-m", "map", BM25, *args)
        assert (result.status, result.out) == (1, "")
        assert result.err.splitlines() == [
            "confint: on map, there is nothing to compare 'bm25' with: it is the only run",
            "  hint: give the files of two runs or more",
        ]


def test_one_topic_is_not_enough(confint: Confint) -> None:
    result = confint("compare", "-m", "map", BM25, DENSE, "--all-pairs", "--every", 50)
    assert (result.status, result.out) == (1, "")
    assert result.err == "confint: on map, 'dense' has 1 topic, and a comparison needs 2\n"


def long(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    lines = [f"{run}\t{topic}\tm\t{score}" for run, topic, score in rows]
    path.write_text("\n".join(["run\ttopic\tmeasure\tscore", *lines, ""]))
    return path


def test_pairs_with_fewer_than_two_topics_in_common(tmp_path: Path, confint: Confint) -> None:
    """`a` and `c` share topic 3 only: zeros for all others would be no comparison."""
    scores = {"a": "123", "b": "12345", "c": "345"}
    rows = [(run, topic, 0.1 * ord(run) % 0.7 + int(topic) / 50) for run in scores
            for topic in scores[run]]  # fmt: skip
    path = long(tmp_path / "x.tsv", rows)
    result = confint("compare", path, "--all-pairs", "--quiet")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        "confint: 'a' and 'c' have 1 topic in common on m",
        "  hint: a paired comparison needs 2; compare and bayes take --unpaired, for runs on "
        "different topics",
    ]
    assert confint("rank", path, "--quiet").err == result.err
    assert confint("compare", path, "--baseline", "b", "--quiet").status == 0
    assert confint("compare", path, "--all-pairs", "--unpaired", "--quiet").status == 0


def test_a_measure_that_allows_no_comparison_is_left_out(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [1, 2, 3]}, "b": {"m": [1, 2, 4], "k": [1, 2, 5]},
                                      "c": {"k": [3, 1, 2], "m": [1, 1, 1]}})  # fmt: skip
    result = confint("compare", path, "--baseline", "a")
    assert "warning: the baseline 'a' has no k, so there is no result for k" in result.err
    assert '"measures": "m"' in confint("compare", path, "--baseline", "a", "-f", "json").out
    assert {row["measure"] for row in records(result)} == {"m"}
    alone = confint("compare", path, "--baseline", "a", "-m", "k")
    assert (alone.status, alone.out) == (2, "")
    # In LaTeX all parts share their columns, however many runs a measure has.
    assert confint("compare", path, "--baseline", "b", "-f", "latex", "--quiet").status == 0
    one = confint("compare", path, "--baseline", "b", "-m", "k", "--topics", _list(tmp_path, "2"))
    assert (one.status, one.out) == (1, "")


def _list(tmp_path: Path, *names: str) -> Path:
    path = tmp_path / "names.txt"
    path.write_text("\n".join([*names, ""]))
    return path


def test_a_file_without_the_measure_is_no_baseline(
    tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    other = write(Path("other.tsv"), {"o": {"k": [1, 2, 3]}})
    result = confint("compare", BM25, DENSE, "-m", "map", "--baseline", other, "--quiet")
    assert result.status == 1
    assert result.err.splitlines() == [
        "confint: other.tsv: has none of the measures that are used",
        "  hint: choose others with -m",
    ]


# Degenerate differences: a defined answer and a word


DEGENERATE = {
    "identical": ([0.1, 0.5, 0.7] * 5, [0.1, 0.5, 0.7] * 5, "identical"),
    "last bits": ([0.1 + 0.2] * 6 + [0.5] * 6, [0.3] * 6 + [0.5] * 6, "identical"),
    "constant": ([0.25, 0.5, 0.75] * 5, [0.5, 0.75, 1.0] * 5, "no variance"),
    "mostly ties": ([0.5] * 50, [*[0.5] * 49, 0.75], "mostly ties, few differences"),
    "few topics": ([0.5, 0.3, 0.1] * 2, [0.1, 0.2, 0.2] * 2, "few topics"),
    "few and constant": ([0.5, 0.75] * 3, [0.25, 0.5] * 3, "few topics, no variance"),
    "scores of 100": ([30.1, 50.1, 70.1] * 4, [30.0, 50.0, 70.0] * 4, "no variance"),
    "no note": ([0.5, 0.2, 0.1] * 5, [0.1, 0.2, 0.2] * 5, ""),
}


@pytest.mark.parametrize("kind", DEGENERATE)
def test_a_word_on_degenerate_differences(kind: str, tmp_path: Path, confint: Confint) -> None:
    one, other, note = DEGENERATE[kind]
    path = write(tmp_path / "x.tsv", {"a": {"m": one}, "b": {"m": other}})
    result = confint("compare", path, "--baseline", "b", "--test", "all", "--method", "t,bca",
                     "--simultaneous", "--quiet")  # fmt: skip
    assert "nan" not in result.out
    rows = records(result)
    assert [row["method"] for row in rows] == ["t", "bca", "max-t"]
    assert {row["note"] for row in rows} == {note}
    if note == "identical":
        for row in rows:
            p = [row[name] for name in row if name.startswith("p_")]
            assert p == ["1"] * (len(all_tests()) + 1)
            assert {row["difference"], row["low"], row["high"], row["t"]} == {"0.0000"}
            assert (row["wins"], row["losses"]) == ("0", "0")
            assert row["glass_delta"] == row["hedges_gz"] == "0.0000"
        sentence = confint("compare", path, "--baseline", "b", "-f", "table").out
        assert "a and b have the same scores on all topics." in sentence
    if kind == "constant":
        ends = [(row["low"], row["high"]) for row in rows]
        assert ends == [("-0.2500", "-0.2500"), ("-0.2500", "-0.2500"), ("", "")]
        assert {row["hedges_gz"] for row in rows} == {""}
        assert {row["p_t"] for row in rows} == {"0"}


def test_two_topics_have_no_limits_for_all_comparisons(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.1, 0.5]}, "b": {"m": [0.4, 0.3]}})
    (row,) = records(confint("compare", path, "--baseline", "b", "--simultaneous"))
    assert (row["low"], row["high"], row["note"]) == ("", "", "few topics, unbounded")
    assert row["p_adjusted"] == "1"
    table = confint("compare", path, "--baseline", "b", "--simultaneous", "-f", "table").out
    assert "too few topics for 95% limits (max-t)" in " ".join(table.split())


def test_tukey_of_two_runs_says_what_it_is(confint: Confint) -> None:
    args = ("compare", "-m", "map", BM25, DENSE, "--all-pairs", "--test", "tukey")
    assert confint(*args).err == "confint: note: with two runs, tukey is the randomisation test\n"


# Intervals for all comparisons at once


def test_simultaneous_intervals_stand_alone_or_beside_others(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--baseline", "bm25", "--quiet", "--simultaneous")
    alone = records(confint(*args))
    assert [row["method"] for row in alone] == ["max-t"] * 7
    both = records(confint(*args, "--method", "t,bca"))
    assert [row["method"] for row in both] == ["t", "bca", "max-t"] * 7
    assert both[2::3] == alone
    for t, _, wide in zip(*[iter(both)] * 3, strict=True):
        assert float(wide["low"]) < float(t["low"]) <= float(t["high"]) < float(wide["high"])
    signature = json.loads(confint(*args, "-f", "json").out)["signature"]
    assert (signature["methods"], signature["correct"]) == ("max-t", "max-t")
    assert float(signature["error"]) > 0
    assert (signature["draws"], signature["seed"]) == ("10000", "0")
    assert not {"resamples", "max-t"} & {*signature}


def test_p_of_max_t_agrees_with_the_intervals(confint: Confint) -> None:
    """At several levels, and with draws such that p can be α itself."""
    args = ("compare", *EVALS, "-m", "map,P_10", "--all-pairs", "--simultaneous", "--quiet")
    for level in (0.5, 0.8, 0.9, 0.95):
        for strict in ([], ["--strict"]):
            every = records(confint(*args, "--level", level, "--draws", 199, *strict))
            rows = [row for row in every if row["low"]]
            assert {row["p_adjusted"] for row in every if not row["low"]} <= {"1"}
            apart = [float(row["low"]) > 0 or float(row["high"]) < 0 for row in rows]
            assert apart == [float(row["p_adjusted"]) <= round(1 - level, 9) for row in rows]
            assert 0 < sum(apart) < len(apart)


def test_p_of_max_t_that_is_alpha_itself_is_significant(tmp_path: Path, confint: Confint) -> None:
    """Of 19 draws the smallest p is 0.05; the interval leaves 0 out, and the mark says so too."""
    random = np.random.default_rng(1)
    worse = random.normal(0.3, 0.05, 30)
    path = write(tmp_path / "x.tsv", {"a": {"m": (worse + random.normal(0.2, 0.02, 30)).tolist()},
                                      "b": {"m": worse.tolist()}})  # fmt: skip
    args = ("compare", path, "--baseline", "b", "--simultaneous", "--draws", 19, "--quiet")
    (row,) = records(confint(*args))
    assert (row["p_adjusted"], float(row["low"]) > 0) == ("0.05", True)
    shown = " ".join(confint(*args, "-f", "table").out.split())
    assert "* p ≤ 0.05 by max-t." in shown
    assert "a is significantly better than b" in shown


def test_p_of_max_t_without_its_intervals(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--baseline", "bm25", "--quiet")
    p_only = records(confint(*args, "--correct", "max-t"))
    both = records(confint(*args, "--simultaneous", "--method", "t"))
    assert p_only == both[::2]
    assert {row["method"] for row in p_only} == {"t"}
    holm = records(confint(*args, "--simultaneous", "--correct", "holm"))
    assert [row["p_adjusted"] for row in holm] != [row["p_adjusted"] for row in p_only]
    assert [row["low"] for row in holm] == [row["low"] for row in both[1::2]]
    wilcoxon = records(confint(*args, "--simultaneous", "--test", "wilcoxon"))  # corrected by Holm
    assert [row["p_adjusted"] for row in wilcoxon] != [row["p_adjusted"] for row in p_only]


def test_strict_intervals_have_one_critical_value(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--all-pairs", "--simultaneous", "--quiet", "-f")

    def critical(*options: str) -> list[float]:
        rows = json.loads(confint(*args, "json", *options).out)["rows"]
        return [(row["high"] - row["low"]) / 2 / (row["difference"] / row["t"]) for row in rows]

    one = critical("--strict")
    assert max(one) == pytest.approx(min(one))
    balanced = critical()
    assert max(balanced) > 1.05 * min(balanced)
    assert np.median(one) > np.median(balanced)
    assert "|max-t:strict|" in confint(*args, "table", "--strict").out


def test_with_several_levels_p_of_max_t_is_that_of_its_row(
    tmp_path: Path, confint: Confint
) -> None:
    """Which pairs are left out depends on the level, and so does p; that of Holm does not."""
    random = np.random.default_rng(2)
    base = random.random(60)
    runs = {"base": base, "far": base + random.normal(0.05, 0.1, 60)}
    for run, changed in enumerate((6, 9, 14)):
        runs[f"r{run}"] = base + np.where(np.arange(60) % 60 < changed, 0.1 * random.random(60), 0)
    path = write(tmp_path / "x.tsv", {run: {"m": row.tolist()} for run, row in runs.items()})
    args = ("compare", path, "--baseline", "base", "--simultaneous", "--draws", 2999)
    levels = (0.999, 0.95, 0.8)
    result = confint(*args, "--level", ",".join(map(str, levels)))
    both = records(result)
    assert {row["note"] for row in both} >= {"", "few differences"}
    for place, level in enumerate(levels):
        alone = records(confint(*args, "--level", level, "--quiet"))
        assert [row for row in both if row["level"] == str(level)] == alone, place
        for row in alone:
            apart = bool(row["low"]) and (float(row["low"]) > 0 or float(row["high"]) < 0)
            assert apart == (float(row["p_adjusted"]) <= round(1 - level, 9))
    said = [line for line in result.err.splitlines() if "too few to distinguish them" in line]
    assert len(said) == len(set(said)) >= 1  # each once, though it is so at several levels
    assert {row["p_adjusted"] for row in both if not row["low"]} == {"1"}


def test_of_one_comparison_the_p_that_decides_is_shown(tmp_path: Path, confint: Confint) -> None:
    """Skewed differences that t tells apart and max-t does not."""
    random = np.random.default_rng(16)
    base = random.random(40)
    better = base + np.where(random.random(40) < 0.15, random.exponential(0.2, 40), 0)
    path = write(tmp_path / "x.tsv", {"a": {"m": better.tolist()}, "b": {"m": base.tolist()}})
    args = ("compare", path, "--baseline", "b", "--correct", "max-t", "--quiet")
    (row,) = records(confint(*args))
    assert float(row["p_t"]) < 0.05 < float(row["p_adjusted"])
    shown = " ".join(confint(*args, "-f", "table").out.split())
    assert "p p max-t" in shown
    assert "a and b cannot be told apart" in shown
    assert f"; p = {float(row['p_adjusted']):.4f} (max-t)." in shown
    shown = " ".join(confint(*args, "--simultaneous", "--method", "t", "-f", "table").out.split())
    assert "with 95% confidence (max-t) between" in shown


def test_intervals_that_p_is_not_by_may_say_otherwise(confint: Confint) -> None:
    args = ("compare", "-m", "map", "--baseline", "bm25", "--simultaneous", *EVALS, "-f", "table")
    said = "hold for all 7 at once, approximately"
    for test in ("tukey", "wilcoxon"):
        shown = " ".join(confint(*args, "--test", test).out.split())
        assert f"max-t intervals {said}; p comes from another test, and may disagree." in shown
    shown = " ".join(confint(*args, "--strict").out.split())
    assert f"max-t intervals (strict) {said}. " in shown


@pytest.mark.parametrize(("topics", "level", "enough"), [(4, "0.95", False), (5, "0.95", True),
                                                         (5, "0.99", False), (6, "0.99", True),
                                                         (6, "0.9999", False)])  # fmt: skip
def test_few_topics_have_no_limits_for_all_comparisons(
    topics: int, level: str, enough: bool, tmp_path: Path, confint: Confint
) -> None:
    """Resamples of one topic only, which have no variance, must be rarer than a tenth of α."""
    random = np.random.default_rng(topics)
    runs = {run: {"m": random.random(topics).tolist()} for run in "abc"}
    path = write(tmp_path / "x.tsv", runs)
    result = confint("compare", path, "--all-pairs", "--simultaneous", "--level", level,
                     "--draws", 20_000)  # fmt: skip
    ends = {row["low"] for row in records(result)}
    assert (ends == {""}) == (not enough)
    assert "inf" not in result.out
    percent = f"{float(level) * 100:g}%"
    said = f"on m, {topics} topics are too few for max-t at {percent}"
    assert (said in result.err) == (not enough)
    assert "differ by the same" not in result.err


def test_draws_that_nothing_is_drawn_with_are_spoken_of(confint: Confint) -> None:
    args = ("compare", BM25, HYBRID, "-m", "map", "--all-pairs", "--draws", 500)
    assert confint(*args).err == (
        "confint: note: nothing is drawn at random, so --draws makes no difference\n"
    )
    assert confint(*args, "--test", "randomization").err == ""


def test_few_draws_are_spoken_of_where_no_interval_shows_it(confint: Confint) -> None:
    args = ("-m", "map", "--draws", 19, *EVALS)
    said = "19 draws are few to distinguish runs on map: the Monte Carlo error of simultaneous"
    assert said in confint("compare", "--all-pairs", "--correct", "max-t", *args).err
    assert said in confint("rank", *args).err
    assert "draws are few" not in confint("rank", "-m", "map", *EVALS).err


def test_resamples_set_draws_too(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--baseline", "bm25", "--test", "randomization")
    assert confint(*args, "--resamples", 999).out == confint(*args, "--draws", 999).out
    signed = (*args, "--method", "percentile", "-f", "json", "--resamples", 999, "--draws", 500)
    signature = json.loads(confint(*signed).out)["signature"]
    assert (signature["resamples"], signature["draws"]) == ("999", "500")


def test_runs_that_differ_on_few_topics_are_not_told_apart(
    tmp_path: Path, confint: Confint
) -> None:
    """Of 50 topics 2 differ: t is far from 0, but resamples may lack both of them."""
    random = np.random.default_rng(0)
    base = np.linspace(0.1, 0.9, 50)
    near = base.copy()
    near[[3, 13]] += [0.1, 0.05]
    far = base + random.normal(0.1, 0.05, 50)
    path = write(tmp_path / "x.tsv", {name: {"m": row.tolist()} for name, row in
                                      (("base", base), ("near", near), ("far", far))})  # fmt: skip
    args = ("compare", path, "--baseline", "base", "--simultaneous", "--method", "t")
    result = confint(*args)
    assert result.err == (
        "confint: note: on m, 1 pair of runs differs on at most 2 topics: too few to distinguish "
        "them\n"
    )
    rows = {(row["run"], row["method"]): row for row in records(result)}
    assert (rows["near", "max-t"]["low"], rows["near", "max-t"]["high"]) == ("", "")
    assert rows["near", "max-t"]["p_adjusted"] == "1"
    for method in ("t", "max-t"):
        assert rows["near", method]["note"] == "mostly ties, few differences"
        assert rows["far", method]["note"] == ""
    assert float(rows["far", "max-t"]["low"]) > 0
    shown = " ".join(confint(*args[:-2], "-f", "table", "--quiet").out.split())
    assert (
        "near and base cannot be told apart: the difference is 0.0030, the runs differ on too few "
        "topics for 95% limits (max-t); p = 1.0000 (max-t)."
    ) in shown
    assert "far is significantly better than base: the difference is " in shown


def test_differences_that_are_all_equal_say_nothing_of_how_they_vary(
    tmp_path: Path, confint: Confint
) -> None:
    base = np.linspace(0.1, 0.5, 30)
    path = write(tmp_path / "x.tsv", {"base": {"m": base.tolist()},
                                      "moved": {"m": (base + 0.25).tolist()}})  # fmt: skip
    result = confint("compare", path, "--baseline", "base", "--simultaneous", "--method", "t")
    assert "1 pair of runs differs by the same amount on nearly all topics" in result.err
    t, max_t = records(result)
    assert (t["low"], t["high"], t["note"]) == ("0.2500", "0.2500", "no variance")
    assert (max_t["low"], max_t["high"], max_t["note"]) == ("", "", "no variance")
    assert max_t["p_adjusted"] == "1"
    shown = confint("compare", path, "--baseline", "base", "--simultaneous", "-f", "table").out
    assert "the differences vary too little for 95% limits (max-t)" in " ".join(shown.split())


def test_few_draws_for_an_extreme_level_give_a_warning(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--all-pairs", "--simultaneous", "--level", 0.999)
    result = confint(*args, "--draws", 1000)
    assert "1000 draws are few for 28 of 28 intervals" in result.err
    assert "max-t 99.9%" in result.err


# Unpaired


def test_unpaired_is_welch_of_scipy_on_topics_of_their_own(
    tmp_path: Path, confint: Confint
) -> None:
    random_numbers = np.random.default_rng(3)
    one, other = random_numbers.beta(1, 2, 31).round(4), random_numbers.beta(2, 2, 18).round(4)
    rows = [("a", str(topic), score) for topic, score in enumerate(one.tolist())]
    rows += [("b", f"x{topic}", score) for topic, score in enumerate(other.tolist())]
    path = long(tmp_path / "x.tsv", rows)
    assert confint("compare", path, "--baseline", "b").status == 1
    result = confint("compare", path, "--baseline", "b", "--unpaired", "--digits", 9,
                     "--level", "0.9,0.95")  # fmt: skip
    assert result.err == ""
    assert '"missing": "own topics"' in confint("compare", path, "--all-pairs", "--unpaired", "-f",
                                                "json").out  # fmt: skip
    row = records(result)[1]
    expected = stats.ttest_ind(one, other, equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert (row["topics"], row["baseline_topics"]) == ("31", "18")
    assert row["method"] == "welch"
    assert float(row["t"]) == pytest.approx(expected.statistic)
    assert float(row["df"]) == pytest.approx(expected.df)
    assert float(row["p_t"]) == pytest.approx(expected.pvalue, rel=1e-7)
    assert (float(row["low"]), float(row["high"])) == pytest.approx(interval)
    difference = one.mean() - other.mean()
    assert float(row["glass_delta"]) == pytest.approx(difference / other.std(ddof=1))
    pooled = np.sqrt((30 * one.var(ddof=1) + 17 * other.var(ddof=1)) / 47)
    factor = gamma(47 / 2) / (np.sqrt(47 / 2) * gamma(46 / 2))
    assert float(row["hedges_g"]) == pytest.approx(difference / pooled * factor)
    assert row["hedges_gz"] == ""  # there are no differences to have a standard deviation
    assert row["wins"] == row["ties"] == row["losses"] == ""


def test_unpaired_runs_count_on_the_topics_that_they_have(tmp_path: Path, confint: Confint) -> None:
    rows = [("a", "1", 0.5), ("a", "2", 0.25), ("b", "1", 0.5), ("b", "2", 0.5), ("b", "3", 0.4)]
    rows += [("c", "x", 0.1), ("c", "y", 0.3)]
    path = long(tmp_path / "x.tsv", rows)
    result = confint("compare", path, "--baseline", "c", "--unpaired")
    assert result.err.splitlines() == [
        "confint: warning: on m, each run counts on the topics that it has: a has 2, b has 3"
    ]
    found = {row["run"]: (row["topics"], row["mean"]) for row in records(result)}
    assert found == {"a": ("2", "0.3750"), "b": ("3", "0.4667")}
    refused = confint("compare", path, "--baseline", "c", "--unpaired", "--missing", "drop")
    assert (refused.status, refused.out) == (2, "")
    assert "--missing is for runs on the same topics" in refused.err


def test_unpaired_runs_that_could_be_paired_are_told_so(confint: Confint) -> None:
    result = confint("compare", BM25, DENSE, "-m", "map", "--all-pairs", "--unpaired")
    assert result.err.splitlines() == [
        "confint: note: all runs have the same 50 topics: without --unpaired they are compared "
        "topic by topic, which distinguishes more runs"
    ]


def test_unpaired_runs_have_zeros_for_judged_topics(confint: Confint) -> None:
    runs = [SAMPLES / f"runs/{name}.run" for name in ("early-stop", "bm25")]
    args = ("compare", "-q", SAMPLES / "qrels.txt", "-m", "AP", "--all-pairs", "--unpaired", *runs)
    result = confint(*args)
    assert "early-stop lacks 4; scored 0 there" in result.err
    (row,) = records(result)
    assert (row["topics"], row["baseline_topics"]) == ("50", "50")


def test_equal_means_but_for_their_last_bits_are_equal(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.3] * 9}, "b": {"m": [0.1 + 0.2] * 9}})
    (row,) = records(confint("compare", path, "--all-pairs", "--unpaired"))
    assert (row["difference"], row["p_t"]) == ("0.0000", "1")


@pytest.mark.parametrize("size", [1e-170, 1.0, 1e90])
def test_welch_of_scores_of_any_size(size: float, tmp_path: Path, confint: Confint) -> None:
    _, runs = three(tmp_path)
    scaled = {run: {"m": [value * size for value in row]} for run, row in runs.items()}
    path = write(tmp_path / "scaled.tsv", scaled)
    rows = records(confint("compare", path, "--baseline", "base", "--unpaired"))
    for row in rows:
        expected = stats.ttest_ind(runs[row["run"]], runs["base"], equal_var=False)
        assert float(row["p_t"]) == pytest.approx(expected.pvalue, rel=1e-3)
        assert float(row["df"]) == pytest.approx(expected.df, abs=1e-4)


# What people read


def test_marks_and_words_of_a_table(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--baseline", "bm25", "--quiet")
    out = confint(*args, "-f", "table").out
    assert out.startswith("map, 50 topics, compared with bm25\n")
    assert "* p < 0.05 by the paired t test, Holm correction for 7 comparisons." in out
    words = " ".join(out.split())
    assert "1 of 7 runs is significantly better than bm25, and 2 are worse." in words
    marked = {line.split()[0] for line in out.splitlines() if re.search(r"[0-9]\*", line)}
    rows = records(confint(*args))
    assert marked == {row["run"] for row in rows if float(row["p_adjusted"]) < 0.05}
    assert len(marked) == 3
    loose = confint(*args, "-f", "table", "--correct", "none", "--level", 0.9).out
    assert "* p < 0.1 by the paired t test, not corrected for 7 comparisons." in loose
    assert "bm25-rm3    0.2809     0.0303*" in loose
    several = confint(*args, "-f", "table", "--level", "0.99,0.9", "--method", "t,basic").out
    assert "* p < 0.01 by the paired t test" in several
    assert "Each t or basic interval is meant to have its confidence on its own;" in several
    signature = json.loads(confint(*args, "-f", "json", "--test", "tukey").out)["signature"]
    assert (signature["correct"], signature["family"]) == ("none", "28")
    tukey = confint(*args, "-f", "table", "--test", "tukey").out
    legend = " ".join(tukey.split())
    assert (
        "randomised Tukey HSD test, for all 8 runs at once. tukey tests whether runs are "
        "exchangeable, not only whether means are equal; prefer --correct max-t, with --strict "
        "where rare topics may decide." in legend
    )
    second = confint(*args, "-f", "table", "--test", "t,tukey").out
    assert "exchangeable" not in second  # the mark goes by t


def test_one_pair_is_told_in_a_sentence(confint: Confint) -> None:
    def said(*args: object) -> str:
        out = confint("compare", "-m", "map", "-f", "table", *args).out
        return " ".join(out.split())

    assert (
        "hybrid is significantly better than bm25: the difference is 0.1024, with 95% confidence "
        "(t) between 0.0668 and 0.1380; p < 0.0001." in said(BM25, HYBRID, "--baseline", "bm25")
    )
    assert (
        "bm25 is significantly worse than hybrid: the difference is -0.1024, with 95% confidence "
        "(t) between -0.1380 and -0.0668" in said(BM25, HYBRID, "--baseline", "hybrid")
    )
    assert (
        "dense and bm25 cannot be told apart: the difference is 0.0159, with 95% confidence (t) "
        "between -0.0237 and 0.0556; p = 0.4236." in said(BM25, DENSE, "--all-pairs")
    )


def test_wilcoxon_does_not_say_who_has_the_better_mean(tmp_path: Path, confint: Confint) -> None:
    """Better on 26 topics by a little, worse on 4 by much: the test and the mean disagree."""
    base = np.linspace(0.2, 0.8, 30)
    run = base + np.where(np.arange(30) < 26, 0.01, -0.1) + np.arange(30) / 10_000
    path = write(tmp_path / "x.tsv", {"a": {"m": run.tolist()}, "b": {"m": base.tolist()}})
    args = ("compare", path, "--baseline", "b", "--test", "wilcoxon")
    (row,) = records(confint(*args))
    assert float(row["difference"]) < 0
    assert float(row["p_wilcoxon"]) < 0.05
    assert "a and b can be told apart: the difference is -0.0" in (
        " ".join(confint(*args, "-f", "table").out.split())
    )


def test_scores_of_very_different_size_are_not_compared(tmp_path: Path, confint: Confint) -> None:
    runs = {"a": {"m": [1e10, 2e10, 4e10]}, "b": {"m": [0.1, 0.2, 0.4]}, "c": {"m": [0.0] * 3}}
    path = write(tmp_path / "x.tsv", runs)
    for command in (["compare", "--all-pairs"], ["rank"]):
        result = confint(*command, path)
        assert (result.status, result.out) == (1, "")
        assert result.err == (
            "confint: the m of 'a' goes up to 4e+10, that of 'b' to 0.4: these cannot be compared\n"
        )
    tiny = {run: {"m": [value * 1e-310 for value in (1, 2, 4, place)]}
            for place, run in enumerate("ab")}  # fmt: skip
    path = write(tmp_path / "tiny.tsv", tiny)
    args = ("compare", path, "--all-pairs", "--test", "all", "--simultaneous", "-f", "json")
    result = confint(*args)
    assert result.status == 0
    assert "NaN" not in result.out
    assert "Warning" not in result.err


def test_latex_and_markdown_explain_their_marks(confint: Confint) -> None:
    args = ("compare", *EVALS, "-m", "map", "--baseline", "bm25", "--quiet")
    latex = confint(*args, "-f", "latex").out
    assert r"0.1024\rlap{{*}}" in latex
    assert (
        r"\par\smallskip{\footnotesize {*} p \textless{} 0.05 by the paired t test, Holm "
        r"correction for 7 comparisons. Missing topics count as 0: early-stop (4 topics "
        r"missing). Glass's $\Delta$: the difference in standard deviations of the baseline's "
        "scores. " in latex
    )
    assert "% has characters" not in latex
    markdown = confint(*args, "-f", "markdown").out
    assert r"0.1024\*" in markdown
    assert r"\* p \< 0.05 by the paired t test, Holm correction for 7 comparisons." in markdown


@pytest.mark.parametrize("command", ["compare", "bayes --draws 1000", "risk --r 1 --method t"])
def test_topics_that_a_run_or_its_baseline_lacks_are_noted(command: str, confint: Confint) -> None:
    call = (*command.split(), *EVALS, "-m", "map", "--quiet")
    rows = records(confint(*call, "--baseline", "bm25"))
    assert {(row["run"], row["note"]) for row in rows if "missing" in row["note"]} == {
        ("early-stop", "4 topics missing")
    }
    rows = records(confint(*call, "--baseline", "early-stop"))
    assert all("baseline: 4 topics missing" in row["note"] for row in rows)
    table = " ".join(confint(*call, "--baseline", "bm25", "-f", "table").out.split())
    assert "Missing topics count as 0: early-stop (4 topics missing)." in table
    dropped = records(confint(*call, "--baseline", "bm25", "--missing", "drop"))
    assert not any("missing" in row["note"] for row in dropped)


def test_every_correction_has_a_name_and_a_choice() -> None:
    choices = correct_option().type.choices
    assert {*CORRECTIONS, "none"} == {*choices}
    everything = correct_option(max_t="if").type.choices
    assert {*everything} == {*choices, "max-t"}
    assert {*CORRECTION_NAMES} == {*CORRECTIONS, "max-t"}
