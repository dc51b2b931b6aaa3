"""A reader of a page of `confint report` in a real browser: what is seen, chosen and saved."""

import csv
import io
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from tests.browsers import Browser
from tests.outputs.page_samples import Pages

RUN = "Add a column with the scores of"  # the label of the chooser of a run

# What is shown of all tables, and what is chosen.
LOOK = """
const isShown = element => element.getClientRects().length > 0;
const text = element => element ? element.textContent.trim() : '';
const every = (selector, within = document) =>
  [...within.querySelectorAll(selector)].filter(isShown);
return {
  tables: every('table').map(table => ({
    kind: table.dataset.kind,
    caption: table.caption.textContent,
    headers: [...table.tHead.rows[0].cells].map(cell => text(cell.querySelector('span'))),
    orders: [...table.tHead.rows[0].cells].map(cell => cell.getAttribute('aria-sort')),
    rows: every('tbody tr', table).map(row => [...row.cells].map(text)),
  })),
  chosen: every('select, input').map(
    field => field.selectedOptions ? field.selectedOptions[0].textContent : field.value),
  found: document.getElementById('found').textContent,
};
"""
# The place of the first element shown that has a name, among all of a selector.
PLACE = """
const [selector, name] = arguments;
const nameOf = element => element.getAttribute('aria-label') ?? element.textContent.trim();
return [...document.querySelectorAll(selector)]
  .findIndex(element => element.getClientRects().length && nameOf(element) === name);
"""
# The first chooser with a label gets the keyboard.
CHOOSER = """
const [label, name] = arguments;
const chooser = [...document.querySelectorAll('select')].find(one =>
  one.getClientRects().length && one.labels[0].textContent.startsWith(label));
chooser.focus();
"""
STEPS = """
const place = [...chooser.options].findIndex(option => option.textContent === name);
if (place < 0) throw new Error(`there is no ${name}`);
return place - chooser.selectedIndex;
"""
# The page takes down what is typed 200 ms later; a timer that begins after its own ends after it.
ADDRESS = "return new Promise(done => setTimeout(() => done(location.hash), 210))"
GO = """
return new Promise(done => {
  addEventListener('popstate', () => setTimeout(done), { once: true });
  history.go(arguments[0]);
});
"""


@dataclass(frozen=True)
class Table:
    """What is seen of a table."""

    kind: str
    caption: str
    headers: list[str]
    orders: list[str | None]  # of each column: which way the rows are in its order
    rows: list[list[str]]

    def column(self, name: str) -> list[str]:
        place = self.headers.index(name)
        return [row[place] for row in self.rows]

    @property
    def sorted_by(self) -> dict[str, str]:
        pairs = zip(self.headers, self.orders, strict=True)
        return {name: order for name, order in pairs if order is not None}


@dataclass(frozen=True)
class Reader:
    """Somebody who looks at pages with a browser."""

    browser: Browser
    pages: Pages

    def open(self, page: str, fragment: str = "") -> None:
        self.browser.open(self.pages.uri(page) + fragment)

    def look(self) -> dict[str, Any]:
        """Return all that is seen of tables and choosers."""
        seen: dict[str, Any] = self.browser.run(LOOK)
        return seen

    def tables(self) -> list[Table]:
        return [Table(**one) for one in self.look()["tables"]]

    def table(self, kind: str) -> Table:
        """Return the first table of a kind that is shown."""
        return next(table for table in self.tables() if table.kind == kind)

    def chosen(self) -> list[str]:
        """Return what is chosen or typed in each field."""
        chosen: list[str] = self.look()["chosen"]
        return chosen

    def found(self) -> str:
        """Return what is said about runs that were found."""
        words: str = self.look()["found"]
        return words

    def click(self, selector: str, name: str) -> None:
        """Click on the first element shown that has a name."""
        place = self.browser.run(PLACE, selector, name)
        assert place >= 0, name
        self.browser.click(selector, place)

    def sort(self, kind: str, name: str) -> None:
        """Click on a header of the first table of a kind."""
        self.click(f'table[data-kind="{kind}"] thead [role=button]', name)

    def find(self, words: str) -> None:
        self.browser.type_into("#find", words)

    def choose(self, label: str, name: str) -> None:
        """Choose an option in the first chooser with a label, by the arrow keys."""
        steps = self.browser.run(CHOOSER + STEPS, label, name)
        self.browser.press(*["ArrowDown" if steps > 0 else "ArrowUp"] * abs(steps))

    def choose_each(self, label: str) -> None:
        """Choose all of them, one below another: that is the last option."""
        self.browser.run(CHOOSER, label)
        self.browser.press("End")

    def address(self) -> str:
        """Return what is in the address behind the name of the page."""
        text: str = self.browser.run(ADDRESS)
        return text

    def state(self) -> list[tuple[str, str]]:
        """Return the names and values of the address."""
        return parse_qsl(self.address().removeprefix("#"))

    def look_of_another(self, page: str) -> dict[str, Any]:
        """Return what somebody sees who gets the address of the page and opens it."""
        fragment = self.address()
        self.open("plain" if page != "plain" else "suite")
        self.open(page, fragment)
        return self.look()

    def go(self, steps: int) -> dict[str, Any]:
        """Go back, or forward, and return what is seen there."""
        self.browser.run(GO, steps)
        return self.look()

    def save(self, kind: str, of: str) -> str:
        """Save the first table of a kind as CSV or LaTeX; return what the file has."""
        caption = self.table(of).caption
        self.click(".save button", f"{kind}: {caption}")
        words = re.sub("[^A-Za-z0-9]+", "-", caption).strip("-")[:80].lower()
        ending = {"CSV": "csv", "LaTeX": "tex"}[kind]
        return self.browser.downloaded(f"{words}.{ending}").decode()

    def save_rows(self, of: str) -> list[list[str]]:
        """Save a table as CSV; return its cells, the header first."""
        return list(csv.reader(io.StringIO(self.save("CSV", of)), strict=True))

    def save_records(self, of: str) -> list[dict[str, str]]:
        """Save a table as CSV; return its rows by the names of its columns."""
        header, *rows = self.save_rows(of)
        assert len({*header}) == len(header)
        return [dict(zip(header, row, strict=True)) for row in rows]
