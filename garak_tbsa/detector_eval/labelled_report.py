# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A garak report and labels of its outputs -> raw records, so that real scans count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from garak_tbsa.detector_eval.formats import NumberedRecord
from garak_tbsa.detector_eval.report_labels import ReportLabel, ReportLabels, row_id
from garak_tbsa.garak_files.attempts import Attempt, read_attempts


def read_labelled_report(path: str, labels: ReportLabels) -> Iterator[NumberedRecord]:
    """Yield a raw record for each labelled output, numbered by its attempt's line.

    Parameters
    ----------
    path : str
        A garak report, whatever ``score`` reads.
    labels : ReportLabels
        Those of outputs that this report lacks are of another one.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    for attempt in read_attempts(path):
        name = attempt.uuid or f"line {attempt.line}"
        for index in range(len(attempt.outputs)):
            for label in labels.by_output.get((name, index), ()):
                yield attempt.line, _record(attempt, name, index, label)


def _record(
    attempt: Attempt, name: str, index: int, label: ReportLabel
) -> dict[str, Any]:
    """What of an attempt a labelled row needs."""
    output = attempt.outputs[index]
    return {
        "id": row_id(name, index),
        "detector": label.detector,
        "output": output.text,
        "label": label.label,
        "annotations": dict(label.annotations) or None,
        "prompt": attempt.prompt,
        "notes": attempt.notes,
        "goal": attempt.goal,
        "probe": attempt.probe,
        "lang": output.lang,
        "slice": attempt.probe,
        "source": "garak report",
    }
