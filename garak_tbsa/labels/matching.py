# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels and a scan's outputs -> strata, and what of the labels could not be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import itemgetter

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.labels.labels import (
    JUDGEMENTS,
    UNDO,
    Label,
    LabelFile,
    counted,
)
from garak_tbsa.labels.outputs import Place, ScanOutputs, why_not_audited
from garak_tbsa.labels.strata import AuditedScan, Said, Stratum
from garak_tbsa.tbsa.grades import GradedPair

Judged = tuple[Place, str]
"""An output and the detector that judged it."""


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
    passed_over: Sequence[Judged]
    skipped: int
    blank: int
    picked: int
    problems: tuple[str, ...]
    unusable: int

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
    def disputed(self) -> tuple[Judged, ...]:
        """Outputs about which answers differ."""
        return tuple(judged for judged, said in self.said.items() if all(said))

    def left_out(self, unused: int) -> str:
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

    def agreement(self) -> Agreement | None:
        """Return how far raters agree on outputs that several of them labelled."""
        return agreement_of(
            {rater: own[0] for rater, own in said.items()}
            for said in self.answers.values()
        )


@dataclass(frozen=True, kw_only=True)
class AuditInput:
    """A scan that can be audited, and what of it cannot.

    Attributes
    ----------
    scan : AuditedScan
        All pairs that count; those in ``not_audited`` have no strata.
    places : sequence of sequence of Place
        The outputs of each stratum, in the order of ``scan.strata``.
    not_audited : mapping of str to str
        Pair name -> why.
    """

    scan: AuditedScan
    places: Sequence[Sequence[Place]]
    not_audited: Mapping[str, str]

    @cached_property
    def stratum_of(self) -> Mapping[Judged, int]:
        """The stratum of each output."""
        return {
            (place, stratum.detector): number
            for number, (stratum, own) in enumerate(
                zip(self.scan.strata, self.places, strict=True)
            )
            for place in own
        }

    def answered(self, said: Mapping[Judged, Said]) -> AuditedScan:
        """Return the scan with answers, those of outputs that it lacks left out."""
        by_stratum: defaultdict[int, list[Said]] = defaultdict(list)
        for judged, each in said.items():
            if judged in self.stratum_of and any(each):
                by_stratum[self.stratum_of[judged]].append(each)
        strata = tuple(
            stratum.with_answers(by_stratum[place])
            for place, stratum in enumerate(self.scan.strata)
        )
        return replace(self.scan, strata=strata)


@dataclass(kw_only=True)
class _Collected:
    """Labels of one output and detector while they are gathered."""

    given: dict[tuple[str, int], Label] = field(default_factory=dict)
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
    passed_over: dict[Judged, None] = {}
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
                collected[key].given.pop((label.rater, label.look), None)
                passed_over.pop(key, None)
                continue
            if label.answer not in JUDGEMENTS:
                skipped += 1
                passed_over[key] = None
                if not each.replaces:
                    continue
            problems += _take(collected[key], label, replaces=each.replaces)
    answers = _answers(collected)
    return MatchedLabels(
        answers=answers,
        passed_over=[key for key in passed_over if key not in answers],
        skipped=skipped,
        blank=sum(each.blank for each in files),
        picked=sum(
            not label.drawn and label.answer in JUDGEMENTS
            for each in collected.values()
            for label in each.given.values()
        ),
        problems=tuple(problems),
        unusable=len(problems) + told_together,
    )


def _is_of_another_report(file: LabelFile, outputs: ScanOutputs) -> bool:
    """Whether a file has several labels and none is of an attempt of this report."""
    if len(file.labels) < 2:
        return False
    named = {label.attempt for label in file.labels}
    return not any(place.attempt in named for place in outputs.lengths)


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
    if place not in outputs.lengths:
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
    key = label.rater, label.look
    before = collected.given.get(key)
    if before is None or replaces:
        collected.given[key] = label
    elif before.answer != label.answer:
        collected.contradicted.add(label.rater)
        yield (
            f"{label.where}: says {label.answer}, and {before.where} says"
            f" {before.answer} of the same output; neither is used, correct one"
        )


def _answers(
    collected: Mapping[Judged, _Collected],
) -> dict[Judged, dict[str, list[str]]]:
    answers: dict[Judged, dict[str, list[str]]] = {}
    for key, each in collected.items():
        for (rater, _), label in sorted(each.given.items(), key=itemgetter(0)):
            if rater not in each.contradicted and label.answer in JUDGEMENTS:
                by_rater = answers.setdefault(key, {})
                by_rater.setdefault(rater, []).append(label.answer)
    return answers


def audit_input(graded: Sequence[GradedPair], outputs: ScanOutputs) -> AuditInput:
    """Make the strata of all pairs that can be audited.

    Parameters
    ----------
    graded : sequence of GradedPair
        The pairs that count.
    outputs : ScanOutputs
    """
    strata: list[Stratum] = []
    places: list[Sequence[Place]] = []
    not_audited: dict[str, str] = {}
    for number, pair in enumerate(graded):
        reason = why_not_audited(pair, outputs)
        if reason is not None:
            not_audited[pair.name] = reason
            continue
        found = outputs.pairs[pair.name]
        for flagged in (True, False):
            own = found.of(flagged=flagged)
            if own:
                strata.append(
                    Stratum(
                        pair=number,
                        detector=pair.detector,
                        flagged=flagged,
                        outputs=len(own),
                    )
                )
                places.append(own)
    return AuditInput(
        scan=AuditedScan(pairs=tuple(graded), strata=tuple(strata)),
        places=places,
        not_audited=not_audited,
    )
