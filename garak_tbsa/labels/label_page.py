# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of a report on a page to label them on: a file for others, or a server's.

The file holds prompts, texts, goals and labelling rules: no verdict, no score, and
nothing else that a detector said. What is shown was made harmless here, and reaches the
page as text; ids, which a label has to name as they are, are not shown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from statistics import median
from typing import Any

from markupsafe import Markup
from msgspec import structs

from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.attempts import prompt_text
from garak_tbsa.garak_files.places import LABELS, labels_path
from garak_tbsa.labels.audit import number_of
from garak_tbsa.labels.labelling_rules import general_rules, stated_rules
from garak_tbsa.labels.questions import LabellingTask, Question
from garak_tbsa.labels.scan import wanted_attempts
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.safe_text import readable, shown

IN_HTML = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
"""JSON that no parser of HTML takes for markup."""

A_MINUTE = 1_200
"""Characters that somebody reads in a minute, who looks for a failure."""

AN_ANSWER = 8
"""Seconds for prompt, rule and answer."""

FEW_MINUTES = 7
"""Up to which minutes are not rounded to five."""

USUAL_LABELS = 60
"""How many somebody gives who names no number."""

LONGEST_TEXT = 100_000
"""Characters, beyond which the middle of a text is left out."""


def effort_text(lengths: Iterable[int], labels: int = USUAL_LABELS) -> str:
    """Say how long labelling takes, by the characters of the outputs to label."""
    middle = int(median([*lengths] or [0]))
    exact = labels * (middle / A_MINUTE + AN_ANSWER / 60)
    minutes = 5 * round(exact / 5) if exact > FEW_MINUTES else max(1, round(exact))
    return (
        f"{number_of(labels, 'label')} take{'s' * (labels == 1)} about"
        f" {number_of(minutes, 'minute')}: half of the outputs have more than"
        f" {middle:,} characters"
    )


class Texts:
    """What is shown of a report's outputs, read again where it is not held.

    Only what is asked for is held, since a report may be larger than the memory.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: Mapping[Place, dict[str, str | None]] = {}

    def of(self, question: Question, upcoming: Iterable[Place]) -> dict[str, Any]:
        """Return what is shown of an output.

        Parameters
        ----------
        question : Question
        upcoming : iterable of Place
            What may be asked for soon, and is read with it.

        Raises
        ------
        ReportError
            The report cannot be read, or no longer has this output.
        """
        place = question.place
        if place not in self._held:
            self._held = self._read({place, *upcoming})
        if place not in self._held:
            raise ReportError(
                self._path,
                f"no longer has output {place.output_index} of attempt {place.attempt}",
                "label a report that no scan writes to",
            )
        return {
            "probe_shown": readable(shown(question.probe)),
            "detector_shown": readable(shown(question.detector)),
            **self._held[place],
            "rule": tuple(map(readable, stated_rules(question.detector))),
        }

    def _read(self, wanted: Collection[Place]) -> dict[Place, dict[str, str | None]]:
        attempts = {place.attempt for place in wanted}
        found: dict[Place, dict[str, str | None]] = {}
        for name, attempt in wanted_attempts(self._path, attempts):
            goal = None if attempt.goal is None else readable(shown(attempt.goal))
            prompt = readable(shown(prompt_text(attempt.prompt), LONGEST_TEXT))
            for index, output in enumerate(attempt.outputs):
                place = Place(name, index)
                if place in wanted:
                    text = output.text and readable(shown(output.text, LONGEST_TEXT))
                    found[place] = {"goal": goal, "prompt": prompt, "text": text}
        return found


def page_text(
    report: str,
    run: str | None,
    task: LabellingTask,
    questions: Sequence[Question],
    texts: Texts,
    rater: str = "",
) -> str:
    """Return the page that holds all its outputs, and exports what is said of them.

    Parameters
    ----------
    report : str
        Its path.
    run : str or None
        The uuid of its run: answers in a browser are kept under it.
    task : LabellingTask
    questions : sequence of Question
    texts : Texts
    rater : str
        Who labels; empty to have the page ask.

    Raises
    ------
    ReportError
        The report cannot be read, or no longer has one of the outputs.
    """
    places = [question.place for question in questions]
    # many outputs share prompts and rules
    prompts: dict[str, int] = {}
    rules: dict[tuple[str, ...], int] = {}
    rows = []
    for question in questions:
        row = texts.of(question, places)
        row |= structs.asdict(question.place)
        row["detector"] = question.detector
        row["prompt"] = prompts.setdefault(row["prompt"], len(prompts))
        row["rule"] = rules.setdefault(row["rule"], len(rules))
        rows.append(row)
    document = {
        "report": run or _known_by(task),
        "name": os.path.basename(labels_path(report)).removesuffix(LABELS),
        "rater": rater,
        "questions": rows,
        "prompts": list(prompts),
        "rules": list(rules),
    }
    effort = effort_text(len(row["text"] or "") for row in rows)
    return _page(report, document, "label_mailed.js", effort, outputs=len(rows))


def _known_by(task: LabellingTask) -> str:
    """Return a name for a report that has none: a hash of its attempts' ids."""
    attempts = sorted({place.attempt for place, _ in task.scan.stratum_of})
    return sha256("\n".join(attempts).encode("utf-8", "surrogatepass")).hexdigest()


def live_page(report: str, rater: str, number: int, count: int, effort: str) -> str:
    """Return the page of a server, which asks it for each output.

    Parameters
    ----------
    report : str
        Its path.
    rater : str
        Who labels, until the page is told another name.
    number, count : int
        Which report it is, from 1, of how many.
    effort : str
        How long labelling takes.
    """
    document = {"rater": rater, "next": f"../{number + 1}/" if number < count else None}
    return _page(report, document, "label_live.js", effort)


def _page(
    report: str,
    document: dict[str, Any],
    script: str,
    effort: str,
    outputs: int | None = None,
) -> str:
    data = json.dumps(document, allow_nan=False).translate(IN_HTML)
    return filled(
        "label.html",
        {
            "report": shown(os.path.basename(report)),
            "outputs": outputs,
            "effort": effort,
            "general": general_rules(),
            "data": Markup(data),  # noqa: S704 - JSON without characters of markup
        },
        styles=["label.css"],
        scripts=[script, "label.js"],
    )
