"""What did each run score on each topic?"""

from dataclasses import dataclass

import numpy as np

from confint_cli.scores.scores import Scores
from confint_cli.studies.answer import Answer, Columnar, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """The score of a run on a topic by a measure."""

    run: str
    topic: str
    measure: str
    score: float


def score(scores: Scores) -> Answer[ScoreRow]:
    """Return a record for each run, topic and measure that has a score, in the order of these."""
    values = scores.values.transpose(1, 0, 2)  # [run, topic, measure]
    present = np.argwhere(~np.isnan(values))
    runs, topics, measures = present.T.tolist()
    columns = {
        "run": [scores.runs[run] for run in runs],
        "topic": [scores.topics[topic] for topic in topics],
        "measure": [scores.measures[measure] for measure in measures],
        "score": values[tuple(present.T)].tolist(),
    }
    return Answer(Columnar(ScoreRow, columns), fields("run topic measure score"), {})
