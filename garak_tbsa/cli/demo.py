# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa demo``."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path

from garak_tbsa.demo import FILES, content_of
from garak_tbsa.errors import OutputError
from garak_tbsa.files import write_whole
from garak_tbsa.terminal import write_line, write_lines

FOLDER = "garak-tbsa-demo"
FIRST_STEPS = (
    "garak-tbsa score before.report.jsonl",
    "garak-tbsa explain before.report.jsonl --hits 1",
    "garak-tbsa score before.report.jsonl --html before.html",
    "garak-tbsa compare before.report.jsonl after.report.jsonl",
    "garak-tbsa score after.report.jsonl --baseline before.report.jsonl",
    "garak-tbsa label before.report.jsonl",
    "garak-tbsa audit before.report.jsonl",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Copy two real reports and labels into a folder, to try things on."
    )
    parser.epilog = "The responses in them are those of a real model under attack."
    parser.add_argument(
        "folder",
        nargs="?",
        default=FOLDER,
        help=f"where to copy them; made if it does not exist (default {FOLDER})",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace files with these names that have been changed",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    OutputError
        The folder cannot be made or written to, or has other files of these names.
    """
    contents = {os.path.join(options.folder, name): content_of(name) for name in FILES}
    for path, content in contents.items():
        if os.path.exists(path) and not options.force and not _holds(path, content):
            raise OutputError(
                f"{path}: already exists with other content; give another folder,"
                " or add --force to replace it"
            )
    for path, content in contents.items():
        write_whole(path, content)
    write_lines(f"{options.folder}/{name:<22} {said}" for name, said in FILES.items())
    write_line(f"\nTry, in {options.folder}:")
    write_lines(f"  {step}" for step in FIRST_STEPS)


def _holds(path: str, content: bytes) -> bool:
    with suppress(OSError):
        # of a file as large, and of no pipe
        is_like = os.path.isfile(path) and os.path.getsize(path) == len(content)
        return is_like and Path(path).read_bytes() == content
    return False
