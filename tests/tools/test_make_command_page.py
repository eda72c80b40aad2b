# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/commands.md is what the commands print."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tools import make_command_page
from tools.make_command_page import PAGE, commands


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
