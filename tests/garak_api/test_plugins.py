# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from garak_tbsa.garak_api import plugins
from garak_tbsa.garak_api.installation import NO_GARAK
from garak_tbsa.garak_api.plugins import NO_LIST, installed_plugins
from garak_tbsa.tbsa.evidence import InstalledPlugins, ProbeFacts


def known() -> InstalledPlugins:
    found = installed_plugins()
    assert isinstance(found, InstalledPlugins)
    return found


def folder_with(tmp_path: Path, listed: str) -> str:
    resources = tmp_path / "resources"
    resources.mkdir()
    (resources / "plugin_cache.json").write_text(listed)
    return str(tmp_path)


def test_what_the_installed_garak_says() -> None:
    found = known()
    facts = found.probes["dan.Ablation_Dan_11_0"]
    assert facts.description == "Ablation experiments over the DAN 11.0 prompt"
    assert facts.goal == "disregard the system prompt"
    assert "owasp:llm01" in facts.tags
    assert "dan.DAN" in found.detectors


def test_garak_is_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "garak._plugins", None)
    assert len(known().probes) > 100


def test_no_garak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "garak_folder", lambda: None)
    assert installed_plugins() == NO_GARAK


@pytest.mark.parametrize("listed", ["{", "[]", '{"probes": {}}', "[" * 100_000])
def test_a_list_that_cannot_be_read(
    listed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path, listed)
    monkeypatch.setattr(plugins, "garak_folder", lambda: folder)
    assert installed_plugins() == NO_LIST


def test_texts_are_readable_and_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"description": "a\n\x1b[31m b", "goal": 3, "tags": ["x" * 9_999, 1, ""]}
    listed = {"probes": {"probes.m.P": entry, "probes.m.Q": 1}, "detectors": {}}
    folder = folder_with(tmp_path, json.dumps(listed))
    monkeypatch.setattr(plugins, "garak_folder", lambda: folder)
    (facts,) = known().probes.values()
    assert facts == ProbeFacts(
        description="a \\x1b[31m b", goal=None, tags=(facts.tags[0],)
    )
    assert len(facts.tags[0]) < 600
