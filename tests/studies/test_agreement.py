"""`confint agreement`: a judge beside people, through the command line and from Python."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import confint_cli
from confint_cli.common.errors import CallError
from confint_cli.scores.scores import Scores
from confint_cli.stats.random import Drawing
from confint_cli.studies.agreement import agreement
from tests.conftest import Confint, records, write

COLUMNS = [
    "measure", "runs", "topics", "human_topics", "bias", "correlation", "tau", "tau_low",
    "tau_high", "pairs", "kept", "lost", "invented", "reversed", "effective_topics",
]  # fmt: skip
RUNS = ("bm25", "dense", "hybrid", "keyword")


def judged(topics: int, others: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores by people [topic, run], and by the judge on these topics and others behind them."""
    random = np.random.default_rng(seed)
    common = random.beta(0.8, 1.2, (topics + others, 1)) * 0.5
    people = common + np.linspace(0.15, 0, 4) + random.uniform(0, 0.2, (topics + others, 4))
    judge = 0.2 + 0.7 * people + random.normal(0, 0.05, people.shape)
    return people[:topics].round(4), judge.round(4)


def by_run(values: np.ndarray) -> dict[str, dict[str, list[float]]]:
    return {run: {"m": own.tolist()} for run, own in zip(RUNS, values.T, strict=True)}


@pytest.fixture
def files(tmp_path: Path) -> list[Path | str]:
    people, judge = judged(20, 30)
    return [write(tmp_path / "people.tsv", by_run(people)),
            "--judge-scores", write(tmp_path / "judge.tsv", by_run(judge))]  # fmt: skip


def expected(people: np.ndarray, judge: np.ndarray) -> dict[str, float]:
    """What one measure has but for the interval of τ and effective topics, by scipy."""
    kinds = {"kept": 0, "lost": 0, "invented": 0, "reversed": 0}
    for run in range(4):
        for other in range(run + 1, 4):
            tests = [stats.ttest_rel(own[:, run], own[:, other]) for own in (people, judge)]
            first, second = (np.sign(t.statistic) if t.pvalue < 0.05 else 0 for t in tests)
            if first or second:
                kind = "kept" if first == second else "reversed"
                kinds["lost" if not second else "invented" if not first else kind] += 1
    means, others = people.mean(axis=0), judge.mean(axis=0)
    rs = [stats.pearsonr(*both).statistic for both in zip(people.T, judge.T, strict=True)]
    return {
        "bias": float((others - means).mean()),
        "correlation": float(np.median(rs)),
        "tau": stats.kendalltau(means, others).statistic,
        "pairs": 6,
        **kinds,
    }


def test_a_row_has_what_scipy_finds_on_the_topics_with_both(
    files: list[object], confint: Confint
) -> None:
    people, judge = judged(20, 30)
    result = confint("agreement", *files, "--digits", 12)
    assert result.out.splitlines()[0].split("\t") == COLUMNS
    (row,) = records(result)
    found = {name: float(value) for name, value in row.items() if name != "measure"}
    for name, value in expected(people, judge[:20]).items():
        assert found[name] == pytest.approx(value, abs=1e-10), name
    assert (found["runs"], found["topics"], found["human_topics"]) == (4, 50, 20)
    assert found["tau_low"] <= found["tau"] <= found["tau_high"] <= 1
    assert 20 < found["effective_topics"] < 50


def test_effective_topics_are_those_of_intervals(files: list[object], confint: Confint) -> None:
    (row,) = records(confint("agreement", *files, "--digits", 9))
    people, judge = judged(20, 30)
    found = []
    for own, by_judge in zip(people.T, judge.T, strict=True):
        both, further = by_judge[:20], by_judge[20:]
        centred = both - both.mean()
        slope = float(centred @ own / (centred @ centred))
        moved = by_judge.mean() - both.mean()
        residuals = own - own.mean() - slope * centred
        leverage = 1 / 20 + centred**2 / (centred @ centred)
        weights = 1 / 20 + moved * centred / (centred @ centred)
        variance = ((weights * residuals / (1 - leverage)) ** 2).sum()
        variance += slope**2 * by_judge.var(ddof=1) / (20 + len(further))
        found.append(own.var(ddof=1) / variance)
    assert float(row["effective_topics"]) == pytest.approx(np.median(found), rel=1e-6)


def test_people_read_a_table_and_a_sentence(files: list[object], confint: Confint) -> None:
    result = confint("agreement", *files, "-f", "table")
    text = " ".join(result.out.split())
    assert text.startswith(
        "The judge compared with people, 4 runs, 20 topics judged by both, 30 more by the judge "
    )
    assert "invented: only with the judge's;" in text
    assert "On m, the judge's scores are 0.0871 higher than people's on average; " in text
    assert "the judge orders the 4 runs as people do (τ 1.0000, 95% interval " in text
    assert ". With the judge, 20 topics judged by people are worth as much as " in text


def test_level_draws_and_seed_are_heeded(files: list[object], confint: Confint) -> None:
    def signature(*options: object) -> dict[str, str]:
        result = confint("agreement", *files, "-f", "json", *options)
        assert result.status == 0, result.err
        found: dict[str, str] = json.loads(result.out)["signature"]
        return found

    own = signature("--level", 0.8, "--draws", 500, "--seed", 3)
    assert (own["levels"], own["draws"], own["seed"]) == ("0.8", "500", "3")
    assert signature()["draws"] == "10000"
    wide, narrow = (
        records(confint("agreement", *files, "--level", level))[0] for level in (0.99, 0.5)
    )
    assert float(wide["tau_low"]) < float(narrow["tau_low"])
    assert int(wide["kept"]) <= int(narrow["kept"])
    refused = confint("agreement", *files, "--draws", 20)
    assert refused.status == 2
    assert "20 draws are too few for a 95% interval of τ" in refused.err
    for level, words in (("0.8", "an 80%"), ("0.11", "an 11%"), ("0.9", "a 90%")):
        refused = confint("agreement", *files, "--draws", 1, "--level", level)
        assert f"1 draw is too few for {words} interval of τ" in refused.err
    assert confint("agreement", *files, "--level", "0.9,0.95").status == 2


def test_without_a_judge_there_is_nothing_to_ask(files: list[object], confint: Confint) -> None:
    result = confint("agreement", files[0])
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines() == [
        "confint: compare with which judge?",
        "  hint: give --judge-qrels FILE with -q, or --judge-scores PATTERN",
    ]
    with pytest.raises(CallError, match="which judge"):
        confint_cli.agreement(str(files[0]))


def test_python_takes_a_judge_too(files: list[object]) -> None:
    result = confint_cli.agreement(str(files[0]), judge_scores=str(files[2]), draws=500)
    (row,) = result.rows
    assert (row.runs, row.topics, row.human_topics) == (4, 50, 20)
    assert (row.decisions, row.kept, row.lost, row.invented) == (5, 3, 2, 1)
    assert result.sentence.startswith("On m, the judge's scores are 0.0871 higher")


def test_one_run_has_a_bias_and_no_order(tmp_path: Path, confint: Confint) -> None:
    people, judge = judged(20, 30)
    paths = [
        write(tmp_path / f"{name}.tsv", {"bm25": {"m": own[:, 0].tolist()}})
        for name, own in (("people", people), ("judge", judge))
    ]
    call = ("agreement", paths[0], "--judge-scores", paths[1])
    (row,) = records(confint(*call))
    assert [row[name] for name in ("runs", "tau", "tau_low", "tau_high", "pairs", "kept")] == [
        "1", "", "", "", "0", "0",
    ]  # fmt: skip
    text = " ".join(confint(*call, "-f", "table").out.split())
    assert (
        "higher than people's on average. With the judge, 20 topics judged by people are worth as "
        "much as "
    ) in text
    assert "|draws:" not in text


def test_a_judge_without_other_topics_makes_nothing_shorter(
    tmp_path: Path, confint: Confint
) -> None:
    people, judge = judged(20, 0)
    paths = [write(tmp_path / f"{name}.tsv", by_run(own))
             for name, own in (("people", people), ("judge", judge))]  # fmt: skip
    call = ("agreement", paths[0], "--judge-scores", paths[1])
    (row,) = records(confint(*call))
    assert (row["topics"], row["human_topics"]) == ("20", "20")
    assert float(row["effective_topics"]) == 20
    text = " ".join(confint(*call, "-f", "table").out.split())
    assert "; without further topics, the judge makes no interval shorter." in text


def test_the_judge_itself_keeps_everything(tmp_path: Path, confint: Confint) -> None:
    people, _ = judged(20, 0)
    path = write(tmp_path / "people.tsv", by_run(people))
    (row,) = records(confint("agreement", path, "--judge-scores", path))
    assert [float(row[name]) for name in ("bias", "correlation", "tau", "tau_low", "tau_high")] == [
        0, 1, 1, 1, 1,
    ]  # fmt: skip
    assert [row[name] for name in ("lost", "invented", "reversed")] == ["0", "0", "0"]
    shown = " ".join(confint("agreement", path, "--judge-scores", path, "-f", "table").out.split())
    assert "the judge's scores are as high as people's on average" in shown


# Designs


def tabled(path: Path, values: dict[str, np.ndarray], group: int = 0) -> Path:
    """Write scores by collection; with `group`, so many topics at a time belong together."""
    lines = ["run\tcollection\ttopic\tmeasure\tscore"]
    for name, scores in values.items():
        for topic, own in enumerate(scores):
            lines += [
                f"{run}\t{name}\t{topic // group if group else topic}_{topic}\tm\t{score}"
                for run, score in zip(RUNS, own.tolist(), strict=True)
            ]
    path.write_text("\n".join([*lines, ""]))
    return path


def test_collections_have_rows_and_macro_is_their_mean(tmp_path: Path, confint: Confint) -> None:
    sizes = {"forum": (8, 10, 1), "news": (25, 20, 2)}
    both = {name: judged(*size) for name, size in sizes.items()}
    people = tabled(tmp_path / "people.tsv", {name: own[0] for name, own in both.items()})
    judge = tabled(tmp_path / "judge.tsv", {name: own[1] for name, own in both.items()})
    call = ("agreement", people, "--judge-scores", judge, "--draws", 1000, "--digits", 12)
    found = {row["collection"]: row for row in records(confint(*call))}
    assert [*found] == ["forum", "news", "macro"]
    for name, (topics, others, _) in sizes.items():
        own, by_judge = both[name]
        for column, value in expected(own, by_judge[:topics]).items():
            assert float(found[name][column]) == pytest.approx(value, abs=1e-10), (name, column)
        assert found[name]["topics"] == str(topics + others)
    macro = found["macro"]
    assert (macro["topics"], macro["human_topics"], macro["collections"]) == ("63", "33", "2")
    biases = [float(found[name]["bias"]) for name in sizes]
    assert float(macro["bias"]) == pytest.approx(np.mean(biases), abs=1e-10)
    means = [
        np.mean([own[kind][: sizes[name][0]].mean(axis=0) for name, own in both.items()], axis=0)
        for kind in (0, 1)
    ]
    assert float(macro["tau"]) == pytest.approx(stats.kendalltau(*means).statistic)
    # Decisions over both are those of the project's own stratified test.
    kinds = {}
    for kind, path in (("people", people), ("judge", judge)):
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        kept = [line for line in lines[1:] if int(line[2].split("_")[1]) < sizes[line[1]][0]]
        alone = tmp_path / f"{kind}-alone.tsv"
        alone.write_text("\n".join(["\t".join(line) for line in (lines[0], *kept)] + [""]))
        compared = records(confint("compare", alone, "--all-pairs", "--correct", "none"))
        kinds[kind] = {
            tuple(sorted((row["run"], row["baseline"]))): float(row["p_t"]) < 0.05
            for row in compared if row["collection"] == "macro"
        }  # fmt: skip
    together = [kinds["people"][pair] and kinds["judge"][pair] for pair in kinds["people"]]
    assert int(macro["kept"]) + int(macro["reversed"]) == sum(together)
    assert int(macro["lost"]) == sum(kinds["people"].values()) - sum(together)
    assert int(macro["invented"]) == sum(kinds["judge"].values()) - sum(together)


def test_a_collection_with_too_few_topics_is_named(tmp_path: Path, confint: Confint) -> None:
    both = {"forum": judged(8, 10), "news": judged(3, 20)}
    people = tabled(tmp_path / "people.tsv", {name: own[0] for name, own in both.items()})
    judge = tabled(tmp_path / "judge.tsv", {name: own[1] for name, own in both.items()})
    result = confint("agreement", people, "--judge-scores", judge)
    assert result.status == 1
    said = "only 3 topics of 'news' have scores on m from both judges: at least 5 are needed"
    assert said in result.err


@pytest.mark.parametrize("weight", ["size", "equal"])
def test_groups_are_resampled_as_a_whole(weight: str, tmp_path: Path, confint: Confint) -> None:
    people, judge = judged(24, 30)
    paths = [tabled(tmp_path / f"{name}.tsv", {"": own}, group=3)
             for name, own in (("people", people), ("judge", judge))]  # fmt: skip
    for path in paths:  # one collection, without a name
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        path.write_text("\n".join(["\t".join([*line[:1], *line[2:]]) for line in lines] + [""]))
    call = ("agreement", paths[0], "--judge-scores", paths[1], "--digits", 12, "--draws", 1000)
    (plain,) = records(confint(*call))
    (row,) = records(confint(*call, "--groups", "{group}_{}", "--group-weight", weight))
    assert (row["topics"], row["human_topics"], row["groups"]) == ("54", "24", "8")
    same = ("runs", "pairs", "bias", "tau")  # groups have three topics each
    assert [float(row[name]) for name in same] == pytest.approx([float(plain[n]) for n in same])
    assert float(row["tau_low"]) < 1


def test_repeats_are_refused() -> None:
    from confint_cli.scores.design import Repeats

    people, judge = (own[:, :, None] for own in judged(20, 0))

    def scores(values: np.ndarray, **more: object) -> Scores:
        topics = tuple(map(str, range(len(values))))
        return Scores(values, topics, RUNS, ("m",), np.zeros(values.shape, dtype=bool), **more)  # type: ignore[arg-type]

    repeats = Repeats(people, ((0,), (1,), (2,), (3,)), (("",),) * 4)
    with pytest.raises(CallError, match="takes no repeats of runs"):
        agreement(scores(people, judge=scores(judge), repeats=repeats), 0.95, Drawing(100, 0))
    with pytest.raises(CallError, match="which judge"):
        agreement(scores(people), 0.95, Drawing(100, 0))


# Real judges


def test_gpt4_and_nist_on_dl21(data: Path, confint: Confint) -> None:
    folder = data / "judges-dl21"
    result = confint(
        "agreement", folder / "ndcg10.human.csv", "--judge-scores",
        folder / "ndcg10.umbrela-gpt4.csv", "--measure-name", "nDCG@10",
    )  # fmt: skip
    (row,) = records(result)
    assert row == {
        "measure": "nDCG@10", "runs": "12", "topics": "53", "human_topics": "53",
        "bias": "0.1413", "correlation": "0.6536", "tau": "0.9697", "tau_low": "0.8485",
        "tau_high": "1.0000", "pairs": "66", "kept": "54", "lost": "0", "invented": "2",
        "reversed": "0", "effective_topics": "53.0000",
    }  # fmt: skip


def test_more_topics_of_gpt4_are_worth_human_ones(
    data: Path, tmp_path: Path, confint: Confint
) -> None:
    folder = data / "judges-dl21"
    first, second = (
        (folder / f"ndcg10.{name}.csv").read_text().splitlines()
        for name in ("umbrela-gpt4", "gpt4-424-more-topics")
    )
    assert first[0] == second[0]
    path = tmp_path / "gpt4.csv"
    path.write_text("\n".join([*first, *second[1:], ""]))
    human = folder / "ndcg10.human.csv"
    (row,) = records(confint("agreement", human, "--judge-scores", path, "--draws", 500,
                             "--measure-name", "nDCG@10"))  # fmt: skip
    assert (row["topics"], row["human_topics"]) == ("477", "53")
    assert 75 < float(row["effective_topics"]) < 90
