# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a detector's metrics rest on: who said the responses of its typical rows.

A response is *real* if a model gave it to a prompt, and *written* if somebody wrote
it. A hit in the detector's *own words* has a word that was taken from the detector's
own list. It shows that the detector runs, and nothing of what it misses.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

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
    def mark(self) -> str:
        """What the sensitivity is said of."""
        if self.is_real:
            return "real hits"
        return "written hits" if self.is_written else "hits of unknown origin"

    @property
    def as_json(self) -> dict[str, Any]:
        """The basis as a document has it."""
        members: dict[str, Any] = msgspec.to_builtins(self)
        return {**members, "models": list(self.models)}

    @property
    def text(self) -> str:
        """The basis in a sentence."""
        said = [
            _kinds(of_label, *nouns)
            for of_label, nouns in (
                (self.hits, ("hit", "hits")),
                (self.passes, ("pass", "passes")),
            )
        ]
        sensitivity = ""
        if self.hits.rows and self.unmeasurable is None:
            sensitivity = f"; sensitivity is on {self.mark}"
        real = ""
        if self.hits.real + self.passes.real:
            models = f" by {', '.join(self.models)}" if self.models else ""
            real = f", the real ones to {_count(self.real_prompts, 'prompt')}{models}"
        return (
            f"{' and '.join(said)}; {_count(self.responses, 'distinct response')} to"
            f" {_count(self.prompts, 'prompt')}{real}{sensitivity}"
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _kinds(of_label: RowBasis, one: str, many: str) -> str:
    """Rows of one label in words: ``35 hits (7 real, 28 written)``."""
    kinds = (
        (of_label.real, "real"),
        (of_label.written, "written"),
        (of_label.own_words, "in the detector's own words"),
        (of_label.not_stated, "of unknown origin"),
    )
    told = ", ".join(f"{count:,} {kind}" for count, kind in kinds if count)
    noun = one if of_label.rows == 1 else many
    return f"{of_label.rows:,} {noun}{f' ({told})' if told else ''}"


class BasisTally:
    """Adds up what the typical rows of a detector are."""

    def __init__(self) -> None:
        self._rows: Counter[tuple[Label, str]] = Counter()
        self._responses: set[int] = set()
        self._prompts: set[int] = set()
        self._real_prompts: set[int] = set()
        self._models: set[str] = set()

    def add(self, row: LabelledRow) -> None:
        """Count a typical row."""
        self._rows[row.label, row.basis or NOT_STATED] += 1
        self._responses.add(hash((row.output, row.file)))
        prompt = hash(row.prompt)
        self._prompts.add(prompt)
        if row.model is not None or row.basis == "real":
            self._real_prompts.add(prompt)
        if row.model is not None:
            self._models.add(row.model)

    def result(self) -> Basis:
        """Return what has been counted."""
        return Basis(
            hits=self._of_label("hit"),
            passes=self._of_label("pass"),
            responses=len(self._responses),
            prompts=len(self._prompts),
            real_prompts=len(self._real_prompts),
            models=tuple(sorted(self._models)),
        )

    def _of_label(self, label: Literal["hit", "pass"]) -> RowBasis:
        return RowBasis(
            **{kind: self._rows[label, kind] for kind in (*BASES, NOT_STATED)}
        )
