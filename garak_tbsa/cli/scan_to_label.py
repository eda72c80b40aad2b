# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report, read for labelling on a page."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from garak_tbsa.cli.parsers import assess_with
from garak_tbsa.detector_eval.labelled_row import detector_name
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.measurement import bare_probe
from garak_tbsa.labels.audit import AuditedScore
from garak_tbsa.labels.choice import next_strata, width_after
from garak_tbsa.labels.forms.wording import labels_text, score_text, tenths_text
from garak_tbsa.labels.outputs import (
    CALIBRATE,
    GRADES_UNKNOWN,
    ScanOutputs,
    read_outputs,
)
from garak_tbsa.labels.questions import LabellingTask, labelling_task
from garak_tbsa.labels.score import draw_scores
from garak_tbsa.labels.strata import AuditedScan
from garak_tbsa.tbsa.assessment import Assessment

MORE_LABELS = 20


@dataclass(frozen=True, kw_only=True)
class ScanToLabel:
    """A report, read for labelling.

    Attributes
    ----------
    assessment : Assessment
    outputs : ScanOutputs
    task : LabellingTask
    """

    assessment: Assessment
    outputs: ScanOutputs
    task: LabellingTask

    def summary(self, scan: AuditedScan) -> str:
        """Say what the labels make of the score, and what more of them would."""
        by_detectors = self.assessment.documented.tenths
        if not scan.asked:
            stated = tenths_text(by_detectors)
            return f"TBSA {stated} by detectors; nothing is labelled yet"
        drawn = draw_scores(scan, self.task.table)
        score = drawn.score
        both = AuditedScore(by_detectors=by_detectors, by_labels=score)
        said = f"TBSA {score_text(both)} by {labels_text(scan.labels)}"
        width = (score.upper - score.lower) / 10
        if sum(stratum.unlabelled for stratum in scan.strata) == 0 or not width:
            return said
        asked = next_strata(scan, self.task.table, MORE_LABELS)
        after = width_after(scan, drawn, asked) / 10
        return (
            f"{said}; {MORE_LABELS} more would bring the range from {width:.1f} to"
            f" about {after:.1f}"
        )


def read_scan(report: str, options: argparse.Namespace) -> ScanToLabel:
    """Read a report as the command's options ask.

    Raises
    ------
    DatasetError
        No output of it can be labelled.
    """
    assessment = assess_with(report, options)
    threshold = assessment.report.settings.eval_threshold
    outputs = read_outputs(report, threshold, assessment.report.limits)
    task = labelling_task(
        assessment.graded,
        outputs,
        seed=options.seed,
        detector=None if options.detector is None else detector_name(options.detector),
        probe=None if options.probe is None else bare_probe(options.probe),
    )
    if not task.outputs:
        raise DatasetError(f"{report}: {_why_nothing(task, assessment, options)}")
    return ScanToLabel(assessment=assessment, outputs=outputs, task=task)


def _why_nothing(
    task: LabellingTask, assessment: Assessment, options: argparse.Namespace
) -> str:
    """Say why there is nothing to label, and what to do."""
    for option, wanted, known in (
        ("--detector", options.detector, {p.detector for p in assessment.graded}),
        ("--probe", options.probe, {p.probe for p in assessment.graded}),
    ):
        if wanted is not None and bare_probe(detector_name(wanted)) not in known:
            return (
                f"{option} {wanted}: not in this report; it has"
                f" {', '.join(sorted(known))}"
            )
    if not task.not_audited:
        return (
            f"no output of --probe {options.probe} was judged by --detector"
            f" {options.detector}; leave one of them out"
        )
    pair, reason = next(iter(task.not_audited.items()))
    others = len(task.not_audited) - 1
    return (
        f"no output of it can be labelled: of {pair}, {reason}"
        + (f" (and {others} other pairs)" if others else "")
        + "; "
        + (
            CALIBRATE
            if reason == GRADES_UNKNOWN
            else "give the report as garak wrote it"
        )
    )
