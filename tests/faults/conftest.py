# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Coverage would trip over the full disks and limits that commands meet here."""

from __future__ import annotations

import pytest

from tests.unmeasured import MEASURING


@pytest.fixture(autouse=True)
def unmeasured_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that a test starts here leave no coverage."""
    monkeypatch.delenv(MEASURING, raising=False)
