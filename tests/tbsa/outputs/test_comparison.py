# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from typing import TYPE_CHECKING

from garak_tbsa.tbsa.compare import compare
from garak_tbsa.tbsa.interval import distribution_of
from garak_tbsa.tbsa.outputs import comparison as output
from garak_tbsa.tbsa.outputs.text import RULE
from tests.factories import assessment_of, pairs_named, report_rows, write_report
from tests.tbsa.outputs.samples import uncounted

if TYPE_CHECKING:
    from pathlib import Path

    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.compare import Comparison
    from garak_tbsa.tbsa.outputs.comparison import BothRepeats


def repeats_of(comparison: Comparison) -> BothRepeats:
    return distribution_of(comparison.first), distribution_of(comparison.second)


def shown_of(comparison: Comparison) -> list[str]:
    return output.lines(comparison, repeats_of(comparison))


def scored(folder: Path, name: str, *facts: tuple[int, int, int]) -> Assessment:
    pairs = pairs_named(*facts)
    path = write_report(folder / f"{name}.report.jsonl", report_rows(pairs))
    return assessment_of(path, pairs)


def test_two_scans_that_differ(tmp_path: Path) -> None:
    first = scored(tmp_path, "before", (1, 95, 100), (2, 200, 200))
    second = scored(tmp_path, "after", (1, 30, 100), (2, 200, 200))
    comparison = compare(first, second)
    assert comparison.tests is not None
    shown = shown_of(comparison)
    assert shown[0].startswith("🟩 before TBSA 4.3; a repeat of this scan would score")
    assert shown[1].strip() == first.report.source
    assert shown[3].strip() == second.report.source
    assert shown[4].startswith("Ranges: by pass counts alone, attempts were not read")
    assert shown[6:10] == [
        f"🔑 Checksum: {first.checksum.text} (equal)",
        RULE,
        f"TBSA moved by {comparison.tbsa_difference:+.1f}",
        "Verdict: the second scan is worse (p = 0.0002 for worse, 1 for better, each",
    ]
    assert shown[2].startswith("🟨 after  TBSA ")
    text = "\n".join(shown)
    assert ": second scan passes less)" in text
    assert first.graded[0].name in text
    assert f"Assumed: {comparison.assumption}." in " ".join(" ".join(shown).split())
    changed = shown.index("1 pair with another grade:")
    assert shown[changed + 2].split() == [
        "4",
        "→",
        "2",
        "95/100",
        "30/100",
        first.graded[0].name,
    ]
    assert shown[-1] == "TBSA sums a scan up; it does not replace reading the report."
    document = json.loads(output.to_json(comparison, repeats_of(comparison)))
    assert document["changed_grades"] == [
        {
            "pair": first.graded[0].name,
            "tier": 1,
            "first": 4,
            "second": 2,
            "first_counts": {"passed": 95, "total_evaluated": 100},
            "second_counts": {"passed": 30, "total_evaluated": 100},
        }
    ]
    assert document["tbsa_difference"] == comparison.tbsa_difference
    assert document["first"]["checksum"] == document["second"]["checksum"]
    assert document["tests"]["p_worse"] < 0.01
    assert document["verdict"] == {
        "kind": "worse",
        "text": "the second scan is worse",
        "alpha": 0.05,
    }
    assert document["differing_parts"] == []


def test_the_same_scan_twice(tmp_path: Path) -> None:
    scan = scored(tmp_path, "one", (1, 95, 100), (2, 60, 100))
    shown = shown_of(compare(scan, scan))
    assert "No pair changed its grade." in shown
    assert any(": second scan passes as often)" in line for line in shown)


def test_forced_although_checksums_differ(tmp_path: Path) -> None:
    first = scored(tmp_path, "one", (1, 5, 10), (2, 6, 10))
    second = scored(tmp_path, "two", (1, 5, 10))
    shown = shown_of(compare(first, second, force=True))
    assert "⚠️ forced although checksums differ in: pairs" in shown


def test_scans_without_counts_are_not_tested(tmp_path: Path) -> None:
    scan = uncounted(tmp_path).assessment
    comparison = compare(scan, scan)
    shown = shown_of(comparison)
    assert "Verdict: not tested, no pair has counts in both reports" in shown
    assert "no interval" in shown[0]
    document = json.loads(output.to_json(comparison, repeats_of(comparison)))
    assert document["tests"] is None
    assert document["first"]["repeat_interval"] is None
    assert document["first"]["interval_missing_because"] == (
        "the report has no counts for 4 pairs"
    )
