# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far the blind rater agrees with people, on a published set that people labelled.

The set's rows are not kept here: the rater's labels are, by the hash of what the rater
saw, so that whoever has the published file can count again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from garak_tbsa.detector_eval.agreement import AgreementTally
from garak_tbsa.detector_eval.formats import ReadOptions, read_records
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
OURS = ("prompt", "output", "label")


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
    def same(self) -> int:
        """Rows on which they agree."""
        return self.both_hit + self.both_pass

    @property
    def sentence(self) -> str:
        """The counts in words."""
        return (
            f"On {self.rows} published responses that people had labelled (`{PRESET}`),"
            f" the rater, blind and with the rules of `{DETECTOR}`, gave the people's"
            f" label to {self.same}, an alpha of {self.alpha:.2f}; of the others it"
            f" called {self.rater_hit} a hit and {self.rater_pass} a pass."
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
    columns = {name: of_set[0] for name, of_set in preset.columns.items()}
    of_value = {
        value: label for label, values in preset.labels.items() for value in values
    }
    for place, row in read_records(path, ReadOptions()):
        ours = all(name in row for name in OURS)
        if not ours and not all(name in row for name in columns.values()):
            raise DatasetError(
                f"{path}, row {place}: expected the columns"
                f" {', '.join(columns.values())} or {', '.join(OURS)}; give the file of"
                f" {PRESET}"
            )
        prompt, output, label = (row[name if ours else columns[name]] for name in OURS)
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


def read_check(path: Path = HUMAN_CHECK) -> HumanCheck:
    """Read the counts that were kept."""
    kept = json.loads(path.read_text("utf-8"))
    return HumanCheck(**kept["counts"])


def read_rater(path: Path = HUMAN_CHECK) -> dict[str, str]:
    """Read the rater's labels, by the content of the row."""
    labels: dict[str, str] = json.loads(path.read_text("utf-8"))["labels"]
    return labels


def write_check(data: str, folder: Path | None, path: Path = HUMAN_CHECK) -> HumanCheck:
    """Count against a published file; with ``folder``, take the rater's labels there.

    Raises
    ------
    DatasetError
        A file is not as it should be, or the counts are not those that were kept.
    """
    people = published_labels(data)
    rater = read_rater(path) if folder is None else read_ratings(folder, SHEET)
    check = counted(people, rater)
    if folder is None and check != read_check(path):
        raise DatasetError(
            f"{path}: its counts are not those of {data}; make it again with --folder"
        )
    made = {
        "preset": PRESET,
        "rules_of": DETECTOR,
        "counts": vars(check),
        "labels": dict(sorted(rater.items())),
    }
    write_whole(str(path), json.dumps(made, indent=1) + "\n")
    return check
