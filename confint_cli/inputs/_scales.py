"""On which scale the scores of a table are, by the signature that confint put in front of it."""

import re
from collections.abc import Iterable, Mapping

from confint_cli.inputs._source import Source
from confint_cli.measures import canonical
from confint_cli.text import (
    BAR,
    put_together,
    split_at_commas,
    visible_measure,
    without_guarded_cells,
)

_SIGNATURE = "# confint:"
_SCALE = re.compile(r"([0-9a-f]{8}(-cdf)?)?", re.ASCII)  # none: a measure that is not standardised


def scales_in(source: Source, names: Iterable[str]) -> Mapping[str, str] | None:
    """Return the scale by each measure that is standardised; None: nothing is said about it.

    Anybody may have written the line: a scale that confint would not write says nothing. The
    `names` are those of the file's measures, which may have commas in them.
    """
    line = source.data.partition(b"\n")[0].decode("utf-8", "backslashreplace")
    if not line.startswith(_SIGNATURE):
        return None
    parts = without_guarded_cells(line).split("|")
    entries = dict(part.partition(":")[::2] for part in parts)
    if "scale" not in entries:
        return {}
    shown = split_at_commas([entries.get("measures", "").replace(BAR, "|")])
    measures = put_together([*filter(None, shown)], map(visible_measure, names))
    scales = entries["scale"].split(",")
    if len(measures) != len(scales) or not all(map(_SCALE.fullmatch, scales)):
        return None
    pairs = zip(map(canonical, measures), scales, strict=True)
    return {measure: scale for measure, scale in pairs if scale}
