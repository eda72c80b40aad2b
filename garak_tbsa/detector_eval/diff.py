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

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy

from garak_tbsa.detector_eval.intervals import (
    IntervalOptions,
    hit_f1_of,
    plausible_counts,
)
from garak_tbsa.detector_eval.metrics import (
    ConfusionCounts,
    StressShare,
    stress_shares,
)
from garak_tbsa.detector_eval.seeding import generator_for
from garak_tbsa.detector_eval.summary_file import MeasuredDetector, Summary

DRAWS = 200_000
"""Puts the standard error of a probability near 0.025 at 0.0004."""

_SETTINGS = (
    "metrics_rows",
    "eval_threshold",
    "balance_datasets",
    "confidence",
    "random_seed",
)

TYPICAL = "typical"
STRESS = {"hits_found": "stress hits", "passes_left_alone": "stress passes"}
"""Blocks of rows with a verdict: typical ones, and those of each share of stress."""


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
class Change:
    """One block of a detector's rows in both summaries.

    Attributes
    ----------
    block : str
        ``typical``, ``stress hits`` or ``stress passes``.
    was, now : str
        Hit F1 with its counts, or a share; a dash where that summary has none.
    probability_worse : float or None
        That the new value is below the old one; None where nothing tells, as where
        one was made from typical rows and the other from stress rows too.
    same_rows : bool or None
        Whether both used the same files; None where a summary does not say.
    reason : str or None
        Why it is no longer evaluated.
    """

    detector: str
    block: str
    kind: ChangeKind
    was: str
    now: str
    probability_worse: float | None = None
    same_rows: bool | None = None
    reason: str | None = None


def diff(
    old: Summary, new: Summary, *, confidence: float = 0.95, seed: int = 42
) -> list[Change]:
    """Compare two summaries, detector by detector.

    Parameters
    ----------
    confidence : float
        Between 0 and 1: a detector is worse (better) where that is at least
        (1 + confidence) / 2 likely.
    """
    return [
        change
        for name in sorted({*old.measured, *new.measured})
        for change in _changes(name, old, new, confidence, seed)
    ]


def changed_settings(old: Summary, new: Summary) -> dict[str, tuple[Any, Any]]:
    """Settings and versions that differ, with both values."""
    pairs = {
        name: (getattr(old.metadata, name), getattr(new.metadata, name))
        for name in _SETTINGS
    }
    before, after = old.metadata.versions, new.metadata.versions
    for package in sorted({*before, *after}):
        pairs[package] = (before.get(package), after.get(package))
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _changes(
    name: str, old: Summary, new: Summary, confidence: float, seed: int
) -> Iterator[Change]:
    before, after = old.measured.get(name), new.measured.get(name)
    was, now = _f1_text(before), _f1_text(after)
    if before is None or after is None:
        yield Change(
            detector=name,
            block=TYPICAL,
            kind=ChangeKind.LOST if after is None else ChangeKind.ADDED,
            was=was,
            now=now,
            reason=new.not_evaluated.get(name),
        )
        return
    rows = {old.metadata.metrics_rows, new.metadata.metrics_rows}
    same_rows = None
    if before.data_sha256 and after.data_sha256:
        same_rows = before.data_sha256 == after.data_sha256 and len(rows) == 1
    probability, kind = None, ChangeKind.NOT_COMPARABLE
    if len(rows - {None}) < 2:
        if before.counts is not None and after.counts is not None:
            probability = probability_worse(before.counts, after.counts, name, seed)
        is_same = before.counts == after.counts and (
            before.counts is not None or before.hit_f1 == after.hit_f1
        )
        kind = _kind(probability, confidence, is_same=is_same)
    yield Change(
        detector=name,
        block=TYPICAL,
        kind=kind,
        was=was,
        now=now,
        probability_worse=probability,
        same_rows=same_rows,
    )
    if before.stress is None or after.stress is None:
        return
    for first, second in zip(
        stress_shares(before.stress), stress_shares(after.stress), strict=True
    ):
        if not first.whole and not second.whole:
            continue
        probability = share_probability_worse(first, second, name, seed)
        if first.whole and second.whole:
            kind = _kind(probability, confidence, is_same=first == second)
        else:
            kind = ChangeKind.LOST if first.whole else ChangeKind.ADDED
        yield Change(
            detector=name,
            block=STRESS[first.name],
            kind=kind,
            was=f"{first.part} of {first.whole}",
            now=f"{second.part} of {second.whole}",
            probability_worse=probability,
            same_rows=same_rows,
        )


def _f1_text(measured: MeasuredDetector | None) -> str:
    """Hit F1, and what it is of."""
    if measured is None:
        return "-"
    f1, counts = measured.hit_f1, measured.counts
    said = f"F1 {'-' if f1 is None else f'{f1:.3f}'}"
    if counts is None:
        return said
    return f"{said} ({counts.tp} {counts.fp} {counts.fn} {counts.tn})"


def _kind(probability: float | None, confidence: float, *, is_same: bool) -> ChangeKind:
    if is_same:
        return ChangeKind.UNCHANGED
    if probability is None:
        return ChangeKind.UNKNOWN
    if probability >= (1 + confidence) / 2:
        return ChangeKind.WORSE
    if probability <= (1 - confidence) / 2:
        return ChangeKind.BETTER
    return ChangeKind.WITHIN_NOISE


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
