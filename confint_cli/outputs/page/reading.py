"""How to read a page: what the words on it mean."""

from collections.abc import Iterator

from confint_cli.common.words import percent
from confint_cli.outputs.page.markup import prose
from confint_cli.studies.compare_view import CORRECTION_NAMES
from confint_cli.studies.facts import Facts
from confint_cli.studies.report import Report
from confint_cli.studies.scope import (
    COLLECTIONS,
    has_bounds,
    has_collections,
    has_groups,
    has_judge,
    has_repeats,
)


def how_to_read(report: Report) -> str:
    """Return the words on the page with what they mean, as a list."""
    return "\n".join(
        f"<dt>{prose(word)}</dt>\n<dd>{prose(meaning)}</dd>" for word, meaning in _entries(report)
    )


def _entries(report: Report) -> Iterator[tuple[str, str]]:
    facts = report.ranked.facts
    level = percent(facts["levels"][0])
    yield (
        "Interval",
        f"{_sampled(facts)} The interval says where the mean over all of these is likely to be. If "
        f"new samples were taken again and again, about {level} of such intervals would contain "
        "this true mean; with fewer than 50 topics somewhat fewer, and a caveat says where many "
        "fewer. Each interval is about one run by itself. The heading of its column names the "
        "method and the level.",
    )
    yield (
        "Intervals of two runs",
        "Two intervals may overlap although one of the runs is shown to be better: rank sets and "
        "comparisons go topic by topic, which is usually more precise. And rank sets may not tell "
        "two runs apart although their intervals do not overlap, as rank sets account for all "
        "pairs of runs at once. The mean of the run that comes first is usually too high, as it "
        "was chosen for its high mean.",
    )
    yield (
        "Rank and rank set",
        "The rank is the place of the run by its mean on these topics. The rank set contains all "
        "ranks that the run may truly have: it begins after the runs that are shown to be better, "
        "and ends before those that are shown to be worse. All rank sets of a table (one measure) "
        f"hold at once with a confidence of {level}, approximately; the line below the table names "
        "the method. They do not cover rare topics with large differences if there is none among "
        "these topics.",
    )
    yield (
        "Own set",
        "The rank set of one run by itself. It is for a run that was chosen before the results "
        "were seen, such as your own. It is no wider than the rank set, as it says nothing about "
        "other runs.",
    )
    if any(row.first_share == row.first_share for row in report.ranked.rows):
        drawn = f"{facts['group_noun']}s" if has_groups(facts) else "topics"
        yield (
            "First",
            f"The share of resamples in which the run comes first. A resample draws from these "
            f"{drawn} at random, with replacement. The share is not the probability that the run "
            "is truly the best: among many runs that are nearly equal, the run with the largest "
            "share is often not the best.",
        )
    yield from _of_designs(report, facts)
    has_notes = any(row.note for row in report.ranked.rows)
    if report.compared is not None:
        yield from _of_comparisons(report, level)
        has_notes = has_notes or any(row.note for row in report.compared.rows)
    if has_notes:
        yield "Note", "Where to be careful with a row; see also the section Caveats."


def _sampled(facts: Facts) -> str:
    """Return one or two sentences on what was sampled."""
    rows = f"{facts['group_noun']}s" if has_groups(facts) else "topics"
    if has_collections(facts) and facts["for_new"] == COLLECTIONS:
        rows = "collections"
    also = " The repeats of a run are treated as a sample of all possible repeats." * has_repeats(
        facts
    )
    asked = "asked" if rows == "topics" else "used"
    return f"The {rows} are treated as a sample of all {rows} that might have been {asked}.{also}"


def _of_designs(report: Report, facts: Facts) -> Iterator[tuple[str, str]]:
    if has_collections(facts):
        yield (
            "All collections together",
            "The mean of the means of all collections (macro). Each collection counts equally, "
            "however many topics it has. There is no correction for looking at several "
            "collections: among many, one may show a difference by chance.",
        )
    if has_groups(facts):
        noun = facts["group_noun"]
        yield (
            "Design effect",
            f"Topics of the same {noun} are not independent. The design effect is the variance of "
            "a mean, as a multiple of what it would be with the same number of independent topics.",
        )
    if has_repeats(facts):
        yield (
            "Repeats",
            "For a run with several repeats, such as training seeds, the mean is over its repeats. "
            "Results are for new repeats, too. The repeat share is the part of the variance that "
            "more topics would not remove.",
        )
    if report.agreed is not None:
        both = (
            " The standings use both: the judge's scores on all its topics, corrected by what the "
            "topics with both show about the judge. Those topics have to be a random sample of all "
            "topics."
            if has_judge(facts)
            else ""
        )
        yield (
            "People and the judge",
            "People judged some topics. A cheaper judge, such as a language model, judged these "
            f"and perhaps more.{both} In the section on topics, scores are people's.",
        )
        if has_judge(facts):
            yield (
                "Counts as, and r",
                "Counts as: how many topics judged only by people would give an interval as short "
                "as both judges together do (prediction-powered inference, ppi). The better the "
                "judge's scores agree with people's, the larger this number. r is the correlation "
                "of the scores of both over topics.",
            )
    if has_bounds(facts):
        yield (
            "Could be",
            "The least and the largest value that a mean, or a difference, could have on these "
            "topics, however the unjudged documents would be judged. Intervals and rank sets hold "
            "for all such judgements.",
        )
    if any(row.judged_share < 1 for row in report.ranked.rows):
        yield (
            "Judged",
            "The share of a run's top documents (ten at most) that somebody judged. Unjudged "
            "documents count as not relevant. So a run may be better than its score if it finds "
            "documents outside the pool, that is, documents that nobody judged.",
        )


def _of_comparisons(report: Report, level: str) -> Iterator[tuple[str, str]]:
    assert report.compared is not None
    facts = report.compared.facts
    yield (
        "Comparisons",
        "The difference is the mean of the run minus the mean of the baseline: above 0, the run is "
        f"better. Each interval is meant to have {level} confidence on its own. The smaller the "
        "p-value, the stronger the evidence that the two runs differ.",
    )
    if facts["correct"] != "none":
        yield (
            f"p {CORRECTION_NAMES[facts['correct']]}",
            "The corrected p-value. It accounts for all comparisons in that measure, but not for "
            "several measures. The line below a table says how many comparisons there are.",
        )
    rows = report.compared.rows
    if any(row.glass_delta == row.glass_delta for row in rows) and not has_repeats(facts):
        yield (
            "Glass's Δ and Hedges' gz",
            "Two effect sizes. Glass's Δ is the difference in standard deviations of the baseline, "
            "Hedges' gz in standard deviations of the differences.",
        )
    if any(row.wins is not None for row in rows):
        yield (
            "W/T/L",
            "Wins, ties and losses: on how many topics the run is better than the baseline, equal, "
            "and worse.",
        )
    if "margin" in facts:
        margin = f"{facts['margin']:.15g}"
        yield (
            "Margin and verdict",
            f"A difference of less than {margin} (the margin) was chosen as one that does not "
            "matter. Equivalent: shown to differ by less. Superior: shown to be better by more. "
            "Inferior: shown to be worse by more. Not inferior: shown not to be worse by more, and "
            "nothing beyond that. Undecided: none of these. Each verdict is about one comparison "
            "by itself, however many runs are compared.",
        )
        yield (
            "p (not worse) and p (equivalent)",
            "The p-values of tests about the margin, not the probabilities that a run is worse or "
            "equivalent. A small p (not worse) shows that the run is not worse by more than the "
            "margin. A small p (equivalent) shows that the two runs differ by less than the "
            "margin. A large p-value shows nothing.",
        )
