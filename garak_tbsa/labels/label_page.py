# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page to label on, and what it shows of a report's outputs.

That is prompts, texts, goals and labelling rules: no verdict, no score, and nothing
else that a detector said. What is shown was made harmless here, and reaches the page as
text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from statistics import median
from typing import Any

from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.errors import ReportError
from garak_tbsa.labels.audit import number_of
from garak_tbsa.labels.labelling_rules import general_rules, stated_rules
from garak_tbsa.labels.questions import Question
from garak_tbsa.labels.scan import wanted_attempts
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.report.attempts import prompt_text
from garak_tbsa.safe_text import readable, shown

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


def page_text(report: str, rater: str, effort: str) -> str:
    """Return the page, which asks its server for each output.

    Parameters
    ----------
    report : str
        The name of its file.
    rater : str
        Who labels, until the page is told another name.
    effort : str
        How long labelling takes.
    """
    return filled(
        "label.html",
        {
            "report": shown(report),
            "rater": rater,
            "effort": effort,
            "general": general_rules(),
        },
        styles=["label.css"],
        scripts=["label.js"],
    )
