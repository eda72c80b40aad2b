# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's attempt rows: prompts, outputs, and what each detector said of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from msgspec import DecodeError
from msgspec.json import Decoder

from garak_tbsa.garak_files.fields import parse_json
from garak_tbsa.garak_files.limits import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.garak_files.measurement import bare_detector, bare_probe
from garak_tbsa.garak_files.rows import Broken, rows_of
from garak_tbsa.garak_files.settings import (
    DEFAULT_THRESHOLD,
    number_or_none,
    parse_settings,
)
from garak_tbsa.garak_files.source import open_source

STARTED, COMPLETE = 1, 2
SETTINGS_ROWS = ("start_run setup", "config")

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One prompt, sent to the target, with its responses.

    Attributes
    ----------
    line : int
        Its row in the report, from 1.
    uuid : str or None
    status : int or None
        1 started, 2 complete.
    probe : str or None
        Without its category: ``dan.DanInTheWild``.
    prompt : object
        JSON as garak wrote it: text, or a conversation ``{"turns": [...]}``.
    outputs : tuple of Output
    notes : mapping
        What the probe tells its detectors, such as ``triggers``.
    goal : str or None
    scores : mapping of str to tuple of (float or None)
        By detector without its category, one for each output where the detector
        kept to that; None where it gave no number. A score may be NaN.
    """

    line: int
    uuid: str | None
    status: int | None
    probe: str | None
    prompt: object
    outputs: tuple[Output, ...]
    notes: Mapping[str, Any]
    goal: str | None
    scores: Mapping[str, tuple[float | None, ...]]

    @property
    def output_count(self) -> int:
        """How many responses there are."""
        return len(self.outputs)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedAttempt:
    """What detectors said of an attempt, without its texts.

    Attributes
    ----------
    line, uuid, probe, scores
        As in :class:`Attempt`.
    output_count : int
        How many responses there are.
    """

    line: int
    uuid: str | None
    probe: str | None
    output_count: int
    scores: Mapping[str, tuple[float | None, ...]]


class _Row(TypedDict, total=False):
    """The members of an attempt row that every reader needs; others are not parsed."""

    entry_type: Any
    status: Any
    uuid: Any
    probe_classname: Any
    detector_results: Any


class _JudgedRow(_Row, total=False):
    outputs: Any


class _PromptedRow(_Row, total=False):
    prompt: Any


class _WholeRow(_JudgedRow, total=False):
    prompt: Any
    notes: Any
    goal: Any


JUDGED_ROW = Decoder(_JudgedRow)
PROMPTED_ROW = Decoder(_PromptedRow)
WHOLE_ROW = Decoder(_WholeRow)
"""They give what ``json`` gives of these members, or refuse the line."""


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
    rows = _complete_rows(name, limits, WHOLE_ROW)
    return (parse_attempt(row, line) for line, row in rows)


def read_judged(
    name: str, limits: ReadLimits = DEFAULT_LIMITS
) -> Iterator[JudgedAttempt]:
    """Yield the attempts of :func:`read_attempts`, without their texts, sooner."""
    for line, row in _complete_rows(name, limits, JUDGED_ROW):
        outputs = row.get("outputs")
        yield JudgedAttempt(
            line=line,
            uuid=_text(row.get("uuid")),
            probe=_probe(row),
            output_count=len(outputs) if isinstance(outputs, list) else 0,
            scores=_scores(row.get("detector_results")),
        )


def read_prompted(
    name: str, limits: ReadLimits = DEFAULT_LIMITS
) -> Iterator[tuple[str, object, Mapping[str, tuple[float | None, ...]]]]:
    """Yield probe, prompt and scores of each attempt that names its probe.

    As in :func:`read_attempts`, sooner.
    """
    for _, row in _complete_rows(name, limits, PROMPTED_ROW):
        probe = _probe(row)
        if probe is not None:
            yield probe, row.get("prompt"), _scores(row.get("detector_results"))


def _complete_rows(
    name: str, limits: ReadLimits, decoder: Decoder[Any]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each completed attempt's first row, with its number."""
    seen = _Seen()

    def parse(line: bytes) -> object:
        try:
            return decoder.decode(line)
        except (DecodeError, UnicodeDecodeError, RecursionError):
            return parse_json(line)

    with open_source(name, limits) as source:
        for line, row in rows_of(source, OTHER_ROWS, parse):
            if isinstance(row, Broken) and not row.is_last:
                raise row.problem(name)
            if not isinstance(row, dict):
                continue
            if row.get("entry_type") != "attempt" or row.get("status") != COMPLETE:
                continue
            uuid = _text(row.get("uuid"))
            if uuid is None or seen.is_new(uuid):
                yield line, row


def is_report(name: str, limits: ReadLimits = DEFAULT_LIMITS) -> bool:
    """Whether a file's first line is a row of a garak report.

    Raises
    ------
    ReportError
        It cannot be read.
    """
    with open_source(name, limits) as source:
        for _, line in source.lines():
            try:
                row = parse_json(line)
            except ValueError:
                return False
            return isinstance(row, dict) and isinstance(row.get("entry_type"), str)
    return False


def stated_threshold(name: str, limits: ReadLimits = DEFAULT_LIMITS) -> float:
    """Return the score from which on this scan called an output a hit.

    garak writes it before the first attempt, if it was set; a report that does not
    say it was made with garak's default.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    with open_source(name, limits) as source:
        for _, line in source.lines():
            try:
                row = parse_json(line)
            except ValueError:
                break
            if not isinstance(row, dict) or row.get("entry_type") == "attempt":
                break
            if row.get("entry_type") in SETTINGS_ROWS:
                return parse_settings(row).eval_threshold
    return DEFAULT_THRESHOLD


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


def parse_attempt(row: Mapping[str, Any], line: int) -> Attempt:
    """Make an attempt of its row; what is not as garak writes it is left out."""
    outputs, notes = row.get("outputs"), row.get("notes")
    return Attempt(
        line=line,
        uuid=_text(row.get("uuid")),
        status=COMPLETE,
        probe=_probe(row),
        prompt=row.get("prompt"),
        outputs=tuple(map(_output, outputs)) if isinstance(outputs, list) else (),
        notes=notes if isinstance(notes, dict) else {},
        goal=_text(row.get("goal")),
        scores=_scores(row.get("detector_results")),
    )


def _probe(row: Mapping[str, Any]) -> str | None:
    probe = _text(row.get("probe_classname"))
    return None if probe is None else bare_probe(probe)


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
