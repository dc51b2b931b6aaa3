"""`confint interval`: how sure is this mean?"""

import click

from confint_cli.app.options import (
    EstimatingOptions,
    ReadingOptions,
    WritingOptions,
    answering_options,
    estimating_options,
    reading_options,
)
from confint_cli.app.standardizing import Yardstick, standardize_option


@click.command(
    short_help="How sure is this mean? Confidence intervals for every run and measure.",
    epilog="""\b
Examples:
  trec_eval -q qrels.txt run.txt | confint interval -m map -
  confint interval -q qrels.txt -m AP,nDCG@10 runs/*.gz --method all
  confint interval evals/*.eval -m map --method bootstrap-t --level 0.95,0.999 -o map.tex
  confint interval evals/*.eval -m map --plot forest.png
""",
)
@reading_options
@standardize_option()
@estimating_options(methods="t", resamples=10_000)
@answering_options
def command(
    standardize: Yardstick | None,
    reading: ReadingOptions,
    estimating: EstimatingOptions,
    writing: WritingOptions,
) -> None:
    """Print the mean of every run by every measure, with confidence intervals.

    They are for the mean over topics like those in FILES, which are a sample of such topics. The
    note says where to be careful: 'few topics' (fewer than 10), 'skewed' (too much for this method:
    as a rule, bootstrap-t comes closer), 'mostly zeros' and 'mostly one value' (no method covers as
    it should, but wilson where all scores are 0 or 1), 'no variance' (all scores equal), 'one
    topic' (no interval), 'unbounded' (a limit is infinite), 'N topics missing' (scored 0). 'shape'
    is how much farther the upper limit is from the mean than the lower one.

    A terminal shows a row for each run, best first, with its intervals side by side; so do
    Markdown and LaTeX. TSV, CSV and JSON have a row for each interval.
    """
    from confint_cli.app import conduct, standardizing
    from confint_cli.app.messages import progress_line
    from confint_cli.studies.interval import interval

    how = conduct.estimation(estimating, reading.workers)
    with conduct.writer(writing, figure="interval") as write:
        scores = conduct.read(reading, writing, standardize=standardize)
        scores, standardize = standardizing.standardized(
            scores, standardize, how.seed, reading, writing
        )
        table, notices = interval(
            scores,
            how,
            conduct.signature("interval", scores, reading, how, standardize=standardize),
            best_first=writing.sort == "mean",
            progress=progress_line("resampling", quiet=writing.quiet),
        )
        conduct.tell(notices, writing)
        write(standardizing.explained(table, standardize, scores))
