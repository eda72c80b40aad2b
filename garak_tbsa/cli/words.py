# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The words that garak and this package use, each with a short explanation.

They are kept in ``words.json``, which help and manual page read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word of the glossary.

    Attributes
    ----------
    word : str
    also : tuple of str
        Other names of it.
    text : str
        What it means, in one to three sentences.
    """

    word: str
    also: tuple[str, ...]
    text: str


@cache
def all_words() -> tuple[Word, ...]:
    """Return the glossary, in the order of the alphabet."""
    content = (resources.files(__package__) / "words.json").read_text("utf-8")
    return tuple(
        Word(word=entry["word"], also=tuple(entry["also"]), text=entry["text"])
        for entry in json.loads(content)
    )


def by_name() -> dict[str, Word]:
    """Return each word by all its names, in small letters."""
    return {
        name.casefold(): word
        for word in all_words()
        for name in (word.word, *word.also)
    }
