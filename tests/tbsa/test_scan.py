# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""All stages together: where there is no score, no calibration, no common pair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.behaviour.product import tbsa
from tests.behaviour.scans import scan, scored
from tests.report_rows import PairFacts, pairs_named, report_rows, write_report

NO_TBSA = "no pair in Tier 1 or 2 was measured, so there is no TBSA"
WITHOUT: list[tuple[list[PairFacts], str]] = [
    ([], "it has no results of any probe; let a scan finish"),
    (
        pairs_named((3, 1, 2)),
        "scan with probes of Tier 1 or 2 (garak --list_probes -v shows tiers)",
    ),
    (
        pairs_named((3, 1, 2), (1, 0, 0)),
        "1 of its 2 pairs have no evaluated output, look in garak's log for what the"
        " target and the detectors did",
    ),
    (
        [PairFacts(probe="x.Unknown", tier=None), *pairs_named((9, 1, 2))],
        "neither the report nor an installed garak knows the tier of 1 of its 2 pairs,"
        " install a garak that has these probes, or give their tiers with --tiers",
    ),
]


def test_without_a_pair_that_counts_there_is_no_number(tmp_path: Path) -> None:
    """One line says what to do; nothing is written."""
    output = tmp_path / "o.json"
    for pairs, advice in WITHOUT:
        path = scan(tmp_path, pairs)
        for more in (["-q"], ["-j", output], ["--fail-under", "1"]):
            shown = tbsa("score", *more, path)
            assert shown.code == 1
            assert shown.error == f"garak-tbsa: {path}: {NO_TBSA}; {advice}"
        assert not output.exists()


def test_a_calibration_that_the_digest_does_not_name(tmp_path: Path) -> None:
    """Where no pair is calibrated digest and rows have one checksum."""

    def found(name: str, facts: list[PairFacts], **more: Any) -> tuple[Any, str]:
        rows = report_rows(facts, **more)
        if more.get("digest", True):
            rows[-1]["meta"]["calibration"] = {}
        path = write_report(tmp_path / f"{name}.report.jsonl", rows)
        text = tbsa("score", "--no-interval", path).out
        (line,) = (line for line in text.splitlines() if "Calibration" in line)
        return scored(tmp_path, path)["checksum_parts"], line.partition(": ")[2]

    bare = [PairFacts(probe="a.A")]
    parts, said = found("digest", bare)
    assert said == "none was used, covers 0 of 1 pairs"
    assert parts == found("rows", bare, digest=False)[0]
    # one that was asked for counts, whatever it covers
    path = scan(tmp_path, bare, "asked")
    asked = scored(tmp_path, "--calibration", "installed", path)["calibration"]
    assert (asked["covered"], asked["identity"]["date"]) == (0, asked["date"])
    assert asked["date"] is not None
    calibrated = [PairFacts(mu=0.5), PairFacts(probe="dan.Other", mu=0.6)]
    assert found("used", calibrated)[1] == "not recorded, covers 2 of 2 pairs"


def test_without_a_common_pair_there_is_nothing_to_compare(tmp_path: Path) -> None:
    """A pair of another tier is no common one."""
    first = scan(tmp_path, pairs_named((1, 5, 10)), "a")
    second = scan(tmp_path, pairs_named((2, 5, 10)), "b")
    shown = tbsa("compare", "--common", first, second)
    assert shown.code == 1
    assert shown.error == (
        f"garak-tbsa: {first} and {second}: no pair was measured in both with the same"
        " tier, so that there is nothing to compare; scan with the same probes"
    )
