"""`confint score`: per-topic scores of runs."""

import os

import click

from confint_cli.app.options import ReadingOptions, WritingOptions, reading_options, writing_options
from confint_cli.common.errors import CallError


@click.command(
    short_help="Per-topic scores: from qrels and runs, or from any evaluation output.",
    epilog="""\b
Examples:
  confint score -q qrels.txt -m map,P@10 run.txt
  confint score -q qrels.txt runs/*.gz --layout trec_eval -o evals/
  trec_eval -q qrels.txt run.txt | confint score -m map -
""",
)
@reading_options
@click.option(
    "--layout",
    type=click.Choice(["long", "trec_eval"]),
    default="long",
    show_default=True,
    help="A table of run, topic, measure and score; or the lines of trec_eval -q, one run a file.",
)
@writing_options
def command(reading: ReadingOptions, writing: WritingOptions, layout: str) -> None:
    """Print the score of every run on every topic.

    FILES are per-topic outputs of evaluation tools, in any of the formats that 'confint formats'
    lists, or with --qrels the runs themselves; '-' is standard input, gzip is read as it is. A
    folder stands for the files in it: not hidden ones, and none of folders in it.

    Scores that were read are written in full; computed ones have four decimals.

    With -o DIR/ every run gets a file of its own in that folder.
    """
    from confint_cli.app import conduct
    from confint_cli.outputs.cells import FULL_PRECISION
    from confint_cli.studies.score import score

    if layout == "trec_eval":
        _check_no_other_format(writing)
    # Keep the digits of scores that were read; round those computed, as trec_eval does.
    default_digits = FULL_PRECISION if reading.qrels is None else 4
    output_format = "trec_eval" if layout == "trec_eval" else None
    if _is_folder(writing.output, layout):
        scores = conduct.read(reading, writing)
        tables = {
            run: score(one := scores.only(run), conduct.signature("score", one, reading))
            for run in scores.runs
        }
        conduct.write_folder(tables, reading, writing, output_format, default_digits=default_digits)
        return
    with conduct.writer(writing, output_format, default_digits=default_digits) as write:
        scores = conduct.read(reading, writing)
        if layout == "trec_eval" and len(scores.runs) > 1:
            raise CallError(
                f"trec_eval's layout has one run a file, and there are {len(scores.runs)}",
                "give a folder for them: -o DIR/",
            )
        write(score(scores, conduct.signature("score", scores, reading)))


def _check_no_other_format(writing: WritingOptions) -> None:
    from confint_cli.outputs import FORMATS, suffixes_of

    suffix = os.path.splitext(writing.output or "")[1].lower()
    others = {ending for name in FORMATS if name != "table" for ending in suffixes_of(name)}
    if writing.output_format or suffix in others:
        raise CallError(
            "--layout trec_eval is a format of its own",
            "leave --format out, and let the name of the file end in .eval or .txt",
        )
    if writing.signature:
        raise CallError("--layout trec_eval has no place for a signature")
    if writing.columns:
        raise CallError("--layout trec_eval has columns of its own, and all of them are needed")


def _is_folder(output: str | None, layout: str) -> bool:
    """Say whether -o names a folder: it is one, ends like one, or could be nothing else."""
    from confint_cli.app.files import is_stdout

    if output is None or is_stdout(output):
        return False
    if output.endswith(os.sep) or os.path.isdir(output):
        return True
    return layout == "trec_eval" and not os.path.splitext(output)[1] and not os.path.exists(output)
