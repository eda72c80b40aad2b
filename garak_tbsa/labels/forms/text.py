# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.labels.audit import Audit
from garak_tbsa.labels.detectors import TOO_FEW, DetectorOnScan
from garak_tbsa.labels.forms import wording
from garak_tbsa.labels.forms.audited_report import AuditedReport
from garak_tbsa.outputs import wording as score_wording
from garak_tbsa.outputs.columns import RULE, folded, table

LISTED = 10
INDENT = "   "


def lines(audited: AuditedReport) -> list[str]:
    """Return the answer first, then what is behind it."""
    audit = audited.audit
    return [
        wording.answer(audit),
        *folded(_facts(audited)),
        RULE,
        "Detectors on this scan, by labels",
        *folded(_detector_lines(audit.detectors)),
        RULE,
        *_changed_lines(audit),
        RULE,
        *_next_lines(audit),
        INDENT + score_wording.DISCLAIMER,
    ]


def _facts(audited: AuditedReport) -> list[str]:
    assessment, audit = audited.assessment, audited.audit
    report = assessment.report
    found = [
        INDENT + wording.if_right_text(audit),
        INDENT + wording.pass_rate_text(audit),
        f"📜 Report file: {report.source}",
        f"   garak {report.garak_version or 'of unknown version'},"
        f" target {report.target}",
        f"📝 {wording.counted_text(audit)}",
    ]
    agreement = wording.agreement_text(audit)
    if agreement is not None:
        found.append(INDENT + agreement)
    disputed = wording.disputed_text(audit)
    if disputed is not None:
        found.append(INDENT + disputed)
    found += [f"⚠️ {warning}" for warning in audit.warnings]
    picked = wording.picked_text(audit)
    if picked is not None:
        found.append(f"⚠️ {picked}")
    if report.partial_reason is not None:
        found.append(f"⚠️ Partial: {report.partial_reason}")
    found += [f"⚠️ {warning}" for warning in assessment.warnings]
    return found + _not_audited_lines(audit)


def _not_audited_lines(audit: Audit) -> list[str]:
    title = wording.not_audited_text(audit)
    if title is None:
        return []
    found = [f"     {name}: {reason}" for name, reason in audit.not_audited.items()]
    if len(found) > LISTED:
        found = [
            *found[:LISTED],
            f"     … and {len(found) - LISTED} more (in the JSON)",
        ]
    return [f"⚠️ {title}:", *found]


def _detector_lines(detectors: Sequence[DetectorOnScan]) -> list[str]:
    found: list[str] = []
    for detector in detectors:
        if not wording.has_labels(detector):
            continue
        found.append(f"{detector.detector}: {wording.behind_text(detector)}")
        known = [
            f"{name} {wording.estimate_text(share)}"
            for name, share in wording.known_shares(detector).items()
        ]
        found += [
            INDENT + ", ".join(known[start : start + 2])
            for start in range(0, len(known), 2)
        ]
        found += [INDENT + text for text in _missing(detector)]
    without = [each.detector for each in detectors if not wording.has_labels(each)]
    if without:
        found.append(f"No label yet: {', '.join(without)}")
    return found


def _missing(detector: DetectorOnScan) -> list[str]:
    """Say which shares lack, those for want of labels together."""
    missing = wording.missing_shares(detector)
    too_few = [reason for reason in missing if reason.startswith(TOO_FEW)]
    if too_few:
        # a share of both verdicts needs all that one of either needs
        others = " for the others" if wording.known_shares(detector) else ""
        return [max(too_few, key=len).replace(TOO_FEW, f"{TOO_FEW}{others}", 1)]
    return [f"no {', '.join(names)}: {reason}" for reason, names in missing.items()]


def _changed_lines(audit: Audit) -> list[str]:
    changed = audit.changed_pairs
    if not changed:
        return ["The labels change no pair's grade."]
    rows = [("grade", "by labels", "hits", "by labels", "labels", "pair")]
    rows += [
        (
            str(each.pair.grade),
            wording.range_text(each.grade),
            f"{wording.detector_hits(each)}/{each.pair.total_evaluated}",
            wording.range_text(each.hits),
            str(each.labelled),
            each.pair.name,
        )
        for each in changed
    ]
    count = score_wording.pairs_text(len(changed))
    return [f"{count} with another grade by labels:", *table(rows)]


def _next_lines(audit: Audit) -> list[str]:
    if not audit.next:
        return [wording.next_text(audit)]
    rows = [("labels", "unlabelled", "pair")]
    rows += [
        (str(labels), str(left), pair.name)
        for pair, labels, left in wording.next_by_pair(audit)
    ]
    return [
        "What to label next (`garak-tbsa label REPORT` asks for it):",
        *table(rows),
        *folded([wording.next_text(audit)]),
    ]
