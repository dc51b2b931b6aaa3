"""From arrays to numbers: samples, intervals, comparisons, ranks, posteriors, power.

`methods/` has the interval methods and `significance/` the tests, a file each.
"""
