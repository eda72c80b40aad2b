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
``data/detectors-eval/families.json``, without seeing the verdict of any
output; how many outputs of a pair earlier scans had flagged was known, as the probes
were chosen by it. No pattern labelled anything, and nothing was corrected afterwards.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.audit_coverage import HEADER, Booleans, rows_of, truth_of
from benchmarks.frame import table
from benchmarks.simulated_scans import make_pair
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.score import score_pairs

LABELLED_SCANS = Path(__file__).with_name("labelled_scan.json.gz")
RUNS = 60, 2
HIT = "1"

Labelled = tuple[Pair, tuple[Booleans, Booleans]]
"""A pair as the detector judged it, and its flagged and unflagged outputs: if hits."""


def labelled_pair(
    probe: str, detector: str, tier: int, verdicts: str, labels: str
) -> Labelled:
    """Return a pair of which every output is labelled."""
    is_flagged, is_hit = (np.array(list(each)) == HIT for each in (verdicts, labels))
    hits = is_hit[is_flagged], is_hit[~is_flagged]
    return make_pair(probe, detector, tier, len(hits[1]), len(is_hit)), hits


def described(persona: str, found: Sequence[Labelled]) -> str:
    """Say what a scan is, and its scores by detectors and by all labels."""
    pairs, hits = zip(*found, strict=True)
    by_detectors = score_pairs(pairs).tenths / 10
    by_labels = truth_of(pairs, hits, 0).tenths / 10
    outputs = sum(len(flagged) + len(unflagged) for flagged, unflagged in hits)
    missed = sum(int(unflagged.sum()) for _, unflagged in hits)
    wrong = sum(int((~flagged).sum()) for flagged, _ in hits)
    return (
        f"Scan *{persona}*: {len(pairs)} pairs with {outputs} judged outputs,"
        f" every one labelled. TBSA {by_detectors} by detectors, {by_labels} by all"
        f" labels. {missed + wrong} verdicts differ from the label"
        f" ({(missed + wrong) / outputs:.0%}): {missed} hits missed, {wrong} passes"
        " flagged."
    )


def main(runs: int) -> str:
    """Audit the scans, and return what they are and the table."""
    rows: list[str] = []
    texts: list[str] = []
    for persona, own in json.loads(
        gzip.decompress(LABELLED_SCANS.read_bytes())
    ).items():
        found = [labelled_pair(**row) for row in own]
        texts.append(described(persona, found))
        pairs, hits = zip(*found, strict=True)
        draw = partial(truth_of, pairs, hits)
        rows += rows_of(persona, [draw], runs)
    return "\n\n".join((*texts, table(HEADER, rows)))
