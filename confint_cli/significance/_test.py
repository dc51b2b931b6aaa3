"""What a test of significance is."""

from collections.abc import Callable
from dataclasses import dataclass

from confint_cli.arrays import FloatArray
from confint_cli.pairs import Drawing, Paired
from confint_cli.progress import Progress
from confint_cli.text import labelled


@dataclass(frozen=True)
class SignificanceTest:
    """A two-sided test, with all that `confint tests NAME` shows of it."""

    summary: str
    formula: str
    explanation: str
    reference: str
    words: str  # how a sentence calls it
    p: Callable[[Paired, Drawing, Progress], FloatArray]  # → of each pair
    least: Callable[[int, int], float] = lambda _topics, _number: 0.0  # p of topics and draws
    draws: bool = False  # whether it needs random numbers
    simultaneous: bool = False  # whether its p-values hold for all pairs of runs at once

    def full_text(self, name: str) -> str:
        """Return all there is to say about it."""
        parts = {"formula": self.formula, "reference": self.reference}
        head = [f"{name}: {self.summary}", "", *labelled(parts)]
        return "\n".join([*head, "", self.explanation, ""])
