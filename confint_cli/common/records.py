"""Records with the explanations that users read, found by the files of a folder.

A new command, format, method or test is one new file: nothing else has to name it.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from confint_cli.common.text import labelled


@dataclass(frozen=True)
class Explained:
    """What users read of a method or test, in one record that stands beside its code."""

    summary: str  # in one line
    formula: str
    explanation: str
    reference: str

    @property
    def limited_to(self) -> str:
        """What it is for; empty: for everything."""
        return ""

    def full_text(self, name: str) -> str:
        """Return the whole record as a text for people, under this `name`."""
        texts = {"formula": self.formula, "for": self.limited_to, "reference": self.reference}
        head = [f"{name}: {self.summary}", "", *labelled(texts)]
        return "\n".join([*head, "", self.explanation, ""])


def modules_in(folders: Iterable[str], *, besides: str = "") -> list[str]:
    """Return the names of the modules in a package's folders, sorted, without the one `besides`.

    pkgutil.iter_modules takes ten times as long, and would double the time of `--help`.
    """
    return sorted(
        name.removesuffix(".py")
        for folder in folders
        for name in os.listdir(folder)
        if name.endswith(".py") and name not in ("__init__.py", f"{besides}.py")
    )


def records_in(
    package: str, folders: Iterable[str], attribute: str, *, besides: str = ""
) -> dict[str, Any]:
    """Return the `attribute` of each module in a package, such as its FORMAT, by module."""
    return {
        module: getattr(import_module(f"{package}.{module}"), attribute)
        for module in modules_in(folders, besides=besides)
    }
