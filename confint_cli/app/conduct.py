"""How many random draws tests, simultaneous intervals and ranks have, if the call does not say."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

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
from confint_cli.app.options import (
    EstimatingOptions,
    PairingOptions,
    ReadingOptions,
    WritingOptions,
    is_given,
)
from confint_cli.common.cluster import cluster_at
from confint_cli.common.errors import CallError, DataError, Notice, note, unknown_name, warning
from confint_cli.common.parallel import Local, Workers
from confint_cli.common.system import get_ready_for_products, shortage, what_needs_less
from confint_cli.common.table import Table
from confint_cli.common.text import (
    count,
    did_you_mean,
    listed,
    put_together,
    quoted,
    visible,
    visible_name,
)
from confint_cli.outputs import format_of_file, render, suffixes_of
from confint_cli.outputs.cells import OutputOptions
from confint_cli.scores.scores import Scores

if TYPE_CHECKING:
    from confint_cli.app.standardizing import Yardstick
    from confint_cli.stats.estimate import Estimation


_NOT_USED = note("--executor was not needed: a cluster scores runs, draws samples and resamples")


def run(command: Callable[..., Any], values: Mapping[str, Any]) -> int | None:
    """Run a command, then say what is wrong with the files left out; return the exit status."""
    reading: ReadingOptions = values["reading"]
    try:
        _run_by_workers(command, values)
    except BrokenPipeError:  # whoever reads has seen enough, but not these
        if not reading.left_out:
            raise
    except MemoryError:
        _tell(reading)
        context = click.get_current_context()
        raise shortage("", what_needs_less(str(context.info_name), context.params)) from None
    except Exception:
        _tell(reading)  # that may be the reason
        raise
    if not reading.left_out:
        return None
    _tell(reading)
    show_error(f"{_in_words(reading)}; the result is of the others", "")
    return 1


def _run_by_workers(command: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Run a command; large work is for the cluster of --executor, if there is one."""
    reading: ReadingOptions = values["reading"]
    if reading.executor is None:
        command(**{**values, "reading": replace(reading, workers=Local(reading.jobs))})
        return
    if reading.jobs is not None:
        raise CallError("--jobs is for this machine, and with --executor a cluster does the work")
    quiet = bool(click.get_current_context().params.get("quiet"))

    def waiting(what: str) -> None:  # for so long that whoever reads a log should know
        show_notices([note(what)], verbose=False, quiet=quiet)
        busy_line(what, quiet=quiet)

    cluster = cluster_at(reading.executor, lambda what: busy_line(what, quiet=quiet), waiting)
    try:
        command(**{**values, "reading": replace(reading, workers=cluster)})
        if cluster.unused:
            show_notices([_NOT_USED], verbose=False, quiet=quiet)
    finally:
        clear_progress()
        cluster.close()


def notice_of_left_out(reading: ReadingOptions) -> Notice:
    """Return what a page that is read later says about files that are left out."""
    return warning(f"{_in_words(reading)}: {listed([*reading.left_out], 10)}")


def _tell(reading: ReadingOptions) -> None:
    for error in reading.left_out.values():
        show_error(str(error), error.hint)


def _in_words(reading: ReadingOptions) -> str:
    number = len(reading.left_out)
    verb = "is" if number == 1 else "are"
    return f"{number} of {len(reading.files)} files {verb} left out"


Plot = Callable[[Table], list[Notice]]


@contextmanager
def plotter(options: WritingOptions, figure: str) -> Iterator[Plot]:
    """Yield what draws the figure that --plot asks for, if it does, and returns what to say."""
    if options.plot is None:
        if options.no_title:
            raise CallError("--no-title is for figures, which --plot draws")
        yield lambda _: []
        return
    from confint_cli.outputs import figures

    kind = figures.kind_of(options.plot)
    if options.output and files.real_path(options.output) == files.real_path(options.plot):
        raise CallError(f"-o and --plot are the same file: {quoted(options.plot)}")
    out = files.OutputFile(options.plot)

    def plot(table: Table) -> list[Notice]:
        busy_line("drawing the figure", quiet=options.quiet)
        try:
            content, notices = figures.draw(figure, table, kind, titled=not options.no_title)
        except MemoryError:
            raise shortage(" for the figure", "the table alone (no --plot) needs less") from None
        clear_progress()
        out.write(content)
        out.commit()  # now: whoever reads the table may not read to its end
        return notices

    try:
        yield plot
    finally:
        out.discard()


Write = Callable[[Table], None]
_MANY_ROWS = 20_000  # that take a second or more to write


def read(
    reading: ReadingOptions,
    options: WritingOptions,
    baselines: Sequence[str] = (),
    *,
    paired: bool = True,
    standardize: "Yardstick | None" = None,
) -> Scores:
    """Return the scores, with the runs in the order asked for, and show the notices.

    Baselines, and runs to standardise by, may be files that are read too. Runs that are not
    `paired` have topics of their own. By saved factors, the measures that there are factors for are
    the usual ones.
    """
    from confint_cli.scores.load import load_scores

    baselines = [*dict.fromkeys([*baselines, *separated(baselines)])]
    check_inputs_stay([*inputs(reading), *baselines], options)
    get_ready_for_products()  # before scores fill the memory
    what = "reading files" if reading.qrels is None else "scoring runs"
    progress = progress_line(what, quiet=options.quiet)
    usual = standardize.measures if standardize is not None else ()
    scores, notices = load_scores(reading, progress, baselines, paired=paired, usual=usual)
    tell(notices, options)
    if reading.left_out:
        notice = notice_of_left_out(reading)
        options.told.append(notice)  # shown at the end, where who reads the table may not see it
        options.below.append(f"{notice.text}.")
    return scores.sorted_runs(options.sort)


def tell(notices: Iterable[Notice], options: WritingOptions) -> None:
    """Show notices, as many as the options ask for, and keep all of them."""
    options.told.extend(notices := list(notices))
    show_notices(notices, verbose=options.verbose, quiet=options.quiet)


def separated(texts: Iterable[str]) -> list[str]:
    """Return names that may be separated by commas, but for a file that has some in its name."""
    return [
        part.strip()
        for text in texts
        for part in ([text] if os.path.exists(text) else text.split(","))
        if part.strip()
    ]


def names_in(texts: Iterable[str], runs: Collection[str]) -> list[str]:
    """Return what options name: what is a run as a whole, or else runs separated by commas."""
    return [
        name
        for text in texts
        for name in ([text] if _shown_as(text, runs) else put_together(separated([text]), runs))
    ]


def _shown_as(name: str, runs: Collection[str]) -> str:
    """Return the run that a name is shown as; nothing: there is no such run."""
    return next((shown for shown in (visible(name), visible_name(name)) if shown in runs), "")


def runs_named(
    texts: Iterable[str], scores: Scores, *, all_in_a_file: bool = False
) -> tuple[str, ...]:
    """Return the runs that options name by their names or by their files, each once.

    A file that holds several may stand for all of them, or else is an error.
    """
    found: dict[str, None] = {}
    for name in names_in(texts, {*scores.runs, *scores.called}):
        runs = _runs_named(name, scores)
        if len(runs) > 1 and not all_in_a_file:
            raise CallError(
                f"{quoted(name)} holds {len(runs)} runs: name one of them", did_you_mean("", runs)
            )
        found |= dict.fromkeys(runs)
    return tuple(found)


def _runs_named(name: str, scores: Scores) -> tuple[str, ...]:
    if name in scores.called:
        return (scores.called[name],)
    if shown := _shown_as(name, scores.runs):
        return (shown,)
    from confint_cli.inputs.source import is_same_file

    for path, runs in scores.origins.items():
        if is_same_file(path, name):
            return runs
    if os.path.isdir(name):
        raise CallError(f"{quoted(name)} is a folder, not a run")
    if os.path.isfile(name):
        raise DataError(name, "has none of the measures that are used", "choose others with -m")
    if os.sep in name:
        raise CallError(
            f"there is no file {quoted(name)}, and no run of that name",
            did_you_mean(os.path.basename(name), scores.runs),
        )
    raise unknown_name("run", name, scores.runs)


def inputs(reading: ReadingOptions) -> list[str]:
    """Return the files that the options name."""
    options = [reading.qrels, reading.topics, reading.run_names]
    return [*reading.files, *filter(None, options)]


def check_inputs_stay(
    paths: Iterable[str],
    options: WritingOptions,
    targets: Iterable[str] | None = None,
    *,
    option: str = "-o",
) -> None:
    """Refuse to write over what is read; the targets are the output unless there are others."""
    from confint_cli.inputs.source import is_same_file

    present = list(filter(os.path.isfile, paths))
    written = [(option, path) for path in targets or filter(None, [options.output])]
    if options.plot is not None:
        written.append(("--plot", options.plot))
    for name, target in written:
        if os.path.isfile(target) and any(is_same_file(path, target) for path in present):
            raise CallError(f"{name} would overwrite an input: {quoted(target)}")


def estimation(
    options: EstimatingOptions,
    workers: Workers,
    *,
    population: bool = False,
    differences: bool = False,
) -> "Estimation":
    """Return which intervals the options ask for; `population`: with it at hand.

    `differences`: not of scores but of the differences of two runs' scores.
    """
    from confint_cli.stats.estimate import Estimation
    from confint_cli.stats.methods import asked_for

    methods, optional = asked_for(options.method, population=population, differences=differences)
    return Estimation(methods, options.level, options.resamples, options.seed, optional, workers)


def signature(
    command: str,
    scores: Scores,
    reading: ReadingOptions,
    how: "Estimation | None" = None,
    *,
    sampling: Mapping[str, str] | None = None,
    standardize: "Yardstick | None" = None,
) -> dict[str, str]:
    """Return what every command's signature begins with.

    `sampling` is how samples were drawn, by a command that draws some.
    """
    entries = {
        "confint": __version__,
        "command": command,
        "topics": str(len(scores.topics)),
        "runs": str(len(scores.runs)),
        "measures": ",".join(scores.measures),
        "missing": reading.missing,
    }
    if reading.left_out:
        entries["left-out"] = str(len(reading.left_out))
    if reading.topics is not None:
        entries["only"] = os.path.basename(reading.topics)
    if reading.every > 1:
        entries["every"] = str(reading.every)
    if reading.qrels is not None:
        import pytrec_eval

        entries["qrels"] = os.path.basename(reading.qrels)
        entries["scored"] = f"pytrec_eval-terrier-{pytrec_eval.__version__}"
        entries["rel-level"] = str(1 if reading.rel_level is None else reading.rel_level)
    if standardize is not None:
        entries["standardize"] = str(standardize)
    if scores.scales:
        entries["scale"] = ",".join(scores.scales.get(name, "") for name in scores.measures)
    if how is not None:
        entries["methods"] = ",".join(how.methods)
        entries["levels"] = ",".join(map(str, how.levels))
        entries |= computing()
        if how.resampling:
            entries["resamples"] = str(how.resamples)
        entries |= sampling or {}
        if how.resampling or sampling or (standardize is not None and standardize.number):
            entries |= randomness(how.seed)
    return entries


def computing() -> dict[str, str]:
    """Return what the signature says about distributions: Student's t, the normal one and so on.

    Their digits from the tenth on have changed with versions of scipy.
    """
    from scipy.version import version

    return {"computed": f"scipy-{version}"}


def randomness(seed: int) -> dict[str, str]:
    """Return what the signature says about random numbers."""
    import numpy as np

    return {"seed": str(seed), "random": f"numpy-{np.__version__}"}  # another may draw others


@contextmanager
def writer(
    options: WritingOptions,
    layout: str | None = None,
    *,
    figure: str = "",
    default_digits: int = 4,
    for_people: int | None = None,
) -> Iterator[Write]:
    """Yield what writes the result; an output file is opened now and named when all is done.

    `figure` is the one that --plot asks for. `layout` is a format that the command chose itself,
    whatever the options say; `for_people` are the default digits of formats that
    programs do not read.
    """
    to_stdout = files.is_stdout(options.output)
    if options.output and not to_stdout and options.output.endswith(os.sep):
        raise CallError(
            f"{quoted(options.output)} is a folder, and the result is one file",
            "'confint score' alone writes a file for each run",
        )
    on_terminal = to_stdout and files.is_terminal()
    chosen = layout or options.output_format
    if options.output and not to_stdout and not chosen and not files.is_device(options.output):
        chosen = format_of_file(options.output)
    output_format = chosen or ("table" if on_terminal else "tsv")
    if for_people is not None and output_format in ("table", "markdown", "latex"):
        default_digits = for_people
    settings = _settings(options, default_digits)
    if on_terminal:
        color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        settings = replace(settings, width=_terminal_width(), color=color)
    with files.destination(options.output) as put, plotter(options, figure) as plot:

        def write(table: Table) -> None:
            for sentence in options.below:
                table = table.explained(sentence)
            rows = len(table.columns[0].values)
            if rows >= _MANY_ROWS:
                busy_line(f"writing {rows} rows", quiet=options.quiet)
            shown = table_shown(table, options.columns)
            text = render(shown, output_format, settings)  # may be the end of memory: no figure yet
            clear_progress()
            tell(plot(table), options)  # before the table, which is the last thing to be seen
            put(text)

        yield write


def write_folder(
    tables: Mapping[str, Table],
    reading: ReadingOptions,
    options: WritingOptions,
    layout: str | None = None,
    *,
    default_digits: int = 4,
) -> None:
    """Write a file for each table into the folder of -o, safely named after the table's key."""
    assert options.output is not None
    chosen = layout or options.output_format or "tsv"
    settings = _settings(options, default_digits)
    names = files.safe_file_names(tables, suffixes_of(chosen)[0])
    targets = [os.path.join(options.output, name) for name in names]
    check_inputs_stay(inputs(reading), options, targets)
    shown = (table_shown(table, options.columns) for table in tables.values())
    texts = (render(table, chosen, settings) for table in shown)
    notices = files.write_folder(options.output, dict(zip(names, texts, strict=True)))
    tell(notices, options)


def _settings(options: WritingOptions, default_digits: int) -> OutputOptions:
    digits = default_digits if options.digits is None else options.digits
    return OutputOptions(digits=digits, signature=options.signature)


def _terminal_width() -> int:
    import shutil

    return shutil.get_terminal_size().columns


_MANY_RUNS = 500  # from which on ranking them takes some seconds
_MANY_PAIRS = _MANY_RUNS * (_MANY_RUNS - 1) // 2
_ROW = 3000  # bytes that a comparison takes until it is written
_IN_A_PICTURE = 188  # rows, of one interval each
_ON_A_SHEET = 67  # of a PDF, about
_MOST_SHEETS = 100
_PAGE_ROW = 1600  # bytes of a page of HTML that a run takes, by one measure
_LARGE_PAGE = 2_000_000


def before_ranking(scores: Scores, options: WritingOptions) -> list[Notice]:
    """Return what to say before runs are ranked."""
    runs = len(scores.runs)
    return list(_of_figure(runs, "run", options)) if runs > _MANY_RUNS else []


def before_comparing(scores: Scores, pairs: int, options: WritingOptions) -> list[Notice]:
    """Return what to say before so many pairs of runs are compared by each measure."""
    if pairs <= _MANY_PAIRS:
        return []
    rows = pairs * len(scores.measures)
    takes = f"{rows} comparisons take some {rows * _ROW / 1e9:.1f} GB of memory"
    said = f"{takes}; 'confint rank' says in less who is ahead"
    return [note(said), *_of_figure(pairs, "comparison", options)]


def before_a_page(scores: Scores) -> list[Notice]:
    """Return what to say before a page of HTML is made of all runs."""
    size = len(scores.runs) * len(scores.measures) * _PAGE_ROW
    if size < _LARGE_PAGE:
        return []
    return [
        note(
            f"the page will have some {size / 1e6:.1f} MB, which browsers are slow to show; "
            "'confint rank' writes the standings as a table"
        )
    ]


def _of_figure(rows: int, noun: str, options: WritingOptions) -> Iterator[Notice]:
    """Say that a figure has no room for all rows, or so many sheets that nobody looks at them."""
    if options.plot is None:
        return
    if not options.plot.lower().endswith(".pdf"):
        most = f"{_IN_A_PICTURE} of {count(rows, noun)} at most"  # fewer of several methods
        yield note(f"a picture has room for {most}; a PDF has all")
    elif rows > _MOST_SHEETS * _ON_A_SHEET:
        sheets = -(-rows // _ON_A_SHEET)
        yield note(f"a PDF of {count(rows, noun)} has some {sheets} pages")


_TOO_MANY_PAIRS_OF = 2000  # runs: every two of them are so many that fewer draws have to do …
_FEW_DRAWS = 2000  # … unless more are asked for


def with_draws(
    how: "Estimation",
    options: EstimatingOptions,
    writing: WritingOptions,
    runs: int,
    *,
    all_pairs: bool,
    used: bool = True,
) -> "Estimation":
    """Return the same with the draws for so many runs; said if they are fewer than usual.

    `used` is whether anything is drawn.
    """
    if options.draws is not None:
        if not used:
            tell([note("nothing is drawn, so --draws makes no difference")], writing)
        return replace(how, draws=options.draws)
    if is_given("resamples") or not (all_pairs and used) or runs < _TOO_MANY_PAIRS_OF:
        return replace(how, draws=options.resamples)
    said = f"{_FEW_DRAWS} draws, as there are {runs} runs; --draws asks for more"
    tell([note(said)], writing)
    return replace(how, draws=_FEW_DRAWS)


def baselines_asked_for(pairing: PairingOptions, reading: ReadingOptions) -> list[str]:
    """Return the baselines as the call names them; refuse one that does not say what to compare."""
    names = [*pairing.baseline] if separated(pairing.baseline) else []
    if names and pairing.all_pairs:
        raise CallError("--baseline and --all-pairs: only one of them can be meant")
    if not names and not pairing.all_pairs:
        raise CallError(
            "compare with what?", "--baseline RUN for one run, or --all-pairs for every two"
        )
    if pairing.unpaired and reading.qrels is None and is_given("missing"):
        raise CallError("--missing is for runs on the same topics, not with --unpaired")
    return names


def pairs_signature(
    pairing: PairingOptions, reading: ReadingOptions, baselines: tuple[str, ...]
) -> dict[str, str]:
    """Return what the signature says about the pairs."""
    entries = {
        "pairs": "all" if pairing.all_pairs else f"with {','.join(baselines)}",
        "paired": "no" if pairing.unpaired else "yes",
    }
    if pairing.unpaired and reading.qrels is None:
        entries["missing"] = "own topics"
    return entries
