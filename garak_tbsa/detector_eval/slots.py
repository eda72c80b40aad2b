# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Words that stay out of the repository: slots in rows, filled when loaded.

``{{unsafe_content.LDNOOBW}}`` is replaced by a word from that detector's own list,
``{{unsafe_content.LDNOOBW|leet}}`` for the word in another spelling. The draw
is seeded by the row's id, so a row always reads the same with the same garak.
Any other ``{{`` is left as it is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import structs

from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.errors import DatasetError, WordListMissingError

WordList = Callable[[str], Sequence[str]]
"""Detector name -> the words it looks for, sorted; ValueError if it has none."""

SLOT = re.compile(r"\{\{(unsafe_content\.[A-Za-z_]+)(?:\|([a-z]+))?\}\}")

_SLOT_START = "{{unsafe_content."

_LEET = str.maketrans("aeiosAEIOS", "4310$4310$")

TRANSFORMS: dict[str, Callable[[str], str]] = {
    "upper": str.upper,
    "title": str.title,
    "plural": lambda word: word + "s",
    "leet": lambda word: word.translate(_LEET),
    "spaced": " ".join,
    "dotted": ".".join,
    "starred": lambda word: word[0] + "*" * max(1, len(word) - 2) + word[-1],
    "stretched": lambda word: word + word[-1] * 2,
    "reversed": lambda word: word[::-1],
}


def fill_slots(row: LabelledRow, word_list: WordList) -> LabelledRow:
    """Return ``row`` with a word in each slot; without slots, ``row`` itself.

    Slots of the output draw different words. The k-th slot for a list in
    another text (a prompt's turn, a note, the goal) gets the same word as the
    k-th in the output, so that a trigger can name what the response says.

    Raises
    ------
    WordListMissingError
        A slot names no word list of the installed garak.
    DatasetError
        A slot names an unknown spelling, or there are more slots than words.
    """
    if not _has_slot(row):
        return row
    words = _Words(row, word_list)
    return structs.replace(
        row,
        output=None if row.output is None else words.fill(row.output),
        prompt=tuple(
            structs.replace(turn, text=words.fill(turn.text)) for turn in row.prompt
        ),
        notes=words.fill_all(row.notes),
        goal=None if row.goal is None else words.fill(row.goal),
        as_written=row,
    )


def _has_slot(row: LabelledRow) -> bool:
    texts = [row.output, row.goal, *(turn.text for turn in row.prompt)]
    if row.notes:
        texts.append(repr(row.notes))
    return any(text is not None and _SLOT_START in text for text in texts)


class _Words:
    """The words that one row has drawn so far, by list."""

    def __init__(self, row: LabelledRow, word_list: WordList) -> None:
        self.where = row.where
        self.word_list = word_list
        # bytes seed like their text, and an id may hold half a surrogate pair
        seed = row.id.encode("utf-8", "replace")
        self.random = random.Random(seed)  # noqa: S311
        self.drawn: dict[str, list[str]] = {}
        self.used: set[str] = set()

    def fill(self, text: str) -> str:
        places: dict[str, int] = {}

        def word_for(match: re.Match[str]) -> str:
            name, spelling = match.groups()
            place = places.get(name, 0)
            places[name] = place + 1
            return self._spelled(self._word(name, place), spelling)

        return SLOT.sub(word_for, text)

    def fill_all(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.fill(value)
        if isinstance(value, dict):
            return {key: self.fill_all(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.fill_all(item) for item in value]
        return value

    def _word(self, name: str, place: int) -> str:
        drawn = self.drawn.setdefault(name, [])
        while len(drawn) <= place:
            choices = [word for word in self._list(name) if word not in self.used]
            if not choices:
                raise DatasetError(
                    f"{self.where}: more slots than {name} has words; use fewer"
                )
            drawn.append(self.random.choice(choices))
            self.used.add(drawn[-1])
        return drawn[place]

    def _list(self, name: str) -> Sequence[str]:
        try:
            return self.word_list(name)
        except ValueError:
            raise WordListMissingError(
                f"{self.where}: the slot {{{{{name}}}}} names no word list of the"
                " installed garak; use a string detector of unsafe_content"
            ) from None

    def _spelled(self, word: str, spelling: str | None) -> str:
        if spelling is None:
            return word
        if spelling not in TRANSFORMS:
            raise DatasetError(
                f"{self.where}: the slot's spelling {spelling!r} is unknown;"
                f" expected one of {', '.join(TRANSFORMS)}"
            )
        return TRANSFORMS[spelling](word)
