# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Interpreters whose coverage is not measured: they import nothing of coverage's."""

from __future__ import annotations

import os

MEASURING = "COVERAGE_PROCESS_CONFIG"
"""Makes coverage start itself in every interpreter where it is installed."""


def unmeasured(**variables: str) -> dict[str, str]:
    """Return the environment of an interpreter that imports what users' import."""
    kept = {name: v for name, v in os.environ.items() if name != MEASURING}
    return kept | variables
