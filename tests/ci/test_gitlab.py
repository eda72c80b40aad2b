# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The GitLab component: its form, and its script run with GitLab's variables."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
import yaml

from ci.github.inputs import GATE
from tests.ci.local_runner import ROOT
from tests.ci.shell import Machine

if TYPE_CHECKING:
    from pathlib import Path

TEXT = (ROOT / "templates" / "garak-tbsa.yml").read_text("utf-8")
SPEC, CONTENT = yaml.safe_load_all(TEXT)
INPUTS: dict[str, Any] = SPEC["spec"]["inputs"]
INTERPOLATED = re.compile(r"\$\[\[ inputs\.([\w-]+) \]\]")
(JOB,) = CONTENT.values()
REPORT = "scan.report.jsonl"


def filled(value: Any, inputs: dict[str, Any]) -> Any:
    """As GitLab does: in the values of the parsed document, never in its text."""
    if isinstance(value, dict):
        return {filled(k, inputs): filled(v, inputs) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(entry, inputs) for entry in value]
    if not isinstance(value, str):
        return value
    whole = INTERPOLATED.fullmatch(value)
    if whole is not None:
        return inputs[whole[1]]
    return INTERPOLATED.sub(lambda found: str(inputs[found[1]]), value)


def job_of(**given: Any) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in given.items()}
    defaults = {
        n: entry["default"] for n, entry in INPUTS.items() if "default" in entry
    }
    assert named.keys() <= INPUTS.keys()
    ((_, job),) = filled(CONTENT, {**defaults, **named}).items()
    found: dict[str, Any] = job
    return found


def run(machine: Machine, branch: str = "topic", **given: Any) -> tuple[int, str]:
    """Run the job of a branch; return its exit code and log."""
    job = job_of(**{"report": REPORT, "package": "none", **given})
    variables = {
        name: entry["value"] if isinstance(entry, dict) else entry
        for name, entry in job["variables"].items()
    }
    if branch == "main":
        variables |= job["rules"][0]["variables"]
    # GitLab joins them into one script
    scripts = (*job["before_script"], *job["script"])
    return machine.run_all(scripts, variables, shell="sh")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    found = Machine(tmp_path)
    found.put(REPORT)
    return found


def test_it_has_the_form_of_a_component() -> None:
    assert set(SPEC) == {"spec"}
    for name, entry in INPUTS.items():
        assert re.fullmatch(r"[a-z][a-z0-9-]*", name)
        assert set(entry) <= {"description", "default", "type"}
        assert entry["description"], name
    assert set(INTERPOLATED.findall(TEXT)) == set(INPUTS)
    assert set(GATE) <= set(INPUTS)


def gitlab_table() -> str:
    """The table of inputs that the page must have."""
    rows = ["| input | default | what it is |", "| --- | --- | --- |"]
    for name, entry in INPUTS.items():
        default = entry.get("default")
        shown = "needed" if default is None else f"`{default}`" if default else ""
        rows.append(f"| `{name}` | {shown} | {entry['description'].strip()} |")
    return "\n".join(rows) + "\n"


def test_the_page_lists_every_input() -> None:
    page = (ROOT / "docs" / "how_to" / "ci.md").read_text("utf-8")
    assert gitlab_table() in page, f"put this there:\n{gitlab_table()}"


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_scripts_are_scripts_that_hold_no_input(shell: str, machine: Machine) -> None:
    for script in (*JOB["before_script"], *JOB["script"]):
        assert "$[[" not in script
        assert machine.checks(script, shell=shell) == ""


def test_no_input_is_expanded() -> None:
    """GitLab would put other variables into one that holds a dollar sign."""
    for name, entry in JOB["variables"].items():
        if INTERPOLATED.search(str(entry)):
            assert entry["expand"] is False, name


def test_a_scan_that_passes_leaves_what_gitlab_shows(machine: Machine) -> None:
    code, log = run(machine, fail_under="3.5")
    assert code == 0, log
    reports = JOB["artifacts"]["reports"]
    ElementTree.fromstring(machine.file(reports["junit"]))
    issues = json.loads(machine.file(reports["codequality"]))
    assert {"description", "check_name", "fingerprint", "severity", "location"} <= set(
        issues[0]
    )
    for path in JOB["artifacts"]["paths"]:
        assert machine.file(path)
    assert not (machine.work / ".garak-tbsa").exists()
    assert machine.calls.read_text() == ""


def test_pip_installs_what_is_named(machine: Machine) -> None:
    package = "git+https://example.org/garak-tbsa@v1"
    assert run(machine, package=package)[0] == 0
    assert machine.calls.read_text() == (
        f"python -m pip install --quiet -- {package}\n"
    )


def test_a_scan_that_does_not_pass_fails_the_job_and_is_no_baseline(
    machine: Machine,
) -> None:
    code, log = run(machine, branch="main", fail_under="4.9", sure="0.5")
    assert code == 3, log
    assert "fail-under" in machine.file("garak-tbsa/score.junit.xml")
    assert not (machine.work / ".garak-tbsa").exists()


def test_the_default_branch_keeps_the_baseline(machine: Machine) -> None:
    first, log = run(machine, branch="main")
    assert first == 0
    assert "no baseline yet" in log
    second, log = run(machine, branch="topic")
    assert second == 0
    assert "no baseline yet" not in log
    assert "baseline" in log
    cache = JOB["cache"]
    (kept,) = cache["paths"]
    assert list((machine.work / kept).iterdir())
    assert cache["policy"] == "$TBSA_CACHE_POLICY"
    assert JOB["variables"]["TBSA_CACHE_POLICY"] == "pull"


@pytest.mark.parametrize(
    "value",
    ["$(touch owned)`touch owned`", '"; touch owned; "', "' touch owned '", "-j owned"],
)
def test_no_input_is_run(machine: Machine, value: str) -> None:
    given = dict.fromkeys(("report", "fail_under", "baseline", "package"), value)
    assert run(machine, **given)[0] != 0
    assert not list(machine.folder.rglob("owned"))
