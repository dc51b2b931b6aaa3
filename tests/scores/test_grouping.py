"""Which topics belong together: by a pattern of their ids, a file, or columns of tables."""

from pathlib import Path

import numpy as np
import pytest

from confint_cli.common.errors import CallError, DataError
from confint_cli.inputs.reading import Reading, RowLabels, Series, TopicGroups
from confint_cli.scores.join import Joining, join
from confint_cli.scores.scores import Scores

TURNS = ("31_1", "31_2", "32_1", "32_2", "32_3")


def table(
    path: str, *topics: str, group: dict[str, str] | None = None, collection: str | None = None
) -> Reading:
    """Return the scores of run a on these topics; a column 'session' tells groups of them."""
    series = Series("a", "map", topics, np.arange(1.0, len(topics) + 1),
                    labels=RowLabels(collection))  # fmt: skip
    by_topic = {(collection or "", topic): name for topic, name in (group or {}).items()}
    return Reading(path, [series], ["map"],
                   groups=TopicGroups("session", by_topic) if group else None)  # fmt: skip


def joined(*readings: Reading, **how: object) -> tuple[Scores, list[str]]:
    scores, notices = join(readings, Joining(**how))  # type: ignore[arg-type]
    return scores, [notice.text for notice in notices]


def grouped(*readings: Reading, **how: object) -> dict[str, str]:
    """Return the group of each topic."""
    groups = joined(*readings, **how)[0].groups
    assert groups is not None
    topics = joined(*readings, **how)[0].topics
    return {topic: groups.names[code] for topic, code in zip(topics, groups.codes, strict=True)}


def refused(*readings: Reading, **how: object) -> tuple[str, str]:
    with pytest.raises((DataError, CallError)) as caught:
        joined(*readings, **how)
    return str(caught.value), caught.value.hint


# By a pattern


@pytest.mark.parametrize(
    ("pattern", "topics", "groups"),
    [
        ("{group}_{}", TURNS, ["31", "31", "32", "32", "32"]),
        ("{group}-{}", ("106-1", "106-2", "9-1"), ["9", "106", "106"]),  # in the order of topics
        ("q{group}.{}", ("qa.1", "qa.2", "qb.1"), ["a", "a", "b"]),
        ("{}-{group}", ("1-x", "2-x", "3-y"), ["x", "x", "y"]),
        ("{group}_{}-{}", ("132_1-1", "132_1-3", "133_2-1"), ["132", "132", "133"]),
        ("TREC/{group}/{}", ("TREC/a/1", "TREC/a/2", "TREC/b/1"), ["a", "a", "b"]),
        ("[{group}]*{}", ("[a]*1", "[a]*2", "[b]*1"), ["a", "a", "b"]),
    ],
)  # fmt: skip
def test_a_pattern_is_matched_against_the_whole_id(
    pattern: str, topics: tuple[str, ...], groups: list[str]
) -> None:
    assert [*grouped(table("x", *topics), groups=pattern).values()] == groups


def test_what_told_the_groups_is_kept_with_them() -> None:
    groups = joined(table("x", *TURNS), groups="{group}_{}")[0].groups
    assert groups is not None
    assert (groups.names, groups.by, groups.noun, groups.equal) == (
        ("31", "32"), "{group}_{}", "group", False,
    )  # fmt: skip
    assert groups.sizes.tolist() == [2, 3]
    equal = joined(table("x", *TURNS), groups="{group}_{}", group_weight="equal")[0].groups
    assert equal is not None
    assert equal.equal


@pytest.mark.parametrize("pattern", ["x{group}_{}", "{group}_{}/{}", "{group}-{}"])
def test_a_pattern_that_fits_no_topic_is_an_error(pattern: str) -> None:
    problem, hint = refused(table("x", *TURNS), groups=pattern)
    assert problem == f"no topic has a group by --groups '{pattern}'"
    assert hint.startswith("topics have ids such as '31_1'")


@pytest.mark.parametrize("pattern", ["{group}_{}", "{group}_1"])
def test_topics_that_are_not_matched_are_named(pattern: str) -> None:
    problem, hint = refused(table("x", *TURNS, "301"), groups=pattern)
    number = {"{group}_{}": "1 topic has", "{group}_1": "4 topics have"}[pattern]
    assert problem.startswith(f"{number} no group by '{pattern}': ")
    assert "301" in problem
    assert "--topics FILE lists the topics to use" in hint


def test_topics_that_are_left_out_need_no_group() -> None:
    chosen = grouped(table("x", *TURNS, "301"), groups="{group}_{}", topics=frozenset(TURNS))
    assert [*chosen] == [*TURNS]


def test_a_topic_that_is_matched_in_two_ways_is_an_error() -> None:
    problem, hint = refused(table("x", "1_2_3", "1_2_4"), groups="{group}_{}")
    assert problem == (
        "topic '1_2_3' fits --groups '{group}_{}' in several ways: group '1' or '1_2'"
    )
    assert hint == "use --groups FILE, a file of topics and their groups"


def test_ways_that_agree_in_the_group_are_one() -> None:
    found = grouped(table("x", "a_1_2", "a_2_1", "b_1_1"), groups="{group}_{}_{}")
    assert [*found.values()] == ["a", "a", "b"]
    several = grouped(table("x", "a1-2-3", "a1-3", "b1-2-1"), groups="{group}1-{}{}")
    assert [*several.values()] == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("pattern", "problem", "hint"),
    [
        ("{grp}_{}", "--groups '{grp}_{}' has {grp}, which is unknown",
         "did you mean {group}? use {group}, or {} for anything"),
        ("{run}_{}", "--groups '{run}_{}' has {run}, which is unknown",
         "use {group}, or {} for anything"),
        ("{}_{}", "--groups '{}_{}' has no {group}", "for example --groups '{group}_{}'"),
        ("{group}{group}", "--groups '{group}{group}' has {group} twice", ""),
        ("{group}_{", "--groups '{group}_{' has an unmatched brace", ""),
    ],
)  # fmt: skip
def test_a_pattern_that_means_nothing_is_refused(pattern: str, problem: str, hint: str) -> None:
    with pytest.raises(CallError) as caught:
        joined(table("x", *TURNS), groups=pattern)
    assert (str(caught.value), caught.value.hint) == (problem, hint)


def test_a_group_of_each_topic_groups_nothing() -> None:
    scores, said = joined(table("x", *TURNS), groups="{group}")
    assert scores.groups is None
    assert said == ["every topic is its own group by '{group}': nothing is grouped"]


def test_one_group_says_nothing_about_others() -> None:
    problem, hint = refused(table("x", "31_1", "31_2"), groups="{group}_{}")
    assert problem == (
        "all topics are in one group by '{group}_{}': nothing shows how much groups differ"
    )
    assert hint == "an interval needs two groups or more"


# By a file


FILES = {
    "blanks": "31_1 a\n31_2 a\n32_1 b\n32_2   b\n32_3 b\n",
    "tabs": "31_1\ta\n31_2\ta\n32_1\tb\n32_2\tb\n32_3\tb\n",
    "commas": "31_1,a\n31_2,a\n32_1,b\n32_2, b\n32_3,b\n",
    "quotes": '"31_1","a"\n"31_2","a"\n"32_1","b"\n"32_2","b"\n"32_3","b"\n',
    "a header": "topic,group\n31_1,a\n31_2,a\n32_1,b\n32_2,b\n32_3,b\n",
    "another header": "QID\tConversation_ID\n31_1\ta\n31_2\ta\n32_1\tb\n32_2\tb\n32_3\tb\n",
    "comments": "# turns\n31_1 a\n31_2 a\n# more\n\n32_1 b\n32_2 b\n32_3 b\n# end\n",
    "no last line end": "31_1 a\n31_2 a\n32_1 b\n32_2 b\n32_3 b",
    "line ends of Windows": "31_1 a\r\n31_2 a\r\n32_1 b\r\n32_2 b\r\n32_3 b\r\n",
    "a byte order mark": "\ufefftopic,group\n31_1,a\n31_2,a\n32_1,b\n32_2,b\n32_3,b\n",
    "topics of no run": "7 z\n31_1 a\n31_2 a\n32_1 b\n32_2 b\n32_3 b\n",
    "lines twice": "31_1 a\n31_1 a\n31_2 a\n32_1 b\n32_2 b\n32_3 b\n",
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_tells_the_groups(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "turns.txt"
    path.write_text(FILES[kind], newline="")
    found = grouped(table("x", *TURNS), groups=str(path))
    assert found == {"31_1": "a", "31_2": "a", "32_1": "b", "32_2": "b", "32_3": "b"}
    groups = joined(table("x", *TURNS), groups=str(path))[0].groups
    assert groups is not None
    assert groups.by == "turns.txt"


def test_names_with_blanks_in_them_are_between_tabs_or_commas(tmp_path: Path) -> None:
    path = tmp_path / "turns.txt"
    path.write_text("1\tabout cats\n2\tabout cats\n3\tabout dogs\n")
    assert {*grouped(table("x", "1", "2", "3"), groups=str(path)).values()} == {
        "about cats", "about dogs",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"31_1 a\n31_2\n", ":2: a line has to be a topic and its group, not '31_2'"),
        (b"31_1 a b\n", ":1: a line has to be a topic and its group, not '31_1 a b'"),
        (b"31_1,\n", ":1: a line has to be a topic and its group, not '31_1,'"),
        (b"31_1 a\n31_1 b\n", ":2: topic '31_1' is in group 'b' here, and in 'a' above"),
        (b"# nothing\n", ": lists no topics with their groups"),
        (b"topic,group\n", ": lists no topics with their groups"),
        (b"", ": is empty"),
        (b"\0\1\2\0abc\n", ": is a binary file, not text"),
        (b"31_1 a\n31_2 a\n32_1 b\n", ""),
    ],
)
def test_a_file_that_does_not_tell_them_is_an_error(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "turns.txt"
    path.write_bytes(content)
    told = refused(table("x", *TURNS), groups=str(path))[0]
    if problem:
        assert told == f"{path}{problem}"
    else:
        assert told == "2 topics have no group by 'turns.txt': 32_2, 32_3"


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "turns.txt")
    assert refused(table("x", *TURNS), groups=path)[0] == f"{path}: no such file"
    problem = refused(table("x", *TURNS), groups=str(tmp_path))[0]
    assert problem == f"{tmp_path}: is a directory, not a file"


def test_a_file_may_have_a_name_like_a_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("{group}_{}").write_text("31_1 a\n31_2 b\n32_1 b\n32_2 b\n32_3 b\n")
    found = grouped(table("x", *TURNS), groups="{group}_{}")
    assert found["31_2"] == "b"


# By columns of tables

SESSIONS = {"1": "x", "2": "x", "3": "y", "4": "y"}


def test_a_column_tells_the_groups_and_what_they_are_called() -> None:
    reading = table("x", *SESSIONS, group=SESSIONS)
    groups = joined(reading)[0].groups
    assert groups is not None
    assert (groups.noun, groups.by, groups.names) == ("session", "session", ("x", "y"))
    assert grouped(reading) == SESSIONS


def test_an_option_has_precedence_over_a_column(tmp_path: Path) -> None:
    path = tmp_path / "turns"
    path.write_text("1 p\n2 q\n3 p\n4 q\n")
    found = grouped(table("x", *SESSIONS, group=SESSIONS), groups=str(path))
    assert found == {"1": "p", "2": "q", "3": "p", "4": "q"}


def test_tables_may_tell_the_groups_of_each_others_topics() -> None:
    first = table("x", "1", "2", "3", "4", group=SESSIONS)
    second = Reading("y", [Series("b", "map", ["1", "2", "3", "4"], np.ones(4))], ["map"])
    assert grouped(first, second) == SESSIONS
    lacking = Reading("y", [Series("b", "map", ["1", "5"], np.ones(2))], ["map"])
    assert refused(first, lacking)[0] == "1 topic has no group by 'session': 5"


def test_tables_that_put_a_topic_into_different_groups_are_an_error() -> None:
    first = table("x", *SESSIONS, group=SESSIONS)
    other = {**SESSIONS, "2": "y"}
    second = Reading(
        "y", [Series("b", "map", [*SESSIONS], np.ones(4))], ["map"],
        groups=TopicGroups("session", {("", topic): name for topic, name in other.items()}),
    )  # fmt: skip
    problem, hint = refused(first, second)
    assert problem == (
        "column 'session' of one file puts topic '2' into 'x', that of another file into 'y'"
    )
    assert "use --groups FILE for the groups" in hint


def test_topics_of_one_group_by_a_column_are_an_error() -> None:
    problem, hint = refused(table("x", *SESSIONS, group=SESSIONS), topics=frozenset({"1", "2"}))
    assert problem == (
        "all topics are in one session by 'session': nothing shows how much sessions differ"
    )
    assert hint == "--labels none ignores the column"


# Of several collections


def test_groups_are_of_one_collection() -> None:
    first = table("x", "31_1", "31_2", "32_1", "32_2", collection="nq")
    second = table("y", "31_1", "31_2", "32_1", "32_2", collection="fiqa")
    scores, said = joined(first, second, groups="{group}_{}")
    assert scores.groups is not None
    assert scores.groups.names == ("31", "32", "31", "32")
    assert scores.groups.codes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    words = "of the same name in several collections"
    assert not [text for text in said if words in text]  # a pattern knows no other way


def test_groups_of_one_name_in_several_collections_are_told_to_be_different(
    tmp_path: Path,
) -> None:
    path = tmp_path / "turns"
    path.write_text("1 x\n2 x\n3 y\n4 y\n")
    first, second = table("x", *SESSIONS, collection="nq"), table("y", *SESSIONS, collection="fiqa")
    for how in ({"groups": str(path)}, {}):
        readings = [first, second]
        if not how:
            readings = [table("x", *SESSIONS, group=SESSIONS, collection="nq"),
                        table("y", *SESSIONS, group=SESSIONS, collection="fiqa")]  # fmt: skip
        noun = "group" if how else "session"
        scores, said = joined(*readings, **how)
        assert scores.groups is not None
        assert len(scores.groups.names) == 4
        assert (
            f"{noun}s of the same name in several collections are different {noun}s: x, y" in said
        )


def test_a_collection_of_one_group_is_an_error() -> None:
    first = table("x", "31_1", "31_2", "32_1", collection="nq")
    second = table("y", "7_1", "7_2", collection="fiqa")
    assert refused(first, second, groups="{group}_{}")[0] == (
        "all topics of 'fiqa' are in one group by '{group}_{}': nothing shows how much groups "
        "differ"
    )


# Weights, and hints


def test_weights_without_groups_are_refused() -> None:
    with pytest.raises(CallError, match=r"^--group-weight is for topics in groups, but there are"):
        joined(table("x", "1", "2"), group_weight="equal")


@pytest.mark.parametrize(
    ("topics", "option"),
    [
        (TURNS, "{group}_{}"),
        (("106-1", "106-2", "107-1", "107-2"), "{group}-{}"),
        (("9-1_3", "9-1_4", "9-2_1", "9-2_2"), "{group}_{}"),
    ],
)
def test_ids_like_those_of_turns_get_a_hint_that_works(
    topics: tuple[str, ...], option: str
) -> None:
    _, said = joined(table("x", *topics))
    assert said == [
        f"topics such as {sorted(topics)[0]} look like turns of 2 conversations, or like variants "
        f"of a query, which are not independent; if so, use --groups '{option}'"
    ]
    assert len({*grouped(table("x", *topics), groups=option).values()}) == 2


def test_the_hint_works_for_ids_of_three_numbers() -> None:
    topics = ("1_1_1", "1_1_2", "1_2_1", "1_2_2")
    _, said = joined(table("x", *topics))
    (text,) = said
    assert text.endswith("if so, use --groups FILE, with topics and their groups")


@pytest.mark.parametrize(
    "topics",
    [
        ("301", "302", "303", "304"),
        ("q-1", "q-2", "q-3", "q-4"),
        ("31_1", "32_1", "33_1", "34_1"),  # no prefix comes again
        ("31_1", "31_2", "31_3", "31_4"),  # there is one only
        ("31_1", "31_2", "32-1", "32-2"),
        ("31_1", "31_2", "32_1", "other"),
        ("31_a", "31_b", "32_a", "32_b"),
        ("2019-1", "2020-1", "2021-1", "2021-2"),
    ],
)
def test_other_ids_get_none(topics: tuple[str, ...]) -> None:
    assert joined(table("x", *topics))[1] == []


def test_there_is_no_hint_where_groups_are_told() -> None:
    by_turn = {turn: turn[:2] for turn in TURNS}
    assert joined(table("x", *TURNS), groups="{group}_{}")[1] == []
    assert joined(table("x", *TURNS, group=by_turn))[1] == []
