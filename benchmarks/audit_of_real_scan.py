# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Audits of real scans of which every output was labelled, by some of their labels.

``labelled_scan.json.gz`` holds the pairs of two scans by garak 0.17.1 of
SmolLM2-135M-Instruct (Q4_1), seed 1, by a target that is in the project's history up to
commit db0ad02, answers of at most 220 tokens: persona *ordinary* (temperature 0.8) and
persona *terse* (0.6). Each has 13 probes with up to 16 prompts and one generation, 6
with up to 8 and two, 2 with eight generations, joined by garak's
``aggregate_reports``. For each output it has the
detector's verdict and the label, in the report's order; no texts. One rater, a
language model, read every output with its prompt and judged it by
``garak_tbsa/labels/labelling_rules.json``, without seeing the verdict of any
output; how many outputs of a pair earlier scans had flagged was known, as the probes
were chosen by it. No pattern labelled anything, and nothing was corrected afterwards.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.audit_coverage import HEADER, rows_of
from benchmarks.audited_truths import Booleans, Truth, truth_of
from benchmarks.simulated_scans import make_pair
from benchmarks.timing import table
from garak_tbsa.labels.score import grades_by_count
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.score import score_pairs

LABELLED_SCANS = Path(__file__).with_name("labelled_scan.json.gz")
RUNS, QUICK_RUNS = 10, 2
HIT = "1"


@dataclass(frozen=True, kw_only=True)
class LabelledPair:
    """A pair of which every output is labelled.

    Attributes
    ----------
    probe, detector : str
    tier : int
    flagged, unflagged : ndarray of bool
        Whether the label of each output with that verdict is a hit.
    """

    probe: str
    detector: str
    tier: int
    flagged: Booleans
    unflagged: Booleans

    @property
    def outputs(self) -> int:
        """How many outputs it has."""
        return len(self.flagged) + len(self.unflagged)

    @property
    def differing(self) -> int:
        """How many verdicts differ from the label."""
        return int((~self.flagged).sum() + self.unflagged.sum())


@dataclass(frozen=True, kw_only=True)
class LabelledScan:
    """A scan of which every output is labelled.

    Attributes
    ----------
    pairs : sequence of LabelledPair
    graded : sequence of GradedPair
        The same, as the detectors judged them.
    """

    pairs: Sequence[LabelledPair]
    graded: Sequence[GradedPair]

    def truth(self, seed: int) -> Truth:
        """Return its outputs, in a random order within their strata."""
        hits = [(each.flagged, each.unflagged) for each in self.pairs]
        return truth_of(self.graded, hits, seed)


@cache
def labelled_scans() -> Mapping[str, LabelledScan]:
    """Return the labelled scans by persona."""
    found = json.loads(gzip.decompress(LABELLED_SCANS.read_bytes()))
    return {
        persona: _scan([_pair(**row) for row in rows])
        for persona, rows in found.items()
    }


def _pair(
    probe: str, detector: str, tier: int, verdicts: str, labels: str
) -> LabelledPair:
    is_flagged, is_hit = (np.array(list(each)) == HIT for each in (verdicts, labels))
    return LabelledPair(
        probe=probe,
        detector=detector,
        tier=tier,
        flagged=is_hit[is_flagged],
        unflagged=is_hit[~is_flagged],
    )


def _scan(pairs: Sequence[LabelledPair]) -> LabelledScan:
    graded = [
        make_pair(
            each.probe, each.detector, each.tier, len(each.unflagged), each.outputs
        )
        for each in pairs
    ]
    return LabelledScan(pairs=pairs, graded=graded)


def main(quick: bool = False) -> str:
    """Audit the scans, and return what they are, the table, and changed grades."""
    rows: list[list[str]] = []
    for persona, found in labelled_scans().items():
        more, _ = rows_of(persona, [found.truth], QUICK_RUNS if quick else RUNS)
        rows += more
    described = "\n\n".join(map(_described, labelled_scans()))
    return f"{described}\n\n{table(HEADER, rows)}\n\n{_changed_grades()}"


def _described(persona: str) -> str:
    """Say what a scan is, and its scores by detectors and by all labels."""
    found = labelled_scans()[persona]
    by_detectors = score_pairs(found.graded).tenths / 10
    by_labels = found.truth(0).tenths / 10
    outputs = sum(each.outputs for each in found.pairs)
    missed = sum(int(each.unflagged.sum()) for each in found.pairs)
    differ = sum(each.differing for each in found.pairs)
    return (
        f"Scan *{persona}*: {len(found.pairs)} pairs with {outputs} judged outputs,"
        f" every one labelled. TBSA {by_detectors} by detectors, {by_labels} by all"
        f" labels. {differ} verdicts differ from the label ({differ / outputs:.0%}):"
        f" {missed} hits missed, {differ - missed} passes flagged."
    )


def _changed_grades() -> str:
    """Return a table of the pairs whose grade all labels change."""
    rows = []
    for persona, found in labelled_scans().items():
        for pair, by_detector, by_labels in zip(
            found.pairs, *_grades(found), strict=True
        ):
            if by_detector != by_labels:
                rows.append(
                    [
                        persona,
                        str(pair.tier),
                        f"{pair.probe}+{pair.detector}",
                        f"{int(pair.flagged.sum())} of {len(pair.flagged)}",
                        f"{int(pair.unflagged.sum())} of {len(pair.unflagged)}",
                        f"{by_detector} → {by_labels}",
                    ]
                )
    header = ["scan", "tier", "pair whose grade labels change", "hits among flagged"]
    return table([*header, "among unflagged", "DEFCON"], rows)


def _grades(found: LabelledScan) -> tuple[list[int], list[int]]:
    """Return the pairs' grades by detectors and by all labels."""
    passed = [
        [len(each.unflagged) for each in found.pairs],
        [int((~each.flagged).sum() + (~each.unflagged).sum()) for each in found.pairs],
    ]
    pairs = found.truth(0).task.scan.pairs
    by_detectors, by_labels = grades_by_count(pairs, np.array(passed).T).T
    return by_detectors.tolist(), by_labels.tolist()


if __name__ == "__main__":
    print(main())
