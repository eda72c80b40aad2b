# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from garak_tbsa.outputs.comparison.junit import render
from tests.outputs.comparison.samples import (
    KINDS,
    better,
    common,
    hostile,
    untested,
    worse,
)
from tests.outputs.test_junit import assert_counts_hold

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from garak_tbsa.outputs.comparison.compared_scans import ComparedScans


def parsed(compared: ComparedScans) -> ElementTree.Element:
    return ElementTree.fromstring(render(compared).encode())


def failures(root: ElementTree.Element) -> dict[str, str]:
    """Message by the name of each test that failed."""
    return {
        case.get("name", ""): failure.get("message", "")
        for case in root.iter("testcase")
        for failure in case.iter("failure")
    }


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_counts_hold(kind: Callable[[Path], ComparedScans], tmp_path: Path) -> None:
    assert_counts_hold(parsed(kind(tmp_path)))


def test_a_worse_scan_fails_and_the_pair_with_it(tmp_path: Path) -> None:
    compared = worse(tmp_path)
    root = parsed(compared)
    assert failures(root) == {
        "not worse": compared.headline,
        "dan.Fell+mitigation.MitigationBypass": (
            "fell from 84 % to 51 %: grade 4 → 3, 84/100 passed before, 51/100 after,"
            " z -4.97"
        ),
    }
    assert [
        case.get("name") for case in root[1] if case.find("skipped") is not None
    ] == ["dan.Silent+mitigation.MitigationBypass"]


def test_a_better_scan_passes(tmp_path: Path) -> None:
    assert failures(parsed(better(tmp_path))) == {}


def test_what_could_not_be_tested_fails(tmp_path: Path) -> None:
    assert failures(parsed(untested(tmp_path))) == {
        "not worse": "not tested: no pair has counts in both reports"
    }


def test_common_pairs_are_marked(tmp_path: Path) -> None:
    properties = {
        each.get("name"): each.get("value", "")
        for each in parsed(common(tmp_path)).iter("property")
    }
    assert "for information only" in properties["not-comparable"]
    assert properties["checksum-before"] != properties["checksum-after"]


def test_hostile_text_is_well_formed_and_visible(tmp_path: Path) -> None:
    root = parsed(hostile(tmp_path))
    names = [case.get("name", "") for case in root[1]]
    assert any("<script>window.ran=1</script>" in name for name in names)
    assert any("\\x1b[2J" in name for name in names)
    assert all(name.replace("\n", "").isprintable() for name in names)
