# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where reports come from: packed, piped, by address, many at once, in parts."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import fsspec
import pytest
import zstandard

from tests.behaviour.product import GOLD, document, tbsa
from tests.behaviour.scans import SMALL, grades, left_out, scan, scored
from tests.behaviour.schemas import assert_keeps_schema
from tests.report_rows import pairs_named, report_rows, to_bytes

WHOLE = GOLD / "garak-0.17.1.report.jsonl"
ROWS = GOLD / "no-digest.report.jsonl"


def facts(result: dict[str, Any]) -> dict[str, Any]:
    """What is the same however a report is read."""
    same = ["tbsa", "raw_tbsa", "checksum", "version_probe_hash", "run_id", "tiers"]
    same += ["read_from", "partial", "warnings", "target_name", "start_time"]
    return {
        **{key: result[key] for key in same},
        "grades": grades(result),
        "left_out": left_out(result),
    }


def test_a_packed_or_addressed_report_scores_as_the_plain_one(tmp_path: Path) -> None:
    for report in (WHOLE, ROWS):
        content = report.read_bytes()
        plain = facts(scored(tmp_path, report))
        packed = {"gz": gzip.compress(content), "zst": zstandard.compress(content)}
        for ending, data in packed.items():
            path = tmp_path / f"scan.report.jsonl.{ending}"
            path.write_bytes(data)
            assert facts(scored(tmp_path, path)) == plain
            # the name does not decide how a file is read
            path = tmp_path / f"{ending}.report.jsonl"
            path.write_bytes(data)
            assert facts(scored(tmp_path, path)) == plain
        assert facts(scored(tmp_path, report.as_uri())) == plain
        address = "memory://net/scan.report.jsonl"
        with fsspec.open(address, "wb") as file:
            file.write(content)
        assert facts(scored(tmp_path, address)) == plain
        for arguments in (["-"], ["-r", "-"]):
            for data in (content, packed["gz"]):
                shown = tbsa("score", "-q", *arguments, stdin=data)
                assert shown == tbsa("score", "-q", report)


@pytest.mark.skipif(os.name != "posix", reason="named pipes of POSIX")
def test_a_pipe_scores_as_the_file_that_goes_through_it(tmp_path: Path) -> None:
    for number, report in enumerate((WHOLE, ROWS)):
        content = report.read_bytes()
        for ending, data in (("jsonl", content), ("gz", gzip.compress(content))):
            pipe = tmp_path / f"{number}.{ending}"
            os.mkfifo(pipe)
            writer = Thread(target=pipe.write_bytes, args=[data])
            writer.start()
            shown = tbsa("score", "-q", pipe)
            writer.join()
            assert shown == tbsa("score", "-q", report)


def test_packed_files_may_have_parts_and_must_be_whole(tmp_path: Path) -> None:
    content = WHOLE.read_bytes()
    plain = facts(scored(tmp_path, WHOLE))
    for ending, pack in (("gz", gzip.compress), ("zst", zstandard.compress)):
        path = tmp_path / f"scan.report.jsonl.{ending}"
        path.write_bytes(pack(content[:900]) + pack(content[900:]))
        assert facts(scored(tmp_path, path)) == plain
        for damaged in (pack(content)[:-9], pack(content) + b"junk"):
            path.write_bytes(damaged)
            shown = tbsa("score", "-q", path)
            assert shown.code == 1
            assert shown.error.startswith(f"garak-tbsa: {path}")
            assert "damaged or ends before its end" in shown.error
    greedy = zstandard.ZstdCompressionParameters(
        window_log=28, write_content_size=False, enable_ldm=False
    )
    packer = zstandard.ZstdCompressor(compression_params=greedy).compressobj()
    path.write_bytes(packer.compress(content) + packer.flush())
    shown = tbsa("score", "-q", path)
    assert shown.code == 1
    assert "128 MiB" in shown.error


def test_an_address_that_cannot_be_read_is_one_line() -> None:
    for address in ("memory://net/none.report.jsonl", "nosuch://net/a.report.jsonl"):
        shown = tbsa("score", "-q", address)
        assert shown.code == 1
        assert shown.error.startswith(f"garak-tbsa: {address}: cannot be opened")


def test_a_bare_digest_is_a_report(tmp_path: Path) -> None:
    digest = json.loads(WHOLE.read_text(encoding="utf-8").splitlines()[-1])
    path = tmp_path / "digest.json"
    path.write_text(json.dumps(digest, indent=2), encoding="utf-8")
    found, whole = scored(tmp_path, path), scored(tmp_path, WHOLE)
    assert facts(found) | {"warnings": []} == facts(whole)


def test_several_reports_are_a_table_and_one_document(tmp_path: Path) -> None:
    first = scan(tmp_path, name="first")
    second = scan(tmp_path, pairs_named((1, 1, 10)), "second")
    missing = tmp_path / "missing.report.jsonl"
    found = document(tmp_path, "score", "-q", first, second)
    assert [(each["infile"], each["tbsa"]) for each in found["reports"]] == [
        (str(first), 3.7),
        (str(second), 2.0),
    ]
    assert found["unreadable"] == []
    assert_keeps_schema(found, "score.schema.json")
    found = document(tmp_path, "score", first, missing, second, code=1)
    assert [each["tbsa"] for each in found["reports"]] == [3.7, 2.0]
    assert [each["infile"] for each in found["unreadable"]] == [str(missing)]
    assert_keeps_schema(found, "score.schema.json")
    shown = tbsa("score", first, missing, second)
    rows = [line.split() for line in shown.lines if "report.jsonl" in line]
    assert shown.code == 1
    assert {(row[0], row[-1]) for row in rows} == {
        ("3.7", str(first)),
        ("2.0", str(second)),
    }
    assert shown.err.startswith(f"garak-tbsa: {missing}: cannot be opened")
    for code, least in ((3, 3), (0, 2)):
        assert tbsa("score", first, second, "--fail-under", least).code == code


def test_a_folder_stands_for_the_reports_below_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "below").mkdir(parents=True)
    assert "is a folder without a garak report" in tbsa("score", "-q", folder).error
    path = scan(folder, name="b")
    packed = folder / "below" / "a.report.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    (folder / "b.hitlog.jsonl").write_bytes(b"{}")
    (folder / "b.report.html").write_bytes(b"<html>")
    found = document(tmp_path, "score", folder)
    assert {each["infile"] for each in found["reports"]} == {str(path), str(packed)}
    (folder / "c.report.jsonl").write_bytes(b"no")
    found = document(tmp_path, "score", folder, code=1)
    assert len(found["reports"]) == 2
    assert [Path(each["infile"]).name for each in found["unreadable"]] == [
        "c.report.jsonl"
    ]


def test_a_folder_may_be_an_address(tmp_path: Path) -> None:
    for name in ("one.report.jsonl", "two.report.jsonl", "two.hitlog.jsonl"):
        with fsspec.open(f"memory://folder/below/{name}", "wb") as file:
            file.write(scan(tmp_path).read_bytes())
    found = document(tmp_path, "score", "memory://folder")
    names = [each["infile"].rpartition("/")[2] for each in found["reports"]]
    assert names == ["one.report.jsonl", "two.report.jsonl"]
    assert {each["tbsa"] for each in found["reports"]} == {3.7}
    shown = tbsa("history", "--no-interval", "memory://folder")
    _, _, tables = shown.out.partition("\n\n")
    assert (shown.code, tables.count(".report.jsonl")) == (0, 2)


def test_attempts_anywhere_do_not_change_a_score(tmp_path: Path) -> None:
    attempts: list[dict[str, Any]] = [
        {"entry_type": "attempt", "status": 1, "probe_classname": "probe.P00"},
        {"status": 2, "entry_type": "attempt", "outputs": [None, ""], "x": [[1]]},
        {"entry_type": "attempt", "outputs": ["\ufffd\u202e\x00"], "prompt": None},
    ]
    pairs = [replace(pair, nones=1) for pair in pairs_named(*SMALL)]
    for digest in (True, False):
        rows = report_rows(pairs, digest=digest)
        rows[3:3] = attempts
        path = tmp_path / "scan.report.jsonl"
        path.write_bytes(to_bytes(rows))
        found = scored(tmp_path, path)
        assert (found["tbsa"], found["warnings"]) == (3.7, [])
        nones = [pair["nones"] for pair in found["pairs"]]
        assert nones == ([None] * 3 if digest else [1] * 3)
