"""What did each run score on each topic?"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from confint_cli.scores.scores import Scores
from confint_cli.studies.answer import Answer, Columnar, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """The score of a run on a topic by a measure."""

    run: str
    collection: str = field(default="", repr=False)  # empty: there is one only
    topic: str
    measure: str
    score: float


def score(scores: Scores) -> Answer[ScoreRow]:
    """Return a record for each run, topic and measure that has a score, in the order of these."""
    values = scores.values.transpose(1, 0, 2)  # [run, topic, measure]
    present = np.argwhere(~np.isnan(values))
    runs, topics, measures = present.T.tolist()
    of_collections: dict[str, list[str]] = {}
    names = "run topic measure score"
    if scores.collections is not None:
        names = "run collection topic measure score"
        both = zip(scores.collections.names, scores.collections.sizes, strict=True)
        collection_of = [name for name, size in both for _ in range(size)]
        of_collections["collection"] = [collection_of[topic] for topic in topics]
    columns: dict[str, list[Any]] = {
        "run": [scores.runs[run] for run in runs],
        **of_collections,
        "topic": [scores.topics[topic] for topic in topics],
        "measure": [scores.measures[measure] for measure in measures],
        "score": values[tuple(present.T)].tolist(),
    }
    return Answer(Columnar(ScoreRow, columns), fields(names), {})
