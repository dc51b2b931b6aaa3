"""Getting results out: to standard output as bytes, or into files whole or not at all."""

import hashlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from confint_cli.errors import CallError, DataError, Notice, note
from confint_cli.text import listed, quoted, visible

_LONGEST_NAME = 120


class OutputFile:
    """A file that appears under its name only when it is complete."""

    def __init__(self, path: str, *, follow: bool = True) -> None:
        """Prepare to write to a path.

        A link, device or pipe that the user names is what is meant (`follow`); one that lies under
        the name of a file that the program chose is replaced: it may lead anywhere.
        """
        self.path = path
        self.temporary: Path | None = None
        if os.path.isdir(path) and (follow or not os.path.islink(path)):
            raise CallError(f"cannot write {quoted(path)}: it is a directory")
        if follow and is_device(path):
            return  # nothing to be replaced
        import tempfile

        self.target = Path(os.path.realpath(path) if follow else path)
        try:
            self.mode = _mode(self.target)
            handle, name = tempfile.mkstemp(prefix=".confint-", dir=self.target.parent)
        except OSError as error:
            raise CallError(f"cannot write {quoted(path)}: {error.strerror}") from None
        os.close(handle)
        self.temporary = Path(name)

    def write(self, content: str | bytes) -> None:
        """Write the whole content, not yet under its name."""
        try:
            with open(self.temporary or self.path, "wb" if self.temporary else "ab") as out:
                out.write(_as_bytes(content))
                if self.temporary:
                    out.flush()
                    os.fsync(out.fileno())
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
            self.temporary = None

    def discard(self) -> None:
        """Leave nothing behind, unless it is committed."""
        if self.temporary:
            self.temporary.unlink(missing_ok=True)


def _mode(path: Path) -> int | None:
    """Return the mode of a file that is there, to be that of the one that replaces it."""
    try:
        found = path.lstat().st_mode
    except FileNotFoundError:
        return None
    return stat.S_IMODE(found) if stat.S_ISREG(found) else None


def is_device(path: str) -> bool:
    """Say whether a path leads to a device or a pipe, whatever is behind it."""
    if os.path.isdir(path) or not os.path.exists(path):
        return False
    return path.startswith("/dev/") or not os.path.isfile(path)


def is_stdout(path: str | None) -> bool:
    """Say whether -o leads to standard output: it was not given, or is `-`."""
    return path is None or path == "-"


@contextmanager
def destination(path: str | None) -> Iterator[Callable[[str | bytes], None]]:
    """Yield what writes a text, or a figure, to where a path leads.

    A file is opened before the work starts, and gets its name if work and writing succeed.
    """
    if path is None or is_stdout(path):
        yield _write_stdout
        return
    out = OutputFile(path)
    try:
        yield out.write
        out.commit()
    finally:
        out.discard()


def _write_stdout(content: str | bytes) -> None:
    sys.stdout.buffer.write(_as_bytes(content))
    sys.stdout.flush()


def _as_bytes(content: str | bytes) -> bytes:
    """Return a text in UTF-8 whatever the locale: the same bytes everywhere."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")


def write_folder(folder: str, files: Mapping[str, str]) -> list[Notice]:
    """Write files of the given names into a folder: all of them, or none."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallError(f"cannot make the folder {quoted(folder)}: {error.strerror}") from None
    outs: list[OutputFile] = []
    try:
        for name, text in files.items():
            outs.append(OutputFile(os.path.join(folder, name), follow=False))
            outs[-1].write(text)
        for out in outs:
            out.commit()
    finally:
        for out in outs:
            out.discard()
    others = sorted(set(os.listdir(folder)) - set(files))
    if not others:
        return []
    return [note(f"{visible(folder)} holds other files too: {listed(others, 3)}")]


def safe_file_names(names: Iterable[str], suffix: str) -> list[str]:
    """Return a file's name for each of some texts, different even where case is not told apart."""
    result: list[str] = []
    taken: set[str] = set()
    for name in names:
        safe = safe_file_name(name, suffix)
        while safe.casefold() in taken:
            safe = safe_file_name(f"{safe.removesuffix(suffix)}-{_digest(name)}", suffix)
        taken.add(safe.casefold())
        result.append(safe)
    return result


def safe_file_name(name: str, suffix: str) -> str:
    """Return a file's name for a stranger's text: inside its folder, short, and no two alike.

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
        safe = f"{safe[:_LONGEST_NAME] or 'run'}-{_digest(name)}"
    return safe + suffix


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:12]
