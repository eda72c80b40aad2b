# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``label --page``: a page that sends nothing, and whose export ``audit`` reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.behaviour.judged import (
    OUTPUTS,
    answer,
    careful,
    write_scan,
)
from tests.behaviour.labelled import write_lines
from tests.behaviour.product import GOLD, document, tbsa
from tests.html_pages import Page, assert_harmless
from tests.report_rows import RUN, PairFacts

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[2J\u202e"
    "{{7*7}} [link=http://x]y[/link] [/foo] :skull: | `x` \u2066z"
)


def page_of(report: Path, *options: object) -> str:
    page = report.parent / "new" / "label.html"
    shown = tbsa("label", report, "--page", page, *options)
    assert shown.code == 0, shown
    return page.read_text(encoding="utf-8")


def data_of(source: str) -> Any:
    return Page(source).data


def plain(path: Path) -> Path:
    return write_scan(path)


def hostile(path: Path) -> Path:
    facts = PairFacts(probe=f"dan.{HOSTILE}", detector=HOSTILE, passed=4, total=8)

    def text(_: PairFacts, n: int) -> str:
        return f"{HOSTILE} end of {n}"

    return write_scan(path, [facts], text=text, prompt=HOSTILE, goal=HOSTILE)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return plain(tmp_path / "x.report.jsonl")


def test_it_says_what_to_do_next(report: Path) -> None:
    page = report.parent / "label.html"
    shown = tbsa("label", report, "--page", page, "-n", 500)
    assert (shown.code, shown.out) == (
        0,
        f"{page}: {OUTPUTS} outputs to label; open it in a browser, then\n"
        f"   garak-tbsa audit {report} --labels EXPORTED-FILE\n",
    )
    assert shown.err == (
        f"garak-tbsa: {page}: the report has no more outputs to label\n"
    )
    shown = tbsa("label", report, "--page", page, "-n", 1)
    assert (shown.lines[0], shown.err) == (
        f"{page}: 1 output to label; open it in a browser, then",
        "",
    )


def test_rules_are_those_of_what_a_detector_looks_for(tmp_path: Path) -> None:
    """A judge of refusals looks for what the detector of refusals looks for."""
    rules = {}
    for name in ("mitigation.MitigationBypass", "judge.Refusal", "dan.DAN"):
        facts = PairFacts(detector=name, passed=4, total=8)
        report = write_scan(tmp_path / f"{name}.report.jsonl", [facts])
        (rules[name],) = data_of(page_of(report))["rules"]
        (tmp_path / "new" / "label.html").unlink()
    assert rules["judge.Refusal"] == rules["mitigation.MitigationBypass"]
    assert rules["judge.Refusal"] != rules["dan.DAN"]


@pytest.mark.parametrize("make", [plain, hostile])
def test_the_page_runs_its_own_script_alone_and_asks_for_nothing(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    source = page_of(make(tmp_path / "x.report.jsonl"))
    page = Page(source)
    assert_harmless(page, is_asking=True)
    assert page.addresses == set()
    assert page.script
    block = source.partition('<script type="application/json" id="data">')[2]
    assert re.fullmatch(r"[^<>&\x00-\x1f\x7f-\uffff]+", block.partition("</script>")[0])


@settings(max_examples=8)
@given(st.lists(st.text(max_size=40), min_size=8, max_size=8))
@example([HOSTILE] * 8)
def test_any_text_is_visible_text(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    """Ids come back as they are; what is shown has no control character."""
    folder = tmp_path_factory.mktemp("any")

    def page_with(*texts: str) -> Page:
        name, prompt, goal, *_ = texts
        facts = PairFacts(probe=f"p.{name}", detector=f"d.{name}", passed=4, total=8)
        own: dict[str, Any] = {
            "text": lambda _, n: texts[n],
            "prompt": prompt,
            "goal": goal,
        }
        return Page(page_of(write_scan(folder / "x.report.jsonl", [facts], **own)))

    page, plain = page_with(*texts), page_with(*"x" * 8)
    assert (page.tags, page.style, page.script) == (
        *(plain.tags, plain.style, plain.script),
    )
    assert len(page.data["questions"]) == 8
    for row in page.data["questions"]:
        ids = row["attempt"], row["detector"]
        assert ids == (f"uuid of p.{texts[0]}", f"d.{texts[0]}")
        for text, shown in (
            (f"p.{texts[0]}", row["probe_shown"]),
            (f"d.{texts[0]}", row["detector_shown"]),
            (texts[1], page.data["prompts"][0]),
            (texts[2], row["goal"]),
            (texts[row["output_index"]], row["text"]),
        ):
            assert shown.replace("\n", "").isprintable()
            assert shown == text or not text.isprintable()
            if HOSTILE in text:
                assert "<script>alert(1)</script>" in shown
                assert "[link=http://x]y[/link] [/foo] :skull: | `x`" in shown


def test_no_text_a_very_long_one_and_no_run(tmp_path: Path) -> None:
    """A report without a run is known by its attempts; long texts lose their middle."""
    facts = PairFacts(detector="dan.DAN", passed=1, total=3)
    report = write_scan(tmp_path / "x.report.jsonl", [facts])
    rows = [
        {name: value for name, value in json.loads(line).items() if value != RUN}
        for line in report.read_text("utf-8").splitlines()
    ]
    (attempt,) = (row for row in rows if row["entry_type"] == "attempt")
    attempt["outputs"] = [None, {"text": "x" * 1_000_000}, {"text": "y" * 250}]
    known = []
    for number, uuid in enumerate(("u", "u", "v")):
        attempt["uuid"] = uuid
        lines = (json.dumps(row).replace(f'"{RUN}"', "null") for row in rows)
        report.write_text("\n".join(lines), encoding="utf-8")
        source = page_of(report, "--seed", number)
        data = data_of(source)
        known.append(data["report"])
        texts = {row["output_index"]: row["text"] for row in data["questions"]}
        assert (texts[0], texts[2]) == (None, "y" * 250)
        assert "…[1,000,000 characters]…" in texts[1]
        assert len(texts[1]) < 100_050
        # half of the outputs have more characters than the middle one
        assert (
            "60 labels take about 20 minutes: half of the outputs have more than 250"
            " characters"
        ) in source
    assert known[0] == known[1] != known[2]
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in known)


def test_the_page_tells_no_verdict(report: Path) -> None:
    source = page_of(report)
    data = data_of(source)
    assert set(data) == {"report", "name", "rater", "questions", "prompts", "rules"}
    assert (data["name"], data["prompts"]) == ("x", ["hello"])
    for question in data["questions"]:
        assert set(question) == {
            *("attempt", "output_index", "detector", "probe_shown", "detector_shown"),
            *("goal", "prompt", "text", "rule"),
        }
    without_style = re.sub("<style>.*?</style>", "", source.lower(), flags=re.DOTALL)
    for word in ("flagged", "verdict", "detector_results", "score", "threshold"):
        assert word not in without_style


def test_what_is_on_the_page_can_be_chosen(report: Path) -> None:
    data = data_of(page_of(report, "--detector", "web.D", "--rater", "Zoë"))
    assert {row["detector"] for row in data["questions"]} == {"web.D"}
    assert (len(data["questions"]), data["rater"]) == (20, "Zoë")
    data = data_of(page_of(report, "--probe", "enc.B64", "-n", 7))
    assert {row["probe_shown"] for row in data["questions"]} == {"enc.B64"}
    assert len(data["questions"]) == 7
    orders = {
        json.dumps([row["output_index"] for row in data_of(page)["questions"]])
        for page in (page_of(report, "--seed", seed) for seed in (1, 2, 1))
    }
    assert len(orders) == 2


def test_its_export_is_read_by_audit(report: Path, tmp_path: Path) -> None:
    """Each output once; the export has the form of the label log."""
    questions = data_of(page_of(report))["questions"]
    truth = {(x["attempt"], x["output_index"], x["detector"]): x for x in careful()}
    keys = [(q["attempt"], q["output_index"], q["detector"]) for q in questions]
    assert sorted(keys) == sorted(truth)
    exported = write_lines(tmp_path / "export.jsonl", [truth[key] for key in keys])
    found = document(tmp_path, "audit", report, "--labels", exported)
    assert (found["audited"]["tbsa"], found["labels"]["used"]) == (3.6, OUTPUTS)


def test_hostile_labels_reach_no_terminal(tmp_path: Path) -> None:
    report = hostile(tmp_path / "h.report.jsonl")
    (facts,) = [PairFacts(probe=f"dan.{HOSTILE}", detector=HOSTILE, passed=4, total=8)]
    rows = [answer(facts, n, "pass", rater=HOSTILE, note=HOSTILE) for n in range(8)]
    rows.append(answer(facts, 0, "hit", detector=f"{HOSTILE}\n::error::x"))
    labels = write_lines(tmp_path / "h.jsonl", rows)
    page = tmp_path / "a.html"
    shown = tbsa("audit", report, "--labels", labels, "--html", page)
    assert shown.code == 0
    said = (shown.out + shown.err).replace("\n", "")
    assert not set("\x1b\u202e\u2066") & set(said)
    assert "\n::error" not in shown.out + shown.err
    assert shown.err.count("\n") == 1
    assert "alert(1)</script>" not in page.read_text("utf-8")


BAD: list[tuple[tuple[str, ...], int, str]] = [
    (
        ("-",),
        2,
        "-: is read several times; give a report's path",
    ),
    (
        ("{report}", "--page", "{folder}/l.html", "--labels", "l.jsonl"),
        2,
        "--labels l.jsonl: is not for --page, which keeps answers in the browser,"
        " where earlier ones can be imported",
    ),
    (
        ("{report}", "--labels", "{folder}"),
        1,
        "{folder}: is not a file; give --labels the path of a file",
    ),
    (
        ("{report}", "--labels", "{folder}/sheet.csv"),
        1,
        "{folder}/sheet.csv: does not hold answers of `label`, so none can be"
        " appended; give --labels another path (audit takes several files of labels)",
    ),
    (
        ("{report}", "--probe", "dan.DUDE"),
        1,
        "{report}: --probe dan.DUDE: not in this report; it has dan.One, enc.B64,"
        " web.Xss",
    ),
    (
        ("{report}", "--detector", "dan.DAN", "--probe", "enc.B64"),
        1,
        "{report}: no output of --probe enc.B64 was judged by --detector dan.DAN;"
        " leave one of them out",
    ),
    (
        ("{thinned}",),
        1,
        "{thinned}: none of its pairs can be audited; of"
        " ansiescape.AnsiRaw+ansiescape.Raw, the report has 0 of its 58 outputs; give"
        " the report as garak wrote it, with all attempts",
    ),
    (
        ("{report}", "{report}", "--page", "{page}"),
        2,
        "--page {page}: is for one report, and 2 are given; take them one by one",
    ),
    (
        ("{report}", "--page", "{report}"),
        2,
        "--page {report}: would overwrite the input {report}; give each output a path"
        " of its own",
    ),
    (
        ("{report}", "--page", "{page}", "--detector", "dan.DUDE"),
        1,
        "{report}: --detector dan.DUDE: not in this report; it has dan.DAN, enc.D,"
        " web.D",
    ),
]


def test_what_cannot_be_labelled_is_one_line(report: Path) -> None:
    """Nothing is written, and no input is touched."""
    before = report.read_bytes()
    page, sheet = report.parent / "label.html", report.parent / "sheet.csv"
    sheet.write_text("label,attempt,output_index,detector\r\nhit,u,0,dan.DAN\r\n")
    places = {
        "report": str(report),
        "folder": str(report.parent),
        "page": str(page),
        "thinned": str(GOLD / "garak-0.17.1.report.jsonl"),
    }
    for arguments, code, message in BAD:
        shown = tbsa("label", *(each.format(**places) for each in arguments))
        said = f"garak-tbsa: {message.format(**places)}"
        assert (shown.code, shown.error) == (code, said)
    assert {path.name for path in report.parent.iterdir()} == {report.name, sheet.name}
    assert report.read_bytes() == before
