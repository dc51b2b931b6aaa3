"""Golden outputs: what the program prints on the sample collection, diffed to the byte.

`make golden` writes them anew; read the diff before you commit it. What a page of docs/ shows in
full is compared there, and not here again.
"""

import re
import shlex
from pathlib import Path

import pytest

from docs.make_examples import without_versions
from tests.conftest import ROOT, Confint
from tests.versions import T_ERROR

GOLDEN = Path(__file__).parent
LAST_DIGITS = 1e-12  # relative error of what transforms and their sums give

EVALS = "sample_runs/trec_eval/bm25.eval sample_runs/trec_eval/hybrid.eval"
RUNS = ("bm25", "bm25-rm3", "dense", "dense-v2", "early-stop", "hybrid", "keyword", "tfidf")
ALL_EVALS = " ".join(f"sample_runs/trec_eval/{run}.eval" for run in RUNS)
ALL_RUNS = ALL_EVALS.replace("trec_eval", "runs").replace(".eval", ".run")

SUITE = " ".join(
    f"sample_runs/suite/{collection}/{run}.run"
    for collection in ("news", "science", "forum")
    for run in ("bm25", "dense", "hybrid")
)
OF_SUITE = (
    "--labels '{collection}/{run}.run' -q 'sample_runs/suite/{collection}/qrels.txt' " + SUITE
)

TALK = "--groups '{group}_{}' -q sample_runs/conversations/qrels.txt " + " ".join(
    f"sample_runs/conversations/{run}.run" for run in ("bm25", "dense", "hybrid")
)
SEEDED = " ".join(
    f"sample_runs/seeds/{run}.seed{seed}.eval"
    for run in ("dense", "hybrid")
    for seed in range(1, 6)
)
SEEDS = (
    "--labels '{run}.seed{repeat}.eval' --labels '{run}.eval' sample_runs/seeds/bm25.eval " + SEEDED
)

JUDGES = "-q sample_runs/judges/human.qrels --judge-qrels sample_runs/judges/llm.qrels " + " ".join(
    f"sample_runs/judges/runs/{run}.run" for run in ("bm25", "dense", "hybrid", "rerank")
)

UNJUDGED = "-q sample_runs/unjudged/qrels.txt --unjudged bounds " + " ".join(
    f"sample_runs/unjudged/runs/{run}.run" for run in ("bm25", "dense", "tfidf")
)

CASES = {
    "unjudged-compare.txt": f"compare {UNJUDGED} -m nDCG@10,P@10 --baseline bm25 -f table",
    "unjudged-compare.json": f"compare {UNJUDGED} -m AP,Recall@10 --all-pairs --simultaneous "
    "-f json",
    "unjudged-rank.txt": f"rank {UNJUDGED} -m nDCG@10 -f table",
    "unjudged-interval.txt": f"interval {UNJUDGED} -m nDCG@10,RR -f table --level 0.9",
    "unjudged-score.tsv": f"score {UNJUDGED} -m nDCG@10,AP,Rprec --every 10",
    "judges-interval.txt": f"interval {JUDGES} -m nDCG@10 -f table",
    "judges-interval.tsv": f"interval {JUDGES} -m nDCG@10,P@10 --level 0.8,0.95",
    "judges-compare.txt": f"compare {JUDGES} -m nDCG@10 --baseline bm25 -f table",
    "judges-compare.json": f"compare {JUDGES} -m nDCG@10 --all-pairs --simultaneous -f json",
    "judges-compare.tex": f"compare {JUDGES} -m nDCG@10 --baseline bm25 -f latex --signature",
    "judges-rank.txt": f"rank {JUDGES} -m nDCG@10 -f table",
    "judges-plan.txt": f"plan {JUDGES} -m nDCG@10 --half-width 0.04 --difference 0.1 -f table",
    "judges-coverage.txt": f"coverage {JUDGES} -m nDCG@10 --replicates 200 --sample-size 10,25 "
    "-f table",
    "groups-interval.tsv": f"interval {TALK} -m nDCG@10,P@10 --method t,percentile",
    "groups-interval.txt": f"interval {TALK} -m P@10 -f table --group-weight equal",
    "groups-compare.json": f"compare {TALK} -m nDCG@10 --baseline bm25 -f json",
    "groups-compare.txt": f"compare {TALK} -m nDCG@10 --all-pairs --simultaneous -f table "
    "--test t,randomization",
    "groups-rank.txt": f"rank {TALK} -m nDCG@10 -f table",
    "groups-describe.tsv": f"describe {TALK} -m nDCG@10",
    "groups-plan.txt": f"plan {TALK} -m nDCG@10 --half-width 0.05 --difference 0.1 -f table",
    "groups-coverage.txt": f"coverage {TALK} -m nDCG@10 --method t,percentile -f table "
    "--replicates 60",
    "groups-score.tsv": f"score {TALK} -m nDCG@10 --every 23",
    "repeats-interval.tsv": f"interval {SEEDS} -m map,P_10",
    "repeats-interval.md": f"interval {SEEDS} -m map -f markdown --signature",
    "repeats-compare.json": f"compare {SEEDS} -m map --baseline dense -f json",
    "repeats-compare.txt": f"compare {SEEDS} -m map --all-pairs --simultaneous -f table",
    "repeats-compare-paired.tsv": f"compare --labels '{{run}}.seed{{repeat}}.eval' {SEEDED} -m map "
    "--baseline dense --paired-repeats",
    "repeats-rank.txt": f"rank {SEEDS} -m map -f table",
    "repeats-describe.tsv": f"describe {SEEDS} -m map",
    "repeats-plan.tsv": f"plan {SEEDS} -m map --half-width 0.04 --difference 0.05",
    "repeats-coverage.tsv": f"coverage {SEEDS} -m map --replicates 200",
    "repeats-score.tsv": f"score {SEEDS} -m map --every 25",
    "score.tsv": f"score {EVALS} -m map,P@10 --every 10",
    "score.csv": f"score {EVALS} -m map,P@10 --every 10 -f csv --signature",
    "score.json": f"score {EVALS} -m map --every 25 -f json",
    "score.jsonl": f"score {EVALS} -m map --every 25 -f jsonl",
    "score.md": f"score {EVALS} -m map --every 25 -f markdown --signature",
    "score.tex": f"score {EVALS} -m map --every 25 -f latex --signature",
    "score.txt": f"score {EVALS} -m map --every 10 -f table",
    "score-defaults.txt": f"score {ALL_EVALS} --every 25 -f table",
    "score-drop.tsv": f"score {ALL_EVALS} -m map --missing drop --every 7 --sort name --digits 2",
    "score-qrels.tsv": f"score -q sample_runs/qrels.txt {ALL_RUNS} -m AP,nDCG@10,RR@5 --every 16",
    "score-level.tsv": "score -q sample_runs/qrels.txt sample_runs/runs/bm25.run -m P@5 "
    "--rel-level 2 --every 10",
    "score-trec_eval.eval": "score sample_runs/trec_eval/hybrid.eval --layout trec_eval "
    "-m map,ndcg_cut_10 --every 10",
    "score-matrix.tsv": "score sample_runs/AP.tsmatrix --run-names sample_runs/run-names.txt "
    "--every 25",
    "interval.tsv": f"interval {EVALS} -m map,P@10 --method all",
    "interval.csv": f"interval {EVALS} -m map --level 0.9,99 --signature -f csv",
    "interval.json": f"interval {EVALS} -m map -f json --method bootstrap-t",
    "interval.jsonl": f"interval {EVALS} -m map -f jsonl --method logit",
    "interval.md": f"interval {EVALS} -m map,P@10 -f markdown --signature",
    "interval.tex": f"interval {EVALS} -m map,P@10 -f latex --signature --method t,bca",
    "interval.txt": f"interval {ALL_EVALS} -m map -f table --method percentile",
    "interval-defaults.txt": f"interval {ALL_EVALS} -f table",
    "interval-few.txt": f"interval {ALL_EVALS} -m map -f table --every 17 --method all",
    "interval-one.txt": "interval sample_runs/trec_eval/keyword.eval -m map,recip_rank -f table",
    "interval-qrels.tsv": f"interval -q sample_runs/qrels.txt {ALL_RUNS} -m Success@1 "
    "--method wilson --sort name",
    "interval-matrix.tsv": "interval sample_runs/AP.tsmatrix --run-names "
    "sample_runs/run-names.txt --method bca --seed 5 --resamples 2000 --digits 6",
    "interval-nev.txt": "interval sample_runs/ntcireval/hybrid.nev -f table",
    "coverage.tsv": f"coverage {EVALS} -m map,P@10 --method all,z --replicates 200",
    "coverage.json": f"coverage {EVALS} -m map --replicates 60 -f json --method t",
    "coverage.md": f"coverage {ALL_EVALS} -m map -f markdown --signature --replicates 400",
    "coverage.tex": f"coverage {ALL_EVALS} -m map -f latex --replicates 400 --method t,bca",
    "coverage.txt": f"coverage {ALL_EVALS} -m map,recip_rank -f table --replicates 300",
    "coverage-one.txt": "coverage sample_runs/trec_eval/keyword.eval -m map -f table "
    "--sample-size 10,50 --replicates 500",
    "coverage-summary.tsv": f"coverage {ALL_EVALS} -m map --sample-size 5,20 --level 0.95,0.8 "
    "--without-replacement --summary --method t,logit --replicates 200",
    "coverage-summary.txt": f"coverage {ALL_EVALS} -m map --summary -f table --replicates 200",
    "coverage-standardized.tsv": f"coverage {ALL_EVALS} -m map,P@10 --standardize 4 "
    "--sample-size 5 --method t,z --replicates 200",
    "coverage-standardized.txt": f"coverage {ALL_EVALS} -m map --standardize all -f table "
    "--method all --replicates 200",
    "standardize.tsv": f"standardize {ALL_EVALS} -m map,P@10 --every 10",
    "standardize.csv": f"standardize {ALL_EVALS} -m map --every 10 --reference bm25,tfidf,dense "
    "-f csv --digits 6 --signature",
    "standardize.json": f"standardize {ALL_EVALS} -m map --every 25 --reference-sample 3 -f json",
    "standardize.txt": f"standardize {ALL_EVALS} -m map --every 10 --transform cdf -f table",
    "standardize-interval.txt": f"interval {ALL_EVALS} -m map --standardize all -f table",
    "standardize-compare.md": f"compare {ALL_EVALS} -m map --baseline bm25 --standardize 3 "
    "-f markdown",
    "standardize-rank.tex": f"rank {ALL_EVALS} -m map --standardize all -f latex --signature",
    "describe.tsv": f"describe {ALL_EVALS} -m map,P@10",
    "describe.json": f"describe {EVALS} -m map -f json",
    "describe.md": f"describe {ALL_EVALS} -m map -f markdown --signature",
    "describe.tex": f"describe {ALL_EVALS} -m map,P@10 -f latex",
    "describe.txt": f"describe {ALL_EVALS} -m map,recip_rank -f table",
    "describe-one.txt": "describe sample_runs/trec_eval/keyword.eval -m map,P@10 -f table",
    "describe-few.txt": f"describe {ALL_EVALS} -m map --every 10 -f table",
    "plan.tsv": f"plan {ALL_EVALS} -m map,P@10 --half-width 0.03,0.1 --difference 0.03",
    "plan.json": f"plan {EVALS} -m map --difference 0.03 --power 90% -f json",
    "plan.md": f"plan {ALL_EVALS} -m map --half-width 0.03 -f markdown --signature",
    "plan.tex": f"plan {ALL_EVALS} -m map,P@10 --difference 0.03 --half-width 0.05 -f latex",
    "plan.txt": f"plan {ALL_EVALS} -m map,P@10 --difference 0.03,0.1 --level 0.95,0.99 -f table",
    "plan-assured.txt": f"plan {EVALS} -m map --every 5 --half-width 0.1,0.15 --assurance 80% "
    "-f table",
    "plan-today.txt": f"plan {EVALS} -m map -f table",
    "plan-one.txt": "plan sample_runs/trec_eval/hybrid.eval -m map --half-width 0.03 -f table",
    "compare.tsv": f"compare {ALL_EVALS} -m map,P@10 --baseline bm25 --test all --resamples 999",
    "compare.csv": f"compare {EVALS} -m map --all-pairs --method all --level 0.9,99 -f csv",
    "compare.json": f"compare {EVALS} -m map --baseline hybrid --simultaneous -f json",
    "compare.md": f"compare {ALL_EVALS} -m map --baseline bm25 --baseline dense -f markdown",
    "compare.tex": f"compare {ALL_EVALS} -m map,P@10 --baseline bm25 -f latex --signature",
    "compare.txt": f"compare {ALL_EVALS} -m map,P@10 --baseline bm25 --test t,tukey -f table",
    "compare-pairs.txt": f"compare {ALL_EVALS} -m map --all-pairs --test tukey --simultaneous "
    "--method t -f table",
    "compare-two.txt": f"compare {EVALS} -m map --baseline bm25 -f table",
    "compare-unpaired.txt": f"compare {ALL_EVALS} -m map --baseline bm25 --unpaired -f table",
    "margin-compare.txt": f"compare {ALL_EVALS} -m map --baseline bm25 --margin 0.05 -f table",
    "margin-compare.json": f"compare {EVALS} -m map --margin 0.05 --level 0.9,0.95 -f json",
    "margin-unpaired.tsv": f"compare {EVALS} -m map --unpaired --margin 0.05 --effect-intervals",
    "margin-judges.tsv": f"compare {JUDGES} -m nDCG@10 --baseline dense --margin 0.05",
    "margin-suite.tsv": f"compare {OF_SUITE} -m P@10 --baseline bm25 --margin 0.05 "
    "--effect-intervals --columns run,collection,difference,glass_low,glass_high,hedges_gz_low,"
    "hedges_gz_high,p_noninferior,p_equivalent,verdict",
    "margin-seeds.tsv": f"compare {SEEDS} -m map --baseline bm25 --margin 0.02 --columns "
    "run,difference,low,high,p_noninferior,p_equivalent,verdict",
    "margin-unjudged.tsv": f"compare {UNJUDGED} -m nDCG@10 --baseline bm25 --margin 0.05 "
    "--columns run,least_difference,largest_difference,p_noninferior,p_equivalent,verdict",
    "margin-plan.txt": f"plan {ALL_EVALS} -m map --margin 0.03 --half-width 0.03 -f table",
    "effects-compare.tsv": f"compare {ALL_EVALS} -m map,P@10 --baseline bm25 --effect-intervals "
    "--level 0.95,0.8",
    "effects-compare.md": f"compare {EVALS} -m map --effect-intervals -f markdown",
    "gate-compare.txt": f"compare {EVALS} -m map --baseline bm25 --fail-if not-better -f table",
    "paper-interval.tex": f"interval {ALL_EVALS} -m map,P@10 --layout paper --second-best -f latex",
    "paper-interval.txt": f"interval {EVALS} -m map,P@10 --layout paper --intervals beside "
    "-f table",
    "paper-compare.tex": f"compare {ALL_EVALS} -m map,P@10 --baseline bm25 --layout paper -f latex",
    "paper-compare.md": f"compare {ALL_EVALS} -m map,P@10 --baseline bm25 --layout paper "
    "-f markdown --second-best",
    "paper-compare.txt": f"compare {ALL_EVALS} -m map --baseline bm25 --layout paper -f table",
    "paper-letters.tex": f"compare {ALL_EVALS} -m map,P@10 --all-pairs --simultaneous "
    "--layout paper -f latex",
    "paper-letters.md": f"compare {ALL_EVALS} -m map --all-pairs --layout paper -f markdown",
    "paper-suite.tex": f"compare {OF_SUITE} -m nDCG@10 --baseline bm25 --layout paper -f latex "
    "--intervals beside",
    "paper-columns.md": f"compare {ALL_EVALS} -m map --baseline bm25 --layout paper -f markdown "
    "--columns mean,difference,low,high,p_adjusted,wins",
    "collections-score.tsv": f"score {OF_SUITE} -m AP,nDCG@10 --every 10",
    "collections-interval.tsv": f"interval {OF_SUITE} -m AP,nDCG@10 --method all --level 0.9,0.99",
    "collections-interval.json": f"interval {OF_SUITE} -m nDCG@10 --for-new collections -f json "
    "--columns run,collection,collections,mean,se,df,low,high,note",
    "collections-interval.txt": f"interval {OF_SUITE} -m P@10 -f table --for-new collections",
    "collections-compare.json": f"compare {OF_SUITE} -m nDCG@10 --baseline bm25 --meta -f json",
    "collections-compare.md": f"compare {OF_SUITE} -m AP --all-pairs -f markdown --signature",
    "collections-compare.tex": f"compare {OF_SUITE} -m AP,P@10 --baseline bm25 -f latex --meta",
    "collections-compare.txt": f"compare {OF_SUITE} -m AP --all-pairs --simultaneous --for-new "
    "collections --test t,randomization -f table",
    "collections-rank.tsv": f"rank {OF_SUITE} -m AP,nDCG@10",
    "collections-rank.txt": f"rank {OF_SUITE} -m nDCG@10 -f table --for-new collections",
    "collections-describe.tsv": f"describe {OF_SUITE} -m nDCG@10 --for-new collections",
    "collections-describe.txt": f"describe {OF_SUITE} -m nDCG@10 --differences --baseline bm25 "
    "-f table",
    "collections-plan.tsv": f"plan {OF_SUITE} -m nDCG@10 --half-width 0.05 --difference 0.05",
    "collections-plan.txt": f"plan {OF_SUITE} -m nDCG@10 --difference 0.1 --for-new collections "
    "-f table",
    "collections-coverage.tsv": f"coverage {OF_SUITE} -m nDCG@10 --replicates 100",
    "collections-coverage.txt": f"coverage {OF_SUITE} -m nDCG@10 --replicates 200 --summary "
    "--for-new collections -f table",
    "risk.tsv": f"risk {ALL_EVALS} -m map,P@10 --baseline bm25 --level 0.95,0.999 --r 1,5",
    "risk.json": f"risk {EVALS} -m map --baseline hybrid -f json --method t,bca --resamples 2000",
    "risk.md": f"risk {ALL_EVALS} -m map --baseline bm25 --baseline dense --r 1,10 -f markdown",
    "risk.tex": f"risk {ALL_EVALS} -m map,P@10 --baseline bm25 --method t,bca -f latex --signature",
    "risk.txt": f"risk {ALL_EVALS} -m map --baseline bm25 --r 1,2.5 -f table",
    "risk-one.txt": f"risk {EVALS} -m map,P@10 --baseline bm25 -f table",
    "risk-summary.tsv": f"risk {ALL_EVALS} -m map,P@10 --baseline bm25 --summary --r 1,10",
    "risk-summary.txt": f"risk {ALL_EVALS} -m map --baseline bm25 --summary --top 1 -f table",
    "risk-summary.tex": f"risk {ALL_EVALS} -m map --baseline bm25 --summary --r 1,10 -f latex",
    "bayes.tsv": f"bayes {ALL_EVALS} -m map,P@10 --baseline bm25 --rope -0.01 0.01 --classical",
    "bayes.json": f"bayes {EVALS} -m map --baseline hybrid -f json --draws 2000",
    "bayes.md": f"bayes {ALL_EVALS} -m map --baseline bm25 --baseline dense -f markdown",
    "bayes.tex": f"bayes {ALL_EVALS} -m map,P@10 --baseline bm25 -f latex --signature",
    "bayes.txt": f"bayes {ALL_EVALS} -m map --baseline bm25 --classical -f table",
    "bayes-two.txt": f"bayes {EVALS} -m map,P@10 --baseline bm25 -f table",
    "bayes-two.tex": f"bayes {EVALS} -m map --baseline bm25 -f latex --classical",
    "bayes-pairs.txt": f"bayes {ALL_EVALS} -m map --all-pairs --rope -0.02 0.02 -f table",
    "bayes-unpaired.txt": f"bayes {EVALS} -m map --all-pairs --unpaired --rope -0.02 0.02 -f table",
    "rank.tsv": f"rank {ALL_EVALS} -m map,P@10",
    "rank.json": f"rank {EVALS} -m map -f json --method bca",
    "rank.md": f"rank {ALL_EVALS} -m map,P@10 -f markdown --signature",
    "rank.tex": f"rank {ALL_EVALS} -m P@10 -f latex",
    "rank.txt": f"rank -q sample_runs/qrels.txt {ALL_RUNS} -m AP,P@10 -f table",
    "rank-few.txt": f"rank {ALL_EVALS} -m map --every 10 -f table --level 0.8",
    "agreement.tsv": f"agreement {JUDGES} -m nDCG@10,P@10",
    "agreement.json": f"agreement {JUDGES} -m AP -f json --level 0.8 --draws 500 --seed 7",
    "agreement.md": f"agreement {JUDGES} -m nDCG@10 -f markdown --signature",
    "agreement.tex": f"agreement {JUDGES} -m nDCG@10,P@10 -f latex",
    "agreement.txt": f"agreement {JUDGES} -m nDCG@10,P@10,AP,RR -f table",
    "summary.tsv": "summary -m map --mean 0.2175 --sd 0.2408 --n 50 --mean 0.25 --sd 0.2 --n 8",
    "summary.txt": "summary -m map --mean 0.2175 --sd 0.2408 --n 50 -f table",
    "summary-welch.txt": "summary --mean 0.2175 --sd 0.2408 --n 50 --mean 0.35 --sd 0.2 --n 149 "
    "--baseline 1 -f table",
    "tests-tukey.txt": "tests tukey",
    "methods-z.txt": "methods z",
    "methods-credible.txt": "methods credible",
    "methods-bootstrap-t.txt": "methods bootstrap-t",
    "measures.tsv": "measures",
    "measures.txt": "measures -f table",
    "measures-ndcg.txt": "measures nDCG@10",
    "formats.txt": "formats -f table",
    "formats-trec_eval.txt": "formats trec_eval",
}

# What random numbers give is what it was before there was an ideal bootstrap.
USUAL = {"interval": 10_000, "coverage": 5000, "compare": 10_000, "risk": 10_000, "rank": 10_000}
CASES |= {
    f"resampled-{name}": f"{CASES[name]} --resamples {USUAL[CASES[name].split()[0]]}"
    for name in (
        "interval.tsv", "interval.json", "interval.jsonl", "interval-few.txt", "coverage.tsv",
        "coverage.md", "coverage-summary.tsv", "coverage-standardized.txt", "compare.csv",
        "risk.tsv", "risk-summary.tsv", "rank.json",
    )
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_output_is_the_expected_one(
    name: str, confint: Confint, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(ROOT)
    result = confint(*shlex.split(CASES[name]))
    assert result.status == 0, result.err
    found = f"$ confint {CASES[name]}\n{result.out}\n--- standard error\n{result.err}"
    found = without_versions(found)
    path = GOLDEN / name
    if request.config.getoption("--write-golden"):
        path.write_text(found, encoding="utf-8")
    expected = path.read_text(encoding="utf-8")
    # An old scipy has the first nine digits of the newest; transforms of the ideal bootstrap have
    # other last ones on other processors.
    found = with_digits_of(expected, found, max(T_ERROR, LAST_DIGITS))
    assert found == expected, "make golden, if this is what it should be"


def with_digits_of(expected: str, found: str, error: float) -> str:
    """Return what is found with the expected one of every number that is nearly the same."""
    numbers = re.compile(r"-?[0-9]+\.[0-9]{9,}(?:e-?[0-9]+)?")
    others = iter(numbers.findall(expected))

    def nearest(match: re.Match[str]) -> str:
        other = next(others, "nan")
        return other if float(match[0]) == pytest.approx(float(other), rel=error) else match[0]

    return numbers.sub(nearest, found)


def test_digits_of_an_old_scipy_may_differ_and_nothing_else() -> None:
    expected = "a 0.123456789012 and 12.5, 3.4567890123e-07"
    assert with_digits_of(expected, "a 0.123456789034 and 12.5, 3.4567890122e-07", 1e-8) == expected
    for other in ("b 0.123456789034", "a 0.123466789012", "a 0.123456789034 and 12.6"):
        found = other + expected[len(other) :]
        assert with_digits_of(expected, found, 1e-8) != expected


def test_no_expected_output_is_left_over() -> None:
    outputs = {path.name for path in GOLDEN.iterdir()} - {
        "__init__.py",
        "__pycache__",
        Path(__file__).name,
    }
    assert outputs == set(CASES)
