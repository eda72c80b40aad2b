# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The comments of one pull request, by GitHub's REST API."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.client import HTTPMessage
    from typing import IO

TIMEOUT = 20.0
TOO_MANY = 429
A_PAGE = 100
MOST_PAGES = 100
LARGEST_ANSWER = 32 << 20
"""Bytes; a hundred comments of the largest size are 26 MB."""
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
API_VERSION = "2022-11-28"


class ApiError(Exception):
    """A request that did not do what it should.

    Parameters
    ----------
    problem : str
    status : int or None
        HTTP's; None where there was no answer or none that makes sense.
    may_pass : bool
        Whether the same may work a moment later.
    """

    def __init__(
        self, problem: str, status: int | None = None, *, may_pass: bool = False
    ) -> None:
        super().__init__(problem)
        self.status = status
        self.may_pass = may_pass


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would send the token to whatever address it names."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None


class Comments:
    """The comments of a pull request.

    Parameters
    ----------
    address : str
        Of the API, as ``https://api.github.com``.
    repository : str
        ``owner/name``.
    number : str
        Of the pull request.
    token : str

    Raises
    ------
    ApiError
        The address or the repository is none.
    """

    def __init__(
        self, *, address: str, repository: str, number: str, token: str
    ) -> None:
        if not address.startswith(("https://", "http://")):
            raise ApiError(f"GITHUB_API_URL is no address: {address!r}")
        if not REPOSITORY.fullmatch(repository):
            raise ApiError(f"GITHUB_REPOSITORY is no repository: {repository!r}")
        self._base = f"{address.rstrip('/')}/repos/{repository}/issues"
        self._number = number
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    def all(self) -> Iterator[dict[str, Any]]:
        """Give each comment, oldest first."""
        for page in range(1, MOST_PAGES + 1):
            found = self._ask(
                "GET", f"/{self._number}/comments?per_page={A_PAGE}&page={page}"
            )
            if not isinstance(found, list):
                raise ApiError("GitHub's answer is no list of comments")
            yield from (entry for entry in found if isinstance(entry, dict))
            if len(found) < A_PAGE:
                return

    def create(self, body: str) -> dict[str, Any]:
        """Add a comment."""
        return self._comment("POST", f"/{self._number}/comments", body)

    def update(self, comment: int, body: str) -> dict[str, Any]:
        """Replace the text of a comment."""
        return self._comment("PATCH", f"/comments/{comment:d}", body)

    def delete(self, comment: int) -> None:
        """Remove a comment."""
        self._ask("DELETE", f"/comments/{comment:d}")

    def _comment(self, method: str, path: str, body: str) -> dict[str, Any]:
        answer = self._ask(method, path, {"body": body})
        if not isinstance(answer, dict):
            raise ApiError("GitHub's answer is no comment")
        return answer

    def _ask(self, method: str, path: str, content: object = None) -> object:
        request = urllib.request.Request(  # noqa: S310, the scheme was checked
            self._base + path,
            method=method,
            data=None if content is None else json.dumps(content).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "User-Agent": "garak-tbsa",
                "X-GitHub-Api-Version": API_VERSION,
            },
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT) as answer:
                text = answer.read(LARGEST_ANSWER + 1)
        except urllib.error.HTTPError as error:
            with error:
                said = _message_of(error.read(LARGEST_ANSWER))
            may_pass = error.code >= 500 or error.code == TOO_MANY
            raise ApiError(
                f"HTTP {error.code}{said}", error.code, may_pass=may_pass
            ) from None
        except (OSError, HTTPException) as error:
            raise ApiError(f"no answer: {error}", may_pass=True) from None
        except ValueError:
            # its text would quote a token that holds a line break
            raise ApiError("the token or the address is not valid") from None
        if len(text) > LARGEST_ANSWER:
            raise ApiError("GitHub's answer is too large")
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise ApiError("GitHub's answer is no JSON") from None


def _message_of(text: bytes) -> str:
    """What GitHub says of a refusal, as the rest of a sentence."""
    try:
        said = json.loads(text)["message"]
    except (ValueError, LookupError, TypeError):
        return ""
    return f", {said}" if isinstance(said, str) else ""
