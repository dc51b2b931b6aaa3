"""The recipes of docs/recipes.md run as they stand, in folders such as their readers have."""

import gzip
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, SAMPLES

PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
EVALS = SAMPLES / "trec_eval"
TREC_EVAL = """\
#!/bin/sh
# What trec_eval -q prints, kept in a file.
exec cat "evals/$(basename "$3" .run).eval"
"""


def recipes(heading: str, language: str) -> list[str]:
    """Return the blocks of a language in the section with this heading and below it."""
    section = re.search(rf"^(##+) {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert section is not None, heading
    return re.findall(rf"^```{language}\n(.*?)^```$", section[2], re.M | re.S)


def run(command: list[str], folder: Path, program: Path) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}:{program.parent}:{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=folder, text=True, check=False, capture_output=True,
        env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
    )  # fmt: skip


def shell(recipe: str, folder: Path, program: Path) -> subprocess.CompletedProcess[str]:
    """Run a recipe to its end, or to its first error."""
    done = run(["bash", "-c", f"set -eo pipefail\n{recipe}"], folder, program)
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr.lower(), done.stderr
    return done


def needs(*programs: str) -> None:
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"needs {program}")


# The folders of readers


def plain(folder: Path) -> None:
    """Judgements, runs, and what trec_eval prints for them; of this year and of others."""
    shutil.copy(SAMPLES / "qrels.txt", folder)
    shutil.copytree(SAMPLES / "runs", folder / "runs")
    shutil.copytree(EVALS, folder / "evals")
    for name in ("production", "candidate"):
        shutil.copy(SAMPLES / "runs" / "dense.run", folder / "runs" / f"{name}.run")
    shutil.copytree(EVALS, folder / "evals-2024")
    (folder / "evals-2025").mkdir()
    later = re.sub(r"\t3(\d\d)\t", r"\t4\1\t", (EVALS / "hybrid.eval").read_text())
    (folder / "evals-2025" / "hybrid.eval").write_text(later)
    for name, text in (("trec_eval", TREC_EVAL), ("publish.sh", "#!/bin/sh\ntouch published\n")):
        path = folder / ("bin" if name == "trec_eval" else "") / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)


def shared_task(folder: Path) -> None:
    """Submissions of strangers: one is damaged, one lacks topics, two have the same tag."""
    shutil.copy(SAMPLES / "qrels.txt", folder)
    submissions = folder / "submissions"
    submissions.mkdir()
    for path in (SAMPLES / "runs").iterdir():
        text = path.read_text().replace(" bm25\n", " organisers-bm25\n")
        (submissions / f"team-{path.stem}.txt").write_text(text)
    (submissions / "broken.txt").write_text("301 Q0 d1 1 high tag\n")
    last_year = folder / "last-year"
    last_year.mkdir()
    shutil.copy(SAMPLES / "qrels.txt", last_year)
    shutil.copytree(SAMPLES / "runs", last_year / "runs")


def pyterrier(folder: Path) -> None:
    """The frame of an experiment as CSV, and runs as PyTerrier writes them."""
    rows = ["name,qid,measure,value"]
    for run_name in ("bm25", "dense"):
        for line in (EVALS / f"{run_name}.eval").read_text().splitlines():
            measure, topic, value = line.split()
            if measure in ("map", "ndcg_cut_10") and topic != "all":
                rows.append(f"{run_name},{topic},{measure},{value}")
    (folder / "perquery.csv").write_text("\n".join([*rows, ""]))
    shutil.copy(SAMPLES / "qrels.txt", folder)
    (folder / "runs").mkdir()
    for run_name in ("bm25", "dense"):
        with gzip.open(folder / "runs" / f"{run_name}.res.gz", "wb") as file:
            file.write((SAMPLES / "runs" / f"{run_name}.run").read_bytes())


def documents(path: Path, value: int) -> dict[str, dict[str, float]]:
    """Return what a TREC file says of each document of each topic."""
    found: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        words = line.split()
        found.setdefault(words[0], {})[words[2]] = float(words[value])
    return found


def ranx(folder: Path) -> None:
    """The files of `Run.save`, `Qrels.save`, and the scores that `evaluate` leaves in a run."""
    grades = documents(SAMPLES / "qrels.txt", 3)
    kept = {topic: {doc: int(grade) for doc, grade in of.items()} for topic, of in grades.items()}
    (folder / "qrels.json").write_text(json.dumps(kept))
    (folder / "runs").mkdir()
    (folder / "evals").mkdir()
    for name in ("bm25", "dense"):
        found = documents(SAMPLES / "runs" / f"{name}.run", 4)
        (folder / "runs" / f"{name}.json").write_text(json.dumps(found))
        scores: dict[str, dict[str, float]] = {"map": {}, "ndcg@10": {}}
        for line in (EVALS / f"{name}.eval").read_text().splitlines():
            measure, topic, value = line.split()
            measure = measure.replace("ndcg_cut_", "ndcg@")
            if measure in scores and topic != "all":
                scores[measure][topic] = float(value)
        (folder / "evals" / f"{name}.json").write_text(json.dumps(scores))


def beir(folder: Path) -> None:
    """Collections of BEIR, with models of one training and of several."""
    samples = SAMPLES / "beir"
    for number, collection in enumerate(("cooking", "health", "law", "travel")):
        name = "scifact" if not number else collection
        shutil.copytree(samples / collection, folder / "beir" / name)
        for path in (samples / "runs").iterdir():
            kinds = ["seeds", "runs"] if "." not in path.name else ["seeds"]
            places = [folder / kind / path.name / f"{name}.json" for kind in kinds]
            if path.suffix == ".seed1":
                places.append(folder / "runs" / path.stem / f"{name}.json")
            for place in places:
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path / f"{collection}.json", place)
    shutil.copy(folder / "runs" / "dense" / "law.json", folder / "arguana.json")


def mteb(folder: Path) -> None:
    """Predictions of MTEB: subset, split, query, document."""
    rows = []
    for topic, grades in documents(SAMPLES / "qrels.txt", 3).items():
        for doc, grade in grades.items():
            rows.append(json.dumps({"query-id": topic, "corpus-id": doc, "score": int(grade)}))
    (folder / "nfcorpus-qrels.jsonl").write_text("\n".join(rows) + "\n")
    for name in ("bm25", "dense"):
        found = documents(SAMPLES / "runs" / f"{name}.run", 4)
        path = folder / "predictions" / name / "NFCorpus_predictions.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"default": {"test": found}}))


def harness(folder: Path) -> None:
    """Samples of lm-evaluation-harness: a line for each item and filter."""
    for place, name in enumerate(("llama", "other")):
        path = folder / "results" / name / "samples_gsm8k_2025-01-01.jsonl"
        path.parent.mkdir(parents=True)
        rows = [
            {"doc_id": item, "filter": kind, "exact_match": float((item * 7 + place) % 5 > 1)}
            for item in range(40)
            for kind in ("strict-match", "flexible-extract")
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


WORLDS: dict[str, tuple[Callable[[Path], None], list[str], tuple[str, ...]]] = {
    "For researchers: one-liners": (
        plain, ["pairs.tsv", "forest.png", "forest.tsv", "report.html"], ("jq", "awk")),
    "For organisers of a shared task": (shared_task, [], ()),
    "From PyTerrier": (pyterrier, [], ()),
    "From ranx": (ranx, [], ()),
    "From BEIR's evaluator": (beir, ["forest.pdf", "beir.tex"], ("jq",)),
    "From MTEB": (mteb, ["nfcorpus/dense.json"], ("jq",)),
    "From LLM evaluation harnesses": (harness, ["gsm8k/llama.jsonl"], ("jq",)),
}  # fmt: skip


@pytest.mark.parametrize("heading", WORLDS)
def test_recipes_for_the_shell_run(heading: str, tmp_path: Path, quick_confint: Path) -> None:
    """All but those for jq, where it is not installed."""
    prepare, files, programs = WORLDS[heading]
    prepare(tmp_path)
    blocks = recipes(heading, "sh")
    assert blocks
    lacking = [program for program in programs if not shutil.which(program)]
    for block in blocks:
        parts = re.split(r"\n\n", block) if lacking else [block]
        for part in parts:
            if not any(re.search(rf"\b{program}\b", part) for program in lacking):
                shell(part, tmp_path, quick_confint)
    if not lacking:
        assert [name for name in files if not (tmp_path / name).stat().st_size] == []


def test_every_section_with_a_recipe_for_the_shell_is_tried() -> None:
    with_shell = {
        heading for heading in re.findall(r"^## (.*)$", PAGE, re.M) if recipes(heading, "sh")
    }
    assert with_shell == {*WORLDS}


def test_the_makefile_of_a_paper_builds_it_once(tmp_path: Path, quick_confint: Path) -> None:
    needs("make")
    plain(tmp_path)
    core, gate = recipes("For authors: a paper that rebuilds itself", "make")
    (tmp_path / "Makefile").write_text(core)
    done = run(["make"], tmp_path, quick_confint)
    assert done.returncode == 0, done.stderr
    assert r"\label{tab:main}" in (tmp_path / "tables/main.tex").read_text()
    assert (tmp_path / "figures/forest.pdf").stat().st_size
    assert "Nothing to be done" in run(["make"], tmp_path, quick_confint).stdout

    (tmp_path / "Makefile").write_text(gate)
    (tmp_path / "checks").mkdir()
    assert run(["make"], tmp_path, quick_confint).returncode == 0
    assert (tmp_path / "published").exists()
    shutil.copy(SAMPLES / "runs" / "keyword.run", tmp_path / "runs" / "candidate.run")
    (tmp_path / "published").unlink()
    failed = run(["make"], tmp_path, quick_confint)
    assert "Error 3" in failed.stderr
    assert not (tmp_path / "checks" / "candidate.tsv").exists()
    assert not (tmp_path / "published").exists()


def test_the_batch_of_organisers_goes_on_without_what_is_broken(
    tmp_path: Path, quick_confint: Path
) -> None:
    needs("make")
    shared_task(tmp_path)
    (batch,) = recipes("For organisers of a shared task", "make")
    (tmp_path / "batch.mk").write_text(batch)
    done = run(["make", "-f", "batch.mk"], tmp_path, quick_confint)
    assert done.returncode == 0, done.stderr
    problems = (tmp_path / "problems.txt").read_text()
    assert "submissions/broken.txt:1: " in problems
    assert "early-stop" in problems  # lacks topics
    assert problems in done.stdout
    tags = sorted({run.read_text().split()[5] for run in (tmp_path / "submissions").glob("team*")})
    assert len(tags) == 8
    standings = (tmp_path / "standings.md").read_text()
    page = (tmp_path / "report.html").read_text()
    for tag in tags:
        assert f"| {tag} " in standings
        assert tag in page
    assert "compared with organisers-bm25" in re.sub(r"<[^>]+>", "", page).replace("\n", " ")
    feedback = tmp_path / "feedback"
    assert sorted(path.stem for path in feedback.glob("*.eval")) == tags
    assert (feedback / f"{tags[0]}.eval").read_text().count("\n") >= 150
    assert (tmp_path / "factors.tsv").read_text().splitlines()[1].startswith("measure\ttopic")
    again = run(["make", "-f", "batch.mk"], tmp_path, quick_confint)
    assert "Nothing to be done" in again.stdout
