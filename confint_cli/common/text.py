"""Small tools for text that strangers wrote: show it harmlessly, sort it, find what was meant."""

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

# What a terminal or a reader would act on instead of showing: control characters (C0, C1, DEL),
# line and paragraph separators, and the format characters (Cf) that reorder or hide text.
# All characters of these kinds are in the ranges below; any other needs no look-up.
_SUSPECT = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u08ff\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\uffff\U000110bd-\U000110cd\U00013430-\U0001345f"
    "\U0001bca0-\U0001bcaf\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_EXPONENT_DIGITS = 9  # to read of an exponent: any number but 0 has far fewer
_LONGEST_NAME = 1000  # characters of a run's or a measure's name that are shown
_SHORT_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\x1b": "\\e"}

BAR = "\\x7c"  # stands for a bar in a signature, whose entries are separated by bars

# What begins a formula. Half of the world's spreadsheets take a semicolon for the end of a cell,
# whatever the file says, and those of East Asia know wide signs.
_FORMULA = re.compile("(^|;)(?='*[=+@＝＋－＠-])")
_GUARDED = re.compile("(^|;)'(?='*[=+@＝＋－＠-])")
_IN_A_COMMENT = re.compile("""([,;])(?='*["=+@＝＋－＠-])""")
_GUARDED_COMMENT = re.compile("""([,;])'(?='*["=+@＝＋－＠-])""")

# Endings that say what a file is, not which run it holds. A name such as `bm25.k1-0.9` keeps all.
_ENDINGS = (
    ".gz", ".eval", ".treceval", ".trec_eval", ".nev", ".dnev", ".tsmatrix", ".matrix", ".txt",
    ".tsv", ".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".pq", ".feather", ".arrow", ".ipc",
    ".run", ".res", ".results", ".out", ".trec",
)  # fmt: skip


def visible(text: str) -> str:
    r"""Return the text with every control and reordering character written out, as `\x07`."""
    return _SUSPECT.sub(_escape, text)


def visible_name(text: str) -> str:
    """Return a run's name as it is shown: visible, with blanks at its ends written out.

    Readers would drop such blanks. A long name is shortened, as in `visible_measure`.
    """
    shown = visible(text[: _LONGEST_NAME + 1])
    rest = shown.lstrip()
    name = rest.rstrip()
    before, behind = shown[: len(shown) - len(rest)], rest[len(name) :]
    written = "".join([*map(_written_out, before), name, *map(_written_out, behind)])
    return _with_digest(written, text) or "(no name)"


def visible_measure(text: str) -> str:
    """Return a measure's name as it is shown: visible, and not too long.

    A long one is replaced by its beginning and a digest of the whole, so that names which differ
    stay different. To shorten it once more changes nothing.
    """
    return _with_digest(visible(text[: _LONGEST_NAME + 1]), text)


def _with_digest(shown: str, whole: str) -> str:
    """Return `shown` if it is short enough; otherwise its beginning and a digest of the `whole`."""
    if len(shown) <= _LONGEST_NAME:
        return shown
    ending = f"…{digest(whole)}"
    return shown[: _LONGEST_NAME - len(ending)] + ending


def digest(text: str) -> str:
    """Return 32 hexadecimal digits for a text; strangers cannot make another text with the same."""
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _escape(match: re.Match[str]) -> str:
    acts = unicodedata.category(match[0]) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return _written_out(match[0]) if acts else match[0]


def _written_out(character: str) -> str:
    r"""Return a character as a visible escape, such as `\t`, `\x07` or `\u200b`."""
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # Python's sign for a byte of a file's name that is no UTF-8
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def distinct(names: Iterable[str], show: Callable[[str], str] = visible) -> dict[str, str]:
    """Return how each name is shown; of names that would look alike, all but one get a number.

    The one without a number is the name that is shown as it is, if there is one. The order of the
    names makes no difference.
    """
    shown = {name: show(name) for name in names}
    taken = set(shown.values())
    if len(taken) == len(shown):
        return shown
    used: set[str] = set()
    numbers: dict[str, int] = {}
    for name in sorted(shown, key=lambda name: (shown[name] != name, name)):
        alone = text = shown[name]
        if alone in used:
            while text in taken:
                numbers[alone] = numbers.get(alone, 1) + 1
                text = show(f"{alone} ({numbers[alone]})")
            taken.add(text)
            shown[name] = text
        used.add(alone)
    return shown


def number(text: str) -> float:
    """Return the finite number that a text shows; ValueError for `nan`, `inf`, `1_000`."""
    value = float(text)
    if value - value != 0 or "_" in text or not text.isascii():  # inf - inf and nan - nan are nan
        raise ValueError(text)
    return value


def rounding_of(text: str) -> float:
    """Return how far a printed number may be from the exact one: half a unit of its last digit."""
    mantissa, _, exponent = text.lower().partition("e")
    digits = exponent.lstrip("+-0")[:_EXPONENT_DIGITS]  # int refuses thousands of them
    power = -int(digits or 0) if exponent.startswith("-") else int(digits or 0)
    decimals = len(mantissa.partition(".")[2]) - power
    return 0.5 * 10.0 ** -max(-300, min(decimals, 300))


def why_no_number(text: str) -> str:
    """Return `not finite` or `not a number` for a text that `number` refuses."""
    is_a_number = looks_numeric(text) and "_" not in text and text.isascii()
    return "not finite" if is_a_number else "not a number"


def looks_numeric(text: str) -> bool:
    """Say whether a text is a number, finite or not."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def share(text: str) -> float:
    """Return the number that a text shows, which may be a percentage: 0.333 for `33.3%`."""
    plain = text.removesuffix("%")
    shown = number(plain)
    return shown if plain == text else float(exactly(plain) / 100)  # 33.3/100 is not 0.333


def exactly(text: str) -> "Decimal":
    """Return a number with all its digits; ValueError for exponents of twenty digits."""
    from decimal import Decimal, InvalidOperation

    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None


def split_at_commas(texts: Iterable[str]) -> list[str]:
    """Return what stands between commas in all texts, some of it maybe empty, without blanks."""
    return [part.strip() for text in texts for part in text.split(",")]


def put_together(parts: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the `parts` of a text between commas; those that make up one of `names` are joined.

    The longest stretch that makes up a name wins. The caller leaves out parts with nothing in them.
    A stretch that may be one of two names (`a,b` and `a, b`) is neither.
    """
    by_parts: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        if "," in name:
            by_parts.setdefault(tuple(filter(None, split_at_commas([name]))), []).append(name)
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for name_in_parts in sorted(filter(None, by_parts), key=len, reverse=True):
        by_first.setdefault(name_in_parts[0], []).append(name_in_parts)
    result, start = [], 0
    while start < len(parts):
        match = next(
            (
                name_in_parts
                for name_in_parts in by_first.get(parts[start], ())
                if len(by_parts[name_in_parts]) == 1
                and (*parts[start : start + len(name_in_parts)],) == name_in_parts
            ),
            None,
        )
        result.append(parts[start] if match is None else by_parts[match][0])
        start += 1 if match is None else len(match)
    return result


def with_guard(text: str) -> str:
    """Return a cell of CSV that no spreadsheet runs as a formula: a quote stands before the sign.

    If quotes stand there already it is one more, so that `without_guard` restores any text.
    """
    return _FORMULA.sub(r"\1'", text)


def without_guard(cell: str) -> str:
    """Undo `with_guard`."""
    return _GUARDED.sub(r"\1", cell)


def with_guarded_cells(comment: str) -> str:
    """Return a comment in CSV that is harmless as cells: a spreadsheet knows no comments.

    No cell is a formula, and none begins a quotation that would go on in the next line.
    """
    return _IN_A_COMMENT.sub(r"\1'", comment)


def without_guarded_cells(comment: str) -> str:
    """Undo `with_guarded_cells`."""
    return _GUARDED_COMMENT.sub(r"\1", comment)


def without_endings(path: str) -> str:
    """Return a file's name without folder and without endings such as `.eval.gz`."""
    name = os.path.basename(path)
    end = len(name)
    while ending := next(
        (
            candidate
            for candidate in _ENDINGS
            if name[max(1, end - len(candidate)) : end].lower() == candidate
        ),
        "",
    ):
        end -= len(ending)
    return name[:end]


def quoted(text: str, limit: int = 60) -> str:
    """Return the text as it may stand in a message: visible, in quotes, not too long."""
    return f"'{shortened(text, limit)}'"


def shortened(text: str, limit: int = 60) -> str:
    """Return a text, visible, cut to `limit` characters; no more of it is looked at."""
    shown = visible(text[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


_LONGEST_ITEM = 150  # characters of a name in a list, where no quote shows its end


def listed(items: Sequence[str], limit: int) -> str:
    """Return `a, b, c and 4 more` for `items` of which no more than `limit` are named."""
    shown = ", ".join(shortened(item, _LONGEST_ITEM) for item in items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit} more"


def count(number: int, noun: str) -> str:
    """Return `1 topic` or `2 topics`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def all_of(number: int, noun: str) -> str:
    """Return `the topic`, `both topics` or `all 3 topics`."""
    return {1: f"the {noun}", 2: f"both {noun}s"}.get(number, f"all {number} {noun}s")


def have(number: int, noun: str) -> str:
    """Return `1 file has` or `2 files have`."""
    return f"{count(number, noun)} {'has' if number == 1 else 'have'}"


def lack(number: int, noun: str) -> str:
    """Return `1 run lacks` or `2 runs lack`."""
    return f"{count(number, noun)} {'lacks' if number == 1 else 'lack'}"


def labelled(texts: Mapping[str, str]) -> list[str]:
    """Return each label with its text, wrapped to as many lines as it takes; none without text."""
    import textwrap

    return [
        textwrap.fill(text, 80, initial_indent=f"  {label:<11}", subsequent_indent=" " * 13)
        for label, text in texts.items()
        if text
    ]


_DECIDED = 1000  # characters in which numbers count by their value


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts numbers within a text by value, so that topic 9 is before topic 10.

    Different texts have different keys (`01` and `1` too), so an order by it is complete.
    """
    key = []
    for stretch in re.findall(r"[0-9]+|[^0-9]+", text[:_DECIDED]):
        if stretch[0] in "0123456789":
            digits = stretch.lstrip("0")
            key.append((1, len(digits), digits))  # of two numbers the longer one is the larger
        else:
            key.append((0, 0, stretch))
    return (*key, (-1, 0, text))


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """Return a hint that names the `known` name nearest to the one `wanted`, and lists them."""
    names = list(known)
    close = nearest(wanted, names)
    shown = ", ".join(shortened(name, _LONGEST_ITEM) for name in names[:20])
    more = " …" if len(names) > 20 else ""
    meant = shortened(close, _LONGEST_ITEM) if close else ""
    return (f"did you mean {meant}? " if meant else "") + f"there are: {shown}{more}"


def _shared(text: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginnings."""
    return next(
        (n for n, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), len(other)
    )


_COMPARED = 1000  # names that are compared; a hundred thousand would take seconds
_LOOKED_AT = 60  # characters of each name: the time grows with their square, or faster


def nearest(wanted: str, known: Iterable[str]) -> str | None:
    """Return the known name that the user most likely meant, or None."""
    import difflib
    import heapq

    folded = wanted[:_LOOKED_AT].casefold()
    by_folded: dict[str, str] = {}
    alike = set()  # what several long names begin with: which of them is meant, nobody knows
    for name in known:
        beginning = name[:_LOOKED_AT].casefold()
        if len(name) > _LOOKED_AT and beginning in by_folded:
            alike.add(beginning)
        by_folded[beginning] = name
    for beginning in alike:
        del by_folded[beginning]
    begin_alike = heapq.nlargest(_COMPARED, by_folded, key=lambda name: _shared(name, folded))
    close = difflib.get_close_matches(folded, begin_alike, n=1, cutoff=0.6)
    if not close and len(folded) > 1:  # the beginning of one name only
        close = [name for name in by_folded if name.startswith(folded)]
    return by_folded[close[0]] if len(close) == 1 else None
