# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The Jenkinsfile: its scripts taken out and run, in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tests.ci.local_runner import ROOT
from tests.ci.shell import Machine

if TYPE_CHECKING:
    from pathlib import Path

TEXT = (ROOT / "ci" / "Jenkinsfile").read_text("utf-8")
SCRIPTS = re.findall(r"stage\('(\w+)'\) \{\s*steps \{\s*sh '''(.*?)'''", TEXT, re.S)
ENVIRONMENT = dict(re.findall(r"^    (TBSA_\w+) = '([^']*)'", TEXT, re.M))
REPORT = "scan.report.jsonl"


def shell_text(script: str) -> str:
    """What Groovy makes of a text in three quotes: a backslash takes the next one."""
    # a backslash before a line end joins the lines, which the shell does as well
    assert set(re.findall(r"\\(.)", script, re.S)) <= {"\n"}
    return script.replace("\\\n", "")


def run(machine: Machine, **variables: str) -> tuple[int, str]:
    scripts = (shell_text(script) for _, script in SCRIPTS)
    # Jenkins runs sh -xe
    return machine.run_all(scripts, {**ENVIRONMENT, **variables}, shell="sh")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_every_script_is_taken_out(machine: Machine) -> None:
    assert [name for name, _ in SCRIPTS] == ["Install", "Scan", "Score"]
    assert TEXT.count("sh '''") == len(SCRIPTS)
    # in double quotes Groovy would put its own values into a script
    assert 'sh "' not in TEXT
    assert TEXT.count("{") == TEXT.count("}")
    assert TEXT.count("(") == TEXT.count(")")
    for _, script in SCRIPTS:
        assert machine.checks(shell_text(script), shell="sh") == ""


def test_scripts_name_variables_that_there_are() -> None:
    used = {name for _, s in SCRIPTS for name in re.findall(r"\$(\w+)", s)}
    assert used == {*ENVIRONMENT, "PWD"}


def test_the_first_build_has_no_baseline_and_passes(machine: Machine) -> None:
    code, log = run(machine, TBSA_REQUIRE_TIER1_GRADE="1")
    assert code == 0, log
    assert "no baseline yet" in log
    assert machine.calls.read_text().splitlines() == [
        "python -m venv .venv",
        "python -m pip install --quiet garak garak-tbsa",
        f"python -m garak --config scan.yaml --report_prefix {machine.work}/scan",
    ]
    for path in re.findall(r"testResults: '([^']*)'", TEXT):
        ElementTree.fromstring(machine.file(path))
    (folder,) = re.findall(r"reportDir: '([^']*)'", TEXT)
    (page,) = re.findall(r"reportFiles: '([^']*)'", TEXT)
    assert machine.file(f"{folder}/{page}").startswith("<!doctype html>")


def test_a_later_build_is_held_against_the_last_one(machine: Machine) -> None:
    (kept,) = re.findall(r"filter: '([^']*)'", TEXT)
    assert f"--baseline {kept} " in TEXT
    assert run(machine, TBSA_REQUIRE_TIER1_GRADE="1")[0] == 0
    assert (machine.work / kept).exists()
    code, log = run(machine, TBSA_REQUIRE_TIER1_GRADE="1")
    assert code == 0, log
    assert "no baseline yet" not in log


def test_a_scan_that_does_not_pass_fails_the_build(machine: Machine) -> None:
    code, log = run(machine, TBSA_REQUIRE_TIER1_GRADE="5")
    assert code == 3, log
    assert "require-tier1-grade" in machine.file("garak-tbsa/score.junit.xml")
    assert not (machine.work / "tbsa-baseline.jsonl.gz").exists()
