# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""docs/measured/real_model.md: how much was asked, and what answers look like."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

from garak_tbsa import __version__
from garak_tbsa.files import write_whole
from tools.labelled_data.looks import looks_of
from tools.real_model.answers import Answer, Key, read_answers
from tools.real_model.draw import draw_responses
from tools.real_model.kept import Response, responses_of
from tools.real_model.model import NAME
from tools.real_model.scans import ROOT, Scan, kept_scans

PAGE = ROOT / "docs" / "measured" / "real_model.md"
ENOUGH = 25
"""Real rows that a detector's data should have."""


def write_page(reports: Path, answers: Path, timings: Path) -> None:
    """Write the page from what the scans left.

    Raises
    ------
    DatasetError, ReportError
        There are no scans, or one cannot be read.
    """
    scans = list(kept_scans(reports))
    by_detector = responses_of(scans)
    kept = read_answers(answers)
    rows = [json.loads(line) for line in timings.read_text("utf-8").splitlines()]
    lines = [
        *_totals([scan for scan, _ in scans], by_detector, kept, rows),
        "",
        *_by_persona(by_detector, kept),
        "",
        *_by_detector(by_detector),
        "",
        _setting([scan for scan, _ in scans]),
    ]
    write_whole(str(PAGE), "\n".join(lines) + "\n")


def _totals(
    scans: Sequence[Scan],
    by_detector: Mapping[str, Sequence[Response]],
    answers: Mapping[Key, Answer],
    timings: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    responses = _once(by_detector)
    prompts = {response.prompt for response in responses}
    probes = {response.probe for response in responses}
    personas = {scan.persona for scan in scans}
    answered = [each for key, each in answers.items() if key.persona in personas]
    tokens = sum(answer.tokens for answer in answered)
    made = [
        row for row in timings if row["what"] == "generate" and row["name"] in personas
    ]
    cpu, seconds = sum(row["cpu"] for row in made), sum(row["seconds"] for row in made)
    pace = sum(row["tokens"] for row in made) / cpu
    scanned = sum(row["seconds"] for row in timings if row["what"] == "scan")
    cut = sum(answer.cut for answer in answered)
    limits = " or ".join(str(limit) for limit in sorted({s.most_tokens for s in scans}))
    yield (
        f"{len(scans)} garak scans of {NAME}: {len(probes)} probes,"
        f" {len(personas)} personas, {len(prompts):,} different prompts,"
        f" {len(responses):,} judged responses."
    )
    yield ""
    yield (
        f"{len(answered):,} answers of at most {limits} tokens were generated, of"
        f" which {cut:,} reached the limit: {tokens:,} tokens in {cpu:,.0f} CPU"
        f" seconds on one thread ({pace:.0f} a CPU second, prompts read"
        f" included), {seconds:,.0f} seconds by the clock of a busy machine."
        f" The scans themselves took {scanned:,.0f} s."
    )


def _by_persona(
    by_detector: Mapping[str, Sequence[Response]], answers: Mapping[Key, Answer]
) -> Iterator[str]:
    yield (
        "| persona | responses | tokens, median | length 10 % | median | 90 % |"
        " code fence | list | paragraphs | cut |"
    )
    yield "| --- " + "| ---: " * 9 + "|"
    texts: dict[str, list[str]] = {}
    for response in _once(by_detector):
        texts.setdefault(response.scan.persona, []).append(response.output)
    for persona, said in texts.items():
        tokens = [
            each.tokens for key, each in answers.items() if key.persona == persona
        ]
        yield f"| {persona} | {len(said)} | {median(tokens):.0f} | {_cells(said)} |"


def _by_detector(by_detector: Mapping[str, Sequence[Response]]) -> Iterator[str]:
    counted = []
    for detector, responses in sorted(by_detector.items()):
        draw = draw_responses(detector, responses, len(responses), seed=1)
        distinct = sum(cell.distinct for cell in draw.cells)
        counted.append((detector, responses, distinct, len(draw.rows)))
    enough = sum(drawable >= ENOUGH for *_, drawable in counted)
    yield (
        f"{enough} of {len(counted)} detectors have at least {ENOUGH} responses that"
        " can be drawn: no near copies of each other, at most a twentieth babble."
    )
    yield ""
    yield (
        "| detector | probes | responses | distinct | drawable |"
        " length 10 % | median | 90 % | code fence | list | paragraphs | cut |"
    )
    yield "| --- " + "| ---: " * 11 + "|"
    for detector, responses, distinct, drawable in counted:
        probes = len({response.probe for response in responses})
        yield (
            f"| {detector} | {probes} | {len(responses)} | {distinct} | {drawable} |"
            f" {_cells([response.output for response in responses])} |"
        )


def _cells(texts: Sequence[str]) -> str:
    looks = looks_of(texts)
    return (
        f"{looks.tenth:.0f} | {looks.median:.0f} | {looks.ninetieth:.0f} |"
        f" {looks.fences:.2f} | {looks.lists:.2f} | {looks.paragraphs:.2f} |"
        f" {looks.cut:.2f}"
    )


def _once(by_detector: Mapping[str, Sequence[Response]]) -> list[Response]:
    """Each response once, however many detectors judged it."""
    first: dict[tuple[str, int], Response] = {}
    for responses in by_detector.values():
        for response in responses:
            first.setdefault((response.attempt, response.index), response)
    return list(first.values())


def _setting(scans: Sequence[Scan]) -> str:
    cap = max(scan.prompt_cap for scan in scans)
    personas = ",".join(dict.fromkeys(scan.persona for scan in scans))
    versions = ", ".join(sorted({scan.garak_version for scan in scans}))
    return (
        f"Made {date.today().isoformat()} on {os.cpu_count()} cores"
        f" ({platform.system()}, {platform.machine()}), garak-tbsa {__version__},"
        f" garak {versions}, Python {platform.python_version()}. Again:"
        f" `make real-scans REAL='--prompts {cap} --personas {personas}'`"
    )
