# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ast
import json
import os
import subprocess
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
def test_garak_is_asked_where_its_list_cannot_be_read(
    listed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path, listed)
    monkeypatch.setattr(plugins, "garak_folder", lambda: folder)
    monkeypatch.setitem(sys.modules, "garak._plugins", None)
    assert installed_plugins() == NO_LIST


ASK_GARAK = """
import sys
from garak_tbsa.garak_api import plugins
plugins.garak_folder = lambda: sys.argv[1]
found = plugins.installed_plugins()
facts = found.probes["dan.Ablation_Dan_11_0"]
print([sorted(found.probes), facts.description, facts.goal, list(facts.tags)])
"""


def test_garak_itself_says_the_same(tmp_path: Path) -> None:
    """In a process of its own: scans in this one may have changed garak's classes."""
    expected = known()
    asked = subprocess.run(
        (sys.executable, "-c", ASK_GARAK, folder_with(tmp_path, "{")),
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    names, *found = ast.literal_eval(asked.stdout)
    # it names no base classes
    assert len(names) > 100
    assert set(names) < set(expected.probes)
    facts = expected.probes["dan.Ablation_Dan_11_0"]
    assert found == [facts.description, facts.goal, list(facts.tags)]


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
