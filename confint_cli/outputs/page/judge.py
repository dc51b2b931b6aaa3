"""People and a cheaper judge, compared: what agrees, both standings, and a picture."""

import math
from collections.abc import Iterator, Sequence

from confint_cli.common.text import count
from confint_cli.common.words import percent
from confint_cli.outputs.cells import sentence_text
from confint_cli.outputs.page.markup import Scale, heading, legend, prose, scale_of, text
from confint_cli.outputs.page.tables import run_table
from confint_cli.outputs.page.views import View
from confint_cli.studies.agreement_view import ABOUT_DECISIONS, about, runs_table
from confint_cli.studies.facts import Facts
from confint_cli.studies.rows import AgreementRow, JudgedRunRow

_SIDE = 320  # of the picture
_LEFT, _BELOW = 44, 40  # room for numbers and words beside and below it
_MOVED = 3  # runs in colour: those that the judge moves most
_SHORT = 22  # characters of such a name
_CHARACTER, _LINE = 6.5, 14  # width and height of a letter of it


def judge(
    row: AgreementRow,
    runs: Sequence[JudgedRunRow],
    facts: Facts,
    view: View,
    digits: int,
    *,
    with_worth: bool,
) -> Iterator[str]:
    """Yield how the judge differs from people in a view: in words, in a picture, run by run.

    `with_worth`, they say what the judge's topics are worth, for one run by itself.
    """
    level = percent(facts["levels"][0])
    of = f" in {row.collection}" if row.collection and not row.collections else ""
    yield heading(
        f"{row.measure}{of}: people and the judge, {count(row.runs, 'run')}, "
        f"{count(row.human_topics, 'topic')} judged by both"
    )
    said = prose(sentence_text(about(row, level, with_worth=with_worth), digits))
    yield f'<p class="result">{said}</p>'
    moved = _moved_most(runs)
    yield _scatter(runs, moved, row.measure)
    table = runs_table(runs, facts)
    yield run_table(
        table,
        digits,
        marked=[each in moved for each in runs],
        marks_mean="",
        caption=f"People and the judge {view.on}",
        kind="judge",
        one_scale=True,
    )
    seen = ["Dot and bar: the mean and its interval. In colour: as in the picture."]
    yield legend(seen, [*table.legends, f"Decisions: {ABOUT_DECISIONS.format(level=level)}"])


def _moved_most(runs: Sequence[JudgedRunRow]) -> list[JudgedRunRow]:
    """Return some runs whose means the judge changes most, compared with its average change."""
    bias = _bias(runs)
    return sorted(runs, key=lambda run: -abs(run.judge_mean - run.mean - bias))[:_MOVED]


def _bias(runs: Sequence[JudgedRunRow]) -> float:
    """Return by how much the judge scores runs higher, on average."""
    return sum(run.judge_mean - run.mean for run in runs) / len(runs)


def _scatter(runs: Sequence[JudgedRunRow], moved: Sequence[JudgedRunRow], measure: str) -> str:
    """Return means by people against those by the judge, as SVG; `moved` are in colour."""
    means = [mean for run in runs for mean in (run.mean, run.judge_mean) if math.isfinite(mean)]
    scale = scale_of(means)
    pad = 0.04 * (scale.end - scale.start)
    wide = Scale(scale.start - pad, scale.end + pad, scale.ticks)

    def place(value: float) -> float:
        return round((value - wide.start) / (wide.end - wide.start) * _SIDE, 1)

    lines = [f"M{place(tick):g} {_SIDE}v5M0 {_SIDE - place(tick):g}h-5" for tick in wide.ticks]
    step = max(1, len(wide.ticks) // 4)
    numbers = "".join(
        f'<text x="{place(tick):g}" y="{_SIDE + 17}" class="m">{tick:.3g}</text>'
        f'<text x="-8" y="{_SIDE - place(tick) + 4:g}" class="e">{tick:.3g}</text>'
        for tick in wide.ticks[::step]
    )
    dots = "".join(
        f"<circle cx={place(run.mean):g} cy={_SIDE - place(run.judge_mean):g} r=4"
        f"{' class=on' if run in moved else ''}><title>{text(run.run)}: mean {run.mean:.4f} by "
        f"people, {run.judge_mean:.4f} by the judge</title></circle>"
        for run in sorted(runs, key=lambda run: run in moved)  # those in colour lie on top
    )
    ahead = [min(runs, key=lambda run: run.rank), min(runs, key=lambda run: run.judge_rank)]
    named = {run.run: run for run in [*moved, *ahead]}.values()
    names = "".join(
        _names(
            [(run.run, place(run.mean), _SIDE - place(run.judge_mean)) for run in named],
            above=place(wide.start + _bias(runs)),
        )
    )
    words = (
        f'<text x="{_SIDE / 2:g}" y="{_SIDE + 35}" class="m">mean {text(_cut(measure))} by people'
        f'</text><text transform="translate({-_LEFT + 12} {_SIDE / 2:g}) rotate(-90)" class="m">'
        "mean by the judge</text>"
    )
    label = f"Means of {count(len(runs), 'run')}, by people and by the judge"
    return (
        f'<figure><svg class="scatter" role=img aria-label="{text(label)}" '
        f'viewBox="{-_LEFT} -8 {_SIDE + _LEFT + 16} {_SIDE + _BELOW + 8}">'
        f'<path class="frame" d="M0 0V{_SIDE}H{_SIDE}{"".join(lines)}"/>'
        f'<path class=d d="M0 {_SIDE}L{_SIDE} 0"/>{dots}{names}{numbers}{words}</svg>'
        "<figcaption>Each dot is a run. Dashed line: people and the judge agree; above it, the "
        "judge scores higher. In colour: the runs that the judge moves most, compared with how "
        "much it moves all runs on average. The figure names these runs and the best run by each "
        "judge.</figcaption></figure>"
    )


def _names(dots: Sequence[tuple[str, float, float]], above: float) -> Iterator[str]:
    """Yield the names of runs beside their dots, each of which comes with its place.

    A name stands away from the crowd of the runs, where there is room for it: to the left of a run
    that lies higher, to the right of a lower one. The crowd is as far as `above` over the diagonal.
    """
    lowest = -math.inf
    for run, x, y in sorted(dots, key=lambda dot: dot[2]):
        name = _cut(run)
        room = len(name) * _CHARACTER + 8
        is_higher = _SIDE - y > x + above
        is_left = x > room and (is_higher or x + room > _SIDE)
        side, at = ("e", x - 8) if is_left else ("s", x + 8)
        lowest = max(y + 4, lowest + _LINE)
        yield f'<text x="{at:g}" y="{lowest:g}" class="{side}">{text(name)}</text>'


def _cut(words: str) -> str:
    return words if len(words) <= _SHORT else f"{words[: _SHORT - 1]}…"
