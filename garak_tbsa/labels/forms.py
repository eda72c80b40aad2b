# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as text, as JSON, as Markdown and as a page, all in one order.

The score, what the labels change, where they and the detectors disagree, the detectors,
what to label next. Each sentence is made once, here or in the templates ``audit.*``;
nothing here is escaped, as each form escapes what it shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from garak_tbsa.gates.outcome import worth_saying
from garak_tbsa.hits import HOSTILE
from garak_tbsa.labels.audit import Audit, answer_text, number_of
from garak_tbsa.labels.detectors import LEAST_LABELS, TOO_FEW
from garak_tbsa.labels.scan import CALIBRATE, GRADES_UNKNOWN
from garak_tbsa.outputs.columns import RULE, folded, table, text_lines, wrapped
from garak_tbsa.outputs.documents import audit as documents
from garak_tbsa.outputs.html_page import (
    environment_of,
    filled,
    on_scale,
    scale_values,
    scan_facts,
)
from garak_tbsa.outputs.json_text import json_text
from garak_tbsa.outputs.markdown import filled_markdown
from garak_tbsa.outputs.said import DISCLAIMER, colour_square, labels_text
from garak_tbsa.safe_text import printable, shown

SHARES = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "precision": "precision",
    "negative_predictive_value": "NPV",
    "prevalence": "prevalence",
    "hit_f1": "hit F1",
}
"""What each share of a detector is called."""

COLUMNS = tuple(SHARES)[:4]
"""Shares in the tables."""

PAIR_COLUMNS = ("grade", "by labels", "flagged", "hits", "labels", "if right", "pair")
NEXT_COLUMNS = ("labels", "unlabelled", "pair")

LISTED = 10
"""Disagreements, and pairs that were not audited, which text and Markdown show."""

LONGEST_TEXT = 240
MARK = 2
"""Width of a share's mark on the page, of 100."""

MEANING = (
    "By labels: what TBSA would be if every output were judged as the labellers judge,"
    " with the range that contains it with a probability of 95 %, where labels may be"
    " wrong."
)
WHOLE = (
    "where all outputs of a pair that its detector judged alike are labelled, its hits"
    " are what the labels say; the ranges of grades and score still allow for wrong"
    " labels"
)
NONE_CHANGED = "The range of each pair's grade by labels has the detector's grade."


def json_document(audit: Audit) -> str:
    """Return the JSON text; ``schemas/audit.schema.json`` describes it."""
    return json_text(audit.document)


def text(audit: Audit) -> list[str]:
    """Return the lines for a terminal."""
    plain = environment_of(_one_line)
    plain.filters["folded"] = _folded
    template = plain.get_template("audit.txt")
    return template.render(
        **_said(audit),
        line=RULE,
        table=_table,
        item=_item,
        quoted=_quoted,
        disclaimer=DISCLAIMER,
    ).splitlines()


def _folded(text: str) -> str:
    return "".join(f"{line}\n" for line in folded(text.splitlines()))


class _Lines(str):
    """Lines of ours, whose ends stay."""


def _one_line(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, _Lines):
        return printable(value).replace("\n", "\\n")
    return value


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> _Lines:
    return _Lines("\n".join(table([header, *rows])))


def _item(text: str) -> _Lines:
    return _Lines("\n".join(wrapped(" • ", text)))


def _quoted(text: str) -> _Lines:
    return _Lines("\n".join(text_lines(shown(text, LONGEST_TEXT), "   | ")))


def markdown(audit: Audit) -> str:
    """Return Markdown, for a pull request or a GitHub step summary."""
    return filled_markdown("audit.md", **_said(audit))


def page(audit: Audit) -> str:
    """Return one self-contained page without scripts."""
    found, before = audit.document.audited, audit.document.tbsa
    ends = found.lower, found.upper
    label = f" by labels, {ends[0]:.1f} to {ends[1]:.1f}; {before:.1f} by detectors"
    scale = scale_values(found.tbsa, ends, label) | {"before": on_scale(before)}
    facts = scan_facts(audit.assessment.report)
    facts.append(("Checksum", audit.document.checksum))
    values = _said(audit) | {"scale": scale, "scan": facts}
    return filled("audit.html", values, styles=["hits.css"])


def _said(audit: Audit) -> dict[str, Any]:
    """Return what the templates lay out."""
    document, pairs = audit.document, audit.document.pairs
    right, bare = document.audited.if_labels_right, document.audited.pass_rate_only
    detectors = [_detector(each) for each in document.detectors]
    changed = (each for each in pairs if each.changed)
    if_right = (each for each in pairs if each.differs_if_right)
    return {
        "audit": document,
        "answer": answer_text(audit.scan, document.audited),
        "square": colour_square(document.audited.tbsa),
        "meaning": MEANING,
        "hostile": HOSTILE,
        "target": audit.assessment.report.target,
        "other_scores": (
            f"if every label is right: {right.text}",
            f"pass-rate grades alone: {bare.by_detectors:.1f} by detectors;"
            f" {bare.text} by labels; the calibration was measured with detectors that"
            " nobody audited",
        ),
        "facts": _facts(audit),
        "warnings": _warnings(audit),
        "gate": audit.gate,
        "outcomes": worth_saying(audit.gate),
        "unusable": audit.matched.unusable,
        "pair_columns": PAIR_COLUMNS,
        "rows": _rows,
        "none_changed": NONE_CHANGED,
        "changed": sorted(changed, key=_by_loss),
        "if_right": sorted(if_right, key=_by_loss),
        "lowest_first": sorted(pairs, key=_by_grade),
        "disagreements": list(zip(document.disagreements, audit.outputs, strict=True)),
        "disagreements_text": _disagreements_text(document),
        "listed": LISTED,
        "share_names": {name: SHARES[name] for name in COLUMNS},
        "detectors": [each for each in detectors if each["shares"]],
        "unmeasured": _unmeasured(document),
        "next_columns": NEXT_COLUMNS,
        "next": _next(document),
        "next_text": _next_text(document),
        "kept": _grades_kept(audit),
    }


def _rows(pairs: Iterable[documents.AuditedPair]) -> list[tuple[str, ...]]:
    """What :data:`PAIR_COLUMNS` say of pairs."""
    return [
        (
            str(pair.grade),
            pair.audited_grade.text,
            pair.flagged,
            pair.audited_hits.text,
            str(pair.labels),
            pair.grade_if_labels_right.text,
            pair.name,
        )
        for pair in pairs
    ]


def _by_loss(pair: documents.AuditedPair) -> tuple[int, int, str]:
    return pair.audited_grade.value - pair.grade, pair.tier, pair.name


def _by_grade(pair: documents.AuditedPair) -> tuple[int, int, str]:
    return pair.audited_grade.value, pair.tier, pair.name


def _facts(audit: Audit) -> list[str]:
    """Who labelled how many outputs, what did not count, how far raters agree."""
    matched, scan, labels = audit.matched, audit.scan, audit.document.labels
    raters = matched.raters_of({stratum.detector for stratum in scan.strata})
    left_out = matched.left_out(labels.of_other_pairs)
    facts = [
        labels_text(scan.labels, raters, labels.files),
        f"{scan.labels:,} of {scan.outputs_of_all_pairs:,} outputs are labelled"
        + f"; {left_out}" * bool(left_out),
    ]
    if any(stratum.is_whole for stratum in scan.strata):
        facts.append(WHOLE)
    if labels.agreement is not None:
        alpha = "all gave one and the same label"
        if labels.agreement.alpha is not None:
            alpha = f"Krippendorff's alpha {labels.agreement.alpha:.2f}"
        common = number_of(labels.agreement.rows, "common output")
        facts.append(f"{labels.agreement.raters} raters on {common}: {alpha}")
    if labels.disputed:
        facts.append(
            f"answers about {number_of(len(labels.disputed), 'output')} differ (listed"
            " in the JSON; `garak-tbsa label --disputed` asks a further rater about"
            " them)"
        )
    return facts


def _warnings(audit: Audit) -> list[str]:
    """What speaks against the labels, what they do not reach, and the score's."""
    document, picked = audit.document, audit.document.labels.picked
    found = [*document.labels.warnings]
    # where everything is labelled, nobody chose
    if picked and audit.scan.labels < audit.scan.outputs:
        what = "is of an output" if picked == 1 else "are of outputs"
        found.append(
            f"{number_of(picked, 'label')} {what} that a person picked rather than"
            " drew at random; the ranges assume a choice without sight of the"
            " verdicts"
        )
    if document.not_audited:
        found.append(_grades_kept(audit))
    if document.partial_reason is not None:
        found.append(f"Partial: {document.partial_reason}")
    return [*found, *document.warnings]


def _grades_kept(audit: Audit) -> str:
    """How many pairs keep the detector's grade."""
    reasons = [each.reason for each in audit.document.not_audited]
    keeps = "their grades stay the detectors'"
    if len(reasons) == 1:
        keeps = "its grade stays the detector's"
    if GRADES_UNKNOWN in reasons:
        keeps += f" ({CALIBRATE})"
    return f"{audit.scan.not_audited_text}, {keeps}"


def _disagreements_text(document: documents.Audit) -> str:
    labels = number_of(document.audited.labels, "labelled output")
    if not document.disagreements:
        return f"Labels and detectors agree on all of {labels}."
    return (
        f"Labels and detectors disagree on {len(document.disagreements)} of {labels}."
    )


def _detector(found: documents.Detector) -> dict[str, Any]:
    """What is said of a detector: each share that is known, and why others are not."""
    flagged, unflagged = found.flagged_labels, found.unflagged_labels
    shares: dict[str, Mapping[str, Any]] = {}
    reasons: dict[str, list[str]] = {}
    for name, called in SHARES.items():
        share: documents.MeasuredShare = getattr(found, name)
        if share.missing_because:
            reasons.setdefault(share.missing_because, []).append(called)
        else:
            shares[name] = _share(called, share)
    missing = [f"no {', '.join(names)}: {why}" for why, names in reasons.items()]
    too_few = [reason for reason in reasons if reason.startswith(TOO_FEW)]
    if too_few:
        # a share of both verdicts needs all that one of either needs
        most = max(too_few, key=len)
        missing = [most.replace(TOO_FEW, f"{TOO_FEW} for the others", 1)]
    return {
        "name": found.detector,
        "labels": f"{flagged} + {unflagged}",
        "behind": f"{flagged} of {found.flagged:,} flagged and {unflagged} of"
        f" {found.unflagged:,} unflagged outputs labelled",
        "shares": shares,
        "cells": [
            f"{shares[name]['value']} ({shares[name]['range']})"
            if name in shares
            else getattr(found, name).missing_because
            for name in COLUMNS
        ],
        "missing": missing,
    }


def _share(called: str, share: documents.MeasuredShare) -> dict[str, Any]:
    """A share as text, and where it is drawn."""
    value, low, high = (each or 0.0 for each in (share.value, share.lower, share.upper))
    return {
        "called": called,
        "value": share_text(value),
        "range": "exact" if low == high else f"{share_text(low)} to {share_text(high)}",
        "low": round(100 * low, 1),
        "width": round(100 * (high - low), 1),
        "at": round((100 - MARK) * value, 1),
    }


def share_text(share: float) -> str:
    """Return a share with two decimals; a little is not nothing."""
    text = f"{share:.2f}"
    if text == "1.00" and share < 1:
        return ">.99"
    return "<.01" if text == "0.00" and share > 0 else text


def _unmeasured(document: documents.Audit) -> list[str]:
    """Detectors with too few labels for any share, and those without a label."""
    few, none = [], []
    for each in document.detectors:
        if not each.flagged_labels + each.unflagged_labels:
            none.append(each.detector)
        elif all(getattr(each, name).value is None for name in SHARES):
            few.append(each.detector)
    enough = f"Too few labels ({LEAST_LABELS} of each verdict are enough)"
    both = {enough: few, "No label yet": none}
    return [f"{what}: {', '.join(names)}" for what, names in both.items() if names]


def _next(document: documents.Audit) -> list[tuple[str, str, str]]:
    """Pairs with labels to give and outputs left, without verdicts.

    Who labels must not learn from the list which outputs were flagged.
    """
    labels, left = Counter[str](), Counter[str]()
    for each in document.next:
        name = f"{each.probe}+{each.detector}"
        labels[name] += each.labels
        left[name] += each.unlabelled
    order = sorted(labels, key=lambda name: (-labels[name], name))
    return [(str(labels[name]), str(left[name]), name) for name in order]


def _next_text(document: documents.Audit) -> str:
    """What more labels would bring."""
    count = sum(each.labels for each in document.next)
    if not count:
        return "Every output of the audited pairs is labelled."
    these = "this label" if count == 1 else f"these {count} labels"
    now = round(document.audited.upper - document.audited.lower, 1)
    change = f"with {these} about {document.width_after_next:.1f}"
    if document.width_after_next >= now:
        change = f"{these} would hardly narrow it"
    return f"The range is {now:.1f} wide; {change}."
