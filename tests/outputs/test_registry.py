# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every form of a scored report, whatever the registry holds."""

from __future__ import annotations

from garak_tbsa.cli.main import parser_of
from garak_tbsa.host.settings import read_settings
from garak_tbsa.outputs.registry import FORMATS
from tests.outputs.written import Written


def test_a_form_is_an_option_and_a_setting() -> None:
    """Options, settings and the names of files follow from the registry."""
    score = parser_of("score")
    for form in FORMATS:
        for option in form.options:
            asked = score.parse_args([option, "there"])
            assert getattr(asked, f"output_{form.name}") == "there"
        assert form.name in read_settings({form.name: True}).outputs
        assert form.name not in read_settings({form.name: False}).outputs
    for values in (
        [form.name for form in FORMATS],
        [form.ending for form in FORMATS],
        [option for form in FORMATS for option in form.options],
    ):
        assert len(values) == len(set(values)), "each is taken once"


def test_a_form_shows_any_report_without_control_characters(
    scores: dict[str, Written], comparisons: dict[str, Written]
) -> None:
    """JSON escapes what it must; everything else makes it visible."""
    for kind, written in (*scores.items(), *comparisons.items()):
        assert all(line.isprintable() or "\ufe0f" in line for line in written.lines)
        for form, text in written.forms.items():
            assert text.endswith("\n"), (kind, form)
            found = {char for char in text if not char.isprintable()} - {"\n", "\t"}
            wrong = {char for char in found if char < " " or char == "\x7f"}
            assert wrong == set(), (kind, form)
