# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``detectors evaluate --data REPORT --labels FILE`` weighs labels by their draw."""

from __future__ import annotations

import json
import random
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from garak_tbsa.cli.main import INTERRUPTED, main
from garak_tbsa.detector_eval.installed import refusal
from garak_tbsa.detector_eval.summary_file import read_summary
from garak_tbsa.labels.sample import draw
from garak_tbsa.labels.scan import read_outputs
from tests.factories import write_report

DETECTOR = "dan.DAN"
FLAGGED, UNFLAGGED = 120, 1080
FOUND = 80


@pytest.fixture
def report(tmp_path: Path) -> str:
    """1,200 outputs of which dan.DAN flags 120; 80 and 40 of them are true hits."""
    rows: list[object] = [
        {
            "entry_type": "attempt",
            "uuid": f"{'f' if flagged else 'u'}{number}",
            "status": 2,
            "probe_classname": "dan.Ablation",
            "prompt": "Be DAN",
            "outputs": [f"{'DAN: yes' if flagged else 'no'} {number}"],
            "detector_results": {DETECTOR: [float(flagged)]},
        }
        for flagged, count in ((True, FLAGGED), (False, UNFLAGGED))
        for number in range(count)
    ]
    random.Random(1).shuffle(rows)
    return write_report(tmp_path / "scan.report.jsonl", rows)


def labels(folder: Path, report: str, count: int, missed: int = 40) -> str:
    """Label a sample as the truth is: the first of each verdict are hits."""
    lines = []
    drawn = draw(read_outputs(report, 0.5), count)
    for question in drawn.questions:
        uuid = question.place.attempt
        is_hit = int(uuid[1:]) < (FOUND if uuid[0] == "f" else missed)
        line = {
            "attempt": uuid,
            "output_index": 0,
            "detector": DETECTOR,
            "label": "hit" if is_hit else "pass",
            "rater": "ann",
            "drawn": True,
        }
        lines.append(json.dumps(line))
    path = folder / "scan.labels.jsonl"
    path.write_text("\n".join(lines))
    return str(path)


def evaluate(tmp_path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    output = tmp_path / "s.json"
    command = ["detectors", "evaluate", *arguments, "--output", str(output)]
    code = main(command)
    return code, json.loads(output.read_text())


def test_metrics_speak_for_the_scan_and_not_for_the_rows(
    tmp_path: Path, report: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """\"`detectors evaluate --data REPORT --labels FILE` weights by the draw\"."""
    file = labels(tmp_path, report, 240)
    code, summary = evaluate(tmp_path, "--data", report, "--labels", file)
    assert code == 0
    entry = summary["results"][DETECTOR]
    assert sum(entry["counts"].values()) == 240
    counts = entry["counts"]
    alike = counts["tp"] / (counts["tp"] + counts["fn"])
    assert alike > 0.9
    # 80 of 120 true hits were flagged
    assert entry["metrics"]["hit_sensitivity"] == pytest.approx(2 / 3, abs=0.12)
    assert entry["metrics"]["hit_specificity"] == pytest.approx(1040 / 1080, abs=0.01)
    ends = entry["on_scan"]["intervals"]["hit_sensitivity"]
    assert ends["lower"] < 2 / 3 < ends["upper"]
    assert (entry["on_scan"]["outputs"], entry["on_scan"]["flagged"]) == (1200, 120)
    said = capsys.readouterr().out
    assert f"  {DETECTOR}: sensitivity 0." in said
    assert "; by 240 labels of 1,200 outputs\n" in said
    schema = files("garak_tbsa").joinpath("schemas/summary.schema.json")
    jsonschema.validate(summary, json.loads(schema.read_text(encoding="utf-8")))


def test_the_summary_is_read_back(tmp_path: Path, report: str) -> None:
    file = labels(tmp_path, report, 240)
    evaluate(tmp_path, "--data", report, "--labels", file, "-q")
    measured = read_summary(str(tmp_path / "s.json")).measured[DETECTOR]
    assert measured.counts is None
    assert measured.drawn is not None
    assert measured.youden is not None
    assert measured.interval is not None
    assert measured.drawn.scored == 240
    assert refusal(measured) is None
    assert main(["detectors", "rank", str(tmp_path / "s.json")]) == 0


def test_installing_asks_for_the_interval_on_the_scan(
    tmp_path: Path, report: str
) -> None:
    """The refusals stay: 20 labels of a kind, and a divisor that is clear of 0.2."""
    file = labels(tmp_path, report, 240, missed=700)
    evaluate(tmp_path, "--data", report, "--labels", file, "-q")
    reason = refusal(read_summary(str(tmp_path / "s.json")).measured[DETECTOR])
    assert reason is not None
    assert reason.startswith("has a sensitivity + specificity - 1 of ")
    assert reason.endswith(", more than 0.2 needed")


def test_too_few_labels_are_no_metrics(
    tmp_path: Path, report: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = labels(tmp_path, report, 6)
    code, summary = evaluate(tmp_path, "--data", report, "--labels", file)
    assert code == 1
    assert summary["metadata"]["errors"] == [
        {
            "detector": DETECTOR,
            "reason": "too few labels: needs 2 more of each verdict",
        }
    ]
    assert "no detector could be evaluated" in capsys.readouterr().err


def test_bad_labels_are_a_line_each_and_the_rest_is_used(
    tmp_path: Path, report: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path(labels(tmp_path, report, 240))
    other = tmp_path / "bob.csv"
    other.write_text(
        "label,id,detector\nhit,gone/0,dan.DAN\n,u1/0,dan.DAN\nhit,u2/0,\n"
    )
    arguments = ["--data", report, "--labels", str(file), str(other)]
    code, _ = evaluate(tmp_path, *arguments)
    assert code == 0
    said = capsys.readouterr()
    assert said.err == (
        f"garak-tbsa: warning: {other}, row 2: attempt gone has no output 0 in the"
        " report; give the report that the labels were made from\n"
    )
    assert "not counted: 1 rows without an answer\n" in said.out
    assert (
        "labels of outputs that a person picked: 1; intervals hold only if they"
        " were picked without sight of the verdicts\n"
    ) in said.out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ["--balance-datasets"],
            "--balance-datasets: the labels of dan.DAN are weighted by the outputs that"
            " they were drawn from; leave it out",
        ),
        (
            ["--skip-label", "x"],
            "--labels: --preset, --skip-label, --label-threshold, --raters and"
            " --ids-per-file go with rows that others published, not with labels of a"
            " report; leave them out",
        ),
        (
            ["--data", "{rows}"],
            "--data {rows}: has rows of dan.DAN, which the labelled report has too,"
            " with other weights; evaluate the two separately",
        ),
    ],
)
def test_what_does_not_go_with_labels_of_a_scan(
    tmp_path: Path,
    report: str,
    more: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = tmp_path / "dan.DAN.jsonl"
    rows.write_text('{"output": "DAN: x", "label": "hit"}\n')
    file = labels(tmp_path, report, 60)
    data = [report]
    if more[0] == "--data":
        data.append(str(rows))
        more = []
    command = ["detectors", "evaluate", "--data", *data, "--labels", file, *more]
    assert main([*command, "--output", str(tmp_path / "s.json")]) == 2
    assert capsys.readouterr().err == (f"garak-tbsa: {message.format(rows=rows)}\n")


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_evaluation_goes_on_with_its_strata(
    tmp_path: Path, report: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = labels(tmp_path, report, 240)
    arguments = ["--data", report, "--labels", file, "-q"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    with monkeypatch.context() as patched:
        patched.setattr("garak_tbsa.api.evaluating.summary_document", interrupted)
        command = ["detectors", "evaluate", *arguments]
        code = main([*command, "--output", str(tmp_path / "s.json")])
        assert code == INTERRUPTED
    assert (tmp_path / "s.json.unfinished").exists()
    _, resumed = evaluate(tmp_path, *arguments)
    _, whole = evaluate(tmp_path, *arguments, "--start-over")
    assert resumed == whole


def test_explain_says_that_its_rows_count_alike(
    tmp_path: Path, report: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = labels(tmp_path, report, 60)
    command = ["detectors", "explain", DETECTOR, "--data", report, "--labels", file]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith(
        "note: here all labelled outputs of a scan count equally; `garak-tbsa detectors"
        " evaluate` weights them by how they were drawn\n"
    )
