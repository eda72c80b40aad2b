# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The Azure pipeline: its scripts taken out and run, in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.ci.local_runner import ROOT
from tests.ci.shell import Machine

if TYPE_CHECKING:
    from pathlib import Path

PIPELINE = yaml.safe_load((ROOT / "ci" / "azure-pipelines.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = PIPELINE["steps"]
SCRIPTS = [step for step in STEPS if "bash" in step]
MACRO = re.compile(r"\$\(([\w.]+)\)")
EVEN_THEN = "succeededOrFailed()"


def run(machine: Machine, **variables: str) -> tuple[bool, str]:
    """Run the steps; return whether the job succeeds, and the log."""
    known = {
        **PIPELINE["variables"],
        "Pipeline.Workspace": str(machine.folder),
        **variables,
    }
    passed, log = True, ""
    for step in SCRIPTS:
        if not passed and step.get("condition") != EVEN_THEN:
            continue
        own = {
            name: MACRO.sub(lambda found: known[found[1]], value)
            for name, value in step.get("env", {}).items()
        }
        done = machine.run(step["bash"], own)
        log += done.stdout
        ignored = step.get("continueOnError", False)
        passed = passed and (done.returncode == 0 or ignored)
    return passed, log


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_scripts_are_scripts_that_hold_no_macro(machine: Machine) -> None:
    """Azure puts ``$(...)`` into a script before a shell reads it."""
    assert len(SCRIPTS) == 5
    for step in SCRIPTS:
        assert machine.checks(step["bash"]) == ""
        assert not MACRO.search(step["bash"])
        named = set(re.findall(r"\$(\w+)", step["bash"]))
        assert named == {*step.get("env", {}), *(named & {"PWD"})}


def test_a_scan_that_passes_is_the_next_baseline(machine: Machine) -> None:
    passed, log = run(machine, tier1Grade="1")
    assert passed, log
    assert "no baseline yet" in log
    summary = f"{machine.work}/garak-tbsa/score.md"
    assert f"##vso[task.uploadsummary]{summary}" in log.splitlines()
    (results,) = (
        step["inputs"]["testResultsFiles"]
        for step in STEPS
        if step.get("task") == "PublishTestResults@2"
    )
    ElementTree.fromstring(machine.file(results))
    again, log = run(machine, tier1Grade="1")
    assert again, log
    assert "no baseline yet" not in log


def test_a_scan_that_does_not_pass_is_told_and_is_no_baseline(machine: Machine) -> None:
    passed, log = run(machine, tier1Grade="5")
    assert not passed
    assert "##vso[task.uploadsummary]" in log
    assert not (machine.folder / "baseline").exists()


def test_what_is_read_is_what_the_cache_holds() -> None:
    (cache,) = (step for step in STEPS if step.get("task") == "Cache@2")
    path = cache["inputs"]["path"]
    users = [
        step["env"]["BASELINE"] for step in SCRIPTS if "BASELINE" in step.get("env", {})
    ]
    assert users == [path, path]
    first, *_ = cache["inputs"]["restoreKeys"].splitlines()
    assert cache["inputs"]["key"].startswith(first)
