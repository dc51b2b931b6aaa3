"""Files that nobody wrote on purpose: random valid ones come back whole, random damage is told.

`make fuzz` does the same for as long as it is let, from real files.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confint_cli.inputs import formats, read_judgements, read_run, read_scores, read_source
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


def test_every_format_has_a_writer_of_random_files() -> None:
    assert set(WRITERS) == set(formats())


@promise(
    "a valid file of any format, with any names and numbers, line ends and packing",
    "all its scores, each once, by the same names and to the last bit",
)
@pytest.mark.parametrize("name", WRITERS)
def test_a_valid_file_comes_back_as_it_was_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"

    @settings(often, max_examples=60)
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
@settings(often, max_examples=60)
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


@promise(
    "a file with random damage: bytes, lines and fields deleted, doubled, swapped or replaced, "
    "two files spliced, odd numbers and letters, JSON without end",
    "a result or a message, never a traceback; the fast way and the way line by line agree",
)
@pytest.mark.parametrize("target", READERS)
def test_a_damaged_file_is_read_or_refused(target: str, tmp_path: Path) -> None:
    @settings(often, max_examples=120)
    @given(chance)
    def check(rng) -> None:
        path = tmp_path / "x.txt"
        path.write_bytes(mutated(rng, SEEDS))
        TARGETS[target](path)

    check()


@promise(
    "the same files given to `confint score`, `interval` and `summary`, also as standard input, "
    "judgements, run, or list of names",
    "exit status 0, 1 or 2; no output unless 0; one line that says what is wrong, at most one hint",
)
@pytest.mark.parametrize("target", CALLS)
def test_a_call_with_a_damaged_file_is_answered_or_refused(target: str, tmp_path: Path) -> None:
    @settings(often, max_examples=60)
    @given(chance)
    def check(rng) -> None:
        path = tmp_path / "x.txt"
        path.write_bytes(mutated(rng, SEEDS))
        TARGETS[target](path)

    check()


def test_most_damage_leaves_something_to_read_or_to_say(tmp_path: Path) -> None:
    """The edits are of use: some files are still read after them, some are refused."""
    import random

    rng = random.Random(0)
    outcomes = {"read": 0, "refused": 0}
    for _ in range(200):
        path = tmp_path / "x.txt"
        path.write_bytes(mutated(rng, SEEDS))
        try:
            read_scores(str(path), EVERYTHING)
            outcomes["read"] += 1
        except REFUSED:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20
