# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of a report as a labeller reads them: prompt, text, goal.

Only those asked for are kept, since a report may be larger than the memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.attempts import prompt_text
from garak_tbsa.garak_files.source import DEFAULT_LIMITS, ReadLimits
from garak_tbsa.labels.outputs import Place, wanted_attempts
from garak_tbsa.safe_text import shown

A_MINUTE = 1_200
"""Characters that somebody reads in a minute, who looks for a failure."""

AN_ANSWER = 8
"""Seconds for prompt, rule and answer."""

LONGEST_TEXT = 100_000
"""Characters, beyond which the middle of a text is left out."""


def effort_text(lengths: Iterable[int], labels: int = 60) -> str:
    """Say how long labelling takes, by the characters of the outputs to label."""
    middle = int(median([*lengths] or [0]))
    minutes = labels * (middle / A_MINUTE + AN_ANSWER / 60)
    return (
        f"{labels} labels take about {max(5, 5 * round(minutes / 5))} minutes: half of"
        f" the outputs have more than {middle:,} characters"
    )


@dataclass(frozen=True, kw_only=True)
class OutputText:
    """What is read of one output.

    Attributes
    ----------
    prompt : str
        A conversation has each turn after its role.
    text : str or None
        None where the target gave none.
    goal : str or None
        The probe's.
    """

    prompt: str
    text: str | None
    goal: str | None


def read_texts(
    path: str, wanted: Collection[Place], limits: ReadLimits = DEFAULT_LIMITS
) -> Mapping[Place, OutputText]:
    """Read the texts of some outputs, as they were written, control characters too.

    Parameters
    ----------
    path : str
        The report.
    wanted : collection of Place
    limits : ReadLimits

    Raises
    ------
    ReportError
        The report cannot be read.
    """
    places = frozenset(wanted)
    attempts = {place.attempt for place in places}
    found: dict[Place, OutputText] = {}
    for name, attempt in wanted_attempts(path, attempts, limits):
        prompt = shown(prompt_text(attempt.prompt), LONGEST_TEXT)
        goal = None if attempt.goal is None else shown(attempt.goal)
        for index, output in enumerate(attempt.outputs):
            place = Place(name, index)
            if place in places:
                text = None if output.text is None else shown(output.text, LONGEST_TEXT)
                found[place] = OutputText(prompt=prompt, text=text, goal=goal)
    return found


class Texts:
    """Texts of a report, read again where one is asked for that is not held.

    Parameters
    ----------
    path : str
    limits : ReadLimits
    """

    def __init__(self, path: str, limits: ReadLimits = DEFAULT_LIMITS) -> None:
        self._path = path
        self._limits = limits
        self._held: Mapping[Place, OutputText] = {}

    def of(self, place: Place, upcoming: Iterable[Place]) -> OutputText:
        """Return the text of an output.

        Parameters
        ----------
        place : Place
        upcoming : iterable of Place
            What may be asked for soon, and is read with it.

        Raises
        ------
        ReportError
            The report cannot be read, or no longer has this output.
        """
        held = self._held
        if place not in held:
            held = self.read({place, *upcoming})
        found = held.get(place)
        if found is None:
            raise ReportError(
                self._path,
                f"no longer has output {place.output_index} of attempt {place.attempt}",
                "label a report that no scan writes to",
            )
        return found

    def holds(self, places: Iterable[Place]) -> bool:
        """Whether none of these has to be read."""
        return all(place in self._held for place in places)

    def read(self, places: Collection[Place]) -> Mapping[Place, OutputText]:
        """Hold the texts of these outputs, and of no others; return them.

        Raises
        ------
        ReportError
            The report cannot be read.
        """
        self._held = found = read_texts(self._path, places, self._limits)
        return found
