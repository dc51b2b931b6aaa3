"""The web site of the pages: complete, without dead links, with a search that needs no server."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from confint_cli import __version__
from docs import make_pages, make_site
from tests import browsers
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built as `make site` does it."""
    folder = tmp_path_factory.mktemp("site") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "docs.make_site", str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"open {folder / 'index.html'}\n")
    return folder


class Text(HTMLParser):
    """The text of a web page, and the text of its headings."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def text_of(path: Path) -> str:
    return " ".join(Text(path.read_text(encoding="utf-8")).words)


def without_blanks(text: str) -> str:
    """Colours part a program into many elements, with or without blanks between them."""
    return "".join(text.split())


def place_of(page: Path) -> str:
    """Return where a page of the checkout is in the site."""
    name = page.relative_to(ROOT).as_posix()
    return make_site.RENAMED.get(name, name).removesuffix(".md") + ".html"


def test_every_page_is_there_and_in_the_menu(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    menu = re.findall(r'class="reference (?:internal|external)" href="([^"#]+)"', home)
    pages = [*make_pages.pages(), ROOT / "CHANGELOG.md", ROOT / "docs" / "notebook.ipynb",
             ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "reproduction.md"]  # fmt: skip
    for page in pages:
        place = place_of(page).replace(".ipynb", ".html")
        assert (site / place).is_file(), place
        assert place in [*menu, "index.html"], f"{page} is not on the map, docs/README.md"


def test_pages_say_what_their_files_say(site: Path) -> None:
    assert f"confint {__version__}" in text_of(site / "index.html")
    assert "$ cat sample_runs/trec_eval/hybrid.eval" in text_of(site / "index.html")
    methods = text_of(site / "docs" / "methods.html")
    assert "studentised bootstrap: a t interval" in methods
    notebook = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
    shown = text_of(site / "docs" / "notebook.html")
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert without_blanks("".join(cell["source"])) in without_blanks(shown)
    pictures = re.findall(
        r'<img[^>]* src="([^"]+)"', (site / "docs" / "notebook.html").read_text(encoding="utf-8")
    )
    assert pictures
    assert all((site / "docs" / name).is_file() for name in pictures)


def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"""(?:src=|@import|url\()\s*["']?(?:https?:)?//""", text), path
    assert make_site.faults(site) == []


# What is wrong with a site is seen

GOOD = '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="#top">up</a>'


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<a href="c.html">c</a>', "a.html has a link that leads nowhere: c.html"),
        ('<a href="b.html#gone">b</a>', "a.html has a link that leads nowhere: b.html#gone"),
        ('<a href="#gone">b</a>', "a.html has a link that leads nowhere: #gone"),
        ('<img src="pictures/x.svg">', "a.html has a link that leads nowhere: pictures/x.svg"),
        ('<script src="https://cdn.example/x.js"></script>',
         "a.html loads https://cdn.example/x.js"),
        ('<link rel="stylesheet" href="//fonts.example/x.css">',
         "a.html loads //fonts.example/x.css"),
        ('<a href="https://example.org/paper.pdf">a paper</a>', None),
        ('<img src="data:image/png;base64,AAAA">', None),
        ('<a href="b.html?q=1#there">b</a>', None),
    ],
)  # fmt: skip
def test_dead_links_and_foreign_files_are_faults(
    page: str, fault: str | None, tmp_path: Path
) -> None:
    (tmp_path / "a.html").write_text(GOOD + page)
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1>')
    assert make_site.faults(tmp_path) == ([fault] if fault else [])


def test_the_menu_has_each_page_once_in_the_order_of_the_map() -> None:
    menu = make_site.menu(
        "# Map\n\n## One\n\n[a](a.md), [b](b.md)\n\n## Two\n\n[b](b.md) [c](c.svg)"
    )
    assert menu == {"": ["docs/index"], "One": ["docs/a", "docs/b"]}


def test_links_follow_pages_that_have_another_name() -> None:
    text = "[home](../README.md#install) `[x](../README.md)` [map](README.md) [b](b.md)\n"
    wanted = "[home](../index.md#install) `[x](../README.md)` [map](index.md) [b](b.md)\n"
    assert make_site.relinked(text, "docs/a.md") == wanted
    fenced = "```sh\n[no](../README.md)\n```\n"
    assert make_site.relinked(fenced, "docs/a.md") == fenced


# As a reader


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browsers.Browser]:
    started = browsers.chromium(tmp_path_factory.mktemp("chromium"))
    yield started
    started.quit()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as serving:
        Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()


FOUND = """
return new Promise(done => {
  const look = () => {
    const summary = document.querySelector('.search-summary');
    if (!summary || !/found|matching/i.test(summary.textContent)) return setTimeout(look, 50);
    const links = document.querySelectorAll('#search-results li a');
    done([...links].map(link => link.getAttribute('href')));
  };
  look();
})
"""


@pytest.mark.parametrize("where", ["from the disk", "from a server"])
def test_the_search_finds_a_page(
    where: str, site: Path, server: str, browser: browsers.Browser
) -> None:
    """From a disk too, but browsers do not let it show excerpts there."""
    home = site.as_uri() if where == "from the disk" else server
    browser.open(f"{home}/search.html?q=bootstrap-t")
    found: list[str] = browser.run(FOUND)
    assert any("methods.html" in link for link in found), found
    assert all(address.startswith(home) for address in browser.requested())
    if home == server:
        assert [text for text in browser.said() if "/favicon.ico" not in text] == []


@pytest.mark.parametrize("width", [1920, 1280, 1000, 390])
def test_no_page_is_wider_than_the_window(
    width: int, site: Path, browser: browsers.Browser
) -> None:
    """Tables and what programs print scroll by themselves."""
    browser.resize(width, 800, phone=width < 500)
    for name in ("index.html", "docs/index.html", "docs/interval.html", "docs/notebook.html"):
        browser.open((site / name).as_uri())
        wide = browser.run("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, name
    browser.resize(*browsers.DESKTOP)
