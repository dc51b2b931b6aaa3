"""`confint methods`: the interval methods."""

import click

from confint_cli.app.options import WritingOptions, command_of, listing_options


@command_of(
    listing_options,
    short_help="The interval methods, each with its formula and reference.",
    examples="""\
  confint methods
  confint methods bootstrap-t
""",
)
@click.argument("name", required=False)
def command(name: str | None, writing: WritingOptions) -> None:
    """List the methods of --method; with NAME, explain one: formula, evidence and reference.

    Those from max-t on are not of --method: other options of 'confint compare' and 'confint bayes'
    ask for them.
    """
    from confint_cli.app.listing import show_records
    from confint_cli.app.names import unknown_method
    from confint_cli.stats.methods import intervals, plain

    chosen = name and plain(name)
    if chosen is not None and chosen not in intervals():
        raise unknown_method(chosen, intervals())
    show_records(chosen, intervals(), intervals().__getitem__, writing)
