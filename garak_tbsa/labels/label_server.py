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
from dataclasses import dataclass, field
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

PATIENCE = 30.0
"""Seconds that a connection may say nothing."""

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


@dataclass(kw_only=True, slots=True)
class ReportToLabel:
    """A report that is labelled, and what is told of it.

    Attributes
    ----------
    name : str
        Of its file.
    session : Session
    texts : Texts
    append : callable
        Puts a line into the log of answers, on the disk.
    command : str
        What to run with the labels.
    effort : str
        How long labelling takes.
    """

    name: str
    session: Session
    texts: Texts
    append: Callable[[str], None]
    command: str
    effort: str
    undoable: dict[str, list[tuple[int, Label | None]]] = field(default_factory=dict)

    def show(self, request: PageRequest) -> dict[str, Any]:
        """Return a question, the answer that it has, and how far the rater is."""
        session, rater, at = self.session, request.rater, request.at
        question = None if at is None else session.question(rater, at)
        if at is None or question is None:
            at = session.open_from(rater, at or 0)
            question = session.question(rater, at)
        said = question and session.said(rater, question)
        return {
            "at": at,
            "question": question
            and self.texts.of(question, session.upcoming(rater, AHEAD)),
            "label": said and said.answer,
            "note": said.note if said else "",
            "labelled": session.labelled(rater),
            "others": session.passed_over(rater),
            "most": session.most,
            "undoable": bool(self.undoable.get(rater)),
            "command": self.command,
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
        self._append(question, request.label, request.note, rater)
        if not request.stays:
            self.undoable.setdefault(rater, []).append((at, said))
            request.at = session.open_from(rater, at + 1)
        return self.show(request)

    def undo(self, request: PageRequest) -> dict[str, Any]:
        """Take back the rater's last answer since this began."""
        own = self.undoable.get(request.rater)
        if own:
            request.at, before = own[-1]
            question = self.session.question(request.rater, request.at)
            assert question is not None
            again = (before.answer, before.note) if before else (UNDO, "")
            self._append(question, *again, request.rater)
            own.pop()
        return self.show(request)

    def _append(self, question: Question, said: str, note: str, rater: str) -> None:
        time = datetime.now(timezone.utc).isoformat(timespec="seconds")
        label = question.answered(said, rater, note=note, time=time)
        self.append(label.line())
        self.session.accept(label)


class LabelServer(ThreadingHTTPServer):
    """Serves the page of a report, at a port that is free.

    Parameters
    ----------
    report : ReportToLabel
    rater : str
        Who labels, until the page is told another name.
    tell : callable
        Gets a line about what went wrong in here.
    """

    def __init__(
        self,
        report: ReportToLabel,
        rater: str,
        tell: Callable[[str], None],
    ) -> None:
        self.token = token_urlsafe()
        self.report = report
        self.rater = rater
        self.lock = Lock()
        self.invitations: set[str] = set()
        self._tell = tell
        super().__init__((HOST, 0), _Handler)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def invitation(self) -> str:
        """Return an address that leads to that page once.

        For the command line of a browser, which other users of the machine can read.
        """
        word = token_urlsafe()
        self.invitations.add(f"/{word}")
        return f"http://{HOST}:{self.server_port}/{word}"

    def answered(self, what: str, body: bytes) -> bytes:
        """Return the JSON that the page asks for.

        Raises
        ------
        GarakTbsaError
            The answer cannot be written, or the report no longer read.
        msgspec.DecodeError
            The page did not ask for that.
        """
        request = msgspec.json.decode(body, type=PageRequest)
        with self.lock:
            if what != "score":
                return _json(ACTIONS[what](self.report, request))
            scan = self.report.session.scan
        # the next answers do not wait for the score
        return _json({"score": summary(scan)})

    def page(self) -> bytes:
        """Return the page, which asks for its questions itself."""
        page = page_text(self.report.name, self.rater, self.report.effort)
        return page.encode()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell what went wrong, but for a browser that was closed meanwhile."""
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError)):
            self._tell(f"a request failed: {type(error).__name__}: {error}")

    def server_close(self) -> None:
        """End when no answer is half on the disk."""
        with self.lock:
            super().server_close()


ACTIONS = {
    "show": ReportToLabel.show,
    "answer": ReportToLabel.answer,
    "undo": ReportToLabel.undo,
}


def _json(document: dict[str, Any]) -> bytes:
    # ASCII, since a note that others wrote may hold lone surrogates
    return json.dumps(document, allow_nan=False).encode("ascii")


class _Handler(BaseHTTPRequestHandler):
    """Answers ``/TOKEN/`` with the page, and what the page asks below it."""

    server: LabelServer
    server_version, sys_version = "garak-tbsa", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        """Send the page."""
        what = self._requested()
        if what is None and self._is_from_here() and self._is_invited():
            self._send(HTTPStatus.SEE_OTHER, Location=self.server.address)
        elif what is None:
            self._send(HTTPStatus.FORBIDDEN)
        elif what:
            self._send(HTTPStatus.NOT_FOUND)
        else:
            self._send(HTTPStatus.OK, self.server.page(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Send what the page asks for."""
        what = self._requested()
        length = self.headers.get("Content-Length", "")
        if what is None or not self.headers.get("Origin"):
            self._send(HTTPStatus.FORBIDDEN)
        elif what not in (*ACTIONS, "score"):
            self._send(HTTPStatus.NOT_FOUND)
        elif not BODY_LENGTH.fullmatch(length) or int(length) > LONGEST_BODY:
            self._send(HTTPStatus.BAD_REQUEST)
        else:
            self._send_answer(what, self.rfile.read(int(length)))

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

    def _is_invited(self) -> bool:
        try:
            self.server.invitations.remove(self.path)
        except KeyError:
            return False
        return True

    def _send_answer(self, what: str, body: bytes) -> None:
        try:
            answer = self.server.answered(what, body)
        except GarakTbsaError as error:
            said = readable(str(error)).encode("utf-8", "replace")
            self._send(
                HTTPStatus.INTERNAL_SERVER_ERROR, said, "text/plain; charset=utf-8"
            )
        except (msgspec.DecodeError, UnicodeError) as error:
            self._send(HTTPStatus.BAD_REQUEST, str(error).encode(), "text/plain")
        else:
            self._send(HTTPStatus.OK, answer, "application/json")

    def _send(
        self,
        status: HTTPStatus,
        content: bytes = b"",
        kind: str = "text/plain",
        **headers: str,
    ) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *said: object) -> None:
        """Say nothing of requests."""
