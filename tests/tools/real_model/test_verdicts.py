# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The kept verdicts: written, read, and refused where they are none."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.outcomes import ProbeOutcomes
from tools.real_model.verdicts import (
    RealRepeats,
    RepeatedScan,
    outcomes_of,
    packed,
    read_repeats,
)

REPEATS = RealRepeats(
    made_with={"model": "tiny", "garak": "0.17.1"},
    scans=(
        RepeatedScan(
            series="five",
            seed=42,
            generations=5,
            first_slot=10,
            outcomes={
                "encoding.InjectHex": ProbeOutcomes(
                    detectors=("encoding.DecodeApprox", "encoding.DecodeMatch"),
                    prompts={
                        b"12345678": {(True, True): 3, (False, None): 2},
                        b"87654321": {(False, True): 5},
                    },
                )
            },
        ),
    ),
)


def written(folder: Path, repeats: object) -> Path:
    path = folder / "repeats.json.gz"
    path.write_bytes(gzip.compress(json.dumps(repeats).encode()))
    return path


def test_what_is_packed_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "repeats.json.gz"
    path.write_bytes(packed(REPEATS))
    assert read_repeats(path) == REPEATS
    assert packed(read_repeats(path)) == path.read_bytes()


def test_a_scan_knows_what_it_was_served() -> None:
    (scan,) = REPEATS.of("five")
    assert scan.slots == {(42, 10), (42, 11), (42, 12), (42, 13), (42, 14)}
    assert REPEATS.of("one") == []


def attempt(uuid: str, scores: dict[str, list[float | None]]) -> dict[str, Any]:
    return {
        "entry_type": "attempt",
        "uuid": uuid,
        "status": 2,
        "probe_classname": "encoding.InjectHex",
        "prompt": "6869",
        "outputs": [{"text": "a"}, {"text": "b"}],
        "detector_results": scores,
    }


def report(folder: Path, *scores: dict[str, list[float | None]]) -> Path:
    path = folder / "x.report.jsonl"
    rows = [attempt(str(number), each) for number, each in enumerate(scores)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_verdicts_of_one_output_stay_together(tmp_path: Path) -> None:
    path = report(
        tmp_path,
        {"encoding.DecodeMatch": [0, 1], "encoding.DecodeApprox": [0.5, None]},
    )
    found = outcomes_of(path)["encoding.InjectHex"]
    assert found.detectors == ("encoding.DecodeApprox", "encoding.DecodeMatch")
    ((prompt, patterns),) = found.prompts.items()
    assert prompt == hashlib.sha256(b'"6869"').digest()[:8]
    assert patterns == {(False, True): 1, (None, False): 1}


def test_verdicts_that_cannot_be_told_apart_are_named(tmp_path: Path) -> None:
    path = report(
        tmp_path, {"encoding.DecodeMatch": [0, 1], "encoding.DecodeApprox": [0]}
    )
    with pytest.raises(DatasetError) as caught:
        outcomes_of(path)
    assert str(caught.value) == (
        f"{path}: the verdicts of encoding.InjectHex cannot be told apart, its"
        " detectors judged different numbers of outputs; scan without this probe"
    )


def broken(**changed: object) -> dict[str, object]:
    probe = {"detectors": ["a", "b"], "prompts": {"00": {"01": 1}}, **changed}
    scan = {"series": "x", "seed": 1, "generations": 1, "first_slot": 0}
    return {"made_with": {}, "scans": [{**scan, "probes": {"p": probe}}]}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ([], "TypeError"),
        ({"made_with": {}}, "KeyError"),
        (broken(prompts={"00": {"011": 1}}), "ValueError"),
        (broken(prompts={"00": {"0x": 1}}), "KeyError"),
        (broken(prompts={"00": {"01": 0}}), "ValueError"),
        (broken(prompts={"prompt": {"01": 1}}), "ValueError"),
    ],
)
def test_what_are_no_verdicts_is_told(
    tmp_path: Path, content: object, kind: str
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(DatasetError) as caught:
        read_repeats(path)
    assert str(caught.value) == (
        f"{path}: expected verdicts of repeated scans, found none ({kind});"
        " python -m tools.real_model repeats makes them"
    )


def test_a_file_that_is_missing_or_cut_is_told(tmp_path: Path) -> None:
    path = tmp_path / "repeats.json.gz"
    with pytest.raises(DatasetError, match=r"found none \(FileNotFoundError\)"):
        read_repeats(path)
    path.write_bytes(packed(REPEATS)[:60])
    with pytest.raises(DatasetError, match=r"found none \(EOFError\)"):
        read_repeats(path)
