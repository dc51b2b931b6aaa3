"""What a user waits for at the least."""

from benchmarks.harness import ROOT, Row, Rows, compete, confint, measure, python

TITLE = "Starting"
SAMPLE = ROOT / "sample_runs" / "trec_eval" / "bm25.eval"


def rows() -> Rows:
    """The help, and an interval of one run on standard input."""
    ours, bare = compete(
        lambda: measure([confint("--help")]), lambda: measure([python("import click")]), rounds=9
    )
    piped = f"{confint()[0]} interval --method t -m map - < {SAMPLE}"
    one, imports = compete(
        lambda: measure([["sh", "-c", piped]]),
        lambda: measure([python("import numpy, scipy.special, click")]),
        rounds=9,
    )
    return [
        Row("`confint --help`", ours, '`python -c "import click"`', bare, ""),
        Row("`confint interval --method t -`, one run", one,
            '`python -c "import numpy, scipy.special, click"`', imports, "0.5 times or more"),
    ]  # fmt: skip
