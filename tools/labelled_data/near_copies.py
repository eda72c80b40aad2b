# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that are nearly the same: they count twice and measure once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LIMIT = 0.8
"""Share of word 3-grams above which one of two rows is a near-copy."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class NearCopy:
    """Two texts by their places in the sequence, ``first`` before ``second``.

    Attributes
    ----------
    share : float
        Of the 3-grams of the text that has fewer; in (0, 1].
    """

    first: int
    second: int
    share: float


def near_copies(texts: Sequence[str], limit: float = LIMIT) -> Iterator[NearCopy]:
    """Yield each pair of texts that shares more than ``limit`` of its word 3-grams."""
    grams = [word_3_grams(text) for text in texts]
    for second, later in enumerate(grams):
        for first, earlier in enumerate(grams[:second]):
            share = len(earlier & later) / min(len(earlier), len(later))
            if share > limit:
                yield NearCopy(first=first, second=second, share=share)


def word_3_grams(text: str) -> frozenset[tuple[str, ...]]:
    """Every three words in a row, regardless of case; of a shorter text, all of it."""
    words = _WORD.findall(text.lower())
    if len(words) < 3:
        return frozenset({tuple(words)})
    return frozenset(zip(words, words[1:], words[2:], strict=False))
