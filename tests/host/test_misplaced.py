# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import garak
import pytest
import yaml

from garak_tbsa.garak_api import scan
from garak_tbsa.gates.options import GATES
from garak_tbsa.host.settings import COMMON_WORDS, SECTIONS, misplaced

PACKAGE = Path(garak.__file__).parent
SHIPPED = sorted(
    path
    for folder in ("configs", "resources")
    for path in (PACKAGE / folder).rglob("*")
    if path.suffix in (".yaml", ".yml", ".json")
)


def shipped_sections() -> list[tuple[str, object]]:
    found = []
    for path in SHIPPED:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        if isinstance(document, dict):
            found += list(document.items())
    return found


def test_nothing_that_garak_ships_is_taken_for_ours() -> None:
    """Neither where it stands nor as a section that garak does not know."""
    assert "garak.core.yaml" in [path.name for path in SHIPPED]
    sections = shipped_sections()
    assert {name for name, _ in sections} >= set(SECTIONS)
    assert list(misplaced(sections)) == []
    assert list(misplaced([(f"my-{name}", value) for name, value in sections])) == []
    assert list(misplaced([("reporting", dict(sections))])) == []


def test_what_garak_may_one_day_have_by_our_names_is_its_own() -> None:
    assert scan.is_garaks_own("reporting", "taxonomy")
    assert scan.is_garaks_own("", "reporting")
    assert not scan.is_garaks_own("reporting", "fail_under")
    assert not scan.is_garaks_own("tbsa", "fail_under")


@pytest.mark.parametrize(
    "name", ["tbsa", "TBSA", "tsba", "tbas", "tbs", "tbsaa", "tb5a"]
)
def test_a_name_one_edit_away_is_meant_for_us(name: str) -> None:
    if name != "tbsa":
        sections: list[tuple[str, object]] = [("reporting", {name: True})]
        assert list(misplaced(sections)) == [("reporting", name, "tbsa")]
    assert list(misplaced([(name, True)])) == [("", name, "reporting.tbsa")]


@pytest.mark.parametrize("name", ["tsv", "tabs", "tbs_1", "basa", "t", ""])
@pytest.mark.parametrize("gate", GATES)
def test_a_name_two_edits_away_needs_a_gate(name: str, gate: str) -> None:
    for content in (True, {"json": True}, [gate], gate, None):
        assert list(misplaced([("reporting", {name: content})])) == []
    found = list(misplaced([("reporting", {name: {gate: 1}})]))
    is_near = name not in ("t", "")
    expected = is_near or gate not in COMMON_WORDS
    assert found == [("reporting", name, "tbsa")] * expected
