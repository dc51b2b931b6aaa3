"""Risk against scipy.stats.bootstrap, run by run and r by r."""

from functools import partial
from pathlib import Path

from benchmarks.data import BASELINE, robust2004, trec13
from benchmarks.harness import READ, Row, Rows, Timing, compete, confint, measure, self_timed

TITLE = "Risk"
RS = (1, 2, 5, 10)
TIMED = 3  # runs; it takes as long for each

SCIPY = f"""{READ}
from scipy.stats import bootstrap
runs, rs, resamples, sparing = SETTINGS
values = scores.values[:, :, 0]
began = time.perf_counter()
for run in range(1, runs + 1):
    for r in rs:
        d = values[:, 0] - values[:, run]
        weighted = np.where(d > 0, r * d, d)
        drawn = None
        for method in ("percentile", "basic", "BCa"):
            for level in (0.95, 0.999) if sparing else (0.95,):
                found = bootstrap(
                    (weighted,), np.mean, method=method, confidence_level=level, vectorized=True,
                    bootstrap_result=drawn, n_resamples=0 if drawn else resamples, batch=10_000,
                )
                drawn = found if sparing else None
print(time.perf_counter() - began)
"""


def scipy(
    measure: str, *paths: Path, runs: int, rs: tuple[int, ...], resamples: int, sparing: bool
) -> Timing:
    """Time scipy on some runs, the first one being the baseline.

    A user who is `sparing` makes one bootstrap serve all methods and both levels; another calls it
    for each method, and leaves the second level out.
    """
    code = SCIPY.replace("SETTINGS", repr((runs, rs, resamples, sparing)))
    return self_timed(code, measure, *paths)


def rows() -> Rows:
    """All runs of TREC-13 Robust, and of TREC 2004 Robust on 249 topics with 500,000 resamples."""
    paths = trec13()
    how = ("--level", "0.95,0.999", "--resamples")
    call = confint("risk", "-m", "map", "--baseline", BASELINE, *how, 100_000, *paths)
    ours, *theirs = compete(
        lambda: measure([call]),
        *(
            partial(scipy, "map", *paths[: TIMED + 1], runs=TIMED, rs=RS, resamples=100_000,
                    sparing=sparing)
            for sparing in (False, True)
        ),
    )  # fmt: skip
    runs = len(paths) - 1
    calls, sparing = (one.times(runs / TIMED) for one in theirs)
    robust = robust2004()
    call, ideal_call = (
        confint("risk", robust, "--baseline", "sys62", "--summary", *how, number)
        for number in (500_000, "ideal")
    )
    large, ideal = compete(*(partial(measure, [each]) for each in (call, ideal_call)), rounds=1)
    (one,) = compete(
        partial(scipy, "robust2004_ap", robust, runs=1, rs=(10,), resamples=500_000, sparing=True),
        rounds=1,
    )
    scaled = f"scaled from {TIMED} runs, without start-up and reading"
    return [
        Row(f"{runs} runs on 100 topics against one, four r, five methods, two levels, 100,000 "
            "resamples: a whole `confint risk`", ours,
            f"scipy.stats.bootstrap, three methods, one level, {scaled}", calls,
            "20 times, under 60 s and 1 GB"),
        Row("the same", ours,
            f"the same, one bootstrap for three methods and two levels, {scaled}", sparing, ""),
        Row("109 runs on 249 topics, the same with 500,000 resamples and --summary", large,
            "scipy.stats.bootstrap, one run with one r, of 436 such pairs", one, "bounded memory"),
        Row("109 runs on 249 topics, the same with the ideal bootstrap", ideal,
            "the same with 500,000 resamples", large, "10 times"),
    ]  # fmt: skip
