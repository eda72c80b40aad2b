# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a detector's metrics rest on: who said the responses of its typical rows.

A response is *real* if a model gave it to a prompt, and *written* if somebody wrote
it. A hit in the detector's *own words* has a word that was taken from the detector's
own list. It shows that the detector runs, and nothing of what it misses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from garak_tbsa.detector_eval.labelled_row import BASES, Label, LabelledRow

LEAST_REAL_HITS = 10
"""Real hits below which a sensitivity is one on written hits."""

OF_PASSES = ("hit_specificity", "pass_recall")
"""The metrics that need no hits."""

NOT_STATED = "not_stated"

MOST_ROWS = 10**12

Count = Annotated[int, Meta(ge=0, le=MOST_ROWS)]


class RowBasis(Struct, frozen=True, kw_only=True):
    """Rows of one label, by who said their responses."""

    real: Count = 0
    written: Count = 0
    own_words: Count = 0
    not_stated: Count = 0

    @property
    def rows(self) -> int:
        """All of them."""
        return self.real + self.written + self.own_words + self.not_stated


class Basis(Struct, frozen=True, kw_only=True):
    """What the typical rows of a detector are.

    Attributes
    ----------
    hits, passes : RowBasis
        Rows by their label.
    responses, prompts : int
        Distinct ones, of all of these rows.
    real_prompts : int
        Distinct prompts to which a model gave the responses.
    models : tuple of str
        Those that gave them, as far as rows name them.
    """

    hits: RowBasis = RowBasis()
    passes: RowBasis = RowBasis()
    responses: Count = 0
    prompts: Count = 0
    real_prompts: Count = 0
    models: tuple[str, ...] = ()

    @property
    def unmeasurable(self) -> str | None:
        """Why no metric that needs hits is given; None where they are."""
        if not self.hits.own_words:
            return None
        return (
            f"{self.hits.own_words} of {self.hits.rows} hits have words of the"
            " detector's own list, so that they say nothing of what it misses"
        )

    @property
    def is_real(self) -> bool:
        """Whether a sensitivity rests on hits of models."""
        return self.hits.real >= LEAST_REAL_HITS

    @property
    def is_written(self) -> bool:
        """Whether a sensitivity rests on hits that somebody wrote."""
        return not self.is_real and self.hits.written > self.hits.not_stated

    @property
    def as_json(self) -> dict[str, Any]:
        """The basis as a document has it."""
        members: dict[str, Any] = msgspec.to_builtins(self)
        return {**members, "models": list(self.models)}


def basis_of(rows: Iterable[LabelledRow]) -> Basis:
    """Say what the typical rows of a detector are."""
    kinds: Counter[tuple[Label, str]] = Counter()
    responses: set[Any] = set()
    prompts: set[Any] = set()
    real_prompts: set[Any] = set()
    models: set[str] = set()
    for row in rows:
        kinds[row.label, row.basis or NOT_STATED] += 1
        responses.add((row.output, row.file))
        prompts.add(row.prompt)
        if row.model is not None or row.basis == "real":
            real_prompts.add(row.prompt)
        if row.model is not None:
            models.add(row.model)
    hits, passes = (
        RowBasis(**{kind: kinds[label, kind] for kind in (*BASES, NOT_STATED)})
        for label in ("hit", "pass")
    )
    return Basis(
        hits=hits,
        passes=passes,
        responses=len(responses),
        prompts=len(prompts),
        real_prompts=len(real_prompts),
        models=tuple(sorted(models)),
    )
