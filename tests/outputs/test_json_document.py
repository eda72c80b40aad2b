# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The JSON of scores and comparisons against the schemas that come with it."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from garak_tbsa.outputs.documents.comparison import Comparison
from garak_tbsa.outputs.documents.score import Score
from tests.behaviour.product import REPOSITORY
from tests.behaviour.schemas import assert_keeps_schema, schema_of
from tests.outputs.written import Written

GARAKS_KEYS = [
    *("tbsa", "version_probe_hash", "probe_detector_pairs_contributing"),
    *("infile", "run_id"),
]


def test_every_document_has_what_its_schema_describes_and_no_more(
    scores: dict[str, Written], comparisons: dict[str, Written]
) -> None:
    """Garak's five keys come first in a score."""
    for kind in ("mixed", "perfect", "uncounted", "hostile"):
        assert_keeps_schema(scores[kind].document, "score.schema.json")
        assert list(scores[kind].document)[:5] == GARAKS_KEYS
    for written in comparisons.values():
        assert_keeps_schema(written.document, "compare.schema.json")


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every description of an object in a schema."""
    inner = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict) and "properties" in schema:
        yield schema
    for value in inner if isinstance(schema, (dict, list)) else ():
        yield from objects(value)


def test_the_schema_notices_what_is_missing_or_wrong(
    scores: dict[str, Written],
) -> None:
    """It requires every key; only a scan without a score has no explanation."""
    for each in objects(schema_of("compare.schema.json")):
        assert each["required"] == list(each["properties"])
    validator = Draft202012Validator(schema_of("score.schema.json"))
    found = scores["mixed"].document
    assert validator.is_valid(found)
    for key in found:
        without = {name: value for name, value in found.items() if name != key}
        assert key == "explanation" or not validator.is_valid(without), key
    for key, wrong in {
        "tbsa": 5.1,
        "checksum": "12345678",
        "schema_version": 2,
        "pairs": [{}],
        "repeat_interval": {"lower": None, "upper": None},
        "gate": {},
    }.items():
        assert not validator.is_valid(copy.copy(found) | {key: wrong}), key
    with pytest.raises(AssertionError, match="unheard_of"):
        assert_keeps_schema(found | {"unheard_of": 1}, "score.schema.json")


OF_ONE_TYPE = {
    **dict.fromkeys(
        (
            "properties",
            "patternProperties",
            "additionalProperties",
            "propertyNames",
            "required",
        ),
        "object",
    ),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems"), "array"),
    **dict.fromkeys(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "number"
    ),
    **dict.fromkeys(("pattern", "minLength"), "string"),
}
"""Keywords that say something of values of one type alone."""

OTHERS = {
    *("$schema", "$ref", "$defs", "title", "description"),
    *("type", "enum", "const", "anyOf", "oneOf"),
}
BY_NAME = ("properties", "patternProperties", "$defs")


def not_strict(schema: Any, at: str = "#") -> Iterator[str]:
    """What a validator that is strict, such as ajv, refuses in a schema."""
    if isinstance(schema, bool):
        return
    yield from (f"{at}: {word}" for word in {*schema} - {*OF_ONE_TYPE, *OTHERS})
    types = schema.get("type", [])
    named = [types] if isinstance(types, str) else types
    if len({*named} - {"null"}) > 1:
        yield f"{at}: several types"
    known = {"number" if each == "integer" else each for each in named}
    yield from (
        f"{at}: {word} without its type"
        for word, kind in OF_ONE_TYPE.items()
        if word in schema and kind not in known
    )
    if "$ref" not in schema:
        missing = {*schema.get("required", ())} - {*schema.get("properties", ())}
        yield from (f"{at}: {name} is required alone" for name in missing)
    if "prefixItems" in schema:
        count = len(schema["prefixItems"])
        if (schema.get("minItems"), schema.get("items")) != (count, False):
            yield f"{at}: open tuple"
    inner = [
        (name, part) for word in BY_NAME for name, part in schema.get(word, {}).items()
    ]
    inner += [
        (word, schema[word])
        for word in ("items", "additionalProperties")
        if word in schema
    ]
    inner += [
        (word, part)
        for word in ("anyOf", "oneOf", "prefixItems")
        for part in schema.get(word, ())
    ]
    for name, part in inner:
        yield from not_strict(part, f"{at}/{name}")


def test_strict_validators_compile_every_schema() -> None:
    """As ajv does with ``strict: true``."""
    paths = list((REPOSITORY / "garak_tbsa" / "schemas").iterdir())
    assert len(paths) == 4
    for path in paths:
        assert [*not_strict(json.loads(path.read_text("utf-8")))] == [], path


def mutated(document: Any, rng: random.Random) -> Any:
    """A copy with one member gone, or of another type."""
    found = node = copy.deepcopy(document)
    while True:
        is_object = isinstance(node, dict)
        key: Any = rng.choice(list(node)) if is_object else rng.randrange(len(node))
        if node[key] and isinstance(node[key], dict | list) and rng.random() < 0.7:
            node = node[key]
        elif is_object and rng.random() < 0.3:
            del node[key]
            return found
        else:
            node[key] = rng.choice([None, True, -1, 7, 1.5, "x", [], {}])
            return found


def test_schema_and_types_are_one(
    scores: dict[str, Written], comparisons: dict[str, Written]
) -> None:
    """What one takes of documents that are mutated, the other takes too."""
    rng, refused = random.Random(1), 0
    for kind, name, written in (
        (Score, "score", scores["mixed"]),
        (Comparison, "compare", comparisons["common"]),
    ):
        text = (
            REPOSITORY / "garak_tbsa" / "schemas" / f"{name}.schema.json"
        ).read_text()
        validator = Draft202012Validator(json.loads(text))
        for _ in range(150):
            found = mutated(written.document, rng)
            try:
                msgspec.convert(found, kind)
                by_type = True
            except msgspec.ValidationError:
                by_type = False
            assert validator.is_valid(found) == by_type
            refused += not by_type
    assert refused > 200
