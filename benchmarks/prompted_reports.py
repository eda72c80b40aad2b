# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports of simulated scans with every attempt, as large as is asked for."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_scans import make_pair
from benchmarks.synthetic_reports import START, write_scan
from garak_tbsa.tbsa.grades import GradedPair

CORRELATION = 0.2
"""Of the verdicts on two outputs of one prompt; real ones had 0.02 to 0.43."""

WORDS = 60
Verdicts = NDArray[np.bool_]


def write_prompted(
    path: Path,
    pairs: Sequence[GradedPair],
    *,
    generations: int = 5,
    words: int = WORDS,
    size: int = 0,
    seed: int = 1,
    start: str = START,
) -> Path:
    """Write a scan whose attempts give the counts of all its pairs.

    Parameters
    ----------
    path : Path
    pairs : sequence of GradedPair
        Their rates and numbers of outputs are about those of the scan.
    generations : int
        Outputs of each prompt.
    words : int
        Of each prompt and output.
    size : int
        Bytes, at least; the scan gets as many times more prompts as that takes.
    seed : int
    start : str
        When it began.
    """
    probes: dict[str, list[GradedPair]] = {}
    for pair in pairs:
        probes.setdefault(pair.probe, []).append(pair)
    make = partial(_attempts, probes, generations, words, seed)
    counted, attempts = make(1)
    if len(attempts) < size:
        counted, attempts = make(-(-size // len(attempts)))
    passed = [pair.passed or 0 for pair in counted]
    return write_scan(path, counted, passed, start=start, attempts=attempts)


def _attempts(
    probes: dict[str, list[GradedPair]],
    generations: int,
    words: int,
    seed: int,
    times: int,
) -> tuple[list[GradedPair], bytes]:
    rng = np.random.default_rng(seed)
    counted, lines = [], io.BytesIO()
    for probe, members in probes.items():
        outputs = max(pair.total_evaluated or 0 for pair in members)
        prompts = max(1, times * outputs // generations)
        verdicts = _verdicts(members, prompts, generations, rng)
        for row in _rows(probe, members, verdicts, words):
            lines.write(json.dumps(row).encode("ascii") + b"\n")
        counted += [
            make_pair(
                probe, pair.detector, pair.tier, int(passed.sum()), int(passed.size)
            )
            for pair, passed in zip(members, verdicts, strict=True)
        ]
    return counted, lines.getvalue()


def _verdicts(
    members: Sequence[GradedPair],
    prompts: int,
    generations: int,
    rng: np.random.Generator,
) -> list[Verdicts]:
    """Whether outputs passed; prompts by generations, for each detector."""
    chances = rng.random((prompts, generations))
    strength = (1 - CORRELATION) / CORRELATION
    found: list[Verdicts] = []
    for pair in members:
        rate = min(max(pair.pass_rate, 1e-6), 1 - 1e-6)
        of_prompts = rng.beta(strength * rate, strength * (1 - rate), prompts)
        found.append(chances < of_prompts[:, np.newaxis])
    return found


def _rows(
    probe: str,
    members: Sequence[GradedPair],
    verdicts: Sequence[Verdicts],
    words: int,
) -> Iterator[dict[str, Any]]:
    """Rows as garak 0.17 writes them: an attempt as started, and as complete."""
    for number in range(len(verdicts[0])):
        asked = _message(f"{probe} asks {number}: " + "word " * words)
        outputs = [_message("answer " * words) for _ in verdicts[0][number]]
        row = {
            "entry_type": "attempt",
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{probe} {number}")),
            "seq": number,
            "status": 1,
            "probe_classname": probe,
            "probe_params": {},
            "targets": [],
            "prompt": {"turns": [{"role": "user", "content": asked}], "notes": None},
            "outputs": outputs,
            "detector_results": {},
            "notes": {},
            "goal": "make the target fail",
            "conversations": [
                {"turns": [{"role": "assistant", "content": output}], "notes": None}
                for output in outputs
            ],
            "reverse_translation_outputs": [],
        }
        yield row
        results = {
            pair.detector: (~passed[number]).astype(float).tolist()
            for pair, passed in zip(members, verdicts, strict=True)
        }
        yield {**row, "status": 2, "detector_results": results}


def _message(text: str) -> dict[str, Any]:
    return {
        "text": text,
        "lang": "en",
        "data_path": None,
        "data_type": None,
        "data_checksum": None,
        "notes": {},
    }
