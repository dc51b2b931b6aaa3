"""JSON lines: one object per row, as ir_measures, MTEB and LLM harnesses write them."""

from array import array
from dataclasses import replace

from confint_cli.inputs.formats import json
from confint_cli.inputs.json_text import LINES, json_kind, json_kind_of, objects_in_lines
from confint_cli.inputs.layout import PER_QUERY
from confint_cli.inputs.origin import FileRows
from confint_cli.inputs.reading import Format, Head, Reader, Reading
from confint_cli.inputs.records import frame_of_records, read_records
from confint_cli.inputs.source import Source


def sniff(head: Head) -> bool:
    """Say whether the first line is an object, and further lines follow or it names a topic."""
    return json_kind(head) == LINES


def read(source: Source, reader: Reader) -> Reading:
    """Read one object per line; the columns are those of a table."""
    if json_kind_of(source) != LINES:
        return json.read(source, reader)
    lines = array("q")
    frame = frame_of_records(objects_in_lines(source, lines))
    fields_are_measures = replace(reader, prefers=PER_QUERY)
    return read_records(frame, FileRows(source, lines=lines), fields_are_measures)


FORMAT = Format(
    summary="JSON lines: of ir_measures, MTEB, LLM harnesses, and of confint score",
    explanation="""\
One JSON object per line. Each object is a row of a table, with one of two sets of fields:

- topic, measure and score, as ir_measures -q writes with -o jsonl and confint with --format jsonl:
  query_id, measure and value
- a topic and measures: every other field that is a number (or true or false) is a measure, as in
  {"qid": "301", "ndcg_at_10": 0.4}

The topic is the field with a usual name: qid, query_id, topic, question_id, id, …, or doc_id, as
harnesses for language models call an item. A field run, system, name or model names the run;
without one, the run gets the name of the file. Texts, lists and objects in a row are left out. The
rows of topic 'all' are the file's own means.""",
    example='{"query_id": "301", "measure": "AP", "value": 0.0324}\n'
    '{"query_id": "302", "measure": "AP", "value": 0.4175}\n'
    '{"query_id": "all", "measure": "AP", "value": 0.22495}\n',
    sniff=sniff,
    read=read,
    names_measures=False,
    holds_tables=True,
)
