# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python ci/github STEP``, or ``python ci/github run COMMAND ...`` for garak-tbsa.

Started by its path, so that no module of the folder that a job works in, which may hold
a stranger's pull request, is imported in place of ours or of Python's own.
"""

from __future__ import annotations

import os
import sys

OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(OWN_FOLDER))
STEPS = ("set-up", "score", "comment", "baseline", "gate")
OLDEST = (3, 10)


def main(argv: list[str]) -> int:
    """Run a step or a command; return its exit code."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        needed = ".".join(map(str, OLDEST))
        sys.stdout.write(
            f"::error title=garak-tbsa::Python {needed} or newer is needed, and"
            f" {sys.executable} is {found}; use actions/setup-python before this"
            " action, or name another Python with its input python\n"
        )
        return 1
    _use_this_checkout()
    name = argv[0] if argv else ""
    if name == "run":
        from garak_tbsa.cli.main import main as garak_tbsa

        return garak_tbsa(argv[1:])
    if name not in STEPS:
        sys.stderr.write(f"expected run or one of {', '.join(STEPS)}, found {name!r}\n")
        return 2
    from importlib import import_module

    code: int = import_module(f"ci.github.{name.replace('-', '_')}").run()
    return code


def _use_this_checkout() -> None:
    """Let imports find this checkout, whichever garak-tbsa is installed too."""
    sys.path[:] = [ROOT, *(entry for entry in sys.path if not _is_own(entry))]
    # an installed one is imported as Python starts, to be there for garak
    for name in list(sys.modules):
        if name.partition(".")[0] in ("garak_tbsa", "ci"):
            del sys.modules[name]


def _is_own(entry: str) -> bool:
    return not entry or os.path.abspath(entry) == OWN_FOLDER


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
