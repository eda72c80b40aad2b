# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Workflows run what developers run, and forms and pages name what there is.

Rights, pins and expressions of workflows are zizmor's, in ``make check``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.ci.local_runner import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
FORMS = sorted(FOLDER.glob("ISSUE_TEMPLATE/[!c]*.yml"))


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


def test_a_step_runs_what_make_can_make() -> None:
    """In workflows for tests, docs and releases."""
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "docs.yml", "release.yml"]
    asked: set[str] = set()
    for _, job, step in steps():
        if "run" not in step:
            continue
        matrix = job.get("strategy", {}).get("matrix", {}).get("target", [])
        asked |= made(step["run"], matrix)
    assert asked <= targets(), asked - targets()
    # what the own CI runs, and what only a release needs
    own = made((ROOT / ".ci" / "run").read_text("utf-8"), [])
    every = {name for name in targets() if name.startswith("test")}
    # one more takes a checkout of garak
    assert own == every - {"test-garak"} | {"check"}
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
