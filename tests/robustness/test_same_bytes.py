"""The same scores give the same bytes: whatever the order of files, the machine and its settings.

All commands run in a process under three sets of circumstances that differ in all that should not
matter; results are compared as JSON, which has every digit, and as figures.
"""

import gzip
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, SAMPLES, Confint, worth_a_process
from tests.robustness.promises import promise

MEASURES = ["-m", "map,P_10"]
FEW = ["--resamples", "300"]

# Of each command all that draws random numbers, adds up, or puts runs in an order.
COMMANDS = {
    "score": [*MEASURES],
    "interval": [*MEASURES, "--method", "all", *FEW],
    "compare": ["-m", "map", "--all-pairs", "--test", "all", "--simultaneous",
                "--method", "t,bca", *FEW],
    "rank": [*MEASURES, *FEW],
    "bayes": ["-m", "map", "--draws", "500", "--baseline", "BASELINE"],
    "risk": [*MEASURES, "--baseline", "BASELINE", *FEW],
    "coverage": ["-m", "map", "--method", "t,bca,bootstrap-t", "--replicates", "40",
                 "--sample-size", "5,20", "--resamples", "100", "--standardize", "3"],
    "describe": [*MEASURES],
    "plan": ["-m", "map"],
    "standardize": [*MEASURES, "--reference-sample", "4"],
    "agreement": [*MEASURES, "--judge-scores", str(SAMPLES / "trec_eval/{run}.eval"),
                  "--draws", "300"],
    "report": [*MEASURES, "--baseline", "BASELINE", *FEW],
}  # fmt: skip
# Draws nothing, or shows the call itself, or a judge that says what people say.
SEEDLESS = {"score", "describe", "plan", "report", "agreement"}
DRAWS_NOTHING = {"score", "standardize", "report", "summary"}  # no figure


@dataclass(frozen=True)
class Circumstances:
    """What a result must not depend on."""

    order: int  # seed of the order of files and of calls; 0 is that of their names
    jobs: int
    draws: bool  # figures too, which take longer than all else
    inside: bool  # whether the program is called in the folder of the files, by their bare names
    environment: dict[str, str]


CIRCUMSTANCES = (
    Circumstances(0, 1, True, False, {
        "PYTHONHASHSEED": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}),
    Circumstances(1, 2, True, True, {
        "PYTHONHASHSEED": "2", "OPENBLAS_NUM_THREADS": "2", "LC_ALL": "POSIX",
        "TZ": "Asia/Tokyo", "COLUMNS": "1", "PYTHONIOENCODING": "ascii"}),
    Circumstances(2, 5, False, False, {
        "PYTHONHASHSEED": "3", "OPENBLAS_NUM_THREADS": "1", "LANGUAGE": "tr", "COLUMNS": "none",
        "TERM": "dumb", "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "0"}),
)  # fmt: skip


# Makes each call in a process that has the circumstances from its start on.
CALLER = """
import json, sys
from confint_cli.common.parallel import prepare_for_arrays
prepare_for_arrays()
from confint_cli.app.cli import run
for call in json.load(sys.stdin):
    status = run(call)
    if status:
        sys.exit(f"{status}: {call}")
"""

Calls = Mapping[str, tuple[Sequence[str], Sequence[Path]]]  # options and files of each command


def outcomes(folder: Path, calls: Calls, how: Circumstances) -> dict[str, bytes]:
    """Return the bytes of all that the calls write, by the name of the file."""
    folder.mkdir(parents=True)
    lines = []
    for command, (options, files) in calls.items():
        given = [*files]
        if how.order:
            random.Random(how.order).shuffle(given)
            assert given != list(files)
        names = [path.name if how.inside else str(path) for path in given]
        out = folder / f"{command}.{'html' if command == 'report' else 'json'}"
        line = [command, *options, *names, "-o", str(out)]
        if command not in DRAWS_NOTHING and len(files) < 20 and how.draws:
            line += ["--plot", str(folder / f"{command}.svg")]
        if command != "summary":
            line += ["--jobs", str(how.jobs)]
        lines.append(line)
    if how.order:
        random.Random(how.order).shuffle(lines)
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", CALLER],
        input=json.dumps(lines).encode(),
        cwd=given[0].parent if how.inside else ROOT,
        env={**kept, "PYTHONPATH": str(ROOT), **how.environment},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == b""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def check_same(
    folder: Path, calls: Calls, circumstances: Sequence[Circumstances] = CIRCUMSTANCES
) -> None:
    first, *others = (
        outcomes(folder / str(number), calls, how) for number, how in enumerate(circumstances)
    )
    assert {name.partition(".")[0] for name in first} == {*calls}
    assert min(map(len, first.values())) > 100
    for other in others:
        assert [name for name, content in other.items() if content != first[name]] == []
        assert {name.partition(".")[0] for name in other} == {*calls}


@promise(
    "the same files in another order, with other `--jobs`, hash seeds, threads of BLAS, locales, "
    "time zones, terminals, from another folder, at another time",
    "the same result to the last bit: tables with every digit, figures, the page of `report`",
)
@pytest.mark.slow
@pytest.mark.parametrize(
    "collection", ["sample_runs", pytest.param("trec8.adhoc", marks=pytest.mark.long)]
)
def test_a_result_depends_on_the_scores_alone(
    collection: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Those of 8 made-up runs, and of the 129 runs of TREC-8."""
    if collection == "sample_runs":
        folder = SAMPLES / "trec_eval"
    else:
        folder = request.getfixturevalue("data") / "soboroff2014" / collection
    runs = sorted(folder.glob("*.eval"))
    calls = {
        command: (
            [runs[3].stem if word == "BASELINE" else word for word in options],
            runs[::3] if command == "compare" and len(runs) > 20 else runs,  # or 8256 pairs
        )
        for command, options in COMMANDS.items()
    }
    check_same(tmp_path, calls, CIRCUMSTANCES[:: 1 if len(runs) < 20 else 2])


def test_scores_of_runs_and_summaries_depend_on_their_files_alone(
    tmp_path: Path, confint: Confint
) -> None:
    published = tmp_path / "published"
    published.mkdir()
    for path in sorted((SAMPLES / "trec_eval").glob("*.eval")):
        table = published / f"{path.stem}.tsv"
        options = ["-m", "map", "--method", "t", "--quiet"]
        assert confint("interval", path, *options, "-o", table).status == 0
    for path in sorted((SAMPLES / "runs").glob("*.run")):
        (published / path.name).symlink_to(path)
    qrels = ["-q", str(SAMPLES / "qrels.txt"), "-m", "AP,nDCG@10,RR@10"]
    calls = {
        "interval": (qrels, sorted(published.glob("*.run"))),
        "summary": (["--baseline", "dense"], sorted(published.glob("*.tsv"))),
    }
    check_same(tmp_path / "found", calls)


@pytest.mark.slow
def test_results_by_two_judges_depend_on_their_files_alone(tmp_path: Path) -> None:
    folder = SAMPLES / "judges"
    judges = ["-q", str(folder / "human.qrels"), "--judge-qrels", str(folder / "llm.qrels"),
              "-m", "AP,nDCG@10"]  # fmt: skip
    own = {
        "interval": [], "compare": ["--all-pairs", "--simultaneous", "--draws", "300"],
        "rank": ["--draws", "300"], "plan": ["--half-width", "0.05"],
        "coverage": ["--replicates", "40"],
    }  # fmt: skip
    runs = sorted((folder / "runs").glob("*.run"))
    calls = {command: ([*judges, *more], runs) for command, more in own.items()}
    check_same(tmp_path / "found", calls)


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in SEEDLESS])
def test_another_seed_than_0_gives_another_result(command: str, confint: Confint) -> None:
    files = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    options = ["dense" if word == "BASELINE" else word for word in COMMANDS[command]]
    call = [command, *options, *files, "--quiet"]
    usual, zero, one = (confint(*call, *seed) for seed in ((), ("--seed", 0), ("--seed", 1)))
    assert (usual.status, one.status) == (0, 0)
    assert usual == zero
    assert usual.out != one.out


@promise("runs with the same mean", "are in the order of their names, not in that of the files")
@pytest.mark.parametrize("command", ["score", "interval", "rank", "describe", "compare"])
def test_ties_are_broken_by_name(command: str, tmp_path: Path, confint: Confint) -> None:
    scores = (SAMPLES / "trec_eval/bm25.eval").read_bytes()
    files = [tmp_path / f"{name}.eval" for name in ("b10", "b9", "a", "C")]
    for path in files:
        path.write_bytes(scores)
    options = ["-m", "map", "-f", "json", "--quiet"]
    if command == "compare":
        options += ["--all-pairs"]
    first, *others = (
        confint(command, *options, *given) for given in (files, files[::-1], sorted(files))
    )
    assert first.status == 0
    assert [other.out for other in others] == [first.out, first.out]
    places = [first.out.index(f'"{name}"') for name in ("C", "a", "b9", "b10")]
    assert places == sorted(places)


@promise(
    "`--sort input`",
    "is the only option with which the order of files matters: it decides the order of rows, and "
    "nothing else",
)
def test_the_order_of_files_is_kept_where_it_is_asked_for(confint: Confint) -> None:
    files = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    options = ["interval", "-m", "map", "--sort", "input", "--digits", "17", "--quiet"]
    there, back = (confint(*options, *given) for given in (files, files[::-1]))
    assert there.out != back.out
    assert sorted(there.rows) == sorted(back.rows)
    assert list(dict.fromkeys(row[1] for row in back.rows)) == [path.stem for path in files[::-1]]


def test_messages_do_not_depend_on_the_order_of_files(tmp_path: Path, confint: Confint) -> None:
    files = []
    for name, topics in {"d": "12", "b": "21", "a": "89", "c": "98"}.items():  # two groups
        files.append(tmp_path / f"{name}.eval")
        files[-1].write_text("".join(f"map\t{topic}\t0.{ord(name)}\n" for topic in topics))
    first, *others = (confint("score", *given) for given in (files, files[::-1], sorted(files)))
    assert "2 groups that share no topic, with topics such as 1, 8" in first.err
    assert [other.err for other in others] == [first.err, first.err]


def test_a_page_has_its_notes_in_one_order(tmp_path: Path, confint: Confint) -> None:
    files = []
    for name in ("dense", "bm25"):
        files.append(tmp_path / f"{name}.run")
        run = (SAMPLES / f"runs/{name}.run").read_text()
        files[-1].write_text(run.replace(f" {name}\n", " other\n", 1))  # has two tags
    options = ["-q", SAMPLES / "qrels.txt", "-m", "map", *FEW]
    first, other = (confint("report", *options, *given) for given in (files, files[::-1]))
    assert first.out.count("has 2 tags: ") == 2
    assert other == first


# Processes and threads: above, work is too little to be shared out; here it is enough


PARALLEL: dict[str, tuple[str, list[str]]] = {
    "reading scores": ("ProcessPoolExecutor", ["score", "LARGE", *MEASURES]),
    "scoring runs": ("ProcessPoolExecutor", ["score", "RUNS", "-q", "QRELS", "-m", "AP,nDCG@10"]),
    "posteriors": ("ProcessPoolExecutor",
                   ["bayes", "EVALS", *MEASURES, "--all-pairs", "--draws", "36000"]),
    "replicates": ("ProcessPoolExecutor", ["coverage", "EVALS", *COMMANDS["coverage"]]),
    "the bootstrap": ("ThreadPoolExecutor",
                      ["interval", "EVALS", *MEASURES, "--method", "all", "--resamples", "140000"]),
}  # fmt: skip


@promise(
    "any number of processes or threads (`--jobs`)",
    "the same result to the last bit",
)
@pytest.mark.parametrize("work", PARALLEL)
def test_jobs_change_nothing(
    work: str, tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, words = PARALLEL[work]
    started = counted(monkeypatch, pool)
    evals = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    first, *runs = sorted((SAMPLES / "runs").glob("*.run"))
    files = {
        "EVALS": evals,
        "LARGE": [worth_a_process(evals[0], tmp_path), *evals[1:]],
        "RUNS": [worth_a_process(first, tmp_path), *runs],
        "QRELS": [SAMPLES / "qrels.txt"],
        "BASELINE": ["bm25"],
    }
    call = [part for word in words for part in files.get(word, [word])]
    outs, pools = [], []
    for jobs in (1, 2, 5):
        result = confint(*call, "-f", "json", "--quiet", "--jobs", jobs)
        assert result.status == 0, result.err
        outs.append(result.out)
        pools.append(started[pool])
    assert pools[0] == 0 < pools[1] < pools[2], "work was not shared out"
    assert outs[0] == outs[1] == outs[2]


@promise("a number of `--jobs` beyond all machines", "the same result, as soon as with fewer")
def test_more_jobs_than_any_machine_has(confint: Confint) -> None:
    evals = [SAMPLES / f"trec_eval/{run}.eval" for run in ("bm25", "tfidf", "dense")]
    call = ["compare", *evals, "-m", "map", "--all-pairs", "--simultaneous", "--quiet"]
    first, *others = (confint(*call, "--jobs", jobs) for jobs in (2, 10**9, 10**18))
    assert first.status == 0, first.err
    assert others == [first, first]


def counted(monkeypatch: pytest.MonkeyPatch, pool: str) -> Counter[str]:
    """Count how often a pool of processes or threads is started: it cannot be seen from outside."""
    import concurrent.futures

    started: Counter[str] = Counter()
    original = getattr(concurrent.futures, pool)

    def start(*args: Any, **options: Any) -> Any:
        started[pool] += 1
        return original(*args, **options)

    monkeypatch.setattr(concurrent.futures, pool, start)
    return started


@promise(
    "the same table from a file, a pipe (`-`) or gzip",
    "the same result",
)
def test_however_a_table_comes(tmp_path: Path, confint: Confint) -> None:
    files = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    table = confint("score", "-m", "map", *files, "--quiet").out.encode()
    plain, packed = tmp_path / "table.tsv", tmp_path / "table.tsv.gz"
    plain.write_bytes(table)
    packed.write_bytes(gzip.compress(table))
    results = [
        confint("rank", *FEW, "-f", "json", path, stdin=table) for path in (plain, "-", packed)
    ]
    assert results[0].status == 0
    assert len({result.out for result in results}) == 1
