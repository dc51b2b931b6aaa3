"""How each measure is computed: by pytrec_eval, by a library beyond it, or by our own code."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from confint_cli.common.errors import CallError, Notice
from confint_cli.common.measures import is_mean_of_topics, parsed, why_not_a_mean
from confint_cli.common.text import quoted
from confint_cli.scores.beyond import Beyond, find
from confint_cli.scores.bounds import why_refused

_JUDGED = re.compile(r"judged@([0-9]{1,6})", re.IGNORECASE)  # ir_measures' name of a judged share


@dataclass(frozen=True)
class Wanted:
    """A measure that is to be computed: by pytrec_eval at a level of relevance, or beyond it."""

    name: str  # as the user wrote it
    trec_eval: str = ""  # empty: pytrec_eval does not compute it
    cutoff: int | None = None  # of reciprocal rank, which pytrec_eval does not cut
    level: int = 1
    beyond: Beyond | None = None
    judged_in: int | None = None  # the depth that the judged share is of, which is our own

    @property
    def depth(self) -> int | None:
        """How deep into rankings the measure looks; None: as deep as these go."""
        if self.judged_in is not None or self.cutoff is not None:
            return self.judged_in or self.cutoff
        cut = re.search(r"(?:_|@)([0-9]+)$", self.trec_eval or self.name)
        return int(cut[1]) if cut else None


def planned(names: Sequence[str], rel_level: int) -> tuple[list[Wanted], list[Notice]]:
    """Return how each measure is computed, and notes on what was filled in; raise CallError."""
    plan: list[Wanted] = []
    notices: list[Notice] = []
    for name in names:
        if not is_mean_of_topics(name):
            raise CallError(*why_not_a_mean(name))
        known = parsed(name)
        if (share := _JUDGED.fullmatch(name)) and int(share[1]):
            plan.append(Wanted(name, judged_in=int(share[1])))
            continue
        if known is None:
            found, about = find(name, rel_level)
            plan.append(Wanted(name, level=found.level, beyond=found))
            notices += about
            continue
        level = rel_level if known.level is None else known.level
        if level < 1:
            raise CallError(f"the level of relevance in {quoted(name)} has to be 1 or more")
        if known.measure.name == "recip_rank_cut":
            plan.append(Wanted(name, "recip_rank", int(known.number), level))
        else:
            plan.append(Wanted(name, known.trec_eval, None, level))
    return plan, notices


def check_bounded(plan: Sequence[Wanted]) -> None:
    """Raise CallError for a measure without bounds."""
    for wanted in plan:
        if wanted.judged_in is None and (why := why_refused(wanted.name)):
            raise CallError(
                f"--unjudged bounds is not for {quoted(wanted.name)}: it {why}",
                "choose other measures with -m; --unjudged skip works with any measure",
            )
