"""Documents that nobody judged: against pytrec_eval, ir_measures, and the definitions longhand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

from confint_cli.common.errors import CallError
from confint_cli.common.measures import parsed
from confint_cli.common.parallel import ALONE, Local
from confint_cli.common.progress import no_progress
from confint_cli.scores import run_files
from confint_cli.scores.gather import gather
from confint_cli.scores.load import load
from confint_cli.scores.request import Request
from confint_cli.scores.scores import Scores
from confint_cli.scores.scoring import Scored, score_runs
from confint_cli.scores.treatments import BOUNDS, CONDENSED, LARGEST, LEAST, SHARES, SKIP
from confint_cli.scores.unjudged import Besides, depth_of, in_order, judged_share
from tests.conftest import SAMPLES, worth_a_process

Rankings = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]

MEASURES = (
    "map", "Rprec", "recip_rank", "P_5", "ndcg", "ndcg_cut_5", "recall_5", "success_3",
    "map_cut_5", "ndcg_cut_3",
)  # fmt: skip
BOUNDED = ("AP", "AP@3", "Rprec", "RR", "RR@2", "P@2", "nDCG", "nDCG@3", "R@3", "Success@1")


# Made-up rankings, in files


def rankings(seed: int, topics: int, most: int = 12, documents: int = 15) -> Rankings:
    """Rankings with many ties, some of them in single precision only."""
    random = np.random.default_rng(seed)
    found: Rankings = {}
    for topic in range(1, topics + 1):
        chosen = random.permutation(documents)[: random.integers(1, most + 1)].tolist()
        scores = random.integers(0, 6, len(chosen)) + 1e-9 * random.integers(0, 3, len(chosen))
        found[f"{topic}"] = {f"d{one}": score for one, score in
                             zip(chosen, scores.tolist(), strict=True)}  # fmt: skip
    return found


def grades(
    seed: int, topics: int, lowest: int = -2, highest: int = 3, documents: int = 15
) -> Grades:
    """Grades of about two thirds of the documents; negative ones are no judgements."""
    random = np.random.default_rng(seed)
    return {
        f"{topic}": {
            f"d{one}": int(random.integers(lowest, highest + 1))
            for one in range(documents)
            if random.random() < 0.7
        }
        | {"d-judged": 0}
        for topic in range(1, topics + 1)
    }


def run_file(path: Path, found: Rankings) -> str:
    lines = [f"{topic} Q0 {document} 0 {score!r} t\n"
             for topic, own in found.items() for document, score in own.items()]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return str(path)


def qrels_file(path: Path, judged: Grades) -> str:
    lines = [f"{topic} 0 {document} {grade}\n"
             for topic, own in judged.items() for document, grade in own.items()]  # fmt: skip
    path.write_text("".join(lines))
    return str(path)


def scored(
    folder: Path, judged: Grades, found: Rankings, names: Sequence[str], besides: Besides,
    **options: int,
) -> Scored:  # fmt: skip
    paths = qrels_file(folder / "qrels", judged), run_file(folder / "x.run", found)
    return score_runs(paths[0], [paths[1]], names, besides=besides, **options)


def values(result: Scored, name: str = "") -> dict[str, dict[str, float]]:
    """The scores of the only run, or what is beside them, by measure and topic."""
    (reading,) = result.besides[name] if name else result.readings
    return {
        series.measure: dict(zip(series.topics, series.values.tolist(), strict=True))
        for series in reading.series
    }


def by_pytrec_eval(
    judged: Mapping[str, Mapping[str, int]],
    found: Rankings,
    names: Sequence[str],
    **options: object,
) -> dict[str, dict[str, float]]:
    """The same numbers by pytrec_eval, which is told the names of trec_eval."""
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {*names}, **options)
    results = evaluator.evaluate(found)
    return {name: {topic: own[name] for topic, own in results.items()} for name in names}


def close(one: dict[str, dict[str, float]], other: dict[str, dict[str, float]]) -> bool:
    assert one.keys() == other.keys()
    return all(one[name] == pytest.approx(other[name], abs=1e-12) for name in one)


# The order of documents


@pytest.mark.parametrize("seed", range(20))
def test_documents_are_in_the_order_of_trec_eval(seed: int) -> None:
    """One document at a time is relevant: its reciprocal rank tells where pytrec_eval has it."""
    (ranking,) = rankings(seed, 1).values()
    ranks = {
        document: by_pytrec_eval({"1": {document: 1}}, {"1": ranking}, ["recip_rank"])
        for document in ranking
    }
    expected = sorted(ranking, key=lambda document: -ranks[document]["recip_rank"]["1"])
    assert in_order(ranking) == expected
    for depth in range(1, len(ranking) + 3):
        assert in_order(ranking, depth) == expected[:depth]


def test_ties_go_by_id_downwards_and_scores_count_in_single_precision() -> None:
    assert in_order({"a": 1.0, "c": 1.0, "b": 1.0}) == ["c", "b", "a"]
    assert in_order({"a": 1.0, "b": 1.0 - 1e-12}, 1) == ["b"]  # one number to trec_eval
    assert in_order({"a": 1.0, "b": 1.0 - 1e-6}, 1) == ["a"]
    assert in_order({"d10": 0.0, "d9": -0.0, "D9": 0.0}) == ["d9", "d10", "D9"]
    assert in_order({"a": 1e300, "b": 1e301}) == ["b", "a"]  # both are infinite then
    names = {"é": 1.0, "z": 1.0, "\U0001f600": 1.0, "\uffee": 1.0, "\u4e2d": 1.0}
    assert in_order(names) == sorted(names, key=str.encode, reverse=True)


# Judged@k


@pytest.mark.parametrize("k", [1, 3, 10, 1000])
def test_a_judged_share_is_of_as_many_documents_as_there_are(k: int, tmp_path: Path) -> None:
    found, judged = rankings(1, 40), grades(2, 40)
    result = values(scored(tmp_path, judged, found, [f"Judged@{k}"], Besides()))
    for topic, share in result[f"Judged@{k}"].items():
        first = in_order(found[topic])[:k]
        number = sum(judged[topic].get(document, -1) >= 0 for document in first)
        assert share == pytest.approx(number / min(k, len(found[topic])))
    assert len({*result[f"Judged@{k}"].values()}) > 1


def test_negative_grades_are_no_judgements_and_0_is_one(tmp_path: Path) -> None:
    judged = {"1": {"a": 0, "b": -1, "c": -2, "d": 3}}
    found = {"1": {"a": 9.0, "b": 8.0, "c": 7.0, "d": 6.0, "x": 5.0}}
    names = [f"Judged@{k}" for k in range(1, 7)]
    result = values(scored(tmp_path, judged, found, names, Besides()))
    assert [own["1"] for own in result.values()] == [1, 1 / 2, 1 / 3, 2 / 4, 2 / 5, 2 / 5]
    assert judged_share({}, {}, 10) == 0.0


def test_a_missing_topic_has_no_share_and_a_measure_of_0(tmp_path: Path) -> None:
    qrels = qrels_file(tmp_path / "qrels", {"1": {"a": 0}, "2": {"a": 1}})
    run = run_file(tmp_path / "x.run", {"1": {"a": 1.0}})
    scores = loaded(request_of([run], qrels, "Judged@10"))
    assert scores.values[:, 0, 0].tolist() == [1.0, 0.0]
    shares = scores.besides[SHARES]
    assert shares.filled[:, 0, 0].tolist() == [False, True]


def test_the_same_shares_as_ir_measures_without_ties_and_negative_grades(tmp_path: Path) -> None:
    """With ties, it puts the smaller id first; it counts a grade of -1 as a judgement."""
    ir_measures = pytest.importorskip("ir_measures")
    judged = grades(3, 60, lowest=0)
    found = {
        topic: {document: 100.0 - rank for rank, document in enumerate(own)}
        for topic, own in rankings(4, 60).items()
    }
    for k in (1, 4, 10):
        ours = values(scored(tmp_path, judged, found, [f"Judged@{k}"], Besides()))
        theirs = ir_measures.iter_calc([ir_measures.Judged @ k], judged, found)
        assert ours[f"Judged@{k}"] == pytest.approx({one.query_id: one.value for one in theirs})

    def both(own: dict[str, int], ranking: dict[str, float]) -> tuple[float, float]:
        ours = values(scored(tmp_path, {"1": own}, {"1": ranking}, ["Judged@1"], Besides()))
        (theirs,) = ir_measures.iter_calc([ir_measures.Judged @ 1], {"1": own}, {"1": ranking})
        return ours["Judged@1"]["1"], theirs.value

    assert both({"a": 0, "c": 1}, {"a": 1.0, "b": 1.0}) == (0.0, 1.0)  # a tie
    assert both({"a": -1, "c": 1}, {"a": 1.0}) == (0.0, 1.0)  # a negative grade


def test_shares_are_as_deep_as_measures_but_no_deeper_than_ten(tmp_path: Path) -> None:
    assert depth_of([]) == depth_of([None]) == depth_of([3, None]) == depth_of([1000]) == 10
    assert depth_of([3, 5]) == 5
    found, judged = rankings(1, 5), grades(2, 5)
    for names, depth in (
        (["P@5"], 5), (["P@5", "nDCG@7"], 7), (["P@5", "nDCG@100"], 10), (["P@5", "AP"], 10),
        (["RR@3"], 3), (["RR"], 10), (["P(rel=2)@4"], 4), (["AP(rel=2)@6", "P_2"], 6),
        (["Rprec"], 10), (["iprec_at_recall_0.00"], 10), (["Judged@2"], 2),
    ):  # fmt: skip
        result = scored(tmp_path, judged, found, names, Besides(shares=True))
        assert [*values(result, SHARES)] == [f"Judged@{depth}"], names
        again = scored(tmp_path, judged, found, [f"Judged@{depth}"], Besides())
        assert values(result, SHARES) == values(again)


# Condensed lists


@pytest.mark.parametrize("seed", range(6))
def test_condensed_lists_are_those_of_trec_eval_with_its_option_j(
    seed: int, tmp_path: Path
) -> None:
    judged, found = grades(seed, 30), rankings(100 + seed, 30)
    skipped = values(scored(tmp_path, judged, found, MEASURES, Besides(SKIP)))
    expected = by_pytrec_eval(judged, found, MEASURES, judged_docs_only_flag=True)
    for name, own in skipped.items():
        for topic, value in own.items():
            assert value == pytest.approx(expected[name].get(topic, 0.0), abs=1e-12), (name, topic)
    beside = scored(tmp_path, judged, found, MEASURES, Besides(condensed=True))
    assert values(beside, CONDENSED) == skipped
    assert close(values(beside), by_pytrec_eval(judged, found, MEASURES))
    assert values(beside) != skipped


@pytest.mark.parametrize("share", [0.3, 0.9, 1.0])
def test_what_is_beside_scores_is_the_same_where_measures_see_judged_documents_only(
    share: float, tmp_path: Path
) -> None:
    names = ["P@3", "nDCG@2", "RR@2", "R@3", "Judged@3"]
    random = np.random.default_rng(1)
    found = rankings(8, 60)
    judged = {
        topic: {one: int(random.integers(0, 3)) for one in own if random.random() < share}
        | {"d-judged": 1}
        for topic, own in found.items()
    }
    beside = scored(tmp_path, judged, found, names, Besides(condensed=True))
    skipped = scored(tmp_path, judged, found, names, Besides(SKIP))
    assert values(beside, CONDENSED) == values(skipped)
    assert (values(beside, CONDENSED) == values(beside)) == (share == 1)


FURTHER = ("ERR@20", "RBP", "nDCG(dcg='exp-log2')@5", "P(rel=2)@3", "bpref", "RR@2")


@pytest.mark.parametrize("names", [MEASURES, FURTHER])
def test_condensed_lists_are_filtered_first_and_scored_then(
    names: Sequence[str], tmp_path: Path
) -> None:
    if "RBP" in names:
        pytest.importorskip("ir_measures")
    judged, found = grades(7, 40), rankings(8, 40)
    filtered = {
        topic: {document: score for document, score in own.items()
                if judged[topic].get(document, -1) >= 0}
        for topic, own in found.items()
    }  # fmt: skip
    skipped = values(scored(tmp_path, judged, found, names, Besides(SKIP)))
    there = {topic: own for topic, own in filtered.items() if own}
    assert 30 < len(there) < 40
    expected = values(scored(tmp_path, judged, there, names, Besides()))
    for name in names:
        assert skipped[name] == dict.fromkeys(found, 0.0) | expected[name]


def test_a_topic_without_judged_documents_scores_0(tmp_path: Path) -> None:
    judged = {"1": {"a": 1}, "2": {"a": -1, "b": -2}, "3": {"a": 2}}
    found = {"1": {"x": 2.0, "y": 1.0}, "2": {"a": 1.0}, "3": {"x": 2.0, "a": 1.0}}
    names = ["map", "P@1", "bpref", "ndcg", "Judged@1"]
    result = values(scored(tmp_path, judged, found, names, Besides(SKIP)))
    for name in names[:4]:
        assert result[name] == {"1": 0.0, "2": 0.0, "3": 1.0}
    everything = {topic: {"x": 1.0} for topic in judged}
    result = values(scored(tmp_path, judged, everything, names, Besides(SKIP)))
    assert all({*own.values()} == {0.0} for own in result.values())


def test_a_judged_share_is_of_what_was_retrieved_even_if_lists_are_condensed(
    tmp_path: Path,
) -> None:
    judged, found = grades(7, 10), rankings(8, 10)
    usual = values(scored(tmp_path, judged, found, ["Judged@5"], Besides()))
    besides = Besides(SKIP, shares=True)
    assert values(scored(tmp_path, judged, found, ["Judged@5"], besides)) == usual
    assert values(scored(tmp_path, judged, found, ["Judged@5"], besides), SHARES) == usual
    besides = Besides(condensed=True)
    assert values(scored(tmp_path, judged, found, ["Judged@5"], besides), CONDENSED) == usual


# Bounds


@pytest.mark.parametrize("level", [1, 2])
def test_bounds_are_the_least_and_the_largest_score_of_all_judgements(
    level: int, tmp_path: Path
) -> None:
    """Every judgement of small rankings is a file of judgements to pytrec_eval."""
    judged = {topic: own | {"d-judged": 2} for topic, own in
              grades(11, 25, highest=2, documents=7).items()}  # fmt: skip
    found = rankings(12, 25, most=4, documents=7)
    names = [*BOUNDED, "P(rel=2)@3", "AP(rel=1)"]
    result = scored(tmp_path, judged, found, names, Besides(BOUNDS), rel_level=level)
    least, largest, usual = values(result, LEAST), values(result, LARGEST), values(result)
    apart = 0
    for name in names:
        known = parsed(name)
        assert known is not None
        own_level = level if known.level is None else known.level
        cutoff = int(known.number) if known.number else None
        trec_eval = known.trec_eval if name != "RR@2" else "recip_rank"
        for topic, ranking in found.items():
            order = in_order(ranking)
            free = [one for one in order[:cutoff] if judged[topic].get(one, -1) < 0]
            fixed = judged[topic]
            every = {
                f"{number}": fixed | dict(zip(free, chosen, strict=True))
                for number, chosen in enumerate(product(range(3), repeat=len(free)))
            }
            evaluator = pytrec_eval.RelevanceEvaluator(
                every, {trec_eval}, relevance_level=own_level
            )
            results = evaluator.evaluate(dict.fromkeys(every, ranking))
            reached = [one[trec_eval] for one in results.values()]
            if name == "RR@2":
                reached = [value if value > 0.4 else 0.0 for value in reached]
            assert least[name][topic] == pytest.approx(min(reached), abs=1e-12), (name, topic)
            assert largest[name][topic] == pytest.approx(max(reached), abs=1e-12), (name, topic)
            assert least[name][topic] <= usual[name][topic] <= largest[name][topic]
            apart += largest[name][topic] > least[name][topic]
    assert apart > 100


def test_bounds_are_the_score_where_all_is_judged(tmp_path: Path) -> None:
    judged = {topic: {f"d{one}": 0 for one in range(15)} | {
        document: max(grade, 0) for document, grade in own.items()}
        for topic, own in grades(5, 20).items()}  # fmt: skip
    names = [*BOUNDED, "RBP", "ERR@10"]
    pytest.importorskip("ir_measures")
    found = {  # without ties, which cwl_eval breaks in another way than trec_eval
        topic: {document: float(rank) for rank, document in enumerate(own)}
        for topic, own in rankings(6, 20).items()
    }
    result = scored(tmp_path, judged, found, names, Besides(BOUNDS))
    for name, own in values(result).items():
        rounding = 5e-6 if name.startswith("ERR") else 1e-12  # gdeval prints five decimals
        for side in (LEAST, LARGEST):
            assert values(result, side)[name] == pytest.approx(own, abs=rounding)


def test_bounds_of_judged_shares_are_these(tmp_path: Path) -> None:
    """However documents might be judged, so many of them are."""
    names = ["Judged@3", "P@5"]
    result = scored(tmp_path, grades(3, 20), rankings(4, 20), names, Besides(BOUNDS))
    of_shares = values(result)["Judged@3"]
    assert values(result, LEAST)["Judged@3"] == values(result, LARGEST)["Judged@3"] == of_shares


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("bpref", "it leaves out unjudged documents, instead of counting them as not relevant"),
        ("set_F", "it has no bounds: confint has bounds for P, Success, RR, Recall, AP, Rprec, "
                  "nDCG, RBP and ERR@k"),
        ("ndcg_rel", "it has no bounds: confint has bounds for P, Success, RR, Recall, AP, Rprec, "
                     "nDCG, RBP and ERR@k"),
    ],
)  # fmt: skip
def test_measures_without_bounds_are_refused_before_anything_is_read(name: str, why: str) -> None:
    with pytest.raises(CallError) as raised:
        score_runs("no such file", ["nor this"], ["P@10", name], besides=Besides(BOUNDS))
    assert str(raised.value) == f"--unjudged bounds is not for '{name}': {why}"
    hint = "choose other measures with -m; --unjudged skip works with any measure"
    assert raised.value.hint == hint


# Through all that reads


def request_of(files: Sequence[str], qrels: str, *names: str, **more: Any) -> Request:
    """Ask for scores as the command line does, with what is said otherwise."""
    return Request(
        **{
            "files": tuple(files), "qrels": qrels, "measure": names, "missing": "zero",
            "gaps": False, "topics": None, "every": 1, "rel_level": None, "input_format": None,
            "run_names": None, "name_from": "file", "measure_name": None, "keep_going": False,
            "workers": ALONE, **more,
        }
    )  # fmt: skip


def loaded(request: Request) -> Scores:
    scores, _ = load(gather(request, {}, no_progress), request, {})
    return scores


def test_a_collection_has_its_own_highest_grade_and_topics_of_its_own(tmp_path: Path) -> None:
    """Both collections have a topic 1, and the same document."""
    for name, grade in (("a", 1), ("b", 3)):
        (tmp_path / name).mkdir()
        judged = {"1": {"d1": 1, "d2": grade}, "2": {"d1": 1}}
        qrels_file(tmp_path / name / "qrels", judged)
        for run, first in (("one", "x"), ("two", "d1")):
            found = {topic: {first: 2.0, "y": 1.0} for topic in judged}
            run_file(tmp_path / name / f"{run}.run", found)
    files = [str(tmp_path / of / f"{run}.run") for of in "ab" for run in ("one", "two")]
    qrels = str(tmp_path / "{collection}" / "qrels")
    labels = (str(tmp_path / "{collection}" / "{run}.run"),)
    request = request_of(files, qrels, "nDCG(dcg='exp-log2')@2", unjudged=BOUNDS, decides=True,
                         labels=labels)  # fmt: skip
    scores = loaded(request)
    assert scores.collections is not None
    least, largest = (scores.besides[name].values[:, :, 0] for name in (LEAST, LARGEST))
    ideal = {"a": [1, 1], "b": [7, 1]}
    weights = 1 / np.log2([2, 3])
    place = scores.runs.index("one")
    for number, name in enumerate(scores.collections.names):
        highest = {"a": 1, "b": 7}[name]
        of_all = sorted([*ideal[name], highest, highest], reverse=True)[:2]
        expected = (highest * weights).sum() / (np.array(of_all) * weights).sum()
        rows = scores.collections.slices[number]
        assert largest[rows, place][0] == pytest.approx(expected)
        assert least[rows, place].tolist() == [0, 0]
    assert scores.pool is not None
    assert [own.tolist() for own in scores.pool.counts] == [
        [0, 2],
        [0, 1],
        [0, 1, 0, 1],
        [0, 1, 0, 0],
    ]


@pytest.mark.parametrize("treatment", [BOUNDS, SKIP, "irrelevant"])
def test_processes_give_what_one_gives(treatment: str, tmp_path: Path) -> None:
    large = worth_a_process(SAMPLES / "runs/dense.run", tmp_path)
    files = [str(large), *(str(SAMPLES / f"runs/{name}.run") for name in ("hybrid", "bm25"))]
    request = request_of(files, str(SAMPLES / "qrels.txt"), "nDCG@10", "P@5", unjudged=treatment,
                         decides=True)  # fmt: skip
    alone, several = (loaded(replace(request, workers=workers))
                      for workers in (request.workers, Local(2)))  # fmt: skip
    assert alone.besides.keys() == several.besides.keys()
    for name, own in {"": alone, **alone.besides}.items():
        other = several.besides[name] if name else several
        assert np.array_equal(own.values, other.values)
        assert own.runs == other.runs
    if treatment == BOUNDS:
        assert alone.pool is not None
        assert several.pool is not None
        for one, two in zip(alone.pool.rankings.flat, several.pool.rankings.flat, strict=True):
            assert np.array_equal(one.grades, two.grades)
            assert np.array_equal(one.documents, two.documents)


@pytest.mark.parametrize("treatment", [BOUNDS, SKIP, "irrelevant"])
def test_a_run_is_read_once(treatment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    first = run_files.read_run

    def counted(source):
        read.append(source.name)
        return first(source)

    monkeypatch.setattr(run_files, "read_run", counted)
    files = [str(SAMPLES / f"runs/{name}.run") for name in ("bm25", "hybrid")]
    loaded(request_of(files, str(SAMPLES / "qrels.txt"), "P@5", unjudged=treatment, decides=True))
    assert sorted(read) == sorted(files)


def test_dropped_and_chosen_topics_and_runs_keep_what_is_beside_them(tmp_path: Path) -> None:
    judged = grades(7, 6)
    first, second = rankings(8, 6), rankings(9, 6)
    del second["3"]
    files = run_file(tmp_path / "x.run", first), run_file(tmp_path / "y.run", second)
    qrels = qrels_file(tmp_path / "qrels", judged)
    request = request_of(files, qrels, "P@3", "nDCG@5", unjudged=BOUNDS, decides=True)
    full = loaded(request)
    dropped = loaded(replace(request, missing="drop"))
    assert dropped.topics == ("1", "2", "4", "5", "6")
    rows = [full.topics.index(topic) for topic in dropped.topics]
    assert full.pool is not None
    assert dropped.pool is not None
    for name in (LEAST, LARGEST, SHARES):
        assert dropped.besides[name].topics == dropped.topics
        assert np.array_equal(dropped.besides[name].values, full.besides[name].values[rows])
    assert dropped.pool.rankings.shape == (5, 2)
    turned = full.only("y", "x").with_measures(["nDCG@5", "P@3"])
    assert np.array_equal(turned.besides[LEAST].values,
                          full.besides[LEAST].values[:, ::-1, ::-1])  # fmt: skip
    assert turned.pool is not None
    assert turned.pool.rankings[0, 0] is full.pool.rankings[0, 1]
    assert full.pool.rankings[2, 1] is None
