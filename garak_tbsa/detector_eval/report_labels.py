# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of a report's outputs, matched to them, and the rows that these make.

``audit`` reads and matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from garak_tbsa.detector_eval.agreement import Agreement
from garak_tbsa.detector_eval.labelled_row import Label
from garak_tbsa.detector_eval.sources import NumberedRecord
from garak_tbsa.garak_files.attempts import read_attempts


class ReportStratum(NamedTuple):
    """Outputs that a report's detector judged alike.

    Attributes
    ----------
    probe : str
    flagged : bool
        What the report says of them.
    """

    probe: str
    flagged: bool


@dataclass(frozen=True, kw_only=True)
class ReportLabel:
    """The truth about one output, for one detector.

    Attributes
    ----------
    detector : str
    label : "hit" or "pass"
        Of the majority.
    annotations : mapping of rater to label
        Empty where one person labelled it.
    """

    detector: str
    label: Label
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ReportLabels:
    """What people said of the outputs of reports.

    Attributes
    ----------
    by_output : mapping of (attempt, output index) to sequence of ReportLabel
    stratum_of : mapping of (detector, row id) to ReportStratum
        Of labelled outputs that the detector judged in the scan.
    sizes : mapping of detector to mapping of ReportStratum to int
        All its outputs, labelled or not; detectors that judged none are not there.
    problems : tuple of str
        Labels that were not used, a line each.
    blank, skipped, ties, picked : int
        Rows without an answer; answers that are no judgement; outputs on which raters
        are divided evenly; labels of outputs that a person picked.
    agreement : Agreement or None
        Of raters on outputs that several labelled; None where there are none.
    """

    by_output: Mapping[tuple[str, int], Sequence[ReportLabel]]
    stratum_of: Mapping[tuple[str, str], ReportStratum] = field(default_factory=dict)
    sizes: Mapping[str, Mapping[ReportStratum, int]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    blank: int = 0
    skipped: int = 0
    ties: int = 0
    picked: int = 0
    agreement: Agreement | None = None


@dataclass(frozen=True, kw_only=True)
class LabelsRequest:
    """Files of labels for the garak reports among the data.

    Attributes
    ----------
    paths : tuple of str
    match : callable
        The reports' paths, and the detector of labels that name none -> labels.
    """

    paths: tuple[str, ...]
    match: Callable[[Sequence[str], str | None], ReportLabels]


def row_id(attempt: str, index: int) -> str:
    """Return the id of a labelled row that is an output of a report."""
    return f"{attempt}/{index}"


def labelled_records(path: str, labels: ReportLabels) -> Iterator[NumberedRecord]:
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
        for index, output in enumerate(attempt.outputs):
            for label in labels.by_output.get((name, index), ()):
                yield (
                    attempt.line,
                    {
                        "id": row_id(name, index),
                        "detector": label.detector,
                        "output": output.text,
                        "label": label.label,
                        "annotations": dict(label.annotations),
                        "prompt": attempt.prompt,
                        "notes": attempt.notes,
                        "goal": attempt.goal,
                        "probe": attempt.probe,
                        "lang": output.lang,
                        "slice": attempt.probe,
                        "source": "garak report",
                        "basis": "real",
                    },
                )
