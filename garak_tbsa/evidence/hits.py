# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Attempts -> hits of each pair: how many, a few of them, what siblings said of them.

One pass. Each prompt has a random number, and each hit of a prompt has one, both by the
seed alone. First come the first hits of all prompts, in the order of the prompts'
numbers, then the second ones, and so on; the first of this order are drawn. So they are
of as many prompts as there are, and the same in whichever order the hits come; texts
are held of drawn hits alone.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import blake2b
from operator import itemgetter

from garak_tbsa.report.attempts import Attempt, prompt_text
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.evidence import CutText, Hit, SiblingVerdicts

LONGEST = 1000
"""Characters of a prompt or response, beyond which its middle is left out."""

LONGEST_UUID = 64
MOST_SIBLINGS = 100
"""Detectors of a probe, beyond which nothing is said of siblings."""


class PairHits:
    """Hits of one pair.

    Parameters
    ----------
    most : int
        How many to draw; fewer are drawn where there are fewer.

    Attributes
    ----------
    count : int
        How many the attempts hold.
    unattributed : int
        Results of the pair that belong to no known output, hits among them or not.
    """

    def __init__(self, most: int) -> None:
        self.count = self.unattributed = 0
        self._most = most
        self._passed: Counter[str] = Counter()
        self._judged: Counter[str] = Counter()
        self._prompts: dict[bytes, list[tuple[bytes, Hit]]] = {}
        self._last: tuple[int, bytes] | None = None

    def offer(self, prompt: bytes, number: bytes, make: Callable[[], Hit]) -> None:
        """Draw a hit, if it is among the first so far.

        Parameters
        ----------
        prompt, number : bytes
            Random numbers of its prompt, and of the hit.
        make : callable
            Gives the hit, which is asked for only if it is drawn.
        """
        others = self._prompts.get(prompt, [])
        rank = bisect(others, number, key=itemgetter(0))
        if self._last is not None and (rank, prompt) > self._last:
            return
        others.insert(rank, (number, make()))
        self._prompts[prompt] = others
        places = self._places()
        if len(places) > self._most:
            _, last = places.pop()
            self._prompts[last].pop()
        if len(places) == self._most:
            self._last = places[-1]

    def _places(self) -> list[tuple[int, bytes]]:
        """Rank within its prompt, and the prompt's number, of each hit; in order."""
        return sorted(
            (rank, prompt)
            for prompt, own in self._prompts.items()
            for rank in range(len(own))
        )

    @property
    def drawn(self) -> tuple[Hit, ...]:
        """The drawn hits in their order."""
        return tuple(self._prompts[prompt][rank][1] for rank, prompt in self._places())

    def add_sibling(self, detector: str, verdicts: Iterable[bool | None]) -> None:
        """Count what another detector said of hits."""
        known = [is_hit for is_hit in verdicts if is_hit is not None]
        self._judged[detector] += len(known)
        self._passed[detector] += known.count(False)

    @property
    def siblings(self) -> tuple[SiblingVerdicts, ...]:
        """What other detectors said of the hits."""
        return tuple(
            SiblingVerdicts(
                detector=readable(shown(name)), passed=self._passed[name], judged=judged
            )
            for name, judged in sorted(self._judged.items())
            if judged
        )


SEED = b"1"
"""What is drawn follows from it and the names of what is drawn from."""


class HitCollector:
    """Collects what a report's attempts say of the hits of some pairs.

    Parameters
    ----------
    pairs : iterable of (str, str)
        Probe and detector of each.
    most : int
        Hits to draw of each pair.
    threshold : float
        Scores below it are passes (garak's ``eval_threshold``), all others hits.

    Attributes
    ----------
    pairs : dict of (str, str) to PairHits
    attempts : int
        How many came by.
    """

    def __init__(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        most: int,
        threshold: float,
    ) -> None:
        self.pairs = {pair: PairHits(most) for pair in pairs}
        self.attempts = 0
        self._probes = frozenset(probe for probe, _ in self.pairs)
        self._draws = most > 0
        self._threshold = threshold

    def watch(self, attempts: Iterable[Attempt], report: str) -> Iterator[Attempt]:
        """Yield the attempts of a report on, and keep what they say of hits."""
        for attempt in attempts:
            self.attempts += 1
            if attempt.probe in self._probes and attempt.results:
                self._see(attempt, attempt.probe, report)
            yield attempt

    @property
    def unattributed(self) -> Counter[str]:
        """How many results of each detector belong to no known output."""
        found: Counter[str] = Counter()
        for (_, detector), pair in self.pairs.items():
            found[detector] += pair.unattributed
        return +found

    def _see(self, attempt: Attempt, probe: str, report: str) -> None:
        for detector, results in attempt.unattributed.items():
            if (pair := self.pairs.get((probe, detector))) is not None:
                pair.unattributed += results
        verdicts = {
            # as garak does: a score that is no number at all is a hit
            detector: [
                None if score is None else not score < self._threshold
                for score in scores
            ]
            for detector, scores in attempt.scores.items()
        }
        for detector, own in verdicts.items():
            pair = self.pairs.get((probe, detector))
            hits = [index for index, is_hit in enumerate(own) if is_hit]
            if pair is None or not hits:
                continue
            pair.count += len(hits)
            if len(verdicts) <= MOST_SIBLINGS:
                for other, said in verdicts.items():
                    if other != detector:
                        pair.add_sibling(other, [said[index] for index in hits])
            if self._draws:
                self._offer(pair, attempt, hits, report)

    def _offer(
        self, pair: PairHits, attempt: Attempt, hits: list[int], report: str
    ) -> None:
        prompt = prompt_text(attempt.prompt)
        number = random_number(prompt)
        for index in hits:
            pair.offer(
                number,
                random_number(f"{_name(attempt)}/{index}"),
                partial(output_of, report, attempt, index, prompt),
            )


def random_number(name: str) -> bytes:
    """Return 8 random bytes, always the same for a name."""
    text = name.encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8, key=SEED).digest()


def _name(attempt: Attempt) -> str:
    """What ``garak-tbsa show`` finds the attempt by."""
    uuid = attempt.uuid or ""
    is_plain = uuid.isascii() and uuid.replace("-", "").isalnum()
    return uuid if is_plain and len(uuid) <= LONGEST_UUID else f"line {attempt.line}"


def output_of(report: str, attempt: Attempt, index: int, prompt: str) -> Hit:
    """Return an output of an attempt as it is shown, with its prompt as text."""
    return Hit(
        attempt_uuid=_name(attempt),
        report=report,
        line=attempt.line,
        output_index=index,
        prompt=_cut(prompt),
        response=_cut(attempt.outputs[index].text or ""),
    )


def _cut(text: str) -> CutText:
    is_cut = len(text) > LONGEST
    return CutText(text=readable(shown(text, LONGEST)), length=len(text), is_cut=is_cut)
