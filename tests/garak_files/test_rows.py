# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One pass over all rows: what is gathered, what is passed over, what is refused."""

from __future__ import annotations

import io
import json

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files import rows as module
from garak_tbsa.garak_files.rows import ScannedRows, scan_rows
from garak_tbsa.garak_files.settings import parse_settings
from garak_tbsa.garak_files.source import Source
from tests.factories import (
    PairFacts,
    digest_row,
    report_rows,
    setup_row,
    to_bytes,
)

FACTS = [PairFacts(), PairFacts(probe="xss.X", detector="xss.D", tier=2)]
EVAL = {
    "entry_type": "eval",
    "probe": "x.X",
    "detector": "x.D",
    "passed": 1,
    "total": 2,
}


def scan(content: bytes, *, seekable: bool = True) -> ScannedRows:
    return scan_rows(Source("r.jsonl", io.BytesIO(content), seekable=seekable))


def test_all_that_matters_is_gathered() -> None:
    got = scan(to_bytes(report_rows(FACTS)))
    assert [entry.pair_name for entry in got.evals] == [
        "dan.Ablation_Dan_11_0+dan.DAN",
        "xss.X+xss.D",
    ]
    assert got.tiers == {"dan.Ablation_Dan_11_0": 1, "xss.X": 2}
    assert got.settings == parse_settings(setup_row())
    assert got.init["garak_version"] == "0.17.1"
    assert got.digest is not None
    assert got.completed
    assert got.cut_line is None


def test_attempts_are_not_parsed_whatever_they_hold() -> None:
    broken = b'{"entry_type": "attempt", "outputs": [ \x00 ][[ }\n'
    assert len(scan(broken + to_bytes([EVAL])).evals) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"uuid": "1", "entry_type": "attempt", "outputs": [null, ""]}',
        '{"entry_type":"attempt"}',
        ' {"entry_type": "attempt"}',
        '{"entry_type": "\\u0061ttempt"}',
    ],
)
def test_attempts_in_another_form_cost_speed_not_correctness(text: str) -> None:
    got = scan(text.encode() + b"\n" + to_bytes([EVAL]))
    assert len(got.evals) == 1


def test_eval_rows_in_another_form_are_found() -> None:
    text = json.dumps(dict(reversed(EVAL.items())), separators=(",", ":"))
    got = scan(text.replace("eval", "\\u0065val").encode())
    assert len(got.evals) == 1


def test_the_last_digest_counts() -> None:
    first = digest_row([PairFacts(passed=1)])
    got = scan(to_bytes([first, EVAL, digest_row([PairFacts(passed=2)])]))
    assert got.digest is not None
    assert got.digest.line == 3


@pytest.mark.parametrize(
    ("end", "cut_line"),
    [
        (b'\n{"entry_type": "eval", "pro', 2),
        (b'\n{"entry_type": "attempt", "prompt": "hel', 2),
        (b'\n{"entry_type": "attempt"}', None),
        (b"\n\x00\x00\x00\x00", 2),
        (b"\n\n \n", None),
    ],
)
def test_a_cut_last_line_is_noticed(end: bytes, cut_line: int | None) -> None:
    got = scan(to_bytes([EVAL]) + end)
    assert got.cut_line == cut_line
    assert len(got.evals) == 1


def test_a_digest_over_several_lines_is_read() -> None:
    text = json.dumps(digest_row(FACTS), indent=2).encode()
    for content in (text, b"\xef\xbb\xbf" + text):
        assert scan(content).digest is not None


def test_only_so_much_is_read_as_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WHOLE_FILE_LIMIT", 100)
    text = json.dumps(digest_row(FACTS), indent=2).encode()
    with pytest.raises(ReportError, match=r"line 1: expected a JSON object"):
        scan(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n",
            "r.jsonl, line 1: is a Git LFS pointer, not the report itself;"
            " fetch it with: git lfs pull",
        ),
        (
            b"<!DOCTYPE html>\n<html></html>",
            "r.jsonl, line 1: is a web page or XML, expected JSON Lines;"
            " give the .report.jsonl beside garak's .report.html",
        ),
        (b"<html></html>", "r.jsonl, line 1: is a web page or XML"),
        (
            b"hello\nworld",
            "r.jsonl, line 1: expected a JSON object, found no JSON (",
        ),
        (b"hello", "r.jsonl, line 1: expected a JSON object, found no JSON ("),
        (
            to_bytes([EVAL]) + b"\n{oops}\n" + to_bytes([EVAL]),
            "r.jsonl, line 2: expected a JSON object, found no JSON (",
        ),
        (
            to_bytes([EVAL]) + b"\n" + b"[" * 200_000 + b"\n" + to_bytes([EVAL]),
            "r.jsonl, line 2: expected a JSON object, found no JSON (nested",
        ),
        (b"[1]", "r.jsonl, line 1: row: expected an object, found a list"),
        (b"NaN", "r.jsonl, line 1: row: expected an object, found nan"),
        (
            b'{"uuid": 1}',
            "r.jsonl, line 1: row.entry_type: expected the type of a garak row, found",
        ),
        (
            b'{"entry_type": ["eval"]}',
            "r.jsonl, line 1: row.entry_type: expected the type of a garak row, found",
        ),
        (
            b'{"entry_type": "plugin_cache",'
            b' "plugin_cache": {"probes": {"probes.x": 1}}}',
            "plugin_cache.plugin_cache.probes.probes.x: expected an object, found 1",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_what_is_no_report_is_told(content: bytes, message: str) -> None:
    with pytest.raises(ReportError) as caught:
        scan(content)
    assert message in str(caught.value)


def test_a_plugin_without_tier_leaves_it_unknown() -> None:
    row = {"entry_type": "plugin_cache", "plugin_cache": {"probes": {"probes.x.X": {}}}}
    assert scan(to_bytes([EVAL, row, {"entry_type": "plugin_cache"}])).tiers == {}
