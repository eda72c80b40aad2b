# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics summaries, mutated, through ``detectors rank`` and ``detectors diff``."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.fuzz.case import Case, Failure
from tools.fuzz.checks import of_outcome, strict_json
from tools.fuzz.drive import Outcome
from tools.fuzz.mutate import change_bytes, change_somewhere, to_line

SHIPPED = (
    Path(__file__).parents[2] / "data/detectors-eval/detector_metrics_summary.json"
)
SUMMARY = "summary.json"
OTHER = "other.json"
RANKING = "out-rank.json"
FEW = 6


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, dict[str, str]]:
    """Return the shipped summary's metadata, and each detector's entry, as JSON."""
    summary = json.loads(SHIPPED.read_text(encoding="utf-8"))
    results = summary.pop("results")
    return json.dumps(summary), {k: json.dumps(v) for k, v in results.items()}


def _few(rng: random.Random) -> dict[str, Any]:
    """Return the shipped summary with a few of its detectors."""
    rest, results = _shipped()
    summary: dict[str, Any] = json.loads(rest)
    names = rng.sample(sorted(results), FEW)
    summary["results"] = {name: json.loads(results[name]) for name in names}
    return summary


def make(rng: random.Random, origin: str) -> Case:
    """Return mutated summaries and the command that reads them."""
    summary = _few(rng)
    files = {SUMMARY: _mutated(json.loads(json.dumps(summary)), rng)}
    argv: tuple[str, ...] = ("detectors", "rank", SUMMARY, "-j", RANKING)
    if rng.random() < 0.4:
        files[OTHER] = _mutated(summary, rng)
        argv = ("detectors", "diff", SUMMARY, OTHER)
    return Case(subject="summaries", origin=origin, files=files, argv=argv)


def _mutated(summary: dict[str, Any], rng: random.Random) -> bytes:
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        results = summary.get("results")
        if isinstance(results, dict) and results and rng.random() < 0.7:
            change_somewhere([results[rng.choice(list(results))]], rng)
        else:
            change_somewhere(summary, rng)
    content = to_line(summary, rng)
    return change_bytes(content, rng) if rng.random() < 0.15 else content


def judge(case: Case, outcome: Outcome) -> Failure | None:
    """Return what is wrong; a ranking must fall from the best to the worst."""
    failure = of_outcome(case, outcome)
    if failure is not None or RANKING not in outcome.written:
        return failure
    ranking = strict_json(outcome.written[RANKING].decode("utf-8"))
    values = [entry["hit_f1"] for entry in ranking["ranking"]]
    if values != sorted(values, reverse=True) or not all(0 <= v <= 1 for v in values):
        return Failure(kind="wrong order", at="rank", text=str(values)[:500])
    return None
