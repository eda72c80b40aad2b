# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.statistics.scan_repeat import repeat_of_scan
from garak_tbsa.tbsa.outputs import text, wording
from garak_tbsa.tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.unavailable import Unavailable
from tests.factories import assessment_of, pairs_named, report_rows, write_report
from tests.tbsa.outputs.samples import mixed, perfect, uncounted

if TYPE_CHECKING:
    from pathlib import Path


def test_summary(tmp_path: Path) -> None:
    scored = mixed(tmp_path)
    assessment = scored.assessment
    assert text.summary_lines(scored, with_hash=True) == [
        f"📜 Report file: {assessment.report.source}",
        "   garak 0.17.1, target test Blank",
        f"❄️ Digest run_uuid is {assessment.report.run_uuid}",
        "   read from: digest",
        "📐 Calibration: as in the report, of 2026-05-06, covers 3 of 4 pairs",
        text.RULE,
        "📝 Probe/detector pairs contributing: 4",
        "   Tier 1: 3 pairs, mean 1.96",
        "   Tier 2: 1 pair, mean 4.00",
        "   left out: 3",
        "     new.Unknown+new.D: neither the report nor the installed garak knows its",
        "       tier",
        "     old.Three+old.D: tier 3 does not count",
        "     web.None+web.D: no output was evaluated",
        f"🔑 Version/probe hash: {assessment.version_probe_hash}",
        f"🔑 Checksum: {assessment.checksum.text}",
        "🟧 TBSA: 2.6",
        "   a repeat of this scan on the same prompts would score 2.2 to 3.9 (95 %)",
        "   2.2: 4%, 2.3: 1%, 2.5: 13%, 2.6: 25%, 2.7: 1%, 2.8: 1%, 2.9: 3%",
        "   3.0: 3%, 3.2: 7%, 3.3: 12%, 3.4: 2%, 3.5: 7%, 3.6: 11%, 3.7: 2%",
        "   3.9: 4%, 4.1: 2%",
        "   unit of repetition: one output",
        "   from pass counts alone: how alike outputs of one prompt are is not known,",
        "   and the range allows for it; the range rests on few pairs (4)",
        "   1 pair with fewer than 30 outputs:",
        "     dan.One+dan.DAN",
        "   1 pair was not measured: TBSA 1.8 to 2.8 if it was",
        "   TBSA sums a scan up; it does not replace reading the report.",
    ]


WORDS = st.text("ab ", max_size=200)


@given(line=WORDS, leading=st.integers(0, 6))
def test_folding_loses_no_word_and_stays_within_80_columns(
    line: str, leading: int
) -> None:
    """Break lines at spaces, so that names stay whole."""
    line = " " * leading + line
    parts = text.folded([line])
    assert " ".join(parts).split() == line.split()
    for part in parts:
        assert len(part) < 80 or len(part.split()) == 1


def test_summary_without_hash_and_interval(tmp_path: Path) -> None:
    scored = replace(perfect(tmp_path), repeat=NOT_ASKED_FOR)
    lines = text.summary_lines(scored, with_hash=False)
    assert not any("🔑" in line or "repeat" in line for line in lines)
    assert "   left out: none" in lines
    assert (
        "⚠️ no Tier 2 pair was measured, so the score is that of Tier 1 alone" in lines
    )
    assert "   Tier 2: 0 pairs, mean none" in lines


def test_why_there_is_no_interval(tmp_path: Path) -> None:
    lines = text.summary_lines(uncounted(tmp_path), with_hash=True)
    assert "   repeat interval: none, the report has no counts for 4 pairs" in lines


def test_small_pairs_are_named_without_an_interval_too(tmp_path: Path) -> None:
    unknown = Unavailable(reason="no reason")
    scored = replace(mixed(tmp_path), repeat=unknown)
    lines = text.summary_lines(scored, with_hash=True)
    named = lines.index("   1 pair with fewer than 30 outputs:")
    assert lines[named + 1] == "     dan.One+dan.DAN"


def test_quiet_lines_are_garaks(tmp_path: Path) -> None:
    scored = mixed(tmp_path)
    assert text.quiet_lines(scored, with_hash=True) == [
        "📝 Probe/detector pairs contributing: 4",
        f"🔑 Version/probe hash: {scored.assessment.version_probe_hash}",
        "🟧 TBSA: 2.6",
    ]
    assert len(text.quiet_lines(scored, with_hash=False)) == 2


def test_what_follows_a_scan_is_brief(tmp_path: Path) -> None:
    scored = mixed(tmp_path)
    assert text.brief_lines(scored) == [
        "🟧 TBSA: 2.6",
        "   Tier 1: 3 pairs, mean 1.96; Tier 2: 1 pair, mean 4.00; left out: 3",
        f"🔑 Checksum: {scored.checksum}",
        "   TBSA sums a scan up; it does not replace reading the report.",
    ]


def test_long_lists_are_cut_and_say_so(tmp_path: Path) -> None:
    pairs = pairs_named(*[(1, 3, 4)] * 12, *[(3, 1, 1)] * 12)
    path = write_report(tmp_path / "r.report.jsonl", report_rows(pairs))
    assessment = assessment_of(path, pairs)

    repeat = repeat_of_scan(assessment)
    scored = ScoredReport(assessment=assessment, repeat=repeat, verdict=None)
    lines = text.summary_lines(scored, with_hash=True)
    assert "     … and 2 more (-v shows all)" in lines
    assert "     … and 2 more (in the JSON)" in lines
    assert sum("does not count" in line for line in text.pair_table(assessment)) == 12


def test_every_pair_with_its_grades(tmp_path: Path) -> None:
    assessment = mixed(tmp_path).assessment
    header, *rows = text.pair_table(assessment)
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
        (None, "-"),
        (0.0, "0.0%"),
        (0.0001, "<0.1%"),
        (0.5, "50.0%"),
        (0.99996, ">99.9%"),
        (1.0, "100.0%"),
    ],
)
def test_a_percentage_never_rounds_to_all_or_nothing(
    share: float | None, shown: str
) -> None:
    assert wording.percentage(share) == shown


def test_numbers_stand_to_the_right() -> None:
    assert text.table([("name", "count"), ("a", "1"), ("long name", "10")]) == [
        "name       count",
        "a              1",
        "long name     10",
    ]
