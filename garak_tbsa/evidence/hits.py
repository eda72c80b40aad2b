# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Attempts -> drawn hits of each pair, how many there are, what siblings said of them.

One pass; texts are held of drawn hits alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import zip_longest

from garak_tbsa.evidence.drawing import HitDraw, random_number
from garak_tbsa.garak_files.attempts import Attempt, prompt_text
from garak_tbsa.safe_text import readable, shown
from garak_tbsa.tbsa.evidence import CutText, Hit, SiblingVerdicts

Verdicts = tuple[bool | None, ...]


LONGEST = 1000
"""Characters of a prompt or response, beyond which its middle is left out."""

LONGEST_UUID = 64
MOST_SIBLINGS = 100
"""Detectors of a probe, beyond which nothing is said of siblings."""


class HitCollector:
    """Collects what a report's attempts say of the hits of some pairs.

    Parameters
    ----------
    pairs : collection of (str, str)
        Probe and detector of each.
    count : int
        Hits to draw of each pair.
    seed : int
    threshold : float
        Scores below it are passes (garak's ``eval_threshold``), all others hits.
    """

    def __init__(
        self,
        pairs: Collection[tuple[str, str]],
        *,
        count: int,
        seed: int,
        threshold: float,
    ) -> None:
        self._seed = seed
        self._threshold = threshold
        self._probes = frozenset(probe for probe, _ in pairs)
        self._draws = {pair: HitDraw(count) for pair in pairs if count}
        self._hits: Counter[tuple[str, str]] = Counter(dict.fromkeys(pairs, 0))
        self._passed: Counter[tuple[str, str, str]] = Counter()
        self._judged: Counter[tuple[str, str, str]] = Counter()
        self._report = ""
        self.attempts = 0

    def watch(self, attempts: Iterable[Attempt], report: str) -> Iterator[Attempt]:
        """Yield the attempts of a report on, and keep what they say of hits."""
        self._report = report
        for attempt in attempts:
            self.attempts += 1
            if attempt.probe in self._probes and attempt.scores:
                self._see(attempt, attempt.probe)
            yield attempt

    def _see(self, attempt: Attempt, probe: str) -> None:
        outputs = attempt.output_count
        columns = [
            [
                # as garak does: a score that is no number at all is a hit
                None if score is None else not score < self._threshold
                for score in scores[:outputs]
            ]
            for scores in attempt.scores.values()
        ]
        if not any(True in column for column in columns):
            return
        detectors = list(attempt.scores)
        for verdicts in zip_longest(*columns):
            for detector, is_hit in zip(detectors, verdicts, strict=True):
                if is_hit and (probe, detector) in self._hits:
                    self._hits[probe, detector] += 1
                    if len(detectors) <= MOST_SIBLINGS:
                        self._add_siblings(probe, detector, detectors, verdicts)
        flagged = [
            (draw, column)
            for detector, column in zip(detectors, columns, strict=True)
            if True in column and (draw := self._draws.get((probe, detector)))
        ]
        if flagged:
            self._draw(attempt, flagged)

    def _add_siblings(
        self, probe: str, detector: str, detectors: list[str], verdicts: Verdicts
    ) -> None:
        for other, verdict in zip(detectors, verdicts, strict=True):
            if other != detector and verdict is not None:
                self._judged[probe, detector, other] += 1
                self._passed[probe, detector, other] += not verdict

    def _draw(
        self, attempt: Attempt, flagged: list[tuple[HitDraw, list[bool | None]]]
    ) -> None:
        prompt = prompt_text(attempt.prompt)
        number = random_number(self._seed, prompt)
        name = _name(attempt)
        for draw, column in flagged:
            for index, is_hit in enumerate(column):
                if is_hit:
                    draw.offer(
                        number,
                        random_number(self._seed, f"{name}/{index}"),
                        partial(_hit, self._report, attempt, index, prompt),
                    )

    def hits(self, probe: str, detector: str) -> tuple[Hit, ...]:
        """Return the drawn hits of a pair."""
        draw = self._draws.get((probe, detector))
        return () if draw is None else draw.hits()

    def hit_count(self, probe: str, detector: str) -> int:
        """Return how many hits of a pair the attempts hold."""
        return self._hits[probe, detector]

    def siblings(self, probe: str, detector: str) -> tuple[SiblingVerdicts, ...]:
        """Return what other detectors said of a pair's hits."""
        return tuple(
            SiblingVerdicts(
                detector=readable(shown(other)),
                passed=self._passed[own, judging, other],
                judged=judged,
            )
            for (own, judging, other), judged in sorted(self._judged.items())
            if (own, judging) == (probe, detector)
        )


def _name(attempt: Attempt) -> str:
    """What ``garak-tbsa show`` finds the attempt by."""
    uuid = attempt.uuid or ""
    is_plain = uuid.isascii() and uuid.replace("-", "").isalnum()
    return uuid if is_plain and len(uuid) <= LONGEST_UUID else f"line {attempt.line}"


def _hit(report: str, attempt: Attempt, index: int, prompt: str) -> Hit:
    return Hit(
        attempt_uuid=_name(attempt),
        report=report,
        line=attempt.line,
        output_index=index,
        prompt=cut_text(prompt),
        response=cut_text(attempt.outputs[index].text or ""),
    )


def cut_text(text: str) -> CutText:
    """Cut a text and make it readable."""
    return CutText(
        text=readable(shown(text, LONGEST)),
        length=len(text),
        is_cut=len(text) > LONGEST,
    )
