"""How to read a page: what its words mean, those that it has."""

from collections.abc import Iterator

from confint_cli.common.words import percent
from confint_cli.outputs.page.markup import prose
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
    """Return the words of the page with what they mean, as a list."""
    return "\n".join(
        f"<dt>{prose(word)}</dt>\n<dd>{prose(meaning)}</dd>" for word, meaning in _entries(report)
    )


def _entries(report: Report) -> Iterator[tuple[str, str]]:
    facts = report.ranked.facts
    level = percent(facts["levels"][0])
    yield (
        "Interval",
        f"{_sampled(facts)} If they were sampled again and again, about {level} of such intervals "
        "would hold the true mean; with fewer than 50 topics somewhat fewer, and a caveat says "
        "where many fewer. Each is about one run by itself. Intervals of two runs may overlap "
        "although one is shown to be better: rank sets and comparisons go topic by topic, which is "
        "more precise as a rule. And two runs may not be told apart although their intervals lie "
        "apart, as rank sets account for all pairs of runs at once. The mean of the run that comes "
        "first is too high as a rule, as it was chosen for that.",
    )
    yield (
        "Rank and rank set",
        "The rank is by the mean on these topics. The rank set has all ranks that the run may "
        "truly have: it begins after the runs that are shown to be better, and ends before those "
        "that are shown to be worse. All rank sets of a table hold at once with a confidence of "
        f"{level}, approximately, by one measure (the method is in the line below the table). Rare "
        "topics with large differences, of which there is none among these, are not covered.",
    )
    yield (
        "Own set",
        "The rank set of one run by itself, for a run that was chosen before the results were "
        "seen, such as your own. It is no wider, as it says nothing about other runs.",
    )
    if any(row.first_share == row.first_share for row in report.ranked.rows):
        yield (
            "First",
            "The share of resamples of the topics in which the run comes first. It is not the "
            "probability that the run is truly the best: among many runs that are nearly equal, "
            "the one with the largest share is often not.",
        )
    yield from _of_designs(report, facts)
    if report.compared is not None:
        yield from _of_comparisons(report, level)


def _sampled(facts: Facts) -> str:
    """Return a sentence on what was sampled."""
    rows = f"{facts['group_noun']}s" if has_groups(facts) else "topics"
    if has_collections(facts) and facts["for_new"] == COLLECTIONS:
        rows = "collections"
    also = " The repeats of a run are taken as a sample of all that there might be." * has_repeats(
        facts
    )
    asked = "asked" if rows == "topics" else "used"
    return f"The {rows} are taken as a sample of all {rows} that might have been {asked}.{also}"


def _of_designs(report: Report, facts: Facts) -> Iterator[tuple[str, str]]:
    if has_collections(facts):
        yield (
            "All collections together",
            "The mean of the means of all collections, each of which counts alike, however many "
            "topics it has (macro). Nothing is corrected for looking at several collections: of "
            "many, one may show a difference by chance.",
        )
    if has_groups(facts):
        noun = facts["group_noun"]
        yield (
            "Design effect",
            f"Topics of one {noun} are not independent. The design effect says how many times as "
            "large the variance of a mean is as that of as many independent topics.",
        )
    if has_repeats(facts):
        yield (
            "Repeats",
            "A run with several repeats, such as training seeds, has the mean over these. Results "
            "are for new repeats, too. The repeat share is the part of the variance that more "
            "topics would not remove.",
        )
    if report.agreed is not None:
        both = (
            " The standings are by both together: what the judge says of all its topics, less its "
            "bias on the topics that people judged, which have to be a random sample of all."
            if has_judge(facts)
            else ""
        )
        yield (
            "People and the judge",
            "People have judged some topics, and a cheaper judge, such as a language model, has "
            f"judged these and perhaps more.{both} The scores on each topic are by people.",
        )
        if has_judge(facts):
            yield (
                "Counts as, and r",
                "How many topics judged by people alone would give an interval as short as both "
                "judges do (prediction-powered inference, ppi). It is the more, the better the "
                "judge's scores go with people's: r is their correlation over topics.",
            )
    if has_bounds(facts):
        yield (
            "Could be",
            "What a mean could be on these topics, however documents are judged that nobody "
            "judged. The interval holds whatever that is, and so do rank sets.",
        )
    if any(row.judged_share < 1 for row in report.ranked.rows):
        yield (
            "Judged",
            "The share of a run's first documents, ten at most, that somebody judged. Documents "
            "that nobody judged count as not relevant, so that a run that finds other documents "
            "than those in the pool may be better than its score.",
        )


def _of_comparisons(report: Report, level: str) -> Iterator[tuple[str, str]]:
    assert report.compared is not None
    facts = report.compared.facts
    effects = (
        " Glass’s Δ is the difference in standard deviations of the baseline, Hedges’ gz in "
        "standard deviations of the differences. W/T/L counts topics won, tied and lost."
    )
    plain = any(row.wins is not None for row in report.compared.rows)
    yield (
        "Comparisons",
        "The difference is the mean of the run less that of the baseline, and each interval is "
        f"meant to have {level} confidence by itself. The corrected p-value accounts for all "
        "comparisons by that measure, not for several measures; the line below a table says how "
        f"many there are.{effects if plain else ''}",
    )
    if "margin" in facts:
        yield (
            "Margin",
            f"A difference of less than {facts['margin']:.15g} was chosen as one that does not "
            "matter. Equivalent: shown to differ by less; superior or inferior: shown to be better "
            "or worse by more; not inferior: shown not to be worse by more, and nothing beyond "
            "that; undecided: none of these. A small p-value (p not worse, p equivalent) shows "
            "what its column says. Each verdict is by itself, however many runs are compared.",
        )
