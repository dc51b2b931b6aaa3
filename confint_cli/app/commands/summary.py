"""`confint summary`: intervals and comparisons from only the published mean, sd and n."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from confint_cli.app.columns import Columns, empty_of_comparisons, named
from confint_cli.app.command import READING, STATISTICS, Group, command_of
from confint_cli.app.options import (
    WritingOptions,
    among_own,
    baseline_option,
    correct_option,
    files_argument,
    level_option,
    plotting_options,
)
from confint_cli.app.task import DirectTask
from confint_cli.app.types import FiniteNumber, WholeNumber
from confint_cli.common.errors import CallError, DataError, Notice, note
from confint_cli.common.text import count, listed, quoted, visible_measure
from confint_cli.studies.columns import MEANS, comparisons, joined

if TYPE_CHECKING:
    from confint_cli.inputs.published import Published
    from confint_cli.studies.answer import Answer

_GIVEN = (
    click.Option(
        ["--mean"],
        type=FiniteNumber(),
        multiple=True,
        metavar="M",
        help="A published mean. Repeat the option for several.",
    ),
    click.Option(
        ["--sd"],
        type=FiniteNumber(min=0),
        multiple=True,
        metavar="S",
        help="Standard deviation over topics (with n-1) for each --mean.",
    ),
    click.Option(
        ["--n"],
        type=WholeNumber(min=2),
        multiple=True,
        metavar="N",
        help="Number of topics for each --mean.",
    ),
)
_MEASURE = click.Option(
    ["-m", "--measure"],
    multiple=True,
    metavar="NAME",
    help="With tables: use only these measures. With --mean: the name of its measure. [default: "
    "all]",
)


@command_of(
    among_own(
        files_argument(required=False), *_GIVEN, baseline_option("its name"), correct_option()
    ),
    Group(READING, (_MEASURE,)),
    Group(STATISTICS, (level_option(),)),
    plotting_options,
    short_help="What do published results say? Intervals and comparisons from mean, sd and n only.",
    examples="""\
  confint summary --mean 0.2175 --sd 0.2408 --n 50
  confint summary published.csv --baseline BM25
  confint interval evals/*.eval -m map | confint summary --baseline bm25 - theirs.tsv
""",
    columns=Columns(
        named(MEANS),
        instead={"baseline": named(joined(comparisons(), {"unpaired": True}))},
        empty=partial(empty_of_comparisons, paired=False),
    ),
)
def command(
    files: tuple[str, ...],
    mean: tuple[float, ...],
    sd: tuple[float, ...],
    n: tuple[int, ...],
    measure: tuple[str, ...],
    baseline: tuple[str, ...],
    correct: str,
    level: tuple[float, ...],
    writing: WritingOptions,
) -> DirectTask:
    """Print t intervals of published means, or compare them, if you have only mean, sd and n.

    FILES are tables (TSV or CSV) with the columns run, measure, mean, sd and n (or topics), or
    folders of such tables. 'confint interval' writes such a table. The sd is the standard deviation
    of the scores over topics, with n-1. Results that you give with --mean, --sd and --n are called
    1, 2 and so on.

    With --baseline, confint prints Welch's t test and the interval of the difference, as 'confint
    compare --unpaired' does. If both runs are on the same topics, a paired comparison of their
    scores detects far smaller differences.
    """
    from confint_cli.scores.naming import names_in
    from confint_cli.stats.comparison import Testing
    from confint_cli.stats.estimate import Estimation
    from confint_cli.studies.summary import summary

    in_call = bool(mean or sd or n)
    if files and in_call:
        raise CallError("use either FILES, or --mean, --sd and --n, but not both")
    if in_call:
        published, about_tables = _in_call(mean, sd, n, measure), list[Notice]()
    else:
        published, about_tables = _read(files, measure)
    runs = {result.run for result in published}

    def ask() -> "Answer[Any]":
        baselines, estimation = names_in(baseline, runs), Estimation((), level)
        testing = Testing(correction=correct)
        answer = summary(published, baselines, estimation, testing, sort=writing.sort)
        return replace(answer, notices=(*about_tables, *answer.notices))

    return DirectTask("summary", ask, figure="compare" if baseline else "interval", inputs=files)


def _in_call(
    mean: tuple[float, ...], sd: tuple[float, ...], n: tuple[int, ...], measure: tuple[str, ...]
) -> "list[Published]":
    """Return the results in --mean, --sd and --n, which are runs called 1, 2 and so on."""
    from confint_cli.common.measures import split_request
    from confint_cli.inputs.published import Published

    if not len(mean) == len(sd) == len(n):
        raise CallError(
            f"{len(mean)} of --mean, {len(sd)} of --sd and {len(n)} of --n: each mean needs one "
            "--sd and one --n"
        )
    names = split_request(measure)
    if len(names) > 1 or (measure and not names):
        raise CallError(f"--mean is for one measure, not {len(names)}", "a table can have several")
    name = visible_measure(names[0]) if names else "score"
    return [
        Published(str(number), name, *figures)
        for number, figures in enumerate(zip(mean, sd, n, strict=True), start=1)
    ]


def _read(
    files: tuple[str, ...], measure: tuple[str, ...]
) -> "tuple[list[Published], list[Notice]]":
    """Return the results in tables by the measures of --measure, and notices about them.

    Raise CallError without files, and DataError if no table has these measures.
    """
    from confint_cli.common.measures import canonical, split_request
    from confint_cli.inputs.published import read_published

    if not files:
        raise CallError(
            "nothing to summarise",
            "give a table of run, measure, mean, sd and n, or --mean, --sd, --n",
        )
    everything = {str(path): read_published(path) for path in dict.fromkeys(files)}
    known = [*dict.fromkeys(result.measure for table in everything.values() for result in table)]
    requested = set(map(canonical, split_request(measure, known)))
    tables = {
        path: [
            result for result in table if not requested or canonical(result.measure) in requested
        ]
        for path, table in everything.items()
    }
    if not any(tables.values()):
        raise DataError("", f"no table has the measure {quoted(', '.join(measure))}")
    return _told_apart(tables)


def _told_apart(tables: "dict[str, list[Published]]") -> "tuple[list[Published], list[Notice]]":
    """Return the results of all tables, each once, and a note if runs had to be told apart.

    Where tables differ on a run, its results are of several runs, named by the tables' paths.
    """
    from confint_cli.common.measures import canonical
    from confint_cli.scores.naming import told_apart

    paths: dict[str, dict[str, None]] = {}
    figures_by_key: dict[tuple[str, str], set[tuple[float, ...]]] = {}
    for path, table in tables.items():
        for result in table:
            paths.setdefault(result.run, {})[path] = None
            key = (result.run, canonical(result.measure))
            figures_by_key.setdefault(key, set()).add((result.mean, result.sd, result.topics))
    differing = dict.fromkeys(run for (run, _), values in figures_by_key.items() if len(values) > 1)
    names = {
        (run, path): name
        for run in differing
        for path, name in zip(paths[run], told_apart(run, [*paths[run]]), strict=True)
    }
    results = [
        replace(result, run=names.get((result.run, path), result.run))
        for path, table in tables.items()
        for result in table
    ]
    notices = [
        note(
            f"tables differ on {count(len(differing), 'run')}; told apart by path: "
            f"{listed([*names.values()], 5)}"
        )
    ] if names else []  # fmt: skip
    by_key = {(result.run, canonical(result.measure)): result for result in results}
    return list(by_key.values()), notices
