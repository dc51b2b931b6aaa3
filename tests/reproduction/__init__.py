"""Published figures, computed anew from the real data."""

from confint_cli.parallel import one_thread_each

one_thread_each()
