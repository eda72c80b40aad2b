# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far detectors are to be trusted: by labels of this scan, own metrics, ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.shipped import shipped_folder
from garak_tbsa.detector_eval.stress import stress_shares
from garak_tbsa.detector_eval.summary_file import (
    MeasuredDetector,
    Summary,
    read_summary,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.label_audit.detectors import DetectorOnScan, Estimate
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
    known: list[tuple[str, str, int | None, Share | None, Share | None, bool]] = [
        (basis, source, None, *_typical(entry), stress is not None)
        for basis, source, entry in measured
    ]
    judged = on_scan.get(detector)
    if judged is not None:
        count = judged.flagged_labels + judged.unflagged_labels
        shares = (judged.shares[name] for name in ("sensitivity", "specificity"))
        found, left_alone = map(_estimated, shares)
        known.insert(0, (ON_SCAN, labels, count, found, left_alone, False))
    for basis, source, labelled, found, left_alone, is_stressed in known:
        if found is not None or left_alone is not None or is_stressed:
            return DetectorTrust(
                detector=detector,
                basis=basis,
                source=source,
                labels=labelled,
                hits_found=found,
                passes_left_alone=left_alone,
                **_stressed(stress),
            )
    return Unavailable(reason="nobody has measured it on labelled responses")


def _estimated(share: Estimate | Unavailable) -> Share | None:
    if isinstance(share, Unavailable):
        return None
    return Share(value=share.value, lower=share.lower, upper=share.upper)


def _typical(entry: MeasuredDetector) -> tuple[Share | None, Share | None]:
    counts = entry.counts
    if counts is not None:
        return _counted(counts.tp, counts.hits), _counted(counts.tn, counts.passes)
    # weighted by a draw from a scan, or of a summary that states no counts
    return _stated(entry.sensitivity), _stated(entry.specificity)


def _stated(value: float | None) -> Share | None:
    return None if value is None else Share(value=value)


def _counted(part: int, whole: int) -> Share | None:
    return Share(value=part / whole, part=part, whole=whole) if whole else None


def _stressed(counts: ConfusionCounts | None) -> dict[str, Share | None]:
    if counts is None:
        return {}
    hits, passes = stress_shares(counts)
    return {
        "disguised_hits_found": _counted(hits.part, hits.whole),
        "look_alikes_left_alone": _counted(passes.part, passes.whole),
    }
