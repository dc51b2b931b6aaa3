"""Names that people know from other tools and try before they read the help: what they mean here.

Commands, options, their values, methods, tests and columns of results have such names.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from confint_cli.common.errors import CallError
from confint_cli.common.text import did_you_mean, quoted

BOOTSTRAP = "bootstrap"  # not a method, but a kind of methods


@dataclass(frozen=True)
class Guess:
    """Words that people type, and the name that they mean by each of them."""

    typed: str  # separated by blanks
    meant: str  # the guess is made only where there is such a name; empty: everywhere
    hint: str = ""  # what to say instead of `did you mean …?`
    complement: bool = False  # the values of the option that is typed and the one meant add up to 1

    @property
    def said(self) -> str:
        """The hint to show."""
        return self.hint or f"did you mean {self.meant}?"


# Guesses by the kind of name or, for the value of an option, by that option.
GUESSES = {
    "command": (
        Guess("ci cis conf confidence mean means bootstrap", "interval"),
        Guess("test", "compare", "did you mean compare? 'confint tests' lists the tests"),
        Guess("ttest t-test significance sig diff difference differences pvalue p-value paired "
              "pairwise randomization permutation wilcoxon tukey anova", "compare"),
        Guess("eval evaluate evaluation trec-eval treceval scores", "score"),
        Guess("power samplesize sample-size topics design", "plan"),
        Guess("ranking rankings ranks leaderboard standings order", "rank"),
        Guess("standardise standardisation standardization normalize normalise zscore z-score",
              "standardize"),
        Guess("stats statistics distribution info show explore histogram", "describe"),
        Guess("simulate simulation sim calibration", "coverage"),
        Guess("bayesian posterior credible", "bayes"),
        Guess("robustness urisk trisk georisk", "risk"),
        Guess("html page web webpage dashboard", "report"),
        Guess("published meta", "summary"),
        Guess("metrics metric", "measures"),
        Guess("plot figure draw chart", "",
              "'confint interval', 'confint compare' and others draw a figure with --plot FILE"),
        Guess("version", "", "'confint --version' shows the version"),
    ),
    "option": (
        Guess("--alpha --significance --significance-level --sig-level", "--level",
              complement=True),
        Guess("--beta", "--power", complement=True),
        Guess("--confidence --confidence-level --conf --conf-level --ci --ci-level --clevel",
              "--level"),
        Guess("--correction --adjust --adjustment --p-adjust --padjust --p-adjust-method "
              "--p-correction --multiple --multiple-testing --multiple-comparisons", "--correct"),
        Guess("--bonferroni", "--correct", "did you mean --correct bonferroni?"),
        Guess("--holm", "--correct", "did you mean --correct holm?"),
        Guess("--bh --fdr", "--correct", "did you mean --correct bh?"),
        Guess("--by", "--correct", "did you mean --correct by?"),
        Guess("--metric --metrics --eval-metric", "--measure"),
        Guess("--bootstrap --bootstraps --bootstrap-samples --n-boot --nboot --n-bootstrap "
              "--n-bootstraps --n-resamples --iterations --n-iter --iter --reps --permutations "
              "--n-permutations --samples --n-samples --trials --draws", "--resamples"),
        Guess("--resamples --iterations --n-iter --samples --n-samples --nsamples", "--draws"),
        Guess("--random-state --random-seed --rng --rng-seed", "--seed"),
        Guess("--threads --workers --n-workers --processes --n-jobs --cores --cpus --parallel -j",
              "--jobs"),
        Guess("--cluster --scheduler --dask", "--executor"),
        Guess("--reference --control --ref --base --against", "--baseline"),
        Guess("--pairs --pairwise --all-vs-all", "--all-pairs"),
        Guess("--paired", "--unpaired",
              "runs are paired by their topics unless you give --unpaired"),
        Guess("--independent --welch --two-sample", "--unpaired"),
        Guess("--statistical-test --stat-test --significance-test --tests", "--test"),
        Guess("--ttest --t-test", "--test", "did you mean --test t?"),
        Guess("--permutation --randomization --randomisation", "--test",
              "did you mean --test randomization?"),
        Guess("--wilcoxon", "--test", "did you mean --test wilcoxon?"),
        Guess("--tukey --hsd --tukey-hsd", "--test", "did you mean --test tukey?"),
        Guess("--ci-method --interval --interval-method --methods", "--method"),
        Guess("--qrel --judgements --judgments --relevance --gold --ground-truth", "--qrels"),
        Guess("--runs --run --files --file --input --inputs --run-files -i",
              "FILES", "give FILES without an option"),
        Guess("--output-format --out-format --to", "--format"),
        Guess("--out --outfile --out-file --output-file --save", "--output"),
        Guess("--decimals --precision --round --places", "--digits"),
        Guess("--sort-by --order --order-by", "--sort"),
        Guess("--column --cols --col --fields --field --select", "--columns"),
        Guess("--figure --fig --chart --graph", "--plot"),
        Guess("--relevance-level --rel-threshold --relevance-threshold --min-rel --cutoff-rel -l",
              "--rel-level"),
        Guess("--complete -c", "--missing", "did you mean --missing zero? it is the default"),
        Guess("--topic --queries --query-ids --qids --subset", "--topics"),
        Guess("--silent --no-warnings", "--quiet"),
        Guess("--debug --info", "--verbose"),
        Guess("--width --moe --margin-of-error", "--half-width"),
        Guess("--tost --equivalence --non-inferiority --noninferiority --sesoi", "--margin"),
        Guess("--gate --fail-on --exit-code --assert", "--fail-if"),
        Guess("--effect --delta --mde --diff", "--difference"),
        Guess("--stdev --std --stddev", "--sd"),
        Guess("--size --topics-per-sample", "--sample-size"),
    ),
    "--format": (
        Guess("md mdown gfm", "markdown"),
        Guess("tex", "latex"),
        Guess("txt text plain pretty terminal", "table"),
        Guess("xlsx xls excel spreadsheet", "csv"),
        Guess("tab tabs", "tsv"),
        Guess("ndjson json-lines", "jsonl"),
        Guess("html htm web", "", "'confint report' writes a web page"),
    ),
    "--correct": (
        Guess("fdr fdr-bh benjamini-hochberg benjamini", "bh"),
        Guess("fdr-by benjamini-yekutieli yekutieli", "by"),
        Guess("holm-bonferroni bonferroni-holm", "holm"),
        Guess("no off raw", "none"),
    ),
    "--missing": (
        Guess("0 zeros", "zero"),
        Guess("skip omit ignore remove", "drop"),
        Guess("fail raise", "error"),
    ),
    "--sort": (
        Guess("score best", "mean"),
        Guess("given order file files none", "input"),
    ),
    "method": (
        Guess("bootstrap boot bootstrapping bs resampling resample", BOOTSTRAP),
        Guess("normal gaussian student students-t student-t ttest t-test t-interval", "t"),
        Guess("quantile perc", "percentile"),
        Guess("reverse-percentile pivotal empirical", "basic"),
        Guess("bc bc-a accelerated", "bca"),
        Guess("studentized studentised boott boot-t", "bootstrap-t"),
        Guess("binomial proportion", "wilson"),
        Guess("simultaneous", "", "'confint compare --simultaneous' gives max-t intervals"),
        Guess("bayes bayesian", "", "'confint bayes' gives credible intervals"),
    ),
    "test": (
        Guess("anova two-way-anova f f-test", "tukey"),
        Guess("bootstrap", "randomization"),
        Guess("sign", "wilcoxon"),
        Guess("mann-whitney mannwhitney rank-sum ranksum", "wilcoxon",
              "did you mean wilcoxon? runs are paired by their topics"),
        Guess("welch", "t", "--unpaired gives Welch's t test"),
    ),
    "column": (
        Guess("all *", "", "without --columns, confint writes all columns"),
        Guess("p-best", "first_share"),  # as it was called before 0.11
        Guess("marginal-rank-low", "own_rank_low"),
        Guess("marginal-rank-high", "own_rank_high"),
        Guess("system model name", "run"),
        Guess("metric", "measure"),
        Guess("query qid query-id topic-id", "topic"),
        Guess("n num-q n-topics queries", "topics"),
        Guess("value", "score"),
        Guess("lower ci-low ci-lower lower-bound", "low"),
        Guess("upper ci-high ci-upper upper-bound", "high"),
        Guess("std stdev stddev", "sd"),
        Guess("stderr sem", "se"),
        Guess("diff delta", "difference"),
        Guess("p pvalue p-value pval", "p_t"),
        Guess("p-holm p-corrected p-adj padj", "p_adjusted"),
        Guess("gz cohens-d cohen-d dz", "hedges_gz"),
        Guess("g", "hedges_g"),
        Guess("glass", "glass_delta"),
        Guess("urisk", "urisk_minus"),
    ),
}  # fmt: skip


def guess(kind: str, typed: str, known: Collection[str]) -> Guess | None:
    """Return the guess at an unknown name that means one of the `known` ones, or None."""
    word = typed.strip().lower().replace("_", "-")
    return next(
        (
            candidate
            for candidate in GUESSES.get(kind, ())
            if word in candidate.typed.split() and (not candidate.meant or candidate.meant in known)
        ),
        None,
    )


def hint_for(kind: str, typed: str, known: Iterable[str]) -> str:
    """Return a hint about an unknown name: the known one that it may mean, and a list of these."""
    names = list(known)
    guessed = guess(kind, typed, names)
    if guessed is not None and guessed.hint:
        return guessed.hint
    return did_you_mean(typed if guessed is None else guessed.meant, names)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> CallError:
    """Return the error for an unknown name that the user typed; it names the nearest known one."""
    return CallError(f"no {kind} is called {quoted(name)}", hint_for(kind, name, known))
