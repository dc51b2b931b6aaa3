"""From bytes to readings: a file of per-topic scores, in whichever format it is.

The content of a file shows its format; `formats/` has one module for each.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from confint_cli.common.errors import DataError
from confint_cli.common.parallel import ALL_CORES, Workers, map_files
from confint_cli.common.progress import Progress, no_progress
from confint_cli.inputs.columns import check_are_scores, names_topics
from confint_cli.inputs.formats import format_named, formats
from confint_cli.inputs.header import header_of
from confint_cli.inputs.json_text import LINES, json_kind
from confint_cli.inputs.reading import NOBODY, Fit, Format, Head, Reader, Reading, head_of
from confint_cli.inputs.source import Source, read_source, total_size

_WORTH_A_PROCESS = 10_000_000  # bytes; below, starting processes takes longer than reading


def read_scores(path: str, reader: Reader, input_format: str | None = None) -> tuple[str, Reading]:
    """Return the name of a file's format and the scores that the file holds.

    The user may name the format as `input_format`; None: the file's content shows it.
    """
    return read_content(read_source(path), reader, input_format)


def read_content(
    source: Source, reader: Reader, input_format: str | None = None
) -> tuple[str, Reading]:
    """Return the name of the format of a file's content, and the scores in it."""
    if input_format is not None:
        told = replace(reader, is_told=True)
        holder = _holder_of_tables(source)
        if holder and (format_named(input_format).is_table or input_format == "topic_score"):
            return input_format, holder.read(source, replace(told, kind=input_format))
        if source.binary not in ("", input_format):
            raise DataError(
                source.name, f"is {source.binary}, and cannot be read as {input_format}"
            )
        return input_format, format_named(input_format).read(source, told)
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
    """Yield each path with what `read_scores` returns for it, or with the error that it raises.

    Errors are yielded only if reading is `forgiving`; otherwise the first one is raised. Large
    files are read in several processes, and never by a cluster, which may not see them.
    """
    if total_size(paths) >= _WORTH_A_PROCESS:
        settings = (reader, input_format)
        yield from map_files(
            _path_reader,
            settings,
            paths,
            workers=workers.here,
            forgiving=forgiving,
            progress=progress,
        )
        return
    progress(0, len(paths))
    for done, path in enumerate(paths, start=1):
        result: tuple[str, Reading] | DataError
        try:
            result = read_scores(path, reader, input_format)
        except DataError as error:
            if not forgiving:
                raise
            result = error
        progress(done, len(paths))
        yield path, result


def _path_reader(reader: Reader, input_format: str | None) -> Callable[[str], tuple[str, Reading]]:
    """Return the function that reads a path; each process makes its own."""
    return lambda path: read_scores(path, reader, input_format)


def _holder_of_tables(source: Source) -> Format | None:
    """Return the format of a file with a table in it that is neither CSV nor TSV, or None."""
    if source.binary:
        return formats()[source.binary]
    head = head_of(source)
    return next((fmt for fmt in formats().values() if fmt.holds_tables and fmt.fit(head)), None)


def find_format(source: Source, reader: Reader = NOBODY) -> str:
    """Return the name of the format that the beginning of the file shows.

    Raise DataError if no format fits, if several fit equally well, or if the one that fits has
    doubts about the file.
    """
    if source.binary:
        return source.binary
    head = head_of(source, reader)
    if kind := json_kind(head):
        return "jsonl" if kind == LINES else "json"
    header = header_of(head)
    check_are_scores(source, header.folded if header else ())
    fits = {name: fmt.fit(head) for name, fmt in formats().items() if not fmt.is_table}
    if max(fits.values()) < Fit.SHAPE or names_topics(head):  # else a look at rows is in vain
        fits |= {name: fmt.fit(head) for name, fmt in formats().items() if fmt.is_table}
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
            "choose one with --input-format",
        )
    content = _a_file_for_scoring(head)
    if content:
        raise DataError(
            source.name,
            f"holds {content}, not per-topic scores",
            "to score runs, give the judgements as --qrels FILE and the runs as FILES",
        )
    for fmt in formats().values():
        if doubt := fmt.doubt(head):
            raise doubt
    from confint_cli.inputs.nearest import nearest_miss

    raise nearest_miss(head)


def _a_file_for_scoring(head: Head) -> str:
    """Return 'a run' or 'relevance judgements' for a file that is one of these, '' otherwise."""
    from confint_cli.inputs import judgements, runs

    for module, content in ((runs, "a run"), (judgements, "relevance judgements")):
        if module.sniff(head):
            return content
    return ""
