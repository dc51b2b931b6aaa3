"""What a line of progress looks like: `scoring runs ━━━━━━━━╸────────── 37/129, 12 s left`."""

import math

FINE, PLAIN = "━╸─", "#>-"  # what is done, its end, what is to do; PLAIN is for any terminal
_LONGEST, _SHORTEST = 30, 6  # bars
_MOST_COUNTED = 9999  # above, a percentage says more than a count
_ROOM_FOR_TIME = len(", 9 min 59 s left")


def line(
    what: str, done: int, total: int, seconds: float | None, *, width: int, signs: str = FINE
) -> str:
    """Return the line, no longer than a width; without the bar, or the time, if there is no room.

    `seconds` is the time left, or None if it is not known yet.
    """
    counted = f"{done}/{total}" if total <= _MOST_COUNTED else f"{100 * done // total}%"
    left = "" if seconds is None else f", {time_left(seconds)}"
    # As if the numbers were as long as they get, or the bar would change its length all the time.
    longest = 2 * len(str(total)) + 1 if total <= _MOST_COUNTED else len("100%")
    room = min(_LONGEST, width - len(what) - longest - _ROOM_FOR_TIME - 2)
    if room >= _SHORTEST:
        return f"{what} {_bar(done / total, room, signs)} {counted}{left}"
    plain = f"{what} {counted}{left}"
    return plain if len(plain) <= width else f"{what} {counted}"[:width]


def _bar(share: float, length: int, signs: str) -> str:
    full, end, empty = list(signs)
    reached = int(share * length)
    return (full * reached + end + empty * length)[:length]


def time_left(seconds: float) -> str:
    """Return `12 s left`, `1 min 20 s left`, `2 h 5 min left`; never less than a second."""
    whole = max(1, math.ceil(seconds))
    if whole < 60:
        return f"{whole} s left"
    minutes, rest = divmod(whole, 60)
    if minutes < 10:
        return f"{minutes} min {rest} s left" if rest else f"{minutes} min left"
    if minutes < 60:
        return f"{minutes} min left"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min left" if minutes else f"{hours} h left"
