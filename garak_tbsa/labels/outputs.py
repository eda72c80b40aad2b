# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's judged outputs by pair and verdict, known by uuid and index.

Texts are not kept: a report of 1 GB has its places in some tens of MiB.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from garak_tbsa.garak_files.attempts import Attempt, read_attempts
from garak_tbsa.garak_files.measurement import PAIR_SEPARATOR
from garak_tbsa.garak_files.source import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.tbsa.grades import GradedPair, grade_follows_counts

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
    """

    probe: str
    detector: str
    flagged: list[Place] = field(default_factory=list)
    unflagged: list[Place] = field(default_factory=list)

    def of(self, *, flagged: bool) -> Sequence[Place]:
        """Return those with a verdict."""
        return self.flagged if flagged else self.unflagged


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
        Characters of each output.
    """

    pairs: Mapping[str, PairOutputs]
    unscored: frozenset[tuple[Place, str]]
    lengths: Mapping[Place, int]


def attempt_id(attempt: Attempt) -> str:
    """Return an attempt's uuid; its line where it has none."""
    return attempt.uuid or f"line {attempt.line}"


def wanted_attempts(
    path: str, wanted: Container[str], limits: ReadLimits = DEFAULT_LIMITS
) -> Iterator[tuple[str, Attempt]]:
    """Yield attempts of a report that are wanted, each after its id.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    for attempt in read_attempts(path, limits):
        name = attempt_id(attempt)
        if name in wanted:
            yield name, attempt


def read_outputs(
    path: str, threshold: float, limits: ReadLimits = DEFAULT_LIMITS
) -> ScanOutputs:
    """Read a report's judged outputs.

    Parameters
    ----------
    path : str
    threshold : float
        Scores of at least this are flagged (garak's ``eval_threshold``).
    limits : ReadLimits

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    return outputs_of(read_attempts(path, limits), threshold)


def outputs_of(attempts: Iterable[Attempt], threshold: float) -> ScanOutputs:
    """Sort the outputs of attempts by pair and verdict; see :func:`read_outputs`."""
    pairs: dict[str, PairOutputs] = {}
    unscored: set[tuple[Place, str]] = set()
    lengths: dict[Place, int] = {}
    for attempt in attempts:
        name = attempt_id(attempt)
        texts = [output.text or "" for output in attempt.outputs]
        own = [Place(name, index) for index in range(len(texts))]
        lengths.update(zip(own, map(len, texts), strict=True))
        for detector, scores in attempt.scores.items():
            unscored.update((place, detector) for place in own[len(scores) :])
            for place, score in zip(own, scores, strict=False):
                if score is None or attempt.probe is None:
                    unscored.add((place, detector))
                    continue
                pair = pairs.setdefault(
                    f"{attempt.probe}{PAIR_SEPARATOR}{detector}",
                    PairOutputs(probe=attempt.probe, detector=detector),
                )
                (pair.flagged if score >= threshold else pair.unflagged).append(place)
    return ScanOutputs(pairs=pairs, unscored=frozenset(unscored), lengths=lengths)


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
    count = 0 if found is None else len(found.flagged) + len(found.unflagged)
    if found is None or count != total:
        return COUNTS_DIFFER.format(found=count, stated=total)
    flagged = len(found.flagged)
    if flagged != total - passed:
        return VERDICTS_DIFFER.format(found=flagged, stated=total - passed)
    return None
