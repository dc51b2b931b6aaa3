"""What has a name that users type or see, with all that there is to say about it."""

from dataclasses import dataclass

from confint_cli.text import labelled


@dataclass(frozen=True)
class Explained:
    """The explanation that a user reads stands beside the code that it explains, in one record."""

    summary: str  # in one line
    formula: str
    explanation: str
    reference: str

    @property
    def limited_to(self) -> str:
        """What it is for, if not for everything."""
        return ""

    def full_text(self, name: str) -> str:
        """Return all there is to say about it."""
        parts = {"formula": self.formula, "for": self.limited_to, "reference": self.reference}
        head = [f"{name}: {self.summary}", "", *labelled(parts)]
        return "\n".join([*head, "", self.explanation, ""])
