# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A runner and an event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ci.local_runner import LocalRunner

EVENT = {"repository": {"default_branch": "main"}}


def variables_of(folder: Path) -> dict[str, str]:
    """What GitHub's runner sets for a pull request."""
    return {
        "GITHUB_WORKFLOW": "Scan, nightly",
        "GITHUB_JOB": "scan",
        "GITHUB_RUN_ID": "42",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": event_file(folder, EVENT),
    }


def event_file(folder: Path, event: Any) -> str:
    path = folder / "event.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    return str(path)


@pytest.fixture
def runner(tmp_path: Path) -> LocalRunner:
    """A runner at work on a pull request."""
    return LocalRunner(tmp_path, variables_of(tmp_path))


def on_default_branch(runner: LocalRunner, run_id: int) -> None:
    """Let the next run be one for a push to the default branch."""
    runner.variables |= {
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_RUN_ID": str(run_id),
    }
