"""Repeats of runs, such as training seeds, through the command line and from Python."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import confint_cli
from tests.conftest import Confint, records
from tests.robustness.hostile import KINDS

TOPICS, SEEDS = 12, 4
LABELS = ("--labels", "{run}.seed{repeat}.eval", "--labels", "{run}.eval")
Table = dict[str, np.ndarray]
"""The scores of each run, [repeat, topic]."""

Mean = tuple[float, float, float, float]
"""A mean, its se and df, and the share of the variance that is that of repeats."""


def drawn(
    seeds: dict[str, int] | None = None, topics: int = TOPICS, spread: float = 0.05, seed: int = 2
) -> Table:
    """Return scores of runs whose repeats differ by about `spread`."""
    random = np.random.default_rng(seed)
    common = random.uniform(0, 0.4, topics)
    table = {}
    for place, (run, number) in enumerate((seeds or {"a": SEEDS, "b": 3, "c": 5}).items()):
        moved = random.normal(0, spread, (number, 1)) + random.normal(0, 0.05, (number, topics))
        table[run] = (0.3 + common + 0.04 * place + moved).round(4)
    return table


def written(path: Path, table: Table, column: str = "seed") -> Path:
    lines = [f"run\t{column}\ttopic\tmeasure\tscore"]
    for run, scores in table.items():
        for repeat, of_repeat in enumerate(scores, 1):
            name = repeat if len(scores) > 1 else ""
            lines += [f"{run}\t{name}\t{topic}\tm\t{score}"
                      for topic, score in enumerate(of_repeat, 301)]  # fmt: skip
    path.write_text("\n".join([*lines, ""]))
    return path


def saved(folder: Path, table: Table) -> list[Path]:
    """Write a file for each run and seed, as trec_eval does."""
    files = []
    for run, scores in table.items():
        for repeat, of_repeat in enumerate(scores, 1):
            ending = f".seed{repeat}" if len(scores) > 1 else ""
            files.append(folder / f"{run}{ending}.eval")
            lines = [f"map\t{topic}\t{score}" for topic, score in enumerate(of_repeat, 301)]
            files[-1].write_text("\n".join([*lines, f"map\tall\t{of_repeat.mean():.4f}", ""]))
    return files


def squares(scores: np.ndarray) -> tuple[float, float]:
    """Return the mean squares of repeats and of the residuals of a two-way table."""
    number, topics = scores.shape
    of_repeats, of_topics = scores.mean(axis=1), scores.mean(axis=0)
    between = topics * ((of_repeats - scores.mean()) ** 2).sum() / (number - 1)
    residuals = scores - of_repeats[:, None] - of_topics + scores.mean()
    return between, (residuals**2).sum() / ((number - 1) * (topics - 1))


def by_hand(*runs: np.ndarray) -> Mean:
    """Return the mean of a run, or of the difference of two, after Satterthwaite."""
    means = [scores.mean(axis=0) for scores in runs]
    values = means[0] if len(runs) == 1 else means[0] - means[1]
    topics = len(values)
    parts = [(values.var(ddof=1) / topics, topics - 1.0)]
    added = 0.0
    for scores in runs:
        number = len(scores)
        between, within = squares(scores) if number > 1 else (0.0, 0.0)
        if between > within:
            added += (between - within) / (topics * number)
            parts += [(between / (topics * number), number - 1),
                      (within / (topics * number), (number - 1) * (topics - 1))]  # fmt: skip
    variance = parts[0][0] + added
    df = variance**2 / sum(part**2 / free for part, free in parts)
    return float(values.mean()), float(np.sqrt(variance)), float(df), float(added / variance)


def limits(mean: Mean, level: float = 0.95) -> tuple[float, float]:
    low, high = stats.t.interval(level, mean[2], mean[0], mean[1])
    return float(low), float(high)


@pytest.fixture
def table() -> Table:
    return drawn()


@pytest.fixture
def path(tmp_path: Path, table: Table) -> Path:
    return written(tmp_path / "seeds.tsv", table)


# Figures by hand


def test_the_interval_is_that_of_satterthwaite(confint: Confint, path: Path, table: Table) -> None:
    rows = {row["run"]: row for row in records(confint("interval", path, "--digits", 12))}
    for run, scores in table.items():
        mean = by_hand(scores)
        found = [float(rows[run][name]) for name in ("mean", "se", "df", "repeat_share")]
        assert found == pytest.approx(mean, rel=1e-8)
        assert mean[3] > 0
        found = [float(rows[run][name]) for name in ("low", "high", "sd")]
        sd = scores.mean(axis=0).std(ddof=1)
        assert found == pytest.approx([*limits(mean), sd], abs=1e-10)
        assert (rows[run]["topics"], rows[run]["repeats"]) == ("12", str(len(scores)))


def test_repeats_that_differ_by_chance_alone_add_nothing(confint: Confint, tmp_path: Path) -> None:
    table = drawn({"a": 3}, spread=0)
    balanced = table["a"] - table["a"].mean(axis=1, keepdims=True) + 0.5
    (row,) = records(confint("interval", written(tmp_path / "x.tsv", {"a": balanced}),
                             "--digits", 12))  # fmt: skip
    test = stats.ttest_1samp(balanced.mean(axis=0), 0)
    assert (float(row["low"]), float(row["high"])) == pytest.approx(
        [*test.confidence_interval()], abs=1e-10
    )
    assert (row["df"], float(row["repeat_share"])) == ("11", 0)


def test_differences_have_the_repeats_of_both_and_wins_count_topics(
    confint: Confint, path: Path, table: Table
) -> None:
    rows = records(confint("compare", path, "--baseline", "a", "--digits", 12))
    assert {row["run"] for row in rows} == {"b", "c"}
    for row in rows:
        mean = by_hand(table[row["run"]], table["a"])
        t = mean[0] / mean[1]
        wanted = {"difference": mean[0], "t": t, "df": mean[2], "repeat_share": mean[3],
                  "low": limits(mean)[0], "high": limits(mean)[1],
                  "p_t": 2 * stats.t.sf(abs(t), mean[2])}  # fmt: skip
        assert {name: float(row[name]) for name in wanted} == pytest.approx(wanted, rel=1e-8)
        differences = table[row["run"]].mean(axis=0) - table["a"].mean(axis=0)
        counts = [(differences > 0).sum(), (differences == 0).sum(), (differences < 0).sum()]
        assert [int(row[name]) for name in ("wins", "ties", "losses")] == counts
        assert (row["repeats"], row["baseline_repeats"]) == (str(len(table[row["run"]])), "4")


def test_paired_repeats_are_those_of_the_differences(confint: Confint, tmp_path: Path) -> None:
    table = drawn({"a": 4, "b": 4})
    path = written(tmp_path / "x.tsv", table)
    args = ("compare", path, "--baseline", "a", "--digits", 12)
    (row,) = records(confint(*args, "--paired-repeats"))
    mean = by_hand(table["b"] - table["a"])
    found = [float(row[name]) for name in ("difference", "df", "repeat_share", "low", "high")]
    assert found == pytest.approx([mean[0], mean[2], mean[3], *limits(mean)], rel=1e-8)
    (alone,) = records(confint(*args))
    assert float(alone["df"]) != pytest.approx(mean[2], rel=0.01)


def test_a_run_without_repeats_is_taken_as_sure_and_that_is_noted(
    confint: Confint, tmp_path: Path
) -> None:
    table = drawn({"a": 4, "bm25": 1})
    path = written(tmp_path / "x.tsv", table)
    rows = {row["run"]: row for row in records(confint("interval", path, "--digits", 12))}
    test = stats.ttest_1samp(table["bm25"][0], 0)
    found = [float(rows["bm25"][name]) for name in ("low", "high")]
    assert found == pytest.approx([*test.confidence_interval()], abs=1e-10)
    assert (rows["bm25"]["repeats"], rows["bm25"]["note"]) == ("1", "one repeat")
    assert rows["a"]["note"] == ""
    (row,) = records(confint("compare", path, "--baseline", "bm25", "--digits", 12))
    mean = by_hand(table["a"], table["bm25"])
    assert float(row["low"]) == pytest.approx(limits(mean)[0], rel=1e-8)
    assert (row["repeats"], row["baseline_repeats"], row["note"]) == (
        "4", "1", "baseline: one repeat"
    )  # fmt: skip


def test_two_repeats_are_noted_to_be_few(confint: Confint, tmp_path: Path) -> None:
    path = written(tmp_path / "x.tsv", drawn({"a": 2, "b": 3}))
    notes = {row["run"]: row["note"] for row in records(confint("interval", path))}
    assert notes == {"a": "few repeats", "b": ""}
    (row,) = records(confint("compare", path, "--baseline", "b"))
    assert row["note"] == "few repeats"


def test_degrees_of_freedom_are_never_fewer_than_one(confint: Confint, tmp_path: Path) -> None:
    """Four topics, three repeats: no less is known than two degrees of freedom say."""
    scores = np.array([[0.8, 0.05, 0.15, 0.2], [0.15, 0.8, 0.85, 0.55], [0.0, 0.05, 0.3, 0.4]])
    (row,) = records(confint("interval", written(tmp_path / "x.tsv", {"a": scores}), "--quiet"))
    assert float(row["repeat_share"]) > 0
    assert float(row["df"]) >= 1


def test_rank_sets_are_those_of_simultaneous_intervals(
    confint: Confint, path: Path, table: Table
) -> None:
    args = (path, "--quiet", "--digits", 12)
    pairs = records(confint("compare", "--all-pairs", "--simultaneous", *args))
    assert {row["method"] for row in pairs} == {"bonferroni-t"}
    for row in pairs:
        mean = by_hand(table[row["run"]], table[row["baseline"]])
        low, high = limits(mean, 1 - 0.05 / 3)
        assert (float(row["low"]), float(row["high"])) == pytest.approx((low, high), rel=1e-8)
        assert float(row["p_adjusted"]) == pytest.approx(min(1, 3 * float(row["p_t"])), rel=1e-8)
    better = {(row["run"], row["baseline"]) for row in pairs if float(row["low"]) > 0}
    better |= {(row["baseline"], row["run"]) for row in pairs if float(row["high"]) < 0}
    for row in records(confint("rank", *args)):
        assert int(row["rank_low"]) == 1 + sum(pair[1] == row["run"] for pair in better)
        assert int(row["rank_high"]) == 3 - sum(pair[0] == row["run"] for pair in better)
        assert row["first_share"] == ""


def test_rank_sets_tell_runs_apart_that_differ_much(confint: Confint, tmp_path: Path) -> None:
    table = drawn({"a": 4, "b": 4, "c": 4}, spread=0.01)
    table["c"] = (table["c"] + 0.5).round(4)
    rows = records(confint("rank", written(tmp_path / "x.tsv", table)))
    assert [(row["run"], row["rank_low"], row["rank_high"]) for row in rows[:1]] == [
        ("c", "1", "1")
    ]  # fmt: skip
    assert {row["rank_low"] for row in rows[1:]} == {"2"}


def test_a_description_is_of_means_over_repeats(confint: Confint, path: Path, table: Table) -> None:
    for row in records(confint("describe", path, "--digits", 12)):
        scores = table[row["run"]]
        means = scores.mean(axis=0)
        expected = [means.mean(), means.std(ddof=1), means.min(), by_hand(scores)[3]]
        found = [float(row[name]) for name in ("mean", "sd", "min", "repeat_share")]
        assert found == pytest.approx(expected, rel=1e-8)
        assert row["repeats"] == str(len(scores))


# Planning and coverage


def test_the_plan_of_one_run_gives_its_own_interval(confint: Confint, tmp_path: Path) -> None:
    table = drawn({"a": 5})
    path = written(tmp_path / "x.tsv", table)
    (row,) = records(confint("interval", path, "--digits", 14))
    half = (float(row["high"]) - float(row["low"])) / 2
    plan = records(confint("plan", path, "--digits", 14, "--quiet"))[0]
    assert float(plan["attained"]) == pytest.approx(half, rel=1e-6)
    assert float(plan["repeat_share"]) == pytest.approx(float(row["repeat_share"]), rel=1e-6)
    now = records(confint("plan", path, "--half-width", half * 1.000001, "--quiet"))[0]
    assert (now["topics_needed"], now["repeats_needed"]) == ("12", "5")


def test_a_plan_says_how_many_repeats_would_do_with_these_topics(
    confint: Confint, tmp_path: Path
) -> None:
    scores = drawn({"a": 5}, spread=0.15)["a"]
    path = written(tmp_path / "x.tsv", {"a": scores})
    between, within = squares(scores)
    of_repeats = (between - within) / TOPICS
    of_topics = scores.mean(axis=0).var(ddof=1) - within / 5

    def half_width(repeats: int) -> float:
        both = within / (TOPICS * repeats)
        own, added = of_topics / TOPICS + both, of_repeats / repeats
        parts = own**2 / (TOPICS - 1) + (added + both) ** 2 / (repeats - 1)
        parts += both**2 / ((repeats - 1) * (TOPICS - 1))
        df = (own + added) ** 2 / parts
        return float(stats.t.ppf(0.975, df) * np.sqrt(own + added))

    target = round(0.8 * half_width(5), 3)
    row = records(confint("plan", path, "--half-width", target, "--quiet"))[0]
    needed = int(row["repeats_needed"])
    assert needed > 5
    assert half_width(needed) <= target < half_width(needed - 1)
    assert row["repeats"] == "5"


def test_coverage_shows_what_ignores_the_repeats(confint: Confint, tmp_path: Path) -> None:
    path = written(tmp_path / "x.tsv", drawn({"a": 5}, topics=40, spread=0.1))
    args = ("coverage", path, "--replicates", 600, "--quiet")
    rows = {row["method"]: row for row in records(confint(*args))}
    assert [*rows] == ["t", "averaged-t", "one-repeat-t", "independent-t"]
    covered = {method: float(row["coverage"]) for method, row in rows.items()}
    assert covered["independent-t"] < 0.6
    assert covered["one-repeat-t"] < covered["t"]
    assert covered["averaged-t"] < covered["t"] - 0.1
    assert covered["t"] > 0.85
    assert {(row["repeats"], row["sample_size"]) for row in rows.values()} == {("5", "40")}
    summary = records(confint(*args, "--summary"))
    assert [row["method"] for row in summary] == [*rows]


# Ways in


def test_paths_and_a_column_give_the_same(confint: Confint, tmp_path: Path) -> None:
    table = drawn({"a": 4, "b": 3})
    files = saved(tmp_path, table)
    by_path = confint("compare", *files, *LABELS, "--all-pairs")
    assert by_path.err == ""
    in_table = written(tmp_path / "x.tsv", table)
    in_table.write_text(in_table.read_text().replace("\tm\t", "\tmap\t"))
    by_column = confint("compare", in_table, "--all-pairs")
    assert by_column.out == by_path.out
    assert by_column.err == (
        f"confint: note: {in_table}: column 'seed' is read as repeats; --labels none ignores it\n"
    )


def test_a_file_that_no_pattern_fits_is_an_error(confint: Confint, tmp_path: Path) -> None:
    files = saved(tmp_path, drawn({"a": 2, "bm25": 1}))
    result = confint("interval", *files, *LABELS[:2])
    assert (result.status, result.out) == (1, "")
    assert "bm25.eval: does not fit --labels '{run}.seed{repeat}.eval'" in result.err


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl"])
def test_scores_are_written_with_their_repeats_and_read_again(
    ending: str, confint: Confint, tmp_path: Path
) -> None:
    files = saved(tmp_path, drawn({"a": 4, "b": 3}))
    first, second = tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"
    assert confint("score", *files, *LABELS, "--digits", 17, "-o", first).status == 0
    assert confint("score", first, "--digits", 17, "-o", second).status == 0
    assert second.read_bytes() == first.read_bytes()
    for command in (["interval"], ["compare", "--all-pairs"], ["rank"], ["describe"], ["plan"]):
        assert confint(*command, first).out == confint(*command, *files, *LABELS).out
    if ending == "tsv":
        header, row = first.read_text().splitlines()[:2]
        assert header == "run\trepeat\ttopic\tmeasure\tscore"
        assert row.split("\t")[:3] == ["b", "1", "301"]


def test_a_run_without_repeats_is_written_and_read_again(confint: Confint, tmp_path: Path) -> None:
    files = saved(tmp_path, drawn({"a": 4, "bm25": 1}))
    first, second = tmp_path / "first.tsv", tmp_path / "second.tsv"
    assert confint("score", *files, *LABELS, "--digits", 17, "-o", first).status == 0
    result = confint("interval", first)
    assert result.out == confint("interval", *files, *LABELS).out
    assert len(result.err.splitlines()) == 1  # which column it is; nothing is odd
    assert confint("score", first, "--digits", 17, "-o", second).status == 0
    assert second.read_bytes() == first.read_bytes()


def test_the_layout_of_trec_eval_has_no_place_for_repeats(confint: Confint, tmp_path: Path) -> None:
    files = saved(tmp_path, drawn({"a": 3, "b": 3}))
    result = confint("score", *files, *LABELS, "--layout", "trec_eval", "-o", f"{tmp_path}/new/")
    assert (result.status, result.out) == (2, "")


def test_the_order_of_files_and_jobs_make_no_difference(confint: Confint, tmp_path: Path) -> None:
    files = saved(tmp_path, drawn({"a": 4, "b": 3, "c": 11, "bm25": 1}))
    for command in (["interval"], ["compare", "--all-pairs", "--simultaneous"], ["rank"],
                    ["coverage", "--replicates", "30"]):  # fmt: skip
        usual = confint(*command, *files, *LABELS, "--jobs", 1)
        assert usual.status == 0, usual.err
        assert confint(*command, *reversed(files), *LABELS, "--jobs", 2) == usual


def test_a_baseline_may_be_named_by_the_file_of_a_repeat(confint: Confint, tmp_path: Path) -> None:
    files = saved(tmp_path, drawn({"a": 2, "b": 3}))
    by_name = confint("compare", *files, *LABELS, "--baseline", "a")
    assert confint("compare", *files, *LABELS, "--baseline", files[1]).out == by_name.out


def test_from_python_it_is_the_same(confint: Confint, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = written(tmp_path / "x.tsv", drawn({"a": 4, "b": 4}))
    frame = pandas.read_csv(path, sep="\t")
    args = ("compare", path, "--baseline", "a", "--paired-repeats", "-f", "json")
    said = json.loads(confint(*args).out)
    result = confint_cli.compare(frame, baseline="a", paired_repeats=True)
    assert result.to_dicts() == said["rows"]
    assert result.sentence.startswith("For new repeats and new topics, ")
    kept = confint_cli.read(frame)
    assert [*kept.to_dicts()[0]] == ["run", "repeat", "topic", "measure", "score"]
    assert confint_cli.compare(kept, baseline="a", paired_repeats=True).to_dicts() == said["rows"]
    again = confint_cli.interval(pandas.DataFrame(kept.to_dicts()))
    assert again.to_dicts() == confint_cli.interval(frame).to_dicts()
    files = saved(tmp_path, drawn({"a": 4, "b": 4}))
    by_path = confint_cli.interval([*map(str, files)], labels=[LABELS[1], LABELS[3]])
    assert [row.repeats for row in by_path.rows] == [4, 4]
    with pytest.raises(confint_cli.CallError, match="is not for repeats of runs"):
        confint_cli.bayes(frame, baseline="a")


# Runs that are scored, and topics that are missing


def test_a_topic_that_a_repeat_finds_nothing_for_scores_0(confint: Confint, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    judged = [(topic, number, number % 2) for topic in range(1, 7) for number in range(6)]
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{topic} 0 d{number} {grade}\n" for topic, number, grade in judged))
    for run, seed in itertools.product("ab", (1, 2, 3)):
        rows = [f"{topic} Q0 d{number} 1 {random.random():.4f} x\n" for topic, number, _ in judged
                if (run, seed, topic) != ("a", 2, 4)]  # fmt: skip
        (tmp_path / f"{run}.seed{seed}.run").write_text("".join(rows))
    files = sorted(tmp_path.glob("*.run"))
    args = ("-q", qrels, "-m", "RR", "--labels", "{run}.seed{repeat}.run", *files)
    result = confint("interval", *args)
    assert "1 run lacks some of the 6 topics: a, repeat 2 lacks 1; scored 0 there" in result.err
    notes = {row["run"]: row["note"] for row in records(result)}
    assert notes["a"].endswith("1 topic missing")
    assert "missing" not in notes["b"]
    scores = {(row["run"], row["repeat"], row["topic"]): float(row["score"])
              for row in records(confint("score", *args, "--quiet"))}  # fmt: skip
    assert scores["a", "2", "4"] == 0
    assert min(scores["a", "1", "4"], scores["a", "3", "4"]) > 0


@pytest.mark.parametrize("command", [["interval"], ["compare", "--baseline", "a"], ["score"]])
def test_an_incomplete_grid_is_an_error_unless_the_user_says_what_to_do(
    command: list[str], confint: Confint, tmp_path: Path
) -> None:
    path = written(tmp_path / "x.tsv", drawn({"a": 3, "b": 3}))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("b\t2\t305\t")))
    result = confint(*command, path)
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith(
        "confint: on m, repeat '2' of 'b' lacks topics that its other repeats have: 305\n  hint: "
    )
    for missing, words in (("zero", "scored 0 there"), ("drop", "1 topic dropped for all runs")):
        allowed = confint(*command, path, "--missing", missing)
        assert allowed.status == 0
        assert f"b, repeat 2 lacks 1; {words}" in allowed.err


# Rows, words and figures


WORDS = (
    ["interval"],
    ["compare", "--baseline", "a"],
    ["compare", "--all-pairs", "--simultaneous"],
    ["rank"],
    ["coverage", "--replicates", "20"],
)


def test_every_title_and_sentence_says_whom_it_is_for(
    confint: Confint, path: Path, tmp_path: Path
) -> None:
    for command in WORDS:
        text = confint(*command, path, "-f", "table", "--quiet").out
        assert "for new repeats and new topics" in " ".join(text.split()), command
    title = confint("interval", path, "-f", "table", "--quiet").out.splitlines()[0]
    assert title == "m, 12 topics, for new repeats and new topics"
    two = written(tmp_path / "two.tsv", drawn({"a": 3, "b": 3}))
    one = " ".join(confint("compare", two, "--baseline", "a", "-f", "table", "--quiet").out.split())
    assert "For new repeats and new topics, b and a cannot be told apart: the difference is" in one
    plan = " ".join(confint("plan", path, "-f", "table", "--quiet").out.split())
    assert "repeats like these, the 95% interval of a typical run's m is" in plan


def test_further_columns_are_there_with_repeats_only(
    confint: Confint, path: Path, tmp_path: Path
) -> None:
    one = written(tmp_path / "one.tsv", drawn({"a": 1, "b": 1}))
    header = confint("interval", one).out.splitlines()[0].split("\t")
    assert not {"repeats", "df", "repeat_share"} & {*header}
    refused = confint("interval", one, "--columns", "run,repeats")
    assert (refused.status, refused.err) == (
        2, "confint: there is no column 'repeats' without repeats of runs\n"
    )  # fmt: skip
    chosen = confint("interval", path, "--columns", "run,repeats,repeat_share").out
    assert chosen.splitlines()[0] == "run\trepeats\trepeat_share"
    assert "groups" not in confint("interval", path).out.splitlines()[0]


def test_figures_are_drawn(confint: Confint, path: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for command in WORDS:
        figure = tmp_path / "x.svg"
        result = confint(*command, path, "--plot", figure)
        assert result.status == 0, result.err
        assert figure.read_text().startswith("<?xml")


def test_the_signature_says_whether_repeats_are_paired(confint: Confint, tmp_path: Path) -> None:
    path = written(tmp_path / "x.tsv", drawn({"a": 3, "b": 3}))
    args = ("compare", path, "--baseline", "a", "-f", "json")
    alone, paired = (json.loads(confint(*args, *more).out)["signature"]
                     for more in ((), ("--paired-repeats",)))  # fmt: skip
    assert alone != paired


# With collections, and with groups


def of_collections(tables: dict[str, Table], path: Path, *, grouped: bool = False) -> Path:
    lines = ["run\tcollection\tseed\tgroup\ttopic\tmeasure\tscore" if grouped
             else "run\tcollection\tseed\ttopic\tmeasure\tscore"]  # fmt: skip
    for name, table in tables.items():
        for run, scores in table.items():
            for (repeat, topic), score in np.ndenumerate(scores):
                group = f"{name}{topic // 3}\t" if grouped else ""
                lines.append(f"{run}\t{name}\t{repeat}\t{group}{topic}\tm\t{score}")
    path.write_text("\n".join([*lines, ""]))
    return path


def test_a_repeat_is_one_model_in_all_collections(confint: Confint, tmp_path: Path) -> None:
    tables = {"fiqa": drawn({"a": 4, "b": 4}, 9, spread=0.1, seed=5),
              "nq": drawn({"a": 4, "b": 4}, 15, spread=0.1, seed=6)}  # fmt: skip
    path = of_collections(tables, tmp_path / "x.tsv")
    rows = {(row["run"], row["collection"]): row
            for row in records(confint("interval", path, "--digits", 12, "--quiet"))}  # fmt: skip
    for run in ("a", "b"):
        parts = [(table[run].mean(axis=0).var(ddof=1) / table[run].shape[1] / 4,
                  table[run].shape[1] - 1.0) for table in tables.values()]  # fmt: skip
        macro = np.mean([table[run].mean(axis=1) for table in tables.values()], axis=0)
        of_macro = macro.var(ddof=1) / 4
        within = [(squares(table[run])[1] / (table[run].shape[1] * 4) / 4,
                   (table[run].shape[1] - 1) * 3) for table in tables.values()]  # fmt: skip
        added = of_macro - sum(part for part, _ in within)
        assert added > 0
        variance = sum(part for part, _ in parts) + added
        every = [*parts, (of_macro, 3), *within]
        df = variance**2 / sum(part**2 / free for part, free in every)
        of_all = rows[run, "macro"]
        found = [float(of_all[name]) for name in ("mean", "se", "df", "repeat_share")]
        expected = [macro.mean(), np.sqrt(variance), df, added / variance]
        assert found == pytest.approx(expected, rel=1e-8)
        assert (of_all["repeats"], of_all["collections"]) == ("4", "2")
        own = by_hand(tables["nq"][run])
        assert float(rows[run, "nq"]["se"]) == pytest.approx(own[1], rel=1e-8)
    text = confint("compare", path, "--baseline", "a", "-f", "table", "--quiet").out
    assert "for new repeats and new topics of these 2 collections" in " ".join(text.split())


def test_paths_may_have_collections_and_repeats(confint: Confint, tmp_path: Path) -> None:
    for name in ("nq", "fiqa"):
        (tmp_path / name).mkdir()
        saved(tmp_path / name, drawn({"a": 3, "b": 3}, seed=len(name)))
    files = sorted(tmp_path.glob("*/*.eval"))
    result = confint("interval", *files, "--labels", "{collection}/{run}.seed{repeat}.eval")
    rows = records(result)
    assert [(row["run"], row["collection"], row["repeats"]) for row in rows] == [
        (run, name, "3") for run in dict.fromkeys(row["run"] for row in rows)
        for name in ("fiqa", "nq", "macro")
    ]  # fmt: skip
    refused = confint("interval", *files[1:], "--labels", "{collection}/{run}.seed{repeat}.eval")
    assert refused.status == 1
    assert "'a, repeat 1' lacks collection fiqa" in refused.err


@pytest.mark.parametrize("grouped", [False, True])
def test_what_combined_designs_have_not_is_refused(
    grouped: bool, confint: Confint, tmp_path: Path
) -> None:
    tables = {name: drawn({"a": 3, "b": 3}, seed=len(name)) for name in ("nq", "fiqa")}
    path = of_collections(tables, tmp_path / "x.tsv", grouped=grouped)
    groups = ", groups of topics" if grouped else ""
    every = f"several collections{groups} and repeats of runs"
    for args, said in (
        (["plan"], f"plan takes one kind of design, not {every} together"),
        (["coverage"], f"coverage draws samples of one kind of design, not of {every} together"),
        (["compare", "--baseline", "a", "--meta"], "--meta treats collections as independent"),
        (["compare", "--baseline", "a", "--test", "randomization"], f"is not for {every}: it"),
        (["interval", "--method", "bca"], f"bca is not for {every}: a few repeats cannot"),
        (["bayes", "--baseline", "a"], f"confint bayes is not for {every}"),
    ):
        result = confint(*args, path, "--quiet")
        assert (result.status, result.out) == (2, ""), args
        assert said in result.err
    whom = "groups" if grouped else "topics"
    title = confint("interval", path, "-f", "table", "--quiet").out
    words = f"for new repeats and new {whom} of these 2 collections"
    assert words in " ".join(title.split())


def test_groups_and_repeats_go_together(confint: Confint, tmp_path: Path) -> None:
    """Of groups of one size, it is the two-way table of the groups' means."""
    table = drawn({"a": 4, "b": 4}, topics=24, spread=0.1)
    lines = ["run\tseed\tsession\ttopic\tmeasure\tscore"]
    for run, scores in table.items():
        lines += [f"{run}\t{repeat}\t{topic // 3}\t{topic}\tm\t{score}"
                  for (repeat, topic), score in np.ndenumerate(scores)]  # fmt: skip
    path = tmp_path / "x.tsv"
    path.write_text("\n".join([*lines, ""]))
    in_groups = {run: scores.reshape(4, 8, 3).mean(axis=2) for run, scores in table.items()}
    for row in records(confint("interval", path, "--digits", 12)):
        mean = by_hand(in_groups[row["run"]])
        found = [float(row[name]) for name in ("mean", "se", "df", "repeat_share")]
        assert found == pytest.approx(mean, rel=1e-8)
        assert (row["groups"], row["repeats"], row["topics"]) == ("8", "4", "24")
    (row,) = records(confint("compare", path, "--baseline", "a", "--digits", 12))
    mean = by_hand(in_groups["b"], in_groups["a"])
    assert [float(row["low"]), float(row["high"])] == pytest.approx(limits(mean), rel=1e-8)
    text = " ".join(confint("rank", path, "-f", "table", "--quiet").out.split())
    assert "for new repeats and new sessions like these 8" in text


# What is refused


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["interval", "--method", "logit"], "logit is not for repeats of runs: it is for"),
        (["interval", "--method", "wilson"], "wilson is not for repeats of runs: it is for"),
        (["interval", "--method", "percentile"], "a few repeats cannot be resampled to stand for"),
        (["rank", "--method", "bootstrap-t"], "bootstrap-t is not for repeats of runs"),
        (["coverage", "--method", "bca"], "bca is not for repeats of runs"),
        (["compare", "--baseline", "a", "--test", "wilcoxon"],
         "--test wilcoxon is not for repeats of runs: it ranks topics"),
        (["compare", "--baseline", "a", "--test", "tukey"], "--test tukey is not for repeats"),
        (["compare", "--baseline", "a", "--test", "t,randomization"],
         "--test randomization is not for repeats of runs: it flips topics"),
        (["compare", "--baseline", "a", "--correct", "max-t"],
         "--correct bonferroni agrees with the simultaneous intervals for repeats of runs"),
        (["compare", "--baseline", "a", "--simultaneous", "--strict"],
         "--strict is for max-t, which is not available for repeats of runs"),
        (["compare", "--baseline", "a", "--unpaired"],
         "--unpaired is for runs on different topics, not for repeats of runs"),
        (["compare", "--baseline", "a", "--paired-repeats"],
         "--paired-repeats needs the same repeats of both runs: 'c' has 1, 2, 3, 4, 5 and 'a' has "
         "1, 2, 3, 4"),
        (["bayes", "--baseline", "a"], "confint bayes is not for repeats of runs: a posterior"),
        (["risk", "--baseline", "a"], "confint risk is not for repeats of runs: risk is"),
        (["standardize"], "confint standardize is not for repeats of runs: factors are"),
        (["interval", "--standardize", "all"], "--standardize is not for repeats of runs"),
        (["coverage", "--standardize", "2"], "--standardize is not for repeats of runs"),
        (["coverage", "--without-replacement"], "--without-replacement is for plain topics"),
        (["interval", "--group-weight", "equal"], "--group-weight is for topics in groups"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused_with_the_reason(
    args: list[str], said: str, confint: Confint, path: Path
) -> None:
    result = confint(*args, path, "--quiet")
    assert (result.status, result.out) == (2, "")
    assert said in result.err
    assert len(result.err.splitlines()) <= 2


def test_strict_rank_sets_are_refused_as_well(confint: Confint, path: Path) -> None:
    result = confint("rank", path, "--strict", "--quiet")
    assert (result.status, result.out) == (2, "")


def test_all_tests_and_methods_are_those_that_there_are(confint: Confint, path: Path) -> None:
    rows = records(confint("compare", path, "--baseline", "a", "--test", "all"))
    assert all(row["p_t"] for row in rows)
    assert not any(row["p_randomization"] or row["p_wilcoxon"] or row["p_tukey"] for row in rows)
    methods = {row["method"] for row in records(confint("interval", path, "--method", "all"))}
    assert methods == {"t"}


def test_paired_repeats_without_repeats_are_refused(confint: Confint, tmp_path: Path) -> None:
    plain = written(tmp_path / "x.tsv", drawn({"a": 1, "b": 1}))
    result = confint("compare", plain, "--baseline", "a", "--paired-repeats", "--quiet")
    assert (result.status, result.out) == (2, "")
    said = "confint: --paired-repeats is for runs with repeats, and these runs have none\n"
    assert result.err.startswith(said)
    assert "--labels '{run}.seed{repeat}.eval'" in result.err


def test_without_the_column_repeats_are_rows_of_one_topic(confint: Confint, path: Path) -> None:
    result = confint("interval", path, "--labels", "none")
    assert (result.status, result.out) == (1, "")
    assert "a second row for topic '301' and 'm' of run 'a'" in result.err


# Strangers' names


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.has_bytes])
def test_strangers_names_of_repeats_break_nothing(
    kind: str, confint: Confint, tmp_path: Path
) -> None:
    hostile = KINDS[kind]
    rows = [
        {"run": run, "repeat": repeat, "topic": f"{topic}", "measure": "m",
         "score": (topic * 7 + len(run) + len(repeat)) % 10 / 10}
        for run in ("a", "bb") for repeat in (hostile.text, "plain") for topic in range(9)
    ]  # fmt: skip
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for form in ("table", "tsv", "csv", "markdown", "latex", "json"):
        for command in (["compare", "--baseline", "a", "--paired-repeats"], ["score"]):
            result = confint(*command, path, "-f", form)
            assert result.status == 0, result.err
            said = result.out + result.err
            assert not [letter for letter in said if letter in "\x1b\x07\u202e\0"]
    found = {row["repeat"] for row in json.loads(confint("score", path, "-f", "json").out)["rows"]}
    assert len(found) == 2
    assert {row["repeats"] for row in records(confint("interval", path))} == {"2"}


def test_strangers_names_are_told_without_harm(confint: Confint, tmp_path: Path) -> None:
    table = drawn({"a": 3, "b": 3})
    path = written(tmp_path / "x.tsv", table)
    lines = path.read_text().replace("\n" + "b\t2\t", "\nb\t\x1b[31mred\t").splitlines()
    path.write_text("\n".join([line for line in lines if "red\t305" not in line] + [""]))
    result = confint("interval", path)
    assert result.status == 1
    assert "repeat '\\e[31mred' of 'b' lacks topics" in result.err
    assert "\x1b" not in result.err
