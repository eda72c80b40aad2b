# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing that users rely on leaves or changes without a mark that says why."""

from __future__ import annotations

import pytest

from tests.behaviour import inventory
from tests.behaviour.inventory import differences
from tests.behaviour.listed.abilities import abilities, is_there
from tests.behaviour.listed.commands import help_of, usage_of
from tests.behaviour.listed.settings import known_settings, told_settings
from tests.behaviour.product import PROGRAM

COMMANDS = [
    entry.split()[1:]
    for entry in inventory.kept(inventory.listed(), inventory.marks())
    if entry.startswith("command ") and ":" not in entry
]
B, C = "command a: --b", "command c"
WITHOUT = {"command a": "has --help"}
LISTED = WITHOUT | {B: "N; default 1"}
GONE = {"since": "0.2.0", "why": "issue 20", "instead": "--c"}
CHANGED = {"since": "0.2.0", "why": "issue 20", "now": "N; default 2"}


def test_the_product_is_what_the_inventory_says() -> None:
    found = differences(inventory.listed(), inventory.marks(), inventory.entries())
    assert not found, "\n".join(["", *found])


def test_the_inventory_is_in_order() -> None:
    names = list(inventory.listed())
    assert names == sorted(names)


@pytest.mark.parametrize("words", [[], *COMMANDS], ids=" ".join)
def test_a_command_explains_itself(words: list[str]) -> None:
    shown = help_of(*words)
    assert (shown.code, shown.err) == (0, "")
    assert usage_of(shown.out, PROGRAM, *words)


def test_the_page_tells_every_setting_and_no_other() -> None:
    assert set(told_settings()) == set(known_settings())


def test_an_ability_is_shown_by_a_test() -> None:
    missing = {test for test in abilities().values() if not is_there(test)}
    assert not missing, "name other tests that show it in abilities.json"


NOTHING = "marked in gone.json but never listed: command x*"
INCOMPLETE = f"gone.json, {B}: expected since, why, and instead"
OTHER = f"changed: {B} was 'N; default 2', is 'N; default 1'"


@pytest.mark.parametrize(
    ("marked", "product", "said"),
    [
        ({}, LISTED, None),
        ({}, WITHOUT, f"left: {B} (N; default 1); bring it back, or mark it"),
        ({}, LISTED | {B: "x"}, f"changed: {B} was 'N; default 1', is 'x'; undo it"),
        ({}, LISTED | {C: "x"}, f"came: {C} (x); add it by python -m tests."),
        ({B: GONE}, WITHOUT, None),
        ({B: GONE}, LISTED, f"marked gone but there: {B}; take its mark out"),
        ({"command a*": GONE}, {}, None),
        ({"command a*": GONE}, {B: "x"}, f"marked gone but there: {B}"),
        ({"command x*": GONE}, LISTED, NOTHING),
        ({B: CHANGED}, LISTED | {B: "N; default 2"}, None),
        ({B: CHANGED}, LISTED, OTHER),
        ({B: CHANGED}, WITHOUT, f"left: {B} (N; default 2)"),
        ({B: {**GONE, "why": ""}}, WITHOUT, INCOMPLETE),
        ({B: {**GONE, "now": LISTED[B]}}, WITHOUT, INCOMPLETE),
    ],
)
def test_what_leaves_or_changes_needs_a_mark_that_says_why(
    marked: inventory.Marks, product: dict[str, str], said: str | None
) -> None:
    found = differences(LISTED, marked, product)
    assert not found if said is None else found[0].startswith(said)
