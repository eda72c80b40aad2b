# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A runner, an event, and GitHub behind a port of this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ci.fake_github import NUMBER, REPOSITORY, TOKEN, FakeGitHub
from tests.ci.local_runner import LocalRunner

SHA = "0123456789abcdef0123456789abcdef01234567"
PULL_REQUEST = {"pull_request": {"number": NUMBER, "head": {"sha": SHA}}}
PUSH = {"repository": {"default_branch": "main"}}


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """GitHub's API."""
    yield from FakeGitHub().serve()


def variables_of(folder: Path, github: FakeGitHub) -> dict[str, str]:
    """What GitHub's runner sets for a pull request."""
    return {
        "GITHUB_API_URL": github.address,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_WORKFLOW": "Scan, nightly",
        "GITHUB_JOB": "scan",
        "GITHUB_RUN_ID": "42",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_SHA": "f" * 40,
        "GITHUB_REF": f"refs/pull/{NUMBER}/merge",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": event_file(folder, PULL_REQUEST),
    }


def event_file(folder: Path, event: Any) -> str:
    path = folder / "event.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    return str(path)


@pytest.fixture
def runner(tmp_path: Path, github: FakeGitHub) -> LocalRunner:
    """A runner at work on a pull request."""
    return LocalRunner(tmp_path, variables_of(tmp_path, github), TOKEN)


def on_default_branch(runner: LocalRunner, run_id: int) -> None:
    """Let the next run be one for a push to the default branch."""
    runner.variables |= {
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_RUN_ID": str(run_id),
        "GITHUB_EVENT_PATH": event_file(runner.folder, PUSH),
    }
