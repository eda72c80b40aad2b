# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's attempt rows: prompts, outputs, and what each detector said of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from msgspec import DecodeError, Raw, Struct
from msgspec.json import Decoder, decode

from garak_tbsa.garak_files.fields import parse_json, parse_object
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.garak_files.measurement import bare_detector, bare_probe
from garak_tbsa.garak_files.prompts import Turn, turns_of
from garak_tbsa.garak_files.rows import SETUP_KINDS, rows_of
from garak_tbsa.garak_files.settings import (
    DEFAULT_THRESHOLD,
    ScanSettings,
    number_or_none,
    parse_settings,
)
from garak_tbsa.garak_files.source import open_source

COMPLETE = 2
ABSENT = Raw(b"null")

OTHER_ROWS = tuple(
    b'{"entry_type": "' + kind + b'"'
    for kind in (
        b"completion",
        b"config",
        b"digest",
        b"eval",
        b"init",
        b"plugin_cache",
        b"start_run setup",
    )
)
"""How garak begins rows that are no attempts; they are not parsed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Output:
    """One response of the target.

    Attributes
    ----------
    text : str or None
        None where the target gave none.
    lang : str or None
        As garak writes it, such as ``en``; up to 0.11 reports do not say.
    """

    text: str | None
    lang: str | None


class _Row(Struct):
    """The members of an attempt row that are read; large ones are left as they are."""

    entry_type: Any = None
    status: Any = None
    uuid: Any = None
    probe_classname: Any = None
    detector_results: Any = None
    goal: Any = None
    prompt: Raw = ABSENT
    outputs: Raw = ABSENT
    notes: Raw = ABSENT
    conversations: Raw = ABSENT
    messages: Raw = ABSENT
    reverse_translation_outputs: Raw = ABSENT


DECODER = Decoder(_Row)
"""It gives what ``json`` gives of these members, or refuses the line."""


class Attempt:
    """One prompt, sent to the target, with its responses; see :func:`read_attempts`.

    Texts are parsed when they are first asked for.

    Attributes
    ----------
    line : int
        Its row in the report, from 1.
    uuid : str or None
    probe : str or None
        Without its category: ``dan.DanInTheWild``.
    scores : mapping of str to tuple of (float or None)
        By detector without its category, one for each output where the detector
        kept to that; None where it gave no number. A score may be NaN.
    """

    def __init__(self, row: _Row, line: int) -> None:
        self._row = row
        self.line = line
        self.uuid = _text(row.uuid)
        probe = _text(row.probe_classname)
        self.probe = None if probe is None else bare_probe(probe)
        self.scores = _scores(row.detector_results)

    @property
    def goal(self) -> str | None:
        """What the probe tries, where it says so."""
        return _text(self._row.goal)

    @cached_property
    def prompt(self) -> object:
        """JSON as garak wrote it: text, or a conversation ``{"turns": [...]}``."""
        return _loaded(self._row.prompt)

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """The responses."""
        return _outputs(self._row.outputs)

    @property
    def output_count(self) -> int:
        """How many responses there are."""
        return len(_list(_loaded(self._row.outputs)))

    @property
    def notes(self) -> Mapping[str, Any]:
        """What the probe tells its detectors, such as ``triggers``."""
        notes = _loaded(self._row.notes)
        return notes if isinstance(notes, dict) else {}

    @property
    def conversations(self) -> list[tuple[Turn, ...]]:
        """One for each output, as far as the report has them, with the output."""
        found = _loaded(self._row.conversations) or _loaded(self._row.messages)
        return [tuple(turns_of(each)) for each in _list(found)]

    @property
    def judged_texts(self) -> list[str | None]:
        """What detectors judged instead of each output; empty where not translated."""
        return [each.text for each in _outputs(self._row.reverse_translation_outputs)]


def read_attempts(name: str, limits: ReadLimits = DEFAULT_LIMITS) -> Iterator[Attempt]:
    """Yield each completed attempt of a report once, in the report's order.

    garak writes an attempt as started and again as complete, and resumed scans
    write it once more; the first complete row of a uuid counts. A last line that
    is cut off, as in an interrupted scan, is left out.

    Parameters
    ----------
    name : str
        Path, ``-`` or an fsspec address; see
        :func:`~garak_tbsa.garak_files.source.open_source`.
    limits : ReadLimits
        How much may be read of it.

    Raises
    ------
    ReportError
        The report cannot be read, or a line other than the last is not JSON.
    """
    seen = _Seen()
    with open_source(name, limits) as source:
        for line, row in rows_of(source, OTHER_ROWS, _decoded):
            if not isinstance(row, _Row):
                continue
            if row.entry_type != "attempt" or row.status != COMPLETE:
                continue
            attempt = Attempt(row, line)
            if attempt.uuid is None or seen.is_new(attempt.uuid):
                yield attempt


def parse_attempt(row: Mapping[str, Any], line: int) -> Attempt:
    """Make an attempt of its row; what is not as garak writes it is left out."""
    return Attempt(_row_of(row), line)


def _row_of(row: Mapping[str, Any]) -> _Row:
    return _Row(**{name: row[name] for name in _Row.__struct_fields__ if name in row})


def _decoded(line: bytes) -> object:
    try:
        return DECODER.decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        row = parse_json(line)
    return _row_of(row) if isinstance(row, dict) else row


def _loaded(member: object) -> object:
    """A member of a row, which is parsed already where msgspec refused its row."""
    if not isinstance(member, Raw):
        return member
    try:
        return decode(member)
    except (DecodeError, UnicodeDecodeError):
        return parse_json(bytes(member))


def is_report(name: str, limits: ReadLimits = DEFAULT_LIMITS) -> bool:
    """Whether a file's first line is a row of a garak report.

    Raises
    ------
    ReportError
        It cannot be read.
    """
    with open_source(name, limits) as source:
        _, line = next(source.lines(), (0, b""))
    return isinstance(parse_object(line).get("entry_type"), str)


def stated_settings(
    name: str, limits: ReadLimits = DEFAULT_LIMITS
) -> ScanSettings | None:
    """Return the setup that garak wrote before the first attempt; None without any.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    with open_source(name, limits) as source:
        for _, line in source.lines():
            row = parse_object(line)
            if not row or row.get("entry_type") == "attempt":
                break
            if row.get("entry_type") in SETUP_KINDS:
                return parse_settings(row)
    return None


def stated_threshold(name: str, limits: ReadLimits = DEFAULT_LIMITS) -> float:
    """Return the score from which on this scan called an output a hit.

    A report that does not say it was made with garak's default.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    stated = stated_settings(name, limits)
    return DEFAULT_THRESHOLD if stated is None else stated.eval_threshold


class _Seen:
    """Which uuids came by, in 8 bytes each: long scans have millions."""

    BUCKETS = 1 << 16

    def __init__(self) -> None:
        self._buckets: dict[int, array[int]] = {}

    def is_new(self, uuid: str) -> bool:
        """Remember a uuid; whether it is the first time."""
        key = hash(uuid)
        bucket = self._buckets.setdefault(key % self.BUCKETS, array("q"))
        if key in bucket:
            return False
        bucket.append(key)
        return True


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _outputs(member: object) -> tuple[Output, ...]:
    return tuple(map(_output, _list(_loaded(member))))


def _output(value: object) -> Output:
    """One output; up to garak 0.11 it is a text, later an object."""
    if isinstance(value, dict):
        return Output(text=_text(value.get("text")), lang=_text(value.get("lang")))
    return Output(text=_text(value), lang=None)


def _scores(results: object) -> dict[str, tuple[float | None, ...]]:
    if not isinstance(results, dict):
        return {}
    return {
        bare_detector(detector): tuple(map(number_or_none, scores))
        for detector, scores in results.items()
        if isinstance(scores, list)
    }


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
