# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans as Markdown, for a pull request or a GitHub step summary."""

from __future__ import annotations

from garak_tbsa.outputs.comparison.compared_scans import (
    ComparedScans,
    grades_text,
    z_text,
)
from garak_tbsa.outputs.markdown_form import filled_markdown

SHOWN = 20
"""Pairs in a table; the JSON has all."""


def render(compared: ComparedScans) -> str:
    """Return the verdict, the scores, the tests and the pairs that changed."""
    return filled_markdown(
        "compare.md", view=compared, shown=SHOWN, grades=grades_text, z=z_text
    )
