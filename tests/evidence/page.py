"""The section of docs/choosing.md that has the evidence: what was found, in tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.evidence.study import (
    JUDGED,
    JUDGED_SAMPLES,
    LEVEL,
    OF_DIFFERENCES,
    OF_MEANS,
    REPLICATES,
    RESAMPLES,
    SIZES,
    STANDARDIZED,
    TESTED_SAMPLES,
    TESTED_SIZES,
    TESTS,
    Covered,
    Judged,
    Outcome,
    Widths,
)
from tests.levels.page import wrapped
from tests.reproduction.run import number, table

FOR_ANY = OF_MEANS[:6]  # scores from 0 to 1, that is
OTHERS = ("t", "bootstrap-t")  # that samples which are not flagged are shown by
BEGIN = "<!-- the evidence: 'make reproduce' writes what follows -->"
END = "<!-- end of the evidence -->"
PLACES = {  # what a name in the tables stands for
    "TREC-8": "ad hoc, 50 topics, 129 runs",
    "TREC-13": "TREC 2004 Robust, 100 topics, 83 runs",
    "TREC-15": "TREC 2006 Terabyte, 149 topics, 61 runs",
    "NTCIR-7": "IR4QA, 97 topics, 40 runs",
    "Robust 2004": "the same track, all 249 topics, 110 runs",
    "Robust 2003": "100 topics, 17 runs",
    "DL 2021": "TREC Deep Learning, passages, 53 topics, 12 runs",
    "DL 2019": "43 topics, 37 runs, by compatibility",
    "CAsT 2021": "TREC conversational assistance, 158 turns, 4 runs",
    "Ranger": "two neural runs on each of six collections (ANTIQUE, DBpedia, NFCorpus, TREC-COVID, "
    "podcasts, TripClick), 50 to 1,143 topics",
    "tickets": "120 questions, 8 systems, right or wrong",
}

MEANS = """\
## The evidence

What this page says about intervals and tests rests on the tables below, unless it names another
page. `make reproduce` makes them anew, with the functions behind `confint coverage`, from {rows}
sets of real scores. A set is one measure on one collection. The collections are:

{places}

TREC-8, TREC-13, Robust 2003 and Robust 2004 share topics.

The topics of a collection are treated as if there were no others, so that the true mean is known.
What rarer topics would do that the collection lacks cannot be seen. Every run draws its own
{replicates} samples of {sizes} topics, with replacement, and the bootstrap {resamples} resamples of
each sample. Turns of one conversation are not independent topics; here they are drawn as if they
were.

### Intervals of a mean

A cell has one number per size of samples, {sizes} topics: the share of 95% intervals that miss the
true mean, on average over the runs. It should be .050.

- **Bold** is the method whose coverage of a run is closest to 95%, on average over the runs (mean
  |coverage - .95|), as in `confint coverage`. If two methods tie, both are bold.
- Chance decides some of the bold ones, and most of those at 100 topics: a cell near .05 has a
  standard error of {least} (129 runs) to {most} (4 runs), and one near .15 up to 1.6 times that.
- The last column has t intervals of scores standardised by all runs, where there are 20 or more.

"""
SUMMARY = """\
The next table sums up all {rows} sets of scores that are not all 0 or 1. Each set counts once.

- *misses*: the share of intervals that miss, as above.
- *distance*: the mean of |coverage - .95| over runs; chance by itself makes it {chance}.
- *below*: of the intervals that miss, the share that is below the truth; one half would be fair.
- *width*: the median over samples, as a share of the width of t.
- *unbounded*: the share of samples with an infinite limit.
- *worst*: the share that misses for the single run that fares worst, over all sets.
- *closest in*: on how many of these sets the method is bold above.

"""
DIFFERENCES = """\
### Intervals of a difference

The same tables for the differences of two runs. They have 100 pairs of runs, drawn at random and
anew for each measure, or all pairs where there are fewer (DL 2021 has 66, tickets 28, CAsT 2021 and
Ranger 6).

"""
SKEWED = """\
### What the note `skewed` is worth

The note uses the skewness of the sample, as nothing else is known, by Cochran's rule and for 30
topics or more. The table has the share of intervals that miss, for samples that the note flags and
for others. The brackets have its two parts: the truth is farther in the long tail, or it is on the
other side. Here {samples} samples of every run or pair are taken together, so sets with many runs
count more. Scores of 0 or 1 are left out.

"""
TESTED = """\
### Tests

The share of samples in which a test finds a difference at the 5% level although the means are
equal. The differences are those of two real runs minus their mean, so they stay as skewed as they
were. There are {samples} samples of every pair, and each cell is the mean over sets of 20 pairs or
more that are not all 0 or 1. For Wilcoxon's test this is no error in its own terms, as it does not
ask about means.

"""


@dataclass(frozen=True)
class Row:
    """All that was found of one collection and measure: what a row of a table has."""

    collection: str
    measure: str
    binary: bool
    covered: dict[tuple[str, int], Covered]  # by method and size, all columns together

    def closest(self, methods: Sequence[str], size: int) -> list[str]:
        """Return the method, or methods, that come closest."""
        distance = {
            method: round(self.covered[method, size].distance, 4)
            for method in methods
            if (method, size) in self.covered
        }
        return [method for method, own in distance.items() if own == min(distance.values())]


def rows_of(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return a row for each collection and measure, whose columns may come from several sets."""
    together: dict[tuple[str, str], list[Outcome]] = {}
    for one in outcomes:
        together.setdefault((one.collection, one.measure), []).append(one)
    rows = []
    for (collection, measure), own in together.items():
        parts: dict[tuple[str, int], list[Covered]] = {}
        for outcome in own:
            for covered in outcome.covered:
                parts.setdefault((covered.method, covered.size), []).append(covered)
        joined = {key: _joined(several) for key, several in parts.items()}
        rows.append(Row(collection, measure, own[0].binary, joined))
    return rows


def _joined(several: Sequence[Covered]) -> Covered:
    arrays = (
        np.concatenate([getattr(one, name) for one in several])
        for name in ("coverage", "miss_low", "miss_high", "width")
    )
    return Covered(several[0].method, several[0].size, *arrays)


def evidence(
    means: Sequence[Outcome],
    differences: Sequence[Outcome],
    judged: Mapping[str, Sequence[Judged]],
    tested: dict[tuple[str, int], dict[str, float]],
    widths: Mapping[str, Sequence[Widths]],
) -> str:
    """Return the whole section."""
    of_means, of_differences = rows_of(means), rows_of(differences)
    places = "\n".join(f"- **{name}**: {what}" for name, what in PLACES.items())
    sizes = ", ".join(map(str, SIZES[:-1])) + f" and {SIZES[-1]}"
    chance = number(np.sqrt(2 / np.pi * LEVEL * (1 - LEVEL) / REPLICATES), 4)
    errors = [np.sqrt(LEVEL * (1 - LEVEL) / REPLICATES / runs) for runs in (129, 4)]
    words = {"least": number(errors[0], 4), "most": number(errors[1], 4),
             "rows": len(of_means), "places": places, "sizes": sizes,
             "replicates": f"{REPLICATES:,}", "resamples": f"{RESAMPLES:,}"}  # fmt: skip
    about = {"rows": sum(not row.binary for row in of_means), "chance": chance}
    return "".join([
        wrapped(MEANS.format(**words)), _errors(of_means, OF_MEANS, STANDARDIZED), "\n",
        wrapped(SUMMARY.format(**about)), _summary(of_means, FOR_ANY, widths["scores"]), "\n",
        wrapped(DIFFERENCES), _errors(of_differences, OF_DIFFERENCES), "\n",
        _summary(of_differences, OF_DIFFERENCES, widths["differences"]), "\n",
        wrapped(SKEWED.format(samples=JUDGED_SAMPLES)), _flags(judged), "\n",
        wrapped(TESTED.format(samples=TESTED_SAMPLES)), _tests(tested),
    ])  # fmt: skip


def _errors(rows: Sequence[Row], methods: Sequence[str], last: str = "") -> str:
    """Return how often each method misses, by collection and measure."""
    shown = []
    for row in rows:
        cells = [row.collection, row.measure]
        for method in [*methods, *([last] if last else [])]:
            found = [row.covered.get((method, size)) for size in SIZES]
            cells.append(
                " ".join(
                    _cell(one, method in row.closest(methods, one.size))
                    for one in found
                    if one is not None
                )
                or "–"
            )
        shown.append(cells)
    return table(("collection", "measure", *methods, *([last] if last else [])), shown, left=2)


def _cell(found: Covered, closest: bool) -> str:
    text = number(found.error, 3)
    return f"**{text}**" if closest else text


def _summary(rows: Sequence[Row], methods: Sequence[str], widths: Sequence[Widths]) -> str:
    """Return the averages over all rows of scores that are not all 0 or 1."""
    there = [row for row in rows if not row.binary]
    figures: dict[str, Callable[[Row, str, int], float]] = {
        "misses": lambda row, method, size: row.covered[method, size].error,
        "distance": lambda row, method, size: row.covered[method, size].distance,
        "below": lambda row, method, size: _below(row.covered[method, size]),
    }
    shown = []
    for size in SIZES:
        for name, figure in figures.items():
            digits = 4 if name == "distance" else 3 if name == "misses" else 2
            values = [[figure(row, method, size) for row in there] for method in methods]
            shown.append([str(size), name, *(number(float(np.mean(own)), digits)
                                             for own in values)])  # fmt: skip
        (wide,) = (one for one in widths if one.size == size)
        shown += [
            [str(size), "width", *(number(wide.of_t[method], 2) for method in methods)],
            [str(size), "unbounded", *(number(wide.unbounded[method], 3) for method in methods)],
        ]
        worst = (
            max(1 - float(row.covered[method, size].coverage.min()) for row in there)
            for method in methods
        )
        shown.append([str(size), "worst", *(number(one, 2) for one in worst)])
        closest = [name for row in there for name in row.closest(methods, size)]
        shown.append([str(size), "closest in", *(str(closest.count(name)) for name in methods)])
    return table(("topics", "", *methods), shown, left=2)


def _below(found: Covered) -> float:
    return float(found.miss_high.sum() / (found.miss_low + found.miss_high).sum())


def _flags(judged: Mapping[str, Sequence[Judged]]) -> str:
    """Return how often intervals of flagged samples miss, and of others."""
    methods = [*dict.fromkeys(method for own in JUDGED.values() for method in own)]
    rows = []
    for kind, own in judged.items():
        for one in own:
            cells = [kind, str(one.size), f"{one.flagged.mean():.1%}"]
            for flagged, shown in ((True, methods), (False, OTHERS)):
                for method in shown:
                    cells.append("–")
                    if method in JUDGED[kind]:
                        shares = one.shares(method, flagged=flagged)
                        missed, beyond, short = (number(share, 3) for share in shares)
                        cells[-1] = f"{missed} ({beyond}, {short})"
            rows.append(cells)
    header = ("", "topics", "flagged", *(f"{method}, flagged" for method in methods),
              *(f"{method}, others" for method in OTHERS))  # fmt: skip
    return table(header, rows, left=2)


def _tests(tested: dict[tuple[str, int], dict[str, float]]) -> str:
    """Return how often tests find a difference of equal means, by kind of measure."""
    kinds = dict.fromkeys(kind for kind, _ in tested)
    rows = [
        [kind, *(" ".join(number(tested[kind, size][test], 3) for size in TESTED_SIZES)
                 for test in TESTS)]
        for kind in kinds
    ]  # fmt: skip
    of = ", ".join(map(str, TESTED_SIZES))
    return table(("measure", *(f"{test}, of {of} topics" for test in TESTS)), rows)


def put_into(page: str, section: str) -> str:
    """Return the page with the section in its place."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{section}\n{END}{after}"


def mean_by_kind(
    found: Iterable[tuple[str, int, dict[str, float]]],
) -> dict[tuple[str, int], dict[str, float]]:
    """Return the means over collections of what tests found, by kind of measure and size."""
    parts: dict[tuple[str, int], list[dict[str, float]]] = {}
    for kind, size, shares in found:
        parts.setdefault((kind, size), []).append(shares)
    return {
        key: {test: float(np.mean([one[test] for one in own])) for test in TESTS}
        for key, own in parts.items()
    }
