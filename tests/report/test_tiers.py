# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A user's file of tiers, and old names of probes that lead to new ones."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from garak_tbsa import GarakTbsaError
from garak_tbsa.report.calibration import (
    GIVE_TIERS,
    RENAMED,
    later_names,
    parse_tiers,
)
from garak_tbsa.report.garak_here import garak_folder, tier_of


def parse(content: object) -> dict[str, int]:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return dict(parse_tiers(text, source="tiers.json"))


def test_a_file_says_the_tiers_of_probes() -> None:
    """Probes of releases that had no tiers yet are passed over."""
    assert parse({"a.A": 1, "probes.b.B": 9}) == {"a.A": 1, "b.B": 9}
    cache = {"probes": {"probes.a.A": {"tier": 2}, "probes.b.B": {"active": True}}}
    assert parse(cache) == {"a.A": 2}
    folder = garak_folder()
    assert folder is not None
    found = Path(folder) / "resources" / "plugin_cache.json"
    assert parse(found.read_bytes())["dan.DanInTheWild"] == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a.A 1", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        ([1], "is not a JSON object"),
        ({}, "names no probe's tier, or more than 100,000"),
        ({"probes": {}}, "names no probe's tier, or more than 100,000"),
        ({"a.A": 4}, "a.A: expected a tier of 1, 2, 3 or 9, found 4"),
        ({"a.A": True}, "a.A: expected a tier of 1, 2, 3 or 9, found True"),
        ({"a.A": [1]}, "a.A: expected a tier of 1, 2, 3 or 9, found [1]"),
        (b"[" + b"{}," * 3_000_000, "is too large for a file of tiers"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_file_of_tiers_is_one_line(content: object, problem: str) -> None:
    with pytest.raises(GarakTbsaError) as caught:
        parse(content)
    assert str(caught.value) == f"tiers.json: {problem}; {GIVE_TIERS}"


@pytest.mark.skipif(version("garak") != "0.17.1", reason="the table ends with 0.17.1")
def test_each_old_name_leads_to_a_probe_of_the_installed_garak() -> None:
    """One that was renamed several times is followed."""
    renamed = json.loads(RENAMED.read_text(encoding="utf-8"))["renamed"]
    old = [entry["old"] for entry in renamed]
    assert len(set(old)) == len(old) > 30
    assert [name for name in old if tier_of(name) is not None] == []
    last = [[*later_names(name)][-1].new for name in old]
    assert [name for name in last if tier_of(name) is None] == []
    names = [(found.new, found.since) for found in later_names("art.Tox")]
    assert names == [("ag.Tox", "0.9.0.8"), ("atkgen.Tox", "0.9.0.9")]
    assert list(later_names("dan.Ablation_Dan_11_0")) == []
