"""`confint methods`: the interval methods."""

import click

from confint_cli.options import WritingOptions, listing_options


@click.command(
    short_help="The interval methods, each with its formula and reference.",
    epilog="""\b
Examples:
  confint methods
  confint methods bootstrap-t
""",
)
@click.argument("name", required=False)
@listing_options
def command(name: str | None, writing: WritingOptions) -> None:
    """List the methods of --method; with NAME, explain one: formula, evidence and reference."""
    from confint_cli.commands._listing import show_listing, show_text
    from confint_cli.methods import method_named, methods, plain

    if name is not None:
        show_text(method_named(name).full_text(plain(name)), writing)
        return
    show_listing(
        {"name": [*methods()], "what": [one.summary for one in methods().values()]}, writing
    )
