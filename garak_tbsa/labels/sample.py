# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs of a report are drawn for labelling, and the sheets that ask for them.

Within a stratum, the outputs of a pair with one verdict, the draw is random. How many
come from which stratum is free: labels are weighted by their stratum.

None of what a labeller sees says the detector's verdict or score. How many outputs each
stratum has would tell it too, so strata are a table of their own.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from garak_tbsa.detector_eval.report_labels import Judged, Place, Said, StratumKey
from garak_tbsa.detector_eval.spreadsheet import MARK, MARK_COLUMN, safe_cell
from garak_tbsa.garak_files.attempts import Attempt, prompt_text, turns_of
from garak_tbsa.labels.labelling_rules import own_rules
from garak_tbsa.labels.questions import Question, labelling_task
from garak_tbsa.labels.scan import ScanOutputs, wanted_attempts
from garak_tbsa.tbsa.grades import GradedPair

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


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnSample:
    """Outputs drawn for labelling.

    Attributes
    ----------
    questions : sequence of Question
        In random order, so that a place in it tells no verdict.
    strata : mapping of StratumKey to sequence of Place
        All outputs that could be drawn.
    """

    questions: Sequence[Question]
    strata: Mapping[StratumKey, Sequence[Place]]

    @property
    def sizes(self) -> list[tuple[StratumKey, int, int]]:
        """By probe, detector and verdict: outputs of each stratum, and those drawn."""
        drawn = {question.judged for question in self.questions}
        return [
            (key, len(own), sum((place, key.detector) in drawn for place in own))
            for key, own in sorted(
                self.strata.items(),
                key=lambda each: (each[0].probe, each[0].detector, not each[0].flagged),
            )
        ]


def draw(
    outputs: ScanOutputs,
    count: int,
    *,
    graded: Sequence[GradedPair] | None = None,
    detector: str | None = None,
    seed: int = 1,
    said: Mapping[Judged, Said] = MappingProxyType({}),
) -> DrawnSample:
    """Draw outputs for labelling; fewer where there are fewer.

    Parameters
    ----------
    outputs : ScanOutputs
    count : int
    graded : sequence of GradedPair or None
        The pairs that count in the score: those outputs are drawn whose labels are
        expected to narrow its range most. Where None, as many of each detector and
        verdict, every one as likely, of whichever pair.
    detector : str or None
        Of this one alone.
    seed : int
    said : mapping of (Place, detector) to (int, int)
        What was said already, hits and passes: these are not drawn again, and what
        they tell decides where others are drawn for the score.
    """
    strata = outputs.strata_of(detector)
    if graded is None:
        return DrawnSample(
            questions=_evenly_drawn(strata, count, seed, said), strata=strata
        )
    task = labelling_task(graded, outputs, seed=seed, detector=detector)
    pairs = [task.scan.pairs[stratum.pair] for stratum in task.scan.strata]
    audited = {(pair.probe, pair.detector) for pair in pairs}
    return DrawnSample(
        questions=task.at_once(said, count),
        strata={
            key: own
            for key, own in strata.items()
            if (key.probe, key.detector) in audited
        },
    )


def _evenly_drawn(
    strata: Mapping[StratumKey, Sequence[Place]],
    count: int,
    seed: int,
    known: Collection[Judged],
) -> list[Question]:
    chance = random.Random(seed)  # noqa: S311, drawn to be repeated
    groups: defaultdict[tuple[str, bool], list[Question]] = defaultdict(list)
    for key, own in strata.items():
        groups[key.detector, key.flagged] += (
            Question(place=place, probe=key.probe, detector=key.detector)
            for place in own
            if (place, key.detector) not in known
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


Sampled = tuple[Question, Attempt]
"""A drawn output, with all that its labeller and its detector need."""


def read_sampled(path: str, questions: Sequence[Question]) -> list[Sampled]:
    """Read drawn outputs, in the order in which they were drawn.

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    wanted = {question.place.attempt for question in questions}
    found = dict(wanted_attempts(path, wanted))
    return [(question, found[question.place.attempt]) for question in questions]


def sheet(sampled: Iterable[Sampled]) -> str:
    """Return outputs as CSV with an empty label column; at least one."""
    rows = [
        {name: safe_cell(cell) for name, cell in _cells(*each).items()}
        | {MARK_COLUMN: MARK}
        for each in sampled
    ]
    return _table([list(rows[0]), *(list(row.values()) for row in rows)])


def _cells(question: Question, attempt: Attempt) -> dict[str, str]:
    """A row of a sheet, whose last columns `evaluate` needs where it gets no report.

    What finds the output is before them: a spreadsheet that cuts a long cell moves what
    is behind it into the next row.
    """
    return {
        "label": "",
        **_fields(question, attempt),
        "prompt": _prompt_cell(attempt.prompt),
        "notes": _text(attempt.notes),
        "probe": question.probe,
        "lang": _text(attempt.outputs[question.place.output_index].lang),
        "slice": question.probe,
        "source": "garak report",
    }


def strata_table(sample: DrawnSample) -> str:
    """Return the strata as CSV: how many outputs each has, how many were drawn."""
    rows = [
        [
            safe_cell(key.probe),
            safe_cell(key.detector),
            "flagged" if key.flagged else "unflagged",
            outputs,
            drawn,
        ]
        for key, outputs, drawn in sample.sizes
    ]
    return _table([["probe", "detector", "verdict", "outputs", "drawn"], *rows])


def _table(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def label_studio_tasks(sampled: Iterable[Sampled]) -> str:
    """Return outputs as Label Studio imports them, for :data:`LABEL_STUDIO_CONFIG`."""
    tasks = [{"data": _fields(*each)} for each in sampled]
    # ASCII, since an output may hold lone surrogates
    return json.dumps(tasks, indent=1, allow_nan=False) + "\n"


def _fields(question: Question, attempt: Attempt) -> dict[str, str]:
    """What a labeller needs, and what finds the output again."""
    place = question.place
    return {
        "id": f"{place.attempt}/{place.output_index}",
        "detector": question.detector,
        "drawn": "true",
        "output": attempt.outputs[place.output_index].text or "",
        "prompt": prompt_text(attempt.prompt),
        "goal": attempt.goal or "",
        "rule": " ".join(own_rules(question.detector)),
        "attempt": place.attempt,
        "output_index": str(place.output_index),
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
