"""The published table of Ranger (Sertkan et al. 2023), and what the page says about it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import confint_cli
from confint_cli.stats.names import DERSIMONIAN_LAIRD, HARTUNG_KNAPP
from tests.conftest import ROOT, Confint, records
from tests.reproduction import ranger, run

COLLECTIONS = {"trec-covid": 50, "tripclick": 1143, "nfcorpus": 323, "dbpedia-entity": 400,
               "antique": 200, "trec_podcast": 98}  # fmt: skip


@pytest.fixture(autouse=True)
def _folder(data: Path) -> None:
    if not (data / ranger.FOLDER.name).is_dir():
        pytest.skip(f"needs the folder {ranger.FOLDER.name} in CONFINT_DATA")


@pytest.fixture
def page() -> str:
    return (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")


def test_every_row_is_there() -> None:
    assert [*ranger.published()] == [*COLLECTIONS, "robust04", ranger.COMBINED]
    assert {*ranger.scores().collections} == {*COLLECTIONS}
    assert {*ranger.scores().runs} == {ranger.RUN, ranger.BASELINE}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_difference_and_limit_to_the_printed_digit(name: str) -> None:
    published, row = ranger.published()[name], ranger.compared()[name, "t"]
    assert (row.run, row.baseline, row.topics) == (ranger.RUN, ranger.BASELINE, COLLECTIONS[name])
    theirs = ranger.as_published(row)
    assert theirs.has_difference_of(published)
    assert theirs.has_limits_of(published)
    assert row.low < published.low < published.high < row.high
    assert (row.low > 0) == (published.low > 0)
    wider = (row.high - row.low) / (published.high - published.low) - 1
    assert 0.001 < wider < 0.037
    by_page = {"trec-covid": 0.036, "tripclick": 0.002}
    assert wider == pytest.approx(by_page.get(name, wider), abs=5e-4)


def test_n_for_n_less_one_is_what_the_published_program_divides_by() -> None:
    """With n-1, no normal interval is the published one."""
    for name in COLLECTIONS:
        row = ranger.compared()[name, "t"]
        assert row.difference / row.t > ranger.published()[name].se + 1e-6
        shrunk = row.difference / row.t * np.sqrt(1 - 1 / row.topics)
        assert shrunk == pytest.approx(ranger.published()[name].se, abs=5e-7)


def test_the_combined_effect_is_dersimonian_and_lairds() -> None:
    published, found = ranger.published()[ranger.COMBINED], ranger.meta_of_published()
    ours = ranger.effect_of(found, DERSIMONIAN_LAIRD)
    assert ours.has_difference_of(published)
    assert ours.has_limits_of(published)
    assert ours.p == pytest.approx(published.p, rel=1e-4)  # of rows that are rounded


def test_by_hartung_and_knapp_it_is_not_significant() -> None:
    ours = ranger.effect_of(ranger.meta_of_published(), HARTUNG_KNAPP)
    assert (ours.low, ours.high) == pytest.approx((-0.0061, 0.0979), abs=5e-5)
    assert ours.p == pytest.approx(0.074, abs=5e-4)
    published = ranger.published()[ranger.COMBINED]
    assert (ours.high - ours.low) / (published.high - published.low) == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize(
    ("for_new", "name", "method", "difference", "low", "high", "p"),
    [
        ("topics", "macro", "t", 0.0634, 0.0478, 0.0790, 0),
        ("collections", "macro", "t", 0.0634, -0.0135, 0.1403, 0.0875),
        ("topics", "meta", DERSIMONIAN_LAIRD, 0.0494, 0.0205, 0.0783, 0.0008),
        ("topics", "meta", HARTUNG_KNAPP, 0.0494, -0.0155, 0.1143, 0.1077),
    ],
)
def test_what_the_six_collections_say(
    for_new: str, name: str, method: str, difference: float, low: float, high: float, p: float
) -> None:
    row = ranger.compared(for_new)[name, method]
    found = (row.difference, row.low, row.high, row.p["t"])
    assert found == pytest.approx((difference, low, high, p), abs=5.1e-5)
    assert row.collections == len(COLLECTIONS)


def test_the_macro_difference_is_the_mean_and_its_t_that_of_six_means() -> None:
    """Against what is not ours: longhand, from the published differences."""
    six = [ranger.published()[name].difference for name in COLLECTIONS]
    row = ranger.compared("collections")["macro", "t"]
    assert row.difference == pytest.approx(np.mean(six), abs=1e-6)
    assert row.t == pytest.approx(np.mean(six) / (np.std(six, ddof=1) / np.sqrt(6)), abs=1e-4)
    weights = {
        name: 1 / (ranger.published()[name].se ** 2 + ranger.compared()["meta", HARTUNG_KNAPP].tau2)
        for name in COLLECTIONS
    }
    assert min(weights, key=lambda name: weights[name]) == "trec-covid"
    assert weights["trec-covid"] / sum(weights.values()) == pytest.approx(0.08, abs=0.005)


def test_the_command_line_says_the_same(confint: Confint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ranger.FOLDER)
    result = confint("compare", ranger.RUN, ranger.BASELINE, "--labels", ranger.LABELS, "-q",
                     ranger.QRELS, "-m", ranger.MEASURE, "--baseline", ranger.BASELINE, "--meta",
                     "--digits", 9)  # fmt: skip
    rows = records(result)
    assert len(rows) == len(ranger.compared())
    for row in rows:
        ours = ranger.compared()[row["collection"], row["method"]]
        for name in ("difference", "low", "high"):
            assert float(row[name]) == pytest.approx(getattr(ours, name), abs=1e-9)


@pytest.mark.parametrize("for_new", ["topics", "collections"])
def test_coverage_of_the_systems_is_that_of_confint_coverage(for_new: str) -> None:
    found = confint_cli.coverage(
        ranger.scores(), for_new=for_new, method="t", replicates=100, seed=0, jobs=1
    )
    theirs = {(row.run, row.method): row.coverage for row in found if row.collection == "macro"}
    ours = {
        (name, method): share
        for whom, name, covered in ranger.coverage(100)
        if whom == for_new and name in (ranger.RUN, ranger.BASELINE)
        for method, share in covered.items()
    }
    assert ours == theirs


def test_intervals_that_ignore_the_collections_do_not_cover() -> None:
    """With a fifth of the page's samples: three standard errors are .033."""
    for whom, name, covered in ranger.coverage(400):
        if whom == "topics":
            assert covered["t"] == pytest.approx(0.95, abs=0.033)
            assert covered["pooled-t"] == 0
        else:
            is_difference = name not in (ranger.RUN, ranger.BASELINE)
            assert covered["t"] == pytest.approx(0.905 if is_difference else 0.96, abs=0.043)
            assert covered["topics-t"] < 0.45
            assert covered["pooled-t"] < 0.20


@pytest.mark.long
def test_what_the_page_says_of_20_000_samples() -> None:
    found = {(whom, name): covered["t"] for whom, name, covered in ranger.coverage(20_000)}
    assert found["topics", ranger.RUN] == pytest.approx(0.949, abs=0.005)
    difference = f"{ranger.RUN} - {ranger.BASELINE}"
    assert found["collections", difference] == pytest.approx(0.905, abs=0.007)
    for run_ in (ranger.RUN, ranger.BASELINE):
        assert found["topics", run_] == pytest.approx(0.95, abs=0.005)
        assert 0.952 < found["collections", run_] < 0.968


@pytest.mark.parametrize("part", [run.ranger_collections, run.ranger_meta, run.ranger_six])
def test_the_page_has_the_tables(part: Callable[[], str], page: str) -> None:
    assert part() in page, "make reproduce writes it anew"


@pytest.mark.slow
def test_the_page_has_the_coverage(page: str) -> None:
    """Within three standard errors: other versions of numpy may draw other samples."""
    start = page.index(run.RANGER_COVERAGE) + len(run.RANGER_COVERAGE)
    written = page[start : page.index(run.CHANGED)].strip().splitlines()
    computed = run.ranger_coverage().strip().splitlines()
    assert len(written) == len(computed) == 8
    for one, other in zip(written[2:], computed[2:], strict=True):
        mine, theirs = (line.split(" | ") for line in (one, other))
        assert mine[:2] == theirs[:2]
        for cell, same in zip(mine[2:], theirs[2:], strict=True):
            share, again = (float(text.strip(" |") or 0) for text in (cell, same))
            assert share == pytest.approx(again, abs=0.04)


def test_fourteen_figures_are_met() -> None:
    marks = "".join([run.ranger_collections(), run.ranger_meta()])
    assert marks.count("✓ |") == 14
    assert "–" not in marks
