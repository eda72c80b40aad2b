# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Strata: the outputs of a pair with one verdict, and what was said of some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from garak_tbsa.tbsa.grades import GradedPair

Said: TypeAlias = tuple[int, int]
"""How many answers about one output are hit, and how many pass."""

HIT_SAID, PASS_SAID = (1, 0), (0, 1)


@dataclass(frozen=True, kw_only=True)
class Stratum:
    """Outputs of a pair that the detector judged alike.

    Attributes
    ----------
    pair : int
        Its place among the scan's pairs.
    detector : str
    flagged : bool
        The detector's verdict at garak's threshold.
    outputs : int
        How many there are.
    answers : mapping of (int, int) to int
        Answers about one output, hits and passes -> how many outputs have these.
        Second looks and further raters are further answers.
    """

    pair: int
    detector: str
    flagged: bool
    outputs: int
    answers: Mapping[Said, int] = field(default_factory=dict)

    @property
    def group(self) -> tuple[str, bool]:
        """Detector and verdict, whose strata share what is learnt of them."""
        return self.detector, self.flagged

    @property
    def asked(self) -> int:
        """Outputs of which anything was said, the disputed ones among them."""
        return sum(self.answers.values())

    @property
    def unlabelled(self) -> int:
        """Outputs of which nothing was said."""
        return self.outputs - self.asked

    @property
    def hits(self) -> int:
        """Outputs that most answers call a hit."""
        return sum(n for (hits, passes), n in self.answers.items() if hits > passes)

    @property
    def labelled(self) -> int:
        """Outputs with a majority of answers."""
        return sum(n for (hits, passes), n in self.answers.items() if hits != passes)

    @property
    def settled(self) -> Stratum:
        """The stratum as if each majority were one answer, and ties none."""
        return self.with_labels(self.labelled, self.hits)

    def with_labels(self, labelled: int, hits: int) -> Stratum:
        """Return the stratum with one answer about each labelled output."""
        return replace(self, answers={HIT_SAID: hits, PASS_SAID: labelled - hits})

    def with_answers(self, said: Iterable[Said]) -> Stratum:
        """Return the stratum with what was said of each output that was asked for."""
        answers: dict[Said, int] = {}
        for each in said:
            answers[each] = answers.get(each, 0) + 1
        return replace(self, answers=answers)


@dataclass(frozen=True, kw_only=True)
class AuditedScan:
    """The pairs of a scan, and their strata.

    Attributes
    ----------
    pairs : sequence of GradedPair
        Those that count, each with counts and grades by count.
    strata : sequence of Stratum
        At most two for each pair, flagged and unflagged, in any order; their outputs
        add up to the pair's evaluated ones. A pair without strata is not audited: its
        pass count stays the detector's.
    """

    pairs: Sequence[GradedPair]
    strata: Sequence[Stratum]

    @property
    def labels(self) -> int:
        """Outputs with a majority of answers."""
        return sum(stratum.labelled for stratum in self.strata)

    @property
    def asked(self) -> int:
        """Outputs of which anything was said."""
        return sum(stratum.asked for stratum in self.strata)
