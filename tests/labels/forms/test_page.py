# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page of an audit, as a parser reads it and as a browser shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from garak_tbsa.labels.forms import page
from garak_tbsa.labels.forms.audited_report import AuditedReport
from garak_tbsa.safe_text import printable
from tests.browser import Browser, browser
from tests.html_pages import CONTRASTS, TOO_WIDE, Page, assert_harmless
from tests.labels.forms.samples import hostile, mixed, settled
from tests.outputs.samples import HOSTILE

SAMPLES = [mixed, settled, hostile]


def made(sample: Callable[[Path], AuditedReport], folder: Path) -> Page:
    return Page(page.render(sample(folder)))


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_page_runs_nothing_and_asks_for_nothing(
    sample: Callable[[Path], AuditedReport], tmp_path: Path
) -> None:
    assert_harmless(made(sample, tmp_path))


def test_all_there_is_to_say(tmp_path: Path) -> None:
    shown = made(mixed, tmp_path).text
    for said in (
        "TBSA of a garak scan, by labels test Blank ",
        "gate failed 1 of 1 rules failed",
        "2 labels are of outputs that a person picked",
        "1 of 5 pairs could not be audited, its grade stays the detector's.",
        "fail-under : a lower end of at least 4.5 Found: ",
        "Labels 31 of 80 outputs are labelled; skip or unsure: 1",
        "Labels that could not be used: 1",
        "uuid of web.Xss has no output 99 in the report",
        "Detector Labels Sensitivity Specificity Precision NPV dan.DAN 6 + 14 0.",
        "No label yet: enc.D",
        "Pairs whose grade the labels change",
        "12 of 12 dan.Two dan.DAN",
        "Not audited 1 of 5 pairs could not be audited",
        "web.Gone+web.D: the report has 0 of its 10 outputs",
        "4 pairs, lowest grade by labels first",
        "Pass-rate grades alone: 4.1 by detectors; ",
        "TBSA sums a scan up; it does not replace reading the report.",
    ):
        assert said in shown
    assert re.search(r"\d\.\d of 5\.0, by labels TBSA|\d of 5\.0, by labels", shown)
    assert re.search(r"TBSA 4\.1 by detectors; \d\.\d \(.*?\) by 31 labels", shown)


def test_nothing_changes_and_nothing_is_next(tmp_path: Path) -> None:
    shown = made(settled, tmp_path).text
    assert "Pairs whose grade the labels change None." in shown
    assert "What to label next Every output of the audited pairs is labelled." in shown
    assert "Gate" not in shown
    assert "Not audited" not in shown


def test_what_is_drawn_is_said_too(tmp_path: Path) -> None:
    parsed = made(mixed, tmp_path)
    drawings = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    (label,) = (str(d["aria-label"]) for d in drawings if d.get("role") == "img")
    assert re.fullmatch(
        r"TBSA \d\.\d on a scale from 1\.0 to 5\.0 by labels, \d\.\d to \d\.\d;"
        r" 4\.1 by detectors",
        label,
    )
    assert all(d.get("aria-hidden") == "true" for d in drawings if "role" not in d)
    targets = {attributes.get("id") for _, attributes in parsed.tags}
    links = [str(a["href"])[1:] for tag, a in parsed.tags if tag == "a"]
    assert len(links) == 10
    assert set(links) <= targets


def test_a_page_shows_a_part_of_very_many_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PROBLEMS_SHOWN", 1)
    assert "2 more are in the JSON." in made(hostile, tmp_path).text


# in the browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for sample in (mixed, hostile):
        found[sample.__name__] = folder / f"{sample.__name__}.html"
        source = page.render(sample(folder))
        found[sample.__name__].write_text(source, encoding="utf-8")
    return found


@pytest.mark.parametrize("name", ["mixed", "hostile"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_nothing_loads_nothing_overflows(
    name: str, width: int, chromium: Browser, pages: dict[str, Path]
) -> None:
    chromium.open(pages[name], width=width)
    chromium.driver.execute_script(
        "document.querySelectorAll('details').forEach(e => { e.open = true; })"
    )
    assert chromium.ask("window.ran === undefined")
    assert chromium.messages() == []
    assert chromium.requests() == [pages[name].as_uri()]
    assert chromium.ask("document.styleSheets[0].cssRules.length") > 30
    assert chromium.ask(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert chromium.ask(TOO_WIDE) == []


def test_hostile_text_reads_as_it_was_written(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    chromium.open(pages["hostile"])
    chromium.driver.execute_script("document.querySelector('#pairs ~ *').open = true")
    shown = " ".join(str(chromium.ask("document.body.innerText")).split())
    for text in HOSTILE:
        assert " ".join(printable(text).split()) in shown


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_told_from_its_ground(
    dark: bool, chromium: Browser, pages: dict[str, Path]
) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    chromium.open(pages["mixed"], dark=dark)
    assert chromium.ask(CONTRASTS) == []
