# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The members of JSON by path, of a JSON Schema or of documents.

``pairs[].grade`` is a member of each entry of the list ``pairs``, and
``results.*.metrics`` one of each value of an object whose keys are names.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

Schema = dict[str, Any]
MAYBE = "not always there"
TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def members_of(schema: Schema) -> dict[str, str]:
    """Return each member of what a schema describes, and what it may be."""
    return _Reader(schema).members()


class _Reader:
    """Goes through a schema; what is the whole of a document is not repeated within."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.whole = [each.get("$ref") for each in schema.get("oneOf", ())]

    def members(self) -> dict[str, str]:
        found: dict[str, set[str]] = {}
        for path, kinds in self._members(self.schema, ""):
            found.setdefault(path, set()).update(kinds)
        return {path: _in_words(kinds) for path, kinds in found.items()}

    def _members(self, schema: Schema, path: str) -> Iterator[tuple[str, set[str]]]:
        for plain in self._plain(schema, path):
            required = plain.get("required", ())
            for name, value in plain.get("properties", {}).items():
                place = f"{path}.{name}" if path else name
                kinds = self._kinds(value, place)
                yield place, kinds if name in required else {*kinds, MAYBE}
                yield from self._members(value, place)
            for way, inner in _inner(plain):
                yield from self._members(inner, path + way)

    def _plain(self, schema: Schema, path: str) -> Iterator[Schema]:
        """The alternatives of a schema, looked up where it refers to them."""
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            if path and schema["$ref"] in self.whole:
                yield {"type": name}
            else:
                own, further = schema.get("properties", {}), schema.get("required", [])
                for part in self._plain(self.schema["$defs"][name], path):
                    members = part.get("properties", {}) | own
                    required = [*part.get("required", ()), *further]
                    yield {**part, "properties": members, "required": required}
            return
        alternatives = (*schema.get("oneOf", ()), *schema.get("anyOf", ()))
        if "type" in schema or not alternatives:
            # alternatives then say which members go together
            yield schema
            return
        for each in alternatives:
            yield from self._plain(each, path)

    def _kinds(self, schema: Schema, path: str) -> set[str]:
        found: set[str] = set()
        for plain in self._plain(schema, path):
            values = plain.get("enum", [plain["const"]] if "const" in plain else ())
            types = plain.get("type", () if values else "any")
            if values:
                types = ()
            found |= {json.dumps(value) for value in values}
            found |= {
                self._with_inner(kind, plain, path)
                for kind in ([types] if isinstance(types, str) else types)
            }
        return found

    def _with_inner(self, kind: str, schema: Schema, path: str) -> str:
        if kind not in ("array", "object"):
            return kind
        inner = {
            each
            for way, part in _inner(schema)
            if (kind == "array") == way.startswith("[")
            for each in self._kinds(part, path + way)
        }
        return f"{kind} of {' or '.join(sorted(inner))}" if inner else kind


def _in_words(kinds: Collection[str]) -> str:
    said = " or ".join(sorted({*kinds} - {MAYBE}))
    return f"{said}; {MAYBE}" if MAYBE in kinds else said


def _inner(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The schemas of the values that are no members of their own."""
    if isinstance(schema.get("items"), dict):
        yield "[]", schema["items"]
    for part in schema.get("prefixItems", ()):
        yield "[]", part
    if isinstance(schema.get("additionalProperties"), dict):
        yield ".*", schema["additionalProperties"]


def schema_of(
    values: Sequence[Any], by_name: Collection[str] = (), path: str = ""
) -> Schema:
    """Return a schema of documents that the product wrote.

    That a value was null says little, so it is told only of one that always was.

    Parameters
    ----------
    values : sequence
        The documents, or what stood in the same place of each.
    by_name : collection of str
        Paths of objects whose keys are names.
    path : str
    """
    known = [value for value in values if value is not None]
    types = sorted({TYPES[type(value)] for value in known}) or ["null"]
    schema: Schema = {"type": [each for each in types if not _is_said(each, types)]}
    items = [item for value in known if isinstance(value, list) for item in value]
    if items:
        schema["items"] = schema_of(items, by_name, f"{path}[]")
    objects = [value for value in known if isinstance(value, dict)]
    if path in by_name:
        inner = [each for value in objects for each in value.values()]
        schema["additionalProperties"] = schema_of(inner, by_name, f"{path}.*")
    elif objects:
        names = sorted({name for value in objects for name in value})
        schema["properties"] = {
            name: schema_of(
                [value[name] for value in objects if name in value],
                by_name,
                f"{path}.{name}" if path else name,
            )
            for name in names
        }
        schema["required"] = [
            name for name in names if all(name in value for value in objects)
        ]
    return schema


def _is_said(kind: str, kinds: Collection[str]) -> bool:
    """Whether another kind has it within."""
    return kind == "integer" and "number" in kinds
