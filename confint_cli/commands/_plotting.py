"""The figure that --plot asks for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from confint_cli import writing
from confint_cli.errors import CallError, Notice
from confint_cli.messages import busy_line, clear_progress
from confint_cli.options import WritingOptions
from confint_cli.shortage import shortage
from confint_cli.table import Table
from confint_cli.text import quoted

Plot = Callable[[Table], list[Notice]]


@contextmanager
def plotter(options: WritingOptions, figure: str) -> Iterator[Plot]:
    """Yield what draws the figure that --plot asks for, if it does, and returns what to say."""
    if options.plot is None:
        if options.no_title:
            raise CallError("--no-title is for figures, which --plot draws")
        yield lambda _: []
        return
    from confint_cli import plots

    kind = plots.kind_of(options.plot)
    if options.output and writing.real_path(options.output) == writing.real_path(options.plot):
        raise CallError(f"-o and --plot are the same file: {quoted(options.plot)}")
    out = writing.OutputFile(options.plot)

    def plot(table: Table) -> list[Notice]:
        busy_line("drawing the figure", quiet=options.quiet)
        try:
            content, notices = plots.draw(figure, table, kind, titled=not options.no_title)
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
