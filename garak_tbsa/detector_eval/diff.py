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

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

import numpy

from garak_tbsa.detector_eval.counts import ConfusionCounts, StressShare, stress_shares
from garak_tbsa.detector_eval.intervals import (
    Floats,
    IntervalOptions,
    hit_f1_of,
    plausible_counts,
)
from garak_tbsa.detector_eval.seeding import generator_for
from garak_tbsa.detector_eval.summary import MeasuredDetector, Summary

DRAWS, SEED = 200_000, 42
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
BLOCKS = (TYPICAL, *STRESS.values())


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


@dataclass(frozen=True, kw_only=True, slots=True)
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """What one summary says of one block of a detector's rows.

    Attributes
    ----------
    text : str
        Hit F1 with its counts, or a share.
    counted : object
        Equal where nothing has changed.
    draws : callable or None
        ``old`` or ``new`` -> the value drawn from its Jeffreys posterior, each from a
        stream of its own: the same one twice would move both together.
    """

    text: str
    counted: object
    draws: Callable[[str], Floats] | None


def diff(old: Summary, new: Summary, *, confidence: float = 0.95) -> list[Change]:
    """Compare two summaries, detector by detector.

    Parameters
    ----------
    confidence : float
        Between 0 and 1: a detector is worse (better) where that is at least
        (1 + confidence) / 2 likely.
    """
    rows = {old.metadata.metrics_rows, new.metadata.metrics_rows}
    changes = []
    for name in sorted({*old.measured, *new.measured}):
        before, after = old.measured.get(name), new.measured.get(name)
        first, second = _blocks(before), _blocks(after)
        same_rows, blocks = None, {TYPICAL}
        if before is not None and after is not None:
            if before.data_sha256 and after.data_sha256:
                same_rows = before.data_sha256 == after.data_sha256 and len(rows) == 1
            if before.stress is not None and after.stress is not None:
                blocks = {*first, *second}
        for block in sorted(blocks, key=BLOCKS.index):
            was, now = first.get(block), second.get(block)
            comparable = block != TYPICAL or len(rows - {None}) < 2
            probability = probability_worse(was, now) if comparable else None
            kind = _kind(was, now, probability, confidence)
            if was is not None and now is not None and not comparable:
                kind = ChangeKind.NOT_COMPARABLE
            changes.append(
                Change(
                    detector=name,
                    block=block,
                    kind=kind,
                    was="-" if was is None else was.text,
                    now="-" if now is None else now.text,
                    probability_worse=probability,
                    same_rows=same_rows,
                    reason=new.not_evaluated.get(name),
                )
            )
    return changes


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


def _blocks(entry: MeasuredDetector | None) -> dict[str, Block]:
    """The blocks that have rows."""
    if entry is None:
        return {}
    name, counts, f1 = entry.detector, entry.counts, entry.hit_f1
    text = f"F1 {'-' if f1 is None else f'{f1:.3f}'}"
    typical = Block(text=text, counted=f1, draws=None)
    if counts is not None:
        typical = Block(
            text=f"{text} ({counts.tp} {counts.fp} {counts.fn} {counts.tn})",
            counted=counts,
            draws=partial(_f1_draws, counts, name) if counts.hits else None,
        )
    shares = () if entry.stress is None else stress_shares(entry.stress)
    return {TYPICAL: typical} | {
        STRESS[share.name]: Block(
            text=f"{share.part} of {share.whole}",
            counted=share,
            draws=partial(_share_draws, share, name),
        )
        for share in shares
        if share.whole
    }


def _f1_draws(counts: ConfusionCounts, detector: str, side: str) -> Floats:
    """From the posteriors of sensitivity and false-positive rate."""
    options = IntervalOptions(replicates=DRAWS, seed=SEED)
    return hit_f1_of(plausible_counts(counts, f"{detector}\0{side}", options), counts)


def _share_draws(share: StressShare, detector: str, side: str) -> Floats:
    generator = generator_for(SEED, detector, f"{share.name} {side}")
    return generator.beta(share.part + 0.5, share.whole - share.part + 0.5, DRAWS)


def probability_worse(old: Block | None, new: Block | None) -> float | None:
    """P(new value < old value); None where one of them is not known as a count."""
    if old is None or new is None or old.draws is None or new.draws is None:
        return None
    return float(numpy.mean(new.draws("new") < old.draws("old")))


def _kind(
    old: Block | None, new: Block | None, probability: float | None, confidence: float
) -> ChangeKind:
    if old is None or new is None:
        return ChangeKind.ADDED if old is None else ChangeKind.LOST
    if old.counted == new.counted:
        return ChangeKind.UNCHANGED
    if probability is None:
        return ChangeKind.UNKNOWN
    if probability >= (1 + confidence) / 2:
        return ChangeKind.WORSE
    if probability <= (1 - confidence) / 2:
        return ChangeKind.BETTER
    return ChangeKind.WITHIN_NOISE
