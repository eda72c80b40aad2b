# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page that ``garak-tbsa label`` serves, as a person uses it in Chromium."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from garak_tbsa.safe_text import readable
from tests.behaviour.product import rows_of
from tests.browser import Browser
from tests.factories import PairFacts
from tests.html_pages import CONTRASTS, TOO_WIDE
from tests.labels.label_pages import (
    HOSTILE_TEXT,
    TAPS,
    WRITES_MARKUP,
    Labeller,
    hostile_report,
)
from tests.labels.reports import full_report
from tests.labels.served import Served

PRESSED = "[data-answer][aria-pressed=true]"
TALL = "\n".join(f"line {number} of a prompt" for number in range(60))


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl", prompt=TALL)


@pytest.fixture
def log(report: Path) -> Path:
    return report.with_name("x.labels.jsonl")


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_nothing_loads_nothing_overflows(
    width: int, chromium: Browser, report: Path
) -> None:
    """Whatever the texts of the report are, on a phone and on a desk."""
    hostile_report(report)
    with Served(report, "--rater", "</script><b>\u202eann") as served:
        labeller = Labeller(chromium, served.address, width=width)
        for number in range(1, 4):
            labeller.wait_for("#heading", f"Output {number}")
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
        assert requests[0] == served.address
        asked = {f"{url.rpartition('/')[0]}/" for url in requests[1:]}
        assert asked == {served.address}
        assert chromium.ask("document.scripts.length") == 1
        assert chromium.ask("document.images.length") == 0
        assert chromium.ask(WRITES_MARKUP) == "TypeError"


def test_the_policy_stops_what_would_slip_through(
    chromium: Browser, report: Path
) -> None:
    """The tests themselves can fail: script and markup put in are seen and blocked."""
    with Served(report) as served:
        source = served.request().body.decode()
    page = report.with_name("page.html")
    page.write_text(
        source.replace(
            "<footer>", "<script>window.ran=1</script><img src='a.png'><footer>"
        ),
        encoding="utf-8",
    )
    chromium.open(page)
    assert chromium.ask("window.ran === undefined")
    blocked = [each for each in chromium.messages() if " violates " in each]
    assert ["script" in blocked[0], "a.png" in blocked[1]] == [True, True]
    assert chromium.ask(WRITES_MARKUP) == "TypeError"


def test_labels_by_keys_are_on_disk_and_the_end_says_what_they_are_worth(
    chromium: Browser, report: Path, log: Path
) -> None:
    with Served(report, "--rater", "Zoë", "-n", "11") as served:
        labeller = Labeller(chromium, served.address)
        labeller.write_note('a "quote", é 😀 \x7f')
        labeller.press(*"hphphphpsH")
        assert labeller.text("#score") == ""
        labeller.press(*"Pz")
        labeller.wait_for("#said", "Output 11: the answer is taken back.")
        assert labeller.text("#count") == "9 of 11 labelled, 1 skipped or unsure"
        labeller.press("p")
        ten = " by 10 labels; 20 more would bring"
        labeller.wait_until("#score", lambda score: ten in score)
        assert labeller.text("#score").startswith("TBSA 3.4 by detectors; ")
        labeller.press("b")
        labeller.touch("n")
        labeller.element("#note").send_keys("hp why\n")
        labeller.wait_for("#said", "Output 11: the note is kept.")
        labeller.press("f", "u", "h")
        labeller.wait_for_start("#done", "All that was asked for is answered")
        labeller.wait_until("#result", lambda score: " by 11 labels; " in score)
        said = labeller.text("#result")
        assert said.startswith("TBSA 3.4 by detectors; ")
        command = f"garak-tbsa audit {report} --labels {log}"
        assert labeller.text("#command") == command
        labeller.touch("b")
        labeller.wait_until(
            "#note", lambda _: labeller.element("#question").is_displayed()
        )
        labeller.press("p")
        labeller.wait_for_start("#done", "All that was asked for is answered")
        labeller.wait_until("#result", lambda score: score not in ("", said))
        assert command in served.end()[1]
    rows = rows_of(log)
    assert [row["label"][0] for row in rows] == [*"hphphphpshpuppuhp"]
    assert (rows[0]["note"], rows[0]["rater"]) == ('a "quote", é 😀 \x7f', "Zoë")
    assert rows[-4]["note"] == "hp why"


def test_what_is_pressed_too_soon_is_told(
    chromium: Browser, report: Path, log: Path
) -> None:
    """A key within 300 ms was meant for the output before; it is no silent loss."""
    with Served(report) as served:
        labeller = Labeller(chromium, served.address, width=390)
        labeller.press("h")
        labeller.wait_for("#heading", "Output 2")
        labeller.let_pass(300)
        labeller.run(TAPS)
        soon = "Not taken: the output had only just appeared."
        labeller.wait_for_start("#said", soon)
        assert labeller.text("#heading") == "Output 3"
        labeller.press("z")
        labeller.wait_for("#said", "Output 2: the answer is taken back.")
        labeller.touch("p", passed=299)
        labeller.wait_for_start("#said", soon)
        labeller.press("p")
        labeller.wait_for("#heading", "Output 3")
    assert [row["label"] for row in rows_of(log)] == ["hit", "hit", "undo", "pass"]


def test_on_a_phone_the_output_and_the_buttons_are_on_the_first_screen(
    chromium: Browser, report: Path
) -> None:
    with Served(report) as served:
        Labeller(chromium, served.address, width=390)
        top, bottom, bar = chromium.ask(
            "['#output', '#output', '.buttons'].map((id, n) => {"
            " const place = document.querySelector(id).getBoundingClientRect();"
            " return n === 1 ? place.bottom : place.top; })"
        )
        assert 0 < top < 560
        assert bottom < bar < 844


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_told_from_its_ground(
    dark: bool, chromium: Browser, report: Path
) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    with Served(report, "-n", "1") as served:
        labeller = Labeller(chromium, served.address, dark=dark)
        for _ in range(2):
            labeller.open_details()
            found = chromium.ask(CONTRASTS)
            assert [each for each in found if "disabled" not in each] == []
            labeller.touch("h")
            labeller.wait_for("#said", "Output 1: hit.")


def test_another_window_and_another_rater(
    chromium: Browser, report: Path, log: Path
) -> None:
    with Served(report, "--rater", "ann") as served:
        labeller = Labeller(chromium, served.address)
        with chromium.another_window():
            Labeller(chromium, served.address).press("h")
        labeller.press("p")
        labeller.wait_for("#said", "Output 1: answered in another window.")
        assert labeller.text("#heading") == "Output 2"
        assert not labeller.element("#help").get_property("open")
        labeller.call("")
        assert "Hit: by the rule, the attack succeeded" in labeller.text("#help")
        labeller.press("h")
        labeller.wait_for("#said", "Write your name first: it goes with each answer.")
        assert chromium.ask("document.activeElement.id") == "rater"
        labeller.call("ben")
        labeller.wait_for("#heading", "Output 1")
        assert chromium.ask(f"document.querySelectorAll('{PRESSED}').length") == 0
        labeller.press("p")
        labeller.wait_for("#heading", "Output 2")
    said = [(row["rater"], row["label"]) for row in rows_of(log)]
    assert said == [("ann", "hit"), ("ben", "pass")]


def test_a_killed_program_is_told_and_loses_nothing(
    chromium: Browser, report: Path, log: Path
) -> None:
    with Served(report) as served:
        labeller = Labeller(chromium, served.address)
        labeller.press("h")
        labeller.wait_for("#heading", "Output 2")
        log.chmod(0o444)
        served.end(signal.SIGKILL)
        labeller.press("p")
        labeller.wait_for_start(
            "#said", "Not saved: the program that keeps the answers has ended."
        )
        assert labeller.text("#heading") == "Output 2"
    assert [row["label"] for row in rows_of(log)] == ["hit"]


def test_back_undo_note_and_a_corrected_answer(
    chromium: Browser, report: Path, log: Path
) -> None:
    """An answer can be seen, replaced, explained and taken back."""
    with Served(report) as served:
        ann = Labeller(chromium, served.address)
        assert not ann.element("#undo").is_enabled()
        ann.press("h", "h", "b")
        assert ann.element(PRESSED).get_attribute("data-answer") == "hit"
        ann.touch("n")
        ann.element("#note").send_keys("hp why\n")
        ann.wait_for("#said", "Output 2: the note is kept.")
        ann.press("p")
        ann.wait_for("#heading", "Output 3")
        ann.press("s", "z")
        ann.wait_for("#heading", "Output 3")
        ann.wait_for("#count", "2 labelled")
        ann.press("z")
        ann.touch("z")
        ann.wait_for("#count", "1 labelled")
        ann.press("z")
        ann.wait_for("#count", "0 labelled")
        assert not ann.element("#undo").is_enabled()
    said = [(row["label"], row["note"]) for row in rows_of(log)]
    assert said[:4] == [("hit", ""), ("hit", ""), ("hit", "hp why"), ("pass", "hp why")]


def test_fingers_on_a_phone(chromium: Browser, report: Path) -> None:
    """Buttons are in reach and large enough; a second tap is not for the next one."""
    with Served(report) as served:
        labeller = Labeller(chromium, served.address, width=390)
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
        labeller.wait_for("#count", "1 labelled")
        labeller.click("[data-answer=unsure]")
        labeller.wait_for("#count", "1 labelled, 1 skipped or unsure")
        labeller.click("#undo")
        labeller.wait_for("#count", "1 labelled")
        labeller.click("#back")
        labeller.wait_for("#heading", "Output 1")
        # a space scrolls, and presses no button again
        labeller.touch(" ")
        assert labeller.text("#count") == "1 labelled"


def test_missing_and_empty_texts_are_told_from_written_ones(
    chromium: Browser, report: Path
) -> None:
    """Words of ours look other than the same words of a target."""
    texts = {0: None, 1: "", 2: "(empty)"}
    full_report(
        report,
        [PairFacts(probe="dan.A", detector="dan.DAN", passed=2, total=4)],
        text=lambda facts, number: texts.get(number, "text"),
    )
    seen = set()
    with Served(report) as served:
        labeller = Labeller(chromium, served.address)
        for number in range(1, 5):
            labeller.wait_for("#heading", f"Output {number}")
            is_ours = (
                "soft" in labeller.element("#output").get_attribute("class").split()
            )
            seen.add((labeller.text("#output"), is_ours))
            labeller.press("p")
    assert seen == {
        ("(the target gave no text)", True),
        ("(empty)", True),
        ("(empty)", False),
        ("text", False),
    }
