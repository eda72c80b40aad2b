# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What responses look like: lengths, and how many have fences, lists, paragraphs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

_LIST = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s", re.MULTILINE)
_ENDED = re.compile(r"[.!?)\]}\"'`*…|。！？”’»]\s*\Z")


@dataclass(frozen=True, kw_only=True)
class Looks:
    """What some responses look like.

    Attributes
    ----------
    count : int
    tenth, median, ninetieth : float
        Lengths in characters.
    fences, lists, paragraphs, cut : float
        Shares of responses, in [0, 1]: with a code fence, with a line that begins as an
        item of a list, with a blank line inside, and ending in mid-sentence.
    """

    count: int
    tenth: float
    median: float
    ninetieth: float
    fences: float
    lists: float
    paragraphs: float
    cut: float


def looks_of(texts: Sequence[str]) -> Looks:
    """Measure at least two texts."""
    lengths = [len(text) for text in texts]
    deciles = quantiles(lengths, n=10, method="inclusive")

    def share(chosen: Sequence[bool]) -> float:
        return sum(chosen) / len(chosen)

    return Looks(
        count=len(texts),
        tenth=deciles[0],
        median=median(lengths),
        ninetieth=deciles[-1],
        fences=share(["```" in text for text in texts]),
        lists=share([bool(_LIST.search(text)) for text in texts]),
        paragraphs=share(["\n\n" in text.strip() for text in texts]),
        cut=share([not _ENDED.search(text) for text in texts]),
    )
