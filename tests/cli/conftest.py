# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Commands as a shell sees them: exit code, stdout and stderr."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.behaviour import product

Shown = product.Shown


@pytest.fixture
def audit() -> Callable[..., Shown]:
    """Run ``garak-tbsa audit``; return exit code, stdout and stderr."""
    return partial(product.tbsa, "audit")
