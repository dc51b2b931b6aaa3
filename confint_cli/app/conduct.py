"""The steps of every command: read scores, run the study, show notices, sign and write the answer.

A command passes a function `ask`, which runs its study on the scores; all else happens here.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from confint_cli import __version__
from confint_cli.app import files
from confint_cli.app.columns import table_shown
from confint_cli.app.messages import (
    busy_line,
    clear_progress,
    progress_line,
    show_error,
    show_notices,
)
from confint_cli.app.options import EstimatingOptions, WritingOptions
from confint_cli.app.standardizing import Yardstick, explained, standardized
from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.progress import Progress
from confint_cli.common.system import get_ready_for_products, shortage
from confint_cli.common.table import Table
from confint_cli.common.text import listed, quoted
from confint_cli.inputs.source import is_same_file
from confint_cli.outputs import format_of_file, formats, render
from confint_cli.outputs.cells import OutputOptions
from confint_cli.scores.load import gather, load
from confint_cli.scores.naming import runs_named, separated
from confint_cli.scores.request import Request
from confint_cli.scores.scores import Scores

if TYPE_CHECKING:
    from confint_cli.common.parallel import Workers
    from confint_cli.stats.estimate import Estimation

Tell = Callable[[Iterable[Notice]], None]  # shows notices

_MANY_ROWS = 20_000  # which take a second or more to write
_NOT_USED = note("--executor was not needed: a cluster scores runs, draws samples and resamples")


@dataclass(frozen=True)
class Work:
    """What a command's `ask` gets, to make an answer of."""

    scores: Scores
    baselines: tuple[str, ...]  # the names of runs
    standardize: Yardstick | None  # what this call standardises scores by; None: it does not
    facts: Mapping[str, str]  # what the signature says about the call, by name
    tell: Tell  # for notices that come before long work; all others are part of the answer
    progress: Callable[[str], Progress]  # takes the name of some work, returns its progress line


@dataclass(frozen=True)
class Answer:
    """The result of a study: a table, or else tables by run, or a page."""

    table: Table = field(default_factory=lambda: Table("", []))
    notices: Sequence[Notice] = ()
    facts: Mapping[str, str] = field(default_factory=dict)  # for the signature, about the question
    by_run: Mapping[str, Table] = field(default_factory=dict)  # each for a file of its own
    page: Callable[[Sequence[Notice]], str] | None = None  # takes all notices, returns HTML
    beside: "Answer | None" = None  # signed already, for a second file


Write = Callable[[Answer, Sequence[Notice]], None]  # takes an answer and all notices of the call


def conduct(
    name: str,
    ask: Callable[[Work], Answer],
    reading: Request,
    writing: WritingOptions,
    *,
    baselines: Sequence[str] = (),
    references: Sequence[str] = (),
    paired: bool = True,
    usual: Callable[[], Collection[str]] = tuple,
    estimating: EstimatingOptions | None = None,
    output: AbstractContextManager[Write] | None = None,
) -> int | None:
    """Read scores, call `ask`, show notices, sign and write the answer; return the exit status.

    It is 1 if files are left out, else None. `name` is that of the command, and of its figure.
    The `baselines` and further `references`, runs that options name, may be files that are read
    too. Runs that are not `paired` have topics of their own. `usual` returns the measures that are
    used if the call names none. With `estimating`, scores are standardised if its option says so.
    The `output` writes the answer; without it, a table is written.
    """
    yardstick = estimating.standardize if estimating is not None else None
    all_notices: list[Notice] = []
    left_out: dict[str, DataError] = {}  # the errors of files that are left out, by path

    def tell(notices: Iterable[Notice]) -> None:
        all_notices.extend(notices := list(notices))
        show_notices(notices, verbose=writing.verbose, quiet=writing.quiet)

    def progress(work: str) -> Progress:
        return progress_line(work, quiet=writing.quiet)

    with (
        _closing_workers(reading, writing),
        _showing_left_out(left_out),
        output or table_output(writing, figure=name) as write,
    ):
        words = [*baselines, *references]
        names_or_paths = [*dict.fromkeys([*words, *separated(words)])]
        check_inputs_stay([*reading.paths, *names_or_paths], writing)
        get_ready_for_products()  # before scores fill the memory
        work = "reading files" if reading.qrels is None else "scoring runs"
        measures = usual() if yardstick is None else yardstick.measures
        gathered = gather(reading, left_out, progress(work), names_or_paths, measures)
        scores, notices = load(gathered, reading, left_out, names_or_paths, paired=paired)
        tell(notices)
        about_left_out = _notice_of_left_out(left_out, reading)
        all_notices.extend(about_left_out)  # for a page; the user sees errors at the end
        scores = scores.sorted_runs(writing.sort)
        if estimating is not None and yardstick is not None:
            check_inputs_stay(filter(None, [yardstick.path]), writing)
            seed, drop = estimating.seed, reading.missing == "drop"
            scores, yardstick = standardized(scores, yardstick, seed, tell, drop=drop)
        facts = facts_of_call(name, scores, reading, len(left_out), yardstick)
        baseline_runs = runs_named(baselines, scores)
        answer = ask(Work(scores, baseline_runs, yardstick, facts, tell, progress))
        tell(answer.notices)
        table = answer.table
        if estimating is not None:
            table = explained(table, yardstick, scores)
        for notice in about_left_out:
            table = table.explained(f"{notice.text}.")
        write(signed(replace(answer, table=table), facts), all_notices)
    return _status(left_out, reading)


@contextmanager
def _closing_workers(reading: Request, writing: WritingOptions) -> Iterator[None]:
    """Close the workers at the end; show a note if a cluster had nothing to do."""
    try:
        yield
        if reading.workers.unused:
            show_notices([_NOT_USED], verbose=False, quiet=writing.quiet)
    finally:
        reading.workers.close()


@contextmanager
def _showing_left_out(left_out: Mapping[str, DataError]) -> Iterator[None]:
    """Show the errors of files that are left out if the work fails: they may be the reason.

    A reader that closes the pipe does not end the call if files are left out: their errors are
    shown after it, as after any result.
    """
    try:
        yield
    except BrokenPipeError:
        if not left_out:
            raise
    except Exception as error:
        _show_left_out(left_out, but=error)
        raise


def _show_left_out(left_out: Mapping[str, DataError], but: Exception | None = None) -> None:
    for error in left_out.values():
        if error is not but:  # that one is shown by whoever catches it
            show_error(str(error), error.hint)


def _notice_of_left_out(left_out: Mapping[str, DataError], reading: Request) -> list[Notice]:
    """Return a warning that names the files left out, for a table or page; none without any."""
    if not left_out:
        return []
    return [warning(f"{_in_words(left_out, reading)}: {listed([*left_out], 10)}")]


def _status(left_out: Mapping[str, DataError], reading: Request) -> int | None:
    """Show the errors of files that are left out, and return the exit status: None without any."""
    if not left_out:
        return None
    _show_left_out(left_out)
    show_error(f"{_in_words(left_out, reading)}; the result is of the others", "")
    return 1


def _in_words(left_out: Mapping[str, DataError], reading: Request) -> str:
    """Return `2 of 9 files are left out`."""
    number = len(left_out)
    verb = "is" if number == 1 else "are"
    return f"{number} of {len(reading.files)} files {verb} left out"


def present(
    ask: Callable[[Tell], Answer],
    writing: WritingOptions,
    *,
    figure: str = "",
    inputs: Iterable[str] = (),
) -> None:
    """Call `ask`, show notices, sign and write the answer, for a command that reads no scores.

    `inputs` are the files that it reads, which must not be written over.
    """

    def tell(notices: Iterable[Notice]) -> None:
        show_notices(notices, verbose=writing.verbose, quiet=writing.quiet)

    with table_output(writing, figure=figure) as write:
        check_inputs_stay(inputs, writing)
        answer = ask(tell)
        tell(answer.notices)
        write(signed(answer, {}), ())


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


def estimation_asked_for(options: EstimatingOptions, workers: "Workers") -> "Estimation":
    """Return which intervals the options ask for, and who computes them."""
    from confint_cli.app.names import methods_asked_for
    from confint_cli.stats.estimate import Estimation
    from confint_cli.studies.draws import check_resamples

    methods, optional = methods_asked_for(
        options.method, population=options.population, differences=options.differences
    )
    how = Estimation(methods, options.level, options.resamples, options.seed, optional, workers)
    check_resamples(how)
    return how


# Signatures


def signed(answer: Answer, facts: Mapping[str, str]) -> Answer:
    """Return the answer with signatures in its tables, which join three kinds of facts.

    They are about the call (`facts`), about the question (of the answer), and about a table.
    """

    def with_facts(table: Table) -> Table:
        return replace(table, signature={**facts, **answer.facts, **table.signature})

    by_run = {run: with_facts(table) for run, table in answer.by_run.items()}
    return replace(answer, table=with_facts(answer.table), by_run=by_run)


def facts_of_call(
    name: str, scores: Scores, reading: Request, left_out: int, standardize: Yardstick | None
) -> dict[str, str]:
    """Return the facts that begin the signature of a command that reads scores, by name.

    `left_out` is the number of files that are left out.
    """
    facts = {
        "confint": __version__,
        "command": name,
        "topics": str(len(scores.topics)),
        "runs": str(len(scores.runs)),
        "measures": ",".join(scores.measures),
        "missing": reading.missing,
    }
    if left_out:
        facts["left-out"] = str(left_out)
    if reading.topics is not None:
        facts["only"] = os.path.basename(reading.topics)
    if reading.every > 1:
        facts["every"] = str(reading.every)
    if reading.qrels is not None:
        from confint_cli.scores.scoring import SCORER

        facts["qrels"] = os.path.basename(reading.qrels)
        facts["scored"] = SCORER
        facts["rel-level"] = str(1 if reading.rel_level is None else reading.rel_level)
    if standardize is not None:
        facts["standardize"] = str(standardize)
    if scores.scales:
        facts["scale"] = ",".join(scores.scales.get(measure, "") for measure in scores.measures)
    return facts


def facts_of_estimation(
    estimation: "Estimation",
    standardize: Yardstick | None = None,
    sampling: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the facts about intervals for the signature; `sampling` are those about samples."""
    facts = {
        "methods": ",".join(estimation.methods),
        "levels": ",".join(map(str, estimation.levels)),
        **facts_of_computing(),
    }
    if estimation.resampling:
        facts["resamples"] = str(estimation.resamples)
    facts |= sampling or {}
    if estimation.resampling or sampling or (standardize is not None and standardize.number):
        facts |= facts_of_chance(estimation.seed)
    return facts


def facts_of_computing() -> dict[str, str]:
    """Return the version of scipy for the signature, as it computes distributions such as t.

    Their digits from the tenth on have changed with its versions.
    """
    from scipy.version import version

    return {"computed": f"scipy-{version}"}


def facts_of_chance(seed: int) -> dict[str, str]:
    """Return seed and version of numpy for the signature: another version may draw otherwise."""
    import numpy as np

    return {"seed": str(seed), "random": f"numpy-{np.__version__}"}


# Outputs: a table and its figure, or a file for each run


@contextmanager
def table_output(
    writing: WritingOptions,
    layout: str | None = None,
    *,
    figure: str = "",
    default_digits: int = 4,
    for_people: int | None = None,
) -> Iterator[Write]:
    """Yield a function that writes the table of an answer and, with --plot, its figure.

    An output file is opened at once, and gets its name when all is written. `figure` is the name
    of the figure. `layout` is a format that the command chose itself, whatever the options say;
    `for_people` is the number of `default_digits` in formats that programs do not read.
    """
    to_stdout = files.is_stdout(writing.output)
    if writing.output and not to_stdout and writing.output.endswith(os.sep):
        raise CallError(
            f"{quoted(writing.output)} is a folder, and the result is one file",
            "'confint score' alone writes a file for each run",
        )
    on_terminal = to_stdout and files.is_terminal()
    chosen = layout or writing.output_format
    if writing.output and not to_stdout and not chosen and not files.is_device(writing.output):
        chosen = format_of_file(writing.output)
    output_format = chosen or ("table" if on_terminal else "tsv")
    if for_people is not None and formats()[output_format].for_people:
        default_digits = for_people
    settings = _settings(writing, default_digits)
    if on_terminal:
        color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        settings = replace(settings, width=_terminal_width(), color=color)
    with files.destination(writing.output) as put, _plotter(writing, figure) as plot:

        def write(answer: Answer, _notices: Sequence[Notice]) -> None:
            table = answer.table
            rows = len(table.columns[0].values)
            if rows >= _MANY_ROWS:
                busy_line(f"writing {rows} rows", quiet=writing.quiet)
            shown = table_shown(table, writing.columns)
            text = render(shown, output_format, settings)  # may be the end of memory: no figure yet
            clear_progress()
            notices = plot(table)  # before the table, which is the last thing to be seen
            show_notices(notices, verbose=writing.verbose, quiet=writing.quiet)
            put(text)

        yield write


@contextmanager
def folder_output(
    reading: Request, writing: WritingOptions, layout: str | None, default_digits: int
) -> Iterator[Write]:
    """Yield a function that writes a file for each run, named after it, into the folder of -o."""
    folder = writing.output
    assert folder is not None
    output_format = layout or writing.output_format or "tsv"
    settings = _settings(writing, default_digits)

    def write(answer: Answer, _notices: Sequence[Notice]) -> None:
        names = files.safe_file_names(answer.by_run, formats()[output_format].endings[0])
        check_inputs_stay(reading.paths, writing, [os.path.join(folder, name) for name in names])
        tables = (table_shown(table, writing.columns) for table in answer.by_run.values())
        texts = (render(table, output_format, settings) for table in tables)
        notices = files.write_folder(folder, dict(zip(names, texts, strict=True)))
        show_notices(notices, verbose=writing.verbose, quiet=writing.quiet)

    yield write


def _settings(writing: WritingOptions, default_digits: int) -> OutputOptions:
    digits = default_digits if writing.digits is None else writing.digits
    return OutputOptions(digits=digits, signature=writing.signature)


def _terminal_width() -> int:
    import shutil

    return shutil.get_terminal_size().columns


@contextmanager
def _plotter(writing: WritingOptions, figure: str) -> Iterator[Callable[[Table], list[Notice]]]:
    """Yield a function that writes the figure of a table to --plot, and returns notices about it.

    Without --plot, it does nothing.
    """
    if writing.plot is None:
        if writing.no_title:
            raise CallError("--no-title is for figures, which --plot draws")
        yield lambda _: []
        return
    from confint_cli.outputs import figures

    kind = figures.kind_of(writing.plot)
    if writing.output and files.real_path(writing.output) == files.real_path(writing.plot):
        raise CallError(f"-o and --plot are the same file: {quoted(writing.plot)}")
    out = files.OutputFile(writing.plot)

    def plot(table: Table) -> list[Notice]:
        busy_line("drawing the figure", quiet=writing.quiet)
        try:
            content, notices = figures.draw(figure, table, kind, titled=not writing.no_title)
        except MemoryError:
            raise shortage(" for the figure", "the table alone (no --plot) needs less") from None
        clear_progress()
        out.write(content)
        out.commit()  # now, as whoever reads the table may not read to its end
        return notices

    try:
        yield plot
    finally:
        out.discard()
