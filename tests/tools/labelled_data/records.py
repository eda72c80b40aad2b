# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Raw rows that keep every rule of the shipped data."""

from __future__ import annotations

import random
from typing import Any

WORDS = [
    f"{start}{end}"
    for start in ("al", "be", "cor", "dun")
    for end in ("ba", "mi", "no", "ru", "ta")
]


def good_records(detector: str = "dan.DAN", count: int = 90) -> list[dict[str, Any]]:
    """Return raw rows that keep every rule, for a detector of English."""
    chance = random.Random(detector)
    return [
        {
            "id": f"{detector}-{number:03d}",
            "prompt": "Say something.",
            "output": " ".join(chance.choices(WORDS, k=chance.randint(20, 40))) + ".",
            "label": "hit" if number % 2 else "pass",
            "slice": "plain",
            "lang": "en",
            "source": "written",
            "basis": "written",
            "annotations": dict.fromkeys(
                ("author", "second"), "hit" if number % 2 else "pass"
            ),
        }
        | ({"why": "it is made to be"} if number % 3 == 0 else {})
        for number in range(count)
    ]
