# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every case that once failed in a campaign is tried again, for ever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tools.fuzz.campaign import failure_of
from tools.fuzz.case import LARGEST_KEPT, KeptCase, kept_cases
from tools.fuzz.drive import Workbench


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.setenv("GARAK_TBSA_DEBUG", "1")
    with Workbench() as made:
        yield made


def parameters() -> list[Any]:
    found = []
    for kept in kept_cases():
        marks = []
        if kept.open_because is not None:
            marks = [pytest.mark.xfail(strict=True, reason=kept.open_because)]
        found.append(pytest.param(kept, id=kept.path.stem, marks=marks))
    return found


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("kept", parameters())
def test_a_kept_case_holds(kept: KeptCase, bench: Workbench) -> None:
    failure = failure_of(kept.case, bench)
    assert failure is None, f"{failure}; first seen as {kept.found}"


def test_kept_cases_are_small() -> None:
    too_large = [
        k.path.name for k in kept_cases() if k.path.stat().st_size > LARGEST_KEPT
    ]
    assert too_large == []


def test_each_defect_is_kept_once() -> None:
    open_ones = [kept.signature for kept in kept_cases() if kept.open_because]
    assert len(open_ones) == len(set(open_ones))
