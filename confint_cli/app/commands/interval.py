"""`confint interval`: how sure is this mean?"""

from typing import TYPE_CHECKING

from confint_cli.app.columns import MEANS, Columns, of_designs
from confint_cli.app.options import (
    EstimatingOptions,
    WritingOptions,
    command_of,
    for_new_options,
    judged_and_pooled_options,
    paper_options,
    statistics_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.scores.request import Request

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
    columns=Columns(of_designs(MEANS)),
)
def command(
    for_new: str, reading: Request, estimating: EstimatingOptions, writing: WritingOptions
) -> Task:
    """Print the mean of every run by every measure, with confidence intervals.

    They are for the mean over topics like those in FILES, which are a sample of such topics. The
    note says where to be careful: 'few topics' (fewer than 10), 'skewed' (too much for this method:
    as a rule, bootstrap-t comes closer), 'mostly zeros' and 'mostly one value' (no method covers as
    it should, but wilson where all scores are 0 or 1), 'no variance' (all scores equal), 'one
    topic' (no interval), 'unbounded' (a limit is infinite), 'N topics missing' (scored 0). 'shape'
    is how much farther the upper limit is from the mean than the lower one.

    Of several collections (--labels, or a column of a table), each has a row, and 'macro' is the
    mean of their means, each of which counts alike: 'collections' says how many. It is for new
    topics of these collections, or with --for-new for new collections like these (method t only;
    the note says 'few collections' below 5). 'df' are the degrees of freedom of 'se'.

    Topics in groups (--groups, or a column) are not independent: 'se' and 'df' are those of groups,
    'design_effect' says how many times as large the variance is ('few groups': too few to know).
    Runs with repeats ({repeat} in --labels, or a column) are for new repeats too: 'repeat_share' is
    the part of the variance that more topics would not remove ('few repeats' below 3; 'one repeat':
    a run without any beside others, taken as it is). sd is that of topics.

    With a cheaper judge, such as a language model that judged these topics and more (--judge-qrels,
    --judge-scores), the interval is 'ppi', for what people would say, by both. 'topics' are all of
    them, 'human_topics' those of people; 'human_mean', 'human_low' and 'human_high' are what these
    say alone, 'judge_mean' what the judge says alone. 'bias' is how much higher it scores, 'slope'
    and 'correlation' are of people's scores on its own, and 'effective_topics' says how many topics
    by people alone would give an interval as short ('no gain': no more; 'judge constant', 'no
    further topics': people's scores alone). People's topics must be a random sample of all.

    With --unjudged bounds, 'least' and 'largest' are what the mean could be on these topics,
    however documents that nobody judged are judged, and the interval is 'imbens-manski', for the
    mean that lies between them. The note says 'bounds wide' where they are more than 0.3 apart, and
    'few topics' below 25.

    A terminal shows a row for each run, best first, with its intervals side by side; so do
    Markdown and LaTeX. With --layout paper they have the table of a paper: systems by measures, or
    by collections. TSV, CSV and JSON have a row for each interval.
    """
    from confint_cli.app.names import estimation_asked_for
    from confint_cli.studies.interval import interval

    estimation = estimation_asked_for(estimating, reading.workers, only=reading.only_method)

    def ask(work: Work) -> "Answer[IntervalRow]":
        return interval(
            work.scores,
            estimation,
            for_new=for_new,
            best_first=writing.sort == "mean",
            progress=work.progress("resampling"),
        )

    return Task("interval", ask, estimating=estimating, designs=True, for_new=for_new)
