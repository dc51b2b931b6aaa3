"""Repeats of runs, such as training seeds: by paths or columns, in a complete grid."""

from pathlib import Path

import numpy as np
import pytest

from confint_cli.common.errors import DataError
from confint_cli.inputs.reading import Reading, RowLabels, Series
from confint_cli.scores.join import Joining, join
from confint_cli.scores.labels import Label
from confint_cli.scores.scores import Scores
from tests.conftest import Confint, records

Rows = dict[tuple[str, str | None], list[float]]
"""Scores on topics 1, 2, … by run and repeat."""

SEEDS: Rows = {
    ("a", "1"): [0.1, 0.2, 0.3],
    ("a", "2"): [0.3, 0.4, 0.5],
    ("b", "1"): [0.6, 0.5, 0.1],
    ("b", "2"): [0.2, 0.3, 0.3],
    ("b", "10"): [0.1, 0.1, 0.2],
}


def series(run: str | None, repeat: str | None, values: list[float], **more: object) -> Series:
    """Return a series; NaN stands for a topic that it lacks."""
    present = {str(place): value for place, value in enumerate(values, 1) if value == value}
    collection, measure = more.get("collection"), str(more.get("measure", "map"))
    labels = RowLabels(collection, repeat)  # type: ignore[arg-type]
    return Series(run, measure, [*present], np.array([*present.values()]), labels=labels)


def table(rows: Rows, path: str = "x", **more: object) -> Reading:
    every = [series(run, repeat, values, **more) for (run, repeat), values in rows.items()]
    return Reading(path, every, [str(more.get("measure", "map"))])


def joined(*readings: Reading, **how: object) -> tuple[Scores, list[str]]:
    scores, notices = join(readings, Joining(**how))  # type: ignore[arg-type]
    return scores, [notice.text for notice in notices]


def refused(*readings: Reading, **how: object) -> tuple[str, str]:
    with pytest.raises(DataError) as caught:
        joined(*readings, **how)
    return str(caught.value), caught.value.hint


# What a run is, and what its repeats are


def test_a_run_is_the_mean_over_its_repeats() -> None:
    scores, said = joined(table(SEEDS))
    assert scores.runs == ("a", "b")
    expected = [np.mean([values for (run, _), values in SEEDS.items() if run == name], axis=0)
                for name in ("a", "b")]  # fmt: skip
    assert pytest.approx(np.array(expected)) == scores.values[:, :, 0].T
    assert said == []


def test_repeats_are_kept_beside_in_the_natural_order_of_their_names() -> None:
    turned = dict(reversed(SEEDS.items()))
    for rows in (SEEDS, turned):
        repeats = joined(table(rows))[0].repeats
        assert repeats is not None
        assert dict(zip(joined(table(rows))[0].runs, repeats.labels, strict=True)) == {
            "a": ("1", "2"), "b": ("1", "2", "10"),
        }  # fmt: skip
        for own, names, run in zip(repeats.columns, repeats.labels,
                                   joined(table(rows))[0].runs, strict=True):  # fmt: skip
            for column, name in zip(own, names, strict=True):
                assert repeats.values[:, column, 0].tolist() == SEEDS[run, name]


def test_a_run_without_repeats_stands_beside_others() -> None:
    one = Reading("bm25.eval", [series(None, None, [0.5, 0.6, 0.7])], ["map"])
    repeats = joined(table(SEEDS), one)[0].repeats
    assert repeats is not None
    assert repeats.numbers == (2, 3, 1)
    assert repeats.labels[-1] == ("",)


def test_repeats_may_be_in_files_of_their_own_each_with_its_label() -> None:
    files = {f"{run}.seed{repeat}.eval": (run, repeat) for run, repeat in SEEDS}
    readings = [Reading(path, [series(None, None, SEEDS[key])], ["map"])
                for path, key in files.items() if key[1] is not None]  # fmt: skip
    labels = {path: Label(run, None, repeat) for path, (run, repeat) in files.items()}
    by_path, said = joined(*readings, labels=labels)
    assert by_path.repeats is not None
    in_table = joined(table(SEEDS))[0]
    assert in_table.repeats is not None
    assert by_path.runs == in_table.runs
    assert by_path.repeats.labels == in_table.repeats.labels
    assert by_path.values.tolist() == in_table.values.tolist()
    assert by_path.origins["a.seed2.eval"] == ("a",)
    assert said == []


# One repeat only


def test_one_repeat_of_all_runs_is_none() -> None:
    rows = {key: values for key, values in SEEDS.items() if key[1] == "1"}
    note = "each run has only one repeat, which says nothing about other repeats"
    scores, said = joined(table(rows))
    assert (scores.repeats, scores.runs, said) == (None, ("a", "b"), [note])
    readings = [Reading(f"{run}.seed1.eval", [series(None, None, values)], ["map"])
                for (run, _), values in rows.items()]  # fmt: skip
    labels = {f"{run}.seed1.eval": Label(run, None, "1") for run in ("a", "b")}
    scores, said = joined(*readings, labels=labels)
    assert (scores.repeats, said) == (None, [note])


def test_one_repeat_of_each_run_is_none_whatever_it_is_called() -> None:
    rows = {("a", "1"): [0.1, 0.2, 0.3], ("b", "2"): [0.6, 0.5, 0.1]}
    scores, said = joined(table(rows))
    assert scores.repeats is None
    assert said == ["each run has only one repeat, which says nothing about other repeats"]


# The grid is complete

NONE = float("nan")
TORN: Rows = {**SEEDS, ("b", "2"): [0.2, NONE, NONE]}


def test_a_repeat_that_lacks_topics_of_its_run_is_an_error() -> None:
    problem, hint = refused(table(TORN))
    assert problem == (
        "on map, repeat '2' of 'b' lacks topics that its other repeats have: 2, 3"
    )  # fmt: skip
    assert "--missing zero scores them 0, --missing drop leaves these topics out" in hint


def test_the_first_repeat_that_lacks_some_is_named_and_the_others_are_counted() -> None:
    rows: Rows = {**TORN, ("b", "10"): [NONE, 0.1, 0.2], ("b", "11"): [0.1, NONE, 0.2]}
    assert refused(table(rows))[0].endswith("have: 2, 3; 2 more repeats also lack some")
    rows.pop(("b", "11"))
    assert refused(table(rows))[0].endswith("have: 2, 3; 1 more repeat also lacks some")


def test_the_collection_of_a_topic_that_is_lacking_is_named() -> None:
    whole, torn = table(SEEDS, "x", collection="nq"), table(TORN, "y", collection="fiqa")
    assert refused(whole, torn)[0] == (
        "on map, repeat '2' of 'b' lacks topics of 'fiqa' that its other repeats have: 2, 3"
    )


def test_runs_may_have_other_topics_than_other_runs_as_ever() -> None:
    rows = {key: values if key[0] == "a" else [*values, 0.5] for key, values in SEEDS.items()}
    scores, said = joined(table(rows))
    assert scores.values[3, 0, 0] == 0
    assert len(said) == 1
    assert "lack some of the 4 topics" in said[0]


def test_topics_that_a_repeat_lacks_are_0_or_dropped_if_that_is_asked_for() -> None:
    scores, said = joined(table(TORN), complete=False)
    assert scores.repeats is not None
    by_name = dict(zip(scores.repeats.labels[1], scores.repeats.columns[1], strict=True))
    assert scores.repeats.values[:, by_name["2"], 0].tolist() == [0.2, 0, 0]
    assert scores.values[1, 1, 0] == pytest.approx((0.5 + 0 + 0.1) / 3)
    assert scores.filled[:, 1, 0].tolist() == [False, True, True]
    assert said == ["1 run lacks some of the 3 topics: b, repeat 2 lacks 2; scored 0 there"]
    scores, said = joined(table(TORN), complete=False, missing="drop")
    assert scores.topics == ("1",)
    assert "2 topics dropped for all runs" in said[0]


def test_judged_topics_that_a_repeat_lacks_score_0() -> None:
    scores, _ = joined(table(TORN), judged={"": ["1", "2", "3"]})
    assert scores.repeats is not None
    assert scores.values[2, 1, 0] == pytest.approx((0.1 + 0 + 0.2) / 3)


def test_a_repeat_that_lacks_a_measure_is_an_error() -> None:
    by_map = table(SEEDS)
    by_ndcg = table({key: values for key, values in SEEDS.items() if key != ("a", "2")}, "y",
                    measure="ndcg")  # fmt: skip
    problem, _ = refused(by_map, by_ndcg, measures=["map", "ndcg"])
    assert "repeat '2' of 'a'" in problem


def test_a_repeat_that_lacks_a_collection_is_an_error() -> None:
    fewer = {key: values for key, values in SEEDS.items() if key != ("a", "2")}
    problem, _ = refused(table(SEEDS, "x", collection="nq"), table(fewer, "y", collection="fiqa"))
    assert problem == "run 'a, repeat 2' lacks collection fiqa"


# What is given twice, or contradicts itself


def test_a_repeat_in_two_files_is_an_error() -> None:
    again = table({("a", "2"): [0.3, 0.4, 0.5]}, "y")
    problem, hint = refused(table(SEEDS), again)
    assert problem == "y: is repeat '2' of run 'a', and so is x"
    assert hint == "give each repeat of a run only once"


def test_a_repeat_in_two_files_by_different_measures_is_one() -> None:
    scores, _ = joined(table(SEEDS), table(SEEDS, "y", measure="ndcg"), measures=["map", "ndcg"])
    assert scores.measures == ("map", "ndcg")
    assert scores.repeats is not None
    assert scores.repeats.numbers == (2, 3)


def test_a_run_with_repeats_and_scores_of_none_is_an_error() -> None:
    """Is it one of them, or their mean? Whatever it is, it is no further repeat."""
    other = Reading("a.eval", [series(None, None, [0.7, 0.8, 0.9])], ["map"])
    assert "'a'" in refused(table(SEEDS), other)[0]
    assert "'a'" in refused(table({**SEEDS, ("a", ""): [0.7, 0.8, 0.9]}))[0]


def test_a_path_and_a_column_that_name_other_repeats_are_an_error() -> None:
    problem, hint = refused(table(SEEDS, "seed1.tsv"), labels={"seed1.tsv": Label(repeat="7")})
    assert problem == (
        "seed1.tsv: names its repeats itself, such as '1', but {repeat} of --labels would be '7'"
    )
    assert hint == "use {} instead of {repeat} for that part of the path"


def test_a_run_that_is_called_as_a_repeat_of_another_is_shown_is_an_error() -> None:
    rows: Rows = {**SEEDS, ("a, repeat 1", None): [0.9, 0.8, 0.7]}
    with pytest.raises(DataError, match=r"^x: two runs are named 'a, repeat 1'$"):
        joined(table(rows))


# Hints


@pytest.mark.parametrize(
    ("runs", "pattern"),
    [
        (("a.seed1", "a.seed2"), "{run}.seed{repeat}.{}"),
        (("a-trial2", "a-trial3"), "{run}-trial{repeat}.{}"),
        (("a_rep1", "a_rep12"), "{run}_rep{repeat}.{}"),
        (("bge-v1.5.trial-1", "bge-v1.5.trial-2"), "{run}.trial-{repeat}.{}"),
        (("a.Seed=1", "a.Seed=2"), "{run}.Seed={repeat}.{}"),
    ],
)
def test_runs_that_look_like_repeats_get_a_hint_that_works(
    runs: tuple[str, ...], pattern: str, confint: Confint, tmp_path: Path
) -> None:
    files = []
    for place, run in enumerate(runs):
        files.append(tmp_path / f"{run}.eval")
        lines = [f"map\t{topic}\t0.{topic}{place}\n" for topic in range(301, 309)]
        files[-1].write_text("".join(lines))
    result = confint("interval", *files)
    first, second = sorted(runs, key=len)
    said = (
        f"confint: note: {first} and {second} look like repeats of one run, which differ by "
        "chance; if so, use --labels with {run} in the place of the system's name and {repeat} in "
        f"the place of the number, such as '{pattern}'; in tables, use a column 'repeat'\n"
    )
    assert said in result.err
    again = confint("interval", *files, "--labels", pattern)
    assert "look like repeats" not in again.err
    (row,) = records(again)
    assert row["repeats"] == "2"


def test_folders_that_look_like_repeats_get_a_hint_too(confint: Confint, tmp_path: Path) -> None:
    for seed in (1, 2):
        folder = tmp_path / "dense" / f"seed_{seed}"
        folder.mkdir(parents=True)
        lines = [f"map\t{topic}\t0.{topic}{seed}\n" for topic in range(301, 309)]
        (folder / "news.eval").write_text("".join(lines))
    files = sorted((tmp_path / "dense").glob("*/*"))
    result = confint("interval", *files, "--labels", "{run}/{}")
    assert "seed_1 and seed_2 look like repeats of one run" in result.err
    assert "{repeat} in the place of the number; in tables" in result.err
    again = confint("interval", *files, "--labels", "{run}/seed_{repeat}/{}")
    assert "look like repeats" not in again.err
    assert [(row["run"], row["repeats"]) for row in records(again)] == [("dense", "2")]


def test_runs_of_a_team_are_systems_of_their_own(confint: Confint, tmp_path: Path) -> None:
    for number in (1, 2):
        lines = [f"map\t{topic}\t0.{topic}{number}\n" for topic in range(301, 309)]
        (tmp_path / f"team_run{number}.eval").write_text("".join(lines))
    assert "look like repeats" not in confint("interval", tmp_path).err


def test_the_hint_for_runs_beside_repeats_works_too(confint: Confint, tmp_path: Path) -> None:
    for place, run in enumerate(("a.seed1", "a.seed2", "bm25")):
        lines = [f"map\t{topic}\t0.{topic}{place}\n" for topic in range(301, 309)]
        (tmp_path / f"{run}.eval").write_text("".join(lines))
    files = sorted(tmp_path.iterdir())
    said = confint("interval", *files).err
    assert "such as '{run}.seed{repeat}.{}', and '{run}.{}' too for other runs; in" in said
    result = confint("interval", *files, "--labels", "{run}.seed{repeat}.{}", "--labels",
                     "{run}.{}")  # fmt: skip
    assert {row["run"]: row["repeats"] for row in records(result)} == {"a": "2", "bm25": "1"}


@pytest.mark.parametrize(
    "runs", [("run1", "run2"), ("a.seed1", "b.seed1"), ("bm25", "bm25-rm3"), ("a.v1", "a.v2"),
             ("seed1", "seed"), ("a.seedling1", "a.seedling2"), ("a.seed1", "a-seed2")]
)  # fmt: skip
def test_other_runs_get_none(runs: tuple[str, ...]) -> None:
    readings = [Reading(f"{run}.eval", [series(None, None, [0.1, 0.2, 0.3])], ["map"])
                for run in runs]  # fmt: skip
    assert joined(*readings)[1] == []


def test_runs_with_repeats_get_no_hint() -> None:
    rows: Rows = {(f"a.seed{seed}", repeat): [0.1, 0.2, int(repeat) / 9] for seed in "12"
                  for repeat in "12"}  # fmt: skip
    assert joined(table(rows))[1] == []


def test_repeats_with_the_same_scores_are_told() -> None:
    rows: Rows = {**SEEDS, ("a", "2"): SEEDS["a", "1"]}
    assert joined(table(rows))[1] == [
        "repeats 1 and 2 of a have the same scores on all topics: is it the same repeat twice?"
    ]


def test_one_repeat_of_a_run_beside_several_of_others_is_told() -> None:
    rows = {key: values for key, values in SEEDS.items() if key != ("a", "2")}
    scores, said = joined(table(rows))
    assert scores.repeats is not None
    assert scores.repeats.numbers == (1, 3)
    assert said == [
        "1 run has only one repeat: a; its scores are used as they are, and nothing here is for "
        "other repeats"
    ]  # fmt: skip
