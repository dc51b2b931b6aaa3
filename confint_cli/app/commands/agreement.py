"""`confint agreement`: how far can I trust a cheaper judge?"""

from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.command import STATISTICS, Group, command_of
from confint_cli.app.options import (
    WritingOptions,
    judged_options,
    level_option,
    seed_option,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.app.types import WholeNumber
from confint_cli.scores.request import Request
from confint_cli.stats.methods import MOST_RESAMPLES, USUAL_DRAWS
from confint_cli.studies.columns import AGREEMENT

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import AgreementRow

_STATISTICS = (
    level_option("Confidence level of the interval of τ, and of decisions", single=True),
    click.Option(
        ["--draws"],
        type=WholeNumber(1, MOST_RESAMPLES),
        default=USUAL_DRAWS,
        show_default=True,
        metavar="N",
        help="Number of resamples of the topics, for the interval of τ.",
    ),
    seed_option(),
)


@command_of(
    judged_options,
    Group(STATISTICS, _STATISTICS),
    writing_options,
    short_help="How far can I trust a cheaper judge, such as an LLM? Bias, order, decisions.",
    examples="""\
  confint agreement -q qrels.txt --judge-qrels llm.qrels -m nDCG@10 runs/*
  confint agreement evals/*.eval --judge-scores 'llm/{run}.eval' -m map,P_10
  confint agreement -q qrels.txt --judge-qrels llm.qrels -m AP runs/* --plot agreement.pdf
""",
    columns=Columns(of_designs(named(AGREEMENT))),
    needs_less="fewer runs",
    long_work=True,
)
def command(
    level: tuple[float, ...], draws: int, seed: int, reading: Request, writing: WritingOptions
) -> Task:
    """Print how far a cheaper judge, such as a language model, agrees with people.

    FILES are scored, or judged, by people. --judge-qrels or --judge-scores is the other judge.
    There is one row per measure. All figures are for the topics that both judged, which
    'human_topics' counts; 'topics' counts all topics of the judge.

    \b
    Do the scores agree?
      bias         how much higher the judge scores than
                   people do, on average over the runs
      correlation  Pearson's r of a run's scores by both
                   judges, topic by topic; the median over the
                   runs

    \b
    Is the order of the runs the same?
      tau         Kendall's τ_b of the runs' means; 1 if both
                  judges put the runs in the same order
      tau_low, tau_high
                  an approximate interval of tau, from --draws
                  resamples of the topics: as far to either
                  side as the farther quantile of the
                  resamples is from tau

    \b
    Are the decisions the same?
      pairs       all pairs of runs; each is decided by its
                  own paired t test at --level
      kept        pairs significant by both judges, with the
                  same run ahead
      lost        significant by people only
      invented    significant by the judge only
      reversed    significant by both judges, with the other
                  run ahead

    \b
    What is the judge worth?
      effective_topics  how many human-judged topics would, by
                        themselves, give a run's mean an
                        interval as short as 'confint
                        interval' finds with the judge; the
                        median over the runs

    A judge that is biased can still be worth much: results with --judge-qrels or --judge-scores
    remove the bias. If the judge has no topics besides those of people, 'effective_topics' is their
    number.

    With several collections (--labels, or a column of a table), each collection has a row. The row
    'macro' is about the means of their means, and topics are resampled within each collection. With
    topics in groups (--groups, or a column), confint resamples whole groups. confint refuses
    repeats of runs.
    """  # noqa: D301
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
