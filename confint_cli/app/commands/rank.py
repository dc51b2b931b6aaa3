"""`confint rank`: who is really ahead?"""

import click

from confint_cli.app.options import (
    DRAWING,
    EstimatingOptions,
    ReadingOptions,
    WritingOptions,
    answering_options,
    estimating_options,
    reading_options,
)
from confint_cli.app.standardizing import Yardstick, standardize_option
from confint_cli.common.errors import CallError


@click.command(
    short_help="Who is really ahead? The standings of a shared task, with rank sets.",
    epilog="""\b
Examples:
  confint rank -q qrels.txt -m AP submissions/*
  confint rank evals/*.eval -m map,P_10 -o standings.md
  confint rank evals/*.eval -m map --level 0.9 --method bootstrap-t
""",
)
@reading_options
@standardize_option()
@estimating_options(methods="t", resamples=10_000, single=True, more=DRAWING)
@answering_options
def command(
    standardize: Yardstick | None,
    reading: ReadingOptions,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> None:
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

    On a terminal, ■ shows from which others a run cannot be told apart, and a line parts runs of
    which all above are told to be better than all below.
    """
    from confint_cli.common.parallel import prepare_for_arrays

    prepare_for_arrays()
    from confint_cli.app import conduct, standardizing
    from confint_cli.app.conduct import before_ranking, with_draws
    from confint_cli.app.messages import progress_line
    from confint_cli.studies.rank import rank

    how = conduct.estimation(estimating, reading.workers)
    if len(how.methods) > 1 or how.optional:
        raise CallError(f"rank has one --method at a time, not {len(how.methods)}")
    with conduct.writer(writing, figure="rank") as write:
        scores = conduct.read(reading, writing, standardize=standardize)
        scores, standardize = standardizing.standardized(
            scores, standardize, how.seed, reading, writing
        )
        how = with_draws(how, estimating, writing, len(scores.runs), all_pairs=True)
        conduct.tell(before_ranking(scores, writing), writing)
        sampling = {"draws": str(how.draws)}
        table, notices = rank(
            scores,
            how,
            conduct.signature(
                "rank", scores, reading, how, sampling=sampling, standardize=standardize
            ),
            strict=estimating.strict,
            best_first=writing.sort == "mean",
            progress=progress_line("ranking", quiet=writing.quiet),
        )
        conduct.tell(notices, writing)
        write(standardizing.explained(table, standardize, scores))
