# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``action.yml`` is what GitHub asks for, what its scripts read, and what docs say."""

from __future__ import annotations

import re
import subprocess
from inspect import signature
from typing import Any

import pytest
import yaml

import garak_tbsa
from ci.github import steps
from ci.github.runner import FILES
from ci.github.steps import GATE, MSGSPEC
from garak_tbsa.gates.options import GATE_OPTIONS
from tests.ci.local_runner import EXPRESSION, ROOT, action

RUN_STEPS = [step for step in action()["runs"]["steps"] if "run" in step]
SCRIPTS = "".join(
    path.read_text("utf-8") for path in (ROOT / "ci" / "github").glob("*.py")
)
PAGE = ROOT / "docs" / "how_to" / "ci.md"


def test_it_is_a_composite_action_that_says_what_it_takes_and_gives() -> None:
    found = action()
    assert found["runs"]["using"] == "composite"
    named = {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
    assert set(found) == named
    # GitHub's marketplace refuses longer ones
    assert len(found["description"]) <= 250
    for kind in ("inputs", "outputs"):
        for name, entry in found[kind].items():
            assert re.fullmatch(r"[a-z][a-z0-9-]*", name)
            assert entry["description"].strip(), name
            assert not entry["description"].endswith(".")
            if kind == "inputs":
                is_text = isinstance(entry.get("default"), str)
                assert entry.get("required") or is_text, name


def test_every_step_is_a_script_that_holds_no_expression() -> None:
    """An expression within ``run:`` is part of the script before a shell reads it."""
    for step in RUN_STEPS:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        syntax = ["bash", "-n", "-c", step["run"]]
        assert subprocess.run(syntax, check=False).returncode == 0
        assert re.findall(r'ci/github" ([a-z-]+)', step["run"]) == [step["id"]]
        assert callable(getattr(steps, step["id"].replace("-", "_")))


def test_expressions_name_what_there_is() -> None:
    """A misspelt name is the empty text to GitHub, without a word."""
    known = {f"inputs.{name}" for name in action()["inputs"]}
    for step in action()["runs"]["steps"]:
        for found in EXPRESSION.findall(str(step)):
            name = found.split(" == ")[0].strip()
            assert name in known or name.startswith("steps."), found
        known.add(f"steps.{step['id']}")
    ids = {step["id"] for step in action()["runs"]["steps"]}
    for step_id, output in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", _text()):
        assert step_id in ids
        assert f'set_output("{output}"' in SCRIPTS or output in FILES


def _text() -> str:
    return (ROOT / "action.yml").read_text("utf-8")


def test_every_input_reaches_a_step_by_its_environment_and_is_read() -> None:
    read = set(GATE) | set(re.findall(r'\b(?:given|is_on)\("([a-z-]+)"', SCRIPTS))
    assert read == set(action()["inputs"])
    handed: dict[str, str] = {}
    for step in RUN_STEPS:
        handed |= step["env"]
    for name in action()["inputs"]:
        variable = f"TBSA_{name.upper().replace('-', '_')}"
        assert handed.pop(variable) == f"${{{{ inputs.{name} }}}}"
    assert set(handed) == {"SCORE_REPORT", "SCORE_EXIT_CODE"}


def test_inputs_of_the_gate_are_the_rules_that_there_are() -> None:
    """Whoever adds a rule decides whether the action has it."""
    rules = {option.flag.removeprefix("--") for option in GATE_OPTIONS}
    switches = {"constant-target", "baseline-optional", "github"}
    assert set(GATE) == rules - {"baseline", *switches}
    assert {*GATE, "constant-target"} <= set(action()["inputs"])
    # an option that Python's `score` does not take is dropped: its gate would pass
    names = {option.name for option in GATE_OPTIONS} - {"github"}
    assert names <= signature(garak_tbsa.score).parameters.keys()


def test_the_set_up_asks_for_what_the_package_requires() -> None:
    """An index that is asked for less would give what the checkout refuses."""
    assert f'    "{MSGSPEC}",\n' in (ROOT / "pyproject.toml").read_text("utf-8")


def _default(entry: dict[str, Any]) -> str:
    if entry.get("required"):
        return "needed"
    text = str(entry["default"])
    return f"`{text}`" if text else ""


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_the_page_lists_every_input_and_output(kind: str) -> None:
    rows = ["| output | what it is |", "| --- | --- |"]
    if kind == "inputs":
        rows = ["| input | default | what it is |", "| --- | --- | --- |"]
    for name, entry in action()[kind].items():
        default = [_default(entry)] if kind == "inputs" else []
        cells = [f"`{name}`", *default, entry["description"].strip()]
        rows.append(f"| {' | '.join(cells)} |")
    table = "".join(f"{row}\n" for row in rows)
    assert table in PAGE.read_text("utf-8"), f"put this there:\n{table}"


def test_the_workflow_of_the_page_uses_what_there_is() -> None:
    page = PAGE.read_text("utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)
    workflow, job, pipeline = map(yaml.safe_load, blocks)
    # YAML 1.1 takes a bare on for true
    assert set(workflow) == {"name", True, "jobs"}
    (step,) = (
        step
        for step in workflow["jobs"]["scan"]["steps"]
        if "garak-tbsa@" in step.get("uses", "")
    )
    assert step["with"].keys() <= action()["inputs"].keys()
    used = set(re.findall(rf"steps\.{step['id']}\.outputs\.([\w-]+)", blocks[0]))
    assert used <= action()["outputs"].keys()
    assert "--junit tbsa.xml" in job["garak-tbsa"]["script"][-1]
    assert job["garak-tbsa"]["artifacts"]["reports"] == {"junit": "tbsa.xml"}
    assert "--junit tbsa.xml" in pipeline["steps"][1]["bash"]
    assert pipeline["steps"][2]["inputs"]["testResultsFiles"] == "tbsa.xml"
    assert all(block.count("\n") < 15 for block in blocks[1:])
