# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Step: one comment a job on the pull request, found again by a hidden marker.

Whatever goes wrong here is a warning: a comment decides nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

import msgspec

from ci.github.runner import cut, given, is_on, job, message, say, set_output, variable
from ci.github.steps import place
from garak_tbsa.outputs.markdown_text import escaped

BODY_LIMIT = 60_000
"""Bytes; GitHub refuses a comment of more than 65,536 characters."""
PAUSES = (1.0, 3.0)
"""Seconds before what may pass is tried again."""
TIMEOUT = 20.0
TOO_MANY = 429
REFUSED = (401, 403, 404)
A_PAGE = 100
BOT = "github-actions[bot]"
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
COMMIT = re.compile(r"[0-9a-f]{40,64}")


class Head(msgspec.Struct):
    """The end of a pull request's branch."""

    sha: str


class PullRequest(msgspec.Struct):
    """A pull request, or the issue of one, which says that it is one."""

    number: int
    head: Head | None = None
    pull_request: dict[str, Any] | None = None


class Event(msgspec.Struct):
    """What of an event matters here."""

    pull_request: PullRequest | None = None
    issue: PullRequest | None = None


class User(msgspec.Struct):
    """Who wrote a comment."""

    login: str = ""


class Comment(msgspec.Struct):
    """A comment as GitHub gives it."""

    id: int
    body: str | None = None
    html_url: str = ""
    user: User | None = None

    @property
    def author(self) -> str:
        """The account's name, empty where GitHub knows it no more."""
        return self.user.login if self.user else ""


class ApiError(Exception):
    """A request that did not do what it should; ``status`` is HTTP's, if any."""

    def __init__(
        self, problem: str, status: int = 0, *, may_pass: bool = False
    ) -> None:
        super().__init__(problem)
        self.status = status
        self.may_pass = may_pass


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would send the token to whatever address it names."""

    def redirect_request(self, *_: object) -> None:
        return None


def comment() -> int:
    """Return 0 always."""
    if not is_on("comment"):
        return 0
    number, commit = about()
    if not number:
        say("no pull request in this event, so there is no comment")
    elif not given("github-token"):
        message("warning", "no comment was made: the input github-token is empty")
    else:
        try:
            set_output("comment-url", _patiently(number, _body(commit)).html_url)
        except ApiError as problem:
            message("warning", _explained(problem))
        except OSError as problem:
            message("warning", f"no comment was made: {problem}")
    return 0


def about() -> tuple[str, str]:
    """Return the number of the pull request, and its commit, not that of its merge."""
    try:
        with open(variable("EVENT_PATH"), "rb") as handle:
            event = msgspec.json.decode(handle.read(), type=Event)
    except (OSError, ValueError):
        event = Event()
    found = event.pull_request
    commit = found.head.sha if found and found.head else variable("SHA")
    if event.issue and event.issue.pull_request is not None:
        # a comment on a pull request is an issue's
        found = event.issue
    return given("pull-request", str(found.number) if found else ""), commit


def _marker() -> str:
    """Return the first line of this job's comment, which nobody sees."""
    names = "\n".join(job(given("comment-key")))
    return f"<!-- garak-tbsa {hashlib.sha256(names.encode()).hexdigest()[:32]} -->"


def _body(commit: str) -> str:
    """Return the comment: marker, score, and where it comes from."""
    with open(place("markdown"), encoding="utf-8") as handle:
        markdown = handle.read().strip()
    names = job(given("comment-key"))
    origin = [" / ".join(escaped(name) for name in names if name)]
    repository = f"{variable('SERVER_URL')}/{variable('REPOSITORY')}"
    if COMMIT.fullmatch(commit):
        origin.append(f"commit [{commit[:7]}]({repository}/commit/{commit})")
    if variable("RUN_ID").isdecimal():
        origin.append(f"[this run]({repository}/actions/runs/{variable('RUN_ID')})")
    end = f"_{', '.join(origin)}_"
    room = BODY_LIMIT - len(_marker().encode()) - len(end.encode()) - 4
    return f"{_marker()}\n{cut(markdown, room)}\n\n{end}\n"


def _patiently(number: str, body: str) -> Comment:
    for pause in PAUSES:
        try:
            return _put(number, body)
        except ApiError as problem:
            if not problem.may_pass:
                raise
            say(f"GitHub's API: {problem}; once more in {pause:g} s")
            time.sleep(pause)
    # what is there is looked up each time: a request without an answer may have worked
    return _put(number, body)


def _put(number: str, body: str) -> Comment:
    """Make the comment, or update the one that there is."""
    author = given("comment-author", BOT)
    # who copies the marker into a comment owns that one
    own = [
        each
        for each in _comments(number)
        if (each.body or "").startswith(_marker()) and each.author == author
    ]
    if not own:
        made: Comment = _ask("POST", f"/{number}/comments", body, Comment)
        if made.author not in ("", author):
            message(
                "warning",
                f"the comment is by {made.author}, not by {author}: set the input"
                f" comment-author to {made.author}, or each run adds a comment",
            )
        return made
    first, *more = own
    for each in more:
        # two runs at once made one each
        _ask("DELETE", f"/comments/{each.id}")
    if first.body == body:
        return first
    changed: Comment = _ask("PATCH", f"/comments/{first.id}", body, Comment)
    return changed


def _comments(number: str) -> list[Comment]:
    """Return the comments of the pull request, oldest first."""
    found: list[Comment] = []
    while len(found) % A_PAGE == 0:
        page = len(found) // A_PAGE + 1
        query = f"per_page={A_PAGE}&page={page}"
        more = _ask("GET", f"/{number}/comments?{query}", kind=list[Comment])
        if not more:
            break
        found += more
    return found


def _ask(method: str, path: str, body: str | None = None, kind: Any = None) -> Any:
    """Return the answer of GitHub's REST API on the repository's issues."""
    address = os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
    if not address.startswith(("https://", "http://")):
        raise ApiError(f"GITHUB_API_URL is no address: {address!r}")
    if not REPOSITORY.fullmatch(variable("REPOSITORY")):
        raise ApiError(
            f"GITHUB_REPOSITORY is no repository: {variable('REPOSITORY')!r}"
        )
    request = urllib.request.Request(  # noqa: S310, the scheme was checked
        f"{address}/repos/{variable('REPOSITORY')}/issues{path}",
        method=method,
        data=None if body is None else json.dumps({"body": body}).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {given('github-token')}",
            "Content-Type": "application/json",
            "User-Agent": "garak-tbsa",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    try:
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=TIMEOUT) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        may_pass = error.code >= 500 or error.code == TOO_MANY
        problem = f"HTTP {error.code}{_said(error)}"
        raise ApiError(problem, error.code, may_pass=may_pass) from None
    except (OSError, HTTPException) as error:
        raise ApiError(f"no answer: {error}", may_pass=True) from None
    except ValueError:
        # its text would quote a token that holds a line break
        raise ApiError("the token or the address is not valid") from None
    try:
        return msgspec.json.decode(text, type=kind) if kind else None
    except ValueError as error:
        raise ApiError(f"the answer is none that GitHub documents: {error}") from None


def _said(error: urllib.error.HTTPError) -> str:
    """What GitHub says of a refusal, as the rest of a sentence."""
    with error:
        try:
            return f", {json.loads(error.read())['message']}"
        except (OSError, ValueError, LookupError, TypeError):
            return ""


def _explained(problem: ApiError) -> str:
    """Say why there is no comment and what to do."""
    if problem.status in REFUSED:
        return (
            f"no comment was made: the token may not write here ({problem}). Runs for"
            " pull requests from forks have a token that only reads, and the summary of"
            " the run holds the same text; otherwise give the job"
            " permissions: pull-requests: write"
        )
    return f"no comment was made: GitHub's API: {problem}"
