# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A prompt as garak writes it, text or a conversation -> turns and text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Turn(NamedTuple):
    """One message of a conversation.

    Attributes
    ----------
    role : str
        ``system``, ``user``, ``assistant``, or whatever the report says.
    text : str
        Empty where there is none.
    """

    role: str
    text: str


def prompt_text(prompt: object) -> str:
    """Return a prompt as text; a single turn has no role before it."""
    if isinstance(prompt, str):
        return prompt
    turns = list(turns_of(prompt))
    if not turns:
        return "" if prompt is None else _as_json(prompt)
    if len(turns) == 1:
        return turns[0].text
    return "\n\n".join(f"{role}: {text}" for role, text in turns)


def _as_json(prompt: object) -> str:
    try:
        return json.dumps(prompt, ensure_ascii=False, allow_nan=False, default=str)
    except (ValueError, RecursionError):
        return "(no text, and nothing that JSON has a form for)"


def turns_of(conversation: object) -> Iterator[Turn]:
    """Yield the turns of a conversation; none of what is no conversation."""
    turns: Any = (
        conversation.get("turns") if isinstance(conversation, Mapping) else conversation
    )
    for turn in turns if isinstance(turns, list) else ():
        if not isinstance(turn, Mapping):
            continue
        content = turn.get("content")
        text = content.get("text") if isinstance(content, Mapping) else content
        yield Turn(str(turn.get("role")), text if isinstance(text, str) else "")
