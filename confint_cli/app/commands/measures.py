"""`confint measures`: the measures that are known, and their names in each tool."""

import click

from confint_cli.app.command import command_of
from confint_cli.app.options import WritingOptions, listing_options
from confint_cli.common.errors import CallError
from confint_cli.common.guesses import unknown_name


@command_of(
    listing_options,
    short_help="Which measures are there? Their names in each tool, and what they mean.",
    examples="""\
  confint measures
  confint measures nDCG@10
""",
)
@click.argument("name", required=False)
def command(name: str | None, writing: WritingOptions) -> None:
    """List the measures that confint computes with --qrels; with NAME, explain one of them.

    The first measures are computed by pytrec_eval, at any level of relevance, such as AP(rel=2) or
    P(rel=2)@10. Measures with an entry under 'needs', and all other measures of ir_measures, need
    the package's extra 'measures'.

    confint understands every spelling of a measure in every place where you name one. Files can
    hold any other measure as well; confint uses it under the name that the file gives it.
    """
    from confint_cli.app.listing import show_listing, show_text
    from confint_cli.common import measures
    from confint_cli.common.catalogue import BEYOND, CATALOGUE

    if name is not None:
        measure = measures.listed_as(name) or measures.record(name)
        if not measures.is_mean_of_topics(name):
            raise CallError(*measures.why_not_a_mean(name))
        if measure is None:
            raise unknown_name("measure", name, measures.scorable_names())
        show_text(measure.explanation(), writing)
        return
    listed = (*CATALOGUE, *BEYOND)
    show_listing(
        {
            "name": [measure.spelled("trec_eval") for measure in listed],
            "older": [measure.spelled("older") or None for measure in listed],
            "ir_measures": [measure.spelled("ir_measures") or None for measure in listed],
            "needs": [measure.needs.removeprefix("ir_measures and ") or None for measure in listed],
            "what": [measure.summary for measure in listed],
        },
        writing,
    )
