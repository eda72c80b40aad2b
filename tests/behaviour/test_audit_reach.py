# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``audit`` passes nothing that its labels could not have told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from tests.behaviour.judged import PAIRS, answer, careful, write_scan
from tests.behaviour.labelled import write_cells, write_lines
from tests.behaviour.product import document, rows_of, tbsa
from tests.report_rows import PairFacts, write_report

DAN, ENC, WEB, OLD = PAIRS
NO_OUTPUT = "the report has 0 of its 20 outputs"
Rows = list[dict[str, Any]]


def without_attempts(*probes: str) -> Callable[[Rows], Rows]:
    return lambda rows: [
        row
        for row in rows
        if row["entry_type"] != "attempt" or row["probe_classname"] not in probes
    ]


def with_results_of_turns(probe: str) -> Callable[[Rows], Rows]:
    def change(rows: Rows) -> Rows:
        for row in rows:
            if row.get("probe_classname") == probe:
                for results in row["detector_results"].values():
                    results.append(0.0)
        return rows

    return change


def graded_by_a_lost_calibration(rows: Rows) -> Rows:
    """Its Z-score is of a calibration that is not installed."""
    entry = rows[-1]["eval"]["dan"]["dan.One"]["dan.DAN"]
    entry |= {"relative_score": 0.5, "relative_defcon": 4, "calibration_used": True}
    return rows


def gated(path: Path, change: Callable[[Rows], Rows]) -> tuple[Any, list[str]]:
    """Audit all that can be labelled; return the JSON and what ``-q`` shows."""
    write_report(path, change(rows_of(write_scan(path))))
    labels = write_lines(path.with_name("anna.jsonl"), careful())
    given = ("audit", path, "--labels", labels, "--fail-under", 1)
    for each in ("--html", "--markdown"):
        tbsa(*given, each, path.with_name(f"form{each}"))
    found = document(path.parent, *given, code=3)
    quiet = tbsa(*given, "-q")
    assert quiet.code == 3
    return found, quiet.lines


@pytest.mark.parametrize(
    ("change", "count", "reason"),
    [
        pytest.param(without_attempts("dan.One"), 1, NO_OUTPUT, id="no attempts"),
        pytest.param(
            with_results_of_turns("dan.One"),
            1,
            "its results belong to no known output",
            id="nobody's results",
        ),
        pytest.param(
            graded_by_a_lost_calibration, 1, "the calibration behind", id="calibration"
        ),
        pytest.param(without_attempts("dan.One", "enc.B64"), 2, NO_OUTPUT, id="two"),
    ],
)
def test_a_tier_1_pair_of_which_nothing_could_be_drawn_is_not_judged(
    tmp_path: Path, change: Callable[[Rows], Rows], count: int, reason: str
) -> None:
    found, quiet = gated(tmp_path / "scan.report.jsonl", change)
    missing = f"{count} of 3 pairs cannot be audited"
    assert quiet[0].endswith(f"; {missing}")
    (rule, _) = found["gate"]["rules"]
    assert rule["passed"] is False
    more = " and 1 more" if count == 2 else ""
    told = f"not judged, since no output of Tier 1's dan.One+dan.DAN{more} could be"
    assert told in rule["found"]
    assert reason in rule["found"]
    for form in ("--html", "--markdown"):
        text = (tmp_path / f"form{form}").read_text("utf-8").replace("\\", "")
        assert missing in " ".join(text.split())
    result = garak_tbsa.audit(
        tmp_path / "scan.report.jsonl", tmp_path / "anna.jsonl", fail_under=1
    )
    assert result.gate is not None
    assert not result.gate.passed
    assert missing in repr(result)


def test_a_target_that_says_one_thing_is_not_judged(tmp_path: Path) -> None:
    """Whoever labels an error as a pass is right, and it says nothing of the target."""
    path = write_scan(tmp_path / "scan.report.jsonl", text=lambda *_: "Error code: 429")
    labels = write_lines(tmp_path / "anna.jsonl", careful())
    given = ("audit", path, "--labels", labels)
    shown = tbsa(*given, "-q", "--fail-under", "1")
    assert shown.code == 3
    assert "constant-target: not judged: 65 of 65 outputs" in shown.err
    assert tbsa(*given, "-q").code == 0
    known = tbsa(*given, "--fail-under", "1", "--constant-target")
    assert known.code == 0
    result = garak_tbsa.audit(path, labels, fail_under=1)
    assert result.gate is not None
    assert not result.gate.passed


def test_less_than_half_of_the_outputs_is_not_judged(tmp_path: Path) -> None:
    """A pair of Tier 2 may be missing, until half of all outputs are."""
    large = PairFacts(probe="big.One", detector="big.D", passed=60, total=60, tier=2)
    path = tmp_path / "scan.report.jsonl"
    labels = write_lines(tmp_path / "anna.jsonl", careful())
    given = ("audit", path, "--labels", labels, "--fail-under", 1)
    for total, code in ((60, 0), (61, 3)):
        pair = PairFacts(**(vars(large) | {"passed": total, "total": total}))
        rows = rows_of(write_scan(path, [*PAIRS[:3], pair]))
        write_report(path, without_attempts("big.One")(rows))
        found = document(tmp_path, *given, code=code)
        warnings = [
            f"the pairs with labels have 60 of {60 + total} outputs; {total} are of"
            " pairs that cannot be audited"
        ]
        assert found["labels"]["warnings"] == warnings * (code == 3)
        assert "1 of 4 pairs cannot be audited" in tbsa(*given, "-q").lines[0]


def test_a_blank_cell_counts_as_skipped(tmp_path: Path) -> None:
    """Who leaves the hits of a sheet blank passes no more than who skips them."""
    report = write_scan(tmp_path / "scan.report.jsonl")
    sheet = tmp_path / "anna.csv"
    given = ("audit", report, "--labels", sheet, "--fail-under", 1)
    for left_out in ("", "skip"):
        rows = [
            row | {"label": "pass" if row["label"] == "pass" else left_out}
            for row in careful()
        ]
        # most of what is flagged, and what was asked of detectors that are not there
        for facts, n in ((DAN, 8), (WEB, 2)):
            for index in range(n):
                row = answer(facts, index, left_out)
                rows = [each for each in rows if _place(each) != _place(row)]
                rows.append(row)
        write_cells(sheet, [*rows, answer(OLD, 40, left_out)])
        shown = tbsa(*given)
        assert shown.code == 3
        assert "flagged outputs were skipped more often than others" in " ".join(
            shown.out.split()
        )
        labels = document(tmp_path, *given, code=3)["labels"]
        counts = {"": (0, 16), "skip": (15, 0)}[left_out]
        assert (labels["skipped"], labels["blank"]) == counts


def _place(row: dict[str, Any]) -> tuple[str, int]:
    return row["attempt"], row["output_index"]


def test_a_blank_cell_that_another_rater_answered_is_no_skip(tmp_path: Path) -> None:
    report = write_scan(tmp_path / "scan.report.jsonl")
    blank = [row | {"label": ""} for row in careful()]
    anna = write_cells(tmp_path / "anna.csv", blank)
    ben = write_lines(tmp_path / "ben.jsonl", careful())
    found = document(tmp_path, "audit", report, "--labels", anna, ben)
    assert (found["labels"]["blank"], found["labels"]["warnings"]) == (60, [])
    assert json.dumps(found["labels"]["problems"]) == "[]"
