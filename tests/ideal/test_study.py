"""The study behind docs/ideal.md: its truth is the truth, and the page says what was found."""

import re

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.ideal import page, truth, verdicts
from tests.ideal.columns import Scores
from tests.ideal.study import Found, study
from tests.stats.ideal.longhand import exact_ratios, exact_sums
from tests.stats.ideal.longhand import quantile as exact_quantile
from tests.stats.ideal.longhand_covering import places_of

PAGE = (ROOT / "docs" / "ideal.md").read_text(encoding="utf-8")


def test_the_transform_gives_what_one_draw_after_the_other_gives() -> None:
    random = np.random.default_rng(6)
    for whole in (random.integers(0, 10_001, 20), 1000 * random.integers(0, 11, 50)):
        fast, slow = truth.sums(whole), truth.sums_by_steps(whole)
        assert fast.first == slow.first
        np.testing.assert_allclose(fast.cumulative, slow.cumulative, rtol=0, atol=1e-12)


def test_sums_are_those_of_fractions() -> None:
    whole = np.array([0, 3, 3, 7, 12, 40])
    exact, found = exact_sums(whole), truth.sums(whole)
    for total, share in zip(exact, np.cumsum([float(p) for p in exact.values()]), strict=True):
        assert found.cumulative[total - found.first] == pytest.approx(share, abs=1e-13)
    below = sum(float(p) for total, p in exact.items() if total < 65)
    assert found.share_below(65) == pytest.approx(below + float(exact[65]) / 2, abs=1e-13)


def test_enumerated_ratios_are_those_of_fractions() -> None:
    whole = np.array([0, 3, 3, 7, 12, 40])
    (found,) = truth.truths([whole], 0)
    exact = exact_ratios(whole.tolist())
    for ratio, p in zip(found.ratios.ravel(), truth.TAILS.ravel(), strict=True):
        assert ratio == pytest.approx(exact_quantile(exact, p * (1 - 1e-12)), abs=1e-9)


def test_resamples_and_enumeration_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.random.default_rng(6).integers(0, 10_001, 8)
    (listed,) = truth.truths([whole], 0)
    monkeypatch.setattr(truth, "MOST_ENUMERATED", 7)
    (drawn,) = truth.truths([whole], 0, 1_000_000)
    assert (np.abs(drawn.ratios - listed.ratios) <= 4 * drawn.ratio_errors + 0.01).all()
    assert np.abs(drawn.share_check).max() < 4
    np.testing.assert_array_equal(drawn.percentile, listed.percentile)
    np.testing.assert_array_equal(drawn.bca, listed.bca)


def test_ten_thousand_resamples_err_as_much_as_theory_has_it() -> None:
    """The median of the worse of two normal errors is 1.05 standard errors, about."""
    (found,) = truth.truths([np.random.default_rng(6).integers(0, 10_001, 30)], 3, 1_000_000)
    se = np.sqrt(0.025 * 0.975 / truth.SLICE) / 0.0584
    assert found.percentile_drawn[1] == pytest.approx(1.05 * se, rel=0.3)
    assert found.bca_drawn[1] > found.percentile_drawn[1]
    assert found.ratios_drawn[3] > found.ratios_drawn[1] > found.ratio_errors.max(axis=1)[1]


def made_up() -> list[Found]:
    random = np.random.default_rng(6)
    thirds = np.rint(random.integers(0, 31, 50) * 10_000 / 30).astype(int)
    columns = [
        Scores("made up", "map", "fine", random.integers(0, 10_001, 50)),
        Scores("made up", "P10", "tenths", 1000 * random.integers(0, 11, 50)),
        Scores("made up", "recip_rank", "one", np.append(np.zeros(49, dtype=int), 9000)),
        Scores("made up", "P30", "thirds", thirds),
    ]
    return study(columns, number=1_000_000)


def test_columns_are_studied_and_tables_made_of_them() -> None:
    found = made_up()
    assert [one.resampled for one in found] == [False] * 4  # of two values, all are listed
    for one in found:
        assert one.errors["percentile"].max() < 0.01
        assert one.errors["basic"] == pytest.approx(one.errors["percentile"], abs=1e-9)
        assert (one.errors["bootstrap-t"] <= 0.01 + 4 * one.truth_errors).all()
    assert found[1].errors["bca"].max() < 1e-9
    few = Scores("made up", "map", "few topics", np.random.default_rng(6).integers(0, 10_001, 20))
    text = page.section([*found, *study([few], number=1_000_000)], 1_000_000)
    assert "nan" not in text
    assert len(re.findall(r"(?m)^\| [aPr]", text)) == 2 * 5 * 4
    assert page.put_into(f"before\n{page.BEGIN}\nold\n{page.END}\nafter", text).count(text) == 1


def test_errors_are_seen_where_there_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    from confint_cli.stats.ideal.mean import MeanDistribution

    right = MeanDistribution.quantile
    monkeypatch.setattr(MeanDistribution, "quantile", lambda self, p: right(self, p * 0.9))
    found = made_up()
    assert found[0].errors["percentile"].min() > 0.02
    assert not page.within(found[0], "percentile", 1)


def test_bca_of_rounded_thirds_is_that_of_thirds() -> None:
    """Where the printed digits would have it elsewhere: docs/ideal.md says so."""
    off = []
    for seed in range(40):
        thirtieths = np.random.default_rng(seed).integers(0, 16, 20)
        rounded = Scores("made up", "P30", "", np.rint(thirtieths * 10_000 / 30).astype(int))
        (found,) = study([rounded], number=truth.SLICE * truth.SLICES // 100)
        (of_thirds,) = truth.truths([thirtieths], 0, truth.SLICE)
        (of_digits,) = truth.truths([rounded.whole], 0, truth.SLICE)
        apart = np.abs(of_thirds.bca - of_digits.bca).max(axis=1)
        assert (np.abs(found.errors["bca"] - apart) < 0.002).all()
        off.append(apart.max())
    assert max(off) > 0.01


# The page


def rows_of(title: str) -> list[list[str]]:
    """The rows of the table below a heading of the page."""
    part = PAGE[PAGE.index(f"### {title}\n") :].split("\n#", 1)[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in lines][2:]


@pytest.mark.parametrize("title", ["Errors of percentile and BCa", "Errors of bootstrap-t"])
def test_the_page_leaves_nothing_out(title: str) -> None:
    expected = [
        [kind, topics, page.said(level)]
        for kind in page.KINDS.values()
        for topics in page.GROUPS
        for level in range(len(truth.LEVELS))
    ]
    rows = rows_of(title)
    assert [row[:3] for row in rows] == expected
    assert "nan" not in PAGE


def test_the_page_shows_the_accuracy_that_is_asked_for() -> None:
    """Percentile to .01 always; bootstrap-t of 50 topics or more mostly, and never worse."""
    for row in rows_of("Errors of percentile and BCa"):
        assert float(row[4].split()[3]) <= 0.01, row
        assert float(row[6].split()[1]) <= 0.01, row
    for row in rows_of("Errors of bootstrap-t"):
        if row[1] in ("50", "97–249"):
            most = {"90%": 0.01, "95%": 0.01, "99%": 0.02, "99.9%": 0.035}[row[2]]
            assert float(row[4].split()[1]) <= most, row
            assert float(row[4].split()[0]) <= float(row[5]) / 4, row
    words = " ".join(PAGE.split())
    assert (
        "none of them err more, by over a tenth, than 10,000 resamples of the same column" in words
    )
    assert f"{truth.RESAMPLES:,} resamples of each column" in words


def test_verdicts_are_those_of_the_limits_of_each_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(6).beta(0.6, 1.5, 50).round(4)
    places = places_of(np.random.default_rng(7), 50, 200, 20)
    found = verdicts.differing(scores, places)
    assert {name: int(numbers.max()) for name, numbers in found.items()} == pytest.approx(
        dict.fromkeys(verdicts.METHODS, 1), abs=1
    )
    right = verdicts.judged
    monkeypatch.setattr(  # others are seen
        verdicts, "judged", lambda scores, places, *more: right(scores, places[::-1], *more)
    )
    found = verdicts.differing(scores, places)
    assert all(at_90 > 10 for at_90, *_ in found.values())


def test_the_page_has_the_table_of_verdicts() -> None:
    begin, end = page.OF_VERDICTS
    kept = PAGE.partition(begin)[2].partition(end)[0]
    assert re.findall(r"(?m)^\| ([a-zA-Z0-9 ]+) \|", kept)[1:] == [*verdicts.MEASURES.values()]
    made = "| measure | percentile |\n"
    text = page.put_into(PAGE, made, begin, end)
    assert made in text
    assert kept not in text
