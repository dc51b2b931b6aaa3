"""Numbers as tables have them: blanks, NA, decimal commas, percent signs.

A table is read only if its numbers are written in one way throughout: in a file that has both
`0,5` and `0.5` one of the two is no score.
"""

import math
import re
from decimal import Decimal

from confint_cli.errors import DataError
from confint_cli.inputs._source import Source
from confint_cli.text import number, quoted, why_no_number

GAPS = frozenset(
    {"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none", "-", "--", "\u2013"}
)
"""What pandas, R, spreadsheets and people write where there is no score, in small letters."""

_WITH_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?", re.ASCII)
_LIKE_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", re.ASCII)  # 1,234
_LONGEST = 400  # characters of a number
_SHORT = 16  # digits of a number that is surely finite


def is_gap(cell: str) -> bool:
    """Say whether a cell stands for no score."""
    return len(cell) < _LONGEST and cell.strip().casefold() in GAPS


def is_number(cell: str) -> bool:
    """Say whether a cell of a table shows a number, whichever way it is written."""
    try:
        number(cell)
    except ValueError:
        try:
            return Numerals().plain(cell) is not None
        except ValueError:
            return False
    return True


def is_whole(cell: str) -> bool:
    """Say whether a cell is a whole number without a sign, as ids and row numbers are."""
    return cell.isascii() and cell.isdecimal()


class Numerals:
    """Reads the numbers of one column, or of one table, which are all written in the same way."""

    __slots__ = ("_is_certain", "decimal", "example", "is_settled", "percent")

    def __init__(self) -> None:
        self.decimal = ""  # `.` or `,` once one was seen
        self.percent: bool | None = None  # whether there are percent signs, once that is known
        self.example = ""  # the first number that has a comma or a percent sign
        self._is_certain = True  # a comma is a decimal one
        self.is_settled = False  # whether numbers are plain ones with a point, as nearly always

    def plain(self, cell: str) -> str | None:
        """Return the number in a cell as Python writes it, None for a blank.

        ValueError says what is wrong with it: `is not a number`.
        """
        if self.percent is False and is_whole(cell) and len(cell) < _SHORT:
            return cell  # as in tables of nothing but 0 and 1, which settle nothing else
        text = cell.strip()
        if is_gap(text):
            return None
        has_sign = text.endswith("%")
        shown = text[:-1].rstrip() if has_sign else text
        decimal = ""
        if len(shown) < _LONGEST and _WITH_COMMA.fullmatch(shown):
            decimal, plain = ",", shown.replace(",", ".")
        else:
            plain = shown
            if "." in shown:
                decimal = "."
        try:
            value = number(plain)
        except ValueError:
            raise ValueError(f"is {why_no_number(text)}") from None
        self._check_decimal(decimal, shown)
        if value:  # nothing is the same in percent
            self._check_percent(has_sign)
        if (has_sign or decimal == ",") and not self.example:
            self.example = text
        self.is_settled = self.decimal == "." and self.percent is False
        return _over_hundred(plain) if has_sign else plain

    def _check_decimal(self, decimal: str, shown: str) -> None:
        if decimal and self.decimal not in ("", decimal):
            here, above = ("comma", "points") if decimal == "," else ("point", "commas")
            raise ValueError(f"has a decimal {here}, but there are decimal {above} above")
        if decimal == ",":
            is_certain = not _LIKE_THOUSANDS.fullmatch(shown)
            self._is_certain = is_certain if not self.decimal else self._is_certain or is_certain
        self.decimal = self.decimal or decimal

    def _check_percent(self, has_sign: bool) -> None:
        if self.percent is None:
            self.percent = has_sign
        elif self.percent is not has_sign:
            raise ValueError(
                "has a percent sign, but there are numbers without one above"
                if has_sign
                else "has no percent sign, but there are numbers with one above"
            )

    def check(self, source: Source) -> None:
        """Raise an error if all commas may as well separate thousands."""
        if not self._is_certain:
            raise DataError(
                source.name,
                f"{quoted(self.example)} may be {self.example.replace(',', '.')} or "
                f"{self.example.replace(',', '')}, and so may all other numbers with a comma",
                "write the numbers with decimal points, and without commas",
            )


def score_in(numerals: Numerals | None, cell: str) -> tuple[float, str | None]:
    """Return the number in a cell and how Python writes it; NaN and None for a blank of a table.

    Without numerals a cell is a plain number. ValueError says what else is there.
    """
    if numerals is None:
        try:
            return number(cell), cell
        except ValueError:
            raise ValueError(f"is {why_no_number(cell)}") from None
    if numerals.is_settled:
        try:
            return number(cell), cell
        except ValueError:
            pass  # a blank, or a fault
    plain = numerals.plain(cell)
    return (math.nan, None) if plain is None else (number(plain), plain)


def _over_hundred(plain: str) -> str:
    """Return a number as a share of one; 33.3/100 in binary would not be 0.333."""
    try:
        return str(Decimal(plain) / 100)
    except ArithmeticError:
        return repr(float(plain) / 100)


def no_score(source: Source, line: int, column: str, topic: str, cell: str) -> DataError:
    """Return the error for a blank where a score should be."""
    shown = quoted(cell.strip()) if cell.strip() else "nothing"
    return source.error(
        line,
        f"there is {shown} in column {quoted(column)} for topic {quoted(topic)}, where a score "
        "should be",
        "--missing zero scores such topics 0, --missing drop leaves them out for all runs",
    )
