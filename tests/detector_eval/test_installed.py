# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A summary merged into the metrics that garak reads, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from garak_tbsa.detector_eval import installed as module
from garak_tbsa.detector_eval.installed import (
    Installed,
    InstallRecord,
    plan_installation,
    record_beside,
    record_of,
    record_path,
    record_text,
    refusal,
    refusal_text,
)
from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.detector_eval.metrics import ConfusionCounts
from garak_tbsa.detector_eval.summary_file import MeasuredDetector
from garak_tbsa.errors import InstallError
from tests.behaviour.labelled import Counts, summary_of
from tests.values import known

GOOD, POOR, FEW, ONE_LABEL = (
    (27, 3, 3, 27),
    (18, 12, 12, 18),
    (19, 0, 0, 40),
    (0, 0, 0, 50),
)


def document(**counts: Counts) -> dict[str, Any]:
    return summary_of({name.replace("_", "."): cells for name, cells in counts.items()})


def theirs(*names: str) -> dict[str, Any]:
    return {
        "results": {name: {"metrics": {"hit_sensitivity": 0.5}} for name in names},
        "metadata": {"theirs": True},
    }


def test_ours_join_theirs_and_hide_none() -> None:
    """Merge with what garak would otherwise read; ``metadata`` says how each was made.

    Kept metrics may be of other rows, and are told apart from install to install.
    """
    ours = document(a_New=GOOD, b_Both=GOOD)
    base = theirs("b.Both", "c.Kept", "d.Kept")
    merged, _ = plan_installation(ours, base)
    assert (merged.new, merged.replaced, merged.unchanged) == (
        ("a.New",),
        ("b.Both",),
        ("c.Kept", "d.Kept"),
    )
    assert merged.document["results"] == base["results"] | ours["results"]
    assert list(merged.document["results"]) == ["a.New", "b.Both", "c.Kept", "d.Kept"]
    metadata = merged.document["metadata"]
    assert metadata["num_detectors_evaluated"] == 4
    assert metadata["kept"] == ["c.Kept", "d.Kept"]
    origin = {"detectors": ["c.Kept", "d.Kept"], "theirs": True}
    assert metadata["kept_from"] == [origin]
    assert metadata["versions"] == {"garak": "0.17.1"}
    newer = document(b_Both=GOOD, c_Kept=GOOD)
    again, _ = plan_installation(newer, dict(merged.document))
    metadata = again.document["metadata"]
    first, second = metadata["kept_from"]
    assert first == {"detectors": ["d.Kept"], "theirs": True}
    assert (second["detectors"], second["versions"]) == (
        ["a.New"],
        {"garak": "0.17.1"},
    )
    assert "metrics_rows" not in metadata
    alone, _ = plan_installation(document(a_New=GOOD), None)
    assert (list(alone.document["results"]), alone.new) == (["a.New"], ("a.New",))
    with pytest.raises(InstallError) as caught:
        plan_installation(document(a_New=GOOD), {"results": []})
    assert str(caught.value) == (
        "the metrics that garak reads now have no object `results`; move that file"
        " away, then install again"
    )


def test_refused_entries_leave_theirs_as_they_are() -> None:
    ours = document(a_Few=FEW, b_Poor=POOR, c_Good=GOOD)
    base = theirs("a.Few")
    merged, refused = plan_installation(ours, base)
    assert list(refused) == ["a.Few", "b.Poor"]
    assert merged.document["results"]["a.Few"] == base["results"]["a.Few"]
    assert (merged.new, merged.replaced, merged.unchanged) == (
        ("c.Good",),
        (),
        ("a.Few",),
    )
    assert refusal_text(refused) == (
        "--install: 2 not installed, label more rows, or --force: a.Few was measured on"
        " 19 hits and 40 passes, at least 20 of each needed; b.Poor has a sensitivity +"
        " specificity - 1 of -0.05 to 0.43, more than 0.2 needed"
    )
    forced, refused = plan_installation(ours, base, force=True)
    assert (forced.new, forced.replaced) == (("b.Poor", "c.Good"), ("a.Few",))
    assert refused == {}
    # garak would take a detector without both rates for a perfect one
    merged, refused = plan_installation(
        document(a_One=ONE_LABEL), theirs("a.One"), force=True
    )
    assert (merged.new, merged.replaced) == ((), ())
    assert refusal_text(refused) == (
        "--install: 1 not installed, label more rows: a.One has no sensitivity or no"
        " specificity"
    )


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


def test_each_detector_is_told_by_its_last_installation() -> None:
    first = structs.replace(THIS, detectors=("a.B", "c.D"))
    second = structs.replace(THIS, source="9 labels", detectors=("e.F",))
    record = record_of(b"1", None, None, first)
    record = record_of(b"2", b"1", record, second)
    record = record_of(b"3", b"2", record, THIS)
    assert [(each.detectors, each.source) for each in record.installed] == [
        (("a.B",), "40 labels"),
        (("e.F",), "9 labels"),
        (("c.D",), "40 labels"),
    ]


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


def test_what_is_no_record_and_one_of_the_first_version(tmp_path: Path) -> None:
    users = str(tmp_path / "metrics.json")
    path = Path(record_path(users))
    assert record_beside(users) is None
    text = record_text(InstallRecord(before=b"x", installed_sha256=("0",)))
    for change in (
        {"format_version": 2},
        {"before": "?"},
        {"before": 5},
        {"installed_sha256": None},
        {"installed": [{"date": 1}]},
        None,
    ):
        broken = "{" if change is None else json.dumps(json.loads(text) | change)
        path.write_text(broken)
        with pytest.raises(InstallError) as caught:
            record_beside(users)
        assert str(caught.value) == (
            f"{path}: not a record that this garak-tbsa can read, so the earlier"
            " metrics are not known; remove it and the metrics beside it to use"
            " garak's own"
        )
    path.write_text('{"format_version": 1, "before": null, "installed_sha256": ["0"]}')
    assert known(record_beside(users)).installed == ()
