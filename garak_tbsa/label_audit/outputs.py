# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's judged outputs by pair and verdict, known by uuid and index.

Texts are not kept: a report of 1 GB has its places in some tens of MiB.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from garak_tbsa.garak_files.attempts import Attempt, read_attempts
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.garak_files.measurement import PAIR_SEPARATOR
from garak_tbsa.tbsa.grade_counts import grade_follows_counts
from garak_tbsa.tbsa.grades import GradedPair

COUNTS_DIFFER = "the report has {found} of its {stated} outputs"
GRADES_UNKNOWN = (
    "the calibration behind its Z-score is not installed, so its grade for another"
    " pass count is unknown"
)
CALIBRATE = "--calibration installed grades the pairs again from their counts"
VERDICTS_DIFFER = "{found} of its outputs are flagged, {stated} in the report's counts"


class Place(NamedTuple):
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


@dataclass(kw_only=True)
class PairOutputs:
    """A pair's judged outputs, in the report's order.

    Attributes
    ----------
    probe, detector : str
    flagged, unflagged : list of Place
        Those that are kept by name.
    more_flagged, more_unflagged : int
        How many more there are.
    """

    probe: str
    detector: str
    flagged: list[Place] = field(default_factory=list)
    unflagged: list[Place] = field(default_factory=list)
    more_flagged: int = 0
    more_unflagged: int = 0

    @property
    def count(self) -> int:
        """How many there are."""
        return self.number(flagged=True) + self.number(flagged=False)

    def of(self, *, flagged: bool) -> Sequence[Place]:
        """Return those with a verdict that are kept by name."""
        return self.flagged if flagged else self.unflagged

    def number(self, *, flagged: bool) -> int:
        """Return how many have a verdict."""
        if flagged:
            return len(self.flagged) + self.more_flagged
        return len(self.unflagged) + self.more_unflagged


@dataclass(frozen=True, kw_only=True)
class ScanOutputs:
    """Judged outputs of a scan.

    Attributes
    ----------
    pairs : mapping of str to PairOutputs
        By ``probe+detector``.
    unscored : set of (Place, str)
        Outputs and the detectors that gave them no score.
    lengths : mapping of Place to int
        Outputs that are kept by name: all, or those of the attempts asked for; their
        characters.
    """

    pairs: Mapping[str, PairOutputs]
    unscored: frozenset[tuple[Place, str]]
    lengths: Mapping[Place, int]


def attempt_id(attempt: Attempt) -> str:
    """Return an attempt's uuid; its line where it has none."""
    return attempt.uuid or f"line {attempt.line}"


def read_outputs(
    path: str,
    threshold: float,
    limits: ReadLimits = DEFAULT_LIMITS,
    *,
    named: Container[str] | None = None,
) -> ScanOutputs:
    """Read a report's judged outputs.

    Parameters
    ----------
    path : str
    threshold : float
        Scores of at least this are flagged (garak's ``eval_threshold``).
    limits : ReadLimits
    named : container of str, optional
        Attempts whose outputs are kept by name. The others' are only counted, which
        takes no memory.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    return outputs_of(read_attempts(path, limits), threshold, named)


def outputs_of(
    attempts: Iterable[Attempt],
    threshold: float,
    named: Container[str] | None = None,
) -> ScanOutputs:
    """Sort the outputs of attempts by pair and verdict; see :func:`read_outputs`."""
    sorter = _Sorter(threshold)
    for attempt in attempts:
        name = attempt_id(attempt)
        if named is None or name in named:
            sorter.keep(attempt, name)
        else:
            sorter.count(attempt)
    return ScanOutputs(
        pairs=sorter.pairs,
        unscored=frozenset(sorter.unscored),
        lengths=sorter.lengths,
    )


class _Sorter:
    """Puts outputs into their pairs, attempt by attempt."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self.pairs: dict[str, PairOutputs] = {}
        self.unscored: set[tuple[Place, str]] = set()
        self.lengths: dict[Place, int] = {}

    def keep(self, attempt: Attempt, name: str) -> None:
        """Keep each output's name."""
        own = [Place(name, index) for index in range(attempt.output_count)]
        texts = (output.text or "" for output in attempt.outputs)
        self.lengths.update(zip(own, map(len, texts), strict=True))
        for detector, scores in attempt.scores.items():
            self.unscored.update((place, detector) for place in own[len(scores) :])
            for place, score in zip(own, scores, strict=False):
                if score is None or attempt.probe is None:
                    self.unscored.add((place, detector))
                    continue
                pair = self._pair(attempt.probe, detector)
                is_flagged = score >= self.threshold
                (pair.flagged if is_flagged else pair.unflagged).append(place)

    def count(self, attempt: Attempt) -> None:
        """Count outputs alone."""
        if attempt.probe is None:
            return
        for detector, scores in attempt.scores.items():
            judged = [
                each for each in scores[: attempt.output_count] if each is not None
            ]
            if judged:
                flagged = sum(score >= self.threshold for score in judged)
                pair = self._pair(attempt.probe, detector)
                pair.more_flagged += flagged
                pair.more_unflagged += len(judged) - flagged

    def _pair(self, probe: str, detector: str) -> PairOutputs:
        name = f"{probe}{PAIR_SEPARATOR}{detector}"
        pair = self.pairs.get(name)
        if pair is None:
            pair = PairOutputs(probe=probe, detector=detector)
            self.pairs[name] = pair
        return pair


def why_not_audited(pair: GradedPair, outputs: ScanOutputs) -> str | None:
    """Say why a pair cannot be audited; None where it can.

    Its outputs must be in the report, as many as were evaluated and flagged.
    """
    found = outputs.pairs.get(pair.name)
    total, passed = pair.total_evaluated, pair.passed
    if total is None or passed is None:
        return "its counts are unknown"
    if not pair.grades_by_count_known:
        return GRADES_UNKNOWN
    if not grade_follows_counts(pair):
        return "its counts contradict its grade"
    if found is None or found.count != total:
        count = 0 if found is None else found.count
        return COUNTS_DIFFER.format(found=count, stated=total)
    flagged = found.number(flagged=True)
    if flagged != total - passed:
        return VERDICTS_DIFFER.format(found=flagged, stated=total - passed)
    return None
