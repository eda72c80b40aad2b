# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of the JSON that we write, made from the types of its documents."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from inspect import getdoc
from types import ModuleType
from typing import Any

from msgspec.json import schema_components

from garak_tbsa.detector_eval import counts, intervals, summary
from garak_tbsa.outputs.documents import (
    audit,
    comparison,
    explanation,
    gate,
    history,
    score,
)

DOCUMENTS = (audit, comparison, explanation, gate, history, score)
MAY_ADD = (
    "A later version may add keys; schema_version rises with every change that could"
    " break a reader."
)


@dataclass(frozen=True, kw_only=True)
class Made:
    """A schema that is made.

    Attributes
    ----------
    title, description : str
        What it says of itself.
    kinds : tuple of type
        One of which a document is.
    modules : tuple of module
        Where the types of its parts are.
    """

    title: str
    description: str
    kinds: tuple[type, ...]
    modules: tuple[ModuleType, ...] = DOCUMENTS

    def schema(self) -> dict[str, Any]:
        """Return it, with what the docstrings say of each type and of each member."""
        whole, parts = schema_components(self.kinds, ref_template="#/$defs/{name}")
        types = {
            name: each for module in self.modules for name, each in vars(module).items()
        }
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.title,
            "description": self.description,
            **(whole[0] if len(whole) == 1 else {"oneOf": list(whole)}),
            "$defs": {
                name: _described(types[name], part) for name, part in parts.items()
            },
        }

    def text(self) -> str:
        """Return its file, one type a line."""
        schema = self.schema()
        parts = ",\n".join(
            f" {json.dumps(name)}: {json.dumps(part)}"
            for name, part in schema.pop("$defs").items()
        )
        return f'{json.dumps(schema, indent=1)[:-2]},\n "$defs": {{\n{parts}\n}}}}\n'


MADE = {
    "score": Made(
        title="What garak-tbsa score -j writes",
        description="One report gives a score, several give a list of scores. "
        + MAY_ADD,
        kinds=(score.Score, score.Several),
    ),
    "compare": Made(
        title="What garak-tbsa compare -j writes",
        description=f"Two compared scans. {MAY_ADD}",
        kinds=(comparison.Comparison,),
    ),
    "audit": Made(
        title="What garak-tbsa audit -j writes",
        description=f"What labels of some outputs say of a scan. {MAY_ADD}",
        kinds=(audit.Audit,),
    ),
    "history": Made(
        title="What garak-tbsa history --jsonl writes",
        description="Each line is one scored scan. A later version may add keys.",
        kinds=(history.Scan,),
    ),
    "summary": Made(
        title="detector_metrics_summary.json",
        description="How well each garak detector tells a hit from a pass. It has the"
        " keys that garak documents; the descriptions of further keys begin with: of"
        " garak-tbsa.",
        kinds=(summary.Document,),
        modules=(counts, intervals, summary),
    ),
}
"""By the command that writes such JSON."""


def _described(kind: Any, part: dict[str, Any]) -> dict[str, Any]:
    """A type's part of a schema, with what is said of each member.

    Raises
    ------
    KeyError
        Nothing is said of one.
    """
    said: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        said |= (
            _members(getdoc(each) or "") if each.__module__ == kind.__module__ else {}
        )
    fields = getattr(kind, "__struct_fields__", tuple(part["properties"]))
    written = getattr(kind, "__struct_encode_fields__", fields)
    for field, member in zip(fields, written, strict=True):
        part["properties"][member]["description"] = said[field]
        # strict validators refuse what only a program that fills in can use
        part["properties"][member].pop("default", None)
    summary, _, _ = (getdoc(kind) or "").partition("\n")
    return {"description": summary} | {
        key: value for key, value in part.items() if key not in ("title", "description")
    }


def _members(docstring: str) -> dict[str, str]:
    """What a docstring says of each attribute."""
    _, _, text = docstring.partition("Attributes\n----------\n")
    return {
        name: " ".join(said.split())
        for names, said in re.findall(r"^(\S.*)\n((?:    .*\n?)+)", text, re.MULTILINE)
        for name in names.partition(" : ")[0].split(", ")
    }
