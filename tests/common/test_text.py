import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from confint_cli.common.text import (
    count,
    distinct,
    listed,
    natural_key,
    nearest,
    put_together,
    quoted,
    visible,
    visible_name,
    with_guard,
    with_guarded_cells,
    without_guard,
    without_guarded_cells,
)


def test_control_characters_are_written_out() -> None:
    assert visible("a\tb\nc\x1b[31md\x07\x7f\x9b") == "a\\tb\\nc\\e[31md\\x07\\x7f\\x9b"


def test_characters_that_reorder_or_hide_text_are_written_out() -> None:
    assert visible("a\u202eb\u200bc\u2028d\ufeff") == "a\\u202eb\\u200bc\\u2028d\\ufeff"
    assert visible("\U000e0041") == "\\U000e0041"


def test_ordinary_text_of_any_script_is_left_alone() -> None:
    for text in ("bm25 [red]", "Žluťoučký", "酒井哲也", "مرحبا", "é"):
        assert visible(text) == text


@given(st.text())
def test_nothing_that_acts_on_a_terminal_is_left(text: str) -> None:
    left = {unicodedata.category(character) for character in visible(text)}
    assert not left & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text())
def test_text_made_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.lists(st.text(alphabet="a\t\\t (2)", max_size=8)))
def test_names_are_shown_differently_and_in_any_order_the_same(names: list[str]) -> None:
    shown = distinct(names, visible_name)
    assert len(set(shown.values())) == len(set(names))
    assert all(visible_name(text) == text for text in shown.values())
    assert distinct(reversed(names), visible_name) == shown


def test_blanks_at_the_ends_of_a_name_are_written_out() -> None:
    assert visible_name(" a b\u00a0") == "\\x20a b\\xa0"
    assert visible_name("") == "(no name)"


@given(st.text(alphabet="'=-+@＝;,\"a"))
def test_guards_of_formulas_can_be_undone(text: str) -> None:
    assert without_guard(with_guard(text)) == text
    assert without_guarded_cells(with_guarded_cells(text)) == text


def test_names_with_commas_are_put_together_again() -> None:
    assert put_together(["a", "b", "c"], ["a", "b", "c"]) == ["a", "b", "c"]
    assert put_together(["a", "b", "c"], ["a", "b, c", "b"]) == ["a", "b, c"]
    assert put_together(["a", "b", "c"], ["a,b", "a,b,c"]) == ["a,b,c"]
    assert put_together(["x"] * 31, [",".join(["x"] * 30)]) == [",".join(["x"] * 30), "x"]
    assert put_together(["a", "b", "c"], ["a,b", "a, b", "b,c"]) == ["a", "b,c"]
    assert put_together(["a", "", "b"], [",", ",,", "a,"]) == ["a,", "", "b"]


def test_quoted_text_is_short() -> None:
    assert quoted("x" * 100) == "'" + "x" * 59 + "…'"


def test_numbers_in_names_sort_by_value() -> None:
    assert sorted(["q10", "q9", "q09", "q1"], key=natural_key) == ["q1", "q09", "q9", "q10"]
    assert sorted(["10", "9", "a", "301"], key=natural_key) == ["a", "9", "10", "301"]


@given(st.lists(st.text(alphabet="a01２", max_size=5), unique=True))
def test_the_order_of_names_is_complete(names: list[str]) -> None:
    assert len({natural_key(name) for name in names}) == len(names)
    backwards = names[::-1]
    assert sorted(names, key=natural_key) == sorted(backwards, key=natural_key)


def test_the_nearest_name_is_found_whatever_its_case() -> None:
    assert nearest("NDCG_CUT10", ["map", "ndcg_cut_10"]) == "ndcg_cut_10"
    assert nearest("xyzzy", ["map", "ndcg_cut_10"]) is None


def test_lists_and_counts_in_messages() -> None:
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more"
    assert listed(["a", "b"], 2) == "a, b"
    assert (count(1, "topic"), count(2, "topic")) == ("1 topic", "2 topics")
