# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The garak target: records what garak asks, or serves answers made before.

``garak --target_type function.Single --target_name tools.real_model.target#respond``
with the variables that :mod:`tools.real_model.scans` sets.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tools.real_model.answers import Answer, Key, read_answers

RECORD = "REAL_MODEL_RECORD"
"""Names the file into which prompts are written."""

ANSWERS, PERSONA, SEED = "REAL_MODEL_ANSWERS", "REAL_MODEL_PERSONA", "REAL_MODEL_SEED"
MOST_TOKENS = "REAL_MODEL_MOST_TOKENS"
SLOTS = "REAL_MODEL_SLOTS"
"""How many answers under successive seeds the generations of a prompt are served.

Without it they are occurrences of one seed.
"""

PLACEHOLDER = "ok"
"""What every prompt gets while prompts are recorded."""

_came: Counter[str] = Counter()


class NoAnswerError(BaseException):
    """A prompt came that nobody has answered.

    Not an Exception: garak's own handlers must not make a response of it.
    """


def record(prompt: str, **_: object) -> list[str]:
    """Write down a prompt; the answer is a placeholder."""
    with open(os.environ[RECORD], "a", encoding="ascii") as file:
        file.write(json.dumps(prompt) + "\n")
    return [PLACEHOLDER]


def respond(prompt: str, **_: object) -> list[str]:
    """Answer a prompt as the model did.

    Raises
    ------
    NoAnswerError
        There is no answer to it; none is invented.
    """
    occurrence, slot = divmod(_came[prompt], int(os.environ.get(SLOTS, "1")))
    key = Key(
        persona=os.environ[PERSONA],
        seed=int(os.environ[SEED]) + slot,
        prompt=prompt,
        occurrence=occurrence,
        most_tokens=int(os.environ[MOST_TOKENS]),
    )
    _came[prompt] += 1
    answers = _answers(os.environ[ANSWERS])
    if key not in answers:
        raise NoAnswerError(
            f"no answer of {key.persona} with seed {key.seed}, occurrence"
            f" {key.occurrence}, to the prompt {prompt[:80]!r}"
        )
    return [answers[key].text]


@cache
def _answers(path: str) -> Mapping[Key, Answer]:
    return read_answers(Path(path))
