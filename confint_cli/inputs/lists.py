"""Columns of a frame that are lists of Python's values: what JSON gives, or dicts in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confint_cli.inputs.columns import is_name_of_topics
from confint_cli.inputs.frames import Numbers, are_numbers, objects_in, text_of
from confint_cli.inputs.rows import is_number

_MOST_TEXTS = 1000  # cells that show whether a column holds texts


@dataclass(frozen=True)
class CodedColumn:
    """Names, each of which comes often: by their numbers."""

    name: str
    codes: NDArray[Any]  # [row], positions in `names`; -1: none
    names: Sequence[str]
    is_index: bool = False
    no_scores: str = "texts"
    holds_texts: bool = True

    def texts(self, start: int, stop: int) -> list[str]:
        """Return the names of some rows; empty where there is none."""
        return [self.names[code] if code >= 0 else "" for code in self.codes[start:stop].tolist()]

    def numbers(self) -> Numbers | None:
        """Return nothing: names are not numbers."""
        return None

    def coded(self) -> tuple[NDArray[Any], Sequence[object]]:
        """Return the codes and the names."""
        return self.codes, self.names


@dataclass(frozen=True)
class NumberColumn:
    """Numbers; NaN where there is none."""

    name: str
    values: Numbers  # [row]
    is_index: bool = False
    no_scores: str = ""
    holds_texts: bool = False

    def texts(self, start: int, stop: int) -> list[str]:
        """Return the numbers of some rows as texts."""
        is_id = is_name_of_topics(self.name)
        return [text_of(one, is_id=is_id) for one in self.values[start:stop].tolist()]

    def numbers(self) -> Numbers | None:
        """Return all numbers."""
        return self.values

    def coded(self) -> tuple[NDArray[Any], Sequence[object]]:
        """Return a code for each number, -1 for none, and the different numbers as texts."""
        different, codes = np.unique(self.values, return_inverse=True)
        codes = codes.astype(np.int32)
        if different.size and np.isnan(different[-1]):  # all NaN are one, which comes last
            codes[codes == different.size - 1] = -1
            different = different[:-1]
        return codes, [text_of(one, is_id=True) for one in different.tolist()]


@dataclass(frozen=True)
class ListColumn:
    """Values of any type, one per row; None where there is none."""

    name: str
    values: Sequence[object]
    is_index: bool = False
    quotes_texts: bool = False  # so that a text which shows a number is not read as one

    @cached_property
    def no_scores(self) -> str:
        """What it holds if these are not scores, by the first value."""
        return objects_in(self.values)

    @cached_property
    def holds_texts(self) -> bool:
        """Whether the first values are texts, or lists and the like, whatever is in them."""
        first = [one for one in self.values[:_MOST_TEXTS] if one is not None]
        return bool(first) and not any(isinstance(one, int | float) for one in first)

    def texts(self, start: int, stop: int) -> list[str]:
        """Return the cells of some rows as texts, lists and the like as Python writes them."""
        if self.quotes_texts:
            return [
                f'"{one}"' if isinstance(one, str) and is_number(one) else text_of(one)
                for one in self.values[start:stop]
            ]
        is_id = is_name_of_topics(self.name)
        return [text_of(one, is_id=is_id) for one in self.values[start:stop]]

    def numbers(self) -> Numbers | None:
        """Return all cells as numbers; None if some are texts or anything else."""
        types = {*map(type, self.values)}
        if types == {float} or types == {float, int} or types == {int}:
            try:
                return np.array(self.values, dtype=np.float64)
            except OverflowError:  # the way row by row says which it is
                return None
        if not are_numbers(self.values):
            return None
        try:
            values = [np.nan if not text_of(one) else float(one) for one in self.values]  # type: ignore[arg-type]
        except OverflowError:
            return None
        return np.array(values, dtype=np.float64)

    def coded(self) -> tuple[NDArray[Any], Sequence[object]]:
        """Return a code for each cell, -1 for none, and the different values as texts.

        Values are told apart by their texts: 1 and True are one value for Python. Raise TypeError
        for lists and dicts.
        """
        if {*map(type, self.values)} == {str}:
            texts: Sequence[object] = self.values
        else:
            if any(isinstance(one, list | dict) for one in self.values):
                raise TypeError
            texts = [text_of(one, is_id=True) for one in self.values]
        place_of = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        codes = np.fromiter(map(place_of.__getitem__, texts), np.int32, len(texts))
        return codes, [*place_of]
