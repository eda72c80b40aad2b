# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels and a scan's outputs -> what was said of which, and what could not be used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from operator import itemgetter

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.report_labels import (
    LabelsRequest,
    ReportLabel,
    ReportLabels,
    ReportStratum,
    row_id,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import read_attempts, stated_settings
from garak_tbsa.labels.label_files import (
    AS_WRITTEN,
    HIT,
    JUDGEMENTS,
    PASS,
    UNDO,
    Label,
    LabelFile,
    LabelReading,
    Place,
    read_label_file,
)
from garak_tbsa.labels.scan import (
    Judged,
    Said,
    ScanOutputs,
    StratumKey,
    outputs_of,
)

NO_PROBE = ""
"""Of outputs that a detector did not judge in the scan."""

OTHER_REPORT = "give the report that the labels were made from"


def counted(answers: Iterable[str]) -> Said:
    """Count the answers about one output: hits and passes."""
    counts = Counter(answers)
    return counts[HIT], counts[PASS]


@dataclass(frozen=True, kw_only=True)
class MatchedLabels:
    """The truth about labelled outputs.

    Attributes
    ----------
    answers : mapping of (Place, detector) to mapping of rater to sequence of answers
        ``hit`` and ``pass`` alone; one for each time that the output was shown.
    passed_over : sequence of (Place, detector)
        Outputs about which nobody said more than ``skip`` or ``unsure``.
    skipped : int
        Answers ``skip`` and ``unsure``.
    blank : int
        Rows without an answer.
    picked : int
        Usable labels of outputs that a person picked.
    problems : tuple of str
        Labels that were not used, a line each; one line for a file none of whose labels
        is of this report.
    unusable : int
        Labels and rows that those lines tell of.
    """

    answers: Mapping[Judged, Mapping[str, Sequence[str]]]
    passed_over: Sequence[Judged] = ()
    skipped: int = 0
    blank: int = 0
    picked: int = 0
    problems: tuple[str, ...] = ()
    unusable: int = 0

    @cached_property
    def said(self) -> Mapping[Judged, Said]:
        """How many answers about each output are hits, and how many passes."""
        return {
            judged: counted(chain.from_iterable(by_rater.values()))
            for judged, by_rater in self.answers.items()
        }

    @cached_property
    def truth(self) -> Mapping[Judged, bool]:
        """Whether most answers about an output are hits; without ties."""
        return {
            judged: hits > passes
            for judged, (hits, passes) in self.said.items()
            if hits != passes
        }

    @property
    def ties(self) -> int:
        """Outputs with as many answers hit as pass."""
        return len(self.said) - len(self.truth)

    @property
    def disputed(self) -> Mapping[Judged, Said]:
        """Outputs about which answers differ."""
        return {judged: said for judged, said in self.said.items() if all(said)}

    def left_out(self, unused: int = 0) -> str:
        """Say how many answers did not count, and why.

        Parameters
        ----------
        unused : int
            Labelled outputs of pairs that do not count or were not audited.
        """
        counts = {
            "blank rows": self.blank,
            "skip or unsure": self.skipped,
            "as many hits as passes": self.ties,
            "of pairs that do not count or were not audited": unused,
            "could not be used": self.unusable,
        }
        return "; ".join(f"{noun}: {n:,}" for noun, n in counts.items() if n)

    @cached_property
    def agreement(self) -> Agreement | None:
        """How far raters agree on outputs that several of them labelled."""
        return agreement_of(
            {rater: own[0] for rater, own in said.items()}
            for said in self.answers.values()
        )


def match_labels(
    files: Sequence[LabelFile], outputs: ScanOutputs, detector: str | None = None
) -> MatchedLabels:
    """Find the outputs that labels name.

    Parameters
    ----------
    files : sequence of LabelFile
    outputs : ScanOutputs
    detector : str or None
        Of labels that name none.
    """
    judges: defaultdict[Place, set[str]] = defaultdict(set)
    for key, places in outputs.strata.items():
        for place in places:
            judges[place].add(key.detector)
    attempts = {place.attempt for place in outputs.lengths}
    collected = _Collected(problems=[p for each in files for p in each.problems])
    told_together = 0
    for each in files:
        if len(each.labels) > 1 and not any(
            label.place.attempt in attempts for label in each.labels
        ):
            first, others = each.labels[0], len(each.labels) - 1
            collected.problems.append(
                f"{first.where}: attempt {first.place.attempt[:60]} is not in the"
                f" report, nor is that of any other of the file's {others + 1:,}"
                f" labels; {OTHER_REPORT}"
            )
            told_together += others
            continue
        for label in each.labels:
            place = label.place
            own = judges[place]
            judge = label.detector or detector
            if judge is None and len(own) == 1:
                (judge,) = own
            problem = _problem(place, judge, own, outputs)
            if judge is None or problem is not None:
                collected.problems.append(f"{label.where}: {problem}")
            else:
                collected.take(label, (place, judge), replaces=each.replaces)
    answers = collected.answers()
    return MatchedLabels(
        answers=answers,
        passed_over=[each for each in collected.passed_over if each not in answers],
        skipped=collected.skipped,
        blank=sum(each.blank for each in files),
        picked=sum(
            label.answer in JUDGEMENTS and not label.drawn
            for labels in collected.given.values()
            for label in labels.values()
        ),
        problems=tuple(collected.problems),
        unusable=len(collected.problems) + told_together,
    )


@dataclass(kw_only=True)
class _Collected:
    """Labels while they are gathered; those of an output by rater and look."""

    problems: list[str]
    given: defaultdict[Judged, dict[tuple[str, int], Label]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    contradicted: set[tuple[Judged, str]] = field(default_factory=set)
    passed_over: dict[Judged, None] = field(default_factory=dict)
    skipped: int = 0

    def take(self, label: Label, judged: Judged, *, replaces: bool) -> None:
        """Take a label of an output that the report has."""
        given, asked = self.given[judged], (label.rater, label.look)
        if label.answer == UNDO:
            given.pop(asked, None)
            self.passed_over.pop(judged, None)
            return
        if label.answer not in JUDGEMENTS:
            self.skipped += 1
            self.passed_over[judged] = None
        if replaces:
            given[asked] = label
        elif label.answer in JUDGEMENTS:
            before = given.setdefault(asked, label)
            if before.answer != label.answer:
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
    place: Place, judge: str | None, judges: set[str], outputs: ScanOutputs
) -> str | None:
    """Say why a label cannot be used; None where it can."""
    if place not in outputs.lengths:
        return (
            f"attempt {place.attempt[:60]} has no output {place.output_index} in the"
            f" report; {OTHER_REPORT}"
        )
    if judge is None:
        return (
            f"names no detector, and {len(judges)} judged this output; add a column"
            " `detector`"
        )
    if (place, judge) in outputs.unscored:
        return f"{judge} gave this output no score, so it is not counted"
    if judge not in judges:
        known = ", ".join(sorted(judges)) or "none"
        return f"{judge[:60]} did not judge this output; its detectors are {known}"
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
