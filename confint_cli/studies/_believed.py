"""What is believed of pairs of runs by one measure: what both views of it show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from confint_cli.estimation import Estimation
from confint_cli.pairs import Drawing
from confint_cli.studies._limits import Bounded

THRESHOLDS = {"difference": 0.0, "glass_baseline": 0.2, "glass_run": 0.2, "correlation": 0.9}
"""Each quantity that there is a posterior of, and what the probability is of being above."""


@dataclass(frozen=True)
class Question:
    """What is asked of each pair of runs."""

    level: float
    drawing: Drawing
    thresholds: Mapping[str, float]  # of each quantity
    rope: tuple[float, float] | None = None  # the region of practical equivalence
    classical: bool = False  # whether what a t test says is to stand beside it

    @property
    def classical_interval(self) -> Estimation:
        """What asks for the t interval."""
        return Estimation(("t",), (self.level,), self.drawing.number)


@dataclass(frozen=True)
class Rope:
    """How probable it is that a difference lies below, within and above a region."""

    below: float
    within: float
    above: float


@dataclass(frozen=True)
class Classical:
    """What there is without a posterior; of some quantities only the sample's value."""

    sample: float  # NaN if it has none
    low: float | None = None
    high: float | None = None
    p: float | None = None  # one-sided, against a quantity no larger than the threshold


@dataclass(frozen=True)
class Belief(Bounded):
    """What is believed of one quantity of a pair of runs; NaN where there is no posterior."""

    baseline: str
    topics: int
    baseline_topics: int
    quantity: str
    eap: float
    sd: float
    sd_error: float  # by the draws
    threshold: float
    probability: float
    ess: float
    rope: Rope | None
    classical: Classical


@dataclass(frozen=True)
class Believed:
    """Pairs of runs by one measure, and what is believed of each."""

    measure: str
    baselines: tuple[str, ...]  # none: all pairs
    means: Mapping[str, float]  # of the runs
    pairs: Sequence[Mapping[str, Belief]]  # by quantity
    question: Question
    paired: bool
