"""Standardised scores: `confint standardize`, and --standardize of other commands."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from confint_cli.scores.scores import Scores
from confint_cli.studies.standardize import factors_of, standardized
from tests.conftest import ROOT, SAMPLES, Confint, records, write

EVALS = sorted((SAMPLES / "trec_eval").glob("*.eval"))
FULL = [path for path in EVALS if path.stem != "early-stop"]
VALUES = np.random.default_rng(0).random((12, 5)).round(4)
RUNS = "abcde"
FEW = (
    "confint: warning: {} runs are few to standardise by: where they hardly differ on a topic, "
    "scores of other runs become outliers; 20 or more are better"
)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    values = {run: {"map": VALUES[:, place].tolist()} for place, run in enumerate(RUNS)}
    return write(tmp_path / "scores.tsv", values)


def values_of(rows: list[dict[str, str]], measure: str = "map") -> dict[tuple[str, str], float]:
    return {
        (row["run"], row["topic"]): float(row["score"]) for row in rows if row["measure"] == measure
    }


def signature_of(text: str) -> dict[str, str]:
    """Return what the signature in front of a table says."""
    assert text.startswith("# confint:")
    return dict(part.split(":", 1) for part in text.splitlines()[0].split("|"))


def z_by(reference: str) -> dict[tuple[str, str], float]:
    """Longhand."""
    places = [RUNS.index(run) for run in reference]
    mean = VALUES[:, places].mean(axis=1)
    sd = VALUES[:, places].std(axis=1, ddof=1)
    return {
        (run, str(topic + 1)): (VALUES[topic, place] - mean[topic]) / sd[topic]
        for place, run in enumerate(RUNS)
        for topic in range(12)
    }


def test_by_all_runs_every_topic_has_mean_0_and_sd_1(scores: Path, confint: Confint) -> None:
    result = confint("standardize", scores)
    assert result.out.splitlines()[0] == "run\ttopic\tmeasure\tscore"
    found = values_of(records(result))
    assert found == pytest.approx(z_by(RUNS), rel=1e-12)
    by_topic = np.array(list(found.values())).reshape(5, 12)
    np.testing.assert_allclose(by_topic.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(by_topic.std(axis=0, ddof=1), 1)


def test_named_runs_are_the_reference(scores: Path, confint: Confint) -> None:
    for options in (("--reference", "b,d"), ("--reference", "d", "--reference", "b")):
        result = confint("standardize", scores, *options)
        assert values_of(records(result)) == pytest.approx(z_by("bd"), rel=1e-12)


def test_reference_runs_drawn_at_random_are_told(scores: Path, confint: Confint) -> None:
    drawn = set()
    for seed in range(100):
        result = confint("standardize", scores, "--reference-sample", 3, "--seed", seed)
        said, warned = result.err.splitlines()
        assert warned == FEW.format(3)
        prefix, _, names = said.removeprefix("confint: note: ").partition(": ")
        assert prefix == "standardised by 3 of 5 runs"
        chosen = "".join(names.split(", "))
        assert len(set(chosen)) == 3
        assert values_of(records(result)) == pytest.approx(z_by(chosen), rel=1e-12)
        drawn.add(chosen)
    assert len(drawn) == 10  # all there are
    assert FEW.format(9) not in confint("standardize", scores).err
    again = confint("standardize", scores, "--reference-sample", 3)
    assert again == confint("standardize", scores, "--reference-sample", 3, "--seed", 0)
    every = confint("standardize", scores, "--reference-sample", 5)
    assert every.out == confint("standardize", scores).out


def test_reference_runs_may_be_other_files(confint: Confint) -> None:
    """They are a yardstick, and no part of the result."""
    bm25, dense, hybrid, tfidf = (
        SAMPLES / "trec_eval" / f"{name}.eval" for name in ("bm25", "dense", "hybrid", "tfidf")
    )
    found = confint("standardize", hybrid, "-m", "map", "--reference", f"{bm25},{dense},{tfidf}")
    assert {row["run"] for row in records(found)} == {"hybrid"}
    every = confint("standardize", bm25, dense, hybrid, tfidf, "-m", "map",
                    "--reference", "bm25,dense,tfidf")  # fmt: skip
    expected = [row for row in records(every) if row["run"] == "hybrid"]
    assert records(found) == expected


def test_cdf_is_the_normal_distribution_of_z(scores: Path, confint: Confint) -> None:
    found = values_of(records(confint("standardize", scores, "--transform", "cdf")))
    z = z_by(RUNS)
    assert found == pytest.approx({key: stats.norm.cdf(z[key]) for key in z}, rel=1e-12)
    assert all(0 < value < 1 for value in found.values())


def test_topics_without_spread_are_left_out(tmp_path: Path, confint: Confint) -> None:
    values = VALUES.copy()
    values[3] = 0.1 + 0.2
    values[3, 0] = 0.3  # alike but for the last bit
    values[7] = 0.0
    runs = {run: {"m": values[:, place].tolist(), "n": VALUES[:, place].tolist()}
            for place, run in enumerate(RUNS)}  # fmt: skip
    path = write(tmp_path / "x.tsv", runs)
    result = confint("standardize", path)
    assert result.err == (
        "confint: note: on m, the runs to standardise by score alike on 2 of 12 topics, left "
        "out: 4, 8\n"
    )
    assert len(values_of(records(result), "m")) == 5 * 10
    assert len(values_of(records(result), "n")) == 5 * 12
    back = records(confint("interval", "-", "--method", "t", stdin=result.out.encode()))
    assert {(row["measure"], row["topics"]) for row in back} == {("m", "10"), ("n", "12")}


@pytest.mark.parametrize("command", ["interval", "compare", "rank", "coverage"])
def test_a_pipe_and_the_option_are_the_same(command: str, confint: Confint) -> None:
    options = ["--baseline", "bm25"] if command == "compare" else []
    options += ["--replicates", "50"] if command == "coverage" else []
    piped = confint("standardize", *FULL, "-m", "map,P_10")
    through = confint(command, "-", *options, stdin=piped.out.encode())
    at_once = confint(command, *FULL, "-m", "map,P_10", *options, "--standardize", "all")
    assert through.status == at_once.status == 0
    assert through.out == at_once.out


@pytest.mark.parametrize("command", ["bayes", "risk", "describe", "plan", "score"])
def test_every_other_command_reads_it(command: str, confint: Confint) -> None:
    piped = confint("standardize", *FULL, "-m", "map").out.encode()
    options = ["--baseline", "bm25"] if command in ("bayes", "risk") else []
    result = confint(command, "-", *options, stdin=piped)
    assert result.status == 0, result.err
    assert len(result.out.splitlines()) > 2


def test_intervals_of_standardised_scores(scores: Path, confint: Confint) -> None:
    rows = records(confint("interval", scores, "--standardize", "all", "--method", "t",
                           "--digits", 9))  # fmt: skip
    z = z_by(RUNS)
    for row in rows:
        own = np.array([z[row["run"], str(topic)] for topic in range(1, 13)])
        low, high = stats.t.interval(0.95, 11, own.mean(), own.std(ddof=1) / np.sqrt(12))
        found = [float(row[name]) for name in ("mean", "low", "high")]
        assert found == pytest.approx([own.mean(), low, high], abs=2e-9)
    means = [float(row["mean"]) for row in rows]
    assert means == sorted(means, reverse=True)


def test_people_are_told_that_scores_are_standardised(scores: Path, confint: Confint) -> None:
    for command, options in (("interval", []), ("rank", []), ("compare", ["--all-pairs"])):
        result = confint(command, scores, *options, "--standardize", "all", "-f", "table")
        assert "Standardised scores: standard deviations above the mean of all 5 runs" in (
            " ".join(result.out.split())
        )
        assert "|standardize:all|" in result.out
    drawn = confint("interval", scores, "--standardize", 3, "-f", "table", "--method", "t")
    assert "above the mean of 3 runs (a, b, e) on a topic" in " ".join(drawn.out.split())
    assert "|standardize:a,b,e|" in drawn.out
    assert "|seed:0|random:numpy" in drawn.out
    assert drawn.err.startswith("confint: note: standardised by 3 of 5 runs: ")


# Factors


@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1e-300]), min_size=3,
                 max_size=3),
        min_size=2, max_size=6,
    ),
    st.sampled_from(["tsv", "csv"]),
    st.sampled_from(["z", "cdf"]),
)  # fmt: skip
def test_saved_factors_give_the_same_scores(
    tmp_path_factory: pytest.TempPathFactory,
    confint: Confint,
    values: list[list[float]],
    kind: str,
    transform: str,
) -> None:
    folder = tmp_path_factory.mktemp("factors")
    by_run = {run: {"m": list(own)} for run, own in zip("xyz", zip(*values, strict=True),
                                                        strict=True)}  # fmt: skip
    path, factors = write(folder / "x.tsv", by_run), folder / f"f.{kind}"
    options = ("--transform", transform)
    direct = confint("standardize", path, "--save-factors", factors, *options)
    if direct.status:
        assert direct.status == 1
        assert "differ on no topic" in direct.err or "too large" in direct.err
        assert not factors.exists()
        return
    again = confint("standardize", path, "--factors", factors, *options)
    assert again.out == direct.out


def test_the_factors_are_means_and_sds(scores: Path, tmp_path: Path, confint: Confint) -> None:
    path = tmp_path / "f.tsv"
    confint("standardize", scores, "--reference", "b,d", "--save-factors", path)
    comment, header, *lines = path.read_text().splitlines()
    assert header.split("\t") == ["measure", "topic", "mean", "sd", "runs"]
    assert "|reference:b,d|scale:" in comment
    rows = [line.split("\t") for line in lines]
    reference = VALUES[:, [1, 3]]
    assert [row[1] for row in rows] == [str(topic) for topic in range(1, 13)]
    assert [float(row[2]) for row in rows] == pytest.approx(reference.mean(axis=1))
    assert [float(row[3]) for row in rows] == pytest.approx(reference.std(axis=1, ddof=1))
    assert {row[4] for row in rows} == {"2"}


def test_another_run_on_the_same_scale(scores: Path, tmp_path: Path, confint: Confint) -> None:
    factors = tmp_path / "f.csv"
    assert confint("standardize", scores, "--save-factors", factors).status == 0
    theirs = write(tmp_path / "theirs.tsv", {"new": {"AP": VALUES[:, 0].tolist()}})
    found = values_of(records(confint("standardize", theirs, "--factors", factors)), "AP")
    expected = {("new", topic): z for (run, topic), z in z_by(RUNS).items() if run == "a"}
    assert found == pytest.approx(expected, rel=1e-12)  # map and AP are one measure
    piped = confint("standardize", theirs, "--factors", factors)
    through = confint("interval", "-", "--method", "t", stdin=piped.out.encode())
    at_once = confint("interval", theirs, "--method", "t", "--standardize", factors)
    assert through.out == at_once.out
    shown = confint("interval", theirs, "--standardize", factors, "-f", "table")
    assert "of the reference runs in f.csv on a topic" in " ".join(shown.out.split())


def test_unpaired_runs_by_factors(scores: Path, tmp_path: Path, confint: Confint) -> None:
    """Runs on different topics, each standardised by what the reference runs score there."""
    factors = tmp_path / "f.tsv"
    confint("standardize", scores, "--save-factors", factors)
    lines = scores.read_text().splitlines()
    one, two = tmp_path / "one.tsv", tmp_path / "two.tsv"
    for path, run, topics in ((one, "a", range(1, 7)), (two, "b", range(7, 13))):
        wanted = {f"{run}\t{topic}\t" for topic in topics}
        kept = [line for line in lines if any(line.startswith(start) for start in wanted)]
        path.write_text("\n".join([lines[0], *kept, ""]))
    (row,) = records(confint("compare", one, two, "--baseline", "b", "--unpaired",
                             "--standardize", factors, "--digits", 9))  # fmt: skip
    z = z_by(RUNS)
    a = [z["a", str(topic)] for topic in range(1, 7)]
    b = [z["b", str(topic)] for topic in range(7, 13)]
    welch = stats.ttest_ind(a, b, equal_var=False)
    assert float(row["difference"]) == pytest.approx(np.mean(a) - np.mean(b), abs=2e-9)
    assert float(row["p_t"]) == pytest.approx(welch.pvalue, rel=1e-6)
    assert confint("interval", scores, "--standardize", "ALL").out == confint(
        "interval", scores, "--standardize", "all").out  # fmt: skip
    refused = confint("compare", one, two, "--baseline", "b", "--unpaired", "--standardize", "all")
    assert (refused.status, refused.err) == (
        2,
        "confint: runs on different topics cannot standardise each other\n"
        "  hint: use --standardize FILE, with factors that 'confint standardize' saved\n",
    )


COMMANDS = {
    "standardize": ("--factors",),
    "interval": ("--method", "t", "--standardize"),
    "rank": ("--resamples", "99", "--standardize"),
    "compare": ("--all-pairs", "--standardize"),
    "coverage": ("--method", "t", "--replicates", "9", "--standardize"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_topics_that_runs_lack_of_the_factors(
    command: str, scores: Path, tmp_path: Path, confint: Confint
) -> None:
    """They may be of another collection, or have failed: they do not count, and that is said."""
    factors = tmp_path / "f.tsv"
    confint("standardize", scores, "--save-factors", factors)
    short = write(tmp_path / "s.tsv", {run: {"map": VALUES[:10, place].tolist()}
                                       for place, run in enumerate("no")})  # fmt: skip
    result = confint(command, short, *COMMANDS[command], factors)
    assert result.status == 0
    assert (
        f"confint: warning: {factors} has map factors for 12 topics, of which the scores lack "
        "2: 11, 12; these do not count\n"
    ) in result.err
    if command != "standardize":
        column = "sample_size" if command == "coverage" else "topics"
        assert {row[column] for row in records(result)} == {"10"}


@pytest.mark.parametrize("command", COMMANDS)
def test_topics_without_factors_can_be_dropped(
    command: str, scores: Path, tmp_path: Path, confint: Confint
) -> None:
    some, factors = tmp_path / "some.tsv", tmp_path / "f.tsv"
    some.write_text("\n".join(str(topic) for topic in range(1, 11)))
    confint("standardize", scores, "--topics", some, "--save-factors", factors)
    call = (command, scores, *COMMANDS[command], factors)
    refused = confint(*call)
    assert refused.status == 1
    assert "has no map factors for 2 of 12 topics: 11, 12\n" in refused.err
    dropped = confint(*call, "--missing", "drop")
    assert dropped.out == confint(*call, "--topics", some).out
    assert (
        f"confint: warning: {factors} has no map factors for 2 of 12 topics: 11, 12; dropped "
        "for all runs\n"
    ) in dropped.err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_measures_are_those_of_the_factors(
    command: str, tmp_path: Path, confint: Confint
) -> None:
    factors = tmp_path / "f.tsv"
    confint("standardize", *FULL, "-m", "AP,P@10", "--save-factors", factors)
    call = (command, *FULL[:3], *COMMANDS[command], factors)
    result = confint(*call)
    assert result.out == confint(*call, "-m", "map,P_10").out
    assert "confint: note: using map, P_10 of 26 measures\n" in result.err
    assert "has no factors for Rprec" in confint(*call, "-m", "Rprec").err


def test_the_measures_of_factors_are_scored(tmp_path: Path, confint: Confint) -> None:
    factors = tmp_path / "f.tsv"
    runs = sorted((SAMPLES / "runs").glob("*.run"))
    call = ("standardize", "-q", SAMPLES / "qrels.txt", *runs)
    confint(*call, "-m", "P@5,AP", "--save-factors", factors)
    result = confint(*call, "--factors", factors)
    assert {row["measure"] for row in records(result)} == {"P_5", "map"}
    few = tmp_path / "qrels.txt"
    lines = (SAMPLES / "qrels.txt").read_text().splitlines(keepends=True)
    few.write_text("".join(line for line in lines if int(line.split()[0]) <= 320))
    judged = confint("interval", "-q", few, *runs, "-m", "map", "--standardize", factors)
    assert {row["topics"] for row in records(judged)} == {"20"}


def test_no_topic_has_factors(scores: Path, tmp_path: Path, confint: Confint) -> None:
    factors = tmp_path / "f.tsv"
    confint("standardize", scores, "--save-factors", factors)
    factors.write_text(factors.read_text().replace("map\t", "map\t0"))
    for missing in ("zero", "drop"):
        result = confint("standardize", scores, "--factors", factors, "--missing", missing)
        assert (result.status, result.err) == (
            1,
            f"{FEW.format(5)}\n"
            f"confint: {factors}: has no map factors for any of the 12 topics\n"
            "  hint: it has topics such as '01', the scores '1'; ids are compared as written, "
            "so 01 is not 1\n",
        )


def test_a_measure_that_one_run_has_is_left_out(tmp_path: Path, confint: Confint) -> None:
    values = VALUES[:, 0].tolist()
    path = write(tmp_path / "x.tsv", {"a": {"map": values, "P_10": values},
                                      "b": {"map": VALUES[:, 1].tolist()}})  # fmt: skip
    result = confint("interval", path, "--method", "t", "--standardize", "all")
    assert [(row["measure"], row["topics"]) for row in records(result)] == [("map", "12")] * 2
    assert (
        "confint: warning: P_10 is standardised by the spread of two runs or more, but 'a' is the "
        "only run; left out\n"
    ) in result.err


def test_a_run_of_which_nothing_can_be_standardised(tmp_path: Path, confint: Confint) -> None:
    """It has scores on topics only on which the runs to standardise by do not differ."""
    factors = tmp_path / "f.tsv"
    reference = {run: {"map": [0.1 * place, 0.2 * place, 0.5]} for place, run in enumerate("xyz")}
    confint("standardize", write(tmp_path / "r.tsv", reference), "--save-factors", factors)
    one = write(tmp_path / "a.tsv", {"a": {"map": [0.1, 0.5]}})
    other = tmp_path / "b.tsv"
    other.write_text("run\ttopic\tmeasure\tscore\nb\t3\tmap\t0.4\n")
    result = confint("compare", one, other, "--unpaired", "--standardize", factors, "--baseline",
                     "b")  # fmt: skip
    assert result.status == 1
    assert result.err.endswith(
        "confint: on map, 'b' has no topic on which the runs to standardise by differ\n"
    )


# Scales have names


def test_the_scale_has_a_name_that_goes_down_the_pipe(tmp_path: Path, confint: Confint) -> None:
    factors, z = tmp_path / "f.tsv", tmp_path / "z.tsv"
    confint("standardize", *FULL, "-m", "map,P_10", "--save-factors", factors, "-o", z,
            "--signature")  # fmt: skip
    (scales,) = {signature_of(path.read_text())["scale"] for path in (factors, z)}
    assert len(set(scales.split(","))) == 2
    for command in ("interval", "rank", "describe", "plan"):
        assert signature_of(confint(command, z, "--signature").out)["scale"] == scales
    by_factors = confint("interval", *FULL, "--standardize", factors, "--signature").out
    assert signature_of(by_factors)["scale"] == scales
    one = confint("interval", FULL[0], "-m", "P_10", "--standardize", factors, "--signature").out
    assert signature_of(one)["scale"] == scales.split(",")[1]
    other = confint("interval", *FULL[1:], "-m", "map,P_10", "--standardize", "all", "--signature")
    assert not {*signature_of(other.out)["scale"].split(",")} & {*scales.split(",")}
    shown = confint("interval", z, "-m", "map", "-f", "table").out
    assert f"Standardised scores (scale {scales.split(',')[0]})." in shown


def test_runs_on_scales_of_different_names(tmp_path: Path, confint: Confint) -> None:
    kinds = {"all": [], "cdf": ["--transform", "cdf"], "few": ["--reference-sample", 3]}
    scores, means, scale = {}, {}, {}
    for name, options in kinds.items():
        scores[name], means[name] = tmp_path / f"{name}.tsv", tmp_path / f"mean-{name}.tsv"
        confint("standardize", *FULL, "-m", "map", *options, "--signature", "-o", scores[name])
        text = scores[name].read_text()
        scale[name] = signature_of(text)["scale"]
        scores[name].write_text(re.sub(r"(?m)^(?!#|run\t|$)", f"{name}-", text))
        confint("interval", scores[name], "--method", "t", "--signature", "-o", means[name])
    assert scale["cdf"] == f"{scale['all']}-cdf"
    assert scale["few"] != scale["all"]
    said = "confint: warning: on map, runs are on different scales and cannot be compared: "
    for one, other in (("all", "few"), ("all", "cdf")):
        for result in (confint("summary", means[one], means[other]),
                       confint("interval", scores[one], scores[other])):  # fmt: skip
            assert said in result.err
            for name in (one, other):
                assert (
                    f"{name}-bm25, {name}-bm25-rm3, {name}-dense and 4 more are standardised "
                    in (result.err)
                )
                assert f"({scale[name]})" in result.err
    raw = tmp_path / "raw.tsv"
    confint("score", *FULL[:1], "-m", "map", "--signature", "-o", raw)
    result = confint("interval", scores["cdf"], raw, "--signature")
    assert said in result.err
    assert f"are standardised ({scale['cdf']}); bm25-rm3 is not\n" in result.err
    assert "scale" not in signature_of(result.out)
    silent = confint("interval", scores["cdf"], FULL[0], "--signature")
    assert "different scales" not in silent.err  # nobody knows
    assert "scale" not in signature_of(silent.out)
    twice = confint("interval", scores["cdf"], "--standardize", "all")
    assert (
        "confint: warning: map is already standardised, and is now standardised once more\n"
    ) in twice.err


@pytest.mark.parametrize(
    ("measures", "scale"),
    [("map", "\x1b[31mred"), ("map", "12345678-x"), ("map", "1234567é"), ("map,P_10", "12345678"),
     ("map", "12345678,12345678"), ("map", "<b>")],
)  # fmt: skip
def test_a_scale_that_nobody_wrote_but_a_stranger(
    measures: str, scale: str, tmp_path: Path, confint: Confint
) -> None:
    """It says nothing, neither that scores are standardised nor that they are not."""
    z = write(tmp_path / "z.tsv", {"a": {"map": [0.1, 0.5, 0.2]}})
    known = tmp_path / "k.tsv"
    known.write_text("# confint:0.7.0|measures:map\n" + z.read_text().replace("\na", "\nb"))
    z.write_text(f"# confint:0.7.0|measures:{measures}|scale:{scale}\n{z.read_text()}")
    result = confint("interval", z, known, "--method", "t", "-f", "table")
    assert result.status == 0
    assert "scale" not in result.out + result.err
    assert "\x1b" not in result.out + result.err


def test_what_factors_lack(scores: Path, tmp_path: Path, confint: Confint) -> None:
    factors = tmp_path / "f.tsv"
    confint("standardize", scores, "--save-factors", factors)
    whole = factors.read_text()
    factors.write_text("".join(line for line in whole.splitlines(keepends=True)
                               if not line.startswith(("map\t3\t", "map\t5\t"))))  # fmt: skip
    result = confint("standardize", scores, "--factors", factors)
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        f"{FEW.format(5)}\n"
        f"confint: {factors}: has no map factors for 2 of 12 topics: 3, 5\n"
        "  hint: factors are for the topics that the reference runs were scored on; --missing drop "
        "leaves out other topics\n"
    )
    factors.write_text(whole)
    other = write(tmp_path / "o.tsv", {"a": {"P_10": [0.1, 0.2]}})
    result = confint("standardize", other, "--factors", factors)
    assert (result.status, result.err) == (
        1,
        f"confint: {factors}: has no factors for P_10\n"
        "  hint: it has: map; choose with -m; for a file that does not name its measure, use "
        "--measure-name\n")  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("run\ttopic\tmeasure\tscore\na\t1\tm\t1\n",
         "is not a table of factors to standardise by\n"
         "  hint: 'confint standardize --save-factors FILE' writes such a table"),
        ("measure\ttopic\tmean\tsd\n", ":1: the table has no column 'runs'"),
        ("measure\ttopic\tmean\tsd\truns\n", "has no rows"),
        ("measure\ttopic\tmean\tsd\truns\nm\t1\tx\t1\t3\n", ":2: the mean is not a number: 'x'"),
        ("measure\ttopic\tmean\tsd\truns\nm\t1\t0\t-1\t3\n",
         ":2: the sd is -1, but it cannot be below 0"),
        ("measure\ttopic\tmean\tsd\truns\nm\t1\t0\tinf\t3\n", ":2: the sd is not finite: 'inf'"),
        ("measure\ttopic\tmean\tsd\truns\nm\t1\t0\t1\t1\n",
         ":2: runs is '1', but has to be a whole number of 2 or more"),
        ("measure\ttopic\tmean\tsd\truns\nm\t1\t0\t1\t3\nm\t2\t0\t1\t4\n",
         ":3: on 'm', rows above have 3 runs, but this row has 4"),
        ("measure\ttopic\tmean\tsd\truns\nm\t1\t0\t1\t3\nm\t1\t0\t2\t3\n",
         ":3: an earlier row for topic '1' and 'm' differs"),
        ("measure\ttopic\tmean\tsd\truns\nm\t\t0\t1\t3\n", ":2: the topic has no name"),
        ("measure\ttopic\tmean\tsd\truns\n\t1\t0\t1\t3\n", ":2: the measure has no name"),
        ("measure\ttopic\tmean\tsd\truns\nm\t1\t0\t1\n", ":2: 5 columns are needed, not 4"),
    ],
)  # fmt: skip
def test_bad_factors_are_refused_by_every_command(
    content: str, message: str, scores: Path, tmp_path: Path, confint: Confint
) -> None:
    factors = tmp_path / "f.tsv"
    factors.write_text(content)
    for call in (
        ("standardize", scores, "--factors", factors),
        ("interval", scores, "--standardize", factors),
    ):
        result = confint(*call)
        assert (result.status, result.out) == (1, "")
        separator = "" if message.startswith(":") else ": "
        assert result.err.startswith(f"confint: {factors}{separator}{message}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--reference a --reference-sample 3",
         "--reference, --reference-sample and --factors: use only one of them\n"),
        ("--reference-sample 3 --factors f.tsv",
         "--reference, --reference-sample and --factors: use only one of them\n"),
        ("--reference ,", "--reference names no run\n"),
        ("--reference a",
         "map is standardised by the spread of two runs or more, but 'a' is the only run\n"
         "  hint: give more runs, or use factors from other runs: see 'confint standardize "
         "--help'\n"),
        ("--reference a,nobody", "no run is called 'nobody'\n  hint: there are: c, e, a, b, d\n"),
        ("--reference-sample 6", "6 runs cannot be drawn to standardise by: there are only 5\n"),
        ("--save-factors f.json",
         "--save-factors 'f.json': factors are saved in a file whose name ends in .tsv or "
         ".csv\n"),
        ("--save-factors -",
         "--save-factors '-': factors are saved in a file whose name ends in .tsv or .csv\n"),
        ("--save-factors f.tsv -o f.tsv",
         "-o and --save-factors are the same file: 'f.tsv'\n"),
        ("--save-factors scores.tsv",
         "--save-factors would overwrite an input: 'scores.tsv'\n"),
        ("--factors scores.tsv -o scores.tsv",
         "-o would overwrite an input: 'scores.tsv'\n"),
        ("--reference a,b --save-factors ./scores.tsv",
         "--save-factors would overwrite an input: './scores.tsv'\n"),
        ("--save-factors f.tsv --factors scores.tsv",
         "--factors and --save-factors: use only one of them\n"),
    ],
)  # fmt: skip
def test_a_bad_call_is_refused_and_leaves_no_file(
    options: str, message: str, scores: Path, tmp_path: Path, confint: Confint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    before = scores.read_text()
    monkeypatch.chdir(tmp_path)
    result = confint("standardize", "scores.tsv", *options.split())
    assert (result.status, result.out, result.err) == (2, "", f"confint: {message}")
    assert scores.read_text() == before
    assert [child.name for child in tmp_path.iterdir()] == ["scores.tsv"]


def test_factors_are_not_overwritten(scores: Path, tmp_path: Path, confint: Confint) -> None:
    factors, reference = tmp_path / "f.tsv", tmp_path / "r.tsv"
    confint("standardize", scores, "--save-factors", factors)
    reference.write_text(scores.read_text())
    before = factors.read_text()
    for call in (
        ("standardize", scores, "--factors", factors, "-o", factors),
        ("interval", scores, "--standardize", factors, "-o", factors),
        ("standardize", scores, "--reference", reference, "--save-factors", reference),
    ):
        result = confint(*call)
        assert result.status == 2
        assert "would overwrite an input" in result.err
    assert factors.read_text() == before
    assert reference.read_text() == scores.read_text()
    link = tmp_path / "link.tsv"
    link.symlink_to(tmp_path / "new.tsv")
    (tmp_path / "new.tsv").write_text("")
    result = confint("standardize", scores, "--save-factors", link, "-o", tmp_path / "new.tsv")
    assert (result.status, "are the same file" in result.err) == (2, True)


def test_factors_are_saved_whoever_reads_the_scores(tmp_path: Path) -> None:
    factors = tmp_path / "f.tsv"
    program = [sys.executable, "-m", "confint_cli", "standardize", *map(str, EVALS), "-m", "all",
               "--save-factors", str(factors), "--quiet"]  # fmt: skip
    with subprocess.Popen(program, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        process.stdout.close()  # before anything is written
    assert factors.exists()


def test_no_topic_has_any_spread(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {run: {"m": [0.5, 0.2], "n": [0.1, 0.2]} for run in "abc"})
    result = confint("standardize", path, "--save-factors", tmp_path / "f.tsv")
    assert (result.status, result.err) == (
        1, "confint: on m, the runs to standardise by differ on no topic\n")  # fmt: skip
    assert not (tmp_path / "f.tsv").exists()


def test_scores_that_are_too_large(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.5, 0.2]}})
    factors = tmp_path / "f.tsv"
    factors.write_text("measure\ttopic\tmean\tsd\truns\n"
                       "m\t1\t0\t1e-320\t20\nm\t2\t0\t1\t20\n")  # fmt: skip
    for options in ([], ["--transform", "cdf"]):
        result = confint("standardize", path, "--factors", factors, *options)
        assert (result.status, result.out) == (1, "")
        assert result.err == f"confint: {factors}: standardised m is too large to compute with\n"


def test_runs_are_drawn_of_those_that_have_all_measures(tmp_path: Path, confint: Confint) -> None:
    by_run = zip(RUNS, VALUES.T.tolist(), strict=True)
    runs = {run: {"m": own, "n": own} for run, own in by_run}
    del runs["e"]["n"]
    path = write(tmp_path / "x.tsv", runs)
    for seed in range(20):
        result = confint("standardize", path, "--reference-sample", 3, "--seed", seed)
        assert "e" not in result.err.splitlines()[1].rpartition(": ")[2]
    result = confint("standardize", path, "--reference-sample", 5)
    assert result.err.endswith(
        "confint: 5 runs cannot be drawn to standardise by: there are only 4 that have all "
        "measures\n"
    )
    one = write(tmp_path / "one.tsv", {"a": runs["a"]})
    result = confint("standardize", one, "--reference-sample", 2)
    assert result.err.endswith("cannot be drawn to standardise by: there is only 1\n")


def test_one_measure_in_two_spellings(scores: Path, tmp_path: Path, confint: Confint) -> None:
    factors = tmp_path / "f.tsv"
    factors.write_text("measure\ttopic\tmean\tsd\truns\nmap\t1\t0\t1\t20\nAP\t1\t0\t2\t20\n")
    result = confint("standardize", scores, "--factors", factors)
    assert (result.status, result.err) == (
        1, f"confint: {factors}:3: an earlier row for topic '1' and 'AP' differs\n")  # fmt: skip
    factors.write_text("measure\ttopic\tmean\tsd\truns\nmap\t1\t0\t1\t2.5\n")
    result = confint("standardize", scores, "--factors", factors)
    assert ":2: runs is '2.5', but has to be a whole number" in result.err


def test_one_run_has_no_spread(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"only": {"m": [0.1, 0.5, 0.3]}})
    for call in (("standardize", path), ("interval", path, "--standardize", "all")):
        result = confint(*call)
        assert result.status == 2
        assert "two runs or more, but 'only' is the only run" in result.err


def test_two_runs_by_each_other(tmp_path: Path, confint: Confint) -> None:
    path = write(tmp_path / "x.tsv", {"a": {"m": [0.1, 0.5, 0.3]}, "b": {"m": [0.4, 0.1, 0.2]}})
    result = confint("standardize", path, "--digits", 4)
    assert {row["score"] for row in records(result)} == {"0.7071", "-0.7071"}
    assert "with two runs standardised by each other, scores only say which is better" in result.err


@pytest.mark.parametrize("number", [9, 10])
def test_ten_runs_are_not_few(number: int, tmp_path: Path, confint: Confint) -> None:
    values = np.random.default_rng(1).random((11, 6)).tolist()
    runs = {f"r{place}": {"m": own} for place, own in enumerate(values)}
    path = write(tmp_path / "x.tsv", runs)
    names = ",".join(f"r{place}" for place in range(number))
    result = confint("standardize", path, "--reference", names)
    assert (FEW.format(9) in result.err) == (number == 9)
    factors = tmp_path / "f.tsv"
    confint("standardize", path, "--reference", names, "--save-factors", factors)
    result = confint("interval", path, "--standardize", factors)
    assert (FEW.format(9) in result.err) == (number == 9)


# Scales that do not go together


def test_standardised_scores_among_others(tmp_path: Path, confint: Confint) -> None:
    z = tmp_path / "z.tsv"
    confint("standardize", *FULL, "-m", "map,P_10", "-o", z)
    raw = tmp_path / "raw.tsv"
    confint("score", *FULL[:2], "-m", "map,P_10", "-o", raw)
    raw.write_text(raw.read_text().replace("bm25", "mine"))
    warned = "goes beyond 0 to 1 for 7 runs, but not for 2: standardised scores, "
    for call in (("interval", z, raw), ("compare", z, raw, "--baseline", "mine"), ("rank", z, raw)):
        result = confint(*call)
        assert f"confint: warning: map {warned}" in result.err
        assert f"confint: warning: P_10 {warned}" in result.err
    assert "beyond" not in confint("interval", z).err
    assert "beyond" not in confint("interval", raw).err
    other = write(tmp_path / "dcg.tsv", {"a": {"dcg": [3.0, 0.5]}, "b": {"dcg": [0.3, 0.5]}})
    assert "beyond" not in confint("interval", other).err  # which is not known to be up to 1


def test_standardised_twice(tmp_path: Path, confint: Confint) -> None:
    factors, z = tmp_path / "f.tsv", tmp_path / "z.tsv"
    confint("standardize", *FULL, "-m", "map", "--save-factors", factors, "-o", z)
    for call in (("standardize", z, "--factors", factors), ("interval", z, "--standardize", "all")):
        said = "confint: warning: map goes beyond 0 to 1: are these scores already standardised?\n"
        assert said in confint(*call).err
    assert "already" not in confint("standardize", *FULL, "-m", "map").err


def test_published_means_on_different_scales(tmp_path: Path, confint: Confint) -> None:
    raw, other = tmp_path / "raw.csv", tmp_path / "other.csv"
    raw.write_text("run,measure,mean,sd,n\nraw,map,0.3,0.3,50\n")
    said = "map goes beyond 0 to 1 for 1 run, but not for 1: "
    # Half of 50 scores 1, the others 0: sd 0.505. No others from 0 to 1 spread so far.
    for mean, sd, beyond in ((1.2, 0.3, True), (-0.1, 0.3, True), (0.3, 0.7, True),
                             (0.5, 0.51, True), (0.5, 0.505, False), (1, 0, False)):  # fmt: skip
        other.write_text(f"run,measure,mean,sd,n\nother,map,{mean},{sd},50\n")
        for options in ([], ["--baseline", "raw"]):
            assert (said in confint("summary", raw, other, *options).err) == beyond
    assert "beyond" not in confint("summary", other).err


def test_tables_that_are_no_scores(tmp_path: Path, confint: Confint) -> None:
    factors, means = tmp_path / "f.tsv", tmp_path / "m.tsv"
    confint("standardize", *FULL, "-m", "map", "--save-factors", factors)
    confint("interval", *FULL, "-m", "map", "-o", means)
    for command in ("interval", "plan", "describe"):
        result = confint(command, factors)
        assert (result.status, result.err) == (
            1,
            f"confint: {factors}: holds factors to standardise by, not per-topic scores\n"
            "  hint: use them with --standardize FILE, or with 'confint standardize --factors "
            "FILE'\n",
        )
        result = confint(command, means)
        assert (result.status, result.err) == (
            1,
            f"confint: {means}: holds means of runs, not per-topic scores\n"
            "  hint: 'confint summary' reads such a table\n",
        )


# What is written


def test_a_pipe_gets_all_digits_and_people_four(scores: Path, confint: Confint) -> None:
    """Into a pipe go all digits, so that nothing is lost on the way; people see four."""
    row = records(confint("standardize", scores))[0]
    assert len(row["score"]) > 12
    shown = confint("standardize", scores, "-f", "markdown").out.splitlines()[2]
    assert shown.split("|")[-2].strip() == f"{float(row['score']):.4f}"
    rounded = records(confint("standardize", scores, "--digits", 2))[0]["score"]
    assert rounded == f"{float(row['score']):.2f}"


def test_the_signature_says_by_what(scores: Path, tmp_path: Path, confint: Confint) -> None:
    factors = tmp_path / "f.tsv"

    def signature(*options: object) -> dict[str, str]:
        result = confint("standardize", scores, *options, "-f", "json")
        return dict(json.loads(result.out)["signature"])

    said = signature("--save-factors", factors)
    assert (said["reference"], said["transform"], said["topics"]) == ("all", "z", "12")
    assert "seed" not in said
    assert signature("--reference", "d,b")["reference"] == "d,b"
    said = signature("--reference-sample", 2, "--transform", "cdf")
    assert len(said["reference"].split(",")) == 2
    assert (said["seed"], said["transform"]) == ("0", "cdf")
    values = VALUES.copy()
    values[3] = 0.5
    alike = write(tmp_path / "alike.tsv", {run: {"m": values[:, place].tolist()}
                                           for place, run in enumerate(RUNS)})  # fmt: skip
    result = confint("standardize", alike, "--reference", "a,b", "-f", "json")
    assert json.loads(result.out)["signature"]["topics"] == "11"  # without that left out
    one = write(tmp_path / "one.tsv", {"new": {"map": VALUES[:, 0].tolist()}})
    result = confint("standardize", one, "--reference", scores, "-f", "json")
    assert json.loads(result.out)["signature"]["runs"] == "1"  # without the references
    said = signature("--factors", factors)
    assert said["factors"] == "f.tsv"
    assert "reference" not in said


def test_runs_come_best_first_by_what_is_printed(tmp_path: Path, confint: Confint) -> None:
    """One topic decides the raw means, and counts no more than another once standardised."""
    runs = {"raw": {"m": [0.9, 0.1, 0.1, 0.1]}, "steady": {"m": [0.1, 0.2, 0.2, 0.2]},
            "third": {"m": [0.3, 0.05, 0.05, 0.05]}}  # fmt: skip
    path = write(tmp_path / "x.tsv", runs)
    order = dict.fromkeys(row["run"] for row in records(confint("standardize", path)))
    assert next(iter(order)) == "steady"
    assert next(iter(records(confint("score", path))))["run"] == "raw"
    by_name = dict.fromkeys(row["run"] for row in records(
        confint("standardize", path, "--sort", "name")))  # fmt: skip
    assert [*by_name] == ["raw", "steady", "third"]


def test_topics_that_look_like_guarded_formulas(tmp_path: Path, confint: Confint) -> None:
    """A quote before = is part of the name in TSV, and undone in CSV, where it is put."""
    path = tmp_path / "x.tsv"
    rows = ["a\t'=x\tmap\t0.1", "a\t=x\tmap\t0.7", "b\t'=x\tmap\t0.4", "b\t=x\tmap\t0.2"]
    path.write_text("\n".join(["run\ttopic\tmeasure\tscore", *rows, ""]))
    for kind in ("tsv", "csv"):
        factors = tmp_path / f"f.{kind}"
        direct = confint("standardize", path, "--save-factors", factors)
        again = confint("standardize", path, "--factors", factors)
        assert (again.status, again.out) == (0, direct.out)


def test_files_without_the_measure(tmp_path: Path, confint: Confint) -> None:
    """Reference runs alone are no result."""
    runs = {"x": {"map": [0.1, 0.2, 0.4]}, "y": {"map": [0.3, 0.1, 0.2]}}
    references = write(tmp_path / "r.tsv", runs)
    ours = write(tmp_path / "ours.tsv", {"ours": {"P_10": [0.1, 0.2, 0.3]}})
    both = write(tmp_path / "both.tsv", {"both": {"map": [0.1, 0.4, 0.2]}})
    result = confint("standardize", both, "--reference", references)
    by_name = confint("standardize", both, references, "--reference", "x,y")
    assert records(result) == [row for row in records(by_name) if row["run"] == "both"]
    result = confint("standardize", ours, references, "-m", "map", "--reference", "x,y")
    assert result.status == 0  # of the references, which are FILES here
    one, two = (write(tmp_path / f"{run}.tsv", {run: runs[run]}) for run in runs)
    result = confint("standardize", ours, both, "-m", "map", "--reference", f"{one},{two}")
    assert {row["run"] for row in records(result)} == {"both"}
    result = confint("standardize", ours, "-m", "map", "--reference", f"{one},{two}")
    assert (result.status, result.out) == (1, "")
    assert "confint: none of the FILES has a measure that is used\n" in result.err


# From Python


def test_standardised_scores_have_mean_0_and_sd_1_on_every_topic() -> None:
    values = np.random.default_rng(0).random((12, 5))
    values[3] = 0.1 + 0.2  # alike, but for …
    values[3, 0] = 0.3  # … the last bit
    topics, runs = values.shape
    scores = Scores(
        values[:, :, None],
        tuple(map(str, range(topics))),
        tuple(map(str, range(runs))),
        ("map",),
        np.zeros((topics, runs, 1), dtype=bool),
    )
    result, (left_out,) = standardized(scores, factors_of(scores.runs, scores)[0])
    assert left_out.text == (
        "on map, the runs to standardise by score alike on 1 of 12 topics, left out: 3"
    )
    assert result.topics == tuple(str(topic) for topic in range(12) if topic != 3)
    np.testing.assert_allclose(result.values.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(result.values.std(axis=1, ddof=1), 1)
