"""`confint score`: per-topic scores of runs."""

import os
from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, named, of_designs
from confint_cli.app.command import command_of
from confint_cli.app.options import WritingOptions, pooled_options, writing_options
from confint_cli.app.task import Task, Work
from confint_cli.app.types import Choice
from confint_cli.common.errors import CallError
from confint_cli.scores.request import Request
from confint_cli.scores.treatments import BOUNDS
from confint_cli.studies.columns import SCORES

if TYPE_CHECKING:
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.score import ScoreRow


@command_of(
    pooled_options,
    writing_options,
    short_help="What does each run score on each topic? From runs, or from any evaluation output.",
    examples="""\
  confint score -q qrels.txt -m map,P@10 run.txt
  confint score -q qrels.txt runs/*.gz --layout trec_eval -o evals/
  confint score -q qrels.txt -m nDCG@10,Judged@10 run.txt
  trec_eval -q qrels.txt run.txt | confint score -m map -
""",
    columns=Columns(of_designs(named(SCORES))),
)
@click.option(
    "--layout",
    type=Choice(["long", "trec_eval"]),
    default="long",
    show_default=True,
    help="long is a table of run, topic, measure and score. trec_eval has the lines of trec_eval "
    "-q, one run per file.",
)
def command(layout: str, reading: Request, writing: WritingOptions) -> Task:
    """Print the score of every run on every topic.

    FILES are per-topic outputs of evaluation tools, in any of the formats that 'confint formats'
    lists. With --qrels, FILES are the runs themselves. '-' is standard input, and gzip files are
    read as they are. A folder stands for the files in it; confint leaves out hidden files and
    folders inside it.

    Scores that were read keep all their digits. Computed scores have four decimals.

    With several collections (--labels, or a column of a table), a column names the collection of
    each topic, and other commands read this column again. The same holds for groups of topics and
    for repeats of runs.

    With --unjudged bounds, 'least' and 'largest' say what a score could be, whatever the judgements
    of the documents that nobody judged. 'Judged@10' is a measure: the share of the first ten
    documents that are judged.

    With -o DIR/, confint writes one file per run into that folder.
    """
    from confint_cli.app.writing import folder_output, table_output
    from confint_cli.studies.score import score

    if layout == "trec_eval":
        _check_no_other_format(writing)
    output_format = "trec_eval" if layout == "trec_eval" else None
    into_folder = _is_folder(writing.output, layout)

    def ask(work: Work) -> "Answer[ScoreRow]":
        runs = len(work.scores.runs)
        if layout == "trec_eval" and runs > 1 and not into_folder:
            raise CallError(
                f"trec_eval's layout has one run per file, but there are {runs}",
                "give a folder for the files: -o DIR/",
            )
        if layout == "trec_eval" and work.scores.several:
            raise CallError("trec_eval's layout has no place for the names of collections")
        if layout == "trec_eval" and reading.unjudged == BOUNDS:
            raise CallError("trec_eval's layout has no place for bounds")
        if layout == "trec_eval" and work.scores.repeats is not None:
            raise CallError("trec_eval's layout has no place for the names of repeats")
        return score(work.scores)

    output = (
        folder_output(reading, writing, output_format)
        if into_folder
        else table_output(writing, output_format, figure="score")
    )
    return Task("score", ask, output=output, designs=True)


def _check_no_other_format(writing: WritingOptions) -> None:
    """Raise CallError for options of a table, which the lines of trec_eval are not."""
    from confint_cli.outputs import formats, offered

    suffix = os.path.splitext(writing.output or "")[1].lower()
    others = {ending for name in offered() if name != "table" for ending in formats()[name].endings}
    if writing.output_format or suffix in others:
        raise CallError(
            "--layout trec_eval is a format of its own",
            "leave out --format, and use a file name that ends in .eval or .txt",
        )
    if writing.signature:
        raise CallError("--layout trec_eval has no place for a signature")
    if writing.columns:
        raise CallError("--layout trec_eval has columns of its own, and all of them are needed")


def _is_folder(output: str | None, layout: str) -> bool:
    """Say whether -o names a folder: it is one or ends in a slash.

    With the layout of trec_eval, it also does if it has no ending and does not exist yet.
    """
    from confint_cli.app.files import is_stdout

    if output is None or is_stdout(output):
        return False
    if output.endswith(os.sep) or os.path.isdir(output):
        return True
    return layout == "trec_eval" and not os.path.splitext(output)[1] and not os.path.exists(output)
