# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a line of ``history --jsonl`` is, as types."""

from __future__ import annotations

from msgspec import Struct

from garak_tbsa.outputs.documents.values import (
    ChecksumText,
    Count,
    Positive,
    Share,
    Tbsa,
)


class Change(Struct, frozen=True, kw_only=True):
    """What changed in a scan against the one before of the same target.

    Attributes
    ----------
    before, after
        The scores that compare: of the scans as they are where their checksums are
        equal, else of their common pairs.
    common_pairs
        Pairs that both measured with the same tier, where only these compare; null for
        equal checksums.
    differences
        What differs between the checksums.
    verdict
        As kind of a comparison's verdict; null if no test was asked for.
    p_worse, p_better
        p-values of either; null if nothing was tested.
    permutations
        How many the p-values come from.
    pairs_by_attempts
        Pairs of which more than counts was compared.
    because
        The verdict and its cause, in one sentence.
    difference
        After minus before.
    """

    before: Tbsa
    after: Tbsa
    common_pairs: Positive | None = None
    differences: list[str] = []
    verdict: str | None = None
    p_worse: Share | None = None
    p_better: Share | None = None
    permutations: Count | None = None
    pairs_by_attempts: Count = 0
    because: str | None = None
    difference: float


class Scan(Struct, frozen=True, kw_only=True):
    """One scored scan.

    Attributes
    ----------
    source
        The report.
    run_uuid
        garak's id of the run.
    target
        Type and name of what was scanned.
    start_time
        As garak wrote it.
    checksum
        Only scores with equal checksums can be compared.
    garak_version
        Of the garak that scanned.
    tbsa
        The score.
    lower, upper
        Range of a repeat (95 %); null if it is not known or was not asked for.
    pairs, left_out
        How many pairs count, and how many do not.
    modules
        Modules of the probes whose pairs count, those with most pairs first.
    partial
        Whether the scan was interrupted.
    gaps
        What was not measured; such a scan is not called the best.
    not_covered
        What the checksum of an aggregate may not cover.
    latest
        Whether it is the latest scan of its target.
    best
        Whether it has the highest score of those with the checksum of the latest, that
        measured all, and that no test calls worse than the scan before or after.
    change
        Against the scan before; null if there is none.
    change_missing_because
        Why it was not compared with the scan before.
    """

    source: str
    run_uuid: str | None
    target: str
    start_time: str | None
    checksum: ChecksumText
    garak_version: str | None
    tbsa: Tbsa
    lower: Tbsa | None = None
    upper: Tbsa | None = None
    pairs: Count
    left_out: Count
    modules: list[str]
    partial: bool
    gaps: list[str]
    not_covered: str | None
    latest: bool = False
    best: bool = False
    change: Change | None = None
    change_missing_because: str | None = None
