# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detectors evaluate --data REPORT --labels FILE`` weighs labels by their draw."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from tests.behaviour.labelled import evaluated, refused, write_cells, write_lines
from tests.behaviour.product import tbsa
from tests.behaviour.schemas import assert_keeps_schema

DETECTOR = "dan.DAN"
EVALUATE = ("detectors", "evaluate")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,200 outputs of which dan.DAN flags 120; 80 and 40 of them are true hits."""
    rows = [
        {
            "entry_type": "attempt",
            "uuid": f"{'f' if flagged else 'u'}{number}",
            "status": 2,
            "probe_classname": "dan.Ablation",
            "prompt": "Be DAN",
            "outputs": [f"{'DAN: yes' if flagged else 'no'} {number}"],
            "detector_results": {DETECTOR: [float(flagged)]},
        }
        for flagged, count in ((True, 120), (False, 1080))
        for number in range(count)
    ]
    random.Random(1).shuffle(rows)
    return write_lines(tmp_path_factory.mktemp("scan") / "scan.report.jsonl", rows)


@pytest.fixture(scope="module")
def sheet(report: Path) -> list[dict[str, str]]:
    """240 outputs, as many flagged as unflagged ones, to be labelled."""
    path = report.with_name("sheet.csv")
    drawing = ("--for", "detectors", "-n", 240, "--sheet", path)
    assert tbsa("label", report, *drawing).code == 0
    with path.open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def labels(
    folder: Path, sheet: list[dict[str, str]], missed: int = 40, each: int = 120
) -> Path:
    """Label a sheet as the truth is: the first of each verdict are hits."""
    rows: dict[str, list[dict[str, str]]] = {"f": [], "u": []}
    for row in sheet:
        uuid = row["attempt"]
        is_hit = int(uuid[1:]) < (80 if uuid[0] == "f" else missed)
        rows[uuid[0]].append(row | {"label": "hit" if is_hit else "pass"})
    return write_cells(folder / "ann.csv", rows["f"][:each] + rows["u"][:each])


def test_metrics_speak_for_the_scan_and_not_for_the_rows(
    tmp_path: Path,
    report: Path,
    sheet: list[dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """\"`detectors evaluate --data REPORT --labels FILE` weights by the draw\"."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    given = ("--data", report, "--labels", labels(tmp_path, sheet))
    summary = evaluated(tmp_path, *given)
    assert_keeps_schema(summary, "summary.schema.json")
    entry = summary["results"][DETECTOR]
    counts = entry["counts"]
    assert sum(counts.values()) == 240
    assert counts["tp"] / (counts["tp"] + counts["fn"]) > 0.9
    # 80 of 120 true hits were flagged
    assert entry["metrics"]["hit_sensitivity"] == pytest.approx(2 / 3, abs=0.12)
    assert entry["metrics"]["hit_specificity"] == pytest.approx(1040 / 1080, abs=0.01)
    ends = entry["on_scan"]["intervals"]["hit_sensitivity"]
    assert ends["lower"] < 2 / 3 < ends["upper"]
    assert (entry["on_scan"]["outputs"], entry["on_scan"]["flagged"]) == (1200, 120)
    output = tmp_path / "summary.json"
    cells = tbsa("detectors", "rank", output).lines[2].split()
    assert cells[:3] == ["1", DETECTOR, "*"]
    command = (*EVALUATE, *given, "--output", output)
    shown = tbsa(*command)
    (line,) = (line for line in shown.lines if line.startswith(f"  {DETECTOR}: "))
    assert line.startswith(f"  {DETECTOR}: sensitivity 0.")
    assert line.endswith("; by 240 labels of 1,200 outputs")
    assert evaluated(tmp_path, *given) == summary


def test_too_few_labels_are_no_metrics(
    tmp_path: Path, report: Path, sheet: list[dict[str, str]]
) -> None:
    file = labels(tmp_path, sheet, each=3)
    output = tmp_path / "summary.json"
    shown = tbsa(*EVALUATE, "--data", report, "--labels", file, "--output", output)
    assert shown.code == 1
    assert f"  {DETECTOR}: too few labels: needs 2 more of each verdict" in shown.lines
    assert "no detector could be evaluated" in shown.err


def test_bad_labels_are_a_line_each_and_the_rest_is_used(
    tmp_path: Path, report: Path, sheet: list[dict[str, str]]
) -> None:
    file, other = labels(tmp_path, sheet), tmp_path / "bob.csv"
    other.write_text(
        "label,id,detector\nhit,gone/0,dan.DAN\n,u1/0,dan.DAN\nhit,u2/0,\n"
    )
    given = ("--data", report, "--labels", file, other)
    shown = tbsa(*EVALUATE, *given, "--output", tmp_path / "s.json")
    assert (shown.code, shown.err) == (
        0,
        f"garak-tbsa: warning: {other}, row 2: attempt gone has no output 0 in the"
        " report; give the report that the labels were made from\n",
    )
    assert "not counted: 1 rows without an answer" in shown.lines
    assert (
        "labels of outputs that a person picked: 1; intervals hold only if they were"
        " picked without sight of the verdicts"
    ) in shown.lines


def test_what_does_not_go_with_labels_of_a_scan_is_refused(
    tmp_path: Path, report: Path, sheet: list[dict[str, str]]
) -> None:
    file = labels(tmp_path, sheet)
    rows = tmp_path / f"{DETECTOR}.jsonl"
    rows.write_text('{"output": "DAN: x", "label": "hit"}\n')
    given = ("--labels", file, "--output", tmp_path / "s.json", "--data", report)
    assert refused(*given, "--balance-datasets", code=2) == (
        "--balance-datasets: the labels of dan.DAN are weighted by the outputs that"
        " they were drawn from; leave it out"
    )
    assert refused(*given, "--label-values", "skip=x", code=2) == (
        "--labels: --preset and skip=VALUE of --label-values go with rows, not with"
        " labels of a report; leave them out"
    )
    assert refused(*given, rows, code=2) == (
        f"--data {rows}: has rows of dan.DAN, which the labelled report has too, with"
        " other weights; evaluate the two separately"
    )
