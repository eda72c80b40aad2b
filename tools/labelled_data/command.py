# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m tools.labelled_data``: check the data, have it rated, make its pages."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

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

    def added(name: str, purpose: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name, help=purpose, description=purpose, allow_abbrev=False
        )

    check = added("check", "say which rules the data breaks, where, and what to do")
    paths = "folders, or <module>.<Class>.jsonl files (default: the repository's)"
    check.add_argument("paths", nargs="*", metavar="PATH", help=paths)
    quick = "leave out the rule of trivial features, which takes a second a file"
    check.add_argument("--quick", action="store_true", help=quick)
    blind = added("blind", "write sheets for a second rater: rules, rows, no labels")
    blind.add_argument("--seed", type=int, default=1, help="default: 1")
    for only, whose in (
        ("disputed", "on which two raters differ, for a third"),
        ("unrated", "that no second rater has labelled"),
    ):
        blind.add_argument(
            f"--{only}",
            dest="only",
            action="store_const",
            const=only,
            help=f"only rows {whose}",
        )
    second = added("annotate", "put a second rater's DETECTOR.labels.tsv into the rows")
    third = added("decide", "let a third rater's DETECTOR.labels.tsv decide")
    for command in (blind, second, third):
        command.add_argument("detectors", nargs="*", help="default: all")
        command.add_argument("--folder", type=Path, required=True, metavar="FOLDER")
    made = added("tables", "write rules and tables into data/detectors-eval/README.md")
    differs = "write nothing; exit with 3 where the datasheet differs from the data"
    made.add_argument("--check", action="store_true", help=differs)
    added("page", "write docs/explanation/detector_metrics.md from the summary")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run a command; return its exit code."""
    options = build_parser().parse_args(arguments)
    return guarded(lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    if options.command == "check":
        return _check(options.paths, quick=options.quick)
    if options.command == "blind":
        return blind_command.write_sheets(
            options.detectors, options.folder, options.seed, options.only
        )
    if options.command == "annotate":
        return blind_command.annotate(options.detectors, options.folder)
    if options.command == "decide":
        return blind_command.decide(options.detectors, options.folder)
    if options.command == "tables":
        return _tables(only_check=options.check)
    return _page()


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
