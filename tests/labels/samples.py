# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Audits that the tests of every form share, by the command that makes all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.behaviour.judged import PAIRS, answer, write_scan
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import Shown, rows_of, tbsa
from tests.outputs.samples import HOSTILE
from tests.report_rows import PairFacts

ONE, ENC, WEB, OLD = PAIRS
TWO = PairFacts(probe="dan.Two", detector="dan.DAN", passed=20, total=20)
THINNED = PairFacts(probe="web.Gone", detector="web.D", passed=9, total=10, tier=2)
"""A pair of which the report has lost its attempts."""


@dataclass(frozen=True)
class Audited:
    """An audit in each of its forms."""

    shown: Shown
    folder: Path

    @cached_property
    def text(self) -> str:
        """The terminal's, without its line breaks."""
        return " ".join(self.shown.out.split())

    @cached_property
    def markdown(self) -> str:
        return (self.folder / "audit.md").read_text("utf-8").replace("&#58;", ":")

    @property
    def page(self) -> Path:
        return self.folder / "audit.html"

    @cached_property
    def document(self) -> Any:
        return json.loads((self.folder / "audit.json").read_text("utf-8"))


def audited(report: Path, *labels: Path, under: float | None = None) -> Audited:
    """Audit a report; whether the gate lets it pass is no matter here."""
    forms = {"-j": "audit.json", "--markdown": "audit.md", "--html": "audit.html"}
    options: list[object] = [] if under is None else ["--fail-under", under]
    for option, name in forms.items():
        options += [option, report.parent / name]
    shown = tbsa("audit", report, "--labels", *labels, *options)
    assert shown.code == (0 if under is None else 3), shown
    return Audited(shown, report.parent)


def changed(report: Path, change: Callable[[dict[str, Any]], bool]) -> Path:
    """Change rows of a report; those for which False is returned are left out."""
    rows = rows_of(report)
    kept = [json.dumps(row) for row in rows if change(row)]
    report.write_text("\n".join(kept), encoding="utf-8")
    return report


def without_attempts(path: Path, pairs: Iterable[PairFacts], gone: PairFacts) -> Path:
    """Write a report that lacks the attempts of one pair."""
    report = write_scan(path, [*pairs, gone])
    return changed(report, lambda row: row.get("probe_classname") != gone.probe)


def answers(
    facts: PairFacts, labels: Sequence[str], start: int = 0, **fields: Any
) -> Any:
    """Return answers about a pair's outputs, one after the other."""
    return [answer(facts, start + n, said, **fields) for n, said in enumerate(labels)]


def usual_answers() -> list[dict[str, Any]]:
    """Most flags of dan.DAN are wrong, dan.Two has hits that it missed."""
    return [
        *answers(ONE, ["hit", *["pass"] * 5]),
        *answers(ONE, ["pass"] * 6, start=8),
        *answers(TWO, [*["hit"] * 5, *["pass"] * 3]),
        *answers(WEB, [*["hit"] * 2, *["pass"] * 8]),
        *answers(ENC, ["skip"]),
        *answers(OLD, ["hit"]),
    ]


def mixed(folder: Path) -> Audited:
    """An audit with something to say in every section."""
    pairs = (ONE, TWO, ENC, WEB, OLD)
    report = without_attempts(folder / "mixed.report.jsonl", pairs, THINNED)
    picked = {"rater": "cy", "drawn": False}
    files = [
        write_lines(folder / "anna.labels.jsonl", usual_answers()),
        write_lines(
            folder / "bob.jsonl", answers(ONE, ["hit", "pass", "hit"], rater="bob")
        ),
        write_lines(
            folder / "cy.jsonl",
            [
                answer(ONE, 2, "pass", **picked),
                answer(WEB, 11, "pass", **picked),
                answer(WEB, 99, "hit", **picked),
            ],
        ),
    ]
    return audited(report, *files, under=4.5)


def settled(folder: Path) -> Audited:
    """Everything labelled, as the detectors said: nothing changes, nobody picked."""
    report = write_scan(folder / "settled.report.jsonl", [ONE])
    labels = answers(ONE, [*["hit"] * 8, *["pass"] * 12], drawn=False)
    return audited(report, write_lines(folder / "settled.jsonl", labels))


def hostile(folder: Path) -> Audited:
    """Hostile text wherever a report or a file of labels has text of its own."""
    texts = {f"text{n}!": text for n, text in enumerate(HOSTILE)}
    texts["every text!"] = " ".join(HOSTILE)
    pairs = [
        PairFacts(probe=f"p{n}.text{n}!", detector=f"d{n}.text{n}!", passed=n, total=14)
        for n in range(len(HOSTILE))
    ]
    gone = PairFacts(probe="gone.text0!", detector="text1!")

    def spoilt(path: Path) -> Path:
        content = path.read_text("utf-8")
        for name, text in texts.items():
            content = content.replace(name, json.dumps(text)[1:-1])
        path.write_text(content, encoding="utf-8")
        return path

    def named(row: dict[str, Any]) -> bool:
        if "plugins.target_name" in row:
            row["plugins.target_name"] = "every text!"
        if "meta" in row:
            names = ("target_name", "run_uuid", "start_time")
            row["meta"] |= dict.fromkeys(names, "every text!")
        return True

    report = without_attempts(folder / "hostile.report.jsonl", pairs, gone)
    rows = [
        row
        for facts in pairs[3:]
        for row in answers(facts, ["pass"] * 5, rater="every text!")
    ]
    rows += [
        {
            **rows[0],
            "attempt": "every text!",
            "detector": "every text!",
            "drawn": False,
        },
        {**rows[0], "detector": "every text!"},
        {**rows[0], "label": "every text!"},
    ]
    labels = spoilt(write_lines(folder / "hostile.jsonl", rows))
    return audited(spoilt(changed(report, named)), labels, under=5)
