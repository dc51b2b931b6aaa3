"""Messages that name options of the command line, in the words of Python."""

import re

import numpy as np
import pandas as pd
import pytest

import confint_cli
from confint_cli.app.keywords import in_python


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("use --simultaneous for all at once", "use simultaneous=True for all at once"),
        ("use --baseline RUN for one run, or --all-pairs for all pairs",
         "use baseline=RUN for one run, or all_pairs=True for all pairs"),
        ("--missing zero scores such topics 0, --missing drop leaves them out",
         'missing="zero" scores such topics 0, missing="drop" leaves them out'),
        ("prefer --correct max-t, with --strict", 'prefer correct="max-t", with strict=True'),
        ("try --method t,bootstrap-t.", 'try method="t,bootstrap-t".'),
        ("'confint compare --method t,bootstrap-t' shows it",
         'compare(…, method="t,bootstrap-t") shows it'),
        ("'confint compare' does so", "compare(…) does so"),
        ("--baseline chooses another", "baseline chooses another"),
        ("more --draws make that less likely", "more draws make that less likely"),
        ("--resamples 2900000 would be enough", "resamples=2900000 would be enough"),
        ("use --labels '{run}.seed{repeat}.{}'", "use labels='{run}.seed{repeat}.{}'"),
        ("choose others with -m NAME, or use -m all",
         'choose others with measure=NAME, or use measure="all"'),
        ("use --input-format per_query", 'use input_format="per_query"'),
        ("(--fail-if worse)", '(fail_if="worse")'),
        # Not options of functions, or not options at all
        ("'confint methods ppi' explains it", "'confint methods ppi' explains it"),
        ("--verbose and --output FILE", "--verbose and --output FILE"),
        ("the run '--missing zero'", "the run '--missing zero'"),
        ("bm25--strict and a-m b", "bm25--strict and a-m b"),
        ("--no-such-option 5", "--no-such-option 5"),
    ],
)  # fmt: skip
def test_options_are_keyword_arguments(text: str, wanted: str) -> None:
    assert in_python(text) == wanted
    assert in_python(wanted) == wanted


def test_errors_notices_and_results_speak_of_keyword_arguments() -> None:
    scores = {run: {str(n): {"m": (n * k % 7) / 7} for n in range(30)} for run, k in
              (("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5))}  # fmt: skip
    with pytest.raises(confint_cli.CallError) as caught:
        confint_cli.compare(scores)
    assert caught.value.hint == "use baseline=RUN for one run, or all_pairs=True for all pairs"
    result = confint_cli.compare(scores, baseline="a")
    for said in (result.sentence, repr(result), result._repr_html_()):
        assert "simultaneous=True" in said
        assert not re.search(r"--[a-z]", said)
    result = confint_cli.compare({run: scores[run] for run in "ab"})
    assert "baseline chooses another" in result.notices[0].text


def test_a_notebook_shows_the_line_of_the_call_and_the_message() -> None:
    """IPython calls `_render_traceback_` instead of showing frames of ours."""
    with pytest.raises(confint_cli.CallError) as caught:
        confint_cli.compare({"a": {"1": {"m": 0.5}}, "b": {"1": {"m": 1}}}, baseline="c")
    shown = caught.value._render_traceback_()
    assert shown[0].endswith('baseline="c")')
    assert shown[1:] == [
        "CallError: no run is called 'c'", "hint: there are: b, a"
    ]  # fmt: skip
    files = [frame.path for frame in caught.traceback]
    assert len(files) == 3  # of the test, of the function, and of what it calls: no more


def test_an_error_comes_with_what_was_said_before_it() -> None:
    """On the command line, it stands above the error."""
    array = np.random.default_rng(0).random((2, 12))
    with pytest.raises(confint_cli.CallError) as caught:
        confint_cli.compare(array)
    notes = caught.value.__notes__
    assert "hint: use baseline=RUN for one run, or all_pairs=True for all pairs" in notes
    assert "note: the array: 12 columns are read as runs, and 2 rows as topics" in notes


def test_what_is_for_the_command_line_only_says_so() -> None:
    for name in ("report", "methods"):
        with pytest.raises(AttributeError, match=f"'confint {name}' is for the command line"):
            getattr(confint_cli, name)
    with pytest.raises(AttributeError, match=r"no attribute 'frobnicate'$"):
        _ = confint_cli.frobnicate


def test_names_that_hold_options_stay_as_they_are() -> None:
    odd = "b --strict"
    scores = {run: {str(n): {"m": (n * k % 7) / 7} for n in range(30)} for run, k in
              (("a", 1), (odd, 2))}  # fmt: skip
    result = confint_cli.compare(scores)
    for said in (result.sentence, repr(result), result._repr_html_(), result.notices[0].text):
        assert odd in said
        assert "strict=" not in said


def test_a_representation_has_no_details() -> None:
    frame = pd.DataFrame({"run": ["a"] * 4, "qid": [*"1234"], "AP": [0.1, 0.5, 0.3, 0.4]})
    result = confint_cli.interval(frame[frame.AP < 0.5])  # its index counts 0, 2, 3
    assert [one.text for one in result.notices if one.level.value == "detail"] == [
        "the DataFrame: row numbers are left out: the index"
    ]
    assert "row numbers" not in repr(result) + result._repr_html_()
