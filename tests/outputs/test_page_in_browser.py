"""The page of `confint report` as a reader meets it, in Chromium and in Firefox.

Pointer and keys are real, and figures are compared with what other commands print. The tests of a
browser that is not installed are skipped.
"""

import io
import re
import statistics
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pypdf
import pytest

from confint_cli.common.text import visible, visible_name, with_guard
from confint_cli.outputs.latex import beyond_pdflatex, escape, math
from tests import browsers
from tests.browsers import DESKTOP, Browser, violations
from tests.conftest import SAMPLES, Confint
from tests.outputs.page_reader import RUN, Reader, Table
from tests.outputs.page_samples import (
    COLLECTIONS,
    JUDGE,
    JUDGE_FILE,
    JUDGED,
    KINDS,
    MEASURES,
    STRANGE,
    SUITE,
    TOPICS,
    Pages,
)
from tests.outputs.test_outputs import check_it_compiles, needs_pdflatex
from tests.studies.test_report import HOSTILE, rows_of

PHONE = (390, 800, True)
# What a saved file says is the same in every browser.
IN_ONE = pytest.mark.parametrize("started", ["chromium"], indirect=True)
TOGETHER = "all 3 collections together"
LACKING = [("early-stop", topic) for topic in ("347", "348", "349", "350")]
ROUNDED = 0.000051  # what a score on the page may be beside the exact one


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    return Pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def started(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    browser: Browser = getattr(browsers, request.param)(tmp_path_factory.mktemp(request.param))
    yield browser
    browser.quit()


@pytest.fixture
def reader(started: Browser, pages: Pages) -> Iterator[Reader]:
    """A reader at a desktop; in the end, nothing may have gone wrong on the page last opened.

    That is an error of a script, a dialog, or something that the policy of the page forbids.
    """
    started.resize(*DESKTOP)
    started.scheme("light")
    yield Reader(started, pages)
    started.scripts(True)
    started.media("")
    assert started.said() == []
    assert started.requested() == []


@pytest.fixture(scope="session")
def axe() -> str:
    return browsers.axe()


def scores_by_map(reader: Reader, confint: Confint) -> dict[str, dict[str, float]]:
    """Return the scores of each run of the plain page on the topics that it has."""
    scores: dict[str, dict[str, float]] = {}
    for row in rows_of(confint("score", *reader.pages.scored, "-f", "json", "--quiet")):
        if row["measure"] == "map" and (row["run"], row["topic"]) not in LACKING:
            scores.setdefault(row["run"], {})[row["topic"]] = row["score"]
    return scores


def number(value: float) -> str:
    return f"{value:.4f}".replace("-0.0000", "0.0000")


def probability(value: float) -> str:
    return "<0.0001" if value < 0.00005 else number(value)


# Sorting


def test_a_click_sorts_by_number_and_by_name(reader: Reader) -> None:
    reader.open("plain")
    by_rank = reader.table("standings").column("run")
    means = [float(text.rstrip("*")) for text in reader.table("standings").column("mean")]
    assert len(by_rank) == 8
    assert means == sorted(means, reverse=True)
    reader.sort("standings", "mean")  # the best first, as it is
    assert reader.table("standings").column("run") == by_rank
    assert reader.table("standings").sorted_by == {"mean": "descending"}
    reader.sort("standings", "mean")
    assert reader.table("standings").column("run") == by_rank[::-1]
    assert reader.table("standings").sorted_by == {"mean": "ascending"}
    reader.sort("standings", "run")
    names = reader.table("standings").column("run")
    assert [name for name in names if name[0] != "<"] == [
        "bm25", "bm25-rm3", "dense", "dense-v2", "early-stop", "hybrid", "keyword"
    ]  # fmt: skip
    assert reader.table("standings").sorted_by == {"run": "ascending"}
    reader.sort("standings", "run")
    assert reader.table("standings").column("run") == names[::-1]


def test_numbers_are_sorted_as_numbers(reader: Reader) -> None:
    """`10` comes after `9`, `<0.0001` before `0.0927`, and an interval by its lower end."""
    reader.open("plain")
    reader.sort("comparisons-1", "p")
    texts = reader.table("comparisons-1").column("p")
    assert texts[-1] == ""  # the baseline itself
    values = [float(text.removeprefix("<")) for text in texts[:-1]]
    assert values == sorted(values)
    assert texts[0] == "<0.0001"
    reader.sort("comparisons-1", "p")
    assert reader.table("comparisons-1").column("p") == [*texts[-2::-1], ""]
    reader.sort("comparisons-1", "t 95% interval")
    texts = reader.table("comparisons-1").column("t 95% interval")
    lows = [float(text.strip("[]").split(",")[0]) for text in texts[:-1]]
    assert lows == sorted(lows)
    assert min(lows) < 0 < max(lows)
    reader.sort("comparisons-1", "W/T/L")
    texts = reader.table("comparisons-1").column("W/T/L")
    wins = [int(text.split("/")[0]) for text in texts[:-1]]
    assert wins == sorted(wins, reverse=True)
    assert {len(str(number)) for number in wins} == {1, 2}


def test_topics_are_sorted_by_how_far_runs_spread(reader: Reader, confint: Confint) -> None:
    reader.open("plain")
    scores = scores_by_map(reader, confint)
    reader.sort("topics", "scores of runs")
    topics = reader.table("topics").column("topic")
    spreads = [statistics.pstdev(own.get(topic, 0) for own in scores.values()) for topic in topics]
    assert spreads == pytest.approx(sorted(spreads), abs=1e-6)
    assert len(spreads) == 50


def test_enter_and_space_sort_and_the_focus_stays(reader: Reader) -> None:
    reader.open("plain")
    before = reader.table("standings").column("run")
    reader.browser.click("#find")
    reader.browser.press("Tab", "Tab")  # the box, and its first header
    here = "return [document.activeElement.textContent, scrollY]"
    name, height = reader.browser.run(here)
    assert name == "rank"
    reader.browser.press("Enter")
    assert reader.table("standings").sorted_by == {"rank": "ascending"}
    reader.browser.press("Space")
    assert reader.table("standings").sorted_by == {"rank": "descending"}
    assert reader.table("standings").column("run") == before[::-1]
    assert reader.browser.run(here) == ["rank", height]  # the page has not moved either
    reader.browser.press("Tab", "Enter")
    assert reader.table("standings").sorted_by == {"run": "ascending"}


def test_shading_is_shown_only_in_the_order_of_the_ranks(reader: Reader) -> None:
    def colours() -> int:
        script = (
            "return [...document.querySelector('table').tBodies[0].rows]"
            ".map(row => getComputedStyle(row.cells[0]).backgroundColor)"
        )
        return len(set(reader.browser.run(script)))

    reader.open("plain")
    assert colours() == 2
    reader.sort("standings", "run")
    reader.browser.point("h1")  # the row below the pointer has a colour of its own
    assert colours() == 1
    reader.sort("standings", "rank")
    reader.browser.point("h1")
    assert colours() == 2


def test_tables_of_all_views_are_sorted_alike(reader: Reader) -> None:
    reader.open("suite")
    reader.sort("standings", "run")
    reader.sort("standings", "run")
    reader.choose_each("Measure")
    reader.choose_each("Collection")
    every = [one for one in reader.tables() if one.kind == "standings"]
    assert len(every) == 8
    assert [one.column("run") for one in every] == [["hybrid", "dense", "bm25"]] * 8
    reader.sort("standings", "run")
    every = [one for one in reader.tables() if one.kind == "standings"]
    assert [one.column("run") for one in every] == [["bm25", "dense", "hybrid"]] * 8
    assert {one.kind for one in reader.tables() if one.sorted_by} == {"standings"}


# Search


def test_search_filters_the_runs_of_all_tables(reader: Reader) -> None:
    """But for the baseline in its comparisons, as what others are compared with."""

    def shown() -> list[list[str]]:
        return [sorted(one.column("run")) for one in reader.tables() if "run" in one.headers]

    reader.open("plain")
    assert reader.found() == "8 runs"
    topics = reader.table("topics").column("topic")
    reader.find("DENSE")
    assert reader.found() == "2 of 8 runs"
    names = ["dense", "dense-v2"]
    assert shown() == [names, ["bm25", *names], names]
    assert reader.table("topics").column("topic") == topics
    reader.choose_each("Measure")  # with tables that were not there before
    assert shown() == [names, names, ["bm25", *names], ["bm25", *names], names, names]
    assert reader.found() == "2 of 8 runs"
    for words, number_of_runs in {"-rm": 1, "no such run": 0, "<script>": 1, "  e ": 5}.items():
        reader.find(words)
        assert reader.found() == f"{number_of_runs} of 8 runs"
        assert [len({*names} - {"bm25"}) for names in shown()] == [number_of_runs] * 6
    reader.find("")
    assert reader.found() == "8 runs"
    assert [len(names) for names in shown()] == [8] * 6
    reader.open("hostile")
    reader.find("HyperLink(")
    assert [{*names} - {HOSTILE[0]} for names in shown()] == [{'=HYPERLINK("x")'}] * 4


# Scores on topics


def test_the_pointer_names_topic_and_score(reader: Reader, confint: Confint) -> None:
    reader.open("plain")
    scores = scores_by_map(reader, confint)
    order = reader.table("topics").column("topic")
    reader.sort("topics", "topic")  # the cells stay in their order
    lacking = [order.index(topic) for _, topic in LACKING]
    for run, cells in {"hybrid": [0, 1, 25, 48, 49], "early-stop": [0, 49, *lacking]}.items():
        place = reader.table("strips").column("run").index(run)
        for cell in cells:
            topic, score = named(reader, place, (cell + 0.5) / 50)
            assert topic == order[cell]
            if topic in scores[run]:
                assert float(score) == pytest.approx(scores[run][topic], abs=ROUNDED)
            else:
                assert score == "missing"


def named(reader: Reader, place: int, across: float) -> list[str]:
    """Point into a row of colours; return the topic and the score that are named then."""
    reader.browser.point("td.s svg", place, across)
    title: str = reader.browser.run(
        "return document.querySelectorAll('td.s')[arguments[0]].title", place
    )
    return title.removeprefix("topic ").split(": ")


def test_the_scores_of_a_run_are_a_column_of_the_table_of_topics(
    reader: Reader, confint: Confint
) -> None:
    reader.open("plain")
    scores = scores_by_map(reader, confint)["early-stop"]
    plain = reader.table("topics")
    reader.choose(RUN, "early-stop")
    shown = reader.table("topics")
    assert shown.headers == [*plain.headers, "early-stop"]
    column = dict(zip(shown.column("topic"), shown.column("early-stop"), strict=True))
    assert [("early-stop", topic) for topic in sorted(column) if not column[topic]] == LACKING
    for topic, score in scores.items():
        assert float(column[topic]) == pytest.approx(score, abs=ROUNDED)
    for is_up in (True, False):  # what is missing comes last either way
        reader.sort("topics", "early-stop")
        texts = reader.table("topics").column("early-stop")
        assert texts[-4:] == [""] * 4
        values = [float(text) for text in texts[:-4]]
        assert values == sorted(values, reverse=not is_up)
    reader.choose(RUN, "hybrid")  # in its place, and the order is that of the page again
    shown = reader.table("topics")
    assert shown.headers == [*plain.headers, "hybrid"]
    assert shown.column("topic") == plain.column("topic")
    reader.choose(RUN, "no run")
    assert reader.table("topics") == plain


def test_a_run_that_is_chosen_once_is_shown_in_all_views(reader: Reader) -> None:
    reader.open("plain")
    reader.choose_each("Measure")
    reader.choose(RUN, "dense")
    every = [one for one in reader.tables() if one.kind == "topics"]
    assert [one.headers[-1] for one in every] == ["dense", "dense"]


def test_scores_may_be_any_numbers(reader: Reader) -> None:
    reader.open("values")
    runs = reader.table("strips").column("run")
    order = reader.table("topics").column("topic")
    scores = {
        "a": ["-1.5", "12.25", "3", "0.5"], "b": ["2", "-0.25", "7", "1234.5678"],
        "short": ["4", "1", "0.125", "missing"],
    }  # fmt: skip
    for place, run in enumerate(runs):
        said = [named(reader, place, (cell + 0.5) / 4) for cell in range(4)]
        assert said == [[topic, scores[run][int(topic) - 1]] for topic in order]
    reader.choose(RUN, "b")
    reader.sort("topics", "b")
    assert reader.table("topics").column("b") == ["-0.25", "2", "7", "1234.5678"]


def test_cells_of_many_topics_have_names(reader: Reader) -> None:
    """All 310 have, whether the table of topics has them or not; 450 topics share cells."""
    reader.open("many_topics")
    said = [named(reader, 0, (cell + 0.5) / 310) for cell in (0, 299, 300, 309)]
    assert len({topic for topic, _ in said}) == 4
    assert all(0 <= float(score) <= 1 for _, score in said)
    rows = reader.save_rows("strips")
    assert [len(row) for row in rows] == [2 + 310] * 3
    assert len({*rows[0]}) == 2 + 310
    reader.open("too_many_topics")
    assert named(reader, 0, 0.5) == [""]
    assert reader.browser.run("return document.querySelector('.offer')") is None
    assert reader.save_rows("strips")[0] == ["run", "mean"]


# Names of strangers, and what the page allows


def test_names_of_strangers_are_text(reader: Reader) -> None:
    """All views have them, each as it is; nothing runs, and nothing is asked of anybody."""
    reader.open("hostile")
    reader.choose_each("Measure")
    reader.choose_each("Collection")
    names = {visible_name(name) for name in STRANGE}
    shown = reader.tables()
    for one in shown:
        if "run" in one.headers:
            assert set(one.column("run")) == names
        if one.kind == "matrix":
            assert one.headers == ["run", "macro", *sorted(COLLECTIONS, key=one.headers.index)]
        if one.kind == "topics":
            shortened = {name.removesuffix(name[-1]) for name in one.column("topic")}
            assert shortened == {visible(topic) for topic in TOPICS}
    assert len(shown) == 2 * (5 + 3 * 5)
    assert reader.browser.run("return document.scripts.length") == 1
    assert reader.browser.run(FOREIGN) == []
    assert reader.browser.run("return document.title") == HOSTILE[1] + "t" * 300
    assert JUDGE_FILE in reader.browser.run("return document.querySelector('.lead').textContent")
    options = "return [...document.getElementById('measure').options].map(one => one.textContent)"
    assert reader.browser.run(options)[:-1] == MEASURES


FOREIGN = """
return [...document.querySelectorAll('head *, body *')].filter(element =>
  /^(img|b|g|iframe|object)$/i.test(element.tagName)
  || element.tagName === 'I' && element.textContent !== '*'
  || [...element.attributes].some(({ name }) => /^on|^style$/.test(name))
).map(element => element.outerHTML);
"""


def test_the_policy_forbids_what_is_not_of_the_page(reader: Reader) -> None:
    """So that a hole in the escaping would not do harm; the console says what was refused."""
    reader.open("plain")
    attack = """
        const script = document.createElement('script');
        script.textContent = 'window.ran = 1';
        document.body.append(script);
        const inside = document.createElement('div');
        inside.innerHTML = '<img src="nosuch.png" onerror="window.ran = 2">'
          + '<img src="http://127.0.0.1:9/"><a href="javascript:window.ran = 3">x</a>';
        document.body.append(inside);
        inside.querySelector('a').click();
        return new Promise(done => setTimeout(() => done(window.ran ?? null), 300));
    """
    assert reader.browser.run(attack) is None
    refused = reader.browser.said()
    assert len(refused) >= 3
    assert [line for line in refused if not re.search("Content.Security.Policy", line)] == []


# The state of the page is in its address


def test_an_address_shows_what_its_sender_saw(reader: Reader) -> None:
    reader.open("suite")
    assert reader.state() == []
    reader.choose("Collection", "news")
    reader.choose("Measure", "AP")
    reader.sort("standings", "mean")
    reader.sort("standings", "mean")
    reader.choose(RUN, "dense")
    reader.sort("topics", "dense")
    reader.find("e & d=")
    reader.find("En")
    shown = reader.look()
    assert reader.table("standings").caption == "Standings on AP in news"
    assert shown["chosen"] == ["news", "AP", "En", "dense"]
    assert shown["found"] == "1 of 3 runs"
    assert sorted(reader.state()) == [
        ("collection", "news"), ("find", "En"), ("measure", "AP"), ("run", "dense"),
        ("sort", "standings:ascending:mean"), ("sort", "topics:ascending:dense"),
    ]  # fmt: skip
    sent = reader.address()
    reader.browser.reload()
    assert reader.look() == shown
    assert reader.look_of_another("suite") == shown
    reader.open("suite")
    assert reader.look() != shown
    reader.open("suite", sent)  # now the page is there already
    assert reader.look() == shown
    assert reader.address() == sent


def test_all_views_in_turn_are_in_the_address(reader: Reader) -> None:
    reader.open("suite")
    reader.choose_each("Collection")
    reader.choose("Measure", "AP")
    shown = reader.look()
    assert len([one for one in shown["tables"] if one["kind"] == "standings"]) == 4
    assert reader.state() == [("measure", "AP"), ("collections", "all")]
    assert reader.look_of_another("suite") == shown


def test_names_of_strangers_are_in_the_address(reader: Reader) -> None:
    reader.open("hostile")
    reader.sort("matrix", COLLECTIONS[1])
    shown = reader.look()
    assert reader.table("matrix").sorted_by == {COLLECTIONS[1]: "descending"}
    assert reader.look_of_another("hostile") == shown
    reader.choose("Collection", COLLECTIONS[1])
    reader.choose("Measure", MEASURES[1])
    run = "mean:ascending"
    reader.choose(RUN, run)
    reader.sort("topics", run)
    reader.find("&%3C")
    reader.find("<")
    shown = reader.look()
    assert shown["chosen"] == [COLLECTIONS[1], MEASURES[1], "<", run]
    assert reader.table("topics").sorted_by == {run: "ascending"}
    assert sorted(reader.state()) == [
        ("collection", COLLECTIONS[1]), ("find", "<"), ("measure", MEASURES[1]), ("run", run),
        ("sort", f"matrix:descending:{COLLECTIONS[1]}"), ("sort", f"topics:ascending:{run}"),
    ]  # fmt: skip
    assert reader.look_of_another("hostile") == shown


def test_runs_and_collections_may_be_called_as_columns_are(reader: Reader) -> None:
    """Two columns of a table have one name then, and an address tells them apart."""
    reader.open("columns")
    for kind, name in (("matrix", "run"), ("topics", "best")):
        if kind == "topics":
            reader.choose("Collection", "news")
            reader.choose(RUN, "best")
        places = [place for place, one in enumerate(reader.table(kind).headers) if one == name]
        assert len(places) == 2
        for place in places:
            header = f"thead th:nth-child({place + 1}) [role=button]"
            reader.click(f'table[data-kind="{kind}"] {header}', name)
            shown = reader.look()
            assert reader.table(kind).orders[place]
            assert reader.look_of_another("columns") == shown, (kind, place)


def test_a_run_that_comes_back_is_shown_as_the_address_says(reader: Reader) -> None:
    reader.open("conversations")
    reader.choose(RUN, "bm25")
    reader.sort("topics", "bm25")
    for run in ("dense", "bm25", "no run"):
        reader.choose(RUN, run)
        shown = reader.look()
        assert reader.look_of_another("conversations") == shown, run


def test_back_and_forward(reader: Reader) -> None:
    reader.open("suite")
    reader.sort("standings", "run")
    looks = [reader.look()]
    reader.choose("Measure", "AP")
    reader.sort("standings", "mean")
    reader.find("dense")
    looks.append(reader.look())
    reader.choose("Collection", "forum")
    reader.choose(RUN, "hybrid")
    reader.find("")
    looks.append(reader.look())
    reader.address()  # what was typed last is there now
    for steps, place in ((-1, 1), (-1, 0), (1, 1), (1, 2), (-2, 0), (2, 2)):
        assert reader.go(steps) == looks[place], steps


DAMAGED = [
    "measure=%ZZ&sort=x:y:z&collection=nosuch", "", "&&=&", "nosuch", "%ZZ", "standings-9-9",
    "sort=:::", "sort=standings", "sort=standings:ascending:nosuch", "sort=standings:sideways:mean",
    "sort=__proto__:ascending:mean", "measure=all", "measures=AP", "measure=1", "run=nosuch",
    "measure=__proto__&collection=constructor&__proto__=1", "x" * 5000,
    "measure=%3Cimg%20src=x%20onerror=alert(1)%3E&run=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    "measure", "collection", "find", "found",
]  # fmt: skip


def test_a_damaged_address_does_no_harm(reader: Reader) -> None:
    """Whether the page is there already, or is loaded; afterwards it can be used as before."""
    reader.open("suite")
    shown = reader.look()
    for damaged in DAMAGED:
        reader.open("suite", f"#{damaged}")
        assert reader.look() == shown, damaged
        reader.browser.reload()
        assert reader.look() == shown, damaged
        reached = "return [...document.querySelectorAll('select, input')].every(e => !e.tabIndex)"
        assert reader.browser.run(reached), damaged  # by the keyboard
    reader.open("suite", "#find=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E")
    assert reader.found() == "0 of 3 runs"
    reader.find("")
    reader.choose("Measure", "AP")
    reader.sort("standings", "run")
    assert reader.table("standings").column("run") == ["bm25", "dense", "hybrid"]


# Whether the keyboard is in a section, and the heading there in sight.
HEADING = """
const here = document.activeElement;
const words = document.createRange();
words.selectNodeContents(here.querySelector('h2, h3') ?? here);
const { top, bottom } = words.getBoundingClientRect();
const bar = document.getElementById('search');
const isAbove = getComputedStyle(bar).position === 'sticky';
const covered = isAbove ? bar.getBoundingClientRect().bottom : 0;
return [here.closest('section')?.id, top >= covered, bottom <= innerHeight];
"""


@pytest.mark.parametrize("width", [390, 800])
def test_a_link_to_a_section_keeps_the_state_and_takes_the_keyboard_there(
    width: int, reader: Reader
) -> None:
    reader.browser.resize(width, 800)
    reader.open("suite")
    reader.choose("Collection", "forum")
    reader.sort("standings", "run")
    reader.find("bm")
    shown, before = reader.look(), reader.state()
    for name, section in (("Comparisons", "comparisons"), ("Collections and topics", "topics")):
        reader.click("nav a", name)
        assert reader.browser.run(HEADING) == [section, True, True]  # in sight, and not covered
        assert reader.look() == shown
        assert reader.address().startswith(f"#{section}&")
        assert parse_qsl(reader.address().partition("&")[2]) == before
        reader.browser.press("Tab")
        inside = f"return document.getElementById('{section}').contains(document.activeElement)"
        assert reader.browser.run(inside)
    assert reader.look_of_another("suite") == shown
    assert reader.browser.run(HEADING) == ["topics", True, True]


def test_a_result_at_the_top_leads_to_its_measure(reader: Reader) -> None:
    reader.open("suite")
    reader.sort("standings", "run")
    order = reader.table("standings").column("run")
    reader.click("header dl a", "AP")
    shown = reader.look()
    assert reader.table("standings").caption == "Standings on AP over all collections"
    assert shown["chosen"] == [TOGETHER, "AP", ""]
    assert reader.table("standings").column("run") == order
    assert reader.browser.run(HEADING) == ["standings", True, True]
    assert reader.look_of_another("suite") == shown
    reader.choose("Measure", "nDCG@10")  # and not the one that the link named
    shown = reader.look()
    assert reader.look_of_another("suite") == shown


def test_a_result_at_the_top_can_be_followed_from_any_collection(reader: Reader) -> None:
    reader.open("suite")
    reader.choose("Collection", "forum")
    reader.click("header dl a", "AP")
    assert "on AP" in reader.table("standings").caption
    assert reader.browser.run(HEADING) == ["standings", True, True]
    shown = reader.look()
    assert reader.look_of_another("suite") == shown


# Tables are saved as files


def yes(value: bool) -> str:
    return "yes" if value else ""


def standing(row: dict[str, Any]) -> dict[str, str]:
    """Return all that a row of the standings may have, from one of `confint rank`."""
    method = "ppi" if "human_mean" in row else "t"
    record = {
        "rank": str(row["rank"]), "run": row["run"], "mean": number(row["mean"]),
        "tied with best": yes(row["tied_with_best"]), f"{method} 95% low": number(row["low"]),
        f"{method} 95% high": number(row["high"]), "rank set low": str(row["rank_low"]),
        "rank set high": str(row["rank_high"]), "own set low": str(row["own_rank_low"]),
        "own set high": str(row["own_rank_high"]), "first": number(row["first_share"]),
        "note": row["note"], "judged": f"{row['judged_share'] or 0:.0%}",
    }  # fmt: skip
    if "human_mean" in row:
        record |= {
            "counts as": f"{row['effective_topics']:.0f}", "judge": number(row["judge_mean"]),
            "people 95% low": number(row["human_low"]),
            "people 95% high": number(row["human_high"]),
        }  # fmt: skip
    return record


@pytest.mark.parametrize(
    ("name", "measure", "collection", "columns"),
    [
        ("plain", "P_10", "", {"tied with best", "note", "first", "rank set high"}),
        ("suite", "AP", "forum", {"tied with best", "judged", "own set low"}),
        ("judge", "AP", "", {"tied with best", "counts as", "people 95% low", "judge"}),
    ],
)
def test_standings_are_saved_with_the_figures_of_rank(
    name: str, measure: str, collection: str, columns: set[str], reader: Reader,
    confint: Confint,
) -> None:  # fmt: skip
    reader.open(name)
    reader.choose("Measure", measure)
    if collection:
        reader.choose("Collection", collection)
    args = {"suite": SUITE, "judge": JUDGE}.get(name) or reader.pages.scored
    rows = [
        row
        for row in rows_of(confint("rank", *args, "-f", "json", "--quiet"))
        if (row["measure"], row.get("collection", "")) == (measure, collection)
    ]
    records = reader.save_records("standings")
    assert records[0].keys() >= columns
    assert records == [{key: standing(row)[key] for key in records[0]} for row in rows]


def test_comparisons_are_saved_with_the_figures_of_compare(
    reader: Reader, confint: Confint
) -> None:
    reader.open("plain")
    args = (*reader.pages.scored, "--baseline", "bm25", "-f", "json", "--quiet")
    rows = [row for row in rows_of(confint("compare", *args)) if row["measure"] == "map"]
    baseline, *records = reader.save_records("comparisons-1")
    assert {key: text for key, text in baseline.items() if text} == {
        "run": "bm25", "mean": number(rows[0]["baseline_mean"])
    }  # fmt: skip
    assert records == [
        {
            "run": row["run"], "mean": number(row["mean"]), "difference": number(row["difference"]),
            "significant": yes(row["p_adjusted"] < 0.05), "t 95% low": number(row["low"]),
            "t 95% high": number(row["high"]), "p": probability(row["p_t"]),
            "p Holm": probability(row["p_adjusted"]), "Glass's Δ": number(row["glass_delta"]),
            "Hedges' gz": number(row["hedges_gz"]), "wins": str(row["wins"]),
            "ties": str(row["ties"]), "losses": str(row["losses"]),
        }
        for row in rows
    ]  # fmt: skip
    assert {record["significant"] for record in records} == {"yes", ""}
    assert "<0.0001" in {record["p"] for record in records}


def test_means_by_collections_are_saved(reader: Reader, confint: Confint) -> None:
    reader.open("suite")
    reader.choose("Measure", "AP")
    rows = rows_of(confint("rank", *SUITE, "-f", "json", "--quiet"))
    by_run: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["measure"] == "AP":
            by_run.setdefault(row["run"], {})[row["collection"]] = row
    records = reader.save_records("matrix")
    assert [record["run"] for record in records] == ["hybrid", "dense", "bm25"]
    for record in records:
        own = by_run[record["run"]]
        for collection in ("macro", "forum", "news", "science"):
            assert record[collection] == number(own[collection]["mean"])
            tied = [one[collection]["tied_with_best"] for one in by_run.values()]
            marked = sum(tied) > 1 and own[collection]["tied_with_best"]
            assert record[f"tied with best, {collection}"] == yes(marked)
    ahead = reader.save_records("collections")
    assert [(row["collection"], row["topics"], row["ahead"]) for row in ahead] == [
        ("news", "50", "hybrid"), ("science", "30", "hybrid"), ("forum", "20", "dense")
    ]  # fmt: skip
    assert all(row["its mean"] == number(by_run[row["ahead"]][row["collection"]]["mean"])
               for row in ahead)  # fmt: skip


def test_what_people_and_the_judge_say_is_saved(
    reader: Reader, confint: Confint, tmp_path: Path
) -> None:
    """The judge's figures are those of a call with its judgements alone, of the same topics."""
    reader.open("judge")
    by_people = rows_of(confint("rank", *JUDGE, "-f", "json", "--quiet"))
    human = (SAMPLES / "judges/human.qrels").read_text()
    topics = tmp_path / "topics"
    topics.write_text("\n".join(dict.fromkeys(line.split()[0] for line in human.splitlines())))
    args = ("-q", SAMPLES / "judges/llm.qrels", *JUDGED, "--topics", topics, "--quiet")
    by_judge = {
        row["run"]: row
        for row in rows_of(confint("rank", *args, "-f", "json"))
        if row["measure"] == "nDCG@10"
    }
    own = {row["run"]: row for row in by_people if row["measure"] == "nDCG@10"}
    order = sorted(own, key=lambda run: -own[run]["human_mean"])
    assert reader.save_records("judge") == [
        {
            "people's rank": str(place), "run": run,
            "people's mean": number(own[run]["human_mean"]),
            "people 95% low": number(own[run]["human_low"]),
            "people 95% high": number(own[run]["human_high"]),
            "judge's rank": str(by_judge[run]["rank"]),
            "judge's mean": number(by_judge[run]["mean"]),
            "judge 95% low": number(by_judge[run]["low"]),
            "judge 95% high": number(by_judge[run]["high"]),
            "judge − people": number(own[run]["bias"]),
        }
        for place, run in enumerate(order, 1)
    ]  # fmt: skip


def test_scores_on_topics_are_saved(reader: Reader, confint: Confint) -> None:
    reader.open("plain")
    scores = scores_by_map(reader, confint)
    order = reader.table("topics").column("topic")
    header, *rows = reader.save_rows("strips")
    assert header == ["run", "mean", *order]
    assert {row[0] for row in rows} == {*scores}
    for run, mean, *texts in rows:
        assert float(mean) == pytest.approx(sum(scores[run].values()) / 50, abs=ROUNDED)
        own = {topic: float(text) for topic, text in zip(order, texts, strict=True) if text}
        assert own == pytest.approx(scores[run], abs=ROUNDED)
    reader.choose(RUN, "keyword")
    records = reader.save_records("topics")
    assert [*records[0]] == ["topic", "mean", "best", "best run", "keyword"]
    assert [record["topic"] for record in records] == order
    for record in records:
        values = {run: own.get(record["topic"], 0.0) for run, own in scores.items()}
        figures = [sum(values.values()) / 8, max(values.values()), values["keyword"]]
        texts = [record[name] for name in ("mean", "best", "keyword")]
        assert list(map(float, texts)) == pytest.approx(figures, abs=ROUNDED)
    reader.open("conversations")
    records = reader.save_records("topics")
    assert len(records) == 140
    assert all(record["group"] == record["topic"].split("_")[0] for record in records)


def test_what_is_saved_is_what_is_shown_in_its_order(reader: Reader) -> None:
    reader.open("plain")
    reader.sort("strips", "run")
    reader.sort("topics", "mean")
    reader.sort("topics", "mean")
    reader.find("e")
    for kind in ("standings", "comparisons-1", "strips", "topics"):
        names = reader.table(kind).column("topic" if kind == "topics" else "run")
        first = 1 if kind == "standings" else 0
        assert [row[first] for row in reader.save_rows(kind)[1:]] == names
        if kind != "strips":
            rows = latex_rows(reader.save("LaTeX", kind))
            assert [row[first] for row in rows[1:]] == [escape(name) for name in names]
    reader.find("no such run")
    assert len(reader.save_rows("standings")) == 1
    reader.open("plain", "#find=b%0A%5Cinput%7Bx%7D")  # a link may come from anybody
    before = reader.save("LaTeX", "standings").partition("\\begin{tabular}")[0]
    assert {line[:1] for line in before.splitlines()} == {"%"}


WORDS = {"run", "topic", "group", "collection", "ahead", "best run", "note"}  # columns of names


def strangers(reader: Reader) -> Iterator[Table]:
    """Yield tables of all kinds with the names of strangers, as they are shown."""
    reader.open("hostile")
    for kind in ("standings", "comparisons-1", "matrix", "collections", "judge"):
        yield reader.table(kind)
    reader.choose("Collection", COLLECTIONS[2])
    reader.choose("Measure", MEASURES[1])
    reader.choose(RUN, STRANGE[3])
    for kind in ("standings", "strips", "topics"):
        yield reader.table(kind)


@IN_ONE
def test_no_spreadsheet_obeys_a_name(reader: Reader) -> None:
    """Names are quoted and guarded as in the CSV of other commands."""
    for shown in strangers(reader):
        header, *rows = reader.save_rows(shown.kind)
        for name in WORDS.intersection(shown.headers):
            cells = [row[header.index(name)] for row in rows]
            assert cells == [with_guard(text) for text in shown.column(name)]
        cells = [cell for row in [header, *rows] for cell in row]
        signed = [cell for cell in cells if re.search("(^|;)[=+@＝＋－＠-]", cell)]
        assert [cell for cell in signed if not re.fullmatch(r"-\d+\.\d+", cell)] == []
        if shown.kind == "matrix":
            marks = [with_guard(f"tied with best, {name}") for name in shown.headers[1:]]
            names = [with_guard(name) for name in shown.headers[1:]]
            assert header == ["run", *(x for pair in zip(names, marks, strict=True) for x in pair)]
        if shown.kind == "topics":
            assert header[-1] == with_guard(STRANGE[3])
        if shown.kind == "strips":
            topics = reader.table("topics").column("topic")
            assert header[2:] == [*map(with_guard, topics)]


def latex_rows(text: str) -> list[list[str]]:
    """Return the cells of the header and of all rows of a table in LaTeX."""
    inside = text.partition("\\toprule\n")[2].partition("\\bottomrule")[0]
    lines = inside.replace("\\midrule\n", "").split("\n")[:-1]
    assert [line for line in lines if not line.endswith(r" \\")] == []
    return [line.removesuffix(r" \\").split(" & ") for line in lines]


@IN_ONE
def test_no_latex_obeys_a_name(reader: Reader) -> None:
    """Names are escaped as in the LaTeX of other commands."""
    for shown in strangers(reader):
        if shown.kind == "strips":
            continue  # which have more columns than a page of paper
        text = reader.save("LaTeX", shown.kind)
        header, *rows = latex_rows(text)
        assert {len(row) for row in rows} == {len(header)}
        assert set(header) <= {escape(name) for name in shown.headers}
        for name in WORDS.intersection(shown.headers):
            cells = [row[header.index(name)] for row in rows]
            assert cells == [escape(words) for words in shown.column(name)]
        assert f"% {escape(shown.caption)}\n" in text
        assert text.startswith("% has letters that pdflatex stops at") == beyond_pdflatex(text)
    lines = {"Þór": r"% \usepackage[T1]{fontenc}", "naïve": r"% \usepackage{booktabs}"}
    for name, line in lines.items():
        reader.find(name)
        assert reader.save("LaTeX", "standings").split("\n")[0] == line


@IN_ONE
@pytest.mark.parametrize("name", [name for name in KINDS if name != "hostile"])
def test_latex_has_what_the_table_shows(name: str, reader: Reader) -> None:
    reader.open(name)
    for shown in reader.tables():
        if shown.kind == "strips":
            continue
        text = reader.save("LaTeX", shown.kind)
        assert text.startswith("% \\usepackage{booktabs}\n")  # and no letter that is hard to print
        header, *rows = latex_rows(text)
        assert {len(row) for row in rows} == {len(header)}
        places = [
            place
            for place, title in enumerate(shown.headers)
            if escape(title) in header and any(row[place] for row in shown.rows)
        ]
        assert header == [escape(shown.headers[place]) for place in places]
        for cells, row in zip(rows, shown.rows, strict=True):
            for cell, place in zip(cells, places, strict=True):
                write = escape if shown.headers[place] in WORDS else in_latex
                assert cell == write(row[place])
        legend = reader.browser.run(LEGEND, shown.kind)
        assert (rf"{{\footnotesize {escape(legend)}\par}}" in text) == bool(legend)


LEGEND = """
const box = [...document.querySelectorAll('.box')].find(one =>
  one.firstChild.dataset.kind === arguments[0] && one.getClientRects().length);
const below = box.nextElementSibling.nextElementSibling;
return below && below.matches('.legend') ? below.lastChild.textContent : '';
"""


def in_latex(number: str) -> str:
    """Return a cell of numbers as LaTeX: signs in math mode, and a mark that takes no room."""
    mark = r"\rlap{{*}}" if number.endswith("*") else ""
    text = math(number.removesuffix("*"))
    for sign, latex in {"[": "{[}", "]": "{]}", "–": "--{}", "%": r"\%"}.items():
        text = text.replace(sign, latex)
    return text + mark


@needs_pdflatex
@IN_ONE
@pytest.mark.slow
def test_latex_compiles(reader: Reader, tmp_path: Path) -> None:
    for name in KINDS:
        reader.open(name)
        for shown in reader.tables():
            if shown.kind == "strips":
                continue
            text = reader.save("LaTeX", shown.kind)
            lines = [line for line in text.splitlines() if not beyond_pdflatex(line)]
            check_it_compiles("\n".join([*lines, ""]), tmp_path)


# Where there is little room, on paper, and without scripts


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
@pytest.mark.parametrize("name", KINDS)
def test_the_page_is_as_wide_as_the_screen(
    name: str, size: tuple[Any, ...], reader: Reader
) -> None:
    """Only tables scroll sideways, and the names of their rows stay in sight then."""
    reader.browser.resize(*size)
    reader.open(name)
    check_room(reader, size[0])
    if name == "suite":
        reader.choose_each("Measure")
    if name in ("suite", "hostile"):
        reader.choose_each("Collection")
    reader.choose(RUN, HOSTILE[-1] if name == "hostile" else "bm25")
    check_room(reader, size[0])
    heights = "return [...document.querySelectorAll('tbody tr')].map(row => row.offsetHeight)"
    assert max(reader.browser.run(heights)) < 250  # however long a name is


SCROLLED = """
return [...document.querySelectorAll('.box')].filter(box => box.getClientRects().length)
  .flatMap(box => ['thead .name', 'tbody th'].map(name => {
    const left = () => box.querySelector(name).getBoundingClientRect().left
      - box.getBoundingClientRect().left - 1;
    box.scrollLeft = 0;
    const before = left();
    box.scrollLeft = box.scrollWidth;
    return [box.firstChild.dataset.kind, box.scrollLeft, before, left()];
  }));
"""


def check_room(reader: Reader, width: int) -> None:
    assert reader.browser.run("return innerWidth") == width
    assert reader.browser.run("return document.documentElement.scrollWidth") <= width
    scrolled = reader.browser.run(SCROLLED)
    if width == PHONE[0]:
        assert {kind for kind, by, *_ in scrolled if by} >= {"standings"}
    for kind, by, before, after in scrolled:
        assert after == pytest.approx(max(before - by, 0), abs=1), kind  # beside the border at last


PRINTED = """
const isShown = element => element.getClientRects().length > 0;
return [
  [...document.querySelectorAll('nav, label, button, select, input')].filter(isShown).length,
  [...document.querySelectorAll('.box')].filter(isShown)
    .map(box => Math.max(0, box.scrollHeight - box.clientHeight)),
];
"""


@pytest.mark.slow
def test_the_page_prints(reader: Reader) -> None:
    """All that is shown is on paper, with what is folded on a screen; but nothing to click on."""
    reader.open("hostile")
    reader.choose("Collection", COLLECTIONS[1])
    usable, hidden = reader.browser.run(PRINTED)
    assert usable > 10
    assert max(hidden) > 0  # a long table scrolls in its box
    reader.browser.media("print")
    assert reader.browser.run(PRINTED) == [0, [0] * len(hidden)]
    reader.browser.media("")
    pdf = reader.browser.print_pdf()
    assert pdf.startswith(b"%PDF")
    sheets = pypdf.PdfReader(io.BytesIO(pdf)).pages
    words = compact("".join(sheet.extract_text() for sheet in sheets))
    names = [
        cell
        for shown in reader.tables()
        for row in shown.rows
        for cell in row
        if cell.isascii() and len(cell) < 50
    ]
    assert [name for name in names if compact(name) not in words] == []
    folded = "return [...document.querySelectorAll('details li')].map(item => item.textContent)"
    notes = reader.browser.run(folded)
    assert len(notes) >= 3
    assert [note for note in notes if compact(note) not in words] == []
    assert "Findruns" not in words
    assert "Saveas" not in words


def test_paper_says_that_not_all_runs_are_shown(reader: Reader) -> None:
    reader.open("plain")
    reader.browser.media("print")
    seen = "return document.getElementById('found').getClientRects().length > 0"
    assert not reader.browser.run(seen)
    reader.browser.media("")
    reader.find("dense")
    reader.browser.media("print")
    assert reader.browser.run(seen)
    assert reader.browser.run(PRINTED)[0] == 0
    assert reader.found() == "2 of 8 runs"


def compact(text: str) -> str:
    """Return a text without blanks and ligatures, which a PDF may have or not."""
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.parametrize(("name", "views"), [("plain", 2), ("suite", 8), ("hostile", 8)])
def test_without_scripts_the_page_is_complete(name: str, views: int, reader: Reader) -> None:
    reader.open(name)
    for label in ("Collection", "Measure"):
        if label == "Measure" or views == 8:
            reader.choose_each(label)
    with_scripts = reader.tables()
    reader.browser.scripts(False)
    reader.open(name)
    without = reader.tables()
    assert len([one for one in without if one.kind == "standings"]) == views
    assert [one.caption for one in without] == [one.caption for one in with_scripts]
    for one, other in zip(without, with_scripts, strict=True):
        if one.kind == "strips":
            assert [row[:2] for row in one.rows] == [row[:2] for row in other.rows]
            assert all(re.match(r"[\d.]+, [\d.]+, [\d.]+", row[2]) for row in one.rows)
        else:
            assert one == other
    dead = "return [...document.querySelectorAll('button, select, input, [role=button], output')]"
    assert reader.browser.run(f"{dead}.filter(one => one.getClientRects().length).length") == 0
    lost = (
        "return [...document.querySelectorAll('a[href]')].map(link => link.hash.slice(1))"
        ".filter(id => !document.getElementById(id)?.getClientRects().length)"
    )
    assert reader.browser.run(lost) == []


# Readers with a keyboard, or with a program that reads the page to them


# Where the keyboard is: its place among all that can be used, and how it is drawn.
FOCUS = """
const shown = [...document.querySelectorAll(arguments[0])].filter(e => e.getClientRects().length);
const element = document.activeElement;
const { outlineStyle, outlineWidth } = getComputedStyle(element);
const [box] = element.getClientRects();
const isInSight = [0.1, 0.5, 0.9].some(part => element.contains(
  document.elementFromPoint(box.left + box.width * part, box.top + Math.min(box.height, 30) / 2)));
return [shown.indexOf(element), outlineStyle, parseFloat(outlineWidth), isInSight];
"""
USABLE = "a[href], select, input, button, summary, [role=button], .box"


@pytest.mark.parametrize("name", ["suite", "judge"])
def test_all_can_be_reached_and_seen_by_the_keyboard(name: str, reader: Reader) -> None:
    reader.open(name)
    usable = reader.browser.run(
        "return [...document.querySelectorAll(arguments[0])]"
        ".filter(element => element.getClientRects().length).length",
        USABLE,
    )
    assert usable > 45
    for key, order in (("Tab", range(usable)), ("Shift+Tab", reversed(range(usable - 1)))):
        for place in order:
            reader.browser.press(key)
            reached, style, width, is_in_sight = reader.browser.run(FOCUS, USABLE)
            assert (reached, style, width >= 2) == (place, "solid", True)
            assert is_in_sight, (key, place)


TOLD = """
const all = selector => [...document.querySelectorAll(selector)]
  .filter(element => element.getClientRects().length);
const { ariaLive, htmlFor } = document.getElementById('found');
return {
  columns: all('thead th').map(cell => cell.scope),
  rows: all('tbody tr').map(row => [...row.querySelectorAll('th')].map(cell => cell.scope).join()),
  boxes: all('.box').map(box => [box.getAttribute('role'), box.getAttribute('aria-label')]),
  captions: all('table').map(table => ['region', table.caption.textContent]),
  pictures: all('svg').filter(svg => svg.getAttribute('aria-hidden') !== 'true')
    .map(svg => svg.getAttribute('role') === 'img' && svg.getAttribute('aria-label')),
  fields: all('select, input').map(field => field.labels.length),
  sorted: all('[aria-sort]').map(cell => cell.textContent),
  found: [ariaLive, htmlFor.value],
};
"""


def test_a_reader_is_told_what_tables_are_and_what_was_found(reader: Reader) -> None:
    reader.open("judge")
    reader.choose_each("Measure")
    reader.choose(RUN, "bm25")
    reader.sort("topics", "bm25")
    told = reader.browser.run(TOLD)
    assert {*told["columns"]} == {"col"}
    assert {*told["rows"]} == {"row"}
    assert told["boxes"] == told["captions"]
    assert len({caption for _, caption in told["captions"]}) == len(told["captions"]) == 10
    assert all(told["pictures"])
    assert "quartiles " in told["pictures"][0]
    assert {*told["fields"]} == {1}
    assert {*told["sorted"]} == {"bm25"}
    assert told["found"] == ["polite", "find"]
    reader.find("hyb")
    assert reader.found() == "1 of 4 runs"


BRIGHT, DARK = (DESKTOP, "light"), (PHONE, "dark")


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_axe_finds_nothing_that_hinders_readers(name: str, reader: Reader, axe: str) -> None:
    def check(*ways: tuple[tuple[Any, ...], str]) -> None:
        for size, scheme in ways:
            reader.browser.resize(*size)
            reader.browser.scheme(scheme)
            assert violations(reader.browser, axe) == [], (size, scheme)

    if reader.browser.name == "firefox" and name != "judge":
        pytest.skip("axe finds the same in any browser: once is enough")
    reader.open(name)
    check(BRIGHT, DARK)
    if name in ("suite", "hostile"):
        reader.choose("Collection", COLLECTIONS[1] if name == "hostile" else "forum")
    reader.choose(RUN, STRANGE[2] if name == "hostile" else "bm25")
    reader.sort("standings", "run")
    reader.find("b")
    check(BRIGHT, DARK)
    if name not in ("conversations", "hostile"):
        reader.find("")
        reader.choose_each("Measure")
        check(DARK)
