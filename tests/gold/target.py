# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The offline target behind the gold reports; the same prompt, the same answer."""

from __future__ import annotations

from garak_tbsa.demo_target import respond

UNANSWERED = "Riley"


def answers_or_none(prompt: str, **_: object) -> list[str | None]:
    """Leave one probe's prompts without an answer, as a failing service does."""
    text = prompt if isinstance(prompt, str) else str(prompt)
    return [None] if UNANSWERED in text else [*respond(text)]
