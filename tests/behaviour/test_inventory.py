# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing that users rely on leaves or changes without a mark that says why."""

from __future__ import annotations

import json

import pytest

from tests.behaviour import inventory
from tests.behaviour.inventory import differences
from tests.behaviour.listed.abilities import abilities, is_there
from tests.behaviour.listed.commands import help_of, usage_of
from tests.behaviour.listed.json_shape import members_of, schema_of
from tests.behaviour.listed.settings import known_settings, told_settings
from tests.behaviour.product import PROGRAM

COMMANDS = [
    entry.split()[1:]
    for entry in inventory.kept(inventory.listed(), inventory.marks())
    if entry.startswith("command ") and ":" not in entry
]
LISTED = {"command a": "has --help", "command a: --b": "N; default 1"}
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


def test_without_a_mark_nothing_may_change() -> None:
    assert differences(LISTED, {}, LISTED) == []
    (left,) = differences(LISTED, {}, {"command a": "has --help"})
    assert left.startswith(
        "left: command a: --b (N; default 1); bring it back, or mark"
    )
    (changed,) = differences(LISTED, {}, LISTED | {"command a: --b": "switch"})
    assert changed.startswith("changed: command a: --b was 'N; default 1', is 'switch'")
    (came,) = differences(LISTED, {}, LISTED | {"command c": "has --help"})
    assert came.startswith("came: command c (has --help); add it by python -m tests.")


def test_what_is_marked_gone_must_be_gone() -> None:
    gone = {"command a: --b": GONE}
    assert differences(LISTED, gone, {"command a": "has --help"}) == []
    (there,) = differences(LISTED, gone, LISTED)
    assert there.startswith("marked gone but there: command a: --b; take its mark out")


def test_a_star_marks_all_that_begins_so() -> None:
    gone = {"command a*": GONE}
    assert differences(LISTED, gone, {}) == []
    (there,) = differences(LISTED, gone, {"command a: --b": "N; default 1"})
    assert there.startswith("marked gone but there: command a: --b")
    (never,) = differences(LISTED, {"command x*": GONE}, LISTED)
    assert never == "marked in gone.json but never listed: command x*"


def test_what_is_marked_changed_must_be_as_marked() -> None:
    changed = {"command a: --b": CHANGED}
    now = LISTED | {"command a: --b": "N; default 2"}
    assert differences(LISTED, changed, now) == []
    (other,) = differences(LISTED, changed, LISTED)
    assert "was 'N; default 2', is 'N; default 1'" in other
    (left,) = differences(LISTED, changed, {"command a": "has --help"})
    assert left.startswith("left: command a: --b (N; default 2)")


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ({"command x": GONE}, "marked in gone.json but never listed: command x"),
        ({"command a: --b": {**GONE, "why": ""}}, "expected since, why, and instead"),
        ({"command a: --b": {**GONE, "now": "N"}}, "expected since, why, and instead"),
    ],
)
def test_a_mark_says_since_when_why_and_what_instead(
    marked: inventory.Marks, said: str
) -> None:
    product = {"command a": "has --help"}
    assert any(said in line for line in differences(LISTED, marked, product))


def test_members_of_documents_are_told_by_their_paths() -> None:
    first = {
        "a": 1,
        "b": [{"c": None}, {"c": "text", "d": 0.5}],
        "e": {"x": {"f": True}},
    }
    second = {"a": 0.5, "b": [], "e": {"y": {"f": False}}, "g": None}
    assert members_of(schema_of([first, second], by_name=["e"])) == {
        "a": "number",
        "b": "array of object",
        "b[].c": "string",
        "b[].d": "number; not always there",
        "e": "object of object",
        "e.*.f": "boolean",
        "g": "null; not always there",
    }


def test_members_of_a_schema_are_those_of_all_its_parts() -> None:
    schema = {
        "oneOf": [{"$ref": "#/$defs/one"}, {"$ref": "#/$defs/many"}],
        "$defs": {
            "one": {
                "type": "object",
                "required": ["kind", "inner"],
                "properties": {
                    "kind": {"enum": ["x", None]},
                    "inner": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/part"}]},
                },
            },
            "part": {"type": "object", "properties": {"of": {"type": "integer"}}},
            "many": {
                "type": "object",
                "required": ["all"],
                "properties": {
                    "all": {"type": "array", "items": {"$ref": "#/$defs/one"}}
                },
            },
        },
    }
    assert members_of(json.loads(json.dumps(schema))) == {
        "kind": '"x" or null',
        "inner": "null or object",
        "inner.of": "integer; not always there",
        "all": "array of one",
    }
