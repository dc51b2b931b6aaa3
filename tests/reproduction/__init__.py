"""Published figures, computed anew from the real data."""

from confint_cli.common.parallel import prepare_for_arrays

prepare_for_arrays()
