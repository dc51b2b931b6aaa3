"""From bytes to readings: a file of per-topic scores, in whichever format it is.

A format is found by a file's content; `formats/` has them, a file each.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from confint_cli.common.errors import DataError
from confint_cli.common.parallel import ALL_CORES, Workers, map_files
from confint_cli.common.progress import Progress, no_progress
from confint_cli.inputs import judgements, runs
from confint_cli.inputs.columns import names_topics
from confint_cli.inputs.formats import format_named, formats
from confint_cli.inputs.header import header_of
from confint_cli.inputs.reading import NOBODY, Fit, Head, Reader, Reading, head_of
from confint_cli.inputs.source import Source, read_source, total_size

_WORTH_A_PROCESS = 10_000_000  # bytes; below, starting processes takes longer than reading


def read_scores(path: str, reader: Reader, input_format: str | None = None) -> tuple[str, Reading]:
    """Read a file of per-topic scores in whichever format it is; return the format's name too."""
    source = read_source(path)
    if input_format is not None:
        return input_format, format_named(input_format).read(source, replace(reader, is_told=True))
    name = find_format(source, reader)
    return name, formats()[name].read(source, reader)


def read_all(
    paths: Sequence[str],
    reader: Reader,
    input_format: str | None = None,
    *,
    workers: Workers = ALL_CORES,
    forgiving: bool = False,
    progress: Progress = no_progress,
) -> Iterator[tuple[str, tuple[str, Reading] | DataError]]:
    """Yield the path of each file with its format and what it holds, or with what is wrong with it.

    The first file that cannot be used ends it all, unless reading is `forgiving`. Large files are
    read in several processes, and never by a cluster, which may not see them.
    """
    if total_size(paths) >= _WORTH_A_PROCESS:
        settings = (reader, input_format)
        yield from map_files(
            _reader, settings, paths, workers=workers.here, forgiving=forgiving, progress=progress
        )
        return
    progress(0, len(paths))
    for done, path in enumerate(paths, start=1):
        found: tuple[str, Reading] | DataError
        try:
            found = read_scores(path, reader, input_format)
        except DataError as error:
            if not forgiving:
                raise
            found = error
        progress(done, len(paths))
        yield path, found


def _reader(reader: Reader, input_format: str | None) -> Callable[[str], tuple[str, Reading]]:
    return lambda path: read_scores(path, reader, input_format)


def find_format(source: Source, reader: Reader = NOBODY) -> str:
    """Return the name of the format that the beginning of the file shows."""
    head = head_of(source, reader)
    _check_no_results(source, head)
    fits = {name: one.fit(head) for name, one in formats().items() if not one.is_table}
    if max(fits.values()) < Fit.SHAPE or names_topics(head):  # else a look at rows is in vain
        fits |= {name: one.fit(head) for name, one in formats().items() if one.is_table}
    best = max(fits.values())
    matching = [name for name, fit in fits.items() if fit is best and fit]
    if len(matching) == 1:
        if doubt := formats()[matching[0]].doubt(head):
            raise doubt
        return matching[0]
    if matching:
        readings = [f"{name} ({formats()[name].summary})" for name in matching]
        raise DataError(
            source.name,
            f"could be {' or '.join(readings)}",
            "say which with --input-format",
        )
    what = _a_file_for_scoring(head)
    if what:
        raise DataError(
            source.name,
            f"holds {what}, not per-topic scores",
            "to score runs, give the judgements as --qrels FILE and the runs as FILES",
        )
    for one in formats().values():
        if doubt := one.doubt(head):
            raise doubt
    raise DataError(
        source.name,
        "is in no known format",
        f"tried: {', '.join(formats())}; 'confint formats' shows them",
    )


def _check_no_results(source: Source, head: Head) -> None:
    """Refuse tables of means that confint itself writes, which might pass for scores."""
    header = header_of(head)
    names = set(header.folded) if header else set()
    if {"topic", "mean", "sd", "runs"} <= names:
        raise DataError(
            source.name,
            "holds factors to standardise by, not per-topic scores",
            "they are for --standardize FILE, or 'confint standardize --factors FILE'",
        )
    if {"run", "mean", "sd"} <= names and not names & {"topic", "query"}:
        raise DataError(
            source.name,
            "holds means of runs, not per-topic scores",
            "'confint summary' reads such a table",
        )


def _a_file_for_scoring(head: Head) -> str:
    """Say what a file is that belongs to --qrels."""
    for reader, what in ((runs, "a run"), (judgements, "relevance judgements")):
        if reader.sniff(head):
            return what
    return ""
