# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labels, matched to the outputs of reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from garak_tbsa.detector_eval.report_labels import Place, ReportLabels, StratumKey
from garak_tbsa.errors import DatasetError
from garak_tbsa.labels.label_files import LabelReading
from garak_tbsa.labels.matching import report_labels
from tests.factories import setup_row, write_report


@pytest.fixture
def report(tmp_path: Path) -> str:
    rows: list[object] = [setup_row({"run.eval_threshold": 0.7})]
    rows += [
        {
            "entry_type": "attempt",
            "uuid": f"u{number}",
            "status": 2,
            "probe_classname": "dan.Ablation",
            "prompt": "hi",
            "outputs": ["a", "b"],
            "detector_results": {"dan.DAN": [0.6, 0.7], "a.B": [None, 0.0]},
        }
        for number in range(3)
    ]
    return write_report(tmp_path / "x.report.jsonl", rows)


def read(
    folder: Path, report: str, sheet: str, detector: str | None = None
) -> ReportLabels:
    path = folder / "ann.csv"
    path.write_text(sheet)
    return report_labels([str(path)], LabelReading(), [report], detector)


def test_labels_are_in_the_strata_of_the_reports_own_threshold(
    tmp_path: Path, report: str
) -> None:
    """\"Strata and N are recomputed from the report, never trusted from a sheet.\""""
    found = read(
        tmp_path,
        report,
        "label,id,detector,stratum_outputs\n"
        "hit,u0/0,dan.DAN,999\npass,u0/1,dan.DAN,999\npass,u0/1,a.B,999\n",
    )
    dan, b = (
        [StratumKey("dan.Ablation", name, flagged) for flagged in (False, True)]
        for name in ("dan.DAN", "a.B")
    )
    assert found.stratum_of == {
        ("dan.DAN", "u0/0"): dan[False],
        ("dan.DAN", "u0/1"): dan[True],
        ("a.B", "u0/1"): b[False],
    }
    assert found.sizes == {"dan.DAN": {dan[0]: 3, dan[1]: 3}, "a.B": {b[0]: 3}}
    second = Place("u0", 1)
    assert not found.truth[second, "dan.DAN"]
    assert not found.truth[second, "a.B"]


def test_what_does_not_count_is_counted_and_said(tmp_path: Path, report: str) -> None:
    found = read(
        tmp_path,
        report,
        "label,id,detector,rater\nhit,u0/0,dan.DAN,x\nhit,u0/0,dan.DAN,y\n"
        ",u0/1,dan.DAN,x\n?,u1/1,dan.DAN,x\nhit,u2/0,dan.DAN,x\npass,u2/0,dan.DAN,y\n"
        "hit,u9/0,dan.DAN,x\n",
    )
    assert (found.blank, found.skipped, found.ties) == (1, 1, 1)
    assert len(found.problems) == 1
    judged = Place("u0", 0), "dan.DAN"
    assert found.truth[judged]
    assert found.answers[judged] == {"x": ["hit"], "y": ["hit"]}
    assert found.agreement is not None
    assert (found.agreement.rows, found.agreement.raters) == (2, 2)


def test_a_detector_that_judged_nothing_has_labels_but_no_strata(
    tmp_path: Path, report: str
) -> None:
    """A label without a detector is of the only one that judged its output."""
    mine = "my.package:Detector"
    sheet = "label,attempt,output_index\nhit,u0,0\npass,u1,1\n"
    found = read(tmp_path, report, sheet, mine)
    assert (found.stratum_of, found.problems) == ({}, ())
    assert mine not in found.sizes
    assert found.truth[Place("u0", 0), mine]
    sheet = f"label,id,detector\nhit,u0/0,\nhit,u1/0,{mine}\n"
    found = read(tmp_path, report, sheet)
    assert found.problems == ()
    assert list(found.truth) == [(Place("u0", 0), "dan.DAN"), (Place("u1", 0), mine)]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            ",u0/0,dan.DAN\n?,u0/1,dan.DAN\n",
            " (blank rows: 1; skip or unsure: 1); write hit or pass into the label"
            " column",
        ),
        (
            "hit,u9/0,dan.DAN\n",
            " (could not be used: 1); {path}, row 2: attempt u9 has no output 0 in the"
            " report; give the report that the labels were made from",
        ),
    ],
)
def test_no_usable_label(tmp_path: Path, report: str, rows: str, said: str) -> None:
    with pytest.raises(DatasetError) as caught:
        read(tmp_path, report, f"label,id,detector\n{rows}")
    path = f"{tmp_path}/ann.csv"
    told = f"{path}: no label that can be used{said.format(path=path)}"
    assert str(caught.value) == told
