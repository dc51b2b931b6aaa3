"""Documents that nobody judged, through the program: warnings, and bounds against longhand."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from scipy import optimize, stats

import confint_cli as confint_module
from confint_cli.common.errors import CallError
from confint_cli.common.measures import parsed
from confint_cli.scores.unjudged import in_order
from tests.conftest import SAMPLES, Confint, Result, records
from tests.scores.test_unjudged import Grades, Rankings, qrels_file, run_file

QRELS = SAMPLES / "qrels.txt"
RUN = {name: SAMPLES / "runs" / f"{name}.run" for name in ("bm25", "hybrid", "dense")}
CONDENSED_ADVICE = (
    "--unjudged bounds shows how far they may decide, --unjudged skip leaves them out"
)
SHARE_ADVICE = "--unjudged bounds shows what that may change, --unjudged skip leaves them out"


def warnings(result: Result) -> list[str]:
    """What was said of unjudged documents, without the names of the program and of the kind."""
    assert result.status == 0, result.err
    return [line.removeprefix("confint: warning: ") for line in result.err.splitlines()
            if "unjudged documents" in line]  # fmt: skip


# Runs of which some documents are judged


def of_shares(folder: Path, shares: dict[str, float], topics: int = 10) -> list[object]:
    """Write runs of ten documents a topic of which such a share is judged, all not relevant."""
    judged = {f"{topic}": {f"d{one}": 0 for one in range(10)} | {"gold": 1}
              for topic in range(topics)}  # fmt: skip
    files = []
    for run, share in shares.items():
        number = round(share * 10 * topics)  # over all topics
        found: Rankings = {}
        for topic in judged:
            here = min(10, number)
            number -= here
            names = [f"d{one}" for one in range(here)] + [f"{run}{one}" for one in range(10 - here)]
            found[topic] = {name: 10.0 - rank for rank, name in enumerate(names)}
        files.append(run_file(folder / f"{run}.run", found))
    return ["-q", qrels_file(folder / "qrels", judged), *files]


@pytest.mark.parametrize("command", ["interval", "score", "describe", "rank"])
def test_a_run_far_below_the_best_is_told_of(
    command: str, tmp_path: Path, confint: Confint
) -> None:
    files = of_shares(tmp_path, {"full": 1.0, "near": 0.9, "far": 0.89, "half": 0.4})
    advice = SHARE_ADVICE
    if command == "describe":  # which has no such option
        advice = "'confint compare --unjudged bounds' shows what that may change"
    assert warnings(confint(command, "-m", "P@10", *files)) == [
        "unjudged documents count as not relevant, and some runs have fewer judged documents in "
        f"their first 10: half 40%, far 89% (highest: full 100%); {advice}"
    ]


def test_the_gap_is_exactly_a_tenth_whatever_the_last_bits(
    tmp_path: Path, confint: Confint
) -> None:
    for best in (1.0, 0.9, 0.8, 0.7):
        files = of_shares(tmp_path, {"full": best, "near": best - 0.1})
        assert not warnings(confint("interval", "-m", "P@10", *files)), best
        files = of_shares(tmp_path, {"full": best, "near": best - 0.11})
        assert warnings(confint("interval", "-m", "P@10", *files)), best


def test_each_collection_has_a_pool_of_its_own(tmp_path: Path, confint: Confint) -> None:
    """A run may be judged as often as others over all topics, and far less so in a collection."""
    for name, shares, topics in (("old", {"a": 1.0, "b": 0.6}, 5), ("new", {"a": 0.9, "b": 1}, 50)):
        (tmp_path / name).mkdir()
        of_shares(tmp_path / name, shares, topics)
    call = ("--labels", "{collection}/{run}.run", "-q", tmp_path / "{collection}/qrels",
            "-m", "P@10", *sorted(tmp_path.glob("*/*.run")))  # fmt: skip
    assert warnings(confint("interval", *call)) == [
        "unjudged documents count as not relevant, and some runs have fewer judged documents in "
        f"their first 10: b in old 60%; {SHARE_ADVICE}"
    ]
    by_run = {(row["run"], row["collection"]): row["judged_share"]
              for row in records(confint("rank", *call, "--quiet"))}  # fmt: skip
    assert float(by_run["b", "old"]) == 0.6
    assert float(by_run["b", "macro"]) == 0.8


def test_runs_below_one_half_are_told_of_even_if_all_are(tmp_path: Path, confint: Confint) -> None:
    files = of_shares(tmp_path, {"a": 0.49, "b": 0.45})
    assert warnings(confint("interval", "-m", "P@10", *files)) == [
        "unjudged documents count as not relevant, and few of the first 10 are judged: b 45%, a "
        f"49%; {SHARE_ADVICE}"
    ]
    assert not warnings(confint("interval", "-m", "P@10", *of_shares(tmp_path, {"a": 0.5})))


def test_of_many_runs_three_are_named(tmp_path: Path, confint: Confint) -> None:
    low = {f"r{one}": 0.1 * one for one in range(1, 6)}
    (told,) = warnings(confint("interval", "-m", "AP", *of_shares(tmp_path, {"full": 1.0} | low)))
    assert "in their first 10: r1 10%, r2 20%, r3 30% and 2 more (highest: full 100%);" in told


def test_shares_are_as_deep_as_the_measures(tmp_path: Path, confint: Confint) -> None:
    """The first three documents of all runs are judged."""
    files = of_shares(tmp_path, {"full": 1.0, "half": 0.3}, topics=1)
    call = ["interval", *files]
    assert not warnings(confint(*call[:0], "score", *files, "-m", "P@3,RR@2"))
    for measures, depth in (("P@3,nDCG@5", 5), ("AP", 10), ("P@1000", 10), ("P@3,RR", 10)):
        (told,) = warnings(confint("score", *files, "-m", measures))
        assert f"some runs have fewer judged documents in their first {depth}: " in told


def test_a_run_that_lacks_topics_is_not_told_of(tmp_path: Path, confint: Confint) -> None:
    """What it did not retrieve is no document that nobody judged."""
    judged: Grades = {f"{topic}": {"a": 1, "b": 0} for topic in range(6)}
    full: Rankings = {topic: {"a": 2.0, "b": 1.0} for topic in judged}
    files = [run_file(tmp_path / "full.run", full),
             run_file(tmp_path / "part.run", {"1": full["1"]})]  # fmt: skip
    result = confint("interval", "-m", "P@10", "-q", qrels_file(tmp_path / "qrels", judged), *files)
    assert not warnings(result)


@pytest.mark.parametrize("treatment", ["skip", "bounds"])
def test_who_says_how_to_treat_them_is_not_told(
    treatment: str, tmp_path: Path, confint: Confint
) -> None:
    files = of_shares(tmp_path, {"full": 1.0, "half": 0.4})
    for command in ("interval", "rank", "compare --all-pairs", "score"):
        result = confint(*command.split(), "-m", "P@10", "--unjudged", treatment, *files)
        assert not warnings(result)


@pytest.mark.parametrize(
    ("collection", "qrels", "number"),
    [("robust2003-runs", "robust03_qrels.txt", 17), ("judges-dl21", "human.qrels", 12)],
)
def test_runs_that_made_the_pool_are_not_told_of(
    collection: str, qrels: str, number: int, data: Path, confint: Confint
) -> None:
    folder = data / collection
    runs = sorted((folder / "runs").glob("*"))
    path = folder / qrels
    assert len(runs) == number
    result = confint("score", "-q", path, "-m", "nDCG@10", *runs)
    assert not warnings(result)


# Condensed lists that decide otherwise


def renamed(folder: Path, run: str) -> Path:
    """Write a run of which every second document has another name."""
    lines = []
    places: dict[str, int] = {}
    for line in RUN[run].read_text().splitlines():
        topic, q0, document, *others = line.split()
        places[topic] = places.get(topic, 0) + 1
        name = document if places[topic] % 2 else f"other-{document}"
        lines.append(" ".join([topic, q0, name, *others]))
    path = folder / f"{run}-renamed.run"
    path.write_text("\n".join([*lines, ""]))
    return path


def test_renaming_every_second_document_of_a_run_is_told(tmp_path: Path, confint: Confint) -> None:
    """The story of the issue: significantly worse, and nobody judged half of what it found."""
    call = ["compare", "-q", QRELS, "-m", "nDCG@10", "--baseline", "bm25", RUN["bm25"]]
    before = confint(*call, RUN["dense"])
    assert not warnings(before)
    (row,) = records(before)
    assert abs(float(row["difference"])) < 0.05
    result = confint(*call, renamed(tmp_path, "dense"))
    (row,) = records(result)
    assert float(row["difference"]) < -0.1
    assert float(row["p_t"]) < 0.0001
    assert warnings(result) == [
        "unjudged documents count as not relevant, and some runs have fewer judged documents in "
        f"their first 10: dense-renamed 40% (highest: bm25 79%); {SHARE_ADVICE}",
        "the comparison would change without the unjudged documents (condensed lists): "
        f"dense-renamed and bm25; {CONDENSED_ADVICE}",
    ]
    (row,) = records(confint(*call, renamed(tmp_path, "dense"), "--unjudged", "bounds"))
    assert float(row["least_difference"]) < 0 < float(row["largest_difference"])
    assert float(row["p_t"]) == 1


def test_rank_says_who_would_be_told_apart_otherwise(tmp_path: Path, confint: Confint) -> None:
    call = ["rank", "-q", QRELS, "-m", "nDCG@10", RUN["bm25"], RUN["dense"], "--draws", "500"]
    assert not warnings(confint(*call))
    told = warnings(confint(*call, renamed(tmp_path, "dense")))
    assert len(told) == 2
    assert " of 3 comparisons would change without the unjudged documents " in told[1]
    assert "dense-renamed" in told[1]


@dataclass
class Two:
    """Runs that condensed lists tell apart otherwise, or not: P@1 on topics of five kinds.

    `a` finds a relevant document first on the topics of `better`. `b` has an unjudged document
    first, and then a relevant one on those of `hidden`.
    """

    topics: int = 20
    better: int = 15
    hidden: int = 0
    found: dict[str, Rankings] = field(default_factory=dict)

    def write(self, folder: Path) -> list[object]:
        judged = {f"{topic}": {"good": 1, "bad": 0} for topic in range(self.topics)}
        of_a: Rankings = {}
        of_b: Rankings = {}
        for number, topic in enumerate(judged):
            of_a[topic] = {"good" if number < self.better else "bad": 9.0}
            second = "good" if number < self.hidden else "bad"
            of_b[topic] = {"new": 9.0, second: 8.0}
        files = [run_file(folder / "a.run", of_a), run_file(folder / "b.run", of_b)]
        return ["-q", qrels_file(folder / "qrels", judged), "-m", "P@1", *files]


@pytest.mark.parametrize(
    ("hidden", "changes"),
    [
        (0, False),  # b has nothing below the new document
        (15, True),  # as good as a without the new document
        (20, True),  # and better, though not significantly, or even so
        (1, False),  # still worse
    ],
)
@pytest.mark.parametrize(
    "command", ["compare --baseline a", "compare --baseline b", "compare --all-pairs", "rank"]
)
def test_a_decision_that_changes_is_told_and_no_other(
    hidden: int, changes: bool, command: str, tmp_path: Path, confint: Confint
) -> None:
    for sort in ("mean", "name"):
        result = confint(*command.split(), *Two(hidden=hidden).write(tmp_path), "--sort", sort)
        (_, *told) = warnings(result)
        assert bool(told) is changes
        if changes:
            assert told[0].startswith(
                "the comparison would change without the unjudged documents (condensed lists): "
            )


@pytest.mark.parametrize("command", ["compare --all-pairs", "rank", "compare --baseline a"])
def test_a_sign_that_turns_is_told(command: str, tmp_path: Path, confint: Confint) -> None:
    """Both are significantly better than the other, by one way and by the other."""
    two = Two(better=12, hidden=20)
    usual, condensed = (
        confint("compare", "--baseline", "a", *two.write(tmp_path), "--unjudged", how)
        for how in ("irrelevant", "skip")
    )
    assert float(records(usual)[0]["p_t"]) < 0.01
    assert float(records(condensed)[0]["p_t"]) < 0.01
    assert float(records(usual)[0]["difference"]) < 0 < float(records(condensed)[0]["difference"])
    (_, told) = warnings(confint(*command.split(), *two.write(tmp_path)))
    assert told.startswith("the comparison would change ")


def test_the_correction_and_the_level_of_the_call_decide(tmp_path: Path, confint: Confint) -> None:
    """p without unjudged documents is between .01 and .05."""
    call = ["compare", "--baseline", "a", *Two(hidden=10).write(tmp_path)]
    p = float(records(confint(*call, "--unjudged", "skip"))[0]["p_t"])
    assert 0.01 < p < 0.05
    assert len(warnings(confint(*call))) == 1
    assert len(warnings(confint(*call, "--level", "0.99"))) == 2
    assert len(warnings(confint(*call, "--level", "0.99,0.95"))) == 2
    assert len(warnings(confint(*call, "--test", "wilcoxon"))) == 1 + (
        float(records(confint(*call, "--unjudged", "skip", "--test", "wilcoxon"))[0]["p_wilcoxon"])
        > 0.05
    )


def test_scores_that_are_read_first_tell_the_same(tmp_path: Path) -> None:
    files = [str(RUN["bm25"]), str(renamed(tmp_path, "dense"))]
    options = {"qrels": str(QRELS), "measure": "nDCG@10"}
    scores = confint_module.read(files, **options)
    for command, more in (("compare", {"baseline": "bm25"}), ("rank", {})):
        ask = getattr(confint_module, command)
        told = ask(scores, **more).notices
        assert [
            one for one in ask(files, **options, **more).notices if "condensed" in one.text
        ] == [one for one in told if "condensed" in one.text]
        assert any("condensed lists" in one.text for one in told)


def test_nothing_is_told_where_all_is_judged(confint: Confint, tmp_path: Path) -> None:
    judged = {f"{topic}": {f"d{one}": int(one < 3) for one in range(9)} for topic in range(20)}
    random = np.random.default_rng(1)
    files = []
    for run in "ab":
        found = {topic: {f"d{one}": float(rank) for rank, one in enumerate(random.permutation(9))}
                 for topic in judged}  # fmt: skip
        files.append(run_file(tmp_path / f"{run}.run", found))
    call = ["-q", qrels_file(tmp_path / "qrels", judged), "-m", "P@3,AP", *files]
    for command in ("compare --all-pairs", "rank --draws 500"):
        assert not warnings(confint(*command.split(), *call))


def test_a_measure_of_judged_shares_is_not_another_without_unjudged_documents(
    tmp_path: Path, confint: Confint
) -> None:
    files = of_shares(tmp_path, {"full": 1.0, "half": 0.7})
    (told,) = warnings(confint("compare", "--all-pairs", *files, "-m", "Judged@10"))
    assert "some runs have fewer judged documents in their first 10: half 70%" in told


# Columns


def test_ranks_come_with_judged_shares(tmp_path: Path, confint: Confint) -> None:
    files = of_shares(tmp_path, {"full": 1.0, "near": 0.9, "half": 0.43})
    for more in ([], ["--unjudged", "bounds"], ["--unjudged", "skip"]):
        rows = records(confint("rank", "-m", "P@10", *files, *more, "--draws", "200"))
        shares = {row["run"]: row["judged_share"] for row in rows}
        assert shares == {"full": "1.0000", "near": "0.9000", "half": "0.4300"}
    rows = records(confint("rank", *(SAMPLES / "trec_eval").glob("b*.eval"), "-m", "map"))
    assert {row["judged_share"] for row in rows} == {""}


def test_signatures_say_how_unjudged_documents_are_treated(confint: Confint) -> None:
    for command in ("interval", "score", "rank", "compare --all-pairs"):
        call = [*command.split(), "-q", QRELS, "-m", "P@5", RUN["bm25"], RUN["hybrid"]]
        for treatment in ("bounds", "skip"):
            said = confint(*call, "--unjudged", treatment, "--signature").out
            assert f"|unjudged:{treatment}|" in said or f"|unjudged:{treatment}\n" in said
        assert "unjudged" not in confint(*call, "--unjudged", "irrelevant", "--signature").out


# Bounds, longhand

MEASURES = ("nDCG@3", "P@2", "RR", "R@3", "Rprec", "nDCG", "Success@1")
UNIVERSE = 8


def some(
    seed: int, topics: int, noise: dict[str, float] | None = None
) -> tuple[Grades, dict[str, Rankings]]:
    """Judgements of most of eight documents, and runs that find four of them, more or less well."""
    random = np.random.default_rng(seed)
    judged: Grades = {}
    runs: dict[str, Rankings] = {run: {} for run in noise or NOISE}
    for topic in range(1, topics + 1):
        true = [int(random.integers(1, 3)) if one < 3 else 0 for one in range(UNIVERSE)]
        judged[f"{topic}"] = {f"d{one}": grade for one, grade in enumerate(true)
                              if random.random() < 0.9} | {"e": 2}  # fmt: skip
        for run, own in (noise or NOISE).items():
            score = random.normal(0, own, UNIVERSE) + np.sign(np.array(true))
            if own > 10:
                score = -np.array(true) + random.random(UNIVERSE)
            best = np.argsort(-score)[:4]
            runs[run][f"{topic}"] = {f"d{one}": 9.0 - rank for rank, one in enumerate(best)}
    return judged, runs


NOISE = {"good": 0.2, "fair": 1.0, "poor": 99.0}


def written(folder: Path, judged: Grades, runs: dict[str, Rankings]) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    return ["-q", qrels_file(folder / "qrels", judged),
            *(run_file(folder / f"{run}.run", found) for run, found in runs.items())]  # fmt: skip


def judgements(
    judged: dict[str, int], seen: Sequence[str], highest: int = 2
) -> Iterator[dict[str, int]]:
    """Every way to judge what has been seen and nobody judged."""
    free = [one for one in dict.fromkeys(seen) if judged.get(one, -1) < 0]
    for chosen in product(range(highest + 1), repeat=len(free)):
        yield judged | dict(zip(free, chosen, strict=True))


def brute(
    measure: str, judged: Grades, run: Rankings, baseline: Rankings | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest values, or differences, of each topic: of all judgements."""
    known = parsed(measure)
    assert known is not None
    name, cutoff = known.trec_eval, int(known.number) if known.number else None
    bounds = []
    for topic, own in judged.items():
        both = [one.get(topic, {}) for one in (run, baseline) if one is not None]
        seen = [document for ranking in both for document in in_order(ranking)[:cutoff]]
        every = {f"{n}": way for n, way in enumerate(judgements(own, seen))}
        evaluator = pytrec_eval.RelevanceEvaluator(every, {name})
        values = []
        for ranking in both:
            results = evaluator.evaluate(dict.fromkeys(every, ranking)) if ranking else {}
            values.append(np.array([results[n][name] if ranking else 0.0 for n in every]))
        difference = values[0] - values[1] if len(values) > 1 else values[0]
        bounds.append((difference.min(), difference.max()))
    return tuple(np.array(bounds).T)


def imbens_manski(
    least: tuple[float, float], largest: tuple[float, float], df: float, level: float
) -> tuple[float, float]:
    """The interval, of means with their standard errors."""
    if max(least[1], largest[1]) == 0:
        return least[0], largest[0]
    width = (largest[0] - least[0]) / max(least[1], largest[1])

    def excess(c: float) -> float:
        covered: float = stats.t.cdf(c + width, df) - stats.t.cdf(-c, df)
        return covered - level

    c = optimize.brentq(excess, 0, 1000, xtol=1e-14)
    return least[0] - c * least[1], largest[0] + c * largest[1]


def p_of(least: tuple[float, float], largest: tuple[float, float], df: float) -> float:
    """One less the level of the interval that has 0 at its end."""
    if least[0] <= 0 <= largest[0]:
        return 1.0
    z = least[0] / least[1] if least[0] > 0 else -largest[0] / largest[1]
    width = (largest[0] - least[0]) / max(least[1], largest[1])
    return float(stats.t.sf(z, df) + stats.t.sf(z + width, df))


def moments(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def asked(command: str, files: Sequence[str], **options: Any) -> list[Any]:
    """The records, from Python; files begin with those of the judgements."""
    result = getattr(confint_module, command)([*files[2:]], qrels=files[1], unjudged="bounds",
                                              **options)  # fmt: skip
    return [*result.rows]


def test_scores_come_with_their_bounds(tmp_path: Path) -> None:
    judged, runs = some(1, 12)
    rows = asked("score", written(tmp_path, judged, runs), measure=[*MEASURES])
    for measure in MEASURES:
        for run, found in runs.items():
            own = [row for row in rows if (row.measure, row.run) == (measure, run)]
            least, largest = brute(measure, judged, found)
            assert [row.least for row in own] == pytest.approx(least, abs=1e-12)
            assert [row.largest for row in own] == pytest.approx(largest, abs=1e-12)
            assert all(row.least <= row.score <= row.largest for row in own)


def test_bounds_of_rbp_are_at_the_level_of_relevance(tmp_path: Path) -> None:
    files = written(tmp_path, *some(1, 12))
    named, given = (
        asked("interval", files, measure=measure, **options)
        for measure, options in (("RBP(p=0.8,rel=2)", {}), ("RBP(p=0.8)", {"rel_level": 2}))
    )
    at_1 = asked("interval", files, measure="RBP(p=0.8)")
    for one, other, lower in zip(named, given, at_1, strict=True):
        assert (one.mean, one.least, one.largest) == (other.mean, other.least, other.largest)
        assert one.largest - lower.largest == pytest.approx(one.mean - lower.mean)
    assert named[0].mean < at_1[0].mean


def test_intervals_are_those_of_imbens_and_manski_longhand(tmp_path: Path) -> None:
    judged, runs = some(1, 12)
    files = written(tmp_path, judged, runs)
    rows = asked("interval", files, measure=[*MEASURES], level=[0.9, 0.99])
    assert len(rows) == len(MEASURES) * len(runs) * 2
    for row in rows:
        least, largest = map(moments, brute(row.measure, judged, runs[row.run]))
        assert row.method == "imbens-manski"
        assert (row.least, row.largest) == pytest.approx((least[0], largest[0]), abs=1e-12)
        expected = imbens_manski(least, largest, 11, row.level)
        assert (row.low, row.high) == pytest.approx(expected, abs=1e-10)
        assert (row.df, row.topics) == (11, 12)
        assert ("bounds wide" in row.note) == (largest[0] - least[0] > 0.3)
        assert "few topics" in row.note


def test_differences_are_over_judgements_that_both_runs_share(tmp_path: Path) -> None:
    judged, runs = some(2, 12)
    files = written(tmp_path, judged, runs)
    rows = asked("compare", files, measure=[*MEASURES], all_pairs=True, level=[0.9, 0.95],
                 simultaneous=True, method="imbens-manski")  # fmt: skip
    assert len(rows) == len(MEASURES) * 3 * 2 * 2
    p: dict[tuple[str, str, str], tuple[float, float]] = {}
    for row in rows:
        values = brute(row.measure, judged, runs[row.run], runs[row.baseline])
        least, largest = map(moments, values)
        assert (row.least_difference, row.largest_difference) == pytest.approx(
            (least[0], largest[0]), abs=1e-12
        )
        level = row.level if row.method == "imbens-manski" else 1 - (1 - row.level) / 3
        expected = imbens_manski(least, largest, 11, level)
        assert (row.low, row.high) == pytest.approx(expected, abs=1e-10)
        assert row.p["t"] == pytest.approx(p_of(least, largest, 11), abs=1e-12)
        assert row.least_difference <= row.difference + 1e-12
        assert row.difference <= row.largest_difference + 1e-12
        p[row.measure, row.run, row.baseline] = row.p["t"], row.p_adjusted
        own = brute(row.measure, judged, runs[row.run]), brute(
            row.measure, judged, runs[row.baseline])  # fmt: skip
        if row.measure in ("P@2", "RR", "Success@1"):  # others' ideals are of both runs' documents
            assert row.least_difference >= own[0][0].mean() - own[1][1].mean() - 1e-12
    assert {row.method for row in rows} == {"imbens-manski", "bonferroni-t"}
    for measure in MEASURES:
        of_measure = [both for key, both in p.items() if key[0] == measure]
        assert [min(1.0, 3 * one) for one, _ in of_measure] == pytest.approx(
            [adjusted for _, adjusted in of_measure]
        )
    assert any(one < 0.01 for one, _ in p.values())
    assert any(one > 0.05 for one, _ in p.values())


def test_p_values_are_corrected_by_holm(tmp_path: Path) -> None:
    judged, runs = some(3, 15)
    rows = asked("compare", written(tmp_path, judged, runs), measure="P@2", all_pairs=True)
    p = sorted((row.p["t"], row.p_adjusted) for row in rows)
    expected = np.minimum(np.maximum.accumulate([3, 2, 1] * np.array([one for one, _ in p])), 1)
    assert [adjusted for _, adjusted in p] == pytest.approx(expected)
    for row in rows:
        assert row.significant == (row.p_adjusted < 0.05)
        assert (row.p["t"] < 0.05) == (not row.low <= 0 <= row.high)


def test_average_precision_of_two_has_outer_bounds(tmp_path: Path) -> None:
    judged, runs = some(4, 12)
    rows = asked("compare", written(tmp_path, judged, runs), measure=["AP", "AP@3"], all_pairs=True)
    for row in rows:
        least, largest = brute(row.measure, judged, runs[row.run], runs[row.baseline])
        assert row.least_difference <= least.mean() + 1e-12
        assert row.largest_difference >= largest.mean() - 1e-12
        assert row.least_difference > least.mean() - 0.2


def test_ranks_are_by_bonferroni_over_all_pairs(tmp_path: Path) -> None:
    judged, runs = some(2, 12)
    files = written(tmp_path, judged, runs)
    seen = set()
    for measure, level in (("nDCG@3", 0.95), ("P@2", 0.95), ("P@2", 0.9999), ("RR", 0.9)):
        rows = asked("rank", files, measure=measure, level=level)
        means = {row.run: row.mean for row in rows}
        assert [*means.values()] == sorted(means.values(), reverse=True)
        ahead: dict[int, list[tuple[str, str]]] = {2: [], 3: []}  # by the number of pairs
        for one, other in combinations(runs, 2):
            least, largest = map(moments, brute(measure, judged, runs[one], runs[other]))
            p = p_of(least, largest, 11)
            for number, own in ahead.items():
                if p < (1 - level) / number:
                    own.append((one, other) if least[0] > 0 else (other, one))
        for row in rows:
            for number, low, high in ((3, row.rank_low, row.rank_high),
                                      (2, row.own_rank_low, row.own_rank_high)):  # fmt: skip
                assert low == 1 + sum(row.run == worse for _, worse in ahead[number])
                assert high == 3 - sum(row.run == better for better, _ in ahead[number])
                seen.add((low, high))
            least, largest = map(moments, brute(measure, judged, runs[row.run]))
            assert (row.least, row.largest) == pytest.approx((least[0], largest[0]))
            expected = imbens_manski(least, largest, 11, level)
            assert (row.low, row.high) == pytest.approx(expected, abs=1e-10)
    assert len(seen) > 2


def test_a_topic_that_a_run_lacks_is_0_whatever_is_judged(tmp_path: Path) -> None:
    judged, runs = some(2, 10)
    del runs["fair"]["4"]
    files = written(tmp_path, judged, runs)
    for row in asked("compare", files, measure=["P@2", "nDCG@3"], baseline="fair"):
        least, largest = brute(row.measure, judged, runs[row.run], runs["fair"])
        assert (row.least_difference, row.largest_difference) == pytest.approx(
            (least.mean(), largest.mean()), abs=1e-12
        )
        assert "1 topic missing" in row.note


# Bounds of designs: those of topics are given to a plain interval, as if they were scores

COLLECTION_SIZES = {"news": 8, "forum": 12, "web": 6}


def of_collections(
    folder: Path,
) -> tuple[dict[str, tuple[Grades, dict[str, Rankings]]], dict[str, Any]]:
    """Three collections, one of which has grades up to 3."""
    parts = {}
    for number, (name, size) in enumerate(COLLECTION_SIZES.items()):
        judged, runs = some(20 + number, size)
        files = written(folder / name, judged, runs)
        assert files
        parts[name] = judged, runs
    options = {
        "qrels": str(folder / "{collection}" / "qrels"),
        "labels": str(folder / "{collection}" / "{run}.run"),
    }
    return parts, options


def plain(folder: Path, values: dict[str, np.ndarray], **options: Any) -> dict[str, Any]:
    """The plain interval of numbers by collection: its record, by collection."""
    lines = ["run\tcollection\ttopic\tmeasure\tscore"]
    for name, own in values.items():
        lines += [
            f"x\t{name}\t{topic}\tm\t{value!r}" for topic, value in enumerate(own.tolist(), 1)
        ]
    path = folder / "table.tsv"
    path.write_text("\n".join([*lines, ""]))
    return {row.collection: row for row in confint_module.interval(str(path), **options).rows}


@pytest.mark.parametrize("for_new", ["topics", "collections"])
def test_bounds_of_several_collections(for_new: str, tmp_path: Path) -> None:
    parts, options = of_collections(tmp_path)
    files = [str(tmp_path / name / f"{run}.run") for name in parts for run in NOISE]
    options |= {"unjudged": "bounds", "measure": "nDCG@3", "for_new": for_new}

    def check(row: Any, pair: tuple[str, ...], names: tuple[str, str]) -> None:
        per = {name: brute("nDCG@3", judged, *(runs[run] for run in pair))
               for name, (judged, runs) in parts.items()}  # fmt: skip
        ends = [plain(tmp_path, {name: both[side] for name, both in per.items()}, for_new=for_new)
                for side in (0, 1)]  # fmt: skip
        least, largest = ((end[row.collection].mean, end[row.collection].se) for end in ends)
        df = min(end[row.collection].df for end in ends)
        assert [getattr(row, name) for name in names] == pytest.approx([least[0], largest[0]])
        if hasattr(row, "df"):
            assert row.df == pytest.approx(df)
        assert (row.low, row.high) == pytest.approx(imbens_manski(least, largest, df, 0.95))

    rows = confint_module.interval(files, **options).rows
    assert len(rows) == 4 * 3
    for row in rows:
        check(row, (row.run,), ("least", "largest"))
    rows = confint_module.compare(files, all_pairs=True, correct="none", **options).rows
    assert len(rows) == 4 * 3
    for row in rows:
        check(row, (row.run, row.baseline), ("least_difference", "largest_difference"))
    for row in confint_module.rank(files, **options).rows:
        check(row, (row.run,), ("least", "largest"))
        shares = [
            np.mean([np.mean([one in judged[topic] for one in in_order(found, 3)])
                     for topic, found in runs[row.run].items()])
            for name, (judged, runs) in parts.items() if row.collection in (name, "macro")
        ]  # fmt: skip
        assert row.judged_share == pytest.approx(np.mean(shares))


@pytest.mark.parametrize("weight", ["size", "equal"])
def test_bounds_of_groups_of_topics(weight: str, tmp_path: Path) -> None:
    judged, runs = some(5, 14)
    groups = {topic: f"g{int(topic) % 5}" for topic in judged}
    files = written(tmp_path, judged, runs)
    options = {"measure": "nDCG@3", "groups": groups, "group_weight": weight}

    def check(row: Any, pair: tuple[str, ...], names: tuple[str, str]) -> None:
        ends = []
        for values in brute("nDCG@3", judged, *(runs[run] for run in pair)):
            lines = ["run\ttopic\tmeasure\tscore"]
            lines += [f"x\t{topic}\tm\t{value!r}"
                      for topic, value in zip(judged, values.tolist(), strict=True)]  # fmt: skip
            path = tmp_path / "table.tsv"
            path.write_text("\n".join([*lines, ""]))
            (own,) = confint_module.interval(str(path), groups=groups, group_weight=weight).rows
            ends.append((own.mean, own.se))
            df = own.df
        assert [getattr(row, name) for name in names] == pytest.approx([ends[0][0], ends[1][0]])
        assert row.df == pytest.approx(df, abs=0.5)
        assert (row.low, row.high) == pytest.approx(imbens_manski(*ends, row.df, 0.95))

    for row in asked("interval", files, **options):
        check(row, (row.run,), ("least", "largest"))
        assert row.groups == 5
    for row in asked("compare", files, all_pairs=True, correct="none", **options):
        check(row, (row.run, row.baseline), ("least_difference", "largest_difference"))


def test_scores_that_are_read_first_are_asked_like_others(tmp_path: Path) -> None:
    judged, runs = some(2, 10)
    files = written(tmp_path, judged, runs)
    measures = ["P@2", "nDCG@3"]
    scores = confint_module.read(files[2:], qrels=files[1], measure=measures, unjudged="bounds")
    for command, options in (("compare", {"all_pairs": True}), ("interval", {}), ("rank", {})):
        once = getattr(confint_module, command)(scores, **options).rows
        again = asked(command, files, measure=measures, **options)
        assert [str(astuple(row)) for row in once] == [str(astuple(row)) for row in again]
        assert [*map(repr, once)] == [*map(repr, again)]
    with pytest.raises(
        CallError, match="unjudged says how to read, but these scores are already read"
    ):
        confint_module.interval(scores, unjudged="skip")


@pytest.mark.parametrize(
    ("command", "options"),
    [("describe", {}), ("plan", {"half_width": 0.1}), ("coverage", {"replicates": 2}),
     ("risk", {"baseline": "fair"}), ("bayes", {"baseline": "fair"}), ("standardize", {})],
)  # fmt: skip
def test_bounds_that_are_read_first_are_refused_where_they_say_nothing(
    command: str, options: dict[str, Any], tmp_path: Path
) -> None:
    files = written(tmp_path, *some(2, 10))
    scores = confint_module.read(files[2:], qrels=files[1], measure="P@2", unjudged="bounds")
    with pytest.raises(CallError, match=f"^confint {command} (does not take|is not for) bounds"):
        getattr(confint_module, command)(scores, **options)


def test_differences_of_judged_shares_are_known(tmp_path: Path) -> None:
    judged, runs = some(2, 10)
    files = written(tmp_path, judged, runs)
    for row in asked("compare", files, measure=["Judged@3", "P@2"], baseline="fair"):
        if row.measure == "Judged@3":
            assert row.least_difference == pytest.approx(row.difference)
            assert row.largest_difference == pytest.approx(row.difference)
    (plain_row,) = confint_module.compare(
        [files[2], files[3]], qrels=files[1], measure="Judged@3", baseline="fair").rows  # fmt: skip
    (own,) = (row for row in asked("compare", files[:4], measure="Judged@3", baseline="fair"))
    assert (own.low, own.high) == pytest.approx((plain_row.low, plain_row.high))


# What is refused

RUNS = [RUN["bm25"], RUN["hybrid"]]
SCORED = ["-q", QRELS, "-m", "P@5", *RUNS]
COMPARED = ["compare", "--baseline", "bm25", *SCORED]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (["interval", SAMPLES / "trec_eval/bm25.eval", "-m", "map"],
         "--unjudged bounds needs -q: scores in FILES do not say what was judged, or how much "
         "larger they could be"),
        (["interval", *SCORED, "--judge-qrels", QRELS],
         "--unjudged bounds cannot be combined with a cheaper judge"),
        (["interval", "-q", QRELS, "-m", "bpref", *RUNS],
         "--unjudged bounds is not for 'bpref': it leaves out unjudged documents, instead of "
         "counting them as not relevant"),
        (["score", "-q", QRELS, "-m", "P@5,infAP", *RUNS],
         "--unjudged bounds is not for 'infAP': it leaves out unjudged documents, instead of "
         "counting them as not relevant"),
        (["rank", "-q", QRELS, "-m", "iprec_at_recall_0.10", *RUNS],
         "--unjudged bounds is not for 'iprec_at_recall_0.10': it has no bounds: confint has "
         "bounds for P, Success, RR, Recall, AP, Rprec, nDCG, RBP and ERR@k"),
        (["interval", *SCORED, "--standardize", "10"],
         "--standardize is not for bounds: the runs to standardise by would have bounds, too"),
        ([*COMPARED, "--unpaired"],
         "--unpaired is for runs on different topics, but bounds are over judgements that both "
         "runs share"),
        ([*COMPARED, "--method", "bootstrap-t"],
         "with --unjudged bounds, the only --method is imbens-manski, not bootstrap-t"),
        ([*COMPARED, "--test", "wilcoxon"],
         "--test wilcoxon is not for bounds: it ranks differences, which are known only "
         "between bounds"),
        ([*COMPARED, "--test", "randomization"],
         "--test randomization is not for bounds: it flips differences, which are known only "
         "between bounds"),
        ([*COMPARED, "--test", "tukey"],
         "--test tukey is not for bounds: it permutes scores, which are known only between "
         "bounds"),
        ([*COMPARED, "--correct", "max-t"],
         "--correct max-t resamples topics, and such a design cannot be resampled"),
        (["score", "-q", QRELS, "-m", "P@5", RUN["bm25"], "--layout", "trec_eval"],
         "trec_eval's layout has no place for bounds"),
        (["rank", *SCORED, "--strict"],
         "--strict is for max-t, which is not available for bounds"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_of_bounds_says_why(
    call: list[object], why: str, confint: Confint
) -> None:
    result = confint(*call, "--unjudged", "bounds")
    assert result.status != 0
    assert result.err.splitlines()[0] == f"confint: {why}"


def test_one_topic_has_bounds_and_no_interval(tmp_path: Path) -> None:
    judged, runs = some(1, 1)
    for row in asked("interval", written(tmp_path, judged, runs), measure="P@2"):
        assert np.isnan([row.low, row.high]).all()
        (least,), (largest,) = brute("P@2", judged, runs[row.run])
        assert (row.least, row.largest) == (least, largest)
        assert row.note == ("one topic, bounds wide" if largest - least > 0.3 else "one topic")


def test_notes_say_where_topics_are_few(tmp_path: Path) -> None:
    for topics, told in ((24, True), (25, False)):
        judged, runs = some(1, topics)
        files = written(tmp_path, judged, runs)
        for row in [*asked("interval", files, measure="P@2"),
                    *asked("compare", files, measure="P@2", baseline="fair")]:  # fmt: skip
            assert ("few topics" in row.note) is told


def test_repeats_of_runs_have_no_bounds(tmp_path: Path, confint: Confint) -> None:
    files = []
    for repeat in "12":
        files.append(tmp_path / f"bm25.seed{repeat}.run")
        files[-1].write_bytes(RUN["bm25"].read_bytes())
    call = ["-q", QRELS, "-m", "P@5", "--labels", "{run}.seed{repeat}.run", *files]
    for command in ("interval", "rank", "score", "compare --all-pairs"):
        result = confint(*command.split(), *call, "--unjudged", "bounds")
        assert result.status != 0
        assert result.err.splitlines()[-2:] == [
            "confint: --unjudged bounds is not for repeats of runs: each is a ranking of its own",
            "  hint: give one file per run, or use --labels with each repeat as a {run} of its own",
        ]
    assert confint("interval", *call, "--unjudged", "skip").status == 0
    assert confint("interval", *call).status == 0


def test_condensed_lists_need_judgements(confint: Confint) -> None:
    result = confint("interval", SAMPLES / "trec_eval/bm25.eval", "-m", "map", "--unjudged", "skip")
    assert result.err.splitlines() == [
        "confint: --unjudged skip needs -q: scores in FILES do not say what was judged",
        "  hint: give the judgements with -q FILE; FILES are then runs",
    ]


def test_runs_with_the_same_scores_are_not_identical_if_unjudged_documents_differ(
    tmp_path: Path, confint: Confint
) -> None:
    qrels, runs = [], {"a": [], "b": []}
    for topic in range(1, 31):
        qrels.append(f"{topic} 0 known 1")
        for run, lines in runs.items():
            lines.append(f"{topic} Q0 known 1 2 {run}")
            lines.append(f"{topic} Q0 only-{run}-{topic} 2 1 {run}")
    (tmp_path / "qrels").write_text("\n".join([*qrels, "31 0 x -1", ""]))
    for run, lines in runs.items():
        (tmp_path / f"{run}.run").write_text("\n".join([*lines, ""]))
    call = ["-q", tmp_path / "qrels", "-m", "P@2", tmp_path / "a.run", tmp_path / "b.run",
            "--unjudged", "bounds"]  # fmt: skip
    result = confint("compare", "--baseline", "a", *call)
    (row,) = records(result)
    assert "identical" not in row["note"]
    assert (row["least_difference"], row["largest_difference"]) == ("-0.4839", "0.4839")
    assert "1 grade is below 0: such documents count as unjudged, as in trec_eval" in result.err
    for row in records(confint("rank", *call)):
        assert "same scores as" not in row["note"]
    plain = confint("compare", "--baseline", "a", *call[:-2])
    assert "identical" in records(plain)[0]["note"]


# Judgements that list relevant documents only, as BEIR's do: nothing says what else was judged

BEIR = ["--labels", "{run}.seed{repeat}/{collection}.json", "--labels", "{run}/{collection}.json",
        "-q", SAMPLES / "beir/{collection}/qrels/test.tsv", "-m", "nDCG@10",
        *sorted((SAMPLES / "beir" / "runs").glob("*/*.json"))]  # fmt: skip
RELEVANT_ONLY = (
    "only relevant documents are listed: all others count as not relevant, and which of them were "
    "judged is unknown"
)


def of_relevant_only(folder: Path, *, with_others: str = "") -> list[object]:
    """Write two runs that differ, with judgements of relevant documents, perhaps a line more."""
    path = folder / "test.tsv"
    lines = [f"q{topic}\td{topic % 4}\t1" for topic in range(20)]
    path.write_text("\n".join(["query-id\tcorpus-id\tscore", *lines, with_others]) + "\n")
    for run, names in (("a", "d0 d1 d2 d3 x y"), ("b", "z y d3 d2 d1 d0")):
        documents = names.split()
        found = {f"q{topic}": {name: 9.0 - rank for rank, name in enumerate(documents)}
                 for topic in range(20)}  # fmt: skip
        run_file(folder / f"{run}.run", found)
    return ["-q", path, folder / "a.run", folder / "b.run", "-m", "nDCG@10"]


@pytest.mark.parametrize("command", ["interval", "compare", "rank", "describe"])
def test_a_list_of_relevant_documents_does_not_say_what_else_was_judged(
    command: str, tmp_path: Path, confint: Confint
) -> None:
    result = confint(command, *of_relevant_only(tmp_path))
    qrels = tmp_path / "test.tsv"
    assert f"confint: note: {qrels}: {RELEVANT_ONLY}" in result.err.splitlines()
    assert "unjudged" not in result.err
    assert "confint: warning" not in result.err
    others = confint(command, *of_relevant_only(tmp_path, with_others="q1\tx\t0"))
    assert RELEVANT_ONLY not in others.err
    assert "confint: warning" in others.err  # hardly any document is judged


def test_standings_by_relevant_documents_only_have_no_judged_shares(
    tmp_path: Path, confint: Confint
) -> None:
    result = confint("rank", *of_relevant_only(tmp_path))
    assert {row["judged_share"] for row in records(result)} == {""}
    table = confint("rank", *of_relevant_only(tmp_path), "-f", "table").out
    assert "judged" not in table


@pytest.mark.parametrize("measure", [["P@5"], ["P(rel=2)@5"], ["P(rel=2)@5,Judged@10"]])
def test_it_is_the_grade_0_that_is_missing_whatever_counts_as_relevant(
    measure: list[str], tmp_path: Path, confint: Confint
) -> None:
    call = of_relevant_only(tmp_path, with_others="q1\tx\t2")[:-1]
    assert RELEVANT_ONLY in confint("interval", *call, *measure).err
    call = of_relevant_only(tmp_path, with_others="q1\tx\t-1")[:-1]  # nobody judged it
    assert RELEVANT_ONLY in confint("interval", *call, *measure, "--rel-level", "1").err
    call = of_relevant_only(tmp_path, with_others="q1\tx\t0")[:-1]
    assert RELEVANT_ONLY not in confint("interval", *call, *measure, "--rel-level", "1").err


def test_measures_that_need_documents_judged_not_relevant_are_warned_of(
    tmp_path: Path, confint: Confint
) -> None:
    call = of_relevant_only(tmp_path)[:-1]
    told = confint("interval", *call, "bpref,AP").err.splitlines()
    assert [text for text in told if "say little" in text] == [
        f"confint: warning: {tmp_path / 'test.tsv'}: bpref needs documents that were judged not "
        "relevant, and none are listed: the scores say little"
    ]
    assert "say little" not in confint("interval", *call, "AP").err
    call = of_relevant_only(tmp_path, with_others="q1\tx\t0")[:-1]
    assert "say little" not in confint("interval", *call, "bpref").err


def test_relevant_documents_only_cannot_be_condensed(tmp_path: Path, confint: Confint) -> None:
    result = confint("interval", *of_relevant_only(tmp_path), "--unjudged", "skip")
    assert (result.status, result.out) == (1, "")
    assert "test.tsv: lists only relevant documents: --unjudged skip would remove" in result.err


def test_collections_of_relevant_documents_only_are_told_once(confint: Confint) -> None:
    for jobs in ("1", "2"):
        result = confint("compare", *BEIR, "--baseline", "bm25", "--jobs", jobs)
        notes = [line for line in result.err.splitlines() if "are listed" in line]
        assert notes == [
            f"confint: note: 4 collections: {RELEVANT_ONLY}: cooking, health, law, travel"
        ]
        assert "unjudged" not in result.err


def test_among_collections_others_still_have_judged_shares(
    tmp_path: Path, confint: Confint
) -> None:
    files = []
    for name, others in (("full", "q1\tx\t0"), ("sparse", "")):
        (tmp_path / name).mkdir()
        files += of_relevant_only(tmp_path / name, with_others=others)[2:4]
    result = confint("compare", "--labels", "{collection}/{run}.run", "-m", "nDCG@10", "-q",
                     tmp_path / "{collection}/test.tsv", *files)  # fmt: skip
    assert f"note: sparse: {RELEVANT_ONLY}" in result.err
    told, decided = warnings(result)
    assert "in full" in told
    assert "in sparse" not in told
    assert decided.startswith("1 of 3 comparisons would change ")
    for for_new in ("topics", "collections"):
        result = confint("rank", "--labels", "{collection}/{run}.run", "-m", "nDCG@10", "-q",
                         tmp_path / "{collection}/test.tsv", *files, "--for-new", for_new,
                         "--quiet")  # fmt: skip
        shares = {(row["collection"], row["run"]): row["judged_share"] for row in records(result)}
        assert shares == {("full", "a"): "0.1750", ("full", "b"): "0.1667", ("sparse", "a"): "",
                          ("sparse", "b"): "", ("macro", "a"): "", ("macro", "b"): ""}  # fmt: skip


def test_a_page_of_relevant_documents_only_has_no_judged_shares(
    tmp_path: Path, confint: Confint
) -> None:
    for more in ([], ["--for-new", "collections"]):
        result = confint("report", *BEIR, "--baseline", "bm25", *more, "-o", tmp_path / "page.html")
        assert result.status == 0, result.err
        page = (tmp_path / "page.html").read_text()
        assert RELEVANT_ONLY in page
        assert "<span>judged</span>" not in page
        assert "ten at most" not in page
    others = of_relevant_only(tmp_path, with_others="q1\tx\t0")
    assert confint("report", *others, "-o", tmp_path / "other.html").status == 0
    page = (tmp_path / "other.html").read_text()
    assert "<span>judged</span>" in page
    assert "ten at most" in page


def test_bounds_take_what_is_not_listed_for_unjudged(tmp_path: Path, confint: Confint) -> None:
    result = confint("rank", *of_relevant_only(tmp_path), "--unjudged", "bounds")
    assert result.status == 0
    assert result.err.splitlines() == [
        f"confint: note: {tmp_path / 'test.tsv'}: only relevant documents are listed: which of the "
        "others were judged is unknown, so bounds treat all others as unjudged"
    ]


def test_missing_topics_may_be_dropped(tmp_path: Path, confint: Confint) -> None:
    call = of_relevant_only(tmp_path)
    run_file(tmp_path / "a.run", {f"q{topic}": {"d0": 1.0} for topic in range(12)})
    result = confint("rank", *call, "--missing", "drop")
    assert {row["topics"] for row in records(result)} == {"12"}
    assert {row["judged_share"] for row in records(result)} == {""}
