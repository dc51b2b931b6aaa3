"""`confint report` of collections, groups, repeats, a cheaper judge, and unjudged documents."""

import json
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.conftest import SAMPLES, Confint
from tests.studies.test_report import (
    Page,
    by_view,
    check_comparisons,
    check_standings,
    page_of,
    probability,
    rows_of,
    shown,
    strip_of,
    where,
)

SUITE = (
    "--labels", "{collection}/{run}.run", "-q", SAMPLES / "suite/{collection}/qrels.txt",
    "-m", "nDCG@10,AP", *sorted((SAMPLES / "suite").glob("*/*.run")), "--quiet",
)  # fmt: skip
CONVERSATIONS = (
    "--groups", "{group}_{}", "-q", SAMPLES / "conversations/qrels.txt", "-m", "nDCG@10",
    *sorted((SAMPLES / "conversations").glob("*.run")), "--quiet",
)  # fmt: skip
SEEDS = (
    "--labels", "{run}.seed{repeat}.eval", "--labels", "{run}.eval", "-m", "map",
    *sorted((SAMPLES / "seeds").glob("*.eval")), "--quiet",
)  # fmt: skip
JUDGED = sorted((SAMPLES / "judges/runs").glob("*.run"))
JUDGE = (
    "-q", SAMPLES / "judges/human.qrels", "--judge-qrels", SAMPLES / "judges/llm.qrels",
    "-m", "nDCG@10,AP", *JUDGED, "--quiet",
)  # fmt: skip
UNJUDGED = (
    "-q", SAMPLES / "unjudged/qrels.txt", "-m", "P@10,nDCG@10",
    *sorted((SAMPLES / "unjudged/runs").glob("*.run")),
)  # fmt: skip
BASELINE = ("--baseline", "bm25")


def json_of(confint: Confint, command: str, *args: object) -> list[dict[str, Any]]:
    return rows_of(confint(command, *args, "-f", "json"))


# The figures are those of the commands


@pytest.mark.parametrize(
    ("scores", "options", "method"),
    [
        pytest.param(SUITE, (), "t", id="collections"),
        pytest.param(SUITE, ("--for-new", "collections"), "t", id="new collections"),
        pytest.param(CONVERSATIONS, (), "t", id="groups"),
        pytest.param(CONVERSATIONS, ("--group-weight", "equal"), "t", id="equal groups"),
        pytest.param(SEEDS, (), "t", id="repeats"),
        pytest.param(JUDGE, (), "ppi", id="judge"),
        pytest.param(UNJUDGED, ("--unjudged", "bounds", "--quiet"), "imbens-manski", id="bounds"),
        pytest.param(UNJUDGED, ("--unjudged", "skip", "--quiet"), "t", id="condensed lists"),
    ],
)
def test_the_figures_are_those_of_rank_and_compare(
    scores: tuple[object, ...], options: tuple[str, ...], method: str, confint: Confint
) -> None:
    page = page_of(confint("report", *scores, *options, *BASELINE))
    ranked = json_of(confint, "rank", *scores, *options)
    check_standings(page, ranked, f"{method} 95%")
    compared = json_of(confint, "compare", *scores, *options, *BASELINE)
    check_comparisons(page, compared, "bm25", method)
    assert len(compared) == len(ranked) - len(by_view(ranked))


@pytest.mark.parametrize(
    "scores", [pytest.param(SUITE, id="collections"), pytest.param(JUDGE, id="judge")]
)
def test_signatures_are_those_of_the_commands(scores: tuple[object, ...], confint: Confint) -> None:
    page = page_of(confint("report", *scores, *BASELINE))
    calls = [("rank",), ("compare", *BASELINE)] + [("agreement",)] * (scores is JUDGE)
    for call in calls:
        signature = json.loads(confint(*call, *scores, "-f", "json").out)["signature"]
        assert "|".join(f"{key}:{value}" for key, value in signature.items()) in page.text


def test_calls_have_the_options_of_designs_and_no_folders(tmp_path: Path, confint: Confint) -> None:
    text = page_of(confint("report", *SUITE, *BASELINE, "--for-new", "collections")).text
    options = (
        "-q '{collection}/qrels.txt' -m nDCG@10,AP --labels '{collection}/{run}.run' "
        "--for-new collections FILES\n"
    )
    assert f"confint rank {options}" in text
    assert f"confint compare --baseline bm25 {options}" in text
    page = page_of(confint("report", *JUDGE, "--correct", "bh", *BASELINE))
    options = "-q human.qrels --judge-qrels llm.qrels -m nDCG@10,AP FILES\n"
    assert f"confint rank {options}" in page.text
    assert f"confint compare --baseline bm25 --correct bh {options}" in page.text
    assert f"confint agreement {options}" in page.text
    secret = tmp_path / "secret"
    secret.mkdir()
    groups = secret / "conversations.tsv"
    run = (SAMPLES / "conversations/bm25.run").read_text().splitlines()
    topics = dict.fromkeys(line.split()[0] for line in run)
    groups.write_text("".join(f"{topic}\t{topic.split('_')[0]}\n" for topic in topics))
    page = page_of(confint("report", "--groups", groups, *CONVERSATIONS[2:]))
    assert "--groups conversations.tsv" in page.text
    for source in (page.source, text):
        assert "secret" not in source
        assert str(SAMPLES) not in source
        assert "sample_runs" not in source


def test_only_options_that_comparisons_have_go_into_their_call(confint: Confint) -> None:
    options = ("--margin", "0.05", "--paired-repeats", *BASELINE)
    page = page_of(confint("report", *SEEDS, *options))
    assert "confint compare --baseline bm25 --paired-repeats --margin 0.05 -m map" in page.text
    rank = re.search(r"confint rank .*", page.text)
    assert rank is not None
    assert not re.search("margin|paired", rank[0])


# Margins, effect sizes, repeats


def test_margins_have_a_verdict(confint: Confint) -> None:
    evals = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    args = (*evals, "-m", "map", "--quiet", *BASELINE, "--margin", "0.05", "--effect-intervals")
    page = page_of(confint("report", *args))
    rows = {row["run"]: row for row in json_of(confint, "compare", *args)}
    table = page.table("Comparisons with bm25 on map")
    verdicts = {}
    for record in table.records[1:]:
        row = rows[record["run"]]
        assert record["p (not worse)"] == probability(row["p_noninferior"])
        assert record["p (equivalent)"] == probability(row["p_equivalent"])
        ends = (row["hedges_gz_low"], row["hedges_gz_high"])
        assert f"[{shown(ends[0])}, {shown(ends[1])}]" in record.values()
        verdicts[record["run"]] = record["verdict"]
    assert len(set(verdicts.values())) > 1
    assert "less than 0.05 (the margin) was chosen as one that does not matter." in page.words


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--margin", "0.05"), 0, "--margin is for comparisons, which need --baseline"),
        (("--effect-intervals",), 0, "--effect-intervals is for comparisons, which need"),
        (("--paired-repeats", *BASELINE), 2, "--paired-repeats is for runs with repeats"),
        (("--margin", "-1", *BASELINE), 2, "margin"),
        (("--for-new", "collections"), 2, "--for-new collections"),
        (("--unjudged", "bounds"), 2, "--unjudged bounds needs -q"),
    ],
)
def test_options_without_use_are_told(
    options: tuple[str, ...], status: int, said: str, confint: Confint
) -> None:
    evals = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    result = confint("report", *evals, "-m", "map", *options)
    assert result.status == status
    assert said in result.err
    assert said not in result.out


def test_what_repeats_are_and_what_they_vary(confint: Confint) -> None:
    page = page_of(confint("report", *SEEDS, *BASELINE))
    rows = json_of(confint, "rank", *SEEDS)
    table = page.table("Standings on map")
    assert table.column("repeats") == [str(row["repeats"]) for row in rows] == ["5", "5", "1"]
    assert table.column("repeat share") == [shown(row["repeat_share"]) for row in rows]
    assert "Intervals and ranks are for new repeats and new topics." in page.words
    assert "Scores are means over the repeats of a run." in page.words
    assert "1 run has no repeats, and is treated as the same each time: bm25." in page.words
    scores = [
        [float(row[-1]) for row in confint("score", path, "-m", "map", "--digits", 9).rows]
        for path in sorted((SAMPLES / "seeds").glob("hybrid.seed*.eval"))
    ]
    ours = sorted(strip_of(page, "hybrid"))
    np.testing.assert_allclose(ours, sorted(map(mean, zip(*scores, strict=True))), atol=0.51e-4)


def test_several_runs_without_repeats_are_spoken_of_as_several(
    tmp_path: Path, confint: Confint
) -> None:
    lines = ["run\trepeat\ttopic\tmeasure\tscore"]
    random = np.random.default_rng(6)
    for run, repeat in (("a", 1), ("a", 2), ("a", 3), ("b", ""), ("c", "")):
        lines += [f"{run}\t{repeat}\t{topic}\tm\t{random.random():.3f}" for topic in range(20)]
    path = tmp_path / "task.tsv"
    path.write_text("\n".join([*lines, ""]))
    words = page_of(confint("report", path, "--quiet")).words
    assert "2 runs have no repeats, and are treated as the same each time: b, c." in words


# Collections


def test_all_collections_together(confint: Confint) -> None:
    page = page_of(confint("report", *SUITE))
    rows = [row for row in json_of(confint, "rank", *SUITE) if row["measure"] == "AP"]
    views = by_view(rows)
    matrix = page.table("Means of runs in each collection, on AP")
    assert matrix.headers == ["run", "macro", "forum", "news", "science"]
    macro = views["on AP over all collections"]
    assert matrix.column("run") == [row["run"] for row in macro]
    for collection in matrix.headers[1:]:
        own = views[where({"measure": "AP", "collection": collection})]
        several = sum(bool(row["tied_with_best"]) for row in own) > 1
        means = {
            row["run"]: shown(row["mean"]) + ("*" if row["tied_with_best"] and several else "")
            for row in own
        }
        assert dict(zip(matrix.column("run"), matrix.column(collection), strict=True)) == means
    ahead = page.table("Who is ahead in each collection, on AP")
    order = []
    for record in ahead.records:
        own = views[f"on AP in {record['collection']}"]
        best = min(own, key=lambda row: row["rank"])
        average = mean(row["mean"] for row in own)
        order.append(average)
        assert (record["ahead"], record["its mean"]) == (best["run"], shown(best["mean"]))
        assert record["tied"] == str(sum(bool(row["tied_with_best"]) for row in own) - 1)
        assert record["mean of runs"] == shown(average)
        assert record["topics"] == str(best["topics"])
    assert len(order) == 3
    assert order == sorted(order)  # the hardest first


def test_all_together_comes_first_and_each_view_has_its_place(confint: Confint) -> None:
    page = page_of(confint("report", *SUITE, *BASELINE))
    options = [own["value"] for tag, own in page.elements if tag == "option"]
    assert options == ["0", "1", "2", "3", "all", "0", "1", "all"]
    assert "all 3 collections together" in page.text
    for section in ("standings", "comparisons", "topics"):
        ids = re.findall(rf'<div class="view" id="{section}-(\d+-\d+)"', page.source)
        assert ids == [f"{measure}-{place}" for measure in (1, 2) for place in range(4)]
        folded = re.findall(rf'id="{section}-\d+-\d+"[^>]*>(<noscript>)?', page.source)
        assert folded == ["", *["<noscript>"] * 7]
    assert "Intervals and ranks are for new topics of these 3 collections." in page.words
    captions = [table.caption for table in page.tables]
    assert len(captions) == len(set(captions))
    assert "Topics and scores on AP in news, the hardest topic first" in captions
    assert not [caption for caption in captions if "Topics" in caption and "all coll" in caption]


def test_caveats_of_a_collection_stand_by_themselves(tmp_path: Path, confint: Confint) -> None:
    random = np.random.default_rng(3)
    lines = ["run\tcollection\ttopic\tmeasure\tscore"]
    for collection, topics in (("large", 60), ("small", 8)):
        for run in "abc":
            scores = random.random(topics)
            if (collection, run) == ("large", "c"):
                scores[2:] = 0
            lines += [f"{run}\t{collection}\t{topic}\tm\t{s}" for topic, s in enumerate(scores)]
    path = tmp_path / "task.tsv"
    path.write_text("\n".join([*lines, ""]))
    page = page_of(confint("report", path, "--quiet"))
    (details,) = re.findall("<details>.*?</details>", page.source, flags=re.DOTALL)
    inside = re.sub("<[^>]*>", " ", details)
    assert "2 more about single collections" in inside
    said = r"1 run has the same score on so many topics.*: c\."
    assert re.search(rf"large\s.*{said}", inside, re.DOTALL)
    assert re.search(r"small\s.*8 topics are few", inside, re.DOTALL)
    assert "8 topics, as in the smallest collection, are few" in page.words
    assert "68 topics are few" not in page.words


def test_notices_are_for_readers_of_the_page(confint: Confint) -> None:
    """What advises on options is for who makes the page; what is told is for both."""
    result = confint("report", *UNJUDGED, *BASELINE)
    words = page_of(result).words
    assert "--unjudged bounds shows" in result.err
    said = "some runs have fewer judged documents in their first 10: dense 40% (highest: bm25 100%)"
    assert said in words
    assert "--unjudged" not in words
    result = confint("report", *CONVERSATIONS[2:-1])
    assert "; if so, use --groups '{group}_{}'\n" in result.err
    words = page_of(result).words
    assert "turns of 16 conversations, or like variants of a query, which are not indep" in words
    assert "--groups" not in words


def test_advice_on_files_is_for_who_makes_the_page(tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "task.tsv"
    lines = ["run\tseed\ttopic\tmeasure\tscore"]
    random = np.random.default_rng(4)
    for run, seed, topic in product("ab", range(3), range(20)):
        lines.append(f"{run}\t{seed}\t{topic}\tm\t{random.random():.3f}")
    path.write_text("\n".join([*lines, ""]))
    result = confint("report", path)
    assert f"{path}: column 'seed' is read as repeats; --labels none ignores it" in result.err
    words = page_of(result).words
    assert "task.tsv: column 'seed' is read as repeats" in words
    assert "ignores it" not in words


# Groups


def test_topics_name_their_groups(confint: Confint) -> None:
    page = page_of(confint("report", *CONVERSATIONS))
    table = page.table("Topics and scores on nDCG@10, the hardest topic first")
    assert table.headers[:3] == ["topic", "group", "mean"]
    assert len(table.rows) == 140
    for topic, group, *_ in table.rows:
        assert topic.split("_")[0] == group
    assert "Intervals and ranks are for new groups like these 16." in page.words
    standings = page.table("Standings on nDCG@10")
    rows = json_of(confint, "rank", *CONVERSATIONS)
    assert standings.column("design effect") == [shown(row["design_effect"]) for row in rows]


# A cheaper judge


def per_topic(confint: Confint, qrels: Path, measure: str) -> dict[str, dict[str, float]]:
    """Return the scores by topic of each run, by one of the judges."""
    args = ("-q", qrels, "-m", measure, *JUDGED, "--digits", 17, "--quiet")
    scores: dict[str, dict[str, float]] = {}
    for run, topic, _, score in confint("score", *args).rows:
        scores.setdefault(run, {})[topic] = float(score)
    return scores


def t_interval(scores: Sequence[float]) -> str:
    half = stats.t.ppf(0.975, len(scores) - 1) * stats.sem(scores)
    return f"[{shown(mean(scores) - half)}, {shown(mean(scores) + half)}]"


def test_people_and_the_judge_stand_side_by_side(confint: Confint) -> None:
    """On the topics with both judges: means, ranks and t intervals by scipy from plain scores."""
    page = page_of(confint("report", *JUDGE))
    people = per_topic(confint, SAMPLES / "judges/human.qrels", "nDCG@10")
    judge = per_topic(confint, SAMPLES / "judges/llm.qrels", "nDCG@10")
    shared = sorted(people["bm25"])
    assert len(shared) == 50
    both = {
        run: ([people[run][topic] for topic in shared], [judge[run][topic] for topic in shared])
        for run in people
    }
    orders = [sorted(both, key=lambda run, of=of: -mean(both[run][of])) for of in (0, 1)]  # type: ignore[misc]
    assert orders[0] != orders[1]
    table = page.table("People and the judge on nDCG@10")
    assert table.column("run") == orders[0]
    bias = mean(mean(by_judge) - mean(by_people) for by_people, by_judge in both.values())
    moved = sorted(both, key=lambda run: -abs(mean(both[run][1]) - mean(both[run][0]) - bias))[:3]
    for record, classes in zip(table.records, table.classes, strict=True):
        by_people, by_judge = both[record["run"]]
        places = [order.index(record["run"]) + 1 for order in orders]
        assert record["people's rank"] == str(places[0])
        assert record["judge's rank"] == str(places[1])
        assert record["people's mean"] == shown(mean(by_people))
        assert record["judge's mean"] == shown(mean(by_judge))
        assert record["people 95% interval"] == t_interval(by_people)
        assert record["judge 95% interval"] == t_interval(by_judge)
        assert record["judge − people"] == shown(mean(by_judge) - mean(by_people))
        assert ("on" in classes) == (record["run"] in moved)
    assert check_scatter(page, {run: (mean(a), mean(b)) for run, (a, b) in both.items()}) == 4


def check_scatter(page: Page, means: dict[str, tuple[float, float]]) -> int:
    """Return how many dots the first picture has; each lies where its means belong."""
    picture = page.source[page.source.index('<svg class="scatter"') :].split("</svg>")[0]
    dots = re.findall(r"<circle cx=(\S+) cy=(\S+) r=4(?: class=on)?><title>(\S+):", picture)
    ticks = dict(re.findall(r'<text x="([\d.]+)" y="337" class="m">([\d.]+)<', picture))
    (x0, v0), *_, (x1, v1) = ((float(x), float(v)) for x, v in ticks.items())
    for x, y, run in dots:
        by_people = v0 + (float(x) - x0) * (v1 - v0) / (x1 - x0)
        by_judge = v0 + (320 - float(y) - x0) * (v1 - v0) / (x1 - x0)  # both have one scale
        assert (by_people, by_judge) == pytest.approx(means[run], abs=1e-3)
    return len(dots)


def test_what_agreement_says_is_on_the_page(confint: Confint) -> None:
    page = page_of(confint("report", *JUDGE))
    for row in json_of(confint, "agreement", *JUDGE):
        said = (
            f"On {row['measure']}, the judge's scores are {shown(row['bias'])} higher than "
            "people's on average; the judge orders the 4 runs"
        )
        assert said in page.words
        decided = row["kept"] + row["lost"] + row["reversed"]
        assert f"keeps {row['kept']} of {decided} decisions" in page.words
        worth = f"50 topics judged by people are worth as much as {row['effective_topics']:.0f}"
        assert worth not in page.words  # which is for one run by itself; standings have their own
        assert "50 topics judged by people are worth as much as" in page.words
    assert "4 runs on 50 topics that people judged." in page.words
    assert "A cheaper judge (llm.qrels) judged these and more, 300 topics." in page.words
    assert "Scores are people's." in page.words


def test_the_scores_on_topics_are_by_people(confint: Confint) -> None:
    page = page_of(confint("report", *JUDGE))
    people = per_topic(confint, SAMPLES / "judges/human.qrels", "nDCG@10")
    topics = page.table("Topics and scores on nDCG@10, the hardest topic first").column("topic")
    assert sorted(topics) == sorted(people["bm25"])
    expected = [people["rerank"][topic] for topic in topics]
    np.testing.assert_allclose(strip_of(page, "rerank"), expected, atol=0.51e-4)


def test_without_a_judge_there_is_no_section_on_one(confint: Confint) -> None:
    page = page_of(confint("report", *SUITE))
    assert 'id="judge"' not in page.source
    assert "judge's" not in page.words
    assert "confint agreement" not in page.words


def test_a_judge_without_further_topics(tmp_path: Path, confint: Confint) -> None:
    """The page is that of people's scores, with a section on the judge that says what it is."""
    people, llm = (SAMPLES / f"judges/{name}.qrels" for name in ("human", "llm"))
    judged = {line.split()[0] for line in people.read_text().splitlines()}
    lines = [line for line in llm.read_text().splitlines() if line.split()[0] in judged]
    (tmp_path / "same.qrels").write_text("\n".join([*lines, ""]))
    rest = (*JUDGED, "-m", "nDCG@10", "--quiet", *BASELINE)
    page = page_of(confint("report", "-q", people, "--judge-qrels", tmp_path / "same.qrels", *rest))
    plain = page_of(confint("report", "-q", people, *rest))
    assert f"A cheaper judge (same.qrels) judged {len(judged)} topics." in page.words
    assert "the result is that of people's scores only" in page.words
    assert "None" not in page.words
    assert "The standings use both" not in page.words
    assert "without further topics, the judge makes no interval shorter" in page.words
    for table in plain.tables[:2]:  # standings and comparisons; by topic, it says whose scores
        assert vars(page.table(table.caption)) == vars(table)
    for command, *call in (("rank",), ("compare", *BASELINE)):
        own = ("-q", people, *JUDGED, "-m", "nDCG@10", "--quiet", "-f", "json")
        signature = json.loads(confint(command, *call, *own).out)["signature"]
        assert "|".join(f"{key}:{value}" for key, value in signature.items()) in page.text


def test_a_judge_of_several_collections(tmp_path: Path, confint: Confint) -> None:
    """A view of each collection and of all together, by both judges."""
    random = np.random.default_rng(7)
    tables = {"people": 15, "llm": 60}
    for name, topics in tables.items():
        lines = ["run\tcollection\ttopic\tmeasure\tscore"]
        for collection in ("news", "web"):
            for run in range(5):
                for topic in range(topics):
                    score = np.clip(0.1 * run + 0.5 + 0.1 * random.normal(), 0, 1)
                    lines.append(f"run{run}\t{collection}\t{topic}\tm\t{score:.4f}")
        (tmp_path / f"{name}.tsv").write_text("\n".join([*lines, ""]))
    args = (tmp_path / "people.tsv", "--judge-scores", tmp_path / "llm.tsv", "--quiet")
    page = page_of(confint("report", *args, "--baseline", "run0"))
    check_standings(page, json_of(confint, "rank", *args), "ppi 95%")
    compared = json_of(confint, "compare", *args, "--baseline", "run0")
    check_comparisons(page, compared, "run0", "ppi")
    agreed = json_of(confint, "agreement", *args)
    assert [row["collection"] for row in agreed] == ["news", "web", "macro"]
    for row in agreed:
        table = page.table(f"People and the judge {where(row)}")
        differences = [float(text) for text in table.column("judge − people")]
        assert mean(differences) == pytest.approx(row["bias"], abs=1e-4)
    assert page.source.count('<svg class="scatter"') == 3


# Documents that nobody judged


def test_what_means_could_be(confint: Confint) -> None:
    args = (*UNJUDGED, "--unjudged", "bounds", "--quiet")
    page = page_of(confint("report", *args))
    for row in json_of(confint, "rank", *args):
        if row["measure"] == "P@10":
            table = page.table("Standings on P@10")
            (record,) = (one for one in table.records if one["run"] == row["run"])
            assert record["could be"] == f"[{shown(row['least'])}, {shown(row['largest'])}]"
    assert "Unjudged documents count as not relevant." in page.words
    assert "1 run has bounds so far apart that unjudged documents leave the mean open" in page.words


def test_a_collection_too_small_for_rows_of_its_own(tmp_path: Path, confint: Confint) -> None:
    """Its mean counts for new collections; what cannot be said of it alone is left out."""
    lines = ["run\tcollection\ttopic\tmeasure\tscore"]
    random = np.random.default_rng(1)
    for collection, topics in (("one", 1), ("two", 20), ("three", 20)):
        for run in "ab":
            scores = random.random(topics)
            lines += [f"{run}\t{collection}\t{topic}\tm\t{s}" for topic, s in enumerate(scores)]
    path = tmp_path / "task.tsv"
    path.write_text("\n".join([*lines, ""]))
    page = page_of(confint("report", path, "--for-new", "collections", "--quiet"))
    means = page.table("Means of runs in each collection, on m")
    assert means.headers[1:] == ["macro", "three", "two"]
    ahead = page.table("Who is ahead in each collection, on m")
    assert sorted(ahead.column("collection")) == ["three", "two"]
    assert re.search(r"Warning: one: .*, so it has no rows of its own", page.words)
