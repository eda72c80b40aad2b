# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Sets of labelled responses that others published: what each looks like.

One file of ``presets/`` describes one set. It holds no row of the set.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.safe_text import shown

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "presets")

OUR_COLUMNS = ("id", "prompt", "output", "label", "slice", "lang", "source")
MODEL = "{model}"
"""Takes the place of a model's name where a set has columns for several models."""

_TEXTS = ("name", "title", "licence", "source", "caveat")
_LABELS = ("hit", "pass", "partial", "skip")
_KEYS = (*_TEXTS, "hub", "columns", "optional", "labels", "threshold", "raters")
_KNOWN = frozenset((*_KEYS, "ids_per_file", "models", "detectors"))


@dataclass(frozen=True, kw_only=True)
class Preset:
    """How one published set is read, and what it can tell.

    Attributes
    ----------
    name, title, licence, source : str
        As it is asked for, as its authors call it, on which terms, from where.
    hub : str or None
        Its address on the Hugging Face Hub, as ``--data`` takes it.
    columns : mapping
        Our column name -> the set's names for it, the first that a file has counts.
    optional : frozenset of str
        Which of ours a file may lack.
    labels : mapping
        ``hit``, ``pass``, ``partial``, ``skip`` -> the set's values, in lower case.
    threshold : float or None
        Labels are numbers, and a hit from this on.
    raters : tuple of str
        Columns with one label a rater. Without a label column the majority counts.
    ids_per_file : bool
        Ids repeat in every file, so that the file's name becomes part of them.
    models : tuple of str
        Each row has the responses of all of these, in columns such as
        ``{model}_response``; empty where a row has one response.
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
    columns: Mapping[str, tuple[str, ...]]
    detectors: tuple[str, ...]
    hub: str | None = None
    optional: frozenset[str] = frozenset()
    labels: Mapping[str, tuple[str, ...]]
    threshold: float | None = None
    raters: tuple[str, ...] = ()
    ids_per_file: bool = False
    models: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[tuple[str, ...], ...]:
        """The columns that a file must have, each with its other names."""
        of_ours = (
            names for ours, names in self.columns.items() if ours not in self.optional
        )
        return (*of_ours, *((rater,) for rater in self.raters))

    @property
    def form(self) -> str:
        """The columns as a message names them: ``context, response, safety``."""
        return ", ".join(" or ".join(names) for names in self.required)

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
                yield {
                    **raw,
                    **part,
                    MODEL: model,
                    id_column: f"{raw.get(id_column)}/{model}",
                }
        if not found:
            yield raw


@lru_cache(maxsize=1)
def presets() -> Mapping[str, Preset]:
    """Every preset by its name, sorted.

    Raises
    ------
    DatasetError
        A file is missing or damaged.
    """
    try:
        files = sorted(name for name in os.listdir(FOLDER) if name.endswith(".json"))
    except OSError:
        files = []
    found = [read_preset(os.path.join(FOLDER, file)) for file in files]
    return {each.name: each for each in sorted(found, key=_name_of)}


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


def read_preset(path: str) -> Preset:
    """Parse and check one preset.

    Raises
    ------
    DatasetError
        It cannot be read, or a field is missing, unknown or of the wrong type.
    """
    try:
        with open(path, encoding="utf-8") as handle:
            raw = json.load(handle)
    except (OSError, ValueError):
        raw = None
    if not isinstance(raw, dict):
        raise DatasetError(
            f"{path}: expected one JSON object that describes a published set"
        )
    return _Parser(raw, path).preset()


class _Parser:
    """Typed access to one description; every error names the file and the field."""

    def __init__(self, raw: Mapping[str, Any], path: str) -> None:
        self.raw = raw
        self.path = path

    def preset(self) -> Preset:
        unknown = sorted(set(self.raw) - _KNOWN)
        if unknown:
            raise self.error(unknown[0], f"one of {', '.join(sorted(_KNOWN))}")
        columns = self.columns()
        raters = self.texts("raters")
        if "output" not in columns:
            raise self.error("columns", "`output` among them")
        if "label" not in columns and not raters:
            raise self.error("columns", "`label` among them, or `raters`")
        labels = self.labels()
        if self.texts("models") and len(columns.get("id", ())) != 1:
            raise self.error("columns", "one `id` among them, to tell models apart")
        threshold = self.number("threshold")
        if threshold is None and not (labels["hit"] and labels["pass"]):
            raise self.error("labels", "values for `hit` and `pass`, or a `threshold`")
        return Preset(
            **{name: self.text(name) for name in _TEXTS},
            hub=None if self.raw.get("hub") is None else self.text("hub"),
            columns=columns,
            optional=frozenset(self.texts("optional")),
            labels=labels,
            threshold=threshold,
            raters=raters,
            ids_per_file=self.flag("ids_per_file"),
            models=self.texts("models"),
            detectors=self.texts("detectors"),
        )

    def error(self, name: str, expected: str) -> DatasetError:
        return DatasetError(f"{self.path}: `{name}`: expected {expected}")

    def text(self, name: str) -> str:
        value = self.raw.get(name)
        if isinstance(value, str) and value:
            return value
        raise self.error(name, "a text")

    def texts(self, name: str) -> tuple[str, ...]:
        return self.text_list(name, self.raw.get(name, []))

    def text_list(self, name: str, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            return (value,)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        raise self.error(name, "a text or a list of texts")

    def flag(self, name: str) -> bool:
        value = self.raw.get(name, False)
        if isinstance(value, bool):
            return value
        raise self.error(name, "true or false")

    def number(self, name: str) -> float | None:
        value = self.raw.get(name)
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        raise self.error(name, "a number")

    def columns(self) -> dict[str, tuple[str, ...]]:
        return {
            ours: self.text_list("columns", theirs)
            for ours, theirs in self.object("columns", OUR_COLUMNS).items()
        }

    def labels(self) -> dict[str, tuple[str, ...]]:
        given = self.object("labels", _LABELS)
        return {
            kind: tuple(
                value.lower() for value in self.text_list("labels", given.get(kind, []))
            )
            for kind in _LABELS
        }

    def object(self, name: str, keys: Sequence[str]) -> Mapping[str, Any]:
        value = self.raw.get(name, {})
        if isinstance(value, dict) and set(value) <= set(keys):
            return value
        raise self.error(name, f"an object with keys of {', '.join(keys)}")
