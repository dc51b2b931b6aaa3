"""The order of runs is one rule: best mean first, equal ones by the first measure, then by name."""

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Confint, records, write

RUNS = ("r10", "b", "r9", "a", "zero")
BY_FIRST = ["r10", "r9", "b", "a", "zero"]
BY_NAME = ["a", "b", "r9", "r10", "zero"]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """By `first` all means differ; by `tied` all but one are equal, but for the last bits."""
    random = np.random.default_rng(3)
    tied = random.integers(0, 11, 30) / 10
    means = {
        "r10": random.permutation(tied),
        "b": random.permutation(tied),
        "r9": random.permutation(tied),
        "a": random.permutation(tied),
        "zero": tied / 4,
    }
    assert len({float(values.mean()) for values in means.values()}) > 2  # not equal in floats
    places = {run: BY_FIRST.index(run) for run in RUNS}
    return write(
        tmp_path / "scores.tsv",
        {
            run: {
                "first": (0.5 - 0.1 * places[run] + 0.01 * random.random(30)).tolist(),
                "tied": means[run].tolist(),
            }
            for run in RUNS
        },
    )


CALLS = {
    "interval": (),
    "rank": (),
    "compare": ("--baseline", "zero"),
    "compare --unpaired": ("--baseline", "zero"),
    "bayes": ("--baseline", "zero", "--draws", 1000),
    "bayes --unpaired": ("--baseline", "zero", "--draws", 1000),
    "risk": ("--baseline", "zero", "--resamples", 100),
    "describe": (),
    "describe --differences": ("--baseline", "zero"),
    "coverage": ("--method", "t", "--replicates", 10),
}


@pytest.mark.parametrize("command", CALLS)
def test_runs_of_equal_means_come_by_name(command: str, scores: Path, confint: Confint) -> None:
    rows = records(confint(*command.split(), scores, "-m", "tied", *CALLS[command]))
    runs = [*dict.fromkeys(row["run"] for row in rows)]
    assert runs == [run for run in BY_NAME if run != "zero" or run in runs]


@pytest.mark.parametrize("command", CALLS)
def test_those_by_a_further_measure_come_as_by_the_first(
    command: str, scores: Path, confint: Confint
) -> None:
    rows = records(confint(*command.split(), scores, "-m", "first,tied", *CALLS[command]))
    for measure, order in (("first", BY_FIRST), ("tied", BY_FIRST)):
        runs = [*dict.fromkeys(row["run"] for row in rows if row["measure"] == measure)]
        assert runs == [run for run in order if run != "zero" or run in runs]


def test_published_means_have_the_same_order(tmp_path: Path, confint: Confint) -> None:
    means = dict(zip(RUNS, (0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 0.05), strict=True))
    lines = [f"{run}\tm\t{mean!r}\t0.1\t50\n" for run, mean in means.items()]
    path = tmp_path / "published.tsv"
    path.write_text("".join(["run\tmeasure\tmean\tsd\tn\n", *lines]))
    for arguments in ((), ("--baseline", "zero")):
        runs = [row["run"] for row in records(confint("summary", path, *arguments))]
        assert runs == BY_NAME[: len(runs)]


@pytest.mark.parametrize(("sort", "order"), [("name", BY_NAME), ("input", [*RUNS])])
@pytest.mark.parametrize("command", ["interval", "rank", "describe", "coverage"])
def test_another_order_stays_as_asked_for(
    command: str, sort: str, order: list[str], scores: Path, confint: Confint
) -> None:
    rows = records(confint(command, scores, "--sort", sort, *CALLS[command]))
    assert [row["run"] for row in rows if row["measure"] == "tied"] == order
    assert [row["run"] for row in rows if row["measure"] == "first"] == order


def test_ranks_never_contradict_the_order(scores: Path, confint: Confint) -> None:
    rows = [row for row in records(confint("rank", scores)) if row["measure"] == "tied"]
    assert [row["rank"] for row in rows] == ["1", "1", "1", "1", "5"]
