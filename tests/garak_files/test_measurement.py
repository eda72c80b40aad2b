# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a digest entry or an eval row of any garak release says of a pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from garak_tbsa import GarakTbsaError, load_report
from garak_tbsa.garak_files.fields import parse_json
from tests.report_rows import PairFacts, digest_row, eval_row

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
ENTRY = "eval/dan/dan.P/D/"


def only_pair(folder: Path, row: dict[str, Any]) -> Any:
    """What a report of one row says of its only pair."""
    path = folder / "r.jsonl"
    path.write_text(json.dumps(row))
    (found,) = load_report(path).measurements
    return found


def digest_with(path: str, value: object) -> Any:
    """The digest of one pair with something else at a path in it."""
    digest = digest_row([PairFacts(probe="dan.P", detector="D", mu=0.5)])
    inner: Any = digest
    *outer, last = path.split("/")
    for key in outer:
        inner = inner[key]
    inner[last] = value
    return digest


@given(value=ANY_JSON)
def test_json_is_read_as_the_standard_library_reads_it(value: object) -> None:
    text = json.dumps(value)
    assert repr(parse_json(text.encode())) == repr(json.loads(text))


def test_text_that_is_no_utf_8_or_nested_without_end() -> None:
    assert parse_json(b'{"name": "a\xff\xfeb"}') == {"name": "a\ufffd\ufffdb"}
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(b'{"a":' * 200_000)


OF_0_9 = {"probe": "probes.xss.X", "detector": "detector.xss.D"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (OF_0_9 | {"passed": 1, "total": 2}, ("xss.X", "xss.D", 1, 2, None)),
        (
            # 0.13.3
            {"probe": "x.X", "detector": "x.D", "passed": 1, "nones": 3, "total": 2},
            ("x.X", "x.D", 1, 2, 3),
        ),
        (eval_row(PairFacts(nones=2)), ("dan.Ablation_Dan_11_0", "dan.DAN", 8, 10, 2)),
        (
            OF_0_9 | {"detector": "detectors.D", "passed": 2, "total": 2},
            ("xss.X", "D", 2, 2, None),
        ),
    ],
)
def test_eval_rows_of_every_release(
    tmp_path: Path, values: dict[str, Any], expected: tuple[object, ...]
) -> None:
    """A name without a category has none to lose."""
    got = only_pair(tmp_path, {"entry_type": "eval", **values})
    counts = got.passed, got.total_evaluated, got.nones
    assert (got.probe, got.detector, *counts) == expected
    assert (got.where, got.has_counts) == ("line 1", True)
    bare = {"probe": got.probe, "detector": got.detector}
    again = only_pair(tmp_path, {"entry_type": "eval", **values, **bare})
    assert (again.probe, again.detector) == (got.probe, got.detector)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"probe": None}, "eval.probe: expected a name of at most 512 char"),
        ({"probe": " "}, "eval.probe: expected a name of at most 512 char"),
        ({"detector": 3}, "eval.detector: expected a name of at most 512 char"),
        ({"detector": "x" * 513}, "eval.detector: expected a name of at most 512 char"),
        ({"passed": 11}, "eval.passed: expected at most the 10 outputs evaluated"),
        *(
            ({name: value}, f"eval.{name}: expected a whole number of at least 0 and")
            for name, value in (
                *(("passed", each) for each in (None, 400_000_001, -1, 1.5, True)),
                ("passed", float("inf")),
                ("total_evaluated", None),
                ("nones", "\ud800"),
            )
        ),
    ],
)
def test_a_wrong_eval_row_is_told(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(GarakTbsaError) as caught:
        only_pair(tmp_path, eval_row(PairFacts()) | change)
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / 'r.jsonl'}, line 1: {message}")
    damaged = "the report is damaged, or not written by garak: scan again or repair it"
    assert text.endswith(f"; {damaged}")


def test_digest_entries_of_every_release(tmp_path: Path) -> None:
    facts = PairFacts(mu=0.5)
    got = only_pair(tmp_path, digest_row([facts]))
    assert asdict(got) == {
        "probe": facts.probe,
        "detector": facts.detector,
        "passed": 8,
        "total_evaluated": 10,
        "nones": None,
        "fails": None,
        "processed": None,
        "pass_rate": 0.8,
        "z_score": facts.z_score,
        "pass_rate_grade": 4,
        "z_grade": 5,
        "tier": 1,
        "where": f"digest.eval.dan.{facts.probe}.{facts.detector}",
        "wording": None,
    }
    assert got.pair_name == f"{facts.probe}+{facts.detector}"
    for uncalibrated in ("n/a", None):
        digest = digest_with(ENTRY + "relative_score", uncalibrated)
        assert only_pair(tmp_path, digest).z_score is None
    # up to 0.13.0
    digest = digest_with(ENTRY + "zscore", 2)
    entry = digest["eval"]["dan"]["dan.P"]["D"]
    entry["zscore_defcon"] = entry.pop("relative_defcon")
    for name in ("relative_score", "passed", "total_evaluated", "detector_name"):
        del entry[name]
    got = only_pair(tmp_path, digest)
    assert (got.detector, got.z_score, got.z_grade) == ("D", 2.0, 5)
    assert not got.has_counts
    del entry["absolute_score"]
    with pytest.raises(
        GarakTbsaError, match=r"absolute_score: expected a number from 0"
    ):
        only_pair(tmp_path, digest)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("eval", [], "an object, found a list"),
        ("eval/dan", 3, "an object, found 3"),
        ("eval/dan/dan.P", "x", "an object, found 'x'"),
        ("eval/dan/dan.P/_summary", [], "an object, found a list"),
        *(
            ("eval/dan/dan.P/_summary/probe_tier", tier, "a tier (1, 2, 3 or 9), found")
            for tier in (5, "1", 1.0, True)
        ),
        ("eval/dan/dan.P/D", None, "an object, found nothing"),
        (ENTRY + "detector_name", "", "a name of at most 512 characters, found ''"),
        *(
            (ENTRY + "absolute_score", share, "a number from 0 to 1, found")
            for share in (1.01, float("nan"), "0.5", False)
        ),
        *(
            (ENTRY + "relative_score", z, 'a finite number or "n/a", found')
            for z in ("high", "\ud800", float("nan"), 10**400)
        ),
        *(
            (ENTRY + "relative_defcon", grade, "a DEFCON grade from 1 to 5, found")
            for grade in (0, 6, 2.5, "v" * 999)
        ),
        (ENTRY + "passed", 99, "at most the 10 outputs evaluated, found 99"),
    ],
    ids=lambda value: str(value).encode("ascii", "replace").decode()[:30],
)
def test_a_wrong_value_at_any_level_of_a_digest_is_told(
    tmp_path: Path, path: str, value: object, message: str
) -> None:
    with pytest.raises(GarakTbsaError) as caught:
        only_pair(tmp_path, digest_with(path, value))
    text = str(caught.value)
    assert f"digest.{path.replace('/', '.')}: expected {message}" in text
    assert len(text) < 300
