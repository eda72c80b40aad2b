# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page to label on, as a parser reads it."""

from __future__ import annotations

import base64
import hashlib
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.label_audit.label_page import page_text
from garak_tbsa.label_audit.outputs import Place
from garak_tbsa.label_audit.questions import (
    LabellingTask,
    Question,
    labelling_task,
    planned_questions,
)
from garak_tbsa.label_audit.texts import OutputText, Texts
from garak_tbsa.safe_text import printable, readable
from tests.factories import PairFacts, graded_pair
from tests.label_audit.label_pages import (
    Source,
    hostile_report,
    page_of,
)
from tests.label_audit.reports import full_report
from tests.label_audit.scans import attempt, outputs_of_attempts
from tests.tbsa.outputs.samples import HOSTILE

QUESTION_FIELDS = {
    "attempt",
    "output_index",
    "detector",
    "probe_shown",
    "detector_shown",
    "goal",
    "prompt",
    "text",
    "rule",
}


def source_of(report: Path, *options: str) -> Source:
    return Source(page_of(report, *options).read_text(encoding="utf-8"))


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl")


# what is in the file


@pytest.mark.parametrize("make", [full_report, hostile_report])
def test_the_policy_allows_the_page_s_own_script_and_style_alone(
    make: Callable[[Path], Path], tmp_path: Path
) -> None:
    parsed = source_of(make(tmp_path / "x.report.jsonl"))

    def source_hash(name: str) -> str:
        digest = hashlib.sha256(parsed.raw[name].encode()).digest()
        return "sha256-" + base64.b64encode(digest).decode()

    (policy,) = (
        str(attributes["content"])
        for tag, attributes in parsed.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == (
        f"default-src 'none'; script-src '{source_hash('script')}'; style-src"
        f" '{source_hash('style')}'; base-uri 'none'; form-action 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )
    tags = [tag for tag, _ in parsed.tags]
    assert tags.count("script") == 2
    assert tags.index("meta") < tags.index("style")
    assert not set(tags) & {"img", "iframe", "link", "object", "embed", "base", "form"}
    for tag, attributes in parsed.tags:
        for name in attributes:
            assert not name.startswith("on"), (tag, name)
            assert name not in ("style", "src", "srcset", "action", "href"), (tag, name)


def test_the_script_makes_no_markup_and_reaches_no_network(report: Path) -> None:
    script = source_of(report).raw["script"]
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\("
        r"|fetch|XMLHttp|WebSocket|sendBeacon|import\(|https?:",
        script,
    )


def test_nothing_from_which_a_verdict_follows_is_in_the_page(report: Path) -> None:
    """\"never the detector's verdict [...] or score\""""
    data = source_of(report).data
    assert set(data) == {"report", "name", "rater", "questions", "prompts", "rules"}
    assert all(set(question) == QUESTION_FIELDS for question in data["questions"])
    source = page_of(report).read_text(encoding="utf-8").lower()
    source = re.sub("<style>.*?</style>", "", source, flags=re.DOTALL)
    for word in ("flagged", "verdict", "detector_results", "score", "threshold"):
        assert word not in source


def test_the_order_tells_no_verdict() -> None:
    """Over many seeds flagged outputs are where unflagged ones are."""
    places: dict[bool, list[int]] = {True: [], False: []}
    for seed in range(60):
        task = small_task(seed)
        for number, question in enumerate(planned_questions(task, {}, 20)):
            cell = task.scan.cells[task.cell_of[question.judged]]
            places[cell.flagged].append(number)
    assert min(map(len, places.values())) > 200
    means = [statistics.mean(places[flagged]) for flagged in (True, False)]
    assert abs(means[0] - means[1]) < 1.5


def small_task(seed: int) -> LabellingTask:
    hits = {"dan.DAN": 12, "mitigation.Prefixes": 6}
    attempts = [
        attempt(f"u{n}", {name: [n < own, 0.0] for name, own in hits.items()})
        for n in range(20)
    ]
    graded = [
        graded_pair(
            PairFacts(probe="dan.DanInTheWild", detector=n, passed=40 - own, total=40)
        )
        for n, own in hits.items()
    ]
    return labelling_task(graded, outputs_of_attempts(*attempts), seed=seed)


def test_as_many_outputs_as_asked_for_each_once(report: Path) -> None:
    for count, expected in ((7, 7), (50, 50), (500, 50)):
        rows = source_of(report, "-n", str(count)).data["questions"]
        places = {(r["attempt"], r["output_index"], r["detector"]) for r in rows}
        assert len(rows) == len(places) == expected


def test_one_detector_a_rater_and_the_report_s_name(report: Path) -> None:
    data = source_of(report, "--detector", "dan.DAN", "--rater", "Zoë").data
    assert {row["detector"] for row in data["questions"]} == {"dan.DAN"}
    assert data["rater"] == "Zoë"
    assert data["name"] == "x"
    assert data["prompts"] == ["the prompt"]
    assert len(data["rules"]) == 1


def test_a_report_without_uuid_is_known_by_its_attempts(
    report: Path, tmp_path: Path
) -> None:
    task = small_task(1)
    questions: Sequence[Question] = ()
    texts = Texts(str(report))
    known = [
        Source(page_text("x", run, task, questions, texts)).data["report"]
        for run in ("run", None, None)
    ]
    assert known[0] == "run"
    assert re.fullmatch("[0-9a-f]{64}", known[1])
    assert known[1] == known[2]


def test_hostile_text_is_in_the_page_as_visible_text(tmp_path: Path) -> None:
    """\"never markup, never script, bidi controls and control characters visible\""""
    source = page_of(hostile_report(tmp_path / "x.report.jsonl")).read_bytes()
    data = Source(source.decode("utf-8")).data
    for row in data["questions"]:
        for name in ("probe_shown", "detector_shown", "goal", "text"):
            assert row[name] == printable(row[name])
    assert all(text == printable(text) for text in data["prompts"])
    body = source.partition(b'<script type="application/json" id="data">')[2]
    block = body.partition(b"</script>")[0]
    assert block.isascii()
    assert not re.search(rb"[<>&\x00-\x1f]", block)


class GivenTexts(Texts):
    """Texts that no report has to hold."""

    def __init__(self, text: str) -> None:
        super().__init__("")
        self.text = text

    def of(self, place: Place, upcoming: Iterable[Place]) -> OutputText:
        return OutputText(prompt=self.text, text=self.text, goal=self.text)


@settings(max_examples=40)
@given(text=st.text(max_size=40) | st.sampled_from(HOSTILE))
def test_every_string_of_a_report_is_text(text: str) -> None:
    """\"never markup, never script\", and ids come back as they are."""
    question = Question(place=Place(text, 0), probe=text, detector=text)
    parsed = Source(
        page_text(
            f"{text}.report.jsonl",
            text,
            small_task(1),
            [question],
            GivenTexts(text),
            text,
        )
    )
    plain = Source(page_text("x", "x", small_task(1), [question], GivenTexts("x"), "x"))
    assert parsed.tags == plain.tags
    assert {n: t for n, t in parsed.raw.items() if n != "data"} == {
        n: t for n, t in plain.raw.items() if n != "data"
    }
    (row,) = parsed.data["questions"]
    assert (row["attempt"], row["detector"]) == (text, text)
    assert row["text"] == row["goal"] == parsed.data["prompts"][0] == readable(text)
