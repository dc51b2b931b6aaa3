# Make designs_scores.tsv and designs.tsv: groups of topics and repeats of runs, as R sees them.
#
# Needs R with boot, clubSandwich, lme4 and lmerTest (Debian: r-base-core, r-cran-boot,
# r-cran-clubsandwich, r-cran-lme4, r-cran-lmertest); takes a minute, and prints the versions of all
# of them:
#
#     Rscript tests/reference/designs.R tests/reference
#
# designs_scores.tsv has made-up scores of four decimals, which this file makes and then reads back:
# runs a and b on the same topics. `group` is the topic's own; `collection` and `repeat` are 1 where
# there is only one. Groups: `even` has 8 of 4 topics, `uneven` 12 of 1 to 12, `huge` one of 40
# among small ones, `three` just three, `collections` groups of 1 to 9 in three collections.
# Repeats: `seeds` has 5 by 30 topics, `two` 2 by 12, `ten` 10 by 20; `talks` 4 by 12 groups of 3
# topics; `models` 4 by 6 collections of 3 to 9 topics. Differences are a - b, of repeats by number.
#
# The rows of designs.tsv, by `quantity`, `of` the differences or of run a; a cell is empty where
# there is nothing to say:
#   cr2           mean over topics: clubSandwich's t test of the intercept of lm(y ~ 1), CR2 by
#                 group with Satterthwaite's degrees of freedom. Of `collections` it is the
#                 intercept of lm with contr.sum; the working variance of a collection's topics is
#                 their number times clubSandwich's own CR2 variance of the collection's mean.
#   equal         t.test of the groups' means
#   percentile, basic, bca
#                 boot.ci of 2,000,000 resamples of groups, whose mean is the ratio of two sums. BCa
#                 has the influence values of the ratio; it is left out of `huge`, where a
#                 resample in 170 has the very mean of the scores, which boot.ci does not count.
#   z*            the quantiles of the studentised statistic, by CR1's variance, in place of limits;
#                 bootstrap-t is made of them, but by CR2's variance of the scores
#   acceleration  of BCa, as estimate, by numerical derivatives: good to 1e-4
#   bias          z0 of BCa, as estimate, resamples with the mean of the scores counted half
#   mixed         lmer(y ~ 1 + (1 | topic) + (1 | repeat)), with lmerTest's Satterthwaite degrees of
#                 freedom of the intercept and the variances of topics, repeats and residuals. A row
#                 of `talks` is the mean of a group, a row of `models` that of a collection. All
#                 variances are positive, so that these are those of an analysis of variance. lme4
#                 looks for them by optimisation: digits from the eighth on vary from call to call.
# low_error, high_error: Monte Carlo standard errors of low and high, from 40 batches of the
# resamples; of `bias`, low_error is that of the estimate.
suppressMessages({
  library(boot)
  library(clubSandwich)
  library(lme4)
  library(lmerTest)
})
folder <- commandArgs(trailingOnly = TRUE)[1]
LEVELS <- c(0.95, 0.99)
RESAMPLES <- 2000000
BATCHES <- 40
SEED <- 11
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
cat(R.version.string, "\n")
for (name in c("boot", "clubSandwich", "lme4", "lmerTest")) {
  cat(name, packageDescription(name)$Version, "\n")
}

# Scores: whole numbers by Lehmer's generator, no function of the machine's library in them.

state <- 20250131
uniform <- function() {
  state <<- (state * 16807) %% 2147483647
  state / 2147483647
}
noise <- function() uniform() + uniform() + uniform() - 1.5
lines <- "case\tcollection\tgroup\ttopic\trepeat\trun\tscore"
# sizes: topics of the groups of each collection; spread: of groups, topics, repeats and residuals
make <- function(case, sizes, repeats, spread) {
  seeds <- matrix(replicate(2 * repeats, noise()), ncol = 2) * spread[3]
  group <- topic <- 0
  for (k in seq_along(sizes)) {
    level <- 0.1 * noise()
    for (size in sizes[[k]]) {
      group <- group + 1
      of_group <- spread[1] * c(noise(), noise() - 0.3 * uniform()^5)
      for (j in seq_len(size)) {
        topic <- topic + 1
        own <- 0.5 + level + of_group + spread[2] * c(noise(), noise())
        for (r in seq_len(repeats)) {
          score <- own + c(0.03, 0) + seeds[r, ] + spread[4] * c(noise(), noise())
          score <- round(10000 * score) / 10000
          lines <<- c(lines, sprintf(
            "%s\t%d\t%d\t%d\t%d\t%s\t%.4f", case, k, group, topic, r, c("a", "b"), score
          ))
        }
      }
    }
  }
}
make("even", list(rep(4, 8)), 1, c(0.2, 0.2, 0, 0))
make("uneven", list(c(3, 1, 12, 2, 7, 4, 1, 9, 5, 2, 6, 3)), 1, c(0.2, 0.2, 0, 0))
make("huge", list(c(2, 40, 3, 4, 1, 5, 3)), 1, c(0.2, 0.2, 0, 0))
make("three", list(c(2, 9, 5)), 1, c(0.2, 0.2, 0, 0))
make("collections", list(c(4, 1, 2, 9, 3), c(2, 2, 2, 2, 2, 2), c(6, 1, 3, 8, 2, 4, 1)), 1,
     c(0.2, 0.2, 0, 0))
make("seeds", list(rep(1, 30)), 5, c(0, 0.3, 0.08, 0.2))
make("two", list(rep(1, 12)), 2, c(0, 0.2, 0.2, 0.1))
make("ten", list(rep(1, 20)), 10, c(0, 0.1, 0.1, 0.3))
make("talks", list(rep(3, 12)), 4, c(0.2, 0.2, 0.1, 0.1))
make("models", list(rep(1, 3), rep(1, 9), rep(1, 5), rep(1, 6), rep(1, 4), rep(1, 8)), 4,
     c(0, 0.2, 0.1, 0.1))
writeLines(lines, file.path(folder, "designs_scores.tsv"))
everything <- read.delim(file.path(folder, "designs_scores.tsv"))

# Rows

rows <- paste(c(
  "case", "quantity", "of", "level", "low", "high", "estimate", "se", "df", "p", "topics",
  "repeats", "residuals", "low_error", "high_error"
), collapse = "\t")
add <- function(case, quantity, of, level = NA, ends = c(NA, NA), estimate = NA, se = NA, df = NA,
                p = NA, variances = rep(NA, 3), errors = c(NA, NA)) {
  numbers <- as.numeric(c(level, ends, estimate, se, df, p, variances, errors))
  cells <- ifelse(is.na(numbers), "", sprintf("%.15g", numbers))
  rows <<- c(rows, paste(c(case, quantity, of, cells), collapse = "\t"))
}

cr2 <- function(case, of, y, group, collection) {
  if (nlevels(collection) == 1) {
    fit <- lm(y ~ 1)
    v <- vcovCR(fit, cluster = group, type = "CR2")
  } else {
    target <- numeric(length(y))
    for (own in split(seq_along(y), collection)) {
      part <- y[own]
      alone <- vcovCR(lm(part ~ 1), cluster = droplevels(group[own]), type = "CR2")
      target[own] <- as.numeric(alone) * length(own)
    }
    fit <- lm(y ~ collection, contrasts = list(collection = "contr.sum"))
    v <- vcovCR(fit, cluster = group, type = "CR2", target = target)
  }
  test <- coef_test(fit, vcov = v, test = "Satterthwaite", coefs = "(Intercept)")
  df <- if (is.null(test$df)) test$df_Satt else test$df
  p <- if (is.null(test$p_Satt)) test$p_val else test$p_Satt
  for (level in LEVELS) {
    ci <- conf_int(fit, vcov = v, level = level, test = "Satterthwaite", coefs = "(Intercept)")
    add(case, "cr2", of, level, c(ci$CI_L, ci$CI_U), test$beta, test$SE, df, p)
  }
}

equal <- function(case, of, y, group) {
  for (level in LEVELS) {
    t <- t.test(tapply(y, group, mean), conf.level = level)
    add(case, "equal", of, level, t$conf.int, t$estimate, t$stderr, t$parameter, t$p.value)
  }
}

bootstrap <- function(case, of, y, group) {
  sums <- as.numeric(tapply(y, group, sum))
  sizes <- as.numeric(tapply(y, group, length))
  G <- length(sums)
  both <- cbind(sums, sizes)
  statistic <- function(data, i) {
    s <- data[i, 1]
    m <- data[i, 2]
    mean <- sum(s) / sum(m)
    c(mean, G / (G - 1) * sum((s - m * mean)^2) / sum(m)^2)
  }
  ratio <- function(data, w) sum(w * data[, 1]) / sum(w * data[, 2])
  l <- empinf(data = both, statistic = ratio, type = "inf", stype = "w")
  a <- sum(l^3) / sum(l^2)^1.5 / 6
  add(case, "acceleration", of, estimate = a)
  l <- (sums - sizes * mean(y)) / mean(sizes) # of which those of empinf are numerical derivatives
  stopifnot(abs(sum(l^3) / sum(l^2)^1.5 / 6 - a) < 1e-4)

  set.seed(SEED)
  b <- boot(both, statistic, R = RESAMPLES)
  none <- b$t[, 2] < 1e-20 # one group only
  cat(case, "resamples without variance:", sum(none), "\n")
  b$t[none, 2] <- 1e-20
  limits <- function(b, level) {
    ci <- boot.ci(b, conf = level, type = c("perc", "basic", "stud", "bca"), L = l)
    rbind(
      percentile = ci$percent[4:5], basic = ci$basic[4:5], bca = ci$bca[4:5],
      "z*" = rev(b$t0[1] - ci$student[4:5]) / sqrt(b$t0[2])
    )
  }
  batch <- function(j) {
    part <- b
    part$t <- b$t[seq(j, RESAMPLES, by = BATCHES), ]
    part$R <- nrow(part$t)
    part
  }
  batches <- lapply(seq_len(BATCHES), batch)
  error <- function(values) sd(values) / sqrt(BATCHES)
  for (level in LEVELS) {
    all <- limits(b, level)
    parts <- lapply(batches, limits, level = level)
    for (kind in setdiff(rownames(all), if (case == "huge") "bca")) {
      errors <- apply(sapply(parts, function(one) one[kind, ]), 1, error)
      of_z <- kind == "z*"
      add(case, kind, of, level, all[kind, ], estimate = if (of_z) NA else b$t0[1], errors = errors)
    }
  }
  z0 <- function(b) {
    off <- b$t[, 1] - b$t0[1]
    qnorm(mean((off < -1e-12) + 0.5 * (abs(off) <= 1e-12)))
  }
  add(case, "bias", of, estimate = z0(b), errors = c(error(sapply(batches, z0)), NA))
  cat(case, "resamples with the mean of the scores:", sum(abs(b$t[, 1] - b$t0[1]) < 1e-12), "\n")
}

mixed <- function(case, of, y, topic, repetition) {
  control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e5))
  d <- data.frame(y = y, topic = topic, repetition = repetition)
  fit <- lmer(y ~ 1 + (1 | topic) + (1 | repetition), data = d, REML = TRUE, control = control)
  variance <- as.data.frame(VarCorr(fit))
  by <- setNames(variance$vcov, variance$grp)
  stopifnot(all(by > 1e-6))
  test <- coef(summary(fit, ddf = "Satterthwaite"))
  for (level in LEVELS) {
    ends <- test[1, 1] + c(-1, 1) * qt((1 + level) / 2, test[1, 3]) * test[1, 2]
    add(
      case, "mixed", of, level, ends, test[1, 1], test[1, 2], test[1, 3], test[1, 5],
      by[c("topic", "repetition", "Residual")]
    )
  }
}

for (case in unique(everything$case)) {
  scores <- everything[everything$case == case, ]
  a <- scores[scores$run == "a", ]
  b <- scores[scores$run == "b", ]
  stopifnot(a$topic == b$topic, a$"repeat" == b$"repeat")
  for (of in c("difference", "a")) {
    y <- a$score - (if (of == "difference") b$score else 0)
    group <- factor(a$group)
    if (max(a$"repeat") == 1) {
      cr2(case, of, y, group, factor(a$collection))
      if (case != "collections") equal(case, of, y, group)
      if (of == "difference" && case %in% c("uneven", "huge")) bootstrap(case, of, y, group)
    } else {
      row <- if (case == "models") a$collection else a$group
      means <- aggregate(y, list(row = row, repetition = a$"repeat"), mean)
      mixed(case, of, means$x, factor(means$row), factor(means$repetition))
    }
  }
}
writeLines(rows, file.path(folder, "designs.tsv"))
