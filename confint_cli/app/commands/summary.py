"""`confint summary`: intervals and comparisons from published mean, sd and n alone."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import MEANS, Columns, comparisons, empty_of_comparisons, named
from confint_cli.app.options import (
    READING,
    STATISTICS,
    Group,
    WritingOptions,
    among_own,
    baseline_option,
    command_of,
    correct_option,
    files_argument,
    level_option,
    plotting_options,
)
from confint_cli.app.types import FiniteNumber, WholeNumber
from confint_cli.common.errors import CallError, DataError, Notice, note
from confint_cli.common.text import count, listed, quoted, visible_measure

if TYPE_CHECKING:
    from confint_cli.inputs.published import Published

_GIVEN = (
    click.Option(
        ["--mean"],
        type=FiniteNumber(),
        multiple=True,
        metavar="M",
        help="A published mean; repeat for several.",
    ),
    click.Option(
        ["--sd"],
        type=FiniteNumber(min=0),
        multiple=True,
        metavar="S",
        help="The standard deviation over topics (with n-1) of each --mean.",
    ),
    click.Option(
        ["--n"],
        type=WholeNumber(min=2),
        multiple=True,
        metavar="N",
        help="The number of topics of each --mean.",
    ),
)
_MEASURE = click.Option(
    ["-m", "--measure"],
    multiple=True,
    metavar="NAME",
    help="Of tables, only these measures; of --mean, its measure. [default: all]",
)


@command_of(
    among_own(
        files_argument(required=False), *_GIVEN, baseline_option("its name"), correct_option()
    ),
    Group(READING, (_MEASURE,)),
    Group(STATISTICS, (level_option(),)),
    plotting_options,
    short_help="Published means: intervals and comparisons from mean, sd and n alone.",
    examples="""\
  confint summary --mean 0.2175 --sd 0.2408 --n 50
  confint summary published.csv --baseline BM25
  confint interval evals/*.eval -m map | confint summary --baseline bm25 - theirs.tsv
""",
    columns=Columns(
        MEANS,
        instead={"baseline": comparisons(named("baseline_topics"))},
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
) -> None:
    """Print t intervals of published means, or compare them, when nothing else is known.

    FILES are tables (TSV or CSV) with the columns run, measure, mean, sd and n (or topics), or
    folders of such; what 'confint interval' writes is such a table. The sd is that of the topics'
    scores, with n-1. Results given by --mean, --sd and --n are called 1, 2 and so on.

    With --baseline, Welch's t test and interval of the difference, as 'confint compare --unpaired'
    prints them. Where both runs are on the same topics, a paired comparison of their scores
    tells far smaller differences apart.
    """
    from confint_cli import __version__
    from confint_cli.app.conduct import Answer, Tell, facts_of_computing, present
    from confint_cli.scores.naming import names_in
    from confint_cli.stats.comparison import WELCH, Testing
    from confint_cli.stats.estimate import Estimation
    from confint_cli.studies.summary import summary

    in_call = bool(mean or sd or n)
    if files and in_call:
        raise CallError("FILES, or --mean, --sd and --n: only one of them can be meant")
    if in_call:
        published, about_tables = _given(mean, sd, n, measure), list[Notice]()
    else:
        published, about_tables = _read(files, measure)
    estimation = Estimation((), level)
    runs = {one.run for one in published}

    def ask(tell: Tell) -> Answer:
        tell(about_tables)
        facts = {
            "confint": __version__,
            "command": "summary",
            "runs": str(len(runs)),
            "measures": ",".join(dict.fromkeys(one.measure for one in published)),
            "methods": WELCH if baseline else "t",
            "levels": ",".join(map(str, level)),
            **facts_of_computing(),
        }
        testing = Testing(correction=correct)
        named = names_in(baseline, runs)
        table, notices = summary(published, named, estimation, testing, sort=writing.sort)
        return Answer(table, notices, facts)

    present(ask, writing, figure="compare" if baseline else "interval", inputs=files)


def _given(
    mean: tuple[float, ...], sd: tuple[float, ...], n: tuple[int, ...], measure: tuple[str, ...]
) -> "list[Published]":
    """Return the results that stand in the call."""
    from confint_cli.common.measures import split_request
    from confint_cli.inputs.published import Published

    if not len(mean) == len(sd) == len(n):
        raise CallError(
            f"{len(mean)} of --mean, {len(sd)} of --sd and {len(n)} of --n: each mean takes one of "
            "each"
        )
    names = split_request(measure)
    if len(names) > 1 or (measure and not names):
        raise CallError(f"--mean is of one measure, not {len(names)}", "a table can have several")
    name = visible_measure(names[0]) if names else "score"
    return [
        Published(str(place), name, *one)
        for place, one in enumerate(zip(mean, sd, n, strict=True), start=1)
    ]


def _read(
    files: tuple[str, ...], measure: tuple[str, ...]
) -> "tuple[list[Published], list[Notice]]":
    """Return the results in tables."""
    from confint_cli.common.measures import canonical, split_request
    from confint_cli.inputs.published import read_published

    if not files:
        raise CallError(
            "nothing to sum up",
            "give a table of run, measure, mean, sd and n, or --mean, --sd, --n",
        )
    everything = {path: read_published(path) for path in dict.fromkeys(files)}
    known = [*dict.fromkeys(one.measure for table in everything.values() for one in table)]
    wanted = set(map(canonical, split_request(measure, known)))
    tables = {
        path: [one for one in table if not wanted or canonical(one.measure) in wanted]
        for path, table in everything.items()
    }
    if not any(tables.values()):
        raise DataError("", f"no table has the measure {quoted(', '.join(measure))}")
    return _told_apart(tables)


def _told_apart(tables: "dict[str, list[Published]]") -> "tuple[list[Published], list[Notice]]":
    """Return all results; runs of one name of which tables say different things, by their paths."""
    from confint_cli.common.measures import canonical
    from confint_cli.scores.naming import told_apart

    paths: dict[str, dict[str, None]] = {}
    said: dict[tuple[str, str], set[tuple[float, ...]]] = {}
    for path, table in tables.items():
        for one in table:
            paths.setdefault(one.run, {})[path] = None
            figures = (one.mean, one.sd, one.topics)
            said.setdefault((one.run, canonical(one.measure)), set()).add(figures)
    differing = dict.fromkeys(run for (run, _), results in said.items() if len(results) > 1)
    names = {
        (run, path): name
        for run in differing
        for path, name in zip(paths[run], told_apart(run, [*paths[run]]), strict=True)
    }
    results = [
        replace(one, run=names.get((one.run, path), one.run))
        for path, table in tables.items()
        for one in table
    ]
    notices = [
        note(
            f"tables differ on {count(len(differing), 'run')}; told apart by path: "
            f"{listed([*names.values()], 5)}"
        )
    ] if names else []  # fmt: skip
    return list({(one.run, canonical(one.measure)): one for one in results}.values()), notices
