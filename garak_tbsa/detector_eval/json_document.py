# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A .json file that is one document -> its records; JSON Lines stay as they are."""

from __future__ import annotations

import json
from typing import Any

Records = list[dict[str, Any]]


def is_document(first_line: bytes) -> bool:
    """Whether a file that begins so is one JSON document, not an object a line.

    Parameters
    ----------
    first_line : bytes
        The first line with anything in it.
    """
    try:
        value = json.loads(first_line)
    except (ValueError, RecursionError):
        # an object over several lines, or a mistake that reading it tells
        return first_line.strip() in (b"{", b"[") or first_line.lstrip()[:1] == b"["
    return isinstance(value, list) or _is_grouped(value)


def document_records(content: bytes) -> Records | None:
    """The records of a document; None where it is none.

    A list of objects, lists of objects by group, or one object.

    Raises
    ------
    ValueError, RecursionError
        It is no JSON.
    """
    value = json.loads(content)
    if _is_grouped(value):
        value = [record for group in value.values() for record in group]
    if isinstance(value, dict):
        value = [value]
    return value if _are_records(value) else None


def _is_grouped(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(group and _are_records(group) for group in value.values())
    )


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)
