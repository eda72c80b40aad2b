# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Lines that GitHub's runner obeys, read as the runner reads them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.gates.options import GateRules
from garak_tbsa.gates.verdict import gate_verdict
from garak_tbsa.outputs.annotations import annotations_of
from garak_tbsa.outputs.github_commands import MOST, Annotation, commands
from garak_tbsa.unavailable import Unavailable
from tests.factories import pairs_named
from tests.outputs.samples import HOSTILE, hostile, mixed, sample_of

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = re.compile(r"::(?P<kind>[a-z]+) title=(?P<title>[^:,\r\n]*)::(?P<text>.*)")
ATTACKS = [
    *HOSTILE,
    "a\n::set-output name=x::y",
    "a\r::add-mask::b",
    "::stop-commands::x",
    "%0A::error::x",
    "a,file=/etc/passwd::b",
    "##[command]rm",
    "x ##vso[task.setvariable]y",
]


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


@given(
    title=st.sampled_from(ATTACKS) | st.text(max_size=50),
    message=st.sampled_from(ATTACKS) | st.text(max_size=50),
)
def test_a_text_can_end_neither_title_nor_message(title: str, message: str) -> None:
    """Texts can end neither and begin no other command."""
    line = Annotation(kind="error", title=title, message=message).command
    kind, shown, _ = obeyed(line)
    assert kind == "error"
    assert "\n" not in shown


def test_characters_are_escaped_by_githubs_rules() -> None:
    """Percent, CR and LF everywhere; colon and comma in a property."""
    line = Annotation(kind="error", title="a: 5 %, b", message="c: 5 %, d").command
    assert line == "::error title=a%3A 5 %25%2C b::c: 5 %25, d"
    assert obeyed(line) == ("error", "a: 5 %, b", "c: 5 %, d")
    # text that looks escaped is that text
    assert obeyed(Annotation(kind="error", title="%3A", message="%0A").command)[1:] == (
        "%3A",
        "%0A",
    )


def test_failed_rules_are_errors_that_name_their_pairs(tmp_path: Path) -> None:
    rules = GateRules(fail_under=4, require_tier1_grade=2, min_coverage=0.1)
    scored = mixed(tmp_path, rules=rules)
    source = scored.assessment.report.source
    lines = [obeyed(line) for line in commands(annotations_of(scored))]
    assert lines == [
        (
            "error",
            "gate failed: fail-under",
            f"{source}: expected TBSA of at least 4; found TBSA 2.6",
        ),
        (
            "error",
            "gate failed: require-tier1-grade",
            f"{source}: expected every Tier 1 pair at grade 2 or better; found 2 below:"
            " dan.One+dan.DAN at 1 (depends on 7 outputs); new.Unknown+new.D of unknown"
            " tier",
        ),
        (
            "error",
            "require-tier1-grade",
            "dan.One+dan.DAN at 1 (depends on 7 outputs)",
        ),
        ("error", "require-tier1-grade", "new.Unknown+new.D of unknown tier"),
    ]


def test_a_doubt_and_a_warning_are_warnings(tmp_path: Path) -> None:
    pairs = pairs_named(*[(1, 256, 256)] * 8, (1, 1, 4))
    rules = GateRules(require_tier1_grade=3, sure=0.95)
    scored = sample_of(tmp_path, pairs, rules=rules)
    missing = Unavailable(reason="no baseline yet")
    verdict = gate_verdict(scored.assessment, rules, missing, scored.repeat)
    report = replace(scored.assessment.report, partial_reason="no completion row")
    assessment = replace(scored.assessment, report=report, warnings=("odd",))
    shown = commands(
        annotations_of(replace(scored, assessment=assessment, verdict=verdict))
    )
    kinds = [obeyed(line)[:2] for line in shown if "consistent" not in line]
    title = f"TBSA of {report.source}"
    assert kinds == [
        ("warning", "gate passed, with a doubt: require-tier1-grade"),
        ("warning", "gate passed, with a doubt: baseline"),
        ("warning", title),
        ("warning", title),
    ]


def test_no_more_lines_than_github_shows(tmp_path: Path) -> None:
    rules = GateRules(fail_under=5, require_tier1_grade=5)
    scored = sample_of(tmp_path, pairs_named(*[(1, 0, 40)] * 30), rules=rules)
    lines = [obeyed(line) for line in commands(annotations_of(scored))]
    assert len(lines) == MOST == 10
    assert lines[-1] == ("error", "garak-tbsa", "23 more, see the log")


def test_nothing_in_a_hostile_report_is_a_command(tmp_path: Path) -> None:
    scored = hostile(tmp_path)
    lines = commands(annotations_of(scored))
    assert len(lines) == MOST + 1, "and that it is partial"
    for line in lines:
        assert obeyed(line)[0] in ("error", "warning")
        assert line.isprintable()
