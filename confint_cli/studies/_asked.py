"""What was asked for, against what the scores allow."""

from collections.abc import Sequence

import numpy as np

from confint_cli.errors import DataError, Notice, note, warning
from confint_cli.estimation import Estimation
from confint_cli.methods import method_named
from confint_cli.scores import Matrix
from confint_cli.studies._words import percent
from confint_cli.text import listed, quoted, visible


def suited_methods(
    matrices: Sequence[Matrix],
    how: Estimation,
    hint: str = "--method all leaves a method out where it does not fit",
) -> tuple[list[tuple[str, ...]], list[Notice]]:
    """Return the methods that each measure's scores are fit for, and say which are left out.

    `hint` is what to do about a method that is unfit.
    """
    suited = []
    left_out: dict[str, list[str]] = {}
    for matrix in matrices:
        kind = "standardised " if matrix.standardized else ""
        here = []
        for name in how.methods:
            refused = method_named(name).refuses(matrix.values)
            if refused is None:
                here.append(name)
            elif name in how.optional:
                left_out.setdefault(name, []).append(matrix.measure)
            else:
                topic, run = (int(places[0]) for places in np.nonzero(refused))
                raise DataError(
                    "",
                    f"{name} is for {method_named(name).domain} only, and the "
                    f"{kind}{visible(matrix.measure)} of {quoted(matrix.runs[run])} on topic "
                    f"{quoted(matrix.topics[topic])} is {matrix.values[topic, run]:g}",
                    hint,
                )
        suited.append(tuple(here))
    notices = [
        note(f"{name} is for {method_named(name).domain} only, left out for {listed(measures, 6)}")
        for name, measures in left_out.items()
    ]
    return suited, notices


def unusual_levels(levels: Sequence[float]) -> list[Notice]:
    """Warn of a level that was hardly meant: 1, say, is 1%, and not 100%."""
    return [
        warning(f"an interval of {percent(level)} misses more often than not: was that meant?")
        for level in levels
        if level < 0.5
    ]
