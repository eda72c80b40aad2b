# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How we speak inside garak: nothing here fails, or costs garak its own output.

Where garak's own text cannot be flushed, ours is not written, so that the
interpreter's exit code tells of garak's text as it would without us.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def show(lines: Sequence[str], *, are_commands: bool = False) -> None:
    """Print lines to stdout, if it can be written; commands are for GitHub's runner."""
    try:
        from garak_tbsa import terminal

        if _is_flushed():
            write = terminal.write_commands if are_commands else terminal.write_lines
            write(lines)
            terminal.flush()
    except Exception:
        return


def say(line: str) -> None:
    """Print one line to stderr, if it can be written."""
    try:
        from garak_tbsa.terminal import write_error, write_line

        if _is_flushed():
            write_error(line)
        else:
            write_line("garak-tbsa: " + " ".join(line.split()), stream=sys.stderr)
    except Exception:
        return


def _is_flushed() -> bool:
    """Whether all that was printed before could be written."""
    try:
        sys.stdout.flush()
    except Exception:
        # full, closed, or no stream at all
        return False
    return True
