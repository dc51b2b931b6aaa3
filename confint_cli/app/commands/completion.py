"""`confint completion`: Tab completes commands, options, methods, measures and files."""

import os

import click

from confint_cli.app.command import command_of
from confint_cli.app.types import Choice
from confint_cli.common.errors import CallError

_SHELLS = ("bash", "zsh", "fish")


@command_of(
    short_help="How do I get Tab completion? A script for bash, zsh or fish.",
    examples="""\
  confint completion bash
  confint completion fish > ~/.config/fish/completions/confint.fish
""",
)
@click.argument("shell", type=Choice(_SHELLS), required=False)
def command(shell: str | None) -> None:
    """Print a script for bash, zsh or fish that lets the Tab key complete what you type.

    \b
    For bash (4.4 or later), put this line into ~/.bashrc:
      eval "$(confint completion bash)"

    \b
    For zsh, put this line into ~/.zshrc, below the line with compinit, if any:
      eval "$(confint completion zsh)"

    \b
    For fish, write the script to where fish looks for it:
      confint completion fish > ~/.config/fish/completions/confint.fish

    Tab completion works in the next shell that you open. It completes the values of options too,
    even after a comma: after --method, 't,per' becomes 't,percentile'.
    """  # noqa: D301
    from confint_cli.app.files import destination
    from confint_cli.app.shells import script

    if shell is None:
        raise CallError("which shell?", _hint(os.path.basename(os.environ.get("SHELL", ""))))
    context = click.get_current_context().find_root()
    with destination(None) as put:
        put(script(shell, context.command, "confint", "_CONFINT_COMPLETE"))


def _hint(login_shell: str) -> str:
    """Return a hint at what to type, with the login shell as an example if it is a known one."""
    example = login_shell if login_shell in _SHELLS else _SHELLS[0]
    return f"such as 'confint completion {example}'; there are: {', '.join(_SHELLS)}"
