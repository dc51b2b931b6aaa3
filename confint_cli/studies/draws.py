"""Random numbers that limits are made from: how many a question needs at the least."""

from dataclasses import dataclass

from confint_cli.common.errors import CallError
from confint_cli.stats.estimate import Estimation
from confint_cli.stats.ideal.mean import SMALLEST_TAIL
from confint_cli.stats.methods import MOST_RESAMPLES


@dataclass(frozen=True)
class RandomDraws:
    """A kind of random numbers: what users call it, and how many of them there may be."""

    name: str  # in the plural; the option for their number has the same name
    most: int  # of them that there may be
    otherwise: str  # what to do where no number of them is enough

    def check(self, number: int, least: int, purpose: str) -> None:
        """Refuse a `number` of them below `least`, the least that the `purpose` needs."""
        if number >= least:
            return
        problem = f"too few for {purpose}"
        if least > self.most:
            raise CallError(f"{self.most} {self.name}, the largest number allowed, are {problem}")
        given = f"{number} {self.name} are" if number > 1 else f"1 {self.name[:-1]} is"
        raise CallError(
            f"{given} {problem}",
            f"--{self.name} {least} is the minimum, and ten times as many are better",
        )


RESAMPLES = RandomDraws("resamples", MOST_RESAMPLES, "choose a lower level or another method")
DRAWS = RandomDraws("draws", MOST_RESAMPLES, "choose a lower level")


def check_resamples(estimation: Estimation) -> None:
    """Refuse fewer resamples than the limits at the highest level need.

    The ideal bootstrap is as if there were enough, but for its rounding.
    """
    highest = max(estimation.levels)
    if estimation.resamples is not None:
        RESAMPLES.check(estimation.resamples, estimation.fewest_resamples, f"level {highest}")
    elif estimation.fewest_resamples > 1 / SMALLEST_TAIL:
        raise CallError(
            f"level {highest} is too close to 1 for bootstrap limits", RESAMPLES.otherwise
        )


def check_simultaneous(estimation: Estimation) -> None:
    """Refuse fewer draws than intervals that hold for all comparisons at once need."""
    purpose = f"simultaneous intervals at level {max(estimation.levels)}"
    DRAWS.check(estimation.draws, estimation.fewest_draws, purpose)
