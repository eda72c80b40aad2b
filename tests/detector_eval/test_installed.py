# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary merged into the metrics that garak reads, and back."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.detector_eval import installed as module
from garak_tbsa.detector_eval.installed import (
    Installed,
    InstallRecord,
    plan_installation,
    record_of,
    record_text,
    refusal,
)
from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.summary_file import MeasuredDetector
from tests.behaviour.labelled import summary_of
from tests.values import known


def test_where_garak_has_no_metrics_ours_are_alone() -> None:
    alone, _ = plan_installation(summary_of({"a.New": (27, 3, 3, 27)}), None)
    assert (list(alone.document["results"]), alone.new) == (["a.New"], ("a.New",))


def measured(counts: ConfusionCounts) -> MeasuredDetector:
    return MeasuredDetector(
        detector="d.D",
        hit_f1=counts.hit_f1,
        sensitivity=counts.hit_sensitivity,
        specificity=counts.hit_specificity,
        counts=counts,
    )


def test_twenty_of_each_label_and_an_interval_above_a_fifth_are_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of Se + Sp - 1: refused if it includes 0.2 or less."""
    for hits, passes, is_enough in (
        *((20, 20, True), (20, 30, True), (30, 20, True)),
        *((19, 30, False), (30, 19, False)),
    ):
        reason = refusal(measured(ConfusionCounts(tp=hits, tn=passes)))
        assert (reason is None) == is_enough
    for lower, is_enough in ((0.2, False), (0.200001, True)):
        interval = Interval(lower=lower, upper=0.9)
        monkeypatch.setattr(module, "youden_interval", lambda *_, it=interval: it)
        reason = refusal(measured(ConfusionCounts(tp=30, tn=30)))
        assert (reason is None) == is_enough


THIS = Installed(date="2026-01-30", source="40 labels", detectors=("a.B",))


contents = st.none() | st.binary(max_size=20)


@given(contents, st.lists(st.binary(max_size=20), min_size=1), st.booleans())
def test_uninstalling_restores_what_was_there_before_the_first(
    before: bytes | None, installed: list[bytes], is_killed: bool
) -> None:
    """Restores exactly what was there before the first install, also after a kill."""
    now, record = before, None
    for number, content in enumerate(installed):
        made = record_of(content, now, record, THIS)
        record = msgspec.json.decode(record_text(made), type=InstallRecord)
        assert record == made
        if not (is_killed and number == len(installed) - 1):
            now = content
    assert known(record).restored(now, "p", force=False) == before
