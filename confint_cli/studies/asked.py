"""What makes a call fail: names that options and studies share.

They stand apart from `gate.py`, which explains them, as every call looks at all options.
"""

WORSE, NOT_BETTER, INFERIOR = "worse", "not-better", "inferior"
GATES = (WORSE, NOT_BETTER, INFERIOR)
