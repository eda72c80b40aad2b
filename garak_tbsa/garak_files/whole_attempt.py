# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One attempt of a report with all its texts, found by its uuid."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.attempts import COMPLETE, parse_attempt
from garak_tbsa.garak_files.fields import parse_json
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS
from garak_tbsa.garak_files.prompts import Turn, turns_of
from garak_tbsa.garak_files.source import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from garak_tbsa.garak_files.attempts import Attempt
    from garak_tbsa.garak_files.limits import ReadLimits

LINE = re.compile(r"line ([1-9]\d{0,11})", re.ASCII)
LEAST_OF_A_UUID = 4
"""Characters of a uuid's beginning that name an attempt."""

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
    """

    attempt: Attempt
    conversations: tuple[tuple[Turn, ...], ...]
    judged_texts: tuple[str | None, ...]


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
    by_line = LINE.fullmatch(wanted)
    rows = _row_of_line(name, int(by_line[1]), limits) if by_line else None
    if rows is None:
        rows = _rows_named(name, wanted, limits)
    found: dict[str, WholeAttempt] = {}
    is_started = False
    for number, row in rows:
        if row.get("status") != COMPLETE:
            is_started = True
            continue
        attempt = _whole(row, number)
        uuid = attempt.attempt.uuid
        if uuid == wanted or by_line:
            return attempt
        found.setdefault(str(uuid), attempt)
    if len(found) > 1:
        first, second = list(found)[:2]
        raise ReportError(
            name,
            f"{len(found)} attempts begin with {wanted!r}: {first}, {second} ...",
            "give more of the uuid",
        )
    for attempt in found.values():
        return attempt
    problem = "was started and never completed" if is_started else "is not in it"
    raise ReportError(name, f"attempt {wanted!r} {problem}", ADVICE)


def _row_of_line(
    name: str, wanted: int, limits: ReadLimits
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with open_source(name, limits) as source:
        for number, line in source.lines():
            if number == wanted:
                row = _attempt_row(line)
                if row is not None:
                    yield number, row
            if number >= wanted:
                return


def _rows_named(
    name: str, wanted: str, limits: ReadLimits
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Attempt rows whose uuid begins so; other lines are not parsed."""
    if len(wanted) < LEAST_OF_A_UUID:
        raise ReportError(name, f"{wanted!r} is too short for an attempt", ADVICE)
    forms = tuple(
        json.dumps(wanted, ensure_ascii=ascii_only, allow_nan=False)[1:-1].encode(
            "utf-8", "surrogatepass"
        )
        for ascii_only in (True, False)
    )
    with open_source(name, limits) as source:
        for number, line in source.lines():
            if not any(form in line for form in forms):
                continue
            row = _attempt_row(line)
            uuid = None if row is None else row.get("uuid")
            if row is not None and isinstance(uuid, str) and uuid.startswith(wanted):
                yield number, row


def _attempt_row(line: bytes) -> Mapping[str, Any] | None:
    try:
        row = parse_json(line)
    except ValueError:
        # a line that is cut off, as the last one of an interrupted scan
        return None
    is_attempt = isinstance(row, dict) and row.get("entry_type") == "attempt"
    return row if is_attempt else None  # type: ignore[return-value]


def _whole(row: Mapping[str, Any], line: int) -> WholeAttempt:
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
    )
