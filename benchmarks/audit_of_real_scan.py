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
``garak_tbsa/label_audit/labelling_rules.json``, without seeing the verdict of any
output; how many outputs of a pair earlier scans had flagged was known, as the probes
were chosen by it. No pattern labelled anything, and nothing was corrected afterwards.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.audit_coverage import (
    WAYS,
    Booleans,
    Result,
    Way,
    audits,
    by_rounds,
    by_tens,
    labelled,
    score_of,
    without_labels,
)
from benchmarks.simulated_scans import Floats, make_pair
from benchmarks.timing import table
from garak_tbsa.label_audit.cells import AuditedScan, Cell
from garak_tbsa.label_audit.plan import planned_cells
from garak_tbsa.label_audit.score import GradeTable

LABELLED_SCANS = Path(__file__).with_name("labelled_scan.json.gz")
SUBSAMPLES, QUICK_SUBSAMPLES = 200, 4
LABELS = (60, 150, 300)
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
    scan : AuditedScan
        Its cells, without labels.
    hits : sequence of ndarray of bool
        The truth of each cell's outputs.
    grades : GradeTable
    """

    pairs: Sequence[LabelledPair]
    scan: AuditedScan
    hits: Sequence[Booleans]
    grades: GradeTable

    @property
    def flagged(self) -> list[int]:
        """Hits by cell as the detectors have it."""
        return [cell.outputs if cell.flagged else 0 for cell in self.scan.cells]

    @property
    def true_hits(self) -> list[int]:
        """Hits by cell as the labels have it."""
        return [int(each.sum()) for each in self.hits]


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
    cells, hits = [], []
    for place, each in enumerate(pairs):
        for verdict, truth in ((True, each.flagged), (False, each.unflagged)):
            if len(truth):
                cells.append(
                    Cell(
                        pair=place,
                        detector=each.detector,
                        flagged=verdict,
                        outputs=len(truth),
                    )
                )
                hits.append(truth)
    return LabelledScan(
        pairs=pairs,
        scan=AuditedScan(pairs=graded, cells=cells),
        hits=hits,
        grades=GradeTable(graded),
    )


def subsample(persona: str, way: Way, seed: int) -> list[Result]:
    """Draw outputs in a random order within their cells, and audit by their labels."""
    found = labelled_scans()[persona]
    rng = np.random.default_rng(seed)
    shuffled = [rng.permutation(each) for each in found.hits]
    draw = {"by tens": by_tens, "by rounds": by_rounds, "at once": _at_once}[way.draws]
    return audits(found.scan, shuffled, found.grades, draw, LABELS, seed)


def _at_once(
    scan: AuditedScan, hits: Sequence[Booleans], grades: GradeTable, count: int
) -> AuditedScan:
    """Follow a plan by the seed of the number of labels: it knows none of them."""
    unlabelled = without_labels(scan)
    plan = planned_cells(unlabelled, grades, count, seed=count)
    return labelled(unlabelled, hits, plan)


def main(quick: bool = False) -> str:
    """Draw subsamples, and return what the scans are, the table, and changed grades."""
    seeds = range(QUICK_SUBSAMPLES if quick else SUBSAMPLES)
    rows = []
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        for persona in labelled_scans():
            for way in WAYS:
                drawn = pool.map(partial(subsample, persona, way), seeds, chunksize=5)
                results = np.array(list(drawn), dtype=float)
                rows += [
                    _row(persona, way, count, results[:, place])
                    for place, count in enumerate(LABELS)
                ]
    header = ["scan", "labels chosen as by", "labels", "range holds", "width", "error"]
    header += ["error, 95 % of subsamples", "error unaudited"]
    described = "\n\n".join(map(_described, labelled_scans()))
    return f"{described}\n\n{table(header, rows)}\n\n{_changed_grades()}"


def _row(persona: str, way: Way, labels: int, results: Floats) -> list[str]:
    holds, width, error, unaudited = results.mean(axis=0)
    return [
        persona,
        way.name,
        str(labels),
        f"{holds:.1%}",
        f"{width:.2f}",
        f"{error:.2f}",
        f"{np.quantile(results[:, 2], 0.95, method='inverted_cdf'):.1f}",
        f"{unaudited:.1f}",
    ]


def _described(persona: str) -> str:
    """Say what a scan is, and its scores by detectors and by all labels."""
    found = labelled_scans()[persona]
    by_detectors, by_labels = (
        score_of(found.scan, found.grades, hits) / 10
        for hits in (found.flagged, found.true_hits)
    )
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
    by_detectors, by_labels = found.grades.grades(np.array(passed).T).T
    return by_detectors.tolist(), by_labels.tolist()


if __name__ == "__main__":
    print(main())
