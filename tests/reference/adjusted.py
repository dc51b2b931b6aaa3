"""Writes adjusted.tsv: p-values corrected by statsmodels, which is needed for it and nothing else.

python tests/reference/adjusted.py > tests/reference/adjusted.tsv
"""

import numpy as np
from statsmodels.stats.multitest import multipletests

FAMILIES = {
    "one": [0.03],
    "ties": [0.01, 0.04, 0.04, 0.02, 1.0, 0.01],
    "beta": np.random.default_rng(0).beta(0.4, 2, 40).tolist(),
    "uniform": np.random.default_rng(1).random(25).tolist(),
}

METHODS = {  # as statsmodels call them
    "holm": "holm", "bh": "fdr_bh", "by": "fdr_by", "bonferroni": "bonferroni"
}  # fmt: skip

print("family", "p", *METHODS, sep="\t")
for family, p in FAMILIES.items():
    corrected = [multipletests(p, method=method)[1] for method in METHODS.values()]
    for row in zip(p, *corrected, strict=True):
        print(family, *(repr(float(value)) for value in row), sep="\t")
