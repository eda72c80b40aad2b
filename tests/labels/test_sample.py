# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs are drawn for labelling."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from garak_tbsa.labels.outputs import ScanOutputs
from garak_tbsa.labels.sample import (
    DrawnSample,
    draw_for_detectors,
    draw_for_score,
    even_shares,
)
from garak_tbsa.tbsa.grades import GradedPair
from tests.factories import PairFacts, graded_pair
from tests.labels.scans import attempt, outputs_of_attempts


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


def verdicts(sample: DrawnSample) -> Counter[bool]:
    found: Counter[bool] = Counter()
    for stratum in sample.strata:
        found[stratum.flagged] += stratum.drawn
    return found


def test_for_detectors_both_verdicts_give_as_many() -> None:
    sample = draw_for_detectors(outputs(A=10, B=4), 50)
    assert verdicts(sample) == {True: 14, False: 36}
    assert sample.available == 200
    assert verdicts(draw_for_detectors(outputs(A=60, B=0), 50)) == {True: 25, False: 25}


def test_for_detectors_every_output_of_a_verdict_is_as_likely() -> None:
    """The draw within a verdict is random, of whichever pair."""
    scan = outputs(A=20, B=20)
    drawn: Counter[str] = Counter()
    for seed in range(200):
        for question in draw_for_detectors(scan, 20, seed=seed).questions:
            if int(question.place.attempt.split("-")[1]) < 20:
                drawn[question.place.attempt] += 1
    # 200 draws of 10 from 40: 50 each, standard deviation 6.1
    assert len(drawn) == 40
    assert all(abs(count - 50) < 4 * 6.1 for count in drawn.values())


def pairs() -> list[GradedPair]:
    return [
        graded_pair(PairFacts(probe=f"dan.{probe}", passed=passed, total=100))
        for probe, passed in (("A", 90), ("B", 96))
    ]


def test_for_a_score_the_strata_that_move_it_most_are_drawn_from() -> None:
    scan = outputs(A=10, B=4)
    sample = draw_for_score(pairs(), scan, 30)
    assert len(sample.questions) == len(set(sample.questions)) == 30
    sizes = {(c.probe, c.flagged): (c.outputs, c.drawn) for c in sample.strata}
    assert {name: size for name, (size, _) in sizes.items()} == {
        ("dan.A", True): 10,
        ("dan.A", False): 90,
        ("dan.B", True): 4,
        ("dan.B", False): 96,
    }
    assert sum(drawn for _, drawn in sizes.values()) == 30
    assert all(verdict > 1 for verdict in verdicts(sample).values())


def test_for_a_score_pairs_that_cannot_be_audited_are_left_out() -> None:
    sample = draw_for_score(pairs(), outputs(A=10, B=5), 500)
    assert {stratum.probe for stratum in sample.strata} == {"dan.A"}
    assert len(sample.questions) == sample.available == 100


def test_one_detector() -> None:
    assert draw_for_detectors(outputs(A=5), 9, detector="x.Y").questions == ()
    assert draw_for_score(pairs(), outputs(A=10, B=4), 9, detector="x.Y").strata == ()


def test_the_seed_decides_the_draw() -> None:
    scan = outputs(A=10, B=4)
    first, again, other = (
        (
            draw_for_detectors(scan, 20, seed=seed),
            draw_for_score(pairs(), scan, 20, seed=seed),
        )
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first[0] != other[0]
    assert first[1] != other[1]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=9), st.integers(0, 200))
def test_no_group_lacks_what_another_has_too_much_of(
    sizes: list[int], count: int
) -> None:
    """As many as asked for or all; shares differ by more than one only for want."""
    shares = even_shares(sizes, count)
    assert sum(shares) == min(count, sum(sizes))
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))
    for share, size in zip(shares, sizes, strict=True):
        assert share == size or share >= max(shares) - 1
