"""What strangers' files get: the exact message, exit status 1 (2 for the call), and no output."""

import gzip
import os
from pathlib import Path

import pytest

from confint_cli.app import commands
from confint_cli.common.records import modules_in
from confint_cli.inputs.formats import formats
from confint_cli.outputs import formats as output_formats
from confint_cli.outputs import offered
from tests.conftest import SAMPLES, Confint, worth_a_process

EVAL = b"map\t1\t0.5\nmap\t2\t0.3\nmap\tall\t0.4\n"
QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = b"1 Q0 a 1 0.9 x\n1 Q0 b 2 0.8 x\n2 Q0 b 1 0.5 x\n"


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own, so that messages have short paths."""
    monkeypatch.chdir(tmp_path)
    for name, content in {"a.eval": EVAL, "qrels": QRELS, "x.run": RUN}.items():
        Path(name).write_bytes(content)


def write(name: str, content: bytes) -> str:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return name


ALL_FORMATS = ", ".join(formats())

STREAM = (
    "  hint: are these several outputs in one stream? then each needs a runid line, which "
    "trec_eval prints unless -m chooses measures (-m runid adds it); or give each output as a file"
)
FILES = {
    "missing": (None, ["confint: b.eval: no such file", "  hint: did you mean a.eval?"]),
    "empty": (b"", [
        "confint: b.eval: is empty", "  hint: did the command that should have written it fail?"]),
    "blank": (b" \n\n", [
        "confint: b.eval: is empty", "  hint: did the command that should have written it fail?"]),
    "binary": (b"\x89PNG\r\n\x1a\n\0\0\0", ["confint: b.eval: is a binary file, not text"]),
    "xz": (b"\xfd7zXZ\0\0", [
        "confint: b.eval: is a binary file, not text",
        "  hint: confint unpacks gzip only; unpack this file: xz -dc FILE | confint … -"]),
    "a stray carriage return": (b"map\t1\t0.5\rmap\t2\t0.5\nmap\t3\t0.5\n", [
        "confint: b.eval:1: 3 fields are needed (measure, topic, value), not 6: "
        "'map\\t1\\t0.5\\rmap\\t2\\t0.5'"]),
    "utf-16": ("map\t1\t0.5".encode("utf-16"), [
        "confint: b.eval: is UTF-16 text", "  hint: save it as UTF-8"]),
    "no format": (b"hello world\nhow are you\n", [
        "confint: b.eval: is not in a known format: it begins with 'hello world'",
        "  hint: 'confint formats' lists the formats that confint reads"]),
    "too few fields": (b"map\t1\t0.5\nmap\t0.3\nmap\t3\t0.1\n", [
        "confint: b.eval:2: 3 fields are needed (measure, topic, value), not 2: 'map\\t0.3'"]),
    "no number": (b"map\t1\t0.5\nmap\t2\tx.3\n", [
        "confint: b.eval:2: the value of 'map' is not a number: 'x.3'"]),
    "nan": (b"map\t1\t0.5\nmap\t2\tNaN\n", [
        "confint: b.eval:2: the value of 'map' is not finite: 'NaN'"]),
    "infinite": (b"map\t1\t0.5\nmap\t2\tinf\n", [
        "confint: b.eval:2: the value of 'map' is not finite: 'inf'"]),
    "duplicate row": (b"map\t1\t0.5\nmap\t2\t0.3\nmap\t1\t0.5\n", [
        "confint: b.eval:3: a second row for topic '1' and 'map'; the first is line 1", STREAM]),
    "duplicate row of a run": (b"run,topic,score\nx,1,0.5\ny,1,0.5\nx,1,0.5\n", [
        "confint: b.eval:4: a second row for topic '1' and 'b' of run 'x'; the first is line 2"]),
    "truncated gzip": (gzip.compress(EVAL * 100)[:-20], [
        "confint: b.eval: the gzip file is cut short", "  hint: copy or download it again"]),
    "only means": (b"map\tall\t0.4\nP_10\tall\t0.2\n", [
        "confint: b.eval: has only means over all topics",
        "  hint: confint needs the scores of every topic: use trec_eval -q or ir_measures -q"]),
    "a run": (RUN, [
        "confint: b.eval: holds a run, not per-topic scores",
        "  hint: to score runs, give the judgements as --qrels FILE and the runs as FILES"]),
    "judgements": (QRELS, [
        "confint: b.eval: holds relevance judgements, not per-topic scores",
        "  hint: to score runs, give the judgements as --qrels FILE and the runs as FILES"]),
    "numbered judgements": (b"301 0 17 1\n301 0 18 0\n", [
        "confint: b.eval: holds relevance judgements, not per-topic scores",
        "  hint: to score runs, give the judgements as --qrels FILE and the runs as FILES"]),
    "header only": (b"run\ttopic\tmeasure\tscore\n", [
        "confint: b.eval: has no per-topic scores"]),
    "ragged matrix": (b"0.1 0.2\n0.3 0.4\n0.5\n", [
        "confint: b.eval:3: 2 columns are needed, not 1: '0.5'"]),
    "ragged table": (b"topic,x,y\n1,0.1,0.2\n2,0.3\n", [
        "confint: b.eval:3: 3 columns are needed, not 2: '2, 0.3'"]),
    "columns of one name": (b"topic,x,x\n1,0.1,0.2\n", [
        "confint: b.eval:1: two columns are named 'x'"]),
    "no JSON": (b'{"query_id": "1", "measure": "AP", "value": 0.5}\n{"query_id"\n', [
        "confint: b.eval:2: not a JSON object: '{\"query_id\"'"]),
    "a blank in a topic": (b"map\t1\t0.5\nmap\t2 0\t0.3\nmap\t3\t0.1\n", [
        "confint: b.eval:2: 3 fields are needed (measure, topic, value), not 4: "
        "'map\\t2 0\\t0.3'"]),
    "a summary that is no number": (b"map\t1\t0.5\nmap\tall\tO.5\n", [
        "confint: b.eval:2: the value of 'map' is not a number: 'O.5'"]),
    "two summaries": (b"map\t1\t0.5\nmap\tall\t0.5\nmap\tall\t0.4\n", [
        "confint: b.eval:3: a second row for 'all' and 'map'", STREAM]),
    "an empty topic": (b"run,topic,measure,score\nx,1,map,0.5\nx, ,map,0.5\n", [
        "confint: b.eval:3: the topic is empty"]),
    "no topic in JSON": (b'{"query_id": null, "measure": "AP", "value": 0.5}\n', [
        "confint: b.eval:1: the topic is empty"]),
    "a NUL far from the beginning": (b"map\t1\t0.5\n" * 1000 + b"map\t2\0\t0.5\n", [
        "confint: b.eval: is a binary file, not text"]),
    "JSON without end": (b'{"a":' * 12000, [
        "confint: b.eval: is not valid JSON: it is nested too deeply"]),
    "one measure twice": (b"map\t1\t0.5\nAP\t1\t0.5\n", [
        "confint: b.eval: has 'map' and 'AP', which are the same measure",
        "  hint: remove one of the two from the file"]),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_a_bad_file_of_scores(case: str, confint: Confint) -> None:
    content, message = FILES[case]
    if content is not None:
        write("b.eval", content)
    result = confint("score", "a.eval", "b.eval", "-o", "out.tsv")
    assert result.err.splitlines() == message
    assert (result.status, result.out) == (1, "")
    given = {"a.eval", "qrels", "x.run"} | ({"b.eval"} if content is not None else set())
    assert set(os.listdir()) == given


def test_a_damaged_gzip_file_is_refused(confint: Confint) -> None:
    damaged = bytearray(gzip.compress(os.urandom(1000)))
    damaged[30] ^= 0xFF
    result = confint("score", write("b.gz", bytes(damaged)))
    assert result.status == 1
    assert result.err.startswith("confint: b.gz: the gzip file is damaged (")


def test_a_directory_in_place_of_a_file_is_refused_with_a_hint(confint: Confint) -> None:
    os.mkdir("evals")
    result = confint("score", "-q", "evals", "x.run")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        "confint: evals: is a directory, not a file",
        "  hint: give the files in it: evals/*",
    ]


def test_standard_input_is_called_so(confint: Confint) -> None:
    result = confint("score", "-", stdin=b"map\t1\t0.5\nmap\t2\n")
    assert result.err == (
        "confint: standard input:2: 3 fields are needed (measure, topic, value), not 2: 'map\\t2'\n"
    )


def test_a_measure_that_no_file_has(confint: Confint) -> None:
    write("b.eval", b"map\t1\t0.5\nndcg_cut_10\t1\t0.1\nP_10\t1\t0.2\n")
    result = confint("score", "-m", "ndcg_cut10", "b.eval")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        "confint: there is no measure 'ndcg_cut10' in the scores",
        "  hint: did you mean ndcg_cut_10? there are: map, ndcg_cut_10, P_10",
    ]


def test_a_measure_that_is_no_mean_of_topics(confint: Confint) -> None:
    write("b.eval", b"map\t1\t0.5\nnum_ret\t1\t7\n")
    message = [
        "confint: 'num_ret' is a count, not a mean over topics",
        "  hint: choose a measure that is a mean over topics: 'confint measures' lists them",
    ]
    result = confint("score", "-m", "map,num_ret", "b.eval")
    assert (result.status, result.err.splitlines()) == (1, message)
    result = confint("score", "-q", "qrels", "-m", "map,num_ret", "x.run")
    assert (result.status, result.err.splitlines()) == (2, message)


def test_a_measure_that_cannot_be_computed(confint: Confint) -> None:
    result = confint("score", "-q", "qrels", "-m", "map,ndgc", "x.run")
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines()[0] == (
        "confint: measure 'ndgc' cannot be computed from judgements and runs"
    )
    assert result.err.splitlines()[1].startswith(
        "  hint: did you mean ndcg? there are: map, map_cut_k"
    )


RUNS = {
    "shares no topic": (b"7 Q0 a 1 0.9 x\n", [
        "confint: b.run: shares no topic with qrels",
        "  hint: the run has topics such as '7', the judgements '1'"]),
    "too few fields": (RUN + b"2 Q0 a 2 0.1\n", [
        "confint: b.run:4: 6 fields are needed (topic, Q0, document, rank, score, tag), "
        "not 5: '2 Q0 a 2 0.1'"]),
    "cut short": (RUN + b"2 Q0 a 2", [
        "confint: b.run:4: 6 fields are needed (topic, Q0, document, rank, score, tag), "
        "not 4: '2 Q0 a 2'",
        "  hint: the last line has no line end: was the file cut short?"]),
    "four fields in between": (RUN + b"2 Q0 a 2\n" + RUN, [
        "confint: b.run:4: 6 fields are needed (topic, Q0, document, rank, score, tag), "
        "not 4: '2 Q0 a 2'"]),
    "no number": (RUN + b"2 Q0 a 2 high x\n", [
        "confint: b.run:4: the score is not a number: 'high'"]),
    "nan": (RUN + b"2 Q0 a 2 nan x\n", ["confint: b.run:4: the score is not finite: 'nan'"]),
    "infinite": (RUN + b"2 Q0 a 2 -inf x\n", ["confint: b.run:4: the score is not finite: '-inf'"]),
    "document twice": (RUN + b"1 Q0 a 3 0.1 x\n", [
        "confint: b.run:4: document 'a' comes twice for topic '1'"]),
    "only comments": (b"# nothing\n# here\n", ["confint: b.run: holds no documents"]),
    "other digits": ("1 Q0 a 1 \u0661.\u0665 x\n".encode(), [
        "confint: b.run:1: the score is not a number: '\u0661.\u0665'"]),
    "a line that is wrapped": (b"1 Q0 a 1 0.9\nx 1 Q0 b 2 0.8 x\n", [
        "confint: b.run:1: 6 fields are needed (topic, Q0, document, rank, score, tag), "
        "not 5: '1 Q0 a 1 0.9'"]),
    "empty": (b"", [
        "confint: b.run: is empty", "  hint: did the command that should have written it fail?"]),
    "scores instead of a run": (EVAL, [
        "confint: b.run:1: 6 fields are needed (topic, Q0, document, rank, score, tag), "
        "not 3: 'map\\t1\\t0.5'",
        "  hint: does it hold scores already? then leave --qrels out"]),
    "judgements instead of a run": (QRELS, [
        "confint: b.run:1: 6 fields are needed (topic, Q0, document, rank, score, tag), "
        "not 4: '1 0 a 1'",
        "  hint: are --qrels and the run swapped? or did the shell expand a pattern after -q? put "
        "it in quotes"]),
}  # fmt: skip


@pytest.mark.parametrize("case", RUNS)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_run_is_told_with_its_line(case: str, jobs: int, confint: Confint) -> None:
    worth_a_process(Path("x.run"), Path(), 2_000_000)
    content, message = RUNS[case]
    write("b.run", content)
    result = confint("score", "-q", "qrels", "-m", "map", "--jobs", jobs, "x.run", "b.run")
    assert result.err.splitlines() == message
    assert (result.status, result.out) == (1, "")


def test_judgements_without_the_second_column(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("101 doc1 1\n101 doc2 0\n")
    result = confint("score", "-q", path, "-m", "map", SAMPLES / "runs/bm25.run")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines()[1] == (
        "  hint: if these are topic, document and grade, put a 0 before the document; if they are "
        "a run, are --qrels and the run swapped?"
    )


def test_run_and_judgements_swapped(confint: Confint) -> None:
    result = confint("score", "-q", "x.run", "-m", "map", "qrels")
    assert (result.status, result.out) == (1, "")
    assert result.err.splitlines() == [
        "confint: x.run:1: a judgement has to be 'topic iteration document grade' or NTCIR's "
        "'topic document L2', not '1 Q0 a 1 0.9 x'",
        "  hint: are --qrels and the run swapped?",
    ]


JUDGEMENTS = {
    "no grade": (b"1 0 a relevant\n", (
        "confint: b.qrels:1: the grade is not a whole number from -9999 to 9999: "
        "'1 0 a relevant'")),
    "enormous grade": (b"1 0 a 1\n1 0 b 2000000000\n", (
        "confint: b.qrels:2: the grade is not a whole number from -9999 to 9999: "
        "'1 0 b 2000000000'")),
    "judged twice": (b"1 0 a 1\n1 0 a 0\n", (
        "confint: b.qrels:2: document 'a' is judged twice for topic '1'")),
    "only comments": (b"# none\n", "confint: b.qrels: holds no judgements"),
    "a line that is wrapped": (b"1 0 a\n1 2 0 a 1\n", (
        "confint: b.qrels:1: a judgement has to be 'topic iteration document grade' or NTCIR's "
        "'topic document L2', not '1 0 a'")),
}  # fmt: skip


@pytest.mark.parametrize("case", JUDGEMENTS)
def test_bad_judgements_are_told_with_their_line(case: str, confint: Confint) -> None:
    content, message = JUDGEMENTS[case]
    write("b.qrels", content)
    result = confint("score", "-q", "b.qrels", "-m", "map", "x.run")
    assert (result.status, result.out, result.err) == (1, "", message + "\n")


def test_topics_that_are_not_judged_are_counted_for_those_who_ask(confint: Confint) -> None:
    write("b.run", RUN + b"8 Q0 a 1 0.5 x\n9 Q0 a 1 0.5 x\n")
    assert confint("score", "-q", "qrels", "-m", "map", "b.run").err == ""
    result = confint("score", "-q", "qrels", "-m", "map", "-v", "b.run")
    assert result.err == "confint: note: b.run: 2 topics are not judged, and ignored\n"
    assert {row[1] for row in result.rows} == {"1", "2"}


def test_two_files_of_one_run_name_are_told_apart_by_their_path(confint: Confint) -> None:
    for folder in ("one", "two"):
        write(f"{folder}/bm25.eval", EVAL)
    result = confint("score", "two/bm25.eval", "one/bm25.eval")
    assert result.status == 0
    assert result.err == (
        "confint: note: 2 runs are named 'bm25', and are told apart by path: one/bm25, two/bm25; "
        "if the folders are collections with different topics, use --labels "
        "'{collection}/{run}.eval'\n"
    )
    assert {row[0] for row in result.rows} == {"one/bm25", "two/bm25"}


def test_a_file_that_is_given_twice_is_refused(confint: Confint) -> None:
    result = confint("score", "a.eval", "a.eval")
    assert (result.status, result.err) == (2, "confint: 'a.eval' is given twice\n")
    result = confint("score", "a.eval", "./a.eval")
    assert (result.status, result.err) == (1, "confint: a.eval: is given twice\n")
    result = confint("score", "-", "-")
    assert (result.status, result.err) == (2, "confint: standard input (-) is given twice\n")


CALLS = {
    "an unknown format": (["--input-format", "trec_evil", "a.eval"], [
        "confint: no format is called 'trec_evil'",
        f"  hint: did you mean trec_eval? there are: {ALL_FORMATS}"]),
    "a bad choice": (["--missing", "nil", "a.eval"], [
        "confint: --missing 'nil' is none of zero, drop, error",
        "  hint: 'confint score --help' explains the options"]),
    "no files": ([], [
        "confint: no FILES given",
        "  hint: 'confint score --help' explains the options"]),
    "a level without judgements": (["--rel-level", "2", "a.eval"], [
        "confint: --rel-level needs --qrels: scores in FILES have their level already"]),
    "run names for named runs": (["--run-names", "qrels", "a.eval"], [
        "confint: --run-names is for matrices without names, but none of the FILES is one"]),
    "a measure's name where there is one": (["--measure-name", "AP", "a.eval"], [
        "confint: --measure-name is for files that name no measure, but all FILES name one"]),
    "a score format for runs": (["-q", "qrels", "--input-format", "long", "x.run"], [
        "confint: --input-format is for files of scores; with --qrels, FILES are runs"]),
    "no measure": (["-m", ",", "a.eval"], ["confint: -m names no measure"]),
    "a level below one": (["-q", "qrels", "--rel-level", "0", "x.run"], [
        "confint: --rel-level 0 is below 1",
        "  hint: 'confint score --help' explains the options"]),
    "no number": (["--every", "x", "a.eval"], [
        "confint: --every 'x' is not a whole number",
        "  hint: 'confint score --help' explains the options"]),
    "a cutoff of zero": (["-q", "qrels", "-m", "P@0", "x.run"], [
        "confint: measure 'P@0' cannot be computed from judgements and runs",
        "  hint: in P@k, k is a whole number, 1 or more"]),
    "an input as output": (["a.eval", "-f", "tsv", "-o", "./a.eval"], [
        "confint: -o would overwrite an input: './a.eval'"]),
    "a number that trec_eval rounds": (["-q", "qrels", "-m", "IPrec@0.125", "x.run"], [
        "confint: measure 'IPrec@0.125' cannot be computed from judgements and runs",
        "  hint: in IPrec@x, x has up to two decimals"]),
    "a cutoff beyond reason": (["-q", "qrels", "-m", "P@" + "9" * 30, "x.run"], [
        f"confint: measure 'P@{'9' * 30}' cannot be computed from judgements and runs",
        "  hint: in P@k, k is a whole number, 1 or more"]),
    "a signature where there is no place": (["a.eval", "--layout", "trec_eval", "--signature"], [
        "confint: --layout trec_eval has no place for a signature"]),
    "a name that is too long": (["a.eval", "-o", "x" * 300 + ".tsv"], [
        f"confint: cannot write '{'x' * 59}…': File name too long"]),
    "two standard inputs": (["-q", "-", "-"], [
        "confint: judgements and run cannot both be standard input (-)"]),
    "an ending that says nothing": (["a.eval", "-o", "out.xyz"], [
        "confint: the ending of 'out.xyz' does not stand for a format",
        "  hint: choose a format with --format, or use a file name that ends in "
        + ", ".join(output_formats()[name].endings[0] for name in offered())]),
    "a folder that is not there": (["a.eval", "-o", "no/out.tsv"], [
        "confint: cannot write 'no/out.tsv': No such file or directory"]),
    "a format for trec_eval's layout": (["a.eval", "--layout", "trec_eval", "-f", "csv"], [
        "confint: --layout trec_eval is a format of its own",
        "  hint: leave out --format, and use a file name that ends in .eval or .txt"]),
    "another format's ending": (["a.eval", "--layout", "trec_eval", "-o", "x.json"], [
        "confint: --layout trec_eval is a format of its own",
        "  hint: leave out --format, and use a file name that ends in .eval or .txt"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_a_bad_call_is_refused(case: str, confint: Confint) -> None:
    args, message = CALLS[case]
    result = confint("score", *args)
    assert result.err.splitlines() == message
    assert (result.status, result.out) == (2, "")


def test_an_unknown_option_names_the_nearest(confint: Confint) -> None:
    result = confint("score", "--mesure", "map", "a.eval")
    assert (result.status, result.out) == (2, "")
    problem, hint = result.err.splitlines()
    assert problem == "confint: there is no option --mesure"
    assert hint == "  hint: did you mean --measure? 'confint score --help' explains the options"


def test_several_runs_do_not_fit_one_trec_eval_file(confint: Confint) -> None:
    write("b.eval", EVAL)
    result = confint("score", "a.eval", "b.eval", "--layout", "trec_eval")
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines() == [
        "confint: trec_eval's layout has one run per file, but there are 2",
        "  hint: give a folder for the files: -o DIR/",
    ]


def test_an_unknown_command_or_name(confint: Confint) -> None:
    result = confint("scores", "a.eval")
    assert (result.status, result.err.splitlines()) == (
        2, ["confint: there is no command 'scores'",
            f"  hint: did you mean score? there are: {', '.join(modules_in(commands.__path__))}"],
    )  # fmt: skip
    result = confint("measures", "ndgc")
    assert result.status == 2
    problem, hint = result.err.splitlines()
    assert problem == "confint: no measure is called 'ndgc'"
    assert hint.startswith("  hint: did you mean ndcg? there are: map, map_cut_k, Rprec")


def test_lines_that_are_taken_for_comments_are_told_of(confint: Confint) -> None:
    write("h.qrels", b"# judged by us\n1 0 a 1\n1 0 b 0\n#2 0 a 1\n#3 0 a 1\n\n# the end\n")
    write("h.run", b"#2 Q0 a 1 2 x\n# by us, and of six words\n1 Q0 a 1 1 x\n#3 Q0 a 1 2 x")
    result = confint("score", "-q", "h.qrels", "-m", "map", "h.run")
    assert [row[1] for row in result.rows] == ["1"]
    assert result.err.splitlines() == [
        "confint: warning: h.qrels: 2 lines that look like a judgement begin with # and are "
        "comments",
        "confint: warning: h.run: 2 lines that look like a document begin with # and are comments",
    ]


def test_an_odd_blank_in_a_measure_that_is_not_wanted(confint: Confint) -> None:
    write("b.eval", b"num_ret\t1\t10\x0c00\n" + EVAL)
    result = confint("score", "b.eval", "-m", "map")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("confint: b.eval:1: 3 fields are needed")
