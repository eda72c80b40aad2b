# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""JSON as every command writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar

from msgspec import UNSET, Struct, structs

Document = TypeVar("Document", bound=Struct)


def told(kind: type[Document], record: object, /, **others: Any) -> Document:
    """Return a document of a record: its attributes by their names, and others."""
    own = (name for name in kind.__struct_fields__ if name not in others)
    return kind(**{name: getattr(record, name) for name in own}, **others)


def _members(document: Struct) -> dict[str, Any]:
    """The members of a document, without those that are not set."""
    names, values = document.__struct_encode_fields__, structs.astuple(document)
    found = zip(names, values, strict=True)
    return {name: value for name, value in found if value is not UNSET}


ENCODER = json.JSONEncoder(
    ensure_ascii=False, indent=1, allow_nan=False, default=_members
)
LINE_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_members)


def json_text(document: object) -> str:
    """Serialise a document; the same document always gives the same text.

    Raises
    ------
    ValueError
        It holds a number that JSON has no word for.
    """
    return ENCODER.encode(document) + "\n"


def json_lines(documents: Iterable[object]) -> str:
    """Serialise documents, one a line.

    Raises
    ------
    ValueError
        One holds a number that JSON has no word for.
    """
    return "".join(LINE_ENCODER.encode(each) + "\n" for each in documents)
