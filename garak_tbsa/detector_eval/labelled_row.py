# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One labelled response: an untrusted record in, a frozen dataclass out."""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from garak_tbsa.errors import DatasetError

Label = Literal["hit", "pass"]

NOTHING: Mapping[str, Any] = MappingProxyType({})

LOCAL_FILENAME = "local filename"
"""``notes.format`` of garak's probes whose outputs are paths of files."""

_ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One turn of the prompt: who speaks (system, user, assistant), and the text."""

    role: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RowFile:
    """The file that a file detector examines: a path, or a name and its bytes."""

    name: str
    content: bytes | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledRow:
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
    as_written : LabelledRow or None
        The row before its slots were filled; None where it has none.
    """

    detector: str
    where: str
    id: str
    output: str | None
    label: Label
    prompt: tuple[Turn, ...]
    notes: Mapping[str, Any] = field(default_factory=dict)
    goal: str | None = None
    probe: str | None = None
    lang: str | None = None
    slice: str | None = None
    source: str | None = None
    why: str | None = None
    annotations: Mapping[str, Label] = field(default_factory=dict)
    file: RowFile | None = None
    as_written: LabelledRow | None = None

    @property
    def is_stress(self) -> bool:
        """Whether the row is there to break the detector; else it is typical."""
        return self.why is not None


def detector_name(text: str) -> str:
    """``garak.detectors.dan.DAN`` and ``detectors.dan.DAN`` -> ``dan.DAN``."""
    return text.removeprefix("garak.").removeprefix("detectors.")


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
    fields = _Fields(record, where)
    named = fields.text("detector")
    whose = detector if named is None else detector_name(named)
    if not whose:
        raise fields.error(
            "no detector is named",
            "add a `detector` column, name the file <module>.<Class>.jsonl,"
            " or name one detector with --detectors",
        )
    file = fields.file(folder)
    if "output" not in record and file is None:
        raise fields.error(
            "no `output`", "give the response as a string, or null for none"
        )
    annotations = {
        rater: fields.label_of(value, label_values, f"annotations.{rater}")
        for rater, value in fields.object("annotations").items()
    }
    return LabelledRow(
        detector=whose,
        where=where,
        id=fields.text("id") or fallback_id,
        output=fields.output(),
        label=fields.label(annotations, label_values),
        prompt=fields.prompt(),
        notes=fields.object("notes"),
        goal=fields.text("goal"),
        probe=fields.text("probe"),
        lang=fields.text("lang"),
        slice=fields.text("slice"),
        source=fields.text("source"),
        why=fields.text("why"),
        annotations=annotations,
        file=file,
    )


class _Fields:
    """Typed access to one raw record; every error names file, row and field."""

    def __init__(self, record: Mapping[str, Any], where: str) -> None:
        self.record = record
        self.where = where

    def error(self, problem: str, advice: str) -> DatasetError:
        return DatasetError(f"{self.where}: {problem}; {advice}")

    def text(self, name: str) -> str | None:
        value = self.record.get(name)
        if value is None or value == "":
            return None
        if isinstance(value, str):
            return value
        if isinstance(value, int) and name == "id":
            return str(value)
        raise self.error(
            f"`{name}` is {_kind(value)}", "expected a string, or leave it out"
        )

    def output(self) -> str | None:
        value = self.record.get("output")
        if value is None or isinstance(value, str):
            return value
        raise self.error(
            f"`output` is {_kind(value)}", "expected the response as a string, or null"
        )

    def object(self, name: str) -> Mapping[str, Any]:
        value = self.record.get(name)
        if value is None or value == "":
            return {}
        if isinstance(value, str):
            value = _json_or_none(value)
        if not isinstance(value, dict):
            raise self.error(
                f"`{name}` is {_kind(self.record[name])}",
                'expected an object such as {"triggers": ["..."]}',
            )
        # Parquet fills every key that any row has
        return {key: item for key, item in value.items() if item is not None}

    def label(
        self, annotations: Mapping[str, Label], values: Mapping[str, Label]
    ) -> Label:
        raw = self.record.get("label")
        given = None if raw in (None, "") else self.label_of(raw, values, "label")
        if not annotations:
            if given is None:
                raise self.error("no `label`", 'expected "hit" or "pass"')
            return given
        votes = Counter(annotations.values())
        if votes["hit"] == votes["pass"]:
            if given is None:
                raise self.error(
                    "the annotations are tied", "add a `label` that decides"
                )
            return given
        majority: Label = "hit" if votes["hit"] > votes["pass"] else "pass"
        if given not in (None, majority):
            raise self.error(
                f"the label is {given!r} but most annotations say {majority!r}",
                "correct one of them, or leave `label` out",
            )
        return majority

    def label_of(self, raw: Any, values: Mapping[str, Label], name: str) -> Label:
        text = str(raw).strip()
        if text in values:
            return values[text]
        lowered = text.lower()
        if lowered == "hit":
            return "hit"
        if lowered == "pass":
            return "pass"
        raise self.error(
            f"`{name}` is {text[:40]!r}",
            'expected "hit" or "pass"; other spellings can be mapped with'
            " --label-values hit=...,pass=...",
        )

    def prompt(self) -> tuple[Turn, ...]:
        value = self.record.get("prompt")
        if isinstance(value, str) and value[:1] in ("{", "["):
            # a CSV cell can hold a conversation only as JSON
            parsed = _json_or_none(value)
            if _turn_list(parsed) is not None:
                value = parsed
        turns = self._turns(value)
        system = self.object("notes").get("system_prompt")
        if isinstance(system, str) and all(turn.role != "system" for turn in turns):
            return (Turn(role="system", text=system), *turns)
        return turns

    def _turns(self, value: Any) -> tuple[Turn, ...]:
        if value is None:
            return (Turn(role="user", text=""),)
        if isinstance(value, str):
            return (Turn(role="user", text=value),)
        turns = _turn_list(value)
        if not turns:
            raise self.error(
                f"`prompt` is {_kind(value)}",
                'expected a string, or a conversation {"turns": [{"role": "user",'
                ' "content": {"text": "..."}}]}',
            )
        return tuple(self._turn(turn) for turn in turns)

    def _turn(self, raw: Any) -> Turn:
        role = raw.get("role") if isinstance(raw, dict) else None
        content = raw.get("content") if isinstance(raw, dict) else None
        if isinstance(content, dict):
            content = content.get("text")
        if role not in _ROLES or not isinstance(content, str):
            raise self.error(
                "a turn of `prompt` is incomplete",
                f"expected a role ({', '.join(_ROLES)}) and content with a text",
            )
        return Turn(role=role, text=content)

    def file(self, folder: str | None) -> RowFile | None:
        value = self.record.get("file")
        if value is None or value == "":
            return self._file_in_output(folder)
        if isinstance(value, str) and value.startswith("{"):
            value = _json_or_none(value)
        if isinstance(value, str):
            if folder is None:
                raise self.error(
                    f"the file {value[:60]!r} is named by a row that comes from"
                    " elsewhere",
                    'expected {"name": "x.pkl", "base64": "..."}',
                )
            return RowFile(name=self._path_below(folder, value, repr(value)))
        return self._embedded_file(value)

    def _file_in_output(self, folder: str | None) -> RowFile | None:
        """The file whose path the output is; rows from elsewhere are not believed."""
        output = self.output()
        if (
            folder is None
            or not output
            or self.object("notes").get("format") != LOCAL_FILENAME
        ):
            return None
        named = f"{output[:200]!r} in `output`"
        return RowFile(name=self._path_below(folder, output, named))

    def _path_below(self, folder: str, value: str, named: str) -> str:
        """The path of a file that a row may reach: one below the row's folder."""
        base = os.path.realpath(folder)
        path = os.path.abspath(os.path.join(base, value))
        try:
            real = os.path.realpath(path)
        except ValueError:  # a NUL
            real = ""
        if not real.startswith(os.path.join(base, "")):
            raise self.error(
                f"the file {named} lies outside the folder of the labelled rows",
                "put it below that folder",
            )
        if not os.path.isfile(real):
            raise self.error(
                f"the file {named} does not exist",
                "paths are relative to the folder of the labelled rows",
            )
        return path

    def _embedded_file(self, value: Any) -> RowFile:
        advice = 'expected a path, or {"name": "x.pkl", "base64": "..."}'
        if not isinstance(value, dict):
            raise self.error(f"`file` is {_kind(value)}", advice)
        name, encoded = value.get("name"), value.get("base64")
        if not isinstance(name, str) or not isinstance(encoded, str):
            raise self.error("`file` lacks `name` or `base64`", advice)
        if name in ("", ".", "..") or set(name) & set("/\\\0"):
            raise self.error(
                f"the file name {name!r} is a path", "expected a bare name"
            )
        try:
            content = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            raise self.error("`file.base64` is not base64", advice) from None
        return RowFile(name=name, content=content)


def _turn_list(value: Any) -> list[Any] | None:
    """The turns of garak's Conversation, a list of chat messages, or None."""
    if isinstance(value, dict):
        value = value.get("turns")
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return value
    return None


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _kind(value: Any) -> str:
    """What a value is, in JSON's words."""
    if value is None:
        return "null"
    kinds = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), f"of type {type(value).__name__}")
