# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What people made by hand stays: labels, filled sheets, metrics of garak's."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import garak_tbsa
from tests.behaviour.judged import careful, write_scan
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import Shown, json_of, rows_of, tbsa
from tests.behaviour.schemas import assert_keeps_schema
from tests.labels.served import Served

LABELS = "x.labels.jsonl"
SHEET = "filled.csv"
ANSWERS = careful()[:30]
"""Of half of the outputs; the first 20 are dan.DAN's, and stand in the sheet."""


NOTE = "TBSA sums a scan up; it does not replace reading the report."
OWN_FILES = {
    "own.html": "<!doctype html>\n<html>\n<p>garak-tbsa says 2.3</p>\n</html>\n",
    "own.md": f"# Notes\n\n_{NOTE}_\n",
    "own.json": '{"tbsa": 2.3, "schema_version": 4}\n',
    "own.xml": '<?xml version="1.0"?>\n<testsuites name="mine"></testsuites>\n',
}
"""What people wrote themselves, about us too."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two scans, the labels of the first, and a filled sheet: the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in "xy":
        write_scan(tmp_path / f"{name}.report.jsonl", run=f"run {name}")
    write_lines(tmp_path / LABELS, ANSWERS)
    names = ("attempt", "output_index", "detector", "label")
    rows = [names, *([str(row[name]) for name in names] for row in ANSWERS[:20])]
    (tmp_path / SHEET).write_text("".join(",".join(row) + "\n" for row in rows))
    for name in ("x.hitlog.jsonl", "x.report.html"):
        (tmp_path / name).write_text("garak's own")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


COMMANDS = {
    "score x.report.jsonl": "-j --html --markdown --junit --sarif",
    "score x.report.jsonl y.report.jsonl": "-j",
    "score .": "-j",
    "explain x.report.jsonl": "-j",
    "compare x.report.jsonl y.report.jsonl": "-j --html --markdown --junit",
    "compare y.report.jsonl x.report.jsonl": "-j --html --markdown --junit",
    "score y.report.jsonl --baseline x.report.jsonl": "-j --html",
    "history .": "--jsonl --html",
    "audit x.report.jsonl": "-j --html --markdown",
    f"audit x.report.jsonl --labels {SHEET}": "-j --html --markdown",
    "label x.report.jsonl": "--sheet",
    "detectors evaluate --data x.report.jsonl --labels filled.csv": "--output",
}
OTHERS = "elsewhere/z.labels.jsonl"
"""Labels of a scan that is not read."""
INPUT = "would overwrite the input {}; give each output a path of its own"
NOT_OURS = "would replace a file that is no earlier "
TAKEN = {
    ("score x.report.jsonl", "--html", "x.report.html"): NOT_OURS,
    ("audit x.report.jsonl", "-j", "x.hitlog.jsonl"): NOT_OURS,
    ("audit x.report.jsonl", "--markdown", "x.report.jsonl"): INPUT,
    ("score x.report.jsonl", "--html", "y.report.jsonl"): NOT_OURS,
    ("score x.report.jsonl", "--html", "anna.jsonl"): NOT_OURS,
    ("score x.report.jsonl", "--html", f"{LABELS}.bak"): NOT_OURS,
    ("score x.report.jsonl", "-j", SHEET): NOT_OURS,
    ("score packed.report.jsonl.gz", "--sarif", "packed.report.jsonl"): NOT_OURS,
    ("detectors rank", "--json_output", "own.json"): NOT_OURS,
    ("label x.report.jsonl", "--sheet", SHEET): "exists, and may hold",
    ("label x.report.jsonl", "--sheet", "own.html"): "exists, and may hold",
}
for command, options in COMMANDS.items():
    for option in options.split():
        refused = "exists, and may hold labels" if option == "--sheet" else NOT_OURS
        for place in (LABELS, OTHERS, "own.html", "own.md", "own.json", "own.xml"):
            TAKEN[command, option, place] = refused
        if command == "audit x.report.jsonl":
            # read by the command, which is said first
            TAKEN[command, option, LABELS] = INPUT
        if SHEET in command:
            TAKEN[command, option, SHEET] = INPUT


def test_no_output_replaces_labels_sheets_or_what_lies_beside_a_report(
    folder: Path,
) -> None:
    """A label file is only ever appended to, whichever report is read."""
    (folder / OTHERS).parent.mkdir()
    for labels in (OTHERS, "anna.jsonl", f"{LABELS}.bak"):
        write_lines(folder / labels, ANSWERS)
    for name, content in OWN_FILES.items():
        (folder / name).write_text(content)
    twin = folder / "packed.report.jsonl"
    twin.write_bytes((folder / "y.report.jsonl").read_bytes())
    (folder / f"{twin.name}.gz").write_bytes(gzip.compress(twin.read_bytes()))
    before = contents(folder)
    for (command, option, place), said in TAKEN.items():
        shown = tbsa(*command.split(), option, place)
        assert shown.code == 2, (command, option, place)
        expected = f"garak-tbsa: {option} {place}: {said.format(place)}"
        assert shown.error.startswith(expected), command
        assert contents(folder) == before


META = '<meta http-equiv="Content-Security-Policy" content="x">\n'
OF_0_2 = {
    "-j": f'{{\n "tbsa": 2.3,\n "infile": "x",\n "note": "{NOTE}",\n "formula": 1\n}}',
    "--html": f'<!doctype html>\n<html lang="en">\n<head>\n{META}'
    '<meta name="generator" content="garak-tbsa 0.2.0">\n<title>TBSA 2.3</title>',
    "--markdown": f"## 🟧 TBSA 2.3\n\n- Report x{' y' * 9000}\n\n_{NOTE}_\n",
    "--junit": '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="garak-tbsa">'
    '<testsuite name="garak-tbsa.gate"></testsuite></testsuites>',
    "--sarif": '{\n "$schema": "https://json.schemastore.org/sarif-2.1.0.json",\n'
    ' "version": "2.1.0",\n "runs": [\n  {\n   "tool": {\n    "driver": {\n'
    '     "name": "garak-tbsa",\n     "semanticVersion": "0.2.0",\n',
    "--jsonl": '{"source": "./a \\"b\\".report.jsonl", "run_uuid": "2", "tbsa": 2.3,'
    ' "change": null, "change_missing_because": null}\n',
    "--output": '{\n  "results": {\n    "a.A": {}\n  },\n  "metadata": {\n'
    '    "errors": [],\n    "format_version": 3,\n    "versions": {}\n  }\n}\n',
}
"""How outputs of 0.2 begin and end."""


def test_an_earlier_output_of_the_same_form_is_replaced(folder: Path) -> None:
    """Of ours and of 0.2, an empty file too; by a link the file that it leads to."""
    for command, options in COMMANDS.items():
        for option in options.split():
            if option == "--sheet":
                continue
            earlier = folder / "earlier"
            for before in (OF_0_2[option], ""):
                earlier.write_text(before)
                Path("link").symlink_to(earlier)
                for _ in range(1 + (not before)):
                    shown = tbsa(*command.split(), option, "link")
                    assert shown.code == 0, (command, option, shown.err)
                assert NOTE in earlier.read_text() or option in ("--jsonl", "--output")
                Path("link").unlink()
    for option, content in OF_0_2.items():
        if option not in ("--html", "--jsonl", "--output"):
            earlier.write_text(content)
            shown = tbsa("score", "x.report.jsonl", "--html", earlier)
            assert (shown.code, earlier.read_text()) == (2, content)


def test_rankings_and_saved_rows_are_replaced_by_their_like_alone(
    folder: Path,
) -> None:
    data = ("--data", "x.report.jsonl", "--labels", SHEET, "--output", "s.json")
    for _ in "12":
        assert tbsa("detectors", "rank", "--json_output", "ranking").code == 0
        assert tbsa("detectors", "evaluate", *data, "--save-datasets", "rows").code == 0
    (saved,) = Path("rows").iterdir()
    write_lines(saved, ANSWERS)
    shown = tbsa("detectors", "evaluate", *data, "--save-datasets", "rows")
    assert shown.code == 2
    assert f"{saved}: would replace a file that is no earlier file of" in shown.error


def test_a_report_by_a_link_keeps_the_labels_beside_the_report(folder: Path) -> None:
    (folder / "links").mkdir()
    (folder / "links" / "x.report.jsonl").symlink_to(folder / "x.report.jsonl")
    before = (folder / LABELS).read_bytes()
    shown = tbsa("score", "links/x.report.jsonl", "--html", LABELS)
    assert shown.code == 2
    assert (folder / LABELS).read_bytes() == before


def test_answers_may_go_where_they_went_before(folder: Path) -> None:
    before = (folder / LABELS).read_bytes()
    with Served("x.report.jsonl", "--labels", LABELS) as served:
        served.answer("pass")
        code, _, err = served.end()
    assert (code, err) == (0, "")
    now = (folder / LABELS).read_bytes()
    assert now.startswith(before)
    assert now.count(b"\n") == before.count(b"\n") + 1


def test_what_no_page_asks_is_refused_and_costs_no_answer(folder: Path) -> None:
    """Numbers without end, halves of characters, bytes that are no text."""
    odd: list[object] = [
        {"rater": "ann", "at": 10**30},
        {"rater": "ann", "at": 10**30, "label": "hit"},
        {"rater": "ann", "at": -1},
        {"rater": "\ud800"},
        b'{"rater": "\xff"}',
        b"[" * 60_000,
    ]
    with Served("x.report.jsonl", "--labels", LABELS) as served:
        for body in odd:
            for what in ("show", "answer"):
                assert served.request("POST", what, body).code == 400, body
        endless = served.request("POST", "show", None, **{"Content-Length": "9" * 5000})
        assert endless.code == 400
        served.answer("pass")
        code, _, err = served.end()
    assert (code, err) == (0, "")


def test_no_program_finds_a_formula_in_a_sheet(folder: Path) -> None:
    """Nor one that splits at another delimiter; its labels are read as ever."""
    text = "Sure;=cmd|'/C calc'!A0;x"
    write_scan(folder / "f.report.jsonl", text=lambda _, n: f"{text} {n}")
    assert tbsa("label", "f.report.jsonl", "--sheet", "f.csv").code == 0
    sheet = Path("f.csv").read_text("utf-8-sig")
    assert all(line.startswith('"') for line in sheet.splitlines())
    assert "Sure;'=cmd" in sheet
    assert ";=" not in sheet
    Path("f.csv").write_text(sheet.replace('\n"",', '\n"hit",'), "utf-8")
    audited = tbsa("audit", "f.report.jsonl", "--labels", "f.csv")
    assert audited.code == 0, audited.err


NOT_JUDGED = "not judged, since {} of the labels could not be used, first {}: "


def test_a_gate_over_labels_that_could_not_all_be_read_is_not_judged(
    folder: Path,
) -> None:
    """Every line that says hit is cut short, as on a full disk."""
    lines = (folder / LABELS).read_text().splitlines()
    torn = [line[:40] if "hit" in line else line for line in lines]
    torn += ["half a li"] * 1194
    (folder / LABELS).write_text("\n".join(torn))
    unreadable = [number for number, line in enumerate(torn, 1) if "}" not in line]
    without = tbsa("audit", "x.report.jsonl")
    assert without.code == 0
    assert f"garak-tbsa: {LABELS}, line {unreadable[0]}: " in without.err
    shown = tbsa(
        *("audit", "x.report.jsonl", "--fail-under", "1"),
        *("-j", "out.json", "--markdown", "out.md", "--html", "out.html"),
    )
    reason = NOT_JUDGED.format("1,200", f"{LABELS}, line {unreadable[0]}")
    assert (shown.code, len(unreadable)) == (3, 1200)
    (line,) = [line for line in shown.lines if "gate failed" in line]
    assert "fail-under: expected a lower end of at least 1; found" in line
    assert reason in line
    gate = json_of(folder / "out.json")["gate"]
    assert gate["passed"] is False
    assert reason in gate["rules"][0]["found"]
    for written in ("out.md", "out.html"):
        assert "not judged, since" in (folder / written).read_text()
    quiet = tbsa("audit", "-q", "x.report.jsonl", "--fail-under", "1")
    assert quiet.code == 3
    assert reason in quiet.err
    found = garak_tbsa.audit("x.report.jsonl", fail_under=1).gate
    assert found is not None
    assert not found.passed


def test_a_gate_over_a_damaged_sheet_is_not_judged(folder: Path) -> None:
    path = folder / SHEET
    header, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, first.replace("hit", "hut"), *rest]))
    shown = tbsa("audit", "x.report.jsonl", "--labels", SHEET, "--fail-under", "1")
    assert shown.code == 3
    assert NOT_JUDGED.format(1, f"{SHEET}, row 2") in shown.out


def test_a_gate_over_labels_or_a_report_that_cannot_be_trusted_fails(
    folder: Path,
) -> None:
    """Careful labels are judged; a report may contradict itself all the same."""
    gate = ("audit", "x.report.jsonl", "--fail-under", "1")
    write_lines(folder / LABELS, [row | {"label": "pass"} for row in careful()])
    shown = tbsa(*gate)
    said = "by labels, not judged, since all 60 labels are pass"
    assert (shown.code, said in " ".join(shown.out.split())) == (3, True)
    write_lines(folder / LABELS, [*careful(), 1])
    said = "by labels, not judged, since 1 of the labels could not be used, first"
    shown = tbsa(*gate)
    assert (shown.code, said in " ".join(shown.out.split())) == (3, True)
    write_lines(folder / LABELS, careful())
    assert tbsa(*gate).code == 0
    rows = rows_of(folder / "x.report.jsonl")
    (row,) = (each for each in rows if each.get("probe") == "old.Three")
    row |= {"passed": 3, "fails": 2}
    write_lines(folder / "x.report.jsonl", rows)
    shown = tbsa(*gate)
    (line,) = (line for line in shown.lines if "gate failed" in line)
    assert (shown.code, "consistent-report" in line) == (3, True)


PICKLED = b"\x80\x04N."
EXAMINES_FILES = "fileformats.FileIsPickled"


def evaluate(folder: Path, *paths: object, detector: str = "") -> Shown:
    """Evaluate rows whose outputs are paths."""
    form = {} if detector else {"notes": {"format": "local filename"}}
    rows = [{"output": str(path), "label": "hit", **form} for path in paths]
    data = write_lines(folder / f"{EXAMINES_FILES}.jsonl", rows)
    command = ("detectors", "evaluate", "--data", data, "--output", folder / "summary")
    return tbsa(*command, "--detectors", detector or EXAMINES_FILES)


def test_a_labelled_row_opens_files_below_its_folder_alone(tmp_path: Path) -> None:
    outside, data = tmp_path / "secret.bin", tmp_path / "data"
    (data / "below").mkdir(parents=True)
    for path in (outside, data / "mine.bin"):
        path.write_bytes(PICKLED)
    (data / "below" / "mine.txt").write_text("no pickle")
    (data / "link.bin").symlink_to(outside)
    assert evaluate(data, "mine.bin", "below/mine.txt").code == 0
    (found,) = json_of(data / "summary")["results"].values()
    assert found["metrics"]["accuracy"] == 0.5
    for name in (str(outside), "../secret.bin", "link.bin"):
        shown = evaluate(data, "mine.bin", name)
        assert shown.code == 1
        assert shown.error == (
            f"garak-tbsa: {data / EXAMINES_FILES}.jsonl, line 2: the file {name!r} in"
            " `output` lies outside the folder of the labelled rows; put it below that"
            " folder"
        )
    # a detector that takes any output for a path is told of no path
    shown = evaluate(data, outside, detector="fileformats.PossiblePickleName")
    assert shown.code == 1
    assert "no detector could be evaluated" in shown.err


def test_blank_lines_alone_end_at_a_limit(tmp_path: Path) -> None:
    """611 kB of zipped newlines kept ``score`` busy for over a minute."""
    packed = tmp_path / "x.report.jsonl.gz"
    packed.write_bytes(gzip.compress(b"\n \r\n" * 500_001, compresslevel=1))
    shown = tbsa("score", packed)
    assert shown.code == 1
    assert shown.error == (
        f"garak-tbsa: {packed}, line 1000001: more than 1,000,000 blank lines; give a"
        " garak report, which has none"
    )
    report = write_scan(tmp_path / "x.report.jsonl")
    rows = report.read_bytes().replace(b"\n", b"\n\n \n")
    packed.write_bytes(gzip.compress(b"\n" * 1000 + rows))
    assert tbsa("score", "-q", packed) == tbsa("score", "-q", report)


OWN = """
import pathlib, signal

HERE = pathlib.Path(__file__).parent

class First:
    def __init__(self, config_root=None):
        pass

    def detect(self, attempt):
        if (HERE / type(self).__name__).exists():
            signal.raise_signal(signal.SIGINT)
        with open(HERE / "calls", "a") as handle:
            handle.write(type(self).__name__ + "\\n")
        return [1.0]

class Second(First):
    pass
"""
FIRST, SECOND = "own_detectors:First", "own_detectors:Second"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two detectors of a user's, and the working folder; a file interrupts either."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_detectors.py").write_text(OWN)
    header = "detector,output,label,other,extra,id\n"
    rows = [
        f"{detector},café {number},{label},text {number},{label},{number}\n"
        for detector in (FIRST, SECOND)
        for number, label in enumerate(["hit", "pass", "pass"])
    ]
    (tmp_path / "rows.csv").write_text(header + "".join(rows), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("own_detectors", None)


EVALUATE = ["detectors", "evaluate", "--detectors", f"{FIRST},{SECOND}"]
EVALUATE += ["--data", "rows.csv", "--output", "s.json"]


def test_an_interrupted_evaluation_leaves_what_is_finished(own: Path) -> None:
    """As a summary like any other, and nothing beside it."""
    evaluated = {"own_detectors.py", "rows.csv", "s.json"}
    (own / "First").touch()
    shown = tbsa(*EVALUATE)
    assert (shown.code, shown.err) == (130, "garak-tbsa: interrupted\n")
    assert not (own / "s.json").exists()
    (own / "First").rename(own / "Second")
    shown = tbsa(*EVALUATE)
    assert (shown.code, shown.err) == (
        130,
        "garak-tbsa: s.json: has the detectors that were finished, 1 of 2\n"
        "garak-tbsa: interrupted\n",
    )
    finished = json_of(own / "s.json")
    assert list(finished["results"]) == [FIRST]
    assert_keeps_schema(finished, "summary.schema.json")
    (own / "Second").unlink()
    assert tbsa(*EVALUATE).code == 0
    whole = json_of(own / "s.json")["results"]
    assert list(whole) == [FIRST, SECOND]
    assert whole[FIRST] == finished["results"][FIRST]
    (own / "calls").unlink()
    left = {path.name for path in own.iterdir()} - {"__pycache__"}
    assert left == evaluated
