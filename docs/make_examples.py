"""Examples of pages: run their commands on the samples, and keep what they print.

A block marked `console` has commands behind `$`, each followed by all that it prints on both
streams. A line `…` stands for lines that are left out. `make docs` runs this script, which rewrites
outputs that have changed. The tests run the same examples.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.make_pages import ROOT, pages

SAMPLES = ROOT / "sample_runs"
_LEFT_OUT = re.compile(r"^…\n", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A command on a page, and what it prints by that page's account."""

    command: str  # as one line, whatever number of them the page has
    output: str
    start: int  # where the output begins in the text of the page

    def is_true(self, printed: str) -> bool:
        """Say whether this was printed, whatever the versions of libraries."""
        parts = map(re.escape, _LEFT_OUT.split(without_versions(self.output)))
        return bool(re.fullmatch(".*\n".join(parts), without_versions(printed), re.DOTALL))


def without_versions(text: str) -> str:
    """Return the text without the versions of libraries, which signatures have."""
    return re.sub(r"(numpy|scipy|pytrec\\?_eval-terrier)-[0-9][\w.+]*", r"\1-VERSION", text)


def examples_in(text: str) -> Iterator[Example]:
    """Yield the examples of a page, in order."""
    for block in re.finditer(r"```console\n(.*?)```", text, flags=re.DOTALL):
        for said in re.finditer(r"^\$ (.*?)(?=^\$ |\Z)", block[1], re.MULTILINE | re.DOTALL):
            command, _, output = said[1].partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.removeprefix("> ").strip()
            yield Example(command, output, block.start(1) + said.end() - len(output))


def printed_by(command: str, program: Path, folder: Path) -> str:
    """Return what a command prints in a folder that has the samples; `program` is confint."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], cwd=folder, text=True, check=False,
        env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.stdout


def current(text: str, program: Path) -> tuple[str, list[str]]:
    """Return a page's text with its outputs made anew, and commands whose lines left out differ."""
    by_hand = []
    for example in reversed([*examples_in(text)]):  # the places of those before it stay
        with TemporaryDirectory() as folder:
            shutil.copytree(SAMPLES, Path(folder) / "sample_runs")
            printed = printed_by(example.command, program, Path(folder))
        if example.is_true(printed):
            continue
        if _LEFT_OUT.search(example.output):
            by_hand.append(example.command)
        else:
            end = example.start + len(example.output)
            text = text[: example.start] + printed + text[end:]
    return text, by_hand


def main() -> int:
    """Write the examples of all pages anew where they have changed."""
    from tests.shell import quick_program

    status = 0
    with TemporaryDirectory() as folder, quick_program(Path(folder)) as program:
        for path in pages():
            text = path.read_text(encoding="utf-8")
            made, by_hand = current(text, program)
            where = path.relative_to(ROOT)
            if made != text:
                path.write_text(made, encoding="utf-8")
                print(f"{where} has examples made anew")
            for command in by_hand:
                print(f"{where}: lines are left out, and others differ: {command}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
