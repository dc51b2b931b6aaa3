"""The options that commands share, in groups; each group reaches the command as one record."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from confint_cli.app.columns import columns_option
from confint_cli.app.files import with_files_of_folders
from confint_cli.app.types import WholeNumber, one_level, some_levels
from confint_cli.common.errors import DataError, Notice
from confint_cli.common.parallel import ALL_CORES, Workers
from confint_cli.outputs import FORMATS
from confint_cli.stats.methods import MOST_RESAMPLES

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class ReadingOptions:
    """Which scores to read, and how."""

    files: tuple[str, ...]
    qrels: str | None
    measure: tuple[str, ...]
    missing: str
    topics: str | None
    every: int
    rel_level: int | None
    input_format: str | None
    run_names: str | None
    name_from: str
    measure_name: str | None
    jobs: int | None
    executor: str | None
    keep_going: bool = False
    left_out: dict[str, DataError] = field(default_factory=dict)  # by path, what is wrong
    workers: Workers = ALL_CORES  # who reads them, and does all other large work


@dataclass(frozen=True)
class EstimatingOptions:
    """Which intervals to compute."""

    method: tuple[str, ...]
    level: tuple[float, ...]
    resamples: int
    seed: int
    draws: int | None = None  # None: as many as is usual
    strict: bool = False


@dataclass(frozen=True)
class WritingOptions:
    """Where results go, and how."""

    output_format: str | None = None
    output: str | None = None
    digits: int | None = None
    columns: tuple[str, ...] = ()  # none of them: all
    sort: str = "mean"
    signature: bool = False
    plot: str | None = None
    no_title: bool = False
    verbose: bool = False
    quiet: bool = False
    told: list[Notice] = field(default_factory=list)  # for those who show it in the result too
    below: list[str] = field(default_factory=list)  # what is to stand below every table for people


def files_argument(*, required: bool = True) -> Callable[[Command], Command]:
    """Return a decorator that adds FILES, of which there may be none unless they are required."""
    return click.argument(
        "files", nargs=-1, required=required, callback=with_files_of_folders,
        metavar="FILES..." if required else "[FILES]...",
    )  # fmt: skip


_READING = (
    files_argument(),
    click.option(
        "-q", "--qrels", metavar="FILE",
        help="Relevance judgements (TREC or NTCIR): FILES are runs, scored against these.",
    ),
    click.option(
        "-m", "--measure", multiple=True, metavar="NAME",
        help="Measures in any spelling (map, AP, P_10, P@10 …); repeat, or separate by commas; "
        "'all' for all. [default: all, if there are six or fewer; otherwise map, Rprec, "
        "recip_rank, P_10, ndcg_cut_10 and ndcg]",
    ),
    click.option(
        "--missing", type=click.Choice(["zero", "drop", "error"]), default="zero",
        show_default=True,
        help="A topic that some run lacks: scored 0 as by trec_eval -c, dropped for all runs, "
        "or an error. If given, blanks and NA for scores in tables are such topics too, and "
        "otherwise errors.",
    ),
    click.option(
        "--topics", metavar="FILE", help="Use only the topics listed in this file, one a line."
    ),
    click.option(
        "--every", type=WholeNumber(min=1), default=1, metavar="K",
        help="Use every K-th topic, in the order of their ids.",
    ),
    click.option(
        "--rel-level", type=WholeNumber(1, 9999), metavar="N",
        help="With --qrels: the lowest grade that counts as relevant for binary measures. "
        "[default: 1]",
    ),
    click.option(
        "--input-format", metavar="NAME",
        help="The format of FILES ('confint formats' lists them), if it is not found by itself.",
    ),
    click.option(
        "--run-names", metavar="FILE",
        help="Names for the columns of a matrix without names, one a line.",
    ),
    click.option(
        "--name-from", type=click.Choice(["file", "tag"]), default="file", show_default=True,
        help="Call a run by its file's name or by the tag inside.",
    ),
    click.option(
        "--measure-name", metavar="NAME",
        help="The measure in files that do not name it. [default: the file's name]",
    ),
    click.option(
        "--jobs", type=WholeNumber(min=1), metavar="N",
        help="Processes, or threads, for large work; the result never depends on it. "
        "[default: all cores]",
    ),
    click.option(
        "--executor", metavar="URL",
        help="Let a cluster do the large work: dask://HOST:PORT of its scheduler, which you have "
        "to trust. The result never depends on it. Needs the extra 'dask' of the package.",
    ),
    click.option(
        "--keep-going", is_flag=True,
        help="Leave out FILES that cannot be used; what is wrong with each is said at the end, and "
        "the exit status is 1.",
    ),
)  # fmt: skip


def _level_option(help_text: str, *, single: bool = False) -> Callable[[Command], Command]:
    return click.option(
        "--level", multiple=True, default=("0.95",), metavar="C", help=help_text,
        callback=one_level if single else some_levels,
    )  # fmt: skip


level_option = _level_option(
    "Confidence levels; repeat, or separate by commas; 95 and 95% are percentages, and so is "
    "any number above 50. [default: 0.95]"
)


def one_level_option(what: str) -> Callable[[Command], Command]:
    """Return a decorator that adds --level, of which there is one, for what it is."""
    help_text = (
        f"{what}; 95 and 95% are percentages, and so is any number above 50. [default: 0.95]"
    )
    return _level_option(help_text, single=True)


seed_option = click.option(
    "--seed", type=WholeNumber(min=0), default=0, show_default=True, metavar="N",
    help="Seed of the random numbers; the same seed, 0 too, gives the same result.",
)  # fmt: skip


def _estimating(
    methods: str, resamples: int, *, single: bool, more: tuple[Any, ...]
) -> tuple[Any, ...]:
    several_methods = (
        "Interval methods ('confint methods' lists them); repeat, or separate by commas; 'all' for "
        "all that the scores are fit for."
    )
    one_method = "The interval method of the means ('confint methods' lists them)."
    return (
        click.option(
            "--method", multiple=True, default=(methods,), metavar="NAME",
            help=f"{one_method if single else several_methods} [default: {methods}]",
        ),
        one_level_option("The confidence level") if single else level_option,
        click.option(
            "--resamples", type=WholeNumber(1, MOST_RESAMPLES), default=resamples,
            show_default=True, metavar="B",
            help="Resamples of the bootstrap.",
        ),
        *more,
        seed_option,
    )  # fmt: skip


_FORMAT = (
    click.option(
        "-f", "--format", "output_format",
        type=click.Choice(FORMATS),
        help="The format of the result. [default: table on a terminal, tsv into a pipe or file]",
    ),
    click.option(
        "-o", "--output", metavar="FILE",
        help="Write to this file, in the format of its ending (.tsv .csv .json .jsonl .md .tex "
        ".txt), whole or not at all.",
    ),
)  # fmt: skip

_VERBOSITY = (
    click.option("-v", "--verbose", is_flag=True, help="More messages on standard error."),
    click.option("--quiet", is_flag=True, help="No messages on standard error but errors."),
)

_WRITING = (
    *_FORMAT,
    columns_option,
    click.option(
        "--digits", type=WholeNumber(0, 17), metavar="N",
        help="Decimals; json and jsonl keep full precision. [default: 4; of scores that were "
        "read, as many as they have]",
    ),
    click.option(
        "--sort", type=click.Choice(["mean", "name", "input"]), default="mean", show_default=True,
        help="Order of the runs: best first, by name, or as given.",
    ),
    click.option(
        "--signature", is_flag=True,
        help="Put the signature into tsv, csv, markdown and latex too, as a comment.",
    ),
    *_VERBOSITY,
)  # fmt: skip

_PAGE = (
    click.option(
        "-o", "--output", metavar="FILE",
        help="Write the page to this file, whole or not at all. [default: standard output]",
    ),
    click.option(
        "--digits", type=WholeNumber(0, 17), metavar="N", help="Decimals. [default: 4]"
    ),
    *_VERBOSITY,
)  # fmt: skip

_PLOT = (
    click.option(
        "--plot", metavar="FILE",
        help="Draw the result too, as a figure in a file that ends in .png, .svg or .pdf. Needs "
        "matplotlib, the extra 'plot' of the package.",
    ),
    click.option(
        "--no-title", is_flag=True,
        help="Leave title and explanation out of the figure, for a paper whose caption has them.",
    ),
)  # fmt: skip


def is_given(name: str) -> bool:
    """Say whether the call itself has the option of this name, not its default alone."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def group(options: tuple[Any, ...], record: type, name: str) -> Callable[[Command], Command]:
    """Return a decorator that adds options and hands their values over as one record."""
    keys = [one.name for one in fields(record)]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_record(**values: Any) -> Any:
            values[name] = record(**{key: values.pop(key) for key in keys if key in values})
            return command(**values)

        decorated: Any = with_record
        for option in reversed(options):
            decorated = option(decorated)
        result: Command = decorated
        return result

    return decorate


def reading_options(command: Command) -> Command:
    """Add these options, and what surrounds every command that has them."""

    @wraps(command)
    def surrounded(**values: Any) -> int | None:
        from confint_cli.app import conduct

        return conduct.run(command, values)

    decorated: Any = surrounded
    result: Command = group(_READING, ReadingOptions, "reading")(decorated)
    return result


writing_options = group(_WRITING, WritingOptions, "writing")
answering_options = group((*_WRITING, *_PLOT), WritingOptions, "writing")  # draws the answer too
listing_options = group(_FORMAT, WritingOptions, "writing")
page_options = group(_PAGE, WritingOptions, "writing")


def estimating_options(
    methods: str, resamples: int, *, single: bool = False, more: tuple[Any, ...] = ()
) -> Callable[[Command], Command]:
    """Return a decorator that adds these options, with a command's own defaults.

    `single` is for a command that takes one method and one level; `more` are options of its own
    that fields of the record are for.
    """
    options = _estimating(methods, resamples, single=single, more=more)
    return group(options, EstimatingOptions, "estimating")


@dataclass(frozen=True)
class PairingOptions:
    """Which runs to compare with which."""

    baseline: tuple[str, ...]
    all_pairs: bool
    unpaired: bool


def baseline_option(named_by: str) -> Callable[[Command], Command]:
    """Return a decorator that adds --baseline, of runs that are given so."""
    return click.option(
        "--baseline", multiple=True, metavar="RUN",
        help=f"Compare all runs with this one, given by {named_by}; repeat, or separate by "
        "commas.",
    )  # fmt: skip


def correct_option(*, max_t: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds --correct; `max_t` says when that is the default, if it can be.

    It needs scores on the same topics, which published means have not.
    """
    names = ["holm", "bh", "by", "bonferroni", *(["max-t"] if max_t else []), "none"]
    more = "by max-t, which agrees with simultaneous intervals, " if max_t else ""
    return click.option(
        "--correct", type=click.Choice(names), default="holm", show_default=not max_t,
        help="Correct p for the number of comparisons by a measure: Holm, Benjamini-Hochberg, "
        f"Benjamini-Yekutieli, Bonferroni (Holm promises the same and is never worse), {more}or "
        f"not.{max_t}",
    )  # fmt: skip


DRAWING = (
    click.option(
        "--draws", type=WholeNumber(1, MOST_RESAMPLES), metavar="N",
        help="Random draws of tests, simultaneous intervals and ranks: flips, permutations, "
        "resamples. [default: as many as --resamples; of 2000 runs and more, every two of them, "
        "2000]",
    ),
    click.option(
        "--strict", is_flag=True,
        help="Simultaneous intervals and ranks by one critical value for all pairs of runs: wider "
        "where differences are skewed, and fewer families err where rare large ones decide.",
    ),
)  # fmt: skip


def pairing_options(unpaired: str) -> Callable[[Command], Command]:
    """Return a decorator that adds these options; `unpaired` is what a command does then."""
    options = (
        baseline_option("its name or its file, which need not be among FILES"),
        click.option("--all-pairs", is_flag=True, help="Compare every two runs."),
        click.option(
            "--unpaired", is_flag=True, help=f"Runs on topics of their own: {unpaired}."
        ),
    )  # fmt: skip
    return group(options, PairingOptions, "pairing")
