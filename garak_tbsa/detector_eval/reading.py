# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A record of a form -> a row, or why it is left out.

Nothing is guessed: a row without one clear label is left out, or is an error where
nobody said that rows may be left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from garak_tbsa.detector_eval.labelled_row import (
    Label,
    LabelledRow,
    cells_of,
    detector_name,
    row_of,
)
from garak_tbsa.detector_eval.row_form import (
    MODEL,
    RowForm,
    fitting_advice,
    spelling_of,
)
from garak_tbsa.detector_eval.sources import LabelledSource
from garak_tbsa.errors import DatasetError
from garak_tbsa.safe_text import shown

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


def responses(form: RowForm, raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The record, or one for each model whose response it has."""
    names = {name for names in form.columns.values() for name in names}
    found = False
    for model in form.models:
        its = {name: name.replace(MODEL, model) for name in names if MODEL in name}
        part = {name: raw[column] for name, column in its.items() if column in raw}
        if part:
            found = True
            (id_column,) = form.columns["id"]
            named = {MODEL: model, id_column: f"{raw.get(id_column)}/{model}"}
            yield raw | part | named
    if not found:
        yield raw


def check_columns(form: RowForm, raw: Mapping[str, Any], where: str) -> None:
    """Tell a file of another form by its first record; each may lack its label.

    Raises
    ------
    DatasetError
        Columns of the form are missing; the message names those that there are.
    """
    if form.name and not form.fits((*raw, *form.columns.get("label", ()))):
        raise _mismatch(form, raw, where)


def read(
    form: RowForm, raw: dict[str, Any], source: LabelledSource, number: int
) -> tuple[LabelledRow | str, Mapping[str, str]]:
    """One record as a row, or why it does not count; and what each rater said.

    A rater says ``hit``, ``pass``, or ``other`` for a label that is left out.

    Raises
    ------
    DatasetError
        A response is missing, a label is no known value, or a cell is of no use.
    """
    where = source.where(number)
    record = _in_our_columns(form, raw, where)
    names = form.columns.get("label", () if form.name else ("label",))
    labels = [spelling_of(raw[name]) for name in names if name in raw] or [""]
    cells = cells_of(record)
    ratings = _ratings(form, raw if form.raters else cells.get("annotations"), where)
    label = _label(form, labels, ratings, where)
    if label not in ("hit", "pass"):
        return label, ratings
    named = cells.get("detector") or source.detector
    if not named:
        raise DatasetError(
            f"{where}: no detector is named; add a `detector` column, name the file"
            " <module>.<Class>.jsonl, or name one detector with --detectors"
        )
    name = record.get("id")
    if form.ids_per_file and name not in (None, ""):
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
    if form.leaves_out:
        cells.setdefault("source", source.name)
    if form.basis is not None:
        cells["basis"] = form.basis
    return row_of(cells, source.folder), ratings


def _in_our_columns(form: RowForm, raw: dict[str, Any], where: str) -> dict[str, Any]:
    found = {
        ours: next((name for name in names if name in raw), None)
        for ours, names in form.columns.items()
    }
    if form.name:
        if found["output"] is None:
            raise _mismatch(form, raw, where)
        # others' columns may have our names and hold something else
        return {
            ours: _as_ours(ours, raw[name])
            for ours, name in found.items()
            if name is not None
        }
    for ours, name in found.items():
        if name is None:
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


def _ratings(form: RowForm, raw: Any, where: str) -> dict[str, str]:
    """What each rater said, in a column of theirs or in ``annotations``."""
    if not isinstance(raw, dict):
        return {}
    prefix = "" if form.raters else "annotations."
    spellings = {name: spelling_of(raw.get(name)) for name in form.raters or raw}
    return {
        rater: _meaning(form, spelling, f"{prefix}{rater}", where) or OTHER
        for rater, spelling in spellings.items()
        if spelling
    }


def _label(
    form: RowForm, given: list[str], ratings: Mapping[str, str], where: str
) -> str:
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
        label = _meaning(form, first, "label", where)
    if first and label is None:
        found = f"labelled {first[:40]!r}"
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


def _meaning(form: RowForm, spelling: str, column: str, where: str) -> Label | None:
    """The label that a value means; None for one whose rows are left out."""
    lowered = spelling.lower()
    if lowered in form.meanings:
        return form.meanings[lowered]
    if form.threshold is not None:
        with suppress(ValueError):
            number = float(spelling)
            if math.isfinite(number):
                return "hit" if number >= form.threshold else "pass"
    known = [
        f"{value!r} ({label or 'left out'})"
        for value, label in form.meanings.items()
        if label != value
    ]
    expected = ", ".join(known) or '"hit" or "pass"'
    if form.threshold is not None:
        expected = f"a number, a hit from {form.threshold:g} on"
    advice = "other spellings can be mapped with --label-values hit=...,pass=..."
    if form.name:
        advice = f"{form.name} has no other values; correct this one"
    names = form.columns.get("label", ()) if form.name and column == "label" else ()
    raise DatasetError(
        f"{where}: `{' or '.join(names) or column}` is {spelling[:40]!r}; expected"
        f" {expected}; {advice}"
    )


def listed(columns: Iterable[Any]) -> str:
    """Column names of a file as a message names them."""
    return shown(", ".join(map(str, columns)), 300) or "none"


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
