"""docs/levels.md: what the study found, and where a promise is not kept."""

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from tests.levels.families import MADE, REAL
from tests.levels.procedures import LEVEL, PERMUTATIONS
from tests.levels.study import CERTAINTY, EVERY, FEW_RUNS, Cell, error_bound
from tests.reproduction.run import number, table

INTRODUCTION = """\
# Levels: what holds for all pairs of runs at once

`confint rank`, `confint compare --simultaneous` and `--correct max-t` promise something about all
pairs of runs at once, in one measure: for any family of runs, in 95% of samples of topics no
interval misses the true difference. This page says how far that is true where it is hardest, with
skewed, unequal, sparse, tied and real differences. In short:

- **Real runs:** some interval misses in {average}, on average over the families of real runs. It
  should be 5% or less.
- **Rare topics:** where a few rare topics decide, far more than 5% of samples err ([where, and
  why](#where-max-t-errs-beyond-its-level-and-why)). `--strict` keeps the level in most of these
  families, with wider intervals.
- **Rank sets** of real runs err on the safe side ([rank sets](#rank-sets)).

`make reproduce` writes this page. `tests/levels/` has the families and the procedures, and
`tests/levels/test_levels.py` a quick form of the study, which every change has to pass.

## How the study works

- **Samples:** each figure comes from {few} samples of {few_runs} runs or {many} samples of
  {many_runs} runs, with 25, 50 or 100 topics each, and {draws} draws in each sample.
- **A bold figure** is beyond what chance would give a procedure that keeps its level of {level:.0%}
  once in 1,000 figures. That is the {certainty:.1%} point of the binomial distribution, {bounds}.
  A procedure may err beyond its level without a bold figure: an error of .08 is bold in about one
  study of four with 400 samples.
- **Families of real runs** (average precision) draw their runs anew for each sample, and topics
  with replacement. The truth is the difference over all topics of the collection.
- **All other families** have runs of equal means, except the near ties.
- **None of the families deals scores out to runs at random.** That would make all differences
  symmetric, and hide what skewness does. The validation of versions before 0.11 did so.
- **Tuning:** the procedure was settled on made-up families, TREC-8 and Robust 2004. Nothing was
  tuned on TREC-15, nor on TREC-13, whose topics are among those of Robust 2004.
- **Random draws:** all figures come from random draws (`--draws`), none from bootstrap intervals.
  For a given number of draws, `--resamples` changes nothing (checked with 0.14.0). Without
  `--draws`, a number of `--resamples` is also the number of draws.

The families of runs:

"""

PROCEDURES = """\
## Family-wise error

The table has the share of samples in which any interval misses the true difference. It should be
.05 or less. Pairs that max-t leaves out ([below](#widths-and-power)) have no limits and cannot
miss; with rare wins and 25 topics, these are nine pairs in ten. The procedures are:

- **max-t**: what confint does, the balanced bootstrap max-T ([methods](methods.md#max-t)).
- **strict**: the same with `--strict`, one critical value for all pairs.
- **flips**: what confint did until 0.10, max-T of centred differences with signs flipped.
- **t-Bonferroni**: t intervals at the level 1 - .05/pairs. If means are equal, Holm's correction of
  t tests errs exactly as often.
- **tukey**: the randomised Tukey HSD test, with {permutations} permutations; with more than
  {few_runs} runs, on every {every}th sample. It has no intervals: its figure is the share of
  samples with a pair whose p is below .05 although the means are equal. It tests whether runs are
  *exchangeable*, and equal means are not enough for that.

"""

WHERE = """\
## Where max-t errs beyond its level, and why

"""

# Why it does, by family; a test makes sure that there is a word on all that are beyond the bound.
WHY = {
    "rarer wins": "A run wins on 4% of topics. In samples of 50 topics, it has no win in 13% and "
    "one win in 27%; then it looks surely worse than runs that have none to win. 100 topics are "
    "not enough.",
    "shared wins": "The same topics decide for half of the runs at once. A sample that lacks them "
    "is wrong about all of these runs.",
    "heavy zeros": "A run that scores on one topic in ten has five scores among 50 topics, and "
    "these decide its mean. If a sample by chance has few large ones, the mean looks far more "
    "certain than it is.",
    "TREC-8": "Many differences are skewed, with a skewness of 2 to 5: those of runs that nearly "
    "fail on all topics but a few, and those of runs that fail where most others do well. A sample "
    "need not show how much such topics weigh. t-Bonferroni fails for the same reason, with 25 and "
    "50 topics more often.",
    "TREC-13": "As for TREC-8; with 25 topics, to a lesser degree.",
    "Robust alike": "Runs that are alike differ by much on some topics, and by little on most.",
}

ADVICE = """\
For real runs, some interval misses in {average}, on average over their families. So max-t errs
beyond its level where runs are many, and by much on TREC-8.

What all of these families have in common is that a few rare topics decide, which the sample may
lack: **intervals hold together approximately; rare large differences that are absent from these
topics cannot be seen.**

In part, that is the price of one scale per pair. One critical value for all pairs, `--strict`,
keeps the level in most of these families, with wider intervals. {strict}

Where the same rare topics decide for many runs at once, `--strict` is of little help: only more
topics are. Use `--strict` for many runs, where runs score or win on few topics, and where a claim
must stand.

"""

DIRECTIONS = """\
## Wrong directions

An interval that misses may still be on the right side of 0. This table has the share of samples in
which some run is said to be better than another one that is truly better, for the families whose
means differ.

"""

WIDTHS = """\
## Widths and power

- *width*: the median width of intervals, as a share of t-Bonferroni's.
- *left out*: the share of pairs that max-t leaves out, because they have too few differences, or no
  variance in resamples.
- *told*: where means differ, the share of all pairs that are told apart, rightly.

"""

RANKS = """\
## Rank sets

- *all hold*: the share of samples in which **all** rank sets contain the true ranks; *size*: the
  mean number of ranks in a set. Where means are equal, a set has to contain all ranks.
- *own hold*: the share of **own** rank sets that hold, over runs and samples; *least run*: the same
  for the run for which it is least.
- *percentiles hold*: the same for percentiles of bootstrapped ranks, where means are not equal.
  confint had these until 0.10 for a run by itself; near ties, they lose some runs.

Bold, for all sets and for the least run, is below {level:.0%} by more than chance. For the least
run, that is the chance of the least of that many runs.

"""


OWN = """\
Rank sets of real runs are on the safe side: all of them hold in over 99% of samples. Own rank sets
hold in over 99%, on average over real runs, and near ties.

In some made-up families, own rank sets are below their level. Here is how often they hold for the
run for which that is least:

{least}

With exponential differences, heavy zeros and near-duplicates, only some of the runs are below their
level. With rarer and shared wins it is most of the runs, and the others fail with them; so do the
rank sets for all runs. The means are equal in these families, so a set fails if it lacks any rank
at all. Where a run scores on few topics, use the rank sets that hold for all runs, with `--strict`.
"""


def page(cells: Sequence[Cell], draws: int) -> str:
    """Return the page."""
    sizes = {cell.runs: cell.samples for cell in cells}
    few_runs, many_runs = min(sizes), max(sizes)
    bounds = {cell.runs: cell.bound for cell in cells}
    return "".join([
        wrapped(INTRODUCTION.format(
            few=sizes[few_runs], many=sizes[many_runs], few_runs=few_runs, many_runs=many_runs,
            draws=draws, level=LEVEL, certainty=CERTAINTY, average=on_average(cells),
            bounds=" and ".join(f"{number(bounds[runs], 3)} of {sizes[runs]} samples"
                                for runs in (few_runs, many_runs)),
        )),
        families(),
        wrapped(PROCEDURES.format(permutations=PERMUTATIONS, few_runs=FEW_RUNS, every=EVERY)),
        errors(cells), WHERE, where(cells), wrapped(ADVICE.format(
            average=on_average(cells), strict=strict_in_words(cells))),
        DIRECTIONS, directions(cells), WIDTHS, widths(cells), RANKS.format(level=LEVEL),
        ranks(cells), "\n", wrapped(OWN.format(least=own_in_words(cells))), "\n",
    ])  # fmt: skip


def wrapped(text: str) -> str:
    """Return paragraphs and lists that got longer by what was put into them in lines of 100."""
    return "\n\n".join(
        "\n".join(
            textwrap.fill(
                " ".join(item.split()), 100, break_on_hyphens=False,
                subsequent_indent="  " if item.startswith("- ") else "",
            )
            for item in re.split(r"\n(?=- )", part)
        ) if part.strip() else part
        for part in text.split("\n\n")
    )  # fmt: skip


def families() -> str:
    """Return what the families are."""
    rows = [[family.name, family.words] for family in (*MADE, *REAL)]
    return table(("family", "what it is"), rows, left=2) + "\n"


def in_order(cells: Iterable[Cell]) -> list[Cell]:
    """Return cells by the number of runs, the family, the topics."""
    names = [family.name for family in (*MADE, *REAL)]
    return sorted(cells, key=lambda cell: (cell.runs, names.index(cell.family), cell.topics))


def bold(share: float, is_beyond: bool) -> str:
    """Return a share, in bold if it is beyond the bound; – if there is none."""
    if math.isnan(share):
        return "–"
    text = number(share, 3)
    return f"**{text}**" if is_beyond else text


def tukey_error(cell: Cell) -> float:
    """Return how often it tells equal runs apart."""
    return math.nan if _means_differ(cell) else cell.errors["tukey"].wrong


ERRORS: dict[str, Callable[[Cell], float]] = {
    "max-t": lambda cell: cell.errors["max-t"].missed,
    "strict": lambda cell: cell.errors["strict"].missed,
    "flips": lambda cell: cell.errors["sign flips"].missed,
    "t-Bonferroni": lambda cell: cell.errors["t-Bonferroni"].missed,
    "tukey": tukey_error,
}


def errors(cells: Sequence[Cell]) -> str:
    """Return the family-wise errors: a row for each family, three numbers of topics in a cell."""
    rows = []
    for group in by_family(cells):
        shares = [
            " ".join(bold(find(cell), find(cell) > _bound(name, cell)) for cell in group)
            for name, find in ERRORS.items()
        ]
        rows.append([group[0].family, str(group[0].runs), *shares])
    header = ("family", "runs", *ERRORS)
    return "Of 25, 50 and 100 topics:\n\n" + table(header, rows, left=2) + "\n"


def _bound(name: str, cell: Cell) -> float:
    if name == "tukey" and cell.runs > FEW_RUNS:
        return error_bound(-(-cell.samples // EVERY))
    return cell.bound


def by_family(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Return the cells of each number of runs and family."""
    groups: dict[tuple[int, str], list[Cell]] = {}
    for cell in in_order(cells):
        groups.setdefault((cell.runs, cell.family), []).append(cell)
    return list(groups.values())


def beyond(cells: Sequence[Cell], name: str) -> list[Cell]:
    """Return the cells in which a procedure errs beyond the bound."""
    return [cell for cell in in_order(cells) if ERRORS[name](cell) > cell.bound]


def where(cells: Sequence[Cell]) -> str:
    """Return where max-t errs beyond its level, by how much, and why."""
    found: dict[str, list[Cell]] = {}
    for cell in beyond(cells, "max-t"):
        found.setdefault(cell.family, []).append(cell)
    rows = [
        [
            family,
            ", ".join(f"{number(ERRORS['max-t'](cell), 3)} ({cell.runs} runs, {cell.topics} topics)"
                      for cell in own),
            WHY.get(family, ""),
        ]
        for family, own in found.items()
    ]  # fmt: skip
    return table(("family", "error", "why"), rows, left=3) + "\n"


def on_average(cells: Sequence[Cell]) -> str:
    """Say how often max-t errs with real runs, by how many there are."""
    real = {family.name for family in REAL}
    means = {
        runs: np.mean([ERRORS["max-t"](one) for one in cells if one.runs == runs and
                       one.family in real])
        for runs in sorted({cell.runs for cell in cells})
    }  # fmt: skip
    return " and ".join(f"{mean:.1%} of samples of {runs} runs" for runs, mean in means.items())


def strict_in_words(cells: Sequence[Cell]) -> str:
    """Say whether the strict form keeps its level."""
    found = beyond(cells, "strict")
    most = max(ERRORS["strict"](cell) for cell in cells)
    if not found:
        return f"It errs in {number(most, 3)} of samples at most."
    by_name: dict[str, list[str]] = {}
    for cell in found:
        said = f"{number(ERRORS['strict'](cell), 3)} ({cell.runs} runs, {cell.topics} topics)"
        by_name.setdefault(cell.family, []).append(said)
    return (
        "It errs beyond its level in these families, and in no others as far as this number of "
        f"samples can show:\n\n{_listed(by_name)}"
    )


def _listed(shares: dict[str, list[str]]) -> str:
    """Return a list of families with their shares."""
    return "\n".join(f"- {family}: {', '.join(own)}" for family, own in shares.items())


def directions(cells: Sequence[Cell]) -> str:
    """Return how often some pair is in the wrong order."""
    names = ("max-t", "strict", "sign flips", "t-Bonferroni", "tukey")
    rows = [
        [group[0].family, str(group[0].runs),
         *(" ".join(number(cell.errors[name].reversed, 3) for cell in group) for name in names)]
        for group in by_family(cells)
        if _means_differ(group[0])
    ]  # fmt: skip
    return table(("family", "runs", *ERRORS), rows, left=2) + "\n"


def widths(cells: Sequence[Cell]) -> str:
    """Return widths and power."""
    rows = []
    for group in by_family(cells):
        shares = [
            " ".join(number(cell.errors[name].width, 2) for cell in group)
            for name in ("max-t", "strict", "sign flips")
        ]
        left_out = " ".join(number(cell.left_out, 3) for cell in group)
        told = [
            " ".join(bold(cell.errors[name].told, False) for cell in group)
            for name in ("max-t", "strict", "t-Bonferroni")
        ]
        rows.append([group[0].family, str(group[0].runs), *shares, left_out, *told])
    header = ("family", "runs", "width max-t", "strict", "flips", "left out", "told max-t",
              "strict", "t-Bonferroni")  # fmt: skip
    return table(header, rows, left=2) + "\n"


def ranks(cells: Sequence[Cell]) -> str:
    """Return how often rank sets hold, and how large they are."""
    rows = []
    for group in by_family(cells):
        columns = [
            " ".join(bold(cell.ranks_hold, 1 - cell.ranks_hold > cell.bound) for cell in group),
            " ".join(f"{cell.rank_size:.1f}" for cell in group),
            " ".join(number(cell.own_hold, 3) for cell in group),
            " ".join(bold(cell.own_least, cell.own_least < cell.least_bound) for cell in group),
            " ".join(f"{cell.own_size:.1f}" for cell in group),
            *_of_percentiles(group),
        ]
        rows.append([group[0].family, str(group[0].runs), *columns])
    header = ("family", "runs", "all hold", "size", "own hold", "least run", "size",
              "percentiles hold", "least run", "size")  # fmt: skip
    return table(header, rows, left=2)


def own_in_words(cells: Sequence[Cell]) -> str:
    """Say where own rank sets hold too seldom."""
    found: dict[str, list[str]] = {}
    for cell in in_order(cells):
        if cell.own_least < cell.least_bound:
            said = f"{number(cell.own_least, 3)} ({cell.runs} runs, {cell.topics} topics)"
            found.setdefault(cell.family, []).append(said)
    return _listed(found)


def _of_percentiles(group: Sequence[Cell]) -> list[str]:
    """Return the same of percentiles of ranks; with equal means it would not be asked of them."""
    if not _means_differ(group[0]):
        return ["–"] * 3
    return [
        " ".join(number(cell.old_hold, 3) for cell in group),
        " ".join(bold(cell.old_least, cell.old_least < cell.least_bound) for cell in group),
        " ".join(f"{cell.old_size:.1f}" for cell in group),
    ]


def _means_differ(cell: Cell) -> bool:
    return not math.isnan(cell.errors["max-t"].told)
