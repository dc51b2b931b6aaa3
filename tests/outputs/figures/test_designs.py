"""Figures of collections, groups, repeats and a cheaper judge: what their titles say of topics."""

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import SAMPLES
from tests.outputs.figures.reading import Drawn, words

SEEDS = (
    "--labels", "{run}.seed{repeat}.eval", "-m", "map",
    *sorted((SAMPLES / "seeds").glob("*.seed*.eval")),
)  # fmt: skip
CONVERSATIONS = (
    "--groups", "{group}_{}", "-q", SAMPLES / "conversations/qrels.txt", "-m", "nDCG@10",
    *sorted((SAMPLES / "conversations").glob("*.run")),
)  # fmt: skip


@pytest.fixture
def judged(tmp_path: Path) -> tuple[object, ...]:
    """Scores of two collections by people, of 12 and 20 topics, and by a judge of twice as many."""
    random = np.random.default_rng(1)
    sizes = {"people": {"news": 12, "web": 20}, "judge": {"news": 24, "web": 40}}
    for kind, topics in sizes.items():
        lines = ["run\tcollection\ttopic\tmeasure\tscore"]
        for name, number in topics.items():
            for run in "abc":
                scores = random.random(number).round(4)
                lines += [f"{run}\t{name}\t{topic}\tm\t{s}" for topic, s in enumerate(scores)]
        (tmp_path / f"{kind}.tsv").write_text("\n".join([*lines, ""]))
    return tmp_path / "people.tsv", "--judge-scores", tmp_path / "judge.tsv", "--quiet"


@pytest.mark.parametrize(
    "command", [("interval",), ("compare", "--baseline", "a"), ("rank", "--draws", "200")]
)
def test_topics_by_people_are_those_of_all_collections(
    command: tuple[str, ...], judged: tuple[object, ...], drawn: Drawn
) -> None:
    (figure,), _ = drawn(*command, *judged)
    said = words(figure)
    assert "for new topics of these 2 collections (32 topics judged by people)" in said
    if command[0] == "rank":  # a chart for each of them
        assert "24 topics (12 judged by people)" in said
        assert "40 topics (20 judged by people)" in said


@pytest.mark.parametrize("command", [("interval",), ("compare", "--baseline", "dense"), ("rank",)])
@pytest.mark.parametrize(
    ("scores", "said"),
    [(SEEDS, "for new repeats and new topics"), (CONVERSATIONS, "for new groups like these 16")],
)
def test_of_whom_a_figure_is(
    command: tuple[str, ...], scores: tuple[object, ...], said: str, drawn: Drawn
) -> None:
    (figure,), _ = drawn(*command, *scores, "--quiet")
    assert said in words(figure)
