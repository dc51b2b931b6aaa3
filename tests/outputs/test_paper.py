"""`--layout paper`: what is in the table of a paper, its caption, and that LaTeX compiles it."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import confint_cli
from confint_cli.common.paper import PaperRequest
from confint_cli.outputs.cells import OutputOptions
from confint_cli.outputs.paper import render_paper
from tests.conftest import SAMPLES, Confint, records, write
from tests.outputs.test_outputs import HOSTILE

EVALS = [SAMPLES / f"trec_eval/{name}.eval" for name in ("bm25", "dense", "hybrid", "tfidf")]
SUITE = ["--labels", "{collection}/{run}.run", "-q", SAMPLES / "suite/{collection}/qrels.txt",
         *(SAMPLES / f"suite/{collection}/{run}.run" for collection in ("news", "science", "forum")
           for run in ("bm25", "dense", "hybrid"))]  # fmt: skip
BASELINE = ["compare", *EVALS, "-m", "map,P_10", "--baseline", "bm25", "--layout", "paper"]


def body(markdown: str) -> list[list[str]]:
    """Return the cells of the rows of the first table in Markdown, the header first."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [cells[0], *cells[2:]]


def one_line(text: str) -> str:
    return " ".join(text.split())


# What is in it


def test_marks_against_a_baseline_are_those_of_the_rows(confint: Confint) -> None:
    header, *systems = body(confint(*BASELINE, "-f", "markdown").out)
    assert header == ["System", "map", r"P\_10"]
    assert [row[0] for row in systems] == ["bm25", "hybrid", "dense", "tfidf"]
    rows = records(confint(*BASELINE[:-2]))
    for column, measure in ((1, "map"), (2, "P_10")):
        means = {row["run"]: float(row["mean"]) for row in rows if row["measure"] == measure}
        for system in systems[1:]:
            (row,) = [row for row in rows if (row["run"], row["measure"]) == (system[0], measure)]
            cell = system[column]
            is_significant = float(row["p_adjusted"]) < 0.05
            assert ("†" in cell) == (is_significant and float(row["difference"]) > 0)
            assert ("‡" in cell) == (is_significant and float(row["difference"]) < 0)
            assert cell.startswith("**") == (means[system[0]] == max(means.values()))
            low, high = row["low"], row["high"]
            sign = "" if row["difference"].startswith("-") else "+"
            assert f"<br>{sign}{row['difference']}&nbsp;[{low},&nbsp;{high}]" in cell


def test_letters_name_what_a_system_is_better_than(confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map", "--all-pairs"]
    _, *systems = body(confint(*args, "--layout", "paper", "-f", "markdown").out)
    names = [re.sub(r"<sup>.*", "", row[0]) for row in systems]
    letters = {name: row[0][-7] for name, row in zip(names, systems, strict=True)}
    assert [*letters.values()] == ["a", "b", "c", "d"]
    beaten: dict[str, set[str]] = {name: set() for name in names}
    for row in records(confint(*args)):
        if float(row["p_adjusted"]) < 0.05:
            assert float(row["difference"]) > 0  # the better run comes first
            beaten[row["run"]].add(letters[row["baseline"]])
    assert any(beaten.values())
    for name, row in zip(names, systems, strict=True):
        found = re.search(r"<sup>(\w+)</sup>$", row[1])
        assert {*(found[1] if found else "")} == beaten[name]


def test_two_baselines_have_letters_and_no_differences(confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map", "--baseline", "bm25,tfidf", "--layout", "paper"]
    _, *systems = body(confint(*args, "-f", "markdown").out)
    assert [row[1] for row in systems] == [
        "**0.3531**<sup>cd</sup>", "0.2666<sup>d</sup>", "0.2507<sup>d</sup>", "0.1991",
    ]  # fmt: skip


def test_more_systems_than_letters_have_numbers(tmp_path: Path, confint: Confint) -> None:
    rng = np.random.default_rng(1)
    scores = {f"run{n:02d}": {"map": (rng.random(12) / 9 + n / 40).round(4).tolist()}
              for n in range(28)}  # fmt: skip
    path = write(tmp_path / "x.tsv", scores)
    out = confint("compare", path, "--all-pairs", "--layout", "paper", "-f", "latex").out
    assert r"run27\textsuperscript{1}" in out
    marks = re.search(r"^  run27.*& \\textsuperscript\{([\d,-]+)\} \\\\$", out, re.MULTILINE)
    assert marks
    numbers = set()
    for part in marks[1].split(","):
        low, _, high = part.partition("-")
        numbers |= {*range(int(low), int(high or low) + 1)}
    rows = records(confint("compare", path, "--all-pairs"))
    beaten = {row["baseline"] for row in rows
              if row["run"] == "run27" and float(row["p_adjusted"]) < 0.05}  # fmt: skip
    order = re.findall(r"^  (run\d+)\\text", out, re.MULTILINE)
    assert {order[number - 1] for number in numbers} == beaten


def test_values_that_look_alike_are_equally_good(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"map": [0.50001, 0.3]}, "b": {"map": [0.5, 0.3]},
                                      "c": {"map": [0.2, 0.3]}})  # fmt: skip
    args = ["interval", path, "--layout", "paper", "-f", "markdown", "--intervals", "none",
            "--second-best"]  # fmt: skip
    for digits, cells in ((2, ["**0.40**", "**0.40**", "<ins>0.25</ins>"]),
                          (6, ["**0.400005**", "<ins>0.400000</ins>", "0.250000"])):  # fmt: skip
        _, *systems = body(confint(*args, "--digits", digits).out)
        assert [row[1] for row in systems] == cells
    alone = confint("interval", EVALS[0], "-m", "map", "--layout", "paper", "-f", "markdown").out
    assert "**" not in alone  # one system is not the best
    assert "bold" not in alone


def test_collections_are_columns_and_measures_tables(confint: Confint) -> None:
    args = ["compare", *SUITE, "-m", "nDCG@10,P@10", "--baseline", "bm25", "--quiet"]
    out = confint(*args, "--layout", "paper", "-f", "markdown").out
    assert out.count("| System") == 2
    header, *systems = body(out.partition("Mean P@10")[0])
    assert header == ["System", "forum", "news", "science", "macro"]
    of_both = records(confint(*args))
    of_first = [row for row in of_both if row["measure"] == "nDCG@10"]
    rows = {(row["run"], row["collection"]): row for row in of_first}
    for system in systems[1:]:
        for column, collection in enumerate(header[1:], 1):
            assert rows[system[0], collection]["mean"] in system[column]
    assert "on 3 collections of 20 to 50 topics, for new topics of these 3 collections" in out
    assert "There is no correction for the number of collections." in out
    latex = confint(*args, "--layout", "paper", "-f", "latex").out
    assert latex.count(r"\begin{table}") == 2
    assert r"\label{tab:compare-2}" in latex


# Transposed: systems are the columns


BEIR = ["--labels", "{run}.seed{repeat}/{collection}.json", "--labels", "{run}/{collection}.json",
        "-q", SAMPLES / "beir/{collection}/qrels/test.tsv", "-m", "nDCG@10",
        *sorted((SAMPLES / "beir" / "runs").glob("*/*.json"))]  # fmt: skip


def transposable(cells: list[list[str]]) -> list[list[str]]:
    """Return the cells without what says which is the best, and without letters of systems."""
    return [[re.sub(r"\*\*|</?ins>|^\w<sup>|^\w ", "", cell) for cell in row] for row in cells]


@pytest.mark.parametrize(
    "call",
    [["compare", *EVALS, "-m", "map,P_10", "--baseline", "bm25"],
     ["interval", *EVALS, "-m", "map,P_10"],
     ["interval", *EVALS, "-m", "map,P_10", "--intervals", "none", "--second-best"],
     ["compare", *BEIR, "--baseline", "dense", "--quiet"],
     ["compare", *SUITE, "-m", "nDCG@10", "--baseline", "bm25", "--for-new", "collections",
      "--quiet"]],
    ids=["against one", "means", "means only", "collections and seeds", "new collections"],
)  # fmt: skip
def test_a_transposed_table_has_the_same_cells(call: list[str], confint: Confint) -> None:
    args = [*call, "--layout", "paper", "-f", "markdown"]
    plain, turned = body(confint(*args).out), body(confint(*args, "--transpose").out)
    assert turned[0][0] in ("Measure", "Collection")
    plain[0][0] = turned[0][0]
    assert transposable(turned) == [list(row) for row in zip(*transposable(plain), strict=True)]
    for row in turned[1:]:  # the largest mean of each row is in bold, and no other
        means = [float(re.sub(r"^(\*\*|<ins>)", "", cell)[:6]) for cell in row[1:]]
        bold = [cell.startswith("**") for cell in row[1:]]
        assert bold == [mean == max(means) for mean in means]


def test_letters_of_a_transposed_table_stand_in_its_head(confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map,P_10", "--all-pairs", "--layout", "paper", "--transpose"]
    header, first, second = body(confint(*args, "-f", "markdown").out)
    assert header == ["Measure", "a hybrid", "b dense", "c bm25", "d tfidf"]
    assert first == ["map", "**0.3531**<sup>bcd</sup>", "0.2666<sup>d</sup>", "0.2507<sup>d</sup>",
                     "0.1991"]  # fmt: skip
    assert second[0] == r"P\_10"
    latex = confint(*args, "-f", "latex").out
    assert r"Measure & \multicolumn{2}{c}{hybrid\textsuperscript{a}} & " in latex
    assert "The best of each row is in bold." in latex
    chosen = confint(*args, "-f", "latex", "--columns", "mean,topics").out
    assert r" & \multicolumn{3}{c}{hybrid\textsuperscript{a}} & " in chosen
    assert r"\cmidrule(lr){2-4}" in chosen


def test_the_mean_over_collections_stands_below_a_rule(confint: Confint) -> None:
    args = ["compare", *BEIR, "--baseline", "bm25", "--layout", "paper", "--transpose", "--quiet"]
    lines = confint(*args, "-f", "latex", "--intervals", "none").out.splitlines()
    names = [line.split("&")[0].strip() for line in lines if " & " in line]
    assert names == ["Collection", "cooking", "health", "law", "travel", "macro"]
    (last,) = (place for place, line in enumerate(lines) if line.strip().startswith("macro"))
    assert [line.strip() for line in lines].count(r"\midrule") == 2
    assert lines[last - 1].strip() == r"\midrule"
    shown = confint(*args, "-f", "table").out.splitlines()
    (last,) = (place for place, line in enumerate(shown) if line.startswith("macro"))
    assert {*shown[last - 1]} == {"┄"}
    assert "Rows of single collections are for" in one_line(
        confint(*args, "--for-new", "collections").out
    )


def test_a_baseline_has_no_columns_that_only_others_have(confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map,P_10", "--baseline", "bm25", "--layout", "paper"]
    header, *rows = body(confint(*args, "--transpose", "--intervals", "beside", "-f",
                                 "markdown").out)  # fmt: skip
    assert header[:4] == ["Measure", "bm25 mean", "hybrid mean", "hybrid difference, 95%"]
    assert len(header) == 8
    assert all(cell for row in rows for cell in row)
    latex = confint(*args, "--transpose", "--intervals", "beside", "-f", "latex").out
    assert r"& \multicolumn{1}{c}{bm25} & \multicolumn{3}{c}{hybrid} &" in latex
    assert r"\cmidrule(lr){2-2} \cmidrule(lr){3-5}" in latex
    only = confint(*args, "--transpose", "--columns", "difference", "-f", "markdown").out
    header, first, _ = body(only)
    assert header[:3] == ["Measure", "bm25 diff.", "hybrid diff."]
    assert first[:3] == ["map", "", "+0.1024†"]
    empty = confint(*args, "--transpose", "--columns", "mean,p_adjusted", "--correct", "none", "-f",
                    "markdown").out  # fmt: skip
    assert body(empty)[0][1:3] == ["bm25 mean", "bm25 p adj."]  # as not transposed: all are empty


def test_a_measure_that_is_called_macro_has_no_rule(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {run: {"map": [0.5, 0.3, n], "macro": [0.1, n, 0.2]}
                                      for run, n in (("a", 0.4), ("b", 0.7))})  # fmt: skip
    args = ["interval", path, "--layout", "paper", "--transpose", "-f", "latex"]
    assert confint(*args).out.count(r"\midrule") == 1


def test_a_collection_without_a_row_of_its_own_is_counted(tmp_path: Path, confint: Confint) -> None:
    rows = [(run, name, str(topic), 0.1 * topic + place / 20) for place, run in enumerate("ab")
            for name in ("x", "yy", "zz") for topic in range(1 if name == "x" else 5)]  # fmt: skip
    lines = ["\t".join([*row[:3], "m", str(row[3])]) for row in rows]
    path = tmp_path / "x.tsv"
    path.write_text("\n".join(["run\tcollection\ttopic\tmeasure\tscore", *lines, ""]))
    args = ["compare", path, "--for-new", "collections", "--quiet", "--layout", "paper"]
    assert "; 1 collection too small for a column; macro" in one_line(confint(*args).out)
    out = confint(*args, "--transpose")
    assert "; 1 collection too small for a row; macro" in one_line(out.out)


def test_repeats_are_told_by_system(confint: Confint) -> None:
    args = ["compare", *BEIR, "--layout", "paper", "--quiet"]
    out = one_line(confint(*args, "--baseline", "bm25").out)
    assert "(5 repeats of hybrid and dense; 1 of bm25)" in out
    assert "one repeat" not in out
    both = [path for path in BEIR if "bm25" not in str(path)]
    out = one_line(confint("compare", *both, "--layout", "paper", "--quiet").out)
    assert "(5 repeats of each system)" in out


@pytest.mark.parametrize(("systems", "said"), [(4, "a, b, c and d"), (5, "a, b, c, d and 1 more")])
def test_systems_of_few_repeats_are_listed(
    systems: int, said: str, tmp_path: Path, confint: Confint
) -> None:
    rng = np.random.default_rng(4)
    lines = [f"{run}\t{repeat}\t{topic}\tm\t{rng.random():.4f}"
             for run, repeats in (("best", 5), *((run, 3) for run in "abcde"[:systems]))
             for repeat in range(repeats) for topic in range(6)]  # fmt: skip
    path = tmp_path / "x.tsv"
    path.write_text("\n".join(["run\trepeat\ttopic\tmeasure\tscore", *lines, ""]))
    out = confint("interval", path, "--layout", "paper", "--quiet", "--sort", "name").out
    assert f"(5 repeats of best; 3 of {said})" in one_line(out)


def test_columns_say_what_stands_for_each_measure(confint: Confint) -> None:
    args = [*BASELINE, "--columns", "mean,difference,low,high,p_adjusted", "-f", "markdown"]
    header, first, *_ = body(confint(*args).out)
    assert header[:5] == ["System", "map mean", "map diff.", "map 95%", "map p adj."]
    assert first[:5] == ["bm25", "0.2507", "", "", ""]
    header, *_ = body(confint("interval", *EVALS, "-m", "map", "--layout", "paper", "-f",
                              "markdown", "--columns", "mean,sd,low,high").out)  # fmt: skip
    assert header == ["System", "map mean", "map sd", "map 95%"]


def test_a_run_without_a_measure_has_a_gap(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"map": [0.5, 0.3, 0.4], "P_10": [0.1, 0.2, 0.4]},
                                      "b": {"map": [0.2, 0.3, 0.1]}})  # fmt: skip
    out = confint("interval", path, "--layout", "paper", "-f", "latex").out
    assert re.search(r"^  b +& 0\.2000 +& -- *\\\\\*?$", out, re.MULTILINE)
    _, *systems = body(confint("interval", path, "--layout", "paper", "-f", "markdown").out)
    assert systems[1][2] == ""


def test_sort_orders_the_systems(confint: Confint) -> None:
    def systems(*more: str) -> list[str]:
        args = ["interval", *reversed(EVALS), "-m", "P_10,map", "--layout", "paper", *more]
        return [row[0] for row in body(confint(*args, "-f", "markdown").out)[1:]]

    assert systems() == ["hybrid", "dense", "bm25", "tfidf"]
    assert systems("--sort", "name") == ["bm25", "dense", "hybrid", "tfidf"]
    assert systems("--sort", "input") == ["tfidf", "hybrid", "dense", "bm25"]


# The caption


@pytest.mark.parametrize("output", ["table", "markdown", "latex"])
def test_the_caption_has_all_a_reader_needs(output: str, confint: Confint) -> None:
    text = one_line(confint(*BASELINE, "-f", output).out)
    signature = "confint:" if output == "table" else "Signature: confint:"
    for said in ("of 4 systems over 50 topics", "0.05 by the paired t test, Holm correction for 3",
                 "the mean of bm25", "confidence interval (t)", signature):  # fmt: skip
        assert said in text, said
    assert re.search(r"and its 95\\?% confidence", text)


def test_the_caption_says_that_marks_and_intervals_may_disagree(confint: Confint) -> None:
    mixed = confint("compare", *sorted((SAMPLES / "trec_eval").glob("*.eval")), "-m", "P_10",
                    "--baseline", "bm25", "--layout", "paper", "--quiet")  # fmt: skip
    assert ("Marks are corrected for several comparisons, intervals are not: they disagree on "
            "dense-v2.") in one_line(mixed.out)  # fmt: skip
    agreeing = confint(*BASELINE, "--simultaneous")
    assert "all on one measure at once" in one_line(agreeing.out)
    assert "intervals are not" not in one_line(agreeing.out)
    alone = confint("compare", *EVALS[:2], "-m", "map", "--layout", "paper", "--quiet")
    assert "corrected" not in one_line(alone.out)
    for test, says in (("wilcoxon", True), ("t", False)):
        other = confint("compare", SAMPLES / "trec_eval/early-stop.eval", EVALS[3], "-m", "map",
                        "--layout", "paper", "--test", test, "--quiet")  # fmt: skip
        words = "Marks and intervals (t) follow different rules: they disagree on early-stop."
        assert (words in one_line(other.out)) == says
    assert "The test is not about means" in one_line(confint(*BASELINE, "--test", "wilcoxon").out)


def test_the_caption_names_other_designs(confint: Confint) -> None:
    seeds = sorted((SAMPLES / "seeds").glob("*.seed*.eval"))
    out = confint("interval", "--labels", "{run}.seed{repeat}.eval", *seeds, "-m", "map",
                  "--layout", "paper").out  # fmt: skip
    assert "for new repeats and new topics" in one_line(out)
    judges = [SAMPLES / f"judges/runs/{run}.run" for run in ("bm25", "dense")]
    out = confint("compare", "-q", SAMPLES / "judges/human.qrels", "--judge-qrels",
                  SAMPLES / "judges/llm.qrels", *judges, "-m", "nDCG@10", "--layout", "paper",
                  "--quiet").out  # fmt: skip
    assert "over 300 topics, 50 of them judged by people" in one_line(out)
    assert "by the t test of both judges' differences" in one_line(out)
    unjudged = [SAMPLES / f"unjudged/runs/{run}.run" for run in ("bm25", "dense")]
    out = confint("interval", "-q", SAMPLES / "unjudged/qrels.txt", *unjudged, "-m", "nDCG@10",
                  "--unjudged", "bounds", "--layout", "paper").out  # fmt: skip
    assert "interval of the mean (imbens-manski)" in one_line(out)
    assert "Bounds: over all possible judgements of the unjudged documents" in one_line(out)
    assert "Means count unjudged documents as not relevant." in one_line(out)
    out = confint("compare", *EVALS[:2], "-m", "map", "--unpaired", "--layout", "paper").out
    assert "each on its own topics (50)" in one_line(out)


def test_a_run_that_lacks_the_first_measure_has_its_row(tmp_path: Path, confint: Confint) -> None:
    """It is the worst by the other one, so that it is always the baseline of a pair."""
    rng = np.random.default_rng(2)
    good, better = rng.random(20) / 9 + 0.5, rng.random(20) / 9 + 0.7
    path = write(tmp_path / "x.tsv", {
        "a": {"map": good.tolist(), "P_10": good.tolist()},
        "b": {"map": better.tolist(), "P_10": better.tolist()},
        "weak": {"P_10": (good - 0.3).tolist()},
    })  # fmt: skip
    args = ["compare", path, "-m", "map,P_10", "--layout", "paper", "-f", "markdown"]
    for more in (["--all-pairs"], ["--baseline", "a,b"]):
        _, *systems = body(confint(*args, *more).out)
        assert [re.sub("<.*", "", row[0]) for row in systems] == ["b", "a", "weak"]
        assert [row[2][-9:-6] for row in systems[:2]] == [">bc", "p>c"]
        assert systems[2][1] == ""


def test_topics_and_gaps_are_of_each_measure(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {
        "a": {"map": [0.5, 0.3, 0.4, 0.7], "P_10": [0.1, 0.2]},
        "b": {"map": [0.2, 0.3, 0.1], "P_10": [0.3, 0.3]},
    })  # fmt: skip
    for command in (["interval"], ["compare", "--baseline", "a"]):
        text = one_line(confint(*command, path, "--layout", "paper", "-m", "map,P_10").out)
        assert "over 4 topics (map) and 2 topics (P_10)" in text
        assert "b on map (1 topic missing)" in text


def test_without_means_nothing_is_called_one(confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map", "--baseline", "bm25", "--layout", "paper"]
    text = one_line(confint(*args, "--columns", "p_adjusted,wins").out)
    assert text.startswith("system map p adj. map wins")
    caption, result, _ = text.partition("hybrid is significantly better than bm25: ")
    assert result  # in words, below the caption
    for absent in ("Mean", "significant", "mean of", "Marks"):
        assert absent not in caption, absent
    marked = confint(*args, "--columns", "difference,low,high", "-f", "markdown").out
    assert "+0.1024†" in marked
    said = "For each system: the difference from bm25, and its 95% confidence interval (t)"
    assert said in marked
    latex = confint("interval", *EVALS, "-m", "map", "--layout", "paper", "--columns", "sd", "-f",
                    "latex").out  # fmt: skip
    assert r"\caption[map of 4 systems]{%" in latex
    assert re.search(r"System & .*\{sd\}", latex)


@pytest.mark.parametrize(
    ("more", "said"),
    [([], "p adj.: p of the first test (t), Holm correction. The"),
     (["--test", "wilcoxon,t", "--correct", "by"],
      "p adj.: p of the first test (wilcoxon), Benjamini-Yekutieli correction. The"),
     (["--correct", "max-t"], "p adj.: p by max-t. The"),
     (["--test", "tukey"], "p adj.: p of the first test (tukey). The"),
     (["--correct", "none"], "")],
)  # fmt: skip
def test_adjusted_p_values_are_explained(more: list[str], said: str, confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map", "--baseline", "bm25", "--layout", "paper", "--columns"]
    text = one_line(confint(*args, "mean,p_adjusted", *more).out)
    assert said in text
    assert text.count("p adj.:") == bool(said)


def test_columns_are_explained_with_the_margin(confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map", "--baseline", "bm25", "--margin", "0.03"]
    usual = confint(*args, "--layout", "paper", "-f", "markdown").out
    assert "| not inferior |" in usual
    assert "Verdict: about a margin of 0.03, by one-sided t tests at 0.05" in one_line(usual)
    latex = confint(*args, "--layout", "paper", "-f", "latex").out
    assert r"\begin{tabular}{lcl}" in latex
    columns = "mean,p_noninferior,glass_delta,glass_low,glass_high"
    chosen = confint(*args, "--effect-intervals", "--layout", "paper", "--columns", columns, "-f",
                     "markdown")  # fmt: skip
    header, *_ = body(chosen.out)
    assert header[1:] == ["map mean", "map p not worse", "map Δ", "map Δ 95%"]
    assert "Δ 95%: its interval by the jackknife." in chosen.out
    refused = confint("compare", *EVALS, "-m", "map", "--all-pairs", "--margin", "0.03",
                      "--layout", "paper")  # fmt: skip
    assert (refused.status, refused.out) == (2, "")
    assert "--margin in --layout paper: with all pairs of systems compared" in refused.err


def test_only_what_was_compared_has_letters(confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map", "--layout", "paper", "--baseline", "bm25,dense"]
    assert "Systems are compared with bm25 and dense only." in one_line(confint(*args).out)


def test_equal_means_have_no_mark(tmp_path: Path, confint: Confint) -> None:
    """Wilcoxon's test may tell runs apart whose means are equal."""
    path = write(tmp_path / "x.tsv", {"a": {"map": [0.25] * 16},
                                      "b": {"map": [0.375] * 14 + [0.0, 0.0]}})  # fmt: skip
    x = [0.25] * 16
    y = [0.25 + 1 / 64] * 15 + [0.25 - 15 / 64]
    path = write(tmp_path / "x.tsv", {"a": {"map": x}, "b": {"map": y}})
    args = ["compare", path, "--test", "wilcoxon", "--baseline", "a"]
    (row,) = records(confint(*args))
    assert row["difference"] == "0.0000"
    assert float(row["p_wilcoxon"]) < 0.05
    text = confint(*args, "--layout", "paper").out
    assert "‡" not in text
    assert "†" not in text


def test_doubts_and_strictness_are_in_the_caption(tmp_path: Path, confint: Confint) -> None:
    one = write(tmp_path / "x.tsv", {"a": {"map": [0.5]}, "b": {"map": [0.2]}})
    assert "Note: one topic (all)." in one_line(confint("interval", one, "--layout", "paper").out)
    files = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    args = ["compare", *files, "-m", "map", "--baseline", "dense", "--layout", "paper", "--quiet"]
    assert "Note: skewed (dense-v2)." in one_line(confint(*args).out)
    assert "by max-t (strict) over" in one_line(confint(*args, "--simultaneous", "--strict").out)


def test_a_name_stays_as_it_is(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"in bold": {"map": [0.5, 0.4, 0.1]},
                                      "underlined": {"map": [0.2, 0.1, 0.4]}})  # fmt: skip
    text = one_line(confint("compare", path, "--baseline", "in bold", "--layout", "paper",
                            "--second-best").out)  # fmt: skip
    assert "the difference from in bold" in text
    assert "pairs:with in bold" in text


def test_a_narrow_terminal_has_several_tables() -> None:
    result = confint_cli.compare([*map(str, EVALS)], measure="map,P_10,ndcg", baseline="bm25")
    for width, heads in ((70, 2), (40, 3), (200, 1)):
        text = render_paper(result._answer, "table", OutputOptions(width=width), PaperRequest())
        lines = [line for line in text.splitlines() if not line.startswith("confint:")]
        assert max(map(len, lines)) <= width
        assert sum(line.startswith("system") for line in lines) == heads


def test_parts_of_a_transposed_table_have_one_best_value_in_each_row() -> None:
    result = confint_cli.interval([*map(str, EVALS)], measure="map,P_10")
    options, request = OutputOptions(width=40), PaperRequest(intervals="none", transposed=True)
    text = render_paper(result._answer, "table", options, request)
    assert sum(line.startswith("measure") for line in text.splitlines()) == 2
    assert text.count("**0.") == 2
    assert "**0.3531**" in text.partition("measure")[2].partition("measure")[0]


# Calls


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (["-f", "tsv"], "--layout paper is for latex, markdown and table, not for tsv"),
        (["-o", "x.json"], "--layout paper is for latex, markdown and table, not for json"),
        (["--level", "0.9,0.95"], "--layout paper has room for one interval of each value, and "
                                  "there are several: --level 0.9,0.95"),
        (["--method", "t,bca"], "--layout paper has room for one interval of each value, and "
                                "there are several: --method t,bca"),
        (["--columns", "run,mean"], "--columns run: in --layout paper, columns are what each "
                                    "system has on each measure"),
        (["--columns", "low"], "--columns low: that is one limit of an interval, without the "
                               "other"),
        (["--columns", "mean", "--intervals", "below"], "--columns and --intervals: both say what "
                                                        "stands for each measure"),
    ],
)  # fmt: skip
def test_calls_that_cannot_be_meant(args: list[str], problem: str, confint: Confint) -> None:
    result = confint("interval", *EVALS, "-m", "map", "--layout", "paper", *args)
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines()[0] == f"confint: {problem}"


def test_what_is_for_papers_needs_the_layout(confint: Confint) -> None:
    for option in (["--intervals", "beside"], ["--second-best"], ["--transpose"]):
        result = confint("interval", *EVALS, "-m", "map", *option)
        assert (result.status, result.out) == (2, "")
        assert f"{option[0]} is for the table of a paper" in result.err
    pairs = confint("compare", *EVALS, "-m", "map", "--all-pairs", "--layout", "paper", "--columns",
                    "mean,difference")  # fmt: skip
    said = "--columns difference: with all pairs of systems compared, a system has several"
    assert said in pairs.err
    ranks = confint("rank", *EVALS, "-m", "map", "--layout", "paper")
    assert (ranks.status, ranks.out) == (2, "")
    assert "there is no option --layout\n  hint: it is an option of compare, interval" in ranks.err


def test_into_a_pipe_it_is_a_table_and_a_file_labels_it(tmp_path: Path, confint: Confint) -> None:
    assert confint(*BASELINE).out == confint(*BASELINE, "-f", "table").out
    path = tmp_path / "main_results of 2026.tex"
    confint(*BASELINE, "-o", path)
    assert r"\label{tab:main-results-of-2026}" in path.read_text()


def test_the_result_in_words_stands_below_to_be_copied(confint: Confint) -> None:
    args = ["compare", *EVALS[:2], "-m", "map,P_10", "--baseline", "bm25", "--layout", "paper"]
    latex = confint(*args, "-f", "latex").out
    below = latex.rpartition(r"\end{table}")[2].strip().splitlines()
    assert [line.partition(": ")[0] for line in below] == [
        "% map, 50 topics, compared with bm25", r"% P\_10, 50 topics, compared with bm25"
    ]  # fmt: skip
    assert r"95\% confidence (t) between " in below[0]
    shown = one_line(confint(*args, "-f", "table").out)
    assert "map, 50 topics, compared with bm25: dense and bm25 cannot be told apart: the" in shown
    assert "told apart" not in confint(*args, "-f", "markdown").out


def test_the_caption_may_do_without_the_signature(tmp_path: Path, confint: Confint) -> None:
    signed = confint(*BASELINE, "-f", "latex").out
    comment, *lines = confint(*BASELINE, "--no-signature", "-f", "latex").out.splitlines()[1:]
    assert comment.startswith("% confint:")
    wanted = [line for line in signed.splitlines()[1:] if "Signature: " not in line]
    assert lines == wanted
    assert confint(*BASELINE, "--signature", "-f", "latex").out == signed
    markdown = confint(*BASELINE, "--no-signature", "-f", "markdown").out
    assert markdown.startswith("<!-- confint:")
    assert "Signature:" not in markdown
    result = confint_cli.compare([*map(str, EVALS)], measure="map,P_10", baseline="bm25")
    result.write(tmp_path / "t.tex", layout="paper", signature=False)
    assert "Signature:" not in (tmp_path / "t.tex").read_text()
    plain = ["interval", *EVALS, "-m", "map", "-f", "tsv"]  # has none unless it is asked for
    assert confint(*plain, "--no-signature").out == confint(*plain).out


def test_python_writes_it_too(tmp_path: Path, confint: Confint) -> None:
    result = confint_cli.compare([*map(str, EVALS)], measure="map,P_10", baseline="bm25")
    ours, theirs = tmp_path / "a" / "t.tex", tmp_path / "b" / "t.tex"
    for path in (ours, theirs):
        path.parent.mkdir()
    result.write(ours, layout="paper", second_best=True, transpose=True)
    confint(*BASELINE, "--second-best", "--transpose", "-o", theirs)
    assert ours.read_text() == theirs.read_text()
    with pytest.raises(confint_cli.CallError, match="no layout is called"):
        result.write(tmp_path / "x.tex", layout="letter")
    with pytest.raises(confint_cli.CallError, match="no place of intervals"):
        result.write(tmp_path / "x.tex", layout="paper", intervals="above")
    with pytest.raises(confint_cli.CallError, match="is for latex, markdown and table"):
        result.write(tmp_path / "x.csv", layout="paper")
    ranks = confint_cli.rank([*map(str, EVALS)], measure="map")
    with pytest.raises(confint_cli.CallError, match="is for interval and compare"):
        ranks.write(tmp_path / "x.tex", layout="paper")
    assert [*tmp_path.glob("x.*")] == []


# LaTeX


def test_the_source_can_be_read(confint: Confint) -> None:
    files = sorted((SAMPLES / "trec_eval").glob("*.eval"))
    out = confint("compare", *files, "-m", "map", "--baseline", "bm25", "--layout", "paper", "-f",
                  "latex", "--intervals", "none", "--quiet").out  # fmt: skip
    assert re.search(r"^  bm25-rm3   & 0\.2809          & \\\\$", out, re.MULTILINE)
    assert "-{}" not in out
    rows = [line for line in out.splitlines() if re.match(r"  \S+ +& ", line)]
    assert len({line.index("&") for line in rows if "System" not in line}) == 1  # in line


needs_pdflatex = pytest.mark.skipif(
    not shutil.which("pdflatex"), reason="needs pdflatex (Debian: texlive-latex-recommended)"
)
needs_xelatex = pytest.mark.skipif(
    not (shutil.which("xelatex") and shutil.which("fc-list")),
    reason="needs xelatex (Debian: texlive-xetex, fonts-noto-cjk)",
)
needs_pdftotext = pytest.mark.skipif(
    not shutil.which("pdftotext"), reason="needs pdftotext (Debian: poppler-utils)"
)


def compiled(text: str, folder: Path, engine: str = "pdflatex", more: str = "") -> str:
    """Compile a table as a paper would have it; return the log."""
    (folder / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs,longtable}" + more + "\\begin{document}\n"
        "\\listoftables\n" + text + "\\end{document}\n"
    )
    command = [engine, "-halt-on-error", "-interaction=batchmode", "t.tex"]
    for _ in range(3):  # a longtable finds its widths
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        log = (folder / "t.log").read_text(errors="replace")
        assert done.returncode == 0, log
    return log


@needs_pdflatex
@pytest.mark.parametrize(
    "more",
    [["--baseline", "bm25"], ["--baseline", "bm25", "--intervals", "beside", "--second-best"],
     ["--baseline", "bm25", "--intervals", "none"], ["--all-pairs"], ["--all-pairs",
     "--simultaneous"], ["--baseline", "bm25", "--columns", "mean,difference,low,high,p_t"],
     ["--baseline", "bm25", "--transpose", "--intervals", "none"],
     ["--all-pairs", "--transpose"]],
)  # fmt: skip
def test_pdflatex_compiles_it(more: list[str], tmp_path: Path, confint: Confint) -> None:
    args = ["compare", *EVALS, "-m", "map", *more, "--layout", "paper", "-f", "latex"]
    log = compiled(confint(*args).out, tmp_path)
    assert "Overfull" not in log
    assert "Warning: Label" not in log
    of_suite = confint("compare", *SUITE, "-m", "P@10", *more, "--layout", "paper", "-f", "latex",
                       "--quiet")  # fmt: skip
    compiled(of_suite.out, tmp_path, more=r"\usepackage[margin=1cm]{geometry}")


@needs_pdflatex
@needs_pdftotext
def test_a_longtable_repeats_its_head_on_each_page(tmp_path: Path, confint: Confint) -> None:
    rng = np.random.default_rng(3)
    scores = {f"run-{n:02d}": {"map": rng.random(6).round(4).tolist()} for n in range(70)}
    path = write(tmp_path / "x.tsv", scores)
    for more in (["interval", path], ["compare", path, "--all-pairs"],
                 ["compare", path, "--baseline", "run-00", "--intervals", "none"]):  # fmt: skip
        text = confint(*more, "--layout", "paper", "-f", "latex", "--quiet").out
        assert text.startswith("% \\usepackage{booktabs,longtable}\n")
        assert text.count(r" \\*") == (70 if more[0] == "interval" else 0)  # no page ends there
        compiled(text, tmp_path)
        shown = subprocess.run(["pdftotext", "-layout", "t.pdf", "-"], cwd=tmp_path, check=True,
                               capture_output=True, text=True).stdout  # fmt: skip
        pages = [page for page in shown.split("\f") if "run-" in page]
        assert len(pages) > 1
        assert all(re.search(r"System +map", page) for page in pages)
        assert shown.count("continued") == len(pages) - 1
        assert all(shown.count(run) >= 1 for run in scores)


def test_lines_below_count_for_a_page(tmp_path: Path, confint: Confint) -> None:
    scores = {f"run-{n:02d}": {"map": [n / 40, 0.5, 0.2]} for n in range(30)}
    path = write(tmp_path / "x.tsv", scores)
    for intervals, is_long in (("below", True), ("beside", False), ("none", False)):
        text = confint("interval", path, "--layout", "paper", "-f", "latex", "--intervals",
                       intervals).out  # fmt: skip
        assert ("longtable" in text) == is_long


AS_PRINTED = str.maketrans({"’": "'", "‘": "`", "”": '"', "“": '"', "ˆ": "^", "˜": "~"})


def printed(folder: Path) -> str:
    """Return the text of the compiled table without blanks, in the characters that were typed."""
    shown = subprocess.run(["pdftotext", "-raw", "t.pdf", "-"], cwd=folder, check=True,
                           capture_output=True, text=True).stdout  # fmt: skip
    return without_blanks(shown.translate(AS_PRINTED))


def without_blanks(text: str) -> str:
    return re.sub(r"\s", "", text.replace("``", '"').replace("''", '"'))


@needs_pdflatex
@needs_pdftotext
def test_no_name_is_obeyed(tmp_path: Path) -> None:
    """Each is printed letter by letter; the one that would write a line into the log does not."""
    names = [name for name in HOSTILE.values() if name.isascii() and "\n" not in name and name]
    names = [name for name in names if "\t" not in name and "\x1b" not in name and len(name) < 100]
    names += [r"\typeout{obeyed}", "a--b", "``x''", "[1]*"]
    obeyed = re.compile("^obeyed$", re.MULTILINE)
    t1 = r"\usepackage[T1]{fontenc}"
    assert obeyed.search(compiled(r"\typeout{obeyed}", tmp_path, more=t1))  # as it would be
    measure = "map_&%$#_{}~^"
    rng = np.random.default_rng(5)
    rows = [{"run": run, "topic": topic, measure: float(rng.random())}
            for run in names for topic in range(6)]  # fmt: skip
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows)
    path = tmp_path / "names.tex"
    for result in (confint_cli.compare(frame, all_pairs=True), confint_cli.interval(frame)):
        result.write(path, layout="paper")
        assert not obeyed.search(compiled(path.read_text(), tmp_path, more=t1))
        shown = printed(tmp_path)
        assert [name for name in [*names, measure] if without_blanks(name) not in shown] == []
        result.write(path, layout="paper", transpose=True)
        wide = rf"{t1}\usepackage[paperwidth=500cm,margin=1cm]{{geometry}}"
        assert not obeyed.search(compiled(path.read_text(), tmp_path, more=wide))
        shown = printed(tmp_path)
        assert [name for name in [*names, measure] if without_blanks(name) not in shown] == []


FAR = {"chinese": "检索系统", "arabic": "بحث", "cyrillic": "бм25", "combining": "e\u0301x"}


@pytest.mark.parametrize("kind", FAR)
def test_letters_beyond_pdflatex_are_told_of(kind: str, tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {FAR[kind]: {"map": [0.5, 0.3, 0.4]},
                                      "b": {"map": [0.2, 0.3, 0.1]}})  # fmt: skip
    out = tmp_path / "x.tex"
    result = confint("interval", path, "--layout", "paper", "-o", out)
    assert result.err.startswith("confint: note: the table has letters at which pdflatex stops")
    assert "% has letters that pdflatex stops at: xelatex and lualatex" in out.read_text()
    plain = confint("interval", *EVALS, "-m", "map", "--layout", "paper", "-f", "latex")
    assert "pdflatex" not in plain.err + plain.out


@needs_pdflatex
def test_what_is_said_of_letters_is_true(tmp_path: Path) -> None:
    """pdflatex takes all letters of which nothing is said, those of T1 with it, and no others."""
    from confint_cli.outputs.latex import _PRINTED, _WITH_T1, escape

    plain = "\n\n".join(f"x{escape(letter)}x" for letter in sorted(_PRINTED))
    compiled(plain + "\n", tmp_path)
    with_t1 = "\n\n".join(f"x{escape(letter)}x" for letter in sorted(_WITH_T1))
    compiled(with_t1 + "\n", tmp_path, more=r"\usepackage[T1]{fontenc}")
    with pytest.raises(AssertionError, match="Unicode character"):
        compiled("检索\n", tmp_path)


@needs_xelatex
@needs_pdftotext
def test_xelatex_prints_chinese_names(tmp_path: Path, confint: Confint) -> None:
    command = ["fc-list", ":lang=zh:lang=en", "family"]  # a font of Chinese alone has no 'L'
    fonts = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    if not fonts:
        pytest.skip("needs a font with Chinese letters (Debian: fonts-noto-cjk)")
    font = next((name for name in fonts if "Serif CJK SC" in name), fonts[0]).split(",")[0]
    path = write(tmp_path / "x.tsv", {"检索系统": {"map": [0.5, 0.3, 0.4]},
                                      "稠密-v2": {"map": [0.2, 0.3, 0.1]}})  # fmt: skip
    text = confint("compare", path, "--layout", "paper", "-f", "latex", "--quiet").out
    log = compiled(text, tmp_path, "xelatex", rf"\usepackage{{fontspec}}\setmainfont{{{font}}}")
    assert "Missing character" not in log
    shown = subprocess.run(["pdftotext", "t.pdf", "-"], cwd=tmp_path, check=True,
                           capture_output=True, text=True).stdout  # fmt: skip
    assert "检索系统" in shown
    assert "稠密" in shown
