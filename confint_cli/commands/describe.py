"""`confint describe`: what do the scores look like?"""

import click

from confint_cli.options import ReadingOptions, WritingOptions, answering_options, reading_options


@click.command(
    short_help="What do the scores look like? Quartiles, zeros, skew, a histogram a run.",
    epilog="""\b
Examples:
  confint describe evals/*.eval -m map
  trec_eval -q qrels.txt run.txt | confint describe -
  confint describe evals/*.eval -m map --plot histograms.pdf
  confint standardize evals/*.eval -m map | confint describe -f table -
""",
)
@reading_options
@answering_options
def command(reading: ReadingOptions, writing: WritingOptions) -> None:
    """Print what the scores of every run by every measure look like, and whom to distrust.

    'zeros' is the share of topics with a score of 0, 'skew' the third moment over the second to
    the power of 1.5: above 0, a few topics score far above most; below 0, far below. 'shapiro_w' is
    near 1 for normal scores; 'shapiro_p' is how probable a W no larger is if they are normal (up to
    5,000 topics). 'q1' and 'q3' are quartiles, interpolated between two scores where need be.

    The note says why not to trust a t interval: 'skewed' (Cochran's rule: 25 skew² is more than the
    number of topics, if there are 30 or more), 'mostly zeros' (no interval covers as it says), 'few
    topics' (fewer than 10), 'no variance', 'one topic'; and what else there is to know about a run:
    topics it lacks, another run with the same scores.

    A terminal shows a histogram of each run, and says in words which interval to take.
    """
    from confint_cli.commands import _run
    from confint_cli.messages import progress_line
    from confint_cli.studies.describe import describe

    with _run.writer(writing, figure="describe") as write:
        scores = _run.read(reading, writing)
        signature = _run.signature("describe", scores, reading) | _run.computing()
        table = describe(
            scores,
            signature,
            best_first=writing.sort == "mean",
            progress=progress_line("describing", quiet=writing.quiet),
        )
        write(table)
