"""`confint rank`: who is really ahead?"""

from typing import TYPE_CHECKING

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.command import command_of
from confint_cli.app.options import (
    EstimatingOptions,
    WritingOptions,
    deciding_options,
    for_new_options,
    statistics_options,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.scores.request import Request
from confint_cli.studies.columns import STANDINGS

if TYPE_CHECKING:
    from confint_cli.scores.scores import Scores
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import RankRow


@command_of(
    deciding_options,
    for_new_options,
    statistics_options(methods="t", single=True, drawing=True),
    writing_options,
    short_help="Who is really ahead? The standings of a shared task, with rank sets.",
    examples="""\
  confint rank -q qrels.txt -m AP submissions/*
  confint rank evals/*.eval -m map,P_10 -o standings.md
  confint rank evals/*.eval -m map --level 0.9 --method bootstrap-t
  confint rank -q human.qrels --judge-qrels llm.qrels -m nDCG@10 submissions/*
""",
    columns=Columns(of_designs(named(STANDINGS))),
    needs_less="fewer runs",
    long_work=True,
)
def command(
    for_new: str, reading: Request, estimating: EstimatingOptions, writing: WritingOptions
) -> Task:
    """Print the standings of the runs, and which ranks each run might truly have.

    The order of the means might change on other topics. The rank set of a run says how far up or
    down it might truly be.

    \b
    The main columns:
      rank, mean      the place of the run in this table, and
                      its mean
      low, high       the interval of the mean, for this run
                      by itself
      rank_low, rank_high
                      the rank set, which holds for all runs
                      at once
      own_rank_low, own_rank_high
                      the rank set of this run by itself
      tied_with_best  yes: the run cannot be told apart from
                      the run with the best mean, with all
                      pairs considered
      first_share     the share of resamples of the topics in
                      which the run comes first
      note            where to be careful, as in 'confint
                      interval'

    A rank set leaves room above the run for all runs that are shown to be better, and below it for
    all that are shown to be worse. All rank sets hold at once, approximately, with the confidence
    of --level. They come from simultaneous intervals of the differences of all pairs of runs
    (max-t).

    Use a run's own rank set only if you chose that run before you saw the results. It comes from
    the differences of this run to all others. 'first_share' is not the probability that the run is
    truly the best.

    With several collections (--labels, or a column of a table), each collection has its standings.
    The rows 'macro' rank runs by the mean of their means. They are for new topics of these
    collections. With --for-new collections, they are for new collections like these: then rank sets
    come from bonferroni-t, and 'first_share' is empty.

    With topics in groups (--groups, or a column), confint resamples whole groups. With repeats of
    runs ({repeat} in --labels, or a column), rank sets come from bonferroni-t, are for new repeats
    and new topics, and 'first_share' is empty.

    With a cheaper judge (--judge-qrels, --judge-scores), such as a language model that judged these
    topics and more, means and rank sets use both judges, and rank runs as people would.
    'human_mean' is from human judgements only, 'judge_mean' from the judge only. The judge's other
    columns are as in 'confint interval'.

    With --qrels, 'judged_share' is the share of a run's first documents, ten at most, that somebody
    judged. It is empty if the judgements list relevant documents only, as BEIR's do, because such a
    list does not say what else was judged. A warning names decisions that change without the
    unjudged documents. With --unjudged bounds, 'least' and 'largest' say what the mean could be,
    whatever the judgements of these documents. Rank sets then hold for all such judgements
    (bonferroni-t), and 'first_share' is empty.

    On a terminal, ■ marks the places of the runs from which a run cannot be told apart. A line
    separates the runs where all above it are shown to be better than all below.
    """  # noqa: D301
    from confint_cli.app.names import estimation_asked_for, only_method
    from confint_cli.app.workload import before_ranking, with_draws
    from confint_cli.studies.rank import rank
    from confint_cli.studies.unjudged import decided_otherwise, standings

    estimation = estimation_asked_for(
        estimating, reading.workers, only=only_method(reading), single="rank"
    )

    def ask(work: Work) -> "Answer[RankRow]":
        runs = len(work.scores.runs)
        full_estimation, about_draws = with_draws(estimation, estimating, runs, all_pairs=True)
        work.tell([*about_draws, *before_ranking(work.scores, writing)])
        progress = work.progress("ranking")

        def asked(scores: "Scores") -> "Answer[RankRow]":
            return rank(
                scores,
                full_estimation,
                strict=estimating.strict,
                for_new=for_new,
                best_first=writing.sort == "mean",
                progress=progress,
            )

        return decided_otherwise(work.scores, asked(work.scores), asked, standings)

    return Task("rank", ask, estimating=estimating, designs=True, for_new=for_new)
