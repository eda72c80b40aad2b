# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""JSON as every command writes it."""

from __future__ import annotations

import json

ENCODER = json.JSONEncoder(ensure_ascii=False, indent=1, allow_nan=False)


def json_text(document: object) -> str:
    """Serialise a document; the same document always gives the same text.

    Raises
    ------
    ValueError
        It holds a number that JSON has no word for.
    """
    return ENCODER.encode(document) + "\n"
