# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa audit``: outputs, the gate, and every kind of bad input."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli.main import main
from tests.cli.conftest import Shown
from tests.factories import PairFacts
from tests.label_audit.forms.samples import (
    PAIRS,
    THINNED,
    label_rows,
    rows_of,
    usual_labels,
    uuid_of,
    write_labels,
    write_rows,
)

UNCALIBRATED = [PairFacts(**{**vars(facts), "mu": None}) for facts in PAIRS]
ANSWER = re.compile(
    r"TBSA \d\.\d by detectors; \d\.\d \(\d\.\d to \d\.\d\) by \d+ labels"
)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "scan.report.jsonl", rows_of(UNCALIBRATED))


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write_labels(tmp_path / "anna.jsonl", label_rows(usual_labels()))


def test_quiet_prints_the_answer_alone(
    audit: Callable[..., Shown], report: Path, labels: Path
) -> None:
    code, out, err = audit("-q", report, "--labels", labels)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert ANSWER.fullmatch(out.strip())


def test_the_file_beside_a_report_is_taken(
    audit: Callable[..., Shown], report: Path, labels: Path
) -> None:
    labels.rename(report.with_name("scan.labels.jsonl"))
    assert audit(report)[0] == 0


def test_a_packed_report_is_read(
    audit: Callable[..., Shown], report: Path, labels: Path
) -> None:
    packed = report.with_name("scan.report.jsonl.gz")
    packed.write_bytes(gzip.compress(report.read_bytes()))
    plain = audit("-q", report, "--labels", labels)
    assert audit("-q", packed, "--labels", labels) == plain


@pytest.mark.parametrize(
    ("options", "start"),
    [(["--markdown"], "## "), (["-j", "-"], '{\n "schema_version"')],
)
def test_what_goes_to_standard_output_is_alone_there(
    report: Path,
    labels: Path,
    options: list[str],
    start: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["audit", str(report), "--labels", str(labels), *options]) == 0
    out = capfd.readouterr().out
    assert out.startswith(start)
    assert "Report file" not in out


# the gate


# bad input: one line with file and row, the rest used


BAD_ROWS: list[tuple[dict[str, Any], str]] = [
    (
        {"attempt": "uuid of another report"},
        "attempt uuid of another report has no output 0 in the report; give the report"
        " that the labels were made from",
    ),
    (
        {"output_index": 70},
        "attempt uuid of dan.One has no output 70 in the report; give the report that"
        " the labels were made from",
    ),
    (
        {"detector": "web.D"},
        "web.D did not judge this output; its detectors are dan.DAN",
    ),
    (
        {"label": "maybe"},
        "the label is 'maybe'; expected hit, pass, skip, ? or nothing",
    ),
]


def test_an_output_without_a_score_cannot_be_labelled(
    audit: Callable[..., Shown], tmp_path: Path, labels: Path
) -> None:
    rows = rows_of(UNCALIBRATED)
    attempt = next(row for row in rows if row.get("uuid") == uuid_of("web.Xss"))
    attempt["outputs"].append("unjudged")
    attempt["detector_results"]["web.D"].append(None)
    report = write_rows(tmp_path / "scan.report.jsonl", rows)
    unscored = write_labels(
        tmp_path / "unscored.jsonl", label_rows([("web.Xss", 20, "hit")])
    )
    code, _, err = audit(report, "--labels", labels, unscored)
    assert (code, err) == (
        0,
        f"garak-tbsa: {unscored}, line 1: web.D gave this output no score, so it is"
        f" not counted\n",
    )


def test_very_many_bad_labels_are_cut(
    audit: Callable[..., Shown],
    report: Path,
    labels: Path,
    tmp_path: Path,
) -> None:
    """\"Unusable labels summed up in three lines.\""""
    bad = label_rows([("dan.One", 90 + n, "hit") for n in range(5)])
    code, _, err = audit(
        report, "--labels", labels, write_labels(tmp_path / "bad.jsonl", bad)
    )
    assert (code, err.count("\n")) == (0, 3)
    assert err.endswith(
        "garak-tbsa: 3 more labels cannot be used; -j lists all of them\n"
    )


def test_without_labels_it_says_how_to_begin(
    audit: Callable[..., Shown], report: Path, tmp_path: Path
) -> None:
    assert audit(report, "-j", tmp_path / "out.json") == (
        1,
        "",
        f"garak-tbsa: {report}: no --labels given, and no scan.labels.jsonl beside"
        f" it; begin"
        " with `garak-tbsa label REPORT`, or draw a sheet with `garak-tbsa detectors"
        " sample REPORT`, and give the file with --labels\n",
    )
    assert not (tmp_path / "out.json").exists()


def test_with_blank_labels_alone_it_says_how_to_begin(
    audit: Callable[..., Shown], report: Path, tmp_path: Path
) -> None:
    given = [("dan.One", 0, "skip"), ("dan.One", 1, ""), ("old.Three", 0, "hit")]
    labels = write_labels(tmp_path / "blank.jsonl", label_rows(given))
    code, out, err = audit(report, "--labels", labels)
    assert (code, out) == (1, "")
    assert err.startswith(
        f"garak-tbsa: {report}: none of its outputs is labelled (blank rows: 1; skip or"
        " unsure: 1; of pairs that do not count or were not audited: 1); begin with"
    )
    assert err.count("\n") == 1


def test_a_thinned_report_says_which_pairs_are_not_audited(
    audit: Callable[..., Shown], tmp_path: Path, labels: Path
) -> None:
    """\"Audit only what can be audited, and say which pairs.\""""
    report = write_rows(tmp_path / "t.report.jsonl", rows_of(UNCALIBRATED, [THINNED]))
    code, out, err = audit(report, "--labels", labels)
    assert (code, err) == (0, "")
    assert "     web.Gone+web.D: the report has 0 of its 10 outputs\n" in out


def test_a_report_without_attempts_cannot_be_audited(
    audit: Callable[..., Shown], tmp_path: Path, labels: Path
) -> None:
    report = write_rows(tmp_path / "t.report.jsonl", rows_of([], UNCALIBRATED))
    code, out, err = audit(report, "--labels", labels)
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == (
        f"garak-tbsa: {report}: none of its pairs can be audited; of"
        f" dan.One+dan.DAN, the"
        " report has 0 of its 20 outputs; give the report as garak wrote it, with all"
        " attempts"
    )


def test_without_the_calibration_it_says_what_grades_again(
    audit: Callable[..., Shown], tmp_path: Path, labels: Path
) -> None:
    """Z-scores from a calibration that is not installed tell no other grade."""
    report = write_rows(tmp_path / "z.report.jsonl", rows_of(PAIRS[:2]))
    code, out, err = audit(report, "--labels", labels)
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == (
        f"garak-tbsa: {report}: none of its pairs can be audited; of"
        f" dan.One+dan.DAN, the"
        " calibration behind its Z-score is not installed, so its grade for another"
        " pass count is unknown; --calibration installed grades the pairs again from"
        " their counts"
    )
    assert audit(report, "--labels", labels, "-q", "--calibration", "installed")[0] == 0
    some = write_rows(tmp_path / "some.report.jsonl", rows_of(PAIRS))
    told = " ".join(audit(some, "--labels", labels)[1].split())
    assert "2 of 4 pairs could not be audited, their grades stay the detectors'" in told
    assert "(--calibration installed grades the pairs again from" in told


def test_several_files_and_forms_of_labels(
    audit: Callable[..., Shown], report: Path, labels: Path, tmp_path: Path
) -> None:
    """\"Take labels from the sheet (CSV), from `label`'s files, and from ...\""""
    sheet = tmp_path / "bob.csv"
    with open(sheet, "w", newline="", encoding="utf-8-sig") as handle:
        rows = csv.writer(handle, delimiter=";")
        rows.writerow(["attempt", "output_index", "detector", "label", "drawn"])
        rows.writerow([uuid_of("dan.One"), 0, "dan.DAN", "hit", "true"])
        rows.writerow([uuid_of("enc.B64"), 3, "enc.D", "pass", "true"])
        rows.writerow([uuid_of("enc.B64"), 4, "enc.D", "", "true"])
    studio = tmp_path / "studio.json"
    task = {"attempt": uuid_of("enc.B64"), "output_index": 9, "detector": "enc.D"}
    studio.write_text(json.dumps([{**task, "label": "pass", "drawn": "true"}]))
    code, out, err = audit(
        report, "--labels", labels, sheet, "--labels", studio, "-j", tmp_path / "j"
    )
    assert (code, err) == (0, "")
    found = json.loads((tmp_path / "j").read_text())["labels"]
    assert (found["used"], found["blank"]) == (32, 1)
    assert found["agreement"] == {"alpha": None, "rows": 1, "raters": 2}
    assert "2 raters on 1 common output" in out
