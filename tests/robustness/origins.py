"""Where names come from: files, tags, topics, measures, columns, lists."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.robustness.hostile import PLAIN, Kind, as_csv


@dataclass(frozen=True)
class Origin:
    """A place that a name comes from: the files of a call, and the column of TSV that has it."""

    what: str
    can_have: Callable[[Kind], bool]
    call: Callable[[Kind], list[object]]  # writes the files into the folder that it is made in
    column: str = "run"


def any_cell(kind: Kind) -> bool:
    return not kind.only_in_json


def of_file_name(kind: Kind) -> list[object]:
    path = os.fsdecode(kind.raw + b".eval")
    Path(path).write_bytes(b"map\t1\t0.5\nmap\t2\t0.5\nmap\tall\t0.5\n")
    return ["score", "--", path]


def of_folder(kind: Kind) -> list[object]:
    """Two files of one name, which their folders tell apart."""
    folders = [os.fsdecode(kind.raw), PLAIN]
    for folder in folders:
        Path(folder).mkdir()
        Path(folder, "x.eval").write_bytes(b"map\t1\t0.5\nmap\tall\t0.5\n")
    return [
        "score",
        "--quiet",
        "--sort",
        "input",
        "--",
        *(os.path.join(folder, "x.eval") for folder in folders),
    ]


def of_tag(kind: Kind) -> list[object]:
    Path("qrels").write_bytes(b"1 0 d 1\n2 0 d 1\n")
    Path("x.run").write_bytes(b"".join(b"%d Q0 d 1 1 %s\n" % (n, kind.raw) for n in (1, 2)))
    return ["score", "-q", "qrels", "-m", "map", "--name-from", "tag", "x.run"]


def of_topic_in_judgements(kind: Kind) -> list[object]:
    Path("qrels").write_bytes(kind.raw + b" 0 d 1\n")
    Path("x.run").write_bytes(kind.raw + b" Q0 d 1 1 x\n")
    return ["score", "-q", "qrels", "-m", "map", "x.run"]


def of_eval(kind: Kind) -> list[object]:
    """A measure as trec_eval would print it."""
    Path("x.eval").write_bytes(b"".join(b"%s\t%s\t0.5\n" % (kind.raw, t) for t in (b"q1", b"all")))
    return ["score", "x.eval"]


def of_matrix(kind: Kind) -> list[object]:
    Path("x.csv").write_bytes(as_csv([("topic", kind.text, PLAIN), ("1", 0.5, 0.5)]))
    return ["score", "x.csv", "--sort", "input"]


def of_ndeval(kind: Kind) -> list[object]:
    Path("x.csv").write_bytes(
        as_csv([("runid", "topic", kind.text), ("x", "1", 0.5), ("x", "amean", 0.5)])
    )
    return ["score", "x.csv"]


def of_list(kind: Kind) -> list[object]:
    Path("names").write_bytes(kind.raw + b"\n")
    Path("x.tsmatrix").write_bytes(b"0.5\n0.25\n")
    return ["score", "x.tsmatrix", "--run-names", "names"]


def of_judge(kind: Kind) -> list[object]:
    """A run of a cheaper judge's files, by a pattern, that has to be the run of people's."""
    for folder, topics in (("people", range(6)), ("llm", range(20))):
        Path(folder).mkdir()
        for name, better in ((os.fsdecode(kind.raw), 4), (PLAIN, 1)):
            lines = [f"map\t{t}\t0.{better + t * 7 % 5}\n" for t in topics]
            mean = sum(float(line.split()[2]) for line in lines) / len(lines)
            Path(folder, f"{name}.eval").write_text("".join([*lines, f"map\tall\t{mean:.4f}\n"]))
    paths = [os.path.join("people", f"{name}.eval") for name in (os.fsdecode(kind.raw), PLAIN)]
    return ["interval", "--judge-scores", "llm/{run}.eval", "--", *paths]


def of_topics_of_both(kind: Kind) -> list[object]:
    """A run and topics of tables by people and by a cheaper judge."""
    for name, topics in (("people", range(6)), ("llm", range(20))):
        cells = [(run, f"{kind.text}{t}", kind.text, better + t * 7 % 5) for t in topics
                 for run, better in ((kind.text, 4), (PLAIN, 1))]  # fmt: skip
        Path(f"{name}.csv").write_bytes(as_csv([("run", "topic", "measure", "score"), *cells]))
    return ["interval", "--judge-scores", "llm.csv", "people.csv"]


ORIGINS = {
    "file": Origin("the name of a file", lambda kind: kind.is_a_file_name, of_file_name),
    "folder": Origin("the name of a folder", lambda kind: kind.is_a_file_name, of_folder),
    "tag": Origin("the tag of a run", lambda kind: kind.is_a_word, of_tag),
    "judgements": Origin(
        "a topic of judgements and runs", lambda kind: kind.is_a_word and kind.text[0] != "#",
        of_topic_in_judgements, "topic"),
    "eval": Origin("a measure of trec_eval", lambda kind: kind.is_a_word, of_eval, "measure"),
    "matrix": Origin("a column of a matrix", any_cell, of_matrix),
    "ndeval": Origin("a measure in a header", any_cell, of_ndeval, "measure"),
    "judge": Origin("a run of a cheaper judge's files", lambda kind: kind.is_a_file_name, of_judge),
    "judged": Origin("a run of a cheaper judge's table", any_cell, of_topics_of_both),
    "list": Origin("a list of names", lambda kind: any_cell(kind) and b"\n" not in kind.raw
                   and kind.text[0] != "#", of_list),
}  # fmt: skip
