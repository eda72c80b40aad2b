# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as Markdown, for a pull request or a GitHub step summary."""

from __future__ import annotations

from collections.abc import Sequence

from garak_tbsa.labels.audit import Audit
from garak_tbsa.labels.detectors import DetectorOnScan
from garak_tbsa.labels.forms import wording
from garak_tbsa.labels.forms.audited_report import AuditedReport
from garak_tbsa.outputs import wording as score_wording
from garak_tbsa.outputs.markdown import gate_table
from garak_tbsa.outputs.markdown_text import escaped

COLUMNS = ("sensitivity", "specificity", "precision", "NPV")


def render(audited: AuditedReport) -> str:
    """Return the answer, the gate, detectors, pairs and what to label next."""
    audit, verdict = audited.audit, audited.verdict
    square = score_wording.colour_square(audit.score.by_labels.tenths / 10)
    parts = [f"## {square} {wording.answer(audit)}", _facts(audited)]
    if verdict is not None:
        parts.append(gate_table(verdict))
    parts += [_detectors(audit.detectors), _changed(audit), _next(audit)]
    if audit.not_audited:
        parts.append(_not_audited(audit))
    return "\n\n".join([*parts, f"_{score_wording.DISCLAIMER}_"]) + "\n"


def _facts(audited: AuditedReport) -> str:
    assessment, audit = audited.assessment, audited.audit
    report = assessment.report
    facts = [
        wording.MEANING,
        wording.if_right_text(audit).capitalize(),
        wording.pass_rate_text(audit).capitalize(),
        f"Report {escaped(report.source)}, target {escaped(report.target)}",
        wording.counted_text(audit),
    ]
    disputed = wording.disputed_text(audit)
    if disputed is not None:
        facts.append(disputed)
    for warning in (
        *audit.warnings,
        wording.picked_text(audit),
        wording.not_audited_text(audit),
    ):
        if warning is not None:
            facts.append(f"**Warning**: {warning}")
    agreement = wording.agreement_text(audit)
    if agreement is not None:
        facts.append(agreement)
    if report.partial_reason is not None:
        facts.append(f"**Partial**: {escaped(report.partial_reason)}")
    facts += [f"**Warning**: {escaped(warning)}" for warning in assessment.warnings]
    return "\n".join(f"- {fact}" for fact in facts)


def _detectors(detectors: Sequence[DetectorOnScan]) -> str:
    rows = [
        f"| detector | labels | {' | '.join(COLUMNS)} |",
        "| --- " * (len(COLUMNS) + 2) + "|",
    ]
    rows += [_detector(each) for each in detectors if wording.has_labels(each)]
    without = [each for each in detectors if not wording.has_labels(each)]
    if without:
        names = ", ".join(escaped(each.detector) for each in without)
        rows.append(f"\nNo label yet: {names}")
    return "\n".join(rows)


def _detector(found: DetectorOnScan) -> str:
    known = wording.known_shares(found)
    missing = {
        name: reason
        for reason, names in wording.missing_shares(found).items()
        for name in names
    }
    cells = [
        wording.estimate_text(known[name]).replace("<", "&lt;").replace(">", "&gt;")
        if name in known
        else f"_{missing[name]}_"
        for name in COLUMNS
    ]
    labels = f"{found.flagged_labels} + {found.unflagged_labels}"
    return f"| {escaped(found.detector)} | {labels} | {' | '.join(cells)} |"


def _changed(audit: Audit) -> str:
    if not audit.changed_pairs:
        return "The labels change no pair's grade."
    rows = [
        "| grade changed by labels | tier | grade | by labels | hits | by labels |"
        " labels |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    rows += [
        f"| {escaped(each.pair.name)} | {each.pair.tier} | {each.pair.grade} |"
        f" {wording.range_text(each.grade)} |"
        f" {wording.detector_hits(each)}/{each.pair.total_evaluated} |"
        f" {wording.range_text(each.hits)} | {each.labelled} |"
        for each in audit.changed_pairs
    ]
    return "\n".join(rows)


def _next(audit: Audit) -> str:
    if not audit.next:
        return wording.next_text(audit)
    rows = ["| label next | labels | unlabelled |", "| --- | --- | --- |"]
    rows += [
        f"| {escaped(pair.name)} | {labels} | {left} |"
        for pair, labels, left in wording.next_by_pair(audit)
    ]
    return "\n".join([*rows, "", wording.next_text(audit)])


def _not_audited(audit: Audit) -> str:
    listed = "\n".join(
        f"- {escaped(name)}: {escaped(reason)}"
        for name, reason in audit.not_audited.items()
    )
    summary = f"{score_wording.pairs_text(len(audit.not_audited))} not audited"
    return f"<details><summary>{summary}</summary>\n\n{listed}\n\n</details>"
