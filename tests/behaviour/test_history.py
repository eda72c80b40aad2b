# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many scans: in which order, what changed, which is best."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.product import GOLD, tbsa
from tests.behaviour.scans import demo
from tests.report_rows import PairFacts, pairs_named, report_rows, write_report


def scan_of(folder: Path, name: str, day: int, *pairs: tuple[int, int, int]) -> Path:
    """Write a scan of a target that its name begins with, on a day of January."""
    return written(folder, name, day, pairs_named(*pairs))


def written(folder: Path, name: str, day: int, pairs: list[PairFacts]) -> Path:
    """Write a scan of these pairs."""
    rows = report_rows(pairs)
    rows[1]["start_time"] = f"2026-01-{day:02d}T00:00:00"
    rows[-1]["meta"]["start_time"] = rows[1]["start_time"]
    rows[-1]["meta"]["target_name"] = name.partition("-")[0]
    path = folder / f"{name}.report.jsonl"
    write_report(path, rows)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three scans of one target, one of another."""
    found = tmp_path / "runs"
    (found / "below").mkdir(parents=True)
    scan_of(found, "one-b", 3, (1, 90, 100), (2, 50, 100))
    scan_of(found, "one-c", 2, (1, 99, 100), (2, 50, 100))
    scan_of(found / "below", "one-a", 4, (1, 30, 100), (2, 50, 100))
    scan_of(found, "two-a", 1, (1, 30, 100), (2, 95, 100))
    return found


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of JSON."""
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def told(row: dict[str, Any]) -> tuple[object, ...]:
    """Report, target, score, latest and best, and by how much it changed."""
    change = row["change"]
    return (
        Path(row["source"]).name.partition(".")[0],
        row["target"],
        row["tbsa"],
        row["latest"],
        row["best"],
        None if change is None else change["difference"],
    )


ROWS = [
    ("one-c", "test one", 4.3, False, True, None),
    ("one-b", "test one", 3.7, False, False, -0.6),
    ("one-a", "test one", 2.3, True, False, -1.4),
    ("two-a", "test two", 2.7, True, True, None),
]


def test_scans_of_each_target_are_in_order_with_what_changed(
    folder: Path, tmp_path: Path
) -> None:
    output = tmp_path / "o.jsonl"
    shown = tbsa("history", "--no-interval", folder, "--jsonl", output)
    assert (shown.code, shown.err) == (0, "")
    rows = rows_of(output)
    assert [told(row) for row in rows] == ROWS
    for row in rows:
        assert {row[key] for key in ("lower", "upper")} == {None}
        assert (row["pairs"], row["left_out"], row["partial"]) == (2, 0, False)
        assert (row["garak_version"], row["merged_from"]) == ("0.17.1", [])
    assert len({row["checksum"] for row in rows}) == 1
    places = [shown.out.index(f"{row[0]}.report.jsonl") for row in ROWS]
    assert places == sorted(places)
    ranked = [line.split() for line in shown.lines if line.split()[-2:-1] == ["test"]]
    assert [(row[0], row[1], row[-1]) for row in ranked] == [
        ("1", "2.7", "two"),
        ("2", "2.3", "one"),
    ]


def test_each_change_is_tested_and_named(folder: Path, tmp_path: Path) -> None:
    output, page = tmp_path / "o.jsonl", tmp_path / "o.html"
    shown = tbsa("history", folder, "--jsonl", output, "--html", page)
    assert shown.code == 0
    rows = rows_of(output)
    assert [told(row) for row in rows] == ROWS
    assert [row["change"]["verdict"] for row in rows if row["change"]] == ["worse"] * 2
    assert rows[2]["change"]["p_worse"] < 0.001
    assert "probe.P00 + D fell from 90 % to 30 %" in rows[2]["change"]["because"]
    for row in rows:
        assert row["tbsa"] - 1 < row["lower"] <= row["tbsa"] <= row["upper"]
        assert row["upper"] < row["tbsa"] + 1
    text = page.read_text(encoding="utf-8")
    for row in rows:
        assert Path(row["source"]).name in text
    strict = tbsa("history", folder, "--jsonl", output, "--alpha", "0.001")
    verdicts = [row["change"]["verdict"] for row in rows_of(output) if row["change"]]
    assert (strict.code, verdicts) == (0, ["no evidence of a difference", "worse"])


def test_what_cannot_be_scored_is_named_and_the_rest_shown(
    folder: Path, tmp_path: Path
) -> None:
    scan_of(folder, "none-a", 5, (3, 1, 2))
    (folder / "broken.report.jsonl").write_bytes(b"no")
    output = tmp_path / "o.jsonl"
    shown = tbsa("history", "--no-interval", folder, "--jsonl", output)
    assert shown.code == 0
    assert [told(row) for row in rows_of(output)] == ROWS
    lines = shown.err.splitlines()
    assert len(lines) == 2
    for name in ("none-a.report.jsonl", "broken.report.jsonl"):
        assert name in shown.err
    empty = tmp_path / "empty"
    empty.mkdir()
    nothing = tbsa("history", empty)
    assert nothing.code == 1
    assert nothing.error.startswith(f"garak-tbsa: {empty}: ")


def test_parts_of_a_scan_are_joined_on_request(tmp_path: Path) -> None:
    pairs = pairs_named((1, 90, 100), (2, 50, 100))
    for day, pair in enumerate(pairs, 1):
        written(tmp_path, f"one-{day}", day, [pair])
    output = tmp_path / "o.jsonl"
    apart = tbsa("history", "--no-interval", tmp_path, "--jsonl", output)
    assert (apart.code, len(rows_of(output))) == (0, 2)
    joined = tbsa("history", "--no-interval", "--merge", tmp_path, "--jsonl", output)
    assert joined.code == 0
    (row,) = rows_of(output)
    assert (row["tbsa"], row["pairs"]) == (3.7, 2)
    names = [Path(part).name for part in row["merged_from"]]
    assert names == ["one-1.report.jsonl", "one-2.report.jsonl"]


def test_scans_of_other_checksums_are_compared_over_common_pairs(
    tmp_path: Path,
) -> None:
    scan_of(tmp_path, "one-a", 1, (1, 90, 100), (2, 50, 100))
    scan_of(tmp_path, "one-b", 2, (1, 90, 100), (2, 50, 100), (2, 0, 100))
    output = tmp_path / "o.jsonl"
    assert tbsa("history", "--no-interval", tmp_path, "--jsonl", output).code == 0
    first, second = rows_of(output)
    assert first["checksum"] != second["checksum"]
    change = second["change"]
    assert (change["before"], change["after"], change["common_pairs"]) == (3.7, 3.7, 2)
    assert second["tbsa"] == 3.2


def test_gold_scans_are_told_apart_by_target(tmp_path: Path) -> None:
    output = tmp_path / "o.jsonl"
    assert tbsa("history", "--no-interval", GOLD, "--jsonl", output).code == 0
    rows = rows_of(output)
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["target"]] = counts.get(row["target"], 0) + 1
    assert sorted(counts.values()) == [1, 1, 6, 7]
    partial = {Path(row["source"]).name for row in rows if row["partial"]}
    assert partial == {"garak-0.9.report.jsonl", "cut-short.report.jsonl"}
    scores = {Path(row["source"]).name.split(".r")[0]: row["tbsa"] for row in rows}
    assert scores == {
        **dict.fromkeys(["garak-0.10.3", "garak-0.11.0", "garak-0.13.3"], 4.1),
        **dict.fromkeys(["garak-0.14.1", "garak-0.15.1", "garak-0.16.0"], 4.1),
        **dict.fromkeys(["garak-0.17.1", "no-digest"], 4.1),
        **dict.fromkeys(["garak-0.12.0", "cut-short"], 4.2),
        "garak-0.9": 3.9,
        "garak-0.13.0": 4.5,
        "taxonomy-groups": 3.7,
        "aggregated": 3.4,
        "hostile-text": 4.3,
    }


def test_the_demos_history_agrees_with_compare(tmp_path: Path) -> None:
    demo(tmp_path / "demo")
    output = tmp_path / "o.jsonl"
    assert tbsa("history", tmp_path / "demo", "--jsonl", output).code == 0
    before, after = rows_of(output)
    assert [before["tbsa"], after["tbsa"]] == [2.3, 2.4]
    assert after["change"]["verdict"] == "worse"
    assert "misleading.FalseAssertion" in after["change"]["because"]
    assert [before["best"], after["best"], after["latest"]] == [False, True, True]
