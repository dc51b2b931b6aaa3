"""What strangers may put into a name: a table of kinds, and files that have such names in them."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

PLAIN = "plain"  # the name of what stands beside the hostile one
SCORES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Kind:
    r"""A kind of content, written as a stranger would and as everybody is to see it.

    Surrogates from \udc80 on stand for bytes that are no UTF-8, as in names of files.
    """

    what: str
    text: str
    shown: str = ""  # empty: as it is
    in_csv: str = ""  # empty: as it is shown
    only_in_json: bool = False  # no file name and no table can have it

    @property
    def gets(self) -> str:
        """What becomes of it, for the page of promises."""
        if self.shown:
            return f"written out everywhere: `{self.shown[:30]}{'…' * (len(self.shown) > 30)}`"
        return f"shown as it is, in CSV `{self.in_csv}`" if self.in_csv else "shown as it is"

    @property
    def seen(self) -> str:
        """What people see of it."""
        return self.shown or self.text

    @property
    def in_a_spreadsheet(self) -> str:
        """What a cell of CSV holds."""
        return self.in_csv or self.seen

    @property
    def is_a_word(self) -> bool:
        """Whether it may be a field of a file whose fields are separated by blanks."""
        return not self.only_in_json and len(self.raw.split()) == 1

    @property
    def is_a_file_name(self) -> bool:
        if self.has_bytes and sys.platform != "linux":
            return False  # other systems know no such names
        return not self.only_in_json and b"/" not in self.raw and len(self.raw) < 240

    @property
    def has_bytes(self) -> bool:
        """Whether it has bytes that are no UTF-8."""
        return any("\udc80" <= character <= "\udcff" for character in self.text)

    @property
    def raw(self) -> bytes:
        return self.text.encode("utf-8", "surrogateescape")


KINDS = {
    "escapes": Kind(
        "ANSI escapes, bells, 8-bit control sequences",
        "a\x1b[31mred\x1b]0;owned\x07\x9b2Jb", r"a\e[31mred\e]0;owned\x07\x9b2Jb"),
    "markup": Kind("markup of rich, and its emoji", "[red]x[/red][link=http://a]b[/]:smiley:"),
    "line-ends": Kind(
        "tabs, and line ends of every kind",
        "a\tb\nc\rd\x0be\x0cf\x85g\u2028h\u2029i", r"a\tb\nc\rd\x0be\x0cf\x85g\u2028h\u2029i"),
    "paths": Kind("`../` and absolute paths", "../../../etc/passwd"),
    "options": Kind("a leading hyphen", "-rf --all", in_csv="'-rf --all"),
    "long": Kind("300 characters", "long-" * 60),
    "right-to-left": Kind("words from right to left", "שלום-مرحبا"),
    "reordering": Kind(
        "characters that reorder the text around them",
        "a\u202egnp.exe\u202c\u2066b\u2069\u200f", r"a\u202egnp.exe\u202c\u2066b\u2069\u200f"),
    "hidden": Kind(
        "characters that cannot be seen",
        "a\u200bb\ufeffc\xadd\u2060e\U000e0041f", r"a\u200bb\ufeffc\xadd\u2060e\U000e0041f"),
    "combining": Kind("combining characters, several on one letter", "n\u0337\u0330\u0307x"),
    "wide": Kind("wide characters and emoji", "検索😀한"),
    "no-utf8": Kind("bytes that are not UTF-8", "a\udcff\udcfeb\udcc3", r"a\xff\xfeb\xc3"),
    "nul": Kind("NUL", "a\0b", r"a\x00b", only_in_json=True),
    "half-a-pair": Kind("half of a surrogate pair", "a\ud83db", r"a\ud83db", only_in_json=True),
    "formula": Kind("a formula", "=cmd|'/c calc'!A0", in_csv="'=cmd|'/c calc'!A0"),
    "formula-inside": Kind(
        "a formula behind a semicolon", "x;=1+1;@SUM(1)", in_csv="x;'=1+1;'@SUM(1)"),
    "wide-formula": Kind("a formula with a full-width sign", "＝1＋1", in_csv="'＝1＋1"),
    "latex": Kind("LaTeX", r"\input{/etc/passwd}^^5cwrite18{id}%$x$a_b#c&d~e}``''?`,,--"),
    "html": Kind("HTML", "</title><script>alert(1)</script><img src=x onerror=y>&lt;\"'"),
    "markdown": Kind(
        "Markdown", r"a | `b` *c* [d](e) ![f](g) <http://h> ---><b> $i$ ~~j~~ \*k\* &amp;"),
    "links": Kind("links and addresses", "https://a.example www.b.example c_d@e_f.example"),
    "commas": Kind("commas and quotes", 'a,"b";c'),
    "quotes": Kind("a quotation", '"quoted"'),
    "templates": Kind("templates, commands of a shell", "$title ${x} %s {0} $(touch x) `id`"),
    "mathtext": Kind("formulas that matplotlib would typeset", r"$\frac{1}{0}$ $x_2$"),
    "bars": Kind("bars, as between entries of a signature", "x|scale:00000000|y"),
    "comment": Kind("`#`, as before a comment", "#comment"),
    "digits": Kind("990 digits", "9" * 990),
    "other-digits": Kind("digits that are not ASCII", "²³١٢"),
    "prototype": Kind("`__proto__`, which has a meaning in JavaScript", "__proto__"),
}  # fmt: skip


def write_scores(folder: Path, kind: Kind) -> Path:
    """Write scores by one measure of two runs on four topics; one of each has the hostile name."""
    runs, topics = [kind.text, PLAIN], [kind.text, "2", "3", "4"]
    scores = [*SCORES, *reversed(SCORES)]
    cells = [
        (run, topic, kind.text, score)
        for (run, topic), score in zip(product(runs, topics), scores, strict=True)
    ]
    return _write(folder / "scores", kind, ("run", "topic", "measure", "score"), cells)


def write_by_two_judges(folder: Path, kind: Kind) -> list[object]:
    """Write scores by two judges, with hostile names everywhere; return how a call names them.

    One of three runs, of two collections, and of the topics and of the groups of these has the
    name, and so have the measure and, where there may be such a file, the judge.
    """
    runs, collections = [kind.text, PLAIN, "third"], [kind.text, PLAIN]
    names = ("run", "collection", "group", "topic", "measure", "score")
    judge = kind.text if kind.is_a_file_name else "judge"
    paths: list[object] = []
    for place, (stem, number) in enumerate((("people", 12), (judge, 20))):
        random = Random(place)
        topics = [kind.text, *map(str, range(2, number + 1))]
        cells = [
            (run, collection, kind.text if row < 2 else f"g{row // 2}", topic, kind.text, score)
            for run, collection, (row, topic) in product(runs, collections, enumerate(topics))
            for score in [round(random.random(), 3)]
        ]
        (folder / str(place)).mkdir()
        paths.append(_write(folder / str(place) / stem, kind, names, cells))
    return [paths[0], "--judge-scores", paths[1]]


def _write(
    path: Path, kind: Kind, names: Sequence[str], cells: Sequence[tuple[object, ...]]
) -> Path:
    """Write a table as JSON lines, or as CSV where its bytes are no UTF-8, which JSON has to be."""
    if kind.has_bytes:
        path = path.with_name(f"{path.name}.csv")
        path.write_bytes(as_csv([names, *cells]))
        return path
    path = path.with_name(f"{path.name}.jsonl")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in cells]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def as_csv(rows: object) -> bytes:
    """Return rows as CSV in which everything is quoted, whatever bytes there are."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(rows)  # type: ignore[arg-type]
    return out.getvalue().encode("utf-8", "surrogateescape")
