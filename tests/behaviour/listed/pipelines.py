# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What pipelines use: the Action, the GitLab component, and files to copy."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import metadata
from typing import Any

import yaml

from tests.behaviour.product import PROGRAM, REPOSITORY

COMPONENT = "templates/garak-tbsa.yml"
TO_COPY = ("ci/Jenkinsfile", "ci/azure-pipelines.yml")
OF_THE_PROJECT = ("check", "test")
"""Extras with which the project itself is checked."""


def pipeline_entries() -> dict[str, str]:
    """Every input and output, every file to copy, every extra to install."""
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
    found = _inputs("action", action["inputs"])
    found |= {f"action: output {name}": "text" for name in action["outputs"]}
    component = REPOSITORY / COMPONENT
    if component.is_file():
        head = next(yaml.safe_load_all(component.read_text(encoding="utf-8")))
        found |= _inputs(COMPONENT, head["spec"]["inputs"])
    for name in TO_COPY:
        if (REPOSITORY / name).is_file():
            found[f"file to copy: {name}"] = "in the repository"
    extras = metadata(PROGRAM).get_all("Provides-Extra") or []
    for extra in extras:
        if extra not in OF_THE_PROJECT:
            found[f"extra: {PROGRAM}[{extra}]"] = "can be installed"
    return found


def _inputs(where: str, inputs: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {
        f"{where}: input {name}": f"default {each['default']!r}"
        if "default" in each
        else "required"
        for name, each in inputs.items()
    }
