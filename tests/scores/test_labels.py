"""Patterns of paths: which run of which collection a file is."""

from pathlib import Path

import pytest

from confint_cli.common.errors import CallError, DataError
from confint_cli.scores.labels import Label, Pattern, labels_of, patterns_in, shown_path


@pytest.mark.parametrize(
    ("pattern", "path", "label"),
    [
        ("{collection}/{run}.run", "beir/scifact/bm25.run", Label("bm25", "scifact")),
        ("{collection}/{run}.run", "/a/b/c/scifact/bm25.run", Label("bm25", "scifact")),
        ("{collection}/{run}.run", "x/../scifact/bm25.run", Label("bm25", "scifact")),
        ("{collection}/{run}.run", "scifact/bm25.run.gz", Label("bm25", "scifact")),
        ("{collection}/{run}.run.gz", "scifact/bm25.run.gz", Label("bm25", "scifact")),
        ("{run}", "runs/bm25.run", Label("bm25.run", None)),
        ("{run}.{}", "runs/bm25.run", Label("bm25", None)),
        ("run.beir.{run}.{collection}.txt", "run.beir.bm25.nq.txt", Label("bm25", "nq")),
        ("{collection}.csv", "scores/nq.csv", Label(None, "nq")),
        ("{run}/{}/{collection}/{}.txt", "a/b/c/d.txt", Label("a", "c")),
        ("[{run}]*.{collection}", "x/[a+b]*.nq", Label("a+b", "nq")),
        ("{run}.seed{repeat}.eval", "evals/dense.seed42.eval", Label("dense", None, "42")),
        ("{run}.seed{repeat}.eval", "evals/dense.seed42.eval.gz", Label("dense", None, "42")),
        ("seed{repeat}/{run}.{}", "x/seed3/dense.run", Label("dense", None, "3")),
        ("{collection}/{run}.seed{repeat}.run", "nq/a.b.seed1.run", Label("a.b", "nq", "1")),
        ("{repeat}/{collection}/{run}.run", "x/1/nq/bm25.run", Label("bm25", "nq", "1")),
        ("seed{repeat}.tsv", "tables/seed7.tsv", Label(None, None, "7")),
    ],
)
def test_a_pattern_is_matched_against_the_end_of_a_path(
    pattern: str, path: str, label: Label
) -> None:
    assert Pattern.of(pattern).labels(path) == [label]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("{collection}/{run}.run", "beir/scifact/bm25.txt"),
        ("{collection}/{run}.run", "beir/scifact/.run"),  # a field is not empty
        ("{run}.run", "xbm25.runs"),
        ("run.{run}", "prerun.bm25"),  # a text begins where the name of a folder or file does
        ("{collection}-{run}.run", "a/b-/c.run"),  # no field has a / in it
        ("a/{run}.run", "ba/bm25.run"),
        ("{run}.seed{repeat}.eval", "bm25.eval"),
        ("{run}.seed{repeat}.eval", "dense.seed.eval"),
        ("{run}.seed{repeat}.eval", ".seed1.eval"),
        ("{run}.seed{repeat}.eval", "dense.seed1/x.eval"),
    ],
)
def test_other_paths_are_not_matched(pattern: str, path: str) -> None:
    assert Pattern.of(pattern).labels(path) == []


def test_all_ways_to_match_are_found_and_judgements_decide(tmp_path: Path) -> None:
    pattern = Pattern.of("run.beir.{run}.{collection}.txt")
    path = "run.beir.bge-v1.5.arguana.txt"
    both = [Label("bge-v1", "5.arguana"), Label("bge-v1.5", "arguana")]
    assert pattern.labels(path) == both
    qrels = str(tmp_path / "{collection}.txt")
    with pytest.raises(DataError, match=r"'bge-v1' of '5\.arguana' or 'bge-v1\.5' of 'arguana'$"):
        labels_of([path], [pattern], qrels)
    (tmp_path / "arguana.txt").write_text("1 0 a 1\n")
    assert labels_of([path], [pattern], qrels) == {path: both[1]}
    (tmp_path / "5.arguana.txt").write_text("1 0 a 1\n")
    with pytest.raises(DataError, match="in several ways"):
        labels_of([path], [pattern], qrels)


def test_a_name_of_dots_has_many_ways_but_takes_no_time() -> None:
    pattern = Pattern.of("{run}.{}.{}.{}.{collection}")
    assert 1 < len(pattern.labels("." * 300)) <= 50


def test_the_first_pattern_that_fits_counts() -> None:
    patterns = patterns_in(["{run}.seed.eval", "{run}.eval"])
    assert labels_of(["a.seed.eval", "b.eval"], patterns) == {
        "a.seed.eval": Label("a"),
        "b.eval": Label("b"),
    }


def test_a_run_without_repeats_stands_beside_those_with_some() -> None:
    patterns = patterns_in(["{run}.seed{repeat}.eval", "{run}.eval"])
    assert labels_of(["a.seed1.eval", "a.seed2.eval", "bm25.eval"], patterns) == {
        "a.seed1.eval": Label("a", None, "1"),
        "a.seed2.eval": Label("a", None, "2"),
        "bm25.eval": Label("bm25"),
    }
    turned = labels_of(["a.seed1.eval"], patterns_in(["{run}.eval", "{run}.seed{repeat}.eval"]))
    assert turned == {"a.seed1.eval": Label("a.seed1")}


def test_a_repeat_that_is_matched_in_two_ways_is_an_error_that_shows_both() -> None:
    with pytest.raises(DataError) as error:
        labels_of(["x/a.1.2.eval"], patterns_in(["{run}.{repeat}.eval"]))
    assert str(error.value) == (
        "x/a.1.2.eval: fits --labels '{run}.{repeat}.eval' in several ways: "
        "'a', repeat '1.2' or 'a.1', repeat '2'"
    )
    with pytest.raises(DataError, match=r"'a', repeat '1' of 'x\.y' or 'a', repeat '1\.x' of 'y'$"):
        labels_of(["a-1.x.y"], patterns_in(["{run}-{repeat}.{collection}"]))


def test_judgements_decide_between_ways_with_repeats_too(tmp_path: Path) -> None:
    (tmp_path / "nq.txt").write_text("1 0 a 1\n")
    pattern, path = patterns_in(["{run}.{repeat}.{collection}.run"]), "bge.1.5.nq.run"
    qrels = str(tmp_path / "{collection}.txt")
    with pytest.raises(DataError, match="in several ways"):
        labels_of([path], pattern, qrels)  # of 'nq' in both
    assert labels_of(["bge.1.nq.run"], pattern, qrels) == {
        "bge.1.nq.run": Label("bge", "nq", "1")
    }  # fmt: skip


def test_a_path_that_no_pattern_fits_is_shown_with_the_patterns() -> None:
    patterns = patterns_in(["{collection}/{run}.run", "{run}.eval"])
    with pytest.raises(DataError) as error:
        labels_of(["beir/x.txt"], patterns)
    assert str(error.value) == (
        "beir/x.txt: does not fit --labels '{collection}/{run}.run', '{run}.eval'"
    )
    with pytest.raises(DataError, match=r"^standard input \(-\): does not fit"):
        labels_of(["-"], patterns_in(["{run}"]))


@pytest.mark.parametrize("name", ["macro", "meta"])
def test_no_collection_has_a_name_that_results_have(name: str) -> None:
    with pytest.raises(DataError, match=f"a collection cannot be called '{name}'"):
        labels_of([f"{name}/bm25.run"], patterns_in(["{collection}/{run}.run"]))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{collections}/{run}", "{collections}, which is unknown"),
        ("{run}/{run}", "{run} twice"),
        ("{run}.{repeat}.{repeat}", "{repeat} twice"),
        ("{run}.{group}", "{group}, which is unknown"),
        ("*.run", "none of {run}, {collection}, {repeat}"),
        ("{}", "none of {run}, {collection}"),
        ("{run}/{collection", "an unmatched brace"),
    ],
)
def test_a_pattern_that_means_nothing_is_refused(text: str, problem: str) -> None:
    with pytest.raises(CallError) as error:
        patterns_in([text])
    assert problem in str(error.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("{run}.{rep}", "{repeat}"),
        ("{run}.{repeats}", "{repeat}"),
        ("{collections}", "{collection}"),
    ],
)
def test_a_field_that_was_meant_is_suggested(text: str, meant: str) -> None:
    with pytest.raises(CallError) as error:
        patterns_in([text])
    assert error.value.hint == (
        f"did you mean {meant}? use {{run}}, {{collection}}, {{repeat}}, or {{}} for anything"
    )


def test_none_is_no_pattern() -> None:
    assert patterns_in(["none"]) == ()
    assert labels_of(["a.run"], ()) == {}
    with pytest.raises(CallError, match="use only one of them"):
        patterns_in(["none", "{run}"])


@pytest.mark.parametrize(
    ("path", "shown", "with_one_more"),
    [
        ("qrels.txt", "qrels.txt", "qrels.txt"),
        ("/home/ann/qrels.txt", "qrels.txt", "qrels.txt"),
        ("/home/ann/qrels/{collection}.txt", "{collection}.txt", "qrels/{collection}.txt"),
        ("/home/{collection}/judge/qrels", "{collection}/judge/qrels",
         "home/{collection}/judge/qrels"),
        ("{run}.eval", "{run}.eval", "{run}.eval"),
        ("llm/{}.{run}", "{}.{run}", "llm/{}.{run}"),
        ("a/{collection}/{run}.run", "{collection}/{run}.run", "a/{collection}/{run}.run"),
        ("/home/{ann}/qrels.txt", "qrels.txt", "qrels.txt"),  # braces that are in a name
        ("/home/{ann}/{run}.eval", "{run}.eval", "{ann}/{run}.eval"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_folders_are_private_but_for_those_of_a_pattern(
    path: str, shown: str, with_one_more: str
) -> None:
    assert (shown_path(path), shown_path(path, keep=1)) == (shown, with_one_more)
