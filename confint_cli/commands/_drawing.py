"""How many random draws tests, simultaneous intervals and ranks have, if the call does not say."""

from dataclasses import replace
from typing import TYPE_CHECKING

from confint_cli.errors import note
from confint_cli.options import EstimatingOptions, WritingOptions, is_given

if TYPE_CHECKING:
    from confint_cli.estimation import Estimation

_MANY_RUNS = 2000  # every two of which are so many pairs that fewer draws have to do …
_FEW_DRAWS = 2000  # … unless more are asked for


def with_draws(
    how: "Estimation",
    options: EstimatingOptions,
    writing: WritingOptions,
    runs: int,
    *,
    all_pairs: bool,
    used: bool = True,
) -> "Estimation":
    """Return the same with the draws for so many runs; said if they are fewer than usual.

    `used` is whether anything is drawn.
    """
    from confint_cli.commands import _run

    if options.draws is not None:
        if not used:
            _run.tell([note("nothing is drawn, so --draws makes no difference")], writing)
        return replace(how, draws=options.draws)
    if is_given("resamples") or not (all_pairs and used) or runs < _MANY_RUNS:
        return replace(how, draws=options.resamples)
    said = f"{_FEW_DRAWS} draws, as there are {runs} runs; --draws asks for more"
    _run.tell([note(said)], writing)
    return replace(how, draws=_FEW_DRAWS)
