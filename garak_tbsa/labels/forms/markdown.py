# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as Markdown, for a pull request or a GitHub step summary."""

from __future__ import annotations

from garak_tbsa.labels.forms.view import COLUMNS, MEANING, SHARES, AuditedReport
from garak_tbsa.outputs.markdown_form import filled_markdown
from garak_tbsa.outputs.wording import colour_square
from garak_tbsa.tbsa.gate import worth_saying


def render(view: AuditedReport) -> str:
    """Return the answer, the gate, detectors, pairs and what to label next."""
    return filled_markdown(
        "audit.md",
        view=view,
        square=colour_square(view.audit.score.by_labels.value / 10),
        meaning=MEANING,
        outcomes=worth_saying(view.verdict),
        columns=COLUMNS,
        names=[SHARES[name] for name in COLUMNS],
    )
