# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``label``: what its page shows of any report, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.judged import answer, attempt_of, write_scan
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import GOLD, rows_of, tbsa
from tests.html_pages import Page, assert_harmless
from tests.labels.served import Served
from tests.report_rows import PairFacts

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[2J\u202e"
    "{{7*7}} [link=http://x]y[/link] [/foo] :skull: | `x` \u2066z"
)
SHOWN = HOSTILE.encode("unicode_escape").decode()
HOSTILE_PAIR = PairFacts(probe=f"dan.{HOSTILE}", detector=HOSTILE, passed=4, total=8)


def hostile(path: Path) -> Path:
    def text(_: PairFacts, n: int) -> str:
        return f"{HOSTILE} end of {n}"

    return write_scan(path, [HOSTILE_PAIR], text=text, prompt=HOSTILE, goal=HOSTILE)


def sheet_of(report: Path, *options: object) -> list[dict[str, str]]:
    path = report.parent / "sheet.csv"
    path.unlink(missing_ok=True)
    assert tbsa("label", report, "--sheet", path, *options).code == 0
    with path.open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return write_scan(tmp_path / "x.report.jsonl")


def test_rules_are_those_of_what_a_detector_looks_for(tmp_path: Path) -> None:
    """A judge of refusals looks for what the detector of refusals looks for."""
    rules = {}
    for name in ("mitigation.MitigationBypass", "judge.Refusal", "dan.DAN"):
        facts = PairFacts(detector=name, passed=4, total=8)
        report = write_scan(tmp_path / f"{name}.report.jsonl", [facts])
        (rules[name],) = {row["rule"] for row in sheet_of(report)}
    assert rules["judge.Refusal"] == rules["mitigation.MitigationBypass"]
    assert rules["judge.Refusal"] != rules["dan.DAN"]


def test_the_page_runs_its_own_script_alone_and_any_text_is_visible_text(
    tmp_path: Path,
) -> None:
    """What is shown has no control character; ids come back as they are."""
    report = hostile(tmp_path / "x.report.jsonl")
    with Served(report, "--rater", HOSTILE) as served:
        page = Page(served.request().body.decode())
        assert_harmless(page, is_asking=True)
        assert page.addresses == set()
        fields = [attributes for tag, attributes in page.tags if tag == "input"]
        assert fields[0]["value"] == SHOWN
        question = served.ask("show")["question"]
        for name, shown in question.items():
            for text in shown if name == "rule" else [shown]:
                assert text.isprintable()
                assert SHOWN in text
        served.answer("hit")
    (row,) = rows_of(tmp_path / "x.labels.jsonl")
    ids = (row["attempt"], row["detector"])
    assert ids == (attempt_of(HOSTILE_PAIR), HOSTILE)


def test_no_text_and_a_very_long_one(tmp_path: Path) -> None:
    """Long texts lose their middle."""
    facts = PairFacts(detector="dan.DAN", passed=1, total=3)
    report = write_scan(tmp_path / "x.report.jsonl", [facts])
    rows = rows_of(report)
    (attempt,) = (row for row in rows if row["entry_type"] == "attempt")
    attempt["outputs"] = [None, {"text": "x" * 1_000_000}, {"text": "y" * 250}]
    write_lines(report, rows)
    texts: dict[int, Any] = {}
    with Served(report) as served:
        # half of the outputs have more characters than the middle one
        assert (
            "60 labels take about 20 minutes: half of the outputs have more than 250"
            " characters"
        ) in served.request().body.decode()
        for number in range(3):
            text = served.ask("show")["question"]["text"]
            served.answer("pass")
            texts[rows_of(tmp_path / "x.labels.jsonl")[number]["output_index"]] = text
    assert (texts[0], texts[2]) == (None, "y" * 250)
    assert "…[1,000,000 characters]…" in texts[1]
    assert len(texts[1]) < 100_050


def test_the_page_tells_no_verdict(report: Path) -> None:
    with Served(report) as served:
        text = Page(served.request().body.decode()).text.lower()
        shown = served.ask("show")
    del shown["command"]
    assert "score" not in json.dumps(shown)
    for word in ("flagged", "verdict", "detector_results", "threshold"):
        assert word not in text
        assert word not in json.dumps(shown).lower()


def test_what_is_labelled_can_be_chosen(report: Path, tmp_path: Path) -> None:
    rows = sheet_of(report, "--for", "score", "--detector", "web.D")
    assert {row["detector"] for row in rows} == {"web.D"}
    assert len(rows) == 20
    rows = sheet_of(report, "--probe", "enc.B64", "-n", 7)
    assert {row["probe"] for row in rows} == {"enc.B64"}
    assert len(rows) == 7
    orders = {
        json.dumps([row["output_index"] for row in sheet_of(report, "--seed", seed)])
        for seed in (1, 2, 1)
    }
    assert len(orders) == 2
    for option, name, detector in (
        ("--detector", "web.D", "web.D"),
        ("--probe", "enc.B64", "enc.D"),
    ):
        log = tmp_path / f"{detector}.jsonl"
        with Served(report, option, name, "-n", 20, "--labels", log) as served:
            served.answer(*["pass"] * 20)
        assert {row["detector"] for row in rows_of(log)} == {detector}


def test_hostile_labels_reach_no_terminal(tmp_path: Path) -> None:
    report = hostile(tmp_path / "h.report.jsonl")
    rows = [
        answer(HOSTILE_PAIR, n, "pass", rater=HOSTILE, note=HOSTILE) for n in range(8)
    ]
    rows.append(answer(HOSTILE_PAIR, 0, "hit", detector=f"{HOSTILE}\n::error::x"))
    labels = write_lines(tmp_path / "h.jsonl", rows)
    page = tmp_path / "a.html"
    shown = tbsa("audit", report, "--labels", labels, "--html", page)
    assert shown.code == 0
    said = (shown.out + shown.err).replace("\n", "")
    assert not set("\x1b\u202e\u2066") & set(said)
    assert "\n::error" not in shown.out + shown.err
    assert shown.err.count("\n") == 1
    assert "alert(1)</script>" not in page.read_text("utf-8")


BAD: list[tuple[tuple[str, ...], int, str]] = [
    (
        ("-",),
        2,
        "-: is read several times; give a report's path",
    ),
    (
        ("{folder}",),
        1,
        "{folder}: is a folder; name a report in it",
    ),
    (
        ("{report}", "--labels", "{folder}"),
        1,
        "{folder}: is not a file; give --labels the path of a file",
    ),
    (
        ("{report}", "--labels", "{folder}/sheet.csv"),
        1,
        "{folder}/sheet.csv: does not hold answers of `label`, so none can be"
        " appended; give --labels another path (audit takes several files of labels)",
    ),
    (
        ("{report}", "--probe", "dan.DUDE"),
        1,
        "{report}: --probe dan.DUDE: not in this report; it has dan.One, enc.B64,"
        " web.Xss",
    ),
    (
        ("{report}", "--detector", "dan.DAN", "--probe", "enc.B64"),
        1,
        "{report}: no output of --probe enc.B64 was judged by --detector dan.DAN;"
        " leave one of them out",
    ),
    (
        ("{thinned}",),
        1,
        "{thinned}: none of its pairs can be audited; of"
        " ansiescape.AnsiRaw+ansiescape.Raw, the report has 0 of its 58 outputs; give"
        " the report as garak wrote it, with all attempts",
    ),
    (
        ("{report}", "--sheet", "{report}"),
        2,
        "--sheet {report}: would overwrite the input {report}; give each output a path"
        " of its own",
    ),
    (
        ("{report}", "--sheet", "{new}", "--for", "score", "--detector", "dan.DUDE"),
        1,
        "{report}: --detector dan.DUDE: not in this report; it has dan.DAN, enc.D,"
        " web.D",
    ),
]


def test_what_cannot_be_labelled_is_one_line(report: Path) -> None:
    """Nothing is written, and no input is touched."""
    before = report.read_bytes()
    sheet = report.parent / "sheet.csv"
    sheet.write_text("label,attempt,output_index,detector\r\nhit,u,0,dan.DAN\r\n")
    places = {
        "report": str(report),
        "folder": str(report.parent),
        "new": str(report.parent / "new.csv"),
        "thinned": str(GOLD / "garak-0.17.1.report.jsonl"),
    }
    for arguments, code, message in BAD:
        shown = tbsa("label", *(each.format(**places) for each in arguments))
        said = f"garak-tbsa: {message.format(**places)}"
        assert (shown.code, shown.error) == (code, said)
    assert {path.name for path in report.parent.iterdir()} == {report.name, sheet.name}
    assert report.read_bytes() == before
