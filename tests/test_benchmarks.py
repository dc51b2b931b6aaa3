"""The benchmarks' own parts: fits, the page, agreement, made collections, memory, shape."""

import ast
import gzip
import json
import math
import subprocess
import sys
from importlib import import_module
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from benchmarks import compare, data, interval, machine, made, run, shape
from benchmarks.agreement import (
    RESAMPLES,
    DisagreementError,
    check_limits,
    check_p,
    check_scores,
    scores_in,
)
from benchmarks.growth import Growth, exponent
from benchmarks.harness import Row, Timing, compete, measure, self_timed
from benchmarks.peers import Limits, scipy_limits
from benchmarks.report import page, section
from benchmarks.task import collect
from benchmarks.watch import family, megabytes, watch
from tests.conftest import ROOT, Confint, records

# Exponents


@pytest.mark.parametrize("power", [0, 0.5, 1, 2])
def test_the_exponent_of_a_power_is_that_power(power: float) -> None:
    sizes = (10, 40, 160)
    assert exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power, abs=1e-12)


def test_the_exponent_is_that_of_least_squares() -> None:
    sizes, costs = (1, 2, 8), (1.0, 3.0, 5.0)
    slope = np.polyfit(np.log(sizes), np.log(costs), 1)[0]
    assert exponent(sizes, costs) == pytest.approx(slope)


def growth(*seconds: float, start: float = 0.0) -> Growth:
    timings = [Timing(second, 100.0) for second in seconds]
    return Growth("`rank`; 10 topics", "runs", (1000, 2000, 4000), timings, start, "2: pairs")


def test_the_start_of_the_program_is_no_part_of_the_growth() -> None:
    assert growth(0.5 + 1, 0.5 + 4, 0.5 + 16, start=0.5).exponent == pytest.approx(2)
    assert growth(0.5 + 1, 0.5 + 4, 0.5 + 16).exponent < 1.9
    assert growth(1, 4, 16).exponent_of_memory == pytest.approx(0)
    assert math.isnan(growth(1, 4, 16, start=1.5).exponent)


# The page

ROW = Row("17 runs", Timing(2.0, 1234.4), "a loop", Timing(25.0, 10.0), "5 times")


def test_the_page_has_all_that_was_measured() -> None:
    remark = "trec_eval is not on the PATH, and left out."
    text = page(
        {"Scoring": [ROW, remark], "Growth": [growth(1, 4, 160)]},
        machine="a machine, 2 cores", versions="numpy 2.0", data="Real data: X.", day="2026-01-31",
    )  # fmt: skip
    title, empty, paragraph, *_ = text.splitlines()
    assert (title, empty) == ("# Benchmarks", "")
    assert paragraph
    assert "Measured on 2026-01-31: a machine, 2 cores.\n\nnumpy 2.0.\n\nReal data: X.\n" in text
    assert "| 17 runs | 2.00 s | 1,234 MB | a loop | 25.0 s | 12.5 | 5 times |\n" in text
    assert f"|\n\n{remark}\n\n## Growth\n" in text
    assert (
        "| 1,000 · 2,000 · 4,000 | 1.00 · 4.00 · 160 | 100 · 100 · 100 | 3.66 | 2: pairs |" in text
    )
    assert text.endswith("|\n")
    for is_table, lines in groupby(text.splitlines(), lambda line: line.startswith("|")):
        if is_table:
            assert len({line.count("|") for line in lines}) == 1


def test_a_section_without_figures_says_why() -> None:
    assert (
        section("Bayes", ["numpyro is not installed."]) == "## Bayes\n\nnumpyro is not installed."
    )


def test_the_processor_is_named_by_its_model(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Made  Up 9000\nprocessor\t: 1\n")
    assert machine.processor(cpuinfo) == "Made Up 9000"
    assert machine.processor(tmp_path / "none")


def test_machine_and_versions_are_told() -> None:
    assert " cores, " in machine.machine()
    assert f"numpy {np.__version__} (" in machine.versions()


@pytest.mark.parametrize("name", run.WORKLOADS)
def test_every_workload_has_a_title_and_rows(name: str) -> None:
    module = import_module(f"benchmarks.{name}")
    assert module.TITLE
    assert callable(module.rows)


def test_an_unknown_workload_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["run", "starting", "scoring!"])
    with pytest.raises(SystemExit, match="no workload scoring!; there are: reading, tables, "):
        run.main()


# Agreement: a peer that does another job is found out.


@pytest.fixture(scope="module")
def ours() -> Limits:
    return interval.our_limits(interval.skewed(), RESAMPLES)


ERROR = float(interval.skewed().std(ddof=1) / np.sqrt(interval.skewed().size))


def test_limits_of_scipy_are_ours(ours: Limits) -> None:
    theirs = scipy_limits(interval.skewed(), RESAMPLES, seed=1)
    assert theirs.keys() == {"percentile", "basic", "bca"}
    check_limits("scipy", ours, theirs, ERROR)


@pytest.mark.parametrize(
    ("claimed", "done"),
    [("percentile", "basic"), ("percentile", "bca"), ("bca", "bootstrap-t"), ("basic", "bca")],
)
def test_another_method_is_found_out(ours: Limits, claimed: str, done: str) -> None:
    with pytest.raises(DisagreementError, match=f"peer: a limit of {claimed} is "):
        check_limits("peer", ours, {claimed: ours[done]}, ERROR)


def test_no_limits_are_no_agreement(ours: Limits) -> None:
    with pytest.raises(DisagreementError):
        check_limits("peer", ours, {"bca": (float("nan"), float("nan"))}, ERROR)
    with pytest.raises(DisagreementError, match="no limits"):
        check_limits("peer", ours, {}, ERROR)


def test_p_values_of_few_draws_may_differ_and_others_not() -> None:
    check_p("peer", 0.05, 0.06, 10_000)
    check_p("peer", 1e-4, 2e-4, 10_000)
    for other in (0.08, 0.025, float("nan")):
        with pytest.raises(DisagreementError, match="peer: p is "):
            check_p("peer", 0.05, other, 10_000)


def test_pairs_compared_by_scipy_are_ours() -> None:
    compare.check()


def test_scores_are_read_from_what_each_tool_prints() -> None:
    expected = {("301", "map"): 0.25, ("301", "ndcg_cut_10"): 0.5}
    confint = "run\ttopic\tmeasure\tscore\nx\t301\tAP\t0.2500\nx\t301\tnDCG@10\t0.5000\n"
    trec_eval = "map        \t301\t0.2500\nndcg_cut_10\t301\t0.5000\nmap        \tall\t0.2500\n"
    ir_measures = "301\tAP\t0.2500\n301\tnDCG@10\t0.5000\nall\tAP\t0.2500\n"
    assert scores_in(confint, (1, 2, 3)) == expected
    assert scores_in(trec_eval, (1, 0, 2)) == expected
    assert scores_in(ir_measures, (0, 1, 2)) == expected


OUR_SCORES = {(str(topic), "map"): topic / 100 for topic in range(40)}


def test_rounded_scores_agree_and_a_topic_may_lack() -> None:
    theirs = {key: score + 0.00005 for key, score in OUR_SCORES.items() if key[0] != "7"}
    check_scores("peer", OUR_SCORES, theirs)


@pytest.mark.parametrize(
    "change", [{("7", "map"): 0.0702}, {("7", "map"): float("nan")}, {("41", "map"): 0.41}]
)
def test_other_scores_do_not(change: dict[tuple[str, str], float]) -> None:
    with pytest.raises(DisagreementError, match="peer"):
        check_scores("peer", OUR_SCORES, OUR_SCORES | change)


def test_few_scores_do_not() -> None:
    with pytest.raises(DisagreementError, match="peer has 1 scores, we 40"):
        check_scores("peer", OUR_SCORES, {("7", "map"): 0.07})


# Made collections

TASK = made.Task(topics=12, depth=30, judged=20)


def test_a_made_run_is_one(tmp_path: Path) -> None:
    rows = [line.split(" ") for line in TASK.write_run(tmp_path / "r", 3).read_text().splitlines()]
    assert len(rows) == 12 * 30
    for topic, group in groupby(rows, lambda row: row[0]):
        of_topic = list(group)
        assert [row[3] for row in of_topic] == [str(rank) for rank in range(1, 31)]
        scores = [float(row[4]) for row in of_topic]
        assert scores == sorted(scores, reverse=True)
        assert len({row[2] for row in of_topic}) == 30, topic
        assert all(len(row[2]) == len("clueweb09-en0042-13-00917") for row in of_topic)
    assert {(row[1], row[5]) for row in rows} == {("Q0", "run0003")}
    assert [topic for topic, _ in groupby(rows, lambda row: row[0])] == [*map(str, range(1, 13))]


def test_a_made_task_is_the_same_each_time_and_runs_are_not_alike(tmp_path: Path) -> None:
    first = TASK.write_run(tmp_path / "first", 3).read_bytes()
    again = made.Task(topics=12, depth=30, judged=20).write_run(tmp_path / "again.gz", 3)
    assert gzip.decompress(again.read_bytes()) == first
    assert TASK.write_run(tmp_path / "other", 4).read_bytes() != first


def test_a_collected_task_can_be_scored_and_is_kept(tmp_path: Path, confint: Confint) -> None:
    task = collect(tmp_path, TASK, 3)
    scores = records(confint(*task.call("interval", runs=2)[1:], "-m", "AP", "--method", "t"))
    assert {score["run"] for score in scores} == {"run0000", "run0001"}
    assert all(0.05 < float(score["mean"]) < 0.95 for score in scores)
    assert {score["topics"] for score in scores} == {"12"}
    task.runs[0].write_text("kept")
    collect(tmp_path, TASK, 4)
    assert task.runs[0].read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir())[1:] == [
        "run0000.txt", "run0001.txt", "run0002.txt", "run0003.txt",
    ]  # fmt: skip


def test_made_data_stand_in_for_real_ones_and_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, confint: Confint
) -> None:
    # Patched: where data are is asked when benchmarks start, before any test.
    monkeypatch.setattr(data, "DATA", tmp_path / "none")
    monkeypatch.setattr(data, "USED", {})
    paths = data.ntcir7()
    assert len(paths) == 40
    assert data.ntcir7() == paths
    (row,) = records(confint("interval", "-m", "Q_1000", "--method", "t", paths[0]))
    assert row["topics"] == "97"
    assert data.pages_line() == (
        "Made-up data of the same shape (by a seeded script, `benchmarks/made.py`) stand in for: "
        "NTCIR-7 IR4QA."
    )
    real = tmp_path / "real" / "soboroff2014" / "trec8.adhoc"
    made.write_evals(real, ["a", "b"], 3, ["map"])
    monkeypatch.setattr(data, "DATA", tmp_path / "real")
    assert data.trec8() == [real / "a.eval", real / "b.eval"]
    assert data.pages_line().startswith("Real data: TREC-8 ad hoc. Made-up data")


# Time and memory

_TWO_PROCESSES = """
import subprocess, sys
held = bytearray(b"x") * 50_000_000
child = [sys.executable, "-c", sys.argv[1]] if sys.argv[1:] else None
if child:
    with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        print("ready", flush=True)
        sys.stdin.read()
else:
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_memory_is_that_of_all_processes_together() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _TWO_PROCESSES, _TWO_PROCESSES],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        parent, child = family(process.pid)
        assert parent == process.pid
        assert 45 < megabytes(parent) < 90
        assert 45 < megabytes(child) < 90
        process.stdin.close()
    assert family(child) == [child]
    assert megabytes(child) == 0


def test_a_measurement_has_seconds_and_memory() -> None:
    found = measure([[sys.executable, "-c", "held = bytearray(b'x') * 60_000_000"]])
    assert found.seconds > 0
    assert 55 < found.megabytes < 100


def test_a_contestant_may_print_its_own_time() -> None:
    assert self_timed("import sys; print(sys.argv[1])", 12.5).seconds == 12.5


def test_a_contestant_that_fails_ends_the_measurement(capfd: pytest.CaptureFixture[str]) -> None:
    code = "import sys; print('no such run', file=sys.stderr); sys.exit(3)"
    with pytest.raises(SystemExit, match="exit status 3"):
        watch([[sys.executable, "-c", code]], show=False)
    assert capfd.readouterr().err == "no such run\n"


def test_the_fastest_time_and_the_most_memory_count() -> None:
    timings = iter([Timing(3, 10), Timing(1, 70), Timing(2, 30), Timing(5, 20)])
    assert compete(lambda: next(timings), lambda: next(timings), rounds=2) == [
        Timing(2, 30), Timing(1, 70),
    ]  # fmt: skip


# The shape of the code


@pytest.mark.slow
def test_the_shape_is_measured() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.shape", "--rounds", "1", "--json"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    code, spines = found["code"], found["spines"]
    paths = list((ROOT / "confint_cli").rglob("*.py"))
    assert code["modules"] == len(paths)
    assert code["without_init"] == len([path for path in paths if path.stem != "__init__"])
    assert code["in_root"] == 2
    assert code["lines"] == sum(path.read_text().count("\n") for path in paths)
    assert code["edges"] > code["modules"] > code["fan_in"]["most"] > code["fan_in"]["median"]
    assert code["cycle"] == []
    for name, spine in spines.items():
        assert len(spine["way"]) == spine["first_hops"] <= spine["hops"] < spine["functions"], name
        assert 8 < spine["files"] <= spine["hops"]
        # From the program's first function to the method, its values, and their way out.
        for place in ("app/cli.py:main", "inputs/formats/trec_eval.py:read", "scores/join.py:join",
                      f"app/commands/{name}.py:command.<locals>.ask", "stats/methods/t.py:interval",
                      "outputs/__init__.py:render", "outputs/tsv.py:render"):  # fmt: skip
            assert spine["way"].count(place) == 1, (name, place)
    assert spines["interval"]["points"]["format's read"] == 1
    assert spines["compare"]["points"]["format's read"] == 8
    assert all(start["ratio"] > 0 for start in found["starts"].values())


def test_a_turning_point_that_is_not_seen_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(shape.TURNING_POINTS, "interval", ("join", "test's p"))
    with pytest.raises(SystemExit, match=r"interval: not seen .*: test's p$"):
        shape.spine_of(ROOT, "interval")


_IMPORTS = """
from typing import TYPE_CHECKING
import numpy, p.a
from p import b, name
if TYPE_CHECKING:
    from p.c import X
try:
    from p.d import Y
except ImportError:
    import p.e
def late():
    from p import f
"""


def test_imports_at_once_are_told_from_late_ones() -> None:
    modules = dict.fromkeys(["p", *(f"p.{name}" for name in "abcdefg")])
    tree = ast.parse(_IMPORTS)
    at_once = shape.own_imports(tree, "p.g", modules, late=False)
    assert at_once == {"p", "p.a", "p.b", "p.d", "p.e"}
    assert shape.own_imports(tree, "p.g", modules, late=True) == {*at_once, "p.c", "p.f"}


def test_a_circle_of_imports_is_found() -> None:
    assert shape.cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == ()
    found = shape.cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    assert found in (("b", "c", "b"), ("c", "b", "c"))
