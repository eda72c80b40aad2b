# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Personas differ in what they are told."""

from __future__ import annotations

from tools.real_model.personas import PERSONAS, USUAL


def test_there_are_the_personas_that_draws_name() -> None:
    assert {"plain", "refusing", "eager", "terse", "french"} <= set(PERSONAS)
    assert set(USUAL) < set(PERSONAS)
    assert all(name == persona.name for name, persona in PERSONAS.items())


def test_each_is_told_something_else_and_sampled() -> None:
    # "decoded" is the ordinary one, whose prompts come with their plain text
    others = [each for each in PERSONAS.values() if each.name != "decoded"]
    assert len({(each.system, each.temperature) for each in others}) == len(others)
    assert all(0 < persona.temperature <= 1 for persona in PERSONAS.values())
    coolest = min(PERSONAS.values(), key=lambda persona: persona.temperature)
    assert coolest.name == "plain"
