"""`confint report`: a shared task on one page."""

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from confint_cli.app.options import (
    NAME_OR_FILE,
    EstimatingOptions,
    PairingOptions,
    WritingOptions,
    among_own,
    baseline_option,
    command_of,
    correct_option,
    facts_of_pairs,
    is_given,
    page_options,
    reading_options,
    statistics_options,
)
from confint_cli.app.standardizing import Yardstick
from confint_cli.common.errors import CallError, Level, Notice, note
from confint_cli.common.text import quoted, visible
from confint_cli.scores.request import Request

if TYPE_CHECKING:
    from confint_cli.app.conduct import Answer, Write
    from confint_cli.stats.estimate import Estimation

_HINT = "-o report.html writes it to a file"
_TITLE = click.Option(
    ["--title"], metavar="TEXT", help="The page's heading. [default: Standings of N runs]"
)


@command_of(
    among_own(_TITLE, baseline_option(NAME_OR_FILE), correct_option(max_t=" [default: holm]")),
    reading_options,
    statistics_options(methods="t", single=True, drawing=True),
    page_options,
    short_help="A shared task on one web page: standings, comparisons, topics.",
    examples="""\
  confint report -q qrels.txt -m AP,nDCG@10 submissions/ -o report.html
  confint report evals/*.eval -m map --baseline bm25 --title 'My track 2025' -o report.html
""",
    needs_less="fewer runs",
    long_work=True,
)
def command(
    title: str | None,
    baseline: tuple[str, ...],
    correct: str,
    reading: Request,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> int | None:
    """Write one self-contained HTML page about the runs of a shared task.

    It has the standings by each measure, as 'confint rank' finds them, with intervals and rank sets
    drawn; differences to each --baseline, as 'confint compare' finds them, with p-values and effect
    sizes; the scores on each topic; what to be careful about; and the signatures.

    The page needs no network and no server: tables can be sorted and searched in the browser, and
    it is complete without scripts and on paper. It says no more about your computer than the names
    of files.
    """
    from confint_cli.app.conduct import Answer, Work, conduct, estimation, facts_of_estimation
    from confint_cli.app.messages import show_notices
    from confint_cli.app.standardizing import explained
    from confint_cli.app.workload import before_a_page, with_draws
    from confint_cli.common.table import Table, in_one_line
    from confint_cli.outputs.page import Circumstances, render
    from confint_cli.scores.naming import separated
    from confint_cli.stats.comparison import Testing
    from confint_cli.studies.report import report

    _check_output(writing)
    how = estimation(estimating, reading.workers)
    if len(how.methods) > 1 or how.optional:
        raise CallError(f"report has one --method at a time, not {len(how.methods)}")
    testing = Testing(correction=correct, strict=estimating.strict and correct == "max-t")

    def ask(work: Work) -> Answer:
        scores, baselines, yardstick = work.scores, work.baselines, work.standardize
        differing, about_method = _fit_for_differences(how) if baselines else (how, [])
        work.tell(about_method)
        runs = len(scores.runs)
        ranking, about_draws = with_draws(how, estimating, runs, all_pairs=True)
        work.tell(about_draws)
        comparing, about_draws = with_draws(differing, estimating, runs, all_pairs=False)
        work.tell(about_draws)
        about_call = before_a_page(scores)
        if is_given("correct") and not baselines:
            said = "--correct is for comparisons, which --baseline asks for: it makes no difference"
            about_call.append(note(said))
        show_notices(about_call, verbose=writing.verbose, quiet=writing.quiet)  # not on the page
        found, notices = report(
            scores,
            baselines,
            ranking,
            comparing,
            testing,
            strict=estimating.strict,
            progress=work.progress("computing"),
        )
        ranked = facts_of_estimation(ranking, yardstick, {"draws": str(ranking.draws)})
        signatures = [in_one_line({**work.facts, "command": "rank", **ranked, **found.ranked})]
        calls = [_equivalent("rank", without=("baseline", "correct"))]
        if baselines:
            sampling = {"draws": str(comparing.draws)} if testing.draws else None
            pairing = PairingOptions(baseline, all_pairs=False, unpaired=False)
            compared = {
                **facts_of_estimation(comparing, yardstick, sampling),
                **facts_of_pairs(pairing, reading, baselines),
                **found.compared,
            }
            signatures.append(in_one_line({**work.facts, "command": "compare", **compared}))
            replaced = ["method"] if comparing.methods != ranking.methods else []
            replaced += [] if testing.draws else ["draws", "strict"]
            calls.append(_equivalent("compare", without=tuple(replaced)))

        def page(told: Sequence[Notice]) -> str:
            around = Circumstances(
                title=(title or "").strip(),
                judgements="" if reading.qrels is None else os.path.basename(reading.qrels),
                scale=explained(Table("", []), yardstick, scores).legend,
                notices=tuple(_for_the_page(told, reading, yardstick, separated(baseline))),
                calls=tuple(calls),
                signatures=tuple(signatures),
            )
            return render(found, around, 4 if writing.digits is None else writing.digits)

        return Answer(notices=notices, page=page)

    return conduct(
        "report",
        ask,
        reading,
        writing,
        baselines=baseline,
        estimating=estimating,
        output=_page_output(writing),
    )


@contextmanager
def _page_output(writing: WritingOptions) -> "Iterator[Write]":
    """Yield what writes the page; its file is opened now and named when all is done."""
    from confint_cli.app.files import destination

    with destination(writing.output) as put:

        def write(answer: "Answer", told: Sequence[Notice]) -> None:
            assert answer.page is not None, "the report has one"
            put(answer.page(told))

        yield write


def _check_output(options: WritingOptions) -> None:
    """Refuse a terminal, a folder, and a file whose name promises something else."""
    from confint_cli.app import files

    if options.output is None or files.is_stdout(options.output):
        if files.is_terminal():
            raise CallError("a page of HTML is not for a terminal", _HINT)
        return
    if options.output.endswith(os.sep):
        raise CallError(f"{quoted(options.output)} is a folder, and the page is one file", _HINT)
    named_so = options.output.lower().endswith((".html", ".htm"))
    if not named_so and not files.is_device(options.output):
        raise CallError(
            f"the page is HTML, and {quoted(options.output)} does not end in .html",
            "a browser prints it as PDF; 'confint rank' and 'confint compare' write other formats",
        )


def _fit_for_differences(how: "Estimation") -> "tuple[Estimation, list[Notice]]":
    """Return the same, or t where a method is for scores only and not for their differences."""
    from confint_cli.stats.methods import method_named

    (name,) = how.methods
    domain = method_named(name).domain
    if not domain:
        return how, []
    said = f"{name} is for {domain} only: differences to a baseline have t intervals"
    return how.by(("t",)), [note(said)]


def _for_the_page(
    told: Iterable[Notice],
    reading: Request,
    standardize: Yardstick | None,
    baselines: Iterable[str],
) -> Iterator[Notice]:
    """Yield the notices, which name files without their folders: these are nobody's business."""
    from confint_cli.scores.selection import CHOOSE
    from confint_cli.studies.compare import BETTER_THAN_BONFERRONI

    factors = standardize.path if standardize is not None else None
    paths = [*reading.paths, *baselines, *filter(None, [factors])]
    for notice in told:
        text = notice.text
        for path in sorted(paths, key=len, reverse=True):
            text = text.replace(visible(path), visible(os.path.basename(path)))
        of_choice = CHOOSE in text or BETTER_THAN_BONFERRONI in text  # which who reads has not
        if notice.level is not Level.DETAIL and not of_choice:
            yield Notice(notice.level, text)


_NO_RESULT = ("files", "title", "output", "verbose", "quiet", "jobs", "executor")  # needs these
_PATHS = ("qrels", "topics", "run_names", "standardize", "baseline")  # options that may be some


def _equivalent(name: str, *, without: tuple[str, ...] = ()) -> str:
    """Return the call of another command with the options that this one was given.

    FILES are not named, and others without their folders: these are nobody's business.
    """
    context = click.get_current_context()
    words = ["confint", name]
    for option in context.command.params:
        key = str(option.name)
        given = context.get_parameter_source(key) is ParameterSource.COMMANDLINE
        if given and key not in (*_NO_RESULT, *without):
            if isinstance(option, click.Option) and option.is_flag:
                words.append(option.opts[0])
                continue
            for value in _values(key, context.params[key]):
                words += [option.opts[0], value]
    return visible(" ".join([*map(shlex.quote, words), "FILES"]))


def _values(key: str, value: object) -> Iterator[str]:
    for one in value if isinstance(value, tuple) else [value]:
        yield os.path.basename(str(one)) if key in _PATHS else str(one)
