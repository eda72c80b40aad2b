# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report's attempt rows: prompts, outputs, and what each detector said of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from msgspec import DecodeError, Raw, Struct, field
from msgspec.json import Decoder, decode

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import parse_json, parse_object
from garak_tbsa.garak_files.measurement import bare_detector, bare_probe
from garak_tbsa.garak_files.opening import open_source
from garak_tbsa.garak_files.rows import SETUP_KINDS, rows_of
from garak_tbsa.garak_files.settings import (
    DEFAULT_THRESHOLD,
    ScanSettings,
    number_or_none,
    parse_settings,
    threshold_of,
)
from garak_tbsa.safe_text import readable, shown

COMPLETE = 2
ABSENT = Raw(b"null")

OTHER_ROWS = tuple(
    b'{"entry_type": "' + kind + b'"'
    for kind in (b"completion", b"digest", b"eval", b"init", b"plugin_cache")
)
"""How garak begins rows that are neither attempts nor a setup; they are not parsed."""

Scores: TypeAlias = tuple["float | None", ...]
"""Of one detector."""

LINE = re.compile(r"line ([1-9]\d{0,11})", re.ASCII)
LEAST_OF_A_UUID = 4
"""Characters of a uuid's beginning that name an attempt."""

ADVICE = "take the uuid from `garak-tbsa explain REPORT --hits 3`"


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One message of a conversation.

    Attributes
    ----------
    role : str
        ``system``, ``user``, ``assistant``, or whatever the report says.
    text : str
        Empty where there is none.
    """

    role: str
    text: str


def turns_of(conversation: object) -> Iterator[Turn]:
    """Yield the turns of a conversation; none of what is no conversation."""
    if isinstance(conversation, Mapping):
        conversation = conversation.get("turns")
    for turn in _list(conversation):
        if isinstance(turn, Mapping):
            content = turn.get("content")
            text = content.get("text") if isinstance(content, Mapping) else content
            yield Turn(role=str(turn.get("role")), text=_text(text) or "")


def prompt_text(prompt: object) -> str:
    """Return a prompt as text; a single turn has no role before it."""
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    turns = list(turns_of(prompt))
    if len(turns) == 1:
        return turns[0].text
    if turns:
        return "\n\n".join(f"{turn.role}: {turn.text}" for turn in turns)
    try:
        return json.dumps(prompt, ensure_ascii=False, allow_nan=False, default=str)
    except (ValueError, RecursionError):
        return "(no text, and nothing that JSON has a form for)"


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
    threshold: Any = field(default=None, name="run.eval_threshold")


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
    results : mapping of str to tuple of (float or None)
        As many as each detector gave, by its name without category; None where it is
        no number. A score may be NaN. Whose they are says :attr:`scores`.
    """

    def __init__(self, row: _Row, line: int) -> None:
        self._row = row
        self.line = line
        self.uuid = _text(row.uuid)
        probe = _text(row.probe_classname)
        self.probe = None if probe is None else bare_probe(probe)
        self.results = _results(row.detector_results)

    @cached_property
    def scores(self) -> Mapping[str, Scores]:
        """The results that belong to outputs, one for each, by detector.

        Some detectors skip outputs, and some judge all turns of a conversation, of
        which an output is the last: nobody knows which result is whose then.
        """
        outputs = self.output_count
        return {name: own for name, own in self.results.items() if len(own) == outputs}

    @property
    def unattributed(self) -> Mapping[str, int]:
        """How many results of detectors belong to no known output."""
        return {
            name: len(own)
            for name, own in self.results.items()
            if own and name not in self.scores
        }

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


UNATTRIBUTED = "its results belong to no known output"
"""Of a detector or a pair, in short."""


def unattributed_text(detector: str, results: int) -> str:
    """Say that results are nobody's: ``12 results of goodside.Tag ...``."""
    count = "1 result" if results == 1 else f"{results:,} results"
    belong = "belongs" if results == 1 else "belong"
    name = readable(shown(detector))
    return f"{count} of {name} {belong} to no known output"


def read_attempts(name: str) -> Iterator[Attempt]:
    """Yield each completed attempt of a report once, in the report's order.

    garak writes an attempt as started and again as complete, and resumed scans
    write it once more; the first complete row of a uuid counts. A last line that
    is cut off, as in an interrupted scan, is left out.

    Parameters
    ----------
    name : str
        Path, ``-`` or an fsspec address; see
        :func:`~garak_tbsa.garak_files.source.open_source`.

    Raises
    ------
    ReportError
        The report cannot be read, or a line other than the last is not JSON.
    """
    seen: set[int] = set()
    for line, row in _rows(name):
        if row.entry_type == "attempt" and row.status == COMPLETE:
            attempt = Attempt(row, line)
            if attempt.uuid is not None:
                # long scans have many uuids
                key = hash(attempt.uuid)
                if key in seen:
                    continue
                seen.add(key)
            yield attempt


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeAttempt:
    """An attempt, and from which score on its detectors called an output a hit."""

    attempt: Attempt
    threshold: float


def completed_in(line: bytes) -> Attempt | None:
    """Return the attempt of a line that may be only the start and end of a long one.

    None where it is no attempt that was completed.

    Raises
    ------
    ValueError
        It is no JSON.
    """
    row = _decoded(line)
    if not isinstance(row, _Row) or row.status != COMPLETE:
        return None
    attempt = Attempt(row, 0)
    _ = attempt.outputs
    return attempt


def find_attempt(name: str, wanted: str) -> WholeAttempt:
    """Find a completed attempt; the first complete row of a uuid counts.

    Parameters
    ----------
    name : str
        The report, as for :func:`~garak_tbsa.garak_files.source.open_source`.
    wanted : str
        The uuid, or at least four characters of its beginning; ``line N`` for the
        attempt in a line.

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
    threshold, is_started = DEFAULT_THRESHOLD, False
    for line, row in _rows(name):
        if row.entry_type in SETUP_KINDS:
            threshold = threshold_of(row.threshold)
        uuid = _text(row.uuid)
        if row.entry_type != "attempt" or (
            line != only and not (uuid or "").startswith(wanted)
        ):
            continue
        if row.status != COMPLETE:
            is_started = True
            continue
        found.setdefault(uuid, Attempt(row, line))
        if line == only or uuid == wanted:
            found = {uuid: found[uuid]}
            break
    if len(found) == 1:
        return WholeAttempt(attempt=found.popitem()[1], threshold=threshold)
    if not found:
        problem = "never completed" if is_started else "not in the report"
        raise ReportError(name, f"attempt {wanted!r} is {problem}", ADVICE)
    first, second, *_ = found
    raise ReportError(
        name,
        f"{len(found)} attempts begin with {wanted!r}: {first}, {second} ...",
        "give more of the uuid",
    )


def is_report(name: str) -> bool:
    """Whether a file's first line is a row of a garak report.

    Raises
    ------
    ReportError
        It cannot be read.
    """
    with open_source(name) as source:
        row = parse_object(source.first_line())
    return isinstance(row.get("entry_type"), str)


def stated_settings(name: str) -> ScanSettings:
    """Return the setup that garak wrote before the first attempt.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    with open_source(name) as source:
        for _, line in source.lines():
            row = parse_object(line)
            if row.get("entry_type") in SETUP_KINDS:
                return parse_settings(row)
            if not row or row["entry_type"] == "attempt":
                break
    return parse_settings({})


def _rows(name: str) -> Iterator[tuple[int, _Row]]:
    with open_source(name) as source:
        for line, row in rows_of(source, OTHER_ROWS, _decoded):
            if isinstance(row, _Row):
                yield line, row


def _row_of(row: Mapping[str, Any]) -> _Row:
    names = zip(_Row.__struct_fields__, _Row.__struct_encode_fields__, strict=True)
    return _Row(**{field: row[name] for field, name in names if name in row})


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


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _outputs(member: object) -> tuple[Output, ...]:
    """Outputs of a row; up to garak 0.11 one is a text, later an object."""
    stated = (
        each if isinstance(each, dict) else {"text": each}
        for each in _list(_loaded(member))
    )
    return tuple(
        Output(text=_text(each.get("text")), lang=_text(each.get("lang")))
        for each in stated
    )


def _results(results: object) -> dict[str, Scores]:
    if not isinstance(results, dict):
        return {}
    return {
        bare_detector(detector): tuple(map(number_or_none, scores))
        for detector, scores in results.items()
        if isinstance(scores, list)
    }
