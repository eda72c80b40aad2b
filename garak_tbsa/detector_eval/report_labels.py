# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What people said of a report's outputs, and the rows that this makes.

``audit`` reads files of labels and matches them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import (
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from msgspec import Struct

from garak_tbsa.detector_eval.agreement import Agreement, agreement_of
from garak_tbsa.detector_eval.sources import NumberedRecord
from garak_tbsa.report.attempts import read_attempts

HIT, PASS = "hit", "pass"


class Place(Struct, frozen=True, order=True):
    """An output of a report.

    Attributes
    ----------
    attempt : str
        The attempt's uuid; ``line N`` where it has none.
    output_index : int
        From 0.
    """

    attempt: str
    output_index: int


Judged: TypeAlias = tuple[Place, str]
"""An output and the detector that judged it."""

Said: TypeAlias = tuple[int, int]
"""How many answers about one output are hit, and how many pass."""


class StratumKey(Struct, frozen=True, order=True):
    """What the outputs that a report's detector judged alike have in common.

    Attributes
    ----------
    probe, detector : str
    flagged : bool
        What the report says of them.
    """

    probe: str
    detector: str
    flagged: bool


def counted(answers: Iterable[str]) -> Said:
    """Count the answers about one output: hits and passes."""
    counts = Counter(answers)
    return counts[HIT], counts[PASS]


@dataclass(frozen=True, kw_only=True)
class ReportLabels:
    """What people said of the outputs of reports.

    Attributes
    ----------
    answers : mapping of (Place, detector) to mapping of rater to sequence of answers
        ``hit`` and ``pass`` alone; one for each time that the output was shown.
    passed_over : sequence of (Place, detector)
        Outputs about which nobody said more than ``skip`` or ``unsure``, and those
        whose cell of a sheet was left blank.
    stratum_of : mapping of (detector, row id) to StratumKey
        Of labelled outputs that the detector judged in the scan.
    sizes : mapping of detector to mapping of StratumKey to int
        All its outputs, labelled or not; detectors that judged none are not there.
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
    stratum_of: Mapping[tuple[str, str], StratumKey] = field(default_factory=dict)
    sizes: Mapping[str, Mapping[StratumKey, int]] = field(default_factory=dict)
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

    @cached_property
    def agreement(self) -> Agreement | None:
        """How far raters agree on outputs that several of them labelled."""
        return agreement_of(
            {rater: own[0] for rater, own in said.items()}
            for said in self.answers.values()
        )

    def raters_of(self, detectors: Container[str]) -> tuple[str, ...]:
        """Return who gave the answers about outputs of detectors, by name."""
        found = (
            rater
            for (_, detector), by_rater in self.answers.items()
            if detector in detectors
            for rater in by_rater
        )
        return tuple(sorted({*found}))

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


@dataclass(frozen=True, kw_only=True, slots=True)
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


def row_id(place: Place) -> str:
    """Return the id of a labelled row that is an output of a report."""
    return f"{place.attempt}/{place.output_index}"


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
    truths: defaultdict[Place, dict[str, bool]] = defaultdict(dict)
    for (place, detector), is_hit in labels.truth.items():
        truths[place][detector] = is_hit
    for attempt in read_attempts(path):
        name = attempt.uuid or f"line {attempt.line}"
        for index, output in enumerate(attempt.outputs):
            place = Place(name, index)
            for detector, is_hit in truths.get(place, {}).items():
                raters = labels.answers[place, detector]
                yield (
                    attempt.line,
                    {
                        "id": row_id(place),
                        "detector": detector,
                        "output": output.text,
                        "label": HIT if is_hit else PASS,
                        "annotations": {name: said[-1] for name, said in raters.items()}
                        if len(raters) > 1
                        else {},
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
