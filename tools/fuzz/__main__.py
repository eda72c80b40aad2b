# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.fuzz``: attack every reader for a time, keep what fails."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
import time
from pathlib import Path

from tools.fuzz.case import FOLDER, keep, kept_cases


def options(argv: list[str] | None = None) -> argparse.Namespace:
    """Return the command line's options."""
    from tools.fuzz.campaign import SUBJECTS

    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="default: 60, unless --cases")
    parser.add_argument("--cases", type=int, help="stop after so many cases")
    parser.add_argument("--seed", type=int, help="default: a new one")
    parser.add_argument("--only", default="", help=f"some of {','.join(SUBJECTS)}")
    parser.add_argument(
        "--no-keep", action="store_true", help="write no fixture for a failing case"
    )
    parser.add_argument(
        "--record", action="store_true", help="write docs/measured/fuzz.md"
    )
    parsed = parser.parse_args(argv)
    parsed.subjects = parsed.only.split(",") if parsed.only else list(SUBJECTS)
    unknown = sorted(set(parsed.subjects) - set(SUBJECTS))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(SUBJECTS)}")
    if parsed.seed is None:
        parsed.seed = secrets.randbelow(10**9)
    if parsed.seconds is None and parsed.cases is None:
        parsed.seconds = 60.0
    return parsed


def main(argv: list[str] | None = None) -> int:
    """Run a campaign; 1 where a case failed that was not known before."""
    with tempfile.TemporaryDirectory() as home:
        for name in ("DATA", "CONFIG", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = str(Path(home) / name.lower())
        os.environ["HF_HUB_OFFLINE"] = "1"
        return _campaign(options(argv))


def _campaign(chosen: argparse.Namespace) -> int:
    from tools.fuzz.campaign import Found, run_campaign
    from tools.fuzz.record import summary_lines, write_record

    known = {kept.signature for kept in kept_cases() if kept.open_because}

    def told(found: Found) -> None:
        signature = found.failure.signature
        _say(f"FAILED {signature} ({found.case.subject} {found.case.origin})")
        _say(f"  {' '.join(found.case.argv)}\n  {found.failure.text[:600]!r}")
        if signature in known or chosen.no_keep:
            return
        path = _kept(found)
        _say(f"  kept as {path}" if path else "  too large to keep: shrink it by hand")

    _say(f"seed {chosen.seed}, {', '.join(chosen.subjects)}")
    start = time.monotonic()
    campaign = run_campaign(
        seed=chosen.seed,
        subjects=chosen.subjects,
        seconds=chosen.seconds,
        cases=chosen.cases,
        told=told,
    )
    took = time.monotonic() - start
    for line in summary_lines(campaign, took):
        _say(line)
    if chosen.record:
        _say(f"written: {write_record(campaign, took)}")
    return 1 if set(campaign.signatures) - known else 0


def _kept(found: object) -> Path | None:
    """Shrink a failing case and write it as a fixture."""
    from tools.fuzz.campaign import Found, failure_of
    from tools.fuzz.drive import Workbench
    from tools.fuzz.shrink import shrunk

    assert isinstance(found, Found)
    signature = found.failure.signature
    with Workbench() as bench:

        def fails(case: object) -> bool:
            failure = failure_of(case, bench)  # type: ignore[arg-type]
            return failure is not None and failure.signature == signature

        small = shrunk(found.case, fails)
    return keep(small, found.failure, FOLDER)


def _say(text: str) -> None:
    line = text.encode("utf-8", "backslashreplace").decode("utf-8")
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
