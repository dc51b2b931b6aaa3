"""The lowest version that the package allows of each dependency, for pip: `make test-oldest`.

python -m tests.oldest > constraints.txt
pip install --constraint constraints.txt .
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
EXTRAS = (
    "plot",
    "dask",
    "parquet",
    "measures",
)  # for users; those for developers may be as new as they like


def constraints() -> list[str]:
    """Return `numpy==1.26` of `numpy>=1.26`, and so on."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in EXTRAS:
        wanted += project["optional-dependencies"][extra]
    return [lowest(one) for one in wanted]


def lowest(requirement: str) -> str:
    """Return the one version that fits, of a requirement that names the lowest and no other."""
    match = re.fullmatch(r"([A-Za-z0-9._-]+)>=([0-9.]+)", requirement)
    if match is None:
        raise ValueError(f"{requirement!r} names no lowest version")
    return f"{match[1]}=={match[2]}"


if __name__ == "__main__":
    print(*constraints(), sep="\n")
