# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How labelled data is read: a record -> a row, or why it is left out.

One file of ``presets/`` describes a set of labelled responses that others published.
It holds no row of the set. What the user says of other data is a description too.

Nothing is guessed: a row without one clear label is left out, or is an error where
nobody said that rows may be left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from garak_tbsa.detector_eval.labelled_row import (
    Label,
    LabelledRow,
    cells_of,
    detector_name,
    row_of,
)
from garak_tbsa.detector_eval.sources import UTF_8, LabelledSource
from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.safe_text import shown

FOLDER = Path(__file__).parent / "presets"

Meaning = Literal["hit", "pass", "partial", "skip"]
Names = tuple[str, ...]

MODEL = "{model}"
"""Takes the place of a model's name where a set has columns for several models."""

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

_WHOLE = re.compile(r"([+-]?\d+)\.0+")


class RowForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """How records of one form are read; of a published set, what it can tell.

    Attributes
    ----------
    name, title, licence, source : str
        As a published set is asked for, as its authors call it, on which terms, from
        where. Data that is not published has no name.
    hub : str or None
        Its address on the Hugging Face Hub, as ``--data`` takes it.
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
    basis : "real" or None
        Whether every response is a model's; None where some may not be.
    detectors : tuple of str
        Whose failure mode the labels are about.
    caveat : str
        What the labels do not say.
    encoding : str
        Of CSV files.
    leaves_out : bool
        Whether rows without one clear label are left out, or are errors.
    """

    name: str = ""
    title: str = ""
    licence: str = ""
    source: str = ""
    caveat: str = ""
    columns: dict[str, Names] = {}
    detectors: Names = ()
    hub: str | None = None
    optional: Names = ()
    labels: dict[Meaning, Names] = {}
    threshold: float | None = None
    raters: Names = ()
    ids_per_file: bool = False
    models: Names = ()
    basis: Literal["real"] | None = None
    encoding: str = UTF_8
    leaves_out: bool = True

    @cached_property
    def required(self) -> tuple[Names, ...]:
        """The columns that a file must have, each with its other names."""
        of_ours = (
            names for ours, names in self.columns.items() if ours not in self.optional
        )
        return (*of_ours, *((rater,) for rater in self.raters))

    @property
    def columns_text(self) -> str:
        """The columns as a message names them: ``context, response, safety``."""
        return ", ".join(" or ".join(names) for names in self.required)

    @cached_property
    def meanings(self) -> dict[str, Label | None]:
        """The data's values -> the label they mean; None for those left out."""
        values: dict[str, Label | None] = {}
        if not self.name:
            values = {"hit": "hit", "pass": "pass"}
        values |= dict.fromkeys(self.labels.get("hit", ()), "hit")
        values |= dict.fromkeys(self.labels.get("pass", ()), "pass")
        left_out = (*self.labels.get("partial", ()), *self.labels.get("skip", ()))
        return values | dict.fromkeys(left_out)

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

    def check_columns(self, raw: Mapping[str, Any], where: str) -> None:
        """Tell a file of another form by its first record; each may lack its label.

        Raises
        ------
        DatasetError
            Columns of the form are missing; the message names those that there are.
        """
        if self.name and not self.fits((*raw, *self.columns.get("label", ()))):
            raise self._mismatch(raw, where)
        for rater in self.raters:
            if rater not in raw:
                raise DatasetError(
                    f"{where}: no column {rater[:60]!r}, which --raters names; it has"
                    f" {listed(raw)}"
                )

    def read(
        self, raw: dict[str, Any], source: LabelledSource, number: int
    ) -> tuple[LabelledRow | str, Mapping[str, str]]:
        """One record as a row, or why it does not count; and what each rater said.

        A rater says ``hit``, ``pass``, or ``other`` for a label that is left out.

        Raises
        ------
        DatasetError
            A response is missing, a label is no known value, or a cell is of no use.
        """
        where = source.where(number)
        record = self._in_our_columns(raw, where)
        names = self.columns.get("label", () if self.name else ("label",))
        labels = [spelling_of(raw[name]) for name in names if name in raw] or [""]
        cells = cells_of(record)
        ratings = self._ratings(raw if self.raters else cells.get("annotations"), where)
        label = self._label(labels, ratings, where)
        if label not in ("hit", "pass"):
            return label, ratings
        named = cells.get("detector") or source.detector
        if not named:
            raise DatasetError(
                f"{where}: no detector is named; add a `detector` column, name the file"
                " <module>.<Class>.jsonl, or name one detector with --detectors"
            )
        name = record.get("id")
        if self.ids_per_file and name not in (None, ""):
            name = f"{source.name}/{name}"
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name) if name else None
        cells |= {
            "where": where,
            "detector": detector_name(named) if isinstance(named, str) else named,
            "label": label,
            "id": name or f"{source.name}-{number}",
        }
        if isinstance(cells.get("annotations", {}), dict):
            is_clear = OTHER not in ratings.values()
            cells["annotations"] = ratings if is_clear else {}
        if self.leaves_out:
            cells.setdefault("source", source.name)
        if self.basis is not None:
            cells["basis"] = self.basis
        return row_of(cells, source.folder), ratings

    def _in_our_columns(self, raw: dict[str, Any], where: str) -> dict[str, Any]:
        found = {
            ours: next((name for name in names if name in raw), None)
            for ours, names in self.columns.items()
        }
        if self.name:
            if found["output"] is None:
                raise self._mismatch(raw, where)
            # others' columns may have our names and hold something else
            return {
                ours: _as_ours(ours, raw[name])
                for ours, name in found.items()
                if name is not None
            }
        for ours, name in found.items():
            if name is None:
                raise DatasetError(
                    f"{where}: no column {self.columns[ours][0]!r}, which --columns"
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

    def _mismatch(self, raw: Mapping[str, Any], where: str) -> DatasetError:
        advice = fitting_advice(raw)
        if not advice and {"output", "label"} <= set(raw):
            advice = "; these are columns of our own, so leave --preset out"
        return DatasetError(
            f"{where}: not of the form {self.name}, which has the columns"
            f" {self.columns_text}; found {listed(raw)}{advice}"
        )

    def _ratings(self, raw: Any, where: str) -> dict[str, str]:
        """What each rater said, in a column of theirs or in ``annotations``."""
        if not isinstance(raw, dict):
            return {}
        prefix = "" if self.raters else "annotations."
        spellings = {name: spelling_of(raw.get(name)) for name in self.raters or raw}
        return {
            rater: self._meaning(spelling, f"{prefix}{rater}", where) or OTHER
            for rater, spelling in spellings.items()
            if spelling
        }

    def _label(self, given: list[str], ratings: Mapping[str, str], where: str) -> str:
        """``hit``, ``pass``, or why the row does not count.

        Parameters
        ----------
        given : list of str
            Of the column that has the label, and of those that may have it too.
        """
        most = _majority(ratings)
        first = given[0]
        label: str | None = most
        if first:
            label = self._meaning(first, "label", where)
        if first and label is None:
            found = f"labelled {first[:40]!r}"
        elif label is None:
            found = TIED if ratings else UNLABELLED
        elif label == OTHER:
            found = SKIPPED_BY_RATERS
        elif most not in (None, label):
            found = AGAINST_RATERS
        elif {self.meanings.get(each.lower(), label) for each in given[1:]} - {label}:
            found = TWO_LABELS
        else:
            return label
        if self.leaves_out:
            return found
        problem = _NO_ONE_LABEL[found].format(label=label, most=most)
        raise DatasetError(f"{where}: {problem}")

    def _meaning(self, spelling: str, column: str, where: str) -> Label | None:
        """The label that a value means; None for one whose rows are left out."""
        lowered = spelling.lower()
        if lowered in self.meanings:
            return self.meanings[lowered]
        if self.threshold is not None:
            with suppress(ValueError):
                number = float(spelling)
                if math.isfinite(number):
                    return "hit" if number >= self.threshold else "pass"
        known = [
            f"{value!r} ({label or 'left out'})"
            for value, label in self.meanings.items()
            if label != value
        ]
        expected = ", ".join(known) or '"hit" or "pass"'
        if self.threshold is not None:
            expected = f"a number, a hit from {self.threshold:g} on"
        advice = "--skip-label VALUE leaves out rows with it"
        if not self.leaves_out:
            advice = (
                "other spellings can be mapped with --label-values hit=...,pass=..."
            )
        names = self.columns.get("label", ()) if self.name and column == "label" else ()
        raise DatasetError(
            f"{where}: `{' or '.join(names) or column}` is {spelling[:40]!r}; expected"
            f" {expected}; {advice}"
        )


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


def spelling_of(raw: Any) -> str:
    """A label as text, the same for ``1``, ``1.0`` and ``"1.0"``; empty for none."""
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        return ""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    text = str(raw).strip()
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else whole[1]


def _as_ours(column: str, value: Any) -> Any:
    """A value so that nothing in it is taken for a syntax of ours."""
    if column == "prompt" and isinstance(value, str):
        # a text may be JSON itself, and is a text nevertheless
        return {"turns": [{"role": "user", "content": {"text": value}}]}
    if column in ("slice", "lang") and not isinstance(value, str):
        return spelling_of(value)
    return value


def _majority(ratings: Mapping[str, str]) -> str | None:
    """The rating that more raters gave than any other; None without one."""
    counted = Counter(ratings.values()).most_common(2)
    if not counted or (len(counted) == 2 and counted[0][1] == counted[1][1]):
        return None
    return counted[0][0]
