# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every form in which two compared scans are written, one line each."""

from __future__ import annotations

from garak_tbsa.tbsa.outputs.registry import OutputFormat

COMPARISON_FORMATS = (
    OutputFormat(
        name="json",
        module="comparison.json_document",
        ending=".json",
        purpose="the result as JSON",
        flags=("-j", "--json_output"),
    ),
    OutputFormat(
        name="html",
        module="comparison.page",
        ending=".html",
        purpose="one self-contained page with both scans side by side",
    ),
    OutputFormat(
        name="markdown",
        module="comparison.markdown",
        ending=".md",
        purpose="Markdown, as for a GitHub step summary",
    ),
    OutputFormat(
        name="junit",
        module="comparison.junit",
        ending=".xml",
        purpose="JUnit XML, the verdict and each pair as tests",
    ),
)
"""As :data:`~garak_tbsa.tbsa.outputs.registry.FORMATS` of a scored report."""
