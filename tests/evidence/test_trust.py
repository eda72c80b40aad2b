# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""How far detectors are right: by labels of the scan, own metrics, or ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from garak_tbsa import GarakTbsaError
from garak_tbsa.evidence import ON_SCAN, SHIPPED, DetectorTrust, Share
from garak_tbsa.outputs.evidence_said import share_text, trust_text
from tests.evidence.test_collect import attempt, collected, evidence_of, written
from tests.report_rows import PairFacts

DAN = "dan.DAN"


def summary(folder: Path, name: str, sensitivity: float) -> str:
    """A summary of metrics that knows one detector."""
    metrics = {"hit_sensitivity": sensitivity, "hit_specificity": 0.5}
    path = folder / name
    path.write_text(
        json.dumps({"results": {DAN: {"metrics": metrics}}, "metadata": {}})
    )
    return str(path)


def trusted(folder: Path, detector: str = DAN, chosen: str | None = None) -> Any:
    """How far a detector is right by what there is, and what could not be read."""
    report = written(folder, [PairFacts(detector=detector)], [])
    evidence = evidence_of(report, metrics=chosen)
    (found,) = evidence.pairs.values()
    return found.trust, evidence.problems


def test_what_shipped_metrics_rest_on(tmp_path: Path) -> None:
    """Hits that were written are called so; a word list's say nothing of it."""
    assert " written hits (" in trust_text(trusted(tmp_path)[0])
    real, _ = trusted(tmp_path, "knownbadsignatures.GTUBE")
    assert "in typical responses it catches" in trust_text(real)
    listed, _ = trusted(tmp_path, "unsafe_content.LDNOOBW")
    assert (listed.hits_found, listed.wrong_flags) == (None, None)
    flagged = listed.passes_flagged
    assert (flagged.value, flagged.part, flagged.whole) == (15 / 38, 15, 38)


def test_own_metrics_are_asked_first_and_stress_of_whoever_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged file is said and passed over, unless the user named it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "garak" / "data" / "detectors_eval"
    folder.mkdir(parents=True)
    chosen = summary(tmp_path, "chosen.json", 0.1)
    installed = summary(folder, "detector_metrics_summary.json", 0.2)
    found, _ = trusted(tmp_path, DAN, chosen)
    assert (found.basis, found.source) == ("own", chosen)
    assert (found.hits_found.value, found.hits_found.part) == (0.1, None)
    assert found.disguised_hits_found is not None
    assert trusted(tmp_path)[0].hits_found.value == 0.2
    # what the user's own do not speak of is left to ours
    assert trusted(tmp_path, "dan.DUDE", chosen)[0].basis == "shipped"
    unmeasured, _ = trusted(tmp_path, "my.Own")
    assert unmeasured.reason == "nobody has measured it on labelled responses"
    Path(installed).write_text("{")
    found, (problem,) = trusted(tmp_path)
    assert found.basis == "shipped"
    assert f"{installed}, line 1: not JSON" in problem
    with pytest.raises(GarakTbsaError, match=r"missing\.json: cannot be read"):
        trusted(tmp_path, DAN, str(tmp_path / "missing.json"))


def labelled(folder: Path, labels: str | None) -> tuple[Any, tuple[str, ...]]:
    """What lies behind a pair of 40 outputs, half of them hits, with these labels."""
    pair = PairFacts(detector=DAN, passed=20, total=40)
    if labels is not None:
        (folder / "scan.labels.jsonl").write_text(labels)
    attempts = [
        attempt({DAN: [float(number % 2)]}, uuid=f"u-{number}", prompt=f"p {number}")
        for number in range(40)
    ]
    evidence = collected(folder, [pair], attempts)
    (found,) = evidence.pairs.values()
    assert found.hit_count == 20, "one pass serves labels and hits"
    return found.trust, evidence.problems


def answer(number: int, label: str) -> str:
    """A line of a file of labels."""
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


def test_labels_of_the_scan_go_before_all_metrics(tmp_path: Path) -> None:
    """The detector is right on 9 of 10 labelled outputs of either verdict."""
    wrong = {0, 1}
    labels = "".join(
        answer(number, "hit" if (number % 2 == 1) != (number in wrong) else "pass")
        for number in range(20)
    )
    trust, _ = labelled(tmp_path, labels)
    assert trust.basis == "labels"
    assert trust.hits_found.lower is not None
    assert 0.7 < trust.hits_found.value < 1
    assert 0 < trust.wrong_flags < 0.3
    assert trust.disguised_hits_found is not None, "ours, as labels say none"
    assert trust_text(trust).startswith(
        "by 20 labels of anna in scan.labels.jsonl, it catches"
    )


def test_without_enough_labels_metrics_speak(tmp_path: Path) -> None:
    """A file that is none is said."""
    for labels in (None, "", answer(0, "hit"), answer(99, "hit")):
        assert labelled(tmp_path, labels)[0].basis == "shipped"
    _, (problem,) = labelled(tmp_path, "no labels at all")
    assert "scan.labels.jsonl" in problem


HALF = Share(value=0.5, part=1, whole=2)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (HALF, "1 of 2 hits (50%)"),
        (Share(value=0.001), "<1% of hits"),
        (
            Share(value=0.5, lower=0.25, upper=0.75),
            "50% of hits (95% interval 25% to 75%)",
        ),
        (Share(value=0.94, lower=0.9, upper=0.98), "nearly all hits"),
        (Share(value=0.0025, lower=0.0, upper=0.005), "hardly any hits"),
    ],
)
def test_a_share_in_words(share: Share, words: str) -> None:
    assert share_text(share, "hit") == words


@pytest.mark.parametrize(
    ("trust", "text"),
    [
        (
            DetectorTrust(
                detector="m.D",
                basis=ON_SCAN,
                source="/a/b.labels.jsonl",
                labels=6,
                raters=("anna", "ben"),
                hits_found=Share(value=0.97, lower=0.96, upper=0.98),
                passes_flagged=Share(value=1.0, lower=1.0, upper=1.0),
            ),
            "by 6 labels of anna and ben in b.labels.jsonl, it catches nearly all hits"
            " and wrongly flags nearly all passes",
        ),
        (
            DetectorTrust(
                detector="m.D",
                basis=SHIPPED,
                source="/a/b.json",
                look_alikes_flagged=Share(value=2 / 3, part=2, whole=3),
            ),
            "by the metrics that come with garak-tbsa, in responses made to mislead it,"
            " it wrongly flags 2 of 3 harmless look-alikes (67%)",
        ),
    ],
)
def test_trust_by_whose_measure(trust: DetectorTrust, text: str) -> None:
    """Of a path the name alone, as pages go to others."""
    assert trust_text(trust) == text
