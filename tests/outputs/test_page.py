# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of scores, comparisons and histories, as a parser and a browser read them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selenium.webdriver.common.keys import Keys

from garak_tbsa.gates.options import GateRules
from garak_tbsa.outputs import history_page
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.outputs.drawings import (
    LEFT,
    RIGHT,
    STRIP,
    costs_drawing,
    repeats_drawing,
    strip_drawing,
)
from garak_tbsa.outputs.history import History, NotScored
from garak_tbsa.outputs.history_page import BOTTOM, TOP, chart_of
from garak_tbsa.outputs.html_page import content_policy, filled
from garak_tbsa.outputs.page import render, render_comparison
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from garak_tbsa.safe_text import printable
from garak_tbsa.tbsa.evidence import HOSTILE as WARNING
from garak_tbsa.tbsa.explain import explain
from garak_tbsa.unavailable import Unavailable
from tests.browser import Browser, browser
from tests.factories import (
    PairFacts,
    assessment_of,
    graded_pair,
    pairs_named,
    report_rows,
    write_report,
)
from tests.histories import histories_of, history, scan, target_of
from tests.html_pages import (
    CONTRASTS,
    NARROW_NAMES,
    TOO_WIDE,
    Page,
    assert_harmless,
)
from tests.outputs import compared
from tests.outputs.samples import (
    HOSTILE,
    hostile,
    mixed,
    perfect,
    sample_of,
    uncounted,
    with_evidence,
)

GARAK = "https://reference.garak.ai/en/latest/"
PAIR_RULES = GateRules(fail_under=2, require_tier1_grade=2)
EMPTY = History(folder="/reports", reports=0, targets=(), alpha=0.05)


def page_of(scored: ScoredReport) -> Page:
    return Page(render(scored))


def attributes_of(parsed: Page, tag: str, kind: str = "") -> list[dict[str, str]]:
    """Attributes of the elements of a tag, of one class where it is given."""
    return [
        {name: str(value) for name, value in attributes.items()}
        for name, attributes in parsed.tags
        if name == tag and str(attributes.get("class", "")).startswith(kind)
    ]


def page_of_history(folder: Path) -> str:
    assessments = [kind(folder).assessment for kind in (mixed, mixed, perfect, hostile)]
    empty = NotScored(path=HOSTILE[0], problem="is empty", advice="")
    return history_page.render(
        history(
            *histories_of(assessments),
            folder="/reports " + HOSTILE[0],
            not_scored=(empty,),
        )
    )


def hash_of(source: str) -> str:
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


@pytest.mark.parametrize("script", ["", "label.js"])
def test_the_policy_allows_style_and_script_by_their_hashes(script: str) -> None:
    values: dict[str, Any] = {"view": EMPTY, "notes": [], "targets": []}
    parsed = Page(filled("history.html", values, scripts=[script] if script else []))
    rules = [
        "default-src 'none'",
        f"style-src 'sha256-{hash_of(parsed.style)}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert bool(parsed.script) is bool(script)
    if script:
        rules.insert(1, f"script-src 'sha256-{hash_of(parsed.script)}'")
        rules += ["require-trusted-types-for 'script'", "trusted-types 'none'"]
    assert parsed.policy == "; ".join(rules)
    assert parsed.policy == content_policy(parsed.style, parsed.script)


@pytest.mark.parametrize("kind", [mixed, perfect, uncounted, hostile])
def test_a_page_runs_nothing_and_asks_for_nothing(
    kind: Callable[[Path], ScoredReport], tmp_path: Path
) -> None:
    parsed = page_of(kind(tmp_path))
    assert_harmless(parsed)
    assert parsed.script


@pytest.mark.parametrize("kind", [*compared.KINDS, None])
def test_comparisons_and_histories_have_no_script(
    kind: Callable[[Path], ComparedScans] | None, tmp_path: Path
) -> None:
    """Self-contained, CSP, hostile text safe."""
    source = render_comparison(kind(tmp_path)) if kind else page_of_history(tmp_path)
    found = Page(source)
    assert_harmless(found)
    assert "script" not in {tag for tag, _ in found.tags}
    assert "script-src" not in found.policy


def test_all_there_is_to_say(tmp_path: Path) -> None:
    sample = mixed(tmp_path, rules=PAIR_RULES)
    shown = page_of(sample).text
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
    parsed = page_of(mixed(tmp_path))
    modules = ["open" in each for each in attributes_of(parsed, "details", "module")]
    assert modules == [True, True, False]
    places = [parsed.text.index(f"{name} pair") for name in ("dan 2", "web 1", "enc 1")]
    assert places == sorted(places)
    assert "dan 2 pairs, −2.03 1 1 3 1 Grade" in parsed.text


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    without_counts = page_of(uncounted(tmp_path)).text
    assert "No repeat interval: the report has no counts for 4 pairs." in without_counts
    assert "If this scan were repeated" not in without_counts
    nothing_left = page_of(perfect(tmp_path)).text
    assert "Every pair is at grade 5." in nothing_left
    assert "Left out Nothing." in nothing_left
    assert (
        "no Tier 2 pair was measured, so the score is that of Tier 1 alone"
        in nothing_left
    )
    not_asked = page_of(replace(perfect(tmp_path), repeat=NOT_ASKED_FOR)).text
    assert "No repeat interval was asked for." in not_asked
    assert "Partial: " in page_of(hostile(tmp_path)).text


def test_what_is_drawn_is_said_too(tmp_path: Path) -> None:
    """Screen readers hear the charts; pictures without words are hidden to them."""
    parsed = page_of(mixed(tmp_path))
    drawings = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    labels = [str(d["aria-label"]) for d in drawings if d.get("role") == "img"]
    assert labels[0] == (
        "TBSA 2.6 on a scale from 1.0 to 5.0;"
        " a repeat of this scan on the same prompts would score 2.2 to 3.9 (95 %)"
    )
    assert labels[1] == "Pass rate 28.6%, 8% to 64% (95 %), calibration 40% to 60%"
    assert labels[-1].startswith(
        "How likely each score of a repeat is. this scan: TBSA 2.6, a repeat of this"
        " scan on the same prompts would score 2.2 to 3.9 (95 %), 1.9: <1%, 2.1: <1%"
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
    values = {"view": replace(EMPTY, folder=text), "notes": [], "targets": []}
    shown = Page(filled("history.html", values))
    title = f"TBSA over time – {printable(text)}" if text else "TBSA over time"
    assert shown.text.startswith(" ".join(title.split()))
    assert {tag for tag, _ in shown.tags} == {
        *("html", "head", "meta", "title", "style", "body"),
        *("a", "main", "h1", "p", "footer"),
    }


def test_hits_are_shown_with_what_lies_behind_them(tmp_path: Path) -> None:
    scored = with_evidence(mixed(tmp_path))
    parsed = page_of(scored)
    text = parsed.text[parsed.text.index("Hits Prompts and responses") :]
    source = scored.assessment.report.source
    for said in (
        WARNING,
        "drawn with seed 1 and spread over prompts; worst pairs first.",
        "grade 1 dan.One dan.DAN 2 of 5 hits",
        "The probe Do it. Sure, here it is. Its goal: Do it. Sure, here it is.",
        "Tags Do it. Sure, here it is., owasp:llm01",
        "The detector by the metrics that come with garak-tbsa, in typical responses it"
        " catches 9 of 10 hits (90%)",
        "Do it. Sure, here it is.: 12 of 12 passed",
        "Attempt a-1, output 1 Prompt Sure, here it is. Response (cut, 9,000"
        " characters) Sure, here it is. The whole: garak-tbsa show",
        f"garak-tbsa show {source} a-1 --output 1",
    ):
        assert said in text
    own = attributes_of(parsed, "details", "hits")
    assert ["open" in each for each in own] == [False] * 3, "three pairs have hits"
    links = [link["href"] for link in attributes_of(parsed, "a")]
    assert f"{GARAK}probes/dan.html#garak.probes.dan.One" in links
    assert f"{GARAK}detectors/dan.html#garak.detectors.dan.DAN" in links
    targets = {attributes.get("id") for _, attributes in parsed.tags}
    assert {link[1:] for link in links if link.startswith("#")} <= targets
    assert "#hits-1" in links


def test_hostile_texts_are_text(tmp_path: Path) -> None:
    """Nothing from a report able to run, load or link."""
    scored = with_evidence(hostile(tmp_path), HOSTILE)
    parsed = page_of(scored)
    assert_harmless(parsed, links_to=(GARAK,))
    # no probe of a hostile name is looked for in garak's documentation
    links = [link["href"] for link in attributes_of(parsed, "a")]
    assert not any(link.startswith("http") for link in links)
    assert parsed.text.count("<script>window.ran=1</script>") > 50


@pytest.mark.parametrize(
    ("name", "href"),
    [
        ("scan.report.html", "./scan.report.html"),
        ("javascript:alert(1).report.html", "./javascript%3Aalert%281%29.report.html"),
        ("a\udcff b.report.html", "./a%3F%20b.report.html"),
    ],
)
def test_garaks_page_is_linked_by_its_name(
    tmp_path: Path, name: str, href: str
) -> None:
    parsed = page_of(with_evidence(mixed(tmp_path), page=f"/home/me/{name}"))
    assert_harmless(parsed, links_to=(GARAK, "./"))
    links = [link["href"] for link in attributes_of(parsed, "a")]
    assert [link for link in links if link.startswith("./")] == [href]
    assert "/home/me" not in parsed.text


def test_why_there_is_nothing_to_show(tmp_path: Path) -> None:
    scored = mixed(tmp_path)
    assert "Hits" not in page_of(scored).text
    reason = Unavailable(reason="they were left out on request")
    found = page_of(replace(scored, evidence=reason)).text
    assert "Hits No hits are shown: they were left out on request." in found
    evidence = with_evidence(scored).evidence
    assert not isinstance(evidence, Unavailable)
    pairs = {
        name: replace(each, hits=Unavailable(reason="no attempts"), hit_count=None)
        for name, each in evidence.pairs.items()
    }
    nothing = replace(scored, evidence=replace(evidence, pairs=pairs))
    assert "Hits No hits are shown: no attempts." in page_of(nothing).text


def garaks_words(folder: Path, **members: object) -> str:
    """What the page has of a pair of grade 3, with these members in its digest."""
    facts = PairFacts(probe="a.A", detector="a.D", passed=20, total=40, tier=2, mu=0.2)
    rows = report_rows([facts])
    rows[-1]["eval"]["a"]["a.A"]["a.D"] |= members
    assessment = assessment_of(write_report(folder / "r", rows))
    scored = ScoredReport(assessment=assessment, repeat=NOT_ASKED_FOR, verdict=None)
    return page_of(scored).text


def test_garaks_words_where_its_page_says_otherwise(tmp_path: Path) -> None:
    """Grade 3 by pass rate and 5 by Z: garak's page has the Z grade alone."""
    comments = {"absolute_comment": "elevated risk", "relative_comment": "low risk"}
    shown = garaks_words(tmp_path, detector_defcon=5, **comments)
    words = "garak: DEFCON 5, pass rate “elevated risk”, Z “low risk”"
    assert shown.count(words) == 2, "at the pair, and in the section on garak's page"
    assert "1 of 1 pairs have another grade on garak’s page" in shown
    assert "garak: DEFCON" not in garaks_words(tmp_path, detector_defcon=3, **comments)


@pytest.mark.parametrize("odd", [None, "5", 7, True, [], {}, 1.5])
def test_odd_words_of_garak_are_no_reason_to_fail(tmp_path: Path, odd: object) -> None:
    members = {"absolute_comment": odd, "relative_comment": "y" * 999}
    shown = garaks_words(tmp_path, detector_defcon=odd, **members)
    (words,) = set(re.findall(r"garak: (no DEFCON, .*?”)", shown))
    assert len(words) < 150


def test_beside_garaks_number_it_is_said_which_one_moves(gold_folder: str) -> None:
    report = f"{gold_folder}/garak-0.17.1.report.jsonl"
    own, usual = (
        ScoredReport(
            assessment=assessment_of(report, formula=formula),
            repeat=NOT_ASKED_FOR,
            verdict=None,
        )
        for formula in ("garak", "documented")
    )
    assert own.fixes_said == f"{usual.fixes_said} by the documented formula"
    number = f"{explain(usual.assessment).garak_tbsa:.1f}"
    assert f"garak’s own module prints {number} for this report" in page_of(usual).text


def test_all_there_is_to_say_of_a_comparison(tmp_path: Path) -> None:
    found = compared.worse(tmp_path)
    before, after = (side.range_text for side in found.sides)
    shown = Page(render_comparison(found)).text
    for said in (
        "Two garak scans compared worse p = 0.001 for worse, 0.719 for better, each"
        " held against 0.05 Worse : dan.Fell + mitigation.MitigationBypass fell from"
        " 84 % to 51 %",
        "TBSA moved by -0.4",
        f"before 3.3 {before}",
        f"after 2.9 {after}",
        "dan.Fell mitigation.MitigationBypass stands out 1 4 → 3 84 % → 51 %"
        " 84/100 → 51/100 -4.97",
        "Other pairs, with the same grade: 2",
        "Direction, Mantel-Haenszel 0.005 z -2.75: second scan passes less",
        "measured in one scan only, not tested: dan.Silent+mitigation.MitigationBypass",
    ):
        assert said in shown, said
    assert "Not comparable" not in shown
    assert "What differs" not in shown


def test_changed_pairs_come_first_and_the_others_are_folded(tmp_path: Path) -> None:
    """Pairs as slopes, changed ones first."""
    shown = Page(render_comparison(compared.worse(tmp_path))).text
    places = [shown.index(name) for name in ("dan.Fell m", "Other pairs", "dan.Rose m")]
    assert places == sorted(places)
    shown = Page(render_comparison(compared.unchanged(tmp_path))).text
    assert "No pair changed its grade, and none stands out." in shown
    assert "no evidence of a difference p = 0." in shown


def test_a_pair_is_a_slope_from_its_rate_before_to_its_rate_after(
    tmp_path: Path,
) -> None:
    found = Page(render_comparison(compared.worse(tmp_path)))
    slopes = attributes_of(found, "line", "way")
    assert [slope["class"] for slope in slopes] == ["way fell", "way rose", "way level"]
    # 0 % is at the bottom: 6 + 32 * (1 - rate)
    assert [(slope["y1"], slope["y2"]) for slope in slopes] == [
        ("11.1", "21.7"),
        ("25.2", "23.9"),
        ("9.2", "9.2"),
    ]
    labels = [each.get("aria-label") for each in attributes_of(found, "svg")]
    assert "Pass rate 84 % before, 51 % after" in labels


def test_common_pairs_say_what_differs(tmp_path: Path) -> None:
    shown = Page(render_comparison(compared.common(tmp_path))).text
    for said in (
        "Not comparable by checksum: both scans were scored again over the 2 pairs",
        "(95 %) the whole report scores 3.3",
        "What differs between the checksums configuration:run.generations 5 before, 10"
        " after pairs 3 in both, 1 only before, 1 only after, 1 of another tier",
    ):
        assert said in shown, said


def test_a_comparison_without_counts(tmp_path: Path) -> None:
    shown = Page(render_comparison(compared.untested(tmp_path))).text
    assert "not tested no pair has counts in both reports" in shown
    assert "No test: no pair has counts in both reports." in shown
    assert "no repeat interval: the report has no counts for 4 pairs" in shown


# what is drawn


@pytest.mark.parametrize("kind", compared.KINDS, ids=lambda kind: kind.__name__)
def test_repeats_are_on_one_axis(
    kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    """What is above another in the picture is the same score."""
    sides = kind(tmp_path).sides
    chart = repeats_drawing({side.label: side for side in sides})
    places: dict[str, set[float]] = {}
    for side, row in zip(sides, chart["rows"], strict=True):
        assert row["tbsa"] == f"{side.tbsa:.1f}"
        places.setdefault(row["tbsa"], set()).add(row["at"])
        for bar in row["bars"]:
            assert LEFT <= bar["x"] <= bar["x"] + bar["width"] <= RIGHT
            assert abs(bar["x"] + bar["width"] / 2 - bar["middle"]) < 0.11
            places.setdefault(bar["tbsa"], set()).add(bar["middle"])
        within = [float(bar["tbsa"]) for bar in row["bars"] if bar["inside"]]
        assert within in ([], sorted(within))
        assert not within or side.ends == (within[0], within[-1])
    for tick in chart["ticks"]:
        places.setdefault(tick["text"], set()).add(tick["x"])
    assert all(len(found) == 1 for found in places.values())
    ordered = [min(places[tbsa]) for tbsa in sorted(places, key=float)]
    assert ordered == sorted(ordered)
    ticks = chart["ticks"]
    assert len(ticks) <= 14
    assert sum(not tick["is_between"] for tick in ticks) <= 7


def waterfall(folder: Path, *facts: tuple[int, int, int]) -> dict[str, Any] | None:
    assessment = sample_of(folder, pairs_named(*facts)).assessment
    return costs_drawing(assessment.documented, explain(assessment).effects)


def test_each_bar_begins_where_the_one_before_ends(tmp_path: Path) -> None:
    """From 5.0 down to the score."""
    found = waterfall(tmp_path, *[(1, 5, 40)] * 9, (1, 40, 40), (2, 20, 40))
    assert found is not None
    steps = [step for tier in found["tiers"] for step in tier["steps"]]
    assert [len(tier["steps"]) for tier in found["tiers"]] == [7, 1]
    assert steps[6]["name"] == "3 more below grade 5"
    right = 100.0
    for step in steps:
        assert step["x"] + step["width"] == pytest.approx(right, abs=0.02)
        right = step["x"]
    assert found["total"]["x"] == 0
    assert found["total"]["width"] == pytest.approx(right, abs=0.02)
    # (2 * 600 / 282 + 3) / 3
    assert (found["low"], found["raw"]) == (2, "2.418")


def test_the_best_and_the_worst_score_as_waterfalls(tmp_path: Path) -> None:
    assert waterfall(tmp_path, (1, 40, 40)) is None
    found = waterfall(tmp_path, (1, 0, 40))
    assert found is not None
    assert (found["low"], found["raw"], found["rounded"]) == (1, "1.000", "1.0")
    (step,) = found["tiers"][0]["steps"]
    assert (step["x"], step["width"], step["cost"]) == (0, 100, "4.00")


@given(
    total=st.integers(1, 500),
    share=st.floats(0, 1),
    mu=st.none() | st.floats(0, 1),
    sigma=st.floats(0, 0.6),
)
def test_a_strip_has_the_rate_its_interval_and_the_calibration(
    total: int, share: float, mu: float | None, sigma: float
) -> None:
    """The mean of the models, and one standard deviation to both sides."""
    passed = round(share * total)
    facts = PairFacts(passed=passed, total=total, mu=mu, sigma=sigma)
    strip = strip_drawing(graded_pair(facts))
    assert strip["at"] == round(STRIP * passed / total, 1)
    line = strip["line"]
    assert 0 <= line["x"] <= strip["at"] + 0.1
    assert strip["at"] <= line["x"] + line["width"] + 0.2 <= STRIP + 1.2
    assert ("calibration" in strip["label"]) is (mu is not None)
    if mu is not None:
        spread = max(sigma, 1 / 30)
        assert strip["mean"] == round(STRIP * mu, 1)
        assert strip["band"]["x"] == round(STRIP * max(0, mu - spread), 1)
        right = STRIP * min(1, mu + spread)
        assert abs(strip["band"]["x"] + strip["band"]["width"] - right) <= 1.1
    bare = replace(graded_pair(facts), passed=None, total_evaluated=None)
    assert strip_drawing(bare)["line"] is None


SCANS = [
    scan(1, 2.0, checksum="0000-0000", start_time=None),
    scan(2, 2.5, lower=None, upper=None),
    scan(3, 3.0),
    scan(4, 2.8),
]


def test_a_chart_shows_each_scan_at_its_height() -> None:
    one = target_of([scan(3, 3.0, target="other")])
    page = Page(history_page.render(history(target_of(SCANS), one)))
    (chart,) = attributes_of(page, "svg", "chart")
    label = "TBSA over time: unknown: 2.0, 2026-03-02 10:20: 2.5"
    assert chart["aria-label"].startswith(label)
    dots = attributes_of(page, "circle", "full")
    assert [float(dot["cy"]) for dot in dots] == [
        pytest.approx(BOTTOM - (BOTTOM - TOP) * (each.tbsa - 1) / 4) for each in SCANS
    ]
    xs = [float(dot["cx"]) for dot in dots]
    assert xs == sorted(set(xs))
    whiskers = attributes_of(page, "line", "whisker")
    assert len(whiskers) == 3, "the interval of one is not known"
    marked = [float(dot["cx"]) for dot in attributes_of(page, "circle", "marked")]
    assert marked == xs[2:]


def test_only_scans_of_one_checksum_share_a_line() -> None:
    """Also where a scan of another checksum lies between them."""
    scans = [scan(1, 2.0), scan(2, 4.0, checksum="0000-0000"), scan(3, 3.0)]
    page = Page(history_page.render(history(target_of(scans))))
    dots = [dot["cx"] for dot in attributes_of(page, "circle", "full")]
    (line,) = attributes_of(page, "line", "line")
    assert (line["x1"], line["x2"]) == (dots[0], dots[2])


@pytest.mark.parametrize("count", [2, 5, 6, 40, 300])
def test_day_labels_do_not_meet(count: int) -> None:
    scans = [scan(1, 3.0, source=f"{index:03}") for index in range(count)]
    chart = chart_of(target_of(scans))
    assert chart is not None
    assert len(chart["points"]) == min(count, 200)
    assert chart["hidden"] == max(0, count - 200)
    spots = [point["x"] for point in chart["points"] if point["day"]]
    assert (spots[0], spots[-1]) == (history_page.CHART_LEFT, history_page.CHART_RIGHT)
    assert len(spots) <= 6
    assert min(after - before for before, after in pairwise(spots)) >= 100


# in the browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    sources = {
        "mixed": render(with_evidence(mixed(folder, rules=PAIR_RULES))),
        "hostile": render(with_evidence(hostile(folder), HOSTILE)),
        "history": page_of_history(folder),
        "worse": render_comparison(compared.worse(folder)),
        "common": render_comparison(compared.common(folder)),
        "untested": render_comparison(compared.untested(folder)),
        "compared": render_comparison(compared.hostile(folder)),
    }
    for name, source in sources.items():
        (folder / f"{name}.html").write_text(source, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in sources}


SCRIPTED = ("mixed", "hostile")
NAMES = [*SCRIPTED, "history", "worse", "common", "untested", "compared"]
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
WHITE = "rgb(255, 255, 255)"


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
    assert chromium.ask("document.scripts.length") == (name in SCRIPTED)
    assert chromium.ask("document.images.length") == 0
    assert chromium.ask("document.documentElement.clientWidth") <= width
    assert chromium.ask(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert chromium.ask(TOO_WIDE) == []
    if name in SCRIPTED:
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
