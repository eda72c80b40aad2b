# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports of simulated scans with every attempt, graded by garak's calibration."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated_scans import calibration, make_pair, real_scan
from garak_tbsa.tbsa.grades import GradedPair
from tests.factories import PairFacts, report_rows, to_bytes

CORRELATION = 0.2
"""Of the verdicts on two outputs of one prompt; real ones had 0.02 to 0.43."""

GENERATIONS, WORDS, START = 5, 60, "2026-01-02T03:04:05"
MB = 1_000_000
SMALLER = 7
Verdicts = NDArray[np.bool_]
Judged = tuple[Sequence[GradedPair], Sequence[Verdicts]]
"""Pairs of a probe, and whether its outputs passed: prompts by generations of each."""


def smaller_scan() -> list[GradedPair]:
    """Return the pairs of the real scan with a seventh of their outputs."""
    pairs = []
    for pair in real_scan():
        total = -(-(pair.total_evaluated or 0) // SMALLER)
        passed = round(total * pair.pass_rate)
        pairs.append(make_pair(pair.probe, pair.detector, pair.tier, passed, total))
    return pairs


def write_prompted(
    path: Path,
    pairs: Sequence[GradedPair],
    *,
    words: int = WORDS,
    seed: int = 1,
    start: str = START,
    size: int = 0,
    digest: bool = True,
) -> Path:
    """Write a scan whose attempts give the counts of all its pairs.

    Parameters
    ----------
    path : Path
    pairs : sequence of GradedPair
        Their rates and numbers of outputs are about those of the scan.
    words : int
        Of each prompt and output.
    seed : int
    start : str
        When it began.
    size : int
        Bytes, at least: all attempts come again, with other uuids, until it has them.
    digest : bool
        Whether it has one.
    """
    rng = np.random.default_rng(seed)
    judged: list[Judged] = []
    for _, group in groupby(pairs, key=lambda pair: pair.probe):
        own = list(group)
        outputs = max(pair.total_evaluated or 0 for pair in own)
        judged.append((own, _verdicts(own, max(1, outputs // GENERATIONS), rng)))
    times = 0
    with open(path, "wb") as file:
        file.write(to_bytes(_frame(judged, 1, start)[:2]) + b"\n")
        while not times or file.tell() < size:
            for members, verdicts in judged:
                for row in _attempts(members, verdicts, words, times):
                    file.write(json.dumps(row).encode("ascii") + b"\n")
            times += 1
        last = _frame(judged, times, start)[2:]
        file.write(to_bytes(last if digest else last[:-1]))
    return path


def _frame(judged: Sequence[Judged], times: int, start: str) -> list[dict[str, Any]]:
    """All rows but the attempts, of which all came so many times."""
    rows = report_rows(
        PairFacts(
            probe=pair.probe,
            detector=pair.detector,
            tier=pair.tier,
            passed=times * int(passed.sum()),
            total=times * passed.size,
            mu=pair.distribution.mu if pair.distribution else None,
            sigma=pair.distribution.sigma if pair.distribution else 0.0,
        )
        for members, verdicts in judged
        for pair, passed in zip(members, verdicts, strict=True)
    )
    rows[1]["start_time"] = rows[-1]["meta"]["start_time"] = start
    rows[-1]["meta"]["calibration"] = _calibration_meta()
    return rows


def _calibration_meta() -> dict[str, Any]:
    meta = json.loads(Path(calibration().source).read_text(encoding="utf-8"))
    names = meta["garak_calibration_meta"]["filenames"]
    return {
        "calibration_date": meta["garak_calibration_meta"]["date"],
        "model_count": len(names),
        "model_list": ", ".join(sorted(n.replace(".report.jsonl", "") for n in names)),
    }


def _verdicts(
    members: Sequence[GradedPair], prompts: int, rng: np.random.Generator
) -> list[Verdicts]:
    """Whether outputs passed; prompts by generations, for each detector."""
    chances = rng.random((prompts, GENERATIONS))
    strength = (1 - CORRELATION) / CORRELATION
    found: list[Verdicts] = []
    for pair in members:
        rate = min(max(pair.pass_rate, 1e-6), 1 - 1e-6)
        of_prompts = rng.beta(strength * rate, strength * (1 - rate), prompts)
        found.append(chances < of_prompts[:, np.newaxis])
    return found


def _attempts(
    members: Sequence[GradedPair], verdicts: Sequence[Verdicts], words: int, again: int
) -> Iterator[dict[str, Any]]:
    """Rows as garak 0.17 writes them: an attempt as started, and as complete."""
    probe = members[0].probe
    for number in range(len(verdicts[0])):
        asked = _message(f"{probe} asks {number}: " + "word " * words)
        outputs = [_message("answer " * words) for _ in verdicts[0][number]]
        row = {
            "entry_type": "attempt",
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{probe} {number} {again}")),
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
