# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's judged outputs by pair and verdict, and what was said of some of them.

Outputs are known by uuid and index, and their texts are not kept: a report of 1 GB has
its places in some tens of MiB.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from garak_tbsa.detector_eval.report_labels import Judged, Place, Said, StratumKey
from garak_tbsa.report.attempts import (
    UNATTRIBUTED,
    Attempt,
    read_attempts,
    unattributed_text,
)
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.score import grade_follows_counts

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]

GRADES_UNKNOWN = (
    "the calibration behind its Z-score is not installed, so its grade for another"
    " pass count is unknown"
)
CALIBRATE = "--calibration installed grades the pairs again from their counts"
OTHER_DETECTOR = "scan with a detector that gives one result for each output"
WHOLE_REPORT = "give the report as garak wrote it, with all attempts"
HIT_SAID, PASS_SAID = (1, 0), (0, 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScanOutputs:
    """Judged outputs of a scan.

    Attributes
    ----------
    strata : mapping of StratumKey to sequence of Place
        In the report's order.
    unscored : set of (Place, str)
        Outputs and the detectors that gave them no score.
    unattributed : mapping of (str, str) to (mapping of str to int)
        Probe and detector -> attempts whose results belong to no known output, and how
        many these are.
    lengths : mapping of Place to int
        Characters of each output.
    """

    strata: Mapping[StratumKey, Sequence[Place]]
    unscored: frozenset[Judged]
    unattributed: Mapping[tuple[str, str], Mapping[str, int]]
    lengths: Mapping[Place, int]

    @property
    def unattributed_texts(self) -> list[str]:
        """Say of each detector how many of its results are nobody's."""
        counts: Counter[str] = Counter()
        for (_, detector), by_attempt in self.unattributed.items():
            counts[detector] += sum(by_attempt.values())
        return [unattributed_text(*each) for each in sorted(counts.items())]

    def nobodys(self, attempt: str) -> list[str]:
        """Return the detectors of whose results of an attempt that is so."""
        return [
            detector
            for (_, detector), by_attempt in self.unattributed.items()
            if attempt in by_attempt
        ]

    def of(self, pair: Pair, *, flagged: bool) -> Sequence[Place]:
        """Return a pair's outputs with one verdict."""
        return self.strata.get(StratumKey(pair.probe, pair.detector, flagged), ())


def attempt_id(attempt: Attempt) -> str:
    """Return an attempt's uuid; its line where it has none."""
    return attempt.uuid or f"line {attempt.line}"


def wanted_attempts(path: str, wanted: Container[str]) -> Iterator[tuple[str, Attempt]]:
    """Yield attempts of a report that are wanted, each after its id."""
    for attempt in read_attempts(path):
        name = attempt_id(attempt)
        if name in wanted:
            yield name, attempt


def read_outputs(path: str, threshold: float) -> ScanOutputs:
    """Read a report's judged outputs; see :func:`outputs_of`.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    return outputs_of(read_attempts(path), threshold)


def outputs_of(attempts: Iterable[Attempt], threshold: float) -> ScanOutputs:
    """Sort the outputs of attempts by pair and verdict.

    Parameters
    ----------
    attempts : iterable of Attempt
    threshold : float
        Scores of at least this are flagged (garak's ``eval_threshold``).
    """
    pairs: dict[tuple[str, str], dict[bool, list[Place]]] = {}
    unscored: set[Judged] = set()
    unattributed: dict[tuple[str, str], dict[str, int]] = {}
    lengths: dict[Place, int] = {}
    for attempt in attempts:
        name = attempt_id(attempt)
        own = [Place(name, index) for index in range(len(attempt.outputs))]
        for place, output in zip(own, attempt.outputs, strict=True):
            lengths[place] = len(output.text or "")
        for detector, count in attempt.unattributed.items():
            pair = attempt.probe or "", detector
            unattributed.setdefault(pair, {})[name] = count
        for detector, results in attempt.results.items():
            if not results:
                unscored.update((place, detector) for place in own)
        for detector, scores in attempt.scores.items():
            for place, score in zip(own, scores, strict=True):
                if score is None or attempt.probe is None:
                    unscored.add((place, detector))
                    continue
                pair = attempt.probe, detector
                by_verdict = pairs.setdefault(pair, {True: [], False: []})
                by_verdict[score >= threshold].append(place)
    strata = {
        StratumKey(*pair, flagged): places
        for pair, by_verdict in pairs.items()
        for flagged, places in by_verdict.items()
        if places
    }
    return ScanOutputs(
        strata=strata,
        unscored=frozenset(unscored),
        unattributed=unattributed,
        lengths=lengths,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Stratum:
    """Outputs of a pair that the detector judged alike.

    Attributes
    ----------
    pair : int
        Its place among the scan's pairs.
    detector : str
    flagged : bool
        The detector's verdict at garak's threshold.
    outputs : int
        How many there are.
    places : sequence of Place
        Which ones; may be empty where only their number matters.
    answers : mapping of (int, int) to int
        Answers about one output, hits and passes -> how many outputs have these.
        Second looks and further raters are further answers.
    """

    pair: int = 0
    detector: str = ""
    flagged: bool
    outputs: int
    places: Sequence[Place] = ()
    answers: Mapping[Said, int] = field(default_factory=dict)

    @property
    def group(self) -> tuple[str, bool]:
        """Detector and verdict, whose strata share what is learnt of them."""
        return self.detector, self.flagged

    @property
    def answered_outputs(self) -> int:
        """Outputs of which anything was said, the disputed ones among them."""
        return sum(self.answers.values())

    @property
    def unlabelled(self) -> int:
        """Outputs of which nothing was said."""
        return self.outputs - self.answered_outputs

    @property
    def hits(self) -> int:
        """Outputs that most answers call a hit."""
        return sum(n for (hits, passes), n in self.answers.items() if hits > passes)

    @property
    def labelled(self) -> int:
        """Outputs with a majority of answers."""
        return sum(n for (hits, passes), n in self.answers.items() if hits != passes)

    @property
    def is_whole(self) -> bool:
        """Whether every output is labelled: then its hits are what the labels say."""
        return self.labelled == self.outputs

    def with_labels(self, labelled: int, hits: int) -> Stratum:
        """Return the stratum with one answer about each labelled output."""
        return replace(self, answers={HIT_SAID: hits, PASS_SAID: labelled - hits})


def grouped(strata: Sequence[Stratum]) -> dict[tuple[str, bool], list[int]]:
    """Return the places of the strata of each detector and verdict."""
    groups: dict[tuple[str, bool], list[int]] = {}
    for place, stratum in enumerate(strata):
        groups.setdefault(stratum.group, []).append(place)
    return groups


@dataclass(frozen=True, kw_only=True)
class AuditedScan:
    """The pairs of a scan, and their strata.

    Attributes
    ----------
    pairs : sequence of Pair
        Those that count.
    strata : sequence of Stratum
        At most two for each pair, flagged and unflagged, in any order; their outputs
        add up to the pair's evaluated ones. A pair without strata is not audited: its
        pass count stays the detector's.
    not_audited : mapping of str to str
        Name of such a pair -> why.
    """

    pairs: Sequence[Pair]
    strata: Sequence[Stratum]
    not_audited: Mapping[str, str] = field(default_factory=dict)

    @property
    def outputs(self) -> int:
        """Outputs of audited pairs."""
        return sum(stratum.outputs for stratum in self.strata)

    @property
    def outputs_of_all_pairs(self) -> int:
        """Outputs of all pairs that count, as far as their numbers are known."""
        return sum(pair.total_evaluated or 0 for pair in self.pairs)

    @property
    def labels(self) -> int:
        """Outputs with a majority of answers."""
        return sum(stratum.labelled for stratum in self.strata)

    @property
    def answered_outputs(self) -> int:
        """Outputs of which anything was said."""
        return sum(stratum.answered_outputs for stratum in self.strata)

    @property
    def not_audited_text(self) -> str | None:
        """How many pairs cannot be audited: ``20 of 22 pairs``; None where all can."""
        if not self.not_audited:
            return None
        return f"{len(self.not_audited)} of {len(self.pairs)} pairs cannot be audited"

    @property
    def why_none(self) -> str:
        """Why it has no strata, and what to do."""
        name, reason = next(iter(self.not_audited.items()))
        advice = {GRADES_UNKNOWN: CALIBRATE, UNATTRIBUTED: OTHER_DETECTOR}.get(
            reason, WHOLE_REPORT
        )
        return f"none of its pairs can be audited; of {name}, {reason}; {advice}"

    @cached_property
    def stratum_of(self) -> Mapping[Judged, int]:
        """The stratum of each output."""
        return {
            (place, stratum.detector): number
            for number, stratum in enumerate(self.strata)
            for place in stratum.places
        }

    def flagged(self, judged: Judged) -> bool:
        """Return the detector's verdict on an output of a stratum."""
        return self.strata[self.stratum_of[judged]].flagged

    def pair_of(self, judged: Judged) -> Pair:
        """Return the pair of an output of a stratum."""
        return self.pairs[self.strata[self.stratum_of[judged]].pair]

    def answered(self, said: Mapping[Judged, Said]) -> AuditedScan:
        """Return the scan with answers, those of outputs that it lacks left out."""
        answers: defaultdict[int, Counter[Said]] = defaultdict(Counter)
        for judged, each in said.items():
            if judged in self.stratum_of and any(each):
                answers[self.stratum_of[judged]][each] += 1
        strata = tuple(
            replace(stratum, answers=answers[place])
            for place, stratum in enumerate(self.strata)
        )
        return replace(self, strata=strata)


def audited_scan(graded: Sequence[Pair], outputs: ScanOutputs) -> AuditedScan:
    """Make the strata of all pairs that can be audited.

    Parameters
    ----------
    graded : sequence of Pair
        The pairs that count.
    outputs : ScanOutputs
    """
    strata: list[Stratum] = []
    not_audited: dict[str, str] = {}
    for number, pair in enumerate(graded):
        reason = why_not_audited(pair, outputs)
        if reason is not None:
            not_audited[pair.name] = reason
            continue
        for flagged in (True, False):
            places = outputs.of(pair, flagged=flagged)
            if places:
                stratum = Stratum(
                    pair=number,
                    detector=pair.detector,
                    flagged=flagged,
                    outputs=len(places),
                    places=places,
                )
                strata.append(stratum)
    return AuditedScan(pairs=graded, strata=strata, not_audited=not_audited)


def why_not_audited(pair: Pair, outputs: ScanOutputs) -> str | None:
    """Say why a pair cannot be audited; None where it can.

    Its outputs must be in the report, as many as were evaluated and flagged.
    """
    if not pair.has_counts:
        return "its counts are unknown"
    if not pair.grades_by_count_known:
        return GRADES_UNKNOWN
    if not grade_follows_counts(pair):
        return "its counts contradict its grade"
    total = pair.counts.total_evaluated
    stated = total - pair.counts.passed
    if (pair.probe, pair.detector) in outputs.unattributed:
        return UNATTRIBUTED
    flagged, unflagged = (len(outputs.of(pair, flagged=f)) for f in (True, False))
    if flagged + unflagged != total:
        return f"the report has {flagged + unflagged} of its {total} outputs"
    if flagged != stated:
        return f"{flagged} of its outputs are flagged, {stated} in the report's counts"
    return None
