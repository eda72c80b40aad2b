# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/commands.md is what the commands print."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tools import make_command_page
from tools.make_command_page import PAGE, commands, page

REPEATED = re.compile(r"(-\w) (\S+), (--\S+ \2)")


def in_any_python(text: str) -> str:
    """The text without what Pythons lay out differently; 3.13 names a value once."""
    return " ".join(REPEATED.sub(r"\1, \3", text).split())


def test_the_page_shows_the_help_of_today() -> None:
    # remade by: python -m tools.make_command_page
    assert in_any_python(PAGE.read_text(encoding="utf-8")) == in_any_python(page())


def test_an_option_with_two_names_reads_alike_in_each_python() -> None:
    assert in_any_python("  -r REPORT, --report_path REPORT\n     x") == (
        in_any_python("  -r, --report_path REPORT  x")
    )


def test_each_command_that_does_something_has_an_example() -> None:
    # commands of commands have none, nor what only prints a text of help
    groups = {"", "detectors", "completion"}
    named = {" ".join(command) for command in commands()}
    text = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^## `garak-tbsa ?(.*)`$|^(```console)$", text, re.MULTILINE)
    with_example = {command for (command, _), (_, block) in pairwise(shown) if block}
    assert with_example == named - groups


def test_a_page_without_a_heading_for_each_command_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "commands.md"
    other.write_text("# Commands\n\n## `garak-tbsa`\n\n```text\n```\n")
    monkeypatch.setattr(make_command_page, "PAGE", other)
    with pytest.raises(ValueError, match=r"commands\.md: expected a heading"):
        make_command_page.page()
