# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page to label on, as a person uses it in Chromium."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from garak_tbsa.safe_text import readable
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import rows_of, tbsa
from tests.browser import Browser
from tests.factories import PairFacts
from tests.html_pages import CONTRASTS, TOO_WIDE, Page
from tests.labels.label_pages import (
    HOSTILE_TEXT,
    TAPS,
    WRITES_MARKUP,
    Labeller,
    hostile_report,
    on_a_page,
    page_of,
    run_of_its_own,
)
from tests.labels.reports import PAIRS, full_report


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return run_of_its_own(full_report(tmp_path / "x.report.jsonl"))


@pytest.fixture
def ann(chromium: Browser, report: Path) -> Labeller:
    """On the page of the report, by name."""
    labeller = Labeller(chromium, page_of(report))
    labeller.call("ann")
    return labeller


@pytest.mark.parametrize("is_served", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_nothing_loads_nothing_overflows(
    width: int, is_served: bool, chromium: Browser, report: Path
) -> None:
    """Whatever the texts of the report are, on a phone and on a desk."""
    report = run_of_its_own(hostile_report(report))
    rater = "</script><b>\u202eann"
    with on_a_page(chromium, report, rater, is_served=is_served, width=width) as (
        labeller,
        place,
    ):
        for number in range(1, 4):
            labeller.wait_for_start("#heading", f"Output {number}")
            labeller.open_details()
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
            labeller.press("h")
        assert chromium.ask("window.ran === undefined")
        assert chromium.messages() == []
        requests = chromium.requests()
        assert requests[0] == place
        asked = [f"{url.rpartition('/')[0]}/" for url in requests[1:]]
        assert set(asked) == ({place} if is_served else set())
        assert chromium.ask("document.scripts.length") == 2
        assert chromium.ask("document.images.length") == 0
        assert chromium.ask(WRITES_MARKUP) == "TypeError"


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
    assert chromium.ask(WRITES_MARKUP) == "TypeError"


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_told_from_its_ground(
    dark: bool, chromium: Browser, report: Path
) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    labeller = Labeller(chromium, page_of(report), dark=dark)
    labeller.call("ann")
    labeller.press("h", "b")
    labeller.open_details()
    assert [each for each in chromium.ask(CONTRASTS) if "disabled" not in each] == []


def test_labels_by_keys_are_what_audit_and_evaluate_read(
    chromium: Browser, report: Path, tmp_path: Path
) -> None:
    """\"exports the same JSON Lines\" as the log has."""
    page = page_of(report, "-n", "20", "--detector", "dan.DAN")
    labeller = Labeller(chromium, page)
    labeller.call("Zoë")
    labeller.write_note('a "quote", é 😀 \x7f')
    labeller.press(*"hphphpHPhphphphpHPus")
    assert "All 20 outputs are answered" in labeller.text("#done")
    assert labeller.text("#count") == "20 of 20 answered, 2 skipped or unsure"
    exported = labeller.exported(tmp_path / "downloads")
    assert exported.name == "x.Zoë.labels.jsonl"
    rows = rows_of(exported)
    assert [row["label"] for row in rows] == [*["hit", "pass"] * 9, "unsure", "skip"]
    assert [*rows[0]] == [
        *("attempt", "output_index", "detector", "label", "rater", "note", "drawn"),
        "time",
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    assert exported.read_bytes().decode("ascii") == lines
    assert rows[0]["note"] == 'a "quote", é 😀 \x7f'
    assert "by 18 labels" in tbsa("audit", report, "--labels", exported).out
    evaluate = ("detectors", "evaluate", "--data", report, "--labels", exported)
    summary = tmp_path / "summary.json"
    assert tbsa(*evaluate, "--output", summary).code == 0
    assert summary.exists()


def test_answers_stay_in_the_browser_under_the_report_s_uuid(
    ann: Labeller, report: Path
) -> None:
    """Another page of the same report has them, and none of another report."""
    ann.press("h", "p")
    ann.open_until_counted(page_of(report), "2 of 50 answered")
    assert ann.text("#heading") == "Output 3 of 50"
    assert ann.value("#rater") == "ann"
    ann.open(page_of(report, "-n", "20"))
    assert json.loads(ann.value("#lines").splitlines()[0])
    other = run_of_its_own(full_report(report, PAIRS[:1]))
    ann.open(page_of(other))
    assert (ann.text("#count"), ann.value("#lines")) == ("0 of 20 answered", "")


OPENED_LATE = """
const own = Object.getOwnPropertyDescriptor(window, 'localStorage').get;
const none = { length: 0, setItem: () => {}, removeItem: () => {} };
let isOpened = false;
Object.defineProperty(window, 'localStorage', {
    get: () => isOpened ? own.call(window) : none });
const ask = navigator.storage.persisted.bind(navigator.storage);
navigator.storage.persisted = async () => {
    await ask();
    isOpened = true;
    throw new Error('a browser may refuse to say');
};
"""


def test_the_store_is_opened_when_the_browser_has_opened_the_page(
    ann: Labeller, report: Path
) -> None:
    """A busy Chromium gives a page that it is still opening a store of no use."""
    ann.press("h")
    ann.open_until_counted(page_of(report), "1 of 50 answered")
    script = ann.chromium.before_each_page(OPENED_LATE)
    try:
        ann.open(page_of(report))
        assert ann.text("#count") == "1 of 50 answered"
        ann.press("p")
    finally:
        ann.chromium.not_before_each_page(script)
    ann.open_until_counted(page_of(report), "2 of 50 answered")


def test_back_undo_note_and_a_corrected_answer(ann: Labeller, tmp_path: Path) -> None:
    """An answer can be seen, replaced, explained and taken back."""
    ann.press("h", "h", "b")
    pressed = "[data-answer][aria-pressed=true]"
    assert ann.element(pressed).get_attribute("data-answer") == "hit"
    ann.touch("n")
    ann.element("#note").send_keys("hp why\n")
    assert ann.text("#said") == "Output 2: the note is kept."
    ann.press("p")
    assert ann.text("#heading") == "Output 3 of 50"
    ann.press("s", "z")
    assert ann.text("#heading") == "Output 3 of 50"
    assert ann.text("#count") == "2 of 50 answered"
    rows = rows_of(ann.exported(tmp_path / "downloads"))
    assert [(row["label"], row["note"]) for row in rows] == [
        ("hit", ""),
        ("pass", "hp why"),
    ]
    ann.press("z")
    ann.touch("z")
    ann.press("z")
    assert ann.text("#count") == "0 of 50 answered"
    assert not ann.element("#undo").is_enabled()


def test_an_earlier_export_is_imported_on_another_device(
    ann: Labeller, report: Path, tmp_path: Path
) -> None:
    """What is older, of another report, or no answer is told and left out."""
    ann.press("h", "p", "s")
    exported = ann.exported(tmp_path / "downloads")
    ann.run("localStorage.clear()")
    ann.open_until_counted(page_of(report), "0 of 50 answered")
    before = rows_of(exported)
    with exported.open("a", encoding="utf-8") as handle:
        first = before[0]
        older = {**first, "label": "pass", "time": "2020-01-01T00:00:00+00:00"}
        other = {**first, "attempt": "of another report"}
        handle.write(f"{json.dumps(older)}\n{json.dumps(other)}\n\n[1]\nhalf a li")
    assert ann.bring(exported) == (
        "Imported: 3 answers, 1 older than those here,"
        " 1 of outputs that this page does not have, 2 lines that are no answers."
    )
    assert ann.text("#heading") == "Output 4 of 50"
    assert ann.value("#rater") == "ann"
    assert rows_of(ann.exported(tmp_path / "again")) == before


def test_a_log_is_imported_too(ann: Labeller, report: Path, tmp_path: Path) -> None:
    """A name that is no markup says whose answers they are."""
    page = page_of(report).read_text(encoding="utf-8")
    given = {"label": "hit", "note": "", "time": "2026-01-01T00:00:00+00:00"}
    raters = ("<b>ben</b>\u202e", "cy")
    asked = zip(Page(page).data["questions"], raters, strict=False)
    log = tmp_path / "log.jsonl"
    write_lines(log, ({**row, **given, "rater": rater} for row, rater in asked))
    assert ann.bring(log) == (
        "Imported: 2 answers. Some are of <b>ben</b>\\u{202e}, cy: use that name to"
        " continue."
    )
    assert ann.text("#count") == "0 of 50 answered"
    ann.call("cy")
    assert ann.text("#count") == "1 of 50 answered"


def test_raters_do_not_see_each_other_s_answers(
    chromium: Browser, report: Path, tmp_path: Path
) -> None:
    """Without a name there is no answer; another name has none yet."""
    labeller = Labeller(chromium, page_of(report))
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
    labeller = Labeller(chromium, page_of(report), width=390)
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
    labeller.let_pass(300)
    labeller.run(TAPS)
    assert labeller.text("#count") == "1 of 50 answered"
    labeller.click("[data-answer=unsure]")
    labeller.click("#undo")
    labeller.click("#back")
    assert labeller.text("#heading") == "Output 1 of 50"
    # a space scrolls, and presses no button again
    labeller.touch(" ")
    assert labeller.text("#count") == "1 of 50 answered"


def test_a_browser_that_keeps_nothing_says_so_and_exports(
    chromium: Browser, report: Path, tmp_path: Path
) -> None:
    """What was answered is not lost with the page."""
    script = chromium.before_each_page(
        "Storage.prototype.setItem = () => { throw new Error('full'); }"
    )
    try:
        labeller = Labeller(chromium, page_of(report))
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
    """Whatever is no answer is left out, and raises nothing."""
    labeller = Labeller(chromium, page_of(report))
    chromium.ask(SPOILED)
    labeller.open_until_counted(page_of(report), "1 of 50 answered")
    (row,) = rows_of(labeller.exported(tmp_path / "downloads"))
    assert (row["note"], row["drawn"], row["time"]) == ("", False, "")
    assert chromium.messages() == []


def test_two_windows_take_nothing_from_each_other(ann: Labeller, report: Path) -> None:
    """What is answered in one is told and passed over in the other."""
    ann.press("h")
    with ann.chromium.another_window():
        ann.open_until_counted(page_of(report), "1 of 50 answered")
        ann.press("p")
    ann.wait_for("#said", "Output 2 was answered in another window.")
    assert ann.text("#heading") == "Output 3 of 50"
    assert ann.text("#count") == "2 of 50 answered"
    ann.press("s")
    assert ann.text("#count") == "3 of 50 answered, 1 skipped or unsure"
    ann.open_until_counted(page_of(report), "3 of 50 answered, 1 skipped or unsure")


def test_missing_and_empty_texts_are_told_from_written_ones(
    chromium: Browser, report: Path
) -> None:
    """Words of ours look other than the same words of a target."""
    texts = {0: None, 1: "", 2: "(empty)"}
    mixed = full_report(
        report,
        [PairFacts(probe="dan.A", detector="dan.DAN", passed=2, total=4)],
        text=lambda facts, number: texts.get(number, "text"),
    )
    labeller = Labeller(chromium, page_of(mixed))
    seen = set()
    for _ in range(4):
        is_ours = "soft" in labeller.element("#output").get_attribute("class").split()
        seen.add((labeller.text("#output"), is_ours))
        labeller.touch("f")
    assert {("(empty)", True), ("(empty)", False), ("text", False)} <= seen
