"""`confint report`: a shared task on one page."""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from confint_cli.app.command import command_of, is_given
from confint_cli.app.options import (
    NAME_OR_FILE,
    EstimatingOptions,
    WritingOptions,
    about_differences,
    among_own,
    baseline_option,
    correct_option,
    deciding_options,
    for_new_options,
    page_options,
    statistics_options,
)
from confint_cli.app.task import Task, Work, Write
from confint_cli.common.errors import CallError, Level, Notice, note
from confint_cli.common.text import quoted, visible
from confint_cli.scores.request import Request
from confint_cli.stats.names import MAX_T

if TYPE_CHECKING:
    from confint_cli.outputs.page import Circumstances
    from confint_cli.stats.estimate import Estimation
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.report import Report

_HINT = "-o report.html writes it to a file"
_TITLE = click.Option(
    ["--title"], metavar="TEXT", help="Heading of the page. [default: Standings of N runs]"
)


@command_of(
    among_own(
        _TITLE, baseline_option(NAME_OR_FILE), correct_option(max_t=" [default: holm]"),
        *about_differences,
    ),
    deciding_options,
    for_new_options,
    statistics_options(methods="t", single=True, drawing=True),
    page_options,
    short_help="What do I show my colleagues? One web page: standings, comparisons, topics.",
    examples="""\
  confint report -q qrels.txt -m AP,nDCG@10 submissions/ -o report.html
  confint report evals/*.eval -m map --baseline bm25 --title 'My track 2025' -o report.html
  confint report --labels '{collection}/{run}.run' -q '{collection}/qrels' */*.run -o page.html
  confint report -q human.qrels --judge-qrels llm.qrels -m nDCG@10 submissions/ -o page.html
""",
    needs_less="fewer runs",
    long_work=True,
)  # fmt: skip
def command(
    title: str | None,
    baseline: tuple[str, ...],
    correct: str,
    paired_repeats: bool,
    effect_intervals: bool,
    margin: float | None,
    for_new: str,
    reading: Request,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> Task:
    """Write one self-contained HTML page about the runs of a shared task.

    \b
    What the page has:
      Standings    for each measure, as 'confint rank' finds
                   them, with pictures of the intervals and
                   rank sets
      Comparisons  differences to each --baseline, as 'confint
                   compare' finds them, with p-values and
                   effect sizes
      Topics       the scores on each topic
      Caveats      what to be careful about
      Signatures   what it takes to repeat the results

    With several collections (--labels, or a column of a table), the page has a view of each
    collection and one of all of them together. With topics in groups, repeats of runs or bounds
    (--unjudged bounds), its figures are for the same design as in 'confint rank'.

    With a cheaper judge (--judge-qrels, --judge-scores), the standings use both judges. A section
    shows people's standings and the judge's side by side, with what 'confint agreement' says.

    The page needs no network and no server. In the browser, you can sort and search its tables, and
    save them as CSV or LaTeX. Without scripts, its numbers are still complete. The page reveals
    nothing about your computer except the names of files.
    """  # noqa: D301
    from confint_cli.app.messages import show_notices
    from confint_cli.app.names import estimation_asked_for, only_method
    from confint_cli.app.workload import before_a_page, with_draws
    from confint_cli.stats.comparison import Testing
    from confint_cli.studies.checks import check_levels_of_margin, check_margin
    from confint_cli.studies.designs import check_has_repeats, tests_suited_to
    from confint_cli.studies.report import Question, report
    from confint_cli.studies.yardstick import scale_in_words

    _check_output(writing)
    if margin is not None:
        check_levels_of_margin(estimating.level)
    estimation = estimation_asked_for(
        estimating, reading.workers, only=only_method(reading), single="report"
    )
    testing = Testing(
        correction=correct, strict=estimating.strict and correct == MAX_T,
        margin=margin, effect_intervals=effect_intervals,
    )  # fmt: skip

    def ask(work: Work) -> "Answer[Report]":
        scores, baselines = work.scores, work.baselines
        of_differences, about_method = (
            _fit_for_differences(estimation) if baselines else (estimation, [])
        )
        work.tell(about_method)
        if margin is not None:
            check_margin(scores, margin)
        if paired_repeats:
            check_has_repeats(scores)
        runs = len(scores.runs)
        ranking, about_draws = with_draws(estimation, estimating, runs, all_pairs=True)
        work.tell(about_draws)
        comparing, about_draws = with_draws(of_differences, estimating, runs, all_pairs=False)
        work.tell(about_draws)
        about_call = [*before_a_page(scores, len(baselines)), *_makes_no_difference(baselines)]
        show_notices(about_call, verbose=writing.verbose, quiet=writing.quiet)  # not on the page
        suited = tests_suited_to(
            scores, testing, for_new, all_tests=False, chosen=is_given("correct")
        ) if baselines else testing  # fmt: skip
        return report(
            scores,
            baselines,
            Question(ranking, comparing, suited, estimating.strict, for_new, paired_repeats),
            facts=work.facts,
            scale=scale_in_words(work.standardize, scores),
            progress=work.progress("computing"),
        )

    def circumstances(content: "Report", all_notices: Sequence[Notice]) -> "Circumstances":
        from confint_cli.outputs.page import Circumstances

        return Circumstances(
            title=(title or "").strip(),
            notices=tuple(_for_the_page(all_notices, _folders(reading, baseline, estimating))),
            calls=tuple(_calls(content)),
        )

    return Task(
        "report",
        ask,
        baselines=baseline,
        estimating=estimating,
        designs=True,
        for_new=for_new,
        both_judges=True,
        output=_page_output(writing, circumstances),
    )


# Options that only comparisons have; a test finds one that is not here.
_OF_COMPARISONS = ("correct", "margin", "effect_intervals", "paired_repeats")


def _makes_no_difference(baselines: Sequence[str]) -> Iterator[Notice]:
    """Yield notes on options that are for comparisons, if there are none."""
    for name in _OF_COMPARISONS if not baselines else ():
        if is_given(name):
            option = f"--{name.replace('_', '-')}"
            yield note(
                f"{option} is for comparisons, which need --baseline: it makes no difference"
            )


@contextmanager
def _page_output(
    writing: WritingOptions,
    circumstances: "Callable[[Report, Sequence[Notice]], Circumstances]",
) -> Iterator[Write]:
    """Yield a function that writes the page; its file gets its name when all is written.

    `circumstances` takes the report and all notices, and returns what the page says besides.
    """
    from confint_cli.app.files import destination
    from confint_cli.outputs.page import render

    with destination(writing.output) as put:

        def write(answer: "Answer[Report]") -> None:
            (content,) = answer.rows
            digits = 4 if writing.digits is None else writing.digits
            put(render(content, circumstances(content, answer.notices), digits))

        yield write


def _check_output(options: WritingOptions) -> None:
    """Raise CallError if the page would go to a terminal, a folder, or a file not named .html."""
    from confint_cli.app import files

    if options.output is None or files.is_stdout(options.output):
        if files.is_terminal():
            raise CallError("a page of HTML is not for a terminal", _HINT)
        return
    if options.output.endswith(os.sep):
        raise CallError(f"{quoted(options.output)} is a folder, but the page is one file", _HINT)
    is_html = options.output.lower().endswith((".html", ".htm"))
    if not is_html and not files.is_device(options.output):
        raise CallError(
            f"the page is HTML, and {quoted(options.output)} does not end in .html",
            "a browser prints it as PDF; 'confint rank' and 'confint compare' write other formats",
        )


def _fit_for_differences(estimation: "Estimation") -> "tuple[Estimation, list[Notice]]":
    """Return the estimation, with t and a note if its method is not for differences of scores."""
    from confint_cli.stats.methods import method_named

    (name,) = estimation.methods
    domain = method_named(name).domain
    if not domain:
        return estimation, []
    text = f"{name} is only for {domain}: differences from a baseline have t intervals"
    return estimation.by(("t",)), [note(text)]


def _folders(
    reading: Request, baseline: tuple[str, ...], estimating: EstimatingOptions
) -> list[str]:
    """Return the folders of all files that the call names, the longest first.

    Folders that tell a file's collection or run are none of them.
    """
    from confint_cli.scores.labels import shown_path
    from confint_cli.scores.naming import separated

    factors = estimating.standardize.path if estimating.standardize is not None else None
    others = {*reading.paths, *separated(baseline), *filter(None, [factors])} - {*reading.files}
    folders = {path.removesuffix(shown_path(path)) for path in others}
    telling = max((pattern.count("/") for pattern in reading.labels), default=0)
    for path in reading.files:
        folders.add(os.sep.join([*path.split(os.sep)[: -1 - telling], ""]))
    return sorted(folders - {""}, key=len, reverse=True)


def _for_the_page(notices: Iterable[Notice], folders: Sequence[str]) -> Iterator[Notice]:
    """Yield the notices for readers of the page: files are named without their `folders`.

    Details are left out, and so is advice on options, which only the caller can follow.
    """
    for notice in notices:
        text = notice.for_readers or notice.text
        for folder in folders:
            text = re.sub(rf"(?<![\w./-]){re.escape(visible(folder))}", "", text)
        if notice.level is not Level.DETAIL and not notice.is_advice:
            yield Notice(notice.level, text)


# Parameters that do not change what is computed; a test finds one that is not known to.
_NOT_COMPUTED_WITH = ("files", "title", "output", "verbose", "quiet", "jobs", "executor")
_PATHS = {"FILE", "PATTERN", "RUN"}
"""What the help says of options whose values may be paths: runs are given by their files, too."""


def _calls(content: "Report") -> Iterator[str]:
    """Yield the calls of the commands that compute what the page has."""
    yield _equivalent("rank")
    if content.compared is not None:
        ranked, compared = content.ranked.facts, content.compared.facts
        unused = ["method"] if compared["methods"] != ranked["methods"] else []
        unused += [] if "draws" in compared else ["draws", "strict"]
        yield _equivalent("compare", without=tuple(unused))
    if content.agreed is not None:
        yield _equivalent("agreement")


def _equivalent(name: str, *, without: tuple[str, ...] = ()) -> str:
    """Return the call of the command `name` that computes the same, with the options of this one.

    Those in `without` are left out. FILES are not named, and other files are named without their
    folders, which are private.
    """
    from confint_cli.app.commands import agreement, compare, rank

    commands = {"rank": rank, "compare": compare, "agreement": agreement}
    known = {option.name for option in commands[name].command.params}
    context = click.get_current_context()
    words = ["confint", name]
    for option in context.command.params:
        key = str(option.name)
        in_call = context.get_parameter_source(key) is ParameterSource.COMMANDLINE
        if in_call and key in known and key not in (*_NOT_COMPUTED_WITH, *without):
            if isinstance(option, click.Option) and option.is_flag:
                words.append(option.opts[0])
                continue
            for value in _values(option, context.params[key]):
                words += [option.opts[0], value]
    return visible(" ".join([*map(shlex.quote, words), "FILES"]))


def _values(option: click.Parameter, value: object) -> Iterator[str]:
    """Yield the values of an option as texts, paths without their folders."""
    from confint_cli.scores.labels import shown_path  # late: the help has no time for it

    may_be_path = not _PATHS.isdisjoint((option.metavar or "").split("|"))
    for single in value if isinstance(value, tuple) else [value]:
        text = str(single)
        if option.name == "baseline":  # which may be several
            yield ",".join(map(shown_path, text.split(",")))
        else:
            yield shown_path(text) if may_be_path else text
