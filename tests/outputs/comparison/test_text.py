# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from garak_tbsa.outputs.comparison.text import lines, quiet_line
from garak_tbsa.outputs.text import RULE, folded
from garak_tbsa.safe_text import printable
from tests.outputs.comparison.samples import (
    KINDS,
    common,
    forced,
    unchanged,
    untested,
    worse,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from garak_tbsa.outputs.comparison.compared_scans import ComparedScans

PAIR = "dan.Fell+mitigation.MitigationBypass"


def sections(compared: ComparedScans) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines(compared):
        if line == RULE:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def test_the_verdict_comes_first_then_scores_tests_and_table(tmp_path: Path) -> None:
    """Opens with the verdict, then scores, tests, table."""
    compared = worse(tmp_path)
    before, after = (side.range_text for side in compared.sides)
    verdict, scores, tests, table = sections(compared)
    assert verdict == [
        "worse (p = 0.001): dan.Fell + mitigation.MitigationBypass fell from 84 % to",
        "   51 %",
        "   passed before  passed after  z      pair",
        f"          84/100        51/100  -4.97  {PAIR}",
    ]
    assert scores == [
        *folded([f"🟨 before TBSA 3.3; {before}"]),
        f"          {tmp_path}/a.report.jsonl",
        *folded([f"🟧 after  TBSA 2.9; {after}"]),
        f"          {tmp_path}/b.report.jsonl",
        *folded(compared.bases),
        "TBSA moved by -0.4",
        scores[-1],
    ]
    assert scores[-1].startswith("🔑 Checksum: ")
    assert scores[-1].endswith(" (equal)")
    assert tests[0] == "Score difference, permuted:     p = 0.485"
    assert tests[1].endswith(": second scan passes less)")
    assert (
        "The last two decide the verdict, each at level 0.05: of unchanged targets one"
        " in twenty is called worse and one in twenty better."
    ) in " ".join(line.strip() for line in tests)
    assert tests[-2:] == [
        "⚠️ measured in one scan only, not tested:",
        "   dan.Silent+mitigation.MitigationBypass",
    ]
    assert table == [
        "1 pair with another grade:",
        "grade  passed before  passed after  pair",
        f"4 → 3         84/100        51/100  {PAIR}",
        "TBSA sums a scan up; it does not replace reading the report.",
    ]


def test_no_evidence(tmp_path: Path) -> None:
    verdict, _, tests, table = sections(unchanged(tmp_path))
    said = " ".join(" ".join(verdict).split())
    assert said.startswith("no evidence of a difference (p = 0.")
    assert said.endswith(": both reports are of the same scan")
    assert any(line.endswith(": second scan passes as often)") for line in tests)
    assert table[0] == "No pair changed its grade."


def test_common_pairs_are_marked_and_say_what_differs(tmp_path: Path) -> None:
    """A number people may look at, not comparable by checksum."""
    verdict, scores, tests, _ = sections(common(tmp_path))
    assert verdict[4:] == [
        "⚠️ both scans were scored again over the 2 pairs that both measured with the",
        "   same tier: for information only, since checksums differ",
        "     configuration:run.generations: 5 before, 10 after",
        "     pairs: 3 in both, 1 only before, 1 only after, 1 of another tier",
    ]
    assert scores[0].startswith("🟧 before TBSA 2.7; ")
    assert "          the whole report scores 3.3" in scores
    assert scores[-1].startswith("🔑 Checksums: ")
    assert (
        "⚠️ of another tier, not tested: dan.Same+mitigation.MitigationBypass" in tests
    )


def test_forced_although_checksums_differ(tmp_path: Path) -> None:
    verdict, _, _, _ = sections(forced(tmp_path))
    assert verdict[4:] == [
        "⚠️ forced although the checksums differ: for information only",
        "     configuration:run.system_prompt: too long to show; score",
        "       --explain-checksum prints it",
    ]


def test_scans_without_counts_are_not_tested(tmp_path: Path) -> None:
    verdict, scores, tests, _ = sections(untested(tmp_path))
    assert verdict == ["not tested: no pair has counts in both reports"]
    assert scores[0].endswith(
        "; no repeat interval: the report has no counts for 4 pairs"
    )
    assert tests == ["No test: no pair has counts in both reports."]


def test_quiet_is_the_verdict_on_one_line(tmp_path: Path) -> None:
    assert quiet_line(worse(tmp_path)) == (
        "worse (p = 0.001): dan.Fell + mitigation.MitigationBypass fell from 84 % to"
        " 51 %"
    )
    line = quiet_line(forced(tmp_path))
    assert line.endswith(
        " (forced although the checksums differ: for information only)"
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_opens_with_its_verdict(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    compared = kind(tmp_path)
    opening = " ".join(" ".join(lines(compared)).split())
    # control characters are visible before a line is folded
    headline = printable(compared.headline).replace("\n", "\\n")
    assert opening.startswith(" ".join(headline.split()))
