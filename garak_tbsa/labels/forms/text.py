# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from garak_tbsa.labels.forms.view import (
    NONE_CHANGED,
    SHARES,
    AuditedReport,
    DetectorView,
)
from garak_tbsa.outputs import said
from garak_tbsa.outputs.columns import (
    RULE,
    folded,
    marked,
    table,
    text_lines,
    wrapped,
)
from garak_tbsa.safe_text import shown
from garak_tbsa.tbsa.evidence import HOSTILE

LISTED = 10
LONGEST_TEXT = 240
INDENT = "   "


def lines(view: AuditedReport) -> list[str]:
    """Return the answer first, then what is behind it."""
    return [
        view.answer,
        *folded(_facts(view)),
        RULE,
        *_changed(view),
        RULE,
        *_disagreements(view),
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
        INDENT + said.DISCLAIMER,
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
        return [NONE_CHANGED, *_if_right(view)]
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
    count = said.pairs_text(len(changed))
    return [f"{count} with another grade by labels:", *table(rows), *_if_right(view)]


def _if_right(view: AuditedReport) -> list[str]:
    if not view.pairs_if_right:
        return []
    rows = [("grade", "by labels", "if right", "pair")]
    rows += [
        (
            str(each.pair.grade),
            str(each.grade),
            str(each.grade_if_right),
            each.pair.name,
        )
        for each in view.pairs_if_right
    ]
    return ["If every label is right, these grades are others:", *table(rows)]


def _disagreements(view: AuditedReport) -> Iterator[str]:
    """The first of them, each with its texts cut: hundreds of lines tell nobody."""
    if not view.disagreements:
        yield f"{view.disagreements_text}."
        return
    yield f"{view.disagreements_text}:"
    yield from wrapped("⚠️ ", HOSTILE)
    for each in view.disagreements[:LISTED]:
        yield from wrapped(" • ", str(each))
        for heading, text in each.output.texts():
            yield f"{INDENT}{heading}"
            yield from text_lines(shown(text, LONGEST_TEXT), f"{INDENT}| ")
        yield f"{INDENT}Whole: {each.output.show_command()}"
    more = len(view.disagreements) - LISTED
    if more > 0:
        yield f"   … and {more} more (in the JSON and on the page)"


def _next(view: AuditedReport) -> list[str]:
    if not view.next_pairs:
        return [view.next_text]
    rows = [(str(labels), str(left), p.name) for p, labels, left in view.next_pairs]
    return [
        "What to label next (`garak-tbsa label REPORT` asks for it):",
        *table([("labels", "unlabelled", "pair"), *rows]),
        *folded([view.next_text]),
    ]
