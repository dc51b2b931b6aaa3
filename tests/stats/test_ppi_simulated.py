"""Levels of prediction-powered intervals, by simulation of scores whose means are known.

Bounds are exact binomial limits of 99.9% about what is promised, or known. Of nDCG@10 of 12 real
runs and GPT-4 (DL 2021), topics drawn with replacement, 200 others, 4000 samples (± .002): coverage
of nominal 95% intervals and, in brackets, the median width as a share of people's.

                          n = 10       15           25           50
means        people       .941         .943         .945         .949
             ppi_py       .864         .888         .916         .932
             ours         .952 (.93)   .951 (.87)   .955 (.84)   .953 (.83)
differences  people       .944         .945         .946         .948
             ours         .954 (.69)   .953 (.69)   .952 (.71)   .950 (.74)
             judge alone  .768         .765         .759         .747

Max-T of all 66 differences, 1000 samples of 1000 draws (± .007): at n = 10, 25 and 50 all intervals
cover in .947, .949 and .951 (people alone .948, .931, .941) and tell .29, .61 and .75 of the pairs
apart (people .07, .41, .64); of equal runs, any two in .053, .051 and .049 of samples.

HC3 with t of n-2 is wide for few topics and a very good judge (r = .99): .998 at n = 5, .98 at 10.
"""

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import stdtrit

from confint_cli.stats.pairs import Pairs
from confint_cli.stats.ppi import Family, Powered, means
from confint_cli.stats.ppi_max_t import at_once
from confint_cli.stats.random import Drawing
from tests.stats.longhand_ppi import Part, part_of, two_of
from tests.stats.test_collections_simulated import is_within
from tests.stats.test_ppi import reference

Both = tuple[np.ndarray, np.ndarray]  # scores by people and by the judge
Maker = Callable[[np.random.Generator, tuple[int, ...]], Both]

USUAL, LONG = 600, 6000  # samples
at_length = pytest.mark.parametrize(
    "samples", [USUAL, pytest.param(LONG, marks=pytest.mark.long)], ids=["usual", "long"]
)


# Scores whose means are known


def normal(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """A correlation of .71."""
    human = random.normal(0, 1, shape)
    return human, human + random.normal(0, 1, shape)


def weak(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """A correlation of .1."""
    human = random.normal(0, 1, shape)
    return human, 0.1 * human + random.normal(0, 0.99**0.5, shape)


def excellent(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """A correlation of .99."""
    human = random.normal(0, 1, shape)
    return human, human + random.normal(0, 0.14, shape)


def biased(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """A judge with a scale of its own, who is far too kind."""
    human = random.normal(0, 1, shape)
    return human, 5 + 0.3 * human + random.normal(0, 0.3, shape)


def nonlinear(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """A judge whose scores are the square of people's, and noise."""
    human = random.uniform(0, 1, shape)
    return human - 0.5, human**2 + random.normal(0, 0.1, shape)


def uneven(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """A judge who is the less exact, the higher the score."""
    human = random.uniform(0, 1, shape)
    return human - 0.5, human + human * random.normal(0, 0.5, shape)


def exponential(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    human = random.exponential(1, shape)
    return human - 1, human + random.normal(0, 1, shape)


def zero_one(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """Judges agree on 85% of topics."""
    human = random.random(shape) < 0.4
    return human - 0.4, np.where(random.random(shape) < 0.85, human, ~human).astype(float)


def ties(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """Fourths, of which the judge is off by one at most."""
    human = random.binomial(4, random.beta(1, 1, shape)) / 4
    return human - 0.5, np.clip(human + random.integers(-1, 2, shape) / 4, 0, 1)


def sparse(random: np.random.Generator, shape: tuple[int, ...]) -> Both:
    """Seven in ten topics have nothing, which the judge does not always see."""
    human = random.beta(2, 2, shape) * (random.random(shape) < 0.3)
    return human - 0.15, human + 0.3 * (random.random(shape) < 0.2)


MAKERS: dict[str, Maker] = {
    make.__name__: make
    for make in (normal, weak, excellent, biased, nonlinear, uneven, exponential, zero_one, ties,
                 sparse)
}  # fmt: skip


def covered(found: Powered, truth: np.ndarray | float = 0.0) -> np.ndarray:
    """Which 95% intervals cover, [column]."""
    half = stdtrit(found.df, 0.975) * found.se
    return np.abs(found.mean - truth) <= half + 1e-12


def covered_by_people(found: Powered, truth: np.ndarray | float = 0.0) -> np.ndarray:
    half = stdtrit(found.human_df, 0.975) * found.human_se
    return np.abs(found.human_mean - truth) <= half + 1e-12


def widths(found: Powered) -> float:
    """Of the interval by both judges, as a share of people's, in the median column."""
    both = stdtrit(found.df, 0.975) * found.se
    by_people = stdtrit(found.human_df, 0.975) * found.human_se
    return float(np.median(both[by_people > 0] / by_people[by_people > 0]))


def plain(
    kind: str, topics: int, others: int, samples: int, seed: int = 0, alone: int = 0
) -> Powered:
    """Means of samples of one collection, each of which is a column."""
    random = np.random.default_rng([seed, topics, others, *kind.encode()])
    numbers = (topics, others, alone)
    (h, f), (_, u), (lone, _) = (MAKERS[kind](random, (number, samples)) for number in numbers)
    return means(two_of([part_of(h, f, u, lone)]))


# The lowest and highest coverage that there may be of 5 topics, of 10 and of more. HC3 is too wide
# for few; t itself is exact of normal scores only, and too narrow where few topics have any score.
EXACT = ((0.965, 0.998), (0.955, 0.985), (0.945, 0.965))
PROMISED = {
    "normal": EXACT,
    "weak": EXACT,
    "excellent": EXACT,
    "biased": EXACT,
    "nonlinear": EXACT,
    "uneven": EXACT,
    "exponential": ((0.94, 0.96), (0.925, 0.945), (0.93, 0.955)),
    "zero_one": ((0.90, 0.93), (0.945, 0.965), (0.945, 0.965)),
    "ties": ((0.955, 0.98), (0.955, 0.98), (0.945, 0.965)),
    "sparse": ((0.79, 0.83), (0.90, 0.94), (0.94, 0.965)),
}
USUAL_OTHERS = {5: 50, 10: 5, 25: 250, 50: 25}


@at_length
@pytest.mark.parametrize("kind", MAKERS)
def test_means_are_covered_as_often_as_is_said(kind: str, samples: int) -> None:
    """And at least as often as by people alone, which are too few for scores that are skewed."""
    for topics, some in USUAL_OTHERS.items():
        for others in [some] if samples == USUAL else [topics // 2, 2 * topics, 10 * topics]:
            found = plain(kind, topics, others, samples)
            ours, by_people = covered(found).mean(), covered_by_people(found).mean()
            print(f"{kind} {topics} {others}: {ours:.3f} ({widths(found):.2f}), {by_people:.3f}")
            few = (5, 10).index(topics) if topics <= 10 else 2
            assert is_within(ours, *PROMISED[kind][few], samples)
            assert ours > by_people - 3 * (0.05 / samples) ** 0.5


def test_a_good_judge_makes_intervals_short_and_a_weak_one_hardly_longer() -> None:
    """For many topics, as √(1 - λ·r²) with λ = N/(n+N)."""
    for kind, r in (("normal", 0.5**0.5), ("weak", 0.1), ("excellent", 0.99), ("biased", 0.5**0.5)):
        found = plain(kind, 100, 300, 300)
        assert widths(found) == pytest.approx((1 - 0.75 * r**2) ** 0.5, abs=0.03)
    assert widths(plain("weak", 25, 250, USUAL)) < 1.08


def test_to_take_the_shorter_of_two_intervals_would_cover_too_seldom() -> None:
    """Where the judge seems to gain something by chance."""
    found = plain("weak", 10, 100, 10_000)
    ours = stdtrit(found.df, 0.975) * found.se
    by_people = stdtrit(found.human_df, 0.975) * found.human_se
    short = ours < 0.9 * by_people
    assert short.mean() > 0.02
    assert covered(found)[short].mean() < 0.88
    assert 0.94 < covered_by_people(found).mean() < covered(found).mean()


@at_length
def test_topics_of_people_alone_keep_the_level(samples: int) -> None:
    for kind, alone in (("normal", 5), ("normal", 40), ("uneven", 15), ("ties", 15)):
        found = plain(kind, 15, 60, samples, alone=alone)
        print(f"{kind} {alone}: {covered(found).mean():.3f} ({widths(found):.2f})")
        assert is_within(covered(found).mean(), 0.94, 0.965, samples)


# Groups and collections


def alike(
    random: np.random.Generator, kind: str, sizes: list[int], samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of topics a third of whose variance is their group's, [topic, sample]."""
    of_groups, of_topics = (
        MAKERS[kind](random, (number, samples)) for number in (len(sizes), sum(sizes))
    )
    return tuple(
        np.repeat(group, sizes, axis=0) / 3**0.5 + topic * (2 / 3) ** 0.5
        for group, topic in zip(of_groups, of_topics, strict=True)
    )


def sizes_of(groups: int) -> list[int]:
    """1 to 12 topics each."""
    return [1 + place * 7 % 12 for place in range(groups)]


def in_groups(
    kind: str, numbers: list[int], samples: int, seed: int, *, grouped: bool
) -> tuple[Powered, float]:
    """Means of so many groups with both judges in each collection, and the true mean."""
    random, parts, truths = np.random.default_rng([seed, *numbers]), [], []
    for place, groups in enumerate(numbers):
        own, further = sizes_of(groups), sizes_of(3 * groups)
        h, f = alike(random, kind, own, samples)
        _, u = alike(random, kind, further, samples)
        level, scale = (0.0, 1.0) if len(numbers) == 1 else (place, 1 / (1 + place))
        parts.append(
            part_of(
                level + scale * h, scale * f, scale * u, None, (own, further) if grouped else ()
            )
        )
        truths.append(level)
    return means(two_of(parts, grouped=grouped)), float(np.mean(truths))


@at_length
@pytest.mark.parametrize("kind", ["normal", "uneven", "ties"])
def test_groups_are_covered_where_topics_as_if_independent_are_not(kind: str, samples: int) -> None:
    for numbers in ([10], [8, 12, 20]) if samples == USUAL else ([10], [20], [50], [8, 12, 20]):
        found, truth = in_groups(kind, numbers, samples, 1, grouped=True)
        naive, _ = in_groups(kind, numbers, samples, 1, grouped=False)
        ours, as_if = covered(found, truth).mean(), covered(naive, truth).mean()
        print(f"{kind} {numbers}: {ours:.3f} ({widths(found):.2f}), as if independent {as_if:.3f}")
        assert is_within(ours, 0.935, 0.985, samples)
        assert as_if < 0.88


@at_length
@pytest.mark.parametrize("kind", ["normal", "exponential", "ties"])
@pytest.mark.parametrize("sizes", [(5, 5, 5), (5, 5, 5, 5, 5, 5), (5, 40), (6, 12, 50, 9)])
def test_collections_of_few_topics_are_covered(
    kind: str, sizes: tuple[int, ...], samples: int
) -> None:
    random, parts = np.random.default_rng([*sizes, *kind.encode()]), []
    for place, topics in enumerate(sizes):
        (h, f), (_, u) = (
            MAKERS[kind](random, (number, samples)) for number in (topics, 4 * topics)
        )
        scale = 1 / (1 + place % 3)
        parts.append(part_of(place + scale * h, 3 * place + scale * f, 3 * place + scale * u))
    found = means(two_of(parts))
    ours, by_people = (own(found, (len(sizes) - 1) / 2).mean()
                       for own in (covered, covered_by_people))  # fmt: skip
    print(f"{kind} {sizes}: {ours:.3f} ({widths(found):.2f}), {by_people:.3f}")
    assert is_within(ours, 0.91 if kind == "exponential" else 0.93, 0.98, samples)


# Several runs


def some_runs(
    random: np.random.Generator, topics: int, others: int, runs: int, share: float = 0.5
) -> Part:
    """Equal runs, skewed, that have as much in common; the judge has a correlation of .8."""
    both = []
    for number in (topics, others):
        common = random.exponential(1, (number, 1))
        own = random.exponential(1, (number, runs))
        human = share**0.5 * common + (1 - share) ** 0.5 * own
        both.append((human, human + random.normal(0, 0.7, human.shape)))
    (h, f), (_, u) = both
    return part_of(h, f, u)


@pytest.mark.parametrize("families", [80, pytest.param(4000, marks=pytest.mark.long)])
@pytest.mark.parametrize("topics", [10, 25])
def test_max_t_seldom_tells_equal_runs_apart_where_t_often_does(topics: int, families: int) -> None:
    pairs, told, by_t, alone = Pairs.all(8), 0, 0, []
    for seed in range(families):
        family = Family(two_of([some_runs(np.random.default_rng(seed), topics, 100, 8)]))
        found = family.differences(pairs)
        one = at_once(family, pairs, found, (0.95,), Drawing(199, seed))
        told += bool((one.p <= 0.05).any())
        by_t += not covered(found).all()
        alone.append(covered(found).mean())
    print(f"{topics}: max-T {told / families:.3f}, t {by_t / families:.3f}, of one pair "
          f"{1 - np.mean(alone):.3f}")  # fmt: skip
    assert is_within(told / families, 0.02, 0.07, families)
    assert by_t > 0.3 * families
    assert 0.93 < np.mean(alone) < 0.975


@pytest.mark.parametrize("samples", [100, pytest.param(4000, marks=pytest.mark.long)])
def test_differences_over_collections_and_groups_are_covered(samples: int) -> None:
    random = np.random.default_rng(0)
    for grouped in (False, True):
        shares = []
        for _ in range(samples):
            parts = []
            for topics in (8, 12) if grouped else (5, 5, 9):
                sizes = [1 + place % 4 for place in range(topics)] if grouped else [1] * topics
                more = 2 * sizes
                rows = [some_runs(random, len(own), 2, 3) for own in (sizes, more)]
                h, f = (np.repeat(array, sizes, axis=0) for array in (rows[0].h, rows[0].f))
                u = np.repeat(rows[1].f, more, axis=0)
                parts.append(part_of(h, f, u, None, (sizes, more) if grouped else ()))
            found = Family(two_of(parts, grouped=grouped)).differences(Pairs.all(3))
            shares.append(covered(found).mean())
        print(f"grouped {grouped}: {np.mean(shares):.3f}")
        assert np.mean(shares) == pytest.approx(0.955, abs=0.02 + 3 * 0.2 / samples**0.5)


# Real scores, of people and of GPT-4


def table(path: Path) -> np.ndarray:
    with path.open(encoding="utf-8") as file:
        rows = sorted(csv.reader(file))  # by topic; the names of runs come last
    return np.array([[float(cell) for cell in row[1:]] for row in rows[:-1]])


@cache
def both_judges(data: Path) -> Both:
    """nDCG@10 of 12 runs for 53 topics."""
    names = ("human", "umbrela-gpt4")
    human, judge = (table(data / "judges-dl21" / f"ndcg10.{name}.csv") for name in names)
    assert human.shape == judge.shape == (53, 12)
    return human, judge


def as_in_ppi_py(h: np.ndarray, f: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and se of its own, by the formulas of its documentation, [column]."""
    n, number = len(h), len(u)
    slope = ((h - h.mean(axis=0)) * (f - f.mean(axis=0))).mean(axis=0)
    slope = slope / np.concatenate([f, u]).var(axis=0, ddof=1)
    lam = np.clip(slope / (1 + n / number), 0, 1)
    mean = lam * u.mean(axis=0) + (h - lam * f).mean(axis=0)
    return mean, np.sqrt(lam**2 * u.var(axis=0) / number + (h - lam * f).var(axis=0) / n)


def test_the_interval_of_ppi_py_is_known() -> None:
    for kind, h, f, u, known in reference():
        arrays = (np.array(own)[:, None] for own in (h, f, u))
        mean, se = (own[0] for own in as_in_ppi_py(*arrays))
        ends = (mean - stats.norm.ppf(0.975) * se, mean + stats.norm.ppf(0.975) * se)
        assert ends == pytest.approx((known["low"], known["high"]), rel=1e-9), kind


# Coverage of means: by people alone, as by ppi_py, and ours; then of differences, ours.
REAL = {10: (0.941, 0.864, 0.952, 0.954), 15: (0.943, 0.888, 0.951, 0.953),
        25: (0.945, 0.916, 0.955, 0.952), 50: (0.949, 0.932, 0.953, 0.950)}  # fmt: skip


@pytest.mark.parametrize("samples", [150, pytest.param(4000, marks=pytest.mark.long)])
@pytest.mark.parametrize("topics", REAL)
def test_real_scores_are_covered_where_those_of_the_judge_alone_are_not(
    topics: int, samples: int, data: Path
) -> None:
    """Topics are drawn with replacement, 200 others too; runs of a sample share their luck."""
    human, judge = both_judges(data)
    random, runs = np.random.default_rng(topics), human.shape[1]
    truth = np.tile(human.mean(axis=0), samples)
    own = random.integers(53, size=(topics, samples))
    others = random.integers(53, size=(200, samples))
    h, f, u = (array.reshape(len(array), -1) for array in (human[own], judge[own], judge[others]))
    found = means(two_of([part_of(h, f, u)]))
    mean, se = as_in_ppi_py(h, f, u)
    everything = np.concatenate([f, u])
    by_judge = np.abs(everything.mean(axis=0) - truth) <= 2 * stats.sem(everything)
    shares = [covered_by_people(found, truth).mean(), (np.abs(mean - truth) <= 1.96 * se).mean(),
              covered(found, truth).mean()]  # fmt: skip
    pairs, differences, naive, widths_of = Pairs.all(runs), [], [], []
    apart = human[:, pairs.run] - human[:, pairs.baseline]
    apart_by_judge = judge[:, pairs.run] - judge[:, pairs.baseline]
    for sample in range(samples // 3):
        places, more = own[:, sample], others[:, sample]
        family = Family(two_of([part_of(human[places], judge[places], judge[more])]))
        one = family.differences(pairs)
        differences.append(covered(one, apart.mean(axis=0)).mean())
        widths_of.append(widths(one))
        all_of_judge = apart_by_judge[np.concatenate([places, more])]
        off = np.abs(all_of_judge.mean(axis=0) - apart.mean(axis=0))
        naive.append((off <= 2 * stats.sem(all_of_judge)).mean())
    shares.append(float(np.mean(differences)))
    print(topics, np.round(shares, 3), f"judge alone {by_judge.mean():.3f}, {np.mean(naive):.3f}; "
          f"widths {widths(found):.2f}, {np.mean(widths_of):.2f}")  # fmt: skip
    slack = 0.005 + 4 * 0.11 / samples**0.5  # the sd of a sample's share of runs
    assert shares == pytest.approx(REAL[topics], abs=slack)
    assert by_judge.mean() < 0.01
    assert 0.6 < np.mean(naive) < 0.85
    assert widths(found) < 1 - 0.05 * (topics > 10)
    assert np.mean(widths_of) < 0.85
