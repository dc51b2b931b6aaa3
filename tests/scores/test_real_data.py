"""The real collections: what trec_eval printed, and what the files' own summary rows say.

`make reproduce` runs this file.
"""

from pathlib import Path

import numpy as np
import pytest

from confint_cli.common.parallel import Local
from confint_cli.inputs import read_scores
from confint_cli.scores.join import Joining, join
from confint_cli.scores.scoring import score_runs
from tests.conftest import Confint
from tests.inputs.test_all_formats import EVERYTHING


def test_scoring_equals_trec_eval_on_17_real_runs(data: Path) -> None:
    """Every topic, run and measure, to the four decimals that trec_eval 9.0.4 printed."""
    folder = data / "robust2003-runs"
    runs = sorted(str(path) for path in (folder / "runs").glob("*.gz"))
    printed = {
        path.stem: read_scores(str(path), EVERYTHING)[1]
        for path in (folder / "eval").glob("*.eval")
    }
    measures = list(printed["InexpC2"].measures)
    assert (len(runs), len(printed), len(measures)) == (17, 17, 24)
    scored = score_runs(str(folder / "robust03_qrels.txt"), runs, measures, workers=Local(2))
    compared = 0
    for reading in scored.readings:
        name = Path(reading.path).name.removeprefix("input.").removesuffix(".gz")
        for ours, theirs in zip(reading.series, printed[name].series, strict=True):
            assert ours.measure == theirs.measure
            expected = dict(zip(theirs.topics, theirs.values.tolist(), strict=True))
            found = dict(zip(ours.topics, ours.values.tolist(), strict=True))
            assert found.keys() == expected.keys()
            for topic, value in found.items():
                assert float(f"{value:.4f}") == expected[topic], (name, ours.measure, topic)
                compared += 1
    assert compared == 40_800


@pytest.mark.parametrize(
    ("collection", "runs", "topics"),
    [("trec8.adhoc", 129, 50), ("trec13.robust", 83, 100), ("trec15.terabyte-adhoc", 61, 149)],
)
def test_the_topics_of_a_real_track_agree_with_the_summary_rows(
    collection: str, runs: int, topics: int, data: Path
) -> None:
    """No measure of any file differs from its own mean, gm_ and num_ left out."""
    paths = sorted((data / "soboroff2014" / collection).glob("*.eval"))
    readings = [read_scores(str(path), EVERYTHING)[1] for path in paths]
    scores, notices = join(readings, Joining(measures=("all",)))
    assert scores.values.shape[:2] == (topics, runs)
    assert not np.isnan(scores.values).any()
    told = [notice.text for notice in notices]
    assert [text for text in told if not text.startswith("83 files have no summary row")] == []


def test_the_published_mean_of_weaver1(data: Path, confint: Confint) -> None:
    path = data / "soboroff2014" / "trec8.adhoc" / "weaver1.eval"
    result = confint("score", "-m", "AP", path)
    assert np.mean([float(row[3]) for row in result.rows]) == pytest.approx(0.2175, abs=5e-5)


def test_trec_evals_own_test_inputs(data: Path, confint: Confint) -> None:
    """Comments and graded judgements, against what trec_eval 10 expects of itself.

    Left out are the interpolated precisions, which trec_eval 10 computes with another rounding
    than 9 and pytrec_eval (0.2098 for 0.2096).
    """
    folder = data / "trec_eval-test"
    expected = {
        (fields[1], fields[0]): fields[2]
        for line in (folder / "out.test.aq").read_text().splitlines()
        if len(fields := line.split()) == 3
    }
    measures = ["map", "Rprec", "bpref", "recip_rank", "ndcg", "ndcg_cut_10", "P_10", "recall_100",
                "infAP", "success_5", "set_F", "set_P", "map_cut_20", "utility"]  # fmt: skip
    for qrels in ("qrels.test", "qrels.test.with-comments"):
        result = confint("score", "-q", folder / qrels, "-m", ",".join(measures),
                         folder / "results.test", "--quiet")  # fmt: skip
        assert result.status == 0, result.err
        checked = 0
        for _, topic, measure, score in result.rows:
            if (topic, measure) in expected:
                assert score == expected[topic, measure], (topic, measure)
                checked += 1
        assert checked == 3 * len(measures)
