# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every command that writes, with the files it reads and writes."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.factories import alike_rows, write_report
from tests.label_audit.forms import samples

ROOT = Path(__file__).parents[2]
GOLD = ROOT / "tests" / "gold"
LABELLED = ROOT / "data" / "detectors-eval" / "labelled"
DETECTOR = "dan.DAN"
IN, OUT = "in", "out"
NEW, OLD = f"{IN}/new.report.jsonl", f"{IN}/old.report.jsonl"
ROWS = f"{IN}/rows"
SUMMARY = f"{IN}/summary.json"
AUDITED, LABELS = f"{IN}-audit/audited.report.jsonl", f"{IN}-audit/labels.jsonl"
WHOLE = f"{IN}-whole/whole.report.jsonl"
"""Beside what ``history`` reads."""


@dataclass(frozen=True, kw_only=True)
class WritingCommand:
    """One command line.

    Attributes
    ----------
    name : str
        As the table of the docs calls it.
    argv : tuple of str
        Paths are relative to the folder of the trial; outputs are below ``out``.
    inputs : tuple of str
        Paths in ``argv`` that can be made to hang.
    installs : bool
        Whether it writes into garak's data folder too.
    replaces : bool
        Whether it replaces an output that is there, or refuses to.
    """

    name: str
    argv: tuple[str, ...]
    inputs: tuple[str, ...]
    installs: bool = False
    replaces: bool = True


def _evaluate(*more: str) -> tuple[str, ...]:
    data = ("detectors", "evaluate", "--data", ROWS, "--replicates", "50", "-q")
    return (*data, "--output", f"{OUT}/summary.json", *more)


COMMANDS = (
    WritingCommand(
        name="score, all outputs",
        argv=(
            *("score", NEW, "-j", f"{OUT}/s.json", "--html", f"{OUT}/s.html"),
            *("--markdown", f"{OUT}/s.md", "--junit", f"{OUT}/s.xml"),
            *("--sarif", f"{OUT}/s.sarif", "--baseline", OLD),
        ),
        inputs=(OLD,),
    ),
    WritingCommand(
        name="compare",
        argv=("compare", OLD, NEW, "--replicates", "500", "-j", f"{OUT}/c.json"),
        inputs=(OLD, NEW),
    ),
    WritingCommand(
        name="score --repeat",
        argv=("score", WHOLE, "--repeat", "fresh-prompts", "-j", f"{OUT}/r.json"),
        inputs=(WHOLE,),
    ),
    WritingCommand(
        name="plan",
        argv=("plan", WHOLE, "--detect", "0.3", "-j", f"{OUT}/p.json"),
        inputs=(WHOLE,),
    ),
    WritingCommand(
        name="explain", argv=("explain", NEW, "-j", f"{OUT}/e.json"), inputs=(NEW,)
    ),
    WritingCommand(
        name="history",
        argv=(
            *("history", IN, "--jobs", "1", "--jsonl", f"{OUT}/h.jsonl"),
            *("--html", f"{OUT}/h.html"),
        ),
        inputs=(OLD,),
    ),
    WritingCommand(
        name="audit, all outputs",
        argv=(
            *("audit", AUDITED, "--labels", LABELS, "-j", f"{OUT}/a.json"),
            *("--html", f"{OUT}/a.html", "--markdown", f"{OUT}/a.md"),
        ),
        inputs=(AUDITED, LABELS),
    ),
    WritingCommand(
        name="detectors evaluate",
        argv=_evaluate(),
        inputs=(f"{ROWS}/{DETECTOR}.jsonl",),
    ),
    WritingCommand(
        name="detectors evaluate --save-datasets",
        argv=_evaluate("--save-datasets", f"{OUT}/rows"),
        inputs=(f"{ROWS}/{DETECTOR}.jsonl",),
    ),
    WritingCommand(
        name="detectors evaluate --install",
        argv=_evaluate("--install", "--force"),
        inputs=(),
        installs=True,
    ),
    WritingCommand(
        name="detectors rank",
        argv=("detectors", "rank", SUMMARY, "-j", f"{OUT}/r.json"),
        inputs=(SUMMARY,),
    ),
    WritingCommand(
        name="detectors sample",
        argv=(
            *("detectors", "sample", NEW, "--detector", "ansiescape.Escaped"),
            *("--for", "detectors", "-n", "3", "--output", f"{OUT}/sheet.csv"),
        ),
        inputs=(NEW,),
        # a sheet may hold somebody's labels
        replaces=False,
    ),
)


def lay_out(folder: Path) -> None:
    """Put the inputs of all commands below ``folder``."""
    for name in (IN, OUT, "tmp", "home"):
        (folder / name).mkdir()
    for target in (NEW, OLD):
        shutil.copyfile(GOLD / "garak-0.17.1.report.jsonl", folder / target)
    (folder / ROWS).mkdir()
    for name in (DETECTOR, "goodside.PlainJSON", "productkey.Win5x5"):
        file = f"{name}.jsonl"
        shutil.copyfile(LABELLED / file, folder / ROWS / file)
    for beside in (AUDITED, WHOLE):
        (folder / beside).parent.mkdir()
    samples.write_rows(folder / AUDITED, samples.rows_of(samples.PAIRS))
    write_report(folder / WHOLE, alike_rows())
    answers = samples.label_rows(samples.usual_labels())
    samples.write_labels(folder / LABELS, answers)
    shipped = LABELLED.parent / "detector_metrics_summary.json"
    shutil.copyfile(shipped, folder / SUMMARY)
