# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks [NAME ...]``: measure, print and keep the tables."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import time
from datetime import date
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

NAMES = (
    "speed",
    "repeat_coverage",
    "stratified_labels",
    "comparison_levels",
    "detectable",
    "tier1_gate",
    "real_repeats",
    "audit_coverage",
    "audit_of_real_scan",
)
ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PUBLISHED = ROOT / "docs" / "measured"


def main() -> None:
    """Run all benchmarks or those named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="smaller data, fewer runs")
    how.add_argument("--publish", action="store_true", help="write into docs/measured")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(NAMES)):
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(NAMES)}")
    commit = subprocess.check_output(
        ("git", "rev-parse", "--short=8", "HEAD"), cwd=ROOT, text=True
    ).strip()
    folder = PUBLISHED if options.publish else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or NAMES:
        module = import_module(f"benchmarks.{name}")
        start = time.perf_counter()
        tables = module.main(module.RUNS[options.quick])
        text = (
            f"{tables}\n\nMeasured {date.today().isoformat()} on {os.cpu_count()} cores"
            f" ({platform.system()}, {platform.machine()}), garak {version('garak')},"
            f" Python {platform.python_version()}, at commit {commit};"
            f"{' quick, not for publication;' * options.quick}"
            f" took {time.perf_counter() - start:.0f} s."
            f" Again: `python -m benchmarks {name}`\n"
        )
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
        print(f"## {name}: {module.__doc__}\n\n{text}", flush=True)


if __name__ == "__main__":
    main()
