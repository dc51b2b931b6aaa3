"""What docs/choosing.md and the program say about methods is what the tables there show."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.methods import methods
from confint_cli.stats.significance import named_test
from tests.conftest import ROOT
from tests.evidence.page import BEGIN, END, put_into
from tests.evidence.populations import SUCCESS, Population, populations
from tests.evidence.study import SIZES, TESTED_SIZES, of_differences, of_means

PAGE = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
Where = Callable[[str, str], bool]  # of a collection and a measure


def tables() -> list[list[list[str]]]:
    """Return the cells of the tables of the evidence, header first."""
    section = PAGE.split(BEGIN)[1].split(END)[0]
    blocks = re.findall(r"(?:^\|.*\n)+", section, flags=re.MULTILINE)
    return [
        [
            line.removeprefix("| ").removesuffix(" |").split(" | ")
            for line in re.sub(r"\| -.*\n", "", block).splitlines()
        ]
        for block in blocks
    ]


MEANS, SUMMARY, DIFFERENCES, OF_DIFFERENCES, FLAGS, TESTS = tables()
BINARY = {SUCCESS, "correct"}


def graded(_collection: str, measure: str) -> bool:
    return measure not in BINARY


def binary(_collection: str, measure: str) -> bool:
    return measure in BINARY


def errors(
    rows: list[list[str]], method: str, size: int, where: Where = graded
) -> dict[tuple[str, str], float]:
    """Return how often a method misses, by collection and measure."""
    place, at = rows[0].index(method), SIZES.index(size)
    return {
        (row[0], row[1]): float(row[place].replace("*", "").split()[at])
        for row in rows[1:]
        if where(row[0], row[1]) and row[place] != "–"
    }


def span(*several: dict[tuple[str, str], float]) -> str:
    """Return `4.7% to 6.4%`."""
    values = [value for one in several for value in one.values()]
    return f"{min(values):.1%} to {max(values):.1%}"


def summed(rows: list[list[str]], size: int, figure: str, method: str) -> float:
    (row,) = (row for row in rows[1:] if row[:2] == [str(size), figure])
    return float(row[rows[0].index(method)])


def said(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def test_what_the_page_says_of_means() -> None:
    words = said(PAGE)
    of = {(method, size): span(errors(MEANS, method, size))
          for method in MEANS[0][2:8] for size in SIZES}  # fmt: skip
    assert (
        f"Of samples of 50 topics its 95% intervals miss in {of['t', 50]}, by set; those of bca in "
        f"{of['bca', 50]}, of logit in {of['logit', 50]}, of bootstrap-t in "
        f"{of['bootstrap-t', 50]}, of percentile in {of['percentile', 50]}."
    ) in words
    both = (errors(MEANS, "logit", size) for size in (10, 20))
    ours = (errors(MEANS, "bootstrap-t", size) for size in (10, 20))
    assert (
        f"logit comes closest on {summed(SUMMARY, 10, 'closest in', 'logit'):.0f} sets at 10 "
        f"topics and on {summed(SUMMARY, 20, 'closest in', 'logit'):.0f} at 20; it misses in "
        f"{span(*both)}, by set. bootstrap-t misses in {span(*ours)}:"
    ) in words
    assert (
        f"bootstrap-t comes closest on {summed(SUMMARY, 5, 'closest in', 'bootstrap-t'):.0f} sets, "
        f"but is {summed(SUMMARY, 5, 'width', 'bootstrap-t'):.1f} times as wide as t, in the "
        f"median, and {summed(SUMMARY, 5, 'unbounded', 'bootstrap-t'):.0%} of its intervals have "
        f"an infinite limit, which cannot be missed. It misses in {of['bootstrap-t', 5]}, logit in "
        f"{of['logit', 5]}, t in {of['t', 5]}."
    ) in words
    every = (errors(MEANS, "wilson", size, binary) for size in SIZES)
    assert (
        f"wilson misses in {span(*every)} of samples of 5 to 100 topics, t of five in "
        f"{span(errors(MEANS, 't', 5, binary))};"
    ) in words
    assert (
        f"t intervals of the run that fares worst miss in {summed(SUMMARY, 50, 'worst', 't'):.0%}, "
        "and of 10 topics those of logit in all samples"
    ) in words
    assert summed(SUMMARY, 10, "worst", "logit") == 1
    assert "31 sets of real scores" in words
    assert len(errors(MEANS, "t", 5)) == 31


def test_which_method_is_closest_where() -> None:
    """Bold, and as the page says: by collection."""
    rows = {(row[0], row[1]): row for row in MEANS[1:]}
    place = MEANS[0].index("bootstrap-t")
    for key in (("TREC-8", "AP"), ("DL 2021", "AP"), ("NTCIR-7", "Q"), ("NTCIR-7", "nDCG")):
        ten, twenty = rows[key][place].split()[1:3]
        assert ten.startswith("**"), key
        assert twenty.startswith("**"), key
    by_bca = [row[MEANS[0].index("bca")].split()[2] for row in MEANS[1:] if row[1] == "RR"]
    assert len(by_bca) == 7
    assert all(cell.startswith("**") for cell in by_bca)
    for size in (5, 10):
        at = SIZES.index(size)
        closest = {
            MEANS[0][place]
            for row in MEANS[1:]
            if binary(row[0], row[1])
            for place in range(2, 9)
            if row[place].split()[at].startswith("**")
        }
        assert closest == {"wilson"}
    for size in (10, 20):
        number = {method: summed(SUMMARY, size, "closest in", method) for method in SUMMARY[0][2:]}
        assert max(number, key=lambda method: number[method]) == "logit"
        assert summed(SUMMARY, size, "distance", "logit") < summed(SUMMARY, size, "distance", "t")
    assert summed(SUMMARY, 5, "distance", "logit") < summed(SUMMARY, 5, "distance", "t")
    for method in ("percentile", "basic"):
        for size in (5, 10, 20):
            by_t, own = errors(MEANS, "t", size), errors(MEANS, method, size)
            assert all(own[key] > by_t[key] for key in own), (method, size)
    for size in (5, 10, 20, 50):
        others = [errors(MEANS, method, size) for method in SUMMARY[0][2:] if method != "basic"]
        basic = errors(MEANS, "basic", size)
        assert all(basic[key] >= max(own[key] for own in others) for key in basic), size


def test_what_the_page_says_of_standardised_scores() -> None:
    def usual(collection: str, measure: str) -> bool:
        return measure != "RR" and collection != "NTCIR-7"

    name = "t, standardised"
    rr = span(errors(MEANS, name, 5, lambda _, measure: measure == "RR"))
    ntcir = span(errors(MEANS, name, 5, lambda collection, _: collection == "NTCIR-7"))
    assert (
        f"t of five topics misses in {span(errors(MEANS, name, 5, usual))}, but by reciprocal rank "
        f"in {rr}, and on NTCIR-7 in {ntcir}, 1 to 1.6 points less than without."
    ) in said(PAGE)
    of_ntcir = [errors(MEANS, own, 5, lambda collection, _: collection == "NTCIR-7")
                for own in ("t", name)]  # fmt: skip
    gains = [round(of_ntcir[0][key] - of_ntcir[1][key], 3) for key in of_ntcir[1]]
    assert (min(gains), max(gains)) == (0.01, 0.016)
    trec = ("TREC-8", "TREC-13", "TREC-15")
    ap = [span(errors(MEANS, own, 5, lambda c, m: c in trec and m == "AP")) for own in ("t", name)]
    page = said((ROOT / "docs" / "standardize.md").read_text(encoding="utf-8"))
    assert f"miss in {ap[0]} as they are, and in {ap[1]} once standardised by all runs" in page


def test_what_the_page_says_of_differences() -> None:
    words = said(PAGE)
    of = {(method, size): span(errors(DIFFERENCES, method, size))
          for method in ("t", "bootstrap-t") for size in (10, 50)}  # fmt: skip
    assert (
        f"Its 95% intervals miss in {of['t', 10]} at 10 topics and in {of['t', 50]} at 50, those "
        f"of bootstrap-t in {of['bootstrap-t', 10]} and {of['bootstrap-t', 50]}."
    ) in words
    five, ten = errors(DIFFERENCES, "t", 5), errors(DIFFERENCES, "t", 10, binary)
    assert (
        f"At 5 topics it depends on the measure (t misses in {span(five)}); of scores that are 0 "
        f"or 1, t is poor at 10 topics, too ({span(ten)})."
    ) in words
    closest = [summed(OF_DIFFERENCES, size, "closest in", "t") for size in (10, 20, 50, 100)]
    assert closest[:2] == [31, 31]
    assert min(closest) == 27
    assert "on all 31 sets at 10 and 20 topics, and on 27 or more at 50 and 100" in words
    for method in OF_DIFFERENCES[0][3:]:
        for size in (10, 20, 50, 100):
            further = summed(OF_DIFFERENCES, size, "distance", method)
            assert further > summed(OF_DIFFERENCES, size, "distance", "t")


def missed(kind: str, size: int, column: str) -> str:
    (row,) = (row for row in FLAGS[1:] if row[:2] == [kind, str(size)])
    return f"{float(row[FLAGS[0].index(column)].split()[0]):.1%}"


def test_what_the_note_on_skewness_is_worth() -> None:
    words = said(PAGE)
    flagged = {method: missed("scores", 50, f"{method}, flagged")
               for method in ("t", "bca", "logit", "bootstrap-t")}  # fmt: skip
    assert f"t misses in {flagged['t']}, nearly always" in words
    assert (
        f"bca misses in {flagged['bca']}, logit in {flagged['logit']} and bootstrap-t in "
        f"{flagged['bootstrap-t']}."
    ) in words
    own = {(method, which): missed("differences", 50, f"{method}, {which}")
           for method in ("t", "bootstrap-t") for which in ("flagged", "others")}  # fmt: skip
    assert (
        f"t misses in {own['t', 'flagged']} of differences that it flags in samples of 50 topics, "
        f"and in {own['t', 'others']} of others; bootstrap-t in {own['bootstrap-t', 'flagged']} "
        f"and {own['bootstrap-t', 'others']}."
    ) in words


def found_by(test: str, sizes: Sequence[int], kinds: Sequence[str] = ()) -> list[float]:
    place = next(at for at, name in enumerate(TESTS[0]) if name.startswith(f"{test},"))
    return [
        float(row[place].split()[TESTED_SIZES.index(size)])
        for row in TESTS[1:]
        for size in sizes
        if not kinds or row[0] in kinds
    ]


def test_what_the_page_says_of_tests() -> None:
    words = said(PAGE)
    t = found_by("t", TESTED_SIZES)
    flips = sorted(found_by("randomization", TESTED_SIZES))
    (rr,) = found_by("randomization", [10], ["RR"])
    assert (
        f"the t test finds a difference at 5% in {min(t):.1%} to {max(t):.1%} of samples of 10 to "
        f"100 topics, by kind of measure, and the randomisation test in {flips[0]:.1%} to "
        f"{flips[-2]:.1%}, but in {rr:.1%} of samples of 10 topics by reciprocal rank"
    ) in words
    assert rr == flips[-1]
    (usual,), (rank,) = (found_by("wilcoxon", [100], [kind]) for kind in ("AP, nDCG, Q", "RR"))
    assert (
        f"in {usual:.0%} of samples of 100 topics by AP, nDCG or Q, in {rank:.0%} by reciprocal "
        "rank"
    ) in words


def test_how_often_the_t_test_errs_with_equal_means_of_scores_of_0_or_1() -> None:
    """Exactly: differences are -1, 0 and 1, the first and the last equally probable."""
    worst = 0.0
    for topics in range(10, 51, 5):
        wins, losses = np.divmod(np.arange((topics + 1) ** 2), topics + 1)
        there = wins + losses <= topics
        wins, losses = wins[there], losses[there]
        mean = (wins - losses) / topics
        variance = (wins + losses - topics * mean**2) / (topics - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * stats.t.sf(np.abs(mean) / np.sqrt(variance / topics), topics - 1)
        found = (p < 0.05) | ((variance == 0) & (mean != 0))
        for q in np.linspace(0.01, 0.5, 50):
            chance = stats.multinomial.pmf(
                np.stack([wins, losses, topics - wins - losses], axis=1), topics, [q, q, 1 - 2 * q]
            )
            assert chance.sum() == pytest.approx(1)
            worst = max(worst, float(chance[found].sum()))
    assert f"{worst:.1%}" == "6.5%"
    assert "then the t test of 10 to 50 topics errs in 6.5% at most (by enumeration)" in said(PAGE)


def test_what_the_program_says_of_methods_and_tests() -> None:
    words = {name: said(method.explanation) for name, method in methods().items()}
    of = {(method, size): span(errors(MEANS, method, size))
          for method in MEANS[0][2:8] for size in SIZES}  # fmt: skip
    assert f"50 topics, {of['t', 50]} of 95% intervals miss" in words["t"]
    assert f"of 5 topics {of['t', 5]}" in words["t"]
    assert f"{of['bca', 50]} of 95% intervals miss" in words["bca"]
    assert f"of 5 topics {of['bca', 5]};" in words["bca"]
    more = span(*(errors(MEANS, "bootstrap-t", size) for size in SIZES[1:]))
    assert f"not all 0 or 1, {more} of 95% intervals miss" in words["bootstrap-t"]
    by_size = [of["logit", size] for size in (5, 10, 20)]
    assert f"{by_size[0]}, {by_size[1]} and {by_size[2]}, on average" in words["logit"]
    assert f"{of['percentile', 50]} of 95% intervals miss" in words["percentile"]
    assert f"of 5 topics {of['percentile', 5]}." in words["percentile"]
    every = span(*(errors(MEANS, "wilson", size, binary) for size in SIZES))
    assert f"{every} of 95% intervals miss" in words["wilson"]
    t = found_by("t", TESTED_SIZES)
    explained = said(named_test("t").explanation)
    assert f"in {min(t):.1%} to {max(t):.1%} of samples of 10 to 100 topics" in explained
    flips = sorted(found_by("randomization", TESTED_SIZES))
    explained = said(named_test("randomization").explanation)
    assert f"in {flips[0]:.1%} to {flips[-2]:.1%} of samples" in explained


def test_a_section_is_put_into_its_place() -> None:
    page = f"# Title\n\n{BEGIN}\nold\n{END}\n\nrest\n"
    assert put_into(page, "new\n") == f"# Title\n\n{BEGIN}\n\nnew\n\n{END}\n\nrest\n"
    assert put_into(put_into(page, "new\n"), "new\n") == put_into(page, "new\n")


@pytest.fixture(scope="module")
def trec_8() -> Population:
    return next(populations())


@pytest.mark.slow
@pytest.mark.usefixtures("data")
def test_the_figures_are_those_of_the_data(trec_8: Population) -> None:
    """A quick form: fewer samples, so that figures agree within their errors."""
    assert (trec_8.collection, trec_8.measure) == ("TREC-8", "AP")
    for found, rows in ((of_means(trec_8, 40), MEANS), (of_differences(trec_8, 40), DIFFERENCES)):
        for one in found.covered:
            published = errors(rows, one.method, one.size)["TREC-8", "AP"]
            error = np.sqrt(published / (40 * len(one.coverage)))
            assert one.error == pytest.approx(published, abs=4 * error + 0.0005), one.method
