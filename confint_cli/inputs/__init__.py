"""Per-topic scores from files: one file here a format, named as the user types it.

A format is found by a file's content. To add one, add a file with a `FORMAT`; nothing else
needs to change.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from confint_cli.common.errors import DataError, unknown_name
from confint_cli.common.parallel import Jobs, jobs_here, map_files
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.records import records_in
from confint_cli.inputs import formats as folder
from confint_cli.inputs import judgements, runs
from confint_cli.inputs.columns import names_topics
from confint_cli.inputs.factors import Factors, read_factors
from confint_cli.inputs.header import header_of
from confint_cli.inputs.judgements import Judgements, judgements_in_comments, read_judgements
from confint_cli.inputs.published import Published, read_published
from confint_cli.inputs.reading import NOBODY, Fit, Format, Head, Reader, Reading, Series, head_of
from confint_cli.inputs.runs import MOST_TAGS, Run, documents_in_comments, read_run
from confint_cli.inputs.source import (
    STDIN,
    Source,
    is_same_file,
    name_of,
    read_source,
    stem,
    total_size,
)

__all__ = [
    "MOST_TAGS",
    "STDIN",
    "Factors",
    "Format",
    "Judgements",
    "Published",
    "Reader",
    "Reading",
    "Run",
    "Series",
    "Source",
    "documents_in_comments",
    "format_named",
    "formats",
    "is_same_file",
    "judgements_in_comments",
    "name_of",
    "read_all",
    "read_factors",
    "read_judgements",
    "read_published",
    "read_run",
    "read_scores",
    "read_source",
    "stem",
    "total_size",
]


@cache
def formats() -> dict[str, Format]:
    """Return every format by its name."""
    return records_in(folder.__name__, folder.__path__, "FORMAT")


def format_named(name: str) -> Format:
    """Return the format of that name, which the user typed."""
    if name not in formats():
        raise unknown_name("format", name, formats())
    return formats()[name]


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
    jobs: Jobs = None,
    left_out: dict[str, DataError] | None = None,
    progress: Progress = no_progress,
) -> Iterator[tuple[str, Reading]]:
    """Read many files, large ones in several processes.

    A file that cannot be used ends it all, or goes into what is `left_out`.
    """
    jobs = jobs_here(jobs) if total_size(paths) >= _WORTH_A_PROCESS else 1
    if min(jobs, len(paths)) > 1:
        settings = (reader, input_format)
        yield from map_files(
            _reader, settings, paths, jobs=jobs, left_out=left_out, progress=progress
        )
        return
    progress(0, len(paths))
    for done, path in enumerate(paths, start=1):
        found = None
        try:
            found = read_scores(path, reader, input_format)
        except DataError as error:
            if left_out is None:
                raise
            left_out[path] = error
        progress(done, len(paths))
        if found is not None:
            yield found


_WORTH_A_PROCESS = 10_000_000  # bytes; below, starting processes takes longer than reading


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
