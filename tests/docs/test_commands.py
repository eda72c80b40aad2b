# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every command of the documentation and the README does what the page says.

Commands of a page run one after the other in a :class:`~tests.docs.sandbox.Sandbox`.
A new command is found by itself. One that no longer works fails with page and line.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.accepted import refused, unknown_names
from tests.docs.blocks import Command, Page, pages
from tests.docs.not_run import BEGINNINGS, WHOLE, reason
from tests.docs.sandbox import GATE_FAILED, OURS, PROGRAMS, Sandbox, serves
from tests.docs.transcripts import difference

PAGES = {page.name: page for page in pages()}
RUN = [
    name
    for name, page in PAGES.items()
    if any(reason(command) is None for command in page.commands)
]


def failures_of(page: Page, sandbox: Sandbox) -> list[str]:
    """Run a page's commands; say which do not do what the page says."""
    failures = []
    for command in page.commands:
        if reason(command) is None:
            failure = failure_of(command, sandbox)
            failures += [f"{command.place}: {failure}"] if failure else []
    return failures


def failure_of(command: Command, sandbox: Sandbox) -> str | None:
    if command.words[0] not in PROGRAMS:
        return f"{command.words[0]!r} is neither of PROGRAMS nor in tests/docs/not_run"
    ran = sandbox.run(command)
    is_told = command.printed and re.search(r"^garak-tbsa: ", command.printed, re.M)
    if ran.code not in (0, GATE_FAILED) and not is_told:
        return f"`{command.text}`: exit code {ran.code}\n{ran.printed}"
    # a page may leave out the screen of a command that is typed into
    if command.printed is None or (not command.printed and serves(command)):
        return None
    changed = difference(command.printed, ran.printed)
    return changed and f"`{command.text}` prints something else:\n{changed}"


@pytest.mark.surroundings
@pytest.mark.parametrize("name", RUN)
def test_the_commands_of_a_page_do_what_it_says(name: str, tmp_path: Path) -> None:
    found = failures_of(PAGES[name], Sandbox(tmp_path, PAGES[name].files))
    assert not found, "\n\n".join(found)


@pytest.mark.parametrize("name", PAGES)
def test_a_command_that_is_not_run_is_one_that_the_parsers_take(name: str) -> None:
    page = PAGES[name]
    wrong = {
        command.place: refused(command.words[1:])
        for command in page.commands
        if command.words[0] == OURS and reason(command) is not None
    } | {
        mention.place: unknown_names(mention.words[1:])
        for mention in page.mentions
        if mention.words[1:]
    }
    assert not {place: why for place, why in wrong.items() if why}


def test_each_reason_for_not_running_a_command_is_needed() -> None:
    texts = [command for page in PAGES.values() for command in page.commands]
    for text in (*BEGINNINGS, *WHOLE):
        assert any(
            reason(command) and command.text.startswith(text) for command in texts
        ), f"no page has {text!r} any more: take it out of tests/docs/not_run.py"
