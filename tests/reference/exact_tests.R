# Exact p-values by R's exactRankTests, called by exact_tests.py.
# Rscript exact_tests.R DIFFERENCES: a line for each pair of runs, with whole numbers
suppressMessages(library(exactRankTests))
for (line in readLines(commandArgs(trailingOnly = TRUE)[1])) {
  d <- as.numeric(strsplit(line, " ")[[1]])
  ranks <- wilcox.exact(d, 0 * d, paired = TRUE, exact = TRUE)$p.value
  means <- perm.test(d, 0 * d, paired = TRUE, exact = TRUE)$p.value
  cat(sprintf("%.15g", c(ranks, means)), "\n")
}
