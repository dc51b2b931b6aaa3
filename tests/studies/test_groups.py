"""Topics in groups, such as turns of conversations, through the command line and from Python."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import confint_cli
from tests.conftest import Confint, records
from tests.robustness.hostile import KINDS

SIZES = (3, 5, 2, 6, 4, 1, 4, 7)
RUNS = ("a", "b", "c")
Table = dict[str, np.ndarray]
"""The scores of each run on all topics, group by group."""


def drawn(sizes: tuple[int, ...] = SIZES, runs: tuple[str, ...] = RUNS, seed: int = 4) -> Table:
    """Return scores of which those of one group are alike."""
    random = np.random.default_rng(seed)
    common = np.repeat(random.uniform(0, 0.4, len(sizes)), sizes)
    return {
        run: (
            common
            + 0.05 * place
            + np.repeat(random.uniform(0, 0.1, len(sizes)), sizes)
            + random.uniform(0, 0.3, sum(sizes))
        ).round(4)
        for place, run in enumerate(runs)
    }


def topics_of(sizes: tuple[int, ...] = SIZES) -> list[tuple[str, str]]:
    """Return the group and the id of each topic."""
    return [(f"{31 + place}", f"{31 + place}_{turn}") for place, size in enumerate(sizes)
            for turn in range(1, size + 1)]  # fmt: skip


def written(
    path: Path, table: Table, sizes: tuple[int, ...] = SIZES, column: str = "conversation"
) -> Path:
    """Write a long table; without the name of a `column`, only ids tell the groups."""
    header = ["run", *([column] if column else []), "topic", "measure", "score"]
    lines = ["\t".join(header)]
    for run, scores in table.items():
        for (group, topic), score in zip(topics_of(sizes), scores, strict=True):
            cells = [run, *([group] if column else []), topic, "m", str(score)]
            lines.append("\t".join(cells))
    path.write_text("\n".join([*lines, ""]))
    return path


def by_hand(scores: np.ndarray, sizes: tuple[int, ...] = SIZES) -> dict[str, float]:
    """Return mean, se and df after Bell and McCaffrey: CR2 with their degrees of freedom."""
    m, total = np.array(sizes, float), len(scores)
    sums = np.add.reduceat(scores - scores.mean(), np.cumsum([0, *sizes[:-1]]))
    a = 1 / (1 - m / total)
    variance = (a * sums**2).sum() / total**2
    df = total**2 / (
        ((a * m) ** 2).sum() - 2 * (a**2 * m**3).sum() / total + ((a * m**2).sum() / total) ** 2
    )
    effect = variance / (scores.var(ddof=1) / total)
    return {"mean": scores.mean(), "se": np.sqrt(variance), "df": df, "design_effect": effect}


def means_of(scores: np.ndarray, sizes: tuple[int, ...] = SIZES) -> np.ndarray:
    return np.add.reduceat(scores, np.cumsum([0, *sizes[:-1]])) / np.array(sizes)


@pytest.fixture
def table() -> Table:
    return drawn()


@pytest.fixture
def path(tmp_path: Path, table: Table) -> Path:
    return written(tmp_path / "turns.tsv", table)


# Figures by hand


def test_the_interval_is_cr2_with_the_degrees_of_freedom_of_bell_and_mccaffrey(
    confint: Confint, path: Path, table: Table
) -> None:
    rows = {row["run"]: row for row in records(confint("interval", path, "--digits", 12))}
    for run in RUNS:
        expected = by_hand(table[run])
        low, high = stats.t.interval(0.95, expected["df"], expected["mean"], expected["se"])
        expected |= {"low": low, "high": high, "sd": table[run].std(ddof=1)}
        assert {name: float(rows[run][name]) for name in expected} == pytest.approx(
            expected, abs=1e-10
        )
        assert (rows[run]["topics"], rows[run]["groups"]) == ("32", "8")
        assert float(rows[run]["design_effect"]) > 1


def test_groups_of_one_size_are_the_t_interval_of_their_means(
    confint: Confint, tmp_path: Path
) -> None:
    sizes = (4,) * 7
    table = drawn(sizes)
    path = written(tmp_path / "x.tsv", table, sizes)
    for row in records(confint("interval", path, "--digits", 12)):
        test = stats.ttest_1samp(means_of(table[row["run"]], sizes), 0)
        found = [float(row[name]) for name in ("low", "high")]
        assert found == pytest.approx([*test.confidence_interval()], abs=1e-10)
        assert row["df"] == "6"


def test_groups_that_count_alike_are_the_t_interval_of_their_means(
    confint: Confint, path: Path, table: Table
) -> None:
    for row in records(confint("interval", path, "--group-weight", "equal", "--digits", 12)):
        means = means_of(table[row["run"]])
        low, high = stats.ttest_1samp(means, 0).confidence_interval()
        found = [float(row[name]) for name in ("mean", "low", "high")]
        assert found == pytest.approx([means.mean(), low, high], abs=1e-10)
        assert row["df"] == "7"
    usual = records(confint("interval", path))
    assert float(usual[0]["mean"]) != pytest.approx(means_of(table["c"]).mean(), abs=1e-3)


def test_differences_are_those_of_groups_and_wins_those_of_topics(
    confint: Confint, path: Path, table: Table
) -> None:
    rows = records(confint("compare", path, "--baseline", "a", "--digits", 12))
    assert [row["run"] for row in rows] == ["c", "b"]
    for row in rows:
        differences = table[row["run"]] - table["a"]
        expected = by_hand(differences)
        t = expected["mean"] / expected["se"]
        low, high = stats.t.interval(0.95, expected["df"], expected["mean"], expected["se"])
        wanted = {"difference": expected["mean"], "t": t, "df": expected["df"], "low": low,
                  "high": high, "design_effect": expected["design_effect"],
                  "mean": table[row["run"]].mean(), "baseline_mean": table["a"].mean(),
                  "glass_delta": differences.mean() / table["a"].std(ddof=1)}  # fmt: skip
        assert {name: float(row[name]) for name in wanted} == pytest.approx(wanted, rel=1e-8)
        assert float(row["p_t"]) == pytest.approx(2 * stats.t.sf(abs(t), expected["df"]), rel=1e-8)
        counts = [(differences > 0).sum(), (differences == 0).sum(), (differences < 0).sum()]
        assert [int(row[name]) for name in ("wins", "ties", "losses")] == counts
        assert sum(counts) == 32


def test_the_randomization_test_flips_whole_groups(
    confint: Confint, path: Path, table: Table
) -> None:
    rows = records(confint("compare", path, "--baseline", "a", "--test", "randomization",
                           "--digits", 12))  # fmt: skip
    signs = np.array([*itertools.product((-1, 1), repeat=len(SIZES))])
    for row in rows:
        differences = table[row["run"]] - table["a"]
        sums = np.add.reduceat(differences, np.cumsum([0, *SIZES[:-1]]))
        flipped = np.abs(signs @ sums)
        p = (flipped >= abs(sums.sum()) - 1e-12).mean()
        assert float(row["p_randomization"]) == pytest.approx(p, rel=1e-9)
        assert 0 < p < 1


def test_a_bootstrap_draws_groups(confint: Confint, path: Path, table: Table) -> None:
    """Drawn by hand, as many as make the quantiles sure to about three digits."""
    (row,) = [row for row in records(confint("interval", path, "--method", "percentile",
                                             "--digits", 12)) if row["run"] == "b"]  # fmt: skip
    sums = np.add.reduceat(table["b"], np.cumsum([0, *SIZES[:-1]]))
    places = np.random.default_rng(1).integers(0, len(SIZES), (100_000, len(SIZES)))
    means = sums[places].sum(axis=1) / np.array(SIZES)[places].sum(axis=1)
    expected = np.quantile(means, [0.025, 0.975])
    assert [float(row["low"]), float(row["high"])] == pytest.approx(expected, abs=2e-3)
    topics = np.random.default_rng(2).choice(table["b"], (20_000, len(table["b"]))).mean(axis=1)
    of_topics = float(np.quantile(topics, 0.025))
    assert abs(float(row["low"]) - of_topics) > 0.02  # which would be another interval


def test_rank_sets_are_those_of_simultaneous_intervals(confint: Confint, tmp_path: Path) -> None:
    sizes = (3, 5, 2, 6, 4, 1, 4, 7, 5, 5, 3, 4, 2, 6, 5, 4)
    path = written(tmp_path / "x.tsv", drawn(sizes), sizes)
    pairs = records(confint("compare", path, "--all-pairs", "--simultaneous", "--quiet"))
    assert {row["method"] for row in pairs} == {"max-t"}
    better = {(row["run"], row["baseline"]) for row in pairs if float(row["low"]) > 0}
    better |= {(row["baseline"], row["run"]) for row in pairs if float(row["high"]) < 0}
    assert better
    ranked = records(confint("rank", path, "--quiet"))
    for row in ranked:
        assert int(row["rank_low"]) == 1 + sum(pair[1] == row["run"] for pair in better)
        assert int(row["rank_high"]) == 3 - sum(pair[0] == row["run"] for pair in better)
        assert row["groups"] == "16"
    assert sum(float(row["first_share"]) for row in ranked) == pytest.approx(1, abs=1e-3)


def test_a_description_is_of_topics(confint: Confint, path: Path, table: Table) -> None:
    for row in records(confint("describe", path, "--digits", 12)):
        scores = table[row["run"]]
        expected = [scores.mean(), scores.std(ddof=1), np.median(scores), scores.max()]
        found = [float(row[name]) for name in ("mean", "sd", "median", "max")]
        assert found == pytest.approx(expected, abs=1e-10)
        assert (row["topics"], row["groups"]) == ("32", "8")
        effect = by_hand(scores)["design_effect"]
        assert float(row["design_effect"]) == pytest.approx(effect, rel=1e-8)


# Planning and coverage


def test_the_plan_of_one_run_gives_its_own_interval(confint: Confint, tmp_path: Path) -> None:
    path = written(tmp_path / "x.tsv", drawn(runs=("a",)))
    (row,) = records(confint("interval", path, "--digits", 14))
    half = (float(row["high"]) - float(row["low"])) / 2
    plan = records(confint("plan", path, "--digits", 14, "--quiet"))[0]
    assert float(plan["attained"]) == pytest.approx(half, rel=1e-8)
    assert (plan["topics_now"], plan["groups"], plan["sd"]) == ("32", "8", "")


def test_a_plan_counts_groups(confint: Confint, tmp_path: Path) -> None:
    sizes = (4,) * 9
    table = drawn(sizes)
    path = written(tmp_path / "x.tsv", table, sizes)
    rows = records(confint("plan", path, "--half-width", "0.03", "--digits", 12, "--quiet"))
    of_mean, of_difference = rows
    variance = np.mean([means_of(table[run], sizes).var(ddof=1) for run in RUNS])
    every_two = [means_of(table[one] - table[other], sizes).var(ddof=1)
                 for one, other in itertools.combinations(RUNS, 2)]  # fmt: skip
    for row, spread in ((of_mean, variance), (of_difference, np.mean(every_two))):
        needed = int(row["groups_needed"])
        half = [stats.t.ppf(0.975, number - 1) * np.sqrt(spread / number)
                for number in (needed - 1, needed)]  # fmt: skip
        assert half[1] <= 0.03 < half[0]
        assert int(row["groups_needed_high"]) > needed
        assert (row["topics_needed"], row["topics_needed_high"]) == ("", "")
        assert 0 <= float(row["group_share"]) <= 1
    assert float(of_mean["group_share"]) > 0.5


def test_coverage_shows_what_ignores_the_groups(confint: Confint, tmp_path: Path) -> None:
    sizes = (10,) * 20
    random = np.random.default_rng(0)
    scores = np.repeat(random.uniform(0, 1, 20), 10) + random.uniform(0, 0.1, 200)
    path = written(tmp_path / "x.tsv", {"a": scores.round(4)}, sizes)
    args = ("coverage", path, "--method", "t", "--replicates", 600, "--quiet")
    rows = records(confint(*args))
    assert [row["method"] for row in rows] == ["t", "independent-t"]
    assert [(row["groups"], row["sample_size"]) for row in rows] == [("20", "")] * 2
    right, wrong = (float(row["coverage"]) for row in rows)
    assert wrong < 0.65 < 0.9 < right
    summary = records(confint(*args, "--summary"))
    assert [(row["method"], row["groups"]) for row in summary] == [
        ("t", "20"), ("independent-t", "20"),
    ]  # fmt: skip
    smaller = records(confint(*args, "--sample-size", 5))
    assert [row["groups"] for row in smaller] == ["5", "5"]


# Ways in


def test_a_column_a_pattern_and_a_file_give_the_same(
    confint: Confint, path: Path, table: Table, tmp_path: Path
) -> None:
    plain = written(tmp_path / "plain.tsv", table, column="")
    listed = tmp_path / "turns.csv"
    listed.write_text("".join(f"{topic},{group}\n" for group, topic in topics_of()))
    usual = confint("compare", path, "--all-pairs", "--test", "t,randomization")
    assert usual.err == (
        f"confint: note: {path}: column 'conversation' is read as groups of topics; --labels "
        "none ignores it\n"
    )
    for by in ("{group}_{}", listed):
        again = confint("compare", plain, "--groups", by, "--all-pairs", "--test",
                        "t,randomization")  # fmt: skip
        assert (again.out, again.err) == (usual.out, "")
    none = confint("interval", path, "--labels", "none")
    assert none.out == confint("interval", plain).out
    assert "groups" not in none.out.splitlines()[0]


def test_scores_are_written_with_their_groups_and_read_again(
    confint: Confint, table: Table, tmp_path: Path
) -> None:
    plain = written(tmp_path / "plain.tsv", table, column="")
    given = ("--groups", "{group}_{}")
    for ending in ("tsv", "csv", "jsonl"):
        saved, again = tmp_path / f"saved.{ending}", tmp_path / f"again.{ending}"
        assert confint("score", plain, *given, "--digits", 17, "-o", saved).status == 0
        assert confint("score", saved, "--digits", 17, "-o", again).status == 0
        assert again.read_bytes() == saved.read_bytes()
        for command in (["interval"], ["compare", "--all-pairs"], ["rank"], ["describe"]):
            assert confint(*command, saved).out == confint(*command, plain, *given).out
    header, first = (tmp_path / "saved.tsv").read_text().splitlines()[:2]
    assert header == "run\ttopic\tgroup\tmeasure\tscore"
    assert first.split("\t")[:3] == ["c", "31_1", "31"]


def test_the_order_of_rows_and_jobs_make_no_difference(
    confint: Confint, table: Table, tmp_path: Path
) -> None:
    files = [written(tmp_path / f"{run}.tsv", {run: table[run]}) for run in RUNS]
    mixed = tmp_path / "mixed.tsv"
    header, *lines = written(mixed, table).read_text().splitlines()
    random = np.random.default_rng(0)
    mixed.write_text("\n".join([header, *random.permutation(lines), ""]))
    for command in (["interval", "--method", "t,bca,bootstrap-t"],
                    ["compare", "--all-pairs", "--simultaneous"], ["rank"]):  # fmt: skip
        usual = confint(*command, *files, "--jobs", 1, "--quiet")
        assert usual.status == 0
        assert confint(*command, *reversed(files), "--jobs", 2, "--quiet") == usual
        assert confint(*command, mixed, "--quiet") == usual


def test_groups_of_single_topics_give_the_plain_result_and_say_so(
    confint: Confint, table: Table, tmp_path: Path
) -> None:
    plain = written(tmp_path / "plain.tsv", table, column="")
    result = confint("interval", plain, "--groups", "{group}")
    assert result.out == confint("interval", plain).out
    assert result.err == (
        "confint: note: every topic is its own group by '{group}': nothing is grouped\n"
    )


def test_topics_and_every_leave_groups_smaller(
    confint: Confint, path: Path, table: Table, tmp_path: Path
) -> None:
    listed = tmp_path / "topics"
    chosen = [place for place, (_, topic) in enumerate(topics_of()) if topic[-1] in "12"]
    listed.write_text("".join(f"{topics_of()[place][1]}\n" for place in chosen))
    (row,) = [row for row in records(confint("interval", path, "--topics", listed, "--digits", 12))
              if row["run"] == "a"]  # fmt: skip
    sizes = tuple(min(2, size) for size in SIZES)
    assert float(row["se"]) == pytest.approx(by_hand(table["a"][chosen], sizes)["se"], rel=1e-8)
    every = records(confint("interval", path, "--every", 3))
    assert {(row["topics"], row["groups"]) for row in every} == {("11", "7")}
    of_single = confint("interval", path, "--every", 8)  # one of each group that is left
    assert "groups" not in of_single.out.splitlines()[0]


def test_from_python_it_is_the_same(confint: Confint, path: Path, table: Table) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(path, sep="\t", dtype={"conversation": str})
    said = json.loads(confint("interval", path, "-f", "json").out)["rows"]
    assert confint_cli.interval(frame).to_dicts() == said
    plain = frame.drop(columns="conversation")
    assert confint_cli.interval(plain, groups="{group}_{}").to_dicts() == said
    equal = confint_cli.interval(plain, groups="{group}_{}", group_weight="equal")
    assert equal.rows[0].mean == pytest.approx(means_of(table["c"]).mean())
    kept = confint_cli.read(frame)
    assert confint_cli.interval(kept).to_dicts() == said
    assert [*kept.to_dicts()[0]] == ["run", "topic", "group", "measure", "score"]
    result = confint_cli.compare(kept, baseline="a")
    assert result.sentence.startswith("For new conversations like these 8, c and a cannot be told")
    assert "groups:8|grouped-by:conversation|group-weight:size" in result.signature


# Rows, words and figures


WORDS = (
    ["interval"],
    ["compare", "--baseline", "a"],
    ["compare", "--all-pairs", "--simultaneous"],
    ["rank"],
    ["coverage", "--replicates", "20", "--method", "t"],
)


def test_every_title_and_sentence_says_whom_it_is_for(
    confint: Confint, path: Path, table: Table, tmp_path: Path
) -> None:
    plain = written(tmp_path / "plain.tsv", table, column="")
    for command in WORDS:
        text = confint(*command, path, "-f", "table", "--quiet").out
        assert "for new conversations like these 8" in " ".join(text.split()), command
        text = confint(*command, plain, "--groups", "{group}_{}", "-f", "table", "--quiet").out
        assert "for new groups like these 8" in " ".join(text.split()), command
    title = confint("interval", path, "-f", "table", "--quiet").out.splitlines()[0]
    assert title == "m, 32 topics in 8 conversations, for new conversations like these 8"
    two = written(
        tmp_path / "two.tsv", {run: table[run] for run in ("a", "c")}, column="session_id"
    )
    one = " ".join(confint("compare", two, "--baseline", "a", "-f", "table", "--quiet").out.split())
    assert "For new sessions like these 8, c and a cannot be told apart: the difference is" in one
    plan = " ".join(confint("plan", path, "--half-width", "0.1", "-f", "table").out.split())
    assert "With 8 conversations like these, the 95% interval of a typical run's m is" in plan


def test_where_groups_are_too_few_groups_are_named(confint: Confint, tmp_path: Path) -> None:
    sizes = SIZES[:4]
    path = written(tmp_path / "x.tsv", drawn(sizes), sizes)
    ranked = confint("rank", path, "-f", "table", "--quiet").out
    assert "4 conversations are too few to distinguish any two runs" in " ".join(ranked.split())
    compared = confint("compare", path, "--all-pairs", "--simultaneous")
    assert "4 conversations are too few for max-t at 95%" in compared.err
    covered = records(confint("coverage", path, "--replicates", 10, "--method", "t", "--quiet"))
    assert {row["note"] for row in covered} == {"few groups"}


def test_few_groups_are_noted_by_their_degrees_of_freedom(
    confint: Confint, path: Path, tmp_path: Path
) -> None:
    assert {row["note"] for row in records(confint("interval", path))} == {""}
    sizes = (20, *SIZES)
    large = written(tmp_path / "large.tsv", drawn(sizes), sizes)
    rows = records(confint("interval", large))
    assert {row["groups"] for row in rows} == {"9"}
    for row in rows:
        assert (row["note"] == "few groups") == (float(row["df"]) < 5)
    assert {row["note"] for row in rows} == {"few groups"}


def test_further_columns_are_there_with_groups_only(
    confint: Confint, path: Path, table: Table, tmp_path: Path
) -> None:
    plain = written(tmp_path / "plain.tsv", table, column="")
    header = confint("interval", plain, "--quiet").out.splitlines()[0].split("\t")
    assert not {"groups", "df", "design_effect"} & {*header}
    refused = confint("interval", plain, "--columns", "run,groups", "--quiet")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == "confint: there is no column 'groups' without groups of topics\n"
    chosen = confint("interval", path, "--columns", "run,groups,df").out
    assert chosen.splitlines()[0] == "run\tgroups\tdf"
    assert "repeats" not in confint("interval", path).out.splitlines()[0]


def test_figures_are_drawn(confint: Confint, path: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for command in WORDS:
        figure = tmp_path / "x.svg"
        result = confint(*command, path, "--plot", figure)
        assert result.status == 0, result.err
        assert figure.read_text().startswith("<?xml")


# With collections


def test_groups_of_several_collections_are_counted_in_each(
    confint: Confint, tmp_path: Path
) -> None:
    sizes = {"nq": SIZES, "fiqa": (2, 3, 4, 5, 1)}
    tables = {name: drawn(own, seed=len(own)) for name, own in sizes.items()}
    lines = ["run\tcollection\ttopic\tmeasure\tscore"]
    for name, table in tables.items():
        for run, scores in table.items():
            lines += [f"{run}\t{name}\t{topic}\tm\t{score}" for (_, topic), score
                      in zip(topics_of(sizes[name]), scores, strict=True)]  # fmt: skip
    path = tmp_path / "x.tsv"
    path.write_text("\n".join([*lines, ""]))
    args = (path, "--groups", "{group}_{}", "--digits", 12, "--quiet")
    rows = {(row["run"], row["collection"]): row for row in records(confint("interval", *args))}
    for run in RUNS:
        parts = [by_hand(tables[name][run], sizes[name]) for name in ("fiqa", "nq")]
        variances = np.array([part["se"] ** 2 for part in parts]) / 4
        df = variances.sum() ** 2 / (variances**2 / [part["df"] for part in parts]).sum()
        expected = [np.mean([part["mean"] for part in parts]), np.sqrt(variances.sum()), df]
        of_all = rows[run, "macro"]
        assert [float(of_all[name]) for name in ("mean", "se", "df")] == pytest.approx(
            expected, rel=1e-8
        )
        assert (of_all["groups"], of_all["collections"], of_all["topics"]) == ("13", "2", "47")
        own = rows[run, "fiqa"]
        assert float(own["se"]) == pytest.approx(parts[0]["se"], rel=1e-8)
        assert own["groups"] == "5"
    text = " ".join(confint("compare", *args, "--baseline", "a", "-f", "table").out.split())
    assert "for new groups of these 2 collections" in text
    simultaneous = records(confint("compare", *args, "--all-pairs", "--simultaneous"))
    assert {row["method"] for row in simultaneous if row["collection"] == "macro"} == {
        "bonferroni-t"
    }
    for args_of in (["coverage", "--replicates", "9"], ["plan"]):
        refused = confint(*args_of, *args)
        assert (refused.status, refused.out) == (2, "")
        assert "several collections and groups of topics together" in refused.err
        assert (
            "hint: give the files or rows of one collection, or use topics without" in refused.err
        )
    # For new collections, those of single collections are about groups all the same.
    for_new = records(confint("compare", *args, "--baseline", "a", "--for-new", "collections"))
    groups = [(row["collection"], row["groups"]) for row in for_new]
    assert groups == [("fiqa", "5"), ("nq", "8"), ("macro", "13")] * (len(RUNS) - 1)
    assert {bool(row["design_effect"]) for row in for_new if row["collection"] == "nq"} == {True}
    assert {row["design_effect"] for row in for_new if row["collection"] == "macro"} == {""}
    refused = confint("interval", *args, "--method", "bca")
    assert "there is no bootstrap here for groups within collections" in refused.err


# What is refused


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (["interval", "--method", "logit"], 2, "logit is not for groups of topics: it is for"),
        (["interval", "--method", "wilson"], 2, "wilson is not for groups of topics: it is for"),
        (["compare", "--baseline", "a", "--test", "wilcoxon"], 2,
         "--test wilcoxon is not for groups of topics: it treats all topics as independent"),
        (["compare", "--baseline", "a", "--test", "t,tukey"], 2, "--test tukey is not for groups"),
        (["compare", "--baseline", "a", "--unpaired"], 2,
         "--unpaired is for runs on different topics, not for groups of topics"),
        (["compare", "--baseline", "a", "--paired-repeats"], 2,
         "--paired-repeats is for runs with repeats, and these runs have none"),
        (["bayes", "--baseline", "a"], 2, "confint bayes is not for groups of topics: a post"),
        (["risk", "--baseline", "a"], 2, "confint risk is not for groups of topics: risk is"),
        (["standardize"], 2, "confint standardize is not for groups of topics: factors are"),
        (["interval", "--standardize", "all"], 2, "--standardize is not for groups of topics"),
        (["coverage", "--without-replacement"], 2, "--without-replacement is for plain topics"),
        (["coverage", "--standardize", "2"], 2, "--standardize is not for groups of topics"),
        (["interval", "--for-new", "collections"], 2, "needs several collections, but there is"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused_with_the_reason(
    args: list[str], status: int, said: str, confint: Confint, path: Path, table: Table,
    tmp_path: Path
) -> None:  # fmt: skip
    result = confint(*args, path, "--quiet")
    assert (result.status, result.out) == (status, "")
    assert said in result.err
    assert len(result.err.splitlines()) <= 2
    plain = written(tmp_path / "plain.tsv", table, column="")
    by_pattern = confint(*args, plain, "--groups", "{group}_{}", "--quiet")
    assert (by_pattern.status, said in by_pattern.err) == (status, True)


def test_the_hint_is_what_would_take_the_groups_away(
    confint: Confint, path: Path, table: Table, tmp_path: Path
) -> None:
    asked = ("bayes", "--baseline", "a", "--quiet")
    assert "\n  hint: --labels none ignores columns" in confint(*asked, path).err
    plain = written(tmp_path / "plain.tsv", table, column="")
    result = confint(*asked, plain, "--groups", "{group}_{}")
    assert "\n  hint: " in result.err
    assert "without --groups, topics count as independent" in result.err


def test_all_tests_and_methods_are_those_that_there_are(confint: Confint, path: Path) -> None:
    rows = records(confint("compare", path, "--baseline", "a", "--test", "all"))
    assert all(row["p_t"] and row["p_randomization"] for row in rows)
    assert not any(row["p_wilcoxon"] or row["p_tukey"] for row in rows)
    methods = {row["method"] for row in records(confint("interval", path, "--method", "all"))}
    assert {"t", "percentile", "bca", "bootstrap-t"} <= methods
    assert not {"logit", "wilson"} & methods


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (("--groups", "{grp}_{}"), 2, "did you mean {group}?"),
        (("--groups", "{group}{}"), 1, "in several ways: group '3' or '31'"),
        (("--groups", "q{group}_{}"), 1, "no topic has a group by --groups 'q{group}_{}'"),
        (("--groups", "no/such.tsv"), 1, "no/such.tsv: no such file"),
        (("--group-weight", "equal"), 2, "--group-weight is for topics in groups"),
        (("--group-weight", "sizes"), 2, "is none of size, equal"),
    ],
)
def test_bad_groups_are_told_in_one_line(
    given: tuple[str, ...], status: int, said: str, confint: Confint, table: Table, tmp_path: Path
) -> None:
    plain = written(tmp_path / "plain.tsv", table, column="")
    result = confint("interval", plain, *given)
    assert (result.status, result.out) == (status, "")
    assert said in result.err
    assert len(result.err.splitlines()) <= 2


def test_turns_without_the_option_get_a_hint_in_one_line(
    confint: Confint, table: Table, tmp_path: Path
) -> None:
    plain = written(tmp_path / "plain.tsv", table, column="")
    result = confint("interval", plain)
    assert result.status == 0
    assert len(result.err.splitlines()) == 1
    assert "look like turns of 8 conversations" in result.err
    assert "; if so, use --groups '{group}_{}'\n" in result.err
    assert confint("interval", plain, "--groups", "{group}_{}").err == ""


# Strangers' names


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.has_bytes])
def test_strangers_names_of_groups_break_nothing(
    kind: str, confint: Confint, tmp_path: Path
) -> None:
    hostile = KINDS[kind]
    rows = [
        {"run": run, "group": hostile.text if topic % 2 else "plain", "topic": f"{topic}",
         "measure": "m", "score": (topic * 7 + len(run)) % 10 / 10}
        for run in ("a", "bb") for topic in range(9)
    ]  # fmt: skip
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for form in ("table", "tsv", "csv", "markdown", "latex", "json"):
        for command in (["compare", "--baseline", "a"], ["score"]):
            result = confint(*command, path, "-f", form)
            assert result.status == 0, result.err
            assert not [
                letter for letter in result.out + result.err if letter in "\x1b\x07\u202e\0"
            ]
    groups = {row["group"] for row in json.loads(confint("score", path, "-f", "json").out)["rows"]}
    assert groups == {"plain", hostile.seen.strip()}
    assert {row["groups"] for row in records(confint("interval", path))} == {"2"}


def test_strangers_patterns_and_columns_are_shown_without_harm(
    confint: Confint, table: Table, tmp_path: Path
) -> None:
    plain = written(tmp_path / "plain.tsv", table, column="")
    listed = tmp_path / "a\x1b[31m|b<i>$x$.txt"
    listed.write_text("".join(f"{topic} {group}\n" for group, topic in topics_of()))
    for form in ("table", "markdown", "latex", "json"):
        result = confint("interval", plain, "--groups", listed, "-f", form)
        assert result.status == 0, result.err
        assert "\x1b" not in result.out + result.err
    signature = json.loads(result.out)["signature"]
    assert (signature["grouped-by"], signature["group-weight"]) == (listed.name, "size")
    shown = confint("interval", plain, "--groups", listed, "-f", "table").out
    assert "|grouped-by:a\\e[31m\\x7cb<i>$x$.txt|group-weight:size|" in shown


def test_runs_whose_topics_cancel_in_each_group_are_not_identical(
    confint: Confint, tmp_path: Path
) -> None:
    path = tmp_path / "m.csv"
    path.write_text(
        "topic,conversation,a,b\n1_1,1,0.5,0.4\n1_2,1,0.3,0.4\n2_1,2,0.6,0.2\n2_2,2,0.1,0.5\n"
        "3_1,3,0.7,0.6\n3_2,3,0.3,0.4\n"
    )
    (row,) = records(confint("compare", path, "--baseline", "b"))
    assert (row["difference"], row["low"], row["high"]) == ("0.0000", "0.0000", "0.0000")
    assert (row["wins"], row["ties"], row["losses"]) == ("3", "0", "3")
    assert row["note"] == "no variance, few groups"
    copied = tmp_path / "copy.csv"
    copied.write_text("topic,conversation,a,b\n1_1,1,0.5,0.5\n1_2,1,0.3,0.3\n2_1,2,0.6,0.6\n")
    (row,) = records(confint("compare", copied, "--baseline", "b"))
    assert row["note"] == "identical"
