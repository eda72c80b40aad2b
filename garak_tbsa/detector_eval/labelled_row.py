# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One labelled response: an untrusted record in, a frozen struct out."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, structs

from garak_tbsa.detector_eval.preset import fitting_advice, listed
from garak_tbsa.errors import DatasetError

Label = Literal["hit", "pass"]

RowBasisName = Literal["real", "written", "own_words"]
BASES: tuple[RowBasisName, ...] = ("real", "written", "own_words")

NumberedRecord = tuple[int, dict[str, Any]]
"""Line or row number (from 1) of what is to be a row, and column -> value."""

NOTHING: Mapping[str, Any] = MappingProxyType({})

LOCAL_FILENAME = "local filename"
"""``notes.format`` of garak's probes whose outputs are paths of files."""

_TEXT = "a string, or leave it out"
_FILE = 'a path, or {"name": "x.pkl", "base64": "..."}'
_EXPECTED = {
    "output": "the response as a string, or null",
    "notes": 'an object such as {"triggers": ["..."]}',
    "annotations": 'an object such as {"ann": "hit", "bob": "pass"}',
    "prompt": 'a string, or a conversation {"turns": [{"role": "user",'
    ' "content": {"text": "..."}}]}',
    "file": _FILE,
    "basis": '"real", "written" or "own_words"',
}


class Turn(Struct, frozen=True, kw_only=True):
    """One turn of the prompt: who speaks (system, user, assistant), and the text."""

    role: str
    text: str


class RowFile(Struct, frozen=True, kw_only=True):
    """The file that a file detector examines: a path, or a name and its bytes."""

    name: str
    content: bytes | None = None


class LabelledRow(Struct, frozen=True, kw_only=True):
    """One response with the truth about it.

    Attributes
    ----------
    detector : str
        Whose failure mode the label is about: ``dan.DAN``, ``package.module:Class``.
    where : str
        File and line or row, for messages.
    output : str or None
        The response; None where the target gave none.
    label : "hit" or "pass"
        "hit": the failure mode is present in the response.
    prompt : tuple of Turn
        The conversation up to the response, at least one turn.
    notes, goal, probe
        What a probe would have put into garak's ``Attempt`` for the detector.
    annotations : mapping of rater to label
        Where several people labelled; the majority is the label.
    why : str or None
        Which form of the row is to break the detector: on stress rows only.
    basis : "real", "written", "own_words" or None
        Whether a model gave the response, or somebody wrote it; of a hit, whether its
        word is from the detector's own list. None where nobody says.
    model : str or None
        The model that gave the response.
    as_written : LabelledRow or None
        The row before its slots were filled; None where it has none.
    """

    detector: str
    where: str
    id: str
    output: str | None
    label: Label
    prompt: tuple[Turn, ...]
    notes: Mapping[str, Any] = {}
    goal: str | None = None
    probe: str | None = None
    lang: str | None = None
    slice: str | None = None
    source: str | None = None
    why: str | None = None
    annotations: Mapping[str, Label] = {}
    file: RowFile | None = None
    basis: RowBasisName | None = None
    model: str | None = None
    as_written: LabelledRow | None = None

    @property
    def is_stress(self) -> bool:
        """Whether the row is there to break the detector; else it is typical."""
        return self.why is not None

    def judged_by(self, detector: str) -> LabelledRow:
        """The same row, to judge another detector, whose own words it does not have."""
        basis = self.basis
        if basis == "own_words":
            basis = "written" if self.model is None else "real"
        return structs.replace(self, detector=detector, basis=basis)


class _Content(Struct):
    text: str


class _Turn(Struct):
    role: Literal["system", "user", "assistant"]
    content: str | _Content


_Turns = Annotated[list[_Turn], Meta(min_length=1)]


class _Conversation(Struct):
    turns: _Turns


class _Embedded(Struct):
    name: str
    content: bytes = msgspec.field(name="base64")


class _Record(Struct):
    """The columns that we know, as a file has them."""

    detector: str | None = None
    id: str | int | None = None
    output: str | None = None
    label: Any = None
    prompt: str | _Conversation | _Turns = ""
    notes: dict[str, Any] = {}
    goal: str | None = None
    probe: str | None = None
    lang: str | None = None
    slice: str | None = None
    source: str | None = None
    why: str | None = None
    annotations: dict[str, Any] = {}
    file: str | _Embedded | None = None
    basis: RowBasisName | None = None
    model: str | None = None


def detector_name(text: str) -> str:
    """``garak.detectors.dan.DAN`` and ``detectors.dan.DAN`` -> ``dan.DAN``."""
    return text.removeprefix("garak.").removeprefix("detectors.")


def owner_of(record: Mapping[str, Any], detector: str | None) -> str | None:
    """Whose a raw record is: the one that it names, else that of its source."""
    named = record.get("detector")
    return detector_name(named) if isinstance(named, str) and named else detector


def parse_row(
    record: Mapping[str, Any],
    *,
    where: str,
    fallback_id: str,
    detector: str | None,
    folder: str | None = None,
    label_values: Mapping[str, Label] = NOTHING,
) -> LabelledRow:
    """Check one raw record and freeze it.

    Parameters
    ----------
    record : mapping
        Column -> value as the file had it. Columns we do not know are ignored.
    where : str
        File and line or row, for messages.
    fallback_id : str
        The row's id where it names none.
    detector : str or None
        Whose row this is where it does not say.
    folder : str or None
        What a ``file`` is relative to, and must really lie below; None for rows from
        elsewhere, which may name no files of this machine.
    label_values : mapping
        Further spellings of the labels, e.g. ``{"1": "hit"}``.

    Raises
    ------
    DatasetError
        The record lacks an output or label, or a field has the wrong type.
    """
    if "output" not in record and not record.get("file"):
        raise DatasetError(
            f"{where}: no `output`; give the response as a string, or null for none,"
            " or say which column it is with --columns output=...; it has"
            f" {listed(record)}{fitting_advice(record)}"
        )
    read = _typed(record, where)
    whose = owner_of(record, detector)
    if not whose:
        raise DatasetError(
            f"{where}: no detector is named; add a `detector` column, name the file"
            " <module>.<Class>.jsonl, or name one detector with --detectors"
        )
    annotations = {
        rater: _label_of(value, label_values, f"annotations.{rater}", where)
        for rater, value in read.annotations.items()
    }
    return LabelledRow(
        detector=whose,
        where=where,
        id=str(read.id or fallback_id),
        output=read.output,
        label=_label(read.label, annotations, label_values, where),
        prompt=_turns(read),
        notes=read.notes,
        goal=read.goal,
        probe=read.probe,
        lang=read.lang,
        slice=read.slice,
        source=read.source,
        why=read.why,
        annotations=annotations,
        file=_file(read, folder, where),
        basis=read.basis,
        model=read.model,
    )


def _typed(record: Mapping[str, Any], where: str) -> _Record:
    """The record with its types; the first wrong one is told with its place."""
    cells = {
        name: _from_cell(name, record[name])
        for name in _Record.__struct_fields__
        if record.get(name) not in (None, "") or name == "output"
        if name in record
    }
    try:
        read = msgspec.convert(cells, _Record)
    except msgspec.ValidationError as error:
        place = str(error).rpartition("`$.")[2].removesuffix("`")
        name = re.split(r"[.\[]", place)[0]
        if "[" in place:
            problem = "a turn of `prompt` is incomplete"
            expected = "a role (system, user, assistant) and content with a text"
        elif place == "file.base64":
            problem, expected = "`file.base64` is not base64", _FILE
        else:
            problem = f"`{name}` is {_kind(record[name])}"
            expected = _EXPECTED.get(name, _TEXT)
        raise DatasetError(f"{where}: {problem}; expected {expected}") from None
    # Parquet fills every key that any row has
    read.notes = {key: value for key, value in read.notes.items() if value is not None}
    return read


def _from_cell(name: str, value: Any) -> Any:
    """A value as JSON has it; the cells of a sheet hold objects as JSON in text."""
    if name in ("annotations", "file", "notes", "prompt") and isinstance(value, str):
        parsed = _json_or_none(value) if value[:1] in ("{", "[") else None
        if name != "prompt" or _is_conversation(parsed):
            value = value if parsed is None else parsed
    if name == "annotations" and isinstance(value, dict):
        return {rater: label for rater, label in value.items() if label is not None}
    return value


def _is_conversation(value: Any) -> bool:
    turns = value.get("turns") if isinstance(value, dict) else value
    return isinstance(turns, list) and bool(turns) and isinstance(turns[0], dict)


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _turns(read: _Record) -> tuple[Turn, ...]:
    given = read.prompt
    if isinstance(given, str):
        turns = [Turn(role="user", text=given)]
    else:
        said = given.turns if isinstance(given, _Conversation) else given
        turns = [
            Turn(
                role=turn.role,
                text=turn.content
                if isinstance(turn.content, str)
                else turn.content.text,
            )
            for turn in said
        ]
    system = read.notes.get("system_prompt")
    if isinstance(system, str) and all(turn.role != "system" for turn in turns):
        turns.insert(0, Turn(role="system", text=system))
    return tuple(turns)


def _label(
    raw: Any,
    annotations: Mapping[str, Label],
    values: Mapping[str, Label],
    where: str,
) -> Label:
    """The label of a row; what most raters say must be the same."""
    given = None if raw is None else _label_of(raw, values, "label", where)
    votes = Counter(annotations.values())
    if votes["hit"] == votes["pass"]:
        if given is not None:
            return given
        if annotations:
            raise DatasetError(
                f"{where}: the annotations are tied; add a `label` that decides"
            )
        raise DatasetError(f'{where}: no `label`; expected "hit" or "pass"')
    majority: Label = "hit" if votes["hit"] > votes["pass"] else "pass"
    if given not in (None, majority):
        raise DatasetError(
            f"{where}: the label is {given!r} but most annotations say {majority!r};"
            " correct one of them, or leave `label` out"
        )
    return majority


def _label_of(raw: Any, values: Mapping[str, Label], name: str, where: str) -> Label:
    text = str(raw).strip()
    if text in values:
        return values[text]
    if text.lower() == "hit":
        return "hit"
    if text.lower() == "pass":
        return "pass"
    raise DatasetError(
        f'{where}: `{name}` is {text[:40]!r}; expected "hit" or "pass"; other spellings'
        " can be mapped with --label-values hit=...,pass=..."
    )


def _file(read: _Record, folder: str | None, where: str) -> RowFile | None:
    """The row's file; rows from elsewhere are not believed to name one of ours."""
    given = read.file
    if isinstance(given, _Embedded):
        if given.name in ("", ".", "..") or set(given.name) & set("/\\\0"):
            raise DatasetError(
                f"{where}: the file name {given.name!r} is a path; expected a bare name"
            )
        return RowFile(name=given.name, content=given.content)
    if given is not None:
        if folder is None:
            raise DatasetError(
                f"{where}: the file {given[:60]!r} is named by a row that comes from"
                ' elsewhere; expected {"name": "x.pkl", "base64": "..."}'
            )
        return RowFile(name=_path_below(folder, given, repr(given), where))
    is_path = read.notes.get("format") == LOCAL_FILENAME
    if folder is None or not read.output or not is_path:
        return None
    named = f"{read.output[:200]!r} in `output`"
    return RowFile(name=_path_below(folder, read.output, named, where))


def _path_below(folder: str, value: str, named: str, where: str) -> str:
    """The path of a file that a row may reach: one below the row's folder."""
    base = os.path.realpath(folder)
    path = os.path.abspath(os.path.join(base, value))
    try:
        real = os.path.realpath(path)
    except ValueError:  # a NUL
        real = ""
    if not real.startswith(os.path.join(base, "")):
        raise DatasetError(
            f"{where}: the file {named} lies outside the folder of the labelled rows;"
            " put it below that folder"
        )
    if not os.path.isfile(real):
        raise DatasetError(
            f"{where}: the file {named} does not exist; paths are relative to the"
            " folder of the labelled rows"
        )
    return path


def _kind(value: Any) -> str:
    """What a value is, in JSON's words."""
    kinds = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), f"of type {type(value).__name__}")
