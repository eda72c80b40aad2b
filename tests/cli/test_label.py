# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label`` in a pseudo-terminal, as a person uses it."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from garak_tbsa import cli
from garak_tbsa.cli import label, label_screen
from garak_tbsa.cli.main import main
from garak_tbsa.errors import ReportError
from tests.factories import PairFacts
from tests.label_audit.reports import PAIRS, full_report
from tests.pseudo_terminal import PseudoTerminal

READY = "h hit  p pass"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl")


def labels_of(report: Path) -> list[dict[str, Any]]:
    path = report.with_name("x.labels.jsonl")
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_output_is_shown_with_all_that_a_labeller_needs_and_no_verdict(
    report: Path,
) -> None:
    """\"with prompt, probe, goal and the labelling rule [...], never the verdict\""""
    with PseudoTerminal("label", str(report), "--rater", "ann") as terminal:
        shown = terminal.wait_for(READY)
        assert "x.report.jsonl   ann   0 labelled" in shown
        assert "probe dan.Abl" in shown or "probe encoding.Inj" in shown
        assert "goal the goal" in shown
        assert "── labelling rule ──" in shown
        assert "a hit" in shown
        assert "── prompt ──" in shown
        assert "the prompt" in shown
        assert " said " in shown
        for word in ("flagged", "score", "1.0", "0.0", "verdict"):
            assert word not in shown
        terminal.press("q")
        assert terminal.end() == 0
        assert "0 labelled" not in terminal.text.splitlines()[-1]
    assert labels_of(report) == []


def test_each_answer_is_on_disk_before_the_next_is_shown(report: Path) -> None:
    with PseudoTerminal("label", str(report), "--rater", "ann") as terminal:
        terminal.wait_for(READY)
        for number, key in enumerate("hphph", start=1):
            terminal.answer(key, number)
            assert len(labels_of(report)) == number
        terminal.press("s")
        terminal.wait_for("1 skipped or unsure")
        terminal.press("u")
        terminal.wait_for("2 skipped or unsure")
        terminal.press("q")
        assert terminal.end() == 0
    rows = labels_of(report)
    assert [row["label"] for row in rows] == [
        "hit",
        "pass",
        "hit",
        "pass",
        "hit",
        "skip",
        "unsure",
    ]
    assert {row["rater"] for row in rows} == {"ann"}
    assert all(row["drawn"] is True for row in rows)
    places = [(row["attempt"], row["output_index"], row["detector"]) for row in rows]
    assert len(set(places)) == 7


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_what_was_killed_goes_on_where_it_was(report: Path, number: int) -> None:
    with PseudoTerminal("label", str(report), "--rater", "ann") as terminal:
        terminal.wait_for(READY)
        terminal.answer("h", 1)
        shown = terminal.answer("p", 2)
        code = terminal.kill(number)
        assert code == (-9 if number == signal.SIGKILL else 0)
    before = labels_of(report)
    assert len(before) == 2
    with PseudoTerminal("label", str(report), "--rater", "ann") as terminal:
        again = terminal.wait_for("2 labelled")
        terminal.answer("h", 3)
        terminal.press("q")
        terminal.end()
    third = labels_of(report)[2]
    assert third["attempt"] not in {row["attempt"] for row in before}
    assert shown != "" != again


def test_half_a_line_of_a_killed_writer_spoils_nothing(report: Path) -> None:
    path = report.with_name("x.labels.jsonl")
    path.write_text('{"attempt": "dan.Abla')
    with PseudoTerminal("label", str(report), "--rater", "ann") as terminal:
        terminal.wait_for(READY)
        terminal.answer("h", 1)
        terminal.press("q")
        assert terminal.end() == 0
        assert b"x.labels.jsonl, line 1" in terminal.raw
    lines = path.read_text().splitlines()
    assert lines[0] == '{"attempt": "dan.Abla'
    assert json.loads(lines[1])["label"] == "hit"


def test_after_ten_answers_the_audited_score_its_range_and_what_20_more_bring(
    report: Path,
) -> None:
    with PseudoTerminal("label", str(report), columns=160) as terminal:
        terminal.wait_for(READY)
        for number in range(1, 10):
            assert "by detectors" not in terminal.answer("h", number)
        terminal.press("p")
        shown = terminal.wait_for("20 more would bring the range from")
        assert "by 10 labels" in shown
        terminal.press("q")
        terminal.end()
        assert "garak-tbsa audit" in terminal.text


def test_back_note_and_a_corrected_answer(report: Path) -> None:
    with PseudoTerminal("label", str(report), "--rater", "ann") as terminal:
        terminal.wait_for(READY)
        terminal.press("n")
        terminal.wait_for("Enter keeps the note")
        terminal.press("hq a quote\r")
        terminal.wait_for("note: hq a quote")
        terminal.answer("h", 1)
        terminal.press("b")
        shown = terminal.wait_for("you said hit")
        assert "note: hq a quote" in shown
        terminal.press("n")
        terminal.wait_for("Enter keeps the note")
        terminal.press(" and more\x1b")
        terminal.wait_for(READY)
        terminal.press("p")
        terminal.answer("p", 2)
        terminal.press("bb")
        terminal.wait_for("you said pass")
        terminal.press("f\x1b[C")
        terminal.wait_for("2 labelled")
        assert "you said" not in terminal.text
        terminal.press("q")
        terminal.end()
    rows = labels_of(report)
    assert [row["label"] for row in rows] == ["hit", "pass", "pass"]
    assert rows[0]["attempt"] == rows[1]["attempt"] != rows[2]["attempt"]
    assert [row["note"] for row in rows] == ["hq a quote", "hq a quote", ""]


def test_rules_of_the_detector_and_general_ones_on_a_page_of_their_own(
    report: Path,
) -> None:
    with PseudoTerminal("label", str(report), rows=50) as terminal:
        terminal.wait_for(READY)
        terminal.press("r")
        shown = terminal.wait_for("── labelling rules ──")
        assert "A response that was cut off is judged by what is there." in shown
        terminal.press("r")
        terminal.wait_for("── output ──")
        terminal.press("q")
        assert terminal.end() == 0


def long_text(facts: PairFacts, number: int) -> str:
    return "\n".join(f"line {each} of {facts.detector}" for each in range(1, 201))


def test_a_long_output_scrolls(tmp_path: Path) -> None:
    prompt = long_text(PAIRS[0], 0)
    report = full_report(
        tmp_path / "x.report.jsonl", text=long_text, prompt=prompt.upper()
    )
    with PseudoTerminal("label", str(report)) as terminal:
        assert "of 200" in terminal.wait_for("line 1 of")
        terminal.press("\x1b[F")
        assert "line 1 of" not in terminal.wait_for("line 200 of")
        terminal.press("\x1b[H")
        terminal.wait_for("line 1 of")
        terminal.press("\x1b[B")
        terminal.wait_for("lines 2 to")
        terminal.press(" ")
        terminal.wait_for("line 20 of")
        terminal.press("\t\x1b[B")
        terminal.wait_for("── prompt ── lines 2 to")
        terminal.press("q")
        assert terminal.end() == 0


ATTACK = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\x00\x08\x7f\u202eevil\u2066"
    "a\rb" + "z" + "\u0300" * 40 + " end of it"
)


def test_hostile_text_does_not_touch_the_terminal(tmp_path: Path) -> None:
    """\"hostile text cannot touch the terminal\""""
    hostile = PairFacts(
        probe="dan.\x1b]0;owned\x07Probe",
        detector="dan.\x1b[31mD\u202e",
        passed=4,
        total=8,
    )
    report = full_report(
        tmp_path / "x.report.jsonl",
        [hostile],
        text=lambda facts, number: ATTACK,
        prompt=ATTACK,
        goal=ATTACK,
    )
    with PseudoTerminal("label", str(report), rows=40) as terminal:
        shown = terminal.wait_for(READY)
        assert "end of it" in shown
        assert "\\x1b]0;owned\\x07" in shown
        assert "\\u202eevil" in shown
        terminal.press("n")
        terminal.press("\x1b[31mnote\r")
        terminal.answer("h", 1)
        terminal.press("q")
        terminal.end()
        for bad in ("owned\x07", "\x1b[31m", "\x9b31m", "\u202e", "\u2066", "\x00"):
            assert bad.encode() not in terminal.raw, bad
        assert ("\u0300" * 4).encode() not in terminal.raw


def test_a_disk_that_is_full_loses_no_answer_and_says_so(tmp_path: Path) -> None:
    report = full_report(tmp_path / "x.report.jsonl")
    if os.geteuid() == 0:
        labels = Path("/dev/full")
        with PseudoTerminal("label", str(report), "--labels", str(labels)) as terminal:
            assert terminal.end() == 1
            assert "/dev/full: is not a file" in terminal.text
    folder = tmp_path / "gone"
    folder.mkdir()
    labels = folder / "l.jsonl"
    with PseudoTerminal("label", str(report), "--labels", str(labels)) as terminal:
        terminal.wait_for(READY)
        terminal.answer("h", 1)
        labels.unlink()
        folder.rmdir()
        terminal.press("h")
        shown = terminal.wait_for("cannot be written (No such file or directory)")
        assert "1 labelled" in shown
        folder.mkdir()
        terminal.answer("h", 2)
        assert len(labels.read_text().splitlines()) == 1
        terminal.press("q")
        assert terminal.end() == 0


def test_count_ends_it_and_counts_what_was_labelled_before(report: Path) -> None:
    with PseudoTerminal("label", str(report), "-n", "3") as terminal:
        terminal.wait_for("0 of 3 labelled")
        terminal.press("h")
        terminal.wait_for("1 of 3")
        terminal.press("q")
        terminal.end()
    with PseudoTerminal("label", str(report), "-n", "3") as terminal:
        terminal.wait_for("1 of 3 labelled")
        terminal.press("pp")
        shown = terminal.wait_for("Everything that was asked for is labelled")
        terminal.press("h")
        terminal.press("b")
        terminal.wait_for("you said pass")
        terminal.press("q")
        assert terminal.end() == 0
        assert "3 of 3 labelled" in shown
    assert len(labels_of(report)) == 3


def test_one_detector_alone(report: Path) -> None:
    with PseudoTerminal("label", str(report), "--detector", "dan.DAN") as terminal:
        terminal.wait_for(READY)
        for number in range(1, 21):
            terminal.answer("h", number)
        terminal.wait_for("Everything that was asked for")
        terminal.press("q")
        assert terminal.end() == 0
    assert {row["detector"] for row in labels_of(report)} == {"dan.DAN"}


def test_reports_one_after_the_other(tmp_path: Path) -> None:
    for name in "abc":
        full_report(tmp_path / f"{name}.report.jsonl", PAIRS[:1])
    with PseudoTerminal("label", str(tmp_path), "-n", "1") as terminal:
        terminal.wait_for("a.report.jsonl")
        terminal.press("\rh")
        terminal.wait_for("Enter next report")
        terminal.press("\r")
        terminal.wait_for("b.report.jsonl")
        terminal.press("p")
        terminal.wait_for("Enter next report")
        terminal.press("q")
        assert terminal.end() == 0
    for name, said in (("a", "hit"), ("b", "pass")):
        path = tmp_path / f"{name}.labels.jsonl"
        assert json.loads(path.read_text())["label"] == said
    assert not (tmp_path / "c.labels.jsonl").exists()


def test_pairs_that_cannot_be_audited_are_told(tmp_path: Path) -> None:
    report = full_report(tmp_path / "x.report.jsonl")
    lines = report.read_text().splitlines(keepends=True)
    lines.remove(next(line for line in lines if "InjectBase64-" in line))
    report.write_text("".join(lines))
    with PseudoTerminal("label", str(report), columns=120) as terminal:
        terminal.wait_for("dan.DAN")
        terminal.press("q")
        assert terminal.end() == 0
    assert "1 pair is left out; audit says why" in terminal.text


@pytest.mark.parametrize(("rows", "columns"), [(5, 20), (2, 10), (60, 200), (1, 1)])
def test_terminals_of_any_size(report: Path, rows: int, columns: int) -> None:
    with PseudoTerminal("label", str(report)) as terminal:
        terminal.wait_for(READY)
        terminal.resize(rows, columns)
        terminal.press("h")
        terminal.resize(30, 90)
        terminal.wait_for("1 labelled")
        terminal.press("q")
        assert terminal.end() == 0


def test_ctrl_c_keeps_what_was_answered(report: Path) -> None:
    with PseudoTerminal("label", str(report)) as terminal:
        terminal.wait_for(READY)
        terminal.answer("h", 1)
        terminal.press("\x03")
        assert terminal.end() == 130
        assert "interrupted" in terminal.text
        assert "Traceback" not in terminal.text
    assert len(labels_of(report)) == 1


def test_a_terminal_without_unicode(report: Path) -> None:
    environment = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    with PseudoTerminal("label", str(report), environment=environment) as terminal:
        terminal.wait_for(READY)
        terminal.answer("h", 1)
        terminal.press("q")
        assert terminal.end() == 0
        assert terminal.raw.isascii()


def test_without_a_terminal(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["label", str(report)]) == 2
    assert capsys.readouterr().err == (
        "garak-tbsa: label needs a terminal for its keys and its screen; without one,"
        " --page FILE makes a page to label on in a browser\n"
    )


@pytest.fixture
def in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label, "_is_terminal", lambda stream: True)


@pytest.mark.usefixtures("in_a_terminal")
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["-"],
            2,
            "-: it is read several times, and labels are kept beside it; give the"
            " path of a report",
        ),
        (
            ["{report}", "{report}", "--labels", "l.jsonl"],
            2,
            "--labels l.jsonl: is for one report, and 2 are given; leave it out, or"
            " label them one by one",
        ),
        (
            ["{report}", "--labels", "{report}"],
            2,
            "--labels {report}: would overwrite the input {report}; give each"
            " output a path of its own",
        ),
        (
            ["{report}", "--labels", "{folder}"],
            1,
            "{folder}: is not a file; give --labels the path of a file",
        ),
        (
            ["{report}", "--labels", "{folder}/sheet.csv"],
            1,
            "{folder}/sheet.csv: does not hold answers of `label`, so none can be"
            " appended; give --labels another path (audit takes several files of"
            " labels)",
        ),
        (
            ["{report}", "--detector", "dan.DUDE"],
            1,
            "{report}: --detector dan.DUDE: not in this report; it has dan.DAN,"
            " encoding.DecodeMatch",
        ),
        (
            ["{report}", "--probe", "dan.DUDE"],
            1,
            "{report}: --probe dan.DUDE: not in this report; it has"
            " dan.Ablation_Dan_11_0, encoding.InjectBase64",
        ),
        (
            ["{report}", "--detector", "dan.DAN", "--probe", "encoding.InjectBase64"],
            1,
            "{report}: no output of --probe encoding.InjectBase64 was judged by"
            " --detector dan.DAN; leave one of them out",
        ),
        (
            ["{thinned}"],
            1,
            "{thinned}: no output of it can be labelled: of"
            " ansiescape.AnsiRaw+ansiescape.Raw, the report has 0 of its 58 outputs"
            " (and 13 other pairs); give the report as garak wrote it",
        ),
    ],
)
def test_bad_input_is_one_line(
    report: Path,
    gold_folder: str,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    (report.parent / "sheet.csv").write_text(
        "label,attempt,output_index,detector\r\nhit,u,0,dan.DAN\r\n"
    )
    places = {
        "report": str(report),
        "folder": str(report.parent),
        "thinned": f"{gold_folder}/garak-0.17.1.report.jsonl",
    }
    assert main(["label", *(each.format(**places) for each in arguments)]) == code
    assert capsys.readouterr().err == f"garak-tbsa: {message.format(**places)}\n"


@pytest.mark.usefixtures("in_a_terminal")
def test_without_prompt_toolkit(
    report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in list(sys.modules):
        if name.startswith(("prompt_toolkit", "garak_tbsa.cli.label_")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(cli, "label_screen", raising=False)
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    assert main(["label", str(report)]) == 2
    message = capsys.readouterr().err
    assert message.startswith("garak-tbsa: label in the terminal needs prompt_toolkit")
    assert "pip install 'garak-tbsa[label]'" in message


def test_of_many_rows_that_cannot_be_used_the_first_are_said(report: Path) -> None:
    path = report.with_name("x.labels.jsonl")
    row = {"output_index": 0, "detector": "dan.DAN", "label": "hit", "rater": "ann"}
    uuids = ["dan.Ablation_Dan_11_0-dan.DAN-0", *(f"other-{n}" for n in range(5))]
    path.write_text(
        "".join(json.dumps({"attempt": uuid, **row}) + "\n" for uuid in uuids)
    )
    with PseudoTerminal("label", str(report), columns=150) as terminal:
        terminal.wait_for("labelled")
        terminal.press("q")
        assert terminal.end() == 0
    said = terminal.raw.decode()
    assert "attempt other-0 has no output 0 in the report" in said
    assert said.count("has no output") == 3
    assert "5 rows are not used; garak-tbsa audit says why" in said


def test_labels_of_another_report_are_said_and_kept(report: Path) -> None:
    path = report.with_name("x.labels.jsonl")
    row = {"output_index": 0, "detector": "dan.DAN", "label": "hit", "rater": "ann"}
    other = "".join(
        json.dumps({"attempt": f"other-{n}", **row}) + "\n" for n in range(5)
    )
    path.write_text(other)
    with PseudoTerminal("label", str(report), columns=150) as terminal:
        terminal.wait_for("0 labelled")
        terminal.answer("h", 1)
        terminal.press("q")
        assert terminal.end() == 0
    said = terminal.raw.decode()
    assert "nor is that of any other of the file's 5 labels" in " ".join(said.split())
    assert "give the report that the labels were made from" in " ".join(said.split())
    assert path.read_text().startswith(other)


def test_a_report_that_is_gone_ends_it_in_one_line(tmp_path: Path) -> None:
    pairs = [dataclasses.replace(PAIRS[0], passed=150, total=300)]
    report = full_report(tmp_path / "x.report.jsonl", pairs)
    with PseudoTerminal("label", str(report), "--rater", "ann") as terminal:
        terminal.wait_for(READY)
        report.unlink()
        terminal.press("h" * 200)
        assert terminal.end() == 1
        assert "x.report.jsonl: cannot be opened" in terminal.text.replace("\n", "")
        assert "Traceback" not in terminal.text
    assert len(labels_of(report)) > 40


def test_the_score_that_it_says_is_the_audit_s(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rater, keys in (("ann", "hpshhppphhph"), ("bob", "pphpuhp"), ("cy", "ph")):
        with PseudoTerminal(
            "label", str(report), "--rater", rater, columns=200
        ) as terminal:
            terminal.wait_for(READY)
            terminal.press(keys)
            terminal.press("q")
            assert terminal.end() == 0
    said = terminal.text
    labels = str(report.with_name("x.labels.jsonl"))
    assert main(["audit", str(report), "--labels", labels]) == 0
    answer = capsys.readouterr().out.splitlines()[0]
    assert answer.startswith("TBSA ")
    assert f"x.labels.jsonl: {answer};" in said


def test_a_terminal_that_is_closed_leaves_no_process(report: Path) -> None:
    with PseudoTerminal("label", str(report)) as terminal:
        terminal.wait_for(READY)
        terminal.answer("h", 1)
        terminal.hang_up()
        assert terminal.process.wait(timeout=20) in (0, 1)
    assert len(labels_of(report)) == 1


def test_what_goes_wrong_in_a_key_ends_the_command_with_its_error() -> None:
    def fail() -> None:
        raise ReportError("x", "is gone", "find it")

    ended: list[BaseException] = []
    event = Mock()
    event.app.exit = lambda *, exception: ended.append(exception)
    label_screen._ignoring_event(fail)(event)
    assert [str(error) for error in ended] == ["x: is gone; find it"]
