# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Step: keep this scan as the next baseline, where it may be one."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

from ci.github.__main__ import OWN_FOLDER
from ci.github.event import is_of_default_branch, read_event
from ci.github.inputs import ALWAYS, CACHE, KEPT_BASELINE, NEVER, Inputs, read_inputs
from ci.github.workflow import say, set_output, warn
from garak_tbsa.errors import EXIT_DONE, EXIT_GATE_FAILED

PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""How gzip and zstandard begin."""


def run() -> int:
    """Return 0 always; the output ``save`` says whether the cache is to be written."""
    inputs = read_inputs()
    reason = why_not(inputs, int(os.environ.get("SCORE_EXIT_CODE") or 1))
    if reason is not None:
        say(f"the baseline in the cache is left as it is: {reason}")
        return 0
    if _save(os.environ.get("SCORE_REPORT", "")):
        set_output("save", "true")
    return 0


def why_not(inputs: Inputs, exit_code: int) -> str | None:
    """Return why this scan is not the next baseline, None where it is."""
    if inputs.baseline != CACHE:
        return "the input baseline is not cache"
    if inputs.renew_baseline == NEVER:
        return "the input renew-baseline is never"
    if not is_of_default_branch(read_event()):
        return "this run is not for the default branch's own code"
    if exit_code not in (EXIT_DONE, EXIT_GATE_FAILED):
        return "the scan was not scored"
    if exit_code == EXIT_GATE_FAILED and inputs.renew_baseline != ALWAYS:
        return (
            "the scan did not pass; renew-baseline: always makes it the baseline all"
            " the same"
        )
    return None


def _save(report: str) -> bool:
    """Keep a copy, packed, of a report that a scan like it would pass against."""
    command = [sys.executable, OWN_FOLDER, "run", "score", "-q", f"--baseline={report}"]
    with tempfile.TemporaryDirectory() as folder:
        score = os.path.join(folder, "score.json")
        done = subprocess.run(  # noqa: S603
            [*command, f"--json_output={score}", "--", report], check=False
        )
        why = _why_no_baseline(score) if done.returncode == EXIT_DONE else "see above"
    if why is None:
        try:
            _copy(report)
        except OSError as error:
            why = f"{error.filename}: {error.strerror}"
    if why is not None:
        say(f"not kept: {why}")
        warn("the baseline was not renewed; the log of this step says why")
    return why is None


def _why_no_baseline(score: str) -> str | None:
    """Return why no other scan can be compared with a partial report."""
    with open(score, encoding="utf-8") as handle:
        reason: str | None = json.load(handle)["partial_reason"]
    return reason


def _copy(report: str) -> None:
    os.makedirs(os.path.dirname(KEPT_BASELINE), exist_ok=True)
    with open(report, "rb") as source:
        is_packed = source.read(4).startswith(PACKED)
        source.seek(0)
        opened = open if is_packed else gzip.open
        with opened(KEPT_BASELINE, "wb") as kept:
            shutil.copyfileobj(source, kept)
