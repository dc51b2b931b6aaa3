"""Finding what is there by the files of a folder: a new command or format is one new file."""

import os
from collections.abc import Iterable


def modules_in(folders: Iterable[str]) -> list[str]:
    """Return the names of a package's modules, but for those that begin with an underscore.

    As pkgutil.iter_modules does, in a tenth of its time; it would double that of `--help`.
    """
    return sorted(
        name.removesuffix(".py")
        for folder in folders
        for name in os.listdir(folder)
        if name.endswith(".py") and not name.startswith("_")
    )
