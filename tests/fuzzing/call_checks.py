"""What is checked of every call, whatever it is."""

import csv
import io
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from confint_cli.app.cli import cli
from confint_cli.app.conduct import FAILED
from confint_cli.app.options import PAPER
from confint_cli.common.text import visible
from confint_cli.outputs import formats, offered
from tests.fuzzing.call_inputs import inputs
from tests.fuzzing.forked import Call, Ended
from tests.fuzzing.targets import check_messages

STATUSES = (0, 1, 2, FAILED, 130, 141)
TAB = "_CONFINT_COMPLETE"  # is set by a shell whose user has pressed Tab
Files = dict[str, bytes]
"""What is in a folder, by path; the paths of folders in it end in a slash."""

_FORMATS = {ending: name for name in offered() for ending in formats()[name].endings}
_FIGURES = {".png": (b"\x89PNG\r\n\x1a\n",), ".pdf": (b"%PDF-",), ".svg": (b"<?xml", b"<svg")}
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Fault(Exception):  # noqa: N818
    """What is wrong with a call: in a few words that faults of one kind share, and in full."""


@dataclass(frozen=True)
class Asked:
    """What a call asks for, as click reads it."""

    values: dict[str, Any]  # of options and arguments, by their names
    command: str
    is_help: bool

    def path(self, option: str) -> str:
        """Return the path of an output as it stands in the folder; none is empty."""
        value = self.values.get(option)
        return os.path.normpath(value) if isinstance(value, str) and value not in ("", "-") else ""

    @property
    def side_files(self) -> list[str]:
        """The files beside the result: the figure, and factors."""
        return [path for option in ("plot", "save_factors") if (path := self.path(option))]


def asked(call: Call) -> Asked | None:
    """Return what a call asks for, or None if it cannot be read, or is of no command."""
    context = click.Context(cli, **cli.context_settings)
    command = cli.get_command(context, call.args[0]) if call.args else None
    if command is None:
        return None
    own = click.Context(command, parent=context, info_name=call.args[0], **command.context_settings)
    try:
        values, _, _ = command.make_parser(own).parse_args(call.args[1:])
    except click.UsageError:
        return None
    asking = command.get_help_option(own)
    return Asked(values, call.args[0], asking is not None and asking.name in values)


def files_in(folder: Path) -> Files:
    """Return all files and folders in a folder."""
    found = {}
    for place, folders, names in os.walk(folder):
        where = os.path.relpath(place, folder)
        for name in folders:
            found[os.path.normpath(os.path.join(where, name)) + "/"] = b""
        for name in names:
            found[os.path.normpath(os.path.join(where, name))] = Path(place, name).read_bytes()
    return found


def check(call: Call, ended: Ended, before: Files, after: Files) -> None:
    """Raise a fault if a call does not keep what is promised of all calls."""
    messages = ended.err.decode("utf-8", "backslashreplace")
    if ended.hangs:
        raise Fault("no end, or a process that lives on", messages)
    if "Traceback" in messages:
        raise Fault("a traceback", messages)
    if ended.status not in STATUSES:
        raise Fault(f"exit status {ended.status}", messages)
    try:
        lines, hints = check_messages(messages)
    except AssertionError as error:
        raise Fault(*str(error).split(": ", 1)) from None
    changed = {path: data for path, data in after.items() if before.get(path) != data}
    _require(not before.keys() - after.keys(), "a file is gone", before.keys() - after.keys())
    if TAB in call.environment:
        _check_answers(ended, changed)
        return
    request = asked(call)
    keeps_going = request is not None and bool(request.values.get("keep_going"))
    if ended.status == 0:
        _require(not hints, "a hint though nothing is wrong", messages)
        _check_result(call, request, ended.out, changed)
    elif ended.status == FAILED:  # the result is there, and does not pass its gate
        gated = request is not None and bool(request.values.get("fail_if"))
        _require(gated and not hints, "it fails though no gate was asked for", messages)
        _check_result(call, request, ended.out, changed)
    elif not call.args:
        _require(ended.out != b"", "no help", "")
    elif ended.status == 1 and keeps_going and (ended.out or changed):
        assert request is not None
        _check_result(call, request, ended.out, changed)
    else:
        _require(not ended.out, "a result in spite of an error", ended.out)
        _require(bool(lines), "no word about what is wrong", "")
        _require(keeps_going or len(hints) <= 1, "more than one hint", messages)
        # A figure, and factors, are whole where the table that comes after them cannot be written.
        full = request is not None and request.path("output") == "/dev/full" and ended.status == 1
        allowed = request.side_files if request is not None and full else []
        strange = changed.keys() - {*allowed}
        _require(not strange, "a file in spite of an error", strange)


def _check_answers(ended: Ended, changed: Files) -> None:
    """Check what a shell gets that asks what to offer on Tab: a line for each answer, or none."""
    _require(ended.status == 0 and not ended.err, "no answer to Tab", ended)
    _require(not changed, "a file that nobody asked for", changed.keys())
    fields = [line.split("\t") for line in ended.out.decode().split("\n") if line]
    proper = [len(one) == 3 and one[0] in ("plain", "file", "dir") for one in fields]
    _require(all(proper), "no proper answer to Tab", ended.out)


def _require(holds: bool, what: str, details: object) -> None:
    if not holds:
        raise Fault(what, f"{details!r:.2000}")


def _check_result(call: Call, request: Asked | None, out: bytes, changed: Files) -> None:
    """Check that the result is where it was asked for, complete, and that nothing else is."""
    if request is None or request.is_help:
        _require(not changed, "a file that nobody asked for", changed.keys())
        _check_text(out, "text", bool(call.width))
        return
    output = request.path("output")
    in_folder = f"{output}/"
    wanted = {*request.side_files, output}
    if any(path.startswith(in_folder) for path in {**changed, **inputs()}):
        wanted |= {path for path in changed if path.startswith(in_folder)}
        wanted |= {path for path in changed if path.endswith("/") and in_folder.startswith(path)}
    strange = changed.keys() - wanted
    _require(not strange, "a file that nobody asked for", strange)
    read = {os.path.normpath(word) for word in _words_in(request) if word}
    over = read & changed.keys() & inputs().keys()
    _require(not over, "an input is overwritten", over)
    for path in request.side_files:
        kinds = _FIGURES.get(os.path.splitext(path)[1].lower(), (b"",))
        _require(changed.get(path, b"").startswith(kinds), "no proper figure", path)
    if not output:
        _check_text(out, _format(request, "table" if call.width else "tsv"), bool(call.width))
        return
    _require(not out, "a result on standard output too", out)
    default = _FORMATS.get(os.path.splitext(output)[1].lower(), "text")
    if output in changed:
        _check_text(changed[output], _format(request, default), terminal=False)
    else:
        there = output.startswith("/dev/") or any(path.startswith(in_folder) for path in changed)
        _require(there or _may_be_the_same(output), "no result", output)


def _may_be_the_same(output: str) -> bool:
    """Say whether files of a folder may be what they were before: written twice, they are."""
    return f"{output}/" in {f"{os.path.dirname(path)}/" for path in inputs()}


def _words_in(request: Asked) -> list[str]:
    """Return all words of a call but those that say where results go."""
    words: list[str] = []
    for name, value in request.values.items():
        if name not in ("output", "plot", "save_factors", "title", "measure_name"):
            words += [value] if isinstance(value, str) else value if _is_list(value) else []
    return [word for word in words if isinstance(word, str)]


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _format(request: Asked, default: str) -> str:
    """Return the format of the result."""
    if request.command in ("report", "completion") or request.values.get("layout") == "trec_eval":
        return "text"
    if isinstance(request.values.get("name"), str):  # what explains one thing
        return "text"
    if request.values.get("layout") == PAPER and default == "tsv" and not request.path("output"):
        default = "table"
    return str(request.values.get("output_format") or default)


def _check_text(data: bytes, kind: str, terminal: bool) -> None:
    """Check that a result is of its format as a whole."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Fault("a result that is no UTF-8", str(error)) from None
    _require(text.strip() != "", "an empty result", "")
    _require("Traceback (most" not in text, "a traceback in the result", text)
    if terminal:
        text = _COLOURS.sub("", text).replace("\r\n", "\n")
    _require(text.endswith("\n"), "a result without its last line end", text[-200:])
    if kind in ("table", "text") and not text.startswith("<!DOCTYPE"):
        odd = [line for line in text.split("\n") if visible(line.replace("\t", " "))
               != line.replace("\t", " ")]  # fmt: skip
        _require(not odd, "what a terminal might obey", odd)
    elif kind in _READERS:
        try:
            _READERS[kind](text)
        except ValueError as error:
            raise Fault(f"no proper {kind}", f"{error}: {text!r:.2000}") from None


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _check_json(text: str) -> None:
    json.loads(text, parse_constant=_no_number)


def _check_json_lines(text: str) -> None:
    for line in text.removesuffix("\n").split("\n"):
        if not isinstance(json.loads(line, parse_constant=_no_number), dict):
            raise ValueError(f"no object: {line}")


def _check_rows(rows: list[list[str]]) -> None:
    while rows and rows[0] and rows[0][0].startswith("# "):  # the signature
        rows = rows[1:]
    if not rows or len({len(row) for row in rows}) > 1 or not all(rows[0]):
        raise ValueError("lines differ in their number of fields, or there is no header")


def _check_tsv(text: str) -> None:
    _check_rows([line.split("\t") for line in text.removesuffix("\n").split("\n")])


def _check_csv(text: str) -> None:
    comments = text.startswith("# ")
    lines = text.split("\n", 1)[1] if comments else text
    _check_rows([*csv.reader(io.StringIO(lines, newline=""), strict=True)])


_READERS: dict[str, Callable[[str], None]] = {
    "tsv": _check_tsv,
    "csv": _check_csv,
    "json": _check_json,
    "jsonl": _check_json_lines,
}
