# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Commands and options that went in this version, each with what takes its place.

They are known by name for one version: then their lines go too.
"""

from __future__ import annotations

REMOVED = {
    "help": "garak-tbsa COMMAND --help, or the glossary of the documentation"
    " (docs/reference/glossary.md)",
    "man": "garak-tbsa --help",
    "version": "garak-tbsa -V",
}
"""What to use instead, by the command's words or the option."""


def removal(name: str) -> str:
    """Return what is told to those who use what went.

    Parameters
    ----------
    name : str
        A key of :data:`REMOVED`.
    """
    return f"{name} is gone since 0.2.0; use {REMOVED[name]}"
