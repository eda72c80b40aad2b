# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The form that labelled data has: what a user says of it, or a published set's.

One file of ``presets/`` describes a set of labelled responses that others published.
It holds no row of the set.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from garak_tbsa.errors import DatasetError, UsageError

FOLDER = Path(__file__).parent / "presets"

Meaning = Literal["hit", "pass", "skip"]
"""What a value of the label means; rows with a value to skip are left out."""

Names = tuple[str, ...]

MODEL = "{model}"
"""Takes the place of a model's name where a set has columns for several models."""

_WHOLE = re.compile(r"([+-]?\d+)\.0+")


class RowForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """The form of records; of a published set, what it can tell.

    Attributes
    ----------
    name, title, licence, source : str
        As a published set is asked for, as its authors call it, on which terms, from
        where. Data that is not published has no name.
    columns : mapping
        Our column name -> the data's names for it, the first that a file has counts.
    optional : tuple of str
        Which of ours a file may lack.
    labels : mapping
        What a label means -> the data's values, in lower case.
    threshold : float or None
        Labels are numbers, and a hit from this on.
    raters : tuple of str
        Columns with one label a rater. Without a label column the majority counts.
    ids_per_file : bool
        Ids repeat in every file, so that the file's name becomes part of them.
    models : tuple of str
        Each row has the responses of all of these, in columns such as
        ``{model}_response``; empty where a row has one response.
    json_files : bool
        Files are ``.json``: one object, or lists of objects by group.
    basis : "real" or None
        Whether every response is a model's; None where some may not be.
    detectors : tuple of str
        Whose failure mode the labels are about.
    caveat : str
        What the labels do not say.
    """

    name: str = ""
    title: str = ""
    licence: str = ""
    source: str = ""
    caveat: str = ""
    columns: dict[str, Names] = {}
    detectors: Names = ()
    optional: Names = ()
    labels: dict[Meaning, Names] = {}
    threshold: float | None = None
    raters: Names = ()
    ids_per_file: bool = False
    models: Names = ()
    json_files: bool = False
    basis: Literal["real"] | None = None

    @property
    def leaves_out(self) -> bool:
        """Whether rows without one clear label are left out, or are errors."""
        return bool(self.name) or "skip" in self.labels

    @cached_property
    def required(self) -> tuple[Names, ...]:
        """The columns that a file must have, each with its other names."""
        ours = (
            names for ours, names in self.columns.items() if ours not in self.optional
        )
        return (*ours, *((rater,) for rater in self.raters))

    @property
    def columns_text(self) -> str:
        """The columns as a message names them: ``context, response, safety``."""
        return ", ".join(" or ".join(names) for names in self.required)

    @cached_property
    def meanings(self) -> dict[str, Meaning]:
        """The data's values -> what they mean."""
        own: dict[str, Meaning] = {} if self.name else {"hit": "hit", "pass": "pass"}
        given = {
            value: meaning
            for meaning, values in self.labels.items()
            for value in values
        }
        return own | given

    def fits(self, columns: Iterable[str]) -> bool:
        """Whether a file with these columns has the form."""
        present = set(columns)
        return any(
            all(
                present.intersection(name.replace(MODEL, model) for name in names)
                for names in self.required
            )
            for model in self.models or (MODEL,)
        )

    def responses(self, raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The record, or one for each model whose response it has."""
        if not self.models:
            yield raw
            return
        names = {name for names in self.columns.values() for name in names}
        found = False
        for model in self.models:
            its = {name: name.replace(MODEL, model) for name in names if MODEL in name}
            part = {name: raw[column] for name, column in its.items() if column in raw}
            if part:
                found = True
                (id_column,) = self.columns["id"]
                named = {MODEL: model, id_column: f"{raw.get(id_column)}/{model}"}
                yield raw | part | named
        if not found:
            yield raw


def row_form(
    *,
    columns: Mapping[str, str] | None = None,
    label_values: Mapping[str, Meaning] | None = None,
    preset: str | None = None,
) -> RowForm:
    """Return the form that labelled data has, by what a user says of it.

    Parameters
    ----------
    columns : mapping, optional
        Our column name -> the files', e.g. ``{"output": "response"}``.
    label_values : mapping, optional
        Further spellings of the labels, e.g. ``{"1": "hit", "?": "skip"}``.
    preset : str, optional
        The published set whose form the files have.

    Raises
    ------
    UsageError
        There is no such preset, or the others are given beside it.
    """
    if preset is not None:
        given = {"--columns": columns, "--label-values": label_values}
        if beside := [option for option, value in given.items() if value]:
            raise UsageError(
                f"{beside[0]}: --preset {preset} says it already; leave one out"
            )
        return find_preset(preset)
    labels: dict[Meaning, Names] = {}
    for value, meaning in (label_values or {}).items():
        labels[meaning] = (*labels.get(meaning, ()), spelling_of(value).lower())
    named: dict[str, Names] = {
        ours: (theirs,) for ours, theirs in (columns or {}).items()
    }
    return RowForm(columns=named, labels=labels)


@lru_cache(maxsize=1)
def presets() -> Mapping[str, RowForm]:
    """The form of every published set by its name, sorted.

    Raises
    ------
    DatasetError
        A file is damaged.
    """
    found = {}
    for path in sorted(FOLDER.glob("*.json"), key=lambda each: each.stem):
        try:
            found[path.stem] = msgspec.json.decode(path.read_bytes(), type=RowForm)
        except msgspec.DecodeError as error:
            raise DatasetError(f"{path}: {error}; reinstall garak-tbsa") from None
    return found


def find_preset(name: str) -> RowForm:
    """The preset of this name.

    Raises
    ------
    UsageError
        There is none; the message lists them.
    """
    if name not in presets():
        raise UsageError(
            f"--preset {name[:60]!r}: no preset of this name; expected one of"
            f" {', '.join(presets())}"
        )
    return presets()[name]


def fitting_advice(columns: Iterable[str]) -> str:
    """Which presets read a file with these columns; empty, or continues a message."""
    present = tuple(columns)
    names = [name for name, preset in presets().items() if preset.fits(present)]
    return f"; --preset {' or '.join(names)} reads files of this form" if names else ""


def spelling_of(raw: Any) -> str:
    """A label as text, the same for ``1``, ``1.0`` and ``"1.0"``; empty for none."""
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        return ""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    text = str(raw).strip()
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else whole[1]
