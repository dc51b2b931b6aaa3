"""Published results: a table of run, measure, mean, standard deviation and number of topics."""

from dataclasses import dataclass

from confint_cli.common.errors import DataError
from confint_cli.common.measures import canonical
from confint_cli.common.text import distinct, quoted, visible_measure, visible_name
from confint_cli.inputs.header import (
    MEASURE,
    RUN,
    Header,
    named_rows,
    number_in,
    scales_in,
    sd_in,
    whole_number_in,
)
from confint_cli.inputs.source import Source, read_text_source

_COLUMNS = {
    "run": RUN,
    "measure": MEASURE,
    "mean": ("mean",),
    "sd": ("sd", "std", "stdev", "stddev"),
    "n": ("n", "topics"),
}
_OTHER_DESIGNS = {  # columns of our own tables whose intervals need more than sd and topics
    "human_topics": "from people and a cheaper judge together",
    "groups": "for topics in groups",
    "repeats": "for runs with repeats",
    "collections": "over several collections",
    "largest": "between bounds",
}
_HINT = "per-topic scores are for 'confint interval' and 'confint compare'"
_MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper says about a run by a measure."""

    run: str
    measure: str
    mean: float
    sd: float  # with n-1
    topics: int
    scale: str | None = None  # empty: scores are not standardised; None: the file does not say


def read_published(table: str | Source) -> list[Published]:
    """Return the results in a table, a file or its content, each once; other columns are ignored.

    The table may be one that `confint interval` wrote.
    """
    source = table if isinstance(table, Source) else read_text_source(table)

    def check(header: Header) -> None:
        """Raise an error for intervals that do not follow from mean, sd and n only."""
        for name, which in _OTHER_DESIGNS.items() if header.find(("se",)) is not None else ():
            if header.find((name,)) is not None:
                raise DataError(
                    source.name,
                    f"has intervals {which} (column {quoted(name)}): these cannot be computed from "
                    "mean, sd and number of topics",
                    "use the intervals in the table as they are",
                )

    rows = list(named_rows(source, _COLUMNS, "run, measure, mean, sd and n", _HINT, check))
    scales = scales_in(source, {row["measure"] for _, row in rows})
    shown = distinct({row["run"] for _, row in rows if row["run"]}, visible_name)
    results: dict[tuple[str, str], Published] = {}
    for line, row in rows:
        result = Published(
            shown.get(row["run"], ""),
            visible_measure(row["measure"]),
            number_in(source, line, "mean", row["mean"]),
            sd_in(source, line, row["sd"]),
            whole_number_in(source, line, "n", row["n"]),
            None if scales is None else scales.get(canonical(row["measure"]), ""),
        )
        if not result.run or not result.measure:
            raise source.error(line, f"the {'measure' if result.run else 'run'} has no name")
        if len(results) > _MOST_ROWS:
            raise DataError(
                source.name, f"has more than {_MOST_ROWS} rows: are these results of runs?"
            )
        # A table of intervals has a row for each method, with the same mean in all of them.
        if results.setdefault((result.run, canonical(result.measure)), result) != result:
            raise source.error(
                line,
                f"an earlier row for {quoted(result.run)} and {quoted(result.measure)} differs",
            )
    if not results:
        raise DataError(source.name, "has no rows")
    return list(results.values())
