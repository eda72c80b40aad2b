# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A pair's hits, one by one -> a few of them, from as many prompts as there are.

Each prompt has a random number, and each hit of a prompt has one, both by the seed
alone. First come the first hits of all prompts, in the order of the prompts' numbers,
then the second ones, and so on; the first of this order are drawn. What is drawn is the
same in whichever order the hits come, and no more than is drawn is ever held.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from garak_tbsa.tbsa.evidence import Hit

Place = tuple[int, bytes]
"""Rank of a hit within its prompt, from 0, and the prompt's number."""


def random_number(seed: int, name: str) -> bytes:
    """Return 8 random bytes, always the same for a seed and a name."""
    key = str(seed).encode("ascii")[:64]
    return blake2b(
        name.encode("utf-8", "surrogatepass"), digest_size=8, key=key
    ).digest()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Held:
    number: bytes
    hit: Hit


class HitDraw:
    """Draws hits of one pair.

    Parameters
    ----------
    count : int
        How many, at least 1; fewer are drawn where there are fewer.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._prompts: dict[bytes, list[_Held]] = {}
        self._held = 0
        self._last: Place | None = None

    def offer(self, prompt: bytes, number: bytes, make: Callable[[], Hit]) -> None:
        """Take a hit into the draw, if it is among the first so far.

        Parameters
        ----------
        prompt : bytes
            The prompt's random number.
        number : bytes
            The hit's.
        make : callable
            Gives the hit, which is asked for only if it is taken.
        """
        others = self._prompts.get(prompt, [])
        rank = bisect(others, number, key=_number)
        if self._last is not None and (rank, prompt) > self._last:
            return
        others.insert(rank, _Held(number=number, hit=make()))
        self._prompts[prompt] = others
        self._held += 1
        if self._held > self._count:
            self._drop_last()
        if self._held == self._count:
            self._last = self._last_place()

    def _last_place(self) -> Place:
        return max((len(held) - 1, prompt) for prompt, held in self._prompts.items())

    def _drop_last(self) -> None:
        _, prompt = self._last_place()
        self._prompts[prompt].pop()
        if not self._prompts[prompt]:
            del self._prompts[prompt]
        self._held -= 1

    def hits(self) -> tuple[Hit, ...]:
        """Return the drawn hits in their order."""
        ordered = sorted(
            (
                (rank, prompt, each)
                for prompt, held in self._prompts.items()
                for rank, each in enumerate(held)
            ),
            key=lambda found: found[:2],
        )
        return tuple(each.hit for _, _, each in ordered)


def _number(held: _Held) -> bytes:
    return held.number
