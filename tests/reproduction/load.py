"""The real data and the published figures."""

import csv
import os
from functools import cache
from pathlib import Path

from confint_cli.common.measures import canonical
from confint_cli.inputs import read_all
from confint_cli.inputs.reading import Reader
from confint_cli.scores.join import Joining, join
from confint_cli.scores.scores import Matrix, Scores
from confint_cli.scores.selection import Chooser
from confint_cli.studies.standardize import factors_of, standardized

ROOT = Path(__file__).parent.parent.parent
DATA = Path(os.environ.get("CONFINT_DATA", ROOT.parent / "shared" / "data"))
REFERENCE = ROOT / "tests" / "reference"
COLLECTIONS = ("trec8.adhoc", "trec13.robust", "trec15.terabyte-adhoc", "ntcir7.ir4qa")
METHODS = {
    "t": "t",
    "percentile": "bootstrap_pct",
    "bootstrap-t": "bootstrap_t",
    "bca": "sk.bs-bca",
}  # as the published files call them


def robust2004() -> Matrix:
    """The average precision of 110 runs on 249 topics, which both papers of Park use."""
    (matrix,) = _matrices(_robust2004())
    return matrix


def robust2004_standardized() -> Matrix:
    """The same, standardised over all runs."""
    (matrix,) = _matrices(standardized_by_all(_robust2004()))
    return matrix


def standardized_by_all(scores: Scores) -> Scores:
    """Return scores standardised over all runs."""
    return standardized(scores, factors_of(scores.runs, scores)[0])[0]


def _robust2004() -> Scores:
    return read([DATA / "robust2004" / "robust2004_ap.csv"], ())


def read(paths: list[Path], measures: tuple[str, ...]) -> Scores:
    """Return the scores in files; no measures are all of them."""
    files = read_all(list(map(str, paths)), Reader(Chooser(measures)))
    readings = [reading for _, (_, reading) in files]
    scores, _ = join(readings, Joining(measures=measures))
    return scores


def _matrices(scores: Scores) -> list[Matrix]:
    return [scores.matrix(measure) for measure in scores.measures]


@cache
def published_coverage() -> dict[tuple[str, str, str, str], float]:
    """The coverage of Soboroff (2014) by collection, measure, method and run."""
    rows = (DATA / "soboroff2014" / "published.txt").read_text().splitlines()
    ours = {theirs: name for name, theirs in METHODS.items()}
    found = {}
    for collection, run, measure, method, *_, coverage in map(str.split, rows):
        found[collection, canonical(measure), ours[method], run] = float(coverage)
    return found


def collection(name: str) -> list[Matrix]:
    """The scores of a collection of Soboroff (2014) by the measures that were published."""
    return _matrices(_collection(name))


def collection_standardized(name: str) -> list[Matrix]:
    """The same, standardised over all runs."""
    return _matrices(standardized_by_all(_collection(name)))


def _collection(name: str) -> Scores:
    rows = (DATA / "soboroff2014" / "published.txt").read_text().splitlines()
    measures = dict.fromkeys(row.split()[2] for row in rows if row.split()[0] == name)
    paths = sorted((DATA / "soboroff2014" / name).glob("*.eval"))
    return read(paths, tuple(measures))


def published_errors(paper: str) -> dict[tuple[int, float], tuple[float, ...]]:
    """The Type I errors of a paper of Park, by table and α."""
    with (REFERENCE / f"{paper}.tsv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    return {
        (int(table), float(alpha)): tuple(map(float, figures)) for table, alpha, *figures in rows
    }
