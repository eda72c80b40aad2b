# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outcomes per prompt, from a report's attempt rows: the finest data it has."""

from __future__ import annotations

import hashlib

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import parse_json
from garak_tbsa.garak_files.measurement import PAIR_SEPARATOR, bare_detector, bare_probe
from garak_tbsa.garak_files.source import open_source
from garak_tbsa.lean.plain_json import canonical
from garak_tbsa.lean.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeGuard

    PromptOutcomes = Mapping[str, Mapping[bytes, "Outcome"]]

COMPLETE = 2
DEFAULT_THRESHOLD = 0.5


@record
class Outcome:
    """Evaluated outputs of one prompt, judged by one detector.

    Attributes
    ----------
    passed, total : int
        ``0 <= passed <= total``.
    """

    passed: int
    total: int


def read_outcomes(name: str, threshold: float = DEFAULT_THRESHOLD) -> PromptOutcomes:
    """Read a report's attempts.

    Parameters
    ----------
    name : str
        The report's path.
    threshold : float
        Scores of at least this are hits (garak's ``eval_threshold``).

    Returns
    -------
    mapping of pair name to mapping of prompt to Outcome
        A prompt is known by a digest of its text; one that comes several times
        has its outputs added up. Rows that are not whole are passed over: the
        caller compares totals with the report's counts.
    """
    outcomes: dict[str, dict[bytes, Outcome]] = {}
    with open_source(name) as source:
        for _, line in source.lines():
            attempt = _complete_attempt(line)
            if attempt is None:
                continue
            prompt = _prompt_key(attempt.get("prompt"))
            for pair, outcome in _judged(attempt, threshold):
                prompts = outcomes.setdefault(pair, {})
                before = prompts.get(prompt, Outcome(passed=0, total=0))
                prompts[prompt] = Outcome(
                    passed=before.passed + outcome.passed,
                    total=before.total + outcome.total,
                )
    return outcomes


def hit_threshold(setup: Mapping[str, Any]) -> float:
    """Return a report's ``eval_threshold``, garak's default where it says none."""
    stated = setup.get("run.eval_threshold")
    return float(stated) if _is_number(stated) else DEFAULT_THRESHOLD


def outcomes_or_none(name: str, threshold: float) -> PromptOutcomes | None:
    """Return the outcomes, None where the report can be read only once or badly."""
    if name == "-":
        return None
    try:
        return read_outcomes(name, threshold)
    except ReportError:
        return None


def _complete_attempt(line: bytes) -> dict[str, Any] | None:
    if b'"attempt"' not in line[:200]:
        return None
    try:
        row = parse_json(line)
    except ValueError:
        return None
    if not isinstance(row, dict) or row.get("entry_type") != "attempt":
        return None
    # every attempt is written twice, first as started
    return row if row.get("status") == COMPLETE else None


def _prompt_key(prompt: object) -> bytes:
    return hashlib.sha256(canonical(prompt)).digest()[:16]


def _judged(
    attempt: Mapping[str, Any], threshold: float
) -> Iterator[tuple[str, Outcome]]:
    probe, results = attempt.get("probe_classname"), attempt.get("detector_results")
    if not isinstance(probe, str) or not isinstance(results, dict):
        return
    for detector, scores in results.items():
        if not isinstance(scores, list):
            continue
        judged = [score for score in scores if _is_number(score)]
        yield (
            f"{bare_probe(probe)}{PAIR_SEPARATOR}{bare_detector(detector)}",
            Outcome(passed=sum(s < threshold for s in judged), total=len(judged)),
        )


def _is_number(value: object) -> TypeGuard[float]:
    # garak takes a detector's True for 1.0
    return isinstance(value, (int, float))
