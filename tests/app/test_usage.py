"""Calls with a slip in them: one line says what is wrong, one more what was meant."""

from itertools import product

import click
import pytest

from confint_cli.app.cli import cli
from confint_cli.app.columns import names_of
from confint_cli.common.guesses import BOOTSTRAP, GUESSES, Guess, hint_for
from confint_cli.common.text import nearest
from confint_cli.outputs import offered
from confint_cli.stats.methods import methods
from confint_cli.stats.significance import tests as significance_tests
from tests.app.test_completion import options_and_arguments
from tests.conftest import SAMPLES, Confint, Result

BM25, DENSE = (str(SAMPLES / f"trec_eval/{name}.eval") for name in ("bm25", "dense"))
RUN, QRELS = str(SAMPLES / "runs/bm25.run"), str(SAMPLES / "qrels.txt")
COMPARE = ["compare", BM25, DENSE, "-m", "map", "--quiet"]
OFFERED = ", ".join(offered())
HELP = "'confint {} --help' explains the options"


def help_of(command: str) -> str:
    return HELP.format(command)


CASES: dict[str, tuple[list[str], str, str]] = {
    "a command": (["intervl"], "there is no command 'intervl'", "did you mean interval? "),
    "a long option": (["interval", "--metod", "t", BM25], "there is no option --metod",
                      f"did you mean --method? {help_of('interval')}"),
    "one letter too many": (["interval", "--measures", "map", BM25],
                            "there is no option --measures", "did you mean --measure? "),
    "the beginning of an option": (["compare", "--all", BM25, DENSE], "there is no option --all",
                                   "did you mean --all-pairs? "),
    "an option with a value": (["score", "--sorte=name", BM25], "there is no option --sorte",
                               "did you mean --sort? "),
    "a flag": (["score", "--quite", BM25], "there is no option --quite", "did you mean --quiet? "),
    "an option of the program": (["--verson"], "there is no option --verson",
                                 "did you mean --version? 'confint --help' explains the options"),
    "a letter": (["interval", "-Q", QRELS, RUN], "there is no option -Q", "did you mean -q? "),
    "a letter for a word": (["risk", "-r", "1", BM25], "there is no option -r",
                            "did you mean --r? "),
    "one dash": (["interval", "-measure", "map", BM25], "there is no option -measure",
                 "did you mean --measure?"),
    "one dash and a value": (["interval", "-measure=map", BM25], "there is no option -measure",
                             "did you mean --measure?"),
    "one dash for help": (["interval", "-help"], "there is no option -help",
                          "did you mean --help?"),
    "one dash and a slip": (["interval", "-hlep"], "there is no option -hlep",
                            "did you mean --help? "),
    "an option of others": (["rank", "--layout", "paper", BM25],
                            "there is no option --layout",
                            "it is an option of compare, interval, score; "
                            f"{help_of('rank')}"),
    "an option of nobody": (["score", "--xyzzy", BM25], "there is no option --xyzzy",
                            help_of("score")),
    "an order": (["score", "--sort", "nam", BM25], "--sort 'nam' is none of mean, name, input",
                 "did you mean name?"),
    "a format": (["score", "-f", "tvs", BM25],
                 f"--format 'tvs' is none of {OFFERED}",
                 "did you mean tsv?"),
    "a format in capitals": (["score", "-f", "TSV", BM25],
                             f"--format 'TSV' is none of {OFFERED}", "did you mean tsv?"),
    "what is missing": (["score", "--missing", "zer", BM25],
                        "--missing 'zer' is none of zero, drop, error", "did you mean zero?"),
    "nothing near": (["score", "--missing", "it's", BM25],
                     "--missing 'it's' is none of zero, drop, error", help_of("score")),
    "a correction": ([*COMPARE, "--all-pairs", "--correct", "hol"],
                     "--correct 'hol' is none of holm, bh, by, bonferroni, max-t, none",
                     "did you mean holm?"),
    "another tool's correction": ([*COMPARE, "--all-pairs", "--correct", "fdr_by"],
                                  "--correct 'fdr_by' is none of holm, bh, by, bonferroni, "
                                  "max-t, none",
                                  "did you mean by?"),
    "a correction by its authors": ([*COMPARE, "--all-pairs", "--correct", "benjamini-yekutieli"],
                                    "--correct 'benjamini-yekutieli' is none of holm, bh, by, "
                                    "bonferroni, max-t, none", "did you mean by?"),
    "a layout": (["score", "--layout", "trec-eval", BM25],
                 "--layout 'trec-eval' is none of long, trec_eval", "did you mean trec_eval?"),
    "a shell": (["completion", "bsh"], "'bsh' is none of bash, zsh, fish", "did you mean bash?"),
    "a method": (["interval", "--method", "percntile", BM25], "no method is called 'percntile'",
                 "did you mean percentile? "),
    "a test": ([*COMPARE, "--all-pairs", "--test", "wilcox"], "no test is called 'wilcox'",
               "did you mean wilcoxon? "),
    "a run": ([*COMPARE, "--baseline", "bm52"], "no run is called 'bm52'", "did you mean bm25? "),
    "a measure to score": (["score", "-q", QRELS, "-m", "ndgc", RUN],
                           "measure 'ndgc' cannot be computed from judgements and runs",
                           "did you mean ndcg? "),
    "a quantity": (["bayes", BM25, DENSE, "--all-pairs", "--threshold", "diff=0.1"],
                   "no quantity is called 'diff'", "did you mean difference? "),
    "an input format": (["score", "--input-format", "trec-eval", BM25],
                        "no format is called 'trec-eval'", "did you mean trec_eval? "),
    "a method to explain": (["methods", "bootstrapt"], "no method is called 'bootstrapt'",
                            "did you mean bootstrap-t? "),
    "a test to explain": (["tests", "tukye"], "no test is called 'tukye'", "did you mean tukey? "),
    "a format to explain": (["formats", "trecevl"], "no format is called 'trecevl'",
                            "did you mean trec_eval? "),
    "a measure to explain": (["measures", "ndgc"], "no measure is called 'ndgc'",
                             "did you mean ndcg? "),
    "a column": (["score", "--columns", "run,scor", BM25], "no column is called 'scor'",
                 "did you mean score? there are: run, topic, measure, score"),
    "a column in capitals": (["interval", "--columns", "Mean", BM25], "no column is called 'Mean'",
                             "did you mean mean? "),
    "a column of another mode": (["coverage", "--columns", "error_max", BM25],
                                 "there is no column 'error_max' without --summary",
                                 "use --summary to get it"),
    "a column that an option leaves out": (["risk", "--summary", "--columns", "trisk", BM25],
                                           "with --summary, no column is called 'trisk'",
                                           "there are: measure, "),
    "a column that an option adds": (["bayes", "--columns", "run,p_within", BM25],
                                     "there is no column 'p_within' without --rope",
                                     "use --rope to get it"),
    "too many": (["score", "--digits", "99", BM25], "--digits 99 is above 17", help_of("score")),
    "a name for a confidence interval": (["ci", BM25], "there is no command 'ci'",
                                         "did you mean interval? there are: "),
    "a test for a comparison": (["test", BM25], "there is no command 'test'",
                                "did you mean compare? 'confint tests' lists the tests"),
    "a figure for a command": (["plot", BM25], "there is no command 'plot'",
                               "'confint interval', 'confint compare' and others draw a figure "
                               "with --plot FILE"),
    "a page for a format": (["score", "-f", "html", BM25], f"--format 'html' is none of {OFFERED}",
                            "'confint report' writes a web page"),
    "a kind of methods": (["interval", "--method", "t,Bootstrap", BM25],
                          "no method is called 'bootstrap'", "the bootstrap methods are basic, "
                          "bca, bootstrap-t and percentile; 'confint methods' explains them"),
    "a kind of methods to explain": (["methods", "bootstrap"], "no method is called 'bootstrap'",
                                     "the bootstrap methods are basic, "),
    "a model for a method": (["interval", "--method", "normal", BM25],
                             "no method is called 'normal'", "did you mean t? there are: "),
    "an analysis for a test": ([*COMPARE, "--all-pairs", "--test", "anova"],
                               "no test is called 'anova'", "did you mean tukey? there are: "),
    "files as an option": (["rank", "--runs", BM25], "there is no option --runs",
                           f"give FILES without an option; {help_of('rank')}"),
    "no files as an option": (["methods", "--runs", BM25], "there is no option --runs",
                              help_of("methods")),
    "another command's option, meant for ours": (["compare", "--reference", "a", BM25],
                                                 "there is no option --reference",
                                                 "did you mean --baseline? "),
    "another command's option": (["score", "--reference", "a", BM25],
                                 "there is no option --reference",
                                 f"it is an option of standardize; {help_of('score')}"),
    "underscores": (["interval", "--n_boot=10", BM25], "there is no option --n_boot",
                    "did you mean --resamples? "),
    "an option with its value": (["compare", "--fdr", BM25], "there is no option --fdr",
                                 "did you mean --correct bh? "),
    "alpha without a level": (["score", "--alpha", "0.05", BM25], "there is no option --alpha",
                              f"it is an option of risk; {help_of('score')}"),
    "beta": (["plan", "--beta", "0.2", BM25], "there is no option --beta",
             f"use --power 0.8 for --beta 0.2; {help_of('plan')}"),
    "help of no command": (["help", "intervl"], "there is no command 'intervl'",
                           "did you mean interval? "),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_slip_in_a_call_is_told_with_what_was_meant(case: str, confint: Confint) -> None:
    args, problem, hint = CASES[case]
    result = confint(*args)
    assert (result.status, result.out) == (2, "")
    first, second = result.err.splitlines()
    assert first == f"confint: {problem}"
    assert second.startswith(f"  hint: {hint}")
    assert hint.endswith(" ") or second == f"  hint: {hint}"


def test_a_slip_in_a_measure_or_a_file_is_told_with_what_was_meant(confint: Confint) -> None:
    result = confint("interval", "-m", "mpa", BM25)
    assert result.status == 1
    assert result.err.splitlines()[1].startswith("  hint: did you mean map? ")
    result = confint("interval", BM25.replace("bm25", "bm52"))
    assert result.status == 1
    assert result.err.splitlines()[1] == f"  hint: did you mean {BM25}?"
    assert confint("interval", "").err == "confint: '': no such file\n"


def test_values_that_look_like_options_are_left_alone(confint: Confint) -> None:
    assert confint("interval", "-mmap", "--quiet", BM25).status == 0
    assert confint("score", "--quiet", "--", "-measure").status == 1  # a file of that name
    assert confint("bayes", BM25, DENSE, "-m", "map", "--baseline", "bm25", "--draws", "1000",
                   "--rope", "-0.1", "0.1", "--quiet").status == 0  # fmt: skip


def test_the_beginning_of_one_name_is_near_enough() -> None:
    assert nearest("diff", ["difference", "glass"]) == "difference"
    assert nearest("d", ["difference", "glass"]) is None
    assert nearest("glass_b", ["xglass", "glass_baseline_of_all_runs"]) is not None
    assert nearest("all", ["all-of-the-pairs", "all-of-the-runs"]) is None


# What other tools call so

COMMANDS = {name: cli.get_command(click.Context(cli), name)
            for name in cli.list_commands(click.Context(cli))}  # fmt: skip


def options_of(command: str) -> dict[str, click.Option]:
    """Return the options of a command by each of their names."""
    own = [one for one in COMMANDS[command].params if isinstance(one, click.Option)]
    return {name: one for one in own for name in one.opts}


def with_hint(result: Result) -> str:
    """Return the hint of a call that cannot be read; it is one line, and so is the problem."""
    assert (result.status, result.out) == (2, "")
    _, hint = result.err.splitlines()
    return hint.removeprefix("  hint: ")


@pytest.mark.parametrize("command", [name for name in COMMANDS if "--level" in options_of(name)])
def test_alpha_is_told_as_the_level_that_it_means(command: str, confint: Confint) -> None:
    if "--alpha" in options_of(command):
        assert command == "risk"
        return
    for typed, said in {
        "0.05": "use --level 0.95 for --alpha 0.05",
        "0.1": "use --level 0.9 for --alpha 0.1",
        "5%": "use --level 0.95 for --alpha 0.05",
        "1e-12": "use --level 0.999999999999 for --alpha 1e-12",
        **dict.fromkeys(["0.95", "1e-30", "0", "1", "-1", "x\x1b", "nan", ""],
                        "use --level, which is 1 - alpha"),
    }.items():  # fmt: skip
        for words in (["--alpha", typed], [f"--alpha={typed}"]):
            assert with_hint(confint(command, *words, BM25)) == f"{said}; {help_of(command)}"
    assert with_hint(confint(command, BM25, "--alpha")).startswith("use --level, ")


EVERY_GUESS = [
    (kind, typed, one)
    for kind, own in GUESSES.items()
    for one in own
    for typed in one.typed.split()
]


def in_short(one: str | Guess) -> str:
    return one if isinstance(one, str) else one.meant


def guesses_of(*kinds: str) -> list[tuple[str, str, Guess]]:
    return [one for one in EVERY_GUESS if one[0] in kinds]


@pytest.mark.parametrize(("_kind", "typed", "one"), guesses_of("command"), ids=in_short)
def test_a_command_of_another_name_leads_to_ours(
    _kind: str, typed: str, one: Guess, confint: Confint
) -> None:
    assert typed not in COMMANDS
    assert with_hint(confint(typed)).startswith(one.said)
    assert one.meant in ("", *COMMANDS)


@pytest.mark.parametrize(("_kind", "typed", "one"), guesses_of("option"), ids=in_short)
def test_an_option_of_another_name_leads_to_ours(
    _kind: str, typed: str, one: Guess, confint: Confint
) -> None:
    """Where there is what is meant, and no option of that name; another guess may go before it."""
    having = [name for name in COMMANDS
              if one.meant in options_of(name) and typed not in options_of(name)]  # fmt: skip
    if one.meant == "FILES":
        having = ["score", "summary"]
    assert having
    said = []
    for name in having:
        said.append(with_hint(confint(name, typed, "0.5", BM25)))
        assert said[-1].endswith(help_of(name))
    expected = f"use {one.meant} 0.5 for {typed}" if one.complement else one.said
    assert any(hint.startswith(expected) for hint in said)


@pytest.mark.parametrize(
    ("option", "typed", "one"),
    guesses_of("--format", "--correct", "--missing", "--sort"),
    ids=in_short,
)
def test_a_value_of_another_name_leads_to_ours(
    option: str, typed: str, one: Guess, confint: Confint
) -> None:
    having = {name: options_of(name)[option] for name in COMMANDS if option in options_of(name)}
    assert having
    for name, parameter in having.items():
        if name != "completion":
            assert one.meant in ("", *parameter.type.choices)  # type: ignore[attr-defined]
            assert with_hint(confint(name, option, typed.upper())) == one.said


def test_every_guess_of_a_value_is_of_an_option() -> None:
    known = {
        "command",
        "option",
        "method",
        "test",
        "column",
        *(o for name in COMMANDS for o in options_of(name)),
    }
    assert {*GUESSES} <= known


@pytest.mark.parametrize(("_kind", "typed", "one"), guesses_of("method"), ids=in_short)
def test_a_method_of_another_name_leads_to_ours(
    _kind: str, typed: str, one: Guess, confint: Confint
) -> None:
    hint = with_hint(confint("interval", "--method", typed, BM25))
    expected = "the bootstrap methods are " if one.meant == BOOTSTRAP else one.said
    assert hint.startswith(expected)
    assert one.meant in ("", BOOTSTRAP, *methods())


@pytest.mark.parametrize(("_kind", "typed", "one"), guesses_of("test"), ids=in_short)
def test_a_test_of_another_name_leads_to_ours(
    _kind: str, typed: str, one: Guess, confint: Confint
) -> None:
    assert with_hint(confint(*COMPARE, "--all-pairs", "--test", typed)).startswith(one.said)
    assert one.meant in significance_tests()


def commands_with(column: str) -> list[str]:
    return [
        name
        for name, command in COMMANDS.items()
        if command.columns and column in names_of(command.columns, {})
    ]


# What rank's columns are called from 0.11 on, before and after.
RENAMED = {"p_best": "first_share", "marginal_rank_low": "own_rank_low",
           "marginal_rank_high": "own_rank_high"}  # fmt: skip


@pytest.mark.parametrize(("_kind", "typed", "one"), guesses_of("column"), ids=in_short)
def test_a_column_of_another_name_leads_to_ours(
    _kind: str, typed: str, one: Guess, confint: Confint
) -> None:
    having = commands_with(one.meant) if one.meant else ["score", "compare"]
    assert having
    for name in having:
        assert with_hint(confint(name, "--columns", typed, BM25)).startswith(one.said)


def test_the_old_name_of_a_column_leads_to_the_new_one() -> None:
    for old, new in RENAMED.items():
        assert hint_for("column", old, ["rank", new]).startswith(f"did you mean {new}? ")


def test_no_word_is_guessed_twice_for_one_thing() -> None:
    seen = [(kind, typed, one.meant) for kind, typed, one in EVERY_GUESS]
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("ttest", "t"), ("T-Test", "t"), ("student", "t"), ("permutation", "randomization"),
     ("signflip", "randomization"), ("sign_flip", "randomization"), ("signed-rank", "wilcoxon"),
     ("hsd", "tukey")],
)  # fmt: skip
def test_tests_may_be_called_as_others_call_them(typed: str, meant: str, confint: Confint) -> None:
    options = ["--all-pairs", "--resamples", "100", "--test"]
    result = confint(*COMPARE, *options, typed)
    assert result == confint(*COMPARE, *options, meant)
    assert result.status == 0


# An option that takes one value, given twice


def options_of_one_value() -> list[tuple[str, click.Option]]:
    return [
        (name, one)
        for name, one in options_and_arguments()
        if isinstance(one, click.Option) and not (one.multiple or one.is_flag)
    ]


def test_options_of_one_value_are_found() -> None:
    found = {(command, one.name) for command, one in options_of_one_value()}
    assert {("score", "qrels"), ("methods", "output_format"), ("bayes", "rope"), ("rank", "seed"),
            ("summary", "correct"), ("plan", "power")} <= found  # fmt: skip
    assert len(found) > 150


@pytest.mark.parametrize("command", dict(options_of_one_value()))
def test_an_option_of_one_value_is_given_once(command: str, confint: Confint) -> None:
    """In any spelling, whether the values differ or not, be they fit for it or not."""
    for option in (one for having, one in options_of_one_value() if having == command):
        name = max(option.opts, key=len)
        number = option.nargs
        for first, value in product(option.opts, "ab"):
            result = confint(command, first, *"a" * number, BM25, name, *value * number)
            assert (result.status, result.out) == (2, ""), first
            problem, hint = result.err.splitlines()
            both = f"'{' '.join('a' * number)}' and '{' '.join(value * number)}'"
            assert problem == f"confint: {name} is given twice: {both}"
            assert hint.startswith("  hint: it takes ")


TWICE = {
    "-q a -q b": "--qrels is given twice: 'a' and 'b'",
    "-qa --qrels=b": "--qrels is given twice: 'a' and 'b'",
    "-vqa -q b": "--qrels is given twice: 'a' and 'b'",
    "-f tsv --format csv": "--format is given twice: 'tsv' and 'csv'",
    "--seed 1 --seed=2": "--seed is given twice: '1' and '2'",
    "--seed --seed --seed -1": "--seed is given twice: '--seed' and '-1'",
    "-q -- -q -x": "--qrels is given twice: '--' and '-x'",
    "-q a -q b -q c": "--qrels is given 3 times: 'a', 'b', 'c'",
    "-q a -q b -q c -q d -q e": "--qrels is given 5 times: 'a', 'b', 'c' and 2 more",
    "-q a\nb\x1b -q b": "--qrels is given twice: 'a\\nb\\e' and 'b'",
}


@pytest.mark.parametrize("call", TWICE)
def test_an_option_that_is_given_twice_is_refused_with_both_values(
    call: str, confint: Confint
) -> None:
    result = confint("interval", *call.split(" "), BM25)
    assert (result.status, result.out) == (2, "")
    assert result.err == f"confint: {TWICE[call]}\n  hint: it takes one value\n"


def test_a_long_value_that_is_given_twice_is_shortened(confint: Confint) -> None:
    result = confint("interval", "-q", "x" * 10_000, "-q", "b", BM25)
    assert result.err.startswith("confint: --qrels is given twice: 'xxx")
    assert len(result.err) < 200


def test_a_pair_of_values_that_is_given_twice_is_refused(confint: Confint) -> None:
    result = confint("bayes", "--rope", "-1", "1", "--rope", "-2", "2", BM25, DENSE)
    assert (result.status, result.err) == (
        2,
        "confint: --rope is given twice: '-1 1' and '-2 2'\n  hint: it takes LOW HIGH once\n",
    )


def test_lists_flags_and_files_may_be_given_twice(confint: Confint) -> None:
    several = ["-m", "map", "-m", "P_10", "--method", "t", "--method", "t", "--level", "0.9"]
    assert confint("interval", *several, "--level", "90", "--quiet", "--quiet", BM25).status == 0
    assert confint("score", "--quiet", "--sort", "name", "--", "--sort", "--sort").err == (
        "confint: '--sort' is given twice\n"  # the file
    )
    assert confint("score", "-q", "a", "-q", "b", "--help").out == confint("score", "--help").out
    slip = confint("score", "-q", "a", "-q", "b", "--xyzzy")
    assert slip.err.startswith("confint: there is no option --xyzzy\n")
    assert confint("score", BM25, "-q").status == 2


@pytest.mark.parametrize(
    ("words", "is_used"),
    [
        (["interval", "--method", "percentile"], False),
        (["interval", "--method", "percentile", "--resamples", "500"], True),
        (["compare", "--baseline", "bm25", "--test", "t"], False),
        (["compare", "--baseline", "bm25", "--test", "tukey"], True),
        (["rank"], True),
        (["report"], True),
    ],
)
def test_a_seed_without_effect_is_told(words: list[str], is_used: bool, confint: Confint) -> None:
    told = "confint: note: --seed changes nothing: no random numbers were needed"
    result = confint(*words, BM25, DENSE, "-m", "map", "--seed", 3)
    assert result.status == 0, result.err
    assert (told in result.err.splitlines()) is not is_used
    assert told not in confint(*words, BM25, DENSE, "-m", "map").err
