"""Joining by topic id: missing topics, filters, the audit, the names of runs and measures."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confint_cli.common.errors import DataError, Level
from confint_cli.inputs.reading import Reading, Series
from confint_cli.scores.join import Joining, join
from confint_cli.scores.scores import Scores, order_by_mean, ranks
from tests.conftest import SAMPLES, Confint


def series(run: str | None, measure: str, summary: str | None = None, **scores: float) -> Series:
    names = [topic.lstrip("t") for topic in scores]
    return Series(run, measure, names, np.array(list(scores.values())), summary, 0.00005)


def reading(path: str, *series: Series, tag: str | None = None) -> Reading:
    return Reading(path, series, list(dict.fromkeys(one.measure for one in series)), tag)


def joined(*readings: Reading, **how) -> Scores:
    return join(readings, Joining(**how))[0]


def told(*readings: Reading, **how) -> list[str]:
    return [
        ("warning: " if notice.level is Level.WARNING else "") + notice.text
        for notice in join(readings, Joining(**how))[1]
    ]


A = reading("a.eval", series(None, "map", t1=0.1, t2=0.2, t3=0.3))
B = reading("b.eval", series(None, "map", t3=0.6, t1=0.5))


def test_topics_join_by_id_never_by_order() -> None:
    scores = joined(A, B)
    assert scores.topics == ("1", "2", "3")
    np.testing.assert_array_equal(scores.values[:, :, 0], [[0.1, 0.5], [0.2, 0.0], [0.3, 0.6]])


def test_a_missing_topic_is_scored_zero_and_reported() -> None:
    assert told(A, B) == [
        "warning: 1 run lacks some of the 3 topics: b lacks 1; scored 0 there",
    ]


def test_a_missing_topic_may_be_dropped_for_all() -> None:
    scores = joined(A, B, missing="drop")
    assert scores.topics == ("1", "3")
    np.testing.assert_array_equal(scores.values[:, :, 0], [[0.1, 0.5], [0.3, 0.6]])
    assert told(A, B, missing="drop") == [
        "warning: 1 run lacks some of the 3 topics: b lacks 1; 1 topic dropped for all runs",
    ]


def test_a_missing_topic_may_be_an_error() -> None:
    with pytest.raises(DataError, match=r"1 run lacks some of the 3 topics: b lacks 1$"):
        joined(A, B, missing="error")
    assert joined(A, missing="error").topics == ("1", "2", "3")


def test_dropping_everything_is_an_error() -> None:
    one = reading("one.eval", series(None, "map", t1=0.1, t2=0.1))
    two = reading("two.eval", series(None, "map", t2=0.1, t3=0.1))
    three = reading("three.eval", series(None, "map", t3=0.1, t1=0.1))
    with pytest.raises(DataError, match="no topic is left for map"):
        joined(one, two, three, missing="drop")


def test_no_run_has_a_judged_topic_that_is_left() -> None:
    with pytest.raises(DataError, match="b lacks 1; no topic is left for m"):
        joined(B, judged={"": ("1", "2", "3", "9")}, topics={"9"}, missing="drop")


def test_dropping_everything_by_one_measure_is_an_error_too() -> None:
    table = reading("t.csv", *(series(run, "m2", t1=0.1) for run in "abc"),
                    series("a", "m1", t1=0.1, t2=0.1), series("b", "m1", t2=0.1, t3=0.1),
                    series("c", "m1", t3=0.1, t1=0.1))  # fmt: skip
    with pytest.raises(DataError, match="no topic is left for m1"):
        joined(table, missing="drop")


def test_topics_dropped_by_some_measures_are_told_with_them() -> None:
    table = reading("t.csv", series("a", "m1", t1=0.1, t2=0.1), series("b", "m1", t1=0.1),
                    series("a", "m2", t1=0.1), series("b", "m2", t1=0.1))  # fmt: skip
    assert told(table, missing="drop") == [
        "warning: 1 run lacks some of the 2 topics: b lacks 1; 1 topic on m1 dropped for all runs"
    ]


def test_a_run_without_any_of_the_topics_that_are_kept_is_scored_zero() -> None:
    a = reading("a.eval", series(None, "map", t1=0.1, t2=0.2))
    b = reading("b.eval", series(None, "map", t1=0.1, t2=0.2, t3=0.3))
    scores = joined(a, b, topics=["3"])
    assert scores.runs == ("a", "b")
    np.testing.assert_array_equal(scores.values[:, :, 0], [[0.0, 0.3]])
    with pytest.raises(DataError, match="a lacks 1"):
        joined(a, b, topics=["3"], missing="error")


def test_files_without_the_measures_are_told() -> None:
    b = reading("b.eval", series(None, "P_10", t1=0.1))
    assert told(A, b, measures=("map",)) == [
        "warning: 1 file has none of the measures that are used, left out: b.eval"
    ]


def test_groups_of_runs_that_share_no_topic_are_warned_of() -> None:
    trec = [reading(f"{name}.eval", series(None, "AP", t301=0.1, t302=0.2)) for name in "ab"]
    ntcir = [reading(f"{name}.nev", series(None, "AP", t0301=0.1, t0302=0.2)) for name in "cd"]
    assert told(*trec, *ntcir)[0] == (
        "warning: on AP, the runs fall into 2 groups that share no topic, with topics such as "
        "0301, 301: give one group at a time, or name their collections with --labels"
    )
    bridge = reading("e.eval", series(None, "AP", t301=0.1, t0301=0.2))
    assert "groups" not in told(*trec, *ntcir, bridge)[0]


def test_many_runs_that_lack_topics_are_told_in_full_to_those_who_ask() -> None:
    others = [reading(f"r{n}.eval", series(None, "map", t1=0.1)) for n in range(12)]
    notices = told(A, *others)
    assert notices[0].endswith("r8 lacks 2, r9 lacks 2 and 2 more; scored 0 there")
    assert notices[1].endswith("r10 lacks 2, r11 lacks 2")


def test_judged_topics_that_no_run_has_count_as_missing() -> None:
    scores = joined(A, judged={"": ("1", "2", "3", "4")})
    assert scores.topics == ("1", "2", "3", "4")
    assert scores.values[3, 0, 0] == 0.0


def test_runs_without_a_common_topic_are_no_comparison() -> None:
    other = reading("c.eval", series(None, "map", t01=0.1, t02=0.2))
    said = r"^on map, run 'c' shares no topic with the other runs$"
    with pytest.raises(DataError, match=said) as e:
        joined(other, A)
    assert e.value.hint == (
        "it has topics such as '01', the others '1'; ids are compared as written, so 01 is "
        "not 1; --labels sets the collection of each file, and 'confint compare --unpaired' is for "
        "runs of different collections"
    )


def test_topics_sort_by_their_number() -> None:
    scores = joined(reading("x", series(None, "map", t10=0.1, t9=0.2, t100=0.3)))
    assert scores.topics == ("9", "10", "100")


def test_topics_can_be_named_or_thinned_out() -> None:
    assert joined(A, topics=["3", "1"]).topics == ("1", "3")
    assert joined(A, every=2).topics == ("1", "3")
    assert joined(A, topics=["2", "3"], every=2).topics == ("2",)
    assert told(A, topics=["3", "9"]) == ["warning: 1 topic of --topics is in no file, left out: 9"]
    with pytest.raises(DataError, match="none of the topics in --topics is in the files"):
        joined(A, topics=["9"])


def test_a_measure_of_fewer_topics_is_not_filled_with_zeros() -> None:
    one = reading("a.csv", series("x", "map", t1=0.1, t2=0.2), series("y", "map", t1=0.1, t2=0.2),
                  series("x", "P_10", t1=0.3), series("y", "P_10", t1=0.4))  # fmt: skip
    scores = joined(one)
    assert told(one) == []
    assert scores.matrix("map").topics == ("1", "2")
    matrix = scores.matrix("P_10")
    assert (matrix.topics, matrix.runs) == (("1",), ("x", "y"))
    np.testing.assert_array_equal(matrix.values, [[0.3, 0.4]])


def test_a_run_without_a_measure_is_left_out_of_it() -> None:
    b = reading("b.eval", series(None, "map", t1=0.5, t2=0.5), series(None, "P_10", t1=1, t2=0))
    a = reading("a.eval", series(None, "map", t1=0.1, t2=0.2))
    assert told(a, b) == ["warning: 1 run has no scores on P_10, left out there: a"]
    assert joined(a, b).matrix("P_10").runs == ("b",)


# The audit


@pytest.mark.parametrize("summary", ["0.2000", "0.2001", "0.1999", "0.20", "2e-1"])
def test_a_mean_that_agrees_but_for_rounding_says_nothing(summary: str) -> None:
    assert told(reading("a.eval", series(None, "map", summary, t1=0.1, t2=0.2, t3=0.3))) == []


def test_the_coarser_of_mean_and_topics_says_how_exact_they_are() -> None:
    topics = np.array([0.1235, 0.1235])
    for rounding, summary, agrees in (
        (0.00005, "0.123461", True), (0.0000005, "0.123461", False), (0.0, "0.1235", True),
        (0.0, "0.12350001", False), (0.00005, "0.12", True), (0.00005, "0.13", False),
        (0.00005, "0e9999", True),  # so many digits before the point that anything agrees
    ):  # fmt: skip
        one = reading("a.eval", Series(None, "map", ["1", "2"], topics, summary, rounding))
        assert (told(one) == []) is agrees, (rounding, summary)


def test_enormous_scores_do_not_break_the_audit() -> None:
    huge = np.array([1e308, 1e308])
    one = reading("a.eval", Series(None, "map", ["1", "2"], huge, "1e308", 0.5))
    assert [text.count("summary row says 1e308") for text in told(one)] == [1]


def test_a_mean_that_does_not_agree_names_the_file_and_both_values() -> None:
    assert told(reading("a.eval", series(None, "map", "0.3333", t1=0.1, t2=0.2, t3=0.3))) == [
        "warning: a.eval: the mean of 'map' over its 3 topics is 0.2000, but its own summary row "
        "says 0.3333 (was the file cut short?)"
    ]


def test_trec_eval_c_is_recognised_by_the_topics_that_it_divides_by() -> None:
    alone = reading("a.eval", series(None, "map", "0.0394", t301=0.0324, t303=0.0858))
    assert told(alone) == [
        "warning: a.eval: the mean of 'map' over its 2 topics is 0.0591, but its own summary row "
        "says 0.0394, the mean over 3 topics (trec_eval -c, or a file cut short?)"
    ]
    full = reading("b.eval", series(None, "map", t301=0.1, t302=0.1, t303=0.1))
    assert told(alone, full) == [
        "warning: 1 run lacks some of the 3 topics: a lacks 1; scored 0 there"
    ]


def test_a_file_is_warned_of_once_however_many_measures_differ() -> None:
    notices = told(reading("a.eval", *(series(None, name, "0.9", t1=0.1) for name in ("x", "y"))))
    assert len(notices) == 1
    assert notices[0].endswith("; the same holds for 1 more measure of the file")


# Names of runs


def test_a_run_is_named_by_its_file_or_its_tag() -> None:
    tagged = reading("dir/a.eval.gz", *A.series, tag="BM25")
    assert joined(tagged).runs == ("a",)
    assert joined(tagged, name_from="tag").runs == ("BM25",)
    assert joined(reading("-", *A.series, tag="BM25")).runs == ("BM25",)
    assert joined(reading("-", *A.series)).runs == ("stdin",)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("a/x.eval", "b/x.eval"), ("a/x", "b/x")),
        (("a/c/x.eval", "b/c/x.eval"), ("a/c/x", "b/c/x")),
        (("a/x.eval", "a/x.nev"), ("x.eval", "x.nev")),
        (("x.eval", "b/x.eval"), ("x", "b/x")),
    ],
)
def test_files_of_one_name_are_told_apart_by_path(paths, names) -> None:
    readings = [reading(path, *A.series) for path in paths]
    assert joined(*readings).runs == names
    assert set(joined(*readings[::-1]).runs) == set(names)


def test_tags_of_one_name_are_told_apart_by_path() -> None:
    readings = [reading(f"{name}.eval", *A.series, tag="BM25") for name in ("p", "q")]
    assert joined(*readings, name_from="tag").runs == ("BM25 (p)", "BM25 (q)")


def test_a_run_named_in_the_data_may_have_its_measures_in_several_files() -> None:
    ap = reading("ap.csv", series("s1", "ap", t1=0.1), series("s2", "ap", t1=0.2))
    p10 = reading("p10.csv", series("s1", "p10", t1=0.3), series("s2", "p10", t1=0.4))
    assert joined(ap, p10).runs == ("s1", "s2")
    again = reading("again.csv", series("s1", "ap", t1=0.9))
    assert set(joined(ap, p10, again).runs) == {"s1 (ap)", "s1 (p10)", "s1 (again)", "s2"}


# Choosing measures


def many(*names: str) -> Reading:
    return reading("x.eval", *(series(None, name, t1=0.1) for name in names))


def test_up_to_six_measures_are_all_used() -> None:
    assert joined(many("z", "AP", "b", "c", "d", "e")).measures == ("z", "AP", "b", "c", "d", "e")
    assert told(many("z", "AP", "b", "c", "d", "e")) == []


def test_of_more_the_usual_ones_are_used_and_said_so() -> None:
    names = ("num", "ndcg", "P@10", "RR", "b", "R-prec", "AP", "P5")
    assert joined(many(*names)).measures == ("AP", "R-prec", "RR", "P@10", "ndcg")
    assert told(many(*names)) == [
        "using AP, R-prec, RR, P@10, ndcg of 8 measures; choose others with -m NAME, or use -m all"
    ]


def test_of_more_without_a_usual_one_all_are_used() -> None:
    assert len(joined(many(*"abcdefgh")).measures) == 8
    assert told(many(*"abcdefgh")) == ["using all 8 measures; choose some with -m"]


def test_measures_are_shown_as_asked_for() -> None:
    assert joined(many("map", "P_10", "ndcg"), measures=("P@10,AP",)).measures == ("P@10", "AP")
    assert joined(many("map", "P_10"), measures=("all",)).measures == ("map", "P_10")


def test_names_of_one_measure_join_and_are_said_to() -> None:
    a = reading("a", series(None, "map", t1=0.1))
    b = reading("b", series(None, "AP", t1=0.2))
    assert joined(a, b).measures == joined(b, a).measures == ("AP",)
    assert told(a, b) == ["AP, map are read as the same measure"]


# Order


def test_runs_sort_by_mean_by_name_or_not_at_all() -> None:
    table = reading("t.csv", series("r10", "m", t1=0.1), series("r9", "m", t1=0.3),
                    series("a", "m", t1=0.3))  # fmt: skip
    scores = joined(table)
    assert scores.sorted_runs("mean").runs == ("a", "r9", "r10")
    assert scores.sorted_runs("name").runs == ("a", "r9", "r10")
    assert scores.sorted_runs("input").runs == ("r10", "r9", "a")
    np.testing.assert_array_equal(scores.sorted_runs("mean").values[0, :, 0], [0.3, 0.3, 0.1])


def test_a_run_without_the_first_measure_sorts_last() -> None:
    table = reading("t.csv", series("a", "m2", t1=0.9), series("b", "m1", t1=-0.5),
                    series("b", "m2", t1=0.1))  # fmt: skip
    assert joined(table, measures=("m1", "m2")).sorted_runs("mean").runs == ("b", "a")


def test_means_that_differ_in_their_last_bits_are_equal() -> None:
    means, sizes = np.array([0.1 + 0.2, 0.2, 0.3, 0.3 + 1e-12]), np.full(4, 0.5)
    assert ranks(means, sizes).tolist() == [2, 4, 2, 1]
    assert order_by_mean(means, sizes) == [3, 0, 2, 1]


def test_a_run_of_large_scores_makes_no_others_equal() -> None:
    means = np.array([1e50, 0.1, 0.3])
    assert order_by_mean(means, means) == [0, 2, 1]


@given(st.permutations(range(6)))
def test_equal_means_stay_in_order_whatever_it_was(order: list[int]) -> None:
    means = np.array([0.3, 0.1 + 0.2, 0.3, -np.inf, -np.inf, 0.31])
    sizes = np.array([0.5, 0.9, 1e3, 0, 0, 0.4])
    found = [order[place] for place in order_by_mean(means[order], sizes[order])]
    assert found[0] == 5
    assert found[1:4] == [run for run in order if run < 3]
    assert found[4:] == [run for run in order if run in (3, 4)]


@given(st.permutations([0, 1, 2, 3]))
def test_the_order_of_files_does_not_matter(order: list[int]) -> None:
    readings = [
        reading("a.eval", series(None, "map", t1=0.1, t2=0.2), series(None, "P_5", t1=0, t2=1)),
        reading("b.eval", series(None, "AP", t2=0.5, t3=0.1)),
        reading("x/c.eval", series(None, "P@5", t1=0.2), series(None, "map", t1=0.7)),
        reading("y/c.eval", series(None, "map", t1=0.7, t3=0.1)),
    ]
    expected, notices = join(readings, Joining())
    found, other_notices = join([readings[place] for place in order], Joining())
    expected, found = expected.sorted_runs("mean"), found.sorted_runs("mean")
    assert (found.topics, found.runs, found.measures) == (
        expected.topics, expected.runs, expected.measures,
    )  # fmt: skip
    np.testing.assert_array_equal(found.values, expected.values)
    assert [notice.text for notice in other_notices] == [notice.text for notice in notices]


# From the command line


def test_filters_and_names_from_files(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "topics.txt").write_text("# mine\n310\n302\n\n399\n")
    result = confint("score", "-m", "map", "--topics", tmp_path / "topics.txt",
                     SAMPLES / "trec_eval/hybrid.eval")  # fmt: skip
    assert [row[1] for row in result.rows] == ["302", "310"]
    assert result.err == "confint: warning: 1 topic of --topics is in no file, left out: 399\n"
    every = confint("score", "-m", "map", "--every", 10, SAMPLES / "trec_eval/hybrid.eval")
    assert [row[1] for row in every.rows] == ["301", "311", "321", "331", "341"]


def test_a_matrix_takes_its_names_from_files_and_options(confint: Confint) -> None:
    matrix = SAMPLES / "AP.tsmatrix"
    plain = confint("score", matrix, "--sort", "input")
    assert {row[0] for row in plain.rows} == set("12345678")
    assert {row[2] for row in plain.rows} == {"AP"}
    named = confint("score", matrix, "--run-names", SAMPLES / "run-names.txt",
                    "--measure-name", "map", "--sort", "input")  # fmt: skip
    names = (SAMPLES / "run-names.txt").read_text().split()
    assert list(dict.fromkeys(row[0] for row in named.rows)) == names
    assert {row[2] for row in named.rows} == {"map"}
    assert [row[3] for row in named.rows] == [row[3] for row in plain.rows]


def test_a_wrong_number_of_run_names_is_refused(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "names").write_text("a\nb\n")
    result = confint("score", SAMPLES / "AP.tsmatrix", "--run-names", tmp_path / "names")
    assert result.status == 1
    assert result.err == (
        f"confint: {SAMPLES / 'AP.tsmatrix'}: has 8 columns, but --run-names gives 2 names\n"
    )


def test_names_that_other_tools_give_to_other_things_are_warned_of() -> None:
    a = reading("a", series(None, "ndcg_cut_10", t1=0.1))
    b = reading("b", series(None, "nDCG@0010", t1=0.2))
    assert told(a, b) == [
        "warning: nDCG@0010, ndcg_cut_10 are read as the same measure, but tools may differ in "
        "what they compute"
    ]


def test_measures_that_the_same_runs_lack_are_told_in_one_line() -> None:
    names = [f"m{n}" for n in range(6)]
    a = reading("a.eval", series(None, "m0", t1=0.1))
    b = reading("b.eval", *(series(None, name, t1=0.2) for name in names))
    assert told(a, b, measures=("all",)) == [
        "warning: 1 run has no scores on m1, m2, m3 and 2 more, left out there: a"
    ]


def test_what_a_run_is_does_not_depend_on_the_measures_asked_for() -> None:
    one = Reading("1.csv", [series("bm25", "P_10", t1=0.1)], ["map", "P_10"])
    two = Reading("2.csv", [series("bm25", "ndcg", t1=0.1)], ["map", "ndcg"])
    assert joined(one, two, measures=("P_10", "ndcg")).runs == ("bm25 (1)", "bm25 (2)")


def test_names_that_look_alike_are_told_apart() -> None:
    a = reading("a.csv", series("\x1b[31m", "map", t1=0.1))
    b = reading("b.csv", series("\\e[31m", "map", t1=0.2))
    assert joined(a, b).runs == ("\\e[31m (a)", "\\e[31m (b)")
