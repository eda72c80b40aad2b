# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs that one scan measured and another did not, which no test sees."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.tbsa.pairs import Culprit, Pair
from garak_tbsa.tbsa.scan import Scan


@dataclass(frozen=True, kw_only=True, slots=True)
class VanishedPairs:
    """What the first of two scans measured and the second did not, and vice versa.

    Attributes
    ----------
    not_measured : tuple of Culprit
        Pairs that the second scan attempted, or whose probe it selected; each with
        what it was before and why it is not measured now.
    not_selected : tuple of Culprit
        Pairs of which the second scan says nothing.
    added : tuple of str
        Pairs that the second scan alone measured.
    """

    not_measured: tuple[Culprit, ...]
    not_selected: tuple[Culprit, ...]
    added: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        gone = [each.pair for each in (*self.not_measured, *self.not_selected)]
        return tuple(sorted([*gone, *self.added]))


def vanished_pairs(first: Scan, second: Scan) -> VanishedPairs:
    """Return the pairs that only one of two scans measured.

    Parameters
    ----------
    first, second : Scan
        Before and after, not narrowed to their common pairs.
    """
    before = {pair.name: pair for pair in first.graded}
    now = {pair.name for pair in second.graded}
    reasons = {pair.name: pair.reason_text for pair in second.left_out}
    settings = second.report.settings
    not_measured: list[Culprit] = []
    not_selected: list[Culprit] = []
    for name, pair in sorted(before.items()):
        if name in now:
            continue
        reason = reasons.get(name)
        if reason is None and settings.selects(pair.probe):
            reason = "its probe was selected and left no such result"
        found = not_selected if reason is None else not_measured
        found.append(_gone(pair, reason or "the scan has no result of it"))
    return VanishedPairs(
        not_measured=tuple(not_measured),
        not_selected=tuple(not_selected),
        added=tuple(sorted(now - before.keys())),
    )


def _gone(pair: Pair, reason: str) -> Culprit:
    known = f"grade {pair.grade}"
    if pair.has_counts:
        known = f"{pair.passed} of {pair.total_evaluated} passed"
    return Culprit(pair=pair.name, problem=f"({known} before; now {reason})")
