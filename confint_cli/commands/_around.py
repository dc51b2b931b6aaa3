"""What surrounds every command that reads: the cluster that it may use, the files it leaves out."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import click

from confint_cli.cluster import cluster_at
from confint_cli.errors import CallError, Notice, note, warning
from confint_cli.messages import busy_line, clear_progress, show_error, show_notices
from confint_cli.options import ReadingOptions
from confint_cli.shortage import shortage, what_needs_less
from confint_cli.text import listed

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
        command(**values)
        return
    if reading.jobs is not None:
        raise CallError("--jobs is for this machine, and with --executor a cluster does the work")
    quiet = bool(click.get_current_context().params.get("quiet"))

    def waiting(what: str) -> None:  # for so long that whoever reads a log should know
        show_notices([note(what)], verbose=False, quiet=quiet)
        busy_line(what, quiet=quiet)

    cluster = cluster_at(reading.executor, lambda what: busy_line(what, quiet=quiet), waiting)
    try:
        command(**{**values, "reading": replace(reading, jobs=cluster)})
        if not cluster.is_used:
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
