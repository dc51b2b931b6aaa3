"""What commands that compare runs do about the choice of pairs."""

from confint_cli.commands import _run
from confint_cli.commands._comparing import PairingOptions
from confint_cli.errors import CallError
from confint_cli.options import ReadingOptions, is_given


def baselines_asked_for(pairing: PairingOptions, reading: ReadingOptions) -> list[str]:
    """Return the baselines as the call names them; refuse one that does not say what to compare."""
    names = [*pairing.baseline] if _run.separated(pairing.baseline) else []
    if names and pairing.all_pairs:
        raise CallError("--baseline and --all-pairs: only one of them can be meant")
    if not names and not pairing.all_pairs:
        raise CallError(
            "compare with what?", "--baseline RUN for one run, or --all-pairs for every two"
        )
    if pairing.unpaired and reading.qrels is None and is_given("missing"):
        raise CallError("--missing is for runs on the same topics, not with --unpaired")
    return names


def signature(
    pairing: PairingOptions, reading: ReadingOptions, baselines: tuple[str, ...]
) -> dict[str, str]:
    """Return what the signature says about the pairs."""
    entries = {
        "pairs": "all" if pairing.all_pairs else f"with {','.join(baselines)}",
        "paired": "no" if pairing.unpaired else "yes",
    }
    if pairing.unpaired and reading.qrels is None:
        entries["missing"] = "own topics"
    return entries
