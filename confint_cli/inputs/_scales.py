"""On which scale the scores of a table are, by the signature that confint put in front of it."""

from collections.abc import Mapping

from confint_cli.inputs._source import Source
from confint_cli.measures import canonical

_SIGNATURE = "# confint:"


def scales_in(source: Source) -> Mapping[str, str] | None:
    """Return the scale by each measure that is standardised; None: there is no signature."""
    line = source.data.partition(b"\n")[0].decode("utf-8", "backslashreplace")
    if not line.startswith(_SIGNATURE):
        return None
    entries = dict(part.partition(":")[::2] for part in line.split("|"))
    measures, scales = (entries.get(key, "").split(",") for key in ("measures", "scale"))
    if len(measures) != len(scales):
        return {}
    pairs = zip(map(canonical, measures), scales, strict=True)
    return {measure: scale for measure, scale in pairs if scale}
