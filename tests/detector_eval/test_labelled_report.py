# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Garak reports with a labels file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import fsspec
import pytest
import zstandard

from garak_tbsa.detector_eval.dataset import check_sources
from garak_tbsa.detector_eval.formats import ReadOptions
from garak_tbsa.detector_eval.labelled_report import read_labelled_report
from garak_tbsa.detector_eval.row_parser import DatasetOptions
from garak_tbsa.detector_eval.sources import find_sources
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import is_report


def attempt(uuid: str, status: int, outputs: list[Any]) -> dict[str, Any]:
    return {
        "entry_type": "attempt",
        "uuid": uuid,
        "status": status,
        "probe_classname": "dan.Dan_11_0",
        "prompt": {
            "turns": [{"role": "user", "content": {"text": "Hi", "lang": "en"}}]
        },
        "outputs": outputs,
        "notes": {"triggers": ["x"]},
        "goal": "disregard the system prompt",
    }


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "scan.report.jsonl"
    rows = [
        {"entry_type": "start_run setup"},
        attempt("aa", 1, []),
        attempt("aa", 2, [{"text": "DAN: yes", "lang": "en"}, None]),
        attempt("bb", 2, ["older garak wrote strings"]),
        attempt("bb", 2, ["older garak wrote strings"]),
        {"entry_type": "digest"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def labels(tmp_path: Path, text: str) -> str:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return str(path)


def read(report: Path | str, labels: str) -> list[tuple[int, dict[str, Any]]]:
    return list(read_labelled_report(str(report), labels, ReadOptions()))


def test_labelled_outputs_become_records(report: Path, tmp_path: Path) -> None:
    sheet = labels(
        tmp_path,
        "attempt,output_index,label,detector\n"
        "bb,0,pass,\naa,0,hit,dan.DAN\naa,1,pass,dan.DAN\naa,0,hit,dan.DUDE\n",
    )
    records = read(report, sheet)
    assert [number for number, _ in records] == [3, 5, 4, 2]
    by_row = dict(records)
    first = by_row[3]
    assert first["output"] == "DAN: yes"
    assert (first["id"], first["label"], first["detector"]) == (
        "aa/0",
        "hit",
        "dan.DAN",
    )
    assert (first["probe"], first["lang"]) == ("dan.Dan_11_0", "en")
    assert first["notes"] == {"triggers": ["x"]}
    assert by_row[4]["output"] is None
    assert by_row[2]["output"] == "older garak wrote strings"
    assert by_row[2]["detector"] is None


def test_a_report_is_told_from_labelled_rows(report: Path, tmp_path: Path) -> None:
    assert is_report(str(report))
    other = tmp_path / "rows.jsonl"
    other.write_text('{"output": ""}\n')
    assert not is_report(str(other))


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        (
            "attempt,output_index,label\naa,5,hit\n",
            "labels.csv, row 2: attempt aa has no finished output 5 in"
            " scan.report.jsonl; give the report that the labels were made from",
        ),
        (
            "attempt,output_index,label\n,0,hit\n",
            "labels.csv, row 2: no `attempt`; add that column",
        ),
        (
            "uuid,label\naa,hit\n",
            "labels.csv, row 2: no `output_index`; add that column",
        ),
        (
            f"uuid,index,label\naa,{'9' * 5000},hit\n",
            f"labels.csv, row 2: the output index is '{'9' * 40}'; expected a whole"
            " number, 0 for the first output",
        ),
        (
            "uuid,index,label\naa,first,hit\n",
            "labels.csv, row 2: the output index is 'first'; expected a whole number,"
            " 0 for the first output",
        ),
    ],
)
def test_labels_that_fit_no_output(
    report: Path, tmp_path: Path, sheet: str, message: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        read(report, labels(tmp_path, sheet))
    assert str(caught.value).replace(f"{tmp_path}/", "") == message


def packed(way: str, report: Path, tmp_path: Path) -> Path | str:
    content = report.read_bytes()
    if way == "gzip":
        path = tmp_path / "scan.report.jsonl.gz"
        path.write_bytes(gzip.compress(content))
    elif way == "zstandard":
        path = tmp_path / "scan.report.jsonl.zst"
        path.write_bytes(zstandard.ZstdCompressor().compress(content))
    elif way == "cut":
        path = tmp_path / "cut.report.jsonl"
        path.write_bytes(content + b'\n{"entry_type": "attempt", "uuid": "cc", "outp')
    else:
        with fsspec.open("memory://scan.report.jsonl", "wb") as handle:
            handle.write(content)
        return "memory://scan.report.jsonl"
    return path


@pytest.mark.parametrize("way", ["gzip", "zstandard", "cut", "address"])
def test_a_report_is_read_as_score_reads_it(
    report: Path, tmp_path: Path, way: str
) -> None:
    sheet = labels(tmp_path, "attempt,output_index,label\nbb,0,pass\naa,0,hit\n")
    path = packed(way, report, tmp_path)
    assert read(path, sheet) == read(report, sheet)


def test_an_address_in_an_evaluation(report: Path, tmp_path: Path) -> None:
    sheet = labels(tmp_path, "attempt,output_index,label\nbb,0,pass\naa,0,hit\n")
    path = packed("address", report, tmp_path)
    options = DatasetOptions(word_list=list, labels=sheet)
    sources = find_sources([str(path), str(path)], known=bool, sole_detector="dan.DAN")
    assert [source.is_report for source in sources] == [True]
    found = check_sources(sources, options, scratch=str(tmp_path))
    assert (found["dan.DAN"].hits, found["dan.DAN"].passes) == (1, 1)
