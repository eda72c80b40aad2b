# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as JSON; ``schemas/audit.schema.json`` describes it.

``schema_version`` rises with every change that a reader could trip over.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from garak_tbsa.labels.audit import Audit, AuditedPair
from garak_tbsa.labels.detectors import DetectorOnScan, Estimate
from garak_tbsa.labels.forms.audited_report import AuditedReport
from garak_tbsa.labels.score import LEVEL, ScoreRange
from garak_tbsa.outputs import wording as score_wording
from garak_tbsa.outputs.json_document import gate_members
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.unavailable import Unavailable

SCHEMA_VERSION = 1


def render(audited: AuditedReport) -> str:
    """Return the JSON text of an audit."""
    return json_text(audit_document(audited))


def audit_document(audited: AuditedReport) -> dict[str, Any]:
    """Return the document of an audit."""
    assessment, audit, verdict = audited.assessment, audited.audit, audited.verdict
    report = assessment.report
    return {
        "schema_version": SCHEMA_VERSION,
        "note": score_wording.DISCLAIMER,
        "tbsa": audit.score.by_detectors / 10,
        "audited": _audited(audit),
        "detectors": [_detector(each) for each in audit.detectors],
        "pairs": [_pair(each) for each in audit.pairs],
        "not_audited": [
            {"pair": name, "reason": reason}
            for name, reason in audit.not_audited.items()
        ],
        "next": [
            {
                "probe": each.pair.probe,
                "detector": each.pair.detector,
                "flagged": each.flagged,
                "labels": each.labels,
                "unlabelled": each.unlabelled,
            }
            for each in audit.next
        ],
        "width_after_next": audit.width_after_next / 10,
        "labels": _labels(audited),
        "infile": report.source,
        "run_id": report.run_uuid,
        "garak_version": report.garak_version,
        "target_type": report.target_type,
        "target_name": report.target_name,
        "partial_reason": report.partial_reason,
        "checksum": assessment.checksum.text,
        "warnings": list(assessment.warnings),
        "gate": None if verdict is None else gate_members(verdict),
    }


def _audited(audit: Audit) -> dict[str, Any]:
    return {
        **_range(audit.score.by_labels),
        "if_labels_right": _range(audit.if_right),
        "level": LEVEL,
        "labels": audit.labels,
        "outputs": audit.outputs,
        "pass_rate_only": {
            "by_detectors": audit.pass_rate_only.by_detectors / 10,
            **_range(audit.pass_rate_only.by_labels),
        },
    }


def _range(found: ScoreRange) -> dict[str, float]:
    return {
        "tbsa": found.tenths / 10,
        "lower": found.lower / 10,
        "upper": found.upper / 10,
    }


def _detector(found: DetectorOnScan) -> dict[str, Any]:
    return {
        "detector": found.detector,
        "flagged": found.flagged,
        "unflagged": found.unflagged,
        "flagged_labels": found.flagged_labels,
        "unflagged_labels": found.unflagged_labels,
        "flagged_hits": found.flagged_hits,
        "unflagged_hits": found.unflagged_hits,
        **{name: _share(share) for name, share in found.shares.items()},
    }


def _share(share: Estimate | Unavailable) -> dict[str, Any]:
    if isinstance(share, Unavailable):
        return {
            "value": None,
            "lower": None,
            "upper": None,
            "missing_because": share.reason,
        }
    return asdict(share)


def _pair(found: AuditedPair) -> dict[str, Any]:
    pair = found.pair
    return {
        "probe": pair.probe,
        "detector": pair.detector,
        "tier": pair.tier,
        "passed": pair.passed,
        "total_evaluated": pair.total_evaluated,
        "grade": pair.grade,
        "labels": found.labelled,
        "audited_grade": asdict(found.grade),
        "audited_hits": asdict(found.hits),
        "changed": found.is_changed,
    }


def _labels(audited: AuditedReport) -> dict[str, Any]:
    audit = audited.audit
    matched, agreement = audit.matched, audit.agreement
    return {
        "files": list(audited.label_files),
        "used": audit.labels,
        "of_other_pairs": audit.unused,
        "ties": matched.ties,
        "skipped": matched.skipped,
        "blank": matched.blank,
        "picked": matched.picked,
        "disputed": [
            {
                "attempt": place.attempt,
                "output_index": place.output_index,
                "detector": detector,
                "hits": matched.said[place, detector][0],
                "passes": matched.said[place, detector][1],
            }
            for place, detector in matched.disputed
        ],
        "warnings": list(audit.warnings),
        "agreement": None if agreement is None else asdict(agreement),
        "problems": list(matched.problems),
    }
