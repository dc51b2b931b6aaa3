"""What the figures were measured on and with; no names of hosts, no paths."""

import os
import platform
import re
import shutil
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = (
    "confint-cli", "numpy", "scipy", "pytrec-eval-terrier", "ir_measures", "arch",
    "scikits.bootstrap", "numpyro",
)  # fmt: skip


def machine() -> str:
    """Return processor, cores, memory and system."""
    parts = [processor(), f"{os.cpu_count()} cores"]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        parts.append(f"{memory / 2**30:.0f} GB of memory")
    release = re.match(r"[0-9]+\.[0-9]+", platform.release())
    system = f"{platform.system()} {release[0]}" if release else platform.system()
    return ", ".join([*parts, f"{system} ({platform.machine()})"])


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the model of the processor."""
    if cpuinfo.exists():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()


def versions() -> str:
    """Return the versions of Python, of packages as far as they are installed, and of trec_eval."""
    found = [f"{platform.python_implementation()} {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
        if name == "numpy":
            found[-1] += f" ({blas()})"
    if shutil.which("trec_eval"):
        said = subprocess.run(
            ["trec_eval", "--version"], capture_output=True, text=True, check=False
        )
        numbers = re.findall(r"version ([0-9.]*[0-9])", said.stdout + said.stderr)
        found += [f"trec_eval {number}" for number in numbers]
    return ", ".join(found)


def blas() -> str:
    """Return the library with which numpy multiplies matrices."""
    import numpy as np

    library = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{library['name']} {library['version']}"


def today() -> str:
    return datetime.now(UTC).date().isoformat()
