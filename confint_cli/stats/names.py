"""The names that results give to intervals that are no methods: names that are quick to import.

Those of methods are the names of their files.
"""

MAX_T = "max-t"  # of the correction of p-values, too
BONFERRONI_T = "bonferroni-t"
WELCH = "welch"
DERSIMONIAN_LAIRD, HARTUNG_KNAPP = "dersimonian-laird", "hartung-knapp"
CREDIBLE = "credible"
IMBENS_MANSKI = "imbens-manski"
PPI = "ppi"
