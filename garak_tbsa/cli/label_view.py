# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``garak-tbsa label`` shows: state and size of the terminal -> lines of text.

Every text of a report is made printable before it is cut into lines, so that a line
never holds a control character.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from prompt_toolkit.utils import get_cwidth

from garak_tbsa.label_audit.labelling_rules import LabellingRules
from garak_tbsa.label_audit.questions import Question
from garak_tbsa.label_audit.texts import OutputText
from garak_tbsa.safe_text import readable

TITLE, NAME, TEXT, HEADING, CHOSEN, STATUS, PROBLEM = (
    "class:title",
    "class:name",
    "",
    "class:heading",
    "class:chosen",
    "class:status",
    "class:problem",
)
RULE, PROMPT, OUTPUT = "labelling rule", "prompt", "output"
PANES = (RULE, PROMPT, OUTPUT)

KEYS = "h hit  p pass  u unsure  s skip  b back  n note  r rules  Tab ↑↓ scroll  q quit"
NOTE_KEYS = "Enter keeps the note, Escape does not"
RULES_KEYS = "r back to the output  ↑↓ scroll  q quit"
DONE_KEYS = "b back  q quit"
NEXT_KEYS = "Enter next report  b back  q quit"
ALL_RULES, FINISHED = "labelling rules", "done"
NOTHING_LEFT = "Everything that was asked for is labelled."
NO_TEXT = "(the target gave no text)"
EMPTY = "(empty)"
SMALL = 6
"""Lines below which parts are left out."""

Line = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class View:
    """What is to be shown.

    Attributes
    ----------
    report, rater : str
    labelled, passed_over : int
        By this rater.
    most : int or None
        How many are to be labelled, where that was said.
    question : Question or None
        None where nothing is left.
    text : OutputText or None
    rules : LabellingRules or None
    said_before : str or None
        What the rater said of this output, where they went back to it.
    note : str
    status : str
        The audited score.
    problem : str
        Why the last answer was not kept.
    has_next : bool
        Whether another report follows.
    is_writing_note, shows_rules : bool
    pane : str
        The part that scrolls and has the most room.
    scrolled : mapping of str to int
        First line of each part that is shown.
    """

    report: str
    rater: str
    labelled: int
    passed_over: int
    most: int | None
    question: Question | None
    text: OutputText | None
    rules: LabellingRules | None
    said_before: str | None = None
    note: str = ""
    status: str = ""
    problem: str = ""
    has_next: bool = False
    is_writing_note: bool = False
    shows_rules: bool = False
    pane: str = OUTPUT
    scrolled: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Pane:
    """A part of the screen that scrolls.

    Attributes
    ----------
    name : str
    lines : sequence of str
    room : int
        How many lines are shown.
    first : int
        The first of these.
    is_chosen : bool
        Whether keys scroll it.
    """

    name: str
    lines: Sequence[str]
    room: int
    first: int
    is_chosen: bool

    @property
    def farthest(self) -> int:
        """The largest ``first``."""
        return max(0, len(self.lines) - self.room)


@dataclass(frozen=True, kw_only=True)
class Screen:
    """The terminal from top to bottom.

    Attributes
    ----------
    head, foot : sequence of (style, text)
    panes : sequence of Pane
    width, height : int
    """

    head: Sequence[Line]
    panes: Sequence[Pane]
    foot: Sequence[Line]
    width: int
    height: int

    @property
    def chosen(self) -> Pane | None:
        """The pane that keys scroll."""
        return next((pane for pane in self.panes if pane.is_chosen), None)

    def lines(self) -> list[Line]:
        """Return as many lines as the terminal has."""
        body = [line for pane in self.panes for line in _pane_lines(pane, self.width)]
        room = max(0, self.height - len(self.head) - len(self.foot))
        body = body[:room] + [(TEXT, "")] * (room - len(body))
        return [*self.head, *body, *self.foot][: self.height]


def screen(view: View, width: int, height: int) -> Screen:
    """Divide a terminal among what is to be shown.

    Parameters
    ----------
    view : View
    width, height : int
        In cells, at least 1.
    """
    head, foot = _head(view, width), _foot(view, width)
    if height - len(head) - len(foot) < SMALL:
        # so few lines: the output before all else
        head, foot = head[:1], foot[-1:]
    texts = _texts(view, width)
    if height - len(head) - len(foot) < SMALL:
        texts = {view.pane: texts[view.pane]} if view.pane in texts else texts
    chosen = view.pane if view.pane in texts else next(iter(texts), "")
    rooms = _rooms(
        {name: len(lines) for name, lines in texts.items()},
        chosen,
        max(0, height - len(head) - len(foot) - len(texts)),
    )
    panes = [
        Pane(
            name=name,
            lines=lines,
            room=rooms[name],
            first=min(view.scrolled.get(name, 0), max(0, len(lines) - rooms[name])),
            is_chosen=name == chosen,
        )
        for name, lines in texts.items()
    ]
    return Screen(head=head, panes=panes, foot=foot, width=width, height=height)


def _rooms(needs: Mapping[str, int], chosen: str, room: int) -> dict[str, int]:
    """Give the chosen pane what the others, a fifth each at most, leave."""
    rooms = {
        name: min(need, max(1, room // 5))
        for name, need in needs.items()
        if name != chosen
    }
    rooms[chosen] = min(needs.get(chosen, 0), max(0, room - sum(rooms.values())))
    left = room - sum(rooms.values())
    for name in reversed(list(needs)):
        more = max(0, min(needs[name] - rooms[name], left))
        rooms[name] += more
        left -= more
    return rooms


def _head(view: View, width: int) -> list[Line]:
    of_most = "" if view.most is None else f" of {view.most}"
    counts = f"{view.labelled}{of_most} labelled"
    if view.passed_over:
        counts += f", {view.passed_over} skipped or unsure"
    title = f" {view.report}   {view.rater}   {counts}"
    lines = [(TITLE, padded(one_line(title, width), width))]
    if view.question is None:
        return lines
    names = [f"probe {view.question.probe}", f"detector {view.question.detector}"]
    if len(names[0]) + len(names[1]) + 3 <= width:
        names = ["   ".join(names)]
    lines += [(NAME, one_line(name, width)) for name in names]
    goal = view.text.goal if view.text is not None else None
    if goal:
        lines.append((TEXT, one_line(f"goal {goal}", width)))
    return lines


def _foot(view: View, width: int) -> list[Line]:
    lines: list[Line] = []
    if view.said_before is not None:
        said = f"you said {view.said_before}; f keeps it and goes on"
        lines.append((STATUS, one_line(said, width)))
    if view.note and not view.is_writing_note:
        lines.append((TEXT, one_line(f"note: {view.note}", width)))
    if view.problem:
        lines += [(PROBLEM, line) for line in wrapped(readable(view.problem), width)]
    if view.status:
        lines += [(STATUS, line) for line in wrapped(readable(view.status), width)]
    keys = KEYS
    if view.is_writing_note:
        keys = NOTE_KEYS
    elif view.question is None:
        keys = NEXT_KEYS if view.has_next else DONE_KEYS
    elif view.shows_rules:
        keys = RULES_KEYS
    lines += [(TITLE, padded(line, width)) for line in wrapped(keys, width)]
    return lines


def _texts(view: View, width: int) -> dict[str, Sequence[str]]:
    """Return the lines of each pane, from top to bottom."""
    if view.question is None:
        return {FINISHED: wrapped(NOTHING_LEFT, width)}
    assert view.text is not None
    assert view.rules is not None
    own = view.rules.stated
    if view.shows_rules:
        lines: list[str] = []
        for rule in (*own, *view.rules.general):
            lines += [*wrapped(readable(rule), width), ""]
        return {ALL_RULES: lines}
    output = view.text.text
    if output is None:
        output = NO_TEXT
    return {
        RULE: wrapped(readable("\n".join(own)), width),
        PROMPT: wrapped(readable(view.text.prompt or EMPTY), width),
        OUTPUT: wrapped(readable(output or EMPTY), width),
    }


def _pane_lines(pane: Pane, width: int) -> Iterator[Line]:
    end = min(len(pane.lines), pane.first + pane.room)
    heading = f"── {pane.name} "
    if pane.room < len(pane.lines):
        heading += f"── lines {pane.first + 1} to {end} of {len(pane.lines)} "
    heading = heading.ljust(min(width, 120), "─")
    yield CHOSEN if pane.is_chosen else HEADING, one_line(heading, width)
    for line in pane.lines[pane.first : end]:
        yield TEXT, line


def one_line(text: str, width: int) -> str:
    """Return a text in one line, its end left out where it is too long."""
    line = " ".join(readable(text).split("\n"))
    if get_cwidth(line) <= width:
        return line
    return _fitting(line, max(0, width - 1)) + "…"


def padded(line: str, width: int) -> str:
    """Fill a line with blanks."""
    return line + " " * max(0, width - get_cwidth(line))


@lru_cache(maxsize=16)
def wrapped(text: str, width: int) -> tuple[str, ...]:
    """Cut a text into lines of at most ``width`` cells, at blanks where it can."""
    return tuple(
        piece for line in text.split("\n") for piece in _pieces(line, max(2, width))
    )


def _pieces(line: str, width: int) -> Iterator[str]:
    while True:
        piece = _fitting(line, width)
        if len(piece) == len(line):
            yield line
            return
        blank = piece.rfind(" ")
        # a long word after a short indent is cut, the indent alone is no line
        if line[len(piece)] != " " and blank > 0 and piece[:blank].strip():
            piece = piece[:blank]
        yield piece
        line = line[len(piece) :].removeprefix(" ")


def _fitting(line: str, width: int) -> str:
    """Return the start of a line that takes at most ``width`` cells."""
    start = line[:width]
    if start.isascii():
        return start
    taken = 0
    for place, char in enumerate(line):
        taken += get_cwidth(char)
        if taken > width:
            return line[:place]
    return line
