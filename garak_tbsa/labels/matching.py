# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels and a scan's outputs -> what was said of which, and what could not be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter

from garak_tbsa.detector_eval.report_labels import (
    Judged,
    LabelsRequest,
    Place,
    ReportLabels,
    StratumKey,
    row_id,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.labels.label_files import (
    AS_WRITTEN,
    JUDGEMENTS,
    UNDO,
    Label,
    LabelFile,
    LabelReading,
    read_label_file,
)
from garak_tbsa.labels.scan import ScanOutputs, outputs_of
from garak_tbsa.report.attempts import (
    UNATTRIBUTED,
    read_attempts,
    stated_settings,
)

OTHER_REPORT = "give the report that the labels were made from"


def match_labels(
    files: Sequence[LabelFile],
    outputs: ScanOutputs,
    detector: str | None = None,
    *,
    others_too: bool = False,
) -> ReportLabels:
    """Find the outputs that labels name.

    Parameters
    ----------
    files : sequence of LabelFile
    outputs : ScanOutputs
    detector : str or None
        Of labels that name none.
    others_too : bool
        Whether detectors may be labelled that judged nothing in the scan.
    """
    judges: defaultdict[Place, dict[str, StratumKey]] = defaultdict(dict)
    sizes: defaultdict[str, dict[StratumKey, int]] = defaultdict(dict)
    for key, places in outputs.strata.items():
        sizes[key.detector][key] = len(places)
        for place in places:
            judges[place][key.detector] = key
    others = {name for _, name in (*outputs.unscored, *outputs.unattributed)}
    known = sizes.keys() | others if others_too else None
    attempts = {place.attempt for place in outputs.lengths}
    found = _Collected()
    for file in files:
        found.problems += file.problems
        labels = file.labels
        if len(labels) > 1 and attempts.isdisjoint(x.place.attempt for x in labels):
            found.problems.append(
                f"{labels[0].where}: attempt {labels[0].place.attempt[:60]} is not in"
                " the report, nor is that of any other of the file's"
                f" {len(labels):,} labels; {OTHER_REPORT}"
            )
            found.summed_up += len(labels) - 1
            continue
        for label in (*labels, *file.unanswered):
            own, nobodys = judges[label.place], outputs.nobodys(label.place.attempt)
            judge, candidates = label.detector or detector, {*own, *nobodys}
            if judge is None and len(candidates) == 1:
                (judge,) = candidates
            problem = _problem(label.place, judge, own, nobodys, outputs, known)
            if problem is None:
                found.take(label, (label.place, judge or ""), replaces=file.replaces)
            elif label.answer:
                found.problems.append(f"{label.where}: {problem}")
    answers = found.answers()
    return ReportLabels(
        answers=answers,
        passed_over=[x for x in found.passed_over() if x not in answers],
        stratum_of={
            (judge, row_id(place)): judges[place][judge]
            for place, judge in answers
            if judge in judges[place]
        },
        sizes=sizes,
        skipped=sum(
            label.answer not in JUDGEMENTS
            for own in found.given.values()
            for label in own.values()
        ),
        blank=sum(each.blank for each in files),
        picked=sum(
            any(x.answer in JUDGEMENTS and not x.drawn for x in own.values())
            for own in found.given.values()
        ),
        problems=tuple(found.problems),
        unusable=len(found.problems) + found.summed_up,
    )


class _Collected:
    """Labels while they are gathered; those of an output by rater and look."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.summed_up = 0
        self.given: dict[Judged, dict[tuple[str, int], Label]] = {}
        self._blank: list[Judged] = []
        self._contradicted: set[tuple[Judged, str]] = set()

    def take(self, label: Label, judged: Judged, *, replaces: bool) -> None:
        """Take a label of an output that the report has."""
        if not label.answer:
            self._blank.append(judged)
            return
        given, by = self.given.setdefault(judged, {}), (label.rater, label.look)
        before = given.get(by)
        if label.answer == UNDO:
            given.pop(by, None)
        elif replaces or before is None or before.answer not in JUDGEMENTS:
            given[by] = label
        elif label.answer in JUDGEMENTS and label.answer != before.answer:
            self._contradicted.add((judged, label.rater))
            self.problems.append(
                f"{label.where}: says {label.answer}, and {before.where} says"
                f" {before.answer} of the same output; neither is used, correct one"
            )

    def answers(self) -> dict[Judged, dict[str, list[str]]]:
        """Return what counts of each output, by rater, in the order of the looks."""
        found: dict[Judged, dict[str, list[str]]] = {}
        for judged, labels in self.given.items():
            for (rater, _), label in sorted(labels.items(), key=itemgetter(0)):
                is_used = (judged, rater) not in self._contradicted
                if is_used and label.answer in JUDGEMENTS:
                    by_rater = found.setdefault(judged, {})
                    by_rater.setdefault(rater, []).append(label.answer)
        return found

    def passed_over(self) -> dict[Judged, None]:
        """Return what was skipped, or left blank: seen, and not judged."""
        skipped = (
            judged
            for judged, labels in self.given.items()
            if any(label.answer not in JUDGEMENTS for label in labels.values())
        )
        return dict.fromkeys((*skipped, *self._blank))


def _problem(
    place: Place,
    judge: str | None,
    judges: Collection[str],
    nobodys: Collection[str],
    outputs: ScanOutputs,
    known: Collection[str] | None,
) -> str | None:
    """Say why a label cannot be used; None where it can.

    Detectors that are not known may be labelled too, unless ``known`` is None.
    """
    if place not in outputs.lengths:
        return (
            f"attempt {place.attempt[:60]} has no output {place.output_index} in the"
            f" report; {OTHER_REPORT}"
        )
    if judge is None:
        return (
            f"names no detector, and {len({*judges, *nobodys})} judged this output; add"
            " a column `detector`"
        )
    if judge in nobodys:
        return (
            f"{judge} gave another number of results than the attempt has outputs, so"
            f" that {UNATTRIBUTED}"
        )
    if (place, judge) in outputs.unscored:
        return f"{judge} gave this output no score, so it is not counted"
    if judge not in judges and (known is None or judge in known):
        own = ", ".join(sorted(judges)) or "none"
        return f"{judge[:60]} did not judge this output; its detectors are {own}"
    return None


def labels_request(
    paths: Sequence[str], reading: LabelReading = AS_WRITTEN
) -> LabelsRequest:
    """Return what a ``DataRequest`` asks for to have labels of its reports."""
    return LabelsRequest(
        paths=tuple(paths),
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
    matched = match_labels(files, outputs, detector, others_too=True)
    if not matched.truth:
        left_out = matched.left_out()
        why = matched.problems[:1] or ["write hit or pass into the label column"]
        raise DatasetError(
            f"{', '.join(paths)}: no label that can be used"
            + f" ({left_out})" * bool(left_out)
            + f"; {why[0]}"
        )
    return matched
