"""`confint formats`: the files that can be read."""

import click

from confint_cli.app.options import WritingOptions, command_of, listing_options


@command_of(
    listing_options,
    short_help="The file formats that can be read, each with an example.",
    examples="""\
  confint formats
  confint formats ntcireval
""",
)
@click.argument("name", required=False)
def command(name: str | None, writing: WritingOptions) -> None:
    """List the formats of per-topic scores; with NAME, explain one of them and show an example.

    A file's format is found by its content. --input-format NAME says it where that fails.
    """
    from confint_cli.app.listing import show_records
    from confint_cli.inputs.formats import format_named, formats

    show_records(name and name.lower(), formats(), format_named, writing)
