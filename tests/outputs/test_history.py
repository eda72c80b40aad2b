# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One line per target: what changed, what compares, which scan is the best.

What changed in a scan is what compare says, over common pairs where need be. As
tables; tests/behaviour and tests/results have the JSON Lines.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from garak_tbsa.api.history import text_lines
from garak_tbsa.outputs.documents.history import Scan
from garak_tbsa.outputs.text import below
from tests.histories import change, history, scan, target_of
from tests.report_rows import PairFacts, pairs_named, report_rows, write_report


def change_of(*reports: str, **how: Any) -> Any:
    """What changed in the second of two scans, or why nothing is said of it."""
    found = garak_tbsa.history(reports, **how).to_dict()["scans"][1]
    return found["change"] or found["change_missing_because"]


@pytest.mark.parametrize("release", ["0.17.1", "0.16.0"])
def test_a_change_is_what_compare_says(tmp_path: Path, release: str) -> None:
    """Change and significance with the same tests as compare.

    Where the checksums differ, rescored on pairs that consecutive scans both measured
    with the same tier.
    """
    facts = {
        "a": pairs_named((1, 90, 100), (1, 70, 100), (2, 80, 100)),
        "b": pairs_named((1, 60, 100), (2, 99, 100), (2, 70, 100), (1, 5, 10)),
    }
    is_same = release == "0.17.1"
    if is_same:
        facts["b"] = pairs_named((1, 60, 100), (1, 70, 100), (2, 80, 100))
    reports = [
        write_report(tmp_path / name, report_rows(pairs, version=version))
        for (name, pairs), version in zip(
            facts.items(), (release, "0.17.1"), strict=True
        )
    ]
    expected = garak_tbsa.compare(*reports, common=not is_same).to_dict()
    parts = {each["part"]: each["text"] for each in expected["differences"]}
    change = {
        "before": expected["first"]["tbsa"],
        "after": expected["second"]["tbsa"],
        "common_pairs": None if is_same else 2,
        "differences": [f"{part} ({text})" for part, text in parts.items()],
        "verdict": "worse",
        "p_worse": expected["verdict"]["p_worse"],
        "p_better": expected["verdict"]["p_better"],
        "permutations": 5000,
        "pairs_by_attempts": 0,
        "because": expected["verdict"]["text"],
        "difference": expected["tbsa_difference"],
    }
    assert [*parts] == ([] if is_same else ["garak_version", "pairs"])
    assert change_of(*reports) == change
    tests = ("verdict", "p_worse", "p_better", "permutations", "because")
    assert change_of(*reports, interval=False) == change | dict.fromkeys(tests)


def test_what_is_not_compared_has_a_reason(tmp_path: Path) -> None:
    """No pair in common."""
    facts = pairs_named((1, 9, 10), (2, 8, 10), mu=0.5)
    newer, other = (
        write_report(tmp_path / name, report_rows(pairs))
        for name, pairs in (
            ("b", facts),
            ("c", [PairFacts(probe="other.P", passed=3)]),
        )
    )
    for interval in (True, False):
        reason = "no pair is in both scans with the same tier"
        assert change_of(newer, other, interval=interval) == reason


NO_COMMON_PAIR = "no pair is in both scans with the same tier"
WORSE = change(
    2.0,
    2.5,
    common_pairs=4,
    differences=['garak_version ("0.16.0" before, "0.17.1" after)'],
    verdict="worse",
    p_worse=0.0031,
    p_better=1.0,
    permutations=5000,
    because="worse (p = 0.003): a + b fell from 84 % to 51 %",
)
SCANS = [
    scan(1, 2.0, checksum="0000-0000", garak_version=None, start_time=None),
    scan(2, 2.5, lower=None, upper=None, partial=True),
    scan(3, 3.0),
    scan(4, 2.8, not_covered="an aggregate of what is gone"),
]
HISTORY = target_of(SCANS, [WORSE, change(2.5, 3.0), NO_COMMON_PAIR])
OTHER = target_of([scan(3, 3.0, target="test other")])
COLUMNS = ("pairs", "left out", "garak", "report")
PAIRS = "dan, web_injection, 5 pairs"
END = ".report.jsonl"
DISCLAIMER = "TBSA sums a scan up; it does not replace reading the report."


def test_one_line_per_target_and_targets_side_by_side() -> None:
    one, two, *lines = text_lines(history(HISTORY, OTHER), width=None)
    assert one == (
        "test Blank: r4.report.jsonl of 2026-03-04 10:20, TBSA 2.8: nothing to compare"
        " with, no pair is in both scans with the same tier. The newest that compares"
        " is r3.report.jsonl of 2026-03-03 10:20, TBSA 3.0: higher than"
        " r2.report.jsonl, 3.0 after 2.5, not tested"
    )
    assert two == (
        "test other: r3.report.jsonl of 2026-03-03 10:20, TBSA 3.0: nothing to compare"
        " with, it is the only scan"
    )
    assert [re.split(r" {2,}", line.strip()) for line in lines] == [
        [""],
        ["Target test Blank: 4 scans"],
        ["start", "TBSA", "repeat", "change", "verdict", *COLUMNS],
        ["unknown", "2.0", "1.8 to 2.1", f"{PAIRS} (1)", "0", "unknown", "r1" + END],
        [
            *(
                "2026-03-02 10:20",
                "2.5*",
                "unknown",
                "+0.5 over 4",
                "worse, p = 0.0031",
            ),
            *(f"{PAIRS} (2)", "0", "0.17.1", "r2" + END),
        ],
        [
            *("2026-03-03 10:20", "3.0", "best", "2.8 to 3.1", "+0.5"),
            *(f"{PAIRS} (2)", "0", "0.17.1", "r3" + END),
        ],
        [
            *("2026-03-04 10:20", "2.8", "latest", "2.6 to 2.9", "not compared"),
            *(f"{PAIRS} (2)", "0", "0.17.1", "r4" + END),
        ],
        [""],
        ["Target test other: 1 scan"],
        ["start", "TBSA", "repeat", *COLUMNS],
        [
            *("2026-03-03 10:20", "3.0", "2.8 to 3.1"),
            *(f"{PAIRS} (2)", "0", "0.17.1", "r3" + END),
        ],
        [""],
        [f"Targets by their latest scan of {PAIRS} (2)"],
        ["rank", "TBSA", "repeat", "start", "target"],
        ["1", "3.0", "2.8 to 3.1", "2026-03-03 10:20", "test other"],
        ["2", "2.8", "2.6 to 2.9", "2026-03-04 10:20", "test Blank"],
        [""],
        ["* partial: the scan was interrupted"],
        ["repeat: what 95 % of repeats of that scan would score"],
        [
            "over N: the checksums differ, so both scans were scored again over the N"
            " pairs that both measured with the same tier"
        ],
        [
            "(1), (2): as many pairs of the same modules with different checksums; they"
            " differ in garak's release, settings, calibration or pairs"
        ],
        [
            "Changes are against the scan before, with the tests of compare by"
            " attempts, else counts, at level 0.05 (5,000 permutations)."
        ],
        ["not compared: no pair is in both scans with the same tier"],
        ["r4.report.jsonl: an aggregate of what is gone"],
        [DISCLAIMER],
    ]


def test_a_narrow_terminal_gets_fewer_columns_and_whole_paths() -> None:
    path = f"{'deeper/' * 9}r1.report.jsonl"
    scans = [scan(day, 3.0, source=f"/runs/{path}") for day in (1, 2)]
    lines = text_lines(history(target_of(scans, [WORSE])), width=80)
    assert max(map(len, lines[2:7])) <= 80
    text = " ".join(lines[2:])
    assert "checksum" not in text[: text.index("2026")]
    assert text.replace(" ", "").count(path) == 2


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/runs/a/b.jsonl", "/runs", "a/b.jsonl"),
        ("/runs/a/b.jsonl", "/runs/", "a/b.jsonl"),
        ("./b.jsonl", ".", "b.jsonl"),
        ("/else/b.jsonl", "/runs", "/else/b.jsonl"),
        ("s3://bucket/runs/b.jsonl", "s3://bucket/runs/", "b.jsonl"),
        ("memory:///runs/x/b.jsonl", "memory://runs", "x/b.jsonl"),
        ("/runsets/b.jsonl", "/runs", "/runsets/b.jsonl"),
    ],
)
def test_a_path_is_told_below_the_folder(path: str, folder: str, expected: str) -> None:
    assert below(path, folder) == expected


def test_what_marks_and_answers_say() -> None:
    """A scan alone with its checksum is not marked as the best."""
    alone = target_of([scan(1, 4.0), scan(2, 5.0, checksum="0000-0000")])
    assert "best" not in " ".join(text_lines(history(alone), width=None))
    got = text_lines(history(target_of(SCANS[:2], [WORSE])), width=None)
    assert got[0] == (
        "test Blank: r2.report.jsonl of 2026-03-02 10:20, TBSA 2.5 (partial): worse"
        " than r1.report.jsonl, 2.5 after 2.0 over 4 pairs of both (p = 0.003): a + b"
        " fell from 84 % to 51 %"
    )
    assert "checksum " not in got[3]
    told = text_lines(history(alone), width=None, checksums=True)
    assert "1f3a-9c2e" in told[4]


@pytest.mark.parametrize(
    ("scans", "verdicts", "best"),
    [
        ([scan(1, 2.0), scan(2, 2.5)], ["worse"], 0),
        ([scan(1, 2.5), scan(2, 2.0)], ["better"], 1),
        ([scan(1, 2.0), scan(2, 2.5)], ["worse and better"], 0),
        ([scan(1, 2.0), scan(2, 2.5, partial=True)], [None], 0),
        ([scan(1, 2.0), scan(2, 2.5, gaps=["9 of 10 outputs"])], [None], 0),
        ([scan(1, 2.0, partial=True)], [], None),
        ([scan(1, 2.5), scan(2, 2.0), scan(3, 2.5)], ["worse", "better"], 2),
    ],
)
def test_no_scan_is_the_best_that_a_test_calls_worse_or_that_lacks_something(
    scans: list[Scan], verdicts: list[str | None], best: int | None
) -> None:
    known = zip(pairwise(scans), verdicts, strict=True)
    changes = [change(a.tbsa, b.tbsa, verdict=told) for (a, b), told in known]
    found = target_of(scans, changes)
    places = [index for index, each in enumerate(found) if each.best]
    assert places == ([] if best is None else [best])
