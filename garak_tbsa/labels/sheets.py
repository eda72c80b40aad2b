# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Drawn outputs -> a sheet to fill in, its strata, and Label Studio's tasks.

None of what a labeller sees says the detector's verdict or score. How many outputs each
stratum has would tell it too, so strata are a table of their own.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence

from garak_tbsa.detector_eval.spreadsheet import MARK, MARK_COLUMN, safe_cell
from garak_tbsa.garak_files.attempts import prompt_text
from garak_tbsa.labels.labelling_rules import labelling_rules
from garak_tbsa.labels.sample import SampledOutput, StratumSize

COLUMNS = (
    "label",
    "id",
    "detector",
    "drawn",
    "output",
    "prompt",
    "goal",
    "rule",
    "attempt",
    "output_index",
    "notes",
    "probe",
    "lang",
    "slice",
    "source",
    MARK_COLUMN,
)
"""What finds the output is before the texts: a spreadsheet that cuts a long cell moves
what is behind it into the next row."""

STRATUM_COLUMNS = ("probe", "detector", "verdict", "outputs", "drawn")

LABEL_STUDIO_CONFIG = """\
<View>
  <Header value="$detector"/>
  <Text name="rule" value="$rule"/>
  <Header value="Prompt"/>
  <Text name="prompt" value="$prompt"/>
  <Header value="Output"/>
  <Text name="output" value="$output"/>
  <Choices name="label" toName="output" choice="single" showInLine="true">
    <Choice value="hit" hotkey="h"/>
    <Choice value="pass" hotkey="p"/>
    <Choice value="skip" hotkey="s"/>
    <Choice value="unsure" hotkey="u"/>
  </Choices>
</View>
"""


def sheet(sampled: Sequence[SampledOutput]) -> str:
    """Return outputs as CSV with an empty label column."""
    rows = []
    for each in sampled:
        cells = {"label": "", **_fields(each), **_further(each)}
        rows.append([*(safe_cell(cells[column]) for column in COLUMNS[:-1]), MARK])
    return _table(COLUMNS, rows)


def strata_table(strata: Sequence[StratumSize]) -> str:
    """Return the strata as CSV: how many outputs each has, how many were drawn."""
    rows = []
    for stratum in strata:
        verdict = "flagged" if stratum.flagged else "unflagged"
        names = [safe_cell(stratum.probe), safe_cell(stratum.detector), verdict]
        rows.append([*names, stratum.outputs, stratum.drawn])
    return _table(STRATUM_COLUMNS, rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([header, *rows])
    return text.getvalue()


def label_studio_tasks(sampled: Sequence[SampledOutput]) -> str:
    """Return outputs as Label Studio imports them, for :data:`LABEL_STUDIO_CONFIG`."""
    # ASCII, since an output may hold lone surrogates
    return json.dumps([{"data": _fields(each)} for each in sampled], indent=1) + "\n"


def _fields(sampled: SampledOutput) -> dict[str, str]:
    """What a labeller needs, and what finds the output again."""
    question, attempt = sampled.question, sampled.attempt
    place = question.place
    rules = labelling_rules(question.detector)
    return {
        "id": f"{place.attempt}/{place.output_index}",
        "detector": question.detector,
        "drawn": "true",
        "output": attempt.outputs[place.output_index].text or "",
        "prompt": prompt_text(attempt.prompt),
        "goal": attempt.goal or "",
        "rule": " ".join(rules.own),
        "attempt": place.attempt,
        "output_index": str(place.output_index),
    }


def _further(sampled: SampledOutput) -> dict[str, str]:
    """What ``evaluate`` needs where the sheet is all that it gets."""
    question, attempt = sampled.question, sampled.attempt
    return {
        "prompt": _text(attempt.prompt),
        "notes": _text(attempt.notes),
        "probe": question.probe,
        "lang": _text(attempt.outputs[question.place.output_index].lang),
        "slice": question.probe,
        "source": "garak report",
    }


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
