"""DataFrames read by whole columns: the scores, notices and errors that rows one by one give."""

import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

from confint_cli.common.errors import DataError
from confint_cli.inputs import frame_tables
from confint_cli.inputs.memory import read_object
from confint_cli.inputs.reading import Reader

Outcome = tuple[object, ...]

MEASURES = ("AP", "P_10", "nDCG@10", "num_ret", "gm_map")
SUMMARIES = ("all", "Mean", "AMEAN")
STATISTICS = ("total", "SD", "n")


def reader_for(chosen: tuple[str, ...] = (), **options: Any) -> Reader:
    return Reader(
        lambda names: [name for name in names if not chosen or name in chosen],
        requested=chosen,
        **options,
    )


def outcome(frame: pd.DataFrame, reader: Reader, told: str | None = None) -> Outcome:
    """Return everything that is read, or the error with its hint, in full."""
    try:
        kind, reading = read_object(frame, reader, "saved", told)
    except DataError as error:
        is_without_topics = str(error).endswith("has only means over all topics")
        return str(error), "" if is_without_topics else error.hint
    series = [
        (each.run, each.measure, [*each.topics], each.values.tolist(), each.summary,
         each.rounding, [*each.gaps], each.labels)
        for each in reading.series
    ]  # fmt: skip
    notices = [*reading.notices]
    return kind, series, [*reading.measures], notices, reading.groups, (
        reading.path, reading.counted, reading.lacks_summary
    )  # fmt: skip


@contextmanager
def row_by_row() -> Iterator[None]:
    """Read no whole columns, as if some score of every table were a text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame_tables, "read_columns", lambda *_: None)
        yield


def both_ways(frame: pd.DataFrame, reader: Reader, told: str | None = None) -> tuple[Outcome, ...]:
    by_columns = outcome(frame, reader, told)
    with row_by_row():
        return by_columns, outcome(frame, reader, told)


class Tables:
    """Small tables of all kinds, most of which have something that is wrong or unusual."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def chance(self, share: float) -> bool:
        return self.draw.random() < share

    def topics(self) -> list[Any]:
        """Return topics of one group of rows, among which are means and other statistics."""
        prefix = self.draw.choice(["", "", "q"])
        topics: list[Any] = [f"{prefix}{n}" for n in range(301, 301 + self.draw.randint(1, 4))]
        if self.chance(0.3):
            topics.insert(self.draw.randint(0, len(topics)), self.draw.choice(SUMMARIES))
        if self.chance(0.15):
            topics.insert(self.draw.randint(0, len(topics)), self.draw.choice(SUMMARIES))
        if self.chance(0.2):
            topics.insert(self.draw.randint(0, len(topics)), self.draw.choice(STATISTICS))
        if self.chance(0.06):
            topics = [self.draw.choice(SUMMARIES)] * self.draw.randint(1, 2)
        if self.chance(0.06):
            topics.append(self.draw.choice(topics))
        if self.chance(0.04):
            topics[self.draw.randrange(len(topics))] = self.draw.choice(["", None])
        if self.chance(0.05):
            topics.append("word")
        return topics

    def scores(self, size: int) -> np.ndarray:
        digits = self.draw.choice([2, 4, 17])
        scores = np.array([round(self.draw.random(), digits) for _ in range(size)])
        if self.chance(0.1):
            scores = scores + 1.5
        if self.chance(0.03):
            scores[:] = np.nan
        while self.chance(0.25):
            bad = self.draw.choice([np.nan, np.nan, np.nan, np.inf, -np.inf])
            scores[self.draw.randrange(size)] = bad
        if self.chance(0.05) and np.isfinite(scores).all():
            return (scores > 0.5).astype(np.int64)
        return scores

    def table(self) -> pd.DataFrame:
        names = [("run", self.draw.choice([["a"], ["a", "b"], ["b", "a", "c"]]), 0.5)]
        names += [("collection", ["news", "web"], 0.3), ("seed", ["1", "2"], 0.2)]
        is_long = self.chance(0.35)
        if is_long:
            names.append(("measure", [*self.draw.sample(MEASURES, 2)], 0.7))
        used = [(name, values) for name, values, share in names if self.chance(share)]
        groups: list[dict[str, Any]] = [{}]
        for name, values in used:
            groups = [{**group, name: value} for group in groups for value in values]
        if len(groups) > 1 and self.chance(0.2):
            groups.pop(self.draw.randrange(len(groups)))
        topics = self.topics()
        rows: list[dict[str, Any]] = []
        for group in groups:
            if self.chance(0.2):
                topics = self.topics()
            rows += [{"topic": topic, **group} for topic in topics]
        frame = pd.DataFrame(rows)
        for name, _ in used:
            if self.chance(0.03):
                frame.loc[self.draw.randrange(len(frame)), name] = self.draw.choice(["", None])
        has_topics = is_long or self.chance(0.8)
        if not has_topics:
            del frame["topic"]
        if is_long:
            frame["score"] = self.scores(len(frame))
        else:
            columns = self.draw.choice([MEASURES, MEASURES, ("x", "y", "z")])
            for name in self.draw.sample(columns, self.draw.randint(1, 3)):
                frame[name] = self.scores(len(frame))
        if self.chance(0.2):
            frame["group"] = [f"g{row // 2}" for row in range(len(frame))]
        if self.chance(0.15):
            frame["notes"] = [f"note {row % 2}" for row in range(len(frame))]
        if self.chance(0.1):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about columns of other types
                frame.loc[len(frame)] = [None] * len(frame.columns)
            if self.chance(0.5):
                frame = frame.iloc[[len(frame) - 1, *range(len(frame) - 1)]].reset_index(drop=True)
        if self.chance(0.3):
            order = self.draw.sample(range(len(frame)), len(frame))
            frame = frame.iloc[order].reset_index(drop=True)
        if self.chance(0.1):
            frame = frame.rename(columns={"run": "runid"})
        return frame

    def reader(self) -> Reader:
        return reader_for(
            self.draw.choice([(), (), ("AP",), ("saved",), ("P_10", "AP")]),
            measure_name=self.draw.choice([None, None, "mine", "num_ret"]),
            gaps=self.chance(0.5),
        )

    def told(self) -> str | None:
        return self.draw.choice([None, None, None, "long", "ndeval", "per_query", "topic_by_run"])


@pytest.mark.parametrize("seed", range(5))
def test_whole_columns_are_read_as_their_rows_are(seed: int) -> None:
    tables = Tables(seed)
    for _ in range(100):
        frame, reader, told = tables.table(), tables.reader(), tables.told()
        by_columns, by_rows = both_ways(frame, reader, told)
        assert by_columns == by_rows, (frame.to_dict("list"), reader, told)


ORDERS = [("301", "302", "303"), ("all", "301", "302"), ("301", "all", "302"),
          ("all", "301", "all"), ("301", "all", "mean", "302"), ("301", "all", "301", "302"),
          ("all", "all", "301"), ("301", "total", "302", "all")]  # fmt: skip


def faulty_tables(seed: int, number: int) -> Iterator[pd.DataFrame]:
    """Yield tables of two or three scores a row, some of which are blank or infinite."""
    draw = random.Random(seed)
    for _ in range(number):
        topics = draw.choice(ORDERS)
        names = draw.choice([("x", "y"), ("AP", "P_10")])
        label = draw.choice([None, None, None, "collection", "run"])
        rows = [
            {"topic": topic, label: group, **{name: round(draw.random(), draw.choice([2, 3, 4]))
                                              for name in names}}
            for topic in topics
            for group in (("web", "news") if label else ("",))
        ]  # fmt: skip
        frame = pd.DataFrame(rows)
        if label is None:
            del frame[None]
            if draw.random() < 0.25:
                del frame["topic"]
        elif draw.random() < 0.3:  # a group with nothing but a mean, or one row less
            frame = frame.drop(index=draw.choice([[0], [*range(2, len(frame), 2)]]))
            frame = frame.reset_index(drop=True)
        for _ in range(draw.choice([0, 1, 2, 2, 3])):
            row, bad = draw.randrange(len(frame)), draw.choice([np.nan, np.nan, np.inf])
            is_mean = "topic" in frame and frame["topic"][row] in ("all", "mean")
            if "x" in names and is_mean:
                bad = np.nan  # which of two faults in a second row of means is named is open
            frame.loc[row, draw.choice(names)] = bad
        if label is not None and draw.random() < 0.4:
            frame = frame.melt([name for name in frame if name not in names], names,
                               "measure", "score")  # fmt: skip
        yield frame


@pytest.mark.parametrize("gaps", [False, True])
def test_of_several_faults_the_first_is_the_same_as_by_rows(gaps: bool) -> None:
    for frame in faulty_tables(7, 150):
        reader = reader_for(gaps=gaps)
        by_columns, by_rows = both_ways(frame, reader)
        assert by_columns == by_rows, frame.to_dict("list")


def read(frame: pd.DataFrame, reader: Reader | None = None, told: str | None = None) -> Any:
    return read_object(frame, reader or reader_for(), "saved", told)[1]


def error_of(frame: pd.DataFrame, reader: Reader | None = None, told: str | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read(frame, reader, told)
    return f"{caught.value} | {caught.value.hint}"


@pytest.mark.parametrize("size", [300, 1100])
def test_runs_with_a_repeat_each_keep_it(size: int) -> None:
    """With 300 by 300 and more combinations, of which few have rows, numbers get larger."""
    runs = [f"run{place}" for place in range(size)]
    frame = pd.DataFrame({
        "run": runs * 2,
        "seed": [*range(size)] * 2,
        "topic": ["301"] * size + ["302"] * size,
        "measure": ["AP"] * (2 * size),
        "score": [place / size for place in range(2 * size)],
    })  # fmt: skip
    found = [(one.run, one.labels.repeat, one.measure, [*one.topics], one.values.tolist())
             for one in read(frame).series]  # fmt: skip
    assert found == [
        (run, str(place), "AP", ["301", "302"], [place / size, (place + size) / size])
        for place, run in enumerate(runs)
    ]


def test_names_of_four_kinds_keep_together() -> None:
    size = 300  # to the power of four, these are more than four bytes can number
    frame = pd.DataFrame({
        "run": [f"run{place}" for place in range(size)],
        "collection": [f"c{place}" for place in range(size)],
        "seed": [f"s{place}" for place in range(size)],
        "measure": [f"P_{place + 1}" for place in range(size)],
        "topic": [f"q{place}" for place in range(size)],
        "score": [place / size for place in range(size)],
    })  # fmt: skip
    found = [(one.run, *one.labels, one.measure, [*one.topics], one.values.tolist())
             for one in read(pd.concat([frame, frame.assign(topic="q")])).series]  # fmt: skip
    assert found == [
        (f"run{n}", f"c{n}", f"s{n}", f"P_{n + 1}", [f"q{n}", "q"], [n / size, n / size])
        for n in range(size)
    ]


def test_measures_may_begin_and_end_a_million_rows_apart() -> None:
    others = 1 << 20
    scores = np.zeros(others + 4)
    scores[[0, 1, -2, -1]] = 0.1, 0.2, 0.3, 0.4
    frame = pd.DataFrame({
        "topic": pd.Categorical.from_codes(
            np.repeat([0, 0, 0, 1, 1], [1, 1, others, 1, 1]), ["301", "302"]
        ),
        "measure": pd.Categorical.from_codes(
            np.repeat([0, 2, 1, 0, 2], [1, 1, others, 1, 1]), ["AP", "P_10", "nDCG"]
        ),
        "score": scores,
    })  # fmt: skip
    found = [(one.measure, [*one.topics], one.values.tolist())
             for one in read(frame, reader_for(("AP", "nDCG"))).series]  # fmt: skip
    assert found == [("AP", ["301", "302"], [0.1, 0.3]), ("nDCG", ["301", "302"], [0.2, 0.4])]


def test_the_largest_score_of_single_precision_says_how_far_all_are_rounded() -> None:
    scores = np.array([0.1234567, 3.0], dtype=np.float32)
    eps = float(np.finfo(np.float32).eps)
    [series] = read(pd.DataFrame({"topic": ["301", "302"], "AP": scores})).series
    assert series.rounding == 3 * eps
    [series] = read(pd.DataFrame({"topic": ["301", "302"], "AP": scores.astype("f8")})).series
    assert series.rounding < eps / 100


def of_two(**columns: list[Any]) -> pd.DataFrame:
    """Return a table whose first part has a row of totals, and whose second part has none."""
    columns = {"topic": ["301", "total", "302", "301", "302", "303"], **columns}
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    "frame",
    [
        of_two(run=[*"aaabbb"], measure=["AP"] * 6, score=[0.1, 2, 0.3, 0.4, 0.5, 0.6]),
        of_two(run=[*"aaabbb"], AP=[0.1, 2, 0.3, 0.4, 0.5, 0.6]),
        of_two(collection=[*"aaabbb"], x=[0.1, 2, 0.3, 0.4, 0.5, 0.6]),
    ],
)
def test_a_row_of_totals_that_one_part_has_is_named(frame: pd.DataFrame) -> None:
    reading = read(frame)
    assert [[*one.topics] for one in reading.series] == [["301", "302"], ["301", "302", "303"]]
    texts = [notice.text for notice in reading.notices]
    assert "row 'total' is left out: all other topics have digits in their ids" in texts


def test_a_table_of_ndeval_has_to_end_with_a_mean() -> None:
    columns = {"runid": ["a", "a"], "topic": ["151", "152"], "AP": [0.25, 0.75]}
    assert read(pd.DataFrame(columns)).lacks_summary
    mean = pd.DataFrame({"runid": ["a"], "topic": ["amean"], "AP": [0.5]})
    assert not read(pd.concat([pd.DataFrame(columns), mean])).lacks_summary
    assert not read(pd.DataFrame(columns).rename(columns={"runid": "run"})).lacks_summary


def test_there_are_too_many_runs_for_the_rows() -> None:
    size = 30_000
    runs = [f"r{place}" for place in range(size)]
    scores = [0.5] * size
    wide = pd.DataFrame({"run": runs, "topic": "301", "AP": scores, "P_10": scores})
    assert error_of(wide).startswith("saved: has more than 54800 runs and measures, with only")
    wide = pd.DataFrame({"topic": "301", "collection": runs, "x": scores, "y": scores})
    assert error_of(wide).startswith("saved: has more than 54800 runs and measures, with only")
    long = pd.DataFrame({"run": runs, "topic": "301", "measure": "AP", "score": scores})
    assert read(long, reader_for(("P_10",))).measures == ["AP"]


def test_faults_of_several_collections_are_found_by_row() -> None:
    columns = {"topic": ["301", "301", "302", "302"], "collection": ["web", "news"] * 2}
    frame = pd.DataFrame({**columns, "x": [0.5, np.inf, np.inf, 0.5]})
    expected = "saved, row 1 (df.iloc[1]): the value of 'x' is not finite: 'inf' | "
    assert error_of(frame) == expected
    frame["collection"] = ["news", "web", "news", "news"]
    frame["topic"] = ["301", "all", "302", "303"]
    frame["x"] = [0.5, np.inf, 0.5, 0.25]  # the web has nothing but a mean
    assert error_of(frame) == expected


def test_numbered_rows_of_runs_are_counted() -> None:
    frame = pd.DataFrame({"": [0, 1, 2], "x": [0.5, 0.25, 0.125], "y": [0.25, 0.5, 0.75]})
    assert read(frame).counted
    assert not read(frame.rename(columns={"": "topic"}).assign(topic=["301", "7", "9"])).counted


def test_measures_that_are_no_means_are_no_scores() -> None:
    frame = pd.DataFrame({"topic": ["301", "302"], "num_ret": [10, 20], "gm_map": [0.1, 0.2]})
    expected = "saved: has no per-topic scores | "
    assert error_of(frame, told="per_query") == expected
    frame["run"] = "a"
    assert error_of(frame, told="ndeval") == expected


def test_only_means_have_a_hint_where_topics_are() -> None:
    hint = "confint needs the scores of every topic: use trec_eval -q or ir_measures -q"
    frame = pd.DataFrame({"topic": ["all"], "AP": [0.5]})
    assert error_of(frame) == f"saved: has only means over all topics | {hint}"
    frame["run"] = "a"
    assert error_of(frame) == f"saved: has only means over all topics | {hint}"
    assert error_of(frame.rename(columns={"AP": "score"})) == (
        f"saved: has only means over all topics | {hint}"
    )


@pytest.mark.parametrize("gaps", [False, True])
def test_topics_that_are_numbered_skip_blanks(gaps: bool) -> None:
    frame = pd.DataFrame({"AP": [0.25, np.nan, 0.75, 0.5], "P_10": [0.5, 0.1, np.nan, 0.2]})
    if not gaps:
        assert error_of(frame, reader_for()).startswith(
            "saved, row 1 (df.iloc[1]): column 'AP' has no score for topic '2' | --missing zero"
        )
        return
    found = [([*one.topics], [*one.gaps]) for one in read(frame, reader_for(gaps=True)).series]
    assert found == [(["1", "3", "4"], ["2"]), (["1", "2", "4"], ["3"])]


INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("topics", "first", "second", "names", "expected"),
    [
        (["1", "2"], [NAN, 0.5], [INF, 0.5], "xy", "row 0: the value of 'y' is not finite: 'inf'"),
        (["1", "2"], [INF, 0.5], [NAN, 0.5], "xy", "row 0: the value of 'x' is not finite: 'inf'"),
        (["1", "2"], [0.1, NAN], [INF, 0.5], "xy", "row 0: the value of 'y' is not finite: 'inf'"),
        (["1", "2"], [0.1, NAN], [0.5, INF], "AP", "row 1: column 'AP' has no score for topic '2'"),
        (["all", "1", "all", "2"], [0.1, 0.1, 0.1, NAN], [0.5] * 4, "xy",
         "row 2: a second row for 'all' and 'saved'"),
        (["all", "1", "all", "2"], [0.1, 0.1, 0.1, NAN], [0.5] * 4, "AP",
         "row 2: a second row for 'all' and 'AP'"),
        (["all", "1", "all", "2"], [0.1, 0.1, INF, 0.1], [0.5] * 4, "AP",
         "row 2: the value of 'AP' is not finite: 'inf'"),
        (["all", "1", "all", "2"], [0.1, NAN, 0.1, 0.1], [0.5] * 4, "xy",
         "row 1: column 'x' has no score for topic '1'"),
        (["1", "all", "1", "2"], [0.1] * 4, [0.5] * 4, "xy",
         "row 2: a second row for topic '1' and 'saved' of run 'x'; the first is row 0"),
    ],
)  # fmt: skip
def test_the_first_fault_is_named(
    topics: list[str], first: list[float], second: list[float], names: str, expected: str
) -> None:
    columns = ("AP", "P_10") if names == "AP" else ("x", "y")
    frame = pd.DataFrame({"topic": topics, columns[0]: first, columns[1]: second})
    row, _, problem = expected.partition(": ")
    place = f"saved, {row} (df.iloc[{row[-1]}]): "
    assert error_of(frame).startswith(place + problem)


def test_a_mean_may_be_blank_and_says_nothing_of_the_digits_of_scores() -> None:
    columns = {"topic": ["all", "301", "302"], "x": [0.123456, 0.25, 0.5], "y": [NAN, 0.5, 0.125]}
    found = [(one.run, one.summary, one.rounding) for one in read(pd.DataFrame(columns)).series]
    assert found == [("x", "0.123456", 0.005), ("y", None, 0.05)]
    renamed = pd.DataFrame(columns).rename(columns={"x": "AP", "y": "P_10"})
    found = [(one.measure, one.summary, one.rounding) for one in read(renamed).series]
    assert found == [("AP", "0.123456", 0.005), ("P_10", None, 0.05)]


def test_blank_rows_are_not_numbered_beside_measures_that_are_texts() -> None:
    columns = {"AP": ["50%", "60%", None, "70%"], "P_10": [0.1, 0.2, NAN, 0.3]}
    frame = pd.DataFrame({**columns, "collection": ["a", "b", None, "a"]})
    found = [(one.labels.collection, [*one.topics], one.values.tolist())
             for one in read(frame, reader_for(("P_10",))).series]  # fmt: skip
    assert found == [("a", ["1", "3"], [0.1, 0.3]), ("b", ["2"], [0.2])]
