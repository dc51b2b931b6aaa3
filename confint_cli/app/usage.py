"""Calls that click cannot parse: a line that says what is wrong, and a hint."""

import copy
from collections.abc import Sequence

import click

from confint_cli.app.types import BadValue
from confint_cli.common.errors import CallError
from confint_cli.common.guesses import Guess, guess
from confint_cli.common.text import listed, nearest, quoted, share, visible


def explained(error: click.UsageError, called: str, words: Sequence[str]) -> tuple[str, str]:
    """Return problem and hint for an error of click's, as one line each.

    `called` is the command, such as `confint rank`, if the error does not know it; `words` are the
    arguments of the call.
    """
    name = error.ctx.command_path if error.ctx else called
    hint = f"'{name} --help' explains the options"
    if isinstance(error, click.NoSuchOption):
        option = _as_typed(error.option_name, words)
        return f"there is no option {visible(option)}", _option_meant(
            option, error.ctx, words
        ) + hint
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Argument):
        return f"no {(error.param.metavar or '').strip('.[]')} given", hint
    if isinstance(error, click.BadParameter) and error.param is not None:
        option = f"{_name(error.param)} " if isinstance(error.param, click.Option) else ""
        if isinstance(error, BadValue):  # its message is ours, with the value as it was typed
            return f"{option}{error.message}", error.hint or hint
        return f"{option}{_one_line(error.message)}", hint
    return _one_line(error.format_message()), hint


def check_dashes(command: click.Command, words: Sequence[str]) -> None:
    """Raise CallError for `-measure map`, which click reads as `-m easure` and a file `map`."""
    long_names = {option.lstrip("-") for option in [*_options(command), "--help"]}
    for word in words:
        if word == "--":
            return
        name = word[1:].partition("=")[0]
        if word.startswith("-") and len(name) > 1 and name in long_names:
            raise CallError(f"there is no option -{name}", f"did you mean --{name}?")


def check_given_once(command: click.Command, words: Sequence[str], parent: click.Context) -> None:
    """Raise CallError for `-q a -q b`, of which click would silently use the last."""
    single = [
        option
        for option in command.params
        if isinstance(option, click.Option) and _takes_one(option)
    ]
    collecting = copy.copy(command)
    collecting.params = [
        _that_collects(parameter) if parameter in single else parameter
        for parameter in command.params
    ]
    context = click.Context(collecting, parent=parent)
    try:
        values_by_name, _, _ = collecting.make_parser(context).parse_args([*words])
    except click.UsageError:  # click finds the same error later, and reports it
        return
    help_option = collecting.get_help_option(context)
    if help_option is not None and help_option.name in values_by_name:
        return
    for option in single:
        values = values_by_name.get(str(option.name), [])
        if len(values) > 1:
            texts = [quoted(" ".join(value) if option.nargs > 1 else value) for value in values]
            twice = f"twice: {' and '.join(texts)}"
            more_often = f"{len(texts)} times: {listed(texts, 3)}"
            raise CallError(
                f"{_name(option)} is given {twice if len(texts) == 2 else more_often}",
                "it takes one value" if option.nargs == 1 else f"it takes {option.metavar} once",
            )


def _takes_one(option: click.Option) -> bool:
    return not (option.multiple or option.is_flag or option.count)


def _that_collects(option: click.Option) -> click.Option:
    """Return a copy of the option that may be repeated, and collects its values."""
    collecting = copy.copy(option)
    collecting.multiple = True
    return collecting


def _name(option: click.Option) -> str:
    return max(option.opts, key=len)


def _options(command: click.Command) -> list[str]:
    return [option for parameter in command.params if isinstance(parameter, click.Option)
            for option in (*parameter.opts, *parameter.secondary_opts)]  # fmt: skip


def _as_typed(option: str, words: Sequence[str]) -> str:
    """Return the word of the call, such as `-hlep`, that click found an option `-l` in."""
    short_options = [word for word in words if not word.startswith("--") and word.startswith("-")]
    return next((word for word in short_options if option[1:] in word), option)


def _option_meant(option: str, context: click.Context | None, words: Sequence[str]) -> str:
    """Return the start of a hint: the option that was meant, or the commands that have this one.

    It is empty if neither is known.
    """
    if context is None:
        return ""
    known = [*_options(context.command), *_arguments(context.command)]
    guessed = guess("option", option, known)
    if guessed is not None:
        hint = _worked_out(guessed, option, words) or guessed.said
        return f"{hint}{' ' if hint.endswith('?') else '; '}"
    group = context.find_root().command
    if isinstance(group, click.Group) and option.startswith("--"):
        commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
        names = [
            name for name, command in commands.items() if command and option in _options(command)
        ]
        if names:
            return f"it is an option of {listed(names, len(names))}; "
    options = ("-h", "--help", *_options(context.command))
    by_name = {name.lstrip("-"): name for name in options}
    close = nearest(option.lstrip("-"), by_name)
    return f"did you mean {by_name[close]}? " if close is not None else ""


def _arguments(command: click.Command) -> list[str]:
    return [
        str(parameter.name).upper()
        for parameter in command.params
        if isinstance(parameter, click.Argument)
    ]


def _worked_out(guessed: Guess, option: str, words: Sequence[str]) -> str:
    """Return a hint such as `use --level 0.95 for --alpha 0.05`, without values if need be.

    It is empty unless the values of the two options add up to 1.
    """
    if not guessed.complement:
        return ""
    from decimal import Decimal  # 1 - 0.1 is 0.9, not 0.9 and some

    try:
        value = share(_value_of(option, words))
    except ValueError:
        value = 0.0
    meant = 1 - Decimal(repr(value))
    # A value above a half belongs to the other option already; from a tiny one, 1 would result.
    if 0 < value <= 0.5 and float(meant) < 1:
        return f"use {guessed.meant} {meant} for {visible(option)} {value!r}"
    return f"use {guessed.meant}, which is 1 - {visible(option.lstrip('-'))}"


def _value_of(option: str, words: Sequence[str]) -> str:
    """Return the value of an option as it was typed; empty if it has none."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == option:
            return value if equals else following
    return ""


def _one_line(message: str) -> str:
    """Return click's message in our style: one line, a small letter first, no stop at the end."""
    text = " ".join(message.split()).rstrip(".")
    return text[:1].lower() + text[1:]
