"""Figures as files: the same bytes each time, whole or not at all, whatever runs are called."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.conftest import Confint, write
from tests.outputs.figures.reading import COMMANDS, EVALS, TWO, Drawn, labels, words

MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_figure_leaves_the_table_as_it_is(confint: Confint, tmp_path: Path, command: str) -> None:
    call = [command, *EVALS, *COMMANDS[command]]
    path = tmp_path / "figure.pdf"
    result = confint(*call, "--plot", path)
    assert (result.status, result.out) == (0, confint(*call).out)
    assert path.read_bytes().startswith(MAGIC["pdf"])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_a_figure_is_the_same_bytes_each_time(confint: Confint, tmp_path: Path, kind: str) -> None:
    """As SVG those of all commands are: tests/robustness/test_same_bytes.py."""
    paths = [tmp_path / f"{place}.{kind}" for place in range(2)]
    for path in paths:
        assert confint("risk", *EVALS, *COMMANDS["risk"], "--plot", path).status == 0
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert first.startswith(MAGIC[kind])


def test_a_figure_says_how_it_was_made(confint: Confint, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    confint("interval", TWO[0], "-m", "map", "--plot", path)
    text = path.read_text()
    assert "command:interval|topics:50|runs:1|measures:map" in text
    assert "http-equiv" not in text
    pdf = tmp_path / "x.pdf"
    confint("interval", TWO[0], "-m", "map", "--plot", pdf)
    content = pdf.read_bytes()
    assert b"command:interval" in content
    assert b"/FontFile2" in content  # TrueType, embedded
    assert b"/Type3" not in content
    assert b"CreationDate" not in content


HOSTILE = [
    "$\\frac{1}{0}$",
    "<script>alert(1)</script>",
    "--> & <x/>",
    "[red]",
    "\x1b[31m",
    "x" * 500,
    "走る",
    "a b‮c",
]


@pytest.mark.parametrize(
    ("kind", "commands"),
    [("svg", ["interval", "describe", "rank", "plan", "compare --all-pairs"]),
     ("png", ["compare --all-pairs"]), ("pdf", ["compare --all-pairs"])],
)  # fmt: skip
def test_names_of_strangers_are_text(
    confint: Confint, tmp_path: Path, kind: str, commands: list[str]
) -> None:
    scores = {name: {"$m_走": [0.1, 0.5, 0.2 + i / 50, 0.9]} for i, name in enumerate(HOSTILE)}
    path = write(tmp_path / "x.tsv", scores)
    figure = tmp_path / f"figure.{kind}"
    for command in commands:
        result = confint(*command.split(), path, "--plot", figure)
        assert result.status == 0, result.err
        assert "the figure's font lacks some letters of the names; □ stands for them" in result.err
        if kind == "svg":
            root = ET.parse(figure).getroot()  # well-formed
            assert not [tag for tag in root.iter() if str(tag.tag).endswith("}script")]


def test_long_names_keep_both_ends(drawn: Drawn, tmp_path: Path) -> None:
    names = ["x" * 60 + "1", "x" * 60 + "2"]
    path = write(tmp_path / "x.tsv", {name: {"m": [0.1, 0.5]} for name in names})
    figures, _ = drawn("interval", path)
    first, second = labels(figures)
    assert first != second
    assert len(first) < 35


def test_a_figure_that_cannot_be_meant_or_written_is_refused(
    confint: Confint, tmp_path: Path
) -> None:
    def refused(*args: object) -> str:
        result = confint("interval", *args)
        assert (result.status, result.out) == (2, "")
        return result.err

    assert "there is no kind of figure with this ending" in refused(TWO[0], "--plot", "x.gif")
    assert ".png, .svg or .pdf" in refused(TWO[0], "--plot", "-")
    copy = tmp_path / "input.png"
    copy.write_bytes(TWO[0].read_bytes())
    assert "--plot would overwrite an input" in refused(copy, "-m", "map", "--plot", copy)
    assert copy.read_bytes() == TWO[0].read_bytes()
    both = tmp_path / "both.png"
    call = [TWO[0], "-m", "map", "-f", "tsv", "-o", both, "--plot", both]
    assert "-o and --plot are the same file" in refused(*call)
    missing = tmp_path / "no" / "x.png"
    assert "cannot write" in refused(TWO[0], "--plot", missing)
    assert not list(tmp_path.glob(".confint-*"))


def test_no_figure_is_left_where_the_data_are_at_fault(confint: Confint, tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    assert confint("interval", tmp_path / "nothing.eval", "--plot", path).status == 1
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_a_message_says_how_to_get_it(
    confint: Confint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = confint("interval", TWO[0], "-m", "map", "--plot", tmp_path / "x.png")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "confint: --plot needs matplotlib, which is not installed\n"
        "  hint: pip install matplotlib, or with pipx: pipx inject confint-cli matplotlib\n"
    )


def test_matplotlib_is_imported_only_for_figures() -> None:
    code = (
        "import sys; from confint_cli.app.cli import run; "
        f"run(['interval', {str(TWO[0])!r}, '-m', 'map']); "
        "assert not [name for name in sys.modules if name.startswith('matplotlib')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_figure_for_a_paper_has_no_title(confint: Confint, drawn: Drawn) -> None:
    call = ["interval", *TWO, "-m", "map", "--method", "t,bca"]
    (figure,), _ = drawn(*call)
    (plain,), _ = drawn(*call, "--no-title")
    assert words(figure)
    assert words(plain) == ""
    assert plain.legends
    assert plain.get_figheight() < figure.get_figheight()
    result = confint(*call, "--no-title")
    assert (result.status, result.out) == (2, "")
    assert "--no-title is for figures: use it with --plot" in result.err


def test_a_mean_so_large_that_its_interval_is_a_point_has_an_axis(
    tmp_path: Path, confint: Confint
) -> None:
    plot = tmp_path / "plot.svg"
    result = confint("summary", "--mean", 2**64, "--sd", 0.5, "--n", 50, "--plot", plot)
    assert (result.status, result.err) == (0, "")
    assert plot.stat().st_size > 1000
