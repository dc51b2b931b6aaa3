"""`--columns`: only these columns, in this order, in every format."""

import csv
import io
import json
from pathlib import Path

import click
import pytest

from confint_cli.app.cli import cli
from confint_cli.app.columns import Columns, names_of
from confint_cli.common.table import Column
from confint_cli.outputs import render
from confint_cli.outputs.cells import OutputOptions
from tests.conftest import SAMPLES, Confint, Result, records
from tests.outputs.answers import recorded

EVALS = [SAMPLES / f"trec_eval/{name}.eval" for name in ("bm25", "hybrid", "dense")]
PUBLISHED = "--mean 0.3 --sd 0.1 --n 50 --mean 0.2 --sd 0.1 --n 40"
FEW = "--resamples 200 --method t"
GROUPED = "--groups {group}_{}"
SEEDED = "--labels {run}.seed{repeat}.eval --labels {run}.eval"
JUDGED = f"--judge-qrels {SAMPLES}/judges/llm.qrels"
BOUNDED = "--unjudged bounds"
FILES = {  # of designs, by the option that tells of one
    GROUPED: [
        "-q",
        SAMPLES / "conversations/qrels.txt",
        *sorted(SAMPLES.glob("conversations/*.run")),
    ],
    SEEDED: sorted(SAMPLES.glob("seeds/*.eval")),
    JUDGED: ["-q", SAMPLES / "judges/human.qrels", *sorted(SAMPLES.glob("judges/runs/*.run"))],
    BOUNDED: ["-q", SAMPLES / "qrels.txt",
              *(SAMPLES / f"runs/{name}.run" for name in ("bm25", "hybrid", "dense"))],
}  # fmt: skip
JUDGE = str(SAMPLES / "trec_eval/{run}.eval")
IN_GROUPS = {"groups": "{group}_{}"}
WITH_SEEDS = {"labels": ("{run}.seed{repeat}.eval", "{run}.eval")}
WITH_JUDGE = {"judge_qrels": "llm.qrels"}

HAVING_COLUMNS = [
    name
    for name in cli.list_commands(click.Context(cli))
    if any(one.name == "columns" for one in cli.get_command(click.Context(cli), name).params)
]

# Calls of every table that there is: a command, its options, and what of these decides.
TABLES = {
    **{command: ("", {}) for command in HAVING_COLUMNS},
    "interval": ("--method t", {}),
    "interval --standardize": ("--method t --standardize all", {}),
    "rank": (FEW, {}),
    "plan --difference": ("--difference 0.1", {}),
    "plan --assurance": ("--half-width 0.1 --difference 0.1 --assurance 0.8", {}),
    "compare": ("--baseline bm25", {}),
    "compare --test": ("--all-pairs --test all --simultaneous --resamples 200", {}),
    "compare --unpaired": ("--baseline bm25 --unpaired", {"unpaired": True}),
    "bayes": ("--baseline bm25 --draws 500", {}),
    "bayes --unpaired": ("--baseline bm25 --draws 500 --unpaired", {"unpaired": True}),
    "bayes --rope": ("--baseline bm25 --draws 500 --rope -0.1 0.1", {"rope": (-0.1, 0.1)}),
    "bayes --classical": (
        "--all-pairs --draws 500 --classical --unpaired --rope -0.1 0.1",
        {"classical": True, "unpaired": True, "rope": (-0.1, 0.1)},
    ),
    "risk": (f"--baseline bm25 {FEW}", {}),
    "agreement": (f"--judge-scores {JUDGE} --draws 200", {}),
    "risk --summary": (f"--baseline bm25 --summary {FEW}", {"summary": True}),
    "coverage": (f"--replicates 3 {FEW}", {}),
    "coverage --standardize": (f"--replicates 3 --standardize 2 {FEW}", {}),
    "coverage --summary": (f"--replicates 3 --summary {FEW}", {"summary": True}),
    "summary": (PUBLISHED, {}),
    "summary --baseline": (f"{PUBLISHED} --baseline 1", {"baseline": ("1",)}),
    "summary --baseline of nothing": (f"{PUBLISHED} --baseline ,", {"baseline": (",",)}),
}

# Calls whose scores have a design: groups of topics, repeats of runs, or a cheaper judge.
DESIGNS = {
    f"{command} {option.split()[0]}": (f"{more} {option}".strip(), given)
    for option, given in ((GROUPED, IN_GROUPS), (SEEDED, WITH_SEEDS))
    for command, more in {
        "score": "",
        "interval": "--method t",
        "compare": "--baseline bm25",
        "rank": "--method t",
        "describe": "",
        "plan": "--half-width 0.05 --difference 0.05",
        "coverage": "--replicates 3 --method t",
    }.items()
} | {
    f"{command} --judge-qrels": (f"{more} {JUDGED}".strip(), {**given, **WITH_JUDGE})
    for command, more, given in (
        ("interval", "", {}),
        ("compare", "--baseline bm25 --simultaneous --draws 200", {}),
        ("rank", "--draws 200", {}),
        ("plan", "--half-width 0.05 --difference 0.05", {}),
        ("coverage", "--replicates 3", {}),
        ("coverage --summary", "--replicates 3 --summary", {"summary": True}),
    )
} | {
    f"{command} --unjudged": (f"{more} {BOUNDED}".strip(), {"unjudged": "bounds"})
    for command, more in (
        ("score", ""), ("interval", ""), ("compare", "--baseline bm25"), ("rank", ""))
} | {
    "coverage --summary --groups": (
        f"--replicates 3 --method t --summary {GROUPED}", {"summary": True, **IN_GROUPS}),
    "coverage --summary --labels": (
        f"--replicates 3 --summary {SEEDED}", {"summary": True, **WITH_SEEDS}),
    "describe --differences --labels": (
        f"--differences {SEEDED}", {"differences": True, **WITH_SEEDS}),
    "compare --paired-repeats": (
        "--baseline hybrid --paired-repeats --labels {run}.seed{repeat}.eval",
        {"labels": WITH_SEEDS["labels"][:1], "paired_repeats": True}),
}  # fmt: skip
TABLES |= DESIGNS


def columns_of(command: str) -> Columns:
    return cli.get_command(click.Context(cli), command).columns


def called(confint: Confint, table: str, *more: object) -> Result:
    command = table.split()[0]
    options = TABLES[table][0]
    files = next((own for option, own in FILES.items() if option in options), EVALS)
    if "--paired-repeats" in options:
        files = [path for path in FILES[SEEDED] if "seed" in path.name]
    named = [] if command == "summary" else ["-m", "map,P_10", *files]
    return confint(command, *named, *options.split(), *more)


def test_a_command_has_the_option_if_it_writes_tables_of_its_own() -> None:
    assert {*HAVING_COLUMNS} >= {"interval", "compare", "summary", "score"}
    assert not {*HAVING_COLUMNS} & {"report", "methods", "formats", "measures", "tests"}
    for name in HAVING_COLUMNS:
        assert columns_of(name) is not None, name


@pytest.mark.parametrize("table", TABLES)
def test_the_names_that_are_known_are_those_of_the_table(table: str, confint: Confint) -> None:
    """And any of them can be asked for, in any order."""
    whole = called(confint, table, "--quiet")
    assert whole.status == 0, whole.err
    header, *rows = (line.split("\t") for line in whole.out.splitlines())
    assert names_of(columns_of(table.split()[0]), TABLES[table][1]) == header
    turned = called(confint, table, "--quiet", "--columns", ",".join(header[::-1]))
    assert turned.out.splitlines() == ["\t".join(row[::-1]) for row in (header, *rows)]


def test_what_is_there_with_an_option_alone_is_not_there_without_it() -> None:
    for table, (_, given) in TABLES.items():
        command = table.split()[0]
        if given and "of nothing" not in table:
            assert names_of(columns_of(command), given) != names_of(columns_of(command), {})


# How it is written


NAMES = ["run", "difference", "p_t"]
ASKED = ("compare", *EVALS, "-m", "map", "--baseline", "bm25", "--columns", "run,difference,p_t")


def test_every_format_has_these_columns_in_this_order(confint: Confint) -> None:
    whole = records(confint(*ASKED[:-2]))
    expected = [[row[name] for name in NAMES] for row in whole]
    assert len(expected) == 2
    tsv = confint(*ASKED).out
    assert [line.split("\t") for line in tsv.splitlines()] == [NAMES, *expected]
    assert [*csv.reader(io.StringIO(confint(*ASKED, "-f", "csv").out))] == [NAMES, *expected]
    document = json.loads(confint(*ASKED, "-f", "json").out)
    assert [[*row] for row in document["rows"]] == [NAMES] * 2
    assert document["rows"][0]["difference"] == pytest.approx(float(expected[0][1]), abs=1e-4)
    full = json.loads(confint(*ASKED[:-2], "-f", "json").out)
    assert document["signature"] == full["signature"]
    lines = confint(*ASKED, "-f", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == document["rows"]


def test_people_see_the_same_table_and_the_signature(confint: Confint) -> None:
    whole = records(confint(*ASKED[:-2]))
    expected = [[row[name] for name in NAMES] for row in whole]
    header, rule, *rows, blank, signature = confint(*ASKED, "-f", "table").out.splitlines()
    assert header.split() == NAMES
    assert set(rule) == {"─"}
    assert [row.split() for row in rows] == expected
    assert (blank, signature[:8]) == ("", "confint:")
    header, _, *rows = confint(*ASKED, "-f", "markdown").out.rstrip().splitlines()
    assert [cell.strip().replace("\\", "") for cell in header.strip("|").split("|")] == NAMES
    assert [[cell.strip() for cell in row.strip("|").split("|")] for row in rows] == expected
    latex = confint(*ASKED, "-f", "latex").out
    assert r"run & difference & p\_t \\" in latex
    assert latex.count("&") == 2 * 3  # the header and two rows


@pytest.mark.parametrize("output_format", ["table", "markdown", "latex"])
def test_a_column_that_was_asked_for_is_shown_without_a_value_too(
    output_format: str, confint: Confint
) -> None:
    """Else there may be no column at all."""
    assert {row["note"] for row in records(confint(*ASKED[:-2]))} == {""}
    shown = confint(*ASKED[:-1], "note", "-f", output_format)
    assert shown.status == 0
    assert "note" in shown.out


def test_rows_stay_apart_on_a_narrow_terminal_whatever_their_first_column_is() -> None:
    """Of other tables, a row without a name in front goes on with the one above it."""
    columns = [Column("hedges_g", [None, None]), Column("difference", [0.125, 0.25])]
    lines = render(recorded(columns, chosen=True), "table", OutputOptions(width=10)).splitlines()
    assert [line.split() for line in lines] == [
        ["hedges_g"], ["difference", "0.1250"], ["hedges_g"], ["difference", "0.2500"],
    ]  # fmt: skip


def test_the_option_may_be_repeated_and_blanks_are_left_out(confint: Confint) -> None:
    more = ("--columns", " run , difference", "--columns", ",p_t,,")
    assert confint(*ASKED[:-2], *more) == confint(*ASKED)


def test_what_is_said_of_the_scores_stays_below_the_table(tmp_path: Path, confint: Confint) -> None:
    (tmp_path / "odd.eval").write_text("nonsense\n")
    call = ("interval", *EVALS, "-m", "map", "--columns", "run,mean", "-f", "table")
    assert "Standardised scores" in confint(*call, "--standardize", "all").out
    left_out = confint(*call, tmp_path / "odd.eval", "--keep-going")
    assert left_out.status == 1
    assert "1 of 4 files is left out" in left_out.out


def test_a_figure_is_drawn_from_the_whole_table(tmp_path: Path, confint: Confint) -> None:
    pytest.importorskip("matplotlib")
    whole, part = tmp_path / "whole.svg", tmp_path / "part.svg"
    assert confint(*ASKED[:-2], "--plot", whole).status == 0
    assert confint(*ASKED[:-1], "note", "--plot", part).status == 0
    assert part.read_bytes() == whole.read_bytes()


def test_every_file_of_a_folder_has_these_columns(tmp_path: Path, confint: Confint) -> None:
    folder = tmp_path / "scores"
    confint("score", *EVALS, "-m", "map", "--columns", "score,topic", "-o", f"{folder}/")
    headers = [path.read_text().splitlines()[0] for path in folder.iterdir()]
    assert headers == ["score\ttopic"] * 3


def test_saved_factors_are_whole(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "factors.tsv"
    call = ("standardize", *EVALS, "-m", "map", "--save-factors", path)
    assert confint(*call, "--columns", "score").out.startswith("score\n")
    part = path.read_text()
    confint(*call)
    assert path.read_text() == part


# What is refused, and when


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("run,mean,run", "--columns names 'run' twice"),
        (" , ", "--columns names no column"),
        ("", "--columns names no column"),
        ("run\x1b", "no column is called 'run\\e'"),
    ],
)
def test_a_call_that_names_columns_wrongly(value: str, said: str, confint: Confint) -> None:
    result = confint("interval", "--columns", value, *EVALS)
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines()[0] == f"confint: {said}"
    assert len(result.err.splitlines()) <= 2


@pytest.mark.parametrize("command", HAVING_COLUMNS)
def test_a_slip_is_told_before_anything_is_read(command: str, confint: Confint) -> None:
    result = confint(command, "--columns", "measrue", "no-such-file.eval")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("confint: no column is called 'measrue'\n  hint: did you mean ")


def test_the_layout_of_trec_eval_takes_all_columns(confint: Confint) -> None:
    result = confint("score", EVALS[0], "--layout", "trec_eval", "--columns", "score")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "confint: --layout trec_eval has columns of its own, and all of them are needed\n"
    )


# Columns that are there, and empty

EMPTY = {
    "hedges_g": ("compare", "hedges_g is empty: paired differences have hedges_gz instead"),
    "hedges_gz": ("compare --unpaired",
                  "hedges_gz is empty: runs that are not paired have hedges_g instead"),
    "wins": ("compare --unpaired",
             "wins is empty: runs that are not paired have no wins, ties and losses"),
    "p_wilcoxon": ("compare", "p_wilcoxon is empty: --test wilcoxon computes it"),
    "p_tukey": ("summary --baseline", "p_tukey is empty: the test is Welch's t test, p_t"),
    "topics_needed": (
        "plan", "topics_needed is empty: --half-width, --difference or --margin fills it"),
    "topics_needed_high": (
        "plan", "topics_needed_high is empty: --half-width, --difference or --margin fills it"),
    "assurance": ("plan --difference", "assurance is empty: --assurance fills it"),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTY)
def test_a_column_that_will_be_empty_is_written_and_explained(name: str, confint: Confint) -> None:
    table, said = EMPTY[name]
    result = called(confint, table, "--columns", f"measure,{name}")
    assert {row[name] for row in records(result)} == {""}
    assert f"confint: note: {said}\n" in result.err
    assert "is empty" not in called(confint, table, "--columns", name, "--quiet").err
    assert "is empty" not in called(confint, table, "--columns", "measure").err


def test_p_adjusted_without_a_correction(confint: Confint) -> None:
    result = called(confint, "compare", "--columns", "p_adjusted", "--correct", "none")
    assert set(result.out.splitlines()[1:]) == {""}
    assert "note: p_adjusted is empty: --correct none asks for no correction" in result.err


def test_nothing_is_said_to_be_empty_that_is_not(confint: Confint) -> None:
    """Of every table: a note names a column if and only if no row has a value there.

    What a design leaves empty is known only when the scores are, and not told; nor are the judged
    shares of files that say nothing of them.
    """
    for table in TABLES:
        names = names_of(columns_of(table.split()[0]), TABLES[table][1])
        result = called(confint, table, "--columns", ",".join(names))
        rows = records(result)
        said = {line.split()[2] for line in result.err.splitlines() if " is empty: " in line}
        empty = {name for name in names if not any(row[name] for row in rows)}
        if table in DESIGNS:
            assert said <= empty, table
        else:
            assert said == empty - {"note", "judged_share"}, table
