"""Reading JSON and Parquet against the libraries that decode them."""

import json
from pathlib import Path

import numpy as np

from benchmarks.data import scratch
from benchmarks.harness import Row, Rows, compete, self_timed

TITLE = "Reading JSON and Parquet"
_REMARK = """\
The scores are made up. The peer decodes the file and does nothing with it. All rows are on one
core, without the start of Python."""

_MEASURES = ["map", "ndcg_cut_10", "P_10", "recip_rank", "Rprec"]

_OURS = """
import sys, time
from confint_cli.inputs import read_scores
from confint_cli.inputs.formats import formats
from confint_cli.inputs.reading import Reader
import numpy
formats()
began = time.perf_counter()
_, reading = read_scores(sys.argv[1], Reader(lambda names: names))
print(time.perf_counter() - began)
assert sum(len(series.topics) for series in reading.series) == int(sys.argv[2])
"""

_OUR_RUN = """
import sys, time
from confint_cli.inputs.runs import read_run
from confint_cli.inputs.source import read_source
began = time.perf_counter()
run = read_run(read_source(sys.argv[1]))
print(time.perf_counter() - began)
assert sum(map(len, run.rankings.values())) == int(sys.argv[2])
"""

_JSON = """
import json, sys, time
began = time.perf_counter()
with open(sys.argv[1]) as file:
    json.loads(file.read())
print(time.perf_counter() - began)
"""

_JSON_LINES = """
import json, sys, time
began = time.perf_counter()
with open(sys.argv[1]) as file:
    rows = [json.loads(line) for line in file]
print(time.perf_counter() - began)
"""

_PYARROW = """
import sys, time
import pyarrow.parquet
began = time.perf_counter()
pyarrow.parquet.read_table(sys.argv[1])
print(time.perf_counter() - began)
"""


def rows() -> Rows:
    """Made-up scores; the peer decodes the file and does nothing with it. No start of Python."""
    folder = scratch() / "tables"
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(0)
    return [
        _row("Parquet: 10 million scores of 100 runs", _OURS, _PYARROW, "pyarrow's read_table",
             _long_parquet(folder, random), 10_000_000, "3 times its time at most"),
        _row("Parquet: a million topics by nine runs", _OURS, _PYARROW, "pyarrow's read_table",
             _wide_parquet(folder, random), 9_000_000, ""),
        _row("JSON of pytrec_eval: 100,000 topics, five measures", _OURS, _JSON, "json.loads",
             _by_topic(folder, random), 500_000, "twice its time at most"),
        _row("JSON by run: 100 runs, 1,000 topics", _OURS, _JSON, "json.loads",
             _by_run(folder, random), 500_000, "twice its time at most"),
        _row("JSON lines: 100,000 topics, five measures", _OURS, _JSON_LINES,
             "json.loads of every line", _lines(folder, random), 500_000, "twice its time at most"),
        _row("a run in JSON: 500 topics, 1,000 documents", _OUR_RUN, _JSON, "json.loads",
             _run(folder, random), 500_000, "twice its time at most"),
        _REMARK,
    ]  # fmt: skip


def _row(what: str, ours: str, peer: str, name: str, path: Path, size: int, goal: str) -> Row:
    own, other = compete(
        lambda: self_timed(ours, path, size, cores=1),
        lambda: self_timed(peer, path, cores=1),
        rounds=5,
    )
    return Row(what, own, name, other, goal)


def _long_parquet(folder: Path, random: np.random.Generator) -> Path:
    import pyarrow
    from pyarrow.parquet import write_table

    runs, topics, measures = 100, 20_000, len(_MEASURES)
    numbers = {
        "run": (np.repeat(np.arange(runs), topics * measures), [f"run{n}" for n in range(runs)]),
        "qid": (
            np.tile(np.repeat(np.arange(topics), measures), runs),
            [str(n) for n in range(1, topics + 1)],
        ),
        "measure": (np.tile(np.arange(measures), runs * topics), _MEASURES),
    }
    columns = {
        name: pyarrow.DictionaryArray.from_arrays(
            pyarrow.array(codes.astype(np.int32)), pyarrow.array(texts)
        ).cast(pyarrow.string())
        for name, (codes, texts) in numbers.items()
    }
    path = folder / "long.parquet"
    scores = pyarrow.array(random.random(runs * topics * measures))
    write_table(pyarrow.table({**columns, "score": scores}), path)
    return path


def _wide_parquet(folder: Path, random: np.random.Generator) -> Path:
    import pyarrow
    from pyarrow.parquet import write_table

    size, path = 1_000_000, folder / "AP.parquet"
    runs = {f"run{n}": pyarrow.array(random.random(size)) for n in range(9)}
    write_table(pyarrow.table({"qid": [str(n) for n in range(size)], **runs}), path)
    return path


def _scores(random: np.random.Generator) -> dict[str, float]:
    return dict(zip(_MEASURES, random.random(len(_MEASURES)).tolist(), strict=True))


def _by_topic(folder: Path, random: np.random.Generator) -> Path:
    return _dumped(
        folder / "run.json", {str(topic): _scores(random) for topic in range(1, 100_001)}
    )


def _by_run(folder: Path, random: np.random.Generator) -> Path:
    nested = {
        f"run{run}": {str(topic): _scores(random) for topic in range(1, 1001)} for run in range(100)
    }
    return _dumped(folder / "runs.json", nested)


def _lines(folder: Path, random: np.random.Generator) -> Path:
    path = folder / "run.jsonl"
    objects = ({"qid": str(topic), **_scores(random)} for topic in range(100_000))
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return path


def _run(folder: Path, random: np.random.Generator) -> Path:
    rankings = {
        str(topic): {f"D{topic}-{n}": score for n, score in enumerate(random.random(1000).tolist())}
        for topic in range(1, 501)
    }
    return _dumped(folder / "ranking.json", rankings)


def _dumped(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
