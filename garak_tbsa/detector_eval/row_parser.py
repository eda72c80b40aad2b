# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The records of one source -> its labelled rows, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from garak_tbsa.detector_eval.formats import NumberedRecord, ReadOptions, format_of
from garak_tbsa.detector_eval.labelled_row import Label, LabelledRow, parse_row
from garak_tbsa.detector_eval.left_out import ReadingTally
from garak_tbsa.detector_eval.preset import fitting_advice, listed
from garak_tbsa.detector_eval.report_labels import ReportLabels
from garak_tbsa.detector_eval.row_form import FormedRow, RowForm
from garak_tbsa.detector_eval.slots import WordList
from garak_tbsa.detector_eval.sources import LabelledSource, folder_of, stem_of
from garak_tbsa.errors import DatasetError


@dataclass(frozen=True, kw_only=True)
class DatasetOptions:
    """How labelled files are read.

    Attributes
    ----------
    read : ReadOptions
        Column mapping and encoding.
    label_values : mapping
        Further spellings of the labels, e.g. ``{"1": "hit"}``.
    labels : ReportLabels or None
        Of outputs of the garak reports among the data.
    form : RowForm or None
        How rows of which some may be left out are read.
    contradicting : frozenset of int
        Identities of rows that are left out, known after the first pass.
    word_list : callable
        Detector name -> words, for slots.
    """

    word_list: WordList
    read: ReadOptions = field(default_factory=ReadOptions)
    label_values: Mapping[str, Label] = field(default_factory=dict)
    labels: ReportLabels | None = None
    form: RowForm | None = None
    contradicting: frozenset[int] = frozenset()


def parsed(
    source: LabelledSource,
    records: Iterator[NumberedRecord],
    options: DatasetOptions,
    notes: ReadingTally | None = None,
) -> Iterator[LabelledRow]:
    """Yield the rows of one source that count."""
    parser = RowParser(source, options, notes)
    for number, record in records:
        row = parser.row(number, record)
        if row is not None:
            yield row


class RowParser:
    """Parses the records of one source; what they share is worked out once."""

    def __init__(
        self,
        source: LabelledSource,
        options: DatasetOptions,
        notes: ReadingTally | None = None,
    ) -> None:
        self.detector = source.detector
        # a form gives plain labels
        self.label_values = {} if options.form else options.label_values
        self.form = options.form
        self.notes = notes
        self.name = source.name or stem_of(source.path)
        self.folder = folder_of(source)
        self.is_json = format_of(source.path) in ("jsonl", "json")
        self.is_first = True
        unit = "line" if format_of(source.path) == "jsonl" else "row"
        self.place = f"{source.path}, {unit}"
        if source.is_report:
            self.place = f"{source.path}, line"

    def row(self, number: int, record: Mapping[str, Any]) -> LabelledRow | None:
        """The row; None where the form leaves it out."""
        where = f"{self.place} {number}"
        if self.form is not None:
            formed = self._formed(self.form, record, where)
            if formed.left_out is not None:
                return None
            record = formed.record
        if "output" not in record and "file" not in record:
            raise DatasetError(
                f"{where}: no `output`; give the response as a string, or null for"
                " none, or say which column it is with --columns output=...; it has"
                f" {listed(record)}{fitting_advice(record)}"
            )
        row = parse_row(
            record,
            where=where,
            fallback_id=f"{self.name}-{number}",
            detector=self.detector,
            folder=self.folder,
            label_values=self.label_values,
        )
        if self.notes is not None:
            self.notes.add_row(row)
        return row

    def _formed(
        self, form: RowForm, record: Mapping[str, Any], where: str
    ) -> FormedRow:
        if self.is_first:
            form.check_columns(record, where, may_lack_label=self.is_json)
            self.is_first = False
        formed = form.read(record, where=where, file_name=self.name)
        if self.notes is not None:
            self.notes.add_formed(formed)
        return formed
