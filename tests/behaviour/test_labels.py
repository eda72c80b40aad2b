# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels in every form: drawn, filled in, read back, refused."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

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
    shown = tbsa("detectors", "sample", report, "-n", 50)
    assert (shown.code, shown.err) == (0, "")
    assert shown.lines[0] == "50 of 60 outputs, from 5 of 5 strata: to_label.csv"
    assert shown.lines[-1] == f"  garak-tbsa audit {report} --labels to_label.csv"
    before, _ = demo(tmp_path / "demo")
    usual = tbsa("detectors", "sample", before, "--output", tmp_path / "usual.csv")
    assert usual.lines[0].startswith("150 of 317 outputs, ")
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
    strata = read_sheet(tmp_path / "to_label.cells.csv")
    assert [
        (x["probe"], x["detector"], x["verdict"], x["outputs"]) for x in strata
    ] == [
        ("dan.One", "dan.DAN", "flagged", "8"),
        ("dan.One", "dan.DAN", "unflagged", "12"),
        ("enc.B64", "enc.D", "unflagged", "20"),
        ("web.Xss", "web.D", "flagged", "2"),
        ("web.Xss", "web.D", "unflagged", "18"),
    ]
    flagged = {DAN.probe: 8, ENC.probe: 0, WEB.probe: 2}
    drawn = Counter(
        (row["probe"], "flagged" if key_of(row)[1] < flagged[row["probe"]] else "un")
        for row in rows
    )
    for stratum in strata:
        verdict = "flagged" if stratum["verdict"] == "flagged" else "un"
        assert drawn[stratum["probe"], verdict] == int(stratum["drawn"]) > 0
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


def test_what_is_labelled_is_not_drawn_again(report: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    assert tbsa("detectors", "sample", report, "-n", 40, "--output", first).code == 0
    filled = fill(first, tmp_path / "filled.csv")
    again = ("detectors", "sample", report, "-n", 30, "--labels", filled)
    shown = tbsa(*again, "--output", second)
    assert shown.lines[0].startswith("20 of 60 outputs (the report has no more)")
    assert shown.lines[-1].endswith(f"--labels {filled} {second}")
    drawn = [{key_of(row) for row in read_sheet(path)} for path in (first, second)]
    assert drawn[0] | drawn[1] == set(TRUTH)
    assert not drawn[0] & drawn[1]
    rest = fill(second, tmp_path / "rest.csv")
    nothing = tbsa(*again, rest, "--output", tmp_path / "third.csv")
    assert nothing.code == 1
    assert nothing.err.endswith("that could be drawn is labelled already\n")
    all_of_it = audited(tmp_path, report, filled, rest)
    assert all_of_it["audited"]["labels"] == OUTPUTS
    assert all_of_it["audited"]["tbsa"] == 3.6


def test_a_sheet_for_a_detector_gives_its_metrics(report: Path, tmp_path: Path) -> None:
    """As many flagged as unflagged ones; read alone or beside its report."""
    sheet = tmp_path / "sheet.csv"
    only = ("--for", "detectors", "--detector", "detectors.web.D")
    shown = tbsa("detectors", "sample", report, *only, "-n", 10, "--output", sheet)
    assert shown.lines[0] == f"10 of 20 outputs, from 2 of 2 strata: {sheet}"
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
    made = ("detectors", "sample", real, "--for", "detectors", "--output", drawn)
    assert tbsa(*made).code == 0
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


def test_label_studio_gets_tasks_and_its_export_is_read(
    report: Path, tmp_path: Path
) -> None:
    tasks = tmp_path / "tasks.json"
    shown = tbsa("detectors", "sample", report, "--label-studio", tasks)
    assert shown.lines[0] == (
        f"60 of 60 outputs (the report has no more), from 5 of 5 strata: {tasks}"
    )
    config = ElementTree.parse(tmp_path / "tasks.config.xml").getroot()
    (choices,) = config.iter("Choices")
    values = [choice.get("value") for choice in choices]
    assert {"hit", "pass"} <= set(values)
    exported = json.loads(tasks.read_text("utf-8"))
    shows = {each.get("value", "")[1:] for each in config.iter() if each.get("value")}
    assert {"output", "prompt"} <= shows & set(exported[0]["data"])
    for task in exported:
        data = task["data"]
        label = TRUTH[data["attempt"], int(data["output_index"]), data["detector"]]
        said = {
            "type": "choices",
            "from_name": choices.get("name"),
            "value": {"choices": [label]},
        }
        task["annotations"] = [{"completed_by": 7, "result": [said]}]
    export = tmp_path / "export.json"
    export.write_text(json.dumps(exported), encoding="utf-8")
    found = audited(tmp_path, report, export)
    assert (found["audited"]["tbsa"], found["audited"]["labels"]) == (3.6, OUTPUTS)
    assert found["labels"]["picked"] == 0


def test_labels_are_never_written_over(report: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "to_label.csv"
    sheet.write_text("id,label\n")
    before = report.read_bytes()
    shown = tbsa("detectors", "sample", report)
    assert (shown.code, shown.error) == (
        1,
        "garak-tbsa: to_label.csv: exists, and may hold labels; remove it, or choose"
        " another name",
    )
    for output, labels in ((sheet, ("--labels", sheet)), (report, ())):
        given = (*labels, "--output", output)
        shown = tbsa("detectors", "sample", report, *given)
        assert shown.code == 2
        assert "would overwrite the input" in shown.error
    shown = tbsa("detectors", "sample", report, "--detector", "dan.DUDE", "-n", 3)
    assert (sheet.read_text(), report.read_bytes()) == ("id,label\n", before)
    other = tmp_path / "x.csv"
    given = ("--detector", "dan.DUDE", "--output", other)
    shown = tbsa("detectors", "sample", report, *given)
    assert (shown.code, shown.error) == (
        1,
        f"garak-tbsa: {report}: no output was scored by dan.DUDE; the detectors with"
        " scores are dan.DAN, enc.D, old.D, web.D",
    )
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
    """\"Take labels from the sheet (CSV), from `label`'s files, and from ...\""""
    anna = write_lines(tmp_path / "anna.jsonl", careful())
    sheet = tmp_path / "bob.csv"
    with sheet.open("w", newline="", encoding="utf-8-sig") as handle:
        writer = csv.writer(handle, delimiter=";")
        writer.writerow(["attempt", "output_index", "detector", "label"])
        writer.writerow([attempt_of(ENC), 0, "enc.D", "hit"])
        writer.writerow([attempt_of(ENC), 1, "enc.D", ""])
        writer.writerow([attempt_of(OLD), 0, "old.D", "?"])
    studio = tmp_path / "cy.json"
    task = {"attempt": attempt_of(ENC), "output_index": 2, "detector": "enc.D"}
    studio.write_text(json.dumps([{**task, "label": "hit", "drawn": "true"}]))
    found = audited(tmp_path, report, anna, sheet, studio)["labels"]
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


MADE_BY = "make labels with `garak-tbsa label` or `garak-tbsa detectors sample`"
NO_LABELS = {
    b"PK\x03\x04": ": a workbook; save the sheet as CSV (UTF-8) and give that file",
    b"a\x00b": ": no text; expected labels as JSON Lines, as CSV, or as Label Studio's"
    " JSON export",
    b"  \n": f": empty; {MADE_BY}",
    b'{"entry_type": "init"}\n': ", line 1: a row of a garak report, not a label;"
    f" {MADE_BY}",
    b"[{": ": looks like Label Studio's JSON export and is not valid JSON, perhaps cut"
    " off; export it again",
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
