# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One labelled response: a record of a file in, a frozen row out, or why there is none.

Cells are not to be trusted. Nothing is guessed: a row without one clear label is left
out, or is an error where nobody said that rows may be left out.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, structs

from garak_tbsa.detector_eval.published import (
    Meaning,
    RowForm,
    fitting_advice,
    spelling_of,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.safe_text import shown

Label = Literal["hit", "pass"]
RowBasisName = Literal["real", "written", "own_words"]
BASES: tuple[RowBasisName, ...] = ("real", "written", "own_words")

LOCAL_FILENAME = "local filename"
"""``notes.format`` of garak's probes whose outputs are paths of files."""

UNLABELLED = "without a label"
TWO_LABELS = "with two labels that differ"
TIED = "whose raters are tied"
AGAINST_RATERS = "whose label most raters contradict"
SKIPPED_BY_RATERS = "whose raters mostly gave a label that is left out"

_NO_ONE_LABEL = {
    UNLABELLED: 'no `label`; expected "hit" or "pass"',
    TIED: "the annotations are tied; add a `label` that decides",
    AGAINST_RATERS: "the label is {label!r} but most annotations say {most!r};"
    " correct one of them, or leave `label` out",
}

OTHER = "other"
"""A rating that is neither hit nor pass."""

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


class Record(Struct, frozen=True, kw_only=True):
    """What a file has of one response, and where.

    Attributes
    ----------
    raw : dict
        Column -> value, as the file has it.
    where : str
        File and line or row, for messages.
    number : int
        Of the line or row, from 1.
    detector : str or None
        Whose the rows of the file are that do not say.
    name : str
        What tells the file from the others.
    folder : str or None
        What a ``file`` is relative to, and must really lie below; None for rows from
        elsewhere, which may name no files of this machine.
    """

    raw: dict[str, Any]
    where: str
    number: int
    detector: str | None = None
    name: str = ""
    folder: str | None = None


def detector_name(text: str) -> str:
    """``garak.detectors.dan.DAN`` and ``detectors.dan.DAN`` -> ``dan.DAN``."""
    return text.removeprefix("garak.").removeprefix("detectors.")


def read_row(
    form: RowForm, record: Record
) -> tuple[LabelledRow | str, Mapping[str, str]]:
    """One record as a row, or why it does not count; and what each rater said.

    A rater says ``hit``, ``pass``, or ``other`` for a label that is left out.

    Raises
    ------
    DatasetError
        A response is missing, a label is no known value, or a cell is of no use.
    """
    raw, where = record.raw, record.where
    ours = _in_our_columns(form, raw, where)
    names = form.columns.get("label", () if form.name else ("label",))
    labels = [spelling_of(raw[name]) for name in names if name in raw] or [""]
    cells = _cells(ours)
    ratings = _ratings(form, raw if form.raters else cells.get("annotations"), where)
    label = _label(form, labels, ratings, where)
    if label not in ("hit", "pass"):
        return label, ratings
    named = cells.get("detector") or record.detector
    if not named:
        raise DatasetError(
            f"{where}: no detector is named; add a `detector` column, name the file"
            " <module>.<Class>.jsonl, or name one detector with --detectors"
        )
    name = ours.get("id")
    if form.ids_per_file and name not in (None, ""):
        name = f"{record.name}/{name}"
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name) if name else None
    cells |= {
        "where": where,
        "detector": detector_name(named) if isinstance(named, str) else named,
        "label": label,
        "id": name or f"{record.name}-{record.number}",
    }
    if isinstance(cells.get("annotations", {}), dict):
        cells["annotations"] = {} if OTHER in ratings.values() else ratings
    if form.leaves_out:
        cells.setdefault("source", record.name)
    if form.basis is not None:
        cells["basis"] = form.basis
    return _row(cells, record.folder), ratings


def check_columns(form: RowForm, record: Record) -> None:
    """Tell a file of another form by its first record; each may lack its label.

    Raises
    ------
    DatasetError
        Columns of the form are missing; the message names those that there are.
    """
    if form.name and not form.fits((*record.raw, *form.columns.get("label", ()))):
        raise _mismatch(form, record.raw, record.where)


# columns


def _in_our_columns(form: RowForm, raw: dict[str, Any], where: str) -> dict[str, Any]:
    found = {
        ours: next((name for name in names if name in raw), None)
        for ours, names in form.columns.items()
    }
    if form.name and found["output"] is None:
        raise _mismatch(form, raw, where)
    if form.name:
        # others' columns may have our names and hold something else
        return {ours: _as_ours(ours, raw[name]) for ours, name in found.items() if name}
    for ours, name in found.items():
        # a label may be missing where rows without one are left out
        if name is None and not (ours == "label" and form.leaves_out):
            raise DatasetError(
                f"{where}: no column {form.columns[ours][0]!r}, which --columns"
                f" maps to `{ours}`; it has {listed(raw)}{fitting_advice(raw)}"
            )
    # all are read before any is written, so that two columns can be swapped
    record = raw | {ours: raw[name] for ours, name in found.items() if name}
    if "output" not in record and not record.get("file"):
        raise DatasetError(
            f"{where}: no `output`; give the response as a string, or null for"
            " none, or say which column it is with --columns output=...; it has"
            f" {listed(record)}{fitting_advice(record)}"
        )
    return record


def _mismatch(form: RowForm, raw: Mapping[str, Any], where: str) -> DatasetError:
    advice = fitting_advice(raw)
    if not advice and {"output", "label"} <= set(raw):
        advice = "; these are columns of our own, so leave --preset out"
    return DatasetError(
        f"{where}: not of the form {form.name}, which has the columns"
        f" {form.columns_text}; found {listed(raw)}{advice}"
    )


def listed(columns: Iterable[Any]) -> str:
    """Column names of a file as a message names them."""
    return shown(", ".join(map(str, columns)), 300) or "none"


def _as_ours(column: str, value: Any) -> Any:
    """A value so that nothing in it is taken for a syntax of ours."""
    if column == "prompt" and isinstance(value, str):
        # a text may be JSON itself, and is a text nevertheless
        return [{"role": "user", "content": value}]
    if column in ("slice", "lang") and not isinstance(value, str):
        return spelling_of(value)
    return value


# labels


def _ratings(form: RowForm, raw: Any, where: str) -> dict[str, str]:
    """What each rater said, in a column of theirs or in ``annotations``."""
    if not isinstance(raw, dict):
        return {}
    prefix = "" if form.raters else "annotations."
    spellings = {name: spelling_of(raw.get(name)) for name in form.raters or raw}
    said = {
        rater: _meaning(form, spelling, f"{prefix}{rater}", where)
        for rater, spelling in spellings.items()
        if spelling
    }
    return {rater: OTHER if each == "skip" else each for rater, each in said.items()}


def _label(
    form: RowForm, given: list[str], ratings: Mapping[str, str], where: str
) -> str:
    """``hit``, ``pass``, or why the row does not count.

    Parameters
    ----------
    given : list of str
        Of the column that has the label, and of those that may have it too.
    """
    counted = Counter(ratings.values()).most_common(2)
    is_tied = len(counted) == 2 and counted[0][1] == counted[1][1]
    most = None if is_tied or not counted else counted[0][0]
    label = _meaning(form, given[0], "label", where) if given[0] else most
    if label == "skip":
        found = f"labelled {given[0][:40]!r}"
    elif label is None:
        found = TIED if ratings else UNLABELLED
    elif label == OTHER:
        found = SKIPPED_BY_RATERS
    elif most not in (None, label):
        found = AGAINST_RATERS
    elif {form.meanings.get(each.lower(), label) for each in given[1:]} - {label}:
        found = TWO_LABELS
    else:
        return label
    if form.leaves_out:
        return found
    problem = _NO_ONE_LABEL[found].format(label=label, most=most)
    raise DatasetError(f"{where}: {problem}")


def _meaning(form: RowForm, spelling: str, column: str, where: str) -> Meaning:
    """What a value of a label means."""
    if spelling.lower() in form.meanings:
        return form.meanings[spelling.lower()]
    if form.threshold is None:
        expected = ", ".join(
            f"{value!r} ({'left out' if meaning == 'skip' else meaning})"
            for value, meaning in form.meanings.items()
            if meaning != value
        )
    else:
        expected = f"a number, a hit from {form.threshold:g} on"
        with suppress(ValueError):
            number = float(spelling)
            if math.isfinite(number):
                return "hit" if number >= form.threshold else "pass"
    advice = "other spellings can be mapped with --label-values hit=...,pass=..."
    names: tuple[str, ...] = ()
    if form.name:
        advice = f"{form.name} has no other values; correct this one"
        names = form.columns.get("label", ()) if column == "label" else ()
    expected = expected or '"hit" or "pass"'
    raise DatasetError(
        f"{where}: `{' or '.join(names) or column}` is {spelling[:40]!r}; expected"
        f" {expected}; {advice}"
    )


# cells


def _cells(record: Mapping[str, Any]) -> dict[str, Any]:
    """Our columns of a record, as JSON has them; a sheet's hold objects as text."""
    cells = {
        name: record[name]
        for name in COLUMNS
        if name in record and (name == "output" or record[name] not in (None, ""))
    }
    for name in {"annotations", "file", "notes", "prompt"}.intersection(cells):
        value = cells[name]
        if isinstance(value, str) and value[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                parsed = json.loads(value)
                if name != "prompt" or _is_conversation(parsed):
                    cells[name] = parsed
        # Parquet fills every key that any row has
        if name in ("annotations", "notes") and isinstance(cells[name], dict):
            cells[name] = {k: v for k, v in cells[name].items() if v is not None}
    return cells


def _is_conversation(value: Any) -> bool:
    turns = value.get("turns") if isinstance(value, dict) else value
    return isinstance(turns, list) and bool(turns) and isinstance(turns[0], dict)


def _row(cells: Mapping[str, Any], folder: str | None) -> LabelledRow:
    """Check the cells of a row and freeze them."""
    prompt = _turns(cells.get("prompt", ""))
    typed = {"output": None, **cells, "prompt": prompt, "file": _file(cells, folder)}
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
        member = re.split(r"[.\[]", place)[0]
        expected = _EXPECTED.get(member, "a string, or leave it out")
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
    turns = prompt.get("turns") if isinstance(prompt, dict) else prompt
    if isinstance(prompt, str):
        turns = [{"role": "user", "content": prompt}]
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
    given, where, output = cells.get("file"), cells["where"], cells.get("output")
    if isinstance(given, dict):
        name = given.get("name")
        if given.get("base64") is None:
            raise DatasetError(f"{where}: `file` is an object; expected {_FILE}")
        if name in ("", ".", "..") or set(str(name)) & set("/\\\0"):
            raise DatasetError(
                f"{where}: the file name {name!r} is a path; expected a bare name"
            )
    elif isinstance(given, str):
        if folder is None:
            raise DatasetError(
                f"{where}: the file {given[:60]!r} is named by a row that comes from"
                ' elsewhere; expected {"name": "x.pkl", "base64": "..."}'
            )
        return {"name": _path_below(folder, given, repr(given), where)}
    elif given is None and folder and output and isinstance(output, str):
        notes = cells.get("notes")
        if isinstance(notes, dict) and notes.get("format") == LOCAL_FILENAME:
            named = f"{output[:200]!r} in `output`"
            return {"name": _path_below(folder, output, named, where)}
    return given


def _path_below(folder: str, value: str, named: str, where: str) -> str:
    """The path of a file that a row may reach: one below the row's folder."""
    base = os.path.realpath(folder)
    path = os.path.abspath(os.path.join(base, value))
    real = ""
    with suppress(ValueError):  # a NUL
        real = os.path.realpath(path)
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
