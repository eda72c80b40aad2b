# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One attempt of a report with all its texts, found by its uuid."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.attempts import (
    COMPLETE,
    SETTINGS_ROWS,
    Attempt,
    parse_attempt,
)
from garak_tbsa.garak_files.fields import parse_json
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.garak_files.prompts import Turn, turns_of
from garak_tbsa.garak_files.settings import DEFAULT_THRESHOLD, parse_settings
from garak_tbsa.garak_files.source import open_source

LINE = re.compile(r"line ([1-9]\d{0,11})", re.ASCII)
LEAST_OF_A_UUID = 4
"""Characters of a uuid's beginning that name an attempt."""

ATTEMPT = "attempt"
ADVICE = "take the uuid from `garak-tbsa explain REPORT --hits 3`"


@dataclass(frozen=True, kw_only=True)
class WholeAttempt:
    """An attempt with all that the report says of it.

    Attributes
    ----------
    attempt : Attempt
    conversations : tuple of tuple of Turn
        One for each output, as far as the report has them: up to and with the output.
    judged_texts : tuple of (str or None)
        What detectors judged in place of each output, where it was translated back;
        empty where nothing was.
    threshold : float
        Scores below it are passes.
    """

    attempt: Attempt
    conversations: tuple[tuple[Turn, ...], ...]
    judged_texts: tuple[str | None, ...]
    threshold: float


def find_attempt(
    name: str, wanted: str, limits: ReadLimits = DEFAULT_LIMITS
) -> WholeAttempt:
    """Find a completed attempt; the first complete row of a uuid counts.

    Parameters
    ----------
    name : str
        The report, as for :func:`~garak_tbsa.garak_files.source.open_source`.
    wanted : str
        The uuid, or at least four characters of its beginning; ``line N`` for the
        attempt in a line.
    limits : ReadLimits

    Raises
    ------
    ReportError
        The report cannot be read, has no such attempt, only one that was never
        completed, or several whose uuid begins so.
    """
    if len(wanted) < LEAST_OF_A_UUID:
        raise ReportError(name, f"{wanted!r} is too short to name an attempt", ADVICE)
    by_line = LINE.fullmatch(wanted)
    finder = _ByLine(int(by_line[1])) if by_line else _ByUuid(wanted)
    with open_source(name, limits) as source:
        for number, line in source.lines():
            finder.take(number, line)
            if finder.is_done:
                break
    found = finder.found
    if len(found) > 1:
        first, second = list(found)[:2]
        raise ReportError(
            name,
            f"{len(found)} attempts begin with {wanted!r}: {first}, {second} ...",
            "give more of the uuid",
        )
    for number, row in found.values():
        return whole_attempt(row, number, finder.threshold)
    problem = "never completed" if finder.is_started else "not in the report"
    raise ReportError(name, f"attempt {wanted!r} is {problem}", ADVICE)


class _Finder:
    """Looks at lines until it has what is wanted; most are not parsed."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[int, Mapping[str, Any]]] = {}
        self.threshold = DEFAULT_THRESHOLD
        self.is_started = False
        self.is_done = False
        self._is_before_attempts = True

    def take(self, number: int, line: bytes) -> None:
        """Look at one line."""
        if self._is_before_attempts:
            self._read_threshold(line)
        if not self.may_be(number, line):
            return
        row = _parsed(line)
        if row.get("entry_type") != ATTEMPT or not self.is_wanted(number, row):
            return
        if row.get("status") != COMPLETE:
            self.is_started = True
            return
        self.found.setdefault(str(row.get("uuid")), (number, row))

    def may_be(self, number: int, line: bytes) -> bool:
        """Whether a line is worth parsing."""
        raise NotImplementedError

    def is_wanted(self, number: int, row: Mapping[str, Any]) -> bool:
        """Whether a row is what is looked for."""
        raise NotImplementedError

    def _read_threshold(self, line: bytes) -> None:
        """Garak writes it before the first attempt, if it was set."""
        row = _parsed(line)
        if row.get("entry_type") == ATTEMPT:
            self._is_before_attempts = False
        elif row.get("entry_type") in SETTINGS_ROWS:
            self.threshold = parse_settings(row).eval_threshold


class _ByLine(_Finder):
    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def may_be(self, number: int, line: bytes) -> bool:
        self.is_done = number >= self._number
        return number == self._number

    def is_wanted(self, number: int, row: Mapping[str, Any]) -> bool:
        return number == self._number


class _ByUuid(_Finder):
    def __init__(self, uuid: str) -> None:
        super().__init__()
        self._uuid = uuid
        self._forms = {_in_json(uuid, is_ascii=each) for each in (True, False)}

    def may_be(self, number: int, line: bytes) -> bool:
        return any(form in line for form in self._forms)

    def is_wanted(self, number: int, row: Mapping[str, Any]) -> bool:
        uuid = row.get("uuid")
        if not isinstance(uuid, str) or not uuid.startswith(self._uuid):
            return False
        self.is_done = uuid == self._uuid and row.get("status") == COMPLETE
        if self.is_done:
            self.found.clear()
        return True


def _in_json(text: str, *, is_ascii: bool) -> bytes:
    quoted = json.dumps(text, ensure_ascii=is_ascii, allow_nan=False)
    return quoted[1:-1].encode("utf-8", "surrogatepass")


def _parsed(line: bytes) -> Mapping[str, Any]:
    """Return a row; an empty one of a line that is cut off."""
    try:
        row = parse_json(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def whole_attempt(row: Mapping[str, Any], line: int, threshold: float) -> WholeAttempt:
    """Make an attempt of its row; what is not as garak writes it is left out."""
    conversations = row.get("conversations", row.get("messages"))
    judged = row.get("reverse_translation_outputs")
    return WholeAttempt(
        attempt=parse_attempt(row, line),
        conversations=tuple(
            tuple(turns_of(each))
            for each in (conversations if isinstance(conversations, list) else ())
        ),
        judged_texts=tuple(
            output.text for output in parse_attempt({"outputs": judged}, line).outputs
        ),
        threshold=threshold,
    )
