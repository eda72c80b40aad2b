# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The pages of commands, settings and JSON are what the code makes today."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from garak_tbsa.host.settings import KNOWN, read_settings
from tools import reference_pages
from tools.made_page import refilled, write_or_check

ROOT = Path(__file__).parents[2]


def test_pages_are_what_the_code_makes() -> None:
    # remade by: python -m tools.reference_pages
    for path, made in (
        (reference_pages.COMMANDS_PAGE, reference_pages.commands_page()),
        (reference_pages.SETTINGS_PAGE, reference_pages.settings_page()),
        (reference_pages.JSON_PAGE, reference_pages.json_page()),
    ):
        assert path.read_text(encoding="utf-8") == made


def test_each_command_that_does_something_has_an_example() -> None:
    # commands of commands have none
    groups = {"", "detectors"}
    named = {" ".join(command) for command in reference_pages.commands()}
    text = reference_pages.COMMANDS_PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^## `garak-tbsa ?(.*)`$|^(```console)$", text, re.MULTILINE)
    with_example = {command for (command, _), (_, block) in pairwise(shown) if block}
    assert with_example == named - groups


def test_a_page_without_a_heading_for_each_command_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "commands.md"
    other.write_text("# Commands\n\n## `garak-tbsa`\n\n```text\n```\n")
    monkeypatch.setattr(reference_pages, "COMMANDS_PAGE", other)
    with pytest.raises(ValueError, match=r"commands\.md: expected a heading"):
        reference_pages.commands_page()


def test_each_setting_has_a_row_and_its_default_is_taken() -> None:
    text = reference_pages.SETTINGS_PAGE.read_text(encoding="utf-8")
    table = text.partition("## Environment variables")[0]
    cells = re.findall(r"^\| `(\w+)` \| .*? \| `?([\w.]+)`? \|", table, re.MULTILINE)
    assert tuple(name for name, _ in cells) == KNOWN
    left_open = ("none", "documented")
    defaults = {n: json.loads(each) for n, each in cells if each not in left_open}
    assert read_settings(defaults) == read_settings({})


def test_each_key_of_each_schema_is_on_the_page() -> None:
    text = reference_pages.JSON_PAGE.read_text(encoding="utf-8")
    for path in (ROOT / "garak_tbsa").rglob("*.schema.json"):
        assert path.name in text
        for key in keys(json.loads(path.read_text(encoding="utf-8"))):
            assert re.search(rf"`([\w\[\].*]+\.)?{re.escape(key)}`", text), key


def keys(schema: object) -> set[str]:
    """Names of all properties, at any depth."""
    if isinstance(schema, list):
        return set().union(*map(keys, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    own = schema.get("properties")
    found = set(own) if isinstance(own, dict) else set()
    return found.union(*map(keys, schema.values()))


def test_a_page_that_is_not_of_today_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "settings.md"
    page.write_text("old", encoding="utf-8")
    assert write_or_check(page, "new", ["--check"]) == 1
    assert capsys.readouterr().out == (
        "settings.md is not what the code makes today; make docs writes it again\n"
    )
    assert write_or_check(page, "new", []) == 0
    assert write_or_check(page, "new", ["--check"]) == 0


def test_a_part_is_made_and_the_rest_of_the_page_is_left(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- made: a -->old<!-- end of a -->\n\nafter\n")
    made = "before\n\n<!-- made: a -->\n\nnew\n\n<!-- end of a -->\n\nafter\n"
    assert refilled(page, a="new\n") == made
    page.write_text(made)
    assert refilled(page, a="new\n") == made
    with pytest.raises(ValueError, match=r"page\.md: expected <!-- made: b -->"):
        refilled(page, b="")
