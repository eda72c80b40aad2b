# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Large reports, grown from a real scan of the embedded target."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MB = 1_000_000
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


COUNTS = ("passed", "fails", "nones", "total_evaluated", "total_processed")


def grow(seed: Path, target: Path, size: int, *, digest: bool = True) -> Path:
    """Write the report of a scan with as many more attempts as ``size`` bytes take.

    Each has a uuid of its own, and the counts of evals and digest are theirs.

    Parameters
    ----------
    seed, target : Path
    size : int
        Bytes, at least.
    digest : bool
        Whether it has one.
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
        for row in others[2:] if digest else others[2:-1]:
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
