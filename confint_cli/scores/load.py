"""From the options of the command line to scores: the one way in for every command."""

import os
from collections.abc import Collection, Sequence
from dataclasses import replace

from confint_cli.app.options import ReadingOptions, is_given
from confint_cli.common.errors import CallError, DataError, Notice, note
from confint_cli.common.measures import DEFAULTS, everything_scorable, split_request
from confint_cli.common.progress import Progress
from confint_cli.common.text import quoted, visible, visible_name
from confint_cli.inputs import formats, read_all
from confint_cli.inputs.reading import Reader, Reading
from confint_cli.inputs.source import STDIN, is_same_file, read_source, stem
from confint_cli.scores.join import Joining, join
from confint_cli.scores.naming import name_runs
from confint_cli.scores.scores import Scores
from confint_cli.scores.selection import CHOOSE, Chooser, asks_for_all


def load_scores(
    options: ReadingOptions,
    progress: Progress,
    baselines: Sequence[str] = (),
    *,
    paired: bool = True,
    usual: Collection[str] = (),
) -> tuple[Scores, list[Notice]]:
    """Read or compute the scores that the options ask for.

    A baseline that names a file, not a run of the FILES, is read with them. Runs that are not
    `paired` may have topics of their own. The `usual` measures are those that are used if the
    options ask for none.
    """
    _check_files(options.files)
    if options.measure and not split_request(options.measure):
        raise CallError("-m names no measure")
    if options.qrels is None:
        readings, how, notices = _read(options, progress, baselines, usual)
    else:
        readings, how, notices = _score(options, options.qrels, progress, baselines, usual)
    _check_some_are_left(options, baselines)
    scores, about_joining = join(readings, replace(how, paired=paired))
    return scores, notices + about_joining


def _check_files(files: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for path in files:
        if path in seen:
            name = "standard input (-)" if path == STDIN else quoted(path)
            raise CallError(f"{name} is given twice")
        seen.add(path)


def _further_files(
    baselines: Sequence[str], files: Sequence[str], runs: Collection[str]
) -> list[str]:
    """Return the baselines that are files of their own: neither known runs nor among the FILES."""
    return [
        name
        for name in dict.fromkeys(baselines)
        if not {visible(name), visible_name(name)} & {*runs}
        and os.path.isfile(name)
        and not any(is_same_file(name, path) for path in files)
    ]


def _read(
    options: ReadingOptions,
    progress: Progress,
    baselines: Sequence[str],
    usual: Collection[str],
) -> tuple[list[Reading], Joining, list[Notice]]:
    if options.rel_level is not None:
        raise CallError("--rel-level needs --qrels: scores in FILES have their level already")
    run_names = _names_in(options.run_names) if options.run_names else None
    reader = Reader(
        Chooser(options.measure, usual),
        options.measure,
        run_names,
        options.measure_name,
        named_runs=frozenset(baselines),
        gaps=is_given("missing"),
    )
    found = _found(options, options.files, reader, progress, forgiving=options.keep_going)
    if baselines:
        named, _ = name_runs([reading for _, reading in found], options.name_from)
        further = _further_files(baselines, options.files, {one.run for one in named})
        found += _found(options, further, reader, progress, forgiving=False)
    if found and run_names and all(formats()[name].names_runs for name, _ in found):
        raise CallError("--run-names is for matrices without names, and none of the FILES is one")
    if found and options.measure_name and all(formats()[name].names_measures for name, _ in found):
        raise CallError("--measure-name is for files that name no measure, but all of these do")
    how = replace(_joining(options, options.measure), usual=usual)
    return [reading for _, reading in found], how, []


def _found(
    options: ReadingOptions,
    paths: Sequence[str],
    reader: Reader,
    progress: Progress,
    *,
    forgiving: bool,
) -> list[tuple[str, Reading]]:
    """Return the format and the scores of each file; what is wrong with others is noted."""
    found = []
    for path, one in read_all(
        paths, reader, options.input_format,
        workers=options.workers, forgiving=forgiving, progress=progress,
    ):  # fmt: skip
        if isinstance(one, DataError):
            options.left_out[path] = one
        else:
            found.append(one)
    return found


def _score(
    options: ReadingOptions,
    qrels: str,
    progress: Progress,
    baselines: Sequence[str],
    usual: Collection[str],
) -> tuple[list[Reading], Joining, list[Notice]]:
    from confint_cli.scores.scoring import score_runs

    for value, name in (
        (options.input_format, "--input-format"),
        (options.run_names, "--run-names"),
        (options.measure_name, "--measure-name"),
    ):
        if value is not None:
            raise CallError(f"{name} is for files of scores; with --qrels, FILES are runs")
    if qrels == STDIN and STDIN in options.files:
        raise CallError("judgements and run cannot both be standard input (-)")
    names = split_request(options.measure or tuple(usual))
    if asks_for_all(options.measure):
        names = split_request([*everything_scorable(), *(name for name in names if name != "all")])
    scored = score_runs(
        qrels,
        [*options.files, *_further_files(baselines, options.files, {*map(stem, options.files)})],
        names,
        rel_level=1 if options.rel_level is None else options.rel_level,
        workers=options.workers,
        forgiving=options.keep_going,
        progress=progress,
    )
    options.left_out.update(scored.left_out)
    notices = [*scored.notices]
    if not names:
        notices.append(note(f"using {', '.join(DEFAULTS)}; {CHOOSE}"))
    how = _joining(options, tuple(names) or DEFAULTS, scored.topics)
    return scored.readings, how, notices


def _check_some_are_left(options: ReadingOptions, baselines: Sequence[str]) -> None:
    """Refuse to go on without a baseline, or where not one of the FILES can be used."""
    for path in options.left_out:
        if any(is_same_file(path, name) for name in baselines):
            raise options.left_out.pop(path)
    if len(options.left_out) == len(options.files):
        raise DataError("", "none of the FILES can be used")


def _joining(
    options: ReadingOptions, measures: tuple[str, ...], judged: tuple[str, ...] = ()
) -> Joining:
    return Joining(
        measures=measures,
        missing=options.missing,
        topics=frozenset(map(visible, _names_in(options.topics))) if options.topics else None,
        every=options.every,
        judged=judged,
        name_from=options.name_from,
    )


def _names_in(path: str) -> list[str]:
    """Return the lines of a list of names, without comments and blank lines."""
    source = read_source(path)
    names = [line.strip() for _, line in source.lines() if not line.startswith("#")]
    if not names:
        raise DataError(source.name, "lists nothing")
    return names
