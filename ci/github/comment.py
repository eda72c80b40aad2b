# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Step: one comment a job on the pull request, found again by a hidden marker.

Whatever goes wrong here is a warning: a comment decides nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from typing import TYPE_CHECKING, Any

from ci.github.api import ApiError, Comments
from ci.github.event import head_commit, pull_request_number, read_event
from ci.github.inputs import Inputs, read_inputs
from ci.github.workflow import cut, say, set_output, warn
from garak_tbsa.outputs.markdown_text import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

BODY_LIMIT = 60_000
"""Bytes; GitHub refuses a comment of more than 65,536 characters."""
PAUSES = (1.0, 3.0)
"""Seconds before what may pass is tried again."""
REFUSED = (401, 403, 404)
BOT = "github-actions[bot]"
COMMIT = re.compile(r"[0-9a-f]{40,64}")


def run() -> int:
    """Return 0 always."""
    inputs = read_inputs()
    if not inputs.comment:
        return 0
    event = read_event()
    number = inputs.pull_request or pull_request_number(event)
    if number is None:
        say("no pull request in this event, so there is no comment")
        return 0
    if not inputs.token:
        warn("no comment was made: the input github-token is empty")
        return 0
    try:
        with open(inputs.place("markdown"), encoding="utf-8") as handle:
            body = body_of(handle.read(), inputs, head_commit(event))
        comments = Comments(
            address=os.environ.get("GITHUB_API_URL", "https://api.github.com"),
            repository=os.environ.get("GITHUB_REPOSITORY", ""),
            number=number,
            token=inputs.token,
        )
        made = _patiently(comments, body, inputs)
    except ApiError as problem:
        warn(explained(problem))
    except OSError as problem:
        warn(f"no comment was made: {problem}")
    else:
        set_output("comment-url", made.get("html_url", ""))
    return 0


def marker_of(inputs: Inputs) -> str:
    """Return the first line of this job's comment, which nobody sees."""
    names = [os.environ.get(f"GITHUB_{name}", "") for name in ("WORKFLOW", "JOB")]
    text = "\n".join([*names, inputs.comment_key])
    return f"<!-- garak-tbsa {hashlib.sha256(text.encode()).hexdigest()[:32]} -->"


def body_of(markdown: str, inputs: Inputs, commit: str) -> str:
    """Return the comment: marker, score, and where it comes from."""
    end = f"_{_origin(inputs, commit)}_"
    marker = marker_of(inputs)
    room = BODY_LIMIT - len(marker.encode()) - len(end.encode()) - 4
    return f"{marker}\n{cut(markdown.strip(), room)}\n\n{end}\n"


def _origin(inputs: Inputs, commit: str) -> str:
    names = [os.environ.get(f"GITHUB_{name}", "") for name in ("WORKFLOW", "JOB")]
    parts = [" / ".join(escaped(name) for name in (*names, inputs.comment_key) if name)]
    place = "/".join(
        os.environ.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY")
    )
    if COMMIT.fullmatch(commit):
        parts.append(f"commit [{commit[:7]}]({place}/commit/{commit})")
    run_id = os.environ.get("GITHUB_RUN_ID", "")
    if run_id.isdecimal():
        parts.append(f"[this run]({place}/actions/runs/{run_id})")
    return ", ".join(parts)


def _patiently(comments: Comments, body: str, inputs: Inputs) -> dict[str, Any]:
    for pause in PAUSES:
        try:
            return _put(comments, body, inputs)
        except ApiError as problem:
            if not problem.may_pass:
                raise
            say(f"GitHub's API: {problem}; once more in {pause:g} s")
            time.sleep(pause)
    # what is there is looked up each time: a request without an answer may have worked
    return _put(comments, body, inputs)


def _put(comments: Comments, body: str, inputs: Inputs) -> dict[str, Any]:
    """Make the comment, or update the one that there is."""
    author = inputs.comment_author or BOT
    own = _own(comments, marker_of(inputs), author)
    if not own:
        made = comments.create(body)
        owner = _login(made)
        if owner and owner != author:
            warn(
                f"the comment is by {owner}, not by {author}: set the input"
                f" comment-author to {owner}, or each run adds a comment"
            )
        return made
    first, *more = own
    for each in more:
        # two runs at once made one each
        comments.delete(each["id"])
    if first.get("body") == body:
        return first
    return comments.update(first["id"], body)


def _own(comments: Comments, marker: str, author: str) -> Sequence[dict[str, Any]]:
    """Return our comments; who copies the marker into a comment owns that one."""
    return [
        comment
        for comment in comments.all()
        if isinstance(comment.get("id"), int)
        and str(comment.get("body") or "").startswith(marker)
        and _login(comment) == author
    ]


def _login(comment: dict[str, Any]) -> str:
    user = comment.get("user")
    return str(user.get("login") or "") if isinstance(user, dict) else ""


def explained(problem: ApiError) -> str:
    """Say why there is no comment and what to do."""
    if problem.status in REFUSED:
        return (
            f"no comment was made: the token may not write here ({problem}). Runs for"
            " pull requests from forks have a token that only reads, and the summary of"
            " the run holds the same text; otherwise give the job"
            " permissions: pull-requests: write"
        )
    return f"no comment was made: GitHub's API: {problem}"
