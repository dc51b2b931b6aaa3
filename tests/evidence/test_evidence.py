"""What docs/choosing.md and the program say about methods is what the tables there show."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy import stats

from confint_cli.stats.methods import methods
from confint_cli.stats.significance import named_test
from tests.conftest import ROOT
from tests.evidence import page
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


def spans(rows: list[list[str]], method: str) -> str:
    """Return the row of a table on how often a method misses, by size of samples."""
    own = [span(errors(rows, method, size)) for size in (5, 10, 20, 50)]
    return f"| {method} | {' | '.join(own)} |"


def test_the_page_has_the_words_of_its_script() -> None:
    words = " ".join(PAGE.split())
    for part in (page.MEANS, page.SUMMARY, page.DIFFERENCES, page.SKEWED, page.TESTED):
        for sentence in re.split(r"(?<=[.:]) ", " ".join(part.split())):
            if "{" not in sentence:
                assert sentence in words, "make reproduce writes it anew"
    for name, what in page.PLACES.items():
        assert f"- **{name}**: {what}" in words
    assert f"from {len(MEANS) - 1} sets of real scores" in words


def test_what_the_page_says_of_means() -> None:
    words = said(PAGE)
    for method in ("t", "logit", "bootstrap-t", "bca", "percentile"):
        assert spans(MEANS, method) in words, method
    assert (
        f"logit is closest on {summed(SUMMARY, 10, 'closest in', 'logit'):.0f} sets at 10 topics "
        f"and on {summed(SUMMARY, 20, 'closest in', 'logit'):.0f} sets at 20."
    ) in words
    assert (
        f"bootstrap-t is closest on {summed(SUMMARY, 5, 'closest in', 'bootstrap-t'):.0f} sets. "
        f"But it is {summed(SUMMARY, 5, 'width', 'bootstrap-t'):.1f} times as wide as t, in the "
        f"median, and {summed(SUMMARY, 5, 'unbounded', 'bootstrap-t'):.0%} of its intervals have "
        "an infinite limit, which cannot be missed."
    ) in words
    robust = errors(MEANS, "logit", 5)["Robust 2004", "AP"]
    assert f"logit is good there (it misses in {robust:.1%} here)" in words
    every = (errors(MEANS, "wilson", size, binary) for size in SIZES)
    assert (
        f"wilson misses in {span(*every)} of samples of 5 to 100 topics, t with five topics in "
        f"{span(errors(MEANS, 't', 5, binary))}."
    ) in words
    assert (
        "With 50 topics, t intervals of the run that fares worst miss in "
        f"{summed(SUMMARY, 50, 'worst', 't'):.0%} of samples, and with 10 topics, logit intervals "
        "of the run that fares worst miss in all samples"
    ) in words
    assert summed(SUMMARY, 10, "worst", "logit") == 1
    assert "31 sets of real scores" in words
    assert len(errors(MEANS, "t", 5)) == 31
    of_t = errors(MEANS, "t", 50)
    assert (f"{1 - max(of_t.values()):.0%}", f"{1 - min(of_t.values()):.0%}") == ("94%", "95%")
    interval = said((ROOT / "docs" / "interval.md").read_text(encoding="utf-8"))
    assert "with t and 50 topics, 94 to 95, on average over the runs of a collection" in interval


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
        f"with five topics, t misses in {span(errors(MEANS, name, 5, usual))}. With reciprocal "
        f"rank, it misses in {rr}. On NTCIR-7, it misses in {ntcir}, which is 1 to 1.6 points less "
        "than without standardising."
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
    for method in ("t", "bootstrap-t"):
        assert spans(DIFFERENCES, method) in words, method
    ten = errors(DIFFERENCES, "t", 10, binary)
    assert f"t is also poor with 10 topics (it misses in {span(ten)})." in words
    closest = [summed(OF_DIFFERENCES, size, "closest in", "t") for size in (10, 20, 50, 100)]
    assert closest[:2] == [31, 31]
    assert min(closest) == 27
    assert "on all 31 sets with 10 and 20 topics, and on 27 or more with 50 and 100" in words
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
        f"and in {own['t', 'others']} of others; bootstrap-t misses in "
        f"{own['bootstrap-t', 'flagged']} and {own['bootstrap-t', 'others']}."
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
        f"The t test finds one in {min(t):.1%} to {max(t):.1%} of samples of 10 to 100 topics, "
        "depending on the kind of measure. - The randomisation test finds one in "
        f"{flips[0]:.1%} to {flips[-2]:.1%}, but in {rr:.1%} of samples of 10 topics with "
        "reciprocal rank"
    ) in words
    assert rr == flips[-1]
    (usual,), (rank,) = (found_by("wilcoxon", [100], [kind]) for kind in ("AP, nDCG, Q", "RR"))
    assert (
        f"at the 5% level, in {usual:.0%} of samples of 100 topics with AP, nDCG or Q, and in "
        f"{rank:.0%} with reciprocal rank."
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
    words = said(PAGE)
    assert "The t test of 10 to 50 topics then errs in 6.5% of samples at most (by enu" in words


def test_what_the_program_says_of_methods_and_tests() -> None:
    words = {name: said(method.explanation) for name, method in methods().items()}
    of = {(method, size): span(errors(MEANS, method, size))
          for method in MEANS[0][2:8] for size in SIZES}  # fmt: skip
    for method in ("t", "bca", "percentile"):
        assert (
            "On 31 sets of real scores (a set is one measure on one collection, averaged over its "
            f"runs), its 95% intervals miss the true mean in {of[method, 50]} of samples of 50 "
            f"topics and in {of[method, 5]} of samples of 5 topics"
        ) in words[method]
    assert len(errors(MEANS, "t", 50)) == 31
    more = span(*(errors(MEANS, "bootstrap-t", size) for size in SIZES[1:]))
    assert "On 31 sets of real scores that are not all 0 or 1 " in words["bootstrap-t"]
    assert f"miss the true mean in {more} of samples of 10 topics or more" in words["bootstrap-t"]
    by_size = [of["logit", size] for size in (5, 10, 20)]
    assert f"{by_size[0]}, {by_size[1]} and {by_size[2]} miss." in words["logit"]
    every = span(*(errors(MEANS, "wilson", size, binary) for size in SIZES))
    assert f"miss the true mean in {every} of samples of 5 to 100 topics." in words["wilson"]
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
