"""Writes power.tsv: the power of t tests by statsmodels, which is needed for it and nothing else.

python tests/reference/power.py > tests/reference/power.tsv

`topics` of a row with a target is statsmodels' solution, a real number, rounded up; without one,
`power` is that of so many topics. Where statsmodels has no answer (scipy's noncentral t fails far
out) there is no row.
"""

import math
import warnings
from itertools import product

from statsmodels.stats.power import TTestPower

LEVELS = (0.8, 0.95, 0.99, 0.999)
test = TTestPower()
warnings.simplefilter("ignore")

print("effect", "level", "topics", "power", "target", sep="\t")
for topics, level, shift in product((2, 3, 5, 10, 20, 50, 249, 1000), LEVELS, (0.1, 1, 2, 3, 5)):
    effect = shift / math.sqrt(topics)
    power = float(test.power(effect, topics, 1 - level))
    if not math.isnan(power):
        print(effect, level, topics, repr(power), "", sep="\t")
for effect, level, target in product((0.05, 0.1, 0.2, 0.35, 0.5, 0.8), LEVELS, (0.5, 0.8, 0.95)):
    needed = test.solve_power(effect_size=effect, alpha=1 - level, power=target)
    if not math.isnan(needed):
        print(effect, level, math.ceil(needed), "", target, sep="\t")
