"""The steps of every command: read scores, run the study, show notices, sign and write the answer.

A command returns a task, whose `ask` runs its study on the scores; all else happens here.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Any

from confint_cli import __version__
from confint_cli.app import files
from confint_cli.app.columns import answer_shown, check_columns
from confint_cli.app.messages import (
    busy_line,
    clear_progress,
    progress_line,
    show_error,
    show_notices,
)
from confint_cli.app.options import WritingOptions
from confint_cli.app.standardizing import Yardstick, scale_in_words, standardized
from confint_cli.app.task import DirectTask, Task, Tell, Work, Write
from confint_cli.common.errors import CallError, DataError, Notice, note, warning
from confint_cli.common.progress import Progress
from confint_cli.common.system import get_ready_for_products, shortage
from confint_cli.common.text import listed, quoted
from confint_cli.inputs.source import is_same_file
from confint_cli.outputs import format_of_file, formats, render
from confint_cli.outputs.cells import OutputOptions, sentence_text
from confint_cli.outputs.latex import beyond_pdflatex
from confint_cli.outputs.paper import check_has_paper, render_paper
from confint_cli.scores.labels import IN_JUDGEMENTS
from confint_cli.scores.load import gather, load
from confint_cli.scores.naming import runs_named, separated
from confint_cli.scores.request import Request
from confint_cli.scores.scores import Scores
from confint_cli.scores.treatments import IRRELEVANT, LEAST
from confint_cli.studies.answer import Answer, column_of
from confint_cli.studies.facts import Facts, merged
from confint_cli.studies.scope import COLLECTIONS, designs_of, facts_of_design, in_words

FAILED = 3  # the exit status of a call whose answer does not pass its gate
_MOST_FAILURES = 10  # that are shown one by one
_MANY_ROWS = 20_000  # which take a second or more to write
_NOT_USED = note("--executor was not needed: a cluster scores runs, draws samples and resamples")


@dataclass(frozen=True)
class Listener:
    """Who hears about a call while it is carried out, and what was said so far."""

    show: Tell
    progress: Callable[[str], Progress]  # takes the name of some work, returns its progress
    notices: list[Notice] = field(default_factory=list)  # shown or not
    left_out: dict[str, DataError] = field(default_factory=dict)  # the errors of files, by path

    def tell(self, notices: Iterable[Notice]) -> None:
        """Show notices, and keep them."""
        told = list(notices)
        self.notices.extend(told)
        self.show(told)


def conduct(task: Task, reading: Request, writing: WritingOptions) -> int | None:
    """Carry out a task and write the answer; return the exit status.

    It is 1 if files are left out, else 3 if the answer does not pass its gate, else None.
    """
    listener = Listener(
        partial(show_notices, verbose=writing.verbose, quiet=writing.quiet),
        partial(progress_line, quiet=writing.quiet),
    )
    with (
        _closing_workers(reading, writing),
        _showing_left_out(listener.left_out),
        task.output or table_output(writing, figure=task.name) as write,
    ):
        answer = answer_of(task, reading, writing, listener)
        try:
            write(answer, listener.notices)
        except BrokenPipeError:
            if answer.gate is None:  # else whoever reads no further still is to know
                raise
    of_gate = _status_of_gate(answer)  # shown even if files are left out
    return _status(listener.left_out, reading) or of_gate


def answer_of(
    task: Task, reading: Request, writing: WritingOptions, listener: Listener
) -> Answer[Any]:
    """Read scores, run the study of a task, and return its answer with the facts of the call.

    The listener hears about notices as they come up.
    """
    estimating = task.estimating
    yardstick = estimating.standardize if estimating is not None else None
    words = [*task.baselines, *task.references]
    names_or_paths = [*dict.fromkeys([*words, *separated(words)])]
    check_inputs_stay([*reading.paths, *names_or_paths], writing)
    get_ready_for_products()  # before scores fill the memory
    work = "reading files" if reading.qrels is None else "scoring runs"
    measures = task.usual() if yardstick is None else yardstick.measures
    left_out = listener.left_out
    gathered = gather(reading, left_out, listener.progress(work), names_or_paths, measures)
    judgements = [reading.qrels, reading.judge_qrels]
    found = [path for of in judgements for path in gathered.judgements_of(of)]
    if gathered.judge is not None:
        found += [own.path for own in gathered.judge.readings]
    check_inputs_stay(found, writing)
    scores, notices = load(
        gathered,
        reading,
        left_out,
        names_or_paths,
        paired=task.paired,
    )
    listener.tell(notices)
    about_left_out = notice_of_left_out(left_out, reading)
    listener.notices.extend(about_left_out)  # the user sees errors instead, at the end
    check_design(task, scores, reading)
    if scores.judge is not None and not task.both_judges:
        from confint_cli.studies.judged import of_use  # late: only a judge needs its statistics

        scores, about_judge = of_use(scores)
        listener.tell(about_judge)
    if scores.besides:
        from confint_cli.studies.unjudged import about_shares, check_can_be_bounded

        check_can_be_bounded(scores, task.name)
        if reading.unjudged == IRRELEVANT:
            listener.tell(about_shares(scores, task.name))
    scores = scores.sorted_runs(writing.sort)
    if estimating is not None and yardstick is not None:
        check_inputs_stay(filter(None, [yardstick.path]), writing)
        check_can_be_standardized(scores)
        seed, drop = estimating.seed, reading.missing == "drop"
        scores, yardstick = standardized(scores, yardstick, seed, listener.tell, drop=drop)
    facts = facts_of_call(task, scores, reading, len(left_out), yardstick)
    baselines = runs_named(task.baselines, scores)
    answer = task.ask(Work(scores, baselines, yardstick, facts, listener.tell, listener.progress))
    listener.tell(answer.notices)
    remarks = [scale_in_words(yardstick, scores)] if estimating is not None else []
    if reading.missing == "drop":
        remarks.append("Topics that some run lacks are left out.")
    remarks += [f"{notice.text}." for notice in about_left_out]
    return replace(
        answer,
        facts=merged(facts, answer.facts),
        remarks=(*answer.remarks, *filter(None, remarks)),
    )


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


def notice_of_left_out(left_out: Mapping[str, DataError], reading: Request) -> list[Notice]:
    """Return a warning that names the files left out, for a table or page; none without any."""
    if not left_out:
        return []
    return [warning(f"{_in_words(left_out, reading)}: {listed([*left_out], 10)}")]


def _status(left_out: Mapping[str, DataError], reading: Request) -> int | None:
    """Show the errors of files that are left out, and return the exit status: None without any."""
    if not left_out:
        return None
    _show_left_out(left_out)
    show_error(f"{_in_words(left_out, reading)}; the result is from the other files", "")
    return 1


def _status_of_gate(answer: Answer[Any]) -> int | None:
    """Show what does not pass the gate of an answer; return the exit status, None if all passes."""
    if answer.gate is None or not answer.gate.failures:
        return None
    show_error(answer.gate.about, "")
    shown = answer.gate.failures[:_MOST_FAILURES]
    for sentence in shown:
        show_error(sentence_text(sentence, 4), "")
    if len(shown) < len(answer.gate.failures):
        show_error(f"and {len(answer.gate.failures) - len(shown)} more", "")
    return FAILED


def _in_words(left_out: Mapping[str, DataError], reading: Request) -> str:
    """Return `2 of 9 files are left out`."""
    number = len(left_out)
    verb = "is" if number == 1 else "are"
    return f"{number} of {len(reading.files)} files {verb} left out"


def present(task: DirectTask, writing: WritingOptions) -> None:
    """Carry out a task that reads no scores, show notices, and write the answer."""
    with table_output(writing, figure=task.figure) as write:
        check_inputs_stay(task.inputs, writing)
        answer = direct_answer_of(task)
        show_notices(answer.notices, verbose=writing.verbose, quiet=writing.quiet)
        write(answer, answer.notices)


def direct_answer_of(task: DirectTask) -> Answer[Any]:
    """Run the study of a task that reads no scores, and return its answer with all facts."""
    answer = task.ask()
    return replace(
        answer, facts=merged({"confint": __version__, "command": task.name}, answer.facts)
    )


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


# Facts


def check_design(task: Task, scores: Scores, reading: Request) -> None:
    """Raise CallError if a task cannot be asked of the design of the scores."""
    designs = designs_of(scores)
    if designs and not task.designs:
        hint = "--labels none ignores columns of tables that name them"
        if scores.several:
            hint = "give the files, or the rows of a table, of one collection"
        elif reading.groups is not None:
            hint = "'confint compare' takes them; without --groups, topics count as independent"
        elif reading.labels:
            hint = "'confint compare' takes them; one file per run says nothing about other repeats"
        raise CallError(
            f"confint {task.name} is not for {in_words(designs)}: {task.why_plain}", hint
        )
    if task.for_new == COLLECTIONS and not scores.several:
        hint = (
            "--labels '{collection}/{run}.run' takes names of collections from the paths of FILES; "
            "tables may have a column 'collection'"
        )
        raise CallError(
            "--for-new collections needs several collections, but there is only one",
            "give the files of several collections"
            if "{collection}" in "".join(reading.labels)
            else hint,
        )


def check_can_be_standardized(scores: Scores) -> None:
    """Raise CallError for scores of groups or repeats, by two judges, or with bounds."""
    if LEAST in scores.besides:
        raise CallError(
            "--standardize is not for bounds: the runs to standardise by would have bounds, too",
            "leave out --standardize, or use --unjudged skip",
        )
    if scores.judge is not None:
        raise CallError(
            "--standardize is not for a cheaper judge, whose scores have other means and variances",
            "leave out --standardize",
        )
    if scores.groups is not None:
        raise CallError(
            "--standardize is not for groups of topics",
            "'confint standardize' writes a table of standardised scores, which may have --groups",
        )
    if scores.repeats is not None:
        raise CallError("--standardize is not for repeats of runs: each repeat is a run of its own")


def facts_of_call(
    task: Task, scores: Scores, reading: Request, left_out: int, standardize: Yardstick | None
) -> Facts:
    """Return the facts about a call that reads scores, with which its signature begins.

    `left_out` is the number of files that are left out.
    """
    facts: Facts = {
        "confint": __version__,
        "command": task.name,
        "topics": len(scores.topics),
    }
    if scores.collections is not None:
        facts["collections"] = len(scores.collections.names)
        if task.for_new:
            facts["for_new"] = task.for_new
    facts |= facts_of_design(scores)
    if reading.labels:
        facts["labels"] = reading.labels
    facts |= {"runs": len(scores.runs), "measures": scores.measures, "missing": reading.missing}
    if left_out:
        facts["left_out"] = left_out
    if reading.topics is not None:
        facts["only"] = f"{len(reading.topics)} given"
        if isinstance(reading.topics, str):
            facts["only"] = os.path.basename(reading.topics)
    if reading.every > 1:
        facts["every"] = reading.every
    if reading.qrels is not None:
        facts["qrels"] = _name_of_qrels(reading.qrels)
        facts["scored"] = scores.scorer
        facts["rel_level"] = 1 if reading.rel_level is None else reading.rel_level
        if reading.unjudged != IRRELEVANT:
            facts["unjudged"] = reading.unjudged
    if standardize is not None:
        facts["standardize"] = str(standardize)
    if scores.scales:
        facts["scale"] = tuple(scores.scales.get(measure, "") for measure in scores.measures)
    return facts


def _name_of_qrels(path: str) -> str:
    """Return the name of the file of judgements; for several, from the collection's place on."""
    folders = path.split(os.sep)
    place = next((place for place, part in enumerate(folders) if IN_JUDGEMENTS in part), -1)
    return os.sep.join(folders[place:])


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
    """Yield a function that writes an answer in one format and, with --plot, its figure.

    An output file is opened at once, and gets its name when all is written. `figure` is the name
    of the figure. `layout` is a format that the command chose itself, whatever the options say;
    `for_people` is the number of `default_digits` in formats that programs do not read.
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
    if for_people is not None and formats()[output_format].for_people:
        default_digits = for_people
    settings = _settings(writing, default_digits)
    if on_terminal:
        color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        settings = replace(settings, width=_terminal_width(), color=color)
    with files.destination(writing.output) as put, _plotter(writing, figure) as plot:

        def write(answer: Answer[Any], _notices: Sequence[Notice]) -> None:
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
    """Return an answer as text, in the layout that was asked for; `path` is that of its file."""
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
def folder_output(
    reading: Request, writing: WritingOptions, layout: str | None, default_digits: int
) -> Iterator[Write]:
    """Yield a function that writes a file for each run, named after it, into the folder of -o."""
    folder = writing.output
    assert folder is not None
    output_format = layout or writing.output_format or "tsv"
    settings = _settings(writing, default_digits)

    def write(answer: Answer[Any], _notices: Sequence[Notice]) -> None:
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


def _settings(writing: WritingOptions, default_digits: int) -> OutputOptions:
    digits = default_digits if writing.digits is None else writing.digits
    return OutputOptions(digits=digits, signature=writing.signature is True)


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
