# Make collections_scores.tsv and collections.tsv: two runs on several collections, as R sees them.
#
# Needs R with boot, metafor and clubSandwich (Debian: r-base-core, r-cran-boot, r-cran-metafor,
# r-cran-clubsandwich); takes ten seconds, and prints the versions of all of them:
#
#     Rscript tests/reference/collections.R tests/reference
#
# collections_scores.tsv has made-up scores of four decimals, which this file makes and then reads
# back: runs a and b, on the same topics, which are counted from 1 in each collection. Differences
# are a - b. `two`: much alike, so that DerSimonian and Laird's tau2 is 0; `three` and `six`: one of
# the collections is skewed, and they differ.
#
# The rows of collections.tsv, by `quantity`, `of` the differences or of run a; a cell is empty
# where there is nothing to say:
#   fixed         mean of the collections' means, for new topics: clubSandwich's t test of the
#                 intercept of lm with contr.sum, with CR2 variances of every topic by itself and
#                 each collection's own variance as the working model. That is Satterthwaite's test
#                 without his formula; simple arithmetic of the formula is compared with it below.
#   welch         the same by t.test(x1, -x2), halved; of two collections
#   random        the same mean for new collections: t.test of the collections' means
#   dl, hk        rma of the collections' means, method "DL", test "z" and "knha" (not bounded from
#                 below), with tau2, i2 (in percent, as metafor has it), q and its p
#   percentile, basic, bootstrap-t, bca
#                 boot.ci of 200,000 resamples within the collections. For BCa it is given the
#                 influence values l over n_k, for which its acceleration is that of Davison and
#                 Hinkley for several samples; those of empinf alone would not do.
#   z*            the quantiles of the studentised statistic, of which bootstrap-t is made, in place
#                 of limits
#   acceleration  Davison and Hinkley's a, as estimate, by their formula; exact
#   bias          z0 of BCa, as estimate
# low_error, high_error: Monte Carlo standard errors of low and high, from 40 batches of the
# resamples; of `bias`, low_error is that of the estimate.
suppressMessages({
  library(boot)
  library(metafor)
  library(clubSandwich)
})
folder <- commandArgs(trailingOnly = TRUE)[1]
LEVELS <- c(0.95, 0.99)
RESAMPLES <- 200000
BATCHES <- 40
SEED <- 7
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
cat(R.version.string, "\n")
for (name in c("boot", "metafor", "clubSandwich")) cat(name, packageDescription(name)$Version, "\n")

# Scores: whole numbers by Lehmer's generator, no function of the machine's library in them.

state <- 20240229
uniform <- function() {
  state <<- (state * 16807) %% 2147483647
  state / 2147483647
}
designs <- list( # topics, effect, spread of each collection, and whether it is skewed
  two = list(c(9, 24), c(0.03, 0.04), c(0.2, 0.15), c(FALSE, FALSE)),
  three = list(c(7, 12, 30), c(-0.02, 0.12, 0.04), c(0.08, 0.4, 0.1), c(FALSE, TRUE, FALSE)),
  six = list(
    c(5, 8, 13, 20, 31, 40), c(0.1, 0.02, -0.05, 0.06, 0.03, 0.01),
    c(0.2, 0.15, 0.1, 0.5, 0.2, 0.1), c(FALSE, FALSE, FALSE, TRUE, FALSE, FALSE)
  )
)
lines <- "case\tcollection\ttopic\trun\tscore"
for (case in names(designs)) {
  design <- designs[[case]]
  for (k in seq_along(design[[1]])) {
    for (topic in seq_len(design[[1]][k])) {
      b <- 0.15 + 0.5 * uniform()
      noise <- if (design[[4]][k]) uniform()^6 - 1 / 7 else uniform() + uniform() - 1
      a <- b + design[[2]][k] + design[[3]][k] * noise
      scores <- round(10000 * pmin(pmax(c(a, b), 0), 1)) / 10000
      lines <- c(lines, sprintf("%s\tc%d\t%d\t%s\t%.4f", case, k, topic, c("a", "b"), scores))
    }
  }
}
writeLines(lines, file.path(folder, "collections_scores.tsv"))
everything <- read.delim(file.path(folder, "collections_scores.tsv"))

# Rows

rows <- paste(c(
  "case", "quantity", "of", "level", "low", "high", "estimate", "se", "df", "p", "tau2", "i2", "q",
  "q_p", "low_error", "high_error"
), collapse = "\t")
add <- function(case, quantity, of, level = NA, ends = c(NA, NA), estimate = NA, se = NA, df = NA,
                p = NA, more = rep(NA, 4), errors = c(NA, NA)) {
  numbers <- as.numeric(c(level, ends, estimate, se, df, p, more, errors))
  cells <- ifelse(is.na(numbers), "", sprintf("%.15g", numbers))
  rows <<- c(rows, paste(c(case, quantity, of, cells), collapse = "\t"))
}

same <- function(x, y) stopifnot(isTRUE(all.equal(as.numeric(x), as.numeric(y), tolerance = 1e-10)))

fixed <- function(case, of, x, group) {
  n <- tapply(x, group, length)
  s2 <- tapply(x, group, var)
  fit <- lm(x ~ group, contrasts = list(group = "contr.sum"))
  v <- vcovCR(fit, cluster = seq_along(x), type = "CR2", target = as.numeric(s2[group]))
  test <- coef_test(fit, vcov = v, test = "Satterthwaite", coefs = "(Intercept)")
  for (level in LEVELS) {
    ci <- conf_int(fit, vcov = v, level = level, test = "Satterthwaite", coefs = "(Intercept)")
    df <- if (is.null(test$df)) test$df_Satt else test$df
    p <- if (is.null(test$p_Satt)) test$p_val else test$p_Satt
    add(case, "fixed", of, level, c(ci$CI_L, ci$CI_U), test$beta, test$SE, df, p)
    vk <- s2 / n / length(n)^2
    by_formula <- c(mean(tapply(x, group, mean)), sqrt(sum(vk)), sum(vk)^2 / sum(vk^2 / (n - 1)))
    same(c(test$beta, test$SE, df), by_formula)
    same(c(ci$CI_L, ci$CI_U), by_formula[1] + c(-1, 1) * qt((1 + level) / 2, df) * by_formula[2])
    same(p, 2 * pt(-abs(by_formula[1] / by_formula[2]), df))
  }
  if (length(n) == 2) {
    parts <- split(x, group)
    for (level in LEVELS) {
      t <- t.test(parts[[1]], -parts[[2]], conf.level = level)
      add(
        case, "welch", of, level, t$conf.int / 2, (t$estimate[1] - t$estimate[2]) / 2,
        t$stderr / 2, t$parameter, t$p.value
      )
      same(c(t$parameter, t$p.value), c(df, p))
    }
  }
}

random <- function(case, of, x, group) {
  for (level in LEVELS) {
    t <- t.test(tapply(x, group, mean), conf.level = level)
    add(case, "random", of, level, t$conf.int, t$estimate, t$stderr, t$parameter, t$p.value)
  }
}

meta <- function(case, of, x, group) {
  means <- as.numeric(tapply(x, group, mean))
  errors <- as.numeric(sqrt(tapply(x, group, var) / tapply(x, group, length)))
  for (test in c("z", "knha")) {
    for (level in LEVELS) {
      r <- rma(yi = means, sei = errors, method = "DL", test = test, level = 100 * level)
      df <- if (test == "z") NA else r$k - 1
      add(
        case, if (test == "z") "dl" else "hk", of, level, c(r$ci.lb, r$ci.ub), r$beta, r$se, df,
        r$pval, c(r$tau2, r$I2, r$QE, r$QEp)
      )
    }
  }
}

bootstrap <- function(case, of, x, group) {
  K <- nlevels(group)
  n <- as.numeric(table(group))
  stopifnot(!is.unsorted(group)) # a resample keeps its collections where they are
  at <- split(seq_along(x), group)
  statistic <- function(data, i) {
    y <- data[i]
    m <- v <- 0
    for (k in seq_len(K)) {
      yk <- y[at[[k]]]
      mk <- sum(yk) / n[k]
      m <- m + mk
      v <- v + sum((yk - mk)^2) / (n[k] - 1) / n[k]
    }
    c(m / K, v / K^2)
  }
  macro <- function(d, i) mean(tapply(d[i], group[i], mean))
  l <- empinf(data = x, statistic = macro, type = "jack", stype = "i", strata = group)
  same(l, (x - ave(x, group)) / K)
  weight <- n[as.integer(group)]
  a <- sum(l^3 / weight^3) / sum(l^2 / weight^2)^1.5 / 6
  add(case, "acceleration", of, estimate = a)

  set.seed(SEED)
  b <- boot(x, statistic, R = RESAMPLES, strata = group)
  stopifnot(all(b$t[, 2] > 0))
  limits <- function(b, level) {
    ci <- boot.ci(b, conf = level, type = c("perc", "basic", "stud", "bca"), L = l / weight)
    rbind(
      percentile = ci$percent[4:5], basic = ci$basic[4:5], "bootstrap-t" = ci$student[4:5],
      bca = ci$bca[4:5], "z*" = rev(b$t0[1] - ci$student[4:5]) / sqrt(b$t0[2])
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
    for (kind in rownames(all)) {
      errors <- apply(sapply(parts, function(one) one[kind, ]), 1, error)
      of_z <- kind == "z*"
      add(
        case, kind, of, level, all[kind, ],
        estimate = if (of_z) NA else b$t0[1], se = if (of_z) NA else sqrt(b$t0[2]), errors = errors
      )
    }
  }
  z0 <- function(b) qnorm(mean(b$t[, 1] < b$t0[1]))
  add(case, "bias", of, estimate = z0(b), errors = c(error(sapply(batches, z0)), NA))
  cat(case, "resamples with the mean of the scores:", sum(abs(b$t[, 1] - b$t0[1]) < 1e-12), "\n")
}

for (case in names(designs)) {
  scores <- everything[everything$case == case, ]
  a <- scores[scores$run == "a", ]
  b <- scores[scores$run == "b", ]
  stopifnot(a$collection == b$collection, a$topic == b$topic)
  group <- factor(a$collection)
  columns <- list(difference = a$score - b$score, a = a$score)
  for (of in names(columns)) {
    fixed(case, of, columns[[of]], group)
    random(case, of, columns[[of]], group)
  }
  meta(case, "difference", columns$difference, group)
  bootstrap(case, "difference", columns$difference, group)
}
writeLines(rows, file.path(folder, "collections.tsv"))
