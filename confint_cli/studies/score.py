"""What did each run score on each topic?"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from confint_cli.common.table import FULL_PRECISION, Decimals
from confint_cli.scores.scores import Scores
from confint_cli.scores.treatments import LARGEST, LEAST
from confint_cli.studies.answer import Answer, Columnar, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """The score of a run on a topic by a measure."""

    run: str
    repeat: str = field(default="", repr=False)  # empty: the run has none
    collection: str = field(default="", repr=False)  # empty: there is one only
    topic: str
    group: str = field(default="", repr=False)  # of the topic; empty: it is in none
    measure: str
    score: float
    least: float = field(default=math.nan, repr=False)  # over all judgements that there could be
    largest: float = field(default=math.nan, repr=False)


def score(scores: Scores) -> Answer[ScoreRow]:
    """Return a record for each run, topic and measure that has a score, in the order of these.

    With several collections, groups of topics or repeats of runs, each says which one it is of.
    Scores that were read keep all their digits; those computed are rounded, as trec_eval does.
    """
    values, names_of_runs = scores.values, [*scores.runs]
    repeats: list[str] = []
    if scores.repeats is not None:
        places = [place for own in scores.repeats.columns for place in own]
        values = scores.repeats.values[:, places]
        numbers = zip(scores.runs, scores.repeats.numbers, strict=True)
        names_of_runs = [run for run, number in numbers for _ in range(number)]
        repeats = [label for own in scores.repeats.labels for label in own]
    values = values.transpose(1, 0, 2)  # [run, topic, measure]
    present = np.argwhere(~np.isnan(values))
    runs, topics, measures = present.T.tolist()
    columns: dict[str, list[Any]] = {"run": [names_of_runs[run] for run in runs]}
    if scores.repeats is not None:
        columns["repeat"] = [repeats[run] for run in runs]
    if scores.collections is not None:
        both = zip(scores.collections.names, scores.collections.sizes, strict=True)
        collection_of = [name for name, size in both for _ in range(size)]
        columns["collection"] = [collection_of[topic] for topic in topics]
    columns["topic"] = [scores.topics[topic] for topic in topics]
    if scores.groups is not None:
        group_of = [scores.groups.names[code] for code in scores.groups.codes.tolist()]
        columns["group"] = [group_of[topic] for topic in topics]
    columns |= {
        "measure": [scores.measures[measure] for measure in measures],
        "score": values[tuple(present.T)].tolist(),
    }
    for name in (LEAST, LARGEST) if scores.bounded else ():
        bounds = scores.besides[name].values.transpose(1, 0, 2)
        columns[name] = bounds[tuple(present.T)].tolist()
    decimals = Decimals() if scores.scorer else Decimals(FULL_PRECISION, FULL_PRECISION)
    return Answer(Columnar(ScoreRow, columns), fields(" ".join(columns)), {}, decimals=decimals)
