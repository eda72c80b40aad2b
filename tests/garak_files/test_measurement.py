# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a digest entry or an eval row of any garak release says of a pair."""

from __future__ import annotations

from typing import Any

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.fields import Record
from garak_tbsa.garak_files.measurement import (
    Measurement,
    bare_detector,
    bare_probe,
    digest_measurements,
    eval_measurement,
)
from tests.factories import PairFacts, digest_row, eval_row


def row(values: object) -> Record:
    return Record(values, source="r.jsonl", line=4, path="eval")


def of_digest(digest: object) -> list[Measurement]:
    record = Record(digest, source="r.jsonl", line=None, path="digest")
    return list(digest_measurements(record))


def entry_of(digest: dict[str, Any]) -> dict[str, Any]:
    facts = PairFacts()
    entry: dict[str, Any] = digest["eval"]["dan"][facts.probe][facts.detector]
    return entry


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # 0.9: three-part names
        (
            {
                "probe": "probes.xss.X",
                "detector": "detector.xss.D",
                "passed": 1,
                "total": 2,
            },
            ("xss.X", "xss.D", 1, 2, None),
        ),
        # 0.13.3
        (
            {"probe": "x.X", "detector": "x.D", "passed": 1, "nones": 3, "total": 2},
            ("x.X", "x.D", 1, 2, 3),
        ),
        (eval_row(PairFacts(nones=2)), ("dan.Ablation_Dan_11_0", "dan.DAN", 8, 10, 2)),
    ],
)
def test_eval_rows_of_every_release(
    values: dict[str, Any], expected: tuple[object, ...]
) -> None:
    got = eval_measurement(row(values))
    assert expected == (
        got.probe,
        got.detector,
        got.passed,
        got.total_evaluated,
        got.nones,
    )
    assert got.where == "line 4"
    assert got.has_counts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"probe": None}, "eval.probe: expected a name, found nothing"),
        ({"detector": 3}, "eval.detector: expected a name, found 3"),
        ({"passed": None}, "eval.passed: expected a whole number of at least 0, found"),
        (
            {"passed": 11},
            "eval.passed: expected at most the 10 outputs evaluated, found",
        ),
        ({"total_evaluated": None}, "eval.total_evaluated: expected a whole number"),
        (
            {"nones": "x"},
            "eval.nones: expected a whole number of at least 0, found 'x'",
        ),
        ({"passed": 400_000_001}, "expected a whole number of at most 400000000"),
    ],
)
def test_a_wrong_eval_row_is_told(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ReportError, match="line 4") as caught:
        eval_measurement(row(eval_row(PairFacts()) | change))
    assert message in str(caught.value)


def test_a_digest_entry_since_0_14() -> None:
    facts = PairFacts(mu=0.5)
    (got,) = of_digest(digest_row([facts]))
    assert got == Measurement(
        probe=facts.probe,
        detector=facts.detector,
        passed=8,
        total_evaluated=10,
        pass_rate=0.8,
        z_score=facts.z_score,
        pass_rate_grade=4,
        z_grade=5,
        tier=1,
        where=f"digest.eval.dan.{facts.probe}.{facts.detector}",
    )
    assert got.pair_name == f"{facts.probe}+{facts.detector}"


def test_a_digest_entry_up_to_0_13_0() -> None:
    digest = digest_row([PairFacts(mu=0.5)])
    entry = entry_of(digest)
    entry["zscore"] = entry.pop("relative_score")
    entry["zscore_defcon"] = entry.pop("relative_defcon")
    del entry["passed"], entry["total_evaluated"]
    (got,) = of_digest(digest)
    assert (got.z_score, got.z_grade) == (PairFacts(mu=0.5).z_score, 5)
    assert got.uses_zscore_names
    assert not got.has_counts


@pytest.mark.parametrize("uncalibrated", ["n/a", None])
def test_an_uncalibrated_entry_has_no_z_score(uncalibrated: object) -> None:
    digest = digest_row([PairFacts()])
    entry_of(digest)["relative_score"] = uncalibrated
    (got,) = of_digest(digest)
    assert (got.z_score, got.z_grade) == (None, None)


def test_the_detector_is_named_by_its_key_where_the_entry_does_not() -> None:
    digest = digest_row([PairFacts()])
    del entry_of(digest)["detector_name"]
    (got,) = of_digest(digest)
    assert got.detector == "dan.DAN"


@pytest.mark.parametrize("category", ["", "detector.", "detectors."])
def test_names_lose_their_category(category: str) -> None:
    assert bare_detector(f"{category}dan.DAN") == "dan.DAN"
    assert bare_probe("probes.dan.DAN") == bare_probe("dan.DAN") == "dan.DAN"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("eval", [], "digest.eval: expected an object, found a list"),
        ("eval/dan", 3, "digest.eval.dan: expected an object, found 3"),
        ("eval/dan/dan.P", "x", "digest.eval.dan.dan.P: expected an object"),
        ("eval/dan/dan.P/_summary", [], "P._summary: expected an object, found a list"),
        (
            "eval/dan/dan.P/_summary/probe_tier",
            5,
            "expected a tier (1, 2, 3 or 9), found",
        ),
        ("eval/dan/dan.P/D", None, "P.D: expected an object, found nothing"),
        (
            "eval/dan/dan.P/D/detector_name",
            "",
            "detector_name: expected a name, found ''",
        ),
        (
            "eval/dan/dan.P/D/absolute_score",
            float("nan"),
            "a number from 0 to 1, found n",
        ),
        ("eval/dan/dan.P/D/relative_defcon", 0, "a DEFCON grade from 1 to 5, found 0"),
        ("eval/dan/dan.P/D/passed", 99, "at most the 10 outputs evaluated, found 99"),
    ],
)
def test_a_wrong_type_at_any_level_of_a_digest_is_told(
    path: str, value: object, message: str
) -> None:
    digest = digest_row([PairFacts(probe="dan.P", detector="D")])
    inner: Any = digest
    *outer, last = path.split("/")
    for key in outer:
        inner = inner[key]
    inner[last] = value
    with pytest.raises(ReportError) as caught:
        of_digest(digest)
    text = str(caught.value)
    assert f"{path.replace('/', '.')}: expected" in text
    assert message in text


def test_an_entry_with_neither_rate_nor_counts_is_told() -> None:
    digest = digest_row([PairFacts()])
    for key in ("absolute_score", "passed"):
        del entry_of(digest)[key]
    with pytest.raises(ReportError, match=r"absolute_score: expected a number from 0"):
        of_digest(digest)
