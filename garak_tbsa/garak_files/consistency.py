# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a report's digest and the rows of its file tell of the same scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from garak_tbsa.garak_files.measurement import Measurement
from garak_tbsa.garak_files.rows import ScannedRows
from garak_tbsa.garak_files.settings import differing_settings, settings_in


@dataclass(frozen=True, kw_only=True, slots=True)
class RowFinding:
    """One thing that a digest and the rows of its file do not agree on.

    Attributes
    ----------
    text : str
        In words, with the pair.
    is_warning : bool
        Whether it is told of every score, not only where rows are asked for.
    """

    text: str
    is_warning: bool = False


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
    found = [RowFinding(text=text) for text in _scans(rows)]
    setup = settings_in(rows.digest)
    if setup is not None and rows.settings is not None:
        names = ", ".join(differing_settings(rows.settings, setup))
        if names:
            text = (
                f"the digest's setup differs from the file's setup row in {names};"
                " the digest's was used"
            )
            found.append(RowFinding(text=text, is_warning=True))
    if stated:
        texts = *_pairs(rows.evals, stated), *_tiers(rows, stated)
        found += [RowFinding(text=text) for text in texts]
    return tuple(found)


def _scans(rows: ScannedRows) -> Iterator[str]:
    """Two reports in one file: only the last one's digest is read."""
    several = next((runs for runs in rows.runs.values() if len(runs) > 1), None)
    if several is not None:
        yield f"the file holds rows of {len(several)} scans ({', '.join(several)})"
    if rows.digests > 1:
        yield f"the file holds {rows.digests} digests"


def _pairs(
    evals: Sequence[Measurement], stated: Sequence[Measurement]
) -> Iterator[str]:
    if not evals:
        yield "the file has no eval rows to check its digest with"
        return
    rows = {entry.pair_name for entry in evals}
    in_digest = {entry.pair_name: entry for entry in stated}
    for name in sorted(rows - in_digest.keys()):
        yield f"{name}: has an eval row but is not in the digest"
    for name in sorted(in_digest.keys() - rows):
        yield f"{name}: is in the digest but has no eval row"
    for row in evals:
        entry = in_digest.get(row.pair_name)
        # up to 0.13.3 a digest has no counts, and nothing to disagree with
        if entry is None or not entry.has_counts:
            continue
        if _counts(entry) != _counts(row):
            del in_digest[row.pair_name]
            yield (
                f"{row.pair_name}: {_counts(entry)} in the digest, {_counts(row)} in"
                f" its eval row at {row.where}"
            )


def _counts(entry: Measurement) -> str:
    return f"{entry.passed} of {entry.total_evaluated} passed"


def _tiers(rows: ScannedRows, stated: Sequence[Measurement]) -> Iterator[str]:
    tiers = {entry.probe: entry.tier for entry in stated}
    for probe, tier in sorted(tiers.items()):
        known = rows.tiers.get(probe)
        if tier is not None and known is not None and tier != known:
            yield (
                f"{probe}: Tier {tier} in the digest, Tier {known} in its"
                " plugin_cache row"
            )
