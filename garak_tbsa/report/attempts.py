# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The one pass over a report's lines: attempts come by, other rows are kept.

An attempt has prompts, outputs, and what each detector said of them. Here also what
all of them tell: whether the target answered, and whether eval rows have their results.
"""

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
from garak_tbsa.report.opening import Source, open_source
from garak_tbsa.report.rows import (
    PAIR_SEPARATOR,
    Rows,
    not_json,
    parse_json,
    parse_object,
)
from garak_tbsa.report.settings import (
    DEFAULT_THRESHOLD,
    ScanSettings,
    bare_name,
    number_or_none,
    parse_settings,
)
from garak_tbsa.safe_text import printable, readable, shown

COMPLETE = 2
ABSENT = Raw(b"null")
ROW_START, ATTEMPT_START = b'{"entry_type": "', b'{"entry_type": "attempt"'
"""How garak begins a row, and an attempt's."""

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


class Output(Struct, frozen=True, kw_only=True):
    """One response of the target.

    Attributes
    ----------
    text : str or None
        None where the target gave none.
    lang : str or None
        As garak writes it, such as ``en``; up to 0.11 reports do not say.
    """

    text: str | None = None
    lang: str | None = None


class Attempt(Struct, kw_only=True, dict=True):
    """One prompt, sent to the target, with its responses; see :func:`read_attempts`.

    Large members are parsed when they are first asked for.

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
    goal : str or None
        What the probe tries, where it says so.
    """

    line: int = 0
    status: Any = None
    uuid: str | None = None
    probe: str | None = field(default=None, name="probe_classname")
    results: dict[str, Scores] = field(default_factory=dict, name="detector_results")
    goal: str | None = None
    stated_prompt: Raw = field(default=ABSENT, name="prompt")
    stated_outputs: tuple[Output | str | None, ...] | None = field(
        default=None, name="outputs"
    )
    stated_notes: Raw = field(default=ABSENT, name="notes")
    stated_conversations: Raw = field(default=ABSENT, name="conversations")
    messages: Raw = ABSENT
    reverse_translation_outputs: Raw = ABSENT

    def __post_init__(self) -> None:
        self.probe = self.probe and bare_name(self.probe)
        self.results = {bare_name(name): own for name, own in self.results.items()}

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """The responses; up to garak 0.11 one is a text, later an object."""
        return tuple(
            each if isinstance(each, Output) else Output(text=each)
            for each in self.stated_outputs or ()
        )

    @property
    def output_count(self) -> int:
        """How many responses there are."""
        return len(self.stated_outputs or ())

    @cached_property
    def scores(self) -> Mapping[str, Scores]:
        """The results that belong to outputs, one for each, by detector.

        Some detectors skip outputs, and some judge all turns of a conversation, of
        which an output is the last: nobody knows which result is whose then.
        """
        count = self.output_count
        return {name: own for name, own in self.results.items() if len(own) == count}

    @property
    def unattributed(self) -> Mapping[str, int]:
        """How many results of detectors belong to no known output."""
        return {
            name: len(own)
            for name, own in self.results.items()
            if own and name not in self.scores
        }

    @cached_property
    def prompt(self) -> object:
        """JSON as garak wrote it: text, or a conversation ``{"turns": [...]}``."""
        return _loaded(self.stated_prompt)

    @property
    def notes(self) -> Mapping[str, Any]:
        """What the probe tells its detectors, such as ``triggers``."""
        notes = _loaded(self.stated_notes)
        return notes if isinstance(notes, dict) else {}

    @property
    def conversations(self) -> list[tuple[Turn, ...]]:
        """One for each output, as far as the report has them, with the output."""
        found = _loaded(self.stated_conversations) or _loaded(self.messages)
        return [tuple(turns_of(each)) for each in _list(found)]

    @property
    def judged_texts(self) -> list[str | None]:
        """What detectors judged instead of each output; empty where not translated."""
        stated = _list(_loaded(self.reverse_translation_outputs))
        return [each.text for each in map(_output, stated)]


DECODER = Decoder(Attempt)
UNATTRIBUTED = "its results belong to no known output"
"""Of a detector or a pair, in short."""


def unattributed_text(detector: str, results: int) -> str:
    """Say that results are nobody's: ``12 results of goodside.Tag ...``."""
    count = "1 result" if results == 1 else f"{results:,} results"
    belong = "belongs" if results == 1 else "belong"
    name = readable(shown(detector))
    return f"{count} of {name} {belong} to no known output"


def attempt_of(row: Mapping[str, Any], line: int = 0) -> Attempt:
    """Make an attempt of a row that is parsed; odd members are nothing."""

    def raw(name: str) -> Raw:
        return Raw(json.dumps(row.get(name)).encode("ascii"))

    results = row.get("detector_results")
    return Attempt(
        line=line,
        status=row.get("status"),
        uuid=_text(row.get("uuid")),
        probe=_text(row.get("probe_classname")),
        results={
            name: tuple(map(number_or_none, scores))
            for name, scores in (results if isinstance(results, dict) else {}).items()
            if isinstance(scores, list)
        },
        goal=_text(row.get("goal")),
        stated_prompt=raw("prompt"),
        stated_outputs=tuple(map(_output, _list(row.get("outputs")))),
        stated_notes=raw("notes"),
        stated_conversations=raw("conversations"),
        messages=raw("messages"),
        reverse_translation_outputs=raw("reverse_translation_outputs"),
    )


def read_lines(source: Source, rows: Rows) -> Iterator[Attempt]:
    """Yield each completed attempt of a report once, in the report's order.

    garak writes an attempt as started and again as complete, and resumed scans write
    it once more; the first complete row of a uuid counts. A last line that is no JSON
    was cut off, as in an interrupted scan.

    Parameters
    ----------
    source : Source
    rows : Rows
        Takes all that is no attempt, and what problems there are.

    Raises
    ------
    ReportError
        The source cannot be read, or its first line is no JSON.
    """
    # long scans have many uuids
    seen: set[int] = set()
    bad: tuple[ReportError, bytes] | None = None
    for number, line in source.lines():
        is_attempt = line.startswith(ATTEMPT_START)
        if bad is not None:
            _take_problem(rows, *bad)
            bad = None
        try:
            source.require_small(line, number)
            row = _decoded(line) if is_attempt else parse_json(line)
            if isinstance(row, dict) and row.get("entry_type") == "attempt":
                row = attempt_of(row)
            if not isinstance(row, Attempt):
                rows.add(row, number)
                continue
        except ReportError as error:
            rows.attempts_problem = rows.attempts_problem or (
                error if is_attempt else None
            )
            rows.problem = rows.problem or (None if is_attempt else error)
            continue
        except ValueError as problem:
            bad = not_json(source.name, number, line, problem), line
            if number == 1 and not is_attempt:
                raise bad[0] from None
            continue
        key = number if row.uuid is None else hash(row.uuid)
        if row.status == COMPLETE and key not in seen:
            seen.add(key)
            row.line = number
            yield row
    if bad is not None:
        rows.cut_line = bad[0].line


def _take_problem(rows: Rows, error: ReportError, line: bytes) -> None:
    """Note a line that is no JSON, and after which the report goes on."""
    is_attempt = line.startswith(ATTEMPT_START)
    if is_attempt or not line.startswith(ROW_START):
        rows.attempts_problem = rows.attempts_problem or error
    if not is_attempt:
        rows.problem = rows.problem or error
    elif error.line is not None:
        rows.broken.append(error.line)


def read_attempts(name: str) -> Iterator[Attempt]:
    """Yield each completed attempt of a report once, in the report's order.

    Parameters
    ----------
    name : str
        Path, ``-`` or an fsspec address; see
        :func:`~garak_tbsa.report.opening.open_source`.

    Raises
    ------
    ReportError
        The report cannot be read, or a line other than the last is not JSON.
    """
    rows = Rows(source=name)
    with open_source(name) as source:
        yield from read_lines(source, rows)
    if rows.attempts_problem is not None:
        raise rows.attempts_problem


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeAttempt:
    """An attempt, and from which score on its detectors called an output a hit."""

    attempt: Attempt
    threshold: float


def find_attempt(name: str, wanted: str) -> WholeAttempt:
    """Find a completed attempt; the first complete row of a uuid counts.

    Parameters
    ----------
    name : str
        The report, as for :func:`~garak_tbsa.report.opening.open_source`.
    wanted : str
        The uuid, or at least four characters of its beginning; ``line N`` for the
        attempt in a line.

    Raises
    ------
    ReportError
        The report cannot be read, has no such attempt that was completed, or several
        whose uuid begins so.
    """
    if len(wanted) < LEAST_OF_A_UUID:
        raise ReportError(name, f"{wanted!r} is too short to name an attempt", ADVICE)
    by_line = LINE.fullmatch(wanted)
    only = int(by_line[1]) if by_line else None
    found: list[Attempt] = []
    rows = Rows(source=name)
    with open_source(name) as source:
        for attempt in read_lines(source, rows):
            if attempt.line == only or (attempt.uuid or "").startswith(wanted):
                found.append(attempt)
            if attempt.line == only or attempt.uuid == wanted:
                found = [attempt]
                break
    if len(found) == 1:
        return WholeAttempt(attempt=found[0], threshold=rows.threshold)
    if not found:
        problem = f"attempt {wanted!r} is not in the report, or was never completed"
        raise ReportError(name, problem, ADVICE)
    raise ReportError(
        name,
        f"{len(found)} attempts begin with {wanted!r}: {found[0].uuid},"
        f" {found[1].uuid} ...",
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
        return isinstance(parse_object(source.first_line()).get("entry_type"), str)


def stated_settings(name: str) -> ScanSettings:
    """Return the setup that garak wrote before the first attempt.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    rows = Rows(source=name)
    with open_source(name) as source:
        next(read_lines(source, rows), None)
    return rows.settings or parse_settings({})


def _decoded(line: bytes) -> object:
    try:
        return DECODER.decode(line)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return parse_json(line)


def _loaded(member: Raw) -> object:
    try:
        return decode(member)
    except (DecodeError, UnicodeDecodeError):
        return parse_json(bytes(member))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _output(stated: object) -> Output:
    if isinstance(stated, dict):
        return Output(text=_text(stated.get("text")), lang=_text(stated.get("lang")))
    return Output(text=_text(stated))


LEAST_OUTPUTS, LEAST_PROBES = 20, 2
"""A smaller scan may well get one answer."""

SAMPLE = 80
MOST_TEXTS = 100_000
"""Different texts that are told apart."""

LONGEST_MESSAGE = 2_000
"""Characters of a text that are looked at: its beginning and its end."""

DIGIT = re.compile(r"[0-9]")
WITH_DIGIT = re.compile(r"(?<![\w-])[A-Za-z_-]*[0-9][\w-]*", re.ASCII)
"""A number or an id, such as a UUID or ``req_011CSHoEeqs5``."""

WORD = re.compile(r"[A-Za-z]{3}")
HIT, PASS = 1.0, 0.0
"""Scores from which on, and up to which, an output is one whatever the threshold."""


def bare_text(text: str) -> str:
    """Return a text without what differs from one message of an error to the next.

    What is nothing but ids, such as an answer in Base64, is left different.
    """
    if len(text) > LONGEST_MESSAGE:
        text = text[: LONGEST_MESSAGE // 2] + text[-LONGEST_MESSAGE // 2 :]
    if DIGIT.search(text):
        without_ids = WITH_DIGIT.sub("", text)
        text = without_ids if WORD.search(without_ids) else DIGIT.sub("", text)
    return text.strip()


class AttemptWatch:
    """Counts what each completed attempt says: outputs alike, and verdicts."""

    def __init__(self) -> None:
        self._probes: set[str | None] = set()
        self._outputs = 0
        # a hash stands for a text, which may be long: how often, and how it begins
        self._texts: dict[int, int] = {}
        self._samples: dict[int, str] = {}
        self._verdicts: dict[str, tuple[int, int]] = {}

    def add(self, attempt: Attempt) -> None:
        """Take an attempt."""
        for text in (each.text for each in attempt.outputs):
            if text is None:
                continue
            self._probes.add(attempt.probe)
            self._outputs += 1
            bare = bare_text(text)
            key = hash(bare)
            if key in self._texts:
                self._texts[key] += 1
            elif len(self._texts) < MOST_TEXTS:
                self._texts[key] = 1
                self._samples[key] = (text if bare else text.strip())[:SAMPLE]
        for detector, scores in attempt.results.items():
            name = f"{attempt.probe}{PAIR_SEPARATOR}{detector}"
            hits, passes = self._verdicts.get(name, (0, 0))
            for score in scores:
                if score is not None:
                    hits += score >= HIT
                    passes += score <= PASS
            self._verdicts[name] = hits, passes

    @property
    def constant_answer(self) -> str | None:
        """That at least 19 of 20 outputs of a scan large enough are one text."""
        alike = max(self._texts.values(), default=0)
        is_large = self._outputs >= LEAST_OUTPUTS and len(self._probes) >= LEAST_PROBES
        if not is_large or 20 * alike < 19 * self._outputs:
            return None
        key = max(self._texts, key=self._texts.__getitem__)
        sample = printable(self._samples[key]).replace("\n", " ")
        what = f'one text: "{sample}"' if sample else "empty"
        return (
            f"{alike:,} of {self._outputs:,} outputs of {len(self._probes)} probes are"
            f" {what}; the target may not have answered"
        )

    def disagreements(self, rows: Rows) -> Iterator[str]:
        """Say where results of attempts are not those of the eval rows, in words.

        Attempts may be missing: of those that are there, no more may be hits than the
        eval row has, and no more passes. Which of the others are hits hangs on a
        threshold that garak writes down only where it is a whole number.
        """
        settings = rows.setup or rows.settings
        threshold = settings.eval_threshold if settings else DEFAULT_THRESHOLD
        if not rows.evals or not PASS < threshold <= HIT:
            return
        found = {entry.pair_name: entry for entry in rows.evals}
        for name, (hits, passes) in sorted(self._verdicts.items()):
            row = found.get(name)
            if row is None:
                if rows.completed and hits + passes:
                    yield f"{name}: has results in attempts but no eval row"
                continue
            passed = row.passed or 0
            stated = (row.total_evaluated or 0) - passed
            for least, most, what in (
                (hits, stated, "hits"),
                (passes, passed, "passes"),
            ):
                if least > most:
                    yield (
                        f"{name}: {least} {what} in its attempts, {most} in its eval"
                        f" row at {row.where}"
                    )
