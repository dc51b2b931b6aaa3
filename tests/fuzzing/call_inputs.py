"""Small valid files for random calls, and which of them belong together."""

import gzip
import json
import random
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.fuzzing.forked import Call, run

RUNS = ("bm25", "ql", "dense", "rm3")
MEASURES = ("map", "P_10", "ndcg")
ODD_NAMES = ("é日本", "a,b", "x" * 300, "-1", "=1+1", "|")
_TOPICS = range(301, 309)
_EXTREMES = {
    "huge": ("1e308", "-1e308", "1.7e308"),
    "large": ("1e150", "-1e150", "3e151"),
    "tiny": ("5e-324", "1e-310", "-0.0", "2e-308"),
    "near": ("0.5", "0.5000000000000001", "0.49999999999999994"),
}
"""Scores of runs that are hard to compute with: they overflow, vanish, or hardly differ."""


@dataclass(frozen=True)
class Group:
    """Files that one call can have, what is in them, their judgements and their format."""

    files: tuple[str, ...]
    runs: tuple[str, ...]
    measures: tuple[str, ...] = MEASURES
    qrels: str = ""
    labels: tuple[str, ...] = ()  # patterns that tell the repeats of runs by the paths of files
    turns: bool = False  # the ids of topics tell groups: 31_1, 31_2
    judges: tuple[str, ...] = ()  # what a cheaper judge's files may be called

    @property
    def is_plain(self) -> bool:
        """Whether topics are independent, of one collection, and runs have no repeats."""
        special = ("suite", "seeds", "sessions", "designs")
        return not self.turns and not any(word in self.files[0] for word in special)

    @property
    def judge_option(self) -> str:
        """The parameter that names a cheaper judge of these files; empty: there is none."""
        if not self.judges:
            return ""
        return "judge_qrels" if self.qrels else "judge_scores"

    @property
    def format(self) -> str:
        """The name of the format, as --input-format has it."""
        special = {"matrix.txt": "tsmatrix", "table.csv": "topic_by_run", "scores.jsonl": "jsonl",
                   "seeds.jsonl": "jsonl", "seeds-in-sessions.csv": "topic_by_run"}  # fmt: skip
        usual = "trec_eval" if self.files[0].endswith(("eval", "evals")) else "long"
        return special.get(self.files[0], usual)


SEEDS = (*(f"seeds/{run}.seed{seed}.eval" for run in ("dense", "ql") for seed in (1, 2, 3)),
         "seeds/bm25.eval")  # fmt: skip
GROUPS = (
    Group(("bm25.eval", "ql.eval", "dense.eval"), RUNS[:3]),
    Group(("bm25.eval", "ql.eval"), RUNS[:2]),
    Group(("evals",), RUNS),
    Group(("evals/rm3.eval", "bm25.eval"), ("rm3", "bm25")),
    Group(("bm25.eval",), RUNS[:1]),
    Group(("scores.tsv",), RUNS),
    Group(("scores.csv",), RUNS),
    Group(("scores.jsonl",), RUNS),
    Group(("scores.tsv.gz",), RUNS),
    Group(("table.csv",), RUNS, ("table",)),
    Group(("matrix.txt",), ("1", "2", "3", "4"), ("matrix",)),
    Group(("bm25.run", "ql.run"), RUNS[:2], ("AP", "P@5", "nDCG@10", "RR"), "qrels.txt"),
    Group(("bm25.run", "ql.run"), RUNS[:2], ("AP", "P@5", "nDCG@10", "RR"), "some.qrels"),
    Group(("few.eval", "other.eval"), ("few", "other")),
    Group(("gaps.tsv",), RUNS),
    Group(("constant.eval", "bm25.eval"), ("constant", "bm25")),
    Group(("bm25.eval", "same.eval"), ("bm25", "same")),
    Group(("extreme.tsv",), ("huge", "large", "tiny", "near"), ("map",)),
    Group(("large.tsv",), ("large", "tiny"), ("map",)),
    Group(("near.tsv",), ("near", "tiny"), ("map",)),
    Group(("names.tsv",), ODD_NAMES, ("map",)),
    Group(("binary.tsv",), RUNS[:3], ("P_1",)),
    Group(("suite.tsv",), RUNS[:3], ("map",)),
    Group(("small-suite.tsv",), RUNS[:3], ("map",)),
    Group(("evals/bm25.eval", "evals/ql.eval"), RUNS[:2]),
    Group(("turns.tsv",), RUNS[:3], ("map",), turns=True),
    Group(("turns.csv",), RUNS[:3], ("map",), turns=True),
    Group(("sessions.tsv",), RUNS[:3], ("map",), turns=True),
    Group(("few-sessions.tsv",), RUNS[:2], ("map",)),
    Group(("seeds.tsv",), RUNS[:3], ("map",)),
    Group(("few-seeds.tsv",), RUNS[:2], ("map",)),
    Group(("torn-seeds.tsv",), RUNS[:2], ("map",)),
    Group(("seeds.jsonl",), RUNS[:2], ("map",)),
    Group(SEEDS, ("dense", "ql", "bm25"), labels=("{run}.seed{repeat}.eval", "{run}.eval")),
    Group(SEEDS[:6], ("dense", "ql"), labels=("{run}.seed{repeat}.eval",)),
    Group(("all-designs.tsv",), RUNS[:2], ("map",)),
    Group(("seeds-suite.tsv",), RUNS[:2], ("map",)),
    Group(("seeds-in-sessions.csv",), RUNS[:2], ("map",)),
    Group(
        ("judged/bm25.run", "judged/ql.run"),
        RUNS[:2],
        ("AP", "P@5", "nDCG@10", "RR"),
        "people.qrels",
        judges=("llm.qrels", "llm.qrels", "qrels.txt"),
    ),
    Group(("people.tsv",), RUNS[:3], ("map",), judges=("llm.tsv", "llm/{run}.eval", "llm.csv")),
    Group(("people.tsv",), RUNS[:3], ("map",), judges=("llm.tsv", "llm/{run}.eval", "people.tsv")),
    Group(("people-suite.tsv",), RUNS[:3], ("map",), judges=("suite-llm.tsv", "people-suite.tsv")),
    Group(("sessions.tsv",), RUNS[:3], ("map",), judges=("sessions-llm.tsv",) * 4 + ("llm.tsv",)),
    Group(("lone.eval",), ("lone",)),
)
"""What calls can be about; all but the last have several topics."""

PUBLISHED = Group(("published.csv",), ("a", "b", "c"), ("map", "P_10"))
BROKEN = ("empty.txt", "broken.eval", "missing.eval", "evals/no", "notes.bin")
GROUP_LISTS = ("turns.txt", "half-turns.txt", "torn-turns.txt")
"""Files of topics and groups: of all topics, of some, and with a topic in two of them."""

LISTS = {"topics": "topics.txt", "run_names": "names.txt", "factors": "factors.tsv"}
OLD = ("old.tsv", "old.json", "old.png", "old.html", "old.csv")
"""Files that there are already where a result is to go."""


def _scores(rng: random.Random, topics: range = _TOPICS) -> dict[tuple[str, str, int], str]:
    return {
        (run, measure, topic): f"{rng.random():.4f}"
        for run in RUNS
        for measure in MEASURES
        for topic in topics
    }


def _trec_eval(rng: random.Random, topics: range = _TOPICS, score: str = "") -> str:
    rows = [(measure, topic, score or f"{rng.random():.4f}") for measure in MEASURES
            for topic in topics]  # fmt: skip
    return "".join(f"{measure:<22}\t{topic}\t{text}\n" for measure, topic, text in rows)


def _long(rows: list[tuple[str, str, int, str]], separator: str) -> str:
    cells = [("run", "measure", "topic", "score"), *rows]
    return "".join(separator.join(map(str, row)) + "\n" for row in cells)


def _drawn(rng: random.Random, texts: dict[str, tuple[str, ...]]) -> str:
    """Return a table of runs by one measure, with scores from these texts."""
    rows = [(run, "map", topic, rng.choice(some)) for run, some in texts.items()
            for topic in _TOPICS]  # fmt: skip
    return _long(rows, "\t")


@cache
def inputs() -> dict[str, bytes]:
    """Return all files by their paths; they are the same at every time."""
    rng = random.Random(0)
    files = {name: data.encode() for name, data in {**_evaluations(rng), **_tables(rng)}.items()}
    suites = {
        "suite.tsv": {"x": 4, "y": 9, "\x1b[1mz": 14},
        "small-suite.tsv": {"one": 1, "two": 2, "three": 3},
    }
    files |= {name: _suite(random.Random(1), sizes).encode() for name, sizes in suites.items()}
    files |= {name: text.encode() for name, text in _designs(random.Random(2)).items()}
    files |= {name: text.encode() for name, text in _judged(random.Random(3)).items()}
    files |= {"notes.bin": bytes(range(256)), "empty.txt": b""}
    files |= {name: f"what was in {name}\n".encode() for name in OLD}
    files["scores.tsv.gz"] = gzip.compress(files["scores.tsv"], mtime=0)
    return files | {"factors.tsv": _factors(files)}


def _evaluations(rng: random.Random) -> dict[str, str]:
    evaluations = {f"{run}.eval": _trec_eval(rng) for run in RUNS}
    judged = [(topic, number, rng.randint(0, 2)) for topic in _TOPICS for number in range(6)]
    rankings = {
        f"{run}.run": "".join(
            f"{topic} Q0 d{number} 1 {rng.random():.3f} tag-{run}\n" for topic, number, _ in judged
        )
        for run in RUNS[:2]
    }
    return {
        **evaluations,
        **{f"evals/{name}": text for name, text in evaluations.items()},
        **rankings,
        "few.eval": _trec_eval(rng, _TOPICS[:2]),
        "other.eval": _trec_eval(rng, _TOPICS[:2]),
        "lone.eval": _trec_eval(rng, _TOPICS[:1]),
        "same.eval": evaluations["bm25.eval"],
        "constant.eval": _trec_eval(rng, score="0.25"),
        "broken.eval": evaluations["ql.eval"] + "map\t309\tx\n",
        "qrels.txt": "".join(f"{topic} 0 d{number} {grade}\n" for topic, number, grade in judged),
        "some.qrels": "".join(
            f"{topic} 0 d{number} {grade - (number == 1)}\n"
            for topic, number, grade in judged
            if number % 3
        ),
    }


def _tables(rng: random.Random) -> dict[str, str]:
    rows = [(*key, text) for key, text in _scores(rng).items()]
    records = [dict(zip(("run", "measure", "topic", "score"), row, strict=True)) for row in rows]
    return {
        "scores.tsv": _long(rows, "\t"),
        "scores.csv": _long(rows, ","),
        "scores.jsonl": "".join(json.dumps(record) + "\n" for record in records),
        "gaps.tsv": _long([row for row in rows if rng.random() < 0.8], "\t"),
        "table.csv": "".join(
            ",".join([str(head), *(f"{rng.random():.3f}" if head != "topic" else run
                                   for run in RUNS)]) + "\n"
            for head in ("topic", *_TOPICS)
        ),
        "matrix.txt": "".join(
            " ".join(f"{rng.random():.4f}" for _ in RUNS) + "\n" for _ in _TOPICS
        ),
        "extreme.tsv": _drawn(rng, _EXTREMES),
        "large.tsv": _drawn(rng, {name: _EXTREMES[name] for name in ("large", "tiny")}),
        "near.tsv": _drawn(rng, {name: _EXTREMES[name] for name in ("near", "tiny")}),
        "names.tsv": _drawn(rng, dict.fromkeys(ODD_NAMES, ("0.25", "0.5", "0.125"))),
        "binary.tsv": _long(
            [(run, "P_1", topic, rng.choice("01")) for run in RUNS[:3] for topic in _TOPICS], "\t",
        ),
        "published.csv": "run,measure,mean,sd,n\na,map,0.3,0.2,50\nb,map,0.25,0.21,40\n"
        "c,map,0.3,0,2\na,P_10,0.5,0.1,50\nb,P_10,0.4,0.3,50\n",
        "names.txt": "".join(f"{run}\n" for run in RUNS),
        "topics.txt": "".join(f"{topic}\n" for topic in _TOPICS[::2]),
    }  # fmt: skip


def _suite(rng: random.Random, sizes: dict[str, int]) -> str:
    """Return a table of runs on collections with so many topics each."""
    topics = [(name, str(topic)) for name, size in sizes.items() for topic in range(size)]
    rows = [(run, *topic, "map", rng.choice(["0", "0.25", f"{rng.random():.3f}"]))
            for run in RUNS[:3] for topic in topics]  # fmt: skip
    header = ("run", "collection", "topic", "measure", "score")
    return "".join("\t".join(row) + "\n" for row in [header, *rows])


_TURNS = [
    (f"{group}", f"{group}_{turn}")
    for group, size in ((31, 3), (32, 1), (33, 5), (40, 2), (41, 4))
    for turn in range(1, size + 1)
]
_NAMES = {"31": "\x1b[1mfirst", "32": "a|b", "33": "=1+1", "40": "é, $x$", "41": "<b>&"}
"""What strangers call their conversations, instead of numbers."""


def _designs(rng: random.Random) -> dict[str, str]:
    """Return files of topics in groups, and of runs with repeats."""

    def score() -> str:
        return rng.choice(["0", "0.25", f"{rng.random():.3f}", f"{rng.random():.3f}"])

    def table(columns: str, rows: list[tuple[str, ...]], separator: str = "\t") -> str:
        cells = [tuple(columns.split()), *((*row, score()) for row in rows)]
        return "".join(separator.join(row) + "\n" for row in cells)

    turns = [(run, turn, "map") for run in RUNS[:3] for _, turn in _TURNS]
    sessions = [(run, _NAMES[group], turn, "map") for run in RUNS[:3] for group, turn in _TURNS]
    few = [(run, f"{topic % 2}", f"{topic}", "map") for run in RUNS[:2] for topic in _TOPICS]
    seeded = [
        (run, f"{seed}", f"{topic}", "map")
        for run, seeds in zip(RUNS[:3], ((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 42)), strict=True)
        for seed in seeds for topic in _TOPICS
    ]  # fmt: skip
    names = ("1", "\x1b[1m2")
    few_seeds = [(run, name, f"{topic}", "map") for run in RUNS[:2]
                 for name in (names if run == RUNS[0] else ("",)) for topic in _TOPICS]  # fmt: skip
    every = [
        (run, name, seed, group, turn, "map")
        for run in RUNS[:2] for name in ("x", "y") for seed in "123" for group, turn in _TURNS
    ]  # fmt: skip
    records = [dict(zip(("run", "trial", "topic", "measure"), row, strict=True))
               for row in seeded if row[0] != RUNS[2]]  # fmt: skip
    return {
        "turns.tsv": table("run topic measure score", turns),
        "turns.csv": table("run topic measure score", turns, ","),
        "sessions.tsv": table("run session_id topic measure score", sessions),
        "few-sessions.tsv": table("run group topic measure score", few),
        "seeds.tsv": table("run seed topic measure score", seeded),
        "few-seeds.tsv": table("run repeat topic measure score", few_seeds),
        "torn-seeds.tsv": table("run seed topic measure score",
                                [row for row in seeded if row[:3] != (RUNS[1], "2", "304")]),
        "seeds.jsonl": "".join(
            json.dumps({**record, "score": float(score())}) + "\n" for record in records
        ),
        "all-designs.tsv": table("run collection seed group topic measure score", every),
        "seeds-suite.tsv": table("run collection seed topic measure score",
                                 [(*row[:3], *row[4:]) for row in every]),
        "seeds-in-sessions.csv": "topic,session,seed," + ",".join(RUNS[:2]) + "\n" + "".join(
            f"{turn},{group},{seed},{score()}5,{score()}5\n"
            for seed in (1, 2, 3) for group, turn in _TURNS),
        "turns.txt": "".join(f"{turn} {group}\n" for group, turn in _TURNS),
        "half-turns.txt": "# some\n" + "".join(f"{turn},{group}\n" for group, turn in _TURNS[::2]),
        "torn-turns.txt": "topic\tgroup\n31_1\t1\n31_1\t2\n",
        **{path: _trec_eval(rng) for path in SEEDS},
    }  # fmt: skip


_BY_JUDGE = range(301, 331)


def _judged(rng: random.Random) -> dict[str, str]:
    """Return files of topics that a cheaper judge has judged, and people some of them."""
    grades = {(topic, number): rng.randint(0, 2) for topic in _BY_JUDGE for number in range(6)}
    seen = {key: min(2, grade + rng.choice((0, 0, 0, 1))) for key, grade in grades.items()}

    def qrels(judged: dict[tuple[int, int], int], topics: range) -> str:
        return "".join(f"{topic} 0 d{number} {grade}\n"
                       for (topic, number), grade in judged.items() if topic in topics)  # fmt: skip

    scores = {(run, topic): rng.random() for run in RUNS[:3] for topic in _BY_JUDGE}
    by_judge = {key: min(1.0, 0.1 + 0.7 * score + 0.2 * rng.random())
                for key, score in scores.items()}  # fmt: skip
    suite = {"x": (6, 20), "y": (7, 18), "\x1b[1mz": (14, 30)}
    tables = {
        "people.tsv": [(run, "map", topic, f"{score:.4f}") for (run, topic), score in scores.items()
                       if topic in _BY_JUDGE[:12]],
        "llm.tsv": [(run, "map", topic, f"{score:.4f}")
                    for (run, topic), score in by_judge.items()],
    }  # fmt: skip
    header = "run\tcollection\ttopic\tmeasure\tscore\n"
    sessions = [(f"{group}", f"{group}_{turn}") for group in (*_NAMES, *range(50, 60))
                for turn in range(1, 6) if group not in _NAMES or (group, f"{group}_{turn}") in
                _TURNS]  # fmt: skip
    return {
        **{f"judged/{run}.run": "".join(f"{topic} Q0 d{number} 1 {rng.random():.3f} {run}\n"
                                        for topic, number in grades) for run in RUNS[:2]},
        "people.qrels": qrels(grades, _BY_JUDGE[:10]),
        "llm.qrels": qrels(seen, _BY_JUDGE),
        **{name: _long(rows, "\t") for name, rows in tables.items()},
        "llm.csv": ",".join(["topic", *RUNS[:3]]) + "\n" + "".join(
            ",".join([str(topic), *(f"{by_judge[run, topic]:.4f}" for run in RUNS[:3])]) + "\n"
            for topic in _BY_JUDGE),
        **{f"llm/{run}.eval": "".join(f"map\t{topic}\t{by_judge[run, topic]:.4f}\n"
                                      for topic in _BY_JUDGE) for run in RUNS[:3]},
        **{path: header + "".join(
            f"{run}\t{name}\t{topic}\tmap\t{rng.random():.3f}\n"
            for run in RUNS[:3] for name, of in suite.items() for topic in range(of[place]))
           for place, path in enumerate(("people-suite.tsv", "suite-llm.tsv"))},
        "sessions-llm.tsv": "run\tsession_id\ttopic\tmeasure\tscore\n" + "".join(
            f"{run}\t{_NAMES.get(group, group)}\t{topic}\tmap\t{rng.random():.3f}\n"
            for run in RUNS[:3] for group, topic in sessions),
    }  # fmt: skip


def _factors(files: dict[str, bytes]) -> bytes:
    """Return factors as the program itself writes them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scores.tsv").write_bytes(files["scores.tsv"])
        ended = run(Call(["standardize", "scores.tsv", "--save-factors", "f.tsv"]), folder)
        assert ended.status == 0, ended
        return (folder / "f.tsv").read_bytes()


def write_inputs(folder: Path) -> None:
    """Write all files into a folder."""
    for name, data in inputs().items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
