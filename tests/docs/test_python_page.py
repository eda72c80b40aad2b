# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The examples of ``docs/reference/python.md`` run as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.gold import FOLDER

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
EXAMPLES: list[str] = re.findall(
    r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S
)


def example(word: str) -> str:
    """The one example that holds a word."""
    (found,) = (text for text in EXAMPLES if word in text)
    return found


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("garak-0.17.1", r"\d\.\d \(\d\.\d, \d\.\d\)"),
        ("taxonomy-groups", r"\d\.\d "),
        # pair names of another calibration: there is no interval
        ("garak-0.13.0", r"\d\.\d no interval: .+"),
    ],
)
def test_a_report_is_scored_from_python(
    report: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    content = (FOLDER / f"{report}.report.jsonl").read_bytes()
    (tmp_path / "garak.report.jsonl").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    exec(example("load_report"), {})
    assert re.match(said, capsys.readouterr().out)
