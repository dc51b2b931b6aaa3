"""FILES as commands take them: a folder among them stands for the files in it."""

import os

import click

from confint_cli.errors import DataError
from confint_cli.text import count, natural_key, visible

_STDIN = "-"  # what inputs call so; to import these takes long, and completion comes by here


def with_files_of_folders(
    context: click.Context, _argument: click.Parameter, paths: tuple[str, ...]
) -> tuple[str, ...]:
    """Return FILES with those of each folder in its place.

    It is done where the call is read, so that whatever looks at FILES later sees the same list.
    """
    if context.resilient_parsing:  # a shell asks what Tab is to offer
        return paths
    return tuple(file for path in paths for file in files_of(path))


def files_of(path: str) -> list[str]:
    """Return the files that a word of the call stands for: itself, or those of a folder."""
    return _files_in(path) if path != _STDIN and os.path.isdir(path) else [path]


def _files_in(folder: str) -> list[str]:
    """Return the files of a folder by name; not hidden ones, not those of folders in it.

    Pipes and devices are none, as these need not end. A link that leads nowhere is one, so that
    the run that is missing does not go unnoticed.
    """
    try:
        shown = [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError as error:
        raise DataError(folder, f"cannot be read ({error.strerror})") from None
    paths = [os.path.join(folder, name) for name in sorted(shown, key=natural_key)]
    files = [path for path in paths if os.path.isfile(path) or _leads_nowhere(path)]
    if not files:
        raise DataError(folder, "holds no files", _hint([*filter(os.path.isdir, paths)]))
    return files


def _leads_nowhere(path: str) -> bool:
    return os.path.islink(path) and not os.path.exists(path)


def _hint(folders: list[str]) -> str:
    """Return what to give instead of a folder that has nothing but folders."""
    if not folders:
        return ""
    first = visible(os.path.join(folders[0], ""))
    return f"it holds {count(len(folders), 'folder')}: give these, such as {first}"
