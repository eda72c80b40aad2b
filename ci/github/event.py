# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which pull request and which branch a run is about, from the event's file."""

from __future__ import annotations

import json
import os
from typing import Any

OWN_CODE = ("push", "schedule", "workflow_dispatch", "repository_dispatch")
"""Events in which the code of the default branch runs, and no stranger's.

``pull_request_target``, ``issue_comment`` and ``workflow_run`` name the default branch
too, and may have scanned what a stranger sent.
"""
ALWAYS_DEFAULT_BRANCH = "schedule"


def read_event() -> dict[str, Any]:
    """Return the event, empty where there is none that can be read."""
    path = os.environ.get("GITHUB_EVENT_PATH", "")
    try:
        with open(path, encoding="utf-8") as handle:
            event = json.load(handle)
    except (OSError, ValueError):
        return {}
    return event if isinstance(event, dict) else {}


def pull_request_number(event: dict[str, Any]) -> str | None:
    """Return the number of the pull request, None where the event is about none."""
    issue = _mapping(event, "issue")
    # a comment on a pull request is an issue's
    commented = issue if "pull_request" in issue else {}
    for found in (_mapping(event, "pull_request"), commented):
        number = found.get("number")
        if type(number) is int and number > 0:
            return str(number)
    return None


def head_commit(event: dict[str, Any]) -> str:
    """Return the commit that was scanned; a pull request's own, not its merge."""
    sha = _mapping(_mapping(event, "pull_request"), "head").get("sha")
    return sha if isinstance(sha, str) else os.environ.get("GITHUB_SHA", "")


def is_of_default_branch(event: dict[str, Any]) -> bool:
    """Whether the default branch's own code was scanned."""
    name = os.environ.get("GITHUB_EVENT_NAME", "")
    if name not in OWN_CODE:
        return False
    branch = _mapping(event, "repository").get("default_branch")
    if not isinstance(branch, str) or not branch:
        return name == ALWAYS_DEFAULT_BRANCH
    return os.environ.get("GITHUB_REF") == f"refs/heads/{branch}"


def _mapping(event: dict[str, Any], name: str) -> dict[str, Any]:
    found = event.get(name)
    return found if isinstance(found, dict) else {}
