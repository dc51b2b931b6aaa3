"""The pages as a static web site, in site/: `make site`.

python -m docs.make_site [FOLDER]

Sphinx builds the site from the same Markdown files that people read on a code host. The script
copies them to a folder of their own; there, README.md becomes the home page and the notebook
becomes a page. docs/README.md decides which pages the menu has, and in which order. It is an error
if a link leads nowhere, if a page is missing from docs/README.md, or if a page would load anything
from the network. The site needs no server: you can open it from a disk, and its search works there
too.
"""

import io
import json
import os
import re
import shutil
import sys
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

from confint_cli import __version__

ROOT = Path(__file__).parent.parent
HOME = "README.md"
MAP = "docs/README.md"
# Pages that have another name in the site.
RENAMED = {HOME: "index.md", MAP: "docs/index.md", "docs/notebook.ipynb": "docs/notebook.md"}

SETTINGS: dict[str, Any] = {
    "project": "confint",
    "version": __version__,
    "release": __version__,
    "html_title": f"confint {__version__}",
    "extensions": ["myst_parser", "sphinx_copybutton"],
    "root_doc": "index",
    "html_theme": "furo",
    "html_static_path": ["_static"],
    "html_css_files": ["site.css"],
    "html_copy_source": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "myst_heading_anchors": 6,  # with the names that code hosts give to headings
    "copybutton_prompt_text": r"\$ |> |>>> |\.\.\. ",  # commands are copied, not what they print
    "copybutton_prompt_is_regexp": True,
}

_CODE = re.compile(r"(^ *```.*?^ *```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(?=[)#])")
_SECTION = re.compile(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)


def _prose(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text of a page in parts, and whether each of them is prose rather than code."""
    for place, part in enumerate(_CODE.split(text)):
        yield part, place % 2 == 0


def links(text: str) -> list[str]:
    """Return the files that a page links to, in order, without anchors."""
    return [link for part, is_prose in _prose(text) if is_prose for link in _LINK.findall(part)]


def linked(page: Path) -> list[str]:
    """Return the files that a page of the checkout links to, by their paths in the checkout."""
    targets = [page.parent / link for link in links(page.read_text(encoding="utf-8"))]
    return [Path(os.path.relpath(target, ROOT)).as_posix() for target in targets]


def relinked(text: str, page: str) -> str:
    """Return a page's text, in which links have the names that pages have in the site."""
    folder = Path(page).parent

    def target(found: re.Match[str]) -> str:
        path = Path(os.path.normpath(folder / found[0])).as_posix()
        return os.path.relpath(RENAMED[path], folder) if path in RENAMED else found[0]

    return "".join(_LINK.sub(target, part) if prose else part for part, prose in _prose(text))


def menu(text: str) -> dict[str, list[str]]:
    """Return the pages of each section of the map, by their names in the site, each page once."""
    sections = {"": [_stem(MAP)]}
    listed = {HOME, MAP}
    for title, section in _SECTION.findall(text):
        paths = [os.path.normpath(Path(MAP).parent / link) for link in links(section)]
        pages = [path for path in dict.fromkeys(paths) if path.endswith((".md", ".ipynb"))]
        sections[title] = [_stem(page) for page in pages if page not in listed]
        listed |= {*pages}
    return {title: pages for title, pages in sections.items() if pages}


def _stem(page: str) -> str:
    """Return the name in the site of a page of the checkout, without its ending."""
    return RENAMED.get(page, page).removesuffix(".md")


def notebook_page(notebook: dict[str, Any], name: str, folder: Path) -> str:
    """Return a notebook in Markdown, with what its cells show; pictures go into the folder."""
    parts = []
    for number, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                picture = f"{name}-{number}.png"
                (folder / picture).write_bytes(b64decode(data["image/png"]))
                parts.append(f"![What the cell above draws]({picture})")
            elif "text/html" in data:
                html = re.sub(r"\n\s*\n", "\n", "".join(data["text/html"]))  # or Markdown begins
                parts.append(f'<div class="cell-output">\n{html}\n</div>')
            else:
                text = "".join(data.get("text/plain", output.get("text", "")))
                parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def stage(folder: Path) -> None:
    """Write what Sphinx reads into a folder: pages, pictures, and whatever files pages link to."""
    todo, done = [HOME, MAP], set[str]()
    while todo:
        page = todo.pop()
        if page in done:
            continue
        done.add(page)
        source, place = ROOT / page, folder / RENAMED.get(page, page)
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            continue
        if source.suffix == ".md":
            text = relinked(source.read_text(encoding="utf-8"), page)
            place.write_text(text, encoding="utf-8")
            todo += linked(source)
        elif source.suffix == ".ipynb":
            notebook = json.loads(source.read_text(encoding="utf-8"))
            text = notebook_page(notebook, source.stem, place.parent)
            place.write_text(text, encoding="utf-8")
        else:
            shutil.copy(source, place)
    static = folder / "_static"
    static.mkdir()
    shutil.copy(ROOT / "docs" / "site.css", static)
    with (folder / "index.md").open("a", encoding="utf-8") as home:
        for title, pages in menu((ROOT / MAP).read_text(encoding="utf-8")).items():
            caption = [f":caption: {title}"] if title else []
            lines = ["", "```{toctree}", ":hidden:", *caption, "", *pages, "```", ""]
            home.write("\n".join(lines))


class _Elements(HTMLParser):
    """The names that can be linked to in a file, where it leads, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element has to say."""
        found = {name: value for name, value in attrs if value}
        self.names |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.leads.append(found["href"])
        elif "href" in found or "src" in found:
            self.loads.append(found.get("src", found.get("href", "")))


def faults(site: Path) -> list[str]:
    """Return the links of a site that lead nowhere, and what it would load from the network."""
    files = {path: _Elements(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    wrong = []
    for path, elements in sorted(files.items()):
        where = path.relative_to(site).as_posix()
        for link in [*elements.leads, *elements.loads]:
            outside = re.match(r"(?:[a-z]+:)?//|[a-z]+:", link)
            if outside:
                is_loaded = link in elements.loads and not link.startswith("data:")
                wrong += [f"{where} loads {link}"] if is_loaded else []
                continue
            name, _, anchor = unquote(link).partition("#")
            target = Path(os.path.normpath(path.parent / name.partition("?")[0])) if name else path
            missing = anchor and target in files and anchor not in files[target].names
            if missing or not target.is_file():
                wrong.append(f"{where} has a link that leads nowhere: {link}")
    return wrong


def build(site: Path) -> list[str]:
    """Build the site into a folder, and return what is wrong with it."""
    from sphinx.application import Sphinx
    from sphinx.util.console import nocolor
    from sphinx.util.docutils import docutils_namespace

    nocolor()
    said = io.StringIO()
    with TemporaryDirectory() as work, docutils_namespace():
        folder = Path(work) / "pages"
        stage(folder)
        maker = Sphinx(
            folder, None, site, Path(work) / "trees", "html", SETTINGS, status=None, warning=said
        )
        maker.build()
    warnings = [line.replace(f"{folder}/", "") for line in said.getvalue().splitlines() if line]
    return [*warnings, *faults(site)]


def main(args: list[str]) -> int:
    """Build the site anew, and say what is wrong with it."""
    site = Path(args[0]) if args else ROOT / "site"
    shutil.rmtree(site, ignore_errors=True)
    wrong = build(site)
    for fault in wrong:
        print(fault, file=sys.stderr)
    print(f"{len(list(site.rglob('*.html')))} pages: open {site / 'index.html'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
