# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The comment on a pull request, against GitHub's API behind a port of this machine."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from ci.github import comment
from tests.ci.conftest import SHA, event_file, variables_of
from tests.ci.fake_github import NUMBER, OUR_BOT, REPOSITORY, TOKEN, FakeGitHub

MARKDOWN = "## 🟩 TBSA 4.1\n\n- all is well\n"


class Step:
    """The step ``comment``, in this process."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.folder = folder
        self._set = monkeypatch.setenv
        self._capsys = capsys
        self.write(MARKDOWN)

    def write(self, markdown: str) -> None:
        (self.folder / "score.md").write_text(markdown, encoding="utf-8")

    def set(self, **variables: str) -> None:
        for name, value in variables.items():
            self._set(name, value)

    def run(self, **inputs: str) -> str:
        """Run it with some inputs; return what it says."""
        self.set(**{f"TBSA_{name.upper()}": value for name, value in inputs.items()})
        assert comment.comment() == 0, "a comment decides nothing"
        return self._capsys.readouterr().out


@pytest.fixture
def step(
    tmp_path: Path,
    github: FakeGitHub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Step:
    monkeypatch.setattr(comment, "PAUSES", (0.0, 0.0))
    found = Step(tmp_path, monkeypatch, capsys)
    found.set(
        **variables_of(tmp_path, github),
        TBSA_REPORT="scan.report.jsonl",
        TBSA_OUTPUT_FOLDER=str(tmp_path),
        TBSA_GITHUB_TOKEN=TOKEN,
        GITHUB_OUTPUT=str(tmp_path / "output"),
    )
    return found


def test_a_comment_says_where_it_comes_from_and_only_a_change_updates_it(
    step: Step, github: FakeGitHub
) -> None:
    assert step.run() == ""
    (made,) = github.comments
    marker, *lines = made["body"].splitlines()
    assert marker.startswith("<!-- garak-tbsa ")
    assert marker.endswith(" -->")
    assert lines == [
        *MARKDOWN.splitlines(),
        "",
        f"_Scan, nightly / scan, commit [{SHA[:7]}]"
        f"(https://github.com/owner/repo/commit/{SHA}),"
        " [this run](https://github.com/owner/repo/actions/runs/42)_",
    ]
    assert made["html_url"] in (step.folder / "output").read_text()
    step.run()
    assert github.methods == ["GET", "POST", "GET"]
    step.write("## 🟥 TBSA 1.0\n")
    step.run()
    assert github.methods[3:] == ["GET", "PATCH"]
    (found,) = github.comments
    assert "TBSA 1.0" in found["body"]


def test_each_job_and_key_has_one_comment(step: Step, github: FakeGitHub) -> None:
    for variables in (
        {"GITHUB_JOB": "other"},
        {"GITHUB_WORKFLOW": "other"},
        {"TBSA_COMMENT_KEY": "model-a"},
        {"TBSA_COMMENT_KEY": "model-b"},
    ):
        step.set(**variables)
        step.run()
        step.run()
    assert len(github.comments) == 4
    assert "/ model-b" in github.comments[-1]["body"].replace("&#45;", "-")


def test_a_copied_or_quoted_marker_is_no_comment_of_ours(
    step: Step, github: FakeGitHub
) -> None:
    """Who sees the marker may copy it, and would own the comment that says "passed"."""
    step.run()
    body = github.comments.pop()["body"]
    github.add(body, author="mallory")
    github.add(f"> {body}")
    step.run()
    assert github.methods[-1] == "POST"
    authors = [each["user"]["login"] for each in github.comments]
    assert authors == ["mallory", OUR_BOT, OUR_BOT]
    # what two runs at once made becomes one
    github.add(body)
    step.run()
    assert github.methods[-2:] == ["GET", "DELETE"]
    assert len(github.comments) == 3


def test_comments_are_looked_for_on_every_page(step: Step, github: FakeGitHub) -> None:
    for number in range(250):
        github.add(f"talk {number}", author="octocat")
    step.run()
    for number in range(250):
        github.add(f"more talk {number}", author="octocat")
    step.write("changed")
    step.run()
    assert len(github.comments) == 501
    assert github.methods.count("PATCH") == 1


def test_an_answer_that_got_lost_makes_no_second_comment(
    step: Step, github: FakeGitHub
) -> None:
    github.lost = 1
    said = step.run()
    assert said == "GitHub's API: HTTP 502; once more in 0 s\n"
    assert len(github.comments) == 1
    assert github.methods == ["GET", "POST", "GET"]


NOT_MADE = "::warning title=garak-tbsa::no comment was made: "


@pytest.mark.parametrize(
    ("method", "status", "times", "told"),
    [
        *(
            (
                method,
                status,
                1,
                "the token may not write here"
                f" (HTTP {status}, Resource not accessible by integration). Runs for",
            )
            for method, status in (("GET", 401), ("POST", 403), ("PATCH", 404))
        ),
        *(
            ("GET", status, 3, f"GitHub's API: HTTP {status}")
            for status in (429, 500, 503)
        ),
    ],
)
def test_what_is_refused_is_a_warning_and_what_may_pass_is_tried_again(
    step: Step, github: FakeGitHub, method: str, status: int, times: int, told: str
) -> None:
    if method == "PATCH":
        step.run()
        step.write("changed")
    github.refuse = {method: status}
    said = step.run().splitlines()
    assert said[-1].startswith(f"{NOT_MADE}{told}")
    assert len(said) == times
    assert github.methods.count(method) == times


def test_an_address_is_checked_and_one_that_is_down_is_a_warning(step: Step) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    step.set(GITHUB_API_URL=f"http://127.0.0.1:{port}")
    said = step.run().splitlines()
    assert said[-1].startswith(f"{NOT_MADE}GitHub's API: no answer")
    step.set(GITHUB_API_URL="file:///etc")
    assert "GITHUB_API_URL is no " in step.run()
    step.set(GITHUB_API_URL="http://x", GITHUB_REPOSITORY="owner/repo/../../x")
    assert "GITHUB_REPOSITORY is no " in step.run()


def test_the_token_follows_no_redirect_and_is_in_no_message(
    step: Step, github: FakeGitHub
) -> None:
    github.redirect = f"{github.address}/elsewhere"
    said = step.run()
    assert github.requests == [
        ("GET", f"/repos/{REPOSITORY}/issues/{NUMBER}/comments?per_page=100&page=1")
    ]
    assert "HTTP 302" in said
    for token in (f"{TOKEN}x", f"{TOKEN}\nx", "é"):
        said = step.run(github_token=token)
        assert said.startswith("::warning")
        assert token not in said
        assert TOKEN not in said


def test_no_comment_where_none_is_wanted_or_no_token_is_there(
    step: Step, github: FakeGitHub
) -> None:
    assert step.run(comment="false") == ""
    empty = step.run(comment="true", github_token="")
    assert "the input github-token is empty" in empty
    assert github.requests == []


def test_a_token_of_somebody_else_is_told_how_its_comments_are_found(
    step: Step, github: FakeGitHub
) -> None:
    github.author = "release-bot"
    assert "set the input comment-author to release-bot" in step.run()
    assert step.run(comment_author="release-bot") == ""
    assert len(github.comments) == 1


def test_the_event_says_which_pull_request(step: Step, github: FakeGitHub) -> None:
    """Where there is no event it is none, unless one is named."""
    events: list[object] = [
        {"issue": {"number": 7}},
        {"pull_request": {"number": "7/../8"}},
        {"pull_request": {"number": True, "head": 3}},
        {"issue": 7},
        [],
    ]
    step.set(GITHUB_EVENT_PATH=str(step.folder / "gone.json"))
    assert "no pull request in this event" in step.run()
    for event in events:
        step.set(GITHUB_EVENT_PATH=event_file(step.folder, event))
        assert "no pull request in this event" in step.run(), event
    assert github.requests == []
    assert step.run(pull_request="7") == ""
    step.set(TBSA_PULL_REQUEST="")
    issue = {"number": 7, "pull_request": {"url": "x"}}
    step.set(GITHUB_EVENT_PATH=event_file(step.folder, {"issue": issue}))
    assert step.run() == ""
    assert len(github.comments) == 1
    step.set(GITHUB_EVENT_PATH=event_file(step.folder, {"pull_request": issue}))
    assert step.run() == ""
    assert github.methods.count("GET") == 3


def test_a_long_text_is_cut_between_lines(step: Step, github: FakeGitHub) -> None:
    row = "| " + "é" * 100 + " |\n"
    folded = "<details><summary>many</summary>\n\n" + row * 2000 + "\n</details>\n"
    step.write(f"{MARKDOWN}\n{folded}")
    assert step.run() == ""
    (made,) = github.comments
    body = made["body"]
    assert len(body.encode()) <= comment.BODY_LIMIT
    assert body.count("<details>") == body.count("</details>") == 1
    assert "_Cut here: the rest is in the file score.md of this run._" in body
    assert body.rstrip().endswith("/actions/runs/42)_")
    assert all(line == row.strip() for line in body.splitlines() if "é" in line)
