# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs are drawn; sheets are blind, harmless to open, and read back."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.detector_eval.dataset import read_sources
from garak_tbsa.detector_eval.report_labels import Place, StratumKey
from garak_tbsa.detector_eval.row_form import row_form
from garak_tbsa.detector_eval.sources import find_sources
from garak_tbsa.labels.label_files import read_label_file
from garak_tbsa.labels.questions import Question
from garak_tbsa.labels.sample import (
    DrawnSample,
    Sampled,
    draw,
    even_shares,
    sheet,
    strata_table,
)
from garak_tbsa.labels.scan import ScanOutputs
from garak_tbsa.tbsa.grades import GradedPair
from tests.factories import PairFacts, attempt_of, graded_pair
from tests.labels.scans import attempt, outputs_of_attempts
from tests.values import known

NASTY = [
    "=HYPERLINK('https://example.test')",
    "+1",
    "-1",
    "@SUM(A1)",
    "'quoted'",
    "\t=1",
    'a "quoted", stratum;\nwith lines\r\nand ,commas',
    "{not json",
    "🤖 ünïcode",
]


def outputs(**flagged: int) -> ScanOutputs:
    """100 outputs of each probe, by dan.DAN; as many flagged as are given."""
    return outputs_of_attempts(
        *(
            attempt(
                f"{probe}-{number}",
                {"dan.DAN": [float(number < hits)], "a.B": [None]},
                probe=f"dan.{probe}",
                outputs=1,
            )
            for probe, hits in flagged.items()
            for number in range(100)
        )
    )


def pairs() -> list[GradedPair]:
    return [
        graded_pair(PairFacts(probe=f"dan.{probe}", passed=passed, total=100))
        for probe, passed in (("A", 90), ("B", 96))
    ]


def verdicts(sample: DrawnSample) -> dict[bool, int]:
    return {
        flag: sum(drawn for key, _, drawn in sample.sizes if key.flagged == flag)
        for flag in (True, False)
    }


def test_for_detectors_both_verdicts_give_as_many() -> None:
    sample = draw(outputs(A=10, B=4), 50)
    assert verdicts(sample) == {True: 14, False: 36}
    assert sum(size for _, size, _ in sample.sizes) == 200
    assert verdicts(draw(outputs(A=60, B=0), 50)) == {True: 25, False: 25}
    assert draw(outputs(A=5), 9, detector="x.Y").questions == []


def test_for_detectors_every_output_of_a_verdict_is_as_likely() -> None:
    """The draw within a verdict is random, of whichever pair."""
    scan = outputs(A=20, B=20)
    drawn: Counter[str] = Counter()
    for seed in range(200):
        for question in draw(scan, 20, seed=seed).questions:
            if int(question.place.attempt.split("-")[1]) < 20:
                drawn[question.place.attempt] += 1
    # 200 draws of 10 from 40: 50 each, standard deviation 6.1
    assert len(drawn) == 40
    assert all(abs(count - 50) < 4 * 6.1 for count in drawn.values())


def test_for_a_score_pairs_that_cannot_be_audited_are_left_out() -> None:
    sample = draw(outputs(A=10, B=4), 30, graded=pairs())
    assert len(sample.questions) == len(set(sample.questions)) == 30
    assert [
        (key.probe, key.detector, key.flagged, size) for key, size, _ in sample.sizes
    ] == [
        ("dan.A", "dan.DAN", True, 10),
        ("dan.A", "dan.DAN", False, 90),
        ("dan.B", "dan.DAN", True, 4),
        ("dan.B", "dan.DAN", False, 96),
    ]
    assert min(verdicts(sample).values()) > 1
    sample = draw(outputs(A=10, B=5), 500, graded=pairs())
    assert {key.probe for key, _, _ in sample.sizes} == {"dan.A"}
    assert len(sample.questions) == 100
    assert draw(outputs(A=10), 9, graded=pairs(), detector="x.Y").sizes == []


def test_the_seed_decides_the_draw() -> None:
    scan = outputs(A=10, B=4)
    for first, again, other in (
        [draw(scan, 20, seed=seed) for seed in (1, 1, 2)],
        [draw(scan, 20, graded=pairs(), seed=seed) for seed in (1, 1, 2)],
    ):
        assert first == again
        assert first != other


@settings(max_examples=60)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=9), st.integers(0, 200))
def test_no_group_lacks_what_another_has_too_much_of(
    sizes: list[int], count: int
) -> None:
    """As many as asked for or all; shares differ by more than one only for want."""
    shares = even_shares(sizes, count)
    assert sum(shares) == min(count, sum(sizes))
    for share, size in zip(shares, sizes, strict=True):
        assert 0 <= share <= size
        assert share == size or share >= max(shares) - 1


def sampled(text: str, uuid: str = "u1", index: int = 0) -> Sampled:
    row = {
        "uuid": uuid,
        "probe_classname": "dan.Ablation",
        "prompt": {"turns": [{"role": "user", "content": {"text": "hi"}}]},
        "outputs": [{"text": text, "lang": "en"}] * (index + 1),
        "notes": {"triggers": ["t"]},
        "goal": "be rude",
    }
    place = Place(uuid, index)
    question = Question(place=place, probe="dan.Ablation", detector="dan.DAN")
    return question, attempt_of(row, 3)


def test_the_filled_sheet_reads_back_as_it_was(tmp_path: Path) -> None:
    text = sheet([sampled(each, f"={n}") for n, each in enumerate(NASTY)])
    lines = list(csv.reader(io.StringIO(text)))
    assert lines[0][:2] == ["label", "id"]
    assert {line[0] for line in lines[1:]} == {""}
    assert not any(
        cell.startswith(("=", "+", "-", "@")) for line in lines for cell in line
    )
    filled = tmp_path / "sheet.csv"
    with open(filled, "w", newline="") as handle:
        filled_in = [["hit", *row[1:]] for row in lines[1:]]
        csv.writer(handle).writerows([lines[0], *filled_in])
    found, _ = read_sources(find_sources([str(filled)], known=bool), list, row_form())
    rows = found["dan.DAN"].rows
    assert [known(row.output) for row in rows] == NASTY
    assert (rows[0].id, rows[0].detector) == ("=0/0", "dan.DAN")
    assert rows[0].prompt[0].text == "hi"
    assert rows[0].notes == {"triggers": ["t"]}
    assert (rows[0].goal, rows[0].probe, rows[0].lang) == (
        "be rude",
        "dan.Ablation",
        "en",
    )
    labels = read_label_file(str(filled))
    assert labels.problems == ()
    assert {(each.detector, each.answer, each.drawn) for each in labels.labels} == {
        ("dan.DAN", "hit", True)
    }
    assert [each.place.attempt for each in labels.labels] == [f"={n}" for n in range(9)]


def test_what_finds_an_output_is_before_the_texts() -> None:
    """A spreadsheet that cuts a long cell loses what is behind it in the row."""
    header, row = csv.reader(io.StringIO(sheet([sampled("x" * 40_000, index=2)])))
    before = dict(zip(header, row, strict=True))
    assert set(header[: header.index("output")]) == {
        *("label", "id", "detector", "drawn"),
    }
    assert before["id"] == "u1/2"
    # the table of strata beside it is as harmless
    key = StratumKey("=x.Y", "dan.DAN", True)
    sample = DrawnSample(questions=[], strata={key: [Place("u", 0)] * 9})
    assert strata_table(sample).splitlines() == [
        "probe,detector,verdict,outputs,drawn",
        "'=x.Y,dan.DAN,flagged,9,0",
    ]
