"""The columns of results: fields of records, by the names that programs read.

Studies make records of them, and commands check `--columns` against them before anything is
computed. They stand apart from the studies, as every call looks at the columns of its command.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from confint_cli.stats import significance


class Part(NamedTuple):
    """Columns that stand together, and what a call has to ask for to get them."""

    names: str
    asked_by: str = ""  # the parameter of the call; empty: all calls have the columns


def joined(parts: Iterable[Part], is_asked: Mapping[str, bool]) -> str:
    """Return the columns of a call; `is_asked` says of parameters whether it asks for them."""
    return " ".join(
        part.names for part in parts if not part.asked_by or is_asked.get(part.asked_by)
    )


SCORES = "run topic measure score"
MEANS = "measure run method level topics mean sd se low high shape note"
STANDINGS = (
    "measure rank run topics mean low high rank_low rank_high own_rank_low own_rank_high "
    "first_share tied_with_best judged_share note"
)
_SHAPE = "topics mean sd min q1 median q3 max zeros skew shapiro_w shapiro_p note"
DESCRIPTIONS = f"measure run {_SHAPE}"
DESCRIPTIONS_OF_DIFFERENCES = f"measure run baseline {_SHAPE}"
PLANS = (
    "measure design sd target level power assurance topics_now topics_needed topics_needed_high "
    "attained runs note"
)
COVERAGE = (
    "measure run method level sample_size replicates coverage coverage_low coverage_high miss_low "
    "miss_high width note"
)
COVERAGE_OVER_RUNS = (
    "measure method level sample_size runs mean sd min q1 median q3 max error_mean error_sd "
    "error_max width distance miss_low miss_high"
)
RISKS = (
    "measure run baseline topics r method level urisk_minus trisk georisk low high wins losses "
    "shapiro_topics shapiro_bootstrap note"
)
RISKS_OVER_RUNS = (
    "measure baseline topics runs r method level urisk_minus low low_notch_low low_notch_high high "
    "high_notch_low high_notch_high low_from_t high_from_t disagree shapiro_topics "
    "shapiro_bootstrap note"
)
AGREEMENT = (
    "measure runs topics human_topics bias correlation tau tau_low tau_high pairs kept lost "
    "invented reversed effective_topics"
)
OF_META = "tau2 i2"
POSTERIORS = (
    Part("measure run baseline topics"),
    Part("baseline_topics", "unpaired"),
    Part("quantity eap sd low high threshold probability ess"),
    Part("p_below p_within p_above", "rope"),
    Part("sample confidence_low confidence_high p_one_sided", "classical"),
    Part("note"),
)


def p_values() -> str:
    """Return the columns of p-values, one of each test that there is."""
    return " ".join(f"p_{name}" for name in significance.names())


def comparisons() -> tuple[Part, ...]:
    """Return the columns of comparisons; there may be tests that we do not know of."""
    return (
        Part("measure run baseline topics"),
        Part("baseline_topics", "unpaired"),
        Part("mean baseline_mean difference method level low high t df"),
        Part(f"{p_values()} p_adjusted glass_delta hedges_gz hedges_g"),
        Part(
            "glass_low glass_high hedges_gz_low hedges_gz_high hedges_g_low hedges_g_high",
            "effect_intervals",
        ),
        Part("p_noninferior p_equivalent verdict", "margin"),
        Part("wins ties losses note"),
    )
