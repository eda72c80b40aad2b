# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Old names of probes lead to names that the installed garak has."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from garak_tbsa.garak_api.scoring import tier_of
from garak_tbsa.garak_files.renamed_probes import TABLE, later_names

ENTRIES = json.loads(Path(TABLE).read_text(encoding="utf-8"))["renamed"]


def test_each_old_name_is_there_once_and_says_its_release() -> None:
    assert len({entry["old"] for entry in ENTRIES}) == len(ENTRIES) > 30
    assert all(entry.keys() == {"old", "new", "since"} for entry in ENTRIES)
    assert {entry["since"] for entry in ENTRIES} >= {"0.9.0.16", "0.11.0", "0.13.1"}


@pytest.mark.skipif(version("garak") != "0.17.1", reason="the table ends with 0.17.1")
@pytest.mark.parametrize("old", [entry["old"] for entry in ENTRIES])
def test_each_leads_to_a_probe_of_the_installed_garak(old: str) -> None:
    assert tier_of(old) is None
    *_, last = later_names(old)
    assert tier_of(last.new) in (1, 2, 3, 9)


def test_a_probe_renamed_several_times_is_followed() -> None:
    names = [(found.new, found.since) for found in later_names("art.Tox")]
    assert names == [("ag.Tox", "0.9.0.8"), ("atkgen.Tox", "0.9.0.9")]


def test_a_name_that_never_changed_has_none() -> None:
    assert list(later_names("dan.Ablation_Dan_11_0")) == []
