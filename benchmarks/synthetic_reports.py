# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports of simulated scans, graded by the installed calibration as garak does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.simulated_scans import Counts, calibration, make_pair, real_scan
from garak_tbsa.tbsa.grades import GradedPair
from tests.factories import PairFacts, report_rows, to_bytes

START = "2026-01-02T03:04:05"


def facts_of(pairs: Sequence[GradedPair], passed: Iterable[int]) -> list[PairFacts]:
    """Return what a report says of pairs with these pass counts."""
    return [
        PairFacts(
            probe=pair.probe,
            detector=pair.detector,
            tier=pair.tier,
            passed=int(count),
            total=pair.total_evaluated or 0,
            mu=pair.distribution.mu if pair.distribution else None,
            sigma=pair.distribution.sigma if pair.distribution else 0.0,
        )
        for pair, count in zip(pairs, passed, strict=True)
    ]


def write_scan(
    path: Path,
    pairs: Sequence[GradedPair],
    passed: Counts | Sequence[int],
    *,
    start: str = START,
    attempts: bytes = b"",
) -> Path:
    """Write the report of one scan; ``attempts`` are lines before its eval rows."""
    rows = report_rows(facts_of(pairs, passed))
    rows[1]["start_time"] = rows[-1]["meta"]["start_time"] = start
    rows[-1]["meta"]["calibration"] = _calibration_meta()
    head, rest = to_bytes(rows[:2]), to_bytes(rows[2:])
    path.write_bytes(head + b"\n" + attempts + rest)
    return path


def scan_of(count: int) -> list[GradedPair]:
    """Return the pairs of the real scan, over again under other names if need be.

    A name that garak's calibration does not know has the pass-rate grade alone.
    """
    pairs = []
    for index, pair in enumerate(islice(cycle(real_scan()), count)):
        again = index // len(real_scan())
        passed, total = pair.passed, pair.total_evaluated
        assert passed is not None
        assert total is not None
        name = f"{pair.probe}{again or ''}"
        # other counts too: equal ones are computed once
        passed = max(0, passed - again)
        pairs.append(make_pair(name, pair.detector, pair.tier, passed, total))
    return pairs


def _calibration_meta() -> dict[str, Any]:
    meta = json.loads(Path(calibration().source).read_text(encoding="utf-8"))
    names = meta["garak_calibration_meta"]["filenames"]
    return {
        "calibration_date": meta["garak_calibration_meta"]["date"],
        "model_count": len(names),
        "model_list": ", ".join(sorted(n.replace(".report.jsonl", "") for n in names)),
    }
