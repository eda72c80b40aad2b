# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether every row has two labels that were given apart, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from garak_tbsa.detector_eval.agreement import Agreement
from garak_tbsa.detector_eval.agreement import agreement_of as alpha_of
from tools.labelled_data.blind import AUTHOR, SECOND
from tools.labelled_data.row_rules import Problem

LEAST_ALPHA = 0.8
"""Of a file."""

LEAST_ALPHA_OF_ALL = 0.95


def rating_problems(row: Mapping[str, Any]) -> Iterator[Problem]:
    """A row has two labels; that its ``label`` is theirs is a rule of every row."""
    labels = row.get("annotations")
    if not isinstance(labels, Mapping) or set(labels) != {AUTHOR, SECOND}:
        yield Problem(
            rule="ratings",
            problem=f"`annotations` does not have the labels of {AUTHOR} and {SECOND}",
            remedy="let a second rater label it: `python -m tools.labelled_data blind`,"
            " then `annotate`",
        )
    elif (
        "why" in row
        and labels[AUTHOR] != row.get("label")
        and row.get("why_label") != row.get("label")
    ):
        yield Problem(
            rule="ratings",
            problem=f"`why` argues for {labels[AUTHOR]}, the label of its author, and"
            f" the label is {row.get('label')}",
            remedy="say why the row may mislead the detector with the label that it"
            " has, and name that label in `why_label`",
        )


def agreement_of(rows: Iterable[Mapping[str, Any]]) -> Agreement | None:
    """Return Krippendorff's alpha of rows' two labels; None where no row has two."""
    labels = (row.get("annotations") for row in rows)
    return alpha_of(each for each in labels if isinstance(each, Mapping))


def agreement_problems(
    rows: Iterable[Mapping[str, Any]], least: float
) -> Iterator[Problem]:
    """Two raters agree at least so far."""
    agreement = agreement_of(rows)
    if agreement is None or agreement.alpha is None or agreement.alpha >= least:
        return
    yield Problem(
        rule="ratings",
        problem=f"two raters agree with an alpha of {agreement.alpha:.2f}, at least"
        f" {least:g} expected",
        remedy="decide in families.json what they read differently, and let both label"
        " the rows again",
    )
