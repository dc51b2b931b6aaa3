"""Which of two runs is the baseline, if a call does not say what to compare with what."""

import numpy as np

from confint_cli.common.errors import CallError, Notice, note
from confint_cli.common.text import count, quoted, visible
from confint_cli.scores.scores import Scores, order_by_mean
from confint_cli.studies.collections import in_order_of
from confint_cli.studies.judged import best_by_both


def lower_of_two(scores: Scores, for_new: str, *, paired: bool) -> tuple[str, Notice]:
    """Return the run with the lower mean by the first measure, and a note that it is the baseline.

    It is the first that both runs have. Means are those that are compared: over collections, or by
    both judges. Of equal means, the later name is the baseline. Raise CallError if there are not
    two runs.
    """
    if len(scores.runs) == 1:
        raise CallError(
            f"there is nothing to compare {quoted(scores.runs[0])} with: it is the only run",
            "give the files of two runs or more",
        )
    if len(scores.runs) != 2:
        raise CallError(
            f"compare with what? There are {count(len(scores.runs), 'run')}",
            "use --baseline RUN for one run, or --all-pairs for all pairs",
        )
    by_measure = (name for name in scores.measures if len(scores.samples(name)) == 2)
    measure = next(by_measure, scores.measures[0])  # if there is none, an error tells of it
    lower = _lower(scores.sorted_runs("name"), measure, for_new, paired=paired)
    (higher,) = {*scores.runs} - {lower}
    text = (
        f"{quoted(higher)} is compared with {quoted(lower)}, whose mean {visible(measure)} is "
        "lower or equal; --baseline chooses another"
    )
    return lower, note(text)


def _lower(scores: Scores, measure: str, for_new: str, *, paired: bool) -> str:
    """Return the run with the lower mean; of equal ones, the last of the runs."""
    if not paired:
        samples = scores.samples(measure)
        if len(samples) < 2:
            return scores.runs[-1]
        runs = [*samples]
        means = np.array([values.mean() for values in samples.values()])
        sizes = np.array([np.abs(values).max() for values in samples.values()])
        return runs[order_by_mean(means, sizes)[-1]]
    own = scores.by(measure)
    if scores.judge is not None:
        best = best_by_both(own).runs[0]
    elif scores.several:
        best = in_order_of(own, measure, for_new, best_first=True).runs[0]
    else:
        best = own.sorted_runs("mean").runs[0]
    return next(run for run in scores.runs if run != best)
