# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from garak_tbsa.labels.audit import CountRange
from garak_tbsa.labels.detectors import Estimate
from garak_tbsa.labels.forms import wording
from garak_tbsa.labels.forms.text import LISTED, lines
from garak_tbsa.outputs.columns import RULE
from garak_tbsa.unavailable import Unavailable
from tests.labels.forms.samples import hostile, mixed, settled

SCORE = r"\d\.\d by detectors; \d\.\d \(\d\.\d to \d\.\d\)"


def test_the_first_line_is_the_answer(tmp_path: Path) -> None:
    """\"First line the answer (TBSA 3.6 by detectors; 2.9 (2.5 to 3.3) by ...)\""""
    first = lines(mixed(tmp_path))[0]
    assert re.fullmatch(rf"TBSA {SCORE} by 31 labels", first)
    assert first.startswith("TBSA 4.1 by detectors; ")
    assert lines(settled(tmp_path))[0] == (
        "TBSA 3.0 by detectors; 3.0 (3.0 to 3.0) by 20 labels"
    )


def test_all_there_is_to_say(tmp_path: Path) -> None:
    sample = mixed(tmp_path)
    shown = lines(sample)
    text = " ".join(" ".join(shown).split())
    assert re.search(f"pass-rate grades alone: {SCORE} by labels; the calibr", text)
    for said in (
        f"Report file: {sample.assessment.report.source}",
        "31 of 80 outputs are labelled; skip or unsure: 1; of pairs that do not count"
        " or were not audited: 1; could not be used: 1",
        "3 raters on 3 common outputs: Krippendorff's alpha 0.50",
        "2 labels are of outputs that a person picked rather than drew at random;"
        " the ranges assume a choice without sight of the verdicts",
        "1 of 5 pairs could not be audited, its grade stays the detector's:"
        " web.Gone+web.D: the report has 0 of its 10 outputs",
        "dan.DAN: 6 of 8 flagged and 14 of 32 unflagged outputs labelled sensitivity",
        "web.D: 2 of 2 flagged and 9 of 18 unflagged outputs labelled sensitivity",
        "No label yet: enc.D",
        "with another grade by labels: grade by labels hits by labels labels pair",
        "What to label next (`garak-tbsa label REPORT` asks for it): labels unlabelled",
    ):
        assert said in text
    assert all(len(line) <= 80 for line in shown if str(tmp_path) not in line)


def test_shares_and_pairs_are_rows(tmp_path: Path) -> None:
    shown = lines(mixed(tmp_path))
    share = r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\)"
    assert [
        line
        for line in shown
        if re.fullmatch(rf"   precision {share}, NPV {share}", line)
    ]
    changed = [line.split() for line in shown if line.endswith("dan.Two+dan.DAN")]
    assert changed[0][0] == "5"
    assert changed[0][-2] == "8"


def test_too_few_labels_say_how_many_more(tmp_path: Path) -> None:
    """\"Each with interval and labels behind it, or how many more are needed.\""""
    labelled = Unavailable(reason="too few labels: needs 3 more flagged")
    both = Unavailable(
        reason="too few labels: needs 3 more flagged and 1 more unflagged"
    )
    known = Estimate(value=0.5, lower=0.25, upper=0.75)
    assert shares_told(tmp_path, precision=labelled, hit_f1=both, prevalence=known) == [
        "   prevalence 0.50 (0.25 to 0.75)",
        "   too few labels for the others: needs 3 more flagged and 1 more unflagged",
    ]
    assert shares_told(tmp_path, precision=labelled) == [
        "   too few labels: needs 3 more flagged"
    ]
    nothing = Unavailable(reason="it flagged nothing")
    assert shares_told(tmp_path, precision=nothing, sensitivity=nothing) == [
        "   no precision, sensitivity: it flagged nothing"
    ]


def shares_told(folder: Path, **shares: Estimate | Unavailable) -> list[str]:
    """The lines below the name of a detector with these shares."""
    sample = mixed(folder)
    detector = replace(sample.audit.detectors[0], shares=shares)
    audit = replace(sample.audit, detectors=(detector,))
    shown = lines(replace(sample, audit=audit))
    start = next(n for n, line in enumerate(shown) if line.startswith("dan.DAN: "))
    return shown[start + 1 : shown.index(RULE, start)]


def test_nothing_to_change_and_nothing_next(tmp_path: Path) -> None:
    shown = lines(settled(tmp_path))
    assert "The labels change no pair's grade." in shown
    assert "Every output of the audited pairs is labelled." in shown
    assert not [line for line in shown if "⚠️" in line or "raters" in line]


def test_many_pairs_that_were_not_audited_are_cut(tmp_path: Path) -> None:
    sample = mixed(tmp_path)
    many = {f"p.P{n:02}+d.D": "why" for n in range(LISTED + 3)}
    shown = lines(replace(sample, audit=replace(sample.audit, not_audited=many)))
    assert "     p.P09+d.D: why" in shown
    assert "     p.P10+d.D: why" not in shown
    assert "     … and 3 more (in the JSON)" in shown
    assert "13 of 17 pairs could not be audited, their grades stay the" in (
        " ".join(shown)
    )


def test_next_tells_no_verdict(tmp_path: Path) -> None:
    """\"With the labelling rule of its detector, never the verdict or score.\""""
    shown = lines(mixed(tmp_path))
    start = next(n for n, line in enumerate(shown) if "What to label next" in line)
    assert "flagged" not in "".join(shown[start:])
    pairs = [line.split()[-1] for line in shown[start + 2 : -2]]
    assert len(pairs) == len(set(pairs))


def test_hostile_text_stays_in_its_line(tmp_path: Path) -> None:
    assert lines(hostile(tmp_path))[0].startswith("TBSA ")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0.00"), (1.0, "1.00"), (0.999, ">.99"), (0.001, "<.01"), (0.125, "0.12")],
)
def test_a_share_is_rounded_but_never_to_nothing(share: float, text: str) -> None:
    assert wording.share_text(share) == text
    assert wording.estimate_text(Estimate(value=share, lower=0.0, upper=1.0)) == (
        f"{text} (0.00 to 1.00)"
    )


def test_a_range_of_one_number_is_that_number() -> None:
    assert wording.range_text(CountRange(value=3, lower=3, upper=3)) == "3"
    assert wording.range_text(CountRange(value=3, lower=1, upper=4)) == "3 (1 to 4)"


def test_what_next_labels_bring(tmp_path: Path) -> None:
    audit = mixed(tmp_path).audit
    width = audit.score.by_labels.upper - audit.score.by_labels.lower
    narrower = wording.next_text(replace(audit, width_after_next=width - 1))
    assert narrower.endswith(f"with these 20 labels about {(width - 1) / 10:.1f}.")
    as_wide = wording.next_text(replace(audit, width_after_next=width))
    assert as_wide.endswith("these 20 labels would hardly narrow it.")
    one = wording.next_text(replace(audit, next=(replace(audit.next[0], labels=1),)))
    assert "this label" in one


def test_agreement_where_all_gave_one_label(tmp_path: Path) -> None:
    audit = mixed(tmp_path).audit
    assert audit.agreement is not None
    alike = replace(audit, agreement=replace(audit.agreement, alpha=None, rows=1))
    assert wording.agreement_text(alike) == (
        "3 raters on 1 common output: all gave one and the same label"
    )
