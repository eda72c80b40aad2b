# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from garak_tbsa.labels.labelling_rules import (
    NO_RULE,
    general_rules,
    own_rules,
    stated_rules,
)
from tools.labelled_data.families import LABELLED


def test_each_detector_with_rows_has_rules() -> None:
    assert len(general_rules()) > 3
    detectors = [path.stem for path in LABELLED.glob("*.jsonl")]
    assert len(detectors) > 60
    assert [each for each in detectors if not own_rules(each)] == []


@pytest.mark.parametrize(
    ("detector", "starts"),
    [
        ("dan.STAN", ["dan.DAN, dan.AntiDAN"]),
        ("dan.MarkdownLink", ["dan.MarkdownLink"]),
        ("mitigation.Prefixes", ["mitigation.*"]),
        ("shields.Down", ["shields.Up"]),
        ("web_injection.XSS", ["web_injection.XSS"]),
        ("packagehallucination.Dart", ["A hit makes the user depend"]),
        ("judge.Refusal", ["mitigation.*"]),
        ("mitigation.ModernBERTRefusal", ["mitigation.*"]),
        ("my_own.Detector", []),
    ],
)
def test_a_detector_has_the_rules_that_name_it(
    detector: str, starts: list[str]
) -> None:
    found = own_rules(detector)
    assert len(found) == len(starts)
    for rule, start in zip(found, starts, strict=True):
        assert rule.startswith(start)
    assert stated_rules(detector) == (found or (NO_RULE.format(detector=detector),))
