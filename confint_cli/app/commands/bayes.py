"""`confint bayes`: how probable is it that A beats B?"""

from typing import TYPE_CHECKING

import click

from confint_cli.app.columns import Columns, of_parts
from confint_cli.app.command import STATISTICS, Group, command_of
from confint_cli.app.options import (
    PairingOptions,
    WritingOptions,
    level_option,
    pairing_options,
    reading_options,
    seed_option,
    writing_options,
)
from confint_cli.app.task import Task, Work
from confint_cli.app.types import FiniteNumber, WholeNumber
from confint_cli.common.errors import CallError
from confint_cli.common.guesses import unknown_name
from confint_cli.common.text import number, quoted, split_at_commas
from confint_cli.scores.request import Request
from confint_cli.stats.methods import MOST_DRAWS
from confint_cli.studies.columns import POSTERIORS

if TYPE_CHECKING:
    from confint_cli.app.completion import Items
    from confint_cli.studies.answer import Answer
    from confint_cli.studies.rows import BayesRow

_USUAL_THRESHOLDS = {"difference": 0.0, "glass": 0.2, "correlation": 0.9}


def _quantities(*, unpaired: bool) -> dict[str, list[str]]:
    """Return the quantities that each name in --threshold stands for, by name."""
    names = ["difference", "glass_baseline", "glass_run", *([] if unpaired else ["correlation"])]
    return {name: [name] for name in names} | {"glass": ["glass_baseline", "glass_run"]}


def _offered(context: click.Context, option: click.Parameter, begun: str) -> "Items":
    """Return what Tab offers as a threshold: the names, each with `=` behind it."""
    from confint_cli.app.completion import Completed

    names = sorted(_quantities(unpaired=bool(context.params.get("unpaired"))))
    signed = Completed(lambda *_: [f"{name}=" for name in names], several=True)
    return signed.shell_complete(context, option, begun)


_STATISTICS = (
    level_option("Probability that a quantity lies in its credible interval", single=True),
    click.Option(
        ["--draws"],
        type=WholeNumber(1, MOST_DRAWS),
        default=100_000,
        show_default=True,
        metavar="N",
        help="Number of draws from the posterior.",
    ),
    seed_option(),
)


@command_of(
    pairing_options(unpaired="the model has independent normal scores, without a correlation"),
    reading_options,
    Group(STATISTICS, _STATISTICS),
    writing_options,
    short_help="How probable is it that A beats B? Probabilities and credible intervals.",
    examples="""\
  confint bayes -m map --baseline bm25 evals/*.eval
  confint bayes run1.eval run2.eval -m map --baseline run2 --classical
  confint bayes -q qrels.txt -m nDCG@10 --all-pairs runs/*.gz --rope -0.01 0.01
  confint bayes evals/*.eval --baseline bm25 --threshold difference=0.02,glass=0.5
""",
    columns=Columns(of_parts(POSTERIORS)),
    long_work=True,
)
@click.option(
    "--threshold",
    multiple=True,
    metavar="NAME=X",
    help="Thresholds for the column 'probability': the quantity is above X. NAME is difference, "
    "glass (or glass_baseline, glass_run) or correlation. Repeat the option, or separate by "
    "commas. [default: "
    f"{','.join(f'{name}={value:g}' for name, value in _USUAL_THRESHOLDS.items())}]",
    shell_complete=_offered,
)
@click.option(
    "--rope",
    nargs=2,
    type=FiniteNumber(),
    metavar="LOW HIGH",
    help="Add the probabilities that the difference lies below, within and above this region of "
    "practical equivalence.",
)
@click.option(
    "--classical",
    is_flag=True,
    help="Add the one-sided p, the t (or Welch) interval and the effect sizes of the sample.",
)
def command(
    pairing: PairingOptions,
    threshold: tuple[str, ...],
    rope: tuple[float, float] | None,
    classical: bool,
    level: tuple[float, ...],
    draws: int,
    seed: int,
    reading: Request,
    writing: WritingOptions,
) -> Task:
    """Print how probable it is that a run is better than another, and by how much.

    Each pair of runs has one row per quantity.

    \b
    The quantities:
      difference      the difference of the means, run minus
                      baseline
      glass_baseline  Glass's Δ: the difference in standard
                      deviations of the baseline
      glass_run       the same, in standard deviations of the
                      run itself
      correlation     of the two runs' scores

    \b
    What the columns say of a quantity:
      eap, sd      mean and standard deviation of the
                   posterior
      low, high    the credible interval, with equal tails:
                   the quantity lies in it with the
                   probability of --level
      probability  the probability that the quantity is above
                   'threshold'
      ess          the effective sample size: how many draws
                   of equal weight would say as much
      note         where to be careful, or why there is no
                   posterior

    \b
    What the note means:
      few topics, mostly ties, mostly one value
                        as in 'confint compare'
      skewed            the differences are skewed, and the
                        model is not for that
      N topics missing  the run or the baseline lacks N
                        topics, scored 0
      identical, correlation 1, correlation -1, no variance
                        no posterior: the runs are the same,
                        one is the other shifted or stretched,
                        or scores do not vary

    The model is that of Sakai (2017). Scores of two runs on the same topics are bivariate normal,
    and nothing is known about them beforehand: the priors on means, standard deviations and
    correlation are flat. Draws are independent and weighted; there is no Markov chain.

    On a terminal, in Markdown and in LaTeX, two runs have one row per quantity, and several pairs
    have one row each.
    """  # noqa: D301
    from confint_cli.app.pairing import baselines_asked_for, baselines_of
    from confint_cli.stats.random import Drawing
    from confint_cli.studies.bayes import Question, bayes

    names = baselines_asked_for(pairing, reading)
    if rope is not None and rope[0] >= rope[1]:
        hint = f"did you mean --rope {rope[1]:g} {rope[0]:g}?" if rope[0] > rope[1] else ""
        raise CallError(f"--rope {rope[0]:g} {rope[1]:g}: LOW is not below HIGH", hint)
    thresholds = _thresholds(threshold, unpaired=pairing.unpaired)
    drawing = Drawing(draws, seed, reading.workers)
    question = Question(level[0], drawing, thresholds, rope, classical, writing.plot is not None)

    def ask(work: Work) -> "Answer[BayesRow]":
        return bayes(
            work.scores,
            baselines_of(work, pairing, names),
            question,
            paired=not pairing.unpaired,
            best_first=writing.sort == "mean",
            progress=work.progress("drawing"),
        )

    return Task(
        "bayes",
        ask,
        baselines=names,
        paired=not pairing.unpaired,
        why_plain="a posterior is of independent topics of one collection",
    )


def _thresholds(requests: tuple[str, ...], *, unpaired: bool) -> dict[str, float]:
    """Return the threshold of each quantity, the usual one unless `requests` have another.

    A threshold of `glass` is for both of its quantities. Raise CallError for a request that is not
    NAME=X, and for a quantity that is requested twice.
    """
    names = _quantities(unpaired=unpaired)
    thresholds = {
        quantity: usual
        for name, usual in _USUAL_THRESHOLDS.items()
        for quantity in names.get(name, [])
    }
    requested: set[str] = set()
    for request in split_at_commas(requests):
        name, equals, text = (text.strip() for text in request.partition("="))
        if not equals:
            raise CallError(
                f"--threshold {quoted(request)} is not NAME=X",
                "such as --threshold difference=0.02",
            )
        if unpaired and name == "correlation":
            raise CallError("--unpaired runs have no correlation, and no threshold of it")
        if name not in names:
            raise unknown_name("quantity", name, names)
        try:
            value = number(text)
        except ValueError:
            raise CallError(f"--threshold {name}: {quoted(text)} is not a number") from None
        for quantity in names[name]:
            if quantity in requested:
                raise CallError(f"--threshold {quantity} is given twice")
            requested.add(quantity)
            thresholds[quantity] = value
    if not -1 < thresholds.get("correlation", 0) < 1:
        raise CallError(f"--threshold correlation={thresholds['correlation']:g} is not between -1 "
                        "and 1")  # fmt: skip
    return thresholds
