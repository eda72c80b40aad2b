# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's own TBSA module, which ours hides where it is installed, and its own tests.

``python -m tests.garak_own CHECKOUT`` runs the tests of a checkout of garak with us and
without us: what differs must be listed here, and what is listed must differ.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from garak_tbsa.garak_api.detectors import garak_version
from tests.installed import REPOSITORY
from tests.older_garak import NEWEST, NotAvailableError, source_of


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


INTENDED_DIFFERENCES = {
    "tests/analyze/test_tbsa.py::test_tbsa_value_t2_OK": (
        "garak takes the Z grade of a Tier 2 pair alone (2.3 here); the documented"
        " formula takes the lower of both grades (1.0). GARAK_TBSA=garak gives 2.3"
    ),
    "tests/cli/test_cli.py::test_run_all_active_probes": (
        "the test wants `garak run complete` as the last line of a scan; our score"
        " follows it, so that it is what a user sees last. GARAK_TBSA=0 restores it"
    ),
    "tests/cli/test_cli.py::test_inactive_module_skipped_with_skip_unknown": (
        "as test_run_all_active_probes"
    ),
}
"""garak's own tests that fail while we are installed, and why."""

TESTED = ("tests/analyze", "tests/cli")
UNTOUCHED = """
import sys
sys.meta_path[:] = [
    each for each in sys.meta_path if "garak_tbsa" not in type(each).__module__
]
"""
"""A plugin of pytest that takes us out before garak is imported."""


class NoTestsError(Exception):
    """garak's tests are not at hand, or do not run."""


def outcomes(checkout: Path, *, is_untouched: bool) -> dict[str, bool]:
    """Run garak's own tests in a checkout; whether each passed.

    Parameters
    ----------
    checkout : Path
        Of garak.
    is_untouched : bool
        Whether garak is to run as if we were not installed.

    Raises
    ------
    NoTestsError
        No test was run.
    """
    with tempfile.TemporaryDirectory() as folder:
        results, plugin = Path(folder) / "results.xml", Path(folder) / "untouched.py"
        plugin.write_text(UNTOUCHED)
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={results}"]
        done = subprocess.run(
            [*command, *(("-p", plugin.stem) if is_untouched else ()), *TESTED],
            cwd=checkout,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((folder, str(REPOSITORY))),
                **{f"XDG_{name}_HOME": folder for name in ("DATA", "CONFIG", "CACHE")},
            },
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        cases = (
            ElementTree.parse(results).findall(".//testcase")
            if results.exists()
            else []
        )
    if not cases:
        said = (done.stdout + done.stderr).strip().splitlines() or ["nothing"]
        raise NoTestsError(f"{checkout}: no test was run: {said[-1]}")
    return {
        f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}": (
            case.find("failure") is None and case.find("error") is None
        )
        for case in cases
    }


def unintended(with_us: dict[str, bool], without_us: dict[str, bool]) -> list[str]:
    """What differs from :data:`INTENDED_DIFFERENCES`, a line each."""
    # a checkout of another release may lack a test
    intended = INTENDED_DIFFERENCES.keys() & with_us.keys()
    found = {test for test in with_us if not with_us[test] and without_us.get(test)}
    return [
        f"{test}: fails while we are installed, which is not intended"
        for test in sorted(found - intended)
    ] + [
        f"{test}: no longer differs; take it out of INTENDED_DIFFERENCES"
        for test in sorted(intended - found)
        # where it fails either way, as without a network, nobody can tell
        if with_us[test] or without_us.get(test)
    ]


def checkout_of(arguments: list[str]) -> Path:
    """Return the folder with garak's tests: one that is given, or the sdist's.

    Raises
    ------
    NoTestsError
        It has none.
    """
    folder = Path(arguments[0]) if arguments else source_of(NEWEST)
    lacking = [each for each in TESTED if not (folder / each).is_dir()]
    if lacking:
        what = folder if arguments else f"the sdist of garak {NEWEST}"
        raise NoTestsError(
            f"{what} has no {lacking[0]}; give a checkout of garak's repository:"
            " make test-garak GARAK=FOLDER"
        )
    return folder


def main() -> int:
    """Hold garak's own tests of what we serve against the intended differences."""
    if len(sys.argv) > 2:
        print("usage: python -m tests.garak_own [CHECKOUT]", file=sys.stderr)
        return 2
    try:
        checkout = checkout_of(sys.argv[1:])
        without_us = outcomes(checkout, is_untouched=True)
        with_us = outcomes(checkout, is_untouched=False)
    except (NoTestsError, NotAvailableError) as error:
        print(error, file=sys.stderr)
        return 1
    for test in sorted(test for test, passed in without_us.items() if not passed):
        what = "fails without us alone" if with_us.get(test) else "fails without us too"
        print(f"{what}: {test}")
    for test, reason in INTENDED_DIFFERENCES.items():
        print(f"differs on purpose: {test}\n  {reason}")
    found = unintended(with_us, without_us)
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
