"""The options that commands share, in groups; each group reaches the command as one record."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from confint_cli.commands._files import with_files_of_folders
from confint_cli.commands._levels import one_level, some_levels
from confint_cli.commands._numbers import WholeNumber
from confint_cli.errors import DataError, Notice
from confint_cli.methods import MOST_RESAMPLES
from confint_cli.outputs import FORMATS

if TYPE_CHECKING:
    from confint_cli.parallel import Jobs

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
    jobs: "Jobs"
    executor: str | None
    keep_going: bool = False
    left_out: dict[str, DataError] = field(default_factory=dict)  # by path, what is wrong


@dataclass(frozen=True)
class PairingOptions:
    """Which runs to compare with which."""

    baseline: tuple[str, ...]
    all_pairs: bool
    unpaired: bool


@dataclass(frozen=True)
class EstimatingOptions:
    """Which intervals to compute."""

    method: tuple[str, ...]
    level: tuple[float, ...]
    resamples: int
    seed: int


@dataclass(frozen=True)
class WritingOptions:
    """Where results go, and how."""

    output_format: str | None = None
    output: str | None = None
    digits: int | None = None
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


def baseline_option(named_by: str) -> Callable[[Command], Command]:
    """Return a decorator that adds --baseline, of runs that are given so."""
    return click.option(
        "--baseline", multiple=True, metavar="RUN",
        help=f"Compare all runs with this one, given by {named_by}; repeat, or separate by "
        "commas.",
    )  # fmt: skip


correct_option = click.option(
    "--correct", type=click.Choice(["holm", "bh", "by", "bonferroni", "none"]), default="holm",
    show_default=True,
    help="Correct p for the number of comparisons by a measure: Holm, Benjamini-Hochberg, "
    "Benjamini-Yekutieli, Bonferroni (Holm promises the same and is never worse), or not.",
)  # fmt: skip


def _estimating(methods: str, resamples: int, *, single: bool) -> tuple[Any, ...]:
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
            help="Random draws: resamples of the bootstrap, flips and permutations of tests.",
        ),
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


def _group(options: tuple[Any, ...], record: type, name: str) -> Callable[[Command], Command]:
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
        from confint_cli.commands import _around

        return _around.run(command, values)

    decorated: Any = surrounded
    result: Command = _group(_READING, ReadingOptions, "reading")(decorated)
    return result


writing_options = _group(_WRITING, WritingOptions, "writing")
answering_options = _group((*_WRITING, *_PLOT), WritingOptions, "writing")  # draws the answer too
listing_options = _group(_FORMAT, WritingOptions, "writing")
page_options = _group(_PAGE, WritingOptions, "writing")


def pairing_options(unpaired: str) -> Callable[[Command], Command]:
    """Return a decorator that adds these options; `unpaired` is what a command does then."""
    options = (
        baseline_option("its name or its file, which need not be among FILES"),
        click.option("--all-pairs", is_flag=True, help="Compare every two runs."),
        click.option(
            "--unpaired", is_flag=True, help=f"Runs on topics of their own: {unpaired}."
        ),
    )  # fmt: skip
    return _group(options, PairingOptions, "pairing")


def estimating_options(
    methods: str, resamples: int, *, single: bool = False
) -> Callable[[Command], Command]:
    """Return a decorator that adds these options, with a command's own defaults.

    `single` is for a command that takes one method and one level.
    """
    options = _estimating(methods, resamples, single=single)
    return _group(options, EstimatingOptions, "estimating")
