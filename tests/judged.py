"""Scores and judgements by people and by a cheaper judge, made up, in files for the program."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tests.stats.longhand_ppi import Part, some_parts

RUNS = ("dense", "bm25", "hybrid")
COLLECTIONS = ("news", "forum", "papers")
Scores = dict[str, dict[str, float]]
"""The scores of each run, by topic."""


def some(
    seed: int, *topics: tuple[int, int, int], groups: int = 0, noise: float = 0.1
) -> list[Part]:
    """Return scores with four decimals on topics of both, of the judge alone, of people alone."""
    return some_parts(seed, topics, noise=noise, groups=groups, digits=4)


def written(folder: Path, parts: Sequence[Part], *, groups: bool = False) -> tuple[Path, Path]:
    """Write long tables of people's scores and of the judge's; several parts are collections."""
    people, judge = folder / "human.tsv", folder / "llm.tsv"
    names = COLLECTIONS[: len(parts)] if len(parts) > 1 else ("",)
    further = [*(["collection"] if len(parts) > 1 else []), *(["session"] if groups else [])]
    header = "\t".join(["run", *further, "topic", "measure", "score"])
    rows: tuple[list[str], list[str]] = ([header], [header])
    for name, part in zip(names, parts, strict=True):
        for own, line in _rows(part):
            for run, score in zip(RUNS, own, strict=False):
                for whose, table in zip("hj", rows, strict=True):
                    if whose in line[0]:
                        cells = [run, *([name] if name else []), *([line[1]] if groups else [])]
                        value = score[whose == "j"]
                        table.append("\t".join([*cells, line[2], "m", str(value)]))
    for path, lines in zip((people, judge), rows, strict=True):
        path.write_text("\n".join([*lines, ""]))
    return people, judge


def _rows(part: Part) -> Iterator[tuple[list[tuple[float, float]], tuple[str, str, str]]]:
    """Yield the scores of runs by both on a topic, with who has it, its group and its name."""
    none = np.full((max(len(part.u), len(part.alone), 1), part.runs), np.nan)
    kinds = (
        ("hj", part.h, part.f, part.labelled),
        ("j", none, part.u, part.other),
        ("h", part.alone, none, part.lone),
    )
    for letters, people, judge, groups in kinds:
        first = {"hj": 100, "j": 300, "h": 700}[letters]
        alone = len({*groups}) == len(groups)  # no groups: each topic is one
        for place, group in enumerate(groups):
            scores = [*zip(people[place].tolist(), judge[place].tolist(), strict=True)]
            topic = f"{first + group}" if alone else f"{first + group}_{place}"
            yield scores, (letters, f"{first + group}", topic)


def evals(folder: Path, table: Path) -> list[Path]:
    """Write the scores of a long table as trec_eval would, in a file for each run."""
    folder.mkdir(exist_ok=True)
    lines: dict[str, list[str]] = {}
    for line in table.read_text().splitlines()[1:]:
        run, topic, measure, score = line.split("\t")
        lines.setdefault(run, []).append(f"{measure}\t{topic}\t{score}\n")
    for run, own in lines.items():
        (folder / f"{run}.eval").write_text("".join(own))
    return [folder / f"{run}.eval" for run in lines]


# Rankings, and who has judged what they found


def rankings(
    folder: Path, topics: int, runs: Sequence[str] = RUNS, *, ending: str = "run", seed: int = 0
) -> list[Path]:
    """Write runs of eight documents a topic, of twelve that there are."""
    random = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for place, run in enumerate(runs):
        lines = []
        for topic in range(1, topics + 1):
            score = random.random(12) + 0.06 * (place + 1) * np.array(grades(topic))
            found = np.argsort(-score)[:8]
            lines += [f"{topic} Q0 d{topic}-{document} {rank} {9 - rank} {run}\n"
                      for rank, document in enumerate(found, 1)]  # fmt: skip
        path = folder / f"{run}.{ending}"
        path.write_text("".join(lines))
        paths.append(path)
    return paths


def grades(topic: int) -> list[int]:
    """Return the true grades of the twelve documents of a topic."""
    return [*map(int, np.random.default_rng(1000 + topic).integers(0, 4, 12))]


def judgements(
    path: Path, topics: Sequence[int], *, wrong: float = 0.0, documents: int = 12, highest: int = 3
) -> Path:
    """Write the grades of some topics; a share of them is drawn anew."""
    random = np.random.default_rng(5)
    lines = []
    for topic in topics:
        for document, grade in enumerate(grades(topic)[:documents]):
            own = int(random.integers(0, 4)) if random.random() < wrong else grade
            lines.append(f"{topic} 0 d{topic}-{document} {min(own, highest)}\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return path
