# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A gate fails where what judges it cannot be imported; without one, garak goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.behaviour.garak_runs import CASE, garak, many, our_errors, small_scan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.behaviour.product import Shown

BREAKING = """
import os, sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["{case}"]:
            raise ImportError("broken for a test")
# the process that scores is a Python with -c
if {everywhere} or sys.argv[:1] == ["-c"]:
    sys.meta_path.insert(0, Broken())
"""
BROKEN = "ImportError: broken for a test"
IN_ALL_PROCESSES = {
    "numpy": "it was not judged, because garak stopped with ImportError",
    "garak_tbsa.gates.options": "the installed garak-tbsa is damaged",
    "garak_tbsa.garak_api.scan": BROKEN,
}
IN_OURS = ("numpy", "garak_tbsa.gates.verdict", "garak_tbsa.gates.options")
UNGATED = "garak_tbsa.garak_files.report"


def breaking(folder: Path, *, everywhere: bool) -> dict[str, str]:
    """Environment variables with which the module that a case names is broken."""
    (folder / "run.yaml").write_text("reporting: {tbsa: {fail_under: 1}}\n")
    first = folder / "first"
    first.mkdir()
    program = BREAKING.format(case=CASE, everywhere=everywhere)
    (first / "sitecustomize.py").write_text(program)
    return {"PYTHONPATH": str(first)}


@pytest.mark.parametrize("module", IN_ALL_PROCESSES)
def test_a_gate_fails_in_one_line_without_a_module(module: str, tmp_path: Path) -> None:
    settings = breaking(tmp_path, everywhere=True) | {CASE: module}
    shown = garak(tmp_path, *small_scan(), "--config", "run.yaml", settings=settings)
    assert shown.code == 3, shown
    (line,) = our_errors(shown)
    assert "the gate" in line
    assert IN_ALL_PROCESSES[module] in line


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shown]:
    """Scans whose score is made in processes that lack a module."""
    folder = tmp_path_factory.mktemp("broken")
    settings = breaking(folder, everywhere=False)
    cases = {
        module: [*small_scan(module), "--config", "run.yaml"] for module in IN_OURS
    }
    return many(folder, cases | {UNGATED: small_scan()}, settings=settings)


@pytest.mark.parametrize("module", IN_OURS)
def test_a_gate_fails_where_the_process_that_scores_lacks_a_module(
    module: str, runs: dict[str, Shown]
) -> None:
    assert "garak run complete in" in runs[module].out
    assert runs[module].code == 3
    (line,) = our_errors(runs[module])
    assert f"{BROKEN} while " in line
    assert "; the gate fails, because it was not judged; " in line


def test_a_scan_without_a_gate_goes_on(runs: dict[str, Shown]) -> None:
    shown = runs[UNGATED]
    assert "garak run complete in" in shown.out
    assert shown.code == 0
    (line,) = our_errors(shown)
    assert "the gate" not in line
