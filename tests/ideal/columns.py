"""Real columns of scores to be looked at: every fifth run of five collections, whole or in part."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from confint_cli.scores.scores import Matrix
from tests.reproduction.load import COLLECTIONS, DATA, collection, read, robust2004

EVERY = 5  # runs
SMALL = (10, 20, 50)  # topics, drawn at random from those that a collection has
DIGITS = 10_000  # scores are whole multiples of its inverse
FINE, COARSE, RECIPROCAL, LATTICE = "fine", "coarse", "reciprocal rank", "lattice"
KINDS = {
    FINE: ("map", "robust2004_ap", "Q_1000", "MSnDCG_1000", "nERR_1000"),
    COARSE: ("P30", "P1000"),
    RECIPROCAL: ("recip_rank",),
    LATTICE: ("P10", "robust2004_p10"),
}


@dataclass(frozen=True)
class Scores:
    """The scores of a run on some topics, in units of 1/`DIGITS`."""

    collection: str
    measure: str
    run: str
    whole: np.ndarray  # [topic]: whole numbers

    @property
    def kind(self) -> str:
        return next(kind for kind, measures in KINDS.items() if self.measure in measures)

    @property
    def topics(self) -> int:
        return len(self.whole)

    @property
    def values(self) -> np.ndarray:
        return self.whole / DIGITS


def columns() -> dict[int, list[Scores]]:
    """Return columns whose scores differ, by how many topics they have."""
    found: dict[int, list[Scores]] = {}
    for place, (name, matrix) in enumerate(_matrices()):
        topics = len(matrix.values)
        for size in sorted({*(small for small in SMALL if small < topics), topics}):
            random = np.random.default_rng([2024, place, size])
            for column in range(0, matrix.values.shape[1], EVERY):
                chosen = random.permutation(topics)[:size]
                one = _whole(matrix.values[chosen, column])
                if one.min() < one.max():
                    scores = Scores(name, matrix.measure, matrix.runs[column], one)
                    found.setdefault(size, []).append(scores)
    return dict(sorted(found.items()))


def _matrices() -> Iterator[tuple[str, Matrix]]:
    """Yield the scores of each collection by each of its measures."""
    known = {measure for measures in KINDS.values() for measure in measures}
    for name in COLLECTIONS:
        for matrix in collection(name):
            if matrix.measure in known:
                yield name, matrix
    yield "robust2004", robust2004()
    coarse = read([DATA / "robust2004" / "robust2004_p10.csv"], ())
    yield "robust2004", coarse.matrix(coarse.measures[0])


def _whole(values: np.ndarray) -> np.ndarray:
    whole = np.rint(values * DIGITS)
    assert np.abs(values * DIGITS - whole).max() < 1e-6  # or the truth would be of other scores
    return whole.astype(np.int64)
