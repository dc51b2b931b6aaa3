"""`confint report`: a shared task on one page."""

import os
import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from confint_cli.app.options import (
    DRAWING,
    EstimatingOptions,
    PairingOptions,
    ReadingOptions,
    WritingOptions,
    baseline_option,
    correct_option,
    estimating_options,
    is_given,
    page_options,
    reading_options,
)
from confint_cli.app.standardizing import Yardstick, standardize_option
from confint_cli.common.errors import CallError, Level, Notice, note
from confint_cli.common.text import quoted, visible

if TYPE_CHECKING:
    from confint_cli.stats.estimate import Estimation


_HINT = "-o report.html writes it to a file"


@click.command(
    short_help="A shared task on one web page: standings, comparisons, topics.",
    epilog="""\b
Examples:
  confint report -q qrels.txt -m AP,nDCG@10 submissions/ -o report.html
  confint report evals/*.eval -m map --baseline bm25 --title 'My track 2025' -o report.html
""",
)
@click.option("--title", metavar="TEXT", help="The page's heading. [default: Standings of N runs]")
@baseline_option("its name or its file, which need not be among FILES")
@correct_option(max_t=" [default: holm]")
@reading_options
@standardize_option()
@estimating_options(methods="t", resamples=10_000, single=True, more=DRAWING)
@page_options
@click.pass_context
def command(
    context: click.Context,
    title: str | None,
    baseline: tuple[str, ...],
    correct: str,
    standardize: Yardstick | None,
    reading: ReadingOptions,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> None:
    """Write one self-contained HTML page about the runs of a shared task.

    It has the standings by each measure, as 'confint rank' finds them, with intervals and rank sets
    drawn; differences to each --baseline, as 'confint compare' finds them, with p-values and effect
    sizes; the scores on each topic; what to be careful about; and the signatures.

    The page needs no network and no server: tables can be sorted and searched in the browser, and
    it is complete without scripts and on paper. It says no more about your computer than the names
    of files.
    """
    from confint_cli.common.parallel import prepare_for_arrays

    _check_output(writing)
    prepare_for_arrays()
    from confint_cli.app import conduct, standardizing
    from confint_cli.app import files as out
    from confint_cli.app.conduct import before_a_page, with_draws
    from confint_cli.app.messages import progress_line, show_notices
    from confint_cli.common.table import Table
    from confint_cli.outputs.page import Circumstances, render
    from confint_cli.stats.comparison import Testing
    from confint_cli.studies.report import Signatures, report

    how = conduct.estimation(estimating, reading.workers)
    if len(how.methods) > 1 or how.optional:
        raise CallError(f"report has one --method at a time, not {len(how.methods)}")
    with out.destination(writing.output) as put:
        scores = conduct.read(reading, writing, baseline, standardize=standardize)
        scores, standardize = standardizing.standardized(
            scores, standardize, how.seed, reading, writing
        )
        baselines = conduct.runs_named(baseline, scores)
        differing = _fit_for_differences(how, writing) if baselines else how
        pairing = PairingOptions(baseline, all_pairs=False, unpaired=False)
        runs = len(scores.runs)
        how, differing = (
            with_draws(how, estimating, writing, runs, all_pairs=True),
            with_draws(differing, estimating, writing, runs, all_pairs=False),
        )
        about_call = before_a_page(scores)
        if is_given("correct") and not baselines:
            said = "--correct is for comparisons, which --baseline asks for: it makes no difference"
            about_call.append(note(said))
        show_notices(about_call, verbose=writing.verbose, quiet=writing.quiet)  # not on the page
        testing = Testing(correction=correct, strict=estimating.strict and correct == "max-t")
        sampling = {"draws": str(how.draws)}
        signatures = Signatures(
            conduct.signature(
                "rank", scores, reading, how, sampling=sampling, standardize=standardize
            ),
            {
                **conduct.signature(
                    "compare",
                    scores,
                    reading,
                    differing,
                    standardize=standardize,
                    sampling={"draws": str(differing.draws)} if testing.draws else None,
                ),
                **conduct.pairs_signature(pairing, reading, baselines),
            },
        )
        found, notices = report(
            scores,
            baselines,
            how,
            differing,
            testing,
            signatures,
            strict=estimating.strict,
            progress=progress_line("computing", quiet=writing.quiet),
        )
        conduct.tell(notices, writing)
        scale = standardizing.explained(Table("", []), standardize, scores).legend
        calls = [equivalent("rank", context, without=("baseline", "correct"))]
        if baselines:
            replaced = ["method"] if differing.methods != how.methods else []
            replaced += [] if testing.draws else ["draws", "strict"]
            calls.append(equivalent("compare", context, without=tuple(replaced)))
        around = Circumstances(
            title=(title or "").strip(),
            judgements="" if reading.qrels is None else os.path.basename(reading.qrels),
            scale=scale,
            notices=tuple(
                _for_the_page(writing.told, reading, standardize, conduct.separated(baseline))
            ),
            calls=tuple(calls),
        )
        digits = 4 if writing.digits is None else writing.digits
        put(render(found, around, digits))


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


def _fit_for_differences(how: "Estimation", writing: WritingOptions) -> "Estimation":
    """Return the same, or t where a method is for scores only and not for their differences."""
    from confint_cli.app import conduct
    from confint_cli.stats.methods import method_named

    (name,) = how.methods
    domain = method_named(name).domain
    if not domain:
        return how
    said = f"{name} is for {domain} only: differences to a baseline have t intervals"
    conduct.tell([note(said)], writing)
    return how.by(("t",))


def _for_the_page(
    told: Iterable[Notice],
    reading: ReadingOptions,
    standardize: Yardstick | None,
    baselines: Iterable[str],
) -> Iterator[Notice]:
    """Yield the notices, which name files without their folders: these are nobody's business."""
    from confint_cli.app import conduct
    from confint_cli.scores.selection import CHOOSE
    from confint_cli.studies.compare import BETTER_THAN_BONFERRONI

    factors = standardize.path if standardize is not None else None
    paths = [*conduct.inputs(reading), *baselines, *filter(None, [factors])]
    for notice in told:
        text = notice.text
        for path in sorted(paths, key=len, reverse=True):
            text = text.replace(visible(path), visible(os.path.basename(path)))
        of_choice = CHOOSE in text or BETTER_THAN_BONFERRONI in text  # which who reads has not
        if notice.level is not Level.DETAIL and not of_choice:
            yield Notice(notice.level, text)


_NO_RESULT = ("files", "title", "output", "verbose", "quiet", "jobs", "executor")  # needs these
_PATHS = ("qrels", "topics", "run_names", "standardize", "baseline")  # options that may be some


def equivalent(name: str, context: click.Context, *, without: tuple[str, ...] = ()) -> str:
    """Return the call of another command with the options that this one was given.

    FILES are not named, and others without their folders: these are nobody's business.
    """
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
