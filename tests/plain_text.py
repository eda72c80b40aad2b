# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Text of a terminal, as one that no line break cuts."""

from __future__ import annotations


def unwrapped(text: str) -> str:
    """Return a text on one line, without indentation."""
    return " ".join(text.split())
