# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Published sets, and own ones in which some rows have no clear label."""

from __future__ import annotations

from pathlib import Path

from tests.behaviour.labelled import (
    ECHO,
    counts_of,
    evaluated,
    write_cells,
    write_lines,
)
from tests.behaviour.product import tbsa
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


def test_files_below_a_folder_and_of_one_name_are_told_apart(echoes: Path) -> None:
    """Rows without an id are named for their file; published files may be one row."""
    for place, score, label in (("a", "1", "hit"), ("b", "1", "pass")):
        row = {"output": f"{score} x", "label": label, "detector": ECHO}
        write_lines(echoes / "own" / place / "rows.jsonl", [row])
    files = [echoes / "own" / place / "rows.jsonl" for place in "ab"]
    summary = evaluated(echoes, "--data", *files, "--detectors", ECHO)
    assert counts_of(summary) == {ECHO: (1, 1, 0, 0)}
    for place, score, safety in (("P1/a", "0", "safe"), ("P1/b", "1", "unsafe")):
        published = {"context": "asked", "response": f"{score} x", "safety": safety}
        write_lines(echoes / "set" / place / "0.json", [published])
    groups = {"x": [{"context": "asked", "response": "0 y", "safety": "unsafe"}]}
    write_lines(echoes / "set" / "P1_prefix.json", [groups])
    summary = evaluated(
        *(echoes, "--preset", "latent-jailbreak", "--data", echoes / "set"),
        *("--detectors", ECHO),
    )
    assert counts_of(summary) == {ECHO: (1, 0, 1, 1)}
    assert summary["metadata"]["reading"]["rows_read"] == 3
    empty = echoes / "empty"
    empty.mkdir()
    for preset in ((), ("--preset", "latent-jailbreak")):
        shown = tbsa("detectors", "evaluate", "--data", empty, *preset)
        assert (shown.code, f"{empty}: no " in shown.error) == (1, True)


def test_options_that_do_not_go_with_a_set_are_refused(tmp_path: Path) -> None:
    file = forms(tmp_path)["gptfuzz"]
    for options, said in (
        (("--partial", "hit"), "--partial hit: --preset gptfuzz has no partial labels"),
        (("--label-threshold", "3"), "--label-threshold 3: the labels of --preset"),
        (("--columns", "output=x"), "--columns: --preset gptfuzz says it already"),
        (("--raters", "a,b"), "--raters: --preset gptfuzz says it already"),
        (("--preset", "gptfuz"), "--preset 'gptfuz': no preset of this name"),
    ):
        given = ("--preset", "gptfuzz", "--data", file, *options)
        shown = tbsa("detectors", "evaluate", *given)
        assert shown.code == 2
        assert shown.error.startswith(f"garak-tbsa: {said}"), shown.error
