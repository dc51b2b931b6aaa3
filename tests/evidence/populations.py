"""The real scores that samples are drawn from: every collection at hand, by four kinds of measure.

A collection stands for topics like its own: its mean is the truth, and samples are drawn with
replacement, so that they may be larger than the collection.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from confint_cli.app.cli import run
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.stats.pairs import Pairs
from confint_cli.stats.random import derived, generator
from tests.reproduction.load import DATA, read, standardized_by_all

PAIRS = 100  # of a collection, drawn at random if there are more
MANY_RUNS = 20  # that a score can be standardised by
SUCCESS = "success@1"
TREC = {"map": "AP", "ndcg": "nDCG", "P_10": "P@10", "recip_rank": "RR"}


@dataclass(frozen=True)
class Population:
    """The scores of runs by one measure."""

    collection: str
    measure: str
    matrix: Matrix
    standardized: Matrix | None = None  # by all runs, where there are many

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1."""
        return bool(np.isin(self.matrix.values, (0, 1)).all())

    @property
    def differences(self) -> Matrix:
        """The differences of pairs of runs, a column each, but of pairs without any variance."""
        pairs = Pairs.all(len(self.matrix.runs))
        random = generator(derived(0, "pairs", self.collection, self.measure))
        chosen = np.sort(random.permutation(len(pairs))[:PAIRS])
        run, baseline = pairs.run[chosen], pairs.baseline[chosen]
        values = self.matrix.values[:, run] - self.matrix.values[:, baseline]
        names = [f"{self.matrix.runs[a]} less {self.matrix.runs[b]}" for a, b in
                 zip(run, baseline, strict=True)]  # fmt: skip
        return varying(replace(self.matrix, runs=tuple(names), values=values.round(12)))


def varying(matrix: Matrix) -> Matrix:
    """Return the columns that have any variance: others are covered by whatever interval."""
    there = np.ptp(matrix.values, axis=0) > 0
    runs = tuple(run for run, own in zip(matrix.runs, there, strict=True) if own)
    return replace(matrix, runs=runs, values=np.ascontiguousarray(matrix.values[:, there]))


def populations() -> Iterator[Population]:
    """Yield all there are, collection by collection."""
    soboroff, robust = DATA / "soboroff2014", DATA / "robust2004"
    for name, folder in {"TREC-8": "trec8.adhoc", "TREC-13": "trec13.robust"}.items():
        measures = {"map": "AP", "ndcg": "nDCG", "P10": "P@10", "recip_rank": "RR"}
        yield from _of(name, read(_files(soboroff / folder), tuple(measures)), measures)
    measures = {"map": "AP", "P10": "P@10", "recip_rank": "RR"}
    terabyte = read(_files(soboroff / "trec15.terabyte-adhoc"), tuple(measures))
    yield from _of("TREC-15", terabyte, measures)
    measures = {"AP_1000": "AP", "Q_1000": "Q", "MSnDCG_1000": "nDCG"}
    ntcir = read(_files(soboroff / "ntcir7.ir4qa"), tuple(measures))
    yield from _of("NTCIR-7", ntcir, measures)
    for measure, file in {"AP": "ap", "P@10": "p10"}.items():
        scores = read([robust / f"robust2004_{file}.csv"], ())
        yield from _of("Robust 2004", scores, {scores.measures[0]: measure})
    older = DATA / "robust2003-runs"
    scores = _scored(older / "robust03_qrels.txt", sorted((older / "runs").iterdir()), TREC)
    yield from _of("Robust 2003", scores, TREC)
    judges = DATA / "judges-dl21"
    passages = {"map": "AP", "ndcg_cut_10": "nDCG@10", "P_10": "P@10", "recip_rank": "RR"}
    scores = _scored(judges / "human.qrels", sorted((judges / "runs").iterdir()), passages, 2)
    yield from _of("DL 2021", scores, passages)
    yield from _of("DL 2019", _compatibility(judges), {"compatibility": "compat."})
    turns = DATA / "conversations-cast21"
    scores = _scored(turns / "qrels.txt", sorted((turns / "runs").iterdir()), passages, 2)
    yield from _of("CAsT 2021", scores, passages)
    yield from _ranger()
    yield from _of("tickets", _tickets(), {"correct": "correct"})


def _of(collection: str, scores: Scores, measures: dict[str, str]) -> Iterator[Population]:
    """Yield the scores by each measure, and by success at 1 where the first relevant rank is."""
    many = len(scores.runs) >= MANY_RUNS
    standardized = standardized_by_all(scores) if many else None
    for name, ours in measures.items():
        matrix = scores.matrix(name)
        by_all = varying(standardized.matrix(name)) if standardized is not None else None
        yield Population(collection, ours, varying(matrix), by_all)
        if ours == "RR":
            success = replace(matrix, measure=SUCCESS, values=(matrix.values == 1).astype(float))
            yield Population(collection, SUCCESS, varying(success))


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.eval"))


def _scored(qrels: Path, runs: Sequence[Path], measures: Sequence[str] | dict[str, str],
            relevant: int = 1) -> Scores:  # fmt: skip
    """Return the scores of runs on the topics that are judged."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "scores.tsv"
        options = ["-q", str(qrels), "-m", ",".join(measures), "--rel-level", str(relevant)]
        status = run(["score", *options, "--quiet", "-o", str(target), *map(str, runs)])
        assert status == 0, "as real runs can be scored"
        return read([target], tuple(measures))


def _ranger() -> Iterator[Population]:
    """Yield two systems on each of six collections: the ten documents that they found best."""
    folder = DATA / "collections-ranger"
    for qrels in sorted((folder / "qrels").iterdir()):
        name = qrels.name.removesuffix(".txt.gz")
        with TemporaryDirectory() as temporary:
            runs = []
            for system in ("colberter", "tasb"):
                lines = (folder / system / f"{name}.txt").read_text(encoding="utf-8").splitlines()
                fields = [line.split("\t") for line in lines]
                runs.append(Path(temporary) / system)
                text = "".join(f"{topic} Q0 {doc} {rank} {score} {system}\n"
                               for topic, doc, rank, score in fields)  # fmt: skip
                runs[-1].write_text(text, encoding="utf-8")
            measures = {"ndcg_cut_10": "nDCG@10", "recip_rank": "RR"}
            yield from _of("Ranger", _scored(qrels, runs, measures), measures)


def _compatibility(judges: Path) -> Scores:
    """Return the table without the headers that are repeated before each run."""
    lines = (judges / "dl19.original.compatibility.csv").read_text(encoding="utf-8").splitlines()
    with TemporaryDirectory() as folder:
        target = Path(folder) / "compatibility.csv"
        kept = [lines[0], *(line for line in lines[1:] if line != lines[0])]
        target.write_text("\n".join(kept) + "\n", encoding="utf-8")
        return read([target], ())


def _tickets() -> Scores:
    """Return the first of five repeats."""
    with (DATA / "repeats-tickets.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["repeat"] == "1"]
    with TemporaryDirectory() as folder:
        target = Path(folder) / "tickets.csv"
        lines = ["run,topic,correct", *(f"{r['system']},{r['topic']},{r['correct']}" for r in rows)]
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return read([target], ())
