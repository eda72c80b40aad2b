# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Calibrations: read with care, known by date and models or by content."""

from __future__ import annotations

import json
from typing import Any

import pytest

from garak_tbsa import GarakTbsaError
from garak_tbsa.report import calibration as reader

META = {"date": "2025-01-01", "filenames": ["b.report.jsonl", "a.report.jsonl"]}
PAIR: dict[str, Any] = {"mu": 0.25, "sigma": 0.5}
PAIRS: dict[str, Any] = {"dan.DAN/dan.DAN": PAIR}


def parse(content: object, *, trusted: bool = False) -> reader.Calibration:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return reader.parse_calibration(text, source="c.json", trusted=trusted)


def test_garaks_own_is_known_by_date_and_models_and_any_other_by_its_content() -> None:
    calibration = parse(PAIRS | {"garak_calibration_meta": META}, trusted=True)
    known = reader.Distribution(mu=0.25, sigma=0.5)
    assert calibration.of("dan.DAN", "dan.DAN") == known
    assert calibration.of("dan.DAN", "other.D") is None
    assert calibration.identity.date == "2025-01-01"
    # as a digest lists them
    assert calibration.identity.models == reader.text_sha256("a, b")
    assert calibration.identity.content is None
    assert parse(PAIRS, trusted=True).identity.content is not None
    other: tuple[object, ...] = (None, [], META, META | {"date": 3})
    for meta in other:
        one = parse(PAIRS | {"garak_calibration_meta": meta}).identity
        two = parse(PAIRS | {"x/y": PAIR}).identity
        assert one.content not in (None, two.content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 200_000, "is not JSON"),
        ([], "expected an object of pairs"),
        ({"garak_calibration_meta": META}, "holds no pair"),
        *(
            ({"a/b": pair}, "a/b: expected numbers mu and sigma from 0 to 1")
            for pair in (
                3,
                {"mu": 0.5},
                PAIR | {"mu": 2},
                PAIR | {"sigma": -1},
                PAIR | {"mu": float("nan")},
                PAIR | {"mu": True},
            )
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_calibration_is_told(content: object, message: str) -> None:
    with pytest.raises(GarakTbsaError) as caught:
        parse(content)
    advice = "give a garak calibration, such as garak/data/calibration/calibration.json"
    assert str(caught.value) == f"c.json: {message}; {advice}"
