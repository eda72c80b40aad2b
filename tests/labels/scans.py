# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans with strata, for tests of what labels do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.labels.scan import AuditedScan, ScanOutputs, Stratum, outputs_of
from garak_tbsa.report.attempts import Attempt
from tests.factories import PairFacts, attempt_of, graded_pair


def scan_of(*pairs: PairFacts) -> AuditedScan:
    """Return a scan of which nothing is labelled."""
    graded = [graded_pair(facts) for facts in pairs]
    strata = [
        Stratum(
            pair=number,
            detector=facts.detector,
            flagged=flagged,
            outputs=outputs,
            places=[Place(f"{number} {flagged}", index) for index in range(outputs)],
        )
        for number, facts in enumerate(pairs)
        for flagged, outputs in (
            (True, facts.total - facts.passed),
            (False, facts.passed),
        )
        if outputs
    ]
    return AuditedScan(pairs=(graded), strata=strata)


def attempt(
    uuid: str | None,
    scores: Mapping[str, Iterable[float | None]],
    *,
    probe: str | None = "dan.DanInTheWild",
    outputs: int = 2,
    line: int = 1,
) -> Attempt:
    """Return an attempt with outputs that detectors judged."""
    row = {
        "uuid": uuid,
        "probe_classname": probe,
        "prompt": "hello",
        "outputs": [f"text {n}" for n in range(outputs)],
        "detector_results": {name: list(found) for name, found in scores.items()},
    }
    return attempt_of(row, line)


def outputs_of_attempts(*attempts: Attempt) -> ScanOutputs:
    """Sort outputs with garak's usual threshold."""
    return outputs_of(attempts, 0.5)


def labelled(scan: AuditedScan, *counts: tuple[int, int]) -> AuditedScan:
    """Return a scan with (labelled, hits) of each stratum, as far as it has outputs."""
    strata = [
        stratum.with_labels(min(asked, stratum.outputs), min(hits, stratum.outputs))
        for stratum, (asked, hits) in zip(scan.strata, counts, strict=True)
    ]
    return replace(scan, strata=strata)
