# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A file of tiers: ours or garak's own, refused with one line otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_api.scoring import garak_folder
from garak_tbsa.garak_files.given_tiers import ADVICE, parse_tiers


def parse(content: object) -> dict[str, int]:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return dict(parse_tiers(text, source="tiers.json"))


def test_probe_to_tier() -> None:
    assert parse({"a.A": 1, "probes.b.B": 9}) == {"a.A": 1, "b.B": 9}


def test_a_plugin_cache_of_another_garak() -> None:
    """Probes of releases that had no tiers yet are passed over."""
    cache = {"probes": {"probes.a.A": {"tier": 2}, "probes.b.B": {"active": True}}}
    assert parse(cache) == {"a.A": 2}
    folder = garak_folder()
    assert folder is not None
    found = Path(folder) / "resources" / "plugin_cache.json"
    assert parse(found.read_bytes())["dan.DanInTheWild"] == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a.A 1", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        ([1], "is not a JSON object"),
        ({}, "names no probe's tier, or more than 100,000"),
        ({"probes": {}}, "names no probe's tier, or more than 100,000"),
        ({"a.A": 4}, "a.A: expected a tier of 1, 2, 3 or 9, found 4"),
        ({"a.A": True}, "a.A: expected a tier of 1, 2, 3 or 9, found True"),
        ({"a.A": "1"}, "a.A: expected a tier of 1, 2, 3 or 9, found '1'"),
        ({"a.A": [1]}, "a.A: expected a tier of 1, 2, 3 or 9, found [1]"),
    ],
)
def test_what_is_no_file_of_tiers_is_one_line(content: object, problem: str) -> None:
    with pytest.raises(ReportError) as caught:
        parse(content)
    assert str(caught.value) == f"tiers.json: {problem}; {ADVICE}"


def test_what_takes_too_much_to_parse_is_refused() -> None:
    with pytest.raises(ReportError, match="is too large for a file of tiers"):
        parse(b"[" + b"{}," * 3_000_000)
