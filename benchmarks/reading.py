"""Reading per-topic scores against splitting their lines."""

from benchmarks.data import terabyte, trec8, trec13
from benchmarks.harness import Row, Rows, compete, confint, measure, python, self_timed

TITLE = "Reading per-topic scores"

BARE_LOOP = """
import sys, time
began = time.perf_counter()
for path in sys.argv[1:]:
    with open(path) as lines:
        for line in lines:
            line.split()
print(time.perf_counter() - began)
"""

OURS_READING = """
import sys, time
from confint_cli.inputs.reading import Reader
from confint_cli.inputs.formats import formats
from confint_cli.inputs import read_all
from confint_cli.scores.selection import Chooser
formats()
began = time.perf_counter()
reader = Reader(Chooser([sys.argv[1]]))
readings = list(read_all(sys.argv[2:], reader))
print(time.perf_counter() - began)
assert all(len(reading.series) == 6 for _, (_, reading) in readings)
"""


def rows() -> Rows:
    """The trec_eval files of three TREC collections: 273 files, 1.6 million lines, 53 MB.

    Reading alone without the start of Python and its imports; then a whole call, which also
    joins and writes 408,000 rows.
    """
    paths = [*trec13(), *terabyte(), *trec8()]
    measures = "map,R-prec,recip_rank,P10,P30,P1000"
    ours, one_core, loop = compete(
        lambda: self_timed(OURS_READING, measures, *paths),
        lambda: self_timed(OURS_READING, measures, *paths, cores=1),
        lambda: self_timed(BARE_LOOP, *paths, cores=1),
        rounds=7,
    )
    whole, loop_whole = compete(
        lambda: measure([confint("score", "-m", measures, *paths)]),
        lambda: measure([python(BARE_LOOP, *paths)]),
    )
    goal = "faster, under 300 MB"
    return [
        Row(
            "read 273 trec_eval files, six measures; without the start of Python, here and in the "
            "next row",
            ours,
            "splitting every line",
            loop,
            goal,
        ),
        Row("the same on one core", one_core, "splitting every line", loop, goal),
        Row("a whole `confint score` of them", whole, "splitting every line", loop_whole, ""),
    ]
