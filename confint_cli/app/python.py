"""The interface for Python: the same commands, called with keywords, with results as objects.

Each option is an argument of the same name. The arguments of a call become the words of a command
line, which the command itself parses, so that defaults, checks and messages are the same. Then the
command's task is carried out, and the answer is returned instead of written.
"""

import math
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Generic, cast

import click

from confint_cli.app.cli import cli
from confint_cli.app.command import Command
from confint_cli.app.conduct import (
    Listener,
    answer_of,
    direct_answer_of,
)
from confint_cli.app.files import destination
from confint_cli.app.keywords import (
    answer_in_python,
    has_options_in_names,
    in_python,
    notice_in_python,
)
from confint_cli.app.messages import clear_progress, progress_line
from confint_cli.app.notebook import is_notebook, notebook_progress
from confint_cli.app.options import PAPER, ROWS, WritingOptions
from confint_cli.app.task import DirectTask, Task
from confint_cli.app.usage import explained
from confint_cli.app.writing import text_of
from confint_cli.common.errors import CallError, DataError, GateError, Level, Notice
from confint_cli.common.guesses import unknown_name
from confint_cli.common.paper import PLACES
from confint_cli.common.progress import Progress, no_progress
from confint_cli.common.table import FULL_PRECISION
from confint_cli.common.text import count, quoted, split_at_commas, visible
from confint_cli.inputs.source import Source
from confint_cli.outputs import format_of_file, offered, render
from confint_cli.outputs.cells import OutputOptions, sentence_text, sentences_of
from confint_cli.outputs.page.fragment import fragment
from confint_cli.scores.gather import Gathered, gather
from confint_cli.scores.request import Given, Request
from confint_cli.studies.answer import Answer, Gate, Row, column_of
from confint_cli.studies.facts import Facts
from confint_cli.studies.score import ScoreRow

if TYPE_CHECKING:
    from confint_cli.outputs.figures.saving import ShownFigure
    from confint_cli.studies.standardize import FactorRow

_PLACE_OF_DATA = "-"  # stands in the words of a call for data in memory, and is never read
_MOST_DIGITS = 17
_MOST_SHOWN = 40  # rows that a representation has, if they are scores
_FACTORS = ("factors", "standardize")  # options that take a file of factors, and here a result too
_LISTS = ("topics", "run_names")  # options that take a file of names, and here a list of them too

# Each option of reading is in one of these, by what it does about scores that are read already.
TOO_LATE = (
    "qrels", "judge_qrels", "unjudged", "rel_level", "input_format", "run_names", "labels",
    "measure_name",
)  # fmt: skip
"""Options that say how to read, which is done: they are refused."""
STILL_OPEN = (
    "measure", "missing", "topics", "every", "groups", "group_weight", "judge_scores", "name_from",
)  # fmt: skip
"""Options that say what to make of what was read: each question may give them again."""
WITHOUT_EFFECT = ("jobs", "executor", "keep_going")
"""Options that change no result: who does the work, and that it goes on without some FILES."""


class Result(Generic[Row]):
    """The result of a question: as records, in words, as a table, as a figure."""

    def __init__(
        self, answer: Answer[Row], notices: Iterable[Notice] = (), figure: str = ""
    ) -> None:
        """Keep the answer, all notices of the call, and the name of its figure."""
        self._answer = answer
        self._figure = figure
        self._keeps_words = has_options_in_names(answer)
        # What the command line says on standard error.
        self.notices = tuple(
            notice if self._keeps_words else notice_in_python(notice) for notice in notices
        )

    @property
    def rows(self) -> Sequence[Row]:
        """The records; each column is an attribute of the records."""
        return self._answer.rows

    @property
    def columns(self) -> list[str]:
        """The names of the columns, as in `-f tsv`."""
        return self._answer.names

    @property
    def facts(self) -> Facts:
        """What the call asked for and what was used, by name."""
        return deepcopy(self._answer.facts)

    @property
    def signature(self) -> str:
        """The signature: what it takes to repeat the result, in one line."""
        return self._answer.signature

    @property
    def sentence(self) -> str:
        """The result in words, as below the tables of the command line; one line per table.

        With several tables, each line begins with the title of its table. Warnings come last, one
        line each: what they say may make the result wrong.
        """
        view = self._told.for_people()
        lines = [*sentences_of(view.tables, 4), sentence_text(view.sentence, 4)]
        lines += [f"Warning: {visible(one.text)}." for one in self.warnings]
        return "\n".join(filter(None, lines))

    @property
    def _told(self) -> Answer[Row]:
        """The answer as people read it in Python, where options are keyword arguments."""
        return self._answer if self._keeps_words else answer_in_python(self._answer)

    @property
    def passed(self) -> bool:
        """Whether the result passes the check of `fail_if`; an error without `fail_if`."""
        return not self._gate.failures

    def raise_if_failed(self) -> None:
        """Raise GateError, with what fails, if the result does not pass `fail_if`."""
        if not self.passed:
            found = [sentence_text(sentence, 4) for sentence in self._gate.failures]
            raise GateError("\n".join([in_python(self._gate.about), *found]))

    @property
    def _gate(self) -> Gate:
        """The gate; raise CallError without one, or a check that checks nothing would pass."""
        if self._answer.gate is None:
            raise CallError(
                "this result has no check to pass", "call compare(…, fail_if='worse') for one"
            )
        return self._answer.gate

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """The notices about what may make the result wrong."""
        return tuple(notice for notice in self.notices if notice.level is Level.WARNING)

    @property
    def factors(self) -> "Result[FactorRow] | None":
        """What scores were standardised by, for `factors=`, or for `standardize=` elsewhere."""
        return None if self._answer.factors is None else Result(self._answer.factors)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return each record as a dictionary of its columns; a missing value is None."""
        columns = [
            (name, [*map(_known, column_of(self.rows, name))]) for name in self._answer.names
        ]
        return [{name: values[row] for name, values in columns} for row in range(len(self.rows))]

    def to_pandas(self) -> Any:
        """Return the records as a pandas DataFrame; a missing value is NaN."""
        try:
            import pandas as pd  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise CallError("to_pandas needs pandas, which is not installed") from None
        return pd.DataFrame({name: column_of(self.rows, name) for name in self._answer.names})

    def plot(
        self, path: "str | os.PathLike[str] | None" = None, *, title: bool = True
    ) -> "ShownFigure | None":
        """Draw the figure of the command into a file (.png, .svg, .pdf); without a path, return it.

        The returned figure is one of matplotlib, which notebooks show. With `title=False`, the
        figure has neither title nor explanation.
        """
        from confint_cli.outputs import figures

        if self._figure not in figures.names():
            raise CallError(f"{self._answer.facts.get('command', 'it')} has no figure")
        with _hints():
            if path is None:
                figures.check_can_draw()
                return figures.drawn(self._figure, self._answer, titled=title)
            target = _checked_path(path)
            kind = figures.kind_of(target)
            content, _ = figures.draw(self._figure, self._answer, kind, titled=title)
            with destination(target) as put:
                put(content)
        return None

    def write(
        self,
        path: "str | os.PathLike[str]",
        *,
        format: str | None = None,  # noqa: A002
        columns: str | Sequence[str] = (),
        digits: int | None = None,
        signature: bool | None = None,
        layout: str = ROWS,
        intervals: str | None = None,
        second_best: bool = False,
        transpose: bool = False,
    ) -> None:
        """Write the result to a file, as `-o` does: in this `format`, or in that of its ending.

        With `columns`, the file has only the columns of these names. `signature` puts the signature
        into more formats, as a comment, or leaves it out of a caption. `layout`, `intervals`,
        `second_best` and `transpose` are those of the command line: with `layout="paper"`, the file
        has the table of a paper.
        """
        with _hints():
            target = _checked_path(path)
            names = [*filter(None, split_at_commas(_each("columns", columns)))]
            if len({*names}) < len(names):
                raise CallError("columns names a column twice")
            if digits is not None and (type(digits) is not int or not 0 <= digits <= _MOST_DIGITS):
                raise CallError(f"digits has to be a whole number from 0 to {_MOST_DIGITS}")
            if format is not None and format not in offered():
                raise unknown_name("--format", str(format), offered())
            if layout not in (ROWS, PAPER):
                raise unknown_name("layout", str(layout), (ROWS, PAPER))
            if intervals is not None and intervals not in PLACES:
                raise unknown_name("place of intervals", str(intervals), PLACES)
            name = format or format_of_file(target)
            settings = OutputOptions(signature=signature is True)
            writing = WritingOptions(
                digits=digits,
                columns=tuple(names),
                signature=signature,
                layout=layout,
                intervals=intervals,
                second_best=second_best,
                transpose=transpose,
            )
            text = text_of(self._answer, name, settings, writing, target)
            with destination(target) as put:
                put(text)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> Row:
        return self.rows[place]

    def __repr__(self) -> str:
        """Return the tables as a terminal would show them, and the notices below them."""
        answer, more = self._told, len(self.rows) - _MOST_SHOWN
        if answer.view is None and more > 0:  # scores, of which there may be millions
            answer = replace(answer, rows=self.rows[:_MOST_SHOWN])
        lines = [f"… {more} more rows"] if len(answer.rows) < len(self.rows) else []
        digits = answer.decimals.for_people
        text = render(answer, "table", OutputOptions(digits, elsewhere=".to_pandas() has all"))
        return "\n".join([text.rstrip("\n"), *lines, *_in_words(self.notices)])

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        return fragment(self._told, [*_in_words(self.notices)])


class Scores:
    """Scores that are read once, for many questions; see `read`."""

    def __init__(self, gathered: Gathered, result: Result[ScoreRow], request: Request) -> None:
        """Keep what was read, also as records, and how it was read."""
        self.gathered = gathered
        self.request = request
        self._result = result
        facts = result.facts
        self.measures = facts["measures"]
        self.runs = tuple(dict.fromkeys(column_of(result.rows, "run")))
        topics = column_of(result.rows, "topic")
        if "collections" in facts:
            names = column_of(result.rows, "collection")
            self.collections: tuple[str, ...] = tuple(dict.fromkeys(names))
            self.topics = tuple(
                topic for _, topic in dict.fromkeys(zip(names, topics, strict=True))
            )
        else:
            self.collections, self.topics = (), tuple(dict.fromkeys(topics))
        self.notices = result.notices

    @property
    def rows(self) -> Sequence[ScoreRow]:
        """A record for each run, topic and measure."""
        return self._result.rows

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return each score as a dictionary of run, topic, measure and score."""
        return self._result.to_dicts()

    def to_pandas(self) -> Any:
        """Return the scores as a pandas DataFrame of run, topic, measure and score."""
        return self._result.to_pandas()

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        several = f" of {count(len(self.collections), 'collection')}" if self.collections else ""
        lines = [
            f"Scores of {count(len(self.runs), 'run')} on {count(len(self.topics), 'topic')}"
            f"{several}, with {count(len(self.measures), 'measure')}: "
            f"{', '.join(map(visible, self.measures))}",
            *_in_words(self.notices),
        ]
        return "\n".join(lines)


def read(data: object, options: Mapping[str, Any]) -> Scores:
    """Return the scores in files or in memory, for several questions."""
    with _called("score", data, options) as (task, request, writing, listener):
        assert isinstance(task, Task), "score has one"
        request = replace(request, decides=True)  # a question may be which of two runs is better
        everything = request.qrels is None and not request.measure  # questions choose of it
        wanted = replace(request, measure=("all",)) if everything else request
        gathered = gather(wanted, listener.left_out, listener.progress("reading"))
        # Who chooses measures needs no advice to choose some; all else holds for questions too.
        listener.tell(notice for notice in gathered.notices if notice.is_advice)
        stay = [notice for notice in gathered.notices if not notice.is_advice]
        measures = () if everything else gathered.measures
        gathered = replace(gathered, notices=stay, measures=measures)
        given = Given("", gathered, request.all_files, {**listener.left_out})
        kept = replace(request, files=(), given=(given,))
        answer = answer_of(task, kept, writing, replace(listener, left_out={}))
    return Scores(gathered, Result(answer, listener.notices), kept)


def ask(name: str, data: object, options: Mapping[str, Any]) -> Result[Any]:
    """Return the result of the command `name`, asked about `data` with these options."""
    with _called(name, data, options) as (task, request, writing, listener):
        if isinstance(task, DirectTask):
            answer = direct_answer_of(task)
            return Result(answer, answer.notices, task.figure)
        answer = answer_of(task, request, writing, listener)
    return Result(answer, listener.notices, task.name)


Called = tuple[Task | DirectTask, Request, WritingOptions, Listener]


@contextmanager
def _called(name: str, data: object, options: Mapping[str, Any]) -> Iterator[Called]:
    """Yield the task of a call, with its options as records, and who hears about it.

    Errors are those of the command line; a traceback shows their hints.
    """
    given = {option: value for option, value in options.items() if value is not None}
    shows_progress = given.pop("progress", False) is True
    listener = Listener(
        lambda _notices: None, _progress if shows_progress else lambda _work: no_progress
    )
    has_data = data is not None  # else options say what the question is about
    command, words = _command(name), list[str]()
    request: Request | None = None
    try:
        with ExitStack() as stack, _hints():
            paths = _paths(data)
            lists: dict[str, Any] = {
                key: _names_in(key, given.pop(key)) for key in _LISTS if key in given
            }
            if not isinstance(given.get("judge_scores", ""), str | os.PathLike):
                value = given.pop("judge_scores")
                value = value.gathered if isinstance(value, Scores) else value
                lists["judge_scores"] = Given("judge_scores", value)
            if isinstance(given.get("groups"), Mapping):
                groups = given.pop("groups").items()
                lists["groups"] = {str(topic): str(group) for topic, group in groups}
            for key in _FACTORS:
                if isinstance(given.get(key), Result):
                    given[key] = _saved(given[key], stack.enter_context(TemporaryDirectory()))
            words += _words(command, given)
            if has_data:
                words += ["--", *(paths or [_PLACE_OF_DATA])]
            # With the settings of a call from a shell: click keeps the option of the help.
            context = command.make_context(name, words, **cli.context_settings)
            values = command.records(stack.enter_context(context))
            request = values.get("reading")
            if request is not None:
                values["reading"] = replace(request, **lists)
            if has_data and paths is None:
                values = _with_data(values, data, {*given, *lists})
            task = command.asked(values)
            yield task, cast(Request, values.get("reading")), values["writing"], listener
    except click.UsageError as error:
        wrong = CallError(*explained(error, f"confint {name}", words))
        raise _told_in_python(wrong) from None
    except (CallError, DataError) as error:
        for said in _in_words(map(notice_in_python, listener.notices)):  # they may be why
            error.add_note(said)
        raise
    finally:
        clear_progress()
        if request is not None:
            request.workers.close()


@contextmanager
def _hints() -> Iterator[None]:
    """Let our errors speak of keyword arguments, and their tracebacks show hints.

    These show nothing of where the errors come from.
    """
    try:
        yield
    except (CallError, DataError) as error:
        raise _told_in_python(error) from None


def _names_in(option: str, value: object) -> str | tuple[str, ...]:
    """Return names that are given as a list, or the path of the file that lists them."""
    if isinstance(value, str | os.PathLike):
        path = _checked_path(value)
        if not os.path.exists(path):
            raise CallError(f"{option} takes a list or a file: there is no file {quoted(path)}")
        return path
    if not isinstance(value, Iterable) or isinstance(value, bytes | Set | Mapping):
        raise CallError(f"{option} takes a list of names, not a {_kind(value)}")
    return tuple(_text(option, name) for name in value)


def _saved(factors: "Result[Any]", folder: str) -> str:
    """Write factors to a file that the command can read, and return its path."""
    path = os.path.join(folder, "factors.tsv")
    factors.write(path, signature=True)
    return path


def _told_in_python(error: CallError | DataError) -> CallError | DataError:
    """Return the error in the words of Python, with its hint as a note below the message."""
    if hasattr(error, "__notes__"):
        return error
    text, hint = in_python(str(error)), in_python(error.hint)
    told = DataError("", text, hint) if isinstance(error, DataError) else CallError(text, hint)
    if hint:
        told.add_note(f"hint: {hint}")
    return told


def _command(name: str) -> Command:
    context = click.Context(cli)
    return cast(Command, cli.get_command(context, name))


def _paths(data: object) -> list[str] | None:
    """Return the paths that data are, one or several; None, if they are no paths."""
    if isinstance(data, str | os.PathLike):
        return [_checked_path(data)]
    if (
        isinstance(data, Sequence)
        and data
        and all(isinstance(path, str | os.PathLike) for path in data)
    ):
        return [*map(_checked_path, data)]
    return None


def _checked_path(path: object) -> str:
    """Return a path as text; raise CallError for what the system has no file of."""
    if isinstance(path, str | os.PathLike):
        text = os.fspath(path)
        with suppress(UnicodeEncodeError):
            if isinstance(text, str) and os.fsencode(text).find(b"\0") < 0:
                return text
    raise CallError(f"{quoted(str(path), 40)} is not a path")


def _with_data(values: dict[str, Any], data: object, given: Container[str]) -> dict[str, Any]:
    """Return the values of a call with data in memory in the place of FILES.

    `given` are the names of the options that the call has.
    """
    if isinstance(data, Result) or "reading" not in values:
        data = _as_source(data)
    if "reading" not in values:  # a table of published results
        return values | {"files": (data,)}
    request: Request = values["reading"]
    if isinstance(data, Scores):
        return values | {"reading": _of_scores(request, data, given)}
    name = str(data.path) if isinstance(data, Source) else ""
    return values | {"reading": replace(request, files=(), given=(Given(name, data),))}


def _of_scores(request: Request, scores: Scores, given: Container[str]) -> Request:
    """Return the request for scores that are read already; what says how to read is too late.

    What is not `given` is as when they were read. The work is done by the workers of this call.
    """
    for name in TOO_LATE:
        if name in given:
            option = name.replace("_", "-")
            raise CallError(f"--{option} says how to read, but these scores are already read")
    asked: dict[str, Any] = {name: getattr(request, name) for name in STILL_OPEN if name in given}
    return replace(scores.request, workers=request.workers, **asked)


def _as_source(data: object) -> Source:
    """Return a result, or a table of published results, as the file that it would be."""
    if isinstance(data, Result):
        text = render(data._answer, "tsv", OutputOptions(digits=FULL_PRECISION, signature=True))
        return Source("the result", text.encode("utf-8", "replace"))
    for writes in ("to_csv", "write_csv"):  # of pandas, of polars
        if hasattr(data, writes):
            settings = {"index": False} if writes == "to_csv" else {}
            return Source("the DataFrame", str(getattr(data, writes)(**settings)).encode())
    raise DataError("", f"published results have to be a file or a DataFrame, not a {_kind(data)}")


def _kind(data: object) -> str:
    return type(data).__name__


def _words(command: Command, given: Mapping[str, Any]) -> list[str]:
    """Return options as the words of a command line."""
    options = {option.name: option for option in command.params if isinstance(option, click.Option)}
    words = ["--quiet"]
    for name, value in given.items():
        words += _words_of(options[name], name, value)
    return words


def _words_of(option: click.Option, name: str, value: object) -> Iterator[str]:
    """Yield the words that stand for an option with a value, or with several."""
    word = max(option.opts, key=len)
    if option.is_flag:
        if not isinstance(value, bool):
            raise CallError(f"{name} has to be True or False, not {quoted(str(value))}")
        if value:
            yield word
    elif option.nargs > 1:
        values = [*_each(name, value)]
        if len(values) != option.nargs:
            raise CallError(f"{name} takes {option.nargs} numbers, not {len(values)}")
        yield word
        yield from values
    else:
        values = [*_each(name, value)]
        if not values:
            raise CallError(f"{name} is an empty list", "leave it out for the default")
        if len(values) > 1 and not option.multiple:
            raise CallError(f"{name} takes one value, not {len(values)}")
        for text in values:
            yield f"{word}={text}"


def _each(name: str, value: object) -> Iterator[str]:
    """Yield the texts of one value or, of a list or a mapping, of several."""
    if isinstance(value, Set):  # has no order, by which means and sds, say, belong together
        raise CallError(f"{name} takes a list, not a {_kind(value)}")
    if isinstance(value, Mapping):
        for key, number in value.items():
            yield f"{key}={_text(name, number)}"
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike):
        if getattr(value, "ndim", 1) == 0:  # a number of numpy, in an array
            yield _text(name, value)
            return
        for single in value:
            yield _text(name, single)
    else:
        yield _text(name, value)


def _text(name: str, value: object) -> str:
    """Return a value as it is written on a command line."""
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise CallError(f"{name} takes no {_kind(value)}: {quoted(str(value), 40)}")
    try:
        return str(value)
    except ValueError:  # of thousands of digits
        raise CallError(f"{name} is too large a number") from None


def _known(value: Any) -> Any:
    """Return the value; None for NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _in_words(notices: Iterable[Notice]) -> list[str]:
    """Return notices as text, without details, as the command line shows them unless asked."""
    return [
        f"{one.level.value}: {visible(one.text)}"
        for one in notices
        if one.level is not Level.DETAIL
    ]


def _progress(work: str) -> Progress:
    """Return a progress that shows in a notebook or, else, on a terminal how far `work` is."""
    return notebook_progress(work) if is_notebook() else progress_line(work, quiet=False)
