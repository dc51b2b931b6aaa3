"""A report as one page of HTML that needs nothing else: no network, no server, no other file.

Style and script are files beside this one. The page allows no others: its content security policy
names the two by their hashes and forbids all loads.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from confint_cli import __version__
from confint_cli.common.errors import Level, Notice
from confint_cli.common.table import Marked, Table
from confint_cli.common.text import count
from confint_cli.common.words import series
from confint_cli.outputs.cells import sentence_text
from confint_cli.outputs.page.markup import prose, text
from confint_cli.outputs.page.tables import run_table
from confint_cli.outputs.page.topics import strips, topic_table, topics_in_a_cell, topics_left_out
from confint_cli.studies.report import Part, Report

_NO_BASELINE = (
    "No baseline was chosen; <code>confint report --baseline RUN</code> compares all runs with one."
)


@dataclass(frozen=True)
class Circumstances:
    """What the page says besides what was computed from the scores."""

    title: str  # empty: the page makes one that says how many runs there are
    judgements: str  # the file that runs were scored against; empty: there was none
    scale: str  # a sentence on what scores are, if they are not those of the measure itself
    notices: tuple[Notice, ...]  # shown to the user while the report was computed
    calls: tuple[str, ...]  # command lines that compute the same numbers
    signatures: tuple[str, ...]  # what these command lines print as signatures


def render(report: Report, circumstances: Circumstances, digits: int) -> str:
    """Return the page as HTML; the same report gives the same bytes."""
    style, script = _file("style.css"), _file("script.js")
    caveats = list(_caveats(report, circumstances))
    title = circumstances.title or f"Standings of {count(report.runs, 'run')}"
    return Template(_file("page.html")).substitute(
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        version=text(__version__),
        title=prose(title),
        plain_title=text(title),
        style=style,
        script=script,
        lead=prose(_computed_from(report, circumstances)),
        results=_results(report, digits),
        menu=_menu(report),
        number_of_caveats=f" ({len(caveats)})" if caveats else "",
        caveats=_list(caveats or ["Nothing unusual was found in the scores."]),
        standings=_joined(_standings(report, digits)),
        comparisons=_joined(_comparisons(report, digits)),
        topics=_joined(_topics(report, digits)),
        level=text(report.level),
        calls=_joined(map(_code, circumstances.calls)),
        signatures=_joined(map(_code, circumstances.signatures)),
    )


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


def _computed_from(report: Report, circumstances: Circumstances) -> str:
    """Return a sentence on the numbers of runs and topics, the measures and the judgements."""
    sentence = f"{count(report.runs, 'run')} on {count(report.topics, 'topic')}, by "
    sentence += series(report.measures)
    if circumstances.judgements:
        sentence += f", scored against {circumstances.judgements}"
    return f"{sentence}. {circumstances.scale}" if circumstances.scale else f"{sentence}."


def _results(report: Report, digits: int) -> str:
    """Return a list of the measures, with a sentence on the result by each."""
    items = (
        f"<dt><bdi>{text(part.measure)}</bdi></dt>\n"
        f"<dd>{prose(sentence_text(part.standings, digits))}</dd>"
        for part in report.parts
    )
    return "<dl>" + "\n".join(items) + "</dl>"


def _menu(report: Report) -> str:
    """Return links to the sections and, if there are several measures, to the tables by each."""
    sections = {"standings": "Standings", "comparisons": "Comparisons", "topics": "Topics"}
    items = []
    for key, title in sections.items():
        links = ""
        if len(report.parts) > 1 and (key != "comparisons" or _has_comparisons(report)):
            links = ": " + ", ".join(
                f'<a href="#{key}-{place}"><bdi>{text(part.measure)}</bdi></a>'
                for place, part in enumerate(report.parts, 1)
                if key != "comparisons" or part.comparisons
            )
        items.append(f'<li><a href="#{key}">{title}</a>{links}</li>')
    return "".join(items)


def _has_comparisons(report: Report) -> bool:
    return any(part.comparisons for part in report.parts)


def _caveats(report: Report, circumstances: Circumstances) -> Iterator[str]:
    for notice in circumstances.notices:
        label = "<strong>Warning:</strong> " if notice.level is Level.WARNING else ""
        yield label + prose(notice.text)
    yield from map(prose, report.caveats)


def _heading(key: str, place: int, words: str) -> str:
    return f'<h3 id="{key}-{place}">{prose(words)}</h3>'


def _standings(report: Report, digits: int) -> Iterator[str]:
    for place, part in enumerate(report.parts, 1):
        view = part.standings
        yield _heading("standings", place, view.title)
        yield f'<p class="result">{prose(sentence_text(view, digits))}</p>'
        caption = f"Standings by {part.measure}"
        yield run_table(view, digits, marked=part.tied_with_best, caption=caption)
        yield f'<p class="legend">{prose(" ".join(_legends(view, part)))}</p>'


def _legends(view: Table, part: Part) -> Iterator[str]:
    """Yield sentences on what the pictures, marks and colours of the standings mean."""
    yield "Dot and bar: the mean and its interval."
    if sum(part.tied_with_best) > 1:
        yield "In colour: runs that cannot be told apart from the best."
    yield from view.legends
    if view.breaks:
        yield f"Shading changes at a line: {view.breaks_mean}."


def _comparisons(report: Report, digits: int) -> Iterator[str]:
    if not _has_comparisons(report):
        yield f"<p>{_NO_BASELINE}</p>"
    for place, part in enumerate(report.parts, 1):
        for number, view in enumerate(part.comparisons):
            key = "comparisons" if not number else f"comparisons-{number + 1}"
            yield _heading(key, place, view.title)
            yield f'<p class="result">{prose(sentence_text(view, digits))}</p>'
            yield run_table(view, digits, marked=_marked_rows(view), caption=view.title)
            legends = ["Dot and bar: the difference and its interval; dashed: no difference."]
            yield f'<p class="legend">{prose(" ".join([*legends, *view.legends]))}</p>'


def _marked_rows(view: Table) -> list[bool]:
    """Return which rows have a mark of significance (bool, [row])."""
    return [any(isinstance(cell, Marked) and cell.mark for cell in row) for row in view.rows()]


def _topics(report: Report, digits: int) -> Iterator[str]:
    for place, part in enumerate(report.parts, 1):
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
