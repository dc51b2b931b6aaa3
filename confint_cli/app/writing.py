"""How an answer is written: a table and its figure, or a file for each run.

No result is written over a file that is read.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any

from confint_cli.app import files
from confint_cli.app.columns import answer_shown, check_columns
from confint_cli.app.messages import busy_line, clear_progress, show_notices
from confint_cli.app.options import WritingOptions
from confint_cli.app.task import Write
from confint_cli.common.errors import CallError, Notice, note
from confint_cli.common.system import shortage
from confint_cli.common.text import quoted
from confint_cli.inputs.source import is_same_file
from confint_cli.outputs import format_of_file, formats, render
from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.latex import beyond_pdflatex
from confint_cli.outputs.paper import check_has_paper, render_paper
from confint_cli.scores.request import Request
from confint_cli.studies.answer import Answer, column_of
from confint_cli.studies.facts import merged

_MANY_ROWS = 20_000  # which take a second or more to write


@contextmanager
def table_output(
    writing: WritingOptions, layout: str | None = None, *, figure: str = ""
) -> Iterator[Write]:
    """Yield a function that writes an answer in one format and, with --plot, its figure.

    An output file is opened at once, and gets its name when all is written. `figure` is the name
    of the figure. `layout` is a format that the command chose itself, whatever the options say.
    """
    to_stdout = files.is_stdout(writing.output)
    if writing.output and not to_stdout and writing.output.endswith(os.sep):
        raise CallError(
            f"{quoted(writing.output)} is a folder, but the result is one file",
            "only 'confint score' writes one file per run",
        )
    on_terminal = to_stdout and files.is_terminal()
    chosen = layout or writing.output_format
    if writing.output and not to_stdout and not chosen and not files.is_device(writing.output):
        chosen = format_of_file(writing.output)
    is_paper = writing.paper is not None
    output_format = chosen or ("table" if on_terminal or is_paper else "tsv")
    if is_paper:
        check_has_paper(output_format)
    settings = OutputOptions(signature=writing.signature is True)
    if on_terminal:
        color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        settings = replace(settings, width=_terminal_width(), color=color)
    with files.destination(writing.output) as put, _plotter(writing, figure) as plot:

        def write(answer: Answer[Any]) -> None:
            rows = len(answer.rows)
            if rows >= _MANY_ROWS:
                busy_line(f"writing {rows} rows", quiet=writing.quiet)
            path = "" if to_stdout else writing.output or ""
            # It may be the end of memory: no figure is drawn before.
            text = text_of(answer, output_format, settings, writing, path)
            clear_progress()
            notices = plot(answer)  # before the table, which is the last thing to be seen
            notices += about_letters_of(text, output_format)
            show_notices(notices, verbose=writing.verbose, quiet=writing.quiet)
            put(text)

        yield write


def text_of(
    answer: Answer[Any],
    output_format: str,
    settings: OutputOptions,
    writing: WritingOptions,
    path: str,
) -> str:
    """Return an answer as text, in the layout that was asked for; `path` is that of its file.

    Of the `settings`, the digits are those that the user asks for, or else those of the answer.
    """
    settings = replace(settings, digits=_digits(answer, output_format, writing))
    paper = writing.paper
    if paper is None:
        return render(answer_shown(answer, writing.columns), output_format, settings)
    check_has_paper(output_format)
    check_columns(answer, writing.columns)
    settings = replace(settings, signature=writing.signature is not False)
    return render_paper(answer, output_format, settings, paper, path)


def about_letters_of(text: str, output_format: str) -> list[Notice]:
    """Return a note if LaTeX has letters at which pdflatex stops."""
    if output_format != "latex" or not beyond_pdflatex(text):
        return []
    return [
        note(
            "the table has letters at which pdflatex stops: xelatex and lualatex print those that "
            "the font has (\\usepackage{fontspec} and \\setmainfont; xeCJK for Chinese)"
        )
    ]


@contextmanager
def folder_output(reading: Request, writing: WritingOptions, layout: str | None) -> Iterator[Write]:
    """Yield a function that writes a file for each run, named after it, into the folder of -o."""
    folder = writing.output
    assert folder is not None
    output_format = layout or writing.output_format or "tsv"

    def write(answer: Answer[Any]) -> None:
        digits = _digits(answer, output_format, writing)
        settings = OutputOptions(digits=digits, signature=writing.signature is True)
        by_run = _by_run(answer)
        names = files.safe_file_names(by_run, formats()[output_format].endings[0])
        check_inputs_stay(reading.paths, writing, [os.path.join(folder, name) for name in names])
        answers = (answer_shown(of_run, writing.columns) for of_run in by_run.values())
        texts = (render(of_run, output_format, settings) for of_run in answers)
        notices = files.write_folder(folder, dict(zip(names, texts, strict=True)))
        show_notices(notices, verbose=writing.verbose, quiet=writing.quiet)

    yield write


def _by_run(answer: Answer[Any]) -> dict[str, Answer[Any]]:
    """Return the scores of each run as an answer of its own; those of a run follow one another."""
    by_run, start = {}, 0
    for run, group in groupby(column_of(answer.rows, "run")):
        end = start + sum(1 for _ in group)
        facts = merged(answer.facts, {"runs": 1})
        by_run[run] = replace(answer, rows=answer.rows[start:end], facts=facts)
        start = end
    return by_run


def _digits(answer: Answer[Any], output_format: str, writing: WritingOptions) -> int:
    """Return how many decimals numbers have: as many as the user says, or else as the answer."""
    if writing.digits is not None:
        return writing.digits
    is_for_people = formats()[output_format].for_people
    return answer.decimals.for_people if is_for_people else answer.decimals.in_records


def _terminal_width() -> int:
    import shutil

    return shutil.get_terminal_size().columns


@contextmanager
def _plotter(
    writing: WritingOptions, figure: str
) -> Iterator[Callable[[Answer[Any]], list[Notice]]]:
    """Yield a function that writes the figure of an answer to --plot, and returns notices about it.

    Without --plot, it does nothing.
    """
    if writing.plot is None:
        if writing.no_title:
            raise CallError("--no-title is for figures: use it with --plot")
        yield lambda _: []
        return
    from confint_cli.outputs import figures

    kind = figures.kind_of(writing.plot)
    figures.leave_the_users_matplotlib_alone()
    if writing.output and files.real_path(writing.output) == files.real_path(writing.plot):
        raise CallError(f"-o and --plot are the same file: {quoted(writing.plot)}")
    out = files.OutputFile(writing.plot)

    def plot(answer: Answer[Any]) -> list[Notice]:
        busy_line("drawing the figure", quiet=writing.quiet)
        try:
            content, notices = figures.draw(figure, answer, kind, titled=not writing.no_title)
        except MemoryError:
            raise shortage(
                " for the figure", "the table without a figure (no --plot) needs less"
            ) from None
        clear_progress()
        out.write(content)
        out.commit()  # now, as whoever reads the table may not read to its end
        return notices

    try:
        yield plot
    finally:
        out.discard()


def check_inputs_stay(
    paths: Iterable[str],
    writing: WritingOptions,
    targets: Iterable[str] | None = None,
    *,
    option: str = "-o",
) -> None:
    """Raise CallError if a result would be written over one of the `paths`, which are read.

    The results are the `targets` of an `option`, or else the output of -o, and the figure.
    """
    inputs = list(filter(os.path.isfile, paths))
    written = [(option, path) for path in targets or filter(None, [writing.output])]
    if writing.plot is not None:
        written.append(("--plot", writing.plot))
    for name, target in written:
        if os.path.isfile(target) and any(is_same_file(path, target) for path in inputs):
            raise CallError(f"{name} would overwrite an input: {quoted(target)}")
