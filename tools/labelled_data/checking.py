# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether shipped labelled data keeps its rules, and what to do where it does not.

The rules are those of ``data/detectors-eval/README.md``. Nothing is raised at the
first mistake: a contributor gets all of them at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from garak_tbsa.detector_eval.data import SERVED_BY, served_by
from garak_tbsa.detector_eval.published import RowForm
from garak_tbsa.detector_eval.rows import LabelledRow, read_row
from garak_tbsa.detector_eval.slots import fill_slots
from garak_tbsa.detector_eval.sources import (
    LabelledSource,
    read_json_lines,
    stem_of,
)
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_api.detectors import garak_module, is_detector, word_list
from garak_tbsa.labels.labelling_rules import FAMILIES
from tools.labelled_data.families import (
    ENDING,
    Row,
    decoded,
    families,
    family_problem,
    read_rows,
)
from tools.labelled_data.file_rules import (
    FEW_ROWS_REASONS,
    LEAST_ALPHA,
    LEAST_ALPHA_OF_ALL,
    TRIVIAL_REASONS,
    Record,
    agreement_problems,
    babble_problems,
    count_problems,
    language_problems,
    real_row_problems,
    repeated_rows,
    trivial_problems,
)
from tools.labelled_data.response_shapes import (
    RESPONSE_SHAPES,
    read_lines,
    shape_problems,
)
from tools.labelled_data.row_rules import (
    Problem,
    field_problems,
    harm_problems,
    rating_problems,
)

LEAST_SERVED = 100
INNOCENT_PHRASES = "innocent_phrases.json"


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What was found in one file, in lines, and its rows, stress rows of them."""

    rows: int
    stress: int
    findings: list[str]


@dataclass(kw_only=True)
class _Findings:
    """Broken rules, each in one line: file, row, problem, remedy and rule."""

    lines: list[str] = field(default_factory=list)

    def add(self, where: str, problems: Iterable[Problem]) -> None:
        self.lines += [
            f"{where}: {each.problem}; {each.remedy} [{each.rule}]" for each in problems
        ]


def _beside(folder: str, name: str) -> Path | None:
    """The file of that name in ``folder`` or above it; none is fine."""
    places = (Path(folder, name), Path(os.path.abspath(folder)).parent / name)
    return next((place for place in places if place.is_file()), None)


def _reasons(folder: str, name: str) -> dict[str, str]:
    path = _beside(folder, name)
    kind = dict[str, Annotated[str, Meta(pattern=r"\S")]]
    what = "an object whose values are reasons"
    return {} if path is None else decoded(path, kind, what)


def check_file(path: str, *, quick: bool = False) -> Checked:
    """Check one ``<module>.<Class>.jsonl`` by what is written in its folder or above.

    Parameters
    ----------
    quick : bool
        Leave out the rule of trivial features, which takes a second a file.
    """
    detector, folder = stem_of(path), os.path.dirname(path) or "."
    innocent = frozenset(_reasons(folder, INNOCENT_PHRASES))
    found = _Findings()
    found.add(path, _name_problems(detector))
    if place := _beside(folder, FAMILIES):
        problem = family_problem(detector, families(place))
        found.add(path, [Problem("families", *problem)] if problem else [])
    records: list[Record] = []
    try:
        for number, raw in read_json_lines(path):
            record, problems = _record(number, raw, path, innocent)
            found.add(f"{path}, {record.place}", problems)
            records.append(record)
    except DatasetError as error:
        found.add(path, [_problem_of(error, "json")])
    raw_rows = [record.raw for record in records]
    few_reason = _reasons(folder, FEW_ROWS_REASONS).get(detector)
    found.add(path, count_problems(records, few_reason))
    found.add(path, agreement_problems(raw_rows, LEAST_ALPHA))
    found.add(path, babble_problems(raw_rows))
    found.add(path, language_problems(records, languages_of(detector)))
    if shapes := _beside(folder, RESPONSE_SHAPES):
        rows = [record.row for record in records if record.row is not None]
        outputs = [
            row.output or "" for row in rows if not row.is_stress and row.file is None
        ]
        found.add(path, shape_problems(detector, outputs, read_lines(shapes)))
    if not quick:
        reason = _reasons(folder, TRIVIAL_REASONS).get(detector)
        found.add(path, trivial_problems(records, reason))
    for where, repeated in repeated_rows(records):
        found.add(f"{path}, {where}", [repeated])
    stress = sum("why" in row for row in raw_rows)
    return Checked(rows=len(raw_rows), stress=stress, findings=found.lines)


def _name_problems(detector: str) -> Iterator[Problem]:
    if not is_detector(detector):
        yield Problem(
            "names",
            f"{detector!r} is no detector of the installed garak",
            "name it <module>.<Class>.jsonl as `garak --list_detectors` does",
        )


def languages_of(detector: str) -> str | None:
    """The languages that a detector states: ``en``, ``en,fr``, ``*``, or None."""
    if not is_detector(detector):
        return None
    info = garak_module("garak._plugins").plugin_info(f"detectors.{detector}")
    stated = info.get("lang_spec")
    return stated if isinstance(stated, str) else None


def _record(
    number: int, raw: Row, path: str, innocent: frozenset[str]
) -> tuple[Record, list[Problem]]:
    detector = stem_of(path)
    problems = [
        *field_problems(raw, detector),
        *harm_problems(raw, innocent),
        *rating_problems(raw),
    ]
    row: LabelledRow | None = None
    if all(problem.rule != "fields" for problem in problems):
        rule = "fields"
        try:
            source = LabelledSource(path=path, detectors=(detector,))
            found_row, _ = read_row(RowForm(), source.record(number, dict(raw)))
            # text where a row is left out, as no row of ours is
            assert not isinstance(found_row, str)
            row, rule = found_row, "slots"
            row = fill_slots(row, word_list)
        except DatasetError as error:
            problems.append(_problem_of(error, rule))
    place = f"line {number} ({str(raw.get('id'))[:60]})"
    return Record(place=place, raw=raw, row=row), problems


def _problem_of(error: DatasetError, rule: str) -> Problem:
    """An error's ``where: problem; remedy``, taken apart."""
    problem, _, remedy = str(error).partition(": ")[2].partition("; ")
    return Problem(rule, problem, remedy or "correct the file")


def check_folder(folder: str) -> list[str]:
    """Check what holds for the folder as a whole: which detectors its files serve."""
    found = _Findings()
    rows = read_rows(Path(folder))
    try:
        found.add(SERVED_BY, _served_problems(served_by(folder), set(rows)))
    except DatasetError as error:
        found.add(folder, [_problem_of(error, "served")])
    for name in (TRIVIAL_REASONS, FEW_ROWS_REASONS):
        stale = sorted(set(_reasons(folder, name)) - set(rows))
        for detector in stale:
            reason = f"a reason for {detector}, which has no labelled file"
            found.add(name, [Problem("reasons", reason, "take it out")])
    every = [row for of_detector in rows.values() for row in of_detector]
    found.add(folder, agreement_problems(every, LEAST_ALPHA_OF_ALL))
    found.add(folder, real_row_problems(rows))
    return found.lines


def _served_problems(mapping: Mapping[str, str], stems: set[str]) -> Iterator[Problem]:
    for detector, stem in mapping.items():
        yield from _name_problems(detector)
        if stem not in stems:
            yield Problem(
                "served",
                f"{detector} is served by {stem}{ENDING}, which does not exist",
                "add the file, or name another",
            )
    served = stems | set(mapping)
    if len(served) < LEAST_SERVED:
        yield Problem(
            "served",
            f"{len(served)} detectors have data, at least {LEAST_SERVED} expected",
            "add labelled files, or entries here",
        )
