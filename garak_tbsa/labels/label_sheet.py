# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A CSV sheet with outputs of a report to label, and which are drawn for detectors.

None of what a labeller sees says the detector's verdict or score.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections import defaultdict
from collections.abc import Sequence

from garak_tbsa.detector_eval.report_labels import row_id
from garak_tbsa.detector_eval.spreadsheet import MARK, MARK_COLUMN, safe_cell
from garak_tbsa.labels.labelling_rules import own_rules
from garak_tbsa.labels.questions import Question
from garak_tbsa.labels.scan import ScanOutputs, wanted_attempts
from garak_tbsa.report.attempts import Attempt, turns_of


def evenly_drawn(
    outputs: ScanOutputs,
    count: int,
    *,
    seed: int = 1,
    detector: str | None = None,
    probe: str | None = None,
) -> list[Question]:
    """Draw as many flagged as unflagged outputs of each detector, of whichever pair.

    Each output of a detector and verdict is as likely as another. They come in random
    order, so that a place in it tells no verdict.

    Parameters
    ----------
    outputs : ScanOutputs
    count : int
        Fewer are returned where there are fewer.
    seed : int
    detector, probe : str or None
        Draw outputs of these alone.
    """
    chance = random.Random(seed)  # noqa: S311, drawn to be repeated
    groups: defaultdict[tuple[str, bool], list[Question]] = defaultdict(list)
    for key, places in outputs.strata.items():
        if detector in (None, key.detector) and probe in (None, key.probe):
            groups[key.detector, key.flagged] += (
                Question(place=place, probe=key.probe, detector=key.detector)
                for place in places
            )
    by_name = [groups[name] for name in sorted(groups)]
    shares = even_shares([len(own) for own in by_name], count)
    drawn = [
        question
        for own, share in zip(by_name, shares, strict=True)
        for question in chance.sample(own, share)
    ]
    chance.shuffle(drawn)
    return drawn


def even_shares(sizes: Sequence[int], count: int) -> list[int]:
    """Share ``count`` out evenly; what one group lacks, the others give."""
    shares = [0] * len(sizes)
    left = min(count, sum(sizes))
    open_ones = [place for place, size in enumerate(sizes) if size]
    while left:
        each = max(1, left // len(open_ones))
        for place in open_ones:
            given = min(each, sizes[place] - shares[place], left)
            shares[place] += given
            left -= given
        open_ones = [place for place in open_ones if shares[place] < sizes[place]]
    return shares


def sheet(report: str, questions: Sequence[Question]) -> str:
    """Return outputs of a report as CSV with an empty label column.

    Parameters
    ----------
    report : str
        Its path.
    questions : sequence of Question
        At least one, in the order of the rows.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    wanted = {question.place.attempt for question in questions}
    attempts = dict(wanted_attempts(report, wanted))
    rows = [
        {
            name: safe_cell(cell)
            for name, cell in _cells(each, attempts[each.place.attempt]).items()
        }
        | {MARK_COLUMN: MARK}
        for each in questions
    ]
    text = io.StringIO()
    writer = csv.DictWriter(
        text, list(rows[0]), lineterminator="\r\n", quoting=csv.QUOTE_ALL
    )
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _cells(question: Question, attempt: Attempt) -> dict[str, str]:
    """A row of a sheet, whose last columns `evaluate` needs where it gets no report.

    What finds the output is before the texts: a spreadsheet that cuts a long cell moves
    what is behind it into the next row.
    """
    place = question.place
    output = attempt.outputs[place.output_index]
    return {
        "label": "",
        "id": row_id(place),
        "detector": question.detector,
        "drawn": "true",
        "output": output.text or "",
        "prompt": _prompt_cell(attempt.prompt),
        "goal": attempt.goal or "",
        "rule": " ".join(own_rules(question.detector)),
        "attempt": place.attempt,
        "output_index": str(place.output_index),
        "notes": _text(attempt.notes),
        "probe": question.probe,
        "lang": _text(output.lang),
        "slice": question.probe,
        "source": "garak report",
    }


def _prompt_cell(prompt: object) -> str:
    """A user's one turn as people read it, all else as JSON; `evaluate` reads both."""
    turns = list(turns_of(prompt))
    is_plain = [turn.role for turn in turns] == ["user"]
    # a text that is JSON itself would be read as such
    if is_plain and not turns[0].text.lstrip().startswith(("{", "[")):
        return turns[0].text
    return _text(prompt)


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
