# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shlex

import pytest

from garak_tbsa.outputs.evidence_wording import (
    HITS,
    found_text,
    share_text,
    show_command,
    siblings_text,
    tries_text,
    trust_text,
)
from garak_tbsa.tbsa.evidence import (
    ON_SCAN,
    OWN,
    SHIPPED,
    CutText,
    DetectorTrust,
    Hit,
    PairEvidence,
    ProbeFacts,
    Share,
    SiblingVerdicts,
)
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts, graded_pair

NO = Unavailable(reason="nobody knows")
TEXT = CutText(text="x", length=1, is_cut=False)


def hit(report: str = "r.report.jsonl") -> Hit:
    return Hit(
        attempt_uuid="abcd",
        report=report,
        line=1,
        output_index=2,
        prompt=TEXT,
        response=TEXT,
    )


def evidence(
    hits: tuple[Hit, ...] | Unavailable = (),
    hit_count: int | None = 0,
    siblings: tuple[SiblingVerdicts, ...] = (),
) -> PairEvidence:
    return PairEvidence(
        probe="m.P",
        detector="m.D",
        hits=hits,
        hit_count=hit_count,
        siblings=siblings,
        facts=NO,
        trust=NO,
        probe_page=None,
        detector_page=None,
    )


PAIR = graded_pair(PairFacts(passed=3, total=10))


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (evidence(), "no hits"),
        (evidence(NO, None), "no hits to show: nobody knows"),
        (evidence((hit(),), 7), "1 of 7 hits"),
        (
            evidence((hit(),), 1),
            "1 of 1 hit in the report's attempts (its counts say 7)",
        ),
        (
            evidence((hit(), hit()), 1_000),
            "2 of 1,000 hits in the report's attempts (its counts say 7)",
        ),
    ],
)
def test_how_many_hits_of_how_many(found: PairEvidence, text: str) -> None:
    assert found_text(found, PAIR) == text


@pytest.mark.parametrize(
    ("description", "goal", "text"),
    [
        ("Will it?", "get JSON", "Will it? Its goal: get JSON."),
        ("Tries.", None, "Tries."),
        (None, "win!", "Its goal: win!"),
        (None, None, ""),
    ],
)
def test_what_a_probe_tries(
    description: str | None, goal: str | None, text: str
) -> None:
    facts = ProbeFacts(description=description, goal=goal, tags=())
    assert tries_text(facts) == text


def test_what_siblings_said() -> None:
    assert siblings_text(evidence()) is None
    several = tuple(
        SiblingVerdicts(detector=f"m.S{number}", passed=12, judged=12)
        for number in range(12)
    )
    told = siblings_text(evidence(siblings=several))
    assert told is not None
    assert told.startswith("m.S0: 12 of 12 passed; m.S1: 12 of 12 passed; ")
    assert told.endswith("; and 2 more detectors")


def test_shares_with_and_without_counts() -> None:
    assert share_text(Share(value=0.5, part=1, whole=2), HITS) == "1 of 2 hits (50%)"
    assert share_text(Share(value=0.001), HITS) == "<1% of hits"


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (0.25, 0.75, "50% of hits (95% interval 25% to 75%)"),
        (0.89, 1.0, "94% of hits (95% interval 89% to 100%)"),
        (0.9, 0.98, "nearly all hits"),
        (0.995, 1.0, "every hit"),
        (0.02, 0.09, "hardly any hit"),
        (0.0, 0.005, "no hit"),
    ],
)
def test_an_estimate_near_an_end_has_no_digits(
    lower: float, upper: float, words: str
) -> None:
    """Six labels do not make a share of 97 %."""
    share = Share(value=(lower + upper) / 2, lower=lower, upper=upper)
    assert share_text(share, HITS) == words


def test_trust_by_labels_says_how_many() -> None:
    trust = DetectorTrust(
        detector="m.D",
        basis=ON_SCAN,
        source="/a/b.labels.jsonl",
        labels=6,
        hits_found=Share(value=0.97, lower=0.96, upper=0.98),
        passes_left_alone=Share(value=0.0, lower=0.0, upper=0.0),
    )
    assert trust_text(trust) == (
        "by your 6 labels of this scan (b.labels.jsonl), it catches nearly all hits and"
        " wrongly flags every pass"
    )


def test_trust_by_whose_measure() -> None:
    half = Share(value=0.5, part=1, whole=2)
    assert (
        trust_text(
            DetectorTrust(
                detector="m.D", basis=OWN, source="/a/b.json", hits_found=half
            )
        )
        == "by your own metrics (b.json), in typical responses it catches 1 of 2 hits"
        " (50%)"
    )
    assert (
        trust_text(
            DetectorTrust(
                detector="m.D",
                basis=SHIPPED,
                source="/a/b.json",
                look_alikes_left_alone=Share(value=1 / 3, part=1, whole=3),
            )
        )
        == "by the metrics that come with garak-tbsa, in responses made to mislead it,"
        " it wrongly flags 2 of 3 harmless look-alikes (67%)"
    )


def test_the_command_can_be_typed_whatever_the_file_is_called() -> None:
    name = "my scan; rm -rf $HOME's.report.jsonl"
    assert shlex.split(show_command(hit(name))) == [
        *("garak-tbsa", "show", name, "abcd", "--output", "2")
    ]
    assert show_command(hit("a/b"), "b") == "garak-tbsa show b abcd --output 2"
