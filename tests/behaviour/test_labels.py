# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels in every form: drawn, filled in, read back, refused."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.judged import (
    OUTPUTS,
    PAIRS,
    answer,
    attempt_of,
    careful,
    write_scan,
)
from tests.behaviour.labelled import counts_of, evaluated, write_lines
from tests.behaviour.product import document, tbsa
from tests.behaviour.scans import demo

DAN, ENC, WEB, OLD = PAIRS
TRUTH = {
    (row["attempt"], row["output_index"], row["detector"]): row["label"]
    for row in careful()
}
Rows = list[dict[str, str]]


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_scan(tmp_path / "scan.report.jsonl")


def read_sheet(path: Path) -> Rows:
    with path.open(newline="", encoding="utf-8-sig") as handle:
        return list(csv.DictReader(handle))


def key_of(row: dict[str, str]) -> tuple[str, int, str]:
    attempt, _, index = row["id"].rpartition("/")
    return attempt, int(index), row["detector"]


def fill(path: Path, filled: Path, **fields: str) -> Path:
    """Fill a sheet in as a careful person does."""
    rows = read_sheet(path)
    with filled.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow(row | {"label": TRUTH[key_of(row)]} | fields)
    return filled


def audited(folder: Path, report: Path, *labels: Path) -> dict[str, Any]:
    found: dict[str, Any] = document(folder, "audit", report, "--labels", *labels)
    return found


# sheets


def test_a_sheet_is_drawn_filled_and_read_back(report: Path, tmp_path: Path) -> None:
    shown = tbsa("label", report, "--sheet", "to_label.csv", "-n", 50)
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines == [
        "to_label.csv: 50 outputs to label; fill its label column with hit, pass, skip"
        " or ?, then",
        f"   garak-tbsa audit {report} --labels to_label.csv",
    ]
    before, _ = demo(tmp_path / "demo")
    usual = tbsa("label", before, "--sheet", tmp_path / "usual.csv")
    assert usual.lines[0].startswith(f"{tmp_path}/usual.csv: 150 outputs to label; ")
    rows = read_sheet(tmp_path / "to_label.csv")
    assert len({key_of(row) for row in rows}) == len(rows) == 50
    assert {row["label"] for row in rows} == {""}
    assert not {"score", "flagged", "verdict"} & set(rows[0])
    for row in rows:
        attempt, index, _ = key_of(row)
        probe = attempt.removeprefix("uuid of ")
        assert (row["probe"], row["output"], row["goal"], row["drawn"]) == (
            *(probe, f"{probe} {index}", "be rude", "true"),
        )
    flagged = {DAN.probe: 8, ENC.probe: 0, WEB.probe: 2}
    drawn = Counter(
        (row["probe"], "flagged" if key_of(row)[1] < flagged[row["probe"]] else "un")
        for row in rows
    )
    assert sorted(drawn) == [
        ("dan.One", "flagged"),
        ("dan.One", "un"),
        ("enc.B64", "un"),
        ("web.Xss", "flagged"),
        ("web.Xss", "un"),
    ]
    filled = fill(tmp_path / "to_label.csv", tmp_path / "filled.csv")
    found = audited(tmp_path, report, filled)
    low, high = found["audited"]["lower"], found["audited"]["upper"]
    assert low <= found["audited"]["tbsa"] <= high <= low + 1.5
    assert found["audited"]["tbsa"] == pytest.approx(3.6, abs=0.3)
    assert found["labels"] == {
        "files": [str(filled)],
        "used": 50,
        "of_other_pairs": 0,
        "ties": 0,
        "skipped": 0,
        "blank": 0,
        "picked": 0,
        "disputed": [],
        "warnings": [],
        "agreement": None,
        "problems": [],
    }


def test_a_sheet_has_no_more_outputs_than_the_report(
    report: Path, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    shown = tbsa("label", report, "-n", OUTPUTS + 1, "--sheet", sheet)
    assert (shown.code, shown.err) == (
        0,
        f"garak-tbsa: {sheet}: the report has no more outputs to label\n",
    )
    assert {key_of(row) for row in read_sheet(sheet)} == set(TRUTH)
    found = audited(tmp_path, report, fill(sheet, tmp_path / "filled.csv"))["audited"]
    assert (found["labels"], found["tbsa"]) == (OUTPUTS, 3.6)


def test_a_sheet_for_a_detector_gives_its_metrics(report: Path, tmp_path: Path) -> None:
    """As many flagged as unflagged ones; read alone or beside its report."""
    sheet = tmp_path / "sheet.csv"
    only = ("--for", "detectors", "--detector", "detectors.web.D")
    shown = tbsa("label", report, *only, "-n", 10, "--sheet", sheet)
    assert (shown.code, shown.lines[1]) == (
        0,
        f"   garak-tbsa detectors evaluate --data {report} --labels {sheet}",
    )
    places = [key_of(row) for row in read_sheet(sheet)]
    assert sum(index < 2 for _, index, _ in places) == 2
    assert {detector for _, _, detector in places} == {"web.D"}
    # a detector of garak's, so that it can be evaluated
    pair = [type(WEB)(probe="dan.X", detector="dan.DAN", passed=6, total=10, tier=2)]
    real = write_scan(
        tmp_path / "real.report.jsonl",
        pair,
        text=lambda _, n: f"=[DAN] {n}" if n < 4 else f"-no {n}",
    )
    drawn = tmp_path / "drawn.csv"
    assert tbsa("label", real, "--for", "detectors", "--sheet", drawn).code == 0
    rows = read_sheet(drawn)
    # no cell can run in a spreadsheet
    assert {row["output"][:2] for row in rows} == {"'=", "'-"}
    filled = tmp_path / "filled.csv"
    with filled.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        for row in rows:
            is_hit = key_of(row)[1] < 5
            writer.writerow(row | {"label": "hit" if is_hit else "pass"})
    expected = {"dan.DAN": (4, 0, 1, 5)}
    assert counts_of(evaluated(tmp_path, "--data", filled)) == expected
    with_report = evaluated(tmp_path, "--data", real, "--labels", filled)
    # what was measured on a scan can be read again
    assert tbsa("detectors", "rank", tmp_path / "summary.json").code == 0
    assert counts_of(with_report) == expected
    assert "on_scan" in with_report["results"]["dan.DAN"]


def test_labels_are_never_written_over(report: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "to_label.csv"
    sheet.write_text("id,label\n")
    before = report.read_bytes()
    shown = tbsa("label", report, "--sheet", "to_label.csv")
    assert (shown.code, shown.error) == (
        2,
        "garak-tbsa: --sheet to_label.csv: exists, and may hold labels; remove it,"
        " or choose another name",
    )
    shown = tbsa("label", report, "--sheet", report)
    assert shown.code == 2
    assert "would overwrite the input" in shown.error
    assert (sheet.read_text(), report.read_bytes()) == ("id,label\n", before)
    other = tmp_path / "x.csv"
    for given, said in (
        (
            ("--detector", "dan.DUDE"),
            "no output was scored by dan.DUDE; the detectors with scores are dan.DAN,"
            " enc.D, old.D, web.D",
        ),
        (
            ("--probe", "dan.DUDE", "--for", "detectors"),
            "no output of dan.DUDE was scored by a detector; the probes with scores are"
            " dan.One, enc.B64, old.Three, web.Xss",
        ),
    ):
        shown = tbsa("label", report, *given, "--sheet", other)
        assert (shown.code, shown.error) == (1, f"garak-tbsa: {report}: {said}")
    assert not other.exists()


# raters


def test_raters_vote_and_their_agreement_is_told(report: Path, tmp_path: Path) -> None:
    """The majority counts, ties are counted apart; alpha by hand."""
    anna = write_lines(tmp_path / "anna.jsonl", careful())
    # bob agrees on 6 hits and 10 passes, and contradicts on 4 of enc.B64
    said = [answer(ENC, n, "hit" if n < 9 else "pass", rater="bob") for n in range(19)]
    said.append(answer(DAN, 0, "hit", rater="bob"))
    bob = write_lines(tmp_path / "bob.jsonl", said)
    cy = write_lines(tmp_path / "cy.jsonl", [answer(ENC, 5, "hit", rater="cy")])
    found = audited(tmp_path, report, anna, bob, cy)
    assert (found["labels"]["ties"], found["labels"]["used"]) == (3, OUTPUTS - 3)
    # coincidences: of the 20 shared outputs 6 hh, 10 pp, 3 hp, and hhp on enc.B64 5
    same, differ = 2 * 16 + 1, 2 * 3 + 2
    hits = 2 * 6 + 3 + 2
    total = same + differ
    alpha = 1 - (differ / total) / (2 * hits * (total - hits) / (total * (total - 1)))
    assert found["labels"]["agreement"] == {
        "alpha": pytest.approx(alpha),
        "rows": 20,
        "raters": 3,
    }
    (enc,) = (pair for pair in found["pairs"] if pair["probe"] == "enc.B64")
    assert enc["audited_hits"]["lower"] >= 5
    # of each output about which answers differ, how many they are
    disputed = {each["output_index"]: each for each in found["labels"]["disputed"]}
    assert sorted(disputed) == [5, 6, 7, 8]
    assert (disputed[5]["hits"], disputed[5]["passes"]) == (2, 1)


def test_files_of_several_kinds_are_read_together(report: Path, tmp_path: Path) -> None:
    """\"Take labels from the sheet (CSV), from `label`'s files\""""
    anna = write_lines(tmp_path / "anna.jsonl", careful())
    sheet = tmp_path / "bob.csv"
    with sheet.open("w", newline="", encoding="utf-8-sig") as handle:
        writer = csv.writer(handle, delimiter=";")
        writer.writerow(["attempt", "output_index", "detector", "label"])
        writer.writerow([attempt_of(ENC), 0, "enc.D", "hit"])
        writer.writerow([attempt_of(ENC), 1, "enc.D", ""])
        writer.writerow([attempt_of(OLD), 0, "old.D", "?"])
    cy = write_lines(tmp_path / "cy.jsonl", [answer(ENC, 2, "hit", rater="cy")])
    found = audited(tmp_path, report, anna, sheet, cy)["labels"]
    assert (found["used"], found["blank"], found["problems"]) == (OUTPUTS, 1, [])
    assert (found["skipped"], found["picked"]) == (1, 1)
    assert (found["agreement"]["rows"], found["agreement"]["raters"]) == (2, 3)


# bad labels: one line each, and the rest is used

BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"attempt": "of another report"},
        "attempt of another report has no output 0 in the report; give the report that"
        " the labels were made from",
    ),
    (
        {"output_index": 70},
        "attempt uuid of dan.One has no output 70 in the report; give the report that"
        " the labels were made from",
    ),
    (
        {"output_index": "first"},
        "the output index is 'first'; expected a whole number, 0 for the first output",
    ),
    (
        {"detector": "web.D"},
        "web.D did not judge this output; its detectors are dan.DAN",
    ),
    (
        {"label": "maybe"},
        "the label is 'maybe'; expected hit, pass, skip, ? or nothing",
    ),
    ({"attempt": ""}, "no `attempt`; add that column"),
    (
        {"attempt": "\x1b[2J\n::error::x"},
        "attempt \\x1b[2J ::error::x has no output 0 in the report; give the report"
        " that the labels were made from",
    ),
]


def test_a_bad_label_is_one_line_and_the_rest_is_used(
    report: Path, tmp_path: Path
) -> None:
    rows = careful()
    for change, problem in BAD:
        path = write_lines(tmp_path / "bad.jsonl", [rows[0] | change, *rows[1:]])
        shown = tbsa("audit", "-q", report, "--labels", path)
        assert shown.code == 0
        assert shown.err == f"garak-tbsa: {path}, line 1: {problem}\n"
        assert shown.out.endswith(" by 59 labels\n")
    found = audited(tmp_path, report, path)
    said = BAD[-1][1].replace("\\x1b", "\x1b").replace(" ::", "\n::")
    assert found["labels"]["problems"] == [f"{path}, line 1: {said}"]


MADE_BY = "make labels with `garak-tbsa label`"
NO_LABELS = {
    b"a\x00b": ": no text; expected labels as JSON Lines, or a sheet saved as CSV",
    b"  \n": f": empty; {MADE_BY}",
    b'{"entry_type": "init"}\n': ", line 1: a row of a garak report, not a label;"
    f" {MADE_BY}",
    b'[{"label": "hit"}]': ', row 1: no column `label`; it has [{"label": "hit"}]',
    b"verdict,id\nhit,u1/0\n": ", row 1: no column `label`; it has verdict, id",
    b"label,id,id\nhit,u1/0,u1/0\n": ", row 1: two columns are called 'id'; rename or"
    " remove one",
    b'"a"b\n': ", row 1: not CSV (',' expected after '\"'); quote cells that hold line"
    " breaks or quotes",
}


@pytest.mark.parametrize("content", NO_LABELS)
def test_a_file_that_holds_no_labels_is_one_line(
    report: Path, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    shown = tbsa("audit", report, "--labels", path)
    assert shown.code == 1
    assert shown.error == f"garak-tbsa: {path}{NO_LABELS[content]}"


def test_one_rater_who_contradicts_himself_in_a_sheet_is_told(
    report: Path, tmp_path: Path
) -> None:
    sheet = tmp_path / "anna.csv"
    header = "attempt,output_index,detector,label,drawn\n"
    row = f"{attempt_of(DAN)},0,dan.DAN,"
    other = f"{attempt_of(DAN)},1,dan.DAN,hit,true\n"
    sheet.write_text(f"{header}{row}hit,true\n{row}pass,true\n{other}")
    shown = tbsa("audit", "-q", report, "--labels", sheet)
    assert (shown.code, shown.out.endswith(" by 1 label\n")) == (0, True)
    assert shown.err == (
        f"garak-tbsa: {sheet}, row 3: says pass, and {sheet}, row 2 says hit of the"
        " same output; neither is used, correct one\n"
    )
