# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Summaries for tests, from counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from garak_tbsa.detector_eval.basis import Basis, RowBasis
from garak_tbsa.detector_eval.dataset import DetectorRows
from garak_tbsa.detector_eval.evaluation import EvaluationOptions
from garak_tbsa.detector_eval.intervals import IntervalOptions
from garak_tbsa.detector_eval.metrics import ConfusionCounts, DetectorResult
from garak_tbsa.detector_eval.selection import DataRequest, Selection
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.detector_eval.summary import summary_document
from garak_tbsa.detector_eval.summary_file import summary_text

Cells = Mapping[str, int]

COUNTS = {
    "dan.DAN": {"tp": 20, "fp": 10, "fn": 10, "tn": 20},
    "goodside.PlainJSON": {"tp": 30, "tn": 30},
    "mitigation.Prefixes": {"tp": 2, "fp": 2, "fn": 22, "tn": 24},
}


def document_of(*results: DetectorResult, data: str = "0") -> dict[str, Any]:
    """Return the summary of results."""
    file = LabelledSource(path="f", sha256=data * 64)
    selection = Selection(
        request=DataRequest(),
        garak_version="0.17.1",
        rows={
            each.detector: DetectorRows(detector=each.detector, rows=(), files=(file,))
            for each in results
        },
        sources=(file,),
    )
    document = summary_document(
        selection,
        {result.detector: result for result in results},
        EvaluationOptions(),
        IntervalOptions(),
        date="2026-01-30T00:00:00+00:00",
    )
    # of numpy and Python too, which may change
    document["metadata"]["versions"] = {"garak": "0.17.1"}
    return document


def results_of(
    counts: Mapping[str, Cells],
    *,
    failures: Mapping[str, str] | None = None,
    stress: Mapping[str, Cells] | None = None,
) -> list[DetectorResult]:
    """Return results of detectors with these counts, and of others that failed."""
    measured = [
        DetectorResult(
            detector=name,
            counts=ConfusionCounts(**cells),
            stress=ConfusionCounts(**(stress or {}).get(name, {})),
            basis=basis_of(ConfusionCounts(**cells)),
        )
        for name, cells in counts.items()
    ]
    failed = (failures or {}).items()
    return [*measured, *(DetectorResult(detector=n, failure=why) for n, why in failed)]


def write_summary(
    path: Path,
    counts: Mapping[str, Cells],
    *,
    threshold: float = 0.5,
    data: str = "0",
    **given: Any,
) -> str:
    """Write a summary and return its path."""
    document = document_of(*results_of(counts, **given), data=data)
    document["metadata"]["eval_threshold"] = threshold
    path.write_text(summary_text(document))
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
