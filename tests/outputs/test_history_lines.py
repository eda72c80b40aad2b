# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A history as tables and as JSON Lines."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

import pytest

from garak_tbsa.outputs import history_page
from garak_tbsa.outputs.history import NO_COMMON_PAIR, Change, legend
from garak_tbsa.outputs.history_lines import render, text_lines
from garak_tbsa.outputs.text import below
from tests.histories import history as shown
from tests.histories import scan, target_of

WORSE = Change(
    before=2.0,
    after=2.5,
    common_pairs=4,
    differences=('garak_version ("0.16.0" before, "0.17.1" after)',),
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
    scan(4, 2.8, merged_from=("/runs/4a.report.jsonl", "/runs/4b.report.jsonl")),
]
HISTORY = target_of(SCANS, [WORSE, Change(before=2.5, after=3.0), NO_COMMON_PAIR])
OTHER = target_of([scan(3, 3.0, target="other")])
COLUMNS = ("checksum", "pairs", "left out", "garak", "report")
END = ".report.jsonl"
DISCLAIMER = "TBSA sums a scan up; it does not replace reading the report."


def test_one_line_per_target_and_targets_side_by_side() -> None:
    got = text_lines(shown(HISTORY, OTHER), width=None)
    assert [re.split(r" {2,}", line.strip()) for line in got] == [
        ["Target test Blank: 4 scans under 2 checksums"],
        ["start", "TBSA", "repeat", "change", "verdict", *COLUMNS],
        ["unknown", "2.0", "1.8 to 2.1", "0000-0000", "5", "0", "unknown", "r1" + END],
        [
            *(
                "2026-03-02 10:20",
                "2.5*",
                "unknown",
                "+0.5 over 4",
                "worse, p = 0.0031",
            ),
            *("1f3a-9c2e", "5", "0", "0.17.1", "r2" + END),
        ],
        [
            *("2026-03-03 10:20", "3.0", "best", "2.8 to 3.1", "+0.5"),
            *("1f3a-9c2e", "5", "0", "0.17.1", "r3" + END),
        ],
        [
            *("2026-03-04 10:20", "2.8", "latest", "2.6 to 2.9", "not compared"),
            *("1f3a-9c2e", "5", "0", "0.17.1", f"4a{END} and 1 more"),
        ],
        [""],
        ["Target other: 1 scan"],
        ["start", "TBSA", "repeat", *COLUMNS],
        [
            *("2026-03-03 10:20", "3.0", "2.8 to 3.1"),
            *("1f3a-9c2e", "5", "0", "0.17.1", "r3" + END),
        ],
        [""],
        ["Targets by their latest scan with checksum 1f3a-9c2e"],
        ["rank", "TBSA", "repeat", "start", "best", "garak", "target"],
        ["1", "3.0", "2.8 to 3.1", "2026-03-03 10:20", "3.0", "0.17.1", "other"],
        ["2", "2.8", "2.6 to 2.9", "2026-03-04 10:20", "3.0", "0.17.1", "test Blank"],
        [""],
        ["* partial: the scan was interrupted"],
        ["repeat: what 95 % of repeats of that scan would score"],
        [
            "over N: the checksums differ, so both scans were scored again over the N"
            " pairs that both measured with the same tier"
        ],
        ["not compared: no pair is in both scans with the same tier"],
        [
            "Changes are against the scan before, with the tests of compare by"
            " attempts, else counts, at level 0.05 (5,000 permutations)."
        ],
        [DISCLAIMER],
    ]


def test_the_latest_change_says_what_it_is_due_to() -> None:
    found = target_of(SCANS[:2], [WORSE])
    got = text_lines(shown(found), width=None)
    assert "Latest change: worse (p = 0.003): a + b fell from 84 % to 51 %" in got


def test_a_narrow_terminal_gets_fewer_columns_and_whole_paths() -> None:
    path = f"{'deeper/' * 9}r1.report.jsonl"
    scans = [scan(day, 3.0, source=f"/runs/{path}") for day in (1, 2)]
    lines = text_lines(shown(target_of(scans, [WORSE])), width=80)
    assert max(map(len, lines[:5])) <= 80
    text = " ".join(lines)
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


def test_one_json_object_per_scan_keeps_what_it_had() -> None:
    documents = [json.loads(line) for line in render(shown(HISTORY)).splitlines()]
    assert len(documents) == len(SCANS)
    for document, each in zip(documents, SCANS, strict=True):
        known = asdict(each)
        del known["change"]
        assert {key: document[key] for key in known} == json.loads(json.dumps(known))
    assert [each["latest"] for each in documents] == [False, False, False, True]
    assert [each["best"] for each in documents] == [False, False, True, False]
    assert documents[0]["change"] is None
    assert documents[1]["change"]["difference"] == 0.5
    assert documents[1]["change"]["verdict"] == "worse"
    assert documents[2]["change"]["verdict"] is None
    assert documents[3]["change"] is None
    assert documents[3]["change_missing_because"] == NO_COMMON_PAIR.reason
    assert documents[3]["merged_from"] == list(SCANS[3].merged_from)


def test_a_scan_alone_with_its_checksum_is_not_the_best() -> None:
    alone = target_of([scan(1, 4.0), scan(2, 5.0, checksum="0000-0000")])
    assert [alone.mark(each) for each in alone.scans] == ["", "latest"]


def test_worse_and_best_in_one_row_are_explained() -> None:
    """The score rose, and pairs fell by more than chance."""
    risen = Change(before=2.0, after=2.5, verdict="worse", p_worse=0.01)
    both = target_of([scan(1, 2.0), scan(2, 2.5)], [risen])
    assert any(line.startswith("worse and best: ") for line in legend(shown(both)))
    assert not any("worse and best" in line for line in legend(shown(HISTORY)))


def test_hostile_text_is_text() -> None:
    evil = "<script>window.ran=1</script>\x1b[2J"
    found = target_of([scan(1, 3.0, target=evil, source=evil)])
    page = history_page.render(shown(found, folder=evil, merging=(evil,)))
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;window.ran=1&lt;/script&gt;\\x1b[2J" in page
