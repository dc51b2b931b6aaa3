"""Random edits of files: of bytes, of lines, of fields, and what such files are known to break on.

All chance comes from the `Random` that is given: a seeded one in `make fuzz`, or hypothesis' own,
which then finds the smallest edit that does harm.
"""

import gzip
import random
from collections.abc import Callable, Sequence

Edit = Callable[[random.Random, bytes], bytes]

NUMBERS = (
    b"1e999", b"-1e999", b"1e308", b"-1e308", b"1e-320", b"0x1p3", b"0x1F", b"1_000", b"nan",
    b"-NaN", b"inf", b"-Infinity", b"-0", b"+0.5", b".5", b"5.", b".", b"-", b"+", b"1e", b"1e5",
    b"1,5", b"1.5.2", b"00012", b"9" * 25, b"9" * 400, b"0." + b"3" * 300, b"1e-5_0", b"1E+2",
    "\u0661.\u0665".encode(), "\uff11".encode(), "\u00b2".encode(), b"L2", b"L-1", b"-9999",
    b"10000", b"1d3", b"0b1", b"50%", b"TRUE", b"true", b"null", b"None", b"1e400000000",
)  # fmt: skip
"""Numbers, what is nearly one, and what other programs take for one."""

WORDS = (
    b"all", b"ALL", b"amean", b"mean", b"average", b"topic", b"run", b"measure", b"score",
    b"value", b"query_id", b"runid", b"sd", b"runs", b"n", b"map", b"AP", b"P_10", b"P@0010",
    b"NCUrb,P@0010", b"num_ret", b"gm_map", b"relstring", b"rows", b'"rows"', b"#", b"# confint:",
    b"# confint:1|measures:map|scale:0123abcd", b"<SYSDESC>", b"Q0", b"=", b"p=", b"q=", b"rbp=",
    b"'=cmd()", b'"', b'""', b"'", b"\\", b"\\n", b"{", b"}", b"[]", b"{}", b'{"a":1}', b"",
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"\x00", b"\x7f",
    b"\x1b[31m", b"\x0b", b"\x0c", b"\x1c", b"\x85", "\u2028".encode(), "\u00a0".encode(),
    "\u202e".encode(), "\U000e0001".encode(), "\u00e9t\u00e9".encode(), "\u0130".encode(),
    b"x" * 63, b"x" * 64, b"x" * 255, b"x" * 256, b"x" * 3000, b"@" * 70, b"1a" * 200,
)  # fmt: skip
"""Names that mean something to a reader, and characters that a terminal or a parser acts on."""

JSON = (
    b"[" * 3000, b'{"a":' * 3000, b"[" * 900 + b"]" * 900, b'{"a":' * 400 + b"1" + b"}" * 400,
    b'{"query_id": "1", "query_id": "2", "measure": "AP", "value": 0.5}',
    b'{"query_id": "1", "measure": "AP", "value": ' + b"1" * 5000 + b"}",
    b'{"query_id": "\\ud800", "measure": "\\udfff", "value": 1}',
    b'{"query_id": "\\u0000", "measure": "AP", "value": "1"}',
    b'{"query_id": ' + b"[" * 300 + b"]" * 300 + b', "measure": "AP", "value": 1}',
    b'{"query_id": {"a": 1}, "measure": ["AP"], "value": [1]}',
    b'{"query_id": true, "measure": false, "value": true}',
    b'{"query_id": 1e400, "measure": NaN, "value": -Infinity}',
    b'{"query_id": "", "measure": "", "value": 0}', b'{"rows": 1}', b'{"rows": [1]}',
    b'{"rows": []}', b'{"rows": [[]]}', b'{"rows": [{"topic": 1, "score": 1}]}', b'{"rows": {}}',
)  # fmt: skip
"""Objects that JSON allows, or nearly."""

LONG = (
    b"a", b" ", b"\t", b"1", b"0", b".", b",", b";'", b"'", b'""', b"(", b"(a)", b"@", b"_1", b"=",
    b"-", b"#", b"\\", b"\x1b", b"a b ", b"map,", b"\xff", "\u00e9".encode(), "\u0301".encode(),
    "\u200b".encode(), "\u3000".encode(),
)  # fmt: skip
"""What a name of a hundred kilobytes may be made of."""

SEPARATORS = (b"\t", b" ", b",", b";", b"=", b"|")
_ANYWHERE = (*NUMBERS, *WORDS, *JSON)
_LARGEST = 1 << 16  # bytes: edits of edits are not to grow without end
_LONGEST_NAME = 1 << 18  # … but for a long name, which comes last


def mutated(rng: random.Random, seeds: Sequence[bytes], most: int = 6) -> bytes:
    """Return one of the files, or a splice of two, after some edits."""
    data = rng.choice(seeds)
    if rng.random() < 0.1:
        data = _splice(rng, data, rng.choice(seeds))
    for _ in range(rng.randint(1, most)):
        data = rng.choice(EDITS)(rng, data)[:_LARGEST]
    if rng.random() < 0.03:
        data = _with_a_long_name(rng, data)
    if rng.random() < 0.02:
        data = _packed(rng, data)
    return data


def _place(rng: random.Random, data: bytes) -> int:
    return rng.randint(0, len(data))


def _stretch(rng: random.Random, data: bytes, longest: int) -> tuple[int, int]:
    start = _place(rng, data)
    return start, min(len(data), start + rng.randint(1, longest))


def _splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: _place(rng, data)] + other[_place(rng, other) :]


def _with_a_long_name(rng: random.Random, data: bytes) -> bytes:
    """Make some word long wherever it stands, or only there, or put a long one anywhere."""
    piece = rng.choice(LONG)
    name = piece * (rng.choice((1_000, 100_000, 130_000)) // len(piece))
    words = data.split()
    if not words or rng.random() < 0.3:
        place = _place(rng, data)
        return data[:place] + name + data[place:]
    word = rng.choice(words)
    times = min(rng.choice((1, 1, 20)), _LONGEST_NAME // len(name) or 1)
    return data.replace(
        word, rng.choice((name, word + name, name + word, word + name + word)), times
    )


def _packed(rng: random.Random, data: bytes) -> bytes:
    """Pack it, and maybe harm what is packed."""
    packed = gzip.compress(data, mtime=0)
    return packed if rng.random() < 0.5 else rng.choice(_OF_BYTES)(rng, packed)


def _delete(rng: random.Random, data: bytes) -> bytes:
    start, end = _stretch(rng, data, 20)
    return data[:start] + data[end:]


def _insert(rng: random.Random, data: bytes) -> bytes:
    place = _place(rng, data)
    return data[:place] + rng.choice(_ANYWHERE) + data[place:]


def _replace_byte(rng: random.Random, data: bytes) -> bytes:
    place = _place(rng, data)
    return data[:place] + bytes([rng.randint(0, 255)]) + data[place + 1 :]


def _flip_bit(rng: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << rng.randint(0, 7))]) + data[place + 1 :]


def _duplicate(rng: random.Random, data: bytes) -> bytes:
    start, end = _stretch(rng, data, 60)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 100)) + data[end:]


def _truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: _place(rng, data)]


def _edit_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    match rng.randint(0, 7):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[rng.randrange(len(lines))])
        case 2:
            other = rng.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
        case 3:
            rng.shuffle(lines)
        case 4:
            lines[place] = b""
        case 5:
            lines[place] = lines[place] * rng.choice((2, 300))
        case 6:
            lines.insert(place, rng.choice((*JSON, b"# a comment", b" ", b"\t", b"\x0c")))
        case _:
            lines = lines[place:]
    return b"\n".join(lines)


def _edit_fields(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    separator = rng.choice(SEPARATORS)
    fields = lines[place].split(separator)
    at = rng.randrange(len(fields))
    match rng.randint(0, 6):
        case 0:
            del fields[at]
        case 1:
            fields.insert(at, rng.choice(fields))
        case 2:
            rng.shuffle(fields)
        case 3:
            fields[at] = rng.choice(WORDS)
        case 4:
            fields[at] = b'"' + fields[at] + b'"'
        case 5:
            fields[at] = rng.choice((b" ", b"", b"  ")) + fields[at] + b" "
        case _:
            fields[at] = rng.choice(NUMBERS)
    lines[place] = separator.join(fields)
    return b"\n".join(lines)


def _edit_column(rng: random.Random, data: bytes) -> bytes:
    """Do the same to a field of every line: what is left is regular, and may go the fast way."""
    separator = rng.choice(SEPARATORS)
    at, word = rng.randint(0, 5), rng.choice((*NUMBERS, *WORDS))
    kind = rng.randint(0, 2)
    lines = []
    for number, line in enumerate(data.split(b"\n")):
        fields = line.split(separator)
        if at < len(fields) and len(fields) > 1:
            if kind == 0:
                del fields[at]
            elif kind == 1:
                fields[at] = word
            else:
                fields[at] += b"%d" % number
        lines.append(separator.join(fields))
    return b"\n".join(lines)


def _other_separator(rng: random.Random, data: bytes) -> bytes:
    return data.replace(rng.choice(SEPARATORS), rng.choice((*SEPARATORS, b"  ", b"")))


def _other_line_ends(rng: random.Random, data: bytes) -> bytes:
    end = rng.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\t\n", b"\x0c", b"\n#"))
    return data.replace(b"\n", end, rng.choice((-1, -1, 1, 3)))


def _other_word(rng: random.Random, data: bytes) -> bytes:
    """Replace some word wherever it stands."""
    words = data.split()
    if not words:
        return data
    return data.replace(rng.choice(words), rng.choice((*WORDS, *NUMBERS)))


_OF_BYTES: tuple[Edit, ...] = (
    _delete, _insert, _replace_byte, _flip_bit, _duplicate, _truncate,
)  # fmt: skip
EDITS: tuple[Edit, ...] = (
    *_OF_BYTES, _edit_lines, _edit_lines, _edit_fields, _edit_fields, _edit_fields, _edit_column,
    _other_separator, _other_line_ends, _other_word,
)  # fmt: skip
