"""Factors that scores are standardised by: a table of measure, topic, mean, sd and runs."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from confint_cli.arrays import FloatArray
from confint_cli.errors import DataError
from confint_cli.inputs._columns import (
    MEASURE,
    TOPIC,
    named_rows,
    number_in,
    sd_in,
    whole_number_in,
)
from confint_cli.inputs._source import read_source
from confint_cli.measures import canonical
from confint_cli.text import quoted, visible

_COLUMNS = {
    "measure": MEASURE,
    "topic": TOPIC,
    "mean": frozenset({"mean"}),
    "sd": frozenset({"sd"}),
    "runs": frozenset({"runs"}),
}
_HINT = "'confint standardize --save-factors FILE' writes such a table"


@dataclass(frozen=True)
class Factors:
    """What reference runs score by one measure on each topic: their mean and their spread."""

    measure: str
    topics: tuple[str, ...]
    mean: FloatArray
    sd: FloatArray  # with n-1; 0 where the reference runs do not differ
    runs: int  # how many reference runs there are
    source: str = ""  # the file that they were read from, if they were

    @cached_property
    def scale(self) -> str:
        """A short name for these means and standard deviations: equal ones have the same.

        Last bits do not count, in which machines may differ.
        """
        factors = zip(self.topics, self.mean.tolist(), self.sd.tolist(), strict=True)
        lines = sorted(f"{topic}\t{mean:.9g}\t{sd:.9g}\n" for topic, mean, sd in factors)
        return hashlib.sha256("".join(lines).encode("utf-8", "replace")).hexdigest()[:8]


def read_factors(path: str) -> list[Factors]:
    """Read a table that `confint standardize --save-factors` wrote."""
    source = read_source(path)
    by_measure: dict[str, dict[str, tuple[float, float]]] = {}
    names: dict[str, str] = {}
    runs: dict[str, int] = {}
    for line, row in named_rows(source, _COLUMNS, "factors to standardise by", _HINT):
        measure, topic = visible(row["measure"]), visible(row["topic"])
        if not measure or not topic:
            raise source.error(line, f"the {'topic' if measure else 'measure'} has no name")
        mean = number_in(source, line, "mean", row["mean"])
        sd = sd_in(source, line, row["sd"])
        number = whole_number_in(source, line, "runs", row["runs"])
        key = canonical(measure)
        names.setdefault(key, measure)
        if runs.setdefault(key, number) != number:
            raise source.error(
                line, f"by {quoted(measure)} there are {runs[key]} runs above, and {number} here"
            )
        if by_measure.setdefault(key, {}).setdefault(topic, (mean, sd)) != (mean, sd):
            raise source.error(
                line, f"another row for topic {quoted(topic)} and {quoted(measure)} differs"
            )
    if not by_measure:
        raise DataError(source.name, "has no rows")
    return [
        Factors(
            names[key],
            tuple(of_topics),
            np.array([mean for mean, _ in of_topics.values()]),
            np.array([sd for _, sd in of_topics.values()]),
            runs[key],
            source.name,
        )
        for key, of_topics in by_measure.items()
    ]
