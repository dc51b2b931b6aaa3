"""`confint interval`: how sure is this mean?"""

from typing import TYPE_CHECKING

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.command import command_of
from confint_cli.app.options import (
    EstimatingOptions,
    WritingOptions,
    for_new_options,
    judged_and_pooled_options,
    paper_options,
    statistics_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.scores.request import Request
from confint_cli.studies.columns import MEANS

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import IntervalRow


@command_of(
    judged_and_pooled_options,
    for_new_options,
    statistics_options(methods="t"),
    paper_options,
    short_help="How sure is this mean? Confidence intervals for every run and measure.",
    examples="""\
  trec_eval -q qrels.txt run.txt | confint interval -m map -
  confint interval -q qrels.txt -m AP,nDCG@10 runs/*.gz --method all
  confint interval evals/*.eval -m map --method bootstrap-t --level 0.95,0.999 -o map.tex
  confint interval evals/*.eval -m map --plot forest.png
  confint interval --labels '{collection}/{run}.run' -q 'beir/{collection}/qrels.txt' beir/*/*.run
  confint interval -q cast/qrels.txt --groups '{group}_{}' cast/runs/*.run
  confint interval -q qrels.txt -m nDCG@10 runs/*.gz --unjudged bounds
  confint interval -q human.qrels --judge-qrels llm.qrels -m nDCG@10 runs/*
  confint interval evals/*.eval -m map,P_10 --layout paper -o means.tex
""",
    columns=Columns(of_designs(named(MEANS))),
)
def command(
    for_new: str, reading: Request, estimating: EstimatingOptions, writing: WritingOptions
) -> Task:
    """Print the mean of every run in every measure, each with a confidence interval.

    Your topics are a sample of topics like them. The interval says where the mean over all such
    topics is likely to lie.

    \b
    The main columns:
      mean, sd, se  mean over the topics, standard deviation,
                    standard error
      low, high     the interval, by the method and at the
                    level of the row
      shape         how many times as far the upper limit is
                    from the mean as the lower one
      note          where to be careful; empty if there is
                    nothing to say

    \b
    What the note means:
      few topics        fewer than 10 topics
      skewed            the scores are too skewed for this
                        method; bootstrap-t is usually more
                        accurate
      mostly zeros, mostly one value
                        no method has its stated coverage,
                        except wilson where all scores are 0
                        or 1
      no variance       all scores are equal
      one topic         no interval is possible
      unbounded         a limit is infinite
      resampled         this interval needed random resamples
      N topics missing  the run lacks N topics, which are
                        scored 0

    With several collections (--labels, or a column of a table), each collection has a row. The row
    'macro' has the mean of their means: each collection counts equally, and 'collections' is their
    number. Its interval is for new topics of these collections. With --for-new collections, it is
    for new collections like these. Then the only method is t, and the note says 'few collections'
    below 5. 'df' is the degrees of freedom of 'se'.

    With topics in groups (--groups, or a column), such as the turns of a conversation, topics are
    not independent. 'se' and 'df' are those of groups. 'design_effect' says how many times as large
    the variance is as that of independent topics. 'few groups' means that there are too few groups
    to know.

    With repeats of runs ({repeat} in --labels, or a column), such as training seeds, the interval
    is for new repeats and new topics. 'repeat_share' is the part of the variance that more topics
    would not remove; 'sd' is over topics. 'few repeats' means fewer than 3. 'one repeat' marks a
    run without repeats among runs that have them; confint takes its scores as they are.

    With a cheaper judge (--judge-qrels, --judge-scores), such as a language model that judged these
    topics and more, the interval is 'ppi'. It uses both judges, and it is for what people would
    say. The topics that people judged must be a random sample of all topics.

    \b
    Columns with a cheaper judge:
      topics            all topics
      human_topics      the topics that people judged
      human_mean        the mean from human judgements only,
                        with its interval human_low,
                        human_high
      judge_mean        the mean from the judge only
      bias              how much higher the judge scores than
                        people do
      slope             of people's scores on the judge's
      correlation       of people's scores with the judge's
      effective_topics  how many human-judged topics would, by
                        themselves, give an interval as short

    \b
    Notes with a cheaper judge:
      no gain     the judge agrees too little with people to
                  shorten the interval
      judge constant, no further topics
                  only people's scores count

    With --unjudged bounds, 'least' and 'largest' say what the mean on these topics could be,
    whatever the judgements of the documents that nobody judged. The interval is 'imbens-manski',
    for the mean that lies between them. The note says 'bounds wide' if they are more than 0.3
    apart, and 'few topics' below 25 topics.

    A terminal, Markdown and LaTeX show one row per run, best first, with its intervals side by
    side. With --layout paper, they show the table of a paper: systems in rows, measures or
    collections in columns. TSV, CSV and JSON have one row per interval.
    """  # noqa: D301
    from confint_cli.app.names import estimation_asked_for, only_method
    from confint_cli.studies.interval import interval

    estimation = estimation_asked_for(estimating, reading.workers, only=only_method(reading))

    def ask(work: Work) -> "Answer[IntervalRow]":
        return interval(
            work.scores,
            estimation,
            for_new=for_new,
            best_first=writing.sort == "mean",
            progress=work.progress("resampling"),
        )

    return Task("interval", ask, estimating=estimating, designs=True, for_new=for_new)
