"""From arrays to numbers: samples, intervals, comparisons, ranks, posteriors, power.

Scores are arrays [topic, run], or [topic, column] where a column is a run by a measure, a pair of
runs or a sample. `methods/` has the interval methods and `significance/` the tests, a file each.
"""
