"""From files, or data in memory, to readings: the first half of the one way in for every command.

`gather` checks what is asked for, and reads files of scores, or scores runs; `load.py` joins what
it returns.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from confint_cli.common.arrays import Positions
from confint_cli.common.errors import CallError, DataError, Notice, advice, note, told_once
from confint_cli.common.measures import DEFAULTS, everything_scorable, split_request
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.text import quoted, visible, visible_name
from confint_cli.inputs import read_all, read_content
from confint_cli.inputs.formats import format_named, formats
from confint_cli.inputs.origin import MEASURE
from confint_cli.inputs.reading import Format, Reader, Reading
from confint_cli.inputs.source import STDIN, Source, is_same_file, read_text_source, stem
from confint_cli.scores.judges import labelled_files, only_measure
from confint_cli.scores.labels import (
    IN_JUDGEMENTS,
    NONE,
    Label,
    Pattern,
    check_judgements,
    judgements_of,
    labels_of,
    patterns_in,
)
from confint_cli.scores.naming import RunNames, name_runs
from confint_cli.scores.pool import RankedTopic
from confint_cli.scores.request import Given, Request
from confint_cli.scores.selection import CHOOSE, Chooser, asks_for_all
from confint_cli.scores.treatments import BOUNDS, IRRELEVANT, SKIP
from confint_cli.scores.unjudged import Besides


@dataclass(frozen=True)
class Gathered:
    """The readings of all files before they are joined, and what is needed to join them."""

    readings: Sequence[Reading]
    measures: Sequence[str]  # that are asked for, in the spelling of the request; may be empty
    usual: Collection[str] = ()  # that are used if none are asked for
    judged: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """All topics that were judged, by collection, if runs were scored."""
    notices: Sequence[Notice] = ()
    names: RunNames | None = None  # of the runs, if these had to be known already
    scorer: str = ""  # the libraries that scored runs, if these were scored
    labels: Mapping[str, Label] = field(default_factory=dict)  # of files, by path
    judge: "Gathered | None" = None  # the same of a cheaper judge, if there is one
    besides: Mapping[str, Sequence[Reading]] = field(default_factory=dict)
    """What is known of unjudged documents, by its names; readings are of the same runs."""
    rankings: Mapping[str, Mapping[str, RankedTopic]] = field(default_factory=dict)
    """The rankings of runs, by path and topic, if these are needed."""
    counts: Mapping[str, Mapping[str, Positions]] = field(default_factory=dict)
    """How many documents have each grade, by collection and topic, if these are needed."""
    of_relevant_only: Collection[str] = ()
    """The collections whose judgements list relevant documents only, so that judged shares are
    unknown."""
    level: int = 1  # the lowest grade that is relevant

    @property
    def topics(self) -> set[str]:
        """All topics that there are."""
        return {topic for judged in self.judged.values() for topic in judged} | {
            topic
            for reading in self.readings
            for series in reading.series
            for topic in (*series.topics, *series.gaps)
        }

    def judgements_of(self, qrels: str | None) -> list[str]:
        """Return the files of judgements of all collections, if `qrels` stands for several."""
        if qrels is None or IN_JUDGEMENTS not in qrels:
            return []
        names = dict.fromkeys(label.collection or "" for label in self.labels.values())
        return [judgements_of(qrels, name) for name in names]


@dataclass(frozen=True)
class _Gathering:
    """What files are read or scored by: a request, and what the call says besides."""

    request: Request
    patterns: Sequence[Pattern] = ()  # of --labels
    named: Sequence[str] = ()  # runs that other options name, by their names or files
    usual: Collection[str] = ()  # measures that are used if the request has none

    def reader(self) -> Reader:
        """Return how to read the files; raise an error for a list of names that cannot be read."""
        request = self.request
        return Reader(
            Chooser(request.measure, self.usual),
            request.measure,
            None if request.run_names is None else names_listed(request.run_names, "--run-names"),
            request.measure_name,
            named_runs=frozenset(self.named),
            gaps=request.gaps,
            labels=NONE not in request.labels,
            grouped=request.groups is not None,
        )

    def further_files(self, runs: Collection[str]) -> list[str]:
        """Return the named runs that are files, but neither among these runs nor the FILES."""
        return [
            name
            for name in dict.fromkeys(self.named)
            if not {visible(name), visible_name(name)} & {*runs}
            and os.path.isfile(name)
            and not any(is_same_file(name, path) for path in self.request.files)
        ]


def gather(
    request: Request,
    left_out: dict[str, DataError],
    progress: Progress,
    named: Sequence[str] = (),
    usual: Collection[str] = (),
) -> Gathered:
    """Return the readings of all files of a request, read or scored.

    The error about a file that cannot be used goes into `left_out`, by its path, if the request is
    to keep going; so do those of files whose scores were read for another question. Of the runs
    `named` by other options, those that are files are read too. The `usual` measures are those that
    are used if the request has none.
    """
    _check_files(request.files)
    if request.measure and not split_request(request.measure):
        raise CallError("-m names no measure")
    for given in request.given:
        if isinstance(given.data, Gathered):  # for another question before this one
            _check_every(request)
            _check_naming(request, patterns_in(request.labels))
            left_out.update(given.left_out)
            measures = request.measure or given.data.measures
            gathered = replace(given.data, measures=measures, usual=usual)
            return replace(gathered, judge=_judge_of(gathered, request))
    _check_judge(request)
    _check_unjudged(request)
    gathering = _Gathering(request, _patterns(request), named, usual)
    if request.qrels is None:
        gathered = _read(gathering, left_out, progress)
        return replace(gathered, judge=_judge_of(gathered, request))
    if request.given:
        raise CallError(
            "--qrels is for runs in files, but data in memory are scores",
            "score runs in memory with pytrec_eval, and give its result",
        )
    return _score(gathering, request.qrels, left_out, progress)


def _check_unjudged(request: Request) -> None:
    """Raise CallError for documents that nobody judged without judgements, or with two judges."""
    if request.unjudged == IRRELEVANT:
        return
    if request.qrels is None and request.unjudged == SKIP:
        raise not_judged(request)
    if request.has_judge:
        raise CallError(
            f"--unjudged {request.unjudged} cannot be combined with a cheaper judge",
            "leave one of them out",
        )


def not_judged(request: Request) -> CallError:
    """Return the error for scores that do not say what was judged."""
    with_them = ", or how much larger they could be" if request.unjudged == BOUNDS else ""
    return CallError(
        f"--unjudged {request.unjudged} needs -q: scores in FILES do not say what was judged"
        f"{with_them}",
        "give the judgements with -q FILE; FILES are then runs",
    )


def _check_judge(request: Request) -> None:
    """Raise CallError for options about a cheaper judge that do not go together."""
    if request.judge_qrels is not None and request.judge_scores is not None:
        raise CallError("--judge-qrels and --judge-scores: use only one of them")
    if request.judge_qrels is not None and request.qrels is None:
        raise CallError(
            "--judge-qrels needs -q, the judgements by people; FILES are then runs",
            "for files of scores, use --judge-scores",
        )
    if request.judge_scores is not None and request.qrels is not None:
        raise CallError(
            "--judge-scores is for files of scores; with -q, FILES are runs",
            "give the judge's judgements with --judge-qrels FILE",
        )
    _check_every(request)
    own = (request.qrels, request.judge_qrels, request.judge_scores)
    if request.has_judge and [*request.files, *own].count(STDIN) > 1:
        raise CallError("only one of people's and the judge's files can be standard input (-)")
    if request.judge_qrels is not None:
        check_judgements(request.judge_qrels, "--judge-qrels")
        if (IN_JUDGEMENTS in request.judge_qrels) != (IN_JUDGEMENTS in (request.qrels or "")):
            raise CallError(
                "one of -q and --judge-qrels is for several collections, the other for one",
                f"use {IN_JUDGEMENTS} in both, for the name of the collection",
            )


def _check_every(request: Request) -> None:
    """Raise CallError for every K-th topic, which are others of people and of a cheaper judge."""
    if request.has_judge and request.every > 1:
        raise CallError(
            "--every would use different topics for people and for the judge",
            "--topics FILE lists the topics to use",
        )


def _judge_of(gathered: Gathered, request: Request) -> Gathered | None:
    """Return the readings of the scores of a cheaper judge, if the request has any of its own."""
    wanted = request.judge_scores
    if wanted is None:
        return gathered.judge
    if isinstance(wanted, Given) and isinstance(wanted.data, Gathered):
        return wanted.data  # read for another question before this one
    by_judge = replace(
        request,
        files=(),
        given=(),
        measure=request.measure or ("all",),
        measure_name=request.measure_name or only_measure(gathered.readings),
        run_names=None,
        keep_going=False,
        labels=(NONE,) if NONE in request.labels else (),
    )
    labels: dict[str, Label] = {}
    if isinstance(wanted, str):
        labels = labelled_files(wanted, gathered.readings, [*gathered.labels.values()])
        by_judge = replace(by_judge, files=tuple(labels))
    else:
        by_judge = replace(by_judge, given=(wanted,))
    reader = _Gathering(by_judge).reader()
    found = [_read_given(given, reader, request.input_format)[1] for given in by_judge.given]
    notices = []
    for path, outcome in _outcomes(by_judge.files, reader, by_judge, no_progress):
        assert not isinstance(outcome, DataError), "an error is raised, as nothing is forgiven"
        name, reading = outcome
        found.append(reading)
        taken = by_judge.measure_name
        is_guessed = request.measure_name is None and labels[path] == Label()
        is_guessed &= not formats()[name].names_measures and taken not in (None, stem(path))
        if is_guessed and taken not in _measures_in(path, by_judge):
            text = f"names no measure; its scores are read as {visible(taken or '')}, like people's"
            notices.append(note(text, path))
    return Gathered(
        readings=found,
        measures=(),
        notices=told_once(notices),
        labels={path: label for path, label in labels.items() if label != Label()},
    )


def _measures_in(path: str, request: Request) -> Sequence[str]:
    """Return the measures that a file names by itself, or that its own name stands for."""
    if path == STDIN:  # which cannot be read again
        return [request.measure_name or ""]
    reader = _Gathering(replace(request, measure=("all",), measure_name=None)).reader()
    ((_, outcome),) = _outcomes([path], reader, request, no_progress, forgiving=True)
    return () if isinstance(outcome, DataError) else outcome[1].measures


def _patterns(request: Request) -> tuple[Pattern, ...]:
    """Return the patterns of --labels; raise CallError for what does not go together."""
    patterns = patterns_in(request.labels)
    if request.qrels is not None:
        check_judgements(request.qrels)
    if not patterns:
        if request.qrels is not None and IN_JUDGEMENTS in request.qrels:
            raise CallError(
                f"-q {quoted(request.qrels)} is for several collections, but nothing says which "
                "collection each of the FILES belongs to",
                "--labels '{collection}/{run}.run' takes the collections from the paths",
            )
        return ()
    if request.given:
        raise CallError(
            "--labels takes names from paths, but data in memory have no path",
            "use a column 'collection' to name collections",
        )
    _check_naming(request, patterns)
    if request.run_names is not None:
        raise CallError("--labels and --run-names: only one of them can name the runs")
    if request.qrels is None:
        return patterns
    for pattern in patterns:
        if "run" not in pattern.names:
            raise CallError(f"--labels {quoted(pattern.text)} has no {{run}}, the name of a run")
    with_collections = any("collection" in pattern.names for pattern in patterns)
    if with_collections and IN_JUDGEMENTS not in request.qrels:
        raise CallError(
            f"--labels names several collections, but -q {quoted(request.qrels)} has the "
            "judgements of only one",
            "use {collection} in -q too, in quotes, as in -q 'qrels/{collection}.txt'",
        )
    if not all("collection" in pattern.names for pattern in patterns) and (
        IN_JUDGEMENTS in request.qrels
    ):
        raise CallError(
            f"-q {quoted(request.qrels)} is for several collections, but a pattern of --labels has "
            "no {collection}"
        )
    return patterns


def _check_naming(request: Request, patterns: Sequence[Pattern]) -> None:
    """Raise CallError if both paths, by the `patterns` of --labels, and tags are to name runs."""
    if patterns and request.name_from == "tag":
        raise CallError("--labels and --name-from tag: only one of them can name the runs")


def _check_files(files: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for path in files:
        if path in seen:
            name = "standard input (-)" if path == STDIN else quoted(path)
            raise CallError(f"{name} is given twice")
        seen.add(path)


def _read(
    gathering: _Gathering, left_out: dict[str, DataError], progress: Progress
) -> Gathered:  # fmt: skip
    """Return the readings of files of scores."""
    request = gathering.request
    if request.rel_level is not None:
        raise CallError("--rel-level needs --qrels: scores in FILES have their level already")
    if request.input_format is not None:
        format_named(request.input_format)  # before the first file is at fault
    reader = gathering.reader()
    labels = {**labels_of(request.files, gathering.patterns)}
    formats_and_readings: list[tuple[str, Reading]] = []

    def read(paths: Sequence[str], *, forgiving: bool) -> None:
        for path, outcome in _outcomes(paths, reader, request, progress, forgiving=forgiving):
            if isinstance(outcome, DataError):
                left_out[path] = outcome
            else:
                name, reading = outcome
                formats_and_readings.append((name, _named_once(reading, labels.get(path), name)))

    read(request.files, forgiving=request.keep_going)
    formats_and_readings += [
        _read_given(given, reader, request.input_format) for given in request.given
    ]
    names = None
    if gathering.named:
        readings = [reading for _, reading in formats_and_readings]
        names = name_runs(readings, request.name_from, labels)
        further = gathering.further_files(names.runs)
        if further:
            labels |= labels_of(further, gathering.patterns)
            read(further, forgiving=False)
            names = None
    _check_names_are_needed([formats()[name] for name, _ in formats_and_readings], request)
    return Gathered(
        readings=[reading for _, reading in formats_and_readings],
        measures=request.measure,
        usual=gathering.usual,
        names=names,
        labels=labels,
    )


def _outcomes(
    paths: Sequence[str],
    reader: Reader,
    request: Request,
    progress: Progress,
    *,
    forgiving: bool = False,
) -> Iterator[tuple[str, tuple[str, Reading] | DataError]]:
    """Yield each path with its reading and the name of its format, or with the error about it."""
    return read_all(
        paths, reader, request.input_format,
        workers=request.workers, forgiving=forgiving, progress=progress,
    )  # fmt: skip


def _named_once(reading: Reading, label: Label | None, format_name: str) -> Reading:
    """Return the reading of a file whose name is that of its collection, not of a measure too.

    Formats without names of measures take the file's name for one.
    """
    own = stem(reading.path)
    if label is None or label.collection != own or formats()[format_name].names_measures:
        return reading
    if [*reading.measures] != [own]:
        return reading
    series = [replace(each, measure=MEASURE) for each in reading.series]
    return replace(reading, series=series, measures=[MEASURE])


def _score(
    gathering: _Gathering, qrels: str, left_out: dict[str, DataError], progress: Progress
) -> Gathered:
    """Return the readings of runs that are scored against the judgements in `qrels`."""
    from confint_cli.scores.scoring import score_runs

    request = gathering.request
    for value, name in (
        (request.input_format, "--input-format"),
        (request.run_names, "--run-names"),
        (request.measure_name, "--measure-name"),
    ):
        if value is not None:
            raise CallError(f"{name} is for files of scores; with --qrels, FILES are runs")
    if qrels == STDIN and STDIN in request.files:
        raise CallError("judgements and run cannot both be standard input (-)")
    names = split_request(request.measure or tuple(gathering.usual))
    if asks_for_all(request.measure):
        names = split_request([*everything_scorable(), *(name for name in names if name != "all")])
    labels = {**labels_of(request.files, gathering.patterns, qrels)}
    runs = {label.run or "" for label in labels.values()} or {*map(stem, request.files)}
    further = gathering.further_files(runs)
    labels |= labels_of(further, gathering.patterns, qrels)
    scored = score_runs(
        qrels,
        [*request.files, *further],
        names,
        judge=request.judge_qrels,
        besides=Besides(
            request.unjudged,
            shares=True,
            condensed=request.decides and request.unjudged == IRRELEVANT,
            rankings=request.decides and request.unjudged == BOUNDS,
        ),
        collections={path: label.collection or "" for path, label in labels.items()},
        rel_level=1 if request.rel_level is None else request.rel_level,
        workers=request.workers,
        forgiving=request.keep_going,
        progress=progress,
    )
    left_out.update(scored.left_out)
    notices = [*scored.notices]
    if not names:
        notices.append(advice(f"using {', '.join(DEFAULTS)}; {CHOOSE}"))
    return Gathered(
        readings=scored.readings,
        measures=names or DEFAULTS,
        judged=scored.topics,
        notices=notices,
        scorer=scored.scorer,
        labels=labels,
        besides=scored.besides,
        rankings=scored.rankings,
        counts=scored.counts,
        of_relevant_only=scored.of_relevant_only,
        level=1 if request.rel_level is None else request.rel_level,
        judge=None
        if scored.judge is None
        else Gathered(
            scored.judge.readings, names or DEFAULTS, judged=scored.judge.topics, labels=labels
        ),
    )


def _read_given(given: Given, reader: Reader, input_format: str | None) -> tuple[str, Reading]:
    """Return the name of the format of data in memory, and the scores that they hold."""
    if isinstance(given.data, Source):
        return read_content(given.data, reader, input_format)
    from confint_cli.inputs.memory import read_object

    return read_object(given.data, reader, given.name, input_format)


def _check_names_are_needed(used_formats: Sequence[Format], request: Request) -> None:
    """Raise an error if the user names runs, or a measure, that all files name already."""
    if used_formats and request.run_names and all(fmt.names_runs for fmt in used_formats):
        raise CallError("--run-names is for matrices without names, but none of the FILES is one")
    if used_formats and request.measure_name and all(fmt.names_measures for fmt in used_formats):
        raise CallError("--measure-name is for files that name no measure, but all FILES name one")


def names_listed(by: str | Sequence[str], option: str) -> list[str]:
    """Return names, or those in a file, one per line, without comments; raise an error for none."""
    if not isinstance(by, str):
        if not by:
            raise CallError(f"{option} lists nothing")
        return [*map(str, by)]
    source = read_text_source(by)
    names = [line.strip() for _, line in source.lines() if not line.startswith("#")]
    if not names:
        raise DataError(source.name, "lists nothing")
    return names
