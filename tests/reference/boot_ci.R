# R's boot.ci on one column of scores, with resamples made elsewhere: called by boot_ci.py.
# Rscript boot_ci.R SCORES INDICES LEVELS: a score a line; a resample of topics a line; 0.9,0.95
library(boot)
arguments <- commandArgs(trailingOnly = TRUE)
x <- scan(arguments[1], quiet = TRUE)
indices <- as.matrix(read.table(arguments[2]))
levels <- as.numeric(strsplit(arguments[3], ",")[[1]])

statistic <- function(data, i) c(mean(data[i]), var(data[i]) / length(i))
b <- boot(x, statistic, R = nrow(indices))
b$t <- t(apply(indices, 1, function(i) statistic(x, i))) # these resamples, not R's own
# boot.ci would estimate the influence values from the resamples that it drew itself; the
# jackknife's are exact for a mean.
influence <- empinf(data = x, statistic = function(d, i) mean(d[i]), type = "jack", stype = "i")
for (level in levels) {
  ci <- boot.ci(b, conf = level, type = c("basic", "stud", "perc", "bca"), L = influence)
  for (kind in c("basic", "student", "percent", "bca")) {
    ends <- ci[[kind]][4:5]
    cat(kind, format(level, digits = 15), sprintf("%.12f", ends), "\n")
  }
}
cat("shapiro", 0, sprintf("%.12f", c(shapiro.test(x)$statistic, shapiro.test(b$t[, 1])$statistic)), "\n")
cat("ties and equal", sum(abs(b$t[, 1] - b$t0[1]) < 1e-12), sum(b$t[, 2] < 1e-20), "\n")
