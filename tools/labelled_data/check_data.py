# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether shipped labelled data keeps its rules, and what to do where it does not.

The rules are those of ``data/detectors-eval/README.md``. Nothing is raised at the
first mistake: a contributor gets all of them at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from garak_tbsa.detector_eval.reading import Reading
from garak_tbsa.detector_eval.shipped import SERVED_BY, served_by
from garak_tbsa.detector_eval.slots import WordList, fill_slots
from garak_tbsa.detector_eval.sources import (
    LabelledSource,
    read_json_lines,
    stem_of,
)
from garak_tbsa.errors import DatasetError
from tools.labelled_data.families import FAMILIES, Family, families, family_problem
from tools.labelled_data.file_rules import (
    FEW_ROWS_REASONS,
    TRIVIAL_REASONS,
    Record,
    copied_rows,
    count_problems,
    language_problems,
    repeated_ids,
    trivial_problems,
    typical_outputs,
)
from tools.labelled_data.garak_facts import GarakFacts
from tools.labelled_data.rating_rules import (
    LEAST_ALPHA,
    LEAST_ALPHA_OF_ALL,
    agreement_problems,
    rating_problems,
)
from tools.labelled_data.real_rows import babble_problems, real_row_problems
from tools.labelled_data.response_shapes import (
    RESPONSE_SHAPES,
    Line,
    read_lines,
    shape_problems,
)
from tools.labelled_data.row_rules import (
    HarmRules,
    Problem,
    field_problems,
    harm_problems,
)

if TYPE_CHECKING:
    from garak_tbsa.detector_eval.labelled_row import LabelledRow

LEAST_SERVED = 100

INNOCENT_PHRASES = "innocent_phrases.json"
ENDING = ".jsonl"


@dataclass(frozen=True, kw_only=True)
class Sidecars:
    """What is written beside the labelled data: exceptions, and the families.

    Attributes
    ----------
    few_rows_reasons : mapping of str to str
    families : tuple of Family or None
        None where the data has no ``families.json``, as for data of one's own.
    shapes : tuple of Line or None
        None where the data has no ``response_shapes.json``.
    """

    trivial_reasons: Mapping[str, str]
    innocent_phrases: Mapping[str, str]
    few_rows_reasons: Mapping[str, str] = field(default_factory=dict)
    families: tuple[Family, ...] | None = None
    shapes: tuple[Line, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A broken rule: where, which, and what to do about it.

    Attributes
    ----------
    place : str or None
        Line and id of the row; None where the file as a whole is meant.
    """

    file: str
    place: str | None
    broken: Problem

    @property
    def text(self) -> str:
        """One line that says file, row, problem, remedy and rule."""
        where = self.file if self.place is None else f"{self.file}, {self.place}"
        broken = self.broken
        return f"{where}: {broken.problem}; {broken.remedy} [{broken.rule}]"


@dataclass(frozen=True, kw_only=True)
class FileCheck:
    """What was found in one file, and how many rows it has, stress rows of them."""

    file: str
    rows: int
    stress: int
    findings: tuple[Finding, ...]


def read_sidecars(folder: str) -> Sidecars:
    """Read what is written in ``folder`` or above it; none is fine.

    Raises
    ------
    DatasetError
        A file is no object of name -> reason, or no list of families.
    """
    place = _beside(folder, FAMILIES)
    shapes = _beside(folder, RESPONSE_SHAPES)
    return Sidecars(
        trivial_reasons=_reasons(folder, TRIVIAL_REASONS),
        innocent_phrases=_reasons(folder, INNOCENT_PHRASES),
        few_rows_reasons=_reasons(folder, FEW_ROWS_REASONS),
        families=None if place is None else families(place),
        shapes=None if shapes is None else read_lines(shapes),
    )


def _beside(folder: str, name: str) -> str | None:
    """The file of that name in ``folder`` or above it."""
    for place in (folder, os.path.dirname(os.path.abspath(folder))):
        path = os.path.join(place, name)
        if os.path.isfile(path):
            return path
    return None


def _reasons(folder: str, name: str) -> dict[str, str]:
    path = _beside(folder, name)
    if path is None:
        return {}
    try:
        with open(path, encoding="utf-8") as handle:
            reasons = json.load(handle)
    except (OSError, ValueError):
        reasons = None
    if isinstance(reasons, dict) and all(
        isinstance(reason, str) and reason.strip() for reason in reasons.values()
    ):
        return reasons
    raise DatasetError(f"{path}: expected an object whose values are reasons")


def check_file(
    path: str, garak: GarakFacts, sidecars: Sidecars, *, quick: bool = False
) -> FileCheck:
    """Check one ``<module>.<Class>.jsonl``.

    Parameters
    ----------
    quick : bool
        Leave out the rule of trivial features, which takes a second a file.
    """
    findings: list[Finding] = []
    records: list[Record] = []
    detector = stem_of(path)

    def found(place: str | None, problems: Iterable[Problem]) -> None:
        findings.extend(Finding(file=path, place=place, broken=it) for it in problems)

    if not garak.is_detector(detector):
        found(None, [_no_detector(detector)])
    found(None, _family_problems(detector, sidecars.families))
    harm = HarmRules(
        severe_words=garak.severe_words, innocent_phrases=sidecars.innocent_phrases
    )
    try:
        for number, raw in read_json_lines(path):
            place = f"line {number} ({str(raw.get('id'))[:60]})"
            problems = [
                *field_problems(raw, detector),
                *harm_problems(raw, harm),
                *rating_problems(raw),
            ]
            row: LabelledRow | None = None
            if all(problem.rule != "fields" for problem in problems):
                row, more = _parsed(raw, number, detector, path, garak.word_list)
                problems += more
            found(place, problems)
            records.append(Record(place=place, raw=raw, row=row))
    except DatasetError as error:
        found(None, [_problem_of(error, "json")])
    raw_rows = [record.raw for record in records]
    found(None, count_problems(records, sidecars.few_rows_reasons.get(detector)))
    found(None, agreement_problems(raw_rows, LEAST_ALPHA))
    found(None, babble_problems(raw_rows))
    found(None, language_problems(records, garak.languages_of(detector)))
    if sidecars.shapes is not None:
        found(None, shape_problems(detector, typical_outputs(records), sidecars.shapes))
    if not quick:
        found(None, trivial_problems(records, sidecars.trivial_reasons.get(detector)))
    for place, problem in (*repeated_ids(records), *copied_rows(records)):
        found(place, [problem])
    return FileCheck(
        file=path,
        rows=len(records),
        stress=sum("why" in record.raw for record in records),
        findings=tuple(findings),
    )


def _no_detector(name: str) -> Problem:
    return Problem(
        rule="names",
        problem=f"{name!r} is no detector of the installed garak",
        remedy="name it <module>.<Class>.jsonl as `garak --list_detectors` does",
    )


def _family_problems(
    detector: str, known: Sequence[Family] | None
) -> Iterator[Problem]:
    text = None if known is None else family_problem(detector, known)
    if text is not None:
        problem, _, remedy = text.partition("; ")
        yield Problem(
            rule="families", problem=f"{problem} of {FAMILIES}", remedy=remedy
        )


def _parsed(
    raw: Mapping[str, Any],
    number: int,
    detector: str,
    path: str,
    word_list: WordList,
) -> tuple[LabelledRow | None, list[Problem]]:
    try:
        source = LabelledSource(path=path, detector=detector)
        row, _ = Reading().form().read(dict(raw), source, number)
    except DatasetError as error:
        return None, [_problem_of(error, "fields")]
    if isinstance(row, str):  # a row of ours is never left out
        return None, []
    try:
        return fill_slots(row, word_list), []
    except DatasetError as error:
        return row, [_problem_of(error, "slots")]


def _problem_of(error: DatasetError, rule: str) -> Problem:
    """An error's ``where: problem; remedy``, taken apart."""
    _, _, said = str(error).partition(": ")
    problem, _, remedy = said.partition("; ")
    return Problem(rule=rule, problem=problem, remedy=remedy or "correct the file")


def check_folder(folder: str, garak: GarakFacts, sidecars: Sidecars) -> list[Finding]:
    """Check what holds for the folder as a whole: which detectors its files serve."""
    stems = {stem_of(name) for name in os.listdir(folder) if name.endswith(ENDING)}
    try:
        mapping = served_by(folder)
    except DatasetError as error:
        return [Finding(file=folder, place=None, broken=_problem_of(error, "served"))]
    rows = {
        stem: [raw for _, raw in read_json_lines(os.path.join(folder, stem + ENDING))]
        for stem in sorted(stems)
    }
    every = [row for of_detector in rows.values() for row in of_detector]
    return [
        *_findings(SERVED_BY, _served_problems(mapping, stems, garak)),
        *_findings(
            TRIVIAL_REASONS,
            _stale_problems(sidecars.trivial_reasons, stems),
        ),
        *_findings(FEW_ROWS_REASONS, _stale_problems(sidecars.few_rows_reasons, stems)),
        *_findings(folder, agreement_problems(every, LEAST_ALPHA_OF_ALL)),
        *_findings(folder, real_row_problems(rows)),
    ]


def _findings(file: str, problems: Iterable[Problem]) -> Iterator[Finding]:
    for problem in problems:
        yield Finding(file=file, place=None, broken=problem)


def _served_problems(
    mapping: Mapping[str, str], stems: set[str], garak: GarakFacts
) -> Iterator[Problem]:
    for detector, stem in mapping.items():
        if not garak.is_detector(detector):
            yield _no_detector(detector)
        if stem not in stems:
            yield Problem(
                rule="served",
                problem=f"{detector} is served by {stem}{ENDING}, which does not exist",
                remedy="add the file, or name another",
            )
    served = stems | set(mapping)
    if len(served) < LEAST_SERVED:
        yield Problem(
            rule="served",
            problem=f"{len(served)} detectors have data, at least {LEAST_SERVED}"
            " expected",
            remedy="add labelled files, or entries here",
        )


def _stale_problems(reasons: Mapping[str, str], stems: set[str]) -> Iterator[Problem]:
    for detector in sorted(set(reasons) - stems):
        yield Problem(
            rule="reasons",
            problem=f"a reason for {detector}, which has no labelled file",
            remedy="take it out",
        )
