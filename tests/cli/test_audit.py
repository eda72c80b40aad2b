# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa audit``: outputs, the gate, and every kind of bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.behaviour.judged import PAIRS, answer, careful, write_scan
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import tbsa
from tests.labels.samples import ONE
from tests.report_rows import PairFacts

CALIBRATED = [PairFacts(**{**vars(facts), "mu": 0.5}) for facts in PAIRS[:2]]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "anna.jsonl", careful())


def test_very_many_bad_labels_are_cut(labels: Path, tmp_path: Path) -> None:
    """\"Unusable labels summed up in three lines.\""""
    report = write_scan(tmp_path / "scan.report.jsonl")
    bad = [answer(ONE, 90 + n, "hit") for n in range(5)]
    more = write_lines(tmp_path / "bad.jsonl", bad)
    code, _, err = tbsa("audit", report, "--labels", labels, more)
    assert (code, err.count("\n")) == (0, 3)
    assert err.endswith(
        "garak-tbsa: 3 more labels cannot be used; `audit -j` lists all of them\n"
    )


def test_without_the_calibration_it_says_what_grades_again(
    tmp_path: Path, labels: Path
) -> None:
    """Z-scores from a calibration that is not installed tell no other grade."""
    report = write_scan(tmp_path / "z.report.jsonl", CALIBRATED)
    code, out, err = tbsa("audit", report, "--labels", labels)
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == (
        f"garak-tbsa: {report}: none of its pairs can be audited; of dan.One+dan.DAN,"
        " the calibration behind its Z-score is not installed, so its grade for"
        " another pass count is unknown; --calibration installed grades the pairs again"
        " from their counts"
    )
    again = ("--labels", labels, "-q", "--calibration", "installed")
    assert tbsa("audit", report, *again).code == 0
    some = write_scan(tmp_path / "some.report.jsonl", [*CALIBRATED, *PAIRS[2:]])
    told = " ".join(tbsa("audit", some, "--labels", labels)[1].split())
    assert "2 of 3 pairs cannot be audited, their grades stay the detectors'" in told
    assert "(--calibration installed grades the pairs again from" in told
