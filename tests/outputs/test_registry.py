# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every form of a scored report, whatever the registry holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from garak_tbsa.cli.main import command_tree
from garak_tbsa.gates.options import GateRules
from garak_tbsa.host.settings import read_settings
from garak_tbsa.outputs.compared import ComparedScans
from garak_tbsa.outputs.history import NO_COMMON_PAIR, NotScored
from garak_tbsa.outputs.registry import (
    COMPARISON_FORMATS,
    FORMATS,
    HISTORY_FORMATS,
    OutputFormat,
)
from garak_tbsa.outputs.view import NOT_ASKED_FOR, ScoredReport
from tests.histories import history, scan, target_of
from tests.outputs import compared
from tests.outputs.samples import (
    HOSTILE,
    hostile,
    mixed,
    perfect,
    uncounted,
    with_evidence,
)

EVERY_FORM = pytest.mark.parametrize("form", FORMATS, ids=lambda form: str(form.name))


def test_names_and_endings_are_taken_once() -> None:
    for values in (
        [form.name for form in FORMATS],
        [form.ending for form in FORMATS],
        [option for form in FORMATS for option in form.options],
    ):
        assert len(values) == len(set(values))


@EVERY_FORM
@pytest.mark.parametrize("sample", [mixed, perfect, uncounted, hostile])
def test_a_form_shows_any_report_without_control_characters(
    form: OutputFormat, sample: Callable[[Path], ScoredReport], tmp_path: Path
) -> None:
    scored = sample(tmp_path)
    for each in (
        scored,
        replace(scored, repeat=NOT_ASKED_FOR),
        with_evidence(scored, HOSTILE),
    ):
        text = form.render(each)
        assert text == form.render(each)
        assert_shown(text)


def assert_shown(text: str) -> None:
    """JSON escapes what it must; everything else makes it visible."""
    assert text.endswith("\n")
    found = {char for char in text if not char.isprintable()} - {"\n", "\t"}
    assert not {char for char in found if char < " " or char == "\x7f"}


@pytest.mark.parametrize("form", COMPARISON_FORMATS, ids=lambda form: str(form.name))
@pytest.mark.parametrize("kind", compared.KINDS, ids=lambda kind: kind.__name__)
def test_a_form_shows_any_comparison_without_control_characters(
    form: OutputFormat, kind: Callable[[Path], ComparedScans], tmp_path: Path
) -> None:
    assert_shown(form.render(kind(tmp_path)))


@pytest.mark.parametrize("form", HISTORY_FORMATS, ids=lambda form: str(form.name))
def test_a_form_shows_any_history_without_control_characters(
    form: OutputFormat,
) -> None:
    for said in HOSTILE:
        scans = [scan(day, 3.0, target=said, source=said) for day in (1, 2)]
        empty = NotScored(path=said, problem=said, advice="")
        target = target_of(scans, [NO_COMMON_PAIR])
        assert_shown(form.render(history(target, folder=said, not_scored=(empty,))))


@EVERY_FORM
def test_a_form_tells_a_verdict(form: OutputFormat, tmp_path: Path) -> None:
    failing = mixed(tmp_path, rules=GateRules(fail_under=5.0))
    assert form.render(failing) != form.render(replace(failing, verdict=None)) or (
        form.name == "sarif"
    )


@EVERY_FORM
def test_a_form_is_an_option_and_a_setting(form: OutputFormat) -> None:
    """Options, settings and the names of files follow from the registry."""
    program = command_tree(["score"])
    for option in form.options:
        there = f"there{form.path_ending}"
        asked = program.parse_args(["score", option, there])
        assert getattr(asked, f"output_{form.name}") == there
    assert form.name in read_settings({form.name: True}).outputs
    assert form.name not in read_settings({form.name: False}).outputs
