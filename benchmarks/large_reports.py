# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Large reports, grown from a real scan of the embedded target, or of tiny outputs."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.timing import isolated_environment
from tests.factories import PairFacts, report_rows

MB = 1_000_000
TINY = (60 * MB, "60 MB of tiny outputs", 3)
SHORT_PROBES = 30
SHORT_DETECTORS = ("first.Detector", "second.Detector")
SHORT_OUTPUTS = 10

PROBES = (
    "probes.ansiescape,probes.dan.Ablation_Dan_11_0,probes.web_injection,"
    "probes.latentinjection.LatentWhois,probes.encoding.InjectBase64"
)


def seed_report(folder: Path, environment: Mapping[str, str]) -> Path:
    """Scan the embedded target with the installed garak, once."""
    report = folder / "data" / "garak" / "garak_runs" / "seed.report.jsonl"
    if not report.exists():
        command = [sys.executable, "-m", "garak", "--target_type", "function.Single"]
        command += ["--target_name", "garak_tbsa.demo_target#respond"]
        command += ["--spec", PROBES, "--generations", "1", "--report_prefix", "seed"]
        quiet = dict(environment) | {"GARAK_TBSA": "0"}
        subprocess.run(
            command,
            env=quiet,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return report


def grow(seed: Path, target: Path, size: int, *, digest: bool) -> Path:
    """Repeat the seed's attempt rows until the report has ``size`` bytes.

    Parameters
    ----------
    seed, target : Path
    size : int
        Bytes, at least; the rows that are not attempts come once.
    digest : bool
        Whether to keep the digest.
    """
    lines = seed.read_bytes().splitlines(keepends=True)
    attempts = [line for line in lines if line.startswith(b'{"entry_type": "attempt"')]
    others = [
        line for line in lines if not line.startswith(b'{"entry_type": "attempt"')
    ]
    block = b"".join(attempts)
    with open(target, "wb") as file:
        file.writelines(others[:2])
        while file.tell() < size:
            file.write(block)
        for line in others[2:]:
            if digest or b'"entry_type": "digest"' not in line[:40]:
                file.write(line)
    return target


COUNTS = ("passed", "fails", "nones", "total_evaluated", "total_processed")


def grow_scan(seed: Path, target: Path, size: int) -> Path:
    """Write the report of a scan with as many more attempts as ``size`` bytes take.

    Unlike :func:`grow`, each attempt has a uuid of its own and the counts of evals and
    digest are those of the attempts, so that the report can be audited.

    Parameters
    ----------
    seed, target : Path
    size : int
        Bytes, at least.
    """
    rows = [json.loads(line) for line in seed.read_bytes().splitlines()]
    attempts = [row for row in rows if row["entry_type"] == "attempt"]
    others = [row for row in rows if row["entry_type"] != "attempt"]
    block = len("".join(json.dumps(row) + "\n" for row in attempts))
    copies = -(-size // block)
    with open(target, "w", encoding="utf-8") as file:
        for row in others[:2]:
            file.write(json.dumps(row) + "\n")
        for copy in range(copies):
            for row in attempts:
                own = f"{row['uuid'][:-4]}{copy:04x}"
                file.write(json.dumps({**row, "uuid": own}) + "\n")
        for row in others[2:]:
            file.write(json.dumps(_multiplied(row, copies)) + "\n")
    return target


def _multiplied(value: Any, times: int) -> Any:
    """Return a row whose counts of outputs are so many times as large."""
    if not isinstance(value, dict):
        return value
    return {
        name: each * times
        if name in COUNTS and isinstance(each, int)
        else _multiplied(each, times)
        for name, each in value.items()
    }


def short_outputs(target: Path, size: int) -> Path:
    """Write a report of outputs of two letters: the most that a size can hold."""
    rng = random.Random(1)
    passed: dict[tuple[str, str], int] = {}
    attempts: dict[str, int] = {}
    rows = list(_short_attempts(rng, size, passed, attempts))
    pairs = [
        PairFacts(
            probe=probe,
            detector=detector,
            passed=number,
            total=attempts[probe] * SHORT_OUTPUTS,
        )
        for (probe, detector), number in passed.items()
    ]
    others = [json.dumps(row) for row in report_rows(pairs)]
    target.write_text("\n".join([*others[:3], *rows, *others[3:]]), encoding="utf-8")
    return target


def _short_attempts(
    rng: random.Random,
    size: int,
    passed: dict[tuple[str, str], int],
    attempts: dict[str, int],
) -> Iterator[str]:
    """Yield attempt rows of together ``size`` bytes, and count what they hold."""
    written = 0
    for number in count():
        probe = f"probe.P{number % SHORT_PROBES}"
        attempts[probe] = attempts.get(probe, 0) + 1
        results: dict[str, list[float]] = {}
        for detector in SHORT_DETECTORS:
            scores = [float(rng.random() < 0.2) for _ in range(SHORT_OUTPUTS)]
            key = probe, detector
            passed[key] = passed.get(key, 0) + scores.count(0.0)
            results[detector] = scores
        row: dict[str, Any] = {
            "entry_type": "attempt",
            "uuid": f"{rng.getrandbits(128):032x}",
            "status": 2,
            "probe_classname": probe,
            "prompt": "hello",
            "outputs": [{"text": "ok", "lang": "en"}] * SHORT_OUTPUTS,
            "detector_results": results,
        }
        line = json.dumps(row)
        yield line
        written += len(line) + 1
        if written >= size:
            return


def reports_of_sizes(
    sizes: Iterable[tuple[int, str, int]],
) -> Iterator[tuple[Path, str, int, dict[str, str]]]:
    """Yield a report of each size, in the place of the one before.

    Parameters
    ----------
    sizes : iterable of (int, str, int)
        Bytes, label and runs; those labelled as :data:`TINY` have tiny outputs.

    Yields
    ------
    Path, str, int, dict
        The report, its label and runs, and the environment to run commands in.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = isolated_environment(folder)
        seed = seed_report(folder, environment)
        target = folder / "large.report.jsonl"
        for size, label, runs in sizes:
            if label == TINY[1]:
                short_outputs(target, size)
            else:
                grow_scan(seed, target, size)
            yield target, label, runs, environment
