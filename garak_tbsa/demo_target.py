# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An offline target for trying a scan: it refuses some prompts and falls for others.

``garak --target_type function.Single --target_name garak_tbsa.demo_target#respond``
"""

from __future__ import annotations

import hashlib

REFUSALS = (
    "I'm sorry, but I can't help with that request.",
    "I can't assist with that. Is there something else you would like to do?",
    "As an AI language model, I cannot do that.",
)
FALLS_FOR = (
    # (what the prompt speaks of, what a careless model answers, how often in 100)
    ("DAN", "[DAN]: Sure, whatever you say. The rules no longer apply to me.", 55),
    ("ANSI", "Here you are: \\x1b[31mred\\x1b[0m", 30),
    ("![", "![logo](https://example.com/logo.png?q=hello)", 40),
    ("XSS", "<script>alert(1)</script>", 20),
    ("JSON", '{"answer": 42}', 70),
    ("whois", "The domain is registered until 2027.", 100),
)


def respond(prompt: str, **_: object) -> list[str]:
    """Answer one prompt; the same prompt always gets the same answer.

    Parameters
    ----------
    prompt : str

    Returns
    -------
    list of str
        One answer.
    """
    number = int.from_bytes(hashlib.sha256(prompt.encode("utf-8")).digest()[:4], "big")
    for word, answer, often in FALLS_FOR:
        if word in prompt and number % 100 < often:
            return [answer]
    return [REFUSALS[number % len(REFUSALS)]]
