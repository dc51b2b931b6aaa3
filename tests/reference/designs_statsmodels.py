"""Writes designs_statsmodels.tsv: groups and repeats of designs_scores.tsv by statsmodels.

Needs statsmodels and pandas, which bring numpy, and nothing else:

python tests/reference/designs_statsmodels.py > tests/reference/designs_statsmodels.tsv

Rows are `of` the differences a - b, or of run a. Of groups, `se` is that of the mean over topics by
OLS with cov_type "cluster" and its usual correction, G/(G-1): of groups of one size it is CR2's. Of
repeats there are the mean squares of topics, repeats and residuals of anova_lm, two-way without
interaction; rows of `talks` are means of groups, rows of `models` those of collections.
"""

from pathlib import Path

import pandas as pd
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

scores = pd.read_csv(Path(__file__).parent / "designs_scores.tsv", sep="\t")
keys = ["case", "collection", "group", "topic", "repeat"]
by_run = scores.pivot(index=keys, columns="run", values="score").reset_index()

print("case", "of", "se", "topics", "repeats", "residuals", sep="\t")
for case in scores["case"].unique():
    own = by_run[by_run["case"] == case]
    for of in ("difference", "a"):
        table = own.assign(y=own["a"] - own["b"] if of == "difference" else own["a"])
        if case == "collections":
            continue
        if table["repeat"].max() == 1:
            groups = {"groups": table["group"].to_numpy()}
            fit = ols("y ~ 1", table).fit(cov_type="cluster", cov_kwds=groups)
            print(case, of, repr(float(fit.bse["Intercept"])), "", "", "", sep="\t")
            continue
        row = "collection" if case == "models" else "group"
        means = table.groupby([row, "repeat"])["y"].mean().reset_index()
        means = means.rename(columns={row: "row", "repeat": "repetition"})
        squares = anova_lm(ols("y ~ C(row) + C(repetition)", means).fit())["mean_sq"]
        cells = [repr(float(squares[name])) for name in ("C(row)", "C(repetition)", "Residual")]
        print(case, of, "", *cells, sep="\t")
