"""Records with all that users read of a thing, found by the files of a folder.

A new command, format, method or test is one new file: nothing else has to name it.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from confint_cli.common.text import labelled


@dataclass(frozen=True)
class Explained:
    """The explanation that a user reads stands beside the code that it explains, in one record."""

    summary: str  # in one line
    formula: str
    explanation: str
    reference: str
    domain: str = field(default="", kw_only=True)  # which scores it is for; empty: all

    def full_text(self, name: str) -> str:
        """Return all there is to say about it."""
        limited_to = f"{self.domain} only" if self.domain else ""
        parts = {"formula": self.formula, "for": limited_to, "reference": self.reference}
        head = [f"{name}: {self.summary}", "", *labelled(parts)]
        return "\n".join([*head, "", self.explanation, ""])


def modules_in(folders: Iterable[str], *, besides: str = "") -> list[str]:
    """Return the names of a package's modules, `besides` the one that says what they have.

    As pkgutil.iter_modules does, in a tenth of its time; it would double that of `--help`.
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
    """Return what each module of a package calls by a name, such as its FORMAT, by module."""
    return {
        module: getattr(import_module(f"{package}.{module}"), attribute)
        for module in modules_in(folders, besides=besides)
    }
