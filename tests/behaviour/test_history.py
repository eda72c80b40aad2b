# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Many scans: in which order, what changed, which is best."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.product import GOLD, Shown, tbsa
from tests.report_rows import RUN, PairFacts, pairs_named, report_rows, write_report


def scan_of(folder: Path, name: str, day: int, *pairs: tuple[int, int, int]) -> Path:
    """Write a scan of a target that its name begins with, on a day of January."""
    return written(folder, name, day, pairs_named(*pairs))


def written(
    folder: Path, name: str, day: int, pairs: list[PairFacts], **how: Any
) -> Path:
    """Write a scan of these pairs."""
    rows = report_rows(pairs, **how)
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
    scan_of(found, "one-b", 3, (1, 90, 100), (2, 50, 100), (3, 1, 2))
    scan_of(found, "one-c", 2, (1, 99, 100), (2, 50, 100), (3, 1, 2))
    scan_of(found / "below", "one-a", 4, (1, 30, 100), (2, 50, 100), (3, 1, 2))
    scan_of(found, "two-a", 1, (1, 30, 100), (2, 95, 100), (3, 1, 2))
    return found


def followed(*arguments: object, to: Path) -> tuple[Shown, list[dict[str, Any]]]:
    """What ``history`` shows and its lines of JSON, written to ``to``."""
    shown = tbsa("history", *arguments, "--jsonl", to)
    assert shown.code == 0, shown
    return shown, [*map(json.loads, to.read_text(encoding="utf-8").splitlines())]


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
    shown, rows = followed("--no-interval", folder, to=output)
    assert shown.err == ""
    assert [told(row) for row in rows] == ROWS
    for row in rows:
        assert {row[key] for key in ("lower", "upper")} == {None}
        assert (row["pairs"], row["left_out"], row["partial"]) == (2, 1, False)
        assert (row["garak_version"], row["not_covered"]) == ("0.17.1", None)
        assert row["run_uuid"] == RUN
    starts = [row["start_time"] for row in rows]
    assert starts == [f"2026-01-{day:02d}T00:00:00" for day in (2, 3, 4, 1)]
    assert len({row["checksum"] for row in rows}) == 1
    answers, _, tables = shown.out.partition("\n\n")
    assert answers.splitlines() == [
        "test one: below/one-a.report.jsonl of 2026-01-04 00:00, TBSA 2.3: lower than"
        " one-b.report.jsonl, 2.3 after 3.7, not tested",
        "test two: two-a.report.jsonl of 2026-01-01 00:00, TBSA 2.7: nothing to compare"
        " with, it is the only scan",
    ]
    assert "probe, 2 pairs" in tables
    assert rows[0]["checksum"] not in shown.out
    shown_whole = tbsa("history", "--no-interval", "-v", folder).out
    assert rows[0]["checksum"] in shown_whole
    places = [tables.index(f"{row[0]}.report.jsonl") for row in ROWS]
    assert places == sorted(places)
    ranked = [line.split() for line in shown.lines if line.split()[-2:-1] == ["test"]]
    assert [(row[0], row[1], row[-1]) for row in ranked] == [
        ("1", "2.7", "two"),
        ("2", "2.3", "one"),
    ]


def test_each_change_is_tested_and_named(folder: Path, tmp_path: Path) -> None:
    output, page = tmp_path / "o.jsonl", tmp_path / "o.html"
    shown, rows = followed(folder, "--html", page, to=output)
    answer = shown.lines[0]
    assert "TBSA 2.3: worse than one-b.report.jsonl, 2.3 after 3.7 (p = " in answer
    assert answer.endswith("probe.P00 + D fell from 90 % to 30 %")
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
    assert {row["change"]["permutations"] for row in rows[1:3]} == {5000}


def test_what_cannot_be_scored_is_one_line_for_each_reason(
    folder: Path, tmp_path: Path
) -> None:
    """How many there are and the first examples, and the rest is shown."""
    for number in range(9):
        (folder / f"x{number}.report.jsonl").write_text('{"entry_type": 3}\n')
    for name in ("empty", "empty2"):
        (folder / f"{name}.report.jsonl").touch()
    (folder / "page.report.jsonl").write_text("<html>\n<p>\n")
    (folder / "notes.txt").write_text("no report")
    scan_of(folder, "none-a", 5, (3, 1, 2))
    output, page = tmp_path / "o.jsonl", tmp_path / "o.html"
    shown, rows = followed("--no-interval", folder, "--html", page, to=output)
    assert [told(row) for row in rows] == ROWS
    assert "13 of 17 reports could not be scored" in shown.out
    first, *others = shown.err.splitlines()
    assert first.startswith(
        "garak-tbsa: 9 of 17 not scored (x0.report.jsonl, x1.report.jsonl,"
        " x2.report.jsonl and 6 more): "
    )
    assert others == [
        "garak-tbsa: 2 of 17 not scored (empty.report.jsonl, empty2.report.jsonl):"
        " is empty; give a report that garak has written",
        "garak-tbsa: 1 of 17 not scored (none-a.report.jsonl): no pair in Tier 1 or 2"
        " was measured, so there is no TBSA; scan with probes of Tier 1 or 2 (garak"
        " --list_probes -v shows tiers)",
        "garak-tbsa: 1 of 17 not scored (page.report.jsonl): is a web page or XML,"
        " expected JSON Lines; give the .report.jsonl beside garak's .report.html",
    ]
    assert "2 of 17 not scored" in page.read_text(encoding="utf-8")
    alone = tbsa("history", folder / "empty.report.jsonl")
    assert alone.code == 1
    assert "1 of 1 reports could not be scored" in alone.out


def test_bad_input_is_one_line(folder: Path, tmp_path: Path) -> None:
    empty, missing = tmp_path / "empty", tmp_path / "none"
    empty.mkdir()
    for arguments, code, message in (
        (
            [missing],
            1,
            f"{missing}: does not exist; name a folder of reports, or reports",
        ),
        (
            [empty],
            1,
            f"{empty}: is a folder without a garak report in it (*.report.jsonl, or"
            " *report*.jsonl); name a folder of reports, or a report by its own name",
        ),
        (
            [folder, "--cluster", "tcp://x:1"],
            2,
            "--cluster tcp://x:1: an address of Ray or Dask; say which with"
            " --backend ray or --backend dask",
        ),
    ):
        shown = tbsa("history", *arguments)
        assert shown.code == code
        assert shown.error == f"garak-tbsa: {message}"


@pytest.mark.parametrize("more", [[], ["--no-interval"]])
def test_the_same_bytes_whatever_the_backend(
    folder: Path, tmp_path: Path, more: list[str]
) -> None:
    """Of two releases, one of them compressed, and a report that is broken."""
    old = written(tmp_path, "one-old", 9, pairs_named((1, 60, 100)), version="0.16.0")
    packed = folder / "old-report.1.jsonl.gz"
    packed.write_bytes(gzip.compress(old.read_bytes()))
    (folder / "broken.report.jsonl").write_bytes(b"no")
    found = []
    for workers in (["--jobs", 1], ["--backend", "loky", "--jobs", 2]):
        lines, page = tmp_path / "o.jsonl", tmp_path / "o.html"
        given = [*workers, "--html", page, *more]
        shown, rows = followed(folder, *given, to=lines)
        found.append((shown, lines.read_bytes(), page.read_bytes()))
        assert len(rows) == 5
    assert found[0] == found[1]


def test_gold_scans_are_told_apart_by_target(tmp_path: Path) -> None:
    _, rows = followed("--no-interval", GOLD, to=tmp_path / "o.jsonl")
    counts = Counter(row["target"] for row in rows)
    assert sorted(counts.values()) == [1, 1, 6, 7]
    partial = {Path(row["source"]).name for row in rows if row["partial"]}
    assert partial == {"garak-0.9.report.jsonl", "cut-short.report.jsonl"}
    for row in rows:
        expected = Path(row["source"].replace(".report.jsonl", ".tbsa.json"))
        scored = json.loads(expected.read_text(encoding="utf-8"))
        assert (row["tbsa"], row["checksum"]) == (scored["tbsa"], scored["checksum"])
