# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Programs and a library that some tests need and that a machine may not have."""

from __future__ import annotations

import importlib
import os
import shutil
from typing import NoReturn

import pytest

MAKE = "make test-programs"
REQUIRED = os.environ.get("TEST_PROGRAMS") == "required"


def needed(*names: str) -> str:
    """Return the path of the first of these programs that is here.

    Where there is none, the test is skipped, or fails under ``TEST_PROGRAMS=required``.
    """
    for name in names:
        if (path := shutil.which(name)) is not None:
            return path
    return missing(names[0])


def needs_libmagic() -> None:
    """Skip a test, as :func:`needed` does, where garak cannot tell a file's type."""
    try:
        importlib.import_module("magic")
    except ImportError:
        missing("libmagic")


def missing(name: str) -> NoReturn:
    """Skip a test for want of something that ``make test-programs`` installs."""
    why = f"there is no {name} here ({MAKE})"
    if REQUIRED:
        pytest.fail(why)
    pytest.skip(why)
