"""The measures, with what users read about them: those of pytrec_eval, and those beyond."""

from dataclasses import dataclass

from confint_cli.common.text import labelled


@dataclass(frozen=True)
class Measure:
    """A measure or, with a parameter, a family of them, with what users read about it."""

    name: str
    summary: str
    formula: str
    reference: str
    parameter: str = ""  # what stands for the number in the name: "k", "x" or nothing
    ir_measures: str = ""  # the name without its number in ir_measures, if it is there
    older: str = ""  # the name without its number in older versions of trec_eval, if it is there
    aliases: tuple[str, ...] = ()  # further such names in use, compared without regard to case
    graded: bool = False  # grades count as they are, so that no level of relevance can be chosen
    needs: str = ""  # what computes it, if that is not pytrec_eval

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers for which trec_eval computes a family by default; ("",) for a measure."""
        if self.name == "success":
            return ("1", "5", "10")
        if self.name == "iprec_at_recall":
            return tuple(f"{tenths / 10:.2f}" for tenths in range(11))
        if self.name == "Rprec_mult":
            return tuple(f"{fifths / 5:.2f}" for fifths in range(1, 11))
        if not self.parameter:
            return ("",)
        if self.needs.endswith("pyndeval"):  # which goes up to 20
            return ("5", "10", "20")
        return ("5", "10", "15", "20", "30", "100", "200", "500", "1000")

    def spelled(self, style: str) -> str:
        """Return the name in a style: `trec_eval`, `older` or `ir_measures`; empty: it has none."""
        if self.needs and style == "trec_eval":
            style = "ir_measures"  # trec_eval does not have it
        base = {"trec_eval": self.name, "older": self.older, "ir_measures": self.ir_measures}[style]
        if not base or not self.parameter:
            return base
        return base + {"trec_eval": "_", "older": "", "ir_measures": "@"}[style] + self.parameter

    def explanation(self) -> str:
        """Return summary, formula, spellings and reference as a text for people."""
        names = [self.spelled(style) for style in ("trec_eval", "older", "ir_measures")]
        texts = {
            "formula": self.formula,
            "spellings": ", ".join(dict.fromkeys(filter(None, names))),
            "reference": self.reference,
        }
        if self.needs:
            texts["needs"] = f"{self.needs} (pip install 'confint-cli[measures]')"
        elif not self.graded and self.ir_measures:
            example = (
                self.ir_measures + "(rel=2)" + (f"@{self.parameter}" if self.parameter else "")
            )
            texts["levels"] = f"{example} counts grades of 2 or more as relevant"
        return "\n".join([f"{names[0]}: {self.summary}", "", *labelled(texts), ""])


_SALTON = "Buckley and Voorhees, Retrieval System Evaluation, in TREC (2005)"
_JK = "Järvelin and Kekäläinen, ACM TOIS 20(4) (2002)"

CATALOGUE: tuple[Measure, ...] = (
    Measure("map", "average precision; its mean over topics is MAP",
            "(1/R) Σ P@k over the ranks k of relevant documents; R is the number of all relevant "
            "documents",
            _SALTON, ir_measures="AP", aliases=("ap", "average_precision")),
    Measure("map_cut", "average precision of the first k documents",
            "(1/R) Σ P@rank over the ranks of relevant documents up to k; R is the number of all "
            "relevant documents. NTCIREVAL's AP@k divides by min(R, k)",
            _SALTON, "k", "AP", aliases=("ap", "map")),
    Measure("Rprec", "precision at rank R, the number of relevant documents",
            "relevant documents among the first R, divided by R", _SALTON,
            ir_measures="Rprec", older="R-prec"),
    Measure("recip_rank", "reciprocal rank of the first relevant document",
            "1/rank, 0 if no relevant document is retrieved", "Voorhees, TREC-8 QA track (1999)",
            ir_measures="RR", aliases=("mrr",)),
    Measure("recip_rank_cut", "reciprocal rank, 0 if no relevant document is among the first k",
            "1/rank if rank ≤ k, otherwise 0", "Voorhees, TREC-8 QA track (1999)",
            "k", "RR", aliases=("mrr", "recip_rank")),
    Measure("P", "precision of the first k documents",
            "relevant documents among the first k, divided by k", _SALTON, "k", "P", "P",
            aliases=("prec", "precision")),
    Measure("recall", "recall of the first k documents",
            "relevant documents among the first k, divided by the number of all relevant documents",
            _SALTON, "k", "R",
            aliases=("recall",)),
    Measure("ndcg", "normalised discounted cumulated gain of the whole ranking",
            "DCG divided by the ideal DCG; gain is the grade, discount log2(rank + 1)", _JK,
            ir_measures="nDCG", graded=True),
    Measure("ndcg_cut", "normalised discounted cumulated gain of the first k documents",
            "DCG@k divided by the ideal DCG@k; gain is the grade, discount log2(rank + 1). "
            "NTCIREVAL's MSnDCG@k is of this kind, with other gains; its nDCG@k is not",
            _JK, "k", "nDCG", aliases=("ndcg",), graded=True),
    Measure("ndcg_rel", "nDCG averaged over the ranks of relevant documents",
            "mean of nDCG@rank over the ranks of relevant documents", _JK, graded=True),
    Measure("Rndcg", "nDCG at rank R", "nDCG@R; R is the number of relevant documents", _JK,
            graded=True),
    Measure("bpref", "binary preference: judged documents only",
            "(1/R) Σ over retrieved relevant d of 1 - min(n(d), R) / min(R, N); n(d) is the number "
            "of judged non-relevant documents above d, N that of all judged non-relevant documents",
            "Buckley and Voorhees, SIGIR (2004)", ir_measures="Bpref"),
    Measure("infAP", "inferred average precision, for sampled judgements",
            "expected AP given the judged documents", "Yilmaz and Aslam, CIKM (2006)",
            ir_measures="infAP"),
    Measure("success", "1 if a relevant document is among the first k, otherwise 0",
            "1 if P@k > 0, otherwise 0", _SALTON, "k", "Success"),
    Measure("iprec_at_recall", "interpolated precision at recall x",
            "max of P@k over ranks k whose recall is at least x", _SALTON, "x", "IPrec",
            aliases=("ircl_prn",)),
    Measure("11pt_avg", "mean of the interpolated precision at recall 0.0, 0.1, …, 1.0",
            "(1/11) Σ of iprec_at_recall_x", _SALTON, older="11-pt_avg", aliases=("11pt-avg",)),
    Measure("Rprec_mult", "precision of the first x·R documents, R the number of relevant ones",
            "relevant documents among the first x·R, divided by x·R", _SALTON, "x",
            aliases=("R-prec_mult",)),
    Measure("relative_P", "precision of the first k documents relative to the best possible",
            "relevant documents among the first k, divided by min(k, R)", _SALTON, "k",
            older="relative_P"),
    Measure("G", "normalised gain, between AP and nDCG",
            "Σ over relevant d of gain(d) / log2(2 + non-relevant documents above d), "
            "divided by its ideal value", "trec_eval 9 (Buckley), m_G.c", graded=True),
    Measure("binG", "normalised gain with binary relevance",
            "mean over relevant d of 1 / log2(2 + non-relevant documents above d)",
            "trec_eval 9 (Buckley), m_binG.c"),
    Measure("utility", "retrieved relevant minus retrieved non-relevant documents",
            "linear utility with weights 1, -1, 0, 0", _SALTON),
    Measure("set_P", "precision of the whole retrieved set",
            "relevant retrieved documents, divided by all retrieved ones", _SALTON,
            ir_measures="SetP"),
    Measure("set_recall", "recall of the whole retrieved set",
            "relevant retrieved documents, divided by all relevant ones", _SALTON,
            ir_measures="SetR"),
    Measure("set_F", "F measure of the whole retrieved set",
            "harmonic mean of set precision and set recall", "van Rijsbergen (1979)",
            ir_measures="SetF"),
    Measure("set_map", "set precision times set recall",
            "set_P · set_recall", _SALTON, ir_measures="SetAP"),
    Measure("set_relative_P", "set precision relative to the best possible",
            "relevant retrieved documents, divided by min(retrieved, R)", _SALTON,
            ir_measures="SetRelP"),
)  # fmt: skip


_CWL = "Azzopardi, Thomas and Moffat, SIGIR (2019)"
_IRM_CWL, _IRM_ND, _IRM = "ir_measures and cwl-eval", "ir_measures and pyndeval", "ir_measures"
_CLARKE = "Clarke and others, SIGIR (2008)"

BEYOND: tuple[Measure, ...] = (
    Measure("ERR", "expected reciprocal rank of the first k documents",
            "Σ over ranks r ≤ k of R(r)/r · Π over i < r of 1 - R(i), R(i) = (2^grade - 1) / 2^4",
            "Chapelle and others, CIKM (2009)", "k", "ERR", needs="ir_measures and Perl"),
    Measure("nDCG(dcg='exp-log2')", "normalised DCG of the first k documents, gains 2^grade - 1",
            "DCG@k divided by the ideal DCG@k; gain is 2^grade - 1, discount log2(rank + 1)",
            "Burges and others, ICML (2005)", "k", "nDCG(dcg='exp-log2')",
            needs="ir_measures and Perl"),
    Measure("RBP(rel=1,p=0.8)", "rank-biased precision with persistence p",
            "(1 - p) Σ p^(r - 1) over the ranks r of relevant documents. Without rel, grades of "
            "--rel-level or more count as relevant", "Moffat and Zobel, ACM TOIS 27(1) (2008)",
            ir_measures="RBP(rel=1,p=0.8)", needs=_IRM_CWL),
    Measure("Compat(p=0.95)", "compatibility: overlap with an ideal ranking",
            "rank-biased overlap with the closest ideal ranking, divided by its highest value",
            "Clarke, Vtyurina and Smucker, ACM TOIS 39(1) (2021)",
            ir_measures="Compat(p=0.95)", needs=_IRM),
    Measure("SDCG(max_rel=3)", "scaled DCG of the first k documents",
            "DCG@k divided by the DCG of k documents of the highest grade", _CWL, "k",
            "SDCG(max_rel=3)", needs=_IRM_CWL),
    Measure("BPM(max_rel=3)", "bejewelled player model of the first k documents",
            "expected utility of a user who stops after gain T or k documents",
            "Zhang and others, SIGIR (2017)", "k", "BPM(max_rel=3)", needs=_IRM_CWL),
    Measure("INST(max_rel=3)", "INST: a user who expects to find T units of gain",
            "expected utility per document that the user looks at",
            "Moffat and others, ACM TOIS 35(3) (2017)", ir_measures="INST(max_rel=3)",
            needs=_IRM_CWL),
    Measure("INSQ(max_rel=3)", "INSQ: INST that ignores what the user has found already",
            "expected utility per document that the user looks at",
            "Moffat and others, ADCS (2012)", ir_measures="INSQ(max_rel=3)", needs=_IRM_CWL),
    Measure("alpha_nDCG", "nDCG of subtopics, with less gain for subtopics that come again",
            "gain of a document is Σ over its subtopics of (1 - α)^n, n the number of documents "
            "above on the same subtopic",
            _CLARKE, "k", "alpha_nDCG", needs=_IRM_ND),
    Measure("ERR_IA", "intent-aware ERR: the mean over subtopics", "mean over subtopics of ERR@k",
            "Chapelle and others, Information Retrieval 14 (2011)", "k", "ERR_IA", needs=_IRM_ND),
    Measure("nERR_IA", "normalised intent-aware ERR", "ERR_IA@k divided by its ideal value",
            "Chapelle and others, Information Retrieval 14 (2011)", "k", "nERR_IA", needs=_IRM_ND),
    Measure("NRBP", "novelty- and rank-biased precision",
            "rank-biased precision with the gains of alpha_nDCG",
            "Clarke, Kolla and Vechtomova, ICTIR (2009)", ir_measures="NRBP", needs=_IRM_ND),
    Measure("StRecall", "subtopic recall of the first k documents",
            "subtopics of the first k documents, divided by all subtopics",
            "Zhai, Cohen and Lafferty, SIGIR (2003)", "k", "StRecall", needs=_IRM_ND),
)  # fmt: skip
"""Measures that the extra `measures` adds, with the names that ir_measures gives them."""
