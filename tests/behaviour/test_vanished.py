# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Pairs that the baseline measured and the new scan did not: no gate lets them pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import garak_tbsa
from tests.behaviour.product import document, tbsa
from tests.behaviour.scans import scan
from tests.report_rows import pairs_named

BEFORE = pairs_named((1, 30, 40), (1, 20, 40), (2, 20, 40))
NONE = [BEFORE[0], replace(BEFORE[1], passed=0, total=0, nones=40), BEFORE[2]]
"""A filter swallowed every output of the second pair."""

GONE = "probe.P01+D (20 of 40 passed before; now no output was evaluated)"
SELECTED = {"transient.active_probes": [f"probes.{pair.probe}" for pair in BEFORE]}
FAMILY = {"transient.active_probes": ["probes.probe"]}

CASES = {
    "all None": (NONE, {}, (), "not tested: 1 of 3 pairs", 3),
    "all None, forced": (NONE, {}, ("--force",), "not tested: 1 of 3 pairs", 3),
    "all None, common": (NONE, {}, ("--common",), "not tested: 1 of 3 pairs", 3),
    "selected, no result": (
        BEFORE[:2],
        SELECTED,
        ("--common",),
        "not tested: 1 of 3 pairs",
        3,
    ),
    "family selected": (BEFORE[:2], FAMILY, ("--force",), "not tested: 1 of", 3),
    "not selected, forced": (BEFORE[:2], {}, ("--force",), "no evidence", 3),
    "not selected, common": (BEFORE[:2], {}, ("--common",), "no evidence", 0),
    "one more": (
        [*BEFORE, *pairs_named(*[(1, 1, 40)] * 4)[3:]],
        {},
        ("--force",),
        "no evidence",
        0,
    ),
}
"""The second scan, its setup, how they are compared: the verdict, and the gate's."""


@pytest.mark.parametrize("name", CASES)
def test_what_was_measured_before_must_be_measured_now(
    name: str, tmp_path: Path
) -> None:
    pairs, setup, how, verdict, code = CASES[name]
    first = scan(tmp_path, BEFORE, "first")
    second = scan(tmp_path, pairs, "second", setup=setup)
    plain = tbsa("compare", "-q", *how, first, second)
    assert plain.code == 0
    assert plain.out.startswith(verdict)
    junit = tmp_path / "junit.xml"
    forms = ("--junit", junit, "--fail-on", "worse")
    gated = tbsa("compare", "-q", *how, *forms, first, second)
    assert gated.code == code
    gone = {pair.probe for pair in BEFORE} - {
        pair.probe for pair in pairs if pair.total
    }
    for probe in gone if code else ():
        assert f"{probe}+D (20 of 40 passed before; now " in gated.err
    failures = ElementTree.parse(junit).findall(".//failure")
    assert len(failures) == (code == 3)
    # a pair that only one scan measured is named in any case
    whole = document(tmp_path, "compare", *how, first, second)
    assert whole["pairs_only_in_one"]
    told = " ".join(tbsa("compare", *how, first, second).out.split())
    assert f"not tested: {whole['pairs_only_in_one'][0]}" in told


def test_a_baseline_says_which_pairs_were_not_measured(tmp_path: Path) -> None:
    first, second = scan(tmp_path, BEFORE, "first"), scan(tmp_path, NONE, "second")
    quiet = tbsa("score", "-q", "--baseline", first, second)
    assert quiet.code == 3
    assert "not tested: 1 of 3 pairs that was measured before is not" in quiet.err
    found = document(tmp_path, "score", "--baseline", first, second, code=3)
    (rule,) = (r for r in found["gate"]["rules"] if r["rule"] == "baseline")
    assert [f"{c['pair']} {c['problem']}" for c in rule["culprits"]] == [GONE]
    result = garak_tbsa.score(second, baseline=first)
    assert result.gate is not None
    assert not result.gate.passed
    # what only the new scan measured is named, and fails nothing
    better = tbsa("score", "--baseline", second, first)
    assert better.code == 0
    assert "measured in this scan alone: probe.P01+D" in " ".join(better.out.split())


def test_history_says_that_pairs_were_not_measured(tmp_path: Path) -> None:
    scan(tmp_path, BEFORE, "first")
    scan(tmp_path, NONE, "second")
    shown = tbsa("history", tmp_path)
    assert "not tested" in shown.out
