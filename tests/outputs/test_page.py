# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of scores, comparisons and histories, as a parser and a browser read them."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.behaviour.product import GOLD, tbsa
from tests.browser import Browser, browser
from tests.html_pages import (
    CONTRASTS,
    NARROW_NAMES,
    TOO_WIDE,
    Page,
    assert_harmless,
)
from tests.outputs.samples import with_hits, write
from tests.outputs.written import Written
from tests.report_rows import PairFacts, pairs_named, report_rows, write_report

GARAK = "https://reference.garak.ai/en/latest/"
Forms = dict[str, Written]


def attributes_of(parsed: Page, tag: str, kind: str = "") -> list[dict[str, str]]:
    """Attributes of the elements of a tag, of one class where it is given."""
    return [
        {name: str(value) for name, value in attributes.items()}
        for name, attributes in parsed.tags
        if name == tag and str(attributes.get("class", "")).startswith(kind)
    ]


def page_of(path: Path | str, *options: object, command: str = "score") -> Page:
    """The page that a command writes of a report."""
    output = Path(path).with_name("page.html")
    shown = tbsa(command, path, *options, "--html", output)
    assert shown.code == 0, shown
    return Page(output.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def parsed(scores: Forms, comparisons: Forms) -> dict[str, Page]:
    """The page of each kind; that of hostile comparisons is called ``compared``."""
    forms = {**scores, **comparisons, "compared": comparisons["hostile"]}
    forms["hostile"] = scores["hostile"]
    return {name: Page(each.forms["--html"]) for name, each in forms.items()}


SCRIPTED = ("mixed", "perfect", "uncounted", "hostile")


def test_a_page_runs_nothing_but_its_script_and_asks_for_nothing(
    parsed: dict[str, Page],
) -> None:
    """Self-contained, with a policy by hashes; hostile text is text and no link."""
    for name, page in parsed.items():
        assert_harmless(page, links_to=(GARAK,) if name == "mixed" else ())
        assert bool(page.script) is (name in SCRIPTED), name
    # in names, settings, prompts and responses
    assert parsed["hostile"].text.count("<script>window.ran=1</script>") > 50


def test_folds_headings_and_links_of_a_score(parsed: dict[str, Page]) -> None:
    """Hits are folded, below the numbers of their pair."""
    page = parsed["mixed"]
    hits = attributes_of(page, "details", "hits")
    assert ["open" in each for each in hits] == [False]
    drawings = attributes_of(page, "svg")
    assert all(each["aria-hidden"] == "true" for each in drawings if "role" not in each)
    headings = [tag for tag, _ in page.tags if tag in ("h1", "h2", "h3")]
    assert headings == ["h1"] + ["h2"] * (len(headings) - 1)
    targets = {attributes.get("id") for _, attributes in page.tags}
    links = [link["href"] for link in attributes_of(page, "a")]
    assert f"{GARAK}probes/dan.html#garak.probes.dan.DUDE" in links
    within = {link[1:] for link in links if link.startswith("#")}
    assert len(within) > 5
    assert within <= targets


@pytest.mark.parametrize(
    ("name", "href"),
    [
        ("scan.report", "./scan.report.html"),
        ("javascript:alert(1).report", "./javascript%3Aalert%281%29.report.html"),
        ("a\udcff b.report", "./a%3F%20b.report.html"),
    ],
)
def test_garaks_page_is_linked_by_its_name(
    tmp_path: Path, name: str, href: str
) -> None:
    """It lies beside the report; a page of ours goes to others without the folder."""
    path = tmp_path / f"{name}.jsonl"
    facts = [PairFacts()]
    write_report(path, with_hits(facts, report_rows(facts), "a hit"))
    (tmp_path / f"{name}.html").touch()
    page = page_of(path)
    assert_harmless(page, links_to=(GARAK, "./"))
    links = [link["href"] for link in attributes_of(page, "a")]
    assert [link for link in links if link.startswith("./")] == [href]


def test_why_there_is_nothing_to_show(tmp_path: Path) -> None:
    """Nobody asked for it, or no pair has a hit."""
    facts = pairs_named((1, 2, 2))
    rows = report_rows(facts)
    path = write(tmp_path, "clean", rows)
    shown = page_of(path, "--no-interval", "--no-evidence").text
    assert "No repeat interval: it was not asked for." in shown
    assert "No hits are shown: hits were left out on request." in shown
    attempt = {"entry_type": "attempt", "status": 2, "probe_classname": "probe.P00"}
    attempt |= {"prompt": "p", "outputs": ["o"], "detector_results": {"D": [0.0]}}
    write(tmp_path, "clean", [*rows[:3], attempt, *rows[3:]])
    assert "No hits are shown: no pair has a hit." in page_of(path).text


def garaks_words(folder: Path, **members: object) -> str:
    """What the page has of a pair of grade 3, with these members in its digest."""
    facts = PairFacts(probe="a.A", detector="a.D", passed=20, total=40, tier=2, mu=0.2)
    rows = report_rows([facts])
    rows[-1]["eval"]["a"]["a.A"]["a.D"] |= members
    return page_of(write(folder, "words", rows), "--no-interval").text


def test_garaks_words_where_its_page_says_otherwise(tmp_path: Path) -> None:
    """Grade 3 by pass rate and 5 by Z: garak's page has the Z grade alone."""
    comments = {"absolute_comment": "elevated risk", "relative_comment": "low risk"}
    shown = garaks_words(tmp_path, detector_defcon=5, **comments)
    words = "garak: DEFCON 5, pass rate “elevated risk”, Z “low risk”"
    assert shown.count(words.replace("garak", "Garak", 1)) == 1
    assert "1 of 1 pairs have another grade on garak’s page" in shown
    assert "arak: DEFCON" not in garaks_words(tmp_path, detector_defcon=3, **comments)
    odd_ones: tuple[object, ...] = (None, "5", 7, True, [], {}, 1.5)
    for odd in odd_ones:
        members = {"absolute_comment": odd, "relative_comment": "y" * 999}
        shown = garaks_words(tmp_path, detector_defcon=odd, **members)
        (found,) = set(re.findall(r"arak: (no DEFCON)", shown))
        assert found, odd


def test_what_fixing_brings_is_told_and_garaks_number_is_not(tmp_path: Path) -> None:
    """explain alone names that."""
    path = tmp_path / "r.report.jsonl"
    path.write_bytes((GOLD / "garak-0.17.1.report.jsonl").read_bytes())
    shown = page_of(path).text
    assert "TBSA 4.1 to 4.3 if both pairs of dan below grade 4 are fixed." in shown
    assert "garak’s own module" not in shown


def test_a_pair_is_a_slope_from_its_rate_before_to_its_rate_after(
    parsed: dict[str, Page],
) -> None:
    """0 % is at the bottom: 6 + 32 * (1 - rate)."""
    slopes = attributes_of(parsed["worse"], "line", "way")
    assert [(slope["class"], slope["y1"], slope["y2"]) for slope in slopes] == [
        ("way fell", "11.1", "21.7"),
        ("way rose", "25.2", "23.9"),
        ("way level", "9.2", "9.2"),
    ]


def test_a_score_stands_at_its_place_on_its_line(tmp_path: Path) -> None:
    """From 1.0 at one end to 5.0 at the other."""
    places = {}
    for passed in (0, 10):
        rows = report_rows(pairs_named((1, passed, 10)))
        page = page_of(write_report(tmp_path / "scan.report.jsonl", rows))
        (line,) = (r for r in attributes_of(page, "rect", "empty") if r["rx"] == "3")
        start, length = float(line["x"]), float(line["width"])
        (dot,) = (d for d in attributes_of(page, "circle", "full") if d["r"] == "8")
        places[passed] = (float(dot["cx"]) - start) / length
    assert 0 <= places[0] < 0.05
    assert 0.95 < places[10] <= 1


def test_a_chart_of_a_history_joins_scans_of_one_checksum(tmp_path: Path) -> None:
    """Also where a scan of another checksum lies between; a range may be unknown."""
    start = "2026-03-0{}T10:20:30"
    kinds = [(1, 20, 5), (2, 30, 10), (3, 40, 5), (4, 30, 5)]
    for day, passed, generations in kinds:
        rows = report_rows(
            pairs_named((1, passed, 40), (2, 20, 40)),
            setup={"run.generations": generations},
        )
        rows[-1]["meta"]["start_time"] = start.format(day)
        write(tmp_path, f"scan{day}", rows)
    page = page_of(tmp_path, command="history")
    (chart,) = attributes_of(page, "svg", "chart")
    assert chart["aria-label"].startswith(
        "TBSA over time: 2026-03-01 10:20: 3.0, 2026-03-02 10:20: "
    )
    dots = [float(dot["cx"]) for dot in attributes_of(page, "circle", "full")]
    assert dots == sorted(set(dots))
    lines = [
        (float(line["x1"]), float(line["x2"]))
        for line in attributes_of(page, "line", "line")
    ]
    assert lines == [(dots[0], dots[2]), (dots[2], dots[3])]
    marked = [float(dot["cx"]) for dot in attributes_of(page, "circle", "marked")]
    assert marked == dots[2:]
    # 5.0 above and 1.0 below, within the chart, and scores between them
    heights = [float(line["y1"]) for line in attributes_of(page, "line", "axis")]
    top, bottom = min(heights), max(heights)
    assert 0 < top < bottom < float(chart["viewbox"].split()[-1])
    height = float(attributes_of(page, "circle", "full")[0]["cy"])
    assert height == pytest.approx((top + bottom) / 2)


# in the browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, scores: Forms, comparisons: Forms
) -> dict[str, Path]:
    """The page of each kind, as a file."""
    folder = tmp_path_factory.mktemp("pages")
    found = {**comparisons, "compared": comparisons["hostile"], **scores}
    for name, forms in found.items():
        (folder / f"{name}.html").write_text(forms.forms["--html"], encoding="utf-8")
    return {name: folder / f"{name}.html" for name in found}


NAMES = ["mixed", "hostile", "history", "worse", "common", "untested", "compared"]
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
WHITE = "rgb(255, 255, 255)"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_runs_nothing_loads_nothing_overflows(
    name: str, chromium: Browser, pages: dict[str, Path]
) -> None:
    """In windows of any width."""
    for width in (360, 641, 768, 899, 1025, 1600):
        chromium.open(pages[name], width=width)
        assert chromium.ask("document.readyState") == "complete"
        assert chromium.ask("window.ran === undefined")
        assert chromium.messages() == []
        assert chromium.requests() == [pages[name].as_uri()]
        assert chromium.ask("document.scripts.length") == (name in SCRIPTED)
        assert chromium.ask("document.images.length") == 0
        assert chromium.ask("document.documentElement.clientWidth") <= width
        assert chromium.ask(
            "document.documentElement.scrollWidth"
            " <= document.documentElement.clientWidth"
        )
        assert chromium.ask(TOO_WIDE) == []
        if name != "history":  # its rows are named by dates
            assert chromium.ask(NARROW_NAMES) == []


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


ROWS = "Array.from(document.querySelectorAll('tbody[data-place]'))"
SEEN = f"""{ROWS}.filter(row => row.checkVisibility()).map(
    row => row.querySelector('th').innerText.split('\\n')[0])"""
ALL = ["dan.Two", "dan.DUDE", "web.Xss", "enc.Clean"]


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
    chromium.open(pages["mixed"])
    assert chromium.ask(SEEN) == ALL
    find = chromium.driver.find_element("css selector", ".controls input")
    find.send_keys("CLEAN")
    assert chromium.ask(SEEN) == ["enc.Clean"]
    status = "document.querySelector('[role=status]').textContent"
    assert chromium.ask(status) == "1 of 4 pairs"
    find.send_keys(Keys.BACKSPACE * len("CLEAN"))
    assert chromium.ask(SEEN) == ALL
    choose(chromium, 2, "rate")
    assert chromium.ask(SEEN) == ["dan.DUDE", "dan.Two", "web.Xss", "enc.Clean"]
    choose(chromium, 2, "z")
    assert chromium.ask(SEEN) == ["dan.DUDE", "dan.Two", "enc.Clean", "web.Xss"]
    choose(chromium, 2, "cost")
    assert chromium.ask(SEEN) == ["dan.DUDE", "web.Xss", "dan.Two", "enc.Clean"]
    choose(chromium, 0, "below")
    choose(chromium, 1, "1")
    assert chromium.ask(SEEN) == ["dan.DUDE", "dan.Two"]
    choose(chromium, 2, "place")
    choose(chromium, 0, "")
    choose(chromium, 1, "")
    assert chromium.ask(SEEN) == ALL
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
    assert chromium.ask(SEEN) == ALL


@pytest.mark.parametrize("name", ["mixed", "history", "worse", "common"])
@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_told_from_its_ground(
    name: str, dark: bool, chromium: Browser, pages: dict[str, Path]
) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    chromium.open(pages[name], dark=dark)
    assert chromium.ask(BACKGROUND) == ("rgb(20, 24, 27)" if dark else WHITE)
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
    assert chromium.ask(BACKGROUND) == WHITE
    assert chromium.ask(TOO_WIDE) == []
    assert base64.b64decode(chromium.pdf()).startswith(b"%PDF")


def test_the_keyboard_reaches_what_it_needs(
    chromium: Browser, pages: dict[str, Path]
) -> None:
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
