# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as lines for a terminal."""

from __future__ import annotations

from garak_tbsa.labels.forms.view import SHARES, AuditedReport, DetectorView
from garak_tbsa.outputs import wording
from garak_tbsa.outputs.columns import RULE, folded, marked, table

LISTED = 10
INDENT = "   "


def lines(view: AuditedReport) -> list[str]:
    """Return the answer first, then what is behind it."""
    return [
        view.answer,
        *folded(_facts(view)),
        RULE,
        *_changed(view),
        RULE,
        "Detectors on this scan, by labels",
        *folded(
            [
                *(line for each in view.measured_detectors for line in _detector(each)),
                *view.unmeasured_detectors,
            ]
        ),
        RULE,
        *_next(view),
        INDENT + wording.DISCLAIMER,
    ]


def _facts(view: AuditedReport) -> list[str]:
    first, *others = view.label_facts
    not_audited = [f"{name}: {why}" for name, why in view.not_audited.items()]
    more = len(not_audited) - LISTED
    return [
        *marked(INDENT, *view.other_scores),
        f"📜 Report file: {view.report.source}",
        f"   garak {view.report.garak_version or 'of unknown version'},"
        f" target {view.report.target}",
        f"📝 {first}",
        *marked(INDENT, *others),
        *marked("⚠️ ", *view.all_warnings),
        *marked("   not audited: ", *not_audited[:LISTED]),
        *([f"   … and {more} more (in the JSON)"] if more > 0 else ()),
    ]


def _detector(view: DetectorView) -> list[str]:
    known = [f"{SHARES[name]} {text}" for name, text in view.texts.items()]
    pairs = [", ".join(known[at : at + 2]) for at in range(0, len(known), 2)]
    return [
        f"{view.found.detector}: {view.behind}",
        *marked(INDENT, *pairs, *view.missing),
    ]


def _changed(view: AuditedReport) -> list[str]:
    changed = view.changed_pairs
    if not changed:
        return ["The labels change no pair's grade."]
    rows = [("grade", "by labels", "hits", "by labels", "labels", "pair")]
    rows += [
        (
            str(each.pair.grade),
            str(each.grade),
            each.flagged,
            str(each.hits),
            str(each.labelled),
            each.pair.name,
        )
        for each in changed
    ]
    count = wording.pairs_text(len(changed))
    return [f"{count} with another grade by labels:", *table(rows)]


def _next(view: AuditedReport) -> list[str]:
    if not view.next_pairs:
        return [view.next_text]
    rows = [(str(labels), str(left), p.name) for p, labels, left in view.next_pairs]
    return [
        "What to label next (`garak-tbsa label REPORT` asks for it):",
        *table([("labels", "unlabelled", "pair"), *rows]),
        *folded([view.next_text]),
    ]
