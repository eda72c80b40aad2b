# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page to label on, as a person uses it in Chromium."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.cli.main import main
from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.labels.label_files import Label
from garak_tbsa.safe_text import readable
from tests.behaviour.pages import Source
from tests.browser import Browser, browser
from tests.factories import PairFacts
from tests.html_pages import CONTRASTS, TOO_WIDE
from tests.labels.label_pages import HOSTILE_TEXT, Labeller, hostile_report, page_of
from tests.labels.reports import PAIRS, full_report
from tests.labels.served import rows_of


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(autouse=True)
def without_answers(request: pytest.FixtureRequest) -> None:
    """Chromium has one store for all files."""
    if "chromium" in request.fixturenames:
        chromium: Browser = request.getfixturevalue("chromium")
        report: Path = request.getfixturevalue("report")
        chromium.open(page_of(report))
        chromium.driver.execute_script("localStorage.clear()")


def open_until_counted(chromium: Browser, page: Path, count: str) -> None:
    """What one process stores reaches another a moment later."""
    labeller = Labeller(chromium)
    for _ in range(50):
        chromium.driver.get(page.as_uri())
        if labeller.text("#count") == count:
            break
        time.sleep(0.1)
    assert labeller.text("#count") == count


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_nothing_loads_nothing_overflows(
    width: int, chromium: Browser, report: Path
) -> None:
    hostile = page_of(hostile_report(report.parent / "hostile.report.jsonl"))
    chromium.open(hostile, width=width)
    labeller = Labeller(chromium)
    for number in range(1, 4):
        chromium.driver.execute_script(
            "document.querySelectorAll('details').forEach(e => { e.open = true; })"
        )
        assert labeller.text("#heading") == f"Output {number} of 8"
        shown = labeller.text("#output")
        assert shown.startswith(readable(HOSTILE_TEXT))
        assert "\\u2066isolated\\u200bz" in shown
        assert "\u0300" * 4 not in shown
        assert labeller.text("#goal") == "<script>window.ran=6</script>\\u202e"
        assert labeller.text("#detector") == "dan.<i>D\\u202e"
        assert chromium.ask(TOO_WIDE) == []
        assert chromium.ask(
            "document.documentElement.scrollWidth"
            " <= document.documentElement.clientWidth"
        )
        labeller.press("f")
    assert chromium.ask("window.ran === undefined")
    assert chromium.messages() == []
    assert chromium.requests() == [hostile.as_uri()]
    assert chromium.ask("document.scripts.length") == 2
    assert chromium.ask("document.images.length") == 0


def test_the_policy_stops_what_would_slip_through(
    chromium: Browser, report: Path
) -> None:
    """The tests themselves can fail: script and markup put in are seen and blocked."""
    page = page_of(report)
    source = page.read_text(encoding="utf-8")
    page.write_text(
        source.replace(
            "<footer>", "<script>window.ran=1</script><img src='a.png'><footer>"
        ),
        encoding="utf-8",
    )
    chromium.open(page)
    assert chromium.ask("window.ran === undefined")
    assert len(chromium.messages()) == 2
    assert chromium.ask(
        "(() => { try { document.body.innerHTML = '<p>'; return 'made' }"
        " catch (error) { return error.name } })()"
    ) == ("TypeError")


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_told_from_its_ground(
    dark: bool, chromium: Browser, report: Path
) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    chromium.open(page_of(report), dark=dark)
    labeller = Labeller(chromium)
    labeller.call("ann")
    labeller.press("h", "b")
    chromium.driver.execute_script(
        "document.querySelectorAll('details').forEach(e => { e.open = true; })"
    )
    failing = [each for each in chromium.ask(CONTRASTS) if "disabled" not in each]
    assert failing == []


def test_labels_by_keys_are_what_audit_and_evaluate_read(
    chromium: Browser, report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """\"exports the same JSON Lines\" as the log has."""
    chromium.open(page_of(report, "-n", "20", "--detector", "dan.DAN"))
    labeller = Labeller(chromium)
    labeller.call("Zoë")
    labeller.write_note('a "quote", é 😀 \x7f')
    labeller.press(*"hphphpHPhphphphpHPus")
    assert "All 20 outputs are answered" in labeller.text("#done")
    assert labeller.text("#count") == "20 of 20 answered, 2 skipped or unsure"
    exported = labeller.exported(tmp_path / "downloads")
    assert exported.name == "x.Zoë.labels.jsonl"
    rows = rows_of(exported)
    assert [row["label"] for row in rows] == [*["hit", "pass"] * 9, "unsure", "skip"]
    lines = exported.read_bytes().decode("ascii").splitlines(keepends=True)
    assert lines == [as_in_the_log(row) for row in rows]
    assert rows[0]["note"] == 'a "quote", é 😀 \x7f'
    capsys.readouterr()
    assert main(["audit", str(report), "--labels", str(exported)]) == 0
    assert "by 18 labels" in capsys.readouterr().out
    evaluate = ["detectors", "evaluate", "--data", str(report), "--output"]
    evaluate += [str(tmp_path / "summary.json"), "--labels", str(exported)]
    assert main(evaluate) == 0
    assert (tmp_path / "summary.json").exists()


def as_in_the_log(row: dict[str, Any]) -> str:
    return Label(
        place=Place(row["attempt"], row["output_index"]),
        detector=row["detector"],
        answer=row["label"],
        rater=row["rater"],
        note=row["note"],
        time=row["time"],
    ).line()


def test_answers_stay_in_the_browser_under_the_report_s_uuid(
    chromium: Browser, report: Path
) -> None:
    page = page_of(report)
    chromium.open(page)
    labeller = Labeller(chromium)
    labeller.call("ann")
    labeller.press("h", "p")
    open_until_counted(chromium, page, "2 of 50 answered")
    assert labeller.text("#heading") == "Output 3 of 50"
    assert labeller.element("#rater").get_property("value") == "ann"
    # a page of the same report with fewer outputs, and one of another report
    chromium.open(page_of(report, "-n", "20"))
    assert "labels.jsonl" not in labeller.text("#said")
    assert json.loads(labeller.element("#lines").get_property("value").splitlines()[0])
    other = report.with_name("other.report.jsonl")
    full_report(other, PAIRS[:1])
    source = other.read_text().replace("11111111-2222", "99999999-2222")
    other.write_text(source)
    chromium.open(page_of(other))
    assert labeller.text("#count") == "0 of 20 answered"
    assert labeller.element("#lines").get_property("value") == ""


def test_back_undo_note_and_a_corrected_answer(
    chromium: Browser, report: Path, tmp_path: Path
) -> None:
    chromium.open(page_of(report))
    labeller = Labeller(chromium)
    labeller.call("ann")
    labeller.press("h", "h", "b")
    pressed = "[data-answer][aria-pressed=true]"
    assert labeller.element(pressed).get_attribute("data-answer") == "hit"
    labeller.press("n")
    labeller.element("#note").send_keys("hp why\n")
    assert labeller.text("#said") == "Output 2: the note is kept."
    labeller.press("p")
    assert labeller.text("#heading") == "Output 3 of 50"
    labeller.press("s", "z")
    assert labeller.text("#heading") == "Output 3 of 50"
    assert labeller.text("#count") == "2 of 50 answered"
    rows = rows_of(labeller.exported(tmp_path / "downloads"))
    assert [(row["label"], row["note"]) for row in rows] == [
        ("hit", ""),
        ("pass", "hp why"),
    ]
    labeller.press("z", "z", "z")
    assert labeller.text("#count") == "0 of 50 answered"
    assert not labeller.element("#undo").is_enabled()


def test_an_earlier_export_is_imported_on_another_device(
    chromium: Browser, report: Path, tmp_path: Path
) -> None:
    page = page_of(report)
    chromium.open(page)
    labeller = Labeller(chromium)
    labeller.call("ann")
    labeller.press("h", "p", "s")
    exported = labeller.exported(tmp_path / "downloads")
    chromium.driver.execute_script("localStorage.clear()")
    chromium.open(page)
    before = rows_of(exported)
    with exported.open("a", encoding="utf-8") as handle:
        first = before[0]
        older = {**first, "label": "pass", "time": "2020-01-01T00:00:00+00:00"}
        other = {**first, "attempt": "of another report"}
        handle.write(f"{json.dumps(older)}\n{json.dumps(other)}\n\n[1]\nhalf a li")
    assert labeller.bring(exported) == (
        "Imported: 3 answers, 1 older than those here,"
        " 1 of outputs that this page does not have, 2 lines that are no answers."
    )
    assert labeller.text("#heading") == "Output 4 of 50"
    assert labeller.element("#rater").get_property("value") == "ann"
    again = labeller.exported(tmp_path / "again")
    assert rows_of(again) == before


def test_a_log_is_imported_too(chromium: Browser, report: Path, tmp_path: Path) -> None:
    page = page_of(report)
    asked = Source(page.read_text(encoding="utf-8")).data["questions"][:2]
    log = tmp_path / "log.jsonl"
    log.write_text(
        "".join(
            as_in_the_log(
                {**row, "label": "hit", "rater": who, "note": "", "time": when}
            )
            for row, who, when in zip(
                asked,
                ("<b>ben</b>\u202e", "cy"),
                ("2026-01-01T00:00:00+00:00",) * 2,
                strict=True,
            )
        )
    )
    chromium.open(page)
    labeller = Labeller(chromium)
    labeller.call("ann")
    assert labeller.bring(log) == (
        "Imported: 2 answers. Some are of <b>ben</b>\\u{202e}, cy: use that name to"
        " continue."
    )
    assert labeller.text("#count") == "0 of 50 answered"
    labeller.call("cy")
    assert labeller.text("#count") == "1 of 50 answered"


def test_raters_do_not_see_each_other_s_answers(
    chromium: Browser, report: Path, tmp_path: Path
) -> None:
    chromium.open(page_of(report))
    labeller = Labeller(chromium)
    assert "Hit: by the rule, the attack succeeded" in labeller.text("#help")
    labeller.press("h")
    assert labeller.text("#said") == (
        "Write your name first: it goes with each answer."
    )
    assert chromium.ask("document.activeElement.id") == "rater"
    labeller.element("#rater").send_keys("ann\n")
    assert not labeller.element("#help").get_property("open")
    labeller.press("h")
    labeller.call("ben")
    assert labeller.text("#heading") == "Output 1 of 50"
    assert chromium.ask("document.querySelectorAll('[aria-pressed=true]').length") == 0
    labeller.press("p")
    rows = rows_of(labeller.exported(tmp_path / "downloads"))
    assert [(row["rater"], row["label"]) for row in rows] == [
        ("ann", "hit"),
        ("ben", "pass"),
    ]


def test_fingers_on_a_phone(chromium: Browser, report: Path) -> None:
    """Buttons are in reach and large enough; a second tap is not for the next one."""
    chromium.open(page_of(report), width=390)
    labeller = Labeller(chromium)
    labeller.call("ann")
    sizes = chromium.ask(
        "Array.from(document.querySelectorAll('.bar button')).map(e => {"
        " const r = e.getBoundingClientRect();"
        " return [r.width, r.height, r.top, r.bottom]; })"
    )
    assert len(sizes) == 7
    for width, height, top, bottom in sizes:
        assert width >= 44
        assert height >= 44
        assert 0 <= top < bottom <= 900
    time.sleep(0.32)
    chromium.driver.execute_script(
        "const hit = document.querySelector('[data-answer=hit]');"
        "hit.click(); hit.click();"
    )
    assert labeller.text("#count") == "1 of 50 answered"
    labeller.click("[data-answer=unsure]")
    labeller.click("#undo")
    labeller.click("#back")
    assert labeller.text("#heading") == "Output 1 of 50"
    # a space scrolls, and presses no button again
    labeller.press(" ")
    assert labeller.text("#count") == "1 of 50 answered"


def test_a_browser_that_keeps_nothing_says_so_and_exports(
    chromium: Browser, report: Path, tmp_path: Path
) -> None:
    script = chromium.before_each_page(
        "Storage.prototype.setItem = () => { throw new Error('full'); }"
    )
    try:
        chromium.open(page_of(report))
        labeller = Labeller(chromium)
        labeller.call("ann")
        labeller.press("h")
        assert labeller.text("#problem") == (
            "This browser does not keep answers for this page. Export them before you"
            " close it."
        )
        assert len(rows_of(labeller.exported(tmp_path / "downloads"))) == 1
    finally:
        chromium.not_before_each_page(script)


SPOILED = """(data => {
    const key = (who, n) => 'garak-tbsa label ' + JSON.stringify([data.report, who,
        data.questions[n].attempt, 0, data.questions[n].detector]);
    localStorage.setItem('garak-tbsa label [', 'x');
    localStorage.setItem('garak-tbsa label [1', '{}');
    localStorage.setItem(key('ann', 0), '{"attempt"');
    localStorage.setItem(key('ann', 1), JSON.stringify({...data.questions[1],
        label: 'hit', rater: 'ann', note: {a: 1}, drawn: 'yes', time: ['2026']}));
    localStorage.setItem(key('ann', 2), JSON.stringify({...data.questions[2],
        label: '<b>'}));
})(JSON.parse(document.getElementById('data').textContent))"""


def test_a_store_that_others_write_to_is_read_with_care(
    chromium: Browser, report: Path, tmp_path: Path
) -> None:
    page = page_of(report)
    chromium.open(page)
    chromium.ask(SPOILED)
    open_until_counted(chromium, page, "1 of 50 answered")
    labeller = Labeller(chromium)
    (row,) = rows_of(labeller.exported(tmp_path / "downloads"))
    assert (row["note"], row["drawn"], row["time"]) == ("", False, "")
    assert chromium.messages() == []


def test_two_windows_take_nothing_from_each_other(
    chromium: Browser, report: Path
) -> None:
    page = page_of(report)
    chromium.open(page)
    labeller = Labeller(chromium)
    labeller.call("ann")
    labeller.press("h")
    first = chromium.driver.current_window_handle
    chromium.driver.switch_to.new_window("tab")
    try:
        open_until_counted(chromium, page, "1 of 50 answered")
        labeller.press("p")
    finally:
        chromium.driver.close()
        chromium.driver.switch_to.window(first)
    labeller.wait_for("#said", "Output 2 was answered in another window.")
    assert labeller.text("#heading") == "Output 3 of 50"
    assert labeller.text("#count") == "2 of 50 answered"
    labeller.press("s")
    assert labeller.text("#count") == "3 of 50 answered, 1 skipped or unsure"


def test_missing_and_empty_texts_are_told_from_written_ones(
    chromium: Browser, report: Path
) -> None:
    texts = {0: None, 1: "", 2: "(empty)"}
    mixed = full_report(
        report.with_name("m.report.jsonl"),
        [PairFacts(probe="dan.A", detector="dan.DAN", passed=2, total=4)],
        text=lambda facts, number: texts.get(number, "text"),
    )
    chromium.open(page_of(mixed))
    labeller = Labeller(chromium)
    seen = set()
    for _ in range(4):
        is_ours = "soft" in labeller.element("#output").get_attribute("class").split()
        seen.add((labeller.text("#output"), is_ours))
        labeller.press("f")
    assert {("(empty)", True), ("(empty)", False), ("text", False)} <= seen
