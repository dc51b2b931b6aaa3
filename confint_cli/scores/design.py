"""How the rows of a sample were drawn: from one collection or from several."""

from dataclasses import dataclass

from confint_cli.common.arrays import stretches


@dataclass(frozen=True)
class Design:
    """How rows were drawn. Without `strata`, all rows are independent and of one collection.

    With `strata`, rows are of several collections, and their scores are weighted so that the mean
    over all rows is the mean of the collections' means. Rows vary within collections only.
    """

    strata: tuple[int, ...] = ()  # rows of each collection, which follow one another

    @property
    def is_plain(self) -> bool:
        """Whether rows are independent, of one collection, and count alike."""
        return not self.strata

    def slices(self, rows: int) -> list[slice]:
        """Return the rows of each collection, of so many in all; of one, all of them."""
        return stretches(self.strata or (rows,))


PLAIN = Design()
