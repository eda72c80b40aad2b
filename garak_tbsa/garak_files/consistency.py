# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a report's digest and the rows of its file tell of the same scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from garak_tbsa.garak_files.measurement import Measurement
from garak_tbsa.garak_files.rows import ScannedRows
from garak_tbsa.garak_files.settings import differing_settings, settings_in

NOT_IN_DIGEST = "not_in_digest"
NO_EVAL_ROW = "no_eval_row"
NO_EVAL_ROWS = "no_eval_rows"
OTHER_COUNTS = "other_counts"
OTHER_TIER = "other_tier"
SEVERAL_SCANS = "several_scans"
UNREADABLE = "unreadable"
SEVERAL_DIGESTS = "several_digests"
OTHER_SETUP = "other_setup"


@dataclass(frozen=True, kw_only=True, slots=True)
class RowFinding:
    """One thing that a digest and the rows of its file do not agree on.

    Attributes
    ----------
    kind : str
        One of the constants of this module.
    text : str
        In words, with the pair.
    """

    kind: str
    text: str


def find_disagreements(
    rows: ScannedRows, stated: Sequence[Measurement]
) -> tuple[RowFinding, ...]:
    """Hold a digest against the rows of its file.

    Parameters
    ----------
    rows : ScannedRows
        All rows but the attempts.
    stated : sequence of Measurement
        The last digest's entries; empty where there is none.
    """
    found = [*_scans(rows), *_setup(rows)]
    if stated:
        found += _pairs(rows.evals, stated)
        found += _tiers(rows, stated)
    return tuple(found)


def _scans(rows: ScannedRows) -> Iterator[RowFinding]:
    """Two reports in one file: only the last one's digest is read."""
    for runs in (rows.setup_runs, rows.init_runs):
        if len(runs) > 1:
            yield RowFinding(
                kind=SEVERAL_SCANS,
                text=f"the file holds rows of {len(runs)} scans ({', '.join(runs)})",
            )
            break
    if rows.digests > 1:
        yield RowFinding(
            kind=SEVERAL_DIGESTS, text=f"the file holds {rows.digests} digests"
        )


def _setup(rows: ScannedRows) -> Iterator[RowFinding]:
    stated = settings_in(rows.digest)
    if stated is None or rows.settings is None:
        return
    names = differing_settings(rows.settings, stated)
    if names:
        yield RowFinding(
            kind=OTHER_SETUP,
            text="the digest's setup differs from the file's setup row in"
            f" {', '.join(names)}; the digest's was used",
        )


def _pairs(
    evals: Sequence[Measurement], stated: Sequence[Measurement]
) -> Iterator[RowFinding]:
    if not evals:
        yield RowFinding(
            kind=NO_EVAL_ROWS,
            text="the file has no eval rows to check its digest with",
        )
        return
    rows = {entry.pair_name: entry for entry in evals}
    in_digest = {entry.pair_name: entry for entry in stated}
    for name in sorted(rows.keys() - in_digest.keys()):
        yield RowFinding(
            kind=NOT_IN_DIGEST, text=f"{name}: has an eval row but is not in the digest"
        )
    for name in sorted(in_digest.keys() - rows.keys()):
        yield RowFinding(
            kind=NO_EVAL_ROW, text=f"{name}: is in the digest but has no eval row"
        )
    differing = set()
    for row in evals:
        entry = in_digest.get(row.pair_name)
        if entry is None or row.pair_name in differing or _same_counts(entry, row):
            continue
        differing.add(row.pair_name)
        yield RowFinding(
            kind=OTHER_COUNTS,
            text=f"{row.pair_name}: {_counts(entry)} in the digest, {_counts(row)} in"
            f" its eval row at {row.where}",
        )


def _same_counts(entry: Measurement, row: Measurement) -> bool:
    """Up to 0.13.3 a digest has no counts, and nothing to disagree with."""
    return not entry.has_counts or (entry.passed, entry.total_evaluated) == (
        row.passed,
        row.total_evaluated,
    )


def _counts(entry: Measurement) -> str:
    return f"{entry.passed} of {entry.total_evaluated} passed"


def _tiers(rows: ScannedRows, stated: Sequence[Measurement]) -> Iterator[RowFinding]:
    tiers = {entry.probe: entry.tier for entry in stated}
    for probe, tier in sorted(tiers.items()):
        known = rows.tiers.get(probe)
        if tier is not None and known is not None and tier != known:
            yield RowFinding(
                kind=OTHER_TIER,
                text=f"{probe}: Tier {tier} in the digest, Tier {known} in its"
                " plugin_cache row",
            )
