"""Random command lines: most are sensible, some have one odd value, some are nonsense.

Commands and options are those that click knows of, so that new ones are called as well.
"""

import random
import shlex

import click

from confint_cli.app.cli import cli
from confint_cli.app.columns import names_of
from confint_cli.inputs.formats import formats
from confint_cli.stats.methods import methods
from confint_cli.stats.significance import tests
from tests.fuzzing.call_checks import TAB
from tests.fuzzing.call_inputs import BROKEN, GROUPS, OLD, PUBLISHED, Group, inputs
from tests.fuzzing.call_values import BY_METAVAR, BY_NAME, LONG, ODD_NUMBERS, ODD_WORDS
from tests.fuzzing.forked import Call

_MUCH = 100_000  # an option with such a maximum says how much work there is …
_LITTLE = 200  # … and this is little of it
_ENORMOUS = 10**15  # topics of a sample: no machine has the memory

_NEEDED = {
    "risk": ["baseline"],
    "compare": ["all_pairs", "baseline"],
    "bayes": ["all_pairs", "baseline"],
    "agreement": ["judge_qrels", "judge_scores"],
}
"""Of which a command has to have one, or there is no result; others get by without."""

_JUDGES = ("judge_qrels", "judge_scores")
_NOT_BY_TWO = ("every", "method", "standardize", "test", "meta", "unpaired", "effect_intervals")
"""Options of a cheaper judge, and those that are refused beside it."""

_NOT_OF_BOUNDS = (
    "method", "standardize", "test", "meta", "unpaired", "effect_intervals", *_JUDGES
)  # fmt: skip
"""Options that are refused beside bounds."""

_GOES_WITH = {
    "no_title": "plot", "top": "summary", "transform": "save_factors", "fail_if": "baseline",
    "intervals": "layout", "second_best": "layout", "transpose": "layout",
}  # fmt: skip
"""What is refused without another option, or says nothing."""

_OF_PLAIN = ("bayes", "risk", "standardize")
"""Commands that are refused for groups, repeats and collections, which is seen soon enough."""

_OUTPUTS = ("output", "plot", "save_factors")
_ENDINGS = ("tsv", "csv", "json", "jsonl", "md", "tex", "txt", "tsv", "json")


def commands() -> dict[str, click.Command]:
    """Return all commands by their names."""
    context = click.Context(cli)
    found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def random_call(rng: random.Random, known: dict[str, click.Command], command: str) -> Call:
    """Return a call: of a sensible kind, with odd values, or with words that are out of place."""
    odd = rng.choice((0.0, 0.0, 0.0, 0.0, 0.0, 0.1, 0.3))
    group = rng.choice(GROUPS if command != "summary" else (PUBLISHED,))
    if command in _OF_PLAIN and not group.is_plain and rng.random() < 0.8:
        group = GROUPS[0]
    if "judge_scores" in _NEEDED.get(command, ()) and rng.random() < 0.8:
        group = rng.choice([own for own in GROUPS if own.judges])
    parameters = known[command].params
    words = [command, *_words(rng, command, parameters, group, odd)]
    if rng.random() < odd:
        words = _disturbed(rng, words)
    if rng.random() < 0.03:
        return _tab(rng, words)
    files = [name for name in group.files if not name.endswith("evals")]
    stdin = rng.choice(files or ["scores.tsv"]) if "-" in words or rng.random() < 0.1 else ""
    width = rng.choice((1, 5, 20, 40, 80, 133, 300)) if rng.random() < 0.1 else 0
    return Call(words, stdin, _environment(rng), width)


def any_command(rng: random.Random, known: dict[str, click.Command]) -> str:
    """Return a command; those with many options come often."""
    return rng.choices([*known], [len(one.params) + 2 for one in known.values()])[0]


def _tab(rng: random.Random, words: list[str]) -> Call:
    """Return what a shell asks when Tab is pressed somewhere in a call."""
    line = shlex.join(["confint", *words])[:LONG]
    around = {
        TAB: rng.choice(("bash_complete", "zsh_complete", "fish_complete")),
        "COMP_LINE": line[: rng.randint(len("confint "), len(line))],
        "COMP_COMMAND": "confint",
        "COMP_BREAKS": " \t\n\"'@><=;|&(:",
    }
    return Call([], environment=around)


def _environment(rng: random.Random) -> dict[str, str]:
    settings = {
        "COLUMNS": ("80", "1", "0", "-5", "x", "", "99999", str(2**64)),
        "TERM": ("xterm-256color", "dumb", "", "x"),
        "NO_COLOR": ("", "1"),
        "LINES": ("24", "0", "x"),
        "SHELL": ("/bin/bash", "/bin/zsh", "", "x"),
    }
    return {name: rng.choice(values) for name, values in settings.items() if rng.random() < 0.2}


def _words(
    rng: random.Random, command: str, parameters: list[click.Parameter], group: Group, odd: float
) -> list[str]:
    """Return options and arguments in any order, options with their values."""
    options = {str(one.name): one for one in parameters if isinstance(one, click.Option)}
    needed = rng.choice(_NEEDED.get(command, [""]))
    if group.judge_option and needed in _JUDGES:
        needed = group.judge_option
    chosen = [
        name for name, one in options.items() if name == needed or _is_wanted(rng, one, group)
    ]
    others = [name for name in options if name not in chosen]
    for name in rng.sample(others, min(len(others), rng.choice((0, 1, 2, 3, 4, 6, 9)))):
        if rng.random() < odd / 2 or _fits(command, name, group, chosen):
            chosen.append(name)
    the_odd_one = rng.choice([*chosen, ""]) if not odd and rng.random() < 0.3 else ""
    parts = [] if the_odd_one == "labels" else _labels(chosen, group)
    chosen = [name for name in chosen if not (parts and name == "labels")]
    parts += [
        _option(rng, command, options[name], group, 1.0 if name == the_odd_one else odd)
        for name in chosen
        for _ in range(2 if rng.random() < (0.1 if options[name].multiple else odd / 10) else 1)
    ]
    arguments = [one for one in parameters if isinstance(one, click.Argument)]
    if "output_format" not in chosen or arguments[0].nargs != 1:  # else the name of one thing
        parts += [_argument(rng, command, one, group, odd) for one in arguments]
    if command == "summary" and rng.random() < 0.4:
        parts = [*parts[:-1], _published(rng, odd or rng.choice((0.0, 0.0, 0.3)))]
    rng.shuffle(parts)
    return [word for part in parts for word in part]


def _labels(chosen: list[str], group: Group) -> list[list[str]]:
    """Return the patterns of paths that fit the files, in their order, as options side by side."""
    if "labels" not in chosen or not group.labels:
        return []
    return [[word for pattern in group.labels for word in ("--labels", pattern)]]


def _is_wanted(rng: random.Random, option: click.Option, group: Group) -> bool:
    """Say whether the option is to be in the call, or there would be no result or too much work."""
    if option.name == "qrels":
        return bool(group.qrels)
    if option.name in _JUDGES:
        return option.name == group.judge_option and rng.random() < 0.8
    if option.name == "labels" and group.labels:
        return rng.random() < 0.9
    if option.name == "groups" and group.turns:
        return rng.random() < 0.7
    if option.name == "jobs":
        return rng.random() < 0.8
    return _is_amount(option) and isinstance(option.type, click.IntRange)


def _fits(command: str, option: str, group: Group, chosen: list[str]) -> bool:
    """Say whether an option, by its name, makes sense with the files and the other options."""
    if option in _NEEDED.get(command, ()) or (command == "summary" and option in _GIVEN):
        return False  # one of them is there already
    if option in _JUDGES:
        return option == group.judge_option
    if option in _NOT_BY_TWO and {*_JUDGES} & {*chosen}:
        return False
    if option == "unjudged" and {*_NOT_OF_BOUNDS} & {*chosen}:
        return False
    if option in _NOT_OF_BOUNDS and "unjudged" in chosen:
        return False
    if option in ("qrels", "rel_level", "name_from", "unjudged"):
        return bool(group.qrels)
    if option in ("run_names", "measure_name"):
        return group.format == "tsmatrix"
    if option == "group_weight":
        return "groups" in chosen or "sessions" in group.files[0]
    if option == "paired_repeats":
        return "seeds" in group.files[0]
    if option == "input_format":
        return not group.qrels and not group.judges
    if option == "missing" and "unpaired" in chosen:
        return False
    return option != "executor" and _GOES_WITH.get(option, "") in ("", *chosen)


def _is_amount(option: click.Parameter) -> bool:
    """Say whether an option is one for an amount of work, of which a million takes its time."""
    most = option.type.max if isinstance(option.type, click.IntRange) else 0
    return (most or 0) >= _MUCH or option.name == "sample_size"


def _option(
    rng: random.Random, command: str, option: click.Option, group: Group, odd: float
) -> list[str]:
    """Return an option and its value or values."""
    name = rng.choice(option.opts)
    if option.is_flag:
        return [name]
    values = [_value(rng, command, option, group, odd) for _ in range(option.nargs)]
    if option.nargs == 2 and odd < 1:
        values.sort()  # bounds, in their order if they are small numbers
    if name.startswith("--") and len(values) == 1 and rng.random() < 0.2:
        return [f"{name}={values[0]}"]
    if rng.random() < odd / 30:
        return [name]  # without its value
    return [name, *values]


def _value(
    rng: random.Random, command: str, option: click.Parameter, group: Group, odd: float
) -> str:
    if rng.random() < odd:
        return _odd_value(rng, option)
    name, kind = str(option.name), option.type
    if name in _OUTPUTS:
        return _output(rng, command, name)
    if name == "qrels":
        return group.qrels or "qrels.txt"
    if name == "columns":
        return _columns(rng, command)
    if name == "jobs":
        return rng.choice(("1", "1", "1", "1", "1", "1", "2", "3"))
    if name in BY_NAME:
        return BY_NAME[name](rng, group)
    if isinstance(kind, click.Choice):
        return rng.choice([str(choice) for choice in kind.choices])
    if isinstance(kind, click.IntRange):
        least = int(kind.min or 0)
        if _is_amount(option):
            return str(rng.choice((least, rng.randint(least, _LITTLE), *[_LITTLE] * 8)))
        return str(rng.randint(least, int(min(kind.max or least + 9, least + 9))))
    if not isinstance(kind, click.types.StringParamType):
        return rng.choice(("0", "0.1", "0.25", "0.5", "1", "1e-3"))
    suited = BY_METAVAR.get(option.metavar or "")
    return suited(rng, group) if suited else rng.choice([*inputs(), *ODD_WORDS])


def _columns(rng: random.Random, command: str) -> str:
    """Return columns of the command's table: mostly of the usual one, whatever else is asked."""
    given = rng.choice(({}, {}, {}, {"summary": True}, {"unpaired": True}, {"baseline": ("x",)}))
    known = names_of(commands()[command].columns, given)
    return ",".join(rng.sample(known, rng.randint(1, min(4, len(known)))))


def _odd_value(rng: random.Random, option: click.Parameter) -> str:
    """Return a value at the edge of what is allowed, or far beyond it."""
    kind = option.type
    if isinstance(kind, click.Choice):
        choice = rng.choice([str(choice) for choice in kind.choices])
        return rng.choice([choice.upper(), choice[:-1], f"{choice}s", f" {choice}", *ODD_WORDS])
    if isinstance(kind, click.IntRange) and rng.random() < 0.5:
        bound = rng.choice([one for one in (kind.min, kind.max) if one is not None] or [0])
        value = str(int(bound) + rng.choice((-1, 0, 1)))
    else:
        shown = option.metavar or ""
        numeric = 0.8 if len(shown) == 1 or "=" in shown else 0.4
        value = rng.choice(ODD_NUMBERS if rng.random() < numeric else [*ODD_WORDS, *BROKEN])
        if "=" in shown and rng.random() < 0.8:
            value = f"{rng.choice(('difference', 'glass', 'correlation', 'x'))}={value}"
    allowed = getattr(kind, "max", None) or _ENORMOUS  # beyond which no work is begun
    if _is_amount(option) and 10 * _LITTLE < _as_number(value) <= allowed:
        return "0"
    return value


def _as_number(text: str) -> int:
    return (
        int(text) if text.strip().isascii() and text.strip().isdecimal() and len(text) < 99 else 0
    )


def _output(rng: random.Random, command: str, option: str) -> str:
    """Return where a result may go; most places are files that are not there yet."""
    endings = {"plot": ("png", "svg", "pdf"), "save_factors": ("tsv", "csv")}.get(option, _ENDINGS)
    if command == "report" and option == "output":
        endings = ("html", "htm")
    if option == "output" and rng.random() < 0.15:
        return rng.choice(("-", "/dev/null", "/dev/full", "new/", "evals/", "new/x.tsv", *OLD))
    if rng.random() < 0.1:
        return rng.choice((*OLD, *OLD, *inputs()))
    return f"{option}.{rng.choice(endings)}"


def _argument(
    rng: random.Random, command: str, argument: click.Parameter, group: Group, odd: float
) -> list[str]:
    """Return the files of a call, or the name of what it is about."""
    if argument.nargs == 1:
        if rng.random() < 0.15:
            return []
        if isinstance(argument.type, click.Choice):
            return [_value(rng, command, argument, group, odd)]
        named = {"formats": formats, "methods": methods, "tests": tests}.get(command)
        if rng.random() < odd or named is None:
            return [rng.choice((*ODD_NUMBERS, *ODD_WORDS, "map", "P_10", "nDCG@20", "AP"))]
        return [rng.choice([*named()])]
    files = [*group.files]
    if rng.random() < 0.1 and len(files) == 1 and "." in files[0]:
        files = ["-"]
    while rng.random() < odd:
        files.insert(rng.randint(0, len(files)), rng.choice([*BROKEN, *inputs(), *ODD_WORDS, "-"]))
    return files


_GIVEN = ("mean", "sd", "n")


def _published(rng: random.Random, odd: float) -> list[str]:
    """Return results that stand in the call itself."""
    number = rng.choice((1, 1, 2, 3))
    small = ("0.3", "0.25", "0", "1e-3", "0.5")
    words = []
    for option, suited in zip(_GIVEN, (small, small, ("2", "3", "50")), strict=True):
        for _ in range(number):
            words += [f"--{option}", rng.choice(ODD_NUMBERS if rng.random() < odd else suited)]
    return words


def _disturbed(rng: random.Random, words: list[str]) -> list[str]:
    """Delete, double, swap, insert or misspell a word."""
    place, other = rng.randrange(len(words)), rng.randrange(len(words))
    word = words[place]
    match rng.randint(0, 5):
        case 0:
            return [*words[:place], *words[place + 1 :]]
        case 1:
            return [*words[:place], word, *words[place:]]
        case 2:
            words[place], words[other] = words[other], word
        case 3:
            words.insert(place, rng.choice((*ODD_WORDS, *ODD_NUMBERS, "--help", "--nope")))
        case 4:
            at = rng.randrange(len(word) + 1)
            words[place] = word[:at] + rng.choice("x-=é \x1b0") + word[at + rng.randint(0, 1) :]
        case _:
            words[place] = word.upper() if rng.random() < 0.5 else f"-{word}"
    return words
