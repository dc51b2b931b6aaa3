"""What all tests of figures share: the program, and what it draws."""

import json
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from confint_cli.outputs.figures import saving
from tests.conftest import Confint
from tests.outputs.figures.reading import Drawn, Row, no_two_overlap


@pytest.fixture
def drawn(confint: Confint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """What a call draws, and the rows of its table in full precision."""
    figures: list[Figure] = []
    draw = saving.drawn

    def keep(*args: Any) -> Figure:
        figures.append(draw(*args))
        return figures[-1]

    # Patched: a file of pixels does not tell the values that were drawn.
    monkeypatch.setattr(saving, "drawn", keep)

    def call(*args: object, kind: str = "png") -> tuple[list[Figure], list[Row]]:
        figures.clear()
        result = confint(*args, "--plot", tmp_path / f"figure.{kind}", "-f", "json")
        assert result.status == 0, result.err
        for figure in figures:
            no_two_overlap(figure)
        return list(figures), json.loads(result.out)["rows"]

    return call
