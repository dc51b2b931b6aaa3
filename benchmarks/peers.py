"""Bootstrap intervals of a mean as peers make them.

Each function returns limits by the name that confint gives to the method, 95% as everywhere here.
A peer gets what makes it fast: scipy its vectorised statistic, arch its reuse of resamples.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Limits = dict[str, tuple[float, float]]


def scipy_limits(column: Column, resamples: int, seed: int) -> Limits:
    """Return the intervals of scipy.stats.bootstrap."""
    from scipy.stats import bootstrap

    found = {}
    random = np.random.default_rng(seed)
    for method in ("percentile", "basic", "BCa"):
        interval = bootstrap(
            (column,),
            np.mean,
            n_resamples=resamples,
            method=method,
            vectorized=True,
            random_state=random,
        ).confidence_interval
        found[method.lower()] = (float(interval.low), float(interval.high))
    return found


def arch_limits(column: Column, resamples: int, seed: int) -> Limits:
    """Return the intervals of arch.bootstrap.IIDBootstrap, the first three of one bootstrap."""
    from arch.bootstrap import IIDBootstrap

    def error(_mean: object, sample: Column) -> float:
        return float(sample.std(ddof=1) / np.sqrt(len(sample)))

    bootstrap = IIDBootstrap(column, seed=seed)
    found = {
        method: bootstrap.conf_int(np.mean, resamples, method=method, reuse=method != "percentile")
        for method in ("percentile", "basic", "bca")
    }
    found["bootstrap-t"] = bootstrap.conf_int(
        np.mean, resamples, method="studentized", std_err_func=error
    )
    return {method: (float(low[0]), float(high[0])) for method, (low, high) in found.items()}


def scikits_limits(column: Column, resamples: int, seed: int) -> Limits:
    """Return the intervals of scikits.bootstrap."""
    from scikits.bootstrap import ci

    found = {}
    for method, theirs in (("percentile", "pi"), ("bca", "bca")):
        low, high = ci(column, np.mean, n_samples=resamples, method=theirs, seed=seed)
        found[method] = (float(low), float(high))
    return found


BOOTSTRAPS: dict[str, Callable[[Column, int, int], Limits]] = {
    "scipy": scipy_limits,
    "arch": arch_limits,
    "scikits.bootstrap": scikits_limits,
}
"""By the module that has to be installed."""
