# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sets of labelled responses that others published: what each looks like.

One file of ``presets/`` describes one set. It holds no row of the set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.safe_text import shown

FOLDER = Path(__file__).parent / "presets"

OurColumn = Literal["id", "prompt", "output", "label", "slice", "lang", "source"]
Meaning = Literal["hit", "pass", "partial", "skip"]
Names = tuple[str, ...]

MODEL = "{model}"
"""Takes the place of a model's name where a set has columns for several models."""


class Preset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one published set is read, and what it can tell.

    Attributes
    ----------
    name, title, licence, source : str
        As it is asked for, as its authors call it, on which terms, from where.
    hub : str or None
        Its address on the Hugging Face Hub, as ``--data`` takes it.
    columns : mapping
        Our column name -> the set's names for it, the first that a file has counts.
    optional : tuple of str
        Which of ours a file may lack.
    labels : mapping
        What a label means -> the set's values, in lower case.
    threshold : float or None
        Labels are numbers, and a hit from this on.
    raters : tuple of str
        Columns with one label a rater. Without a label column the majority counts.
    ids_per_file : bool
        Ids repeat in every file, so that the file's name becomes part of them.
    models : tuple of str
        Each row has the responses of all of these, in columns such as
        ``{model}_response``; empty where a row has one response.
    basis : "real" or None
        Whether every response is a model's; None where some may not be.
    detectors : tuple of str
        Whose failure mode the labels are about.
    caveat : str
        What the labels do not say.
    """

    name: str
    title: str
    licence: str
    source: str
    caveat: str
    columns: dict[OurColumn, Names]
    detectors: Names
    hub: str | None = None
    optional: Names = ()
    labels: dict[Meaning, Names] = {}
    threshold: float | None = None
    raters: Names = ()
    ids_per_file: bool = False
    models: Names = ()
    basis: Literal["real"] | None = None

    @property
    def required(self) -> tuple[Names, ...]:
        """The columns that a file must have, each with its other names."""
        of_ours = (
            names for ours, names in self.columns.items() if ours not in self.optional
        )
        return (*of_ours, *((rater,) for rater in self.raters))

    @property
    def form(self) -> str:
        """The columns as a message names them: ``context, response, safety``."""
        return ", ".join(" or ".join(names) for names in self.required)

    def values(self, meaning: Meaning) -> Names:
        """The set's values with this meaning."""
        return self.labels.get(meaning, ())

    def fits(self, columns: Iterable[str]) -> bool:
        """Whether a file with these columns has the set's form."""
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


@lru_cache(maxsize=1)
def presets() -> Mapping[str, Preset]:
    """Every preset by its name, sorted.

    Raises
    ------
    DatasetError
        A file is damaged.
    """
    found = map(_read, FOLDER.glob("*.json"))
    return {each.name: each for each in sorted(found, key=_name_of)}


def _read(path: Path) -> Preset:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Preset)
    except msgspec.DecodeError as error:
        raise DatasetError(f"{path}: {error}; reinstall garak-tbsa") from None


def _name_of(preset: Preset) -> str:
    return preset.name


def find_preset(name: str) -> Preset:
    """The preset of this name.

    Raises
    ------
    UsageError
        There is none; the message lists them.
    """
    known = presets()
    if name in known:
        return known[name]
    raise UsageError(
        f"--preset {name[:60]!r}: no preset of this name; expected one of"
        f" {', '.join(known)}"
    )


def fitting_advice(columns: Iterable[str]) -> str:
    """Which presets read a file with these columns; empty, or continues a message."""
    present = tuple(columns)
    names = [name for name, preset in presets().items() if preset.fits(present)]
    if not names:
        return ""
    return f"; --preset {' or '.join(names)} reads files of this form"


def listed(columns: Iterable[Any]) -> str:
    """Column names of a file as a message names them."""
    return shown(", ".join(map(str, columns)), 300) or "none"
