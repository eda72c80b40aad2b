# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The JSON of scores and comparisons against the schemas that come with it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

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
