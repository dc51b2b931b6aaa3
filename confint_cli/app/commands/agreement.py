"""`confint agreement`: how far can I trust a cheaper judge?"""

from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.options import (
    STATISTICS,
    Group,
    WritingOptions,
    command_of,
    judged_options,
    level_option,
    seed_option,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.app.types import WholeNumber
from confint_cli.scores.request import Request
from confint_cli.stats.methods import MOST_RESAMPLES, USUAL_DRAWS

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import AgreementRow

_STATISTICS = (
    level_option("The confidence level of τ's interval, and of decisions", single=True),
    click.Option(
        ["--draws"],
        type=WholeNumber(1, MOST_RESAMPLES),
        default=USUAL_DRAWS,
        show_default=True,
        metavar="N",
        help="Resamples of the topics, for the interval of τ.",
    ),
    seed_option(),
)


@command_of(
    judged_options,
    Group(STATISTICS, _STATISTICS),
    writing_options,
    short_help="How far can I trust a cheaper judge, such as a language model, beside people?",
    examples="""\
  confint agreement -q qrels.txt --judge-qrels llm.qrels -m nDCG@10 runs/*
  confint agreement evals/*.eval --judge-scores 'llm/{run}.eval' -m map,P_10
  confint agreement -q qrels.txt --judge-qrels llm.qrels -m AP runs/* --plot agreement.pdf
""",
    columns=Columns(
        of_designs(
            named(
                "measure runs topics human_topics bias correlation tau tau_low tau_high pairs kept",
                "lost invented reversed effective_topics",
            )
        )
    ),
    needs_less="fewer runs",
    long_work=True,
)
def command(
    level: tuple[float, ...], draws: int, seed: int, reading: Request, writing: WritingOptions
) -> Task:
    """Print how far the scores of a cheaper judge agree with those of people.

    FILES are scored, or judged, by people; --judge-qrels or --judge-scores is the other judge, such
    as a language model. All is on the topics with both ('human_topics'); the judge has 'topics' in
    all.

    'bias' is how much higher the judge scores than people do, on average over the runs.
    'correlation' is Pearson's r of a run's scores by both, topic by topic; the median over runs.
    'tau' is Kendall's τ_b of the means of the runs: 1, if both put them in the same order.
    'tau_low' to 'tau_high' is an approximate interval, from --draws resamples of the topics: as
    far to either side as the farther quantile of the resamples lies from 'tau'.

    Then what becomes of the decisions between all 'pairs' of runs, by paired t tests at --level,
    each by itself: 'kept' are significant by both judges, with the same run ahead, 'lost' by people
    only, 'invented' by the judge only, and 'reversed' by both, with the other run ahead.

    'effective_topics' is how many topics judged by people alone would give the mean of a run an
    interval as short as 'confint interval' finds with the judge; the median over runs. Where the
    judge has no other topics, they are as many as there are. A judge may be biased, and yet be
    worth much: results with --judge-qrels or --judge-scores take the bias off.

    Of several collections (--labels, or a column of a table), each has a row, and 'macro' has the
    means of their means: topics are resampled within collections. With topics in groups (--groups,
    or a column), groups are resampled. Repeats of runs have no agreement.
    """
    from confint_cli.stats.random import Drawing
    from confint_cli.studies.agreement import WHICH_JUDGE, agreement

    if not reading.has_judge:
        raise WHICH_JUDGE
    (only_level,) = level

    def ask(work: Work) -> "Answer[AgreementRow]":
        return agreement(
            work.scores,
            only_level,
            Drawing(draws, seed),
            best_first=writing.sort == "mean",
            progress=work.progress("resampling"),
        )

    return Task("agreement", ask, designs=True, both_judges=True)
