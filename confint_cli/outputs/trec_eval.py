"""The lines of trec_eval -q, for one run: the layout that every IR tool reads."""

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from confint_cli.common.measures import canonical, is_official
from confint_cli.common.table import FULL_PRECISION
from confint_cli.common.text import distinct, visible
from confint_cli.outputs.cells import OutputOptions, cell_text
from confint_cli.outputs.format import OutputFormat

if TYPE_CHECKING:  # every call looks at all formats
    from confint_cli.studies.answer import Answer


def render(answer: "Answer[Any]", options: OutputOptions) -> str:
    """Return a line for each score; all scores are of one run.

    As trec_eval does, the run's name, the number of topics and the means come last, under the
    topic `all`. Blanks in names would split fields and become underscores.
    """
    from confint_cli.studies.answer import column_of

    lines: list[str] = []
    topic_words = distinct(column_of(answer.rows, "topic"), _one_word)
    measure_words = distinct(map(_own_name, column_of(answer.rows, "measure")), _one_word)
    scores_by_measure: dict[str, list[float]] = defaultdict(list)
    run_name, topics = "", set()
    for row in answer.rows:
        run_name = row.run
        topics.add(row.topic)
        measure_word = measure_words[_own_name(row.measure)]
        scores_by_measure[measure_word].append(row.score)
        text = cell_text(row.score, options.digits)
        lines.append(_line(measure_word, topic_words[row.topic], text))
    mean_digits = 4 if options.digits == FULL_PRECISION else options.digits
    lines.append(_line("runid", "all", _one_word(run_name)))
    lines.append(_line("num_q", "all", str(len(topics))))
    for measure_word, scores in scores_by_measure.items():
        mean = sum(scores) / len(scores)
        lines.append(_line(measure_word, "all", cell_text(mean, mean_digits)))
    return "\n".join([*lines, ""])


def _own_name(measure: str) -> str:
    """Return trec_eval's name of a measure that it knows, as readers of such files look for it."""
    return canonical(measure) if is_official(measure) else measure


def _line(measure: str, topic: str, value: str) -> str:
    return f"{measure:<22}\t{topic}\t{value}"


def _one_word(name: str) -> str:
    return re.sub(r"\s", "_", visible(name)) or "_"


FORMAT = OutputFormat(
    render,
    summary="tools that read what trec_eval prints: one run per file",
    endings=(".eval",),
    by_layout=True,
)
