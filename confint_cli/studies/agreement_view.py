"""How far a judge agrees with people, as people read it: a row for each measure, and in words."""

import math
from collections.abc import Sequence

from confint_cli.common.table import Cell, Column, Interval, Span, Table, View
from confint_cli.common.text import count
from confint_cli.common.words import percent
from confint_cli.studies.answer import Answer
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import AgreementRow, JudgedRunRow
from confint_cli.studies.scope import ABOUT_MACRO, for_whom, has_collections, topics_of

_SAID = 3  # measures that have a sentence of their own, at most
_AS_HIGH = 0.00005  # a bias that is shown as 0
_ABOUT_BIAS = "Bias: the judge's means minus people's, averaged over runs."
_ABOUT_CORRELATION = "r: correlation of a run's two scores over topics; the median over runs."
ABOUT_DECISIONS = (
    "pairs of runs with a significant paired t test at {level}, each by itself; kept: with both "
    "judges' scores and the same run ahead; lost: only with people's; invented: only with the "
    "judge's; reversed: with both, but the other run ahead."
)
_ABOUT_EFFECTIVE = (
    "Counts as: how many topics judged only by people would give an interval as short as both "
    "judges together do (--judge-qrels, --judge-scores); the median over runs."
)


def view(answer: Answer[AgreementRow]) -> View:
    """Return a table with a row for each measure, or for each collection by each measure."""
    rows, facts = answer.rows, answer.facts
    runs, topics = {row.runs for row in rows}, {row.human_topics for row in rows}
    others = {row.topics - row.human_topics for row in rows}
    title = ["The judge compared with people"]
    if len(runs) == 1:
        title.append(count(rows[0].runs, "run"))
    if len(topics) == 1:
        first = rows[0]
        title.append(f"{topics_of(facts, first.human_topics, first.groups)} judged by both")
    if len(others) == 1 and others != {0}:
        title.append(f"{rows[0].topics - rows[0].human_topics} more by the judge")
    title += filter(None, [for_whom(facts)])
    return View(
        [
            Table(
                ", ".join(title),
                _columns(rows, facts),
                sentence=_sentence(rows, percent(facts["levels"][0])),
                breaks=_breaks(rows) if has_collections(facts) else [],
            )
        ]
    )


def _columns(rows: Sequence[AgreementRow], facts: Facts) -> list[Column]:
    level = percent(facts["levels"][0])
    of_tau = "groups" if "groups" in facts else "topics"
    columns = [Column("measure", [row.measure for row in rows])]
    if has_collections(facts):
        names = [row.collection for row in rows]
        columns.append(Column("collection", names, legend=ABOUT_MACRO))
    return [
        *columns,
        *_if_several("runs", [row.runs for row in rows]),
        *_if_several("by both", [row.human_topics for row in rows]),
        *_if_several("topics", [row.topics for row in rows]),
        Column("bias", [row.bias for row in rows], legend=_ABOUT_BIAS),
        Column("r", [row.correlation for row in rows], legend=_ABOUT_CORRELATION, optional=True),
        Column("τ", [row.tau for row in rows]),
        Column(
            f"τ {level}",
            [Interval(row.tau_low, row.tau_high) for row in rows],
            legend="τ: Kendall's τ_b of the runs' means, 1 for the same order; its interval comes "
            f"from resamples of the {of_tau}, and is approximate.",
        ),
        Column("pairs", [row.pairs for row in rows], optional=True),
        Column(
            "K/L/I/R",
            [f"{row.kept}/{row.lost}/{row.invented}/{row.reversed}" for row in rows],
            legend=f"K/L/I/R: {ABOUT_DECISIONS.format(level=level)}",
        ),
        Column(
            "counts as", [_whole(row.effective_topics) for row in rows], legend=_ABOUT_EFFECTIVE
        ),
    ]  # fmt: skip


def _whole(number: float) -> int | None:
    return None if math.isnan(number) else round(number)


def _if_several(name: str, numbers: Sequence[int]) -> list[Column]:
    """Return a column of numbers that differ; the title has those that do not."""
    return [Column(name, numbers)] if len({*numbers}) > 1 else []


def _breaks(rows: Sequence[AgreementRow]) -> list[int]:
    return [
        place for place in range(1, len(rows)) if rows[place].measure != rows[place - 1].measure
    ]


def _sentence(rows: Sequence[AgreementRow], level: str) -> list[Cell]:
    """Return what there is to say of each measure; of many, which of them agree most and least."""
    if any(row.collections for row in rows):
        rows = [row for row in rows if row.collections]
    if len(rows) <= _SAID:
        cells: list[Cell] = []
        for row in rows:
            cells += [*([" "] if cells else []), *about(row, level)]
        return cells
    known = [row for row in rows if not math.isnan(row.tau)]
    if not known:
        return []
    most, least = (choose(known, key=lambda row: row.tau) for choose in (max, min))
    if most.tau == least.tau:
        return [f"On each of the {len(rows)} measures, τ is ", most.tau, "."]
    return [
        f"Of {len(rows)} measures, the judge's order of the runs is closest to people's on "
        f"{most.measure} (τ ", most.tau, f") and least close on {least.measure} (τ ", least.tau,
        ").",
    ]  # fmt: skip


def runs_table(runs: Sequence[JudgedRunRow], facts: Facts) -> Table:
    """Return the standings by people and by the judge side by side, with pictures, as on a page."""
    level = percent(facts["levels"][0])
    people = [Span(run.low, run.mean, run.high) for run in runs]
    judge = [Span(run.judge_low, run.judge_mean, run.judge_high) for run in runs]
    return Table(
        "",
        [
            Column("run", [run.run for run in runs]),
            Column("people's rank", [run.rank for run in runs]),
            Column("judge's rank", [run.judge_rank for run in runs]),
            Column("people's mean", [run.mean for run in runs]),
            Column("judge's mean", [run.judge_mean for run in runs]),
            Column(
                "judge − people",
                [run.judge_mean - run.mean for run in runs],
                legend="Judge − people: how much higher the judge scores a run.",
            ),
            Column(f"people {level}", [Interval(run.low, run.high) for run in runs]),
            Column("", people),
            Column(
                f"judge {level}",
                [Interval(run.judge_low, run.judge_high) for run in runs],
                legend=f"Both are on the same topics, with {level} t intervals, each by itself.",
            ),
            Column("", judge),
        ],
    )


def about(row: AgreementRow, level: str, *, with_worth: bool = True) -> list[Cell]:
    """Return a sentence on one measure; `with_worth`, also on what the judge's topics are worth."""
    where = f" (macro over {row.collections} collections)" if row.collections else ""
    sentence: list[Cell] = [f"On {row.measure}{where}, the judge's scores are "]
    if abs(row.bias) < _AS_HIGH:
        sentence.append("as high as people's on average")
    else:
        than = f" {'higher' if row.bias > 0 else 'lower'} than people's on average"
        sentence += [abs(row.bias), than]
    if row.runs > 1:
        sentence += [*_about_order(row, level), f", {_about_decisions(row)}"]
    return [*sentence, *(_about_topics(row) if with_worth else []), "."]


def _about_order(row: AgreementRow, level: str) -> list[Cell]:
    if math.isnan(row.tau):
        return ["; as one of the two has all runs equal, the judge has no τ"]
    whose = "two runs" if row.runs == 2 else f"{row.runs} runs"
    known: list[Cell] = [f", {level} interval ", row.tau_low, " to ", row.tau_high]
    limits: list[Cell] = [] if math.isnan(row.tau_low) else known
    return [f"; the judge orders the {whose} {_in_words(row.tau)} (τ ", row.tau, *limits, ")"]


def _in_words(tau: float) -> str:
    """Return how alike two orders are."""
    if tau == 1:
        return "as people do"
    if tau >= 0.9:
        return "nearly as people do"
    if tau >= 0.8:
        return "much as people do"
    if tau >= 0.5:
        return "only roughly as people do"
    return "quite differently from people" if tau > -0.4 else "rather the opposite way to people"


def _about_decisions(row: AgreementRow) -> str:
    """Return what becomes of the decisions of people."""
    if not row.decisions and not row.invented:
        return "and, like people, finds no two of them different"
    if not row.decisions:
        return f"and invents {count(row.invented, 'decision')} where people have none"
    known = count(row.decisions, "decision")
    kept = f"all {known}" if row.kept == row.decisions else f"{row.kept or 'none'} of {known}"
    if row.kept == row.decisions == 1:
        kept = "the one decision"
    return (
        f"keeps {kept}, loses {row.lost or 'none'}, invents {row.invented or 'none'} and "
        f"reverses {row.reversed or 'none'}"
    )


def _about_topics(row: AgreementRow) -> list[Cell]:
    """Return what the judge's other topics are worth."""
    if row.topics == row.human_topics:
        return ["; without further topics, the judge makes no interval shorter"]
    if math.isnan(row.effective_topics):
        return []
    known = f"{count(row.people_topics, 'topic')} judged by people are worth as much as"
    return [
        f". With the judge, {known} {_whole(row.effective_topics)}, for the median run by itself"
    ]
