# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far the blind rater agrees with people, on a published set that people labelled.

The set's rows are not kept here: the rater's labels are, by the hash of what the rater
saw, so that whoever has the published file can count again.

The set was labelled by its own definition: an answer to another question counts as a
refusal there, and half of its passes are such. Ours calls it a hit of MitigationBypass.
The rater therefore labelled the rows twice, in two sessions: by each definition.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from garak_tbsa.detector_eval.agreement import AgreementTally
from garak_tbsa.detector_eval.formats import read_records
from garak_tbsa.detector_eval.preset import find_preset
from garak_tbsa.errors import DatasetError
from garak_tbsa.files import write_whole
from tools.labelled_data.blind import SECOND, content_of, read_ratings
from tools.labelled_data.families import DATA

HUMAN_CHECK = DATA / "human_check.json"
PRESET = "pyrit-refusal"
DETECTOR = "mitigation.MitigationBypass"
"""Whose rules the rater was given."""

SHEET = HUMAN = "human"
OURS, THEIRS = "ours", "theirs"
"""By whose definition of a refusal the rater labelled."""

_BY = {
    THEIRS: "with the set's own definition of a refusal",
    OURS: f"with the rules of `{DETECTOR}`, by which an answer to another question is"
    " no refusal,",
}
COLUMNS = ("prompt", "output", "label")


@dataclass(frozen=True, kw_only=True)
class HumanCheck:
    """Labels of people and of the rater, counted.

    Attributes
    ----------
    both_hit, both_pass, rater_hit, rater_pass : int
        Rows by label; the last two are those on which they differ.
    alpha : float
        Krippendorff's, nominal.
    """

    both_hit: int
    both_pass: int
    rater_hit: int
    rater_pass: int
    alpha: float

    @property
    def rows(self) -> int:
        """Rows with both labels."""
        return self.both_hit + self.both_pass + self.rater_hit + self.rater_pass

    @property
    def counts(self) -> str:
        """The counts in words."""
        return (
            f"the people's label to {self.both_hit + self.both_pass}, an alpha of"
            f" {self.alpha:.2f} (of the others it called {self.rater_hit} a hit and"
            f" {self.rater_pass} a pass)"
        )


def published_labels(path: str) -> dict[str, str]:
    """Return people's labels by the content of the row, as a rater sees it.

    The file has either the preset's columns or ``prompt``, ``output`` and ``label``.

    Raises
    ------
    DatasetError
        A row has neither.
    """
    return dict(_published(path))


def _published(path: str) -> Iterator[tuple[str, str]]:
    preset = find_preset(PRESET)
    columns: dict[str, str] = {
        name: of_set[0] for name, of_set in preset.columns.items()
    }
    of_value = {
        value: label for label, values in preset.labels.items() for value in values
    }
    for place, row in read_records(path):
        ours = all(name in row for name in COLUMNS)
        if not ours and not all(name in row for name in columns.values()):
            raise DatasetError(
                f"{path}, row {place}: expected the columns"
                f" {', '.join(columns.values())} or {', '.join(COLUMNS)}; give the file"
                f" of {PRESET}"
            )
        prompt, output, label = (
            row[name if ours else columns[name]] for name in COLUMNS
        )
        said = str(label)
        yield (
            content_of({"prompt": prompt, "output": output}),
            said if ours else of_value[said],
        )


def counted(people: Mapping[str, str], rater: Mapping[str, str]) -> HumanCheck:
    """Compare labels of the same rows.

    Raises
    ------
    DatasetError
        The rater labelled none of the rows, or all have one label.
    """
    pairs = [(people[row], label) for row, label in rater.items() if row in people]
    tally = AgreementTally()
    for human, label in pairs:
        tally.add_labels({HUMAN: human, SECOND: label})
    agreement = tally.result()
    if agreement is None or agreement.alpha is None:
        raise DatasetError(
            f"{PRESET}: no rows of both labels that the rater labelled; give the file"
            " that the rater's sheet was made of"
        )
    return HumanCheck(
        both_hit=pairs.count(("hit", "hit")),
        both_pass=pairs.count(("pass", "pass")),
        rater_hit=pairs.count(("pass", "hit")),
        rater_pass=pairs.count(("hit", "pass")),
        alpha=agreement.alpha,
    )


def read_checks(path: Path = HUMAN_CHECK) -> dict[str, HumanCheck]:
    """Read the counts that were kept, by definition."""
    kept = json.loads(path.read_text("utf-8"))["checks"]
    return {name: HumanCheck(**check["counts"]) for name, check in kept.items()}


def sentence(checks: Mapping[str, HumanCheck]) -> str:
    """Say how far rater and people agree, by both definitions."""
    rows = sorted({str(check.rows) for check in checks.values()})
    said = [
        f"{_BY[definition]} it gave {checks[definition].counts}"
        for definition in (THEIRS, OURS)
        if definition in checks
    ]
    return (
        f"The rater was also measured, blind, on {' and '.join(rows)} published"
        f" responses that people had labelled (`{PRESET}`): {'; '.join(said)}."
    )


def count_again(data: str, path: Path = HUMAN_CHECK) -> dict[str, HumanCheck]:
    """Hold the counts that were kept against a published file.

    Raises
    ------
    DatasetError
        A file is not as it should be, or its counts are others.
    """
    people = published_labels(data)
    kept = json.loads(path.read_text("utf-8"))["checks"]
    made = {name: counted(people, check["labels"]) for name, check in kept.items()}
    if made != read_checks(path):
        raise DatasetError(
            f"{path}: its counts are not those of {data}; make it again with --folder"
        )
    return made


def take_labels(
    data: str, folder: Path, definition: str, path: Path = HUMAN_CHECK
) -> HumanCheck:
    """Count a rater's new labels against a published file, and keep them.

    Parameters
    ----------
    data : str
    folder : Path
        With ``human.sheet.jsonl`` and ``human.labels.tsv``.
    definition : str
        :data:`OURS` or :data:`THEIRS`.

    Raises
    ------
    DatasetError
        A file is not as it should be.
    """
    rater = read_ratings(folder, SHEET)
    check = counted(published_labels(data), rater)
    kept = json.loads(path.read_text("utf-8")) if path.is_file() else {"checks": {}}
    kept["checks"][definition] = {
        "counts": vars(check),
        "labels": dict(sorted(rater.items())),
    }
    made = {"preset": PRESET, "detector": DETECTOR, "checks": kept["checks"]}
    write_whole(str(path), json.dumps(made, indent=1) + "\n")
    return check
