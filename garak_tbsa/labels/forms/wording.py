# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences that every form of an audit shares."""

from __future__ import annotations

from garak_tbsa.labels.audit import Audit, AuditedPair, AuditedScore, CountRange
from garak_tbsa.labels.detectors import DetectorOnScan, Estimate
from garak_tbsa.labels.outputs import CALIBRATE, GRADES_UNKNOWN
from garak_tbsa.labels.score import ScoreRange
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.unavailable import Unavailable

SHARES = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "precision": "precision",
    "negative_predictive_value": "NPV",
    "prevalence": "prevalence",
    "hit_f1": "hit F1",
}
"""What each share of a detector is called."""

GLOSSARY = (
    ("Sensitivity", "share of the true hits that the detector flagged"),
    ("Specificity", "share of the true passes that it left alone"),
    ("Precision", "share of the flagged outputs that are true hits"),
    (
        "NPV, negative predictive value",
        "share of the outputs left alone that are true passes",
    ),
    ("Prevalence", "share of the outputs that are true hits"),
)
MEANING = (
    "By labels: what TBSA would be if every output were judged as the labellers judge,"
    " with the range that contains it with a probability of 95 %, where labels may be"
    " wrong."
)
UNAUDITED = "the calibration was measured with detectors that nobody audited"


def tenths_text(tenths: int) -> str:
    """Return tenths of a score with one decimal."""
    return f"{tenths / 10:.1f}"


def score_text(score: AuditedScore) -> str:
    """Return ``3.6 by detectors; 2.9 (2.5 to 3.3)``."""
    return (
        f"{tenths_text(score.by_detectors)} by detectors;"
        f" {range_of_score(score.by_labels)}"
    )


def answer(audit: Audit) -> str:
    """Return the answer in one line."""
    return f"TBSA {score_text(audit.score)} by {labels_text(audit.labels)}"


def if_right_text(audit: Audit) -> str:
    """Return what holds if no label is wrong."""
    return f"if every label is right: {range_of_score(audit.if_right)}"


def range_of_score(found: ScoreRange) -> str:
    """Return ``2.9 (2.5 to 3.3)``."""
    ends = f"{tenths_text(found.lower)} to {tenths_text(found.upper)}"
    return f"{tenths_text(found.tenths)} ({ends})"


def disputed_text(audit: Audit) -> str | None:
    """Say about how many outputs answers differ, None where about none."""
    disputed = audit.matched.disputed
    if not disputed:
        return None
    outputs = "1 output" if len(disputed) == 1 else f"{len(disputed):,} outputs"
    return (
        f"answers about {outputs} differ (listed in the JSON; `garak-tbsa label"
        " --disputed` asks a further rater about them)"
    )


def pass_rate_text(audit: Audit) -> str:
    """Return the score by pass-rate grades alone, and why it is told."""
    return (
        f"pass-rate grades alone: {score_text(audit.pass_rate_only)} by labels;"
        f" {UNAUDITED}"
    )


def labels_text(count: int) -> str:
    """Return a number of labels with its noun."""
    return "1 label" if count == 1 else f"{count:,} labels"


def counted_text(audit: Audit) -> str:
    """Say how many outputs are labelled, and what labels did not count."""
    found = f"{audit.labels:,} of {audit.outputs:,} outputs are labelled"
    left_out = audit.matched.left_out(audit.unused)
    return f"{found}; {left_out}" if left_out else found


def agreement_text(audit: Audit) -> str | None:
    """Say how far raters agree, None where no output has two."""
    found = audit.agreement
    if found is None:
        return None
    alpha = (
        "all gave one and the same label"
        if found.alpha is None
        else f"Krippendorff's alpha {found.alpha:.2f}"
    )
    outputs = "output" if found.rows == 1 else "outputs"
    return f"{found.raters} raters on {found.rows:,} common {outputs}: {alpha}"


def picked_text(audit: Audit) -> str | None:
    """Say what labels of picked outputs mean, None where all were drawn."""
    picked = audit.matched.picked
    if not picked:
        return None
    what = "is of an output" if picked == 1 else "are of outputs"
    return (
        f"{labels_text(picked)} {what} that a person picked rather than drew at"
        " random; the ranges assume a choice without sight of the verdicts"
    )


def not_audited_text(audit: Audit) -> str | None:
    """Say how many pairs keep the detector's grade, None where all were audited."""
    count = len(audit.not_audited)
    if not count:
        return None
    total = count + len(audit.pairs)
    keeps = "its grade stays the detector's" if count == 1 else "their grades stay"
    if count > 1:
        keeps += " the detectors'"
    if GRADES_UNKNOWN in audit.not_audited.values():
        keeps += f" ({CALIBRATE})"
    return f"{count} of {total} pairs could not be audited, {keeps}"


def next_text(audit: Audit) -> str:
    """Say what more labels would bring."""
    found = audit.score.by_labels
    count = sum(each.labels for each in audit.next)
    if not count:
        return "Every output of the audited pairs is labelled."
    these = "this label" if count == 1 else f"these {count} labels"
    now, then = found.upper - found.lower, audit.width_after_next
    if then >= now:
        return f"The range is {tenths_text(now)} wide; {these} would hardly narrow it."
    return (
        f"The range is {tenths_text(now)} wide; with {these} about {tenths_text(then)}."
    )


def next_by_pair(audit: Audit) -> list[tuple[GradedPair, int, int]]:
    """Return pairs with labels to give and outputs left, without verdicts.

    Who labels must not learn from the list which outputs were flagged.
    """
    found: dict[str, tuple[GradedPair, int, int]] = {}
    for each in audit.next:
        _, labels, left = found.get(each.pair.name, (each.pair, 0, 0))
        found[each.pair.name] = (
            each.pair,
            labels + each.labels,
            left + each.unlabelled,
        )
    return sorted(found.values(), key=lambda entry: (-entry[1], entry[0].name))


def share_text(share: float) -> str:
    """Return a share with two decimals; a little is not nothing."""
    text = f"{share:.2f}"
    if text == "1.00" and share < 1:
        return ">.99"
    return "<.01" if text == "0.00" and share > 0 else text


def estimate_text(found: Estimate) -> str:
    """Return a share with its interval: ``0.80 (0.61 to 0.92)``."""
    return f"{share_text(found.value)} ({interval_text(found)})"


def interval_text(found: Estimate) -> str:
    """Return the ends of a share's interval: ``0.61 to 0.92``."""
    if found.lower == found.upper:
        return "all labelled"
    return f"{share_text(found.lower)} to {share_text(found.upper)}"


def known_shares(detector: DetectorOnScan) -> dict[str, Estimate]:
    """Return the shares that are known, by what they are called."""
    return {
        SHARES[name]: share
        for name, share in detector.shares.items()
        if isinstance(share, Estimate)
    }


def missing_shares(detector: DetectorOnScan) -> dict[str, list[str]]:
    """Return the shares that are not known, by the reason."""
    found: dict[str, list[str]] = {}
    for name, share in detector.shares.items():
        if isinstance(share, Unavailable):
            found.setdefault(share.reason, []).append(SHARES[name])
    return found


def has_labels(detector: DetectorOnScan) -> bool:
    """Whether any of a detector's outputs is labelled."""
    return detector.flagged_labels + detector.unflagged_labels > 0


def behind_text(detector: DetectorOnScan) -> str:
    """Say which labels are behind a detector's shares."""
    return (
        f"{detector.flagged_labels} of {detector.flagged:,} flagged and"
        f" {detector.unflagged_labels} of {detector.unflagged:,} unflagged outputs"
        " labelled"
    )


def range_text(found: CountRange) -> str:
    """Return a count with its range: ``30 (24 to 38)``."""
    if found.lower == found.upper:
        return f"{found.value}"
    return f"{found.value} ({found.lower} to {found.upper})"


def detector_hits(found: AuditedPair) -> int:
    """Return how many of a pair's outputs the detector flagged."""
    counts = found.pair.counts
    assert counts is not None
    return counts.total_evaluated - counts.passed
