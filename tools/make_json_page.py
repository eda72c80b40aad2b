# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference/json.md from the shipped schemas; ``make docs`` does."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tools.made_page import REFERENCE, cell, refilled, write_or_check

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = REFERENCE / "json.md"
PACKAGE = REFERENCE.parents[1] / "garak_tbsa"
WRITERS = {
    "score": "`score -j`, `explain -j`, `<prefix>.tbsa.json` after a scan",
    "compare": "`compare -j`",
    "audit": "`audit -j`",
    "plan": "`plan -j`",
    "summary": "`detectors evaluate --output`",
}
KINDS = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "array": "list",
    "object": "object",
}


def page() -> str:
    """Return the page by the schemas of today."""
    index = "| written by | schema, in `garak_tbsa/` | below |\n| --- | --- | --- |\n"
    sections = ""
    found = {path.name: path for path in PACKAGE.rglob("*.schema.json")}
    for name in WRITERS:
        file = found.pop(f"{name}.schema.json")
        path = file.relative_to(PACKAGE).as_posix()
        index += f"| {WRITERS[name]} | `{path}` | [{name}](#{name}) |\n"
        schema = json.loads(file.read_text(encoding="utf-8"))
        sections += SchemaText(name=name, schema=schema).section()
    if found:
        raise KeyError(f"{sorted(found)}: say in WRITERS what writes it")
    return refilled(PAGE, index=index, sections=sections)


@dataclass(frozen=True, kw_only=True)
class SchemaText:
    """One schema, and how its parts are told.

    Attributes
    ----------
    name : str
        As the command that writes it; anchors of the page begin with it.
    schema : dict
    """

    name: str
    schema: dict[str, Any]

    def section(self) -> str:
        """Return what the page says of it."""
        text = f"\n## {self.name.capitalize()}\n\n{self.schema['description']}\n"
        if "properties" in self.schema:
            text += self._table(self.schema)
        for part, definition in self.schema["$defs"].items():
            if any(_inside(definition)):
                text += f"\n### {self.name}: {part}\n"
                if "description" in definition:
                    text += f"\n{definition['description']}\n"
                text += self._table(definition)
        return text

    def _table(self, schema: dict[str, Any]) -> str:
        rows = "".join(
            row
            for dots, inner in _inside(schema)
            for row in self._rows(inner, f"{dots}." if dots else "")
        )
        return f"\n| key | value | meaning |\n| --- | --- | --- |\n{rows}"

    def _rows(self, schema: dict[str, Any], prefix: str) -> list[str]:
        rows = []
        for key, value in schema["properties"].items():
            optional = "" if key in schema.get("required", ()) else "; not always there"
            rows.append(
                f"| `{prefix}{key}` | {cell(self._kind(value))}{optional}"
                f" | {cell(self._meaning(value))} |\n"
            )
            for dots, inner in _inside(value):
                rows += self._rows(inner, f"{prefix}{key}{dots}.")
        return rows

    def _meaning(self, schema: dict[str, Any]) -> str:
        said = schema.get("description", "")
        if not said and "$ref" in schema:
            part = self._part(schema)
            said = "" if any(_inside(part)) else part.get("description", "")
        return str(said)

    def _part(self, schema: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.schema["$defs"][_referred(schema)]
        return found

    def _kind(self, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            part = self._part(schema)
            if not any(_inside(part)):
                return self._kind(part)
            name = _referred(schema)
            return f"[{name}](#{self.name}-{name.lower()})"
        for join in ("anyOf", "oneOf"):
            if join in schema:
                return " or ".join(self._kind(each) for each in schema[join])
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if "enum" in schema:
            return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        return " or ".join(self._word(each, schema) for each in types) or "any"

    def _word(self, kind: str, schema: dict[str, Any]) -> str:
        word = KINDS[kind]
        if kind in ("integer", "number"):
            return word + _range(schema)
        items, inner = schema.get("items"), schema.get("additionalProperties")
        if kind == "array" and isinstance(items, dict):
            return f"{word} of {self._kind(items)}"
        if kind == "object" and isinstance(inner, dict):
            return f"{word} of {self._kind(inner)} by name"
        return word


def _inside(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects that a value holds, and how their keys are reached."""
    if "properties" in schema:
        yield "", schema
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _inside(each)
    for name, dots in (("items", "[]"), ("additionalProperties", ".*")):
        if isinstance(schema.get(name), dict):
            for further, inner in _inside(schema[name]):
                yield dots + further, inner


def _referred(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _range(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f", {low} or more"
    return f", at most {high}" if high is not None else ""


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), sys.argv[1:]))
