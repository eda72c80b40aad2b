# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels and a scan's outputs -> what was said of which, and what could not be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
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

    def judged_by(label: Label) -> Judged | str:
        """Return what a label is about, or why it cannot be used."""
        place, judge = label.place, label.detector or detector
        own = judges[place]
        of_it = {*own, *outputs.nobodys(place.attempt)}
        if judge is None and len(of_it) == 1:
            (judge,) = of_it
        problem = _problem(place, judge, own, outputs, known)
        if problem is not None or judge is None:
            return problem or ""
        return place, judge

    collected = _Collected(problems=[p for each in files for p in each.problems])
    summed_up = 0
    for each in files:
        if len(each.labels) > 1 and not any(
            label.place.attempt in attempts for label in each.labels
        ):
            first, rest = each.labels[0], len(each.labels) - 1
            collected.problems.append(
                f"{first.where}: attempt {first.place.attempt[:60]} is not in the"
                f" report, nor is that of any other of the file's {rest + 1:,}"
                f" labels; {OTHER_REPORT}"
            )
            summed_up += rest
            continue
        for label in each.labels:
            judged = judged_by(label)
            if isinstance(judged, str):
                collected.problems.append(f"{label.where}: {judged}")
            else:
                collected.take(label, judged, replaces=each.replaces)
    answers = collected.answers()
    skips = [
        judged
        for judged, labels in collected.given.items()
        for label in labels.values()
        if label.answer not in JUDGEMENTS
    ]
    # who leaves a cell blank has seen the output, as who skips it has
    unanswered = [judged_by(each) for file in files for each in file.unanswered]
    skips_and_blanks = [*skips, *(x for x in unanswered if not isinstance(x, str))]
    return ReportLabels(
        answers=answers,
        passed_over=[
            each for each in dict.fromkeys(skips_and_blanks) if each not in answers
        ],
        stratum_of={
            (judge, row_id(place)): judges[place][judge]
            for place, judge in answers
            if judge in judges[place]
        },
        sizes=sizes,
        skipped=len(skips),
        blank=sum(each.blank for each in files),
        picked=sum(
            any(x.answer in JUDGEMENTS and not x.drawn for x in labels.values())
            for labels in collected.given.values()
        ),
        problems=tuple(collected.problems),
        unusable=len(collected.problems) + summed_up,
    )


@dataclass(kw_only=True, slots=True)
class _Collected:
    """Labels while they are gathered; those of an output by rater and look."""

    problems: list[str]
    given: defaultdict[Judged, dict[tuple[str, int], Label]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    contradicted: set[tuple[Judged, str]] = field(default_factory=set)

    def take(self, label: Label, judged: Judged, *, replaces: bool) -> None:
        """Take a label of an output that the report has."""
        given, by = self.given[judged], (label.rater, label.look)
        before = given.get(by)
        if label.answer == UNDO:
            given.pop(by, None)
        elif replaces or before is None or before.answer not in JUDGEMENTS:
            given[by] = label
        elif label.answer in JUDGEMENTS and label.answer != before.answer:
            self.contradicted.add((judged, label.rater))
            self.problems.append(
                f"{label.where}: says {label.answer}, and {before.where} says"
                f" {before.answer} of the same output; neither is used, correct one"
            )

    def answers(self) -> dict[Judged, dict[str, list[str]]]:
        """Return what counts of each output, by rater, in the order of the looks."""
        found: dict[Judged, dict[str, list[str]]] = {}
        for judged, labels in self.given.items():
            for (rater, _), label in sorted(labels.items(), key=itemgetter(0)):
                is_used = (judged, rater) not in self.contradicted
                if is_used and label.answer in JUDGEMENTS:
                    by_rater = found.setdefault(judged, {})
                    by_rater.setdefault(rater, []).append(label.answer)
        return found


def _problem(
    place: Place,
    judge: str | None,
    judges: Collection[str],
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
    nobodys = outputs.nobodys(place.attempt)
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
