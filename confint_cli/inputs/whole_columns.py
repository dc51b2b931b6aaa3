"""From the columns of a DataFrame to series, by array operations: no loop over its rows.

The rows mean the same as in files, which are read row by row by `rows.py` and `matrix.py`. Here
topics, runs and measures are numbers, and only the different ones become texts.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.errors import DataError
from confint_cli.common.measures import is_mean_of_topics
from confint_cli.common.text import quoted, rounding_of
from confint_cli.inputs.formats import long, ndeval, topic_by_run
from confint_cli.inputs.frames import Coded, Frame, Numbers, first_positions, text_of
from confint_cli.inputs.layout import BY_RUN, LONG, SYSTEMS, Layout
from confint_cli.inputs.matrix import NumberedTopics
from confint_cli.inputs.origin import Origin
from confint_cli.inputs.reading import (
    UNLABELLED,
    Reader,
    Reading,
    RowLabels,
    Series,
    TopicGroups,
)
from confint_cli.inputs.rows import (
    Rules,
    bad_value,
    check_number_of_series,
    check_topics_differ,
    empty_name,
    no_score,
    no_topics,
    no_topics_among,
    reading_of,
    rows_left_out,
    second_mean,
    without_blanks,
)

_BLOCK = 1 << 20  # rows that are counted at a time, which bounds the memory
_ONE_RUN = Coded(np.zeros(0, dtype=np.int8), [""])


def read_columns(
    frame: Frame, origin: Origin, layout: Layout, reader: Reader
) -> Reading | None:  # fmt: skip
    """Return what a DataFrame with this `layout` holds; None if some of its scores are texts.

    Raise the errors that reading row by row would raise.
    """
    rules = layout.rules
    if layout.kind in (LONG, SYSTEMS):
        rules = (long if layout.kind == LONG else ndeval).rules_of(layout)
    work = _Work(frame, origin, layout, reader, rules)
    read = {LONG: work.read_long, BY_RUN: work.read_by_run}.get(layout.kind, work.read_by_measure)
    reading = read()
    return reading and replace(reading, groups=work.groups())


# Which rows are of which run, collection, repeat and measure


@dataclass(frozen=True)
class _Names:
    """The columns that name the series of a row; None: there is no such column."""

    run: Coded | None = None
    collection: Coded | None = None
    repeat: Coded | None = None
    measure: Coded | None = None

    @property
    def columns(self) -> list[Coded]:
        """Those columns that there are."""
        every = (self.run, self.collection, self.repeat, self.measure)
        return [column for column in every if column is not None]


@dataclass(frozen=True)
class _Group:
    """The rows of a run with its labels, or of a run, its labels and a measure."""

    run: str | None
    labels: RowLabels
    measure: str | None  # None: each column of scores is of a measure of its own
    rows: Positions | slice


@dataclass(frozen=True)
class _Combinations:
    """The combinations of run, collection, repeat and measure in all rows, by numbers.

    The number is that of the run, times the collections, plus that of the collection, and so on.
    """

    names: _Names
    keys: NDArray[Any]  # [row], positions in `numbers`, in the smallest type of integers
    numbers: Positions  # [key], of combinations, of which some may have no row

    def texts(self, key: int) -> tuple[str | None, RowLabels, str | None]:
        """Return run, labels and measure of a combination."""
        rest = int(self.numbers[key])
        texts: list[str | None] = []
        names = self.names
        for column in (names.measure, names.repeat, names.collection, names.run):
            if column is None:
                texts.append(None)
                continue
            rest, code = divmod(rest, len(column.texts))
            texts.append(column.texts[code])
        measure, repeat, collection, run = texts
        return run, RowLabels(collection, repeat), measure


def _combinations(names: _Names, rows: Positions | slice) -> _Combinations:
    """Return the combinations of names in these rows; there is a column of names."""
    first, *others = names.columns
    most = math.prod(len(column.texts) for column in names.columns)
    kind = np.uint16 if most <= 1 << 16 else np.uint32 if most <= 1 << 32 else np.uint64
    keys: NDArray[Any] = first.codes[rows].astype(kind)
    for column in others:
        keys *= kind(len(column.texts))
        keys += column.codes[rows].astype(kind)
    if most > max(1 << 20, 4 * keys.size):  # most combinations have no row
        numbers, places = np.unique(keys, return_inverse=True)
        return _Combinations(names, places.astype(np.uint32), numbers.astype(np.intp))
    return _Combinations(names, keys, np.arange(most))


def _count_of(keys: NDArray[Any], size: int) -> Positions:
    """Return how often each key comes, [key]: np.bincount in less memory."""
    counts = np.zeros(size, dtype=np.intp)
    for start in range(0, len(keys), _BLOCK):
        counts += np.bincount(keys[start : start + _BLOCK], minlength=size)
    return counts


def _places(is_there: BoolArray) -> Positions:
    """Return the positions of True, in little memory."""
    places = np.flatnonzero(is_there)
    return places.astype(np.int32) if is_there.size < 1 << 31 else places


# Series


@dataclass(frozen=True)
class _Topics:
    """The topics of a group of rows, some of which may be means or other statistics."""

    codes: Positions | None  # [row of the group]; None: rows are numbered
    coded: Coded
    size: int
    summary: BoolArray  # [code], whether it is the name of a row of means
    rules: Rules

    @cached_property
    def is_mean(self) -> BoolArray | None:
        """Which rows are means, [row]; None: none."""
        if self.codes is None or not self.summary.any():
            return None
        flags: BoolArray = self.summary[self.codes]
        return flags if flags.any() else None

    @cached_property
    def no_topics(self) -> set[str]:
        """The names of rows that are other statistics."""
        if self.codes is None or self.rules.statistics.isdisjoint(
            map(str.casefold, self.coded.texts)
        ):
            return set()
        return no_topics_among(self.names, self.rules.statistics)

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of all rows but those of means."""
        if self.codes is None:
            return NumberedTopics(self.size)
        codes = self.codes if self.is_mean is None else self.codes[~self.is_mean]
        names: list[str] = self.coded.array[codes].tolist()
        return names

    @cached_property
    def used(self) -> tuple[BoolArray | None, Sequence[str]]:
        """Which rows are of topics, [row] (None: all), and the topics."""
        if not self.no_topics:
            return (None if self.is_mean is None else ~self.is_mean), self.names
        assert self.codes is not None
        texts = zip(self.coded.texts, self.summary.tolist(), strict=True)
        is_topic = np.array([text not in self.no_topics and not mean for text, mean in texts])
        names: list[str] = self.coded.array[self.codes[is_topic[self.codes]]].tolist()
        return is_topic[self.codes], names

    @cached_property
    def are_different(self) -> bool:
        """Whether no topic comes twice."""
        if self.codes is None:
            return True
        codes = self.codes if self.is_mean is None else self.codes[~self.is_mean]
        ordered = np.sort(codes)
        return not bool((ordered[1:] == ordered[:-1]).any())

    def name_at(self, place: int) -> str:
        """Return the topic of a row."""
        return str(place + 1) if self.codes is None else self.coded.texts[self.codes[place]]


@dataclass(frozen=True)
class _Scores:
    """The scores of a group of rows in one column, as the frame has them."""

    native: Numbers  # [row of the group]

    @cached_property
    def values(self) -> FloatArray:
        """The scores in double precision."""
        return self.native.astype(np.float64)

    def fault(self, is_mean: BoolArray | None, *, gaps: bool) -> int | None:
        """Return the first row that has no score, unless `gaps` are allowed, or an infinite one."""
        is_bad = ~np.isfinite(self.values)
        if not is_bad.any():
            return None
        if gaps:
            is_bad &= np.isinf(self.values)
        elif is_mean is not None:
            is_bad &= np.isinf(self.values) | ~is_mean
        return int(is_bad.argmax()) if is_bad.any() else None

    def text(self, place: int) -> str:
        """Return a score as it would be printed, empty if there is none."""
        return text_of(self.native[place])

    def rounding(self, is_mean: BoolArray | None) -> float:
        """Return how far scores may be from the exact ones, by how the first would be printed.

        In single precision they are rounded, however few digits are printed.
        """
        has_score = ~np.isnan(self.values)
        if is_mean is not None:
            has_score &= ~is_mean
        if not has_score.any():
            return 0.0
        printed = rounding_of(self.text(int(has_score.argmax())))
        if self.native.dtype.kind != "f" or self.native.dtype.itemsize >= 8:
            return printed
        unit = float(np.finfo(self.native.dtype).eps)
        return max(printed, unit * float(np.abs(self.values[has_score]).max()))


@dataclass(frozen=True)
class _Work:
    """What is read, and how."""

    frame: Frame
    origin: Origin
    layout: Layout
    reader: Reader
    rules: Rules

    def read_long(self) -> Reading | None:
        """Return the reading of a table with one row per score."""
        layout, reader = self.layout, self.reader
        assert layout.score is not None
        self._check_may_be_scores(layout.score)
        numbers = self.frame.columns[layout.score].numbers()
        if numbers is None:
            return None
        names = _Names(
            self._coded(layout.run), *self._labels, self._coded(layout.measure)
        )  # fmt: skip
        unnamed = reader.measure_for(self.origin)
        used = self._rows_with_names(names)
        groups, measures, chosen, runs = self._groups(names, used, unnamed)
        series: list[Series] = []
        left_out: set[str] = set()
        for group, topics in self._with_topics(groups, used):
            assert group.measure is not None
            scores = _Scores(numbers[group.rows])
            series.append(self._series(group, group.measure, topics, scores))
            left_out |= topics.no_topics
        return reading_of(self.origin, series, measures, chosen, runs, left_out)

    def read_by_measure(self) -> Reading | None:
        """Return the reading of a table with one column per measure."""
        layout = self.layout
        places = dict(zip(layout.names, layout.values, strict=True))
        named = [name for name in layout.names if is_mean_of_topics(name)]
        names = _Names(self._coded(layout.run), *self._labels)
        groups: list[_Group]
        runs: list[str | None]
        used = self._rows_with_names(names) if named else slice(0)
        if not names.columns:
            self._check_some_are_topics(used, has_columns=bool(named))
            groups, runs = [_Group(None, UNLABELLED, None, used)], [None]
            chosen = frozenset(self.reader.choose(named))
        else:
            groups, _, chosen, runs = self._groups(names, used, "", named)
        columns = [(name, self.frame.columns[places[name]].numbers())
                   for name in named if name in chosen]  # fmt: skip
        if any(numbers is None for _, numbers in columns):
            return None
        series: list[Series] = []
        left_out: set[str] = set()
        for group, topics in self._with_topics(groups, used):
            for name, numbers in columns:
                assert numbers is not None
                scores = _Scores(numbers[group.rows])
                series.append(self._series(group, name, topics, scores))
            left_out |= topics.no_topics if columns else set()
        lacks_summary = self.rules.expects_summary and not self._has_means
        reading = reading_of(
            self.origin, series, named, chosen, runs, left_out, lacks_summary=lacks_summary
        )
        return replace(reading, counted=layout.counted)

    def read_by_run(self) -> Reading | None:
        """Return the reading of a table with one column per run."""
        layout, origin = self.layout, self.origin
        check_number_of_series(origin, len(layout.names))
        measure = self.reader.measure_for(origin)
        names = _Names(None, *self._labels)
        try:
            used = self._rows_with_names(names)
        except DataError:
            return None  # the way row by row knows which of several errors comes first
        self._check_some_are_topics(used, has_columns=True)
        if measure not in self.reader.choose([measure]):
            return Reading(origin.path, [], [measure])
        columns = [
            numbers
            for place in layout.values
            if (numbers := self.frame.columns[place].numbers()) is not None
        ]
        if len(columns) < len(layout.values):
            return None
        groups = [_Group(None, UNLABELLED, measure, used)]
        if names.columns:
            groups = self._groups(names, used, measure)[0]
            if self._has_means and len(groups) < np.unique(_combinations(names, used).keys).size:
                return None  # some have nothing but means, whose faults are errors too
            check_number_of_series(origin, len(layout.names) * len(groups))
        series: list[Series] = []
        left_out: set[str] = set()
        for group, topics in self._with_topics(groups, used):
            try:
                series += self._series_of_matrix(group, topics, columns, measure)
            except DataError:
                if len(groups) == 1:
                    raise
                return None  # one of another collection may come before
            left_out |= topics.no_topics
        series, about_blanks = without_blanks(origin, series)
        notices = [*about_blanks, *rows_left_out(origin, left_out)]
        notices += topic_by_run.doubtful_runs(origin, series)
        return Reading(origin.path, series, [measure], notices=notices, counted=layout.counted)

    def _series_of_matrix(
        self, group: _Group, topics: _Topics, columns: Sequence[Numbers], measure: str
    ) -> list[Series]:
        """Return the scores of each run in a group of rows of a topic-by-run table."""
        names = self.layout.names
        scores = [_Scores(numbers[group.rows]) for numbers in columns]
        self._check_matrix(group, topics, scores, names, measure)
        mean = None if topics.is_mean is None else int(topics.is_mean.argmax())
        return [
            self._cut(Series(
                run, measure, (), one.values,
                None if mean is None else one.text(mean) or None, one.rounding(topics.is_mean),
                labels=group.labels,
            ), topics)
            for run, one in zip(names, scores, strict=True)
        ]  # fmt: skip

    def groups(self) -> TopicGroups | None:
        """Return which topics belong together; None, if no column says so, or rows are numbered."""
        group = self._coded(self.layout.group)
        if group is None or self._topic is None:
            return None
        columns = [*filter(None, self._labels[:1]), self._topic, group]
        rows: NDArray[Any] = np.stack([column.codes.astype(np.intp) for column in columns], axis=1)
        sizes = [len(column.texts) for column in columns]
        keys = np.ravel_multi_index(tuple(rows.T), sizes)
        first = np.sort(np.unique(keys, return_index=True)[1])
        texts = [column.array[column.codes[first]].tolist() for column in columns]
        named = zip(first.tolist(), map(list, zip(*texts, strict=True)), strict=True)
        return self.layout.groups_of(
            [row for place, row in named if any(row) or not self.frame.is_blank(place)]
        )

    # Names

    def _coded(self, place: int | None) -> Coded | None:
        return None if place is None else self.frame.coded(place, self.origin)

    @cached_property
    def _labels(self) -> tuple[Coded | None, Coded | None]:
        """The columns of collections and of repeats."""
        try:
            return self._coded(self.layout.collection), self._coded(self.layout.repeat)
        except DataError as error:  # lists among the names
            raise DataError("", str(error), "--labels none ignores the column") from None

    @cached_property
    def _topic(self) -> Coded | None:
        return self._coded(self.layout.topic)

    @cached_property
    def _is_name_of_means(self) -> BoolArray:
        """Which topics are in fact names of rows of means, [code]."""
        texts = self._topic.texts if self._topic is not None else []
        if self.rules.summary.isdisjoint(map(str.casefold, texts)):
            return np.zeros(len(texts), dtype=bool)
        return np.array([text.casefold() in self.rules.summary for text in texts], dtype=bool)

    @cached_property
    def _has_means(self) -> bool:
        """Whether the table has a row of means."""
        if self._topic is None or not self._is_name_of_means.any():
            return False
        return bool(self._is_name_of_means[self._topic.codes].any())

    def _rows_with_names(self, named: _Names) -> Positions | slice:
        """Return the rows that are not blank, and whose measure is a mean of topics.

        Raise DataError if one of them has no topic, run, measure or collection.
        """
        used: BoolArray | None = None
        measure = named.measure
        if measure is not None and not all(map(is_mean_of_topics, measure.texts)):
            used = np.array([*map(is_mean_of_topics, measure.texts)])[measure.codes]
        empty = {"topic": self._topic, "run": named.run, "measure": measure,
                 "collection": named.collection}  # fmt: skip
        faults: list[tuple[int, str]] = []
        blank: list[int] = []
        for noun, names in empty.items():
            if names is None or "" not in names.texts:
                continue
            is_empty = names.codes == names.texts.index("")
            for row in np.flatnonzero(is_empty if used is None else is_empty & used).tolist():
                if not self.frame.is_blank(row):
                    faults.append((row, noun))
                    break
                blank.append(row)
        if faults:
            row, noun = min(faults, key=lambda fault: fault[0])
            raise empty_name(self.origin, row, noun)
        if self._topic is None:
            blank += self._blank_rows()
        if blank:
            used = np.ones(self.frame.length, dtype=bool) if used is None else used
            used[blank] = False
        return slice(None) if used is None else _places(used)

    def _blank_rows(self) -> list[int]:
        """Return the rows without anything in them, of a table that has no column of topics."""
        columns = (self.frame.columns[place].numbers() for place in self.layout.values)
        numbers = next((column for column in columns if column is not None), None)
        if numbers is None:  # percentages, for example
            empty: Iterable[int] = range(self.frame.length)
        elif numbers.dtype.kind == "f":
            empty = np.flatnonzero(np.isnan(numbers)).tolist()
        else:
            return []
        return [row for row in empty if self.frame.is_blank(row)]

    def _check_some_are_topics(self, used: Positions | slice, *, has_columns: bool) -> None:
        """Raise an error if there are no rows of topics, or no columns of scores."""
        size = len(range(self.frame.length)[used]) if isinstance(used, slice) else used.size
        if not size or not has_columns:
            raise no_topics(self.origin, has_means=False)
        if self._has_means:
            assert self._topic is not None
            if self._is_name_of_means[self._topic.codes[used]].all():
                raise no_topics(self.origin, has_means=True)

    # Groups of rows

    def _groups(
        self,
        named: _Names,
        used: Positions | slice,
        unnamed: str,
        columns: Sequence[str] = (),
    ) -> tuple[list[_Group], list[str], frozenset[str], list[str | None]]:
        """Return the groups of rows to read, all measures, those chosen, and all runs.

        A group has rows of topics, in the order in which the groups begin. Measures are in the
        column of measures, or are the `columns` of scores, or there is one that is `unnamed`.
        """
        measure = named.measure
        found = _combinations(named, used)
        first = first_positions(found.keys, len(found.numbers))
        keys = np.flatnonzero(first >= 0)
        check_number_of_series(self.origin, keys.size * max(len(columns), 1))
        sizes = _count_of(found.keys, len(found.numbers))
        keys_with_topics = keys
        if self._has_means:
            assert self._topic is not None
            is_topic = ~self._is_name_of_means[self._topic.codes[used]]
            counts = _count_of(found.keys[is_topic], len(found.numbers))
            keys_with_topics = np.flatnonzero(counts)
        if not keys_with_topics.size:
            raise no_topics(self.origin, has_means=bool(keys.size))
        in_order = keys_with_topics[np.argsort(first[keys_with_topics])].tolist()
        names = {key: found.texts(key) for key in in_order}
        if measure is not None:
            measures = list(dict.fromkeys(name or "" for _, _, name in names.values()))
        else:
            measures = [*columns] or [unnamed]
        chosen = frozenset(self.reader.choose(measures))
        wanted = [key for key in in_order if measure is None or names[key][2] in chosen]
        if measure is None and not columns and unnamed not in chosen:
            wanted = []
        places = _sorted_rows(found.keys, used, wanted, sizes)
        groups = [
            _Group(run, labels, name if measure else unnamed or None, places[key])
            for key, (run, labels, name) in ((key, names[key]) for key in wanted)
        ]
        return groups, measures, chosen, [run for run, _, _ in names.values()]

    def _with_topics(
        self, groups: Sequence[_Group], used: Positions | slice
    ) -> Iterator[tuple[_Group, _Topics]]:
        """Yield each group of the `used` rows, and its topics, which others with the same share."""
        if self._topic is None:
            yield from self._with_numbers(groups, used)
            return
        rules = self.rules
        if rules.statistics.isdisjoint(map(str.casefold, self._topic.texts)):
            rules = replace(rules, statistics=frozenset())
        known: dict[str | None, _Topics] = {}  # by collection, those of the group before
        for group in groups:
            codes = self._topic.codes[group.rows]
            topics = known.get(group.labels.collection)
            if topics is None or not np.array_equal(topics.codes, codes):  # type: ignore[arg-type]
                topics = _Topics(codes, self._topic, codes.size, self._is_name_of_means, rules)
                known[group.labels.collection] = topics
            yield group, topics

    def _with_numbers(
        self, groups: Sequence[_Group], used: Positions | slice
    ) -> Iterator[tuple[_Group, _Topics]]:
        """Yield each group and its topics, which are the numbers of its rows among the `used`."""
        size = self.frame.length if isinstance(used, slice) else used.size
        coded = _ONE_RUN if len(groups) == 1 else Coded(_ONE_RUN.codes, [*NumberedTopics(size)])
        summary = np.zeros(len(coded.texts), dtype=bool)
        for group in groups:
            codes: Positions | None = None
            if len(groups) > 1:
                assert not isinstance(group.rows, slice)
                codes = group.rows
                if not isinstance(used, slice):
                    codes = np.searchsorted(used, group.rows)
            rows = size if codes is None else codes.size
            yield group, _Topics(codes, coded, rows, summary, self.rules)

    # Series, and what is wrong with them

    def _series(self, group: _Group, measure: str, topics: _Topics, scores: _Scores) -> Series:
        """Return the scores of a group of rows; raise an error at the first that is wrong."""
        column, further = self.rules.about_score(group.run, measure)
        fault = scores.fault(topics.is_mean, gaps=self.reader.gaps)
        summary, second = self._summary(topics, scores)
        if second is not None and (fault is None or second < fault):
            raise self._second_row(group, second, topics, measure, self.rules.hint)
        if fault is not None:
            raise self._no_score(group, fault, topics, scores, measure, column, further)
        if not topics.are_different:
            self._check_topics_differ(group, topics, group.run, measure, self.rules.hint)
        series = Series(
            group.run, measure, (), scores.values, summary, scores.rounding(topics.is_mean),
            labels=group.labels,
        )  # fmt: skip
        return self._cut(series, topics)

    def _summary(self, topics: _Topics, scores: _Scores) -> tuple[str | None, int | None]:
        """Return the mean in a group of rows, as printed, and the row of a second one, if any."""
        if topics.is_mean is None:
            return None, None
        means = np.flatnonzero(topics.is_mean).tolist()
        printed = [scores.text(place) or None for place in means]
        for number, place in enumerate(means[1:], start=1):
            if any(printed[:number]):
                return None, place
        return next(filter(None, printed), None), None

    def _cut(self, series: Series, topics: _Topics) -> Series:
        """Return the series with its topics, without rows that are not topics and without gaps."""
        is_topic, names = topics.used
        values = series.values if is_topic is None else series.values[is_topic]
        is_gap = np.isnan(values)
        if not is_gap.any():
            return replace(series, topics=names, values=values)
        if topics.codes is not None:
            codes = topics.codes if is_topic is None else topics.codes[is_topic]
            texts = topics.coded.array
            names, gaps = texts[codes[~is_gap]].tolist(), texts[codes[is_gap]].tolist()
        else:
            names = [str(place + 1) for place in np.flatnonzero(~is_gap)]
            gaps = [str(place + 1) for place in np.flatnonzero(is_gap)]
        return replace(series, topics=names, values=values[~is_gap], gaps=gaps)

    def _check_matrix(
        self,
        group: _Group,
        topics: _Topics,
        scores: Sequence[_Scores],
        names: Sequence[str],
        measure: str,
    ) -> None:
        """Raise an error at the first row of a topic-by-run table that is wrong."""
        rows = [one.fault(topics.is_mean, gaps=self.reader.gaps) for one in scores]
        faults = [
            (row, not scores[place].text(row), place)  # in a row, infinite ones before blanks
            for place, row in enumerate(rows)
            if row is not None
        ]
        means = [] if topics.is_mean is None else np.flatnonzero(topics.is_mean).tolist()
        fault = min(faults, default=None)
        if len(means) > 1 and (fault is None or means[1] < fault[0]):
            raise self._second_row(group, means[1], topics, measure)
        if fault is not None:
            row, _, place = fault
            name = names[place]
            raise self._no_score(group, row, topics, scores[place], name, name)
        if not topics.are_different:
            self._check_topics_differ(group, topics, names[0], measure)

    def _row(self, group: _Group, place: int) -> int:
        """Return the row of the frame that is at this place of a group."""
        return place if isinstance(group.rows, slice) else int(group.rows[place])

    def _no_score(
        self,
        group: _Group,
        place: int,
        topics: _Topics,
        scores: _Scores,
        measure: str,
        column: str,
        further: str = "",
    ) -> DataError:
        """Return the error for a row without a score, or with one that is not finite."""
        row, shown = self._row(group, place), scores.text(place)
        if shown:
            return bad_value(self.origin, row, measure, shown, "is not finite")
        return no_score(self.origin, row, column, topics.name_at(place), "", further)

    def _second_row(
        self, group: _Group, place: int, topics: _Topics, measure: str, hint: str = ""
    ) -> DataError:
        """Return the error for a second row of means."""
        problem = second_mean(topics.name_at(place), measure, group.labels)
        return self.origin.error(self._row(group, place), problem, hint)

    def _check_topics_differ(
        self, group: _Group, topics: _Topics, run: str | None, measure: str, hint: str = ""
    ) -> None:
        """Raise the error about a topic that comes twice."""
        rows = range(topics.size) if isinstance(group.rows, slice) else group.rows.tolist()
        lines = rows if topics.is_mean is None else [
            row for row, is_mean in zip(rows, topics.is_mean.tolist(), strict=True) if not is_mean
        ]  # fmt: skip
        check_topics_differ(
            self.origin, run, measure, topics.names, lines, hint, group.labels
        )  # fmt: skip

    def _check_may_be_scores(self, place: int) -> None:
        """Raise an error for a column of scores that holds something else by its type."""
        column = self.frame.columns[place]
        if column.no_scores:
            raise DataError(
                self.origin.name,
                f"column {quoted(column.name)} has {column.no_scores}, not scores",
            )


def _sorted_rows(
    keys: Positions, used: Positions | slice, wanted: Sequence[int], sizes: Positions
) -> dict[int, Positions]:
    """Return the rows of each `wanted` key, in their order; `sizes` says how many each has."""
    is_wanted = np.zeros(sizes.size, dtype=bool)
    is_wanted[wanted] = True
    rows: Positions | None = None if isinstance(used, slice) else used
    if not is_wanted[sizes > 0].all():
        places = _places(is_wanted[keys])
        keys = keys[places]
        rows = places if rows is None else rows[places]
    order = np.argsort(keys, kind="stable")
    if order.size < 1 << 31:
        order = order.astype(np.int32)
    rows = order if rows is None else rows[order]
    keys_in_order = np.flatnonzero(is_wanted)
    ends = np.cumsum(sizes[keys_in_order])
    groups = np.split(rows, ends[:-1])
    return dict(zip(keys_in_order.tolist(), groups, strict=True)) if keys_in_order.size else {}
