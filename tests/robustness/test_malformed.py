"""Files that nobody wrote on purpose: random valid ones come back whole, random damage is told.

`make fuzz` does the same for as long as it is let, from real files.
"""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tests.inputs
from confint_cli.common.errors import DataError
from confint_cli.common.text import did_you_mean, listed, natural_key, quoted
from confint_cli.inputs import read_scores
from confint_cli.inputs.formats import formats
from confint_cli.inputs.judgements import read_judgements
from confint_cli.inputs.runs import read_run
from confint_cli.inputs.source import read_source
from confint_cli.scores.checks import groups_that_share_topics
from tests.conftest import Confint
from tests.fuzzing.mutations import mutated
from tests.fuzzing.seeds import seeds
from tests.fuzzing.targets import EVERYTHING, REFUSED, TARGETS, both_ways
from tests.fuzzing.writers import WRITERS, Record, Written, files
from tests.robustness.promises import promise

often = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
chance = st.randoms(use_true_random=False)
SEEDS = seeds(None)


def test_every_format_has_a_writer_of_random_files_or_tests_of_its_own() -> None:
    for name in set(formats()) - set(WRITERS):
        own = Path(tests.inputs.__file__).parent / f"test_{name}.py"
        assert own.exists(), f"write tests/inputs/{own.name}, or a writer in tests/fuzzing/writers"
    assert set(WRITERS) <= set(formats())


@promise(
    "a valid file of any format, with any names and numbers, line ends and packing",
    "all its scores, each once, under the same names and to the last bit",
)
@pytest.mark.parametrize("name", WRITERS)
def test_a_valid_file_comes_back_as_it_was_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"

    @settings(often, max_examples=40)
    @given(files(name))
    def check(written: Written) -> None:
        path.write_bytes(written.data)
        found, reading = read_scores(str(path), EVERYTHING)
        assert found == name
        records: list[Record] = [
            (one.run, one.measure, topic, value)
            for one in reading.series
            for topic, value in zip(one.topics, one.values.tolist(), strict=True)
        ]
        assert sorted(map(repr, records)) == sorted(map(repr, written.records))
        both_ways(name, lambda: read_scores(str(path), EVERYTHING, name)[1])

    check()


words = st.text("abcXYZ0123456789-_.é", min_size=1, max_size=30)
lines_ends = st.sampled_from(["\n", "\r\n"])


@promise(
    "a valid run, or valid judgements, with any names and scores",
    "every document of every topic, with its score or grade",
)
@settings(often, max_examples=40)
@given(
    st.dictionaries(
        words,
        st.dictionaries(words, st.floats(-1e9, 1e9), min_size=1, max_size=5),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([" ", "\t", "  \t"]),
    lines_ends,
)
def test_a_valid_run_comes_back_as_it_was_written(
    tmp_path: Path, rankings: dict[str, dict[str, float]], blank: str, end: str
) -> None:
    run, qrels = tmp_path / "x.run", tmp_path / "x.qrels"
    pairs = [(t, d, score) for t, scores in rankings.items() for d, score in scores.items()]
    lines = [blank.join([t, "Q0", d, "1", repr(score), "tag"]) + end for t, d, score in pairs]
    run.write_text("".join(lines), encoding="utf-8", newline="")
    grades = {t: {d: round(s) % 7 - 2 for d, s in scores.items()} for t, scores in rankings.items()}
    lines = [blank.join([t, "0", d, str(grades[t][d])]) + end for t, d, _ in pairs]
    qrels.write_text("".join(lines), encoding="utf-8", newline="")
    found = read_run(read_source(str(run)))
    assert (found.tags, found.rankings) == (("tag",), rankings)
    assert read_judgements(read_source(str(qrels))) == grades


READERS = [name for name in TARGETS if not name.startswith("confint ")]
CALLS = [name for name in TARGETS if name.startswith("confint ")]


def check_damaged_files(target: str, folder: Path, number: int) -> None:
    @settings(often, max_examples=number)
    @given(chance)
    def check(rng) -> None:
        path = folder / "x.txt"
        path.write_bytes(mutated(rng, SEEDS))
        TARGETS[target](path)

    check()


@promise(
    "a file with random damage: bytes, lines and fields deleted, doubled, swapped or replaced, two "
    "files spliced, odd numbers and letters, JSON without end",
    "a result or a message, never a traceback; the fast reader and the one line by line agree",
)
@pytest.mark.parametrize("target", READERS)
def test_a_damaged_file_is_read_or_refused(target: str, tmp_path: Path) -> None:
    check_damaged_files(target, tmp_path, number=50)


@promise(
    "the same files given to `confint score`, `interval` and `summary`, also as standard input, "
    "judgements, run, or list of names",
    "exit status 0, 1 or 2; no output unless it is 0; one line that says what is wrong, at most "
    "one hint",
)
@pytest.mark.parametrize("target", CALLS)
def test_a_call_with_a_damaged_file_is_answered_or_refused(target: str, tmp_path: Path) -> None:
    check_damaged_files(target, tmp_path, number=30)


@settings(often)
@given(st.lists(st.sets(st.integers(0, 8), max_size=3), min_size=1, max_size=8))
def test_groups_of_runs_are_those_that_a_path_of_shared_topics_joins(runs: list[set[int]]) -> None:
    groups: list[set[int]] = []
    for number, topics in enumerate(runs):
        if topics:
            met = [one for one in groups if any(runs[other] & topics for other in one)]
            groups = [one for one in groups if one not in met] + [{number}.union(*met)]
    present = np.array([[topic in topics for topics in runs] for topic in range(9)])
    found = groups_that_share_topics(present)
    in_order = sorted(groups, key=lambda group: min(min(runs[run]) for run in group))
    assert found == [sorted(group) for group in in_order]


FOUND = {
    "a table of ndeval without measures": ("ndeval", b"runid,topic\na,1\nb,2\n", (
        "x:1: the header needs columns for run, topic and at least one measure")),
    "a matrix of nothing but odd blanks": ("tsmatrix", b"\x1c\n\xc2\xa0\n", (
        "x: has no per-topic scores")),
    "a table of topics without runs": ("topic_by_run", b'"topic"\n"1"\n"2"\n', (
        "x: has no per-topic scores")),
    "a measure of nothing but blanks": ("trec_eval", b"  \t1\t0.5\nmap\t2\t0.5\n", (
        "x:1: 3 fields are needed (measure, topic, value), not 2: '  \\t1\\t0.5'")),
    "a topic with an odd blank in it": ("trec_eval", b"map\t1\x0c2\t0.5\nmap\t2\t0.5\n", (
        "x:1: 3 fields are needed (measure, topic, value), not 4: 'map\\t1\\x0c2\\t0.5'")),
    "a list for a topic": ("jsonl", b'{"topic": [1], "measure": "AP", "score": 1}\n', (
        "x: there is a list at ['topic'], instead of an object or a number")),
    "what is deeper than can be shown": ("jsonl", b'{"topic":' * 990 + b"1" + b"}" * 990, (
        "x: ")),
    "two lists of rows": ("jsonl", b'{"rows": [{"topic": 1, "score": 1}], "rows": []}', (
        "x: is not valid JSON: an object has the key 'rows' twice")),
    "something behind the rows": ("jsonl", b'{"rows": [{"topic": 1, "score": 1}]} {}', (
        "x:1: is not valid JSON: extra data")),
    "rows without end": ("jsonl", b'{"rows": [{"topic": 1, "score": 1}', (
        "x:1: is not valid JSON: expecting ',' delimiter")),
    "rows in rows, without end": ("jsonl", b'{"rows":' * 9999, (
        "x: is not valid JSON: it is nested too deeply")),
    "rows that are no list": ("jsonl", b'{"rows": {"topic": 1, "score": 1}}', (
        'x: is not a valid JSON table: its "rows" are not a list')),
    "rows further in": ("jsonl", b'{\n"table": {"rows": [{"topic": 1, "score": 1}]}}', (
        "x: there is a list at ['table']['rows'], instead of an object or a number")),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_what_was_found_so_far(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name, data, message = FOUND[case]
    Path("x").write_bytes(data)
    with pytest.raises(DataError) as caught:
        read_scores("x", EVERYTHING, name)
    assert str(caught.value).startswith(message)


def test_a_mean_that_is_infinitely_far_from_its_summary(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "x.eval"
    path.write_text("map\t1\t-1e308\nmap\t2\t-1e308\nmap\tall\t0.5\n")
    result = confint("score", path)
    assert result.status == 0
    assert "is -inf, but its own summary row says 0.5" in result.err


def test_a_header_longer_than_the_lines_that_a_format_is_found_by(tmp_path: Path) -> None:
    runs = [f"run-of-a-team-with-a-long-name-{number}" for number in range(5000)]
    path = tmp_path / "x.csv"
    rows = [f"{topic}" + ",0.25" * 5000 for topic in (1, 2)]
    path.write_text("\n".join([",".join(["topic", *runs]), *rows, ""]))
    name, reading = read_scores(str(path), EVERYTHING)
    assert name == "topic_by_run"
    assert [one.run for one in reading.series] == runs
    path.write_text(",".join(["topic", *runs * 20]) + "\n1,2\n")
    with pytest.raises(DataError, match=r":1: the header is longer than 2 MiB$"):
        read_scores(str(path), EVERYTHING, "topic_by_run")


def test_messages_and_orders_look_at_the_beginning_of_enormous_names() -> None:
    enormous = "1a" * 10_000_000
    assert len(quoted(enormous)) < 100
    assert len(listed([enormous] * 10, 5)) < 1000
    assert len(did_you_mean("x", [enormous] * 30)) < 4000
    assert len(natural_key(enormous)) < 2000
    assert natural_key(enormous) < natural_key(enormous + "b")  # and still tells them apart


def test_most_damage_leaves_something_to_read_or_to_say(tmp_path: Path) -> None:
    """The edits are of use: some files are still read after them, some are refused."""
    rng = random.Random(0)
    outcomes = {"read": 0, "refused": 0}
    for _ in range(400):
        path = tmp_path / "x.txt"
        path.write_bytes(mutated(rng, SEEDS))
        try:
            read_scores(str(path), EVERYTHING)
            outcomes["read"] += 1
        except REFUSED:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20
