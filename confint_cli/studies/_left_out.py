"""What to say of pairs of runs that max-T cannot tell apart, whatever their difference."""

from confint_cli.errors import Notice, note, warning
from confint_cli.estimation import LARGEST_ERROR
from confint_cli.max_t import LeftOut
from confint_cli.studies._words import percent, rounded_up
from confint_cli.text import count, visible


def never_told_apart(left_out: LeftOut, measure: str) -> list[Notice]:
    """Say how many there are; if topics are too few for all pairs, that is for others to say."""
    if not left_out.enough_topics:
        return []
    notices = []
    if left_out.few_differences:
        verb = "differs" if left_out.few_differences == 1 else "differ"
        topics = "1 topic only" if left_out.at_most == 1 else f"{left_out.at_most} topics at most"
        notices.append(
            note(
                f"by {visible(measure)}, {count(left_out.few_differences, 'pair')} of runs {verb} "
                f"on {topics}: too few to tell apart"
            )
        )
    if left_out.unbounded:
        verb = "differs" if left_out.unbounded == 1 else "differ"
        notices.append(
            note(
                f"by {visible(measure)}, {count(left_out.unbounded, 'pair')} of runs {verb} by the "
                "same on nearly all topics: how the difference varies cannot be seen, so max-t "
                "does not tell them apart"
            )
        )
    return notices


def too_few_topics(measure: str, topics: int, level: float) -> Notice:
    """Say that max-T has no limits at all."""
    return note(
        f"by {visible(measure)}, {count(topics, 'topic')} are too few for max-t at {percent(level)}"
    )


def too_few_draws(measure: str, share: float, draws: int) -> list[Notice]:
    """Warn of limits that other random numbers would put elsewhere, if they are not shown."""
    if share <= LARGEST_ERROR:
        return []
    needed = rounded_up(3 * draws * (share / LARGEST_ERROR) ** 2)
    return [
        warning(
            f"{draws} draws are few to tell runs apart by {visible(measure)}: the Monte Carlo "
            f"error of simultaneous limits is some {percent(round(min(share, 1.0), 2))} of the "
            f"half-width; --draws {needed} would do"
        )
    ]
