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
from tests.detector_eval.summaries import document_of, results_of
from tests.values import known

GOOD = {"tp": 27, "fp": 3, "fn": 3, "tn": 27}
POOR = {"tp": 18, "fp": 12, "fn": 12, "tn": 18}
FEW = {"tp": 19, "fp": 0, "fn": 0, "tn": 40}
ONE_LABEL = {"tn": 50}


def document(**counts: dict[str, int]) -> dict[str, Any]:
    named = {name.replace("_", "."): cells for name, cells in counts.items()}
    return document_of(*results_of(named))


def theirs(*names: str) -> dict[str, Any]:
    return {
        "results": {name: {"metrics": {"hit_sensitivity": 0.5}} for name in names},
        "metadata": {"theirs": True},
    }


def test_ours_join_theirs_and_hide_none() -> None:
    """Merge with what garak would otherwise read."""
    ours = document(a_New=GOOD, b_Both=GOOD)
    base = theirs("b.Both", "c.Kept")
    merged, _ = plan_installation(ours, base)
    assert (merged.new, merged.replaced, merged.kept) == (
        ("a.New",),
        ("b.Both",),
        ("c.Kept",),
    )
    assert merged.document["results"] == {
        "a.New": ours["results"]["a.New"],
        "b.Both": ours["results"]["b.Both"],
        "c.Kept": base["results"]["c.Kept"],
    }
    metadata = merged.document["metadata"]
    assert metadata["num_detectors_evaluated"] == 3
    assert metadata["kept"] == ["c.Kept"]
    assert metadata["kept_from"] == [{"detectors": ["c.Kept"], "theirs": True}]
    assert metadata["versions"] == {"garak": "0.17.1"}
    alone, _ = plan_installation(document(a_New=GOOD), None)
    assert (list(alone.document["results"]), alone.new) == (["a.New"], ("a.New",))


def test_how_kept_metrics_were_made_is_said_of_each_again() -> None:
    first, _ = plan_installation(document(a_A=GOOD, b_B=GOOD), theirs("c.C", "d.D"))
    again, _ = plan_installation(document(b_B=GOOD, c_C=GOOD), dict(first.document))
    origins = again.document["metadata"]["kept_from"]
    assert [origin["detectors"] for origin in origins] == [["d.D"], ["a.A"]]
    assert origins[0]["theirs"] is True
    assert origins[1]["versions"] == {"garak": "0.17.1"}
    # kept metrics may be of other rows
    assert "metrics_rows" not in again.document["metadata"]


def test_refused_entries_leave_theirs_as_they_are() -> None:
    ours = document(a_Few=FEW, b_Poor=POOR, c_Good=GOOD)
    base = theirs("a.Few")
    merged, refused = plan_installation(ours, base)
    assert list(refused) == ["a.Few", "b.Poor"]
    assert merged.document["results"]["a.Few"] == base["results"]["a.Few"]
    assert (merged.new, merged.replaced, merged.kept) == (("c.Good",), (), ("a.Few",))
    assert refusal_text(refused) == (
        "--install: 2 not installed, label more rows, or --force: a.Few was measured on"
        " 19 hits and 40 passes, at least 20 of each needed; b.Poor has a sensitivity +"
        " specificity - 1 of -0.05 to 0.43, more than 0.2 needed"
    )
    forced, refused = plan_installation(ours, base, force=True)
    assert (forced.new, forced.replaced) == (("b.Poor", "c.Good"), ("a.Few",))
    assert refused == {}


def test_what_garak_could_not_use_is_refused_even_with_force() -> None:
    """It would take a detector without both rates for a perfect one."""
    ours = document(a_One=ONE_LABEL)
    merged, refused = plan_installation(ours, theirs("a.One"), force=True)
    assert (merged.new, merged.replaced) == ((), ())
    assert refusal_text(refused) == (
        "--install: 1 not installed, label more rows: a.One has no sensitivity or no"
        " specificity"
    )


@pytest.mark.parametrize("others", [20, 30])
def test_twenty_of_each_label_are_enough(others: int) -> None:
    """Refuse entries with fewer than 20 of either label."""
    assert refusal(measured(ConfusionCounts(tp=20, tn=others))) is None
    assert refusal(measured(ConfusionCounts(tp=others, tn=20))) is None
    assert refusal(measured(ConfusionCounts(tp=19, tn=others))) is not None
    assert refusal(measured(ConfusionCounts(tp=others, tn=19))) is not None


def measured(counts: ConfusionCounts) -> MeasuredDetector:
    return MeasuredDetector(
        detector="d.D",
        hit_f1=counts.hit_f1,
        sensitivity=counts.hit_sensitivity,
        specificity=counts.hit_specificity,
        counts=counts,
    )


@pytest.mark.parametrize(("lower", "refused"), [(0.2, True), (0.200001, False)])
def test_an_interval_that_includes_a_fifth_is_too_little(
    monkeypatch: pytest.MonkeyPatch, lower: float, refused: bool
) -> None:
    """Refuse entries whose Se + Sp - 1 has an interval that includes 0.2 or less."""
    interval = Interval(lower=lower, upper=0.9)
    monkeypatch.setattr(module, "youden_interval", lambda *_: interval)
    assert (refusal(measured(ConfusionCounts(tp=30, tn=30))) is not None) == refused


def test_what_garak_reads_must_be_a_summary() -> None:
    with pytest.raises(InstallError) as caught:
        plan_installation(document(a_New=GOOD), {"results": []})
    assert str(caught.value) == (
        "the metrics that garak reads now have no object `results`; move that file"
        " away, then install again"
    )


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


def test_a_record_of_the_first_version_says_nothing_of_that(tmp_path: Path) -> None:
    users = str(tmp_path / "metrics.json")
    assert record_beside(users) is None
    text = '{"format_version": 1, "before": null, "installed_sha256": ["0"]}'
    Path(record_path(users)).write_text(text)
    assert known(record_beside(users)).installed == ()


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


def test_a_file_that_somebody_changed_is_kept() -> None:
    record = record_of(b"ours", b"before", None, THIS)
    with pytest.raises(InstallError) as caught:
        record.restored(b"changed", "p", force=False)
    assert str(caught.value) == (
        "p: has changed since garak-tbsa installed it; --force restores the earlier"
        " file and loses the change"
    )
    assert record.restored(b"changed", "p", force=True) == b"before"
    assert record.restored(None, "p", force=False) == b"before"


@pytest.mark.parametrize(
    "change",
    [
        {"format_version": 2},
        {"before": "?"},
        {"before": 5},
        {"installed_sha256": None},
        {"installed": [{"date": 1}]},
        None,
    ],
)
def test_what_is_no_record(tmp_path: Path, change: dict[str, Any] | None) -> None:
    text = record_text(InstallRecord(before=b"x", installed_sha256=("0",)))
    broken = "{" if change is None else json.dumps(json.loads(text) | change)
    users = str(tmp_path / "metrics.json")
    path = record_path(users)
    Path(path).write_text(broken)
    with pytest.raises(InstallError) as caught:
        record_beside(users)
    assert str(caught.value) == (
        f"{path}: not a record that this garak-tbsa can read, so the earlier metrics"
        " are not known; remove it and the metrics beside it to use garak's own"
    )
