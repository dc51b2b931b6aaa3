"""Random numbers: made here and nowhere else, seeded, in chunks of bounded memory."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from confint_cli.common.arrays import BoolArray, Counts, FloatArray, Positions
from confint_cli.common.parallel import ALONE, Workers

_CELLS = 1 << 19  # counts in a chunk: 4 MB
_COUNTED = 1 << 15  # draws that are counted at a time: more would leave the processor's cache
_KEPT_VARIATES = 8  # arrays of random numbers that many pairs of runs share
_SHUFFLED = 1 << 19  # scores that are shuffled at a time: 4 MB


@dataclass(frozen=True)
class Drawing:
    """How many random flips, permutations or resamples to draw, and from which seed."""

    number: int
    seed: int
    workers: Workers = ALONE  # who draws them, where pairs of runs can be divided among several

    @property
    def alone(self) -> "Drawing":
        """The drawing that a worker gets, which does its part of the work alone."""
        return replace(self, workers=ALONE)


@dataclass(frozen=True)
class Resamples:
    """Bootstrap resamples, `number` of them, each of `topics` topics drawn with replacement.

    They depend on these numbers and the seed (0 is a seed too) alone, so that every run and
    measure on the same topics shares them. With `strata`, as many topics of each collection are
    drawn as it has; collections follow one another.
    """

    topics: int
    number: int
    seed: int
    strata: tuple[int, ...] = ()

    def counts(self) -> Iterator[FloatArray]:
        """Yield chunks [resample, topic] that count how often each resample has each topic.

        A row times the scores is n times the resample's mean: one matrix product gives the means
        of all columns, many times faster than gathering the drawn scores would.
        """
        random = np.random.default_rng(self.seed)
        rows = max(1, _CELLS // self.topics)
        for start in range(0, self.number, rows):
            drawn = min(rows, self.number - start)
            parts = [_counts(random, drawn, size) for size in self.strata or (self.topics,)]
            yield parts[0] if len(parts) == 1 else np.hstack(parts)

    def in_few_bytes(self) -> list[Counts]:
        """Return all chunks of counts in the smallest type that holds them.

        They are to be kept, as to draw them again would take several times longer.
        """
        return [chunk.astype(self._least_kind) for chunk in self.counts()]

    @property
    def bytes(self) -> int:
        """How much memory `in_few_bytes` takes."""
        return self.topics * self.number * self._least_kind.itemsize

    @property
    def _least_kind(self) -> np.dtype[Any]:
        return np.min_scalar_type(self.topics)  # a topic may be the only one that is drawn


@dataclass(frozen=True)
class Flips:
    """Random signs for each of `topics` topics, `number` times."""

    topics: int
    number: int
    seed: int

    def signs(self) -> Iterator[FloatArray]:
        """Yield chunks [flip, topic] of 1 and -1."""
        random = generator(derived(self.seed, "flips"))
        rows = max(1, _COUNTED // self.topics)
        for start in range(0, self.number, rows):
            size = (min(rows, self.number - start), self.topics)
            turned = random.integers(2, size=size, dtype=np.int8).astype(float)
            yield 1 - 2 * turned


def shuffled(values: FloatArray, number: int, seed: int) -> Iterator[FloatArray]:
    """Yield chunks [copy, topic, run] of `number` copies of values[topic, run] in all.

    The scores of each topic are in random order. A chunk is good until the next one is asked for.
    """
    random = generator(derived(seed, "permutations"))
    copies = max(1, _SHUFFLED // values.size)
    room = np.repeat(values[None], min(copies, number), axis=0)
    for start in range(0, number, copies):
        chunk = room[: number - start]
        random.permuted(chunk, axis=2, out=chunk)  # of what is shuffled already: as good as anew
        yield chunk


@lru_cache(maxsize=_KEPT_VARIATES)
def normals(name: str, number: int, seed: int) -> FloatArray:
    """Return `number` standard normal numbers; those of each `name` are its own."""
    return _read_only(generator(derived(seed, "normal", name)).standard_normal(number))


@lru_cache(maxsize=_KEPT_VARIATES)
def chi_squares(name: str, freedom: float, number: int, seed: int) -> FloatArray:
    """Return `number` χ² numbers with these degrees of freedom; each `name` has its own."""
    random = generator(derived(seed, "chi-square", name, float(freedom)))  # 48 is 48.0
    return _read_only(random.chisquare(freedom, number))


def _read_only(shared: FloatArray) -> FloatArray:
    shared.flags.writeable = False
    return shared


def derived(seed: int, *names: str | float) -> int:
    """Return a seed that depends on these names, so that what it is for has numbers of its own."""
    digest = hashlib.sha256(json.dumps([seed, *names]).encode()).digest()
    return int.from_bytes(digest[:16], "big")


def generator(seed: int) -> np.random.Generator:
    """Return a source of random numbers."""
    return np.random.default_rng(seed)


def choose(random: np.random.Generator, rows: int, among: int, number: int) -> Positions:
    """Return `rows` random choices of `number` positions out of `among`, [row, number].

    The positions of a row are different and in ascending order.
    """
    return _lowest(random.random((rows, among)), number)


def draw_of_all(random: np.random.Generator, number: int, topics: int, size: int) -> Positions:
    """Return the positions of `size` topics for each of `number` samples, [sample, size].

    They are drawn with replacement, as `draw_topics` draws them if all topics are usable.
    """
    places: Positions = (random.random((number, size)) * topics).astype(np.intp)
    return places


def draw_topics(
    random: np.random.Generator, usable: BoolArray, size: int, *, replacement: bool
) -> Positions:
    """Return the positions of `size` topics for each sample, [sample, size].

    They are drawn at random from the topics that are usable[sample, topic].
    """
    if not replacement:
        keys = random.random(usable.shape)
        keys[~usable] = np.inf
        return _lowest(keys, size)
    if usable.all():
        return draw_of_all(random, len(usable), usable.shape[1], size)
    picks = random.random((len(usable), size)) * usable.sum(axis=1, keepdims=True)
    places: Positions = picks.astype(np.intp)
    usable_first = np.argsort(~usable, axis=1, kind="stable")
    return np.take_along_axis(usable_first, places, axis=1)


def _lowest(keys: FloatArray, number: int) -> Positions:
    """Return where the `number` lowest keys of each row are, [row, number], in ascending order.

    Without an order, machines that partition rows differently would return different ones.
    """
    lowest: Positions = np.argpartition(keys, number - 1, axis=1)[:, :number]
    lowest.sort(axis=1)
    return lowest


def _counts(random: np.random.Generator, rows: int, topics: int) -> FloatArray:
    """Return how often each of `rows` resamples has each topic, [resample, topic]."""
    counts = np.empty((rows, topics))
    step = max(1, _COUNTED // topics)
    for start in range(0, rows, step):
        block = counts[start : start + step]
        drawn = random.integers(topics, size=block.shape, dtype=np.uint32).astype(np.intp)
        drawn += np.arange(len(block))[:, None] * topics  # rows one after the other
        block[...] = np.bincount(drawn.reshape(-1), minlength=block.size).reshape(block.shape)
    return counts
