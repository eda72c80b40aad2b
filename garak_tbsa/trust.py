# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far detectors are to be trusted: by labels of this scan, own metrics, ours."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from garak_tbsa.detector_eval.data import shipped_folder
from garak_tbsa.detector_eval.summary import (
    MeasuredDetector,
    Summary,
    read_summary,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.evidence import ON_SCAN, OWN, SHIPPED, DetectorTrust, Share
from garak_tbsa.labels.detectors import DetectorOnScan, detectors_on_scan
from garak_tbsa.labels.label_files import LabelFile, read_label_file
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.scan import ScanOutputs, audited_scan
from garak_tbsa.report.places import METRICS_FILE, labels_path
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.unavailable import Unavailable

Summaries = Sequence[tuple[str, Summary]]
"""In the order in which they are asked, each with its basis: own or shipped."""


def read_metrics(chosen: str | None, installed: str, problems: list[str]) -> Summaries:
    """Read the summaries of detector metrics that there are.

    Parameters
    ----------
    chosen : str or None
        Named by the user.
    installed : str
        Where garak reads what the user made, if that is there.
    problems : list of str
        Takes why another one cannot be read.

    Raises
    ------
    DatasetError
        The one that the user named cannot be read.
    """
    found = [] if chosen is None else [(OWN, read_summary(chosen))]
    for basis, path in ((OWN, installed), (SHIPPED, None)):
        try:
            if path is None:
                path = os.path.join(os.path.dirname(shipped_folder()), METRICS_FILE)
            if basis == SHIPPED or os.path.isfile(path):
                found.append((basis, read_summary(path)))
        except DatasetError as error:
            problems.append(str(error))
    return found


def labels_beside(report: str) -> LabelFile | None:
    """Read the labels that ``garak-tbsa label`` left beside a report, if it did.

    Raises
    ------
    DatasetError
        The file is no file of labels.
    """
    path = labels_path(report)
    if "://" in report or not os.path.isfile(path) or os.path.samefile(path, report):
        return None
    return read_label_file(path)


def trust_by_labels(
    graded: Sequence[Pair], outputs: ScanOutputs, labels: LabelFile
) -> dict[str, DetectorTrust]:
    """Hold detectors against labels of the scan's outputs.

    Parameters
    ----------
    graded : sequence of Pair
    outputs : ScanOutputs
    labels : LabelFile
    """
    matched = match_labels([labels], outputs)
    said = matched.said
    strata = audited_scan(graded, outputs).answered(said).strata if said else ()
    return {
        judged.detector: _by_labels(
            judged, labels.path, matched.raters_of({judged.detector})
        )
        for judged in detectors_on_scan(strata)
    }


def trust_in(
    detector: str, metrics: Summaries, on_scan: Mapping[str, DetectorTrust]
) -> DetectorTrust | Unavailable:
    """Return how far a detector is to be trusted, by the best that is known.

    Parameters
    ----------
    detector : str
    metrics : sequence of (str, Summary)
        From :func:`read_metrics`.
    on_scan : mapping of str to DetectorTrust
        By labels of this scan's outputs; empty where there are none.
    """
    measured = [
        (basis, summary.source, summary.measured[detector])
        for basis, summary in metrics
        if detector in summary.measured
    ]
    stress = [each.stress for _, _, each in measured if each.stress is not None]
    known = [on_scan[detector]] if detector in on_scan else []
    for found in [*known, *(_by_metrics(*each) for each in measured)]:
        typical = (found.hits_found, found.passes_flagged)
        if typical != (None, None) or (stress and found.basis != ON_SCAN):
            if not stress:
                return found
            return replace(
                found,
                disguised_hits_found=_counted(stress[0].tp, stress[0].hits),
                look_alikes_flagged=_counted(stress[0].fp, stress[0].passes),
            )
    return Unavailable(reason="nobody has measured it on labelled responses")


def _by_labels(
    judged: DetectorOnScan, labels: str, raters: tuple[str, ...]
) -> DetectorTrust:
    found, left_alone = judged.shares["sensitivity"], judged.shares["specificity"]
    right = judged.shares["precision"]
    return DetectorTrust(
        detector=judged.detector,
        basis=ON_SCAN,
        source=labels,
        labels=judged.flagged_labels + judged.unflagged_labels,
        raters=raters,
        hits_found=None
        if isinstance(found, Unavailable)
        else Share(value=found.value, lower=found.lower, upper=found.upper),
        passes_flagged=None
        if isinstance(left_alone, Unavailable)
        else Share(
            value=1 - left_alone.value,
            lower=1 - left_alone.upper,
            upper=1 - left_alone.lower,
        ),
        wrong_flags=None if isinstance(right, Unavailable) else 1 - right.value,
    )


def _by_metrics(basis: str, source: str, entry: MeasuredDetector) -> DetectorTrust:
    counts, wrong = entry.counts, None
    if counts is None:
        # weighted by a draw from a scan, or of a summary that states no counts
        caught, left_alone = entry.sensitivity, entry.specificity
        found = None if caught is None else Share(value=caught)
        flagged = None if left_alone is None else Share(value=1 - left_alone)
    else:
        is_measured = entry.unmeasurable is None
        flags = counts.tp + counts.fp if is_measured else 0
        wrong = counts.fp / flags if flags else None
        found = _counted(counts.tp, counts.hits if is_measured else 0)
        flagged = _counted(counts.fp, counts.passes)
    return DetectorTrust(
        detector=entry.detector,
        basis=basis,
        source=source,
        hits_found=found,
        passes_flagged=flagged,
        wrong_flags=wrong,
        is_on_written_hits=entry.basis is not None and entry.basis.is_written,
    )


def _counted(part: int, whole: int) -> Share | None:
    return Share(value=part / whole, part=part, whole=whole) if whole else None
