# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page that ``garak-tbsa label`` serves, as a person uses it in Chromium."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from garak_tbsa.safe_text import readable
from tests.browser import Browser, browser
from tests.html_pages import CONTRASTS, TOO_WIDE
from tests.labels.label_pages import HOSTILE_TEXT, Labeller, hostile_report, page_of
from tests.labels.reports import full_report
from tests.labels.served import Served, rows_of

TALL = "\n".join(f"line {number} of a prompt" for number in range(60))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl", prompt=TALL)


@pytest.fixture
def log(report: Path) -> Path:
    return report.with_name("x.labels.jsonl")


def labeller_on(chromium: Browser, served: Served, *, width: int = 1280) -> Labeller:
    chromium.open(served.address, width=width)
    labeller = Labeller(chromium)
    labeller.wait_until("#heading", "Output ")
    return labeller


@pytest.mark.parametrize("width", [390, 1280])
def test_hostile_outputs_run_nothing_load_nothing_and_overflow_nothing(
    width: int, chromium: Browser, tmp_path: Path
) -> None:
    report = hostile_report(tmp_path / "x.report.jsonl")
    with Served(report, "--rater", "</script><b>\u202eann") as served:
        labeller = labeller_on(chromium, served, width=width)
        for number in range(1, 4):
            labeller.wait_for("#heading", f"Output {number}")
            chromium.driver.execute_script(
                "document.querySelectorAll('details').forEach(e => { e.open = true; })"
            )
            assert labeller.text("#output").startswith(readable(HOSTILE_TEXT))
            assert labeller.text("#goal") == "<script>window.ran=6</script>\\u202e"
            assert labeller.text("#detector") == "dan.<i>D\\u202e"
            assert chromium.ask(TOO_WIDE) == []
            labeller.press("h")
        assert chromium.ask("window.ran === undefined")
        assert chromium.messages() == []
        assert {url.rpartition("/")[0] + "/" for url in chromium.requests()} == {
            served.address
        }
        assert chromium.ask(
            "(() => { try { document.body.innerHTML = '<p>'; return 'made' }"
            " catch (error) { return error.name } })()"
        ) == ("TypeError")


def test_labels_by_keys_are_on_disk_and_the_end_says_what_they_are_worth(
    chromium: Browser, report: Path, log: Path
) -> None:
    with Served(report, "--rater", "Zoë", "-n", "11") as served:
        labeller = labeller_on(chromium, served)
        assert labeller.text("#score") == ""
        labeller.write_note('a "quote", é 😀 \x7f')
        labeller.press(*"hphphphpsHPz")
        labeller.wait_for("#said", "Output 11: the answer is taken back.")
        assert labeller.text("#count") == "9 of 11 labelled, 1 skipped or unsure"
        labeller.press("p")
        labeller.wait_until("#score", "TBSA 3.4 by detectors; ")
        assert " by 10 labels; 20 more would bring" in labeller.text("#score")
        labeller.press("b", "n")
        labeller.element("#note").send_keys("hp why\n")
        labeller.wait_for("#said", "Output 11: the note is kept.")
        labeller.press("f", "u", "h")
        labeller.wait_until("#done", "All that was asked for is answered")
        labeller.wait_until("#result", "TBSA 3.4 by detectors; ")
        assert " by 11 labels; " in labeller.text("#result")
        command = f"garak-tbsa audit {report} --labels {log}"
        assert labeller.text("#command") == command
        assert command in served.end()[1]
    rows = rows_of(log)
    assert [row["label"][0] for row in rows] == [*"hphphphpshpuppuh"]
    assert (rows[0]["note"], rows[0]["rater"]) == ('a "quote", é 😀 \x7f', "Zoë")
    assert rows[-3]["note"] == "hp why"


def test_what_is_pressed_too_soon_is_told(
    chromium: Browser, report: Path, log: Path
) -> None:
    """A key within 300 ms was meant for the output before; it is no silent loss."""
    with Served(report) as served:
        labeller = labeller_on(chromium, served, width=390)
        labeller.press("h")
        labeller.wait_for("#heading", "Output 2")
        chromium.driver.execute_script(
            "const hit = document.querySelector('[data-answer=hit]');"
            "setTimeout(() => { hit.click(); hit.click(); }, 320);"
        )
        soon = "Not taken: the output had only just appeared."
        labeller.wait_until("#said", soon)
        assert labeller.text("#heading") == "Output 3"
        labeller.press("z")
        labeller.wait_for("#said", "Output 2: the answer is taken back.")
        labeller.element("body").send_keys("p")
        labeller.wait_until("#said", soon)
        labeller.press("p")
        labeller.wait_for("#heading", "Output 3")
    assert [row["label"] for row in rows_of(log)] == ["hit", "hit", "undo", "pass"]


@pytest.mark.parametrize("is_served", [True, False])
def test_on_a_phone_the_output_and_the_buttons_are_on_the_first_screen(
    is_served: bool, chromium: Browser, report: Path
) -> None:
    with Served(report) as served:
        if is_served:
            labeller_on(chromium, served, width=390)
        else:
            chromium.open(page_of(report, "--rater", "ann"), width=390)
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
        chromium.open(served.address, dark=dark)
        labeller = Labeller(chromium)
        labeller.wait_for("#heading", "Output 1")
        for _ in range(2):
            found = chromium.ask(CONTRASTS)
            assert [each for each in found if "disabled" not in each] == []
            labeller.press("h")


def test_another_window_and_another_rater(
    chromium: Browser, report: Path, log: Path
) -> None:
    with Served(report, "--rater", "ann") as served:
        labeller = labeller_on(chromium, served)
        first = chromium.driver.current_window_handle
        chromium.driver.switch_to.new_window("tab")
        try:
            other = labeller_on(chromium, served)
            other.press("h")
            other.wait_for("#heading", "Output 2")
        finally:
            chromium.driver.close()
            chromium.driver.switch_to.window(first)
        labeller.press("p")
        labeller.wait_for("#said", "Output 1: answered in another window.")
        assert labeller.text("#heading") == "Output 2"
        labeller.call("")
        labeller.press("h")
        labeller.wait_until("#said", "Write your name first")
        labeller.call("ben")
        labeller.wait_for("#heading", "Output 1")
        labeller.press("p")
        labeller.wait_for("#heading", "Output 2")
    said = [(row["rater"], row["label"]) for row in rows_of(log)]
    assert said == [("ann", "hit"), ("ben", "pass")]


def test_a_killed_program_is_told_and_loses_nothing(
    chromium: Browser, report: Path, log: Path
) -> None:
    with Served(report) as served:
        labeller = labeller_on(chromium, served)
        labeller.press("h")
        labeller.wait_for("#heading", "Output 2")
        log.chmod(0o444)
        served.end(signal.SIGKILL)
        labeller.press("p")
        labeller.wait_until(
            "#said", "Not saved: the program that keeps the answers has ended."
        )
        assert labeller.text("#heading") == "Output 2"
    assert [row["label"] for row in rows_of(log)] == ["hit"]


def test_the_next_report_is_a_page_of_its_own(
    chromium: Browser, tmp_path: Path
) -> None:
    for name in "ab":
        full_report(tmp_path / f"{name}.report.jsonl")
    with Served(tmp_path, "-n", "1") as served:
        for name in "ab":
            labeller = Labeller(chromium)
            if name == "a":
                labeller_on(chromium, served)
            labeller.wait_until("header", f"Label outputs\n\n{name}.report.jsonl")
            labeller.wait_for("#heading", "Output 1")
            labeller.press("h")
            labeller.wait_until("#done", "All that was asked for")
            if name == "a":
                labeller.click("#next")
        assert not labeller.element("#next").is_displayed()
    assert (tmp_path / "b.labels.jsonl").exists()
