"""Shapes of scores as people read them: a histogram for each run, and which interval to take."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from confint_cli.common.table import (
    Column,
    Histogram,
    Probability,
    Table,
    View,
    columns_of,
    explained_once,
)
from confint_cli.common.text import count, listed
from confint_cli.common.words import series
from confint_cli.studies.answer import Answer
from confint_cli.studies.design_view import of_design
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import DescribeRow
from confint_cli.studies.scope import (
    ABOUT_MACRO,
    COLLECTIONS,
    has_collections,
    has_groups,
    has_repeats,
    title_of,
    topics_of,
)

SHARES = (0.0, 1.0)  # the ends of histograms of scores from 0 to 1
_LISTED = 5  # runs that a sentence names, at most
_ABOUT = {  # what to say of runs whose `kind` makes them unfit for a t interval
    "skewed": "{names} {is_} too skewed for t with {topics}: bootstrap-t is usually more accurate.",
    "one value": "{names} {has} the same score on so many topics that no interval has its stated "
    "coverage.",
    "few": "{topics}{of} say little about what scores are like: for scores from 0 to 1, logit is "
    "usually more accurate than t.",
    "few beyond": "{topics}{of} say little about what scores are like.",
    "constant": "{names} {has} no variance, so the interval is a point.",
    "binary": "Where scores are 0 or 1{of}, wilson is the interval to use.",
    "one": "One topic{of} says nothing about others: there is no interval.",
}
_ABOUT_DIFFERENCES = _ABOUT | {
    "skewed": "{names}: so skewed that a few topics decide; where t and bootstrap-t disagree "
    "('confint compare --method t,bootstrap-t'), look at those topics.",
    "one value": "{names}: the same difference on so many topics that no interval has its stated "
    "coverage.",
    "few beyond": "{topics}{of} say little about what differences are like.",
    "constant": "{names}: the same difference on all topics.",
}


def view(answer: Answer[DescribeRow]) -> View:
    """Return a table for each measure with a row for each run; of one run, all measures in one."""
    return View(_tables(answer.rows, answer.facts))


def _tables(rows: Sequence[DescribeRow], facts: Facts) -> list[Table]:
    by_measure = [list(group) for _, group in groupby(rows, lambda row: row.measure)]
    if has_collections(facts):
        return explained_once([_of_collections(group, facts) for group in by_measure])
    if len(by_measure) > 1 and len({row.name for row in rows}) == 1:
        first = rows[0]
        title = f"differences {first.run} - {first.baseline}" if first.baseline else first.run
        return [_table(rows, "measure", title, facts)]
    pairs = _differences(facts)
    return explained_once(
        [_table(group, "run", f"{_title(group[0], facts)}{pairs}", facts) for group in by_measure]
    )


def _title(row: DescribeRow, facts: Facts) -> str:
    """Return how the title of a table begins: the measure, and how many topics there are."""
    return f"{row.measure}, {topics_of(facts, row.topics)}"


def _differences(facts: Facts) -> str:
    """Return `, differences to bm25` for a title; empty, if scores are described."""
    if "differences" not in facts:
        return ""
    baselines = facts["differences"]
    return ", differences " + (f"from {series(baselines)}" if baselines else "of all pairs")


def _of_collections(rows: Sequence[DescribeRow], facts: Facts) -> Table:
    """Return the table by one measure with a row for each run and collection, and for all."""
    of_all = next(row for row in rows if row.collections)
    title = f"{title_of(of_all.measure, facts, of_all.topics)}{_differences(facts)}"
    table = _table(rows, "run", title, facts)
    columns = list(table.columns)
    place = 2 if of_all.baseline else 1
    of_means = " Its figures describe these means." if facts["for_new"] == COLLECTIONS else ""
    legend = f"{ABOUT_MACRO}{of_means}"
    names = Column("collection", [row.collection for row in rows], legend=legend)
    columns[place:place] = [names, Column("topics", [row.topics for row in rows], optional=True)]
    pairs = [(row.run, row.baseline) for row in rows]
    breaks = [place for place, (above, pair) in enumerate(pairwise(pairs), 1) if above != pair]
    return replace(table, columns=columns, breaks=breaks)


def _table(rows: Sequence[DescribeRow], key: str, title: str, facts: Facts) -> Table:
    """Return a table of the rows, told apart by the column `key`: `run` or `measure`."""
    differences = bool(rows[0].baseline)
    noun, zeros = ("differences", "ties") if differences else ("scores", "zeros")
    columns = [
        Column(key, [getattr(row, key) for row in rows]),
        Column("mean", [row.mean for row in rows]),
        Column("sd", [row.sd for row in rows], optional=True),
        Column("histogram", [Histogram(row.histogram) if row.histogram else None for row in rows],
               legend=_about_histograms(rows, noun)),
        Column(zeros, [row.zeros for row in rows], legend=f"{zeros.title()}: as a share of topics.",
               optional=True),
        Column("skew", [row.skew for row in rows], optional=True),
        Column("W", [row.shapiro_w for row in rows], optional=True),
        Column(
            "normal p",
            [Probability(row.shapiro_p) for row in rows],
            legend=f"W, normal p: the Shapiro-Wilk test of whether {noun} are normal.",
        ),
        *(
            replace(column, optional=True)
            for column in columns_of(rows, ("min", "q1", "median", "q3", "max"))
        ),
        *of_design(rows, facts),
        Column("note", [row.note for row in rows]),
    ]  # fmt: skip
    if key == "measure":
        columns.insert(1, Column("topics", [row.topics for row in rows]))
    elif differences:
        columns.insert(1, Column("baseline", [row.baseline for row in rows]))
    of_topics = [row for row in rows if not row.collections]  # not of means of collections
    # What is said of skewness, and of methods, is of independent topics.
    said = of_topics and not (has_groups(facts) or has_repeats(facts))
    return Table(title, columns, sentence=[" ".join(_advice(of_topics, key))] if said else [])


def _about_histograms(rows: Sequence[DescribeRow], noun: str) -> str:
    """Explain the bins of histograms of `noun`: `scores` or `differences`; empty without any."""
    rows = [row for row in rows if row.histogram]
    if not rows:
        return ""
    (low, high), *others = dict.fromkeys(row.ends for row in rows)
    scale = f" from {low:.3g} to {high:.3g}" if high > low else ""
    if others:
        mixed = "from 0 to 1, or " if noun == "scores" else ""
        scale = f" {mixed}over the range of nearly all {noun}"
    beyond = "" if (low, high) == SHARES and not others else ", values outside in the outermost"
    return f"Histogram: topics in {len(rows[0].histogram)} bins{scale}{beyond if scale else ''}."


def _advice(rows: Sequence[DescribeRow], key: str) -> list[str]:
    """Return sentences on which interval to take for which runs or pairs, or by which measures."""
    differences = bool(rows[0].baseline)
    templates = _ABOUT_DIFFERENCES if differences else _ABOUT
    if rows[0].collection:  # logit is not for a mean over collections
        templates = templates | {"few": templates["few beyond"]}
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in ("fit", *templates)}
    sentences = []
    if fit := by_kind.pop("fit"):
        sentences.append(f"By Cochran's rule, {_fit(fit, rows, key)} too skewed for t.")
    for kind, of_kind in by_kind.items():
        if not of_kind:
            continue
        names = [_name(row, key) for row in of_kind]
        listing = (
            series(names) if len(names) <= _LISTED and not differences else listed(names, _LISTED)
        )
        sentences.append(
            templates[kind].format(
                names=listing,
                of="" if len(of_kind) == len(rows) else f" ({listing})",
                is_="is" if len(of_kind) == 1 else "are",
                has="has" if len(of_kind) == 1 else "have",
                topics=_topics([row.topics for row in of_kind]),
            )
        )
    return sentences


def _fit(fit: Sequence[DescribeRow], rows: Sequence[DescribeRow], key: str) -> str:
    """Return `7 of 8 runs are not`, for how many of `rows` are `fit`."""
    of_pairs = bool(rows[0].baseline) and key == "run"
    if len(rows) == 1:
        return (
            f"differences of {fit[0].name} are not" if of_pairs else f"{_name(fit[0], key)} is not"
        )
    among = count(len(rows), "pair" if of_pairs else key)
    if rows[0].collection:
        among = f"{len(rows)} {'pairs' if of_pairs else 'runs'} in collections"
    if len(fit) == len(rows):
        return f"none of the {among} is"
    return f"{len(fit)} of {among} {'is' if len(fit) == 1 else 'are'} not"


def _name(row: DescribeRow, key: str) -> str:
    """Return the name of a row's run, or pair of runs, or of its measure, as `key` says."""
    return row.name if key == "run" else row.measure


def _topics(numbers: Sequence[int]) -> str:
    """Return `50 topics`, or `5 to 50 topics` if the numbers differ."""
    least, most = min(numbers), max(numbers)
    return count(most, "topic") if least == most else f"{least} to {most} topics"
