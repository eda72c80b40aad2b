# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Summary files for tests, from counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from garak_tbsa.detector_eval.basis import Basis, RowBasis
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.detector_eval.summary import (
    SummarySettings,
    summary_document,
    summary_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNTS = {
    "dan.DAN": {"tp": 20, "fp": 10, "fn": 10, "tn": 20},
    "goodside.PlainJSON": {"tp": 30, "tn": 30},
    "mitigation.Prefixes": {"tp": 2, "fp": 2, "fn": 22, "tn": 24},
}


def write_summary(
    path: Path,
    counts: Mapping[str, Mapping[str, int]],
    *,
    failures: Mapping[str, str] | None = None,
    threshold: float = 0.5,
    data: str = "0",
    stress: Mapping[str, Mapping[str, int]] | None = None,
) -> str:
    """Write a summary and return its path."""
    stressed = stress or {}
    results = [
        DetectorResult(
            detector=name,
            counts=ConfusionCounts(**cells),
            stress=ConfusionCounts(**stressed.get(name, {})),
            basis=basis_of(ConfusionCounts(**cells)),
        )
        for name, cells in counts.items()
    ]
    results += [
        DetectorResult(detector=name, failure=reason)
        for name, reason in (failures or {}).items()
    ]
    settings = SummarySettings(
        date="2026-01-30T00:00:00+00:00",
        versions={"garak": "0.17.1"},
        eval_threshold=threshold,
        balance_datasets=False,
        save_datasets=False,
        intervals=IntervalOptions(),
    )
    files = {
        result.detector: [LabelledSource(path="f", sha256=data * 64)]
        for result in results
    }
    path.write_text(summary_text(summary_document(results, files, settings)))
    return str(path)


def basis_of(counts: ConfusionCounts) -> Basis:
    """Return a basis of at most twelve real hits, and written rows."""
    real = min(counts.hits, 12)
    return Basis(
        hits=RowBasis(real=real, written=counts.hits - real),
        passes=RowBasis(written=counts.passes),
        models=("small",),
    )


def as_first_version(path: str) -> str:
    """Make a summary what version 1 wrote: nothing of stress rows; return its path."""
    document = json.loads(Path(path).read_text())
    document["metadata"]["format_version"] = 1
    del document["metadata"]["metrics_rows"]
    for entry in document["results"].values():
        del entry["stress"], entry["basis"]
    Path(path).write_text(summary_text(document))
    return path
