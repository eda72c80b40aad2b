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
from tools.labelled_data import rating, tables
from tools.labelled_data.checking import check_file, check_folder
from tools.labelled_data.families import ENDING, LABELLED

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
    of_two = "only rows on which two raters differ, for a third"
    blind.add_argument(
        "--disputed",
        dest="wanted",
        action="store_const",
        help=of_two,
        const=rating.differ,
        default=lambda _: True,
    )
    of_one = "only rows that no second rater has labelled"
    blind.add_argument(
        "--unrated",
        dest="wanted",
        action="store_const",
        help=of_one,
        const=rating.unrated,
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
        _check(options.paths, quick=options.quick)
    elif options.command == "blind":
        rating.write_sheets(
            options.detectors, options.folder, options.seed, options.wanted
        )
    elif options.command == "annotate":
        rating.annotate(options.detectors, options.folder)
    elif options.command == "decide":
        rating.decide(options.detectors, options.folder)
    elif options.command == "tables":
        _tables(only_check=options.check)
    else:
        # a run of every detector: only where a page is asked for
        from tools.labelled_data import page

        page.write()
    return EXIT_DONE


def _check(paths: Sequence[str], *, quick: bool) -> None:
    files = rows = stress = broken = 0
    for path in paths or [min(str(LABELLED), os.path.relpath(LABELLED), key=len)]:
        for file in _files(path):
            checked = check_file(file, quick=quick)
            files, rows = files + 1, rows + checked.rows
            stress += checked.stress
            broken += _show(checked.findings)
        if os.path.isdir(path):
            broken += _show(check_folder(path))
    counted = f"{files} files, {rows - stress} typical and {stress} stress rows"
    if broken:
        raise GateFailedError(
            f"{counted}: {broken} findings; correct them and check again"
        )
    left_out = " but that of trivial features, which was not checked" if quick else ""
    write_lines([f"{counted}: every rule is kept{left_out}"])


def _show(findings: Sequence[str]) -> int:
    """Print what was found, at once: a whole folder takes minutes."""
    write_lines(findings)
    flush()
    return len(findings)


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


def _tables(*, only_check: bool) -> None:
    before = tables.README.read_text(encoding="utf-8")
    after = tables.updated(before)
    if only_check and before != after:
        raise GateFailedError(
            f"{tables.README}: differs from the data; run `{PROGRAM} tables`"
        )
    if not only_check:
        write_whole(str(tables.README), after)
