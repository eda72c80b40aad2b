# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page, as a parser reads it and as a browser shows it."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.outputs import page
from garak_tbsa.outputs.history_page import to_page
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.outputs.page import repeat_chart
from garak_tbsa.outputs.view import NOT_ASKED_FOR
from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.gate_options import GateRules
from garak_tbsa.tbsa.history import ManyScored, NotScored
from tests.browser import browser
from tests.histories import histories_of, history
from tests.html_pages import (
    CONTRASTS,
    NARROW_NAMES,
    TOO_WIDE,
    Page,
    assert_harmless,
)
from tests.outputs.evidences import with_evidence
from tests.outputs.samples import HOSTILE, hostile, mixed, perfect, uncounted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from garak_tbsa.outputs.view import ScoredReport
    from tests.browser import Browser

KINDS = [mixed, perfect, uncounted, hostile]
PAIR_RULES = GateRules(fail_under=2, require_tier1_grade=2)


def named(kind: object) -> str:
    return getattr(kind, "__name__", "history")


def history_page(folder: Path) -> str:
    assessments = [kind(folder).assessment for kind in (mixed, mixed, perfect, hostile)]
    empty = NotScored(path=HOSTILE[0], problem="is empty", advice="")
    return to_page(
        history(
            *histories_of(assessments),
            folder="/reports " + HOSTILE[0],
            not_scored=(empty,),
        )
    )


def made(kind: Callable[[Path], ScoredReport], folder: Path) -> str:
    return page.render(kind(folder))


@pytest.mark.parametrize("kind", [*KINDS, None], ids=named)
def test_a_page_runs_nothing_and_asks_for_nothing(
    kind: Callable[[Path], ScoredReport] | None, tmp_path: Path
) -> None:
    source = history_page(tmp_path) if kind is None else made(kind, tmp_path)
    parsed = Page(source)
    assert_harmless(parsed)
    assert bool(parsed.script) is (kind is not None)


def test_all_there_is_to_say(tmp_path: Path) -> None:
    sample = mixed(tmp_path, rules=PAIR_RULES)
    shown = Page(page.render(sample)).text
    for said in (
        "TBSA of a garak scan Scanned 2026-01-02 03:04 Target test Blank garak 0.17.1"
        " Gate failed 1 of 2 rules failed 2.6 of 5.0",
        "A repeat of this scan on the same prompts would score 2.2 to 3.9 (95 %).",
        "4 pairs counted, 1 of them uncalibrated; 3 left out (neither the report",
        "failed require-tier1-grade : every Tier 1 pair at grade 2 or better"
        " Found: 2 below: dan.One+dan.DAN at 1 (depends on 7 outputs);"
        " new.Unknown+new.D of unknown tier",
        "Tier 1 : 3 pairs, harmonic mean 1.96 , counts twice 1 1 3 1 5 1",
        "Fix first TBSA 2.6 to 4.7 if both pairs of dan are fixed.",
        "1 grade 1 dan.One dan.DAN Tier 1, 2/7 passed; 1 more pass raises it"
        " TBSA 4.1 if fixed +1.42 before rounding",
        "2 grade 3 dan.Two dan.DAN Tier 1, 50/100 passed; 30 more passes raise it,"
        " 2 more hits lower it TBSA 4.7 if the first 2 are fixed +2.03 before rounding",
        "on a scale from 2 to 5.",
        "Tier 1 3 pairs, counts twice −2.03 dan.One dan.DAN −1.74"
        " dan.Two dan.DAN −0.29 Tier 2 1 pair, counts once −0.33",
        "Score rounded 2.6 2.638",
        "dan 2 pairs, −2.03 1 1 3 1 Grade",
        "1 dan.One dan.DAN pass rate 2, Z 1 1 2/7 28.6% -2.14 1.74",
        "4 web.Xss web.D pass rate 4, Z - 2 90/100 90.0% uncalibrated 0.33",
        "new.Unknown+new.D: neither the report nor the installed garak knows its tier",
        "1 pair was not measured: TBSA 1.8 to 2.8 if it was",
        "whose grades move easily: 1 dan.One+dan.DAN",
        "Calibration as in the report, of 2026-05-06, covers 3 of 4 pairs",
        f"Checksum {sample.assessment.checksum.text} Only scores with equal",
        "TBSA sums a scan up; it does not replace reading the report.",
    ):
        assert said in shown


def test_modules_are_listed_by_what_they_cost(tmp_path: Path) -> None:
    """Groups by module with counts, those with nothing to fix last and folded."""
    parsed = Page(made(mixed, tmp_path))
    modules = [
        "open" in attributes
        for tag, attributes in parsed.tags
        if tag == "details" and attributes.get("class") == "module"
    ]
    assert modules == [True, True, False]
    text = parsed.text
    places = [text.index(f"{name} pair") for name in ("dan 2", "web 1", "enc 1")]
    assert places == sorted(places)


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    without_counts = Page(made(uncounted, tmp_path)).text
    assert "No repeat interval: the report has no counts for 4 pairs." in without_counts
    assert "If this scan were repeated" not in without_counts
    nothing_left = Page(made(perfect, tmp_path)).text
    assert "Every pair is at grade 5." in nothing_left
    assert "Left out Nothing." in nothing_left
    assert (
        "no Tier 2 pair was measured, so the score is that of Tier 1 alone"
        in nothing_left
    )
    not_asked = Page(page.render(replace(perfect(tmp_path), repeat=NOT_ASKED_FOR))).text
    assert "No repeat interval was asked for." in not_asked
    assert "Partial: " in Page(made(hostile, tmp_path)).text


def test_what_is_drawn_is_said_too(tmp_path: Path) -> None:
    """Screen readers hear the charts; pictures without words are hidden to them."""
    parsed = Page(made(mixed, tmp_path))
    drawings = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    labels = [str(d["aria-label"]) for d in drawings if d.get("role") == "img"]
    assert labels[0] == (
        "TBSA 2.6 on a scale from 1.0 to 5.0;"
        " a repeat of this scan on the same prompts would score 2.2 to 3.9 (95 %)"
    )
    assert labels[1] == "Pass rate 28.6%, 8% to 64% (95 %), calibration 40% to 60%"
    assert labels[-1].startswith(
        "Probability of each score of a repeat: 1.9: <1%, 2.0: 0%, 2.1: <1%, 2.2: "
    )
    assert all(d.get("aria-hidden") == "true" for d in drawings if "role" not in d)
    headings = [tag for tag, _ in parsed.tags if tag in ("h1", "h2", "h3")]
    assert headings == ["h1"] + ["h2"] * (len(headings) - 1)
    targets = {attributes.get("id") for _, attributes in parsed.tags}
    links = [str(a["href"])[1:] for tag, a in parsed.tags if tag == "a"]
    assert len(links) > 5
    assert set(links) <= targets


@given(text=st.text(max_size=40) | st.sampled_from(HOSTILE))
def test_every_string_of_a_report_is_text(text: str) -> None:
    """Every string passes through autoescaping, control characters made visible."""
    empty = ManyScored(folder=text, reports=0, targets=(), alpha=0.05)
    values = {"view": empty, "notes": [], "targets": []}
    shown = Page(filled("history.html", values))
    title = f"TBSA over time – {printable(text)}" if text else "TBSA over time"
    assert shown.text.startswith(" ".join(title.split()))
    assert {tag for tag, _ in shown.tags} == {
        *("html", "head", "meta", "title", "style", "body"),
        *("a", "main", "h1", "p", "footer"),
    }


def test_the_repeat_chart_leaves_room_for_gaps(tmp_path: Path) -> None:
    chart = repeat_chart.repeat_chart(mixed(tmp_path).repeat)
    scores = [float(bar["tbsa"]) for bar in chart["bars"]]
    assert scores == [round(scores[0] + i / 10, 1) for i in range(len(scores))]
    assert max(bar["height"] for bar in chart["bars"]) == repeat_chart.BAR_HEIGHT
    inside = [bar["tbsa"] for bar in chart["bars"] if bar["inside"]]
    assert (inside[0], inside[-1]) == ("2.2", "3.9")


# in the browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    sources = {
        "mixed": page.render(with_evidence(mixed(folder, rules=PAIR_RULES))),
        "hostile": page.render(with_evidence(hostile(folder), HOSTILE)),
        "history": history_page(folder),
    }
    for name, source in sources.items():
        (folder / f"{name}.html").write_text(source, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in sources}


NAMES = ["mixed", "hostile", "history"]
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [360, 641, 768, 1025, 1600])
def test_nothing_runs_nothing_loads_nothing_overflows(
    name: str, width: int, chromium: Browser, pages: dict[str, Path]
) -> None:
    chromium.open(pages[name], width=width)
    assert chromium.ask("document.readyState") == "complete"
    assert chromium.ask("window.ran === undefined")
    assert chromium.messages() == []
    assert chromium.requests() == [pages[name].as_uri()]
    assert chromium.ask("document.scripts.length") == (name != "history")
    assert chromium.ask("document.images.length") == 0
    assert chromium.ask("document.documentElement.clientWidth") <= width
    assert chromium.ask(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert chromium.ask(TOO_WIDE) == []
    if name != "history":
        assert chromium.ask(NARROW_NAMES) == []


def test_the_style_sheet_is_let_through(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    chromium.open(pages["mixed"])
    assert chromium.ask("document.styleSheets[0].cssRules.length") > 30
    assert chromium.ask("getComputedStyle(document.body).maxWidth") == "1152px"


def test_the_policy_would_stop_what_slipped_through(
    chromium: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    """The test itself can fail: markup put into the page is seen and blocked."""
    broken = tmp_path / "broken.html"
    source = pages["mixed"].read_text(encoding="utf-8")
    broken.write_text(
        source.replace(
            "<footer>", "<script>window.ran=1</script><img src='a.png'><footer>"
        ),
        encoding="utf-8",
    )
    chromium.open(broken)
    assert chromium.ask("window.ran === undefined")
    assert len(chromium.messages()) == 2


def test_hostile_text_reads_as_it_was_written(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    chromium.open(pages["hostile"])
    shown = chromium.ask("document.querySelector('#groups').textContent")
    for text in HOSTILE:
        expected = " ".join(printable(text).split())
        assert expected in " ".join(shown.split())
    title = chromium.ask("document.title")
    assert title.startswith("TBSA 1.6 – test <script>window.ran=1</script>")


ROWS = "Array.from(document.querySelectorAll('tr[data-place]'))"
SEEN = f"""{ROWS}.filter(row => row.checkVisibility()).map(
    row => row.querySelector('th').innerText.split('\\n')[0])"""
ALL = ["dan.One", "dan.Two", "web.Xss", "enc.Clean"]


def choose(chromium: Browser, number: int, value: str) -> None:
    chromium.driver.execute_script(
        "const control = document.querySelectorAll('.controls select')[arguments[0]];"
        "control.value = arguments[1];"
        "control.dispatchEvent(new Event('input'));",
        number,
        value,
    )


def test_pairs_are_found_filtered_and_sorted(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    from selenium.webdriver.common.keys import Keys

    chromium.open(pages["mixed"])
    assert chromium.ask(SEEN) == ALL[:3]
    find = chromium.driver.find_element("css selector", ".controls input")
    find.send_keys("CLEAN")
    # a fold that holds what was looked for opens, and closes again
    assert chromium.ask(SEEN) == ["enc.Clean"]
    status = "document.querySelector('[role=status]').textContent"
    assert chromium.ask(status) == "1 of 4 pairs"
    find.send_keys(Keys.BACKSPACE * len("CLEAN"))
    assert chromium.ask(SEEN) == ALL[:3]
    choose(chromium, 2, "rate")
    assert chromium.ask(SEEN) == ["dan.One", "dan.Two", "web.Xss", "enc.Clean"]
    choose(chromium, 2, "z")
    assert chromium.ask(SEEN) == ["dan.One", "dan.Two", "enc.Clean", "web.Xss"]
    choose(chromium, 2, "cost")
    assert chromium.ask(SEEN) == ["dan.One", "web.Xss", "dan.Two", "enc.Clean"]
    choose(chromium, 0, "below")
    choose(chromium, 1, "1")
    assert chromium.ask(SEEN) == ["dan.One", "dan.Two"]
    choose(chromium, 2, "")
    choose(chromium, 0, "")
    choose(chromium, 1, "")
    assert chromium.ask(SEEN) == ALL[:3]
    assert chromium.messages() == []


def test_without_the_script_everything_can_be_read(
    chromium: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    """A policy that lets no script run leaves no control that does nothing."""
    source = pages["mixed"].read_text(encoding="utf-8")
    silent = tmp_path / "silent.html"
    silent.write_text(re.sub(r"script-src 'sha256-[^']*'; ", "", source), "utf-8")
    chromium.open(silent)
    assert chromium.ask("document.querySelectorAll('select, input').length") == 0
    assert chromium.ask(SEEN) == ALL[:3]
    chromium.driver.execute_script(
        "document.querySelectorAll('details').forEach(each => each.open = true)"
    )
    assert chromium.ask(SEEN) == ALL


def test_a_link_to_hits_opens_them(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["mixed"])
    hits = "document.querySelector('#hits-1')"
    assert chromium.ask(f"{hits}.checkVisibility()") is False
    chromium.driver.find_element("css selector", "a[href='#hits-1']").click()
    assert chromium.ask(f"{hits}.checkVisibility()") is True
    assert chromium.messages() == []


def test_dark_and_light(chromium: Browser, pages: dict[str, Path]) -> None:
    chromium.open(pages["mixed"])
    assert chromium.ask(BACKGROUND) == "rgb(255, 255, 255)"
    chromium.open(pages["mixed"], dark=True)
    assert chromium.ask(BACKGROUND) == "rgb(20, 24, 27)"


@pytest.mark.parametrize("name", ["mixed", "history"])
@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_told_from_its_ground(
    name: str, dark: bool, chromium: Browser, pages: dict[str, Path]
) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    chromium.open(pages[name], dark=dark)
    assert chromium.ask(CONTRASTS) == []


def test_on_paper_everything_is_open_and_light(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    chromium.open(pages["mixed"], dark=True)
    assert chromium.ask("document.querySelector('.parts').checkVisibility()") is False
    chromium.open(pages["mixed"], dark=True, media="print", width=700)
    parts = "document.querySelector('.parts')"
    assert chromium.ask(f"{parts}.checkVisibility({{contentVisibilityAuto: true}})")
    assert chromium.ask(f"{parts}.getBoundingClientRect().height") > 50
    assert chromium.ask("getComputedStyle(document.querySelector('nav')).display") == (
        "none"
    )
    assert chromium.ask(BACKGROUND) == "rgb(255, 255, 255)"
    assert chromium.ask(TOO_WIDE) == []
    assert base64.b64decode(chromium.pdf()).startswith(b"%PDF")


def test_the_keyboard_reaches_what_it_needs(
    chromium: Browser, pages: dict[str, Path]
) -> None:
    from selenium.webdriver.common.keys import Keys

    chromium.open(pages["mixed"])
    body = chromium.driver.find_element("tag name", "body")
    body.send_keys(Keys.TAB)
    assert chromium.ask("document.activeElement.textContent") == "To the content"
    assert chromium.ask("document.activeElement.getBoundingClientRect().left") >= 0
    seen = []
    for _ in range(30):
        chromium.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(chromium.ask("document.activeElement.tagName"))
    assert {"A", "SUMMARY"} <= set(seen)
