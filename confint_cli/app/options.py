"""The options that commands share, in groups: each has a heading in the help, and one record.

A command is made by `@command_of(…)` in `command.py` from its own options and some of the groups.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from confint_cli.app.command import OUTPUT, READING, STATISTICS, Group, is_given
from confint_cli.app.files import with_files_of_folders
from confint_cli.app.standardizing import yardstick
from confint_cli.app.types import (
    IDEAL,
    Choice,
    NumberOrIdeal,
    WholeNumber,
    one_level,
    some_levels,
)
from confint_cli.common.errors import CallError, note
from confint_cli.common.measures import DEFAULTS, MOST_BY_DEFAULT
from confint_cli.common.paper import PLACES, PaperRequest
from confint_cli.common.text import number, quoted
from confint_cli.common.words import series
from confint_cli.outputs import figures, formats, offered
from confint_cli.scores.request import Request
from confint_cli.scores.treatments import IRRELEVANT, TREATMENTS
from confint_cli.stats.methods import MOST_RESAMPLES, USUAL_DRAWS
from confint_cli.stats.names import MAX_T
from confint_cli.studies.scope import FOR_NEW, TOPICS
from confint_cli.studies.yardstick import Yardstick

if TYPE_CHECKING:
    from confint_cli.common.parallel import Workers

ROWS, PAPER = "rows", "paper"
"""The layouts of a result: a row for each run or pair, or systems by measures as papers have it."""
_IN_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class EstimatingOptions:
    """Which intervals to compute, and on which scale."""

    method: tuple[str, ...]
    level: tuple[float, ...]
    resamples: int | None  # None: the ideal bootstrap
    seed: int
    draws: int | None = None  # None: as many as `with_draws` finds usual
    strict: bool = False
    standardize: Yardstick | None = None
    population: bool = False  # whether the population is at hand, which some methods need
    differences: bool = False  # whether the intervals are of differences of two runs' scores


@dataclass(frozen=True)
class PairingOptions:
    """Which runs to compare with which."""

    baseline: tuple[str, ...]
    all_pairs: bool
    unpaired: bool


@dataclass(frozen=True)
class WritingOptions:
    """Where results go, and how."""

    output_format: str | None = None
    output: str | None = None
    digits: int | None = None
    columns: tuple[str, ...] = ()  # empty: all columns
    sort: str = "mean"
    signature: bool | None = None  # None: as usual, which a caption has and a comment has not
    plot: str | None = None
    no_title: bool = False
    layout: str = ROWS
    intervals: str | None = None
    second_best: bool = False
    transpose: bool = False
    verbose: bool = False
    quiet: bool = False

    @property
    def paper(self) -> PaperRequest | None:
        """What is wanted of the table of a paper; None: rows are wanted."""
        if self.layout == PAPER:
            return PaperRequest(
                self.columns, self.intervals or "", self.second_best, self.transpose
            )
        of_papers = {
            "--intervals": self.intervals,
            "--second-best": self.second_best,
            "--transpose": self.transpose,
        }
        for option, value in of_papers.items():
            if value:
                raise CallError(
                    f"{option} is for the table of a paper", "use it with --layout paper"
                )
        return None


# Reading


def files_argument(*, required: bool = True) -> click.Argument:
    """Return the argument FILES; if it is not `required`, a call may have no files."""
    return click.Argument(
        ["files"], nargs=-1, required=required, callback=with_files_of_folders,
        metavar="FILES..." if required else "[FILES]...",
    )  # fmt: skip


def _request(*, jobs: int | None, executor: str | None, **values: Any) -> Request:
    """Return the record of the reading options, with the workers that large work is done by."""
    return Request(**values, gaps=is_given("missing"), workers=_workers(jobs, executor))


def _workers(jobs: int | None, executor: str | None) -> "Workers":
    """Return `jobs` workers of this machine, or those of the cluster at the URL `executor`.

    Raise CallError for a call that has both.
    """
    from confint_cli.common.parallel import Local

    if executor is None:
        return Local(jobs)
    if jobs is not None:
        raise CallError("--jobs is for this machine, and with --executor a cluster does the work")
    from confint_cli.app.messages import busy_line, show_notices
    from confint_cli.common.cluster import cluster_at

    quiet = bool(click.get_current_context().params.get("quiet"))

    def connecting(text: str) -> None:
        busy_line(text, quiet=quiet)

    def waiting(text: str) -> None:  # it may take so long that a log should say so too
        show_notices([note(text)], verbose=False, quiet=quiet)
        busy_line(text, quiet=quiet)

    return cluster_at(executor, connecting, waiting)


_INPUT = (
    files_argument(),
    click.Option(
        ["-q", "--qrels"], metavar="FILE",
        help="Relevance judgements, in any known layout. FILES are then runs, which confint scores."
        "",
    ),
)  # fmt: skip

_JUDGE = (
    click.Option(
        ["--judge-qrels"], metavar="FILE",
        help="With -q: judgements by a cheaper judge, such as a language model, of these topics "
        "and more. Results are still for people's judgements. They are more certain where the "
        "judge agrees with people.",
    ),
    click.Option(
        ["--judge-scores"], metavar="PATTERN",
        help="Without -q: per-topic scores of the same runs by a cheaper judge; a pattern of "
        "paths, such as 'llm/{run}.eval', or one table of all runs.",
    ),
)  # fmt: skip

_HOW_TO_READ = (
    click.Option(
        ["-m", "--measure"], multiple=True, metavar="NAME",
        help="Measures in any spelling (map, AP, P_10, P@10 …). Repeat the option, or separate "
        "names by commas; 'all' uses all. [default: all if there are up to "
        f"{_IN_WORDS[MOST_BY_DEFAULT]}, otherwise {series(DEFAULTS)}]",
    ),
    click.Option(
        ["--missing"], type=Choice(["zero", "drop", "error"]), default="zero",
        show_default=True,
        help="What to do with a topic that some run lacks: score it 0, as trec_eval -c does "
        "(zero), drop it for all runs (drop), or stop (error). If you give this option, blanks and "
        "NA in tables count as such topics; otherwise they are errors.",
    ),
    click.Option(
        ["--topics"], metavar="FILE",
        help="Use only the topics listed in this file, one per line.",
    ),
    click.Option(
        ["--every"], type=WholeNumber(min=1), default=1, metavar="K",
        help="Use only every K-th topic, in the order of the topic ids.",
    ),
    click.Option(
        ["--rel-level"], type=WholeNumber(1, 9999), metavar="N",
        help="With --qrels: the lowest grade that counts as relevant in binary measures. "
        "[default: 1]",
    ),
    click.Option(
        ["--input-format"], metavar="NAME",
        help="The format of FILES, where confint does not find it by itself ('confint formats' "
        "lists the formats).",
    ),
    click.Option(
        ["--run-names"], metavar="FILE",
        help="A file with names for the columns of a matrix without names, one per line.",
    ),
    click.Option(
        ["--labels"], multiple=True, metavar="PATTERN",
        help="Take names from the end of each path, by a pattern such as '{collection}/{run}.run' "
        "or '{run}.seed{repeat}.eval'; {} stands for anything. With {collection}, -q has it too: "
        "'qrels/{collection}.txt'. Repeat the option for several patterns; the first one that fits "
        "a path counts. With 'none', columns of tables name no collections, repeats or groups.",
    ),
    click.Option(
        ["--groups"], metavar="PATTERN|FILE",
        help="Which topics belong together, such as the turns of a conversation or the variants of "
        "a query: a pattern such as '{group}_{}' for 31_4 and 31_5, or a file of topic and group.",
    ),
    click.Option(
        ["--group-weight"], type=Choice(["size", "equal"]), default="size",
        show_default=True,
        help="Average over all topics (size), or over groups, however many topics they have "
        "(equal).",
    ),
    click.Option(
        ["--name-from"], type=Choice(["file", "tag"]), default="file", show_default=True,
        help="Name a run after its file, or after the tag inside the file.",
    ),
    click.Option(
        ["--measure-name"], metavar="NAME",
        help="Name of the measure in files that do not name it. [default: the file's name]",
    ),
    click.Option(
        ["--jobs"], type=WholeNumber(min=1), metavar="N",
        help="Number of processes or threads for large work. The result never depends on it. "
        "[default: all cores]",
    ),
    click.Option(
        ["--executor"], metavar="URL",
        help="A cluster for large work: dask://HOST:PORT of its scheduler, which you have to "
        "trust. Needs the package's extra 'dask'.",
    ),
    click.Option(
        ["--keep-going"], is_flag=True,
        help="Leave out FILES that cannot be used. confint says why at the end, and the exit "
        "status is 1.",
    ),
)  # fmt: skip

_UNJUDGED = (
    click.Option(
        ["--unjudged"], type=Choice(list(TREATMENTS)), default=IRRELEVANT, show_default=True,
        help="With -q: what to do with documents that nobody judged. They count as not relevant, "
        "as in trec_eval (irrelevant); or confint leaves them out of the rankings, as trec_eval -J "
        "does, which gives condensed lists (skip); or it reports the least and the largest "
        "possible result (bounds).",
    ),
)  # fmt: skip


def _reading(*more: click.Parameter, **facts: Any) -> Group:
    """Return the options of reading with some more of them, and facts that the command sets."""
    return Group(READING, (*_INPUT, *more, *_HOW_TO_READ), "reading", _request, facts)


reading_options = _reading()
judged_options = _reading(*_JUDGE)  # of commands that take a cheaper judge beside people
pooled_options = _reading(*_UNJUDGED)  # that treat unjudged documents in one way or another
judged_and_pooled_options = _reading(*_JUDGE, *_UNJUDGED)
deciding_options = _reading(*_JUDGE, *_UNJUDGED, decides=True)  # that say which run is better


# Statistics

TOO_MANY_PAIRS_OF = 2000  # runs: to draw for every two of them as often as usual takes hours
FEW_DRAWS = 2000  # for every two of as many runs or more, unless --draws asks for others
_LEVEL = "0.95"


def level_option(meaning: str = "", *, single: bool = False) -> click.Option:
    """Return the option --level; `meaning` is how its help begins.

    With `single` it takes one level, else several.
    """
    several = "Confidence levels. Repeat the option, or separate levels by commas"
    return click.Option(
        ["--level"], multiple=True, default=(_LEVEL,), metavar="C",
        help=f"{meaning or several}. 95 and 95% are percentages, and so is any number above 50. "
        f"[default: {_LEVEL}]",
        callback=one_level if single else some_levels,
    )  # fmt: skip


def seed_option() -> click.Option:
    """Return the option --seed."""
    return click.Option(
        ["--seed"], type=WholeNumber(min=0), default=0, show_default=True, metavar="N",
        help="Seed of the random numbers. The same seed, including 0, gives the same result.",
    )  # fmt: skip


def _drawing_options() -> tuple[click.Option, ...]:
    """Return --draws and --strict, for tests, simultaneous intervals and ranks."""
    return (
        click.Option(
            ["--draws"], type=WholeNumber(1, MOST_RESAMPLES), metavar="N",
            help="Number of random draws for tests, simultaneous intervals and ranks. [default: "
            f"the number of --resamples, if it is one; otherwise {USUAL_DRAWS}, or {FEW_DRAWS} for "
            f"all pairs of {TOO_MANY_PAIRS_OF} runs or more]",
        ),
        click.Option(
            ["--strict"], is_flag=True,
            help="Use one critical value for all pairs of runs. Simultaneous intervals and rank "
            "sets are then wider, and err less often where rare large differences decide.",
        ),
    )  # fmt: skip


def statistics_options(
    methods: str,
    *,
    single: bool = False,
    drawing: bool = False,
    standardize: str = "K runs drawn at random",
    population: bool = False,
    differences: bool = False,
) -> Group:
    """Return the options about intervals; `methods` are the command's own default.

    `single` is for a command that takes one method and one level, `drawing` for one that compares
    runs by random draws. `standardize` says in the help which runs a number of them stands for; "":
    there is no such option. `population` is for a command that has the population at hand, which
    some methods need, `differences` for intervals of differences of scores, which some methods are
    not for.
    """
    several_methods = (
        "Interval methods ('confint methods' lists them). Repeat the option, or separate names by "
        "commas; 'all' uses all that suit the scores."
    )
    one_method = "Interval method of the means ('confint methods' lists the methods)."
    standardize_option = click.Option(
        ["--standardize"], metavar="all|K|FILE", callback=yardstick,
        help=f"Standardise the scores of each topic: by all runs, by {standardize}, or by the "
        "factors in a file that 'confint standardize' saved.",
    )  # fmt: skip
    options = (
        *([standardize_option] if standardize else []),
        click.Option(
            ["--method"], multiple=True, default=(methods,), metavar="NAME",
            help=f"{one_method if single else several_methods} [default: {methods}]",
        ),
        level_option("Confidence level" if single else "", single=single),
        click.Option(
            ["--resamples"], type=NumberOrIdeal(MOST_RESAMPLES), default=IDEAL,
            metavar="ideal|B",
            help="Compute bootstrap intervals as from infinitely many resamples, without random "
            f"numbers (ideal), or from B random resamples, as most papers do. [default: {IDEAL}]",
        ),
        *(_drawing_options() if drawing else ()),
        seed_option(),
    )  # fmt: skip
    facts = {"population": population, "differences": differences}
    return Group(STATISTICS, options, "estimating", EstimatingOptions, facts)


for_new_options = Group(
    STATISTICS,
    (
        click.Option(
            ["--for-new"], type=Choice(list(FOR_NEW)), default=TOPICS,
            help="With several collections, what the result is for: new topics of these "
            "collections, or new collections like these. [default: topics]",
        ),
    ),
)  # fmt: skip
"""The option of commands that are asked of several collections."""


# Comparing


def baseline_option(named_by: str) -> click.Option:
    """Return the option --baseline; `named_by` says in its help how a run is given."""
    return click.Option(
        ["--baseline"], multiple=True, metavar="RUN",
        help=f"Compare all runs with this one, given by {named_by}. Repeat the option, or separate "
        "runs by commas.",
    )  # fmt: skip


NAME_OR_FILE = "its name or by its file, which does not have to be among FILES"


def correct_option(*, max_t: str = "") -> click.Option:
    """Return the option --correct; `max_t` ends its help, and says when max-t is the default.

    Without it, max-t is not offered: it needs scores on the same topics, which published means do
    not have.
    """
    names = ["holm", "bh", "by", "bonferroni", *([MAX_T] if max_t else []), "none"]
    by_max_t = "max-t (agrees with simultaneous intervals), " if max_t else ""
    return click.Option(
        ["--correct"], type=Choice(names), default="holm", show_default=not max_t,
        help="Correct p for the number of comparisons in a measure, by Holm, Benjamini-Hochberg "
        f"(bh), Benjamini-Yekutieli (by), Bonferroni (never better than Holm), {by_max_t}or not at "
        f"all.{max_t}",
    )  # fmt: skip


def _margin(_context: click.Context, _option: click.Parameter, text: str | None) -> float | None:
    """Return the margin in a text; raise CallError for one that is not above 0."""
    if text is None:
        return None
    try:
        margin = number(text)
    except ValueError:
        hint = "a margin is in the units of the measure, such as 0.01"
        raise CallError(f"--margin {quoted(text)} is not a number", hint) from None
    if not margin > 0:
        raise CallError(
            f"--margin {text} is not above 0",
            "without a margin, 'not worse' means 'better', and p is about that",
        )
    return margin


about_differences = (
    click.Option(
        ["--paired-repeats"],
        is_flag=True,
        help="For runs with repeats: repeats of the same name belong together, such as answers to "
        "one prompt with one seed. Without this option, repeats are independent.",
    ),
    click.Option(
        ["--effect-intervals"],
        is_flag=True,
        help="Add intervals of the effect sizes: of Hedges' gz or g by noncentral t, of Glass's Δ "
        "by the jackknife.",
    ),
    click.Option(
        ["--margin"],
        metavar="D",
        callback=_margin,
        help="The largest difference that does not matter, in the units of the measure. confint "
        "then says whether a run is not worse by more than D, and whether it is equivalent within "
        "±D, by one-sided t tests at 1 - level.",
    ),
)
"""Options of commands that compare runs by tests: on repeats, effect sizes and a margin."""


def pairing_options(unpaired: str) -> Group:
    """Return the options about which runs are compared.

    `unpaired` says in the help what the command computes with --unpaired.
    """
    options = (
        baseline_option(NAME_OR_FILE),
        click.Option(
            ["--all-pairs"], is_flag=True,
            help="Compare every two runs. If there are only two, you need neither this option nor "
            "--baseline: the run with the lower mean in the first measure is the baseline.",
        ),
        click.Option(
            ["--unpaired"], is_flag=True, help=f"The runs are on different topics: {unpaired}."
        ),
    )  # fmt: skip
    return Group("", options, "pairing", PairingOptions)


def among_own(*options: click.Parameter) -> Group:
    """Return a group of options that stand among a command's own, and reach it one by one."""
    return Group("", options)


# Output


def _endings() -> str:
    """Return the usual endings of files, separated by blanks; that of format `table` comes last."""
    first, *others = (formats()[name].endings[0] for name in offered())
    return " ".join([*others, first])


def _formats_with(flag: str) -> str:
    """Return the names of the formats whose record has this flag set, as `a, b and c`."""
    return series([name for name in offered() if getattr(formats()[name], flag)])


_FORMAT = (
    click.Option(
        ["-f", "--format", "output_format"],
        type=Choice(offered()),
        help="Format of the result. [default: table on a terminal, tsv in a pipe or file]",
    ),
    click.Option(
        ["-o", "--output"], metavar="FILE",
        help=f"Write to this file, in the format of its ending ({_endings()}). The file is written "
        "whole or not at all.",
    ),
)  # fmt: skip

_VERBOSITY = (
    click.Option(["-v", "--verbose"], is_flag=True, help="Show more messages on standard error."),
    click.Option(["--quiet"], is_flag=True, help="Show only errors on standard error."),
)

_WRITING = (
    *_FORMAT,
    click.Option(
        ["--columns"], multiple=True, metavar="NAME",
        help="Write only these columns, in this order, by their names in tsv. Repeat the option, "
        "or separate names by commas.",
    ),
    click.Option(
        ["--digits"], type=WholeNumber(0, 17), metavar="N",
        help=f"Number of decimals; {_formats_with('exact')} keep full precision. [default: 4; "
        "scores that were read keep all that they have]",
    ),
    click.Option(
        ["--sort"], type=Choice(["mean", "name", "input"]), default="mean", show_default=True,
        help="Order of the runs: best first, by name, or as given.",
    ),
    click.Option(
        ["--signature/--no-signature"], default=None,
        help="The signature says what it takes to repeat the result. Put it into "
        f"{_formats_with('signed')} too, as a comment; or leave it out of the caption of --layout "
        "paper.",
    ),
)  # fmt: skip

_PLOT = (
    click.Option(
        ["--plot"], metavar="FILE",
        help=f"Also draw a figure, into a file that ends in {figures.ENDINGS}. Needs matplotlib: "
        "the package's extra 'plot'.",
    ),
    click.Option(
        ["--no-title"], is_flag=True,
        help="Draw the figure without title and explanation, for a paper whose caption has them.",
    ),
)  # fmt: skip

_PAPER = (
    click.Option(
        ["--layout"], type=Choice([ROWS, PAPER]), default=ROWS, show_default=True,
        help="rows: one row per run or pair. paper: the table of a paper, in table, markdown and "
        "latex only, with systems in rows, measures or collections in columns, the best in bold, "
        "marks for what is significant, and a caption that explains it all. --columns then says "
        "what to show for each measure.",
    ),
    click.Option(
        ["--intervals"], type=Choice(list(PLACES)),
        help="With --layout paper: where to put the intervals. [default: below each mean]",
    ),
    click.Option(
        ["--second-best"], is_flag=True,
        help="With --layout paper: underline the second best.",
    ),
    click.Option(
        ["--transpose"], is_flag=True,
        help="With --layout paper: one row per collection or measure, and one column per system.",
    ),
)  # fmt: skip

_PAGE = (
    click.Option(
        ["-o", "--output"], metavar="FILE",
        help="Write the page to this file, whole or not at all. [default: standard output]",
    ),
    click.Option(
        ["--digits"], type=WholeNumber(0, 17), metavar="N",
        help="Number of decimals. [default: 4]",
    ),
    *_VERBOSITY,
)  # fmt: skip

plotting_options = Group(OUTPUT, (*_WRITING, *_PLOT, *_VERBOSITY), "writing", WritingOptions)
writing_options = Group(
    OUTPUT, (*_WRITING, *_VERBOSITY), "writing", WritingOptions, with_figure=plotting_options
)  # fmt: skip
paper_options = Group(
    OUTPUT, (*_WRITING, *_PAPER, *_PLOT, *_VERBOSITY), "writing", WritingOptions
)  # fmt: skip
listing_options = Group(OUTPUT, _FORMAT, "writing", WritingOptions)
page_options = Group(OUTPUT, _PAGE, "writing", WritingOptions)
