"""Make posterior.tsv: Sakai's model sampled by NUTS, in numpyro, for pairs of real runs.

Needs numpyro and CONFINT_DATA, and takes half an hour:

    .venv/bin/python -m pip install --editable '.[nuts]'
    .venv/bin/python -m tests.reference.posterior

The model is that of Sakai (2017): scores of two runs are bivariate normal (`paired`) or independent
normal, priors are flat on means, standard deviations and correlation. A row has the numbers of
topics, means, standard deviations and correlation of the two runs, all that the posterior depends
on, and what NUTS gives for one quantity; `_error` is the standard error of a figure, from its
spread over chains.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.reference.boot_ci import scores_of

if TYPE_CHECKING:
    from numpyro.infer import MCMC

CHAINS, WARM_UP, DRAWS = 16, 1_000, 24_000
LEVEL = 0.95
THRESHOLDS = {"difference": 0.0, "glass_baseline": 0.2, "glass_run": 0.2, "correlation": 0.9}
FIGURES = ("eap", "sd", "low", "high", "probability")
STATISTICS = ("topics", "baseline_topics", "mean", "baseline_mean", "run_sd", "baseline_sd", "r")


@dataclass(frozen=True)
class Pair:
    collection: str
    measure: str
    run: str
    baseline: str
    every: int = 1  # use every so many topics
    paired: bool = True
    baseline_every: int = 1  # the same of the baseline, if they are not paired

    @property
    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """The scores of the run and of the baseline."""
        own, other = (
            scores_of(f"soboroff2014/{self.collection}/{name}.eval", self.measure)
            for name in (self.run, self.baseline)
        )
        return own[:: self.every], other[:: self.every if self.paired else self.baseline_every]


PAIRS = (
    # correlation low, middling, very high; 20, 50 and 97 topics
    Pair("ntcir7.ir4qa", "Q_1000", "run7", "run33", every=5),
    Pair("ntcir7.ir4qa", "Q_1000", "run7", "run24", every=5),
    Pair("ntcir7.ir4qa", "Q_1000", "run22", "run21", every=5),
    Pair("trec8.adhoc", "map", "cirtrc82", "AntHoc1"),
    Pair("trec8.adhoc", "map", "tno8d3", "CL99SDopt2"),
    Pair("trec8.adhoc", "map", "pir9Attd", "pir9Atd0"),
    Pair("trec8.adhoc", "map", "Dm8TFidf", "Dm8TFbn"),
    Pair("trec8.adhoc", "P10", "surffal2", "pir9Aa1"),
    Pair("ntcir7.ir4qa", "Q_1000", "run7", "run31"),
    Pair("ntcir7.ir4qa", "Q_1000", "run7", "run22"),
    Pair("ntcir7.ir4qa", "Q_1000", "run34", "run31"),
    Pair("ntcir7.ir4qa", "Q_1000", "run7", "run24", every=5, paired=False, baseline_every=1),
    Pair("trec8.adhoc", "map", "tno8d3", "CL99SDopt2", paired=False, baseline_every=5),
)


def sampler(
    own: np.ndarray,
    other: np.ndarray,
    *,
    paired: bool,
    number: int = DRAWS,
    warm_up: int = WARM_UP,
    chains: int = CHAINS,
) -> "MCMC":
    """Return what draws from the posterior."""
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist
    from numpyro.infer import MCMC, NUTS, init_to_value

    numpyro.enable_x64()
    real, positive = dist.constraints.real, dist.constraints.positive

    def model() -> None:
        mu = numpyro.sample("mu", dist.ImproperUniform(real, (), (2,)))
        sigma = numpyro.sample("sigma", dist.ImproperUniform(positive, (), (2,)))
        if paired:
            rho = numpyro.sample("rho", dist.Uniform(-1, 1))
            below = jnp.array([rho * sigma[1], sigma[1] * jnp.sqrt((1 - rho) * (1 + rho))])
            root = jnp.stack([jnp.array([sigma[0], 0.0]), below])
            both = jnp.stack([own, other], axis=1)
            numpyro.sample("both", dist.MultivariateNormal(mu, scale_tril=root), obs=both)
        else:
            numpyro.sample("own", dist.Normal(mu[0], sigma[0]), obs=own)
            numpyro.sample("other", dist.Normal(mu[1], sigma[1]), obs=other)

    start = {
        "mu": np.array([own.mean(), other.mean()]),
        "sigma": np.array([own.std(), other.std()]),
    }
    if paired:
        start["rho"] = np.corrcoef(own, other)[0, 1]
    kernel = NUTS(model, init_strategy=init_to_value(values=start), dense_mass=True)
    return MCMC(kernel, num_warmup=warm_up, num_samples=number, num_chains=chains,
                chain_method="vectorized", progress_bar=False)  # fmt: skip


def quantities(drawn: "MCMC") -> dict[str, np.ndarray]:
    """Return the quantities, [chain, draw], that were drawn."""
    found = {key: np.asarray(x) for key, x in drawn.get_samples(group_by_chain=True).items()}
    difference = found["mu"][..., 0] - found["mu"][..., 1]
    named = {
        "difference": difference,
        "glass_baseline": difference / found["sigma"][..., 1],
        "glass_run": difference / found["sigma"][..., 0],
    }
    return named | ({"correlation": found["rho"]} if "rho" in found else {})


def figures(values: np.ndarray, threshold: float) -> list[float]:
    """Return EAP, posterior SD, credible limits and probability of a quantity."""
    limits = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return [values.mean(), values.std(), *limits, (values > threshold).mean()]


def main() -> None:
    import jax

    names = ("collection", "measure", "run", "baseline", "paired", *STATISTICS, "quantity",
             "threshold", *FIGURES, *(f"{name}_error" for name in FIGURES))  # fmt: skip
    lines = ["\t".join(names)]
    for seed, pair in enumerate(PAIRS):
        own, other = pair.samples
        r = np.corrcoef(own, other)[0, 1] if pair.paired else np.nan
        known = (len(own), len(other), own.mean(), other.mean(), own.std(ddof=1),
                 other.std(ddof=1), r)  # fmt: skip
        nuts = sampler(own, other, paired=pair.paired)
        nuts.run(jax.random.PRNGKey(seed))
        for quantity, values in quantities(nuts).items():
            threshold = THRESHOLDS[quantity]
            by_chain = np.array([figures(chain, threshold) for chain in values])
            errors = by_chain.std(axis=0, ddof=1) / np.sqrt(len(by_chain))
            row = (pair.collection, pair.measure, pair.run, pair.baseline, int(pair.paired),
                   *(repr(float(number)) for number in known), quantity, threshold,
                   *(f"{number:.8g}" for number in figures(values.reshape(-1), threshold)),
                   *(f"{number:.2g}" for number in errors))  # fmt: skip
            lines.append("\t".join(map(str, row)))
            print(lines[-1], flush=True)
    path = Path(__file__).with_suffix(".tsv")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
