# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a target answered at all, or said one thing to whatever it was asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

from garak_tbsa.garak_files.attempts import Attempt
from garak_tbsa.safe_text import printable

LEAST_OUTPUTS, LEAST_PROBES = 20, 2
"""A smaller scan may well get one answer."""

SAMPLE = 80
MOST_TEXTS = 100_000
"""Different texts that are told apart."""

CHANGING = re.compile(r"[0-9a-f]{8,}|[0-9]", re.ASCII)
"""What differs in one message of an error: numbers, and ids in hexadecimal."""

ID = re.compile(r"(?<![\w-])(?=[A-Za-z_-]*[0-9])[\w-]{8,}", re.ASCII)
"""An id that has other letters too: a UUID, or ``req_011CSHoEeqs5``."""

WORD = re.compile(r"[A-Za-z]{3}")
LONGEST_MESSAGE = 2_000
"""Characters of a text in which such ids are looked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """The outputs that stand in a report.

    Attributes
    ----------
    outputs, probes : int
        How many, and of how many probes.
    alike : int
        How many are the commonest text, numbers and ids aside.
    sample : str
        How the first of these begins, made safe for any output.
    """

    outputs: int
    probes: int
    alike: int
    sample: str

    @property
    def is_constant(self) -> bool:
        """Whether at least 19 of 20 are one text, in a scan large enough to tell."""
        is_large = self.outputs >= LEAST_OUTPUTS and self.probes >= LEAST_PROBES
        return is_large and 20 * self.alike >= 19 * self.outputs

    @property
    def text(self) -> str:
        """What the target said, in words."""
        what = f'one text: "{self.sample}"' if self.sample else "empty"
        return (
            f"{self.alike:,} of {self.outputs:,} outputs of {self.probes} probes are"
            f" {what}; the target may not have answered"
        )


def bare_text(text: str) -> str:
    """Return a text without what differs from one message of an error to the next.

    What is nothing but ids, such as an answer in Base64, is left different.
    """
    if len(text) <= LONGEST_MESSAGE:
        without_ids = ID.sub("", text)
        text = without_ids if WORD.search(without_ids) else text
    return CHANGING.sub("", text).strip()


class AnswerWatch:
    """Counts outputs as attempts come by."""

    def __init__(self) -> None:
        self._probes: set[str | None] = set()
        self._outputs = 0
        # a hash stands for a text, which may be long
        self._counts: dict[int, int] = {}
        self._samples: dict[int, str] = {}

    def add(self, attempt: Attempt) -> None:
        """Take an attempt's outputs, as far as they are text."""
        for text in (each.text for each in attempt.outputs):
            if text is None:
                continue
            self._probes.add(attempt.probe)
            self._outputs += 1
            bare = bare_text(text)
            key = hash(bare)
            if key in self._counts:
                self._counts[key] += 1
            elif len(self._counts) < MOST_TEXTS:
                self._counts[key] = 1
                self._samples[key] = text[:SAMPLE] if bare else text.strip()[:SAMPLE]

    @property
    def answers(self) -> Answers | None:
        """What came by, None for nothing."""
        if not self._counts:
            return None
        key = max(self._counts, key=self._counts.__getitem__)
        return Answers(
            outputs=self._outputs,
            probes=len(self._probes),
            alike=self._counts[key],
            sample=printable(self._samples[key]).replace("\n", " "),
        )
