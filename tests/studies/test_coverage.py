"""`confint coverage`, through the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from confint_cli.common.parallel import ALONE
from confint_cli.scores.scores import Scores
from confint_cli.stats.coverage import Simulation
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.flags import Doubt
from confint_cli.stats.methods import usual_methods
from confint_cli.studies.coverage import coverage, over_runs
from confint_cli.studies.coverage_view import closest_method, verdict
from confint_cli.studies.covered import Covered, covered_of
from tests.conftest import SAMPLES, Confint, Result, records, write

EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
HEADER = (
    "measure run method level sample_size replicates coverage coverage_low coverage_high "
    "miss_low miss_high width note"
)
SUMMARY = (
    "measure method level sample_size runs mean sd min q1 median q3 max error_mean error_sd "
    "error_max width distance miss_low miss_high"
)
BM25 = SAMPLES / "trec_eval/bm25.eval"


def numbers(result: Result, column: str) -> list[float]:
    return [float(row[column]) for row in records(result)]


def test_the_columns_and_defaults(confint: Confint) -> None:
    result = confint("coverage", BM25, "-m", "map", "--digits", 6)
    assert result.out.splitlines()[0].split("\t") == HEADER.split()
    rows = records(result)
    assert [row["method"] for row in rows] == ["t", "percentile", "bootstrap-t", "bca"]
    for row in rows:
        assert (row["level"], row["sample_size"], row["replicates"]) == ("0.95", "50", "1000")
        share = float(row["coverage"])
        low, high = stats.binomtest(round(1000 * share), 1000).proportion_ci(0.95, "wilson")
        assert float(row["coverage_low"]) == pytest.approx(low, abs=1e-6)
        assert float(row["coverage_high"]) == pytest.approx(high, abs=1e-6)
        missed = float(row["miss_low"]) + float(row["miss_high"])
        assert share + missed == pytest.approx(1)
        assert 0.92 < share < 0.98
    assert result.err == ""


def test_misses_are_told_apart(tmp_path: Path, confint: Confint) -> None:
    """Of scores with a long tail to the right, samples without it lie too low: truth above."""
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.0] * 9 + [1.0]}})
    (row,) = records(confint("coverage", path, "--method", "t", "--sample-size", 5))
    assert float(row["miss_low"]) < 0.01 < 0.4 < float(row["miss_high"])
    # A sample of zeros, which is [0, 0], has the probability 0.9⁵; each other covers.
    assert float(row["miss_high"]) == pytest.approx(0.9**5, abs=0.05)
    assert row["note"] == "few topics, mostly zeros"


def test_sizes_levels_and_methods_in_one_call_and_each_alone(confint: Confint) -> None:
    options = ("-m", "map", "--replicates", 100, "--without-replacement")
    together = confint(
        "coverage", *EVALS[:3], *options, "--sample-size", "5,10", "--sample-size", "20",
        "--level", "0.95,80", "--method", "t,basic",
    )  # fmt: skip
    rows = records(together)
    assert len(rows) == 3 * 2 * 2 * 3
    assert {row["sample_size"] for row in rows} == {"5", "10", "20"}
    alone = records(
        confint("coverage", EVALS[1], *options, "--sample-size", 10, "--level", 0.8,
                "--method", "basic")
    )  # fmt: skip
    assert [row for row in alone if row not in rows] == []


def test_another_spelling_of_a_measure_covers_the_same(confint: Confint) -> None:
    options = ("-m", "map,P_10", "--replicates", 20, "--resamples", 199)
    expected = confint("coverage", *EVALS, *options)
    spelled = confint("coverage", *EVALS, *options[2:], "-m", "AP,P@10")
    assert spelled.rows == [
        [{"map": "AP", "P_10": "P@10"}[row[0]], *row[1:]] for row in expected.rows
    ]


def test_a_sample_larger_than_the_collection_is_fine_with_replacement(confint: Confint) -> None:
    widths = numbers(
        confint("coverage", BM25, "-m", "map", "--method", "t", "--sample-size", "50,200"), "width"
    )
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.05)


def test_z_is_the_normal_interval_of_the_known_sd(confint: Confint) -> None:
    scores = np.array(numbers(confint("score", BM25, "-m", "map"), "score"))
    (width,) = numbers(
        confint("coverage", BM25, "-m", "map", "--method", "z", "--digits", 9), "width"
    )
    expected = 2 * stats.norm.ppf(0.975) * scores.std() / np.sqrt(50)
    assert width == pytest.approx(expected, abs=1e-8)


def test_z_is_for_coverage_only_and_not_part_of_all(confint: Confint) -> None:
    result = confint("interval", BM25, "--method", "z")
    assert (result.status, result.err) == (
        2,
        "confint: z needs the whole population, which only 'confint coverage' has\n"
        "  hint: use t, which estimates the standard deviation from the scores\n",
    )
    rows = records(confint("coverage", BM25, "-m", "map", "--method", "all", "--replicates", 10))
    assert [row["method"] for row in rows] == [name for name in usual_methods() if name != "wilson"]


def test_standardising_by_all_is_coverage_of_standardised_scores(
    tmp_path: Path, confint: Confint
) -> None:
    values = np.random.default_rng(0).random((12, 4)).round(3)
    values[5] = 0.5
    runs = {f"r{place}": {"m": values[:, place].tolist()} for place in range(4)}
    result = confint("coverage", write(tmp_path / "x.tsv", runs), "--standardize", "all",
                     "--method", "t,z", "--replicates", 100, "--digits", 9)  # fmt: skip
    assert result.err == (
        "confint: note: on m, the runs to standardise by score alike on 1 of 12 topics, left out: "
        "6\n"
    )
    values = np.delete(values, 5, axis=0)
    z = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, ddof=1, keepdims=True)
    runs = {f"r{place}": {"m": z[:, place].tolist()} for place in range(4)}
    expected = confint("coverage", write(tmp_path / "z.tsv", runs), "--method", "t,z",
                       "--replicates", 100, "--digits", 9)  # fmt: skip
    assert result.out == expected.out
    assert {row["sample_size"] for row in records(result)} == {"11"}


def test_standardising_by_some_says_how_many_topics_it_left_out(
    tmp_path: Path, confint: Confint
) -> None:
    values = np.random.default_rng(0).random((12, 4)).round(3)
    values[5] = 0.5
    runs = {f"r{place}": {"m": values[:, place].tolist()} for place in range(4)}
    result = confint("coverage", write(tmp_path / "x.tsv", runs), "--standardize", 2,
                     "--method", "t", "--replicates", 50)  # fmt: skip
    assert result.err == (
        "confint: note: on m, runs drawn to standardise by scored alike on 1 of 12 topics on "
        "average; such topics are left out\n"
    )
    assert {row["note"] for row in records(result)} == {""}


def test_the_summary_is_over_the_runs(confint: Confint) -> None:
    options = ("-m", "map", "--replicates", 200, "--method", "t,bca", "--digits", 9)
    full = records(confint("coverage", *EVALS, *options))
    result = confint("coverage", *EVALS, *options, "--summary")
    assert result.out.splitlines()[0].split("\t") == SUMMARY.split()
    for row in records(result):
        values, widths = (
            np.array([float(one[name]) for one in full if one["method"] == row["method"]])
            for name in ("coverage", "width")
        )
        below, above = (
            np.mean([float(one[name]) for one in full if one["method"] == row["method"]])
            for name in ("miss_low", "miss_high")
        )
        expected = {
            "mean": values.mean(), "sd": values.std(ddof=1), "min": values.min(),
            "q1": np.quantile(values, 0.25), "median": np.median(values),
            "q3": np.quantile(values, 0.75), "max": values.max(),
            "error_mean": (1 - values).mean(), "error_sd": (1 - values).std(ddof=1),
            "error_max": (1 - values).max(), "width": widths.mean(),
            "distance": np.abs(values - 0.95).mean(), "miss_low": below, "miss_high": above,
        }  # fmt: skip
        assert row["runs"] == str(len(EVALS))
        for name, value in expected.items():
            assert float(row[name]) == pytest.approx(value, abs=1e-8), name


def test_runs_without_variance_say_so_and_are_no_part_of_the_summary(
    tmp_path: Path, confint: Confint
) -> None:
    scores = np.random.default_rng(0).random(12).tolist()
    path = write(tmp_path / "x.tsv", {"same": {"m": [0.1] * 12}, "b": {"m": scores}})
    rows = records(confint("coverage", path, "--method", "t,bca", "--replicates", 100))
    same = [row for row in rows if row["run"] == "same"]
    assert [(row["coverage"], row["width"], row["note"]) for row in same] == [
        ("1.0000", "0.0000", "no variance")
    ] * 2
    result = confint("coverage", path, "--method", "t", "--replicates", 100, "--summary")
    assert (
        result.err == "confint: note: 1 run has no variance on m, left out of the summary: same\n"
    )
    (row,) = records(result)
    assert (row["runs"], row["sd"]) == ("1", "")
    only = write(tmp_path / "y.tsv", {"same": {"m": [0.1] * 12}})
    shown = confint("coverage", only, "--method", "t", "--replicates", 100, "-f", "table")
    assert "All scores are equal, so there is no uncertainty." in " ".join(shown.out.split())
    nothing = confint("coverage", only, "--method", "t", "--replicates", 100, "--summary")
    assert (nothing.status, nothing.rows) == (0, [])
    told = table(confint, only, "--method", "t", "--replicates", 100, "--summary")
    assert told.startswith("no variance measure runs")
    assert "m 1 All scores are equal, so there is no uncertainty. confint:" in told


def test_unbounded_intervals_say_so(confint: Confint) -> None:
    path = SAMPLES / "trec_eval/keyword.eval"
    options = ("-m", "map", "--sample-size", 5, "--replicates", 50, "--method", "bootstrap-t")
    (row,) = records(confint("coverage", path, *options))
    assert (row["width"], row["note"]) == ("inf", "few topics, mostly zeros, unbounded")
    (record,) = json.loads(confint("coverage", path, *options, "-f", "json").out)["rows"]
    assert record["width"] is None


# Records


def scores_of(**runs: list[float]) -> Scores:
    values = np.array([*runs.values()]).T[:, :, None]
    topics = tuple(map(str, range(len(values))))
    return Scores(values, topics, tuple(runs), ("m",), np.zeros(values.shape, bool))


def test_records_know_which_samples_two_methods_cover_both() -> None:
    """From them the arrays are made that verdicts need, with runs and methods in their order."""
    estimation = Estimation(("t", "percentile", "z"), (0.9, 0.5), resamples=199, workers=ALONE)
    random = np.random.default_rng(0)
    scores = scores_of(a=random.random(12).tolist(), b=[0.3] * 12, c=random.random(12).tolist())
    answer = coverage(
        scores, estimation, Simulation(60, (4, 6), replacement=False), best_first=False
    )
    assert answer.facts["sample_size"] == (4, 6)
    assert answer.facts["replacement"] is False
    assert answer.facts["error"] == max(row.error for row in answer.rows)
    assert all(bool(row.doubts & Doubt.NO_VARIANCE) != row.varies for row in answer.rows)
    results = covered_of(answer.rows)
    assert [(one.size, one.level) for one in results] == [(4, 0.9), (4, 0.5), (6, 0.9), (6, 0.5)]
    for one in results:
        assert (one.runs, one.methods) == (("a", "b", "c"), ("t", "percentile", "z"))
        assert one.varies.tolist() == [True, False, True]
        assert np.array_equal(one.both, one.both.transpose(0, 2, 1))
        assert np.array_equal(np.einsum("rmm->rm", one.both), one.coverage)
        least = one.coverage[:, :, None] + one.coverage[:, None] - 1
        assert (one.both >= least - 1e-12).all()
        for run, name in enumerate(one.runs):
            for method, its_name in enumerate(one.methods):
                (row,) = (
                    row
                    for row in answer.rows
                    if (row.run, row.method, row.sample_size, row.level)
                    == (name, its_name, one.size, one.level)
                )
                assert row.coverage == one.coverage[run, method]
                assert row.miss_low == one.miss_low[run, method]
                assert row.width == one.width[run, method]


def test_a_summary_keeps_the_records_that_it_sums_up() -> None:
    estimation = Estimation(("t", "z"), (0.95,), workers=ALONE)
    answer = coverage(scores_of(a=[0.1, 0.4, 0.3], b=[0.5] * 3), estimation, Simulation(20))
    summary = over_runs(answer)
    assert [row.runs for row in summary.rows] == [1, 1]
    assert (summary.details, summary.facts) == (answer.rows, answer.facts)
    assert summary.notices[: len(answer.notices)] == answer.notices
    nothing = over_runs(coverage(scores_of(b=[0.5] * 3), estimation, Simulation(20)))
    assert nothing.rows == []
    assert [table.title for table in nothing.for_people().tables] == ["no variance"]


# What people read


def table(confint: Confint, *args: object) -> str:
    """The table in one line, without its layout."""
    result = confint("coverage", *args, "-f", "table")
    assert result.status == 0, result.err
    return " ".join(result.out.split())


def test_the_closest_method_is_named_with_what_chance_allows(confint: Confint) -> None:
    few = table(confint, BM25, "-m", "map", "--method", "t,percentile", "--replicates", 100)
    assert "); this may be chance: more --replicates may show which is closer." in few
    # Of five topics, percentile intervals cover far too rarely, t intervals nearly enough.
    many = table(confint, *EVALS[:4], "-m", "map", "--method", "percentile,t", "--sample-size", 5)
    assert "Of the two, t is closer to 95%: a run's coverage is off by 0.0" in many
    assert "on average (chance by itself: 0.0055). It covers 0.9" in many
    assert "The other is percentile (off by 0.1" in many
    assert "), which is farther off by more than chance." in many
    assert (
        "< covers less often than 95%, judged by the 95% interval of the coverage itself." in many
    )


@pytest.mark.parametrize(
    ("method", "size", "said"),
    [
        ("t", 50, "which is no farther from 95% than chance allows"),
        ("basic", 5, "too rarely by more than chance"),
    ],
)
def test_one_method_is_judged_by_its_level(
    confint: Confint, method: str, size: int, said: str
) -> None:
    args = (BM25, "-m", "map", "--method", method, "--sample-size", size)
    (row,) = records(confint("coverage", *args))
    assert (
        f" {method} covers {row['coverage']}, {said}; {row['miss_low']} of its intervals lie above "
        f"the truth and {row['miss_high']} below it. confint:"
    ) in table(confint, *args)


def covered(both: np.ndarray, replicates: int) -> Covered:
    """Of runs whose scores vary, how often the 95% intervals of t and bca cover."""
    runs, none = len(both), np.zeros((len(both), 2))
    return Covered(
        "m", 50, 0.95, replicates, tuple(map(str, range(runs))), ("t", "bca"),
        coverage=np.einsum("rmm->rm", both), low=none, high=none + 1, both=both, miss_low=none,
        miss_high=none, width=none, varies=np.ones(runs, dtype=bool),
        one_value=np.zeros(runs, dtype=bool), doubts=np.zeros((runs, 2), np.intp),
    )  # fmt: skip


def test_errors_that_cancel_do_not_make_a_method_the_closest() -> None:
    """Of two runs t covers one too often and one too seldom, bca both a little too seldom."""
    both = np.array([[[0.99, 0.93], [0.93, 0.935]], [[0.91, 0.90], [0.90, 0.935]]])
    found = covered(both, 1000)
    assert closest_method(found) == "bca"
    assert found.distance.tolist() == pytest.approx([0.04, 0.015])


def test_z_does_not_come_closest_as_nobody_can_use_it(confint: Confint) -> None:
    text = table(confint, BM25, "-m", "map", "--method", "z,t", "--sample-size", 5)
    assert " t covers 0.9" in text
    assert "Closest" not in text
    assert " z covers 0.9" in table(confint, BM25, "-m", "map", "--method", "z")


def test_runs_of_zeros_are_named(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(0)
    poor = [0.0] * 19 + [0.5]
    runs = {"good": {"m": random.random(20).tolist()}, "poor": {"m": poor}, "bad": {"m": poor}}
    path = write(tmp_path / "x.tsv", runs)
    text = table(confint, path, "--method", "t,bca", "--replicates", 100)
    assert (
        "All of them cover too rarely for 2 runs with the same score on nearly all topics: bad, "
        "poor."
    ) in text
    alone = write(tmp_path / "y.tsv", {"poor": {"m": poor}})
    options = ("--method", "t", "--replicates", 50)
    said = "It covers too rarely: the run has the same score on nearly all topics."
    assert said in table(confint, alone, *options)
    ones = write(tmp_path / "z.tsv", {"good": {"m": [1 - score for score in poor]}})
    assert said in table(confint, ones, *options)


def test_a_run_of_zeros_that_a_method_covers_is_not_given_up(
    tmp_path: Path, confint: Confint
) -> None:
    """Wilson's interval of a proportion works where others do not."""
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.0] * 18 + [1.0] * 2}})
    options = ("--replicates", 300)
    rows = records(confint("coverage", path, "--method", "t,wilson", *options))
    assert float(rows[0]["coverage"]) < 0.9 < float(rows[1]["coverage"])
    said = "cover too rarely: the run has the same score"
    assert said not in table(confint, path, "--method", "t,wilson", *options)
    assert said in table(confint, path, "--method", "t,bca", *options)


def test_the_closest_may_be_poor_or_without_limits_and_is_told_so(confint: Confint) -> None:
    five = table(confint, BM25, "-m", "map", "--method", "t,basic", "--sample-size", 5)
    assert "Of the two, t is closer to 95%, and it covers 0.9" in five
    assert ", too rarely by more than chance; 0.0" in five
    assert " of its intervals lie above the truth and 0.0" in five
    assert " below it. The other is basic (off by 0.1" in five
    keyword = SAMPLES / "trec_eval/keyword.eval"
    options = ("-m", "map", "--method", "t,bootstrap-t", "--replicates", 200)
    assert "But some of its bootstrap-t intervals have no limit." in table(
        confint, keyword, *options
    )
    assert "But some bootstrap-t intervals of 1 run have no limit." in table(
        confint, keyword, SAMPLES / "trec_eval/dense.eval", *options
    )


def test_methods_that_are_alike_are_as_close(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.1, 0.5]}})
    text = table(confint, path, "--method", "percentile,basic", "--replicates", 100)
    assert ". The other is basic (off by 0." in text
    assert "), which is just as close." in text


def verdict_on(random: np.random.Generator, true: np.ndarray, replicates: int = 1000) -> str:
    """What is said of two methods that cover so often, [run, method], in samples of their own."""
    both = np.empty((len(true), 2, 2))
    for run, (one, other) in enumerate(true):
        u = random.random(replicates)
        v = np.where(random.random(replicates) < 0.8, u, random.random(replicates))  # much alike
        covers = np.stack([u < one, v < other]).astype(float)
        both[run] = covers @ covers.T / replicates
    return "".join(map(str, verdict(covered(both, replicates))))


def test_one_method_is_seldom_called_farther_off_if_it_is_not() -> None:
    """Equally far off, on the same side or on different ones; and found if it is farther off."""
    random = np.random.default_rng(0)
    farther = "farther off by more than chance"
    for one, other in ((0.95, 0.95), (0.93, 0.93), (0.94, 0.96), (0.97, 0.97)):
        true = np.full((8, 2), (one, other))
        told = [farther in verdict_on(random, true) for _ in range(200)]
        assert np.mean(told) <= 0.1, (one, other)  # at two standard errors, 5%
    mixed = np.full((8, 2), 0.95)
    mixed[0] = 0.89, 0.94
    told = [farther in verdict_on(random, mixed) for _ in range(50)]
    assert np.mean(told) > 0.8


def test_distances_that_differ_in_their_last_bits_only_are_equal() -> None:
    """.05 above the level is as far off as .05 below it, whatever floats make of it."""
    both = np.array([[[0.9, 0.9], [0.9, 1.0]], [[0.95, 0.95], [0.95, 0.95]]])
    found = covered(both, 20)
    assert found.distance[0] != found.distance[1]
    assert closest_method(found) == "t"
    assert "), which is just as close." in "".join(map(str, verdict(found)))


@pytest.mark.parametrize("method", ["t", "t,basic"])
def test_one_sample_proves_nothing(confint: Confint, method: str) -> None:
    text = table(confint, *EVALS, "-m", "map", "--method", method, "--replicates", 1)
    assert "by more than chance" not in text
    assert "error:0|" not in text


def test_several_tables_are_summed_up(confint: Confint) -> None:
    call = (*EVALS, "-m", "map", "--method", "percentile,t", "--sample-size", "5,10",
            "--replicates", 300)  # fmt: skip
    assert "t is closest in both cases." in table(confint, *call)
    assert "t is closest in both cases." in table(confint, *call, "--summary")


def test_the_signature_has_what_it_takes_to_repeat_it(confint: Confint) -> None:
    result = confint("coverage", *EVALS[:3], "-m", "map", "--method", "t", "--replicates", 10,
                     "--standardize", 2, "--sample-size", "5,6", "--without-replacement",
                     "--seed", 7, "--signature")  # fmt: skip
    signature = dict(part.split(":") for part in result.out.splitlines()[0][2:].split("|"))
    expected = {"command": "coverage", "methods": "t", "levels": "0.95", "replicates": "10",
                "sample-size": "5,6", "replacement": "no", "standardize": "2",
                "seed": "7"}  # fmt: skip
    assert expected.items() <= signature.items()
    assert "resamples" not in signature  # t needs none
    rows = records(Result(0, result.out.partition("\n")[2], ""))
    widest = max(float(row["coverage_high"]) - float(row["coverage_low"]) for row in rows)
    assert float(signature["error"]) == pytest.approx(widest / (2 * 1.96), rel=0.05)


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--sample-size 51 --without-replacement",
         "confint: --sample-size 51 is more than the 50 topics of map, and each can be drawn only "
         "once\n  hint: leave out --without-replacement, or draw fewer topics\n"),
        ("--sample-size 1",
         "confint: --sample-size 1 is too small: an interval needs two topics or more\n"),
        ("--sample-size 0",
         "confint: --sample-size 0 is too small: an interval needs two topics or more\n"),
        ("--sample-size 5,x", "confint: --sample-size 'x' is not a whole number\n"),
        ("--sample-size ,", "confint: --sample-size names no size\n"),
        ("--sample-size 5.5", "confint: --sample-size '5.5' is not a whole number\n"),
        ("--sample-size 99999999999",
         "confint: --sample-size 99999999999 is too large: the largest is 10000000\n"),
        ("--replicates 0",
         "confint: --replicates 0 is below 1\n"
         "  hint: 'confint coverage --help' explains the options\n"),
        ("--standardize 1",
         "confint: --standardize 1 is too few: scores are standardised by the spread of two runs "
         "or more\n  hint: 'all' uses all runs\n"),
        ("--standardize 3",
         "confint: --standardize 3 needs 4 runs or more, and map has 3 runs\n"
         "  hint: a run is standardised by other runs; 'all' uses all of them\n"),
        ("--standardize some",
         "confint: --standardize 'some' is not 'all', a whole number or a file\n"
         "  hint: to standardise by runs that you name, use 'confint standardize --reference'\n"),
        ("--resamples 10",
         "confint: 10 resamples are too few for level 0.95\n"
         "  hint: --resamples 39 is the minimum, and ten times as many are better\n"),
    ],
)  # fmt: skip
def test_a_bad_call_is_refused(confint: Confint, options: str, message: str) -> None:
    result = confint("coverage", *EVALS[:3], "-m", "map", *options.split())
    assert (result.status, result.out) == (2, "")
    assert result.err.removeprefix(WARNING) == message


WARNING = (
    "confint: warning: 1 run lacks some of the 50 topics: early-stop lacks 4; scored 0 there\n"
)


def test_one_run_cannot_be_standardised(confint: Confint) -> None:
    result = confint("coverage", BM25, "-m", "map", "--standardize", "all")
    assert (result.status, result.err) == (
        2,
        "confint: map is standardised by the spread of two runs or more, but 'bm25' is the only "
        "run\n"
        "  hint: give more runs, or use factors from other runs: see 'confint standardize "
        "--help'\n")  # fmt: skip


def test_too_few_topics_to_standardise_are_an_error(tmp_path: Path, confint: Confint) -> None:
    """The runs that are drawn to standardise by differ on the first topic only."""
    runs = {run: {"m": [place / 8, *[0.5] * 9]} for place, run in enumerate("abcdef")}
    path = write(tmp_path / "x.tsv", runs)
    for jobs in ("1", "2"):
        result = confint(
            "coverage", path, "--standardize", "2", "--sample-size", "4", "--jobs", jobs
        )
        assert (result.status, result.out, result.err) == (
            1,
            "",
            "confint: on m, 2 runs to standardise by differ on as few as 1 topic, too few for a "
            "sample\n  hint: use more runs to standardise by, or draw smaller samples\n",
        )


def test_unfit_data_are_refused(tmp_path: Path, confint: Confint) -> None:
    one = write(tmp_path / "one.tsv", {"a": {"m": [0.5]}})
    result = confint("coverage", one)
    assert (result.status, result.err) == (
        1,
        "confint: m has 1 topic, too few to draw from\n  hint: a sample needs two topics or more\n",
    )
    alike = write(tmp_path / "alike.tsv", {"a": {"m": [0.5, 0.2]}, "b": {"m": [0.5, 0.3]}})
    result = confint("coverage", alike, "--standardize", "all")
    assert (result.status, result.err) == (
        1,
        "confint: warning: with two runs standardised by each other, scores only say which is "
        "better\n"
        "confint: note: on m, the runs to standardise by score alike on 1 of 2 topics, left out: "
        "1\n"
        "confint: m has 1 topic, too few to draw from\n"
        "  hint: a sample needs two topics or more\n",
    )
    result = confint("coverage", *EVALS, "-m", "map", "--standardize", 2, "--method", "logit",
                     "--quiet")  # fmt: skip
    assert result.status == 1
    assert result.err.startswith(
        "confint: logit is only for scores from 0 to 1, and the standardised map of "
    )


def test_most_topics_without_replacement_are_no_proper_sample(confint: Confint) -> None:
    result = confint("coverage", BM25, "-m", "map", "--without-replacement", "--replicates", 20)
    assert result.err == (
        "confint: warning: samples of 50 of 50 topics without replacement are closer to the true "
        "mean than samples of new topics would be: correct 95% intervals would cover it 100% of "
        "the time; choose a smaller --sample-size, or leave out --without-replacement\n"
    )
    fifth = confint("coverage", BM25, "-m", "map", "--without-replacement", "--replicates", 20,
                    "--sample-size", "5,10")  # fmt: skip
    assert fifth.err.count("warning") == 1
    assert "samples of 10 of 50 topics" in fifth.err
    # 2Φ(1.96/√.8) - 1
    assert "correct 95% intervals would cover it 97.2% of the time;" in fifth.err
    half = confint("coverage", BM25, "-m", "map", "--without-replacement", "--replicates", 20,
                   "--sample-size", 25, "--level", 0.99)  # fmt: skip
    assert "correct 99% intervals would cover it 99.973% of the time;" in half.err
    assert set(numbers(result, "coverage")) == {1.0}
    several = confint("coverage", BM25, "-m", "map,P_10,ndcg", "--without-replacement",
                      "--replicates", 20)  # fmt: skip
    assert several.err == result.err  # once, not for each measure
    options = ("-m", "map", "--without-replacement", "--replicates", 20, "--sample-size")
    assert "6 of 50 topics" in confint("coverage", BM25, *options, 6).err
    assert confint("coverage", BM25, *options, 5).err == ""


def test_few_resamples_are_told(confint: Confint) -> None:
    options = ("-m", "map", "--replicates", 20, "--resamples")
    assert confint("coverage", BM25, *options, 389).err == (
        "confint: warning: 389 resamples are few: limits are so uncertain that coverage suffers; "
        "--resamples 390 would be enough\n"
    )
    assert confint("coverage", BM25, *options, 390).err == ""
    assert confint("coverage", BM25, *options, 1, "--method", "t").err == ""


def test_constant_scores_get_no_mark(tmp_path: Path, confint: Confint) -> None:
    scores = np.random.default_rng(0).random(12).tolist()
    path = write(tmp_path / "x.tsv", {"same": {"m": [0.1] * 12}, "b": {"m": scores}})
    text = table(confint, path, "--method", "t", "--replicates", 200)
    assert "same 1.0000 no variance" in text


@pytest.mark.parametrize("order", ["name", "input"])
def test_the_order_of_runs_makes_no_difference_to_standardised_scores(
    confint: Confint, order: str
) -> None:
    for by in ("2", "all"):
        options = ("-m", "map", "--method", "t,bca", "--replicates", 60, "--standardize", by,
                   "-f", "jsonl")  # fmt: skip
        best_first = confint("coverage", *EVALS, *options).out.splitlines()
        otherwise = confint("coverage", *EVALS, *options, "--sort", order).out.splitlines()
        assert sorted(best_first) == sorted(otherwise)
