"""Tables with columns that tell repeats of a run apart, and which topics belong together."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confint_cli.common.errors import DataError
from confint_cli.inputs.formats import long
from confint_cli.inputs.header import GROUP, REPEAT
from confint_cli.inputs.layout import layout_of
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.rows import collect
from confint_cli.inputs.source import Source
from tests.inputs.test_all_formats import EVERYTHING
from tests.inputs.test_collections import (
    SAVED,
    UNLABELLED,
    WITH_GAPS,
    frame_of,
    in_full,
    read,
    refused,
    told,
)
from tests.inputs.test_memory_tables import csv_of, frames, in_words, outcome
from tests.inputs.test_saved_tables import STEM

Scores = dict[tuple[str | None, str, str | None, str], float]
"""By run (None: the data do not name it), measure, repeat and topic."""

NO_LABELS = replace(WITH_GAPS, labels=False)


def scores_of(reading: Reading) -> Scores:
    return {
        (one.run, one.measure, one.labels.repeat, topic): value
        for one in reading.series
        for topic, value in zip(one.topics, one.values.tolist(), strict=True)
    }


def repeats(data: object, reader: Reader = EVERYTHING) -> list[str | None]:
    return [*dict.fromkeys(one.labels.repeat for one in read(data, reader)[1].series)]


def groups(
    data: object, reader: Reader = EVERYTHING, input_format: str | None = None
) -> dict[str, str] | None:
    """Return the group of each topic; None, if no column tells groups."""
    found = read(data, reader, input_format=input_format)[1].groups
    if found is None:
        return None
    assert {collection for collection, _ in found.by_topic} == {""}
    return {topic: group for (_, topic), group in found.by_topic.items()}


def taken(name: str, what: str) -> str:
    return f"column '{name}' is read as {what}; --labels none ignores it"


# All kinds of tables, from all sources

TABLES = {
    "long": (
        "run,repeat,topic,measure,score\n"
        "a,1,1,AP,0.5\na,1,2,AP,0.25\na,2,1,AP,0.75\na,2,2,AP,1.0\n"
        "b,1,1,AP,0.1\nb,1,2,AP,0.2\nb,2,1,AP,0.3\nb,2,2,AP,0.4\n"
    ),
    "ndeval": (
        "runid,topic,seed,AP\n"
        "a,1,1,0.5\na,2,1,0.25\na,1,2,0.75\na,2,2,1.0\n"
        "b,1,1,0.1\nb,2,1,0.2\nb,1,2,0.3\nb,2,2,0.4\n"
    ),
    "topic_by_run": "topic,trial,a,b\n1,1,0.5,0.1\n2,1,0.25,0.2\n1,2,0.75,0.3\n2,2,1.0,0.4\n",
    "per_query": "seed,qid,AP\n1,1,0.5\n1,2,0.25\n2,1,0.75\n2,2,1.0\n",
}
COLUMN = {"long": "repeat", "ndeval": "seed", "topic_by_run": "trial", "per_query": "seed"}
A: Scores = {("a", "AP", "1", "1"): 0.5, ("a", "AP", "1", "2"): 0.25,
             ("a", "AP", "2", "1"): 0.75, ("a", "AP", "2", "2"): 1.0}  # fmt: skip
B: Scores = {("b", "AP", "1", "1"): 0.1, ("b", "AP", "1", "2"): 0.2,
             ("b", "AP", "2", "1"): 0.3, ("b", "AP", "2", "2"): 0.4}  # fmt: skip

IN_GROUPS = {
    "long": (
        "run,group,topic,measure,score\n"
        "a,x,1,AP,0.5\na,y,2,AP,0.25\na,x,3,AP,0.75\na,y,4,AP,1.0\n"
        "b,x,1,AP,0.1\nb,y,2,AP,0.2\nb,x,3,AP,0.3\nb,y,4,AP,0.4\n"
    ),
    "ndeval": (
        "runid,topic,conversation_id,AP\n"
        "a,1,x,0.5\na,2,y,0.25\na,3,x,0.75\na,4,y,1.0\n"
        "b,1,x,0.1\nb,2,y,0.2\nb,3,x,0.3\nb,4,y,0.4\n"
    ),
    "topic_by_run": "topic,session,a,b\n1,x,0.5,0.1\n2,y,0.25,0.2\n3,x,0.75,0.3\n4,y,1.0,0.4\n",
    "per_query": "cluster,qid,AP\nx,1,0.5\ny,2,0.25\nx,3,0.75\ny,4,1.0\n",
}
GROUPED_BY = {
    "long": "group",
    "ndeval": "conversation_id",
    "topic_by_run": "session",
    "per_query": "cluster",
}


def told_kind(kind: str, saved: str) -> str | None:
    """The format, where it has to be named: columns of JSON lines are rather measures."""
    return kind if saved == "JSON lines" else None


@pytest.mark.parametrize("saved", SAVED)
@pytest.mark.parametrize("kind", TABLES)
def test_scores_are_by_repeat(kind: str, saved: str) -> None:
    data = SAVED[saved](frame_of(TABLES[kind]))
    found, reading = read(data, input_format=told_kind(kind, saved))
    assert found in (kind, "json", "parquet")
    expected = A | B
    if kind == "per_query":
        run = None if isinstance(data, str | bytes) else "AP"
        expected = {(run, *key[1:]): value for key, value in A.items()}
    assert scores_of(reading) == expected
    assert len(reading.series) == len({key[:3] for key in expected})
    assert taken(COLUMN[kind], "repeats") in [notice.text for notice in reading.notices]


@pytest.mark.parametrize("saved", SAVED)
@pytest.mark.parametrize("kind", IN_GROUPS)
def test_topics_are_in_groups(kind: str, saved: str) -> None:
    data = SAVED[saved](frame_of(IN_GROUPS[kind]))
    found, reading = read(data, input_format=told_kind(kind, saved))
    assert found in (kind, "json", "parquet")
    assert groups(data, input_format=told_kind(kind, saved)) == {
        "1": "x", "2": "y", "3": "x", "4": "y",
    }  # fmt: skip
    assert reading.groups is not None
    assert reading.groups.column == GROUPED_BY[kind]
    assert {len(one.topics) for one in reading.series} == {4}
    assert taken(GROUPED_BY[kind], "groups of topics") in [one.text for one in reading.notices]


@pytest.mark.parametrize("saved", ["CSV", "pandas", "JSON lines"])
@pytest.mark.parametrize("kind", IN_GROUPS)
def test_without_labels_groups_are_left_out(kind: str, saved: str) -> None:
    reading = read(
        SAVED[saved](frame_of(IN_GROUPS[kind])), UNLABELLED, input_format=told_kind(kind, saved)
    )[1]
    assert reading.groups is None
    assert {len(one.topics) for one in reading.series} == {4}
    said = "; ".join(notice.text for notice in reading.notices)
    assert f"column '{GROUPED_BY[kind]}' is left out" in said
    assert "groups" not in said


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet"])
@pytest.mark.parametrize("kind", ["long", "ndeval"])
def test_without_labels_repeats_are_rows_of_one_topic(kind: str, saved: str) -> None:
    problem, _ = refused(SAVED[saved](frame_of(TABLES[kind])), UNLABELLED)
    assert "a second row for topic '1'" in problem


@pytest.mark.parametrize("saved", SAVED)
def test_collections_repeats_and_groups_go_together(saved: str) -> None:
    rows = [
        f"{run},{name},{seed},{group},{group}{number},AP,0.{len(name)}{seed}{number}"
        for run in "ab"
        for name in ("nq", "fiqa")
        for seed in (1, 2)
        for group in "xy"
        for number in (1, 2)
    ]
    header = "run,collection,seed,group,topic,measure,score"
    reading = read(SAVED[saved](frame_of("\n".join([header, *rows, ""]))))[1]
    assert {one.labels for one in reading.series} == {
        (name, seed) for name in ("nq", "fiqa") for seed in ("1", "2")
    }
    assert reading.groups is not None
    assert reading.groups.by_topic == {
        (name, f"{group}{number}"): group
        for name in ("nq", "fiqa") for group in "xy" for number in (1, 2)
    }  # fmt: skip
    assert [notice.text for notice in reading.notices] == [
        taken("collection", "collections"),
        taken("seed", "repeats"),
        taken("group", "groups of topics"),
    ]


# Which column it is


def test_the_first_of_the_names_wins() -> None:
    for place, name in enumerate(REPEAT[:-1]):
        for other in REPEAT[place + 1 :]:
            rows = "1,u,x,0.5\n2,u,x,0.1\n1,v,y,0.25\n2,v,y,0.5\n"
            text = f"qid,{other},{name},AP\n{rows}"
            assert repeats(text) == ["x", "y"]
            assert f"column '{other}' is left out" in told(text)[0]
    for place, name in enumerate(GROUP[:-1]):
        for other in GROUP[place + 1 :]:
            text = f"qid,{other},{name},AP\n1,u,x,0.5\n2,v,x,0.1\n3,u,y,0.25\n4,v,y,0.5\n"
            assert groups(text) == {"1": "x", "2": "x", "3": "y", "4": "y"}
            assert f"column '{other}' is left out" in told(text)[0]


@pytest.mark.parametrize("name", ["Seed", "SEED", "Trial"])
def test_repeats_are_known_in_any_case(name: str) -> None:
    assert repeats(f"QID,{name},AP\n1,x,0.5\n2,x,0.1\n1,y,0.1\n2,y,0.2\n") == ["x", "y"]


@pytest.mark.parametrize("name", ["Conversation", "Conversation ID", "session-id", "CLUSTER_ID"])
def test_groups_are_known_in_any_case_and_spelling(name: str) -> None:
    text = f"QID,{name},AP\n1,x,0.5\n2,x,0.1\n3,y,0.1\n4,y,0.2\n"
    assert groups(text) == {"1": "x", "2": "x", "3": "y", "4": "y"}
    assert taken(name, "groups of topics") in told(text)


@pytest.mark.parametrize("name", [*REPEAT, *GROUP])
def test_a_run_or_a_measure_may_be_called_so(name: str) -> None:
    text = f"topic,{name},a\n1,0.5,0.1\n2,0.25,1\n3,1,0\n"
    for data in (text, frame_of(text)):
        assert {one.run for one in read(data)[1].series} == {name, "a"}
        assert (repeats(data), groups(data)) == ([None], None)
    solved = f"topic,{name},a\n1,1,0\n2,0,0\n3,1,1\n4,0,1\n"  # 0 and 1 are scores
    for data in (solved, frame_of(solved)):
        assert {one.run for one in read(data)[1].series} == {name, "a"}
    of_systems = f"run,topic,{name},AP\na,1,0.5,0.1\na,2,0.25,1\n"
    assert read(of_systems)[1].measures == [name, "AP"]


@pytest.mark.parametrize("name", REPEAT)
def test_repeats_0_and_1_are_names_where_a_column_names_runs(name: str) -> None:
    of_systems = f"run,topic,{name},AP\na,1,0,0.5\na,2,0,0.25\na,1,1,0.1\na,2,1,0.75\n"
    assert repeats(of_systems) == ["0", "1"]
    of_scores = of_systems.replace("AP", "score")
    assert repeats(of_scores) == ["0", "1"]


def test_a_seed_of_a_number_for_each_row_is_no_repeat() -> None:
    """Random numbers that a harness has used, one for each topic."""
    text = "qid,seed,AP\n1,17,0.5\n2,4711,0.25\n3,99,0.75\n"
    assert repeats(text) == [None]


def test_a_group_for_each_row_is_none() -> None:
    text = "qid,session,AP\n1,one,0.5\n2,two,0.1\n3,three,1\n"
    assert groups(text) is None
    assert "column 'session' is left out" in told(text)[0]
    rows = "".join(f"{topic},s{topic},0.5\n" for topic in range(200))
    assert groups(f"qid,session,AP\n{rows}") is None
    found = groups(f"qid,session,AP\n{rows}200,s0,0.25\n")  # far below the first rows
    assert found is not None
    assert (found["0"], found["200"], len({*found.values()})) == ("s0", "s0", 200)


def test_a_column_of_lists_or_objects_is_none() -> None:
    for value in ({"name": "x"}, ["x"], ("x",), np.array(["x"])):
        frame = pd.DataFrame(
            {"qid": ["1", "2"], "group": [value, value], "AP": [0.5, 0.25]}, dtype=object
        )
        assert groups(frame) is None
        assert "column 'group' is left out" in told(frame)[0]
        frame = frame.rename(columns={"group": "seed"})
        assert repeats(frame) == [None]


def test_a_column_that_is_the_only_one_of_topics_is_that() -> None:
    text = "session,bm25,splade\nx,0.5,0.25\ny,0.1,0.2\n"
    reading = read(text)[1]
    assert reading.groups is None
    assert [*reading.series[0].topics] == ["x", "y"]


def test_a_column_that_is_the_only_one_of_scores_holds_the_scores() -> None:
    for name in ("seed", "group"):
        (series,) = read(f"topic,{name}\n1,3\n2,1\n3,3\n")[1].series
        assert (series.run, series.values.tolist()) == (name, [3, 1, 3])


def test_a_column_of_groups_is_no_column_of_topics() -> None:
    """Though it may be the only one of names, which come again."""
    for name in ("session", "seed"):
        text = f"{name},a,b\nx,0.5,0.1\ny,0.25,0.2\nx,0.75,0.3\n"
        for data in (text, frame_of(text)):
            assert "there is no topic column: topics are numbered by row" in told(data)[0]


# Folds


FOLDS = {
    "ndeval": "run,fold,topic,AP\na,1,1,0.5\na,2,2,0.5\na,1,3,0.25\na,2,4,0.75\n",
    "topic_by_run": "topic,fold,a,b\n1,1,0.5,0.1\n2,2,0.25,0.2\n3,1,0.75,0.3\n4,2,1.0,0.4\n",
    "per_query": "fold,qid,AP\n1,1,0.5\n2,2,0.25\n1,3,0.75\n2,4,1.0\n",
    "long, of texts": "run,fold,topic,score\na,f1,1,0.5\na,f2,2,0.5\na,f1,3,0.25\n",
    "long": "run,fold,topic,score\na,1,1,0.5\na,2,2,0.5\na,1,3,0.25\na,2,4,0.75\n",
}


@pytest.mark.parametrize("saved", ["CSV", "pandas"])
@pytest.mark.parametrize(
    "kind",
    [*FOLDS],
)
def test_folds_are_no_repeats_and_left_out_with_a_word(kind: str, saved: str) -> None:
    """They part the topics: each topic is in one fold."""
    data = SAVED[saved](frame_of(FOLDS[kind]))
    reading = read(data)[1]
    assert {one.labels.repeat for one in reading.series} == {None}
    assert {one.run for one in reading.series} <= {"a", "b", "AP", None}
    assert {one.measure for one in reading.series} == {"AP"}
    assert "column 'fold' is left out" in "; ".join(notice.text for notice in reading.notices)


def test_a_run_may_be_called_fold() -> None:
    reading = read("topic,fold,a\n1,0.5,0.1\n2,0.25,0.2\n")[1]
    assert [one.run for one in reading.series] == ["fold", "a"]


# One value only


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet", "JSON lines"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_single_repeat_is_not_told(kind: str, saved: str) -> None:
    frame = frame_of(TABLES[kind])
    data = SAVED[saved](frame[frame[COLUMN[kind]] == 2].reset_index(drop=True))
    reading = read(data, input_format=told_kind(kind, saved))[1]
    assert len({one.labels.repeat for one in reading.series}) == 1
    assert {one.measure for one in reading.series} == {"AP"}
    assert COLUMN[kind] not in "; ".join(notice.text for notice in reading.notices)


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet", "JSON lines"])
@pytest.mark.parametrize("kind", IN_GROUPS)
def test_a_single_group_is_none_and_not_told(kind: str, saved: str) -> None:
    frame = frame_of(IN_GROUPS[kind])
    data = SAVED[saved](frame[frame[GROUPED_BY[kind]] == "x"].reset_index(drop=True))
    reading = read(data, input_format=told_kind(kind, saved))[1]
    assert reading.groups is None
    assert {len(one.topics) for one in reading.series} == {2}
    assert "groups" not in "; ".join(notice.text for notice in reading.notices)


# Names that are empty


@pytest.mark.parametrize("saved", [one for one in SAVED if one != "pandas, scores as texts"])
@pytest.mark.parametrize("kind", ["long", "ndeval"])
def test_a_run_without_repeats_has_a_blank_there(kind: str, saved: str) -> None:
    frame = frame_of(TABLES[kind])
    is_second = (frame.iloc[:, 0] == "b") & (frame[COLUMN[kind]] == 2)
    frame = frame[~is_second].reset_index(drop=True)
    column = frame[COLUMN[kind]].astype(str).astype(object)
    frame[COLUMN[kind]] = column.where(frame.iloc[:, 0] != "b", None)
    reading = read(SAVED[saved](frame))[1]
    assert [(one.run, one.labels.repeat) for one in reading.series] == [
        ("a", "1"), ("a", "2"), ("b", ""),
    ]  # fmt: skip


@pytest.mark.parametrize("saved", [one for one in SAVED if one != "pandas, scores as texts"])
@pytest.mark.parametrize("kind", IN_GROUPS)
def test_a_topic_without_a_group_is_an_error(kind: str, saved: str) -> None:
    frame = frame_of(IN_GROUPS[kind])
    column = frame[GROUPED_BY[kind]].astype(object)
    frame[GROUPED_BY[kind]] = column.where(frame.index != 2, None)
    problem, hint = refused(SAVED[saved](frame))
    assert problem.endswith("topic '3' has no group")
    assert hint == "--labels none ignores the column"


def test_a_topic_without_a_group_far_down_is_an_error() -> None:
    rows = "".join(f"{topic},{'xy'[topic % 2]},0.5\n" for topic in range(100))
    assert refused(f"qid,group,AP\n{rows}100,,0.5\n")[0] == "AP.csv: topic '100' has no group"


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet", "JSON lines"])
@pytest.mark.parametrize("name", ["seed", "group"])
def test_a_column_with_nothing_in_it_is_left_out(name: str, saved: str) -> None:
    frame = pd.DataFrame({"qid": ["1", "2", "3"], name: [None] * 3, "AP": [0.5, 0.25, 0.75]})
    reading = read(SAVED[saved](frame))[1]
    assert {one.measure for one in reading.series} == {"AP"}
    assert {one.labels.repeat for one in reading.series} == {None}
    assert reading.groups is None


def test_numbers_with_a_point_are_the_groups_that_they_were_before_a_blank() -> None:
    """A column of pandas with a blank in it has floats; so has one that had a blank once."""
    frame = pd.DataFrame(
        {"qid": ["1", "2", "3", "4"], "group": [31.0, 31.0, 32.0, 32.0], "AP": [0.5, 0.1, 1, 0]}
    )
    found = groups(frame)
    assert found is not None
    assert found["1"] == found["2"] != found["3"] == found["4"]


# Means, topics that come twice, and topics in two groups


@pytest.mark.parametrize("saved", SAVED)
def test_each_repeat_has_its_mean(saved: str) -> None:
    text = (
        "topic,seed,a,b\n1,s1,0.5,0.1\n2,s1,0.25,0.2\nmean,s1,0.375,0.15\n"
        "1,s2,0.75,0.3\n2,s2,1.0,0.4\nall,s2,0.875,0.35\n"
    )
    series = read(SAVED[saved](frame_of(text)), input_format="topic_by_run")[1].series
    found = {(one.run, one.labels.repeat): (one.summary, [*one.topics]) for one in series}
    assert found == {
        ("a", "s1"): ("0.375", ["1", "2"]), ("b", "s1"): ("0.15", ["1", "2"]),
        ("a", "s2"): ("0.875", ["1", "2"]), ("b", "s2"): ("0.35", ["1", "2"]),
    }  # fmt: skip


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet", "JSON lines"])
def test_rows_of_means_need_no_group(saved: str) -> None:
    text = "topic,group,a,b\n1,x,0.5,0.1\n2,x,0.25,0.2\n3,y,0.1,0.2\nall,,0.28,0.17\n"
    data = SAVED[saved](frame_of(text).astype({"group": object}))
    reading = read(data, input_format="topic_by_run")[1]
    assert groups(data, input_format="topic_by_run") == {"1": "x", "2": "x", "3": "y"}
    assert {one.summary for one in reading.series} == {"0.28", "0.17"}


@pytest.mark.parametrize("saved", ["CSV", "pandas", "pandas, scores as texts", "Parquet"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_topic_that_comes_twice_in_a_repeat_is_an_error(kind: str, saved: str) -> None:
    frame = frame_of(TABLES[kind])
    twice = pd.concat([frame, frame.iloc[[3]]], ignore_index=True)
    problem, _ = refused(SAVED[saved](twice))
    of_run = "" if kind == "per_query" else " of run 'a'"
    assert f"a second row for topic '2' and 'AP'{of_run} in repeat '2'; the first" in problem


def test_a_topic_that_comes_twice_is_told_with_its_collection_and_repeat() -> None:
    rows = "".join(f"{name},{seed},{topic},0.5\n" for name in "xy" for seed in "12"
                   for topic in (1, 2))  # fmt: skip
    problem, _ = refused(f"dataset,seed,qid,AP\n{rows}y,2,1,0.5\n")
    assert problem == (
        "AP.csv:10: a second row for topic '1' and 'AP' in collection 'y', repeat '2'; the first "
        "is line 8"
    )


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet", "JSON lines"])
def test_a_topic_in_two_groups_is_an_error(saved: str) -> None:
    frame = frame_of(IN_GROUPS["long"])
    frame.loc[5, "group"] = "x"  # topic 2 of run b
    problem, hint = refused(SAVED[saved](frame))
    assert problem.endswith(": column 'group' puts topic '2' into 'y' and into 'x'")
    assert "--labels none ignores the column" in hint


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet", "JSON lines"])
def test_a_column_that_differs_from_run_to_run_groups_nothing(saved: str) -> None:
    frame = frame_of(IN_GROUPS["long"])
    frame.loc[4:, "group"] = ["y", "x", "y", "x"]  # of run b
    data = SAVED[saved](frame)
    assert groups(data) is None
    said = [text for text in told(data) if "column 'group'" in text]
    assert len(said) == 1
    assert said[0].startswith("column 'group' has several values for topic '1'")
    assert said[0].endswith("so it does not group topics: left out")


def test_a_topic_may_be_in_other_groups_in_other_collections() -> None:
    text = (
        "run,collection,group,topic,score\na,nq,x,1,0.5\na,nq,x,2,0.5\na,nq,y,3,0.5\n"
        "a,fiqa,y,1,0.5\na,fiqa,y,2,0.5\na,fiqa,x,3,0.5\n"
    )
    for data in (text, frame_of(text)):
        found = read(data)[1].groups
        assert found is not None
        assert found.by_topic == {
            ("nq", "1"): "x", ("nq", "2"): "x", ("nq", "3"): "y",
            ("fiqa", "1"): "y", ("fiqa", "2"): "y", ("fiqa", "3"): "x",
        }  # fmt: skip
        assert not found.torn


# Blanks


@pytest.mark.parametrize("saved", ["CSV", "pandas", "Parquet"])
def test_blanks_are_gaps_of_their_repeat(saved: str) -> None:
    text = "topic,seed,a,b\n1,x,0.5,\n2,x,0.25,0.5\n1,y,0.5,0.25\n2,y,,0.5\n"
    series = read(SAVED[saved](frame_of(text)), WITH_GAPS)[1].series
    gaps = {(one.run, one.labels.repeat): [*one.gaps] for one in series}
    assert gaps == {("a", "x"): [], ("b", "x"): ["1"], ("a", "y"): ["2"], ("b", "y"): []}


# Names as they are written


def test_names_with_blanks_around_them_quoted_and_guarded_names() -> None:
    text = "run,group,topic,score\na, x ,1,0.5\na,x,2,0.5\na,y,3,0.5\na,y ,4,0.5\n"
    assert groups(text) == {"1": "x", "2": "x", "3": "y", "4": "y"}
    quoted = 'run,group,topic,score\na,"x, y",1,0.5\na,"x, y",2,0.5\na,"say ""z""",3,0.5\n'
    assert groups(quoted) == {"1": "x, y", "2": "x, y", "3": 'say "z"'}
    seeds = "run,seed,topic,score\na,'=x,1,0.5\na,'=x,2,0.5\na, y ,1,0.5\na,y,2,0.5\n"
    assert repeats(seeds) == ["=x", "y"]


def test_groups_that_a_spreadsheet_would_compute_are_read_as_they_were() -> None:
    guarded = "run,group,topic,score\na,'=x,1,0.5\na,'=x,2,0.5\na,'-y,3,0.5\na,'-y,4,0.5\n"
    assert groups(guarded) == {"1": "=x", "2": "=x", "3": "-y", "4": "-y"}


# The fast way, row by row, and by whole columns


names = st.sampled_from(["a", "b", "bm25 k=0.9", "été", "num_ret", "n" * 60])
labels = st.sampled_from(["1", "2", "42", "seed 3", "a", "2.5"])
topics = st.sampled_from(["1", "2", "301", "31_4", "q-7", "all"])
values = st.sampled_from(["0.0000", "0.1234", "1", "7e-04", "-0.5"])


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """Long tables with repeats and groups; the mean of a series is in its last row."""
    delimiter = draw(st.sampled_from(["\t", ",", ";"]))
    columns = draw(st.permutations(["run", "seed", "group", "topic", "measure", "score"]))
    keys = st.tuples(names, labels, topics, names)
    rows = draw(st.dictionaries(keys, values, min_size=1, max_size=40))
    lines = [delimiter.join(columns)]
    for run, seed, topic, measure in sorted(rows, key=lambda key: key[2] == "all"):
        cells = {"run": run, "seed": seed, "group": f"of {topic[:1]}", "topic": topic,
                 "measure": measure, "score": rows[run, seed, topic, measure]}  # fmt: skip
        lines.append(delimiter.join(cells[column] for column in columns))
    return ("\n".join(lines) + "\n").encode()


@given(tables())
def test_the_fast_way_reads_what_the_slow_way_reads(data: bytes) -> None:
    source = Source("x.tsv", data)
    layout = layout_of(source, EVERYTHING, "long")
    if layout.repeat is None or layout.group is None:  # no name comes again
        return
    fast = long._read_regular(source, layout, "x", EVERYTHING)
    slow = list(long._rows(layout, "x"))
    if all(measure == "num_ret" or topic == "all" for _, _, measure, topic, _ in slow):
        assert fast is None
        return
    assert fast is not None
    by_row = collect(source, slow, EVERYTHING, long.rules_of(layout))
    assert in_full(fast) == in_full(by_row)
    assert layout.told_of(fast).groups == layout.told_of(by_row).groups


@st.composite
def labelled_frames(draw: st.DrawFn) -> pd.DataFrame:
    """Tables of any kind, once for each of some repeats or with groups of rows, maybe a blank."""
    frame = draw(frames())
    is_grouped = draw(st.booleans())
    if is_grouped:
        table = frame.copy()
        label = st.sampled_from(["x", "y", "31", "all"])
        cells = draw(st.lists(label, min_size=len(table), max_size=len(table)))
    else:
        label = st.sampled_from(["s1", "s2", "42", "all"])
        chosen = draw(st.lists(label, min_size=1, max_size=3, unique=draw(st.integers(0, 5)) > 0))
        table = pd.concat(
            [frame] * len(chosen), ignore_index=isinstance(frame.index, pd.RangeIndex)
        )
        cells = [one for one in chosen for _ in range(len(frame))]
    if cells and draw(st.integers(0, 3)) == 0:
        row = draw(st.integers(0, len(cells) - 1))
        cells[row] = draw(st.sampled_from(["x", "other", None, ""]))
    name = draw(st.sampled_from([*(GROUP if is_grouped else REPEAT), "Session ID", "Seed"]))
    place = draw(st.integers(0, len(table.columns)))
    table.insert(place, name, pd.Series(cells, index=table.index, dtype=object))
    return table


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of pandas, about the frames that are made here
@settings(max_examples=250)
@given(
    labelled_frames(), st.sampled_from([EVERYTHING, WITH_GAPS, replace(WITH_GAPS, labels=False)])
)
def test_a_frame_with_repeats_or_groups_is_read_as_its_csv(
    frame: pd.DataFrame, reader: Reader
) -> None:
    def of(data: object) -> object:
        try:
            kind, reading = read(data, reader, STEM)
        except DataError as error:
            is_without = str(error).endswith("has no per-topic scores")
            return in_words(str(error)), "" if is_without else error.hint
        grouped = None if reading.groups is None else dict(reading.groups.by_topic)
        return outcome(kind, reading), [one.labels for one in reading.series], grouped

    assert of(frame) == of(csv_of(frame))
