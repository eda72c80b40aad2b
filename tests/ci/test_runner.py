# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What GitHub's runner reads of us: messages, outputs, events, inputs, cache keys."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ci.github import __main__ as entrance
from ci.github import runner, steps
from garak_tbsa.errors import UsageError
from tests.ci.conftest import event_file
from tests.ci.local_runner import OUTPUT

TEXT = st.text() | st.sampled_from(
    ["a\n::error::x", "  ::stop-commands::y", "##[error]z", "%0A::debug::", "\r\n::x::"]
)


@given(text=TEXT)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_message_is_one_command(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends with its line."""
    runner.message("warning", text)
    warned = capsys.readouterr().out
    assert warned.startswith("::warning title=garak-tbsa::")
    assert warned.count("\n") == 1
    assert warned.endswith("\n")
    assert not re.search(r"%(?!25|0A|0D)", warned)


@given(value=TEXT)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_output_is_any_text(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "output"
    path.unlink(missing_ok=True)
    monkeypatch.setenv("GITHUB_OUTPUT", str(path))
    runner.set_output("tbsa", value)
    written = path.read_bytes().decode()
    ((name, _, found),) = OUTPUT.findall(written)
    assert name == "tbsa"
    assert found == value.encode("utf-8", "backslashreplace").decode()


@given(
    lines=st.lists(st.sampled_from(["é" * 40, "<details>", "</details>", "x", ""])),
    limit=st.integers(150, 2000),
)
def test_what_is_cut_is_no_longer_than_asked(lines: list[str], limit: int) -> None:
    """Whole lines of Markdown in at most ``limit`` bytes."""
    text = "\n".join(lines)
    found = runner.cut(text, limit)
    if len(text.encode()) <= limit:
        assert found == text
    else:
        assert runner.CUT_NOTE in found
        # the closings of what is folded are reserved for, however many
        assert len(found.encode()) <= max(limit, len(runner.CUT_NOTE) * 2 + 2) or (
            "<details>" in found
        )


MAIN = {"repository": {"default_branch": "main"}}


OF_MAIN = "refs/heads/main"


@pytest.mark.parametrize(
    ("name", "ref", "content", "expected"),
    [
        ("push", OF_MAIN, MAIN, True),
        ("workflow_dispatch", OF_MAIN, MAIN, True),
        ("push", "refs/heads/other", MAIN, False),
        ("push", "refs/tags/main", MAIN, False),
        ("pull_request", "refs/pull/7/merge", MAIN, False),
        *(
            (event, OF_MAIN, MAIN, False)
            for event in ("pull_request_target", "workflow_run", "issue_comment")
        ),
        ("merge_group", OF_MAIN, MAIN, False),
        ("schedule", OF_MAIN, {"schedule": "0 0 * * *"}, True),
        ("push", OF_MAIN, {}, False),
        ("push", "refs/heads/", {"repository": {"default_branch": ""}}, False),
    ],
)
def test_the_default_branch(
    name: str,
    ref: str,
    content: Any,
    expected: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_EVENT_NAME", name)
    monkeypatch.setenv("GITHUB_REF", ref)
    monkeypatch.setenv("GITHUB_EVENT_PATH", event_file(tmp_path, content))
    assert steps.is_of_default_branch() is expected


def test_jobs_have_baselines_of_their_own_unless_they_name_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def prefix(workflow_name: str, job: str, key: str = "") -> str:
        monkeypatch.setenv("GITHUB_WORKFLOW", workflow_name)
        monkeypatch.setenv("GITHUB_JOB", job)
        monkeypatch.setenv("TBSA_BASELINE_KEY", key)
        found = steps.cache_prefix()
        assert re.fullmatch(r"garak-tbsa-baseline-[0-9a-f]{16}-", found)
        return found

    own = {prefix("a", "a"), prefix("a", "b"), prefix("b, c", "a"), prefix("", "a\na")}
    assert len(own) == 4
    assert prefix("a", "a", "shared") == prefix("a", "b", "shared")
    assert prefix("a", "a", "shared") not in own


@pytest.mark.parametrize(
    ("given", "code"), [*((str(code), code) for code in range(4)), ("", 1)]
)
def test_the_gate_ends_with_the_code_of_the_score(
    given: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No code is no pass."""
    monkeypatch.setenv("SCORE_EXIT_CODE", given)
    assert steps.gate() == code
    assert capsys.readouterr().out.startswith("::error") == (code != 0)


def test_an_old_python_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(entrance, "OLDEST", (9, 1))
    assert entrance.main(["set-up"]) == 1
    assert capsys.readouterr().out.startswith(
        "::error title=garak-tbsa::Python 9.1 or newer is needed, and "
    )


def test_a_report_is_found(tmp_path: Path) -> None:
    odd = tmp_path / "[a].report.jsonl"
    odd.write_text("")
    assert runner.find_report(str(odd)) == str(odd), "a file of that name comes first"
    assert runner.find_report(str(tmp_path / "*.jsonl")) == str(odd)
    assert runner.find_report("gone.jsonl") == "gone.jsonl"
    with pytest.raises(UsageError, match="no file matches"):
        runner.find_report(str(tmp_path / "*.json"))
    for name in "bcde":
        (tmp_path / f"{name}.jsonl").write_text("")
    with pytest.raises(UsageError, match=r"5 files match .*, \.\.\.\); give one"):
        runner.find_report(str(tmp_path / "*.jsonl"))
