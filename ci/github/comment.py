# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Step: one comment a job on the pull request, found again by a hidden marker.

Whatever goes wrong here is a warning: a comment decides nothing.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.error
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from itertools import count
from typing import Any

from ci.github import runner
from garak_tbsa.errors import GarakTbsaError, in_words
from garak_tbsa.outputs.markdown_text import escaped
from garak_tbsa.terminal import write_line

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


class ApiError(GarakTbsaError):
    """A request that did not do what it should."""


class MayPassError(ApiError):
    """One that may do it later."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would send the token to whatever address it names."""

    def redirect_request(self, *_: object) -> None:
        return None


def comment() -> int:
    """Return 0 always."""
    if not runner.is_on("comment"):
        return 0
    number = pull_request()
    if not number:
        write_line("no pull request in this event, so there is no comment")
        return 0
    try:
        if not runner.given("github-token"):
            raise ApiError("the input github-token is empty")
        runner.set_output("comment-url", _patiently(number, _body())["html_url"])
    except Exception as problem:
        runner.message("warning", f"no comment was made: {in_words(problem)}")
    return 0


def pull_request() -> str:
    """Return the number of the pull request, nothing where there is none."""
    # a comment on a pull request is an issue's
    is_issue = runner.event("issue", "pull_request") is not None
    number = runner.event("issue" if is_issue else "pull_request", "number")
    return runner.given("pull-request", str(number) if type(number) is int else "")


def _marker() -> str:
    """Return the first line of this job's comment, which nobody sees."""
    names = runner.job(runner.given("comment-key"))
    return f"<!-- garak-tbsa {runner.digest(names)[:32]} -->"


def _body() -> str:
    """Return the comment: marker, score, and where it comes from."""
    # the commit that was pushed, not that of its merge
    commit = runner.event("pull_request", "head", "sha") or runner.variable("SHA")
    with open(runner.place("markdown"), encoding="utf-8") as handle:
        markdown = handle.read().strip()
    names = runner.job(runner.given("comment-key"))
    origin = " / ".join(escaped(name) for name in names if name)
    repository = f"{runner.variable('SERVER_URL')}/{runner.variable('REPOSITORY')}"
    run = f"{repository}/actions/runs/{runner.variable('RUN_ID')}"
    pushed = f"[{commit[:7]}]({repository}/commit/{commit})"
    end = f"_{origin}, commit {pushed}, [this run]({run})_"
    room = BODY_LIMIT - len(_marker().encode()) - len(end.encode()) - 4
    return f"{_marker()}\n{runner.cut(markdown, room)}\n\n{end}\n"


def _patiently(number: str, body: str) -> Any:
    for pause in PAUSES:
        try:
            return _put(number, body)
        except MayPassError as problem:
            write_line(f"{problem}; once more in {pause:g} s")
            time.sleep(pause)
    # what is there is looked up each time: a request without an answer may have worked
    return _put(number, body)


def _put(number: str, body: str) -> Any:
    """Make the comment, or update the one that there is; return it."""
    author = runner.given("comment-author", BOT)
    # who copies the marker into a comment owns that one
    own = [
        each
        for each in _comments(number)
        if (each["body"] or "").startswith(_marker()) and _author(each) == author
    ]
    if not own:
        made = _ask("POST", f"/{number}/comments", body)
        if _author(made) not in ("", author):
            runner.message(
                "warning",
                f"the comment is by {_author(made)}, not by {author}: set the input"
                f" comment-author to {_author(made)}, or each run adds a comment",
            )
        return made
    first, *more = own
    for each in more:
        # two runs at once made one each
        _ask("DELETE", f"/comments/{each['id']}")
    if first["body"] == body:
        return first
    return _ask("PATCH", f"/comments/{first['id']}", body)


def _author(comment: Any) -> str:
    """Return the account's name, empty where GitHub knows it no more."""
    return str((comment["user"] or {}).get("login", ""))


def _comments(number: str) -> list[Any]:
    """Return the comments of the pull request, oldest first."""
    found: list[Any] = []
    for page in count(1):
        more = _ask("GET", f"/{number}/comments?per_page={A_PAGE}&page={page}")
        found += more
        if len(more) < A_PAGE:
            break
    return found


def _ask(method: str, path: str, body: str | None = None) -> Any:
    """Return the answer of GitHub's REST API on the repository's issues."""
    address = os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
    if not address.startswith(("https://", "http://")):
        raise ApiError(f"GITHUB_API_URL is no address: {address!r}")
    if not REPOSITORY.fullmatch(runner.variable("REPOSITORY")):
        raise ApiError(
            f"GITHUB_REPOSITORY is no repository: {runner.variable('REPOSITORY')!r}"
        )
    request = urllib.request.Request(  # noqa: S310, the scheme was checked
        f"{address}/repos/{runner.variable('REPOSITORY')}/issues{path}",
        method=method,
        data=None if body is None else json.dumps({"body": body}).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {runner.given('github-token')}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    try:
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=TIMEOUT) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        raise _refusal(error) from None
    except (OSError, HTTPException) as error:
        raise MayPassError(f"GitHub's API: no answer: {error}") from None
    except ValueError:
        # its text would quote a token that holds a line break
        raise ApiError("the token or the address is not valid") from None
    return json.loads(text or "null")


def _refusal(error: urllib.error.HTTPError) -> ApiError:
    """Say what GitHub refused, and what to do where the token is too weak."""
    problem = f"HTTP {error.code}"
    with error, suppress(OSError, ValueError, LookupError, TypeError):
        problem += f", {json.loads(error.read())['message']}"
    if error.code in REFUSED:
        return ApiError(
            f"the token may not write here ({problem}). Runs for pull requests from"
            " forks have a token that only reads, and the summary of the run holds the"
            " same text; otherwise give the job permissions: pull-requests: write"
        )
    may_pass = error.code >= 500 or error.code == TOO_MANY
    return (MayPassError if may_pass else ApiError)(f"GitHub's API: {problem}")
