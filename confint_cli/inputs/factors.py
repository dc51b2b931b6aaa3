"""Factors that scores are standardised by: a table of measure, topic, mean, sd and runs."""

import hashlib
from array import array
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from confint_cli.common.arrays import FloatArray
from confint_cli.common.errors import DataError
from confint_cli.common.measures import canonical
from confint_cli.common.text import quoted, visible, visible_measure
from confint_cli.inputs.header import MEASURE, TOPIC, named_rows, number_in, sd_in, whole_number_in
from confint_cli.inputs.rows import check_number_of_series
from confint_cli.inputs.source import read_text_source

_COLUMNS = {
    "measure": MEASURE,
    "topic": TOPIC,
    "mean": ("mean",),
    "sd": ("sd",),
    "runs": ("runs",),
}
_HINT = "'confint standardize --save-factors FILE' writes such a table"


@dataclass(frozen=True)
class Factors:
    """What reference runs score by one measure on each topic: their mean and their spread."""

    measure: str
    topics: tuple[str, ...]
    mean: FloatArray  # [topic]
    sd: FloatArray  # [topic], with n-1; 0 where the reference runs do not differ
    runs: int  # how many reference runs there are
    source: str = ""  # the file that they were read from, if they were

    @cached_property
    def scale(self) -> str:
        """A hash of the means and standard deviations, in 8 hexadecimal digits.

        It takes nine digits of each number: machines may differ in the last bits.
        """
        factors = zip(self.topics, self.mean.tolist(), self.sd.tolist(), strict=True)
        lines = sorted(f"{topic}\t{mean:.9g}\t{sd:.9g}\n" for topic, mean, sd in factors)
        return hashlib.sha256("".join(lines).encode("utf-8", "replace")).hexdigest()[:8]


def read_factors(path: str) -> list[Factors]:
    """Return the factors by each measure of a table that `standardize --save-factors` wrote."""
    source = read_text_source(path)
    by_measure: dict[str, _FactorsSoFar] = {}
    for line, row in named_rows(source, _COLUMNS, "factors to standardise by", _HINT):
        measure, topic = visible_measure(row["measure"]), visible(row["topic"])
        if not measure or not topic:
            raise source.error(line, f"the {'topic' if measure else 'measure'} has no name")
        mean = number_in(source, line, "mean", row["mean"])
        sd = sd_in(source, line, row["sd"])
        number = whole_number_in(source, line, "runs", row["runs"])
        factors = by_measure.setdefault(canonical(measure), _FactorsSoFar(measure, number))
        if factors.runs != number:
            raise source.error(
                line,
                f"on {quoted(measure)}, rows above have {factors.runs} runs, but this row has "
                f"{number}",
            )
        if factors.add(topic, mean, sd) != (mean, sd):
            raise source.error(
                line, f"an earlier row for topic {quoted(topic)} and {quoted(measure)} differs"
            )
        check_number_of_series(source, len(by_measure))
    if not by_measure:
        raise DataError(source.name, "has no rows")
    return [factors.finished(source.name) for factors in by_measure.values()]


@dataclass(frozen=True, slots=True)
class _FactorsSoFar:
    """The factors by one measure while they are read."""

    measure: str
    runs: int
    places: dict[str, int] = field(default_factory=dict)  # of each topic in `means` and `sds`
    means: "array[float]" = field(default_factory=lambda: array("d"))
    sds: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, topic: str, mean: float, sd: float) -> tuple[float, float]:
        """Add a topic unless it is there; return the mean and the sd of its first row."""
        place = self.places.setdefault(topic, len(self.means))
        if place == len(self.means):
            self.means.append(mean)
            self.sds.append(sd)
        return self.means[place], self.sds[place]

    def finished(self, source: str) -> Factors:
        """Return the factors, with topics in the order of the file; `source` is the file's name."""
        means, sds = (np.frombuffer(numbers) for numbers in (self.means, self.sds))
        return Factors(self.measure, tuple(self.places), means, sds, self.runs, source)
