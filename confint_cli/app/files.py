"""Files of a call: FILES as commands take them, and results as they are written.

A folder among FILES stands for the files in it. Results go to standard output as bytes; a file of
results is complete, or it is not there.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from confint_cli.common import system
from confint_cli.common.errors import CallError, DataError, Notice, note
from confint_cli.common.text import count, digest, listed, natural_key, quoted, visible

_STDIN = "-"  # as in `inputs`, which completion, a user of this module, has no time to import
_LONGEST_NAME = 120  # characters of a file's name, before it is cut
_unfinished: set[Path] = set()  # temporary files that exist, or are about to


def with_files_of_folders(
    context: click.Context, _argument: click.Parameter, paths: tuple[str, ...]
) -> tuple[str, ...]:
    """Return FILES with each folder replaced by the files in it.

    It is done when the call is parsed, so that whatever looks at FILES later sees the same list.
    """
    if context.resilient_parsing:  # a shell asks what Tab is to offer
        return paths
    return tuple(file for path in paths for file in files_of(path))


def files_of(path: str) -> list[str]:
    """Return the path itself or, if it is a folder, the paths of the files in it."""
    return _files_in(path) if path != _STDIN and os.path.isdir(path) else [path]


def _files_in(folder: str) -> list[str]:
    """Return the paths of the files in a folder, sorted by name, without those of its folders.

    Hidden files are left out, and so are pipes and devices, as these may never end. A link that
    leads nowhere is not left out, so that a missing run does not go unnoticed. Raise
    DataError for a folder that cannot be read or holds no files.
    """
    try:
        names = [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError as error:
        raise DataError(folder, f"cannot be read ({error.strerror})") from None
    paths = [os.path.join(folder, name) for name in sorted(names, key=natural_key)]
    files = [path for path in paths if os.path.isfile(path) or _leads_nowhere(path)]
    if not files:
        raise DataError(folder, "holds no files", _hint([*filter(os.path.isdir, paths)]))
    return files


def _leads_nowhere(path: str) -> bool:
    return os.path.islink(path) and not os.path.exists(path)


def _hint(folders: list[str]) -> str:
    """Return the hint to give the `folders` in a folder without files; empty if it has none."""
    if not folders:
        return ""
    first, outer = (visible(os.path.join(folder, "*")) for folder in
                    (folders[0], os.path.dirname(folders[0])))  # fmt: skip
    number = count(len(folders), "folder")
    return f"it holds {number}: give the files in them, such as {first} or {outer}/*"


class OutputFile:
    """A file that appears under its name only when it is complete."""

    def __init__(self, path: str, *, follow: bool = True) -> None:
        """Prepare to write to a path; raise CallError if that is not possible.

        With `follow`, for a path that the user names, a link is followed, and a device or pipe
        written to. Without, for a name that the program chose, they are replaced: a link there
        may lead anywhere.
        """
        self.path = path
        self.temporary: Path | None = None
        if os.path.isdir(path) and (follow or not os.path.islink(path)):
            raise CallError(f"cannot write {quoted(path)}: it is a folder")
        if follow and is_device(path):
            return  # it is written to directly, and nothing is replaced
        self.target = Path(real_path(path) if follow else path)
        try:
            self.mode = _mode_of(self.target, follow=follow)
            self.temporary = _new_file_beside(self.target)
        except OSError as error:
            raise CallError(f"cannot write {quoted(path)}: {error.strerror}") from None

    def write(self, content: str | bytes) -> None:
        """Write the whole content to the temporary file, or to the device or pipe itself."""
        try:
            with open(self.temporary or self.path, "wb" if self.temporary else "ab") as out:
                out.write(_as_bytes(content))
                if self.temporary:
                    out.flush()
                    os.fsync(out.fileno())
        except BrokenPipeError:  # a named pipe: its reader has seen enough
            raise
        except OSError as error:
            raise DataError(self.path, f"cannot be written ({error.strerror})") from None

    def commit(self) -> None:
        """Give the file its name, and the mode of the one it replaces or of any new file."""
        if self.temporary:
            mask = os.umask(0)
            os.umask(mask)
            try:
                self.temporary.chmod(0o666 & ~mask if self.mode is None else self.mode)
                self.temporary.replace(self.target)
            except OSError as error:
                raise CallError(f"cannot write {quoted(self.path)}: {error.strerror}") from None
            _unfinished.discard(self.temporary)
            self.temporary = None

    def discard(self) -> None:
        """Remove the temporary file, if it is not committed."""
        if self.temporary:
            _remove(self.temporary)


def real_path(path: str) -> str:
    """Return the absolute path of an output, with links followed.

    Raise CallError for a relative path if the working folder is gone.
    """
    try:
        return os.path.realpath(path)
    except OSError as error:  # a relative path, and the working folder is deleted
        raise CallError(
            f"cannot write {quoted(path)}: {error.strerror}", "has the working folder been deleted?"
        ) from None


def _mode_of(target: Path, *, follow: bool) -> int | None:
    """Return the permissions of a file that is to be replaced; None if no such file exists.

    Raise PermissionError if it may not be written to: a rename would replace it all the same.
    """
    try:
        mode = target.stat(follow_symlinks=follow).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):  # a link or a pipe, in the place of a file that we name
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return stat.S_IMODE(mode)


def _new_file_beside(target: Path) -> Path:
    """Make an empty file in the folder of `target`, which only its owner can read; return it."""
    path = target.with_name(f".confint-{os.urandom(8).hex()}")
    _unfinished.add(path)  # before it is there: a signal may come at any time
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def discard_unfinished() -> None:
    """Remove all temporary files that still exist, wherever a signal interrupted the work."""
    for path in list(_unfinished):
        _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):  # its folder may be gone
        path.unlink()
    _unfinished.discard(path)


def is_device(path: str) -> bool:
    """Say whether a path leads to a device or a pipe; all in /dev count as such."""
    if os.path.isdir(path) or not os.path.exists(path):
        return False
    return path.startswith("/dev/") or not os.path.isfile(path)


def is_stdout(path: str | None) -> bool:
    """Say whether -o leads to standard output: it was not given, or is `-`."""
    return path is None or path == "-"


@contextmanager
def destination(path: str | None) -> Iterator[Callable[[str | bytes], None]]:
    """Yield a function that writes a text, or bytes, to a path or to standard output.

    A file is opened before the work starts, and gets its name if work and writing succeed.
    """
    if path is None or is_stdout(path):
        check_stdout()
        yield _write_stdout
        return
    out = OutputFile(path)
    try:
        yield out.write
        out.commit()
    finally:
        out.discard()


def check_stdout() -> None:
    """Raise DataError if standard output is closed."""
    if sys.stdout is None:
        raise DataError("", "standard output is closed")


def is_terminal() -> bool:
    """Say whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def _write_stdout(content: str | bytes) -> None:
    """Write the whole content, even if standard output takes only a part of it at a time.

    A stream without a buffer (PYTHONUNBUFFERED) does so on a disk that gets full, and so does a
    pipe that its owner has set not to block.
    """
    sys.stdout.flush()
    stream = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
    rest = memoryview(_as_bytes(content))
    while rest:
        written = stream.write(rest)
        if written is None:  # would block
            import select

            select.select([], [stream], [])
        else:
            rest = rest[written:]


def _as_bytes(content: str | bytes) -> bytes:
    """Return a text in UTF-8 whatever the locale: the same bytes everywhere."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def write_folder(folder: str, files: Mapping[str, str]) -> list[Notice]:
    """Write `files`, texts by name, into a folder: all of them, or none.

    All are complete before the first gets its name; only what no program can prevent, such as a
    power cut, may happen between the renames. Return a note if the folder holds other files too.
    """
    new_folders = [
        path for path in (Path(folder), *Path(folder).parents) if not os.path.exists(path)
    ]
    outs: list[OutputFile] = []
    try:
        _make_folder(folder)
        for name, text in files.items():
            outs.append(OutputFile(os.path.join(folder, name), follow=False))
            outs[-1].write(text)
        with system.deferred():
            for out in outs:
                out.commit()
    except BaseException:
        for out in outs:
            out.discard()
        for path in new_folders:
            with suppress(OSError):  # not empty, or never made
                path.rmdir()
        raise
    others = sorted(set(os.listdir(folder)) - set(files))
    if not others:
        return []
    return [note(f"{visible(folder)} holds other files too: {listed(others, 3)}")]


def _make_folder(folder: str) -> None:
    real_path(folder)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallError(f"cannot make the folder {quoted(folder)}: {error.strerror}") from None


def safe_file_names(names: Iterable[str], suffix: str) -> list[str]:
    """Return a file's name for each of `names`, all different even where case does not count."""
    file_names: list[str] = []
    taken: set[str] = set()
    for name in names:
        safe = safe_file_name(name, suffix)
        while safe.casefold() in taken:
            safe = safe_file_name(f"{safe.removesuffix(suffix)}-{digest(name)[:12]}", suffix)
        taken.add(safe.casefold())
        file_names.append(safe)
    return file_names


def safe_file_name(name: str, suffix: str) -> str:
    """Return a file's name for any text: no path, short, and different for different texts.

    Whatever is not a plain letter, digit or one of `._+=@,-` is written as %XX, and so are a
    leading dot or hyphen; a long name is cut and ends in a digest of the whole.
    """
    safe = re.sub(
        rb"[^A-Za-z0-9._+=@,-]",
        lambda match: b"%%%02X" % match[0][0],
        name.encode("utf-8", "replace"),
    ).decode()
    if safe[:1] in (".", "-"):
        safe = f"%{ord(safe[0]):02X}{safe[1:]}"
    if not safe or len(safe) > _LONGEST_NAME:
        safe = f"{safe[:_LONGEST_NAME] or 'run'}-{digest(name)[:12]}"
    return safe + suffix
