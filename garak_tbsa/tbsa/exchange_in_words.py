# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What was taken to be exchangeable in a comparison, in words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.statistics.exchange import Exchange

SHOWN_PAIRS = 5


def assumption_in_words(exchange: Exchange) -> str:
    """Return what changed places between the scans, for how many pairs."""
    parts = [
        (
            len(exchange.by_prompt),
            "outputs of the same prompt are exchangeable, with the verdicts of all"
            " their detectors (paired by prompt)",
        ),
        (
            len(exchange.by_whole_prompt),
            "prompts are not the same in both scans, so whole prompts of a probe are"
            " exchangeable, with all their outputs",
        ),
        (len(exchange.unmatched), _of_counts(exchange)),
    ]
    total = sum(pairs for pairs, _ in parts)
    return "; ".join(
        words if pairs == total else f"{pairs} of {total} pairs: {words}"
        for pairs, words in parts
        if pairs
    )


def _of_counts(exchange: Exchange) -> str:
    """What was assumed for pairs of which no more than counts are known."""
    words = "all outputs of a pair are exchangeable, since only its counts are known"
    if exchange.alike > 1:
        words += (
            f" (the scans have no common seed, so the {exchange.alike} outputs of a"
            " prompt are treated as identical)"
        )
    if exchange.coupled:
        words += (
            " (detectors of one probe are treated as independent and as identical,"
            " and the larger p counts)"
        )
    return words


def unmatched_in_words(exchange: Exchange) -> list[str]:
    """Return one sentence for each reason why pairs could not be matched by prompt."""
    reasons: dict[str, list[str]] = {}
    for entry in exchange.unmatched:
        reasons.setdefault(entry.reason, []).append(entry.pair)
    found = [
        f"known by counts alone ({reason}): {_named(pairs)}"
        for reason, pairs in reasons.items()
    ]
    if exchange.same_seed is not None and exchange.by_whole_prompt:
        found.append(
            f"different prompts although both scans have seed {exchange.same_seed} (set"
            " PYTHONHASHSEED to the same number for both, some probes choose by it):"
            f" {_named(exchange.by_whole_prompt)}"
        )
    return found


def _named(pairs: Sequence[str]) -> str:
    more = len(pairs) - SHOWN_PAIRS
    return ", ".join(pairs[:SHOWN_PAIRS]) + f" and {more} more" * (more > 0)
