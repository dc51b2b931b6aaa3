"""Values of options: those that suit them, and those at the edge of what is allowed or beyond."""

import random
from collections.abc import Callable

from confint_cli.stats.methods import methods
from confint_cli.stats.significance import tests
from tests.fuzzing.call_inputs import GROUP_LISTS, LISTS, Group

LONG = 100_000  # characters: about what a system takes as one word of a command line

ODD_NUMBERS = (
    "0", "-0", "1", "-1", "2", "0.5", "-0.5", "1.0", "100", "99.99999999", "0.000001", "1e-300",
    "1e308", "-1e308", "1e309", "5e-324", "nan", "-nan", "inf", "-inf", "Infinity", "12345",
    str(10**18), str(2**31), str(2**63), str(-(2**63)), str(2**64), "9" * 309, "9" * 5000,
    "1" * 4300, "0.9999999999999999", "0.9999999999999",
    "1e-99999999999999999999", "1e-99999999999999999999%", "0." + "9" * 20,
    "0." + "0" * 400 + "1", "1_000", "0x10", "1e2", "1e", "+5",
    " 5 ", "5%", "100%", "0%", "-5%", "1e5%", "1e400%", "1,5", "0.9,0.95", "1/2",
    "٣", "²", "1;2", "0.5..0.9",
)  # fmt: skip
ODD_WORDS = (
    "", " ", "\t", ",", ",,,", " , ", "--", "-", "=", "a=b", "=x", "%", "%s%d%n", "{}", "{0}",
    "$HOME", "~", "*", "?", "[", "..", ".", "/", "/dev/null", "/dev/full", "no/such/folder/x",
    "evals", "evals/", "é", "日本語", "\u202egnp", "\x1b[31mred", "a\nb", "a\rb", "\x07", "\x7f",
    "\udcff", "\U0001f600", "a" * 300, "a" * LONG, "x," * (LONG // 2), "é" * 5000, "None",
    "true", "all", "ALL", "none", "help", "--help", "-h", "--version", "-o", "-m", "'", '"',
    "a'b", "\\", "#", "|", "<b>", "$x$", "1" * 200 + "a",
)  # fmt: skip
Value = Callable[[random.Random, Group], str]


def _some(*choices: str) -> Value:
    return lambda rng, _: rng.choice(choices)


def _few_of(names: list[str]) -> Value:
    """Return what names one, two with a comma between them, or all."""

    def chosen(rng: random.Random, _: Group) -> str:
        one, other = rng.sample(names, 2)
        return rng.choice([one, one, one, one, f"{one},{other}", "all"])

    return chosen


def _run(rng: random.Random, group: Group) -> str:
    return rng.choice([*group.runs, *group.runs, group.runs[-1], rng.choice(group.files)])


def _measure(rng: random.Random, group: Group) -> str:
    return rng.choice([*group.measures, ",".join(group.measures[:2]), "all"])


def _labels(rng: random.Random, group: Group) -> str:
    """Return a pattern of paths, which mostly fits the files."""
    usual = group.labels or ("none", "none", "{run}.{}")
    return rng.choice(usual if rng.random() < 0.7 else _PATTERNS)


def _grouped(rng: random.Random, group: Group) -> str:
    """Return a pattern of ids, or a file of topics and groups."""
    if group.turns and rng.random() < 0.7:
        return rng.choice(("{group}_{}", "{group}_{}", GROUP_LISTS[0]))
    if rng.random() < 0.5:
        return "{group}"  # nothing is grouped
    return rng.choice((*_OF_TOPICS, *GROUP_LISTS))


def _judge(rng: random.Random, group: Group) -> str:
    return rng.choice(group.judges or ("llm.qrels", "llm.tsv", "llm/{run}.eval"))


_PATTERNS = (
    "none", "{run}.eval", "{run}.{}", "{collection}/{run}.eval", "{collection}.eval", "{",
    "{collection}.tsv", "{run}", "{}/{run}.eval", "{run}.seed{repeat}.eval", "{run}.{repeat}",
    "{collection}/{run}.seed{repeat}.eval", "{repeat}.tsv", "{run}{repeat}.eval", "{run}.{rep}",
)  # fmt: skip
_OF_TOPICS = (
    "{group}_{}", "{group}-{}", "{group}", "30{group}", "{}{group}", "{group}{}", "{grp}_{}",
    "{group}_{group}", "{", "{}", "3{}_{group}", "{group}/{}", "topics.txt", "",
)  # fmt: skip
_share = _some("0.9", "0.5", "0.75", "80%", "0.999", "0.01")
_amount = _some("0.1", "0.02", "0.5,1", "1", "3", "0.05")
BY_NAME: dict[str, Value] = {
    "measure": _measure,
    "method": _few_of([*methods()]),
    "test": _few_of([*tests()]),
    "input_format": lambda _, group: group.format,
    "resamples": _some("ideal", "ideal", "1", "200", "1000", "2000"),
    "draws": _some("1", "200", "1000", "2000", "3000"),
    "sample_size": _some("2", "5", "2,3", "8"),
    "top": _share,
    "r": _some("1", "2", "1,5", "10"),
    "judge_qrels": _judge,
    "judge_scores": _judge,
    **{name: _some(path) for name, path in LISTS.items()},
}
BY_METAVAR: dict[str, Value] = {
    "RUN": _run,
    "C": _some("0.95", "95", "90%", "0.9", "99%", "0.5,0.9", "80"),
    "P": _share,
    "H": _amount,
    "D": _amount,
    "A": _amount,
    "SHARE": _share,
    "NAME=X": _some("difference=0.1", "glass=0.5", "correlation=0", "glass=0,difference=1"),
    "all|K|FILE": _some("all", "2", "3", "factors.tsv"),
    "TEXT": _some("A title", "é <b>", "100%"),
    "NAME": _some("map", "AP", "t", "x"),
    "PATTERN": _labels,
    "PATTERN|FILE": _grouped,
    "URL": _some("dask://", "dask://x", "http://x:1", "dask://x:y", "dask:///:1"),
}
"""Values that suit an option, by its name or by what stands for its value in the help."""
