# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Keys and screen of ``garak-tbsa label``, on prompt_toolkit."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.styles import Style

from garak_tbsa.cli.label_log import LabelLog
from garak_tbsa.cli.label_view import PANES, Screen, View, screen
from garak_tbsa.errors import GarakTbsaError, OutputError, ReportError
from garak_tbsa.label_audit.cells import AuditedScan
from garak_tbsa.label_audit.choice import BATCH
from garak_tbsa.label_audit.labelling_rules import labelling_rules
from garak_tbsa.label_audit.labels import HIT, JUDGEMENTS, PASS, SKIP, UNSURE
from garak_tbsa.label_audit.session import Session
from garak_tbsa.label_audit.texts import OutputText, Texts
from garak_tbsa.terminal import encodable

ANSWER_KEYS = {"h": HIT, "p": PASS, "s": SKIP, "u": UNSURE}
FAR = 1 << 30
AHEAD, FEW_AHEAD = 24, 12
"""Outputs of each cell whose texts are held; with fewer the report is read again."""

ESCAPE_SECONDS = 0.05
"""How long a lone Escape waits for the rest of a key's sequence."""

STYLE = Style.from_dict(
    {
        "title": "reverse",
        "name": "bold",
        "heading": "",
        "chosen": "bold",
        "status": "bold",
        "problem": "bold ansired",
    }
)


@dataclass(frozen=True, kw_only=True)
class Labelling:
    """What a screen works on.

    Attributes
    ----------
    report : str
        Its name, to be shown.
    session : Session
    texts : Texts
    log : LabelLog
    summary : callable
        A labelled scan -> its audited score in words.
    has_next : bool
        Whether another report follows.
    """

    report: str
    session: Session
    texts: Texts
    log: LabelLog
    summary: Callable[[AuditedScan], str]
    has_next: bool


class LabelScreen:
    """One report in the terminal, from the first question to q.

    Parameters
    ----------
    labelling : Labelling
    """

    def __init__(self, labelling: Labelling) -> None:
        self._labelling = labelling
        self._session = labelling.session
        self._pane = PANES[-1]
        self._scrolled: dict[str, int] = {}
        self._note = self._session.note_before
        self._status = ""
        self._problem = ""
        self._shows_rules = False
        self._is_writing = False
        self._background: set[asyncio.Future[None]] = set()
        self._buffer = Buffer(multiline=False)
        self._application: Application[bool] = Application(
            layout=Layout(self._container()),
            key_bindings=self._keys(),
            style=STYLE,
            full_screen=True,
            before_render=self._clear_if_resized,
        )
        self._size: Size | None = None
        self._application.ttimeoutlen = ESCAPE_SECONDS

    def run(self) -> bool:
        """Show questions until the rater leaves; whether to the next report.

        Raises
        ------
        KeyboardInterrupt
            The rater pressed Ctrl-C; all answers are on disk.
        ReportError
            A text can no longer be read.
        """
        # read before the screen is taken: it may take seconds, or fail
        self._text()
        try:
            return self._application.run(pre_run=self._started)
        except EOFError:  # the terminal is gone
            return False

    def _started(self) -> None:
        """End properly when the terminal is closed or the process is told to end."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            with suppress(AttributeError, NotImplementedError):
                loop.add_signal_handler(getattr(signal, name), self._leave)
        if self._session.labelled:
            self._summarise()

    def _clear_if_resized(self, application: Application[bool]) -> None:
        """A terminal that shrinks moves its lines; what is drawn relative is wrong."""
        size = application.output.get_size()
        if self._size not in (None, size):
            application.renderer.clear()
        self._size = size

    def _leave(self) -> None:
        if self._application.is_running and not self._application.is_done:
            self._application.exit(result=False)

    # what is shown

    def _container(self) -> HSplit:
        writing = Condition(lambda: self._is_writing)
        note = Window(
            BufferControl(self._buffer, input_processors=[BeforeInput("note: ")]),
            height=1,
        )
        self._body = Window(FormattedTextControl(self._fragments), wrap_lines=False)
        return HSplit([self._body, ConditionalContainer(note, writing)])

    def _view(self) -> View:
        session = self._session
        question = session.current
        return View(
            report=self._labelling.report,
            rater=session.rater,
            labelled=session.labelled,
            passed_over=session.passed_over,
            most=session.most,
            question=question,
            text=self._text(),
            rules=None if question is None else labelling_rules(question.detector),
            said_before=session.said_before,
            note=self._note,
            status=self._status,
            problem=self._problem,
            has_next=self._labelling.has_next,
            is_writing_note=self._is_writing,
            shows_rules=self._shows_rules,
            pane=self._pane,
            scrolled=self._scrolled,
        )

    def _text(self) -> OutputText | None:
        question = self._session.current
        if question is None:
            return None
        return self._labelling.texts.of(question.place, self._session.upcoming(AHEAD))

    def _screen(self) -> Screen:
        size = self._application.output.get_size()
        rows = size.rows - (1 if self._is_writing else 0)
        return screen(self._view(), max(1, size.columns), max(1, rows))

    def _fragments(self) -> StyleAndTextTuples:
        try:
            lines = self._screen().lines()
        except GarakTbsaError as error:
            # the report was removed, or is no longer the one that was read
            if not self._application.is_done:
                self._application.exit(exception=error)
            return []
        encoding = self._application.output.encoding()
        fragments: StyleAndTextTuples = []
        for style, text in lines:
            fragments.append((style, encodable(text, encoding)))
            fragments.append(("", "\n"))
        return fragments[:-1]

    # what keys do

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        writing = Condition(lambda: self._is_writing)
        asking = Condition(lambda: self._session.current is not None)
        for key, said in ANSWER_KEYS.items():
            keys.add(key, filter=~writing & asking)(self._answering(said))
        for names, act in (
            (("b", "left", "backspace"), self._back),
            (("f", "right"), self._forward),
            (("n",), self._begin_note),
            (("r", "?"), self._switch_rules),
            (("tab",), self._next_pane),
            (("q",), self._leave),
            (("down", "j"), lambda: self._scroll(1)),
            (("up", "k"), lambda: self._scroll(-1)),
            (("pagedown", "space"), lambda: self._scroll_page(1)),
            (("pageup",), lambda: self._scroll_page(-1)),
            (("home",), lambda: self._scroll(-FAR)),
            (("end",), lambda: self._scroll(FAR)),
        ):
            for name in names:
                keys.add(name, filter=~writing)(_ignoring_event(act))
        finished = ~asking & Condition(lambda: self._labelling.has_next)
        keys.add("enter", filter=~writing & finished)(
            _ignoring_event(lambda: self._application.exit(result=True))
        )
        keys.add("enter", filter=writing)(_ignoring_event(self._keep_note))
        keys.add("escape", filter=writing, eager=True)(_ignoring_event(self._drop_note))
        keys.add("c-c")(_interrupt)
        # no mouse was asked for; what looks like one, as in pasted text, is no error
        keys.add(Keys.Vt100MouseEvent, eager=True)(_ignoring_event(_nothing))
        return keys

    def _answering(self, said: str) -> Callable[[KeyPressEvent], None]:
        return _ignoring_event(lambda: self._answer(said))

    def _answer(self, said: str) -> None:
        """Put the answer on the disk, then show what is next."""
        time = datetime.now(timezone.utc).isoformat(timespec="seconds")
        answer = self._session.answer(said, self._note, time)
        try:
            self._labelling.log.append(answer.line())
        except OutputError as error:
            self._problem = str(error)
            return
        before = self._session.labelled
        self._session.accept(answer)
        self._show_question()
        labelled = self._session.labelled
        is_last = self._session.current is None and said in JUDGEMENTS
        if labelled > before and (labelled % BATCH == 0 or is_last):
            self._summarise()

    def _show_question(self) -> None:
        self._problem = ""
        self._note = self._session.note_before
        self._shows_rules = False
        self._pane = PANES[-1]
        self._scrolled = {}

    def _back(self) -> None:
        if self._session.back():
            self._show_question()

    def _forward(self) -> None:
        if self._session.forward():
            self._show_question()

    def _begin_note(self) -> None:
        if self._session.current is None:
            return
        self._is_writing = True
        self._buffer.text = self._note
        self._buffer.cursor_position = len(self._note)
        self._application.layout.focus(self._buffer)

    def _keep_note(self) -> None:
        self._note = self._buffer.text.strip()
        self._drop_note()

    def _drop_note(self) -> None:
        self._is_writing = False
        self._application.layout.focus(self._body)

    def _switch_rules(self) -> None:
        self._shows_rules = not self._shows_rules
        self._scrolled = {}

    def _next_pane(self) -> None:
        self._pane = PANES[PANES.index(self._pane) - 1]

    def _scroll(self, lines: int) -> None:
        pane = self._screen().chosen
        if pane is not None:
            first = min(pane.farthest, max(0, pane.first + lines))
            self._scrolled = {**self._scrolled, pane.name: first}

    def _scroll_page(self, direction: int) -> None:
        pane = self._screen().chosen
        if pane is not None:
            self._scroll(direction * max(1, pane.room - 1))

    # the score, beside the work

    def _summarise(self) -> None:
        """Work the score out in a thread, while the next output is read."""
        loop = asyncio.get_running_loop()
        for work in (
            self._show_summary(loop, self._session.scan),
            self._read_ahead(loop),
        ):
            task = asyncio.ensure_future(work)
            self._background.add(task)
            task.add_done_callback(self._background.discard)

    async def _show_summary(
        self, loop: asyncio.AbstractEventLoop, scan: AuditedScan
    ) -> None:
        said = await loop.run_in_executor(None, self._labelling.summary, scan)
        self._status = said
        self._application.invalidate()

    async def _read_ahead(self, loop: asyncio.AbstractEventLoop) -> None:
        texts = self._labelling.texts
        if not texts.holds(self._session.upcoming(FEW_AHEAD)):
            places = set(self._session.upcoming(AHEAD))
            # if the report is gone, the next output that is shown says so
            with suppress(ReportError):
                await loop.run_in_executor(None, texts.read, places)


def _ignoring_event(act: Callable[[], None]) -> Callable[[KeyPressEvent], None]:
    def handle(event: KeyPressEvent) -> None:
        try:
            act()
        except Exception as error:
            # it ends the command in one line; else the loop would show a traceback
            event.app.exit(exception=error)

    return handle


def _nothing() -> None:
    return


def _interrupt(event: KeyPressEvent) -> None:
    event.app.exit(exception=KeyboardInterrupt())
