"""On which scale the scores of a table are, by the signature that confint put in front of it."""

import re
from collections.abc import Mapping

from confint_cli.inputs._source import Source
from confint_cli.measures import canonical
from confint_cli.text import BAR, without_guarded_cells

_SIGNATURE = "# confint:"
_SCALE = re.compile(r"([0-9a-f]{8}(-cdf)?)?", re.ASCII)  # none: a measure that is not standardised


def scales_in(source: Source) -> Mapping[str, str] | None:
    """Return the scale by each measure that is standardised; None: nothing is said about it.

    Anybody may have written the line: a scale that confint would not write says nothing.
    """
    line = source.data.partition(b"\n")[0].decode("utf-8", "backslashreplace")
    if not line.startswith(_SIGNATURE):
        return None
    parts = without_guarded_cells(line).split("|")
    entries = dict(part.partition(":")[::2] for part in parts)
    if "scale" not in entries:
        return {}
    measures, scales = (entries.get(key, "").split(",") for key in ("measures", "scale"))
    if len(measures) != len(scales) or not all(map(_SCALE.fullmatch, scales)):
        return None
    names = (canonical(name.replace(BAR, "|")) for name in measures)
    pairs = zip(names, scales, strict=True)
    return {measure: scale for measure, scale in pairs if scale}
