"""A report as one page of HTML that needs nothing else: no network, no server, no other file.

Style and script are files beside this one. The page allows no others: its content security policy
names the two by their hashes and forbids all loads.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from confint_cli import __version__
from confint_cli.common.errors import Level, Notice
from confint_cli.common.text import count
from confint_cli.common.words import series
from confint_cli.outputs.latex import for_script
from confint_cli.outputs.page.collections import collections
from confint_cli.outputs.page.comparisons import NO_BASELINE, comparisons
from confint_cli.outputs.page.judge import judge
from confint_cli.outputs.page.markup import heading, prose, text
from confint_cli.outputs.page.reading import how_to_read
from confint_cli.outputs.page.standings import standings, verdict
from confint_cli.outputs.page.topics import (
    how_drawn,
    strips,
    topic_table,
    topics_in_a_cell,
    topics_left_out,
)
from confint_cli.outputs.page.views import View, choosers, in_views, views_of
from confint_cli.studies.report import Report
from confint_cli.studies.rows import AgreementRow, CompareRow, JudgedRunRow, RankRow
from confint_cli.studies.scope import for_whom, has_collections, has_judge, topics_of

_SCRIPTS = ("sorting", "strips", "saving", "views", "address", "start")
"""The files of the script, in the order in which they need one another."""


@dataclass(frozen=True)
class Circumstances:
    """What the page says besides what was computed from the scores."""

    title: str  # empty: the page makes one that says how many runs there are
    notices: tuple[Notice, ...]  # shown to the user while the report was computed
    calls: tuple[str, ...]  # command lines that compute the same numbers


def render(report: Report, circumstances: Circumstances, digits: int) -> str:
    """Return the page as HTML; the same report gives the same bytes."""
    return _Page(report, circumstances, digits).html()


class _Page:
    """A page as it is put together, section by section."""

    def __init__(self, report: Report, circumstances: Circumstances, digits: int) -> None:
        self.report, self.circumstances, self.digits = report, circumstances, digits
        self.views = views_of(report.views)
        self.facts = report.ranked.facts
        agreed = report.agreed
        self.ranked: dict[tuple[str, str], list[RankRow]] = _by_view(report.ranked.rows)
        self.compared: dict[tuple[str, str], list[CompareRow]] = _by_view(
            report.compared.rows if report.compared is not None else ()
        )
        self.agreed: dict[tuple[str, str], list[AgreementRow]] = _by_view(
            agreed.rows if agreed is not None else ()
        )
        self.judged: dict[tuple[str, str], list[JudgedRunRow]] = _by_view(
            agreed.details if agreed is not None else ()
        )

    def html(self) -> str:
        """Return the whole page."""
        style, script = _file("style.css"), _script()
        caveats = list(self._caveats())
        title = self.circumstances.title or f"Standings of {count(self.facts['runs'], 'run')}"
        return Template(_file("page.html")).substitute(
            policy=f"default-src 'none'; style-src '{_hash(style)}'; "
            f"script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'",
            version=text(__version__),
            title=prose(title),
            plain_title=text(title),
            style=style,
            script=script,
            lead=prose(self._computed_from()),
            results=self._results(),
            menu=self._menu(len(caveats)),
            choosers=choosers(self.views),
            caveats=_list(caveats or ["confint found nothing unusual in the scores."]),
            caveats_of_collections=self._caveats_of_collections(),
            standings=in_views("standings", self.views, self._standings),
            comparisons=in_views("comparisons", self.views, self._comparisons)
            if self.compared
            else NO_BASELINE,
            topics_title=self._topics_title,
            topics=in_views("topics", self.views, self._topics),
            judge=self._judge(),
            reading=how_to_read(self.report),
            calls=_joined(map(_code, self.circumstances.calls)),
            signatures=_joined(map(_code, self._signatures())),
        )

    def _computed_from(self) -> str:
        """Return sentences on the numbers of runs and topics, the measures and the judgements."""
        facts = self.facts
        sentence = f"{count(facts['runs'], 'run')} on {topics_of(facts, facts['topics'])}"
        if has_judge(facts):
            sentence += " that people judged"
        if has_collections(facts):
            sentence += f" of {count(facts['collections'], 'collection')}"
        measures = "Measure" if len(facts["measures"]) == 1 else "Measures"
        sentence += f". {measures}: {series(facts['measures'])}"
        if "qrels" in facts:
            sentence += f", scored against {_judgements(facts['qrels'])}"
        sentence += "."
        if self.report.agreed is not None:
            of_judge = self.report.agreed.facts
            topics = count(of_judge["judge_topics"], "topic")
            also = "these and more, " if has_judge(facts) else ""
            sentence += f" A cheaper judge ({of_judge['judge']}) judged {also}{topics}"
            sentence += " that no run lacks." if facts.get("missing") == "drop" else "."
        if whom := for_whom(facts):
            sentence += f" Intervals and ranks are {whom}."
        return f"{sentence} {self.report.scale}" if self.report.scale else sentence

    def _results(self) -> str:
        """Return a list of the measures, with a sentence on the result in each."""
        first_views = {view.measure: view for view in reversed(self.views)}
        items = (
            f'<dt><a href="#{view.id("standings")}"><bdi>{text(view.measure)}</bdi></a></dt>\n'
            f"<dd>{verdict(self.ranked[view.key], self.facts, self.digits)}</dd>"
            for view in reversed(first_views.values())
        )
        return "<dl>" + "\n".join(items) + "</dl>"

    @property
    def _topics_title(self) -> str:
        return "Collections and topics" if has_collections(self.facts) else "Topics"

    def _menu(self, caveats: int) -> str:
        """Return links to the sections."""
        sections = {"standings": "Standings", "comparisons": "Comparisons"}
        sections["topics"] = self._topics_title
        if self.agreed:
            sections["judge"] = "People and the judge"
        sections["caveats"] = f"Caveats{f' ({caveats})' if caveats else ''}"
        sections |= {"reading": "How to read this page", "repeat": "How to repeat it"}
        return "".join(f'<li><a href="#{key}">{title}</a></li>' for key, title in sections.items())

    def _caveats(self) -> Iterator[str]:
        """Yield the caveats about all collections together, or about the only one."""
        for notice in self.circumstances.notices:
            label = "<strong>Warning:</strong> " if notice.level is Level.WARNING else ""
            yield label + prose(notice.text)
        for remark in self.report.ranked.remarks:
            yield prose(remark)
        for caveat in self.report.caveats:
            if not caveat.collection:
                yield prose(caveat.text)

    def _caveats_of_collections(self) -> str:
        by_collection: dict[str, list[str]] = {}
        for caveat in self.report.caveats:
            if caveat.collection:
                by_collection.setdefault(caveat.collection, []).append(prose(caveat.text))
        parts = [
            f"{heading(collection)}{_list(items)}" for collection, items in by_collection.items()
        ]
        if not parts:
            return ""
        number = sum(map(len, by_collection.values()))
        return (
            f"<details><summary>{number} more about single collections</summary>"
            f"{_joined(parts)}</details>"
        )

    def _standings(self, view: View) -> Iterator[str]:
        yield from standings(self.ranked[view.key], self.facts, view, self.digits)

    def _comparisons(self, view: View) -> Iterator[str]:
        if self.report.compared is not None and view.key in self.compared:
            order = [row.run for row in self.ranked[view.key]]
            rows = self.compared[view.key]
            yield from comparisons(self.report.compared, rows, order, view, self.digits)

    def _topics(self, view: View) -> Iterator[str]:
        scores = self.report.topics[view.key]
        if view.is_macro:
            by_collection = {
                collection: rows
                for (measure, collection), rows in self.ranked.items()
                if measure == view.measure
            }
            yield from collections(by_collection, scores, view, self.digits)
            return
        where = f", {view.collection}" if view.collection else ""
        by_people = self.report.agreed is not None
        judged = " judged by people" if by_people else ""
        yield heading(f"{view.measure}{where}, {count(len(scores.topics), 'topic')}{judged}")
        yield f"<p>{prose(self._whose(scores.unit))}</p>"
        in_a_cell = topics_in_a_cell(scores)
        if in_a_cell > 1:
            yield f"<p>Each cell is the mean of {in_a_cell} topics of similar difficulty.</p>"
        caption = f"Topic scores {view.on}, the hardest topic first"
        mean = "people's mean" if by_people else "mean"
        yield strips(scores, self.digits, caption=caption, mean=mean)
        left_out = topics_left_out(scores)
        yield f"<p>{how_drawn(scores)}</p>"
        if left_out:
            yield f"<p>This table leaves out the {count(left_out, 'easiest topic')}.</p>"
        caption = f"Topics and scores {view.on}, the hardest topic first"
        yield topic_table(scores, self.digits, caption=caption)

    def _whose(self, unit: str) -> str:
        """Return sentences on what the scores on topics are, and on their order."""
        sentence = (
            f"{unit.capitalize()}s are in the order of their mean over all runs, the hardest "
            "first. Runs are in the order of the standings. In the rows of colours, each cell is a "
            "topic."
        )
        if self.report.agreed is not None:
            sentence += " Scores are people's."
        if "repeats" in self.facts:
            sentence += " Scores are means over the repeats of a run."
        if "bounds" in self.facts:
            sentence += " Unjudged documents count as not relevant."
        return sentence

    def _judge(self) -> str:
        """Return the section on people and a cheaper judge; empty without one."""
        if not self.agreed:
            return ""
        content = in_views("judge", self.views, self._judge_in)
        return (
            '<section id="judge" aria-labelledby="judge-title">\n'
            f'<h2 id="judge-title">People and the judge</h2>\n{content}\n</section>'
        )

    def _judge_in(self, view: View) -> Iterator[str]:
        if self.report.agreed is None or view.key not in self.agreed:
            return
        (row,) = self.agreed[view.key]
        runs = sorted(self.judged[view.key], key=lambda run: run.rank)
        # Standings by both judges say themselves what the judge's topics are worth to them.
        with_worth = not has_judge(self.facts)
        facts = self.report.agreed.facts
        yield from judge(row, runs, facts, view, self.digits, with_worth=with_worth)

    def _signatures(self) -> list[str]:
        """Return what the commands that compute the same print as signatures."""
        answers = (self.report.ranked, self.report.compared, self.report.agreed)
        return [answer.signature for answer in answers if answer is not None]


def _by_view(rows: Iterable[RankRow | CompareRow | AgreementRow | JudgedRunRow]) -> dict:  # type: ignore[type-arg]
    """Return records by measure and collection."""
    by_view: dict[tuple[str, str], list[object]] = {}
    for row in rows:
        by_view.setdefault((row.measure, row.collection), []).append(row)
    return by_view


def _judgements(name: str) -> str:
    """Return people's judgements as a sentence names them: by their file, or by a pattern."""
    return f"the judgements of each collection, {name}" if "{" in name else name


def _file(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


def _script() -> str:
    """Return the script: all of its files in one function, and what it has to know of LaTeX."""
    known = f"const LATEX = {json.dumps(for_script(), ensure_ascii=True)};"
    return _joined(
        [
            '"use strict";',
            "(() => {",
            known,
            *(_file(f"script/{name}.js") for name in _SCRIPTS),
            "})();",
        ]
    )


def _hash(content: str) -> str:
    """Return the name by which a content security policy allows a style or a script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


def _joined(elements: Iterable[str]) -> str:
    return "\n".join(elements)


def _code(words: str) -> str:
    return f"<pre><code>{text(words)}</code></pre>"


def _list(items: Sequence[str]) -> str:
    return "<ul>" + "\n".join(f"<li>{item}</li>" for item in items) + "</ul>"
