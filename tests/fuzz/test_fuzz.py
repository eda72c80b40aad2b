# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A fixed share of the campaign; ``make fuzz`` runs it with new seeds for a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SEED = 8
CASES = 1600


def test_a_fixed_share_of_the_campaign_holds() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tools.fuzz", "--no-keep"),
            *("--seed", str(SEED), "--cases", str(CASES)),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "reports: " in done.stderr
