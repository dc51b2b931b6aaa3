"""What would runs score if all topics counted alike?"""

from collections.abc import Sequence
from dataclasses import replace

from confint_cli.common.errors import Notice
from confint_cli.common.table import Column, Table
from confint_cli.inputs.factors import Factors
from confint_cli.scores.scores import Scores
from confint_cli.stats.standardize import standardized
from confint_cli.studies.score import score


def standardize(
    scores: Scores,
    by: Sequence[Factors],
    transform: str,
    sort: str = "mean",
    *,
    drop: bool = False,
) -> tuple[Table, list[Notice]]:
    """Return one row for each run, topic and measure that has a standardised score.

    Topics that there are no factors for are an error, or are dropped.
    """
    result, notices = standardized(scores, by, transform, drop=drop)
    about = {
        "topics": str(len(result.topics)),
        "runs": str(len(result.runs)),
        "measures": ",".join(result.measures),
        "scale": ",".join(result.scales.values()),
    }
    return replace(score(result.sorted_runs(sort)), signature=about), notices


def factors_table(factors: Sequence[Factors]) -> Table:
    """Return what it takes to standardise other runs alike: a row for each measure and topic."""
    rows = [
        (one.measure, topic, mean, sd, one.runs)
        for one in factors
        for topic, mean, sd in zip(one.topics, one.mean.tolist(), one.sd.tolist(), strict=True)
    ]
    names = ("measure", "topic", "mean", "sd", "runs")
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return Table(
        title="",
        columns=[Column(name, values, exact=name in ("mean", "sd")) for name, values in columns],
        signature={
            "measures": ",".join(one.measure for one in factors),
            "scale": ",".join(one.scale for one in factors),
        },
    )
