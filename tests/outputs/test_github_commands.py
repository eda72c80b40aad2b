# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Lines that GitHub's runner obeys, read as the runner reads them.

``whole/mixed.txt`` has those of failed rules that name their pairs.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.behaviour.product import tbsa
from tests.outputs.samples import write
from tests.outputs.written import Written
from tests.report_rows import completion_row, pairs_named, report_rows

COMMAND = re.compile(r"::(?P<kind>[a-z]+) title=(?P<title>[^:,\r\n]*)::(?P<text>.*)")


def obeyed(line: str) -> tuple[str, str, str]:
    """Read one line as the runner does."""
    assert line.splitlines() == [line]
    found = COMMAND.fullmatch(line)
    assert found is not None, line
    assert "##[" not in line
    assert "##vso[" not in line
    return found["kind"], unescaped(found["title"]), unescaped(found["text"])


def unescaped(text: str) -> str:
    assert "\n" not in text
    for escape, char in (
        ("%3A", ":"),
        ("%2C", ","),
        ("%0D", "\r"),
        ("%0A", "\n"),
        ("%25", "%"),
    ):
        text = text.replace(escape, char)
    return text


def told(report: str, *rules: object, code: int) -> list[tuple[str, str, str]]:
    """What GitHub is told of a report."""
    shown = tbsa("score", report, "--github", *rules)
    assert shown.code == code
    return [obeyed(line) for line in shown.lines if line.startswith("::")]


def test_a_doubt_and_a_warning_are_warnings(tmp_path: Path) -> None:
    """A partial scan too, and whatever else the score warns of."""
    rows = report_rows(pairs_named(*[(1, 256, 256)] * 8, (1, 13, 36)), digest=False)
    rows.remove(completion_row())
    report = write(tmp_path, "doubtful", rows)
    with open(report, "a", encoding="utf-8") as file:
        file.write('\n{"entry_type": "eval", "pro')
    rules = ("--require-tier1-grade", 3, "--sure", 0.95)
    missing = ("--baseline", tmp_path / "missing", "--baseline-optional")
    found = told(report, *rules, *missing, code=0)
    title = f"TBSA of {report}"
    assert [each[:2] for each in found] == [
        ("warning", "gate passed, with a doubt: require-tier1-grade"),
        ("warning", "gate passed, with a doubt: baseline"),
        ("warning", title),
        ("warning", title),
    ]
    assert "the scan was interrupted" in found[2][2]
    assert "line 13 is cut off" in found[3][2]


def test_no_more_lines_than_github_shows(
    tmp_path: Path, scores: dict[str, Written]
) -> None:
    """Ten errors and ten warnings; nothing in a hostile report is a command."""
    rules = ("--fail-under", 5, "--require-tier1-grade", 5)
    report = write(tmp_path, "bad", report_rows(pairs_named(*[(1, 0, 40)] * 30)))
    found = told(report, *rules, code=3)
    assert [kind for kind, *_ in found] == ["error"] * 10
    assert found[-1] == ("error", "garak-tbsa", "23 more, see the log")
    write(tmp_path, "bad", report_rows(pairs_named(*[(1, 0, 40)] * 8)))
    found = told(report, *rules, code=3)
    assert len(found) == 10
    assert "more" not in found[-1][2]
    lines = [line for line in scores["hostile"].lines if line.startswith("::")]
    kinds = [obeyed(line)[0] for line in lines]
    assert kinds == ["error"] * 10 + ["warning"], "and that it is partial"
    assert all(line.isprintable() for line in lines)
