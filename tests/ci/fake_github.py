# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""As much of GitHub's REST API as comments on one pull request need, over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "owner/repo"
NUMBER = 7
TOKEN = "ghs_test"
ISSUES = f"/repos/{REPOSITORY}/issues"
OUR_BOT = "github-actions[bot]"


@dataclass
class FakeGitHub:
    """Comments, requests, and what answers are to be.

    Attributes
    ----------
    refuse : dict of str to int
        Status by method that is answered in place of the request's own.
    lost : int
        How many of the next comments are made and then answered with 502.
    redirect : str
        Where every request is sent on to; empty: nowhere.
    """

    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    refuse: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    redirect: str = ""
    author: str = OUR_BOT
    address: str = ""

    def add(self, body: str, author: str = OUR_BOT) -> dict[str, Any]:
        number = 1 + max((each["id"] for each in self.comments), default=100)
        comment = {
            "id": number,
            "body": body,
            "user": {"login": author},
            "html_url": f"https://github.com/{REPOSITORY}/pull/{NUMBER}#c{number}",
        }
        self.comments.append(comment)
        return comment

    @property
    def methods(self) -> list[str]:
        return [method for method, _ in self.requests]

    def answer(self, method: str, path: str, content: Any) -> tuple[int, Any]:
        if method in self.refuse:
            return self.refuse[method], {
                "message": "Resource not accessible by integration"
            }
        place = urlsplit(path)
        if method == "GET" and place.path == f"{ISSUES}/{NUMBER}/comments":
            asked = {
                name: int(value[0]) for name, value in parse_qs(place.query).items()
            }
            start = (asked["page"] - 1) * asked["per_page"]
            return 200, self.comments[start : start + asked["per_page"]]
        if method == "POST" and place.path == f"{ISSUES}/{NUMBER}/comments":
            if len(content["body"]) > 65_536:
                return 422, {"message": "Validation Failed"}
            made = self.add(content["body"], self.author)
            if self.lost:
                self.lost -= 1
                return 502, None
            return 201, made
        number = int(place.path.removeprefix(f"{ISSUES}/comments/"))
        (found,) = (each for each in self.comments if each["id"] == number)
        if method == "DELETE":
            self.comments.remove(found)
            return 204, None
        found["body"] = content["body"]
        return 200, found

    def serve(self) -> Iterator[FakeGitHub]:
        """Answer at a port of this machine while a test runs."""
        server = HTTPServer(("127.0.0.1", 0), _handler(self))
        self.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _handler(github: FakeGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            github.requests.append((self.command, self.path))
            size = int(self.headers.get("Content-Length") or 0)
            content = json.loads(self.rfile.read(size)) if size else None
            if github.redirect:
                status, answer = 302, None
            elif self.headers.get("Authorization") != f"Bearer {TOKEN}":
                status, answer = 401, {"message": "Bad credentials"}
            else:
                status, answer = github.answer(self.command, self.path, content)
            self.send_response(status)
            if github.redirect:
                self.send_header("Location", github.redirect)
            text = b"" if answer is None else json.dumps(answer).encode()
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_DELETE = _do  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Keep quiet."""

    return Handler
