# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page that ``garak-tbsa label`` serves, as a person uses it in Chromium."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.behaviour.product import rows_of
from tests.browser import Browser
from tests.html_pages import CONTRASTS
from tests.labels.label_pages import TAPS, Labeller, on_a_page
from tests.labels.reports import full_report
from tests.labels.served import Served

TALL = "\n".join(f"line {number} of a prompt" for number in range(60))


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl", prompt=TALL)


@pytest.fixture
def log(report: Path) -> Path:
    return report.with_name("x.labels.jsonl")


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


@pytest.mark.parametrize("is_served", [True, False])
def test_on_a_phone_the_output_and_the_buttons_are_on_the_first_screen(
    is_served: bool, chromium: Browser, report: Path
) -> None:
    with on_a_page(chromium, report, "ann", is_served=is_served, width=390):
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
        labeller.call("")
        labeller.press("h")
        labeller.wait_for_start("#said", "Write your name first")
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


def test_the_next_report_is_a_page_of_its_own(
    chromium: Browser, tmp_path: Path
) -> None:
    for name in "ab":
        full_report(tmp_path / f"{name}.report.jsonl")
    with Served(tmp_path, "-n", "1") as served:
        labeller = Labeller(chromium, served.address)
        for name in "ab":
            labeller.wait_for_start("header", f"Label outputs\n\n{name}.report.jsonl")
            labeller.wait_for("#heading", "Output 1")
            labeller.press("h")
            labeller.wait_for_start("#done", "All that was asked for")
            if name == "a":
                labeller.click("#next")
        assert not labeller.element("#next").is_displayed()
    assert (tmp_path / "b.labels.jsonl").exists()
