"""The lines of trec_eval -q, for one run: the layout that every IR tool reads."""

import re
from collections import defaultdict

from confint_cli.common.measures import canonical, is_official
from confint_cli.common.table import Table
from confint_cli.common.text import distinct, visible
from confint_cli.outputs.cells import FULL_PRECISION, OutputOptions, cell_text
from confint_cli.outputs.format import OutputFormat


def render(table: Table, options: OutputOptions) -> str:
    """Return the lines of a table of run, topic, measure and score that holds one run.

    As trec_eval does, the run's name, the number of topics and the means come last, under the
    topic `all`. Blanks in names would split fields and become underscores.
    """
    lines: list[str] = []
    of_name = {column.name: column.values for column in table.columns}
    topic_words = distinct(map(str, of_name["topic"]), _one_word)
    measure_words = distinct(map(_own_name, map(str, of_name["measure"])), _one_word)
    by_measure: dict[str, list[float]] = defaultdict(list)
    run, topics = "", set()
    for name, topic, measure, score in table.rows():
        if not isinstance(score, float):
            raise TypeError("a score is a number")
        run = str(name)
        topics.add(topic)
        word = measure_words[_own_name(str(measure))]
        by_measure[word].append(score)
        text = cell_text(score, options.digits)
        lines.append(_line(word, topic_words[str(topic)], text))
    digits = 4 if options.digits == FULL_PRECISION else options.digits
    lines.append(_line("runid", "all", _one_word(run)))
    lines.append(_line("num_q", "all", str(len(topics))))
    for word, scores in by_measure.items():
        lines.append(_line(word, "all", cell_text(sum(scores) / len(scores), digits)))
    return "\n".join([*lines, ""])


def _own_name(measure: str) -> str:
    """Return trec_eval's own name of a measure, which whoever reads such a file looks for."""
    return canonical(measure) if is_official(measure) else measure


def _line(measure: str, topic: str, value: str) -> str:
    return f"{measure:<22}\t{topic}\t{value}"


def _one_word(name: str) -> str:
    return re.sub(r"\s", "_", visible(name)) or "_"


FORMAT = OutputFormat(render, endings=(".eval",), by_layout=True)
