# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""New metrics put into a summary that has metrics of other detectors too.

What is said of how the metrics were made stays true: ``metadata`` is that of the new
ones, and ``metadata.kept_from`` has it for the others, by detector.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

ABOUT_ALL = ("num_detectors_evaluated", "errors", "kept", "kept_from")
"""Of a summary's metadata, what does not say how its metrics were made."""

ROWS = "metrics_rows"


@dataclass(frozen=True, kw_only=True)
class MergedSummary:
    """Two summaries in one document.

    Attributes
    ----------
    document : mapping
        JSON-ready.
    new, replaced, kept : tuple of str
        Detectors that the file had no metrics of, had others of, and has as before.
    """

    document: Mapping[str, Any]
    new: tuple[str, ...]
    replaced: tuple[str, ...]
    kept: tuple[str, ...]

    def lines(self, base: str) -> Iterator[str]:
        """Say which is which, for a terminal.

        Parameters
        ----------
        base : str
            Whose metrics the kept ones are, in words.
        """
        for what, names in (
            ("new", self.new),
            ("replaced", self.replaced),
            (f"kept from {base}", self.kept),
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
    kept = tuple(sorted(set(before) - set(taken)))
    origins = _origins(base, kept)
    metadata = {**ours["metadata"], "num_detectors_evaluated": len(results)}
    if any(origin.get(ROWS) != metadata.get(ROWS) for origin in origins):
        # it is said of all metrics of a file
        metadata.pop(ROWS, None)
    return MergedSummary(
        document={
            "results": {name: results[name] for name in sorted(results)},
            "metadata": {
                **metadata,
                "errors": _errors(ours, base, results),
                "kept": list(kept),
                "kept_from": origins,
            },
        },
        new=tuple(sorted(set(taken) - set(before))),
        replaced=tuple(sorted(set(taken) & set(before))),
        kept=kept,
    )


def _origins(base: Mapping[str, Any], kept: tuple[str, ...]) -> list[dict[str, Any]]:
    """How the kept metrics were made, with the detectors that it is said of."""
    metadata = _mapping(base.get("metadata"))
    earlier: list[dict[str, Any]] = []
    told: set[str] = set()
    stated = metadata.get("kept_from")
    for origin in stated if isinstance(stated, list) else ():
        named = _mapping(origin).get("detectors")
        still = [name for name in kept if isinstance(named, list) and name in named]
        if still:
            earlier.append({**origin, "detectors": still})
            told.update(still)
    others = [name for name in kept if name not in told]
    if others:
        made = {name: v for name, v in metadata.items() if name not in ABOUT_ALL}
        earlier.append({"detectors": others, **made})
    return earlier


def _errors(
    ours: Mapping[str, Any], base: Mapping[str, Any], results: Mapping[str, Any]
) -> list[Any]:
    """Why other detectors have no metrics, by the newest attempt at each."""
    found: dict[str, Any] = {}
    for document in (base, ours):
        stated = _mapping(document.get("metadata")).get("errors")
        for entry in stated if isinstance(stated, list) else ():
            found[str(_mapping(entry).get("detector"))] = entry
    return [found[name] for name in sorted(found) if name not in results]


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
