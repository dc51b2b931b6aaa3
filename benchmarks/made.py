"""Collections made by a seeded script: the shape of real ones at any size, the same bytes always.

Files of per-topic scores stand in for real data where these are not at hand, and grow as far as a
measurement needs them to. Judgements and runs are those of a shared task: each topic has a pool of
documents, some of them relevant; each run ranks them by its own mix of sense and noise.
"""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = (
    "num_ret", "num_rel", "num_rel_ret", "map", "R-prec", "bpref", "recip_rank", "11pt_avg",
    "ndcg", "ndcg_rel", "Rndcg", "binG", "G", "infAP", "utility_1.00", "relative_P_5",
    *(f"iprec_at_recall_{recall / 10:.2f}" for recall in range(11)),
    *(f"R-prec_mult_{part / 5:.2f}" for part in range(1, 11)),
    *(f"P{cutoff}" for cutoff in _CUTOFFS),
    *(f"{name}_{cutoff}" for name in ("map_cut", "ndcg_cut", "recall", "success", "relative_P")
      for cutoff in _CUTOFFS),
)  # fmt: skip
"""About what trec_eval prints with -m all_trec, whose output many shared tasks hand out."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def scores(topics: int, runs: int, seed: int = 0) -> Floats:
    """Return scores, a row a topic: some topics hard, some runs weak, most scores low."""
    random = np.random.default_rng(seed)
    hard = random.normal(-1, 1.2, (topics, 1))
    weak = random.normal(0, 0.4, runs)
    found: Floats = 1 / (1 + np.exp(-(hard + weak + random.normal(0, 0.7, (topics, runs)))))
    return found


def write_matrix(path: Path, topics: int, runs: int, seed: int = 0) -> Path:
    """Write a table of scores as CSV, a row a topic and a column a run."""
    header = ",".join(["topic", *(f"sys{run}" for run in range(1, runs + 1))])
    with open(path, "w", encoding="ascii") as out:
        out.write(f"{header}\n")
        for topic, row in enumerate(scores(topics, runs, seed), start=1):
            out.write(f"{topic},{','.join(f'{score:.4f}' for score in row)}\n")
    return path


def write_evals(
    folder: Path, names: Sequence[str], topics: int, measures: Sequence[str] = MEASURES
) -> list[Path]:
    """Write what trec_eval -q prints, a file a run, with a summary at the end."""
    folder.mkdir(parents=True)
    values = np.stack([scores(topics, len(names), seed) for seed in range(len(measures))])
    paths = [folder / f"{name}.eval" for name in names]
    labels = [f"{measure:<22}" for measure in measures]
    for path, own in zip(paths, np.moveaxis(values, 2, 0), strict=True):
        rows = [*zip(map(str, range(301, 301 + topics)), own.T, strict=True)]
        rows.append(("all", own.mean(axis=1)))
        path.write_text(
            "".join(
                f"{label}\t{topic}\t{score:.4f}\n"
                for topic, row in rows
                for label, score in zip(labels, row, strict=True)
            ),
            encoding="ascii",
        )
    return paths


@dataclass(frozen=True)
class Task:
    """A shared task: its topics, how many documents a run retrieves for one, how many are judged.

    The pool of a topic has half as many documents again as a run retrieves. Those judged are of
    the grades 0, 1 and 2, and relevant ones are found the earlier the more sense a run has.
    """

    topics: int
    depth: int
    judged: int = 150
    seed: int = 0

    @cached_property
    def documents(self) -> Integers:
        """The numbers of the documents in the pool of each topic; the first ones are judged."""
        pool = self.depth * 3 // 2 + self.judged
        numbers = np.random.default_rng((self.seed, 0)).permutation(self.topics * pool)
        return numbers.reshape(self.topics, pool)

    @cached_property
    def grades(self) -> Integers:
        """The grade of each judged document; every topic has a relevant one."""
        random = np.random.default_rng((self.seed, 1))
        grades = random.choice(3, (self.topics, self.judged), p=(0.75, 0.17, 0.08))
        grades[:, 0] = 1
        return grades

    def write_judgements(self, path: Path) -> Path:
        """Write qrels."""
        topics = np.repeat(np.arange(self.topics) + 1, self.judged)
        documents = _documents(self.documents[:, : self.judged].ravel())
        path.write_bytes(
            _lines(_digits(topics), " 0 ", documents, " ", _digits(self.grades.ravel()))
        )
        return path

    def write_run(self, path: Path, run: int) -> Path:
        """Write a run, best documents first; a .gz is packed."""
        random = np.random.default_rng((self.seed, 2, run))
        found = random.standard_normal(self.documents.shape)
        found[:, : self.judged] += self.grades * random.uniform(0.3, 1.5)
        found[:, : self.judged] += random.normal(0.5, 0.5, (self.topics, 1)) * (self.grades > 0)
        order = np.argsort(-found, axis=1)[:, : self.depth]
        scores = (20_000 + 2_500 * np.take_along_axis(found, order, axis=1)).astype(np.int64)
        scores = scores.clip(0).ravel()
        topics = np.repeat(np.arange(self.topics) + 1, self.depth)
        ranks = np.tile(np.arange(self.depth) + 1, self.topics)
        documents = _documents(np.take_along_axis(self.documents, order, axis=1).ravel())
        data = _lines(
            _digits(topics), " Q0 ", documents, " ", _digits(ranks), " ",
            _digits(scores // 1000), ".", _digits(scores % 1000, 3), f" run{run:04}",
        )  # fmt: skip
        path.write_bytes(gzip.compress(data, 6, mtime=0) if path.suffix == ".gz" else data)
        return path


# Lines are put together from columns of bytes, in which a zero byte stands for nothing: a hundred
# million of them take a minute, not an hour.

Column = NDArray[np.uint8]


def _digits(numbers: Integers, width: int = 1) -> Column:
    """Return whole numbers as texts of at least so many digits."""
    longest = max(width, len(str(numbers.max())))
    powers = 10 ** np.arange(longest - 1, -1, -1)
    digits = (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)
    optional = longest - width
    digits[:, :optional][numbers[:, None] < powers[:optional]] = 0
    return digits


def _documents(numbers: Integers) -> Column:
    """Return a name for each number below 10**11, such as clueweb09-en0042-13-00917."""
    scattered = numbers * 61_803_398_879 % 10**11  # which has no factor in common with 10
    parts = (
        "clueweb09-en", _digits(scattered // 10**7, 4), "-",
        _digits(scattered // 10**5 % 100, 2), "-", _digits(scattered % 10**5, 5),
    )  # fmt: skip
    return _side_by_side(*parts)


def _lines(*parts: str | Column) -> bytes:
    table = _side_by_side(*parts, "\n")
    data: bytes = table[table != 0].tobytes()
    return data


def _side_by_side(*parts: str | Column) -> Column:
    """Return columns, and texts that are the same in every line, as one."""
    lines = next(len(part) for part in parts if not isinstance(part, str))
    return np.hstack([
        np.broadcast_to(np.frombuffer(part.encode(), np.uint8), (lines, len(part)))
        if isinstance(part, str) else part
        for part in parts
    ])  # fmt: skip
