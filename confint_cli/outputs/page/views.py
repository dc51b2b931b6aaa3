"""The views of a page: what it shows of one measure and one collection, in each section.

The first view is in the page as it is. All others are in `<noscript>`: without scripts, the page
shows all of them, one after the other; with scripts, a browser treats them as text, which costs
nothing until the reader asks for a view.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from confint_cli.common.text import count
from confint_cli.outputs.page.markup import text
from confint_cli.scores.labels import MACRO


@dataclass(frozen=True)
class View:
    """What a reader looks at: one measure, and one collection or all of them together."""

    measure: str
    collection: str  # `macro`: all of them; empty: there is only one
    measure_place: int  # among the measures of the page, from 0
    collection_place: int  # among the collections; 0: all of them together

    @property
    def key(self) -> tuple[str, str]:
        """What the report calls it."""
        return self.measure, self.collection

    @property
    def is_macro(self) -> bool:
        """Whether it is about all collections together."""
        return self.collection == MACRO

    @property
    def on(self) -> str:
        """Words that tell it from others: `on map`, or `on map in news`."""
        if not self.collection:
            return f"on {self.measure}"
        where = "over all collections" if self.is_macro else f"in {self.collection}"
        return f"on {self.measure} {where}"

    def id(self, section: str) -> str:
        """Return the name of its place in a section, to which links lead."""
        of = f"-{self.collection_place}" if self.collection else ""
        return f"{section}-{self.measure_place + 1}{of}"


def views_of(keys: Sequence[tuple[str, str]]) -> list[View]:
    """Return the views of a page: one per measure and collection, in their order."""
    measures = [*dict.fromkeys(measure for measure, _ in keys)]
    collections = [*dict.fromkeys(collection for _, collection in keys)]
    return [
        View(measure, collection, measures.index(measure), collections.index(collection))
        for measure, collection in keys
    ]


def in_views(section: str, views: Sequence[View], content: Callable[[View], Iterable[str]]) -> str:
    """Return the content of a section in all views; a view without content there is left out."""
    boxes = []
    for view in views:
        inside = "\n".join(content(view))
        if not inside:
            continue
        if view is not views[0]:
            inside = f"<noscript>{inside}</noscript>"
        of = f' data-c="{view.collection_place}"' if view.collection else ""
        boxes.append(
            f'<div class="view" id="{view.id(section)}" data-m="{view.measure_place}"{of}>'
            f"{inside}</div>"
        )
    return "\n".join(boxes)


def choosers(views: Sequence[View]) -> str:
    """Return the choosers of measure and collection; empty, if there is no choice."""
    measures = [*dict.fromkeys(view.measure for view in views)]
    collections = [*dict.fromkeys(view.collection for view in views)]
    parts = []
    if len(collections) > 1:
        number = count(len(collections) - 1, "collection")
        words = [f"all {number} together" if name == MACRO else name for name in collections]
        parts.append(_chooser("collection", "Collection", words, "each of them, one below another"))
    if len(measures) > 1:
        parts.append(_chooser("measure", "Measure", measures, "each of them, one below another"))
    return "".join(parts)


def _chooser(key: str, label: str, names: Sequence[str], every: str) -> str:
    options = "".join(
        f'<option value="{place}">{text(name)}</option>' for place, name in enumerate(names)
    )
    return (
        f'<label for="{key}">{label}</label> <select id="{key}" autocomplete="off">{options}'
        f'<option value="all">{every}</option></select>'
    )
