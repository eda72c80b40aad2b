# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From passages to what is wrong with them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from proselint.registry.checks import Check
from proselint.tools import LintFile

from tools.prose.passages import Passage
from tools.prose.rules import MOST_WORDS, chosen

_BETWEEN = "\n\n¶\n\n"
"""Keeps proselint from reading the end of one passage with the next one's beginning."""

_SENTENCE_END = re.compile(
    r"(?<=[.!?])[)*\"']*\s+(?=[\"'(*`]*(?:[A-Z`]|garak))|:\s*\n|;\s"
)
_WORD = re.compile(r"\S*\w\S*")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that a reader stumbles over.

    Attributes
    ----------
    path : Path
        The file.
    line : int
        Counted from 1.
    rule : str
        The name of the check.
    message : str
        What is wrong, and what to write instead.
    """

    path: Path
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        """As compilers and editors write it."""
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


def find(passages: Sequence[Passage]) -> list[Finding]:
    """What is wrong with the passages of one file, by line."""
    if not passages:
        return []
    found = [*_found_by_proselint(passages, chosen())]
    for passage in passages:
        found += _long_sentences(passage)
    return sorted(found, key=lambda finding: (finding.line, finding.rule))


def _found_by_proselint(
    passages: Sequence[Passage], checks: Sequence[Check]
) -> Iterator[Finding]:
    text = _BETWEEN.join(passage.text for passage in passages)
    lengths = (len(passage.text) + len(_BETWEEN) for passage in passages)
    starts = [0, *accumulate(lengths)][:-1]
    file = LintFile(str(passages[0].path), text)
    for check in checks:
        for result in check.check_with_flags(file.content):
            begins = result.span[0]
            if not check.flags.allow_quotes and file.is_quoted_pos(begins):
                continue
            # its content begins with a line break of its own
            place = max(begins - 1, 0)
            index = bisect_right(starts, place) - 1
            passage = passages[index]
            yield Finding(
                path=passage.path,
                line=passage.line_of(place - starts[index]),
                rule=result.check_path,
                message=result.message,
            )


def _long_sentences(passage: Passage) -> Iterator[Finding]:
    begins = 0
    ends = [match.end() for match in _SENTENCE_END.finditer(passage.text)]
    for end in (*ends, len(passage.text)):
        words = _WORD.findall(passage.text[begins:end])
        if len(words) > MOST_WORDS:
            yield Finding(
                path=passage.path,
                line=passage.line_of(begins),
                rule="ours.long",
                message=f"a sentence of {len(words)} words ({' '.join(words[:4])} ...):"
                f" make two of it; at most {MOST_WORDS}",
            )
        begins = end
