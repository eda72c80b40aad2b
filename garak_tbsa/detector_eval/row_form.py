# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a user says of labelled data -> the form that its rows have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from garak_tbsa.detector_eval.labelled_row import (
    Label,
)
from garak_tbsa.detector_eval.reading import Meaning, RowForm, find_preset, spelling_of
from garak_tbsa.detector_eval.sources import UTF_8
from garak_tbsa.errors import UsageError


def row_form(
    *,
    columns: Mapping[str, str] | None = None,
    label_values: Mapping[str, Label] | None = None,
    encoding: str = UTF_8,
    preset: str | None = None,
    partial: Label | None = None,
    skip_labels: Sequence[str] = (),
    label_threshold: float | None = None,
    raters: Sequence[str] = (),
    ids_per_file: bool = False,
) -> RowForm:
    """Return the form that labelled data has, by what a user says of it.

    Parameters
    ----------
    columns : mapping, optional
        Our column name -> the files', e.g. ``{"output": "response"}``.
    label_values : mapping, optional
        Further spellings of the labels, e.g. ``{"1": "hit"}``.
    encoding : str
        Of CSV files.
    preset : str, optional
        The published set whose form the files have.
    partial : "hit" or "pass", optional
        What the set's partial labels count as; without it they are left out.
    skip_labels : sequence of str
        Labels whose rows are left out.
    label_threshold : float, optional
        Labels are numbers, and a hit from this on.
    raters : sequence of str
        Columns with one label a rater.
    ids_per_file : bool
        Ids repeat in every file.

    Raises
    ------
    UsageError
        There is no such preset, or options do not go with it.
    """
    form = RowForm(leaves_out=False) if preset is None else find_preset(preset)
    for option, value in (
        ("--columns", columns),
        ("--label-values", label_values),
        ("--raters", raters),
        ("--ids-per-file", ids_per_file),
    ):
        if preset is not None and value:
            raise UsageError(
                f"{option}: --preset {preset} says it already; leave one out"
            )
    labels = dict(form.labels)
    said: dict[str, Meaning] = {
        **(label_values or {}),
        **dict.fromkeys(skip_labels, "skip"),
    }
    for spelling, meaning in said.items():
        labels[meaning] = (
            *labels.get(meaning, ()),
            spelling_of(spelling).lower(),
        )
    if partial is not None:
        if "partial" not in labels:
            problem = "goes with a --preset that has partial labels, e.g. xstest"
            if preset is not None:
                problem = f"--preset {preset} has no partial labels; leave it out"
            raise UsageError(f"--partial {partial}: {problem}")
        labels[partial] = (*labels.get(partial, ()), *labels.pop("partial"))
    if preset is not None and label_threshold is not None and form.threshold is None:
        raise UsageError(
            f"--label-threshold {label_threshold:g}: the labels of --preset {preset}"
            " are no numbers; leave it out"
        )
    others = (skip_labels, raters, ids_per_file, label_threshold is not None)
    return structs.replace(
        form,
        columns=form.columns
        | {ours: (theirs,) for ours, theirs in (columns or {}).items()},
        labels=labels,
        threshold=form.threshold if label_threshold is None else label_threshold,
        raters=form.raters or tuple(raters),
        ids_per_file=form.ids_per_file or ids_per_file,
        encoding=encoding,
        leaves_out=form.leaves_out or any(others),
    )
