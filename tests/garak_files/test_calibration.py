# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Calibrations: read with care, known by date and models or by content."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.calibration import (
    Calibration,
    Distribution,
    models_sha256,
    parse_calibration,
    text_sha256,
)

META = {"date": "2025-01-01", "filenames": ["b.report.jsonl", "a.report.jsonl"]}
PAIRS: dict[str, Any] = {"dan.DAN/dan.DAN": {"mu": 0.25, "sigma": 0.5}}


def parse(content: object, *, trusted: bool = False) -> Calibration:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return parse_calibration(text, source="c.json", trusted=trusted)


def test_a_calibration_covers_pairs() -> None:
    calibration = parse(PAIRS | {"garak_calibration_meta": META})
    assert calibration.of("dan.DAN", "dan.DAN") == Distribution(mu=0.25, sigma=0.5)
    assert calibration.of("dan.DAN", "other.D") is None


def test_garaks_own_is_known_by_date_and_models() -> None:
    identity = parse(PAIRS | {"garak_calibration_meta": META}, trusted=True).identity
    assert (identity.date, identity.content) == ("2025-01-01", None)
    # as a digest lists them
    assert identity.models == text_sha256("a, b")
    assert models_sha256(["b.report.jsonl", "a"]) == identity.models


@pytest.mark.parametrize("meta", [None, [], META, META | {"date": 3}])
def test_another_file_is_known_by_its_content(meta: object) -> None:
    one = parse(PAIRS | {"garak_calibration_meta": meta}).identity
    two = parse(PAIRS | {"x/y": PAIRS["dan.DAN/dan.DAN"]}).identity
    assert one.content is not None
    assert one.content != two.content


def test_a_trusted_file_without_metadata_is_known_by_its_content() -> None:
    assert parse(PAIRS, trusted=True).identity.content is not None


@given(
    rate=st.floats(0, 1),
    mu=st.floats(0, 1),
    sigma=st.floats(0, 1),
)
def test_the_z_score_has_a_floor_under_sigma(
    rate: float, mu: float, sigma: float
) -> None:
    """Z = (rate - mu) / max(sigma, 1/30)."""
    z_score = Distribution(mu=mu, sigma=sigma).z_score(rate)
    assert z_score == (rate - mu) / max(sigma, 1 / 30)
    assert abs(z_score) <= 30


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "c.json: is not JSON"),
        (b"\xff\xfe", "c.json: is not JSON"),
        (b"[" * 200_000, "c.json: is not JSON"),
        ([], "c.json: expected an object of pairs"),
        ({}, "c.json: holds no pair"),
        ({"garak_calibration_meta": META}, "c.json: holds no pair"),
        ({"a/b": 3}, "c.json: a/b: expected numbers mu and sigma from 0 to 1"),
        ({"a/b": {"mu": 0.5}}, "a/b: expected numbers mu and sigma from 0 to 1"),
        ({"a/b": {"mu": 2, "sigma": 0.1}}, "a/b: expected numbers mu and sigma"),
        ({"a/b": {"mu": 0.5, "sigma": -1}}, "a/b: expected numbers mu and sigma"),
        ({"a/b": {"mu": float("nan"), "sigma": 0}}, "a/b: expected numbers mu and"),
        ({"a/b": {"mu": True, "sigma": 0.1}}, "a/b: expected numbers mu and sigma"),
    ],
)
def test_what_is_no_calibration_is_told(content: object, message: str) -> None:
    with pytest.raises(ReportError) as caught:
        parse(content)
    assert message in str(caught.value)
    assert "give a garak calibration, such as garak/data/calibration/" in str(
        caught.value
    )
