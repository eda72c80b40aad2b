# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the first pass over published rows keeps: rows left out, raters, repetitions."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy

from garak_tbsa.detector_eval.agreement import Agreement, AgreementTally
from garak_tbsa.detector_eval.labelled_row import LabelledRow
from garak_tbsa.detector_eval.row_form import FormedRow

CONTRADICTING = "labelled otherwise than a row of the same id, or prompt and response"
REPEATED = "labelled as a row of the same id, or prompt and response"

_LABEL_BIT = 1


@dataclass(frozen=True, kw_only=True)
class CountedRows:
    """How many rows have something in common, and where the first is."""

    reason: str
    count: int
    first: str


@dataclass(frozen=True, kw_only=True)
class ReadingNotes:
    """What the numbers do not show of the rows behind them.

    Attributes
    ----------
    read : int
        Rows of the files.
    left_out : tuple of CountedRows
        Those that do not count, by reason, the commonest first.
    repeated : CountedRows or None
        Rows that say again what another says, alike; they count.
    agreement : Agreement or None
        Of the raters on all rows read; None where no row has two labels.
    """

    read: int
    left_out: tuple[CountedRows, ...] = ()
    repeated: CountedRows | None = None
    agreement: Agreement | None = None

    @property
    def used(self) -> int:
        """Rows that count."""
        return self.read - sum(each.count for each in self.left_out)


def identities_of(row: LabelledRow) -> tuple[int, int]:
    """64 bits for the row's id, and for prompt and response; the lowest bit is 0."""
    answered = (*(turn.text for turn in row.prompt), row.output or "")
    return _hash(row.detector, "id", row.id), _hash(row.detector, *answered)


def _hash(*texts: str) -> int:
    digest = hashlib.blake2b(digest_size=8)
    for text in texts:
        digest.update(text.encode("utf-8", "replace") + b"\0")
    return int.from_bytes(digest.digest(), "little") & ~_LABEL_BIT


class ReadingTally:
    """Takes the rows of all files, one by one; 16 bytes a row."""

    def __init__(self) -> None:
        self._read = 0
        self._counts: dict[str, CountedRows] = {}
        self._labels = array("Q")
        self._agreement = AgreementTally()

    def add_formed(self, formed: FormedRow) -> None:
        """Take up a record, left out or not."""
        self._read += 1
        self._agreement.add_labels(formed.ratings)
        if formed.left_out is not None:
            self._count(formed.left_out.reason, formed.left_out.where)

    def add_row(self, row: LabelledRow) -> None:
        """Take up a row that counts, so far."""
        is_hit = row.label == "hit"
        self._labels.extend(identity | is_hit for identity in identities_of(row))

    def _count(self, reason: str, where: str) -> None:
        self._counts[reason] = _one_more(self._counts.get(reason), where, reason)

    def contradicting(self) -> frozenset[int]:
        """Identities of rows with both labels, which are left out."""
        distinct = numpy.unique(numpy.frombuffer(self._labels, dtype=numpy.uint64))
        identities = distinct >> numpy.uint64(1)
        twice = distinct[1:][numpy.diff(identities) == 0]
        return frozenset(int(label) & ~_LABEL_BIT for label in twice)

    def has_repeated(self) -> bool:
        """Whether two rows have the same id, or prompt and response, and label."""
        return len(set(self._labels)) < len(self._labels)

    def notes(
        self, rows: Iterable[LabelledRow], contradicting: frozenset[int]
    ) -> ReadingNotes:
        """All that was noted.

        Parameters
        ----------
        rows : iterable of LabelledRow
            Those that were added, once more, to find the first places.
        """
        seen: dict[int, str] = {}
        repeated: CountedRows | None = None
        if contradicting or self.has_repeated():
            for row in rows:
                identities = identities_of(row)
                if not contradicting.isdisjoint(identities):
                    self._count(CONTRADICTING, row.where)
                    continue
                before = [seen[each] for each in identities if each in seen]
                if before:
                    repeated = _one_more(repeated, f"{row.where}, as {before[0]}")
                seen |= dict.fromkeys(identities, row.where)
        return ReadingNotes(
            read=self._read,
            left_out=tuple(sorted(self._counts.values(), key=lambda each: -each.count)),
            repeated=repeated,
            agreement=self._agreement.result(),
        )


def _one_more(
    before: CountedRows | None, where: str, reason: str = REPEATED
) -> CountedRows:
    if before is None:
        return CountedRows(reason=reason, count=1, first=where)
    return replace(before, count=before.count + 1)
