# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.labelled_data``: check the data, have it rated, make its pages."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from garak_tbsa.cli.main import guarded
from garak_tbsa.errors import EXIT_DONE, DatasetError, GateFailedError
from garak_tbsa.files import write_whole
from garak_tbsa.terminal import flush, write_lines
from tools.labelled_data import blind_command, tables
from tools.labelled_data.check_data import (
    ENDING,
    Finding,
    check_file,
    check_folder,
    read_sidecars,
)
from tools.labelled_data.families import LABELLED
from tools.labelled_data.garak_facts import installed_facts

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

PROGRAM = "python -m tools.labelled_data"


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the commands."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Keep data/detectors-eval fit to measure with.",
        epilog="Exit codes: 0 done, 1 could not, 2 usage, 3 a rule is broken or a"
        " table is not that of the data.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser(
        "check",
        help="check every rule of the data",
        description="Check the rules of the labelled data, and say for each broken one"
        " which file and row it is, and what to do.",
        allow_abbrev=False,
    )
    check.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="folders, or <module>.<Class>.jsonl files (default: the repository's)",
    )
    check.add_argument(
        "--quick",
        action="store_true",
        help="leave out the rule of trivial features, which takes a second a file",
    )
    _add_rating(commands)
    made = commands.add_parser(
        "tables",
        help="write the families' tables into the datasheet",
        description="Write rules and tables of each family into"
        " data/detectors-eval/README.md.",
        allow_abbrev=False,
    )
    made.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit with 3 where the datasheet differs from the data",
    )
    commands.add_parser(
        "page",
        help="write docs/explanation/detector_metrics.md",
        description="Write docs/explanation/detector_metrics.md from the summary;"
        " run `garak-tbsa detectors evaluate` first.",
        allow_abbrev=False,
    )
    return parser


def _add_rating(commands: Subparsers) -> None:
    blind = commands.add_parser(
        "blind",
        help="write sheets for a second rater",
        description="Write DETECTOR.rules.txt and DETECTOR.sheet.jsonl, in random"
        " order, without labels, for a rater who writes DETECTOR.labels.tsv.",
        allow_abbrev=False,
    )
    blind.add_argument("--seed", type=int, default=1, help="default: 1")
    blind.add_argument(
        "--disputed",
        dest="only",
        action="store_const",
        const="disputed",
        help="only rows on which two raters differ, for a third",
    )
    blind.add_argument(
        "--unrated",
        dest="only",
        action="store_const",
        const="unrated",
        help="only rows that no second rater has labelled",
    )
    second = commands.add_parser(
        "annotate",
        help="put a second rater's labels into the rows",
        description="Put the labels of DETECTOR.labels.tsv beside the author's.",
        allow_abbrev=False,
    )
    third = commands.add_parser(
        "decide",
        help="let a third rater's labels decide",
        description="Give disputed rows the label of DETECTOR.labels.tsv.",
        allow_abbrev=False,
    )
    for command in (blind, second, third):
        command.add_argument("detectors", nargs="*", help="default: all")
        command.add_argument("--folder", type=Path, required=True, metavar="FOLDER")


def main(arguments: Sequence[str]) -> int:
    """Run a command; return its exit code."""
    options = build_parser().parse_args(arguments)
    if options.command == "check":
        return guarded(lambda: _check(options.paths, quick=options.quick))
    if options.command == "blind":
        return guarded(
            lambda: blind_command.write_sheets(
                options.detectors, options.folder, options.seed, options.only
            )
        )
    if options.command == "annotate":
        return guarded(
            lambda: blind_command.annotate(options.detectors, options.folder)
        )
    if options.command == "decide":
        return guarded(lambda: blind_command.decide(options.detectors, options.folder))
    if options.command == "tables":
        return guarded(lambda: _tables(only_check=options.check))
    return guarded(_page)


def _check(paths: Sequence[str], *, quick: bool) -> int:
    garak = installed_facts()
    findings: list[Finding] = []
    files = rows = stress = 0
    for path in paths or [_near(str(LABELLED))]:
        folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
        sidecars = read_sidecars(folder)
        for file in _files(path):
            checked = check_file(file, garak, sidecars, quick=quick)
            files, rows = files + 1, rows + checked.rows
            stress += checked.stress
            findings += _shown(checked.findings)
        if os.path.isdir(path):
            findings += _shown(check_folder(path, garak, sidecars))
    counted = f"{files} files, {rows - stress} typical and {stress} stress rows"
    if findings:
        raise GateFailedError(
            f"{counted}: {len(findings)} findings; correct them and check again"
        )
    left_out = " but that of trivial features, which was not checked" if quick else ""
    write_lines([f"{counted}: every rule is kept{left_out}"])
    return EXIT_DONE


def _near(path: str) -> str:
    """The path as a user would write it."""
    return min(path, os.path.relpath(path), key=len)


def _shown(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Print what was found, at once: a whole folder takes minutes."""
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


def _tables(*, only_check: bool) -> int:
    before = tables.README.read_text(encoding="utf-8")
    after = tables.updated(before)
    if only_check and before != after:
        raise GateFailedError(
            f"{tables.README}: differs from the data; run `{PROGRAM} tables`"
        )
    if not only_check:
        write_whole(str(tables.README), after)
    return EXIT_DONE


def _page() -> int:
    # a run of every detector: only where a page is asked for
    from tools.labelled_data import page

    page.write()
    return EXIT_DONE
