"""`confint report`: a shared task on one page."""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from confint_cli.commands._comparing import DRAWING, PairingOptions, baseline_option, correct_option
from confint_cli.commands._standardizing import Yardstick, standardize_option
from confint_cli.errors import CallError, Level, Notice, note
from confint_cli.options import (
    EstimatingOptions,
    ReadingOptions,
    WritingOptions,
    estimating_options,
    is_given,
    page_options,
    reading_options,
)
from confint_cli.text import quoted, visible

if TYPE_CHECKING:
    from confint_cli.estimation import Estimation

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
    from confint_cli.parallel import prepare_for_arrays

    _check_output(writing)
    prepare_for_arrays()
    from confint_cli import writing as out
    from confint_cli.commands import _pairing, _run, _standardizing
    from confint_cli.commands._drawing import with_draws
    from confint_cli.commands._equivalent import equivalent
    from confint_cli.commands._large import before_a_page
    from confint_cli.comparison import Testing
    from confint_cli.messages import progress_line, show_notices
    from confint_cli.report import Circumstances, render
    from confint_cli.studies.report import Signatures, report
    from confint_cli.table import Table

    how = _run.estimation(estimating, reading.jobs)
    if len(how.methods) > 1 or how.optional:
        raise CallError(f"report has one --method at a time, not {len(how.methods)}")
    with out.destination(writing.output) as put:
        scores = _run.read(reading, writing, baseline, standardize=standardize)
        scores, standardize = _standardizing.standardized(
            scores, standardize, how.seed, reading, writing
        )
        baselines = _run.runs_named(baseline, scores)
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
            _run.signature(
                "rank", scores, reading, how, sampling=sampling, standardize=standardize
            ),
            {
                **_run.signature(
                    "compare",
                    scores,
                    reading,
                    differing,
                    standardize=standardize,
                    sampling={"draws": str(differing.draws)} if testing.draws else None,
                ),
                **_pairing.signature(pairing, reading, baselines),
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
        _run.tell(notices, writing)
        scale = _standardizing.explained(Table("", []), standardize, scores).legend
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
                _for_the_page(writing.told, reading, standardize, _run.separated(baseline))
            ),
            calls=tuple(calls),
        )
        digits = 4 if writing.digits is None else writing.digits
        put(render(found, around, digits))


def _check_output(options: WritingOptions) -> None:
    """Refuse a terminal, a folder, and a file whose name promises something else."""
    from confint_cli import writing

    if options.output is None or writing.is_stdout(options.output):
        if writing.is_terminal():
            raise CallError("a page of HTML is not for a terminal", _HINT)
        return
    if options.output.endswith(os.sep):
        raise CallError(f"{quoted(options.output)} is a folder, and the page is one file", _HINT)
    named_so = options.output.lower().endswith((".html", ".htm"))
    if not named_so and not writing.is_device(options.output):
        raise CallError(
            f"the page is HTML, and {quoted(options.output)} does not end in .html",
            "a browser prints it as PDF; 'confint rank' and 'confint compare' write other formats",
        )


def _fit_for_differences(how: "Estimation", writing: WritingOptions) -> "Estimation":
    """Return the same, or t where a method is for scores only and not for their differences."""
    from confint_cli.commands import _run
    from confint_cli.methods import method_named

    (name,) = how.methods
    domain = method_named(name).domain
    if not domain:
        return how
    said = f"{name} is for {domain} only: differences to a baseline have t intervals"
    _run.tell([note(said)], writing)
    return how.by(("t",))


def _for_the_page(
    told: Iterable[Notice],
    reading: ReadingOptions,
    standardize: Yardstick | None,
    baselines: Iterable[str],
) -> Iterator[Notice]:
    """Yield the notices, which name files without their folders: these are nobody's business."""
    from confint_cli.commands import _run
    from confint_cli.selection import CHOOSE
    from confint_cli.studies.compare import BETTER_THAN_BONFERRONI

    factors = standardize.path if standardize is not None else None
    paths = [*_run.inputs(reading), *baselines, *filter(None, [factors])]
    for notice in told:
        text = notice.text
        for path in sorted(paths, key=len, reverse=True):
            text = text.replace(visible(path), visible(os.path.basename(path)))
        of_choice = CHOOSE in text or BETTER_THAN_BONFERRONI in text  # which who reads has not
        if notice.level is not Level.DETAIL and not of_choice:
            yield Notice(notice.level, text)
