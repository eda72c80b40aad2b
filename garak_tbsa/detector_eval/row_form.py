# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Records as others published them -> records in our columns, or left out and why.

Nothing is guessed: a row without one clear label is left out, with its place.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from garak_tbsa.detector_eval.labelled_row import Label
from garak_tbsa.detector_eval.preset import Preset, fitting_advice, listed
from garak_tbsa.errors import DatasetError, UsageError

Partial = Literal["hit", "pass"]

UNLABELLED = "without a label"
TWO_LABELS = "with two labels that differ"
TIED = "whose raters are tied"
AGAINST_RATERS = "whose label most raters contradict"

SKIPPED_BY_RATERS = "whose raters mostly gave a label that is left out"

OTHER = "other"
"""A rating that is neither hit nor pass."""

_WHOLE = re.compile(r"([+-]?\d+)\.0+")


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A row that does not count: why, and the file and row."""

    reason: str
    where: str


@dataclass(frozen=True, kw_only=True)
class FormedRow:
    """A record in our columns, its label ``hit`` or ``pass``, or why it is left out.

    Attributes
    ----------
    ratings : mapping of rater to rating
        ``hit``, ``pass``, or ``other`` for one that the set knows and leaves out.
    """

    record: Mapping[str, Any] = field(default_factory=dict)
    ratings: Mapping[str, str] = field(default_factory=dict)
    left_out: LeftOut | None = None


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

    preset: Preset | None = None
    label_values: dict[str, Label] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    threshold: float | None = None
    raters: tuple[str, ...] = ()
    ids_per_file: bool = False

    def responses(
        self, records: Iterator[tuple[int, dict[str, Any]]]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each record with its number, once for each response in it."""
        for number, raw in records:
            if self.preset is None:
                yield number, raw
            else:
                for response in self.preset.responses(raw):
                    yield number, response

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

    def read(self, raw: Mapping[str, Any], *, where: str, file_name: str) -> FormedRow:
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
        ratings = self._ratings(raw, where)
        label = self._label(record.pop("label", None), ratings, where)
        if self._has_another_label(raw, label):
            label = TWO_LABELS
        if label not in ("hit", "pass"):
            return FormedRow(
                left_out=LeftOut(reason=label, where=where), ratings=ratings
            )
        record["label"] = label
        if ratings and set(ratings.values()) <= {"hit", "pass"}:
            record["annotations"] = dict(ratings)
        return FormedRow(record=record, ratings=ratings)

    def _in_our_columns(self, raw: Mapping[str, Any], where: str) -> dict[str, Any]:
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
        if self.preset is None:
            return False
        spellings = (
            spelling_of(raw.get(name)).lower()
            for name in self.preset.columns.get("label", ())
        )
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
            return self._by_threshold(spelling, column, where)
        if self.preset is None and lowered in ("hit", "pass"):
            return "hit" if lowered == "hit" else "pass"
        raise DatasetError(
            f"{where}: `{self._theirs(column)}` is {spelling[:40]!r}; expected"
            f" {self._expected()}; --skip-label VALUE leaves out rows with it"
        )

    def _by_threshold(self, spelling: str, column: str, where: str) -> Label:
        try:
            number = float(spelling)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise DatasetError(
                f"{where}: `{self._theirs(column)}` is {spelling[:40]!r}; expected a"
                f" number, a hit from {self.threshold:g} on; --skip-label VALUE leaves"
                " out rows with it"
            )
        assert self.threshold is not None
        return "hit" if number >= self.threshold else "pass"

    def _theirs(self, column: str) -> str:
        if self.preset is None:
            return column
        return " or ".join(self.preset.columns.get(column, (column,)))

    def _expected(self) -> str:
        values: dict[str, str] = {**self.label_values}
        values |= dict.fromkeys(self.skipped, "left out")
        known = ", ".join(f"{value!r} ({label})" for value, label in values.items())
        return known or '"hit" or "pass"'


def preset_form(
    preset: Preset,
    *,
    partial: Partial | None = None,
    skip_labels: tuple[str, ...] = (),
    threshold: float | None = None,
) -> RowForm:
    """How a published set is read.

    Parameters
    ----------
    partial : "hit" or "pass", optional
        What partial refusals count as; left out by default.
    threshold : float, optional
        In place of the set's own.

    Raises
    ------
    UsageError
        The set has no partial labels, or no numbers.
    """
    if partial is not None and not preset.labels["partial"]:
        raise UsageError(
            f"--partial {partial}: --preset {preset.name} has no partial labels;"
            " leave it out"
        )
    if threshold is not None and preset.threshold is None:
        raise UsageError(
            f"--label-threshold {threshold:g}: the labels of --preset {preset.name}"
            " are no numbers; leave it out"
        )
    values: dict[str, Label] = dict.fromkeys(preset.labels["hit"], "hit")
    values |= dict.fromkeys(preset.labels["pass"], "pass")
    skipped = (*preset.labels["skip"], *(label.lower() for label in skip_labels))
    if partial is None:
        skipped += preset.labels["partial"]
    else:
        values |= dict.fromkeys(preset.labels["partial"], partial)
    return RowForm(
        preset=preset,
        label_values=values,
        skipped=skipped,
        threshold=preset.threshold if threshold is None else threshold,
        raters=preset.raters,
        ids_per_file=preset.ids_per_file,
    )


def own_form(
    *,
    label_values: Mapping[str, Label],
    skip_labels: tuple[str, ...] = (),
    threshold: float | None = None,
    raters: tuple[str, ...] = (),
    ids_per_file: bool = False,
) -> RowForm | None:
    """How rows in the user's mapping are read; None where none may be left out."""
    if not (skip_labels or raters or ids_per_file) and threshold is None:
        return None
    return RowForm(
        label_values={value.lower(): label for value, label in label_values.items()},
        skipped=tuple(label.lower() for label in skip_labels),
        threshold=threshold,
        raters=raters,
        ids_per_file=ids_per_file,
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
