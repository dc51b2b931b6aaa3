"""Records with all that users read of a thing, found by the files of a folder.

A new command, format, method or test is one new file: nothing else has to name it.
"""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
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

    @property
    def limited_to(self) -> str:
        """What it is for, if not for everything."""
        return ""

    def full_text(self, name: str) -> str:
        """Return all there is to say about it."""
        parts = {"formula": self.formula, "for": self.limited_to, "reference": self.reference}
        head = [f"{name}: {self.summary}", "", *labelled(parts)]
        return "\n".join([*head, "", self.explanation, ""])


def modules_in(folders: Iterable[str], *, besides: Collection[str] = ()) -> list[str]:
    """Return the names of a package's modules in order, without those that they share, `besides`.

    As pkgutil.iter_modules does, in a tenth of its time; it would double that of `--help`.
    """
    shared = {"__init__", *besides}
    files = [name for folder in folders for name in os.listdir(folder) if name.endswith(".py")]
    return sorted({name.removesuffix(".py") for name in files} - shared)


def records_in(
    package: str, folders: Iterable[str], attribute: str, *, besides: Collection[str] = ()
) -> dict[str, Any]:
    """Return the record that each module of a package has under a name, such as FORMAT, by module.

    Modules that they share, `besides`, have none.
    """
    return {
        module: getattr(import_module(f"{package}.{module}"), attribute)
        for module in modules_in(folders, besides=besides)
    }
