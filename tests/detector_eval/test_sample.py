# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Drawing responses of a report to label, and reading the filled sheet back."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.detector_eval.formats import ReadOptions, read_records
from garak_tbsa.detector_eval.labelled_row import parse_row
from garak_tbsa.detector_eval.sample import COLUMNS, STRATA, draw, sheet
from garak_tbsa.errors import DatasetError
from tests.values import known


def attempt(
    number: int, scores: list[Any], **fields: dict[str, Any] | int | list[Any] | None
) -> dict[str, Any]:
    return {
        "entry_type": "attempt",
        "uuid": f"u{number}",
        "status": 2,
        "probe_classname": "dan.Ablation",
        "prompt": {
            "turns": [{"role": "user", "content": {"text": "hi", "lang": "en"}}],
            "notes": {},
        },
        "outputs": [
            {"text": f"text {number}.{index}", "lang": "en"}
            for index in range(len(scores))
        ],
        "detector_results": {"dan.DAN": scores, "dan.STAN": scores},
        "notes": {"triggers": ["t"]},
        "goal": "be rude",
    } | fields


def report(folder: Path, entries: list[Any]) -> str:
    path = folder / "x.report.jsonl"
    rows = [{"entry_type": "start_run setup"}, *entries]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return str(path)


def many(folder: Path, *scores: float | None) -> str:
    return report(folder, [attempt(n, [score]) for n, score in enumerate(scores)])


def test_as_many_from_each_stratum(tmp_path: Path) -> None:
    path = many(tmp_path, *[0.0] * 100, *[0.3] * 100, *[0.6] * 3, *[1.0] * 50)
    sample = draw(path, "dan.DAN", 23)
    assert Counter(each.score for each in sample.drawn) == {
        0.0: 6,
        0.3: 7,
        0.6: 3,
        1.0: 7,
    }
    assert (sample.available, sample.unscored) == (253, 0)


def test_the_rare_hits_of_a_detector_of_two_scores_are_half(tmp_path: Path) -> None:
    sample = draw(many(tmp_path, *[0.0] * 300, *[1.0] * 30), "dan.DAN", 50)
    assert Counter(each.score for each in sample.drawn) == {0.0: 25, 1.0: 25}


scores = st.lists(
    st.one_of(st.none(), st.floats(-0.5, 1.5), st.sampled_from([0, 1, 0.5, 0.25])),
    min_size=1,
    max_size=40,
)


@settings(max_examples=40)
@given(scores, st.integers(1, 30))
def test_no_stratum_lacks_what_another_has_too_much_of(
    tmp_path_factory: pytest.TempPathFactory, scores: list[Any], count: int
) -> None:
    """As many as asked for or all; shares differ by more than one only for want."""
    path = many(tmp_path_factory.mktemp("r"), *scores)
    usable = [score for score in scores if score is not None]
    if not usable:
        with pytest.raises(DatasetError, match=r"dan\.DAN gave no score to any of its"):
            draw(path, "dan.DAN", count)
        return
    sample = draw(path, "dan.DAN", count)
    assert len(sample.drawn) == min(count, len(usable))
    assert sample.unscored == len(scores) - len(usable)
    places = [(each.attempt.uuid, each.index) for each in sample.drawn]
    assert len(set(places)) == len(places)
    edges = [min(STRATA - 1, max(0, int(score * STRATA // 1))) for score in usable]
    held, given_ = Counter(edges), Counter(each.stratum for each in sample.drawn)
    short = [s for s in range(STRATA) if given_[s] < held[s]]
    for stratum in short:
        assert given_[stratum] >= max(given_.values()) - 1


def test_within_a_stratum_every_output_is_as_likely(tmp_path: Path) -> None:
    path = many(tmp_path, *[0.0] * 10)
    drawn = Counter(
        each.attempt.uuid
        for seed in range(300)
        for each in draw(path, "dan.DAN", 3, seed=seed).drawn
    )
    # 300 draws of 3 from 10: 90 each, standard deviation 7.9
    assert all(abs(count - 90) < 4 * 7.9 for count in drawn.values())


def test_seeded(tmp_path: Path) -> None:
    path = many(tmp_path, *[n / 40 for n in range(40)])
    assert sheet(draw(path, "dan.DAN", 9)) == sheet(draw(path, "dan.DAN", 9))
    other = sheet(draw(path, "dan.DAN", 9, seed=1))
    assert other != sheet(draw(path, "dan.DAN", 9))


def test_attempts_count_once_and_only_when_complete(tmp_path: Path) -> None:
    entries = [
        attempt(1, [], status=1),
        attempt(1, [1.0, None]),
        attempt(1, [1.0, None]),
        attempt(2, [0.0], outputs=[None], detector_results={"detector.dan.DAN": [0.0]}),
        attempt(3, [0.0], detector_results=None),
        {"entry_type": "digest"},
    ]
    sample = draw(report(tmp_path, entries), "dan.DAN", 10)
    assert sorted((each.attempt.uuid, each.index) for each in sample.drawn) == [
        ("u1", 0),
        ("u2", 0),
    ]
    assert sample.unscored == 1


def test_a_detector_that_the_report_does_not_know(tmp_path: Path) -> None:
    path = many(tmp_path, 1.0)
    with pytest.raises(DatasetError) as caught:
        draw(path, "dan.DUDE", 5)
    assert str(caught.value) == (
        f"{path}: no output scored by dan.DUDE; it has dan.DAN, dan.STAN"
    )
    with pytest.raises(DatasetError, match=r"by dan\.DUDE; it has none"):
        draw(report(tmp_path, []), "dan.DUDE", 5)


NASTY = [
    "=HYPERLINK('https://example.test')",
    "+1",
    "-1",
    "@SUM(A1)",
    "'quoted'",
    "\t=1",
    'a "quoted", cell;\nwith lines\r\nand ,commas',
    "{not json",
    "🤖 ünïcode",
]


def test_the_filled_sheet_reads_back_as_it_was(tmp_path: Path) -> None:
    path = report(
        tmp_path,
        [
            attempt(n, [0.0], outputs=[{"text": text, "lang": "en"}])
            for n, text in enumerate(NASTY)
        ],
    )
    text = sheet(draw(path, "dan.DAN", 50))
    lines = list(csv.reader(io.StringIO(text)))
    assert tuple(lines[0]) == COLUMNS
    assert {line[0] for line in lines[1:]} == {""}
    assert not any(
        cell.startswith(("=", "+", "-", "@")) for line in lines for cell in line
    )
    filled = tmp_path / "sheet.csv"
    buffer = io.StringIO()
    csv.writer(buffer).writerows(
        [lines[0], *(["hit", *line[1:]] for line in lines[1:])]
    )
    filled.write_text(buffer.getvalue(), newline="")
    rows = [
        parse_row(record, where="w", fallback_id="f", detector=None)
        for _, record in read_records(str(filled), ReadOptions())
    ]
    assert sorted(known(row.output) for row in rows) == sorted(NASTY)
    row = next(row for row in rows if row.id == "u0/0")
    assert row.detector == "dan.DAN"
    assert row.prompt[0].text == "hi"
    assert row.notes == {"triggers": ["t"]}
    assert (row.goal, row.probe, row.lang) == ("be rude", "dan.Ablation", "en")


@pytest.mark.parametrize("ending", ["gz", "zst", "cut"])
def test_a_report_is_read_as_score_reads_it(tmp_path: Path, ending: str) -> None:
    path = many(tmp_path, *[n / 9 for n in range(9)])
    with open(path, "rb") as handle:
        content = handle.read()
    other = tmp_path / f"y.report.jsonl.{ending}"
    packed = {
        "gz": gzip.compress(content),
        "zst": zstandard.ZstdCompressor().compress(content),
        "cut": content + b'\n{"entry_type": "attempt", "uu',
    }
    other.write_bytes(packed[ending])
    assert sheet(draw(str(other), "dan.DAN", 5)) == sheet(draw(path, "dan.DAN", 5))


def test_attempts_without_a_uuid_are_told_apart_by_their_line(tmp_path: Path) -> None:
    entries = [attempt(n, [1.0], uuid=None) for n in range(3)]
    text = sheet(draw(report(tmp_path, entries), "dan.DAN", 5))
    ids = sorted(row["id"] for row in csv.DictReader(io.StringIO(text)))
    assert ids == ["line 2/0", "line 3/0", "line 4/0"]
