# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label`` in a process of its own, and requests to its page."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

WAITING = 60.0
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "BROWSER")


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server said to a request."""

    code: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


class Served:
    """The command, from its address to Ctrl-C."""

    def __init__(self, *arguments: object, **environment: str) -> None:
        kept = {k: v for k, v in os.environ.items() if k not in DISPLAYS}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "garak_tbsa", "label", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=kept | {"LOGNAME": "you", "PYTHONIOENCODING": "utf-8"} | environment,
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._stdout, self._stderr = self.process.stdout, self.process.stderr
        self.said = ""
        while "http://" not in self.said:
            line = self._stdout.readline()
            assert line, self.process.communicate()
            self.said += line
        self.address = self.said.split()[-1]
        self.url = urlsplit(self.address)

    def __enter__(self) -> Served:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def request(
        self,
        method: str = "GET",
        what: str = "",
        body: object = None,
        *,
        path: str | None = None,
        **headers: str,
    ) -> Reply:
        """Send a request as a browser on the page does, but for the headers given."""
        if method == "POST":
            headers = {"Origin": f"http://{self.url.netloc}"} | headers
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = HTTPConnection("127.0.0.1", self.url.port, timeout=WAITING)
        try:
            connection.request(
                method,
                (self.url.path if path is None else path) + what,
                body=None if body is None else content,
                headers=headers,
            )
            found = connection.getresponse()
            return Reply(
                code=found.status, headers=dict(found.getheaders()), body=found.read()
            )
        finally:
            connection.close()

    def ask(self, what: str, rater: str = "ann", **body: object) -> Any:
        """Return what the page is told."""
        reply = self.request("POST", what, {"rater": rater, **body})
        assert reply.code == 200, reply
        return reply.document

    def answer(self, *labels: str, rater: str = "ann") -> Any:
        """Answer the rater's next questions; return what is shown then."""
        shown = self.ask("show", rater)
        for label in labels:
            shown = self.ask("answer", rater, at=shown["at"], label=label)
        return shown

    def end(self, number: int = signal.SIGINT) -> tuple[int, str, str]:
        """End it when it answers; return the exit code and all that it said."""
        self.request()
        self.process.send_signal(number)
        # not by communicate, which passes over what is read ahead already
        out, err = self._stdout.read(), self._stderr.read()
        return self.process.wait(WAITING), self.said + out, err
