"""`confint summary`, through the command line."""

from pathlib import Path

import pytest
from scipy import stats

from tests.conftest import SAMPLES, Confint, records

HEADER = "measure run method level topics mean sd se low high shape note"
EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
TABLE = """run,measure,mean,sd,n
ours,map,0.31,0.21,50
theirs,AP,0.25,0.2,149
theirs,P@10,0.5,0.3,149
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results.csv").write_text(TABLE)


def test_one_result_of_a_paper(confint: Confint) -> None:
    """Soboroff's weaver1: mean .2175; his sd divides by n, and gives his published interval."""
    result = confint("summary", "--mean", 0.2175, "--sd", 0.2408, "--n", 50, "-m", "map")
    assert result.out.splitlines()[0] == HEADER.replace(" ", "\t")
    (row,) = records(result)
    low, high = stats.t.interval(0.95, 49, 0.2175, 0.2408 / 50**0.5)
    assert (row["low"], row["high"]) == (f"{low:.4f}", f"{high:.4f}") == ("0.1491", "0.2859")
    assert (row["run"], row["measure"], row["method"], row["topics"]) == ("1", "map", "t", "50")


def test_a_table_with_several_spellings_of_a_measure(confint: Confint) -> None:
    rows = records(confint("summary", "results.csv", "--level", "0.9,0.95"))
    assert [(row["measure"], row["run"], row["level"]) for row in rows] == [
        ("map", "ours", "0.9"), ("map", "ours", "0.95"), ("map", "theirs", "0.9"),
        ("map", "theirs", "0.95"), ("P@10", "theirs", "0.9"), ("P@10", "theirs", "0.95"),
    ]  # fmt: skip
    some = records(confint("summary", "results.csv", "-m", "P_10"))
    assert [(row["measure"], row["run"]) for row in some] == [("P@10", "theirs")]


def test_a_comparison_is_welch_of_scipy(confint: Confint) -> None:
    result = confint("summary", "results.csv", "-m", "map", "--baseline", "theirs", "--digits", 7)
    (row,) = records(result)
    expected = stats.ttest_ind_from_stats(0.31, 0.21, 50, 0.25, 0.2, 149, equal_var=False)
    assert float(row["t"]) == pytest.approx(expected.statistic, abs=1e-7)
    assert float(row["p_t"]) == pytest.approx(expected.pvalue, rel=1e-6)
    assert float(row["difference"]) == pytest.approx(0.06)
    half = stats.t.ppf(0.975, float(row["df"])) * (0.21**2 / 50 + 0.2**2 / 149) ** 0.5
    assert float(row["high"]) == pytest.approx(0.06 + half, abs=1e-6)
    assert (row["method"], row["topics"], row["baseline_topics"]) == ("welch", "50", "149")


def test_bonferronis_correction_multiplies_p_and_names_a_better_one(confint: Confint) -> None:
    Path("more.csv").write_text(f"{TABLE}others,map,0.3,0.2,50\n")
    args = ("summary", "more.csv", "-m", "map", "--baseline", "theirs", "--correct")
    result = confint(*args, "bonferroni")
    assert result.err.count("never larger; use --correct holm\n") == 1
    rows = records(result)
    assert len(rows) == 2
    for row in rows:
        assert float(row["p_adjusted"]) == pytest.approx(min(1, 2 * float(row["p_t"])), rel=1e-3)
    holm = records(confint(*args, "holm"))
    assert [row["p_adjusted"] for row in holm] != [row["p_adjusted"] for row in rows]
    alone = confint("summary", *args[2:], "bonferroni", "results.csv")
    assert (alone.status, alone.err) == (0, "")


def test_what_interval_writes_compares_as_compare_unpaired(confint: Confint) -> None:
    """From all digits of mean and sd, the same numbers; rows of several methods are one result."""
    args = (*(path for path in EVALS if path.stem != "early-stop"), "-m", "map,P_10")
    intervals = confint("interval", *args, "--digits", 17)
    again = confint("summary", "-", "--baseline", "bm25", stdin=intervals.out.encode())
    direct = confint("compare", *args, "--baseline", "bm25", "--unpaired")
    assert again.out == direct.out
    assert len(records(again)) == 12


def test_several_results_in_the_call(confint: Confint) -> None:
    args = ("--mean", 0.3, "--sd", 0.2, "--n", 50, "--mean", 0.2, "--sd", 0.1, "--n", 5)
    rows = records(confint("summary", *args))
    assert [(row["run"], row["note"]) for row in rows] == [("1", ""), ("2", "few topics")]
    (row,) = records(confint("summary", *args, "--baseline", 2))
    assert (row["run"], row["baseline"], row["difference"]) == ("1", "2", "0.1000")
    assert row["note"] == "few topics"


def test_an_sd_of_0_is_noted_as_no_variance(confint: Confint) -> None:
    args = ("--mean", 0.3, "--sd", 0, "--n", 50, "--mean", 0.2, "--sd", 0, "--n", 50)
    rows = records(confint("summary", *args))
    assert {(row["low"], row["high"], row["note"]) for row in rows} == {
        ("0.3000", "0.3000", "no variance"),
        ("0.2000", "0.2000", "no variance"),
    }
    result = confint("summary", *args, "--baseline", 1)
    assert "nan" not in result.out
    assert records(result)[0]["note"] == "no variance"
    few = ("--mean", 0.3, "--sd", 0, "--n", 2, "--mean", 0.2, "--sd", 0, "--n", 2)
    assert {row["note"] for row in records(confint("summary", *few))} == {"few topics, no variance"}


def test_hedges_correction_of_many_topics(confint: Confint) -> None:
    args = ("--mean", 0.3, "--sd", 0.1, "--n", 10**12, "--mean", 0.2, "--sd", 0.1, "--n", 10**12)
    (row,) = records(confint("summary", *args, "--baseline", 2, "--digits", 9))
    assert (row["hedges_gz"], row["hedges_g"]) == ("", "1.000000000")
    args = ("--mean", 0.3, "--sd", 0.1, "--n", 5001, "--mean", 0.2, "--sd", 0.1, "--n", 5001)
    (row,) = records(confint("summary", *args, "--baseline", 2, "--digits", 9))
    assert float(row["hedges_g"]) == pytest.approx(1 - 3 / (4 * 10_000 - 1), abs=1e-8)


@pytest.mark.parametrize(
    ("order", "runs"),
    [("mean", ["b10", "b9", "a"]), ("name", ["a", "b9", "b10"]), ("input", ["b9", "a", "b10"])],
)
def test_runs_are_in_the_order_asked_for(order: str, runs: list[str], confint: Confint) -> None:
    Path("x.csv").write_text("run,measure,mean,sd,n\nb9,m,2,1,9\na,m,1,1,9\nb10,m,3,1,9\n")
    rows = records(confint("summary", "x.csv", "--sort", order))
    assert [row["run"] for row in rows] == runs


def test_a_table_for_people_has_the_topics_where_they_differ(confint: Confint) -> None:
    out = confint("summary", "results.csv", "-m", "map", "-f", "table").out
    assert out.startswith("map\n\nrun     topics    mean ")
    assert "ours        50  0.3100" in out
    assert "theirs     149  0.2500" in out


def test_a_guarded_name_of_our_csv_is_read_as_it_was(confint: Confint) -> None:
    Path("x.csv").write_text("run,measure,mean,sd,n\n'=cmd(),m,1,1,9\n")
    assert [row["run"] for row in records(confint("summary", "x.csv"))] == ["=cmd()"]


def test_people_are_told_the_result_and_how_to_compare(confint: Confint) -> None:
    out = " ".join(confint("summary", "results.csv", "-f", "table").out.split())
    assert "--baseline RUN compares the other runs with RUN, by Welch's t test." in out
    out = confint("summary", "results.csv", "-m", "map", "--baseline", "theirs", "-f", "table").out
    assert "map, compared with theirs" in out
    assert "No p < 0.05 by the Welch t test." in out
    assert "ours and theirs cannot be told apart: the difference is 0.0600" in " ".join(out.split())


ERRORS = {
    "nothing": ([], None, 2, "nothing to summarise"),
    "both": (["x.csv", "--mean", "1"], "", 2,
             "use either FILES, or --mean, --sd and --n, but not both"),
    "numbers": (["--mean", "1", "--sd", "1"], None, 2,
                "1 of --mean, 1 of --sd and 0 of --n: each mean needs one --sd and one --n"),
    "nan": (["--mean", "nan", "--sd", "1", "--n", "5"], None, 2, "'nan' is not a number"),
    "negative": (["--mean", "1", "--sd", "-1", "--n", "5"], None, 2, "-1 is below 0"),
    "one topic": (["--mean", "1", "--sd", "1", "--n", "1"], None, 2, "--n"),
    "infinite": (["--mean", "inf", "--sd", "1", "--n", "5"], None, 2, "'inf' is not a number"),
    "huge": (["--mean", "1e300", "--sd", "1", "--n", "5"], None, 1,
             "the mean of '1' on score is above 1e+100, too large to compute with"),
    "huge n": (["--mean", "1", "--sd", "1", "--n", "9" * 30], None, 1,
               "the n of '1' on score is above 1e+12, too large to compute with"),
    "endless n": (["--mean", "1", "--sd", "1", "--n", "9" * 309], None, 1,
                  "the n of '1' on score is above 1e+12, too large to compute with"),
    "measures": (["--mean", "1", "--sd", "1", "--n", "5", "-m", "AP,P_10"], None, 2,
                 "--mean is for one measure, not 2"),
    "no name": (["x.csv"], "run,measure,mean,sd,n\n,m,1,2,9\n", 1,
                "x.csv:2: the run has no name"),
    "scores": ([str(SAMPLES / "trec_eval/bm25.eval")], None, 1,
               "is not a table of run, measure, mean, sd and n"),
    "column": (["x.csv"], "run,measure,mean,n\na,m,1,9\n", 1,
               "x.csv:1: the table has no column 'sd'"),
    "no rows": (["x.csv"], "run,measure,mean,sd,n\n", 1, "x.csv: has no rows"),
    "no number": (["x.csv"], "run,measure,mean,sd,n\na,m,1,x,9\n", 1,
                  "x.csv:2: the sd is not a number: 'x'"),
    "sd below 0": (["x.csv"], "run,measure,mean,sd,n\na,m,1,-2,9\n", 1,
                   "x.csv:2: the sd is -2, but it cannot be below 0"),
    "n": (["x.csv"], "run,measure,mean,sd,n\na,m,1,2,9.5\n", 1,
          "x.csv:2: n is '9.5', but has to be a whole number of 2 or more"),
    "n of 1": (["x.csv"], "run,measure,mean,sd,n\na,m,1,2,1\n", 1, "x.csv:2: n is '1'"),
    "differs": (["x.csv"], "run,measure,mean,sd,n\na,m,1,2,9\na,m,1,3,9\n", 1,
                "x.csv:3: an earlier row for 'a' and 'm' differs"),
    "width": (["x.csv"], "run,measure,mean,sd,n\na,m,1,2\n", 1, "x.csv:2: 5 columns are needed"),
    "measure": (["results.csv", "-m", "ndcg"], None, 1, "no table has the measure 'ndcg'"),
    "baseline": (["results.csv", "--baseline", "our"], None, 2, "no run is called 'our'"),
    "alone": (["results.csv", "-m", "P_10", "--baseline", "theirs"], None, 1, "it is the only run"),
    "overwrite": (["results.csv", "-o", "results.csv"], None, 2, "-o would overwrite an input"),
    "no file": (["absent.csv"], None, 1, "absent.csv: no such file"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ERRORS)
def test_what_cannot_be_summed_up(kind: str, confint: Confint) -> None:
    args, content, status, problem = ERRORS[kind]
    if content is not None:
        Path("x.csv").write_text(content)
    result = confint("summary", *args)
    assert (result.status, result.out) == (status, "")
    assert problem in result.err
    assert len(result.err.splitlines()) <= 2


def test_tables_that_say_different_things_of_a_run(confint: Confint) -> None:
    """They are told apart by path; what they agree on is there once."""
    Path("other.csv").write_text("run,measure,mean,sd,n\nours,AP,0.31,0.21,50\n"
                                 "theirs,map,0.26,0.2,149\nthird,map,0.2,0.2,149\n")  # fmt: skip
    result = confint("summary", "results.csv", "other.csv", "-m", "map")
    assert result.err == (
        "confint: note: tables differ on 1 run; told apart by path: theirs (results), theirs "
        "(other)\n"
    )
    assert [(row["run"], row["mean"]) for row in records(result)] == [
        ("ours", "0.3100"), ("theirs (other)", "0.2600"), ("theirs (results)", "0.2500"),
        ("third", "0.2000"),
    ]  # fmt: skip
    rows = records(confint("summary", "results.csv", "other.csv", "-m", "map", "--baseline",
                           "theirs (other)"))  # fmt: skip
    assert {row["run"] for row in rows} == {"ours", "theirs (results)", "third"}


@pytest.mark.parametrize(
    ("options", "which"),
    [
        (["-q", SAMPLES / "conversations/qrels.txt", "--groups", "{group}_{}",
          *sorted((SAMPLES / "conversations").glob("*.run"))], "for topics in groups"),
        (["-q", SAMPLES / "judges/human.qrels", "--judge-qrels", SAMPLES / "judges/llm.qrels",
          *sorted((SAMPLES / "judges/runs").glob("*.run"))], "from people and a cheaper judge"),
        (["-q", SAMPLES / "unjudged/qrels.txt", "--unjudged", "bounds",
          *sorted((SAMPLES / "unjudged/runs").glob("*.run"))], "between bounds"),
        (["--labels", "{run}.seed{repeat}.eval",
          *sorted((SAMPLES / "seeds").glob("*.seed*.eval"))], "for runs with repeats"),
    ],
)  # fmt: skip
def test_intervals_of_another_design_are_not_made_anew_from_their_moments(
    options: list[object], which: str, confint: Confint
) -> None:
    """They would be those of independent topics, judged by people: far too short."""
    measure = "map" if "--labels" in options else "nDCG@10"
    Path("intervals.tsv").write_text(confint("interval", "-m", measure, "--quiet", *options).out)
    result = confint("summary", "intervals.tsv")
    assert (result.status, result.out) == (1, "")
    assert f"intervals.tsv: has intervals {which}" in result.err
