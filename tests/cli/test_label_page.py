# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label --page``: what tests/behaviour does not ask of the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from garak_tbsa.cli.main import main
from tests.label_audit.reports import full_report


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return full_report(tmp_path / "x.report.jsonl")


def test_the_page_on_standard_output_is_nothing_but_the_page(
    report: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["label", str(report), "--page", "-"]) == 0
    written = capfdbinary.readouterr().out
    assert written.startswith(b"<!doctype html>")
    assert written.endswith(b"</html>\n")


def test_prompt_toolkit_is_not_asked_for(report: Path) -> None:
    """A page is made where ``[label]`` is not installed."""
    code = (
        "import sys; sys.modules['prompt_toolkit'] = None\n"
        "from garak_tbsa.cli.main import main\n"
        "raise SystemExit(main(sys.argv[1:]))"
    )
    page = report.parent / "label.html"
    subprocess.run(
        [sys.executable, "-c", code, "label", str(report), "--page", str(page)],
        check=True,
        capture_output=True,
    )
    assert page.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["{report}", "--page", "{page}", "--labels", "l.jsonl"],
            2,
            "--labels l.jsonl: is for the terminal; a page keeps answers in the"
            " browser, where earlier ones can be imported",
        ),
        (
            ["{report}", "--page", "{report}/label.html"],
            1,
            "{report}/label.html: cannot be written (File exists); nothing was"
            " changed there; choose a writable place with free space",
        ),
    ],
)
def test_bad_input_is_one_line(
    report: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    before = report.read_bytes()
    page = report.parent / "label.html"
    places = {"report": str(report), "page": str(page)}
    assert main(["label", *(each.format(**places) for each in arguments)]) == code
    assert capsys.readouterr().err == f"garak-tbsa: {message.format(**places)}\n"
    assert not page.exists()
    assert report.read_bytes() == before
