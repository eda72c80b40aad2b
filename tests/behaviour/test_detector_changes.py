# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detectors diff`` and ``evaluate -v``: what changed, and which rows are wrong."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.labelled import (
    ECHO,
    Counts,
    echo_row,
    echo_rows,
    summary_of,
    write_lines,
    write_summary,
)
from tests.behaviour.product import Shown, rows_of, tbsa

Summary = dict[str, Any]

OLD: dict[str, Counts] = {
    "a.Same": (20, 10, 10, 20),
    "b.Worse": (20, 10, 10, 20),
    "c.Noise": (20, 10, 10, 20),
    "d.Better": (3, 10, 27, 20),
    "e.Lost": (20, 10, 10, 20),
}
NEW: dict[str, Counts] = {
    "a.Same": (20, 10, 10, 20),
    "b.Worse": (3, 10, 27, 20),
    "c.Noise": (19, 10, 11, 20),
    "d.Better": (20, 10, 10, 20),
    "f.Added": (20, 10, 10, 20),
}


def write_both(folder: Path, old: Summary, new: Summary) -> list[Path]:
    named = {"old.json": old, "new.json": new}
    return [write_summary(folder / name, each) for name, each in named.items()]


def changes(shown: Shown, names: Collection[str] = (*OLD, *NEW)) -> dict[str, str]:
    """Each changed detector's cells."""
    rows = [line.split() for line in shown.lines if line.split()[0] in names]
    return {name: " ".join(cells) for name, *cells in rows}


def test_changes_beyond_noise_are_told_from_noise(tmp_path: Path) -> None:
    errors = [{"detector": "e.Lost", "reason": "no key"}]
    newer = summary_of(NEW, errors=errors, eval_threshold=0.4)
    for name in ("b.Worse", "d.Better"):
        newer["results"][name]["data"][0]["sha256"] = "1" * 64
    old, new = write_both(tmp_path, summary_of(OLD), newer)
    shown = tbsa("detectors", "diff", old, new)
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[:3] == [
        f"{old}: 5 detectors evaluated, 2026-01-30, garak 0.17.1",
        f"{new}: 5 detectors evaluated, 2026-01-30, garak 0.17.1",
        "eval_threshold: 0.5 -> 0.4",
    ]
    found = changes(shown)
    noise = found.pop("c.Noise")
    likely_worse = float(noise.removesuffix(" within noise").rpartition(" ")[2])
    assert 0.5 < likely_worse < 0.7
    before, after = "F1 0.667 (20 10 10 20)", "F1 0.140 (3 10 27 20)"
    assert found == {
        "b.Worse": f"typical {before} {after} 1.000 worse",
        "d.Better": f"typical {after} {before} 0.000 better",
        "e.Lost": f"typical {before} - - no longer evaluated",
        "f.Added": f"typical - {before} - newly evaluated",
    }
    assert shown.lines[-5:] == [
        "  e.Lost: no key",
        "typical: 1 worse, 1 better, 1 within noise, 1 unchanged, 1 no longer"
        " evaluated, 1 newly evaluated",
        "stress: no rows that both summaries state",
        "2 of the changed detectors were measured on other rows: b.Worse, d.Better",
        "On the same rows every changed count is a change of the detector; P(worse)"
        " tells whether it would show on other rows",
    ]


def test_metrics_of_the_first_version_are_of_other_rows(tmp_path: Path) -> None:
    """68 of 71 detectors were called better, where only the rows had changed."""
    first = summary_of(NEW, format_version=1)
    del first["metadata"]["metrics_rows"]
    paths = write_both(tmp_path, first, summary_of(NEW))
    gate = ("detectors", "diff", *paths, "--fail-on-regression")
    shown = tbsa(*gate)
    assert (shown.code, shown.lines[2]) == (
        3,
        "metrics_rows: typical and stress -> typical",
    )
    assert "a.Same (typical not comparable), " in shown.err
    assert "typical: 5 not comparable" in shown.lines
    assert (
        "Not comparable: one summary made its metrics from typical rows, the other"
        " from stress rows too; make the older one again"
    ) in shown.lines
    write_both(tmp_path, first, first)
    shown = tbsa(*gate)
    assert (shown.code, shown.lines[2:]) == (
        0,
        ["typical: 5 unchanged", "stress: no rows that both summaries state"],
    )


@pytest.mark.parametrize(
    ("new", "code", "named"),
    [
        (OLD, 0, ""),
        (OLD | {"d.Better": (20, 10, 10, 20)}, 0, ""),
        (OLD | {"c.Noise": (19, 10, 11, 20)}, 0, ""),
        (OLD | {"b.Worse": (3, 10, 27, 20)}, 3, "b.Worse (typical worse)"),
        (
            {name: OLD[name] for name in OLD if name != "e.Lost"},
            3,
            "e.Lost (typical no longer evaluated)",
        ),
    ],
    ids=["same", "better", "noise", "worse", "lost"],
)
def test_a_regression_fails_where_that_was_asked_for(
    tmp_path: Path, new: dict[str, Counts], code: int, named: str
) -> None:
    old, other = write_both(tmp_path, summary_of(OLD), summary_of(new))
    shown = tbsa("detectors", "diff", old, other, "--fail-on-regression")
    expected = (
        f"garak-tbsa: {other}: {named}; `garak-tbsa detectors evaluate --detectors"
        " DETECTOR -v` lists the rows\n"
    )
    assert (shown.code, shown.err) == (code, expected if code else "")
    if named.startswith("b.Worse"):
        assert tbsa("detectors", "diff", old, other).code == 0


def test_of_many_regressions_the_first_are_named_and_all_counted(
    tmp_path: Path,
) -> None:
    for count, more in ((5, ""), (7, " and 2 more")):
        names = [f"a.A{number}" for number in range(count)]
        old, new = (
            summary_of(dict.fromkeys(names, cells))
            for cells in ((20, 10, 10, 20), (3, 10, 27, 20))
        )
        paths = write_both(tmp_path, old, new)
        shown = tbsa("detectors", "diff", *paths, "--fail-on-regression")
        named = ", ".join(f"{name} (typical worse)" for name in names[:5])
        assert shown.err.partition(";")[0] == f"garak-tbsa: {paths[1]}: {named}{more}"


def test_confidence_moves_the_edge_and_stress_rows_count(tmp_path: Path) -> None:
    old = summary_of({"a.A": (18, 10, 12, 20)})
    new = summary_of({"a.A": (14, 10, 16, 20)})
    paths = write_both(tmp_path, old, new)
    gate = ("detectors", "diff", *paths, "--fail-on-regression")
    assert tbsa(*gate).code == 0
    assert tbsa(*gate, "--confidence", "0.5").code == 3
    stress = {"hits_found": 2, "hits": 17, "passes_left_alone": 10, "passes": 20}
    new["results"]["a.A"] = old["results"]["a.A"] | {"stress": stress}
    old["results"]["a.A"] = new["results"]["a.A"] | {
        "stress": stress | {"hits_found": 15}
    }
    write_both(tmp_path, old, new)
    shown = tbsa(*gate)
    assert changes(shown, {"a.A"}) == {
        "a.A": "stress hits 15 of 17 2 of 17 1.000 worse"
    }
    assert (shown.code, shown.err.partition(";")[0]) == (
        3,
        f"garak-tbsa: {paths[1]}: a.A (stress hits worse)",
    )
    assert shown.lines[-4:-1] == [
        "typical: 1 unchanged",
        "stress hits: 1 worse",
        "stress passes: 1 unchanged",
    ]


# which rows a detector gets wrong


def test_rows_that_a_detector_gets_wrong_are_listed_on_request(echoes: Path) -> None:
    """With what it made of them, safe for a terminal."""
    rows = [
        *echo_rows(2, 0, 0, 2),
        echo_row("0.25", "hit", "missed"),
        echo_row("0.75", "pass", "flagged\x1b[31m\n::error::"),
        echo_row("0", "hit", "disguised", why="no marker"),
        echo_row("none", "pass", "unscored"),
    ]
    rows[-2]["output"] += f" {'word ' * 50}"
    path = write_lines(echoes / "rows.jsonl", rows)
    given = ("--data", path, "--detectors", ECHO, "--output", echoes / "s.json")
    assert "wrong" not in tbsa("detectors", "evaluate", *given).out
    shown = tbsa("detectors", "evaluate", *given, "-v")
    assert (shown.code, shown.err) == (0, "")
    text = f"0 disguised {'word ' * 50}"[:80]
    start = shown.lines.index(f"{ECHO} gets 3 of 8 rows wrong:")
    assert shown.lines[start + 1 :] == [
        f"  {path}, line 5: hit, score 0.25: 0.25 missed",
        f"  {path}, line 6: pass, score 0.75: 0.75 flagged\\x1b[31m ::error::",
        f"  {path}, line 7: stress hit, score 0: {text}…",
        f"written: {echoes / 's.json'}",
    ]
    # another threshold, other mistakes
    shown = tbsa("detectors", "evaluate", *given, "-v", "--eval-threshold", "0.2")
    assert f"{ECHO} gets 2 of 8 rows wrong:" in shown.lines


def test_of_many_wrong_rows_the_first_are_listed_and_all_saved(echoes: Path) -> None:
    path = write_lines(echoes / "rows.jsonl", echo_rows(0, 0, 12, 0))
    saved = echoes / "saved"
    given = ("--data", path, "--detectors", ECHO, "--output", echoes / "s.json")
    shown = tbsa("detectors", "evaluate", *given, "-v", "--save-datasets", saved)
    start = shown.lines.index(f"{ECHO} gets 12 of 12 rows wrong:")
    assert shown.lines[start + 5].startswith(f"  {path}, line 5: hit, score 0: ")
    assert shown.lines[start + 6] == "  and 7 more of these; --save-datasets has all"
    kept = rows_of(saved / "echoes_Echo.jsonl")
    assert [(row["where"], row["predicted"]) for row in kept] == [
        (f"{path}, line {number}", "pass") for number in range(1, 13)
    ]


def test_a_file_is_named_in_place_of_a_response(tmp_path: Path) -> None:
    name = "fileformats.PossiblePickleName"
    (tmp_path / "weights.bin").write_bytes(b"x")
    row = {"file": "weights.bin", "label": "hit"}
    path = write_lines(tmp_path / f"{name}.jsonl", [row])
    given = ("--data", path, "--output", tmp_path / "s.json", "-v")
    shown = tbsa("detectors", "evaluate", *given)
    assert f"  {path}, line 1: hit, score 0: file weights.bin" in shown.lines
