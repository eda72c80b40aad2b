# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``score --merge``: a real scan, split, scores as it does whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli.main import main
from tests.factories import to_bytes
from tests.gold import FOLDER

GOLD = FOLDER / "garak-0.17.1.report.jsonl"


def belongs(row: dict[str, Any], modules: set[str]) -> bool:
    name = row.get("probe_classname", row.get("probe"))
    return name is None or name.split(".")[0] in modules


def write_part(path: Path, modules: set[str]) -> str:
    """Keep of a real report what a scan of some modules would have written."""
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    rows = [row for row in rows if belongs(row, modules)]
    groups = rows[-1]["eval"]
    rows[-1]["eval"] = {name: groups[name] for name in groups if name in modules}
    path.write_bytes(to_bytes(rows))
    return str(path)


@pytest.fixture
def parts(tmp_path: Path) -> list[str]:
    last = json.loads(GOLD.read_text("utf-8").splitlines()[-1])
    modules = sorted(last["eval"])
    assert len(modules) > 3
    (tmp_path / "parts").mkdir()
    return [
        write_part(tmp_path / "parts" / f"{number}.report.jsonl", set(chosen))
        for number, chosen in enumerate((modules[:2], modules[2:3], modules[3:]))
    ]


def written(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def test_a_split_scan_scores_as_it_does_whole(
    parts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, merged = tmp_path / "whole.json", tmp_path / "merged.json"
    assert main(["score", str(GOLD), "-j", str(whole)]) == 0
    capsys.readouterr()
    assert main(["score", "-v", "--merge", *parts, "-j", str(merged), "--strict"]) == 1
    out, err = capsys.readouterr()
    assert f"Report file: {' + '.join(parts)}" in out
    assert err.count("\n") == 1  # left-out pairs, as in the whole scan
    expected, got = written(whole), written(merged)
    assert got.pop("merged_from") == parts
    assert got["explanation"] == expected["explanation"]
    same = ("tbsa", "raw_tbsa", "checksum", "version_probe_hash", "pairs", "left_out")
    assert {key: got[key] for key in same} == {key: expected[key] for key in same}
    assert got["repeat_interval"] == expected["repeat_interval"]


def test_a_folder_of_parts_is_one_scan_against_its_baseline(
    parts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = tmp_path / "sarif.json"
    folder = str(tmp_path / "parts")
    options = ["--baseline", str(GOLD), "--sarif", str(found)]
    assert main(["score", "--merge", folder, *options]) == 0
    assert "baseline" in capsys.readouterr().out
    text = found.read_text(encoding="utf-8")
    assert "0.report.jsonl" in text
    assert " + " not in text


def test_what_is_no_part_is_one_line(
    parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "--merge", parts[0], str(GOLD)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        f"garak-tbsa: {GOLD}: is not part of the same scan as {parts[0]}: both hold "
    )
    assert err.count("\n") == 1
