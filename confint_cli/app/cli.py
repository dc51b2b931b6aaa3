"""The group of commands, and what becomes of errors: a message and an exit status, no traceback."""

import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click

from confint_cli import __version__
from confint_cli.app import commands, files
from confint_cli.app.messages import clear_progress, end_line, show_error
from confint_cli.common import system
from confint_cli.common.errors import CallError, DataError
from confint_cli.common.guesses import hint_for
from confint_cli.common.parallel import keep_to_one_thread
from confint_cli.common.records import modules_in
from confint_cli.common.system import let_go, limit, shortage
from confint_cli.common.text import quoted, visible

INTERRUPTED = 130
_LEAST_MEMORY = 256 << 20  # bytes of address space, most of it for the libraries of numpy
_COMPLETING = "_CONFINT_COMPLETE"  # the script of a shell sets it when Tab is pressed


class CommandsByFile(click.Group):
    """Finds each command in the file of its name, and imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return modules_in(commands.__path__)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name, or None if there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{commands.__name__}.{cmd_name}").command
        if ctx.resilient_parsing:  # a shell asks what Tab is to offer
            from confint_cli.app.completion import add_completion

            add_completion(cmd_name, command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the call; `help` and `help COMMAND`, which people try first, ask for help too."""
        if args[:1] == ["help"] and not ctx.resilient_parsing:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command's name, the command and the arguments that are left for it.

        Raise CallError for an unknown command, with the nearest as a hint, and for options that
        click would silently misread.
        """
        name = args[0]
        if ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        command = self.get_command(ctx, name)
        if command is None and not name.startswith("-"):
            hint = hint_for("command", name, self.list_commands(ctx))
            raise CallError(f"there is no command {quoted(name)}", hint)
        if command is not None:
            from confint_cli.app.usage import check_dashes, check_given_once

            check_dashes(command, args[1:])
            check_given_once(command, args[1:], ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=CommandsByFile,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  trec_eval -q qrels.txt run.txt | confint interval -m map -
  confint interval -q qrels.txt -m AP,nDCG@10 runs/*.gz
  confint compare evals/*.eval -m map --baseline bm25
  confint rank -q qrels.txt -m AP submissions/* -o standings.md
  confint report -q qrels.txt -m AP submissions/ -o report.html
""",
)
@click.version_option(__version__, prog_name="confint")
def cli() -> None:
    """How sure can you be of evaluation scores in information retrieval?

    confint prints confidence intervals, tests, effect sizes and rank sets. It reads the per-topic
    output of trec_eval, NTCIREVAL, ir_measures and related tools, or it scores runs against
    judgements itself. A folder stands for the files in it.

    Results go to standard output: a table on a terminal, TSV in a pipe. 'confint COMMAND --help'
    explains a command.
    """


def main(args: list[str] | None = None) -> NoReturn:
    """Run the program and exit with its status.

    It is 0; 1 if the data are at fault, 2 if the call is; 3 if a result does not pass --fail-if; or
    128 + a signal, of which Ctrl-C is 2.
    """
    system.end_orderly()
    try:
        status = run(args)
    except KeyboardInterrupt:  # a second Ctrl-C, while the first is being handled
        status = INTERRUPTED
    finally:
        files.discard_unfinished()
        clear_progress()
    sys.exit(status)


def run(args: list[str] | None = None) -> int:
    """Run the program and return its exit status."""
    _stand_in_for_closed_streams()
    words = sys.argv[1:] if args is None else args
    if _COMPLETING in os.environ:
        from confint_cli.app.shells import use_our_scripts

        use_our_scripts()
    elif not words:
        run(["--help"])
        return 2  # the call asks for nothing
    try:
        _check_memory(words)
        keep_to_one_thread()
        status = _call(words)
        if sys.stdout is not None:
            sys.stdout.flush()
    except DataError as error:
        show_error(str(error), error.hint)
        return 1
    except CallError as error:
        show_error(str(error), error.hint)
        return 2
    except click.UsageError as error:
        from confint_cli.app.usage import explained

        show_error(*explained(error, _called(words), words))
        return 2
    except (click.Abort, KeyboardInterrupt):
        end_line()
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads has seen enough
        _write_no_more()
        return 0
    except MemoryError as error:
        let_go(error)
        too_little = shortage("", "")
        show_error(str(too_little), too_little.hint)
        return 1
    except (ImportError, RuntimeError) as error:
        problem_and_hint = _shortage_behind(error)
        if problem_and_hint is None:
            raise
        show_error(*problem_and_hint)
        return 1
    except OSError as error:
        subject = visible(str(error.filename)) if error.filename else "cannot write the result"
        show_error(f"{subject}: {error.strerror or error}", "")
        _write_no_more()
        return 1
    return status


def _call(words: list[str]) -> int:
    """Call the command that `words` name, and return its exit status.

    It is not called by click's own main, which takes a reader that closes the pipe for an error.
    """
    if os.environ.get(_COMPLETING):
        cli.main(words, prog_name="confint", standalone_mode=False)  # exits
    try:
        with cli.make_context("confint", list(words)) as context:
            status = cli.invoke(context)
    except click.exceptions.Exit as ended:  # after --help or --version
        files.check_stdout()
        return ended.exit_code
    return status if isinstance(status, int) else 0


def _stand_in_for_closed_streams() -> None:
    """Open the null device in the place of standard streams that the caller has closed.

    Otherwise the next file that is opened would get the number of such a stream, and with it
    everything that libraries print there.
    """
    with suppress(OSError):  # no file can be opened at all: whoever opens the next one says so
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(number)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # help texts have letters that some locales lack


def _check_memory(words: list[str]) -> None:
    """Raise DataError if the limit of memory is so low that libraries would hang or crash."""
    if {"-h", "--help", "--version"}.intersection(words):
        return
    if (limit() or _LEAST_MEMORY) < _LEAST_MEMORY:
        raise shortage("", f"at least {_LEAST_MEMORY >> 20} MB are needed")


def _shortage_behind(error: ImportError | RuntimeError) -> tuple[str, str] | None:
    """Return problem and hint if threads or memory are short; None if the error is another."""
    if "can't start new thread" in str(error):
        return "no more threads can be started", "--jobs 1 needs none"
    if "failed to map segment" in str(error):  # of a library
        hint = "" if limit() else "have other programs taken it?"
        too_little = shortage(" to load a library", hint)
        return str(too_little), too_little.hint
    return None


def _called(words: list[str]) -> str:
    """Return `confint COMMAND`, or only `confint` if the call begins with no command."""
    is_command = words and words[0] in modules_in(commands.__path__)
    return f"confint {words[0]}" if is_command else "confint"


def _write_no_more() -> None:
    """Send what is left in the buffer to the null device, or Python would complain at its end."""
    with suppress(OSError):  # the stream is no file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
