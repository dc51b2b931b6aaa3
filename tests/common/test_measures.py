import pytest
import pytrec_eval

from confint_cli.common.catalogue import BEYOND
from confint_cli.common.measures import (
    CATALOGUE,
    DEFAULTS,
    canonical,
    is_known,
    is_mean_of_topics,
    is_scorable,
    listed_as,
    needs_extra,
    parsed,
    record,
    split_request,
)
from tests.conftest import Confint

SPELLINGS = {
    "map": ["AP", "ap", "MAP", "map"],
    "map_cut_100": ["AP@100", "map_cut_100", "map_cut_0100"],
    "Rprec": ["R-prec", "Rprec", "rprec"],
    "recip_rank": ["RR", "MRR", "recip_rank"],
    "recip_rank_cut_10": ["RR@10", "MRR@10", "recip_rank_cut_10"],
    "P_10": ["P10", "P@10", "P_10", "P@0010", "Prec@0010", "precision@10"],
    "recall_100": ["R@100", "recall_100", "Recall@100"],
    "ndcg": ["nDCG", "ndcg", "NDCG"],
    "ndcg_cut_10": ["nDCG@10", "ndcg_cut_10", "ndcg@10", "nDCG@0010"],
    "success_5": ["Success@5", "success_5"],
    "iprec_at_recall_0.10": ["IPrec@0.1", "ircl_prn.0.10", "iprec_at_recall_0.10"],
    "Rprec_mult_0.20": ["R-prec_mult_0.20", "Rprec_mult_0.2"],
    "relative_P_10": ["relative_P10", "relative_P_10"],
    "11pt_avg": ["11pt_avg", "11-pt_avg"],
    "bpref": ["Bpref", "bpref"],
    "set_F": ["SetF", "set_F"],
    "map(rel=2)": ["AP(rel=2)", "MAP( rel = 2 )", "map(rel=2)", "ap(rel=02)"],
    "P_10(rel=2)": ["P(rel=2)@10", "P_10(rel=2)", "Precision(rel=2)@0010", "prec(rel=2)@10"],
    "recip_rank_cut_10(rel=3)": ["RR(rel=3)@10", "MRR(rel=3)@10"],
    "iprec_at_recall_0.10(rel=2)": ["IPrec(rel=2)@0.1", "IPrec(rel=2)@0.10"],
    "rbp(p=0.8,rel=1)": ["RBP(rel=1,p=0.8)", "RBP(p=0.8, rel=1)", "rbp( p=0.8,rel=1 )"],
    "ndcg(dcg='exp-log2')@10": ["nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@0010"],
    "bpm(max_rel=3,t=2.0)@10": ["BPM(T=2.0,max_rel=3)@10", "BPM(max_rel=3,T=2.0)@10"],
}


@pytest.mark.parametrize(("name", "spellings"), SPELLINGS.items())
def test_all_spellings_of_a_measure_are_one(name: str, spellings: list[str]) -> None:
    assert {canonical(spelling) for spelling in [name, *spellings]} == {name}


def test_unknown_names_stand_for_themselves_but_for_the_cutoff() -> None:
    assert canonical("MSnDCG@0010") == canonical("MSnDCG@10") == canonical("MSnDCG_10")
    assert canonical("Q@0010") != canonical("Q@0100")
    assert canonical("q1") != canonical("q@1")
    assert canonical("D#-nDCG@0010") != canonical("nDCG@0010")


def test_different_measures_stay_different() -> None:
    names = [*SPELLINGS, "P_100", "map_cut_10", "ndcg_cut_100", "p10", "q10", "RBP@0.8", "RBP@0.5",
             "AP(rel=1)", "AP(rel=3)", "P(rel=2)@5", "RBP(p=0.8)", "nDCG(judged_only=True)@10",
             "RBP(p=0.5,rel=1)", "alpha_nDCG@10", "alpha_nDCG(alpha=0.3)@10"]  # fmt: skip
    assert len({canonical(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    "name",
    ["num_q", "num_ret", "num_rel_ret", "gm_map", "gm_bpref", "gm_ap", "runid", "relstring_5",
     "prefs_num_prefs_poss", "NumRet", "NumQ"],
)  # fmt: skip
def test_what_is_no_mean_of_topics_is_known(name: str) -> None:
    assert not is_mean_of_topics(name)
    assert is_known(name)


@pytest.mark.parametrize("name", ["map", "numeric_gain", "utility", "Rprec", "gmean"])
def test_means_of_topics_are_known(name: str) -> None:
    assert is_mean_of_topics(name)


@pytest.mark.parametrize("measure", CATALOGUE, ids=lambda measure: measure.name)
def test_every_measure_in_the_catalogue_can_be_computed_and_explained(measure) -> None:
    name = measure.spelled("trec_eval").replace("_k", "_10").replace("_x", "_0.10")
    assert is_scorable(name)
    for style in ("older", "ir_measures"):
        spelled = measure.spelled(style)
        if spelled:
            number = "10" if measure.parameter == "k" else "0.10"
            assert canonical(spelled.removesuffix(measure.parameter) + number
                             if measure.parameter else spelled) == canonical(name)  # fmt: skip
        assert not spelled or listed_as(spelled) is measure
    assert listed_as(measure.spelled("trec_eval")) is measure
    text = " ".join(measure.explanation().split())
    assert measure.formula in text
    assert measure.reference in text


@pytest.mark.parametrize("measure", BEYOND, ids=lambda measure: measure.name)
def test_every_measure_beyond_pytrec_eval_can_be_found_and_explained(
    measure, confint: Confint
) -> None:
    listed = measure.spelled("ir_measures")
    assert listed_as(listed) is measure
    assert needs_extra(listed.replace("@k", "@7")) is record(measure.name) is measure
    assert not is_scorable(listed.replace("@k", "@7"))
    result = confint("measures", listed.replace("@k", "@7"))
    text = " ".join(result.out.split())
    assert (result.status, result.err) == (0, "")
    assert text.startswith(f"{listed}: ")
    for part in (measure.formula, measure.reference, "pip install 'confint-cli[measures]'"):
        assert part in text


def test_the_list_of_measures_has_all(confint: Confint) -> None:
    text = confint("measures", "-f", "tsv").out
    for measure in (*CATALOGUE, *BEYOND):
        assert measure.spelled("trec_eval") in text


@pytest.mark.parametrize("name", ["AP(rel=2)", "P(rel=2)@10", "RR(rel=3)@10", "SetF(rel=2)"])
def test_a_level_of_relevance_is_a_part_of_the_name(name: str, confint: Confint) -> None:
    assert is_scorable(name)
    found = parsed(name)
    assert found is not None
    assert found.level == int(name.partition("=")[2][0])
    words = " ".join(confint("measures", name).out.split())
    assert "counts grades of 2 or more as relevant" in words


@pytest.mark.parametrize(
    "name", ["nDCG(rel=2)@10", "AP(rel=2.5)", "AP(rel=-1)", "AP(rel=)", "P(rel=2)", "P(rel=2)@0",
             "AP(rel=2,judged_only=True)", "AP(rel=12345)", "G(rel=2)", "(rel=2)@10"],
)  # fmt: skip
def test_a_level_that_pytrec_eval_does_not_know(name: str) -> None:
    assert not is_scorable(name)


def test_the_catalogue_has_all_that_pytrec_eval_computes() -> None:
    known = {measure.name for measure in CATALOGUE}
    computed = {name for name in pytrec_eval.supported_measures if is_mean_of_topics(name)}
    assert computed <= known
    assert known - computed == {"recip_rank_cut"}


def test_the_default_measures_are_in_their_one_spelling() -> None:
    assert [canonical(name) for name in DEFAULTS] == [*DEFAULTS]


def test_requests_are_split_at_commas_but_not_inside_a_name() -> None:
    available = ["AP", "NCUrb,P@0010", "NCUrb,P"]
    assert split_request(["AP,NCUrb,P@10"], available) == ["AP", "NCUrb,P@10"]
    assert split_request(["NCUrb,P", "AP"], available) == ["NCUrb,P", "AP"]
    assert split_request(["map, P_10,,map"]) == ["map", "P_10"]
    assert split_request(["num_ret,map", "relstring_5,ndcg"]) == [
        "num_ret", "map", "relstring_5", "ndcg",
    ]  # fmt: skip


def test_requests_are_not_split_inside_brackets_and_quotes() -> None:
    names = [
        "AP(rel=2)",
        "RBP(rel=1,p=0.8)",
        "nDCG(gains={0:0,1:1})@10",
        "nDCG(dcg='a,b')@5",
        "P@10",
    ]
    assert split_request([",".join(names)]) == names
    assert split_request([", ".join(names[:3]), *names[2:]]) == names
    assert split_request(["RBP(p=0.8, rel=1),AP,RBP(rel=1,p=0.8),MAP"]) == [
        "RBP(p=0.8, rel=1)", "AP",
    ]  # fmt: skip
    assert split_request(["AP(rel=2,P@10"]) == ["AP(rel=2", "P@10"]
    assert split_request(["P@10,RBP(p=0.8,rel=1)"], ["RBP(rel=1,p=0.8)", "P_10"]) == [
        "P@10", "RBP(p=0.8,rel=1)",
    ]  # fmt: skip


def test_a_family_is_found_by_its_base() -> None:
    found = record("nDCG@7")
    assert found is not None
    assert found.name == "ndcg_cut"
    found = record("P")
    assert found is not None
    assert found.name == "P"
    assert record("nonsense") is None
