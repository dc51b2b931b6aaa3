"""`make mutants` itself: it tells what tests notice from what they do not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


def run(folder: Path, *args: object) -> tuple[dict[str, str], str]:
    """Return what became of each mutant, and what was printed."""
    kept = folder / "outcomes.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation.run", "--keep", str(kept), "--jobs", "2",
         "--minutes", "0", *map(str, args)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    outcomes = json.loads(kept.read_text(encoding="utf-8"))
    assert done.returncode == int({*outcomes.values()} != {"killed"})
    return outcomes, done.stdout


@pytest.mark.slow
def test_what_tests_notice_and_what_they_do_not(tmp_path: Path) -> None:
    file = "stats/corrections.py"
    outcomes, out = run(tmp_path, "--only", file, "tests/stats/test_equivalence.py")
    assert {*outcomes.values()} == {"no test"}
    assert "tests notice 0.0%" in out
    # The test of Holm's correction notices what changes it, and does not call the others.
    names = tmp_path / "names.txt"
    names.write_text("\n".join(name for name in outcomes if "_holm_" in name or "_yek" in name))
    tests = "tests/stats/significance/test_references.py"
    test = f"{tests}::test_corrections_are_those_of_statsmodels[holm]"
    noticed, out = run(tmp_path, "--only", file, "--mutants", names, test)
    by_function = {
        function: {outcome for name, outcome in noticed.items() if function in name}
        for function in ("_holm_", "_yekutieli_")
    }
    assert "killed" in by_function["_holm_"]
    assert "no test" not in by_function["_holm_"]
    assert by_function["_yekutieli_"] == {"no test"}
    assert f"of {len(noticed)} mutants tried" in out
