"""Pages of `confint report` for tests in browsers: of each design, and with names of strangers."""

import json
import random
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from confint_cli.app.cli import run
from tests.conftest import SAMPLES, write
from tests.outputs.test_outputs import HOSTILE as HOSTILE_CELLS
from tests.studies.test_report import HOSTILE

KINDS = ("plain", "suite", "judge", "conversations", "hostile")
SUITE = [
    "--labels", "{collection}/{run}.run", "-q", SAMPLES / "suite/{collection}/qrels.txt",
    "-m", "nDCG@10,AP", *sorted((SAMPLES / "suite").glob("*/*.run")),
]  # fmt: skip
JUDGED = ["-m", "nDCG@10,AP", SAMPLES / "judges/runs"]
JUDGE = [
    "-q", SAMPLES / "judges/human.qrels", "--judge-qrels", SAMPLES / "judges/llm.qrels", *JUDGED,
]  # fmt: skip
CONVERSATIONS = [
    "--groups", "{group}_{}", "-q", SAMPLES / "conversations/qrels.txt", "-m", "nDCG@10",
    *sorted((SAMPLES / "conversations").glob("*.run")),
]  # fmt: skip
STRANGE = [
    '=HYPERLINK("x")', "@sum", "-1+2", "+1", "x;=1", "'=1", "＝1", "--", 'a,b"c', "a:b", "a&b=c#d",
    "%ZZ", "mean:ascending", "no run", r"\input{x}", "$x_1%", "a``b''?`", "[1]*", "Δρα", "Δ检索",
    "naïve – Ł", "Þór", "</noscript><b>x", "</script><b>x", "a  b", "inf -inf",
    *HOSTILE, *(HOSTILE_CELLS[kind] for kind in ("latex", "markdown", "newline", "combining")),
]  # fmt: skip
MEASURES = ['<b>m</b>,"x"', "=1+1:ascending & 5% " + "m" * 100]
COLLECTIONS = ["</noscript><img src=x onerror=alert(1)>", "a&b=c#d%41", '=c;=d,"e"']
TOPICS = [
    "<i>1</i>", '" onload="x', "\x1b]0;t\x07", "=t", 'a,b"c', "-9", "10", "9", "שלום", r"\x{}_",
    "t" * 400, "@z",
]  # fmt: skip
JUDGE_FILE = "<img src=x onerror=alert(1)>=x.jsonl"


class Pages:
    """The pages, each made once, when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.uri = cache(self._uri)

    def _uri(self, name: str) -> str:
        """Return the address of a page."""
        path = self.folder / f"{name}.html"
        arguments = getattr(self, f"_{name}")()
        status = run([str(arg) for arg in ["report", *arguments, "--quiet", "-o", path]])
        assert status == 0
        return path.as_uri()

    def _plain(self) -> list[object]:
        """Return the arguments for a page of the sample runs, one of which is called a script."""
        folder = self.folder / "evals"
        shutil.copytree(SAMPLES / "trec_eval", folder)
        text = (folder / "tfidf.eval").read_text()
        named = re.sub(r"(?m)^(runid\s+all\s+).*$", lambda line: line[1] + HOSTILE[0], text)
        assert HOSTILE[0] in named
        (folder / "tfidf.eval").write_text(named)
        return [*self.scored, "--baseline", "bm25"]

    @property
    def scored(self) -> list[object]:
        """The arguments by which other commands find the figures of the plain page."""
        evals = sorted((self.folder / "evals").glob("*.eval"))
        return [*evals, "-m", "map,P_10", "--name-from", "tag"]

    def _suite(self) -> list[object]:
        return [*SUITE, "--baseline", "bm25"]

    def _judge(self) -> list[object]:
        return [*JUDGE, "--baseline", "bm25"]

    def _conversations(self) -> list[object]:
        return CONVERSATIONS

    def _hostile(self) -> list[object]:
        """Return the arguments for a page on which all names are those of strangers."""
        paths = [self.folder / "scores.jsonl", self.folder / JUDGE_FILE]
        numbers = random.Random(7)
        for path in paths:
            path.write_text("".join(f"{json.dumps(row)}\n" for row in _strange_rows(numbers)))
        return [
            paths[0], "--judge-scores", paths[1], "--baseline", HOSTILE[0], "--title",
            HOSTILE[1] + "t" * 300,
        ]  # fmt: skip

    def _values(self) -> list[object]:
        """Return the arguments for a page of any numbers, some of which are missing."""
        rows = {"a": [-1.5, 12.25, 3, 0.5], "b": [2, -0.25, 7, 1234.5678], "short": [4, 1, 0.125]}
        by_measure = {name: {"gain": values} for name, values in rows.items()}
        return [write(self.folder / "values.tsv", by_measure)]

    def _columns(self) -> list[object]:
        """Return the arguments for a page on which names are those of columns."""
        path = self.folder / "columns.tsv"
        scores = {"mean": [0.2, 0.5, 0.3, 0.6], "best": [0.3, 0.4, 0.1, 0.7]}
        lines = ["run\ttopic\tmeasure\tscore\tcollection"]
        for collection in ("run", "news"):
            for name, values in scores.items():
                lines += [
                    f"{name}\t{collection}-{topic}\tgain\t{score}\t{collection}"
                    for topic, score in enumerate(values, 1)
                ]
        path.write_text("\n".join([*lines, ""]))
        return [path]

    def _many_topics(self) -> list[object]:
        """Return the arguments for a page with more topics than most have."""
        return [self._of_topics(310)]

    def _too_many_topics(self) -> list[object]:
        """Return the arguments for a page on which several topics share a cell."""
        return [self._of_topics(450)]

    def _of_topics(self, number: int) -> Path:
        numbers = random.Random(3)
        runs = {
            name: {"gain": [round(numbers.random(), 4) for _ in range(number)]} for name in "ab"
        }
        return write(self.folder / f"topics{number}.tsv", runs)


def _strange_rows(numbers: random.Random) -> Iterator[dict[str, object]]:
    for collection in COLLECTIONS:
        for name in STRANGE:
            for place, topic in enumerate(TOPICS):
                for measure in MEASURES:
                    yield {
                        "run": name, "topic": f"{topic}{collection[-1]}", "measure": measure,
                        "collection": collection, "group": f'<g>{place % 5}"',
                        "score": round(numbers.random(), 3),
                    }  # fmt: skip
