# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Commands, options and settings that went, each with what takes its place.

They are known by name for one version: then their lines go too.
"""

from __future__ import annotations

REMOVED = {
    "detectors presets": "garak-tbsa detectors evaluate --preset list",
    "--badge PATH.svg": "--badge PATH.json: shields.io draws a badge from it",
    "--code-quality": "--junit or --sarif",
    "--tests": "--no-interval to leave out ranges and tests; without it each change is"
    " tested by its attempts",
    "baseline": "score --baseline with any report; to keep a report, copy it, packed or"
    " not",
    "help": "garak-tbsa COMMAND --help, or the glossary of the documentation"
    " (docs/reference/glossary.md)",
    "man": "garak-tbsa --help",
    "reporting.tbsa.badge_svg": "badge: shields.io draws a badge from its file",
    "reporting.tbsa.code_quality": "junit or sarif",
    "version": "garak-tbsa -V",
}
"""What to use instead, by the command's words, the option or the setting."""


def removal(name: str) -> str:
    """Return what is told to those who use what went.

    Parameters
    ----------
    name : str
        A key of :data:`REMOVED`.
    """
    return f"{name} is gone since 0.2.0; use {REMOVED[name]}"
