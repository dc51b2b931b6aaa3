"""What did each run score on each topic?"""

import numpy as np

from confint_cli.common.table import Column, Table
from confint_cli.scores.scores import Scores


def score(scores: Scores) -> Table:
    """Return a row for each run, topic and measure that has a score, in the order of these."""
    values = scores.values.transpose(1, 0, 2)  # [run, topic, measure]
    present = np.argwhere(~np.isnan(values))
    runs, topics, measures = present.T.tolist()
    return Table(
        title="",
        columns=[
            Column("run", [scores.runs[run] for run in runs]),
            Column("topic", [scores.topics[topic] for topic in topics]),
            Column("measure", [scores.measures[measure] for measure in measures]),
            Column("score", values[tuple(present.T)].tolist()),
        ],
    )
