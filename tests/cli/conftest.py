# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Commands as a shell sees them: exit code, stdout and stderr."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from garak_tbsa.cli.main import main

Shown = tuple[int, str, str]


@pytest.fixture
def score(capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    """Run ``garak-tbsa score``; return exit code, stdout and stderr."""
    return _runs("score", capsys)


@pytest.fixture
def audit(capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    """Run ``garak-tbsa audit``; return exit code, stdout and stderr."""
    return _runs("audit", capsys)


def _runs(command: str, capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    def run(*arguments: object) -> Shown:
        code = main([command, *map(str, arguments)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run
