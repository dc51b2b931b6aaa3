"""A report as one page of HTML that needs nothing else: no network, no server, no other file.

Style and script are files beside this one. The page allows no others: its content security policy
names the two by their hashes and forbids all loads.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from confint_cli import __version__
from confint_cli.common.errors import Level, Notice
from confint_cli.common.table import Table
from confint_cli.common.text import count
from confint_cli.common.words import percent, series
from confint_cli.outputs.cells import sentence_text
from confint_cli.outputs.page.markup import prose, text
from confint_cli.outputs.page.tables import run_table
from confint_cli.outputs.page.topics import strips, topic_table, topics_in_a_cell, topics_left_out
from confint_cli.studies.answer import Answer
from confint_cli.studies.compare_view import tables_by_measure
from confint_cli.studies.pairing_view import pairs_by_measure
from confint_cli.studies.rank_view import standings_by_measure, standings_table
from confint_cli.studies.report import Report, TopicScores
from confint_cli.studies.rows import CompareRow

_NO_BASELINE = (
    "No baseline was chosen; <code>confint report --baseline RUN</code> compares all runs with one."
)


@dataclass(frozen=True)
class Circumstances:
    """What the page says besides what was computed from the scores."""

    title: str  # empty: the page makes one that says how many runs there are
    notices: tuple[Notice, ...]  # shown to the user while the report was computed
    calls: tuple[str, ...]  # command lines that compute the same numbers


@dataclass(frozen=True)
class _RunTable:
    """A table with a row for each run, and which of these rows are drawn in colour."""

    table: Table  # with pictures
    marked: Sequence[bool]  # [row]


@dataclass(frozen=True)
class _Part:
    """The tables of the page by one measure."""

    measure: str
    standings: _RunTable  # runs that are tied with the best are marked
    comparisons: Sequence[_RunTable]  # one for each baseline; significant differences are marked
    topics: TopicScores


def render(report: Report, circumstances: Circumstances, digits: int) -> str:
    """Return the page as HTML; the same report gives the same bytes."""
    style, script = _file("style.css"), _file("script.js")
    facts = report.ranked.facts
    parts = list(_parts(report))
    caveats = list(_caveats(report, circumstances))
    title = circumstances.title or f"Standings of {count(facts['runs'], 'run')}"
    return Template(_file("page.html")).substitute(
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        version=text(__version__),
        title=prose(title),
        plain_title=text(title),
        style=style,
        script=script,
        lead=prose(_computed_from(report)),
        results=_results(parts, digits),
        menu=_menu(parts),
        number_of_caveats=f" ({len(caveats)})" if caveats else "",
        caveats=_list(caveats or ["Nothing unusual was found in the scores."]),
        standings=_joined(_standings(parts, digits)),
        comparisons=_joined(_comparisons(parts, digits)),
        topics=_joined(_topics(parts, digits)),
        level=text(percent(facts["levels"][0])),
        calls=_joined(map(_code, circumstances.calls)),
        signatures=_joined(map(_code, _signatures(report))),
    )


def _signatures(report: Report) -> list[str]:
    """Return what the commands that compute the same print as signatures."""
    compared = [] if report.compared is None else [report.compared.signature]
    return [report.ranked.signature, *compared]


def _parts(report: Report) -> Iterator[_Part]:
    """Yield the tables by each measure of the standings."""
    ranked = report.ranked
    comparisons = {} if report.compared is None else _compared_runs(report.compared)
    for rows in standings_by_measure(ranked):
        measure = rows[0].measure
        standings = _RunTable(
            standings_table(rows, ranked.facts, pictures=True),
            [row.tied_with_best for row in rows],
        )
        yield _Part(measure, standings, comparisons.get(measure, []), report.topics[measure])


def _compared_runs(compared: Answer[CompareRow]) -> dict[str, list[_RunTable]]:
    """Return the comparisons with each baseline, by measure; the first row is of the baseline."""
    by_measure = zip(
        pairs_by_measure(compared), tables_by_measure(compared, pictures=True), strict=True
    )
    return {
        measure: [
            _RunTable(table, [False, *(first.is_marked for first in rows.firsts)])
            for rows, table in zip(pairs.tables(), tables, strict=True)
        ]
        for pairs, (measure, tables) in by_measure
    }


def _file(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    """Return the name by which a content security policy allows a style or a script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


def _joined(elements: Iterable[str]) -> str:
    return "\n".join(elements)


def _code(words: str) -> str:
    return f"<pre><code>{text(words)}</code></pre>"


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "\n".join(f"<li>{item}</li>" for item in items) + "</ul>"


def _computed_from(report: Report) -> str:
    """Return a sentence on the numbers of runs and topics, the measures and the judgements."""
    facts = report.ranked.facts
    sentence = f"{count(facts['runs'], 'run')} on {count(facts['topics'], 'topic')}, by "
    sentence += series(facts["measures"])
    if "qrels" in facts:
        sentence += f", scored against {facts['qrels']}"
    return f"{sentence}. {report.scale}" if report.scale else f"{sentence}."


def _results(parts: Sequence[_Part], digits: int) -> str:
    """Return a list of the measures, with a sentence on the result by each."""
    items = (
        f"<dt><bdi>{text(part.measure)}</bdi></dt>\n"
        f"<dd>{prose(sentence_text(part.standings.table.sentence, digits))}</dd>"
        for part in parts
    )
    return "<dl>" + "\n".join(items) + "</dl>"


def _menu(parts: Sequence[_Part]) -> str:
    """Return links to the sections and, if there are several measures, to the tables by each."""
    sections = {"standings": "Standings", "comparisons": "Comparisons", "topics": "Topics"}
    items = []
    for key, title in sections.items():
        links = ""
        if len(parts) > 1 and (key != "comparisons" or _has_comparisons(parts)):
            links = ": " + ", ".join(
                f'<a href="#{key}-{place}"><bdi>{text(part.measure)}</bdi></a>'
                for place, part in enumerate(parts, 1)
                if key != "comparisons" or part.comparisons
            )
        items.append(f'<li><a href="#{key}">{title}</a>{links}</li>')
    return "".join(items)


def _has_comparisons(parts: Sequence[_Part]) -> bool:
    return any(part.comparisons for part in parts)


def _caveats(report: Report, circumstances: Circumstances) -> Iterator[str]:
    for notice in circumstances.notices:
        label = "<strong>Warning:</strong> " if notice.level is Level.WARNING else ""
        yield label + prose(notice.text)
    yield from map(prose, report.caveats)


def _heading(key: str, place: int, words: str) -> str:
    return f'<h3 id="{key}-{place}">{prose(words)}</h3>'


def _standings(parts: Sequence[_Part], digits: int) -> Iterator[str]:
    for place, part in enumerate(parts, 1):
        table, marked = part.standings.table, part.standings.marked
        yield _heading("standings", place, table.title)
        yield f'<p class="result">{prose(sentence_text(table.sentence, digits))}</p>'
        caption = f"Standings by {part.measure}"
        yield run_table(table, digits, marked=marked, caption=caption)
        yield f'<p class="legend">{prose(" ".join(_legends(part.standings)))}</p>'


def _legends(standings: _RunTable) -> Iterator[str]:
    """Yield sentences on what the pictures, marks and colours of the standings mean."""
    yield "Dot and bar: the mean and its interval."
    if sum(standings.marked) > 1:
        yield "In colour: runs that cannot be told apart from the best."
    yield from standings.table.legends
    if standings.table.breaks:
        yield f"Shading changes at a line: {standings.table.breaks_mean}."


def _comparisons(parts: Sequence[_Part], digits: int) -> Iterator[str]:
    if not _has_comparisons(parts):
        yield f"<p>{_NO_BASELINE}</p>"
    for place, part in enumerate(parts, 1):
        for number, compared in enumerate(part.comparisons):
            table, marked = compared.table, compared.marked
            key = "comparisons" if not number else f"comparisons-{number + 1}"
            yield _heading(key, place, table.title)
            yield f'<p class="result">{prose(sentence_text(table.sentence, digits))}</p>'
            yield run_table(table, digits, marked=marked, caption=table.title, below_baseline=True)
            legends = ["Dot and bar: the difference and its interval; dashed: no difference."]
            yield f'<p class="legend">{prose(" ".join([*legends, *table.legends]))}</p>'


def _topics(parts: Sequence[_Part], digits: int) -> Iterator[str]:
    for place, part in enumerate(parts, 1):
        scores = part.topics
        yield _heading("topics", place, f"{part.measure}, {count(len(scores.topics), 'topic')}")
        in_a_cell = topics_in_a_cell(scores)
        if in_a_cell > 1:
            yield f"<p>Each cell is the mean of {in_a_cell} topics that are about as hard.</p>"
        caption = f"Scores on each topic by {part.measure}, the hardest topic first"
        yield strips(scores, digits, caption=caption)
        left_out = topics_left_out(scores)
        if left_out:
            yield f"<p>The {count(left_out, 'easiest topic')} are left out of this table.</p>"
        caption = f"Topics by {part.measure}, the hardest first"
        yield topic_table(scores, digits, caption=caption)
