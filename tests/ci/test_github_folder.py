# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Workflows run what developers run, may do no more than they need, and are pinned."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.ci.local_runner import EXPRESSION, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
USING = [*WORKFLOWS, ROOT / "action.yml"]
"""Files that name actions of others."""
FORMS = sorted(FOLDER.glob("ISSUE_TEMPLATE/[!c]*.yml"))
PINNED = re.compile(r"^ *-? *uses: ([\w./-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$", re.M)
HARMLESS = {"matrix.target", "github.token", "github.repository"}
MAY_WRITE = {("release.yml", "draft"): {"contents": "write"}}
"""Jobs that may do more than read the repository."""


def workflow(path: Path) -> dict[Any, Any]:
    """A parsed workflow; YAML 1.1 takes its key ``on`` for true."""
    document: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    return document


def steps() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every step with its workflow's name and its job."""
    for path in WORKFLOWS:
        for job in workflow(path)["jobs"].values():
            for step in job["steps"]:
                yield path.name, job, step


@lru_cache(maxsize=1)
def targets() -> set[str]:
    """What the Makefile can make."""
    text = (ROOT / "Makefile").read_text("utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):", text, re.MULTILINE))


def made(script: str, matrix: list[str]) -> set[str]:
    """The targets that a script asks for, those of a matrix among them."""
    found: set[str] = set()
    for words in re.findall(r"\bmake ((?:--\w+ )*\S+)", script):
        name = words.split()[-1].strip('"')
        found |= set(matrix) if name == "$TARGET" else {name}
    return found


def test_there_are_workflows_for_tests_docs_and_releases() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "docs.yml", "release.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_job_may_read_the_repository_and_no_more(path: Path) -> None:
    found = workflow(path)
    assert found["permissions"] == {}
    # a stranger's change runs with no secret and no right to write
    assert not {"pull_request_target", "workflow_run", "issue_comment"} & set(
        found[True]
    )
    for name, job in found["jobs"].items():
        allowed = MAY_WRITE.get((path.name, name), {"contents": "read"})
        assert job["permissions"] == allowed, name
        assert job["timeout-minutes"] <= 60
        assert re.fullmatch(r"ubuntu-\d\d\.04", job["runs-on"])
        assert "secrets." not in path.read_text("utf-8")


@pytest.mark.parametrize("path", USING, ids=lambda path: path.name)
def test_an_action_is_a_commit_with_its_version(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(PINNED.findall(text)) == len(re.findall(r"\buses:", text))


def test_an_action_is_the_same_commit_everywhere() -> None:
    pins = {pin for path in USING for pin in PINNED.findall(path.read_text("utf-8"))}
    assert len(pins) == len({name for name, _ in pins})
    assert all(name.startswith("actions/") for name, _ in pins)


def test_a_checkout_leaves_no_token_behind() -> None:
    for name, _, step in steps():
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False, name


def test_a_step_is_a_script_of_makes_targets_that_holds_no_expression() -> None:
    """An expression within ``run:`` is part of the script before a shell reads it."""
    asked: set[str] = set()
    for name, job, step in steps():
        assert ("run" in step) != ("uses" in step), name
        for expression in EXPRESSION.findall(str(step)):
            assert expression in HARMLESS, expression
        if "run" not in step:
            continue
        assert "${{" not in step["run"]
        checked = subprocess.run(
            ["bash", "-n"], input=step["run"].encode(), capture_output=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, b"")
        matrix = job.get("strategy", {}).get("matrix", {}).get("target", [])
        asked |= made(step["run"], matrix)
    assert asked <= targets(), asked - targets()
    # what the own CI runs, and what only a release needs
    own = made((ROOT / ".ci" / "run").read_text("utf-8"), [])
    assert own <= targets()
    assert own | {"dist", "docs", "release-notes"} <= asked


def test_a_version_of_python_is_one_that_is_tested() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    for name, _, step in steps():
        if step.get("uses", "").startswith("actions/setup-python@"):
            version = step["with"]["python-version"]
            assert f'"Programming Language :: Python :: {version}"' in project, name


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_an_issue_form_is_what_github_asks_for(path: Path) -> None:
    form = workflow(path)
    assert set(form) == {"name", "description", "labels", "body"}
    assert any(part["type"] != "markdown" for part in form["body"])
    ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(ids) == len(set(ids))
    for part in form["body"]:
        assert part["type"] in ("markdown", "textarea", "input")
        assert set(part) <= {"type", "id", "attributes", "validations"}
        needed = "value" if part["type"] == "markdown" else "label"
        assert part["attributes"][needed].strip()


def test_templates_name_what_there_is() -> None:
    texts = [path.read_text("utf-8") for path in FORMS]
    texts.append((FOLDER / "pull_request_template.md").read_text("utf-8"))
    for text in texts:
        for name in re.findall(
            r"\b(?:[\w-]+/)*[A-Z]{4,}\.md\b|\bdata/[\w/-]+\.md", text
        ):
            assert (ROOT / name).is_file(), name
        quoted = " ".join(re.findall(r"`(make [a-z-]+)`", text))
        assert made(quoted, []) <= targets()


def test_the_security_policy_invents_no_address_and_its_links_lead_somewhere() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    assert "@" not in text
    assert "http" not in text
    assert "Report a vulnerability" in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    for link in links:
        assert (ROOT / link).is_file(), link
