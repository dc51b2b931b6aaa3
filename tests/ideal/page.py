"""The tables of docs/ideal.md: errors by kind of score, topics and level, and what they mean."""

from collections.abc import Callable, Sequence

import numpy as np

from tests.ideal.columns import COARSE, FINE, LATTICE, RECIPROCAL
from tests.ideal.study import Found
from tests.ideal.truth import LEVELS, MOST_ENUMERATED, RESAMPLES
from tests.levels.page import wrapped
from tests.reproduction.run import number, table

BEGIN = "<!-- the errors: 'make reproduce' writes what follows -->"
END = "<!-- end of the errors -->"
OF_VERDICTS = (
    "<!-- the verdicts: 'make reproduce' writes what follows -->",
    "<!-- end of the verdicts -->",
)
KINDS = {
    FINE: "average precision, Q, nDCG, nERR",
    COARSE: "P30, P1000",
    RECIPROCAL: "reciprocal rank",
    LATTICE: "P10",
}
GROUPS = {"10": (10, 10), "20": (20, 20), "50": (50, 50), "97–249": (97, 249)}
STEPS = {"P10": 0.1, "robust2004_p10": 0.1, "P30": 1 / 30, "P1000": 0.001}
SMALL = 0.01  # standard errors of the mean
AT_999 = 0.03  # the same for bootstrap-t at 99.9%
ENOUGH = 50  # topics, from which on bootstrap-t is held to these
NO_WORSE = 1.1  # times the error of 10,000 resamples, but for the truth's own


def section(found: Sequence[Found], resamples: int = RESAMPLES) -> str:
    """Return the section."""
    return "\n\n".join([summary(found, resamples), of_means(found), of_ratios(found)])


def summary(found: Sequence[Found], resamples: int) -> str:
    """Return in words what the tables amount to."""
    shares = {
        method: min(share(found, lambda one, m=method, at=at: within(one, m, at))
                    for at in range(len(LEVELS)))
        for method in ("percentile", "basic", "bca")
    }  # fmt: skip
    beyond = [one for one in found if any(one.errors["bca"] > SMALL)]
    thirds = [one for one in beyond if one.scores.measure == "P30"]
    many = [one for one in found if one.scores.topics >= ENOUGH and not one.resampled]
    few = [one for one in found if one.scores.topics == 20 and not one.resampled]
    drawn = [one for one in found if one.scores.topics >= ENOUGH and one.resampled]
    at_95, at_999 = LEVELS.index(0.95), LEVELS.index(0.999)
    near = share(many, lambda one: one.errors["bootstrap-t"][at_95] <= SMALL)
    near_999 = share(many, lambda one: one.errors["bootstrap-t"][at_999] <= AT_999)
    checks = np.abs([one.share_check for one in found if one.scores.topics > MOST_ENUMERATED])
    root_mean_square, often = float(np.sqrt((checks**2).mean())), float((checks > 3).mean())
    text = f"""\
The study has {len(found)} columns.

**The mean:**

- At the worst of the four levels, {percent(min(shares["percentile"], shares["basic"]))} of the
  percentile and basic limits are within .01 standard errors of the truth, and
  {percent(shares["bca"])} of the BCa limits. One step of the scores' own lattice counts as .01.
- BCa is off by more than .01 on {len(beyond)} columns, {len(thirds)} of them P30. These scores are
  thirds that were rounded to four digits. The truth here is that of the printed digits: sums that
  are equal in thirds differ there, so fewer resamples tie with m. confint's limits are those of
  thirds.
- The worst percentile limit is off by {number(worst(found, "percentile"), 4)}. For comparison, the
  median error of 10,000 resamples at 95% is {number(typical(found, "percentile", at_95), 3)}.

**The studentised mean:**

- **{ENOUGH} topics or more:** {len(many)} columns are not resampled, {len(drawn)} are. Of the
  former, {percent(near)} are within .01 at 95% and {percent(near_999)} within .03 at 99.9%. The
  worst are off by {number(worst(many, "bootstrap-t", at_95), 3)} and
  {number(worst(many, "bootstrap-t", at_999), 2)}, and {worse_than_drawn(many)} of them err more, by
  over a tenth, than 10,000 resamples of the same column typically do.
- **20 topics:** of {len(few)} columns that are not resampled, 90% are within
  {number(high(few, at_95, 0.9), 3)} at 95% and {number(high(few, at_999, 0.9), 2)} at 99.9%. The
  worst are off by {number(worst(few, "bootstrap-t", at_95), 2)} and
  {number(worst(few, "bootstrap-t", at_999), 1)}, and {worse_than_drawn(few)} err more than 10,000
  resamples at some level.
- **10 topics:** all columns are enumerated or resampled.

**The truth itself:**

- The truth of m\\* is exact. {resamples:,} resamples of each column of 20 topics or more agree with
  it. At 95%, their shares are off by {number(root_mean_square, 2)} standard errors in the root mean
  square, by more than three in {number(100 * often, 1)}% (chance would have .3%, if columns did not
  share resamples), and by {number(float(checks.max()), 1)} at most.
- The truth of z\\* comes from these resamples; with 10 topics, it is exact. Its own error is in the
  table. It is *not* subtracted, so small errors look somewhat larger than they are.
"""
    return wrapped(text)


def percent(value: float) -> str:
    return "all" if value == 1 else f"{value:.1%}"


def share(found: Sequence[Found], good: Callable[[Found], bool]) -> float:
    return float(np.mean([good(one) for one in found]))


def within(one: Found, method: str, level: int) -> bool:
    """Say whether an error is small, or no more than a step of the scores' lattice."""
    return bool(one.errors[method][level] <= max(SMALL, 1.001 * step_of(one)))


def step_of(one: Found) -> float:
    """Return the step of m* where scores have one, in standard errors of the mean."""
    values = one.scores.values
    se = values.std(ddof=1) / np.sqrt(len(values))
    return STEPS.get(one.scores.measure, 0.0) / len(values) / float(se)


def worst(found: Sequence[Found], method: str, level: int | None = None) -> float:
    levels = slice(None) if level is None else [level]
    return float(np.max([one.errors[method][levels].max() for one in found]))


def typical(found: Sequence[Found], method: str, level: int) -> float:
    """Return the median error of 10,000 resamples."""
    return float(np.median([one.drawn[method][level] for one in found]))


def high(found: Sequence[Found], level: int, part: float) -> float:
    errors = [one.errors["bootstrap-t"][level] for one in found]
    return float(np.quantile(errors, part, method="inverted_cdf"))


def is_worse(one: Found) -> bool:
    """Say whether bootstrap-t errs more than 10,000 resamples do, at any level."""
    ours, theirs = one.errors["bootstrap-t"], one.drawn["bootstrap-t"]
    return bool((ours > NO_WORSE * theirs + 1e-9).any())


def worse_than_drawn(found: Sequence[Found]) -> str:
    worse = sum(map(is_worse, found))
    return str(worse) if worse else "none"


def of_means(found: Sequence[Found]) -> str:
    """Return the errors of percentile and BCa, median, 90%, 99% and worst."""
    rows = []
    for kind, topics, level, own in cells(found):
        cell = [
            spread([one.errors[name][level] for one in own], 4) for name in ("percentile", "bca")
        ]
        others = [rounded(typical(own, name, level), 3) for name in ("percentile", "bca")]
        rows.append(
            [kind, topics, said(level), str(len(own)), cell[0], others[0], cell[1], others[1]]
        )
    header = ("scores", "topics", "level", "columns", "percentile", "by 10,000", "BCa", "by 10,000")
    return f"""\
### Errors of percentile and BCa

A cell of errors has the median, the 90% and the 99% quantile, and the worst. *By 10,000* is the
median error of 10,000 resamples. Basic limits are percentile limits, mirrored, and err as much.

{table(header, rows, left=3)}"""


def of_ratios(found: Sequence[Found]) -> str:
    """Return the errors of bootstrap-t, of columns that were resampled and others."""
    rows = []
    for kind, topics, level, own in cells(found):
        cell = []
        for resampled in (False, True):
            some = [one for one in own if one.resampled == resampled]
            errors = [one.errors["bootstrap-t"][level] for one in some]
            theirs = [one.drawn["bootstrap-t"][level] for one in some]
            cell += [str(len(some)), spread(errors, 3), middle(theirs, 3)]
        truth = middle([one.truth_errors[level] for one in own], 4)
        rows.append([kind, topics, said(level), *cell, truth])
    header = ("scores", "topics", "level", "not resampled", "error", "by 10,000", "resampled",
              "error", "by 10,000", "truth's error")  # fmt: skip
    return f"""\
### Errors of bootstrap-t

The same for columns that are not resampled (enumerated, or by the saddlepoint), and for those that
are. ∞ stands for a limit that is infinite either in truth or in confint's result, but not in both.
The last column is the median Monte Carlo standard error of the truth.

{table(header, rows, left=3)}"""


def cells(found: Sequence[Found]) -> list[tuple[str, str, int, list[Found]]]:
    """Return what was found by kind of scores, topics and level."""
    return [
        (KINDS[kind], topics, level, own)
        for kind in KINDS
        for topics, (least, most) in GROUPS.items()
        if (own := [one for one in found if one.scores.kind == kind
                    and least <= one.scores.topics <= most])
        for level in range(len(LEVELS))
    ]  # fmt: skip


def said(level: int) -> str:
    return f"{100 * LEVELS[level]:g}%"


def spread(errors: Sequence[float], digits: int) -> str:
    """Return the median, 90%, 99% and the worst."""
    if not errors:
        return "–"
    parts = np.quantile(errors, [0.5, 0.9, 0.99, 1], method="inverted_cdf")
    return " ".join(rounded(part, digits) for part in parts)


def middle(errors: Sequence[float], digits: int) -> str:
    return rounded(np.quantile(errors, 0.5, method="inverted_cdf"), digits) if errors else "–"


def rounded(value: float, digits: int) -> str:
    """Return few digits of a large number; a number that is 0 when rounded is 0."""
    if np.isinf(value):
        return "∞"
    if value >= 0.1:
        digits = 1 if value >= 10 else 2
    return number(value, digits) if round(value, digits) else "0"


def put_into(page: str, tables: str, begin: str = BEGIN, end: str = END) -> str:
    """Return the page with tables in their place, between two comments."""
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n\n{tables}\n{end}{after}"
