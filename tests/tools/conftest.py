# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What tools start is not the package's."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="module")
def unmeasured(unmeasured_commands: None) -> None:
    """No coverage."""
