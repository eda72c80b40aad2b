# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far detectors are to be trusted: by labels of this scan, own metrics, ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from garak_tbsa.detector_eval.metrics import ConfusionCounts, stress_shares
from garak_tbsa.detector_eval.shipped import shipped_folder
from garak_tbsa.detector_eval.summary_file import (
    MeasuredDetector,
    Summary,
    read_summary,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.labels.detectors import DetectorOnScan, Estimate
from garak_tbsa.tbsa.evidence import ON_SCAN, OWN, SHIPPED, DetectorTrust, Share
from garak_tbsa.unavailable import Unavailable

SUMMARY = "detector_metrics_summary.json"


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """Summaries of detector metrics in the order in which they are asked.

    Attributes
    ----------
    summaries : tuple of (str, Summary)
        Each with its basis, ``own`` or ``shipped``.
    problems : tuple of str
        Why one could not be read, a line each.
    """

    summaries: tuple[tuple[str, Summary], ...]
    problems: tuple[str, ...] = ()


def read_metrics(chosen: str | None, installed: str | None) -> Metrics:
    """Read the summaries that there are.

    Parameters
    ----------
    chosen : str or None
        Named by the user.
    installed : str or None
        What garak reads, if the user made it.

    Raises
    ------
    DatasetError
        The one that the user named cannot be read.
    """
    found: list[tuple[str, Summary]] = []
    problems: list[str] = []
    if chosen is not None:
        found.append((OWN, read_summary(chosen)))
    for basis, path in ((OWN, installed), (SHIPPED, _shipped(problems))):
        if path is None:
            continue
        try:
            found.append((basis, read_summary(path)))
        except DatasetError as error:
            problems.append(str(error))
    return Metrics(summaries=tuple(found), problems=tuple(problems))


def _shipped(problems: list[str]) -> str | None:
    try:
        return os.path.join(os.path.dirname(shipped_folder()), SUMMARY)
    except DatasetError as error:
        problems.append(str(error))
        return None


def trust_in(
    detector: str,
    metrics: Metrics,
    on_scan: Mapping[str, DetectorOnScan],
    labels: str,
) -> DetectorTrust | Unavailable:
    """Return how far a detector is to be trusted, by the best that is known.

    Parameters
    ----------
    detector : str
    metrics : Metrics
    on_scan : mapping of str to DetectorOnScan
        By labels of this scan's outputs; empty where there are none.
    labels : str
        The file that these come from.
    """
    measured = [
        (basis, summary.source, summary.measured[detector])
        for basis, summary in metrics.summaries
        if detector in summary.measured
    ]
    stress = next(
        (entry.stress for _, _, entry in measured if entry.stress is not None), None
    )
    known = [_by_metrics(*each) for each in measured]
    if detector in on_scan:
        known.insert(0, _by_labels(on_scan[detector], labels))
    for each in known:
        has_share = each.hits_found is not None or each.passes_left_alone is not None
        if has_share or (stress is not None and each.basis != ON_SCAN):
            return each if stress is None else _with_stress(each, stress)
    return Unavailable(reason="nobody has measured it on labelled responses")


def _by_labels(judged: DetectorOnScan, labels: str) -> DetectorTrust:
    right = _estimated(judged.shares["precision"])
    return DetectorTrust(
        detector=judged.detector,
        basis=ON_SCAN,
        source=labels,
        labels=judged.flagged_labels + judged.unflagged_labels,
        hits_found=_estimated(judged.shares["sensitivity"]),
        passes_left_alone=_estimated(judged.shares["specificity"]),
        wrong_flags=None if right is None else 1 - right.value,
    )


def _by_metrics(basis: str, source: str, entry: MeasuredDetector) -> DetectorTrust:
    found, left_alone = _typical(entry)
    counts = entry.counts
    flags = 0 if counts is None else counts.tp + counts.fp
    is_measured = counts is not None and entry.unmeasurable is None
    return DetectorTrust(
        detector=entry.detector,
        basis=basis,
        source=source,
        hits_found=found,
        passes_left_alone=left_alone,
        wrong_flags=counts.fp / flags if is_measured and counts and flags else None,
        is_on_written_hits=entry.basis is not None and entry.basis.is_written,
    )


def _estimated(share: Estimate | Unavailable) -> Share | None:
    if isinstance(share, Unavailable):
        return None
    return Share(value=share.value, lower=share.lower, upper=share.upper)


def _typical(entry: MeasuredDetector) -> tuple[Share | None, Share | None]:
    counts = entry.counts
    if counts is not None:
        hits = counts.hits if entry.unmeasurable is None else 0
        return _counted(counts.tp, hits), _counted(counts.tn, counts.passes)
    # weighted by a draw from a scan, or of a summary that states no counts
    return _stated(entry.sensitivity), _stated(entry.specificity)


def _stated(value: float | None) -> Share | None:
    return None if value is None else Share(value=value)


def _counted(part: int, whole: int) -> Share | None:
    return Share(value=part / whole, part=part, whole=whole) if whole else None


def _with_stress(trust: DetectorTrust, counts: ConfusionCounts) -> DetectorTrust:
    hits, passes = stress_shares(counts)
    return replace(
        trust,
        disguised_hits_found=_counted(hits.part, hits.whole),
        look_alikes_left_alone=_counted(passes.part, passes.whole),
    )
