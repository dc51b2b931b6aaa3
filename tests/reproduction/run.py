"""Published figures beside ours: writes docs/reproduction.md (`make reproduce`)."""

import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from confint_cli.stats.names import DERSIMONIAN_LAIRD, HARTUNG_KNAPP
from tests.reproduction import benham, flags, park, ranger, sakai, soboroff
from tests.reproduction.load import COLLECTIONS, DATA, METHODS, ROOT

INTRODUCTION = """\
# Reproduction

This page puts what six papers published beside what confint finds on the same scores. The papers
are about how often confidence intervals cover, how they compare with credible intervals, and how
much methods differ.

| paper | what comes out |
| --- | --- |
| Soboroff (2014) | his coverage, if confint repeats two slips of his program; his advice against \
bootstrap-t comes from one of them |
| Park (2010, 2011) | his errors, if all systems share their samples in some of the tables |
| Sakai (2017) | two of his three findings; the third seems to be about averages of the absolute Δ |
| Benham et al. (2019) | their findings; they give no figures |
| Sertkan et al. (2023) | their differences on six collections, and their combined effect; its \
significance depends on the method |

✓ marks a figure that comes out within Monte Carlo error: it is at most three standard errors of the
difference, and the rounding of the published figure, away. Where nothing is drawn, it is at most
the rounding away. ¹ marks a figure that does not come out, and is explained.

The papers resampled. Here, bootstrap intervals are the [ideal](ideal.md) ones, which have no
resamples, except where an experiment is repeated as a paper did it.

`make reproduce` writes this page from real data (`CONFINT_DATA`). The figures come from the
functions behind `confint coverage`, `confint compare`, `confint bayes` and `confint risk`;
`tests/reproduction/` has the recipes.
"""

CHANGED = """\
## What changed in 0.14.0

Until 0.13, confint drew as many resamples for bootstrap intervals as the papers did. With the ideal
bootstrap, the samples are the same, so what changes is due to the resamples only. Every figure that
was met before is still met, and the allowed error is the same. These are the largest changes, and
why:

- **Limits**: the median upper limit of bca on 50 topics, r = 10, 99.9% (Benham et al.): .7551 →
  .8292. For the median run, bca needs the 99.996% point of m\\*. Only four of 100,000 resamples are
  beyond it, so the limits of most runs were off by some percent. 40 of the 82 runs have limits
  below a gap from .767 to .829, the others above it: two runs on the other side move the median
  across the gap. Six seeds of 100,000 resamples give .750 to .804, and 3,000,000 resamples give
  .827. No other median changes by more than .0141, which is no more than between seeds.
- **Errors of five topics**: percentile, α = .20 (Park 2011): .3273 → .3305. Five topics have 126
  different resamples, with probabilities that are multiples of 1/3,125. 1,000 resamples blur these;
  30,000 give .3294. For 10 and 20 topics, no error changes by more than .0014.
- **Coverage**: means over a collection change by at most .0003 (percentile on TREC-8: .9369 →
  .9372), quartiles by at most .002. Most of this is chance: all runs shared their resamples, which
  made means uncertain by some .0007. P30 is the exception. Its thirds are printed as .3333. The
  ideal bootstrap takes them for thirds, so a limit that is the true mean on paper covers it. For
  P30 on TREC-8, percentile covers in .9389 with 5,000 resamples of the printed digits, in .9394
  with 5,000 resamples of thirds, and in .9399 with the ideal bootstrap of either; bca covers in
  .9435, .9442 and .9448.
- **Widths** of bootstrap-t are smaller, by .1% or .2% of the widths of t. Limits from 5,000
  resamples are too far out by about .1% on average, because a quantile is a convex function of its
  share.
- **W** of the bootstrap (Benham et al.) is nearer to 1: for r = 10 on 50 topics, .9950 → .9960. It
  is the W of 5,000 equally spaced quantiles. Before, it was that of 5,000 resamples, whose W is
  some .0004 below 1 even if they are normal. The paper draws W, and gives no figures.
"""

SOBOROFF = """\
## Soboroff, Computing Confidence Intervals for Common IR Measures, EVIA 2014

Each run has 1,000 samples of all topics, drawn with replacement; the level is 0.95. The paper has
5,000 resamples of each sample (bca: 2,000); here there are none.

Two slips in the published program show in its figures:

- Its **bootstrap-t** cuts α instead of α/2 from each tail, so it reports the coverage of 90%
  intervals.
- Its **t** interval divides by n where the standard deviation should divide by n-1.

'As published' is confint with the same slips, by the level that they amount to. 'confint' is what
`confint coverage` prints.

### Mean coverage over all runs and measures
"""

FIGURES = """\
### Figures 2 and 3: the boxes

The figures are quartiles of the coverage of the runs. The mark compares the published quartiles
with ours as published.

¹ Scores of P10 are so coarse that a limit is often the true mean itself. Such an interval covers
it; in the published program, rounding in the last bit decides. If ties were misses, the quartiles
would be .939 .944 .950, and the published ones are between these and ours. The other rows of P10
lean the same way. So do those of P30, whose limits are often the true mean except for rounding.
"""
TIE = 0.0003  # mean distances from .95 that differ by less are the same but for chance
EXPLAINED = {("trec8.adhoc", "P10", "bca"): "¹"}  # boxes outside Monte Carlo error

PARK_2010 = """\
## Park, Confidence Intervals for Information Retrieval Evaluation, ADCS 2010

The tables have Type I errors (1 - coverage) of 110 systems on the 249 topics of TREC 2004 Robust,
from 1,000 samples without replacement for each system. Each cell has three figures: the published
one, that of confint, and the mean and standard deviation of {seeds} repetitions of the experiment
as the paper seems to have done it.

Tables 1 to 4 fit samples that **all systems share**, although the paper does not say so. In Table
1, the errors of the systems have an SD of .010 at α = .5; if each system had samples of its own,
the SD could not be less than √(.5·.5/1000) = .016. Shared samples make the mean over systems as
uncertain as the figure of one system. That is why published means are several of *our* standard
errors off, and well within theirs. In confint, every run draws its own samples.

The scores that are standardised by five random systems (Tables 5 to 7) fit samples of their own, to
three digits in Table 7, if a system is **never among its own five**. Otherwise the width for n = 5
would be 3.37, not 3.46.
"""

PARK_2011 = """\
## Park, Bootstrap Confidence Intervals for Mean Average Precision, ASEARC 2011

The tables have mean Type I errors of the same systems, from 1,000 samples without replacement. The
cells are as above. The figures of confint are those of the ideal bootstrap. The experiment is
repeated as the paper did it, with shared samples and 1,000 resamples, so that published figures are
compared with what they are instances of.

Park does not say which quantile his percentile interval uses. His errors for it are higher than
those of the repetitions by .003 on average. They would be so with R's usual quantile, the
((B-1)p+1)-th value. That is well within his Monte Carlo error.
"""

TABLE_8 = """\
### Table 8: other collections, n = 5, five random systems (`--standardize 5 --method t`)

The paper repeats Table 5 on the 40 systems of TREC-3, which are not among our data. Each cell has
five figures, in this order:

1. the published one, of TREC-3
2. TREC-8 ad hoc, by average precision
3. TREC 2004 Robust (the 100 topics for which Soboroff has results), by average precision
4. TREC 2006 Terabyte, by average precision
5. NTCIR-7 IR4QA, by MSnDCG

Mean errors are near α on TREC-3 and Robust. On TREC-8, Terabyte and NTCIR-7 they are larger, and
those of single systems are much larger. Five systems are few: there are topics on which they hardly
differ, and a score far from theirs becomes an outlier there.

The second table has the mean errors at α = .05, and the largest in brackets. Standardised over 20
systems or all, 95% intervals of five topics miss in about 5% on all three TREC collections, as in
Table 4. On NTCIR-7, standardising helps little, with any number of systems.
"""


FLAGS = """\
## Which runs `confint describe` says to distrust

The note `skewed` of `confint describe` follows Cochran's rule (*Sampling Techniques*, 1977): with
more than 25·skewness² topics, no more than 6% of 95% t intervals miss.

The first table has the coverage of Soboroff's four collections again: of all runs and measures with
any variance, 1,000 samples each, so a single one is good to .7%. Its rows are ranges of the number
of topics that the rule asks for, as a share of the number that there are. Below 1, the rule is met,
and t covers nearly as it should. Above 1, t covers less, the larger the share is. There,
bootstrap-t is closest on average, although it fails where all others do.

In practice, only the skewness of the sample is known. The second table draws 1,000 samples of n
topics from every run (map, and MSnDCG of NTCIR-7). The rule judges each sample by its own skewness,
and the table counts how often its t interval covers. With fewer than 30 topics, the rule says
little, and t covers too rarely also for samples that pass it. So `describe` says nothing about
shape there.
"""


SAKAI = """\
## Sakai, The Probability That Your Hypothesis Is Correct, SIGIR 2017

The data are the best 20 runs of NTCIR-7 IR4QA by Q-measure on 97 topics, in all 190 pairs. In each
pair, S1 is the run with the better mean and S2 the other one; differences are S1 minus S2. The
table puts what `confint bayes` says beside the t test and its interval, and without pairing
(`--unpaired`) beside Welch's. Glass's Δ uses the standard deviation of S2. The paper has scatter
plots of these (Figure 5, A to D), and no figures.

Its first two findings come out:

- The probability that the worse run is truly the better one is nearly the one-sided p.
- Credible limits are nearly confidence limits.

Its third finding does not: that a small sample Δ, below .2 for example, tends to underestimate. The
EAP (the mean of the posterior) of this model is a little *nearer* to 0 than the sample's Δ for
every pair, large or small: by a factor of .992 without pairing, and of .988 to .997 with it.

What the paper shows comes out if |Δ| is averaged, not Δ. The average of |Δ| is larger than the
sample's Δ where this is small (here by up to .10, without pairing .12), and like it where it is
large. So the paper's effect sizes seem to be averages of |Δ|.

The paper's example fits that: a sample Δ of .070 with EAPs of .113 paired and .161 unpaired on 50
topics. It comes out if the standard deviation of S1 is .87 of that of S2 and the correlation is
.60. No correlation and no standard deviations take the EAP of Δ itself above .070.
"""


BENHAM = """\
## Benham, Carterette, Moffat and Culpepper, Taking Risks with Confidence, ADCS 2019

`confint risk --summary` on TREC 2004 Robust by AP compares the best three quarters of 109 runs with
one baseline, on every fifth topic (50) and on all 249. Some things differ from the paper:

| | paper | here |
| --- | --- | --- |
| resamples | 100,000 and 500,000 | none |
| every fifth topic | counts topic 672, which has no relevant document | does not, so the last \
five of the 50 are neighbours of the paper's |
| baseline | an untuned BM25 run that its authors made themselves, which was not submitted | \
NLPR04OKapi |
| second collection | TREC Common Core 2017 | not among our data |

The paper draws its results without giving figures. So what can be met is what the paper found, not
where its bars end.

Its findings come out. At r = 1, most runs are better than the baseline, or may be; at r = 10, most
are risky. From r = 2 on, the larger r is, the farther bootstrap limits are from those of t, and
more so at the higher level.

**Do the limits agree at 249 topics where they do not at 50?** From r = 2 on they come closer, but
they do not meet. They come closer by a factor of 2.3 or more, where the central limit theorem has
√5 for five times the topics. At r = 10, 95% limits of bootstrap-t differ from those of t by 33% of
a half-width on 50 topics (30% to 39% in the five samples that every fifth topic makes), and by 14%
on 249. 99.9% limits differ by 76% (61% to 78%) and 25%. Methods judge up to 36 of 82 runs
differently from t on 50 topics (risky, risk-free, or undecided), and up to 5 on 249.

Weighted differences of more topics are no more normal: the W of topics is about the same for 50 and
for 249 topics. What becomes more normal is the mean, and with it the W of its bootstrap (5,000
equally spaced quantiles of m*). That must be what Figure 3 of the paper shows.

The paper prefers the methods that it calls non-parametric, percentile and bca, with the caveat that
'there is no ground truth for a right or wrong statistical inference'. There is one if the 249
topics are taken for all topics that there are. For each of the 82 runs, 1,000 samples were drawn
from them with replacement; the mean over the runs is good to .1% or .2%. By how often 95% intervals
of samples of 50 cover the truth:

- For r = 5 and more, bootstrap-t is the method on these data.
- For r = 1 and 2, where skew is small, t is.
- percentile and bca are no better than t until r = 10, and only bca is then.

On 249 topics, all but basic cover 94% or more.
"""


RANGER = """\
## Sertkan, Althammer and Hofstätter, Ranger: A Toolkit for Effect-Size Based Multi-Task \
Evaluation, ACL 2023

The toolkit's notebook has the nDCG@10 of ColBERTer minus that of TAS-B on seven collections, and a
random-effects meta-analysis of these differences. For six collections, the rankings and the
judgements are among our data, so this command computes them anew:

```sh
confint compare --labels '{run}/{collection}.txt' -q 'qrels/{collection}.txt.gz' -m nDCG@10 \\
    --baseline tasb --meta colberter tasb
```

For robust04, there is only the published row.

All six differences are the published ones to the sixth decimal. The published intervals are
narrower than ours for two reasons:

- They take means as normal, where t allows for an estimated standard deviation.
- The published program divides by n where it should divide by n-1.

'As published' does so too, and meets all twelve limits. For 50 topics, our interval is wider by
3.6%, for 1,143 by .2%. Whether it contains 0 is the same on all six.
"""

RANGER_META = """\
### The combined effect

DerSimonian and Laird's meta-analysis of the seven published rows gives the published effect and
limits. It takes the variance between collections as known, although there are only seven
collections to estimate it from. Hartung and Knapp's meta-analysis allows for that, with the same
weights. Its interval is twice as wide, and contains 0. **The published significance depends on the
method.**
"""

RANGER_SIX = """\
### The six collections: is the result for new topics, or for new collections?

For new topics of these six collections (`--for-new topics`), ColBERTer is better beyond doubt. For
new collections like these six (`--for-new collections`), it need not be: the t interval of their
six differences, with 5 degrees of freedom, contains 0, and so does Hartung and Knapp's. DerSimonian
and Laird's, which uses no t, does not.

The effects differ, too. confint gives each collection the same weight; a meta-analysis gives less
weight to those whose difference is less certain. Here that is above all trec-covid, which has the
fewest topics and the largest difference: it counts .08 instead of .17.
"""

RANGER_COVERAGE = """\
### How often 95% intervals of the macro-average cover

Here, `confint coverage` takes these six collections, or their topics, for all that there are. It
draws 2,000 samples of each system, with seed 0, so a share of .95 is good to .005 (a standard
error). The third rows are about the topics' differences. `pooled-t` is the t interval of all topics
as if they were of one collection; `topics-t` is the one for new topics of the same collections.

For new topics, t covers as it should: the .9365 of colberter is low by chance; 20,000 samples give
.949. Pooled topics have another mean, because more than half of them are tripclick's, whose scores
are low.

For new collections, neither pooled-t nor topics-t is near .95. t covers both systems a little too
often, and their difference too rarely (.905 in 20,000 samples). Two of the six differences are far
larger than the others, and samples that lack these have intervals that are too low and too narrow.
Six collections are few.
"""


def table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a Markdown table whose first columns are flush left."""
    rule = ["---" if place < left else "---:" for place in range(len(header))]
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rule, *rows))


def number(value: float, digits: int) -> str:
    """Return `.938`, without the zero that says nothing."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def mark(agrees: bool) -> str:
    return "✓" if agrees else "–"


def means(boxes: Sequence[soboroff.Box]) -> str:
    rows = []
    for name in COLLECTIONS:
        for method in METHODS:
            own = [box for box in boxes if (box.collection, box.method) == (name, method)]
            found = [
                np.concatenate([getattr(box, kind) for box in own]).mean()
                for kind in ("published", "slipped", "ours")
            ]
            rows.append([name, method, *(number(value, 4) for value in found)])
    return table(("collection", "method", "published", "as published", "confint"), rows, left=2)


def advice(boxes: Sequence[soboroff.Box]) -> str:
    """Return the finding about bootstrap-t, with its figures."""
    rows, means, closest, ties = [], [], [], []
    for name in COLLECTIONS:
        own = {
            method: [box for box in boxes if (box.collection, box.method) == (name, method)]
            for method in METHODS
        }
        mean = {
            method: float(np.concatenate([box.ours for box in of]).mean())
            for method, of in own.items()
        }
        means.append(mean)
        distance = {
            method: float(np.abs(np.concatenate([box.ours for box in of]) - soboroff.LEVEL).mean())
            for method, of in own.items()
        }
        first, second, *_ = sorted(distance, key=lambda method: distance[method])
        closest.append(first)
        if distance[second] - distance[first] < TIE:
            off = " and ".join(number(distance[method], 4) for method in (first, second))
            ties.append(f"on {name} it is no closer than {second} ({off} off)")
        before = np.concatenate([box.published for box in own["bootstrap-t"]]).mean()
        width, of_t = (
            np.concatenate([box.width for box in own[method]]) for method in ("bootstrap-t", "t")
        )
        ratio = np.median(width[of_t > 0] / of_t[of_t > 0])
        rows.append([name, number(before, 4), *(number(mean[method], 4) for method in METHODS),
                     closest[-1], f"{ratio:.3f}", f"{np.isinf(width).mean():.1%}"])  # fmt: skip
    header = ("collection", "bootstrap-t before", *METHODS, "closest", "width, of t's",
              "unbounded")  # fmt: skip
    bootstrap_t = [mean["bootstrap-t"] for mean in means]
    others = [value for mean in means for method, value in mean.items() if method != "bootstrap-t"]
    assert min(bootstrap_t) > soboroff.LEVEL > max(others), "then the advice is another"
    where = [f"{method} on {closest.count(method)}" for method in dict.fromkeys(closest)]
    by_distance = (
        "'Closest' is the method whose coverage of a run and measure is nearest to .95, on "
        f"average: {'; '.join([', '.join(where) + ' of the four', *ties])}."
    )
    shortest = all(mean["percentile"] == min(mean.values()) for mean in means)
    assert shortest, "then the advice is another"
    return f"""\
### What this does to the paper's advice

The paper finds that bootstrap-t covers too rarely, and advises against it. That comes only from the
slip:

{table(header, rows)}
'Bootstrap-t before' is published; the other columns are confint's. 'Width' is the median over runs
and measures of bootstrap-t's mean width, as a share of the t interval's. 'Unbounded' is the share
of runs and measures with an infinite limit in some sample, as resamples of equal scores have.

At its true level, bootstrap-t covers in {span(bootstrap_t)}, on average over the runs and measures
of each of these four collections. The others cover in {span(others)}; percentile covers least on
each of the four. These are averages: of single runs, bootstrap-t covers some too rarely, too, above
all those that are zero on most topics ([more](#which-runs-confint-describe-says-to-distrust)).

{textwrap.fill(by_distance, 100, break_on_hyphens=False)}

[choosing.md](choosing.md#the-evidence) says which method to use, by these collections and others,
by fewer topics and for differences. What the paper says about runs that are zero on most topics
holds: there, no method works, and bootstrap-t shows it by an infinite limit.
"""


def span(values: Sequence[float]) -> str:
    return f"{min(values):.1%} to {max(values):.1%}"


def figures(boxes: Sequence[soboroff.Box]) -> str:
    rows = []
    for box in boxes:
        quartiles = [
            " ".join(number(value, 3) for value in box.quartiles(coverage))
            for coverage in (box.published, box.slipped, box.ours)
        ]
        which = (box.collection, box.measure, box.method)
        note = mark(box.agrees) if box.agrees else EXPLAINED.get(which, mark(box.agrees))
        rows.append([*which, str(len(box.runs)), *quartiles, note])
    header = ("collection", "measure", "method", "runs", "published", "as published", "confint", "")
    return table(header, rows, left=3)


def cells(found: Sequence[park.Figure], digits: int) -> list[str]:
    """Return `.040 .043 .042±.003 ✓` for each figure."""
    return [
        f"{number(one.published, digits)} {number(one.ours, digits)} "
        f"{number(one.repeated, digits)}±{number(one.spread, digits)} {mark(one.agrees)}"
        for one in found
    ]


def park_2010(found: dict[str, park.Outcome]) -> str:
    titles = {
        1: "AP, n = 5, σ known (`--method z`)",
        2: "AP, n = 5, σ unknown (`--method t`)",
        3: "AP standardised over all systems, n = 5, σ known (`--standardize all --method z`)",
        4: "AP standardised over all systems, n = 5, σ unknown (`--standardize all --method t`)",
        5: "AP standardised over five random systems, n = 5 (`--standardize 5 --method t`)",
    }
    parts = [PARK_2010.format(seeds=park.SEEDS)]
    for place, title in titles.items():
        rows = [
            [number(alpha, 2), *cells(own, 3)]
            for alpha, own in park.figures_2010(found, place).items()
        ]
        parts.append(f"### Table {place}: {title}\n\n{table(('α', 'mean', 'SD', 'max'), rows)}")
    sizes = [f"n = {size}" for size in park.SIZES_2010]
    rows = [[name, *cells(own, 3)] for name, own in park.figures_6(found).items()]
    parts.append(f"### Table 6: mean error at α = .05\n\n{table(('', *sizes), rows)}")
    width = [["sAP, five systems", *cells(park.figures_7(found), 3)]]
    parts.append(
        f"### Table 7: mean width of the interval at α = .05\n\n{table(('', *sizes), width)}"
    )
    parts.append(table_8(park.elsewhere()))
    return "\n".join(parts)


def table_8(found: dict[str, dict[str, park.Errors]]) -> str:
    """Return Table 8 beside the same on other collections, and by how many systems it takes."""
    published = park.published_errors("park2010")
    rows = []
    for place, alpha in enumerate(park.ALPHAS):
        own = np.array([errors["five"].of(0, place) for errors in found.values()])
        by_statistic = zip(published[8, alpha], own.T, strict=True)
        rows.append([
            number(alpha, 2),
            *(" ".join(number(value, 3) for value in (first, *others))
              for first, others in by_statistic),
        ])  # fmt: skip
    ways = [*next(iter(found.values()))]
    by_number = [
        [name, *(f"{number(mean, 3)} ({number(most, 3)})" for mean, _, most in
                 (errors[way].of(0, 0) for way in ways))]
        for name, errors in found.items()
    ]  # fmt: skip
    header = ("collection", *(f"by {way}" for way in ways))
    return "\n".join([TABLE_8, table(("α", "mean", "SD", "max"), rows), table(header, by_number)])


def distrusted(boxes: Sequence[soboroff.Box]) -> str:
    """Return how often intervals cover, by how skewed scores are for their number."""
    found = flags.flagged(boxes)
    spans = [*pairwise(flags.EDGES), (0.0, 1.0), (1.0, np.inf)]
    rows = []
    for low, high in spans:
        coverage = found.between(low, high)
        name = f"{low:g} to {high:g}" if high < np.inf else f"{low:g} and more"
        if (low, high) in spans[-2:]:
            name = f"**{name}**"
        rows.append([name, str(len(coverage)), *(f"{share:.1%}" for share in coverage.mean(axis=0)),
                     *(f"{share:.1%}" for share in coverage.min(axis=0))])  # fmt: skip
    lowest = [f"lowest, {method}" for method in METHODS]
    by_population = table(("25 skew²/topics", "runs and measures", *METHODS, *lowest), rows)
    own = [[str(size), *(f"{share:.1%}" for share in flags.by_own_skewness(size))]
           for size in flags.SIZES]  # fmt: skip
    header = ("topics", "samples flagged", "t covers, flagged", "t covers, not flagged")
    return by_population + "\n" + table(header, own)


def park_2011(found: dict[str, park.Outcome]) -> str:
    parts = [PARK_2011]
    for place, method in enumerate(("percentile", "bca", "logit"), start=1):
        rows = [
            [number(alpha, 2), *cells(own, 4)]
            for alpha, own in park.figures_2011(found, place).items()
        ]
        header = ("α", *(f"n = {size}" for size in park.SIZES_2011))
        parts.append(f"### Table {place}: `--method {method}`\n\n{table(header, rows)}")
    return "\n".join(parts)


def credible() -> str:
    """Return how far Bayesian and classical figures agree."""
    names = {
        "p": "P(S1 < S2 \\| D) and one-sided p",
        "low": "lower limits",
        "high": "upper limits",
        "glass": "Glass's Δ: EAP and sample",
    }
    rows = []
    for paired, kind in ((True, "paired"), (False, "unpaired")):
        found = sakai.both(paired=paired)
        for name, words in names.items():
            correlation, largest = found.agreement(name)
            rows.append([kind, words, number(correlation, 5), number(largest, 4)])
    return table(("pairs", "figures", "correlation", "largest difference"), rows, left=2)


def agreement() -> str:
    """Return how far limits are from t's, of 50 and of all topics."""
    samples = [benham.summary(first) for first in range(benham.EVERY)]
    every = benham.summary()
    rows = []
    for level in benham.LEVELS:
        for r in benham.RS:
            far = [benham.farthest(one, r, level) for one in (*samples, every)]
            most = [max(row.disagree for row in benham.of(one, r, level).values())
                    for one in (*samples, every)]  # fmt: skip
            shares = [f"{row.farthest:.0%}" for row in far]
            own = sorted(shares[:-1], key=lambda text: int(text[:-1]))
            rows.append([
                f"{level}", f"{r}", f"{shares[0]} ({far[0].method})", f"{own[0]} to {own[-1]}",
                f"{shares[-1]} ({far[-1].method})", f"{most[0]}", f"{min(most[:-1])} to "
                f"{max(most[:-1])}", f"{most[-1]}", number(far[0].shapiro_topics, 3),
                number(far[-1].shapiro_topics, 3), number(far[0].shapiro_bootstrap, 4),
                number(far[-1].shapiro_bootstrap, 4),
            ])  # fmt: skip
    header = ("level", "r", "farthest from t, 50 topics", "all five samples of 50", "249 topics",
              "runs judged differently, 50", "all five", "249", "W of topics, 50", "249",
              "W of bootstrap, 50", "249")  # fmt: skip
    return "### How far limits are from those of t\n\n" + table(header, rows, left=2)


def median_limits() -> str:
    """Return the numbers behind Figures 2 and 4."""
    rows = []
    both = benham.summary(0), benham.summary()
    for level in benham.LEVELS:
        for r in (benham.RS[0], benham.RS[-1]):
            for method in benham.METHODS:
                cells = []
                for one in (benham.of(rows_of, r, level)[method] for rows_of in both):
                    for median, notch in ((one.low, one.low_notch_low),
                                          (one.high, one.high_notch_low)):  # fmt: skip
                        cells.append(f"{number(median, 4)} ± {number(median - notch, 4)}")
                rows.append([f"{level}", f"{r}", method, *cells])
    header = ("level", "r", "method", "low, 50 topics", "high", "low, 249 topics", "high")
    title = "### Figures 2 and 4: medians of limits, with notches\n\n"
    return title + table(header, rows, left=3)


def risk_coverage() -> str:
    """Return how often intervals of URisk⁻ cover."""
    rows = [
        [f"{r}", f"{size}", *(f"{share:.1%}" for share in covered)]
        for r, size, covered in sorted(benham.coverage(), key=lambda one: one[:2])
    ]
    title = "### How often 95% intervals of URisk⁻ cover\n\n"
    return title + table(("r", "topics", *benham.METHODS), rows)


def limits(low: float, high: float, digits: int) -> str:
    return f"{number(low, digits)} to {number(high, digits)}"


def ranger_collections() -> str:
    """Return the published differences beside ours."""
    rows = []
    compared = ranger.compared()
    for name, published in ranger.published().items():
        if name == ranger.COMBINED:
            continue
        cells = [number(published.difference, 6), "", "", limits(published.low, published.high, 6),
                 "", "", ""]  # fmt: skip
        topics = ""
        if (name, "t") in compared:
            row = compared[name, "t"]
            theirs = ranger.as_published(row)
            topics = str(row.topics)
            cells[1:3] = number(row.difference, 6), mark(theirs.has_difference_of(published))
            cells[4:] = (limits(theirs.low, theirs.high, 6), mark(theirs.has_limits_of(published)),
                         limits(row.low, row.high, 6))  # fmt: skip
        rows.append([name, topics, *cells])
    header = ("collection", "topics", "published", "confint", "", "published interval",
              "as published", "", "confint (t)")  # fmt: skip
    return table(header, rows)


def ranger_meta() -> str:
    """Return the published combined effect beside what two methods make of the published rows."""
    published, found = ranger.published()[ranger.COMBINED], ranger.meta_of_published()
    rows = [["published", number(published.difference, 6), "",
             limits(published.low, published.high, 6), "", number(published.p, 4)]]  # fmt: skip
    for method in (DERSIMONIAN_LAIRD, HARTUNG_KNAPP):
        own = ranger.effect_of(found, method)
        marks = ["", ""]
        if method == DERSIMONIAN_LAIRD:
            marks = [mark(own.has_difference_of(published)), mark(own.has_limits_of(published))]
        rows.append([method, number(own.difference, 6), marks[0], limits(own.low, own.high, 6),
                     marks[1], number(own.p, 4)])  # fmt: skip
    return table(("method", "effect", "", "95% interval", "", "p"), rows)


def ranger_six() -> str:
    """Return what `confint compare` says of all six collections together."""
    rows = []
    for words, for_new, name, method in (
        ("new topics of these six", "topics", "macro", "t"),
        ("new collections like these six", "collections", "macro", "t"),
        ("meta-analysis", "topics", "meta", DERSIMONIAN_LAIRD),
        ("meta-analysis", "topics", "meta", HARTUNG_KNAPP),
    ):
        row = ranger.compared(for_new)[name, method]
        p = row.p["t"]
        rows.append([words, method, number(row.difference, 4), limits(row.low, row.high, 4),
                     "" if np.isnan(row.df) else f"{row.df:.3g}",
                     number(p, 4) if p >= 0.0001 else "< .0001"])  # fmt: skip
    return table(("for", "method", "difference", "95% interval", "df", "p"), rows, left=2)


def ranger_coverage(replicates: int = ranger.REPLICATES) -> str:
    """Return how often intervals of the macro-average cover."""
    methods = ("t", "topics-t", "pooled-t")
    rows = [
        [f"new {for_new}", name,
         *(number(covered[method], 4) if method in covered else "" for method in methods)]
        for for_new, name, covered in ranger.coverage(replicates)
    ]  # fmt: skip
    return table(("for", "mean of", *methods), rows, left=2)


def main() -> None:
    """Compute everything and write the page."""
    if not DATA.is_dir():
        sys.exit("make reproduce needs real evaluation data: set CONFINT_DATA to their folder")
    boxes: list[soboroff.Box] = []
    for name in COLLECTIONS:
        print(f"Soboroff 2014: {name}", flush=True)
        boxes += soboroff.boxes(name)
    print("Park 2010, 2011", flush=True)
    found = park.experiments()
    print("Sakai 2017, Benham et al. 2019, Sertkan et al. 2023", flush=True)
    text = "\n".join([
        INTRODUCTION, SOBOROFF, means(boxes), advice(boxes), FIGURES, figures(boxes),
        FLAGS, distrusted(boxes),
        park_2010(found), park_2011(found), SAKAI, credible(), BENHAM, agreement(),
        median_limits(), risk_coverage(),
        RANGER, ranger_collections(), RANGER_META, ranger_meta(), RANGER_SIX, ranger_six(),
        RANGER_COVERAGE, ranger_coverage(), CHANGED,
    ])  # fmt: skip
    page = ROOT / "docs" / "reproduction.md"
    page.write_text(text, encoding="utf-8")
    print(f"{page.relative_to(ROOT)}: {text.count('✓ |')} figures met, "
          f"{text.count('¹ |')} explained, {text.count('– |')} not met")  # fmt: skip


if __name__ == "__main__":
    main()
