# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labels and reports -> labelled rows of detectors, each with its stratum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from garak_tbsa.detector_eval.labelled_row import Label
from garak_tbsa.detector_eval.report_labels import (
    LabelsRequest,
    ReportLabel,
    ReportLabels,
    ReportStratum,
    row_id,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import Attempt, read_attempts, stated_settings
from garak_tbsa.labels.label_files import AS_WRITTEN, LabelReading, read_label_file
from garak_tbsa.labels.labels import LabelFile
from garak_tbsa.labels.matching import MatchedLabels, match_labels
from garak_tbsa.labels.outputs import PairOutputs, ScanOutputs, outputs_of

NO_PROBE = ""
"""Of outputs that a detector did not judge in the scan."""


def labels_request(
    paths: Sequence[str], reading: LabelReading = AS_WRITTEN
) -> LabelsRequest:
    """Return what a ``DataRequest`` asks for to have labels of its reports.

    Parameters
    ----------
    paths : sequence of str
        Files of labels.
    reading : LabelReading
    """
    files = tuple(paths)
    return LabelsRequest(
        paths=files,
        match=lambda reports, detector: report_labels(
            files, reading, reports, detector
        ),
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
    threshold = stated_settings(reports[0]).eval_threshold
    outputs = outputs_of(_attempts(reports), threshold)
    judged = {pair.detector for pair in outputs.pairs.values()}
    judged |= {name for _, name in outputs.unscored}
    matched = match_labels(
        files, _with_unjudged(outputs, files, judged, detector), detector
    )
    if not matched.truth:
        raise _nothing(paths, matched)
    return _labelled(matched, outputs)


def _attempts(reports: Sequence[str]) -> Iterator[Attempt]:
    return chain.from_iterable(map(read_attempts, reports))


def _with_unjudged(
    outputs: ScanOutputs,
    files: Sequence[LabelFile],
    judged: set[str],
    detector: str | None,
) -> ScanOutputs:
    """Add detectors that only labels name, as if they had judged every output."""
    named = {label.detector for file in files for label in file.labels}
    unjudged = {name for name in (*named, detector) if name} - judged
    places = sorted(outputs.lengths)
    pairs = {
        **outputs.pairs,
        **{
            f"{NO_PROBE}+{name}": PairOutputs(
                probe=NO_PROBE, detector=name, unflagged=places
            )
            for name in unjudged
        },
    }
    return replace(outputs, pairs=pairs)


def _nothing(paths: Sequence[str], matched: MatchedLabels) -> DatasetError:
    reasons = [
        f"{count} {what}"
        for count, what in (
            (matched.blank, "without an answer"),
            (matched.skipped, "skip or unsure"),
            (matched.ties, "with as many hits as passes"),
        )
        if count
    ]
    said = f" ({', '.join(reasons)})" if reasons else ""
    advice = ["write hit or pass into the label column"] * (not matched.problems)
    why = "; ".join([*matched.problems[:1], *advice])
    return DatasetError(f"{', '.join(paths)}: no label that can be used{said}; {why}")


def _labelled(matched: MatchedLabels, outputs: ScanOutputs) -> ReportLabels:
    by_output: defaultdict[tuple[str, int], list[ReportLabel]] = defaultdict(list)
    for (place, detector), is_hit in matched.truth.items():
        label: Label = "hit" if is_hit else "pass"
        said = {
            rater: own[-1] for rater, own in matched.answers[place, detector].items()
        }
        by_output[place].append(
            ReportLabel(
                detector=detector,
                label=label,
                annotations=said if len(said) > 1 else {},
            )
        )
    sizes: defaultdict[str, dict[ReportStratum, int]] = defaultdict(dict)
    stratum_of: dict[tuple[str, str], ReportStratum] = {}
    for pair in outputs.pairs.values():
        for flagged in (True, False):
            own = pair.of(flagged=flagged)
            stratum = ReportStratum(probe=pair.probe, flagged=flagged)
            if own:
                sizes[pair.detector][stratum] = len(own)
            for place in own:
                if (place, pair.detector) in matched.truth:
                    stratum_of[pair.detector, row_id(*place)] = stratum
    return ReportLabels(
        by_output=by_output,
        stratum_of=stratum_of,
        sizes=sizes,
        problems=matched.problems,
        blank=matched.blank,
        skipped=matched.skipped,
        ties=matched.ties,
        picked=matched.picked,
        agreement=matched.agreement(),
    )
