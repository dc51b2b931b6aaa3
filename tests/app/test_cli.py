"""The program as a whole: exit statuses, what it imports, what it leaves behind."""

import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from confint_cli import __version__
from confint_cli.app.cli import cli
from confint_cli.app.files import safe_file_name, safe_file_names
from confint_cli.common.text import quoted
from tests.conftest import SAMPLES, Confint

PROGRAM = [sys.executable, "-m", "confint_cli"]
COMMANDS = cli.list_commands(None)  # type: ignore[arg-type]


def imported_by(*calls: tuple[str, ...]) -> list[set[str]]:
    """Make calls in one new process and return what it had imported after each."""
    code = (
        "import sys\nfrom confint_cli.app.cli import run\n"
        f"for args in {calls!r}:\n"
        "    assert run(args) == 0\n"
        "    print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout
    return [set(line.split()) for line in done.stderr.splitlines()]


def test_help_imports_nothing_heavy() -> None:
    calls = [("--help",), ("--version",), *((name, "--help") for name in COMMANDS)]
    for call, imported in zip(calls, imported_by(*calls), strict=True):
        assert "confint_cli.app.cli" in imported
        assert not imported & {"numpy", "scipy", "rich", "pytrec_eval", "matplotlib"}, call


def test_reading_scores_does_not_import_what_only_scoring_needs() -> None:
    (imported,) = imported_by(("score", "--quiet", str(SAMPLES / "trec_eval/bm25.eval")))
    assert "numpy" in imported
    assert not imported & {"scipy", "rich", "pytrec_eval", "multiprocessing"}


def test_the_version_is_that_of_the_package(confint: Confint) -> None:
    assert confint("--version").out == f"confint, version {__version__}\n"


def test_the_console_script_and_the_module_are_one_program() -> None:
    script = Path(sys.executable).parent / "confint"
    outputs = [
        subprocess.run([*program, "formats"], capture_output=True, check=True).stdout
        for program in ([str(script)], PROGRAM)
    ]
    assert outputs[0] == outputs[1] != b""


# Output files


def test_the_format_of_a_file_is_that_of_its_ending(tmp_path: Path, confint: Confint) -> None:
    source = SAMPLES / "trec_eval/bm25.eval"
    for name, beginning in {
        "a.tsv": "run\ttopic", "a.csv": "run,topic", "a.json": "{\n", "a.jsonl": '{"run"',
        "a.md": "| run", "a.tex": "% \\use", "a.txt": "run ",
    }.items():  # fmt: skip
        result = confint("score", "-m", "map", source, "-o", tmp_path / name)
        assert (result.status, result.out) == (0, "")
        assert (tmp_path / name).read_text().startswith(beginning)
    assert confint("score", "-m", "map", source, "-f", "csv", "-o", tmp_path / "b.dat").status == 0
    assert (tmp_path / "b.dat").read_text() == (tmp_path / "a.csv").read_text()


def test_an_output_file_is_written_whole_or_not_at_all(tmp_path: Path, confint: Confint) -> None:
    out = tmp_path / "out.tsv"
    out.write_text("precious")
    result = confint("score", tmp_path / "nothing", "-o", out)
    assert result.status == 1
    assert out.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["out.tsv"]


def test_an_output_file_is_readable_by_others_as_usual(tmp_path: Path, confint: Confint) -> None:
    confint("score", "-m", "map", SAMPLES / "trec_eval/bm25.eval", "-o", tmp_path / "out.tsv")
    (tmp_path / "plain").write_text("")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out.tsv", "plain")}
    assert len(modes) == 1


def test_output_through_a_link_leaves_the_link(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "real.tsv").write_text("old")
    (tmp_path / "link.tsv").symlink_to("real.tsv")
    confint("score", "-m", "map", SAMPLES / "trec_eval/bm25.eval", "-o", tmp_path / "link.tsv")
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "real.tsv").read_text().startswith("run\t")


def test_a_device_can_be_written_to(confint: Confint) -> None:
    source = SAMPLES / "trec_eval/bm25.eval"
    assert confint("score", "-m", "map", source, "-f", "tsv", "-o", "/dev/null").status == 0
    assert confint("score", "-m", "map", source, "-o", "/dev/null").status == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_one_file_a_run_named_safely_inside_the_folder(tmp_path: Path, confint: Confint) -> None:
    runs = [
        "../../evil",
        "/etc/passwd",
        "-rf",
        ".hidden",
        "a b\tc",
        "CON",
        "A",
        "a",
        "x" * 300,
        "é",
    ]
    table = tmp_path / "scores.csv"
    quoted = [f'"{run}",1,map,0.5' for run in runs]
    table.write_text("run,topic,measure,score\n" + "\n".join(quoted) + "\n")
    folder = tmp_path / "deep" / "out"
    result = confint("score", table, "--layout", "trec_eval", "-o", f"{folder}/")
    assert result.status == 0, result.err
    written = sorted(path.name for path in folder.iterdir())
    assert len({name.casefold() for name in written}) == len(runs)
    assert {path.name for path in tmp_path.iterdir()} == {"scores.csv", "deep"}
    assert all(len(name) < 150 and name[0] not in ".-" for name in written)
    assert "..%2F..%2Fevil.eval" not in written
    assert "%2E.%2F..%2Fevil.eval" in written


def test_the_trec_eval_layout_is_trec_evals(tmp_path: Path, confint: Confint) -> None:
    result = confint("score", "-m", "map,P_10", "--every", 25, "--layout", "trec_eval",
                     SAMPLES / "trec_eval/hybrid.eval")  # fmt: skip
    printed = (SAMPLES / "trec_eval/hybrid.eval").read_text().splitlines()
    kept = [line for line in printed if line.split()[0] in ("map", "P_10")
            and line.split()[1] in ("301", "326")]  # fmt: skip
    lines = result.out.splitlines()
    assert lines[:4] == kept
    assert lines[4:6] == ["runid                 \tall\thybrid", "num_q                 \tall\t2"]
    assert [line.split()[0] for line in lines[6:]] == ["map", "P_10"]
    folder = tmp_path / "evals"
    all_runs = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    confint("score", "-m", "map", *all_runs, "--quiet", "--layout", "trec_eval", "-o", folder)
    assert {path.name for path in folder.iterdir()} == {path.name for path in all_runs}
    back = confint("score", "-m", "map", *folder.iterdir(), "--quiet")
    assert back.out == confint("score", "-m", "map", *all_runs, "--quiet").out


def test_safe_names_are_different_for_different_names() -> None:
    names = ["a/b", "a%2Fb", "a-ca978112ca1b", "A", "a", "", "." * 3, "x" * 200, "x" * 201]
    safe = safe_file_names(names, ".tsv")
    assert len({name.casefold() for name in safe}) == len(names)
    assert safe_file_name("bm25-rm3_v1.0", ".eval") == "bm25-rm3_v1.0.eval"


# Messages


def test_quiet_says_nothing_and_notes_are_told_otherwise(confint: Confint) -> None:
    paths = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    assert confint("score", *paths, "--quiet").err == ""
    told = confint("score", *paths).err
    assert told == (
        "confint: note: using map, Rprec, recip_rank, P_10, ndcg_cut_10, ndcg of 26 measures; "
        "choose others with -m NAME, or use -m all\n"
        "confint: warning: 1 run lacks some of the 50 topics: early-stop lacks 4; scored 0 there\n"
    )


# Where results may go


EVAL = SAMPLES / "trec_eval/bm25.eval"


def run_program(*args: object, shell: str = "{}") -> subprocess.CompletedProcess[str]:
    command = " ".join(map(shlex.quote, [*PROGRAM, *map(str, args)]))
    return subprocess.run(
        ["bash", "-c", shell.format(command)], capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("shell", ["{} -f tsv -o /dev/stdout", "{} -f tsv -o >(cat) | cat"])
def test_pipes_and_devices_are_written_to_as_they_are(shell: str) -> None:
    done = run_program("score", "-m", "map", EVAL, shell=shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("run\ttopic\tmeasure\tscore\nbm25\t301\tmap\t")


def test_a_named_pipe_is_written_to_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run_program("score", "-m", "map", EVAL, "-f", "tsv", "-o", pipe,
                       shell="{} & cat " + str(pipe) + "; wait")  # fmt: skip
    assert done.stdout.startswith("run\ttopic\tmeasure\tscore\nbm25\t301\tmap\t")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_device_is_told_in_one_line(confint: Confint) -> None:
    result = confint("score", "-m", "map", EVAL, "-f", "tsv", "-o", "/dev/full")
    assert (result.status, result.err) == (
        1, "confint: /dev/full: cannot be written (No space left on device)\n",
    )  # fmt: skip


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, confint: Confint) -> None:
    out = tmp_path / "out.tsv"
    out.write_text("secret")
    out.chmod(0o600)
    assert confint("score", "-m", "map", EVAL, "-o", out).status == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert out.read_text().startswith("run\t")


def test_other_files_in_the_folder_are_mentioned(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "old.eval").write_text("")
    result = confint("score", "-m", "map", EVAL, "--layout", "trec_eval", "-o", tmp_path)
    assert result.err == f"confint: note: {tmp_path} holds other files too: old.eval\n"
    assert {path.name for path in tmp_path.iterdir()} == {"old.eval", "bm25.eval"}


def test_trec_evals_layout_has_trec_evals_names(confint: Confint) -> None:
    result = confint("score", "-q", SAMPLES / "qrels.txt", "-m", "AP,nDCG@10,RR@10", "--every", 50,
                     "--layout", "trec_eval", SAMPLES / "runs/bm25.run")  # fmt: skip
    assert [line.split()[0] for line in result.out.splitlines()] == [
        "map", "ndcg_cut_10", "recip_rank_cut_10", "runid", "num_q",
        "map", "ndcg_cut_10", "recip_rank_cut_10",
    ]  # fmt: skip


@pytest.mark.parametrize("args", [("measures", "AP"), ("formats", "TREC_EVAL")])
def test_an_explanation_goes_where_it_is_told(args, tmp_path: Path, confint: Confint) -> None:
    printed = confint(*args)
    assert printed.status == 0
    assert confint(*args, "-o", tmp_path / "out.txt").out == ""
    assert (tmp_path / "out.txt").read_text() == printed.out
    refused = confint(*args, "-f", "json")
    assert (refused.status, refused.err) == (
        2, "confint: --format is only for the list; an explanation is plain text\n",
    )  # fmt: skip


def test_inputs_are_not_overwritten_by_a_folder_of_files(tmp_path: Path, confint: Confint) -> None:
    copy = tmp_path / "bm25.eval"
    copy.write_bytes(EVAL.read_bytes())
    result = confint("score", "-m", "map", copy, "--layout", "trec_eval", "-o", tmp_path)
    assert (result.status, result.err) == (
        2, f"confint: -o would overwrite an input: {quoted(str(copy))}\n",
    )  # fmt: skip
    assert copy.read_bytes() == EVAL.read_bytes()


def test_a_hyphen_is_standard_output_for_every_layout_and_command(
    tmp_path: Path, confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    score = ("score", "-m", "map", EVAL)
    assert confint(*score, "-o", "-").out == confint(*score).out
    assert confint(*score, "-o", "-", "-f", "csv").out.startswith("run,topic")
    assert "runid" in confint(*score, "--layout", "trec_eval", "-o", "-").out
    assert "formula" in confint("measures", "AP", "-o", "-").out
    assert list(tmp_path.iterdir()) == []


def test_what_is_behind_standard_output_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run_program("score", "-m", "map", EVAL, "-f", "tsv", "-o", "/dev/stdout",
                       shell="(echo before; {}) > " + str(out))  # fmt: skip
    assert done.returncode == 0
    assert out.read_text().startswith("before\nrun\ttopic")


def test_few_digits_are_few_for_topics_and_means(confint: Confint) -> None:
    text = confint("score", "-m", "map", EVAL, "--layout", "trec_eval", "--digits", 1).out
    assert {len(line.split("\t")[2]) for line in text.splitlines() if line.startswith("map")} == {3}
    assert confint("score", "-", stdin=text.encode()).err == ""


def test_the_layout_keeps_names_that_trec_eval_means_otherwise(confint: Confint) -> None:
    gdeval = b"runid,topic,ndcg@20\na,1,0.5\na,2,0.5\na,amean,0.5\n"
    text = confint("score", "-", "--layout", "trec_eval", stdin=gdeval).out
    assert {line.split()[0] for line in text.splitlines()} == {"ndcg@20", "runid", "num_q"}
