# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a file of the shipped data must be as a whole: size, spread, no give-aways."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tools.labelled_data.near_copies import LIMIT, near_copies
from tools.labelled_data.row_rules import Problem
from tools.labelled_data.trivial_features import FOLDS, Glance, trivial_score

if TYPE_CHECKING:
    from garak_tbsa.detector_eval.labelled_row import LabelledRow

LEAST_TYPICAL = 60
LEAST_OF_A_CLASS = 24
LEAST_STRESS = 20
LEAST_LANGUAGES = 5

TRIVIAL_REASONS = "trivial_feature_reasons.json"
"""Detector -> why the failure itself shows in length or punctuation."""

FEW_ROWS_REASONS = "few_rows_reasons.json"
"""Detector -> why there are fewer typical rows than the rule asks for."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """A raw row, and the parsed one where its fields allow it."""

    place: str
    raw: Mapping[str, Any]
    row: LabelledRow | None


def count_problems(
    records: Sequence[Record], reason: str | None = None
) -> Iterator[Problem]:
    """Enough typical rows, of each class, and stress rows of each class.

    Parameters
    ----------
    records : sequence of Record
    reason : str or None
        Why there are fewer typical rows, if that is written; one of each class still.
    """
    typical, stress = (
        Counter(str(r.raw.get("label")) for r in records if ("why" in r.raw) == is_it)
        for is_it in (False, True)
    )
    few = reason is not None
    for count, least, what in (
        (sum(typical.values()), 2 if few else LEAST_TYPICAL, "typical rows"),
        (typical["hit"], 1 if few else LEAST_OF_A_CLASS, "typical hits"),
        (typical["pass"], 1 if few else LEAST_OF_A_CLASS, "typical passes"),
        (sum(stress.values()), LEAST_STRESS, "stress rows"),
        (stress["hit"], 1, "stress hits"),
        (stress["pass"], 1, "stress passes"),
    ):
        if count < least:
            yield Problem(
                rule="counts",
                problem=f"{count} {what}, at least {least} expected",
                remedy=f"add {least - count}, or say in {FEW_ROWS_REASONS} why there"
                " are no more"
                if what.startswith("typical")
                else f"write {least - count} more",
            )


def typical_outputs(records: Sequence[Record]) -> list[str]:
    """Return what typical rows respond; files have no text."""
    rows = [record.row for record in records if record.row is not None]
    return [row.output or "" for row in rows if not row.is_stress and row.file is None]


def language_problems(
    records: Sequence[Record], stated: str | None
) -> Iterator[Problem]:
    """As many languages as the detector's ``lang_spec`` claims.

    Parameters
    ----------
    stated : str or None
        The ``lang_spec``: ``en``, ``*``, or None where the detector states none.
    """
    if any("file" in record.raw for record in records):
        return  # a file has no language
    languages = {
        str(record.raw.get("lang")).split("-")[0].lower() for record in records
    }
    others = languages - {"en", "none"}
    if stated is None:
        return
    if stated.strip().lower() == "en":
        if others:
            yield Problem(
                rule="languages",
                problem=f"rows in {', '.join(sorted(others))}, but the detector's"
                " lang_spec is English alone",
                remedy="leave them out",
            )
    elif len(others) < LEAST_LANGUAGES:
        yield Problem(
            rule="languages",
            problem=f"{len(others)} languages other than English, at least"
            f" {LEAST_LANGUAGES} expected, since the detector's lang_spec is"
            f" {stated!r}",
            remedy="add rows in further languages, hits and passes",
        )


def repeated_ids(records: Sequence[Record]) -> Iterator[tuple[str, Problem]]:
    """Every row has an id of its own; a problem comes with the row's place."""
    first: dict[Any, str] = {}
    for record in records:
        identity = record.raw.get("id")
        if isinstance(identity, str) and identity in first:
            yield (
                record.place,
                Problem(
                    rule="ids",
                    problem=f"the id is that of {first[identity]} already",
                    remedy="give the row an id of its own",
                ),
            )
        elif isinstance(identity, str):
            first[identity] = record.place


def copied_rows(records: Sequence[Record]) -> Iterator[tuple[str, Problem]]:
    """No two responses are nearly the same; the later row's place comes along."""
    readable = [
        (record.place, record.row.output or "")
        for record in records
        if record.row is not None and record.row.file is None
    ]
    for pair in near_copies([text for _, text in readable]):
        yield (
            readable[pair.second][0],
            Problem(
                rule="near-copies",
                problem=f"shares {pair.share:.2f} of its word 3-grams with"
                f" {readable[pair.first][0]}, at most {LIMIT} allowed",
                remedy="rewrite one of them",
            ),
        )


def trivial_problems(
    records: Sequence[Record], reason: str | None
) -> Iterator[Problem]:
    """Length and punctuation do not give the classes away, unless a reason says why.

    Typical and stress rows are judged apart. Where a kind has fewer than
    ``LEAST_OF_A_CLASS`` rows of a class, the result must be above the limit by more
    than its standard error: on 15 rows of a class, luck moves it by 0.1.
    """
    rows = [record.row for record in records if record.row is not None]
    for kind in ("typical", "stress"):
        judged = [row for row in rows if row.is_stress == (kind == "stress")]
        if reason is None and _of_the_smaller_class(judged) >= FOLDS:
            yield from _excessive(kind, judged)


def _of_the_smaller_class(rows: Sequence[LabelledRow]) -> int:
    labels = Counter(row.label for row in rows)
    return min(labels["hit"], labels["pass"])


def _excessive(kind: str, rows: Sequence[LabelledRow]) -> Iterator[Problem]:
    score = trivial_score(
        [_glance(row) for row in rows], [row.label == "hit" for row in rows]
    )
    few = _of_the_smaller_class(rows) < LEAST_OF_A_CLASS
    if score.is_excessive(rows=len(rows) if few else None):
        yield Problem(
            rule="trivial features",
            problem=f"length and punctuation alone tell the classes of {kind} rows"
            f" apart ({score.classifier}, balanced accuracy"
            f" {score.balanced_accuracy:.2f})",
            remedy="give hits and passes the same spread of lengths and formatting, or"
            f" say in {TRIVIAL_REASONS} why the failure itself is such a feature",
        )


def _glance(row: LabelledRow) -> Glance:
    if row.file is None:
        text = row.output or ""
        return Glance(text=text, size=len(text))
    name, content = os.path.basename(row.file.name), row.file.content
    size = os.path.getsize(row.file.name) if content is None else len(content)
    return Glance(text=name, size=size)
