# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What several tests of our life inside garak share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.scans import Pretended


@pytest.fixture
def pretended(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Pretended:
    """A scan that has written a gold report, and is about to end."""
    return Pretended(folder=tmp_path, patch=monkeypatch, capfd=capfd)
