# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""New metrics put into a summary that garak keeps, whose other detectors stay.

``metadata`` says how the new metrics were made, and which detectors were kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

LEAST_OF_A_LABEL = 20
"""Rows of each label without which a rate is hardly known."""

ROWS = "metrics_rows"


def refusal(hits: int, passes: int) -> str | None:
    """Why metrics of so many rows may not take the place of others; None if they may.

    The reason follows the detector's name.
    """
    if min(hits, passes) >= LEAST_OF_A_LABEL:
        return None
    return (
        f"rests on {hits} hits and {passes} passes, at least {LEAST_OF_A_LABEL} of each"
        " needed"
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class MergedSummary:
    """Two summaries in one document.

    Attributes
    ----------
    document : mapping
        JSON-ready.
    new, replaced, unchanged : tuple of str
        Detectors that the file had no metrics of, had others of, and has as before.
    """

    document: Mapping[str, Any]
    new: tuple[str, ...]
    replaced: tuple[str, ...]
    unchanged: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Say which is which, for a terminal."""
        for what, names in (
            ("new", self.new),
            ("replaced", self.replaced),
            ("kept from before", self.unchanged),
        ):
            if names:
                yield f"  {what}: {', '.join(names)}"


def merged_summary(
    ours: Mapping[str, Any], base: Mapping[str, Any], taken: Collection[str]
) -> MergedSummary:
    """Put entries of a summary into another.

    Parameters
    ----------
    ours : mapping
        A summary document.
    base : mapping
        The document that they are put into, with an object ``results``.
    taken : collection of str
        Which of our detectors are put there; the others stay as they are.
    """
    before = base["results"]
    results = {**before, **{name: ours["results"][name] for name in taken}}
    unchanged = sorted(set(before) - set(taken))
    metadata = {**ours["metadata"], "num_detectors_evaluated": len(results)}
    if unchanged and base["metadata"].get(ROWS) != metadata[ROWS]:
        # it is said of all metrics of a file
        del metadata[ROWS]
    # why others have no metrics, by the newest attempt at each
    errors = {
        entry["detector"]: entry
        for document in (base, ours)
        for entry in document["metadata"].get("errors") or []
    }
    metadata |= {
        "errors": [errors[name] for name in sorted(errors) if name not in results],
        "kept": unchanged,
    }
    return MergedSummary(
        document={"results": dict(sorted(results.items())), "metadata": metadata},
        new=tuple(sorted(set(taken) - set(before))),
        replaced=tuple(sorted(set(taken) & set(before))),
        unchanged=tuple(unchanged),
    )
