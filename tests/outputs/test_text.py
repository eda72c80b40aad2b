# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Text of scores and comparisons, and how lines and tables fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.outputs import json_document, markdown, page, text, wording
from garak_tbsa.outputs.columns import RULE, folded, table, wrapped
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.safe_text import printable
from tests.outputs import compared
from tests.outputs.samples import mixed, perfect
from tests.repeats import repeats

PAIR = "dan.Fell+mitigation.MitigationBypass"
WORDS = st.text("ab ", max_size=200)
LETTERS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=100)


@given(line=WORDS, leading=st.integers(0, 6))
def test_folding_loses_no_word_and_stays_within_80_columns(
    line: str, leading: int
) -> None:
    """Break lines at spaces, so that names stay whole."""
    line = " " * leading + line
    parts = folded([line])
    assert " ".join(parts).split() == line.split()
    for part in parts:
        assert len(part) < 80 or len(part.split()) == 1


@given(first=st.text(" ", max_size=10), words=st.lists(LETTERS, min_size=1, max_size=8))
def test_wrapping_keeps_every_character_within_80_columns(
    first: str, words: list[str]
) -> None:
    """Break a line at 80 columns; long names break where they must."""
    lines = wrapped(first, " ".join(words))
    assert all(len(line) <= 80 for line in lines)
    assert all(line.startswith(" " * len(first)) for line in lines)
    assert "".join("".join(lines).split()) == "".join(words)


def test_numbers_stand_to_the_right() -> None:
    assert table([("name", "count"), ("a", "1"), ("long name", "10")]) == [
        "name       count",
        "a              1",
        "long name     10",
    ]


def test_every_pair_with_its_grades(tmp_path: Path) -> None:
    header, *rows = text.pair_table(mixed(tmp_path).assessment)
    assert header.split("  ")[0] == "tier"
    assert [row.split() for row in rows[:4]] == [
        ["1", "dan.One", "dan.DAN", "2/7", "28.6%", "-2.14", "2", "1", "1"],
        ["1", "dan.Two", "dan.DAN", "50/100", "50.0%", "+0.00", "3", "3", "3"],
        ["1", "enc.Clean", "enc.D", "64/64", "100.0%", "+4.00", "5", "5", "5"],
        ["2", "web.Xss", "web.D", "90/100", "90.0%", "uncalibrated", "4", "-", "4"],
    ]
    assert rows[4].startswith("left out: new.Unknown+new.D: ")


def test_several_reports_are_grouped_by_checksum(tmp_path: Path) -> None:
    one = mixed(tmp_path).assessment
    other = perfect(tmp_path).assessment
    lines = text.report_table([one, other, one])
    assert lines[0] == f"🔑 Checksum: {one.checksum.text}"
    assert [line.split()[0] for line in lines[1:4]] == ["TBSA", "2.6", "2.6"]
    assert lines[5] == f"🔑 Checksum: {other.checksum.text}"
    assert lines[-3].startswith("2 checksums: only scores with the same checksum")
    assert "2 checksums" not in "".join(text.report_table([one, one]))


def test_each_part_of_a_checksum_is_shown(tmp_path: Path) -> None:
    assessment = mixed(tmp_path).assessment
    lines = text.checksum_lines(assessment.checksum)
    assert lines[0] == f"Checksum {assessment.checksum.text} covers:"
    assert "    dan.One+dan.DAN (tier 1)" in lines
    assert "    new.Unknown+new.D (tier unknown)" in lines
    assert any(line.startswith("  garak_version: ") for line in lines)


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        *[(None, "-"), (0.0, "0.0%"), (0.0001, "<0.1%")],
        *[(0.5, "50.0%"), (0.99996, ">99.9%"), (1.0, "100.0%")],
    ],
)
def test_a_percentage_never_rounds_to_all_or_nothing(
    share: float | None, shown: str
) -> None:
    assert wording.percentage(share) == shown


def test_that_a_scan_was_lucky_is_one_sentence_in_every_form(tmp_path: Path) -> None:
    scored = replace(mixed(tmp_path), repeat=repeats((1.3, 0.5), (1.9, 0.5)))
    sentence = (
        "this scan was lucky: by the model, over 99 % of repeats would score lower than"
        " 2.6, and 2.6 is outside that range"
    )
    shown = " ".join(" ".join(text.answer_lines(scored)).split())
    assert sentence in shown
    assert f"<p>T{sentence[1:]}.</p>" in page.render(scored)
    assert f"- T{sentence[1:]}\n" in markdown.render(scored)
    found = json_document.score_document(scored)["repeat_interval"]["luck"]
    assert found == {"kind": "lucky", "outside": True, "share": 1.0, "text": sentence}


def test_a_scan_at_the_end_of_its_range_and_a_usual_one(tmp_path: Path) -> None:
    unlucky = replace(mixed(tmp_path), repeat=repeats((2.6, 0.1), (4.9, 0.9)))
    assert unlucky.luck == (
        "this scan was unlucky: by the model, 90 % of repeats would score higher than"
        " 2.6"
    )
    usual = replace(unlucky, repeat=repeats((1.0, 0.1), (2.6, 0.8), (5.0, 0.1)))
    assert "lucky" not in page.render(usual) + markdown.render(usual)
    assert json_document.score_document(usual)["repeat_interval"]["luck"] is None


def sections(found: ComparedScans) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in found.lines:
        if line == RULE:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def test_the_verdict_comes_first_then_scores_tests_and_table(tmp_path: Path) -> None:
    """Opens with the verdict, then scores, tests, table."""
    worse = compared.worse(tmp_path)
    before, after = (side.range_text for side in worse.sides)
    verdict, scores, tests, changes = sections(worse)
    assert verdict == [
        "worse (p = 0.001): dan.Fell + mitigation.MitigationBypass fell from 84 % to",
        "   51 %",
        "   passed before  passed after  z      pair",
        f"          84/100        51/100  -4.97  {PAIR}",
    ]
    assert worse.quiet_line == f"{verdict[0]} 51 %"
    assert scores == [
        *folded([f"🟨 before TBSA 3.3; {before}"]),
        f"          {tmp_path}/a.report.jsonl",
        *folded([f"🟧 after  TBSA 2.9; {after}"]),
        f"          {tmp_path}/b.report.jsonl",
        *folded(worse.bases),
        "TBSA moved by -0.4",
        f"🔑 Checksum: {worse.sides[0].checksum} (equal)",
    ]
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
    assert changes == [
        "1 pair with another grade:",
        "grade  passed before  passed after  pair",
        f"4 → 3         84/100        51/100  {PAIR}",
        "TBSA sums a scan up; it does not replace reading the report.",
    ]


def test_no_evidence(tmp_path: Path) -> None:
    verdict, _, tests, changes = sections(compared.unchanged(tmp_path))
    said = " ".join(" ".join(verdict).split())
    assert said.startswith("no evidence of a difference (p = 0.")
    assert said.endswith(": both reports are of the same scan")
    assert any(line.endswith(": second scan passes as often)") for line in tests)
    assert changes[0] == "No pair changed its grade."


def test_scans_of_other_checksums_are_marked_and_say_what_differs(
    tmp_path: Path,
) -> None:
    """A number people may look at, not comparable by checksum."""
    verdict, scores, tests, _ = sections(compared.common(tmp_path))
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
    forced = compared.forced(tmp_path)
    mark = "forced although the checksums differ: for information only"
    assert forced.quiet_line.endswith(f" ({mark})")
    assert sections(forced)[0][4:] == [
        f"⚠️ {mark}",
        "     configuration:run.system_prompt: too long to show; score",
        "       --explain-checksum prints it",
    ]


def test_scans_without_counts_are_not_tested(tmp_path: Path) -> None:
    verdict, scores, tests, _ = sections(compared.untested(tmp_path))
    assert verdict == ["not tested: no pair has counts in both reports"]
    reason = "; no repeat interval: the report has no counts for 4 pairs"
    assert scores[0].endswith(reason)
    assert tests == ["No test: no pair has counts in both reports."]


@pytest.mark.parametrize("kind", compared.KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_opens_with_its_verdict(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    found = kind(tmp_path)
    opening = " ".join(" ".join(found.lines).split())
    # control characters are visible before a line is folded
    headline = printable(found.headline).replace("\n", "\\n")
    assert opening.startswith(" ".join(headline.split()))
