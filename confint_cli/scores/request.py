"""Which scores a call wants, and how they are made: a record that is quick to import."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from confint_cli.scores.treatments import IRRELEVANT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from confint_cli.common.errors import DataError
    from confint_cli.common.parallel import Workers


@dataclass(frozen=True)
class Given:
    """Data that are in memory already, and what messages call them."""

    name: str  # empty: by what they are
    data: object
    files: tuple[str, ...] = ()  # that they were read from, for another question before this one
    left_out: "Mapping[str, DataError]" = field(default_factory=dict)
    """The errors of those of these files that could not be used, by path."""


@dataclass(frozen=True)
class Request:
    """Which scores to read or to compute."""

    files: tuple[str, ...]
    qrels: str | None  # a file of judgements, against which the files are scored; None: scores
    measure: tuple[str, ...]  # as the user wrote them; empty: the usual ones
    missing: str  # what becomes of a topic that some run lacks: zero, drop or error
    gaps: bool  # whether a blank in a table is a topic that the run lacks, or else an error
    topics: str | tuple[str, ...] | None  # those to use, or a file that lists them; None: all
    every: int  # 1 uses all of these topics, n every n-th
    rel_level: int | None  # the lowest grade that is relevant; None: 1
    input_format: str | None  # None: the content of each file shows it
    run_names: str | tuple[str, ...] | None  # for matrices; or a file that lists them
    name_from: str  # what names a run that the data do not name: file or tag
    measure_name: str | None
    keep_going: bool  # whether files that cannot be used are left out
    workers: "Workers"
    given: tuple[Given, ...] = ()  # further scores, which need no file
    labels: tuple[str, ...] = ()  # patterns of paths that name runs and collections; or `none`
    groups: "str | Mapping[str, str] | None" = None
    """A pattern of ids of topics, a file of topics and their groups, or the groups by topic."""
    group_weight: str = "size"  # what groups count by
    judge_qrels: str | None = None  # judgements by a cheaper judge, of these topics and of more
    judge_scores: str | Given | None = None  # its scores: a pattern of paths, a file, or data
    unjudged: str = IRRELEVANT  # what becomes of documents that nobody judged; or skip, or bounds
    decides: bool = False  # whether the question is which of two runs is better

    @property
    def has_judge(self) -> bool:
        """Whether there is a cheaper judge beside people."""
        return self.judge_qrels is not None or self.judge_scores is not None

    @property
    def all_files(self) -> tuple[str, ...]:
        """The FILES, and those of which the scores were read already."""
        return (*self.files, *(path for given in self.given for path in given.files))

    @property
    def paths(self) -> list[str]:
        """All files that the request names, but for judgements of several collections."""
        others = (
            self.qrels, self.topics, self.run_names, self.groups, self.judge_qrels,
            self.judge_scores,
        )  # fmt: skip
        return [*self.files, *(path for path in others if isinstance(path, str))]
