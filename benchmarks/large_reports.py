# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Large reports, grown from one real scan of the embedded target."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

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
