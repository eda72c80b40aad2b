# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What GitHub's runner reads: outputs, the summary, the path, and messages."""

from __future__ import annotations

import os
import sys
import uuid

from garak_tbsa.outputs.github_commands import Annotation
from garak_tbsa.safe_text import printable, without_commands

TITLE = "garak-tbsa"
SUMMARY_LIMIT = 1_000_000
"""Bytes of a step's summary; the runner refuses a whole summary above 1 MiB."""
CUT_NOTE = "_Cut here: the rest is in the file score.md of this run._"


def say(text: str) -> None:
    """Print lines in which nothing is a command to the runner."""
    _write(without_commands(printable(text)))


def notice(text: str) -> None:
    """Show a message beside the run."""
    _message("notice", text)


def warn(text: str) -> None:
    """Show a warning beside the run, which goes on."""
    _message("warning", text)


def error(text: str) -> None:
    """Show why the run fails."""
    _message("error", text)


def _message(kind: str, text: str) -> None:
    _write(Annotation(kind=kind, title=TITLE, message=text).command)


def _write(text: str) -> None:
    encoding = sys.stdout.encoding or "ascii"
    safe = text.encode(encoding, "backslashreplace").decode(encoding)
    sys.stdout.write(safe + "\n")
    sys.stdout.flush()


def set_output(name: str, value: object) -> None:
    """Set an output of the step; a value may be any text."""
    # nobody can write a line that ends the value, as nobody knows it before
    end = f"end-{uuid.uuid4()}"
    _append("GITHUB_OUTPUT", f"{name}<<{end}\n{value}\n{end}\n")


def add_to_path(folder: str) -> None:
    """Let later steps of the job find commands in a folder."""
    _append("GITHUB_PATH", f"{folder}\n")


def add_to_summary(markdown: str) -> None:
    """Add Markdown to the page of the run."""
    _append("GITHUB_STEP_SUMMARY", cut(markdown, SUMMARY_LIMIT) + "\n")


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(text)


def cut(markdown: str, limit: int) -> str:
    """Return whole lines of Markdown in at most ``limit`` bytes of UTF-8.

    What a ``<details>`` has folded stays folded: it is closed where the text is cut.
    """
    if len(markdown.encode("utf-8", "backslashreplace")) <= limit:
        return markdown
    lines, size = [], 0
    closing = "\n</details>" * markdown.count("<details>")
    room = limit - len(closing) - len(CUT_NOTE) - 2
    for line in markdown.split("\n"):
        size += len(line.encode("utf-8", "backslashreplace")) + 1
        if size > room:
            break
        lines.append(line)
    kept = "\n".join(lines)
    open_ones = kept.count("<details>") - kept.count("</details>")
    return kept + "\n</details>" * open_ones + f"\n\n{CUT_NOTE}"
