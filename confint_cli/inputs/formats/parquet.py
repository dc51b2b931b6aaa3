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
The tables that are read from CSV, in the binary formats of pandas, polars and others: long,
per-query, systems by measures, topics by runs. What the columns hold is found out in the same way,
and --input-format long, ndeval, per_query or topic_by_run says it. Columns of lists and texts are
left out. It needs pyarrow: pip install 'confint-cli[parquet]'. Standard input and
gzip are fine. Files of more than 400 million cells are refused before they are read.""",
    example="(binary; the columns of) run topic measure score\n",
    sniff=sniff,
    read=read,
    names_measures=False,
    holds_tables=True,
    is_text=False,
)
