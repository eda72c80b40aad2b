# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What leaves no coverage: interpreters that import nothing of it, and slow tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from coverage import Coverage

MEASURING = "COVERAGE_PROCESS_CONFIG"
"""Makes coverage start itself in every interpreter where it is installed."""


def unmeasured(**variables: str) -> dict[str, str]:
    """Return the environment of an interpreter that imports what users' import."""
    kept = {name: v for name, v in os.environ.items() if name != MEASURING}
    return kept | variables


@contextmanager
def without_coverage() -> Iterator[None]:
    """Measure nothing for a while, where anything is measured."""
    if (measuring := Coverage.current()) is None:
        yield
        return
    measuring.stop()
    try:
        yield
    finally:
        measuring.start()
