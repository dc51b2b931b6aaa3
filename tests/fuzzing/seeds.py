"""Where random damage begins: real files if there are any, and small examples of everything."""

from collections.abc import Iterator
from pathlib import Path

from confint_cli.inputs.formats import formats
from tests.conftest import SAMPLES

_LARGEST = 20_000  # bytes: many small inputs find more than few large ones

_OTHERS = (
    b"301 0 d1 1\n301 0 d2 0\n302 0 d1 2\n303 0 d3 -1\n",
    b"0001 d1 L2\n0001 d2 L0\n0002 d1 L1\n",
    b"301 Q0 d1 1 0.9 x\n301 Q0 d2 2 0.8 x\n302\tQ0\td1\t1\t0.5\tx\n",
    b"measure\ttopic\tmean\tsd\truns\nmap\t1\t0.5\t0.1\t10\nmap\t2\t0.4\t0.2\t10\n",
    b"run,measure,mean,sd,n\na,map,0.5,0.1,50\nb,map,0.4,0.2,50\n",
    b"# a list of names\n1\n2\n3\n",
    b'{\n  "signature": {"confint": "1"},\n  "rows": [\n'
    b'    {"run": "a", "topic": "1", "measure": "map", "score": 0.5},\n'
    b'    {"run": "a", "topic": "2", "measure": "map", "score": 1}\n  ]\n}\n',
    b"# confint:1|measures:map|scale:0123abcd\nrun\ttopic\tmeasure\tscore\na\t1\tmap\t0.5\n",
    b",qid,bm25,dense\n0,301,0.5,0.25\n1,302,,0.5\n2,303,NA,0.125\n",
    b'"","system","query","measure","score"\n"1","a","301","AP",0.5\n"2","a","302","AP",1\n',
    b"qid;bm25;dense\n301;20,5 %;7 %\n302;0;12,25 %\nMean;10,25 %;9,625 %\n",
    b'question_id,question,answer,faithfulness\nq0,"What, ""x""?",bla,0.5\nq1,"a\nb",7,0.25\n',
    b"name,qid,AP\nbm25,301,0.5\nbm25,302,0.25\nname,qid,AP\ndense,301,0.125\n",
    b"301\t0.5\n302\t0.25\n303\t0.125\n",
    b'{"301": {"map": 0.5, "P_10": 0.25}, "302": {"map": 1, "P_10": 0}}\n',
    b'{"map": {"301": 0.5, "302": 0.25}, "ndcg": {"301": 1e-3, "302": null}}\n',
    b'{"a": {"301": {"map": 0.5}, "302": {"map": 0.25}}, "b": {"301": {"map": 1}}}\n',
    b'[{"qid": 301, "AP": 0.5, "ok": true}, {"qid": 302, "AP": 0.25, "ok": false}]\n',
    b'{"qid": {"0": "301", "1": "302"}, "AP": {"0": 0.5, "1": 0.25}}\n',
    b'{"doc_id": 0, "doc": {"q": "a: b"}, "resps": [["x"]], "acc": 1.0}\n'
    b'{"doc_id": 1, "doc": {"q": "c"}, "resps": [["y"]], "acc": 0.0}\n',
    b'{"301": {"d1": 0.9, "d2": 0.8}, "302": {"d1": 0.5}, "303": {"d3": 2.5}}\n',
    b'{"301": {"d1": 1, "d2": 0}, "302": {"d1": 2}, "303": {"d3": -1}}\n',
    b"301\td1\t1\t0.9\n301\td2\t2\t0.8\n302\td1\t1\t0.5\n",
    b"301\td1\t1\n301\td2\t2\n302\td1\t1\n",
    b"query-id\tcorpus-id\tscore\n301\td1\t1\n301\td2\t0\n302\td1\t2\n",
    b",qid,docid,docno,rank,score,query\n0,301,7,d1,0,0.9,a b\n1,301,8,d2,1,0.8,a b\n",
    b'{"query_id": "301", "doc_id": "d1", "relevance": 1, "iteration": "0"}\n'
    b'{"query_id": "302", "doc_id": "d1", "relevance": 0, "iteration": "0"}\n',
    b"301\td1\t1\t0\n301\td2\t0\t0\n302\td1\t2\t0\n",
    b"map\t1\t0.5\nrunid\tall\ta\nmap\tall\t0.5\nmap\t1\t0.25\nrunid\tall\tb\nmap\tall\t0.25\n",
)


def seeds(data: Path | None) -> list[bytes]:
    """Return the files to damage: those in `data/formats`, or else of `sample_runs`, and more."""
    folders = [data / name for name in ("formats", "formats-today")] if data else []
    real = sorted(path for one in folders if one.is_dir() for path in one.iterdir())
    if not real:
        single = [path for path in sorted(SAMPLES.rglob("*")) if "suite" not in path.parts]
        real = [path for path in single if path.suffix in _ENDINGS]
    found = [_beginning(path.read_bytes()) for path in real if path.is_file()]
    examples = [one.example.encode() for one in formats().values()]
    return [*examples, *_OTHERS, *_tables(), *found]


def _tables() -> Iterator[bytes]:
    """Yield tables of Parquet and Arrow, of scores and of documents."""
    import pyarrow
    from pyarrow import feather
    from pyarrow.parquet import write_table

    topics = ["301", "302", "303"]
    for columns in (
        {"run": ["a"] * 3, "topic": topics, "measure": ["map"] * 3, "score": [0.5, 0.25, None]},
        {"qid": [301, 302, 303], "AP": [0.5, 1.0, 0.0], "contexts": [["a"], ["b"], []]},
        {"qid": topics, "docno": ["d1", "d2", "d3"], "score": [0.9, 0.8, 0.7]},
    ):
        table = pyarrow.table(columns)
        out = pyarrow.BufferOutputStream()
        write_table(table, out, compression="none")
        yield out.getvalue().to_pybytes()
        for packing in ("uncompressed", "lz4"):
            out = pyarrow.BufferOutputStream()
            feather.write_feather(table, out, compression=packing)
            yield out.getvalue().to_pybytes()
        out = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(out, table.schema) as stream:
            stream.write_table(table)
        yield out.getvalue().to_pybytes()


_ENDINGS = {".eval", ".nev", ".tsmatrix", ".run", ".txt"}


def _beginning(data: bytes) -> bytes:
    """Return whole lines from the beginning."""
    return data if len(data) <= _LARGEST else data[: data.rfind(b"\n", 0, _LARGEST) + 1]
