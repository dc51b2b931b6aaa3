"""What files say of unjudged documents: shares of trec_eval 10, residuals of RBP and rbp_eval."""

from pathlib import Path

import numpy as np
import pytest

from confint_cli.stats.identified import identified
from confint_cli.stats.sample import Sample
from tests.conftest import Confint, records

TOPICS = [str(topic) for topic in range(301, 331)]
LEVEL = np.array([0.95])


def values(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).beta(1, 2, len(TOPICS)).round(4)


def rbp_eval(path: Path, rbp: np.ndarray, more: np.ndarray) -> Path:
    lines = [
        f"p= 0.80 q=  {topic} d=   10 rbp= {value:.4f} +{residual:.4f}"
        for topic, value, residual in zip(TOPICS, rbp, more, strict=True)
    ]
    lines.append(f"p= 0.80 q=  all d=   10 rbp= {rbp.mean():.4f} +{more.mean():.4f}")
    path.write_text("\n".join([*lines, ""]))
    return path


def trec_eval(path: Path, by_measure: dict[str, np.ndarray]) -> Path:
    lines = [
        f"{name:<22}\t{topic}\t{own[place]:.4f}"
        for place, topic in enumerate(TOPICS)
        for name, own in by_measure.items()
    ]
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [
        rbp_eval(tmp_path / f"{run}.txt", values(seed) / 2, values(seed + 9) / 4)
        for seed, run in enumerate(("a", "b"), 1)
    ]


def test_residuals_are_no_measures(files: list[Path], confint: Confint) -> None:
    for request in ((), ("-m", "all")):
        rows = records(confint("score", files[0], *request))
        assert {row["measure"] for row in rows} == {"RBP(p=0.80)@10"}
        assert len(rows) == len(TOPICS)


def test_they_are_bounds_of_means(files: list[Path], confint: Confint) -> None:
    (row,) = records(confint("interval", files[0], "--unjudged", "bounds", "--digits", 6))
    least = (values(1) / 2).round(4)[:, None]
    largest = least + (values(10) / 4).round(4)[:, None]
    assert float(row["least"]) == pytest.approx(least.mean(), abs=1e-4)
    assert float(row["largest"]) == pytest.approx(largest.mean(), abs=1e-4)
    low, high = identified(Sample(least), Sample(largest)).limits(LEVEL)
    assert float(row["low"]) == pytest.approx(low[0, 0], abs=1e-4)
    assert float(row["high"]) == pytest.approx(high[0, 0], abs=1e-4)


def test_differences_have_those_of_both_runs(files: list[Path], confint: Confint) -> None:
    call = ("compare", *files, "--baseline", "a", "--unjudged", "bounds", "--digits", 6)
    (row,) = records(confint(*call))
    a, b = ((values(seed) / 2).round(4) for seed in (1, 2))
    more_a, more_b = ((values(seed) / 4).round(4) for seed in (10, 11))
    low, high = b - a - more_a, b + more_b - a
    assert float(row["least_difference"]) == pytest.approx(low.mean(), abs=1e-4)
    assert float(row["largest_difference"]) == pytest.approx(high.mean(), abs=1e-4)
    own = identified(Sample(low[:, None]), Sample(high[:, None]))
    own_low, own_high = own.limits(LEVEL)
    assert float(row["low"]) == pytest.approx(own_low[0, 0], abs=1e-4)
    assert float(row["high"]) == pytest.approx(own_high[0, 0], abs=1e-4)


def test_rbp_of_trec_eval_has_its_residual(tmp_path: Path, confint: Confint) -> None:
    by_measure = {"map": values(3), "rbp": values(1) / 2, "rbp_resid": values(4) / 4}
    path = trec_eval(tmp_path / "a.eval", by_measure)
    (row,) = records(confint("interval", path, "-m", "rbp", "--unjudged", "bounds"))
    assert float(row["largest"]) - float(row["least"]) == pytest.approx(
        by_measure["rbp_resid"].mean(), abs=2e-4
    )
    refused = confint("interval", path, "-m", "map,rbp", "--unjudged", "bounds")
    assert refused.status == 2
    assert "scores in FILES do not say what was judged, or how much larger they could be" in (
        refused.err
    )


def test_shares_of_unjudged_documents_are_told_of(tmp_path: Path, confint: Confint) -> None:
    shares = {5: 0.2, 10: 0.7, 20: 0.9}
    pooled = {f"unj_{depth}": np.zeros(len(TOPICS)) for depth in shares}
    dense = {f"unj_{depth}": np.full(len(TOPICS), share) for depth, share in shares.items()}
    paths = [
        trec_eval(tmp_path / "pooled.eval", {"map": values(1), **pooled}),
        trec_eval(tmp_path / "dense.eval", {"map": values(2), **dense}),
    ]
    result = confint("rank", *paths)
    assert (
        "some runs have fewer judged documents in their first 10: dense 30% (highest: pooled 100%);"
    ) in result.err
    rows = {row["run"]: row for row in records(result)}
    assert float(rows["dense"]["judged_share"]) == pytest.approx(0.3)
    assert {row["measure"] for row in rows.values()} == {"map"}
    named = records(confint("score", paths[1], "-m", "unj_10"))
    assert {row["score"] for row in named} == {"0.7000"}


def test_what_is_no_share_is_no_share_of_unjudged_documents(
    tmp_path: Path, confint: Confint
) -> None:
    by_measure = {"map": values(1), "unj_10": np.full(len(TOPICS), 3.0)}
    paths = [trec_eval(tmp_path / f"{run}.eval", by_measure) for run in "ab"]
    result = confint("rank", *paths, "-m", "map")
    assert result.status == 0
    assert "unjudged" not in result.err
    assert {row.get("judged_share", "") for row in records(result)} == {""}


def test_residuals_of_cwl_eval_are_bounds_too(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "a.tsv"
    names = ["EU", "ETU", "EC", "ETC", "ED"]
    lines = ["\t".join(["Topic", "Metric", *names, *(f"Res{name}" for name in names)])]
    least, more = values(5) / 2, values(6) / 2
    for topic, value, residual in zip(TOPICS, least, more, strict=True):
        numbers = [value, 2 * value, 1, 2, 3, residual, 2 * residual, 0, 0, 0]
        lines.append("\t".join([topic, "RBP@0.8", *(f"{number:.4f}" for number in numbers)]))
    path.write_text("\n".join([*lines, ""]))
    rows = records(confint("score", path))
    assert {row["measure"] for row in rows} == {"RBP@0.8"}
    (row,) = records(confint("interval", path, "--unjudged", "bounds"))
    assert float(row["least"]) == pytest.approx(least.mean(), abs=2e-4)
    assert float(row["largest"]) == pytest.approx((least + more).mean(), abs=2e-4)
    path.write_text("\n".join([*lines, "350\tRBP@0.8\t0.1\t0.2", ""]))
    refused = confint("score", path)
    assert refused.status == 1
    assert "or 12 with residuals, not 4" in refused.err


def test_skipping_needs_judgements(files: list[Path], confint: Confint) -> None:
    refused = confint("interval", *files, "--unjudged", "skip")
    assert refused.status == 2
    assert "--unjudged skip needs -q" in refused.err
