# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports that have all their outputs, for tests of commands that label."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.factories import PairFacts, report_rows

PAIRS = (
    PairFacts(probe="dan.Ablation_Dan_11_0", detector="dan.DAN", passed=8, total=20),
    PairFacts(
        probe="encoding.InjectBase64",
        detector="encoding.DecodeMatch",
        passed=27,
        total=30,
    ),
)


def plain_text(facts: PairFacts, number: int) -> str:
    """Return an output that says which one it is."""
    return f"{facts.detector} said {number}"


def full_report(
    path: Path,
    pairs: Sequence[PairFacts] = PAIRS,
    *,
    text: Callable[[PairFacts, int], str | None] = plain_text,
    prompt: str = "the prompt",
    goal: str = "the goal",
) -> Path:
    """Write a report with an attempt for each output, hits and passes mixed."""
    rows = report_rows(pairs)
    attempts = [
        row for facts in pairs for row in attempt_rows(facts, text, prompt, goal)
    ]
    lines = map(json.dumps, [*rows[:2], *attempts, *rows[2:]])
    path.write_text("\n".join(lines), encoding="ascii")
    return path


def attempt_rows(
    facts: PairFacts,
    text: Callable[[PairFacts, int], str | None] = plain_text,
    prompt: str = "the prompt",
    goal: str = "the goal",
) -> Iterator[dict[str, Any]]:
    """Yield an attempt for each output of a pair."""
    hits = facts.total - facts.passed
    for number in range(facts.total):
        is_hit = (number + 1) * hits // facts.total > number * hits // facts.total
        said = text(facts, number)
        yield {
            "entry_type": "attempt",
            "uuid": f"{facts.probe}-{facts.detector}-{number}",
            "status": 2,
            "probe_classname": facts.probe,
            "prompt": {"turns": [{"role": "user", "content": {"text": prompt}}]},
            "outputs": [None if said is None else {"text": said}],
            "detector_results": {facts.detector: [float(is_hit)]},
            "notes": {},
            "goal": goal,
        }
