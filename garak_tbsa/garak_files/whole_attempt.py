# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One attempt of a report with all its texts, found by its uuid."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.attempts import COMPLETE, Attempt, parse_attempt
from garak_tbsa.garak_files.fields import parse_object
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.garak_files.rows import SETUP_KINDS
from garak_tbsa.garak_files.settings import DEFAULT_THRESHOLD, parse_settings
from garak_tbsa.garak_files.source import open_source

LINE = re.compile(r"line ([1-9]\d{0,11})", re.ASCII)
LEAST_OF_A_UUID = 4
"""Characters of a uuid's beginning that name an attempt."""

ADVICE = "take the uuid from `garak-tbsa explain REPORT --hits 3`"


@dataclass(frozen=True, kw_only=True)
class WholeAttempt:
    """An attempt, and from which score on its detectors called an output a hit."""

    attempt: Attempt
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
    only = int(by_line[1]) if by_line else None
    found: dict[str | None, Attempt] = {}
    threshold, is_before_attempts, is_started = DEFAULT_THRESHOLD, True, False
    may_be = _may_be(wanted, only)
    with open_source(name, limits) as source:
        for number, line in source.lines():
            if not may_be(number, line) and not is_before_attempts:
                continue
            row = parse_object(line)
            if row.get("entry_type") in SETUP_KINDS and is_before_attempts:
                threshold = parse_settings(row).eval_threshold
            if row.get("entry_type") != "attempt":
                continue
            is_before_attempts = False
            attempt = parse_attempt(row, number)
            if number != only and not (attempt.uuid or "").startswith(wanted):
                continue
            if row.get("status") != COMPLETE:
                is_started = True
                continue
            found.setdefault(attempt.uuid, attempt)
            if number == only or attempt.uuid == wanted:
                found = {attempt.uuid: attempt}
                break
    if len(found) == 1:
        return WholeAttempt(attempt=found.popitem()[1], threshold=threshold)
    raise _not_one(name, wanted, found, is_started=is_started)


def _not_one(
    name: str, wanted: str, found: Collection[str | None], *, is_started: bool
) -> ReportError:
    if found:
        first, second = list(found)[:2]
        return ReportError(
            name,
            f"{len(found)} attempts begin with {wanted!r}: {first}, {second} ...",
            "give more of the uuid",
        )
    problem = "never completed" if is_started else "not in the report"
    return ReportError(name, f"attempt {wanted!r} is {problem}", ADVICE)


def _may_be(wanted: str, only: int | None) -> Callable[[int, bytes], bool]:
    """Tell the lines that are worth parsing, which are few."""
    written = {_in_json(wanted, is_ascii=each) for each in (True, False)}
    if only is not None:
        return lambda number, _: number == only
    return lambda _, line: any(form in line for form in written)


def _in_json(text: str, *, is_ascii: bool) -> bytes:
    quoted = json.dumps(text, ensure_ascii=is_ascii, allow_nan=False)
    return quoted[1:-1].encode("utf-8", "surrogatepass")
