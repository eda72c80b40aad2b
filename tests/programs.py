# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that some tests need and that a machine may not have."""

from __future__ import annotations

import os
import shutil

import pytest


def needed(*names: str) -> str:
    """Return the path of the first of these programs that is here.

    Where there is none, the test fails in CI and is skipped elsewhere.
    """
    for name in names:
        if (path := shutil.which(name)) is not None:
            return path
    why = f"there is no {names[0]} here (make test-programs)"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
