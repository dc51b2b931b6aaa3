"""Labels of files: which run of which collection a path is, by patterns of paths.

A pattern such as `{collection}/{run}.run` has to fit the end of a path. `{run}`, `{collection}` and
`{repeat}` stand for one character or more, `{}` for any number of them, and none of them for a `/`.
If a path fits in two ways, the way whose judgements exist counts; without judgements, an error
shows both. Patterns of the same kind give the groups of topics: `{group}_{}`.
"""

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from confint_cli.common.errors import CallError, DataError
from confint_cli.common.text import listed, nearest, quoted, visible_name
from confint_cli.inputs.source import STDIN

NONE = "none"
"""What `--labels` says if columns of tables are not to be read as labels."""

RUN, COLLECTION, REPEAT, GROUP = "run", "collection", "repeat", "group"
KNOWN = (RUN, COLLECTION, REPEAT)
IN_JUDGEMENTS = f"{{{COLLECTION}}}"
"""What stands for the name of a collection in the path of its judgements."""

MACRO, META = "macro", "meta"
RESERVED = (MACRO, META)
"""Names in results that stand for all collections together."""

_FIELD = re.compile(r"\{([^{}]*)\}")
_KNOWN_FIELD = re.compile(rf"\{{({'|'.join([*KNOWN, GROUP, ''])})\}}")
_MOST_WAYS = 50  # to match a path that are looked at; nobody's file has as many
_SHOWN_WAYS = 2
_PACKED = ".gz"


@dataclass(frozen=True)
class Label:
    """What a path says of its file; None: it says nothing."""

    run: str | None = None
    collection: str | None = None
    repeat: str | None = None

    @property
    def in_words(self) -> str:
        """`'bm25' of 'news'`, `'dense', repeat '1'`: for a message."""
        words = quoted(self.run or "")
        if self.repeat is not None:
            words += f", repeat {quoted(self.repeat)}"
        return words if self.collection is None else f"{words} of {quoted(self.collection)}"


@dataclass(frozen=True)
class Pattern:
    """A pattern, as its texts and the fields between them."""

    text: str
    parts: tuple[tuple[str, str], ...]  # each a field's name and the text behind it
    begin: str  # the text before the first field

    @classmethod
    def of(
        cls, text: str, option: str = "--labels", known: Sequence[str] = KNOWN
    ) -> "Pattern":  # fmt: skip
        """Return the pattern in a text; raise CallError for one that means nothing.

        It is that of an `option`, and may have the `known` fields.
        """
        begin, *others = _FIELD.split(text)
        names, texts = others[::2], others[1::2]
        for name in names:
            if name and name not in known:
                raise CallError(
                    f"{option} {quoted(text)} has {{{name}}}, which is unknown",
                    _meant(name, known),
                )
            if name and names.count(name) > 1:
                raise CallError(f"{option} {quoted(text)} has {{{name}}} twice")
        if not any(names):
            fields = ", ".join(f"{{{name}}}" for name in known)
            lacks = "none of" if len(known) > 1 else "no"
            example = "'{collection}/{run}.run'" if RUN in known else "'{group}_{}'"
            raise CallError(
                f"{option} {quoted(text)} has {lacks} {fields}", f"for example {option} {example}"
            )
        if any("{" in part or "}" in part for part in (begin, *texts)):
            raise CallError(f"{option} {quoted(text)} has an unmatched brace")
        return cls(text, tuple(zip(names, texts, strict=True)), begin)

    @property
    def names(self) -> set[str]:
        """The fields that it has."""
        return {name for name, _ in self.parts if name}

    def labels(self, path: str) -> list[Label]:
        """Return all labels that the end of a path may have by it; none, if it does not match."""
        folders = os.path.abspath(path).split(os.sep)
        return self.labels_of_all("/".join(folders[-1 - self.text.count("/") :]))

    def labels_of_all(self, path: str) -> list[Label]:
        """Return all labels that a path may have if the pattern has to match all of it.

        An ending `.gz` need not be in the pattern.
        """
        text = path if self.text.endswith(_PACKED) else path.removesuffix(_PACKED)
        ways = self.ways(text)
        return [
            *dict.fromkeys(
                Label(way.get(RUN), way.get(COLLECTION), way.get(REPEAT)) for way in ways
            )
        ]

    def files(self) -> list[str]:
        """Return the files whose whole paths the pattern matches, sorted by path.

        An ending `.gz` need not be in the pattern.
        """
        wild = "*".join(map(glob.escape, [self.begin, *(text for _, text in self.parts)]))
        found = {*glob.glob(wild), *glob.glob(wild + _PACKED)}  # in which a field may be empty
        return sorted(path for path in found if self.labels_of_all(path))

    def ways(self, text: str) -> list[dict[str, str]]:
        """Return the values of the fields for each way to match a text; none if it does not."""
        if not text.startswith(self.begin):
            return []
        return [*islice(self._ways(text[len(self.begin) :], 0), _MOST_WAYS)]

    def _ways(self, text: str, place: int) -> Iterator[dict[str, str]]:
        """Yield the values of the fields from `place` on, for each way to match a text."""
        if place == len(self.parts):
            if not text:
                yield {}
            return
        name, behind = self.parts[place]
        is_last = place == len(self.parts) - 1
        folder_end = text.find("/") if "/" in text else len(text)
        for end in range(1 if name else 0, folder_end + 1):
            if not text.startswith(behind, end) or (is_last and end + len(behind) < len(text)):
                continue
            for others in self._ways(text[end + len(behind) :], place + 1):
                yield {**({name: text[:end]} if name else {}), **others}


def _meant(name: str, known: Sequence[str]) -> str:
    """Return a hint at the field that was meant by an unknown one."""
    close = nearest(name, known)
    guessed = f"did you mean {{{close}}}? " if close else ""
    return f"{guessed}use {', '.join(f'{{{own}}}' for own in known)}, or {{}} for anything"


def is_pattern(text: str) -> bool:
    """Say whether a text stands for paths by its fields, and is not itself the path of a file."""
    return bool(_FIELD.search(text)) and not os.path.exists(text)


def check_judgements(qrels: str, option: str = "-q") -> None:
    """Raise CallError for a path of judgements with a field in it that means nothing."""
    unknown = [name for name in _FIELD.findall(qrels) if name != COLLECTION]
    if unknown and is_pattern(qrels):
        raise CallError(
            f"{option} {quoted(qrels)} has {{{unknown[0]}}}, which is unknown",
            f"use {IN_JUDGEMENTS} for the name of the collection",
        )


def patterns_in(texts: Sequence[str]) -> tuple[Pattern, ...]:
    """Return the patterns of `--labels`; none for `none`, or without any."""
    if NONE in texts:
        if len(texts) > 1:
            raise CallError("--labels none, and a pattern: use only one of them")
        return ()
    return tuple(map(Pattern.of, texts))


def labels_of(
    paths: Sequence[str], patterns: Sequence[Pattern], qrels: str | None = None
) -> Mapping[str, Label]:
    """Return the label of each path, by the first pattern that matches; none without patterns.

    `qrels` is the path of the judgements with `{collection}` in it, if runs are to be scored.
    Raise DataError for a path that no pattern matches, or one in several ways.
    """
    if not patterns:
        return {}

    def is_judged(label: Label) -> bool:
        return qrels is not None and os.path.isfile(judgements_of(qrels, label.collection or ""))

    return {path: _label(path, patterns, is_judged) for path in paths}


def _label(path: str, patterns: Sequence[Pattern], is_judged: Callable[[Label], bool]) -> Label:
    """Return the label of a path; `is_judged` says whether a label has judgements."""
    for pattern in patterns:
        labels = [] if path == STDIN else pattern.labels(path)
        if not labels:
            continue
        if len(labels) > 1:
            judged = [label for label in labels if is_judged(label)]
            if len(judged) != 1:
                hint = "use a separate folder for each collection"
                raise fits_in_several_ways(
                    path, pattern, judged or labels,
                    f"both have judgements; {hint}" if judged
                    else f"give judgements (-q) of one of these, or {hint}",
                )  # fmt: skip
            labels = judged
        return _checked(path, labels[0])
    shown = listed([quoted(pattern.text) for pattern in patterns], 5)
    raise DataError(
        "standard input (-)" if path == STDIN else path,
        f"does not fit --labels {shown}",
        "a pattern has to fit the end of the path, and its fields contain no /; for files that it "
        "does not fit, give a further --labels, such as '{run}.eval'",
    )


def fits_in_several_ways(
    path: str, pattern: Pattern, labels: Sequence[Label], hint: str, option: str = "--labels"
) -> DataError:
    """Return the error for a path that has several labels by a pattern of an `option`."""
    ways = [label.in_words for label in labels[:_SHOWN_WAYS]]
    problem = f"fits {option} {quoted(pattern.text)} in several ways: {' or '.join(ways)}"
    return DataError(path, problem, hint)


def _checked(path: str, label: Label) -> Label:
    """Return the label; raise an error for a collection with a name that results have."""
    if label.collection is not None:
        check_name(label.collection, path)
    return label


def check_name(collection: str, path: str) -> None:
    """Raise an error for a collection with a name that results have for all collections."""
    if visible_name(collection).casefold() in RESERVED:
        raise DataError(
            path,
            f"a collection cannot be called {quoted(collection)}: in results, this name stands for "
            "all collections together",
        )


def shown_path(path: str, keep: int = 0) -> str:
    """Return what is shown of a path: its name or, of a pattern, all from its first field on.

    The folders before that are private, but for as many as a pattern is to `keep`. A name with
    braces is no pattern unless they hold a field.
    """
    folders = path.split(os.sep)
    fields = (place for place, part in enumerate(folders) if _KNOWN_FIELD.search(part))
    first = next(fields, None)
    return os.sep.join(folders[-1:] if first is None else folders[max(first - keep, 0) :])


def judgements_of(qrels: str, collection: str) -> str:
    """Return the path of the judgements of a collection; `qrels` has `{collection}` in it.

    An ending `.gz` need not be given.
    """
    path = qrels.replace(IN_JUDGEMENTS, collection)
    if path != qrels and not os.path.exists(path) and os.path.exists(path + _PACKED):
        return path + _PACKED
    return path
