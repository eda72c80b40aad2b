# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Installed metrics beside a user's own: what is kept, told, and comes back."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.labelled import write_lines
from tests.behaviour.product import document, tbsa
from tests.behaviour.test_installing import FEW, GOOD, THIRD, evaluate

OTHERS = ["dan.AntiDAN", "dan.DUDE", "dan.DevMode", "dan.STAN"]
THEIRS: dict[str, Any] = {
    "results": {
        name: {"metrics": {"hit_sensitivity": 0.5}} for name in (*OTHERS[::-1], FEW)
    },
    "metadata": {"theirs": 1},
}


@pytest.fixture
def theirs(place: Path) -> bytes:
    """A file of the user's own where metrics are installed."""
    place.parent.mkdir(parents=True)
    place.write_bytes(json.dumps(THEIRS).encode() + b"\n\n")
    return place.read_bytes()


def installed(folder: Path, **counts: int) -> list[str]:
    """Install what is measured; return the lines about it."""
    shown = evaluate(folder, "--install", "--yes", **counts)
    assert (shown.code, shown.err) == (0, "")
    return shown.lines


def test_a_users_own_file_comes_back_byte_for_byte(
    place: Path, theirs: bytes, tmp_path: Path
) -> None:
    """Until then it joins ours; kept metrics may be of other rows, and are told so."""
    kept = sorted([FEW, *OTHERS])
    assert f"  kept from {place}: {', '.join(kept)}" in installed(tmp_path, good=60)
    results, metadata = json.loads(place.read_text()).values()
    assert list(results) == [GOOD, *kept]
    assert {name: results[name] for name in kept} == THEIRS["results"]
    assert (metadata["num_detectors_evaluated"], metadata["kept"]) == (6, kept)
    versions = metadata["versions"]
    assert {name: versions[name] for name in ("garak", "garak-tbsa")} == {
        name: version(name) for name in ("garak", "garak-tbsa")
    }
    assert metadata["kept_from"] == [{"detectors": kept, "theirs": 1}]
    assert f"  replaced: {FEW}" in installed(tmp_path, few=80)
    metadata = json.loads(place.read_text())["metadata"]
    first, second = metadata["kept_from"]
    assert first == {"detectors": OTHERS, "theirs": 1}
    assert (second["detectors"], second["versions"]) == ([GOOD], versions)
    assert "metrics_rows" not in metadata
    shown = tbsa("detectors", "uninstall")
    assert (shown.code, shown.out) == (0, f"restored: {place}\n")
    assert place.read_bytes() == theirs
    assert os.listdir(place.parent) == [place.name]


def told(folder: Path) -> list[tuple[str, list[str]]]:
    """By what the detectors were measured whose metrics are installed."""
    found = document(folder, "status")["installed_detector_metrics"]
    return [(each["source"], each["detectors"]) for each in found]


def test_each_detector_is_told_by_its_last_installation(
    place: Path, tmp_path: Path
) -> None:
    """The last comes first, and those before it stay in their order."""
    installed(tmp_path, good=60, few=60)
    installed(tmp_path, third=70)
    installed(tmp_path, few=80)
    rows = "labelled rows of no scan"
    assert told(tmp_path) == [
        (f"80 {rows}", [FEW]),
        (f"70 {rows}", [THIRD]),
        (f"120 {rows}", [GOOD]),
    ]
    path = place.with_name("installed_by_garak_tbsa.json")
    record: dict[str, Any] = json.loads(path.read_text())
    for change in (
        {"format_version": 2},
        {"before": "?"},
        {"before": 5},
        {"installed_sha256": None},
        {"installed": [{"date": 1}]},
        None,
    ):
        path.write_text("{" if change is None else json.dumps(record | change))
        assert tbsa("detectors", "uninstall").error == (
            f"garak-tbsa: {path}: not a record that this garak-tbsa can read, so the"
            " earlier metrics are not known; remove it and the metrics beside it to use"
            " garak's own"
        )
    # of the first version
    del record["installed"]
    path.write_text(json.dumps(record))
    assert told(tmp_path) == []


def test_what_is_refused_leaves_theirs_as_it_is(
    place: Path, theirs: bytes, tmp_path: Path
) -> None:
    """garak would take a detector without both rates for a perfect one."""
    said = "garak-tbsa: --install: {} not installed, label more rows"
    few = "was measured on 19 hits and 19 passes, at least 20 of each needed"
    shown = evaluate(tmp_path, "--install", "--yes", good=38, few=38)
    assert (shown.code, shown.err) == (
        1,
        f"{said.format(2)}, or --force: {GOOD} {few}; {FEW} {few}\n",
    )
    rows = [{"output": "no", "label": "pass", "detector": FEW}]
    given = ("--data", write_lines(tmp_path / "r.jsonl", rows))
    output = ("--output", tmp_path / "out.json")
    forced = (*given, *output, "--install", "--yes", "--force")
    shown = tbsa("detectors", "evaluate", *forced)
    assert (shown.code, shown.err) == (
        1,
        f"{said.format(1)}: {FEW} has no sensitivity or no specificity\n",
    )
    assert place.read_bytes() == theirs
    place.write_text('{"results": []}')
    shown = evaluate(tmp_path, "--install", "--yes", good=60)
    assert (shown.code, shown.err) == (
        1,
        "garak-tbsa: the metrics that garak reads now have no object `results`; move"
        " that file away, then install again\n",
    )
