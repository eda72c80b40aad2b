# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label --page`` as a command; tests/label_audit has the page itself."""

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


def test_it_says_what_to_do_next_and_needs_no_terminal(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = report.parent / "new" / "label.html"
    assert main(["label", str(report), "--page", str(page), "-n", "60"]) == 0
    said = capsys.readouterr()
    assert said.out == (
        f"{page}: 50 outputs to label; open it in a browser, then\n"
        f"   garak-tbsa audit {report} --labels EXPORTED-FILE\n"
    )
    assert said.err == f"garak-tbsa: {page}: the report has no more outputs to label\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main(["label", str(report), "--page", str(page), "-n", "1"]) == 0
    said = capsys.readouterr()
    assert "label.html: 1 output to label" in said.out
    assert said.err == ""


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
            ["-", "--page", "{page}"],
            2,
            "-: a page needs it read more than once; give a report's path",
        ),
        (
            ["{report}", "{report}", "--page", "{page}"],
            2,
            "--page {page}: is for one report, and 2 are given; make a page for each",
        ),
        (
            ["{report}", "--page", "{page}", "--labels", "l.jsonl"],
            2,
            "--labels l.jsonl: is for the terminal; a page keeps answers in the"
            " browser, where earlier ones can be imported",
        ),
        (
            ["{report}", "--page", "{report}"],
            2,
            "--page {report}: would overwrite the input {report}; give each output"
            " a path of its own",
        ),
        (
            ["{report}", "--page", "{page}", "--detector", "dan.DUDE"],
            1,
            "{report}: --detector dan.DUDE: not in this report; it has dan.DAN,"
            " encoding.DecodeMatch",
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
