"""Several collections in one result, through the command line and from Python."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import confint_cli
from confint_cli.common.errors import CallError
from tests.conftest import SAMPLES, Confint, records

SUITE = SAMPLES / "suite"
FILES = sorted(SUITE.glob("*/*.run"))
LABELS = ("--labels", "{collection}/{run}.run")
QRELS = ("-q", str(SUITE / "{collection}/qrels.txt"))
SCORED = (*LABELS, *QRELS, "-m", "nDCG@10", *FILES)
COLLECTIONS = ("forum", "news", "science")
RUNS = ("hybrid", "dense", "bm25")


@pytest.fixture(scope="module")
def scores() -> dict[tuple[str, str], np.ndarray]:
    """The scores of each run in each collection, scored one by one, in the order of topics."""
    by_hand = {}
    for collection in COLLECTIONS:
        qrels, runs = SUITE / collection / "qrels.txt", sorted((SUITE / collection).glob("*.run"))
        result = confint_cli.score([*map(str, runs)], qrels=str(qrels), measure="nDCG@10")
        for run in RUNS:
            by_hand[run, collection] = np.array([row.score for row in result if row.run == run])
    return by_hand


def by_hand_for_topics(parts: list[np.ndarray]) -> tuple[float, float, float]:
    """Return mean, se and df of the mean of the collections' means, by the textbook."""
    number = len(parts)
    variances = np.array([part.var(ddof=1) / len(part) for part in parts]) / number**2
    free = np.array([len(part) - 1 for part in parts])
    mean = float(np.mean([part.mean() for part in parts]))
    df = float(variances.sum() ** 2 / (variances**2 / free).sum())
    return mean, float(np.sqrt(variances.sum())), df


def written(path: Path, rows: list[tuple[str, str, str, float]]) -> Path:
    """Write a long table of run, collection, topic and score by measure m."""
    lines = [f"{run}\t{name}\t{topic}\tm\t{score}" for run, name, topic, score in rows]
    path.write_text("\n".join(["run\tcollection\ttopic\tmeasure\tscore", *lines, ""]))
    return path


def made_up(path: Path, sizes: tuple[int, ...] = (6, 9, 20), runs: int = 3) -> Path:
    random = np.random.default_rng(3)
    rows = []
    for place, size in enumerate(sizes):
        common = random.beta(0.6, 1.2, size) * 0.7
        for run in range(runs):
            moved = (common + 0.05 * run + random.uniform(0, 0.2, size)).round(4)
            rows += [(f"r{run}", f"c{place}", str(topic), moved[topic]) for topic in range(size)]
    return written(path, rows)


# Figures by hand


def test_the_interval_for_new_topics_is_that_of_the_textbook(
    confint: Confint, scores: dict[tuple[str, str], np.ndarray]
) -> None:
    rows = {(row["run"], row["collection"]): row
            for row in records(confint("interval", *SCORED, "--digits", 12))}  # fmt: skip
    assert [*rows] == [(run, name) for run in RUNS for name in (*COLLECTIONS, "macro")]
    for run in RUNS:
        parts = [scores[run, name] for name in COLLECTIONS]
        mean, se, df = by_hand_for_topics(parts)
        half = stats.t.ppf(0.975, df) * se
        of_all = rows[run, "macro"]
        expected = [mean, se, df, mean - half, mean + half]
        found = [float(of_all[name]) for name in ("mean", "se", "df", "low", "high")]
        assert found == pytest.approx(expected, abs=1e-10)
        assert (of_all["topics"], of_all["collections"], of_all["sd"]) == ("100", "3", "")
        for name, part in zip(COLLECTIONS, parts, strict=True):
            low, high = stats.t.interval(0.95, len(part) - 1, part.mean(), stats.sem(part))
            own = rows[run, name]
            assert (float(own["low"]), float(own["high"])) == pytest.approx((low, high), abs=1e-10)
            assert (own["topics"], own["df"]) == (str(len(part)), str(len(part) - 1))


def test_the_difference_is_tested_as_by_hand_for_topics_and_for_collections(
    confint: Confint, scores: dict[tuple[str, str], np.ndarray]
) -> None:
    args = ("compare", *SCORED, "--baseline", "bm25", "--digits", 12)
    for run in ("hybrid", "dense"):
        parts = [scores[run, name] - scores["bm25", name] for name in COLLECTIONS]
        mean, se, df = by_hand_for_topics(parts)
        p = 2 * stats.t.sf(abs(mean / se), df)
        (of_all,) = [row for row in records(confint(*args)) if row["run"] == run
                     and row["collection"] == "macro"]  # fmt: skip
        assert float(of_all["difference"]) == pytest.approx(mean, abs=1e-11)
        assert float(of_all["p_t"]) == pytest.approx(p, rel=1e-9)
        assert float(of_all["df"]) == pytest.approx(df, rel=1e-9)
        (of_new,) = [row for row in records(confint(*args, "--for-new", "collections"))
                     if row["run"] == run and row["collection"] == "macro"]  # fmt: skip
        test = stats.ttest_1samp([part.mean() for part in parts], 0)
        low, high = test.confidence_interval()
        found = [float(of_new[name]) for name in ("difference", "p_t", "low", "high")]
        assert found == pytest.approx([mean, test.pvalue, low, high], rel=1e-8)
        assert (of_new["df"], of_new["note"]) == ("2", "few collections")


def test_two_collections_are_welchs_test_halved(confint: Confint, tmp_path: Path) -> None:
    path = made_up(tmp_path / "x.tsv", (7, 16))
    rows = records(confint("compare", path, "--baseline", "r0", "--digits", 12))
    of_all = next(row for row in rows if (row["run"], row["collection"]) == ("r2", "macro"))
    table = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    first, second = (
        np.array([float(row[4]) for row in table if row[:2] == ["r2", name]])
        - np.array([float(row[4]) for row in table if row[:2] == ["r0", name]])
        for name in ("c0", "c1")
    )
    welch = stats.ttest_ind(first, -second, equal_var=False)
    low, high = welch.confidence_interval()
    found = [float(of_all[name]) for name in ("p_t", "low", "high", "df")]
    assert found == pytest.approx([welch.pvalue, low / 2, high / 2, welch.df], rel=1e-8)


def test_the_order_of_files_and_jobs_make_no_difference(confint: Confint) -> None:
    for command in (["compare", "--all-pairs", "--simultaneous"], ["rank"],
                    ["interval", "--method", "t,bca,bootstrap-t"]):  # fmt: skip
        usual = confint(*command, *SCORED, "--jobs", 1)
        assert usual.status == 0
        turned = (*LABELS, *QRELS, "-m", "nDCG@10", *reversed(FILES))
        assert confint(*command, *turned, "--jobs", 2) == usual


# Ways in


def test_a_table_and_paths_give_the_same(confint: Confint, tmp_path: Path) -> None:
    usual = confint("compare", *SCORED, "--baseline", "bm25", "--digits", 3)
    path = tmp_path / "scores.tsv"
    assert confint("score", *SCORED, "--digits", 17, "-o", path).status == 0
    again = confint("compare", path, "--baseline", "bm25", "--digits", 3)
    assert again.out == usual.out
    assert again.err == (
        f"confint: note: {path}: column 'collection' is read as collections; --labels none "
        "ignores it\n"
    )
    for collection in COLLECTIONS:  # and a table each, whose name says which
        part = tmp_path / f"{collection}.tsv"
        args = ("-q", SUITE / collection / "qrels.txt", "-m", "nDCG@10", "--digits", 17)
        confint("score", *args, *sorted((SUITE / collection).glob("*.run")), "-o", part)
    tables = [tmp_path / f"{collection}.tsv" for collection in COLLECTIONS]
    third = confint("compare", "--labels", "{collection}.tsv", *tables, "--baseline", "bm25",
                    "--digits", 3)  # fmt: skip
    assert (third.out, third.err) == (usual.out, "")


def test_from_python_it_is_the_same(confint: Confint) -> None:
    result = confint_cli.compare([*map(str, FILES)], labels="{collection}/{run}.run",
                                 qrels=QRELS[1], measure="nDCG@10", baseline="bm25",
                                 for_new="collections", meta=True)  # fmt: skip
    said = json.loads(confint("compare", *SCORED, "--baseline", "bm25", "--for-new",
                              "collections", "--meta", "-f", "json").out)  # fmt: skip
    assert result.to_dicts() == said["rows"]
    assert result.sentence.startswith(
        "For new collections like these 3, hybrid and bm25 cannot be told apart: the mean of their "
        "differences is 0.1093, with 95% confidence (t) between "
    )
    assert (
        " dense and bm25 cannot be told apart: the mean of their differences is " in result.sentence
    )
    kept = confint_cli.read([*map(str, FILES)], labels="{collection}/{run}.run", qrels=QRELS[1],
                            measure="nDCG@10")  # fmt: skip
    assert kept.collections == COLLECTIONS
    assert confint_cli.interval(kept).rows[3].collection == "macro"
    with pytest.raises(CallError, match="says how to read"):
        confint_cli.interval(kept, labels="{run}")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(kept.to_dicts())
    assert confint_cli.interval(frame).to_dicts() == confint_cli.interval(kept).to_dicts()


def test_standardised_topics_are_those_of_their_collection(
    confint: Confint, scores: dict[tuple[str, str], np.ndarray]
) -> None:
    rows = records(confint("interval", *SCORED, "--standardize", "all", "--quiet", "--digits", 10))
    means = []
    for collection in COLLECTIONS:
        table = np.array([scores[run, collection] for run in RUNS])  # [run, topic]
        sd = table.std(axis=0, ddof=1)
        differs = sd > 0
        z = (table[0] - table.mean(axis=0))[differs] / sd[differs]
        means.append(z.mean())
    of_all = next(row for row in rows if (row["run"], row["collection"]) == ("hybrid", "macro"))
    assert float(of_all["mean"]) == pytest.approx(np.mean(means), abs=1e-8)


# Rows, words and figures


def test_every_title_and_sentence_says_whom_it_is_for(confint: Confint) -> None:
    commands = (["interval"], ["compare", "--baseline", "bm25"], ["rank"], ["describe"],
                ["plan", "--half-width", "0.1"], ["coverage", "--replicates", "20"])  # fmt: skip
    for command in commands:
        for whom, words in (("topics", "for new topics of these 3 collections"),
                            ("collections", "for new collections like these 3")):  # fmt: skip
            text = confint(*command, *SCORED, "-f", "table", "--for-new", whom, "--quiet").out
            assert words in " ".join(text.split()), command
    files = [path for path in FILES if path.stem in ("bm25", "hybrid")]
    one = confint("compare", *LABELS, *QRELS, "-m", "nDCG@10", *files, "--baseline", "bm25",
                  "-f", "table").out  # fmt: skip
    assert (
        "For new topics of these 3 collections, hybrid is significantly better than bm25: the mean "
        "of their differences is 0.1093, with 95% confidence (t) between 0.0447 and 0.1739; "
        "p = 0.0016."
    ) in " ".join(one.split())


def test_rank_sets_are_those_of_simultaneous_intervals(confint: Confint) -> None:
    for whom in ("topics", "collections"):
        args = (*SCORED, "--for-new", whom, "--quiet")
        pairs = [row for row in records(confint("compare", "--all-pairs", "--simultaneous", *args))
                 if row["collection"] == "macro"]  # fmt: skip
        better = {(row["run"], row["baseline"]) for row in pairs if float(row["low"]) > 0}
        better |= {(row["baseline"], row["run"]) for row in pairs if float(row["high"]) < 0}
        assert {row["method"] for row in pairs} == (
            {"max-t"} if whom == "topics" else {"bonferroni-t"}
        )
        for row in records(confint("rank", *args)):
            if row["collection"] == "macro":
                assert int(row["rank_low"]) == 1 + sum(pair[1] == row["run"] for pair in better)
                assert int(row["rank_high"]) == 3 - sum(pair[0] == row["run"] for pair in better)
                assert bool(row["first_share"]) == (whom == "topics")
    assert ("hybrid", "bm25") in {(row["run"], row["baseline"]) for row in records(
        confint("compare", "--all-pairs", "--simultaneous", *SCORED))
        if row["collection"] == "macro" and float(row["low"]) > 0}  # fmt: skip


def test_simultaneous_intervals_for_new_collections_are_bonferronis(
    confint: Confint, scores: dict[tuple[str, str], np.ndarray]
) -> None:
    rows = records(confint("compare", *SCORED, "--all-pairs", "--simultaneous", "--for-new",
                           "collections", "--digits", 10, "--quiet"))  # fmt: skip
    of_all = next(row for row in rows if row["collection"] == "macro"
                  and (row["run"], row["baseline"]) == ("hybrid", "bm25"))  # fmt: skip
    means = [(scores["hybrid", name] - scores["bm25", name]).mean() for name in COLLECTIONS]
    half = stats.t.ppf(1 - 0.05 / 2 / 3, 2) * stats.sem(means)
    assert float(of_all["low"]) == pytest.approx(np.mean(means) - half, abs=1e-8)
    assert float(of_all["p_adjusted"]) == pytest.approx(3 * float(of_all["p_t"]), rel=1e-3)


def test_a_meta_analysis_has_rows_of_its_own(confint: Confint) -> None:
    rows = records(confint("compare", *SCORED, "--baseline", "bm25", "--meta", "--level",
                           "0.9,0.95"))  # fmt: skip
    kinds = [(row["run"], row["collection"], row["method"], row["level"]) for row in rows]
    assert kinds[:12] == [
        *(("hybrid", name, "t", level) for name in (*COLLECTIONS, "macro")
          for level in ("0.9", "0.95")),
        *(("hybrid", "meta", name, level) for name in ("dersimonian-laird", "hartung-knapp")
          for level in ("0.9", "0.95")),
    ]  # fmt: skip
    assert [bool(row["tau2"]) for row in rows[:12]] == [False] * 8 + [True] * 4
    assert [bool(row["mean"]) for row in rows[:12]] == [True] * 8 + [False] * 4
    within = records(confint("compare", *SCORED, "--baseline", "bm25", "--meta", "--margin", "0.1"))
    asked = [[row[name] != "" for name in ("p_noninferior", "p_equivalent", "verdict")]
             for row in within[:6]]  # fmt: skip
    assert asked == [[True] * 3] * 4 + [[False] * 3] * 2
    table = confint("compare", *SCORED, "--baseline", "bm25", "--meta", "-f", "table").out
    assert "nDCG@10, random-effects meta-analysis of 3 collections" in table
    assert "|meta:dersimonian-laird,hartung-knapp" in table


def test_rows_of_a_meta_analysis_have_nothing_of_another_estimator() -> None:
    """Such as a design effect, which groups of topics give to the mean of all collections."""
    random = np.random.default_rng(5)
    rows = [
        {"run": run, "collection": name, "topic": str(topic), "conversation": f"c{topic // 3}",
         "m": random.uniform()}
        for name in ("one", "two", "three") for run in ("a", "b") for topic in range(18)
    ]  # fmt: skip
    result = confint_cli.compare(pd.DataFrame(rows), baseline="a", meta=True, margin=0.1)
    known = {"run", "baseline", "measure", "collection", "method", "level", "note", "verdict",
             "topics", "groups", "collections", "difference", "low", "high", "t", "df", "p_t",
             "tau2", "i2"}  # fmt: skip
    kinds = {row["collection"]: row for row in result.to_dicts()}
    assert kinds["macro"]["design_effect"] > 0
    assert (kinds["meta"]["groups"], kinds["meta"]["topics"]) == (18, 54)
    assert {name for name, value in kinds["meta"].items() if value is not None} == known


def test_a_forest_plot_has_a_diamond_for_the_whole(confint: Confint, tmp_path: Path) -> None:
    path = tmp_path / "forest.svg"
    files = [path for path in FILES if path.stem in ("bm25", "dense")]
    args = (*LABELS, *QRELS, "-m", "nDCG@10", *files)
    result = confint("compare", *args, "--baseline", "bm25", "--plot", path)
    assert result.status == 0, result.err
    drawn = path.read_text()
    assert drawn.count('id="whole t 0.95') == 1
    (row,) = [row for row in records(result) if row["collection"] == "macro"]
    assert float(row["low"]) < 0 < float(row["high"])  # so that its face is white
    for command in ("interval", "rank", "describe"):
        figure = tmp_path / f"{command}.svg"
        assert confint(command, *args, "--plot", figure).status == 0
        assert "forum" in figure.read_text()
    refused = confint("plan", *args, "--plot", tmp_path / "plan.svg")
    assert refused.status == 2
    assert "the figure of a plan is for one collection only" in refused.err


def test_further_columns_are_there_with_several_collections_only(confint: Confint) -> None:
    args = ("interval", "-m", "nDCG@10", "-q", SUITE / "news/qrels.txt", SUITE / "news/bm25.run")
    plain = confint(*args)
    assert "collection" not in plain.out.splitlines()[0]
    labelled = confint(*args, "--labels", "{run}.run")
    assert labelled.out == plain.out
    refused = confint(*args, "--columns", "run,collection")
    assert (refused.status, refused.err) == (
        2, "confint: there is no column 'collection' without several collections\n"
    )  # fmt: skip
    chosen = confint("interval", *SCORED, "--columns", "run,collection,df").out
    assert chosen.startswith("run\tcollection\tdf\nhybrid\tforum\t19\n")


# Missing topics and collections


def test_missing_topics_are_told_by_collection(confint: Confint, tmp_path: Path) -> None:
    rows = [(run, name, str(topic), 0.1 + topic / 50 + (run == "b") / 9)
            for run in "ab" for name in ("x", "y") for topic in range(12)]  # fmt: skip
    fewer = [row for row in rows if row[:3] not in {("a", "x", "3"), ("a", "x", "4"),
                                                    ("a", "y", "3")}]  # fmt: skip
    path = written(tmp_path / "x.tsv", fewer)
    result = confint("interval", path)
    said = "1 run lacks some topics: a lacks 2 topics of x and 1 of y"
    assert f"confint: warning: {said}; scored 0 there\n" in result.err
    notes = {(row["run"], row["collection"]): row["note"] for row in records(result)}
    assert notes["a", "x"] == "2 topics missing"
    assert notes["a", "macro"].endswith("3 topics missing")
    assert notes["b", "macro"] == ""
    of_new = confint("compare", path, "--baseline", "b", "--for-new", "collections", "--quiet")
    assert records(of_new)[-1]["note"] == "few collections, 3 topics missing"
    dropped = confint("interval", path, "--missing", "drop")
    assert f"{said}; 2 topics of x; 1 topic of y dropped for all runs" in dropped.err
    assert {row["collection"]: row["topics"] for row in records(dropped)} == {
        "x": "10", "y": "11", "macro": "21",
    }  # fmt: skip
    refused = confint("interval", path, "--missing", "error")
    assert (refused.status, refused.err.splitlines()[0]) == (1, f"confint: {said}")


def test_a_run_that_lacks_a_collection_is_an_error(confint: Confint) -> None:
    files = [path for path in FILES if path != SUITE / "forum/dense.run"]
    args = ("compare", *LABELS, *QRELS, "-m", "nDCG@10", *files, "--baseline", "bm25")
    refused = confint(*args)
    assert refused.status == 1
    said = "confint: run 'dense' lacks collection forum\n  hint: means over different collections "
    assert refused.err.startswith(said)
    left = confint(*args, "--keep-going")
    assert left.status == 1
    assert left.err.count("dense.run: run 'dense' lacks collection forum\n") == 2
    assert "2 of 8 files are left out; the result is from the other files" in left.err
    assert {row[1] for row in left.rows} == {"hybrid"}


def test_files_that_name_a_collection_and_files_that_do_not_are_never_merged(
    confint: Confint, tmp_path: Path
) -> None:
    """One file names the only collection, the other none: they are two runs, not one."""
    rows = [("a", "x", str(topic), topic / 20) for topic in range(10)]
    one = written(tmp_path / "one.tsv", rows)
    other = tmp_path / "other.tsv"
    lines = [f"a\t{topic}\tm\t{1 - topic / 20}" for topic in range(10)]
    other.write_text("\n".join(["run\ttopic\tmeasure\tscore", *lines, ""]))
    result = confint("interval", one, other)
    assert {row["run"]: row["mean"] for row in records(result)} == {
        "a (one)": "0.2250", "a (other)": "0.7750",
    }  # fmt: skip


def test_a_collection_without_the_measure_is_an_error(confint: Confint, tmp_path: Path) -> None:
    for name, measures in (("x", ("map", "ndcg")), ("y", ("map", "ndcg")), ("z", ("map",))):
        (tmp_path / name).mkdir()
        for run in ("a", "b"):
            lines = [f"{measure}\t{topic}\t0.{topic}{len(run)}" for topic in range(9)
                     for measure in measures]  # fmt: skip
            (tmp_path / name / f"{run}.eval").write_text("\n".join([*lines, ""]))
    files = sorted(tmp_path.glob("*/*.eval"))
    for measures, said in (("ndcg", "the measures that are used"), ("map,ndcg", "ndcg")):
        result = confint("interval", "--labels", "{collection}/{run}.eval", *files, "-m", measures)
        assert result.status == 1
        assert result.err.startswith(f"confint: no run has {said} in collection 'z'\n")


def test_a_table_that_is_called_as_its_collection_has_no_measure_of_that_name(
    confint: Confint, tmp_path: Path
) -> None:
    for name in ("forum", "news"):
        lines = [f"{topic},0.{topic}1,0.{topic}{len(name)}" for topic in range(1, 10)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["topic,bm25,dense", *lines, ""]))
    files = sorted(tmp_path.glob("*.csv"))
    result = records(confint("interval", "--labels", "{collection}.csv", *files))
    assert {(row["measure"], row["run"], row["collection"]) for row in result} == {
        ("score", run, name) for run in ("bm25", "dense") for name in ("forum", "news", "macro")
    }
    named = records(confint("interval", "--labels", "{collection}.csv", *files,
                            "--measure-name", "nDCG"))  # fmt: skip
    assert {row["measure"] for row in named} == {"nDCG"}


def test_judgements_may_be_packed(confint: Confint, tmp_path: Path) -> None:
    import gzip

    for name in COLLECTIONS:
        packed = gzip.compress((SUITE / name / "qrels.txt").read_bytes())
        (tmp_path / f"{name}.txt.gz").write_bytes(packed)
    args = (*LABELS, "-q", tmp_path / "{collection}.txt", "-m", "nDCG@10", *FILES)
    assert confint("interval", *args).out == confint("interval", *SCORED).out


def test_topics_and_every_are_of_each_collection(confint: Confint, tmp_path: Path) -> None:
    every = records(confint("interval", *SCORED, "--every", 7, "--quiet"))
    numbers = {row["collection"]: int(row["topics"]) for row in every}
    assert numbers == {"forum": 3, "news": 8, "science": 5, "macro": 16}
    listed = tmp_path / "topics"
    listed.write_text("".join(f"{topic}\n" for topic in (*range(1, 6), *range(301, 311))))
    some = records(confint("interval", *SCORED, "--topics", listed, "--quiet"))
    assert {row["collection"]: row["topics"] for row in some} == {
        "forum": "5", "news": "10", "science": "5", "macro": "20",
    }  # fmt: skip
    listed.write_text("301\n")
    refused = confint("interval", *SCORED, "--topics", listed)
    assert "none of the topics in --topics is in the files of 'forum'" in refused.err


def test_scores_that_have_no_mean_together_are_warned_of(confint: Confint, tmp_path: Path) -> None:
    factors = {"x": 1, "y": 100, "z": 1}
    rows = [(run, name, str(topic), (0.1 + topic / 50 + (run == "b") / 9) * factor)
            for run in "ab" for name, factor in factors.items() for topic in range(12)]  # fmt: skip
    path = written(tmp_path / "x.tsv", rows)
    path.write_text(path.read_text().replace("\tm\t", "\tmap\t"))
    result = confint("interval", path)
    assert (
        "warning: map goes beyond 0 to 1 in 1 collection, but not in others: scores on "
        "different scales, such as percentages and fractions, cannot be averaged: y\n"
    ) in result.err
    twice = "have the same scores in collections x and z: is it the same collection twice?\n"
    assert f"warning: all runs {twice}" in result.err
    listed = tmp_path / "topics"
    listed.write_text("1\n2\n3\n99\n")
    some = confint("interval", path, "--topics", listed)
    assert "warning: 1 topic of --topics is in no file, left out: 99\n" in some.err


def test_a_collection_of_one_topic_has_no_interval_for_new_topics(
    confint: Confint, tmp_path: Path
) -> None:
    rows = [("a", name, str(topic), 0.1 * topic + 0.05 * len(name)) for name in ("x", "yy", "zzz")
            for topic in range(1 if name == "x" else 9)]  # fmt: skip
    path = written(tmp_path / "x.tsv", rows)
    of_all = records(confint("interval", path, "--quiet"))[-1]
    assert (of_all["collection"], of_all["low"], of_all["note"]) == ("macro", "", "one topic")
    new = records(confint("interval", path, "--for-new", "collections", "--quiet"))[-1]
    assert float(new["low"]) < float(new["mean"]) < float(new["high"])
    few = [(run, name, "1", len(run) * (1 + place) ** 2 / 20)
           for run in ("a", "bb") for place, name in enumerate("xyz")]  # fmt: skip
    of_means = ("--differences", "--for-new", "collections", "--quiet")
    described = confint("describe", written(tmp_path / "few.tsv", few), *of_means, "-f", "table")
    assert (described.status, "few collections" in described.out) == (0, True)
    other = [("b", *row[1:3], row[3] + 0.01 * int(row[2])) for row in rows]
    both = written(tmp_path / "y.tsv", [*rows, *other])
    refused = confint("compare", both, "--baseline", "a", "--quiet")
    assert refused.err.startswith("confint: x: on m, 'b' has 1 topic, and a comparison needs 2")


# What is refused, and hints


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (["interval", "-q", SUITE / "news/qrels.txt"], 2, "as in -q 'qrels/{collection}.txt'"),
        (["interval", "-q", SUITE / "{collection}/nothing.txt"], 1,
         "forum/nothing.txt: no such file: there are no judgements for 'forum'"),
        (["interval", *QRELS, "--name-from", "tag"], 2,
         "--labels and --name-from tag: only one of them can name the runs"),
        (["interval", *QRELS, "--method", "logit"], 2, "logit is not for several collections"),
        (["interval", *QRELS, "--method", "wilson"], 2, "wilson is not for several collections"),
        (["interval", *QRELS, "--method", "bca", "--for-new", "collections"], 2,
         "a few collections cannot be resampled to stand for new ones"),
        (["compare", *QRELS, "--baseline", "bm25", "--test", "wilcoxon"], 2,
         "--test wilcoxon is not for several collections"),
        (["compare", *QRELS, "--baseline", "bm25", "--test", "t,tukey"], 2, "--test tukey is not"),
        (["compare", *QRELS, "--baseline", "bm25", "--unpaired"], 2, "--unpaired is for runs"),
        (["compare", *QRELS, "--baseline", "bm25", "--correct", "max-t", "--for-new",
          "collections"], 2, "--correct bonferroni agrees"),
        (["coverage", *QRELS, "--without-replacement"], 2, "--without-replacement is for one"),
        (["coverage", *QRELS, "--standardize", "2"], 2, "--standardize all is for several"),
        (["bayes", *QRELS, "--baseline", "bm25"], 2, "a posterior is of independent topics of one"),
        (["risk", *QRELS, "--baseline", "bm25"], 2, "confint risk is not for several collections"),
        (["standardize", *QRELS], 2, "factors are of the topics of one collection"),
        (["score", *QRELS, "--layout", "trec_eval", "-o", "evals/"], 2, "has no place for the nam"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused_with_the_reason(
    args: list[str], status: int, said: str, confint: Confint
) -> None:
    result = confint(*args, *LABELS, "-m", "nDCG@10", *FILES)
    assert (result.status, result.out) == (status, "")
    assert said in result.err
    lines = [line for line in result.err.splitlines() if "unjudged documents" not in line]
    assert len(lines) <= 2


def test_patterns_without_what_they_need_are_refused(confint: Confint) -> None:
    result = confint("interval", *QRELS, "--labels", "{collection}/{}.run", *FILES)
    assert result.err == "confint: --labels '{collection}/{}.run' has no {run}, the name of a run\n"
    result = confint("interval", *QRELS, *FILES)
    assert "nothing says which collection each of the FILES belongs to" in result.err
    evals = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    result = confint("interval", "--labels", "{collection}.eval", *evals)
    assert "does not name its run, and the pattern of --labels has no {run}" in result.err
    for option in ("--for-new=collections", "--meta"):
        result = confint("compare", option, "--baseline", "bm25", "-m", "map", *evals)
        assert result.status == 2
        assert "several collections, but there is only one\n  hint: --labels" in result.err


def test_files_that_name_their_runs_and_a_pattern_that_does_too(
    confint: Confint, tmp_path: Path
) -> None:
    path = made_up(tmp_path / "table.tsv")
    result = confint("interval", "--labels", "{run}.tsv", path)
    assert result.status == 1
    assert "names its runs itself, such as 'r0', but {run} of --labels would be" in result.err


def test_one_collection_is_plain_and_said(confint: Confint) -> None:
    files = sorted((SUITE / "news").glob("*.run"))
    plain = confint("interval", "-q", SUITE / "news/qrels.txt", "-m", "nDCG@10", *files)
    result = confint("interval", *LABELS, *QRELS, "-m", "nDCG@10", *files)
    assert result.out == plain.out
    assert result.err == (
        "confint: note: all scores are from one collection, 'news': nothing is averaged\n"
    )


def test_runs_of_one_name_in_several_folders_get_a_hint(confint: Confint) -> None:
    files = [SUITE / name / "bm25.run" for name in ("forum", "science")]
    result = confint("interval", "-q", SUITE / "forum/qrels.txt", "-m", "nDCG@10", *files)
    said = "2 runs are named 'bm25', and are told apart by path: forum/bm25, science/bm25"
    assert said in result.err
    assert "; if the folders are collections with different topics, use --labels" in result.err
    assert "use --labels '{collection}/{run}.run'\n" in result.err


def test_a_collection_that_a_table_names_twice_or_not_at_all(
    confint: Confint, tmp_path: Path
) -> None:
    path = made_up(tmp_path / "x.tsv")
    other = tmp_path / "y.tsv"
    other.write_text("run\ttopic\tmeasure\tscore\nr9\t1\tm\t0.5\nr9\t2\tm\t0.25\n")
    result = confint("interval", path, other)
    assert result.status == 1
    assert f"{other}: does not name its collection, but other files do: c0" in result.err
    copy = tmp_path / "z.tsv"
    copy.write_text(path.read_text())
    result = confint("interval", path, copy)
    assert f"{copy}: is run 'r0' of collection 'c0', and so is {path}" in result.err


def test_judgements_are_not_written_over(confint: Confint, tmp_path: Path) -> None:
    for name in ("forum", "science"):
        (tmp_path / name).mkdir()
        for file in (SUITE / name).iterdir():
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
    qrels = tmp_path / "science/qrels.txt"
    args = (*LABELS, "-q", tmp_path / "{collection}/qrels.txt", *sorted(tmp_path.glob("*/*.run")))
    result = confint("interval", *args, "-m", "P@5", "-o", qrels)
    assert result.status == 2
    assert result.err.startswith("confint: -o would overwrite an input: '")
    assert qrels.read_bytes() == (SUITE / "science/qrels.txt").read_bytes()


def test_strangers_names_of_collections_break_nothing(confint: Confint, tmp_path: Path) -> None:
    names = ["\x1b[31mred", "a|b", "<b>x</b>", "=1+1", "x" * 300, "\u202eabc", "é & $x_1$ % #"]
    folder = tmp_path / "s"
    for place, name in enumerate(names):
        (folder / name[:100]).mkdir(parents=True)
        for run in ("r0", "r1"):
            lines = [f"m\t{topic}\t0.{(topic * 7 + place + len(run) * (run == 'r1')) % 10}"
                     for topic in range(8)]  # fmt: skip
            (folder / name[:100] / f"{run}.eval").write_text("\n".join([*lines, ""]))
    files = sorted(folder.glob("*/*.eval"))
    for form in ("table", "tsv", "csv", "markdown", "latex", "json"):
        result = confint("compare", *LABELS[:1], "{collection}/{run}.eval", *files, "--baseline",
                         "r0", "-f", form, "--plot", tmp_path / "x.png")  # fmt: skip
        assert result.status == 0, result.err
        assert "\x1b[31m" not in result.out
        assert "\u202e" not in result.out


def test_figures_of_means_of_collections_do_not_stand_among_those_of_topics(
    confint: Confint,
) -> None:
    args = (*SCORED, "--for-new", "collections", "--quiet")
    compared = [row for row in records(confint("compare", *args, "--baseline", "bm25"))
                if row["collection"] == "macro"]  # fmt: skip
    for name in ("glass_delta", "hedges_gz", "wins", "ties", "losses"):
        assert {row[name] for row in compared} == {""}
    means = [row for row in records(confint("interval", *args)) if row["collection"] == "macro"]
    assert [(row["sd"], row["df"]) for row in means] == [("", "2")] * 3


def test_all_tests_are_those_that_there_are_of_collections(confint: Confint) -> None:
    rows = records(confint("compare", *SCORED, "--baseline", "bm25", "--test", "all"))
    assert all(row["p_t"] and row["p_randomization"] for row in rows)
    assert not any(row["p_wilcoxon"] or row["p_tukey"] for row in rows)


# Planning and describing


def test_a_plan_for_new_collections_is_one_of_their_means(
    confint: Confint, scores: dict[tuple[str, str], np.ndarray]
) -> None:
    args = (*SCORED, "--half-width", "0.1", "--digits", 10, "--quiet")
    rows = records(confint("plan", *args, "--for-new", "collections"))
    of_all = next(row for row in rows if row["collection"] == "macro")
    means = np.array([[scores[run, name].mean() for run in RUNS] for name in COLLECTIONS])
    sd = np.sqrt(means.var(axis=0, ddof=1).mean())
    assert float(of_all["sd"]) == pytest.approx(sd, abs=1e-8)
    needed = int(of_all["collections_needed"])
    half = [
        stats.t.ppf(0.975, number - 1) * sd / np.sqrt(number) for number in (needed - 1, needed)
    ]
    assert half[1] <= 0.1 < half[0]
    assert (of_all["topics_needed"], of_all["collections"]) == ("", "3")


def test_a_plan_for_new_topics_keeps_the_proportion_of_collections(
    confint: Confint, scores: dict[tuple[str, str], np.ndarray]
) -> None:
    rows = records(confint("plan", *SCORED, "--half-width", "0.05", "--digits", 10, "--quiet"))
    of_all = next(row for row in rows if row["collection"] == "macro")
    sizes = np.array([len(scores["bm25", name]) for name in COLLECTIONS])
    variances = np.array([np.mean([scores[run, name].var(ddof=1) for run in RUNS])
                          for name in COLLECTIONS])  # fmt: skip

    def half_width(topics: float) -> float:
        now = sizes * topics / sizes.sum()
        parts = variances / now / 9
        df = parts.sum() ** 2 / (parts**2 / (now - 1)).sum()
        return float(stats.t.ppf(0.975, df) * np.sqrt(parts.sum()))

    assert float(of_all["attained"]) == pytest.approx(half_width(100), rel=1e-8)
    needed = int(of_all["topics_needed"])
    assert half_width(needed) <= 0.05 < half_width(needed - 1)
    assert of_all["sd"] == ""


def test_coverage_shows_what_ignores_the_design(confint: Confint, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = []  # a large collection with low scores, and small ones with high scores
    for name, size, level in (("large", 150, 0.1), ("one", 12, 0.6), ("two", 15, 0.5)):
        rows += [("a", name, str(topic), round(float(random.beta(level * 6, (1 - level) * 6)), 4))
                 for topic in range(size)]  # fmt: skip
    path = written(tmp_path / "x.tsv", rows)
    args = ("coverage", path, "--method", "t", "--replicates", 1000, "--quiet")
    covered = {(row["collection"], row["method"]): float(row["coverage"])
               for row in records(confint(*args))}  # fmt: skip
    assert [*covered] == [("large", "t"), ("one", "t"), ("two", "t"), ("macro", "t"),
                          ("macro", "pooled-t")]  # fmt: skip
    assert 0.92 < covered["macro", "t"] < 0.975
    assert covered["macro", "pooled-t"] < 0.05
    new = {row["method"]: float(row["coverage"])
           for row in records(confint(*args, "--for-new", "collections"))
           if row["collection"] == "macro"}  # fmt: skip
    assert [*new] == ["t", "topics-t", "pooled-t"]
    assert new["topics-t"] < 0.7 < new["t"]
    summary = records(confint(*args, "--summary"))
    assert [(row["collection"], row["method"]) for row in summary] == [*covered]
