# Effect sizes with intervals, and tests about margins, of made-up scores of two runs. Called by
# effects.py with a file of scores (case, run, baseline); writes one row a number.
suppressMessages(library(effectsize))
scores <- read.delim(commandArgs(TRUE)[1])
margins <- c(0.02, 0.05, 0.2)
row <- function(...) cat(paste(c(...), collapse = "\t"), "\n", sep = "")
number <- function(x) sprintf("%.15g", x)
for (case in unique(scores$case)) {
  own <- scores[scores$case == case, ]
  x <- own$run; y <- own$baseline
  for (level in c(0.8, 0.95, 0.99)) {
    d <- cohens_d(x, y, paired = TRUE, ci = level)
    g <- hedges_g(x, y, paired = TRUE, ci = level)
    row(case, "gz", level, "", number(g$Hedges_g), number(d$CI_low), number(d$CI_high))
    d <- cohens_d(x, y, ci = level)
    g <- hedges_g(x, y, ci = level)
    row(case, "g", level, "", number(g$Hedges_g), number(d$CI_low), number(d$CI_high))
  }
  row(case, "glass", "", "", number(glass_delta(x, y)$Glass_delta), "", "")
  for (margin in margins) for (paired in c(TRUE, FALSE)) {
    above <- t.test(x, y, paired = paired, mu = -margin, alternative = "greater")$p.value
    below <- t.test(x, y, paired = paired, mu = margin, alternative = "less")$p.value
    row(case, if (paired) "tost" else "tost-welch", "", margin, number(above),
        number(max(above, below)), "")
  }
}
for (sd in c(0.05, 0.2)) for (margin in c(0.01, 0.03)) for (power in c(0.8, 0.95)) {
  n <- power.t.test(delta = margin, sd = sd, power = power, sig.level = 0.05,
                    type = "paired", alternative = "one.sided", tol = 1e-12)$n
  row("plan", "topics", power, margin, number(sd), number(n), "")
}
