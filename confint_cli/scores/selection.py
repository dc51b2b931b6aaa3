"""Which measures to use: those asked for in any spelling, or the usual ones."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from confint_cli.common.errors import DataError, Notice, advice, note, warning
from confint_cli.common.measures import (
    DEFAULTS,
    MOST_BY_DEFAULT,
    canonical,
    is_companion,
    is_mean_of_topics,
    is_official,
    split_request,
    why_not_a_mean,
)
from confint_cli.common.text import count, did_you_mean, listed, quoted, visible_measure
from confint_cli.inputs.origin import MEASURE
from confint_cli.inputs.reading import Reading

ALL = "all"
CHOOSE = "choose others with -m"  # what notices advise


def asks_for_all(requested: Sequence[str]) -> bool:
    """Say whether `all` is among the measures asked for."""
    return any(name.strip() == ALL for request in requested for name in request.split(","))


@dataclass(frozen=True)
class Selection:
    """The measures to use, and notices about the choice."""

    shown: dict[str, str]  # the name to show for each, by canonical name
    notices: list[Notice]


@dataclass(frozen=True)
class Chooser:
    """Picks, of one file's measures, those that may be needed for the request."""

    requested: Sequence[str] = ()
    usual: Collection[str] = ()  # for a request of none; empty: those that all people report

    def __call__(self, names: Sequence[str]) -> Sequence[str]:
        """Return those of the `names` that are to be read."""
        measures = tuple(name for name in names if not is_companion(name))
        if len(measures) == len(names):
            return _chosen(tuple(self.requested), measures, frozenset(self.usual))
        chosen = _chosen(tuple(self.requested), measures, frozenset(self.usual))
        named = _chosen(tuple(self.requested), tuple(names), frozenset(self.usual))
        with_them = {*chosen, *(named if self.requested else ())}
        return [name for name in names if name in with_them or is_companion(name)]


@lru_cache(maxsize=8)  # the files of one track mostly have the same measures
def _chosen(
    requested: tuple[str, ...], names: tuple[str, ...], usual: frozenset[str]
) -> Sequence[str]:
    """Do the work of `Chooser`, on arguments that can be remembered."""
    if asks_for_all(requested):
        return names
    if not requested:
        return _usual(names, usual)
    wanted = set(map(canonical, split_request(requested, names)))
    return [name for name in names if canonical(name) in wanted]


def _usual(names: Sequence[str], usual: Collection[str]) -> Sequence[str]:
    """Return which of `names` to use if the user names none.

    Those in `usual`, if there are any; else all of up to MOST_BY_DEFAULT measures; of more,
    those in DEFAULTS, or all if none is there. Names are compared in canonical form.
    """
    if usual_names := [name for name in names if canonical(name) in usual]:
        return usual_names
    if len(set(map(canonical, names))) <= MOST_BY_DEFAULT:
        return names
    return [name for name in names if canonical(name) in DEFAULTS] or names


def select(
    readings: Sequence[Reading], requested: Sequence[str], usual: Collection[str] = ()
) -> Selection:
    """Return the measures to use, in an order that does not depend on that of the files.

    Raise DataError if a requested measure is in no file.
    """
    available = _spellings(readings)
    if requested and not asks_for_all(requested):
        return _selection_of(available, requested)
    measures = {key: name for key, name in available.items() if not is_companion(name)}
    available = measures or available
    chosen = list(available) if requested else [*_usual([*available], usual)]
    if not requested and set(chosen) <= set(DEFAULTS):
        chosen = [name for name in DEFAULTS if name in chosen]
    return Selection(
        {name: available[name] for name in chosen},
        [] if requested else _say_what_is_left_out(available, chosen, usual),
    )


def _say_what_is_left_out(
    available: dict[str, str], chosen: Sequence[str], usual: Collection[str]
) -> list[Notice]:
    """Return a note of the measures that are `chosen`, unless these are all of a few."""
    names = listed([available[name] for name in chosen], len(chosen))
    if set(chosen) <= set(usual) and len(chosen) < len(available):
        return [note(f"using {names} of {count(len(available), 'measure')}")]
    if len(available) <= MOST_BY_DEFAULT:
        return []
    if len(chosen) == len(available):
        return [note(f"using all {count(len(available), 'measure')}; choose some with -m")]
    return [advice(f"using {names} of {len(available)} measures; {CHOOSE} NAME, or use -m all")]


def _spellings(readings: Sequence[Reading]) -> dict[str, str]:
    """Return the commonest spelling of each measure in the files, by canonical name.

    They are sorted by their place in the files, where that is the same by name.
    """
    spellings: dict[str, Counter[str]] = {}
    position: dict[str, int] = {}
    # The files of a track mostly have the same measures: look at each list of them once.
    for names, files in Counter(tuple(reading.measures) for reading in readings).items():
        for place, name in enumerate(names):
            key = canonical(name)
            spellings.setdefault(key, Counter())[name] += files
            position[key] = min(place, position.get(key, place))
    order = sorted(spellings, key=lambda key: (position[key], key))
    return {
        key: min(spellings[key], key=lambda name: (-spellings[key][name], name)) for key in order
    }


def _selection_of(available: dict[str, str], requested: Sequence[str]) -> Selection:
    """Return the requested measures in the user's spelling; raise an error if one is in no file."""
    shown = {}
    for name in split_request(requested, list(available)):
        key = canonical(name)
        if key not in available:
            if not is_mean_of_topics(name):
                raise DataError("", *why_not_a_mean(name))
            hint = did_you_mean(name, _names(available))
            if [*available] == [MEASURE]:  # the name of what has none
                hint = "the scores do not name their measure: --measure-name NAME does"
            raise DataError("", f"there is no measure {quoted(name)} in the scores", hint)
        shown[key] = name
    return Selection(shown, [])


def _names(available: dict[str, str]) -> list[str]:
    return [visible_measure(name) for name in available.values()]


def differing_names(readings: Sequence[Reading], selection: Selection) -> list[Notice]:
    """Return a notice of each measure for which files have different names.

    trec_eval and ir_measures compute the same; other tools may mean something else by the name.
    """
    used: dict[str, set[str]] = {}
    for reading in readings:
        for series in reading.series:
            used.setdefault(canonical(series.measure), set()).add(series.measure)
    notices = []
    for key in selection.shown:
        names = sorted(used.get(key, ()))
        if len(names) < 2:
            continue
        text = f"{listed(names, 5)} are read as the same measure"
        if all(map(is_official, names)):
            notices.append(note(text))
        else:
            notices.append(warning(f"{text}, but tools may differ in what they compute"))
    return notices
