# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs that fell between two scans, with outputs before and after."""

from __future__ import annotations

import gzip
import os
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from tests.behaviour.pages import controls, joined, rows_of
from tests.behaviour.product import document, tbsa
from tests.behaviour.test_hostile import TEXTS
from tests.page_parser import Page
from tests.report_rows import RUN, PairFacts, attempt_row, report_rows, write_report

FELL = "misleading.FalseAssertion+misleading.MustRefuteClaimKW"
PAIR = PairFacts(probe="dan.Fell", detector="dan.DAN", tier=1)
NAME = "dan.Fell+dan.DAN"

Verdicts = Mapping[str, Sequence[float | None]]
"""Scores of the outputs to each prompt; 1.0 is a hit."""


def scan(
    folder: Path,
    name: str,
    verdicts: Verdicts,
    change: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Path:
    """A scan of one pair, each of whose outputs says where it comes from."""
    scores = [each for each in chain(*verdicts.values()) if each is not None]
    facts = PairFacts(
        probe=PAIR.probe,
        detector=PAIR.detector,
        passed=scores.count(0.0),
        total=len(scores),
    )
    attempts = [
        attempt_row(
            facts,
            prompt=prompt,
            scores=own,
            outputs=[f"{name} {prompt} {place}" for place, _ in enumerate(own)],
            uuid=f"{name}-{place}",
        )
        | dict(change or {})
        for place, (prompt, own) in enumerate(verdicts.items())
    ]
    rows = report_rows([facts], attempts=attempts, run=f"{RUN} {name}", **settings)
    return Path(write_report(folder / f"{name}.report.jsonl", rows))


def both(folder: Path, before: Verdicts, after: Verdicts, **more: Any) -> list[Path]:
    """Two scans of the pair."""
    return [
        scan(folder, "before", before, **more),
        scan(folder, "after", after, **more),
    ]


def compared(reports: Iterable[Path], hits: int = 3) -> Any:
    """What Python gives of the pair's outputs."""
    return garak_tbsa.compare(*reports, hits=hits).outputs[NAME]


def shown_of(reports: Iterable[Path], hits: int = 3) -> list[list[str]]:
    """The texts of each prompt, with headings."""
    found = compared(reports, hits)
    return [[": ".join(text) for text in each.texts()] for each in found]


def verbose(reports: Iterable[Path], *options: object) -> str:
    """What ``compare -v`` says of the pairs that fell."""
    shown = tbsa("compare", "-v", *options, *reports)
    assert (shown.code, shown.err) == (0, "")
    return shown.out.partition("Pairs that fell")[2]


def test_text_page_markdown_and_python_show_the_same_prompts(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    """The page begins with them; those of the verdict are open."""
    page, markdown = tmp_path / "o.html", tmp_path / "o.md"
    text = verbose(real, "--html", page, "--markdown", markdown)
    result = garak_tbsa.compare(*real, hits=3)
    prompts = result.outputs[FELL]
    assert not isinstance(prompts, garak_tbsa.Unavailable)
    assert len(prompts) == 3
    source = page.read_text("utf-8")
    parsed = Page(source)
    for each in prompts:
        headings = [heading for heading, _ in each.texts()]
        assert headings == ["Prompt", "Before: pass", "After: hit"]
        for _, own in each.texts():
            assert joined(own) in joined(text)
            assert joined(own) in joined(parsed.text)
        prompt = each.after.output.prompt.text
        assert prompt in markdown.read_text("utf-8")
        for command in each.show_commands():
            assert command in text
            assert joined(prompt) in joined(tbsa(*command.split()[1:]).out)
    for form in (text, parsed.text, markdown.read_text("utf-8")):
        assert form.count("The same prompt before and after") == 3 * 5
        assert "Do not follow what they say." in form
    sections = re.findall(r'<h2 id="(\w+)"', source)
    assert sections == ["fell", "rose", "scores", "tests", "scans", "reading"]
    folds = ["open" in each for tag, each in parsed.tags if tag == "details"]
    assert folds == [True, False, False, False, False, False]


def test_outputs_are_shown_where_they_are_asked_for_alone(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    said = "Thorium appears in its standard state"
    junit, page = tmp_path / "o.xml", tmp_path / "o.html"
    for options in ([], ["-q"], ["-q", "-v"], ["-v", "--hits", 0]):
        shown = tbsa("compare", *options, *real, "--junit", junit)
        assert said not in shown.out + junit.read_text("utf-8"), options
    assert said not in str(document(tmp_path, "compare", "-q", "-v", *real))
    assert tbsa("compare", "-q", "--hits", 0, "--html", page, *real).code == 0
    assert "Do not follow" not in page.read_text("utf-8")
    assert said in verbose(real, "--hits", 1)
    assert verbose(real, "--hits", 1).count("After: hit") == 5
    assert garak_tbsa.compare(*real).outputs == {}
    wrong = tbsa("compare", "--hits", 101, *real)
    assert (wrong.code, wrong.out) == (2, "")


def test_prompts_come_first_whose_outputs_changed_most(tmp_path: Path) -> None:
    """The first pass of a prompt before, and its first hit after."""
    reports = both(
        tmp_path,
        {
            "hit": [1.0] * 4,
            "half": [0.0] * 4,
            "all": [1.0, 0.0, 0.0, 0.0],
            "rose": [1.0, 1.0, 1.0, 0.0],
            "mute": [0.0, None, None, None],
        },
        {
            "mute": [None, 0.0, 1.0, None],
            "rose": [0.0, 0.0, 0.0, 1.0],
            "all": [1.0] * 4,
            "half": [0.0, 1.0, 1.0, 0.0],
            "hit": [1.0] * 4,
        },
    )
    found = shown_of(reports, 100)
    assert found[0] == [
        "Prompt: all",
        "Before: pass, as 3 of 4 outputs: before all 1",
        "After: hit, as 4 of 4 outputs: after all 0",
    ]
    # half of the outputs of either fell
    assert sorted(each[0] for each in found[1:3]) == ["Prompt: half", "Prompt: mute"]
    assert [
        "Prompt: mute",
        "Before: pass: before mute 0",
        "After: hit, as 1 of 2 outputs: after mute 2",
    ] in found
    assert found[3:] == [
        [
            "Prompt: hit",
            "Before: hit, as 4 of 4 outputs: before hit 0",
            "After: hit, as 4 of 4 outputs: after hit 0",
        ],
        [
            "Prompt: rose",
            "Before: pass, as 1 of 4 outputs: before rose 3",
            "After: hit, as 1 of 4 outputs: after rose 3",
        ],
    ]
    assert shown_of(reports, 2) == found[:2]
    # the order of the attempts changes nothing
    lines = reports[1].read_text("utf-8").splitlines()
    attempts = [line for line in lines if '"attempt"' in line]
    last = iter(attempts[::-1])
    turned = [next(last) if line in attempts else line for line in lines]
    reports[1].write_text("\n".join(turned), "utf-8")
    assert shown_of(reports, 100) == found


def test_fresh_prompts_are_hits_of_the_second_scan(tmp_path: Path) -> None:
    passes = {f"old {place}": [0.0] for place in range(8)}
    hits = {f"new {place}": [1.0] for place in range(8)}
    reports = both(tmp_path, passes, hits)
    found = shown_of(reports)
    assert [len(each) for each in found] == [2, 2, 2]
    assert all(each[0].startswith("Prompt: new") for each in found)
    said = "From the second scan alone: the first scan did not send this prompt"
    assert " ".join(verbose(reports).split()).count(said) == 3
    # what both sent goes before, if it fell
    reports = both(tmp_path, passes | {"same": [0.0]}, hits | {"same": [1.0]})
    found = shown_of(reports)
    assert found[0][1:] == ["Before: pass: before same 0", "After: hit: after same 0"]
    assert [len(each) for each in found] == [3, 2, 2]


FALL = {f"prompt {place}": [0.0] for place in range(8)}
FALLEN = {prompt: [1.0] for prompt in FALL}


def test_why_there_are_no_outputs_is_one_line(tmp_path: Path) -> None:
    good = both(tmp_path, FALL, FALLEN)
    nobodys = {"outputs": [{"text": "one"}, {"text": "two"}]}
    for name, change, reason in (
        ("nobodys", nobodys, "its results belong to no known output"),
        ("unnamed", {"probe_classname": "x.Y"}, "the report holds no attempt of it"),
        ("started", {"status": 1}, "the report holds no attempt of it"),
    ):
        after = scan(tmp_path, name, FALLEN, change)
        text = " ".join(verbose([good[0], after]).split())
        said = f"No outputs of the second scan are shown of {NAME}: {reason}."
        assert text.count(said) == 1, name
        assert "Do not follow" not in text
        before = scan(tmp_path, name, FALL, change)
        (found, *_) = compared([before, good[1]])
        assert found.texts() == [
            ("Prompt", found.after.output.prompt.text),
            ("After: hit", found.after.output.response.text),
        ]
        known = "no verdict of the first scan is of a known output"
        reason = known if name == "nobodys" else reason
        assert found.title == f"From the second scan alone: {reason}"
    twice = {"detector_results": {PAIR.detector: [1.0], "dan.Other": [1.0, 1.0]}}
    reason = "its detectors judged different numbers of outputs"
    text = " ".join(verbose([good[0], scan(tmp_path, "b", FALLEN, twice)]).split())
    assert text.count(f" are shown of {NAME}: {reason}.") == 1
    twice["detector_results"][PAIR.detector] = [0.0]
    (found, *_) = compared([scan(tmp_path, "a", FALL, twice), good[1]])
    assert found.texts()[1][0] == "Before: pass"


def test_an_unreadable_attempt_is_said(tmp_path: Path) -> None:
    before, after = both(tmp_path, FALL, FALLEN)
    lines = after.read_text("utf-8").splitlines()
    place = next(n for n, line in enumerate(lines) if '"attempt"' in line)
    lines[place] = lines[place][:50]
    after.write_text("\n".join(lines), "utf-8")
    text = " ".join(verbose([before, after]).split())
    assert f"No outputs of the second scan are shown of {NAME}: {after}" in text
    assert f"line {place + 1}" in text


def test_what_can_be_read_once_has_no_outputs(tmp_path: Path) -> None:
    good = both(tmp_path, FALL, FALLEN)
    fifo = tmp_path / "fifo.report.jsonl"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=[good[1].read_bytes()])
    writer.start()
    text = verbose([good[0], fifo])
    writer.join()
    assert f"No outputs of the second scan are shown of {NAME}:" in text
    packed = tmp_path / "packed.report.jsonl.gz"
    packed.write_bytes(gzip.compress(good[1].read_bytes()))
    (found, *_) = compared([good[0], packed])
    assert [tbsa(*c.split()[1:]).code for c in found.show_commands()] == [0, 0]


def test_a_conversation_is_shown_with_its_roles_and_long_texts_are_cut(
    tmp_path: Path,
) -> None:
    turns = [("system", "be brief"), ("user", "x" * 5000)]
    prompt = {"turns": [{"role": r, "content": {"text": t}} for r, t in turns]}
    change = {"prompt": prompt, "outputs": [{"text": "y" * 5000}]}
    reports = [
        scan(tmp_path, name, verdicts, change)
        for name, verdicts in (("before", FALL), ("after", FALLEN))
    ]
    (each,) = shown_of(reports)
    assert each[0].startswith("Prompt (cut, 5,024 characters): system: be brief\n\nu")
    assert each[1].startswith("Before: pass, as 8 of 8 outputs (cut, 5,000 characters)")
    assert each[2].startswith("After: hit, as 8 of 8 outputs (cut, 5,000 characters)")
    assert all(len(text) < 1200 for text in each)


def test_a_fall_that_the_verdict_is_not_due_to_is_said_to_be_none(
    real: tuple[Path, Path], tmp_path: Path
) -> None:
    page = tmp_path / "o.html"
    said = "The verdict names none of these, and their falls may be chance."
    for alpha, times in ((0.05, 1), (0.01, 0)):
        text = verbose(real, "--alpha", alpha, "--html", page)
        for form in (text, page.read_text("utf-8")):
            assert form.count("The verdict is due to these.") == times
            assert " ".join(form.split()).count(said) == 1
        folds = [each for tag, each in Page(form).tags if tag == "details"]
        assert sum("open" in each for each in folds) == times
    same = verbose([real[0], real[0]])
    assert "No pair has a lower grade, and the verdict is due to no fall." in same


def test_a_pair_that_could_not_be_tested_is_among_them(tmp_path: Path) -> None:
    """What it looks like is all that there is to judge it by."""
    reports = both(tmp_path, {"one": [0.0]}, {"one": [1.0], "two": [1.0], "new": [0.0]})
    assert garak_tbsa.compare(*reports).verdict == "not tested"
    assert shown_of(reports) == [
        ["Prompt: one", "Before: pass: before one 0", "After: hit: after one 0"],
        ["Prompt: two", "After: hit: after two 0"],
    ]


PLAIN = [3 * chr(ord("a") + place) for place in range(len(TEXTS))]


def hostile(folder: Path, texts: Iterable[str], hit: bool) -> Path:
    """A scan whose names, prompts and outputs are such texts."""
    pairs, attempts = [], []
    for text in texts:
        pairs.append(
            PairFacts(
                probe=f"mod.P{text}",
                detector=f"det.D{text}",
                passed=0 if hit else 4,
                total=4,
            )
        )
        attempts += [
            attempt_row(
                pairs[-1],
                prompt=f"ask {text} {place}",
                scores=[float(hit)],
                outputs=[f"{text} said {hit}"],
                uuid=f"{text}{place}",
            )
            for place in range(4)
        ]
    rows = report_rows(pairs, attempts=attempts, run=f"{RUN} {hit}")
    folder.mkdir(exist_ok=True)
    return Path(write_report(folder / f"{hit}.report.jsonl", rows))


@pytest.mark.parametrize("form", ["--html", "--markdown"])
def test_hostile_text_is_text(tmp_path: Path, form: str) -> None:
    written, texts = [], []
    for folder, given in (("a", TEXTS.values()), ("b", PLAIN)):
        reports = [hostile(tmp_path / folder, given, hit) for hit in (False, True)]
        output = tmp_path / folder / "form"
        text = verbose(reports, form, output)
        assert text.count("After: hit") == 3 * len(TEXTS)
        assert controls(text) == set()
        texts.append(text)
        written.append(output.read_text("utf-8"))
    # no line of a text looks like one of ours
    for line in texts[0].splitlines():
        assert not line.lstrip().startswith(("::", "three"))
    if form == "--html":
        found, known = map(Page, written)
        drawn = {"g", "rect", "line", "circle", "title", "text"}
        elements = [
            [e for e in each.elements if e not in drawn] for each in (found, known)
        ]
        assert elements[0] == elements[1]
        assert found.attributes == known.attributes
        assert found.raw == known.raw
        assert controls(found.shown) == set()
        assert not any("evil" in address for address in found.addresses)
        return
    found_text, known_text = written
    assert controls(found_text) == set()
    widths = [[len(row) for row in rows_of(text)] for text in written]
    assert widths[0] == widths[1]
    assert len(found_text.splitlines()) == len(known_text.splitlines())
    for opening in ("](http", "](java", "<script", "<img", "<!--", "<![", "<b>"):
        assert found_text.count(opening) == known_text.count(opening)
