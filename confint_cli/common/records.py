"""Records with the explanations that users read, found by the files of a folder.

A new command, format, method or test is one new file: nothing else has to name it.
"""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
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
    domain: str = field(default="", kw_only=True)  # which scores it is for; empty: all
    style: int | None = field(default=None, kw_only=True)
    """The number of its colour and marker in figures, which no other has; None: any free one."""

    def full_text(self, name: str) -> str:
        """Return the whole record as a text for people, under this `name`."""
        limited_to = f"{self.domain} only" if self.domain else ""
        texts = {"formula": self.formula, "for": limited_to, "reference": self.reference}
        head = [f"{name}: {self.summary}", "", *labelled(texts)]
        return "\n".join([*head, "", self.explanation, ""])


def modules_in(folders: Iterable[str], *, besides: Collection[str] = ()) -> list[str]:
    """Return the names of the modules in a package's folders, sorted, without those `besides`.

    pkgutil.iter_modules takes ten times as long, and would double the time of `--help`.
    """
    shared = {"__init__", *besides}
    files = [name for folder in folders for name in os.listdir(folder) if name.endswith(".py")]
    return sorted({name.removesuffix(".py") for name in files} - shared)


def records_in(
    package: str, folders: Iterable[str], attribute: str, *, besides: Collection[str] = ()
) -> dict[str, Any]:
    """Return the `attribute` of each module in a package, such as its FORMAT, by module.

    Modules that others share are named in `besides`, and need no such attribute.
    """
    return {
        module: getattr(import_module(f"{package}.{module}"), attribute)
        for module in modules_in(folders, besides=besides)
    }
