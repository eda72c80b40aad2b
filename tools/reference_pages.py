# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write commands.md, settings.md and json.md of docs/reference, and the schemas.

``make docs`` does. They have what ``--help`` prints, what settings the code reads, and
what the documents of our JSON are.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from garak_tbsa.cli.main import COMMANDS, main
from garak_tbsa.gates.options import GATE_OPTIONS, GateOption
from garak_tbsa.host.settings import SETTINGS
from garak_tbsa.outputs.registry import FORMATS
from tools.made_page import REFERENCE, cell, refilled, write_or_check
from tools.schemas import MADE

COMMANDS_PAGE, SETTINGS_PAGE, JSON_PAGE = (
    REFERENCE / name for name in ("commands.md", "settings.md", "json.md")
)


def commands() -> list[tuple[str, ...]]:
    """Return every command, as its words."""
    return [(), *(tuple(name.split()) for name in COMMANDS)]


def commands_page() -> str:
    """Return the page with the help of today; the examples below it are left alone."""
    text = COMMANDS_PAGE.read_text(encoding="utf-8")
    named = [" ".join(("garak-tbsa", *command)) for command in commands()]
    if re.findall(r"^## `(.*)`$", text, re.MULTILINE) != named:
        raise ValueError(
            f"{COMMANDS_PAGE.name}: expected a heading for each of {named}"
        )
    parts = re.split(r"(?<=\n```text\n).*?(?=\n```\n)", text, flags=re.DOTALL)
    shown = [*map(_help, commands()), ""]
    return "".join(f"{part}{told}" for part, told in zip(parts, shown, strict=True))


def _help(command: tuple[str, ...]) -> str:
    said = io.StringIO()
    with (
        patch.dict("os.environ", COLUMNS="80"),
        contextlib.redirect_stdout(said),
        contextlib.suppress(SystemExit),
    ):
        main([*command, "--help"])
    return said.getvalue().rstrip()


FLAGS = {form.name: form.options[0] for form in FORMATS} | {
    "evidence": "--no-evidence",
    "repeat": "--repeat",
}
"""The option that does what a setting does, where its name does not tell it."""

HEADER = (
    "| setting | values | default | what it does | option of `score` |",
    "| --- | --- | --- | --- | --- |",
)


def settings_page() -> str:
    """Return the page by the settings of today."""
    rows = [_row(option) for option in SETTINGS]
    return refilled(SETTINGS_PAGE, settings="\n".join([*HEADER, *rows]))


def _row(option: GateOption) -> str:
    needs = " or ".join(f"`{each}`" for each in option.needs)
    purpose = cell(option.purpose + (f"; only with {needs}" if needs else ""))
    flag = FLAGS.get(option.name, option.flag if option in GATE_OPTIONS else "")
    cells = (f"`{option.name}`", cell(option.expected), _in_yaml(option.default))
    return f"| {' | '.join((*cells, purpose, f'`{flag}`' if flag else ''))} |"


def _in_yaml(value: bool | float | None) -> str:
    if value is None:
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else f'{value:g}'}`"


SCHEMAS = REFERENCE.parents[1] / "garak_tbsa" / "schemas"
WRITERS = {
    "score": "`score -j`, `explain -j`, `<prefix>.tbsa.json` after a scan",
    "compare": "`compare -j`",
    "history": "`history --jsonl`, one object for each scan",
    "audit": "`audit -j`",
    "summary": "`detectors evaluate --output`",
}
NOT_SHIPPED = ("history",)
"""JSON that is on the page alone."""

KINDS = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "array": "list",
    "object": "object",
}


def schema_files() -> dict[Path, str]:
    """Return the text of each schema that is made, by its file."""
    return {
        SCHEMAS / f"{name}.schema.json": made.text()
        for name, made in MADE.items()
        if name not in NOT_SHIPPED
    }


def json_page() -> str:
    """Return the page by the documents of today, and by the schemas of the others."""
    index = "| written by | schema, in `garak_tbsa/` | below |\n| --- | --- | --- |\n"
    sections = ""
    left = {path.name for path in SCHEMAS.iterdir()}
    for name, writer in WRITERS.items():
        file = SCHEMAS / f"{name}.schema.json"
        shipped = "none" if name in NOT_SHIPPED else f"`schemas/{file.name}`"
        index += f"| {writer} | {shipped} | [{name}](#{name}) |\n"
        made = MADE.get(name)
        schema = made.schema() if made else json.loads(file.read_text(encoding="utf-8"))
        sections += SchemaText(name=name, schema=schema).section()
        left.discard(file.name)
    if left:
        raise KeyError(f"{sorted(left)}: say in WRITERS what writes it")
    return refilled(JSON_PAGE, index=index, sections=sections)


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
                if "$ref" in definition:
                    text += f"\nAll of {self._link(definition)}, and:\n"
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
            return self._link(schema) + " or null" * ("null" in part.get("type", ()))
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

    def _link(self, schema: dict[str, Any]) -> str:
        name = _referred(schema)
        return f"[{name}](#{self.name}-{name.lower()})"

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
    made = {
        COMMANDS_PAGE: commands_page(),
        SETTINGS_PAGE: settings_page(),
        JSON_PAGE: json_page(),
        **schema_files(),
    }
    sys.exit(max(write_or_check(*page, sys.argv[1:]) for page in made.items()))
