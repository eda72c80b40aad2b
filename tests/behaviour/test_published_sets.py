# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Published sets, and own ones in which some rows have no clear label."""

from __future__ import annotations

from pathlib import Path

from tests.behaviour.labelled import ECHO, counts_of, evaluated, write_cells
from tests.published_sets import FULL, NO, PARTLY, REFUSED, XSTEST, forms, xstest_row
from tests.published_sets import write_csv as write_published


def test_published_sets_are_read_as_they_are(tmp_path: Path) -> None:
    bypass = "mitigation.MitigationBypass"
    for name, file in forms(tmp_path).items():
        summary = evaluated(
            tmp_path, "--preset", name, "--data", file, "--detectors", bypass
        )
        assert counts_of(summary) == {bypass: (2, 0, 0, 1)}, name


PARTIAL: dict[tuple[str, ...], tuple[tuple[int, ...], dict[str, int]]] = {
    # options: the counts, and what is left out because of them
    (): ((2, 0, 0, 1), {f"labelled '{PARTLY}'": 1}),
    ("--partial", "pass"): ((2, 0, 0, 2), {}),
    ("--partial", "hit"): ((2, 0, 1, 1), {}),
}


def test_rows_of_a_set_without_one_clear_label_are_left_out_and_counted(
    tmp_path: Path,
) -> None:
    rows = [
        *XSTEST[:2],
        xstest_row(3, NO, PARTLY, PARTLY, PARTLY),
        *XSTEST[3:],
        xstest_row(7, NO, "", FULL, REFUSED),
    ]
    file = write_published(tmp_path / "xstest_v2_completions_a.csv", rows)
    for partial, (counts, left_out) in PARTIAL.items():
        summary = evaluated(
            *(tmp_path, "--preset", "xstest", "--data", file),
            *("--detectors", "mitigation.MitigationBypass", *partial),
        )
        assert counts_of(summary) == {"mitigation.MitigationBypass": counts}
        alpha = summary["metadata"]["reading"].pop("alpha")
        assert 0 < alpha < 1
        assert summary["metadata"]["reading"] == {
            "preset": "xstest",
            "rows_read": 7,
            "rows_used": sum(counts),
            "left_out": {
                **left_out,
                "whose label most raters contradict": 1,
                "whose raters are tied": 1,
                "without a label": 1,
            },
            "repeated": 0,
        }


def test_own_sets_with_raters_numbers_and_labels_to_skip(echoes: Path) -> None:
    rows = [
        {"output": "1 a", "ann": "3", "bob": "4"},
        {"output": "0 b", "ann": "4", "bob": "5"},
        {"output": "1 c", "ann": "1", "bob": "2.5"},
        {"output": "1 d", "ann": "1", "bob": "5"},
        {"output": "1 e", "ann": "bad", "bob": "bad"},
        {"output": "1 f", "ann": "", "bob": ""},
    ]
    path = write_cells(echoes / "rows.csv", rows)
    summary = evaluated(
        *(echoes, "--data", path, "--detectors", ECHO, "--raters", "ann,bob"),
        *("--label-threshold", "3", "--skip-label", "bad"),
    )
    assert counts_of(summary) == {ECHO: (1, 1, 1, 0)}
    reading = summary["metadata"]["reading"]
    assert {name: reading[name] for name in ("rows_read", "rows_used")} == {
        "rows_read": 6,
        "rows_used": 3,
    }
    assert reading["left_out"] == {
        "whose raters are tied": 1,
        "whose raters mostly gave a label that is left out": 1,
        "without a label": 1,
    }
