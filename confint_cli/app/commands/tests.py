"""`confint tests`: the tests of significance."""

import click

from confint_cli.app.command import command_of
from confint_cli.app.options import WritingOptions, listing_options


@command_of(
    listing_options,
    short_help="Which tests of significance are there? Each with its formula and reference.",
    examples="""\
  confint tests
  confint tests tukey
""",
)
@click.argument("name", required=False)
def command(name: str | None, writing: WritingOptions) -> None:
    """List the tests of significance for --test of 'confint compare'; with NAME, explain one.

    The explanation has the formula, advice and a reference.
    """
    from confint_cli.app.listing import show_records
    from confint_cli.app.names import check_test, plain_test
    from confint_cli.stats.significance import named_test, tests

    chosen = name and plain_test(name)
    if chosen is not None:
        check_test(chosen)
    show_records(chosen, tests(), named_test, writing)
