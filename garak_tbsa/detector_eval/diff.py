# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two summaries -> what changed, and which changes exceed noise.

Two intervals may overlap although the difference is clear, so the question is put
to the distributions: how likely is the new hit F1 below the old one, if each has
the Jeffreys posterior of its counts? Typical and stress rows are apart: hit F1 is of
typical rows, and the two shares of stress rows are put to the same question. Old and
new are drawn independently, as for rows that were labelled independently. On the same
rows a changed count is a change of the detector, however small; the probability then
says whether it would show on other rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy

from garak_tbsa.detector_eval.intervals import (
    IntervalOptions,
    hit_f1_of,
    plausible_counts,
)
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.seeding import generator_for
from garak_tbsa.detector_eval.stress import StressShare, stress_shares
from garak_tbsa.detector_eval.summary_file import (
    MeasuredDetector,
    Summary,
    SummaryMetadata,
)

DRAWS = 200_000
"""Puts the standard error of a probability near 0.025 at 0.0004."""

_SETTINGS = (
    "metrics_rows",
    "eval_threshold",
    "balance_datasets",
    "confidence",
    "random_seed",
)

TYPICAL_BLOCK = "typical"
STRESS_BLOCKS = {"hits_found": "stress hits", "passes_left_alone": "stress passes"}
"""Share -> what a verdict on it is called."""


class ChangeKind(str, Enum):
    """What became of a detector."""

    WORSE = "worse"
    BETTER = "better"
    WITHIN_NOISE = "within noise"
    UNKNOWN = "changed, noise unknown"
    NOT_COMPARABLE = "not comparable"
    UNCHANGED = "unchanged"
    LOST = "no longer evaluated"
    ADDED = "newly evaluated"


REGRESSIONS = (ChangeKind.WORSE, ChangeKind.LOST, ChangeKind.NOT_COMPARABLE)
"""What a gate fails for: also what it cannot judge."""


@dataclass(frozen=True, kw_only=True)
class StressChange:
    """One share of a detector's stress rows in both summaries.

    Attributes
    ----------
    block : str
        ``stress hits`` or ``stress passes``.
    kind : ChangeKind
        Lost and added where one summary has no such rows.
    old, new : StressShare
        Of no rows where that summary has none.
    probability_worse : float or None
        That the new share is below the old one; None where either has no rows.
    """

    block: str
    kind: ChangeKind
    old: StressShare
    new: StressShare
    probability_worse: float | None = None


@dataclass(frozen=True, kw_only=True)
class Change:
    """One detector in both summaries.

    Attributes
    ----------
    kind : ChangeKind
        Of hit F1 on typical rows.
    stress : tuple of StressChange
        Of each share that either summary has rows of; empty where one does not state
        stress rows.
    old, new : MeasuredDetector or None
        None where that summary has no metrics of it.
    probability_worse : float or None
        That the new hit F1 is below the old one; None where nothing tells, as where
        one was made from typical rows and the other from stress rows too.
    same_rows : bool or None
        Whether both used the same files; None where a summary does not say.
    reason : str or None
        Why it is no longer evaluated.
    """

    detector: str
    kind: ChangeKind
    old: MeasuredDetector | None
    new: MeasuredDetector | None
    probability_worse: float | None = None
    same_rows: bool | None = None
    reason: str | None = None
    stress: tuple[StressChange, ...] = ()

    @property
    def verdicts(self) -> Mapping[str, ChangeKind]:
        """What became of each block: typical, stress hits, stress passes."""
        return {
            TYPICAL_BLOCK: self.kind,
            **{change.block: change.kind for change in self.stress},
        }

    @property
    def is_changed(self) -> bool:
        """Whether any block differs."""
        return any(kind is not ChangeKind.UNCHANGED for kind in self.verdicts.values())


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Every detector of either summary, by name, and settings that differ."""

    changes: tuple[Change, ...]
    settings: Mapping[str, tuple[Any, Any]]

    def of(self, *kinds: ChangeKind) -> tuple[Change, ...]:
        """The changes that are of one of these kinds in any block."""
        return tuple(
            change
            for change in self.changes
            if any(kind in kinds for kind in change.verdicts.values())
        )


def diff(
    old: Summary, new: Summary, *, confidence: float = 0.95, seed: int = 42
) -> Difference:
    """Compare two summaries.

    Parameters
    ----------
    confidence : float
        Between 0 and 1: a detector is worse (better) where that is at least
        (1 + confidence) / 2 likely.
    """
    names = sorted({*old.measured, *new.measured})
    return Difference(
        changes=tuple(_change(name, old, new, confidence, seed) for name in names),
        settings={
            name: (before, after)
            for name, before, after in _settings(old.metadata, new.metadata)
            if before != after
        },
    )


def _settings(
    old: SummaryMetadata, new: SummaryMetadata
) -> Iterator[tuple[str, Any, Any]]:
    for name in _SETTINGS:
        yield name, getattr(old, name), getattr(new, name)
    for package in sorted({*old.versions, *new.versions}):
        yield package, old.versions.get(package), new.versions.get(package)


def _same_rows(name: str, old: Summary, new: Summary) -> bool | None:
    """Whether the same files, and the same kind of their rows, made the metrics."""
    before, after = old.measured[name], new.measured[name]
    if not before.data_sha256 or not after.data_sha256:
        return None
    return (
        before.data_sha256 == after.data_sha256
        and old.metadata.metrics_rows == new.metadata.metrics_rows
    )


def _change(
    name: str, old: Summary, new: Summary, confidence: float, seed: int
) -> Change:
    before, after = old.measured.get(name), new.measured.get(name)
    if before is None or after is None:
        return Change(
            detector=name,
            kind=ChangeKind.LOST if after is None else ChangeKind.ADDED,
            old=before,
            new=after,
            reason=new.not_evaluated.get(name) if after is None else None,
        )
    probability = None
    kinds_of_rows = {old.metadata.metrics_rows, new.metadata.metrics_rows} - {None}
    is_comparable = len(kinds_of_rows) < 2
    if is_comparable and before.counts is not None and after.counts is not None:
        probability = probability_worse(before.counts, after.counts, name, seed)
    return Change(
        detector=name,
        kind=(
            _kind(before, after, probability, confidence)
            if is_comparable
            else ChangeKind.NOT_COMPARABLE
        ),
        old=before,
        new=after,
        probability_worse=probability,
        same_rows=_same_rows(name, old, new),
        stress=tuple(_stress_changes(before, after, confidence, seed)),
    )


def _kind(
    old: MeasuredDetector,
    new: MeasuredDetector,
    probability: float | None,
    confidence: float,
) -> ChangeKind:
    has_counts = old.counts is not None
    if old.counts == new.counts and (has_counts or old.hit_f1 == new.hit_f1):
        return ChangeKind.UNCHANGED
    return _verdict(probability, confidence)


def _verdict(probability: float | None, confidence: float) -> ChangeKind:
    if probability is None:
        return ChangeKind.UNKNOWN
    if probability >= (1 + confidence) / 2:
        return ChangeKind.WORSE
    if probability <= (1 - confidence) / 2:
        return ChangeKind.BETTER
    return ChangeKind.WITHIN_NOISE


def _stress_changes(
    old: MeasuredDetector, new: MeasuredDetector, confidence: float, seed: int
) -> Iterator[StressChange]:
    if old.stress is None or new.stress is None:
        return
    for before, after in zip(
        stress_shares(old.stress), stress_shares(new.stress), strict=True
    ):
        if not before.whole and not after.whole:
            continue
        probability = share_probability_worse(before, after, old.detector, seed)
        if (before.part, before.whole) == (after.part, after.whole):
            kind = ChangeKind.UNCHANGED
        elif not after.whole:
            kind = ChangeKind.LOST
        elif not before.whole:
            kind = ChangeKind.ADDED
        else:
            kind = _verdict(probability, confidence)
        yield StressChange(
            block=STRESS_BLOCKS[after.name],
            kind=kind,
            old=before,
            new=after,
            probability_worse=probability,
        )


def share_probability_worse(
    old: StressShare, new: StressShare, detector: str, seed: int
) -> float | None:
    """P(share of ``new`` < share of ``old``); None without rows in both.

    Each share is drawn from its Jeffreys posterior, as for its interval.
    """
    if not old.whole or not new.whole:
        return None
    before, after = (
        generator_for(seed, detector, f"{share.name} {side}").beta(
            share.part + 0.5, share.whole - share.part + 0.5, DRAWS
        )
        for share, side in ((old, "old"), (new, "new"))
    )
    return float(numpy.mean(after < before))


def probability_worse(
    old: ConfusionCounts, new: ConfusionCounts, detector: str, seed: int
) -> float | None:
    """P(hit F1 of ``new`` < hit F1 of ``old``); None without labelled hits in both.

    Each F1 is drawn from the Jeffreys posterior of its sensitivity and of its
    false-positive rate, as for the Jeffreys interval.
    """
    if not old.hits or not new.hits:
        return None
    options = IntervalOptions(replicates=DRAWS, seed=seed)
    # a stream for each side: the same one twice would move both together
    before = hit_f1_of(plausible_counts(old, f"{detector}\0old", options), old)
    after = hit_f1_of(plausible_counts(new, f"{detector}\0new", options), new)
    return float(numpy.mean(after < before))
