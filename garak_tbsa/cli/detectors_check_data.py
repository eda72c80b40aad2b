# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors check-data``."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from garak_tbsa.cli.terminal import flush, write_lines
from garak_tbsa.detector_eval.check_data import (
    ENDING,
    GarakFacts,
    check_file,
    check_folder,
    read_sidecars,
)
from garak_tbsa.detector_eval.shipped import shipped_folder
from garak_tbsa.errors import EXIT_DONE, DatasetError, GateFailedError
from garak_tbsa.garak_api.detector_facts import languages_of, severe_words
from garak_tbsa.garak_api.detectors import is_detector, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.detector_eval.check_data import Finding

EPILOG = (
    "Exit codes: 0 every rule is kept, 1 could not, 2 usage, 3 a rule is broken. The"
    " rules and their reasons stand in data/detectors-eval/README.md."
)


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Check the rules of the shipped labelled data, and say for each"
        " broken one which file and row to mend, and how.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="folders, or <module>.<Class>.jsonl files"
        " (default: the data that comes with this package)",
    )
    return parser


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors check-data") -> int:
    """Run the command.

    Raises
    ------
    GateFailedError
        A rule is broken; every finding has been printed.
    DatasetError
        A path does not exist.
    """
    paths = build_parser(prog).parse_args(argv).paths or [_near(shipped_folder())]
    garak = GarakFacts(
        is_detector=is_detector,
        languages_of=languages_of,
        word_list=word_list,
        severe_words=severe_words(),
    )
    findings: list[Finding] = []
    files = rows = 0
    for path in paths:
        folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
        sidecars = read_sidecars(folder)
        for file in _files(path):
            checked = check_file(file, garak, sidecars)
            files, rows = files + 1, rows + checked.rows
            findings += _shown(checked.findings)
        if os.path.isdir(path):
            findings += _shown(check_folder(path, garak, sidecars))
    counted = f"{files} files, {rows} rows"
    if findings:
        raise GateFailedError(
            f"{counted}: {len(findings)} findings; mend them and check again"
        )
    write_lines([f"{counted}: every rule is kept"])
    return EXIT_DONE


def _near(path: str) -> str:
    """The path as a user would write it."""
    return min(path, os.path.relpath(path), key=len)


def _shown(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Print what was found, at once: a whole folder takes half a minute."""
    if findings:
        write_lines(finding.text for finding in findings)
        flush()
    return findings


def _files(path: str) -> list[str]:
    if os.path.isfile(path):
        return [path]
    if not os.path.isdir(path):
        raise DatasetError(
            f"{path}: does not exist; give a folder, or files such as dan.DAN{ENDING}"
        )
    return sorted(
        os.path.join(path, name) for name in os.listdir(path) if name.endswith(ENDING)
    )
