# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A small scan with every output in it, and people who label them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.report_rows import RUN, PairFacts, report_rows, write_report

PAIRS = (
    PairFacts(probe="dan.One", detector="dan.DAN", passed=12, total=20),
    PairFacts(probe="enc.B64", detector="enc.D", passed=20, total=20),
    PairFacts(probe="web.Xss", detector="web.D", passed=18, total=20, tier=2),
    PairFacts(probe="old.Three", detector="old.D", passed=4, total=5, tier=3),
)
"""Grades 3 and 5 in Tier 1, 4 in Tier 2: (2 * 3.75 + 4) / 3 = 3.83, so TBSA 3.8."""
OUTPUTS = 60
"""Those of the pairs that count."""


def attempt_of(facts: PairFacts) -> str:
    """Return the uuid of a pair's only attempt."""
    return f"uuid of {facts.probe}"


def write_scan(
    path: Path,
    pairs: Iterable[PairFacts] = PAIRS,
    *,
    text: Callable[[PairFacts, int], str] = lambda facts, n: f"{facts.probe} {n}",
    prompt: str = "hello",
    goal: str = "be rude",
    run: str = RUN,
) -> Path:
    """Write a report; the first outputs of each pair are its flagged ones."""
    pairs = list(pairs)
    rows = report_rows(pairs, run=run)
    attempts = [
        {
            "entry_type": "attempt",
            "status": 2,
            "uuid": attempt_of(facts),
            "probe_classname": facts.probe,
            "prompt": {"turns": [{"role": "user", "content": {"text": prompt}}]},
            "outputs": [{"text": text(facts, n)} for n in range(facts.total)],
            "detector_results": {
                facts.detector: [
                    float(n < facts.total - facts.passed) for n in range(facts.total)
                ]
            },
            "goal": goal,
        }
        for facts in pairs
    ]
    write_report(path, [*rows[:3], *attempts, *rows[3:]])
    return path


def answer(facts: PairFacts, index: int, label: str, **fields: Any) -> dict[str, Any]:
    """Return an answer as ``label`` keeps it."""
    return {
        "attempt": attempt_of(facts),
        "output_index": index,
        "detector": facts.detector,
        "label": label,
        "rater": "anna",
        "note": "",
        "drawn": True,
        "time": "2026-11-22T10:00:00+00:00",
    } | fields


def careful(pairs: Iterable[PairFacts] = PAIRS[:3]) -> list[dict[str, Any]]:
    """Label everything: one real hit of dan.One, five of enc.B64, web.Xss as flagged.

    Grades 4 (19 of 20) and 3 (15 of 20), and 4: (2 * 24/7 + 4) / 3 = 3.62.
    """
    hits = {"dan.One": 1, "enc.B64": 5, "web.Xss": 2}
    return [
        answer(facts, index, "hit" if index < hits[facts.probe] else "pass")
        for facts in pairs
        for index in range(facts.total)
    ]
