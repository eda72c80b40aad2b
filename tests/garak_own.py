# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's own TBSA module, which ours hides where it is installed, and its own tests.

``python -m tests.garak_own CHECKOUT`` runs the tests of a checkout of garak.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from garak_tbsa.garak_api.detectors import garak_version


def garak_folder() -> Path:
    """Return the folder of the garak that is imported."""
    import garak

    return Path(garak.__file__).parent


needs_garak_017 = pytest.mark.skipif(
    garak_version().split(".")[:2] < ["0", "17"],
    reason="older garak, as on Python 3.10, has fewer detectors and reads no metrics",
)


@lru_cache(maxsize=1)
def own_module() -> ModuleType:
    """Return garak's own ``garak/analyze/tbsa.py``, loaded by its path."""
    path = garak_folder() / "analyze" / "tbsa.py"
    spec = importlib.util.spec_from_file_location("garaks_own_tbsa", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def own_result(report: str | Path) -> tuple[float, str, int] | None:
    """Return what garak's own module makes of a report, None where it stops."""
    digest: dict[str, Any] | None = None
    try:
        for line in Path(report).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["entry_type"] == "digest":
                digest = row
                break
        if digest is None:
            return None
        result: tuple[float, str, int] = own_module().digest_to_tbsa(digest, quiet=True)
    except Exception:
        # whatever it stops with, the user sees no number
        return None
    return result


INTENDED_DIFFERENCES = {
    "tests/analyze/test_tbsa.py::test_tbsa_value_t2_OK": (
        "garak takes the Z grade of a Tier 2 pair alone (2.3 here); the documented"
        " formula takes the lower of both grades (1.0). --formula garak gives 2.3"
    ),
    "tests/cli/test_cli.py::test_run_all_active_probes": (
        "the test wants `garak run complete` as the last line of a scan; our score"
        " follows it, so that it is what a user sees last. GARAK_TBSA=0 restores it"
    ),
    "tests/cli/test_cli.py::test_run_all_active_detectors": (
        "as test_run_all_active_probes, where the probe's tier counts"
    ),
}
"""garak's own tests that fail, or may fail, while we are installed, and why."""


def main() -> int:
    """Run garak's own tests of what we touch."""
    if len(sys.argv) != 2:
        print("usage: python -m tests.garak_own CHECKOUT", file=sys.stderr)
        return 2
    left_out = [f"--deselect={test}" for test in INTENDED_DIFFERENCES]
    for test, reason in INTENDED_DIFFERENCES.items():
        print(f"left out: {test}\n  {reason}")
    command = [sys.executable, "-m", "pytest", "-q", "tests/analyze", "tests/cli"]
    return subprocess.run(
        [*command, *left_out], cwd=sys.argv[1], check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
