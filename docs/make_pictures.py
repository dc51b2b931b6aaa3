"""The pictures of README.md and of docs/, made from sample_runs/ by the program itself.

`make pictures` runs this script. The same program gives the same bytes. A figure also contains its
signature, which tells the tests whether it is current. The picture of a terminal needs no font and
nothing from the network: its letters use any monospace font that is there, one cell each, and the
signs that tables consist of are drawn as shapes.
"""

import io
import os
import re
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from glob import glob
from pathlib import Path
from unittest.mock import patch
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from confint_cli.app.cli import run

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"

COLUMNS = 98
TERMINALS = {
    "terminal.svg": "confint rank -q sample_runs/qrels.txt -m P@10 --quiet sample_runs/runs/*.run",
}
EVALS = "sample_runs/trec_eval"
FIGURES = {
    "forest.svg": "confint interval -q sample_runs/qrels.txt -m AP --method bootstrap-t"
    " sample_runs/runs/*.run",
    "compare.svg": f"confint compare -m map --baseline bm25 {EVALS}/*.eval",
    "collections.svg": "confint compare --labels {collection}/{run}.run"
    " -q sample_runs/suite/{collection}/qrels.txt -m nDCG@10 --baseline bm25"
    " sample_runs/suite/*/*.run",
    "conversations.svg": "confint compare --groups {group}_{} -q"
    " sample_runs/conversations/qrels.txt -m nDCG@10 --baseline bm25 --method t"
    " sample_runs/conversations/*.run",
    "seeds.svg": "confint plan --labels {run}.seed{repeat}.eval -m map --half-width 0.02"
    " sample_runs/seeds/*.seed*.eval",
    "rank.svg": "confint rank -q sample_runs/qrels.txt -m P@10 sample_runs/runs/*.run",
    "bayes.svg": f"confint bayes -m map --baseline bm25 {EVALS}/bm25.eval {EVALS}/bm25-rm3.eval",
    "coverage.svg": f"confint coverage -m map,P_10,recip_rank {EVALS}/*.eval",
    "risk.svg": f"confint risk -m map --baseline bm25 {EVALS}/bm25.eval {EVALS}/hybrid.eval",
    "describe.svg": f"confint describe -m map {EVALS}/hybrid.eval {EVALS}/bm25.eval"
    f" {EVALS}/keyword.eval",
    "plan.svg": f"confint plan -m map --half-width 0.03 --difference 0.03 {EVALS}/*.eval",
}

# A cell of the terminal, in units of the picture; the baseline of letters is 15 below its top.
WIDTH, HEIGHT, BASELINE = 8.4, 20, 15
MARGIN, TOP = 18, 40

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" \
width="{width:g}" role="img">
<title>{title}</title>
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", \
"Liberation Mono", monospace; fill: #d8dee9; white-space: pre }}
.bold {{ font-weight: 700; fill: #ffffff }}
.dim {{ fill: #8f9bb3 }}
.prompt {{ fill: #8fd694 }}
.drawn {{ stroke: #d8dee9; stroke-width: 1.3; fill: none }}
.solid {{ fill: #d8dee9 }}
</style>
<rect x="0.5" y="0.5" width="{inner_width:g}" height="{inner_height:g}" rx="8" fill="#1f2430" \
stroke="#4c566a"/>
<circle cx="20" cy="19" r="5.5" fill="#bf616a"/><circle cx="38" cy="19" r="5.5" fill="#ebcb8b"/>\
<circle cx="56" cy="19" r="5.5" fill="#a3be8c"/>
"""


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal, and keeps what is written."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")

    def isatty(self) -> bool:
        """Say that it is."""
        return True

    def text(self) -> str:
        """Return what was written."""
        self.flush()
        self.seek(0)
        return self.read()


def terminals() -> dict[str, str]:
    """Return the pictures of what a terminal shows after a command, by the names of their files."""
    return {name: picture(command, shown(command)) for name, command in TERMINALS.items()}


def shown(command: str) -> str:
    """Return what a terminal shows, messages first, without the signature, which has versions."""
    out, err = Terminal(), io.StringIO()
    setting = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with (
        chdir(ROOT),
        patch.dict(os.environ, {**setting, "COLUMNS": str(COLUMNS)}, clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        status = run(_words(command))
    if status != 0:
        raise RuntimeError(f"{command}: {err.getvalue()}")
    text = re.sub(r"\n(\x1b\[[\d;]*m)*confint:[^\n]*\|command:.*\n$", "", out.text())
    return err.getvalue() + text.rstrip("\n")


def _words(command: str) -> list[str]:
    """Return the arguments of a call, as a shell would pass them on."""
    words: list[str] = []
    for word in command.split()[1:]:
        words += sorted(glob(word, root_dir=ROOT)) if "*" in word else [word]
    return words


def picture(command: str, text: str) -> str:
    """Return an SVG of a terminal, with the prompt and what the command printed."""
    prompt = Text.assemble(("$", Style(color="green")), f" {command}")
    lines = [
        part
        for line in (prompt, *Text.from_ansi(text).split("\n", allow_blank=True))
        for part in line.divide(range(COLUMNS, len(line), COLUMNS))  # as a terminal would
    ]
    width = 2 * MARGIN + COLUMNS * WIDTH
    height = TOP + len(lines) * HEIGHT + MARGIN
    head = _HEAD.format(
        title=escape(f"What a terminal shows after {command}"),
        width=width, height=height, inner_width=width - 1, inner_height=height - 1,
    )  # fmt: skip
    shapes = [shape for row, line in enumerate(lines) for shape in _line(line, row)]
    return "\n".join([head.rstrip("\n"), *shapes, "</svg>", ""])


def _line(line: Text, row: int) -> Iterator[str]:
    """Yield the shapes of a line: words by their style, and signs that are drawn."""
    top = TOP + row * HEIGHT
    for start, end, kind in _stretches(line):
        x = MARGIN + cell_len(line.plain[:start]) * WIDTH
        for found in re.finditer(r"[─┄]+|[├┤┊●■·]|[^\s─┄├┤┊●■·]+(?: [^\s─┄├┤┊●■·]+)*",
                                 line.plain[start:end]):  # fmt: skip
            left = x + cell_len(line.plain[start : start + found.start()]) * WIDTH
            yield _shape(found[0], left, top, kind)


def _stretches(line: Text) -> Iterator[tuple[int, int, str]]:
    """Yield where a style begins and ends, and what it is called."""
    kinds = [""] * len(line.plain)
    for span in line.spans:
        style = span.style if isinstance(span.style, Style) else Style.parse(span.style)
        kind = "bold" if style.bold else "dim" if style.dim else "prompt" if style.color else ""
        kinds[span.start : span.end] = [kind] * (min(span.end, len(kinds)) - span.start)
    start = 0
    for place in range(1, len(kinds) + 1):
        if place == len(kinds) or kinds[place] != kinds[start]:
            yield start, place, kinds[start]
            start = place


def _shape(text: str, left: float, top: float, kind: str) -> str:
    """Return a word, or what a sign of a table looks like."""
    wide, middle = cell_len(text) * WIDTH, top + HEIGHT / 2
    centre, right = left + WIDTH / 2, left + wide
    match text[0]:
        case "─":
            return _path(f"M{left:.1f} {middle:g}H{right:.1f}")
        case "┄":
            return _path(f"M{left:.1f} {middle:g}H{right:.1f}", ' stroke-dasharray="3 4"')
        case "├":
            return _path(f"M{centre:.1f} {top + 5:g}v10M{centre:.1f} {middle:g}H{right:.1f}")
        case "┤":
            return _path(f"M{centre:.1f} {top + 5:g}v10M{left:.1f} {middle:g}H{centre:.1f}")
        case "┊":
            return _path(f"M{centre:.1f} {top:g}v{HEIGHT}", ' stroke-dasharray="2 3"')
        case "●":
            return f'<circle class="solid" cx="{centre:.1f}" cy="{middle:g}" r="4"/>'
        case "■":
            corner = f'x="{left + 0.9:.1f}" y="{middle - 3.3:g}"'
            return f'<rect class="solid" {corner} width="6.6" height="6.6"/>'
        case "·":
            return f'<circle class="solid" cx="{centre:.1f}" cy="{middle:g}" r="1"/>'
    style = f' class="{kind}"' if kind else ""
    place = f'x="{left:.1f}" y="{top + BASELINE:g}" textLength="{wide:.1f}"'
    return f"<text{style} {place}>{escape(text)}</text>"


def _path(drawn: str, more: str = "") -> str:
    return f'<path class="drawn" d="{drawn}"{more}/>'


def draw(name: str, folder: Path) -> None:
    """Draw a figure into a folder."""
    with chdir(ROOT):
        call = [*_words(FIGURES[name]), "--quiet", "-o", "/dev/null", "--plot", str(folder / name)]
        if run(call) != 0:
            raise RuntimeError(FIGURES[name])


def main() -> None:
    """Make all pictures."""
    PICTURES.mkdir(exist_ok=True)
    for name, drawn in terminals().items():
        (PICTURES / name).write_text(drawn, encoding="utf-8")
    for name in FIGURES:
        draw(name, PICTURES)


if __name__ == "__main__":
    main()
