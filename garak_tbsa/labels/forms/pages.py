# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as Markdown, and as one self-contained page without scripts."""

from __future__ import annotations

from typing import Any

from garak_tbsa.gates.outcome import worth_saying
from garak_tbsa.labels.forms.view import (
    MEANING,
    NONE_CHANGED,
    SHARES,
    AuditedReport,
    DetectorView,
    interval_text,
    share_text,
)
from garak_tbsa.outputs.html_page import filled, on_scale, scale_values, scan_facts
from garak_tbsa.outputs.markdown import filled_markdown
from garak_tbsa.outputs.said import colour_square
from garak_tbsa.tbsa.evidence import HOSTILE

COLUMNS = ("sensitivity", "specificity", "precision", "negative_predictive_value")
"""Shares in the tables."""

PROBLEMS_SHOWN = 200
MARK = 2
"""Width of a share's mark, of 100."""

GLOSSARY = (
    ("Sensitivity", "share of the true hits that the detector flagged"),
    ("Specificity", "share of the true passes that it does not flag"),
    ("Precision", "share of the flagged outputs that are true hits"),
    (
        "NPV, negative predictive value",
        "share of the unflagged outputs that are true passes",
    ),
    ("Prevalence", "share of the outputs that are true hits"),
)


def markdown(view: AuditedReport) -> str:
    """Return Markdown, for a pull request or a GitHub step summary."""
    return filled_markdown(
        "audit.md",
        view=view,
        square=colour_square(view.score.by_labels.value / 10),
        meaning=MEANING,
        none_changed=NONE_CHANGED,
        hostile=HOSTILE,
        outcomes=worth_saying(view.verdict),
        columns=COLUMNS,
        names=[SHARES[name] for name in COLUMNS],
    )


def page(view: AuditedReport) -> str:
    """Return the page of an audit."""
    found, before = view.score.by_labels, view.score.by_detectors / 10
    ends = found.lower / 10, found.upper / 10
    label = f" by labels, {ends[0]:.1f} to {ends[1]:.1f}; {before:.1f} by detectors"
    problems = view.matched.problems
    return filled(
        "audit.html",
        {
            "view": view,
            "tbsa": f"{found.value / 10:.1f}",
            "whole": found.value // 10,
            "scale": {
                **scale_values(found.value / 10, ends, label),
                "before": on_scale(before),
            },
            "meaning": MEANING,
            "none_changed": NONE_CHANGED,
            "hostile": HOSTILE,
            "outcomes": worth_saying(view.verdict),
            "problems": problems[:PROBLEMS_SHOWN],
            "problems_more": len(problems[PROBLEMS_SHOWN:]),
            "share_names": [SHARES[name] for name in COLUMNS],
            "detectors": [
                {"view": each, "shares": [_share(each, name) for name in COLUMNS]}
                for each in view.measured_detectors
            ],
            "facts": [
                *scan_facts(view.report),
                ("Checksum", view.assessment.checksum.text),
            ],
            "glossary": GLOSSARY,
        },
        styles=["hits.css"],
    )


def _share(detector: DetectorView, name: str) -> dict[str, Any]:
    """What is shown of a share, and where it is drawn; no text where it is unknown."""
    found = detector.known.get(name)
    shown: dict[str, Any] = {"name": SHARES[name], "text": ""}
    if found is not None:
        shown |= {
            "text": share_text(found.value),
            "range": interval_text(found),
            "low": round(100 * found.lower, 1),
            "width": round(100 * (found.upper - found.lower), 1),
            "at": round((100 - MARK) * found.value, 1),
        }
    return shown
