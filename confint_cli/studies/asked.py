"""What a comparison can be asked besides: names that options and records share.

They stand apart from what answers them, as every call looks at all options.
"""

WORSE, NOT_BETTER, INFERIOR = "worse", "not-better", "inferior"
GATES = (WORSE, NOT_BETTER, INFERIOR)
"""What makes a call fail: see `gate.py`."""

EFFECT_LIMITS = "glass_low glass_high hedges_gz_low hedges_gz_high hedges_g_low hedges_g_high"
ABOUT_MARGIN = "p_noninferior p_equivalent verdict"
"""The fields of records with intervals of effect sizes, and with a margin."""
