"""`confint report` in a real browser: sorting, searching, and that nothing leaves the page.

It is Debian's chromium with its driver; without them on the PATH these tests are skipped.
"""

import base64
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, SAMPLES
from tests.studies.test_report import HOSTILE

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver on the PATH"
)
STANDINGS = "table.runs"  # the first of them
PHONE = 390


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def page(folder: Path) -> Path:
    """A page of the sample runs, one of which is called by the name of a script."""
    evals = folder / "evals"
    shutil.copytree(SAMPLES / "trec_eval", evals)
    text = (evals / "tfidf.eval").read_text()
    named = re.sub(r"(?m)^(runid\s+all\s+).*$", lambda line: line[1] + HOSTILE[0], text)
    assert HOSTILE[0] in named
    (evals / "tfidf.eval").write_text(named)
    path = folder / "report.html"
    subprocess.run(
        [sys.executable, "-m", "confint_cli", "report", *sorted(map(str, evals.glob("*.eval"))),
         "-m", "map,P_10", "--baseline", "bm25", "--name-from", "tag", "--quiet",
         "-o", str(path)],
        check=True, cwd=ROOT,
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def chromium(folder: Path) -> Iterator[Any]:
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={folder / 'profile'}",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    try:
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    except WebDriverException as error:
        pytest.skip(f"chromium does not start here: {error.msg}")
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium: Any, page: Path) -> Iterator[Any]:
    """The browser with the page just opened; in the end nothing may have gone wrong in it."""
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.get_log("performance")
    chromium.get(page.as_uri())
    yield chromium
    assert chromium.get_log("browser") == []  # no script error, nothing that the policy forbids


def column(browser: Any, place: int, table: str = STANDINGS, *, row: str = "tr") -> list[str]:
    """Return the texts of a column of the first such table, from the document."""
    texts: list[str] = browser.execute_script(
        "return [...document.querySelector(arguments[0]).tBodies[0].querySelectorAll(arguments[2])]"
        ".map(row => row.cells[arguments[1]].textContent)", table, place, row,
    )  # fmt: skip
    return texts


def header(browser: Any, name: str, table: str = STANDINGS) -> Any:
    (found,) = (
        button
        for button in browser.find_element("css selector", table).find_elements(
            "css selector", "thead [role=button]"
        )
        if button.text == name
    )
    return found


def sorted_by(browser: Any, table: str = STANDINGS) -> list[str | None]:
    """Return what each header says about the order."""
    headers = browser.find_elements("css selector", f"{table} thead th")
    first = len(
        browser.find_element("css selector", table).find_elements("css selector", "thead th")
    )
    return [one.get_attribute("aria-sort") for one in headers[:first]]


def test_a_click_sorts_by_number_and_by_name(browser: Any) -> None:
    by_rank = column(browser, 1)
    means = [float(text.rstrip("*")) for text in column(browser, 2)]
    assert len(by_rank) == 8
    assert means == sorted(means, reverse=True)
    header(browser, "mean").click()  # the best first, as it is
    assert column(browser, 1) == by_rank
    assert sorted_by(browser)[:3] == [None, None, "descending"]
    header(browser, "mean").click()
    assert column(browser, 1) == by_rank[::-1]
    assert sorted_by(browser)[:3] == [None, None, "ascending"]
    header(browser, "run").click()
    names = column(browser, 1)
    assert sorted(names) == sorted(by_rank)
    assert [name for name in names if name[0] != "<"] == [
        "bm25", "bm25-rm3", "dense", "dense-v2", "early-stop", "hybrid", "keyword"
    ]  # fmt: skip
    assert sorted_by(browser)[:3] == [None, "ascending", None]
    header(browser, "run").click()
    assert column(browser, 1) == names[::-1]


def test_numbers_are_sorted_as_numbers(browser: Any) -> None:
    """`10` comes after `9`, `<0.0001` before `0.0927`, and an interval by its lower end."""
    comparisons = "#comparisons table"
    header(browser, "p", comparisons).click()
    texts = column(browser, 4, comparisons)
    assert texts[-1] == ""  # the baseline itself
    values = [float(text.removeprefix("<")) for text in texts[:-1]]
    assert values == sorted(values)
    assert texts[0] == "<0.0001"
    header(browser, "t 95% interval", comparisons).click()
    lows = [float(text.strip("[]").split(",")[0]) for text in column(browser, 3, comparisons)[:-1]]
    assert lows == sorted(lows)
    assert min(lows) < 0 < max(lows)
    header(browser, "W/T/L", comparisons).click()
    wins = [int(text.split("/")[0]) for text in column(browser, 8, comparisons)[:-1]]
    assert wins == sorted(wins, reverse=True)
    assert {len(str(number)) for number in wins} == {1, 2}


def test_the_keyboard_sorts_too(browser: Any) -> None:
    before = column(browser, 1)
    button = header(browser, "rank")
    button.send_keys("\ue007")  # Enter
    assert sorted_by(browser)[0] == "ascending"
    button.send_keys(" ")
    assert sorted_by(browser)[0] == "descending"
    assert column(browser, 1) == before[::-1]


def test_groups_are_shown_only_in_the_order_of_the_ranks(browser: Any) -> None:
    def colours() -> set[str]:
        found: list[str] = browser.execute_script(
            "return [...document.querySelectorAll('table.runs')[0].tBodies[0].rows]"
            ".map(row => getComputedStyle(row.cells[0]).backgroundColor)"
        )
        return set(found)

    assert len(colours()) == 2
    header(browser, "run").click()
    assert len(colours()) == 1
    header(browser, "rank").click()
    assert len(colours()) == 2


def test_search_filters_the_runs_of_all_tables(browser: Any) -> None:
    box = browser.find_element("id", "find")
    found = browser.find_element("id", "found")
    assert found.text == "8 runs"
    topics = column(browser, 0, "table.topics")
    box.send_keys("DENSE")
    assert found.text == "2 of 8 runs"
    shown = browser.execute_script(
        "return [...document.querySelectorAll('table.runs')].map(table => "
        "[...table.tBodies[0].rows].filter(row => row.offsetParent !== null)"
        ".map(row => row.querySelector('th').textContent).sort().join())"
    )
    assert shown == ["dense,dense-v2"] * 6
    assert column(browser, 0, "table.topics", row="tr:not([hidden])") == topics
    box.clear()
    box.send_keys("-rm")
    assert found.text == "1 of 8 runs"
    box.clear()
    box.send_keys("no such run")
    assert found.text == "0 of 8 runs"
    box.clear()
    box.send_keys("<script>")
    assert found.text == "1 of 8 runs"


def test_the_pointer_names_topic_and_score(browser: Any) -> None:
    header(browser, "topic", "table.topics").click()  # the cells stay in their order
    scores = subprocess.run(
        [sys.executable, "-m", "confint_cli", "score", "-m", "map", "--quiet",
         str(SAMPLES / "trec_eval/hybrid.eval")],
        check=True, capture_output=True, text=True, cwd=ROOT,
    ).stdout  # fmt: skip
    by_topic = {row.split("\t")[1]: float(row.split("\t")[3]) for row in scores.splitlines()[1:]}
    said = browser.execute_script(
        "const cell = document.querySelector('.strip');"
        "const { left, width } = cell.firstChild.getBoundingClientRect();"
        "return [0, 20, 49].map((place) => { cell.firstChild.dispatchEvent(new MouseEvent("
        "'mousemove', { bubbles: true, clientX: left + (place + 0.5) / 50 * width }));"
        "return cell.title; })"
    )
    assert len(set(said)) == 3
    for text in said:
        topic, score = text.removeprefix("topic ").split(": ")
        assert float(score) == pytest.approx(by_topic[topic], rel=0.01)
    assert said[0].startswith("topic 333: ")  # the hardest


def test_a_name_like_a_script_is_text(browser: Any) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    assert HOSTILE[0] in column(browser, 1)
    assert browser.execute_script("return document.scripts.length") == 1
    with pytest.raises(NoAlertPresentException):
        _ = browser.switch_to.alert.text


def test_nothing_is_requested_but_the_page(browser: Any, page: Path) -> None:
    header(browser, "mean").click()
    browser.find_element("id", "find").send_keys("bm25")
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requested = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert requested == [page.as_uri()]


def test_the_policy_forbids_scripts_that_are_not_of_the_page(browser: Any) -> None:
    """So that a hole in the escaping would not do harm; the console says what was refused."""
    ran = browser.execute_script(
        "const script = document.createElement('script'); script.textContent = 'window.ran = 1';"
        "document.body.append(script); return window.ran"
    )
    assert ran is None
    refused = browser.get_log("browser")
    assert len(refused) == 1
    assert "Content Security Policy" in refused[0]["message"]


def set_width(browser: Any, width: int) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width == PHONE},
    )


def test_the_page_fits_a_phone(browser: Any) -> None:
    set_width(browser, PHONE)
    browser.refresh()
    assert browser.execute_script("return innerWidth") == PHONE
    assert browser.execute_script("return document.documentElement.scrollWidth") <= PHONE
    scrolls = browser.execute_script(
        "const box = document.querySelector('.box'); box.scrollLeft = 150;"
        "return [box.scrollWidth > box.clientWidth, "
        "box.querySelector('tbody th').getBoundingClientRect().left - "
        "box.getBoundingClientRect().left]"
    )
    assert scrolls == [True, 1]  # the names of runs stay beside the border


@pytest.mark.parametrize("width", [PHONE, 1280])
def test_long_names_do_not_break_the_layout(
    width: int, browser: Any, folder: Path, chromium: Any
) -> None:
    path, scores = folder / "long.html", folder / "long.tsv"
    lines = [
        f"{run}\t{topic}\t{'m' * 150}\t0.{place}{topic}"
        for place, run in enumerate(["x" * 400, "short"], 1)
        for topic in range(10, 30)
    ]
    scores.write_text("\n".join(["run\ttopic\tmeasure\tscore", *lines, ""]))
    subprocess.run(
        [sys.executable, "-m", "confint_cli", "report", str(scores), "--baseline", "short",
         "--quiet", "-o", str(path), "--title", "t" * 300],
        check=True, cwd=ROOT,
    )  # fmt: skip
    set_width(browser, width)
    chromium.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    heights = browser.execute_script(
        "return [...document.querySelectorAll('tbody th')].map(cell => cell.offsetHeight)"
    )
    assert max(heights) < 90


def test_the_page_prints(browser: Any) -> None:
    set_width(browser, 1280)
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    pdf = base64.b64decode(printed["data"])
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 20_000
    hidden = (
        "return [...document.querySelectorAll('.box')]"
        ".map(box => Math.max(0, box.scrollHeight - box.clientHeight))"
    )
    assert max(browser.execute_script(hidden)) > 0  # a long table scrolls in its box
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not browser.find_element("id", "search").is_displayed()
        assert set(browser.execute_script(hidden)) == {0}  # and on paper nothing is cut off
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_without_scripts_the_page_is_complete(browser: Any, page: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        assert not browser.find_element("id", "search").is_displayed()
        rows = browser.find_elements("css selector", "table.runs tbody tr")
        assert len(rows) == 6 * 8
        assert browser.find_elements("css selector", "[role=button]") == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
