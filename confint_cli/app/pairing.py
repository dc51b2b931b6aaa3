"""Which runs a call compares with which, by `--baseline`, `--all-pairs`, or for want of them."""

from confint_cli.app.options import PairingOptions
from confint_cli.app.task import Work
from confint_cli.common.errors import CallError
from confint_cli.scores.request import Request
from confint_cli.studies.scope import TOPICS


def baselines_asked_for(pairing: PairingOptions, reading: Request) -> tuple[str, ...]:
    """Return the baselines as the call names them; none with --all-pairs, or if it does not say.

    Raise CallError if a call contradicts itself, or has more than two runs and does not say.
    """
    from confint_cli.scores.naming import separated

    names = pairing.baseline if separated(pairing.baseline) else ()
    if names and pairing.all_pairs:
        raise CallError("--baseline and --all-pairs: use only one of them")
    if pairing.baseline and not names:
        raise CallError("--baseline names no run", "leave it out for two runs, or name one")
    runs = len(reading.files)
    if not (names or pairing.all_pairs) and runs > 2 and reading.qrels and not reading.labels:
        raise CallError(  # before they are scored in vain
            f"compare with what? There are {runs} runs",
            "use --baseline RUN for one run, or --all-pairs for all pairs",
        )
    if pairing.unpaired and reading.qrels is None and reading.gaps:
        raise CallError("--missing is for runs on the same topics, not with --unpaired")
    return names


def baselines_of(
    work: Work, pairing: PairingOptions, names: tuple[str, ...], for_new: str = TOPICS
) -> tuple[str, ...]:
    """Return the runs that others are compared with; none, if every two are compared.

    `names` are the baselines as the call names them. If it does not say, the lower of two runs is
    the baseline, and the user is told.
    """
    if names or pairing.all_pairs:
        return work.baselines
    from confint_cli.studies.two_runs import lower_of_two

    baseline, notice = lower_of_two(work.scores, for_new, paired=not pairing.unpaired)
    work.tell([notice])
    return (baseline,)
