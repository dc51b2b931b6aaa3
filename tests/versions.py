"""What the oldest versions that the package allows compute otherwise than the newest."""

from importlib.metadata import version

SCIPY = tuple(map(int, version("scipy").split(".")[:2]))

T_ERROR = 1e-10 if SCIPY >= (1, 16) else 1e-7
"""How far numbers may be off that quantiles of Student's t enter: it had fewer digits of them."""

IN_DOUBLE = SCIPY >= (1, 12)  # precision scipy computes Shapiro and Wilk's W; in single, before
W_ERROR = 2e-9 if IN_DOUBLE else 5e-5
"""How far that W may be off."""
