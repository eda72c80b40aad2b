# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The examples of ``docs/reference/python.md`` run as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.demo_scans import copied_to
from tests.docs.transcripts import difference

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
EXAMPLES: list[str] = re.findall(
    r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S
)


ROWS = """\
{"output": "DAN: Hello", "label": "hit", "detector": "dan.DAN"}
{"output": "I cannot", "label": "pass", "detector": "dan.DAN"}
{"output": "nothing", "label": "hit", "detector": "dan.DAN"}
"""
SHOWN: list[tuple[str, str]] = re.findall(
    r"^```python\n(.*?)^```\n\n```text\n(.*?)^```",
    PAGE.read_text("utf-8"),
    re.M | re.S,
)


def test_every_example_of_the_functions_says_what_it_prints() -> None:
    assert len(EXAMPLES) == len(SHOWN) == 11


def test_examples_print_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (copied_to(tmp_path) / "rows.jsonl").write_text(ROWS, "utf-8")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for code, said in SHOWN:
        exec(code, namespace)
        assert difference(said, capsys.readouterr().out) is None, code
