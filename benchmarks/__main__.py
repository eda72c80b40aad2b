# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks [NAME ...]``: measure, print and keep the tables."""

from __future__ import annotations

import argparse
import os
import platform
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
    "tier1_gate",
    "real_repeats",
    "plan_power",
    "audit_coverage",
    "audit_of_real_scan",
)
ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PUBLISHED = ROOT / "docs" / "measured"


def options() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument(
        "--quick", action="store_true", help="smaller data, fewer simulated scans"
    )
    parser.add_argument(
        "--publish", action="store_true", help="write into docs/measured"
    )
    parsed = parser.parse_args()
    unknown = sorted(set(parsed.names) - set(NAMES))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(NAMES)}")
    if parsed.quick and parsed.publish:
        parser.error("--quick results are not for --publish")
    return parsed


def setting(quick: bool, seconds: float) -> str:
    """Return when and on what was measured."""
    software = f"garak {version('garak')}, Python {platform.python_version()}"
    kind = "quick, not for publication; " if quick else ""
    return (
        f"Measured {date.today().isoformat()} on {os.cpu_count()} cores"
        f" ({platform.system()}, {platform.machine()}), {software}; {kind}"
        f"took {seconds:.0f} s."
    )


def main() -> None:
    """Run all benchmarks or those named."""
    parsed = options()
    folder = PUBLISHED if parsed.publish else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    for name in parsed.names or NAMES:
        module = import_module(f"benchmarks.{name}")
        start = time.perf_counter()
        tables = module.main(quick=parsed.quick)
        measured = setting(parsed.quick, time.perf_counter() - start)
        text = f"{tables}\n\n{measured} Again: `python -m benchmarks {name}`\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
        print(f"## {name}: {module.__doc__}\n\n{text}", flush=True)


if __name__ == "__main__":
    main()
