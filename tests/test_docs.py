"""The documentation: examples print what they say, pages are current, links lead somewhere."""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest

import confint_cli
from confint_cli import __version__
from docs import make_examples, make_notebook, make_pages, make_pictures
from tests.conftest import ROOT, SAMPLES

README = ROOT / "README.md"
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"

PAGES = make_pages.pages()
COMMANDS = make_pages.commands()


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


# Examples: a block marked `console` holds commands behind `$` and what they print.


def examples() -> dict[tuple[str, str], str]:
    """Return where each command and what it prints stands; several pages may show the same."""
    pages: dict[tuple[str, str], str] = {}
    for path in PAGES:
        for example in make_examples.examples_in(text_of(path)):
            pages.setdefault((example.command, example.output), name_of(path))
    return pages


EXAMPLES = examples()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 40
    assert {"README.md", "docs/interval.md", "docs/inputs.md"} <= set(EXAMPLES.values())


@pytest.mark.parametrize(
    ("command", "output"), EXAMPLES, ids=[f"{EXAMPLES[one]}: {one[0]}" for one in EXAMPLES]
)
def test_an_example_prints_what_it_says(
    command: str, output: str, tmp_path: Path, quick_confint: Path
) -> None:
    """Both streams, in a copy of the samples; `…` stands for lines left out."""
    shutil.copytree(SAMPLES, tmp_path / "sample_runs")
    printed = make_examples.printed_by(command, quick_confint, tmp_path)
    assert make_examples.Example(command, output, 0).is_true(printed), printed


PAGE = """# A page

```console
$ confint --version
of old
$ confint score sample_runs/trec_eval/bm25.eval \\
> -m map --every 50
run\ttopic\tmeasure\tscore
…
```
"""


def test_outputs_of_examples_are_made_anew_where_no_lines_are_left_out(quick_confint: Path) -> None:
    made, by_hand = make_examples.current(PAGE, quick_confint)
    assert made == PAGE.replace("of old", f"confint, version {__version__}")
    assert by_hand == []
    wrong = PAGE.replace("topic", "tropic")
    made, by_hand = make_examples.current(wrong, quick_confint)
    assert "tropic" in made
    assert by_hand == ["confint score sample_runs/trec_eval/bm25.eval -m map --every 50"]


# Every command has a page, and every option is on it.


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    command = COMMANDS[name]
    page = make_pages.page_of(name)
    assert page.exists(), f"confint {name} has no page: write docs/{name}.md, then run make docs"
    assert command.help
    assert command.short_help
    text = text_of(page)
    assert f"confint {name}" in text
    assert f"({page.name})" in text_of(DOCS / "README.md"), "run make docs"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            for option in parameter.opts:
                assert re.search(rf"`{option}[ `]", text), f"{option}: run make docs"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_is_current(path: Path) -> None:
    assert text_of(path) == make_pages.current(path, text_of(path)), "run make docs"


def test_the_block_is_made_where_there_is_none_and_replaced_where_there_is_one() -> None:
    page = make_pages.page_of("interval")
    made = make_pages.current(page, "# How sure?\n\nSo sure.\n")
    assert made.startswith("# How sure?\n\nSo sure.\n\n<!-- made from the help text")
    assert made.endswith("<!-- end -->\n")
    assert "| `-q`, `--qrels FILE` | Relevance judgements" in made
    assert "`--missing zero\\|drop\\|error`" in made
    assert make_pages.current(page, made) == made
    stale = made.replace("Relevance judgements", "Judgements")
    assert make_pages.current(page, stale) == made
    assert make_pages.current(README, "confint:0.0.1|…") == f"confint:{__version__}|…"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_begins_with_a_title_and_an_answer(path: Path) -> None:
    title, empty, answer = text_of(path).splitlines()[:3]
    assert title.startswith("# ")
    assert not empty
    assert answer[:1].isalnum() or answer.startswith(("`", "**", "[")), answer


# Links


def links(path: Path) -> list[str]:
    """Return where a page leads, but for what is inside code."""
    text = re.sub(r"```.*?```", "", text_of(path), flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "code", text)
    return re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)


def anchors(path: Path) -> set[str]:
    """Return the names that a web page gives to the headings."""
    text = re.sub(r"```.*?```", "", text_of(path), flags=re.DOTALL)
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return names


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    for link in links(path):
        assert not link.startswith(("http:", "//", "/")), link
        if link.startswith("https:"):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_page_can_be_reached_from_the_front_door() -> None:
    reached, todo = set(), [README]
    while todo:
        path = todo.pop()
        reached.add(path)
        for link in links(path):
            target = (path.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.exists() and target not in {*reached, *todo}:
                todo.append(target)
    assert set(PAGES) <= reached


def test_the_front_door_is_short() -> None:
    assert len(text_of(README).splitlines()) <= 230


# Pictures


def test_the_picture_of_a_terminal_is_current() -> None:
    for name, picture in make_pictures.terminals().items():
        assert text_of(PICTURES / name) == picture, "run make pictures"


@pytest.mark.parametrize("name", make_pictures.FIGURES)
def test_a_figure_is_current(name: str, tmp_path: Path) -> None:
    """By its signature; its bytes are those of one version of matplotlib."""
    make_pictures.draw(name, tmp_path)
    found, expected = (
        re.findall(r"<dc:description>(.*?)</dc:description>", text_of(folder / name))
        for folder in (PICTURES, tmp_path)
    )
    assert len(expected) == 1
    plain = make_examples.without_versions
    assert [*map(plain, found)] == [*map(plain, expected)], "make pictures"
    assert f"pictures/{name}" in text_of(DOCS / "figures.md")


def test_pictures_are_small_and_need_no_network() -> None:
    for path in PICTURES.iterdir():
        assert path.stat().st_size <= 150_000, path
        if path.suffix == ".svg":
            addresses = set(re.findall(r"https?://[^\"'\s)<]+", text_of(path)))
            names = ("www.w3.org/", "purl.org/", "creativecommons.org/ns#")  # of namespaces
            assert all(one.partition("//")[2].startswith(names) for one in addresses), addresses


# Python: examples, recipes and the notebook

PYTHON = DOCS / "python.md"


def recipe(file: str) -> str:
    """The program of this name on the page."""
    found = re.search(rf"```python\n# {re.escape(file)}\n(.*?)```", text_of(PYTHON), re.DOTALL)
    assert found is not None, file
    return found[1]


def run_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip


def test_examples_of_python_return_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(str(PYTHON), module_relative=False)
    assert (failed, tried > 15) == (0, True)


def test_the_page_has_every_function_and_all_that_results_have() -> None:
    page = text_of(PYTHON)
    functions = [name for name in confint_cli.__all__ if name.islower() and name[0] != "_"]
    assert [name for name in functions if f"| `{name}` |" not in page] == []
    rows = [name for name in confint_cli.__all__ if name.endswith("Row")]
    assert [name for name in rows if f"`{name}`" not in page] == []
    members = [name for name in vars(confint_cli.Result) if not name.startswith("_")]
    assert [name for name in members if f"`.{name}" not in page] == []


@pytest.mark.slow
def test_the_recipe_of_a_test_fails_when_a_model_gets_worse(tmp_path: Path) -> None:
    (tmp_path / "test_quality.py").write_text(recipe("test_quality.py"))
    scores = {str(topic): {"nDCG@10": 0.3 + topic % 7 / 20} for topic in range(40)}
    (tmp_path / "production.json").write_text(json.dumps(scores))
    for loss, is_fine in ((0.0, True), (0.01, True), (0.2, False)):
        candidate = {
            topic: {"nDCG@10": of_topic["nDCG@10"] - loss * (int(topic) % 3) + 0.01}
            for topic, of_topic in scores.items()
        }
        (tmp_path / "candidate.json").write_text(json.dumps(candidate))
        done = run_in(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_quality.py")
        assert (done.returncode == 0) == is_fine, done.stdout
    assert "on nDCG@10, candidate is worse than production: the difference is" in done.stdout


@pytest.mark.long
def test_the_recipe_with_ranx_compares_its_runs(tmp_path: Path) -> None:
    (tmp_path / "with_ranx.py").write_text(recipe("with_ranx.py"))
    done = run_in(tmp_path, "with_ranx.py")
    assert done.returncode == 0, done.stderr
    verdict = "dense is significantly better than bm25: the difference is 0.4390, with 95%"
    assert done.stdout.startswith(verdict)


def test_the_recipe_with_pandas_makes_the_table_of_a_paper(tmp_path: Path) -> None:
    (tmp_path / "table.py").write_text(recipe("table.py"))
    rows = ["name,qid,measure,value"]
    for run, plus in (("bm25", 0.0), ("dense", 0.1)):
        for topic in range(12):
            for measure, times in (("AP", 1.0), ("RR", 2.0)):
                rows.append(f"{run},{topic},{measure},{times * (plus + topic / 44):.4f}")
    (tmp_path / "perquery.csv").write_text("\n".join([*rows, ""]))
    done = run_in(tmp_path, "table.py")
    assert done.returncode == 0, done.stderr
    header, _, first, second = done.stdout.splitlines()
    assert header.split() == ["measure", "AP", "RR"]
    assert first.split()[:2] == ["bm25", "0.125"]
    assert second.split()[:2] == ["dense", "0.225"]


@pytest.mark.slow
def test_the_notebook_shows_what_it_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import nbformat

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    kept = make_notebook.texts(nbformat.read(make_notebook.NOTEBOOK, as_version=4))
    shown = make_notebook.texts(make_notebook.executed())
    versions = re.compile(r"(scipy|numpy|confint)[-:][0-9.]+")
    assert [versions.sub("", text) for text in shown] == [versions.sub("", text) for text in kept]
    assert len(kept) > 5
