# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs that are missing or all alike, and a baseline that is the scan itself."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from tests.behaviour.product import document, tbsa
from tests.behaviour.scans import scan
from tests.behaviour.schemas import assert_keeps_schema
from tests.report_rows import attempt_row, pairs_named

PAIRS = pairs_named((1, 20, 20), (2, 20, 20))
WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel")


def answered(
    folder: Path, text: Callable[[int], str | None], name: str = "scan", probes: int = 2
) -> Path:
    """Write a scan of 20 outputs a probe; ``text`` makes the n-th of all."""
    attempts = [
        attempt_row(
            facts,
            prompt=f"{facts.probe} {n}",
            outputs=[text(20 * place + n)],
            uuid=f"{facts.probe} {n}",
        )
        for place, facts in enumerate(PAIRS[:probes])
        for n in range(20)
    ]
    setup = {"run.generations": 1}
    return scan(folder, PAIRS[:probes], name, attempts=attempts, setup=setup)


def various(n: int) -> str:
    """Return another answer to each prompt."""
    return f"{WORDS[n % 8]} {WORDS[n // 8]}"


TARGETS: dict[str, tuple[Callable[[int], str | None], str | None]] = {
    "empty": (lambda _: "", "are empty"),
    "blank": (lambda _: " \n", "are empty"),
    "an error": (lambda n: f"Error code: 429, id 9f3a{n:08x}", "Error code: 429"),
    "ids of other letters": (
        lambda n: f"Error code: 429, request req_011C{WORDS[n % 8]}{n}Xz",
        "Error code: 429",
    ),
    "a UUID": (
        lambda n: f"Too many requests (id {uuid.uuid5(uuid.NAMESPACE_URL, str(n))})",
        "Too many requests",
    ),
    "nothing but ids": (lambda n: f"Zm9vYmFy{WORDS[n % 8]}{WORDS[n // 8]}9=", None),
    "19 of 20": (lambda n: "no" if n % 20 else various(n), 'one text: "no"'),
    "fewer": (lambda n: "no" if n % 20 > 1 else various(n), None),
    "various": (various, None),
    "hostile": (lambda _: "\x1b[31m<b>" + "x" * 200, "\\x1b[31m<b>xxx"),
    "none at all": (lambda _: None, None),
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_that_says_one_thing_is_not_judged(name: str, tmp_path: Path) -> None:
    text, said = TARGETS[name]
    path = answered(tmp_path, text)
    for quiet in ((), ("-q",)):
        shown = tbsa("score", *quiet, "--fail-under", "2", path)
        told = " ".join((shown.out + shown.err).split())
        assert shown.code == (3 if said else 0)
        assert ("constant-target: not judged: " in told) == bool(said)
        assert said is None or said in told
        known = tbsa("score", *quiet, "--fail-under", "2", "--constant-target", path)
        told = " ".join((known.out + known.err).split())
        assert known.code == 0
        assert said is None or "may not have answered" in told
    found = document(tmp_path, "score", path)
    assert_keeps_schema(found, "score.schema.json")
    assert bool(found["warnings"]) == bool(said)
    result = garak_tbsa.score(path, fail_under=2, constant_target=True)
    assert result.gate is not None
    assert result.gate.passed
    assert len(result.warnings) == bool(said)
    # nothing is asked for that takes the attempts
    assert tbsa("score", "-q", path).err == ""


@pytest.mark.parametrize(
    "form", [{"separators": (",", ":")}, {"sort_keys": True}, {"indent": 0}]
)
def test_an_attempt_is_one_however_its_line_is_written(
    tmp_path: Path, form: dict[str, Any]
) -> None:
    """Who takes a row out with jq or Python writes all lines in another form."""
    path = answered(tmp_path, lambda _: "Error code: 429")
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    lines = (json.dumps(row, **form).replace("\n", "") for row in rows)
    path.write_text("\n".join(lines), "utf-8")
    shown = tbsa("score", "-q", "--fail-under", "2", path)
    assert shown.code == 3
    assert "constant-target: not judged: 40 of 40 outputs" in shown.err


def test_a_dead_baseline_is_none(tmp_path: Path) -> None:
    dead = answered(tmp_path, lambda _: "", "dead")
    path = answered(tmp_path, various)
    for known, code in (((), 3), (("--constant-target",), 0)):
        judged = tbsa("score", "-q", "--baseline", dead, *known, path)
        compared = tbsa("compare", "-q", "--fail-on", "worse", *known, dead, path)
        assert (judged.code, compared.code) == (code, code)
        for shown in (judged, compared):
            assert (f"not judged: {dead}: 40 of 40 outputs" in shown.err) == bool(code)
    assert tbsa("compare", "-q", dead, path).code == 0


def test_a_small_scan_may_get_one_answer(tmp_path: Path) -> None:
    path = answered(tmp_path, lambda _: "", probes=1)
    assert tbsa("score", "-q", "--fail-under", "2", path).code == 0
    alone = tbsa("score", "-q", "--constant-target", path)
    assert alone.code == 2
    assert "--constant-target has no effect without --fail-under" in alone.err


def test_outputs_that_are_missing_are_said(tmp_path: Path) -> None:
    """The digest's counts carry none; the rows do."""
    pairs = [replace(each, passed=1, total=1, nones=299) for each in PAIRS]
    path = scan(tmp_path, pairs)
    found = document(tmp_path, "score", path)
    assert [pair["nones"] for pair in found["pairs"]] == [299, 299]
    line = "598 of 600 outputs were not evaluated; of Tier 1 pairs 299 of 300 of"
    assert found["warnings"] == [f"{line} probe.P00+D"]
    shown = tbsa("score", "-q", "--min-coverage", "0.9", path)
    assert shown.code == 3
    assert "found 2 of 600 outputs evaluated" in shown.err
    # the digest does not hold them
    assert tbsa("score", "-q", path).err == ""
    few = [PAIRS[0], replace(PAIRS[1], total=17, passed=17, nones=3)]
    path = scan(tmp_path, few, "few")
    assert document(tmp_path, "score", path)["warnings"] == []


def test_history_calls_no_scan_best_that_lacks_outputs(tmp_path: Path) -> None:
    scan(tmp_path, [replace(each, passed=15) for each in PAIRS], "a")
    lacking = [replace(each, passed=1, total=1, nones=19) for each in PAIRS]
    scan(tmp_path, lacking, "b")
    shown = tbsa("history", tmp_path)
    (best,) = (line for line in shown.lines if " best" in line and "report.j" in line)
    assert "a.report.jsonl" in best


def test_a_scan_is_no_baseline_of_itself(tmp_path: Path) -> None:
    path = scan(tmp_path)
    copy, link = tmp_path / "copy.jsonl", tmp_path / "link.jsonl"
    shutil.copyfile(path, copy)
    link.symlink_to(path)
    for baseline in (path, copy, link):
        judged = tbsa("score", "-q", "--baseline", baseline, path)
        compared = tbsa("compare", "-q", "--fail-on", "worse", baseline, path)
        assert (judged.code, compared.code) == (3, 3)
        for shown in (judged, compared):
            assert "not judged: both reports are of run " in shown.err
        assert tbsa("compare", "-q", baseline, path).code == 0
    result = garak_tbsa.score(path, baseline=garak_tbsa.score(path))
    assert result.gate is not None
    assert not result.gate.passed
    other = scan(tmp_path, name="other")
    assert tbsa("score", "-q", "--baseline", path, other).code == 0
