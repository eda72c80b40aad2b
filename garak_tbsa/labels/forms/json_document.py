# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as JSON; ``schemas/audit.schema.json`` describes it.

``schema_version`` rises with every change that a reader could trip over.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from msgspec import structs

from garak_tbsa.labels.audit import AuditedPair
from garak_tbsa.labels.detectors import DetectorOnScan
from garak_tbsa.labels.disagreements import Disagreement
from garak_tbsa.labels.forms.view import AuditedReport
from garak_tbsa.labels.score import LEVEL, Estimate
from garak_tbsa.outputs import said
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.scored import gate_document
from garak_tbsa.unavailable import Unavailable

SCHEMA_VERSION = 1


def render(view: AuditedReport) -> str:
    """Return the JSON text of an audit."""
    assessment, report, matched = view.assessment, view.report, view.matched
    document = {
        "schema_version": SCHEMA_VERSION,
        "note": said.DISCLAIMER,
        "tbsa": view.score.by_detectors / 10,
        "audited": {
            **_range(view.score.by_labels),
            "if_labels_right": _range(view.if_right),
            "level": LEVEL,
            "labels": view.scan.labels,
            "outputs": view.scan.outputs,
            "pass_rate_only": {
                "by_detectors": view.pass_rate_only.by_detectors / 10,
                **_range(view.pass_rate_only.by_labels),
            },
        },
        "detectors": [_detector(each) for each in view.detectors],
        "pairs": [_pair(each) for each in view.pairs],
        "disagreements": [_disagreement(each) for each in view.disagreements],
        "not_audited": [
            {"pair": name, "reason": reason}
            for name, reason in view.not_audited.items()
        ],
        "next": [
            _of(each.pair, "probe", "detector")
            | _of(each, "flagged", "labels", "unlabelled")
            for each in view.next
        ],
        "width_after_next": view.width_after_next / 10,
        "labels": {
            "files": list(view.label_files),
            "used": view.scan.labels,
            "of_other_pairs": view.unused,
            **_of(matched, "ties", "skipped", "blank", "picked"),
            "disputed": [
                structs.asdict(place)
                | {"detector": detector, "hits": hits, "passes": passes}
                for (place, detector), (hits, passes) in matched.disputed.items()
            ],
            "warnings": list(view.warnings),
            "agreement": matched.agreement and asdict(matched.agreement),
            "problems": list(matched.problems),
        },
        "infile": report.source,
        "run_id": report.run_uuid,
        **_of(report, "garak_version", "target_type", "target_name", "partial_reason"),
        "checksum": assessment.checksum.text,
        "warnings": view.scan_warnings,
        "gate": view.verdict and gate_document(view.verdict),
    }
    return json_text(document)


def _range(found: Estimate[int]) -> dict[str, float]:
    return {
        "tbsa": found.value / 10,
        "lower": found.lower / 10,
        "upper": found.upper / 10,
    }


def _detector(found: DetectorOnScan) -> dict[str, Any]:
    members = asdict(found)
    for name, share in found.shares.items():
        members[name] = (
            dict.fromkeys(("value", "lower", "upper"))
            | {"missing_because": share.reason}
            if isinstance(share, Unavailable)
            else asdict(share)
        )
    del members["shares"]
    return members


def _pair(found: AuditedPair) -> dict[str, Any]:
    known = ("probe", "detector", "tier", "passed", "total_evaluated", "grade")
    return {
        **_of(found.pair, *known),
        "labels": found.labelled,
        "audited_grade": asdict(found.grade),
        "grade_if_labels_right": asdict(found.grade_if_right),
        "audited_hits": asdict(found.hits),
        "changed": found.is_changed,
    }


def _disagreement(found: Disagreement) -> dict[str, Any]:
    output = found.output
    return {
        **_of(found.pair, "probe", "detector"),
        **_of(found, "flagged", "label"),
        "attempt": output.attempt_uuid,
        **_of(output, "line", "output_index"),
        "prompt": output.prompt.text,
        "response": output.response.text,
    }


def _of(record: object, *names: str) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}
