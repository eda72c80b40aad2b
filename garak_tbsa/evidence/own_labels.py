# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels that ``garak-tbsa label`` left beside a report -> its detectors, as judged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from garak_tbsa.garak_files.attempts import Attempt
from garak_tbsa.garak_files.places import labels_path
from garak_tbsa.labels.detectors import DetectorOnScan, detectors_on_scan
from garak_tbsa.labels.label_files import LabelFile, read_label_file
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.scan import audited_scan, outputs_of
from garak_tbsa.tbsa.grades import GradedPair


def labels_beside(report: str) -> LabelFile | None:
    """Read the labels beside a report, None where there are none.

    Raises
    ------
    DatasetError
        The file is no file of labels.
    """
    path = labels_path(report)
    if "://" in report or not os.path.isfile(path) or os.path.samefile(path, report):
        return None
    return read_label_file(path)


def detectors_by_labels(
    graded: Sequence[GradedPair],
    attempts: Iterable[Attempt],
    labels: LabelFile,
    threshold: float,
) -> Mapping[str, DetectorOnScan]:
    """Hold detectors against labels of the scan, while its attempts come by.

    Parameters
    ----------
    graded : sequence of GradedPair
    attempts : iterable of Attempt
        All of them are read.
    labels : LabelFile
    threshold : float
        garak's ``eval_threshold``.
    """
    outputs = outputs_of(attempts, threshold)
    said = match_labels([labels], outputs).said
    if not said:
        return {}
    strata = audited_scan(graded, outputs).answered(said).strata
    return {judged.detector: judged for judged in detectors_on_scan(strata)}
