# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A folder in which a page's commands are run, one after the other.

All that a page needs and that is not the demo's is declared here, with the reason.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.demo import FILES, content_of
from tests.behaviour.product import tbsa
from tests.docs.blocks import REPOSITORY, Command
from tests.gold import FOLDER as GOLD
from tests.unmeasured import unmeasured

TIME_LIMIT = 250
GATE_FAILED = 3

BEFORE, AFTER = "before.report.jsonl", "after.report.jsonl"
LABELS, ALL_LABELS = "before.labels.jsonl", "before.all_labels.csv"

COPIES = {
    # users call their report as garak or they do; in the pages it is one of these
    "garak.report.jsonl": BEFORE,
    "scan.report.jsonl": BEFORE,
    "scan.labels.jsonl": LABELS,
    # what a scan is held against
    "released.report.jsonl": BEFORE,
    "old.report.jsonl": BEFORE,
    "new.report.jsonl": AFTER,
    "kept/scan.report.jsonl": BEFORE,
    # raters' answers in the forms that audit reads
    "anna.csv": ALL_LABELS,
    "bob.jsonl": LABELS,
    "anna.jsonl": LABELS,
    "ben.jsonl": LABELS,
    # folders of reports: a user's own, and where garak keeps its
    "weekly/before.report.jsonl": BEFORE,
    "weekly/after.report.jsonl": AFTER,
    "runs/before.report.jsonl": BEFORE,
    "runs/after.report.jsonl": AFTER,
    "home/.local/share/garak/garak_runs/before.report.jsonl": BEFORE,
    "home/.local/share/garak/garak_runs/after.report.jsonl": AFTER,
}
"""Files beside the demo's, each a copy of one of them."""

EMPTY = "weekly/stopped.report.jsonl"
"""What a scan leaves that was stopped at once."""

PARTS = {
    "part1.report.jsonl": (BEFORE, 0),
    "part2.report.jsonl": (BEFORE, 1),
    "nightly/monday-1.report.jsonl": (BEFORE, 0),
    "nightly/monday-2.report.jsonl": (BEFORE, 1),
    "nightly/tuesday-1.report.jsonl": (AFTER, 0),
    "nightly/tuesday-2.report.jsonl": (AFTER, 1),
}
"""Halves of the demo's scans, as if each had been run in two parts."""

SHIPPED = REPOSITORY / "data" / "detectors-eval"
DETECTOR = "web_injection.XSS"
SUMMARIES = ("old.json", "new.json")
"""Metrics of two evaluations: the shipped ones, of some detectors."""
KEPT = ("dan.", "goodside.", "mitigation.", "web_injection.")

LABELLED = ("rows.jsonl", "rows.csv", "my_labels/rows.jsonl")
"""Labelled responses of a user's own: the shipped rows of one detector."""

GOLD_REPORTS = tuple(
    f"garak-{release}.report.jsonl" for release in ("0.11.0", "0.14.1", "0.17.1")
)
"""Reports of other garak releases, by their names in ``tests/gold``."""

SAMPLE, SHEET = "garak-tbsa detectors sample", "to_label.csv"
"""What writes a sheet, which is then filled in, as a person would, from all labels."""

PROGRAMS = (
    *("garak-tbsa", "python", "cat", "echo", "head", "ls", "cp", "cd", "mkdir"),
    "gzip",
)
"""What a page's command may begin with; others need a line in ``not_run``."""

OURS, SHELL = "garak-tbsa", frozenset("|&;<>$*`~")
"""Our command runs in this process where its words need no shell."""

SERVES, READY = "garak-tbsa label", "Ctrl-C ends"
"""The command that goes on until Ctrl-C, and what it says when it may be ended."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What became of a command: what it printed, in its order, and its exit code."""

    printed: str
    code: int


class Sandbox:
    """A prepared folder, and a shell in it.

    Parameters
    ----------
    folder : Path
    files : mapping
        Texts by name of files that a page shows, which its commands read.
    """

    def __init__(self, folder: Path, files: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._code = 0
        for name in FILES:
            _write(folder / name, content_of(name))
        for name, source in COPIES.items():
            _write(folder / name, content_of(source))
        _write(folder / EMPTY, b"")
        for name, (source, number) in PARTS.items():
            _write(folder / name, _part(content_of(source), number))
        for name in LABELLED:
            _write(folder / name, _labelled(is_table=name.endswith(".csv")))
        for name in SUMMARIES:
            _write(folder / name, _summary())
        for name in GOLD_REPORTS:
            shutil.copy(GOLD / name, folder / name)
        for name, text in (files or {}).items():
            _write(folder / name, text.encode())
        programs = folder / "home" / "bin"
        programs.mkdir(parents=True)
        for name, module in (("garak-tbsa", "-m garak_tbsa"), ("python", "")):
            script = programs / name
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
            script.chmod(0o755)
        self._environment = _environment(folder / "home")

    def run(self, command: Command) -> Ran:
        """Run a command of a page.

        ``$?`` is the exit code of the command before it.
        """
        if serves(command):
            ran = self._ended(command)
        elif command.words[0] == OURS and not SHELL & set(command.text):
            ran = self._here(command)
        else:
            ran = self._in_shell(command)
        self._code = ran.code
        if command.text.startswith(SAMPLE):
            _fill(self.folder)
        if command.words[0] == "cd":  # each command has a shell of its own
            self.folder /= command.words[1]
        return ran

    def _here(self, command: Command) -> Ran:
        """Run a command of ours in this process, which has imported what it needs."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.syspath_prepend(self.folder)
            for name, value in self._environment.items():
                patch.setenv(name, value)
            shown = tbsa(*command.words[1:], together=True)
        return Ran(printed=shown.out, code=shown.code)

    def _started(self, script: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def _in_shell(self, command: Command) -> Ran:
        with self._started(f"(exit {self._code}); {command.text}") as process:
            printed, _ = process.communicate(timeout=TIME_LIMIT)
        return Ran(printed=printed, code=process.returncode)

    def _ended(self, command: Command) -> Ran:
        """Run a command until it is ready, and end it by Ctrl-C."""
        with self._started(f"exec {command.text}") as process:
            assert process.stdout is not None
            printed = ""
            while READY not in printed:
                line = process.stdout.readline()
                assert line, printed
                printed += line
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            printed += process.stdout.read()
        return Ran(printed=printed, code=process.returncode)


def serves(command: Command) -> bool:
    """Whether a command goes on until it is ended."""
    return command.text.startswith(SERVES) and "--page" not in command.words


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _fill(folder: Path) -> None:
    """Fill in a sheet's labels, where the demo knows them."""
    fields = ("attempt", "output_index", "detector")
    labels = csv.DictReader(io.StringIO(content_of(ALL_LABELS).decode()))
    known = {tuple(row[field] for field in fields): row["label"] for row in labels}
    with (folder / SHEET).open(newline="", encoding="utf-8-sig") as sheet:
        rows = list(csv.DictReader(sheet))
    with (folder / SHEET).open("w", newline="", encoding="utf-8") as sheet:
        writer = csv.DictWriter(sheet, [*rows[0]])
        writer.writeheader()
        for row in rows:
            label = known.get(tuple(row[field] for field in fields), "")
            writer.writerow(row | {"label": label})


def _part(content: bytes, number: int) -> bytes:
    """The first (0) or second (1) half of a scan, by the families of its probes."""
    rows = [json.loads(line) for line in content.splitlines()]
    digest = rows[-1]
    families = [*digest["eval"]]
    middle = len(families) // 2
    chosen = families[middle:] if number else families[:middle]
    digest["eval"] = {family: digest["eval"][family] for family in chosen}

    def is_chosen(row: dict[str, Any]) -> bool:
        probe = row.get("probe_classname") or row.get("probe")
        return probe is None or probe.partition(".")[0] in chosen

    return "".join(f"{json.dumps(row)}\n" for row in rows if is_chosen(row)).encode()


@lru_cache(maxsize=1)
def _summary() -> bytes:
    path = SHIPPED / "detector_metrics_summary.json"
    summary = json.loads(path.read_text("utf-8"))
    results = summary["results"].items()
    summary["results"] = {k: v for k, v in results if k.startswith(KEPT)}
    return json.dumps(summary).encode()


def _labelled(*, is_table: bool) -> bytes:
    """Labelled rows, as CSV or JSON Lines, with the columns that users have."""
    columns = ("detector", "output", "label")
    path = SHIPPED / "labelled" / f"{DETECTOR}.jsonl"
    rows = [
        {"detector": DETECTOR} | {name: row[name] for name in columns[1:]}
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]
    if not is_table:
        return "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    text = io.StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _environment(home: Path) -> dict[str, str]:
    shares = {"DATA": ".local/share", "CONFIG": ".config", "CACHE": ".cache"}
    return unmeasured(
        **{f"XDG_{name}_HOME": str(home / path) for name, path in shares.items()},
        HOME=str(home),
        HF_HUB_OFFLINE="1",
        LOGNAME="you",
        PATH=os.pathsep.join((str(home / "bin"), "/usr/local/bin", "/usr/bin", "/bin")),
        PYTHONPATH=str(REPOSITORY),
        PYTHONIOENCODING="utf-8",
    )
