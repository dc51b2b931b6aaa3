"""`confint rank`: who is really ahead?"""

from typing import TYPE_CHECKING

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.options import (
    EstimatingOptions,
    WritingOptions,
    command_of,
    deciding_options,
    for_new_options,
    statistics_options,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.common.errors import CallError
from confint_cli.scores.request import Request

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
    columns=Columns(
        of_designs(
            named(
                "measure rank run topics mean low high rank_low rank_high own_rank_low",
                "own_rank_high first_share tied_with_best judged_share note",
            )
        )
    ),
    needs_less="fewer runs",
    long_work=True,
)
def command(
    for_new: str, reading: Request, estimating: EstimatingOptions, writing: WritingOptions
) -> Task:
    """Print the standings of the runs: their ranks, and which ranks they may truly have.

    'rank_low' to 'rank_high' is a run's rank set: as many runs as are told to be better come before
    it, and as many as are told to be worse after it. All rank sets hold at once, approximately,
    with the confidence of --level: they come from simultaneous intervals of the differences of all
    pairs of runs (max-t).
    'own_rank_low' to 'own_rank_high' is the rank set of one run by itself, from its differences to
    all others, for a run that was chosen before the results were seen. 'tied_with_best' says that
    it cannot be told apart from the run with the best mean, all differences considered.
    'first_share' is the share of resamples of the topics in which it comes first, which is not how
    probable it is that it is truly the best. 'low' and 'high' are the interval of its mean, by
    itself.

    Of several collections (--labels, or a column of a table), each has its standings, and 'macro'
    those by the mean of their means, for new topics of these collections, or with --for-new for new
    collections like these: then rank sets are by bonferroni-t, and there is no 'first_share'.

    With topics in groups (--groups, or a column), groups are resampled. Runs with repeats ({repeat}
    in --labels, or a column) have rank sets by bonferroni-t, for new repeats and new topics.

    With a cheaper judge, such as a language model that judged these topics and more (--judge-qrels,
    --judge-scores), means and rank sets are of both judges, as people would rank the runs:
    'human_mean' is what people's topics say alone, 'judge_mean' what the judge says alone.

    With --qrels, 'judged_share' is the share of a run's first documents, ten at most, that are
    judged, and a warning says if runs would be told apart otherwise without the others. With
    --unjudged bounds, 'least' and 'largest' are what the mean could be, however these are judged,
    and rank sets hold whatever that is (bonferroni-t).

    On a terminal, ■ shows from which others a run cannot be told apart, and a line parts runs of
    which all above are told to be better than all below.
    """
    from confint_cli.app.names import estimation_asked_for
    from confint_cli.app.workload import before_ranking, with_draws
    from confint_cli.studies.rank import rank
    from confint_cli.studies.unjudged import decided_otherwise, standings

    estimation = estimation_asked_for(estimating, reading.workers, only=reading.only_method)
    if len(estimation.methods) > 1 or estimation.optional:
        raise CallError(f"rank has one --method at a time, not {len(estimation.methods)}")

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
