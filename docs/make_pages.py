"""Parts of pages that come from the program: usage, options, explanations, the list of commands.

`make docs` runs this script. Every command has a page, `docs/COMMAND.md`, which is written by hand.
This script only writes what is between `<!-- made from the help text … -->` and `<!-- end -->`. If
a page has no such part yet, the script adds it at the end. If a command has no page, the script
makes one. `python -m docs.make_pages --check` writes nothing, and reports what is not current.
"""

import inspect
import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import click

from confint_cli import __version__
from confint_cli.app.cli import cli, run
from confint_cli.app.command import OUTPUT, READING, STATISTICS, Command
from confint_cli.outputs import formats, offered

DOCS = Path(__file__).parent
ROOT = DOCS.parent

BEGIN = "<!-- made from the help text: 'make docs' writes what follows -->"
END = "<!-- end -->"
_BLOCK = re.compile(r"<!-- made from the help text.*?-->\n.*?<!-- end -->\n", re.DOTALL)

# Options that many commands share, and the page that says more about them.
_GROUPS = {
    READING: "[What it reads](inputs.md):",
    STATISTICS: "[Which intervals](choosing.md), and random numbers:",
    OUTPUT: "[What it writes](output.md):",
}


def commands() -> dict[str, click.Command]:
    """Return all commands by their names."""
    context = click.Context(cli)
    found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def page_of(command: str) -> Path:
    """Return the page of a command."""
    return DOCS / f"{command}.md"


def pages() -> list[Path]:
    """Return the pages that are written by hand, the front door first."""
    by_scripts = {"reproduction.md", "benchmarks.md"}
    return [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        DOCS / "example-paper" / "README.md",
        *sorted(path for path in DOCS.glob("*.md") if path.name not in by_scripts),
    ]


def current(path: Path, text: str) -> str:
    """Return the text of a page with its block, and the version in its examples, made anew."""
    # Examples show signatures; they are of this version, or the tests would say so.
    text = re.sub(r'(?<=confint:)[0-9][0-9.]*(?=\|)|(?<="confint": ")[0-9.]+', __version__, text)
    if path == DOCS / "README.md":
        block = _list_of_commands()
    elif path == DOCS / "output.md":
        block = _list_of_formats()
    elif path.parent == DOCS and path.stem in commands():
        block = _about(path.stem, commands()[path.stem])
    else:
        return text
    block = f"{BEGIN}\n\n{block}\n\n{END}\n"
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text, count=1)
    return f"{text.rstrip()}\n\n{block}"


def _list_of_commands() -> str:
    """Return the table of all commands."""
    rows = [
        (f"[`confint {name}`]({page_of(name).name})", command.short_help or "")
        for name, command in commands().items()
    ]
    return _table(("command", "what it answers"), rows)


def _list_of_formats() -> str:
    """Return the table of all output formats that --format takes."""
    rows = [
        (
            f"`{name}`",
            ", ".join(f"`{ending}`" for ending in formats()[name].endings),
            formats()[name].summary,
        )
        for name in offered()
    ]
    return _table(("`-f`", "ending of `-o`", "for"), rows)


def _about(name: str, command: click.Command) -> str:
    """Return all that the program itself says about a command, in Markdown."""
    # With the names that --help has in the program: click keeps the first that it is asked for.
    context = click.Context(
        command, info_name=f"confint {name}", help_option_names=["-h", "--help"]
    )
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [*_explanations(name, command), "## All options", f"```sh\n{usage}\n```"]
    parts += [_linked(part, name) for part in _paragraphs(command.help or "")]
    parts += _tables_of_options(name, command)
    parts += _paragraphs(command.epilog or "")
    return "\n\n".join(parts)


def _explanations(name: str, command: click.Command) -> Iterator[str]:
    """Yield what a command that lists things says about each of them."""
    if not any(one.name == "name" for one in command.params if isinstance(one, click.Argument)):
        return
    listed = [line.split("\t")[0] for line in _said(name, "--format", "tsv").splitlines()[1:]]
    for one in listed:
        first, _, rest = _said(name, one).partition("\n")
        yield f"### {one}"
        summary = first.removeprefix(f"{one}: ")
        yield _linked(_sentence(summary), name)
        text, example, code = rest.strip("\n").partition("\n\nExample:\n")
        for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
            if paragraph.startswith("  "):
                yield _facts(paragraph.splitlines())
            elif paragraph:
                yield _linked(paragraph, name)
        if example:
            lines = (line.removeprefix("  ").rstrip() for line in code.splitlines())
            yield "Example:\n\n```text\n{}\n```".format("\n".join(lines))


def _facts(lines: Iterable[str]) -> str:
    """Return names and what they stand for, which may go on in further lines, as a list."""
    facts: list[list[str]] = []
    for line in lines:
        name, _, text = line.strip().partition("  ")
        if text:
            facts.append([name, text.strip()])
        else:
            facts[-1][1] += f" {name}"
    return "\n".join(
        f"- {name}: `{text}`" if name == "formula" else f"- {name}: {_escaped(text)}"
        for name, text in facts
    )


def _said(*args: str) -> str:
    """Return what the program prints."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(stream):
        status = run([*args])
    if status != 0:
        raise RuntimeError(f"confint {' '.join(args)}: exit status {status}")
    stream.seek(0)
    return stream.read()


def _sentence(text: str) -> str:
    """Return what follows a colon as a sentence; names of tools and values stay as they are."""
    is_word = text[:2].isalpha() and not text.split()[0].endswith("eval")
    return f"{text[0].upper() if is_word else text[0]}{text[1:]}."


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; those that keep their lines as code."""
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text).split("\f")[0]):
        if not part.strip():
            continue
        lines = part.strip("\n").splitlines()
        if lines[0].strip() != "\b":
            yield "\n".join(line.strip() for line in lines)
            continue
        title, *rest = lines[1:]
        code = inspect.cleandoc("\n".join(["", *rest]))
        language = "sh" if title.startswith("Example") else "text"
        yield f"{title}\n\n```{language}\n{code}\n```"


def _tables_of_options(name: str, command: click.Command) -> Iterator[str]:
    """Yield a table of the command's own options, and one of each group that it shares."""
    assert isinstance(command, Command), name
    for title, these in command.sections(command.params).items():
        shown = [one for one in these if isinstance(one, click.Option)]
        if shown:
            heading = _GROUPS.get(title, "Its own:")
            yield f"{heading}\n\n{_table_of(shown, name)}"


def _table_of(these: Iterable[click.Option], command: str) -> str:
    rows = [(_spelled(one), _linked(_meaning(one), command)) for one in these]
    return _table(("option", "meaning"), rows)


def _spelled(option: click.Option) -> str:
    """Return an option's names, the last one with what it takes."""
    names = sorted(option.opts, key=len)
    if not option.is_flag:
        takes = option.metavar
        if isinstance(option.type, click.Choice):
            takes = takes or "|".join(map(str, option.type.choices))
        names[-1] += f" {takes or option.type.name.upper()}"
    return ", ".join(f"`{name}`" for name in names)


def _meaning(option: click.Option) -> str:
    """Return an option's help, with its default if that does not say it."""
    text = " ".join((option.help or "").split())
    if option.show_default and option.default is not None and "[default:" not in text:
        text += f" [default: {option.default}]"
    return text


def _linked(text: str, here: str) -> str:
    """Return a help text with links to pages of other commands, and options as code."""
    if text.lstrip().startswith("```") or "\n```" in text:
        return text

    def link(found: re.Match[str]) -> str:
        call = " ".join(found[0].strip("'").split())
        if found[1] == here or found[1] not in commands():
            return f"`{call}`"
        return f"[`{call}`]({page_of(found[1]).name})"

    text = re.sub(r"'confint\s+(\w+)[^']*'", link, text)
    text = re.sub(r"docs/(\w+\.md)", r"[`\1`](\1)", text)
    # outside of what is code already
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [
        re.sub(r"(?<![^\s(])(--?[a-z][\w-]*)", r"`\1`", _escaped(part)) for part in parts[::2]
    ]
    return "".join(parts)


def _escaped(text: str) -> str:
    """Return a text in which Markdown finds no emphasis and no tags."""
    return re.sub(r"[*]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text).replace("<", "&lt;")


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [names, ["---"] * len(names), *rows]
    return "\n".join(
        f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in cells
    )


def main(args: Sequence[str]) -> int:
    """Write the pages anew or, with --check, say which are not current."""
    if "--check" not in args:
        for name, command in commands().items():
            if not page_of(name).exists():
                page_of(name).write_text(_beginning(command), encoding="utf-8")
                print(f"docs/{name}.md is new: say more there than the help does")
    old = [path for path in pages() if path.read_text(encoding="utf-8") != _made(path)]
    for path in old:
        where = path.relative_to(ROOT)
        if "--check" in args:
            print(f"{where} is not current: run make docs", file=sys.stderr)
        else:
            path.write_text(_made(path), encoding="utf-8")
            print(f"{where} is made anew")
    missing = [name for name in commands() if not page_of(name).exists()]
    for name in missing:
        print(f"confint {name} has no page: run make docs", file=sys.stderr)
    return 1 if (missing or old) and "--check" in args else 0


def _beginning(command: click.Command) -> str:
    """Return a title, which is the question, and the answer in the help's own words."""
    title = re.split(r"(?<=\?)|\.", command.short_help or "")[0]
    answer, *_ = _paragraphs(command.help or "")
    return f"# {title}\n\n{answer}\n"


def _made(path: Path) -> str:
    return current(path, path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
