# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels and a scan's outputs -> cells, and what of the labels could not be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from garak_tbsa.detector_eval.agreement import Agreement, AgreementTally
from garak_tbsa.label_audit.cells import AuditedScan, Cell
from garak_tbsa.label_audit.labels import JUDGEMENTS, UNDO, Label, LabelFile, majority
from garak_tbsa.label_audit.outputs import Place, ScanOutputs, why_not_audited
from garak_tbsa.tbsa.grades import GradedPair

Judged = tuple[Place, str]
"""An output and the detector that judged it."""


@dataclass(frozen=True, kw_only=True)
class MatchedLabels:
    """The truth about labelled outputs.

    Attributes
    ----------
    truth : mapping of (Place, detector) to bool
        True for a hit; by the majority of raters.
    answers : mapping of (Place, detector) to mapping of rater to answer
        ``hit`` and ``pass`` alone.
    ties : int
        Outputs on which as many raters said hit as pass; they count as not labelled.
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

    truth: Mapping[Judged, bool]
    answers: Mapping[Judged, Mapping[str, str]]
    ties: int
    skipped: int
    blank: int
    picked: int
    problems: tuple[str, ...]
    unusable: int

    @property
    def labelled(self) -> int:
        """Outputs with a truth."""
        return len(self.truth)

    def agreement(self) -> Agreement | None:
        """Return how far raters agree on outputs that several of them labelled."""
        several = [said for said in self.answers.values() if len(said) > 1]
        if not several:
            return None
        tally = AgreementTally()
        for said in several:
            tally.add_labels(said)
        return tally.result()


@dataclass(frozen=True, kw_only=True)
class AuditInput:
    """A scan that can be audited, and what of it cannot.

    Attributes
    ----------
    scan : AuditedScan
        All pairs that count; those in ``not_audited`` have no cells.
    places : sequence of sequence of Place
        The outputs of each cell that were kept by name, in the order of
        ``scan.cells``.
    not_audited : mapping of str to str
        Pair name -> why.
    """

    scan: AuditedScan
    places: Sequence[Sequence[Place]]
    not_audited: Mapping[str, str]


@dataclass(kw_only=True)
class _Collected:
    """Labels of one output and detector while they are gathered."""

    by_rater: dict[str, Label] = field(default_factory=dict)
    contradicted: set[str] = field(default_factory=set)


def match_labels(
    files: Sequence[LabelFile], outputs: ScanOutputs, detector: str | None = None
) -> MatchedLabels:
    """Find the outputs that labels name; a majority of raters makes the truth.

    Parameters
    ----------
    files : sequence of LabelFile
    outputs : ScanOutputs
    detector : str or None
        Of labels that name none.
    """
    problems = [problem for each in files for problem in each.problems]
    collected: defaultdict[Judged, _Collected] = defaultdict(_Collected)
    judges = _judges(outputs)
    skipped = told_together = 0
    for each in files:
        if _is_of_another_report(each, outputs):
            problems.append(_another_report(each))
            told_together += len(each.labels) - 1
            continue
        for label in each.labels:
            problem = _problem(label, outputs, judges, detector)
            if problem is not None:
                problems.append(f"{label.where}: {problem}")
                continue
            place = Place(label.attempt, label.output_index)
            key = (place, _detector_of(label, place, judges, detector))
            if label.answer == UNDO:
                collected[key].by_rater.pop(label.rater, None)
                continue
            if label.answer not in JUDGEMENTS:
                skipped += 1
                if not each.replaces:
                    continue
            problems += _take(collected[key], label, replaces=each.replaces)
    truth, answers, ties = _majorities(collected)
    return MatchedLabels(
        truth=truth,
        answers=answers,
        ties=ties,
        skipped=skipped,
        blank=sum(each.blank for each in files),
        picked=sum(
            not label.drawn and label.answer in JUDGEMENTS
            for each in collected.values()
            for label in each.by_rater.values()
        ),
        problems=tuple(problems),
        unusable=len(problems) + told_together,
    )


def _is_of_another_report(file: LabelFile, outputs: ScanOutputs) -> bool:
    """Whether a file has several labels and none is of an attempt of this report."""
    if len(file.labels) < 2:
        return False
    named = {label.attempt for label in file.labels}
    return not any(place.attempt in named for place in outputs.places)


def _another_report(file: LabelFile) -> str:
    first = file.labels[0]
    return (
        f"{first.where}: attempt {first.attempt[:60]} is not in the report, nor is"
        f" that of any other of the file's {len(file.labels):,} labels; give the"
        " report that the labels were made from"
    )


def _judges(outputs: ScanOutputs) -> Mapping[Place, set[str]]:
    """Return the detectors that judged each output."""
    judges: defaultdict[Place, set[str]] = defaultdict(set)
    for pair in outputs.pairs.values():
        for places in (pair.flagged, pair.unflagged):
            for place in places:
                judges[place].add(pair.detector)
    return judges


def _problem(
    label: Label,
    outputs: ScanOutputs,
    judges: Mapping[Place, set[str]],
    detector: str | None,
) -> str | None:
    place = Place(label.attempt, label.output_index)
    known = judges.get(place, set())
    asked = label.detector or detector
    if place not in outputs.places:
        return (
            f"attempt {label.attempt[:60]} has no output {label.output_index} in the"
            " report; give the report that the labels were made from"
        )
    if asked is None and len(known) != 1:
        return (
            f"names no detector, and {len(known)} judged this output; add a column"
            " `detector`"
        )
    if asked is not None and (place, asked) in outputs.unscored:
        return f"{asked} gave this output no score, so it is not counted"
    if asked is not None and asked not in known:
        judged = ", ".join(sorted(known)) or "none"
        return f"{asked[:60]} did not judge this output; its detectors are {judged}"
    return None


def _detector_of(
    label: Label,
    place: Place,
    judges: Mapping[Place, set[str]],
    detector: str | None,
) -> str:
    return label.detector or detector or next(iter(judges[place]))


def _take(collected: _Collected, label: Label, *, replaces: bool) -> Iterator[str]:
    before = collected.by_rater.get(label.rater)
    if before is None or replaces:
        collected.by_rater[label.rater] = label
    elif before.answer != label.answer:
        collected.contradicted.add(label.rater)
        yield (
            f"{label.where}: says {label.answer}, and {before.where} says"
            f" {before.answer} of the same output; neither is used, correct one"
        )


def _majorities(
    collected: Mapping[Judged, _Collected],
) -> tuple[dict[Judged, bool], dict[Judged, dict[str, str]], int]:
    truth: dict[Judged, bool] = {}
    answers: dict[Judged, dict[str, str]] = {}
    ties = 0
    for key, each in collected.items():
        said = {
            rater: label.answer
            for rater, label in each.by_rater.items()
            if rater not in each.contradicted and label.answer in JUDGEMENTS
        }
        if not said:
            continue
        answers[key] = said
        is_hit = majority(said.values())
        if is_hit is None:
            ties += 1
        else:
            truth[key] = is_hit
    return truth, answers, ties


def audit_input(
    graded: Sequence[GradedPair], outputs: ScanOutputs, truth: Mapping[Judged, bool]
) -> AuditInput:
    """Make the cells of all pairs that can be audited.

    Parameters
    ----------
    graded : sequence of GradedPair
        The pairs that count.
    outputs : ScanOutputs
    truth : mapping of (Place, detector) to bool
    """
    cells: list[Cell] = []
    places: list[Sequence[Place]] = []
    not_audited: dict[str, str] = {}
    for number, pair in enumerate(graded):
        reason = why_not_audited(pair, outputs)
        if reason is not None:
            not_audited[pair.name] = reason
            continue
        found = outputs.pairs[pair.name]
        for flagged in (True, False):
            outputs_there = found.number(flagged=flagged)
            if not outputs_there:
                continue
            own = found.of(flagged=flagged)
            said = [truth.get((place, pair.detector)) for place in own]
            cells.append(
                Cell(
                    pair=number,
                    detector=pair.detector,
                    flagged=flagged,
                    outputs=outputs_there,
                    labelled=sum(each is not None for each in said),
                    hits=sum(each is True for each in said),
                )
            )
            places.append(own)
    return AuditInput(
        scan=AuditedScan(pairs=tuple(graded), cells=tuple(cells)),
        places=places,
        not_audited=not_audited,
    )
