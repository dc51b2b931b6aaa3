"""`confint methods`: the interval methods."""

import click

from confint_cli.app.command import command_of
from confint_cli.app.options import WritingOptions, listing_options


@command_of(
    listing_options,
    short_help="Which interval methods are there? Each with its formula and reference.",
    examples="""\
  confint methods
  confint methods bootstrap-t
""",
)
@click.argument("name", required=False)
def command(name: str | None, writing: WritingOptions) -> None:
    """List the interval methods; with NAME, explain one: formula, evidence and reference.

    The methods from max-t on are not values of --method. Other options ask for them, such as
    --simultaneous of 'confint compare'; 'confint bayes' has the credible interval.
    """
    from confint_cli.app.listing import show_records
    from confint_cli.app.names import unknown_method
    from confint_cli.stats.methods import intervals, plain

    chosen = name and plain(name)
    if chosen is not None and chosen not in intervals():
        raise unknown_method(chosen, intervals())
    show_records(chosen, intervals(), intervals().__getitem__, writing)
