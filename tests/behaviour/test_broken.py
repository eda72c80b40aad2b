# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Broken files: scored where nothing is lost, else one line that says where."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.product import document, tbsa
from tests.behaviour.scans import SMALL, scan, scored
from tests.report_rows import (
    attempt_row,
    pairs_named,
    report_rows,
    to_bytes,
    write_report,
)

WHOLE = to_bytes(report_rows(pairs_named(*SMALL)))
ROWS = to_bytes(report_rows(pairs_named(*SMALL), digest=False))
"""Three rows, three eval rows, completion; ``WHOLE`` has a digest after these."""


def with_line(number: int, line: bytes, text: bytes = ROWS) -> bytes:
    """Put a line before the one of this number, counted from 1."""
    lines = text.split(b"\n")
    return b"\n".join([*lines[: number - 1], line, *lines[number - 1 :]])


def cut(lines: int, text: bytes = ROWS) -> bytes:
    """Keep some lines and the beginning of the next."""
    kept = text.split(b"\n")
    return b"\n".join([*kept[:lines], kept[lines][:20]])


def told(passed: bytes) -> bytes:
    """Rows in which the second pair's passes are other JSON."""
    return ROWS.replace(b'"passed": 5', b'"passed": ' + passed)


SCORED: dict[str, tuple[bytes, dict[str, Any]]] = {
    "byte order mark": (b"\xef\xbb\xbf" + WHOLE, {}),
    "Windows line ends": (WHOLE.replace(b"\n", b"\r\n"), {}),
    "empty lines": (WHOLE.replace(b"\n", b"\n\n") + b"\n\n", {}),
    "other key order": (
        to_bytes(
            dict(reversed(json.loads(line).items())) for line in WHOLE.split(b"\n")
        ),
        {},
    ),
    "unknown rows": (with_line(2, b'{"entry_type": "news"}'), {"read_from": "rows"}),
    "broken bytes in text": (WHOLE.replace(b'"Blank"', b'"Bl\xffnk"'), {}),
    "half a character in text": (WHOLE.replace(b'"Blank"', b'"Bl\\ud800nk"'), {}),
    "NaN where no number counts": (
        with_line(2, b'{"entry_type": "attempt", "x": NaN}'),
        {"read_from": "rows"},
    ),
    "digest cut": (WHOLE[:-30], {"read_from": "rows", "warnings": 1}),
    "last row cut": (cut(6), {"read_from": "rows", "partial": True, "warnings": 1}),
    "no end": (ROWS.rpartition(b"\n")[0], {"read_from": "rows", "partial": True}),
    "no setup": (ROWS.partition(b"\n")[2], {"read_from": "rows"}),
}


def test_what_loses_no_result_is_scored(tmp_path: Path) -> None:
    for name, (content, expected) in SCORED.items():
        path = tmp_path / "scan.report.jsonl"
        path.write_bytes(content)
        found = scored(tmp_path, path)
        assert {
            "tbsa": found["tbsa"],
            "hash": found["version_probe_hash"],
            "pairs": len(found["pairs"]),
            "read_from": found["read_from"].removeprefix("eval "),
            "partial": found["partial"],
            "warnings": len(found["warnings"]),
        } == {
            "tbsa": 3.7,
            "hash": "bbd22d66",
            "pairs": 3,
            "read_from": "digest",
            "partial": False,
            "warnings": 0,
            **expected,
        }, name
        assert path.read_bytes() == content


def test_a_pair_whose_row_is_cut_is_missing_and_the_scan_partial(
    tmp_path: Path,
) -> None:
    path = tmp_path / "scan.report.jsonl"
    path.write_bytes(cut(5))
    found = scored(tmp_path, path)
    assert (found["tbsa"], found["partial"], len(found["pairs"])) == (3.7, True, 2)
    assert [warning.split(" is ")[0] for warning in found["warnings"]] == ["line 6"]
    shown = tbsa("score", "-q", path)
    assert shown.code == 0
    assert shown.err.startswith(f"garak-tbsa: {path}: partial: ")


COUNT = ", line 5: eval.passed: expected a whole number"
DEEP = b'{"entry_type": "x", "a": ' + b"[" * 10**5 + b"]" * 10**5 + b"}"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 3\n"
IN_DIGEST = ": digest.eval.probe.probe.P01.detector.D.passed: expected a whole number"
REFUSED: dict[bytes, str] = {
    b"": ": is empty",
    b"\n\n \n": ": has neither",
    POINTER: ", line 1: is a Git LFS pointer",
    b"<!doctype html>\n<html></html>\n": ", line 1: is a web page",
    bytes(range(256)) * 20: ", line 1: expected a JSON object",
    WHOLE.decode().encode(
        "utf-16"
    ): ", line 1: expected a JSON object, found UTF-16, as",
    with_line(1, b"[1]"): ", line 1: row: expected an object",
    with_line(2, b"17"): ", line 2: row: expected an object",
    with_line(4, b'{"entry_type": "eval", no'): ", line 4: expected a JSON object",
    with_line(3, DEEP): ", line 3: expected a JSON object",
    told(b"9" * 5000): ", line 5: expected a JSON object",
    told(b"15"): ", line 5: eval.passed: expected at most",
    **{told(each): COUNT for each in (b"1e999", b"NaN", b"-5", b"5.5", b'"5"')},
    WHOLE.replace(b'"passed": 5', b'"passed": NaN'): IN_DIGEST,
    cut(3)[:-20]: ": no pair in Tier 1 or 2 was measured",
    b'{"a": 1}': ", line 1: row.entry_type: expected",
}


def test_what_is_broken_is_told_in_one_line_with_its_place(tmp_path: Path) -> None:
    path, output = tmp_path / "scan.report.jsonl", tmp_path / "out.json"
    packed = tmp_path / "packed.report.jsonl.gz"
    gate = ("score", "-q", "--fail-under", "1")
    for content, place in REFUSED.items():
        path.write_bytes(content)
        packed.write_bytes(gzip.compress(content))
        for command in (("score", "-q"), ("score", "-j", output), gate, ("explain",)):
            shown = tbsa(*command, path)
            assert shown.code == 1, place
            assert shown.error.startswith(f"garak-tbsa: {path}{place}"), place
        assert not output.exists()
        shown = tbsa("history", path)
        assert (shown.code, path.name in shown.out + shown.err) == (1, True)
        shown = tbsa("score", "-q", packed)
        assert shown.code == 1
        assert shown.error.startswith(f"garak-tbsa: {packed}")


def test_bad_rows_before_a_digest_cost_the_gate_not_the_score(tmp_path: Path) -> None:
    path = tmp_path / "scan.report.jsonl"
    path.write_bytes(with_line(4, b'{"entry_type": "eval", no', WHOLE))
    plain, gate = (
        tbsa("score", "-q", *more, path) for more in ([], ["--fail-under=1"])
    )
    assert (plain.code, plain.lines[-1][1:]) == (0, " TBSA: 3.7")
    assert gate.code in (1, 3)
    assert "line 4" in gate.err


BROKEN_ATTEMPTS: dict[str, tuple[Callable[..., list[bytes]], str]] = {
    # what is done to three attempts, lines 4 to 6, and what is said
    "cut": (lambda a, b, c: [a, b[:30] + b"\n", c], "line 5, an attempt, is no JSON"),
    "joined": (lambda a, b, c: [a, b[:30], c], "line 5, an attempt, is no JSON"),
    "two": (
        lambda a, b, c: [a[:30] + b"\n", b, c[:-9] + b"\n"],
        "2 lines of attempts, first line 4, are no JSON",
    ),
    "no beginning": (
        lambda a, _, c: [a, b'{"entry_type": "att\n', c],
        "line 5: expected a JSON object, found no JSON",
    ),
}


@pytest.mark.parametrize("case", BROKEN_ATTEMPTS)
def test_a_broken_attempt_within_a_report_is_told_in_a_plain_score(
    tmp_path: Path, case: str
) -> None:
    """The digest, or else the eval rows, are scored all the same."""
    change, told = BROKEN_ATTEMPTS[case]
    pairs = pairs_named(*SMALL)
    attempts = [attempt_row(pair) for pair in pairs]
    path = tmp_path / "scan.report.jsonl"
    # without a digest a line of no known kind is an error
    for digest in {True, case == "no beginning"}:
        rows = report_rows(pairs, attempts=attempts, digest=digest)
        lines = to_bytes(rows).splitlines(keepends=True)
        path.write_bytes(b"".join([*lines[:3], *change(*lines[3:6]), *lines[6:]]))
        found = document(tmp_path, "score", path)
        assert found["tbsa"] == 3.7
        assert [told in warning for warning in found["warnings"]] == [True]
        for options in ((), ("-v",), ("--fail-under", "1")):
            shown = tbsa("score", *options, path)
            assert told in " ".join(shown.out.split())
        strict = tbsa("score", "-q", "--strict", path)
        assert (strict.code, told in strict.err) == (1, True)


def test_a_long_attempt_is_not_taken_for_a_broken_one(tmp_path: Path) -> None:
    """Only its ends are read for a score."""
    pairs = pairs_named(*SMALL)
    attempts = [attempt_row(pairs[0], notes={"long": "x" * (2 << 20)})]
    path = tmp_path / "scan.report.jsonl"
    write_report(path, report_rows(pairs, attempts=[*attempts, *attempts]))
    assert document(tmp_path, "score", path)["warnings"] == []


ONE_REPORT = {
    "score": ["-q"],
    "explain": [],
    "show": ["line 1"],
    "compare": ["scan.report.jsonl"],
}


def test_what_is_no_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    below, long = scan(tmp_path) / "below", "x" * 300
    for command, more in ONE_REPORT.items():
        for name in ("missing.report.jsonl", below, long):
            shown = tbsa(command, name, *more)
            assert shown.code == 1
            assert shown.error.startswith(f"garak-tbsa: {name}: cannot be opened")
        if command != "score":
            shown = tbsa(command, tmp_path, *more)
            assert shown.code == 1
            assert shown.error.startswith(f"garak-tbsa: {tmp_path}: is a folder")
    shown = tbsa("history", "missing")
    assert shown.code == 1
    assert shown.error.startswith("garak-tbsa: missing: does not exist")


SOURCE = "garak_tbsa.report.opening"


def test_packed_files_that_end_early_or_grow_too_large_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, path = gzip.compress(WHOLE), tmp_path / "scan.report.jsonl.gz"
    path.write_bytes(packed[:-20])
    assert "damaged or ends before its end" in tbsa("score", "-q", path).error
    path.write_bytes(packed)
    monkeypatch.setattr(f"{SOURCE}.MOST_UNPACKED", 1 << 20)
    assert tbsa("score", "-q", path).code == 0
    monkeypatch.setattr(f"{SOURCE}.MOST_UNPACKED", 1 << 10)
    error = tbsa("score", "-q", path).error
    assert error.startswith(f"garak-tbsa: {path}")
    assert "more than 1 KiB" in error
    monkeypatch.undo()
    monkeypatch.setattr(f"{SOURCE}.LONGEST_LINE", 1 << 20)
    path.write_bytes(gzip.compress(b'{"entry_type": "attempt", "a": "' + b"a" * 10**7))
    shown = tbsa("score", "-q", path)
    assert shown.code == 1
    assert f"{path}, line 1: " in shown.error
    assert "longer than 1 MiB" in shown.error
    rows = report_rows(pairs_named(*SMALL))
    rows[-1]["x"] = [[]] * 250_000
    small = write_report(tmp_path / "lists.report.jsonl", rows)
    assert tbsa("score", "-q", small).code == 0
    monkeypatch.setattr(f"{SOURCE}.MOST_TO_PARSE", 5 << 18)
    error = tbsa("score", "-q", small).error
    assert f"{small}, line {len(rows)}: " in error
    assert "may take more than 1.25 MiB of memory" in error


WRONG = (
    *("--unheard-of", "--fail-under 5.1", "--fail-under nan", "--hits -1", "--sure .9"),
    *("--require-tier1-grade 6", "--require-tier1-grade 3.5", "--min-coverage 1.1"),
    *("--alpha 0", "--repeat never"),
)


def test_a_wrong_command_line_is_exit_2_with_usage(tmp_path: Path) -> None:
    path = scan(tmp_path)
    for given in WRONG:
        shown = tbsa("score", *given.split(), path)
        assert (shown.code, shown.out) == (2, ""), given
        last = shown.err.splitlines()[-1]
        assert last.startswith("garak-tbsa: ")
        assert given.split()[0].lstrip("-") in last
    assert (tbsa("score").code, tbsa("score").out) == (2, "")
