# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as one self-contained page without scripts, as the score's page is."""

from __future__ import annotations

from typing import Any

from garak_tbsa.labels.audit import Audit, AuditedPair
from garak_tbsa.labels.detectors import DetectorOnScan, Estimate
from garak_tbsa.labels.forms import wording
from garak_tbsa.labels.forms.audited_report import AuditedReport
from garak_tbsa.outputs.html_page import (
    filled,
    on_scale,
    scale_values,
    scan_facts,
)
from garak_tbsa.tbsa.gate import worth_saying
from garak_tbsa.unavailable import Unavailable

PROBLEMS_SHOWN = 200
SHARES_SHOWN = {
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "precision": "Precision",
    "negative_predictive_value": "NPV",
}
MARK = 2
"""Width of a share's mark, of 100."""


def render(audited: AuditedReport) -> str:
    """Return the page of an audit."""
    return filled("audit.html", _values(audited))


def _values(audited: AuditedReport) -> dict[str, Any]:
    audit, report = audited.audit, audited.assessment.report
    found = audit.score.by_labels
    problems = audit.matched.problems
    changed = [_pair(each) for each in audit.changed_pairs]
    pairs = sorted(
        audit.pairs, key=lambda each: (each.grade.value, each.pair.tier, each.pair.name)
    )
    not_audited = list(audit.not_audited.items())
    return {
        "tbsa": wording.tenths_text(found.tenths),
        "whole": found.tenths // 10,
        "scale": _scale(audit),
        "answer": wording.answer(audit),
        "meaning": wording.MEANING,
        "target": report.target,
        "warnings": _warnings(audited),
        "verdict": audited.verdict,
        "outcomes": worth_saying(audited.verdict),
        "label_facts": _label_facts(audited),
        "problems": problems[:PROBLEMS_SHOWN],
        "problems_count": audit.matched.unusable,
        "problems_more": len(problems[PROBLEMS_SHOWN:]),
        "share_names": list(SHARES_SHOWN.values()),
        "detectors": [_detector(e) for e in audit.detectors if wording.has_labels(e)],
        "unlabelled": [
            each.detector for each in audit.detectors if not wording.has_labels(each)
        ],
        "changed": changed,
        "next": [
            {
                "probe": pair.probe,
                "detector": pair.detector,
                "labels": labels,
                "left": left,
            }
            for pair, labels, left in wording.next_by_pair(audit)
        ],
        "next_text": wording.next_text(audit),
        "not_audited": not_audited,
        "not_audited_text": wording.not_audited_text(audit),
        "pairs": [_pair(each) for each in pairs],
        "facts": _facts(audited),
        "if_right": wording.if_right_text(audit).capitalize(),
        "pass_rate": wording.pass_rate_text(audit).capitalize(),
        "glossary": wording.GLOSSARY,
    }


def _scale(audit: Audit) -> dict[str, Any]:
    """Both scores, and the range by labels, on a line from 1.0 to 5.0."""
    found, before = audit.score.by_labels, audit.score.by_detectors / 10
    label = (
        f" by labels, {wording.tenths_text(found.lower)} to"
        f" {wording.tenths_text(found.upper)}; {before:.1f} by detectors"
    )
    ends = found.lower / 10, found.upper / 10
    scale = scale_values(found.tenths / 10, ends, label)
    return {**scale, "before": on_scale(before)}


def _warnings(audited: AuditedReport) -> list[str]:
    audit, assessment = audited.audit, audited.assessment
    others = (wording.picked_text(audit), wording.not_audited_text(audit))
    found = [*audit.warnings, *(text for text in others if text is not None)]
    if assessment.report.partial_reason is not None:
        found.insert(0, f"Partial: {assessment.report.partial_reason}")
    return [f"{text[0].upper()}{text[1:]}." for text in found] + list(
        assessment.warnings
    )


def _label_facts(audited: AuditedReport) -> list[str]:
    audit = audited.audit
    facts = [
        fact
        for fact in (
            wording.counted_text(audit),
            wording.agreement_text(audit),
            wording.disputed_text(audit),
        )
        if fact is not None
    ]
    return [*facts, f"From {', '.join(audited.label_files)}"]


def _detector(found: DetectorOnScan) -> dict[str, Any]:
    return {
        "name": found.detector,
        "labels": f"{found.flagged_labels} + {found.unflagged_labels}",
        "shares": [_share(name, found.shares[name]) for name in SHARES_SHOWN],
        "known": bool(wording.known_shares(found)),
    }


def _share(name: str, found: Estimate | Unavailable) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": SHARES_SHOWN[name], "text": ""}
    if isinstance(found, Unavailable):
        return shown
    return {
        **shown,
        "text": wording.share_text(found.value),
        "range": wording.interval_text(found),
        "low": round(100 * found.lower, 1),
        "width": round(100 * (found.upper - found.lower), 1),
        "at": round((100 - MARK) * found.value, 1),
    }


def _pair(found: AuditedPair) -> dict[str, Any]:
    pair, grade = found.pair, found.grade
    return {
        "probe": pair.probe,
        "detector": pair.detector,
        "tier": pair.tier,
        "grade": pair.grade,
        "audited": grade.value,
        "range": f"{grade.lower} to {grade.upper}"
        if grade.lower < grade.upper
        else str(grade.value),
        "flagged": f"{wording.detector_hits(found)}/{pair.total_evaluated}",
        "hits": wording.range_text(found.hits),
        "labels": found.labelled,
    }


def _facts(audited: AuditedReport) -> list[tuple[str, str]]:
    assessment = audited.assessment
    return [
        *scan_facts(assessment.report),
        ("Checksum", assessment.checksum.text),
    ]
