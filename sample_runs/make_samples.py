"""Make up a small test collection, eight runs on it, and what evaluation tools say of them.

Two smaller sisters of the collection make a suite with it. There are also four collections in files
such as BEIR's, for models that were trained with five seeds; a collection of conversations, whose
turns are topics; models with seeds on one collection; a collection of which people judged some
topics, and a language model all of them; and one whose pool is older than one of its runs.

No real system, topic or document is behind any of it. Every candidate document of a topic
has a grade, and every system sees it through a latent score: how well the system tells
relevance, times how easy the topic is (which all systems share, so that their results are
correlated), plus how the document looks to lexical and to dense retrieval, plus noise of the
system's own. The files are written beside this script, the same bytes on every run.

Usage: python make_samples.py
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytrec_eval
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Judgements = dict[str, dict[str, int]]
Ranking = list[tuple[str, float]]
Run = dict[str, Ranking]
Evaluation = Mapping[str, Mapping[str, float]]

FOLDERS, FOLDER_SIZE = 40, 2000
"""The documents of a collection are called label-folder-number; without a label, d and a number."""

DEPTH = (60, 100)
KEYWORD_DEPTH = (8, 40)
"""The least and the greatest number a topic."""

MAX_GRADE = 3
GRADE_SHARES = (0.60, 0.27, 0.13)
"""How many of the relevant documents have the grades 1, 2 and 3."""

GRADE_APPEAL = (0.75, 1.05, 1.40)
"""How far the grades 1, 2 and 3 lift a document, times the system's strength."""

DISTRACTOR_APPEAL = 1.1
"""How far a judged document that is not relevant stands above an unjudged one."""


@dataclass(frozen=True)
class Collection:
    """A test collection, as the latent model knows it."""

    seed: int
    label: str
    """What the names of its documents begin with."""
    topics: tuple[str, ...]
    candidates: int
    """The documents of a topic that any system could retrieve, judged or not."""
    judged: tuple[int, int]
    relevant: tuple[int, int]
    """The least and the greatest number a topic."""
    typical: int
    """The median number of relevant documents a topic."""

    def generator(self, *path: str) -> np.random.Generator:
        """Return a source of random numbers for one purpose, independent of all others."""
        return np.random.default_rng([self.seed, *"/".join(path).encode()])

    def document(self, number: int) -> str:
        """Return the name of a document, of which there are as many as in all folders."""
        folder, place = divmod(number, FOLDER_SIZE)
        return f"{self.label}-{folder + 1:03}-{place + 1:04}" if self.label else f"d{number + 1}"


def topic_names(first: int, last: int) -> tuple[str, ...]:
    """Return the numbers from the first to the last, which topics are called by."""
    return tuple(str(number) for number in range(first, last + 1))


TOPICS = topic_names(301, 350)
DEMO = Collection(20250301, "DEMO", TOPICS, 400, (60, 90), (5, 40), 13)


@dataclass(frozen=True)
class System:
    """A retrieval system, as the latent model knows it.

    Lexical and dense are the shares of its noise that it has in common with other systems
    of the kind; scores are printed as low + spread * latent score.
    """

    name: str
    strength: float
    lexical: float
    dense: float
    low: float
    spread: float


SYSTEMS = (
    System("bm25", 1.66, 0.80, 0.15, 11.0, 2.4),
    System("bm25-rm3", 1.88, 0.70, 0.25, 13.0, 2.9),
    System("dense", 1.83, 0.15, 0.80, 0.58, 0.05),
    System("early-stop", 1.80, 0.50, 0.30, 41.0, 6.0),
    System("hybrid", 2.11, 0.55, 0.55, 0.30, 0.09),
    System("keyword", 1.70, 0.60, 0.00, 2.0, 0.8),
    System("tfidf", 1.44, 0.75, 0.05, 0.20, 0.06),
)

SUITE_RUNS, SUITE_DEPTH = ("bm25", "dense", "hybrid"), 20
"""The runs on every collection of the suite, and the documents that they keep a topic."""

NEWS = "news"
"""What the sample collection is called in the suite."""


@dataclass(frozen=True)
class Sister:
    """A collection of the suite, and how well each of the runs tells relevance there."""

    collection: Collection
    strengths: tuple[float, ...]


SISTERS = {
    "science": Sister(
        Collection(20250302, "SCI", topic_names(1, 30), 200, (20, 30), (3, 15), 6),
        (1.80, 1.45, 2.30),
    ),
    "forum": Sister(
        Collection(20250303, "FORUM", topic_names(1, 20), 200, (12, 20), (2, 8), 4),
        (1.45, 2.10, 2.00),
    ),
}
"""Their topics have numbers in common, as those of real collections do."""

BEIR = {
    "cooking": Sister(
        Collection(20251101, "", topic_names(1, 24), 90, (20, 30), (1, 6), 2),
        (1.70, 1.75, 2.05),
    ),
    "health": Sister(
        Collection(20251102, "", topic_names(1, 18), 90, (20, 30), (2, 12), 5),
        (1.75, 1.40, 2.00),
    ),
    "law": Sister(
        Collection(20251103, "", topic_names(1, 22), 90, (20, 30), (1, 5), 2),
        (1.80, 1.45, 1.95),
    ),
    "travel": Sister(
        Collection(20251104, "", topic_names(1, 26), 90, (20, 30), (1, 6), 2),
        (1.45, 1.95, 2.10),
    ),
}
"""Collections in the files of BEIR, and how well each of the runs of the suite does on them."""

CONVERSATIONS = {str(number): 3 + (5 * number) % 12 for number in range(1, 17)}
"""How many turns each conversation has; its topics are called conversation_turn."""

TALK = Collection(
    20250304,
    "TALK",
    tuple(f"{name}_{turn}" for name, size in CONVERSATIONS.items() for turn in range(1, size + 1)),
    120,
    (12, 20),
    (2, 8),
    4,
)
TALK_STRENGTHS = (1.45, 1.60, 1.75)
"""How well each of the runs of the suite tells relevance in conversations."""

HARDER, SUITED = 0.3, 0.2
"""How much conversations differ in how easy they are, for all systems and for one of them.

Both are the sd of a logarithm.
"""

SEEDED, SEEDS, SEED_SPREAD = ("dense", "hybrid"), 5, 0.15
"""The models that are trained with several seeds, how many, and by how much strengths differ."""

BEIR_DEPTH = 10
"""How many documents a topic the runs on BEIR's collections keep."""

SEED_MEASURES = ("map", "P_10", "ndcg_cut_10")
"""What the .eval files of seeds hold."""

JUDGED = Collection(20251230, "", topic_names(1, 300), 80, (80, 80), (4, 30), 10)
"""The collection with two judges. Every candidate has a grade; judged are those in the pools."""

BY_PEOPLE, POOL_DEPTH, JUDGED_DEPTH = 50, 10, 12
"""How many of its topics people judge; how deep the pools of all runs are, and the runs."""

JUDGED_STRENGTHS = {"bm25": 1.45, "dense": 1.75, "hybrid": 1.95}
"""How well three of the systems tell relevance there."""

RERANKER = System("rerank", 1.60, 0.20, 0.75, 4.0, 1.3)
"""What a language model has reordered. It sees its own taste where others see dense."""

DISCERNMENT, GENEROSITY, LOOKS, TASTE = 0.90, 0.10, 0.20, 0.45
"""How the language model that judges sees a document.

It takes the first as a share of the grade, adds the second, and adds so much for how the document
looks to lexical and to dense retrieval, and for a taste that it shares with the reordered run.
"""

MOODS, SLIPS = 0.35, 0.35
"""How much its grades vary besides, by topic and by document; both are sds."""

OLD = Collection(20251220, "", topic_names(1, 30), 110, (110, 110), (6, 24), 11)
"""The collection with an old pool. Every candidate has a grade; judged are those in the pool."""

OLD_RUNS, POOLED_ONLY = ("bm25", "tfidf"), "keyword"
"""The runs that its pool was made of, but for one that is not kept."""

NEWCOMER = System("dense", 1.90, 0.20, 0.80, 0.58, 0.05)
"""The run that came later, and finds other documents."""

COPY_OF, COPY, SWAPS = "dense", "dense-v2", 3
"""The run that is another but for some neighbours swapped a topic."""

UNFINISHED, UNFINISHED_TOPICS = "early-stop", TOPICS[:-4]
"""The run that ended before its last topics, and the topics that it has."""

EXACT_MATCH, EXACT_MATCH_TOPICS = "keyword", 7
"""The run that finds relevant documents on a few topics only, and how many these are."""

NTCIR_RUN, CUTOFF = "hybrid", 10

COUNTS = ("num_ret", "num_rel", "num_rel_ret")
MEASURES = (
    *COUNTS,
    "map",
    "Rprec",
    "bpref",
    "recip_rank",
    *(f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)),
    *(f"P_{cutoff}" for cutoff in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    "ndcg",
    "ndcg_cut_10",
)
"""What the .eval files hold, in the order in which trec_eval prints it."""

MIN_GEO_MEAN = 1e-5
"""What trec_eval takes for a smaller score in a geometric mean."""


@dataclass(frozen=True)
class Topic:
    """The candidate documents of a topic, in an order that tells nothing."""

    name: str
    documents: tuple[str, ...]
    grades: NDArray[np.int64]
    """-1 where a document is not judged."""
    ease: float
    lexical: FloatArray
    dense: FloatArray

    def judgements(self) -> dict[str, int]:
        """Return the grades of the judged documents, ordered by document."""
        pairs = zip(self.documents, self.grades.tolist(), strict=True)
        return {document: grade for document, grade in sorted(pairs) if grade >= 0}


def between(rng: np.random.Generator, bounds: tuple[int, int]) -> int:
    """Return a number from the least to the greatest, both included."""
    return int(rng.integers(*bounds, endpoint=True))


def make_topic(collection: Collection, name: str) -> Topic:
    """Draw the candidates of a topic, their grades, and how they look to retrieval."""
    rng = collection.generator("topic", name)
    size = collection.candidates
    numbers = rng.choice(FOLDERS * FOLDER_SIZE, size, replace=False).tolist()
    judged = between(rng, collection.judged)
    drawn = round(rng.lognormal(math.log(collection.typical), 0.6))
    relevant = int(np.clip(drawn, *collection.relevant))
    grades = np.full(size, -1)
    grades[:judged] = 0
    grades[:relevant] = 1 + rng.choice(MAX_GRADE, relevant, p=GRADE_SHARES)
    return Topic(
        name,
        tuple(collection.document(number) for number in numbers),
        grades,
        float(rng.lognormal(0.0, 0.42)),
        rng.standard_normal(size),
        rng.standard_normal(size),
    )


def latent_scores(system: System, topic: Topic, rng: np.random.Generator) -> FloatArray:
    """Return how well each candidate of the topic looks to the system."""
    own = math.sqrt(1.0 - system.lexical**2 - system.dense**2)
    noise = (
        system.lexical * topic.lexical
        + system.dense * topic.dense
        + own * rng.standard_normal(len(topic.documents))
    )
    affinity = rng.lognormal(0.0, 0.12)
    lifts = system.strength * topic.ease * affinity * np.array(GRADE_APPEAL)
    # Grade -1, not judged, is the last place.
    return np.array([DISTRACTOR_APPEAL, *lifts, 0.0])[topic.grades] + noise


def printable(scores: Iterable[float]) -> list[float]:
    """Round scores in descending order to four decimals, and keep them different."""
    units: list[int] = []
    for score in scores:
        unit = round(score * 10_000)
        units.append(min(unit, units[-1] - 1) if units else unit)
    return [unit / 10_000 for unit in units]


def rank(
    system: System, collection: Collection, topic: Topic, *, finds_relevant: bool = True
) -> Ranking:
    """Return the system's documents for a topic of the collection, best first."""
    rng = collection.generator("run", system.name, topic.name)
    scores = latent_scores(system, topic, rng)
    if not finds_relevant:
        scores[topic.grades > 0] = -np.inf
    depth = between(rng, KEYWORD_DEPTH if system.name == EXACT_MATCH else DEPTH)
    order = np.argsort(-scores, kind="stable")[:depth]
    shown = printable((system.low + system.spread * scores[order]).tolist())
    return [(topic.documents[place], score) for place, score in zip(order, shown, strict=True)]


def swap_neighbours(ranking: Ranking, rng: np.random.Generator) -> Ranking:
    """Return the ranking with some documents in the place of the next one."""
    documents = [document for document, _ in ranking]
    for place in rng.choice(len(documents) - 1, SWAPS, replace=False).tolist():
        documents[place], documents[place + 1] = documents[place + 1], documents[place]
    return [(document, score) for document, (_, score) in zip(documents, ranking, strict=True)]


def make_runs(topics: Sequence[Topic]) -> dict[str, Run]:
    """Return the runs on the sample collection by name, in alphabetical order."""
    rng = DEMO.generator("matches", EXACT_MATCH)
    matched = set(rng.choice(TOPICS, EXACT_MATCH_TOPICS, replace=False).tolist())
    runs: dict[str, Run] = {}
    for system in SYSTEMS:
        runs[system.name] = {
            topic.name: rank(
                system,
                DEMO,
                topic,
                finds_relevant=system.name != EXACT_MATCH or topic.name in matched,
            )
            for topic in topics
            if system.name != UNFINISHED or topic.name in UNFINISHED_TOPICS
        }
    runs[COPY] = {
        name: swap_neighbours(ranking, DEMO.generator("run", COPY, name))
        for name, ranking in runs[COPY_OF].items()
    }
    return dict(sorted(runs.items()))


def make_beir(sister: Sister) -> tuple[Judgements, dict[str, Run]]:
    """Return the relevant documents of a collection of BEIR, and the runs on it by seed.

    A lucky seed is lucky in all collections.
    """
    collection = sister.collection
    topics = [make_topic(collection, name) for name in collection.topics]
    known = {system.name: system for system in SYSTEMS}
    runs: dict[str, Run] = {}
    for name, strength in zip(SUITE_RUNS, sister.strengths, strict=True):
        for label, luck in seeds_of(name).items() if name in SEEDED else [(name, 0.0)]:
            system = replace(known[name], name=label, strength=strength + luck)
            runs[label] = {
                topic.name: rank(system, collection, topic)[:BEIR_DEPTH] for topic in topics
            }
    relevant = {
        topic.name: {document: grade for document, grade in topic.judgements().items() if grade}
        for topic in topics
    }
    return relevant, runs


def make_sister(sister: Sister) -> tuple[Judgements, dict[str, Run]]:
    """Return the judgements of a sister collection, and the runs on it by name."""
    collection = sister.collection
    topics = [make_topic(collection, name) for name in collection.topics]
    known = {system.name: system for system in SYSTEMS}
    runs: dict[str, Run] = {}
    for name, strength in zip(SUITE_RUNS, sister.strengths, strict=True):
        system = replace(known[name], strength=strength)
        runs[name] = {topic.name: rank(system, collection, topic) for topic in topics}
    return {topic.name: topic.judgements() for topic in topics}, runs


def make_conversations() -> tuple[Judgements, dict[str, Run]]:
    """Return the judgements of all turns, and the runs on them; turns share how easy they are."""
    topics = [make_topic(TALK, name) for name in TALK.topics]

    def easier(topic: Topic, spread: float, *path: str) -> Topic:
        name = topic.name.partition("_")[0]
        factor = float(TALK.generator("conversation", *path, name).lognormal(0.0, spread))
        return replace(topic, ease=topic.ease * factor)

    topics = [easier(topic, HARDER) for topic in topics]
    known = {system.name: system for system in SYSTEMS}
    runs: dict[str, Run] = {}
    for name, strength in zip(SUITE_RUNS, TALK_STRENGTHS, strict=True):
        system = replace(known[name], strength=strength)
        runs[name] = {
            topic.name: rank(system, TALK, easier(topic, SUITED, name)) for topic in topics
        }
    return {topic.name: topic.judgements() for topic in topics}, runs


def model_grades(topic: Topic, taste: FloatArray, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return what grade the language model gives to each candidate of the topic."""
    opinion = DISCERNMENT * topic.grades + GENEROSITY
    opinion += LOOKS * (topic.lexical + topic.dense) + TASTE * taste
    opinion += SLIPS * rng.standard_normal(len(opinion)) + MOODS * rng.standard_normal()
    grades: NDArray[np.int64] = np.rint(opinion).clip(0, MAX_GRADE).astype(np.int64)
    return grades


def make_judged() -> tuple[Judgements, Judgements, dict[str, Run]]:
    """Return the judgements of all topics by people and by a language model, and the runs.

    Both judge what any run has among its first documents. People would judge all topics so; what
    they did judge is a random sample.
    """
    topics = [make_topic(JUDGED, name) for name in JUDGED.topics]
    known = {system.name: system for system in SYSTEMS}
    systems = [replace(known[name], strength=own) for name, own in JUDGED_STRENGTHS.items()]
    runs: dict[str, Run] = {system.name: {} for system in (*systems, RERANKER)}
    people: Judgements = {}
    model: Judgements = {}
    for topic in topics:
        name, rng = topic.name, JUDGED.generator("model", topic.name)
        taste = rng.standard_normal(len(topic.documents))
        for system in systems:
            runs[system.name][name] = rank(system, JUDGED, topic)
        runs[RERANKER.name][name] = rank(RERANKER, JUDGED, replace(topic, dense=taste))
        pool = {document for run in runs.values() for document, _ in run[name][:POOL_DEPTH]}
        graded = replace(topic, grades=model_grades(topic, taste, rng))
        for judgements, seen in (people, topic), (model, graded):
            grades = seen.judgements().items()
            judgements[name] = {document: grade for document, grade in grades if document in pool}
    return people, model, dict(sorted(runs.items()))


def make_old() -> tuple[Judgements, Judgements, dict[str, Run]]:
    """Return the judgements of an old pool, those of what the newcomer adds to it, and the runs."""
    topics = [make_topic(OLD, name) for name in OLD.topics]
    known = {system.name: system for system in SYSTEMS}
    systems = (*(known[name] for name in (*OLD_RUNS, POOLED_ONLY)), NEWCOMER)
    runs: dict[str, Run] = {
        system.name: {topic.name: rank(system, OLD, topic)[:POOL_DEPTH] for topic in topics}
        for system in systems
    }
    pooled = runs.pop(POOLED_ONLY)
    early: Judgements = {}
    later: Judgements = {}
    for topic in topics:
        old_runs = (pooled, *(runs[name] for name in OLD_RUNS))
        pool = {document for run in old_runs for document, _ in run[topic.name]}
        found = {document for document, _ in runs[NEWCOMER.name][topic.name]} - pool
        grades = topic.judgements()
        for judgements, judged in (early, pool), (later, found):
            judgements[topic.name] = {
                document: grade for document, grade in grades.items() if document in judged
            }
    return early, later, runs


def seeds_of(name: str) -> dict[str, float]:
    """Return what a model is called with each seed of its training, and how lucky the seed is."""
    labels = [f"{name}.seed{seed}" for seed in range(1, SEEDS + 1)]
    return {
        label: float(DEMO.generator("seed", label).normal(0.0, SEED_SPREAD)) for label in labels
    }


def make_seeds(topics: Sequence[Topic]) -> dict[str, Run]:
    """Return runs of models on the sample collection, one for each seed of their training."""
    known = {system.name: system for system in SYSTEMS}
    runs: dict[str, Run] = {}
    for name in SEEDED:
        for label, luck in seeds_of(name).items():
            system = replace(known[name], name=label, strength=known[name].strength + luck)
            runs[label] = {topic.name: rank(system, DEMO, topic) for topic in topics}
    return runs


def evaluate(run: Run, qrels: Judgements) -> Evaluation:
    """Return the scores of every topic that the run has, by measure."""
    names = {*COUNTS, "map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {*names, "ndcg", "ndcg_cut.10"})
    results: Evaluation = evaluator.evaluate({name: dict(run[name]) for name in run})
    return results


def eval_lines(
    name: str, scores: Evaluation, measures: Sequence[str] = MEASURES
) -> list[str]:  # fmt: skip
    """Return what trec_eval -q prints: every topic, then the counts and means of all."""

    def line(measure: str, topic: str, value: float | str) -> str:
        if isinstance(value, float):
            value = f"{value:.0f}" if measure in COUNTS else f"{value:6.4f}"
        return f"{measure:<22}\t{topic}\t{value}"

    topics = sorted(scores, key=int)
    lines = [
        line(measure, topic, scores[topic][measure]) for topic in topics for measure in measures
    ]
    lines += [line("runid", "all", name), line("num_q", "all", str(len(topics)))]
    for measure in measures:
        values = [scores[topic][measure] for topic in topics]
        total = math.fsum(values)
        lines.append(line(measure, "all", total if measure in COUNTS else total / len(topics)))
        if measure == "map":
            logarithms = [math.log(max(value, MIN_GEO_MEAN)) for value in values]
            geometric = math.exp(math.fsum(logarithms) / len(topics))
            lines.append(line("gm_map", "all", geometric))
    return lines


def average_precision(gains: Sequence[int], relevant: int) -> float:
    """Return AP, where a gain above 0 is relevant."""
    found, total = 0, 0.0
    for place, gain in enumerate(gains, start=1):
        if gain > 0:
            found += 1
            total += found / place
    return total / relevant


def q_measure(gains: Sequence[int], ideal: Sequence[int], beta: float = 1.0) -> float:
    """Return Q-measure: AP with the blended ratio in the place of precision."""
    found, cumulated, ideal_cumulated, total = 0, 0, 0, 0.0
    for place, gain in enumerate(gains, start=1):
        cumulated += gain
        ideal_cumulated += ideal[place - 1] if place <= len(ideal) else 0
        if gain > 0:
            found += 1
            total += (found + beta * cumulated) / (place + beta * ideal_cumulated)
    return total / len(ideal)


def discounted_gain(gains: Sequence[int]) -> float:
    """Return Microsoft's DCG at the cutoff."""
    return math.fsum(gain / math.log2(place + 1) for place, gain in enumerate(gains[:CUTOFF], 1))


def expected_reciprocal_rank(gains: Sequence[int]) -> float:
    """Return ERR at the cutoff, for users who stop with probability gain / (greatest + 1)."""
    total, reached = 0.0, 1.0
    for place, gain in enumerate(gains[:CUTOFF], start=1):
        stops = gain / (MAX_GRADE + 1)
        total += reached * stops / place
        reached *= 1.0 - stops
    return total


def nev_lines(topic: str, ranking: Ranking, judgements: Mapping[str, int]) -> list[str]:
    """Return what NTCIREVAL prints of a topic, as far as the sample has its measures."""
    gains = [judgements.get(document, 0) for document, _ in ranking]
    ideal = sorted((grade for grade in judgements.values() if grade > 0), reverse=True)
    first = next((place for place, gain in enumerate(gains, start=1) if gain > 0), 0)
    preferred = gains.index(max(gains)) + 1 if first else 0
    measures = {
        "RR": 1.0 / first if first else 0.0,
        "AP": average_precision(gains, len(ideal)),
        "Q-measure": q_measure(gains, ideal),
        f"MSnDCG@{CUTOFF:04}": discounted_gain(gains) / discounted_gain(ideal),
        f"P@{CUTOFF:04}": sum(gain > 0 for gain in gains[:CUTOFF]) / CUTOFF,
        f"nERR@{CUTOFF:04}": expected_reciprocal_rank(gains) / expected_reciprocal_rank(ideal),
    }
    label = f"{topic:>04}"
    unfit = len(judgements) - len(ideal)
    return [
        f"{label} # syslen={len(gains)} jrel={len(ideal)} jnonrel={unfit}",
        f"{label} # r1={first} rp={preferred}",
        *(f"{label} {measure + '=':<20} {value:.4f}" for measure, value in measures.items()),
    ]


def write(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file, with the same line ends on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii", newline="\n")


def write_qrels(path: Path, qrels: Judgements) -> None:
    """Write judgements in TREC's format."""
    write(
        path,
        (f"{topic} 0 {doc} {grade}" for topic in qrels for doc, grade in qrels[topic].items()),
    )


def write_run(path: Path, name: str, run: Run, depth: int | None = None) -> None:
    """Write a run in TREC's format, or only its first documents of each topic."""
    write(
        path,
        (
            f"{topic} Q0 {document} {place} {score:.4f} {name}"
            for topic, ranking in run.items()
            for place, (document, score) in enumerate(ranking[:depth], start=1)
        ),
    )


def write_suite(folder: Path, qrels: Judgements, runs: Mapping[str, Run]) -> None:
    """Write the sample collection and its sisters, each to a folder of its own."""
    suite = {NEWS: (qrels, runs)}
    suite |= {name: make_sister(sister) for name, sister in SISTERS.items()}
    for collection, (judgements, rankings) in suite.items():
        write_qrels(folder / collection / "qrels.txt", judgements)
        for name in SUITE_RUNS:
            path = folder / collection / f"{name}.run"
            write_run(path, name, rankings[name], SUITE_DEPTH)


def write_beir(folder: Path) -> None:
    """Write the collections of BEIR: judgements as BEIR has them, and what each run retrieved."""
    for collection, sister in BEIR.items():
        qrels, runs = make_beir(sister)
        rows = (
            f"{topic}\t{doc}\t{grade}" for topic in qrels for doc, grade in qrels[topic].items()
        )
        path = folder / collection / "qrels" / "test.tsv"
        write(path, ["query-id\tcorpus-id\tscore", *rows])
        for name, run in runs.items():
            results = {topic: dict(ranking) for topic, ranking in run.items()}
            write(folder / "runs" / name / f"{collection}.json", [json.dumps(results)])


def write_conversations(folder: Path) -> None:
    """Write the collection of conversations."""
    qrels, runs = make_conversations()
    write_qrels(folder / "qrels.txt", qrels)
    for name, run in runs.items():
        write_run(folder / f"{name}.run", name, run, SUITE_DEPTH)


def write_judged(folder: Path) -> None:
    """Write the collection of two judges: what people judged of it, and a language model."""
    people, model, runs = make_judged()
    rng = JUDGED.generator("people")
    drawn = set(rng.choice(JUDGED.topics, BY_PEOPLE, replace=False).tolist())
    write_qrels(folder / "human.qrels", {name: people[name] for name in people if name in drawn})
    write_qrels(folder / "llm.qrels", model)
    for name, run in runs.items():
        write_run(folder / "runs" / f"{name}.run", name, run, JUDGED_DEPTH)


def write_old(folder: Path) -> None:
    """Write the collection with an old pool, and what was judged of it later."""
    early, later, runs = make_old()
    write_qrels(folder / "qrels.txt", early)
    write_qrels(folder / "later.txt", later)
    for name, run in runs.items():
        write_run(folder / "runs" / f"{name}.run", name, run)


def write_seeds(folder: Path, topics: Sequence[Topic], runs: Mapping[str, Run]) -> None:
    """Write what trec_eval prints of models by their seeds, and of a run that has none."""
    qrels = {topic.name: topic.judgements() for topic in topics}
    for name, run in {"bm25": runs["bm25"], **make_seeds(topics)}.items():
        lines = eval_lines(name, evaluate(run, qrels), SEED_MEASURES)
        write(folder / f"{name}.eval", lines)


def main() -> None:
    """Make up everything and write it beside this script."""
    here = Path(__file__).resolve().parent
    topics = [make_topic(DEMO, name) for name in TOPICS]
    qrels: Judgements = {topic.name: topic.judgements() for topic in topics}
    runs = make_runs(topics)
    scores = {name: evaluate(run, qrels) for name, run in runs.items()}

    write_qrels(here / "qrels.txt", qrels)
    for name, run in runs.items():
        write_run(here / "runs" / f"{name}.run", name, run)
        write(here / "trec_eval" / f"{name}.eval", eval_lines(name, scores[name]))
    write(
        here / "ntcireval" / f"{NTCIR_RUN}.nev",
        (
            line
            for topic, ranking in runs[NTCIR_RUN].items()
            for line in nev_lines(topic, ranking, qrels[topic])
        ),
    )
    write(
        here / "AP.tsmatrix",
        (
            " ".join(
                f"{scores[name][topic]['map'] if topic in run else 0.0:.4f}"
                for name, run in runs.items()
            )
            for topic in TOPICS
        ),
    )
    write(here / "run-names.txt", runs)
    write_suite(here / "suite", qrels, runs)
    write_beir(here / "beir")
    write_conversations(here / "conversations")
    write_seeds(here / "seeds", topics, runs)
    write_judged(here / "judges")
    write_old(here / "unjudged")


if __name__ == "__main__":
    main()
