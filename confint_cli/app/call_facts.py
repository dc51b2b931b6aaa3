"""The facts about a call that reads scores: with them, its signature begins."""

import os

from confint_cli import __version__
from confint_cli.app.task import Task
from confint_cli.scores.labels import shown_path
from confint_cli.scores.request import Request
from confint_cli.scores.scores import Scores
from confint_cli.scores.treatments import IRRELEVANT
from confint_cli.studies.facts import Facts
from confint_cli.studies.scope import facts_of_design
from confint_cli.studies.yardstick import Yardstick


def facts_of_call(
    task: Task, scores: Scores, reading: Request, left_out: int, standardize: Yardstick | None
) -> Facts:
    """Return the facts about a call that reads scores, with which its signature begins.

    `left_out` is the number of files that are left out.
    """
    facts: Facts = {
        "confint": __version__,
        "command": task.name,
        "topics": len(scores.topics),
    }
    if scores.collections is not None:
        facts["collections"] = len(scores.collections.names)
        if task.for_new:
            facts["for_new"] = task.for_new
    facts |= facts_of_design(scores)
    if reading.labels:
        facts["labels"] = reading.labels
    facts |= {"runs": len(scores.runs), "measures": scores.measures, "missing": reading.missing}
    if left_out:
        facts["left_out"] = left_out
    if reading.topics is not None:
        facts["only"] = f"{len(reading.topics)} given"
        if isinstance(reading.topics, str):
            facts["only"] = os.path.basename(reading.topics)
    if reading.every > 1:
        facts["every"] = reading.every
    if reading.qrels is not None:
        facts["qrels"] = shown_path(reading.qrels)
        facts["scored"] = scores.scorer
        facts["rel_level"] = 1 if reading.rel_level is None else reading.rel_level
        if reading.unjudged != IRRELEVANT:
            facts["unjudged"] = reading.unjudged
    if standardize is not None:
        facts["standardize"] = str(standardize)
    if scores.scales:
        facts["scale"] = tuple(scores.scales.get(measure, "") for measure in scores.measures)
    return facts
