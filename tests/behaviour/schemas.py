# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The schemas that come with the package, wherever they stand in it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from tests.behaviour.product import REPOSITORY


def schema_of(name: str) -> dict[str, Any]:
    """Return a schema such as ``audit.schema.json``, closed to keys that it lacks."""
    (path,) = (REPOSITORY / "garak_tbsa").rglob(name)
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    _close(schema)
    return schema


def _close(node: Any) -> None:
    """Close each object where it is used: a part may be used with more members."""
    if isinstance(node, dict) and ("$ref" in node or "properties" in node):
        node["unevaluatedProperties"] = False
    if isinstance(node, (dict, list)):
        for below in node.values() if isinstance(node, dict) else node:
            _close(below)
    if isinstance(node, dict):
        for part in node.get("$defs", {}).values():
            part.pop("unevaluatedProperties", None)


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema_of(name))


def assert_keeps_schema(given: Any, name: str) -> None:
    """Hold a document against a schema: it has all that is described, and no more."""
    error = best_match(_validator(name).iter_errors(given))
    assert error is None, f"{error.json_path}: {error.message}"
