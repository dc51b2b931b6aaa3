"""Parquet and Arrow (Feather): tables as pandas, polars and PyTerrier's users save them."""

from confint_cli.common.errors import DataError
from confint_cli.inputs.arrow import frame_in
from confint_cli.inputs.frame_tables import read_frame
from confint_cli.inputs.origin import FileRows
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.source import Source


def sniff(head: Head) -> bool:
    """Say whether the file begins as Parquet or Arrow files do."""
    return bool(head.source.binary)


def read(source: Source, reader: Reader) -> Reading:
    """Read the columns that hold topics, names and scores."""
    if not source.binary:
        raise DataError(source.name, "is neither a Parquet nor an Arrow file")
    return read_frame(frame_in(source), FileRows(source), reader, reader.kind)[1]


FORMAT = Format(
    summary="Parquet and Arrow (Feather): any of the tables, with the extra 'parquet'",
    explanation="""\
The tables that confint reads from CSV, in the binary formats of pandas, polars and others: long,
per-query, systems by measures, topics by runs. confint finds out what the columns hold in the same
way as for CSV; --input-format long, ndeval, per_query or topic_by_run sets the kind of table.
Columns of lists and texts are left out.

You need pyarrow: pip install 'confint-cli[parquet]'. Standard input and gzip work too. confint
refuses files of more than 400 million cells before it reads them.""",
    example="(binary; the columns of) run topic measure score\n",
    sniff=sniff,
    read=read,
    names_measures=False,
    holds_tables=True,
    is_text=False,
)
