# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is served as ``garak.analyze.detector_eval``: detector metrics, one command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from garak_tbsa.cli.main import guarded, run_as

PROGRAM = "python -m garak.analyze.detector_eval"


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``garak-tbsa detectors evaluate`` under garak's name; return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; ``sys.argv`` by default.
    """
    arguments = sys.argv[1:] if argv is None else argv
    return guarded(lambda: run_as(PROGRAM, "detectors evaluate", arguments))


if __name__ == "__main__":
    sys.exit(main())
