# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which prompts a repeat of a scan has; settings and options ask for it by name."""

from __future__ import annotations

from garak_tbsa.report.settings import ScanSettings

SAME_PROMPTS, FRESH_PROMPTS = "same-prompts", "fresh-prompts"
REPEATS = (SAME_PROMPTS, FRESH_PROMPTS)
ON_PROMPTS = {SAME_PROMPTS: " on the same prompts", FRESH_PROMPTS: " on fresh prompts"}


def usual_repeat(settings: ScanSettings) -> str:
    """Return what a repeat is: garak asks the same prompts where its seed is set."""
    return FRESH_PROMPTS if settings.seed is None else SAME_PROMPTS
