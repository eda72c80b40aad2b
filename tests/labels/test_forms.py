# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as text, JSON, Markdown and a page; all that each has to say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from garak_tbsa.labels.forms import json_document, pages, text
from garak_tbsa.labels.forms.view import AuditedReport, DetectorView, share_text
from garak_tbsa.labels.score import Estimate
from garak_tbsa.safe_text import printable
from garak_tbsa.unavailable import Unavailable
from tests.browser import Browser
from tests.github_links import harmless_tokens, links_in
from tests.html_pages import CONTRASTS, TOO_WIDE, Page, assert_harmless
from tests.labels.samples import hostile, mixed, settled
from tests.outputs.samples import HOSTILE

SAMPLES = [mixed, settled, hostile]
SCORE = r"\d\.\d by detectors; \d\.\d \(\d\.\d to \d\.\d\)"
SCHEMA: dict[str, Any] = json.loads(
    (files("garak_tbsa") / "schemas" / "audit.schema.json").read_text("utf-8")
)
LABELLED = (
    "31 of 80 outputs are labelled; skip or unsure: 1; of pairs that do not count or"
    " were not audited: 1; could not be used: 1"
)
RATERS = "3 raters on 3 common outputs: Krippendorff's alpha 0.50"
PICKED = (
    "2 labels are of outputs that a person picked rather than drew at random; the"
    " ranges assume a choice without sight of the verdicts"
)
NOT_AUDITED = "1 of 5 pairs could not be audited, its grade stays the detector's"
NOTHING_NEXT = "Every output of the audited pairs is labelled."


def as_text(view: AuditedReport) -> str:
    return " ".join(" ".join(text.lines(view)).split())


def as_markdown(view: AuditedReport) -> str:
    return pages.markdown(view).replace("&#58;", ":")


def as_page(view: AuditedReport) -> str:
    return Page(pages.page(view)).text


@pytest.mark.parametrize("form", [as_text, as_markdown, as_page])
def test_all_there_is_to_say(
    form: Callable[[AuditedReport], str], tmp_path: Path
) -> None:
    shown = form(mixed(tmp_path))
    assert re.search(rf"TBSA {SCORE} by 31 labels", shown)
    assert re.search(f"ass-rate grades alone: {SCORE} by labels; the calibr", shown)
    for said in (
        *(LABELLED, RATERS, PICKED, NOT_AUDITED),
        "web.Gone+web.D: the report has 0 of its 10 outputs",
        "No label yet: enc.D",
        "TBSA sums a scan up; it does not replace reading the report.",
    ):
        assert said in shown, said


def test_what_the_text_lays_out(tmp_path: Path) -> None:
    shown = text.lines(mixed(tmp_path))
    share = r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\)"
    assert any(re.fullmatch(rf"   precision {share}, NPV {share}", x) for x in shown)
    assert "dan.DAN: 6 of 8 flagged and 14 of 32 unflagged outputs labelled" in shown
    changed, _ = (line.split() for line in shown if line.endswith("dan.Two+dan.DAN"))
    assert (changed[0], changed[-2]) == ("5", "8")
    assert all(len(line) <= 80 for line in shown if str(tmp_path) not in line)
    # no verdict is told by what is to be labelled next, each pair is there once
    start = next(n for n, line in enumerate(shown) if "What to label next" in line)
    assert "flagged" not in "".join(shown[start:])
    pairs = [line.split()[-1] for line in shown[start + 2 : -2]]
    assert len(pairs) == len(set(pairs))


def test_what_markdown_lays_out(tmp_path: Path) -> None:
    shown = as_markdown(mixed(tmp_path))
    for said in (
        f"\n- **Warning**: {PICKED}\n",
        "\n| fail-under | **failed** | a lower end of at least 4.5 |",
        "\n| detector | labels | sensitivity | specificity | precision | NPV |\n",
        "\n| dan.DAN | 6 + 14 | 0",
        "\n\nNo label yet: enc.D\n",
        "\n| dan.Two+dan.DAN | 1 | 5 | ",
        "\n| label next | labels | unlabelled |\n",
        "<summary>1 pair not audited</summary>\n\n- web.Gone+web.D: the report has 0",
    ):
        assert said in shown, said


def test_what_the_page_lays_out(tmp_path: Path) -> None:
    parsed = Page(pages.page(mixed(tmp_path)))
    for said in (
        "TBSA of a garak scan, by labels test Blank ",
        "gate failed 1 of 1 rules failed",
        "fail-under : a lower end of at least 4.5 Found: ",
        "Labels that could not be used: 1",
        "uuid of web.Xss has no output 99 in the report",
        "Detector Labels Sensitivity Specificity Precision NPV dan.DAN 6 + 14 0.",
        "4 pairs, lowest grade by labels first",
    ):
        assert said in parsed.text, said
    assert re.search(r"\d+ of 12 dan\.Two dan\.DAN", parsed.text)
    drawings = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    (label,) = (str(d["aria-label"]) for d in drawings if d.get("role") == "img")
    assert re.fullmatch(
        r"TBSA \d\.\d on a scale from 1\.0 to 5\.0 by labels, \d\.\d to \d\.\d;"
        r" 4\.1 by detectors",
        label,
    )
    targets = {attributes.get("id") for _, attributes in parsed.tags}
    links = [str(a["href"])[1:] for tag, a in parsed.tags if tag == "a"]
    assert len(links) == 10
    assert set(links) <= targets


def test_nothing_changes_and_nothing_is_next(tmp_path: Path) -> None:
    view = settled(tmp_path)
    shown = text.lines(view)
    assert shown[0] == "TBSA 3.0 by detectors; 3.0 (3.0 to 3.0) by 20 labels"
    assert {"The labels change no pair's grade.", NOTHING_NEXT} <= set(shown)
    assert not [line for line in shown if "⚠️" in line or "raters" in line]
    shown_there = as_markdown(view)
    assert f"\n\nThe labels change no pair's grade.\n\n{NOTHING_NEXT}" in shown_there
    assert "| gate |" not in shown_there
    assert "not audited" not in shown_there
    shown_there = as_page(view)
    assert "Pairs whose grade the labels change None." in shown_there
    assert f"What to label next {NOTHING_NEXT}" in shown_there
    assert "Gate" not in shown_there
    assert "Not audited" not in shown_there


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_kind_of_audit_follows_the_schema(
    sample: Callable[[Path], AuditedReport], tmp_path: Path
) -> None:
    view = sample(tmp_path)
    document = json.loads(json_document.render(view))
    Draft202012Validator(SCHEMA).validate(document)
    assert set(document) == set(SCHEMA["properties"]) == set(SCHEMA["required"])
    assert json_document.render(view) == json_document.render(view)
    del document["audited"]["lower"]
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMA).validate(document)


def test_what_the_json_says_of_labels(tmp_path: Path) -> None:
    sample = mixed(tmp_path)
    document = json.loads(json_document.render(sample))
    audited = document["audited"]
    assert audited["tbsa"] == sample.score.by_labels.value / 10
    assert (audited["level"], audited["labels"], audited["outputs"]) == (0.95, 31, 80)
    labels = document["labels"]
    assert {each["detector"] for each in labels.pop("disputed")} == {"dan.DAN"}
    assert labels == {
        "files": list(sample.label_files),
        "used": 31,
        "of_other_pairs": 1,
        "ties": 0,
        "skipped": 1,
        "blank": 0,
        "picked": 2,
        "warnings": [],
        "agreement": {"alpha": pytest.approx(0.5), "rows": 3, "raters": 3},
        "problems": [
            f"{sample.label_files[2]}, line 3: attempt uuid of web.Xss has no output 99"
            " in the report; give the report that the labels were made from"
        ],
    }
    assert sum(each["labels"] for each in document["next"]) == 20
    (enc,) = (e for e in document["detectors"] if e["detector"] == "enc.D")
    assert enc["specificity"] == {
        "value": None,
        "lower": None,
        "upper": None,
        "missing_because": "too few labels: needs 5 more unflagged",
    }


def test_which_shares_lack_and_why(tmp_path: Path) -> None:
    """\"Each with interval and labels behind it, or how many more are needed.\""""
    some = Unavailable(reason="too few labels: needs 3 more flagged")
    both = Unavailable(reason=f"{some.reason} and 1 more unflagged")
    nothing = Unavailable(reason="it flagged nothing")
    known = Estimate(value=0.999, lower=0.25, upper=1.0)
    found = mixed(tmp_path).detectors[0]
    cases: list[tuple[dict[str, Estimate[float] | Unavailable], list[str], str]] = [
        (
            {"precision": some, "hit_f1": both, "prevalence": known},
            [">.99 (0.25 to 1.00)"],
            "too few labels for the others: needs 3 more flagged and 1 more unflagged",
        ),
        ({"precision": some}, [], some.reason),
        (
            {"precision": nothing, "sensitivity": nothing},
            [],
            "no precision, sensitivity: it flagged nothing",
        ),
    ]
    for shares, texts, missing in cases:
        view = DetectorView(found=replace(found, shares=shares))
        assert [*view.texts.values()] == texts
        assert view.missing == [missing]


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0.00"), (1.0, "1.00"), (0.999, ">.99"), (0.001, "<.01"), (0.125, "0.12")],
)
def test_a_share_is_rounded_but_never_to_nothing(share: float, said: str) -> None:
    assert share_text(share) == said


def test_what_next_labels_bring(tmp_path: Path) -> None:
    view = mixed(tmp_path)
    width = view.score.by_labels.upper - view.score.by_labels.lower
    for changed, end in (
        ({"width_after_next": width - 1}, f"20 labels about {(width - 1) / 10:.1f}."),
        ({"width_after_next": width}, "these 20 labels would hardly narrow it."),
        ({"next": (replace(view.next[0], labels=1),)}, "wide; with this label about"),
    ):
        said = replace(view, **changed).next_text
        assert end in said


def test_of_very_many_a_part_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = mixed(tmp_path)
    many = {f"p.P{n:02}+d.D": "why" for n in range(text.LISTED + 3)}
    scan = replace(sample.scan, not_audited=many)
    shown = text.lines(replace(sample, scan=scan))
    assert "   not audited: p.P09+d.D: why" in shown
    assert "   not audited: p.P10+d.D: why" not in shown
    assert "   … and 3 more (in the JSON)" in shown
    assert "13 of 17 pairs could not be audited, their grades stay" in " ".join(shown)
    monkeypatch.setattr(pages, "PROBLEMS_SHOWN", 1)
    assert "2 more are in the JSON." in as_page(hostile(tmp_path))


def test_hostile_text_is_text(tmp_path: Path) -> None:
    view = hostile(tmp_path)
    assert text.lines(view)[0].startswith("TBSA ")
    document = pages.markdown(view)
    tokens = harmless_tokens(document)
    html = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert html == ["<details><summary>1 pair not audited</summary>", "</details>"]
    assert links_in(document) == []
    for row in (line for line in document.splitlines() if line.startswith("| d")):
        assert row.count("|") == 7


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_page_runs_nothing_and_asks_for_nothing(
    sample: Callable[[Path], AuditedReport], tmp_path: Path
) -> None:
    assert_harmless(Page(pages.page(sample(tmp_path))))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for sample in (mixed, hostile):
        found[sample.__name__] = folder / f"{sample.__name__}.html"
        source = pages.page(sample(folder))
        found[sample.__name__].write_text(source, encoding="utf-8")
    return found


@pytest.mark.parametrize("name", ["mixed", "hostile"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_nothing_loads_nothing_overflows(
    name: str, width: int, chromium: Browser, written: dict[str, Path]
) -> None:
    chromium.open(written[name], width=width)
    chromium.driver.execute_script(
        "document.querySelectorAll('details').forEach(e => { e.open = true; })"
    )
    assert chromium.ask("window.ran === undefined")
    assert chromium.messages() == []
    assert chromium.requests() == [written[name].as_uri()]
    assert chromium.ask("document.styleSheets[0].cssRules.length") > 30
    assert chromium.ask(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert chromium.ask(TOO_WIDE) == []


def test_hostile_text_reads_as_it_was_written(
    chromium: Browser, written: dict[str, Path]
) -> None:
    chromium.open(written["hostile"])
    chromium.driver.execute_script("document.querySelector('#pairs ~ *').open = true")
    shown = " ".join(str(chromium.ask("document.body.innerText")).split())
    for each in HOSTILE:
        assert " ".join(printable(each).split()) in shown


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_told_from_its_ground(
    dark: bool, chromium: Browser, written: dict[str, Path]
) -> None:
    """WCAG 2.2, 1.4.3: a contrast of at least 4.5 to 1."""
    chromium.open(written["mixed"], dark=dark)
    assert chromium.ask(CONTRASTS) == []
