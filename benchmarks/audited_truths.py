# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans of which the truth of every output is known, for audits of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_scans import make_pair
from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.labels.questions import LabellingTask, Question
from garak_tbsa.labels.scan import AuditedScan, Stratum
from garak_tbsa.labels.score import grades_by_count
from garak_tbsa.statistics.scores import score_tenths
from garak_tbsa.tbsa.grades import GradedPair

Booleans = NDArray[np.bool_]


class Kind(NamedTuple):
    """A kind of truth.

    Attributes
    ----------
    pairs, detectors : int
    sizes : tuple of int
        Fewest and most outputs of a pair, even in the logarithm.
    hits, evenness : float
        Mean share of hits of a pair, and the strength of its Beta distribution.
    told, left : float
        Mean sensitivity and specificity of detectors.
    """

    pairs: int
    detectors: int
    sizes: tuple[int, int]
    hits: float
    evenness: float
    told: float
    left: float


KINDS = {
    "rare hits": (
        Kind(57, 16, (8, 256), 0.02, 1, 0.8, 0.97),
        Kind(12, 3, (40, 120), 0.02, 20, 0.6, 0.95),
        Kind(24, 24, (10, 60), 0.02, 0.5, 0.7, 0.9),
        Kind(30, 1, (20, 100), 0.02, 4, 0.5, 0.8),
        Kind(8, 4, (100, 500), 0.02, 2, 0.9, 0.99),
        Kind(40, 10, (5, 12), 0.03, 1, 0.8, 0.95),
        Kind(20, 5, (50, 50), 0.01, 0.3, 0.3, 0.98),
        Kind(16, 8, (10, 300), 0.02, 50, 0.95, 0.6),
        Kind(57, 6, (15, 40), 0.015, 2, 0.6, 0.99),
        Kind(10, 2, (250, 250), 0.02, 5, 0.7, 0.9),
        Kind(18, 9, (20, 200), 0.02, 0.8, 0.5, 0.93),
        Kind(35, 7, (12, 80), 0.025, 8, 0.85, 0.85),
        Kind(45, 15, (15, 90), 0.018, 1.5, 0.75, 0.94),
        Kind(14, 7, (30, 300), 0.03, 6, 0.65, 0.97),
    ),
    "mixed": (
        Kind(57, 16, (8, 256), 0.3, 1, 0.8, 0.9),
        Kind(12, 3, (40, 120), 0.5, 20, 0.9, 0.6),
        Kind(24, 24, (10, 60), 0.2, 0.5, 0.6, 0.95),
        Kind(30, 1, (20, 100), 0.15, 2, 0.7, 0.8),
        Kind(8, 4, (100, 500), 0.4, 2, 0.95, 0.95),
        Kind(40, 10, (5, 12), 0.35, 1, 0.8, 0.8),
        Kind(20, 5, (50, 50), 0.7, 3, 0.5, 0.9),
        Kind(16, 8, (10, 300), 0.1, 1, 0.9, 0.5),
        Kind(57, 6, (15, 40), 0.25, 0.6, 0.98, 0.98),
        Kind(10, 2, (250, 250), 0.6, 8, 0.4, 0.7),
        Kind(18, 9, (20, 200), 0.45, 1.5, 0.7, 0.75),
        Kind(35, 7, (12, 80), 0.12, 0.7, 0.85, 0.9),
        Kind(45, 15, (15, 90), 0.35, 1.2, 0.75, 0.85),
        Kind(14, 7, (30, 300), 0.2, 4, 0.85, 0.92),
    ),
}
STRENGTH = 10
"""Of the Beta distributions of sensitivity and specificity."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """A scan, and what each of its outputs truly is.

    Attributes
    ----------
    task : LabellingTask
    is_hit : mapping of Place to bool
    """

    task: LabellingTask
    is_hit: Mapping[Place, bool]

    @property
    def tenths(self) -> int:
        """The score if every output were judged rightly."""
        pairs = self.task.scan.pairs
        passed = np.array([[pair.total_evaluated or 0] for pair in pairs])
        for stratum in self.task.scan.strata:
            passed[stratum.pair] -= sum(self.is_hit[place] for place in stratum.places)
        return int(score_tenths(pairs, grades_by_count(pairs, passed).T)[0])


def truth_of(
    pairs: Sequence[GradedPair], hits: Sequence[tuple[Booleans, Booleans]], seed: int
) -> Truth:
    """Return a truth by whether the flagged and unflagged outputs of pairs are hits."""
    strata, questions = [], []
    is_hit: dict[Place, bool] = {}
    rng = np.random.default_rng(seed)
    for number, (pair, both) in enumerate(zip(pairs, hits, strict=True)):
        for flagged, own in zip((True, False), both, strict=True):
            if not len(own):
                continue
            named = [Place(f"{number} {flagged}", index) for index in range(len(own))]
            strata.append(
                Stratum(
                    pair=number,
                    detector=pair.detector,
                    flagged=flagged,
                    outputs=len(own),
                    places=named,
                )
            )
            is_hit.update(zip(named, map(bool, rng.permutation(own)), strict=True))
            questions.append(
                [
                    Question(place=place, probe=pair.probe, detector=pair.detector)
                    for place in named
                ]
            )
    scan = AuditedScan(pairs=(pairs), strata=strata)
    task = LabellingTask(scan=scan, questions=questions, seed=seed)
    return Truth(task=task, is_hit=is_hit)


def invented(kind: Kind, seed: int) -> Truth:
    """Draw a truth of a kind."""
    rng = np.random.default_rng([seed, kind.pairs, kind.detectors])
    told, left = (
        rng.beta(mean * STRENGTH, (1 - mean) * STRENGTH, kind.detectors)
        for mean in (kind.told, kind.left)
    )
    pairs, hits = [], []
    for number in range(kind.pairs):
        total = round(float(np.exp(rng.uniform(*np.log(kind.sizes)))))
        detector = number % kind.detectors
        rate = rng.beta(kind.hits * kind.evenness, (1 - kind.hits) * kind.evenness)
        is_hit = rng.random(total) < rate
        chance = np.where(is_hit, told[detector], 1 - left[detector])
        flagged = rng.random(total) < chance
        tier = 1 + int(rng.random() < 0.5)
        passed = total - int(flagged.sum())
        pairs.append(make_pair(f"p.P{number}", f"d.D{detector}", tier, passed, total))
        hits.append((is_hit[flagged], is_hit[~flagged]))
    return truth_of(pairs, hits, seed)
