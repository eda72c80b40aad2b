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
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import structs

from garak_tbsa.detector_eval.rows import LabelledRow
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
    texts = (row.output, row.goal, repr(row.notes), *(turn.text for turn in row.prompt))
    if not any(text and _SLOT_START in text for text in texts):
        return row
    # bytes seed like their text, and an id may hold half a surrogate pair
    chance = random.Random(row.id.encode("utf-8", "replace"))  # noqa: S311
    drawn: dict[str, list[str]] = {}

    def fill(text: str) -> str:
        places: Counter[str] = Counter()

        def word_for(match: re.Match[str]) -> str:
            name, spelling = match.groups()
            places[name] += 1
            return _spelled(word_at(name, places[name]), spelling, row.where)

        return SLOT.sub(word_for, text)

    def word_at(name: str, count: int) -> str:
        words = drawn.setdefault(name, [])
        while len(words) < count:
            used = {word for of_list in drawn.values() for word in of_list}
            choices = [
                word for word in _listed(name, word_list, row) if word not in used
            ]
            if not choices:
                raise DatasetError(
                    f"{row.where}: more slots than {name} has words; use fewer"
                )
            words.append(chance.choice(choices))
        return words[count - 1]

    return structs.replace(
        row,
        output=_filled(row.output, fill),
        prompt=tuple(
            structs.replace(turn, text=fill(turn.text)) for turn in row.prompt
        ),
        notes=_filled(row.notes, fill),
        goal=_filled(row.goal, fill),
        as_written=row,
    )


def _filled(value: Any, fill: Callable[[str], str]) -> Any:
    """A value in each of whose texts the slots are filled."""
    if isinstance(value, dict):
        return {key: _filled(item, fill) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, fill) for item in value]
    return fill(value) if isinstance(value, str) else value


def _listed(name: str, word_list: WordList, row: LabelledRow) -> Sequence[str]:
    try:
        return word_list(name)
    except ValueError:
        raise WordListMissingError(
            f"{row.where}: the slot {{{{{name}}}}} names no word list of the"
            " installed garak; use a string detector of unsafe_content"
        ) from None


def _spelled(word: str, spelling: str | None, where: str) -> str:
    if spelling is None:
        return word
    if spelling not in TRANSFORMS:
        raise DatasetError(
            f"{where}: the slot's spelling {spelling!r} is unknown;"
            f" expected one of {', '.join(TRANSFORMS)}"
        )
    return TRANSFORMS[spelling](word)
