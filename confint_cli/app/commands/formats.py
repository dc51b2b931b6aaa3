"""`confint formats`: the files that can be read."""

import click

from confint_cli.app.command import command_of
from confint_cli.app.options import WritingOptions, listing_options


@command_of(
    listing_options,
    short_help="Which files can confint read? The formats, each with an example.",
    examples="""\
  confint formats
  confint formats ntcireval
""",
)
@click.argument("name", required=False)
def command(name: str | None, writing: WritingOptions) -> None:
    """List the formats of per-topic scores that confint reads; with NAME, explain one of them.

    The explanation of a format shows an example of it. confint finds the format of a file by its
    content. Where that fails, --input-format NAME of the other commands sets the format.
    """
    from confint_cli.app.listing import show_records
    from confint_cli.inputs.formats import format_named, formats

    show_records(name and name.lower(), formats(), format_named, writing)
