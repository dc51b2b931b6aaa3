"""`confint report`: the page, parsed, and what the command line makes of it."""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from confint_cli.app.cli import cli
from confint_cli.app.commands import report as report_command
from confint_cli.outputs.page.markup import axis, prose, scale_of
from tests.conftest import ROOT, SAMPLES, Confint, Result, write

EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
RUNS = sorted((SAMPLES / "runs").glob("*.run"))
VOID = {"meta", "input"}
# What ends an element whose end tag HTML does not need; the end of the table ends all of them.
CELLS = ("td", "th")
ENDED_BY = {"td": CELLS, "th": CELLS, "tr": (*CELLS, "tr"), "tbody": (*CELLS, "tr", "thead")}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'&amp;",
    "\x1b[31mred\x1b[0m",
    "\u202eevil\u202c",
    "שלום-עולם",
    "long" * 100,
]


@dataclass
class Grid:
    """A table of the page."""

    caption: str = ""
    headers: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    classes: list[list[str]] = field(default_factory=list)

    @property
    def records(self) -> list[dict[str, str]]:
        return [dict(zip(self.headers, row, strict=True)) for row in self.rows]

    def column(self, name: str) -> list[str]:
        return [record[name] for record in self.records]


class Page(HTMLParser):
    """The elements of a page; every tag must be closed in order, where HTML needs it."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.tables: list[Grid] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self._cell: str | None = None
        self._title: str | None = None
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {key: value or "" for key, value in attrs}
        self._end_all(ENDED_BY.get(tag, ()))
        self.elements.append((tag, own))
        if tag == "table":
            self.tables.append(Grid())
        if tag == "tr" and "thead" not in self._open:
            self.tables[-1].rows.append([])
            self.tables[-1].classes.append(own.get("class", "").split())
        if tag in (*CELLS, "caption"):
            self._cell = ""
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._end_all((*CELLS, "tr", "tbody"))
        assert self._open[-1] == tag
        self._end()

    def _end_all(self, tags: Sequence[str]) -> None:
        """End the innermost elements for as long as they are one of these."""
        while self._open and self._open[-1] in tags:
            self._end()

    def _end(self) -> None:
        """End the innermost element."""
        tag = self._open.pop()
        if tag == "caption":
            self.tables[-1].caption = self._cell or ""
        if tag in CELLS:
            assert self._cell is not None
            row = self.tables[-1].headers if "thead" in self._open else self.tables[-1].rows[-1]
            row.append(self._cell.strip())
        if tag in (*CELLS, "caption"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if {"style", "script"} & {*self._open}:
            return
        self.text += data
        if self._cell is not None and "svg" not in self._open:
            self._cell += data

    def table(self, caption: str) -> Grid:
        (found,) = (table for table in self.tables if table.caption == caption)
        return found

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


def page_of(result: Result) -> Page:
    assert result.status == 0, result.err
    return Page(result.out)


def rows_of(result: Result) -> list[dict[str, Any]]:
    assert result.status == 0, result.err
    rows: list[dict[str, Any]] = json.loads(result.out)["rows"]
    return rows


def shown(value: float) -> str:
    return f"{value:.4f}".replace("-0.0000", "0.0000")


def probability(value: float) -> str:
    if shown(value) == "0.0000":
        return "<0.0001"
    return ">0.9999" if shown(value) == "1.0000" and value < 1 else shown(value)


def ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


# The figures are those of rank and compare


def where(row: dict[str, Any]) -> str:
    """Return how captions call the view of a record."""
    collection = row.get("collection")
    if not collection:
        return f"on {row['measure']}"
    place = "over all collections" if collection == "macro" else f"in {collection}"
    return f"on {row['measure']} {place}"


def by_view(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    views: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        views.setdefault(where(row), []).append(row)
    return views


def check_standings(page: Page, rows: list[dict[str, Any]], method: str) -> None:
    """The standings of each view are these records; a design may have further columns."""
    for view, own in by_view(rows).items():
        table = page.table(f"Standings {view}")
        tied = [bool(row["tied_with_best"]) for row in own]
        for row, record, is_tied in zip(own, table.records, tied, strict=True):
            expected = {
                "rank": str(row["rank"]),
                "run": row["run"],
                "mean": shown(row["mean"]) + ("*" if is_tied and sum(tied) > 1 else ""),
                f"{method} interval": f"[{shown(row['low'])}, {shown(row['high'])}]",
                "rank set": ranks(row["rank_low"], row["rank_high"]),
                "own set": ranks(row["own_rank_low"], row["own_rank_high"]),
            }
            assert {name: record[name] for name in expected} == expected
            if row["first_share"] is not None:
                assert record["first"] == shown(row["first_share"])
            assert record.get("note", "") == row["note"]
            share = row["judged_share"]
            assert record.get("judged", "100%") == (f"{share:.0%}" if share is not None else "100%")
        assert ["on" in classes for classes in table.classes] == tied


def check_comparisons(
    page: Page, rows: list[dict[str, Any]], baseline: str, method: str = "t"
) -> None:
    """The comparisons with a baseline in each view are these records."""
    views = by_view([row for row in rows if row["baseline"] == baseline])
    for view, own in views.items():
        table = page.table(f"Comparisons with {baseline} {view}")
        first, *records = table.records
        assert first["run"] == baseline
        assert first["mean"] == shown(own[0]["baseline_mean"])
        assert [first[name] for name in table.headers[2:]] == [""] * len(table.headers[2:])
        by_run = {row["run"]: row for row in own}
        significant_rows = [False, *(by_run[one["run"]]["p_adjusted"] < 0.05 for one in records)]
        assert ["on" in classes for classes in table.classes] == significant_rows
        assert ["base" in classes for classes in table.classes] == [True] + [False] * len(own)
        assert len(records) == len(by_run) == len(own)
        for record in records:
            row = by_run[record["run"]]
            significant = "*" if row["p_adjusted"] < 0.05 else ""
            assert record["mean"] == shown(row["mean"])
            assert record["difference"] == shown(row["difference"]) + significant
            assert (
                record[f"{method} 95% interval"] == f"[{shown(row['low'])}, {shown(row['high'])}]"
            )
            assert record["p"] == probability(row["p_t"])
            assert record["p Holm"] == probability(row["p_adjusted"])
            for name, key in (("Glass's Δ", "glass_delta"), ("Hedges' gz", "hedges_gz")):
                assert record.get(name, "") == ("" if row[key] is None else shown(row[key]))
            if row["wins"] is not None:
                assert record["W/T/L"] == f"{row['wins']}/{row['ties']}/{row['losses']}"
            told_below = (" missing", "one repeat")
            words = [word for word in row["note"].split(", ") if not word.endswith(told_below)]
            assert record.get("note", "") == ", ".join(words)


def test_the_figures_are_those_of_rank_and_compare(confint: Confint) -> None:
    scores = ("-q", SAMPLES / "qrels.txt", *RUNS, "-m", "map,P_10", "--quiet")
    page = page_of(confint("report", *scores, "--baseline", "bm25,tfidf"))
    check_standings(page, rows_of(confint("rank", *scores, "-f", "json")), "t 95%")
    rows = rows_of(confint("compare", *scores, "--baseline", "bm25,tfidf", "-f", "json"))
    check_comparisons(page, rows, "bm25")
    check_comparisons(page, rows, "tfidf")
    assert "Holm correction for 13 comparisons" in page.words


def test_the_figures_of_other_options(confint: Confint) -> None:
    options = ("--method", "bca", "--level", 0.9, "--seed", 3, "--resamples", 2000, "-m", "map",
               "--missing", "drop", "--every", 2, "--quiet")  # fmt: skip
    page = page_of(confint("report", *EVALS, *options))
    check_standings(page, rows_of(confint("rank", *EVALS, *options, "-f", "json")), "bca 90%")


@pytest.mark.long
def test_the_figures_of_a_real_track(data: Path, confint: Confint) -> None:
    paths = sorted((data / "soboroff2014" / "trec8.adhoc").glob("*.eval"))
    scores = (*paths, "-m", "map,P_10", "--quiet")
    result = confint("report", *scores, "--baseline", "ok8alx")
    page = page_of(result)
    rows = rows_of(confint("rank", *scores, "-f", "json"))
    assert len(rows) == 2 * 129
    check_standings(page, rows, "t 95%")
    rows = rows_of(confint("compare", *scores, "--baseline", "ok8alx", "-f", "json"))
    check_comparisons(page, rows, "ok8alx")
    assert len(result.out.encode()) < 1_000_000


def test_every_table_has_the_digits_asked_for(confint: Confint) -> None:
    page = page_of(confint("report", *EVALS, "-m", "map", "--quiet", "--digits", 2))
    assert page.table("Standings on map").column("mean")[0] == "0.35"
    topics = page.table("Topics and scores on map, the hardest topic first")
    assert topics.column("mean")[0] == "0.01"


def test_signatures_are_those_of_the_commands(confint: Confint) -> None:
    scores = (*EVALS, "-m", "map", "--quiet")
    page = page_of(confint("report", *scores, "--baseline", "bm25"))
    for call in (("rank",), ("compare", "--baseline", "bm25")):
        signature = json.loads(confint(*call, *scores, "-f", "json").out)["signature"]
        assert "|".join(f"{key}:{value}" for key, value in signature.items()) in page.text


# What the page says


def test_what_it_was_computed_from_and_the_result(confint: Confint) -> None:
    args = ("-q", SAMPLES / "qrels.txt", *RUNS, "-m", "map,P_10")
    words = page_of(confint("report", *args)).words
    said = "Standings of 8 runs 8 runs on 50 topics. Measures: map and P_10, scored against"
    assert said in words
    assert "against qrels.txt. map hybrid has the highest mean, 0.3531 [0.2815, 0.4246]." in words
    assert "[0.2815, 0.4246]. hybrid is ahead of all 7 other runs at 95%." in words
    assert "P_10 hybrid has the highest mean, " in words
    assert ". The first 4 of 8 runs cannot be told apart at 95%." in words


def test_a_title_of_ones_own(confint: Confint) -> None:
    result = confint("report", *EVALS, "-m", "map", "--title", "Tom & Jerry's <track>")
    assert "<title>Tom &amp; Jerry&#x27;s &lt;track&gt;</title>" in result.out
    assert "<h1>Tom &amp; Jerry&#x27;s &lt;track&gt;</h1>" in result.out


def test_groups_of_runs_are_set_apart(confint: Confint) -> None:
    table = page_of(confint("report", *EVALS, "-m", "map")).table("Standings on map")
    assert ["first" in classes for classes in table.classes] == [
        False, True, False, False, False, False, False, True
    ]  # fmt: skip
    assert ["odd" in classes for classes in table.classes] == [False, *[True] * 6, False]


def test_without_a_baseline_the_page_says_how_to_choose_one(confint: Confint) -> None:
    page = page_of(confint("report", *EVALS, "-m", "map"))
    assert "No baseline was chosen. confint report --baseline RUN compares" in page.words
    assert not [table for table in page.tables if "compared with" in table.caption]
    assert "confint compare" not in page.words


def test_a_baseline_that_is_a_file_of_its_own(confint: Confint) -> None:
    others = [path for path in EVALS if path.stem != "bm25"]
    page = page_of(confint("report", *others, "-m", "map", "--baseline", EVALS[1]))
    assert EVALS[1].stem == "bm25"
    assert page.table("Comparisons with bm25 on map").rows[0][0] == "bm25"
    assert "bm25" in page.table("Standings on map").column("run")
    assert str(SAMPLES) not in page.source
    two = f"{EVALS[0]},{EVALS[1]}"
    page = page_of(confint("report", *EVALS[2:], "-m", "map", "--baseline", two))
    names = ",".join(path.name for path in EVALS[:2])
    assert f"confint compare --baseline {names} -m map FILES" in page.text
    assert str(SAMPLES) not in page.source


def test_p_is_by_the_correction_asked_for(confint: Confint) -> None:
    args = (*EVALS, "-m", "map", "--baseline", "bm25", "--correct")
    table = page_of(confint("report", *args, "bh")).table("Comparisons with bm25 on map")
    assert "p Benjamini-Hochberg" in table.headers
    result = confint("report", *args, "bonferroni")
    page = page_of(result)
    assert "p Bonferroni" in page.table("Comparisons with bm25 on map").headers
    assert "Bonferroni correction for 7 comparisons" in page.words
    assert "use --correct holm" in result.err
    assert "--correct holm" not in page.words  # who reads the page has no choice
    page = page_of(confint("report", *args, "none"))
    assert not [name for name in page.tables[1].headers if name.startswith("p ")]
    assert "not corrected for 7 comparisons" in page.words


def test_a_method_that_is_for_scores_only(confint: Confint) -> None:
    result = confint("report", *EVALS, "-m", "map", "--method", "logit", "--baseline", "bm25")
    page = page_of(result)
    said = "logit is only for scores from 0 to 1: differences from a baseline have t intervals"
    assert said in result.err
    assert said in page.words
    assert "t 95% interval" in page.table("Comparisons with bm25 on map").headers
    assert "confint rank -m map --method logit FILES" in page.text
    assert "confint compare --baseline bm25 -m map FILES" in page.text


def test_calls_that_find_the_same(confint: Confint) -> None:
    args = ("-q", SAMPLES / "qrels.txt", "-m", "AP,P@10", "-m", "RR", "--level", "90", *RUNS)
    options = ("--baseline", SAMPLES / "runs/bm25.run", "--correct", "bh", "--jobs", 1, "--quiet")
    text = page_of(confint("report", *args, *options)).text
    assert "confint rank -q qrels.txt -m AP,P@10 -m RR --level 0.9 FILES\n" in text
    assert ("confint compare --baseline bm25.run --correct bh -q qrels.txt -m AP,P@10 -m RR "
            "--level 0.9 FILES\n") in text  # fmt: skip


COMMANDS = {name: cli.get_command(click.Context(cli), name)
            for name in cli.list_commands(click.Context(cli))}  # fmt: skip
COMPUTING = {  # the parameters of report that change its numbers, or whether there are any
    "baseline", "correct", "paired_repeats", "effect_intervals", "margin", "qrels", "judge_qrels",
    "judge_scores", "unjudged", "measure", "missing", "topics", "every", "rel_level",
    "input_format", "run_names", "labels", "groups", "group_weight", "name_from", "measure_name",
    "keep_going", "for_new", "standardize", "method", "level", "resamples", "draws", "strict",
    "seed", "digits",
}  # fmt: skip
NO_PATHS = {"NAME", "TEXT", "URL", "N", "K", "B", "C", "D"}


def parameters_of(command: str) -> dict[str, click.Parameter]:
    found = COMMANDS[command]
    assert found is not None
    return {str(parameter.name): parameter for parameter in found.params}


def test_every_parameter_is_in_the_calls_that_find_the_same_or_changes_no_number() -> None:
    own, left_out = {*parameters_of("report")}, {*report_command._NOT_COMPUTED_WITH}
    assert own == COMPUTING | left_out
    assert not COMPUTING & left_out
    assert {*parameters_of("rank"), *parameters_of("compare")} >= COMPUTING


def test_every_option_that_only_comparisons_have_is_known() -> None:
    of_both = parameters_of("report").keys() & parameters_of("compare")
    only = {*report_command._OF_COMPARISONS, "baseline"}
    assert of_both - parameters_of("rank").keys() == only


def test_the_help_says_of_every_option_whether_it_takes_a_path() -> None:
    """Or a folder might be on the page that is private."""
    words = {name: {*(own.metavar or "").split("|")} for name, own in
             parameters_of("report").items() if name != "files"}  # fmt: skip
    taking = {name for name, own in words.items() if own & report_command._PATHS}
    assert taking == {"qrels", "judge_qrels", "judge_scores", "topics", "run_names", "labels",
                      "groups", "standardize", "baseline", "output"}  # fmt: skip
    others = {word for own in words.values() for word in own if word.isupper()}
    assert others - report_command._PATHS <= NO_PATHS


def test_standardised_scores_are_ranked_and_said_to_be(confint: Confint) -> None:
    args = (*EVALS, "-m", "map", "--standardize", "all", "--quiet")
    page = page_of(confint("report", *args))
    check_standings(page, rows_of(confint("rank", *args, "-f", "json")), "t 95%")
    assert "Standardised scores: standard deviations above the mean of all 8 runs" in page.words


# Pictures


def test_pictures_show_the_numbers_beside_them(confint: Confint) -> None:
    """On one scale for all rows: a place is a straight line of the value that it stands for."""
    args = (*EVALS, "-m", "map", "--quiet")
    rows = rows_of(confint("rank", *args, "-f", "json"))
    source = confint("report", *args).out
    number = r"(-?[\d.]+)"
    found = re.findall(
        rf'=true><path class=i d="M{number} 4v6m0-3H{number}m0-3v6"/><circle cx={number} />',
        source,
    )  # fmt: skip
    assert "<path class=d" not in source  # nothing that invites to compare intervals by eye
    lows, highs, values = np.array(found[::2], dtype=float).T  # of means; those of ranks between
    assert len(values) == 8
    expected = np.array([[row["low"], row["high"], row["mean"]] for row in rows])
    slope, start = np.polyfit(expected.ravel(), np.array([lows, highs, values]).T.ravel(), 1)
    np.testing.assert_allclose(
        np.array([lows, highs, values]).T, start + slope * expected, atol=0.1
    )
    assert slope > 0
    drawn = np.array(found[1::2], dtype=float)
    ranks = np.array([[row["rank_low"], row["rank_high"], row["rank"]] for row in rows])
    np.testing.assert_allclose(drawn, 8 + (ranks - 1) * 164 / 7, atol=0.06)


def test_ticks_of_topics_are_the_scores_of_runs(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "task.tsv", {
        "a": {"m": [0.5, 1.0]}, "b": {"m": [0.5, 0.0]}, "c": {"m": [0.25, 0.5]},
    })  # fmt: skip
    source = confint("report", path).out
    ticks = re.findall(r'<path class=t d="([^"]*)"/><path class=a d="M([\d.]+) 0v14"', source)
    assert ticks == [("M49 3v8m41-8v8", "76.3"), ("M8 3v8m82-8v8m82-8v8", "90")]


# Topics


def test_the_table_of_topics(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "task.tsv", {
        "a": {"m": [0.5, 0.0, 0.9]}, "b": {"m": [0.5, 0.0, 0.3]}, "c": {"m": [0.1, 0.0, 0.2]},
    })  # fmt: skip
    page = page_of(confint("report", path))
    table = page.table("Topics and scores on m, the hardest topic first")
    assert table.headers == ["topic", "mean", "scores of runs", "best", "best run"]
    assert table.column("topic") == ["2", "1", "3"]
    assert table.column("mean") == ["0.0000", "0.3667", "0.4667"]
    assert table.column("best") == ["0.0000", "0.5000", "0.9000"]
    assert table.column("best run") == ["all runs equal", "a, b", "a"]


def strip_of(page: Page, run: str) -> list[float]:
    """Return the scores that the page's script draws in the first strip of a run; NaN: missing."""
    row = re.search(rf'<th scope=row>{run}<td>[^<]*<td class=s data-s="([^"]*)"', page.source)
    assert row is not None
    if " " in row[1] or "." in row[1]:
        return [float("nan") if score == "-" else float(score) for score in row[1].split(" ")]
    pieces = ["".join(piece) for piece in zip(*[iter(row[1])] * 3, strict=True)]
    return [float("nan") if piece == "---" else int(piece, 36) / 10_000 for piece in pieces]


def test_strips_have_the_scores(confint: Confint) -> None:
    args = ("-q", SAMPLES / "qrels.txt", *RUNS, "-m", "map", "--quiet")
    page = page_of(confint("report", *args))
    scores = confint("score", *args, "--digits", 17).rows
    order = page.table("Topics and scores on map, the hardest topic first").column("topic")
    by_topic = {topic: [float(row[3]) for row in scores if row[1] == topic] for topic in order}
    means = [sum(by_topic[topic]) / 8 for topic in order]
    assert all(before <= after for before, after in pairwise(means))
    for run in ("hybrid", "keyword"):
        own = {row[1]: float(row[3]) for row in scores if row[0] == run}
        np.testing.assert_allclose(strip_of(page, run), [own[t] for t in order], atol=0.5001e-4)
    assert 'data-edges="0 0.1 0.25 0.5 0.75"' in page.source
    lacking = {"347", "348", "349", "350"}
    assert np.isnan(strip_of(page, "early-stop")).tolist() == [t in lacking for t in order]
    assert "missing, counted as 0" in page.words


def test_strips_of_scores_beyond_0_and_1(tmp_path: Path, confint: Confint) -> None:
    scores = {"a": {"m": [-1.5, 0.0, 12.25]}, "b": {"m": [-1.0, 2.5]}}
    page = page_of(confint("report", write(tmp_path / "task.tsv", scores)))
    assert strip_of(page, "a") == [-1.5, 0.0, 12.25]
    np.testing.assert_array_equal(strip_of(page, "b"), [-1.0, 2.5, np.nan])
    assert "data-shares" not in page.source.split("<script>")[0]


def test_many_topics_share_cells(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(5)
    scores = {run: {"m": random.random(1000).round(3).tolist()} for run in "ab"}
    result = confint("report", write(tmp_path / "task.tsv", scores))
    page = page_of(result)
    assert len(strip_of(page, "a")) == 334
    assert "Each cell is the mean of 3 topics of similar difficulty." in page.words
    assert len(page.table("Topics and scores on m, the hardest topic first").rows) == 400
    assert "This table leaves out the 600 easiest topics." in page.words
    assert len(result.out) < 150_000


# Caveats


def test_every_reason_for_doubt_is_a_caveat(tmp_path: Path, confint: Confint) -> None:
    zeros = [0.0] * 28 + [0.4, 0.6]
    good = [0.1 + place / 50 for place in range(30)]
    path = write(tmp_path / "task.tsv", {
        "good": {"m": good}, "copy": {"m": good}, "poor": {"m": zeros}, "none": {"m": [0.0] * 30},
        "short": {"m": good[:-3]},
    })  # fmt: skip
    result = confint("report", path)
    words = page_of(result).words
    said = "the same score on so many topics that no interval has its stated coverage"
    assert f"1 run has {said}: poor." in words
    assert "1 run has only zeros: none." in words
    assert "1 run lacks some of the 30 topics: short lacks 3; scored 0 there" in words
    assert "some runs have the same scores on all topics: good and copy" in words
    for line in result.err.splitlines():
        said = line.removeprefix("confint: ").removeprefix("note: ")
        assert said.replace("warning:", "Warning:") in words
    assert len(result.err.splitlines()) >= 2
    quiet = confint("report", path, "--quiet")
    assert (quiet.out, quiet.err) == (result.out, "")


def test_runs_too_skewed_for_t_are_named(confint: Confint) -> None:
    said = (
        "1 run is so skewed that t intervals from 50 topics usually cover less often than stated: "
        "keyword."
    )
    assert said in page_of(confint("report", *EVALS, "-m", "map")).words
    other = confint("report", *EVALS, "-m", "map", "--method", "bootstrap-t")
    assert "so skewed" not in page_of(other).words


def test_what_only_the_caller_can_choose_is_not_a_caveat(confint: Confint) -> None:
    result = confint("report", *EVALS)
    assert "choose others with -m" in result.err
    assert "choose others" not in page_of(result).words


def test_details_are_not_for_the_page(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(2)
    runs = {f"r{place}": {"m": random.random(20 - place % 2).tolist()} for place in range(24)}
    path = write(tmp_path / "task.tsv", runs)
    plain, verbose = confint("report", path), confint("report", path, "-v")
    assert "r23 lacks 1" in verbose.err
    assert "r23 lacks 1" not in verbose.out
    assert verbose.out == plain.out


def test_runs_that_are_the_same_by_one_measure(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "task.tsv", {
        "a": {"m": [0.1, 0.2, 0.4], "n": [1, 0, 1]}, "b": {"m": [0.1, 0.3, 0.5], "n": [1, 0, 1]},
        "c": {"m": [0, 0, 0.1], "n": [0, 0, 1]}, "d": {"m": [0, 0, 0.1], "n": [0, 0, 1]},
    })  # fmt: skip
    words = page_of(confint("report", path)).words
    assert "On n, some runs have the same scores on all topics: a and b." in words
    assert words.count("d and c") == words.count("same scores as c") - 1 == 1


def test_a_page_without_caveats_says_so(confint: Confint) -> None:
    paths = [path for path in EVALS if path.stem in ("bm25", "hybrid")]
    words = page_of(confint("report", *paths, "-m", "map")).words
    assert "confint found nothing unusual in the scores." in words


def test_notices_do_not_name_folders(tmp_path: Path, confint: Confint) -> None:
    folder = tmp_path / "private"
    folder.mkdir()
    for name in ("bm25", "hybrid"):
        text = (SAMPLES / f"trec_eval/{name}.eval").read_text()
        (folder / f"{name}.eval").write_text(re.sub(r"(map\s+all\s+)\S+", r"\g<1>0.9", text))
    result = confint("report", *sorted(folder.glob("*.eval")), "-m", "map")
    assert str(folder) in result.err
    assert "private" not in result.out
    assert "bm25.eval: the mean of" in page_of(result).words


# Hostile names


def hostile(tmp_path: Path) -> Path:
    random = np.random.default_rng(11)
    path = tmp_path / "hostile.jsonl"
    lines = [
        json.dumps({"run": run, "topic": topic, "measure": "<b>m</b>", "score": score})
        for run in HOSTILE
        for topic, score in zip(
            ["<i>1</i>", '" onload="x', "\x1b]0;t\x07", *"456789"], random.random(9), strict=True
        )
    ]
    path.write_text("\n".join([*lines, ""]))
    return path


def test_names_of_strangers_are_text(tmp_path: Path, confint: Confint) -> None:
    args = (hostile(tmp_path), "--baseline", HOSTILE[0], "--title", HOSTILE[1])
    result = confint("report", *args)
    page = page_of(result)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"img", "b", "a1", "object", "iframe", "link"}
    assert [tag for tag, _ in page.elements].count("script") == 1
    attributes = {key for _, own in page.elements for key in own}
    assert not [key for key in attributes if key.startswith("on") or key == "style"]
    names = set(page.table("Standings on <b>m</b>").column("run"))
    assert {HOSTILE[0], HOSTILE[1], HOSTILE[2], "\\e[31mred\\e[0m", HOSTILE[5]} <= names
    assert "\\u202eevil\\u202c" in names
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", result.out)
    assert "<bdi>שלום-עולם</bdi>" in result.out
    topics = page.table("Topics and scores on <b>m</b>, the hardest topic first").column("topic")
    assert {"<i>1</i>", '" onload="x', "\\e]0;t\\x07"} <= set(topics)


@pytest.mark.parametrize(
    ("words", "markup"),
    [
        ("ahead of שלום, 5 <more>", "ahead of <bdi>שלום</bdi>, 5 &lt;more&gt;"),
        ("run-שלום עולם5' at 95%.", "<bdi>run-שלום עולם5&#x27;</bdi> at 95%."),
        ("שלום.", "<bdi>שלום</bdi>."),
        ("a <b> c", "a &lt;b&gt; c"),
    ],
)
def test_right_to_left_words_of_a_sentence_keep_to_themselves(words: str, markup: str) -> None:
    assert prose(words) == markup


# The page as such


def test_the_page_allows_its_own_style_and_script_only(confint: Confint) -> None:
    out = confint("report", *EVALS, "-m", "map").out
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', out)
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", out, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    page = Page(out)
    for tag, own in page.elements:
        assert not own.keys() & {"src", "srcset", "action", "style"}, tag
        assert own.get("href", "#").startswith("#"), tag
    assert "url(" not in out
    assert "http://" not in out
    assert "https://" not in out


def test_links_lead_somewhere_and_no_id_comes_twice(confint: Confint) -> None:
    args = (*EVALS, "-m", "map,P_10", "--baseline", "bm25,tfidf")
    page = page_of(confint("report", *args))
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))
    targets = [own["href"][1:] for tag, own in page.elements if tag == "a"]
    assert len(targets) == 8
    assert set(targets) <= set(ids)


def test_the_page_is_accessible(confint: Confint) -> None:
    page = page_of(confint("report", *EVALS, "-m", "map", "--baseline", "bm25"))
    assert page.elements[0] == ("html", {"lang": "en", "dir": "ltr"})
    for tag, own in page.elements:
        if tag == "th":
            assert own["scope"] in ("row", "col")
        if tag == "svg":
            assert own.get("aria-hidden") == "true" or (own["role"] == "img" and own["aria-label"])
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_is_the_same_however_much_is_told_beside_it(confint: Confint) -> None:
    first = confint("report", *EVALS, "-m", "map", "--quiet").out
    assert confint("report", *EVALS, "-m", "map", "-v").out == first


def test_too_few_topics_for_limits(tmp_path: Path, confint: Confint) -> None:
    """Intervals without ends have arrows, and no number of the page is infinite but in words."""
    path = write(tmp_path / "task.tsv", {"a": {"m": [0.5, 0.6]}, "b": {"m": [0.1, 0.3]}})
    result = confint("report", path, "--baseline", "a", "--method", "bootstrap-t")
    page = page_of(result)
    assert "too few" in page.words
    for path_data in re.findall(r' d="([^"]*)"', page.source):
        assert "inf" not in path_data
        assert "nan" not in path_data
    assert "2 topics are few" in page.words


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([-0.1, 0.53], ["0", "0.2", "0.4"]),
        ([0.28151, 0.28153], ["0.281510", "0.281520", "0.281530"]),
        ([0, 0], ["−0.4", "−0.2", "0", "0.2", "0.4"]),
        ([3, 3], ["2", "3", "4"]),
        ([5e-324], ["−0.4", "−0.2", "0", "0.2", "0.4"]),
        ([-1e100, 1e100], ["−1.0e+100", "0", "1.0e+100"]),
        ([float("-inf"), 1, 2], ["1.0", "1.2", "1.4", "1.6", "1.8", "2.0"]),
    ],
)
def test_an_axis_has_round_numbers(values: list[float], numbers: list[str]) -> None:
    assert re.findall(r">([^<]+)</text>", axis(scale_of(values))) == numbers


# Where the page goes


def test_a_file_gets_what_standard_output_would(tmp_path: Path, confint: Confint) -> None:
    out = tmp_path / "report.html"
    result = confint("report", *EVALS, "-m", "map", "-o", out, "--quiet")
    assert (result.status, result.out, result.err) == (0, "", "")
    text = confint("report", *EVALS, "-m", "map", "--quiet").out
    assert out.read_text(encoding="utf-8") == text
    assert confint("report", *EVALS, "-m", "map", "--quiet", "-o", "-").out == text
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("standings.md", "the page is HTML, and 'standings.md' does not end in .html"),
        ("report.pdf", "the page is HTML, and 'report.pdf' does not end in .html"),
        ("report", "the page is HTML, and 'report' does not end in .html"),
        ("page/", "'page/' is a folder, but the page is one file"),
        ("missing/report.html", "cannot write"),
    ],
)
def test_where_it_cannot_go_is_refused_before_the_work(
    output: str, problem: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = confint("report", *EVALS, "-m", "map", "-o", output)
    assert result.status == 2
    assert problem in result.err
    assert list(tmp_path.iterdir()) == []


def test_an_input_is_not_written_over(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "a.html"
    path.write_text(EVALS[0].read_text())
    result = confint("report", path, EVALS[1], "-m", "map", "-o", path)
    assert result.status == 2
    assert "-o would overwrite an input" in result.err
    assert path.read_text() == EVALS[0].read_text()


def test_an_error_leaves_no_file(tmp_path: Path, confint: Confint) -> None:
    out = tmp_path / "report.html"
    result = confint("report", *EVALS, "-m", "map", "--baseline", "bn25", "-o", out)
    assert result.status == 2
    assert "did you mean bm25?" in result.err
    result = confint("report", EVALS[0], "-m", "map", "-o", out)
    assert result.status == 1
    assert "it is the only run" in result.err
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_gets_a_hint_and_no_page() -> None:
    import pty

    ours, theirs = pty.openpty()
    call = [sys.executable, "-m", "confint_cli", "report", *map(str, EVALS), "-m", "map"]
    done = subprocess.run(
        call, stdout=theirs, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2
    assert done.stderr == (
        "confint: a page of HTML is not for a terminal\n"
        "  hint: -o report.html writes it to a file\n"
    )


def test_options_that_mean_nothing_are_not_there(confint: Confint) -> None:
    for option in ("-f", "--sort", "--signature", "--all-pairs"):
        assert confint("report", *EVALS, option).status == 2
    assert confint("report", *EVALS, "--method", "t,bca").status == 2
    assert confint("report", *EVALS, "--level", "0.9,0.95").status == 2


def test_a_correction_of_nothing_is_spoken_of(confint: Confint) -> None:
    args = ("report", *EVALS, "-m", "map", "--correct", "max-t", "--draws", 99)
    said = "note: --correct is for comparisons, which need --baseline: it makes no difference"
    result = confint(*args)
    assert said in result.err
    assert "makes no difference" not in result.out  # which is not for who reads the page
    assert said not in confint(*args, "--baseline", "bm25").err
