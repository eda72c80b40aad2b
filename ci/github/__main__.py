# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python ci/github STEP``, or ``python ci/github run COMMAND ...`` for garak-tbsa.

Started by its path, so that no module of the folder that a job works in, which may hold
a stranger's pull request, is imported in place of ours or of Python's own.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(OWN_FOLDER))
OLDEST = (3, 10)


def main(argv: list[str]) -> int:
    """Run a step or a command; return its exit code."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        needed = ".".join(map(str, OLDEST))
        sys.stdout.write(
            f"::error title=garak-tbsa::Python {needed} or newer is needed, and"
            f" {sys.executable} is {found}; use actions/setup-python before this"
            " action\n"
        )
        return 1
    _use_this_checkout()
    step, *arguments = argv
    if step == "run":
        code: int = import_module("garak_tbsa.cli.main").main(arguments)
    else:
        code = getattr(import_module("ci.github.steps"), step.replace("-", "_"))()
    return code


def _use_this_checkout() -> None:
    """Let imports find this checkout, whichever garak-tbsa is installed too."""
    own = [
        entry for entry in sys.path if entry and os.path.abspath(entry) != OWN_FOLDER
    ]
    sys.path[:] = [ROOT, *own]
    # an installed one is imported as Python starts, to be there for garak
    for name in list(sys.modules):
        if name.partition(".")[0] in ("garak_tbsa", "ci"):
            del sys.modules[name]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
