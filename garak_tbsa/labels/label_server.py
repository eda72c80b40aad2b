# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The page to label on, served on 127.0.0.1 to whoever has its address.

Each answer is on the disk before the next output is sent. A request is answered if it
names this host, comes from this page where it says from where it comes, and has the
address's token; no other site can then read or write a label, by a name that resolves
to 127.0.0.1 neither.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from datetime import datetime, timezone
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from threading import Lock
from typing import Annotated, Any, Literal

import msgspec

from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.labels.audit import summary
from garak_tbsa.labels.label_files import UNDO, Label
from garak_tbsa.labels.label_page import Texts, page_text
from garak_tbsa.labels.questions import Question, Session
from garak_tbsa.safe_text import readable

HOST = "127.0.0.1"
AHEAD = 48
"""Outputs of each stratum whose texts are held; after these the report is read again,
which takes some seconds where it has a gigabyte."""

LONGEST_BODY = 64 << 10
BODY_LENGTH = re.compile("[0-9]{1,9}")
MOST_QUESTIONS = 1 << 31
"""No report has as many; a larger number fits no index."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Beside the page's own policy, which is in the page."""


class PageRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What the page asks for, or says.

    Attributes
    ----------
    rater : str
    at : int or None
        Number of the rater's question; None for the first without an answer.
    label : str or None
        The answer to it.
    before : str or None
        The answer that the page knows of: another window may have given one since.
    note : str
    stays : bool
        Whether the same question is to be shown again, as after a note.
    """

    rater: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    at: Annotated[int, msgspec.Meta(ge=0, le=MOST_QUESTIONS)] | None = None
    label: Literal["hit", "pass", "skip", "unsure"] | None = None
    before: str | None = None
    note: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    stays: bool = False


class Labelling:
    """A report that is labelled: what the page may ask.

    Parameters
    ----------
    session : Session
    texts : Texts
    append : callable
        Puts a line into the log of answers, on the disk.
    command : str
        What to run with the labels.
    """

    def __init__(
        self,
        session: Session,
        texts: Texts,
        append: Callable[[str], None],
        command: str,
    ) -> None:
        self.session = session
        self._texts, self._append, self._command = texts, append, command
        self._undoable: dict[str, list[tuple[int, Label | None]]] = {}

    def show(self, request: PageRequest) -> dict[str, Any]:
        """Return a question, the answer that it has, and how far the rater is."""
        session, rater, at = self.session, request.rater, request.at
        question = None if at is None else session.question(rater, at)
        if at is None or question is None:
            at = session.open_from(rater, at or 0)
            question = session.question(rater, at)
        said = question and session.said(rater, question)
        shown: dict[str, Any] = {"question": None}
        if question:
            shown = self._texts.of(question, session.upcoming(rater, AHEAD))
        return {
            **shown,
            "at": at,
            "label": said and said.answer,
            "note": said.note if said else "",
            "labelled": session.labelled(rater),
            "others": session.passed_over(rater),
            "all": session.scan.labels,
            "most": session.most,
            "undoable": bool(self._undoable.get(rater)),
            "command": self._command,
        }

    def answer(self, request: PageRequest) -> dict[str, Any]:
        """Put an answer on the disk, and return what is to be shown next."""
        session, rater, at = self.session, request.rater, request.at or 0
        question = session.question(rater, at)
        if question is None or request.label is None:
            return self.show(request)
        said = session.said(rater, question)
        if request.before != (said and said.answer):
            request.at = session.open_from(rater, at)
            return self.show(request) | {"said": "answered in another window"}
        self._write(question, request.label, request.note, rater)
        if not request.stays:
            self._undoable.setdefault(rater, []).append((at, said))
            request.at = session.open_from(rater, at + 1)
        return self.show(request)

    def undo(self, request: PageRequest) -> dict[str, Any]:
        """Take back the rater's last answer since this began."""
        own = self._undoable.get(request.rater)
        if own:
            request.at, before = own[-1]
            question = self.session.question(request.rater, request.at)
            assert question is not None
            again = (before.answer, before.note) if before else (UNDO, "")
            self._write(question, *again, request.rater)
            own.pop()
        return self.show(request)

    def _write(self, question: Question, said: str, note: str, rater: str) -> None:
        time = datetime.now(timezone.utc).isoformat(timespec="seconds")
        label = question.answered(said, rater, note=note, time=time)
        self._append(label.line())
        self.session.accept(label)


ACTIONS = {
    "show": Labelling.show,
    "answer": Labelling.answer,
    "undo": Labelling.undo,
    "score": None,
}


class LabelServer(ThreadingHTTPServer):
    """Serves the page of a report, at a port that is free.

    Parameters
    ----------
    labelling : Labelling
    page : (str, str, str)
        What :func:`page_text` says.
    tell : callable
        Gets a line about what went wrong in here.
    """

    def __init__(
        self,
        labelling: Labelling,
        page: tuple[str, str, str],
        tell: Callable[[str], None],
    ) -> None:
        super().__init__((HOST, 0), _Handler)
        self.labelling, self.lock = labelling, Lock()
        self.token, self.invitation = token_urlsafe(), ""
        self.address = f"http://{HOST}:{self.server_port}/{self.token}/"
        self._page, self._tell = page, tell

    def page(self) -> bytes:
        """Return the page, which asks for its questions itself."""
        return page_text(*self._page).encode()

    def invite(self) -> str:
        """Return an address that leads to the page once.

        For the command line of a browser, which other users of the machine can read.
        """
        self.invitation = f"/{token_urlsafe()}"
        return f"http://{HOST}:{self.server_port}{self.invitation}"

    def reply(self, what: str, body: bytes) -> bytes:
        """Return the JSON that the page asks for.

        Raises
        ------
        GarakTbsaError
            The answer cannot be written, or the report no longer read.
        msgspec.DecodeError
            The page did not ask for that.
        """
        request, action = msgspec.json.decode(body, type=PageRequest), ACTIONS[what]
        with self.lock:
            scan = self.labelling.session.scan
            found = action and action(self.labelling, request)
        # the next answers do not wait for the score; ASCII, since a note that others
        # wrote may hold lone surrogates
        found = found or {"score": summary(scan)}
        return json.dumps(found, allow_nan=False).encode("ascii")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell what went wrong, but for a browser that was closed meanwhile."""
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError)):
            self._tell(f"a request failed: {type(error).__name__}: {error}")

    def server_close(self) -> None:
        """End when no answer is half on the disk."""
        with self.lock:
            super().server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers ``/TOKEN/`` with the page, and what the page asks below it."""

    server: LabelServer
    server_version, sys_version = "garak-tbsa", ""
    timeout = 30.0

    def do_GET(self) -> None:
        """Send the page."""
        what = self._requested()
        if what == "":
            self._send(HTTPStatus.OK, self.server.page(), "text/html; charset=utf-8")
        elif what is not None:
            self._send(HTTPStatus.NOT_FOUND)
        elif self._is_from_here() and self.path == self.server.invitation:
            self.server.invitation = ""
            self._send(HTTPStatus.SEE_OTHER, Location=self.server.address)
        else:
            self._send(HTTPStatus.FORBIDDEN)

    def do_POST(self) -> None:
        """Send what the page asks for."""
        what, length = self._requested(), self.headers.get("Content-Length", "")
        if what is None or not self.headers.get("Origin"):
            self._send(HTTPStatus.FORBIDDEN)
        elif what not in ACTIONS:
            self._send(HTTPStatus.NOT_FOUND)
        elif not BODY_LENGTH.fullmatch(length) or int(length) > LONGEST_BODY:
            self._send(HTTPStatus.BAD_REQUEST)
        else:
            try:
                reply = self.server.reply(what, self.rfile.read(int(length)))
                self._send(HTTPStatus.OK, reply, "application/json")
            except GarakTbsaError as error:
                said = readable(str(error)).encode("utf-8", "replace")
                self._send(HTTPStatus.INTERNAL_SERVER_ERROR, said)
            except (msgspec.DecodeError, UnicodeError) as error:
                self._send(HTTPStatus.BAD_REQUEST, str(error).encode())

    def _requested(self) -> str | None:
        """Return the action, empty for the page itself; None for a stranger."""
        path = self.path.split("/")
        if not self._is_from_here() or len(path) != 3 or path[0]:
            return None
        _, token, what = path
        is_known = compare_digest(token.encode(), self.server.token.encode())
        return what if is_known else None

    def _is_from_here(self) -> bool:
        """Whether it names this host, and where it says from where, from this page."""
        hosts = [f"{name}:{self.server.server_port}" for name in (HOST, "localhost")]
        given = self.headers.get_all("Host", [])
        if len(given) != 1 or given[0] not in hosts:
            return False
        return self.headers.get("Origin") in (None, f"http://{given[0]}")

    def _send(
        self,
        status: HTTPStatus,
        content: bytes = b"",
        kind: str = "text/plain; charset=utf-8",
        **headers: str,
    ) -> None:
        self.send_response(status)
        length = str(len(content))
        own = {"Content-Type": kind, "Content-Length": length}
        for name, value in {**HEADERS, **own, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *said: object) -> None:
        """Say nothing of requests."""
