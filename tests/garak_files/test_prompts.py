# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from garak_tbsa.garak_files.prompts import prompt_text


def turn(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("hello", "hello"),
        (None, ""),
        ({"turns": [turn("user", {"text": "hello", "lang": "en"})]}, "hello"),
        (
            {"turns": [turn("user", "a"), turn("assistant", {"text": "b"})]},
            "user: a\n\nassistant: b",
        ),
        ({"turns": [turn("user", None), 3]}, ""),
        ({"turns": "?"}, '{"turns": "?"}'),
        ([1], "[1]"),
        ([turn("user", "a"), turn("assistant", "b")], "user: a\n\nassistant: b"),
        ([float("nan")], "(no text, and nothing that JSON has a form for)"),
    ],
)
def test_prompts_as_text(prompt: object, text: str) -> None:
    assert prompt_text(prompt) == text
