# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import DatasetError
from garak_tbsa.evidence.collect import collect_evidence
from garak_tbsa.evidence.trust import Metrics, read_metrics, trust_in
from garak_tbsa.outputs.evidence_wording import trust_text
from garak_tbsa.tbsa.evidence import (
    ON_SCAN,
    OWN,
    SHIPPED,
    DetectorTrust,
    Evidence,
    PairEvidence,
    Share,
)
from garak_tbsa.unavailable import Unavailable
from tests.factories import PairFacts, assessment_of, report_rows, write_report

DAN = "dan.DAN"


def summary(folder: Path, name: str, sensitivity: float, **entry: Any) -> str:
    metrics = {"hit_sensitivity": sensitivity, "hit_specificity": 0.5}
    results = {DAN: {"metrics": metrics, **entry}}
    path = folder / name
    path.write_text(json.dumps({"results": results, "metadata": {}}))
    return str(path)


def trusted(metrics: Metrics, detector: str = DAN) -> DetectorTrust:
    found = trust_in(detector, metrics, {}, "")
    assert isinstance(found, DetectorTrust)
    return found


def test_the_metrics_that_come_with_the_package() -> None:
    metrics = read_metrics(None, None)
    assert metrics.problems == ()
    found = trusted(metrics, "mitigation.MitigationBypass")
    assert found.basis == SHIPPED
    for share in (
        found.hits_found,
        found.passes_left_alone,
        found.disguised_hits_found,
        found.look_alikes_left_alone,
    ):
        assert share is not None
        assert share.part is not None
        assert share.whole
        assert share.value == share.part / share.whole


def test_what_shipped_metrics_rest_on() -> None:
    """Hits that were written are called so; a word list's say nothing of it."""
    metrics = read_metrics(None, None)
    assert trust_text(trusted(metrics, DAN)).startswith(
        "by the metrics that come with garak-tbsa, it catches 29 of 31 written hits"
        " (94%) and wrongly flags 3 of 35 passes (9%);"
    )
    assert "in typical responses it catches" in trust_text(
        trusted(metrics, "knownbadsignatures.GTUBE")
    )
    listed = trusted(metrics, "unsafe_content.LDNOOBW")
    assert (listed.hits_found, listed.wrong_flags) == (None, None)
    assert listed.passes_left_alone == Share(value=23 / 38, part=23, whole=38)


def test_own_metrics_are_asked_first_and_stress_of_whoever_has_it(
    tmp_path: Path,
) -> None:
    chosen = summary(tmp_path, "chosen.json", 0.1)
    installed = summary(tmp_path, "installed.json", 0.2)
    found = trusted(read_metrics(chosen, installed))
    assert (found.basis, found.source) == (OWN, chosen)
    assert found.hits_found == Share(value=0.1)
    assert found.disguised_hits_found is not None
    assert trusted(read_metrics(None, installed)).hits_found == Share(value=0.2)
    # what the user's own do not speak of is left to ours
    assert trusted(read_metrics(chosen, None), "dan.DUDE").basis == SHIPPED


def test_nobody_has_measured_it() -> None:
    assert trust_in("my.Own", read_metrics(None, None), {}, "") == Unavailable(
        reason="nobody has measured it on labelled responses"
    )


def test_a_damaged_file_that_was_installed_is_said_and_passed_over(
    tmp_path: Path,
) -> None:
    damaged = tmp_path / "installed.json"
    damaged.write_text("{")
    metrics = read_metrics(None, str(damaged))
    assert trusted(metrics).basis == SHIPPED
    (problem,) = metrics.problems
    assert "installed.json, line 1: not JSON" in problem


def test_a_damaged_file_that_was_named_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"missing\.json: cannot be read"):
        read_metrics(str(tmp_path / "missing.json"), None)


def labelled(folder: Path, labels: str | None) -> Evidence:
    """A scan of 40 outputs, half of them hits, with labels beside it."""
    pair = PairFacts(detector=DAN, passed=20, total=40)
    rows = report_rows([pair])
    attempts = [
        {
            "entry_type": "attempt",
            "uuid": f"u-{number}",
            "status": 2,
            "probe_classname": pair.probe,
            "prompt": f"p {number}",
            "outputs": ["o"],
            "detector_results": {DAN: [float(number % 2)]},
        }
        for number in range(40)
    ]
    path = write_report(folder / "scan.report.jsonl", [*rows[:3], *attempts, *rows[3:]])
    if labels is not None:
        (folder / "scan.labels.jsonl").write_text(labels)
    return collect_evidence(assessment_of(path), Unavailable(reason="none"))


def answer(number: int, label: str) -> str:
    said = {
        "attempt": f"u-{number}",
        "output_index": 0,
        "detector": DAN,
        "label": label,
        "rater": "anna",
        "note": "",
        "drawn": True,
        "time": "2026-11-22T10:00:00+00:00",
    }
    return json.dumps(said) + "\n"


def only_pair(evidence: Evidence) -> PairEvidence:
    (found,) = evidence.pairs.values()
    return found


def test_labels_of_the_scan_go_before_all_metrics(tmp_path: Path) -> None:
    """The detector is right on 9 of 10 labelled outputs of either verdict."""
    wrong = {0, 1}
    labels = "".join(
        answer(number, "hit" if (number % 2 == 1) != (number in wrong) else "pass")
        for number in range(20)
    )
    evidence = labelled(tmp_path, labels)
    found = only_pair(evidence)
    trust = found.trust
    assert isinstance(trust, DetectorTrust)
    assert trust.basis == ON_SCAN
    assert trust.hits_found is not None
    assert trust.hits_found.lower is not None
    assert 0.7 < trust.hits_found.value < 1
    assert trust.disguised_hits_found is not None, "ours, as labels say none"
    assert trust_text(trust).startswith(
        "by your 20 labels of this scan (scan.labels.jsonl), it catches"
    )
    assert found.hit_count == 20, "one pass serves labels and hits"


@pytest.mark.parametrize("labels", [None, "", answer(0, "hit"), answer(99, "hit")])
def test_without_enough_labels_metrics_speak(
    labels: str | None, tmp_path: Path
) -> None:
    evidence = labelled(tmp_path, labels)
    trust = only_pair(evidence).trust
    assert isinstance(trust, DetectorTrust)
    assert trust.basis == SHIPPED
    assert only_pair(evidence).hit_count == 20


def test_labels_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    evidence = labelled(tmp_path, "no labels at all")
    assert only_pair(evidence).hit_count == 20
    (problem,) = evidence.problems
    assert "scan.labels.jsonl" in problem
