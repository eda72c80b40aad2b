# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labels and reports -> labelled rows of detectors, each with its stratum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import chain

from garak_tbsa.detector_eval.report_labels import (
    LabelsRequest,
    ReportLabel,
    ReportLabels,
    ReportStratum,
    row_id,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import read_attempts, stated_settings
from garak_tbsa.labels.label_files import AS_WRITTEN, LabelReading, read_label_file
from garak_tbsa.labels.matching import MatchedLabels, match_labels
from garak_tbsa.labels.scan import ScanOutputs, StratumKey, outputs_of

NO_PROBE = ""
"""Of outputs that a detector did not judge in the scan."""


def labels_request(
    paths: Sequence[str], reading: LabelReading = AS_WRITTEN
) -> LabelsRequest:
    """Return what a ``DataRequest`` asks for to have labels of its reports."""
    return LabelsRequest(
        paths=tuple(paths),
        reading=asdict(reading),
        match=partial(report_labels, tuple(paths), reading),
    )


def report_labels(
    paths: Sequence[str],
    reading: LabelReading,
    reports: Sequence[str],
    detector: str | None = None,
) -> ReportLabels:
    """Read labels and match them to the outputs of reports.

    A detector that judged nothing in the reports may be labelled too: its rows then
    count alike, since nothing is known of how they were drawn.

    Parameters
    ----------
    paths : sequence of str
        Files of labels.
    reading : LabelReading
    reports : sequence of str
        Their paths.
    detector : str or None
        Of labels that name none.

    Raises
    ------
    DatasetError
        A file cannot be read, or none of the labels can be used.
    ReportError
        A report cannot be read.
    """
    files = [read_label_file(path, reading) for path in paths]
    # strata are those that labels were drawn from, so by the scan's own threshold
    attempts = chain.from_iterable(map(read_attempts, reports))
    outputs = outputs_of(attempts, stated_settings(reports[0]).eval_threshold)
    judges = outputs.detectors | {name for _, name in outputs.unscored}
    named = {label.detector for file in files for label in file.labels} | {detector}
    unjudged = {
        StratumKey(NO_PROBE, name, flagged=False): sorted(outputs.lengths)
        for name in named
        if name and name not in judges
    }
    with_unjudged = replace(outputs, strata={**outputs.strata, **unjudged})
    matched = match_labels(files, with_unjudged, detector)
    if not matched.truth:
        left_out = matched.left_out()
        why = matched.problems[:1] or ["write hit or pass into the label column"]
        raise DatasetError(
            f"{', '.join(paths)}: no label that can be used"
            + f" ({left_out})" * bool(left_out)
            + f"; {why[0]}"
        )
    return _labelled(matched, outputs)


def _labelled(matched: MatchedLabels, outputs: ScanOutputs) -> ReportLabels:
    by_output: defaultdict[tuple[str, int], list[ReportLabel]] = defaultdict(list)
    for (place, detector), is_hit in matched.truth.items():
        by_rater = matched.answers[place, detector]
        said = {rater: own[-1] for rater, own in by_rater.items()}
        by_output[place].append(
            ReportLabel(
                detector=detector,
                label="hit" if is_hit else "pass",
                annotations=said if len(said) > 1 else {},
            )
        )
    sizes: defaultdict[str, dict[ReportStratum, int]] = defaultdict(dict)
    stratum_of: dict[tuple[str, str], ReportStratum] = {}
    for key, own in outputs.strata.items():
        stratum = ReportStratum(probe=key.probe, flagged=key.flagged)
        sizes[key.detector][stratum] = len(own)
        for place in own:
            if (place, key.detector) in matched.truth:
                stratum_of[key.detector, row_id(*place)] = stratum
    return ReportLabels(
        by_output=by_output,
        stratum_of=stratum_of,
        sizes=sizes,
        problems=matched.problems,
        blank=matched.blank,
        skipped=matched.skipped,
        ties=matched.ties,
        picked=matched.picked,
        agreement=matched.agreement,
    )
