# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page to label on, and what it shows of a report's outputs.

That is prompts, texts, goals, triggers and labelling rules: no verdict, no score, and
nothing else that a detector said. What is shown was made harmless here, and reaches the
page as text, with the places of the characters that nobody would see or tell apart.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from statistics import median
from typing import Any

from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.errors import ReportError
from garak_tbsa.labels.audit import number_of
from garak_tbsa.labels.labelling_rules import general_rules, stated_rules
from garak_tbsa.labels.questions import Question
from garak_tbsa.labels.scan import wanted_attempts
from garak_tbsa.outputs.html_page import filled
from garak_tbsa.report.attempts import Attempt, prompt_text, turns_of
from garak_tbsa.safe_text import MOST_MARKS, TAB, printable, readable, shown

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

RULE_WORDS = 60
"""Of a detector's rules, before the rest is behind a click."""

TRIGGERS, LONGEST_TRIGGER, LEAST_DECODED = 20, 500, 4

CONTROLS = (
    *("NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF"),
    *("VT", "FF", "CR", "SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN"),
    *("ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US"),
)
"""The first characters of Unicode, which gives them no names."""

HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u2800\u3164\ufe00-\ufe0e\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""What counts as printable, and is not seen."""

DECODERS: Mapping[str, Callable[[str], bytes]] = {
    "hexadecimal": bytes.fromhex,
    "Base32": base64.b32decode,
    "Base64": lambda text: base64.b64decode(text, validate=True),
}


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


def marks_of(text: str) -> list[tuple[int, int, str]]:
    """Return where the readable form of a text has characters that are not seen.

    Start and end, in characters of that form, and the name of what is there: a real
    ESC reads as the text of its escape does.
    """
    text = text.replace("\r\n", "\n").expandtabs(TAB)
    if text.isascii() and text.replace("\n", "").isprintable():
        return []
    marks: list[tuple[int, int, str]] = []
    at = combining = 0
    for char in text:
        is_combining = unicodedata.category(char) in ("Mn", "Me")
        combining = combining + 1 if is_combining else 0
        piece = printable(char)
        if combining > MOST_MARKS:
            piece = char.encode("unicode_escape").decode()
        if piece != char or HIDDEN.match(char):
            marks.append((at, at + len(piece), _name(char)))
        at += len(piece)
    return marks


def _name(char: str) -> str:
    code = ord(char)
    if code < len(CONTROLS):
        return CONTROLS[code]
    return unicodedata.name(char, f"U+{code:04X}").lower()


class Texts:
    """What is shown of a report's outputs, read again where it is not held.

    Only what is asked for is held, since a report may be larger than the memory.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: Mapping[Place, dict[str, Any]] = {}

    def of(self, question: Question, upcoming: Iterable[Place]) -> dict[str, Any]:
        """Return what is shown of an output: its texts, and what stands beside them.

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
            self._held = dict(self._read({place, *upcoming}))
        if place not in self._held:
            raise ReportError(
                self._path,
                f"no longer has output {place.output_index} of attempt {place.attempt}",
                "label a report that no scan writes to",
            )
        held = self._held[place]
        rule, rest = _parted(stated_rules(question.detector))
        texts = {
            "probe_shown": shown(question.probe),
            "detector_shown": shown(question.detector),
            **held["texts"],
        }
        return {
            "question": {
                **{name: text and readable(text) for name, text in texts.items()},
                "rule": (readable(rule),),
            },
            "marks": {name: marks_of(text or "") for name, text in texts.items()},
            "triggers": [(readable(x), marks_of(x)) for x in held["triggers"]],
            "rest": readable(rest),
        }

    def _read(
        self, wanted: Collection[Place]
    ) -> Iterator[tuple[Place, dict[str, Any]]]:
        attempts = {place.attempt for place in wanted}
        for name, attempt in wanted_attempts(self._path, attempts):
            for index, output in enumerate(attempt.outputs):
                place = Place(name, index)
                if place in wanted:
                    texts = {
                        "goal": attempt.goal and shown(attempt.goal),
                        "prompt": shown(_asked(attempt, index), LONGEST_TEXT),
                        "text": output.text and shown(output.text, LONGEST_TEXT),
                    }
                    triggers = list(_triggers(attempt.notes.get("triggers")))
                    yield place, {"texts": texts, "triggers": triggers}


def _asked(attempt: Attempt, index: int) -> str:
    """What the target was asked: every turn before the output."""
    turns = attempt.conversations[index] if index < len(attempt.conversations) else ()
    if turns and turns[-1].role == "assistant":
        turns = turns[:-1]
    if len(turns) <= max(1, len(list(turns_of(attempt.prompt)))):
        return prompt_text(attempt.prompt)
    return "\n\n".join(f"{turn.role}: {turn.text}" for turn in turns)


def _triggers(triggers: object) -> Iterator[str]:
    """Yield what a probe tells its detector to look for, and what it is decoded."""
    listed = triggers if isinstance(triggers, list) else [triggers]
    texts = [each for each in listed if isinstance(each, str) and each]
    for text in texts[:TRIGGERS]:
        yield shown(text, LONGEST_TRIGGER)
        for code, decode in DECODERS.items():
            try:
                found = decode(text.strip()).decode()
            except ValueError:
                continue
            if len(found) >= LEAST_DECODED and found.replace("\n", "").isprintable():
                yield f"{code}: {shown(found, LONGEST_TRIGGER)}"


def _parted(rules: Sequence[str]) -> tuple[str, str]:
    """Part rules behind the sentence with which their first words are over."""
    sentences = [part for rule in rules for part in re.split("(?<=[.;]) ", rule)]
    counts = list(accumulate(len(part.split()) for part in sentences))
    end = bisect_right(counts, RULE_WORDS)
    if end:
        return " ".join(sentences[:end]), " ".join(sentences[end:])
    words = " ".join(sentences).split(" ")
    return " ".join(words[:RULE_WORDS]) + " …", "… " + " ".join(words[RULE_WORDS:])


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
    first, *others = general_rules()
    return filled(
        "label.html",
        {
            "report": shown(report),
            "rater": rater,
            "effort": effort,
            "general": first,
            "general_more": others,
        },
        styles=["label.css"],
        scripts=["label.js"],
    )
