# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How labelled data is read: records as others have them -> records in our columns.

Where rows may be left out nothing is guessed: a row without one clear label is, and
it is said why.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from garak_tbsa.detector_eval.formats import UTF_8
from garak_tbsa.detector_eval.labelled_row import Label
from garak_tbsa.detector_eval.preset import (
    Preset,
    find_preset,
    fitting_advice,
    listed,
)
from garak_tbsa.errors import DatasetError, UsageError

UNLABELLED = "without a label"
TWO_LABELS = "with two labels that differ"
TIED = "whose raters are tied"
AGAINST_RATERS = "whose label most raters contradict"
SKIPPED_BY_RATERS = "whose raters mostly gave a label that is left out"

OTHER = "other"
"""A rating that is neither hit nor pass."""

_WHOLE = re.compile(r"([+-]?\d+)\.0+")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How labelled data is read; all of it decides the rows.

    Attributes
    ----------
    columns : mapping
        Our column name -> the files', e.g. ``{"output": "response"}``.
    label_values : mapping
        Further spellings of the labels, e.g. ``{"1": "hit"}``.
    encoding : str
        Of CSV files.
    preset : str or None
        The published set whose form the files have.
    partial : "hit", "pass" or None
        What the set's partial labels count as; None leaves them out.
    skip_labels : tuple of str
        Labels whose rows are left out.
    label_threshold : float or None
        Labels are numbers, and a hit from this on.
    raters : tuple of str
        Columns with one label a rater.
    ids_per_file : bool
        Ids repeat in every file.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    label_values: Mapping[str, Label] = field(default_factory=dict)
    encoding: str = UTF_8
    preset: str | None = None
    partial: Label | None = None
    skip_labels: tuple[str, ...] = ()
    label_threshold: float | None = None
    raters: tuple[str, ...] = ()
    ids_per_file: bool = False

    def form(self) -> RowForm | None:
        """How rows are read of which some may be left out; None where none may.

        Raises
        ------
        UsageError
            There is no such preset, or options do not go with it.
        """
        skipped = tuple(label.lower() for label in self.skip_labels)
        if self.preset is not None:
            return self._preset_form(find_preset(self.preset), skipped)
        if self.partial is not None:
            raise UsageError(
                f"--partial {self.partial}: goes with a --preset that has partial"
                " labels, e.g. xstest"
            )
        threshold = self.label_threshold
        if threshold is None and not (skipped or self.raters or self.ids_per_file):
            return None
        return RowForm(
            label_values={
                value.lower(): label for value, label in self.label_values.items()
            },
            skipped=skipped,
            threshold=threshold,
            raters=self.raters,
            ids_per_file=self.ids_per_file,
        )

    def _preset_form(self, preset: Preset, skipped: tuple[str, ...]) -> RowForm:
        for option, value in (
            ("--columns", self.columns),
            ("--label-values", self.label_values),
            ("--raters", self.raters),
            ("--ids-per-file", self.ids_per_file),
        ):
            if value:
                raise UsageError(
                    f"{option}: --preset {preset.name} says it already; leave one out"
                )
        partial = preset.values("partial")
        if self.partial is not None and not partial:
            raise UsageError(
                f"--partial {self.partial}: --preset {preset.name} has no partial"
                " labels; leave it out"
            )
        threshold = self.label_threshold
        if threshold is not None and preset.threshold is None:
            raise UsageError(
                f"--label-threshold {threshold:g}: the labels of --preset"
                f" {preset.name} are no numbers; leave it out"
            )
        values: dict[str, Label] = dict.fromkeys(preset.values("hit"), "hit")
        values |= dict.fromkeys(preset.values("pass"), "pass")
        if self.partial is not None:
            values |= dict.fromkeys(partial, self.partial)
        return RowForm(
            preset=preset,
            label_values=values,
            skipped=(
                *preset.values("skip"),
                *skipped,
                *(() if self.partial else partial),
            ),
            threshold=preset.threshold if threshold is None else threshold,
            raters=preset.raters,
            ids_per_file=preset.ids_per_file,
        )


def renamed(
    record: dict[str, Any], columns: Mapping[str, str], where: str
) -> dict[str, Any]:
    """The record with our names of columns.

    Raises
    ------
    DatasetError
        It lacks a column that is mapped to one of ours.
    """
    for ours, theirs in columns.items():
        if theirs not in record:
            raise DatasetError(
                f"{where}: no column {theirs!r}, which --columns maps to `{ours}`;"
                f" it has {listed(record)}{fitting_advice(record)}"
            )
    # all are read before any is written, so that two columns can be swapped
    return record | {ours: record[theirs] for ours, theirs in columns.items()}


@dataclass(frozen=True, kw_only=True)
class FormedRow:
    """A record in our columns, its label ``hit`` or ``pass``, or why it is left out.

    Attributes
    ----------
    ratings : mapping of rater to rating
        ``hit``, ``pass``, or ``other`` for one that the set knows and leaves out.
    """

    record: dict[str, Any] = field(default_factory=dict)
    ratings: Mapping[str, str] = field(default_factory=dict)
    left_out: str | None = None


@dataclass(frozen=True, kw_only=True)
class RowForm:
    """How labels are read where a row may be left out.

    Attributes
    ----------
    preset : Preset or None
        The published set; without it columns have our names.
    label_values : mapping
        Value in lower case -> label.
    skipped : tuple of str
        Values in lower case whose rows are left out.
    threshold : float or None
        Numbers of this or more are hits, lower ones passes.
    raters : tuple of str
        Columns with one label a rater.
    ids_per_file : bool
        Ids repeat in every file, so that the file's name becomes part of them.
    """

    label_values: dict[str, Label]
    skipped: tuple[str, ...]
    preset: Preset | None = None
    threshold: float | None = None
    raters: tuple[str, ...] = ()
    ids_per_file: bool = False

    def check_columns(
        self, raw: Mapping[str, Any], where: str, *, may_lack_label: bool
    ) -> None:
        """Tell a file of another form by its first record.

        Parameters
        ----------
        may_lack_label : bool
            Records need not all have the same keys, as in JSON.

        Raises
        ------
        DatasetError
            Columns of the form are missing; the message names those that there are.
        """
        if self.preset is not None:
            labels = self.preset.columns.get("label", ()) if may_lack_label else ()
            if not self.preset.fits((*raw, *labels)):
                raise self._mismatch(self.preset, raw, where)
            return
        for rater in self.raters:
            if rater not in raw:
                raise DatasetError(
                    f"{where}: no column {rater[:60]!r}, which --raters names; it has"
                    f" {listed(raw)}"
                )

    def read(self, raw: dict[str, Any], *, where: str, file_name: str) -> FormedRow:
        """One record in our columns, or why it does not count.

        Parameters
        ----------
        where : str
            File and line or row, for messages.
        file_name : str
            Becomes part of the id where ids repeat in every file.

        Raises
        ------
        DatasetError
            A response is missing, or a label is no known value.
        """
        record = self._in_our_columns(raw, where)
        if self.ids_per_file and record.get("id") not in (None, ""):
            record["id"] = f"{file_name}/{record['id']}"
        record.setdefault("source", file_name)
        if self.preset is not None and self.preset.basis is not None:
            record["basis"] = self.preset.basis
        ratings = self._ratings(raw, where)
        label = self._label(record.pop("label", None), ratings, where)
        if self._has_another_label(raw, label):
            label = TWO_LABELS
        if label not in ("hit", "pass"):
            return FormedRow(left_out=label, ratings=ratings)
        record["label"] = label
        if ratings and set(ratings.values()) <= {"hit", "pass"}:
            record["annotations"] = dict(ratings)
        return FormedRow(record=record, ratings=ratings)

    def _in_our_columns(self, raw: dict[str, Any], where: str) -> dict[str, Any]:
        if self.preset is None:
            return dict(raw)
        # others' columns may have our names and hold something else
        record: dict[str, Any] = {}
        for ours, names in self.preset.columns.items():
            found = next((name for name in names if name in raw), None)
            if found is not None:
                record[ours] = _as_ours(ours, raw[found])
            elif ours == "output":
                raise self._mismatch(self.preset, raw, where)
        return record

    def _mismatch(
        self, preset: Preset, raw: Mapping[str, Any], where: str
    ) -> DatasetError:
        advice = fitting_advice(raw)
        if not advice and {"output", "label"} <= set(raw):
            advice = "; these are columns of our own, so leave --preset out"
        return DatasetError(
            f"{where}: not of the form {preset.name}, which has the columns"
            f" {preset.form}; found {listed(raw)}{advice}"
        )

    def _ratings(self, raw: Mapping[str, Any], where: str) -> dict[str, str]:
        spellings = {rater: spelling_of(raw.get(rater)) for rater in self.raters}
        return {
            rater: self._meaning(spelling, rater, where) or OTHER
            for rater, spelling in spellings.items()
            if spelling
        }

    def _label(self, raw: Any, ratings: Mapping[str, str], where: str) -> str:
        """``hit``, ``pass``, or why the row does not count."""
        spelling, most = spelling_of(raw), _majority(ratings)
        if not spelling:
            if not ratings:
                return UNLABELLED
            if most is None:
                return TIED
            return SKIPPED_BY_RATERS if most == OTHER else most
        label = self._meaning(spelling, "label", where)
        if label is None:
            return f"labelled {spelling[:40]!r}"
        return label if most in (None, label) else AGAINST_RATERS

    def _has_another_label(self, raw: Mapping[str, Any], label: str) -> bool:
        """Whether a column that may be the label too has the other one."""
        names = () if self.preset is None else self.preset.columns.get("label", ())
        spellings = (spelling_of(raw.get(name)).lower() for name in names)
        others = {self.label_values.get(spelling, label) for spelling in spellings}
        return label in ("hit", "pass") and not others <= {label}

    def _meaning(self, spelling: str, column: str, where: str) -> Label | None:
        """The label that a value means; None for one whose rows are left out."""
        lowered = spelling.lower()
        if lowered in self.skipped:
            return None
        if lowered in self.label_values:
            return self.label_values[lowered]
        if self.threshold is not None:
            number = _number(spelling)
            if number is not None:
                return "hit" if number >= self.threshold else "pass"
            expected = f"a number, a hit from {self.threshold:g} on"
        elif self.preset is None and lowered in ("hit", "pass"):
            return "hit" if lowered == "hit" else "pass"
        else:
            values = {**self.label_values, **dict.fromkeys(self.skipped, "left out")}
            known = (f"{value!r} ({label})" for value, label in values.items())
            expected = ", ".join(known) or '"hit" or "pass"'
        names = () if self.preset is None else self.preset.columns.get("label", ())
        named = " or ".join(names) if names and column == "label" else column
        raise DatasetError(
            f"{where}: `{named}` is {spelling[:40]!r}; expected {expected};"
            " --skip-label VALUE leaves out rows with it"
        )


def spelling_of(raw: Any) -> str:
    """A label as text, the same for ``1``, ``1.0`` and ``"1.0"``; empty for none."""
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        return ""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    text = str(raw).strip()
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else whole[1]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


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
