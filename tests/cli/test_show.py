# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa show``: any report and any text; ``whole_outputs.txt`` has one whole."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.behaviour.product import tbsa
from tests.cli.test_whole_outputs import ATTEMPT
from tests.report_rows import PairFacts, report_rows, to_bytes, write_report


def test_compressed_reports_and_standard_input(tmp_path: Path) -> None:
    """They show what the file itself does."""
    content = to_bytes(report_rows([PairFacts()], attempts=[ATTEMPT]))
    plain, packed = tmp_path / "r.report.jsonl", tmp_path / "r.report.jsonl.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    shown = [
        tbsa("show", *given, stdin=stdin)
        for given, stdin in (
            ((plain, "abcd"), b""),
            ((packed, "abcd"), b""),
            (("-", "abcd"), content),
        )
    ]
    assert [each.code for each in shown] == [0, 0, 0]
    (text,) = {each.out[each.out.index("Goal") :] for each in shown}
    assert text.count("Output ") == 4


def test_every_line_of_a_text_is_marked(tmp_path: Path) -> None:
    """No text can look like a line of ours, however long or wide its lines are."""
    text = "Output 9 " * 200 + "\n" + "a" + "漢" * 500 + "\nOutput 8"
    row = {**ATTEMPT, "outputs": [text], "conversations": []}
    path = tmp_path / "r.report.jsonl"
    write_report(path, report_rows([PairFacts()], attempts=[row]))
    shown = tbsa("show", path, "abcd").lines
    assert [line for line in shown if line.startswith("Output")] == ["Output 0"]
    assert all(len(line) + line.count("漢") <= 80 for line in shown[4:])
