"""The scores of a cheaper judge: where they are found, and what does not fit to those of people."""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confint_cli as confint
from confint_cli.common.errors import DataError
from confint_cli.scores import run_files
from tests.conftest import Confint, Result, records, worth_a_process
from tests.judged import COLLECTIONS, RUNS, evals, judgements, rankings, some, written

PLAIN = ((12, 30, 0),)
SUITE = ((12, 30, 0), (9, 20, 0))
SCORED = ["-q", "human.qrels", "--judge-qrels", "llm.qrels", "-m", "nDCG@10"]
FILES = sorted(f"runs/{run}.run" for run in RUNS)
IN_SUITE = [
    "--labels", "{collection}/{run}.run", "-q", "{collection}/human.qrels",
    "--judge-qrels", "{collection}/llm.qrels", "-m", "nDCG@10",
]  # fmt: skip


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def tables() -> list[object]:
    """Long tables by both, and what a call about them has."""
    people, judge = written(Path(), some(1, *PLAIN))
    return [people, "--judge-scores", judge]


@pytest.fixture
def scored() -> list[object]:
    """Runs, and judgements of fifteen topics by people and of forty by the judge."""
    rankings(Path("runs"), 40)
    judgements(Path("human.qrels"), range(1, 16))
    judgements(Path("llm.qrels"), range(1, 41), wrong=0.4)
    return [*SCORED, *FILES]


@pytest.fixture
def suite() -> list[object]:
    """The same of two collections."""
    for place, (name, people, everything) in enumerate((("news", 12, 30), ("forum", 8, 25))):
        rankings(Path(name), everything, seed=place + 1)
        judgements(Path(name, "human.qrels"), range(1, people + 1))
        judgements(Path(name, "llm.qrels"), range(1, everything + 1), wrong=0.4)
    return [
        *IN_SUITE,
        *sorted(str(path) for name in ("news", "forum") for path in Path(name).glob("*.run")),
    ]


def interval(confint: Confint, *args: object) -> dict[tuple[str, ...], dict[str, str]]:
    """Return the rows, with many digits, by measure, run and collection."""
    result = confint("interval", *args, "--digits", 9, "--quiet")
    return {(row["measure"], row["run"], row.get("collection", "")): row
            for row in records(result)}  # fmt: skip


def of_runs(confint: Confint, *args: object) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return what both judges say of each run."""
    return {
        key[1:]: tuple(row[name] for name in ("mean", "se", "human_mean", "judge_mean"))
        for key, row in interval(confint, *args).items()
    }


def assert_error(result: Result, status: int, problem: str, hint: str = "") -> None:
    """Check that nothing is written, and that these are the last words."""
    assert (result.status, result.out) == (status, "")
    said = [line for line in result.err.splitlines()
            if not line.startswith(("confint: note: ", "confint: warning: "))]  # fmt: skip
    assert said == [f"confint: {problem}", *([f"  hint: {hint}"] if hint else [])]


# Where scores are found


def one_by_one(folder: str, table: object, *, packed: bool = False) -> list[Path]:
    """Write a file for each run, as trec_eval would."""
    paths = evals(Path(folder), Path(str(table)))
    if packed:
        for path in paths:
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    return paths


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("pattern", ["llm/{run}.eval", "{run}/x", "llm/of-{run}-by-llm"])
def test_files_of_runs_are_found_by_a_pattern(
    pattern: str, packed: bool, tables: list[object], confint: Confint
) -> None:
    expected = of_runs(confint, *tables)
    for path in one_by_one("made", tables[-1], packed=packed):
        run = path.stem
        target = Path(pattern.replace("{run}", run) + (".gz" if packed else ""))
        target.parent.mkdir(exist_ok=True)
        (path.with_name(f"{path.name}.gz") if packed else path).rename(target)
    people = one_by_one("people", tables[0])
    for files in ([tables[0]], people):
        assert of_runs(confint, *files, "--judge-scores", pattern) == expected
    whole = str(Path(pattern).absolute())
    assert of_runs(confint, *people, "--judge-scores", whole) == expected


def test_a_file_with_nothing_where_the_run_should_be_is_another(
    tables: list[object], confint: Confint
) -> None:
    expected = of_runs(confint, *tables)
    one_by_one("llm", tables[-1], packed=False)
    Path("llm/.eval").write_text("what is not read\n")
    assert of_runs(confint, tables[0], "--judge-scores", "llm/{run}.eval") == expected


def test_a_pattern_that_ends_in_gz(tables: list[object], confint: Confint) -> None:
    expected = of_runs(confint, *tables)
    one_by_one("llm", tables[-1], packed=True)
    assert of_runs(confint, tables[0], "--judge-scores", "llm/{run}.eval.gz") == expected


def test_braces_in_a_name_that_exists_are_no_pattern(
    tables: list[object], confint: Confint
) -> None:
    Path("{run}.tsv").write_bytes(Path(str(tables[-1])).read_bytes())
    expected = of_runs(confint, *tables)
    assert of_runs(confint, tables[0], "--judge-scores", "{run}.tsv") == expected


def test_what_means_something_to_a_shell_is_itself(tables: list[object], confint: Confint) -> None:
    expected = of_runs(confint, *tables)
    for folder in ("llm [1]", "a*", "l"):
        one_by_one(folder, tables[-1])
        found = of_runs(confint, tables[0], "--judge-scores", f"{folder}/{{run}}.eval")
        assert found == expected
    Path("a*/bm25.eval").unlink()
    Path("ab").mkdir()
    Path("ab/bm25.eval").write_bytes(Path("l/bm25.eval").read_bytes())
    result = confint("interval", tables[0], "--judge-scores", "a*/{run}.eval")
    assert "the judge has no scores of 1 run: bm25\n" in result.err


def test_runs_that_the_judge_alone_has_are_left_out(tables: list[object], confint: Confint) -> None:
    expected = of_runs(confint, *tables)
    paths = one_by_one("llm", tables[-1])
    Path("llm/splade.eval").write_text("nonsense that is never read\n")
    assert of_runs(confint, tables[0], "--judge-scores", "llm/{run}.eval") == expected
    few = [path for path in one_by_one("people", tables[0]) if path.stem != "bm25"]
    alone = of_runs(confint, *few, "--judge-scores", "llm/{run}.eval")
    assert alone == {key: row for key, row in expected.items() if key[0] != "bm25"}
    for judge in (tables[-1], "llm/{run}.eval"):
        result = confint("interval", *few, "--judge-scores", judge, "-v")
        said = "confint: note: left out 1 run that only the judge has"
        assert (said in result.err.splitlines()) == (judge == tables[-1])
    assert len(paths) == 3


@pytest.mark.parametrize("people", ["long", "wide", "per_query"])
@pytest.mark.parametrize("judge", ["long", "wide", "per_query"])
def test_tables_of_all_kinds_go_together(
    people: str, judge: str, tables: list[object], confint: Confint
) -> None:
    expected = of_runs(confint, *tables)
    paths = [in_form(Path(str(path)), form)
             for path, form in ((tables[0], people), (tables[-1], judge))]  # fmt: skip
    assert of_runs(confint, paths[0], "--judge-scores", paths[1], *named(people)) == expected
    # The judge's file has the measure's name, or takes that of people.
    measures = {key[0] for key in interval(confint, paths[0], "--judge-scores", paths[1],
                                           *named(people))}  # fmt: skip
    assert measures == {"m"}


def in_form(table: Path, form: str) -> Path:
    """Write a long table as a matrix of topics and runs, or with measures side by side."""
    if form == "long":
        return table
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    path = table.with_suffix(f".{form}.csv")
    if form == "per_query":
        lines = ["run,topic,m", *(f"{run},{topic},{score}" for run, topic, _, score in rows)]
    else:
        scores = {(topic, run): score for run, topic, _, score in rows}
        lines = [",".join(["topic", *RUNS])]
        lines += [",".join([topic, *(scores[topic, run] for run in RUNS)])
                  for topic in dict.fromkeys(topic for topic, _ in scores)]  # fmt: skip
    path.write_text("\n".join([*lines, ""]))
    return path


def named(form: str) -> list[str]:
    return ["--measure-name", "m"] if form == "wide" else []


def test_matrices_without_a_measure_have_that_of_people(
    tables: list[object], confint: Confint
) -> None:
    """Else it would be the name of the judge's file."""
    people, judge = (in_form(Path(str(path)), "wide") for path in (tables[0], tables[-1]))
    found = interval(confint, people, "--judge-scores", judge)
    assert {key[0] for key in found} == {"human.wide"}
    said = (
        "confint: note: llm.wide.csv: names no measure; its scores are read as human.wide, "
        "like people's"
    )
    for more in ([], ["--measure-name", "map"]):
        lines = confint("interval", people, "--judge-scores", judge, *more).err.splitlines()
        assert (said in lines) == (not more)
    assert "names no measure" not in confint("interval", *tables).err
    assert_error(
        confint("interval", people, "--judge-scores", tables[-1]),
        1,
        "the judge has no scores on human.wide",
        "it has m; --measure-name names the measure of files that do not name it",
    )


def test_the_only_run_need_not_have_the_same_name(tables: list[object], confint: Confint) -> None:
    people, judge = one_by_one("people", tables[0]), one_by_one("llm", tables[-1])
    (row,) = interval(confint, people[0], "--judge-scores", judge[0]).values()
    judge[0].rename("scores.txt")
    result = confint("interval", people[0], "--judge-scores", "scores.txt", "--digits", 9)
    assert "confint: note: the judge's scores of scores are used as those of dense" in result.err
    assert records(result) == [row]


def test_the_judge_may_come_from_standard_input(tables: list[object], confint: Confint) -> None:
    expected = confint("interval", *tables)
    content = Path(str(tables[-1])).read_bytes()
    assert confint("interval", *tables[:-1], "-", stdin=content).out == expected.out


def test_several_collections(confint: Confint) -> None:
    people, judge = written(Path(), some(1, *SUITE))
    expected = of_runs(confint, people, "--judge-scores", judge)
    assert {name for _, name in expected} == {*COLLECTIONS[:2], "macro"}
    for folder, path in (("people", people), ("llm", judge)):
        for name in COLLECTIONS[:2]:
            header, *lines = path.read_text().splitlines()
            kept = [line.split("\t") for line in lines if f"\t{name}\t" in line]
            table = Path(folder, f"{name}.tsv")
            table.parent.mkdir(exist_ok=True)
            header = "run\ttopic\tmeasure\tscore"
            rows = ["\t".join([run, *rest]) for run, _, *rest in kept]
            table.write_text("\n".join([header, *rows, ""]))
            for own in evals(Path(folder, name), table):
                assert own.is_file()
    ways = {
        "llm/{collection}/{run}.eval": ["--labels", "{collection}/{run}.eval",
                                        *sorted(Path("people").glob("*/*.eval"))],
        "llm/{collection}.tsv": ["--labels", "{collection}.tsv",
                                 *sorted(Path("people").glob("*.tsv"))],
    }  # fmt: skip
    for pattern in ways:
        for files in ([people], *ways.values()):
            found = of_runs(confint, *files, "--judge-scores", pattern)
            assert found == expected, (pattern, files)


def test_python_finds_them_too(tables: list[object]) -> None:
    people, judge = str(tables[0]), str(tables[-1])
    expected = confint.interval(people, judge_scores=judge).rows
    one_by_one("llm", judge)
    assert confint.interval(people, judge_scores="llm/{run}.eval").rows == expected
    assert confint.interval(people, judge_scores=Path("llm/{run}.eval")).rows == expected
    as_dict: list[dict[str, dict[str, dict[str, float]]]] = [{}, {}]
    for path, own in zip((people, judge), as_dict, strict=True):
        for line in Path(path).read_text().splitlines()[1:]:
            run, topic, measure, score = line.split("\t")
            own.setdefault(run, {}).setdefault(topic, {})[measure] = float(score)
    assert confint.interval(as_dict[0], judge_scores=as_dict[1]).rows == expected
    assert confint.interval(people, judge_scores=as_dict[1]).rows == expected


# Judgements


def test_scores_by_judgements_are_those_of_files_of_scores(
    scored: list[object], confint: Confint
) -> None:
    for name in ("human", "llm"):
        Path(f"{name}.tsv").write_text(
            confint("score", "-q", f"{name}.qrels", "-m", "nDCG@10,AP", *FILES, "--digits", 17,
                    "--quiet").out
        )  # fmt: skip
    both = ["-m", "nDCG@10,AP"]
    by_tables = interval(confint, "human.tsv", "--judge-scores", "llm.tsv", *both)
    assert interval(confint, *scored, *both) == by_tables
    assert {key[0] for key in by_tables} == {"nDCG@10", "AP"}
    rows = confint("interval", *scored, "-f", "json", "--quiet").out
    signature = json.loads(rows)["signature"]
    assert (signature["qrels"], signature["judge"]) == ("human.qrels", "llm.qrels")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_is_read_once_for_both_judges(
    jobs: int, scored: list[object], confint: Confint, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[str] = Counter()
    first = run_files.read_run

    def counted(source: Any) -> Any:
        read[source.path] += 1
        return first(source)

    monkeypatch.setattr(run_files, "read_run", counted)
    assert confint("interval", *scored, "--jobs", jobs).status == 0
    assert read == dict.fromkeys(FILES, 1)


@pytest.mark.parametrize("call", ["scored", "suite"])
def test_nothing_depends_on_jobs_or_on_the_order_of_files(
    call: str, request: pytest.FixtureRequest, confint: Confint
) -> None:
    words: list[Any] = request.getfixturevalue(call)
    files = [word for word in words if str(word).endswith(".run") and "{" not in str(word)]
    options = [word for word in words if word not in files]
    expected = interval(confint, *words)
    turned = files[::-1]
    assert interval(confint, *options, *turned) == expected
    large = worth_a_process(Path(files[0]), Path(), 2_100_000)
    large.replace(files[0])
    for jobs in (1, 2):
        assert interval(confint, *options, *turned, "--jobs", jobs) == expected


def test_the_usual_measures_are_those_of_people(scored: list[object], confint: Confint) -> None:
    words = [word for word in scored if word not in ("-m", "nDCG@10")]
    result = confint("interval", *words)
    usual = dict.fromkeys(row["measure"] for row in records(result))
    assert [*usual] == [*dict.fromkeys(
        row["measure"] for row in records(confint("interval", "-q", "human.qrels", *FILES))
    )]  # fmt: skip
    assert result.err.count("confint: note: using ") == 1


def test_measures_may_be_spelt_in_any_way(tables: list[object], confint: Confint) -> None:
    for path, name in ((tables[0], "map"), (tables[-1], "AP")):
        text = Path(str(path)).read_text()
        Path(str(path)).write_text(text.replace("\tm\t", f"\t{name}\t"))
    for asked, shown in (((), "map"), (("-m", "AP"), "AP"), (("-m", "map"), "map")):
        assert {key[0] for key in interval(confint, *tables, *asked)} == {shown}


def test_measures_that_the_judge_lacks(tables: list[object], confint: Confint) -> None:
    people, judge = Path(str(tables[0])), Path(str(tables[-1]))
    header, *lines = people.read_text().splitlines()
    further = [line.replace("\tm\t", f"\t{name}\t") for name in ("k", "l") for line in lines]
    people.write_text("\n".join([header, *lines, *further, ""]))
    for asked in ((), ("-m", "m")):
        result = confint("interval", *tables, *asked)
        assert {row["measure"] for row in records(result)} == {"m"}
        note = "confint: note: the judge has no scores on k, l: left out"
        assert (note in result.err.splitlines()) == (not asked)
    for asked in (("-m", "m,k"), ("-m", "k")):
        assert_error(
            confint("interval", *tables, *asked),
            1,
            "the judge has no scores on k",
            "it has m; --measure-name names the measure of files that do not name it",
        )
    judge.write_text(judge.read_text().replace("\tm\t", "\tother\t"))
    assert_error(
        confint("interval", *tables),
        1,
        "the judge has no scores on m, k, l",
        "it has other; --measure-name names the measure of files that do not name it",
    )


# Topics, groups and what is missing


def test_topics_are_chosen_of_both(
    tables: list[object], scored: list[object], confint: Confint
) -> None:
    """A topic that one of the two has is in a file; only those that none has are warned of."""
    for words, kept, nowhere in ((tables, [*range(100, 110), *range(300, 320)], 999),
                                 (scored, [*range(1, 11), *range(20, 40)], 41)):  # fmt: skip
        for more in ([], [nowhere]):
            Path("topics.txt").write_text("".join(f"{topic}\n" for topic in [*kept, *more]))
            result = confint("interval", *words, "--topics", "topics.txt")
            assert {(row["topics"], row["human_topics"]) for row in records(result)} == {
                ("30", "10")}  # fmt: skip
            said = f"confint: warning: 1 topic of --topics is in no file, left out: {nowhere}"
            assert result.err.splitlines() == ([said] if more else [])


def test_topics_of_which_the_judge_has_none(tables: list[object], confint: Confint) -> None:
    people = Path(str(tables[0]))
    header, *lines = people.read_text().splitlines()
    further = [line.replace("\t1", "\t9") for line in lines]
    people.write_text("\n".join([header, *lines, *further, ""]))
    Path("topics.txt").write_text("".join(f"{topic}\n" for topic in range(900, 912)))
    assert_error(
        confint("interval", *tables, "--topics", "topics.txt"),
        1,
        "scores of the judge: none of the topics in --topics is in the files",
        "the list has '900', the files have '100'",
    )


def test_topics_that_some_runs_lack(tables: list[object], confint: Confint) -> None:
    """Of the topics of both, and of the judge's others: 0, dropped, or an error."""
    people, judge = Path(str(tables[0])), Path(str(tables[-1]))
    for path, topics in ((people, [100]), (judge, [100])):
        kept = [line for line in path.read_text().splitlines()
                if not any(line.startswith(f"bm25\t{topic}\t") for topic in topics)]  # fmt: skip
        path.write_text("\n".join([*kept, ""]))
    result = confint("interval", *tables, "--digits", 9)
    assert result.err.splitlines() == [
        "confint: warning: 1 run lacks some of the 12 topics: bm25 lacks 1; scored 0 there",
        "confint: warning: the judge: 1 run lacks some of the 42 topics: bm25 lacks 1; "
        "scored 0 there",
    ]
    (part,) = some(1, *PLAIN)
    h, f = part.h.copy(), part.f.copy()
    h[0, 1] = f[0, 1] = 0
    Path("filled").mkdir()
    filled = written(Path("filled"), [replace(part, h=h, f=f)])
    assert records(result) == [
        {**row, "note": next(own["note"] for own in records(result) if own["run"] == row["run"])}
        for row in interval(confint, filled[0], "--judge-scores", filled[1]).values()
    ]
    dropped = interval(confint, *tables, "--missing", "drop")
    Path("dropped").mkdir()
    less = replace(part, h=part.h[1:], f=part.f[1:], labelled=part.labelled[1:])
    without = written(Path("dropped"), [less])
    expected = interval(confint, without[0], "--judge-scores", without[1])
    assert dropped == expected
    refused = confint("interval", *tables, "--missing", "error")
    assert (refused.status, refused.out) == (1, "")
    assert "1 run lacks some of the 12 topics: bm25 lacks 1" in refused.err
    written(Path(), [part])
    kept = [line for line in judge.read_text().splitlines() if not line.startswith("bm25\t300\t")]
    judge.write_text("\n".join([*kept, ""]))
    refused = confint("interval", *tables, "--missing", "error")
    assert refused.err.startswith(
        "confint: scores of the judge: 1 run lacks some of the 42 topics: bm25 lacks 1\n"
    )


def test_groups_are_those_of_both(confint: Confint) -> None:
    people, judge = written(Path(), some(3, (24, 50, 0), groups=2), groups=True)
    call = [people, "--judge-scores", judge]
    expected = of_runs(confint, *call)
    plain = of_runs(confint, *call, "--labels", "none")
    assert expected != plain
    for option in ("{group}_{}", "groups.txt"):
        topics = {line.split("\t")[2] for path in (people, judge)
                  for line in path.read_text().splitlines()[1:]}  # fmt: skip
        Path("groups.txt").write_text(
            "".join(f"{topic} {topic.split('_')[0]}\n" for topic in sorted(topics))
        )
        found = of_runs(confint, *call, "--labels", "none", "--groups", option)
        assert found == expected


@pytest.mark.parametrize("whose", ["people", "the judge"])
def test_groups_of_one_of_the_two_alone(whose: str, confint: Confint) -> None:
    """They were taken for independent by the one, and not by the other."""
    people, judge = written(Path(), some(3, (24, 50, 0), groups=2), groups=True)
    bare = judge if whose == "people" else people
    rows = [line.split("\t") for line in bare.read_text().splitlines()]
    bare.write_text("".join("\t".join([row[0], *row[2:]]) + "\n" for row in rows))
    other = "the judge" if whose == "people" else "people"
    assert_error(
        confint("interval", people, "--judge-scores", judge),
        1,
        f"the topics of {whose} come in groups, but those of {other} do not",
        "--groups sets the groups for both; --labels none ignores columns of groups",
    )
    assert confint("interval", people, "--judge-scores", judge, "--labels", "none").status == 0


def test_people_have_to_judge_whole_groups(tables: list[object], confint: Confint) -> None:
    Path("groups.txt").write_text("".join(
        f"{topic} {'ab'[topic < 300]}{topic % 100 // 2 if topic < 330 else 'x'}\n"
        for topic in [*range(100, 112), *range(300, 330)]
    ))  # fmt: skip
    assert confint("interval", *tables, "--groups", "groups.txt").status == 0
    Path("groups.txt").write_text(Path("groups.txt").read_text().replace("300 a0", "300 b0"))
    assert_error(
        confint("interval", *tables, "--groups", "groups.txt"),
        1,
        "people judged some topics of 1 group and not others: b0",
        "with a judge, people have to judge whole groups, because groups are what was drawn",
    )


# What does not go together


def test_options_that_do_not_go_together(
    tables: list[object], scored: list[object], confint: Confint
) -> None:
    people, judge = tables[0], tables[-1]
    cases: list[tuple[list[object], str, str]] = [
        ([people, "--judge-scores", judge, "--judge-qrels", "llm.qrels"],
         "--judge-qrels and --judge-scores: use only one of them", ""),
        ([people, "--judge-qrels", "llm.qrels"],
         "--judge-qrels needs -q, the judgements by people; FILES are then runs",
         "for files of scores, use --judge-scores"),
        (["-q", "human.qrels", *FILES, "--judge-scores", judge],
         "--judge-scores is for files of scores; with -q, FILES are runs",
         "give the judge's judgements with --judge-qrels FILE"),
        ([*scored, "--every", "2"],
         "--every would use different topics for people and for the judge",
         "--topics FILE lists the topics to use"),
        (["-q", "human.qrels", *FILES, "--judge-qrels", "{foo}.qrels"],
         "--judge-qrels '{foo}.qrels' has {foo}, which is unknown",
         "use {collection} for the name of the collection"),
        (["-q", "human.qrels", *FILES, "--judge-qrels", "{collection}.qrels"],
         "one of -q and --judge-qrels is for several collections, the other for one",
         "use {collection} in both, for the name of the collection"),
        (["-q", "-", *FILES, "--judge-qrels", "-"],
         "only one of people's and the judge's files can be standard input (-)", ""),
        (["-q", "human.qrels", "-", "--judge-qrels", "-"],
         "only one of people's and the judge's files can be standard input (-)", ""),
        (["-", "--judge-scores", "-"],
         "only one of people's and the judge's files can be standard input (-)", ""),
        ([people, "--judge-scores", "llm/{foo}.eval"],
         "--judge-scores 'llm/{foo}.eval' has {foo}, which is unknown",
         "use {run}, {collection}, or {} for anything"),
        ([people, "--judge-scores", "llm/{repeat}.eval"],
         "--judge-scores 'llm/{repeat}.eval' has {repeat}, which is unknown",
         "use {run}, {collection}, or {} for anything"),
        ([people, "--judge-scores", "llm/{}.eval"],
         "--judge-scores 'llm/{}.eval' has none of {run}, {collection}",
         "for example --judge-scores '{collection}/{run}.run'"),
        ([people, "--judge-scores", "{run}/{run}.eval"],
         "--judge-scores '{run}/{run}.eval' has {run} twice", ""),
    ]  # fmt: skip
    for words, problem, hint in cases:
        assert_error(confint("interval", *words), 2, problem, hint)


def test_judgements_of_several_collections_by_people_alone(
    suite: list[object], confint: Confint
) -> None:
    words = ["llm.qrels" if word == "{collection}/llm.qrels" else word for word in suite]
    assert_error(
        confint("interval", *words),
        2,
        "one of -q and --judge-qrels is for several collections, the other for one",
        "use {collection} in both, for the name of the collection",
    )


def test_an_input_is_never_written_over(
    tables: list[object], scored: list[object], suite: list[object], confint: Confint
) -> None:
    one_by_one("llm", tables[-1])
    for words, target in (
        (tables, "llm.tsv"),
        ([tables[0], "--judge-scores", "llm/{run}.eval"], "llm/bm25.eval"),
        (scored, "llm.qrels"),
        (suite, "forum/llm.qrels"),
    ):
        before = Path(target).read_bytes()
        assert_error(confint("interval", *words, "-f", "tsv", "-o", target), 2,
                     f"-o would overwrite an input: '{target}'")  # fmt: skip
        assert Path(target).read_bytes() == before


def test_files_that_are_not_there(
    tables: list[object], scored: list[object], suite: list[object], confint: Confint
) -> None:
    Path("folder").mkdir()
    cases: list[tuple[list[object], str, str]] = [
        ([tables[0], "--judge-scores", "no/{run}.eval"],
         "no/{run}.eval: no file fits this --judge-scores", ""),
        ([tables[0], "--judge-scores", "no"], "no: no such file", ""),
        ([tables[0], "--judge-scores", ""], "'': no such file", ""),
        ([tables[0], "--judge-scores", "folder"],
         "folder: is a folder, but --judge-scores is a pattern of paths, or one table of all runs",
         "'folder/{run}.eval', in quotes, stands for one file per run"),
        (["-q", "human.qrels", "--judge-qrels", "no", *FILES], "no: no such file", ""),
        (["no" if word == "human.qrels" else word for word in scored],
         "no: no such file", ""),
        ([word if word != "{collection}/llm.qrels" else "{collection}/no.qrels" for word in suite],
         "forum/no.qrels: no such file: there are no judgements for 'forum'", ""),
    ]  # fmt: skip
    for words, problem, hint in cases:
        assert_error(confint("interval", *words), 1, problem, hint)


def test_runs_that_the_judge_lacks(tables: list[object], confint: Confint) -> None:
    paths = one_by_one("llm", tables[-1])
    paths[0].unlink()
    fewer = confint("interval", tables[0], "--judge-scores", "llm/{run}.eval")
    assert_error(
        fewer, 1, "the judge has no scores of 1 run: dense",
        "it has scores of bm25, hybrid; a run needs the same name for both; '{run}' in "
        "--judge-scores, in quotes, finds files by that name",
    )  # fmt: skip
    for path in paths[1:]:
        path.rename(path.with_name(f"x-{path.name}"))
    assert_error(
        confint("interval", tables[0], "--judge-scores", "llm/{run}.eval"),
        1,
        "--judge-scores 'llm/{run}.eval' has files of x-bm25, x-hybrid, but none of a run in "
        "FILES, such as 'bm25'",
        "--labels '{run}.eval' names the runs of FILES by their paths",
    )


def test_two_files_of_one_run(tables: list[object], confint: Confint) -> None:
    (path, *_) = one_by_one("llm", tables[-1])
    Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert_error(
        confint("interval", tables[0], "--judge-scores", "llm/{run}.eval"),
        1,
        "llm/dense.eval.gz: is for the same run as 'llm/dense.eval', by --judge-scores "
        "'llm/{run}.eval'",
        "leave one of them out",
    )


def test_a_path_that_can_be_read_in_two_ways(tables: list[object], confint: Confint) -> None:
    one_by_one("llm", tables[-1])
    for run in RUNS:
        Path(f"llm/{run}.eval").rename(f"llm/a-b-{run}")
    assert_error(
        confint("interval", tables[0], "--judge-scores", "llm/{collection}-{run}"),
        1,
        "llm/a-b-bm25: fits --judge-scores 'llm/{collection}-{run}' in several ways: "
        "'b-bm25' of 'a' or 'bm25' of 'a-b'",
        "use a separate folder for each collection",
    )


def test_collections_of_one_of_the_two_alone(confint: Confint) -> None:
    people, judge = written(Path(), some(1, *SUITE))
    Path("one").mkdir()
    plain = written(Path("one"), some(1, *PLAIN))
    hint = "'{collection}' in --judge-scores, or a column of a table, names collections"
    for files, problem in (
        ((people, plain[1]), "people's scores are of several collections, but the judge's of one"),
        ((plain[0], judge), "the judge's scores are of several collections, but people's of one"),
    ):
        assert_error(confint("interval", files[0], "--judge-scores", files[1]), 1, problem, hint)
    three = Path("three")
    three.mkdir()
    more, _ = written(three, some(1, *SUITE, (10, 10, 0)))
    assert_error(confint("interval", more, "--judge-scores", judge), 1,
                 "the judge has no scores of collection papers")  # fmt: skip
    Path("further").mkdir()
    _, further = written(Path("further"), some(1, *SUITE, (10, 10, 0)))
    assert of_runs(confint, people, "--judge-scores", further) == of_runs(
        confint, people, "--judge-scores", judge)  # fmt: skip


def test_topics_in_common_are_too_few(confint: Confint) -> None:
    (part,) = some(1, *PLAIN)
    for number, said in ((4, "only 4 topics have"), (1, "only 1 topic has")):
        less = replace(part, h=part.h[:number], f=part.f[:number], labelled=part.labelled[:number])
        people, judge = written(Path(), [less])
        assert_error(
            confint("interval", people, "--judge-scores", judge),
            1,
            f"{said} scores on m from both judges: at least 5 are needed",
            "without the judge, people's scores have their usual interval",
        )
    none = replace(part, f=part.f[:0], h=part.h[:0], labelled=(), alone=part.h, lone=part.labelled)
    people, judge = written(Path(), [none])
    assert_error(
        confint("interval", people, "--judge-scores", judge),
        1,
        "the judge has none of the topics that people judged",
        "the judge has to judge the topics that people judged, and more: people judged topics "
        "such as '700', the judge '300'",
    )
    people, judge = written(Path(), some(1, (12, 30, 0), (4, 30, 3)))
    assert_error(
        confint("interval", people, "--judge-scores", judge),
        1,
        "only 4 topics of 'forum' have scores on m from both judges: at least 5 are needed",
        "without the judge, people's scores have their usual interval",
    )
    people, judge = written(Path(), some(1, (12, 60, 0), groups=6), groups=True)
    result = confint("interval", people, "--judge-scores", judge)
    assert result.status == 1
    assert "groups have scores on m from both judges: at least 5 are needed\n" in result.err


def test_a_judge_with_broken_scores_ends_it(tables: list[object], confint: Confint) -> None:
    paths = one_by_one("llm", tables[-1])
    value = paths[0].read_text().split()[2].replace("0.", "x.")
    paths[0].write_text(paths[0].read_text().replace("\t0.", "\tx.", 1))
    for more in ([], ["--keep-going"]):
        assert_error(
            confint("interval", tables[0], "--judge-scores", "llm/{run}.eval", *more),
            1,
            f"llm/dense.eval:1: the value of 'm' is not a number: '{value}'",
        )


# Judgements that differ


Change = Callable[[Sequence[str]], list[str]]


def changed(change: Change) -> None:
    """Change the lines of the judge's judgements."""
    path = Path("llm.qrels")
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))


def topic_of(line: str) -> int:
    return int(line.split()[0])


def document_of(line: str) -> int:
    return int(line.split()[2].split("-")[1])


def test_judgements_of_no_topic_or_document_in_common(
    scored: list[object], confint: Confint
) -> None:
    whole = Path("llm.qrels").read_text()
    changed(lambda lines: [line.replace(" d", " x") for line in lines])
    assert_error(
        confint("interval", *scored),
        1,
        "llm.qrels: has none of the documents of human.qrels on 15 topics in common",
        "on topic '1', people judged documents such as 'd1-0', the judge 'x1-0'",
    )
    Path("llm.qrels").write_text(whole)
    changed(lambda lines: [line for line in lines if topic_of(line) > 15])
    assert_error(
        confint("interval", *scored),
        1,
        "llm.qrels: has none of the topics of human.qrels",
        "the judge has to judge the topics that people judged, and more: people judged topics "
        "such as '1', the judge '16'",
    )


@pytest.mark.parametrize(("documents", "share"), [(10, "83%"), (11, ""), (12, "")])
def test_a_judge_of_fewer_documents_is_warned_of(
    documents: int, share: str, scored: list[object], confint: Confint
) -> None:
    changed(lambda lines: [line for line in lines if document_of(line) < documents])
    result = confint("interval", *scored)
    assert result.status == 0
    said = (
        f"confint: warning: llm.qrels: the judge has judged {share} of the documents that people "
        "judged: unjudged documents count as not relevant, so its scores come from a different pool"
    )
    assert result.err.splitlines() == ([said] if share else [])


@pytest.mark.parametrize(("documents", "warned"), [(7, False), (6, False), (5, True)])
def test_pools_of_other_depths_are_warned_of(
    documents: int, warned: bool, scored: list[object], confint: Confint
) -> None:
    """Of the topics that people judged the judge has twelve documents each."""
    changed(lambda lines: [line for line in lines
                           if topic_of(line) < 16 or document_of(line) < documents])  # fmt: skip
    said = (
        f"confint: warning: llm.qrels: the judge has judged 12 documents per topic where "
        f"people judged, and {documents} on other topics: scores from pools of different depths "
        "differ, and intervals cover too rarely"
    )
    assert (said in confint("interval", *scored).err.splitlines()) == warned


def test_grades_on_another_scale_are_told(scored: list[object], confint: Confint) -> None:
    changed(lambda lines: [line[:-1] + str(min(int(line[-1]), 1)) for line in lines])
    result = confint("interval", *scored)
    assert result.status == 0
    assert result.err.splitlines() == [
        "confint: note: llm.qrels: people give grades up to 3, the judge up to 1: each is scored "
        "on its own scale; --rel-level is the same for both"
    ]
    assert "grades up to" in confint("interval", *scored, "-m", "P@5", "--rel-level", 1).err


def test_notices_about_a_collection_name_it(suite: list[object], confint: Confint) -> None:
    path = Path("forum/llm.qrels")
    path.write_text("".join(
        f"{line[:-1]}{min(int(line[-1]), 2)}\n" for line in path.read_text().splitlines()
    ))  # fmt: skip
    assert confint("interval", *suite).err.splitlines() == [
        "confint: note: forum: people give grades up to 3, the judge up to 2: each is scored on "
        "its own scale; --rel-level is the same for both"
    ]


def test_notices_of_the_judges_file_are_told_as_such(
    scored: list[object], confint: Confint
) -> None:
    changed(lambda lines: [line if topic_of(line) != 40 else f"{line[:-1]}0" for line in lines])
    path = Path("llm.qrels")
    path.write_text(path.read_text() + "#41 0 d41-1 1\n")
    assert confint("interval", *scored).err.splitlines() == [
        "confint: warning: the judge: llm.qrels: 1 line that looks like a judgement begins with "
        "# and is a comment",
        "confint: note: the judge: 1 judged topic has no document of grade 1 or more: every "
        "run scores 0 there in binary measures, as in trec_eval",
    ]


def test_a_run_that_is_of_another_collection_by_one_judge(
    scored: list[object], confint: Confint
) -> None:
    text = "".join(f"{topic} Q0 z{topic} 1 1 x\n" for topic in range(1, 41))
    Path("runs/odd.run").write_text(text)
    Path("llm.qrels").write_text(Path("llm.qrels").read_text() + "3 0 z3 1\n")
    result = confint("interval", *scored, "runs/odd.run")
    assert result.err.splitlines()[0] == (
        "confint: warning: runs/odd.run: none of its documents, such as 'z1', is judged: is it "
        "from another collection?"
    )
    Path("human.qrels").write_text(Path("human.qrels").read_text() + "3 0 z3 1\n")
    judgements(Path("llm.qrels"), range(1, 41), wrong=0.4)
    result = confint("interval", *scored, "runs/odd.run")
    assert result.err.splitlines()[0] == (
        "confint: warning: runs/odd.run: none of its documents, such as 'z1', is judged by the "
        "judge: is it from another collection?"
    )


def test_a_run_without_topics_of_the_judge(scored: list[object], confint: Confint) -> None:
    changed(lambda lines: [line for line in lines if topic_of(line) > 3])
    kept = [line for line in Path("runs/bm25.run").read_text().splitlines() if topic_of(line) < 4]
    Path("runs/few.run").write_text("\n".join([*kept, ""]))
    assert_error(
        confint("interval", *scored, "runs/few.run"),
        1,
        "runs/few.run: shares no topic with llm.qrels",
        "the run has topics such as '1', the judgements '4'",
    )


# What a result says of the judge


@pytest.mark.parametrize(
    ("judge", "shown"),
    [("llm.tsv", "llm.tsv"), ("deep/in/llm.tsv", "llm.tsv"), ("-", "-")],
)
def test_a_signature_names_the_judge(
    judge: str, shown: str, tables: list[object], confint: Confint
) -> None:
    content = Path("llm.tsv").read_bytes()
    if "/" in judge:
        Path(judge).parent.mkdir(parents=True)
        Path(judge).write_bytes(content)
    result = confint("interval", tables[0], "--judge-scores", judge, "-f", "json", stdin=content)
    signature = json.loads(result.out)["signature"]
    assert (signature["judge"], signature["judge-topics"]) == (shown, "42")


# Errors from Python


def test_python_raises_the_same_errors(tables: list[object], scored: list[object]) -> None:
    assert scored
    with pytest.raises(DataError, match=r"^no/\{run\}\.eval: no file fits this judge_scores"):
        confint.interval(str(tables[0]), judge_scores="no/{run}.eval")
    with pytest.raises(confint.CallError, match="use only one of them"):
        confint.interval(str(tables[0]), judge_scores="x", judge_qrels="llm.qrels")
    found = confint.interval(FILES, qrels=Path("human.qrels"), judge_qrels=Path("llm.qrels"),
                             measure="nDCG@10")  # fmt: skip
    assert {(row.topics, row.human_topics) for row in found.rows} == {(40, 15)}
    assert found.facts["judge_topics"] == 40
    assert np.isfinite([row.effective_topics for row in found.rows]).all()
