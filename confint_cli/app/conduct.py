"""The steps of every command: read scores, run the study, show notices, sign and write the answer.

A command returns a task, whose `ask` runs its study on the scores; all else happens here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from confint_cli import __version__
from confint_cli.app.call_facts import facts_of_call
from confint_cli.app.command import has_option, is_given
from confint_cli.app.messages import progress_line, show_error, show_notices
from confint_cli.app.options import WritingOptions
from confint_cli.app.task import DirectTask, Task, Work
from confint_cli.app.writing import check_inputs_stay, table_output
from confint_cli.common.errors import DataError, Notice, Tell, note, warning
from confint_cli.common.progress import Progress
from confint_cli.common.system import get_ready_for_products
from confint_cli.common.text import listed
from confint_cli.outputs.cells import sentence_text
from confint_cli.scores.gather import gather
from confint_cli.scores.load import load
from confint_cli.scores.naming import runs_named, separated
from confint_cli.scores.request import Request
from confint_cli.scores.treatments import IRRELEVANT
from confint_cli.studies.answer import Answer
from confint_cli.studies.designs import (
    check_can_be_bounded,
    check_can_be_standardized,
    check_design,
)
from confint_cli.studies.facts import merged
from confint_cli.studies.yardstick import scale_in_words, standardized

FAILED = 3  # the exit status of a call whose answer does not pass its gate
_MOST_FAILURES = 10  # that are shown one by one
_SEED_NOT_USED = note("--seed changes nothing: no random numbers were needed")
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
            write(replace(answer, notices=tuple(listener.notices)))
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
    check_design(
        scores,
        reading,
        task.name,
        task.for_new,
        takes_designs=task.designs,
        why_plain=task.why_plain,
    )
    if scores.judge is not None and not task.both_judges:
        from confint_cli.studies.judged import of_use  # late: only a judge needs its statistics

        scores, about_judge = of_use(scores)
        listener.tell(about_judge)
    if scores.besides:
        from confint_cli.studies.unjudged import about_shares

        treats_unjudged = has_option("unjudged")
        check_can_be_bounded(scores, task.name, takes_bounds=treats_unjudged)
        if reading.unjudged == IRRELEVANT:
            listener.tell(about_shares(scores, treats_unjudged=treats_unjudged))
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
    if is_given("seed") and "seed" not in answer.facts:
        listener.tell([_SEED_NOT_USED])
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
    return f"{number} of {len(reading.all_files)} files {verb} left out"


def present(task: DirectTask, writing: WritingOptions) -> None:
    """Carry out a task that reads no scores, show notices, and write the answer."""
    with table_output(writing, figure=task.figure) as write:
        check_inputs_stay(task.inputs, writing)
        answer = direct_answer_of(task)
        show_notices(answer.notices, verbose=writing.verbose, quiet=writing.quiet)
        write(answer)


def direct_answer_of(task: DirectTask) -> Answer[Any]:
    """Run the study of a task that reads no scores, and return its answer with all facts."""
    answer = task.ask()
    return replace(
        answer, facts=merged({"confint": __version__, "command": task.name}, answer.facts)
    )
