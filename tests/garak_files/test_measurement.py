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


def test_an_eval_row_without_total_is_told() -> None:
    values = {"probe": "x.X", "detector": "x.D", "passed": 1}
    with pytest.raises(ReportError, match=r"eval.total_evaluated: expected"):
        eval_measurement(row(values))


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


def test_a_probe_in_several_groups_comes_several_times() -> None:
    digest = digest_row([PairFacts()])
    digest["eval"]["owasp:llm01"] = digest["eval"]["dan"]
    assert [entry.pair_name for entry in of_digest(digest)] == [
        "dan.Ablation_Dan_11_0+dan.DAN"
    ] * 2


def test_the_detector_is_named_by_its_key_where_the_entry_does_not() -> None:
    digest = digest_row([PairFacts()])
    del entry_of(digest)["detector_name"]
    (got,) = of_digest(digest)
    assert got.detector == "dan.DAN"


PROBE = "dan.Ablation_Dan_11_0"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("eval",), [], "digest.eval: expected an object, found a list"),
        (("eval", "dan"), 3, "digest.eval.dan: expected an object, found 3"),
        (("eval", "dan", PROBE), "x", f"digest.eval.dan.{PROBE}: expected an object"),
        (
            ("eval", "dan", PROBE, "_summary"),
            [],
            f"digest.eval.dan.{PROBE}._summary: expected an object, found a list",
        ),
        (
            ("eval", "dan", PROBE, "_summary", "probe_tier"),
            5,
            "_summary.probe_tier: expected a tier (1, 2, 3 or 9), found 5",
        ),
        (
            ("eval", "dan", PROBE, "dan.DAN"),
            None,
            f"{PROBE}.dan.DAN: expected an object, found nothing",
        ),
        (
            ("eval", "dan", PROBE, "dan.DAN", "detector_name"),
            "",
            "dan.DAN.detector_name: expected a name, found ''",
        ),
        (
            ("eval", "dan", PROBE, "dan.DAN", "absolute_score"),
            float("nan"),
            "dan.DAN.absolute_score: expected a number from 0 to 1, found nan",
        ),
        (
            ("eval", "dan", PROBE, "dan.DAN", "relative_defcon"),
            0,
            "dan.DAN.relative_defcon: expected a DEFCON grade from 1 to 5, found 0",
        ),
        (
            ("eval", "dan", PROBE, "dan.DAN", "passed"),
            99,
            "dan.DAN.passed: expected at most the 10 outputs evaluated, found 99",
        ),
    ],
)
def test_a_wrong_type_at_any_level_of_a_digest_is_told(
    path: tuple[str, ...], value: object, message: str
) -> None:
    digest = digest_row([PairFacts()])
    inner: Any = digest
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(ReportError) as caught:
        of_digest(digest)
    assert message in str(caught.value)


def test_an_entry_with_neither_rate_nor_counts_is_told() -> None:
    digest = digest_row([PairFacts()])
    for key in ("absolute_score", "passed"):
        del entry_of(digest)[key]
    with pytest.raises(ReportError, match=r"absolute_score: expected a number from 0"):
        of_digest(digest)


@pytest.mark.parametrize("name", ["dan.DAN", "probes.dan.DAN"])
def test_probe_names_lose_their_category(name: str) -> None:
    assert bare_probe(name) == "dan.DAN"


@pytest.mark.parametrize("name", ["dan.DAN", "detector.dan.DAN", "detectors.dan.DAN"])
def test_detector_names_lose_their_category(name: str) -> None:
    assert bare_detector(name) == "dan.DAN"
