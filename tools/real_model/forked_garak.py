# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak, imported once: each of several scans is its command line in a child process.

Importing garak takes longer than a scan that is served its answers.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.real_model import capped_garak


def run_child(arguments: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run garak in a child process with these variables; return its exit code."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os._exit(_run_here(arguments, variables))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _run_here(arguments: Sequence[str], variables: Mapping[str, str]) -> int:
    code: object = 0
    try:
        os.environ.update(variables)
        capped_garak.main(arguments)
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException:  # a missing answer is none of Exception
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 1


def main(arguments: Sequence[str]) -> int:
    """Run the jobs of a file one after another, up to the first that fails."""
    import garak.cli
    import garak.evaluators
    import garak.generators.function
    import garak.harnesses.probewise  # noqa: F401 (imported for all children)

    for job in json.loads(Path(arguments[0]).read_bytes()):
        code = run_child(job["arguments"], job["variables"])
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
