# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One labelled response: cells that are not to be trusted in, a frozen struct out."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, structs

from garak_tbsa.errors import DatasetError

Label = Literal["hit", "pass"]

RowBasisName = Literal["real", "written", "own_words"]
BASES: tuple[RowBasisName, ...] = ("real", "written", "own_words")

LOCAL_FILENAME = "local filename"
"""``notes.format`` of garak's probes whose outputs are paths of files."""

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


class Turn(Struct, frozen=True, kw_only=True, rename={"text": "content"}):
    """One turn of the prompt: who speaks, and the text."""

    role: Literal["system", "user", "assistant"]
    text: str


class RowFile(Struct, frozen=True, kw_only=True, rename={"content": "base64"}):
    """The file that a file detector examines: a path, or a name and its bytes."""

    name: str
    content: bytes | None = None


class LabelledRow(Struct, frozen=True, kw_only=True):
    """One response with the truth about it.

    Attributes
    ----------
    detector : str
        Whose failure mode the label is about: ``dan.DAN``, ``package.module:Class``.
    prompt : tuple of Turn
        The conversation up to the response, at least one turn.
    output : str or None
        The response; None where the target gave none.
    label : "hit" or "pass"
        "hit": the failure mode is present in the response.
    notes, goal, probe
        What a probe would have put into garak's ``Attempt`` for the detector.
    why : str or None
        Which form of the row is to break the detector: on stress rows only.
    annotations : mapping of rater to label
        Where several people labelled; the majority is the label.
    basis : "real", "written", "own_words" or None
        Whether a model gave the response, or somebody wrote it; of a hit, whether its
        word is from the detector's own list. None where nobody says.
    model : str or None
        The model that gave the response.
    where : str
        File and line or row, for messages.
    as_written : LabelledRow or None
        The row before its slots were filled; None where it has none.
    """

    id: str
    detector: str
    prompt: Annotated[tuple[Turn, ...], Meta(min_length=1)]
    output: str | None
    label: Label
    notes: dict[str, Any] = {}
    goal: str | None = None
    probe: str | None = None
    lang: str | None = None
    slice: str | None = None
    source: str | None = None
    why: str | None = None
    annotations: dict[str, Label] = {}
    file: RowFile | None = None
    basis: RowBasisName | None = None
    model: str | None = None
    where: str
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


COLUMNS = LabelledRow.__struct_fields__[:-2]
"""What a file can say of a row."""


def detector_name(text: str) -> str:
    """``garak.detectors.dan.DAN`` and ``detectors.dan.DAN`` -> ``dan.DAN``."""
    return text.removeprefix("garak.").removeprefix("detectors.")


def cells_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Our columns of a record, as JSON has them; a sheet's hold objects as text."""
    cells = {
        name: record[name]
        for name in COLUMNS
        if name in record and (name == "output" or record[name] not in (None, ""))
    }
    for name in {"annotations", "file", "notes", "prompt"}.intersection(cells):
        value = cells[name]
        if isinstance(value, str) and value[:1] in ("{", "["):
            parsed = _json_or_none(value)
            if parsed is not None and (name != "prompt" or _is_conversation(parsed)):
                cells[name] = parsed
        # Parquet fills every key that any row has
        if name in ("annotations", "notes") and isinstance(cells[name], dict):
            cells[name] = {k: v for k, v in cells[name].items() if v is not None}
    return cells


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_conversation(value: Any) -> bool:
    turns = value.get("turns") if isinstance(value, dict) else value
    return isinstance(turns, list) and bool(turns) and isinstance(turns[0], dict)


def row_of(cells: Mapping[str, Any], folder: str | None) -> LabelledRow:
    """Check the cells of a row and freeze them.

    Parameters
    ----------
    cells : mapping
        From :func:`cells_of`, with a plain ``label``, ``id``, ``detector`` and
        ``where``.
    folder : str or None
        What a ``file`` is relative to, and must really lie below; None for rows from
        elsewhere, which may name no files of this machine.

    Raises
    ------
    DatasetError
        A cell has the wrong type, or its file cannot be used.
    """
    typed = {
        "output": None,
        **cells,
        "prompt": _turns(cells.get("prompt", "")),
        "file": _file(cells, folder),
    }
    try:
        row = msgspec.convert(typed, LabelledRow)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        if isinstance(error, UnicodeEncodeError):
            # of a lone surrogate, which msgspec looks up in no list of words
            wrong = repr(error.object)
            place = next(name for name in cells if wrong in repr(cells[name]))
        else:
            place = str(error).rpartition("`$.")[2].removesuffix("`")
        if isinstance(cells.get("prompt"), dict):
            place = place.replace("prompt[", "prompt.turns[")
        expected = _EXPECTED.get(
            re.split(r"[.\[]", place)[0], "a string, or leave it out"
        )
        raise DatasetError(
            f"{cells['where']}: `{place}` cannot be used; expected {expected}"
        ) from None
    system = row.notes.get("system_prompt")
    if isinstance(system, str) and all(turn.role != "system" for turn in row.prompt):
        turn = Turn(role="system", text=system)
        row = structs.replace(row, prompt=(turn, *row.prompt))
    return row


def _turns(prompt: Any) -> Any:
    """The turns as chat APIs write them; garak's have a text within the content."""
    if isinstance(prompt, str):
        turns: Any = [{"role": "user", "content": prompt}]
    else:
        turns = prompt.get("turns") if isinstance(prompt, dict) else prompt
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        return turns
    return [
        turn | {"content": turn["content"].get("text")}
        if isinstance(turn.get("content"), dict)
        else turn
        for turn in turns
    ]


def _file(cells: Mapping[str, Any], folder: str | None) -> Any:
    """The row's file; rows from elsewhere are not believed to name one of ours."""
    given, where = cells.get("file"), cells["where"]
    if isinstance(given, dict):
        name = given.get("name")
        if given.get("base64") is None:
            raise DatasetError(f"{where}: `file` is an object; expected {_FILE}")
        if name in ("", ".", "..") or set(str(name)) & set("/\\\0"):
            raise DatasetError(
                f"{where}: the file name {name!r} is a path; expected a bare name"
            )
        return given
    if isinstance(given, str):
        if folder is None:
            raise DatasetError(
                f"{where}: the file {given[:60]!r} is named by a row that comes from"
                ' elsewhere; expected {"name": "x.pkl", "base64": "..."}'
            )
        return {"name": _path_below(folder, given, repr(given), where)}
    notes, output = cells.get("notes"), cells.get("output")
    is_path = isinstance(notes, dict) and notes.get("format") == LOCAL_FILENAME
    if given is None and is_path and folder and output and isinstance(output, str):
        named = f"{output[:200]!r} in `output`"
        return {"name": _path_below(folder, output, named, where)}
    return given


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
