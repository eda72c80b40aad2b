# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where we differ from what garak's own tests ask, on purpose: see garak_own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from garak_tbsa.host import served_tbsa
from tests.garak_own import INTENDED_DIFFERENCES, own_module
from tests.installed import HOST_VARIABLE, with_wheel

if TYPE_CHECKING:
    from pathlib import Path

COMPLETE = "✔️  garak run complete in"


def pair(tier: int, *, absolute: int, relative: int) -> dict[str, Any]:
    """A group of a digest with one pair, as garak 0.14 to 0.17 writes it."""
    return {
        f"p{tier}.P": {
            "_summary": {"probe_tier": tier},
            "d.D": {
                "detector_name": "d.D",
                "absolute_score": 0.0,
                "absolute_defcon": absolute,
                "relative_score": 0.0,
                "relative_defcon": relative,
            },
        }
    }


def test_a_tier_2_pair_counts_by_the_lower_of_its_grades() -> None:
    """Pair grade = minimum of the grades that exist, in each tier."""
    digest = {
        "meta": {"garak_version": "0.17.1"},
        "eval": {
            "p1": pair(1, absolute=1, relative=1),
            "p2": pair(2, absolute=1, relative=5),
        },
    }
    assert own_module().digest_to_tbsa(digest, quiet=True)[0] == 2.3
    assert served_tbsa.digest_to_tbsa(digest, quiet=True)[0] == 1.0


@pytest.mark.skipif(HOST_VARIABLE in os.environ, reason="an older garak's options")
@pytest.mark.parametrize(("switch", "last_is_garaks"), [("1", False), ("0", True)])
def test_the_score_is_the_last_thing_that_a_user_sees(
    switch: str, last_is_garaks: bool, tmp_path: Path
) -> None:
    done = with_wheel().run(
        *("-m", "garak", "--target_type", "test", "--generations", "1"),
        *("--probes", "goodside.ThreatenJSON", "--detectors", "always.Pass"),
        folder=tmp_path,
        settings={"GARAK_TBSA": switch},
    )
    assert done.returncode == 0, done.stderr
    assert COMPLETE in done.stdout
    last = done.stdout.strip().splitlines()[-1]
    assert last.startswith(COMPLETE) == last_is_garaks


def test_each_difference_has_a_reason() -> None:
    assert all(INTENDED_DIFFERENCES.values())
    assert all(test.startswith("tests/") for test in INTENDED_DIFFERENCES)
