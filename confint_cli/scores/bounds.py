"""How small and how large a measure may be: over all judgements of documents that nobody judged.

trec_eval counts a document without a judgement as not relevant. Here each such document that the
measure sees may get any grade up to the highest one of the file. A measure sees the documents that
the run retrieved; with a cutoff k, the first k of them. The grades of others stay as they are:
relevant documents that nobody retrieved are not covered. For a difference of two runs, a judgement
counts in both runs, and may be of any document that the measure sees in either of them.

Everything is [topic, rank] at once, for a block of topics at a time.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from confint_cli.common.arrays import BoolArray, FloatArray, Positions
from confint_cli.common.measures import parsed, split_outside

UNJUDGED, NOTHING = -1, -2
"""In the place of a grade: nobody judged the document; no document has this rank.

Other negative grades, which say that a document is unjudged too, are to be UNJUDGED here.
"""

_CELLS = 1 << 16  # numbers that are worked on at a time
_STEPS = 100  # of a search that ends after a few
_ALIKE = 4  # runs are alike that have a fourth of their unjudged documents in common
_WIDER = 2  # how much larger the largest of several numbers of documents is than the smallest one
_PATTERNS = 10  # shared documents whose judgements are tried in all combinations, by ERR
_ERR_SCALE = 16.0  # gdeval's: a document of grade g satisfies with probability (2^g - 1)/16
_RBP_DEPTH = 1000  # cwl_eval's: this many ranks have weights, which add up to 1


@dataclass(frozen=True)
class Ranked:
    """What a run retrieved for some topics, in trec_eval's order."""

    grades: Positions  # [topic, rank]: a grade from 0 on, UNJUDGED or NOTHING
    # [topic, rank], for differences: a number for each document, the same in all runs of a topic.
    documents: Positions | None = None

    def block(self, rows: slice, width: int) -> "Ranked":
        """Return some of the topics, with `width` ranks: the first ones, or more that are empty."""
        return Ranked(
            _of_width(self.grades[rows], width, NOTHING),
            None if self.documents is None else _of_width(self.documents[rows], width, 0),
        )


@dataclass(frozen=True)
class Bounds:
    """The least and the largest value of a measure, or of a difference, on each topic: [topic]."""

    least: FloatArray
    largest: FloatArray


def stacked(rankings: Sequence[Sequence[int]], filler: int = NOTHING) -> Positions:
    """Return the numbers of each ranking as a row of [topic, rank], filled up at its end."""
    sizes = np.array([len(ranking) for ranking in rankings], dtype=np.intp)
    rows: Positions = np.full((len(rankings), max([1, *sizes])), filler, dtype=np.intp)
    rows[np.arange(rows.shape[1]) < sizes[:, None]] = [one for row in rankings for one in row]
    return rows


def grade_counts(judged: Sequence[Iterable[int]], highest: int) -> Positions:
    """Return how many documents have each grade, [topic, grade], grades from 0 to the highest.

    `judged` has all grades of each topic; a negative one says that a document was not judged.
    """
    counts: Positions = np.zeros((len(judged), highest + 1), dtype=np.intp)
    for row, grades in zip(counts, judged, strict=True):
        found = np.fromiter(grades, dtype=np.intp)
        row[:] = np.bincount(found[found >= 0], minlength=highest + 1)
    return counts


# Which measures have bounds


@dataclass(frozen=True)
class BoundedMeasure:
    """A measure whose bounds are known."""

    kind: str  # a family: as trec_eval calls it, or ir_measures
    cutoff: int | None = None
    level: int = 1  # the lowest grade that is relevant, by a binary measure
    persistence: float = 0.8  # of RBP
    exponential: bool = False  # whether the gain of nDCG is 2^grade - 1


_CUT = re.compile(r"(?P<base>.*?)\s*(@(?P<cutoff>[0-9]{1,9}))?", re.DOTALL)
_CALL = re.compile(r"(?P<base>\w+)\s*(\((?P<parameters>.*)\))?", re.DOTALL)


def bounded(name: str, rel_level: int = 1) -> BoundedMeasure | None:
    """Return the measure of this name in any spelling, or None if it has no bounds.

    `rel_level` is for names that say no level themselves.
    """
    known = parsed(name)
    if known is None:
        return _beyond(name, rel_level)
    kind = known.measure.name.removesuffix("_cut")
    if kind not in _FAMILIES:
        return None
    level = rel_level if known.level is None else known.level
    return BoundedMeasure(kind, int(known.number) if known.number else None, level)


def _beyond(name: str, rel_level: int) -> BoundedMeasure | None:
    """Return one of ir_measures' own measures: RBP, ERR, and nDCG with gains 2^grade - 1."""
    cut = _CUT.fullmatch(name[:200])
    call = cut and _CALL.fullmatch(cut["base"])
    if not cut or not call:
        return None
    given = [part.partition("=") for part in split_outside(call["parameters"] or "")]
    parameters = {key.strip(): value.strip() for key, equals, value in given if key.strip()}
    cutoff = int(cut["cutoff"]) if cut["cutoff"] else None
    kind = call["base"].casefold()
    if cutoff == 0:
        return None
    if kind == "err" and cutoff and not parameters:
        return BoundedMeasure("ERR", cutoff)
    if kind == "ndcg" and cutoff and parameters in ({"dcg": "'exp-log2'"}, {"dcg": '"exp-log2"'}):
        return BoundedMeasure("ndcg", cutoff, exponential=True)
    if kind == "rbp" and cutoff is None and parameters.keys() <= {"p", "rel"}:
        try:
            level = int(parameters.get("rel", rel_level))
            persistence = float(parameters.get("p", "0.8"))
        except ValueError:
            return None
        if level >= 1 and 0 < persistence < 1:
            return BoundedMeasure("RBP", None, level, persistence)
    return None


_WITHOUT_UNJUDGED = "leaves out unjudged documents, instead of counting them as not relevant"
_NOT_HERE = (
    "has no bounds: confint has bounds for P, Success, RR, Recall, AP, Rprec, nDCG, RBP and ERR@k"
)


def why_refused(name: str) -> str:
    """Return why a measure has no bounds, as what follows its name in a sentence; '': it has."""
    if bounded(name) is not None:
        return ""
    known = parsed(name)
    leaves_out = known is not None and known.measure.name in ("bpref", "infAP")
    return _WITHOUT_UNJUDGED if leaves_out or "judged_only=True" in name else _NOT_HERE


# One run, and two


def bounds(measure: BoundedMeasure, run: Ranked, counts: Positions) -> Bounds:
    """Return the least and the largest value of a run; both are attained.

    `counts` [topic, grade] is how many documents of a topic have each grade, retrieved or not; its
    last column is of the highest grade of the whole file, which new judgements may have.
    """
    width = _width(measure, run)
    of_one = _FAMILIES[measure.kind][0]
    return _joined(
        of_one(measure, run.block(rows, width).grades, counts[rows])
        for rows in _blocks(len(counts), width)
    )


def bounds_of_difference(
    measure: BoundedMeasure, first: Ranked, second: Ranked, counts: Positions
) -> Bounds:
    """Return the least and the largest value of first - second, over judgements that both share.

    Some judgements give each of them. But those of AP, and of ERR that sees more than `_PATTERNS`
    ranks, may be a little too wide.
    """
    width = max(_width(measure, first), _width(measure, second))
    of_two = _FAMILIES[measure.kind][1]
    return _joined(
        of_two(measure, first.block(rows, width), second.block(rows, width), counts[rows])
        for rows in _blocks(len(counts), 2 * width)
    )


def _width(measure: BoundedMeasure, run: Ranked) -> int:
    """Return how many ranks the measure sees."""
    deepest = _RBP_DEPTH if measure.kind == "RBP" else measure.cutoff
    width: int = run.grades.shape[1]
    return width if deepest is None else min(width, deepest)


def _of_width(rows: Positions, width: int, filler: int) -> Positions:
    missing = width - rows.shape[1]
    if missing <= 0:
        return rows[:, :width]
    return np.pad(rows, ((0, 0), (0, missing)), constant_values=filler)


def _blocks(topics: int, width: int) -> Iterator[slice]:
    size = max(1, _CELLS // width)
    for start in range(0, max(topics, 1), size):
        yield slice(start, start + size)


def _joined(parts: Iterable[Bounds]) -> Bounds:
    least, largest = zip(*((part.least, part.largest) for part in parts), strict=True)
    return Bounds(np.concatenate(least), np.concatenate(largest))


def _swapped(largest: FloatArray, of_swapped: FloatArray) -> Bounds:
    """Return the bounds of a value from its largest one, and from the largest of it negated."""
    return Bounds(0.0 - of_swapped, largest)  # no -0.0


def _over(numerator: FloatArray | Positions, denominator: FloatArray | Positions) -> FloatArray:
    """Return the ratio; 0 where there is nothing to divide by, as by trec_eval."""
    ratio: FloatArray = numerator / np.where(denominator == 0, 1, denominator)
    return ratio


def _relevant(measure: BoundedMeasure, counts: Positions) -> Positions:
    """Return how many documents are judged relevant, R of the formulas, [topic]."""
    relevant: Positions = counts[:, measure.level :].sum(axis=1)
    return relevant


def _binary(
    measure: BoundedMeasure, grades: Positions, counts: Positions
) -> tuple[BoolArray, BoolArray]:
    """Return which documents are relevant, and which may turn out to be, [topic, rank] each."""
    can_be = measure.level < counts.shape[1]
    return grades >= measure.level, (grades == UNJUDGED) & can_be


@dataclass(frozen=True)
class _Union:
    """The unjudged documents that a measure sees in one of two runs, [topic, document].

    Ranks count from 0; that of a document that a run lacks is `nowhere`, one more than the last.
    """

    first: Positions
    second: Positions
    sizes: Positions  # documents of each topic, [topic]; what is behind them is nowhere in both
    nowhere: int

    @property
    def both(self) -> BoolArray:
        """Which documents both runs have."""
        return (self.first < self.nowhere) & (self.second < self.nowhere)

    def weighted(self, table: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what the table [rank] has for each document in either run; 0 for nowhere."""
        padded = np.append(table, 0.0)
        return padded[self.first], padded[self.second]


def _union(first: Ranked, second: Ranked) -> _Union:
    """Return the unjudged documents of two runs.

    Topic, document, run and rank are packed into one number, so that one sort brings together what
    is of one document: that is several times as fast as to sort an order.
    """
    topics, width = first.grades.shape
    rank_bits = width.bit_length()
    keys = []
    for side, run in enumerate((first, second)):
        assert run.documents is not None, "differences need to know which documents are the same"
        rows, ranks = np.nonzero(run.grades == UNJUDGED)
        keys.append((rows, run.documents[rows, ranks], (side << rank_bits) + ranks))
    largest = max((int(documents.max(initial=0)) for _, documents, _ in keys), default=0)
    document_bits = largest.bit_length()
    packed = np.sort(
        np.concatenate(
            [
                ((rows << document_bits) + documents << (rank_bits + 1)) + places
                for rows, documents, places in keys
            ]
        )
    )
    documents = packed >> (rank_bits + 1)
    is_new = np.ones(len(documents), dtype=np.bool_)
    is_new[1:] = documents[1:] != documents[:-1]
    row_of = documents >> document_bits
    sizes = np.bincount(row_of[is_new], minlength=topics)
    starts = np.cumsum(sizes) - sizes
    column = np.cumsum(is_new) - 1 - starts[row_of]
    side_of = (packed >> rank_bits) & 1
    rank_of = packed & ((1 << rank_bits) - 1)
    ranks_of_runs: Positions = np.full((2, topics, sizes.max(initial=0)), width, dtype=np.intp)
    ranks_of_runs[side_of, row_of, column] = rank_of
    return _Union(ranks_of_runs[0], ranks_of_runs[1], sizes, width)


# P and RBP: sums of weights of relevant documents


def _weights(measure: BoundedMeasure, width: int) -> tuple[FloatArray, float]:
    """Return the weight of each rank, and what their sum is divided by."""
    if measure.kind == "P":
        return np.ones(width), float(measure.cutoff or 1)
    p = measure.persistence
    weights: FloatArray = (1 - p) * p ** np.arange(width, dtype=np.float64)
    return weights, 1 - p**_RBP_DEPTH


def _sum(measure: BoundedMeasure, grades: Positions, counts: Positions) -> Bounds:
    """Nothing that is unjudged is relevant, or everything."""
    relevant, unjudged = _binary(measure, grades, counts)
    weights, total = _weights(measure, grades.shape[1])
    return Bounds(relevant @ weights / total, (relevant | unjudged) @ weights / total)


def _sum_of_two(
    measure: BoundedMeasure, first: Ranked, second: Ranked, counts: Positions
) -> Bounds:
    """Each document adds its weight in the first run minus that in the second, or nothing."""
    weights, total = _weights(measure, first.grades.shape[1])
    known = sum(
        sign * (_binary(measure, run.grades, counts)[0] @ weights)
        for sign, run in ((1, first), (-1, second))
    )
    here, there = _union(first, second).weighted(weights)
    added = (here - there) * (measure.level < counts.shape[1])
    return Bounds(
        (known + np.minimum(added, 0).sum(axis=1)) / total,
        (known + np.maximum(added, 0).sum(axis=1)) / total,
    )


# RR and Success: the first relevant document decides


def _by_rank(measure: BoundedMeasure, width: int) -> FloatArray:
    """Return the value if the first relevant document is at a rank, [rank]."""
    return np.ones(width) if measure.kind == "success" else 1 / np.arange(1.0, width + 1)


def _first(measure: BoundedMeasure, grades: Positions, counts: Positions) -> Bounds:
    """Nothing that is unjudged is relevant, or everything."""
    relevant, unjudged = _binary(measure, grades, counts)
    values = _by_rank(measure, grades.shape[1])
    least = np.where(relevant, values, 0).max(axis=1, initial=0)
    return Bounds(least, np.where(relevant | unjudged, values, 0).max(axis=1, initial=0))


def _first_of_two(
    measure: BoundedMeasure, first: Ranked, second: Ranked, counts: Positions
) -> Bounds:
    """One new relevant document, or none, is best for either side: more only help the other one."""
    values = _by_rank(measure, first.grades.shape[1])
    known = [_first(measure, run.grades, counts[:, :0]).least for run in (first, second)]
    here, there = _union(first, second).weighted(values)
    could_be = measure.level < counts.shape[1]
    here, there = here * could_be, there * could_be
    differences = np.maximum(known[0][:, None], here) - np.maximum(known[1][:, None], there)
    now = known[0] - known[1]
    return Bounds(
        np.minimum(now, differences.min(axis=1, initial=np.inf)),
        np.maximum(now, differences.max(axis=1, initial=-np.inf)),
    )


# Recall


def _recall(measure: BoundedMeasure, grades: Positions, counts: Positions) -> Bounds:
    """r/R and (r + u)/(R + u) with u unjudged documents."""
    relevant, unjudged = _binary(measure, grades, counts)
    found, could_be = relevant.sum(axis=1), unjudged.sum(axis=1)
    pool = _relevant(measure, counts)
    return Bounds(_over(found, pool), _over(found + could_be, pool + could_be))


def _recall_of_two(
    measure: BoundedMeasure, first: Ranked, second: Ranked, counts: Positions
) -> Bounds:
    """Relevant is what only one run has; and what both have, if the lead gets nearer to 0 by it."""
    found = [_binary(measure, run.grades, counts)[0].sum(axis=1) for run in (first, second)]
    union = _union(first, second)
    could_be = measure.level < counts.shape[1]
    both = union.both.sum(axis=1) * could_be
    only_first = (union.first < union.nowhere).sum(axis=1) * could_be - both
    only_second = (union.second < union.nowhere).sum(axis=1) * could_be - both
    pool = _relevant(measure, counts)

    def largest(lead: Positions, own: Positions) -> FloatArray:
        numerator, denominator = lead + own, pool + own
        return _over(numerator, denominator + np.where(numerator < 0, both, 0))

    lead = found[0] - found[1]
    return _swapped(largest(lead, only_first), largest(-lead, only_second))


# AP


@dataclass(frozen=True)
class _PrecisionSums:
    """Sums of precisions at relevant ranks with m new relevant documents, [topic, rank].

    With m of them, the sum is largest if they are the first m unjudged documents, and least if they
    are the last m. At the rank of each unjudged document is the number m with which it is reached
    from the top or from the bottom, and that sum; at other ranks is what an unjudged one has.
    """

    now: FloatArray  # with none, [topic]
    best: FloatArray
    best_m: Positions
    worst: FloatArray
    worst_m: Positions
    alone: FloatArray  # what a new relevant document adds by the known ones
    unjudged: BoolArray


def _precision_sums(
    measure: BoundedMeasure, grades: Positions, counts: Positions
) -> _PrecisionSums:
    """Return the sums of all m at once.

    A new relevant document at rank r, with k known relevant ones down to r and j new ones above,
    adds its own precision (k + j + 1)/r, and 1/i to that of each relevant one further down at i.
    """
    relevant, unjudged = _binary(measure, grades, counts)
    inverse = 1 / np.arange(1.0, grades.shape[1] + 1)
    found = relevant.cumsum(axis=1)
    now = (relevant * found) @ inverse
    new = unjudged.cumsum(axis=1)
    alone = found * inverse + _below(relevant * inverse)
    best = now[:, None] + np.where(unjudged, alone + new * inverse, 0).cumsum(axis=1)
    added = np.where(unjudged, alone + inverse + _below(unjudged * inverse), 0)
    worst = now[:, None] + added + _below(added)
    left = new[:, -1:] - new + unjudged
    return _PrecisionSums(now, best, new, worst, left, alone, unjudged)


def _below(rows: FloatArray) -> FloatArray:
    """Return the sum of what stands behind each number in its row."""
    sums = rows.cumsum(axis=1)
    below: FloatArray = sums[:, -1:] - sums
    return below


def _ap(measure: BoundedMeasure, grades: Positions, counts: Positions) -> Bounds:
    """The least and the largest ratio over all m: the first m, or the last m, over R + m."""
    sums = _precision_sums(measure, grades, counts)
    pool = _relevant(measure, counts)[:, None]
    now = _over(sums.now, pool[:, 0])
    return Bounds(
        np.minimum(now, _over(sums.worst, pool + sums.worst_m).min(axis=1)),
        np.maximum(now, _over(sums.best, pool + sums.best_m).max(axis=1)),
    )


def _ap_of_two(measure: BoundedMeasure, first: Ranked, second: Ranked, counts: Positions) -> Bounds:
    """An outer bound: for each m, the first m of one run, and the last m of the other.

    Both are over R + m, with the same m. Of T unjudged documents in all, a run that has u of them
    has min(m, u) of the m at most, and max(0, m - (T - u)) at least. Where the runs have many in
    common, the bound of `_leads_by_order` is often nearer: the smaller one counts.
    """
    runs = [_precision_sums(measure, run.grades, counts) for run in (first, second)]
    could_be = measure.level < counts.shape[1]
    union = _union(first, second)
    total = union.sizes * could_be
    m = np.arange(total.max(initial=0) + 1)
    pool = _relevant(measure, counts)[:, None] + m
    most, fewest = [], []
    for sums in runs:
        most.append(_by_number(sums, sums.best, sums.best_m, len(m)))
        spare = total - sums.unjudged.sum(axis=1)
        own = np.maximum(m - spare[:, None], 0)
        worst = _by_number(sums, sums.worst, sums.worst_m, len(m))
        fewest.append(np.take_along_axis(worst, own, axis=1))
    leads = [most[0] - fewest[1], most[1] - fewest[0]]
    alike = np.flatnonzero(union.both.sum(axis=1) * _ALIKE >= np.maximum(total, 1))
    if alike.size and could_be:
        for lead, by_order in zip(leads, _leads_by_order(runs, union, alike), strict=True):
            lead[alike] = np.minimum(lead[alike], by_order)
    is_possible = m <= total[:, None]
    largest = [np.where(is_possible, _over(lead, pool), -np.inf).max(axis=1) for lead in leads]
    return _swapped(largest[0], largest[1])


def _by_number(
    sums: _PrecisionSums, reached: FloatArray, number: Positions, size: int
) -> FloatArray:
    """Return sums by m, [topic, m]; for an m that is too large, that of the largest one."""
    by_m = np.zeros((len(reached), size))
    by_m[:, 0] = sums.now
    rows, ranks = np.nonzero(sums.unjudged)
    by_m[rows, number[rows, ranks]] = reached[rows, ranks]
    filled: FloatArray = np.maximum.accumulate(by_m, axis=1)  # sums grow with m
    return filled


def _leads_by_order(
    runs: Sequence[_PrecisionSums], union: _Union, rows: Positions
) -> tuple[FloatArray, FloatArray]:
    """Return how far the sums of either run may be above the other's, [topic, m], on some topics.

    If document d is new, and j(d) of the new ones stand at it or above it, it adds a(d) + j(d)/r(d)
    to the sum of a run, a by the known ones: so each adds its difference of the two runs, of which
    only the j are not known. Of the n unjudged documents at d or above, and T in all, they are
    min(n, m) at most and max(1, m - (T - n)) at least, and those of the two runs differ by as many
    as d has above it in one and not in the other. The m that may add most are taken. Of two equal
    runs, nothing is left: both add the same. For speed, the limits of j are those of several m.
    """
    sizes, size = union.sizes[rows], union.first.shape[1]
    ranks = (union.first[rows], union.second[rows])
    is_one = np.arange(size) < sizes[:, None]
    both = union.both[rows]

    def of(numbers: FloatArray | Positions, side: int) -> FloatArray:
        padded = np.concatenate([numbers[rows], np.zeros((len(rows), 1))], axis=1)
        return np.take_along_axis(padded, ranks[side], axis=1)

    alone = [of(run.alone, side) for side, run in enumerate(runs)]
    number = [of(run.best_m, side) for side, run in enumerate(runs)]
    inverse = [np.where(of_run < union.nowhere, 1 / (of_run + 1.0), 0.0) for of_run in ranks]
    overtaken = _overtaken(ranks[0], ranks[1], union.nowhere)
    # above d in the second and not in the first: the same, except for what is above it in each.
    ahead = (overtaken, overtaken - number[0] + number[1])

    def lead(one: int, other: int) -> FloatArray:
        known = np.where(is_one, alone[one] - alone[other], -np.inf)
        nearer = inverse[one] - inverse[other]
        sums = np.empty((len(rows), size + 1))
        sums[:, 0] = 0
        fewest = 1
        while fewest <= size:  # for m from `fewest` to `most`
            most = min(size, int(_WIDER * fewest))
            below = fewest - sizes[:, None]
            low = [np.maximum(1.0, own + below) for own in number]
            high = [np.minimum(own, most) for own in number]
            apart = high[one] * inverse[one] - low[other] * inverse[other]
            least = np.minimum(ahead[one], most - 1.0)
            by_one, by_other = (
                np.maximum(low[side] * nearer, high[side] * nearer) + least * inverse[of_ahead]
                for side, of_ahead in ((one, other), (other, one))
            )
            new = np.where(both, np.minimum(apart, np.minimum(by_one, by_other)), apart)
            falling = np.sort(-known - new, axis=1)[:, :most]
            sums[:, fewest : most + 1] = -falling.cumsum(axis=1)[:, fewest - 1 :]
            fewest = most + 1
        return sums + (runs[one].now - runs[other].now)[rows, None]

    return lead(0, 1), lead(1, 0)


def _overtaken(first: Positions, second: Positions, nowhere: int) -> FloatArray:
    """Return how many documents are above each one in the first run, and not in the second.

    Ranks are [topic, document]. Two ranks in the second run differ first in one bit, and agree in
    those above it: for each bit, the documents that agree so are counted in the first run's order,
    as many as have a 1 before a 0.
    """
    there: Positions = np.zeros((len(first), nowhere + 1), dtype=np.intp)  # [topic, first's rank]
    np.put_along_axis(there, first, second + 1, axis=1)
    there[:, nowhere] = 0
    small = np.int16 if nowhere < np.iinfo(np.int16).max else np.intp  # which sorts faster
    number = np.zeros(there.shape)
    for bit in range((nowhere + 1).bit_length()):
        groups = (there >> (bit + 1)).astype(small)
        order = np.argsort(groups, axis=1, kind="stable")
        is_high = np.take_along_axis(there >> bit & 1, order, axis=1)
        groups = np.take_along_axis(groups, order, axis=1)
        before = is_high.cumsum(axis=1) - is_high
        begins = np.ones(there.shape, dtype=np.bool_)
        begins[:, 1:] = groups[:, 1:] != groups[:, :-1]
        at_begin = np.maximum.accumulate(np.where(begins, before, 0), axis=1)
        found = np.zeros(there.shape)
        np.put_along_axis(found, order, np.where(is_high, 0, before - at_begin), axis=1)
        number += found
    return np.take_along_axis(number, first, axis=1)


# R-precision


def _rprec(measure: BoundedMeasure, grades: Positions, counts: Positions) -> Bounds:
    """With m new relevant documents, as many as can be, or as few, are among the first R + m."""
    relevant, unjudged = _binary(measure, grades, counts)
    found, could_be = _down_to(relevant), _down_to(unjudged)
    total = could_be[:, -1:]
    m = np.arange(total.max(initial=0) + 1)
    pool = _relevant(measure, counts)[:, None] + m
    depth = np.minimum(pool, grades.shape[1])
    known, above = (np.take_along_axis(rows, depth, axis=1) for rows in (found, could_be))
    least = _over(known + np.maximum(m - (total - above), 0), pool)
    largest = _over(known + np.minimum(m, above), pool)
    is_possible = m <= total
    return Bounds(
        np.where(is_possible, least, np.inf).min(axis=1),
        np.where(is_possible, largest, -np.inf).max(axis=1),
    )


def _down_to(flags: BoolArray) -> Positions:
    """Return how many flags are set among the first 0, 1, 2 … of each row, [topic, rank + 1]."""
    number: Positions = np.zeros((len(flags), flags.shape[1] + 1), dtype=np.intp)
    np.cumsum(flags, axis=1, out=number[:, 1:])
    return number


def _rprec_of_two(
    measure: BoundedMeasure, first: Ranked, second: Ranked, counts: Positions
) -> Bounds:
    """Of m new relevant documents, first those that count only for one run, last the other's.

    How many of either there are depends on the depth R + m.
    """
    width = first.grades.shape[1]
    binary = [_binary(measure, run.grades, counts) for run in (first, second)]
    union = _union(first, second)
    could_be = measure.level < counts.shape[1]
    deeper = np.maximum(union.first, union.second)
    rows = np.repeat(np.arange(len(counts)), deeper.shape[1])
    by_depth = np.bincount(
        rows * (width + 1) + deeper.ravel(), minlength=len(counts) * (width + 1)
    ).reshape(-1, width + 1)
    total = (union.sizes * could_be)[:, None]
    m = np.arange(total.max(initial=0) + 1)
    pool = _relevant(measure, counts)[:, None] + m
    depth = np.minimum(pool, width)

    def at_depth(numbers: Positions) -> Positions:
        return np.take_along_axis(numbers, depth, axis=1)

    in_both = _down_to_depth(by_depth) * could_be
    both = at_depth(in_both)
    own, other = (at_depth(_down_to(unjudged)) - both for _, unjudged in binary)
    found, found_by_other = (at_depth(_down_to(relevant)) for relevant, _ in binary)
    is_possible = m <= total

    def largest(lead: Positions, own: Positions, other: Positions) -> FloatArray:
        numerator = lead + np.minimum(m, own) - np.maximum(m - (total - other), 0)
        ratio: FloatArray = np.where(is_possible, _over(numerator, pool), -np.inf).max(axis=1)
        return ratio

    lead = found - found_by_other
    return _swapped(largest(lead, own, other), largest(-lead, other, own))


def _down_to_depth(by_depth: Positions) -> Positions:
    """Return how many documents are above each depth, [topic, depth], given those at each."""
    number: Positions = by_depth.cumsum(axis=1) - by_depth
    return number


# nDCG


def _discounts(measure: BoundedMeasure, number: int) -> FloatArray:
    """Return the discounts of the first ranks, [rank]; 0 below the cutoff."""
    discounts = 1 / np.log2(np.arange(2, number + 2))
    if measure.cutoff is not None:
        discounts[measure.cutoff :] = 0
    return discounts


def _gains(measure: BoundedMeasure, counts: Positions) -> FloatArray:
    """Return the gain of each grade, [grade]."""
    grades = np.arange(counts.shape[1], dtype=np.float64)
    return 2.0**grades - 1 if measure.exponential else grades


@dataclass(frozen=True)
class _Ideal:
    """Ideal sums of gains with m new documents of a grade or above, [topic, grade, m].

    Those of grades 1, 2 … add up, each times the gain that it has more than the grade below.
    """

    sums: FloatArray
    steps: FloatArray  # how much more a grade gains than the one below, [grade]


def _ideal(measure: BoundedMeasure, counts: Positions, unjudged: int) -> _Ideal:
    """Return the ideal sums with up to this many new documents."""
    of_grade_or_above = counts[:, :0:-1].cumsum(axis=1)[:, ::-1]  # [topic, grade - 1]
    size = int(of_grade_or_above.max(initial=0)) + unjudged
    sums = np.append(0.0, np.cumsum(_discounts(measure, size)))
    places = of_grade_or_above[:, :, None] + np.arange(unjudged + 1)
    return _Ideal(sums[places], np.diff(_gains(measure, counts)))


def _dcg(measure: BoundedMeasure, grades: Positions, counts: Positions) -> FloatArray:
    """Return the discounted gain of the judged documents of a ranking, [topic]."""
    dcg: FloatArray = _gains(measure, counts)[np.maximum(grades, 0)] @ _discounts(
        measure, grades.shape[1]
    )
    return dcg


def _ndcg(measure: BoundedMeasure, grades: Positions, counts: Positions) -> Bounds:
    """See `_largest_ratio`."""
    discounts = _discounts(measure, grades.shape[1])
    unjudged = grades == UNJUDGED
    known = _dcg(measure, grades, counts)
    ideal = _ideal(measure, counts, int(unjudged.sum(axis=1).max(initial=0)))
    added = np.broadcast_to(discounts, grades.shape)
    return _swapped(
        _largest_ratio(known, _in_order(added, unjudged, ideal), ideal),
        _largest_ratio(-known, _in_order(-added, unjudged, ideal), ideal),
    )


def _ndcg_of_two(
    measure: BoundedMeasure, first: Ranked, second: Ranked, counts: Positions
) -> Bounds:
    """The same with differences of discounts: a new document adds gain to both runs."""
    known, known_of_other = (_dcg(measure, run.grades, counts) for run in (first, second))
    union = _union(first, second)
    here, there = union.weighted(_discounts(measure, first.grades.shape[1]))
    is_one = np.arange(here.shape[1]) < union.sizes[:, None]
    ideal = _ideal(measure, counts, here.shape[1])
    lead, added = known - known_of_other, here - there
    return _swapped(
        _largest_ratio(lead, _in_order(added, is_one, ideal), ideal),
        _largest_ratio(-lead, _in_order(-added, is_one, ideal), ideal),
    )


def _in_order(added: FloatArray, unjudged: BoolArray, ideal: _Ideal) -> FloatArray:
    """Return the sum of the m largest of each row, [topic, m]; -∞ where there are fewer."""
    size = ideal.sums.shape[2] - 1
    falling = np.sort(np.where(unjudged, -added, np.inf), axis=1)[:, :size]
    sums = np.zeros((len(added), size + 1))
    np.cumsum(-falling, axis=1, out=sums[:, 1:])
    return sums


def _largest_ratio(known: FloatArray, sums: FloatArray, ideal: _Ideal) -> FloatArray:
    """Return the largest (known + Σ gain·c)/ideal over all grades of the unjudged documents.

    c is what a document adds per gain, and `sums` [topic, m] that of the m largest. Gain adds up
    over grades: if m(g) documents have grade g or above, the best ones are those with the largest
    c, and the ratio is (known + Σ w(g)·sums[m(g)])/Σ w(g)·ideal[g, m(g)], w the steps of gain.

    Dinkelbach (Management Science 13, 1967): a ratio is the largest, t, if no choice makes
    numerator - t·denominator larger than 0; this choice is made for each grade by itself, and gives
    a larger ratio for as long as there is one. Ideal sums flatten as they grow, and those of higher
    grades begin where they are steeper, so if t ≥ 0, m(g) falls with g, as it must. If t < 0,
    it would rise, so all m(g) are equal: then only the highest grade and 0 have to be tried, which
    is where the search begins.
    """
    steps = ideal.steps
    if not len(steps):
        return np.zeros(len(known))
    whole = np.einsum("tgm,g->tm", ideal.sums, steps)
    best: FloatArray = _over(known[:, None] + steps.sum() * sums, whole).max(axis=1)
    left = np.flatnonzero(best >= 0) if len(steps) > 1 else np.empty(0, dtype=np.intp)
    for _ in range(_STEPS):
        if not left.size:
            break
        ideals = ideal.sums[left]
        chosen = (sums[left, None] - best[left, None, None] * ideals).argmax(axis=2)
        added = np.take_along_axis(sums[left], chosen, axis=1) @ steps
        denominator = np.take_along_axis(ideals, chosen[:, :, None], axis=2)[:, :, 0] @ steps
        ratio = _over(known[left] + added, denominator)
        is_better = ratio > best[left] + 1e-15
        left = left[is_better]
        best[left] = ratio[is_better]
    return best


# ERR


def _stopping(counts: Positions) -> FloatArray:
    """Return the probability that a document of a grade satisfies, [grade]."""
    satisfying: FloatArray = (2.0 ** np.arange(counts.shape[1], dtype=np.float64) - 1) / _ERR_SCALE
    return satisfying


def _err_of(stops: FloatArray) -> FloatArray:
    """Return ERR from probabilities [rank, …] that the reader stops, by Horner's rule."""
    value = np.zeros(stops.shape[1:])
    for rank in range(len(stops), 0, -1):
        stop = stops[rank - 1]
        value = stop / rank + (1 - stop) * value
    return value


def _err(_measure: BoundedMeasure, grades: Positions, counts: Positions) -> Bounds:
    """Everything that is unjudged has grade 0, or the highest."""
    stopping = _stopping(counts)
    stops = stopping[np.maximum(grades, 0)]
    highest = np.where(grades == UNJUDGED, stopping[-1], stops)
    return Bounds(_err_of(stops.T), _err_of(highest.T))


def _err_of_two(
    _measure: BoundedMeasure, first: Ranked, second: Ranked, counts: Positions
) -> Bounds:
    """Every judgement is 0 or the highest: ERR is linear in what a document adds, others given.

    It grows with each of them, so for documents that only one run has, one end is best. Of those
    that both have, the first `_PATTERNS` are tried in all combinations; the others are counted as
    the highest for one run and as 0 for the other, which makes an outer bound.
    """
    stopping = _stopping(counts)
    union = _union(first, second)
    runs = [stopping[np.maximum(run.grades, 0)] for run in (first, second)]
    highs = [
        np.where(run.grades == UNJUDGED, stopping[-1], stops)
        for run, stops in zip((first, second), runs, strict=True)
    ]
    nearest = np.where(union.both, np.minimum(union.first, union.second), union.nowhere)
    order = np.argsort(nearest, axis=1, kind="stable")[:, :_PATTERNS]
    ranks = [np.take_along_axis(of_run, order, axis=1) for of_run in (union.first, union.second)]
    shared = np.minimum(union.both.sum(axis=1), _PATTERNS)
    largest = np.empty((2, len(counts)))
    for number in np.unique(shared):
        patterns = np.arange(1 << number)[:, None] >> np.arange(number) & 1  # [pattern, document]
        high = patterns * stopping[-1]
        size = max(1, _CELLS // (len(high) * first.grades.shape[1]))
        topics = np.flatnonzero(shared == number)
        for start in range(0, len(topics), size):
            chosen = topics[start : start + size]
            places = [of_run[chosen, :number] for of_run in ranks]
            for way, (one, other) in enumerate(((0, 1), (1, 0))):
                values = _err_of(_with_patterns(highs[one][chosen], places[one], high))
                values -= _err_of(_with_patterns(runs[other][chosen], places[other], high))
                largest[way, chosen] = values.max(axis=0)
    return _swapped(largest[0], largest[1])


def _with_patterns(stops: FloatArray, places: Positions, patterns: FloatArray) -> FloatArray:
    """Return stops [rank, pattern, topic], those at the places [topic, document] by pattern."""
    filled = np.repeat(stops.T[:, None, :], len(patterns), axis=1)
    topics = np.arange(len(stops))
    for document, place in enumerate(places.T):
        filled[place, :, topics] = patterns[:, document]
    return filled


_Of1 = Callable[[BoundedMeasure, Positions, Positions], Bounds]
_Of2 = Callable[[BoundedMeasure, Ranked, Ranked, Positions], Bounds]
_FAMILIES: dict[str, tuple[_Of1, _Of2]] = {
    "P": (_sum, _sum_of_two),
    "RBP": (_sum, _sum_of_two),
    "success": (_first, _first_of_two),
    "recip_rank": (_first, _first_of_two),
    "recall": (_recall, _recall_of_two),
    "map": (_ap, _ap_of_two),
    "Rprec": (_rprec, _rprec_of_two),
    "ndcg": (_ndcg, _ndcg_of_two),
    "ERR": (_err, _err_of_two),
}
"""By kind, what bounds the values of one run, and what bounds differences of two."""
